"""Images of many radars in one launch: a block for each, a thread for each of its pixels.

What a pixel holds is computed by the functions of `ougi.radar.rasterizer`. A block skips whole meshes, takes
faces into its own memory, and each thread tests its pixel against them. No other thread writes that pixel, so
that none waits. Of equal depths the lowest face stays, as on the CPU, in whatever order faces come.

All communication between threads is in this file, because numba-cuda's simulator requires it.
"""

from __future__ import annotations

import functools

import numpy as np
from numba import cuda

from ougi._native import device
from ougi._typing import Floats, Index, Ints
from ougi.cuda.driver import SIMULATED, kernel
from ougi.kernels.records import Vec3
from ougi.radar.motion_frames import MotionFrame, load_frame, to_world
from ougi.radar.packed_meshes import PackedMeshes, is_ignored, is_outside_view
from ougi.radar.rasterizer import depth_in_pixel, find_cover, load_face, load_view
from ougi.radar.triangles import load_triangle, store_triangle
from ougi.radar.windows import ImageBounds, PixelWindow

# 16 x 16 pixels; larger images are drawn in pieces of so many.
THREADS = 16 if SIMULATED else 256


@device
def _near_meshes(
    frame: MotionFrame,
    seen: ImageBounds,
    scene: PackedMeshes,
    ignored: Ints,
    first: int,
    near: Ints,
    held: Ints,
) -> None:
    """Of THREADS meshes from `first` on, those that a radar may see; held[0] is their number."""
    me = cuda.threadIdx.x
    cuda.syncthreads()
    if me == 0:
        held[0] = 0
    cuda.syncthreads()
    mesh = first + me
    if mesh < scene.bodies.shape[0]:
        hidden = is_ignored(scene.bodies[mesh], ignored) or is_outside_view(frame, scene, mesh, seen)
        if not hidden:
            near[cuda.atomic.add(held, 0, 1)] = mesh
    cuda.syncthreads()


@device
def _drawn_faces(
    frame: MotionFrame,
    window: PixelWindow,
    scene: PackedMeshes,
    first: int,
    end: int,
    keeps: int,
    rows: Floats,
    traits: Floats,
    covers: Ints,
    held: Ints,
) -> None:
    """Of THREADS faces from `first` on, those that are drawn at all; held[1] is their number."""
    me = cuda.threadIdx.x
    cuda.syncthreads()
    if me == 0:
        held[1] = 0
    cuda.syncthreads()
    number = first + me
    if number < end:
        t = load_face(frame, scene, number)
        cover = find_cover(t, frame.length, window, keeps)
        if cover.first <= cover.last:
            k = cuda.atomic.add(held, 1, 1)
            store_triangle(rows, k, t)
            traits[k, 0], traits[k, 1], traits[k, 2] = 1.0 if cover.thin else 0.0, cover.area, cover.z0
            covers[k, 0], covers[k, 1], covers[k, 2] = cover.first, cover.last, cover.low
            covers[k, 3], covers[k, 4] = cover.top, number
    cuda.syncthreads()


@device
def _depth(
    rows: Floats, traits: Floats, covers: Ints, k: int, window: PixelWindow, i: int, j: int, keeps: int
) -> float:
    """The depth of face k of those that a block holds in a pixel; inf if it is not there."""
    if i < covers[k, 0] or i > covers[k, 1] or j < covers[k, 2] or j > covers[k, 3]:
        return np.inf
    t, thin = load_triangle(rows, k), traits[k, 0] > 0.0
    return depth_in_pixel(t, thin, traits[k, 1], traits[k, 2], window, i, j, keeps)


@device
def _find_minimum(low: Floats, which: Ints, value: float, key: Index) -> None:
    """low[0] becomes the lowest value of the block and which[0] the lowest key that has it."""
    me = cuda.threadIdx.x
    cuda.syncthreads()
    low[me], which[me] = value, key
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if me < half:
            other = me + half
            if low[other] < low[me] or (low[other] == low[me] and which[other] < which[me]):
                low[me], which[me] = low[other], which[other]
        cuda.syncthreads()
        half //= 2


