"""How Numba lowers functions for a library: without machine code."""

from __future__ import annotations

import functools

import llvmlite.binding as llvm
from numba import _dynfunc
from numba.core import dispatcher
from numba.core.codegen import CPUCodeLibrary
from numba.core.cpu import CPUContext
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.core.runtime.context import NRTContext

from ougi._typing import Foreign


def lower_only() -> None:
    """From now on Numba lowers what it compiles: it neither links and optimises it, nor makes machine code.

    So each function exists once, in a module of its own, and `link_modules` brings together what loops use.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    context = cpu_target.target_context
    rtsys.initialize(context)  # which runs code of its own
    rtsys._library = context.codegen().create_library("ougi_runtime")  # `emit.py` links the runtime

    def set_layout(self: Foreign, module: Foreign) -> None:
        module.data_layout = self._codegen._data_layout

    def finish(self: Foreign) -> None:
        self._finalized = True

    def without_wrappers(self: Foreign, flags: Foreign) -> Foreign:
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return flags

    def make_name(self: Foreign, library: Foreign, fndesc: Foreign, env: Foreign) -> Foreign:
        """A function that stands for the compiled one and is never called."""
        return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname, "", 1, env, (library,))

    @functools.cache
    def is_counted(context: Foreign, kind: Foreign) -> bool:
        return bool(context.data_model_manager[kind].contains_nrt_meminfo())

    def find_references(self: Foreign, builder: Foreign, kind: Foreign, value: Foreign) -> Foreign:
        """Records of numbers have none. Numba would take them apart to see, which was a third of its code."""
        return get_references(self, builder, kind, value) if is_counted(self._context, kind) else []

    get_references, NRTContext.get_meminfos = NRTContext.get_meminfos, find_references
    dispatcher._FunctionCompiler._customize_flags = without_wrappers  # type: ignore[attr-defined]
    CPUContext.get_executable = make_name
    CPUCodeLibrary._optimize_functions = set_layout
    CPUCodeLibrary.finalize = finish
