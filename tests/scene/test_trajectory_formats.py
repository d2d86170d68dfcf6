"""Trajectories as JSON and NumPy files give the scene of the same CSV file; bad ones are refused by name."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

import ougi

ROBOT = """<robot name="arm"><link name="base"/>
<link name="upper"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="fore"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="upper"/></joint>
<joint name="bend" type="continuous"><parent link="upper"/><child link="fore"/><origin xyz="0 0 1"/></joint>
</robot>"""
TIMES, TURN, BEND = [0.0, 1.0, 2.5], [0.0, 0.5, 0.25], [0.1, 0.0, -1.0]


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT, encoding="utf-8")
    return path


def _write(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def _write_all(folder: Path) -> list[Path]:
    points = [
        {"positions": [b, t], "time_from_start": {"sec": int(s), "nanosec": round(s % 1 * 1e9)}}
        for s, t, b in zip(TIMES, TURN, BEND, strict=True)
    ]
    np.save(folder / "way.npy", np.column_stack([TIMES, TURN, BEND]))
    np.savez_compressed(folder / "way.npz", time=TIMES, bend=np.array(BEND, np.float32), turn=TURN)
    return [
        _write(folder / "columns.json", {"bend": BEND, "time": TIMES, "turn": TURN}),
        _write(folder / "ros.json", {"joint_names": ["bend", "turn"], "points": points}),
        folder / "way.npy",
        folder / "way.npz",
    ]


def test_all_formats_give_the_scene_of_the_csv_file(robot: Path) -> None:
    csv = robot.with_name("way.csv")
    rows = np.column_stack([TIMES, TURN, BEND]).tolist()
    csv.write_text("time,turn,bend\n" + "\n".join(",".join(map(repr, row)) for row in rows), encoding="utf-8")
    expected = ougi.load_scene(robot, trajectory=csv)
    for path in _write_all(robot.parent):
        found = ougi.load_scene(robot, trajectory=path)
        assert found.duration == expected.duration
        for a, b in zip(found.bodies, expected.bodies, strict=True):
            poses = [[piece.motion.at(1.0).matrix() for piece in body.pieces] for body in (a, b)]
            np.testing.assert_allclose(poses[0], poses[1], rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"time": [0, 1], "turn": [0]}, "one length"),
        ({"time": [0, 1], "trun": [0, 1]}, "'trun' that moves, did you mean 'turn'"),
        ({"turn": [0, 1]}, "there must be a column 'time'"),
        ({"time": [0, 1], "turn": [0, "x"]}, "row 1 must have numbers, got 'x'"),
        ({"time": [0, 1], "turn": [0, None]}, "row 1 must have numbers, got None"),
        ({"time": [0, 1], "turn": 3}, "turn must be a list"),
        ({"time": [1, 0], "turn": [0, 1]}, "times must increase"),
        ({"time": [], "turn": []}, "there are no rows"),
        ({"time": [0, 1], "turn": [0, 1e300]}, "turn must be finite numbers up to"),
        ([1, 2], "an object of columns"),
        (
            {"joint_names": ["turn"], "points": [{"positions": [0, 1], "time_from_start": 0}]},
            r"points\[0\] must",
        ),
        ({"joint_names": ["turn"], "points": [{"positions": [0]}]}, "time_from_start"),
    ],
)
def test_bad_json_is_refused_by_name(robot: Path, content: object, message: str) -> None:
    with pytest.raises(ougi.SceneError, match=f"(?s)bad.json.*{message}"):
        ougi.load_scene(robot, trajectory=_write(robot.with_name("bad.json"), content))


@pytest.mark.parametrize("seconds", ["1" + "0" * 400, '{"sec": 1' + "0" * 400 + "}", "1e999"])
def test_times_that_are_no_floats_are_refused(robot: Path, seconds: str) -> None:
    text = f'{{"joint_names": ["turn"], "points": [{{"positions": [0], "time_from_start": {seconds}}}]}}'
    path = robot.with_name("late.json")
    path.write_text(text)
    with pytest.raises(ougi.SceneError, match=r"late.json: time must be finite numbers up to .*, got inf"):
        ougi.load_scene(robot, trajectory=path)


def test_bad_arrays_are_refused_before_they_are_allocated(robot: Path) -> None:
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": "<f8", "fortran_order": False, "shape": (1_000_000_000_000, 3)}
    )
    archive = io.BytesIO()
    np.savez_compressed(archive, time=np.arange(1000.0))
    arrays = {
        "huge.npy": file.getvalue(),
        "not.npy": b"hello",
        "open.npy": file.getvalue().replace(b"}", b"("),
        "not.npz": b"PKhello",
        "damaged.npz": archive.getvalue().replace(archive.getvalue()[100:120], b"\xff" * 20),
    }
    for name, content in arrays.items():
        path = robot.with_name(name)
        path.write_bytes(content)
        with pytest.raises(ougi.SceneError, match=f"{name}: not a valid"):
            ougi.load_scene(robot, trajectory=path)
    np.save(robot.with_name("wide.npy"), np.zeros((2, 5)))
    with pytest.raises(ougi.SceneError, match=r"shape \(rows, 3\), a column for each of time, turn, bend"):
        ougi.load_scene(robot, trajectory=robot.with_name("wide.npy"))
    np.save(robot.with_name("objects.npy"), np.array([{}]), allow_pickle=True)
    with pytest.raises(ougi.SceneError, match="must hold numbers"):
        ougi.load_scene(robot, trajectory=robot.with_name("objects.npy"))
