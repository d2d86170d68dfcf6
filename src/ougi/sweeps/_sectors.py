"""Sectors around or inside of a sweep: as published, enclosing, balanced."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ougi import _check
from ougi._typing import Floats
from ougi.query import distance
from ougi.shapes import Aabb2d, Aabb3d, Box, Mesh, Rectangle, Sector2d, Sector3d, Segment3d, Shape
from ougi.sweeps._about import Pieces, TurnFrame, class_name, get_corners, get_pieces

# Directions that differ by less are parallel; radians.
_PARALLEL = 1e-9
# An enclosing shape grows by this share of the largest coordinate: rounding leaves no point outside.
_ROUNDING = 1e-14


class _Extents(NamedTuple):
    """A shape at rest, seen from an axis: radii, angles from `About.out`, heights."""

    inner: Floats
    outer: Floats
    low: Floats
    high: Floats
    bottom: Floats
    top: Floats


def build_enclosing_sector(shape: Any, motion: Any) -> Shape:
    """Ring, angles and heights of the shape about the axis, turned and lifted through the motion."""
    about = TurnFrame(shape, motion, "sector-enclosing")
    in_pieces = isinstance(shape, Sector2d | Sector3d | Mesh)
    at = _measure_pieces(about, get_pieces(shape)) if in_pieces else _measure_hull(about, shape)
    turn, lift = about.angle, about.advance
    far = np.abs(at.bottom) + np.abs(at.top) + np.abs(lift) + np.abs(about.center).max(axis=-1)
    slack = _ROUNDING * (at.outer + far)
    around = at.inner <= slack  # the axis meets the shape: it covers all angles
    lean = slack / np.where(around, 1.0, at.inner)
    low = np.where(around, -np.pi, at.low + np.minimum(turn, 0) - lean)
    high = np.where(around, np.pi, at.high + np.maximum(turn, 0) + lean)
    heights = (at.bottom + np.minimum(lift, 0) - slack, at.top + np.maximum(lift, 0) + slack)
    return about.sector(low, high, np.maximum(at.inner - slack, 0.0), at.outer + slack, heights)


def _measure_hull(about: TurnFrame, shape: Any) -> _Extents:
    """Of a convex shape, the hull of equal balls."""
    points, radius = get_corners(shape)
    seen = about.to_cylinder(points)
    rho = np.hypot(seen.x, seen.y)
    angle = np.arctan2(seen.y, seen.x)
    spread = np.arcsin(np.minimum(1.0, radius / np.where(rho > 0, rho, 1.0)))
    bottom, top = (seen.z - radius).min(axis=0), (seen.z + radius).max(axis=0)
    if about.flat:
        inner = np.maximum(distance(about.center, shape), 0.0)
    else:
        foot, head = (about.center + z[..., None] * about.axis for z in (bottom, top))
        line = Segment3d._from_fields(foot.shape[:-1], {"start": foot, "end": head})
        inner = np.maximum(distance(line, shape), 0.0)
    low, high = (angle - spread).min(axis=0), (angle + spread).max(axis=0)
    return _Extents(inner, (rho + radius).max(axis=0), low, high, bottom, top)


def _measure_pieces(about: TurnFrame, pieces: Pieces) -> _Extents:
    """Of the union of convex pieces.

    Seen along the axis a piece is a convex polygon. If the axis does not go through it, its corners are less
    than half a turn apart; if it does, at least half a turn. The inside of a closed surface needs no test,
    because no line gets there without crossing it.
    """
    seen = about.to_cylinder(pieces.corners)
    x, y = seen.x, seen.y
    nearest = np.min(
        [_compute_origin_distances(x[i], y[i], x[j], y[j]) for i, j in pieces.edges], axis=(0, 1)
    )
    first = np.arctan2(y[0], x[0])
    apart = np.arctan2(x[0] * y - y[0] * x, x[0] * x + y[0] * y)  # of each corner from the first
    low, high = apart.min(axis=0), apart.max(axis=0)
    crossed = (high - low >= np.pi).any(axis=0)
    outer = np.hypot(x, y).max(axis=(0, 1))
    start, end = _find_smallest_arc(first + low, first + high)
    return _Extents(
        np.where(crossed, 0.0, nearest), outer, start, end, seen.z.min(axis=(0, 1)), seen.z.max(axis=(0, 1))
    )


def _compute_origin_distances(ax: Floats, ay: Floats, bx: Floats, by: Floats) -> Floats:
    """Distances of segments from the origin of the plane."""
    ux, uy = bx - ax, by - ay
    length_sq = ux * ux + uy * uy
    share = np.clip(-(ax * ux + ay * uy) / np.where(length_sq > 0, length_sq, 1.0), 0.0, 1.0)
    return np.hypot(ax + share * ux, ay + share * uy)


def _find_smallest_arc(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The smallest arc that holds the arcs (m, ...), each less than a turn: all but the largest gap."""
    turn = 2 * np.pi
    wide = high - low
    low = np.mod(low, turn)
    order = np.argsort(low, axis=0)
    low, wide = (np.take_along_axis(v, order, axis=0) for v in (low, wide))
    reached = np.maximum.accumulate(low + wide, axis=0)
    covered = np.maximum(reached, reached[-1] - turn)  # by those that began before
    following = np.concatenate([low[1:], low[:1] + turn])
    gap = following - covered
    largest = np.argmax(gap, axis=0)[None]
    start = np.take_along_axis(following, largest, axis=0)[0]
    free = np.maximum(np.take_along_axis(gap, largest, axis=0)[0], 0.0)
    return start, start + turn - free


