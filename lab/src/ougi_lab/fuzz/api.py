"""Calls of public functions with mutated arguments.

A case is a valid call of which one or two arguments, or parts of them, are replaced: other types, NaN, huge
and tiny numbers, other shapes and layouts of arrays, other classes. It must return, or raise an error of an
expected class. Case k of a seed is always the same call.
"""

from __future__ import annotations

import itertools
import math
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ougi
from ougi_lab.fuzz.calls import Arguments, Call, Rng, draw_call, draw_motion, draw_scene, draw_shape


class CallFailure(NamedTuple):
    """A case that raised an unexpected error."""

    case: int
    call: str
    error: str
    where: str


# --- mutations ------------------------------------------------------------------------------------------

_NUMBERS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    math.nan,
    math.inf,
    -math.inf,
    1e308,
    -1e308,
    1e-308,
    5e-324,
    1e200,
    1e-200,
    2**70,
)
_DTYPES = (
    "float32",
    ">f8",
    "float16",
    "int8",
    ">i4",
    "uint64",
    "bool",
    "complex128",
    "object",
    "U8",
    "S8",
    "M8[s]",
)


def _draw_junk(rng: Rng) -> Any:
    """A value of a type that is rarely meant."""
    values: list[Callable[[], Any]] = [
        lambda: None, lambda: "text", lambda: "", lambda: b"bytes", lambda: True, lambda: 1j, dict, list,
        tuple, object, lambda: int, lambda: len, lambda: np.array([]), lambda: np.array(None),
        lambda: np.float32(2), lambda: np.datetime64("2020-01-01"),
        lambda: np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False]),
        lambda: np.array(["a", 1, None], object), lambda: [1.0, [2.0, 3.0]], lambda: {1, 2}, lambda: range(3),
        lambda: iter([1.0, 2.0]), lambda: [[]], lambda: np.zeros((0, 3)), lambda: np.zeros((2, 0)),
        lambda: ougi, lambda: slice(None), lambda: Ellipsis, lambda: 10**400, lambda: "nan",
        lambda: draw_shape(rng, int(rng.integers(2, 4))), lambda: draw_motion(rng, int(rng.integers(2, 4))),
        lambda: draw_scene(rng, 3), lambda: ougi.Pose([0.0, 0.0, 0.0]),
        lambda: _NUMBERS[rng.integers(len(_NUMBERS))],
    ]  # fmt: skip
    return values[rng.integers(len(values))]()


def _mutate_array(array: Any, rng: Rng) -> Any:
    """An array with other numbers, another layout, type or shape."""
    out = np.array(array)
    action = rng.integers(14)
    if action <= 3 and out.size:
        out = out.astype(np.float64) if rng.random() < 0.9 else out
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = _NUMBERS[rng.integers(len(_NUMBERS))]
            out.reshape(-1)[rng.integers(out.size) if action < 3 else slice(None)] = min(value, 2**62)
        return out
    if action == 4:
        with np.errstate(all="ignore"):
            return out * 10.0 ** rng.uniform(-320, 308)
    if action == 5:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            dtype = _DTYPES[rng.integers(len(_DTYPES))]
            return out.astype("i8").astype(dtype) if dtype.startswith("M8") else out.astype(dtype)
    if action == 6:
        out.flags.writeable = False
        return out
    if action == 7:
        return np.repeat(out[None], 4, axis=0)[::-1][::2]
    shapes = [out[None], out[..., None], out.reshape(-1), out.T, out[..., :-1] if out.ndim else out]
    shapes += [
        np.concatenate([out, out], axis=-1) if out.ndim else out,
        out[:0] if out.ndim else out[None][:0],
    ]
    if action <= 11:
        return shapes[rng.integers(len(shapes))]
    if action == 12:
        return np.repeat(out[None], 1000, axis=0)
    return out.tolist()


def mutate(value: Any, rng: Rng) -> Any:
    """A value in place of a valid one."""
    try:
        return _mutate(value, rng)
    except (ValueError, TypeError, OverflowError):  # there is no such array
        return _draw_junk(rng)


def _mutate(value: Any, rng: Rng) -> Any:
    if rng.random() < 0.4:
        return _draw_junk(rng)
    if isinstance(value, np.ndarray | float) and not isinstance(value, bool):
        return _mutate_array(value, rng)
    if isinstance(value, int):
        others: list[Any] = [value - 1, -value, 2**31, 2**63, 2**70, str(value), np.uint64(value % 2**64)]
        return others[rng.integers(len(others))]
    if isinstance(value, tuple | list) and len(value) and rng.random() < 0.7:
        changed: list[Any] = list(value)
        changed[rng.integers(len(changed))] = mutate(changed[rng.integers(len(changed))], rng)
        return type(value)(changed) if type(value) in (tuple, list) else changed
    if isinstance(value, ougi.Shape | ougi.Motion) and rng.random() < 0.6 and value.shape:
        return value[:0] if rng.random() < 0.5 else value.reshape((-1, 1))
    return _draw_junk(rng)


def make_case(seed: int, case: int) -> tuple[Call, Arguments]:
    """A call, and its mutated arguments."""
    rng = np.random.default_rng([seed, case])
    call = draw_call(rng)
    arguments = dict(call.arguments)
    names = list(arguments)
    for _ in range(min(int(rng.integers(1, 3)), len(names))):
        name = names[rng.integers(len(names))]
        arguments[name] = mutate(arguments[name], rng)
    return call, arguments


# --- judgement ------------------------------------------------------------------------------------------


def run_case(seed: int, case: int) -> CallFailure | None:
    """Run one case; a failure if it raises what is not expected."""
    call, arguments = make_case(seed, case)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if call.name.endswith("[]"):
                call.function(*arguments.values())
            else:
                call.function(**arguments)
    except call.expected:
        return None
    except Exception as error:
        return build_failure(case, describe_call(call, arguments), error)
    return None


def build_failure(case: int, call: str, error: Exception) -> CallFailure:
    """A case that raised, with the last place in our own sources."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/ougi/" in frame.filename.replace("\\", "/")]
    where = own[-1] if own else frames[-1]
    message = f"{type(error).__name__}: {str(error)[:200]}"
    return CallFailure(case, call, message, f"{Path(where.filename).name}:{where.lineno}")


def describe_call(call: Call, arguments: Arguments) -> str:
    """The call as a line."""
    changed = {name: value for name, value in arguments.items() if value is not call.arguments[name]}
    text = ", ".join(f"{name}={_shorten(value)}" for name, value in changed.items())
    return f"{call.name}({text}{', ...' if len(changed) < len(arguments) else ''})"


def _shorten(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception as error:  # a repr must not end the run
        text = f"<repr raised {type(error).__name__}>"
    layout = f"{value.dtype}{value.shape} " if isinstance(value, np.ndarray) else ""
    return layout + (text if len(text) <= 80 else text[:77] + "...")


def iterate_cases(first: int, count: int | None) -> Any:
    """Numbers of cases."""
    return itertools.count(first) if count is None else range(first, count)
