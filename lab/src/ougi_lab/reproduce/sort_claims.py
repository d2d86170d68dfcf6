"""The claims of SORT, and ours beside them: numbers of tests, times, and what SORT concludes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ougi_lab.reproduce import sort_published as published
from ougi_lab.reproduce.experiment import Claim
from ougi_lab.reproduce.sort_measure import COUNTED, SMALL_NUMBERS, USUAL
from ougi_lab.reproduce.sort_published import NAMES, TESTS, find_published
from ougi_lab.reproduce.sort_results import SortResults, count_pairs
from ougi_lab.scenes.bouncing import EVEN, ONE_POINT

# From MANY balls on, means of many worlds must be as near to the print as TOLERANCE. Below, chance is larger:
# SORT has one world, which may lie DEVIATIONS standard deviations of single worlds off.
TOLERANCE = 0.02
MANY = 500
DEVIATIONS = 3.0

FORWARD, BEHIND = "best axis by both sides, forward only", "best axis by those behind, forward only"
ENCLOSING = "one ball of 20, ten of 1: x, y, z as printed"


# --- claims: tests ----------------------------------------------------------------------------------------


def _find_published_tests(method: str, n: int) -> float:
    tests = find_published(TESTS, method, n)
    assert tests is not None
    return tests


def _list_large(results: SortResults) -> list[int]:
    return [n for n in results.tests if n >= MANY]


def _compute_differences(results: SortResults, method: str) -> dict[int, float]:
    """n -> by what share the tests differ from the published ones, for many balls."""
    return {n: results.tests[n][method] / _find_published_tests(method, n) - 1 for n in _list_large(results)}


def _compute_deviations(results: SortResults, method: str) -> dict[int, float]:
    """n -> by how many standard deviations of single worlds the published tests differ, for fewer balls."""
    small = [n for n in results.tests if n in published.N and n < MANY]
    return {
        n: (_find_published_tests(method, n) - results.tests[n][method]) / results.deviations[n][method]
        for n in small
    }


def _build_table_claims(tables: str, method: str) -> tuple[Claim[SortResults], ...]:
    """The printed tests of one method."""
    return (
        Claim(
            f"tests of {NAMES[method]}, n >= {MANY}, within {TOLERANCE:.0%}",
            lambda r: all(abs(x) <= TOLERANCE for x in _compute_differences(r, method).values()),
            lambda r: ", ".join(f"{n:,}: {x:+.1%}" for n, x in _compute_differences(r, method).items()),
            section=f"Tables {tables}",
            change="a mistake in our reading of the method; the counts do not depend on the machine",
        ),
        Claim(
            f"tests of {NAMES[method]}, n < {MANY}, within the spread of single worlds",
            lambda r: all(abs(x) <= DEVIATIONS for x in _compute_deviations(r, method).values()),
            lambda r: ", ".join(
                f"{n:,}: {x:+.1f} standard deviations" for n, x in _compute_deviations(r, method).items()
            ),
            section=f"Tables {tables}",
            change="a mistake in our reading of the method; SORT has one world",
        ),
    )


def _compute_tested_shares(results: SortResults, method: str) -> list[float]:
    """Tests over those of brute force."""
    return [results.tests[n][method] / count_pairs(n) for n in _list_large(results)]


def _find_axes_difference(results: SortResults) -> float:
    """By what share fewer axes change the tests of x, y, z, at most."""
    shares = [_compute_tested_shares(results, m) for m in ("axes", "xy", "x")]
    return max(abs(a / b - 1) for fewer in shares[1:] for a, b in zip(fewer, shares[0], strict=True))


def _find_small_tests(results: SortResults) -> dict[int, list[float]]:
    """n -> tests by x, y, z, by x, y and by x."""
    return {
        n: [results.tests[n][m] for m in ("axes", "xy", "x")] for n in SMALL_NUMBERS if n in results.tests
    }


def _list_saved(results: SortResults) -> list[float]:
    return [results.find_percent_saved(n) for n in results.tests if n in published.N]


_TEST_CLAIMS: tuple[Claim[SortResults], ...] = (
    *_build_table_claims("2, 3", "origin"),
    *_build_table_claims("2, 3, 6, 7", "axes"),
    *_build_table_claims("6, 7", "best-axis"),
    Claim(
        f"the origin's distance needs a sixth of brute force's tests, x, y, z a twelfth, from {MANY} on",
        lambda r: (
            all(abs(6 * x - 1) < 0.1 for x in _compute_tested_shares(r, "origin"))
            and all(abs(12 * x - 1) < 0.1 for x in _compute_tested_shares(r, "axes"))
        ),
        lambda r: (
            f"1 / {1 / np.mean(_compute_tested_shares(r, 'origin')):.2f} and "
            f"1 / {1 / np.mean(_compute_tested_shares(r, 'axes')):.2f} from {MANY} on"
        ),
        section="4.5",
        change="another ratio of radius to cube: both shares are slices of it",
    ),
    Claim(
        "this relation does not change from 50 to 5,000 bodies (ours: by a fifth at most, as in table 2)",
        lambda r: all(
            abs(12 * tests["axes"] / count_pairs(n) - 1) < 0.2
            for n, tests in r.tests.items()
            if n in published.N
        ),
        lambda r: (
            "x, y, z: " + ", ".join(f"1 / {count_pairs(n) / r.tests[n]['axes']:.0f} at {n}" for n in r.tests)
        ),
        section="4.5",
        binding=False,
        change="fewer bodies than SORT had: below 50 many overlap no other on x and are dropped at once",
    ),
    Claim(
        "k is 8.4 % of n for the origin's distance and 4.1 % for x, y, z, at 5,000",
        lambda r: all(
            abs(r.tests[max(r.tests)][m] / max(r.tests) ** 2 - share) < 0.002
            for m, share in (("origin", 0.084), ("axes", 0.041))
        ),
        lambda r: ", ".join(
            f"{NAMES[m]} {r.tests[max(r.tests)][m] / max(r.tests) ** 2:.1%}" for m in ("origin", "axes")
        ),
        section="4.5",
        change="another ratio of radius to cube",
    ),
    Claim(
        "k_min of the best axis is 3.7 % of n, from 1,000 bodies on",
        lambda r: all(abs(r.tests[n]["best-axis"] / n**2 - 0.037) < 0.002 for n in r.tests if n >= 1000),
        lambda r: ", ".join(f"{r.tests[n]['best-axis'] / n**2:.1%} at {n:,}" for n in r.tests if n >= 1000),
        section="4.7",
        change="another ratio of radius to cube",
    ),
    Claim(
        "x, y, z, x, y and x alone need about the same number of tests",
        lambda r: _find_axes_difference(r) <= TOLERANCE,
        lambda r: f"they differ by {_find_axes_difference(r):.1%} at most from {MANY} balls on",
        section="4.6",
        change="bodies on a line or in a plane, which an axis separates",
    ),
    Claim(
        "with fewer than 50 bodies, more axes need fewer tests",
        lambda r: all(a < b < c for a, b, c in _find_small_tests(r).values()),
        lambda r: "; ".join(
            f"{n}: x, y, z {a:.1f}, x, y {b:.1f}, x {c:.1f}" for n, (a, b, c) in _find_small_tests(r).items()
        ),
        section="4.6",
        change="more bodies, because then none is dropped",
    ),
    Claim(
        "the best axis saves tests, the less the more bodies there are",
        lambda r: all(a > b > 0 for a, b in pairwise(_list_saved(r))),
        lambda r: ", ".join(f"{x:.0f} %" for x in _list_saved(r)),
        section="4.7",
        change="a distribution with few bodies on one axis",
    ),
)


# --- claims: times ----------------------------------------------------------------------------------------


_THREE = ("brute", "origin", "axes")


def _list_curve(results: SortResults) -> list[int]:
    """The n of figures 10 to 12."""
    return [n for n in results.ms if n % 500 == 0]


def _find_fastest(results: SortResults, n: int) -> str:
    return min(_THREE, key=lambda m: results.ms[n][m])


def _find_difference(results: SortResults, n: int) -> float:
    """Milliseconds between the fastest and the slowest of the three."""
    times = [results.ms[n][m] for m in _THREE]
    return max(times) - min(times)


def _compute_origin_shares(results: SortResults) -> list[float]:
    return [results.ms[n]["origin"] / results.ms[n]["brute"] for n in _list_curve(results)]


def _list_published(results: SortResults) -> list[int]:
    """The n of SORT's tables that were timed."""
    return [n for n in results.ms if n in published.N]


