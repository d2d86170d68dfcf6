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

from ougi._typing import Floats
from ougi.errors import InvalidInputError
from ougi.lab.bouncing import EDGE, RADIUS, SPEED
from ougi.lab.reproduce import sort_published as published
from ougi.lab.reproduce.experiment import Cell, Outcome, Table, Verdict
from ougi.lab.reproduce.sort_figures import figures
from ougi.lab.reproduce.sort_measure import (
    COUNTED,
    FEW,
    FRAMES,
    SCENES,
    TIMED,
    USUAL,
    Found,
    Sizes,
    dense_edge,
    measure,
)
from ougi.lab.reproduce.sort_published import (
    MILLISECONDS,
    NAMES,
    PER_OBJECT,
    REDUCTION,
    SHARE,
    TESTS,
    printed,
)
from ougi.lab.reproduce.sort_worlds import EVEN, ONE_POINT

# Means of many worlds must be as near to the print as this, from 500 balls on; below, chance is larger: the
# thesis's one world may lie so many standard deviations of single worlds off.
TOLERANCE = 0.02
MANY = 500
DEVIATIONS = 3.0

# From so many balls on exponents are fitted at constant density; smaller cubes are all border.
_FITTED = 5_000


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
        ("densest", densest, _FITTED),
    ):
        if value < least:
            raise InvalidInputError(f"{name} must be at least {least}, got {value}")
    found = measure(Sizes(worlds, frames, largest, densest), seed, folder, force, progress)
    return Outcome(
        name="sort",
        title="tests and times of broad phases that sort, SORT 4.4-4.7",
        parameters={
            "edge of the cube": EDGE,
            "radius": RADIUS,
            "velocity per frame": f"within {SPEED} on each axis",
            "worlds": worlds,
            "frames of a count": FRAMES,
            "frames of a time": frames,
            "centers": f"within {EDGE / 2 - RADIUS:g} of the origin on each axis",
        },
        tables=_tables(found, frames),
        figures=figures(found, frames),
        verdicts=(*_counts_verdicts(found), *_time_verdicts(found, frames), *_beyond_verdicts(found)),
        notes=(
            "A test is a pair handed to the test of two balls, each pair once; k is tests / n, so that brute "
            "force has (n - 1) / 2 and a body has 2 k candidates. Means over worlds, ± one standard "
            "deviation of single worlds; the thesis has one world.",
            "x, y, z drops bodies that overlap nobody on x, then on y, and tests the pairs that overlap on "
            "z. It drops bodies, not pairs: from some hundred balls on nobody is dropped, and one axis does "
            "as well. With 10 or 20 balls nearly all are dropped: even fewer tests than on the best axis.",
            "The best axis, to lose nothing, looks at the candidates on both sides of a body and tests every "
            "second one, so it walks over twice as many pairs as it tests.",
            "Times: CPU time of one thread of the machine named in the report, sorting and finding all "
            "contacts included, medians of passes in turn. The thesis's are those of a Pentium 4 at 1.5 GHz, "
            "with a timer of 10 ms. auto is what ougi.candidate_pairs chooses.",
        ),
        numbers=_numbers(found),
    )


def _mean(found: Found, method: str, n: int) -> float:
    return float(found.tests[n][:, COUNTED.index(method)].mean())


def _deviation(found: Found, method: str, n: int) -> float:
    return float(found.tests[n][:, COUNTED.index(method)].std(ddof=1))


def _every(n: int) -> int:
    return n * (n - 1) // 2


def _took(found: Found, method: str, n: int) -> float:
    return float(found.milliseconds[n][TIMED.index(method)])


# --- tables -----------------------------------------------------------------------------------------------


