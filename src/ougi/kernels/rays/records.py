"""The records of a ray and of its hit, and how they are read and written."""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device
from ougi._typing import Floats
from ougi.kernels.load import load_vec3
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import NOWHERE


class Ray(NamedTuple):
    """All points origin + t direction with t >= 0; the direction is not zero."""

    origin: Vec3
    direction: Vec3


class RayHit(NamedTuple):
    """The smallest t, infinite for a miss, and the normal there; NaN for a ray that starts in the body."""

    t: float
    normal: Vec3


@device
def load_ray(c: Floats, i: int) -> Ray:
    return Ray(load_vec3(c, 0, i), load_vec3(c, 3, i))


@device
def store_hit(out: Floats, k: int, hit: RayHit) -> None:
    out[0, k] = hit.t
    out[1, k] = hit.normal.x
    out[2, k] = hit.normal.y
    out[3, k] = hit.normal.z


@device
def make_miss() -> RayHit:
    return RayHit(math.inf, NOWHERE)


@device
def make_inside() -> RayHit:
    return RayHit(0.0, NOWHERE)


@device
def choose_nearer(a: RayHit, b: RayHit) -> RayHit:
    return b if b.t < a.t else a
