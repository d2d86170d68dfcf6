"""SORT chapter 4: tables 1 to 7 and figures 10 to 12, tests and times of broad phases that sort.

The thesis lets 50 to 5,000 balls of radius 2 bounce in a cube of edge 100, counts the tests of pairs (means
of ten frames of one world) and takes the time of 100 frames, in C++ on a Pentium 4. We count in many worlds:
single ones differ by some percent. Conventions that the text leaves open are chosen so that its counts come
out, and what other readings would give is shown. Times are CPU times of compiled loops on one thread; only
their order and shares can be compared.

Beyond the thesis: fewer than 50 balls, other distributions, and its closing conjecture, constant density.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ougi.errors import InvalidInputError
from ougi_lab.reproduce import sort_published as published
from ougi_lab.reproduce.experiment import Cell, Outcome, Table, Verdict
from ougi_lab.reproduce.sort_figures import figures
from ougi_lab.reproduce.sort_measure import (
    COUNTED,
    FEW,
    FRAMES,
    SCENES,
    TIMED,
    USUAL,
    Sizes,
    dense_edge,
    measure,
    numbers_of,
)
from ougi_lab.reproduce.sort_published import (
    MILLISECONDS,
    NAMES,
    PER_OBJECT,
    REDUCTION,
    SHARE,
    TESTS,
    printed,
)
from ougi_lab.reproduce.sort_told import FITTED, Told
from ougi_lab.reproduce.sort_told import told as told_by
from ougi_lab.scenes.bouncing import EDGE, EVEN, ONE_POINT, RADIUS, SPEED

# Means of many worlds must be as near to the print as this, from 500 balls on; below, chance is larger: the
# thesis's one world may lie so many standard deviations of single worlds off.
TOLERANCE = 0.02
MANY = 500
DEVIATIONS = 3.0

FORWARD, BEHIND = "best axis by both sides, forward only", "best axis by those behind, forward only"
ENCLOSING = "one ball of 20, ten of 1: x, y, z as printed"


def run(
    *,
    worlds: int = 100,
    frames: int = 100,
    largest: int = 5_000,
    densest: int = 100_000,
    seed: int = 0,
    folder: Path | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Count and time all methods.

    Parameters
    ----------
    worlds
        Over which counts are averaged; the thesis has one.
    frames
        That are timed, 100 in the thesis.
    largest, densest
        The most balls in the thesis's cube, 1,000 or more, and at constant density, 5,000 or more.
    seed
        Decides the worlds.
    folder
        Keeps finished chunks and takes those that are there.
    force
        Drop chunks of another run.
    progress
        Called with the chunks done and all chunks.
    """
    for name, value, least in (
        ("worlds", worlds, 2),
        ("frames", frames, 1),
        ("largest", largest, USUAL),
        ("densest", densest, FITTED),
    ):
        if value < least:
            raise InvalidInputError(f"{name} must be at least {least}, got {value}")
    sizes = Sizes(worlds, frames, largest, densest)
    return outcome(numbers_of(measure(sizes, seed, folder, force, progress), sizes, seed))


def outcome(numbers: dict[str, Any]) -> Outcome:
    """Tables, figures and verdicts."""
    told = told_by(numbers)
    return Outcome(
        name="sort",
        title="Tests and times of broad phases that sort (SORT 4.4 to 4.7)",
        parameters={
            "edge of the cube": EDGE,
            "radius": RADIUS,
            "velocity per frame": f"within {SPEED} on each axis",
            "worlds": told.worlds,
            "frames of a count": FRAMES,
            "frames of a time": told.frames,
            "centers": f"within {EDGE / 2 - RADIUS:g} of the origin on each axis",
        },
        tables=_tables(told),
        figures=figures(told),
        verdicts=(*_count_verdicts(told), *_time_verdicts(told), *_beyond_verdicts(told)),
        notes=(
            "A test is a pair handed to the test of two balls, each pair once; k is tests / n, so that brute "
            "force has (n - 1) / 2 and a body has 2 k candidates. Means over worlds, ± one standard "
            "deviation of single worlds; the thesis has one world.",
            "x, y, z drops bodies that overlap nobody on x, then on y, and tests the pairs that overlap on "
            "z. It drops bodies, not pairs: from some hundred balls on nobody is dropped, and one axis does "
            "as well. With 10 or 20 balls nearly all are dropped: even fewer tests than on the best axis.",
            "The best axis, to lose nothing, looks at the candidates on both sides of a body and tests every "
            "second one, so it walks over twice as many pairs as it tests.",
            "Times: CPU time of one thread of the machine named below, sorting and finding all contacts "
            "included, medians of passes in turn. The thesis's are those of a Pentium 4 at 1.5 GHz, with a "
            "timer of 10 ms. auto is what ougi.candidate_pairs chooses.",
        ),
        numbers=numbers,
    )


