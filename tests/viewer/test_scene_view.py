"""`ougi.view` from Python and in notebooks."""

from __future__ import annotations

import base64
import html
import importlib.util
from pathlib import Path
from typing import Any

import pytest

import ougi

SCENE = Path(__file__).parents[2] / "examples" / "scenes" / "pinball.toml"


def test_a_notebook_shows_a_recording_in_a_frame() -> None:
    text = ougi.view(SCENE)._repr_html_()
    assert text.startswith('<iframe srcdoc="')
    page = html.unescape(text.split('"')[1])
    assert "__VISER_EMBED_DATA__" in page
    assert "<b>pinball.toml</b>" in page


def test_without_viser_a_notebook_shows_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = ougi.view(ougi.load_scene(SCENE))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    kind, data = shown._repr_html_().removesuffix('">').split("base64,")
    assert kind == '<img src="data:image/png;'
    assert base64.b64decode(data).startswith(b"\x89PNG")


def test_a_report_is_shown_as_it_is_and_saved(tmp_path: Path) -> None:
    report = ougi.check(ougi.load_scene(SCENE))
    shown = ougi.view(report)
    assert shown.report is report
    assert repr(shown) == "<View of 4 bodies, 1 event>"
    page = shown.save(tmp_path / "new" / "pinball.html").read_text(encoding="utf-8")
    assert f'data-time="{float(report.contacts.time[0])!r}"' in page


def test_shapes_are_a_scene_at_rest() -> None:
    shown = ougi.view(ougi.Sphere([[0, 0, 0], [1, 0, 0], [9, 0, 0]], 1))
    assert [body.name for body in shown.report.scene.bodies] == ["0", "1", "2"]
    assert shown.report.names(shown.report.contacts) == [("0", "1")]
    assert repr(ougi.view(ougi.Circle([0, 0], 1))) == "<View of 1 body, 0 events>"


def test_what_is_no_scene_is_refused() -> None:
    wrong: Any = 3
    with pytest.raises(TypeError, match="scene must be a Scene, a Report, a shape or a path, got int"):
        ougi.view(wrong)


def test_pictures_show_themselves_in_notebooks() -> None:
    from ougi.plot import Picture

    picture = Picture()
    picture.plane().draw(ougi.Circle([0, 0], 1))
    assert picture._repr_png_().startswith(b"\x89PNG")
