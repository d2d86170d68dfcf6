"""`ougi reproduce`: what it writes, refuses and returns. The experiments have tests of their own."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from ougi.cli.tables import Table
from ougi.errors import InvalidInputError, MissingExtraError
from ougi_lab.reproduce import command, fan2d, fan_width, files, render
from ougi_lab.reproduce.catalog import EXPERIMENTS
from ougi_lab.reproduce.experiment import Claim, Figure, Outcome, Verdict, evaluate


def outcome(*verdicts: Verdict) -> Outcome:
    def draw(sheet: Any) -> None:
        sheet.add_subplot().plot([1, 2], [3, 4])

    return Outcome(
        "fan2d",
        "a small one",
        {"squares": 4},
        (
            Table(
                "hits",
                ("what", "paper", "ours"),
                (("box | fan", 1.25, 1.2), ("no", None, 12345)),
                ("a note",),
            ),
        ),
        (Figure("fig-1", "a figure", draw, ("x", "y"), ((1, 3), (2, 4))),),
        verdicts,
        ("a remark",),
    )


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Every call of an experiment that does nothing and finds nothing wrong."""
    calls: list[dict[str, Any]] = []

    def run(*, side: int = 9, start: float = 0.0, folder: Path, seed: int = 0) -> Outcome:
        calls.append({"side": side, "start": start, "seed": seed, "folder": folder})
        return outcome(Verdict("it works", True, "it does"))

    monkeypatch.setattr(fan2d, "run", run)
    monkeypatch.setattr(fan2d, "build_outcome", lambda numbers: outcome(Verdict("it works", True, "it does")))
    return calls


def test_every_experiment_is_there_and_takes_what_quick_hands_to_it() -> None:
    for experiment in EXPERIMENTS.values():
        assert set(experiment.quick) <= experiment.parameters()


def test_options_go_to_the_parameters_of_their_names(tmp_path: Path, calls: list[dict[str, Any]]) -> None:
    assert command.reproduce("fan2d", output=tmp_path, start=30, seed=7, quick=True) == 0
    assert calls == [{"side": 50, "start": 30, "seed": 7, "folder": tmp_path / "fan2d" / "chunks"}]


