"""What the tests share: a profile of settings, and recipes for batches of every class."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import hypothesis
import numpy as np
import pytest

import ougi
from ougi._typing import Floats
from ougi_lab.scenes.batches import WIDE, draw_arguments

# The same examples on every machine, and no failure because a machine is slow or a kernel compiles.
hypothesis.settings.register_profile("ougi", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("ougi")

Shape: TypeAlias = tuple[int, ...]
Arguments: TypeAlias = dict[str, Floats]


@pytest.fixture(autouse=True, scope="session")
def _no_window() -> Iterator[None]:
    """Plots of examples and of processes that tests start need no screen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "MPLBACKEND", "Agg")
        yield


@pytest.fixture(autouse=True, scope="session")
def _own_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests and examples run in a temporary folder, where files of examples and of MuJoCo's log may stay."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("run"))
        yield


@pytest.fixture(autouse=True, scope="session")
def _one_signature_per_loop() -> Iterator[None]:
    """After all tests: no slice, dtype or read-only array has made a loop compile a second time."""
    yield
    from ougi._native import compiled_loops

    counts = {name: len(getattr(loop, "signatures", ())) for name, loop in compiled_loops.items()}
    assert {name: n for name, n in counts.items() if n > 1} == {}


@dataclass(frozen=True)
class Recipe:
    """How to make batches of a class: its name in `ougi`, and random constructor arguments."""

    name: str
    dimension: int
    label: str = ""

    @property
    def cls(self) -> Any:
        return getattr(ougi, self.name)

    def arguments(self, shape: Shape = (), seed: int = 0) -> Arguments:
        rng = np.random.default_rng([seed, *self.name.encode()])
        drawn = draw_arguments(self.cls, self.dimension, shape, rng, WIDE)
        # Tests broadcast arguments one by one, so every lower value fits to every upper one.
        if "lower" in drawn:
            drawn |= {"lower": -0.1 - np.abs(drawn["lower"]), "upper": np.abs(drawn["upper"])}
        if "outer_radius" in drawn:
            drawn["outer_radius"] = drawn["outer_radius"] + WIDE.inner_radius[1]
        return drawn

    def build(self, shape: Shape = (), seed: int = 0) -> Any:
        return self.cls(**self.arguments(shape, seed))

    def __str__(self) -> str:
        return self.label or self.name


_PLANAR = ("Circle", "Rectangle", "Capsule2d", "Segment2d", "Triangle2d", "Aabb2d", "Sector2d")
_SPATIAL = ("Sphere", "Box", "Capsule3d", "Segment3d", "Triangle3d", "Aabb3d", "Sector3d")
SHAPES = [*(Recipe(name, 2) for name in _PLANAR), *(Recipe(name, 3) for name in _SPATIAL)]
MOTIONS = [
    *(Recipe(name, 2) for name in ("Translation2d", "Rotation2d")),
    *(Recipe(name, 3) for name in ("Translation3d", "Rotation3d", "Screw3d")),
]


class MixedRecipe(Recipe):
    """Turns and moves of the plane in one batch: every other one turns."""

    def arguments(self, shape: Shape = (), seed: int = 0) -> Arguments:
        rng = np.random.default_rng([seed, 77])
        turns = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2 == 0
        return {
            "center": rng.uniform(-3, 3, (*shape, 2)),
            "angle": np.where(turns, rng.uniform(-9, 9, shape), 0.0),
            "offset": np.where(turns[..., None], 0.0, rng.uniform(-3, 3, (*shape, 2))),
        }


# Its arguments depend on each other, so it is not part of the laws about single arguments.
MIXED = MixedRecipe("Displacement2d", 2)
POSES = [Recipe("Pose", 2, "Pose in the plane"), Recipe("Pose", 3, "Pose in space")]


@pytest.fixture(params=[*SHAPES, *MOTIONS, *POSES], ids=str)
def recipe(request: pytest.FixtureRequest) -> Any:
    """Every class that comes in batches, one after the other."""
    return request.param


@pytest.fixture(params=[r for r in [*SHAPES, *MOTIONS, *POSES] if len(r.arguments()) > 1], ids=str)
def composed(request: pytest.FixtureRequest) -> Any:
    """Every class of batches with more than one argument, so that they can broadcast."""
    return request.param


@pytest.fixture(params=SHAPES, ids=str)
def shapes(request: pytest.FixtureRequest) -> Any:
    """Every class of shapes that comes in batches (all but Mesh), one after the other."""
    return request.param


@pytest.fixture(params=[*MOTIONS, MIXED], ids=str)
def motions(request: pytest.FixtureRequest) -> Any:
    """Every class of motions, one after the other."""
    return request.param
