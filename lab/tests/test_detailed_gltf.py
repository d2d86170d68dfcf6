"""The detailed glTF files load, and their bodies move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ougi
from ougi_lab.scenes.detailed_gltf import FILES


@pytest.mark.parametrize(("name", "bodies"), [("plant", 9), ("watch", 4)])
def test_a_small_file_is_read_with_all_bodies_and_keys(name: str, bodies: int, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.glb"
    FILES[name](faces=900, keys=11).write(path)
    scene = ougi.load_scene(path)
    assert len(scene.bodies) == bodies
    assert sum(len(body.pieces) > 1 for body in scene.bodies) == bodies - 1
    shapes: list[Any] = [body.shape for body in scene.bodies]
    assert sum(len(shape.faces) for shape in shapes) == pytest.approx(900, rel=0.25)
    assert scene.duration == pytest.approx({"plant": 16.7, "watch": 10.0}[name], rel=1e-6)
