"""The examples run, print what an independent computation finds, and save a picture.

The oracles sample the motion finely, narrow the first contact down by halving, and know shapes only as
points, segments and boxes in plain NumPy.
"""

from __future__ import annotations

import importlib.util
import math
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ougi._typing import Floats

EXAMPLES = Path(__file__).parent.parent / "examples"


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Any, list[str]]:
    """The module of an example and the lines it prints; its picture is checked here."""
    module, picture = load(name), tmp_path / "new" / f"{name}.png"
    module.main(picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    lines = capsys.readouterr().out.splitlines()
    assert lines.pop() == f"picture: {picture}"
    return module, lines


# --- oracles --------------------------------------------------------------------------------------------


def first_touch(gap: Callable[[float], float], steps: int = 4000) -> float:
    """The first t in [0, 1] with gap(t) <= 0; NaN if there is none on a fine grid."""
    times = np.linspace(0, 1, steps + 1)
    hit = next((k for k, t in enumerate(times) if gap(float(t)) <= 0), None)
    if hit is None:
        return math.nan
    if hit == 0:
        return 0.0
    low, high = float(times[hit - 1]), float(times[hit])
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if gap(middle) <= 0 else (middle, high)
    return high


def turn_back(point: Floats, angle: float) -> Floats:
    """A point seen by what has turned by an angle about the z axis."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = point
    return np.array([c * x + s * y, -s * x + c * y, z])


def from_box(point: Floats, center: Floats, size: Floats) -> float:
    """Distance of a point from an unturned box."""
    return float(np.linalg.norm(np.maximum(np.abs(point - center) - size / 2, 0)))


def from_segment(points: Floats, start: Floats, end: Floats) -> Floats:
    """Distances of points (n, d) from a segment."""
    along = end - start
    t = np.clip((points - start) @ along / (along @ along), 0, 1)
    return np.asarray(np.linalg.norm(points - start - t[:, None] * along, axis=1))


# --- examples -------------------------------------------------------------------------------------------


def test_bat_and_ball(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bat, lines = run("bat_and_ball", tmp_path, capsys)
    for ball, line in zip(bat.BALLS, lines[1:], strict=True):

        def gap(t: float, ball: Any = ball) -> float:
            seen = turn_back(ball.center, t * math.radians(170))
            return from_box(seen, bat.BAT.center, bat.BAT.size) - float(ball.radius)

        t = first_touch(gap)
        if math.isnan(t):
            assert line.endswith("free             free, certified")
        else:
            assert f"passes through   hit at t = {t:.6f}" in line
    assert sum("passes through" in line for line in lines) == 2


def test_sword_and_enemies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sword, lines = run("sword_and_enemies", tmp_path, capsys)
    result = {}
    frame = -1
    for line in lines[1:]:
        if found := re.match(r"frame (\d+): the blade turns by (\d+) degrees", line):
            frame = int(found[1])
            assert 160 <= int(found[2]) <= 175
        else:
            enemy, t = re.match(r"  enemy +(\d+)  t = ([\d.]+)", line).groups()  # type: ignore[union-attr]
            assert int(enemy) not in result  # hit once
            result[int(enemy)] = (frame, float(t))
    expected = {}
    for i, enemy in enumerate(sword.build_enemies()):
        for k, motion in enumerate(sword.MOTIONS):
            t = first_touch(partial(blade_gap, sword, k, motion, enemy), steps=250)
            if not math.isnan(t):
                expected[i] = (k, t)
                break
    assert set(result) == set(expected)
    for i, (k, t) in expected.items():
        assert result[i][0] == k
        assert result[i][1] == pytest.approx(t, abs=2e-4)
    drawn, moved = map(int, re.findall(r"hits (\d+), its motion (\d+)", lines[0])[0])
    assert moved == len(expected)
    assert (drawn, moved) == (2, 15)  # as docs/examples.md states


def blade_gap(sword: Any, k: int, motion: Any, enemy: Any, t: float) -> float:
    """The gap between the blade and a capsule, through points along the capsule's middle line.

    Points every 4 mm: the gap is at most 1e-5 m too large, for the line is two decimetres away.
    """
    pose = motion.at(t) @ sword.POSES[k]
    line = np.linspace(enemy.start, enemy.end, 400)
    seen = (line - pose.position) @ pose.rotation
    away = np.maximum(np.abs(seen - sword.BLADE.center) - sword.BLADE.size / 2, 0)
    return float(np.linalg.norm(away, axis=1).min() - enemy.radius)


def test_robot_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robot, lines = run("robot_link", tmp_path, capsys)
    post = robot.OBSTACLES["post"]

    def gap(t: float, margin: float = 0.0) -> float:
        """Of the arm and the upright post: a planar question, for the arm's height lies within the post's."""
        seen = turn_back(post.start, t * math.radians(150)) * [1, 1, 0]
        return from_box(seen, robot.ARM.center * [1, 1, 0], robot.ARM.size) - float(post.radius) - margin

    touch, near = (150 * first_touch(partial(gap, margin=margin)) for margin in (0.0, 0.05))
    assert lines[1] == f"  first contact after {touch:.4f}°: the arm touches the post"
    assert lines[2] == f"  keeps 5 cm for {near:.4f}°, then the arm comes too near to the post"
    assert lines[4:6] == [
        "  certified: touches nothing",
        "  certified: keeps 5 cm",
    ]
    assert lines[6] == f"at the start the post is {gap(0):.4f} m away"


def test_the_robots_free_way_is_free_at_every_sampled_angle() -> None:
    robot = load("robot_link")
    post, ball, crate = (robot.OBSTACLES[name] for name in ("post", "ball", "crate"))
    tool = np.linspace(robot.TOOL.start, robot.TOOL.end, 60)
    for angle in np.radians(np.linspace(0, -210, 1500)):
        c, s = math.cos(angle), math.sin(angle)
        at = tool @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        assert np.linalg.norm(at - ball.center, axis=1).min() > ball.radius + robot.TOOL.radius + 0.05
        local = np.abs((at - crate.center) @ crate.rotation) - crate.size / 2
        assert np.linalg.norm(np.maximum(local, 0), axis=1).min() > robot.TOOL.radius + 0.05
        assert from_segment(at, post.start, post.end).min() > post.radius + robot.TOOL.radius + 0.05


def test_rotor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rotor, lines = run("rotor", tmp_path, capsys)
    expected = []
    for ball, fall in zip(rotor.BALLS, rotor.FALL, strict=True):

        def gap(t: float, ball: Any = ball, fall: Any = fall) -> float:
            seen = turn_back(ball.center + t * fall.offset, t * 10 * math.pi)
            return from_box(seen, rotor.BLADE.center, rotor.BLADE.size) - float(ball.radius)

        expected.append(first_touch(gap, steps=20_000))
    for t, line in zip(expected, lines[2:], strict=True):
        wanted = (
            "gets through, certified" if math.isnan(t) else f"hit at t = {t:.6f}, in turn {int(5 * t) + 1}"
        )
        assert wanted in line
    hits = np.isfinite(expected).sum()
    seen = sum("hit" in line and "unseen" not in line for line in lines[2:])
    assert lines[0] == f"{hits} of 12 balls are hit; 8 substeps per frame find {seen}"
    assert (seen, hits) == (1, 8)  # as docs/examples.md states


def test_guard(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guard, lines = run("guard", tmp_path, capsys)
    rng = np.random.default_rng(1)
    inside = rng.normal(size=(20_000, 2))
    inside *= 0.25 * np.sqrt(rng.uniform(size=(20_000, 1))) / np.linalg.norm(inside, axis=1, keepdims=True)
    seen, reached, arrives = {}, {}, {}
    for line in lines[1:]:
        name, sight, arc, when = line.split(maxsplit=3)
        seen[name], reached[name], arrives[name] = sight == "yes", arc == "yes", when
    for name, (x, y, z) in guard.WHERE.items():
        points = inside + np.array([x, y])
        angle = np.degrees(np.arctan2(points[:, 1], points[:, 0])) - math.degrees(math.atan2(0.1, 1))
        assert seen[name] == bool(((np.abs(angle) <= 40) & (np.linalg.norm(points, axis=1) <= 6)).any())
        # The halberd is level and every body on the ground is upright and reaches above it: planar.
        touch = math.nan if z > 1.2 else first_touch(partial(halberd_gap, guard, (x, y)))
        if math.isnan(touch):
            assert arrives[name] == "never"
        else:
            assert reached[name]
            assert arrives[name] == f"in frame {int(touch * 30):2}, after {500 * touch:.1f} ms"
    assert reached["Goro"] is False


def halberd_gap(guard: Any, feet: tuple[float, float], t: float) -> float:
    seen = turn_back(np.array([*feet, 0.0]), t * math.radians(120))[None, :2]
    away = from_segment(seen, guard.HALBERD.start[:2], guard.HALBERD.end[:2])[0]
    return float(away) - 0.25 - 0.04


def test_plan_robot_motion(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ompl")
    assert load("plan_robot_motion").main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "the straight motion is free: False"
    assert lines[-1] == "every edge is certified free: True"


def test_real_arm(capsys: pytest.CaptureFixture[str]) -> None:
    assert load("real_arm").main() == 0
    lines = capsys.readouterr().out.splitlines()
    if "pip install" in lines[0]:
        pytest.skip("example-robot-data is not installed")
    assert lines[1:5] == [
        "free above the table: True",
        "33 samples find the pin: False",
        "257 samples find the pin: True",
        "certified free: False",
    ]


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_every_example_is_short_and_tested_here(name: str) -> None:
    assert f"test_{name}" in globals()
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 95


def test_an_example_is_a_command_with_a_default_picture(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "bat_and_ball.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.endswith(f"picture: {Path('out/bat_and_ball.png')}\n")
    assert (tmp_path / "out" / "bat_and_ball.png").exists()


def test_radar_scopes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from ougi_lab.verify import radar_oracle as oracle

    example, lines = run("radar_scopes", tmp_path, capsys)
    probe, along = oracle.extract_body(example.PROBE), np.array([0, 0, 1.0])
    first = {
        name: oracle.find_straight_contacts(probe, oracle.extract_body(mesh), along).first(1e-12)
        for name, mesh in (("the asteroid", example.ASTEROID), ("the ring", example.RING))
    }
    name = min(first, key=lambda key: first[key])
    assert lines[0] == f"the probe drifts {first[name]:.6f} m, then touches {name}"
    for line in lines[2:]:
        low, high, result = (float(x) for x in re.findall(r"\d+\.\d+", line))
        assert low <= first[name] + 1e-4
        assert first[name] - 1e-4 <= high
        assert first[name] - 1e-4 <= result  # never early
