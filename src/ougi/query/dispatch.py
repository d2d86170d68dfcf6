"""From two batches to an array of results: find the kernel of the pair, broadcast, run its loop."""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._native import Loops, Parts, run
from ougi._typing import Array, ArrayLike, DTypeLike, DynamicBatch, Foreign, Ints
from ougi.errors import UnsupportedPairError
from ougi.query.tables import FOLDERS, TABLES, Pair, list_rows
from ougi.shapes import Compound, Mesh, Shape, ShapeLike, Triangle3d, as_shape


class PairMatch(NamedTuple):
    """A table row that serves a pair; `swapped` if in the other order."""

    row: Pair
    swapped: bool


@functools.cache
def _index(question: str) -> dict[tuple[type[Shape], type[Shape]], Pair]:
    return {(row.a, row.b): row for row in list_rows(question)}


def find_pair(question: str, verb: str, a: type[Shape], b: type[Shape]) -> PairMatch:
    """The row for a pair, in either order; `verb` is the name the user called."""
    index = _index(question)
    if row := index.get((a, b)):
        return PairMatch(row, swapped=False)
    if row := index.get((b, a)):
        return PairMatch(row, swapped=True)
    raise UnsupportedPairError(_describe_unsupported(index, verb, a, b))


@functools.cache
def find_triangle_partners(question: str) -> tuple[type[Shape], ...]:
    """The classes that have a kernel with Triangle3d, and so with a mesh."""
    rows = (row for row in list_rows(question) if Triangle3d in (row.a, row.b))
    return tuple(row.b if row.a is Triangle3d else row.a for row in rows)


def _describe_unsupported(
    index: dict[tuple[type[Shape], type[Shape]], Pair], verb: str, a: type[Shape], b: type[Shape]
) -> str:
    name = _get_name(a)
    start = f"{verb}({name}, {_get_name(b)}) is not supported"
    for cls in (a, b):
        if hasattr(cls, "_intersects"):  # shapes of higher layers bring a test of their own
            return f"{start}; a {cls.__name__} supports intersects and contains"
    if a.dimension != b.dimension:
        return f"{start}: {name} is {a.dimension}-D and {_get_name(b)} is {b.dimension}-D"
    others = [y if x is a else x for x, y in index if a in (x, y)]
    if not others:
        known = [q for q in TABLES if q != "separation" and any(a in row[:2] for row in TABLES[q])]
        return f"{start}; {name} {'supports ' + ' and '.join(known) if known else 'has no queries'}"
    return f"{start}; {name} can be tested against: {', '.join(_get_name(o) for o in others)}"


def _get_name(cls: type[Shape]) -> str:
    return "points" if cls.__name__.startswith("Point") else cls.__name__


# Modules that read records, in `ougi.kernels`.
_RECORDS = ("load", "convex.records", "half_space.records")


@functools.cache
def pair_loops(question: str, kernel: str) -> Loops:
    """The compiled loops of one kernel for one question."""
    return Loops(f"{question}_{kernel}", lambda: _find_parts(question, kernel))


def _find_parts(question: str, kernel: str) -> Parts:
    folder = FOLDERS.get(kernel)
    module = importlib.import_module(
        f"ougi.kernels.{folder}.{kernel}" if folder else f"ougi.kernels.{kernel}"
    )
    load = importlib.import_module("ougi.kernels.load")
    a, b = kernel.split("_")
    dimension = 2 if a in ("circle", "rectangle") or a.endswith("2d") else 3
    function, store = f"{question}_{kernel}", f"store_{question}{dimension}d"
    if hasattr(module, function) and question != "separation":
        store = "store_value"
    elif question == "distance":  # the whole separation is needed
        function = f"separation_{kernel}"
    return Parts(
        getattr(module, function),
        find_loader(a),
        find_loader(b),
        getattr(load, store),
    )


def find_loader(layout: str) -> Foreign:
    """The function that reads a record from columns."""
    function = f"load_{layout}"
    modules = (importlib.import_module(f"ougi.kernels.{name}") for name in _RECORDS)
    return next(getattr(module, function) for module in modules if hasattr(module, function))


class SingleLoop(NamedTuple):
    """The loop of two classes, and how it reads its operands; `swapped` if b comes first."""

    cross: Callable[..., None]
    first: str
    second: str
    swapped: bool


@functools.cache
def find_single_loop(question: str, a: type, b: type) -> SingleLoop | None:
    """The loop of two shapes. None for meshes, arrays and pairs without a kernel."""
    for x, y, swapped in ((a, b, False), (b, a, True)):
        row = _index(question).get((x, y))
        if row is not None:
            return SingleLoop(pair_loops(question, row.kernel).cross, *row.layouts, swapped)
    return None


