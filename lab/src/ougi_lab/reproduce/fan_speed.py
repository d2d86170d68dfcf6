"""FAN sec. 3.3, 3.4: tables 3.2 to 3.6 and box plots 3.10 to 3.14, milliseconds per 100,000 tests.

FAN times 100,000 tests at a time in C# on a Core i9-10900K, 10,000 times over: its sector, and common
bounding volumes against their own kind (3.2, 3.3); its sector against speculative CCD, the test alone, the
volume alone, both for every ball (3.4-3.6). It gives neither the ranges of the random shapes nor whether a
datum repeats one pair. The ranges below are ours; a datum has 100,000 fresh pairs, or one in full columns.

What differs: our kernels are compiled by Numba and run on this machine, on one thread, so only orderings can
be compared, and no time is binding. Times are CPU time, where the system measures it. A datum is timed on its
second pass over the same pairs: all methods find them in the cache alike. Our exact kernels stand beside the
published ones. `fan_speed_tasks` builds what is timed.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ougi._native import one_thread
from ougi.cli.tables import Table
from ougi.errors import InvalidInputError
from ougi_lab.measure import CLOCK
from ougi_lab.reproduce import charts
from ougi_lab.reproduce.experiment import Claim, Figure, Outcome, evaluate
from ougi_lab.reproduce.fan_speed_tasks import RADIUS, SPREAD, Task, iterate_tasks
from ougi_lab.scenes.fan_motions import SIZE

TESTS = 100_000

# Minimum number of data of methods that take much longer than the others.
_MIN_RARE = 20

# Table -> method -> milliseconds of each datum.
Milliseconds: TypeAlias = dict[str, dict[str, list[float]]]
# Table -> method -> median, which a busy machine disturbs less than a mean.
Medians: TypeAlias = dict[str, dict[str, float]]
Published: TypeAlias = tuple[float, float, float]  # mean, best, worst

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


class SpeedTable(NamedTuple):
    """One table and its box plot."""

    table: str
    figure: str
    title: str
    published: dict[str, Published]


GROUPS = (
    SpeedTable("3.2", "3.10", "bounding volumes in the plane", TABLE_2D),
    SpeedTable("3.3", "3.11", "bounding volumes in space", TABLE_3D),
    SpeedTable("3.4", "3.12", "transform and test, the volume given", TABLE_TEST),
    SpeedTable("3.5", "3.13", "building the volume, once per test", TABLE_BUILD),
    SpeedTable("3.6", "3.14", "building, transform and test", TABLE_BOTH),
)


class Spread(NamedTuple):
    """Of the milliseconds of a method: how many, their mean, and what a box plot shows of them."""

    data: int
    mean: float
    best: float
    first: float
    median: float
    third: float
    worst: float


def summarize_times(milliseconds: Sequence[float]) -> Spread:
    """Mean, extremes and quartiles.

    >>> from ougi_lab.reproduce.fan_speed import summarize_times
    >>> summarize_times([4.0, 1.0, 2.0, 3.0, 5.0])
    Spread(data=5, mean=3.0, best=1.0, first=2.0, median=3.0, third=4.0, worst=5.0)
    """
    quartiles = np.quantile(milliseconds, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return Spread(len(milliseconds), *(round(x, 5) for x in (float(np.mean(milliseconds)), *quartiles)))


def run(
    *,
    data: int = 200,
    tests: int = TESTS,
    one_pair: bool = False,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Time all methods, each once per datum, in turn.

    Parameters
    ----------
    data
        How often every method is timed; 10,000 in FAN.
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
    measured: Milliseconds = {group.table: {} for group in GROUPS}
    with one_thread():
        for datum in range(-1, data):  # the first compiles and is not counted
            seldom = datum < 0 or datum % max(1, data // _MIN_RARE) == 0
            _time_tasks(iterate_tasks(tests, one_pair, seldom, rng), measured if datum >= 0 else None)
            if progress is not None:
                progress(datum + 1, data)
    spreads = {
        table: {name: summarize_times(ms) for name, ms in rows.items()} for table, rows in measured.items()
    }
    counts = {"data": data, "tests": tests, "one pair": one_pair}
    return build_outcome({**counts, "clock": CLOCK.name, "milliseconds": spreads}, measured)


def _time_tasks(todo: Iterator[Task], measured: Milliseconds | None) -> None:
    """Run each task twice and note the milliseconds of the second time with its table."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for table, name, task in todo:
            task()
            begun = CLOCK.now()
            task()
            took = CLOCK.now() - begun
            if measured is not None:
                measured[table].setdefault(name, []).append(1e3 * took)
    finally:
        if was_enabled:
            gc.enable()


