"""The exact radar: conservative images say which pixels can hold the first contact, triangle pairs decide.

In every pixel the nearest target depth less the farthest sensor depth bounds the gap from below. Pixels are
resolved in the order of these bounds, by exact gaps of their triangles, until the next bound exceeds the best
gap. So the answer does not depend on the resolution, and every layer of hollow bodies counts. RADAR's own
images (`published`) keep one layer and stop there.

The loops allocate nothing: they work in a `Room`, and stop where it is too small.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, loop, procedure
from ougi._typing import Bools, Floats, Ints
from ougi.kernels.records import Triangle3d, Vec3
from ougi.kernels.triangle3d_triangle3d import intersects_triangle3d_triangle3d
from ougi.kernels.vec3 import cross, dot, length, sub
from ougi.radar._enclosing import find_enclosing
from ougi.radar._fragments import Box, Side, draw_straight, draw_turning, straight_box, turning_box
from ougi.radar._packed import Packed, has_any, is_beside, is_excluded, store_triangle
from ougi.radar._straight import straight_touch
from ougi.radar._turning import TIE, are_kept_apart, first_on_face, turning_touch
from ougi.radar._ways import (
    BAND,
    NOTHING,
    Touch,
    Way,
    Window,
    inward,
    is_sooner,
    load_corner,
    load_row,
    load_way,
    outward,
    turned_outward,
)

FREE, HIT, OVERLAPPING, UNDECIDED = 0, 1, 2, 3

_NOWHERE = Vec3(math.nan, math.nan, math.nan)


class Room(NamedTuple):
    """Room for the work of one radar; `corners` holds one mesh's in the frame, with distances and angles."""

    sensor: Side
    target: Side
    corners: Floats
    front: Floats
    back: Floats
    bounds: Floats
    heap: Ints
    seen: Bools


class Found(NamedTuple):
    """The first contact: status, touch, the two triangles (-1: none), and how many pairs were tested."""

    status: int
    touch: Touch
    one: int
    two: int
    tested: int


@loop
def resolve(
    ways: Floats,
    pixels: Ints,
    sensors: Packed,
    scene: Packed,
    own_seeds: tuple[Ints, Ints],
    seeds: tuple[Ints, Ints],
    ignored: Ints,
    room: Room,
    searches: bool,
    numbers: Ints,
    places: Floats,
    start: int,
) -> int:
    """First contacts of the radars from `start` on, until the room is too small for one: its number.

    Without searches, only the images are made and looked at: what they leave open is undecided.

    Radar i has the way i, pixels[i] columns and rows, and mesh i of the sensors; bodies ignored[i] are left
    out. Seeds are vertices of pieces, and where those of each mesh begin.

    Written are numbers[i]: status, kind of touch, body, the sensor's and the target's face, pairs tested, and
    room that is needed for triangles and for fragments; and places[i]: gap, time, a lower bound of the gap
    from the images alone, point, normal, and without searches, for turns, an upper bound.
    """
    for i in range(start, len(ways)):
        if not _resolve_one(
            i, load_way(ways, i), pixels[i], sensors, scene, own_seeds, seeds, ignored[i], room, searches,
            numbers[i], places[i],
        ):  # fmt: skip
            return i
    return len(ways)


