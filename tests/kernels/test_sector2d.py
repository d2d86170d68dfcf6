"""Planar fans: the shape, regions first, then borders, then traps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi

QUARTER = math.pi / 4


def fan(half_angle: float = QUARTER, inner: float = 1.0, outer: float = 5.0) -> ougi.Sector2d:
    return ougi.Sector2d([0, 0], [1, 0], half_angle, inner, outer)


def square(x: float, y: float, edge: float = 0.5) -> ougi.Rectangle:
    return ougi.Rectangle([x, y], [edge, edge], 0.0)


# Of a unit-like shape "at" a point: what covers at least the disc of radius 0.1 and at most that of 0.5.
BLOBS: dict[str, Any] = {
    "circle": lambda x, y: ougi.Circle([x, y], 0.3),
    "capsule": lambda x, y: ougi.Capsule2d([x - 0.2, y], [x + 0.2, y + 0.1], 0.2),
    "rectangle": lambda x, y: ougi.Rectangle([x, y], [0.6, 0.5], 0.4),
    "aabb": lambda x, y: ougi.Aabb2d([x - 0.3, y - 0.25], [x + 0.3, y + 0.25]),
    "triangle": lambda x, y: ougi.Triangle2d([x - 0.3, y - 0.2], [x + 0.4, y - 0.2], [x, y + 0.4]),
    "sector": lambda x, y: ougi.Sector2d([x - 0.2, y], [1, 0.1], 1.2, 0, 0.5),
}


@pytest.mark.plain
@pytest.mark.parametrize("blob", BLOBS)
@pytest.mark.parametrize(
    ("x", "y", "hit"),
    [
        (3, 0, True),  # inside
        (5, 0, True),  # across the outer arc
        (1, 0, True),  # across the inner arc
        (2, 2, True),  # across a side
        (2, -2, True),
        (0, 0, False),  # in the hole
        (6, 0, False),  # outside
        (0, 3, False),  # past a side
        (-3, 0, False),  # behind
    ],
)
def test_regions(blob: str, x: float, y: float, hit: bool) -> None:
    body = BLOBS[blob](x, y)
    assert ougi.intersects(fan(), body) == hit
    assert ougi.intersects(body, fan()) == hit
    assert (ougi.distance(fan(), body) == 0) == hit


@pytest.mark.plain
@pytest.mark.parametrize(
    "around",
    [
        ougi.Rectangle([0, 0], [20, 20], 0.3),
        ougi.Aabb2d([-9, -9], [9, 9]),
        ougi.Triangle2d([-40, -30], [40, -30], [0, 60]),
        ougi.Circle([0, 0], 9),
        ougi.Capsule2d([-1, 0], [1, 0], 9),
        ougi.Sector2d([0, 0], [0, 1], math.pi, 0, 9),
    ],
    ids=lambda body: type(body).__name__,
)
@pytest.mark.parametrize("half_angle", [0.0, 1e-9, 0.2, math.pi / 2, 2.5, math.pi])
def test_a_shape_around_the_fan_touches_it(around: Any, half_angle: float) -> None:
    assert ougi.intersects(fan(half_angle), around)
    assert ougi.distance(fan(half_angle), around) == 0


@pytest.mark.plain
@pytest.mark.parametrize("half_angle", [0.0, 1e-9, 0.2, math.pi / 2, 2.5, math.pi])
def test_shapes_in_the_hole_are_as_far_as_the_wall(half_angle: float) -> None:
    for body in (
        square(0.1, 0),
        ougi.Triangle2d([-0.2, 0], [0.3, 0.3], [0.2, -0.3]),
        BLOBS["circle"](0.1, 0),
    ):
        assert not ougi.intersects(fan(half_angle, 3, 5), body)
    assert ougi.distance(fan(math.pi, 3, 5), ougi.Circle([0.5, 0.0], 0.25)) == pytest.approx(2.25)
    assert ougi.distance(fan(math.pi, 3, 5), ougi.Segment2d([-1, 2], [1, 2])) == pytest.approx(
        3 - math.sqrt(5)
    )
    assert ougi.distance(
        fan(half_angle, 3, 5), ougi.Sector2d([0, 0], [1, 0], math.pi, 0, 2)
    ) == pytest.approx(1)


@pytest.mark.plain
def test_rectangle_whose_edges_cross_only_the_rest_of_the_circle() -> None:
    """FAN erratum 12: no valid crossing, yet the fan lies inside."""
    assert ougi.intersects(fan(0.2, 1, 3), ougi.Aabb2d([0.5, -2], [3.5, 2]))


@pytest.mark.plain
def test_crossings_that_rounding_puts_outside_the_fan() -> None:
    """FAN erratum 13."""
    assert ougi.intersects(fan(1.3, 0.5, 1.2), ougi.Aabb2d([1, -2], [4, 2]))


@pytest.mark.plain
def test_a_segment_across_the_excluded_wedge_misses() -> None:
    """FAN erratum 6: the part within the angle is two spans, not the one around both."""
    wide = fan(math.radians(150), 1, 2.1)
    assert not ougi.intersects(wide, ougi.Capsule2d([-2, 3], [-2, -3], 0.1))
    assert ougi.distance(wide, ougi.Segment2d([-2, 3], [-2, -3])) == pytest.approx(0.181347, abs=1e-6)


@pytest.mark.plain
def test_the_opposite_ray_of_a_fan_without_angle_is_outside() -> None:
    """The fault of FAN2D erratum 21, which (2.20) shares."""
    thin = fan(0.0, 1, 5)
    assert not ougi.intersects(thin, ougi.Capsule2d([-3, -1], [-3, 1], 0.1))
    assert not ougi.contains(thin, [-3, 0])
    assert ougi.contains(thin, [3, 0])
    assert ougi.intersects(thin, ougi.Segment2d([3, -1], [3.3, 1]))
    assert ougi.distance(thin, [-3, 0]) == 4


@pytest.mark.plain
def test_disc_wider_than_the_hole_and_disc_past_a_side() -> None:
    """FAN errata 1 and 3."""
    assert ougi.intersects(fan(), ougi.Circle([0.5, 0], 2))
    beside = 3 * np.array([math.cos(math.radians(40)), math.sin(math.radians(40))])
    assert ougi.intersects(fan(math.radians(30)), ougi.Circle(beside, 1))
    assert ougi.distance(fan(math.radians(30)), beside) == pytest.approx(3 * math.sin(math.radians(10)))


@pytest.mark.plain
def test_both_sides_inside_the_circle() -> None:
    assert ougi.intersects(fan(0.1, 0, 1), ougi.Circle([0.5, 0], 3))


@pytest.mark.plain
@pytest.mark.parametrize("half_angle", [0.0, 1e-12, 1.0, math.pi / 2, 3.0, math.pi])
def test_touching_counts(half_angle: float) -> None:
    f = fan(half_angle, 1, 5)
    assert ougi.intersects(f, ougi.Circle([7, 0], 2))
    assert ougi.intersects(f, ougi.Aabb2d([5, -1], [6, 1]))
    assert ougi.intersects(f, ougi.Segment2d([5, -1], [5, 1]))
    assert ougi.intersects(f, ougi.Triangle2d([5, 0], [6, 1], [6, -1]))
    assert ougi.intersects(f, ougi.Sector2d([7, 0], [-1, 0], 0.3, 1, 2))
    assert not ougi.intersects(f, ougi.Aabb2d([5 + 1e-12, -1], [6, 1]))


def test_a_segment_across_an_arc_without_width_is_never_lost() -> None:
    rng = np.random.default_rng(3)
    n = 20_000
    half = rng.choice([1e-3, 0.5, math.pi / 2, 2.0, math.pi], n)
    radius = 10 ** rng.uniform(-3, 3, n)
    arcs = ougi.Sector2d(rng.normal(size=(n, 2)), rng.normal(size=(n, 2)), half, radius, radius)
    turn = rng.uniform(-0.9, 0.9, n) * half
    x = arcs.direction
    y = np.stack([-x[:, 1], x[:, 0]], axis=1)
    out = np.cos(turn)[:, None] * x + np.sin(turn)[:, None] * y
    at = arcs.center + radius[:, None] * out
    lean = out + 0.8 * rng.uniform(-1, 1, n)[:, None] * np.stack([-out[:, 1], out[:, 0]], axis=1)
    step = 0.05 * np.minimum(radius, radius * half)[:, None]
    crossing = ougi.Segment2d(at - step * lean, at + step * lean)
    assert ougi.intersects(arcs, crossing).all()
    assert (ougi.distance(arcs, crossing) == 0).all()


def test_a_segment_across_a_fan_without_angle_is_never_lost() -> None:
    rng = np.random.default_rng(4)
    n = 20_000
    sticks = ougi.Sector2d(rng.normal(size=(n, 2)), rng.normal(size=(n, 2)), 0.0, 1.0, 2.0)
    at = sticks.center + rng.uniform(1.1, 1.9, n)[:, None] * sticks.direction
    v = rng.normal(size=(n, 2)) * 0.02
    assert ougi.intersects(sticks, ougi.Segment2d(at - v, at + v * rng.uniform(0.5, 2, (n, 1)))).all()


@pytest.mark.plain
def test_arcs_that_cross_without_their_sides() -> None:
    a = ougi.Sector2d([0, 0], [1, 0], 1.0, 2.0, 2.1)
    b = ougi.Sector2d([4, 0], [-1, 0], 1.0, 2.0, 2.1)
    assert ougi.intersects(a, b)
    assert not ougi.intersects(a, ougi.Sector2d([4.3, 0], [-1, 0], 1.0, 2.0, 2.1))
    assert ougi.distance(a, ougi.Sector2d([4.3, 0], [-1, 0], 1.0, 2.0, 2.1)) == pytest.approx(0.1)
    # One ring in the hole of another, not concentric: nearest from arc to arc.
    ring, disc = ougi.Sector2d([0, 0], [0, 1], math.pi, 5, 6), ougi.Sector2d([1, 0], [0, 1], math.pi, 0, 2)
    assert ougi.distance(ring, disc) == pytest.approx(2)
    assert ougi.distance(disc, ring) == pytest.approx(2)


@pytest.mark.plain
def test_concentric_fans_touch_where_their_angles_do() -> None:
    a = ougi.Sector2d([1, 2], [1, 0], 0.5, 1, 2)
    for turn, hit in ((0.0, True), (0.9, True), (1.1, False), (3.0, False)):
        b = ougi.Sector2d([1, 2], [math.cos(turn), math.sin(turn)], 0.5, 1, 2)
        assert ougi.intersects(a, b) == hit
    assert not ougi.intersects(a, ougi.Sector2d([1, 2], [1, 0], 0.5, 2.1, 3))
    assert ougi.distance(a, ougi.Sector2d([1, 2], [1, 0], 0.5, 2.5, 3)) == pytest.approx(0.5)


@pytest.mark.plain
def test_no_overlap_has_a_negative_distance() -> None:
    assert ougi.distance(fan(), ougi.Circle([3, 0], 1)) == 0
    with pytest.raises(ougi.UnsupportedPairError):
        ougi.contacts(fan(), ougi.Circle([3, 0], 1))


# --- the shape ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("half_angle", "inner", "corners"),
    [(1.0, 0.0, 10), (1.0, 1.0, 18), (math.pi, 0.0, 8), (math.pi, 1.0, 18), (0.0, 1.0, 18)],
)
def test_outline_runs_round_the_fan(half_angle: float, inner: float, corners: int) -> None:
    f = ougi.Sector2d([1, 2], [0, 2], half_angle, inner, 3)
    points = f.outline(8)
    assert points.shape == (corners, 2)
    rho = np.hypot(*(points - f.center).T)
    assert ((np.abs(rho - 3) < 1e-12) | (np.abs(rho - inner) < 1e-12)).all()
    x, y = f.outline(4000).T
    area = 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
    assert area == pytest.approx(half_angle * (9 - inner**2), abs=1e-4)


def test_only_a_single_fan_can_be_drawn() -> None:
    with pytest.raises(ValueError, match=r"only a single Sector2d can be drawn, got a batch of shape \(2,\)"):
        ougi.Sector2d([[0, 0], [1, 1]], [1, 0], 1, 0, 1).outline()
    with pytest.raises(ValueError, match="n must be at least 3 here, got 2"):
        fan(math.pi).outline(2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 0], [0, 0], 1, 0, 1), "direction must not have zero length"),
        (([0, 0], [1, 0], -0.1, 0, 1), r"half_angle must lie in \[0, pi\], got -0.1"),
        (([0, 0], [1, 0], 3.2, 0, 1), r"half_angle must lie in \[0, pi\], got 3.2"),
        (([0, 0], [1, 0], 1, 2, 1), "inner_radius must not exceed outer_radius, got 2.0"),
        (([0, 0], [1, 0], 1, -1, 1), "inner_radius must not be negative, got -1.0"),
        (([0, 0, 0], [1, 0], 1, 0, 1), "center must have 2 components"),
        (([0, math.nan], [1, 0], 1, 0, 1), "center must be finite"),
    ],
)
def test_bad_input_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ougi.Sector2d(*arguments)


def test_a_segment_across_a_very_narrow_fan_near_its_apex_is_never_lost() -> None:
    """Rounding puts the crossings with the two sides in the wrong order; the middle ray remains."""
    rng = np.random.default_rng(8)
    n = 20_000
    half = 10 ** rng.uniform(-16, -6, n)
    fans = ougi.Sector2d(rng.normal(size=(n, 2)), rng.normal(size=(n, 2)), half, 0.0, 1.0)
    at = fans.center + 10 ** rng.uniform(-6, -0.1, n)[:, None] * fans.direction
    v = rng.normal(size=(n, 2))
    crossing = ougi.Segment2d(at - v, at + v * rng.uniform(0.5, 2, (n, 1)))
    lean = np.abs(v[:, 0] * fans.direction[:, 1] - v[:, 1] * fans.direction[:, 0])
    clear = lean > 1e-3 * np.linalg.norm(v, axis=1)
    assert ougi.intersects(fans, crossing)[clear].all()
    assert (ougi.distance(fans, crossing)[clear] == 0).all()
