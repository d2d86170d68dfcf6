"""Gaps between two shapes of a robot's table, of whatever classes."""

from __future__ import annotations

import math

from ougi._native import device
from ougi._typing import Floats, Ints
from ougi.kernels.closest3d import clamp_box, point_segment, segment_box, segment_segment
from ougi.kernels.records import Box, Vec3
from ougi.kernels.robot.constants import (
    BOX,
    CYLINDER,
    HALF_SPACE,
    HULL_SHARE,
    MESH,
    OPEN,
    POINT,
    PROVEN,
    SEGMENT,
    STACK_SIZE,
    TOUCHING,
)
from ougi.kernels.robot.gjk import Core, DistanceBounds, measure_cores, put_direction, support
from ougi.kernels.robot.kinematics import bound_rates, place_shape, transform, turn, turn_back
from ougi.kernels.robot.lean import lean
from ougi.kernels.robot.nodes import (
    LocalBox,
    RelativeAxes,
    bound_core,
    bound_node_from_box,
    bound_nodes,
    relate_frames,
)
from ougi.kernels.robot.records import Joints, LinkShapes, RobotWorkspace
from ougi.kernels.vec3 import add, along, dot, length_sq, scale, sub


@device
def _place(work: RobotWorkspace, s: int) -> Vec3:
    return Vec3(work.place[s, 0], work.place[s, 1], work.place[s, 2])


@device
def load_row(rows: Floats, s: int, k: int) -> Vec3:
    """Three numbers of row s, from column k on."""
    return Vec3(rows[s, k], rows[s, k + 1], rows[s, k + 2])


@device
def _half_segment(shapes: LinkShapes, work: RobotWorkspace, s: int) -> Vec3:
    """From the middle of a segment to its end, in the world."""
    half = load_row(shapes.size, s, 0)
    return turn(work.pose, shapes.joint[s], half)


@device
def _load_box(shapes: LinkShapes, work: RobotWorkspace, s: int) -> Box:
    """A box in the world."""
    x, y, z = load_row(shapes.size, s, 0), load_row(shapes.size, s, 3), load_row(shapes.size, s, 6)
    k = shapes.joint[s]
    half = load_row(shapes.size, s, 9)
    return Box(_place(work, s), half, turn(work.pose, k, x), turn(work.pose, k, y), turn(work.pose, k, z))


@device
def _report_nearest(work: RobotWorkspace, distance: float, a: Vec3, b: Vec3) -> DistanceBounds:
    """A distance that is known by two points, whose difference is the direction of its bound."""
    put_direction(work.simplex, sub(a, b))
    return DistanceBounds(distance, distance, a, b)


@device
def measure_point_box(shapes: LinkShapes, work: RobotWorkspace, p: Vec3, s: int) -> DistanceBounds:
    """A point of the world and a box."""
    k = shapes.joint[s]
    d = sub(p, _place(work, s))
    if k >= 0:
        d = turn_back(work.pose, k, d)
    x, y, z = load_row(shapes.size, s, 0), load_row(shapes.size, s, 3), load_row(shapes.size, s, 6)
    own = Vec3(dot(d, x), dot(d, y), dot(d, z))
    near = clamp_box(load_row(shapes.size, s, 9), own)
    distance = math.sqrt(length_sq(sub(own, near)))
    out = Vec3(
        near.x * x.x + near.y * y.x + near.z * z.x,
        near.x * x.y + near.y * y.y + near.z * z.y,
        near.x * x.z + near.y * y.z + near.z * z.z,
    )
    if k >= 0:
        out = turn(work.pose, k, out)
    return DistanceBounds(distance, distance, p, add(_place(work, s), out))


@lean
def _bound_point(shapes: LinkShapes, work: RobotWorkspace, p: Vec3, s: int) -> float:
    """A lower bound of the distance of a point of the world from a core that is no mesh."""
    code = shapes.code[s]
    if code == BOX:
        return measure_point_box(shapes, work, p, s).lower
    c = _place(work, s)
    d = sub(p, c)
    if code == SEGMENT:
        half = _half_segment(shapes, work, s)
        near = point_segment(p, sub(c, half), add(c, half))
        return math.sqrt(near.distance_sq)
    if code == CYLINDER:
        axis = turn(work.pose, shapes.joint[s], load_row(shapes.size, s, 0))
        height = dot(d, axis)
        beside = math.sqrt(max(length_sq(d) - height * height, 0.0)) - shapes.size[s, 3]
        over = abs(height) - shapes.size[s, 4]
        return math.sqrt(max(beside, 0.0) ** 2 + max(over, 0.0) ** 2)
    around: float = math.sqrt(length_sq(d)) - shapes.radius[s, 1]
    return around