@procedure
def _resolve_one(
    i: int,
    way: Way,
    pixels: Ints,
    sensors: Packed,
    scene: Packed,
    own_seeds: tuple[Ints, Ints],
    seeds: tuple[Ints, Ints],
    ignored: Ints,
    room: Room,
    searches: bool,
    numbers: Ints,
    places: Floats,
) -> bool:
    if not has_any(scene, ignored):
        _put_free(numbers, places)
        return True
    every = Box(-math.inf, math.inf, -math.inf, math.inf, -math.inf, math.inf)
    own = _take(way, sensors, i, every, room.corners, room.sensor, 0)
    box = _bounds(room.sensor.boxes, own)
    window = Window(
        box.u0, box.v0, pixels[0] / (box.u1 - box.u0), pixels[1] / (box.v1 - box.v0), pixels[0], pixels[1]
    )
    others = 0
    swept = Box(box.u0, box.u1, box.v0, box.v1, box.z0, box.z1 + way.length)
    for mesh in range(len(scene.parts) - 1):
        if not (is_excluded(scene, mesh, ignored) or is_beside(way, scene, mesh, swept)):
            others = _take(way, scene, mesh, swept, room.corners, room.target, others)
    count, other_count = 0, 0
    if 0 < others <= len(room.target.rows):
        other_count = _draw_targets(way, window, box, others, room)
        if other_count <= len(room.target.keys):
            count = _draw_sensor(way, window, own, other_count, room)
    numbers[6], numbers[7] = others, max(count, other_count)
    if others > len(room.target.rows) or max(count, other_count) > len(room.sensor.keys):
        return False
    n = window.columns * window.rows if other_count > 0 else 0
    reach = max(_reach_of(room.sensor.rows, own), _reach_of(room.target.rows, others))
    _sort(room.sensor, count, n)
    _sort(room.target, other_count, n)
    filled = _heap(room, n)
    places[2] = max(room.bounds[room.heap[0]], 0.0) if filled > 0 else math.inf
    if searches:
        found = _search(way, room, filled, own, others, BAND * (reach + length(way.origin)), reach)
    else:
        nothing = Touch(math.inf, NOTHING, _NOWHERE, _NOWHERE, -1.0)
        places[9] = _sampled(way, window, room, n) if way.turns else math.inf
        found = Found(UNDECIDED if places[2] <= way.length else FREE, nothing, -1, -1, 0)
    status, mesh, face = found.status, -1, -1
    if found.two >= 0:
        face = room.target.numbers[found.two]
        mesh = _mesh_of(scene.parts, face)
    if status != OVERLAPPING:
        inside = find_enclosing(sensors, i, scene, own_seeds, seeds, ignored)
        if inside >= 0:
            status, mesh, face = OVERLAPPING, inside, -1
    numbers[0], numbers[1] = status, found.touch.kind if status == HIT else NOTHING
    numbers[2] = -1 if mesh < 0 else scene.bodies[mesh]
    numbers[3] = -1 if face < 0 else found.one
    numbers[4] = -1 if face < 0 else face - scene.parts[mesh]
    numbers[5] = found.tested
    _put_contact(places, way, found.touch, status)
    return True


@procedure
def _search(way: Way, room: Room, filled: int, own: int, others: int, band: float, reach: float) -> Found:
    """Resolve pixels, those of the lowest bounds first."""
    best, one, two, tested = Touch(math.inf, NOTHING, _NOWHERE, _NOWHERE, -1.0), -1, -1, 0
    least, tie = way.length, TIE if way.turns else band
    own_rows, own_keys, own_spans = room.sensor.rows, room.sensor.keys, room.sensor.spans
    own_order, own_starts = room.sensor.order, room.sensor.starts
    rows, keys, spans = room.target.rows, room.target.keys, room.target.spans
    order, starts = room.target.order, room.target.starts
    heap, bounds, seen = room.heap, room.bounds, room.seen
    remembers = own * others <= len(seen)
    if remembers:
        for k in range(own * others):
            seen[k] = False
    while filled > 0:
        pixel = heap[0]
        if bounds[pixel] > least:
            break
        filled = _without_first(heap, bounds, filled)
        for i in range(own_starts[pixel], own_starts[pixel + 1]):
            mine = own_order[i]
            a, lo, hi = own_keys[mine, 1], own_spans[mine, 0], own_spans[mine, 1]
            for j in range(starts[pixel], starts[pixel + 1]):
                yours = order[j]
                near, far = spans[yours, 0], spans[yours, 1]
                if hi + least < near or far < lo:
                    continue
                b = keys[yours, 1]
                if remembers:
                    if seen[a * others + b]:
                        continue
                    seen[a * others + b] = True
                tested += 1
                s, t = load_row(own_rows, a), load_row(rows, b)
                # Whole triangles, not what this pixel sees of them: a pair is looked at once.
                if way.turns and are_kept_apart(s, t, least, way.pitch, band):
                    continue
                if _are_crossing(s, t):
                    return Found(OVERLAPPING, best, a, b, tested)
                if way.turns:
                    touch = turning_touch(s, t, least, way.pitch, band)
                else:
                    touch = straight_touch(s, t, least, band)
                if is_sooner(touch.gap, touch.approach, best, tie):
                    best, one, two = touch, a, b
                    least = min(least, touch.gap + tie)
    if one < 0:
        return Found(FREE, best, one, two, tested)
    # Gaps up to this are none: a length, or the angle in which the farthest point goes so far.
    none = band / max(reach, 1e-300) if way.turns else band
    return Found(OVERLAPPING if best.gap <= none else HIT, best, one, two, tested)


