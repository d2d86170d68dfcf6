"""Limits: their names, values and messages, and that a scene counts as a whole."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from files import GOOD, make_one_body, write_file
from make_gltf import Maker

from ougi.cli import app as cli
from ougi.errors import InvalidInputError
from ougi.scene import Limits, SceneError, load_scene

PAGE = Path(__file__).parents[2] / "docs" / "limits.md"


def test_the_page_lists_all_limits_with_their_defaults() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+(?: MiB)?) \|", PAGE.read_text(), re.MULTILINE))
    shown = {
        name: f"{value // 2**20} MiB" if name.endswith("_bytes") else f"{value:,}"
        for name, value in dataclasses.asdict(Limits()).items()
    }
    assert rows == shown


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("face=3", r"there is no limit 'face', did you mean 'faces'\?"),
        ("faces", "a limit is given as NAME=VALUE, got 'faces'"),
        ("faces=x", "the limit faces must be an integer of at least 1, got 'x'"),
        ("faces=0", "the limit faces must be an integer of at least 1, got 0"),
    ],
)
def test_words_that_are_no_limits_are_refused(word: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Limits.parse([word])


def test_the_command_line_raises_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_file(tmp_path, GOOD)
    assert cli.run(["check", str(path), "--limit", "bodies=2"]) == 2
    assert "3 bodies) exceeds the limit of 2 bodies; raise it by --limit bodies=N" in capsys.readouterr().err
    assert cli.run(["check", str(path), "--limit", "bodies=3", "--limit", "motions=15", "--exit-zero"]) == 0


def test_included_files_count_together(tmp_path: Path) -> None:
    maker = Maker()
    mesh = maker.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    maker.node(mesh=mesh, name="one")
    maker.glb(tmp_path / "one.glb")
    maker.document["nodes"][0]["name"] = "two"
    maker.glb(tmp_path / "two.glb")
    text = make_one_body("") + "".join(f'[[include]]\nfile = "{name}.glb"\n' for name in ("one", "two"))
    path = write_file(tmp_path, text)
    assert len(load_scene(path, limits=Limits(bodies=3, faces=2, nodes=2)).bodies) == 3
    for name, value in (("bodies", 2), ("faces", 1), ("nodes", 1)):
        with pytest.raises(SceneError, match=f"two.glb: .*exceeds the limit of {value} {name}"):
            load_scene(path, limits=Limits(**{name: value}))


def test_shapes_of_neighbours_are_counted_before_they_are_paired(tmp_path: Path) -> None:
    link = (
        '<link name="{}">'
        + "<collision><geometry><sphere radius='1'/></geometry></collision>" * 20
        + "</link>"
    )
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
    path = write_file(tmp_path, f"<robot>{link.format('a')}{link.format('b')}{joint}</robot>", "r.urdf")
    assert len(load_scene(path).neighbours) == 400
    with pytest.raises(SceneError, match=r"r.urdf: .*exceeds the limit of 399 excluded pairs"):
        load_scene(path, limits=Limits(excluded_pairs=399))
