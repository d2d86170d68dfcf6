"""Seeded strokes for `ougi bench games`: a blade that turns among moving squares."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._typing import Bools, Floats

TARGETS = 24  # squares of a stroke
# Pixels. The blade is the one in `bench.games_players`; sprites stand and walk about it.
CENTER = (400.0, 300.0)
OUTER, INNER, THICKNESS = 120.0, 20.0, 8.0
SIDES = (10.0, 24.0)
_WALK = 150.0  # pixels per second
_ARC = np.radians(170)

# Targets whose smallest gap is nearer to 0 than this are excluded, because pixels decide there.
NEAR = 1.5
_SAMPLES = 400  # of each frame


class Stroke(NamedTuple):
    """A blade that turns at one speed from `angle`, and squares that move straight, for whole frames."""

    angle: float  # radians, from x towards y
    speed: float  # rad/s
    rate: int  # frames per second
    frames: int
    center: Floats  # (n, 2), of the squares at the start
    velocity: Floats  # (n, 2)
    side: Floats  # (n,)

    def angle_at(self, t: float) -> float:
        return self.angle + self.speed * t

    def centers_at(self, t: float) -> Floats:
        return np.asarray(self.center + self.velocity * t)


def draw_stroke(speed: float, rate: int, rng: np.random.Generator) -> Stroke:
    """Draw a stroke of about 170 degrees, in either sense, among squares at random positions."""
    away = rng.uniform(0.3 * OUTER, 1.25 * OUTER, TARGETS)
    turn = rng.uniform(-np.pi, np.pi, TARGETS)
    center = CENTER + away[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    walk = rng.uniform(-_WALK, _WALK, (TARGETS, 2))
    frames = max(1, round(_ARC / speed * rate))
    signed = speed * rng.choice([-1.0, 1.0])
    return Stroke(
        rng.uniform(-np.pi, np.pi), signed, rate, frames, center, walk, rng.uniform(*SIDES, TARGETS)
    )


def compute_gaps(stroke: Stroke, t: float) -> Floats:
    """Return the distances (n,) of the blade from the squares at a time; 0 for overlaps beyond its radius."""
    out = np.array([np.cos(stroke.angle_at(t)), np.sin(stroke.angle_at(t))])
    radius = THICKNESS / 2
    start, end = CENTER + (INNER + radius) * out, CENTER + (OUTER - radius) * out
    half = stroke.side[:, None] / 2
    center = stroke.centers_at(t)
    ends = np.minimum(_distance_to_square(start - center, half), _distance_to_square(end - center, half))
    corners = center[:, None] + half[:, None] * np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    along = end - start
    s = np.clip((corners - start) @ along / (along @ along), 0, 1)
    beside = np.linalg.norm(corners - start - s[..., None] * along, axis=-1).min(axis=1)
    apart = np.where(_cross_squares(start - center, along, half[:, 0]), 0.0, np.minimum(ends, beside))
    return np.asarray(apart - radius)


def _distance_to_square(point: Floats, half: Floats) -> Floats:
    return np.asarray(np.linalg.norm(np.maximum(np.abs(point) - half, 0), axis=1))


def _cross_squares(start: Floats, along: Floats, half: Floats) -> Bools:
    """Test if segments enter squares about the origin, by slabs."""
    slope = np.where(np.abs(along) < 1e-12, 1e-12, along)
    ends = np.sort(np.stack([(-half[:, None] - start) / slope, (half[:, None] - start) / slope]), axis=0)
    return np.asarray(np.maximum(ends[0].max(axis=1), 0) <= np.minimum(ends[1].min(axis=1), 1))


def find_true_hits(stroke: Stroke) -> tuple[Bools, Bools]:
    """Return which squares the blade touches, and which results are clear."""
    times = np.linspace(0, stroke.frames / stroke.rate, stroke.frames * _SAMPLES + 1)
    smallest = np.min([compute_gaps(stroke, t) for t in times], axis=0)
    # Between two samples the gap shrinks by less than NEAR, so a hit between them is not clear.
    return smallest <= 0, np.abs(smallest) > NEAR
