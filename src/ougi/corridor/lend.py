"""Arrays without their owner, for the time of a loop.

Numba counts the references to an array, by atomic steps, wherever a function gets one or a tuple of them. In
a loop that asks for thousands of first contacts that was half of the time: 120 ns for each. The arguments of
a loop outlive it, so it may hand them on as borrowed arrays, whose count nobody keeps.
"""

from __future__ import annotations

from typing import Any, TypeVar

from numba.core import cgutils, config, types
from numba.extending import intrinsic

T = TypeVar("T")


def _disowned(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """An array, or a tuple of arrays and others, without the references to what owns the memory."""
    if isinstance(kind, types.Array):
        made = context.make_array(kind)(context, builder, value)
        made.meminfo = cgutils.get_null_value(made.meminfo.type)
        return made._getvalue()
    if isinstance(kind, types.BaseTuple):  # type: ignore[attr-defined]
        for k, part in enumerate(kind):
            lent_part = _disowned(context, builder, part, builder.extract_value(value, k))
            value = builder.insert_value(value, lent_part, k)
    return value


def _emitted(typing_context: Any, value: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _disowned(context, builder, value, arguments[0])

    return value(value), write


def lent_interpreted(value: T) -> T:
    """Plain Python counts its references anyway."""
    return value


# lent(argument) of a loop, an array or a tuple of arrays, is to be handed on within the loop. What was made
# inside must not be lent: it could end before.
lent = lent_interpreted if config.DISABLE_JIT else intrinsic(_emitted)
