"""`ougi check` of many scenes: one table, resumed runs, failures, processes and a cluster."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import ougi
from ougi.cli import app as cli
from ougi.cli import check_many
from ougi.cli.scene_check import CheckSettings, check_loaded_scene

SCENES = Path(__file__).parents[2] / "examples" / "scenes"

BALLS = """
ougi = 1
[[body]]
name = "ball"
shape = {{ type = "sphere", radius = 1 }}
motion = {{ type = "translate", by = [10, 0, 0], seconds = 2 }}
[[body]]
name = "post"
shape = {{ type = "sphere", radius = 1 }}
at = [8, {height}, 0]
"""


def write_scenes(folder: Path, count: int) -> dict[str, float | None]:
    """Scenes of a ball that passes a post ever higher: file -> when it touches, by Pythagoras."""
    expected: dict[str, float | None] = {}
    for k in range(count):
        height = 4.0 * (k + 0.5) / count
        path = folder / f"scene_{k:03}.toml"
        path.write_text(BALLS.format(height=height))
        expected[str(path)] = (8 - (4 - height**2) ** 0.5) / 5 if height < 2 else None
    return expected


def check(*arguments: object) -> int:
    return cli.run(["check", *map(str, arguments)])


def assert_results(entries: list[dict[str, Any]], expected: dict[str, float | None]) -> None:
    assert [entry["scene"]["file"] for entry in entries] == list(expected)
    for entry, contact_time in zip(entries, expected.values(), strict=True):
        assert entry["certified"] is (contact_time is None)
        if contact_time is not None:
            assert entry["contacts"][0]["time"] == pytest.approx(contact_time, abs=1e-7)


def test_many_scenes_give_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = write_scenes(tmp_path, 4)
    (tmp_path / "broken.toml").write_text(BALLS.format(height=0).replace("name", "nmae"))
    assert check(*expected, tmp_path / "broken.toml", tmp_path / "nothing.toml") == 2
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 6 + 1
    assert [line.split()[1] for line in lines[1:7]] == ["contact"] * 2 + ["certified"] * 2 + ["FAILED"] * 2
    assert lines[1].split()[2:6] == ["1", "1.212702", "ball,", "post"]
    assert "broken.toml:3: body 1: the key 'name' is missing" in lines[5]
    assert lines[-1] == "6 scenes: 2 certified collision-free, 2 not certified, 2 FAILED"


def test_the_exit_code_is_that_of_the_worst_scene(tmp_path: Path) -> None:
    hit, *_, free = write_scenes(tmp_path, 4)
    assert check(free, free) == 0
    assert check(hit, free) == 1
    assert check(hit, free, "--exit-zero") == 0
    assert check(hit, free, "nothing.toml", "--exit-zero") == 2


def test_files_agree_with_the_check_of_one_scene(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenes = [SCENES / "bat_and_ball.toml", SCENES / "door.glb"]
    single = []
    for scene in scenes:
        assert check(scene, "--format", "json", "--margin", 0.05) == 1
        single.append(json.loads(capsys.readouterr().out))
    for name in ("all.json", "all.jsonl", "all.csv", "all.txt"):
        assert check(*scenes, "--margin", 0.05, "--output", tmp_path / "new" / name) == 1
    table = capsys.readouterr().out
    folder = tmp_path / "new"
    assert table.endswith((folder / "all.txt").read_text())
    entries = json.loads((folder / "all.json").read_text())["scenes"]
    assert [json.loads(line)["contacts"] for line in (folder / "all.jsonl").read_text().splitlines()] == [
        entry["contacts"] for entry in entries
    ]
    for entry, alone in zip(entries, single, strict=True):
        for key in ("contacts", "near_misses", "coverage", "certified", "parameters"):
            assert entry[key] == alone[key]
    rows = list(csv.DictReader(io.StringIO((folder / "all.csv").read_text())))
    assert [row["kind"] for row in rows].count("scene") == 2
    contacts = [contact for entry in entries for contact in entry["contacts"]]
    assert [float(row["time"]) for row in rows if row["kind"] == "contact"] == [c["time"] for c in contacts]


@pytest.mark.parametrize("name", ["all.json", "all.jsonl"])
def test_a_run_is_resumed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = write_scenes(tmp_path, 6)
    first, second, *_ = expected
    output = tmp_path / name
    assert check(*list(expected)[:4], "--output", output) == 1
    Path(second).write_text(BALLS.format(height=3))
    expected[second] = None
    checked: list[str] = []

    def check_and_count(scene: ougi.Scene, path: Path, settings: CheckSettings) -> ougi.checks.Report:
        checked.append(str(path))
        return check_loaded_scene(scene, path, settings)

    monkeypatch.setattr(check_many, "check_loaded_scene", check_and_count)
    capsys.readouterr()
    assert check(*expected, "--output", output) == 1
    assert checked == [second, *list(expected)[4:]]
    assert "; 3 unchanged since an earlier result" in capsys.readouterr().out
    assert_results(list(check_many._read_entries(output).values()), expected)
    checked.clear()
    assert check(first, second, "--output", output, "--margin", 0.1) == 1
    assert checked == [first, second]  # the earlier results are of another margin


def test_a_scene_that_was_stopped_is_checked_again(tmp_path: Path) -> None:
    expected = write_scenes(tmp_path, 2)
    output = tmp_path / "all.json"
    assert check(*expected, "--output", output, "--timeout", 1e-9) == 1
    first, _ = check_many._read_entries(output).values()  # the second has no candidate pairs
    assert first["fingerprint"] == ""
    assert check(*expected, "--output", output) == 1
    assert_results(list(check_many._read_entries(output).values()), expected)


def test_a_mesh_that_changes_is_a_change_of_its_scene(tmp_path: Path) -> None:
    text = 'ougi = 1\n[[body]]\nname = "tile"\nshape = {type = "mesh", file = "tile.obj"}\n'
    text += '[[body]]\nname = "ball"\nshape = {type = "sphere", radius = 1}\n'
    scene, tile, output = tmp_path / "tile.toml", tmp_path / "tile.obj", tmp_path / "all.json"
    scene.write_text(text)
    tile.write_text("v 5 0 0\nv 6 0 0\nv 5 1 0\nf 1 2 3\n")
    assert check(scene, scene, "--output", output) == 0
    tile.write_text("v 0 0 0\nv 6 0 0\nv 5 1 0\nf 1 2 3\n")
    assert check(scene, scene, "--output", output) == 1


def test_a_line_that_was_cut_off_is_checked_again(tmp_path: Path) -> None:
    expected = write_scenes(tmp_path, 4)
    output = tmp_path / "all.jsonl"
    assert check(*expected, "--output", output) == 1
    output.write_text(output.read_text()[:-40])
    assert check(*expected, "--output", output) == 1
    assert_results([json.loads(line) for line in output.read_text().splitlines()], expected)


def test_another_file_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = write_scenes(tmp_path, 2)
    (tmp_path / "mine.json").write_text('{"precious": true}')
    assert check(*expected, "--output", tmp_path / "mine.json") == 2
    assert "is not overwritten" in capsys.readouterr().err
    assert "precious" in (tmp_path / "mine.json").read_text()


def test_trajectories_follow_their_robot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = (SCENES / "robot_arm.csv").read_text()
    (tmp_path / "same.csv").write_text(rows)
    assert check(SCENES / "robot_arm.urdf", SCENES / "robot_arm.csv", tmp_path / "same.csv") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:3] == [
        str(SCENES / "robot_arm.urdf"),
        str(SCENES / "robot_arm.csv"),
        "certified",
    ]
    assert lines[-1] == "2 scenes: 2 certified collision-free"
    assert check(tmp_path / "same.csv", SCENES / "robot_arm.urdf") == 2
    assert "put it behind its robot" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plot", "x.png"], "plot and view are for a single scene"),
        (["--view"], "plot and view are for a single scene"),
        (["--jobs", "0"], "jobs must be 1 or more, got 0"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(*write_scenes(tmp_path, 2), *arguments) == 2
    assert message in capsys.readouterr().err


def test_warnings_name_their_scene(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    joints = (SCENES / "robot_arm.csv").read_text().splitlines()[0].split(",")
    (tmp_path / "wild.csv").write_text(f"time,{joints[1]}\n0,0\n1,400\n")
    check(SCENES / "robot_arm.urdf", tmp_path / "wild.csv")
    assert "wild.csv: " in capsys.readouterr().err


# A shell starts its background jobs with SIGINT ignored, and their children inherit that.
PROGRAM = """
import signal, sys
from ougi.cli.app import run
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT")
def test_an_interrupted_run_keeps_what_was_found(tmp_path: Path) -> None:
    expected = write_scenes(tmp_path, 4)
    slow = tmp_path / "slow.toml"
    body = '[[body]]\nname = "{}"\nshape = {{ type = "sphere", radius = 1 }}\n'
    body += 'motion = {{ type = "translate", by = [{}, 1, 1], seconds = 1 }}\n'
    slow.write_text("ougi = 1\n" + "".join(body.format(k, k + 1) for k in range(3000)))
    output = tmp_path / "all.jsonl"
    command = [sys.executable, "-c", PROGRAM, "check", *expected, str(slow), "--output", str(output)]
    command += ["--max-contacts", "1000000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        while not (output.exists() and output.read_text().count("\n") == 4):
            assert running.poll() is None
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        table, _ = running.communicate(timeout=300)
    assert running.returncode == 130
    assert table.splitlines()[-1].startswith("5 scenes: ")
    assert table.splitlines()[-1].endswith("1 not checked")
    assert_results([json.loads(line) for line in output.read_text().splitlines()], expected)


def test_processes_give_the_same_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = write_scenes(tmp_path, 8)
    assert check(*expected) == 1
    table = capsys.readouterr().out
    assert check(*expected, "--jobs", 2) == 1
    assert capsys.readouterr().out == table


def test_a_cluster_checks_200_scenes_and_survives_a_killed_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    distributed = pytest.importorskip("distributed", reason="no dask.distributed: pip install distributed")
    expected = write_scenes(tmp_path, 200)
    output = tmp_path / "all.jsonl"
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        victim = cluster.workers[0].pid

        def kill_worker() -> None:
            while not output.exists():
                time.sleep(0.01)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill_worker)
        killer.start()
        assert check(*expected, "--cluster", cluster.scheduler_address, "--output", output) == 1
        killer.join()
    assert capsys.readouterr().out.splitlines()[-1] == (
        "200 scenes: 100 certified collision-free, 100 not certified"
    )
    assert_results([json.loads(line) for line in output.read_text().splitlines()], expected)
