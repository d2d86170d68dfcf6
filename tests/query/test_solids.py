"""Cylinders, cones and ellipsoids: closed forms, bad input, and what other parts of the library do with them.

`lab/tests/verify/test_solid.py` proves the results of random pairs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi_lab.scenes.batches import draw_batch

CONE = ougi.Cone([0, 0, 1], [0, 0, 1], 1, 1)  # the base at z = 0, the tip at z = 2
CYLINDER = ougi.Cylinder([0, 0, 1], [0, 0, 1], 1, 1)
EGG = ougi.Ellipsoid([0, 0, 0], [1, 2, 3])
SLANT = 2 / math.sqrt(5)  # the cosine of the angle of the side of the cone


@pytest.mark.parametrize(
    ("shape", "point", "expected"),
    [
        (CYLINDER, [3, 0, 1], 2.0),
        (CYLINDER, [0, 0, 4], 2.0),
        (CYLINDER, [4, 0, 6], 5.0),
        (CYLINDER, [0.5, 0, 1], -0.5),
        (CYLINDER, [0, 0, 1.75], -0.25),
        (CONE, [0, 0, 5], 3.0),
        (CONE, [0, 0, -1], 1.0),
        (CONE, [4, 0, -4], 5.0),
        (CONE, [1, 0, 1], 0.5 * SLANT),
        (CONE, [0, 0, 0.25], -0.25),
        (CONE, [0.25, 0, 1], -0.25 * SLANT),
        (EGG, [0, 0, 5], 2.0),
        (EGG, [0, -5, 0], 3.0),
        (EGG, [0.75, 0, 0], -0.25),
        (EGG, [0, 0, 0], -1.0),
    ],
)
def test_distances_of_points_are_those_of_closed_forms(shape: Any, point: Any, expected: float) -> None:
    assert float(ougi.distance(shape, point)) == pytest.approx(expected, abs=1e-13)
    assert float(ougi.distance(ougi.Sphere(point, 0.125), shape)) == pytest.approx(
        expected - 0.125, abs=1e-13
    )
    near = ougi.closest_points(shape, point)
    assert np.linalg.norm(near.point_a - point) == pytest.approx(abs(expected), abs=1e-9)
    assert bool(ougi.contains(shape, point)) == (expected <= 0)


@pytest.mark.parametrize(
    ("a", "b", "depth"),
    [
        (CYLINDER, ougi.Cylinder([0, 0, 1], [0, 0, -1], 0.5, 3), 1.5),  # all directions across the axis
        (CYLINDER, ougi.Cylinder([0.25, 0, 1], [0, 0, 1], 0.5, 3), 1.25),
        (CYLINDER, ougi.Segment3d([0, 0, -3], [0, 0, 9]), 1.0),
        (CYLINDER, ougi.Box([1, 1, 1], [2, 2, 4]), 1.0),  # an edge on the axis: a quarter of all directions
        (CYLINDER, ougi.Cylinder([0, 1, 2], [1, 0, 0], 1, 2), 1.0),  # a point of the rim on the other axis
        (CONE, ougi.Cylinder([0, 0, 1], [0, 0, 1], 0.5, 0), SLANT),
        (ougi.Ellipsoid([0, 0, 0], [2, 1, 1]), ougi.Segment3d([-2, 0, 0], [2, 0, 0]), 1.0),
        (ougi.Ellipsoid([0, 0, 0], [1, 1, 1]), ougi.Ellipsoid([0, 0, 0], [2, 2, 2]), 3.0),  # all directions
        (ougi.Ellipsoid([0, 0, 1], [2, 2, 2]), CYLINDER, 3.0),
        (ougi.Ellipsoid([3, 0, 1], [2.5, 2.5, 2.5]), CYLINDER, 0.5),
        (
            ougi.Cone([0, -2, -1], [0, -1, 0], 1, 1.5),
            ougi.Cone([0.5, -1, -0.5], [0, 0, 1], 0.5, 0.5),
            0.5 + 1 / math.sqrt(10),
        ),
        (
            ougi.Cone([1.5, 1.5, 1.5], [-1, 0, 0], 1, 1.5),
            ougi.Cone([1.5, 1.5, 1.5], [0, 0, -1], 0, 0.5),
            1.5 / math.sqrt(10),
        ),
    ],
)
def test_depths_with_many_equal_directions_are_those_of_closed_forms(a: Any, b: Any, depth: float) -> None:
    assert float(ougi.distance(a, b)) == pytest.approx(-depth, abs=1e-11)
    assert float(ougi.distance(b, a)) == pytest.approx(-depth, abs=1e-11)
    contact = ougi.contacts(a, b)
    assert float(np.linalg.norm(contact.normal)) == pytest.approx(1.0, abs=1e-14)


def test_a_ball_is_an_ellipsoid() -> None:
    ball = draw_batch(ougi.Sphere, 200, 1)
    round_egg = ougi.Ellipsoid(ball.center, np.stack([ball.radius] * 3, axis=-1), np.full(4, 0.5))
    box = draw_batch(ougi.Box, 200, 2)
    assert np.allclose(ougi.distance(round_egg, box), ougi.distance(ball, box), atol=1e-12)
    assert np.array_equal(ougi.intersects(round_egg, box), ougi.intersects(ball, box))


def test_flat_and_thin_ones_are_discs_and_segments() -> None:
    disc = ougi.Cylinder([0, 0, 0], [0, 0, 1], 1, 0)
    assert float(ougi.distance(disc, ougi.Cone([0, 0, 0], [0, 0, 1], 1, 0).translated([0, 0, 2]))) == 2
    thin = ougi.Cone([0, 0, 0], [1, 0, 0], 0, 2)
    segment = ougi.Segment3d([-2, 0, 0], [2, 0, 0])
    box = draw_batch(ougi.Box, 50, 3).translated([0, 0, 2])
    assert np.allclose(ougi.distance(thin, box), ougi.distance(segment, box), atol=1e-12)


def test_a_corner_on_a_cap_touches_at_the_corner() -> None:
    """Support points of a cap lie on its rim. The points of this contact once were 2 % of the size apart."""
    axis = np.array([2, -1, 2]) / 3
    corner = ougi.Triangle3d(np.array([0.3, 0.2, -0.2]) + axis, 2 * axis, 3 * axis + [0.5, 0, 0])
    near = ougi.closest_points(ougi.Cylinder([0, 0, 0], axis, 1, 1), corner)
    assert abs(float(near.distance)) < 1e-14
    assert near.point_a == pytest.approx(corner.a, abs=1e-14)
    assert near.point_b == pytest.approx(corner.a, abs=1e-14)


def test_a_point_close_to_a_side_is_not_nearest_to_a_chord() -> None:
    """A simplex between two points of the rim lies inside of a cylinder. The distance once was 1e-9."""
    cylinder = ougi.Cylinder(
        [0.2541742673495184, 0.958273281607716, 1.775565052008032],
        [0.08555006637702829, -0.5859098609036926, 0.805847889516813],
        0.2511267783567384,
        0.35724719505312375,
    )
    triangle = ougi.Triangle3d(
        [0.5048514445242838, 0.8566475309554806, 2.118381878957144],
        [0.9886512008611852, -0.48701846228561113, 2.9254353920395797],
        [0.8075582825620429, -0.04219767369152266, 2.202652706279704],
    )
    assert float(ougi.distance(cylinder, triangle)) < 4e-11


def test_rounded_bodies_that_touch_have_one_point() -> None:
    """The direction between the nearest points of the cores must be as precise as the distance."""
    cylinder = ougi.Cylinder(
        [-1.918946077050685, 1.785640230760226, -1.395638587588798],
        [-0.30651300887678995, 0.9339135535079676, -0.18399796184582437],
        0.5450126170448104,
        0.7187966709162006,
    )
    capsule = ougi.Capsule3d(
        [-2.1559634678015613, 2.3419355187674538, -2.7943799151612656],
        [-3.173971433322859, 2.564869711056739, -0.30640798595902685],
        0.15139431258880848,
    )
    near = ougi.closest_points(cylinder, capsule)
    assert float(np.linalg.norm(near.point_b - near.point_a)) < 6e-11


@pytest.mark.parametrize("cls", [ougi.Cylinder, ougi.Cone, ougi.Ellipsoid])
def test_bounds_and_balls_hold_the_support_in_all_directions(cls: Any) -> None:
    shapes = draw_solids(cls, 30, 4)
    bounds, ball = shapes.bounds(), shapes.bounding_sphere()
    for axis in range(3):
        for sign in (-1.0, 1.0):
            far = np.zeros(3)
            far[axis] = 50 * sign
            near = ougi.closest_points(shapes, np.broadcast_to(far, (30, 3))).point_a
            edge = bounds.upper if sign > 0 else bounds.lower
            assert (sign * (edge[:, axis] - near[:, axis]) >= -1e-12).all()
    faces = np.eye(3)
    plate = [ougi.Box([0, 0, 0], 200 * (1 - face) + 1e-9) for face in faces]
    for axis, wall in enumerate(plate):  # a plane that touches the bounds touches the body
        for edge in (bounds.lower, bounds.upper):
            moved = wall.translated(edge[:, axis, None] * faces[axis])
            assert np.abs(ougi.distance(shapes, moved)).max() < 1e-8
    directions = np.random.default_rng(5).normal(size=(40, 3))
    far = 60 * directions / np.linalg.norm(directions, axis=1)[:, None]
    near = ougi.closest_points(shapes[:, None], far).point_a
    reach = np.linalg.norm(near - ball.center[:, None], axis=-1)
    assert (reach <= ball.radius[:, None] + 1e-9).all()


def draw_solids(cls: Any, n: int, seed: int) -> Any:
    if cls is not ougi.Ellipsoid:
        return draw_batch(cls, n, seed)
    box = draw_batch(ougi.Box, n, seed)
    return ougi.Ellipsoid(box.center, box.size / 2, box.rotation)


@pytest.mark.parametrize("cls", [ougi.Cylinder, ougi.Cone, ougi.Ellipsoid])
def test_poses_move_both_bodies_alike(cls: Any) -> None:
    a, b = draw_solids(cls, 40, 6), draw_solids(ougi.Ellipsoid, 40, 7)
    turn = ougi.Screw3d([1, 2, 3], [1, 1, 0], 2.0, 0.5)
    moved = ougi.distance(a.transformed(turn), b.transformed(turn))
    assert np.allclose(moved, ougi.distance(a, b), atol=1e-9)


@pytest.mark.parametrize("cls", [ougi.Cylinder, ougi.Cone, ougi.Ellipsoid])
def test_meshes_are_tested_by_their_triangles(cls: Any) -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    mesh = ougi.Mesh(corners, faces)
    triangles = ougi.Triangle3d(*np.moveaxis(corners[faces], 1, 0))
    shapes = draw_solids(cls, 30, 8)
    hit = ougi.intersects(shapes[:, None], triangles).any(axis=1)
    assert np.array_equal(ougi.intersects(shapes, mesh), hit)
    gaps = ougi.distance(shapes[:, None], triangles).min(axis=1)
    assert np.allclose(ougi.distance(shapes, mesh), np.maximum(gaps, 0.0), atol=1e-9)


@pytest.mark.parametrize("cls", [ougi.Cylinder, ougi.Cone, ougi.Ellipsoid])
def test_half_spaces_touch_the_lowest_point(cls: Any) -> None:
    shapes = draw_solids(cls, 40, 9)
    normal = np.array([0.6, 0.0, 0.8])
    floor = ougi.HalfSpace3d(normal, -0.3)
    low = ougi.closest_points(shapes, -1e3 * np.broadcast_to(normal, (40, 3))).point_a
    assert np.allclose(ougi.distance(shapes, floor), low @ normal + 0.3, atol=1e-3)
    wall = ougi.Box(-1.3 * normal, [400, 400, 2], np.c_[[0.8, 0, -0.6], [0, 1, 0], normal])
    gap = ougi.distance(shapes, wall)
    apart = gap > 0
    assert apart.any()
    assert np.allclose(ougi.distance(shapes, floor)[apart], gap[apart], atol=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ougi.Cone([0, 0, 0], [0, 0, 0], 1, 1), "axis must not have zero length"),
        (lambda: ougi.Cone([0, 0, 0], [0, 0, 1], -1, 1), "radius must not be negative"),
        (lambda: ougi.Cone.from_ends([1, 1, 1], [1, 1, 1], 1), "end must differ from start"),
        (lambda: ougi.Cone([0, 0, 0], [0, 0, 1], 1, 1).mesh(2), "n must be at least 3"),
        (lambda: ougi.Ellipsoid([0, 0, 0], [1, -1, 1]), "radii must not be negative"),
        (lambda: ougi.Ellipsoid([0, 0, 0], [1, 1, np.inf]), "radii must be finite"),
        (lambda: ougi.Ellipsoid([0, 0, 0], 1), "radii must have 3 components"),
    ],
)
def test_bad_input_is_named(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
