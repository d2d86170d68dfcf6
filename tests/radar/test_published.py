"""RADAR sec. 3 as published: what the repaired rules return, and what the printed ones did."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ougi
from ougi.radar import MaskReuse, Meshes, Scopes, collide
from ougi_lab.scenes.meshes import make_angle_iron, make_box, make_sphere, move_mesh

EYE = np.eye(3)
NO_BODY = np.full((1, 1), -1)


def at(mesh: ougi.Mesh, *place: float) -> ougi.Mesh:
    return move_mesh(mesh, EYE, np.array(place))


def draw_scopes(sensor: ougi.Mesh, scene: object, offset: list[float], pixels: int = 25) -> Scopes:
    meshes = scene if isinstance(scene, Meshes) else Meshes(scene)  # type: ignore[arg-type]
    return Scopes.draw(sensor, ougi.Translation3d(offset), meshes, pixels=pixels)


def test_smooth_contacts_are_found_to_a_small_part_of_a_pixel_and_never_early() -> None:
    sensor, target = make_sphere(64, 32, 0.5), at(make_sphere(64, 32, 0.5), 0.2, 0.1, 2)
    for pixels in (25, 50):
        exact = collide(sensor, ougi.Translation3d([0, 0, 3]), target)
        found = collide(sensor, ougi.Translation3d([0, 0, 3]), target, method="published", pixels=pixels)
        assert found.status == 1
        assert 0 <= found.distance - exact.distance < 0.1 / pixels


def test_erratum_the_text_compares_with_d_which_is_always_true() -> None:
    # Sec. 3.1: "if min(L) is at most d a collision occurs". The gap is 0.343, the move 0.3.
    sensor, target = make_sphere(64, 32, 0.5), at(make_sphere(64, 32, 0.5), 0.5, 0, math.sqrt(0.75) + 0.343)
    shown = draw_scopes(sensor, target, [0, 0, 0.3])
    assert shown.distance <= shown.depth  # the text: hit
    assert shown.distance > shown.movement  # the listing: none
    motion = ougi.Translation3d([0, 0, 0.3])
    assert collide(sensor, motion, target, method="published").status == 0


def test_erratum_background_pixels_collide_with_nothing() -> None:
    # Only M = d is eliminated: with R = d, L = M, at a flat front the very distance to move.
    beside = ougi.Mesh(
        [[0.2, -0.5, 1.9], [0.5, -0.5, 1.9], [0.5, 0.5, 1.9], [0.2, 0.5, 1.9]], [[0, 2, 1], [0, 3, 2]]
    )
    sensor = at(make_angle_iron((1, 1, 1), 0.3), 0, 0, 0)
    shown = draw_scopes(sensor, Meshes(at(beside, 0, 0.15, 0)), [0, 0, 1])
    has_sensor = shown.mask < shown.depth
    expected = np.where(has_sensor, shown.range + shown.mask - shown.depth, np.inf)
    assert expected.min() <= shown.movement * (1 + 1e-7)  # the listing: a hit, at the distance to move
    assert shown.distance > shown.movement  # there is nothing within reach


def test_erratum_without_culling_a_wall_behind_stops_the_sensor() -> None:
    from ougi.radar.detection import draw_images
    from ougi.radar.motions import make_frames
    from ougi.radar.published import fit_windows
    from ougi.radar.rasterizer import ALL, NEAREST

    # A ball that has just left a slanted wall of a room: part of it lies between the ball's rear and its
    # front.
    ball = make_sphere(32, 16, 0.5)
    turn = np.array([[math.cos(1.0), 0, math.sin(1.0)], [0, 1, 0], [-math.sin(1.0), 0, math.cos(1.0)]])
    quad = ougi.Mesh([[-2, -2, -0.6], [2, -2, -0.6], [2, 2, -0.6], [-2, 2, -0.6]], [[0, 1, 2], [0, 2, 3]])
    wall = Meshes(move_mesh(quad, turn, np.zeros(3)))
    motion = ougi.Translation3d([0, 0, 1.0])
    shown = draw_scopes(ball, wall, [0, 0, 1.0])
    assert not shown.colliding.any()
    own = Meshes(ball)
    frames, window = fit_windows(make_frames(motion, own), own, np.array([[25, 25]]))
    near, _, _ = draw_images(frames, window, wall, NO_BODY, facing=ALL, keeps=NEAREST)
    expected = near.reshape((25, 25)) + shown.mask - shown.depth
    assert expected[shown.mask < shown.depth].min() < 0  # every face drawn: stuck at the wall


def test_erratum_a_mask_that_is_not_mirrored_is_wrong_for_lopsided_sensors() -> None:
    sensor = make_angle_iron((1, 1, 1), 0.3)
    target = Meshes(at(make_box((0.2, 0.2, 0.2)), 0.3, 0.3, 2))  # before the part that the L leaves out
    shown = draw_scopes(sensor, target, [0, 0, 3])
    assert not shown.colliding.any()
    mirrored = shown.range + shown.mask[:, ::-1] - shown.depth
    both = (shown.ids >= 0) & (shown.mask[:, ::-1] < shown.depth)
    assert both.any()
    assert (mirrored[both] <= shown.movement).any()


def test_erratum_only_the_foremost_layer_of_hollow_sensors_counts() -> None:
    # A cup open to the rear with a ball inside that it moves away from: L < 0, though nothing is touched.
    walls = [
        at(make_box((1, 1, 0.1)), 0, 0, 0.5),
        at(make_box((0.1, 1, 1)), 0.5, 0, 0),
        at(make_box((0.1, 1, 1)), -0.5, 0, 0),
    ]
    cup = ougi.Mesh(
        np.concatenate([w.vertices for w in walls]),
        np.concatenate([w.faces + 8 * k for k, w in enumerate(walls)]),
    )
    ball = at(make_sphere(16, 8, 0.2), 0, 0, 0)
    motion = ougi.Translation3d([0, 0, 1.0])
    shown = draw_scopes(cup, ball, [0, 0, 1.0])
    assert shown.distance < 0
    assert collide(cup, motion, ball, method="published").status == 2  # not a distance
    assert collide(cup, motion, ball).status == 0  # all layers


def test_erratum_normals_of_any_three_pixels_are_far_off() -> None:
    sensor, target = make_sphere(64, 32, 0.5), at(make_sphere(64, 32, 0.5), 0.3, 0, 2)
    motion = ougi.Translation3d([0, 0, 1.5])
    truth = np.array([0.3, 0, math.sqrt(1 - 0.09)])
    published = collide(sensor, motion, target, method="published", pixels=50)
    assert np.degrees(np.arccos(published.normal @ truth)) > 5
    assert np.degrees(np.arccos(min(collide(sensor, motion, target).normal @ truth, 1.0))) < 5


def test_centres_of_one_and_two_pixels_and_of_a_hull() -> None:
    dot = at(make_box((0.06, 0.06, 0.06)), 0.02, 0.02, 2)
    shown = draw_scopes(make_box(), dot, [0, 0, 3], pixels=25)
    assert shown.colliding.sum() >= 1
    assert shown.center() == pytest.approx([0.02, 0.02, 1.97], abs=0.03)
    square = draw_scopes(make_box(), at(make_box((0.4, 0.4, 0.4)), 0.2, 0.1, 2), [0, 0, 3], pixels=50)
    assert square.center() == pytest.approx([0.2, 0.1, 1.8], abs=0.01)
    assert square.normal() == pytest.approx([0, 0, 1])


def test_nothing_in_the_way() -> None:
    shown = draw_scopes(make_box(), at(make_box(), 5, 0, 2), [0, 0, 3])
    assert shown.distance == math.inf
    assert np.isnan(shown.center()).all()
    assert (shown.range == shown.depth).all()


def test_a_reused_mask_gives_the_answers_of_a_new_one() -> None:
    scene = Meshes(at(make_box((3, 3, 0.2)), 0, 0, 6))
    reuse = MaskReuse(make_sphere(32, 16, 0.5), (2.0, 2.0), (40, 40))
    motion = ougi.Translation3d([0, 0, 1.0])
    for k in range(6):
        reuse.move_sensor(at(make_sphere(32, 16, 0.5), 0.0, 0.0, 0.5 * k))
        shown = reuse.draw(motion, scene)
        fresh = draw_scopes(at(make_sphere(32, 16, 0.5), 0, 0, 0.5 * k), scene, [0, 0, 1.0], pixels=40)
        if np.isfinite(fresh.distance):
            assert shown.distance == pytest.approx(fresh.distance, abs=0.01)
        else:
            assert shown.distance == math.inf
    assert reuse.mask_count == 2  # at the largest size, then at the sensor's


def test_the_view_volume_shrinks_to_the_mask_and_starts_again_after_a_change() -> None:
    scene = Meshes(at(make_box((3, 3, 0.2)), 0, 0, 6))
    reuse = MaskReuse(make_sphere(32, 16, 0.25), (4.0, 4.0), (40, 40))
    motion = ougi.Translation3d([0, 0, 9.0])
    widths = [float(reuse.draw(motion, scene).window[2]) for _ in range(3)]
    assert widths[0] == 4.0
    assert 0.5 <= widths[1] == widths[2] <= 0.8
    reuse.replace_sensor(make_sphere(32, 16, 0.5))
    assert float(reuse.draw(motion, scene).window[2]) == 4.0
    reuse.replace_sensor(
        make_sphere(32, 16, 1.0)
    )  # again, before the size was read: it may not be that of the first change
    assert float(reuse.draw(motion, scene).window[2]) == 4.0
    assert 2.0 <= float(reuse.draw(motion, scene).window[2]) <= 2.4
    assert reuse.mask_count == 5
    reuse.draw(ougi.Translation3d([0, 1.0, 9.0]), scene)  # another direction: another mask
    assert reuse.mask_count == 6


def test_a_sensor_larger_than_the_largest_size_is_named() -> None:
    reuse = MaskReuse(make_sphere(32, 16, 1.0), (1.0, 1.0))
    with pytest.raises(ValueError, match="max_size must hold the sensor"):
        reuse.draw(ougi.Translation3d([0, 0, 1]), Meshes(at(make_box(), 0, 0, 6)))


def test_a_reused_mask_holds_the_whole_sensor_in_any_direction() -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    sensor = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    rng, found = np.random.default_rng(2), 0
    for _ in range(40):
        shift = rng.normal(size=3)
        shift *= 4 / np.linalg.norm(shift)
        target = at(make_box((0.3, 0.3, 0.3)), *(corners[rng.integers(4)] + 0.6 * shift))
        once = Scopes.draw(sensor, ougi.Translation3d(shift), target, pixels=40)
        reuse = MaskReuse(sensor, 1.05 * once.window[2:4], pixels=40)
        for _ in range(3):
            again = reuse.draw(ougi.Translation3d(shift), target)
            assert np.isfinite(again.distance) or np.isinf(once.distance)
        found += int(np.isfinite(once.distance))
    assert found > 30


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"max_size": 5}, ValueError, "max_size must"),
        ({"max_size": (np.nan, 1)}, ValueError, "max_size must be finite"),
        ({"max_size": (0, 1)}, ValueError, "max_size must be a positive width and height"),
        ({"pixels": (-5, 3)}, ValueError, "pixels must be positive integers"),
        ({"sensor": [make_box(), make_box()]}, ValueError, "sensor must be one mesh, got 2"),
    ],
)
def test_bad_input_of_reused_masks_is_named(
    arguments: dict[str, object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        MaskReuse(**({"sensor": make_box(), "max_size": (3, 3)} | arguments))  # type: ignore[arg-type]


def test_a_reused_mask_looks_at_meshes_along_straight_motions() -> None:
    reuse = MaskReuse(make_box(), (3, 3))
    assert np.isfinite(reuse.draw(ougi.Translation3d([0, 0, 5]), at(make_box(), 0, 0, 3)).distance)
    with pytest.raises(TypeError, match="motion must be Translation3d for the published method"):
        reuse.draw(ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0), at(make_box(), 0, 0, 3))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="motion must not be zero"):
        reuse.draw(ougi.Translation3d([0, 0, 0]), at(make_box(), 0, 0, 3))
