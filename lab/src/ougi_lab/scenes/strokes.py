"""Seeded strokes and flights for `ougi bench games`, among moving targets.

A blade turns in a moving hand. A projectile spins along a parabola. The truth comes from shapely, at a
thousand samples of each frame. It shares no code with what it judges.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

import ougi
from ougi._typing import Bools, Floats
from ougi.games import Hitbox

TARGETS = 24  # of a stroke
# Pixels. Targets stand and walk about the hand.
CENTER = (400.0, 300.0)
OUTER, INNER, THICKNESS = 120.0, 20.0, 8.0
SIDES = (10.0, 24.0)
_WALK = 150.0  # pixels per second
_SPIN = 12.0  # rad/s of targets that turn
_ARC = np.radians(170)
_FLIGHT = 0.25  # seconds

# For libraries of pixels, targets whose smallest gap is nearer to 0 than this are excluded.
NEAR = 1.5

SAMPLES = 1000  # of each frame
_COARSE = 20  # samples in one step where the targets are far apart

TARGET_KINDS = ("square", "circle", "capsule", "box", "convex", "concave", "sprite")
BLADE_KINDS = ("capsule", "segment", "box", "sector", "convex", "concave", "sprite")
PROJECTILE_KINDS = ("ball", "arrow", "shard", "axe")


class Outline(NamedTuple):
    """A shape for the truth: points (k, 2) of a polygon, a line or a point, and a radius about it.

    Of a sprite, `pixels` are those that are set, from the lowest corner of the polygon on.
    """

    points: Floats
    radius: float
    pixels: Bools | None = None

    @property
    def reach(self) -> float:
        return float(np.linalg.norm(self.points, axis=1).max()) + self.radius

    def place(self, x: Floats, y: Floats, angle: Floats) -> Any:
        """Shapely's geometries (n,) without the radius, at positions and angles (n,)."""
        import shapely

        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        px, py = self.points.T
        placed = np.stack([x[:, None] + c * px - s * py, y[:, None] + s * px + c * py], axis=2)
        if len(self.points) == 1:
            return shapely.points(placed[:, 0])
        return shapely.linestrings(placed) if len(self.points) == 2 else shapely.polygons(placed)


class Stroke(NamedTuple):
    """A blade that turns at one speed, and targets that move straight and turn, for whole frames.

    A projectile is a blade whose hand falls.
    """

    blade: str
    kind: str  # of the targets
    angle: float  # radians, from x towards y
    speed: float  # rad/s
    hand: Floats  # (2,), velocity of the hand
    rate: int  # frames per second
    frames: int
    center: Floats  # (n, 2), of the targets at the start
    velocity: Floats  # (n, 2)
    turned: Floats  # (n,), their angles at the start
    spin: Floats  # (n,), rad/s
    figures: list[Outline]
    gravity: float = 0.0  # of the hand, pixels per second squared along y

    def angle_at(self, t: float) -> float:
        return self.angle + self.speed * t

    def hand_at(self, t: float) -> tuple[float, float]:
        x, y = CENTER + t * self.hand
        return float(x), float(y) + t * t / 2 * self.gravity

    def hands_at(self, t: Floats) -> Floats:
        """(n, 2), the hand at times (n,)."""
        return np.asarray(CENTER + t[:, None] * self.hand + t[:, None] ** 2 / 2 * [0.0, self.gravity])

    def centers_at(self, t: float) -> Floats:
        return np.asarray(self.center + self.velocity * t)

    def turned_at(self, t: float) -> Floats:
        return np.asarray(self.turned + self.spin * t)


def draw_stroke(
    speed: float, rate: int, rng: np.random.Generator, kind: str = "square", blade: str = "capsule"
) -> Stroke:
    """Draw a stroke of about 170 degrees, in either sense, among targets at random positions.

    Squares do not turn; all others do, and the hand moves.
    """
    away = rng.uniform(0.3 * OUTER, 1.25 * OUTER, TARGETS)
    toward = rng.uniform(-np.pi, np.pi, TARGETS)
    center = CENTER + away[:, None] * np.stack([np.cos(toward), np.sin(toward)], axis=1)
    walk = rng.uniform(-_WALK, _WALK, (TARGETS, 2))
    frames = max(1, round(_ARC / speed * rate))
    signed = speed * rng.choice([-1.0, 1.0])
    start, sides = rng.uniform(-np.pi, np.pi), rng.uniform(*SIDES, TARGETS)
    turns = 0.0 if kind == "square" else 1.0
    return Stroke(
        blade,
        kind,
        start,
        signed,
        turns * rng.uniform(-_WALK, _WALK, 2),
        rate,
        frames,
        center,
        walk,
        turns * rng.uniform(-np.pi, np.pi, TARGETS),
        turns * rng.uniform(-_SPIN, _SPIN, TARGETS),
        [_draw_figure(kind, side, rng) for side in sides],
    )