def _tables(found: Found, frames: int) -> tuple[Table, ...]:
    per = f"ms per {frames} frames"
    return (
        _times("Table 1", per, found, ("brute", "origin", "axes", "auto")),
        _tests("Table 2", found, ("brute", "origin", "axes")),
        _shares("Table 3", found, ("origin", "axes")),
        _times("Table 4", per, found, ("axes", "xy", "x")),
        _tests("Table 4, tests (no numbers in the thesis)", found, ("axes", "xy", "x")),
        _times("Table 5", per, found, ("axes", "best-axis")),
        _reduction(found),
        _shares("Table 7", found, ("axes", "best-axis")),
        _readings(found),
        _spread(found),
        _dense(found),
    )


def _times(title: str, per: str, found: Found, methods: Sequence[str]) -> Table:
    shown = [n for n in found.milliseconds if n in (*FEW, *published.N)]
    columns = [f"{NAMES.get(m, m)}, {who}" for m in methods for who in ("thesis", "ours") if _is(m, who)]
    rows: list[tuple[Cell, ...]] = []
    for n in shown:
        cells: list[Cell] = [n]
        for method in methods:
            if _is(method, "thesis"):
                cells.append(printed(MILLISECONDS, method, n))
            cells.append(_took(found, method, n))
        rows.append(tuple(cells))
    return Table(f"{title}: {per}", ("n", *columns), tuple(rows))


def _is(method: str, who: str) -> bool:
    """Does the thesis know the method?"""
    return who == "ours" or method in NAMES


def _tests(title: str, found: Found, methods: Sequence[str]) -> Table:
    columns = ["n"]
    for method in methods:
        columns += [f"{NAMES[method]}, thesis"] * (method in TESTS)
        columns += [f"{NAMES[method]}, ours"] + ["±"] * (method in COUNTED)
    rows: list[tuple[Cell, ...]] = []
    for n in found.tests:
        cells: list[Cell] = [n]
        for method in methods:
            if method in TESTS:
                cells.append(printed(TESTS, method, n))
            if method in COUNTED:
                cells += [round(_mean(found, method, n), 1), round(_deviation(found, method, n), 1)]
            else:
                cells.append(_every(n))
        rows.append(tuple(cells))
    return Table(f"{title}: tests of pairs", tuple(columns), tuple(rows))


def _shares(title: str, found: Found, methods: Sequence[str]) -> Table:
    columns = ["n"]
    for method in methods:
        columns += [f"k {NAMES[method]}, thesis", "ours", "k / n, thesis", "ours"]
    rows: list[tuple[Cell, ...]] = []
    for n in found.tests:
        cells: list[Cell] = [n]
        for method in methods:
            k = _mean(found, method, n) / n
            share = printed(SHARE, method, n)
            cells += [printed(PER_OBJECT, method, n), k, share and f"{share:.3f}", f"{k / n:.3f}"]
        rows.append(tuple(cells))
    note = "Printed at n = 1,000 is k_min = 35.561; table 6 has 35,661 tests, that is 35.661."
    return Table(
        f"{title}: tests per object", tuple(columns), tuple(rows), note if "best-axis" in methods else ""
    )


def _saved(found: Found, n: int) -> float:
    """By how many percent the best axis needs fewer tests than x, y, z."""
    return 100 * (1 - _mean(found, "best-axis", n) / _mean(found, "axes", n))


def _reduction(found: Found) -> Table:
    table = _tests("Table 6", found, ("axes", "best-axis"))
    rows = []
    for n, row in zip(found.tests, table.rows, strict=True):
        saved = REDUCTION[published.N.index(n)] if n in published.N else None
        rows.append((*row, saved, round(_saved(found, n), 1)))
    return Table(table.title, (*table.columns, "saved %, thesis", "ours"), tuple(rows))


