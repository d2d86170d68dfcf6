"""From intermediate code to objects: LLVM optimises the loops of a group for each kind of processor.

This needs LLVM alone, so that processes without Numba do it while another one lowers the next loops.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding as llvm

from ougi._typing import Foreign

# References to memory that loops allocate themselves (`runtime.c`). One thread has all of them.
_RUNTIME = """
declare void @NRT_MemInfo_call_dtor(ptr)

define void @NRT_incref(ptr %info) alwaysinline {
  %none = icmp eq ptr %info, null
  br i1 %none, label %end, label %count
count:
  %old = load i64, ptr %info
  %new = add i64 %old, 1
  store i64 %new, ptr %info
  br label %end
end:
  ret void
}

define void @NRT_decref(ptr %info) alwaysinline {
  %none = icmp eq ptr %info, null
  br i1 %none, label %end, label %count
count:
  %old = load i64, ptr %info
  %new = sub i64 %old, 1
  store i64 %new, ptr %info
  %last = icmp eq i64 %new, 0
  br i1 %last, label %release, label %end
release:
  call void @NRT_MemInfo_call_dtor(ptr %info)
  br label %end
end:
  ret void
}

define ptr @NRT_MemInfo_data_fast(ptr %info) alwaysinline {
  %at = getelementptr i64, ptr %info, i64 3
  %data = load ptr, ptr %at
  ret ptr %data
}
"""


class MachineTarget(NamedTuple):
    """What code is made for."""

    triple: str
    cpu: str
    features: str = ""


def _list_x86_levels(triple: str) -> dict[str, MachineTarget]:
    """Levels of x86-64. LLVM avoids vectors of 512 bits in v4, which takes 1.1 to 1.4 times as long."""
    features = {"v4": "-prefer-256-bit"}
    return {
        level: MachineTarget(triple, f"x86-64-{level}", features.get(level, ""))
        for level in ("v2", "v3", "v4")
    }


# The processors of a platform, and the linker's name of it (`zig cc -target`).
PLATFORMS: dict[str, tuple[str, dict[str, MachineTarget]]] = {
    "linux-x86_64": (
        "x86_64-linux-gnu.2.17",
        _list_x86_levels("x86_64-unknown-linux-gnu"),
    ),
    "windows-x86_64": (
        "x86_64-windows-gnu",
        _list_x86_levels("x86_64-pc-windows-gnu"),
    ),
    "linux-aarch64": (
        "aarch64-linux-gnu.2.17",
        {"base": MachineTarget("aarch64-unknown-linux-gnu", "generic")},
    ),
    "macos-aarch64": ("aarch64-macos", {"base": MachineTarget("arm64-apple-macosx11.0.0", "apple-m1")}),
}


def platforms() -> list[str]:
    """The platforms that libraries can be built for."""
    return list(PLATFORMS)


def levels_of(platform: str) -> list[str]:
    """The levels of processors of a platform."""
    return list(PLATFORMS[platform][1])


class LoweredGroup(NamedTuple):
    """Loops in intermediate code, and the paths of their objects by (platform, level)."""

    code: bytes
    symbols: set[str]
    objects: dict[tuple[str, str], Path]

    def emit(self, platform: str, level: str) -> None:
        """Optimise the code for a target and write its object."""
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        target = PLATFORMS[platform][1][level]
        module = _finish(llvm.parse_bitcode(self.code), target, self.symbols)
        write_whole(self.objects[platform, level], make_machine(target).emit_object(module))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is there as a whole or not at all, whenever the process ends."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_bytes(content)
    part.replace(path)


def mark_shared(module: Foreign) -> None:
    """Let several modules define the functions of a module. LLVM takes one of each."""
    for function in module.functions:
        if not function.is_declaration and function.linkage != llvm.Linkage.internal:
            function.linkage = "weak_odr"


def join_modules(modules: list[Foreign]) -> Foreign:
    """All functions of some modules in one.

    They are joined in pairs, because LLVM visits all that a module has already whenever another one is linked
    into it.
    """
    while len(modules) > 1:
        for first, second in zip(modules[::2], modules[1::2], strict=False):
            first.link_in(second)
        modules = modules[::2]
    return modules[0]


def _finish(module: Foreign, target: MachineTarget, visible: set[str]) -> Foreign:
    """Optimise a module for a target; hide everything but the visible names."""
    machine = make_machine(target)
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    _count_references(module, machine)
    for each in (*module.functions, *module.global_variables):
        if each.is_declaration:
            continue
        if each.name not in visible:
            each.linkage = "internal"
        elif "windows" in target.triple:
            each.storage_class = "dllexport"
    optimise(module, machine)
    return module


def _count_references(module: Foreign, machine: Foreign) -> None:
    """Drop the counts of references that cancel out, and link what counts the others.

    Numba counts in every function that receives an array. Once functions are copied into a loop, most counts
    are pairs within it, which LLVM would not recognise: sorting along x takes 2.4 times as long with them.
    Arguments have no owner, so only arrays that a loop allocates are counted.
    """
    if any(each.name.startswith("NRT_MemInfo_alloc") for each in module.functions):
        prune_references(module, machine)
    runtime = llvm.parse_assembly(_RUNTIME)
    runtime.triple, runtime.data_layout = module.triple, module.data_layout
    module.link_in(runtime)


def prune_references(module: Foreign, machine: Foreign) -> None:
    """Copy functions into their callers, and drop the counts of references that cancel out then."""
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(0))
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_refprune_pass()
    passes.run(module, builder)


def optimise(module: Foreign, machine: Foreign) -> None:
    """Run all of LLVM's passes."""
    tuning = llvm.create_pipeline_tuning_options(3)
    tuning.loop_vectorization = True
    tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)


def make_machine(target: MachineTarget) -> Foreign:
    """LLVM's description of a target, for position-independent code."""
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="pic", codemodel="default"
    )
