"""The first triangle of a mesh that a ray meets.

A ray is sheared so that it runs along its longest axis from the origin (Woop, Benthin and Wald 2013). Signs
of three areas then decide. They are exact for the sheared corners, and triangles that share a corner have the
same numbers, so no ray passes between neighbours.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, loop
from ougi._typing import Floats, Ints
from ougi.kernels.constants import ENDLESS, SPLIT
from ougi.kernels.mesh.constants import RAY_GROWTH
from ougi.kernels.mesh.tree import BoxTree
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import NOWHERE, cross, dot, length_sq, scale, sub


class Shear(NamedTuple):
    """A ray: its origin, the axes in their new order, and the slopes and the scale along the last of them."""

    ox: float
    oy: float
    oz: float
    kx: int
    ky: int
    kz: int
    sx: float
    sy: float
    sz: float


@device
def make_shear(rays: Floats, i: int) -> Shear:
    """Ray i of (n, 6), origins and directions that are not zero."""
    dx, dy, dz = abs(rays[i, 3]), abs(rays[i, 4]), abs(rays[i, 5])
    kz = 0 if dx >= dy and dx >= dz else (1 if dy >= dz else 2)
    kx = (kz + 1) % 3
    ky = (kx + 1) % 3
    long = rays[i, 3 + kz]
    return Shear(
        rays[i, kx],
        rays[i, ky],
        rays[i, kz],
        kx,
        ky,
        kz,
        rays[i, 3 + kx] / long,
        rays[i, 3 + ky] / long,
        1.0 / long,
    )


@device
def _multiply_error(a: float, b: float, product: float) -> float:
    """What rounding took from a product (Veltkamp and Dekker)."""
    c = SPLIT * a
    a_high = c - (c - a)
    a_low = a - a_high
    c = SPLIT * b
    b_high = c - (c - b)
    b_low = b - b_high
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


@device
def compute_area(ax: float, ay: float, bx: float, by: float) -> float:
    """ax by - ay bx, right in sign: a product that is rounded to a larger number is the larger one."""
    left, right = ax * by, ay * bx
    if left != right:
        return left - right
    return _multiply_error(ax, by, left) - _multiply_error(ay, bx, right)


@device
def meet_triangle(s: Shear, corners: Floats, k: int) -> float:
    """The t >= 0 at which a ray meets triangle k, its border included; infinite if it does not."""
    az, bz, cz = corners[k, s.kz] - s.oz, corners[k, 3 + s.kz] - s.oz, corners[k, 6 + s.kz] - s.oz
    ax, ay = corners[k, s.kx] - s.ox - s.sx * az, corners[k, s.ky] - s.oy - s.sy * az
    bx, by = corners[k, 3 + s.kx] - s.ox - s.sx * bz, corners[k, 3 + s.ky] - s.oy - s.sy * bz
    cx, cy = corners[k, 6 + s.kx] - s.ox - s.sx * cz, corners[k, 6 + s.ky] - s.oy - s.sy * cz
    u, v, w = compute_area(bx, by, cx, cy), compute_area(cx, cy, ax, ay), compute_area(ax, ay, bx, by)
    if (u < 0.0 or v < 0.0 or w < 0.0) and (u > 0.0 or v > 0.0 or w > 0.0):
        return math.inf
    total = u + v + w
    if total == 0.0:
        return math.inf  # seen edge-on: its neighbours are met
    t = s.sz * ((u * az + v * bz + w * cz) / total)
    return t if t >= 0.0 else math.inf


@device
def _invert(d: float) -> float:
    """1 / d, or a number that stands for infinity."""
    return 1.0 / d if abs(d) * ENDLESS > 1.0 else ENDLESS


class Slabs(NamedTuple):
    """A ray as boxes see it: its origin, moved by the growth of boxes to either side, and its slopes."""

    x_low: float
    y_low: float
    z_low: float
    x_high: float
    y_high: float
    z_high: float
    x: float
    y: float
    z: float


@device
def make_slabs(rays: Floats, i: int, grow: float) -> Slabs:
    """Ray i for boxes that are grown on all sides."""
    return Slabs(
        rays[i, 0] + grow,
        rays[i, 1] + grow,
        rays[i, 2] + grow,
        rays[i, 0] - grow,
        rays[i, 1] - grow,
        rays[i, 2] - grow,
        _invert(rays[i, 3]),
        _invert(rays[i, 4]),
        _invert(rays[i, 5]),
    )


@device
def enter_box(s: Slabs, boxes: Floats, node: int, until: float) -> float:
    """The t at which a ray enters a box; infinite if not before `until`."""
    p, q = (boxes[node, 0] - s.x_low) * s.x, (boxes[node, 3] - s.x_high) * s.x
    enter, leave = max(0.0, min(p, q)), min(until, max(p, q))
    p, q = (boxes[node, 1] - s.y_low) * s.y, (boxes[node, 4] - s.y_high) * s.y
    enter, leave = max(enter, min(p, q)), min(leave, max(p, q))
    p, q = (boxes[node, 2] - s.z_low) * s.z, (boxes[node, 5] - s.z_high) * s.z
    enter, leave = max(enter, min(p, q)), min(leave, max(p, q))
    return enter if enter <= leave * (1.0 + RAY_GROWTH) else math.inf


@device
def _measure_extent(rays: Floats, i: int, boxes: Floats) -> float:
    """The distance along an axis from a ray's origin that no corner exceeds."""
    far = 0.0
    for j in range(3):
        o = rays[i, j]
        far = max(far, max(abs(boxes[0, j] - o), abs(boxes[0, 3 + j] - o)))
    return far


