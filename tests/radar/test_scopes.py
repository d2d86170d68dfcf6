"""View volumes, range scopes and ids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ougi.radar import Meshes, Volume, detect
from ougi_lab.scenes.meshes import make_box, make_sphere, move_mesh

EYE = np.eye(3)


def scene() -> Meshes:
    places = ([0.0, 0, 3], [0.6, 0, 5], [9.0, 0, 4], [0.0, 0, -2])
    return Meshes([move_mesh(make_box(), EYE, np.array(p)) for p in places], bodies=[4, 7, 1, 2])


def test_bodies_in_the_volume_and_their_depths() -> None:
    seen = detect(Volume([0, 0, 0], [0, 0, 1], [3, 3, 8], pixels=30), scene())
    assert seen.hit
    assert seen.count == 2
    assert seen.body.tolist() == [4, 7]
    assert seen.depth == pytest.approx([2.5, 4.5], abs=1e-12)
    assert seen.point[2] == 2.5
    assert set(np.unique(seen.body_image)) == {-1, 4, 7}
    assert seen.depth_image[0, 0] == 8.0
    assert seen.body_image[15, 15] == 4


def test_the_image_is_the_scene_seen_along_the_direction() -> None:
    volume = Volume([0, 0, 0], [0, 0, 1], [4, 2, 8], pixels=[40, 20], up=[0, 1, 0])
    seen = detect(volume, scene())
    assert seen.depth_image.shape == (20, 40)
    for j in range(20):
        for i in range(40):
            u, v = -2 + (i + 0.5) * 0.1, -1 + (j + 0.5) * 0.1
            near = abs(u) < 0.5 and abs(v) < 0.5
            behind = abs(u - 0.6) < 0.5 and abs(v) < 0.5
            assert seen.depth_image[j, i] == pytest.approx(2.5 if near else 4.5 if behind else 8.0, abs=1e-12)


def test_what_lies_before_the_near_side_or_beyond_the_far_one_is_not_seen() -> None:
    assert not detect(Volume([0, 0, 0], [0, 0, 1], [3, 3, 2.4], pixels=9), scene()).hit
    back = detect(Volume([0, 0, 0], [0, 0, -1], [3, 3, 2], pixels=9), scene())
    assert back.body.tolist() == [2]
    inside = detect(Volume([0, 0, 3], [0, 0, 1], [0.5, 0.5, 9], pixels=9), scene())
    assert inside.depth[0] == 0.5  # the box's own far side, seen from inside


def test_no_center_falls_between_two_faces_that_share_an_edge() -> None:
    """Every radar looks at a point of an edge between two triangles of a ball, from in front of both."""
    ball, rng = make_sphere(14, 7), np.random.default_rng(3)
    a, b, c = (ball.vertices[ball.faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    face = np.flatnonzero(np.linalg.norm(normals, axis=1) > 1e-3)[rng.integers(0, 100, 4000)]
    share = rng.uniform(0, 1, (4000, 1))
    points = (1 - share) * a[face] + share * b[face]
    seen = detect(Volume(2 * points, -points, [1e-3, 1e-3, 1.5], pixels=1), ball)
    assert seen.hit.all()


def test_conservative_images_never_miss_and_never_lie_deeper() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        speck = move_mesh(make_box((0.01, 0.01, 0.01)), EYE, np.array([*rng.uniform(-0.9, 0.9, 2), 3.0]))
        volume = Volume([0, 0, 0], [0, 0, 1], [2, 2, 8], pixels=8)
        assert detect(volume, speck, method="conservative").depth[0] == pytest.approx(2.995, abs=1e-9)
    ball = move_mesh(make_sphere(20, 10), EYE, np.array([0.1, 0.2, 3]))
    point, safe = detect(volume, ball, method="point"), detect(volume, ball, method="conservative")
    assert (safe.depth_image <= point.depth_image).all()
    assert (safe.body_image >= point.body_image).all()


def test_a_pixel_shows_one_body_with_any_method() -> None:
    wall, ball = (
        move_mesh(make_box(), EYE, np.array([-0.4, -0.5, 2])),
        move_mesh(make_box(), EYE, np.array([0.6, -0.5, 5])),
    )
    volume = Volume([0, 0, 0], [0, 0, 1], [2, 2, 8], pixels=2)
    assert detect(volume, [wall, ball]).body.tolist() == [0, 1]
    # The wall reaches into the ball's pixel, if only by a tenth of it.
    assert detect(volume, [wall, ball], method="conservative").body.tolist() == [0]


def test_many_volumes_of_different_size_in_one_call() -> None:
    volumes = Volume(
        [[0, 0, 0], [9, 0, 0], [5, 5, 5]], [0, 0, 1], [2, 2, 8], pixels=[[4, 6], [20, 20], [1, 1]]
    )
    seen = detect(volumes, scene())
    assert seen.body.tolist() == [[4, 7], [1, -1], [-1, -1]]
    assert seen.count.tolist() == [2, 1, 0]
    assert np.isinf(seen.depth[1:, 1]).all()
    assert seen.depth_image.shape == seen.body_image.shape == (3, 20, 20)
    for k, (columns, rows) in enumerate(volumes.pixels):
        is_drawn = np.zeros((20, 20), np.bool_)
        is_drawn[:rows, :columns] = True
        assert np.array_equal(np.isfinite(seen.depth_image[k]), is_drawn)
    assert np.isnan(seen[2].point).all()


def test_ignored_bodies_are_seen_through() -> None:
    volume = Volume([0, 0, 0], [0, 0, 1], [1, 1, 8], pixels=10)
    assert detect(volume, scene(), ignore=[4]).body.tolist() == [7]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"direction": [0, 0, 0]}, "direction must not have zero length"),
        ({"size": [1, 0, 1]}, "size must be positive"),
        ({"pixels": -3}, "pixels must be positive"),
        ({"up": [0, 0, -2]}, r"up must not be parallel to direction, got \[0.0, 0.0, -1.0\]"),
        ({"origin": [0, np.nan, 0]}, "origin must be finite"),
    ],
)
def test_bad_volumes_are_named(arguments: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"origin": [0, 0, 0], "direction": [0, 0, 1], "size": [1, 1, 1], "pixels": 3}
    with pytest.raises(ValueError, match=words):
        Volume(**(given | arguments))
