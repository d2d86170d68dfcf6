"""FAN sec. 3.3, 3.4: tables 3.2 to 3.6 and box plots 3.10 to 3.14, milliseconds per 100,000 tests.

FAN times 100,000 tests at a time in C# on a Core i9-10900K, 10,000 times over: its sector, and common
bounding volumes against their own kind (3.2, 3.3); its sector against speculative CCD, the test alone, the
volume alone, both for every ball (3.4-3.6). It gives neither the ranges of the random shapes nor whether a
datum repeats one pair. The ranges below are ours; a datum has 100,000 fresh pairs, or one in full columns.

What differs: our kernels are compiled by Numba and run on this machine, on one thread, so only orderings can
be compared, and no time is binding. Times are CPU time, where the system measures it. A datum is timed on its
second pass over the same pairs: all methods find them in the cache alike. Our exact kernels stand beside the
published ones. `fan_speed_tasks` builds what is timed, `fan_speed_measure` times it in chunks. Orderings are
judged from 50 data on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ougi.cli.tables import Table
from ougi.errors import InvalidInputError
from ougi_lab.measure import CLOCK
from ougi_lab.reproduce import charts
from ougi_lab.reproduce.experiment import Claim, Figure, Outcome, evaluate
from ougi_lab.reproduce.fan_speed_measure import TESTS, Milliseconds, measure
from ougi_lab.reproduce.fan_speed_tasks import RADIUS, SPREAD
from ougi_lab.scenes.fan_motions import SIZE

# Data of each method with which orderings are judged.
ENOUGH = 50

# Table -> method -> spread of its times.
Spreads: TypeAlias = dict[str, dict[str, "Spread"]]
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
    folder: Path | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Time all methods, each once per datum, in turn.

    Parameters
    ----------
    data
        How often every method is timed; 10,000 in FAN.
    tests
        Tests in a datum; times are scaled to 100,000.
    one_pair
        A datum repeats one random pair, instead of `tests` fresh ones.
    seed
        Decides the shapes.
    folder
        Stores finished chunks and reuses those that are there.
    force
        Drop chunks of another run.
    progress
        Called with the data done and all data.
    """
    for name, value in (("data", data), ("tests", tests)):
        if value < 1:
            raise InvalidInputError(f"{name} must be positive, got {value}")
    measured = measure(data, tests, one_pair, seed, folder, force, progress)
    spreads = {
        group.table: {name: summarize_times(ms) for name, ms in measured[group.table].items()}
        for group in GROUPS
    }
    counts = {"data": data, "tests": tests, "one pair": one_pair}
    return build_outcome({**counts, "clock": CLOCK.name, "milliseconds": spreads}, measured)


def build_outcome(numbers: dict[str, Any], measured: Milliseconds | None = None) -> Outcome:
    """Tables, figures and verdicts; the figures' CSV files need every datum."""
    spreads = {
        table: {name: Spread(*values) for name, values in rows.items()}
        for table, rows in numbers["milliseconds"].items()
    }
    return Outcome(
        name="fan-speed",
        title="Milliseconds per 100,000 tests (FAN 3.3, 3.4)",
        parameters={
            "data": f"{numbers['data']:,} of each method (FAN: 10,000)",
            "tests in a datum": f"{numbers['tests']:,}, times scaled to {TESTS:,}",
            "pairs": "one, repeated" if numbers["one pair"] else "all different",
            "clock": numbers["clock"],
            "centers": f"within {SPREAD} on each axis",
            "radii": f"up to {RADIUS}",
            "edges and lengths": f"up to {SIZE}",
        },
        tables=tuple(_build_table(group, spreads[group.table]) for group in GROUPS),
        figures=tuple(
            _build_figure(group, spreads[group.table], {} if measured is None else measured[group.table])
            for group in GROUPS
        ),
        verdicts=evaluate(_CLAIMS, spreads, paper="FAN", enough=numbers["data"] >= ENOUGH),
        notes=(
            "FAN's times are those of C# on a Core i9-10900K. Ours are those of compiled loops on one thread "
            "of the machine named below. Only orderings can be compared, and none is binding.",
            "`published` is FAN's procedure with its errata repaired, `ougi` our exact kernel. In tables 3.2 "
            "and 3.3 FAN tests in the frame of the sector, without a transform, and so does `published`. "
            "`any frame` transforms, as users need it, and so do tables 3.4 to 3.6.",
            "`as arrays` builds all volumes by one call of `ougi.sweep`, in NumPy. `built once` is what "
            "users do. `first contact` is `time_of_impact`, which also returns time and place. The last two "
            "have fewer data.",
        ),
        numbers=numbers,
    )


def _strip_suffix(name: str) -> str:
    """The row of the paper that a method of ours stands beside."""
    return name.removesuffix(" (published)")