@device
def find_normal(corners: Floats, k: int, toward: Vec3) -> Vec3:
    """The unit normal of triangle k against a direction; NaN if the triangle is seen edge-on."""
    a = Vec3(corners[k, 0], corners[k, 1], corners[k, 2])
    b, c = (
        Vec3(corners[k, 3], corners[k, 4], corners[k, 5]),
        Vec3(corners[k, 6], corners[k, 7], corners[k, 8]),
    )
    n = cross(sub(b, a), sub(c, a))
    length, side = math.sqrt(length_sq(n)), dot(n, toward)
    if length == 0.0 or side == 0.0:
        return NOWHERE
    return scale(n, (-1.0 if side > 0.0 else 1.0) / length)


@loop
def cast_rays(
    tree: BoxTree,
    rays: Floats,
    max_t: float,
    out: Floats,
    stack: Ints,
    enters: Floats,
    start: int,
    stop: int,
) -> None:
    """Rays start..stop of (n, 6): t, face and normal (n, 5) of the first hit; infinity, -1, NaN for none.

    Of several triangles at the same t it is the one with the smallest face.
    """
    for i in range(start, stop):
        s = make_shear(rays, i)
        slabs = make_slabs(rays, i, RAY_GROWTH * _measure_extent(rays, i, tree.boxes))
        best, row = max_t, -1
        top, node = 0, 0
        enter = enter_box(slabs, tree.boxes, 0, best)
        while True:
            if enter <= best and enter < math.inf:
                link = tree.links[node]
                if link < 0:
                    k = -1 - link
                    t = meet_triangle(s, tree.corners, k)
                    if t < best or (
                        t == best and t < math.inf and (row < 0 or tree.faces[k] < tree.faces[row])
                    ):
                        best, row = t, k
                else:
                    first = enter_box(slabs, tree.boxes, node + 1, best)
                    second = enter_box(slabs, tree.boxes, link, best)
                    near, far, later = node + 1, link, second
                    enter = first
                    if second < first:
                        near, far, later, enter = link, node + 1, first, second
                    if later < math.inf:
                        stack[top], enters[top] = far, later
                        top += 1
                    node = near
                    continue
            if top == 0:
                break
            top -= 1
            node, enter = stack[top], enters[top]
        out[i, 0], out[i, 1] = math.inf, -1.0
        out[i, 2], out[i, 3], out[i, 4] = NOWHERE
        if row >= 0:
            out[i, 0], out[i, 1] = best, tree.faces[row]
            toward = Vec3(rays[i, 3], rays[i, 4], rays[i, 5])
            out[i, 2], out[i, 3], out[i, 4] = find_normal(tree.corners, row, toward)


@loop
def list_entered_boxes(tree: BoxTree, rays: Floats, grow: Floats, out: Ints, stack: Ints) -> int:
    """Write which triangles have boxes that rays enter, as (ray, row), and return how many there are.

    Boxes are grown by `grow` (n,). Rows beyond the end of `out` are counted and not written.
    """
    count = 0
    for i in range(len(rays)):
        slabs = make_slabs(rays, i, grow[i])
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            if enter_box(slabs, tree.boxes, node, math.inf) == math.inf:
                continue
            link = tree.links[node]
            if link >= 0:
                stack[top], stack[top + 1] = link, node + 1
                top += 2
                continue
            if count < len(out):
                out[count, 0], out[count, 1] = i, -1 - link
            count += 1
    return count