def _every(n: int) -> int:
    return n * (n - 1) // 2


# --- tables -----------------------------------------------------------------------------------------------


def _tables(told: Told) -> tuple[Table, ...]:
    return (
        _times("Table 1", told, ("brute", "origin", "axes", "auto")),
        _tests("Table 2", told, ("brute", "origin", "axes")),
        _shares("Table 3", told, ("origin", "axes")),
        _times("Table 4", told, ("axes", "xy", "x")),
        _tests("Table 4 (no numbers in the thesis)", told, ("axes", "xy", "x")),
        _times("Table 5", told, ("axes", "best-axis")),
        _reduction(told),
        _shares("Table 7", told, ("axes", "best-axis")),
        _readings(told),
        _distributions(told),
        _dense(told),
        _dense_times(told),
    )


def _times(title: str, told: Told, methods: Sequence[str]) -> Table:
    columns = [f"{NAMES.get(m, m)}, {who}" for m in methods for who in ("thesis", "ours") if _has(m, who)]
    rows: list[tuple[Cell, ...]] = []
    for n in told.tests:
        cells: list[Cell] = [n]
        for method in methods:
            if _has(method, "thesis"):
                cells.append(printed(MILLISECONDS, method, n))
            cells.append(told.ms[n][method])
        rows.append(tuple(cells))
    return Table(f"{title}: ms per {told.frames} frames", ("n", *columns), tuple(rows))


def _has(method: str, who: str) -> bool:
    """Has the thesis times of the method?"""
    return who == "ours" or method in MILLISECONDS


def _tests(title: str, told: Told, methods: Sequence[str]) -> Table:
    columns = ["n"]
    for method in methods:
        columns += [f"{NAMES[method]}, thesis"] * (method in TESTS)
        columns += ["ours" if method in TESTS else NAMES[method]] + ["±"] * (method in COUNTED)
    rows: list[tuple[Cell, ...]] = []
    for n in told.tests:
        cells: list[Cell] = [n]
        for method in methods:
            if method in TESTS:
                cells.append(printed(TESTS, method, n))
            if method in COUNTED:
                cells += [_rounded(told.tests[n][method]), _rounded(told.deviations[n][method])]
            else:
                cells.append(_every(n))
        rows.append(tuple(cells))
    return Table(f"{title}: tests of pairs", tuple(columns), tuple(rows))


def _rounded(count: float) -> Cell:
    """A mean of counts, with one digit behind the point where that is much."""
    return round(count) if count >= 100 else f"{count:.1f}"


def _shares(title: str, told: Told, methods: Sequence[str]) -> Table:
    columns = ["n"]
    for method in methods:
        columns += [f"k {NAMES[method]}, thesis", "ours", "k / n, thesis", "ours"]
    rows: list[tuple[Cell, ...]] = []
    for n in told.tests:
        cells: list[Cell] = [n]
        for method in methods:
            k = told.tests[n][method] / n
            share = printed(SHARE, method, n)
            cells += [printed(PER_OBJECT, method, n), k, share and f"{share:.3f}", f"{k / n:.3f}"]
        rows.append(tuple(cells))
    note = "Printed at n = 1,000 is k_min = 35.561; table 6 has 35,661 tests, that is 35.661."
    return Table(
        f"{title}: tests per object", tuple(columns), tuple(rows), note if "best-axis" in methods else ""
    )


def _saved(told: Told, n: int) -> float:
    """By how many percent the best axis needs fewer tests than x, y, z."""
    return 100 * (1 - told.tests[n]["best-axis"] / told.tests[n]["axes"])


def _reduction(told: Told) -> Table:
    table = _tests("Table 6", told, ("axes", "best-axis"))
    rows = []
    for n, row in zip(told.tests, table.rows, strict=True):
        saved = REDUCTION[published.N.index(n)] if n in published.N else None
        rows.append((*row, saved, f"{_saved(told, n):.1f}"))
    return Table(table.title, (*table.columns, "saved %, thesis", "ours"), tuple(rows))


def _readings(told: Told) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, (tests, lost, contacts) in told.readings.items():
        beside = printed(TESTS, SCENES[name].counterpart, USUAL)
        rows.append((name, beside, _rounded(tests), lost, contacts, 100 * lost / contacts))
    columns = ("reading", "thesis", "tests", "contacts lost", "of", "%")
    note = (
        f"n = {USUAL:,} unless told. What loses contacts is no method of ougi: as printed, x, y, z drops "
        "bodies that enclose others; looking only forward, bodies that choose different axes can miss each "
        "other."
    )
    title = "Readings of the text: what would the counts be, and what is lost?"
    return Table(title, columns, tuple(rows), note)


