"""The command `ougi verify`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ougi.errors import InvalidInputError
from ougi_lab.verify import narrow
from ougi_lab.verify.command import _SUBJECTS, SubjectName, _load_subject, select_pairs, verify
from ougi_lab.verify.narrow import Narrow


def test_a_clean_run_exits_with_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "reports" / "narrow.json"
    code = verify("narrow", "Box-Sphere", "circle-circle", cases=600, near=100, output=report)
    assert code == 0
    saved = json.loads(report.read_text())
    assert list(saved["pairs"]) == ["circle-circle", "sphere-box"]
    assert saved["pairs"]["sphere-box"]["cases"] == 600
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "verify narrow"
    assert out[1].split()[:3] == ["pair", "cases", "near"]
    assert out[-1] == "0 disagreements in 2 pairs, seed 0"


@pytest.mark.parametrize("name", _SUBJECTS)
def test_every_subject_exists(name: SubjectName) -> None:
    assert _load_subject(name).pairs()


def test_json_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("narrow", "circle-circle", cases=100, near=10, format="json") == 0
    assert json.loads(capsys.readouterr().out)["disagreements"] == 0


def test_a_disagreement_exits_with_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = narrow.OugiNarrow.distance
    monkeypatch.setattr(narrow.OugiNarrow, "distance", lambda self, a, b: right(self, a, b) + 1e-6)
    assert verify("narrow", "sphere-box", cases=100, near=10) == 1
    out = capsys.readouterr().out
    assert "sphere-box: verbs 110" in out
    assert "a = Sphere(center=" in out


def test_finished_chunks_are_kept(tmp_path: Path) -> None:
    for _ in range(2):
        assert verify("narrow", "circle-circle", cases=100, near=10, resume=tmp_path) == 0
    assert len((tmp_path / "narrow.jsonl").read_text().splitlines()) == 1 + 3
    with pytest.raises(InvalidInputError, match="seed 0 instead of 1"):
        verify("narrow", "circle-circle", cases=100, near=10, seed=1, resume=tmp_path)


def test_quick_never_runs_more(capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("narrow", "circle-circle", cases=100, near=10, quick=True, format="json") == 0
    assert json.loads(capsys.readouterr().out)["counts"] == {"random": 100, "near": 10, "second": 2}


def test_pairs_are_found_in_either_order_and_case() -> None:
    assert select_pairs(("BOX-sphere", "point3d-Box"), Narrow().pairs()) == ("point3d-box", "sphere-box")
    assert select_pairs((), Narrow().pairs()) == Narrow().pairs()


def test_an_unknown_pair_gets_a_suggestion() -> None:
    with pytest.raises(InvalidInputError, match=r"did you mean .*sphere-box"):
        select_pairs(("spere-box",), Narrow().pairs())


@pytest.mark.parametrize(("option", "value"), [("cases", -1), ("near", -1), ("seed", -1), ("jobs", 0)])
def test_bad_numbers_are_refused(option: str, value: int) -> None:
    with pytest.raises(InvalidInputError, match=option):
        verify("narrow", "circle-circle", **{option: value})  # type: ignore[arg-type]


def test_the_command_alone_imports_nothing_heavy() -> None:
    code = "import sys, ougi_lab.verify.command; sys.exit(not {'numba', 'numpy'}.isdisjoint(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
