"""Every search against brute force: the same pairs, whatever the scene, the rounding and the threads."""

from __future__ import annotations

import functools
import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ougi
from ougi._typing import Ints
from ougi.broad import METHODS, grid
from ougi.broad.choice import SEARCHES, choose_search
from ougi.broad.frame import survey_scene
from ougi.broad.keys import sort_pairs
from ougi.broad.volumes import build_volumes, join_volumes
from ougi.broad.workspace import Workspace
from ougi_lab.scenes.volumes import EXTREME_FAMILIES, FAMILIES, draw_volumes

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
ALL_FAMILIES = [*FAMILIES, *EXTREME_FAMILIES]
balls, boxes = (functools.partial(draw_volumes, balls=which) for which in (True, False))
KINDS = list(itertools.product((balls, boxes), (2, 3)))


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    yield
    ougi.set_threads(None)


@pytest.mark.parametrize("family", ALL_FAMILIES)
@pytest.mark.parametrize(("make", "d"), KINDS)
def test_every_method_finds_the_pairs_that_brute_force_finds(family: str, make: Any, d: int) -> None:
    for seed, n in enumerate((17, 90, 400)):
        a, b = make(family, n, d, seed), make(family, n // 2, d, seed + 100)
        among, between = (ougi.candidate_pairs(a, other, method="brute") for other in (None, b))
        for method in METHODS:
            assert np.array_equal(ougi.candidate_pairs(a, method=method), among), method
            assert np.array_equal(ougi.candidate_pairs(a, b, method=method), between), method


@pytest.mark.plain
@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("method", METHODS)
def test_few_bodies(method: str, n: int) -> None:
    for family, (make, d) in itertools.product(("equal", "heap", "no size"), KINDS):
        a, b = make(family, n, d, 0), make(family, 2, d, 1)
        for one, other in ((a, None), (a, b), (b, a)):
            expected = ougi.candidate_pairs(one, other, method="brute")
            assert np.array_equal(ougi.candidate_pairs(one, other, method=method), expected)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.plain
@pytest.mark.parametrize("family", ["equal", "sizes", "giants", "touching"])
def test_unsorted_pairs_are_the_same_pairs(family: str, method: str) -> None:
    for make in (balls, boxes):
        shapes = make(family, 130, 3, 5)
        pairs = ougi.candidate_pairs(shapes, method=method, sort=False)
        assert pairs.dtype == np.int64
        assert (pairs[:, 0] < pairs[:, 1]).all()
        assert sorted(pairs.tolist()) == ougi.candidate_pairs(shapes, method="brute").tolist()


def in_two_levels(shapes: ougi.Shape, other: ougi.Shape | None = None) -> Ints:
    scene = join_volumes(build_volumes("a", shapes), None if other is None else build_volumes("b", other))
    workspace = Workspace()
    pairs = grid.grid(scene, workspace, survey_scene(scene), serial=0)
    sort_pairs(pairs, workspace)
    return pairs


@pytest.mark.parametrize("family", ALL_FAMILIES)
def test_cells_sorted_in_two_levels_hold_the_same(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "_CHUNK", 64)  # several chunks, the last one shorter
    for make, d in KINDS:
        a, b = make(family, 300, d, 1), make(family, 150, d, 2)
        assert np.array_equal(in_two_levels(a), ougi.candidate_pairs(a, method="brute"))
        assert np.array_equal(in_two_levels(a, b), ougi.candidate_pairs(a, b, method="brute"))


@pytest.mark.skipif(not COMPILED, reason="too many for plain Python")
@pytest.mark.parametrize("family", ["equal", "sizes", "rods", "clusters"])
def test_many_bodies_and_any_number_of_threads(family: str) -> None:
    """There are several chunks, buckets and levels. Not even the order depends on threads."""
    for make in (balls, boxes):
        shapes = make(family, 60_000, 3, 3)
        results = {}
        for method in SEARCHES:
            for threads in (1, 2, 3):
                ougi.set_threads(threads)
                results[method, threads] = ougi.candidate_pairs(shapes, method=method, sort=False)
            assert np.array_equal(results[method, 1], results[method, 2])
            assert np.array_equal(results[method, 1], results[method, 3])
        expected = ougi.candidate_pairs(shapes, method="sweep")
        for method in ("grid", "tree", "auto"):
            assert np.array_equal(ougi.candidate_pairs(shapes, method=method), expected)


@pytest.mark.parametrize("method", METHODS)
def test_too_many_pairs_are_counted_over_all_parts(method: str) -> None:
    heap = ougi.Aabb2d(np.zeros((300, 2)), np.ones((300, 2)))
    with pytest.raises(ValueError, match=r"max_pairs is 1,000, but there are 44,850 pairs"):
        ougi.candidate_pairs(heap, method=method, max_pairs=1000)
    with pytest.raises(ValueError, match=r"max_pairs is 3, but there are 90,000 pairs"):
        ougi.candidate_pairs(heap, heap, method=method, max_pairs=3)
    assert len(ougi.candidate_pairs(heap, heap, method=method)) == 90_000


def test_a_vast_void_needs_little_memory() -> None:
    """Clusters 1e9 times as far apart as bodies are wide: the grid may not have cells for it all."""
    shapes = balls("void", 2000, 3, 1)
    for method in ("grid", "auto"):
        workspace = Workspace(reused=True)
        METHODS[method](build_volumes("a", shapes), None, workspace)
        assert sum(array.nbytes for array in workspace._arrays.values()) < 200 * 2000


@pytest.mark.skipif(not COMPILED, reason="thousands of bodies are too many for plain Python")
def test_auto_chooses_by_sizes_and_crowding() -> None:
    expected = {
        ("equal", 20_000): "grid",
        ("sizes", 20_000): "tree",
        ("giants", 20_000): "tree",
        ("sizes", 400): "sweep",
    }
    for (family, n), search in expected.items():
        scene = build_volumes("a", balls(family, n, 3, 1))
        assert choose_search(scene, survey_scene(scene)) == search, family


def test_one_against_many_tests_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> str:
        raise AssertionError("nothing has to be chosen")

    monkeypatch.setattr("ougi.broad.choice.choose_search", never)
    one, many = balls("equal", 1, 3, 0), balls("equal", 5000, 3, 1)
    expected = ougi.candidate_pairs(one, many, method="brute")
    assert np.array_equal(ougi.candidate_pairs(one, many), expected)


@pytest.mark.skipif(not COMPILED, reason="about compiled code")
def test_without_wide_lanes_the_pairs_are_the_same() -> None:
    """As compiled for a processor without AVX-512."""
    code = """
        import numpy as np, ougi
        from ougi._native import wide
        from ougi.broad import METHODS
        from ougi_lab.scenes.volumes import draw_volumes
        assert not wide.has_wide_lanes()
        for balls in (True, False):
            a = draw_volumes("touching", 200, 3, 1, balls=balls)
            b = draw_volumes("sizes", 100, 3, 1, balls=balls)
            for method in METHODS:
                for one, other in ((a, None), (b, None), (a, b)):
                    expected = ougi.candidate_pairs(one, other, method="brute")
                    assert np.array_equal(ougi.candidate_pairs(one, other, method=method), expected)
        print("same")
    """
    lines = "\n".join(line[8:] for line in code.splitlines())
    env = {**os.environ, "NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+bmi,+popcnt"}
    done = subprocess.run([sys.executable, "-c", lines], env=env, capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "same", done.stderr
