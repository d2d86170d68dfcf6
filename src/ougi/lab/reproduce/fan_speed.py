"""FAN sec. 3.3, 3.4: tables 3.2 to 3.6 and box plots 3.10 to 3.14, milliseconds per 100,000 tests.

The thesis times 100,000 tests at a time in C# on a Core i9-10900K, 10,000 times over: its sector, and common
bounding volumes against their own kind (3.2, 3.3); its sector against speculative CCD, the test alone, the
volume alone, both for every ball (3.4-3.6). It gives neither the ranges of the random shapes nor whether a
datum repeats one pair. The ranges below are ours; a datum has 100,000 fresh pairs, or one in full columns.

What differs: our kernels are compiled by Numba and run on this machine, on one thread, so only orderings can
be compared, and no time is binding. The thesis gives the sector in its own frame; ours stands there too, but
the kernel does not know it and transforms. Our exact kernels stand beside the published ones.
"""

from __future__ import annotations

import functools
import gc
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ougi._check import frozen
from ougi._jit import Loops, loops, one_thread
from ougi._typing import Floats
from ougi.errors import InvalidInputError
from ougi.impact import time_of_impact
from ougi.lab.reproduce import charts
from ougi.lab.reproduce.experiment import Figure, Outcome, Table, Verdict
from ougi.lab.reproduce.fan_motions import LEVER, SIZE, turns
from ougi.motion import Rotation3d
from ougi.query._dispatch import pair_loops
from ougi.shapes import (
    Aabb2d,
    Aabb3d,
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    Rectangle,
    Sector2d,
    Sector3d,
    Shape,
    Sphere,
)
from ougi.sweeps import Method, sweep

TESTS = 100_000
SPREAD = 49.5  # centres lie within this of the pivot, on each axis
RADIUS = 12.5  # largest, of balls and capsules

# So many data at least for methods that take much longer than the others.
_SELDOM = 5

Milliseconds: TypeAlias = dict[str, list[float]]
Published: TypeAlias = tuple[float, float, float]  # mean, best, worst
Task: TypeAlias = tuple[str, str, Callable[[], object]]  # table, method, what is timed

TABLE_2D: dict[str, Published] = {
    "circle": (9.26, 3.21, 64.96),
    "capsule": (55.24, 26.13, 238.98),
    "AABB": (5.00, 2.71, 18.00),
    "OBB": (36.42, 11.44, 149.74),
    "sector–circle": (41.03, 4.70, 92.60),
    "sector–rectangle": (294.10, 200.97, 538.34),
    "sector–capsule": (50.54, 15.02, 109.07),
}
TABLE_3D: dict[str, Published] = {
    "sphere": (10.43, 2.88, 66.47),
    "capsule": (48.80, 24.03, 133.68),
    "AABB": (5.91, 2.72, 24.75),
    "OBB": (35.81, 16.00, 104.63),
    "sector–point": (1.71, 1.01, 3.70),
    "sector–sphere": (24.69, 3.64, 81.99),
    "sector–capsule": (90.97, 49.77, 135.87),
}
TABLE_TEST: dict[str, Published] = {"S-CCD": (13.25, 3.77, 48.12), "sector": (112.02, 69.23, 193.11)}
TABLE_BUILD: dict[str, Published] = {"S-CCD": (183.81, 163.19, 286.69), "sector": (22.02, 18.80, 41.47)}
TABLE_BOTH: dict[str, Published] = {"S-CCD": (199.95, 164.40, 276.81), "sector": (119.45, 95.87, 239.62)}


class Pair(NamedTuple):
    """Two kinds of shapes, how they are laid out, and loops by what is written behind the row's name."""

    a: str
    b: str
    layouts: tuple[str, str]
    loops: dict[str, Loops]


class Group(NamedTuple):
    """One table and its box plot."""

    table: str
    figure: str
    title: str
    published: dict[str, Published]
    measured: Milliseconds


