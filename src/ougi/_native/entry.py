"""Calls of entry points: a builtin function for each loop of a library, made from its signature.

A signature reads `f8:2 ( f8:2 i8 ) i8 -> ()`: f8 is a number, f8:2 a matrix, parentheses hold a tuple. All
loops are called through one function of the library (`ougi_call` in `runtime.c`), which reads the arguments
itself. A call takes a tenth of the time of one through `ctypes`.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from ougi._typing import Foreign, Loop

# A number or an array as a string, a tuple as a list.
Kind: TypeAlias = str | list["Kind"]

# What `ougi_call` uses of the interpreter, in the order of `ougi_python` in `runtime.c`.
_FUNCTIONS = (
    "PyLong_AsLongLong", "PyLong_AsUnsignedLongLongMask", "PyFloat_AsDouble", "PyObject_IsTrue",
    "PyLong_FromLongLong", "PyLong_FromUnsignedLongLong", "PyFloat_FromDouble", "PyBool_FromLong",
    "PyTuple_GetItem", "PyTuple_New", "PyTuple_SetItem", "PyEval_SaveThread", "PyEval_RestoreThread",
    "PyErr_Occurred", "PyErr_Format", "PyLong_AsVoidPtr", "Py_IncRef",
)  # fmt: skip
_OBJECTS = (None, TypeError, RuntimeError)
_MAX_WORDS = 128
_FASTCALL = 0x0080


class _LoopEntry(ctypes.Structure):
    _fields_ = (
        ("entry", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("arguments", ctypes.c_char_p),
        ("result", ctypes.c_char_p),
        ("count", ctypes.c_int64),
    )


class _Method(ctypes.Structure):
    """A PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("call", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


# What builtin functions refer to. They live as long as the process.
_alive: list[ctypes.Structure] = []


def connect(handle: ctypes.CDLL) -> None:
    """Give an open library the functions of the interpreter that it calls."""
    names = len(_FUNCTIONS)
    table = (ctypes.c_void_p * (names + len(_OBJECTS))).in_dll(handle, "ougi_python")
    for k, name in enumerate(_FUNCTIONS):
        table[k] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p)
    for k, item in enumerate(_OBJECTS, names):
        table[k] = id(item)


def read_signature(text: str) -> tuple[list[Kind], list[Kind]]:
    """Arguments and results: a string for a number or an array, a list for a tuple."""
    arguments, _, results = text.partition("->")
    return list(_read(iter(arguments.split()))), list(_read(iter(results.split())))


def _read(tokens: Iterator[str]) -> Iterator[Kind]:
    for token in tokens:
        if token == ")":
            return
        yield list(_read(tokens)) if token == "(" else [] if token == "()" else token


def encode(kind: Kind) -> str:
    """A kind of arguments or results as `ougi_call` reads it: one character each."""
    if isinstance(kind, list):
        return chr(ord("0") + len(kind)) + "".join(map(encode, kind))
    return "A" if ":" in kind else str(kind)[0]


def bind(name: str, address: ctypes.c_void_p, signature: str, handle: ctypes.CDLL) -> Loop:
    """A function that calls the entry point at an address of an open library."""
    arguments, (result,) = read_signature(signature)
    words = [] if result == [] else _flatten(result)
    if max(len(_flatten(arguments)), len(words)) > _MAX_WORDS:
        raise ValueError(f"{name} takes or returns more than {_MAX_WORDS} numbers and arrays")
    has_arrays = any(":" in word for word in words)
    loop = _LoopEntry(
        address,
        name.encode(),
        "".join(map(encode, arguments)).encode(),
        ("" if not words else encode(_as_words(result)) if has_arrays else encode(result)).encode(),
        len(arguments),
    )
    method = _Method(loop.name, ctypes.cast(handle.ougi_call, ctypes.c_void_p), _FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    call = make(ctypes.addressof(method), ctypes.addressof(loop), None)
    _alive.extend((loop, method))
    if not has_arrays:
        return call  # type: ignore[no-any-return]
    release = handle.ougi_release
    release.argtypes, release.restype = [ctypes.c_void_p], None
    return lambda *arguments: _take(result, iter(call(*arguments)), release)


def _flatten(kind: Kind) -> list[str]:
    if isinstance(kind, list):
        return [leaf for part in kind for leaf in _flatten(part)]
    return [kind]


def _as_words(kind: Kind) -> list[Kind]:
    """The numbers that stand for a result with arrays: of an array its block, its address and its shape."""
    leaves = _flatten(kind)
    return [code for leaf in leaves for code in (["u8"] * (2 + int(leaf[3:])) if ":" in leaf else [leaf])]


def _take(kind: Kind, words: Iterator[Foreign], release: Foreign) -> Foreign:
    """A result, from its words. Arrays that a loop has allocated are copied, and their memory is released."""
    if isinstance(kind, list):
        return tuple(_take(part, words, release) for part in kind)
    if ":" not in kind:
        return next(words)
    info, data = next(words), next(words)
    out = np.empty([next(words) for _ in range(int(kind[3:]))], kind[:2])
    ctypes.memmove(out.ctypes.data, data, math.prod(out.shape) * out.itemsize)
    release(info)
    return out
