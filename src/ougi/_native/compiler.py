"""Scalar functions and loops: `device`, `procedure` and `loop`.

A loop comes from the library of machine code that was built ahead of time, or Numba compiles it. Nothing here
loads Numba before it is needed.
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from types import FunctionType
from typing import ParamSpec, TypeVar, cast

from ougi._native.library import bind_loop, find_loop
from ougi._typing import Foreign, Loop
from ougi.errors import MissingExtraError

P = ParamSpec("P")
R = TypeVar("R")

# With NUMBA_DISABLE_JIT=1 everything runs as plain Python.
PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

# Every loop of this process, by name. The tests search it for second signatures.
compiled_loops: dict[str, Loop] = {}

# While signatures are recorded (`record.py`): the loops that ran, as plain Python, with their arguments.
recorded: dict[str, list[tuple[Loop, tuple[object, ...]]]] | None = None

# While Numba compiles the loop of a pair, whose functions stay intermediate code (`jit.py`).
is_lowering = False


class Deferred:
    """A function for compiled code that is made when a loop that uses it is compiled.

    `make` returns what Numba knows: a compiled function or an intrinsic. `plain` is the same in plain Python,
    and `on_device` on a GPU, if that has another form.
    """

    def __init__(self, plain: Loop, make: Callable[[], Foreign], on_device: Deferred | None = None) -> None:
        functools.update_wrapper(self, plain)
        self.py_func, self._make, self.on_device = plain, make, on_device or self
        self._made: dict[bool, Foreign] = {}

    @property
    def value(self) -> Foreign:
        """What Numba knows, in the form that the present loop needs."""
        if is_lowering not in self._made:
            self._made[is_lowering] = self._make()
        return self._made[is_lowering]

    @property
    def _numba_type_(self) -> Foreign:
        """Numba reads this where compiled code names this object."""
        from numba.core.registry import cpu_target

        value = self.value
        cpu_target.typing_context.refresh()  # an intrinsic may be new
        return cpu_target.typing_context.resolve_value_type(value)

    def __call__(self, *arguments: object) -> Foreign:
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


def _defer(function: Callable[P, R], **options: bool) -> Callable[P, R]:
    def make() -> Foreign:
        return compile_scalar(function, **options)

    return function if PLAIN else cast("Callable[P, R]", Deferred(function, make))


def compile_scalar(function: Loop, **options: Foreign) -> Foreign:
    """A scalar function for Numba, under a name of its own.

    Numba links machine code by the qualified name, the types of the arguments and a number that starts anew
    in every process. So closures of one function, compiled by two processes, could be taken for one another.
    """
    import numba

    if is_lowering:
        from ougi._native.jit import ScalarCompiler

        options["pipeline_class"] = ScalarCompiler
    function.__qualname__ = name_closure(function)
    return numba.njit(error_model="numpy", **options)(function)


def name_closure(function: Loop) -> str:
    """The qualified name of a function, and a digest of what it closes over, if it does.

    >>> def make_adder(n):
    ...     def add(x):
    ...         return x + n
    ...     return add
    >>> name_closure(make_adder(1)) == name_closure(make_adder(2))
    False
    """
    name: str = function.__qualname__
    if not function.__closure__ or name.endswith("]"):
        return name
    parts = zip(function.__code__.co_freevars, function.__closure__, strict=True)
    values = [f"{part}={_describe_value(function, cell.cell_contents)}" for part, cell in parts]
    return f"{name}[{hashlib.sha256(' '.join(values).encode()).hexdigest()[:16]}]"


def _describe_value(owner: Loop, value: object) -> str:
    """What a function closes over, as a text that is the same in every process."""
    value = value.py_func if isinstance(value, Deferred) else value
    if value is owner:
        return "itself"
    if isinstance(value, FunctionType):
        return f"{value.__module__}.{name_closure(value)}"
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, tuple):
        return f"{type(value).__name__}({' '.join(_describe_value(owner, part) for part in value)})"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    raise TypeError(
        f"{owner.__qualname__} closes over {value!r}; compiled functions may close over functions, classes, "
        "numbers, texts and tuples of these"
    )


def loop(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a loop over arrays, which releases the GIL.

    Its arguments are C-contiguous arrays, numbers, and tuples of them. There is one signature. Scalar
    functions that it calls must be imported by `from ... import`, because its digest follows these lines.
    """
    made: Loop
    if PLAIN:
        made = function
    elif recorded is not None:
        made = _record(function)
    else:
        made = find_loop(function) or _compile(function)
    compiled_loops[function.__name__] = made
    return made


def find_generated_loop(name: str, origin: str) -> Loop | None:
    """A loop of the library by its full name and the module that chose its parts. None if there is none."""
    if PLAIN or recorded is not None:
        return None
    made = bind_loop(name, origin)
    if made is not None:
        compiled_loops[name.rpartition(".")[2]] = made
    return made


def _record(function: Loop) -> Loop:
    @functools.wraps(function)
    def run(*arguments: object) -> Foreign:
        assert recorded is not None
        recorded.setdefault(f"{function.__module__}.{function.__name__}", []).append((function, arguments))
        return function(*arguments)

    return run


def _compile(function: Loop) -> Loop:
    try:
        from ougi._native.jit import compile_loop
    except ModuleNotFoundError as error:
        if error.name != "numba":
            raise

        @functools.wraps(function)
        def explain(*arguments: object) -> Foreign:
            raise MissingExtraError("jit", "ougi is installed without machine code, and compiling a kernel")

        return explain
    return compile_loop(function)


@functools.cache
def announce_compilation() -> None:
    """Log once that something is compiled, because the wait would look like a fault."""
    import logging

    logging.getLogger("ougi").info("compiling kernels, once for this machine (`ougi warmup` compiles all)")
