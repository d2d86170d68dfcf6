"""Ahead-of-time compilation: all loops as one shared library for each kind of processor.

Numba lowers a loop to LLVM's intermediate code. Here it gets an entry point that C can call, its references
are counted only for memory that it allocates itself, and LLVM optimises it once, for the target. The entry
takes NumPy arrays as objects and reads their addresses and shapes itself, so that a call from Python stays
cheap.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import _dynfunc
from numba.core import cgutils, dispatcher
from numba.core import types as numba_types
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys

from ougi._native import generate
from ougi._native.library import MANIFEST, name_platform, name_symbol
from ougi._native.record import Recording
from ougi._native.sources import digest_loop, digest_modules, generator_digest
from ougi._typing import Foreign, Loop

_I8, _I32, _I64, _F64 = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
_POINTER = _I8.as_pointer()
types: Foreign = numba_types

# Where the fields of a NumPy array and of its dtype lie behind the header of a Python object, in bytes.
_DATA, _NDIM, _SHAPE, _STRIDES, _DTYPE, _FLAGS = 0, 8, 16, 24, 40, 48
_KIND, _ITEMSIZE = 8, 24
# C-contiguous and aligned.
_WANTED = 0x101

# Global numbers of a library that `library.py` sets: the size of an object's header, the address of ndarray.
HEADER, NDARRAY = "ougi_header", "ougi_ndarray"

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
_SCALARS = {
    "int64": "i8",
    "uint64": "u8",
    "float64": "f8",
    "bool": "b1",
    "int32": "i4",
    "uint32": "u4",
    "float32": "f4",
}


class MachineTarget(NamedTuple):
    """What code is made for."""

    triple: str
    cpu: str
    features: str = ""


class SignatureError(TypeError):
    """A loop takes or returns something that an entry point cannot pass."""


def describe_type(kind: Foreign) -> str:
    """A Numba type as `load` reads it: f8 is a number, f8:2 a matrix, ( ... ) a tuple."""
    if isinstance(kind, types.Array):
        if kind.layout != "C":
            raise SignatureError(f"arrays must be C-contiguous, got {kind}")
        return f"{_SCALARS[str(kind.dtype)]}:{kind.ndim}"
    if isinstance(kind, types.BaseTuple):
        return " ".join(["(", *map(describe_type, kind), ")"])
    if isinstance(kind, types.NoneType):
        return "()"
    if str(kind) not in _SCALARS:
        raise SignatureError(f"a loop cannot take or return {kind}")
    return _SCALARS[str(kind)]


def writable(kind: Foreign) -> Foreign:
    """The type of an argument without its write protection, which decides nothing about the code."""
    if isinstance(kind, types.Array):
        return types.Array(kind.dtype, kind.ndim, kind.layout)
    if isinstance(kind, types.NamedTuple):
        return types.NamedTuple(tuple(map(writable, kind.types)), kind.instance_class)
    if isinstance(kind, types.BaseTuple):
        return types.BaseTuple.from_types(tuple(map(writable, kind.types)))
    if isinstance(kind, types.Literal):
        return kind.literal_type
    return kind


def lower_only() -> None:
    """From now on Numba lowers what it compiles: it neither links and optimises it, nor makes machine code.

    So each function exists once, in a module of its own, and `link_modules` brings together what loops use.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    context = cpu_target.target_context
    rtsys.initialize(context)  # which runs code of its own
    rtsys._library = context.codegen().create_library("ougi_runtime")
    rtsys._library.add_llvm_module(llvm.parse_assembly(_RUNTIME))

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

    dispatcher._FunctionCompiler._customize_flags = without_wrappers  # type: ignore[attr-defined]
    CPUContext.get_executable = make_name
    CPUCodeLibrary._optimize_functions = set_layout
    CPUCodeLibrary.finalize = finish


def link_modules(libraries: list[Foreign]) -> Foreign:
    """One module of all functions that some libraries define or use.

    Numba writes some functions into several modules. A user comes before what it uses, so that LLVM takes one
    of them and drops what nothing refers to.
    """
    seen: dict[int, Foreign] = {}
    left = list(libraries)
    while left:
        library = left.pop()
        if id(library) not in seen:
            seen[id(library)] = library
            left += library._linking_libraries
    module = llvm.parse_assembly("")
    for library in seen.values():
        is_shared = library not in libraries and library is not rtsys.library
        for function in library._final_module.functions:
            if is_shared and not function.is_declaration:
                function.linkage = "linkonce_odr"
        module.link_in(library._final_module, preserve=True)
    return module


