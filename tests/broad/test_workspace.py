"""Memory of broad phases: pairs are written piece by piece, in order, and memory is reused."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest

import ougi
from ougi._typing import Words
from ougi.broad import workspace as workspaces
from ougi.broad.keys import sort_pairs
from ougi.broad.workspace import PartSearch, Workspace
from ougi_lab.scenes.volumes import BENCH_SCENES, draw_volumes

PARTS = [(0, 40), (40, 50), (50, 300), (300, 420)]


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    yield
    ougi.set_threads(None)


def partners(volume: int) -> list[int]:
    """None for many, so that the first guess is far too low, and hundreds for some."""
    return list(range(1000, 1000 + (0 if volume < 60 else 300 if volume == 70 else volume % 11)))


EXPECTED = [[i, j] for i in range(PARTS[-1][1]) for j in partners(i)]


def make_search(waits_for: dict[int, threading.Event], done: dict[int, threading.Event]) -> PartSearch:
    """A query as the searches write them, one volume at a time; a part may wait until another is done."""

    def search_part(part: int, first: int, last: int, out: Words) -> tuple[int, int]:
        if part in waits_for:
            assert waits_for[part].wait(10)
        count = 0
        for i in range(first, last):
            found = partners(i)
            if count + len(found) > out.shape[1] - 16:
                return i, count
            out[0, count : count + len(found)], out[1, count : count + len(found)] = i, found
            count += len(found)
        if part in done:
            done[part].set()
        return last, count

    return search_part


@pytest.mark.plain
@pytest.mark.parametrize("reused", [False, True])
def test_pairs_come_in_the_order_of_the_parts(reused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspaces, "_BUFFER", 16)
    for _ in range(3):
        assert Workspace(reused=reused).gather_pairs(make_search({}, {}), PARTS).tolist() == EXPECTED


@pytest.mark.parametrize("reused", [False, True])
def test_later_parts_that_are_done_first_wait_for_their_turn(reused: bool) -> None:
    ougi.set_threads(2)
    third = threading.Event()
    search_part = make_search({0: third}, {2: third})  # the first part begins when the third is done
    assert Workspace(reused=reused).gather_pairs(search_part, PARTS).tolist() == EXPECTED


@pytest.mark.parametrize("max_pairs", [0, 1, 700, len(EXPECTED) - 1])
def test_too_many_pairs_are_counted_to_the_end(max_pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspaces, "_BUFFER", 16)
    monkeypatch.setattr(workspaces, "_AHEAD", 10)  # the third part need not wait for the first
    ougi.set_threads(2)
    third = threading.Event()
    with pytest.raises(ValueError, match=f"but there are {len(EXPECTED):,} pairs"):
        Workspace(max_pairs).gather_pairs(make_search({0: third}, {2: third}), PARTS)


def test_as_many_pairs_as_allowed_are_given() -> None:
    assert len(Workspace(len(EXPECTED)).gather_pairs(make_search({}, {}), PARTS)) == len(EXPECTED)


def test_pairs_of_a_reused_workspace_outlive_its_growth() -> None:
    """Their memory is not taken from under them when a later answer needs more."""
    broad = ougi.BroadPhase(method="grid")
    sparse, dense = (
        ougi.Sphere(draw_volumes("equal", 400, 3, 1, balls=True).center, radius) for radius in (0.6, 9.0)
    )
    broad.update(sparse)
    before, copy = broad.pairs, broad.pairs.copy()
    broad.update(dense)
    assert len(broad.pairs) > 10 * len(before) > 0
    assert np.array_equal(before, copy)


@pytest.mark.plain
def test_parts_ahead_of_their_turn_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspaces, "_BUFFER", 16)
    monkeypatch.setattr(workspaces, "_AHEAD", 1)
    begun, ahead = threading.Event(), []
    goes_on = workspaces._Stream._may_go_on

    def watch(stream: workspaces._Stream, k: int) -> bool:
        may = goes_on(stream, k)
        if stream._turn < k:
            ahead.append((stream._ahead, may))
            begun.set()  # another part has found something: let the first begin
        return may

    monkeypatch.setattr(workspaces._Stream, "_may_go_on", watch)
    ougi.set_threads(2)
    assert (
        Workspace().gather_pairs(make_search({0: begun}, {}), [(0, 60), (60, 200), (200, 420)]).tolist()
        == EXPECTED
    )
    assert all(may == (waiting <= PARTS[-1][1]) for waiting, may in ahead)


@pytest.mark.plain
def test_no_part_waits_for_one_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspaces, "_BUFFER", 16)
    monkeypatch.setattr(workspaces, "_AHEAD", 0)
    found = threading.Event()

    def search_part(part: int, first: int, last: int, out: Words) -> tuple[int, int]:
        if part == 0:
            assert found.wait(10)
            raise MemoryError("no more")
        out[:, :32] = 1
        found.set()
        return first + 1, 32

    ougi.set_threads(2)
    with pytest.raises(MemoryError, match="no more"):
        Workspace().gather_pairs(search_part, [(0, 1), (1, 9), (9, 99)])


@pytest.mark.parametrize("scene", BENCH_SCENES)
@pytest.mark.parametrize("n", [5_000, 60_000])
def test_a_call_holds_at_max_pairs_120_bytes_for_each_body(scene: str, n: int) -> None:
    """Beside its answer, sorted or not, also where that is many times larger.

    From NumPy 2.5 on `ndarray.resize` copies, so that old and new answers exist side by side for a moment.
    """
    is_copied = np.lib.NumpyVersion(np.__version__) >= "2.5.0"
    bodies = BENCH_SCENES[scene](n, np.random.default_rng(4))
    bodies.columns()
    for sort in (False, True):
        ougi.candidate_pairs(bodies, sort=sort)
        tracemalloc.start()
        try:
            result = ougi.candidate_pairs(bodies, sort=sort)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        grown = result.nbytes if is_copied else 0
        assert (peak - result.nbytes - grown) / n <= 120


@pytest.mark.plain
@pytest.mark.parametrize("highest", [1, 30, 2_000, 2**20, 2**31 - 1])
def test_pairs_are_sorted_within_their_own_memory(highest: int) -> None:
    rng = np.random.default_rng(highest)
    for n in (0, 1, 2, 3, 50):
        pairs = rng.integers(0, highest, (n, 2), endpoint=True)
        expected = sorted(pairs.tolist())
        sort_pairs(pairs, Workspace())
        assert pairs.tolist() == expected
