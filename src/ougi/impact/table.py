"""Bodies of all classes that kernels know, in one table: poses and bounds as compiled loops.

A column of the table is a body. Its first rows are the record of its layout, as `kernels/load.py` reads it,
so that every kernel can read every table. Shapes of the plane are flat ones at z = 0.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ougi import _check
from ougi._native import device, loop, procedure, run
from ougi._typing import Bools, Floats, Ints
from ougi.impact.embed import in_space, motion_in_space
from ougi.impact.tables import LAYOUTS
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import add, cross, dot, length, scale, sub
from ougi.motion import Motion
from ougi.shapes import Shape

# Layouts by code. In every kernel's name they come in this order.
LAYOUT_NAMES = ("sphere", "capsule3d", "triangle3d", "box", "cylinder")
SPHERE, CAPSULE, TRIANGLE, BOX, CYLINDER = range(5)

# Rows of the longest record, a box.
HEIGHT = 15

# Rows of flat records: circle, capsule2d, triangle2d and rectangle, in those of space.
_PLANAR_ROWS = np.array([[0, 1, 3, 3, 3, 3], [0, 1, 3, 4, 6, 6], [0, 1, 3, 4, 6, 7], [0, 1, 3, 4, 6, 7]])

# Tiny numbers are rounded away where kernels divide by squares of edges; see `Shape._round`.
_SNAP = 2.0**-280

# Rounding of a pose, in units of the distance travelled.
_ROUNDING = 4e-16

# Boxes around first contacts grow by this multiple of their tolerance, more than its error.
TOLERANCE_GROWTH = 8.0

# Radians: a turn up to the first is bounded as one arc, a wider one in arcs of the second.
_NARROW, _ARC = math.pi / 4, math.pi / 16


class BodyTable(NamedTuple):
    """Bodies at one moment, and their motions from then on.

    Attributes
    ----------
    layout
        (n,), codes of the layouts.
    columns
        (15, n), records.
    screws
        (8, n), motions as in `Screw3d`: center, axis, angle, advance.
    moves
        (n,), False for bodies at rest.
    """

    layout: Ints
    columns: Floats
    screws: Floats
    moves: Bools

    @classmethod
    def join(cls, parts: list[tuple[Shape, Motion | None]]) -> BodyTable:
        """Batches of shapes and their motions (None: at rest) as one table."""
        n = sum(shape.count for shape, _ in parts)
        layout, moves = np.empty(n, np.int64), np.empty(n, np.bool_)
        columns, screws = np.zeros((HEIGHT, n)), np.zeros((8, n))
        last = 0
        for shape, motion in parts:
            first, last = last, last + shape.count
            name = LAYOUTS[type(shape)]
            rows = in_space(shape).columns(name)
            columns[: len(rows), first:last] = rows
            layout[first:last], moves[first:last] = LAYOUT_NAMES.index(name), motion is not None
            screws[3, first:last] = 1.0
            if motion is not None:
                screws[:, first:last] = motion_in_space(motion).columns()
        return cls(layout, columns, screws, moves)._freeze()

    def take(self, rows: Ints) -> BodyTable:
        """A subset of the bodies."""
        columns: Any = (np.ascontiguousarray(column[..., rows]) for column in self)
        return BodyTable(*columns)._freeze()

    def _freeze(self) -> BodyTable:
        columns: Any = map(_check.frozen, self)
        return BodyTable(*columns)

    def place(self, share: Floats, factor: Floats) -> BodyTable:
        """The bodies after shares (n,) of their motions, and the motions scaled by factors (n,)."""
        columns, screws = np.empty_like(self.columns), np.empty_like(self.screws)
        n = len(self.layout)
        run(_place, *self[:3], _check.frozen(share), _check.frozen(factor), columns, screws, size=n)
        return self._replace(columns=_check.frozen(columns), screws=_check.frozen(screws))

    def to_planar(self) -> Floats:
        """(6, n), flat bodies as records of the plane."""
        planar = np.empty((6, len(self.layout)))
        _flatten(self.layout, self.columns, _PLANAR_ROWS, planar)
        return _check.frozen(planar)

    def sweep_boxes(self, end: BodyTable, age: Floats, tol: float, dimension: int) -> Floats:
        """(6, n), lower and upper corners of boxes around all that the bodies sweep over until the end.

        They hold first contacts up to `tol`, and the rounding of poses after `age` (n,) motions.
        """
        boxes, scratch = np.empty((6, len(self.layout))), np.empty((HEIGHT, 1))
        _sweep_boxes(*self[:3], end.columns, _check.frozen(age), tol, dimension, scratch, boxes)
        return boxes


# --- order ----------------------------------------------------------------------------------------------


@procedure
def comes_before(table: BodyTable, start: Floats, i: int, j: int) -> bool:
    """Does body i come before body j by content? So results do not depend on the order of the rows.

    Layouts are compared first, then records, motions, and the times `start` (n,) for which they hold.
    """
    if table.layout[i] != table.layout[j]:
        return bool(table.layout[i] < table.layout[j])
    for row in range(HEIGHT):
        if table.columns[row, i] != table.columns[row, j]:
            return bool(table.columns[row, i] < table.columns[row, j])
    for row in range(8):
        if table.screws[row, i] != table.screws[row, j]:
            return bool(table.screws[row, i] < table.screws[row, j])
    return bool(start[i] < start[j])


@loop
def compare_bodies(table: BodyTable, start: Floats, a: Ints, b: Ints, out: Bools) -> None:
    """Write whether body b[k] comes before body a[k]."""
    for k in range(len(a)):
        out[k] = comes_before(table, start, b[k], a[k])


# --- poses ----------------------------------------------------------------------------------------------


class Turn(NamedTuple):
    """A screw up to a time: its axis, the sine and 1 - cos of the angle, and the shift along the axis."""

    center: Vec3
    axis: Vec3
    sine: float
    versine: float
    shift: Vec3


@device
def load_vector(c: Floats, k: int, i: int) -> Vec3:
    return Vec3(c[k, i], c[k + 1, i], c[k + 2, i])


@device
def _put(c: Floats, k: int, i: int, v: Vec3) -> None:
    c[k, i], c[k + 1, i], c[k + 2, i] = v


@device
def turn_at(screws: Floats, i: int, t: float) -> Turn:
    """Screw i up to time t; 1 - cos without cancellation."""
    axis, angle = load_vector(screws, 3, i), screws[6, i] * t
    sine, versine = 0.0, 0.0
    if angle != 0.0:
        half = math.sin(0.5 * angle)
        sine, versine = math.sin(angle), 2.0 * half * half
    return Turn(load_vector(screws, 0, i), axis, sine, versine, scale(axis, screws[7, i] * t))


@device
def turn_vector(turn: Turn, v: Vec3) -> Vec3:
    """A direction carried along (FAN (2.2), as the difference from v)."""
    u = turn.axis
    across = sub(v, scale(u, dot(u, v)))
    return add(v, sub(scale(cross(u, v), turn.sine), scale(across, turn.versine)))


@device
def turn_point(turn: Turn, p: Vec3) -> Vec3:
    """A point carried along."""
    w = sub(p, turn.center)
    u = turn.axis
    across = sub(w, scale(u, dot(u, w)))
    return add(add(p, sub(scale(cross(u, w), turn.sine), scale(across, turn.versine))), turn.shift)


@procedure
def _move(layout: int, source: Floats, i: int, turn: Turn, out: Floats, k: int) -> None:
    """Write body i, carried along, as body k of `out`."""
    for row in range(np.uint64(HEIGHT)):
        out[row, k] = source[row, i]
    turns = turn.versine != 0.0 or turn.sine != 0.0
    points = 3 if layout == TRIANGLE else 2 if layout == CAPSULE else 1
    for row in range(0, 3 * points, 3):
        p = load_vector(source, row, i)
        _put(out, row, k, turn_point(turn, p) if turns else add(p, turn.shift))
    if turns and layout >= BOX:
        first = 6 if layout == BOX else 3
        for row in range(first, first + 9, 3):
            _put(out, row, k, turn_vector(turn, load_vector(source, row, i)))
    if layout != SPHERE:
        for row in range(np.uint64(HEIGHT)):
            out[row, k] = (out[row, k] + _SNAP) - _SNAP


@loop
def _place(
    layout: Ints,
    source: Floats,
    screws: Floats,
    share: Floats,
    factor: Floats,
    columns: Floats,
    scaled: Floats,
    start: int,
    stop: int,
) -> None:
    """Bodies start..stop after shares of their motions, and the motions scaled."""
    for i in range(start, stop):
        _move(layout[i], source, i, turn_at(screws, i, share[i]), columns, i)
        for row in range(6):
            scaled[row, i] = screws[row, i]
        scaled[6, i], scaled[7, i] = screws[6, i] * factor[i], screws[7, i] * factor[i]


@loop
def _flatten(layout: Ints, columns: Floats, rows: Ints, planar: Floats) -> None:
    for i in range(len(layout)):
        for k in range(6):
            planar[k, i] = columns[rows[layout[i], k], i]


# --- bounds ---------------------------------------------------------------------------------------------


@procedure
def _bound(layout: int, c: Floats, i: int) -> tuple[Vec3, Vec3]:
    """The middle of body i's bounding box, and half of its size."""
    p = load_vector(c, 0, i)
    if layout == SPHERE:
        return p, Vec3(c[3, i], c[3, i], c[3, i])
    if layout == BOX:
        x, y, z = load_vector(c, 6, i), load_vector(c, 9, i), load_vector(c, 12, i)
        a, b, h = c[3, i], c[4, i], c[5, i]
        return p, Vec3(
            abs(x.x) * a + abs(y.x) * b + abs(z.x) * h,
            abs(x.y) * a + abs(y.y) * b + abs(z.y) * h,
            abs(x.z) * a + abs(y.z) * b + abs(z.z) * h,
        )
    if layout == CYLINDER:
        u, radius, half = load_vector(c, 9, i), c[12, i], c[13, i]
        return p, Vec3(
            abs(u.x) * half + radius * math.sqrt(u.y * u.y + u.z * u.z),
            abs(u.y) * half + radius * math.sqrt(u.z * u.z + u.x * u.x),
            abs(u.z) * half + radius * math.sqrt(u.x * u.x + u.y * u.y),
        )
    q = load_vector(c, 3, i)
    low = Vec3(min(p.x, q.x), min(p.y, q.y), min(p.z, q.z))
    high = Vec3(max(p.x, q.x), max(p.y, q.y), max(p.z, q.z))
    radius = 0.0
    if layout == CAPSULE:
        radius = c[6, i]
    else:
        q = load_vector(c, 6, i)
        low = Vec3(min(low.x, q.x), min(low.y, q.y), min(low.z, q.z))
        high = Vec3(max(high.x, q.x), max(high.y, q.y), max(high.z, q.z))
    half_size = scale(sub(high, low), 0.5)
    return scale(add(low, high), 0.5), Vec3(half_size.x + radius, half_size.y + radius, half_size.z + radius)


