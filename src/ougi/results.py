"""Results of queries: records of arrays. First contacts have one class, whichever query finds them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np

from ougi._typing import (
    Array,
    ArrayLike,
    Bools,
    DynamicBatch,
    Floats,
    Foreign,
    Index,
    Ints,
    JsonObject,
    JsonValue,
)
from ougi.errors import MissingExtraError
from ougi.kernels import constants


class Result:
    """A record of arrays: compares as a whole, and an index of the batch selects rows."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        pairs = [(getattr(self, name), getattr(other, name)) for name in _array_names(self)]
        return all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        """Are there any rows? Without rows `if result:` would always hold, so it is refused."""
        if hasattr(self, "__len__"):
            return len(self) > 0
        name = type(self).__name__
        raise TypeError(f"a {name} is neither true nor false; test one of {', '.join(vars(self))}")

    def __repr__(self) -> str:
        """One line for a single result; for a batch its shape and the first values of each field."""
        columns = {name: np.asarray(getattr(self, name)) for name in _array_names(self)}
        shape = next(iter(columns.values())).shape
        name = type(self).__name__
        if not shape:
            return f"{name}({', '.join(f'{key}={_format(value)}' for key, value in columns.items())})"
        if 0 in shape:
            return f"<{name} batch of shape {shape}>"
        flat = ((key, value.reshape((-1, *value.shape[len(shape) :]))) for key, value in columns.items())
        width = max(map(len, columns))
        lines = [f"  {key:<{width}}  {_format_rows(value)}" for key, value in flat]
        return "\n".join([f"<{name} batch of shape {shape}", *lines]) + ">"

    def __getitem__(self, index: Index) -> Self:
        """The rows at an index of the batch, as a record of the same class."""
        try:
            rows = {name: getattr(self, name)[index] for name in _array_names(self)}
        except OverflowError as error:  # an index may be too large for NumPy
            raise IndexError(f"index {index!r}: {error}") from None
        return replace(self, **rows)  # type: ignore[type-var]

    def to_dict(self) -> JsonObject:
        """The fields as plain numbers and lists; None stands for NaN and infinity, which JSON lacks."""
        return {name: to_plain(getattr(self, name)) for name in _array_names(self)}

    def to_records(self) -> list[JsonObject]:
        """One dictionary for each entry of the batch.

        >>> import ougi
        >>> found = ougi.contacts(ougi.Circle([[0, 0], [5, 0]], 1), ougi.Circle([1, 0], 1))
        >>> [record["depth"] for record in found.to_records()]
        [1.0, None]
        """
        columns = {name: np.asarray(getattr(self, name)) for name in _array_names(self)}
        batch = min(value.ndim for value in columns.values())  # the first field may be a vector
        rows = {name: value.reshape((-1, *value.shape[batch:])) for name, value in columns.items()}
        n = len(next(iter(rows.values())))
        return [{name: to_plain(value[k]) for name, value in rows.items()} for k in range(n)]

    def to_json(self) -> str:
        """The records as JSON."""
        import json  # seldom needed, and slow to import

        return json.dumps(self.to_records(), allow_nan=False)

    def to_dataframe(self) -> Foreign:
        """The records as a `pandas.DataFrame`, with a column for each component: `point_x`, `pair_0`, ..."""
        return build_dataframe(self.to_records())

    def _repr_html_(self) -> str:
        """The first rows as a table, for notebooks."""
        return render_html(self.to_records(), type(self).__name__)


# Rows of a batch that its text shows, and its table in a notebook.
_SHOWN, _SHOWN_HTML = 3, 20
# Lists of at most this length have a column for each number in a table. Components of vectors are x, y, z.
_MAX_COLUMNS = 4
_VECTORS = ("point", "normal", "position", "velocity")


def to_plain(value: ArrayLike) -> JsonValue:
    """An array as numbers and lists, with None for NaN and infinity.

    >>> to_plain([1.5, float("nan")]), to_plain(True)
    ([1.5, None], True)
    """
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return array.tolist()
    plain = array.astype(object)
    plain[~np.isfinite(array)] = None
    return plain.tolist()


