"""Loops that Numba compiles while the program runs, and their files on disk.

Numba would optimise each function by itself, then again as a part of each of its callers, and make machine
code of it each time. In the loops of pairs a scalar function stays intermediate code. Such a loop is linked
with all that it uses and optimised once, as for a library. Other loops are compiled as Numba does it, because
their functions take arrays, and Numba drops counts of references while it optimises a function: otherwise
candidate pairs by a grid take 11 times as long.
"""

from __future__ import annotations

import numba
from numba import _dynfunc
from numba.core import caching
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.runtime import rtsys

from ougi._native import compiler, generate
from ougi._native.cache import Locator, PrivateFiles, can_cache
from ougi._native.emit import join_modules, mark_shared, optimise, prune_references
from ougi._native.inlining import limit_inlining, name_group
from ougi._typing import Foreign, Loop


def compile_loop(function: Loop) -> Loop:
    """A loop that is compiled when it is first called, or loaded from disk."""
    pipeline = LoopCompiler if function.__module__ == generate.__name__ else Compiler
    compiled: Foreign = numba.njit(nogil=True, error_model="numpy", pipeline_class=pipeline)(function)
    compiled._cache = LoopCache(function) if can_cache(function) else _NoCache()
    return compiled  # type: ignore[no-any-return]


class ScalarLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A function in intermediate code."""

    def _optimize_functions(self, ll_module: Foreign) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        self._finalized = True


class LoopLibrary(ScalarLibrary):
    """The loop of a pair, and all that it uses."""

    group = ""
    _final_module: Foreign

    def finalize(self) -> None:
        own = [each.name for each in self._final_module.functions if not each.is_declaration]
        self._final_module = limit_inlining(join_modules(self._list_modules()), self.group)
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in own:
                function.linkage = "internal"
        machine = self._codegen._tm
        prune_references(self._final_module, machine)
        optimise(self._final_module, machine)
        self._final_module.verify()
        self._finalize_final_module()

    def _list_modules(self) -> list[Foreign]:
        """The modules of all functions that are used. What Numba made machine code of is linked already."""
        modules, left, seen = [self._final_module], list(self._linking_libraries), set()
        while left:
            library = left.pop()
            if id(library) not in seen:
                seen.add(id(library))
                self._reload_init.update(library._reload_init)
                modules.append(library._final_module.clone())
                mark_shared(modules[-1])
                left += library._linking_libraries if isinstance(library, ScalarLibrary) else []
        return modules


class LoopCompiler(Compiler):  # type: ignore[misc]
    """Compiles the loop of a pair."""

    def compile_extra(self, func: Loop) -> Foreign:
        """Compile a function for calls from Python."""
        library = self.state.library = LoopLibrary(self.state.targetctx.codegen(), func.__qualname__)
        library.group = name_group(func)
        library.enable_object_caching()
        self.state.flags.no_cfunc_wrapper = True
        compiler.is_lowering = True
        try:
            return super().compile_extra(func)
        finally:
            compiler.is_lowering = False


class ScalarCompiler(Compiler):  # type: ignore[misc]
    """Lowers a function for loops that use it."""

    def compile_extra(self, func: Loop) -> Foreign:
        """Lower a function. An object that is never called stands for its machine code."""
        state = self.state
        state.library = ScalarLibrary(state.targetctx.codegen(), func.__qualname__)
        state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = state.flags.no_compile = True
        made = super().compile_extra(func)
        name = made.fndesc.qualname
        entry = _dynfunc.make_function(
            made.fndesc.lookup_module(), name, "", 1, made.environment, (made.library,)
        )
        state.targetctx.insert_user_function(entry, made.fndesc, [made.library])
        return made._replace(entry_point=entry)


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
