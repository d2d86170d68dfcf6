"""What the viewer shows, without a browser: poses, meshes, events, and the worker behind the sliders."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ougi
from ougi.cli import formats
from ougi.cli.scene_options import find_recorded
from ougi.scene import Body, Piece
from ougi.viewer.events import format_html, list_report_events, read_result
from ougi.viewer.latest_only_worker import LatestOnlyWorker
from ougi.viewer.page import Page
from ougi.viewer.poses import ScenePoses, compute_quaternions
from ougi.viewer.server import HOST, Visitors, start_server
from ougi.viewer.solids import build_solid, group_solids
from ougi.viewer.stage import Stage

SCENES = Path(__file__).parents[2] / "examples" / "scenes"
NAMES = ["bat_and_ball.toml", "sword_and_enemies.toml", "robot_arm.toml", "pinball.toml", "door.glb"]


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with start_server(0) as server:
        yield server


# --- poses and meshes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_all_bodies_are_where_the_scene_says(name: str) -> None:
    scene = ougi.load_scene(SCENES / name)
    poses, d = ScenePoses(scene), scene.dimension
    for t in [*np.linspace(0, scene.duration, 7), *scene.times]:
        rotation, position = poses.at(float(t))
        for k, body in enumerate(scene.bodies):
            expected = body.at(float(t))
            assert rotation[k][:d, :d] == pytest.approx(expected.rotation, abs=1e-12)
            assert position[k][:d] == pytest.approx(expected.position, abs=1e-12)


def test_after_a_jump_a_body_is_where_it_jumped_to() -> None:
    jump = Piece(1.0, 1.0, ougi.Translation2d([5, 0]))
    scene = ougi.Scene((Body("flea", ougi.Circle([0, 0], 1), (jump,)),), duration=2.0)
    spots = [ScenePoses(scene).at(t)[1][0, 0] for t in (0.999, 1.0, 1.5)]
    assert spots == [0.0, 5.0, 5.0]


def test_quaternions_are_scipys() -> None:
    turns = Rotation.random(200, rng=np.random.default_rng(1)).as_matrix()
    halves = Rotation.from_rotvec(math.pi * np.eye(3)).as_matrix()  # w is 0
    given = np.concatenate([turns, halves, np.eye(3)[None]])
    back = Rotation.from_quat(np.roll(compute_quaternions(given), -1, axis=1)).as_matrix()
    assert back == pytest.approx(given, abs=1e-12)


def test_meshes_lie_on_their_shapes(shapes: Any) -> None:
    """Scaled, turned and placed, the unit mesh has the bounds of the shape."""
    shape = shapes.build()
    one = build_solid(shape, 1e-6)  # what has no thickness is drawn thin
    vertices = (one.make().vertices * one.scale) @ np.asarray(one.rotation).T + one.center
    box, d = shape.bounds(), shape.dimension
    size = float(np.max(box.upper - box.lower))
    is_round = shapes.name in ("Circle", "Sphere", "Capsule2d", "Capsule3d", "Sector2d", "Sector3d")
    slack = 0.02 * size if is_round else 1e-6
    assert vertices[:, :d].min(axis=0) == pytest.approx(box.lower, abs=slack)
    assert vertices[:, :d].max(axis=0) == pytest.approx(box.upper, abs=slack)


def test_a_thousand_balls_and_boxes_are_two_meshes() -> None:
    rng = np.random.default_rng(0)
    bodies: list[ougi.Shape] = [ougi.Sphere(rng.normal(size=3), r) for r in rng.uniform(1, 2, 500)]
    bodies += [ougi.Box(rng.normal(size=3), s) for s in rng.uniform(1, 2, (500, 3))]
    assert [len(group.members) for group in group_solids(bodies, 1.0)] == [500, 500]


# --- events -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["exact", "discrete", "sector-enclosing"])
def test_times_are_those_of_the_json_to_the_last_bit(method: str, tmp_path: Path) -> None:
    path = SCENES / "bat_and_ball.toml"
    report = ougi.check(ougi.load_scene(path), method=method)
    (tmp_path / "result.json").write_text(formats.as_json(report, path.name, 60.0), encoding="utf-8")
    (tmp_path / path.name).write_bytes(path.read_bytes())
    events, sources = read_result(tmp_path / "result.json")
    assert sources == {"path": path.name}
    assert events == list_report_events(report, 60.0)
    document = json.loads((tmp_path / "result.json").read_text())
    if method == "exact":
        assert [e.time for e in events.events] == [row["time"] for row in document["contacts"]]
        assert all(f'data-time="{row["time"]!r}"' in format_html(events) for row in document["contacts"])
    if method == "discrete":
        assert {event.what for event in events.events} == {"missed"}


def test_names_of_a_scene_are_never_html() -> None:
    evil = '<img src=x onerror="alert(1)">{alert(2)}'
    bodies = (Body(evil, ougi.Circle([0, 0], 1)), Body("b", ougi.Circle([1, 0], 1), (_move(),)))
    text = format_html(list_report_events(ougi.check(ougi.Scene(bodies, duration=1.0)), 60.0))
    assert "&lt;img" in text
    assert "<img" not in text


def _move() -> Piece:
    return Piece(0.0, 1.0, ougi.Translation2d([1, 0]))


def test_a_result_without_its_scene_is_refused(tmp_path: Path) -> None:
    scene = ougi.Scene((Body("a", ougi.Circle([0, 0], 1)),), duration=1.0)
    (tmp_path / "r.json").write_text(formats.as_json(ougi.check(scene), "gone.toml", 60.0), encoding="utf-8")
    with pytest.raises(ougi.InvalidInputError, match=r"r.json is about 'gone.toml', which is neither in"):
        find_recorded(tmp_path / "r.json", str(read_result(tmp_path / "r.json")[1]["path"]))
    (tmp_path / "s.json").write_text('{"schema": "ougi-check/2"}', encoding="utf-8")
    with pytest.raises(ougi.InvalidInputError, match=r"s.json must be a scene or a result"):
        read_result(tmp_path / "s.json")


# --- stage and page -----------------------------------------------------------------------------------------


def stage_of(server: Any, name: str) -> tuple[Stage, Any]:
    server.scene.reset()
    scene = ougi.load_scene(SCENES / name)
    return Stage(server.scene, scene), list_report_events(ougi.check(scene), 60.0)


def test_what_touches_turns_red_when_it_does(server: Any) -> None:
    stage, events = stage_of(server, "door_and_furniture.toml")
    stage.set_events(events)
    (event,) = events.events
    names = [body.name for body in stage.scene.bodies]
    for t, hit in ((event.time - 1e-9, set()), (event.time, {event.a, event.b})):
        stage.show_time(t)
        assert {name for name, red in zip(names, stage._hit, strict=True) if red} == hit


def test_colors_come_from_the_file_and_are_tinted_by_a_contact(server: Any) -> None:
    server.scene.reset()
    move = Piece(0.0, 1.0, ougi.Translation2d([9, 0]))
    green = Body("green", ougi.Circle([0, 0], 1), (move,), color="#20a040")
    white = Body("white", ougi.Circle([6, 0], 1), color="#ffffff")
    scene = ougi.Scene((green, white, Body("far", ougi.Circle([0, 9], 1))))
    stage = Stage(server.scene, scene)
    stage.set_events(list_report_events(ougi.check(scene), 60.0))
    ((_, handle, _),) = stage._drawn
    assert handle.batched_colors[:2].tolist() == [[0x20, 0xA0, 0x40], [255, 255, 255]]
    stage.show_time(1.0)
    (r, g, b), light, far = handle.batched_colors.tolist()
    assert r > 1.5 * g > 1.5 * b  # red, and greener than a body without a colour
    assert light[0] > 1.5 * light[1] > g
    assert far == stage._colors[2].tolist()


def test_names_stand_at_bodies_that_were_clicked_or_at_all(server: Any) -> None:
    stage, _ = stage_of(server, "bat_and_ball.toml")
    assert sorted(label.text for label in stage._name_labels.values()) == sorted(
        body.name for body in stage.scene.bodies
    )
    stage.show_names(False)
    assert stage._name_labels == {}
    click = SimpleNamespace(instance_index=1)
    stage._select(click, np.array([0, 2]))
    ((k, label),) = stage._name_labels.items()
    assert (k, label.text) == (2, stage.scene.bodies[2].name)
    stage.show_time(stage.scene.duration)
    end = stage.scene.bodies[2].at(stage.scene.duration).apply(stage._anchors[2])
    assert label.position == pytest.approx(end, abs=1e-9)
    stage._select(click, np.array([0, 2]))
    assert stage._name_labels == {}


@pytest.mark.parametrize("name", NAMES)
def test_the_ground_lies_below_all_bodies(name: str, server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    grids: list[dict[str, Any]] = []
    monkeypatch.setattr(server.scene, "add_grid", lambda *args, **options: grids.append(options))
    stage, _ = stage_of(server, name)
    (grid,) = grids
    up = "xyz".index(stage.scene.up)
    assert grid["position"][up] < stage.lower[up]
    assert grid["plane"] == ("xz" if up == 1 else "xy")


@pytest.mark.parametrize(("name", "up"), [("door.glb", 1), ("robot_arm.toml", 2), ("pinball.toml", 2)])
def test_the_axis_that_points_up_is_that_of_the_scene(
    name: str, up: int, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A camera keeps to it, and looks from above, from the front and a little aside."""
    output: list[str] = []
    monkeypatch.setattr(server.scene, "set_up_direction", output.append)
    stage, _ = stage_of(server, name)
    assert output == [f"+{'xyz'[up]}"]
    stage.aim_camera(server.initial_camera)
    away = np.array(server.initial_camera.position) - (stage.lower + stage.upper) / 2
    front = away @ ([0, 0, 1] if up == 1 else [0, -1, 0])
    assert away[up] > 0.6 * np.linalg.norm(away)
    assert front > 0
    assert front > away[0] or stage.scene.dimension == 2
    assert (away[up] > 0.99 * np.linalg.norm(away)) == (stage.scene.dimension == 2)


