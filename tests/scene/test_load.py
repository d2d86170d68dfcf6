"""Formats of other distributions are read through entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

import ougi
from ougi.scene import Body


def read_ball(path: Path) -> ougi.Scene:
    return ougi.Scene((Body(path.stem, ougi.Sphere([0, 0, 0], float(path.read_text(encoding="utf-8")))),))


def read_nothing(path: Path) -> None:
    return None


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = EntryPoints(
        EntryPoint(name, f"{__name__}:{value}", "ougi.scene_readers")
        for name, value in (("ball", "read_ball"), ("none", "read_nothing"))
    )
    monkeypatch.setattr("ougi.scene.load.entry_points", lambda group: entries.select(group=group))


@pytest.mark.usefixtures("readers")
def test_a_reader_of_another_distribution_is_used(tmp_path: Path) -> None:
    (tmp_path / "big.ball").write_text("2.5", encoding="utf-8")
    scene = ougi.load_scene(tmp_path / "big.ball")
    assert scene.bodies[0].name == "big"
    with pytest.raises(ougi.SceneError, match=r"trajectory is not for \.ball files"):
        ougi.load_scene(tmp_path / "big.ball", trajectory="way.csv")
    with pytest.raises(TypeError, match="must return a Scene, got NoneType"):
        ougi.load_scene(tmp_path / "x.none")
    with pytest.raises(ougi.SceneError, match=r"no scene ends in '\.bal', did you mean '\.ball'"):
        ougi.load_scene(tmp_path / "big.bal")