def run(
    *,
    data: int = 60,
    tests: int = TESTS,
    one_pair: bool = False,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Time all methods, each once per datum, in turn.

    Parameters
    ----------
    data
        How often every method is timed; 10,000 in the thesis.
    tests
        Tests in a datum.
    one_pair
        A datum repeats one random pair, instead of `tests` fresh ones.
    seed
        Decides the shapes.
    progress
        Called with the data done and all data.
    """
    for name, value in (("data", data), ("tests", tests)):
        if value < 1:
            raise InvalidInputError(f"{name} must be positive, got {value}")
    rng = np.random.default_rng(seed)
    groups = [
        Group("3.2", "3.10", "bounding volumes in the plane", TABLE_2D, {}),
        Group("3.3", "3.11", "bounding volumes in space", TABLE_3D, {}),
        Group("3.4", "3.12", "transform and test, the volume given", TABLE_TEST, {}),
        Group("3.5", "3.13", "building the volume, once per test", TABLE_BUILD, {}),
        Group("3.6", "3.14", "building, transform and test", TABLE_BOTH, {}),
    ]
    with one_thread():
        for datum in range(-1, data):  # the first compiles and is not kept
            seldom = datum < 0 or datum % max(1, data // _SELDOM) == 0
            tasks = _tasks(tests, one_pair, seldom, rng)
            _time(tasks, groups, kept=datum >= 0)
            if progress is not None:
                progress(datum + 1, data)
    return Outcome(
        name="fan-speed",
        title="milliseconds per 100,000 tests, FAN 3.3-3.4",
        parameters={
            "data": data,
            "tests in a datum": tests,
            "pairs": "one, repeated" if one_pair else "all different",
            "centres": f"within {SPREAD} on each axis",
            "radii": f"up to {RADIUS}",
            "edges and lengths": f"up to {SIZE}",
        },
        tables=tuple(_table(group, tests) for group in groups),
        figures=tuple(_figure(group) for group in groups),
        verdicts=_verdicts(groups),
        notes=(
            "The thesis's times are those of C# on a Core i9-10900K, ours of compiled loops on one thread of "
            "the machine named in the report. Only orderings can be compared, and none is binding.",
            "published: the thesis's procedure, its errata repaired; ougi: the exact kernel that users get. "
            "Our sector kernels transform into the sector's frame, which tables 3.2 and 3.3 leave out.",
            "as arrays: all volumes by one call of ougi.sweep, in NumPy; built once: what users do; "
            "first contact: time_of_impact, which also says when and where.",
        ),
        numbers={group.table: group.measured for group in groups},
    )


def _time(tasks: Iterator[Task], groups: Sequence[Group], kept: bool) -> None:
    """Run each task once and note its milliseconds with its table."""
    found = {group.table: group.measured for group in groups}
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for table, name, task in tasks:
            begun = time.perf_counter()
            task()
            took = time.perf_counter() - begun
            if kept:
                found[table].setdefault(name, []).append(1e3 * took)
    finally:
        if was_enabled:
            gc.enable()


def _tasks(tests: int, one_pair: bool, seldom: bool, rng: np.random.Generator) -> Iterator[Task]:
    """All that is timed once per datum; shapes are drawn here, between the timings."""
    out = np.empty(tests, np.bool_)
    index = frozen(np.repeat(np.arange(tests)[:, None], 2, axis=1))
    for table, pairs, flat in (("3.2", _pairs_2d(), True), ("3.3", _pairs_3d(), False)):
        drawn = _shapes(1 if one_pair else tests, flat, rng)
        for name, pair in pairs.items():
            a, b = (
                _full(drawn[kind].columns(layout), tests)
                for kind, layout in zip((pair.a, pair.b), pair.layouts, strict=True)
            )
            for suffix, made in pair.loops.items():
                yield table, f"{name}{suffix}", functools.partial(made.listed, a, b, index, 0, out, 0, tests)
    yield from _motion_tasks(tests, seldom, rng)


def _full(columns: Floats, tests: int) -> Floats:
    """Columns of one shape, repeated: the compiler must not know that all are the same."""
    if columns.shape[1] == tests:
        return columns
    return frozen(np.ascontiguousarray(np.repeat(columns, tests, axis=1)))


def _shapes(n: int, flat: bool, rng: np.random.Generator) -> dict[str, Shape]:
    """Two random batches of each kind, named 'circle' and 'circle 2', and sectors in their own frame."""
    found: dict[str, Shape] = {}
    d = 2 if flat else 3
    for suffix in ("", " 2"):
        middle = rng.uniform(-SPREAD, SPREAD, (n, d))
        radius = rng.uniform(0, RADIUS, n)
        half = rng.uniform(0, SIZE / 2, (n, d))
        v = rng.normal(size=(n, d))
        v *= rng.uniform(0, SIZE / 2, (n, 1)) / np.linalg.norm(v, axis=1, keepdims=True)
        if flat:
            found["circle" + suffix] = Circle(middle, radius)
            found["capsule" + suffix] = Capsule2d(middle - v, middle + v, radius)
            found["AABB" + suffix] = Aabb2d(middle - half, middle + half)
            found["OBB" + suffix] = Rectangle(middle, 2 * half, rng.uniform(0, 2 * np.pi, n))
        else:
            q = rng.normal(size=(n, 4))
            found["sphere" + suffix] = Sphere(middle, radius)
            found["capsule" + suffix] = Capsule3d(middle - v, middle + v, radius)
            found["AABB" + suffix] = Aabb3d(middle - half, middle + half)
            found["OBB" + suffix] = Box(middle, 2 * half, q / np.linalg.norm(q, axis=1, keepdims=True))
    lever, along = rng.uniform(*LEVER, n), rng.uniform(0, SIZE, n)
    angle, inner, outer = rng.uniform(0, np.pi, n), lever - along / 2, lever + along / 2
    if flat:
        found["sector"] = Sector2d([0, 0], [1, 0], angle, inner, outer)
    else:
        height = rng.uniform(0, SIZE / 2, n)
        found["sector"] = Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], angle, inner, outer, height)
    return found


@functools.cache
def _published(kernel: str, question: str = "intersects") -> Loops:
    """Loops of a procedure of FAN chapter 2."""
    from ougi.kernels import load
    from ougi.kernels.published import fan

    a, b = (getattr(load, f"load_{layout}") for layout in kernel.replace("_point", "_point3d").split("_"))
    name = f"{question}_{kernel}"
    return loops(f"{name}_fan", getattr(fan, name), a, b, load.store_value)


def _sector_pair(kind: str, kernel: str) -> Pair:
    a, b = kernel.split("_")
    made = {" (published)": _published(kernel), " (ougi)": pair_loops("intersects", kernel)}
    return Pair("sector", kind, (a, b), made)


def _own_kind(kind: str, layout: str) -> Pair:
    kernel = f"{layout}_{layout}"
    return Pair(kind, f"{kind} 2", (layout, layout), {"": pair_loops("intersects", kernel)})


def _pairs_2d() -> dict[str, Pair]:
    return {
        "circle": _own_kind("circle", "circle"),
        "capsule": _own_kind("capsule", "capsule2d"),
        "AABB": _own_kind("AABB", "aabb2d"),
        "OBB": _own_kind("OBB", "rectangle"),
        "sector–circle": _sector_pair("circle", "sector2d_circle"),
        "sector–rectangle": _sector_pair("OBB", "sector2d_rectangle"),
        "sector–capsule": _sector_pair("capsule", "sector2d_capsule2d"),
    }


def _pairs_3d() -> dict[str, Pair]:
    # A point is the centre of a ball: the first rows of its columns.
    inside = {" (published)": _published("sector3d_point", "contains")}
    return {
        "sphere": _own_kind("sphere", "sphere"),
        "capsule": _own_kind("capsule", "capsule3d"),
        "AABB": _own_kind("AABB", "aabb3d"),
        "OBB": _own_kind("OBB", "box"),
        "sector–point": Pair("sector", "sphere", ("sector3d", "sphere"), inside),
        "sector–sphere": _sector_pair("sphere", "sector3d_sphere"),
        "sector–capsule": _sector_pair("capsule", "sector3d_capsule3d"),
    }


# --- tables 3.4 to 3.6 ------------------------------------------------------------------------------------


def turn_columns(box: Box, turn: Rotation3d) -> Floats:
    """Motions as columns of the record `Turn`."""
    arm = box.center - turn.center
    lever = np.linalg.norm(arm, axis=1)
    rows = (turn.center, turn.axis, arm / lever[:, None], lever[:, None], box.size, turn.angle[:, None])
    return frozen(np.ascontiguousarray(np.concatenate(rows, axis=1).T))


@functools.cache
def _build_loops() -> dict[str, Loops]:
    from ougi.kernels import load
    from ougi.kernels.published import build

    names = ("sector_sum", "speculative_sum", "sector_built", "speculative_built")
    return {
        name: loops(f"{name}_fan", getattr(build, name), build.load_turn, load.load_sphere, load.store_value)
        for name in names
    }


def _motion_tasks(tests: int, seldom: bool, rng: np.random.Generator) -> Iterator[Task]:
    """One motion among `tests` balls."""
    box, turn = turns(1, 0.0, rng)
    balls = Sphere(rng.uniform(-SPREAD, SPREAD, (tests, 3)), rng.uniform(0, RADIUS, tests))
    sphere, columns = balls.columns(), turn_columns(box, turn)
    hit, number = np.empty(tests, np.bool_), np.empty(tests)
    # Always motion 0, but by an index: the compiler cannot build the volume once for all.
    index = frozen(np.stack([np.zeros(tests, np.int64), np.arange(tests)], axis=1))

    def test_box() -> None:
        around = sweep(box, turn, "speculative")
        pair_loops("intersects", "sphere_aabb3d").cross(sphere, around.columns(), hit, 0, tests)

    def test_sector(method: Method, made: Loops) -> None:
        made.cross(sweep(box, turn, method).columns(), sphere, hit, 0, tests)

    around, fan = sweep(box, turn, "speculative").columns(), sweep(box, turn, "sector").columns()
    aabb, published = pair_loops("intersects", "sphere_aabb3d"), _published("sector3d_sphere")
    ours = pair_loops("intersects", "sector3d_sphere")
    build = _build_loops()
    yield "3.4", "S-CCD", functools.partial(aabb.cross, sphere, around, hit, 0, tests)
    yield "3.4", "sector (published)", functools.partial(published.cross, fan, sphere, hit, 0, tests)
    yield "3.4", "sector (ougi)", functools.partial(ours.cross, fan, sphere, hit, 0, tests)
    for table, kind, out in (("3.5", "sum", number), ("3.6", "built", hit)):
        for name, volume in (("S-CCD", "speculative"), ("sector (published)", "sector")):
            made = build[f"{volume}_{kind}"].listed
            yield table, name, functools.partial(made, columns, sphere, index, 0, out, 0, tests)
    yield "3.6", "S-CCD, built once", test_box
    yield "3.6", "sector, built once (published)", functools.partial(test_sector, "sector", published)
    yield "3.6", "sector, built once (ougi)", functools.partial(test_sector, "sector", ours)
    enclosing = functools.partial(test_sector, "sector-enclosing", ours)
    yield "3.6", "enclosing sector, built once (ougi)", enclosing
    if seldom:
        yield "3.6", "first contact (ougi, exact)", functools.partial(time_of_impact, box, turn, balls)
        boxes, motions = turns(tests, 0.0, rng)
        methods: dict[str, Method] = {
            "S-CCD": "speculative",
            "sector": "sector",
            "balanced sector": "sector-balanced",
            "enclosing sector": "sector-enclosing",
        }
        for name, method in methods.items():
            yield "3.5", f"{name}, as arrays (ougi)", functools.partial(sweep, boxes, motions, method)


# --- what is shown ----------------------------------------------------------------------------------------


def _summary(milliseconds: Sequence[float]) -> Published:
    return float(np.mean(milliseconds)), min(milliseconds), max(milliseconds)


def _plain(name: str) -> str:
    """The row of the paper that a method of ours stands beside."""
    return name.removesuffix(" (published)")


def _table(group: Group, tests: int) -> Table:
    rows = []
    for name, milliseconds in group.measured.items():
        ours = _summary(milliseconds)
        paper = group.published.get(_plain(name))
        beside = (*paper, paper[0] / ours[0]) if paper else (None,) * 4
        rows.append((name, *beside[:3], *ours, len(milliseconds), beside[3]))
    columns = ("method", "paper mean", "best", "worst", "ours mean", "best", "worst", "data", "paper / ours")
    return Table(f"Table {group.table}: {group.title}, ms per {tests:,}", columns, tuple(rows))


def _figure(group: Group) -> Figure:
    names = list(group.measured)
    longest = max(map(len, group.measured.values()))
    padded = [[*values, *[None] * (longest - len(values))] for values in group.measured.values()]

    def draw(sheet: Any) -> None:
        sheet.set_size_inches(8.0, 1.4 + 0.38 * len(names))
        axes = sheet.add_subplot()
        charts.boxes(axes, group.measured, "time of a datum (ms)")
        rows = [k for k, name in enumerate(names) if _plain(name) in group.published]
        means = [group.published[_plain(names[k])][0] for k in rows]
        style = {"mfc": "none", "mec": "#d73a2d", "ms": 7, "mew": 1.4, "zorder": 5}
        axes.plot(means, rows, "D", label="the thesis's mean (C#, Core i9-10900K)", **style)
        sheet.legend(loc="outside lower center", frameon=False)

    return Figure(
        f"figure-{group.figure.replace('.', '-')}",
        f"Figure {group.figure}: {group.title}; boxes hold half of the data, whiskers all",
        draw,
        ("datum", *names),
        tuple((k, *values) for k, values in enumerate(zip(*padded, strict=True), 1)),
    )


def _verdicts(groups: Sequence[Group]) -> tuple[Verdict, ...]:
    """The orderings that sec. 3.4 states; by medians, which a busy machine disturbs less than means."""
    flat, space, test, build, both = (
        {name: float(np.median(values)) for name, values in group.measured.items()} for group in groups
    )

    def faster(claim: str, ms: dict[str, float], fast: str, slow: Sequence[str]) -> Verdict:
        others = ", ".join(f"{name} {ms[name]:.2f}" for name in slow)
        holds = all(ms[fast] < ms[name] for name in slow)
        return Verdict(claim, holds, f"medians: {fast} {ms[fast]:.2f} ms, {others} ms", binding=False)

    def slowest(claim: str, ms: dict[str, float], slow: str) -> Verdict:
        others = {name: value for name, value in ms.items() if name != slow and "(ougi)" not in name}
        rival = max(others, key=lambda name: others[name])
        detail = f"medians: {slow} {ms[slow]:.2f} ms, then {rival} {others[rival]:.2f} ms"
        return Verdict(claim, ms[slow] > others[rival], detail, binding=False)

    circle, rectangle = "sector–circle (published)", "sector–rectangle (published)"
    point, sphere = "sector–point (published)", "sector–sphere (published)"
    sector = "sector (published)"
    return (
        faster("2-D: sector–circle is faster than capsule–capsule", flat, circle, ["capsule"]),
        slowest("2-D: sector–rectangle is the slowest", flat, rectangle),
        faster("3-D: sector–point is faster than sphere and AABB", space, point, ["sphere", "AABB"]),
        faster("3-D: sector–sphere is faster than OBB and capsule", space, sphere, ["OBB", "capsule"]),
        slowest("3-D: sector–capsule is the slowest", space, "sector–capsule (published)"),
        faster("S-CCD is tested faster than the sector", test, "S-CCD", [sector]),
        faster("the sector is built faster than S-CCD's box", build, sector, ["S-CCD"]),
        faster("built and tested per ball, the sector is faster than S-CCD", both, sector, ["S-CCD"]),
    )
