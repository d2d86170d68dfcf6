"""Thick fans against thick fans: regions, known gaps, and laws over random pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import ougi

Floats = NDArray[np.float64]

FULL = math.pi


def fan(
    center: Any = (0, 0, 0),
    axis: Any = (0, 0, 1),
    direction: Any = (1, 0, 0),
    half_angle: float = math.pi / 4,
    inner: float = 1.0,
    outer: float = 3.0,
    height: float = 1.0,
) -> ougi.Sector3d:
    return ougi.Sector3d(center, axis, direction, half_angle, inner, outer, height)


def meet(a: Any, b: Any) -> bool:
    there, back = bool(ougi.intersects(a, b)), bool(ougi.intersects(b, a))
    assert there == back
    return there


@pytest.mark.plain
@pytest.mark.parametrize("axis", [[0, 0, 1], [0, 0, -1], [0, 1e-17, 1], [1, 0, 0], [0, 1, 0], [1, 2, 3]])
@pytest.mark.parametrize(
    ("at", "hit"),
    [
        ([2, 0, 0], True),  # inside
        ([3, 0, 0], True),  # across the outer wall
        ([1, 0, 0], True),  # across the inner wall
        ([2, 0, 1], True),  # across the top
        ([1.5, 1.5, 0], True),  # across a side
        ([0, 0, 0], False),  # in the hole
        ([4, 0, 0], False),
        ([2, 0, 1.6], False),
        ([0, 2, 0], False),
        ([-2, 0, 0], False),
    ],
)
def test_a_small_drum_is_where_it_is(axis: Any, at: Any, hit: bool) -> None:
    drum = fan(at, axis, [1, 1, -1], FULL, 0.0, 0.3, 0.3)
    assert meet(fan(), drum) == hit


@pytest.mark.plain
def test_rings_that_are_linked_do_not_touch() -> None:
    ring = fan(half_angle=FULL, inner=2.0, outer=2.5, height=0.2)
    link = fan([2.25, 0, 0], [0, 1, 0], [0, 0, 1], FULL, 2.0, 2.5, 0.2)
    assert not meet(ring, link)
    assert meet(ring, fan([0.3, 0, 0], [0, 1, 0], [0, 0, 1], FULL, 2.0, 2.5, 0.2))


@pytest.mark.plain
def test_a_fan_inside_another_touches_it() -> None:
    big = fan(half_angle=1.5, inner=1.0, outer=9.0, height=4.0)
    assert meet(big, fan([5, 0, 0], [1, 1, 1], [1, -1, 0], 1.0, 0.1, 0.5, 0.2))
    assert meet(big, fan([5, 0, 0], [0, 0, 1], [1, 0, 0], FULL, 0.1, 0.5, 0.2))


@pytest.mark.plain
@pytest.mark.parametrize("sign", [1, -1])
def test_a_fan_in_the_hole_or_in_the_notch_misses(sign: int) -> None:
    tube = fan(half_angle=FULL, inner=1.0, outer=2.0, height=5.0)
    assert not meet(tube, fan([0, 0, 0], [0, 0, sign], [1, 0, 0], FULL, 0.0, 0.99, 1.0))
    assert meet(tube, fan([0.02, 0, 0], [0, 0, sign], [1, 0, 0], FULL, 0.0, 0.99, 1.0))
    cut = fan(half_angle=3.0, inner=0.0, outer=9.0, height=1.0)
    assert not meet(cut, fan([-8, 0, 0], [0, 0, sign], [1, 0, 0], FULL, 0.0, 0.9, 1.0))
    assert meet(cut, fan([-8, 0, 0], [0, 0, sign], [1, 0, 0], FULL, 0.0, 1.2, 1.0))


@pytest.mark.plain
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9, 1e-12])
def test_tall_cylinders_meet_with_their_walls_alone(delta: float) -> None:
    """No edge is near: the common perpendicular of the axes decides."""
    pillar = fan(half_angle=FULL, inner=0.0, outer=1.0, height=9.0, direction=[0, -1, 0])
    for tilt in (math.pi / 2, 1.0, 0.2):
        axis = [math.sin(tilt), 0, math.cos(tilt)]
        for inner in (0.0, 1.9, 2.0):
            beam = fan([0, 3 + delta, 0.3], axis, [0, 1, 0], FULL, inner, 2.0, 9.0)
            assert not meet(pillar, beam)
            beam = fan([0, 3 - delta, 0.3], axis, [0, 1, 0], FULL, inner, 2.0, 9.0)
            assert meet(pillar, beam)


@pytest.mark.plain
def test_a_tube_through_the_wall_of_a_tube() -> None:
    """Thin walls at right angles: walls alone, and only on one side of both axes."""
    tube = fan(half_angle=FULL, inner=1.9, outer=2.0, height=9.0, direction=[0, -1, 0])
    across = fan([0, 0.5, 0], [1, 0, 0], [0, 1, 0], FULL, 0.95, 1.0, 9.0)
    assert meet(tube, across)
    # A piece of it that ends in the hole, and one that begins outside.
    assert not meet(tube, fan([0, 0.5, 0], [1, 0, 0], [0, 1, 0], FULL, 0.95, 1.0, 1.1))
    assert not meet(tube, fan([5, 0.5, 0], [1, 0, 0], [0, 1, 0], FULL, 0.95, 1.0, 2.9))
    assert meet(tube, fan([5, 0.5, 0], [1, 0, 0], [0, 1, 0], FULL, 0.95, 1.0, 3.2))


@pytest.mark.plain
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("tilt", [0.0, 1e-15, 1e-9, 1e-3, 1.0])
def test_a_rim_over_a_face(delta: float, tilt: float) -> None:
    """A tilted drum stands with its rim over the middle of a plate; the lowest point is known."""
    plate = fan(half_angle=FULL, inner=0.0, outer=9.0, height=0.5)
    low = math.sin(tilt) + 0.5 * math.cos(tilt)  # radius 1, half height 0.5
    axis = [math.sin(tilt), 0, math.cos(tilt)]
    assert not meet(plate, fan([1, 1, 0.5 + low + delta], axis, [0, 1, 0], FULL, 0.2, 1.0, 0.5))
    assert meet(plate, fan([1, 1, 0.5 + low - delta], axis, [0, 1, 0], FULL, 0.2, 1.0, 0.5))


@pytest.mark.plain
def test_touching_counts() -> None:
    drum = fan(half_angle=FULL, inner=0.0, outer=1.0, height=1.0)
    assert meet(drum, fan([0, 0, 2], [0, 0, -1], [1, 0, 0], FULL, 0.0, 1.0, 1.0))
    assert meet(drum, fan([1.5, 0, 2], [0, 0, 1], [0, 1, 0], FULL, 0.0, 1.0, 1.0))
    assert meet(drum, fan([0, 0, 0], [1, 0, 0], [0, 1, 0], 0.0, 0.0, 0.0, 0.0))
    assert meet(drum, drum)


@pytest.mark.plain
@pytest.mark.parametrize("half_angle", [0.0, 1e-12, 1.0, FULL])
@pytest.mark.parametrize("inner", [0.0, 2.0])
@pytest.mark.parametrize("height", [0.0, 1.0])
def test_degenerate_fans_meet_what_stands_across_them(half_angle: float, inner: float, height: float) -> None:
    """Lines, plates and shells: a drum around the middle of the outer arc holds a point of each."""
    thin = fan(half_angle=half_angle, inner=inner, outer=2.0, height=height)
    for axis in ([0, 0, 1], [0, 0, -1], [1, 0, 0], [1, 1, 1]):
        assert meet(thin, fan([2, 0, 0], axis, [0, 1, 0.1], FULL, 0.0, 0.5, 0.5))
        assert not meet(thin, fan([2.8, 0, 0], axis, [0, 1, 0.1], FULL, 0.0, 0.5, 0.5))


def random_fans(n: int, rng: np.random.Generator, spread: float) -> ougi.Sector3d:
    inner = rng.uniform(0, 1, n) * rng.choice([0.0, 1.0], n)
    return ougi.Sector3d(
        rng.normal(size=(n, 3)) * spread,
        rng.normal(size=(n, 3)),
        rng.normal(size=(n, 3)),
        np.where(rng.random(n) < 0.3, FULL, rng.uniform(0.1, FULL, n)),
        inner,
        inner + rng.uniform(0.1, 1, n),
        rng.uniform(0.05, 2, n),
    )


def points_in(one: Any, k: int) -> tuple[Floats, float]:
    """A grid of points of a single fan, and how far another point of it can be from the next of them."""
    angle = np.linspace(-1, 1, k) * one.half_angle
    rho = np.linspace(one.inner_radius, one.outer_radius, k)
    z = np.linspace(-1, 1, k) * one.half_height
    t, r, h = (v.ravel() for v in np.meshgrid(angle, rho, z, indexing="ij"))
    third = np.cross(one.axis, one.direction)
    flat = np.cos(t)[:, None] * one.direction + np.sin(t)[:, None] * third
    steps = (one.half_angle * one.outer_radius, (one.outer_radius - one.inner_radius) / 2, one.half_height)
    return one.center + r[:, None] * flat + h[:, None] * one.axis, math.hypot(*steps) / (k - 1)


def test_random_pairs_against_grids_of_points() -> None:
    """A point in both is a hit; if all points of a grid are farther than its mesh, it is a miss."""
    n, k = 1_500, 13
    rng = np.random.default_rng(8)
    a, b = random_fans(n, rng, 0.7), random_fans(n, rng, 1.3)
    hit = ougi.intersects(a, b)
    proved = [0, 0]
    for i in range(n):
        points, mesh = points_in(b[i], k)
        lowest = float(ougi.distance(a[i], points).min())
        if lowest == 0:
            assert hit[i], i
            proved[1] += 1
        elif lowest > mesh:
            assert not hit[i], i
            proved[0] += 1
    assert min(proved) > n / 5


@given(st.integers(0, 2**32 - 1))
def test_moving_both_and_growing_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_fans(50, rng, 0.7), random_fans(50, rng, 1.3)
    hit = ougi.intersects(a, b)
    motion = ougi.Screw3d(rng.normal(size=3), rng.normal(size=3), 2.1, 0.7)
    assert np.array_equal(ougi.intersects(a.transformed(motion), b.transformed(motion)), hit)
    assert np.array_equal(ougi.intersects(b, a), hit)
    grown = ougi.Sector3d(
        b.center,
        b.axis,
        b.direction,
        np.minimum(b.half_angle * 1.1, FULL),
        b.inner_radius * 0.9,
        b.outer_radius * 1.1,
        b.half_height * 1.1,
    )
    assert ougi.intersects(a, grown)[hit].all()


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-15, 1e-12]), st.sampled_from([1.0, -1.0]))
def test_parallel_axes_are_slabs_and_planar_fans(seed: int, tilt: float, sense: float) -> None:
    """Heights must overlap, and fans in the plane; where a change of 1e-9 changes that, all is allowed."""
    rng = np.random.default_rng(seed)
    n = 60
    a, b = random_fans(n, rng, 0.7), random_fans(n, rng, 1.0)
    toward = np.c_[rng.normal(size=(n, 2)), np.zeros(n)]
    a = ougi.Sector3d(
        a.center, [0, 0, 1], toward, a.half_angle, a.inner_radius, a.outer_radius, a.half_height
    )
    axis = sense * (np.array([0.0, 0.0, 1.0]) + tilt * rng.normal(size=(n, 3)))
    b = ougi.Sector3d(
        b.center, axis, toward[::-1], b.half_angle, b.inner_radius, b.outer_radius, b.half_height
    )

    def flat(f: Any, more: float) -> ougi.Sector2d:
        inner, angle = np.maximum(f.inner_radius - more, 0.0), np.minimum(f.half_angle + more, FULL)
        return ougi.Sector2d(f.center[:, :2], f.direction[:, :2], angle, inner, f.outer_radius + more)

    over = np.abs(a.center[:, 2] - b.center[:, 2]) - a.half_height - b.half_height
    lowest = ougi.intersects(flat(a, 0.0), flat(b, -1e-9)) & (over < -1e-9)
    limit = ougi.intersects(flat(a, 0.0), flat(b, 1e-9)) & (over < 1e-9)
    hit = ougi.intersects(a, b)
    assert hit[lowest].all()
    assert not hit[~limit].any()
