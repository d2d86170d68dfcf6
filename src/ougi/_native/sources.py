"""What a loop is made of: digests of the modules that its machine code depends on."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
import sys
from collections.abc import Iterable
from importlib.machinery import ModuleSpec
from types import CodeType

from ougi._typing import Loop

# The modules of this package that decide what machine code is made of a kernel.
_GENERATORS = tuple(
    f"ougi._native.{name}"
    for name in ("borrow", "compiler", "furthest", "generate", "jit", "lanes", "reserve", "wide")
)
# What a module imports, at the beginning of a line or in its byte code.
_FROM = re.compile(rb"^from ([\w.]+) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_FOREIGN = {*sys.stdlib_module_names, "numpy", "numba", "llvmlite"}
_WITH_COMPILED = re.compile(rb"^(?:from|import) (?:ougi\._native|numba)\b", re.MULTILINE)


@functools.cache
def generator_digest() -> str | None:
    """Digest of what makes machine code, beside Numba. None where a program is frozen beyond reading."""
    return digest_modules(_GENERATORS)


def digest_loop(function: Loop) -> str | None:
    """Digest of all that a loop is made of: its module, those of its parts, and what they import.

    Numba's own cache looks only at the file of the function; after an edit of a kernel in another file it
    would return the old machine code. None if a module cannot be read, for example because it was typed
    into an interpreter.
    """
    digest = digest_modules(_modules_of(function))
    names = [f"{part.__module__}.{part.__name__}" for part in getattr(function, "parts", ())]
    return None if digest is None else _join([digest, *names])


def _modules_of(function: Loop) -> tuple[str, ...]:
    parts = getattr(function, "parts", ())
    return tuple(sorted({function.__module__, *(part.__module__ for part in parts)}))


def list_modules(function: Loop | None = None) -> list[str] | None:
    """The modules that a loop is made of, or those that make machine code. None if one cannot be read."""
    contents = _read_modules(_GENERATORS if function is None else _modules_of(function))
    return None if contents is None else sorted(contents)


@functools.cache
def digest_modules(modules: tuple[str, ...]) -> str | None:
    """Digest of these modules and of those that their compiled functions can use."""
    contents = _read_modules(modules)
    if contents is None:
        return None
    return _join(f"{each} {hashlib.sha256(contents[each]).hexdigest()}" for each in sorted(contents))


def _read_modules(modules: tuple[str, ...]) -> dict[str, bytes] | None:
    """The texts of these modules and of those that their compiled functions can use, if all can be read."""
    contents: dict[str, bytes] = {}
    left = list(modules)
    while left:
        name = left.pop()
        if name in contents:
            continue
        content = read_module(name)
        if content is None:
            return None
        contents[name] = content
        if _WITH_COMPILED.search(content):
            left += _used(name, content)
    return contents


def _used(name: str, content: bytes) -> list[str]:
    """The modules that a module with compiled functions imports such functions or constants from."""
    package = name.rpartition(".")[0]
    found = []
    for origin, names in _FROM.findall(content):
        for each in _modules(origin.decode(), re.findall(r"\w+", names.decode())):
            beside = each.rpartition(".")[0] == package or each.startswith("ougi.kernels.")
            if beside or _WITH_COMPILED.search(read_module(each) or b""):
                found.append(each)
    return found


def _modules(origin: str, names: list[str]) -> list[str]:
    """The modules among what a line imports; none of the standard library, of NumPy or of the compiler."""
    if origin.partition(".")[0] in _FOREIGN or origin.startswith(("ougi._native", "ougi._typing")):
        return []
    spec = _spec(origin)
    if spec is None:
        return []
    if spec.submodule_search_locations is None:
        return [origin]
    inner = [f"{origin}.{name}" for name in names]
    return [origin, *(each for each in inner if _spec(each) is not None)]


@functools.cache
def _spec(name: str) -> ModuleSpec | None:
    loaded = sys.modules.get(name)
    if loaded is not None:
        return getattr(loaded, "__spec__", None)
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None


@functools.cache
def read_module(name: str) -> bytes | None:
    """The text of a module. In a frozen program (PyInstaller, a zip file) its imports and its byte code."""
    spec = _spec(name)
    loader: object = None if spec is None else spec.loader
    origin = None if spec is None or not spec.has_location else spec.origin
    if origin is not None and origin.endswith(".py") and hasattr(loader, "get_data"):
        try:
            return bytes(loader.get_data(origin))
        except OSError:
            pass
    get_code = getattr(loader, "get_code", None)
    code = None if get_code is None else get_code(name)
    return None if code is None else describe_code(code).encode()


def describe_code(code: CodeType) -> str:
    """What a code object computes, as a text that is the same in every process (`marshal` is not)."""
    return "\n".join([*_imports(code), _describe(code)])


def _imports(code: CodeType) -> list[str]:
    """The imports of a module, written as in its source."""
    import dis

    found, names = [], []
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_FROM":
            names.append(str(step.argval))
        elif step.opname == "IMPORT_NAME":
            names = []
            found.append((step.argval, names))
    return [f"from {module} import {', '.join(names)}" for module, names in found]


def _describe(code: CodeType) -> str:
    constants = [
        _describe(constant)
        if isinstance(constant, CodeType)
        else repr(sorted(constant, key=repr) if isinstance(constant, frozenset) else constant)
        for constant in code.co_consts
    ]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return repr((code.co_name, code.co_argcount, code.co_flags, code.co_code, names, constants))


def _join(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
