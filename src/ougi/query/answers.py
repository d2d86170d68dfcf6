"""Answers with several fields: frozen records of arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats


class _Answer:
    """Compares whole answers; arrays inside."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        pairs = [(getattr(self, name), getattr(other, name)) for name in _array_names(self)]
        return all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        """Are there any rows? An answer without rows is no yes or no: `if impact:` would always hold."""
        if hasattr(self, "__len__"):
            return len(self) > 0
        name = type(self).__name__
        raise TypeError(f"a {name} is neither true nor false; ask one of {', '.join(vars(self))}")

    def __getitem__(self, index: Any) -> Any:
        """The answers at an index of the batch, as a record of the same kind."""
        return replace(self, **{name: getattr(self, name)[index] for name in _array_names(self)})  # type: ignore[type-var]


def _array_names(answer: Any) -> list[str]:
    """The fields that are arrays of the batch; those with `compare=False` are about the whole answer."""
    return [field.name for field in fields(answer) if field.compare]


@dataclass(frozen=True, eq=False)
class Closest(_Answer):
    """Nearest points of pairs.

    Attributes
    ----------
    distance
        (...), as `ougi.distance`.
    point_a, point_b
        (..., d), points of the surfaces; of the deepest pair where the shapes overlap.

    >>> import ougi
    >>> near = ougi.closest_points(ougi.Sphere([0, 0, 0], 1), ougi.Sphere([5, 0, 0], 1))
    >>> float(near.distance), near.point_a.tolist(), near.point_b.tolist()
    (3.0, [1.0, 0.0, 0.0], [4.0, 0.0, 0.0])
    """

    distance: Floats
    point_a: Floats
    point_b: Floats


@dataclass(frozen=True, eq=False)
class Contact(_Answer):
    """Contacts of pairs, one each; everything but `hit` is NaN where the shapes do not touch.

    Attributes
    ----------
    hit
        (...), do they touch?
    point
        (..., d), the middle between the two deepest points.
    normal
        (..., d), unit vector from the first shape to the second: moving the second along it by `depth`
        separates them with the least effort.
    depth
        (...), not negative.

    >>> import ougi
    >>> contact = ougi.contacts(ougi.Sphere([0, 0, 0], 2), ougi.Sphere([3, 0, 0], 2))
    >>> bool(contact.hit), float(contact.depth), contact.normal.tolist(), contact.point.tolist()
    (True, 1.0, [1.0, 0.0, 0.0], [1.5, 0.0, 0.0])
    """

    hit: Bools
    point: Floats
    normal: Floats
    depth: Floats