def test_swept_sectors_come_and_go(server: Any) -> None:
    stage, _ = stage_of(server, "turbine.toml")
    assert stage.show_sweeps("sector-enclosing") == 3  # blades
    assert stage.show_sweeps(None) == 0


def test_a_page_goes_to_the_very_time_of_the_first_contact(server: Any) -> None:
    stage, events = stage_of(server, "bat_and_ball.toml")
    page = Page(server, stage, events, lambda method, fps: events)
    try:
        page._press_button("first")
        page.wait_idle()
        assert f'data-time="{events.events[0].time!r}"' in page._clock.content
        page._press_button("next")
        page.wait_idle()
        assert f'data-time="{events.events[1].time!r}" data-been="2"' in page._clock.content
        page._press_button("-1")
        page.wait_idle()
        assert 'data-time="0.0"' in page._clock.content
    finally:
        page.close()


def test_a_page_uses_the_method_that_is_chosen(server: Any) -> None:
    stage, events = stage_of(server, "bat_and_ball.toml")
    page = Page(
        server,
        stage,
        events,
        lambda method, fps: list_report_events(ougi.check(stage.scene, method=method, fps=fps), fps),
    )
    try:
        page._method.value = "discrete"
        page._method_worker.submit(None)
        page.wait_idle()
        assert page._list.content.count('data-what="missed"') == 2
        assert page._marked_times == page._events.times
        assert page._clock.order < page._slider.order < page._buttons.order  # a new slider in the same place
    finally:
        page.close()


