"""Bodies of all classes that kernels know, in one table, and their poses as compiled loops.

A column of the table is a body. Its first rows are the record of its layout, as `kernels/load.py` reads it,
so that every kernel can read every table. Shapes of the plane are flat ones at z = 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._native import device, loop, procedure, run
from ougi._typing import Bools, Floats, Ints, Record
from ougi.impact.embed import in_space, motion_in_space
from ougi.impact.tables import LAYOUTS
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import add, cross, dot, scale, sub
from ougi.motion import Motion
from ougi.shapes import Shape

# Layouts by code. In every kernel's name they come in this order.
LAYOUT_NAMES = ("sphere", "capsule3d", "triangle3d", "box", "cylinder")
SPHERE, CAPSULE, TRIANGLE, BOX, CYLINDER = range(5)

# Rows of the records, and of the longest.
HEIGHTS = (4, 7, 9, 15, 14)
HEIGHT = max(HEIGHTS)

# Rows of flat records: circle, capsule2d, triangle2d and rectangle, in those of space.
_PLANAR_ROWS = np.array([[0, 1, 3, 3, 3, 3], [0, 1, 3, 4, 6, 6], [0, 1, 3, 4, 6, 7], [0, 1, 3, 4, 6, 7]])

# Tiny numbers are rounded away where kernels divide by squares of edges; see `Shape._round`.
_SNAP = 2.0**-280


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
        columns: Record = (np.ascontiguousarray(column[..., rows]) for column in self)
        return BodyTable(*columns)._freeze()

    def _freeze(self) -> BodyTable:
        columns: Record = map(_check.frozen, self)
        return BodyTable(*columns)

    def place(self, share: Floats, factor: Floats) -> BodyTable:
        """The bodies after shares (n,) of their motions, and the motions scaled by factors (n,)."""
        n = len(self.layout)
        columns, screws = np.empty((HEIGHT, n)), np.empty((8, n))
        run(_place, *self[:3], _check.frozen(share), _check.frozen(factor), columns, screws, size=n)
        return BodyTable(self.layout, _check.frozen(columns), _check.frozen(screws), self.moves)

    def to_planar(self) -> Floats:
        """(6, n), flat bodies as records of the plane."""
        planar = np.empty((6, len(self.layout)))
        _flatten(self.layout, self.columns, _PLANAR_ROWS, planar)
        return _check.frozen(planar)


# --- poses ----------------------------------------------------------------------------------------------


class PartialScrew(NamedTuple):
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
def put_vector(c: Floats, k: int, i: int, v: Vec3) -> None:
    c[k, i], c[k + 1, i], c[k + 2, i] = v


@device
def turn_at(screws: Floats, i: int, t: float) -> PartialScrew:
    """Screw i up to time t; 1 - cos without cancellation."""
    axis, angle = load_vector(screws, 3, i), screws[6, i] * t
    sine, versine = 0.0, 0.0
    if angle != 0.0:
        half = math.sin(0.5 * angle)
        sine, versine = math.sin(angle), 2.0 * half * half
    return PartialScrew(load_vector(screws, 0, i), axis, sine, versine, scale(axis, screws[7, i] * t))


@device
def turn_vector(turn: PartialScrew, v: Vec3) -> Vec3:
    """A direction carried along (FAN (2.2), as the difference from v)."""
    u = turn.axis
    across = sub(v, scale(u, dot(u, v)))
    return add(v, sub(scale(cross(u, v), turn.sine), scale(across, turn.versine)))


@device
def turn_point(turn: PartialScrew, p: Vec3) -> Vec3:
    """A point carried along."""
    w = sub(p, turn.center)
    u = turn.axis
    across = sub(w, scale(u, dot(u, w)))
    return add(add(p, sub(scale(cross(u, w), turn.sine), scale(across, turn.versine))), turn.shift)


@device
def scale_screw(screws: Floats, i: int, factor: float, out: Floats, k: int) -> None:
    """Write screw i, scaled, as screw k of `out`."""
    for row in range(6):
        out[row, k] = screws[row, i]
    out[6, k], out[7, k] = screws[6, i] * factor, screws[7, i] * factor


@procedure
def move_body(layout: int, source: Floats, i: int, turn: PartialScrew, out: Floats, k: int) -> None:
    """Write body i, carried along, as body k of `out`: the rows of its record only."""
    height = np.uint64(HEIGHTS[layout])
    for row in range(height):
        out[row, k] = source[row, i]
    turns = turn.versine != 0.0 or turn.sine != 0.0
    points = 3 if layout == TRIANGLE else 2 if layout == CAPSULE else 1
    for row in range(0, 3 * points, 3):
        p = load_vector(source, row, i)
        put_vector(out, row, k, turn_point(turn, p) if turns else add(p, turn.shift))
    if turns and layout >= BOX:
        first = 6 if layout == BOX else 3
        for row in range(first, first + 9, 3):
            put_vector(out, row, k, turn_vector(turn, load_vector(source, row, i)))
    if layout != SPHERE:
        for row in range(height):
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
        move_body(layout[i], source, i, turn_at(screws, i, share[i]), columns, i)
        scale_screw(screws, i, factor[i], scaled, i)


@loop
def _flatten(layout: Ints, columns: Floats, rows: Ints, planar: Floats) -> None:
    for i in range(len(layout)):
        for k in range(6):
            planar[k, i] = columns[rows[layout[i], k], i]
