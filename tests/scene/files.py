"""A scene file that is right, and scene files written, read or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import ougi
from ougi.scene import SceneError, load_scene

GOOD = """\
ougi = 1
units = "cm"

[[body]]
name = "blade"
shape = { type = "box", size = [2.4, 0.24, 0.30] }
at = [1.8, 0, 0]
motion = { type = "rotate", axis = [0, 0, 1], about = [0, 0, 0], degrees = 120, seconds = 0.2 }

[[body]]
name = "crate"
shape = { type = "sphere", radius = 0.5 }
at = [0, 2, 0]
group = 2

[[body]]
name = "cart"
shape = { type = "cylinder", radius = 1, height = 4 }
rotation = { axis = [1, 0, 0], degrees = 90 }
motion = [
    { type = "translate", by = [0, 3, 0], seconds = 2, start = 1 },
    { type = "screw", axis = [0, 0, 1], degrees = 90, advance = 2, seconds = 1 },
]

[[check]]
a = "blade"
b = "c*"
"""


def write_file(tmp_path: Path, text: str, name: str = "scene.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def load_text(tmp_path: Path, text: str, name: str = "scene.toml") -> ougi.Scene:
    return load_scene(write_file(tmp_path, text, name))


def problems(tmp_path: Path, text: str, name: str = "scene.toml") -> list[str]:
    with pytest.raises(SceneError) as caught:
        load_text(tmp_path, text, name)
    return str(caught.value).splitlines()


def make_one_body(more: str, shape: str = '{ type = "sphere", radius = 1 }') -> str:
    return f'ougi = 1\n[[body]]\nname = "it"\nshape = {shape}\n{more}\n'
