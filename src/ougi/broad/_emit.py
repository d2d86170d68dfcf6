"""One volume against sixteen others at a time, and the pairs written without a branch.

Volumes come in single precision, scaled into the unit cube. That decides nearly all pairs; what it cannot
decide is told as a set of doubtful lanes, for the caller to confirm in double precision (`against` in
`lanes.py`).

There are two forms of the same functions. The wide form is written as vectors of LLVM: Numba finds neither
the test nor the compression of hits by itself, and that is worth a factor of 2.5 to 5. It needs AVX-512;
without, or without a compiler, the plain form is used. Beside `_native` only this file
knows Numba.
"""

from __future__ import annotations

import operator
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

from ougi._native import device
from ougi._typing import Singles, Words

LANES = 16

# Where single precision does not decide whether balls touch. Coordinates, sums of radii and distances that
# matter are at most 1; let u = 2**-24. Coordinates are off by u/2 each, so a distance by 1.8 u, and by 1.3 u
# more for its arithmetic; a sum of radii by 1.3 u with its square; the rounding of `touch` itself is u/2 at
# most (`frame.py`). All this is below 8 u = DOUBT. Each radius carries half of it: then balls with d > R, the
# sum, do not touch. They do if d <= R - 2 DOUBT, which d**2 <= R (R - 4 DOUBT) implies; BAND is wider than
# 4 DOUBT by more than the rounding of these products. A negative right side implies nothing.
DOUBT = 2.0**-21
BAND = np.float32(4.5 * DOUBT)

_I1, _I16, _I32, _I64, _F32 = ir.IntType(1), ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.FloatType()
_INTS = ir.VectorType(_I32, LANES)
_FLOATS = ir.VectorType(_F32, LANES)


def has_wide_lanes() -> bool:
    """Does the machine that Numba compiles for have AVX-512? Only for this one it is known."""
    if config.DISABLE_JIT or config.CPU_NAME not in (None, "host", llvm.get_host_cpu_name()):
        return False
    features = config.CPU_FEATURES
    if features is not None:
        return "+avx512f" in features
    return bool(llvm.get_host_cpu_features().get("avx512f", False))


# --- the wide form --------------------------------------------------------------------------------------


