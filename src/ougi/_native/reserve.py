"""A fixed number of numbers on the stack, within a loop.

A kernel allocates nothing. A search that has to remember what is left writes it here: the memory belongs to
the function that reserves it and ends with it, so it must not be returned.
"""

from __future__ import annotations

import numpy as np

from ougi._native.compiler import PLAIN, Deferred
from ougi._typing import Floats, Foreign


def _make() -> Foreign:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic
    from numba.np.arrayobj import populate_array

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
    def reserve(typing: Foreign, count):  # type: ignore[no-untyped-def]
        kind, length = types.Array(types.float64, 1, "C"), count.literal_value

        def code(context: Foreign, builder: Foreign, signature: Foreign, arguments: Foreign) -> Foreign:
            word, width = ir.IntType(64), 8
            memory = cgutils.alloca_once(builder, ir.DoubleType(), size=ir.Constant(word, length))
            made = context.make_array(kind)(context, builder)
            shape, strides = ([ir.Constant(word, each)] for each in (length, width))
            populate_array(made, memory, shape, strides, ir.Constant(word, width), None)
            return made._getvalue()

        return kind(count), code

    return reserve


def _reserve(count: int) -> Floats:
    return np.empty(count)


# reserve(count) is an array of that many floats, not initialised; `count` is a constant.
reserve: Foreign = _reserve if PLAIN else Deferred(_reserve, _make)
