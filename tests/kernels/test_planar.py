"""Roots of quadratics, crossings and containment in the plane."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from ougi.kernels.constants import EVERYWHERE
from ougi.kernels.planar import (
    circle_circle_crossings,
    in_rectangle,
    in_triangle,
    segment_circle_crossings,
    segment_crossing,
    segments_touch,
)
from ougi.kernels.records import Circle, Triangle2d, Vec2
from ougi.kernels.roots import discriminant, quadratic_roots

Corner = tuple[float, float]


def vec(p: Corner) -> Vec2:
    return Vec2(float(p[0]), float(p[1]))


# --- roots ----------------------------------------------------------------------------------------------


def test_two_roots_come_in_order() -> None:
    assert quadratic_roots(1.0, -1.5, 2.0) == (2, 1.0, 2.0)
    assert quadratic_roots(-1.0, 1.5, -2.0) == (2, 1.0, 2.0)


def test_a_small_root_beside_a_large_one_keeps_all_its_digits() -> None:
    roots = quadratic_roots(1.0, -5e7, 1.0)  # the schoolbook formula gives 7.45e-9
    assert roots.low == pytest.approx(1e-8, rel=1e-15)
    assert roots.high == pytest.approx(1e8, rel=1e-15)


def test_nearly_equal_roots_are_distinguished() -> None:
    a, b, c = 94906265.625, 94906267.0, 94906268.375  # Kahan's: b^2 - a c = 1.89 is lost in rounding
    exact = Fraction(b) ** 2 - Fraction(a) * Fraction(c)
    assert discriminant(a, b, c) == float(exact)
    roots = quadratic_roots(a, -b, c)
    assert roots.low == 1.0
    assert roots.high == pytest.approx(1.000000028975958, abs=1e-15)


def test_a_double_root_counts_once() -> None:
    assert quadratic_roots(4.0, -6.0, 9.0) == (1, 1.5, 1.5)
    assert quadratic_roots(1.0, 0.0, 0.0) == (1, 0.0, 0.0)


def test_without_a_square_a_line_remains() -> None:
    assert quadratic_roots(0.0, 2.0, -8.0) == (1, 2.0, 2.0)


def test_a_constant_has_no_root_or_every_number() -> None:
    assert quadratic_roots(0.0, 0.0, 3.0).number == 0
    assert quadratic_roots(0.0, 0.0, 0.0).number == EVERYWHERE


def test_nothing_real_and_nan_have_no_roots() -> None:
    for coefficients in ((1.0, 0.0, 1.0), (math.nan, 1.0, 1.0), (1.0, math.nan, 1.0), (1.0, 1.0, math.nan)):
        roots = quadratic_roots(*coefficients)
        assert roots.number == 0
        assert math.isnan(roots.low)
        assert math.isnan(roots.high)


def test_roots_agree_with_fractions() -> None:
    rng = np.random.default_rng(1)
    for _ in range(2000):
        x, y = (Fraction(int(k), 1 << int(rng.integers(0, 20))) for k in rng.integers(-999, 1000, 2))
        a = int(rng.integers(1, 1000)) * int(rng.choice([-1, 1]))
        b, c = -a * (x + y) / 2, a * x * y
        assert Fraction(float(b)) == b
        assert Fraction(float(c)) == c
        roots = quadratic_roots(float(a), float(b), float(c))
        assert roots.number == (1 if x == y else 2)
        assert roots.low == pytest.approx(float(min(x, y)), rel=1e-15, abs=0)
        assert roots.high == pytest.approx(float(max(x, y)), rel=1e-15, abs=0)


# --- segments -------------------------------------------------------------------------------------------


def side(p: Corner, q: Corner, r: Corner) -> int:
    """Exact: does r lie to the left (1) or to the right (-1) of pq, or on its line (0)?"""
    (px, py), (qx, qy), (rx, ry) = ([Fraction(v) for v in point] for point in (p, q, r))
    area = (qx - px) * (ry - py) - (qy - py) * (rx - px)
    return (area > 0) - (area < 0)


def on_segment(p: Corner, q: Corner, r: Corner) -> bool:
    return (
        side(p, q, r) == 0
        and min(p[0], q[0]) <= r[0] <= max(p[0], q[0])
        and min(p[1], q[1]) <= r[1] <= max(p[1], q[1])
    )


def have_common_point(e: Corner, f: Corner, g: Corner, h: Corner) -> bool:
    """An end on the other segment, or a proper crossing."""
    return (
        on_segment(e, f, g)
        or on_segment(e, f, h)
        or on_segment(g, h, e)
        or on_segment(g, h, f)
        or (side(e, f, g) * side(e, f, h) < 0 and side(g, h, e) * side(g, h, f) < 0)
    )


def test_segments_on_a_grid_touch_as_exact_arithmetic_says() -> None:
    """All pairs of segments on a small grid: parallel, collinear, touching and reduced to points."""
    grid = list(product(range(3), range(3)))
    for e, f, g, h in product(grid, grid, grid, grid):
        expected = have_common_point(e, f, g, h)
        assert segments_touch(vec(e), vec(f), vec(g), vec(h)) == expected, (e, f, g, h)
        crossing = segment_crossing(vec(e), vec(f), vec(g), vec(h))
        assert crossing.hit == expected
        if expected:
            on_gh = np.add(g, crossing.t * np.subtract(h, g))
            assert np.allclose(crossing.point, on_gh, rtol=0, atol=1e-15), (e, f, g, h)
            assert 0.0 <= crossing.s <= 1.0
            assert 0.0 <= crossing.t <= 1.0
        else:
            assert math.isnan(crossing.s)


@pytest.mark.parametrize(
    ("f", "g", "h", "s"),
    [
        ((1, 1), (0, 1), (2, 0), 2 / 3),  # (2.34) as printed gives s = 2: missed
        ((1, 1), (1, 0), (0, 1), 1 / 2),  # its denominator is 0
    ],
)
def test_crossings_that_the_printed_denominator_misses(f: Corner, g: Corner, h: Corner, s: float) -> None:
    crossing = segment_crossing(Vec2(0.0, 0.0), vec(f), vec(g), vec(h))
    assert crossing.hit
    assert crossing.s == pytest.approx(s, abs=1e-15)
    assert crossing.point == pytest.approx((s * f[0], s * f[1]), abs=1e-15)


def test_the_printed_denominator_would_see_a_crossing_that_is_none() -> None:
    assert not segment_crossing(Vec2(0.0, 0.0), Vec2(0.0, 1.0), Vec2(1.0, 3.0), Vec2(0.0, 2.0)).hit


def test_crossing_points_agree_with_fractions() -> None:
    rng = np.random.default_rng(2)
    hits = 0
    for e, f, g, h in rng.uniform(-1, 1, (2000, 4, 2)).tolist():
        crossing = segment_crossing(vec(e), vec(f), vec(g), vec(h))
        assert crossing.hit == have_common_point(e, f, g, h)
        if crossing.hit:
            hits += 1
            ex, ey, fx, fy, gx, gy, hx, hy = (Fraction(v) for v in (*e, *f, *g, *h))
            den = (fx - ex) * (hy - gy) - (fy - ey) * (hx - gx)
            s = ((gx - ex) * (hy - gy) - (gy - ey) * (hx - gx)) / den
            point = (float(ex + s * (fx - ex)), float(ey + s * (fy - ey)))
            assert crossing.point == pytest.approx(point, abs=4e-15 / max(abs(float(den)), 1e-3))
    assert hits > 200


def test_segments_on_one_line_meet_where_the_first_enters_the_second() -> None:
    crossing = segment_crossing(Vec2(0.0, 0.0), Vec2(4.0, 4.0), Vec2(3.0, 3.0), Vec2(1.0, 1.0))
    assert crossing == (True, 0.25, 1.0, (1.0, 1.0))


def test_rounding_does_not_join_distant_segments_of_one_line() -> None:
    rng = np.random.default_rng(3)
    for x, y in rng.uniform(0.1, 1, (2000, 2)).tolist():
        ends = [Vec2(k * x, k * y) for k in (0.1, 0.3, 0.7, 1.1)]
        assert not segments_touch(*ends)
        overlap = segment_crossing(ends[0], ends[2], ends[1], ends[3])
        if overlap.hit:  # the four need not lie exactly on one line
            assert 0.3 * x - 1e-15 <= overlap.point.x <= 0.7 * x + 1e-15


# --- segment and circle ---------------------------------------------------------------------------------

UNIT = Circle(Vec2(0.0, 0.0), 1.0)


def test_a_segment_through_a_circle_crosses_it_twice_in_order() -> None:
    crossings = segment_circle_crossings(Vec2(2.0, 0.0), Vec2(-2.0, 0.0), UNIT)
    assert crossings == (2, (1.0, 0.0), (-1.0, 0.0))


def test_a_segment_that_ends_in_a_circle_crosses_it_once() -> None:
    assert segment_circle_crossings(Vec2(2.0, 0.0), Vec2(0.0, 0.0), UNIT)[:2] == (1, (1.0, 0.0))
    assert segment_circle_crossings(Vec2(0.0, 0.0), Vec2(2.0, 0.0), UNIT)[:2] == (1, (1.0, 0.0))


@pytest.mark.parametrize(
    ("e", "f"),
    [((-0.5, 0), (0.5, 0)), ((2, 0), (3, 0)), ((-2, 2), (2, 2)), ((3, 3), (3, 3)), ((0, 0), (0, 0))],
)
def test_roots_outside_the_segment_are_no_crossings(e: Corner, f: Corner) -> None:
    """Clamped to [0, 1] they would be ends of the segment, off the circle."""
    crossings = segment_circle_crossings(vec(e), vec(f), UNIT)
    assert crossings.number == 0
    assert math.isnan(crossings.first.x)


def test_a_tangent_touches_once() -> None:
    assert segment_circle_crossings(Vec2(-2.0, 1.0), Vec2(2.0, 1.0), UNIT)[:2] == (1, (0.0, 1.0))


def test_a_point_on_the_circle_is_its_own_crossing() -> None:
    assert segment_circle_crossings(Vec2(0.0, 1.0), Vec2(0.0, 1.0), UNIT)[:2] == (1, (0.0, 1.0))


def test_crossings_of_segments_lie_on_the_circle_and_none_is_missed() -> None:
    rng = np.random.default_rng(4)
    for e, f, c in rng.uniform(-2, 2, (3000, 3, 2)).tolist():
        radius = float(rng.uniform(0.1, 2))
        crossings = segment_circle_crossings(vec(e), vec(f), Circle(vec(c), radius))
        for p in (crossings.first, crossings.second)[: crossings.number]:
            assert math.dist(p, c) == pytest.approx(radius, abs=2e-14)
        t = np.linspace(0, 1, 2001)[:, None]
        outside = np.linalg.norm(np.array(e) * (1 - t) + np.array(f) * t - c, axis=1) > radius
        changes = int((outside[1:] != outside[:-1]).sum())
        assert crossings.number == changes or (changes == 0 and crossings.number == 2)


# --- containment ----------------------------------------------------------------------------------------


def test_points_of_a_rectangle_are_in_it_in_either_winding() -> None:
    corners = [Vec2(0.0, 0.0), Vec2(2.0, 1.0), Vec2(1.0, 3.0), Vec2(-1.0, 2.0)]
    for ring in (corners, corners[::-1]):
        for p in (*corners, Vec2(1.0, 0.5), Vec2(0.5, 1.5)):
            assert in_rectangle(p, *ring)
        for p in (Vec2(1.0, 0.0), Vec2(4.0, 2.0), Vec2(-1.0, 0.0), Vec2(2.0, 3.0)):
            assert not in_rectangle(p, *ring)


def test_a_rectangle_without_width_holds_only_its_segment() -> None:
    e, f = Vec2(0.0, 0.0), Vec2(2.0, 2.0)
    assert in_rectangle(Vec2(1.0, 1.0), e, f, f, e)
    assert not in_rectangle(Vec2(3.0, 3.0), e, f, f, e)  # all four products of (2.40) are 0 here
    assert in_rectangle(e, e, e, e, e)
    assert not in_rectangle(f, e, e, e, e)


def test_points_on_a_grid_are_in_triangles_as_exact_arithmetic_says() -> None:
    grid = list(product(range(3), range(3)))
    for a, b, c in product(grid, grid, grid):
        triangle = Triangle2d(vec(a), vec(b), vec(c))
        for p in product(range(-1, 4), range(-1, 4)):
            sides = {side(a, b, p), side(b, c, p), side(c, a, p)}
            if side(a, b, c) == 0:
                expected = on_segment(a, b, p) or on_segment(b, c, p) or on_segment(c, a, p)
            else:
                expected = not {1, -1} <= sides
            assert in_triangle(vec(p), triangle) == expected, (a, b, c, p)


# --- two circles ----------------------------------------------------------------------------------------


def circle(x: float, y: float, radius: float) -> Circle:
    return Circle(Vec2(x, y), radius)


def test_two_circles_cross_twice_left_point_first() -> None:
    crossings = circle_circle_crossings(circle(0.0, 0.0, 5.0), circle(6.0, 0.0, 5.0))
    assert crossings == (2, (3.0, 4.0), (3.0, -4.0))
    crossings = circle_circle_crossings(circle(0.0, 0.0, 5.0), circle(0.0, 6.0, 5.0))  # A_x = B_x
    assert crossings == (2, (-4.0, 3.0), (4.0, 3.0))


@pytest.mark.parametrize(
    ("b", "point"),
    [
        (circle(3.0, 0.0, 1.0), (2.0, 0.0)),  # outside
        (circle(1.0, 0.0, 1.0), (2.0, 0.0)),  # b inside a
        (circle(0.0, -1.0, 3.0), (0.0, 2.0)),  # a inside b
        (circle(0.0, 2.0, 0.0), (0.0, 2.0)),  # b a point of a
    ],
)
def test_tangent_circles_meet_once(b: Circle, point: Corner) -> None:
    assert circle_circle_crossings(circle(0.0, 0.0, 2.0), b)[:2] == (1, point)


@pytest.mark.parametrize(
    "b",
    [
        circle(5.0, 0.0, 1.0),  # apart
        circle(0.5, 0.0, 1.0),  # b inside a
        circle(0.5, 0.0, 9.0),  # a inside b
        circle(0.0, 0.0, 1.0),  # concentric
        circle(1.0, 0.0, 0.0),  # a point
        circle(math.nan, 0.0, 2.0),
    ],
)
def test_circles_that_do_not_meet_have_no_crossing(b: Circle) -> None:
    crossings = circle_circle_crossings(circle(0.0, 0.0, 2.0), b)
    assert crossings.number == 0
    assert math.isnan(crossings.first.x)


def test_equal_circles_meet_everywhere_and_equal_points_once() -> None:
    assert circle_circle_crossings(circle(1.0, 2.0, 3.0), circle(1.0, 2.0, 3.0)).number == EVERYWHERE
    assert circle_circle_crossings(circle(1.0, 2.0, 0.0), circle(1.0, 2.0, 0.0))[:2] == (1, (1.0, 2.0))


def test_crossings_of_circles_lie_on_both() -> None:
    rng = np.random.default_rng(5)
    met = 0
    for ax, ay, bx, by in rng.uniform(-2, 2, (3000, 4)).tolist():
        a, b = (circle(x, y, float(rng.uniform(0, 3))) for x, y in ((ax, ay), (bx, by)))
        crossings = circle_circle_crossings(a, b)
        d = math.dist(a.center, b.center)
        assert crossings.number == (2 if abs(a.radius - b.radius) < d < a.radius + b.radius else 0)
        for p in (crossings.first, crossings.second)[: crossings.number]:
            met += 1
            assert math.dist(p, a.center) == pytest.approx(a.radius, abs=1e-13 / max(d, 1e-2))
            assert math.dist(p, b.center) == pytest.approx(b.radius, abs=1e-13 / max(d, 1e-2))
    assert met > 1000