def _distributions(told: Told) -> Table:
    rows = tuple(
        (name, *(f"{tests[m] / USUAL**2:.4f}" for m in COUNTED)) for name, tests in told.distributions.items()
    )
    title = f"Other distributions: k / n at n = {USUAL:,}"
    return Table(title, ("distribution", *(NAMES[m] for m in COUNTED)), rows, "Brute force has 0.4995.")


def _dense(told: Told) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (n, f"{dense_edge(n):.1f}", *(tests[m] / n for m in COUNTED)) for n, tests in told.dense.items()
    ]
    k, _ = told.exponents()
    rows.append(("exponent", None, *(k[m] for m in COUNTED)))
    note = f"Exponents of n by least squares on logarithms, n >= {FITTED:,}."
    columns = ("n", "edge", *(NAMES[m] for m in COUNTED))
    return Table("Constant density: tests per object, k", columns, tuple(rows), note)


def _dense_times(told: Told) -> Table:
    rows: list[tuple[Cell, ...]] = [(n, *(ms.get(m) for m in TIMED)) for n, ms in told.dense_ms.items()]
    _, exponents = told.exponents()
    rows.append(("exponent", *(exponents.get(m) for m in TIMED)))
    columns = ("n", *(NAMES.get(m, m) for m in TIMED))
    return Table("Constant density: ms per frame", columns, tuple(rows))


# --- verdicts ---------------------------------------------------------------------------------------------


def _count_verdicts(told: Told) -> tuple[Verdict, ...]:
    large = [n for n in told.tests if n >= MANY]
    small = [n for n in told.tests if n in published.N and n < MANY]
    verdicts = []
    for table, method in (("2, 3", "origin"), ("2, 3, 6, 7", "axes"), ("6, 7", "best-axis")):
        off = {n: told.tests[n][method] / _print(method, n) - 1 for n in large}
        verdicts.append(
            Verdict(
                f"Tables {table}: tests of {NAMES[method]}, n >= {MANY}, within {TOLERANCE:.0%}",
                all(abs(x) <= TOLERANCE for x in off.values()),
                ", ".join(f"{n:,}: {x:+.1%}" for n, x in off.items()),
            )
        )
        far = {n: (_print(method, n) - told.tests[n][method]) / told.deviations[n][method] for n in small}
        verdicts.append(
            Verdict(
                f"Tables {table}: tests of {NAMES[method]}, n < {MANY}, within the spread of single worlds",
                all(abs(x) <= DEVIATIONS for x in far.values()),
                ", ".join(f"{n:,}: {x:+.1f} standard deviations" for n, x in far.items()),
            )
        )
    shares = {m: [told.tests[n][m] / _every(n) for n in large] for m in ("origin", "axes", "xy", "x")}
    saved = [_saved(told, n) for n in told.tests if n in published.N]
    differ = max(abs(a / b - 1) for m in ("xy", "x") for a, b in zip(shares[m], shares["axes"], strict=True))
    few = {n: [told.tests[n][m] for m in ("axes", "xy", "x")] for n in FEW if n in told.tests}
    sixth, twelfth = (1 / np.mean(shares[m]) for m in ("origin", "axes"))
    return (
        *verdicts,
        Verdict(
            "4.5: the origin's distance needs a sixth of brute force's tests, x, y, z a twelfth, at any n",
            all(abs(6 * x - 1) < 0.1 for x in shares["origin"])
            and all(abs(12 * x - 1) < 0.1 for x in shares["axes"]),
            f"1 / {sixth:.2f} and 1 / {twelfth:.2f} from {MANY} on",
        ),
        Verdict(
            "4.6: x, y, z, x, y and x alone need about the same number of tests",
            differ <= TOLERANCE,
            f"they differ by {differ:.1%} at most from {MANY} balls on",
        ),
        Verdict(
            "4.6: with fewer than 50 bodies, more axes need fewer tests",
            all(a < b < c for a, b, c in few.values()),
            "; ".join(f"{n}: x, y, z {a:.1f}, x, y {b:.1f}, x {c:.1f}" for n, (a, b, c) in few.items()),
        ),
        Verdict(
            "4.7: the best axis saves tests, the less the more bodies there are",
            all(a > b > 0 for a, b in pairwise(saved)),
            ", ".join(f"{x:.0f} %" for x in saved),
        ),
    )