def test_a_quick_run_says_so(
    tmp_path: Path, calls: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    banner = "A quick run with small sizes, to test the command; its numbers are no evidence: fan2d"
    for quick in (True, False):
        assert command.reproduce("fan2d", output=tmp_path, quick=quick, force=True) == 0
        assert capsys.readouterr().out.startswith(banner) == quick
        assert (f"**{banner}**" in (tmp_path / "report.md").read_text(encoding="utf-8")) == quick


def test_an_interrupt_leaves_a_report_of_what_is_finished(
    tmp_path: Path, calls: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(name: str, *others: Any) -> Outcome:
        if name == "sort":
            raise KeyboardInterrupt
        return outcome()

    monkeypatch.setattr(command, "_run_experiment", interrupt)
    with pytest.raises(KeyboardInterrupt):
        command.reproduce("fan2d", "sort", output=tmp_path)
    assert "## fan2d" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_all_is_written(
    tmp_path: Path, calls: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.reproduce("fan2d", output=tmp_path) == 0
    folder = tmp_path / "fan2d"
    figure = {"fig-1.csv", "fig-1.png", "fig-1.svg"}
    assert {path.name for path in folder.iterdir()} == {"hits.csv", *figure, "outcome.json"}
    with (folder / "fig-1.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["x", "y"], ["1", "3"], ["2", "4"]]
    content = json.loads((folder / "outcome.json").read_text(encoding="utf-8"))
    assert content["tables"][0]["rows"] == [["box | fan", 1.25, 1.2], ["no", None, 12345]]
    assert {"cpu", "python", "numba", "date"} <= set(content["machine"])
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    for line in (
        "| [fan2d](#fan2d) | a small one | 1 claims: 1 holds | 0 s (0 s of CPU time) |",
        "| holds | it works | it does | yes |",
        "| what | paper | ours |\n|---|---:|---:|\n| box \\| fan | 1.25 | 1.20 |\n| no |  | 12,345 |",
        "\na note\n",
        "* a remark\n",
        "![a figure](fan2d/fig-1.png)",
        "Parameters: squares 4; seed 0.",
    ):
        assert line in report
    output = capsys.readouterr().out
    assert "12,345" in output
    assert "holds  it works (it does)" in output


def test_a_binding_claim_that_fails_sets_the_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for binding in (True, False):
        found = outcome(Verdict("pigs fly", False, "they do not", binding=binding))
        monkeypatch.setattr(fan2d, "run", lambda found=found: found)
        monkeypatch.setattr(fan2d, "build_outcome", lambda numbers, found=found: found)
        assert command.reproduce("fan2d", output=tmp_path) == int(binding)


@pytest.mark.parametrize("change", [{"seed": 5}, {"start": 30.0}, {"quick": True}])
def test_results_of_another_run_are_kept(
    tmp_path: Path, calls: list[dict[str, Any]], change: dict[str, Any]
) -> None:
    command.reproduce("fan2d", output=tmp_path)
    command.reproduce("fan2d", output=tmp_path)  # the same again is no other run
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    with pytest.raises(InvalidInputError, match=r"another run .* instead of .*--force"):
        command.reproduce("fan2d", output=tmp_path, **change)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == before
    assert command.reproduce("fan2d", output=tmp_path, force=True, **change) == 0


def test_results_of_another_version_are_kept(
    tmp_path: Path, calls: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    command.reproduce("fan2d", output=tmp_path)
    monkeypatch.setattr(files, "__version__", "99.0")
    with pytest.raises(InvalidInputError, match=r"ougi '.*' instead of '99.0'"):
        command.reproduce("fan2d", output=tmp_path)


def test_results_of_other_sources_are_kept(
    tmp_path: Path, calls: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    command.reproduce("fan2d", output=tmp_path)
    monkeypatch.setattr(files, "digest_sources", lambda: "0123456789abcdef")
    with pytest.raises(InvalidInputError, match=r"sources '.*' instead of '0123456789abcdef'"):
        command.reproduce("fan2d", output=tmp_path)


def test_a_foreign_file_is_kept(tmp_path: Path, calls: list[dict[str, Any]]) -> None:
    (tmp_path / "fan2d").mkdir()
    (tmp_path / "fan2d" / "outcome.json").write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="no outcome of ougi"):
        command.reproduce("fan2d", output=tmp_path)
    assert (tmp_path / "fan2d" / "outcome.json").read_text(encoding="utf-8") == "mine"
    assert not calls


@pytest.mark.parametrize("name", ["report.md", "fan2d/figure-3-1.png"])
def test_files_that_we_have_not_written_are_kept(
    tmp_path: Path, calls: list[dict[str, Any]], name: str
) -> None:
    (tmp_path / "fan2d").mkdir()
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"which is no file of `ougi reproduce`; .*--force"):
        command.reproduce("fan2d", output=tmp_path)
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine"
    assert not calls
    assert command.reproduce("fan2d", output=tmp_path, force=True) == 0


def test_a_path_that_is_taken_is_refused_before_the_work(tmp_path: Path, calls: list[dict[str, Any]]) -> None:
    (tmp_path / "fan2d").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="fan2d, which is not a folder"):
        command.reproduce("fan2d", output=tmp_path)
    (tmp_path / "fan2d").unlink()
    (tmp_path / "report.md").mkdir()
    with pytest.raises(InvalidInputError, match=r"report\.md, which is a folder"):
        command.reproduce("fan2d", output=tmp_path)
    assert not calls


def test_tables_are_files_too(tmp_path: Path) -> None:
    found = outcome()
    files.write_outcome(tmp_path, found, {}, 0, {"wall": 1.0, "cpu": 1.0})
    written = sorted(path.name for path in tmp_path.glob("*.csv"))
    for table in found.tables:
        name = f"{files._make_file_name(table.title)}.csv"
        assert name in written
        first, *_ = (tmp_path / name).read_text(encoding="utf-8").splitlines()
        assert first == ",".join(table.headings)


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, calls: list[dict[str, Any]]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="cannot be written to"):
        command.reproduce("fan2d", output=tmp_path / "file" / "folder")
    with pytest.raises(InvalidInputError, match="is not a folder"):
        command.reproduce("fan2d", output=tmp_path / "file")
    assert not calls


def test_one_experiment_that_fails_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**options: Any) -> Outcome:
        raise RuntimeError("out of luck")

    good = outcome(Verdict("it works", True, "it does"))
    monkeypatch.setattr(fan2d, "run", fail)
    monkeypatch.setattr(fan_width, "run", lambda: good)
    monkeypatch.setattr(fan_width, "build_outcome", lambda numbers: good)
    assert command.reproduce("fan2d", "fan-width", output=tmp_path) == command.UNFINISHED
    assert (tmp_path / "fan-width" / "outcome.json").is_file()
    assert not (tmp_path / "fan2d" / "outcome.json").exists()
    assert "fan2d did not finish: RuntimeError: out of luck" in capsys.readouterr().out
    with pytest.raises(RuntimeError, match="out of luck"):
        command.reproduce("fan2d", output=tmp_path)


def test_an_extra_that_is_missing_is_named_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: list[dict[str, Any]]
) -> None:
    needy = dataclasses.replace(EXPERIMENTS["radar"], needs={"no_such_module": "mesh"})
    monkeypatch.setitem(EXPERIMENTS, "radar", needy)
    with pytest.raises(MissingExtraError, match="the experiment radar needs the extra 'mesh'"):
        command.reproduce("fan2d", "radar", output=tmp_path)
    assert not calls