def compute_single(question: str, a: DynamicBatch, b: DynamicBatch, dtype: DTypeLike) -> DynamicBatch:
    """The result of two single shapes, without the steps that batches need. None for other operands."""
    found = find_single_loop(question, type(a), type(b))  # type: ignore[arg-type]
    if found is None or a._shape or b._shape:
        return None
    cross, first, second, swapped = found
    if swapped:
        a, b = b, a
    x, y = a._columns.get(first), b._columns.get(second)  # a call of columns() takes 0.2 us
    out = np.empty(1, dtype)
    cross(a.columns(first) if x is None else x, b.columns(second) if y is None else y, out, 0, 1)
    return out[0]


def as_operands(a: ShapeLike, b: ShapeLike) -> tuple[Shape, Shape]:
    """The two operands as shapes; arrays are points."""
    return as_shape("a", a, b), as_shape("b", b, a)


def compute_pairs(
    question: str, verb: str, a: Shape, b: Shape, pairs: ArrayLike | None, rows: int | None, dtype: DTypeLike
) -> tuple[Array, bool]:
    """Results in the batch shape (behind `rows` leading rows), and whether a and b were swapped."""
    if isinstance(a, Compound) or isinstance(b, Compound):
        from ougi.query.compounds import compute_compound_pairs

        return compute_compound_pairs(question, verb, a, b, pairs, rows, dtype)
    is_mesh = isinstance(a, Mesh) or isinstance(b, Mesh)
    if is_mesh and not {(type(a), type(b)), (type(b), type(a))} & _index(question).keys():
        from ougi.query.meshes import compute_mesh_pairs

        return compute_mesh_pairs(question, verb, a, b, pairs, rows, dtype)
    found = find_pair(question, verb, type(a), type(b))
    made = pair_loops(question, found.row.kernel)
    out = run_loops(made, found.row.layouts, a, b, pairs, rows, dtype, swapped=found.swapped)
    return out, found.swapped


def run_loops(
    made: Loops,
    layouts: tuple[str, str],
    a: Shape,
    b: Shape,
    pairs: ArrayLike | None,
    rows: int | None,
    dtype: DTypeLike,
    *,
    swapped: bool = False,
) -> Array:
    """Run loops on two batches; `layouts` are those of their operands, which are b and a if swapped."""
    lead = () if rows is None else (rows,)
    if pairs is not None:
        index = _check.pairs(pairs, a.count, b.count)
        out = np.empty((*lead, len(index)), dtype)
        _run_listed(made, layouts, a, b, index, out, swapped)
        return out
    shape = _check.broadcast_shape(a=a.shape, b=b.shape)
    out = np.empty((*lead, math.prod(shape)), dtype)
    if out.size == 0:
        return out.reshape(lead + shape)
    order = find_cross_order(a, b)
    if order is None:
        _run_listed(made, layouts, a, b, broadcast_pairs(a, b, shape), out, swapped)
        return out.reshape(lead + shape)
    x, y = (b, a) if swapped else (a, b)
    run(made.cross, x.columns(layouts[0]), y.columns(layouts[1]), out, size=out.shape[-1])
    if x.count > 1 and y.count > 1 and (x is b) == (order == "a first"):
        # The loop's result has x's axes first; the caller wants the other order.
        out = np.ascontiguousarray(np.swapaxes(out.reshape((*lead, x.count, y.count)), -1, -2))
    return out.reshape(lead + shape)


def _run_listed(
    made: Loops, layouts: tuple[str, str], a: Shape, b: Shape, index: Ints, out: Array, swapped: bool
) -> None:
    x, y = (b, a) if swapped else (a, b)
    column = 1 if swapped else 0
    run(made.listed, x.columns(layouts[0]), y.columns(layouts[1]), index, column, out, size=len(index))


def find_cross_order(a: Shape, b: Shape) -> str | None:
    """Whose axes come first, if the broadcast result is every a against every b? None if it is not."""
    if a.count == 1 or b.count == 1:
        return "a first"
    ndim = max(a.ndim, b.ndim)
    long_a = [i + ndim - a.ndim for i, n in enumerate(a.shape) if n > 1]
    long_b = [i + ndim - b.ndim for i, n in enumerate(b.shape) if n > 1]
    if long_a[-1] < long_b[0]:
        return "a first"
    if long_b[-1] < long_a[0]:
        return "b first"
    return None


def broadcast_pairs(a: Shape, b: Shape, shape: tuple[int, ...]) -> Ints:
    """Index pairs of the broadcast of two batches."""
    out = np.empty((*shape, 2), np.int64)
    out[..., 0] = np.arange(a.count).reshape(a.shape)
    out[..., 1] = np.arange(b.count).reshape(b.shape)
    return _check.frozen(out.reshape((-1, 2)))
