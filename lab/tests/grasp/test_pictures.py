"""Pictures of grasps: near bodies hide far ones, colours mark parts that touch, films move."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from ougi.cli import app as cli
from ougi.plot import Camera
from ougi_lab.figures.grasp import BEHIND, SIDE, Sheet, list_bodies, plan_zooms, select_frames
from ougi_lab.figures.shading import fit_window, render_meshes
from ougi_lab.grasp import TARGETS, Grasp, StepSizes, build_human_hand, simulate_grasp
from ougi_lab.grasp.targets import aim_hand
from ougi_lab.scenes.meshes import make_box, make_sphere, move_mesh

EYE = np.eye(3)
# From +x, with y to the right and z up.
FRONT = Camera(azimuth=0.0, elevation=0.0)


@pytest.fixture(scope="module")
def run() -> Grasp:
    pose = aim_hand([0, 0, -260.0], [0, 0, 0], [0, 1, 0])
    return simulate_grasp(
        build_human_hand(), TARGETS["ball"](), pose, step_sizes=StepSizes(bend=math.radians(12))
    )


def test_the_nearer_body_hides_the_other() -> None:
    red = move_mesh(make_box(), EYE, np.array([2.0, 0, 0]))
    window = np.zeros(3), np.array([4.0, 4.0])
    image = render_meshes([(make_box((1.0, 3.0, 1.0)), "blue"), (red, "red")], FRONT, window, (40, 40))
    middle, right, corner = image[20, 20], image[20, 32], image[2, 2]
    assert middle[0] > middle[2]
    assert right[2] > right[0]
    assert corner.tolist() == [255, 255, 255]


def test_right_is_right_and_up_is_up() -> None:
    window = np.zeros(3), np.array([4.0, 4.0])
    beside = move_mesh(make_box(), EYE, np.array([0.0, 1.2, 0.8]))
    image = render_meshes([(beside, "black")], FRONT, window, (40, 40))
    rows, columns = np.nonzero(image.sum(axis=2) < 600)
    assert columns.mean() == pytest.approx(31.5, abs=1)  # y is to the right
    assert rows.mean() == pytest.approx(11.5, abs=1)  # z is up


def test_round_bodies_are_lit_smoothly_and_boxes_are_not() -> None:
    window = np.zeros(3), np.array([2.0, 2.0])
    ball = render_meshes([(make_sphere(16, 10), "grey")], Camera(), window, (60, 60)).astype(int)
    inside = ball[20:40, 20:40, 0]
    assert np.abs(np.diff(inside, axis=1)).max() < 12
    cube = render_meshes([(make_box(), "grey")], Camera(), window, (60, 60)).astype(int)
    assert len(np.unique(cube[25:35, 25:35, 0])) < 60


def test_a_window_shows_all_points() -> None:
    points = np.random.default_rng(1).normal(size=(50, 3))
    middle, size = fit_window(points, SIDE, (300, 200))
    seen = np.abs((points - middle) @ SIDE.project(np.eye(3)))[:, :2]
    assert (seen <= size / 2).all()
    assert size[0] / size[1] == pytest.approx(1.5)


def test_parts_that_have_stopped_are_red(run: Grasp) -> None:
    stops = [event for event in run.events if event.what == "stopped"]
    first, last = list_bodies(run, 0), list_bodies(run, len(run.frames) - 1)
    assert len(first) == len(last) == 17
    assert len({color for _, color in first}) == 2
    red = last[1 + stops[0].part][1]
    assert red not in {color for _, color in first}


def test_moments_are_in_order(run: Grasp) -> None:
    shots = select_frames(run)
    assert list(shots) == ["search", "contact", "four fingers", "each finger", "end"]
    assert list(shots.values()) == sorted(shots.values())


def test_a_sheet_is_a_picture_and_a_film(run: Grasp, tmp_path: Path) -> None:
    from PIL import Image

    short = Grasp(run.hand, run.target, run.frames[-4:], (), run.ended)
    sheet = Sheet("a ball", {"ball": short}, {"ball": BEHIND})
    with Image.open(sheet.save(tmp_path / "sheet.png")) as picture:
        assert picture.size[0] > 600
    with Image.open(sheet.save(tmp_path / "film.gif")) as film:
        assert getattr(film, "n_frames", 1) == len(plan_zooms(short, BEHIND))


def test_only_grasps_move(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["figures", "fan-4.1", "--format", "gif", "--output", str(tmp_path)]) == 2
    assert "known are radar-grasp, radar-five-hands" in capsys.readouterr().err
