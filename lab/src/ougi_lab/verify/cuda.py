"""`ougi verify cuda`: does the GPU return the results of the CPU?

Cases are drawn on the GPU and computed there and, fetched, on the CPU. Yes and no are compared as packed
bits, numbers as bits. Where these differ, rounding must be the reason: a test may have either result if
the bodies touch up to the rounding band, a distance may be off by a band, and a first contact by what it
takes to come nearer by the tolerance. Kernels without sines and cosines differ in nothing but the sign of 0.
Images of radars and steps in corridors have no such band: they are the same to the last bit.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi._native import Loops
from ougi._typing import Floats
from ougi.impact.kernels import loops_of_one_mover, loops_of_two_movers
from ougi.impact.tables import KERNELS
from ougi.kernels.constants import FINEST_TOL
from ougi.query.dispatch import pair_loops
from ougi.query.tables import TABLES
from ougi_lab.verify import cuda_hulls
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally

# Cases that are on the GPU at a time.
_SLICE = 1 << 18
# As `certificates.BAND`: in units of the largest number of a record, at least half of coordinate plus size.
_BAND = 2 * 64 * np.finfo(np.float64).eps
_TOL = 1e-9
# Scenes of each chunk that are small and odd.
_ODD = 200
# Bodies of first contacts lie further apart, or most would overlap at the start.
_NARROW, _MOVING = (2.0, 1.5), (4.0, 0.8)


@dataclass(frozen=True)
class Cuda:
    """The subject `cuda` for the runner: one `pair` for each question and kernel."""

    name: str = "cuda"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True  # so that kernels compile side by side
    folders: tuple[str, ...] = (
        "broad",
        "corridor",
        "cuda",
        "impact",
        "kernels",
        "kernels/convex",
        "kernels/impact",
        "kernels/impact/convex",
        "query",
        "radar",
    )
    chunk: int = 1_250_000

    def pairs(self) -> tuple[str, ...]:
        """Names like `intersects/sphere_box`, the costly ones first; `broad/grid` is a search for pairs,
        `radar/point` are images, `corridor/step` frames of circles, `moving/hull3d_hull3d` those of hulls.
        """
        searches = [f"broad/{method}" for method in ("tree", "grid")]
        searches += ["radar/point", "radar/conservative", "corridor/step"]
        moves = [f"{question}/{kernel}" for question in ("moving", "impact") for kernel in reversed(KERNELS)]
        narrow = [f"{q}/{row.kernel}" for q in ("distance", "intersects") for row in reversed(TABLES[q])]
        return tuple(dict.fromkeys([*searches, *moves, *narrow, *cuda_hulls.PAIRS]))

    def facts(self) -> dict[str, Any]:
        """The GPU."""
        from ougi_lab.machine import describe_gpu

        return describe_gpu()

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Compare n cases."""
        if pair.startswith("broad/"):
            return _compare_searches(pair.removeprefix("broad/"), n, rng)
        if pair.startswith(("radar/", "corridor/")):
            from ougi_lab.verify import cuda_scenes

            if pair == "corridor/step":
                return cuda_scenes.compare_steps(n, rng)
            coverage: Any = pair.removeprefix("radar/")
            return cuda_scenes.compare_radars(coverage, n, rng)
        if pair in cuda_hulls.PAIRS:
            return cuda_hulls.compare(pair, n, rng)
        seed = int(rng.integers(1 << 31))
        tally = Tally()
        for first in range(0, n, _SLICE):
            tally.add(_compare_slice(pair, seed, first, min(_SLICE, n - first)))
        return tally


def _compare_slice(pair: str, seed: int, first: int, count: int) -> Tally:
    question, kernel = pair.split("/")
    if question in ("moving", "impact"):
        return _compare_contacts(question, kernel, seed, first, count)
    return (
        _compare_distances(kernel, seed, first, count)
        if question == "distance"
        else _compare_tests(kernel, seed, first, count)
    )


@functools.cache
def _build_equal_pairs(count: int) -> tuple[Any, Any]:
    """Index pairs (k, k), for the CPU and on the GPU."""
    from ougi import _check
    from ougi_lab.scenes.device import make_equal_pairs

    index = np.repeat(np.arange(count)[:, None], 2, axis=1)
    return _check.frozen(index), make_equal_pairs(count)


def _fetch(columns: Any) -> Floats:
    from ougi._check import frozen
    from ougi.cuda.driver import to_numpy

    return frozen(to_numpy(columns))


def _run_on_gpu(made: Loops, a: Any, b: Any, out: Any) -> Any:
    from ougi.cuda.loops import device_loops, run_listed

    run_listed(device_loops(made), a, b, _build_equal_pairs(_count_rows(out))[1], 0, out, 0)
    return out


def _count_rows(out: Any) -> int:
    return int(out.shape[out.ndim - 1])


def _run_on_cpu(made: Loops, a: Any, b: Any, out: Any) -> Any:
    from ougi._check import frozen

    count = _count_rows(out)
    a, b = (frozen(each) if isinstance(each, np.ndarray) else each for each in (a, b))
    made.listed(a, b, _build_equal_pairs(count)[0], 0, out, 0, count)
    return out


