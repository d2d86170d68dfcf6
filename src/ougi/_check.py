"""Checks of user input: done once, at the door. Every message names the argument, the value and the place."""

from __future__ import annotations

import math
import operator
import reprlib
import sys
from collections.abc import Iterable
from typing import TypeVar

import numpy as np

from ougi._typing import Array, ArrayLike, Bools, Floats, Foreign, Ints

# Kernels multiply up to six lengths. A search over all pairs of shapes, drawn with numbers from 1e-15 to 1e6
# and then scaled, found wrong answers from a scale of 1e-50 down and of 1e52 up, and none in between.
MIN_LENGTH, MAX_LENGTH = 1e-40, 1e40

# Bounds, points and poses of what is in range: sums of a few such lengths.
MAX_COORDINATE = 1e41

# Radians: a million turns. A time within one turn still has ten digits then.
MAX_ANGLE = 2e6 * math.pi

# Pieces of an arc in `outline` and `mesh`; a million is 150 MB of mesh.
MAX_PIECES = 1_000_000

_RESCALE = "; scale the whole scene by a power of two, which is exact"
_FEWER_TURNS = "; cut the motion into several, or take whole turns off an orientation by math.remainder"

# A quaternion, axis or rotation matrix further than this from its ideal length is a mistake, not rounding.
UNIT_TOLERANCE = 1e-6


def _locate(bad: Bools) -> tuple[tuple[int, ...], str]:
    """The first True of `bad` as an index, and as words (nothing to say for a single value)."""
    where = np.unravel_index(int(np.argmax(bad)), bad.shape)
    index = tuple(int(i) for i in where)
    if not index:
        return index, ""
    return index, f" at index {index[0] if len(index) == 1 else index}"


def refuse(bad: Bools | np.bool_, name: str, rule: str, values: Floats, advice: str = "") -> None:
    """Raise ValueError for the first entry where `bad`; `values` may have trailing component axes.

    What to do instead, `advice`, ends the message.
    """
    if bad.any():
        index, words = _locate(np.asarray(bad))
        raise ValueError(f"{name} must {rule}, got {np.asarray(values[index]).tolist()}{words}{advice}")


# Kinds of NumPy types that are no numbers -> what they are and what to do.
_KINDS = {
    "b": "booleans; if 1 and 0 are meant, convert them with astype(float)",
    "c": "complex numbers; give real ones, for example their .real",
    "m": "durations; divide them by np.timedelta64(1, 's') to get seconds",
    "M": "dates; subtract a first one and divide by np.timedelta64(1, 's') to get seconds",
    "S": "bytes; convert them to numbers first",
    "U": "text; convert it to numbers first",
    "T": "text; convert it to numbers first",
    "V": "records with named fields; join the fields by np.stack(..., axis=-1)",
}

_JOIN = "ougi.concatenate joins shapes or motions of one class into one batch"


def _find_disguise(value: Foreign) -> str | None:
    """What NumPy would take for numbers although it holds none, or lose on the way; None for all others."""
    if isinstance(value, bytes | bytearray) or (isinstance(value, memoryview) and value.format in ("B", "c")):
        return _KINDS["S"]
    if "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray):
        return "a masked array; fill it by .filled(value), or select what is not masked"
    of_table: Foreign = getattr(value, "dtypes", None)
    columns = of_table if hasattr(of_table, "__iter__") else (getattr(value, "dtype", None),)
    if any(getattr(column, "name", None) == "category" for column in columns):
        return "a categorical column; convert it by .astype(float), or give its codes"
    return None


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 100


def describe_value(value: Foreign) -> str:
    """A value in one short line, because it may be a list of a million numbers."""
    try:
        return " ".join(_SHORT.repr(value).split())
    except ValueError:  # Python writes no integer of more than 4,300 digits
        return "a number of thousands of digits"


def require_choice(name: str, value: Foreign, choices: Iterable[str]) -> None:
    """Refuse what is not one of a few texts."""
    known = tuple(choices)
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}; got {describe_value(value)}")


def describe_class(value: Foreign) -> str:
    """The class of a value, for a message; of a list of shapes or motions also theirs, and what to do."""
    inner = value
    while isinstance(inner, list | tuple) and inner:
        inner = inner[0]
        if hasattr(type(inner), "layouts"):
            return f"{type(value).__name__} of {type(inner).__name__}; {_JOIN}"
    return type(value).__name__


