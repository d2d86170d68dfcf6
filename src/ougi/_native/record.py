"""The signature of every loop, from one run of all of them as plain Python on small input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ougi._native import compiler


class Recording(NamedTuple):
    """A loop, and the arguments of a call."""

    name: str
    function: Any
    arguments: tuple[Any, ...]


def record(run: Callable[[], object]) -> list[Recording]:
    """The loops that `run()` calls, each with the arguments of its first call.

    No loop may have been made before, because what is recorded runs as plain Python.
    """
    if compiler.compiled_loops:
        raise RuntimeError(f"loops were made before the recording: {', '.join(compiler.compiled_loops)}")
    compiler.recorded = {}
    run()
    return [Recording(name, *calls[0]) for name, calls in compiler.recorded.items()]
