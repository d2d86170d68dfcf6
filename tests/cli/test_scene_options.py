"""Options of commands that read scenes: ignored pairs, packages, SRDF, skipped parts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import trimesh

import ougi
from ougi.cli import app as cli
from ougi.cli.scene_options import SceneOptions, find_recorded
from ougi.viewer.events import read_result, require_same_scene

BALL = '[[body]]\nname = "{}"\nshape = {{ type = "sphere", radius = 1 }}\nat = [{}, 0, 0]\n'
MOVE = 'motion = { type = "translate", by = [20, 0, 0], seconds = 1 }\n'


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """Two balls that overlap at the start, and one that the first one meets."""
    path = tmp_path / "balls.toml"
    text = BALL.format("cart", 0) + MOVE + BALL.format("load 1", 1) + BALL.format("post", 9)
    path.write_text(f"ougi = 1\n{text}")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.run(["check", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_pairs_are_ignored_by_patterns(scene: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "2 contacts" in run(capsys, scene)[1]
    code, out, _ = run(capsys, scene, "--ignore", "cart,post", "--ignore", "c*,load*")
    assert code == 0
    assert "1 pair covered" in out
    assert "2 excluded: 2 [[ignore]]" in out


def test_pairs_that_touch_at_the_start_are_ignored_by_request(
    scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, scene, "--ignore-initial")
    assert code == 1
    assert "1 contact;" in out
    assert "1 excluded: 1 [[ignore]]" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--ignore", "cart"], "ignore takes two patterns, A,B; got 'cart'"),
        (["--ignore", "cart,pst"], "balls.toml: --ignore: 'pst' matches no body"),
        (["--package", "arm"], "a package is given as NAME=DIR, got 'arm'"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(
    arguments: list[str], words: str, scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, scene, *arguments)
    assert code == 2
    assert words in err


def test_a_robot_with_packages_an_srdf_and_a_skipped_shape(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "robot").mkdir()
    (tmp_path / "meshes").mkdir()
    trimesh.creation.box(extents=[1, 1, 1]).export(tmp_path / "meshes" / "a.stl")
    mesh = '<collision><geometry><mesh filename="package://arm/a.stl"/></geometry></collision>'
    cone = "<collision><geometry><cone/></geometry></collision>"
    path = tmp_path / "robot" / "r.urdf"
    path.write_text(f'<robot><link name="a">{mesh}{cone}</link><link name="b">{mesh}</link></robot>')
    srdf = tmp_path / "pairs.srdf"
    srdf.write_text('<robot><disable_collisions link1="a" link2="b"/></robot>')
    options = ["--package", f"arm={tmp_path / 'meshes'}", "--srdf", srdf]
    assert run(capsys, path, *options)[0] == 2
    with pytest.warns(UserWarning, match="skipped: link 'a': the geometry 'cone'"):
        code, out, _ = run(capsys, path, *options, "--skip-unsupported")
    assert code == 1
    assert "1 excluded: 1 disabled by the SRDF" in out
    assert "skipped: link 'a': the geometry 'cone' is not supported" in out
    assert "no pair was checked" in out


def test_a_mesh_is_no_scene_but_the_message_has_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, tmp_path / "Bunny.obj")
    assert code == 2
    assert 'put it into a scene file (.toml): [[body]] name = "Bunny", shape = { type = "mesh", file' in err


ROBOT = """<robot name="arm"><link name="base"/>
<link name="upper"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision>
<collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="post"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
<joint name="stand" type="prismatic"><parent link="base"/><child link="post"/><origin xyz="0 1 0"/></joint>
</robot>"""


def test_a_result_of_a_robot_opens_in_another_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    (old / "out").mkdir(parents=True)
    (old / "arm.urdf").write_text(ROBOT, encoding="utf-8")
    (old / "turn.json").write_text('{"time": [0, 2], "turn": [0, 3]}', encoding="utf-8")
    code, _, _ = run(
        capsys, old / "arm.urdf", "--trajectory", old / "turn.json", "--output", old / "out" / "r.json"
    )
    assert code == 1
    old.rename(new)
    monkeypatch.chdir(new)
    result = new / "out" / "r.json"
    document = json.loads(result.read_text(encoding="utf-8"))
    row = document["contacts"][0]
    assert (row["link_a"], row["shape_a"], row["link_b"], row["shape_b"]) == ("upper", 1, "post", 0)
    events, sources = read_result(result)
    assert sources["path"] == "../arm.urdf"
    scene = SceneOptions().complete(result, sources).load(find_recorded(result, "../arm.urdf"))
    require_same_scene(result, scene)
    assert len(events.events) == len(document["contacts"])


def test_a_result_cannot_name_files_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "secret.toml").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "here")
    for name in ("../secret.toml", str(tmp_path / "secret.toml")):
        with pytest.raises(ougi.InvalidInputError, match="run the command in a folder that holds both"):
            find_recorded(tmp_path / "here" / "r.json", name)
    options = SceneOptions().complete(
        tmp_path / "r.json", {"run_xacro": True, "package": ["a=/"], "limit": []}
    )
    assert options == SceneOptions()