def _compute_axes_shares(results: SortResults) -> list[float]:
    return [results.ms[n]["axes"] / results.ms[n]["brute"] for n in _list_published(results)]


def _list_slower_best_axis(results: SortResults) -> list[int]:
    return [n for n in _list_curve(results) if results.ms[n]["best-axis"] >= results.ms[n]["axes"]]


def _format_times(results: SortResults, n: int, *methods: str) -> str:
    return f"n = {n:,}: " + ", ".join(f"{NAMES[m]} {results.ms[n][m]:.2f}" for m in methods) + " ms"


_TIME_CLAIMS: tuple[Claim[SortResults], ...] = (
    Claim(
        "below 50 bodies brute force is the fastest of the three",
        lambda r: all(_find_fastest(r, n) == "brute" for n in r.ms if n < 50),
        lambda r: "; ".join(_format_times(r, n, *_THREE) for n in r.ms if n < 50),
        binding=False,
        section="4.4",
        change="a sort that costs less than the tests of 50 bodies",
    ),
    Claim(
        "the origin's distance takes about a fifth of brute force's time, at any n",
        lambda r: all(0.1 <= x <= 0.3 for x in _compute_origin_shares(r)),
        lambda r: (
            f"{min(_compute_origin_shares(r)):.0%} to {max(_compute_origin_shares(r)):.0%} "
            f"from {min(_list_curve(r))} to "
            f"{max(_list_curve(r)):,} balls"
        ),
        binding=False,
        section="4.4",
        change="slower tests of pairs beside the sort",
    ),
    Claim(
        "the origin's distance is the fastest of the three up to about 1,000 bodies (from 50 on)",
        lambda r: all(_find_fastest(r, n) == "origin" for n in r.ms if 50 <= n < USUAL),
        lambda r: "; ".join(f"{NAMES[_find_fastest(r, n)]} at {n:,}" for n in r.ms if 50 <= n < USUAL),
        binding=False,
        section="4.4",
        change="slower tests of pairs, which make brute force slower among few bodies",
    ),
    Claim(
        "below 50 bodies all three differ by a few milliseconds per 100 frames at most",
        lambda r: all(_find_difference(r, n) < 10 for n in r.ms if n < 50),
        lambda r: "; ".join(f"{_find_difference(r, n):.2f} ms at {n}" for n in r.ms if n < 50),
        binding=False,
        section="4.4",
        change="a much slower machine",
    ),
    Claim(
        "x, y, z gains more over brute force the more bodies there are",
        lambda r: all(a > b for a, b in pairwise(_compute_axes_shares(r))),
        lambda r: (
            "share of brute force's time: "
            + ", ".join(
                f"{x:.0%} at {n:,}" for n, x in zip(_list_published(r), _compute_axes_shares(r), strict=True)
            )
        ),
        binding=False,
        section="4.4",
        change="many more bodies, for which the sort no longer counts; then the share is constant",
    ),
    Claim(
        "the origin's distance takes a fifth of brute force's cost",
        lambda r: all(0.15 <= x <= 0.25 for x in _compute_origin_shares(r)),
        lambda r: f"{min(_compute_origin_shares(r)):.0%} to {max(_compute_origin_shares(r)):.0%}",
        binding=False,
        section="5",
        change="slower tests of pairs beside the sort",
    ),
    Claim(
        "x, y, z takes a fifth of brute force's cost at most",
        lambda r: max(_compute_axes_shares(r)) <= 0.2,
        lambda r: f"{min(_compute_axes_shares(r)):.0%} to {max(_compute_axes_shares(r)):.0%} of it",
        binding=False,
        section="5",
        change="slower tests of pairs; by its own table 1 it is 150 % at 50 and 23 % at 1,000",
    ),
    Claim(
        "x, y, z is the fastest of the three from 1,000 on (by its own table 1 not yet at 1,000)",
        lambda r: all(_find_fastest(r, n) == "axes" for n in _list_curve(r) if n >= USUAL),
        lambda r: (
            "; ".join(f"{NAMES[_find_fastest(r, n)]} at {n:,}" for n in _list_curve(r) if n >= USUAL)
            + f"; {_format_times(r, USUAL, *_THREE)}"
        ),
        binding=False,
        section="4.4",
        change="slower sorts",
    ),
    Claim(
        "the fewer axes, the faster, at any n",
        lambda r: all(ms["x"] < ms["xy"] < ms["axes"] for n, ms in r.ms.items() if n >= 50),
        lambda r: _format_times(r, max(_list_curve(r)), "axes", "xy", "x"),
        binding=False,
        section="4.6",
        change="bodies that more axes would drop",
    ),
    Claim(
        "the best axis is a little faster than x, y, z (SORT excepts 500 and 4,500 bodies)",
        lambda r: not _list_slower_best_axis(r),
        lambda r: (
            f"{_format_times(r, max(_list_curve(r)), 'axes', 'best-axis')}; "
            f"slower at {len(_list_slower_best_axis(r))} "
            f"of {len(_list_curve(r))} sizes"
        ),
        binding=False,
        section="4.7",
        change="a method that visits each pair once, but finds all contacts",
    ),
)


