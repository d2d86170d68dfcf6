"""Scalar functions that take many arrays, without the counting of references to them.

Numba counts references to every array of every argument of a function that is not inlined. A robot has thirty
arrays, so that a call of such a function costs 0.3 us, ten times as much as its work. These functions
neither allocate nor return arrays, so nothing has to be counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from ougi._native import Deferred, compile_scalar, device
from ougi._typing import Foreign

P = ParamSpec("P")
R = TypeVar("R")


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """Mark a scalar function that is not inlined, takes arrays, and neither allocates nor returns any."""

    def make() -> Foreign:
        return compile_scalar(function, _nrt=False)

    # `device` returns the function itself if everything runs as plain Python.
    return function if device(function) is function else cast("Callable[P, R]", Deferred(function, make))
