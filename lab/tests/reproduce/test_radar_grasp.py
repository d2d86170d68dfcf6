"""Figure 16 of RADAR: radars and times of a frame while hands grasp."""

from __future__ import annotations

import json
from typing import Any

import pytest
from matplotlib.figure import Figure

from ougi_lab.reproduce import page, radar_grasp
from ougi_lab.reproduce.radar_frames import RadarSizes

NAMES = ("one hand, ball", "five hands, box")


@pytest.fixture(scope="module")
def numbers() -> dict[str, Any]:
    measured = radar_grasp.measure(RadarSizes(1, 1, 1, 1), 0, NAMES)
    stored: dict[str, Any] = json.loads(json.dumps(measured))
    assert stored == measured
    return stored


def test_the_committed_run_had_the_same_grasps(numbers: dict[str, Any]) -> None:
    committed = page.load_committed_runs()["radar"]["numbers"]["grasp"]
    assert list(committed) == list(radar_grasp.SCENES)
    one = NAMES[0]
    for what in ("detections", "phases", "stops", "ended"):
        assert numbers[one][what] == committed[one][what]
    assert numbers[one]["published"]["too_far"] == committed[one]["published"]["too_far"]


def test_five_hands_have_more_radars_at_work_than_one(numbers: dict[str, Any]) -> None:
    one, five = (numbers[name] for name in NAMES)
    assert max(one["detections"]) == 15
    assert max(five["detections"]) > 30
    assert one["ended"] == five["ended"] == "all hands have closed"
    assert one["stops"]["target"] >= 5


def test_tangents_go_too_far(numbers: dict[str, Any]) -> None:
    for each in numbers.values():
        assert 0 < each["published"]["too_far"] < each["published"]["moves"]
        assert each["published"]["deepest"] > 0.1


def test_the_section_has_tables_verdicts_and_a_figure(numbers: dict[str, Any]) -> None:
    section = radar_grasp.summarize(numbers)
    table = section.tables[0]
    assert [row[0] for row in table.rows] == list(NAMES)
    assert table.rows[1][2:4] == (radar_grasp.PUBLISHED_RADARS, max(numbers[NAMES[1]]["detections"]))
    assert all(verdict.holds for verdict in section.verdicts if verdict.binding)
    (figure,) = section.figures
    assert len(figure.rows) == sum(len(each["ms"]) for each in numbers.values())
    assert all(len(row) == len(figure.columns) for row in figure.rows)
    sheet = Figure()
    figure.draw(sheet)
    assert [axes.get_title() for axes in sheet.axes][:2] == list(NAMES)


def test_every_scene_can_start() -> None:
    from ougi_lab.grasp import build_human_hand, simulate_grasp

    for scene in radar_grasp.SCENES.values():
        assert len(simulate_grasp(build_human_hand(), *scene(), frames=1).frames) == 2
