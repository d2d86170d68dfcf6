"""The numbers that SORT prints: milliseconds per 100 frames, tests of pairs, and tests per object."""

from __future__ import annotations

from collections.abc import Mapping

N = (50, 200, 500, 1000, 3000, 5000)

# A method of ours -> its name in tables; in SORT brute force, distance from the origin, x only.
NAMES = {
    "brute": "brute",
    "origin": "origin",
    "axes": "x, y, z",
    "xy": "x, y",
    "x": "x",
    "best-axis": "best axis",
}

# Tables 1, 4 and 5. Pentium 4, 1.5 GHz, Visual C++; the timer has steps of 10 ms.
MILLISECONDS = {
    "brute": (20, 420, 2_690, 10_690, 96_720, 268_220),
    "origin": (10, 100, 570, 1_990, 17_140, 47_540),
    "axes": (30, 220, 690, 2_440, 12_130, 32_190),
    "xy": (20, 140, 530, 1_640, 11_220, 28_620),
    "x": (10, 90, 440, 1_290, 9_640, 27_040),
    "best-axis": (30, 190, 710, 1_870, 11_760, 29_780),
}

# Tables 2 and 6, means of ten frames.
TESTS = {
    "brute": (1_225, 19_900, 124_750, 499_500, 4_498_500, 12_497_500),
    "origin": (214, 3_209, 20_996, 83_700, 752_273, 2_103_731),
    "axes": (86, 1_635, 10_156, 40_382, 365_599, 1_020_451),
    "best-axis": (54, 1_267, 8_605, 35_661, 336_476, 951_047),
}

# Tables 3 and 7: k and k / n. Printed at n = 1,000 is k_min = 35.561, but table 6 has 35,661 tests.
PER_OBJECT = {
    "origin": (4.280, 16.045, 41.992, 83.700, 250.758, 420.746),
    "axes": (1.720, 8.175, 20.312, 40.382, 121.866, 204.090),
    "best-axis": (1.080, 6.335, 17.210, 35.561, 112.159, 190.209),
}
SHARE = {
    "origin": (0.086, 0.080, 0.084, 0.084, 0.084, 0.084),
    "axes": (0.034, 0.041, 0.041, 0.040, 0.041, 0.041),
    "best-axis": (0.022, 0.032, 0.034, 0.036, 0.037, 0.038),
}

# Table 6: by how many percent the best axis needs fewer tests than x, y, z.
REDUCTION = (37, 23, 15, 12, 8, 7)


def find_published(table: Mapping[str, tuple[float, ...]], method: str, n: int) -> float | None:
    """What a table has for a method at n, None if nothing.

    >>> [find_published(SHARE, method, n) for method, n in (("axes", 500), ("axes", 501), ("x", 500))]
    [0.041, None, None]
    """
    return table[method][N.index(n)] if n in N and method in table else None
