"""`ougi check`: exit codes, formats, files, pictures, and never a traceback."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ougi.cli import app as cli

SCENES = Path(__file__).parents[2] / "examples" / "scenes"
BAT = SCENES / "bat_and_ball.toml"

FREE = """
ougi = 1
[[body]]
name = "cart"
shape = { type = "box", size = [1, 1, 1] }
motion = { type = "translate", by = [5, 0, 0], seconds = 2 }
[[body]]
name = "post"
shape = { type = "cylinder", radius = 0.2, height = 3 }
at = [3, 1, 0]
"""


def code_of(*arguments: object) -> int:
    return cli.run(["check", *map(str, arguments)])


@pytest.fixture
def free(tmp_path: Path) -> Path:
    path = tmp_path / "free.toml"
    path.write_text(FREE)
    return path


def test_a_contact_exits_with_1_and_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(BAT) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "contacts"
    assert lines[1].split()[:2] == ["time", "s"]
    assert lines[2].split()[:4] == ["0.007005", "bat", "pitched", "ball"]
    assert lines[2].split()[-2:] == ["hit", "kernel"]
    assert lines[-2] == "6 pairs covered, 2 candidate pairs; 0 excluded"
    assert lines[-1] == "bat_and_ball.toml: 2 contacts; 4 bodies, 0.016 s"


def test_the_scene_of_the_readme_gives_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (SCENES.parents[1] / "README.md").read_text(encoding="utf-8")
    scene, console = (re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)[0] for kind in ("toml", "console"))
    Path("door.toml").write_text(scene)
    command, _, expected = console.partition("\n")
    assert code_of(*command.split()[3:]) == 1
    assert capsys.readouterr().out == expected
    assert Path("door.png").is_file()


def test_no_contact_exits_with_0(free: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(free) == 0
    assert "free.toml: certified collision-free; 2 bodies, 2 s\n" in capsys.readouterr().out
    assert code_of(free, "--margin", 0.5) == 0
    out = capsys.readouterr().out
    assert "near misses, within 0.5" in out
    assert "1 within 0.5 m" in out


def test_bodies_at_rest_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rest.toml"
    ball = '[[body]]\nname = "{}"\nshape = {{ type = "sphere", radius = 1 }}\n'
    file.write_text("ougi = 1\n" + ball.format("one"))
    assert code_of(file) == 1
    assert "rest.toml: no pair was checked; 1 body, 0 s" in capsys.readouterr().out
    file.write_text("ougi = 1\n" + ball.format("one") + ball.format("two"))  # one in the other
    assert code_of(file) == 1
    assert "rest.toml: 1 contact; 2 bodies" in capsys.readouterr().out
    file.write_text(file.read_text() + '[[ignore]]\na = "one"\n')
    assert code_of(file) == 1
    output = capsys.readouterr().out
    assert "0 pairs covered, 0 candidate pairs; 1 excluded: 1 [[ignore]]\n" in output
    assert "certified" not in output


def test_links_at_rest_in_each_other_are_not_certified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    box = '<link name="{}"><collision><geometry><box size="{} 1 1"/></geometry></collision></link>'
    joint = '<joint name="j{0}" type="continuous"><parent link="{0}"/><child link="{1}"/></joint>'
    links = "".join(box.format(name, size) for name, size in zip("abc", (1, 0.1, 0.5), strict=True))
    robot, rows = tmp_path / "r.urdf", tmp_path / "t.csv"
    robot.write_text(f'<robot name="r">{links}{joint.format("a", "b")}{joint.format("b", "c")}</robot>')
    assert code_of(robot) == 1
    assert "overlapping at the start" in capsys.readouterr().out
    rows.write_text("time,ja\n0,0.5\n1,0.5\n")
    assert code_of(robot, "--trajectory", rows, "--format", "json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["certified"] is False
    assert document["coverage"] == {
        "pairs": 3,
        "covered": 1,
        "candidates": 1,
        "unchecked": 0,
        "excluded": {"neighbours at a joint": 2},
    }


def test_exit_zero_is_for_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(BAT, "--exit-zero") == 0
    assert "2 contacts" in capsys.readouterr().out


def test_json_says_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(BAT, "--format", "json", "--method", "discrete", "--margin", 0.5) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "ougi-check/2"
    assert document["parameters"] == {"method": "discrete", "margin": 0.5, "fps": 60.0}
    assert document["scene"]["bodies"] == 4
    assert document["hit"] is True
    first = document["contacts"][0]
    assert (first["a"], first["b"], first["status"]) == ("bat", "pitched ball", "hit")
    assert first["engine"] == "kernel"
    assert len(first["point"]) == len(first["normal"]) == 3
    assert {row["status"] for row in document["comparison"]} == {"missed"}
    assert [row["b"] for row in document["near_misses"]] == ["mitt"]


def test_lines_and_columns_agree_with_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(BAT, "--format", "jsonl") == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code_of(BAT, "--format", "csv", "--output", tmp_path / "new" / "hits.json") == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    written = json.loads((tmp_path / "new" / "hits.json").read_text())["contacts"]
    assert lines == written
    for row, line in zip(rows, lines, strict=True):
        assert [float(row[name]) for name in "xyz"] == line["point"]
        assert [float(row[f"normal_{name}"]) for name in "xyz"] == line["normal"]
        assert (row["a"], row["b"], float(row["time"])) == (line["a"], line["b"], line["time"])


@pytest.mark.parametrize("suffix", ["txt", "csv", "jsonl", "json"])
def test_output_goes_by_its_suffix(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kind = "table" if suffix == "txt" else suffix
    assert code_of(BAT, "--format", kind, "--output", tmp_path / f"hits.{suffix}") == 1
    out, text = capsys.readouterr().out, (tmp_path / f"hits.{suffix}").read_text()
    if suffix == "json":
        out, text = (json.loads(x)["contacts"] for x in (out, text))
    assert out == text


def test_a_robot_alone_and_as_part_of_a_scene(capsys: pytest.CaptureFixture[str]) -> None:
    urdf, trajectory = SCENES / "robot_arm.urdf", SCENES / "robot_arm.csv"
    assert code_of(urdf, "--trajectory", trajectory) == 0
    assert code_of(SCENES / "robot_arm.toml") == 1
    assert "hit     robot" in capsys.readouterr().out


def test_a_gltf_file_needs_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(SCENES / "door.glb") == 1
    assert "handle" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["bat_and_ball.toml", "robot_arm.toml", "pinball.toml", "door.glb"])
def test_pictures(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "picture.png"
    assert code_of(SCENES / name, "--plot", path, "--margin", 0.05) == 1
    assert path.read_bytes().startswith(b"\x89PNG")
    output = capsys.readouterr()
    assert output.err.splitlines()[-1] == f"picture: {path}"
    assert "picture" not in output.out


def test_a_picture_of_many_bodies_shows_those_that_touch(tmp_path: Path) -> None:
    import ougi
    from ougi.plot.report import _MAX_BODIES, _choose_bodies, draw

    balls = [ougi.scene.Body(f"ball {k}", ougi.Circle([3.0 * k, 0], 1)) for k in range(_MAX_BODIES + 50)]
    move = ougi.scene.Piece(0.0, 1.0, ougi.Translation2d([0, -5]))
    cart = ougi.scene.Body("cart", ougi.Circle([3.0 * (_MAX_BODIES + 20), 4], 1), (move,))
    report = ougi.check(ougi.Scene((*balls, cart), duration=1.0))
    chosen = _choose_bodies(report)
    assert len(chosen) == _MAX_BODIES
    assert {_MAX_BODIES + 20, len(balls)} <= set(chosen)
    assert draw(report, "many", tmp_path / "many.png").is_file()


BAD: dict[str, list[Any]] = {
    "no such file": ["nothing.toml"],
    "not a scene": ["scene.txt"],
    "broken": ["broken.toml"],
    "margin": [BAT, "--margin", "-1"],
    "no number": [BAT, "--margin", "nan"],
    "fps": [BAT, "--fps", "0"],
    "method": [BAT, "--method", "magic"],
    "format": [BAT, "--format", "yaml"],
    "output": [BAT, "--output", "hits.pdf"],
    "plot": [BAT, "--plot", "hits.gif"],
    "output folder": [BAT, "--output", "/dev/null/hits.csv"],
    "trajectory of no robot": [BAT, "--trajectory", "x.csv"],
    "robot without trajectory file": [SCENES / "robot_arm.urdf", "--trajectory", "nothing.csv"],
    "animation": [SCENES / "door.glb", "--animation", "close"],
    "nothing": [],
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_exits_with_2_and_says_why(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.toml").write_text(
        'ougi = 1\n[[body]]\nnmae = "x"\nshape = { type = "bocks", size = [1, 1, 1] }\n'
    )
    assert code_of(*BAD[case]) == 2
    output = capsys.readouterr()
    assert output.err + output.out
    assert "Traceback" not in output.err + output.out
    assert [path.name for path in tmp_path.iterdir()] == ["broken.toml"]


def test_everything_wrong_with_a_scene_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.toml"
    path.write_text('ougi = 1\n[[body]]\nnmae = "x"\nshape = { type = "spere", radius = 1 }\n')
    assert code_of(path) == 2
    err = capsys.readouterr().err
    assert "broken.toml:3" in err
    assert "did you mean 'name'" in err
    assert "did you mean 'sphere'" in err


def test_a_picture_without_matplotlib_exits_with_3_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert code_of(BAT, "--plot", tmp_path / "x.png") == 3
    output = capsys.readouterr()
    assert 'pip install "ougi[plot]"' in output.err
    assert output.out == ""


def test_names_cannot_command_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(BAT.read_text().replace('"pitched ball"', '"ball \\u001bc"'))  # clears a terminal
    assert code_of(path) == 1
    output = capsys.readouterr()
    assert "ball \\x1bc" in output.out
    assert "\x1b" not in output.out + output.err


@pytest.mark.parametrize("sign", ["=", "+", "-", "@"])
def test_a_name_is_text_to_a_spreadsheet(
    sign: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(BAT.read_text().replace('"pitched ball"', f"\"{sign}cmd|' /C calc'!A0\""))
    assert code_of(path, "--format", "csv") == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert rows[0]["b"] == f"'{sign}cmd|' /C calc'!A0"
    numbers = [row[key] for row in rows for key in ("x", "y", "z", "normal_x", "normal_y", "normal_z")]
    assert any(float(number) < 0 for number in numbers)  # and numbers stay numbers


def test_csv_has_no_control_characters_of_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(BAT.read_text().replace('"pitched ball"', '"\\u001bc\\r\\n=1\\u202e"'))
    assert code_of(path, "--format", "csv", "--output", tmp_path / "hits.csv") == 1
    out = capsys.readouterr().out
    assert out == (tmp_path / "hits.csv").read_text()
    assert all(line.isprintable() for line in out.splitlines())
    assert "\\x1bc\\r\\n=1\\u202e" in out


def test_errors_and_warnings_have_no_control_characters_of_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = tmp_path / "evil \x1b[2J.toml"
    name.write_text('ougi = 1\n"\\u001bkey" = 1\n')
    assert code_of(name) == 2
    assert code_of(tmp_path / "none \x1b[2J.toml") == 2
    output = capsys.readouterr().err
    assert "\\x1bkey" in output
    assert all(line.isprintable() for line in output.splitlines())


def test_in_a_pipe_results_and_hints_are_apart() -> None:
    program = "import sys; from ougi.cli.app import run; sys.exit(run(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "check", str(BAT), "--format", "jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ})
    assert done.returncode == 1
    assert [json.loads(line)["kind"] for line in done.stdout.splitlines()] == ["contact", "contact"]


def test_progress_is_printed_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ougi.cli.progress.LINE_INTERVAL", -1.0)
    assert code_of(BAT) == 1
    assert "checking: 2 of 2" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_on_a_terminal_tables_are_drawn() -> None:
    import pty

    program = "import sys; from ougi.cli.app import run; sys.exit(run(sys.argv[1:]))"
    leader, follower = pty.openpty()
    command = [sys.executable, "-c", program, "check", str(BAT)]
    done = subprocess.Popen(command, stdout=follower, stderr=subprocess.PIPE)
    os.close(follower)
    text = b""
    try:
        while chunk := os.read(leader, 4096):
            text += chunk
    except OSError:  # the other side is closed
        assert done.wait(300) == 1
    assert "─" in text.decode()
    assert b"pitched" in text
    assert done.stderr is not None
    done.stderr.close()
    os.close(leader)
