"""What a GPU answers: run by `test_simulator.py` without one, and by themselves where one is there."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import os
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.impact._tables import KERNELS, LAYOUTS
from ougi.query._tables import TABLES
from ougi.shapes import Point2d, Point3d

if importlib.util.find_spec("numba_cuda") is None:
    pytest.skip("the extra cuda is not installed", allow_module_level=True)
SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
if not SIMULATED:
    from numba import cuda as _cuda

    if not _cuda.is_available():
        pytest.skip(
            "there is no GPU; test_simulator.py runs these tests without one", allow_module_level=True
        )

import ougi.cuda  # noqa: E402

POINTS: dict[str, Any] = {"Point2d": Point2d, "Point3d": Point3d}


def shapes_of(cls: Any, n: int, seed: int) -> Any:
    """n shapes near the origin; fans of all kinds."""
    from conftest import SHAPES

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


def on_host(answer: Any) -> Any:
    return answer.copy_to_host()


ROWS = {question: TABLES[question] for question in ("intersects", "distance")}
ALL_ROWS = [(question, row) for question, rows in ROWS.items() for row in rows]


@pytest.mark.parametrize(
    ("question", "row"), ALL_ROWS, ids=lambda x: x if isinstance(x, str) else f"{x.a.__name__}-{x.b.__name__}"
)
def test_every_pair_of_the_tables_gets_the_answers_of_the_cpu(question: str, row: Any) -> None:
    a, b = shapes_of(row.a, 3, 1), shapes_of(row.b, 4, 2)
    x, y = ougi.cuda.put(a), ougi.cuda.put(b)
    ask, want = getattr(ougi.cuda, question), getattr(ougi, question)
    crossed = on_host(ask(x.reshape((3, 1)), y))
    listed = ask(y, x, pairs=[[3, 0], [1, 2], [0, 0]], result="numpy")
    np.testing.assert_allclose(crossed, want(a[:, None], b), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(listed, want(b, a, pairs=[[3, 0], [1, 2], [0, 0]]), rtol=1e-12, atol=1e-12)


SPATIAL = {LAYOUTS[cls]: cls for cls in LAYOUTS if cls.dimension == 3 and cls.__name__ not in POINTS}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("both", [False, True], ids=["one moves", "both move"])
def test_every_kernel_of_first_contacts_finds_those_of_the_cpu(kernel: str, both: bool) -> None:
    a, b = (moving(SPATIAL[layout], 3, 5 + k) for k, layout in enumerate(kernel.split("_")))
    way = ougi.Screw3d([0.5, 0, 0], [0, 1, 2], [1.0, 2.0, 3.0], 0.5)
    other = ougi.Rotation3d([0, 1, 0], [1, 0, 1], 1.5) if both else None
    for shape, target in ((a, b), (b, a)):
        want = ougi.time_of_impact(shape, way, target, other)
        put = ougi.cuda.put
        got = ougi.cuda.time_of_impact(
            put(shape), put(way), put(target), None if other is None else put(other), result="numpy"
        )
        assert got.status.tolist() == want.status.tolist()
        np.testing.assert_allclose(got.t, want.t, rtol=0, atol=1e-8)
        hit = want.status == 1
        np.testing.assert_allclose(got.point.T[hit], want.point[hit], rtol=0, atol=1e-5)
        np.testing.assert_allclose(got.normal.T[hit], want.normal[hit], rtol=0, atol=1e-4)


def test_first_contacts_in_the_plane_with_margin_and_of_listed_pairs() -> None:
    put = ougi.cuda.put
    slab, coins = (
        ougi.Rectangle([2, 0], [1, 0.2], 0.3),
        ougi.Circle([[0.0, 1.5], [-2.0, 0.0], [0.0, 9.0]], 0.3),
    )
    way = ougi.Rotation2d([[0.0, 0.0], [0.5, 0.0]], 2.5)
    pairs = [[0, 0], [1, 1], [1, 2]]
    want = ougi.time_of_impact(slab, way, coins, margin=0.05, pairs=pairs)
    got = ougi.cuda.time_of_impact(put(slab), put(way), put(coins), margin=0.05, pairs=pairs)
    assert on_host(got.status).tolist() == want.status.tolist() == [1, 0, 0]
    np.testing.assert_allclose(on_host(got.t), want.t, atol=1e-8)
    assert on_host(got.normal).shape == (3, 3)
    same = put(ougi.Rectangle([0, 3], [1, 1], 0))
    near = ougi.cuda.time_of_impact(put(slab), put(way[0]), same, margin=0.1, result="numpy")
    told = ougi.time_of_impact(slab, way[0], ougi.Rectangle([0, 3], [1, 1], 0), margin=0.1)
    np.testing.assert_allclose(near.t, told.t, atol=1e-8)


def test_one_motion_for_both_and_listed_pairs_keep_their_sides() -> None:
    put = ougi.cuda.put
    balls, boxes = shapes_of(ougi.Sphere, 3, 1), shapes_of(ougi.Box, 3, 2)
    way = ougi.Screw3d([0, 0, 0], [0, 0, 1], [1.0, 2.0, 3.0], 0.5)
    moved = put(way)
    pairs = [[0, 2], [2, 1], [1, 0]]
    got = ougi.cuda.time_of_impact(put(balls), moved, put(boxes), moved, pairs=pairs, result="numpy")
    want = ougi.time_of_impact(balls, way, boxes, way, pairs=pairs)
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


def test_columns_that_lie_there_already_are_taken_as_they_are() -> None:
    from ougi.cuda._driver import copied

    balls = ougi.Sphere([[0, 0, 0], [3, 0, 0]], 1)
    lying = copied(balls.columns())
    taken = ougi.cuda.from_columns(ougi.Sphere, lying)
    assert taken.columns() is lying or taken.columns().gpu_data is lying.gpu_data
    box = ougi.cuda.put(ougi.Box([0, 0, 0], [1, 1, 1]))
    assert ougi.cuda.intersects(box, taken, result="numpy").tolist() == [True, False]


def test_arrays_of_points_on_the_device_are_points() -> None:
    from ougi.cuda._driver import copied

    spots = np.random.default_rng(0).uniform(-1, 1, (6, 3))
    ball = ougi.Sphere([0, 0, 0], 0.9)
    got = ougi.cuda.contains(ougi.cuda.put(ball), copied(spots), result="numpy")
    assert got.tolist() == ougi.contains(ball, spots).tolist()
    flat = np.ascontiguousarray(spots[:, :2])
    got = ougi.cuda.contains(ougi.cuda.put(ougi.Circle([0, 0], 0.9)), copied(flat), result="numpy")
    assert got.tolist() == ougi.contains(ougi.Circle([0, 0], 0.9), flat).tolist()


def test_pairs_may_lie_on_the_device() -> None:
    from ougi.cuda._driver import copied

    balls = ougi.cuda.put(ougi.Sphere([[0.0, 0, 0], [1.5, 0, 0], [9.0, 0, 0]], 1))
    pairs = copied(np.array([[0, 1], [0, 2]]))
    assert ougi.cuda.intersects(balls, balls, pairs=pairs, result="numpy").tolist() == [True, False]
    with pytest.raises(IndexError, match=r"pairs\[1\] is \[0, 3\], but the batches hold 3 and 3"):
        ougi.cuda.intersects(balls, balls, pairs=copied(np.array([[0, 1], [0, 3]])))


def test_what_lies_on_the_host_is_refused_with_advice() -> None:
    ball = ougi.Sphere([0, 0, 0], 1)
    with pytest.raises(
        TypeError, match=r"b must lie on the GPU, got a Sphere on the host: use ougi.cuda.put\(b\)"
    ):
        ougi.cuda.intersects(ougi.cuda.put(ball), ball)
    with pytest.raises(TypeError, match=r"motion must lie on the GPU, got a Translation3d on the host"):
        ougi.cuda.time_of_impact(ougi.cuda.put(ball), ougi.Translation3d([1, 0, 0]), ougi.cuda.put(ball))
    with pytest.raises(TypeError, match="columns must be an array on the GPU, got host memory"):
        ougi.cuda.from_columns(ougi.Sphere, ball.columns())


def test_what_has_no_records_is_refused() -> None:
    with pytest.raises(TypeError, match="got a Mesh"):
        ougi.cuda.put(ougi.Mesh(np.eye(3), [[0, 1, 2]]))
    way = ougi.Translation3d([1, 0, 0])
    with pytest.raises(TypeError, match="got a Chain"):
        ougi.cuda.put(ougi.Chain(way, way))
    ball = ougi.cuda.put(ougi.Sphere([0, 0, 0], 1))
    with pytest.raises(TypeError, match="b must be a shape, got a Translation3d"):
        ougi.cuda.intersects(ball, ougi.cuda.put(way))
    with pytest.raises(ougi.UnsupportedPairError):
        ougi.cuda.distance(
            ougi.cuda.put(shapes_of(ougi.Sector3d, 1, 0)), ougi.cuda.put(shapes_of(ougi.Box, 1, 0))
        )
    with pytest.raises(ValueError, match="result must be 'device' or 'numpy'"):
        ougi.cuda.intersects(ball, ball, result="host")  # type: ignore[arg-type]


def test_columns_of_another_form_are_refused() -> None:
    from ougi.cuda._driver import copied

    with pytest.raises(
        ValueError, match=r"columns must have shape \(4, n\) for the layout 'sphere', got \(3, 5\)"
    ):
        ougi.cuda.from_columns(ougi.Sphere, copied(np.zeros((3, 5))))
    with pytest.raises(TypeError, match="columns must be float64, got float32"):
        ougi.cuda.from_columns(ougi.Sphere, copied(np.zeros((4, 5), np.float32)))
    with pytest.raises(ValueError, match="layout must be one of aabb3d, box"):
        ougi.cuda.from_columns(ougi.Aabb3d, copied(np.zeros((6, 5))), layout="sphere")
    crate = ougi.cuda.from_columns(ougi.Aabb3d, copied(np.zeros((6, 5))))
    with pytest.raises(ValueError, match="cannot be read as 'box'; give from_columns the 15 rows"):
        ougi.cuda.distance(crate, crate)


def test_another_device_is_refused() -> None:
    ball = ougi.cuda.put(ougi.Sphere([0, 0, 0], 1))
    elsewhere = ball.reshape((1,))
    elsewhere.device = 7
    with pytest.raises(ValueError, match="b lies on device 7, but device 0 is current"):
        ougi.cuda.intersects(ball, elsewhere)


@pytest.mark.parametrize("module", ["batches", "broad", "corridor", "impact", "query", "radar"])
def test_examples_of_the_modules_run(module: str) -> None:
    told = doctest.testmod(importlib.import_module(f"ougi.cuda.{module}"))
    assert (told.attempted > 0, told.failed) == (True, 0)


@pytest.mark.skipif(SIMULATED, reason="the simulator has the memory of the host")
def test_too_little_memory_is_a_memory_error() -> None:
    from ougi.cuda._driver import copied

    many = ougi.cuda.from_columns(ougi.Sphere, copied(np.zeros((4, 2_000_000))))
    with pytest.raises(MemoryError, match="GiB left"):
        ougi.cuda.distance(many.reshape((-1, 1)), many)
    scene, volume = (ougi.cuda.put(part) for part in looked_at(100_000, 1_000))
    with pytest.raises(MemoryError, match="GiB left"):
        ougi.cuda.detect(volume, scene)


@pytest.mark.skipif(SIMULATED, reason="the simulator knows no streams")
def test_streams_of_numba_cupy_and_torch_are_taken() -> None:
    ball = ougi.cuda.put(ougi.Sphere([0, 0, 0], 1))
    streams = [_cuda.stream()]
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


VERIFIED = ("intersects/sector3d_box", "distance/box_box", "impact/sphere_box", "moving/sphere_capsule3d")
SCENES_VERIFIED = ("radar/point", "radar/conservative", "corridor/step")


@pytest.mark.parametrize("pair", [*VERIFIED, *SCENES_VERIFIED])
def test_verify_finds_no_disagreement(pair: str) -> None:
    from ougi.lab.verify.cuda import Cuda

    tally = Cuda().check(pair, "random", 24, np.random.default_rng(1))
    assert (tally.cases >= 24, tally.disagreements) == (True, 0)


@pytest.mark.parametrize("pair", [*VERIFIED, "intersects/sphere_box"])
def test_verify_finds_a_wrong_answer(pair: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from ougi.cuda._driver import copied
    from ougi.lab.verify import cuda

    honest = cuda._on_gpu

    def lying(made: Any, a: Any, b: Any, out: Any) -> Any:
        told = on_host(honest(made, a, b, out))
        first = told[0] if told.ndim == 2 else told  # of first contacts the status
        first[7] = not first[7] if first.dtype == np.bool_ else first[7] + 1e-6 + (told.ndim == 2)
        return copied(told)

    monkeypatch.setattr(cuda, "_on_gpu", lying)
    tally = cuda.Cuda().check(pair, "random", 24, np.random.default_rng(1))
    assert tally.disagreements == 1
    assert tally.first is not None
    assert tally.first["index"] == 7


@pytest.mark.parametrize("name", ["range", "ids", "depths"])
def test_verify_finds_a_wrong_image(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from ougi.lab.verify import cuda_scenes

    def lying(*arguments: Any, **options: Any) -> Any:
        seen = ougi.cuda.detect(*arguments, **options)
        wrong = getattr(seen, name) + 1
        return replace(seen, **{name: wrong})

    monkeypatch.setattr(cuda_scenes, "detect", lying)
    tally = cuda_scenes.radars("conservative", 1, np.random.default_rng(0))
    assert tally.counts["pixels with a body"] > 0
    assert tally.disagreements >= 1
    assert tally.first is not None


@pytest.mark.parametrize("name", ["position", "bounces"])
def test_verify_finds_a_wrong_step(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from ougi.cuda._driver import copied
    from ougi.lab.verify import cuda_scenes

    honest = cuda_scenes.stepped

    def lying(*arguments: Any) -> Any:
        moved = honest(*arguments)
        wrong = on_host(getattr(moved, name))
        wrong[2] += 1
        return replace(moved, **{name: copied(wrong)})

    monkeypatch.setattr(cuda_scenes, "stepped", lying)
    monkeypatch.setattr(cuda_scenes, "_FRAMES", 1)
    tally = cuda_scenes.crowds(1, np.random.default_rng(0))
    assert tally.disagreements == 1
    assert tally.first is not None
    assert tally.first["index"] == 2


def test_cases_depend_on_seed_and_number_alone() -> None:
    from ougi.lab.verify.cuda_cases import PLANS, drawn

    for layout in PLANS:
        whole, part = (on_host(drawn(layout, 1, 5, first, 6 - first, 2.0, 1.0)) for first in (0, 2))
        assert np.array_equal(whole[:, 2:], part)
        assert not np.array_equal(whole, on_host(drawn(layout, 1, 6, 0, 6, 2.0, 1.0)))


@pytest.mark.filterwarnings("ignore:.*overflow encountered")  # bits are counted by a product
def test_lattice_points_of_turning_boxes_are_counted_as_on_the_cpu() -> None:
    from ougi.lab.reproduce import fan_cuda, fan_lattice
    from ougi.lab.reproduce.fan_motions import draw

    motions = draw(3, range(3), [0] * 3)
    cells, steps = (12, 12) if SIMULATED else (100, 100)
    got, want = fan_cuda.count(motions, cells, steps), fan_lattice.count(motions, cells, steps)
    assert want.sets[:2, :2, 0].min() > 0
    assert np.array_equal(got.sets, want.sets)
    assert np.array_equal(got.groups, want.groups)


@pytest.mark.filterwarnings("ignore:.*overflow encountered")
def test_chunks_of_the_experiment_are_the_same_from_both() -> None:
    from ougi.lab.reproduce import fan_chunks, fan_cuda, fan_lattice

    def few_poses(count: Any) -> Any:
        return lambda motions, cells, steps: count(motions, cells, 5)

    numbers, cells = np.arange(2), 7 if SIMULATED else 100
    got = fan_chunks.counted(0, numbers, cells, few_poses(fan_cuda.count))
    want = fan_chunks.counted(0, numbers, cells, few_poses(fan_lattice.count))
    assert {name: array.tolist() for name, array in got.items()} == {
        name: array.tolist() for name, array in want.items()
    }


SCENES: dict[str, Any] = {
    "sparse balls": ougi.Sphere(np.random.default_rng(1).uniform(-4, 4, (16, 3)), 1.2),
    "dense balls": ougi.Sphere(np.random.default_rng(2).uniform(-1, 1, (9, 3)), 0.5),
    "discs": ougi.Circle(np.random.default_rng(3).uniform(-3, 3, (9, 2)), 0.8),
    "boxes": ougi.Box(np.random.default_rng(4).uniform(-4, 4, (8, 3)), [1, 2, 3]),
    "balls in one place": ougi.Sphere(np.zeros((5, 3)), 0.0),
}


# The simulator's barriers take long, and a tree has many.
SEARCHED = [(scene, "grid") for scene in SCENES]
SEARCHED += [(scene, "tree") for scene in SCENES if not SIMULATED or scene in ("dense balls", "boxes")]


@pytest.mark.parametrize(("scene", "method"), SEARCHED)
def test_candidate_pairs_are_those_of_the_cpu(scene: str, method: str) -> None:
    bodies = SCENES[scene]
    put, want = ougi.cuda.put(bodies), ougi.candidate_pairs(bodies, method="brute")
    got = ougi.cuda.candidate_pairs(put, method=method, result="numpy")
    assert got.tolist() == want.tolist()
    if SIMULATED and scene in ("discs", "balls in one place"):
        return
    some = bodies[:6]
    got = ougi.cuda.candidate_pairs(put, ougi.cuda.put(some), method=method, result="numpy")
    assert got.tolist() == ougi.candidate_pairs(bodies, some, method="brute").tolist()


def test_pairs_stay_on_the_device_and_are_asked_there() -> None:
    balls = SCENES["sparse balls"]
    put = ougi.cuda.put(balls)
    pairs = ougi.cuda.candidate_pairs(put)
    assert pairs.shape == ougi.candidate_pairs(balls).shape
    assert ougi.cuda.intersects(put, put, pairs=pairs, result="numpy").all()


def test_a_finder_serves_scenes_of_any_size_one_after_the_other() -> None:
    finder = ougi.cuda.PairFinder()
    for name in ("dense balls", "sparse balls", "boxes"):
        got = finder.pairs(ougi.cuda.put(SCENES[name]), result="numpy")
        assert got.tolist() == ougi.candidate_pairs(SCENES[name], method="brute").tolist()


def test_none_and_too_many_pairs() -> None:
    one = ougi.cuda.put(ougi.Sphere([[0, 0, 0]], 1))
    assert ougi.cuda.candidate_pairs(one).shape == (0, 2)
    with pytest.raises(ValueError, match="there are 10 pairs, more than max_pairs = 9"):
        ougi.cuda.candidate_pairs(ougi.cuda.put(SCENES["balls in one place"]), max_pairs=9)
    with pytest.raises(ValueError, match="method must be one of grid"):
        ougi.cuda.candidate_pairs(one, method="sweep")
    with pytest.raises(TypeError, match="a must be a shape, got a Translation3d"):
        ougi.cuda.candidate_pairs(ougi.cuda.put(ougi.Translation3d([1, 0, 0])))


def test_a_finder_sees_bodies_that_moved_on_the_device() -> None:
    from ougi.cuda._driver import copied

    finder, lying = ougi.cuda.PairFinder(), copied(SCENES["dense balls"].columns())
    bodies = ougi.cuda.from_columns(ougi.Sphere, lying)
    # On a GPU what was recorded is started again from the third time on.
    for step in range(2 if SIMULATED else 4):
        moved = ougi.Sphere(SCENES["dense balls"].center * (1 + step), 0.5)
        lying.copy_to_device(np.ascontiguousarray(moved.columns()))
        got = finder.pairs(bodies, result="numpy")
        assert got.tolist() == ougi.candidate_pairs(moved, method="brute").tolist()
        if step == 2:  # in between another, larger scene takes the memory
            finder.pairs(ougi.cuda.put(SCENES["sparse balls"]))


# --- radars ---------------------------------------------------------------------------------------------


def looked_at(n: int, pixels: Any) -> tuple[Any, Any]:
    """Boxes, a pair of them with faces in one plane, and radars of which the first see them."""
    from ougi.lab.bodies import box, moved
    from ougi.radar import Meshes, Volume

    places = [[0.0, 0, 3], [0.5, 0, 3], [0.6, 0.2, 5], [9.0, 0, 4]]
    scene = Meshes([moved(box(), np.eye(3), np.array(place)) for place in places], bodies=[9, 4, 7, 1])
    rng = np.random.default_rng(2)
    origin, look = rng.uniform(-0.2, 0.2, (n, 3)), [0, 0, 1] + 0.2 * rng.normal(size=(n, 3))
    origin[0], look[0] = 0, [0, 0, 1]
    return scene, Volume(origin, look, np.full((n, 3), [3.0, 2.0, 8.0]), pixels=pixels)


@pytest.mark.parametrize("coverage", ["point", "conservative"])
def test_radars_see_what_those_of_the_cpu_see(coverage: Any) -> None:
    from ougi.radar import detect

    n, pixels = (2, [5, 3]) if SIMULATED else (300, [21, 16])
    scene, volume = looked_at(n, pixels)
    want = detect(volume, scene, coverage=coverage)
    seen = ougi.cuda.detect(ougi.cuda.put(volume), ougi.cuda.put(scene), coverage=coverage, result="numpy")
    assert seen.count.max() >= 2
    for k, told in enumerate(want):
        assert np.array_equal(seen.range[k], told.range)
        assert np.array_equal(seen.ids[k], told.ids)
        assert (seen.count[k], seen.bodies[k][: told.count].tolist()) == (told.count, told.bodies.tolist())
        assert seen.depths[k][: told.count].tolist() == told.depths.tolist()
        np.testing.assert_allclose(seen.point[k], told.point, atol=1e-12)
        assert (seen.bodies[k][told.count :] == -1).all()
        assert np.isinf(seen.depths[k][told.count :]).all()


def test_radars_ignore_bodies_and_count_more_than_they_tell() -> None:
    from ougi.cuda._driver import copied

    scene, volume = (ougi.cuda.put(part) for part in looked_at(2, [5, 3]))
    few = ougi.cuda.detect(volume, scene, most=2, result="numpy")
    # Two are equally near: the lower number comes first.
    assert (few.count[0], few.bodies[0].tolist(), few.depths[0].tolist()) == (3, [4, 9], [2.5, 2.5])
    for ignore in ([4], [[4], [9]], copied(np.array([[4], [9]]))):
        seen = ougi.cuda.detect(volume, scene, ignore=ignore, result="numpy")
        assert (seen.count[0], seen.bodies[0, 0]) == (2, 9)
    assert 9 not in seen.ids[1]
    with pytest.raises(ValueError, match=r"ignore must be int64 of shape \(2, k\) on the GPU, got float64"):
        ougi.cuda.detect(volume, scene, ignore=copied(np.zeros((2, 1))))


def test_an_earlier_detection_is_written_again() -> None:
    scene, volume = (ougi.cuda.put(part) for part in looked_at(2, [5, 3]))
    first = ougi.cuda.detect(volume, scene, ignore=[4, 9, 7], most=3)
    assert on_host(first.count).tolist() == [0, 0]
    again = ougi.cuda.detect(volume, scene, out=first)
    assert again is first
    assert on_host(first.bodies)[0].tolist() == [4, 9, 7]
    other = ougi.cuda.put(looked_at(1, [5, 3])[1])
    with pytest.raises(ValueError, match=r"out must hold images of shape \(1, 3, 5\), got \(2, 3, 5\)"):
        ougi.cuda.detect(other, scene, out=first)
    with pytest.raises(TypeError, match="out must be an earlier answer of detect with result='device'"):
        ougi.cuda.detect(volume, scene, out=ougi.cuda.detect(volume, scene, result="numpy"))


def test_radars_see_vertices_that_moved_on_the_device() -> None:
    from ougi.cuda._driver import copied
    from ougi.radar import detect

    scene, volume = looked_at(1, [3, 2])
    bent = scene.vertices * [1, 1.1, 0.9] + 0.05 * np.sin(scene.vertices)
    there = ougi.cuda.put(scene).deformed(copied(bent))
    assert np.array_equal(on_host(there.packed.lower), scene.deformed(bent).lower)
    seen = ougi.cuda.detect(ougi.cuda.put(volume), there, result="numpy")
    want = detect(volume, scene.deformed(bent))[0]
    assert np.array_equal(seen.range[0], want.range)
    assert np.array_equal(seen.ids[0], want.ids)
    with pytest.raises(TypeError, match=r"vertices must be an array on the GPU, got host memory; cupy"):
        there.deformed(bent)
    with pytest.raises(ValueError, match=r"vertices must be float64 of shape \(32, 3\), C-contiguous, "):
        there.deformed(copied(bent[:4]))


def test_no_radars_and_radars_that_see_nothing() -> None:
    from ougi.radar import Volume

    scene = ougi.cuda.put(looked_at(1, 1)[0])
    none = ougi.cuda.put(Volume(np.zeros((0, 3)), [0, 0, 1], [1, 1, 1], pixels=3))
    assert ougi.cuda.detect(none, scene).count.shape == (0,)
    away = ougi.cuda.put(Volume([0, 0, 0], [0, 0, -1], [1, 1, 1], pixels=1))
    seen = ougi.cuda.detect(away, scene, result="numpy")
    assert (seen.count[0], seen.ids[0, 0, 0], seen.range[0, 0, 0]) == (0, -1, 1.0)
    assert np.isnan(seen.point).all()


def test_radars_refuse_what_they_cannot_see() -> None:
    from ougi.radar import Volume

    scene, volume = looked_at(2, [3, 2])
    with pytest.raises(TypeError, match=r"scene must be an ougi.radar.Meshes on the GPU, got a Meshes: use"):
        ougi.cuda.detect(ougi.cuda.put(volume), scene)
    with pytest.raises(TypeError, match=r"volume must be an ougi.radar.Volume on the GPU, got a Device"):
        ougi.cuda.detect(ougi.cuda.put(scene), ougi.cuda.put(scene))
    mixed = Volume(np.zeros((3, 3)), [0, 0, 1], [1, 1, 1], pixels=[4, 4, 8])
    with pytest.raises(ValueError, match="images of one size, got 4 x 4 and 8 x 8 pixels: put those of each"):
        ougi.cuda.put(mixed)
    with pytest.raises(ValueError, match="coverage must be point or conservative, got 'some'"):
        ougi.cuda.detect(ougi.cuda.put(volume), ougi.cuda.put(scene), coverage="some")  # type: ignore[arg-type]
    elsewhere = ougi.cuda.put(scene)
    elsewhere.device = 7
    with pytest.raises(ValueError, match="scene lies on device 7, but device 0 is current"):
        ougi.cuda.detect(ougi.cuda.put(volume), elsewhere)
    assert repr(ougi.cuda.put(scene)) == "<Meshes: 4 meshes of 48 faces, on device 0>"
    assert repr(ougi.cuda.put(volume)) == "<Volume: 2 of 3 x 2 pixels, on device 0>"


# --- corridors ------------------------------------------------------------------------------------------


ROOM = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]], holes=[[[1, 1], [2, 1], [2, 2], [1, 2]]])


def test_characters_move_as_on_the_cpu_to_the_last_bit() -> None:
    from ougi.cuda._driver import copied
    from ougi.lab.verify.corridor_scenes import adversarial, crowd

    rng, count = np.random.default_rng(4), 5 if SIMULATED else 20_000
    room = ougi.Corridor(adversarial(rng, 2 if SIMULATED else 24))
    place, way = crowd(room, count, 0.05, 20.0, rng)
    radii = rng.uniform(0.03, 0.05, count)
    wall = ougi.cuda.put(room.compile(0.03, 0.05))
    moved = wall.step(copied(place), copied(way), copied(radii), 1.0, 0.9, max_bounces=500)
    ours = room.step(place, way, radii, 1.0, 0.9, max_bounces=500)
    assert ours.bounces.max() > 1
    for _ in range(2):
        for name in ("position", "velocity", "bounces", "left", "tests"):
            assert np.array_equal(on_host(getattr(moved, name)), getattr(ours, name))
        held = moved
        moved = wall.step(moved.position, moved.velocity, 0.03, 1.0, max_bounces=2, out=moved)
        assert moved is held
        ours = room.step(ours.position, ours.velocity, 0.03, 1.0, max_bounces=2)


def test_characters_that_do_not_fit_are_refused() -> None:
    from ougi.cuda._driver import copied

    wall = ougi.cuda.put(ROOM.compile(0.2, 0.4))
    places = copied(np.array([[0.5, 0.5], [1.5, 1.5], [0.1, 0.5]]))
    still, radii = copied(np.zeros((3, 2))), copied(np.array([0.3, 0.3, 0.5]))
    with pytest.raises(ValueError, match=r"character 1 at \(1.5, 1.5\) is outside of the corridor"):
        wall.step(places, still, 0.3, 1.0)
    with pytest.raises(ValueError, match=r"radii from 0.2 to 0.4, but radius is 0.5 at index 2: put"):
        wall.step(places, still, radii, 1.0)
    near = copied(np.array([[0.5, 0.5], [0.1, 0.5]]))
    with pytest.raises(ValueError, match=r"character 1 at \(0.1, 0.5\) does not fit: .* its radius 0.3"):
        wall.step(near, copied(np.zeros((2, 2))), 0.3, 1.0)
    assert wall.step(near, copied(np.zeros((2, 2))), 0.3, 1.0, check=False, result="numpy").left[0] == 0.0
    none = copied(np.zeros((0, 2)))
    assert wall.step(none, none, 0.3, 1.0).bounces.shape == (0,)


def test_corridors_refuse_what_lies_elsewhere_or_is_not_compiled() -> None:
    from ougi.cuda._driver import copied

    with pytest.raises(TypeError, match=r"a Corridor goes to the GPU compiled for a radius: put\(cor"):
        ougi.cuda.put(ROOM)
    with pytest.raises(ValueError, match=r"got the structure 'chain': put\(corridor.compile\(radius\)\)"):
        ougi.cuda.put(ROOM.structure("chain"))
    wall, spot = ougi.cuda.put(ROOM.compile(0.2)), np.array([[0.5, 0.5]])
    assert repr(wall) == "<Corridor of 8 segments, compiled for the radius 0.2, on device 0>"
    there = copied(spot)
    with pytest.raises(TypeError, match=r"positions must be an array on the GPU, got host memory; cupy"):
        wall.step(spot, there, 0.2, 1.0)
    with pytest.raises(TypeError, match=r"radius must be a number or \(1,\) float64 on the GPU, got host"):
        wall.step(there, there, [0.2], 1.0)
    with pytest.raises(ValueError, match=r"compiled for the radius 0\.2, but radius is 0\.1: put"):
        wall.step(there, there, 0.1, 1.0)
    with pytest.raises(ValueError, match=r"velocities must have shape \(1, 2\) like positions, got \(2, 2\)"):
        wall.step(there, copied(np.zeros((2, 2))), 0.2, 1.0)
    with pytest.raises(ValueError, match=r"positions must be float64 of shape \(n, 2\), got float64 of sh"):
        wall.step(copied(np.zeros((1, 3))), there, 0.2, 1.0)
    with pytest.raises(ValueError, match=r"restitution must lie between 0 and 1, got 2"):
        wall.step(there, there, 0.2, 1.0, 2)
    with pytest.raises(TypeError, match="out must be an earlier answer of step with result='device'"):
        wall.step(there, there, 0.2, 1.0, out=wall.step(there, there, 0.2, 1.0, result="numpy"))
    nobody = copied(np.zeros((0, 2)))
    none = wall.step(nobody, nobody, 0.2, 1.0)
    with pytest.raises(ValueError, match="out must hold 1 characters, got 0"):
        wall.step(there, there, 0.2, 1.0, out=none)
    wall.device = 7
    with pytest.raises(ValueError, match="the corridor lies on device 7, but device 0 is current"):
        wall.step(there, there, 0.2, 1.0)


@pytest.mark.skipif(SIMULATED, reason="walls and scenes of a bench are too large for the simulator")
def test_scenes_of_the_bench_are_the_same_on_both() -> None:
    from ougi.lab.bench.cuda import on_gpu
    from ougi.lab.bench.cuda_scenes import crowds, radars

    assert all(row.equal and row.ms > 0 for row in radars(2_000, 1, on_gpu))
    assert all(row.equal and row.ms > 0 for row in crowds(("rough 1e3",), 2_000, 1, on_gpu))
