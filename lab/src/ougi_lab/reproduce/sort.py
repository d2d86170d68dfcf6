"""SORT chapter 4: tables 1 to 7 and figures 10 to 12, tests and times of broad phases that sort.

SORT lets 50 to 5,000 balls of radius 2 bounce in a cube of edge 100, counts the tests of pairs (means
of ten frames of one world) and takes the time of 100 frames, in C++ on a Pentium 4. We count in many worlds:
single ones differ by some percent. Conventions that the text leaves open are chosen so that its counts come
out, and what other readings would give is shown. Times are CPU times of compiled loops on one thread; only
their order and shares can be compared.

Beyond SORT: fewer than 50 balls, other distributions, and its closing conjecture, constant density.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ougi.cli.tables import Cell, Table
from ougi.errors import InvalidInputError
from ougi_lab.reproduce import sort_published as published
from ougi_lab.reproduce.experiment import Outcome, evaluate
from ougi_lab.reproduce.sort_claims import CLAIMS
from ougi_lab.reproduce.sort_figures import build_figures
from ougi_lab.reproduce.sort_measure import (
    COUNTED,
    FRAMES,
    SCENES,
    TIMED,
    USUAL,
    SortSizes,
    compute_dense_edge,
    measure,
    summarize,
)
from ougi_lab.reproduce.sort_published import (
    MILLISECONDS,
    NAMES,
    PER_OBJECT,
    REDUCTION,
    SHARE,
    TESTS,
    find_published,
)
from ougi_lab.reproduce.sort_results import FITTED, PUBLISHED_FRAMES, SortResults, count_pairs, parse_results
from ougi_lab.scenes.bouncing import EDGE, RADIUS, SPEED


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
        Number of worlds of a mean; SORT has one.
    frames
        Number of frames that are timed, 100 in SORT.
    largest, densest
        The most balls in SORT's cube, 1,000 or more, and at constant density, 5,000 or more.
    seed
        Decides the worlds.
    folder
        Stores finished chunks and reuses those that are there.
    force
        Drop chunks of another run.
    progress
        Called with the chunks done and all chunks.
    """
    for name, value, minimum in (
        ("worlds", worlds, 2),
        ("frames", frames, 1),
        ("largest", largest, USUAL),
        ("densest", densest, FITTED),
    ):
        if value < minimum:
            raise InvalidInputError(f"{name} must be at least {minimum}, got {value}")
    sizes = SortSizes(worlds, frames, largest, densest)
    return build_outcome(summarize(measure(sizes, seed, folder, force, progress), sizes, seed))


def build_outcome(numbers: dict[str, Any]) -> Outcome:
    """Tables, figures and verdicts."""
    results = parse_results(numbers)
    return Outcome(
        name="sort",
        title="Tests and times of broad phases that sort (SORT 4.4 to 4.7)",
        parameters={
            "edge of the cube": EDGE,
            "radius": RADIUS,
            "velocity per frame": f"within {SPEED} on each axis",
            "worlds": results.worlds,
            "frames of a count": FRAMES,
            "frames of a time": f"{results.frames}, times scaled to {PUBLISHED_FRAMES}",
            "centers": f"within {EDGE / 2 - RADIUS:g} of the origin on each axis",
        },
        tables=_build_tables(results),
        figures=build_figures(results),
        verdicts=evaluate(
            CLAIMS, results, paper="SORT", enough=results.worlds >= 50 and results.frames >= 50
        ),
        notes=(
            "A test is a pair that reaches the test of two balls; each pair counts once. k is tests / n. "
            "So brute force has k = (n - 1) / 2, and a body has 2 k candidates. Numbers are means over "
            "worlds, ± one standard deviation of single worlds. SORT has one world.",
            "`x, y, z` drops bodies that overlap no other on x, then on y, and tests the pairs that "
            "overlap on z. It drops bodies, not pairs. From some hundred balls on none is dropped, so one "
            "axis does as well. With 10 or 20 balls nearly all are dropped, so there are even fewer tests "
            "than on the best axis.",
            "In order to lose nothing, the best axis visits the candidates on both sides of a body and "
            "tests every second one. So it visits twice as many pairs as it tests.",
            "Balls bounce off the walls and pass through each other, as in SORT, which changes velocities "
            "at the walls only.",
            "Times are CPU times of one thread of the machine named below, with sorting and finding all "
            "contacts. They are medians; methods take turns. SORT's times are those of a Pentium 4 at 1.5 "
            "GHz, with a timer of 10 ms. `brute` tests pair by pair, as SORT does, and so do the methods "
            "that sort. `vectorized` is the brute force of `ougi.candidate_pairs`, which tests 64 balls at "
            "once. `auto` is what `ougi.candidate_pairs` chooses.",
        ),
        numbers=numbers,
    )


# --- tables -----------------------------------------------------------------------------------------------


def _build_tables(results: SortResults) -> tuple[Table, ...]:
    return (
        _build_times_table("Table 1", results, ("brute", "origin", "axes", "auto", "vectorized")),
        _build_tests_table("Table 2", results, ("brute", "origin", "axes")),
        _build_shares_table("Table 3", results, ("origin", "axes")),
        _build_times_table("Table 4", results, ("axes", "xy", "x")),
        _build_tests_table("Table 4 (no numbers in SORT)", results, ("axes", "xy", "x")),
        _build_times_table("Table 5", results, ("axes", "best-axis")),
        _build_reduction_table(results),
        _build_shares_table("Table 7", results, ("axes", "best-axis")),
        _build_readings_table(results),
        _build_distributions_table(results),
        _build_dense_table(results),
        _build_dense_times_table(results),
    )


