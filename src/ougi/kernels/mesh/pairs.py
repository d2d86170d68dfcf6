"""Touching and nearest triangles: of two meshes, or of a mesh and other bodies.

Pairs of nodes are descended depth first, the nearer one first. The distance of two boxes is a lower bound for
what they hold. A body that is no mesh has one node: a box in a frame of its own, and a radius. Boxes are
compared in the coordinates of the first mesh, and triangles in those of the world, where kernels judge them.
Distances of two meshes use boxes that are turned as the triangles lie.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, loop, procedure
from ougi._typing import Floats, Ints
from ougi.kernels.capsule3d_triangle3d import intersects_capsule3d_triangle3d
from ougi.kernels.closest3d import (
    pierces,
    point_triangle,
    segment_triangle,
    triangle_box,
    triangle_cuts_box,
    triangle_triangle,
    triangles_pierce,
)
from ougi.kernels.constants import BAND
from ougi.kernels.load import load_box, load_capsule3d, load_sphere, load_triangle3d
from ougi.kernels.mesh.constants import CAPSULE, SPHERE, TRIANGLE
from ougi.kernels.mesh.oriented import (
    RelativeFrame,
    bound_boxes,
    load_oriented,
    measure_oriented,
    turn_box,
)
from ougi.kernels.mesh.tree import BoxTree, load_triangle
from ougi.kernels.records import Triangle3d, Vec3
from ougi.kernels.sphere_triangle3d import intersects_sphere_triangle3d
from ougi.kernels.support3d import translate_box, translate_segment, translate_triangle, triangle_normal
from ougi.kernels.triangle3d_box import intersects_triangle3d_box
from ougi.kernels.triangle3d_triangle3d import intersects_triangle3d_triangle3d
from ougi.kernels.vec3 import add, dot, neg, sub


@device
def _get_row(pose: Floats, m: int, k: int) -> Vec3:
    return Vec3(pose[m, k], pose[m, k + 1], pose[m, k + 2])


@device
def relate(a: Floats, i: int, b: Floats, j: int) -> RelativeFrame:
    """Row j of poses b as row i of poses a sees it."""
    p, q, r = _get_row(a, i, 0), _get_row(a, i, 3), _get_row(a, i, 6)
    u, v, w = _get_row(b, j, 0), _get_row(b, j, 3), _get_row(b, j, 6)
    d = sub(_get_row(b, j, 9), _get_row(a, i, 9))
    return RelativeFrame(
        Vec3(
            p.x * u.x + q.x * v.x + r.x * w.x,
            p.x * u.y + q.x * v.y + r.x * w.y,
            p.x * u.z + q.x * v.z + r.x * w.z,
        ),
        Vec3(
            p.y * u.x + q.y * v.x + r.y * w.x,
            p.y * u.y + q.y * v.y + r.y * w.y,
            p.y * u.z + q.y * v.z + r.y * w.z,
        ),
        Vec3(
            p.z * u.x + q.z * v.x + r.z * w.x,
            p.z * u.y + q.z * v.y + r.z * w.y,
            p.z * u.z + q.z * v.z + r.z * w.z,
        ),
        Vec3(
            p.x * d.x + q.x * d.y + r.x * d.z,
            p.y * d.x + q.y * d.y + r.y * d.z,
            p.z * d.x + q.z * d.y + r.z * d.z,
        ),
    )


@device
def get_middle(boxes: Floats, k: int) -> Vec3:
    return Vec3(
        0.5 * (boxes[k, 0] + boxes[k, 3]),
        0.5 * (boxes[k, 1] + boxes[k, 4]),
        0.5 * (boxes[k, 2] + boxes[k, 5]),
    )


@device
def get_half(boxes: Floats, k: int) -> Vec3:
    return Vec3(
        0.5 * (boxes[k, 3] - boxes[k, 0]),
        0.5 * (boxes[k, 4] - boxes[k, 1]),
        0.5 * (boxes[k, 5] - boxes[k, 2]),
    )


@device
def _beyond(x: float, reach: float) -> float:
    gap = max(abs(x) - reach, 0.0)
    return gap * gap


@device
def bound_gap(a: Floats, i: int, b: Floats, j: int, rel: RelativeFrame) -> float:
    """A lower bound of the distance of two boxes: from a box around the other, in either's coordinates."""
    ha, hb, cb = get_half(a, i), get_half(b, j), get_middle(b, j)
    x, y, z = rel.x, rel.y, rel.z
    c = Vec3(dot(x, cb) + rel.position.x, dot(y, cb) + rel.position.y, dot(z, cb) + rel.position.z)
    c = sub(c, get_middle(a, i))
    mine = (
        _beyond(c.x, ha.x + hb.x * abs(x.x) + hb.y * abs(x.y) + hb.z * abs(x.z))
        + _beyond(c.y, ha.y + hb.x * abs(y.x) + hb.y * abs(y.y) + hb.z * abs(y.z))
        + _beyond(c.z, ha.z + hb.x * abs(z.x) + hb.y * abs(z.y) + hb.z * abs(z.z))
    )
    other = (
        _beyond(x.x * c.x + y.x * c.y + z.x * c.z, hb.x + ha.x * abs(x.x) + ha.y * abs(y.x) + ha.z * abs(z.x))
        + _beyond(
            x.y * c.x + y.y * c.y + z.y * c.z, hb.y + ha.x * abs(x.y) + ha.y * abs(y.y) + ha.z * abs(z.y)
        )
        + _beyond(
            x.z * c.x + y.z * c.y + z.z * c.z, hb.z + ha.x * abs(x.z) + ha.y * abs(y.z) + ha.z * abs(z.z)
        )
    )
    return math.sqrt(max(mine, other))


