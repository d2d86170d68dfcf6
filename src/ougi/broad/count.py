"""How many pairs SORT's methods leave for the exact test, counted as in its tables 2, 3, 6 and 7."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ougi import _check
from ougi.broad.published import PUBLISHED
from ougi.broad.volumes import build_matching_volumes, build_volumes
from ougi.shapes import ShapeLike


@dataclass(frozen=True)
class PairTests:
    """The pairs that one of SORT's methods tests.

    Attributes
    ----------
    tests
        Pairs that get the exact test, each once (tables 2 and 6).
    touching
        Pairs that touch.
    per_object
        tests / n, the k of tables 3 and 7. Pairs count once, so brute force has (n - 1) / 2, and a body has
        twice as many candidates. For two batches, tests per body of the first.
    share
        tests / all pairs.

    >>> from ougi.broad import PairTests
    >>> PairTests(tests=3, touching=1, per_object=0.75, share=0.5).share
    0.5
    """

    tests: int
    touching: int
    per_object: float
    share: float


def count_tests(a: ShapeLike, b: ShapeLike | None = None, *, method: str) -> PairTests:
    """Count the pairs that a method of SORT leaves for the exact test.

    Parameters
    ----------
    a, b
        As in `candidate_pairs`.
    method
        `brute`, `origin`, `x`, `xy`, `axes` or `best-axis`.

    >>> import ougi
    >>> from ougi.broad import count_tests
    >>> balls = ougi.Sphere([[0, 0, 0], [1, 0, 0], [0, 5, 0], [9, 0, 5]], 1)
    >>> count_tests(balls, method="x")
    PairTests(tests=3, touching=1, per_object=0.75, share=0.5)
    >>> count_tests(balls, method="axes").tests
    1
    """
    _check.require_choice("method", method, PUBLISHED)
    first, second = (build_volumes("a", a), None) if b is None else build_matching_volumes(a, b)
    plan = PUBLISHED[method].plan(first, second)
    touching = plan.loop(*plan.arguments, np.empty((0, 2), np.int64))
    tests, n = int(plan.tests[0]), first.count
    every = n * (n - 1) // 2 if second is None else n * second.count
    return PairTests(tests, int(touching), tests / n if n else 0.0, tests / every if every else 0.0)