@lean
def _measure_convex(
    shapes: LinkShapes,
    work: RobotWorkspace,
    a: int,
    b: int,
    guess: Vec3,
    enough: float,
    touching: float,
    exact: bool,
) -> DistanceBounds:
    """Two cores that are no meshes, or the hulls of meshes; the code of a is not larger than that of b."""
    code_a, code_b = shapes.code[a], shapes.code[b]
    p, q = _place(work, a), _place(work, b)
    if code_b == HALF_SPACE:
        return _measure_half_space(shapes, work, a, b)
    if code_a == POINT and code_b == BOX:
        gap = measure_point_box(shapes, work, p, b)
        return _report_nearest(work, gap.lower, gap.a, gap.b)
    if code_a == POINT and code_b == POINT:
        return _report_nearest(work, math.sqrt(length_sq(sub(p, q))), p, q)
    if code_b == SEGMENT:
        half = _half_segment(shapes, work, b)
        start, end = sub(q, half), add(q, half)
        if code_a == POINT:
            near = point_segment(p, start, end)
        else:
            other = _half_segment(shapes, work, a)
            near = segment_segment(sub(p, other), add(p, other), start, end)
        return _report_nearest(work, math.sqrt(near.distance_sq), near.a, near.b)
    if code_a == SEGMENT and code_b == BOX:
        half = _half_segment(shapes, work, a)
        near = segment_box(sub(p, half), add(p, half), _load_box(shapes, work, b))
        return _report_nearest(work, math.sqrt(near.distance_sq), near.a, near.b)
    first, second = Core(a, shapes.joint[a], -1), Core(b, shapes.joint[b], -1)
    return measure_cores(shapes, work.pose, first, second, guess, work.simplex, enough, touching, exact)


@device
def _measure_half_space(shapes: LinkShapes, work: RobotWorkspace, a: int, b: int) -> DistanceBounds:
    """How far a core, or the hull of a mesh, is above a half-space b, which rests; negative below."""
    n = load_row(shapes.size, b, 0)
    put_direction(work.simplex, n)
    p = support(shapes, work.pose, Core(a, shapes.joint[a], -1), scale(n, -1.0))
    height = dot(sub(p, _place(work, b)), n)
    return DistanceBounds(height, height, p, along(p, n, -max(height, 0.0)))


@device
def _place_node(shapes: LinkShapes, work: RobotWorkspace, s: int, node: int) -> Vec3:
    """The center of a node of the tree of mesh s."""
    return transform(work.pose, shapes.joint[s], load_row(shapes.nodes, node, 0))


@lean
def _bound_node(
    shapes: LinkShapes,
    work: RobotWorkspace,
    a: int,
    b: int,
    i: int,
    j: int,
    frame: RelativeAxes,
    box: LocalBox,
) -> float:
    """A lower bound of the distance of node i of mesh b from node j of mesh a; from the core a if j < 0.

    `frame` is that of b in the frame of a, and `box` is around the core a in the frame of b.
    """
    if j >= 0:
        apart: float = bound_nodes(shapes.nodes, i, j, frame)
        return apart
    beside = bound_node_from_box(shapes.nodes, i, box)
    around: float = _bound_point(shapes, work, _place_node(shapes, work, b, i), a) - shapes.nodes[i, 6]
    return max(beside, around)


@device
def _push(stack: Ints, top: int, i: int, j: int) -> int:
    stack[top], stack[top + 1] = i, j
    return top + 2


