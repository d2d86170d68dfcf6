"""Results of queries: records of arrays. First contacts have one class, whichever query finds them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np

from ougi._render import SHOWN, list_records, render_columns, render_text, to_cells, to_plain
from ougi._typing import (
    Array,
    Bools,
    DynamicBatch,
    Floats,
    Foreign,
    Index,
    Ints,
    JsonObject,
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

    def __str__(self) -> str:
        """A table of the first rows of a batch, for `print`.

        >>> import ougi
        >>> print(ougi.contacts(ougi.Circle([[0, 0], [1.5, 0]], 1), ougi.Circle([0, 1], 1)))
        hit   point        normal              depth
        True  (0, 0.5)     (0, 1)              1
        True  (0.75, 0.5)  (-0.83205, 0.5547)  0.197224
        """
        columns, batch = self._list_columns()
        value = next(iter(columns.values()))
        shape = value.shape[:batch]
        if not shape or 0 in shape:
            return repr(self)
        return render_text(list_records(columns, batch, SHOWN), int(np.prod(shape)))

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
        return list_records(*self._list_columns())

    def _list_columns(self) -> tuple[dict[str, Array], int]:
        """The fields, and how many dimensions the batch has."""
        columns = {name: np.asarray(getattr(self, name)) for name in _array_names(self)}
        return columns, min(value.ndim for value in columns.values())  # the first field may be a vector

    def to_json(self) -> str:
        """The records as JSON."""
        import json  # seldom needed, and slow to import

        return json.dumps(self.to_records(), allow_nan=False)

    def to_dataframe(self) -> Foreign:
        """The records as a `pandas.DataFrame`, with a column for each component: `point_x`, `pair_0`, ..."""
        return build_dataframe(self.to_records())

    def _repr_html_(self) -> str:
        """The first rows as a table, for notebooks."""
        return render_columns(*self._list_columns(), type(self).__name__)


# Rows of a batch that its repr shows.
_SHOWN = 3


def build_dataframe(records: list[JsonObject]) -> Foreign:
    """Records as a `pandas.DataFrame`."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError("pandas", "to_dataframe") from error
    return pd.DataFrame([to_cells(record) for record in records])


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