def _build_table(group: SpeedTable, spreads: dict[str, Spread]) -> Table:
    rows = []
    for name, ours in spreads.items():
        paper = group.published.get(_strip_suffix(name))
        beside = (*paper, paper[0] / ours.mean) if paper else (None,) * 4
        rows.append((name, *beside[:3], ours.mean, ours.best, ours.worst, ours.data, beside[3]))
    columns = ("method", "paper mean", "best", "worst", "ours mean", "best", "worst", "data", "paper / ours")
    return Table(f"Table {group.table}: {group.title}, ms per {TESTS:,}", columns, tuple(rows))


def _build_figure(group: SpeedTable, spreads: dict[str, Spread], measured: dict[str, list[float]]) -> Figure:
    longest = max(map(len, measured.values()), default=0)
    padded = [[*values, *[None] * (longest - len(values))] for values in measured.values()]

    def draw(sheet: Any) -> None:
        sheet.set_size_inches(8.0, 1.5 + 0.38 * len(spreads))
        axes = sheet.add_subplot()
        boxes = {name: s[2:] for name, s in spreads.items()}
        charts.draw_boxes(axes, boxes, f"ms per {TESTS:,} tests")
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


# --- claims -----------------------------------------------------------------------------------------------

_CIRCLE, _RECTANGLE = "sector–circle (published)", "sector–rectangle (published)"
_FLAT_CAPSULE, _CAPSULE = "sector–capsule (published)", "sector–capsule (published)"
_POINT, _SPHERE = "sector–point (published)", "sector–sphere (published)"
_SECTOR = "sector (published)"

_LANGUAGE = "another compiler or processor, because the orderings are of one implementation in C#"
_WORST = "a machine without other work, because one slow moment decides a worst value"

# What a column of FAN's tables is called, and which number of ours stands for it. The median stands for the
# mean, because other work on the machine disturbs it less.
_VALUES = {"mean": "median", "best": "best", "worst": "worst"}


def _claim_order(
    text: str,
    table: str,
    fast: Sequence[str],
    slow: Sequence[str],
    *values: str,
    tables: tuple[str, str] | None = None,
    change: str = _LANGUAGE,
    section: str = "3.4",
) -> Claim[Spreads]:
    """Every method of `fast` is faster than every one of `slow`, in each of the values."""
    of_fast, of_slow = tables or (table, table)
    chosen = values or ("mean",)

    def get(spreads: Spreads, name: str, value: str, of: str) -> float:
        return float(getattr(spreads[of][name], _VALUES[value]))

    def test(spreads: Spreads) -> bool:
        return all(
            get(spreads, a, value, of_fast) < get(spreads, b, value, of_slow)
            for value in chosen
            for a in fast
            for b in slow
        )

    def describe(spreads: Spreads) -> str:
        parts = []
        for value in chosen:
            ours = [f"{_strip_suffix(name)} {get(spreads, name, value, of_fast):.2f}" for name in fast]
            theirs = [f"{_strip_suffix(name)} {get(spreads, name, value, of_slow):.2f}" for name in slow]
            parts.append(f"{_VALUES[value]}: {', '.join(ours)} against {', '.join(theirs)} ms")
        return "; ".join(parts)

    return Claim(text, test, describe, section, binding=False, change=change)


def _list_others(spreads: Spreads, table: str, name: str) -> list[str]:
    return [other for other in spreads[table] if other != name and "any frame" not in other]


def _claim_slowest(text: str, table: str, slow: str, *values: str) -> Claim[Spreads]:
    """A method is slower than all others of its table, in each of the values."""

    def find_rival(spreads: Spreads, value: str) -> tuple[float, str]:
        others = _list_others(spreads, table, slow)
        return max((float(getattr(spreads[table][name], _VALUES[value])), name) for name in others)

    def get(spreads: Spreads, value: str) -> float:
        return float(getattr(spreads[table][slow], _VALUES[value]))

    def describe(spreads: Spreads) -> str:
        found = []
        for value in values:
            rival, name = find_rival(spreads, value)
            found.append(
                f"{_VALUES[value]}: {get(spreads, value):.2f}, then {_strip_suffix(name)} {rival:.2f} ms"
            )
        return "; ".join(found)

    def test(spreads: Spreads) -> bool:
        return all(get(spreads, value) > find_rival(spreads, value)[0] for value in values)

    return Claim(text, test, describe, "3.4", binding=False, change=_LANGUAGE)


def _compute_share(spreads: Spreads, method: str, table: str) -> float:
    """The share of a method's whole time that a part of it takes alone."""
    return spreads[table][method].median / spreads["3.6"][method].median


