"""The record of a half-space, and how it is read from columns."""

from __future__ import annotations

from typing import NamedTuple

from ougi._native import device
from ougi._typing import Floats
from ougi.kernels.load import load_vec3
from ougi.kernels.records import Vec3


class HalfSpace3d(NamedTuple):
    """All x with normal . x <= offset; `normal` is a unit vector and points out of the half-space."""

    normal: Vec3
    offset: float


@device
def load_halfspace3d(c: Floats, i: int) -> HalfSpace3d:
    return HalfSpace3d(load_vec3(c, 0, i), c[3, i])


@device
def load_halfspace2d(c: Floats, i: int) -> HalfSpace3d:
    """A half-plane is a half-space whose normal lies in the plane z = 0."""
    return load_halfspace3d(c, i)