def draw_flight(speed: float, rate: int, rng: np.random.Generator, kind: str, projectile: str) -> Stroke:
    """Draw a flight of a quarter of a second along a parabola, among targets that it may meet.

    `speed` is the spin, in either sense. Squares do not turn; all others do.
    """
    stroke = draw_stroke(speed, rate, rng, kind, projectile)
    direction, gravity = rng.uniform(-np.pi, np.pi), rng.uniform(1000.0, 4000.0)
    stroke = stroke._replace(
        frames=round(_FLIGHT * rate),
        hand=rng.uniform(400.0, 1200.0) * np.array([np.cos(direction), np.sin(direction)]),
        gravity=gravity,
    )
    met = rng.uniform(0, _FLIGHT, TARGETS)
    place = stroke.hands_at(met) + rng.uniform(-40, 40, (TARGETS, 2))
    return stroke._replace(center=place - met[:, None] * stroke.velocity)


def _draw_figure(kind: str, side: float, rng: np.random.Generator) -> Outline:
    half = side / 2
    if kind == "sprite":
        n = round(1.2 * side)
        y, x = np.mgrid[:n, :n] + 0.5 - n / 2
        bitten = (np.hypot(x, y) <= n / 2) & ~((x > 0) & (np.abs(y) < n * rng.uniform(0.05, 0.3)))
        return _trace_pixels(bitten, (-n / 2, -n / 2))
    if kind == "circle":
        return Outline(np.array([[half / 2, 0.0]]), half)
    if kind == "capsule":
        return Outline(np.array([[-half, 0.0], [half, 0.0]]), half / 3)
    if kind in ("square", "box"):
        flat = half if kind == "square" else half / 2
        return Outline(np.array([[-half, -flat], [half, -flat], [half, flat], [-half, flat]]), 0.0)
    if kind == "convex":
        angles = np.sort(rng.uniform(0, 2 * np.pi, 5))
        radii = np.full(5, half * 1.4)
    else:
        angles = np.arange(8) * np.pi / 4
        radii = half * 1.5 * np.where(np.arange(8) % 2, 0.4, 1.0) * rng.uniform(0.8, 1, 8)
    return Outline(radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1), 0.0)


def _trace_pixels(pixels: Bools, corner: tuple[float, float]) -> Outline:
    """Pixels of side 1 without holes, the first of which has this corner."""
    import shapely

    rows, columns = np.nonzero(pixels)
    x, y = columns + corner[0], rows + corner[1]
    union = shapely.union_all(shapely.box(x, y, x + 1, y + 1)).simplify(0.0)
    assert isinstance(union, shapely.Polygon)
    assert not union.interiors
    return Outline(np.array(union.exterior.coords)[:-1], 0.0, pixels)


def make_hitbox(figure: Outline) -> Hitbox:
    """The same figure for ougi."""
    points, radius, pixels = figure
    if pixels is not None:
        return Hitbox.from_grid(pixels, origin=points.min(axis=0))
    if len(points) == 1:
        return Hitbox(ougi.Circle(points[0], radius))
    return Hitbox(ougi.Capsule2d(points[0], points[1], radius) if len(points) == 2 else points)


def make_blade(kind: str) -> tuple[Outline, Hitbox]:
    """A blade along x, or a projectile about its center, for the truth and for ougi."""
    near, far, half = INNER, OUTER, THICKNESS / 2
    if kind == "sprite":
        y, x = np.mgrid[-8:8, : int(far - near)] + 0.5
        width = np.where(x < 8, 8.0, np.minimum(half, (far - near - x) / 5))  # a guard, and a point
        figure = _trace_pixels(np.abs(y) <= width, (near, -8.0))
        return figure, make_hitbox(figure)
    if kind == "sector":
        angles = np.linspace(-0.4, 0.4, 60)  # chords leave the arc by 0.003 pixels
        arc = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        fan = ougi.Sector2d([0, 0], [1, 0], 0.4, 0.8 * far, far)
        return Outline(np.concatenate([far * arc, 0.8 * far * arc[::-1]]), 0.0), Hitbox(fan)
    corners = {
        "capsule": [[near + half, 0], [far - half, 0]],
        "segment": [[near, 0], [far, 0]],
        "box": [[near, -half], [far, -half], [far, half], [near, half]],
        "convex": [[near, -half], [0.8 * far, -half], [far, 0], [0.8 * far, half], [near, half]],
        "concave": [[near, -half], [far, -half], [far, -20], [far + 8, -20], [far + 8, half], [near, half]],
        "ball": [[0, 0]],
        "arrow": [[-20, 0], [0, 0]],
        "shard": [[-6, -3], [9, 0], [-4, 5]],
        "axe": [[-20, -2], [8, -2], [8, -12], [16, -8], [16, 8], [8, 12], [8, 2], [-20, 2]],
    }[kind]
    radius = {"capsule": half, "ball": 6.0, "arrow": 1.5}.get(kind, 0.0)
    figure = Outline(np.array(corners, np.float64), radius)
    return figure, make_hitbox(figure)


