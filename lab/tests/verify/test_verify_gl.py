"""The oracle of OpenGL's images, and that it catches mistakes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from ougi.errors import DeviceError, MissingExtraError
from ougi.radar.gl import Image, Views
from ougi_lab.results import load_result
from ougi_lab.verify.gl import ROWS, Gl, draw_embedded, get_radars


@pytest.mark.parametrize("row", ROWS)
def test_a_short_run_finds_no_mistake(row: str) -> None:
    try:
        get_radars()
    except (DeviceError, MissingExtraError) as error:
        pytest.skip(f"no OpenGL: {error}")
    tally = Gl().check(row, "random", 25, np.random.default_rng(20))
    assert tally.disagreements == 0, tally.first
    assert tally.cases >= 25
    assert tally.counts["pixels that see a body"] > 300


def plant_mistake(change: Callable[[Image], Image]) -> Gl:
    """The embedded rasteriser with a mistake, in place of OpenGL."""

    def query(views: Sequence[Views]) -> list[Image]:
        return [change(draw_embedded(view)) for view in views]

    return Gl(query=query)


def beside(image: Image) -> Image:
    return Image(np.roll(image.depth, 1), np.roll(image.face, 1), image.starts)


def nearer(image: Image) -> Image:
    return image._replace(depth=image.depth - 1e-2)


def blind(image: Image) -> Image:
    first = image.face == image.face.max()
    return Image(np.where(first, np.inf, image.depth), np.where(first, -1, image.face), image.starts)


@pytest.mark.parametrize("mistake", [beside, nearer, blind])
@pytest.mark.parametrize("row", ["bodies", "many"])
def test_planted_mistakes_are_caught(mistake: Callable[[Image], Image], row: str) -> None:
    tally = plant_mistake(mistake).check(row, "random", 20, np.random.default_rng(4))
    assert tally.disagreements > 0
    assert tally.first is not None
    assert "OpenGL is wrong" in tally.first["a"]


def test_the_embedded_rasteriser_agrees_with_itself() -> None:
    tally = plant_mistake(lambda image: image).check("bodies", "random", 20, np.random.default_rng(5))
    assert tally.disagreements == tally.in_band == 0


def test_a_thousand_volumes_of_each_kind_are_committed() -> None:
    report = load_result("verify-gl")
    assert report is not None
    assert set(report["pairs"]) == set(ROWS)
    for row in report["pairs"].values():
        assert row["cases"] >= 1000
        assert row["disagreements"] == 0