# The 152 registers that the compiler would take let one block run at a time on each processor; 80 let three,
# in half the time.
@functools.partial(kernel, registers=80)
def draw_images(
    frames: Floats,
    windows: Floats,
    scene: PackedMeshes,
    ignored: Ints,
    keeps: int,
    count: Ints,
    bodies: Ints,
    depths: Floats,
    points: Floats,
    depth: Floats,
    ids: Ints,
) -> None:
    """Draw the images (n, rows, columns) of all radars, and sum up: bodies seen, the nearest first.

    `count` is how many there are; `bodies` and `depths` hold the first of them.
    """
    near = cuda.shared.array(THREADS, np.int64)
    rows = cuda.shared.array((THREADS, 9), np.float64)
    traits = cuda.shared.array((THREADS, 3), np.float64)
    covers = cuda.shared.array((THREADS, 5), np.int32)
    low = cuda.shared.array(THREADS, np.float64)
    which = cuda.shared.array(THREADS, np.int64)
    held = cuda.shared.array(2, np.int32)
    me, radar = cuda.threadIdx.x, cuda.blockIdx.x
    if radar >= frames.shape[0]:
        return
    frame = load_frame(frames, radar)
    window, seen = load_view(frame, windows, radar)
    pixels, excluded = window.columns * window.rows, ignored[radar]
    for tile in range(0, pixels, THREADS):
        pixel = tile + me
        j = pixel // window.columns
        i = pixel - j * window.columns
        best, face, body = np.inf, -1, np.int64(-1)
        for first in range(0, scene.bodies.shape[0], THREADS):
            _near_meshes(frame, seen, scene, excluded, first, near, held)
            for m in range(held[0]):
                end = scene.face_starts[near[m] + 1]
                for start in range(scene.face_starts[near[m]], end, THREADS):
                    _drawn_faces(frame, window, scene, start, end, keeps, rows, traits, covers, held)
                    for k in range(held[1]):
                        z = _depth(rows, traits, covers, k, window, i, j, keeps)
                        nearer = z < best or (z == best and covers[k, 4] < face)
                        if nearer and 0.0 <= z <= frame.length:
                            best, face, body = z, covers[k, 4], scene.bodies[near[m]]
        if pixel < pixels:
            depth[radar, j, i], ids[radar, j, i] = best if face >= 0 else frame.length, body
    _list_bodies(radar, frame, window, count, bodies, depths, points, depth[radar], ids[radar], low, which)


@device
def _list_bodies(
    radar: int,
    frame: MotionFrame,
    window: PixelWindow,
    count: Ints,
    bodies: Ints,
    depths: Floats,
    points: Floats,
    depth: Floats,
    ids: Ints,
    low: Floats,
    which: Ints,
) -> None:
    """The nearest pixel; then, again and again, the nearest body of those that are not listed yet."""
    me, columns, max_bodies = cuda.threadIdx.x, window.columns, bodies.shape[1]
    pixels = columns * window.rows
    nearest_depth, at = np.inf, pixels
    for pixel in range(me, pixels, THREADS):
        j = pixel // columns
        i = pixel - j * columns
        if ids[j, i] >= 0 and depth[j, i] < nearest_depth:
            nearest_depth, at = depth[j, i], pixel
    _find_minimum(low, which, nearest_depth, at)
    at = which[0]
    if me == 0:
        point = Vec3(np.nan, np.nan, np.nan)
        if at < pixels:
            v = window.v + (at // columns + 0.5) / window.per_v
            u = window.u + (at % columns + 0.5) / window.per_u
            point = to_world(frame, Vec3(u, v, low[0]))
        points[radar, 0], points[radar, 1], points[radar, 2] = point.x, point.y, point.z
    found = 0
    while at < pixels:
        nearest_depth, nearest = np.inf, np.int64(-1)
        for pixel in range(me, pixels, THREADS):
            j = pixel // columns
            i = pixel - j * columns
            body, z = ids[j, i], depth[j, i]
            if body >= 0 and (z < nearest_depth or (z == nearest_depth and body < nearest)):
                nearest_depth, nearest = z, body
        _find_minimum(low, which, nearest_depth, nearest)
        nearest = which[0]
        if nearest < 0:
            break
        if me == 0 and found < max_bodies:
            bodies[radar, found], depths[radar, found] = nearest, low[0]
        _mark(ids, nearest, True)
        found += 1
    _mark(ids, -1, False)
    if me == 0:
        count[radar] = found
        for k in range(found, max_bodies):
            bodies[radar, k], depths[radar, k] = -1, np.inf


@device
def _mark(ids: Ints, body: int, listed: bool) -> None:
    """Mark a body that is listed, or take all marks away.

    Marks are below -1: no number of a body is negative, and -1 is nothing.
    """
    rows, columns = ids.shape
    for pixel in range(cuda.threadIdx.x, rows * columns, THREADS):
        j = pixel // columns
        i = pixel - j * columns
        if (ids[j, i] == body) if listed else (ids[j, i] < -1):
            ids[j, i] = -2 - ids[j, i]
