"""Ahead-of-time compilation: all loops as one shared library for each kind of processor.

Numba lowers a loop to LLVM's intermediate code. Here it gets an entry point that C can call, its references
are counted only for memory that it allocates itself, and LLVM optimises it once, for the target. The entry
takes NumPy arrays as objects and reads their addresses and shapes itself, so that a call from Python stays
cheap (`runtime.c`).
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numba
from llvmlite import ir
from numba.core import cgutils
from numba.core import types as numba_types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from ougi._native import emit, inlining, jit, lowering
from ougi._native.emit import PLATFORMS, LoweredGroup, join_modules, mark_shared, write_whole
from ougi._native.inlining import limit_inlining, name_group
from ougi._native.library import MANIFEST, PACKAGE, hash_source, name_platform, name_symbol
from ougi._native.record import Recording
from ougi._native.sources import digest_loop, digest_modules, generator_digest, list_modules
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

_SCALARS = {
    "int64": "i8",
    "uint64": "u8",
    "float64": "f8",
    "bool": "b1",
    "int32": "i4",
    "uint32": "u4",
    "float32": "f4",
}


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
    if isinstance(kind, types.NamedUniTuple):  # all fields have one type
        return types.NamedUniTuple(writable(kind.dtype), kind.count, kind.instance_class)
    if isinstance(kind, types.NamedTuple):
        return types.NamedTuple(tuple(map(writable, kind.types)), kind.instance_class)
    if isinstance(kind, types.BaseTuple):
        return types.BaseTuple.from_types(tuple(map(writable, kind.types)))
    if isinstance(kind, types.Literal):
        return kind.literal_type
    return kind


def link_modules(libraries: list[Foreign]) -> Foreign:
    """One module of all functions that some libraries define or use.

    Numba writes some functions into several modules, of which LLVM takes one.
    """
    seen: dict[int, Foreign] = {}
    left = list(libraries)
    while left:
        library = left.pop()
        if id(library) not in seen:
            seen[id(library)] = library
            left += library._linking_libraries
    modules = [library._final_module.clone() for library in seen.values()]
    for library, module in zip(seen.values(), modules, strict=True):
        if library not in libraries:
            mark_shared(module)
    return join_modules(modules)


class _Entry:
    """Writes the entry point of a loop: words of 8 bytes in and out (numbers, array objects), a status."""

    def __init__(self, context: Foreign, module: ir.Module, symbol: str, signature: Foreign) -> None:
        self.context, self.module, self.signature = context, module, signature
        words = _I64.as_pointer()
        self.function = ir.Function(module, ir.FunctionType(_I32, [words, words]), symbol)
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.header = self._global(HEADER)
        self.ndarray = self._global(NDARRAY)
        self.count = 0

    def _global(self, name: str) -> ir.Value:
        variable = ir.GlobalVariable(self.module, _I64, name)
        return self.builder.load(variable)

    def write(self, fndesc: Foreign) -> None:
        builder, signature = self.builder, self.signature
        values = [self.value(kind) for kind in signature.args]
        callee = self.context.declare_function(self.module, fndesc)
        status, result = self.context.call_conv.call_function(
            builder, callee, signature.return_type, signature.args, values
        )
        with builder.if_then(status.is_error):
            builder.ret(ir.Constant(_I32, -1))
        if not isinstance(signature.return_type, types.NoneType):
            self.store(signature.return_type, result, 0)
        builder.ret(ir.Constant(_I32, 0))

    def value(self, kind: Foreign) -> ir.Value:
        """The value of the next argument as Numba passes it."""
        b = self.builder
        if isinstance(kind, types.BaseTuple):
            return self.context.make_tuple(b, kind, [self.value(part) for part in kind])
        word = b.load(b.gep(self.function.args[1], [ir.Constant(_I64, self.count)]))
        self.count += 1
        if isinstance(kind, types.Array):
            return self.array(kind, b.inttoptr(word, _POINTER))
        if isinstance(kind, types.Boolean):
            return b.icmp_unsigned("!=", word, ir.Constant(_I64, 0))
        if isinstance(kind, types.Float):
            number = b.bitcast(word, _F64)
            return number if kind.bitwidth == 64 else b.fptrunc(number, ir.FloatType())
        return word if kind.bitwidth == 64 else b.trunc(word, ir.IntType(kind.bitwidth))

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
        b.store(value, b.gep(self.function.args[0], [ir.Constant(_I64, at)]))
        return at + 1


def name_loop(function: Loop) -> str:
    """The full name of a loop."""
    return f"{function.__module__}.{function.__name__}"


def lower(function: Loop, arguments: tuple[object, ...]) -> tuple[Foreign, str]:
    """A loop and its entry point in intermediate code, and its signature."""
    kinds = tuple(writable(numba.typeof(argument)) for argument in arguments)
    made: Foreign = numba.njit(nogil=True, error_model="numpy")(function)
    with global_compiler_lock:
        made.compile(kinds)
        compiled = made.overloads[kinds]
        context, symbol = cpu_target.target_context, name_symbol(name_loop(function))
        library = context.codegen().create_library(symbol)
        module = library.create_ir_module(symbol)
        _Entry(context, module, symbol, compiled.signature).write(compiled.fndesc)
        library.add_ir_module(module)
        library.add_linking_library(compiled.library)
    result = describe_type(compiled.signature.return_type)
    return library, f"{' '.join(map(describe_type, kinds))} -> {result}"


# --- a whole library ------------------------------------------------------------------------------------


# What a library is linked with. Undefined symbols are an error on all systems.
_LINKED = {"linux": ["-lm", "-Wl,-z,defs"], "windows": [], "macos": []}
_LINK = ["-shared", "-s", "-O2", "-std=c99", "-fPIC", "-fvisibility=hidden"]
_RUNTIME_FILE = Path(__file__).with_name("runtime.c")
_SUFFIXES = {"linux": "so", "windows": "dll", "macos": "dylib"}


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
        builder = digest_modules((__name__, *(each.__name__ for each in (emit, inlining, jit, lowering))))
        return hashlib.sha256(f"{builder} {generator_digest()} {digests}".encode()).hexdigest()[:16]


# The loops of large groups are compiled in parts, so that processes share the work and need less memory.
_MAX_LOOPS = 32


def group_loops(recordings: Iterable[Recording]) -> list[LoopGroup]:
    """Loops by what they have in common."""
    groups: dict[str, list[Recording]] = {}
    for each in recordings:
        groups.setdefault(name_group(each.function), []).append(each)
    return [
        LoopGroup(f"{key}-{first}" if first else key, found[first : first + _MAX_LOOPS])
        for key, found in groups.items()
        for first in range(0, len(found), _MAX_LOOPS)
    ]


# Of a loop: its signature, the module that chose its parts, and the files that it is made of.
Row: TypeAlias = tuple[str, str, list[str]]


def _describe(function: Loop, signature: str) -> Row:
    modules = list_modules(function)
    assert modules is not None  # or its group would have no digest
    origin = getattr(function, "origin", "")
    return signature, origin, _list_files([*modules, origin] if origin else modules)


def _list_files(modules: list[str]) -> list[str]:
    """The files of modules, within this package."""
    found = [Path(str(importlib.util.find_spec(name).origin)) for name in modules]  # type: ignore[union-attr]
    return [path.relative_to(PACKAGE).as_posix() for path in found]


def lower_group(
    group: LoopGroup, targets: list[tuple[str, str]], folder: Path
) -> tuple[dict[str, Row], LoweredGroup | None]:
    """The names and rows of loops, and their code, once for all targets. None if all objects are there.

    The names of files contain the digest of their sources. A process lowers either the wide form of the lanes
    or the plain one.
    """
    digest = group.digest()
    paths = {target: folder / _name_object(group, *target) for target in targets}
    note = folder / f"{group.name}-{digest}.json"
    missing = {target: path for target, path in paths.items() if not path.exists()}
    if not missing and note.exists():
        return json.loads(note.read_text()), None
    lowered = [lower(each.function, each.arguments) for each in group.recordings]
    module = link_modules([library for library, _ in lowered])
    module = limit_inlining(module, group.name.partition("-")[0])
    symbols = {name_symbol(each.name) for each in group.recordings}
    pairs = zip(group.recordings, lowered, strict=True)
    rows = {each.name: _describe(each.function, signature) for each, (_, signature) in pairs}
    write_whole(note, json.dumps(rows).encode())
    return rows, LoweredGroup(module.as_bitcode(), symbols, missing)


def _name_object(group: LoopGroup, platform: str, level: str) -> str:
    return f"{group.name}-{platform}-{level}-{group.digest()}.o"


def split_targets(
    group: LoopGroup, targets: list[tuple[str, str]], *, is_wide: bool
) -> list[tuple[str, str]]:
    """The (platform, level)s for which a process compiles a group."""
    has_lanes = group.name == _WITH_LANES
    return [target for target in targets if (has_lanes and target[1] == WIDE_LEVEL) == is_wide]


def link(
    compiled: dict[str, Row],
    groups: list[LoopGroup],
    platform: str,
    levels: list[str],
    objects: Path,
    folder: Path,
) -> None:
    """Link the objects of groups into a library for each level, and list the loops."""
    folder.mkdir(parents=True, exist_ok=True)
    system = platform.split("-")[0]
    libraries = {}
    for level in levels:
        names = [_name_object(group, platform, level) for group in groups]
        file = folder / f"ougi-{level}.{_SUFFIXES[system]}"
        link_objects(platform, names, objects, file)
        libraries[level] = {"file": file.name, "size": file.stat().st_size}
    files = sorted({file for _, _, used in compiled.values() for file in used})
    numbers = {file: k for k, file in enumerate(files)}
    manifest = {
        "platform": platform,
        "libraries": libraries,
        "generators": [(file, hash_source(file)) for file in _list_files(list_modules() or [])],
        "files": [(file, hash_source(file)) for file in files],
        "loops": {
            name: (signature, origin, [numbers[file] for file in used])
            for name, (signature, origin, used) in sorted(compiled.items())
        },
    }
    write_whole(folder / MANIFEST, json.dumps(manifest, separators=(",", ":")).encode() + b"\n")


def link_objects(platform: str, names: list[str], objects: Path, file: Path) -> None:
    """Link objects of a folder, and what loops call, into a library.

    It is moved to its place when it is complete, because another process may have opened the one before.
    """
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        made = Path(folder).resolve() / file.name
        listing = made.with_suffix(".txt")
        listing.write_text("\n".join(names))
        command = [*find_linker(platform), *_LINK, "-o", str(made), str(_RUNTIME_FILE)]
        command += [f"@{listing}"] if names else []  # of an empty list zig reads the file before it twice
        command += _LINKED[platform.split("-")[0]]
        done = subprocess.run(command, cwd=objects, capture_output=True, text=True)
        if done.returncode != 0:
            raise OSError(f"{command[0]} cannot link {file.name}:\n{done.stderr}")
        made.replace(file)


def find_linker(platform: str) -> list[str]:
    """The command that links: zig for every platform if it is installed, else the compiler of this one."""
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc", "-target", PLATFORMS[platform][0]]
    if platform == name_platform() and (found := shutil.which("cc")):
        return [found]
    raise FileNotFoundError(f"linking for {platform} needs ziglang: pip install ziglang")
