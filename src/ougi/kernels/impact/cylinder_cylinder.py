"""First contact of a moving cylinder with another: plane steps.

The steps are those of a body with corners (`round_target.py`). A cylinder has none: at every pose a body
takes its place that has corners, holds it and touches it where it is nearest (`hull_cylinder`).
"""

from __future__ import annotations

from ougi._native import device, procedure
from ougi.kernels.closest3d import to_box, turn_to_box
from ougi.kernels.cylinder import IDENTITY, box_around, can_of
from ougi.kernels.cylinder_cylinder import separation_cylinder_cylinder
from ougi.kernels.impact.first_contact import Gap
from ougi.kernels.impact.hulls import Hull, hull_cylinder
from ougi.kernels.impact.movers import Mover, make_impact, path_in_box, to_world_from_box
from ougi.kernels.impact.one_mover import Query, State, make_one_mover_finder
from ougi.kernels.impact.round_target import step_past_cylinder
from ougi.kernels.impact.screw_steps import Path, Step, move_point, turn_vector
from ougi.kernels.records import Box, Cylinder, Frame, Impact3d, Vec3
from ougi.kernels.vec3 import add, neg, sub


@device
def _corners(h: Hull) -> tuple[Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3]:
    x, y, z = h.spans
    low, high = sub(h.corners[0], z), add(h.corners[0], z)
    a, b = add(x, y), sub(x, y)
    return (
        add(low, a), add(low, b), sub(low, a), sub(low, b),
        add(high, a), add(high, b), sub(high, a), sub(high, b),
    )  # fmt: skip


@device
def _in_frame(c: Cylinder, b: Box) -> Cylinder:
    """A cylinder in the frame of a box."""
    f = c.frame
    x, y, z = turn_to_box(b, f.x), turn_to_box(b, f.y), turn_to_box(b, f.z)
    return Cylinder(Frame(to_box(b, f.center), x, y, z), c.radius, c.half_height)


@device
def _move(path: Path, step: Step, c: Cylinder) -> Cylinder:
    f = c.frame
    x, y, z = turn_vector(path, step, f.x), turn_vector(path, step, f.y), turn_vector(path, step, f.z)
    return Cylinder(Frame(move_point(path, step, f.center), x, y, z), c.radius, c.half_height)


@procedure
def _measure(query: Query, state: State, before: Vec3) -> Gap:
    """Where the cylinders meet up to rounding the normal is the one before."""
    near = separation_cylinder_cylinder(state.body, query.core)
    n = neg(near.normal) if near.distance > 0.0 else before
    return Gap(near.distance, n, near.point_a, near.point_b, 0.0)


@device
def _confirm(query: Query, state: State, gap: Gap) -> Gap:
    return gap


@procedure
def _longest_step(query: Query, state: State, gap: Gap, k: int) -> float:
    hull = hull_cylinder(state.body, neg(gap.normal))
    can, reach = can_of(query.core), query.reach + hull.radius
    return step_past_cylinder(
        can, _corners(hull), hull.edges, gap.normal, reach, query.size, query.path, state.rest
    )


_find = make_one_mover_finder(_measure, _confirm, _longest_step, _move)


@procedure
def impact_cylinder_cylinder(mover: Mover, cylinder: Cylinder) -> Impact3d:
    frame = box_around(cylinder)
    body, core = _in_frame(mover.body, frame), Cylinder(IDENTITY, cylinder.radius, cylinder.half_height)
    size = body.radius + body.half_height + core.radius + core.half_height
    path = path_in_box(mover, frame)
    contact = _find(core, 0.0, body, 0.0, body.frame.center, size, path, mover.tol, mover.margin)
    return make_impact(to_world_from_box(contact, frame), mover)
