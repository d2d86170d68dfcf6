"""The figures of FAN, drawn anew from the text: fans, the motion behind them, and what they hit.

The scenes are ours, because FAN prints no numbers for its figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.motion import Rotation2d, Rotation3d
from ougi.plot.camera import Camera
from ougi.plot.panel import BLUE, BODY, FAN, RED, Panel
from ougi.plot.picture import Picture
from ougi.query import contains, distance, intersects
from ougi.shapes import Box, Capsule2d, Capsule3d, Circle, Rectangle, Sector2d, Sector3d, Sphere
from ougi.sweeps import sweep

_VIEW = Camera(azimuth=-52, elevation=32)
_SIZE, _WIDE = (5.2, 4.4), (5.2, 3.9)  # of panels; those of space are wider than high

# The fan of all figures of sec. 2.8: in the frame in which FAN calculates.
FLAT = Sector2d([0, 0], [1, 0], math.radians(50), 1.0, 3.0)
THICK = Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.radians(50), 1.0, 3.0, 0.5)

# Passes the fan's outer wall on its way down. Its hull in the plane does not: see `figure_2_22`.
FALSE_HIT = Capsule3d([3.1, -3.15, 1.9], [4.1, 2.9, 0.78], 0.88)


def figure_2_1() -> Picture:
    """A turning box, and the sector that stands for its motion."""
    box = Box([2.0, 0, 0], [2.0, 0.5, 0.6])
    turn = Rotation3d([0, 0, 0], [0, 0, 1], math.radians(130))
    picture = Picture("The motion that FAN assumes, and its sector (figure 2.1)", size=_WIDE)
    left = picture.space("a box turns about the z axis", camera=_VIEW)
    left.motion(box, turn, poses=5, label="box")
    right = picture.space("its sector by (2.1) and (2.2)", camera=_VIEW)
    right.draw(sweep(box, turn, "sector"), color=FAN, alpha=0.45, label="sector")
    for end in (box, box.transformed(turn)):
        right.draw(end, color=BODY, alpha=0.2)
    return picture


def figure_2_2() -> Picture:
    """The two forms of a sector."""
    picture = Picture("The two forms of a sector (figures 2.2, 2.3)", size=_WIDE)
    for caption, inner in (("a piece of cake: inner radius 0", 0.0), ("a piece of Baumkuchen", 1.2)):
        fan = Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.radians(50), inner, 3.0, 0.5)
        picture.space(caption, camera=_VIEW).draw(fan, color=FAN)
    return picture


def figure_2_13() -> Picture:
    """Points in the plane and in space, red inside the fan."""
    rng = np.random.default_rng(13)
    picture = Picture("Points inside a sector (figures 2.12, 2.13)", size=_SIZE)
    flat = rng.uniform([-1, -3], [4, 3], (600, 2))
    plane = picture.plane("in the plane, (2.5) and (2.7)")
    plane.draw(FLAT, color=FAN, alpha=0.25, label="sector")
    plane.draw(flat, hit=contains(FLAT, flat), label=("inside", "outside"))
    points = rng.uniform([-0.5, -3, -1.2], [3.5, 3, 1.2], (500, 3))
    space = picture.space("in space, also (2.4)", camera=_VIEW)
    space.draw(THICK, color=FAN, alpha=0.25, label="sector")
    space.draw(points, hit=contains(THICK, points), label=("inside", "outside"))
    return picture


def figure_2_15() -> Picture:
    """Rectangles in the plane."""
    middles = _scatter_points(2, [-1.6, -3.4], [4.4, 3.4], seed=15)
    angles = np.linspace(0.2, 5, len(middles))
    rectangles = Rectangle(middles, [0.9, 0.4], angles)
    return _draw_free_and_hit("rectangles in the plane (figures 2.14, 2.15)", FLAT, rectangles)


def figure_2_17() -> Picture:
    """Balls in space."""
    balls = Sphere(_scatter_points(3, [-0.8, -2.9, -0.8], [3.8, 2.9, 0.8], seed=17), 0.34)
    return _draw_free_and_hit("balls (figures 2.16, 2.17)", THICK, balls)


def figure_2_19() -> Picture:
    """Capsules in the plane."""
    start = _scatter_points(2, [-1.6, -3.4], [4.4, 3.4], seed=19)
    capsules = Capsule2d(start, start + _vary_steps(start), 0.2)
    return _draw_free_and_hit("capsules in the plane (figures 2.18, 2.19)", FLAT, capsules)


def figure_2_21() -> Picture:
    """Capsules in space."""
    start = _scatter_points(3, [-0.8, -2.9, -1.0], [3.6, 2.9, 0.7], seed=21)
    capsules = Capsule3d(start, start + _vary_steps(start), 0.2)
    return _draw_free_and_hit("capsules in space (figures 2.20, 2.21)", THICK, capsules)


def figure_2_22() -> Picture:
    """A capsule that does not touch but that the test of sec. 2.7 calls a hit; an exact one settles sec. 4.1.

    The fan's slab cuts the capsule's balls into discs; their union is the pseudo-capsule. FAN tests a
    planar capsule around it, (2.22)-(2.31), which is larger. The exact test uses the discs themselves.
    """
    around = enclose_in_plane(FALSE_HIT)
    gap = float(distance(THICK, FALSE_HIT))
    picture = Picture("A false hit, and the exact answer (figure 2.22, section 4.1)", size=_SIZE)
    space = picture.space(f"exact: free, the gap is {gap:.3f}", camera=Camera(azimuth=-118, elevation=38))
    space.draw(THICK, color=FAN, alpha=0.6, label="sector")
    space.draw(FALSE_HIT, hit=intersects(THICK, FALSE_HIT), label=("hit", "capsule: free"))
    plane = picture.plane("in the plane: the hull touches, the discs do not")
    plane.draw(FLAT, color=FAN, alpha=0.4, label="sector")
    plane.draw(around, color=RED, alpha=0.25, label="planar capsule of (2.22)–(2.31): hit")
    plane.draw(cut_discs(FALSE_HIT), color=BLUE, edges=False, label="its discs in the slab: free")
    return picture


def figure_4_1() -> Picture:
    """The sector of a small turn misses most of the sweep, unless it accounts for the width of the box."""
    box, turn = Rectangle([2.0, 0], [2.0, 0.7]), Rotation2d([0, 0], math.radians(12))
    picture = Picture("The sector of a small turn, 12° (figure 4.1)", size=(4.0, 3.7))
    for method, caption in (
        ("sector", "FAN's sector, (2.1)"),
        ("sector-balanced", "balanced: errs both ways, by little"),
        ("sector-enclosing", "enclosing: never misses"),
    ):
        panel = picture.plane(caption)
        panel.include(sweep(box, turn, "sector-enclosing"))
        panel.motion(box, turn, poses=0, label="box at start and end")
        fan = sweep(box, turn, method)
        panel.draw(fan, color=FAN, alpha=0.55, label="sector")
    return picture


FIGURES: dict[str, Callable[[], Picture]] = {
    "fan-2.1": figure_2_1,
    "fan-2.2": figure_2_2,
    "fan-2.13": figure_2_13,
    "fan-2.15": figure_2_15,
    "fan-2.17": figure_2_17,
    "fan-2.19": figure_2_19,
    "fan-2.21": figure_2_21,
    "fan-2.22": figure_2_22,
    "fan-4.1": figure_4_1,
}


def enclose_in_plane(capsule: Capsule3d) -> Capsule2d:
    """The planar capsule that FAN sec. 2.7 tests instead of a single capsule in space, for `THICK`."""
    from ougi.kernels.published.fan import enclosing_capsule
    from ougi.kernels.records import Vec3

    ends = sorted((capsule.start.tolist(), capsule.end.tolist()), key=lambda end: -end[2])  # Sz > Ez
    hull = enclosing_capsule(Vec3(*ends[0]), Vec3(*ends[1]), float(capsule.radius), float(THICK.half_height))
    return Capsule2d(list(hull.start), list(hull.end), hull.radius)


def cut_discs(capsule: Capsule3d, count: int = 400) -> Circle:
    """What the slab of `THICK` leaves of a capsule's balls, seen along the axis: discs of radius (2.12)."""
    t = np.linspace(0, 1, count)[:, None]
    middle = (1 - t) * capsule.start + t * capsule.end
    over = np.maximum(np.abs(middle[:, 2]) - THICK.half_height, 0.0)
    inside = over < capsule.radius
    return Circle(middle[inside, :2], np.sqrt(capsule.radius**2 - over[inside] ** 2))


