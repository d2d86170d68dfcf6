"""Meshes against meshes, boxes and triangles: the results of the radar and of certified advancement."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi_lab.scenes.meshes import make_angle_iron, make_box, make_sphere, make_torus, move_mesh
from ougi_lab.scenes.pairs import rotation_3d


def random_motion(rng: np.random.Generator) -> Any:
    kind = rng.integers(3)
    if kind == 0:
        return ougi.Translation3d(rng.normal(size=3) * 2)
    center, axis, angle = rng.normal(size=3), rng.normal(size=3), rng.uniform(-6, 6)
    return (
        ougi.Rotation3d(center, axis, angle) if kind == 1 else ougi.Screw3d(center, axis, angle, rng.normal())
    )


def random_body(rng: np.random.Generator, kind: int) -> Any:
    place = rng.uniform(-1.5, 1.5, 3)
    if kind == 0:
        return ougi.Box(place, rng.uniform(0.3, 1, 3), rotation_3d(rng.normal(size=4)))
    if kind == 1:
        return ougi.Aabb3d(place, place + rng.uniform(0.3, 1, 3))
    if kind == 2:
        return ougi.Triangle3d(*(place + rng.normal(size=(3, 3))))
    mesh = (make_angle_iron(), make_torus(6, 4, 0.6, 0.2), make_sphere(6, 4, 0.5))[int(rng.integers(3))]
    return move_mesh(mesh, rotation_3d(rng.normal(size=4)), place)


def test_the_radar_and_certified_advancement_agree() -> None:
    rng = np.random.default_rng(11)
    seen = set()
    for case in range(60):
        mesh, other = random_body(rng, 3), random_body(rng, case % 4)
        bodies = (mesh, other) if case % 3 else (other, mesh)
        motion = random_motion(rng)
        both = (
            None if case % 5 else motion.scaled(-0.5)
        )  # about one axis: seen from the target it is one motion
        ours = ougi.time_of_impact(bodies[0], motion, bodies[1], both)
        theirs = ougi.time_of_impact(bodies[0], motion, bodies[1], both, method="advancement")
        seen.add(int(ours.status))
        assert ours.status == theirs.status
        if ours.status == 1:
            assert ours.t == pytest.approx(float(theirs.t), abs=1e-6)
            assert ours.point == pytest.approx(theirs.point, abs=1e-5)
    assert seen == {0, 1, 2}


def test_a_mesh_inside_of_a_box_overlaps_and_one_inside_of_a_mesh_does_not() -> None:
    small, slide = make_box((0.2, 0.2, 0.2)), ougi.Translation3d([0, 0, 5])
    assert ougi.time_of_impact(small, slide, ougi.Box([0, 0, 0], [2, 2, 2])).status == 2
    assert ougi.time_of_impact(ougi.Box([0, 0, 0], [2, 2, 2]), slide, small).status == 2
    inside = ougi.time_of_impact(small, slide, make_box((2, 2, 2)))
    assert inside.status == 1
    assert inside.t == pytest.approx(0.9 / 5, abs=1e-14)


def test_one_of_two_pieces_inside_of_a_box_is_enough() -> None:
    one, other = make_box((0.2, 0.2, 0.2)), move_mesh(make_box(), np.eye(3), np.array([9.0, 0, 0]))
    both = ougi.Mesh(
        np.concatenate([other.vertices, one.vertices]), np.concatenate([other.faces, one.faces + 8])
    )
    assert (
        ougi.time_of_impact(both, ougi.Translation3d([0, 0, 1]), ougi.Box([0, 0, 0], [2, 2, 2])).status == 2
    )


def test_batches_and_pairs_answer_as_singles() -> None:
    mesh = make_torus(8, 6)
    boxes = ougi.Box([[0.0, 0, 3], [0.0, 1, 4], [9.0, 9, 9], [1.0, 0, 0]], [0.5, 0.5, 0.5])
    motions = ougi.Screw3d([0, 3, 0], [1, 0, 0], [[1.0], [-2.0]], 0.3)
    impact = ougi.time_of_impact(mesh, motions, boxes)
    assert impact.t.shape == (2, 4)
    for i in range(2):
        for j in range(4):
            one = ougi.time_of_impact(mesh, motions[i, 0], boxes[j])
            assert one.status == impact.status[i, j]
            assert np.array_equal(one.t, impact.t[i, j], equal_nan=True)
    listed = ougi.time_of_impact(mesh, motions[:, 0], boxes, pairs=[[1, 0], [0, 3]])
    assert listed.status.tolist() == [impact.status[1, 0], impact.status[0, 3]]


def test_motions_that_the_radar_does_not_take_are_advanced() -> None:
    near, far = make_box(), move_mesh(make_box(), np.eye(3), np.array([0, 0, 3.0]))
    assert ougi.time_of_impact(near, ougi.Translation3d([0, 0, 0]), far).status == 0
    nearly_straight = ougi.Screw3d([5, 0, 0], [0, 0, 1], 1e-9, 5.0)
    assert ougi.time_of_impact(near, nearly_straight, far).t == pytest.approx(0.4, abs=1e-8)
    apart = ougi.time_of_impact(near, ougi.Translation3d([0, 0, 5]), far, margin=0.5)
    assert apart.t == pytest.approx(0.3, abs=1e-8)
    crossing = ougi.time_of_impact(
        near, ougi.Translation3d([0, 0, 5]), far, ougi.Rotation3d([0, 0, 3], [0, 0, 1], math.pi)
    )
    assert crossing.t == pytest.approx(0.4, abs=1e-8)


def test_a_mesh_without_faces_is_named() -> None:
    empty = ougi.Mesh(np.eye(3), np.empty((0, 3), int))
    with pytest.raises(ValueError, match="without faces touches nothing"):
        ougi.time_of_impact(empty, ougi.Translation3d([0, 0, 1]), make_box())