@lean
def _measure_mesh(
    shapes: LinkShapes, work: RobotWorkspace, a: int, b: int, enough: float, touching: float, exact: bool
) -> DistanceBounds:
    """A core or mesh a, and a mesh b, by trees of boxes; children of the larger node replace it.

    If the distance exceeds `enough`, the lower bound does. Otherwise the search goes on for triangles nearer
    than `touching`, or, if `exact`, for the nearest ones.
    """
    is_mesh = shapes.code[a] == MESH
    own, other = Core(a, shapes.joint[a], -1), Core(b, shapes.joint[b], -1)
    frame = relate_frames(work.pose, own.joint, other.joint)
    box = LocalBox(frame.origin, frame.origin)
    if not is_mesh:
        box = bound_core(shapes, work.pose, own, other.joint)
    stack = work.stack
    limit = enough
    best = DistanceBounds(math.inf, math.inf, _place(work, a), _place(work, b))
    top = _push(stack, 0, shapes.root[b], shapes.root[a] if is_mesh else -1)
    while top > 0:
        top -= 2
        i, j = stack[top], stack[top + 1]
        if _bound_node(shapes, work, a, b, i, j, frame, box) > limit:
            continue
        leaf_i = shapes.children[i, 0] < 0
        leaf_j = j < 0 or shapes.children[j, 0] < 0
        if leaf_i and leaf_j:
            own = Core(a, own.joint, shapes.children[j, 1] if j >= 0 else -1)
            other = Core(b, other.joint, shapes.children[i, 1])
            place = _place_node(shapes, work, a, j) if j >= 0 else _place(work, a)
            guess = sub(place, _place_node(shapes, work, b, i))
            gap = measure_cores(shapes, work.pose, own, other, guess, work.simplex, limit, touching, exact)
            if gap.lower <= limit:
                if gap.upper < best.upper:
                    best = DistanceBounds(min(gap.lower, best.lower), gap.upper, gap.a, gap.b)
                else:
                    best = DistanceBounds(min(gap.lower, best.lower), best.upper, best.a, best.b)
                limit = min(limit, gap.upper) if exact else min(limit, touching)
                if gap.upper <= touching:
                    return best
        elif leaf_i or (not leaf_j and shapes.nodes[j, 6] > shapes.nodes[i, 6]):
            first, second = shapes.children[j, 0], shapes.children[j, 1]
            near = _bound_node(shapes, work, a, b, i, first, frame, box)
            if near < _bound_node(shapes, work, a, b, i, second, frame, box):
                first, second = second, first
            top = _push(stack, _push(stack, top, i, first), i, second)
        else:
            first, second = shapes.children[i, 0], shapes.children[i, 1]
            near = _bound_node(shapes, work, a, b, first, j, frame, box)
            if near < _bound_node(shapes, work, a, b, second, j, frame, box):
                first, second = second, first
            top = _push(stack, _push(stack, top, first, j), second, j)
        if top > STACK_SIZE - 4:  # not with trees that are balanced
            return DistanceBounds(min(best.lower, -math.inf), best.upper, best.a, best.b)
    return best


@lean
def measure_shapes(
    shapes: LinkShapes,
    work: RobotWorkspace,
    a: int,
    b: int,
    guess: Vec3,
    enough: float,
    touching: float,
    exact: bool,
    seek: bool,
) -> DistanceBounds:
    """Bounds of the distance of two cores at the present configuration.

    Bounds that exceed `enough` need not be tight, and neither need those of cores nearer than `touching`, or
    of meshes unless `exact`. `guess` is a direction from b to a. Of meshes nearer than `enough` the search
    goes on for triangles nearer than `touching` only if `seek`, because it costs more than all else.
    """
    swapped = shapes.code[a] > shapes.code[b]
    if swapped:
        a, b, guess = b, a, scale(guess, -1.0)
    if shapes.code[b] != MESH:
        gap = _measure_convex(shapes, work, a, b, guess, enough, touching, exact)
    else:
        gap = DistanceBounds(-math.inf, math.inf, _place(work, a), _place(work, b))
        limit = enough if exact else max(HULL_SHARE * enough, touching)
        if shapes.n_vertices[b] > 0 and (shapes.code[a] != MESH or shapes.n_vertices[a] > 0):
            # The hulls decide for most pairs. Nothing but their lower bound holds for the meshes.
            hulls = _measure_convex(shapes, work, a, b, guess, enough, limit, exact)
            gap = DistanceBounds(hulls.lower, math.inf, hulls.a, hulls.b)
        if not gap.lower > limit:
            gap = _measure_mesh(shapes, work, a, b, enough, touching if exact or seek else enough, exact)
    if swapped:
        gap = DistanceBounds(gap.lower, gap.upper, gap.b, gap.a)
    return gap


