"""Which of many bodies can touch? Bounding volumes in, index pairs out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeAlias

from ougi import _check
from ougi._typing import Floats, Ints
from ougi.broad.choice import SEARCHES, auto, run_search, tests_all_pairs
from ougi.broad.keys import order_indices, sort_pairs
from ougi.broad.published import PUBLISHED
from ougi.broad.unbounded import run_bounded
from ougi.broad.volumes import Volumes, build_matching_volumes, build_volumes
from ougi.broad.workspace import MAX_PAIRS, Workspace
from ougi.shapes import ShapeLike

# Pairs (i, j) of one batch (i != j, each pair once) or of two, in any order, written into a workspace.
Method: TypeAlias = Callable[[Volumes, Volumes | None, Workspace], Ints]

METHODS: dict[str, Method] = {
    "auto": auto,
    **PUBLISHED,
    **{name: functools.partial(run_search, name) for name in SEARCHES},
}
# Methods that return the lower index of a pair first.
ORDERED = {"auto", "brute", *SEARCHES}


def candidate_pairs(
    a: ShapeLike,
    b: ShapeLike | None = None,
    *,
    method: str = "auto",
    sort: bool = True,
    max_pairs: int = MAX_PAIRS,
) -> Ints:
    """Find the bodies that can touch: pairs whose bounding volumes touch.

    Parameters
    ----------
    a
        A batch of shapes or points (n, d); batches of more axes are flattened. Spheres and circles are
        their own volumes, and the volumes of all other shapes are their `bounds()`.
    b
        Another batch of the same dimension. Then a pair has one body of each batch. Unless both batches are
        balls, boxes are compared.
    method
        `auto` chooses by the number of volumes, their sizes and how dense a sample of them is. `sweep`
        sorts along the best axis, for few volumes of any sizes or volumes along a line. `grid` sorts into
        cells, for equal sizes. `tree` builds a tree of boxes, for mixed sizes and clusters. `brute` tests
        all pairs. `origin`, `x`, `xy`, `axes` and `best-axis` are the methods of SORT, whose tests
        `count_tests` counts. Every method returns the same pairs.
    sort
        Sort the pairs. Unsorted pairs come in any order, but sooner.
    max_pairs
        More pairs than this raise an error that states their number.

    Returns
    -------
    (m, 2) indices. For one batch each pair once, with i < j; for two, i is an index of a and j of b.

    >>> import ougi
    >>> balls = ougi.Sphere([[0, 0, 0], [1.5, 0, 0], [9, 0, 0]], 1)
    >>> ougi.candidate_pairs(balls).tolist()
    [[0, 1]]
    >>> ougi.candidate_pairs(balls, ougi.Box([8, 0, 0], [1, 1, 1])).tolist()
    [[2, 0]]
    """
    run = _find_method(method)
    workspace = Workspace(_check.whole_number("max_pairs", max_pairs))
    first, second = (build_volumes("a", a), None) if b is None else build_matching_volumes(a, b)
    pairs = run_bounded(run, first, second, workspace)
    if second is None and method not in ORDERED:
        order_indices(pairs)
    is_sorted = method == "brute" or (method == "auto" and tests_all_pairs(first, second))
    if sort and not is_sorted:
        sort_pairs(pairs, workspace)
    return pairs


def find_near_boxes(corners: Floats, *, is_bounded: bool) -> Ints:
    """Unsorted candidate pairs of boxes that are laid out (6, n); `is_bounded`: no corner is infinite."""
    boxes, workspace = Volumes(corners, balls=False, flat=False), Workspace()
    return auto(boxes, None, workspace) if is_bounded else run_bounded(auto, boxes, None, workspace)


def _find_method(method: str) -> Method:
    _check.require_choice("method", method, METHODS)
    return METHODS[method]