def _draw_free_and_hit(title: str, fan: Any, targets: Any) -> Picture:
    """Draw targets that the fan does not touch on the left, and the others on the right."""
    hit = intersects(fan, targets)
    picture = Picture(f"A sector and {title}", size=_SIZE if fan.dimension == 2 else _WIDE)
    for caption, part in (("free", ~hit), ("hit", hit)):
        panel: Panel = picture.plane(caption) if fan.dimension == 2 else picture.space(caption, camera=_VIEW)
        panel.include(targets)
        panel.draw(fan, color=FAN, alpha=0.4, label="sector")
        panel.draw(targets[part], hit=hit[part])
    return picture


def _scatter_points(dimension: int, lower: list[float], upper: list[float], seed: int) -> Floats:
    """Draw points that are far apart: each is the best of 40 candidates."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(lower, upper, (1, dimension))
    for _ in range(21):
        tries = rng.uniform(lower, upper, (40, dimension))
        far = np.linalg.norm(tries[:, None] - points, axis=-1).min(axis=1)
        points = np.concatenate([points, tries[[far.argmax()]]])
    return points


def _vary_steps(points: Floats) -> Floats:
    """Return vectors of length 0.9 in directions that differ from point to point."""
    turn = 2.4 * np.arange(len(points))
    flat = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    rise = np.cos(1.7 * turn)[:, None] if points.shape[1] == 3 else np.empty((len(points), 0))
    steps = np.concatenate([flat, rise], axis=1)
    return np.asarray(0.9 * steps / np.linalg.norm(steps, axis=1, keepdims=True))
