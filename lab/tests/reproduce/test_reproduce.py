"""`ougi reproduce`: what it writes, refuses and returns. The experiments have tests of their own."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from ougi.errors import InvalidInputError
from ougi_lab.reproduce import command, fan2d, files, report, show
from ougi_lab.reproduce.experiment import Figure, Outcome, Table, Verdict


def outcome(*verdicts: Verdict) -> Outcome:
    def draw(sheet: Any) -> None:
        sheet.add_subplot().plot([1, 2], [3, 4])

    return Outcome(
        "fan2d",
        "a <small> one",
        {"squares": 4},
        (
            Table(
                "hits", ("what", "paper", "ours"), (("box & fan", 1.25, 1.2), ("no", None, 12345)), "a note"
            ),
        ),
        (Figure("fig-1", "a figure", draw, ("x", "y"), ((1, 3), (2, 4))),),
        verdicts,
        ("a remark",),
    )


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Every call of an experiment that does nothing and finds nothing wrong."""
    calls: list[dict[str, Any]] = []

    def run(*, side: int = 9, start: float = 0.0, folder: Path, seed: int = 0) -> Outcome:
        calls.append({"side": side, "start": start, "seed": seed, "folder": folder})
        return outcome(Verdict("it works", True, "it does"))

    monkeypatch.setattr(fan2d, "run", run)
    return calls


def test_every_experiment_is_there_and_takes_what_quick_hands_to_it() -> None:
    for experiment in command.EXPERIMENTS.values():
        assert set(experiment.quick) <= experiment.parameters()


def test_options_go_to_the_parameters_of_their_names(tmp_path: Path, told: list[dict[str, Any]]) -> None:
    assert command.reproduce("fan2d", output=tmp_path, start=30, seed=7, quick=True) == 0
    assert told == [{"side": 50, "start": 30, "seed": 7, "folder": tmp_path / "fan2d" / "chunks"}]


