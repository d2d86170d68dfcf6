"""What the galleries show, without a browser."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.viewer.server import start_server
from ougi_lab.galleries import corridor, fan, radar, sort


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with start_server(0) as server:
        yield server


@pytest.mark.parametrize("family", fan.FAMILIES)
@pytest.mark.parametrize("construction", [fan.BY_HAND, *fan.CONSTRUCTIONS])
def test_every_sector_hits_part_of_every_family(family: str, construction: str) -> None:
    targets = fan.draw_bodies(family)
    hit = fan.find_hits(fan.build_sector(fan.Setting(construction, turn=30.0), family in fan._FLAT), targets)
    assert 0 < hit.sum() < len(hit) == len(targets)


@pytest.mark.parametrize("construction", [fan.BY_HAND, "sector"])
def test_radii_of_the_gallery_are_those_of_the_sector(construction: str) -> None:
    setting = fan.Setting(construction, inner_radius=2.5, outer_radius=4.0)
    for flat in (True, False):
        made: Any = fan.build_sector(setting, flat)
        assert (float(made.inner_radius), float(made.outer_radius)) == pytest.approx((2.5, 4.0), rel=1e-12)


def test_the_gallery_of_fan_draws_what_is_set(server: Any) -> None:
    server.scene.reset()
    gallery = fan.Gallery(server)
    try:
        for family, construction in (("points", fan.BY_HAND), ("boxes", "exact"), ("rectangles", "sector")):
            gallery._family.value, gallery._construction.value = family, construction
            gallery._work.wait_idle()
            gallery.draw()
            expected = fan.find_hits(
                fan.build_sector(fan.Setting(construction), family in fan._FLAT), fan.draw_bodies(family)
            )
            assert f'data-hits="{expected.sum()}" data-all="{len(expected)}"' in gallery._count.content
            assert gallery._sliders["half_height"].disabled == (family == "rectangles")
            assert gallery._sliders["tilt"].disabled == (
                family != "points"
            )  # of a turning box it does nothing
    finally:
        gallery.close()


def test_the_gallery_of_sort_counts_and_goes_on(server: Any) -> None:
    server.scene.reset()
    gallery = sort.Gallery(server)
    gallery.close()
    gallery._restart(100)
    gallery.draw()
    assert f'data-method="brute" data-tests="{100 * 99 // 2}"' in gallery._list.content
    tests = sort.count_all_methods(gallery.world)
    assert tests["best-axis"] < tests["x"] < tests["brute"]
    red = sort.mark_touching(gallery.world)
    apart = np.linalg.norm(gallery.world.center[:, None] - gallery.world.center, axis=-1) + 9 * np.eye(100)
    assert red.tolist() == (apart.min(axis=1) <= 2 * 2.0).tolist()


def test_the_gallery_of_radar_shows_how_far_a_body_can_fly(server: Any) -> None:
    server.scene.reset()
    gallery = radar.Gallery(server)
    try:
        for direction, hits in ((0.0, True), (60.0, False)):
            gallery._sliders["direction"].value = direction
            gallery.draw()
            body, motion = radar.build_sensor(20.0), radar.build_motion(direction, 4.0)
            first = [
                ougi.time_of_impact(body, motion, target, method="advancement") for target in radar.TARGETS
            ]
            free = min((4.0 * float(f.t) for f in first if f.hit), default=math.inf)
            assert math.isfinite(free) == hits
            shown = float(gallery._text.content.split('data-exact="')[1].split('"')[0])
            assert shown == pytest.approx(free, abs=1e-6)
    finally:
        gallery.close()


def test_the_gallery_of_radar_shows_a_grasp_frame_by_frame(server: Any) -> None:
    server.scene.reset()
    gallery, run = radar.Gallery(server), radar.simulate_thing("rod")
    try:
        gallery._what.value, gallery._thing.value = radar.GRASP, "rod"
        for share, phase in ((0.0, "search"), (1.0, "done")):
            gallery._sliders["share"].value = share
            gallery.draw()
            assert f", {phase}," in gallery._text.content
        stopped = {event.finger for event in run.events if event.what == "stopped"}
        assert len(stopped) >= 3
        assert f'data-touching="{len(stopped)}"' in gallery._text.content
        assert len(gallery._handles) == 17
    finally:
        gallery.close()


def test_scopes_are_bright_where_something_is_near() -> None:
    image = radar.render_scope(np.array([[0.0, 1.0], [np.nan, 0.5]]), 1.0)
    bottom, top = image[-1], image[0]  # rows go up
    assert bottom[0].tolist() == [255, 255, 255]
    assert bottom[-1].tolist() == top[0].tolist() == [60, 90, 150]
    assert 100 < top[-1, 0] < 200


def test_a_strip_has_the_groups_of_the_paper() -> None:
    run = corridor.MazeRun(5, 200, 2.0, corridor.SHAPES[1])
    groups = run.list_groups()
    assert set(np.bincount(groups)[:-1]) == {corridor.K - 1}  # and the first one of the next group
    held = run.find_group_of_first()
    assert 0 < held.sum() < len(held)
    x = run.corridor.segments[held][..., 0]
    assert x.min() <= run.position[0, 0] <= x.max()


def test_characters_of_the_corridor_stay_inside_whatever_finds_the_walls(server: Any) -> None:
    ends = []
    for name in ("chain", "reach"):
        run = corridor.MazeRun(number=30, segments=400, speed=20.0)
        for _ in range(3):
            run.step(name)
        assert run.corridor.inside(run.position).all()
        ends.append(run.position)
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)
    assert run.bounced.any()
    tests = run.count_tested_segments()
    assert tests["reach"] < tests["chain"] < tests["brute"] == len(run.corridor.segments)
    server.scene.reset()
    gallery = corridor.Gallery(server, number=20)
    gallery.close()
    gallery.draw()
    assert 'data-structure="reach"' in gallery._list.content