@device
def _measure_defect(pose: Floats, m: int) -> float:
    """How far a rotation is from one: six products of its rows."""
    x, y, z = _get_row(pose, m, 0), _get_row(pose, m, 3), _get_row(pose, m, 6)
    lengths = max(abs(dot(x, x) - 1.0), max(abs(dot(y, y) - 1.0), abs(dot(z, z) - 1.0)))
    return max(lengths, max(abs(dot(x, y)), max(abs(dot(y, z)), abs(dot(z, x)))))


@device
def measure_slack(a: Floats, pose_a: Floats, i: int, b: Floats, k: int, pose_b: Floats, j: int) -> float:
    """Rounding for tree a and box k of b: the band, and ten times the defects of the rotations."""
    far = 0.0
    for axis in range(3):
        own = max(abs(a[0, axis]), abs(a[0, axis + 3])) + max(abs(b[k, axis]), abs(b[k, axis + 3]))
        far += own + abs(pose_a[i, 9 + axis]) + abs(pose_b[j, 9 + axis])
    return (BAND + 10.0 * (_measure_defect(pose_a, i) + _measure_defect(pose_b, j))) * far


@device
def measure_size(boxes: Floats, k: int) -> float:
    """The size of a node: the larger one is descended."""
    size: float = boxes[k, 3] - boxes[k, 0] + boxes[k, 4] - boxes[k, 1] + boxes[k, 5] - boxes[k, 2]
    return size


@procedure
def measure_triangles(p: Triangle3d, q: Triangle3d) -> float:
    """The distance of two triangles; 0 if they touch."""
    o = neg(p.a)
    a, b = translate_triangle(p, o), translate_triangle(q, o)
    n = triangle_normal(a)
    h, k, m = dot(n, b.a), dot(n, b.b), dot(n, b.c)
    one_sided = min(h, min(k, m)) > 0.0 or max(h, max(k, m)) < 0.0
    if not one_sided and triangles_pierce(a, b):
        return 0.0
    return math.sqrt(triangle_triangle(a, b).distance_sq)


@procedure
def _measure_body(kind: int, columns: Floats, i: int, t: Triangle3d) -> float:
    """The distance of body i and a triangle; at most 0 if they touch."""
    if kind == SPHERE:
        ball = load_sphere(columns, i)
        origin = Vec3(0.0, 0.0, 0.0)
        return (
            math.sqrt(point_triangle(origin, translate_triangle(t, neg(ball.center))).distance_sq)
            - ball.radius
        )
    if kind == CAPSULE:
        capsule = load_capsule3d(columns, i)
        o = neg(capsule.start)
        segment, triangle = translate_segment(capsule, o), translate_triangle(t, o)
        if pierces(segment.start, segment.end, triangle, triangle_normal(triangle)):
            return -capsule.radius
        return math.sqrt(segment_triangle(segment, triangle).distance_sq) - capsule.radius
    if kind == TRIANGLE:
        return measure_triangles(load_triangle3d(columns, i), t)
    o = neg(t.a)
    triangle, box = translate_triangle(t, o), translate_box(load_box(columns, i), o)
    near = triangle_box(triangle, box)
    return 0.0 if triangle_cuts_box(triangle, box) else math.sqrt(near.distance_sq)


@procedure
def _touches_body(kind: int, columns: Floats, i: int, t: Triangle3d) -> bool:
    if kind == SPHERE:
        return intersects_sphere_triangle3d(load_sphere(columns, i), t)
    if kind == CAPSULE:
        return intersects_capsule3d_triangle3d(load_capsule3d(columns, i), t)
    if kind == TRIANGLE:
        return intersects_triangle3d_triangle3d(load_triangle3d(columns, i), t)
    return intersects_triangle3d_box(t, load_box(columns, i))