class _Lanes:
    """Writes vector code: arrays and scalars of Numba in, vectors of sixteen lanes out."""

    def __init__(self, context: Any, builder: Any) -> None:
        self.context, self.builder = context, builder

    def array(self, kind: Any, value: Any) -> Any:
        return self.context.make_array(kind)(self.context, self.builder, value)

    def row(self, rows: Any, r: int, k: Any) -> Any:
        """Address of entry k of row r of a C-contiguous matrix."""
        width = self.builder.extract_value(rows.shape, 1)
        at = self.builder.add(self.builder.mul(ir.Constant(_I64, r), width), k)
        return self.builder.gep(rows.data, [at])

    def load(self, kind: ir.VectorType, address: Any) -> Any:
        return self.builder.load(self.builder.bitcast(address, kind.as_pointer()), align=4)

    def splat(self, kind: ir.VectorType, scalar: Any) -> Any:
        one = self.builder.insert_element(ir.Constant(kind, ir.Undefined), scalar, ir.Constant(_I32, 0))
        return self.builder.shuffle_vector(one, one, ir.Constant(_INTS, [0] * LANES))

    def constant(self, value: Any) -> Any:
        return ir.Constant(_FLOATS, [float(value)] * LANES)

    def call(self, name: str, result: Any, *arguments: Any) -> Any:
        kind = ir.FunctionType(result, [argument.type for argument in arguments])
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), arguments)

    def before(self, k: Any, stop: Any) -> Any:
        """Lanes k, k + 1, ... that lie before `stop`."""
        left = self.builder.trunc(self.builder.sub(stop, k), _I32)
        return self.builder.icmp_signed("<", ir.Constant(_INTS, list(range(LANES))), self.splat(_INTS, left))

    def all_of(self, *masks: Any) -> Any:
        result = masks[0]
        for mask in masks[1:]:
            result = self.builder.and_(result, mask)
        return result

    def set_of(self, mask: Any) -> Any:
        """The lanes of a mask as the bits of an int64."""
        return self.builder.zext(self.builder.bitcast(mask, _I16), _I64)

    def balls(self, rows: Any, me: Any, k: Any) -> tuple[Any, Any]:
        """Which of sixteen balls may touch ball `me`, and which do so for sure."""
        b = self.builder
        mine = [self.splat(_FLOATS, b.load(self.row(rows, r, me))) for r in range(4)]
        theirs = [self.load(_FLOATS, self.row(rows, r, k)) for r in range(4)]
        squares = []
        for r in range(3):
            apart = b.fsub(theirs[r], mine[r])
            squares.append(b.fmul(apart, apart))
        distance_sq = b.fadd(b.fadd(squares[0], squares[1]), squares[2])
        most = b.fadd(theirs[3], mine[3])
        least = b.fsub(most, self.constant(BAND))
        may = b.fcmp_ordered("<=", distance_sq, b.fmul(most, most))
        return may, b.fcmp_ordered("<=", distance_sq, b.fmul(most, least))

    def boxes(self, rows: Any, me: Any, k: Any) -> tuple[Any, Any]:
        """Which of sixteen boxes may touch box `me`, and which do so for sure.

        Rounding keeps order: bounds that differ in single precision differ likewise in double precision. Only
        equal ones leave a doubt.
        """
        b = self.builder
        may: list[Any] = []
        sure: list[Any] = []
        for r in range(3):
            lower, upper = (self.splat(_FLOATS, b.load(self.row(rows, s, me))) for s in (r, r + 3))
            low, high = (self.load(_FLOATS, self.row(rows, s, k)) for s in (r, r + 3))
            for mask, sign in ((may, "<="), (sure, "<")):
                mask += [b.fcmp_ordered(sign, low, upper), b.fcmp_ordered(sign, lower, high)]
        return self.all_of(*may), self.all_of(*sure)

    def other_group(self, numbers: Any, mine: Any, groups: Any) -> Any:
        differ = self.builder.and_(self.builder.xor(numbers, mine), groups)
        return self.builder.icmp_unsigned("==", differ, groups)

    def written(self, out: Any, count: Any, hits: Any, numbers: Any, mine: Any) -> Any:
        """Append the hits; the new count. Sixteen are stored whatever the hits are."""
        b = self.builder
        nothing = ir.Constant(_INTS, ir.Undefined)
        packed = self.call("llvm.experimental.vector.compress.v16i32", _INTS, numbers, hits, nothing)
        limit = b.sub(b.extract_value(out.shape, 1), ir.Constant(_I64, LANES))
        at = b.select(b.icmp_signed("<", count, limit), count, limit)
        for r, numbers in enumerate((mine, packed)):
            b.store(numbers, b.bitcast(self.row(out, r, at), _INTS.as_pointer()), align=4)
        found = b.zext(b.ctpop(b.bitcast(hits, _I16)), _I64)
        return b.add(count, found)


@intrinsic  # type: ignore[untyped-decorator]
def _wide_balls(typing: Any, rows, ids, groups, me, k, stop, out, count):  # type: ignore[no-untyped-def]
    return _step_of("balls", rows, ids, groups, me, k, stop, out, count)


@intrinsic  # type: ignore[untyped-decorator]
def _wide_boxes(typing: Any, rows, ids, groups, me, k, stop, out, count):  # type: ignore[no-untyped-def]
    return _step_of("boxes", rows, ids, groups, me, k, stop, out, count)