def _compute_band(*columns: Floats) -> Floats:
    """Of each case, from the largest number in its records."""
    largest: Floats = np.max([np.abs(c).max(axis=0) for c in columns], axis=0)
    return _BAND * largest


def _compare_tests(kernel: str, seed: int, first: int, count: int) -> Tally:
    """Compare intersections."""
    from ougi.cuda.driver import empty, launch, to_numpy
    from ougi_lab.scenes.device import draw_columns, pack_flags

    made = pair_loops("intersects", kernel)
    a, b = (draw_columns(each, k, seed, first, count, *_NARROW) for k, each in enumerate(kernel.split("_")))
    bits = empty((-(-count // 8),), np.uint8)
    launch(pack_flags, len(bits), _run_on_gpu(made, a, b, empty((count,), np.bool_)), bits)
    x, y = _fetch(a), _fetch(b)
    ours = np.packbits(_run_on_cpu(made, x, y, np.empty(count, np.bool_)))
    tally = Tally(cases=count, counts={"bits that differ": 0})
    unlike = np.unpackbits(ours ^ to_numpy(bits))[:count].astype(np.bool_)
    if unlike.any():
        index = np.flatnonzero(unlike)
        x, y = (np.ascontiguousarray(c[:, index]) for c in (x, y))
        error = _measure_margin(kernel, x, y) / _compute_band(x, y)
        _judge_differences(tally, "intersects", error, index, x, y)
    return tally


def _measure_margin(kernel: str, a: Floats, b: Floats) -> Floats:
    """How far from touching: the distance, or for fans without one, the growth that changes the answer."""
    count = a.shape[1]
    if any(row.kernel == kernel for row in TABLES["separation"]):
        rows = np.empty((7 if kernel_is_flat(kernel) else 10, count))
        return np.abs(_run_on_cpu(pair_loops("separation", kernel), a, b, rows)[0])  # type: ignore[no-any-return]
    made = pair_loops("intersects", kernel)
    hit = _run_on_cpu(made, a, b, np.empty(count, np.bool_))
    found = np.full(count, np.inf)
    for share in (16.0, 4.0, 1.0, 0.25):
        for sign in (-1.0, 1.0):
            changed = _grow_first(kernel, a, sign * share * _compute_band(a, b))
            flips = _run_on_cpu(made, changed, b, np.empty(count, np.bool_)) != hit
            found[flips] = (share * _compute_band(a, b))[flips]
    return found


def kernel_is_flat(kernel: str) -> bool:
    """Is this a kernel of the plane?"""
    a = kernel.split("_")[0]
    return a in ("circle", "rectangle") or a.endswith("2d")


def _grow_first(kernel: str, a: Floats, by: Floats) -> Floats:
    """The first body of a pair grown or shrunk on all sides that are lengths, or moved if it has none."""
    out = a.copy()
    layout = kernel.split("_")[0]
    if layout.startswith("sector"):
        row = 12 if layout == "sector3d" else 4
        wide = np.arctan2(out[row + 1], out[row]) + by / np.maximum(out[row + 3], 1e-3)
        out[row], out[row + 1] = np.cos(np.clip(wide, 0, np.pi)), np.sin(np.clip(wide, 0, np.pi))
        out[row + 2] = np.maximum(out[row + 2] - by, 0)
        out[row + 3 :] = np.maximum(out[row + 3 :] + by, 0)
    elif layout.startswith("aabb"):
        d = len(out) // 2
        out[:d], out[d:] = out[:d] - by, out[d:] + by
    else:
        out[-1] = np.maximum(out[-1] + by, 0)  # radius
    return out


def _compare_distances(kernel: str, seed: int, first: int, count: int) -> Tally:
    """Compare distances."""
    from ougi.cuda.driver import empty, to_numpy
    from ougi_lab.scenes.device import draw_columns

    made = pair_loops("distance", kernel)
    a, b = (draw_columns(each, k, seed, first, count, *_NARROW) for k, each in enumerate(kernel.split("_")))
    theirs = to_numpy(_run_on_gpu(made, a, b, empty((count,), np.float64)))
    x, y = _fetch(a), _fetch(b)
    ours = _run_on_cpu(made, x, y, np.empty(count))
    tally = Tally(cases=count, counts={"bits that differ": 0})
    index = np.flatnonzero(ours.view(np.int64) != theirs.view(np.int64))
    if len(index):
        x, y = x[:, index], y[:, index]
        _judge_differences(tally, "distance", np.abs(ours - theirs)[index] / _compute_band(x, y), index, x, y)
    return tally


def _compare_contacts(question: str, kernel: str, seed: int, first: int, count: int) -> Tally:
    """Compare first contacts."""
    from ougi.cuda.driver import empty, to_device, to_numpy
    from ougi_lab.scenes.device import draw_columns

    two = question == "moving"
    made = (loops_of_two_movers if two else loops_of_one_mover)(kernel)
    bodies = [draw_columns(each, k, seed, first, count, *_MOVING) for k, each in enumerate(kernel.split("_"))]
    screws = [draw_columns("screw3d", 2 + k, seed, first, count, *_MOVING) for k in range(1 + two)]
    index = np.arange(count)
    there = to_device(index)
    rest = (max(_TOL, FINEST_TOL), 0.0, 1.0)
    a, b = (bodies[0], screws[0], there, there, *rest), bodies[1]
    if two:
        b = (bodies[1], screws[1], there, there, *rest)
    theirs = to_numpy(_run_on_gpu(made, a, b, empty((8, count), np.float64)))
    host = [_fetch(c) for c in (*bodies, *screws)]
    ours = _find_first_contacts(made, host)
    same = (ours[:2].view(np.int64) == theirs[:2].view(np.int64)).all(axis=0)
    tally = Tally(cases=count, counts={"bits that differ": 0, "hits": int((ours[0] == 1).sum())})
    if not same.all():
        where = np.flatnonzero(~same)
        subset = [np.ascontiguousarray(c[:, where]) for c in host]
        decided = (ours[0] != 3)[where] & (theirs[0] != 3)[where]
        error = np.where(
            decided, _measure_contact_error(kernel, subset, ours[:, where], theirs[:, where]), 0.0
        )
        tally.undecided = int((~decided).sum())
        _judge_differences(tally, "first contact", error, where, *subset[:2])
    return tally


def _compare_searches(method: str, n: int, rng: np.random.Generator) -> Tally:
    """Candidate pairs of odd scenes, and then of large ones, until there were n bodies: equal to the last."""
    import ougi
    from ougi.cuda import PairFinder, put
    from ougi_lab.scenes.volumes import draw_scene

    finder, tally = PairFinder(method), Tally(counts={"scenes": 0, "pairs": 0})
    while tally.cases < n:
        drawn = draw_scene("small" if tally.counts["scenes"] < _ODD else "large", rng)
        second = None if drawn.b is None else put(drawn.b)
        theirs = finder.pairs(put(drawn.a), second, result="numpy")
        ours = ougi.candidate_pairs(drawn.a, drawn.b)
        error = np.array([0.0 if np.array_equal(ours, theirs) else NONFINITE_ERROR])
        case = {"index": tally.counts["scenes"], "a": repr(drawn.a), "b": repr(drawn.b)}
        tally.judge({"pairs": error}, case)
        tally.cases += drawn.count
        tally.add_counts({"scenes": 1, "pairs": len(ours)})
    return tally


def _find_first_contacts(
    made: Loops, columns: list[Floats], margin: float = 0.0, tol: float = _TOL
) -> Floats:
    """Of all cases on the CPU: two bodies, and one motion or two."""
    from ougi._check import frozen

    count = columns[0].shape[1]
    index = frozen(np.arange(count))
    a, b, *screws = (frozen(c) for c in columns)
    movers = [
        (body, screw, index, index, tol, margin, 1.0) for body, screw in zip((a, b), screws, strict=False)
    ]
    second = movers[1] if len(screws) == 2 else b
    return _run_on_cpu(made, movers[0], second, np.empty((8, count)))  # type: ignore[no-any-return]


def _measure_contact_error(kernel: str, columns: list[Floats], ours: Floats, theirs: Floats) -> Floats:
    """Difference in time over what the tolerance allows; 0 to 1 is rounding.

    A contact may be reported wherever the gap is at most tol times the size of everything: between the first
    time at which it is a few times that, and the contact to a finer tolerance. Where the gap never vanishes
    but falls below that, touching or not is rounding. Both come from the CPU's kernels of two motions,
    which know margins for all pairs.
    """
    scale = max(1.0, float(max(np.abs(c).max() for c in columns)))
    rest = np.zeros_like(columns[2])
    rest[5] = 1.0  # turns by nothing about z
    both = columns if len(columns) == 4 else [*columns, rest]
    early = _find_first_contacts(loops_of_two_movers(kernel), both, margin=4 * _TOL * scale)
    late = _find_first_contacts(loops_of_two_movers(kernel), both, tol=FINEST_TOL)
    opens = np.where(early[0] >= 1, early[1], np.nan)
    closes = np.where(late[0] >= 1, late[1], ours[1])
    allowed = np.fmax(closes - opens, 0.0) + 1e-9
    error = np.full(len(ours[0]), np.inf)
    same = ours[0] == theirs[0]
    error[same] = np.nan_to_num(np.abs(ours[1] - theirs[1]) / np.nan_to_num(allowed, nan=1e-9))[same]
    error[~same & ~np.isnan(opens)] = 1.0
    return error


def _judge_differences(tally: Tally, check: str, error: Floats, index: Any, a: Floats, b: Floats) -> None:
    """Count the cases that differ."""
    tally.counts["bits that differ"] = len(index)
    tally.in_band = int((error <= 1.0).sum())
    tally.judge(
        {check: error},
        lambda i: {"index": int(index[i]), "a": a[:, i].tolist(), "b": b[:, i].tolist()},
    )