@device
def _axis_distance(center: Vec3, axis: Vec3, p: Vec3) -> float:
    return length(cross(axis, sub(p, center)))


@procedure
def _reach(layout: int, c: Floats, i: int, center: Vec3, axis: Vec3) -> float:
    """The largest distance of body i's points from an axis, or a little more."""
    far = _axis_distance(center, axis, load_vector(c, 0, i))
    if layout == SPHERE:
        return float(far + c[3, i])
    if layout == BOX:
        return far + length(load_vector(c, 3, i))
    if layout == CYLINDER:
        return far + math.hypot(c[12, i], c[13, i])
    far = max(far, _axis_distance(center, axis, load_vector(c, 3, i)))
    if layout == CAPSULE:
        return float(far + c[6, i])
    return max(far, _axis_distance(center, axis, load_vector(c, 6, i)))


@device
def _widen(boxes: Floats, i: int, body: tuple[Vec3, Vec3], grow: Vec3) -> None:
    """Widen box i so that it holds a body's bounds, grown."""
    low, high = sub(sub(body[0], body[1]), grow), add(add(body[0], body[1]), grow)
    _put(boxes, 0, i, Vec3(min(boxes[0, i], low.x), min(boxes[1, i], low.y), min(boxes[2, i], low.z)))
    _put(boxes, 3, i, Vec3(max(boxes[3, i], high.x), max(boxes[4, i], high.y), max(boxes[5, i], high.z)))


