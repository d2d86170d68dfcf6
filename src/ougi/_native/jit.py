"""Loops that Numba compiles while the program runs, and their files on disk."""

from __future__ import annotations

import numba
from numba.core import caching
from numba.core.runtime import rtsys

from ougi._native import compiler
from ougi._native.cache import Locator, PrivateFiles, can_cache
from ougi._typing import Foreign, Loop


def compile_loop(function: Loop) -> Loop:
    """A loop that is compiled when it is first called, or loaded from disk."""
    compiled: Foreign = numba.njit(nogil=True, error_model="numpy")(function)
    compiled._cache = LoopCache(function) if can_cache(function) else _NoCache()
    return compiled  # type: ignore[no-any-return]


class _CacheFile(PrivateFiles, caching.IndexDataCacheFile):  # type: ignore[misc]
    """One loop's index and machine code on disk."""


class _CacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (Locator,)


class _NoCache(caching.NullCache):  # type: ignore[misc]
    def load_overload(self, sig: Foreign, target_context: Foreign) -> None:
        compiler.announce_compilation()


class LoopCache(caching.FunctionCache):  # type: ignore[misc]
    """Machine code of one loop on disk."""

    _impl_class = _CacheImpl

    def __init__(self, function: Loop) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CacheFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Foreign, target_context: Foreign) -> Foreign:
        """Load machine code from disk with no more of Numba than it needs to run: its runtime.

        Numba would first load all it needs to *compile* (and SciPy, if that is installed): 0.2 to 0.4 s
        before the first answer of a process. Compiling, ours or the user's, still does that when it comes.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            loaded = self._load_overload(sig, target_context)
        if loaded is None:
            compiler.announce_compilation()
        return loaded
