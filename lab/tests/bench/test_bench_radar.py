"""`ougi bench radar`: its scenes are RADAR's, and its methods agree."""

from __future__ import annotations

import pytest

from ougi.cli.tables import format_table
from ougi.errors import InvalidInputError
from ougi_lab.bench import radar
from ougi_lab.bench.measurement import select
from ougi_lab.bench.table import build_table
from ougi_lab.scenes.mesh_pairs import make_figure_7


def test_figure_7_has_radars_polygons() -> None:
    sensor, scene = make_figure_7()
    assert sum(len(mesh.faces) for mesh in (sensor, *scene)) == 100_626
    assert len(sensor.faces) == 1250


def test_an_unknown_scene_is_refused_before_any_is_measured() -> None:
    with pytest.raises(InvalidInputError, match="no scene of bench radar is called 'cubes'; known are"):
        next(radar.measure(1, ("two boxes", "cubes")))


def test_all_methods_agree() -> None:
    measured = [each for cell in radar.measure(1, ("two boxes",)) for each in cell]
    assert {each["scene"] for each in measured} == {"two boxes", "two boxes turning"}
    for each in measured:
        if each.method.startswith(("exact", "coal")) and not each.missing:
            assert each["error"] == pytest.approx(0, abs=1e-8)
    assert "two boxes" in format_table(build_table("first contacts", measured, columns="ms {value:.3f}"))
    assert {each.target.bound for each in measured if each.target} == {0.05}
    assert len(select(measured, method="exact")) == 2
