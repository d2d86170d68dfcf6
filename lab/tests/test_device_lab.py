"""The lab on a GPU: evidence finds what is wrong, experiment and benchmark agree with the CPU."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from devices import SIMULATED, on_host

import ougi.cuda
from ougi.cuda.driver import to_device

VERIFIED = ("intersects/sector3d_box", "distance/box_box", "impact/sphere_box", "moving/sphere_capsule3d")
HULLS_VERIFIED = (
    "closest_points/hull3d_hull3d",
    "intersects/polygon2d_polygon2d",
    "moving/hull3d_hull3d",
    "moving/polygon2d_polygon2d",
)
SCENES_VERIFIED = ("radar/point", "radar/conservative", "corridor/step")


@pytest.mark.parametrize("pair", [*VERIFIED, *HULLS_VERIFIED, *SCENES_VERIFIED])
def test_verify_finds_no_disagreement(pair: str) -> None:
    from ougi_lab.verify.cuda import Cuda

    count = 120 if pair.startswith("moving/") else 24
    tally = Cuda().check(pair, "random", count, np.random.default_rng(1))
    assert (tally.cases >= 24, tally.disagreements) == (True, 0)


@pytest.mark.parametrize("pair", [*VERIFIED, "intersects/sphere_box"])
def test_verify_finds_a_wrong_answer(pair: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from ougi_lab.verify import cuda

    honest = cuda._run_on_gpu

    def lying(made: Any, a: Any, b: Any, out: Any) -> Any:
        result = on_host(honest(made, a, b, out))
        first = result[0] if result.ndim == 2 else result  # of first contacts the status
        first[7] = not first[7] if first.dtype == np.bool_ else first[7] + 1e-6 + (result.ndim == 2)
        return to_device(result)

    monkeypatch.setattr(cuda, "_run_on_gpu", lying)
    tally = cuda.Cuda().check(pair, "random", 24, np.random.default_rng(1))
    assert tally.disagreements == 1
    assert tally.first is not None
    assert tally.first["index"] == 7


@pytest.mark.parametrize("name", ["depth_image", "body_image", "depth"])
def test_verify_finds_a_wrong_image(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from ougi_lab.verify import cuda_scenes

    def lying(*arguments: Any, **options: Any) -> Any:
        seen: Any = ougi.cuda.detect(*arguments, **options)
        wrong = getattr(seen, name) + 1
        return replace(seen, **{name: wrong})

    monkeypatch.setattr(cuda_scenes, "detect", lying)
    tally = cuda_scenes.compare_radars("conservative", 1, np.random.default_rng(0))
    assert tally.counts["pixels with a body"] > 0
    assert tally.disagreements >= 1
    assert tally.first is not None


@pytest.mark.parametrize("name", ["position", "bounce_count"])
def test_verify_finds_a_wrong_step(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from ougi_lab.verify import cuda_scenes

    honest = cuda_scenes.run_step

    def lying(*arguments: Any) -> Any:
        moved = honest(*arguments)
        wrong = on_host(getattr(moved, name))
        wrong[2] += 1
        getattr(moved, name).copy_to_device(wrong)
        return moved

    monkeypatch.setattr(cuda_scenes, "run_step", lying)
    monkeypatch.setattr(cuda_scenes, "_FRAMES", 1)
    tally = cuda_scenes.compare_steps(1, np.random.default_rng(0))
    assert tally.disagreements == 1
    assert tally.first is not None
    assert tally.first["index"] == 2


def test_cases_depend_on_seed_and_number_alone() -> None:
    from ougi_lab.scenes.device import PLANS, draw_columns

    for layout in PLANS:
        whole, part = (on_host(draw_columns(layout, 1, 5, first, 6 - first, 2.0, 1.0)) for first in (0, 2))
        assert np.array_equal(whole[:, 2:], part)
        assert not np.array_equal(whole, on_host(draw_columns(layout, 1, 6, 0, 6, 2.0, 1.0)))


@pytest.mark.filterwarnings("ignore:.*overflow encountered")  # bits are counted by a product
def test_lattice_points_of_turning_boxes_are_counted_as_on_the_cpu() -> None:
    from ougi_lab.lattice import count, count_cuda
    from ougi_lab.scenes.fan_motions import draw_fan_motions

    motions = draw_fan_motions(3, range(3), [0] * 3)
    cells, steps = (12, 12) if SIMULATED else (100, 100)
    got, want = count_cuda.count_points(motions, cells, steps), count.count_points(motions, cells, steps)
    assert want.sets[:2, :2, 0].min() > 0
    assert np.array_equal(got.sets, want.sets)
    assert np.array_equal(got.groups, want.groups)


@pytest.mark.filterwarnings("ignore:.*overflow encountered")
def test_chunks_of_the_experiment_are_the_same_from_both() -> None:
    from ougi_lab.lattice import count, count_cuda
    from ougi_lab.reproduce import fan_chunks

    def limit_poses(count: Any) -> Any:
        return lambda motions, cells, steps: count(motions, cells, 5)

    numbers, cells = np.arange(2), 7 if SIMULATED else 100
    got = fan_chunks.count_numbered(0, numbers, cells, limit_poses(count_cuda.count_points))
    want = fan_chunks.count_numbered(0, numbers, cells, limit_poses(count.count_points))
    assert {name: array.tolist() for name, array in got.items()} == {
        name: array.tolist() for name, array in want.items()
    }


@pytest.mark.parametrize("kind", ["convex"] if SIMULATED else ["spheres", "convex", "meshes"])
def test_robots_are_verified_and_late_contacts_are_found_out(kind: str) -> None:
    import dataclasses

    from ougi_lab.verify.cuda_robot import CudaRobots, run_gpu

    n = 5 if SIMULATED else 2_000
    tally = CudaRobots().check(kind, "random", n, np.random.default_rng(2))
    assert (tally.cases, tally.disagreements) == (n, 0)
    assert tally.counts["contacts"]

    def lie(*arguments: Any) -> Any:
        found = run_gpu(*arguments)
        return dataclasses.replace(found, t=found.t + 1e-3)

    assert CudaRobots(lie).check(kind, "random", n, np.random.default_rng(2)).disagreements


@pytest.mark.skipif(SIMULATED, reason="walls and scenes of a bench are too large for the simulator")
def test_scenes_of_the_bench_are_the_same_on_both() -> None:
    from ougi_lab.bench.cuda import time_on_gpu
    from ougi_lab.bench.cuda_scenes import measure_characters, measure_radars, measure_robots

    assert all(gpu["differ"] == 0 for gpu, _ in measure_robots(2_000, 1, time_on_gpu))
    measured = [
        *measure_radars(2_000, 1, time_on_gpu),
        *measure_characters(("rough 1e3",), 2_000, 1, time_on_gpu),
    ]
    for ours, cpu in measured:
        assert ours["equal"]
        assert min(ours["value"], cpu["value"]) > 0