_EVERY = ("mean", "best", "worst")
# All orderings that sec. 3.4 states, in the order of the text, and the conjecture of 4.3 on building.
_CLAIMS: tuple[Claim[Spreads], ...] = (
    _claim_order(
        "2-D: sector–circle is faster than capsule–capsule, in the mean", "3.2", (_CIRCLE,), ("capsule",)
    ),
    _claim_order(
        "2-D: in its best time sector–circle is faster than capsule and OBB", "3.2", (_CIRCLE,),
        ("capsule", "OBB"), "best",
    ),
    _claim_order(
        "2-D: in its worst time sector–circle is faster than capsule and OBB", "3.2", (_CIRCLE,),
        ("capsule", "OBB"), "worst", change=_WORST,
    ),
    _claim_slowest("2-D: sector–rectangle is by far the slowest, in every value", "3.2", _RECTANGLE, *_EVERY),
    _claim_order(
        "2-D: sector–capsule is rated about as sector–circle: faster than capsule–capsule in the mean", "3.2",
        (_FLAT_CAPSULE,), ("capsule",),
    ),
    _claim_order(
        "2-D: sector–capsule is faster than capsule and OBB in best and worst (its table: 15.02 and 11.44)",
        "3.2", (_FLAT_CAPSULE,), ("capsule", "OBB"), "best", "worst",
    ),
    _claim_order(
        "2-D: sector–capsule is slower than sector–circle in every value", "3.2", (_CIRCLE,),
        (_FLAT_CAPSULE,), *_EVERY,
    ),
    _claim_order(
        "3-D: sector–point is faster than sphere and AABB in the mean", "3.3", (_POINT,), ("sphere", "AABB")
    ),
    _claim_order(
        "3-D: sector–point is faster than sphere and AABB in best and worst", "3.3", (_POINT,),
        ("sphere", "AABB"), "best", "worst", change=_WORST,
    ),
    _claim_order(
        "3-D: sector–sphere is faster than capsule and OBB in every value", "3.3", (_SPHERE,),
        ("capsule", "OBB"), *_EVERY,
    ),
    _claim_slowest("3-D: sector–capsule is slower than any other", "3.3", _CAPSULE, "mean"),
    _claim_order(
        "3-D sector–capsule is not as slow as 2-D sector–rectangle", "3.3", (_CAPSULE,), (_RECTANGLE,),
        *_EVERY, tables=("3.3", "3.2"),
    ),
    Claim(
        "3-D: in the worst time sector–capsule is about as fast as capsule–capsule (within a quarter)",
        lambda s: 0.75 <= s["3.3"][_CAPSULE].worst / s["3.3"]["capsule"].worst <= 1.25,
        lambda s: f"worst: {s['3.3'][_CAPSULE].worst:.2f} against {s['3.3']['capsule'].worst:.2f} ms",
        "3.4", binding=False, change=_WORST,
    ),
    _claim_order(
        "S-CCD is tested much faster than the sector, in every value", "3.4", ("S-CCD",), (_SECTOR,), *_EVERY
    ),
    _claim_order(
        "the sector is built faster than S-CCD's box, in every value", "3.5", (_SECTOR,), ("S-CCD",), *_EVERY
    ),
    _claim_order("built and tested per ball, the sector is faster than S-CCD", "3.6", (_SECTOR,), ("S-CCD",)),
    Claim(
        "most of S-CCD's time is building",
        lambda s: _compute_share(s, "S-CCD", "3.5") > 0.5,
        lambda s: f"building alone takes {_compute_share(s, 'S-CCD', '3.5'):.0%} of the whole",
        "3.4", binding=False, change=_LANGUAGE,
    ),
    Claim(
        "most of the sector's time is transform and test",
        lambda s: _compute_share(s, _SECTOR, "3.4") > 0.5,
        lambda s: f"transform and test alone take {_compute_share(s, _SECTOR, '3.4'):.0%} of the whole",
        "3.4", binding=False,
        change="slower transforms: a compiled one takes a few instructions, a build a cosine",
    ),
    Claim(
        "tests are fast enough for real time, of rectangles among few bodies (ours: 10,000 in 16 ms)",
        lambda s: max(s[t][name].median for t in ("3.2", "3.3") for name in s[t]) / 10 < 16,
        lambda s: "slowest of all: {:.2f} ms per 10,000".format(
            max(s[t][name].median for t in ("3.2", "3.3") for name in s[t]) / 10
        ),
        "3.4", binding=False, change="more tests in a frame",
    ),
    _claim_order(
        "rectangle and capsules could be tested faster by their geometry", "3.2",
        ("sector–rectangle (ougi, any frame)",), ("sector–rectangle (published, any frame)",), section="4.3",
    ),
    _claim_order(
        "a sector that encloses the sweep takes longer to build (by ougi.sweep)", "3.5",
        ("sector, as arrays (ougi)",), ("enclosing sector, as arrays (ougi)",), section="4.3",
        change="a cheaper enclosing sector; ours measures all corners of the box",
    ),
    _claim_order(
        "the sector stays cheaper to build than S-CCD's box for users, by ougi.sweep", "3.5",
        ("sector, as arrays (ougi)",), ("S-CCD, as arrays (ougi)",), section="5",
        change="the implementation: both are memory-bound loops of a few ms per 100,000",
    ),
)  # fmt: skip
