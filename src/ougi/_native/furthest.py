"""The furthest of many points along a direction, eight points at a time.

Numba finds no vectors for a search that returns an index. Points lie in blocks of eight: their x, their y,
and their z. The last block repeats the first point. LLVM has vectors of eight numbers for every processor.
Distances of hulls of 64 points take 0.4 of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from ougi._native.compiler import PLAIN, Deferred, device
from ougi._typing import Floats, Foreign

# Points of a block; `VERTEX_BLOCK` of the kernels is the same number.
_LANES = 8


@device
def _find_furthest(numbers: Floats, first: int, count: int, x: float, y: float, z: float) -> int:
    best = numbers[first] * x + numbers[first + 8] * y + numbers[first + 16] * z
    index = 0
    for i in range(1, count):
        k = first + 24 * (i >> 3) + (i & 7)
        height = numbers[k] * x + numbers[k + 8] * y + numbers[k + 16] * z
        if height > best:
            best = height
            index = i
    return index


def _make() -> Foreign:
    from llvmlite import ir
    from numba.core import types
    from numba.extending import intrinsic

    number, word = ir.DoubleType(), ir.IntType(64)
    numbers_8, words_8 = ir.VectorType(number, _LANES), ir.VectorType(word, _LANES)
    lanes = ir.Constant(words_8, list(range(_LANES)))

    def splat(builder: Foreign, kind: Foreign, scalar: Foreign) -> Foreign:
        zero = ir.Constant(ir.VectorType(ir.IntType(32), _LANES), [0] * _LANES)
        one = builder.insert_element(ir.Constant(kind, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
        return builder.shuffle_vector(one, one, zero)

    def reduce(builder: Foreign, kind: Foreign, vector: Foreign, choose: Foreign) -> Foreign:
        """The chosen one of all lanes."""
        width = _LANES
        while width > 1:
            width //= 2
            low, high = (
                builder.shuffle_vector(
                    vector, vector, ir.Constant(ir.VectorType(ir.IntType(32), width), list(part))
                )
                for part in (range(width), range(width, 2 * width))
            )
            vector = builder.select(choose(low, high), low, high)
        return builder.extract_element(vector, ir.Constant(ir.IntType(32), 0))

    @intrinsic  # type: ignore[untyped-decorator]
    def find_furthest(typing: Foreign, numbers, first, count, x, y, z):  # type: ignore[no-untyped-def]
        signature = types.int64(
            numbers, types.int64, types.int64, types.float64, types.float64, types.float64
        )

        def code(context: Foreign, builder: Foreign, signature: Foreign, arguments: Foreign) -> Foreign:
            array, first, count, *direction = arguments
            data = context.make_array(signature.args[0])(context, builder, array).data
            along = [splat(builder, numbers_8, each) for each in direction]

            def measure(block: Foreign) -> Foreign:
                """Heights of the points of a block."""
                start = builder.add(first, builder.mul(block, ir.Constant(word, 3 * _LANES)))
                parts = []
                for k, each in enumerate(along):
                    address = builder.gep(data, [builder.add(start, ir.Constant(word, _LANES * k))])
                    loaded = builder.load(builder.bitcast(address, numbers_8.as_pointer()), align=8)
                    parts.append(builder.fmul(loaded, each))
                return builder.fadd(builder.fadd(parts[0], parts[1]), parts[2])

            before = measure(ir.Constant(word, 0))
            blocks = builder.lshr(builder.add(count, ir.Constant(word, _LANES - 1)), ir.Constant(word, 3))
            start, body, end = builder.block, builder.append_basic_block(), builder.append_basic_block()
            builder.cbranch(builder.icmp_signed(">", blocks, ir.Constant(word, 1)), body, end)
            builder.position_at_end(body)
            k, best, index = (builder.phi(kind) for kind in (word, numbers_8, words_8))
            height = measure(k)
            is_higher = builder.fcmp_ordered(">", height, best)
            own = builder.add(lanes, splat(builder, words_8, builder.mul(k, ir.Constant(word, _LANES))))
            found = builder.select(is_higher, height, best), builder.select(is_higher, own, index)
            following = builder.add(k, ir.Constant(word, 1))
            initial = ir.Constant(word, 1), before, lanes
            for phi, at_start, at_body in zip((k, best, index), initial, (following, *found), strict=True):
                phi.add_incoming(at_start, start)
                phi.add_incoming(at_body, body)
            builder.cbranch(builder.icmp_signed("<", following, blocks), body, end)
            builder.position_at_end(end)
            best, index = builder.phi(numbers_8), builder.phi(words_8)
            for phi, at_start, at_body in zip((best, index), initial[1:], found, strict=True):
                phi.add_incoming(at_start, start)
                phi.add_incoming(at_body, body)
            # Of points that are equally far, the first, as in plain Python; point 0 if nothing compares.
            highest = reduce(builder, numbers_8, best, lambda a, b: builder.fcmp_ordered(">", a, b))
            is_highest = builder.fcmp_ordered("==", best, splat(builder, numbers_8, highest))
            none = ir.Constant(word, 2**62)
            candidates = builder.select(is_highest, index, splat(builder, words_8, none))
            lowest = reduce(builder, words_8, candidates, lambda a, b: builder.icmp_signed("<", a, b))
            return builder.select(builder.icmp_signed("<", lowest, none), lowest, ir.Constant(word, 0))

        return signature, code

    return find_furthest


def _choose() -> Callable[[Floats, int, int, float, float, float], int]:
    if PLAIN:
        return _find_furthest
    plain = cast("Deferred", _find_furthest)
    return Deferred(plain.py_func, _make, plain)


# find_furthest(numbers, first, count, x, y, z): the index of the point that lies furthest along a direction,
# of `count` points whose blocks begin at `first`.
find_furthest = _choose()
