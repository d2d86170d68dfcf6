"""The tests of the device code in a process of their own, on numba-cuda's simulator: no GPU is needed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
installed = importlib.util.find_spec("numba_cuda") is not None


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        cwd=ROOT,
    )


@pytest.mark.skipif(not installed, reason="the extra cuda is not installed")
@pytest.mark.parametrize("folder", ["tests/cuda", "lab/tests"])
def test_device_code_passes_its_tests_on_the_simulator(folder: str) -> None:
    files = map(str, sorted((ROOT / folder).glob("test_device*.py")))
    done = run(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files),
        NUMBA_ENABLE_CUDASIM="1",
        NUMBA_DISABLE_JIT="1",
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


CODE = "import ougi, ougi.cuda; ougi.cuda.put(ougi.Sphere([0, 0, 0], 1))"


@pytest.mark.skipif(not installed, reason="the extra cuda is not installed")
def test_without_a_gpu_the_error_says_what_is_needed() -> None:
    done = run("-c", CODE, CUDA_VISIBLE_DEVICES="", NUMBA_ENABLE_CUDASIM="0")
    assert done.returncode != 0
    assert "ougi.errors.DeviceError: no CUDA device can be used" in done.stderr
    assert "which run on the CPU" in done.stderr


@pytest.mark.parametrize("module", ["numba", "numba_cuda"])
def test_without_the_extra_the_error_names_it(module: str) -> None:
    hide = f"import sys; sys.modules[{module!r}] = None\n"
    done = run("-c", hide + CODE)
    assert done.returncode != 0
    assert "ougi.cuda needs the extra 'cuda': pip install \"ougi[cuda]\"" in done.stderr


def test_the_committed_runs_name_their_gpu_and_found_no_disagreement() -> None:
    from ougi_lab.results import load_result

    verified, measured, hulls = map(load_result, ("verify-cuda", "bench-cuda", "verify-cuda-hulls"))
    assert verified is not None
    assert measured is not None
    assert hulls is not None
    assert hulls["disagreements"] == 0
    assert min(pair["cases"] for pair in hulls["pairs"].values()) >= 200_000
    assert verified["disagreements"] == 0
    assert {"radar/point", "radar/conservative", "corridor/step", "broad/grid"} <= verified["pairs"].keys()
    assert min(pair["cases"] for pair in verified["pairs"].values()) >= 10_000_000
    for run in (verified, measured):
        assert {"gpu", "driver", "cuda_of_driver", "numba-cuda"} <= run["machine"].keys()
    for part in ("searches", "radars", "characters"):
        compared = [row for row in measured["measurements"] if row["subject"] == f"cuda/{part}"]
        assert compared
        assert all(row["facts"].get("equal", True) for row in compared if "facts" in row)
