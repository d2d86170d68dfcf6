"""Loops on many threads."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from run_python import run_python

import ougi
from ougi._native import threads

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
needs_compiler = pytest.mark.skipif(not COMPILED, reason="about compiled code; this run is plain Python")


@pytest.fixture(name="spheres")
def _spheres() -> ougi.Sphere:
    rng = np.random.default_rng(5)
    return ougi.Sphere(rng.uniform(-5, 5, (200_000, 3)), rng.uniform(0, 1, 200_000))


@needs_compiler
def test_results_do_not_depend_on_the_number_of_threads(spheres: ougi.Sphere) -> None:
    one = ougi.Box([0, 0, 0], [3, 4, 5])
    pairs = np.random.default_rng(1).integers(0, len(spheres), (200_000, 2))
    results = []
    try:
        for n in (1, 2, 3, 7):
            ougi.set_threads(n)
            results.append((ougi.intersects(one, spheres), ougi.distance(spheres, spheres, pairs=pairs)))
    finally:
        ougi.set_threads(None)
    for hit, distance in results[1:]:
        assert np.array_equal(hit, results[0][0])
        assert np.array_equal(distance, results[0][1])


@needs_compiler
def test_many_python_threads_may_query_at_once(spheres: ougi.Sphere) -> None:
    boxes = [ougi.Box([x, 0, 0], [3, 4, 5]) for x in range(8)]
    expected = [ougi.intersects(box, spheres) for box in boxes]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            for got, want in zip(pool.map(ougi.intersects, boxes, [spheres] * 8), expected, strict=True):
                assert np.array_equal(got, want)


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_answers() -> None:
    code = """
        import os
        import numpy as np
        import ougi
        ougi.set_threads(2)
        many = ougi.Sphere(np.zeros((200_000, 3)), 1)
        assert ougi.intersects(many, [0, 0, 0]).all()   # the pool exists now
        child = os.fork()
        if child == 0:
            os._exit(0 if ougi.intersects(many, [0, 0, 0]).all() else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert run_python(code) == "0"


def test_one_thread_keeps_the_work_on_the_calling_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_pool() -> None:
        raise AssertionError("requested a pool")

    monkeypatch.setattr(threads, "_executor", no_pool)
    seen: list[tuple[int, int]] = []
    ougi.set_threads(4)
    try:
        with threads.one_thread():
            threads.run(lambda start, stop: seen.append((start, stop)), size=10**7)
        assert seen == [(0, 10**7)]
        with pytest.raises(AssertionError, match="requested a pool"):
            threads.run(lambda start, stop: None, size=10**7)
    finally:
        ougi.set_threads(None)


def test_slices_cover_everything_once() -> None:
    seen: list[tuple[int, int]] = []
    ougi.set_threads(3)
    try:
        threads.run(lambda start, stop: seen.append((start, stop)), size=1_000_003)
    finally:
        ougi.set_threads(None)
    covered = np.concatenate([np.arange(*span) for span in seen])
    assert np.array_equal(np.sort(covered), np.arange(1_000_003))
    assert 2 <= len(seen) <= 4  # what is timed first, and up to three slices
    assert seen[0] == (0, threads._PROBE)


@pytest.mark.parametrize("value", ["0", "-1", "many", "1025", "1" * 5000, "²"])
def test_a_bad_number_of_threads_is_named(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUGI_THREADS", value)
    with pytest.raises(ValueError, match=f"OUGI_THREADS must be .* from 1 to 1024, got '{value[:9]}"):
        ougi.get_threads()


def test_threads_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUGI_THREADS", "5")
    assert ougi.get_threads() == 5


@pytest.mark.parametrize("value", [0, -3, 1.5, True, 1025, 10**400])
def test_set_threads_refuses_nonsense(value: float) -> None:
    with pytest.raises(ValueError, match="n must be a whole number from 1 to 1024 or None"):
        ougi.set_threads(value)  # type: ignore[arg-type]