class NodeStack(NamedTuple):
    """A stack of pairs of nodes (n, 2) and their bounds (n,)."""

    nodes: Ints
    bounds: Floats


@loop
def find_touching_triangles(
    a: BoxTree, b: BoxTree, pose_a: Floats, pose_b: Floats, out: Ints, work: NodeStack, start: int, stop: int
) -> None:
    """Cases start..stop, a row of poses for each side: rows (n, 2) of triangles that touch, -1 if none do."""
    stack = work.nodes
    for m in range(start, stop):
        rel = relate(pose_a, m, pose_b, m)
        slack = measure_slack(a.boxes, pose_a, m, b.boxes, 0, pose_b, m)
        out[m, 0] = out[m, 1] = -1
        stack[0, 0] = stack[0, 1] = 0
        top = 1 if bound_gap(a.boxes, 0, b.boxes, 0, rel) <= slack else 0
        while top > 0:
            top -= 1
            i, j = stack[top, 0], stack[top, 1]
            link_a, link_b = a.links[i], b.links[j]
            if link_a < 0 and link_b < 0:
                p = load_triangle(a.corners, -1 - link_a, pose_a, m)
                q = load_triangle(b.corners, -1 - link_b, pose_b, m)
                if intersects_triangle3d_triangle3d(p, q):
                    out[m, 0], out[m, 1] = -1 - link_a, -1 - link_b
                    break
                continue
            in_a = link_b < 0 or (link_a >= 0 and measure_size(a.boxes, i) >= measure_size(b.boxes, j))
            for k in range(2):
                x = (link_a if k == 0 else i + 1) if in_a else i
                y = j if in_a else (link_b if k == 0 else j + 1)
                if bound_gap(a.boxes, x, b.boxes, y, rel) <= slack:
                    stack[top, 0], stack[top, 1] = x, y
                    top += 1


@device
def _bound_triangles(p: Triangle3d, q: Triangle3d) -> float:
    """A lower bound of the distance of two triangles: along the line of their middles."""
    d = sub(add(add(q.a, q.b), q.c), add(add(p.a, p.b), p.c))
    near = min(dot(d, sub(q.a, p.a)), min(dot(d, sub(q.b, p.a)), dot(d, sub(q.c, p.a))))
    gap = near - max(0.0, max(dot(d, sub(p.b, p.a)), dot(d, sub(p.c, p.a))))
    return gap / math.sqrt(dot(d, d)) if gap > 0.0 else 0.0


@loop
def find_nearest_triangles(
    a: BoxTree,
    b: BoxTree,
    turned_a: Floats,
    turned_b: Floats,
    pose_a: Floats,
    pose_b: Floats,
    out: Ints,
    gaps: Floats,
    work: NodeStack,
    start: int,
    stop: int,
) -> None:
    """Cases start..stop: rows (n, 2) of the nearest triangles and their distance (n,), 0 if they touch.

    Nodes are bounded by their turned boxes (2 n - 1, 15), in the coordinates of a.
    """
    stack, bounds = work.nodes, work.bounds
    for m in range(start, stop):
        rel = relate(pose_a, m, pose_b, m)
        slack = measure_slack(a.boxes, pose_a, m, b.boxes, 0, pose_b, m)
        best, low = math.inf, 0.0
        i, j, top = 0, 0, 0
        while best > 0.0:
            link_a, link_b = a.links[i], b.links[j]
            if low < best and (link_a >= 0 or link_b >= 0):
                in_a = link_b < 0 or (
                    link_a >= 0 and measure_oriented(turned_a, i) >= measure_oriented(turned_b, j)
                )
                if in_a:
                    x, y, u, v = i + 1, j, link_a, j
                    other = turn_box(rel, load_oriented(turned_b, j))
                    first, second = load_oriented(turned_a, x), load_oriented(turned_a, u)
                else:
                    x, y, u, v = i, j + 1, i, link_b
                    other = load_oriented(turned_a, i)
                    first = turn_box(rel, load_oriented(turned_b, y))
                    second = turn_box(rel, load_oriented(turned_b, v))
                low = bound_boxes(other, first, best + slack) - slack
                later = bound_boxes(other, second, best + slack) - slack
                if later < low:
                    x, y, low, u, v, later = u, v, later, x, y, low
                if later < best:
                    stack[top, 0], stack[top, 1], bounds[top] = u, v, later
                    top += 1
                i, j = x, y
                continue
            if low < best:
                p = load_triangle(a.corners, -1 - link_a, pose_a, m)
                q = load_triangle(b.corners, -1 - link_b, pose_b, m)
                if _bound_triangles(p, q) - slack < best:
                    gap = measure_triangles(p, q)
                    if gap < best:
                        best, out[m, 0], out[m, 1] = gap, -1 - link_a, -1 - link_b
            if top == 0:
                break
            top -= 1
            i, j, low = stack[top, 0], stack[top, 1], bounds[top]
        gaps[m] = best