def test_all_is_written(
    tmp_path: Path, told: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.reproduce("fan2d", output=tmp_path) == 0
    folder = tmp_path / "fan2d"
    figure = {"fig-1.csv", "fig-1.png", "fig-1.svg"}
    assert {path.name for path in folder.iterdir()} == {"hits.csv", *figure, "outcome.json"}
    with (folder / "fig-1.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["x", "y"], ["1", "3"], ["2", "4"]]
    kept = json.loads((folder / "outcome.json").read_text(encoding="utf-8"))
    assert kept["tables"][0]["rows"] == [["box & fan", 1.25, 1.2], ["no", None, 12345]]
    assert {"cpu", "python", "numba", "date"} <= set(kept["machine"])
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for words in (
        "a &lt;small&gt; one",
        "box &amp; fan",
        "12,345",
        "it works",
        "a note",
        "a remark",
        "squares",
    ):
        assert words in page
    assert not re.search(r'(src|href)="(?!data:|#)', page), "the page must need no other file"
    printed = capsys.readouterr().out
    assert "12,345" in printed
    assert "holds  it works (it does)" in printed


def test_a_binding_claim_that_fails_sets_the_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for binding in (True, False):
        found = outcome(Verdict("pigs fly", False, "they do not", binding=binding))
        monkeypatch.setattr(fan2d, "run", lambda found=found: found)
        assert command.reproduce("fan2d", output=tmp_path) == int(binding)


@pytest.mark.parametrize("change", [{"seed": 5}, {"start": 30.0}, {"quick": True}])
def test_results_of_another_run_are_kept(
    tmp_path: Path, told: list[dict[str, Any]], change: dict[str, Any]
) -> None:
    command.reproduce("fan2d", output=tmp_path)
    command.reproduce("fan2d", output=tmp_path)  # the same again is no other run
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    with pytest.raises(InvalidInputError, match=r"another run .* instead of .*--force"):
        command.reproduce("fan2d", output=tmp_path, **change)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == before
    assert command.reproduce("fan2d", output=tmp_path, force=True, **change) == 0


def test_results_of_another_version_are_kept(
    tmp_path: Path, told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    command.reproduce("fan2d", output=tmp_path)
    monkeypatch.setattr(files, "__version__", "99.0")
    with pytest.raises(InvalidInputError, match=r"ougi '.*' instead of '99.0'"):
        command.reproduce("fan2d", output=tmp_path)


def test_results_of_other_sources_are_kept(
    tmp_path: Path, told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    command.reproduce("fan2d", output=tmp_path)
    monkeypatch.setattr(files, "sources", lambda: "0123456789abcdef")
    with pytest.raises(InvalidInputError, match=r"sources '.*' instead of '0123456789abcdef'"):
        command.reproduce("fan2d", output=tmp_path)


def test_a_foreign_file_is_kept(tmp_path: Path, told: list[dict[str, Any]]) -> None:
    (tmp_path / "fan2d").mkdir()
    (tmp_path / "fan2d" / "outcome.json").write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="no outcome of ougi"):
        command.reproduce("fan2d", output=tmp_path)
    assert (tmp_path / "fan2d" / "outcome.json").read_text(encoding="utf-8") == "mine"
    assert not told


@pytest.mark.parametrize("name", ["report.html", "fan2d/figure-3-1.png"])
def test_files_that_we_have_not_written_are_kept(
    tmp_path: Path, told: list[dict[str, Any]], name: str
) -> None:
    (tmp_path / "fan2d").mkdir()
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"which is not of `ougi reproduce`; .*--force"):
        command.reproduce("fan2d", output=tmp_path)
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine"
    assert not told
    assert command.reproduce("fan2d", output=tmp_path, force=True) == 0


def test_what_stands_in_the_way_is_said_before_the_work(tmp_path: Path, told: list[dict[str, Any]]) -> None:
    (tmp_path / "fan2d").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="fan2d, which is not a folder"):
        command.reproduce("fan2d", output=tmp_path)
    (tmp_path / "fan2d").unlink()
    (tmp_path / "report.html").mkdir()
    with pytest.raises(InvalidInputError, match=r"report\.html, which is a folder"):
        command.reproduce("fan2d", output=tmp_path)
    assert not told


def test_tables_are_files_too(tmp_path: Path) -> None:
    found = outcome()
    files.write(tmp_path, found, {}, 0, {"wall": 1.0, "cpu": 1.0})
    written = sorted(path.name for path in tmp_path.glob("*.csv"))
    for table in found.tables:
        name = f"{files._file_name(table.title)}.csv"
        assert name in written
        first, *_ = (tmp_path / name).read_text(encoding="utf-8").splitlines()
        assert first == ",".join(table.columns)


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, told: list[dict[str, Any]]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="cannot be written to"):
        command.reproduce("fan2d", output=tmp_path / "file" / "folder")
    with pytest.raises(InvalidInputError, match="is not a folder"):
        command.reproduce("fan2d", output=tmp_path / "file")
    assert not told


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(InvalidInputError, match="did you mean fan2d"):
        command.named(("fan-2d",))


def test_an_option_that_nobody_takes_is_refused(tmp_path: Path, told: list[dict[str, Any]]) -> None:
    with pytest.raises(InvalidInputError, match="--jobs says nothing to fan2d"):
        command.reproduce("fan2d", output=tmp_path, jobs=2)


def test_large_drawings_are_embedded_as_pixels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write(tmp_path / "fan2d", outcome(), {}, 0, {"wall": 1.0, "cpu": 1.0})
    assert "data:image/svg+xml" in files.write_report(tmp_path).read_text(encoding="utf-8")
    monkeypatch.setattr(report, "_LARGE", 10)
    assert "data:image/png" in files.write_report(tmp_path).read_text(encoding="utf-8")


def test_a_claim_that_binds_nobody_does_not_fail() -> None:
    assert show.judged(Verdict("a", False, "b", binding=False)) == "does not hold"
    assert show.judged(Verdict("a", False, "b")) == "FAILS"


def test_printed_lines_fit_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    long = "word " * 60
    found = outcome(Verdict(long, True, long))
    show.show(Outcome(found.name, found.title, {}, found.tables, (), found.verdicts, (long,)))
    printed = capsys.readouterr().out
    assert max(map(len, printed.split("\n"))) <= 120
    assert "1 claims: 1 holds" in printed


def test_files_hold_lists_on_one_line_and_give_back_what_was_written() -> None:
    told = {"a": [1, 2.5, None], "b": ["x, [y]\n", "{"], "c": [[1], []], "d": {"e": "[\n 1,\n 2\n]"}}
    text = files.as_json(told)
    assert json.loads(text) == told
    assert '"a": [ 1, 2.5, null ]' in text
