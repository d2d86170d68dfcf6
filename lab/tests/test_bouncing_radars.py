"""The bouncing spheres of RADAR 4.3, and the audit that knows nothing of radars."""

from __future__ import annotations

import numpy as np
import pytest

import ougi
from ougi.errors import InvalidInputError
from ougi_lab.reproduce.page import load_committed_runs
from ougi_lab.scenes.bouncing_radars import (
    EDGE,
    MARGIN,
    RADIUS,
    SPHERES,
    BouncingRadars,
    difference_planes,
    make_cube,
    simulate_radars,
)


def test_the_scene_is_that_of_the_paper() -> None:
    world = BouncingRadars(movers=10, seed=1)
    assert len(world.scene) == SPHERES + 1
    assert len(world.shape.faces) == 128
    assert world.scene.faces.shape[0] == 50 * 128 + 12  # the cube's six polygons are twelve faces
    assert (np.abs(world.center) < EDGE / 2 - RADIUS).all()
    speed = np.linalg.norm(world.velocity, axis=1)
    assert len(speed) == 10
    assert 5 <= speed.min() < speed.max() <= 20
    assert min(world.audit()) > 0


@pytest.mark.parametrize("movers", [10, 50])
def test_no_sphere_passes_a_wall_or_another(movers: int) -> None:
    result = simulate_radars(movers, 60, seed=2)
    assert result["overlaps"] == result["outside"] == result["stuck"] == 0
    assert result["bounces"] > movers / 2
    assert min(result["least_gap"], result["least_wall"]) == pytest.approx(MARGIN, rel=0.05)
    assert result["energy"] == pytest.approx(1, abs=1e-12)


@pytest.mark.slow
def test_no_sphere_does_in_ten_thousand_frames() -> None:
    result = simulate_radars(50, 10_000, seed=3)
    assert result["overlaps"] == result["outside"] == result["stuck"] == 0


def test_spheres_at_rest_stay_where_they_are() -> None:
    world = BouncingRadars(movers=10, seed=4)
    before = world.center.copy()
    for _ in range(10):
        world.step()
    assert np.array_equal(world.center[10:], before[10:])
    assert (world.center[:10] != before[:10]).any(axis=1).all()


def test_a_sphere_bounces_off_a_wall_and_off_another() -> None:
    world = BouncingRadars(movers=1, seed=5)
    world.center[:] += 3000.0 * (np.arange(SPHERES) > 1)[:, None]  # out of the way
    world.center[0], world.center[1] = [0, 0, 440], [0, 200, 0]
    world.velocity[0] = [0, 0, 20]
    for _ in range(3):
        world._place_spheres()
        world.step()
    assert world.velocity[0] == pytest.approx([0, 0, -20])
    assert world.center[0, 2] < 460
    world.center[0], world.velocity[0] = [0, 110, 0], [0, 20, 0]
    world._place_spheres()
    world.step()
    assert world.velocity[0, 1] < 0
    gap = 90 - 2 * RADIUS * np.sin(np.radians(80))  # the widest rings of corners lie at 80 degrees
    assert world.center[0, 1] - 110 == pytest.approx(gap, abs=1e-3)


def test_the_published_rule_lets_spheres_into_walls() -> None:
    result = simulate_radars(50, 12, seed=2, mode="published", pixels=50)
    assert result["outside"] + result["overlaps"] > 0


def test_the_audit_agrees_with_distances_of_meshes() -> None:
    rng = np.random.default_rng(6)
    normals, reach = difference_planes()
    world = BouncingRadars(movers=1, seed=6)
    far = world.shape
    for _ in range(10):
        direction = rng.normal(size=3)
        direction *= rng.uniform(2.0 * RADIUS * 0.96, 2.05 * RADIUS) / np.linalg.norm(direction)
        gap = float((normals @ direction - reach).max())
        other = far.transformed(ougi.Pose(direction))
        assert bool(ougi.intersects(far, other)) == (gap <= 0)
        if gap > 0:
            assert gap <= float(ougi.distance(far, other)) + 1e-9


def test_the_audit_sees_overlaps_and_walls() -> None:
    world = BouncingRadars(movers=1, seed=7)
    world.center[1] = world.center[0] + [70.0, 0, 0]
    assert world.audit().spheres < -5
    world.center[0] = [0, 0, EDGE / 2 - RADIUS + 1]
    assert world.audit().walls == pytest.approx(-1)
    assert make_cube().bounds().upper.tolist() == [EDGE / 2] * 3


def test_ten_thousand_frames_are_committed_runs() -> None:
    audits = load_committed_runs()["radar"]["numbers"]["many"]["audits"]
    exact = [audit for audit in audits if audit["mode"] == "exact"]
    assert [audit["movers"] for audit in exact] == [10, 50]
    for audit in exact:
        assert audit["frames"] == 10_000
        assert audit["overlaps"] == audit["outside"] == audit["stuck"] == 0


@pytest.mark.parametrize("movers", [0, 51])
def test_bad_numbers_of_movers_are_refused(movers: int) -> None:
    with pytest.raises(InvalidInputError, match="movers must be 1 to 50"):
        BouncingRadars(movers, seed=0)
