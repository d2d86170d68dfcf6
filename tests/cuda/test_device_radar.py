"""Radars on a GPU see what those of the CPU see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from devices import SIMULATED, assert_same_form, on_host

import ougi.cuda
from ougi.cuda.driver import to_device
from ougi.radar import Meshes, Volume, detect
from ougi_lab.scenes.meshes import make_box, move_mesh


def make_scene(n: int, pixels: Any) -> tuple[Any, Any]:
    """Boxes, a pair of them with faces in one plane, and radars of which the first see them."""
    places = [[0.0, 0, 3], [0.5, 0, 3], [0.6, 0.2, 5], [9.0, 0, 4]]
    scene = Meshes(
        [move_mesh(make_box(), np.eye(3), np.array(place)) for place in places], bodies=[9, 4, 7, 1]
    )
    rng = np.random.default_rng(2)
    origin, direction = rng.uniform(-0.2, 0.2, (n, 3)), [0, 0, 1] + 0.2 * rng.normal(size=(n, 3))
    origin[0], direction[0] = 0, [0, 0, 1]
    return scene, Volume(origin, direction, np.full((n, 3), [3.0, 2.0, 8.0]), pixels=pixels)


@pytest.mark.parametrize("method", ["point", "conservative"])
def test_radars_see_what_those_of_the_cpu_see(method: Any) -> None:
    n, pixels = (2, [5, 3]) if SIMULATED else (300, [21, 16])
    scene, volume = make_scene(n, pixels)
    want = detect(volume, scene, method=method)
    seen = ougi.cuda.detect(ougi.cuda.put(volume), ougi.cuda.put(scene), method=method, result="numpy")
    assert seen.count.max() >= 2
    k = want.body.shape[1]
    listed = ougi.cuda.detect(
        ougi.cuda.put(volume), ougi.cuda.put(scene), method=method, max_bodies=k, result="numpy"
    )
    assert_same_form(listed, want)
    for name in ("count", "depth_image", "body_image"):
        assert np.array_equal(getattr(seen, name), getattr(want, name))
    assert seen.body[:, :k].tolist() == want.body.tolist()
    assert seen.depth[:, :k].tolist() == want.depth.tolist()
    np.testing.assert_allclose(seen.point, want.point, atol=1e-12)
    assert (seen.body[:, k:] == -1).all()
    assert np.isinf(seen.depth[:, k:]).all()


def test_radars_ignore_bodies_and_count_more_than_they_list() -> None:
    scene, volume = (ougi.cuda.put(part) for part in make_scene(2, [5, 3]))
    listed = ougi.cuda.detect(volume, scene, max_bodies=2, result="numpy")
    # Two are equally near: the lower number comes first.
    assert (listed.count[0], listed.body[0].tolist(), listed.depth[0].tolist()) == (3, [4, 9], [2.5, 2.5])
    for ignore in ([4], [[4], [9]], to_device(np.array([[4], [9]]))):
        seen = ougi.cuda.detect(volume, scene, ignore=ignore, result="numpy")
        assert (seen.count[0], seen.body[0, 0]) == (2, 9)
    assert 9 not in seen.body_image[1]
    with pytest.raises(ValueError, match=r"ignore must be int64 of shape \(2, k\) on the GPU, got float64"):
        ougi.cuda.detect(volume, scene, ignore=to_device(np.zeros((2, 1))))


def test_an_earlier_detection_is_written_again() -> None:
    scene, volume = (ougi.cuda.put(part) for part in make_scene(2, [5, 3]))
    first = ougi.cuda.detect(volume, scene, ignore=[4, 9, 7], max_bodies=3)
    assert on_host(first.count).tolist() == [0, 0]
    again = ougi.cuda.detect(volume, scene, out=first)
    assert again is first
    assert on_host(first.body)[0].tolist() == [4, 9, 7]
    other = ougi.cuda.put(make_scene(1, [5, 3])[1])
    with pytest.raises(ValueError, match=r"out must hold images of shape \(1, 3, 5\), got \(2, 3, 5\)"):
        ougi.cuda.detect(other, scene, out=first)
    with pytest.raises(TypeError, match="out must be an earlier result of detect with result='device'"):
        ougi.cuda.detect(volume, scene, out=ougi.cuda.detect(volume, scene, result="numpy"))  # type: ignore[call-overload]


def test_radars_see_vertices_that_moved_on_the_device() -> None:
    scene, volume = make_scene(1, [3, 2])
    bent = scene.vertices * [1, 1.1, 0.9] + 0.05 * np.sin(scene.vertices)
    there = ougi.cuda.put(scene).deformed(to_device(bent))
    assert np.array_equal(on_host(there.packed.lower), scene.deformed(bent).lower)
    seen = ougi.cuda.detect(ougi.cuda.put(volume), there, result="numpy")
    want = detect(volume, scene.deformed(bent))
    assert np.array_equal(seen.depth_image, want.depth_image)
    assert np.array_equal(seen.body_image, want.body_image)
    with pytest.raises(TypeError, match=r"vertices must be an array on the GPU, got host memory; cupy"):
        there.deformed(bent)
    with pytest.raises(ValueError, match=r"vertices must be float64 of shape \(32, 3\), C-contiguous, "):
        there.deformed(to_device(bent[:4]))


def test_no_radars_and_radars_that_see_nothing() -> None:
    scene = ougi.cuda.put(make_scene(1, 1)[0])
    none = ougi.cuda.put(Volume(np.zeros((0, 3)), [0, 0, 1], [1, 1, 1], pixels=3))
    assert ougi.cuda.detect(none, scene).count.shape == (0,)
    away = ougi.cuda.put(Volume([0, 0, 0], [0, 0, -1], [1, 1, 1], pixels=1))  # one volume, no batch
    seen = ougi.cuda.detect(away, scene, result="numpy")
    assert (int(seen.count), seen.body_image[0, 0], seen.depth_image[0, 0]) == (0, -1, 1.0)
    assert np.isnan(seen.point).all()


def test_radars_refuse_what_they_cannot_see() -> None:
    scene, volume = make_scene(2, [3, 2])
    with pytest.raises(TypeError, match=r"scene must be an ougi.radar.Meshes on the GPU, got a Meshes: use"):
        ougi.cuda.detect(ougi.cuda.put(volume), scene)
    with pytest.raises(TypeError, match=r"volume must be an ougi.radar.Volume on the GPU, got a Device"):
        ougi.cuda.detect(ougi.cuda.put(scene), ougi.cuda.put(scene))
    mixed = Volume(np.zeros((3, 3)), [0, 0, 1], [1, 1, 1], pixels=[4, 4, 8])
    with pytest.raises(ValueError, match="images of one size, got 4 x 4 and 8 x 8 pixels: put those of each"):
        ougi.cuda.put(mixed)
    with pytest.raises(ValueError, match="method must be one of point, conservative; got 'some'"):
        ougi.cuda.detect(ougi.cuda.put(volume), ougi.cuda.put(scene), method="some")  # type: ignore[call-overload]
    elsewhere = ougi.cuda.put(scene)
    elsewhere.device = 7
    with pytest.raises(ValueError, match="scene lies on device 7, but device 0 is current"):
        ougi.cuda.detect(ougi.cuda.put(volume), elsewhere)
    assert repr(ougi.cuda.put(scene)) == "<Meshes: 4 meshes of 48 faces, on device 0>"
    assert repr(ougi.cuda.put(volume)) == "<Volume: 2 of 3 x 2 pixels, on device 0>"


@pytest.mark.skipif(SIMULATED, reason="the simulator has the memory of the host")
def test_images_that_need_too_much_memory_are_a_memory_error() -> None:
    scene, volume = (ougi.cuda.put(part) for part in make_scene(100_000, 1_000))
    with pytest.raises(MemoryError, match="GiB left"):
        ougi.cuda.detect(volume, scene)
