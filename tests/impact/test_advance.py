"""Certified advancement: chains and meshes against dense sub-stepping, against kernels, against FCL."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import ougi
from ougi.impact import advancement as module
from ougi.impact.contacts import make_free, write_earlier

Floats = NDArray[np.float64]

advance = functools.partial(ougi.time_of_impact, method="advancement")


def arm(rng: np.random.Generator, n: int, joints: int = 3, size: float = 1.5) -> tuple[ougi.Chain, Any]:
    """Random chains of turns and moves, and their poses by SciPy, which shares no code with them."""
    factors: list[Any] = []
    for _ in range(joints):
        axis = rng.normal(size=(n, 3))
        axis /= np.linalg.norm(axis, axis=1, keepdims=True)
        center, angle = rng.uniform(-size, size, (n, 3)), rng.uniform(-2, 2, n)
        factors.append((center, axis, angle, np.where(rng.random(n) < 0.5, 0.0, rng.uniform(-1, 1, n))))
    chain = ougi.Chain(*(ougi.Screw3d(*factor) for factor in factors))

    def pose(t: Floats) -> tuple[Floats, Floats]:
        rotation, position = np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3))
        for center, axis, angle, along in reversed(factors):
            turn = Rotation.from_rotvec(axis * (angle * t)[:, None]).as_matrix()
            position = (turn @ (position - center)[..., None])[..., 0] + center + axis * (along * t)[:, None]
            rotation = turn @ rotation
        return position, rotation

    return chain, pose


def spots(rng: np.random.Generator, n: int) -> Floats:
    return rng.uniform(-1.6, 1.6, (n, 3))


def turns(rng: np.random.Generator, n: int) -> Rotation:
    return Rotation.random(n, random_state=int(rng.integers(2**31)))


KINDS: dict[str, Any] = {
    "point": lambda rng, n: spots(rng, n),
    "ball": lambda rng, n: ougi.Sphere(spots(rng, n), rng.uniform(0.05, 0.6, n)),
    "segment": lambda rng, n: ougi.Segment3d(p := spots(rng, n), p + rng.normal(size=(n, 3))),
    "capsule": lambda rng, n: ougi.Capsule3d(p := spots(rng, n), p + rng.normal(size=(n, 3)), 0.2),
    "triangle": lambda rng, n: ougi.Triangle3d(p := spots(rng, n), p + rng.normal(size=(n, 3)), p + 0.5),
    "box": lambda rng, n: ougi.Box(spots(rng, n), rng.uniform(0.1, 1, (n, 3)), turns(rng, n)),
    "aabb": lambda rng, n: ougi.Aabb3d(p := spots(rng, n), p + rng.uniform(0.1, 1, (n, 3))),
}


def move_shape(shape: Any, position: Floats, rotation: Floats) -> Any:
    """A shape at poses given as arrays."""
    pose = ougi.Pose(position, rotation)
    return pose.apply(shape) if isinstance(shape, np.ndarray) else shape.transformed(pose)


def assert_first(impact: ougi.FirstContacts, gap_at: Any, scale: float, tol: float = 1e-9) -> None:
    """Nothing touches before the reported time, and there it does. Without a report nothing touches."""
    n = len(impact.t)
    assert (gap_at(np.zeros(n)) > 0)[impact.status != 2].all()
    assert (gap_at(np.zeros(n)) <= 1e-12)[impact.status == 2].all()
    hit = impact.status == 1
    at = gap_at(np.where(hit, impact.t, 0.0))[hit]
    assert (at > -1e-12).all()
    assert (at <= tol * scale).all()
    until = np.where(np.isnan(impact.t), 1.0, impact.t)
    for share in np.linspace(0, 1, 200, endpoint=False):
        assert (gap_at(share * until) > 0)[impact.status != 2].all(), share
    assert (gap_at(np.ones(n)) > 0)[impact.status == 0].all()


@pytest.mark.parametrize("pair", list(itertools.combinations_with_replacement(KINDS, 2)), ids="-".join)
def test_chains_hit_first_when_dense_steps_do(pair: tuple[str, str]) -> None:
    n = 40
    rng = np.random.default_rng([len(pair[0]), len(pair[1]), 5])
    a, b = (KINDS[kind](rng, n) for kind in pair)
    chain, pose = arm(rng, n)
    impact = ougi.time_of_impact(a, chain, b)
    assert set(np.unique(impact.status)) <= {0, 1, 2}
    assert_first(impact, lambda t: ougi.distance(move_shape(a, *pose(t)), b), scale=30.0)


@pytest.mark.parametrize("kinds", [("ball", "box"), ("capsule", "triangle"), ("box", "box")], ids="-".join)
def test_both_bodies_may_move_by_chains(kinds: tuple[str, str]) -> None:
    n = 60
    rng = np.random.default_rng([len(kinds[0]), 11])
    a, b = (KINDS[kind](rng, n) for kind in kinds)
    (one, pose_a), (other, pose_b) = arm(rng, n), arm(rng, n, joints=2)
    impact = ougi.time_of_impact(a, one, b, other)
    assert {0, 1} <= set(np.unique(impact.status)) <= {0, 1, 2}
    assert_first(
        impact, lambda t: ougi.distance(move_shape(a, *pose_a(t)), move_shape(b, *pose_b(t))), scale=60.0
    )


def test_point_and_normal_are_where_the_bodies_touch() -> None:
    n = 200
    rng = np.random.default_rng(8)
    a, b = KINDS["box"](rng, n), KINDS["ball"](rng, n)
    chain, pose = arm(rng, n)
    impact = ougi.time_of_impact(a, chain, b)
    hit = impact.status == 1
    assert hit.sum() > 10
    point, normal = impact.point[hit], impact.normal[hit]
    np.testing.assert_allclose(point, b.center[hit] - b.radius[hit, None] * normal, atol=1e-9)
    position, rotation = pose(np.where(hit, impact.t, 0.0))
    near = ougi.distance(move_shape(a, position, rotation)[hit], point)
    assert np.abs(near).max() < 1e-7
    assert np.isnan(impact.point[impact.status == 0]).all()


def test_a_chain_of_one_motion_answers_as_the_kernel_does() -> None:
    n = 300
    rng = np.random.default_rng(4)
    for kinds in (("ball", "box"), ("box", "capsule"), ("box", "box")):
        a, b = (KINDS[kind](rng, n) for kind in kinds)
        screw = ougi.Screw3d(
            rng.uniform(-1, 1, (n, 3)), rng.normal(size=(n, 3)), rng.uniform(-3, 3, n), rng.uniform(-1, 1, n)
        )
        exact = ougi.time_of_impact(a, screw, b)
        ours = ougi.time_of_impact(a, ougi.Chain(screw), b)
        assert np.array_equal(exact.status, ours.status)
        np.testing.assert_allclose(ours.t, exact.t, rtol=0, atol=1e-4)  # a graze moves far for little
        assert np.nanmedian(np.abs(ours.t - exact.t)) < 1e-8


def test_cylinders_move_by_chains() -> None:
    n = 60
    rng = np.random.default_rng(6)
    chain, pose = arm(rng, n)
    can = ougi.Sector3d(spots(rng, n), rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), math.pi, 0, 0.4, 0.5)
    bodies = [KINDS[kind](rng, n) for kind in ("ball", "capsule", "triangle", "box")]
    other = ougi.Sector3d(spots(rng, n), rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), math.pi, 0, 0.3, 1)
    for body in (*bodies, other):
        for one, two in ((can, body), (body, can)):
            impact = ougi.time_of_impact(one, chain, two)
            assert set(np.unique(impact.status)) <= {0, 1, 2}
            assert (impact.status == 1).sum() > 3
            hit = impact.status == 1
            for share in np.linspace(0, 1, 60, endpoint=False):
                until = np.where(np.isnan(impact.t), 1.0, impact.t) * share
                touching = ougi.intersects(move_shape(one, *pose(until)), two)
                assert not touching[impact.status != 2].any()
            # A hair further they overlap, unless they only graze.
            later = np.where(hit, impact.t + 1e-4, 0.0)
            touching = ougi.intersects(move_shape(one, *pose(later)), two)
            assert touching[hit].mean() > 0.8


def test_fans_that_have_a_distance_are_answered_by_advancement() -> None:
    n = 80
    rng = np.random.default_rng(2)
    fan = ougi.Sector3d(spots(rng, n), rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), 1.0, 0.3, 1.2, 0.2)
    ball = KINDS["ball"](rng, n)
    chain, pose = arm(rng, n)
    impact = ougi.time_of_impact(fan, chain, ball)
    assert {0, 1} <= set(np.unique(impact.status)) <= {0, 1, 2}
    assert_first(impact, lambda t: ougi.distance(move_shape(fan, *pose(t)), ball), scale=30.0)
    assert np.isnan(impact.normal).all()


def test_the_plane_has_chains_too() -> None:
    n = 100
    rng = np.random.default_rng(3)
    first, second = rng.uniform(-1, 1, (2, n, 2))
    angles = rng.uniform(-3, 3, (2, n))
    chain = ougi.Chain(ougi.Rotation2d(first, angles[0]), ougi.Rotation2d(second, angles[1]))

    def pose(t: Floats) -> tuple[Floats, Floats]:
        rotation, position = np.tile(np.eye(2), (n, 1, 1)), np.zeros((n, 2))
        for center, angle in ((second, angles[1]), (first, angles[0])):
            c, s = np.cos(angle * t), np.sin(angle * t)
            turn = np.moveaxis(np.array([[c, -s], [s, c]]), -1, 0)
            position = (turn @ (position - center)[..., None])[..., 0] + center
            rotation = turn @ rotation
        return position, rotation

    wall = ougi.Rectangle(rng.uniform(-2, 2, (n, 2)), rng.uniform(0.1, 1, (n, 2)), rng.uniform(0, 3, n))

    def gap(body: Any, t: Floats) -> Floats:
        return ougi.distance(move_shape(body, *pose(t)), wall)

    for body in (
        ougi.Circle(rng.uniform(-2, 2, (n, 2)), 0.2),
        ougi.Aabb2d(p := rng.uniform(-2, 2, (n, 2)), p + 0.4),
        ougi.Sector2d(rng.uniform(-2, 2, (n, 2)), [1, 0], 0.7, 0.2, 0.6),
    ):
        impact = ougi.time_of_impact(body, chain, wall)
        assert impact.point.shape == (n, 2)
        assert {0, 1} <= set(np.unique(impact.status)) <= {0, 1, 2}
        assert_first(impact, functools.partial(gap, body), scale=20.0)


def test_margin_counts_as_thickness() -> None:
    n = 150
    rng = np.random.default_rng(12)
    center, radius = spots(rng, n), 0.2
    box = KINDS["box"](rng, n)
    chain, _ = arm(rng, n)
    near = ougi.time_of_impact(box, chain, ougi.Sphere(center, radius), margin=0.3)
    thick = ougi.time_of_impact(box, chain, ougi.Sphere(center, radius + 0.3))
    assert np.array_equal(near.status > 0, thick.status > 0)
    np.testing.assert_allclose(near.t, thick.t, rtol=0, atol=1e-5)


def test_pairs_and_broadcasting_pick_the_same_cases() -> None:
    rng = np.random.default_rng(1)
    boxes, balls = KINDS["box"](rng, 3), KINDS["ball"](rng, 4)
    chain, _ = arm(rng, 3)
    table = ougi.time_of_impact(boxes[:, None], chain[:, None], balls)
    assert table.t.shape == (3, 4)
    pairs = [[2, 1], [0, 3], [1, 0]]
    subset = ougi.time_of_impact(boxes, chain, balls, pairs=pairs)
    np.testing.assert_array_equal(subset.t, [table.t[i, j] for i, j in pairs])
    assert ougi.time_of_impact(boxes, chain, balls, pairs=np.empty((0, 2), int)).t.shape == (0,)
    assert ougi.time_of_impact(boxes[:0], chain[:0], balls[0]).t.shape == (0,)


def test_a_body_that_slides_along_another_is_decided() -> None:
    """The plane between them says that they do not approach, however small the gap."""
    path = ougi.Chain(ougi.Translation3d([5, 0, 0]), ougi.Translation3d([0, 3, 0]))
    plate = ougi.Box([0, 0, -1], [100, 100, 2])
    impact = ougi.time_of_impact(ougi.Box([0, 0, 0.5 + 1e-6], [1, 1, 1]), path, plate)
    assert impact.status == 0
    assert ougi.time_of_impact(ougi.Box([0, 0, 0.4], [1, 1, 1]), path, plate).status == 2


def test_what_takes_too_many_steps_is_undecided_with_a_certified_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_STEPS", 3)
    shoulder, elbow = (ougi.Rotation3d([x, 0, 0], [0, 0, 1], 1.5) for x in (0, 1))
    impact = ougi.time_of_impact(
        ougi.Box([1.5, 0, 0], [1, 0.1, 0.1]), ougi.Chain(shoulder, elbow), ougi.Sphere([0, 1.2, 0], 0.1)
    )
    assert impact.status == 3
    assert not impact.hit
    assert 0 < impact.t < 1


# --- meshes ---------------------------------------------------------------------------------------------


def mesh_of(shape: trimesh.Trimesh, center: Any = (0, 0, 0)) -> ougi.Mesh:
    return ougi.Mesh(shape.vertices + np.asarray(center), shape.faces)


def test_the_tree_holds_every_triangle_once_and_all_its_corners() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 5, 8, 100, 257):
        corners = rng.normal(size=(n, 3, 3))
        mesh = ougi.Mesh(corners.reshape(-1, 3), np.arange(3 * n).reshape(-1, 3))
        tree = mesh._tree()
        assert len(tree.leaf) == 2 * n - 1
        assert sorted(tree.leaf[tree.is_leaf]) == list(range(n))
        held: list[set[int]] = [set() for _ in tree.leaf]
        for node in reversed(range(len(tree.leaf))):
            children = [k for k in (tree.first[node], tree.second[node]) if k >= 0]
            held[node] = {int(tree.leaf[node])} if not children else set.union(*(held[k] for k in children))
            far = np.linalg.norm(corners[list(held[node])] - tree.center[node], axis=-1).max()
            assert far <= tree.radius[node]
        assert len(held[0]) == n


def test_a_tree_of_equal_triangles_has_an_end() -> None:
    mesh = ougi.Mesh(np.eye(3), [[0, 1, 2]] * 9)
    drop = ougi.time_of_impact(ougi.Sphere([3, 3, 3], 0.1), ougi.Translation3d([-3, -3, -3]), mesh)
    assert drop.t == pytest.approx((8 / 3 - 0.1 / math.sqrt(3)) / 3, abs=1e-8)


BOX = trimesh.creation.box(extents=[1.0, 0.6, 0.4]).subdivide().subdivide()


@pytest.mark.parametrize("kind", ["ball", "capsule", "triangle", "box", "aabb", "segment", "point"])
def test_a_mesh_of_a_box_is_hit_when_the_box_is(kind: str) -> None:
    n = 40
    rng = np.random.default_rng(len(kind))
    body = KINDS[kind](rng, n)
    chain, _ = arm(rng, n, size=1.0)
    screw = chain.factors[0]
    solid, mesh = ougi.Box([0, 0, 0], [1.0, 0.6, 0.4]), mesh_of(BOX)
    for motion in (screw, chain):
        exact = ougi.time_of_impact(body, motion, solid)
        ours = ougi.time_of_impact(body, motion, mesh)
        outside = exact.status != 2  # within a mesh there is nothing to hit
        assert outside.sum() > 20
        assert np.array_equal(exact.status[outside], ours.status[outside])
        np.testing.assert_allclose(ours.t[outside], exact.t[outside], rtol=0, atol=1e-6)


def test_a_moving_mesh_is_a_moving_box() -> None:
    n = 40
    rng = np.random.default_rng(21)
    balls = KINDS["ball"](rng, n)
    chain, _ = arm(rng, n, size=1.0)
    exact = ougi.time_of_impact(ougi.Box([0, 0, 0], [1.0, 0.6, 0.4]), chain, balls)
    ours = ougi.time_of_impact(mesh_of(BOX), chain, balls)
    outside = exact.status != 2
    assert np.array_equal(exact.status[outside], ours.status[outside])
    np.testing.assert_allclose(ours.t[outside], exact.t[outside], rtol=0, atol=1e-6)
    hit = outside & ours.hit
    assert hit.sum() > 1
    np.testing.assert_allclose(ours.point[hit], exact.point[hit], atol=1e-5)


def triangles_of(mesh: ougi.Mesh) -> ougi.Triangle3d:
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    return ougi.Triangle3d(a, b, c)


@pytest.mark.parametrize("seed", range(6))
def test_meshes_touch_first_where_the_first_of_all_pairs_of_triangles_does(seed: int) -> None:
    """Brute force: every triangle of one against every triangle of the other, by the kernels."""
    rng = np.random.default_rng(seed)
    ball, ring = (
        trimesh.creation.icosphere(subdivisions=1, radius=0.5),
        trimesh.creation.annulus(r_min=0.6, r_max=1.0, height=0.3, sections=12),
    )
    b = mesh_of(ring)
    n = 12
    hits = 0
    for center in rng.uniform(-2, 2, (n, 3)):
        a = mesh_of(ball, center)
        screw = ougi.Screw3d(
            rng.uniform(-1, 1, 3), rng.normal(size=3), rng.uniform(-3, 3), rng.uniform(-1, 1)
        )
        back = ougi.Translation3d(rng.uniform(-1, 1, 3))
        for other in (None, back):
            every = ougi.time_of_impact(triangles_of(a)[:, None], screw, triangles_of(b), other, tol=1e-14)
            ours = ougi.time_of_impact(a, screw, b, other, tol=1e-14)
            if not every.hit.any():
                assert ours.status == 0
                continue
            hits += 1
            assert ours.t == pytest.approx(np.nanmin(every.t), abs=1e-11)
            first = np.unravel_index(np.nanargmin(every.t), every.t.shape)
            assert ours.status == every.status[first]
    assert hits > 1


def test_many_motions_of_one_mesh_are_answered_at_once() -> None:
    rng = np.random.default_rng(3)
    mesh = mesh_of(BOX)
    moves = ougi.Translation3d(rng.uniform(-3, 3, (7, 1, 3)))
    balls = ougi.Sphere(rng.uniform(-2, 2, (5, 3)), 0.2)
    table = ougi.time_of_impact(mesh, moves, balls)
    assert table.t.shape == (7, 5)
    for i, j in itertools.product(range(7), range(5)):
        one = ougi.time_of_impact(mesh, moves[i, 0], balls[j])
        np.testing.assert_array_equal(one.t, table.t[i, j])
    pairs = ougi.time_of_impact(mesh, moves[:, 0], balls, pairs=[[6, 4], [0, 1]])
    np.testing.assert_array_equal(pairs.t, [table.t[6, 4], table.t[0, 1]])


def test_two_meshes_touch_when_fcl_says_so() -> None:
    """FCL poses the meshes by SciPy's rotations: distance 0 at the time of contact, and not before."""
    pytest.importorskip("fcl")
    rng = np.random.default_rng(5)
    ico = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    ring = trimesh.creation.annulus(r_min=0.6, r_max=1.0, height=0.3)
    hits = 0
    for _ in range(16):
        one, pose = arm(rng, 1, size=1.0)
        center = rng.uniform(-1.5, 1.5, 3)
        a, b = mesh_of(ico, center), mesh_of(ring)
        impact = ougi.time_of_impact(a, one[0], b)
        scene = trimesh.collision.CollisionManager()
        scene.add_object("a", trimesh.Trimesh(a.vertices, a.faces, process=False))
        scene.add_object("b", trimesh.Trimesh(b.vertices, b.faces, process=False))

        def gap(t: float, scene: Any = scene, pose: Any = pose) -> float:
            matrix = np.eye(4)
            position, rotation = pose(np.array([t]))
            matrix[:3, :3], matrix[:3, 3] = rotation[0], position[0]
            scene.set_transform("a", matrix)
            return float(scene.min_distance_internal())

        if impact.status == 2:
            assert gap(0.0) <= 0
            continue
        until = 1.0 if np.isnan(impact.t) else float(impact.t)
        assert all(gap(float(share) * until) > 0 for share in np.linspace(0, 1, 50, endpoint=False))
        if impact.hit:
            hits += 1
            assert gap(until) < 1e-6
    assert hits >= 2


