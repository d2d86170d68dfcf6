"""What the galleries show, without a browser."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.viewer.server import started
from ougi_lab.galleries import corridor, fan, radar, sort


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with started(0) as server:
        yield server


@pytest.mark.parametrize("kind", fan.FAMILIES)
@pytest.mark.parametrize("construction", [fan.BY_HAND, *fan.CONSTRUCTIONS])
def test_every_sector_can_be_asked_about_every_crowd(kind: str, construction: str) -> None:
    what = fan.draw_bodies(kind)
    hit = fan.touched(fan.sector(fan.Setting(construction, turn=30.0), kind in fan._FLAT), what)
    assert 0 < hit.sum() < len(hit) == len(what)


@pytest.mark.parametrize("construction", [fan.BY_HAND, "sector"])
def test_radii_of_the_gallery_are_those_of_the_sector(construction: str) -> None:
    setting = fan.Setting(construction, inner_radius=2.5, outer_radius=4.0)
    for flat in (True, False):
        made: Any = fan.sector(setting, flat)
        assert (float(made.inner_radius), float(made.outer_radius)) == pytest.approx((2.5, 4.0), rel=1e-12)


def test_the_gallery_of_fan_draws_what_is_set(server: Any) -> None:
    server.scene.reset()
    gallery = fan.Gallery(server)
    try:
        for kind, construction in (("points", fan.BY_HAND), ("boxes", "exact"), ("rectangles", "sector")):
            gallery._kind.value, gallery._construction.value = kind, construction
            gallery._work.rest()
            gallery.draw()
            expected = fan.touched(
                fan.sector(fan.Setting(construction), kind in fan._FLAT), fan.draw_bodies(kind)
            )
            assert f'data-hits="{expected.sum()}" data-all="{len(expected)}"' in gallery._count.content
            assert gallery._sliders["half_height"].disabled == (kind == "rectangles")
            assert gallery._sliders["tilt"].disabled == (kind != "points")  # of a turning box it does nothing
    finally:
        gallery.close()


def test_the_gallery_of_sort_counts_and_goes_on(server: Any) -> None:
    server.scene.reset()
    gallery = sort.Gallery(server)
    gallery.close()
    gallery._begin(100)
    gallery.draw()
    assert f'data-method="brute" data-tests="{100 * 99 // 2}"' in gallery._list.content
    tests = sort.counts(gallery.world)
    assert tests["best-axis"] < tests["x"] < tests["brute"]
    red = sort.touching(gallery.world)
    apart = np.linalg.norm(gallery.world.center[:, None] - gallery.world.center, axis=-1) + 9 * np.eye(100)
    assert red.tolist() == (apart.min(axis=1) <= 2 * 2.0).tolist()


def test_the_gallery_of_radar_shows_how_far_a_body_can_fly(server: Any) -> None:
    server.scene.reset()
    gallery = radar.Gallery(server)
    try:
        for direction, hits in ((0.0, True), (60.0, False)):
            gallery._sliders["direction"].value = direction
            gallery.draw()
            body, way = radar.sensor(20.0), radar.flight(direction, 4.0)
            first = [ougi.time_of_impact(body, way, target, method="advancement") for target in radar.TARGETS]
            free = min((4.0 * float(f.t) for f in first if f.hit), default=math.inf)
            assert math.isfinite(free) == hits
            told = float(gallery._text.content.split('data-exact="')[1].split('"')[0])
            assert told == pytest.approx(free, abs=1e-6)
    finally:
        gallery.close()


def test_the_gallery_of_radar_shows_a_grasp_frame_by_frame(server: Any) -> None:
    server.scene.reset()
    gallery, run = radar.Gallery(server), radar.grasp("rod")
    try:
        gallery._what.value, gallery._thing.value = radar.GRASP, "rod"
        for share, phase in ((0.0, "search"), (1.0, "done")):
            gallery._sliders["share"].value = share
            gallery.draw()
            assert f", {phase}," in gallery._text.content
        stopped = {event.finger for event in run.events if event.what == "stopped"}
        assert len(stopped) >= 3
        assert f'data-touching="{len(stopped)}"' in gallery._text.content
        assert len(gallery._things) == 17
    finally:
        gallery.close()


def test_scopes_are_bright_where_something_is_near() -> None:
    image = radar.picture(np.array([[0.0, 1.0], [np.nan, 0.5]]), 1.0)
    bottom, top = image[-1], image[0]  # rows go up
    assert bottom[0].tolist() == [255, 255, 255]
    assert bottom[-1].tolist() == top[0].tolist() == [60, 90, 150]
    assert 100 < top[-1, 0] < 200


def test_characters_of_the_corridor_stay_inside_whatever_finds_the_walls(server: Any) -> None:
    ends = []
    for name in ("chain", "reach"):
        run = corridor.Run(number=30, segments=400, speed=20.0)
        for _ in range(3):
            run.step(name)
        assert run.corridor.inside(run.position).all()
        ends.append(run.position)
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
    assert run.bounced.any()
    tests = run.looked_at()
    assert tests["reach"] < tests["chain"] < tests["brute"] == len(run.corridor.segments)
    server.scene.reset()
    gallery = corridor.Gallery(server, number=20)
    gallery.close()
    gallery.draw()
    assert 'data-structure="reach"' in gallery._list.content
