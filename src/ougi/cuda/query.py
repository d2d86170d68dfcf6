"""Queries of two batches on a GPU."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

import numpy as np

from ougi import _check
from ougi._typing import Array, ArrayLike, DeviceArray, Stream
from ougi.cuda._arrays import broadcast_index, broadcast_steps, narrow_pairs, split_closest
from ougi.cuda.batches import DeviceBatch, DeviceOperand, as_device_batch, require_same_device
from ougi.cuda.driver import (
    as_device_array,
    as_stream,
    empty,
    is_device_array,
    launch,
    reshape_array,
    to_device,
    to_numpy,
)
from ougi.cuda.hulls import as_operand
from ougi.cuda.loops import device_loops, run_cross, run_listed
from ougi.cuda.results import DeviceResult
from ougi.query import Closest
from ougi.query.dispatch import find_cross_order, find_pair, pair_loops
from ougi.shapes import Shape

__all__ = ["closest_points", "contains", "distance", "intersects"]

ResultPlace: TypeAlias = Literal["device", "numpy"]
PairsLike: TypeAlias = ArrayLike | DeviceArray | None
QueryResult: TypeAlias = DeviceArray | Array


def intersects(
    a: DeviceArray,
    b: DeviceArray,
    *,
    pairs: PairsLike = None,
    stream: Stream = None,
    result: ResultPlace = "device",
) -> QueryResult:
    """Do the shapes touch? As `ougi.intersects`, on the GPU.

    Parameters
    ----------
    a, b
        Batches on the GPU: of `put` or `from_columns`, or arrays there of points (..., d). Their batch shapes
        broadcast.
    pairs
        (m, 2) integers on the host or, better, on the GPU: test only a[i] against b[j] for each row (i, j).
    stream
        Of Numba, CuPy or PyTorch; the default stream by default. A result on the device is
        complete when the stream is.
    result
        `device` gives an array that CuPy, PyTorch and JAX read by `__cuda_array_interface__`; `numpy` waits
        and gives a NumPy array.

    >>> import ougi, ougi.cuda
    >>> balls = ougi.cuda.put(ougi.Sphere([[0, 0, 0], [2, 0, 0], [9, 0, 0]], 1))
    >>> box = ougi.cuda.put(ougi.Box([1, 0, 0], [1, 1, 1]))
    >>> ougi.cuda.intersects(box, balls, result="numpy").tolist()
    [True, True, False]
    """
    return _run_query(
        "intersects", "intersects", as_device_batch("a", a), as_device_batch("b", b), pairs, stream, result
    )


def contains(
    shape: DeviceOperand,
    points: DeviceOperand,
    *,
    pairs: PairsLike = None,
    stream: Stream = None,
    result: ResultPlace = "device",
) -> QueryResult:
    """Do the points lie in the shapes? As `ougi.contains`, on the GPU.

    Parameters
    ----------
    shape
        A batch on the GPU.
    points
        An array (..., d) on the GPU, or points that were put there.
    pairs, stream, result
        As in `intersects`.

    >>> import numpy as np, ougi, ougi.cuda
    >>> box = ougi.cuda.put(ougi.Box([0, 0, 0], [2, 2, 2]))
    >>> ougi.cuda.contains(box, ougi.cuda.put([[0.5, 0, 0], [3.0, 0, 0]]), result="numpy").tolist()
    [True, False]
    """
    x, y = as_device_batch("shape", shape), as_device_batch("points", points)
    if not y.kind.__name__.startswith("Point"):
        raise TypeError(f"points must be points, got a {y.kind.__name__}; intersects tests two shapes")
    return _run_query("intersects", "contains", x, y, pairs, stream, result)


def distance(
    a: DeviceOperand,
    b: DeviceOperand,
    *,
    pairs: PairsLike = None,
    stream: Stream = None,
    result: ResultPlace = "device",
) -> QueryResult:
    """How far apart are the shapes? As `ougi.distance`, on the GPU.

    Parameters
    ----------
    a, b, pairs, stream, result
        As in `intersects`.

    >>> import ougi, ougi.cuda
    >>> balls = ougi.cuda.put(ougi.Sphere([[3, 0, 0], [0, 5, 0]], 1))
    >>> ougi.cuda.distance(ougi.cuda.put(ougi.Sphere([0, 0, 0], 1)), balls, result="numpy").tolist()
    [1.0, 3.0]
    """
    return _run_query(
        "distance", "distance", as_device_batch("a", a), as_device_batch("b", b), pairs, stream, result
    )


def closest_points(
    a: DeviceOperand,
    b: DeviceOperand,
    *,
    pairs: PairsLike = None,
    stream: Stream = None,
    result: ResultPlace = "device",
) -> DeviceResult[Closest] | Closest:
    """Which points are nearest? As `ougi.closest_points`, on the GPU.

    Parameters
    ----------
    a, b, pairs, stream, result
        As in `intersects`.

    Returns
    -------
    DeviceResult or Closest
        On the device the arrays of an `ougi.Closest`, on the host the class itself.

    >>> import ougi, ougi.cuda
    >>> roof = ougi.cuda.put(ougi.ConvexHull3d([[0, 0, 0], [4, 0, 0], [0, 2, 0], [4, 2, 0], [2, 1, 1]]))
    >>> balls = ougi.cuda.put(ougi.Sphere([[2, 1, 3], [2, 1, -5]], 1))
    >>> near = ougi.cuda.closest_points(roof, balls, result="numpy")
    >>> near.distance.round(9).tolist(), near.point_a.round(9).tolist()
    ([1.0, 4.0], [[2.0, 1.0, 1.0], [2.0, 1.0, 0.0]])
    """
    x, y = as_device_batch("a", a), as_device_batch("b", b)
    on = _check_query(x, y, stream, result)
    found = find_pair("separation", "closest_points", x.kind, y.kind)  # type: ignore[arg-type]
    d: int = x.kind.dimension  # type: ignore[attr-defined]
    rows, shape = _fill_result("separation", "closest_points", x, y, pairs, on, 1 + 3 * d)
    n = int(rows.shape[1])
    flat = {
        "distance": empty((n,), np.float64, on),
        "point_a": empty((n, d), np.float64, on),
        "point_b": empty((n, d), np.float64, on),
    }
    launch(split_closest, n, rows, found.swapped, *flat.values(), stream=on)
    arrays = {name: reshape_array(array, (*shape, *array.shape[1:])) for name, array in flat.items()}
    made = DeviceResult(Closest, **arrays)
    return made if result == "device" else made.to_host(on)


def _check_query(a: DeviceBatch, b: DeviceBatch, stream: Stream, result: ResultPlace) -> Stream:
    """Check what all queries get; the stream as Numba knows it."""
    _check.require_choice("result", result, get_args(ResultPlace))
    require_same_device(("a", a), ("b", b))
    for name, batch in (("a", a), ("b", b)):
        if not issubclass(batch.kind, Shape):
            raise TypeError(f"{name} must be a shape, got a {batch.kind.__name__}")
    return as_stream(stream)


def _run_query(
    question: str,
    verb: str,
    a: DeviceBatch,
    b: DeviceBatch,
    pairs: PairsLike,
    stream: Stream,
    result: ResultPlace,
) -> QueryResult:
    on = _check_query(a, b, stream, result)
    out, shape = _fill_result(question, verb, a, b, pairs, on)
    return to_numpy(out, on).reshape(shape)[()] if result == "numpy" else reshape_array(out, shape)


def _fill_result(
    question: str,
    verb: str,
    a: DeviceBatch,
    b: DeviceBatch,
    pairs: PairsLike,
    stream: Stream,
    rows: int | None = None,
) -> tuple[DeviceArray, tuple[int, ...]]:
    """Compute all results, in a number of rows or in one without an axis, and the shape of the result."""
    lead = () if rows is None else (rows,)
    found = find_pair(question, verb, a.kind, b.kind)  # type: ignore[arg-type]
    made = device_loops(pair_loops(question, found.row.kernel))
    (x, y) = (b, a) if found.swapped else (a, b)
    first, second = found.row.layouts
    columns = as_operand(x.columns(first, stream), first), as_operand(y.columns(second, stream), second)
    dtype = np.bool_ if question == "intersects" else np.float64
    column = int(found.swapped)
    if pairs is not None:
        index = device_pairs(pairs, a.count, b.count, stream)
        out = empty((*lead, index.shape[0]), dtype, stream)
        run_listed(made, *columns, index, column, out, stream)
        return out, (index.shape[0],)
    shape = _check.broadcast_shape(a=a.shape, b=b.shape)
    size = math.prod(shape)
    out = empty((*lead, size), dtype, stream)
    order = find_cross_order(a, b) if size else None  # type: ignore[arg-type]
    if order is None:
        index = empty((size, 2), np.int32, stream)
        for side, batch in enumerate((a, b)):
            launch(broadcast_index, size, index, side, *broadcast_steps(batch.shape, shape), stream=stream)
        run_listed(made, *columns, index, column, out, stream)
        return out, shape
    a_first = order == "a first"
    steps = {id(a): b.count if a_first else 1, id(b): 1 if a_first else a.count}
    if a is b:  # one entry against itself
        steps = {id(a): 1}
    run_cross(made, *columns, x.count, y.count, out, (steps[id(x)], steps[id(y)]), stream)
    return out, shape


def device_pairs(pairs: PairsLike, size_a: int, size_b: int, stream: Stream) -> DeviceArray:
    """Index pairs (m, 2) on the GPU as 32-bit integers, each within its batch."""
    if max(size_a, size_b) >= 2**31:
        raise ValueError(f"pairs on the GPU count up to 2**31 - 1, got batches of {size_a} and {size_b}")
    if not is_device_array(pairs):
        return to_device(_check.pairs(pairs, size_a, size_b).astype(np.int32), stream)
    given = as_device_array("pairs", pairs, stream)
    if given.ndim != 2 or given.shape[1] != 2:
        raise ValueError(f"pairs must have shape (m, 2), got {given.shape}")
    if not np.issubdtype(given.dtype, np.integer):
        raise TypeError(f"pairs must be integers, got {given.dtype}")
    size = int(given.shape[0])
    out = empty((size, 2), np.int32, stream)
    bad = to_device(np.zeros(1, np.int64), stream)
    launch(narrow_pairs, size, given, out, size_a, size_b, bad, stream=stream)
    row = int(to_numpy(bad, stream)[0]) - 1
    if row >= 0:
        found = to_numpy(given, stream)[row].tolist()
        raise IndexError(f"pairs[{row}] is {found}, but the batches hold {size_a} and {size_b} shapes")
    return out