class _Entry:
    """Writes the entry point of a loop: numbers and array objects in, a status out."""

    def __init__(self, context: Foreign, module: ir.Module, symbol: str, signature: Foreign) -> None:
        self.context, self.module, self.signature = context, module, signature
        leaves = [leaf for kind in signature.args for leaf in _leaves(kind)]
        arguments = [_POINTER, *(_llvm_type(leaf) for leaf in leaves)]
        self.function = ir.Function(module, ir.FunctionType(_I32, arguments), symbol)
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.header = self._global(HEADER)
        self.ndarray = self._global(NDARRAY)
        self.count = 0

    def _global(self, name: str) -> ir.Value:
        variable = ir.GlobalVariable(self.module, _I64, name)
        return self.builder.load(variable)

    def write(self, fndesc: Foreign) -> None:
        builder, signature = self.builder, self.signature
        given = iter(self.function.args[1:])
        values = [self.value(kind, given) for kind in signature.args]
        callee = self.context.declare_function(self.module, fndesc)
        status, result = self.context.call_conv.call_function(
            builder, callee, signature.return_type, signature.args, values
        )
        with builder.if_then(status.is_error):
            builder.ret(ir.Constant(_I32, -1))
        if not isinstance(signature.return_type, types.NoneType):
            self.store(signature.return_type, result, 0)
        builder.ret(ir.Constant(_I32, 0))

    def value(self, kind: Foreign, given: Iterator[ir.Value]) -> ir.Value:
        """The value of an argument as Numba passes it, from the arguments of the entry."""
        if isinstance(kind, types.BaseTuple):
            return self.context.make_tuple(self.builder, kind, [self.value(part, given) for part in kind])
        self.count += 1
        argument = next(given)
        if isinstance(kind, types.Array):
            return self.array(kind, argument)
        if isinstance(kind, types.Boolean):
            return self.builder.icmp_unsigned("!=", argument, ir.Constant(_I8, 0))
        return argument

    def field(self, address: ir.Value, offset: int, kind: ir.Type) -> ir.Value:
        at = self.builder.gep(address, [ir.Constant(_I64, offset)])
        return self.builder.load(self.builder.bitcast(at, kind.as_pointer()))

    def array(self, kind: Foreign, item: ir.Value) -> ir.Value:
        """An array without an owner: the caller holds it until the loop has ended."""
        b = self.builder
        fields = b.gep(item, [self.header])
        cls = b.load(b.bitcast(b.gep(fields, [ir.Constant(_I64, -8)]), _I64.as_pointer()))
        self.require(b.icmp_unsigned("==", cls, self.ndarray))
        dtype = b.gep(self.field(fields, _DTYPE, _POINTER), [self.header])
        code = _SCALARS[str(kind.dtype)]
        size = int(code[1:])
        flags = b.and_(self.field(fields, _FLAGS, _I32), ir.Constant(_I32, _WANTED))
        self.require(
            b.and_(
                b.and_(
                    b.icmp_unsigned("==", self.field(fields, _NDIM, _I32), ir.Constant(_I32, kind.ndim)),
                    b.icmp_unsigned("==", flags, ir.Constant(_I32, _WANTED)),
                ),
                b.and_(
                    b.icmp_unsigned("==", self.field(dtype, _KIND, _I8), ir.Constant(_I8, ord(code[0]))),
                    b.icmp_unsigned("==", self.field(dtype, _ITEMSIZE, _I64), ir.Constant(_I64, size)),
                ),
            )
        )
        made = self.context.make_array(kind)(self.context, b)
        made.meminfo = cgutils.get_null_value(made.meminfo.type)
        made.parent = cgutils.get_null_value(made.parent.type)
        made.itemsize = ir.Constant(_I64, size)
        made.data = b.bitcast(self.field(fields, _DATA, _POINTER), made.data.type)
        shape, strides = (self.field(fields, at, _POINTER) for at in (_SHAPE, _STRIDES))
        lengths = [self.field(shape, 8 * k, _I64) for k in range(kind.ndim)]
        steps = [self.field(strides, 8 * k, _I64) for k in range(kind.ndim)]
        made.shape = cgutils.pack_array(b, lengths, _I64)
        made.strides = cgutils.pack_array(b, steps, _I64)
        total = ir.Constant(_I64, 1)
        for length in lengths:
            total = b.mul(total, length)
        made.nitems = total
        return made._getvalue()

    def require(self, condition: ir.Value) -> None:
        """Return the number of the argument unless a condition holds."""
        with self.builder.if_then(self.builder.not_(condition), likely=False):
            self.builder.ret(ir.Constant(_I32, self.count))

    def store(self, kind: Foreign, value: ir.Value, at: int) -> int:
        """Write a result as words of 8 bytes from word `at` on; the next free word."""
        b = self.builder
        if isinstance(kind, types.BaseTuple):
            for k, part in enumerate(kind):
                at = self.store(part, b.extract_value(value, k), at)
            return at
        if isinstance(kind, types.Array):
            made = self.context.make_array(kind)(self.context, b, value)
            words = [made.meminfo, made.data, *cgutils.unpack_tuple(b, made.shape, kind.ndim)]
            for word in words:
                at = self.word(b.ptrtoint(word, _I64) if isinstance(word.type, ir.PointerType) else word, at)
            return at
        if isinstance(kind, types.Float):
            return self.word(b.bitcast(b.fpext(value, _F64) if kind.bitwidth < 64 else value, _I64), at)
        if value.type.width < 64:
            value = (b.sext if getattr(kind, "signed", False) else b.zext)(value, _I64)
        return self.word(value, at)

    def word(self, value: ir.Value, at: int) -> int:
        b = self.builder
        address = b.gep(b.bitcast(self.function.args[0], _I64.as_pointer()), [ir.Constant(_I64, at)])
        b.store(value, address)
        return at + 1


