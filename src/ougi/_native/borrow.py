"""Arrays without reference counting, within a loop.

Numba counts the references to an array, by atomic steps, wherever a function receives one or a tuple of them.
Casts of circles by one radius take 1.4 times as long with it, and casts by 20 radii 1.1 times. The arguments
of a loop outlive it, so it may pass them on as borrowed arrays, whose references are not counted. (Those of a
library have no owner anyway, see `build.py`.)
"""

from __future__ import annotations

from typing import TypeVar

from ougi._native.compiler import PLAIN, Deferred
from ougi._typing import Foreign

T = TypeVar("T")


def _make() -> Foreign:
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    def remove_owner(context: Foreign, builder: Foreign, kind: Foreign, value: Foreign) -> Foreign:
        """An array, or a tuple of arrays and others, without the references to what owns the memory."""
        if isinstance(kind, types.Array):
            made = context.make_array(kind)(context, builder, value)
            made.meminfo = cgutils.get_null_value(made.meminfo.type)
            return made._getvalue()
        if isinstance(kind, types.BaseTuple):  # type: ignore[attr-defined]
            for k, part in enumerate(kind):
                borrowed = remove_owner(context, builder, part, builder.extract_value(value, k))
                value = builder.insert_value(value, borrowed, k)
        return value

    @intrinsic  # type: ignore[untyped-decorator]
    def borrow(typing: Foreign, value):  # type: ignore[no-untyped-def]
        def code(context: Foreign, builder: Foreign, signature: Foreign, arguments: Foreign) -> Foreign:
            return remove_owner(context, builder, value, arguments[0])

        return value(value), code

    return borrow


def _borrow(value: T) -> T:
    """Plain Python counts its references anyway."""
    return value


# borrow(argument) of a loop, an array or a tuple of arrays, is passed on within the loop. An array that was
# made inside of the loop must not be borrowed: its memory could be freed before.
borrow: Foreign = _borrow if PLAIN else Deferred(_borrow, _make)
