"""Point-sampled and conservative depth images of oriented boxes, many of different size in one call.

A pixel holds the least depth of what is drawn over its center (or the largest), and the face it belongs to.
Edges count as inside: double cover does no harm to a least depth. Both faces of an edge compute the same
number for its sides, so no center falls between them. Conservative images hold, for every face that touches a
pixel's square at all, a depth that it does not fall below there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, loop, procedure
from ougi._typing import Floats, Ints
from ougi.kernels.records import Triangle3d, Vec3
from ougi.radar._fragments import Box, misses, straight_box
from ougi.radar._packed import Packed, is_beside, is_ignored
from ougi.radar._straight import area_of, depth_at, is_thin
from ougi.radar._ways import Way, Window, column, inward, load_corner, load_way, row

# Which faces are drawn: all, those that the direction of view enters, those that it leaves.
ALL, ENTERED, LEFT = 0, 1, 2

# What a pixel keeps.
NEAREST, FARTHEST, NOT_BELOW = 0, 1, 2


@loop
def draw(
    ways: Floats,
    windows: Floats,
    starts: Ints,
    scene: Packed,
    ignored: Ints,
    facing: int,
    keeps: int,
    behind: Floats,
    depth: Floats,
    face: Ints,
) -> None:
    """Images of many radars, one after the other in `depth` and `face`, from starts[i] on.

    Radar i looks along z of way i, as far as its length; windows[i] are u, v, width, height, columns and
    rows. Where `behind` has entries, what is not behind these depths is left out. Depths of empty pixels are
    inf, or -inf where the farthest are kept; faces -1.
    """
    for i in range(len(ways)):
        way = load_way(ways, i)
        window, seen = load_view(way, windows, i)
        for k in range(starts[i], starts[i + 1]):
            depth[k], face[k] = -math.inf if keeps == FARTHEST else math.inf, -1
        for mesh in range(len(scene.parts) - 1):
            if is_ignored(scene.bodies[mesh], ignored[i]) or is_beside(way, scene, mesh, seen):
                continue
            for number in range(scene.parts[mesh], scene.parts[mesh + 1]):
                t = load_face(way, scene, number)
                area = area_of(t)
                if (facing == ENTERED and area > 0.0) or (facing == LEFT and area < 0.0):
                    continue
                _draw_face(t, number, way.length, window, starts[i], keeps, behind, depth, face)


@device
def load_view(way: Way, windows: Floats, i: int) -> tuple[Window, Box]:
    """The pixels of radar i, and what they see."""
    columns, rows = int(windows[i, 4]), int(windows[i, 5])
    window = Window(
        windows[i, 0], windows[i, 1], columns / windows[i, 2], rows / windows[i, 3], columns, rows
    )
    return window, Box(
        window.u, window.u + windows[i, 2], window.v, window.v + windows[i, 3], 0.0, way.length
    )


@device
def load_face(way: Way, scene: Packed, number: int) -> Triangle3d:
    """A triangle of the scene in the frame of a radar."""
    return Triangle3d(
        inward(way, load_corner(scene.vertices, scene.faces[number, 0])),
        inward(way, load_corner(scene.vertices, scene.faces[number, 1])),
        inward(way, load_corner(scene.vertices, scene.faces[number, 2])),
    )


class Cover(NamedTuple):
    """The pixels that a face may be drawn on, none if last < first, and what is the same in all of them."""

    first: int  # columns
    last: int
    low: int  # rows
    top: int
    thin: bool
    area: float
    z0: float


@device
def cover_of(t: Triangle3d, far: float, window: Window, keeps: int) -> Cover:
    """Where a face is drawn in an image as deep as `far`."""
    u0, u1, v0, v1, z0, z1 = straight_box(t)
    du, dv = 1.0 / window.per_u, 1.0 / window.per_v
    if z1 < 0.0 or z0 > far or u1 < window.u or u0 > window.u + window.columns * du:
        return Cover(0, -1, 0, -1, False, 0.0, z0)
    if v1 < window.v or v0 > window.v + window.rows * dv:
        return Cover(0, -1, 0, -1, False, 0.0, z0)
    thin, area = is_thin(t, 1e-12 * (du + dv)), area_of(t)
    if keeps != NOT_BELOW and thin:
        return Cover(0, -1, 0, -1, thin, area, z0)  # no center lies over it
    return Cover(column(window, u0), column(window, u1), row(window, v0), row(window, v1), thin, area, z0)


@device
def depth_over(
    t: Triangle3d, thin: bool, area: float, z0: float, window: Window, i: int, j: int, keeps: int
) -> float:
    """The depth of a face in a pixel that it covers; inf if it is not there."""
    du, dv = 1.0 / window.per_u, 1.0 / window.per_v
    u, v = window.u + (i + 0.5) * du, window.v + (j + 0.5) * dv
    if keeps == NOT_BELOW:
        return _least(t, thin, area, u, v, du, dv, z0)
    return depth_at(t, Vec3(u, v, 0.0), 0.0)


@procedure
def _draw_face(
    t: Triangle3d,
    number: int,
    far: float,
    window: Window,
    start: int,
    keeps: int,
    behind: Floats,
    depth: Floats,
    face: Ints,
) -> None:
    cover = cover_of(t, far, window, keeps)
    for j in range(cover.low, cover.top + 1):
        for i in range(cover.first, cover.last + 1):
            z = depth_over(t, cover.thin, cover.area, cover.z0, window, i, j, keeps)
            pixel = start + j * window.columns + i
            if not 0.0 <= z <= far or (len(behind) > 0 and z < behind[pixel]):
                continue
            if z > depth[pixel] if keeps == FARTHEST else z < depth[pixel]:
                depth[pixel], face[pixel] = z, number


@device
def _least(
    t: Triangle3d, thin: bool, area: float, u: float, v: float, du: float, dv: float, z0: float
) -> float:
    """A depth that a triangle does not fall below over a pixel, not below 0; inf if it does not touch it."""
    if thin:
        return max(z0, 0.0)
    if (
        misses(t.a, t.b, area, u, v, du, dv)
        or misses(t.b, t.c, area, u, v, du, dv)
        or misses(t.c, t.a, area, u, v, du, dv)
    ):
        return math.inf
    slope_u = ((t.b.z - t.a.z) * (t.c.y - t.a.y) - (t.c.z - t.a.z) * (t.b.y - t.a.y)) / area
    slope_v = ((t.c.z - t.a.z) * (t.b.x - t.a.x) - (t.b.z - t.a.z) * (t.c.x - t.a.x)) / area
    middle = t.a.z + slope_u * (u - t.a.x) + slope_v * (v - t.a.y)
    reach = 0.5 * (abs(slope_u) * du + abs(slope_v) * dv) * (1.0 + 1e-9)
    return max(max(z0, middle - reach), 0.0)
