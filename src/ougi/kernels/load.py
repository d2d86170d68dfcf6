"""From columns to records, and from records to rows of the answer.

`load_sphere(columns, i)` makes the record of shape i. The order of the rows is the order of the record's
fields; a round-trip test holds the shapes' `columns` and these functions together.
"""

from __future__ import annotations

from ougi._native import device
from ougi._typing import Bools, Floats
from ougi.kernels.records import (
    Aabb2d,
    Aabb3d,
    Box,
    BoxTurn,
    Capsule2d,
    Capsule3d,
    Circle,
    Cylinder,
    Frame,
    Impact3d,
    Rectangle,
    Sector2d,
    Sector3d,
    Separation2d,
    Separation3d,
    Sphere,
    Triangle2d,
    Triangle3d,
    Vec2,
    Vec3,
)


@device
def load_vec2(c: Floats, k: int, i: int) -> Vec2:
    return Vec2(c[k, i], c[k + 1, i])


@device
def load_vec3(c: Floats, k: int, i: int) -> Vec3:
    return Vec3(c[k, i], c[k + 1, i], c[k + 2, i])


@device
def load_circle(c: Floats, i: int) -> Circle:
    return Circle(load_vec2(c, 0, i), c[2, i])


@device
def load_capsule2d(c: Floats, i: int) -> Capsule2d:
    return Capsule2d(load_vec2(c, 0, i), load_vec2(c, 2, i), c[4, i])


@device
def load_triangle2d(c: Floats, i: int) -> Triangle2d:
    return Triangle2d(load_vec2(c, 0, i), load_vec2(c, 2, i), load_vec2(c, 4, i))


@device
def load_rectangle(c: Floats, i: int) -> Rectangle:
    return Rectangle(load_vec2(c, 0, i), load_vec2(c, 2, i), load_vec2(c, 4, i))


@device
def load_aabb2d(c: Floats, i: int) -> Aabb2d:
    return Aabb2d(load_vec2(c, 0, i), load_vec2(c, 2, i))


@device
def load_point3d(c: Floats, i: int) -> Vec3:
    return load_vec3(c, 0, i)


@device
def load_sphere(c: Floats, i: int) -> Sphere:
    return Sphere(load_vec3(c, 0, i), c[3, i])


@device
def load_capsule3d(c: Floats, i: int) -> Capsule3d:
    return Capsule3d(load_vec3(c, 0, i), load_vec3(c, 3, i), c[6, i])


@device
def load_triangle3d(c: Floats, i: int) -> Triangle3d:
    return Triangle3d(load_vec3(c, 0, i), load_vec3(c, 3, i), load_vec3(c, 6, i))


@device
def load_box(c: Floats, i: int) -> Box:
    return Box(
        load_vec3(c, 0, i), load_vec3(c, 3, i), load_vec3(c, 6, i), load_vec3(c, 9, i), load_vec3(c, 12, i)
    )


@device
def load_aabb3d(c: Floats, i: int) -> Aabb3d:
    return Aabb3d(load_vec3(c, 0, i), load_vec3(c, 3, i))


@device
def load_sector3d(c: Floats, i: int) -> Sector3d:
    frame = Frame(load_vec3(c, 0, i), load_vec3(c, 3, i), load_vec3(c, 6, i), load_vec3(c, 9, i))
    return Sector3d(frame, load_vec2(c, 12, i), c[14, i], c[15, i], c[16, i])


@device
def load_cylinder(c: Floats, i: int) -> Cylinder:
    frame = Frame(load_vec3(c, 0, i), load_vec3(c, 3, i), load_vec3(c, 6, i), load_vec3(c, 9, i))
    return Cylinder(frame, c[12, i], c[13, i])


@device
def load_sector2d(c: Floats, i: int) -> Sector2d:
    return Sector2d(load_vec2(c, 0, i), load_vec2(c, 2, i), load_vec2(c, 4, i), c[6, i], c[7, i])


@device
def load_boxturn(c: Floats, i: int) -> BoxTurn:
    return BoxTurn(load_box(c, i), load_vec3(c, 15, i), load_vec3(c, 18, i), c[21, i], c[22, i], c[23, i])


@device
def store_value(out: Bools | Floats, k: int, value: float) -> None:
    out[k] = value


@device
def store_distance2d(out: Floats, k: int, s: Separation2d) -> None:
    out[k] = s.distance


@device
def store_distance3d(out: Floats, k: int, s: Separation3d) -> None:
    out[k] = s.distance


@device
def store_separation2d(out: Floats, k: int, s: Separation2d) -> None:
    out[0, k] = s.distance
    out[1, k] = s.normal.x
    out[2, k] = s.normal.y
    out[3, k] = s.point_a.x
    out[4, k] = s.point_a.y
    out[5, k] = s.point_b.x
    out[6, k] = s.point_b.y


@device
def store_separation3d(out: Floats, k: int, s: Separation3d) -> None:
    out[0, k] = s.distance
    out[1, k] = s.normal.x
    out[2, k] = s.normal.y
    out[3, k] = s.normal.z
    out[4, k] = s.point_a.x
    out[5, k] = s.point_a.y
    out[6, k] = s.point_a.z
    out[7, k] = s.point_b.x
    out[8, k] = s.point_b.y
    out[9, k] = s.point_b.z


@device
def store_impact3d(out: Floats, k: int, s: Impact3d) -> None:
    out[0, k] = s.status
    out[1, k] = s.t
    out[2, k] = s.point.x
    out[3, k] = s.point.y
    out[4, k] = s.point.z
    out[5, k] = s.normal.x
    out[6, k] = s.normal.y
    out[7, k] = s.normal.z
