"""The search for the first contact: pixels in the order of their lower bounds, triangle pairs decide.

In every pixel the nearest target depth less the farthest sensor depth bounds the gap from below. Pixels are
taken in the order of these bounds, until the next bound exceeds the best gap.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi._typing import Bools, Floats, Ints
from ougi.kernels.records import Triangle3d, Vec3
from ougi.kernels.triangle3d_triangle3d import intersects_triangle3d_triangle3d
from ougi.radar.fragments import FAR, NEAR, PIXEL, TRIANGLE, TriangleBuffer
from ougi.radar.motion_frames import MotionFrame
from ougi.radar.straight_contact import find_straight_contact
from ougi.radar.triangles import NOTHING, TriangleContact, is_earlier, load_triangle
from ougi.radar.turning_contact import TIE, are_certainly_apart, find_turning_contact, first_on_face
from ougi.radar.windows import PixelWindow

FREE, HIT, OVERLAPPING, UNDECIDED = 0, 1, 2, 3

NOWHERE = Vec3(math.nan, math.nan, math.nan)


class RadarWorkspace(NamedTuple):
    """Memory for the work of one radar. The loops allocate nothing and stop where it is too small."""

    sensor: TriangleBuffer
    target: TriangleBuffer
    vertices: Floats  # those of one mesh, see `projection.py`
    front: Floats
    back: Floats
    bounds: Floats  # lower bounds of the gaps, by pixel
    heap: Ints  # pixels, the lowest bound first
    tested: Bools  # pairs of triangles


class SearchResult(NamedTuple):
    """The first contact: status, contact, the two triangles (-1: none), and how many pairs were tested."""

    status: int
    contact: TriangleContact
    sensor_triangle: int
    target_triangle: int
    tested: int


@device
def make_no_contact() -> TriangleContact:
    return TriangleContact(math.inf, NOTHING, NOWHERE, NOWHERE, -1.0)


@procedure
def sort_fragments(buffer: TriangleBuffer, count: int, n: int) -> None:
    """Order fragments by pixel."""
    starts, keys, order = buffer.starts, buffer.keys, buffer.order
    for p in range(n + 2):
        starts[p] = 0
    for k in range(count):
        starts[keys[k, PIXEL] + 2] += 1
    for p in range(n):
        starts[p + 2] += starts[p + 1]
    for k in range(count):
        p = keys[k, PIXEL] + 1
        order[starts[p]] = k
        starts[p] += 1


@procedure
def build_heap(workspace: RadarWorkspace, n: int) -> int:
    """Lower bounds of the gaps in pixels with sensor and target, and a heap of these pixels; its size."""
    own_starts, own_order = workspace.sensor.starts, workspace.sensor.order
    starts, order, spans = workspace.target.starts, workspace.target.order, workspace.target.spans
    own_spans, heap, bounds = workspace.sensor.spans, workspace.heap, workspace.bounds
    size = 0
    for p in range(n):
        if starts[p] == starts[p + 1] or own_starts[p] == own_starts[p + 1]:
            continue
        near, far = math.inf, -math.inf
        for k in range(starts[p], starts[p + 1]):
            near = min(near, spans[order[k], NEAR])
        for k in range(own_starts[p], own_starts[p + 1]):
            far = max(far, own_spans[own_order[k], FAR])
        bounds[p] = near - far
        k = size
        while k > 0 and bounds[heap[(k - 1) // 2]] > bounds[p]:
            heap[k] = heap[(k - 1) // 2]
            k = (k - 1) // 2
        heap[k] = p
        size += 1
    return size


@device
def _pop_pixel(heap: Ints, bounds: Floats, size: int) -> int:
    """Remove the first pixel of the heap; the size that is left."""
    size -= 1
    last = heap[size]
    k = 0
    while 2 * k + 1 < size:
        below = 2 * k + 1
        if below + 1 < size and bounds[heap[below + 1]] < bounds[heap[below]]:
            below += 1
        if bounds[heap[below]] >= bounds[last]:
            break
        heap[k] = heap[below]
        k = below
    heap[k] = last
    return size


@device
def _are_separate(a: float, b: float, c: float, d: float, e: float, f: float) -> bool:
    """Are the first three numbers all below the others, or above them?"""
    return max(a, max(b, c)) < min(d, min(e, f)) or max(d, max(e, f)) < min(a, min(b, c))


@procedure
def _are_crossing(s: Triangle3d, t: Triangle3d) -> bool:
    """Do two triangles touch before any motion?"""
    if (
        _are_separate(s.a.x, s.b.x, s.c.x, t.a.x, t.b.x, t.c.x)
        or _are_separate(s.a.y, s.b.y, s.c.y, t.a.y, t.b.y, t.c.y)
        or _are_separate(s.a.z, s.b.z, s.c.z, t.a.z, t.b.z, t.c.z)
    ):
        return False
    return intersects_triangle3d_triangle3d(s, t)


@device
def _find_contact(
    frame: MotionFrame, s: Triangle3d, t: Triangle3d, limit: float, band: float
) -> tuple[bool, TriangleContact]:
    """Do two triangles touch before any motion? If not, their first contact within `limit`."""
    if frame.turns and are_certainly_apart(s, t, limit, frame.pitch, band):
        return False, make_no_contact()
    if _are_crossing(s, t):
        return True, make_no_contact()
    if frame.turns:
        return False, find_turning_contact(s, t, limit, frame.pitch, band)
    return False, find_straight_contact(s, t, limit, band)


@procedure
def search_pixels(
    frame: MotionFrame, workspace: RadarWorkspace, size: int, own: int, others: int, band: float, reach: float
) -> SearchResult:
    """The first contact of `own` and `others` triangles, by the pixels of the heap."""
    best, one, two, tested = make_no_contact(), -1, -1, 0
    limit, tie = frame.length, TIE if frame.turns else band
    own_rows, own_keys, own_spans = workspace.sensor.rows, workspace.sensor.keys, workspace.sensor.spans
    own_order, own_starts = workspace.sensor.order, workspace.sensor.starts
    rows, keys, spans = workspace.target.rows, workspace.target.keys, workspace.target.spans
    order, starts = workspace.target.order, workspace.target.starts
    heap, bounds, done = workspace.heap, workspace.bounds, workspace.tested
    remembers = own * others <= len(done)
    if remembers:
        for k in range(own * others):
            done[k] = False
    while size > 0:
        pixel = heap[0]
        if bounds[pixel] > limit:
            break
        size = _pop_pixel(heap, bounds, size)
        for i in range(own_starts[pixel], own_starts[pixel + 1]):
            mine = own_order[i]
            a, lo, hi = own_keys[mine, TRIANGLE], own_spans[mine, NEAR], own_spans[mine, FAR]
            for j in range(starts[pixel], starts[pixel + 1]):
                yours = order[j]
                if hi + limit < spans[yours, NEAR] or spans[yours, FAR] < lo:
                    continue
                b = keys[yours, TRIANGLE]
                if remembers:
                    if done[a * others + b]:
                        continue
                    done[a * others + b] = True
                tested += 1
                # Whole triangles, not their parts in this pixel, because a pair is tested once.
                s, t = load_triangle(own_rows, a), load_triangle(rows, b)
                is_crossing, contact = _find_contact(frame, s, t, limit, band)
                if is_crossing:
                    return SearchResult(OVERLAPPING, best, a, b, tested)
                if is_earlier(contact.gap, contact.approach, best, tie):
                    best, one, two = contact, a, b
                    limit = min(limit, contact.gap + tie)
    if one < 0:
        return SearchResult(FREE, best, one, two, tested)
    # Gaps up to this are none: a length, or the angle by which the farthest point moves so far.
    none = band / max(reach, 1e-300) if frame.turns else band
    return SearchResult(OVERLAPPING if best.gap <= none else HIT, best, one, two, tested)


@procedure
def sample_gaps(frame: MotionFrame, window: PixelWindow, workspace: RadarWorkspace, n: int) -> float:
    """An upper bound of the angle: the smallest gap at the center of a pixel, along the path of one point.

    Where that path leaves a triangle of the sensor and enters one of a target, the two meet, or have met.
    """
    own_rows, own_keys, own_spans = workspace.sensor.rows, workspace.sensor.keys, workspace.sensor.spans
    own_order, own_starts = workspace.sensor.order, workspace.sensor.starts
    rows, keys, spans = workspace.target.rows, workspace.target.keys, workspace.target.spans
    order, starts = workspace.target.order, workspace.target.starts
    smallest = math.inf
    for pixel in range(n):
        u = window.u + (pixel % window.columns + 0.5) / window.per_u
        v = window.v + (pixel // window.columns + 0.5) / window.per_v
        p = Vec3(u, 0.0, v)
        for i in range(own_starts[pixel], own_starts[pixel + 1]):
            mine = own_order[i]
            s = load_triangle(own_rows, own_keys[mine, TRIANGLE])
            at = first_on_face(p, s, own_spans[mine, NEAR], own_spans[mine, FAR], 1.0, frame.pitch, 0.0)
            if not at < math.inf:
                continue
            for j in range(starts[pixel], starts[pixel + 1]):
                yours = order[j]
                begin, end = max(at, spans[yours, NEAR]), min(at + smallest, spans[yours, FAR])
                if begin <= end:
                    t = load_triangle(rows, keys[yours, TRIANGLE])
                    smallest = min(smallest, first_on_face(p, t, begin, end, 1.0, frame.pitch, 0.0) - at)
    return smallest