def _leaves(kind: Foreign) -> list[Foreign]:
    if isinstance(kind, types.BaseTuple):
        return [leaf for part in kind for leaf in _leaves(part)]
    return [kind]


def _llvm_type(kind: Foreign) -> ir.Type:
    if isinstance(kind, types.Array):
        return _POINTER
    if isinstance(kind, types.Float):
        return _F64 if kind.bitwidth == 64 else ir.FloatType()
    return _I8 if isinstance(kind, types.Boolean) else ir.IntType(kind.bitwidth)


def lower(function: Loop, arguments: tuple[object, ...]) -> tuple[Foreign, str]:
    """A loop and its entry point in intermediate code, and its signature."""
    kinds = tuple(writable(numba.typeof(argument)) for argument in arguments)
    made: Foreign = numba.njit(nogil=True, error_model="numpy")(function)
    with global_compiler_lock:
        made.compile(kinds)
        compiled = made.overloads[kinds]
        context, symbol = cpu_target.target_context, name_symbol(function)
        library = context.codegen().create_library(symbol)
        module = library.create_ir_module(symbol)
        _Entry(context, module, symbol, compiled.signature).write(compiled.fndesc)
        library.add_ir_module(module)
        library.add_linking_library(compiled.library)
    result = describe_type(compiled.signature.return_type)
    return library, f"{' '.join(map(describe_type, kinds))} -> {result}"


def _finish(module: Foreign, target: MachineTarget, visible: set[str]) -> Foreign:
    """Optimise a module for a target; hide everything but the visible names."""
    machine = make_machine(target)
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    for each in (*module.functions, *module.global_variables):
        if each.is_declaration:
            continue
        if each.name not in visible:
            each.linkage = "internal"
        elif "windows" in target.triple:
            each.storage_class = "dllexport"
    _run_passes(module, machine)
    return module


def _run_passes(module: Foreign, machine: Foreign) -> None:
    tuning = llvm.create_pipeline_tuning_options(3)
    tuning.loop_vectorization = True
    tuning.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)


def make_machine(target: MachineTarget) -> Foreign:
    """LLVM's description of a target, for position-independent code."""
    return llvm.MachineTarget.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="pic", codemodel="default"
    )


# --- a whole library ------------------------------------------------------------------------------------


def _list_x86_levels(triple: str) -> dict[str, MachineTarget]:
    """Levels of x86-64. LLVM avoids vectors of 512 bits in v4, which takes 1.1 to 1.4 times as long."""
    features = {"v4": "-prefer-256-bit"}
    return {
        level: MachineTarget(triple, f"x86-64-{level}", features.get(level, ""))
        for level in ("v2", "v3", "v4")
    }