def _step_of(test: str, *kinds: Any) -> tuple[Any, Any]:
    """Signature and code of a step: (new count, lanes in doubt)."""
    rows, ids, _, _, _, _, out, _ = kinds
    signature = types.UniTuple(types.int64, 2)(  # type: ignore[attr-defined]
        rows, ids, types.int64, types.int64, types.int64, types.int64, out, types.int64
    )

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _Lanes(context, builder)
        rows, ids, groups, me, k, stop, out, count = arguments
        rows, ids, out = (
            lanes.array(kind, value)
            for kind, value in zip((kinds[0], kinds[1], kinds[6]), (rows, ids, out), strict=True)
        )
        mine = lanes.splat(_INTS, builder.load(builder.gep(ids.data, [me])))
        numbers = lanes.load(_INTS, builder.gep(ids.data, [k]))
        asked = lanes.other_group(numbers, mine, lanes.splat(_INTS, builder.trunc(groups, _I32)))
        may, sure = getattr(lanes, test)(rows, me, k)
        may = lanes.all_of(may, asked, lanes.before(k, stop))
        hits = builder.and_(may, sure)
        doubt = lanes.set_of(builder.xor(may, hits))
        count = lanes.written(out, count, hits, numbers, mine)
        return context.make_tuple(builder, signature.return_type, (count, doubt))

    return signature, code


@intrinsic  # type: ignore[untyped-decorator]
def _wide_overlaps(typing: Any, one, me, rows, k, stop):  # type: ignore[no-untyped-def]
    """Which of the boxes k, k + 1, ... before stop overlap box `me` of another matrix, as bits."""
    signature = types.int64(one, types.int64, rows, types.int64, types.int64)

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _Lanes(context, builder)
        single = lanes.array(signature.args[0], arguments[0])
        many = lanes.array(signature.args[2], arguments[2])
        _, me, _, k, stop = arguments
        masks = [lanes.before(k, stop)]
        for r in range(3):
            lower, upper = (lanes.splat(_FLOATS, builder.load(lanes.row(single, s, me))) for s in (r, r + 3))
            low, high = (lanes.load(_FLOATS, lanes.row(many, s, k)) for s in (r, r + 3))
            masks += [
                builder.fcmp_ordered("<=", low, upper),
                builder.fcmp_ordered("<=", lower, high),
            ]
        return lanes.set_of(lanes.all_of(*masks))

    return signature, code


@device
def step_wide(
    rows: Singles, ids: Words, balls: bool, groups: int, me: int, k: int, stop: int, out: Words, count: int
) -> tuple[int, int]:
    """`step`, in the wide form."""
    if balls:
        return _wide_balls(rows, ids, groups, me, k, stop, out, count)  # type: ignore[no-any-return]
    return _wide_boxes(rows, ids, groups, me, k, stop, out, count)  # type: ignore[no-any-return]


@device
def overlaps_wide(one: Singles, me: int, rows: Singles, k: int, stop: int) -> int:
    """`overlaps`, in the wide form."""
    return _wide_overlaps(one, me, rows, k, stop)  # type: ignore[no-any-return]


# --- the plain form -------------------------------------------------------------------------------------


@device
def _balls(rows: Singles, me: int, j: int) -> tuple[bool, bool]:
    """May two balls touch, and do they so for sure?"""
    dx, dy, dz = rows[0, j] - rows[0, me], rows[1, j] - rows[1, me], rows[2, j] - rows[2, me]
    distance_sq = dx * dx + dy * dy + dz * dz
    most = rows[3, j] + rows[3, me]
    return distance_sq <= most * most, distance_sq <= most * (most - BAND)


@device
def _boxes(rows: Singles, me: int, j: int) -> tuple[bool, bool]:
    """May two boxes touch, and do they so for sure?"""
    may, sure = True, True
    for r in range(3):
        may &= (rows[r, j] <= rows[r + 3, me]) & (rows[r, me] <= rows[r + 3, j])
        sure &= (rows[r, j] < rows[r + 3, me]) & (rows[r, me] < rows[r + 3, j])
    return may, sure


@device
def step_plain(
    rows: Singles, ids: Words, balls: bool, groups: int, me: int, k: int, stop: int, out: Words, count: int
) -> tuple[int, int]:
    """`step`, in the plain form."""
    limit, doubt, mine = out.shape[1] - LANES, 0, int(ids[me])
    for j in range(k, min(k + LANES, stop)):
        may, sure = _balls(rows, me, j) if balls else _boxes(rows, me, j)
        number = int(ids[j])
        asked = ((number ^ mine) & int(groups)) == int(groups)
        out[0, min(count, limit)], out[1, min(count, limit)] = mine, number
        count += may & sure & asked
        doubt |= int(may & (not sure) & asked) << (j - k)
    return count, doubt


