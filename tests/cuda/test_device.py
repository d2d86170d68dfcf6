"""Pairs of shapes and first contacts on a GPU: the answers of the CPU, and what is refused."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
from typing import Any

import numpy as np
import pytest
from conftest import SHAPES
from devices import SIMULATED, assert_same_form, on_host

import ougi.cuda
from ougi.cuda.driver import to_device
from ougi.impact.tables import KERNELS, LAYOUTS
from ougi.query.tables import HULLS, TABLES
from ougi.shapes import Point2d, Point3d

POINTS: dict[str, Any] = {"Point2d": Point2d, "Point3d": Point3d}


def shapes_of(cls: Any, n: int, seed: int) -> Any:
    """n shapes near the origin; fans of all kinds."""
    name = cls.__name__
    if name in POINTS:
        return cls(np.random.default_rng(seed).uniform(-2, 2, (n, cls.dimension)))
    recipe = next(recipe for recipe in SHAPES if recipe.name == name)
    return recipe.build((n,), seed)


def moving(cls: Any, n: int, seed: int) -> Any:
    """As `shapes_of`; fans are whole cylinders."""
    if cls is ougi.Sector3d:
        rng = np.random.default_rng(seed)
        return ougi.Sector3d(
            rng.uniform(-3, 3, (n, 3)), rng.normal(size=(n, 3)), [1, 2, 3], np.pi, 0, 0.5, 0.6
        )
    return shapes_of(cls, n, seed)


ROWS = {question: TABLES[question] for question in ("intersects", "distance")}
ALL_ROWS = [(question, row) for question, rows in ROWS.items() for row in rows]


@pytest.mark.parametrize(
    ("question", "row"), ALL_ROWS, ids=lambda x: x if isinstance(x, str) else f"{x.a.__name__}-{x.b.__name__}"
)
def test_every_pair_of_the_tables_gets_the_answers_of_the_cpu(question: str, row: Any) -> None:
    a, b = shapes_of(row.a, 3, 1), shapes_of(row.b, 4, 2)
    x, y = ougi.cuda.put(a), ougi.cuda.put(b)
    query, want = getattr(ougi.cuda, question), getattr(ougi, question)
    crossed = on_host(query(x.reshape((3, 1)), y))
    listed = query(y, x, pairs=[[3, 0], [1, 2], [0, 0]], result="numpy")
    np.testing.assert_allclose(crossed, want(a[:, None], b), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(listed, want(b, a, pairs=[[3, 0], [1, 2], [0, 0]]), rtol=1e-12, atol=1e-12)


SPATIAL = {LAYOUTS[cls]: cls for cls in LAYOUTS if cls.dimension == 3 and cls.__name__ not in POINTS}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("both", [False, True], ids=["one moves", "both move"])
def test_every_kernel_of_first_contacts_finds_those_of_the_cpu(kernel: str, both: bool) -> None:
    a, b = (moving(SPATIAL[layout], 3, 5 + k) for k, layout in enumerate(kernel.split("_")))
    motion = ougi.Screw3d([0.5, 0, 0], [0, 1, 2], [1.0, 2.0, 3.0], 0.5)
    other = ougi.Rotation3d([0, 1, 0], [1, 0, 1], 1.5) if both else None
    for shape, target in ((a, b), (b, a)):
        want = ougi.time_of_impact(shape, motion, target, other)
        put = ougi.cuda.put
        got = ougi.cuda.time_of_impact(
            put(shape), put(motion), put(target), None if other is None else put(other), result="numpy"
        )
        assert_same_form(got, want)
        assert got.status.tolist() == want.status.tolist()
        assert got.hit.tolist() == want.hit.tolist()
        np.testing.assert_allclose(got.t, want.t, rtol=0, atol=1e-8)
        hit = want.status == 1
        np.testing.assert_allclose(got.point[hit], want.point[hit], rtol=0, atol=1e-5)
        np.testing.assert_allclose(got.normal[hit], want.normal[hit], rtol=0, atol=1e-4)


HULL = ougi.ConvexHull3d([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 1]], 0.1)
POLYGON = ougi.ConvexPolygon2d([[0, 0], [2, 0], [2, 1], [1, 2]], 0.1)


@pytest.mark.parametrize("row", HULLS, ids=lambda row: f"{row.a.__name__}-{row.b.__name__}")
def test_hulls_and_polygons_get_the_answers_of_the_cpu(row: Any) -> None:
    body = HULL if row.b is ougi.ConvexHull3d else POLYGON
    d = body.dimension
    b = body.transformed(ougi.Pose(np.array([[0.0, 0, 0], [1, 1, 1], [-3, 0, 1], [2, 0, 0]])[:, :d]))
    a = b[:3] if row.a is row.b else shapes_of(row.a, 3, 1)
    x, y = ougi.cuda.put(a), ougi.cuda.put(b)
    crossed = ougi.cuda.distance(y.reshape((4, 1)), x, result="numpy")
    np.testing.assert_array_equal(crossed, ougi.distance(b[:, None], a))
    pairs = [[3, 0], [1, 2], [0, 0]]
    np.testing.assert_array_equal(
        ougi.cuda.intersects(y, x, pairs=pairs, result="numpy"), ougi.intersects(b, a, pairs=pairs)
    )
    for first, second in ((a, b), (b, a)):
        want = ougi.closest_points(first[:, None], second)
        got = ougi.cuda.closest_points(
            ougi.cuda.put(first).reshape((len(first), 1)), ougi.cuda.put(second), result="numpy"
        )
        assert_same_form(got, want)
        assert got == want


@pytest.mark.parametrize("body", [HULL, POLYGON], ids=["hulls", "polygons"])
@pytest.mark.parametrize("both", [False, True], ids=["one moves", "both move"])
def test_first_contacts_of_hulls_and_polygons(body: Any, both: bool) -> None:
    put, spots = ougi.cuda.put, np.random.default_rng(1).normal(size=(16, body.dimension)) * 2
    if body.dimension == 3:
        motion: Any = ougi.Screw3d([0.5, 0, 0], [0, 1, 2], 3.0, 0.5)
        target: Any = ougi.Box(spots, [1, 1, 1])
        other: Any = ougi.Rotation3d([0, 1, 0], [1, 0, 1], 1.5) if both else None
    else:
        motion = ougi.Rotation2d([0.5, 0], 3.0)
        target = ougi.Rectangle(spots, [1, 1], 0.3)
        other = ougi.Translation2d([-1, 0.5]) if both else None
    for shape, aim in ((body, target), (target, body)):
        want = ougi.time_of_impact(shape, motion, aim, other, margin=0.01)
        moved = None if other is None else put(other)
        got = ougi.cuda.time_of_impact(put(shape), put(motion), put(aim), moved, margin=0.01, result="numpy")
        assert_same_form(got, want)
        assert got.status.tolist() == want.status.tolist()
        np.testing.assert_allclose(got.t, want.t, rtol=0, atol=1e-8)
        hit = want.status == 1
        assert hit.any()
        np.testing.assert_allclose(got.point[hit], want.point[hit], rtol=0, atol=1e-5)


def test_points_and_balls_on_the_device_are_read_as_hulls() -> None:
    spots = np.random.default_rng(0).uniform(-1, 2, (9, 3))
    got = ougi.cuda.contains(ougi.cuda.put(HULL), to_device(spots), result="numpy")
    assert got.tolist() == ougi.contains(HULL, spots).tolist()
    assert 0 < got.sum() < 9
    flat = np.ascontiguousarray(spots[:, :2])
    got = ougi.cuda.contains(ougi.cuda.put(POLYGON), to_device(flat), result="numpy")
    assert got.tolist() == ougi.contains(POLYGON, flat).tolist()
    for balls, hull in ((ougi.Sphere(spots, 0.3), HULL), (ougi.Circle(flat, 0.3), POLYGON)):
        columns = ougi.cuda.from_columns(type(balls), to_device(balls.columns()))
        layout = hull.layouts[0]
        assert np.array_equal(on_host(columns.columns(layout)), balls.columns(layout))
        got = ougi.cuda.distance(ougi.cuda.put(hull), columns, result="numpy")
        np.testing.assert_array_equal(got, ougi.distance(hull, balls))
    boxes = ougi.cuda.from_columns(ougi.Box, to_device(ougi.Box(spots, [1, 1, 1]).columns()))
    with pytest.raises(ValueError, match="a Box from columns cannot be read as a hull; put the batch"):
        ougi.cuda.distance(ougi.cuda.put(HULL), boxes)
    with pytest.raises(TypeError, match="the columns of a ConvexHull3d hold its vertices, too; put it"):
        ougi.cuda.from_columns(ougi.ConvexHull3d, to_device(HULL.columns()))
    for unknown in (ougi.HalfSpace3d([0, 0, 1]), ougi.Cone([0, 0, 0], [0, 0, 1], 1, 1)):
        with pytest.raises(TypeError, match="is not supported on the GPU; query it on the CPU, by ougi"):
            ougi.cuda.put(unknown)


def test_first_contacts_in_the_plane_with_margin_and_of_listed_pairs() -> None:
    put = ougi.cuda.put
    slab, coins = (
        ougi.Rectangle([2, 0], [1, 0.2], 0.3),
        ougi.Circle([[0.0, 1.5], [-2.0, 0.0], [0.0, 9.0]], 0.3),
    )
    motion = ougi.Rotation2d([[0.0, 0.0], [0.5, 0.0]], 2.5)
    pairs = [[0, 0], [1, 1], [1, 2]]
    want = ougi.time_of_impact(slab, motion, coins, margin=0.05, pairs=pairs)
    got = ougi.cuda.time_of_impact(put(slab), put(motion), put(coins), margin=0.05, pairs=pairs)
    assert on_host(got.status).tolist() == want.status.tolist() == [1, 0, 0]
    np.testing.assert_allclose(on_host(got.t), want.t, atol=1e-8)
    assert_same_form(got.to_host(), want)
    same = put(ougi.Rectangle([0, 3], [1, 1], 0))
    near = ougi.cuda.time_of_impact(put(slab), put(motion[0]), same, margin=0.1, result="numpy")
    found = ougi.time_of_impact(slab, motion[0], ougi.Rectangle([0, 3], [1, 1], 0), margin=0.1)
    np.testing.assert_allclose(near.t, found.t, atol=1e-8)


def test_one_motion_for_both_and_listed_pairs_keep_their_sides() -> None:
    put = ougi.cuda.put
    balls, boxes = shapes_of(ougi.Sphere, 3, 1), shapes_of(ougi.Box, 3, 2)
    motion = ougi.Screw3d([0, 0, 0], [0, 0, 1], [1.0, 2.0, 3.0], 0.5)
    moved = put(motion)
    pairs = [[0, 2], [2, 1], [1, 0]]
    got = ougi.cuda.time_of_impact(put(balls), moved, put(boxes), moved, pairs=pairs, result="numpy")
    want = ougi.time_of_impact(balls, motion, boxes, motion, pairs=pairs)
    assert got.status.tolist() == want.status.tolist()
    np.testing.assert_allclose(got.t, want.t, atol=1e-8)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((2, 1, 3), (4, 1)),
        ((3, 1), (2,)),
        ((2,), (3, 1)),
        ((3,), (3,)),
        ((), (5,)),
        ((40,), (1,)),
        ((), ()),
        ((0,), (1,)),
    ],
)
def test_batches_broadcast_as_on_the_cpu(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    boxes = ougi.Box(rng.uniform(-1, 1, (*first, 3)), [1, 2, 1])
    balls = ougi.Sphere(rng.uniform(-1, 1, (*second, 3)), 0.4)
    for a, b in ((boxes, balls), (balls, boxes)):
        want = ougi.intersects(a, b)
        on_device = ougi.cuda.intersects(ougi.cuda.put(a), ougi.cuda.put(b))
        assert on_device.shape == np.shape(want)
        got = ougi.cuda.intersects(ougi.cuda.put(a), ougi.cuda.put(b), result="numpy")
        assert np.array_equal(got, want)


def test_columns_on_the_device_are_used_without_a_copy() -> None:
    balls = ougi.Sphere([[0, 0, 0], [3, 0, 0]], 1)
    lying = to_device(balls.columns())
    wrapped = ougi.cuda.from_columns(ougi.Sphere, lying)
    assert wrapped.columns() is lying or wrapped.columns().gpu_data is lying.gpu_data
    box = ougi.cuda.put(ougi.Box([0, 0, 0], [1, 1, 1]))
    assert ougi.cuda.intersects(box, wrapped, result="numpy").tolist() == [True, False]


def test_arrays_of_points_on_the_device_are_points() -> None:
    spots = np.random.default_rng(0).uniform(-1, 1, (6, 3))
    ball = ougi.Sphere([0, 0, 0], 0.9)
    got = ougi.cuda.contains(ougi.cuda.put(ball), to_device(spots), result="numpy")
    assert got.tolist() == ougi.contains(ball, spots).tolist()
    flat = np.ascontiguousarray(spots[:, :2])
    got = ougi.cuda.contains(ougi.cuda.put(ougi.Circle([0, 0], 0.9)), to_device(flat), result="numpy")
    assert got.tolist() == ougi.contains(ougi.Circle([0, 0], 0.9), flat).tolist()


def test_pairs_may_lie_on_the_device() -> None:
    balls = ougi.cuda.put(ougi.Sphere([[0.0, 0, 0], [1.5, 0, 0], [9.0, 0, 0]], 1))
    pairs = to_device(np.array([[0, 1], [0, 2]]))
    assert ougi.cuda.intersects(balls, balls, pairs=pairs, result="numpy").tolist() == [True, False]
    with pytest.raises(IndexError, match=r"pairs\[1\] is \[0, 3\], but the batches hold 3 and 3"):
        ougi.cuda.intersects(balls, balls, pairs=to_device(np.array([[0, 1], [0, 3]])))


def test_what_lies_on_the_host_is_refused_with_advice() -> None:
    ball = ougi.Sphere([0, 0, 0], 1)
    with pytest.raises(
        TypeError, match=r"b must lie on the GPU, got a Sphere on the host: use ougi.cuda.put\(b\)"
    ):
        ougi.cuda.intersects(ougi.cuda.put(ball), ball)
    motion = ougi.Translation3d([1, 0, 0])
    with pytest.raises(TypeError, match=r"motion must lie on the GPU, got a Translation3d on the host"):
        ougi.cuda.time_of_impact(ougi.cuda.put(ball), motion, ougi.cuda.put(ball))  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="columns must be an array on the GPU, got host memory"):
        ougi.cuda.from_columns(ougi.Sphere, ball.columns())


def test_what_has_no_records_is_refused() -> None:
    with pytest.raises(TypeError, match="got a Mesh"):
        ougi.cuda.put(ougi.Mesh(np.eye(3), [[0, 1, 2]]))
    motion = ougi.Translation3d([1, 0, 0])
    with pytest.raises(TypeError, match="got a Chain"):
        ougi.cuda.put(ougi.Chain(motion, motion))
    ball = ougi.cuda.put(ougi.Sphere([0, 0, 0], 1))
    with pytest.raises(TypeError, match="b must be a shape, got a Translation3d"):
        ougi.cuda.intersects(ball, ougi.cuda.put(motion))
    with pytest.raises(ougi.UnsupportedPairError):
        ougi.cuda.distance(
            ougi.cuda.put(shapes_of(ougi.Sector3d, 1, 0)), ougi.cuda.put(shapes_of(ougi.Box, 1, 0))
        )
    with pytest.raises(ValueError, match="result must be one of device, numpy"):
        ougi.cuda.intersects(ball, ball, result="host")  # type: ignore[arg-type]


def test_columns_of_another_form_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"columns must have shape \(4, n\) for the layout 'sphere', got \(3, 5\)"
    ):
        ougi.cuda.from_columns(ougi.Sphere, to_device(np.zeros((3, 5))))
    with pytest.raises(TypeError, match="columns must be float64, got float32"):
        ougi.cuda.from_columns(ougi.Sphere, to_device(np.zeros((4, 5), np.float32)))
    with pytest.raises(ValueError, match="layout must be one of aabb3d, box"):
        ougi.cuda.from_columns(ougi.Aabb3d, to_device(np.zeros((6, 5))), layout="sphere")
    crate = ougi.cuda.from_columns(ougi.Aabb3d, to_device(np.zeros((6, 5))))
    with pytest.raises(ValueError, match="cannot be read as 'box'; give from_columns the 15 rows"):
        ougi.cuda.distance(crate, crate)


def test_another_device_is_refused() -> None:
    ball = ougi.cuda.put(ougi.Sphere([0, 0, 0], 1))
    elsewhere = ball.reshape((1,))
    elsewhere.device = 7
    with pytest.raises(ValueError, match="b lies on device 7, but device 0 is current"):
        ougi.cuda.intersects(ball, elsewhere)


@pytest.mark.parametrize("module", ["batches", "broad", "corridor", "impact", "query", "radar", "results"])
def test_examples_of_the_modules_run(module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"ougi.cuda.{module}"))
    assert (found.attempted > 0, found.failed) == (True, 0)


@pytest.mark.skipif(SIMULATED, reason="the simulator has the memory of the host")
def test_too_little_memory_is_a_memory_error() -> None:
    many = ougi.cuda.from_columns(ougi.Sphere, to_device(np.zeros((4, 2_000_000))))
    with pytest.raises(MemoryError, match="GiB left"):
        ougi.cuda.distance(many.reshape((-1, 1)), many)


@pytest.mark.skipif(SIMULATED, reason="the simulator knows no streams")
def test_streams_of_numba_cupy_and_torch_are_taken() -> None:
    from numba import cuda

    ball = ougi.cuda.put(ougi.Sphere([0, 0, 0], 1))
    streams = [cuda.stream()]
    if importlib.util.find_spec("torch"):
        import torch

        streams.append(torch.cuda.Stream())
    if importlib.util.find_spec("cupy"):
        import cupy

        streams.append(cupy.cuda.Stream())
    for stream in streams:
        put = ougi.cuda.put(ougi.Sphere([[0, 0, 1], [5, 5, 5]], 1), stream=stream)
        assert ougi.cuda.intersects(ball, put, stream=stream, result="numpy").tolist() == [True, False]


@pytest.mark.skipif(SIMULATED, reason="the simulator knows no other library's arrays")
@pytest.mark.parametrize("library", ["cupy", "torch", "jax"])
def test_arrays_of_other_libraries_are_taken_and_given(library: str) -> None:
    module = pytest.importorskip(library)
    columns = ougi.Sphere([[0, 0, 1], [5, 5, 5]], 1).columns()
    if library == "cupy":
        lying = module.asarray(columns)
    elif library == "torch":
        lying = module.tensor(columns, device="cuda")
    else:
        module.config.update("jax_enable_x64", True)
        lying = module.device_put(columns.copy())
    balls = ougi.cuda.from_columns(ougi.Sphere, lying)
    hits = ougi.cuda.intersects(ougi.cuda.put(ougi.Sphere([0, 0, 0], 1)), balls)
    assert on_host(hits).tolist() == [True, False]
    if library == "cupy":
        assert module.asarray(hits).tolist() == [True, False]
    elif library == "torch":
        assert module.as_tensor(hits, device="cuda").tolist() == [True, False]
