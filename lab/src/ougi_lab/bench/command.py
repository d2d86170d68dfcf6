"""The command `ougi bench`."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from ougi.errors import InvalidInputError

if TYPE_CHECKING:
    from ougi_lab.bench.measurement import BenchReport

# `run(options)` of the module of the same name measures a subject.
SubjectName: TypeAlias = Literal[
    "narrow",
    "ccd",
    "broad",
    "world",
    "mesh",
    "radar",
    "cuda",
    "games",
    "gltf",
    "view",
    "corridor",
    "start",
    "single",
    "library",
    "robots",
]
_WITHOUT_NAMES = ("games", "gltf", "view", "corridor", "start", "single", "library")
_WITHOUT_KERNELS = ("cuda", "start", "library")  # these compile nothing for the CPU in this process

# (count, listed, tests, repeats) that --quick does not exceed.
_QUICK = (2_000, 5_000, 100, 3)


def bench(
    subject: SubjectName,
    /,
    *pairs: str,
    count: int = 100_000,
    listed: int = 1_000_000,
    tests: int = 2_000,
    repeats: int = 15,
    quick: bool = False,
    large: bool = False,
    plot: Path | None = None,
    format: Literal["table", "json"] = "table",
    output: Path | None = None,
) -> int:
    """Measure ougi on this machine, beside a memory copy and beside other libraries.

    `narrow` tests every pair of shapes for intersection and distance, on one thread, and states each cost as
    a multiple of copying the shapes' numbers. `ccd` computes first contacts of turning bodies: what tools
    miss, the errors of their times and what they cost, by ranges of angles; and large arrays, beside
    targets. `broad` finds candidate pairs among a thousand to half a million bodies. `world` steps ten
    thousand bodies, beside physics engines. `mesh` casts rays at detailed meshes and measures their
    distances, beside coal, python-fcl, trimesh and embreex. `radar` computes first contacts of meshes,
    beside coal and python-fcl. `cuda` measures a GPU beside its own copy and beside the CPU. `games` counts
    the hits of a blade that game libraries find, with ougi and without. `gltf` checks files of detailed
    meshes. `view` moves the viewer's slider. `corridor` moves circles between walls of up to a million
    segments. `start` measures imports and first results in fresh processes. `single` makes one query per
    call, beside coal, python-fcl, rapier3d, shapely and pymunk. `library` compares machine code of a wheel
    with that of Numba. `robots` proves edges of a planner, beside hpp-python, and pinocchio, Drake and OMPL,
    which sample them.

    Parameters
    ----------
    subject
        `narrow`, `ccd`, `broad`, `world`, `mesh`, `radar`, `cuda`, `games`, `gltf`, `view`,
        `corridor`, `start`, `single`, `library` or `robots`.
    pairs
        Only these: classes (Box) and pairs (Sphere-Box); for `narrow` also kernels (sphere_box), 2d, 3d or
        hulls; for `broad` scenes (i, ii, iii, iv, or box, even, clusters, rods); for `world` plane, space,
        sectors or hulls; for `mesh` and `radar` words of cases (ray, boxes); for `cuda` kernels, layouts and
        queries; for `robots` URDF files.
    count
        Shapes in a batch that one shape is tested against; swings in a large array.
    listed
        Listed pairs, drawn at random from two batches, for `narrow`.
    tests
        Tests with other libraries, for each pair and query, or pair and range of angles.
    repeats
        Rounds for the median; listed pairs and swings of other libraries use a third of them.
    quick
        Small sizes and few rounds, to test the command.
    large
        For `broad`: also five million bodies, except in the box, where they would have too many pairs (a few
        minutes more, and 5 GB of memory).
    plot
        For `broad`: draw times and fitted exponents to this file (.png, .svg or .pdf).
    format
        `table`, or `json` for machines.
    output
        Also write the result to this file: FILE.json, or FILE.txt for the table.
    """
    limits = {"count": count, "listed": listed, "tests": tests, "repeats": repeats}
    for name, value in limits.items():
        if value < 1:
            raise InvalidInputError(f"{name} must be positive, got {value}")
    if output is not None and output.suffix not in (".json", ".txt"):
        raise InvalidInputError(f"output must end in .json or .txt, got {output.name!r}")
    if (large or plot is not None) and subject != "broad":
        raise InvalidInputError(f"bench {subject} takes neither --large nor --plot; they are for bench broad")
    if plot is not None and plot.suffix not in (".png", ".svg", ".pdf"):
        raise InvalidInputError(f"plot must end in .png, .svg or .pdf, got {plot.name!r}")
    if pairs and subject in _WITHOUT_NAMES:
        raise InvalidInputError(f"bench {subject} takes no pairs, got {' '.join(pairs)}")
    if quick:
        limits = {
            name: min(value, maximum) for (name, value), maximum in zip(limits.items(), _QUICK, strict=True)
        }
    # Before our own work adds to it.
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    from ougi.cli.tables import format_table, print_tables
    from ougi_lab.bench.measurement import Options, format_document

    if subject not in _WITHOUT_KERNELS:
        from ougi.cli.warmup import announce_compilation

        announce_compilation()
    options = Options(pairs, **limits, quick=quick, large=large, plot=plot, load=load)
    report: BenchReport = importlib.import_module(f"ougi_lab.bench.{subject}").run(options)
    as_json = format_document(report.to_dict(subject))
    if format == "json":
        sys.stdout.write(as_json)
    else:
        print_tables(report.tables)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        as_text = "\n".join(map(format_table, report.tables))
        output.write_text(as_json if output.suffix == ".json" else as_text, encoding="utf-8")
    return 0
