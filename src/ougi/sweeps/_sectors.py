"""Sectors around or inside a sweep: as published, enclosing, balanced."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ougi import _check
from ougi._typing import Floats
from ougi.query import distance
from ougi.shapes import Aabb2d, Aabb3d, Box, Rectangle, Segment3d, Shape
from ougi.sweeps._about import About, corners_of

# Directions that differ by less are parallel; radians.
_PARALLEL = 1e-9
# An enclosing shape grows by this share of the largest coordinate: rounding leaves no point outside.
_ROUNDING = 1e-14


def enclosing(shape: Any, motion: Any) -> Shape:
    """Ring, angles and heights of the shape about the axis, turned and lifted through the motion."""
    about = About(shape, motion, "sector-enclosing")
    points, radius = corners_of(shape)
    seen = about.see(points)
    rho = np.hypot(seen.x, seen.y)
    angle = np.arctan2(seen.y, seen.x)
    spread = np.arcsin(np.minimum(1.0, radius / np.where(rho > 0, rho, 1.0)))
    low_z, high_z = (seen.z - radius).min(axis=0), (seen.z + radius).max(axis=0)
    if about.flat:
        inner = distance(np.broadcast_to(about.center, (*about.batch, 2)), shape)
    else:
        foot, head = (about.center + z[..., None] * about.axis for z in (low_z, high_z))
        inner = distance(Segment3d(foot, head), shape)
    outer = (rho + radius).max(axis=0)
    turn, lift = about.angle, about.advance
    far = np.abs(low_z) + np.abs(high_z) + np.abs(lift) + np.abs(about.center).max(axis=-1)
    slack = _ROUNDING * (outer + far)
    around = inner <= slack  # the axis meets the shape: it covers all angles
    lean = slack / np.where(around, 1.0, inner)
    low = np.where(around, -np.pi, (angle - spread).min(axis=0) + np.minimum(turn, 0) - lean)
    high = np.where(around, np.pi, (angle + spread).max(axis=0) + np.maximum(turn, 0) + lean)
    heights = (low_z + np.minimum(lift, 0) - slack, high_z + np.maximum(lift, 0) + slack)
    return about.sector(low, high, np.maximum(inner - slack, 0.0), outer + slack, heights)


class _Fan(NamedTuple):
    """FAN's motion: lever arm d, and the box's sizes across, along and above the radius (Wx, Wy, Wz)."""

    about: About
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


def _fan(shape: Any, motion: Any, method: str) -> _Fan:
    """The motion that FAN sec. 2.1 assumes, or an error that names methods without its assumptions."""
    others = "; methods that can: exact, sector-enclosing, speculative, swept-sphere, substeps"
    if isinstance(shape, Aabb2d | Aabb3d):
        full = Rectangle if isinstance(shape, Aabb2d) else Box
        return _fan(full(shape.center, shape.upper - shape.lower), motion, method)
    if not isinstance(shape, Rectangle | Box):
        raise ValueError(f"{method} turns a Box or a Rectangle, got a {type(shape).__name__}{others}")
    about = About(shape, motion, method)
    if np.any(about.advance != 0):
        raise ValueError(f"{method} needs a turn without advance{others}")
    turn = np.abs(about.angle)
    _check.refuse(turn > 2 * np.pi, "angle", f"be at most one turn for {method}{others}", turn)
    axes = np.stack(shape._axes(), axis=-1) if isinstance(shape, Rectangle) else shape.rotation
    axes = np.broadcast_to(axes, (*about.batch, *axes.shape[-2:]))
    size = np.broadcast_to(shape.size, (*about.batch, shape.dimension))
    radial = np.abs((about.out[..., None] * axes).sum(-2))  # |out . axis|, per axis of the box
    pick = np.argmax(radial, axis=-1)[..., None]
    chosen = np.take_along_axis(axes, pick[..., None], -1)[..., 0]
    sign = np.where((chosen * about.out).sum(-1) < 0, -1.0, 1.0)[..., None]
    off = np.linalg.norm(about.out - chosen * sign, axis=-1)
    rule = f"have its middle line from the pivot along one of its axes for {method}{others}"
    _check.refuse((off > _PARALLEL) & (about.lever > 0), "shape", rule, off)
    along = np.take_along_axis(size, pick, -1)[..., 0]
    if about.flat:
        across, above = np.take_along_axis(size, 1 - pick, -1)[..., 0], np.zeros(about.batch)
    else:
        upright = np.abs((np.broadcast_to(about.axis, (*about.batch, 3))[..., None] * axes).sum(-2))
        top = np.argmax(upright, axis=-1)[..., None]
        tilt = 1 - np.take_along_axis(upright, top, -1)[..., 0]
        rule = f"be parallel to an axis of the box for {method}{others}"
        _check.refuse(tilt > _PARALLEL, "axis", rule, np.broadcast_to(about.axis, (*about.batch, 3)))
        above = np.take_along_axis(size, top, -1)[..., 0]
        across = np.take_along_axis(size, 3 - pick - top, -1)[..., 0]
    inside = about.lever - along / 2
    _check.refuse(
        inside < -_PARALLEL * along, "pivot", f"not lie inside the shape for {method}{others}", inside
    )
    return _Fan(about, across, along, above)


def published(shape: Any, motion: Any) -> Shape:
    """FAN (2.1), (2.2): radii from the box's length, the turn's angle, nothing from its width."""
    fan = _fan(shape, motion, "sector")
    turn = fan.about.angle
    return fan.sector(np.minimum(turn, 0), np.maximum(turn, 0), fan.outer)


def balanced(shape: Any, motion: Any) -> Shape:
    """The fan widened to the box's corners at a mean radius.

    The outer radius is the corners', unless the turn is so small that they leave a notch; the angle grows by
    that of the box's side at the radius that halves the ring's area.
    """
    fan = _fan(shape, motion, "sector-balanced")
    turn, half = np.abs(fan.about.angle), fan.across / 2
    corner = np.hypot(fan.outer, half)
    outer = np.where(turn < np.pi, np.minimum(corner, fan.outer / np.cos(np.minimum(turn, 3.0) / 2)), corner)
    mean = np.sqrt((fan.inner**2 + outer**2) / 2)
    safe = np.where(mean > 0, mean, 1.0)
    widen = np.minimum(np.arcsin(np.minimum(1.0, half / safe)), np.arccos(np.minimum(1.0, fan.inner / safe)))
    low, high = np.minimum(fan.about.angle, 0) - widen, np.maximum(fan.about.angle, 0) + widen
    return fan.sector(low, high, outer)