@device
def _measure_reach(shapes: LinkShapes, work: RobotWorkspace, s: int, v: Vec3) -> float:
    """How far a core, or the hull of a mesh, reaches along v from the center of its ball, times |v|.

    Of a half-space v is the normal: along it the surface is where it is.
    """
    if shapes.code[s] in (POINT, HALF_SPACE):
        return 0.0
    furthest = support(shapes, work.pose, Core(s, shapes.joint[s], -1), v)
    return dot(sub(furthest, _place(work, s)), v)


@lean
def bound_gap(
    joints: Joints, shapes: LinkShapes, work: RobotWorkspace, a: int, b: int, level: int, v: Vec3
) -> float:
    """A lower bound of the distance of two cores along v, while joints are within `work.change`.

    For points x of a and y of b, v . (x - y) is linear in a time u from -1 to 1, except for a bounded rest.
    Its minimum over both cores is concave in u, so the ends of the interval decide. There the cores reach as
    far as resting ones along vectors that have turned.
    """
    if length_sq(v) == 0.0:
        return -math.inf
    n = scale(v, 1.0 / math.sqrt(length_sq(v)))
    first = bound_rates(joints, shapes, work, a, level, n)
    second = bound_rates(joints, shapes, work, b, level, n)
    gap = math.inf
    for end in (-1.0, 1.0):
        reach_a = _measure_reach(shapes, work, a, sub(scale(first.turn, -end), n))
        reach_b = _measure_reach(shapes, work, b, along(n, second.turn, end))
        gap = min(gap, end * (first.rate - second.rate) - reach_a - reach_b)
    return dot(sub(_place(work, a), _place(work, b)), n) + gap - first.rest - second.rest


@device
def check_pair(
    joints: Joints,
    shapes: LinkShapes,
    work: RobotWorkspace,
    a: int,
    b: int,
    level: int,
    margin: float,
    rounding: float,
    tol: float,
    any_contact: bool,
    pair: int,
) -> tuple[int, float, float]:
    """Decide for a pair, whatever the joints do within `work.change` of their present values.

    Bounding balls come first, then how far both shapes can move in all, then how fast they come nearer.
    The direction that bounds the distance of the pair is kept in the frame of b. It is often a bound for the
    next interval, too.

    Returns `PROVEN`, `OPEN` or `TOUCHING`, the bound of the relative motion, and an upper bound of the gap.
    Meshes that touch may be called open unless `any_contact`, or unless they move by so little that a contact
    ends the search or covers the interval.
    """
    for s in (a, b):
        place_shape(joints, shapes, s, work)
    bound = work.motion[a, level] + work.motion[b, level]
    needed = bound + rounding + margin
    p, q = _place(work, a), _place(work, b)
    d_sq = length_sq(sub(p, q))
    reach = shapes.radius[a, 0] + shapes.radius[b, 0] + needed
    if d_sq > reach * reach:
        return PROVEN, bound, math.inf
    radius = shapes.radius[a, 2] + shapes.radius[b, 2]
    # Spheres come first, because sphere models consist of them alone: a call costs more than their tests.
    if shapes.code[a] == POINT and shapes.code[b] == POINT:
        lower = upper = math.sqrt(d_sq)
        apart = sub(p, q)
    elif shapes.code[a] == POINT and shapes.code[b] == BOX:
        gap = measure_point_box(shapes, work, p, b)
        lower = upper = gap.lower
        apart = sub(gap.a, gap.b)
    else:
        joint = shapes.joint[b]
        last = load_row(work.guess, pair, 0)
        guess = turn(work.pose, joint, last) if length_sq(last) > 0.0 else sub(p, q)
        seek = any_contact or bound <= max(0.5 * tol, margin)
        gap = measure_shapes(
            shapes, work, a, b, guess, needed + radius, max(tol + margin + radius, 0.0), False, seek
        )
        apart = load_row(work.simplex, 4, 0)
        if shapes.code[a] > shapes.code[b]:
            apart = scale(apart, -1.0)
        found = turn_back(work.pose, joint, apart)
        work.guess[pair, 0], work.guess[pair, 1], work.guess[pair, 2] = found
        lower, upper = gap.lower, gap.upper
    if lower - radius > needed:
        return PROVEN, bound, math.inf
    closest = radius + rounding + margin
    if lower > closest and bound_gap(joints, shapes, work, a, b, level, apart) > closest:
        return PROVEN, bound, math.inf
    upper -= radius + margin
    return (TOUCHING if upper <= tol else OPEN), bound, upper
