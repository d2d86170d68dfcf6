"""Damaged files: the same for the same seed, and read or refused in a child with limits."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import pytest

from ougi_lab.fuzz import files
from ougi_lab.fuzz.api import CallFailure
from ougi_lab.fuzz.mutate import MUTATIONS
from ougi_lab.fuzz.runner import run_cases
from ougi_lab.fuzz.samples import SAMPLES


@pytest.mark.parametrize("format", MUTATIONS)
@pytest.mark.filterwarnings("ignore:.*the skin of node 4:UserWarning")
def test_the_samples_are_scenes(format: str, tmp_path: Path) -> None:
    files.prepare_folder(format, tmp_path)
    assert files.load_case(format, SAMPLES[format], tmp_path)


@pytest.mark.parametrize("format", MUTATIONS)
def test_a_case_is_made_by_its_seed_and_number_alone(format: str) -> None:
    assert files.make_case(format, 3, 8) == files.make_case(format, 3, 8)
    assert len({files.make_case(format, 3, case) for case in range(20)}) > 10


@pytest.mark.parametrize("format", MUTATIONS)
@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_read_or_refused(format: str, tmp_path: Path) -> None:
    files.prepare_folder(format, tmp_path)
    for case in range(25):
        files.load_case(format, files.make_case(format, 0, case), tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory by setrlimit")
def test_a_child_counts_its_cases(tmp_path: Path) -> None:
    files.prepare_folder("csv", tmp_path)
    run = functools.partial(files.run_file_case, "csv", tmp_path)
    tally = run_cases(1, 300.0, 40, run=run, case_seconds=20)
    assert (tally.cases, tally.failures) == (40, [])
    assert 0 < tally.accepted < 40


def test_an_internal_error_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(files, "mutate", lambda *_: [][0])
    failure = files.run_file_case("csv", tmp_path, 3, 8)
    assert isinstance(failure, CallFailure)
    assert (failure.case, failure.error) == (8, "IndexError: list index out of range")