def _build_times_table(title: str, results: SortResults, methods: Sequence[str]) -> Table:
    columns = [
        f"{NAMES.get(m, m)}, {source}"
        for m in methods
        for source in ("SORT", "ours")
        if _has_times(m, source)
    ]
    rows: list[tuple[Cell, ...]] = []
    for n in results.tests:
        cells: list[Cell] = [n]
        for method in methods:
            if _has_times(method, "SORT"):
                cells.append(find_published(MILLISECONDS, method, n))
            cells.append(results.ms[n][method])
        rows.append(tuple(cells))
    return Table(f"{title}: ms per {PUBLISHED_FRAMES} frames", ("n", *columns), tuple(rows))


def _has_times(method: str, source: str) -> bool:
    """Return whether there are times of the method."""
    return source == "ours" or method in MILLISECONDS


def _build_tests_table(title: str, results: SortResults, methods: Sequence[str]) -> Table:
    columns = ["n"]
    for method in methods:
        columns += [f"{NAMES[method]}, SORT"] * (method in TESTS)
        columns += ["ours" if method in TESTS else NAMES[method]] + ["±"] * (method in COUNTED)
    rows: list[tuple[Cell, ...]] = []
    for n in results.tests:
        cells: list[Cell] = [n]
        for method in methods:
            if method in TESTS:
                cells.append(find_published(TESTS, method, n))
            if method in COUNTED:
                cells += [_round_mean(results.tests[n][method]), _round_mean(results.deviations[n][method])]
            else:
                cells.append(count_pairs(n))
        rows.append(tuple(cells))
    return Table(f"{title}: tests of pairs", tuple(columns), tuple(rows))


def _round_mean(count: float) -> Cell:
    """A mean of counts, with one digit behind the point where that is much."""
    return round(count) if count >= 100 else f"{count:.1f}"


def _build_shares_table(title: str, results: SortResults, methods: Sequence[str]) -> Table:
    columns = ["n"]
    for method in methods:
        columns += [f"k {NAMES[method]}, SORT", "ours", "k / n, SORT", "ours"]
    rows: list[tuple[Cell, ...]] = []
    for n in results.tests:
        cells: list[Cell] = [n]
        for method in methods:
            k = results.tests[n][method] / n
            share = find_published(SHARE, method, n)
            cells += [find_published(PER_OBJECT, method, n), k, share and f"{share:.3f}", f"{k / n:.3f}"]
        rows.append(tuple(cells))
    note = (
        "SORT prints k_min = 35.561 at n = 1,000, but 35,661 tests in table 6, which are 35.661 per object."
    )
    notes = (note,) if "best-axis" in methods else ()
    return Table(f"{title}: tests per object", tuple(columns), tuple(rows), notes)


def _build_reduction_table(results: SortResults) -> Table:
    table = _build_tests_table("Table 6", results, ("axes", "best-axis"))
    rows = []
    for n, row in zip(results.tests, table.rows, strict=True):
        saved = REDUCTION[published.N.index(n)] if n in published.N else None
        rows.append((*row, saved, f"{results.find_percent_saved(n):.1f}"))
    return Table(table.title, (*table.headings, "saved %, SORT", "ours"), tuple(rows))


def _build_readings_table(results: SortResults) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, (tests, lost, contacts) in results.readings.items():
        beside = find_published(TESTS, SCENES[name].counterpart, USUAL)
        rows.append((name, beside, _round_mean(tests), lost, contacts, 100 * lost / contacts))
    columns = ("reading", "SORT", "tests", "contacts lost", "of", "%")
    note = (
        f"n = {USUAL:,} unless stated otherwise. ougi has no method that loses contacts. As printed, x, y, z "
        "drops bodies that enclose others. If only pairs ahead are tested, bodies that choose different axes "
        "can miss each other."
    )
    title = "Readings of the text: their counts, and the contacts that they lose"
    return Table(title, columns, tuple(rows), (note,))


def _build_distributions_table(results: SortResults) -> Table:
    rows = tuple(
        (name, *(f"{tests[m] / USUAL**2:.4f}" for m in COUNTED))
        for name, tests in results.distributions.items()
    )
    title = f"Other distributions: k / n at n = {USUAL:,}"
    return Table(title, ("distribution", *(NAMES[m] for m in COUNTED)), rows, ("Brute force has 0.4995.",))


def _build_dense_table(results: SortResults) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (n, f"{compute_dense_edge(n):.1f}", *(tests[m] / n for m in COUNTED))
        for n, tests in results.dense.items()
    ]
    k, _ = results.exponents()
    rows.append(("exponent", None, *(k[m] for m in COUNTED)))
    note = f"Exponents of n by least squares on logarithms, n >= {FITTED:,}."
    columns = ("n", "edge", *(NAMES[m] for m in COUNTED))
    return Table("Constant density: tests per object, k", columns, tuple(rows), (note,))


def _build_dense_times_table(results: SortResults) -> Table:
    rows: list[tuple[Cell, ...]] = [(n, *(ms.get(m) for m in TIMED)) for n, ms in results.dense_ms.items()]
    _, exponents = results.exponents()
    rows.append(("exponent", *(exponents.get(m) for m in TIMED)))
    columns = ("n", *(NAMES.get(m, m) for m in TIMED))
    return Table("Constant density: ms per frame", columns, tuple(rows))
