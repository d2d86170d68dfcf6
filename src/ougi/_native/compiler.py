"""Scalar functions and loops, compiled by Numba: `device`, `procedure` and `loop`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba

from ougi._native.cache import LoopCache, can_cache

P = ParamSpec("P")
R = TypeVar("R")

# Every loop of this process, by name. The tests search it for second signatures.
compiled_loops: dict[str, Callable[..., Any]] = {}


def device(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a scalar function and always inline it: that is what lets a loop over it vectorise."""
    compiled: Callable[P, R] = numba.njit(error_model="numpy", forceinline=True)(function)
    return compiled


def procedure(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a scalar function that is too long to be copied into every caller."""
    compiled: Callable[P, R] = numba.njit(error_model="numpy")(function)
    return compiled


def loop(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a loop over arrays that releases the GIL and is stored on disk.

    Scalar functions that it calls must be kernels or stand in files beside its own, or an edit of them would
    go unnoticed.
    """
    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    compiled_loops[function.__name__] = compiled
    if hasattr(compiled, "py_func") and can_cache(function):
        compiled._cache = LoopCache(function)
    return compiled  # type: ignore[no-any-return]