def _readings(found: Found) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, counts in found.readings.items():
        tests, lost, contacts = counts.mean(axis=0)
        beside = printed(TESTS, SCENES[name].counterpart, USUAL)
        share = 100 * counts[:, 1].sum() / counts[:, 2].sum()
        rows.append((name, beside, round(tests), lost, contacts, share))
    columns = ("reading", "thesis", "tests", "contacts lost", "of", "%")
    note = (
        f"n = {USUAL:,} unless told. What loses contacts is no method of ougi: as printed, x, y, z drops "
        "bodies that enclose others; looking only forward, bodies that choose different axes can miss each "
        "other."
    )
    title = "Readings of the text: what would the counts be, and what is lost?"
    return Table(title, columns, tuple(rows), note)


def _spread(found: Found) -> Table:
    columns = ("distribution", *(f"{NAMES[m]}" for m in COUNTED))
    rows = tuple(
        (name, *(f"{x:.4f}" for x in tests.mean(axis=0) / USUAL**2)) for name, tests in found.spread.items()
    )
    return Table(f"Other distributions: k / n at n = {USUAL:,}", columns, rows, "Brute force has 0.4995.")


def _dense(found: Found) -> Table:
    columns = ["n", "edge"]
    columns += [f"k {NAMES[m]}" for m in COUNTED] + [f"ms {m}" for m in TIMED]
    rows: list[tuple[Cell, ...]] = []
    for n, tests in found.dense_tests.items():
        took = [None if np.isnan(ms) else float(ms) for ms in found.dense_milliseconds[n]]
        rows.append((n, round(dense_edge(n), 1), *(float(k) for k in tests.mean(axis=0) / n), *took))
    k, ms = exponents(found)
    rows.append(("exponent", None, *(k[m] for m in COUNTED), *(ms.get(m) for m in TIMED)))
    note = f"Exponents of n by least squares on logarithms, n >= {_FITTED:,}. ms: one frame."
    return Table("Constant density: tests per object, times", tuple(columns), tuple(rows), note)


def exponents(found: Found) -> tuple[dict[str, float], dict[str, float]]:
    """How tests per object and times of a frame grow with n at constant density; method -> exponent."""
    fitted = [n for n in found.dense_tests if n >= _FITTED]
    if len(fitted) < 2:  # a small run
        fitted = list(found.dense_tests)
    k = np.array([found.dense_tests[n].mean(axis=0) / n for n in fitted])
    ms = np.array([found.dense_milliseconds[n] for n in fitted])
    whole = {m: column for m, column in zip(TIMED, ms.T, strict=True) if not np.isnan(column).any()}
    return (
        {m: _slope(fitted, column) for m, column in zip(COUNTED, k.T, strict=True)},
        {m: _slope(fitted, column) for m, column in whole.items()},
    )


def _slope(x: Sequence[float], y: Floats) -> float:
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


# --- verdicts ---------------------------------------------------------------------------------------------