@device
def overlaps_plain(one: Singles, me: int, rows: Singles, k: int, stop: int) -> int:
    """`overlaps`, in the plain form."""
    found = 0
    for j in range(k, min(k + LANES, stop)):
        hit = True
        for r in range(3):
            hit &= (rows[r, j] <= one[r + 3, me]) & (one[r, me] <= rows[r + 3, j])
        found |= int(hit) << (j - k)
    return found


@intrinsic  # type: ignore[untyped-decorator]
def _count_trailing_zeros(typing: Any, bits):  # type: ignore[no-untyped-def]
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(_I1, 1))

    return types.int64(types.int64), code


@intrinsic  # type: ignore[untyped-decorator]
def _minimum(typing: Any, a, b):  # type: ignore[no-untyped-def]
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _Lanes(context, builder).call("llvm.minimum.f64", ir.DoubleType(), *arguments)

    return types.float64(types.float64, types.float64), code


@intrinsic  # type: ignore[untyped-decorator]
def _maximum(typing: Any, a, b):  # type: ignore[no-untyped-def]
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _Lanes(context, builder).call("llvm.maximum.f64", ir.DoubleType(), *arguments)

    return types.float64(types.float64, types.float64), code


@intrinsic  # type: ignore[untyped-decorator]
def _plus(typing: Any, a, b):  # type: ignore[no-untyped-def]
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fadd(*arguments, flags=("reassoc",))

    return types.float64(types.float64, types.float64), code


@intrinsic  # type: ignore[untyped-decorator]
def _expected_false(typing: Any, condition):  # type: ignore[no-untyped-def]
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _Lanes(context, builder).call("llvm.expect.i1", _I1, arguments[0], ir.Constant(_I1, 0))

    return types.boolean(types.boolean), code


@device
def seldom_compiled(condition: bool) -> bool:
    """A condition that hardly ever holds: what follows is kept out of the way."""
    return _expected_false(condition)  # type: ignore[no-any-return]


@device
def lesser_compiled(a: float, b: float) -> float:
    """The lesser of two, such that a loop over it becomes vectors (Python's `min` tests for NaN first)."""
    return _minimum(a, b)  # type: ignore[no-any-return]


@device
def greater_compiled(a: float, b: float) -> float:
    """The greater of two, such that a loop over it becomes vectors."""
    return _maximum(a, b)  # type: ignore[no-any-return]


@device
def plus_compiled(a: float, b: float) -> float:
    """A sum whose terms may be added in any order, such that a loop over it becomes vectors."""
    return _plus(a, b)  # type: ignore[no-any-return]


@device
def lowest_compiled(bits: int) -> int:
    """The number of the lowest bit of a set that is not empty."""
    return _count_trailing_zeros(bits)  # type: ignore[no-any-return]


def lowest_interpreted(bits: int) -> int:
    """The number of the lowest bit of a set that is not empty."""
    return (int(bits) & -int(bits)).bit_length() - 1


# --- what the methods use -------------------------------------------------------------------------------

WIDE = has_wide_lanes()

# step(rows, ids, balls, groups, me, k, stop, out, count) tests volume `me` against the volumes k, k + 1, ...
# before `stop`, at most sixteen, and appends to the rows of `out` its number and the numbers of those that
# touch for sure. It returns the new count and the lanes in doubt, as bits. Where `groups` has a bit, only
# numbers that differ in it are asked. At the end of `out` it counts on without moving, so that `out` must
# have LANES places to spare. All arrays must have LANES - 1 readable places beyond the last volume.
step = step_wide if WIDE else step_plain

# overlaps(one, me, rows, k, stop): the boxes k, k + 1, ... before `stop` that overlap box `me` of `one`, as
# bits.
overlaps = overlaps_wide if WIDE else overlaps_plain

lowest = lowest_interpreted if config.DISABLE_JIT else lowest_compiled
lesser = min if config.DISABLE_JIT else lesser_compiled
greater = max if config.DISABLE_JIT else greater_compiled
plus = operator.add if config.DISABLE_JIT else plus_compiled
seldom = bool if config.DISABLE_JIT else seldom_compiled
