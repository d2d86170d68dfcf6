"""Boxes around the nodes of a tree that are turned as their triangles lie.

A piece of a surface is flat, so its turned box is thin. Bounds of distances from thin boxes are near the
truth: for two bumpy balls of 10,000 faces they leave a few hundred pairs of triangles to be measured.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, loop
from ougi._typing import Floats, Ints
from ougi.kernels.mesh.constants import DIAGONAL, JACOBI_SWEEPS
from ougi.kernels.mesh.tree import BoxTree
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import UNITS, add, cross, dot, scale, sub, unit_or


class OrientedBox(NamedTuple):
    """A box: its center, axes of length 1, and half its sizes along them."""

    center: Vec3
    x: Vec3
    y: Vec3
    z: Vec3
    half: Vec3


class RelativeFrame(NamedTuple):
    """A frame as another one sees it: rotation, by rows, and position."""

    x: Vec3
    y: Vec3
    z: Vec3
    position: Vec3


@device
def turn(rel: RelativeFrame, v: Vec3) -> Vec3:
    """A direction of a frame in the other one."""
    return Vec3(dot(rel.x, v), dot(rel.y, v), dot(rel.z, v))


@device
def _get_vec3(rows: Floats, k: int, j: int) -> Vec3:
    return Vec3(rows[k, j], rows[k, j + 1], rows[k, j + 2])


@device
def load_oriented(boxes: Floats, k: int) -> OrientedBox:
    """Box k of (n, 15)."""
    return OrientedBox(
        _get_vec3(boxes, k, 0),
        _get_vec3(boxes, k, 3),
        _get_vec3(boxes, k, 6),
        _get_vec3(boxes, k, 9),
        _get_vec3(boxes, k, 12),
    )


@device
def turn_box(rel: RelativeFrame, b: OrientedBox) -> OrientedBox:
    """A box of a frame in the other one."""
    center = add(turn(rel, b.center), rel.position)
    return OrientedBox(center, turn(rel, b.x), turn(rel, b.y), turn(rel, b.z), b.half)


@device
def _to_axes(b: OrientedBox, v: Vec3) -> Vec3:
    return Vec3(dot(b.x, v), dot(b.y, v), dot(b.z, v))


@device
def _reach(half: Vec3, along: Vec3) -> float:
    return half.x * abs(along.x) + half.y * abs(along.y) + half.z * abs(along.z)


@device
def _clip(x: float, reach: float) -> float:
    gap = max(abs(x) - reach, 0.0)
    return gap * gap


@device
def _clamp(v: Vec3, half: Vec3) -> Vec3:
    """The point of a box around 0 that is nearest to v."""
    return Vec3(
        min(max(v.x, -half.x), half.x), min(max(v.y, -half.y), half.y), min(max(v.z, -half.z), half.z)
    )


@device
def bound_boxes(a: OrientedBox, b: OrientedBox, limit: float) -> float:
    """A lower bound of the distance of two boxes: the best of four, or the first that reaches the limit.

    Boxes that overlap have a negative bound: minus their overlap along the line of centers.
    """
    d = sub(b.center, a.center)
    p, q = _to_axes(a, d), _to_axes(b, d)
    d_sq = dot(d, d)
    gap = d_sq - _reach(a.half, p) - _reach(b.half, q)
    low = gap / math.sqrt(d_sq) if d_sq > 0.0 else -math.inf
    if low >= limit:
        return low
    x, y, z = _to_axes(a, b.x), _to_axes(a, b.y), _to_axes(a, b.z)
    # From a box around the other one, in the coordinates of either.
    mine = (
        _clip(p.x, a.half.x + _reach(b.half, Vec3(x.x, y.x, z.x)))
        + _clip(p.y, a.half.y + _reach(b.half, Vec3(x.y, y.y, z.y)))
        + _clip(p.z, a.half.z + _reach(b.half, Vec3(x.z, y.z, z.z)))
    )
    other = (
        _clip(q.x, b.half.x + _reach(a.half, x))
        + _clip(q.y, b.half.y + _reach(a.half, y))
        + _clip(q.z, b.half.z + _reach(a.half, z))
    )
    if max(mine, other) > 0.0:
        low = max(low, math.sqrt(max(mine, other)))
        if low >= limit:
            return low
    # Along the line of two points that are nearly the nearest: projected from a to b and back. Thin
    # triangles need it: cylinders whose ends are fans of 2,500 take a thirtieth of the time or less.
    r = sub(_clamp(p, a.half), p)
    f = _clamp(Vec3(dot(x, r), dot(y, r), dot(z, r)), b.half)
    t = add(p, add(scale(x, f.x), add(scale(y, f.y), scale(z, f.z))))
    e = sub(t, _clamp(t, a.half))
    e_sq = dot(e, e)
    if e_sq > 0.0:
        gap = dot(e, p) - _reach(a.half, e) - _reach(b.half, Vec3(dot(x, e), dot(y, e), dot(z, e)))
        low = max(low, gap / math.sqrt(e_sq))
    return low


@device
def measure_oriented(boxes: Floats, k: int) -> float:
    """The size of a box: the larger one is descended."""
    size: float = boxes[k, 12] + boxes[k, 13] + boxes[k, 14]
    return size


@loop
def fit_boxes(tree: BoxTree, boxes: Floats, rows: Ints, spread: Floats, axes: Floats) -> None:
    """Fill boxes (2 n - 1, 15) around the nodes; rows (2 n - 1, 2), spread and axes (3, 3) are workspaces."""
    for node in range(len(tree.links) - 1, -1, -1):
        link = tree.links[node]
        if link < 0:
            rows[node, 0], rows[node, 1] = -1 - link, -link
        else:
            rows[node, 0], rows[node, 1] = rows[node + 1, 0], rows[link, 1]
        base = Vec3(
            0.5 * (tree.boxes[node, 0] + tree.boxes[node, 3]),
            0.5 * (tree.boxes[node, 1] + tree.boxes[node, 4]),
            0.5 * (tree.boxes[node, 2] + tree.boxes[node, 5]),
        )
        _measure_spread(tree.corners, rows[node, 0], rows[node, 1], base, spread)
        _find_axes(spread, axes)
        _enclose(tree.corners, rows[node, 0], rows[node, 1], base, axes, boxes, node)


@device
def _measure_spread(corners: Floats, start: int, stop: int, base: Vec3, out: Floats) -> None:
    """The covariance of the corners of triangles start..stop."""
    x = y = z = xx = xy = xz = yy = yz = zz = 0.0
    for k in range(start, stop):
        for j in range(0, 9, 3):
            p = sub(_get_vec3(corners, k, j), base)
            x, y, z = x + p.x, y + p.y, z + p.z
            xx, xy, xz = xx + p.x * p.x, xy + p.x * p.y, xz + p.x * p.z
            yy, yz, zz = yy + p.y * p.y, yz + p.y * p.z, zz + p.z * p.z
    n = 3.0 * (stop - start)
    out[0, 0], out[1, 1], out[2, 2] = xx - x * x / n, yy - y * y / n, zz - z * z / n
    out[0, 1] = out[1, 0] = xy - x * y / n
    out[0, 2] = out[2, 0] = xz - x * z / n
    out[1, 2] = out[2, 1] = yz - y * z / n


@device
def _find_axes(m: Floats, axes: Floats) -> None:
    """Eigenvectors of a symmetric matrix as rows, by Jacobi's rotations. Any rotation would be valid."""
    for i in range(3):
        for j in range(3):
            axes[i, j] = 1.0 if i == j else 0.0
    for _ in range(JACOBI_SWEEPS):
        _rotate(m, axes, 0, 1)
        _rotate(m, axes, 0, 2)
        _rotate(m, axes, 1, 2)
    x = unit_or(_get_vec3(axes, 0, 0), UNITS[0])
    z = unit_or(cross(x, _get_vec3(axes, 1, 0)), UNITS[2])
    y = cross(z, x)
    axes[0, 0], axes[0, 1], axes[0, 2] = x.x, x.y, x.z
    axes[1, 0], axes[1, 1], axes[1, 2] = y.x, y.y, y.z
    axes[2, 0], axes[2, 1], axes[2, 2] = z.x, z.y, z.z