def _to_cells(record: JsonObject) -> JsonObject:
    """A record with a column for each component of its vectors, and for each number of its short lists."""
    cells: JsonObject = {}
    for name, value in record.items():
        if isinstance(value, list) and len(value) <= _MAX_COLUMNS and not isinstance(value[0], list):
            axes = "xyz" if name.startswith(_VECTORS) else "0123"
            cells |= {f"{name}_{axis}": x for axis, x in zip(axes, value, strict=False)}
        else:
            cells[name] = value
    return cells


def build_dataframe(records: list[JsonObject]) -> Foreign:
    """Records as a `pandas.DataFrame`."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("pandas", "to_dataframe") from error
    return pd.DataFrame([_to_cells(record) for record in records])


def render_html(records: list[JsonObject], title: str) -> str:
    """A table of the first records."""
    import html  # seldom needed, and slow to import

    cells = [_to_cells(record) for record in records[:_SHOWN_HTML]]
    names = list(dict.fromkeys(name for row in cells for name in row))
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    lines = [
        "".join(f"<td>{html.escape(_format_cell(row.get(name)))}</td>" for name in names) for row in cells
    ]
    more = f", first {_SHOWN_HTML}" if len(records) > _SHOWN_HTML else ""
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<p>{html.escape(title)}, {len(records)} rows{more}</p><table><tr>{head}</tr>{body}</table>"


def _format_cell(value: JsonValue) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _format(value: Array) -> str:
    """Numbers with six digits."""
    return np.array2string(value, precision=6, separator=", ", max_line_width=200)


def _format_rows(rows: Array) -> str:
    shown = ", ".join(_format(row) for row in rows[:_SHOWN])
    return shown + (", ..." if len(rows) > _SHOWN else "")


def _array_names(result: DynamicBatch) -> list[str]:
    """The fields that are arrays of the batch; those with `compare=False` are about the whole result."""
    return [field.name for field in fields(result) if field.compare]


class Status(enum.IntEnum):
    """What is known of a first contact.

    >>> import ougi
    >>> ball = ougi.Sphere([0, 0, 0], 1)
    >>> found = ougi.time_of_impact(ball, ougi.Translation3d([1, 0, 0]), ougi.Sphere([9, 0, 0], 1))
    >>> ougi.Status(found.status).name
    'FREE'
    """

    FREE = int(constants.FREE)  # certified: no contact during the whole motion
    HIT = int(constants.HIT)
    OVERLAPPING = int(constants.OVERLAPPING)  # at the start, t = 0
    UNDECIDED = int(constants.UNDECIDED)  # certified free up to t, unknown from there on
    UNSUPPORTED = 4  # in reports alone: no engine knows the pair, and the bounds of the bodies meet


@dataclass(frozen=True, eq=False, repr=False)
class FirstContacts(Result):
    """First contacts of moving shapes with targets.

    Attributes
    ----------
    status
        (...), values of `Status`: 0 free (a certified miss), 1 hit, 2 overlapping at the start (t = 0),
        3 undecided after the iteration limit (t is the last certified free time).
    hit
        (...), status 1 or 2. Status 3 is not a hit: if a missed contact is unacceptable, require
        `status == Status.FREE`.
    t
        (...), time of the first contact in [0, 1]; NaN where there is none. For status 3 the time up to which
        there is certainly none.
    point
        (..., d), where they touch, on the target.
    normal
        (..., d), unit vector from the moving shape to the target. Point and normal are NaN where there is no
        contact. For shapes that overlap at the start they are those of `closest_points` (NaN for
        cylinders and for bodies inside of a solid mesh).

    >>> import math, ougi
    >>> door = ougi.Box([0.5, 0, 0], [1, 0.05, 2])
    >>> found = ougi.time_of_impact(
    ...     door, ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi / 2), ougi.Sphere([0, 0.8, 0], 0.1)
    ... )
    >>> bool(found.hit), round(float(found.t), 4)
    (True, 0.9001)
    """

    status: Ints
    hit: Bools
    t: Floats
    point: Floats
    normal: Floats

    def write(self, rows: Index, part: FirstContacts) -> None:
        """Write the contacts of `part` over some rows."""
        for field in fields(FirstContacts):
            getattr(self, field.name)[rows] = getattr(part, field.name)

    def reshape(self, batch: tuple[int, ...]) -> FirstContacts:
        """The same contacts in another batch shape."""
        values = (getattr(self, field.name) for field in fields(FirstContacts))
        return FirstContacts(*(flat.reshape((*batch, *flat.shape[1:]))[()] for flat in values))
