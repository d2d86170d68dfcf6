"""Scalar functions and loops: `device`, `procedure` and `loop`.

A loop comes from the library of machine code that was built ahead of time, or Numba compiles it. Nothing here
loads Numba before it is needed.
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from ougi._native.library import find_loop
from ougi.errors import MissingExtraError

P = ParamSpec("P")
R = TypeVar("R")

# With NUMBA_DISABLE_JIT=1 everything runs as plain Python.
PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

# Every loop of this process, by name. The tests search it for second signatures.
compiled_loops: dict[str, Callable[..., Any]] = {}

# While signatures are recorded (`record.py`): the loops that ran, as plain Python, with their arguments.
recorded: dict[str, list[tuple[Any, tuple[Any, ...]]]] | None = None


class Deferred:
    """A function for compiled code that is made when a loop that uses it is compiled.

    `make` returns what Numba knows: a compiled function or an intrinsic. `plain` is the same in plain Python.
    """

    def __init__(self, plain: Callable[..., Any], make: Callable[[], Any]) -> None:
        functools.update_wrapper(self, plain)
        self.py_func, self._make = plain, make

    @functools.cached_property
    def value(self) -> Any:
        """What Numba knows."""
        return self._make()

    @property
    def _numba_type_(self) -> Any:
        """Numba reads this where compiled code names this object."""
        from numba.core.registry import cpu_target

        value = self.value
        cpu_target.typing_context.refresh()  # an intrinsic may be new
        return cpu_target.typing_context.resolve_value_type(value)

    def __call__(self, *arguments: Any) -> Any:
        """A call from Python, for tests and experiments."""
        return self.py_func(*arguments) if recorded is not None else self.value(*arguments)

    def __reduce__(self) -> str:
        return self.__qualname__  # type: ignore[attr-defined,no-any-return]


def device(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a scalar function that is always inlined, so that a loop over it vectorises."""
    return _defer(function, forceinline=True)


def procedure(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a scalar function that is too long to be copied into every caller."""
    return _defer(function)


def _defer(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    def make() -> Any:
        import numba

        return numba.njit(error_model="numpy", **options)(function)

    return function if PLAIN else cast("Callable[P, R]", Deferred(function, make))


def loop(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a loop over arrays, which releases the GIL.

    Its arguments are C-contiguous arrays, numbers, and tuples of them. There is one signature. Scalar
    functions that it calls must be imported by `from ... import`, because its digest follows these lines.
    """
    made: Callable[..., Any]
    if PLAIN:
        made = function
    elif recorded is not None:
        made = _record(function)
    else:
        made = find_loop(function) or _compile(function)
    compiled_loops[function.__name__] = made
    return made


def _record(function: Any) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        assert recorded is not None
        recorded.setdefault(f"{function.__module__}.{function.__name__}", []).append((function, arguments))
        return function(*arguments)

    return run


def _compile(function: Any) -> Callable[..., Any]:
    try:
        from ougi._native.jit import compile_loop
    except ModuleNotFoundError as error:
        if error.name != "numba":
            raise

        @functools.wraps(function)
        def explain(*arguments: Any) -> Any:
            raise MissingExtraError("jit", f"{function.__name__} is not in the library of this wheel and")

        return explain
    return compile_loop(function)


@functools.cache
def announce_compilation() -> None:
    """Log once that something is compiled, because the wait would look like a fault."""
    logging.getLogger("ougi").info("compiling kernels, once for this machine (`ougi warmup` compiles all)")
