"""Balls in space."""

from __future__ import annotations

from typing import ClassVar

from ougi.shapes._ball import Ball
from ougi.shapes._shape import Spatial


class Sphere(Ball, Spatial):
    """Solid balls.

    Parameters
    ----------
    center
        (..., 3).
    radius
        (...), not negative; 0 is a point.

    >>> import ougi
    >>> balls = ougi.Sphere(center=[[0, 0, 0], [3, 0, 0]], radius=1)
    >>> balls.shape
    (2,)
    >>> balls[1]
    Sphere(center=[3.0, 0.0, 0.0], radius=1.0)
    """

    _fields: ClassVar = {"center": (3,), "radius": ()}
    layouts: ClassVar = ("sphere",)
