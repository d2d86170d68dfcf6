"""First contacts of moving meshes with scenes, through depth images."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.radar import Meshes, collide
from ougi_lab.scenes import meshes
from ougi_lab.scenes.mesh_pairs import draw_translating_meshes, draw_turning_meshes
from ougi_lab.scenes.meshes import make_solid, move_mesh
from ougi_lab.verify.runner import Task, derive_seed

EYE = np.eye(3)
ALONG = ougi.Translation3d([0, 0, 5])


def solid(build: Callable[..., ougi.Mesh]) -> Callable[..., ougi.Mesh]:
    return lambda *sizes, **options: make_solid(build(*sizes, **options))


make_angle_iron, make_box = solid(meshes.make_angle_iron), solid(meshes.make_box)
make_sphere, make_torus = solid(meshes.make_sphere), solid(meshes.make_torus)


def at(mesh: ougi.Mesh, *place: float) -> ougi.Mesh:
    return move_mesh(mesh, EYE, np.array(place))


def test_faces_that_meet_squarely() -> None:
    found = collide(make_box(), ALONG, at(make_box(), 0.3, 0.2, 3))
    assert found.status == 1
    assert found.distance == 2.0
    assert found.t == 0.4
    assert found.body == 0
    assert found.normal.tolist() == [0, 0, 1]
    assert found.point[2] == 2.5


def test_edges_that_cross_touch_along_their_common_normal() -> None:
    turn = np.array([[1, 0, -1], [0, math.sqrt(2), 0], [1, 0, 1]]) / math.sqrt(2)
    other = np.array([[math.sqrt(2), 0, 0], [0, 1, -1], [0, 1, 1]]) / math.sqrt(2)
    sensor, target = (
        move_mesh(make_box(), turn, np.zeros(3)),
        move_mesh(make_box(), other, np.array([0, 0, 3.0])),
    )
    found = collide(sensor, ALONG, target)
    assert found.kind == 3
    assert found.distance == pytest.approx(3 - math.sqrt(2), abs=1e-14)
    assert found.point == pytest.approx([0, 0, 3 - math.sqrt(0.5)], abs=1e-14)
    assert found.normal == pytest.approx([0, 0, 1], abs=1e-14)


def test_a_corner_that_meets_a_slope_has_the_normal_of_the_slope() -> None:
    point = ougi.Mesh(
        [[0, 0, 1], [0.1, 0, 0], [0, 0.1, 0], [-0.1, -0.1, 0]], [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]
    )
    slope = ougi.Mesh([[-9, -9, -5], [9, -9, 13], [9, 9, 13], [-9, 9, -5]], [[0, 1, 2], [0, 2, 3]])
    found = collide(point, ALONG, slope)
    assert found.kind == 1
    assert found.distance == pytest.approx(3, abs=1e-14)
    assert found.normal == pytest.approx([-math.sqrt(0.5), 0, math.sqrt(0.5)], abs=1e-14)
    assert found.face[1] in (0, 1)


@pytest.mark.parametrize("pixels", [1, 3, 8, 25, 64])
def test_the_answer_does_not_depend_on_the_resolution(pixels: int) -> None:
    turn = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0], [0.48, 0.64, 0.6]])
    sensor, target = (
        move_mesh(make_torus(12, 8), turn, np.zeros(3)),
        at(make_sphere(16, 8, bumps=0.2), 0.4, 0.3, 3),
    )
    flown = collide(sensor, ALONG, target, pixels=pixels)
    assert flown.distance == pytest.approx(float(collide(sensor, ALONG, target).distance), abs=1e-14)
    screw = ougi.Screw3d([0, -4, 1], [1, 0.2, 0], 5.0, 0.5)
    turned = collide(sensor, screw, target, pixels=pixels)
    assert turned.status == 1
    assert turned.distance == pytest.approx(float(collide(sensor, screw, target).distance), abs=1e-12)


def test_thin_things_are_never_missed() -> None:
    for k in range(20):
        needle = at(
            make_box((0.004, 0.004, 0.004)), 0.05 * k - 0.48, 0.013 * k - 0.1, 3
        )  # a tenth of a pixel
        assert collide(make_box(), ALONG, needle, pixels=25).distance == pytest.approx(2.498, abs=1e-12)
        bracket = collide(make_box(), ALONG, needle, pixels=25, method="bracket")
        assert bracket.lower <= 2.498 / 5 <= bracket.upper


def test_a_body_passes_through_the_hole_of_a_ring() -> None:
    ring, ball = make_torus(24, 12, 1.0, 0.3), at(make_sphere(16, 8, 0.5), 0, 0, -3)
    assert collide(ball, ougi.Translation3d([0, 0, 6]), ring).status == 0
    assert collide(at(ball, 0, 0.3, 0), ougi.Translation3d([0, 0, 6]), ring).status == 1


def test_a_ball_in_a_moving_ring_is_hit_from_inside() -> None:
    # RADAR's two images see the ring's far side only, and a negative distance.
    ring, ball = make_torus(48, 24, 1.0, 0.25), make_sphere(48, 24, 0.5)
    found = collide(ring, ougi.Translation3d([1, 0, 0]), ball)
    assert found.status == 1
    assert found.distance == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize("motion", [ALONG, ougi.Rotation3d([0, -5, 0], [1, 0, 0], 1.0)])
def test_what_overlaps_at_the_start_has_no_distance(motion: ougi.Motion) -> None:
    crossing, inside, around = at(make_box(), 0.5, 0.5, 0.5), make_box((0.2, 0.2, 0.2)), make_box((3, 3, 3))
    for target in (crossing, inside, around, at(make_box(), 1, 0, 0)):
        found = collide(make_box(), motion, target)
        assert found.status == 2
        assert found.distance == 0
        assert np.isnan(found.normal).all()


def test_triangles_that_cross_in_few_pixels_and_are_apart_in_others_overlap() -> None:
    # The last of these came up first in a pixel where its triangles are apart, and was not tested again.
    rng = np.random.default_rng(derive_seed("radar", Task("box", "second", 0, 50), 0))
    cases = [draw_translating_meshes("box", rng, large=True) for _ in range(35)]
    for case in cases[-3:]:
        found = [collide(case.sensor, case.motion, case.target, pixels=pixels) for pixels in (1, 8, 25)]
        assert len({int(result.status) for result in found}) == 1
    assert found[0].status == 2


def test_large_triangles_across_the_seam_are_not_lost_from_a_screws_images() -> None:
    # Parts of triangles whose angles were counted a turn off left the window, and overlaps went unseen.
    rng = np.random.default_rng(derive_seed("radar", Task("screw", "random", 0, 3000), 0))
    case = [draw_turning_meshes("screw", rng) for _ in range(1071)][-1]
    found = [collide(case.sensor, case.motion, case.target, pixels=pixels) for pixels in (1, 8, 24)]
    assert len({int(result.status) for result in found}) == 1
    assert found[1].distance == pytest.approx(float(found[0].distance), abs=1e-12)
    assert found[2].distance == pytest.approx(float(found[0].distance), abs=1e-12)


def test_surfaces_enclose_nothing() -> None:
    shell = meshes.make_box((3, 3, 3))
    found = collide(make_box(), ALONG, shell)
    assert found.status == 1
    assert found.distance == 1.0
    assert collide(make_box(), ALONG, make_solid(shell)).status == 2
    assert collide(make_solid(shell), ALONG, meshes.make_box()).status == 2
    assert collide(shell, ALONG, meshes.make_box()).status == 1


def test_motion_that_ends_before_the_contact_is_free() -> None:
    target = at(make_box(), 0, 0, 3)
    assert collide(make_box(), ougi.Translation3d([0, 0, 1.999]), target).status == 0
    assert collide(make_box(), ougi.Translation3d([0, 0, 2]), target).status == 1
    assert collide(make_box(), ougi.Translation3d([0, 0, -9]), target).status == 0
    assert np.isnan(collide(make_box(), ougi.Translation3d([0, 0, -9]), target).t)


def test_a_door_swings_against_a_post() -> None:
    door, post = at(make_box((1, 0.05, 2)), 0.5, 0, 0), at(make_box((0.1, 0.1, 2)), 0, 0.8, 0)
    found = collide(door, ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi / 2), post)
    # The door's front, 0.025 before its middle, comes to the corner at (0.05, 0.75).
    expected = math.atan2(0.75, 0.05) - math.asin(0.025 / math.hypot(0.75, 0.05))
    assert found.distance == pytest.approx(expected, abs=1e-13)
    assert found.t == pytest.approx(expected / (math.pi / 2), abs=1e-13)
    assert abs(found.normal[2]) < 1e-12


def test_turning_back_is_turning_about_the_opposite_axis() -> None:
    door, post = at(make_box((1, 0.05, 2)), 0.5, 0, 0), at(make_box((0.1, 0.1, 1)), 0.1, -0.8, 0.2)
    back = collide(door, ougi.Rotation3d([0, 0, 0], [0, 0, 1], -3.0), post)
    forth = collide(door, ougi.Rotation3d([0, 0, 0], [0, 0, -1], 3.0), post)
    assert back.status == forth.status == 1
    assert back.distance == pytest.approx(float(forth.distance), abs=1e-14)


def test_turning_on_and_on_meets_nothing_new_without_pitch() -> None:
    blade = at(make_box((1, 0.05, 0.1)), 0.5, 0, 0)
    many = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 40.0)
    assert collide(blade, many, at(make_box(), 3, 0, 0)).status == 0
    found = collide(blade, many, at(make_box((0.1, 0.1, 0.1)), 0.7, -0.2, 0))
    assert found.status == 1
    assert found.distance < 2 * math.pi
    assert found.t == found.distance / 40


def test_a_screw_comes_round_higher_every_time() -> None:
    blade, knob = at(make_box((1, 0.05, 0.1)), 0.5, 0, 0), at(make_box((0.1, 0.1, 0.1)), 0, 0.7, 2.25)
    found = collide(blade, ougi.Screw3d([0, 0, 0], [0, 0, 1], 8 * math.pi, 4.0), knob)
    assert found.status == 1
    assert found.distance > 2 * math.pi
    # Found again from the pose just before: no contact there, and one very soon.
    screw = ougi.Screw3d([0, 0, 0], [0, 0, 1], 8 * math.pi, 4.0)
    near = blade.transformed(screw.at(float(found.t) - 1e-6))
    rest = collide(near, screw.scaled(1e-3), knob)
    assert rest.distance == pytest.approx(8 * math.pi * 1e-6, abs=1e-9)


@pytest.mark.parametrize("rise", [0.0, 0.7])
@pytest.mark.parametrize("seed", range(6))
def test_a_swing_in_many_short_turns_meets_what_the_whole_swing_meets(rise: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    body = move_mesh(
        [make_angle_iron(), make_torus(10, 7), make_box((2, 0.1, 0.3))][seed % 3], turn, np.array([3.0, 0, 0])
    )
    # A wall is met by corners, a post by edges.
    other = at(make_box((0.1, 8, 9)), -0.5, 5.5, 0) if seed % 2 else at(make_box((0.2, 0.2, 9)), 0, 3.2, 0)
    scene = Meshes([at(make_sphere(14, 8, bumps=0.3), -2.0, 1.5, 0.5 * rise), other])
    swing = ougi.Screw3d([0, 0, 0], [0, 0, 1], 3.0, rise)
    whole, parts = collide(body, swing, scene), 150
    assert whole.status == 1
    starts = np.arange(parts) / parts
    poses = Meshes([body.transformed(swing.at(float(t))) for t in starts])
    each = collide(poses, swing.scaled(1 / parts), scene, pixels=3)
    before = starts < float(whole.t) - 1 / parts
    assert not each.hit[before].any()
    first = int(np.flatnonzero(each.hit)[0])
    assert float(starts[first] + each.t[first] / parts) == pytest.approx(float(whole.t), abs=1e-12)
    assert each.body[first] == whole.body


def test_flat_triangles_that_turn_in_their_plane_meet() -> None:
    one = ougi.Mesh([[1, 0, 0], [2, 0, 0], [1.5, 0.2, 0]], [[0, 1, 2]])
    other = ougi.Mesh([[-0.1, 1.2, 0], [0.1, 1.2, 0], [0, 1.8, 0]], [[0, 1, 2]])
    found = collide(one, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 3.0), other)
    assert found.status == 1
    assert 1.0 < found.distance < math.pi / 2


def test_plates_seen_edge_on_meet() -> None:
    plate = ougi.Mesh([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]], [[0, 1, 2], [0, 2, 3]])
    other = ougi.Mesh(plate.vertices + np.array([0.5, 0, 3]), plate.faces)
    found = collide(plate, ALONG, other)
    assert found.distance == pytest.approx(1.0, abs=1e-14)


def test_many_sensors_in_one_call_answer_as_each_alone() -> None:
    bodies = [make_box(), make_sphere(12, 6), at(make_angle_iron(), 4, 0, 0), at(make_torus(8, 6), -4, 0, 0)]
    sensors = Meshes(bodies)
    scene = Meshes([at(make_box((9, 9, 0.5)), 0, 0, 4), at(make_box(), 4, 0, 2)], bodies=[10, 20])
    motions = ougi.Translation3d([[0.0, 0, 5], [0.0, 0.5, 5], [0.0, 0, 5], [0.0, 0, 0.1]])
    together = collide(sensors, motions, scene, pixels=[[3, 5], [25, 24], [7, 8], [1, 1]])
    for i, mesh in enumerate(bodies):
        alone = collide(mesh, motions[i], scene)
        assert together.status[i] == alone.status
        assert together.distance[i] == pytest.approx(float(alone.distance), abs=1e-13)
        assert together.body[i] == alone.body
    assert together.body.tolist() == [10, 10, 20, -1]


def test_ignored_bodies_are_not_seen() -> None:
    scene = Meshes([make_box(), at(make_box(), 0, 0, 3), at(make_box(), 0, 0, 4)], bodies=[0, 1, 2])
    assert collide(make_box(), ALONG, scene).status == 2
    assert collide(make_box(), ALONG, scene, ignore=[0]).distance == 2.0
    assert collide(make_box(), ALONG, scene, ignore=[0, 1]).body == 2
    assert collide(make_box(), ALONG, scene, ignore=[2, 9, 0]).body == 1
    assert collide(make_box(), ALONG, scene, ignore=[-1, 1, -1]).status == 2
    methods: tuple[Any, ...] = ("exact", "bracket")
    for method in methods:
        nothing = collide(make_box(), ALONG, scene, method=method, ignore=[0, 1, 2])
        assert [int(x) for x in (nothing.status, nothing.body, nothing.kind)] == [0, -1, 0]
        assert nothing.distance == nothing.lower == nothing.upper == math.inf
        assert np.isnan([nothing.t, *nothing.point, *nothing.normal]).all()
        assert nothing.face.tolist() == [-1, -1]


def test_deformed_and_moved_scenes() -> None:
    scene = Meshes([at(make_box(), 0, 0, 3), at(make_box(), 0, 0, 9)])
    nearer = scene.deformed(scene.vertices - np.array([0, 0, 0.5]))
    assert collide(make_box(), ALONG, nearer).distance == 1.5
    poses = ougi.Pose([[0, 0, 9], [0, 0, -6]])
    assert collide(make_box(), ALONG, scene.transformed(poses)).distance == 2.0
    assert collide(make_box(), ALONG, scene.transformed(poses)).body == 1


def test_a_large_room_is_made_when_it_is_needed() -> None:
    fine = make_sphere(160, 80)
    found = collide(fine, ALONG, move_mesh(fine, EYE, np.array([0, 0, 3.0])), pixels=40)
    assert found.distance == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("along", [0.0, 0.8])
def test_brackets_of_turns_hold_the_truth_and_narrow_with_pixels(along: float) -> None:
    arm = move_mesh(make_box((1.0, 0.2, 0.2)), EYE, np.array([1.0, 0.0, 0.0]))
    post = move_mesh(make_box((0.2, 0.2, 2.0)), EYE, np.array([-0.3, 1.0, 0.3]))
    motion = ougi.Screw3d([0, 0, 0], [0, 0, 1], 2.5, along)
    truth = collide(arm, motion, post)
    assert truth.status == 1
    width = np.inf
    for pixels in (4, 16, 64):
        found = collide(arm, motion, post, method="bracket", pixels=pixels)
        assert found.status == 1
        assert found.lower <= truth.t <= found.upper == found.t
        assert found.upper - found.lower < 0.6 * width
        width = float(found.upper - found.lower)
    away = collide(arm, motion, at(post, 0, 3, 0), method="bracket")
    assert away.status == 0
    assert away.upper == np.inf


def test_brackets_of_screws_that_turn_and_that_do_not() -> None:
    bodies, posts = (
        [make_box(), at(make_box(), 9, 0, 0)],
        Meshes([at(make_box(), 0, 0, 3), at(make_box(), 9, 0, 3)]),
    )
    motion = ougi.Screw3d([[3, 0, 0], [9, 0, 0]], [0, 0, 1], [0.0, 0.2], [4.0, 4.0])
    found = collide(Meshes(bodies), motion, posts, method="bracket", pixels=20)
    assert found.status.tolist() == [1, 1]
    assert np.all((found.lower <= 0.5 + 1e-12) & (found.upper >= 0.5 - 1e-12) & (found.upper < 0.6))


@pytest.mark.parametrize("mode", ["exact", "bracket"])
@pytest.mark.parametrize("angle", [0.0, 1e-17, 1e-20, 1e-100, 1e-300, -1e-300])
def test_screws_that_turn_by_less_than_rounding_are_straight(angle: float, mode: Any) -> None:
    found = collide(
        make_box(), ougi.Screw3d([0, 0, 0], [0, 0, 1], angle, 5), at(make_box(), 0, 0, 3), method=mode
    )
    assert found.status == 1
    assert found.t == pytest.approx(0.4, abs=1e-12)


def test_steep_screws_are_refused_and_answered_elsewhere() -> None:
    steep = ougi.Screw3d([0, 0, 0], [0, 0, 1], [0.5, 1e-6], 5)
    with pytest.raises(ValueError, match=r"advance by at most 1000 times .*use ougi.time_of_impact.*index 1"):
        collide(Meshes([make_box(), make_box()]), steep, at(make_box(), 0, 0, 3))
    assert ougi.time_of_impact(make_box(), steep[1], at(make_box(), 0, 0, 3)).t == pytest.approx(
        0.4, abs=1e-9
    )


def test_brackets_hold_the_truth_where_they_are_but_one_number() -> None:
    cube = make_box((2, 2, 2))
    found = collide(cube, ougi.Translation3d([10, 0, 0]), at(cube, 5, 0, 0), method="bracket")
    assert found.lower <= 0.3 <= found.upper < 0.3 + 1e-12


def test_every_piece_of_a_solid_counts_and_hollows_are_hollow() -> None:
    def join_meshes(a: ougi.Mesh, b: ougi.Mesh) -> ougi.Mesh:
        faces = np.concatenate([a.faces, b.faces + 8])
        return ougi.Mesh(np.concatenate([a.vertices, b.vertices]), faces, solid=True)

    small = make_box((0.1, 0.1, 0.1))
    pair, block = join_meshes(at(small, 9, 0, 0), small), make_box()
    assert collide(pair, ALONG, block).status == 2  # its second piece is inside of the block
    assert collide(block, ALONG, pair).status == 2
    assert collide(pair, ALONG, at(block, 9, 0, 3)).distance == pytest.approx(2.45)
    hollow = join_meshes(make_box((4, 4, 4)), ougi.Mesh(make_box().vertices, make_box().faces[:, ::-1]))
    assert collide(make_box((0.1, 0.1, 0.1)), ALONG, hollow).distance == pytest.approx(0.45)


def test_vertices_cannot_be_written_behind_the_boxes_around_them() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Meshes(make_box()).vertices[0] = 7.0


def test_far_from_the_origin() -> None:
    far = np.array([1e6, -2e6, 3e6])
    found = collide(
        move_mesh(make_box(), EYE, far), ALONG, move_mesh(make_box(), EYE, far + np.array([0.3, 0.2, 3]))
    )
    assert found.distance == pytest.approx(2.0, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"motion": ougi.Translation3d([0, 0, 0])}, ValueError, "motion must not be zero"),
        ({"motion": ougi.Rotation3d([0, 0, 0], [0, 0, 1], 0.0)}, ValueError, "motion must not be zero"),
        ({"motion": ougi.Chain(ALONG, ALONG)}, TypeError, "Translation3d, Rotation3d or Screw3d, got Chain"),
        ({"method": "fast"}, ValueError, "method must be one of exact, bracket, published"),
        ({"pixels": 0}, ValueError, "pixels must be positive"),
        ({"pixels": 10**6}, ValueError, "pixels must be at most 16,384 along a side, got 1000000"),
        ({"sensor": ougi.Sphere([0, 0, 0], 1)}, TypeError, "sensor must be a Mesh or several of them"),
        ({"motion": ougi.Translation3d([[0, 0, 1], [0, 0, 2]])}, ValueError, r"repeat it: Meshes\("),
        ({"pixels": 2.5}, ValueError, "pixels must be positive integers"),
        ({"ignore": [0.5]}, ValueError, "ignore must be numbers of bodies"),
        ({"scene": ougi.Mesh(np.eye(3), np.empty((0, 3), int))}, ValueError, "scene must have faces"),
        ({"scene": [ougi.Sphere([0, 0, 0], 1)]}, TypeError, "scene must be Mesh, got Sphere"),
        (
            {"method": "published", "motion": ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1)},
            TypeError,
            "motion must be Translation3d for the published method, got Rotation3d; use collide",
        ),
    ],
)
def test_bad_input_is_named(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    question: dict[str, Any] = {"sensor": make_box(), "scene": at(make_box(), 0, 0, 3), "motion": ALONG}
    with pytest.raises(error, match=words):
        collide(**(question | arguments))


def test_nan_vertices_are_refused() -> None:
    scene = Meshes(make_box())
    broken = scene.vertices.copy()
    broken[3, 1] = np.nan
    with pytest.raises(ValueError, match="vertices must be finite"):
        scene.deformed(broken)
    with pytest.raises(ValueError, match="vertices must have shape"):
        scene.deformed(scene.vertices[:-1])


def test_degenerate_triangles_do_no_harm() -> None:
    mesh = make_box()
    faces = np.concatenate([mesh.faces, [[0, 0, 1], [2, 2, 2]]])
    sensor = Meshes(ougi.Mesh(mesh.vertices, faces))
    assert collide(sensor, ALONG, at(make_box(), 0.3, 0.2, 3)).distance == 2.0
    turn = ougi.Rotation3d([0, -5, 0], [1, 0, 0], 2.0)
    exact = collide(make_box(), turn, at(make_box(), 0.3, 0.2, 3))
    assert collide(sensor, turn, at(make_box(), 0.3, 0.2, 3)).distance == exact.distance
