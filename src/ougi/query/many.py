"""Pairs of many shapes that touch."""

from __future__ import annotations

from ougi._typing import Ints
from ougi.broad import candidate_pairs
from ougi.broad.workspace import MAX_PAIRS
from ougi.query import intersects
from ougi.query.dispatch import as_operands
from ougi.shapes import ShapeLike


def contact_pairs(
    a: ShapeLike,
    b: ShapeLike | None = None,
    *,
    method: str = "auto",
    sort: bool = True,
    max_pairs: int = MAX_PAIRS,
) -> Ints:
    """Find the pairs that touch: those of `candidate_pairs` for which `intersects` is true.

    Parameters
    ----------
    a
        A batch of shapes or points (n, d); batches of more axes count as flattened.
    b
        Another batch of the same dimension: then pairs of one of each.
    method, sort
        As in `candidate_pairs`.
    max_pairs
        More candidates than this raise an error that names their number.

    Returns
    -------
    (m, 2) indices. Of one batch each pair once, i < j; of two, i counts in a and j in b. Shapes that touch up
    to rounding may be found or not, as in `intersects`.

    Raises
    ------
    UnsupportedPairError
        If `intersects` has no test for these classes.

    >>> import ougi
    >>> rods = ougi.Segment2d([[0, 0], [0, 1], [3, 0]], [[2, 2], [1, 0], [3, 5]])
    >>> ougi.contact_pairs(rods).tolist()
    [[0, 1]]
    >>> ougi.contact_pairs(rods, ougi.Circle([3.5, 1], 0.5)).tolist()
    [[2, 0]]
    """
    first, second = as_operands(a, a if b is None else b)
    candidates = candidate_pairs(
        first, None if b is None else second, method=method, sort=sort, max_pairs=max_pairs
    )
    touching: Ints = candidates[intersects(first, second, pairs=candidates)]
    return touching