@procedure
def _sampled(way: Way, window: Window, room: Room, n: int) -> float:
    """An upper bound of the angle: the least gap in the middle of a pixel, on the way of one point about z.

    Where that way leaves a triangle of the sensor and comes to one of a target, the two meet, or have met.
    """
    own_rows, own_keys, own_spans = room.sensor.rows, room.sensor.keys, room.sensor.spans
    own_order, own_starts = room.sensor.order, room.sensor.starts
    rows, keys, spans = room.target.rows, room.target.keys, room.target.spans
    order, starts = room.target.order, room.target.starts
    least = math.inf
    for pixel in range(n):
        u = window.u + (pixel % window.columns + 0.5) / window.per_u
        v = window.v + (pixel // window.columns + 0.5) / window.per_v
        p = Vec3(u, 0.0, v)
        for i in range(own_starts[pixel], own_starts[pixel + 1]):
            mine = own_order[i]
            s = load_row(own_rows, own_keys[mine, 1])
            at = first_on_face(p, s, own_spans[mine, 0], own_spans[mine, 1], 1.0, way.pitch, 0.0)
            if not at < math.inf:
                continue
            for j in range(starts[pixel], starts[pixel + 1]):
                yours = order[j]
                begin, end = max(at, spans[yours, 0]), min(at + least, spans[yours, 1])
                if begin <= end:
                    t = load_row(rows, keys[yours, 1])
                    least = min(least, first_on_face(p, t, begin, end, 1.0, way.pitch, 0.0) - at)
    return least


@device
def _put_contact(places: Floats, way: Way, touch: Touch, status: int) -> None:
    """Gap, time, point and normal in the world; NaN without a contact."""
    point, normal = outward(way, touch.point), turned_outward(way, touch.normal)
    places[0], places[1] = touch.gap, touch.gap / way.full
    if status != HIT:
        point, normal = _NOWHERE, _NOWHERE
        places[0] = 0.0 if status == OVERLAPPING else math.inf
        places[1] = 0.0 if status == OVERLAPPING else math.nan
    places[3], places[4], places[5] = point.x, point.y, point.z
    places[6], places[7], places[8] = normal.x, normal.y, normal.z


@device
def _put_free(numbers: Ints, places: Floats) -> None:
    """No contact, without a look."""
    numbers[0], numbers[1], numbers[2], numbers[3], numbers[4] = FREE, NOTHING, -1, -1, -1
    numbers[5], numbers[6], numbers[7] = 0, 0, 0
    for k in range(3, 9):
        places[k] = math.nan
    places[0], places[1], places[2], places[9] = math.inf, math.nan, math.inf, math.inf


@device
def _apart(a: float, b: float, c: float, d: float, e: float, f: float) -> bool:
    """Do the three first numbers all lie below the others, or above them?"""
    return max(a, max(b, c)) < min(d, min(e, f)) or max(d, max(e, f)) < min(a, min(b, c))


@procedure
def _are_crossing(s: Triangle3d, t: Triangle3d) -> bool:
    """Do two triangles touch as they are?"""
    if (
        _apart(s.a.x, s.b.x, s.c.x, t.a.x, t.b.x, t.c.x)
        or _apart(s.a.y, s.b.y, s.c.y, t.a.y, t.b.y, t.c.y)
        or _apart(s.a.z, s.b.z, s.c.z, t.a.z, t.b.z, t.c.z)
    ):
        return False
    return intersects_triangle3d_triangle3d(s, t)


@procedure
def _take(way: Way, meshes: Packed, mesh: int, swept: Box, corners: Floats, side: Side, count: int) -> int:
    """Append a mesh's triangles that are not beside what is swept, in the frame; how many there are then.

    Corners are moved into the frame once, not once for each of the six triangles that share them.
    """
    start, turns = meshes.vertex_parts[mesh], way.turns
    vertices, faces, rows, boxes, numbers = meshes.vertices, meshes.faces, side.rows, side.boxes, side.numbers
    for k in range(start, meshes.vertex_parts[mesh + 1]):
        p = inward(way, Vec3(vertices[k, 0], vertices[k, 1], vertices[k, 2]))
        corners[k - start, 0], corners[k - start, 1], corners[k - start, 2] = p.x, p.y, p.z
        if turns:
            corners[k - start, 3] = math.sqrt(p.x * p.x + p.y * p.y)
            corners[k - start, 4] = math.atan2(p.y, p.x)
    for face in range(meshes.parts[mesh], meshes.parts[mesh + 1]):
        a, b, c = faces[face, 0] - start, faces[face, 1] - start, faces[face, 2] - start
        t = Triangle3d(load_corner(corners, a), load_corner(corners, b), load_corner(corners, c))
        if turns:
            far = max(corners[a, 3], max(corners[b, 3], corners[c, 3]))
            box = turning_box(t, corners[a, 4], corners[b, 4], corners[c, 4], far, way.pitch)
            if box.u1 < swept.u0 or box.u0 > swept.u1:
                continue
        else:
            box = straight_box(t)
            if (
                box.u1 < swept.u0
                or box.u0 > swept.u1
                or box.v1 < swept.v0
                or box.v0 > swept.v1
                or box.z1 < swept.z0
                or box.z0 > swept.z1
                or _plane_misses(t, swept)
            ):
                continue
        if count < len(rows):
            store_triangle(rows, count, t)
            boxes[count, 0], boxes[count, 1], boxes[count, 2] = box.u0, box.u1, box.v0
            boxes[count, 3], boxes[count, 4], boxes[count, 5] = box.v1, box.z0, box.z1
            numbers[count] = face
        count += 1
    return count


@device
def _plane_misses(t: Triangle3d, swept: Box) -> bool:
    """Does a triangle's plane lie wholly beside what is swept? Walls and floors fill images, but seldom that.

    A sensor that sweeps everything has no middle: then it does not.
    """
    e, f = sub(t.b, t.a), sub(t.c, t.a)
    n = cross(e, f)
    m = Vec3(0.5 * (swept.u0 + swept.u1), 0.5 * (swept.v0 + swept.v1), 0.5 * (swept.z0 + swept.z1))
    x, y, z = swept.u1 - m.x, swept.v1 - m.y, swept.z1 - m.z
    d = sub(m, t.a)
    reach = abs(n.x) * x + abs(n.y) * y + abs(n.z) * z
    # Rounding of the product is a part of the sides, not of n, which a sliver has little of.
    sides = (abs(e.x) + abs(e.y) + abs(e.z)) * (abs(f.x) + abs(f.y) + abs(f.z))
    slack = 1e-9 * sides * (abs(d.x) + abs(d.y) + abs(d.z) + x + y + z)
    return abs(dot(n, d)) > reach + slack


@procedure
def _reach_of(rows: Floats, n: int) -> float:
    """The largest coordinate."""
    most = 0.0
    for i in range(n):
        for k in range(9):
            most = max(most, abs(rows[i, k]))
    return most


@procedure
def _bounds(boxes: Floats, n: int) -> Box:
    """What holds all of them, a little wider: flat things have no width at all."""
    u0, u1, v0, v1, z0, z1 = math.inf, -math.inf, math.inf, -math.inf, math.inf, -math.inf
    for i in range(n):
        u0, u1 = min(u0, boxes[i, 0]), max(u1, boxes[i, 1])
        v0, v1 = min(v0, boxes[i, 2]), max(v1, boxes[i, 3])
        z0, z1 = min(z0, boxes[i, 4]), max(z1, boxes[i, 5])
    wider = 1e-12 * max(max(abs(u0), abs(u1)), max(max(abs(v0), abs(v1)), 1e-280))
    return Box(u0 - wider, u1 + wider, v0 - wider, v1 + wider, z0 - wider, z1 + wider)


@procedure
def _draw(way: Way, window: Window, side: Side, n: int, front: Floats, back: Floats, most: float) -> int:
    if way.turns:
        return draw_turning(way.pitch, window, side, n, front, back, most)
    return draw_straight(window, side, n, front, back, most)


@procedure
def _draw_targets(way: Way, window: Window, box: Box, others: int, room: Room) -> int:
    """The targets' fragments that the sensor, somewhere in its box, may touch."""
    front, back = room.front, room.back
    for p in range(window.columns * window.rows):
        front[p], back[p] = box.z0, box.z1
    return _draw(way, window, room.target, others, front, back, way.length)


@procedure
def _draw_sensor(way: Way, window: Window, own: int, others: int, room: Room) -> int:
    """The sensor's fragments in pixels with targets: those that may touch one within the motion.

    A target moved back by the motion, from its least depth to its largest, is where the sensor must be.
    """
    keys, spans, front, back = room.target.keys, room.target.spans, room.front, room.back
    for p in range(window.columns * window.rows):
        front[p], back[p] = math.inf, -math.inf
    for k in range(others):
        pixel = keys[k, 0]
        front[pixel] = min(front[pixel], spans[k, 0] - way.length)
        back[pixel] = max(back[pixel], spans[k, 1])
    return _draw(way, window, room.sensor, own, front, back, -1.0)


@procedure
def _sort(side: Side, count: int, n: int) -> None:
    """Order fragments by pixel."""
    starts = side.starts
    for p in range(n + 2):
        starts[p] = 0
    for k in range(count):
        starts[side.keys[k, 0] + 2] += 1
    for p in range(n):
        starts[p + 2] += starts[p + 1]
    for k in range(count):
        p = side.keys[k, 0] + 1
        side.order[starts[p]] = k
        starts[p] += 1


@procedure
def _heap(room: Room, n: int) -> int:
    """Bounds of the gaps in every pixel with sensor and target, and a heap of these pixels; how many they
    are."""
    own_starts, own_order, own_spans = room.sensor.starts, room.sensor.order, room.sensor.spans
    starts, order, spans = room.target.starts, room.target.order, room.target.spans
    heap, bounds = room.heap, room.bounds
    filled = 0
    for p in range(n):
        if starts[p] == starts[p + 1] or own_starts[p] == own_starts[p + 1]:
            continue
        near, far = math.inf, -math.inf
        for k in range(starts[p], starts[p + 1]):
            near = min(near, spans[order[k], 0])
        for k in range(own_starts[p], own_starts[p + 1]):
            far = max(far, own_spans[own_order[k], 1])
        bounds[p] = near - far
        k = filled
        while k > 0 and bounds[heap[(k - 1) // 2]] > bounds[p]:
            heap[k] = heap[(k - 1) // 2]
            k = (k - 1) // 2
        heap[k] = p
        filled += 1
    return filled


@device
def _without_first(heap: Ints, bounds: Floats, filled: int) -> int:
    """Take the first pixel off the heap."""
    filled -= 1
    last = heap[filled]
    k = 0
    while 2 * k + 1 < filled:
        below = 2 * k + 1
        if below + 1 < filled and bounds[heap[below + 1]] < bounds[heap[below]]:
            below += 1
        if bounds[heap[below]] >= bounds[last]:
            break
        heap[k] = heap[below]
        k = below
    heap[k] = last
    return filled


@procedure
def _mesh_of(parts: Ints, face: int) -> int:
    low, high = 0, len(parts) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if parts[middle] <= face:
            low = middle
        else:
            high = middle
    return low
