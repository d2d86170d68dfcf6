"""Calls of entry points: a Python function for each loop of a library, made from its signature.

A signature reads `f8:2 ( f8:2 i8 ) i8 -> ()`: f8 is a number, f8:2 a matrix, parentheses hold a tuple.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from ougi._typing import Array, Foreign, Loop

# A number or an array as a string, a tuple as a list.
Kind: TypeAlias = str | list["Kind"]

_TYPES: dict[str, type] = {
    "i8": ctypes.c_int64,
    "u8": ctypes.c_uint64,
    "i4": ctypes.c_int32,
    "u4": ctypes.c_uint32,
    "f8": ctypes.c_double,
    "f4": ctypes.c_float,
    "b1": ctypes.c_bool,
}


def read_signature(text: str) -> tuple[list[Kind], list[Kind]]:
    """Arguments and results: a string for a number or an array, a list for a tuple."""
    arguments, _, results = text.partition("->")
    return list(_read(iter(arguments.split()))), list(_read(iter(results.split())))


def _read(tokens: Iterator[str]) -> Iterator[Kind]:
    for token in tokens:
        if token == ")":
            return
        yield list(_read(tokens)) if token == "(" else [] if token == "()" else token


def bind(function: Loop, entry: Foreign, signature: str, release: Foreign) -> Loop:
    """A function that calls an entry point with the arguments of `function`."""
    arguments, (result,) = read_signature(signature)
    leaves = list(_leaves(arguments))
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    slots = [f"x{k}" for k in range(len(leaves))]
    given = iter(slots)
    lines = [f"{_pattern(kind, given)} = {name}" for name, kind in zip(names, arguments, strict=True)]
    results = Results(result, release)
    call = f"entry({', '.join([results.slot, *slots])})"
    # NumPy's numbers are none for ctypes.
    numbers = [
        slot if ":" in leaf else f"{'float' if leaf[0] == 'f' else 'int'}({slot})"
        for slot, leaf in zip(slots, leaves, strict=True)
    ]
    again = f"entry({', '.join([results.slot, *numbers])})"
    text = "\n".join(
        [
            f"def {function.__name__}({', '.join(names)}):",
            *(f"    {line}" for line in [*lines, *results.before]),
            "    try:",
            f"        status = {call}",
            "    except ArgumentError:",
            f"        status = {again}",
            "    if status:",
            f"        fail(status, ({', '.join(slots)},))",
            *([f"    return {results.after}"] if results.after else []),
        ]
    )

    def fail(status: int, values: tuple[object, ...]) -> None:
        if status < 0:
            raise RuntimeError(f"{function.__name__} failed: a loop ran out of memory or raised an error")
        value, leaf = values[status - 1], leaves[status - 1]
        found = (
            f"{value.dtype} of shape {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__
        )
        raise TypeError(
            f"argument {status} of {function.__name__} must be a C-contiguous array {leaf} (dtype:"
            f"dimensions), got {found}"
        )

    entry.argtypes = [
        ctypes.c_void_p,
        *(ctypes.py_object if ":" in leaf else _TYPES[leaf] for leaf in leaves),
    ]
    entry.restype = ctypes.c_int32
    namespace = {
        "entry": entry,
        "fail": fail,
        "ArgumentError": ctypes.ArgumentError,
        "Words": results.words,
        "byref": ctypes.byref,
        "take": results.take,
        "__name__": function.__module__,
    }
    exec(text, namespace)
    bound: Foreign = namespace[function.__name__]
    bound.py_func, bound.signature, bound.__doc__ = function, signature, function.__doc__
    return bound  # type: ignore[no-any-return]


def _leaves(kinds: list[Kind]) -> Iterator[str]:
    for kind in kinds:
        if isinstance(kind, list):
            yield from _leaves(kind)
        else:
            yield kind


def _pattern(kind: Kind, slots: Iterator[str]) -> str:
    """The left side of an assignment that takes a tuple apart."""
    if isinstance(kind, list):
        return f"[{', '.join(_pattern(part, slots) for part in kind)}]"
    return next(slots)


class Results:
    """How the results of a loop are read from the words that its entry point writes."""

    def __init__(self, kind: Kind, release: Foreign) -> None:
        self._release = release
        release.argtypes, release.restype = [ctypes.c_void_p], None
        self._fields: list[type] = []
        self.after = "" if kind == [] else self._read(kind)
        fields = [(f"w{k}", each) for k, each in enumerate(self._fields)]
        self.words = type("Words", (ctypes.Structure,), {"_fields_": fields})
        self.before = ["words = Words()"] if fields else []
        self.slot = "byref(words)" if fields else "None"

    def _read(self, kind: Kind) -> str:
        if isinstance(kind, list):
            return f"({', '.join(map(self._read, kind))},)"
        if ":" not in kind:
            return self._word(
                ctypes.c_double if kind[0] == "f" else ctypes.c_bool if kind == "b1" else ctypes.c_int64
            )
        code, _, ndim = kind.partition(":")
        words = [self._word(ctypes.c_int64) for _ in range(2 + int(ndim))]
        return f"take({code!r}, {words[0]}, {words[1]}, ({', '.join(words[2:])},))"

    def _word(self, kind: type) -> str:
        self._fields.append(kind)
        return f"words.w{len(self._fields) - 1}"

    def take(self, code: str, info: int, data: int, shape: tuple[int, ...]) -> Array:
        """A copy of an array that a loop has allocated; its memory is released."""
        out = np.empty(shape, code)
        ctypes.memmove(out.ctypes.data, data, math.prod(shape) * out.itemsize)
        self._release(info)
        return out
