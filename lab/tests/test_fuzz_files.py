"""Damaged files: the same for the same seed, and read or refused in a child with limits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ougi_lab.fuzz import files
from ougi_lab.fuzz.mutate import MUTATIONS
from ougi_lab.fuzz.samples import SAMPLES


@pytest.mark.parametrize("format", MUTATIONS)
def test_the_samples_are_scenes(format: str, tmp_path: Path) -> None:
    assert files.load_case(format, SAMPLES[format], tmp_path)


@pytest.mark.parametrize("format", MUTATIONS)
def test_a_case_is_made_by_its_seed_and_number_alone(format: str) -> None:
    assert files.make_case(format, 3, 8) == files.make_case(format, 3, 8)
    assert len({files.make_case(format, 3, case) for case in range(20)}) > 10


@pytest.mark.parametrize("format", MUTATIONS)
@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_read_or_refused(format: str, tmp_path: Path) -> None:
    for case in range(25):
        files.load_case(format, files.make_case(format, 0, case), tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory by setrlimit")
def test_a_child_counts_its_cases() -> None:
    outcome = files.fuzz_files("csv", seed=1, cases=40)
    assert (outcome.cases, outcome.failures) == (40, [])
    assert 0 < outcome.loaded < 40
    with pytest.raises(ValueError, match="format must be one of toml"):
        files.fuzz_files("sdf", cases=1)


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory by setrlimit")
def test_a_case_that_hangs_ends_its_child_and_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that writes nothing after its first line, as one that hangs in a case."""
    program = "import json, time; print(json.dumps({'case': 5}), flush=True); time.sleep(600)"
    monkeypatch.setattr(files, "CASE_SECONDS", 0.5)
    start = subprocess.Popen
    monkeypatch.setattr(
        subprocess, "Popen", lambda _, **options: start([sys.executable, "-c", program], **options)
    )
    outcome = files.fuzz_files("csv", cases=6)
    assert outcome.failures[-1][2:] == (5, "took more than 0.5 s")
