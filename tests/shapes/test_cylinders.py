"""A `Cylinder` gives the results of the whole `Sector3d` that it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi
from ougi_lab.scenes.batches import draw_batch

N = 60
OTHERS = [ougi.Sphere, ougi.Segment3d, ougi.Capsule3d, ougi.Triangle3d, ougi.Box, ougi.Aabb3d, ougi.Sector3d]


def draw_cylinders(seed: int) -> tuple[ougi.Cylinder, ougi.Sector3d]:
    cylinder = draw_batch(ougi.Cylinder, N, seed)
    across = np.cross(cylinder.axis, [0.3, 0.5, 0.7])
    radius, height = cylinder.radius, cylinder.half_height
    return cylinder, ougi.Sector3d(cylinder.center, cylinder.axis, across, np.pi, 0, radius, height)


@pytest.mark.parametrize("other", OTHERS)
def test_tests_are_those_of_the_sector(other: Any) -> None:
    cylinder, sector = draw_cylinders(1)
    target = draw_batch(other, N, 2)
    hit = ougi.intersects(cylinder[:, None], target)
    assert 0.02 < hit.mean() < 0.98
    assert np.array_equal(hit, ougi.intersects(sector[:, None], target))
    assert np.array_equal(hit.T, ougi.intersects(target[:, None], cylinder))


def test_points_inside_fulfil_the_definition() -> None:
    cylinder, _ = draw_cylinders(3)
    points = np.random.default_rng(4).uniform(-2, 2, (500, 3))
    offset = points - cylinder.center[:, None]
    height = (offset * cylinder.axis[:, None]).sum(axis=-1)
    beside = np.linalg.norm(offset - height[..., None] * cylinder.axis[:, None], axis=-1)
    inside = (np.abs(height) <= cylinder.half_height[:, None]) & (beside <= cylinder.radius[:, None])
    assert inside.any()
    assert np.array_equal(ougi.contains(cylinder[:, None], points), inside)


def test_bounds_poses_and_first_contacts_are_those_of_the_sector() -> None:
    cylinder, sector = draw_cylinders(5)
    assert np.allclose(cylinder.bounds().lower, sector.bounds().lower)
    assert np.allclose(cylinder.bounds().upper, sector.bounds().upper)
    ball, other = cylinder.bounding_sphere(), sector.bounding_sphere()
    assert np.allclose(ball.center, other.center)
    assert np.allclose(ball.radius, other.radius)
    turn = ougi.Rotation3d([3, 0, 0], [1, 2, 3], 2.5)
    moved, expected = cylinder.transformed(turn), sector.transformed(turn)
    assert np.allclose(moved.center, expected.center)
    assert np.allclose(moved.axis, expected.axis)
    target = draw_batch(ougi.Box, N, 6).translated([5, 0, 0])
    found, wanted = (ougi.time_of_impact(body, turn, target) for body in (cylinder, sector))
    assert np.array_equal(found.status, wanted.status)
    assert np.allclose(found.t, wanted.t, equal_nan=True)
    assert (found.status == ougi.Status.HIT).any()


def test_worlds_and_sweeps_take_cylinders() -> None:
    world = ougi.World()
    world.add(ougi.Cylinder([0, 0, 0], [0, 0, 1], 0.5, 1), ougi.Translation3d([4, 0, 0]))
    world.add(ougi.Sphere([3, 0, 0], 0.5))
    assert float(world.step(1.0).began.t[0]) == pytest.approx(0.5)
    swept = ougi.sweep(ougi.Cylinder([0, 0, 0], [0, 0, 1], 0.5, 1), ougi.Translation3d([4, 0, 0]))
    assert ougi.contains(swept, [[4.4, 0, 0.9], [4.6, 0, 0.9]]).tolist() == [True, False]


def test_ends_give_the_same_cylinder() -> None:
    cylinder = ougi.Cylinder.from_ends([[0, 0, 0], [1, 0, 0]], [[0, 4, 0], [1, 0, 2]], [1, 2])
    assert cylinder == ougi.Cylinder([[0, 2, 0], [1, 0, 1]], [[0, 1, 0], [0, 0, 1]], [1, 2], [2, 1])
    assert len(cylinder[1].mesh(8).vertices) == 18


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ougi.Cylinder([0, 0, 0], [0, 0, 0], 1, 1), "axis must not have zero length"),
        (lambda: ougi.Cylinder([0, 0, 0], [0, 0, 1], [1, -1], 1), r"radius must not be negative.*index 1"),
        (lambda: ougi.Cylinder([0, 0, 0], [0, 0, 1], 1, np.nan), "half_height must be finite"),
        (lambda: ougi.Cylinder.from_ends([0, 0, 1], [0, 0, 1], 1), "end must differ from start"),
        (
            lambda: ougi.Cylinder([0, 0, 0], [0, 0, 1], 1, height=2),  # type: ignore[call-arg]
            "did you mean 'half_height'",
        ),
    ],
)
def test_bad_input_is_named(make: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make()
