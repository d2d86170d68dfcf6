"""The experiments of RADAR: counts that can be held to, and a page made of the committed run."""

from __future__ import annotations

import numpy as np
import pytest

from ougi.errors import InvalidInputError
from ougi.motion import Translation3d
from ougi.radar import Meshes, collide
from ougi_lab.reproduce import page, radar, radar_cost, radar_error, radar_many
from ougi_lab.reproduce.radar_frames import RadarFrame
from ougi_lab.scenes.bouncing_radars import BEGINNING, BouncingRadars, simulate_radars

NUMBERS = page.load_committed_runs()["radar"]["numbers"]


def test_errors_are_those_of_the_committed_run() -> None:
    committed = NUMBERS["error"]
    found = radar_error.measure_errors("box", committed["cases"], NUMBERS["seed"], (8, 16))
    for mine, theirs in zip(found, committed["kinds"]["box"], strict=False):
        assert {k: mine[k] for k in ("pixels", "missed", "overlapping", "early")} == {
            k: theirs[k] for k in ("pixels", "missed", "overlapping", "early")
        }
        assert mine["late"] == pytest.approx(theirs["late"], rel=0.02)
        assert mine["normal"] == pytest.approx(theirs["normal"], rel=0.02)


def test_bounces_are_those_of_the_committed_run() -> None:
    for committed in NUMBERS["many"]["audits"][:2]:
        found = simulate_radars(committed["movers"], BEGINNING, NUMBERS["seed"])
        assert found["first_bounces"] == committed["first_bounces"] > 0


def test_what_figure_7_finds_is_what_the_committed_run_found() -> None:
    each = NUMBERS["cost"]["scenes"][0]
    sensor, bodies = radar_cost.build_scene(each["polygons"])
    scene = Meshes(bodies)
    assert len(scene.faces) + len(sensor.faces) == each["polygons"]
    for row in each["rows"]:
        if row["pixels"] == 100:
            frame = radar_cost.build_frame(sensor, scene, row["side"], row["pixels"])
            found = frame.analyze()[0]
            assert (row["found"] is None) == np.isinf(found)
            if row["found"] is not None:
                assert found == pytest.approx(row["found"], rel=1e-6)


def test_a_frame_of_many_radars_is_what_collide_says_of_each() -> None:
    world = BouncingRadars(6, seed=8)
    frame: RadarFrame = radar_many.build_frame(world, 20)
    own = np.arange(6)[:, None]
    expected = collide(
        world.sensors(),
        Translation3d(world.velocity),
        world.scene,
        method="published",
        pixels=20,
        ignore=own,
    )
    length = np.linalg.norm(world.velocity, axis=1)
    found = np.array(frame.analyze())
    hit = expected.status == 1
    assert (found <= length).tolist() == expected.hit.tolist()
    assert found[hit] == pytest.approx(expected.distance[hit])


def test_a_straight_line_is_recognised() -> None:
    assert radar_many.fit_line((10, 20, 30), (2.5, 4.5, 6.5)) == (0.2, 0.5, 1.0)
    assert radar_many.fit_line((10, 20, 30), (1.0, 5.0, 1.0))[2] == pytest.approx(0)


def test_the_full_size_is_committed() -> None:
    sizes = NUMBERS["sizes"]
    assert (sizes["polygons"], sizes["frames"], sizes["contacts"]) == (100_626, 10_000, 100)
    assert [each["polygons"] for each in NUMBERS["cost"]["scenes"]] == list(radar_cost.POLYGONS)
    assert NUMBERS["cost"]["gl"]
    assert all(each["normal"] > 0 for each in NUMBERS["cost"]["scenes"])


def test_verdicts_say_what_was_found() -> None:
    outcome = radar.build_outcome(NUMBERS)
    held = {verdict.claim: verdict.holds for verdict in outcome.verdicts}
    assert held["no sphere passes a wall or another (exact radars) (ours)"]
    assert not held[
        "3.2: any three colliding pixels give the normal: long move, all that close (10° at most at 25²)"
    ]
    assert all(verdict.holds for verdict in outcome.verdicts if verdict.binding)


def test_without_opengl_its_columns_are_empty() -> None:
    scenes = [{**each, "normal": None} for each in NUMBERS["cost"]["scenes"]]
    rows = [{**row, "gl": None} for row in NUMBERS["many"]["rows"]]
    blind = {
        **NUMBERS,
        "cost": {**NUMBERS["cost"], "gl": False, "renderer": "no OpenGL", "scenes": scenes},
        "many": {**NUMBERS["many"], "gl": False, "renderer": "no OpenGL", "normal": None, "rows": rows},
    }
    outcome = radar.build_outcome(blind)
    assert outcome.tables[0].rows[0][-5:] == (None,) * 5
    assert "figure-7-opengl" not in {figure.name for figure in outcome.figures}
    assert not any("normal draw" in verdict.claim for verdict in outcome.verdicts)


@pytest.mark.parametrize("option", ["repeats", "polygons", "frames", "contacts"])
def test_sizes_must_be_positive(option: str) -> None:
    with pytest.raises(InvalidInputError, match=f"{option} must be positive, got 0"):
        radar.run(**{option: 0})  # type: ignore[arg-type]