@loop
def _sweep_boxes(
    layout: Ints,
    start: Floats,
    screws: Floats,
    end: Floats,
    age: Floats,
    tol: float,
    dimension: int,
    scratch: Floats,
    boxes: Floats,
) -> None:
    """Boxes around all that bodies sweep over, and around rounding.

    On an arc of an angle up to a half turn a point leaves the chord by r (1 - cos angle / 2) at most, across
    the axis. A screw moves it along the axis besides, evenly.
    """
    for i in range(len(layout)):
        kind, angle = layout[i], abs(screws[6, i])
        for k in range(3):
            boxes[k, i], boxes[k + 3, i] = math.inf, -math.inf
        grow, reach, center_distance, coordinate = Vec3(0.0, 0.0, 0.0), 0.0, 0.0, 0.0
        if angle > 0.0:
            center, u = load_vector(screws, 0, i), load_vector(screws, 3, i)
            reach = _reach(kind, start, i, center, u)
            center_distance = max(abs(center.x), abs(center.y), abs(center.z))
            # Turns after the first one repeat it, shifted along the axis.
            turn = min(angle, 2.0 * math.pi)
            arcs = 1 if angle <= _NARROW else math.ceil(turn / _ARC)
            bulge = reach * (1.0 - math.cos(0.5 * turn / arcs))
            rise = abs(screws[7, i]) * (1.0 if angle > turn else 1.0 / arcs)
            grow = Vec3(
                bulge * math.sqrt(max(1.0 - u.x * u.x, 0.0)) + abs(u.x) * rise,
                bulge * math.sqrt(max(1.0 - u.y * u.y, 0.0)) + abs(u.y) * rise,
                bulge * math.sqrt(max(1.0 - u.z * u.z, 0.0)) + abs(u.z) * rise,
            )
            for arc in range(1, arcs):
                t = arc / arcs * (turn / angle)
                _move(kind, start, i, turn_at(screws, i, t), scratch, 0)
                _widen(boxes, i, _bound(kind, scratch, 0), grow)
        _widen(boxes, i, _bound(kind, start, i), grow)
        _widen(boxes, i, _bound(kind, end, i), grow)
        for k in range(dimension):
            coordinate = max(coordinate, abs(boxes[k, i]), abs(boxes[k + 3, i]))
        travelled = (angle * reach + abs(screws[7, i])) * abs(age[i])
        margin = TOLERANCE_GROWTH * tol * (center_distance + coordinate) + _ROUNDING * travelled
        for k in range(dimension):
            boxes[k, i] -= margin
            boxes[k + 3, i] += margin
