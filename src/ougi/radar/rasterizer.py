"""Point-sampled and conservative depth images of oriented boxes, many of different size in one call.

A pixel holds the smallest (or the largest) depth at its center, and the face with that depth. Edges count as
inside, because double cover does not change a smallest depth. Both faces of an edge compute the same number
for its sides, so no center falls between them. Conservative images hold, for every face that touches a
pixel's square at all, a lower bound of its depth there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, loop, procedure
from ougi._typing import Floats, Ints
from ougi.kernels.records import Triangle3d, Vec3
from ougi.radar.fragments import bound_straight, is_outside_edge
from ougi.radar.motion_frames import MotionFrame, load_frame, to_local
from ougi.radar.packed_meshes import PackedMeshes, is_ignored, is_outside_view
from ougi.radar.straight_contact import depth_at, is_thin, projected_area
from ougi.radar.triangles import load_vertex
from ougi.radar.windows import (
    COLUMNS,
    HEIGHT,
    LOW_U,
    LOW_V,
    ROWS,
    WIDTH,
    ImageBounds,
    PixelWindow,
    find_column,
    find_row,
)

# Which faces are drawn: all, those that the direction of view enters, those that it leaves.
ALL, ENTERED, LEFT = 0, 1, 2

# Which depth a pixel holds: the nearest, the farthest, or a lower bound of the nearest over its square.
NEAREST, FARTHEST, NOT_BELOW = 0, 1, 2


@loop
def draw(
    frames: Floats,
    windows: Floats,
    starts: Ints,
    scene: PackedMeshes,
    ignored: Ints,
    facing: int,
    keeps: int,
    behind: Floats,
    depth: Floats,
    face: Ints,
) -> None:
    """Draw the images of many radars, one after the other in `depth` and `face`, from starts[i] on.

    Radar i looks along z of frame i, as far as its length, through windows[i], see `windows.py`. Where
    `behind` has entries, only what is behind these depths is drawn. Depths of empty pixels are inf, or -inf
    for FARTHEST; faces -1.
    """
    for i in range(len(frames)):
        frame = load_frame(frames, i)
        window, view = load_view(frame, windows, i)
        for k in range(starts[i], starts[i + 1]):
            depth[k], face[k] = -math.inf if keeps == FARTHEST else math.inf, -1
        for mesh in range(len(scene.face_starts) - 1):
            if is_ignored(scene.bodies[mesh], ignored[i]) or is_outside_view(frame, scene, mesh, view):
                continue
            for number in range(scene.face_starts[mesh], scene.face_starts[mesh + 1]):
                t = load_face(frame, scene, number)
                area = projected_area(t)
                if (facing == ENTERED and area > 0.0) or (facing == LEFT and area < 0.0):
                    continue
                _draw_face(t, number, frame.length, window, starts[i], keeps, behind, depth, face)


@device
def load_view(frame: MotionFrame, windows: Floats, i: int) -> tuple[PixelWindow, ImageBounds]:
    """The pixels of radar i, and the box that they show."""
    columns, rows = int(windows[i, COLUMNS]), int(windows[i, ROWS])
    u, v, width, height = windows[i, LOW_U], windows[i, LOW_V], windows[i, WIDTH], windows[i, HEIGHT]
    window = PixelWindow(u, v, columns / width, rows / height, columns, rows)
    return window, ImageBounds(u, u + width, v, v + height, 0.0, frame.length)


@device
def load_face(frame: MotionFrame, scene: PackedMeshes, number: int) -> Triangle3d:
    """A triangle of the scene in the frame of a radar."""
    return Triangle3d(
        to_local(frame, load_vertex(scene.vertices, scene.faces[number, 0])),
        to_local(frame, load_vertex(scene.vertices, scene.faces[number, 1])),
        to_local(frame, load_vertex(scene.vertices, scene.faces[number, 2])),
    )


class Cover(NamedTuple):
    """The pixels that a face may cover, none if last < first, and what is the same in all of them."""

    first: int  # columns
    last: int
    low: int  # rows
    top: int
    thin: bool
    area: float
    z0: float


@device
def find_cover(t: Triangle3d, far: float, window: PixelWindow, keeps: int) -> Cover:
    """Where a face is drawn in an image as deep as `far`."""
    u0, u1, v0, v1, z0, z1 = bound_straight(t)
    du, dv = 1.0 / window.per_u, 1.0 / window.per_v
    if z1 < 0.0 or z0 > far or u1 < window.u or u0 > window.u + window.columns * du:
        return Cover(0, -1, 0, -1, False, 0.0, z0)
    if v1 < window.v or v0 > window.v + window.rows * dv:
        return Cover(0, -1, 0, -1, False, 0.0, z0)
    thin, area = is_thin(t, 1e-12 * (du + dv)), projected_area(t)
    if keeps != NOT_BELOW and thin:
        return Cover(0, -1, 0, -1, thin, area, z0)  # no center lies over it
    return Cover(
        find_column(window, u0),
        find_column(window, u1),
        find_row(window, v0),
        find_row(window, v1),
        thin,
        area,
        z0,
    )


@device
def depth_in_pixel(
    t: Triangle3d, thin: bool, area: float, z0: float, window: PixelWindow, i: int, j: int, keeps: int
) -> float:
    """The depth of a face in a pixel that it covers; inf if it is not there."""
    du, dv = 1.0 / window.per_u, 1.0 / window.per_v
    u, v = window.u + (i + 0.5) * du, window.v + (j + 0.5) * dv
    if keeps == NOT_BELOW:
        return _min_depth(t, thin, area, u, v, du, dv, z0)
    return depth_at(t, Vec3(u, v, 0.0), 0.0)


@procedure
def _draw_face(
    t: Triangle3d,
    number: int,
    far: float,
    window: PixelWindow,
    start: int,
    keeps: int,
    behind: Floats,
    depth: Floats,
    face: Ints,
) -> None:
    cover = find_cover(t, far, window, keeps)
    for j in range(cover.low, cover.top + 1):
        for i in range(cover.first, cover.last + 1):
            z = depth_in_pixel(t, cover.thin, cover.area, cover.z0, window, i, j, keeps)
            pixel = start + j * window.columns + i
            if not 0.0 <= z <= far or (len(behind) > 0 and z < behind[pixel]):
                continue
            if z > depth[pixel] if keeps == FARTHEST else z < depth[pixel]:
                depth[pixel], face[pixel] = z, number


@device
def _min_depth(
    t: Triangle3d, thin: bool, area: float, u: float, v: float, du: float, dv: float, z0: float
) -> float:
    """A lower bound, at least 0, of the depth of a triangle over a pixel; inf if it does not touch it."""
    if thin:
        return max(z0, 0.0)
    if (
        is_outside_edge(t.a, t.b, area, u, v, du, dv)
        or is_outside_edge(t.b, t.c, area, u, v, du, dv)
        or is_outside_edge(t.c, t.a, area, u, v, du, dv)
    ):
        return math.inf
    slope_u = ((t.b.z - t.a.z) * (t.c.y - t.a.y) - (t.c.z - t.a.z) * (t.b.y - t.a.y)) / area
    slope_v = ((t.c.z - t.a.z) * (t.b.x - t.a.x) - (t.b.z - t.a.z) * (t.c.x - t.a.x)) / area
    middle = t.a.z + slope_u * (u - t.a.x) + slope_v * (v - t.a.y)
    reach = 0.5 * (abs(slope_u) * du + abs(slope_v) * dv) * (1.0 + 1e-9)
    return max(max(z0, middle - reach), 0.0)