class Truth(NamedTuple):
    """What shapely finds.

    Attributes
    ----------
    gap
        (n,), the smallest distance of each target from the blade over all samples; negative down to minus the
        radii where they overlap. Above `NEAR` it is a lower bound.
    slack
        (n,), how much smaller it may be between two samples.
    """

    gap: Floats
    slack: Floats

    @property
    def touched(self) -> Bools:
        return self.gap <= 0


def find_true_hits(stroke: Stroke) -> Truth:
    """Sample the stroke. Samples that cannot hold the smallest gap are skipped, by a bound of the speed."""
    blade = make_blade(stroke.blade)[0]
    n = stroke.frames * SAMPLES
    total = stroke.frames / stroke.rate
    relative = np.linalg.norm(stroke.velocity - stroke.hand, axis=1) + stroke.gravity * total
    reaches = np.array([figure.reach for figure in stroke.figures])
    speed = relative + abs(stroke.speed) * blade.reach + np.abs(stroke.spin) * reaches
    slack = speed * total / n / 2
    gap = np.empty(TARGETS)
    coarse = np.arange(0, n + 1, _COARSE)
    for k in range(TARGETS):
        times = coarse * total / n
        gaps = _bound_gaps(stroke, blade, k, times)
        near = gaps <= 2 * NEAR
        gaps[near] = _measure(stroke, blade, k, times[near])
        gap[k] = gaps.min()
        # Between two samples the gap is at least their mean less what the speed allows.
        low = (gaps[:-1] + gaps[1:]) / 2 - speed[k] * total / n * _COARSE / 2
        for part in np.flatnonzero(low <= min(gap[k], NEAR)):
            fine = np.arange(coarse[part] + 1, coarse[part + 1])
            if gap[k] > -NEAR and low[part] <= gap[k]:
                gap[k] = min(gap[k], _measure(stroke, blade, k, fine * total / n).min())
    return Truth(gap, slack)


def _bound_gaps(stroke: Stroke, blade: Outline, k: int, times: Floats) -> Floats:
    """Lower bounds of the gaps: a circle about the target, and a capsule along the axis of the blade."""
    x, width = blade.points[:, 0], float(np.abs(blade.points[:, 1]).max()) + blade.radius
    to_x, to_y = (stroke.center[k] + times[:, None] * stroke.velocity[k] - stroke.hands_at(times)).T
    angle = stroke.angle + stroke.speed * times
    along, across = to_x * np.cos(angle) + to_y * np.sin(angle), to_y * np.cos(angle) - to_x * np.sin(angle)
    apart = np.hypot(along - np.clip(along, x.min(), x.max()), across)
    return np.asarray(apart - width - stroke.figures[k].reach, np.float64)


def _measure(stroke: Stroke, blade: Outline, k: int, times: Floats) -> Floats:
    import shapely

    figure = stroke.figures[k]
    hand = stroke.hands_at(times)
    place = stroke.center[k] + times[:, None] * stroke.velocity[k]
    sword = blade.place(hand[:, 0], hand[:, 1], stroke.angle + stroke.speed * times)
    body = figure.place(place[:, 0], place[:, 1], stroke.turned[k] + stroke.spin[k] * times)
    apart = shapely.distance(sword, body)
    return np.asarray(apart - blade.radius - figure.radius, np.float64)


def score(stroke: Stroke, truth: Truth, hit: Bools) -> tuple[int, int, int]:
    """True hits, those that were found, and ghosts, of a library that has no pixels."""
    error = make_blade(stroke.blade)[1].error
    free = truth.gap > truth.slack + error + 0.01
    return int(truth.touched.sum()), int((hit & truth.touched).sum()), int((hit & free).sum())


def clear_of_pixels(truth: Truth) -> Bools:
    """Which targets pixels do not decide."""
    return np.asarray(np.abs(truth.gap) > NEAR)


def count_degrees(radians: float) -> float:
    """Degrees as pygame and Arcade count them, from 0 to 360."""
    return -math.degrees(radians) % 360
