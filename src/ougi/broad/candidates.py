"""Which of many bodies can touch? Bounding volumes in, index pairs out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

from ougi import _check
from ougi._typing import Ints
from ougi.broad.choice import SEARCHES, auto, searched
from ougi.broad.keys import lower_first, sort_pairs
from ougi.broad.room import MOST, Room
from ougi.broad.thesis import THESIS
from ougi.broad.volumes import Volumes, alike, volumes

# Pairs (i, j) of one batch (i != j, each pair once) or of two, in any order, written into a room.
Method: TypeAlias = Callable[[Volumes, Volumes | None, Room], Ints]

METHODS: dict[str, Method] = {
    "auto": auto,
    **THESIS,
    **{name: functools.partial(searched, name) for name in SEARCHES},
}
# Those that never give the higher index first.
LOWER_FIRST = {"auto", "brute", *SEARCHES}


def candidate_pairs(
    a: Any, b: Any = None, *, method: str = "auto", sort: bool = True, max_pairs: int = MOST
) -> Ints:
    """Which bodies can touch: pairs whose bounding volumes touch.

    Parameters
    ----------
    a
        A batch of shapes or points (n, d); batches of more axes count as flattened. The volumes of spheres
        and circles are they themselves, those of all others their `bounds()`.
    b
        Another batch of the same dimension: then pairs of one of each. Unless both are balls, boxes are
        compared.
    method
        `auto` chooses by the number of volumes, their sizes and how crowded a sample of them is. `sweep`
        sorts along the best axis: few volumes of any sizes, or all along a line. `grid` sorts into cells:
        equal sizes. `tree` builds a tree of boxes: mixed sizes and clusters. `brute` tests all pairs.
        `origin`, `x`, `xy`, `axes` and `best-axis` are those of SORT, which `count_tests` looks into. Every
        method gives the same pairs.
    sort
        Sort the pairs; without that they come in any order, sooner.
    max_pairs
        More pairs than this are refused, by an error that says how many there are.

    Returns
    -------
    (m, 2) indices. Of one batch each pair once, i < j; of two, i counts in a and j in b.

    >>> import ougi
    >>> balls = ougi.Sphere([[0, 0, 0], [1.5, 0, 0], [9, 0, 0]], 1)
    >>> ougi.candidate_pairs(balls).tolist()
    [[0, 1]]
    >>> ougi.candidate_pairs(balls, ougi.Box([8, 0, 0], [1, 1, 1])).tolist()
    [[2, 0]]
    """
    run = _chosen(method)
    room = Room(_check.whole_number("max_pairs", max_pairs))
    first, second = (volumes("a", a), None) if b is None else alike(a, b)
    pairs = run(first, second, room)
    if second is None and method not in LOWER_FIRST:
        lower_first(pairs)
    if sort:
        sort_pairs(pairs, room)
    return pairs


def _chosen(method: str) -> Method:
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    return METHODS[method]