def _counts_verdicts(found: Found) -> tuple[Verdict, ...]:
    large = [n for n in found.tests if n >= MANY]
    small = [n for n in found.tests if n in published.N and n < MANY]
    verdicts = []
    for table, method in (("2, 3", "origin"), ("2, 3, 6, 7", "axes"), ("6, 7", "best-axis")):
        off = {n: _mean(found, method, n) / _print(method, n) - 1 for n in large}
        verdicts.append(
            Verdict(
                f"tables {table}: tests of {NAMES[method]}, n >= {MANY}, within {TOLERANCE:.0%}",
                all(abs(x) <= TOLERANCE for x in off.values()),
                ", ".join(f"{n:,}: {x:+.1%}" for n, x in off.items()),
            )
        )
        far = {n: (_print(method, n) - _mean(found, method, n)) / _deviation(found, method, n) for n in small}
        verdicts.append(
            Verdict(
                f"tables {table}: tests of {NAMES[method]}, n < {MANY}, within the spread of single worlds",
                all(abs(x) <= DEVIATIONS for x in far.values()),
                ", ".join(f"{n:,}: {x:+.1f} standard deviations" for n, x in far.items()),
            )
        )
    shares = {m: [_mean(found, m, n) / _every(n) for n in large] for m in ("origin", "axes", "xy", "x")}
    saved = [_saved(found, n) for n in found.tests if n in published.N]
    differ = max(abs(a / b - 1) for m in ("xy", "x") for a, b in zip(shares[m], shares["axes"], strict=True))
    few = {n: [_mean(found, m, n) for m in ("axes", "xy", "x")] for n in FEW if n in found.tests}
    return (
        *verdicts,
        Verdict(
            "the origin's distance needs a sixth of brute force's tests, x, y, z a twelfth, at any n (4.5)",
            all(abs(6 * x - 1) < 0.1 for x in shares["origin"])
            and all(abs(12 * x - 1) < 0.1 for x in shares["axes"]),
            "1 / {:.2f} and 1 / {:.2f}".format(*(1 / np.mean(shares[m]) for m in ("origin", "axes")))
            + f" from {MANY} on",
        ),
        Verdict(
            "x, y, z, x, y and x only need about the same number of tests (4.6)",
            differ <= TOLERANCE,
            f"they differ by {differ:.1%} at most from {MANY} balls on",
        ),
        Verdict(
            "with fewer than 50 bodies, more axes need fewer tests (4.6)",
            all(a < b < c for a, b, c in few.values()),
            "; ".join(f"{n}: x, y, z {a:.1f}, x, y {b:.1f}, x {c:.1f}" for n, (a, b, c) in few.items()),
        ),
        Verdict(
            "the best axis saves tests, the fewer the more bodies there are (4.7)",
            all(a > b > 0 for a, b in pairwise(saved)),
            ", ".join(f"{x:.0f} %" for x in saved),
        ),
    )


def _print(method: str, n: int) -> float:
    value = printed(TESTS, method, n)
    assert value is not None
    return value


def _time_verdicts(found: Found, frames: int) -> tuple[Verdict, ...]:
    ms = {n: dict(zip(TIMED, row.tolist(), strict=True)) for n, row in found.milliseconds.items()}
    curve = [n for n in ms if n % 500 == 0]
    below = [n for n in ms if n < 50]
    fastest = {n: min(("brute", "origin", "axes"), key=lambda m: ms[n][m]) for n in ms}
    share = [ms[n]["origin"] / ms[n]["brute"] for n in curve]
    top = max(curve)
    behind = [n for n in curve if ms[n]["best-axis"] >= ms[n]["axes"]]

    def told(n: int, methods: Sequence[str]) -> str:
        return f"n = {n:,}: " + ", ".join(f"{NAMES[m]} {ms[n][m]:.2f}" for m in methods) + " ms"

    def claim(words: str, holds: bool, detail: str) -> Verdict:
        return Verdict(words, holds, detail, binding=False)

    three = ("brute", "origin", "axes")
    return (
        claim(
            "below 50 bodies brute force is the fastest of the three (4.4)",
            all(fastest[n] == "brute" for n in below),
            "; ".join(told(n, three) for n in below),
        ),
        claim(
            "the origin's distance takes about a fifth of brute force's time, at any n (4.4)",
            all(0.1 <= x <= 0.3 for x in share),
            f"{min(share):.0%} to {max(share):.0%} from {min(curve)} to {top:,} balls",
        ),
        claim(
            "x, y, z is the fastest of the three from 1,000 on (4.4; by its table 1 not yet at 1,000)",
            all(fastest[n] == "axes" for n in curve if n >= USUAL),
            told(USUAL, three),
        ),
        claim(
            "the fewer axes, the faster, at any n (4.6)",
            all(ms[n]["x"] < ms[n]["xy"] < ms[n]["axes"] for n in ms if n >= 50),
            told(top, ("axes", "xy", "x")),
        ),
        claim(
            "the best axis is a little faster than x, y, z (4.7)",
            not behind,
            told(top, ("axes", "best-axis")) + f"; slower at {len(behind)} of {len(curve)} sizes",
        ),
    )


