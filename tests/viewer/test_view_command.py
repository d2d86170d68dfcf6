"""`ougi view` and `ougi check --view` on the command line, without a browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import ougi
from ougi.cli import app as cli
from ougi.cli import view as command
from ougi.cli.entry import MISSING_EXTRA
from ougi.scene import Body
from ougi.viewer.events import list_report_events
from ougi.viewer.server import start_server
from ougi.viewer.stage import Stage

SCENES = Path(__file__).parents[2] / "examples" / "scenes"
SCENE = SCENES / "bat_and_ball.toml"


@pytest.fixture
def views(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would be shown."""
    seen: list[Any] = []
    monkeypatch.setattr(command, "show_scene", lambda *args, **kwargs: seen.append((args, kwargs)))
    return seen


def test_a_scene_is_checked_and_shown(views: list[Any]) -> None:
    assert cli.run(["view", str(SCENE), "--no-browser", "--method", "discrete", "--fps", "30"]) == 0
    ((_scene, events, title), options) = views[0]
    assert (events.method, events.fps, title, options["browser"]) == ("discrete", 30.0, SCENE.name, False)
    assert {event.what for event in events.events} == {"missed"}


def test_a_result_is_shown_as_it_was_events(views: list[Any], tmp_path: Path) -> None:
    result = tmp_path / "bat.json"
    (tmp_path / SCENE.name).write_bytes(SCENE.read_bytes())
    assert cli.run(["check", str(SCENE), "--format", "json", "--output", str(result)]) == 1
    text = result.read_text(encoding="utf-8")
    assert text.count('"status": "hit"') == 2
    result.write_text(text.replace('"status": "hit"', '"status": "touched by hand"'), encoding="utf-8")
    assert cli.run(["view", str(result)]) == 0
    assert [event.note for event in views[0][0][1].events] == ["touched by hand"] * 2


def test_a_result_of_another_motion_is_refused(views: list[Any], tmp_path: Path, capsys: Any) -> None:
    result, motion = tmp_path / "arm.json", str(tmp_path / "robot_arm.csv")
    for name in ("robot_arm.urdf", "robot_arm.csv"):
        (tmp_path / name).write_bytes((SCENES / name).read_bytes())
    arguments = ["check", str(SCENES / "robot_arm.urdf"), "--trajectory", motion]
    assert cli.run([*arguments, "--output", str(result)]) == 0
    other = tmp_path / "other.csv"
    rows = (SCENES / "robot_arm.csv").read_text(encoding="utf-8").splitlines()
    other.write_text("\n".join(rows[:3]), encoding="utf-8")
    assert cli.run(["view", str(result), "--trajectory", str(other)]) == cli.BAD_INPUT
    assert "about 5 bodies in 3 s, but robot_arm.urdf has 5 in" in capsys.readouterr().err
    for trajectory in ([], ["--trajectory", motion]):  # the result names its own
        assert cli.run(["view", str(result), *trajectory]) == 0
        assert views.pop()[0][0].duration == 3.0


def test_check_shows_what_it_has_events(views: list[Any]) -> None:
    assert cli.run(["check", str(SCENE), "--view"]) == 1
    ((_scene, events, _title), _) = views[0]
    report = ougi.check(ougi.load_scene(SCENE))
    assert [event.time for event in events.events] == report.contacts.time.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["nowhere.toml"],
            "there is no file 'nowhere.toml', and no gallery of this name: fan, sort, radar, corridor",
        ),
        ([str(SCENE), "--record", "film.mp4"], "record must end in .html, got 'film.mp4'"),
        ([str(SCENE), "--fps", "0"], "fps must be positive, got 0.0"),
        ([str(SCENE), "--port", "-1"], "port must be 0 (any) to 65535, got -1"),
        (["fan", "--method", "sector"], "method is for scenes and results; the gallery fan takes none"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: list[str], message: str, capsys: Any) -> None:
    assert cli.run(["view", *arguments]) == cli.BAD_INPUT
    assert message in capsys.readouterr().err


def test_a_scene_that_is_no_text_is_refused_as_such(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "latin.json").write_bytes('{"ougi": 1, "units": "caf\u00e9"}'.encode("latin-1"))
    assert cli.run(["view", str(tmp_path / "latin.json")]) == cli.BAD_INPUT
    assert "latin.json:1: this is not text in UTF-8" in capsys.readouterr().err


def test_without_viser_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setitem(sys.modules, "viser", None)
    assert cli.run(["view", "fan", "--no-browser"]) == MISSING_EXTRA
    assert 'pip install "ougi[viewer]"' in capsys.readouterr().err


@pytest.mark.parametrize("name", command.GALLERIES)
def test_galleries_can_be_recorded(name: str, tmp_path: Path, capsys: Any) -> None:
    film = tmp_path / "new" / f"{name}.html"
    assert cli.run(["view", name, "--record", str(film)]) == 0
    assert "__VISER_EMBED_DATA__" in film.read_text(encoding="utf-8")
    assert capsys.readouterr().out == ""


def test_scenes_of_nothing_and_at_rest_can_be_shown(tmp_path: Path) -> None:
    from ougi.viewer.record import record_scene

    for bodies in ((), (Body("a", ougi.Circle([0, 0], 1)),)):
        scene = ougi.Scene(bodies)
        with start_server(0) as server:
            stage = Stage(server.scene, scene)
            film = record_scene(
                server, stage, list_report_events(ougi.check(scene), 60.0), "<still>", tmp_path / "f.html"
            )
        assert "&lt;still&gt;" in film.read_text(encoding="utf-8")
