"""What the tests share: a profile of settings, and recipes for batches of every class."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import hypothesis
import numpy as np
import pytest

import ougi
from ougi._typing import Floats

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
def _one_signature_per_loop() -> Iterator[None]:
    """After all tests: no slice, dtype or read-only array has made a loop compile a second time."""
    yield
    from ougi import _jit

    counts = {name: len(getattr(loop, "signatures", ())) for name, loop in _jit.made.items()}
    assert {name: n for name, n in counts.items() if n > 1} == {}


@dataclass(frozen=True)
class Recipe:
    """How to make batches of a class: its name in `ougi`, and random constructor arguments."""

    name: str
    cook: Callable[[Shape, np.random.Generator], Arguments]
    label: str = ""

    @property
    def cls(self) -> Any:
        return getattr(ougi, self.name)

    def arguments(self, shape: Shape = (), seed: int = 0) -> Arguments:
        return self.cook(shape, np.random.default_rng([seed, *self.name.encode()]))

    def build(self, shape: Shape = (), seed: int = 0) -> Any:
        return self.cls(**self.arguments(shape, seed))

    def __str__(self) -> str:
        return self.label or self.name


def _vectors(names: str, dimension: int) -> Callable[[Shape, np.random.Generator], Arguments]:
    """Points or vectors, and nothing else."""
    return lambda shape, rng: {name: rng.uniform(-3, 3, (*shape, dimension)) for name in names.split()}


def _round(names: str, dimension: int) -> Callable[[Shape, np.random.Generator], Arguments]:
    """Points and a radius."""
    points = _vectors(names, dimension)
    return lambda shape, rng: {**points(shape, rng), "radius": rng.uniform(0.2, 2, shape)}


def _aabb(dimension: int) -> Callable[[Shape, np.random.Generator], Arguments]:
    def cook(shape: Shape, rng: np.random.Generator) -> Arguments:
        return {
            "lower": rng.uniform(-3, -0.1, (*shape, dimension)),
            "upper": rng.uniform(0, 3, (*shape, dimension)),
        }

    return cook


def _quaternion(shape: Shape, rng: np.random.Generator) -> Floats:
    q = rng.normal(size=(*shape, 4))
    unit: Floats = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return unit


def _rectangle(shape: Shape, rng: np.random.Generator) -> Arguments:
    return {
        "center": rng.uniform(-3, 3, (*shape, 2)),
        "size": rng.uniform(0.2, 3, (*shape, 2)),
        "angle": rng.uniform(-7, 7, shape),
    }


def _box(shape: Shape, rng: np.random.Generator) -> Arguments:
    return {
        "center": rng.uniform(-3, 3, (*shape, 3)),
        "size": rng.uniform(0.2, 3, (*shape, 3)),
        "rotation": _quaternion(shape, rng),
    }


def _sector2d(shape: Shape, rng: np.random.Generator) -> Arguments:
    return {
        "center": rng.uniform(-3, 3, (*shape, 2)),
        "direction": rng.normal(size=(*shape, 2)),
        "half_angle": rng.uniform(0.05, np.pi, shape),
        "inner_radius": rng.uniform(0, 1, shape),
        "outer_radius": rng.uniform(1, 3, shape),
    }


def _sector(shape: Shape, rng: np.random.Generator) -> Arguments:
    return {
        "center": rng.uniform(-3, 3, (*shape, 3)),
        "axis": rng.normal(size=(*shape, 3)),
        "direction": rng.normal(size=(*shape, 3)),
        "half_angle": rng.uniform(0.05, np.pi, shape),
        "inner_radius": rng.uniform(0, 1, shape),
        "outer_radius": rng.uniform(1, 3, shape),
        "half_height": rng.uniform(0.1, 1, shape),
    }


def _pose(dimension: int) -> Callable[[Shape, np.random.Generator], Arguments]:
    def cook(shape: Shape, rng: np.random.Generator) -> Arguments:
        turn = _quaternion(shape, rng) if dimension == 3 else rng.uniform(-3, 3, shape)
        return {"position": rng.uniform(-3, 3, (*shape, dimension)), "rotation": turn}

    return cook


def _turn(shape: Shape, rng: np.random.Generator) -> Arguments:
    return {
        "center": rng.uniform(-3, 3, (*shape, 3)),
        "axis": rng.normal(size=(*shape, 3)),
        "angle": rng.uniform(-9, 9, shape),
    }


SHAPES = [
    Recipe("Circle", _round("center", 2)),
    Recipe("Rectangle", _rectangle),
    Recipe("Capsule2d", _round("start end", 2)),
    Recipe("Segment2d", _vectors("start end", 2)),
    Recipe("Triangle2d", _vectors("a b c", 2)),
    Recipe("Aabb2d", _aabb(2)),
    Recipe("Sector2d", _sector2d),
    Recipe("Sphere", _round("center", 3)),
    Recipe("Box", _box),
    Recipe("Capsule3d", _round("start end", 3)),
    Recipe("Segment3d", _vectors("start end", 3)),
    Recipe("Triangle3d", _vectors("a b c", 3)),
    Recipe("Aabb3d", _aabb(3)),
    Recipe("Sector3d", _sector),
]
MOTIONS = [
    Recipe("Translation2d", _vectors("offset", 2)),
    Recipe("Translation3d", _vectors("offset", 3)),
    Recipe(
        "Rotation2d",
        lambda shape, rng: {
            "center": rng.uniform(-3, 3, (*shape, 2)),
            "angle": rng.uniform(-9, 9, shape),
        },
    ),
    Recipe("Rotation3d", _turn),
    Recipe("Screw3d", lambda shape, rng: {**_turn(shape, rng), "advance": rng.uniform(-3, 3, shape)}),
]
POSES = [Recipe("Pose", _pose(2), "Pose in the plane"), Recipe("Pose", _pose(3), "Pose in space")]


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


@pytest.fixture(params=MOTIONS, ids=str)
def motions(request: pytest.FixtureRequest) -> Any:
    """Every class of motions, one after the other."""
    return request.param
