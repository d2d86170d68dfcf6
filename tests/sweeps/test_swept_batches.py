"""Batches of shapes and motions are swept like each alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from swept import BOX, TURN, fan_motions

import ougi


def test_batches_that_do_not_broadcast_are_refused() -> None:
    with pytest.raises(ValueError, match="batch shapes do not broadcast"):
        ougi.sweep(BOX[None][[0, 0]], ougi.Rotation3d([0, 0, 0], [0, 0, 1], [1.0, 2, 3]), "sector")


def batch_cases() -> list[Any]:
    """Methods that take a turn, with the shapes of the plane and of space that each takes."""
    everywhere = (
        "sector-enclosing",
        "swept-sphere",
        "substeps",
        "start-end",
        "inflated",
        "temporal",
        "ideal",
    )
    convex = ["Box", "Sphere", "Capsule3d", "Triangle3d", "Aabb3d", "Rectangle", "Circle", "points"]
    return [
        *((method, name) for method in everywhere for name in [*convex, "Sector2d", "Sector3d"]),
        *((method, name) for method in ("exact", "cast") for name in convex),
        *((method, name) for method in ("sector", "sector-balanced") for name in ("Box", "Rectangle")),
    ]


def make_batch(name: str, batch: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Shapes with their middle line along x, so that every method takes them."""
    x = np.zeros((*batch, 3))
    x[..., 0] = rng.uniform(3, 5, batch)
    size = rng.uniform(0.1, 1, (*batch, 3))
    radius, up = rng.uniform(0.1, 1, batch), np.array([0, 0, 1.0])
    made: dict[str, Callable[[], Any]] = {
        "Box": lambda: ougi.Box(x, size),
        "Sphere": lambda: ougi.Sphere(x, radius),
        "Capsule3d": lambda: ougi.Capsule3d(x, x + size, radius),
        "Triangle3d": lambda: ougi.Triangle3d(x, x + size, x + size[..., ::-1]),
        "Aabb3d": lambda: ougi.Aabb3d(x, x + size),
        "Rectangle": lambda: ougi.Rectangle(x[..., :2], size[..., :2]),
        "Circle": lambda: ougi.Circle(x[..., :2], radius),
        "points": lambda: ougi.shapes.Point3d(x),
        "Sector2d": lambda: ougi.Sector2d(x[..., :2], size[..., :2], radius, radius, 2 * radius),
        "Sector3d": lambda: ougi.Sector3d(x, up + size, size, radius, radius, 2 * radius, radius),
    }
    return made[name]()


@pytest.mark.parametrize(("method", "name"), batch_cases())
def test_batches_of_shapes_and_motions_are_swept_like_each_alone(method: str, name: str) -> None:
    rng = np.random.default_rng(11)
    for k in (1, 2, 3, 4, 8):
        for small, many in [((), ()), ((), (k,)), ((), (k, 1)), ((k,), ()), ((k,), (k,)), ((k,), (k, 1))]:
            shape, angle = make_batch(name, small, rng), rng.uniform(-3, 3, many)
            flat = shape.dimension == 2
            motion: Any = (
                ougi.Rotation2d([0, 0], angle) if flat else ougi.Rotation3d([0, 0, 0], [0, 0, 1], angle)
            )
            is_box = method in ("start-end", "inflated", "temporal", "ideal")
            options: Any = {"method": f"speculative-{method}" if is_box else method, "steps": 3}
            swept: Any = ougi.sweep(shape, motion, **options)
            batch = np.broadcast_shapes(small, many)
            assert swept.shape == ((4, *batch) if method == "substeps" else batch)
            for at in np.ndindex(batch):
                one = ougi.sweep(shape[at[len(at) - len(small) :]], motion[tuple_of(at, many)], **options)
                mine = swept[:, *at] if method == "substeps" else swept[at]
                assert_same(mine, one)


def tuple_of(index: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The place of a batch of this shape that a place of the broadcast batch comes from."""
    mine = index[len(index) - len(shape) :]
    return tuple(0 if n == 1 else i for i, n in zip(mine, shape, strict=True))


def assert_same(a: Any, b: Any) -> None:
    assert type(a) is type(b)
    assert a.shape == b.shape
    if isinstance(a, ougi.Sweep):
        assert_same(a.body, b.body)
        assert_same(a.motion, b.motion)
    for field in a._fields:
        np.testing.assert_allclose(getattr(a, field), getattr(b, field), atol=1e-12)


def test_one_shape_and_many_motions() -> None:
    rng = np.random.default_rng(12)
    box = ougi.Box([2, 0, 0], [1, 0.2, 0.2])
    turns = ougi.Rotation3d(rng.normal(size=(8, 3)), rng.normal(size=(8, 3)), rng.uniform(0, 3, 8))
    assert ougi.contains(ougi.sweep(box, turns, "sector-enclosing"), [2.0, 0, 0]).all()


def test_sweeps_are_joined() -> None:
    box, motion = fan_motions(5, np.random.default_rng(14))
    swept: Any = ougi.sweep(box, motion)
    assert ougi.concatenate([swept[:2], swept[2], swept[3:]]) == swept
    with pytest.raises(TypeError, match="batches must be of one class, got Box and, at index 1, Sphere"):
        ougi.concatenate([swept, ougi.sweep(ougi.Sphere([1, 0, 0], 1), TURN)])