def test_a_claim_of_too_few_data_binds_nothing() -> None:
    claims = [Claim("a", lambda x: False, str), Claim("b", lambda x: False, str, always=True)]
    open_verdict, refuted = evaluate(claims, 1, enough=False)
    assert (open_verdict.holds, open_verdict.binding, render.name_verdict(open_verdict)) == (
        None,
        False,
        "too few data",
    )
    assert refuted.is_refuted
    assert render.count_verdicts([open_verdict, refuted]) == "2 claims: 0 hold, 1 FAILS, 1 of too few data"


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(InvalidInputError, match="did you mean fan2d"):
        command.select_experiments(("fan-2d",))


def test_an_option_without_effect_is_refused(tmp_path: Path, calls: list[dict[str, Any]]) -> None:
    with pytest.raises(InvalidInputError, match="--jobs has no effect on fan2d"):
        command.reproduce("fan2d", output=tmp_path, jobs=2)


def test_a_claim_that_is_not_binding_does_not_fail() -> None:
    assert render.name_verdict(Verdict("a", False, "b", binding=False)) == "does not hold"
    assert render.name_verdict(Verdict("a", False, "b")) == "FAILS"


def test_printed_lines_fit_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    long = "word " * 60
    found = outcome(Verdict(long, True, long))
    render.print_outcome(Outcome(found.name, found.title, {}, found.tables, (), found.verdicts, (long,)))
    output = capsys.readouterr().out
    assert max(map(len, output.split("\n"))) <= 120
    assert "1 claims: 1 holds" in output


def test_files_hold_lists_on_one_line_and_give_back_what_was_written() -> None:
    calls = {"a": [1, 2.5, None], "b": ["x, [y]\n", "{"], "c": [[1], []], "d": {"e": "[\n 1,\n 2\n]"}}
    text = files.format_json(calls)
    assert json.loads(text) == calls
    assert '"a": [ 1, 2.5, null ]' in text
