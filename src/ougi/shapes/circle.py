"""Discs in the plane."""

from __future__ import annotations

from typing import ClassVar

from ougi.shapes._ball import Ball
from ougi.shapes._shape import Planar


class Circle(Ball, Planar):
    """Solid discs.

    Parameters
    ----------
    center
        (..., 2).
    radius
        (...), not negative; 0 is a point.

    >>> import ougi
    >>> discs = ougi.Circle(center=[[0, 0], [3, 0]], radius=1)
    >>> discs.shape
    (2,)
    >>> discs[1]
    Circle(center=[3.0, 0.0], radius=1.0)
    """

    _fields: ClassVar = {"center": (2,), "radius": ()}
    layouts: ClassVar = ("circle",)
