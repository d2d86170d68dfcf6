"""Vector code for AVX-512: one volume against sixteen others at a time, written as vectors of LLVM.

Numba finds neither the test nor the compression of hits by itself, and that is worth a factor of 2.5 to 5.
The plain form of the same functions is in `lanes.py`, which chooses between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

from ougi._native.compiler import device
from ougi._native.lanes import BAND, LANES
from ougi._typing import Foreign, Loop, Singles, Words

_I1, _I16, _I32, _I64, _F32 = ir.IntType(1), ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.FloatType()
_INTS = ir.VectorType(_I32, LANES)
_FLOATS = ir.VectorType(_F32, LANES)
Values: TypeAlias = Sequence[ir.Value]

# What `build.py` compiles for; None means this processor.
target_is_wide: bool | None = None


def has_wide_lanes() -> bool:
    """Does the processor that is compiled for have AVX-512?"""
    if target_is_wide is not None:
        return target_is_wide
    if config.CPU_NAME not in (None, "host", llvm.get_host_cpu_name()):
        return False
    features = config.CPU_FEATURES
    if features is not None:
        return "+avx512f" in features
    return bool(llvm.get_host_cpu_features().get("avx512f", False))


class _Lanes:
    """Writes vector code: arrays and scalars of Numba in, vectors of sixteen lanes out."""

    def __init__(self, context: Foreign, builder: ir.IRBuilder) -> None:
        self.context, self.builder = context, builder

    def array(self, kind: Foreign, value: ir.Value) -> Foreign:
        return self.context.make_array(kind)(self.context, self.builder, value)

    def row(self, rows: Foreign, r: int, k: ir.Value) -> ir.Value:
        """Address of entry k of row r of a C-contiguous matrix."""
        width = self.builder.extract_value(rows.shape, 1)
        at = self.builder.add(self.builder.mul(ir.Constant(_I64, r), width), k)
        return self.builder.gep(rows.data, [at])

    def load(self, kind: ir.VectorType, address: ir.Value) -> ir.Value:
        return self.builder.load(self.builder.bitcast(address, kind.as_pointer()), align=4)

    def splat(self, kind: ir.VectorType, scalar: ir.Value) -> ir.Value:
        one = self.builder.insert_element(ir.Constant(kind, ir.Undefined), scalar, ir.Constant(_I32, 0))
        return self.builder.shuffle_vector(one, one, ir.Constant(_INTS, [0] * LANES))

    def constant(self, value: np.float32) -> ir.Value:
        return ir.Constant(_FLOATS, [float(value)] * LANES)

    def call(self, name: str, result: ir.Type, *arguments: ir.Value) -> ir.Value:
        kind = ir.FunctionType(result, [argument.type for argument in arguments])
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), arguments)

    def before(self, k: ir.Value, stop: ir.Value) -> ir.Value:
        """Lanes k, k + 1, ... that lie before `stop`."""
        left = self.builder.trunc(self.builder.sub(stop, k), _I32)
        return self.builder.icmp_signed("<", ir.Constant(_INTS, list(range(LANES))), self.splat(_INTS, left))

    def all_of(self, *masks: ir.Value) -> ir.Value:
        result = masks[0]
        for mask in masks[1:]:
            result = self.builder.and_(result, mask)
        return result

    def set_of(self, mask: ir.Value) -> ir.Value:
        """The lanes of a mask as the bits of an int64."""
        return self.builder.zext(self.builder.bitcast(mask, _I16), _I64)

    def balls(self, rows: Foreign, me: ir.Value, k: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Which of sixteen balls may touch ball `me`, and which do so certainly."""
        b = self.builder
        mine = [self.splat(_FLOATS, b.load(self.row(rows, r, me))) for r in range(4)]
        theirs = [self.load(_FLOATS, self.row(rows, r, k)) for r in range(4)]
        squares = []
        for r in range(3):
            apart = b.fsub(theirs[r], mine[r])
            squares.append(b.fmul(apart, apart))
        distance_sq = b.fadd(b.fadd(squares[0], squares[1]), squares[2])
        reach = b.fadd(theirs[3], mine[3])
        certain = b.fsub(reach, self.constant(BAND))
        may = b.fcmp_ordered("<=", distance_sq, b.fmul(reach, reach))
        return may, b.fcmp_ordered("<=", distance_sq, b.fmul(reach, certain))

    def boxes(self, rows: Foreign, me: ir.Value, k: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Which of sixteen boxes may touch box `me`, and which do so certainly.

        Rounding keeps order: bounds that differ in single precision differ likewise in double precision. Only
        equal ones leave a doubt.
        """
        b = self.builder
        may: list[ir.Value] = []
        sure: list[ir.Value] = []
        for r in range(3):
            lower, upper = (self.splat(_FLOATS, b.load(self.row(rows, s, me))) for s in (r, r + 3))
            low, high = (self.load(_FLOATS, self.row(rows, s, k)) for s in (r, r + 3))
            for mask, sign in ((may, "<="), (sure, "<")):
                mask += [b.fcmp_ordered(sign, low, upper), b.fcmp_ordered(sign, lower, high)]
        return self.all_of(*may), self.all_of(*sure)

    def other_group(self, numbers: ir.Value, mine: ir.Value, groups: ir.Value) -> ir.Value:
        differ = self.builder.and_(self.builder.xor(numbers, mine), groups)
        return self.builder.icmp_unsigned("==", differ, groups)

    def written(
        self, out: Foreign, count: ir.Value, hits: ir.Value, numbers: ir.Value, mine: ir.Value
    ) -> ir.Value:
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
def _wide_balls(typing: Foreign, rows, ids, groups, me, k, stop, out, count):  # type: ignore[no-untyped-def]
    return _step_of("balls", rows, ids, groups, me, k, stop, out, count)


@intrinsic  # type: ignore[untyped-decorator]
def _wide_boxes(typing: Foreign, rows, ids, groups, me, k, stop, out, count):  # type: ignore[no-untyped-def]
    return _step_of("boxes", rows, ids, groups, me, k, stop, out, count)


def _step_of(test: str, *kinds: Foreign) -> tuple[Foreign, Loop]:
    """Signature and code of a step: (new count, lanes in doubt)."""
    rows, ids, _, _, _, _, out, _ = kinds
    signature = types.UniTuple(types.int64, 2)(  # type: ignore[attr-defined]
        rows, ids, types.int64, types.int64, types.int64, types.int64, out, types.int64
    )

    def code(context: Foreign, builder: ir.IRBuilder, signature: Foreign, arguments: Values) -> ir.Value:
        lanes = _Lanes(context, builder)
        rows, ids, groups, me, k, stop, out, count = arguments
        rows, ids, out = (
            lanes.array(kind, value)
            for kind, value in zip((kinds[0], kinds[1], kinds[6]), (rows, ids, out), strict=True)
        )
        mine = lanes.splat(_INTS, builder.load(builder.gep(ids.data, [me])))
        numbers = lanes.load(_INTS, builder.gep(ids.data, [k]))
        allowed = lanes.other_group(numbers, mine, lanes.splat(_INTS, builder.trunc(groups, _I32)))
        may, sure = getattr(lanes, test)(rows, me, k)
        may = lanes.all_of(may, allowed, lanes.before(k, stop))
        hits = builder.and_(may, sure)
        doubt = lanes.set_of(builder.xor(may, hits))
        count = lanes.written(out, count, hits, numbers, mine)
        return context.make_tuple(builder, signature.return_type, (count, doubt))

    return signature, code


@intrinsic  # type: ignore[untyped-decorator]
def _wide_overlaps(typing: Foreign, one, me, rows, k, stop):  # type: ignore[no-untyped-def]
    """Which of the boxes k, k + 1, ... before stop overlap box `me` of another matrix, as bits."""
    signature = types.int64(one, types.int64, rows, types.int64, types.int64)

    def code(context: Foreign, builder: ir.IRBuilder, signature: Foreign, arguments: Values) -> ir.Value:
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
def append_hits(
    rows: Singles, ids: Words, balls: bool, groups: int, me: int, k: int, stop: int, out: Words, count: int
) -> tuple[int, int]:
    """`append_hits` of `lanes.py`, in the wide form."""
    if balls:
        return _wide_balls(rows, ids, groups, me, k, stop, out, count)  # type: ignore[no-any-return]
    return _wide_boxes(rows, ids, groups, me, k, stop, out, count)  # type: ignore[no-any-return]


@device
def find_overlaps(one: Singles, me: int, rows: Singles, k: int, stop: int) -> int:
    """`find_overlaps` of `lanes.py`, in the wide form."""
    return _wide_overlaps(one, me, rows, k, stop)  # type: ignore[no-any-return]


@intrinsic  # type: ignore[untyped-decorator]
def count_trailing_zeros(typing: Foreign, bits):  # type: ignore[no-untyped-def]
    def code(context: Foreign, builder: ir.IRBuilder, signature: Foreign, arguments: Values) -> ir.Value:
        return builder.cttz(arguments[0], ir.Constant(_I1, 1))

    return types.int64(types.int64), code


@intrinsic  # type: ignore[untyped-decorator]
def minimum(typing: Foreign, a, b):  # type: ignore[no-untyped-def]
    def code(context: Foreign, builder: ir.IRBuilder, signature: Foreign, arguments: Values) -> ir.Value:
        return _Lanes(context, builder).call("llvm.minimum.f64", ir.DoubleType(), *arguments)

    return types.float64(types.float64, types.float64), code


@intrinsic  # type: ignore[untyped-decorator]
def maximum(typing: Foreign, a, b):  # type: ignore[no-untyped-def]
    def code(context: Foreign, builder: ir.IRBuilder, signature: Foreign, arguments: Values) -> ir.Value:
        return _Lanes(context, builder).call("llvm.maximum.f64", ir.DoubleType(), *arguments)

    return types.float64(types.float64, types.float64), code


@intrinsic  # type: ignore[untyped-decorator]
def add_unordered(typing: Foreign, a, b):  # type: ignore[no-untyped-def]
    def code(context: Foreign, builder: ir.IRBuilder, signature: Foreign, arguments: Values) -> ir.Value:
        return builder.fadd(*arguments, flags=("reassoc",))

    return types.float64(types.float64, types.float64), code


@intrinsic  # type: ignore[untyped-decorator]
def unlikely(typing: Foreign, condition):  # type: ignore[no-untyped-def]
    def code(context: Foreign, builder: ir.IRBuilder, signature: Foreign, arguments: Values) -> ir.Value:
        return _Lanes(context, builder).call("llvm.expect.i1", _I1, arguments[0], ir.Constant(_I1, 0))

    return types.boolean(types.boolean), code