def _find_object_fault(value: Foreign) -> str | None:
    """What an element of an array of Python objects is, if float() must not convert it."""
    if hasattr(type(value), "layouts"):
        return f"a {type(value).__name__}; {_JOIN}"
    if type(value).__module__ == "datetime":
        return _KINDS["m" if hasattr(value, "total_seconds") else "M"]
    kind = (
        np.asarray(value).dtype.kind if isinstance(value, bool | complex | bytes | str | np.generic) else "O"
    )
    return _KINDS.get(kind)


def _examine(value: Foreign) -> tuple[Foreign, str | None]:
    """`value` as an array, and why that holds no numbers, if so."""
    if type(value) is np.ndarray and value.dtype.kind in "fiu":
        return value, None
    if value is None:
        return None, "no value"
    if not isinstance(value, float | int | list | tuple) and (fault := _find_disguise(value)):
        return None, fault
    try:
        given = np.asarray(value)
    except (TypeError, ValueError) as error:
        ragged = "lists of different lengths" if "inhomogeneous" in str(error) else str(error)
        return None, ragged if describe_class(value) == type(value).__name__ else describe_class(value)
    if given.dtype.kind == "O":
        return given, next(filter(None, map(_find_object_fault, given.flat)), None)
    return given, _KINDS.get(given.dtype.kind)


def array(name: str, value: ArrayLike, largest: float = MAX_LENGTH) -> Floats:
    """A float64 copy of `value`, finite and not beyond `largest`."""
    return in_range(name, _convert(name, value), largest)


def angles(name: str, value: ArrayLike, degrees: bool = False) -> Floats:
    """A float64 copy of `value` in radians, finite and at most a million turns."""
    if not isinstance(degrees, bool | np.bool_):
        raise TypeError(f"degrees must be True or False, got {describe_value(degrees)}")
    given = _convert(name, value)
    return turns_in_range(name, np.radians(given) if degrees else given)


def in_range(name: str, values: Floats, largest: float = MAX_LENGTH, advice: str = _RESCALE) -> Floats:
    """The values; refused if one is not finite or exceeds `largest`."""
    top = np.maximum.reduce(np.abs(values), axis=None, initial=0.0)  # NaN if one of them is
    if not top <= largest or top == np.inf:
        refuse(~np.isfinite(values), name, "be finite", values)
        refuse(np.abs(values) > largest, name, f"not exceed {largest:g}", values, advice)
    return values


def turns_in_range(name: str, values: Floats) -> Floats:
    """The angles; refused if one is not finite or more than a million turns."""
    return in_range(name, values, MAX_ANGLE, _FEWER_TURNS)


def refuse_tiny(**lengths: Floats) -> None:
    """Raise ValueError for a body all of whose lengths are below MIN_LENGTH, unless all are 0.

    A tiny number beside an ordinary one is harmless. If the largest is tiny, products of lengths vanish.
    Points are (..., d), sizes of one number (..., 1).
    """
    largest: Floats = np.zeros(())
    for value in reversed(lengths.values()):
        for k in range(value.shape[-1]):
            largest = np.maximum(largest, np.abs(value[..., k]))
            if not are_tiny(largest):
                return
    names = list(lengths)
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    rule = f"have a number of at least {MIN_LENGTH:g} in size, or be 0"
    refuse((largest < MIN_LENGTH) & (largest > 0), listed, rule, largest, _RESCALE)


def are_tiny(values: Floats) -> bool:
    """Is one of the values below MIN_LENGTH?"""
    return bool(np.minimum.reduce(values, axis=None, initial=MIN_LENGTH) < MIN_LENGTH)


def _convert(name: str, value: ArrayLike) -> Floats:
    """A float64 copy of `value`."""
    given, fault = _examine(value)
    if fault is not None:
        raise TypeError(f"{name} must be numbers, got {type(value).__name__}: {fault}")
    try:
        return np.array(given, dtype=np.float64)
    except OverflowError:
        raise ValueError(f"{name} must be finite, got a number beyond the range of floats") from None
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numbers, got {type(value).__name__}: {error}") from None


def refuse_disguised(name: str, value: Foreign) -> None:
    """Raise TypeError for what NumPy would take for integers although it holds none, as masked arrays."""
    if type(value) not in (list, tuple, np.ndarray) and (fault := _find_disguise(value)):
        raise TypeError(f"{name} must be integers, got {type(value).__name__}: {fault}")


