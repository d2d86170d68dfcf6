"""`ougi bench radar`: its scenes are RADAR's, and its ways agree."""

from __future__ import annotations

import pytest

from ougi.cli.tables import plain
from ougi.errors import InvalidInputError
from ougi_lab.bench import radar
from ougi_lab.bench.radar_show import table
from ougi_lab.scenes.mesh_pairs import make_figure_7


def test_figure_7_has_radars_polygons() -> None:
    sensor, scene = make_figure_7()
    assert sum(len(mesh.faces) for mesh in (sensor, *scene)) == 100_626
    assert len(sensor.faces) == 1250


def test_an_unknown_question_is_refused_before_any_is_measured() -> None:
    with pytest.raises(InvalidInputError, match="no question of bench radar is called 'cubes'; known are"):
        next(radar.rows(1, ("two boxes", "cubes")))


def test_all_ways_to_answer_agree() -> None:
    rows = list(radar.rows(1, ("two boxes",)))
    assert {row.question for row in rows} == {"two boxes", "two boxes turning"}
    for row in rows:
        if row.way.startswith(("exact", "coal")):
            assert row.error == pytest.approx(0, abs=1e-8)
    assert "two boxes" in plain(table(rows, 1.0))
    assert {row.target for row in rows} == {None, 0.05}