def test_two_moving_meshes_meet_in_the_middle() -> None:
    ico = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    left, right = mesh_of(ico, [-2, 0, 0]), mesh_of(ico, [2, 0, 0])
    there, back = ougi.Translation3d([2, 0, 0]), ougi.Translation3d([-2, 0, 0])
    impact = ougi.time_of_impact(left, there, right, back)
    width = ico.vertices[:, 0].max()
    assert impact.t == pytest.approx((4 - 2 * width) / 4, abs=1e-8)
    np.testing.assert_allclose(impact.point, [0, 0, 0], atol=1e-6)
    assert ougi.time_of_impact(left, there, right, margin=2.0).t < impact.t
    assert ougi.time_of_impact(left, there, left).status == 2


def test_what_is_inside_a_closed_mesh_touches_nothing() -> None:
    shell = mesh_of(trimesh.creation.icosphere(subdivisions=2, radius=2))
    ball = ougi.Sphere([0, 0, 0], 0.5)
    assert ougi.time_of_impact(ball, ougi.Translation3d([1, 0, 0]), shell).status == 0
    assert ougi.time_of_impact(ball, ougi.Translation3d([3, 0, 0]), shell).status == 1


def test_an_open_question_before_a_hit_stays_open() -> None:
    """One part of a case is undecided until 0.2, another is hit at 0.5: nothing after 0.2 is certain."""
    best, until = make_free(2, 3), np.ones(2)
    found = make_free(3, 3)
    found.status[:] = [1, 3, 1]
    found.t[:] = [0.5, 0.2, 0.7]
    write_earlier(best, until, np.array([0, 0, 1]), found)
    assert best.status.tolist() == [3, 1]
    assert until.tolist() == [0.2, 0.7]
    found.status[:], found.t[:] = [1, 1, 1], [0.2, 0.1, 0.9]
    write_earlier(best, until, np.array([0, 0, 1]), found)
    assert best.t.tolist() == [0.1, 0.7]