def _beyond_verdicts(found: Found) -> tuple[Verdict, ...]:
    even = found.spread[EVEN].mean(axis=0)
    worse = [
        name
        for name, tests in found.spread.items()
        if name not in (EVEN, ONE_POINT)
        and any(
            tests.mean(axis=0)[COUNTED.index(m)] > 1.1 * even[COUNTED.index(m)] for m in ("axes", "best-axis")
        )
    ]
    k, ms = exponents(found)
    both = found.readings["best axis by both sides, forward only"]
    forward = found.readings["best axis by those behind, forward only"]
    printed_axes = found.readings["one ball of 20, ten of 1: x, y, z as printed"]
    repaired = [name for name in found.readings if "printed" not in name and "forward" not in name]
    return (
        Verdict(
            "no distribution but all in one place is worse than the even one (4.7; x, y, z and best axis)",
            not worse,
            f"worse by more than 10 %: {', '.join(worse) or 'none'}",
            binding=False,
        ),
        Verdict(
            "at constant density k does not depend on n (chapter 5)",
            all(abs(x) < 0.1 for x in k.values()),
            "k grows as n to the power of " + ", ".join(f"{x:.2f} ({NAMES[m]})" for m, x in k.items()),
            binding=False,
        ),
        Verdict(
            "... it grows as n^(2/3), for one axis shows a slice of a cube of edge n^(1/3) (ours)",
            all(0.5 < x < 0.8 for x in k.values()),
            f"exponents {min(k.values()):.2f} to {max(k.values()):.2f}",
        ),
        Verdict(
            "... while a frame of what ougi chooses by itself grows as n (ours)",
            ms["auto"] < 1.2,
            f"time as n to the power of {ms['auto']:.2f}; x {ms['x']:.2f}, best axis {ms['best-axis']:.2f}",
            binding=False,
        ),
        Verdict(
            "a best axis that looks only forward would do (a reading of 3.3.2)",
            not both[:, 1].any() and not forward[:, 1].any(),
            f"it loses {both[:, 1].sum() / both[:, 2].sum():.1%} of the contacts, "
            f"{forward[:, 1].sum() / forward[:, 2].sum():.1%} if the axis is chosen by those behind",
            binding=False,
        ),
        Verdict(
            "x, y, z finds all contacts as printed (3.3.1)",
            not any(counts[:, 1].any() for name, counts in found.readings.items() if "as printed" in name),
            f"one ball of 20 among ten of 1: {printed_axes[:, 1].sum() / printed_axes[:, 2].sum():.0%} lost",
            binding=False,
        ),
        Verdict(
            "ougi's methods lose none (ours)",
            not any(found.readings[name][:, 1].any() for name in repaired),
            f"{sum(int(found.readings[name][:, 2].sum()) for name in repaired):,} contacts found",
        ),
    )


def _numbers(found: Found) -> dict[str, Any]:
    """What the tables round, for those who want to draw it anew."""

    def summary(table: dict[Any, Any]) -> dict[str, Any]:
        return {
            str(n): {
                m: [float(f"{x:.6g}") for x in (column.mean(), column.std(ddof=1))]
                for m, column in zip(COUNTED, tests.T, strict=True)
            }
            for n, tests in table.items()
        }

    def plain(table: dict[Any, Any]) -> dict[str, Any]:
        return {
            str(n): {m: None if np.isnan(x) else float(f"{x:.4g}") for m, x in zip(TIMED, row, strict=True)}
            for n, row in table.items()
        }

    return {
        "tests (mean, sd)": summary(found.tests),
        "contacts": {str(n): float(contacts.mean()) for n, contacts in found.contacts.items()},
        "ms": plain(found.milliseconds),
        "tests by distribution (mean, sd)": summary(found.spread),
        "tests at constant density (mean, sd)": summary(found.dense_tests),
        "ms at constant density": plain(found.dense_milliseconds),
    }