@device
def _rotate(m: Floats, axes: Floats, p: int, q: int) -> None:
    """Turn axes p and q so that m[p, q] becomes 0."""
    if abs(m[p, q]) <= DIAGONAL * (m[0, 0] + m[1, 1] + m[2, 2]):
        return
    slope = 0.5 * (m[q, q] - m[p, p]) / m[p, q]
    t = math.copysign(1.0, slope) / (abs(slope) + math.sqrt(slope * slope + 1.0))
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for k in range(3):
        m[k, p], m[k, q] = c * m[k, p] - s * m[k, q], s * m[k, p] + c * m[k, q]
    for k in range(3):
        m[p, k], m[q, k] = c * m[p, k] - s * m[q, k], s * m[p, k] + c * m[q, k]
        axes[p, k], axes[q, k] = c * axes[p, k] - s * axes[q, k], s * axes[p, k] + c * axes[q, k]


@device
def _enclose(
    corners: Floats, start: int, stop: int, base: Vec3, axes: Floats, boxes: Floats, node: int
) -> None:
    """Write the box along these axes that holds triangles start..stop."""
    center = base
    for i in range(3):
        axis = _get_vec3(axes, i, 0)
        low, high = math.inf, -math.inf
        for k in range(start, stop):
            for j in range(0, 9, 3):
                at = dot(axis, sub(_get_vec3(corners, k, j), base))
                low, high = min(low, at), max(high, at)
        center = add(center, scale(axis, 0.5 * (low + high)))
        boxes[node, 3 + 3 * i], boxes[node, 4 + 3 * i], boxes[node, 5 + 3 * i] = axis.x, axis.y, axis.z
        boxes[node, 12 + i] = 0.5 * (high - low)
    boxes[node, 0], boxes[node, 1], boxes[node, 2] = center.x, center.y, center.z