class SimpleBodies(NamedTuple):
    """Bodies without trees: columns of their layout; boxes (n, 6), poses (n, 12) and radii around them."""

    kind: int
    columns: Floats
    boxes: Floats
    poses: Floats
    radius: Floats


@loop
def find_touching_triangle(
    tree: BoxTree,
    pose: Floats,
    bodies: SimpleBodies,
    index: Ints,
    out: Ints,
    work: NodeStack,
    start: int,
    stop: int,
) -> None:
    """Bodies index[start..stop]: the row of a triangle that touches each, -1 if none does."""
    stack = work.nodes
    for m in range(start, stop):
        k = index[m]
        rel = relate(pose, 0, bodies.poses, k)
        slack = measure_slack(tree.boxes, pose, 0, bodies.boxes, k, bodies.poses, k)
        limit = bodies.radius[k] * (1.0 + BAND) + slack
        out[m] = -1
        stack[0, 0] = 0
        top = 1 if bound_gap(tree.boxes, 0, bodies.boxes, k, rel) <= limit else 0
        while top > 0:
            top -= 1
            i = stack[top, 0]
            link = tree.links[i]
            if link < 0:
                if _touches_body(
                    bodies.kind, bodies.columns, k, load_triangle(tree.corners, -1 - link, pose, 0)
                ):
                    out[m] = -1 - link
                    break
                continue
            for node in (link, i + 1):
                if bound_gap(tree.boxes, node, bodies.boxes, k, rel) <= limit:
                    stack[top, 0] = node
                    top += 1


@loop
def find_nearest_triangle(
    tree: BoxTree,
    pose: Floats,
    bodies: SimpleBodies,
    index: Ints,
    out: Ints,
    gaps: Floats,
    work: NodeStack,
    start: int,
    stop: int,
) -> None:
    """Bodies index[start..stop]: the row of the triangle nearest to each, and its distance (n,)."""
    stack, bounds = work.nodes, work.bounds
    for m in range(start, stop):
        k = index[m]
        rel = relate(pose, 0, bodies.poses, k)
        slack = measure_slack(tree.boxes, pose, 0, bodies.boxes, k, bodies.poses, k)
        slack += bodies.radius[k] * (1.0 + BAND)
        best = math.inf
        i, top = 0, 0
        low = bound_gap(tree.boxes, 0, bodies.boxes, k, rel) - slack
        while best > 0.0:
            link = tree.links[i]
            if low < best and link >= 0:
                low = bound_gap(tree.boxes, i + 1, bodies.boxes, k, rel) - slack
                later = bound_gap(tree.boxes, link, bodies.boxes, k, rel) - slack
                near, far = i + 1, link
                if later < low:
                    near, far, low, later = far, near, later, low
                if later < best:
                    stack[top, 0], bounds[top] = far, later
                    top += 1
                i = near
                continue
            if low < best:
                gap = _measure_body(
                    bodies.kind, bodies.columns, k, load_triangle(tree.corners, -1 - link, pose, 0)
                )
                if gap < best:
                    best, out[m] = gap, -1 - link
            if top == 0:
                break
            top -= 1
            i, low = stack[top, 0], bounds[top]
        gaps[m] = best


@loop
def list_triangles_near(
    tree: BoxTree, pose: Floats, poses: Floats, radius: Floats, point: Floats, out: Ints, work: NodeStack
) -> int:
    """Write which triangles have boxes near to balls, as (ball, row), and return how many there are.

    Those beyond the end of `out` are counted and not written. `point` is a box (1, 6) without extent.
    """
    stack, count = work.nodes, 0
    for m in range(len(poses)):
        rel = relate(pose, 0, poses, m)
        limit = radius[m] * (1.0 + BAND) + measure_slack(tree.boxes, pose, 0, point, 0, poses, m)
        stack[0, 0] = 0
        top = 1
        while top > 0:
            top -= 1
            i = stack[top, 0]
            if bound_gap(tree.boxes, i, point, 0, rel) > limit:
                continue
            link = tree.links[i]
            if link >= 0:
                stack[top, 0], stack[top + 1, 0] = link, i + 1
                top += 2
                continue
            if count < len(out):
                out[count, 0], out[count, 1] = m, -1 - link
            count += 1
    return count
