"""The signature of every loop, from one run of all of them as plain Python on small input."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ougi._native import compiler
from ougi._typing import Loop


class Recording(NamedTuple):
    """A loop, and the arguments of a call."""

    name: str
    function: Loop
    arguments: tuple[object, ...]


def record(run: Callable[[], object]) -> list[Recording]:
    """The loops that `run()` calls, each with the arguments of its first call.

    No loop may have been made before, because what is recorded runs as plain Python.
    """
    if compiler.compiled_loops:
        raise RuntimeError(f"loops were made before the recording: {', '.join(compiler.compiled_loops)}")
    compiler.recorded = {}
    run()
    return [Recording(name, *calls[0]) for name, calls in compiler.recorded.items()]
