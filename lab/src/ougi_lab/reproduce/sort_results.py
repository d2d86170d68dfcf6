"""The results of a run of `sort`, parsed from its numbers in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

# Exponents at constant density are fitted from this number of balls on; smaller cubes are all border.
FITTED = 5_000

# Frames of a time in SORT's tables.
PUBLISHED_FRAMES = 100

# Method -> tests, standard deviations or milliseconds.
Row = Mapping[str, float]


@dataclass(frozen=True)
class SortResults:
    """The numbers of `sort_measure.numbers_of`, with n as a number.

    Attributes
    ----------
    tests, deviations
        n -> means over worlds, and standard deviations of single worlds.
    ms
        n -> milliseconds of 100 frames, however many were timed.
    readings
        Reading -> tests, contacts lost, contacts.
    distributions
        Distribution -> tests.
    dense, dense_ms
        n -> tests and milliseconds of a frame, at constant density.
    """

    worlds: int
    frames: int
    tests: Mapping[int, Row]
    deviations: Mapping[int, Row]
    ms: Mapping[int, Row]
    readings: Mapping[str, tuple[float, float, float]]
    distributions: Mapping[str, Row]
    dense: Mapping[int, Row]
    dense_ms: Mapping[int, Row]

    def find_percent_saved(self, n: int) -> float:
        """By how many percent the best axis needs fewer tests than x, y, z."""
        return 100 * (1 - self.tests[n]["best-axis"] / self.tests[n]["axes"])

    def exponents(self) -> tuple[Row, Row]:
        """How tests per object and times of a frame grow with n at constant density."""
        sizes = [n for n in self.dense if n >= FITTED]
        if len(sizes) < 2:  # a small run
            sizes = list(self.dense)
        methods, timed = self.dense[sizes[0]], set.intersection(*(set(self.dense_ms[n]) for n in sizes))
        return (
            {m: _slope([(n, self.dense[n][m] / n) for n in sizes]) for m in methods},
            {m: _slope([(n, self.dense_ms[n][m]) for n in sizes]) for m in timed},
        )


def count_pairs(n: int) -> int:
    """The tests of brute force."""
    return n * (n - 1) // 2


def _slope(points: list[tuple[float, float]]) -> float:
    """Of the line through logarithms, by least squares."""
    x, y = np.log(points).T
    return float(np.polyfit(x, y, 1)[0])


def parse_results(numbers: Mapping[str, Any]) -> SortResults:
    """From plain numbers, as a run or a file has them."""

    def by_size(name: str) -> dict[int, Row]:
        return {int(n): {m: x for m, x in row.items() if x is not None} for n, row in numbers[name].items()}

    return SortResults(
        numbers["worlds"],
        numbers["frames"],
        by_size("tests"),
        by_size("deviations"),
        {
            n: {m: x * PUBLISHED_FRAMES / numbers["frames"] for m, x in row.items()}
            for n, row in by_size("ms").items()
        },
        {name: (row[0], row[1], row[2]) for name, row in numbers["readings"].items()},
        numbers["distributions"],
        by_size("dense"),
        by_size("dense ms"),
    )
