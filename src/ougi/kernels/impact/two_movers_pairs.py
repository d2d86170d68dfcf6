"""First contact of two moving bodies: the kernels of the pairs (see `two_movers.py`).

Of boxes and triangles a glance is the best separating axis: a fraction of the cost of the distance, and as
good for a step.
"""

from __future__ import annotations

import math

from ougi._native import device, procedure
from ougi.kernels.box_box import separation_box_box
from ougi.kernels.capsule3d_box import separation_capsule3d_box
from ougi.kernels.capsule3d_capsule3d import separation_capsule3d_capsule3d
from ougi.kernels.capsule3d_triangle3d import separation_capsule3d_triangle3d
from ougi.kernels.closest3d import Nearest3d, from_box, turn_from_box
from ougi.kernels.constants import NEVER, STOP_GAP
from ougi.kernels.cylinder import (
    separation_box_cylinder,
    separation_capsule3d_cylinder,
    separation_sphere_cylinder,
    separation_triangle3d_cylinder,
)
from ougi.kernels.cylinder_cylinder import separation_cylinder_cylinder
from ougi.kernels.impact.axes import Axis
from ougi.kernels.impact.box_box import best_axis, nearest_boxes, seen_box
from ougi.kernels.impact.facets import facets, is_flat
from ougi.kernels.impact.movers import Mover, triangle_from
from ougi.kernels.impact.triangle3d_box import nearest_triangle_box, seen_triangle, triangle_box_axis
from ougi.kernels.impact.triangle3d_triangle3d import nearest_triangles, triangle_axis
from ougi.kernels.impact.two_movers import first_touch_of_two
from ougi.kernels.impact.two_movers_bodies import (
    hull_box,
    hull_capsule3d,
    hull_cylinder,
    hull_sphere,
    hull_triangle3d,
    place_box,
    place_capsule3d,
    place_cylinder,
    place_sphere,
    place_triangle3d,
)
from ougi.kernels.records import Box, Cylinder, Impact3d, Separation3d, Triangle3d, Vec3
from ougi.kernels.sphere_box import separation_sphere_box
from ougi.kernels.sphere_capsule3d import separation_sphere_capsule3d
from ougi.kernels.sphere_sphere import separation_sphere_sphere
from ougi.kernels.sphere_triangle3d import separation_sphere_triangle3d
from ougi.kernels.triangle3d_box import separation_triangle3d_box
from ougi.kernels.triangle3d_triangle3d import separation_triangle3d_triangle3d
from ougi.kernels.vec3 import length, neg, sub

_ORIGIN = Vec3(0.0, 0.0, 0.0)


@device
def _seen(a: object, b: object, s: Separation3d) -> Separation3d:
    """The contact of a pair whose glance is the distance."""
    return s


@procedure
def moving_sphere_sphere(a: Mover, b: Mover) -> Impact3d:
    look = separation_sphere_sphere
    return first_touch_of_two(
        look, _seen, look, place_sphere, hull_sphere, place_sphere, hull_sphere, NEVER, a, b
    )


@procedure
def moving_sphere_capsule3d(a: Mover, b: Mover) -> Impact3d:
    look = separation_sphere_capsule3d
    return first_touch_of_two(
        look, _seen, look, place_sphere, hull_sphere, place_capsule3d, hull_capsule3d, NEVER, a, b
    )


@procedure
def moving_sphere_triangle3d(a: Mover, b: Mover) -> Impact3d:
    look = separation_sphere_triangle3d
    return first_touch_of_two(
        look, _seen, look, place_sphere, hull_sphere, place_triangle3d, hull_triangle3d, NEVER, a, b
    )


@procedure
def moving_sphere_box(a: Mover, b: Mover) -> Impact3d:
    look = separation_sphere_box
    return first_touch_of_two(look, _seen, look, place_sphere, hull_sphere, place_box, hull_box, NEVER, a, b)


@procedure
def moving_capsule3d_capsule3d(a: Mover, b: Mover) -> Impact3d:
    look = separation_capsule3d_capsule3d
    return first_touch_of_two(
        look, _seen, look, place_capsule3d, hull_capsule3d, place_capsule3d, hull_capsule3d, NEVER, a, b
    )


@procedure
def moving_capsule3d_triangle3d(a: Mover, b: Mover) -> Impact3d:
    look = separation_capsule3d_triangle3d
    return first_touch_of_two(
        look, _seen, look, place_capsule3d, hull_capsule3d, place_triangle3d, hull_triangle3d, NEVER, a, b
    )


@procedure
def moving_capsule3d_box(a: Mover, b: Mover) -> Impact3d:
    look = separation_capsule3d_box
    return first_touch_of_two(
        look, _seen, look, place_capsule3d, hull_capsule3d, place_box, hull_box, NEVER, a, b
    )


@procedure
def moving_sphere_cylinder(a: Mover, b: Mover) -> Impact3d:
    look = separation_sphere_cylinder
    return first_touch_of_two(
        look, _seen, look, place_sphere, hull_sphere, place_cylinder, hull_cylinder, NEVER, a, b
    )