def vectors(name: str, value: ArrayLike, dimension: int, largest: float = MAX_LENGTH) -> Floats:
    """Points or vectors: an array whose last axis has `dimension` components. An empty list holds none."""
    out = array(name, value, largest)
    if out.shape == (0,):
        return out.reshape((0, dimension))
    if out.ndim == 0 or out.shape[-1] != dimension:
        raise ValueError(
            f"{name} must have {dimension} components on its last axis, got an array of shape {out.shape}"
        )
    return out


# --- single bodies: one pass over ordinary numbers ------------------------------------------------------

_FLOAT64 = np.dtype(np.float64)


def _read_numbers(value: Foreign, n: int) -> Foreign:
    """n floats and ints in range, as a list or tuple. None for all else."""
    kind = type(value)
    if kind is np.ndarray:
        if value.dtype is not _FLOAT64 or value.shape != (n,):
            return None
        value = value.tolist()
    elif (kind is not list and kind is not tuple) or len(value) != n:
        return None
    for x in value:
        if (type(x) is not float and type(x) is not int) or not -MAX_LENGTH <= x <= MAX_LENGTH:
            return None
    return value


def read_point(value: Foreign, dimension: int) -> Floats | None:
    """A copy of one point of ordinary numbers. None for all else, which `vectors` checks."""
    numbers = _read_numbers(value, dimension)
    return None if numbers is None else np.array(numbers, _FLOAT64)


def read_number(value: Foreign, smallest: float, largest: float) -> Floats | None:
    """One float or int between two numbers, as an array. None for all else, which `array` checks."""
    if (type(value) is not float and type(value) is not int) or not smallest <= value <= largest:
        return None
    return np.array(value, _FLOAT64)


def read_size(value: Foreign, dimension: int) -> Floats | None:
    """A copy of edge lengths, in range and none of them tiny. None for all else."""
    numbers = _read_numbers(value, dimension)
    return None if numbers is None or min(numbers) < MIN_LENGTH else np.array(numbers, _FLOAT64)


def read_direction(value: Foreign) -> Floats | None:
    """A unit vector in space, from ordinary numbers that are not all tiny. None for all else.

    It is that of `unit_vectors` to the last bit.
    """
    numbers = _read_numbers(value, 3)
    if numbers is None:
        return None
    x, y, z = map(float, numbers)
    scale = max(abs(x), abs(y), abs(z))
    if scale < MIN_LENGTH:
        return None
    x, y, z = x / scale, y / scale, z / scale
    length = math.sqrt(x * x + y * y + z * z)
    return np.array((x / length, y / length, z / length))


def not_negative(name: str, value: ArrayLike) -> Floats:
    out = array(name, value)
    refuse(out < 0, name, "not be negative", out)
    return out


def number(name: str, value: Foreign, *, positive: bool) -> float:
    """One finite number above 0, or not below it, and at most MAX_LENGTH."""
    if type(value) is not float and type(value) is not int:
        given, fault = _examine(value)
        if fault is not None or given.ndim != 0:
            reason = "" if fault is None or value is None else f": {fault}"
            raise TypeError(f"{name} must be a number, got {describe_value(value)}{reason}")
    try:
        x = float(value)
    except OverflowError:
        raise ValueError(f"{name} must be finite, got a number beyond the range of floats") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {describe_value(value)}") from None
    if not math.isfinite(x):
        raise ValueError(f"{name} must be finite, got {describe_value(value)}")
    if x < 0 or (positive and x == 0):
        rule = "be positive" if positive else "not be negative"
        raise ValueError(f"{name} must {rule}, got {describe_value(value)}")
    if x > MAX_LENGTH:
        raise ValueError(f"{name} must not exceed {MAX_LENGTH:g}, got {describe_value(value)}")
    return x


def whole_number(name: str, value: Foreign, largest: float = math.inf) -> int:
    """A whole number above 0, and at most `largest`."""
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__") or operator.index(value) < 1:
        raise ValueError(f"{name} must be a positive whole number, got {describe_value(value)}")
    if operator.index(value) > largest:
        raise ValueError(f"{name} must not exceed {largest}, got {describe_value(value)}")
    return operator.index(value)


def unit_vectors(name: str, value: ArrayLike, dimension: int) -> Floats:
    """Directions of any length but zero, made unit vectors."""
    out = vectors(name, value, dimension, np.inf)
    scale = np.abs(out).max(axis=-1, keepdims=True, initial=0.0)
    refuse(scale[..., 0] == 0, name, "not have zero length", out)
    out = out / scale  # so that neither tiny nor huge vectors leave the range of floats
    unit: Floats = out / np.linalg.norm(out, axis=-1, keepdims=True)
    return unit