def build_outcome(numbers: dict[str, Any], measured: Milliseconds | None = None) -> Outcome:
    """Tables, figures and verdicts; the figures' CSV files need every datum."""
    spreads = {
        table: {name: Spread(*values) for name, values in rows.items()}
        for table, rows in numbers["milliseconds"].items()
    }
    medians = {table: {name: s.median for name, s in rows.items()} for table, rows in spreads.items()}
    return Outcome(
        name="fan-speed",
        title="Milliseconds per 100,000 tests (FAN 3.3, 3.4)",
        parameters={
            "data": f"{numbers['data']:,} of each method (FAN: 10,000)",
            "tests in a datum": numbers["tests"],
            "pairs": "one, repeated" if numbers["one pair"] else "all different",
            "clock": numbers["clock"],
            "centres": f"within {SPREAD} on each axis",
            "radii": f"up to {RADIUS}",
            "edges and lengths": f"up to {SIZE}",
        },
        tables=tuple(_build_table(group, spreads[group.table], numbers["tests"]) for group in GROUPS),
        figures=tuple(
            _build_figure(group, spreads[group.table], {} if measured is None else measured[group.table])
            for group in GROUPS
        ),
        verdicts=evaluate(_CLAIMS, medians),
        notes=(
            "FAN's times are those of C# on a Core i9-10900K, ours of compiled loops on one thread of "
            "the machine named beside them. Only orderings can be compared, and none is binding.",
            "published: FAN's procedure, its errata repaired; ougi: our exact kernel. In tables 3.2 "
            "and 3.3 FAN tests in the sector's own frame, without a transform; so does 'published'. "
            "'any frame' transforms, as it must for users; so do tables 3.4 to 3.6.",
            "as arrays: all volumes by one call of ougi.sweep, in NumPy; built once: what users do; "
            "first contact: time_of_impact, which also returns time and place. The last two have fewer data.",
        ),
        numbers=numbers,
    )


def _strip_suffix(name: str) -> str:
    """The row of the paper that a method of ours stands beside."""
    return name.removesuffix(" (published)")


def _build_table(group: SpeedTable, spreads: dict[str, Spread], tests: int) -> Table:
    rows = []
    for name, ours in spreads.items():
        paper = group.published.get(_strip_suffix(name))
        beside = (*paper, paper[0] / ours.mean) if paper else (None,) * 4
        rows.append((name, *beside[:3], ours.mean, ours.best, ours.worst, ours.data, beside[3]))
    columns = ("method", "paper mean", "best", "worst", "ours mean", "best", "worst", "data", "paper / ours")
    return Table(f"Table {group.table}: {group.title}, ms per {tests:,}", columns, tuple(rows))


def _build_figure(group: SpeedTable, spreads: dict[str, Spread], measured: dict[str, list[float]]) -> Figure:
    longest = max(map(len, measured.values()), default=0)
    padded = [[*values, *[None] * (longest - len(values))] for values in measured.values()]

    def draw(sheet: Any) -> None:
        sheet.set_size_inches(8.0, 1.5 + 0.38 * len(spreads))
        axes = sheet.add_subplot()
        boxes = {name: s[2:] for name, s in spreads.items()}
        charts.draw_boxes(axes, boxes, "time of a datum (ms)")
        beside = {
            k: group.published[_strip_suffix(n)]
            for k, n in enumerate(spreads)
            if _strip_suffix(n) in group.published
        }
        charts.draw_ranges(axes, beside, "FAN's mean, best and worst (C#, Core i9-10900K)")
        sheet.legend(loc="outside lower center", frameon=False)

    return Figure(
        f"figure-{group.figure.replace('.', '-')}",
        f"Figure {group.figure}: {group.title}. Boxes hold half of the data, whiskers all",
        draw,
        ("datum", *(f"{name} (ms)" for name in measured)),
        tuple((k, *values) for k, values in enumerate(zip(*padded, strict=True), 1)),
    )


def _claim_faster(text: str, table: str, fast: str, *slow: str) -> Claim[Medians]:
    def measured(ms: Medians) -> str:
        others = ", ".join(f"{name} {ms[table][name]:.2f}" for name in slow)
        return f"medians: {fast} {ms[table][fast]:.2f} ms, {others} ms"

    def test(ms: Medians) -> bool:
        return all(ms[table][fast] < ms[table][name] for name in slow)

    return Claim(text, test, measured, binding=False)


def _claim_slowest(text: str, table: str, slow: str) -> Claim[Medians]:
    def find_rival(ms: Medians) -> tuple[float, str]:
        return max((x, name) for name, x in ms[table].items() if name != slow and "any frame" not in name)

    def measured(ms: Medians) -> str:
        time, rival = find_rival(ms)
        return f"medians: {slow} {ms[table][slow]:.2f} ms, then {rival} {time:.2f} ms"

    return Claim(text, lambda ms: ms[table][slow] > find_rival(ms)[0], measured, binding=False)


_CIRCLE, _RECTANGLE = "sector–circle (published)", "sector–rectangle (published)"
_POINT, _SPHERE = "sector–point (published)", "sector–sphere (published)"
_SECTOR = "sector (published)"
# The orderings that sec. 3.4 states.
_CLAIMS = (
    _claim_faster("2-D: sector–circle is faster than capsule–capsule", "3.2", _CIRCLE, "capsule"),
    _claim_slowest("2-D: sector–rectangle is the slowest", "3.2", _RECTANGLE),
    _claim_faster("3-D: sector–point is faster than sphere and AABB", "3.3", _POINT, "sphere", "AABB"),
    _claim_faster("3-D: sector–sphere is faster than OBB and capsule", "3.3", _SPHERE, "OBB", "capsule"),
    _claim_slowest("3-D: sector–capsule is the slowest", "3.3", "sector–capsule (published)"),
    _claim_faster("S-CCD is tested faster than the sector", "3.4", "S-CCD", _SECTOR),
    _claim_faster("the sector is built faster than S-CCD's box", "3.5", _SECTOR, "S-CCD"),
    _claim_faster("built and tested per ball, the sector is faster than S-CCD", "3.6", _SECTOR, "S-CCD"),
)
