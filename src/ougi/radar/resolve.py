"""The exact radar: conservative images bound the gaps of all pixels, and triangle pairs decide.

The result does not depend on the resolution, and every layer of hollow bodies counts. RADAR's own images
(`published.py`) have one layer, and their gaps are the result.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, loop, procedure
from ougi._typing import Floats, Ints
from ougi.kernels.vec3 import length
from ougi.radar.enclosing import find_enclosing
from ougi.radar.fragments import FAR, NEAR, PIXEL, TriangleBuffer, draw_straight, draw_turning
from ougi.radar.motion_frames import MotionFrame, load_frame, to_world, vector_to_world
from ougi.radar.packed_meshes import PackedMeshes, has_any, is_excluded, is_outside_view
from ougi.radar.pixel_search import (
    FREE,
    HIT,
    NOWHERE,
    OVERLAPPING,
    UNDECIDED,
    RadarWorkspace,
    SearchResult,
    build_heap,
    make_no_contact,
    sample_gaps,
    search_pixels,
    sort_fragments,
)
from ougi.radar.projection import bound_boxes, find_max_coordinate, project_mesh
from ougi.radar.triangles import NOTHING, TriangleContact
from ougi.radar.windows import ImageBounds, PixelWindow

# The rounding band: 64 eps of the largest coordinate and the size.
BAND = 64 * 2.220446049250313e-16

# Columns of the numbers of a radar: what it touches, how many pairs were tested, and how many triangles and
# fragments need a place in the workspace.
STATUS, KIND, BODY, SENSOR_FACE, TARGET_FACE, TESTED, TRIANGLES, FRAGMENTS = range(8)
FACES = slice(SENSOR_FACE, TARGET_FACE + 1)
NUMBER_COLUMNS = 8

# Columns of the floats of a radar: the gap, the time, a lower bound of the gap from the images alone, point,
# normal and, without a search, for rotations, an upper bound.
GAP, TIME, LOWER_GAP, UPPER_GAP = 0, 1, 2, 9
POINT, NORMAL = slice(3, 6), slice(6, 9)
FLOAT_COLUMNS = 10


class SensorsAndScene(NamedTuple):
    """Sensors and scene. Seeds: a vertex of each connected part, and where those of each mesh begin."""

    sensors: PackedMeshes
    scene: PackedMeshes
    sensor_seeds: tuple[Ints, Ints]
    scene_seeds: tuple[Ints, Ints]


@loop
def resolve(
    frames: Floats,
    pixels: Ints,
    bodies: SensorsAndScene,
    ignored: Ints,
    workspace: RadarWorkspace,
    searches: bool,
    numbers: Ints,
    floats: Floats,
    start: int,
) -> int:
    """First contacts of the radars from `start` on, until the workspace is too small for one: its number.

    Radar i has frame i, pixels[i] columns and rows, and mesh i of the sensors; it ignores the bodies
    ignored[i]. Written are the rows `numbers[i]` and `floats[i]`. Without searches only the images are drawn,
    and what they leave open is undecided.
    """
    for i in range(start, len(frames)):
        if not _resolve_radar(
            i,
            load_frame(frames, i),
            pixels[i],
            bodies,
            ignored[i],
            workspace,
            searches,
            numbers[i],
            floats[i],
        ):
            return i
    return len(frames)


@procedure
def _resolve_radar(
    i: int,
    frame: MotionFrame,
    pixels: Ints,
    bodies: SensorsAndScene,
    ignored: Ints,
    workspace: RadarWorkspace,
    searches: bool,
    numbers: Ints,
    floats: Floats,
) -> bool:
    scene = bodies.scene
    if not has_any(scene, ignored):
        _store_free(numbers, floats)
        return True
    everywhere = ImageBounds(-math.inf, math.inf, -math.inf, math.inf, -math.inf, math.inf)
    own = project_mesh(frame, bodies.sensors, i, everywhere, workspace.vertices, workspace.sensor, 0)
    box = bound_boxes(workspace.sensor.boxes, own)
    window = PixelWindow(
        box.u0, box.v0, pixels[0] / (box.u1 - box.u0), pixels[1] / (box.v1 - box.v0), pixels[0], pixels[1]
    )
    swept = ImageBounds(box.u0, box.u1, box.v0, box.v1, box.z0, box.z1 + frame.length)
    others = 0
    for mesh in range(len(scene.face_starts) - 1):
        if not (is_excluded(scene, mesh, ignored) or is_outside_view(frame, scene, mesh, swept)):
            others = project_mesh(frame, scene, mesh, swept, workspace.vertices, workspace.target, others)
    count, other_count = 0, 0
    if 0 < others <= len(workspace.target.rows):
        other_count = _draw_targets(frame, window, box, others, workspace)
        if other_count <= len(workspace.target.keys):
            count = _draw_sensor(frame, window, own, other_count, workspace)
    numbers[TRIANGLES], numbers[FRAGMENTS] = others, max(count, other_count)
    if others > len(workspace.target.rows) or max(count, other_count) > len(workspace.sensor.keys):
        return False
    n = window.columns * window.rows if other_count > 0 else 0
    sort_fragments(workspace.sensor, count, n)
    sort_fragments(workspace.target, other_count, n)
    size = build_heap(workspace, n)
    floats[LOWER_GAP] = max(workspace.bounds[workspace.heap[0]], 0.0) if size > 0 else math.inf
    if searches:
        reach = find_max_coordinate(workspace.sensor.rows, own)
        reach = max(reach, find_max_coordinate(workspace.target.rows, others))
        band = BAND * (reach + length(frame.origin))
        result = search_pixels(frame, workspace, size, own, others, band, reach)
    else:
        floats[UPPER_GAP] = sample_gaps(frame, window, workspace, n) if frame.turns else math.inf
        status = UNDECIDED if floats[LOWER_GAP] <= frame.length else FREE
        result = SearchResult(status, make_no_contact(), -1, -1, 0)
    _store_result(i, frame, bodies, ignored, workspace, result, numbers, floats)
    return True


@procedure
def _store_result(
    i: int,
    frame: MotionFrame,
    bodies: SensorsAndScene,
    ignored: Ints,
    workspace: RadarWorkspace,
    result: SearchResult,
    numbers: Ints,
    floats: Floats,
) -> None:
    scene = bodies.scene
    status, mesh, face = result.status, -1, -1
    if result.target_triangle >= 0:
        face = workspace.target.numbers[result.target_triangle]
        mesh = _find_mesh(scene.face_starts, face)
    if status != OVERLAPPING:
        inside = find_enclosing(bodies.sensors, i, scene, bodies.sensor_seeds, bodies.scene_seeds, ignored)
        if inside >= 0:
            status, mesh, face = OVERLAPPING, inside, -1
    numbers[STATUS], numbers[KIND] = status, result.contact.kind if status == HIT else NOTHING
    numbers[BODY] = -1 if mesh < 0 else scene.bodies[mesh]
    numbers[SENSOR_FACE] = -1 if face < 0 else result.sensor_triangle
    numbers[TARGET_FACE] = -1 if face < 0 else face - scene.face_starts[mesh]
    numbers[TESTED] = result.tested
    _store_contact(floats, frame, result.contact, status)


@device
def _store_contact(floats: Floats, frame: MotionFrame, contact: TriangleContact, status: int) -> None:
    """Gap, time, point and normal in the world; NaN without a contact."""
    point, normal = to_world(frame, contact.point), vector_to_world(frame, contact.normal)
    floats[GAP], floats[TIME] = contact.gap, contact.gap / frame.full
    if status != HIT:
        point, normal = NOWHERE, NOWHERE
        floats[GAP] = 0.0 if status == OVERLAPPING else math.inf
        floats[TIME] = 0.0 if status == OVERLAPPING else math.nan
    floats[3], floats[4], floats[5] = point.x, point.y, point.z
    floats[6], floats[7], floats[8] = normal.x, normal.y, normal.z


@device
def _store_free(numbers: Ints, floats: Floats) -> None:
    """No contact, because there is nothing to touch."""
    for k in range(NUMBER_COLUMNS):
        numbers[k] = 0
    numbers[BODY], numbers[SENSOR_FACE], numbers[TARGET_FACE] = -1, -1, -1
    for k in range(FLOAT_COLUMNS):
        floats[k] = math.nan
    floats[GAP], floats[LOWER_GAP], floats[UPPER_GAP] = math.inf, math.inf, math.inf


@procedure
def _draw(
    frame: MotionFrame,
    window: PixelWindow,
    buffer: TriangleBuffer,
    n: int,
    front: Floats,
    back: Floats,
    limit: float,
) -> int:
    if frame.turns:
        return draw_turning(frame.pitch, window, buffer, n, front, back, limit)
    return draw_straight(window, buffer, n, front, back, limit)


@procedure
def _draw_targets(
    frame: MotionFrame, window: PixelWindow, box: ImageBounds, others: int, workspace: RadarWorkspace
) -> int:
    """The targets' fragments that the sensor, somewhere in its box, may touch."""
    front, back = workspace.front, workspace.back
    for p in range(window.columns * window.rows):
        front[p], back[p] = box.z0, box.z1
    return _draw(frame, window, workspace.target, others, front, back, frame.length)


@procedure
def _draw_sensor(
    frame: MotionFrame, window: PixelWindow, own: int, others: int, workspace: RadarWorkspace
) -> int:
    """The sensor's fragments in pixels with targets: those that may touch one within the motion.

    The sensor must be where a target is, or before it by no more than the motion.
    """
    keys, spans, front, back = workspace.target.keys, workspace.target.spans, workspace.front, workspace.back
    for p in range(window.columns * window.rows):
        front[p], back[p] = math.inf, -math.inf
    for k in range(others):
        pixel = keys[k, PIXEL]
        front[pixel] = min(front[pixel], spans[k, NEAR] - frame.length)
        back[pixel] = max(back[pixel], spans[k, FAR])
    return _draw(frame, window, workspace.sensor, own, front, back, -1.0)


@procedure
def _find_mesh(face_starts: Ints, face: int) -> int:
    low, high = 0, len(face_starts) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if face_starts[middle] <= face:
            low = middle
        else:
            high = middle
    return low