def quaternions(name: str, value: ArrayLike) -> Floats:
    """Unit quaternions xyzw, as rotation matrices."""
    q = vectors(name, value, 4, np.inf)
    refuse((np.abs(q) > 2).any(-1), name, "be a unit quaternion (x, y, z, w)", q)  # no overflow below
    length = np.linalg.norm(q, axis=-1)
    refuse(np.abs(length - 1) > UNIT_TOLERANCE, name, "be a unit quaternion (x, y, z, w)", q)
    x, y, z, w = np.moveaxis(q / length[..., None], -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return orthonormal(np.stack([np.stack(row, axis=-1) for row in rows], axis=-2))


def orthonormal(matrix: Floats) -> Floats:
    """The rotation nearest to an almost orthonormal matrix (Newton's iteration for the polar factor)."""
    for _ in range(2):  # quadratic: 1e-6 -> 1e-12 -> rounding; an exact rotation stays exact
        gram = np.swapaxes(matrix, -1, -2) @ matrix
        matrix = matrix @ ((3 * np.eye(matrix.shape[-1]) - gram) / 2)
    return matrix


def rotation_matrices(name: str, value: ArrayLike, dimension: int) -> Floats:
    """Rotation matrices, checked and made orthonormal to rounding."""
    m = array(name, value, np.inf)
    if m.shape[-2:] != (dimension, dimension):
        raise ValueError(
            f"{name} must be {dimension} x {dimension} matrices, got an array of shape {m.shape}"
        )
    refuse((np.abs(m) > 2).any(axis=(-1, -2)), name, "be a rotation matrix (orthonormal columns)", m)
    off = np.abs(np.swapaxes(m, -1, -2) @ m - np.eye(dimension)).max(axis=(-1, -2), initial=0.0)
    refuse(off > UNIT_TOLERANCE, name, "be a rotation matrix (orthonormal columns)", m)
    refuse(np.linalg.det(m) < 0, name, "be a rotation matrix, not a reflection", m)
    return orthonormal(m)


def rotations(name: str, value: Foreign) -> Floats:
    """Rotations in space as matrices: from quaternions xyzw, 3 x 3 matrices or an object with `as_matrix`."""
    if hasattr(value, "as_matrix"):
        return rotation_matrices(name, value.as_matrix(), 3)
    m = array(name, value, np.inf)
    if m.ndim >= 2 and m.shape[-2:] == (3, 3):
        return rotation_matrices(name, m, 3)
    if m.ndim >= 1 and m.shape[-1] == 4:
        return quaternions(name, m)
    raise ValueError(
        f"{name} must be a quaternion (x, y, z, w), a 3 x 3 matrix or a scipy Rotation, "
        f"got an array of shape {m.shape}"
    )


def broadcast_shape(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The common batch shape of named fields."""
    if len(set(shapes.values())) == 1:
        return next(iter(shapes.values()))
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        hint = "; a[:, None] compares every a with every b" if list(shapes) == ["a", "b"] else ""
        raise ValueError(f"batch shapes do not broadcast: {listed}{hint}") from None


def pairs(value: Foreign, size_a: int, size_b: int) -> Ints:
    """Index pairs (m, 2), each within its batch."""
    refuse_disguised("pairs", value)
    idx = np.asarray(value)
    if idx.size == 0:
        return frozen(np.empty((0, 2), np.int64))
    if not np.issubdtype(idx.dtype, np.integer):
        raise TypeError(f"pairs must be integers, got {idx.dtype}")
    if idx.ndim != 2 or idx.shape[1] != 2:
        raise ValueError(f"pairs must have shape (m, 2), got {idx.shape}")
    out = np.ascontiguousarray(idx, dtype=np.int64)
    for column, size in ((0, size_a), (1, size_b)):
        bad = (out[:, column] < 0) | (out[:, column] >= size)
        if bad.any():
            row = int(np.argmax(bad))
            raise IndexError(
                f"pairs[{row}, {column}] is {out[row, column]}, but that batch holds {size} shapes"
            )
    return frozen(out)


A = TypeVar("A", bound=Array)


def frozen(value: A) -> A:
    """A read-only view. Loops get only such arrays: a writable one would be a second signature to compile."""
    view = value[...]
    # Without keywords, and not by `flags`: 0.4 us instead of 1.1, many times in a step.
    view.setflags(False)  # type: ignore[call-arg]
    return view  # type: ignore[return-value]