# --- claims: beyond the tables ----------------------------------------------------------------------------


def _list_worse_distributions(results: SortResults) -> list[str]:
    even = results.distributions[EVEN]
    return [
        name
        for name, tests in results.distributions.items()
        if name not in (EVEN, ONE_POINT) and any(tests[m] > 1.1 * even[m] for m in ("axes", "best-axis"))
    ]


def _find_lost_share(results: SortResults, name: str) -> float:
    """The share of the contacts that a reading of the text loses."""
    _, lost, contacts = results.readings[name]
    return lost / contacts


def _list_own_readings(results: SortResults) -> list[str]:
    """The readings that are methods of ougi."""
    return [name for name in results.readings if "printed" not in name and "forward" not in name]


_FURTHER_CLAIMS: tuple[Claim[SortResults], ...] = (
    Claim(
        "no distribution but all in one place is worse than the even one (x, y, z and best axis)",
        lambda r: not _list_worse_distributions(r),
        lambda r: f"worse by more than 10 %: {'; '.join(_list_worse_distributions(r)) or 'none'}",
        binding=False,
        section="4.7",
        change="a narrower claim, on distributions without accumulations",
    ),
    Claim(
        "at constant density k does not depend on n",
        lambda r: all(abs(x) < 0.1 for x in r.exponents()[0].values()),
        lambda r: (
            "k grows as n to the power of "
            + ", ".join(f"{r.exponents()[0][m]:.2f} ({NAMES[m]})" for m in COUNTED)
        ),
        binding=False,
        section="5",
        change="a method that separates bodies on all axes at once, as a grid does",
    ),
    Claim(
        "at constant density k grows as n^(2/3): an axis shows a slice of a cube of edge n^(1/3) (ours)",
        lambda r: all(0.5 < x < 0.8 for x in r.exponents()[0].values()),
        lambda r: f"exponents {min(r.exponents()[0].values()):.2f} to {max(r.exponents()[0].values()):.2f}",
    ),
    Claim(
        "at constant density the time of the method that ougi chooses grows as n (ours)",
        lambda r: r.exponents()[1]["auto"] < 1.2,
        lambda r: "time as n to the power of {auto:.2f}; x {x:.2f}, best axis {best-axis:.2f}".format_map(
            r.exponents()[1]
        ),
        binding=False,
    ),
    Claim(
        "a best axis that tests only pairs ahead would suffice (a reading)",
        lambda r: not _find_lost_share(r, FORWARD) and not _find_lost_share(r, BEHIND),
        lambda r: (
            f"it loses {_find_lost_share(r, FORWARD):.1%} of the contacts, "
            f"{_find_lost_share(r, BEHIND):.1%} if the axis is chosen "
            "by the candidates behind"
        ),
        binding=False,
        section="3.3.2",
        change="another rule for which body of a pair tests it",
    ),
    Claim(
        "x, y, z finds all contacts as printed",
        lambda r: not any(_find_lost_share(r, name) for name in r.readings if "as printed" in name),
        lambda r: f"one ball of 20 among ten of 1: {_find_lost_share(r, ENCLOSING):.1%} lost",
        binding=False,
        section="3.3.1",
        change="keeping bodies that enclose both ends of another",
    ),
    Claim(
        "ougi's methods lose none (ours)",
        lambda r: not any(_find_lost_share(r, name) for name in _list_own_readings(r)),
        lambda r: (
            f"{sum(r.readings[name][2] * r.worlds for name in _list_own_readings(r)):,.0f} contacts found"
        ),
    ),
)

CLAIMS = (*_TEST_CLAIMS, *_TIME_CLAIMS, *_FURTHER_CLAIMS)