# The processors of a platform, and the linker's name of it (`zig cc -target`).
_PLATFORMS: dict[str, tuple[str, dict[str, MachineTarget]]] = {
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
# What a library is linked with. Undefined symbols are an error on all systems.
_LINKED = {"linux": ["-lm", "-Wl,-z,defs"], "windows": [], "macos": []}
_LINK = ["-shared", "-s", "-O2", "-std=c99", "-fPIC", "-fvisibility=hidden"]
_RUNTIME_FILE = Path(__file__).with_name("runtime.c")
_SUFFIXES = {"linux": "so", "windows": "dll", "macos": "dylib"}


def platforms() -> list[str]:
    """The platforms that libraries can be built for."""
    return list(_PLATFORMS)


def levels_of(platform: str) -> list[str]:
    """The levels of processors of a platform."""
    return list(_PLATFORMS[platform][1])


# Loops of this package have another form for the level with AVX-512.
_WITH_LANES, WIDE_LEVEL = "ougi.broad", "v4"


class LoopGroup(NamedTuple):
    """Loops that share functions, compiled as one module."""

    name: str
    recordings: list[Recording]

    def digest(self) -> str:
        """Digest of all sources."""
        digests = {each.name: digest_loop(each.function) for each in self.recordings}
        if unknown := [name for name, digest in digests.items() if digest is None]:
            raise ValueError(f"the sources of {unknown[0]} cannot be read")
        builder = digest_modules((__name__,))
        return hashlib.sha256(f"{builder} {generator_digest()} {digests}".encode()).hexdigest()[:16]


def group_loops(recordings: Iterable[Recording]) -> list[LoopGroup]:
    """Loops by what they have in common: the query of a pair, or the package."""
    groups: dict[str, LoopGroup] = {}
    for each in recordings:
        module, _, name = each.name.rpartition(".")
        key = name.split("_")[1] if module == generate.__name__ else module.rpartition(".")[0]
        groups.setdefault(key, LoopGroup(key, [])).recordings.append(each)
    return list(groups.values())


def compile_group(
    group: LoopGroup, platform: str, levels: list[str], folder: Path
) -> dict[str, tuple[str, str]]:
    """Compile loops into an object file for each level; their names, digests and signatures.

    Files that are there already are not written again, because their names contain the digest of their
    sources. A process compiles either the wide form of the lanes or the plain one.
    """
    digest = group.digest()
    paths = {level: folder / f"{group.name}-{level}-{digest}.o" for level in levels}
    note = folder / f"{group.name}-{digest}.json"
    if not note.exists() or not all(path.exists() for path in paths.values()):
        lowered = [lower(each.function, each.arguments) for each in group.recordings]
        code = link_modules([library for library, _ in lowered]).as_bitcode()
        symbols = {name_symbol(each.function) for each in group.recordings}
        for level, path in paths.items():
            target = _PLATFORMS[platform][1][level]
            module = _finish(llvm.parse_bitcode(code), target, symbols)
            path.write_bytes(make_machine(target).emit_object(module))
        rows = zip(group.recordings, lowered, strict=True)
        signatures = {each.name: (digest_loop(each.function), signature) for each, (_, signature) in rows}
        note.write_text(json.dumps(signatures))
    return json.loads(note.read_text())  # type: ignore[no-any-return]


def split_levels(group: LoopGroup, levels: list[str], *, is_wide: bool) -> list[str]:
    """The levels for which a process compiles a group."""
    has_lanes = group.name == _WITH_LANES
    return [level for level in levels if (has_lanes and level == WIDE_LEVEL) == is_wide]


def link(
    compiled: dict[str, tuple[str, str]],
    groups: list[LoopGroup],
    platform: str,
    levels: list[str],
    objects: Path,
    folder: Path,
) -> None:
    """Link the objects of groups, with loops as name: (digest, signature), into a library for each level."""
    folder.mkdir(parents=True, exist_ok=True)
    system = platform.split("-")[0]
    libraries = {}
    for level in levels:
        names = [f"{group.name}-{level}-{group.digest()}.o" for group in groups]
        listing = objects / f"{level}.txt"
        listing.write_text("\n".join(names))
        file = folder / f"ougi-{level}.{_SUFFIXES[system]}"
        command = [*find_linker(platform), *_LINK, "-o", str(file.resolve()), str(_RUNTIME_FILE)]
        command.append(f"@{listing.name}")
        subprocess.run([*command, *_LINKED[system]], check=True, cwd=objects)
        for unused in folder.glob("*.lib"):  # for linking, on Windows
            unused.unlink()
        libraries[level] = {"file": file.name, "size": file.stat().st_size}
    manifest = {
        "platform": platform,
        "generators": generator_digest(),
        "libraries": libraries,
        "loops": {name: list(row) for name, row in sorted(compiled.items())},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")


def find_linker(platform: str) -> list[str]:
    """The command that links: zig for every platform if it is installed, else the compiler of this one."""
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc", "-target", _PLATFORMS[platform][0]]
    if platform == name_platform() and (found := shutil.which("cc")):
        return [found]
    raise FileNotFoundError(f"linking for {platform} needs ziglang: pip install ziglang")