def test_playing_ends_at_the_end(server: Any) -> None:
    stage, events = stage_of(server, "bat_and_ball.toml")
    page = Page(server, stage, events, lambda method, fps: events)
    try:
        page._speed.value = "3"
        page._press_button("play")
        deadline = threading.Event()
        for _ in range(200):
            if not page._playing.is_set():
                break
            deadline.wait(0.05)
        page.wait_idle()
        assert f'data-time="{page.duration!r}"' in page._clock.content
    finally:
        page.close()


# --- the worker ---------------------------------------------------------------------------------------------


def test_a_dragged_slider_queues_nothing() -> None:
    done, first, free = [], threading.Event(), threading.Event()

    def work(value: int) -> None:
        first.set()
        free.wait(10)
        done.append(value)

    with LatestOnlyWorker(work) as latest:
        latest.submit(0)
        first.wait(10)
        for value in range(1, 1000):
            latest.submit(value)
        free.set()
        latest.wait_idle()
    assert done == [0, 999]


def test_a_worker_survives_what_it_raises(capsys: pytest.CaptureFixture[str]) -> None:
    done: list[float] = []
    worker: LatestOnlyWorker[float] = LatestOnlyWorker(lambda value: done.append(1 / value))
    with worker as latest:
        latest.submit(0)
        latest.wait_idle()
        latest.submit(2)
        latest.wait_idle()
    assert done == [0.5]
    assert "ZeroDivisionError" in capsys.readouterr().err


# --- the server ---------------------------------------------------------------------------------------------


def test_only_this_machine_is_served_and_a_busy_port_gives_another(server: Any) -> None:
    assert server.get_host() == HOST == "127.0.0.1"
    with start_server(server.get_port()) as second:
        assert second.get_port() != server.get_port()


def test_ports_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ougi.InvalidInputError, match="port must be 0"), start_server(70000):
        pass


class Door:
    """Stands for a server that pages come to and leave."""

    def on_client_connect(self, callback: Any) -> None:
        self.comes = callback

    def on_client_disconnect(self, callback: Any) -> None:
        self.goes = callback


class Client:
    client_id = 7


def test_the_viewer_ends_with_its_last_page() -> None:
    door = Door()
    visitors = Visitors(door, patience=0.2)
    waiting = threading.Thread(target=visitors.wait)
    waiting.start()
    door.comes(Client)
    door.goes(Client)
    door.comes(Client)  # reloaded
    waiting.join(0.6)
    assert waiting.is_alive()
    door.goes(Client)
    waiting.join(5)
    assert not waiting.is_alive()
