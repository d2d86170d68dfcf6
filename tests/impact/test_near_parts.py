"""Listed pairs of triangles, and contacts that last, against all triangles at many times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi
from ougi.impact.near_parts import follow_contact, list_near_parts, list_windows, make_moving_parts
from ougi.query.trees import get_tree
from ougi_lab.scenes.meshes import draw_small_mesh, make_sphere, make_torus, place_mesh
from ougi_lab.scenes.pairs import rotation_3d

TIMES = np.linspace(0, 1, 41)


def draw_motion(rng: np.random.Generator) -> Any:
    """A translation, turn, screw or chain of them, or rest."""
    axis, center = rng.normal(size=3), rng.normal(size=3)
    kind = rng.integers(5)
    turn = ougi.Rotation3d(center, axis, rng.uniform(-3, 3))
    if kind == 0:
        return None
    if kind == 1:
        return ougi.Translation3d(2 * axis)
    if kind == 2:
        return turn
    if kind == 3:
        return ougi.Screw3d(center, axis, rng.uniform(-6, 6), rng.normal())
    return turn @ ougi.Translation3d(axis) @ ougi.Rotation3d(axis, center, rng.uniform(-2, 2))


def list_triangles(mesh: ougi.Mesh) -> ougi.Triangle3d:
    return ougi.Triangle3d(*np.moveaxis(mesh.vertices[mesh.faces], 1, 0))


def at(mesh: ougi.Mesh, motion: Any, t: float) -> ougi.Mesh:
    return mesh if motion is None else mesh.transformed(motion.at(t))


@pytest.mark.parametrize("seed", range(12))
def test_triangles_that_come_near_are_listed_in_time(seed: int) -> None:
    rng = np.random.default_rng(seed)
    near_cases = 0
    for _ in range(8):
        meshes = [draw_small_mesh(rng, 5), place_mesh(draw_small_mesh(rng, 5), rng.normal(size=3), rng)]
        motions = draw_motion(rng), draw_motion(rng)
        margin = float(rng.choice([0.0, 0.05]))
        sides = [make_moving_parts(mesh, 0, motion, 0) for mesh, motion in zip(meshes, motions, strict=True)]
        found = list_near_parts(sides[0], sides[1], 1e-9, margin, exact=True)
        trees = [get_tree(mesh) for mesh in meshes]
        since = np.full([len(tree.faces) for tree in trees], np.inf)
        since[trees[0].faces[found.a], trees[1].faces[found.b]] = found.t
        for t in TIMES:
            a, b = (list_triangles(at(mesh, motion, t)) for mesh, motion in zip(meshes, motions, strict=True))
            near = np.asarray(ougi.distance(a[:, None], b)) <= margin
            assert (since[near] <= t).all()
            near_cases += int(near.sum())
    assert near_cases > 0


def test_a_body_without_triangles_is_one_part() -> None:
    rng = np.random.default_rng(0)
    mesh = make_torus(12, 8)
    tree, count = get_tree(mesh), 0
    for body in (
        ougi.Sphere([0, 0, 0], 0.2),
        ougi.Capsule3d([0, 0, 0], [0.5, 0.2, 0], 0.1),
        ougi.Box([0, 0, 0], [0.4, 0.2, 0.6], rotation_3d(rng.normal(size=4))),
        ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], np.pi, 0, 0.3, 0.2),
    ):
        for _ in range(6):
            motion, other = draw_motion(rng), draw_motion(rng)
            placed = body.transformed(ougi.Pose(1.3 * rng.normal(size=3)))
            sides = make_moving_parts(placed, 0, motion, 0), make_moving_parts(mesh, 0, other, 0)
            found = list_near_parts(*sides, 1e-9, 0.0, exact=False)
            since = np.full(len(tree.faces), np.inf)
            since[tree.faces[found.b]] = found.t
            for t in TIMES:
                here = placed if motion is None else placed.transformed(motion.at(t))
                near = np.asarray(ougi.intersects(list_triangles(at(mesh, other, t)), here))
                assert (since[near] <= t).all()
                count += int(near.sum())
    assert count > 0


def test_bodies_that_are_far_apart_or_move_together_list_nothing() -> None:
    ball = make_sphere(20, 12)
    far = ball.transformed(ougi.Pose([9, 0, 0]))
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 3.0)
    still = make_moving_parts(ball, 0, None, 0)
    assert not len(list_near_parts(still, make_moving_parts(far, 0, turn, 0), 1e-9, 0.0, exact=True).t)
    near = ball.transformed(ougi.Pose([2.1, 0, 0]))
    both = make_moving_parts(ball, 0, turn, 0), make_moving_parts(near, 0, turn, 0)
    assert not len(list_near_parts(*both, 1e-9, 0.0, exact=True).t)
    assert len(list_near_parts(*both, 1e-9, 0.2, exact=True).t)


def test_a_list_that_does_not_fit_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from ougi.impact import near_parts

    ball = make_sphere(12, 8)
    sides = make_moving_parts(ball, 0, None, 0), make_moving_parts(ball, 0, ougi.Translation3d([1, 0, 0]), 0)
    expected = list_near_parts(*sides, 1e-9, 0.0, exact=True)
    monkeypatch.setattr(near_parts, "_BUFFER", 3)
    found = list_near_parts(*sides, 1e-9, 0.0, exact=True)
    assert all(np.array_equal(x, y) for x, y in zip(found, expected, strict=True))
    pairs = np.stack([found.a, found.b], axis=1)
    assert len(np.unique(pairs, axis=0)) == len(pairs) > 100


@pytest.mark.parametrize("whole", [0, 10**9])
def test_windows_grow_to_the_whole_motion_and_list_all_pairs_until_then(
    whole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ougi.impact import near_parts

    monkeypatch.setattr(near_parts, "_WHOLE", whole)
    monkeypatch.setattr(near_parts, "_BUFFER", 50)
    ball, motion = make_sphere(24, 16), ougi.Translation3d([5, 0, 0])
    sides = (
        make_moving_parts(ball.transformed(ougi.Pose([-3, 0, 0])), 0, motion, 0),
        make_moving_parts(ball, 0, None, 0),
    )
    expected = list_near_parts(*sides, 1e-9, 0.0, exact=True)
    ends = []
    for until, near in list_windows(*sides, 1e-9):
        ends.append(until)
        early = expected.t < until
        assert np.array_equal(np.stack([near.a, near.b]), np.stack([expected.a, expected.b])[:, early])
    assert ends == sorted(set(ends))
    assert ends[-1] == 1.0
    assert (len(ends) == 1) == (whole > 0)


def test_detailed_meshes_have_the_first_contact_of_small_windows_and_of_the_whole_motion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ougi.impact import near_parts

    rng = np.random.default_rng(3)
    ball, hits = make_sphere(30, 20), 0
    monkeypatch.setattr(near_parts, "_BUFFER", 200)
    for _ in range(12):
        target = ball.transformed(ougi.Pose(rng.normal([4, 0, 0])))
        for motion in (ougi.Translation3d([8, 0, 0]), ougi.Rotation3d([2, 0, 0], rng.normal(size=3), 3.0)):
            found = []
            for whole in (0, 10**9):
                monkeypatch.setattr(near_parts, "_WHOLE", whole)
                found.append(ougi.time_of_impact(ball, motion, target))
            windows, once = found
            assert windows.status == once.status
            np.testing.assert_allclose(windows.t, once.t, atol=1e-12)
            hits += int(windows.hit)
    assert hits >= 8


@pytest.mark.parametrize("seed", range(8))
def test_meshes_touch_as_long_as_their_contact_is_followed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lasted = 0
    for _ in range(30):
        meshes = [draw_small_mesh(rng, 5), place_mesh(draw_small_mesh(rng, 5), 0.3 * rng.normal(size=3), rng)]
        motions = draw_motion(rng), draw_motion(rng)
        a, b = (make_moving_parts(mesh, 0, motion, 0) for mesh, motion in zip(meshes, motions, strict=True))
        end, steps = follow_contact(a, b, 1e-7, 4096)
        assert (end > 0) == (steps > 0)
        for t in np.linspace(0, end, 100)[:-1] if end > 0 else ():
            assert ougi.intersects(*(at(mesh, move, t) for mesh, move in zip(meshes, motions, strict=True)))
        lasted += end > 0.01
    assert lasted > 4


def test_a_contact_is_followed_until_its_triangles_part() -> None:
    """A triangle is drawn out of a slit that it cuts into another one, up to a corner: after 1 of 4."""
    flat = ougi.Mesh([[-2, -2, 0], [2, -2, 0], [0, 4, 0]], [[0, 1, 2]])
    blade = ougi.Mesh([[0, 0, -1], [1, 0, 3], [-1, 0, 3]], [[0, 1, 2]])
    for motion in (
        ougi.Translation3d([0, 0, 4]),
        ougi.Chain(ougi.Translation3d([0, 0, 2]), ougi.Translation3d([0, 0, 2])),
    ):
        sides = make_moving_parts(blade, 0, motion, 0), make_moving_parts(flat, 0, None, 0)
        end, _ = follow_contact(*sides, 1e-9, 4096)
        assert end == pytest.approx(0.25, abs=1e-8)
        assert end <= 0.25
        assert follow_contact(*sides, 1e-9, 1)[1] == 1
    apart = make_moving_parts(blade.transformed(ougi.Pose([0, 0, 2])), 0, motion, 0)
    assert follow_contact(apart, sides[1], 1e-9, 4096) == (0.0, 0)


def test_meshes_that_move_as_one_touch_to_the_end() -> None:
    turn = ougi.Rotation3d([1, 2, 0], [0, 0, 1], 3.0)
    ball, other = make_sphere(12, 8), make_sphere(12, 8).transformed(ougi.Pose([0.5, 0, 0]))
    sides = make_moving_parts(ball, 0, turn, 0), make_moving_parts(other, 0, turn, 0)
    assert follow_contact(*sides, 1e-7, 4096)[0] == 1.0
