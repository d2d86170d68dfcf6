"""Radars that OpenGL draws: the images of the embedded rasteriser, in one draw."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.errors import DeviceError, MissingExtraError
from ougi.radar import Meshes, Volume, collide, detect
from ougi.radar.gl import GlRadars, pack_tiles
from ougi_lab.scenes.meshes import make_box, make_sphere, move_mesh

EYE = np.eye(3)


@pytest.fixture(scope="module")
def radars() -> Iterator[GlRadars]:
    try:
        made = GlRadars()
    except (DeviceError, MissingExtraError) as error:
        pytest.skip(f"no OpenGL: {error}")
    with made:
        yield made


def standalone(version: int) -> Any:
    """A context of another library."""
    import moderngl

    options: dict[str, Any] = {"backend": "egl"} if sys.platform == "linux" else {}
    return moderngl.create_standalone_context(require=version, **options)


def scene() -> Meshes:
    places = ([0.0, 0, 3], [0.6, 0, 5], [9.0, 0, 4], [0.0, 0, -2])
    return Meshes([move_mesh(make_box(), EYE, np.array(p)) for p in places], bodies=[4, 7, 1, 2])


def test_what_is_seen_is_what_the_embedded_rasteriser_sees(radars: GlRadars) -> None:
    volume = Volume([0, 0, 0], [0, 0.1, 1], [3.1, 2.9, 8], pixels=[30, 20])
    seen, expected = radars.detect(volume, scene()), detect(volume, scene())
    assert seen.hit
    assert seen.body.tolist() == expected.body.tolist() == [4, 7]
    assert seen.depth == pytest.approx(expected.depth, abs=1e-5)
    assert np.array_equal(seen.body_image, expected.body_image)
    assert seen.depth_image == pytest.approx(expected.depth_image, abs=1e-5)
    assert seen.point == pytest.approx(expected.point, abs=1e-5)


def test_volumes_of_all_sizes_are_one_draw(radars: GlRadars) -> None:
    volumes = Volume(
        [[0, 0, 0], [9, 0, 0], [5, 5, 5]], [0, 0, 1], [2, 2, 8], pixels=[[4, 6], [20, 20], [1, 1]]
    )
    before = radars.draws
    seen = radars.detect(volumes, scene())
    assert radars.draws == before + 1
    assert seen.body.tolist() == [[4, 7], [1, -1], [-1, -1]]
    assert seen.depth_image.shape == (3, 20, 20)
    many = Volume(np.zeros((200, 3)), np.random.default_rng(1).normal(size=(200, 3)), [4, 4, 9], pixels=16)
    seen, expected = radars.detect(many, scene()), detect(many, scene())
    assert radars.draws == before + 2
    assert seen.body.tolist() == expected.body.tolist()


def test_tiles_do_not_run_into_each_other(radars: GlRadars) -> None:
    # A wall that fills its own volume and would cover all of its neighbours.
    wall = Meshes(move_mesh(make_box((1e4, 1e4, 0.1)), EYE, np.array([0.0, 0, 3])))
    volumes = Volume([[0, 0, 0], [0, 0, 5]], [0, 0, 1], [1, 1, 4], pixels=8)
    seen = radars.detect(volumes, wall)
    assert (seen.body_image[0] == 0).all()
    assert seen.hit.tolist() == [True, False]


def test_ignored_bodies_are_seen_through(radars: GlRadars) -> None:
    volume = Volume([0, 0, 0], [0, 0, 1], [1, 1, 8], pixels=10)
    assert radars.detect(volume, scene(), ignore=[4]).body.tolist() == [7]
    assert not radars.detect(volume, scene(), ignore=[4, 7]).hit


def test_published_collisions_of_many_sensors_are_one_draw(radars: GlRadars) -> None:
    rng = np.random.default_rng(3)
    balls = Meshes([move_mesh(make_sphere(8, 9), EYE, place) for place in 5 * rng.normal(size=(20, 3))])
    motion = ougi.Translation3d(4 * rng.normal(size=(20, 3)))
    own = np.arange(20)[:, None]
    before = radars.draws
    found = radars.collide(balls, motion, balls, pixels=24, ignore=own)
    assert radars.draws == before + 1
    expected = collide(balls, motion, balls, method="published", pixels=24, ignore=own)
    assert found.status.tolist() == expected.status.tolist()
    assert {0, 1} <= set(found.status.tolist())
    hit = expected.status == 1
    assert found.distance[hit] == pytest.approx(expected.distance[hit], abs=2e-2)
    assert found.body[hit].tolist() == expected.body[hit].tolist()


def test_one_mesh_and_one_motion_give_one_entry(radars: GlRadars) -> None:
    found = radars.collide(
        make_box(), ougi.Translation3d([0, 0, 4]), move_mesh(make_box(), EYE, np.array([0.1, 0.1, 3]))
    )
    assert found.distance == pytest.approx(2.0, abs=1e-5)
    assert found.status.shape == ()
    with pytest.raises(TypeError, match="motion must be Translation3d for the published method"):
        radars.collide(make_box(), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0), make_box())  # type: ignore[arg-type]


def test_a_scene_that_moves_is_drawn_where_it_is(radars: GlRadars) -> None:
    volume, still = Volume([0, 0, 0], [0, 0, 1], [1, 1, 20], pixels=5), scene()
    for shift in (0.0, 1.0, 2.5, -1.0):
        moving = still.deformed(still.vertices + np.array([0, 0, shift]))
        assert radars.detect(volume, moving).depth_image == pytest.approx(
            detect(volume, moving).depth_image, abs=1e-5
        )


def test_far_from_the_origin_nothing_is_lost(radars: GlRadars) -> None:
    far = np.array([3e6, -2e6, 1e6])
    there = scene().deformed(scene().vertices + far)
    seen = radars.detect(Volume(far, [0, 0, 1], [3, 3, 8], pixels=30), there)
    assert seen.depth == pytest.approx([2.5, 4.5], abs=1e-5)


def test_a_context_of_the_user_stays_his(radars: GlRadars) -> None:
    with standalone(430) as context:
        frame = context.simple_framebuffer((8, 8))
        frame.use()
        with GlRadars(context) as mine:
            assert mine.detect(Volume([0, 0, 0], [0, 0, 1], [1, 1, 8], pixels=4), scene()).hit
        assert context.fbo.glo == frame.glo
        frame.clear(1.0, 0.0, 0.0)
        assert frame.read()[:3] == b"\xff\x00\x00"
        with pytest.raises(DeviceError, match="gone or closed"):
            mine.detect(Volume([0, 0, 0], [0, 0, 1], [1, 1, 8]), scene())


def test_a_lost_context_is_named(radars: GlRadars) -> None:
    context = standalone(430)
    mine = GlRadars(context)
    context.release()
    with pytest.raises(DeviceError, match="gone or closed: make a new"):
        mine.detect(Volume([0, 0, 0], [0, 0, 1], [1, 1, 8]), scene())
    mine.close()  # nothing is left to give back
    with pytest.raises(DeviceError, match="released"):
        GlRadars(context)


def test_errors_of_the_driver_are_reported(radars: GlRadars, monkeypatch: pytest.MonkeyPatch) -> None:
    import moderngl

    monkeypatch.setattr(moderngl.Context, "error", "GL_OUT_OF_MEMORY")
    with pytest.raises(DeviceError, match="failed: GL_OUT_OF_MEMORY; if the context is lost"):
        radars.detect(Volume([0, 0, 0], [0, 0, 1], [1, 1, 8]), scene())


def test_without_moderngl_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "moderngl", None)
    with pytest.raises(MissingExtraError, match=r'pip install "ougi\[gl\]"'):
        GlRadars()


def test_without_a_driver_what_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    moderngl = pytest.importorskip("moderngl")

    def fails(**_: Any) -> None:
        raise Exception("libEGL.so not loaded")

    monkeypatch.setattr(moderngl, "create_standalone_context", fails)
    with pytest.raises(DeviceError, match=r"libEGL.so not loaded.*apt-get install libegl1") as error:
        GlRadars()
    assert "ougi.radar.detect and collide need none" in str(error.value)


def test_old_contexts_and_other_objects_are_refused(radars: GlRadars) -> None:
    with pytest.raises(TypeError, match=r"context must be a moderngl\.Context, got int"):
        GlRadars(3)
    with standalone(330) as context:
        context.version_code = 330
        with pytest.raises(DeviceError, match=r"context must have OpenGL 4\.3, got 3\.3"):
            GlRadars(context)


def test_an_atlas_has_room_for_all_and_no_tile_over_another() -> None:
    sides = np.random.default_rng(2).integers(1, 60, (300, 2))
    places, size = pack_tiles(sides, 4096)
    drawn = np.zeros(size[::-1], bool)
    for (x, y), (columns, rows) in zip(places, sides, strict=True):
        assert not drawn[y : y + rows, x : x + columns].any()
        drawn[y : y + rows, x : x + columns] = True
    assert drawn.sum() == np.prod(sides, axis=1).sum()
    assert drawn.mean() > 0.6
    with pytest.raises(ValueError, match=r"must fit into 64 x 64, got .* several frames"):
        pack_tiles(sides, 64)
