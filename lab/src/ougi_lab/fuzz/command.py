"""The command `ougi fuzz`."""

from __future__ import annotations

import functools
import math
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Literal, TypeAlias

from ougi.errors import InvalidInputError

FAILED = 1

Format: TypeAlias = Literal[
    "toml", "json", "gltf", "glb", "urdf", "srdf", "dae", "obj", "stl", "ply", "csv", "columns", "ros", "npy",
    "npz",
]  # fmt: skip


def fuzz(
    what: Literal["files", "api"],
    /,
    *,
    seconds: float = 60.0,
    seed: int = 0,
    cases: int | None = None,
    format: Format | None = None,
) -> int:
    """Run mutated files or calls; each must end with a result or with an expected error.

    Exit code 0 if every case does, 1 if there is an internal error, a hang, a crash or excess memory.
    Failures are printed once for each place in the source, with a case that shows them.

    Parameters
    ----------
    what
        `files`: scene files of all formats. `api`: calls of all public functions.
    seconds
        Start no case after this time. The start of the process that runs them does not count.
    seed
        Seed of the cases. Case k of a seed is always the same.
    cases
        Maximum number of cases; by default as many as the time allows.
    format
        Of the files; by default all formats, each for an equal part of the time. `columns` and `ros` are the
        two kinds of trajectories in JSON.
    """
    if not (math.isfinite(seconds) and seconds > 0):
        raise InvalidInputError(f"seconds must be positive, got {seconds}")
    if seed < 0:
        raise InvalidInputError(f"seed must be 0 or more, got {seed}")
    if cases is not None and cases < 1:
        raise InvalidInputError(f"cases must be 1 or more, got {cases}")
    if what == "files":
        from ougi_lab.fuzz.mutate import MUTATIONS

        return _fuzz_files(seconds, seed, cases, tuple(MUTATIONS) if format is None else (format,))
    from ougi.cli.progress import show_progress
    from ougi_lab.fuzz.runner import run_cases

    with show_progress("cases") as progress:
        tally = run_cases(seed, seconds, cases, progress=progress)
    places = defaultdict(list)
    for failure in tally.failures:
        places[failure.where, failure.error.split(":")[0]].append(failure)
    for (where, _), failures in sorted(places.items()):
        first = failures[0]
        sys.stdout.write(
            f"{where}: {first.error}\n  case {first.case} ({len(failures)} alike): {first.call}\n"
        )
    sys.stdout.write(f"api: {tally.cases:,} cases, {len(tally.failures):,} failures, seed {seed}\n")
    return FAILED if tally.failures else 0


def _fuzz_files(seconds: float, seed: int, cases: int | None, formats: tuple[str, ...]) -> int:
    """Run formats, each for an equal part of the time."""
    from ougi_lab.fuzz.files import prepare_folder, run_file_case
    from ougi_lab.fuzz.runner import FILE_BYTES, FILE_SECONDS, run_cases

    failed = 0
    for format in formats:
        with tempfile.TemporaryDirectory() as name:  # of all cases, because files are slow to make
            prepare_folder(format, folder := Path(name))
            tally = run_cases(
                seed,
                seconds / len(formats),
                cases,
                run=functools.partial(run_file_case, format, folder),
                case_seconds=FILE_SECONDS,
                case_bytes=FILE_BYTES,
            )
        for failure in tally.failures:
            sys.stdout.write(f"{failure.call}: {failure.error} at {failure.where}\n")
        failed += len(tally.failures)
        sys.stdout.write(
            f"{format}: {tally.cases:,} cases, {tally.accepted:,} loaded, "
            f"{len(tally.failures):,} failures, seed {seed}\n"
        )
    return FAILED if failed else 0