class _Fan(NamedTuple):
    """FAN's motion: lever arm d, and the box's sizes across, along and above the radius (Wx, Wy, Wz)."""

    about: TurnFrame
    across: Floats
    along: Floats
    above: Floats

    @property
    def inner(self) -> Floats:
        """r of (2.1); the pivot lies on the face where rounding makes it negative."""
        return np.maximum(self.about.lever - self.along / 2, 0.0)

    @property
    def outer(self) -> Floats:
        """R of (2.1)."""
        outer: Floats = self.about.lever + self.along / 2
        return outer

    def sector(self, low: Floats, high: Floats, outer: Floats) -> Shape:
        """A sector of the box's height between two angles from its middle line."""
        z = (self.about.height - self.above / 2, self.about.height + self.above / 2)
        return self.about.sector(low, high, self.inner, outer, z)


def _build_fan(shape: Any, motion: Any, method: str) -> _Fan:
    """The motion that FAN sec. 2.1 assumes, or an error that names methods without its assumptions."""
    others = "; methods that can: exact, sector-enclosing, speculative-ideal, swept-sphere, substeps"
    if isinstance(shape, Aabb2d | Aabb3d):
        full = Rectangle if isinstance(shape, Aabb2d) else Box
        return _build_fan(full(shape.center, shape.upper - shape.lower), motion, method)
    if not isinstance(shape, Rectangle | Box):
        raise ValueError(f"{method} turns a Box or a Rectangle, got {class_name(shape)}{others}")
    about = TurnFrame(shape, motion, method)
    if np.any(about.advance != 0):
        raise ValueError(f"{method} needs a turn without advance{others}")
    turn = np.abs(about.angle)
    _check.refuse(turn > 2 * np.pi, "angle", f"be at most one turn for {method}", turn, others)
    axes = np.stack(shape._axes(), axis=-1) if isinstance(shape, Rectangle) else shape.rotation
    axes = np.broadcast_to(axes, (*about.batch, *axes.shape[-2:]))
    size = np.broadcast_to(shape.size, (*about.batch, shape.dimension))
    radial = np.abs((about.out[..., None] * axes).sum(-2))  # |out . axis|, per axis of the box
    pick = np.argmax(radial, axis=-1)[..., None]
    off = _measure_angle(about.out, axes, pick)
    rule = f"have its middle line from the pivot along one of its axes for {method} (radians off it)"
    _check.refuse((off > _PARALLEL) & (about.lever > 0), "shape", rule, off, others)
    along = np.take_along_axis(size, pick, -1)[..., 0]
    if about.flat:
        across, above = np.take_along_axis(size, 1 - pick, -1)[..., 0], np.zeros(about.batch)
    else:
        top = np.argmax(np.abs((about.axis[..., None] * axes).sum(-2)), axis=-1)[..., None]
        tilt = _measure_angle(about.axis, axes, top)
        rule = f"be parallel to an axis of the box for {method}"
        _check.refuse(tilt > _PARALLEL, "axis", rule, about.axis, others)
        above = np.take_along_axis(size, top, -1)[..., 0]
        across = np.take_along_axis(size, 3 - pick - top, -1)[..., 0]
    inside = about.lever - along / 2
    rule = f"not lie inside the shape for {method} (distance from its face)"
    _check.refuse(inside < -_PARALLEL * along, "pivot", rule, inside, others)
    return _Fan(about, across, along, above)


def _measure_angle(direction: Floats, axes: Floats, pick: Any) -> Floats:
    """The angle, if it is small, between directions and the lines along one of the axes each."""
    chosen = np.take_along_axis(axes, pick[..., None], -1)[..., 0]
    sign = np.where((chosen * direction).sum(-1) < 0, -1.0, 1.0)[..., None]
    off: Floats = np.linalg.norm(direction - chosen * sign, axis=-1)
    return off


def build_published_sector(shape: Any, motion: Any) -> Shape:
    """FAN (2.1), (2.2): radii from the box's length, the turn's angle, nothing from its width."""
    fan = _build_fan(shape, motion, "sector")
    turn = fan.about.angle
    return fan.sector(np.minimum(turn, 0), np.maximum(turn, 0), fan.outer)


def build_balanced_sector(shape: Any, motion: Any) -> Shape:
    """The fan widened to the box's corners at a mean radius.

    The outer radius is the corners', unless the turn is so small that they leave a notch; the angle grows by
    that of the box's side at the radius that halves the ring's area.
    """
    fan = _build_fan(shape, motion, "sector-balanced")
    turn, half = np.abs(fan.about.angle), fan.across / 2
    corner = np.hypot(fan.outer, half)
    outer = np.where(turn < np.pi, np.minimum(corner, fan.outer / np.cos(np.minimum(turn, 3.0) / 2)), corner)
    mean = np.sqrt((fan.inner**2 + outer**2) / 2)
    safe = np.where(mean > 0, mean, 1.0)
    widen = np.minimum(np.arcsin(np.minimum(1.0, half / safe)), np.arccos(np.minimum(1.0, fan.inner / safe)))
    low, high = np.minimum(fan.about.angle, 0) - widen, np.maximum(fan.about.angle, 0) + widen
    return fan.sector(low, high, outer)