# --- what is refused ------------------------------------------------------------------------------------


def test_pairs_without_a_distance_have_first_contacts() -> None:
    """The outer corner of a sector on a chain turns up to the lower side of a wall, at y = 1."""
    turn = ougi.Chain(ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1))
    fan = ougi.Sector3d([1, 0, 0], [0, 0, 1], [1, 0, 0], 0.1, 0, 1, 1)
    wall = ougi.Box([1.5, 1.5, 0], [1, 1, 1])
    first = advance(fan, turn, wall)
    assert int(first.status) == 1
    assert int(advance(fan, turn, wall.translated([2, 0, 0])).status) == 0
    x, y = 1 + math.cos(0.1), math.sin(0.1)
    assert float(first.t) == pytest.approx(math.asin(1 / math.hypot(x, y)) - math.atan2(y, x), abs=1e-7)


def test_wrong_arguments_are_refused_by_name() -> None:
    turn = ougi.Chain(ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1))
    can = ougi.Sector3d([3, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 0, 1, 1)
    with pytest.raises(ougi.UnsupportedPairError, match=r"Circle is 2-D"):
        advance(ougi.Circle([0, 0], 1), ougi.Chain(ougi.Rotation2d([0, 0], 1)), ougi.Sphere([0, 0, 0], 1))
    with pytest.raises(ValueError, match="motion must be 3-D like the shapes, got a Chain"):
        advance(can, ougi.Chain(ougi.Rotation2d([0, 0], 1)), ougi.Sphere([3, 0, 0], 1))
    with pytest.raises(TypeError, match="motion must be a motion, got Pose"):
        advance(can, ougi.Pose([0, 0, 0]), ougi.Sphere([3, 0, 0], 1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="tol must be positive"):
        advance(can, turn, ougi.Sphere([3, 0, 0], 1), tol=0)
    with pytest.raises(ValueError, match="without faces"):
        advance(ougi.Mesh(np.eye(3), np.empty((0, 3), int)), turn, ougi.Sphere([3, 0, 0], 1))
