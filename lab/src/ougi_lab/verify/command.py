"""The command `ougi verify`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ougi.errors import InvalidInputError

if TYPE_CHECKING:
    from ougi_lab.verify.runner import Subject

DISAGREEMENT = 1

# One case in this number is also computed by peer libraries, which take about 100 us each.
_PEER_SHARE = 50
# One case in this number is a large one, of seconds, where a subject has such.
_LARGE_SHARE = 2_000


SubjectName = Literal[
    "narrow",
    "range",
    "hull",
    "manifold",
    "half-space",
    "ray",
    "sector",
    "ccd",
    "moving-hull",
    "moving-half-space",
    "solid",
    "moving-solid",
    "moving-sector",
    "cylinder",
    "box-sphere",
    "sweep",
    "broad",
    "mesh",
    "world",
    "radar",
    "grasp",
    "gl",
    "corridor",
    "cuda",
    "cuda-robot",
    "robot",
]

# Where they live; imported only when used.
_SUBJECTS: dict[SubjectName, str] = {
    "narrow": "narrow.Narrow",
    "range": "borders.Borders",
    "hull": "narrow.Hulls",
    "manifold": "manifold.Manifolds",
    "half-space": "half_space.HalfSpaces",
    "ray": "ray.Rays",
    "sector": "sector.Sector",
    "ccd": "ccd.Ccd",
    "moving-hull": "ccd.MovingHulls",
    "moving-half-space": "half_space.MovingHalfSpaces",
    "solid": "solid.Solids",
    "moving-solid": "solid.MovingSolids",
    "moving-sector": "moving_sector.MovingSectors",
    "cylinder": "cylinder.CylinderSubject",
    "box-sphere": "box_sphere.BoxSphere",
    "sweep": "sweep.SweepSubject",
    "broad": "broad.Broad",
    "mesh": "mesh.MeshSubject",
    "world": "world.Worlds",
    "radar": "radar.Radar",
    "grasp": "grasp.Grasps",
    "gl": "gl.Gl",
    "corridor": "corridor.Corridors",
    "cuda": "cuda.Cuda",
    "cuda-robot": "cuda_robot.CudaRobots",
    "robot": "robot.Robots",
}


def verify(
    subject: SubjectName,
    /,
    *pairs: str,
    cases: int = 20_000,
    near: int = 2_000,
    seed: int = 0,
    jobs: int | None = None,
    output: Path | None = None,
    resume: Path | None = None,
    force: bool = False,
    quick: bool = False,
    format: Literal["table", "json"] = "table",
) -> int:
    """Check kernels against independent proofs; exit code 1 if one is wrong.

    Every result is proved by its own certificate (points, normal and supports; for motions, a chain of
    planes), or disproved. Peer libraries compute a smaller sample if they are installed.

    Parameters
    ----------
    subject
        What to verify: `narrow`, queries of two shapes; `hull`, those with hulls and polygons; `solid`,
        those with cylinders, cones and ellipsoids; `half-space`, those with half-spaces; `ray`, first hits
        of rays; `range`, all of these at the borders of the range of numbers; `manifold`, contact
        manifolds; `sector`, queries with sectors; `ccd`, first contacts of moving shapes; `moving-hull`,
        those of hulls and polygons; `moving-solid`, those of cones and ellipsoids; `moving-sector`, those
        of sectors; `moving-half-space`, those with half-spaces; `cylinder`, those with cylinders;
        `box-sphere`, a turning box and a ball, by ranges of angles; `sweep`, sectors around what a shape
        sweeps; `broad`, the pairs that the methods of `candidate_pairs` find; `mesh`, queries of resting
        meshes; `world`, steps of many bodies; `radar`, first contacts of meshes by depth images; `gl`,
        whether OpenGL draws the same images; `grasp`, whether a grasping hand overlaps something;
        `corridor`, circles between walls, by all structures; `cuda`, whether a GPU returns the results of
        the CPU; `cuda-robot`, whether it does for robots; or `robot`, motions of robots between
        configurations.
    pairs
        Such as `sphere-box`, in either order; points are `point2d` and `point3d`. For `box-sphere` ranges
        like `90-180`, for `sweep` a shape and a method like `box-enclosing`, for `broad` a method like `x`,
        for `radar` a kind of sensor like `torus`, `turn` or `screw`, for `gl` a kind of scene like `soup`,
        for `grasp` a target like `ring`, for `cuda` a query and a kernel like `intersects/sphere_box`, or
        `radar/point` and `corridor/step`.
        All by default.
    cases
        Random cases per pair; for `sweep`, points; for `broad`, scenes; for `world`, pairs of bodies in a
        step; for `corridor`, circles; for `gl`, view volumes; for `grasp`, frames; for `robot`, motions.
    near
        Cases per pair that touch or nearly touch, where the subject has such; for `corridor`, circles times
        frames of long runs.
    seed
        Decides every case.
    jobs
        Number of parallel workers; all cores by default. Results do not depend on it.
    output
        Write the report, as JSON, to this file.
    resume
        Store finished chunks in this folder, and do not repeat those that are there.
    force
        Start over where the folder holds chunks of another seed, version or kernel.
    quick
        At most 2,000 random and 500 near cases per pair.
    format
        Print a `table` or the report as `json`.
    """
    from ougi.cli.warmup import announce_compilation
    from ougi_lab.verify.print_report import print_report
    from ougi_lab.verify.runner import format_report, open_processes, run

    for name, value in (("cases", cases), ("near", near), ("seed", seed)):
        if value < 0:
            raise InvalidInputError(f"{name} must not be negative, got {value}")
    if not cases + near:
        raise InvalidInputError("cases and near must not both be 0: nothing would be verified")
    if jobs is not None and jobs < 1:
        raise InvalidInputError(f"jobs must be positive, got {jobs}")
    if output is not None and output.suffix != ".json":
        raise InvalidInputError(f"output must end in .json, got {output.name!r}")
    examined = _load_subject(subject)
    chosen = select_pairs(pairs, examined.pairs())
    if quick:
        cases, near = min(cases, 2_000), min(near, 500)
    counts = {"random": cases, "near": near, "second": cases // _PEER_SHARE, "large": cases // _LARGE_SHARE}
    counts = {kind: count for kind, count in counts.items() if kind in examined.kinds}
    announce_compilation()
    with open_processes(examined, chosen, counts, jobs) as executor:
        report = run(
            examined, chosen, counts, seed=seed, executor=executor, jobs=jobs, folder=resume, force=force
        )
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(format_report(report), encoding="utf-8")
    if format == "json":
        sys.stdout.write(format_report(report))
    else:
        print_report(report)
    return DISAGREEMENT if report["disagreements"] else 0


def _load_subject(name: SubjectName) -> Subject:
    module, _, subject = _SUBJECTS[name].partition(".")
    found: Subject = getattr(import_module(f"ougi_lab.verify.{module}"), subject)()
    return found


def select_pairs(wanted: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """The pairs that a user named, in the table's order; all of them without a name."""
    import difflib

    if not wanted:
        return known
    chosen = set()
    for name in wanted:
        plain = name.lower()
        swapped = "-".join(reversed(plain.split("-")))
        found = next((pair for pair in (plain, swapped) if pair in known), None)
        if found is None:
            both = [*known, *("-".join(reversed(pair.split("-"))) for pair in known)]
            nearest = difflib.get_close_matches(plain, both, n=3, cutoff=0.5)
            hint = f"; did you mean {' or '.join(nearest)}?" if nearest else f"; known are {', '.join(known)}"
            raise InvalidInputError(f"there is no pair {name!r}{hint}")
        chosen.add(found)
    return tuple(pair for pair in known if pair in chosen)
