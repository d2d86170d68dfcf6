"""Every box that "speculative CCD" may have meant in FAN sec. 3.1.

The text specifies the AABB around the box at the start and at the end. The published row does not follow from
it. So this module also has the rules of engines, plausible variants, and boxes that a search found near the
published row. Letters as in FAN: a is the angle, d the lever arm; T = a d times the direction of travel at
the start, D the chord between the centers, r_box half the diagonal.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Floats
from ougi.sweeps import BoxMethod, sweep
from ougi_lab.scenes.fan_motions import FanMotions


class BoxBounds(NamedTuple):
    """Axis-aligned boxes, both (n, 3)."""

    lower: Floats
    upper: Floats

    def grown(self, by: Floats) -> BoxBounds:
        """Grow by lengths (n,) or (n, 3) on both sides."""
        each = by if by.ndim == 2 else by[:, None]
        return BoxBounds(self.lower - each, self.upper + each)

    def swept(self, offset: Floats) -> BoxBounds:
        """Return the bounds of a translation by an offset."""
        return BoxBounds(self.lower + np.minimum(offset, 0), self.upper + np.maximum(offset, 0))

    def joined(self, other: BoxBounds) -> BoxBounds:
        """Around both."""
        return BoxBounds(np.minimum(self.lower, other.lower), np.maximum(self.upper, other.upper))

    @property
    def center(self) -> Floats:
        return (self.lower + self.upper) / 2

    @property
    def extent(self) -> Floats:
        """Half the size."""
        return (self.upper - self.lower) / 2


def box_around(center: Floats, extent: Floats) -> BoxBounds:
    """From the middle and half the size, (n, 3) or (n,)."""
    return BoxBounds(center, center).grown(extent)


class BoxTurnReading:
    """The quantities of a motion that the readings use."""

    def __init__(self, motions: FanMotions) -> None:
        self.box, self.motion = motions.box(), motions.motion()
        self.angle, self.lever = motions.angle, motions.lever
        self.axis = motions.axis
        end = self.box.transformed(self.motion)
        self.start, self.end = _find_bounds(self.box), _find_bounds(end)
        self.both = self.start.joined(self.end)
        self.travel = (self.angle * self.lever)[:, None] * np.cross(motions.axis, motions.radial)  # T
        self.chord = end.center - self.box.center  # D
        self.radius = np.linalg.norm(motions.size, axis=1) / 2  # r_box
        self.speed = self.angle * self.lever
        across, along = motions.size[:, 0] / 2, motions.lever + motions.size[:, 1] / 2
        self.far = np.sqrt(across**2 + along**2 + (motions.size[:, 2] / 2) ** 2)  # farthest corner

    def engine(self, method: BoxMethod) -> BoxBounds:
        """A reading that `ougi.sweep` offers."""
        found: Any = sweep(self.box, self.motion, method)
        return BoxBounds(found.lower, found.upper)

    @cached_property
    def corners(self) -> Floats:
        """(8, n, 3)"""
        signs = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3), axis=-1).reshape(8, 1, 3)
        arms: Floats = (self.box.rotation @ (signs * self.box.size)[..., None])[..., 0]
        return self.box.center + arms

    @cached_property
    def corner_travel(self) -> Floats:
        """How far the corners would go straight on, (8, n, 3)."""
        return self.angle[:, None] * np.cross(self.axis, self.corners)


def _find_bounds(box: Any) -> BoxBounds:
    found = box.bounds()
    return BoxBounds(found.lower, found.upper)


def _enclose_points(points: Floats) -> BoxBounds:
    return BoxBounds(points.min(axis=0), points.max(axis=0))


TEXT = "start and end"

# Name -> box. The first is the text's; those from "search:" on were found by trying some 3,600 boxes.
READINGS: dict[str, Callable[[BoxTurnReading], BoxBounds]] = {
    TEXT: lambda t: t.engine("speculative-start-end"),
    "PhysX: start ± (|v| + |w| |extents|)": lambda t: t.engine("speculative-inflated"),
    "start ± (|v| + |w| r_box)": lambda t: t.start.grown(t.speed + t.angle * t.radius),
    "start ± |w| r_box": lambda t: t.start.grown(t.angle * t.radius),
    "start ± |v|": lambda t: t.start.grown(t.speed),
    "start ± |w| R_far": lambda t: t.start.grown(t.angle * t.far),
    "start and end ± a r_box": lambda t: t.both.grown(t.angle * t.radius),
    "start and end ± a d": lambda t: t.both.grown(t.speed),
    "start and end ± a R_far": lambda t: t.both.grown(t.angle * t.far),
    "start swept by T": lambda t: t.start.swept(t.travel),
    "start and predicted pose": lambda t: t.start.joined(box_around(t.box.center + t.travel, t.end.extent)),
    "Bullet: start swept by T, ± a r_box": lambda t: t.engine("speculative-temporal"),
    "start ± |T| per axis": lambda t: t.start.grown(np.abs(t.travel)),
    "start ± chord length": lambda t: t.start.grown(np.linalg.norm(t.chord, axis=1)),
    "start swept by chord, ± a r_box": lambda t: t.start.swept(t.chord).grown(t.angle * t.radius),
    "spheres at start and end": lambda t: box_around(t.box.center, t.radius).swept(t.chord),
    "sphere swept by T": lambda t: box_around(t.box.center, t.radius).swept(t.travel),
    "corners extrapolated": lambda t: t.start.joined(_enclose_points(t.corners + t.corner_travel)),
    "corners ± their displacement per axis": lambda t: BoxBounds(
        (t.corners - np.abs(t.corner_travel)).min(axis=0), (t.corners + np.abs(t.corner_travel)).max(axis=0)
    ),
    "ideal: around the sweep": lambda t: t.engine("speculative-ideal"),
    "search: center ± (2 extents + |D|)": lambda t: box_around(
        t.box.center, 2 * t.start.extent + np.abs(t.chord)
    ),
    "search: center ± size of start and end": lambda t: box_around(t.box.center, 2 * t.both.extent),
    "search: start and end, doubled": lambda t: box_around(t.both.center, 2 * t.both.extent),
    "search: start and end ± r_box": lambda t: t.both.grown(t.radius),
}


def build_boxes(motions: FanMotions) -> list[BoxBounds]:
    """One batch of boxes for each reading, in their order."""
    turn = BoxTurnReading(motions)
    return [reading(turn) for reading in READINGS.values()]