def _print(method: str, n: int) -> float:
    value = printed(TESTS, method, n)
    assert value is not None
    return value


def _time_verdicts(told: Told) -> tuple[Verdict, ...]:
    ms = told.ms
    curve = [n for n in ms if n % 500 == 0]
    below = [n for n in ms if n < 50]
    fastest = {n: min(("brute", "origin", "axes"), key=lambda m: ms[n][m]) for n in ms}
    share = [ms[n]["origin"] / ms[n]["brute"] for n in curve]
    top = max(curve)
    behind = [n for n in curve if ms[n]["best-axis"] >= ms[n]["axes"]]

    def claim(words: str, holds: bool, detail: str) -> Verdict:
        return Verdict(words, holds, detail, binding=False)

    def times(n: int, methods: Sequence[str]) -> str:
        return f"n = {n:,}: " + ", ".join(f"{NAMES[m]} {ms[n][m]:.2f}" for m in methods) + " ms"

    three = ("brute", "origin", "axes")
    return (
        claim(
            "4.4: below 50 bodies brute force is the fastest of the three",
            all(fastest[n] == "brute" for n in below),
            "; ".join(times(n, three) for n in below),
        ),
        claim(
            "4.4: the origin's distance takes about a fifth of brute force's time, at any n",
            all(0.1 <= x <= 0.3 for x in share),
            f"{min(share):.0%} to {max(share):.0%} from {min(curve)} to {top:,} balls",
        ),
        claim(
            "4.4: x, y, z is the fastest of the three from 1,000 on (by its own table 1 not yet at 1,000)",
            all(fastest[n] == "axes" for n in curve if n >= USUAL),
            times(USUAL, three),
        ),
        claim(
            "4.6: the fewer axes, the faster, at any n",
            all(ms[n]["x"] < ms[n]["xy"] < ms[n]["axes"] for n in ms if n >= 50),
            times(top, ("axes", "xy", "x")),
        ),
        claim(
            "4.7: the best axis is a little faster than x, y, z",
            not behind,
            times(top, ("axes", "best-axis")) + f"; slower at {len(behind)} of {len(curve)} sizes",
        ),
    )


def _beyond_verdicts(told: Told) -> tuple[Verdict, ...]:
    even = told.distributions[EVEN]
    worse = [
        name
        for name, tests in told.distributions.items()
        if name not in (EVEN, ONE_POINT) and any(tests[m] > 1.1 * even[m] for m in ("axes", "best-axis"))
    ]
    k, ms = told.exponents()
    lost = {name: missing / contacts for name, (_, missing, contacts) in told.readings.items()}
    repaired = [name for name in lost if "printed" not in name and "forward" not in name]
    return (
        Verdict(
            "4.7: no distribution but all in one place is worse than the even one (x, y, z and best axis)",
            not worse,
            f"worse by more than 10 %: {'; '.join(worse) or 'none'}",
            binding=False,
        ),
        Verdict(
            "5: at constant density k does not depend on n",
            all(abs(x) < 0.1 for x in k.values()),
            "k grows as n to the power of " + ", ".join(f"{k[m]:.2f} ({NAMES[m]})" for m in COUNTED),
            binding=False,
        ),
        Verdict(
            "It grows as n^(2/3): an axis shows a slice of a cube whose edge grows as n^(1/3) (ours)",
            all(0.5 < x < 0.8 for x in k.values()),
            f"exponents {min(k.values()):.2f} to {max(k.values()):.2f}",
        ),
        Verdict(
            "There a frame of what ougi chooses by itself grows as n (ours)",
            ms["auto"] < 1.2,
            f"time as n to the power of {ms['auto']:.2f}; x {ms['x']:.2f}, best axis {ms['best-axis']:.2f}",
            binding=False,
        ),
        Verdict(
            "3.3.2: a best axis that looks only forward would do (a reading)",
            not lost[FORWARD] and not lost[BEHIND],
            f"it loses {lost[FORWARD]:.1%} of the contacts, {lost[BEHIND]:.1%} if the axis is chosen by the "
            "candidates behind",
            binding=False,
        ),
        Verdict(
            "3.3.1: x, y, z finds all contacts as printed",
            not any(share for name, share in lost.items() if "as printed" in name),
            f"one ball of 20 among ten of 1: {lost[ENCLOSING]:.1%} lost",
            binding=False,
        ),
        Verdict(
            "ougi's methods lose none (ours)",
            not any(lost[name] for name in repaired),
            f"{sum(told.readings[name][2] * told.worlds for name in repaired):,.0f} contacts found",
        ),
    )