@procedure
def moving_capsule3d_cylinder(a: Mover, b: Mover) -> Impact3d:
    look = separation_capsule3d_cylinder
    return first_touch_of_two(
        look, _seen, look, place_capsule3d, hull_capsule3d, place_cylinder, hull_cylinder, NEVER, a, b
    )


@procedure
def moving_triangle3d_cylinder(a: Mover, b: Mover) -> Impact3d:
    look = separation_triangle3d_cylinder
    return first_touch_of_two(
        look, _seen, look, place_triangle3d, hull_triangle3d, place_cylinder, hull_cylinder, NEVER, a, b
    )


@procedure
def moving_box_cylinder(a: Mover, b: Mover) -> Impact3d:
    look = separation_box_cylinder
    return first_touch_of_two(
        look, _seen, look, place_box, hull_box, place_cylinder, hull_cylinder, NEVER, a, b
    )


@device
def _between_points(a: Cylinder, b: Cylinder, s: Separation3d) -> Separation3d:
    """The distance of the points: the gap that a normal proves can be smaller."""
    return Separation3d(length(sub(s.point_b, s.point_a)), s.normal, s.point_a, s.point_b)


@procedure
def moving_cylinder_cylinder(a: Mover, b: Mover) -> Impact3d:
    look = separation_cylinder_cylinder
    place, hull = place_cylinder, hull_cylinder
    return first_touch_of_two(look, _between_points, look, place, hull, place, hull, NEVER, a, b)


@device
def _along(axis: Axis) -> Separation3d:
    """What an axis knows: a gap and, from a to b, a normal."""
    return Separation3d(axis.gap, neg(axis.normal), _ORIGIN, _ORIGIN)


@device
def _turned_from(b: Box, s: Separation3d) -> Separation3d:
    return Separation3d(
        s.distance, turn_from_box(b, s.normal), from_box(b, s.point_a), from_box(b, s.point_b)
    )


@device
def _between(near: Nearest3d, axis: Axis) -> Separation3d:
    """The nearest points, with the normal of the axis: theirs is all rounding where they touch."""
    return Separation3d(math.sqrt(near.distance_sq), neg(axis.normal), near.a, near.b)


@procedure
def _glance_boxes(a: Box, b: Box) -> Separation3d:
    return _turned_from(b, _along(best_axis(seen_box(a, b), b.half, length(a.half) + length(b.half))))


@procedure
def _contact_boxes(a: Box, b: Box, s: Separation3d) -> Separation3d:
    body = seen_box(a, b)
    axis = best_axis(body, b.half, length(a.half) + length(b.half))
    return _turned_from(b, _between(nearest_boxes(body, b.half, axis), axis))


@procedure
def moving_box_box(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        _glance_boxes,
        _contact_boxes,
        separation_box_box,
        place_box,
        hull_box,
        place_box,
        hull_box,
        STOP_GAP,
        a,
        b,
    )


@procedure
def _glance_triangle_box(a: Triangle3d, b: Box) -> Separation3d:
    """A flat triangle has no normals."""
    if is_flat(a):
        return separation_triangle3d_box(a, b)
    body = facets(seen_triangle(a, b))
    return _turned_from(b, _along(triangle_box_axis(body, b.half, 0.0)))


@procedure
def _contact_triangle_box(a: Triangle3d, b: Box, s: Separation3d) -> Separation3d:
    if is_flat(a):
        return s
    body = facets(seen_triangle(a, b))
    axis = triangle_box_axis(body, b.half, 0.0)
    return _turned_from(b, _between(nearest_triangle_box(body, b.half, axis), axis))


@procedure
def moving_triangle3d_box(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        _glance_triangle_box,
        _contact_triangle_box,
        separation_triangle3d_box,
        place_triangle3d,
        hull_triangle3d,
        place_box,
        hull_box,
        STOP_GAP,
        a,
        b,
    )


@procedure
def _glance_triangles(a: Triangle3d, b: Triangle3d) -> Separation3d:
    if is_flat(a) or is_flat(b):
        return separation_triangle3d_triangle3d(a, b)
    return _along(triangle_axis(facets(triangle_from(a, b.a)), facets(triangle_from(b, b.a)), 0.0))


@procedure
def _contact_triangles(a: Triangle3d, b: Triangle3d, s: Separation3d) -> Separation3d:
    if is_flat(a) or is_flat(b):
        return s
    axis = triangle_axis(facets(triangle_from(a, b.a)), facets(triangle_from(b, b.a)), 0.0)
    return _between(nearest_triangles(facets(a), facets(b), axis), axis)


@procedure
def moving_triangle3d_triangle3d(a: Mover, b: Mover) -> Impact3d:
    return first_touch_of_two(
        _glance_triangles,
        _contact_triangles,
        separation_triangle3d_triangle3d,
        place_triangle3d,
        hull_triangle3d,
        place_triangle3d,
        hull_triangle3d,
        STOP_GAP,
        a,
        b,
    )
