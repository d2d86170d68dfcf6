"""The certificates themselves, on cases with known answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.shapes import Shape
from ougi_lab.scenes.cores import extract_core
from ougi_lab.scenes.pairs import CLASSES, FAMILIES, draw_pairs, draw_shapes, translate
from ougi_lab.verify.certificates import band, certify, compute_distance, gap, largest_gap


def _depth(a: Any, b: Any) -> float:
    x, y = extract_core(a.reshape((1,))), extract_core(b.reshape((1,)))
    return -float(largest_gap(x, y, np.ones((a.dimension, 1)))[0])


def test_depth_of_axis_aligned_boxes() -> None:
    assert _depth(ougi.Aabb3d([0, 0, 0], [2, 2, 2]), ougi.Aabb3d([1.5, 1, 1], [4, 4, 4])) == 0.5
    assert _depth(ougi.Aabb2d([0, 0], [2, 2]), ougi.Aabb2d([1, 1.75], [4, 4])) == 0.25


def test_depth_of_crossing_segments() -> None:
    assert _depth(ougi.Segment2d([-1, 0], [3, 0]), ougi.Segment2d([0, -2], [0, 2])) == 1
    assert _depth(ougi.Segment3d([-1, 0, 0], [3, 0, 0]), ougi.Segment3d([0, -2, 0], [0, 2, 0])) == 0


def test_bodies_on_one_line_have_no_depth() -> None:
    line = ougi.Segment3d([0, 0, 0], [2, 2, 2])
    assert _depth(line, ougi.Segment3d([1, 1, 1], [3, 3, 3])) == pytest.approx(0, abs=1e-15)
    assert _depth(line, ougi.Triangle3d([1, 1, 1], [1, 1, 1], [0, 0, 0])) == pytest.approx(0, abs=1e-15)


def test_distance_of_a_point_from_a_sliver() -> None:
    sliver = extract_core(ougi.Triangle3d([[0, 0, 0]], [[4, 0, 0]], [[2, 1e-13, 0]]))
    points = np.array([[2.0, 0, 3]]).T
    assert compute_distance(sliver, points)[0] == 3
    assert compute_distance(sliver, np.array([[7.0, 0, 4]]).T)[0] == 5


def test_point_of_a_hull_whose_triangles_leave_out_a_part() -> None:
    # Those of Qhull do for needles. Here most of a cube are missing, and rounding moved its corners.
    cube = extract_core(ougi.ConvexHull3d([[[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]]))
    assert cube.triangles is not None
    incomplete = replace(cube, triangles=cube.triangles[:1])
    corners = incomplete.corners[:, :, 0] * (1 + 2.0**-52)
    for corner in corners:
        assert compute_distance(incomplete, corner[:, None])[0] < 1e-15
    assert compute_distance(incomplete, 3 * corners[0][:, None])[0] > 0.5


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("family", FAMILIES)
def test_corners_belong_to_their_shape_and_bounds_are_supports(cls: type[Shape], family: str) -> None:
    shape = draw_shapes(cls, 200, np.random.default_rng(0), family)
    core = extract_core(shape)
    width = band(core, core)
    for corner in core.corners:
        assert (compute_distance(core, corner) <= width).all()
    bounds = shape.bounds()
    for i in range(cls.dimension):
        upper = (core.origin[i] + core.corners[:, i]).max(axis=0) + core.radius
        assert (np.abs(upper - bounds.upper[:, i]) <= width).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_cases_are_seeded(family: str) -> None:
    first = draw_pairs(ougi.Sphere, ougi.Box, 50, np.random.default_rng(1), family)
    again = draw_pairs(ougi.Sphere, ougi.Box, 50, np.random.default_rng(1), family)
    assert first == again
    assert first != draw_pairs(ougi.Sphere, ougi.Box, 50, np.random.default_rng(2), family)


@pytest.mark.parametrize("cls", [ougi.Circle, ougi.Rectangle, ougi.Sphere, ougi.Box, ougi.Capsule3d])
def test_about_half_of_ordinary_pairs_overlap(cls: type[Shape]) -> None:
    a, b = draw_pairs(cls, cls, 2_000, np.random.default_rng(3), "ordinary")
    assert 0.3 < ougi.intersects(a, b).mean() < 0.8


def test_moving_changes_only_the_place() -> None:
    box = draw_shapes(ougi.Box, 20, np.random.default_rng(4))
    there = translate(box, np.ones((20, 3)))
    assert (there.rotation == box.rotation).all()
    assert (there.center == box.center + 1).all()


def test_any_direction_bounds_the_distance() -> None:
    a, b = draw_pairs(ougi.Triangle3d, ougi.Box, 500, np.random.default_rng(5), "ordinary")
    x, y = extract_core(a), extract_core(b)
    n = np.random.default_rng(6).normal(size=(3, 500))
    n /= np.linalg.norm(n, axis=0)
    apart = ougi.closest_points(a, b).distance
    free = apart > 0
    assert (gap(x, y, n)[free] <= apart[free] + band(x, y)[free]).all()


def test_a_right_answer_is_proved_and_a_wrong_one_refuted() -> None:
    a, b = extract_core(ougi.Sphere([[0, 0, 0]], 1)), extract_core(ougi.Sphere([[4, 0, 0]], 1))
    e = np.array([[1.0], [0], [0]])
    right = certify(a, b, np.array([2.0]), e, e, 3 * e)
    assert not right.refuted.any()
    wrong = certify(a, b, np.array([2.1]), e, e, 3.1 * e)
    assert wrong.refuted.all()
