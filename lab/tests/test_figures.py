"""The figures of the papers."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.cli import app as cli
from ougi_lab.figures import captions, fan, radar_diagrams
from ougi_lab.figures.command import figures, find_image, list_drawings, update_figures

DOCS = Path(__file__).parents[2] / "docs/experiments"


def test_figure_2_22_shows_a_false_hit_of_the_published_test() -> None:
    hull, discs = fan.enclose_in_plane(fan.FALSE_HIT), fan.cut_discs(fan.FALSE_HIT)
    assert ougi.intersects(fan.FLAT, hull)
    assert not ougi.intersects(fan.THICK, fan.FALSE_HIT)
    # Independently: the discs are the capsule, as the fan sees it, and none of them touches.
    assert not ougi.intersects(fan.FLAT, discs).any()
    assert ougi.distance(fan.FLAT, discs).min() > 0.1
    # The hull holds all discs, as it must: it never misses.
    reach = ougi.distance(ougi.Segment2d(hull.start, hull.end), discs.center) + discs.radius
    assert (reach <= hull.radius + 1e-9).all()


def test_a_capsule_given_the_other_way_round_has_the_same_hull() -> None:
    turned = ougi.Capsule3d(fan.FALSE_HIT.end, fan.FALSE_HIT.start, fan.FALSE_HIT.radius)
    assert fan.enclose_in_plane(turned) == fan.enclose_in_plane(fan.FALSE_HIT)


def test_every_drawable_figure_of_the_papers_is_there() -> None:
    numbers = {(figure.paper, figure.number) for figure in captions.CAPTIONS}
    wanted = (
        {("FAN", f"2.{k}") for k in range(1, 23)}
        | {("FAN", f"3.{k}") for k in range(1, 15)}
        | {("FAN", "4.1")}
    )
    wanted |= {("FAN2D", f"2.{k}") for k in range(1, 5)} | {("FAN2D", f"3.{k}") for k in range(1, 7)}
    wanted |= {("SORT", str(k)) for k in range(1, 13)} | {("RADAR", str(k)) for k in range(1, 17)}
    assert numbers == wanted | {("CORRIDOR", str(k)) for k in range(1, 5)}
    assert {figure.drawing for figure in captions.CAPTIONS} == set(list_drawings())


def test_the_page_shows_every_figure() -> None:
    text = (DOCS / "figures.md").read_text(encoding="utf-8")
    assert text == update_figures(text), "run `make docs`"
    for name in list_drawings():
        assert (DOCS / find_image(name)).is_file(), "run `make docs`"


def test_the_mask_sizes_the_view_volume() -> None:
    """RADAR sec. 3.3, 4.4 (2): first as large as the search volume, then as the hand, to whole pixels."""
    (width, height, _), (small, low, _) = radar_diagrams.measure_masks(100)
    assert (width, height) == radar_diagrams.SEARCH[:2]
    corners = radar_diagrams._build_hand_mesh().vertices
    extent = corners.max(axis=0) - corners.min(axis=0)
    assert extent[0] <= small <= extent[0] + 2 * width / 100
    assert extent[1] <= low <= extent[1] + 2 * height / 100


@pytest.mark.parametrize(
    "name", ["fan-2.1", "fan-2.22", "fan-4.1", "fan-2.7", "sort-5", "radar-6", "corridor-3"]
)
def test_the_command_draws_a_figure_and_prints_its_path(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert figures(name, output=tmp_path / "new", format="both") == 0
    paths = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert [path.name for path in paths] == [f"{name}.png", f"{name}.svg"]
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in paths[1].read_bytes()


@pytest.mark.slow
def test_the_command_draws_all_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["figures", "--output", str(tmp_path)]) == 0
    paths = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert [path.stem for path in paths] == list(list_drawings())
    for one, other in itertools.pairwise(paths):
        assert one.read_bytes() != other.read_bytes()


def test_an_unknown_figure_is_refused_before_any_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["figures", "fan-4.1", "fan-9.9", "--output", str(tmp_path)]) == 2
    assert "fan-2.22" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_corridor_is_drawn_with_its_holes_open() -> None:
    import matplotlib.figure

    from ougi.corridor import Corridor
    from ougi_lab.figures.corridor import draw_corridor

    axes = matplotlib.figure.Figure().add_subplot()
    hole = [[1, 1], [2, 1], [2, 2], [1, 2]]
    draw_corridor(
        axes, Corridor([[0, 0], [4, 0], [4, 3], [0, 3]], holes=[hole]), [[3, 1], [3, 2]], [0.2, 0.3]
    )
    path: Any = axes.patches[0].get_path()
    assert len(path.vertices) == 10
    loops = [np.asarray(loop).T for loop in path.to_polygons()]
    areas = [0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) for x, y in loops]
    assert areas == [12, -1]
    assert len(axes.collections[0].get_paths()) == 2
