"""FAN 3.1, 3.2: counting against a plain brute force, chunks, resuming, the outcome."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ougi.errors import InvalidInputError
from ougi_lab.lattice.count import METHODS, STEPS, count_points, find_members, lattice_coordinates
from ougi_lab.lattice.readings import READINGS, TEXT, build_boxes
from ougi_lab.reproduce.fan_accuracy import RATIOS, build_outcome, collect_numbers, run
from ougi_lab.reproduce.fan_accuracy_figures import build_example, split_into_groups
from ougi_lab.reproduce.fan_chunks import CHUNK, NAME, LatticeCounts, count_all, count_chunk
from ougi_lab.scenes.fan_motions import FanMotions, draw_fan_motions

# 22^3 = 10,648 points.
CELLS = 22
MOTIONS = 3 * CHUNK - 100


# --- a plain brute force: matrices and angles, no sweep ---------------------------------------------------


def _make_rotation(axis: Any, angle: float) -> Any:
    """Rodrigues' matrix."""
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


def _lattice(cells: int) -> Any:
    x = -50 + 100 / cells * (np.arange(cells) + 0.5)
    return np.stack(np.meshgrid(x, x, x, indexing="ij"), axis=-1).reshape(-1, 3)


def _in_poses(points: Any, m: FanMotions) -> Any:
    axes = np.stack([np.cross(m.radial[0], m.axis[0]), m.radial[0], m.axis[0]])
    flat = np.flatnonzero(np.abs(points @ m.axis[0]) <= m.size[0, 2] / 2 + 1)  # a turn keeps this height
    inside = np.zeros(len(points), bool)
    for k in range(1, STEPS + 1):
        back = points[flat] @ (axes @ _make_rotation(m.axis[0], m.angle[0] * k / STEPS).T).T
        inside[flat] |= (np.abs(back - [0, m.lever[0], 0]) <= m.size[0] / 2).all(axis=1)
    return inside


def _in_fans(points: Any, m: FanMotions) -> dict[str, Any]:
    """The exact sweep and the sectors in polar coordinates about the axis."""
    (wx, wy, wz), d, angle = m.size[0], m.lever[0], m.angle[0]
    x, y = points @ m.radial[0], points @ np.cross(m.axis[0], m.radial[0])
    rho, psi = np.hypot(x, y), np.arctan2(y, x)
    flat = np.abs(points @ m.axis[0]) <= wz / 2
    inner, outer, half = d - wy / 2, d + wy / 2, wx / 2
    off = np.abs((psi - angle / 2 + np.pi) % (2 * np.pi) - np.pi)  # angle from the middle of the turn

    def fan(radius: float, wider: float) -> Any:
        return flat & (inner <= rho) & (rho <= radius) & (off <= angle / 2 + wider)

    # At radius rho the box covers the angles least..most on both sides of its middle line.
    lowest = np.arccos(np.minimum(1, outer / rho))
    highest = np.minimum(np.arcsin(np.minimum(1, half / rho)), np.arccos(np.clip(inner / rho, -1, 1)))
    swept = np.zeros(len(points), bool)
    for low, high in ((psi - highest, psi - lowest), (psi + lowest, psi + highest)):
        for turns in (-2 * np.pi, 0, 2 * np.pi):
            swept |= (low + turns <= angle) & (high + turns >= 0)
    corner = np.hypot(outer, half)
    rim = min(corner, outer / np.cos(angle / 2)) if angle < np.pi else corner
    mean = np.sqrt((inner**2 + rim**2) / 2)
    return {
        "exact": flat & swept & (rho >= inner) & (lowest <= highest),
        "sector": fan(outer, 0.0),
        "sector-enclosing": fan(corner, np.arctan2(half, inner)),
        "sector-balanced": fan(rim, min(np.arcsin(min(1, half / mean)), np.arccos(inner / mean))),
    }


def _brute(m: FanMotions, cells: int) -> dict[str, Any]:
    points = _lattice(cells)
    found = {"100 poses": _in_poses(points, m), **_in_fans(points, m)}
    for name, box in zip(READINGS, build_boxes(m), strict=True):
        found[name] = ((box.lower <= points) & (points <= box.upper)).all(axis=1)
    return found


def _assert_agrees(motions: FanMotions, cells: int) -> None:
    found = count_points(motions, cells)
    for i in range(len(motions)):
        sets = _brute(motions[i : i + 1], cells)
        pose, exact, fan, box = (sets[name] for name in ("100 poses", "exact", "sector", TEXT))
        for m, name in enumerate(METHODS):
            own = sets[name]
            want = [own.sum(), (own & pose).sum(), (own & exact).sum()]
            assert found.sets[i, m].tolist() == want, (i, name)
        code = pose * 1 + box * 2 + fan * 4
        assert found.groups[i].tolist() == [(code == group).sum() for group in (1, 2, 4, 3, 5, 6, 7)], i


def test_counts_are_those_of_a_brute_force_on_ten_thousand_points() -> None:
    _assert_agrees(draw_fan_motions(7, range(50), [0] * 50), CELLS)


def test_counts_are_those_of_a_brute_force_on_the_whole_lattice() -> None:
    axis, radial = draw_fan_motions(3, [12], [0]).axis, draw_fan_motions(3, [12], [0]).radial
    _assert_agrees(
        FanMotions(axis, radial, np.array([4.5]), np.array([22.2]), np.array([[3.1, 20.3, 2.2]])), 100
    )


def test_rows_parallel_to_the_box_are_counted() -> None:
    axes = np.eye(3)
    for k in range(3):
        m = FanMotions(axes[k : k + 1], axes[k - 1 : k or None][:1], *_draw_motions())
        _assert_agrees(m, CELLS)


def _draw_motions() -> tuple[Any, Any, Any]:
    return np.array([1.234]), np.array([20.1]), np.array([[11.3, 14.2, 17.7]])


# --- motions and boxes ------------------------------------------------------------------------------------


def test_motions_have_the_ranges_of_the_paper() -> None:
    m = draw_fan_motions(0, range(4_000), [0] * 4_000)
    for value, low, high in ((m.angle, 0, 2 * np.pi), (m.lever, 12.5, 25), (m.size, 0, 25)):
        assert value.min() >= low
        assert value.max() <= high
        assert np.allclose(value.mean(axis=0), (low + high) / 2, rtol=0.05)
    assert np.allclose((m.axis * m.radial).sum(axis=1), 0, atol=1e-15)
    assert np.allclose((m.axis**2).mean(axis=0), 1 / 3, atol=0.02)
    assert np.allclose(m.radial.mean(axis=0), 0, atol=0.03)


def test_readings_are_what_plain_corners_say() -> None:
    m = draw_fan_motions(1, range(20), [0] * 20)
    found = dict(zip(READINGS, build_boxes(m), strict=True))
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) / 2
    for i in range(20):
        axes = np.stack([np.cross(m.radial[i], m.axis[i]), m.radial[i], m.axis[i]])
        start = m.lever[i] * m.radial[i] + (signs * m.size[i]) @ axes
        end = start @ _make_rotation(m.axis[i], m.angle[i]).T
        path = np.concatenate(
            [start @ _make_rotation(m.axis[i], a).T for a in np.linspace(0, m.angle[i], 2_000)]
        )
        diagonal, travel = np.linalg.norm(m.size[i]), m.angle[i] * np.cross(m.axis[i], start.mean(axis=0))
        grow = np.linalg.norm(travel) + m.angle[i] * np.linalg.norm(np.ptp(start, axis=0)) / 2
        both = np.concatenate([start, end])
        middle, reach = (both.min(axis=0) + both.max(axis=0)) / 2, np.ptp(both, axis=0)
        turn = m.angle[i] * diagonal / 2
        swept = np.concatenate([start, start + travel])
        for name, low, high, tolerance in (
            (TEXT, both.min(axis=0), both.max(axis=0), 1e-12),
            (
                "PhysX: start ± (|v| + |w| |extents|)",
                start.min(axis=0) - grow,
                start.max(axis=0) + grow,
                1e-12,
            ),
            (
                "Bullet: start swept by T, ± a r_box",
                swept.min(axis=0) - turn,
                swept.max(axis=0) + turn,
                1e-12,
            ),
            ("start swept by T", swept.min(axis=0), swept.max(axis=0), 1e-12),
            ("search: start and end, doubled", middle - reach, middle + reach, 1e-12),
            ("ideal: around the sweep", path.min(axis=0), path.max(axis=0), 1e-3),
        ):
            assert np.allclose(found[name].lower[i], low, atol=100 * tolerance), name
            assert np.allclose(found[name].upper[i], high, atol=100 * tolerance), name


# --- chunks -----------------------------------------------------------------------------------------------


class AtOnce(Executor):
    """Runs calls where they are submitted, and counts them."""

    calls = 0

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls += 1
        future.set_result(function(*arguments, **options))
        return future


def _assert_same(a: LatticeCounts, b: LatticeCounts) -> None:
    for name in LatticeCounts.__dataclass_fields__:
        assert np.array_equal(getattr(a, name), getattr(b, name)), name


@pytest.fixture(scope="module")
def whole() -> LatticeCounts:
    return count_all(MOTIONS, seed=0)


def test_numbers_do_not_depend_on_the_workers(whole: LatticeCounts) -> None:
    with ThreadPoolExecutor(2) as threads:
        _assert_same(count_all(MOTIONS, seed=0, executor=threads), whole)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        _assert_same(count_all(MOTIONS, seed=0, executor=processes), whole)


def test_numbers_do_not_depend_on_dask(whole: LatticeCounts) -> None:
    reason = "needs dask.distributed: pip install distributed"
    distributed = pytest.importorskip("distributed", reason=reason)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        _assert_same(count_all(MOTIONS, seed=0, executor=client.get_executor()), whole)


def test_a_motion_is_the_same_in_any_chunk() -> None:
    one = count_chunk(5, 0, 20, CELLS)
    parts = [count_chunk(5, 0, 7, CELLS), count_chunk(5, 7, 13, CELLS)]
    for name, value in one.items():
        assert np.array_equal(value, np.concatenate([part[name] for part in parts])), name


def test_motions_with_an_empty_denominator_are_drawn_again_and_counted() -> None:
    cells = 8  # so coarse that many boxes pass between the points
    found = count_chunk(0, 0, 200, cells)
    again = np.flatnonzero(found["attempts"])
    assert len(again) > 0
    first = count_points(draw_fan_motions(0, range(200), [0] * 200), cells).groups
    for groups, empty in ((first, True), (found["groups"], False)):
        total = groups.sum(axis=1)
        nothing = (total == groups[:, 1]) | (total == groups[:, 2])
        assert np.array_equal(np.flatnonzero(nothing), again if empty else [])


# Counts in the folder argv[1], and kills itself while it writes the second chunk.
KILLED = """
import os, signal, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from ougi_lab import store
from ougi_lab.reproduce import fan_chunks

append = store.ChunkStore.append
def kill_at_the_second(self, key, chunk):
    if not self.chunks:
        return append(self, key, chunk)
    with self._path.open("a") as file:
        file.write('{"key": "1", "chu')
    os.kill(os.getpid(), signal.SIGKILL)
store.ChunkStore.append = kill_at_the_second
with ThreadPoolExecutor(1) as one:
    fan_chunks.count_all(int(sys.argv[2]), 0, one, folder=Path(sys.argv[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_run_that_was_killed_ends_like_one_that_was_not(tmp_path: Path, whole: LatticeCounts) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(MOTIONS)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert (tmp_path / f"{NAME}.jsonl").read_text().endswith('"chu')  # the chunk at which it died
    rest, calls = AtOnce(), list[tuple[int, int]]()
    found = count_all(MOTIONS, 0, rest, folder=tmp_path, progress=lambda *counts: calls.append(counts))
    _assert_same(found, whole)
    assert rest.calls == 2
    assert calls == [(1, 3), (2, 3), (3, 3)]  # the time left is that of the rest


def test_stored_chunks_are_not_counted_again(tmp_path: Path, whole: LatticeCounts) -> None:
    for motions, calls in ((MOTIONS, 3), (MOTIONS, 0), (CHUNK + 1, 0), (MOTIONS + 10, 1)):
        executor = AtOnce()
        found = count_all(motions, 0, executor, folder=tmp_path)
        assert executor.calls == calls
        common = min(motions, MOTIONS)
        assert len(found.angle) == motions
        assert np.array_equal(found.sets[:common], whole.sets[:common])


def test_a_folder_of_another_seed_is_refused_and_left_alone(tmp_path: Path) -> None:
    small = 3
    count_all(small, 0, AtOnce(), folder=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InvalidInputError, match=r"seed 0 instead of 1.*force"):
        count_all(small, 1, folder=tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    _assert_same(count_all(small, 1, AtOnce(), folder=tmp_path, force=True), count_all(small, 1, AtOnce()))


def test_what_is_left_of_a_broken_chunk_is_counted_again(tmp_path: Path) -> None:
    small = 3
    whole = count_all(small, 0, AtOnce(), folder=tmp_path)
    file = tmp_path / f"{NAME}.jsonl"
    file.write_text(file.read_text()[:-100])
    executor = AtOnce()
    _assert_same(count_all(small, 0, executor, folder=tmp_path), whole)
    assert executor.calls == 1
    file.write_text("[")
    _assert_same(count_all(small, 0, AtOnce(), folder=tmp_path, force=True), whole)


def test_bad_folders_and_numbers_are_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InvalidInputError, match="cannot store chunks in"):
        run(1, folder=file)
    (tmp_path / f"{NAME}.jsonl").write_text("not json")
    with pytest.raises(InvalidInputError, match=r"belongs to another run .*force to start over"):
        run(1, folder=tmp_path)
    with pytest.raises(InvalidInputError, match="motions must be at least 1, got 0"):
        run(0)
    with pytest.raises(InvalidInputError, match="seed must be at least 0, got -1"):
        run(1, seed=-1)


# --- the outcome ------------------------------------------------------------------------------------------


def test_the_ratios_are_those_of_the_groups(whole: LatticeCounts) -> None:
    a, b, c, d, e, f, g = whole.groups.T
    total = whole.groups.sum(axis=1)
    ratios = whole.ratios("100 poses")
    for name, parts, other in ((TEXT, (d + g, b + f, a + e), c), ("sector", (e + g, c + f, a + d), b)):
        for k, part in enumerate(parts):  # (3.1)-(3.6)
            assert np.allclose(ratios[:, METHODS.index(name), k], 100 * part / (total - other))


def test_the_outcome_bears_out_the_sector_row_and_not_the_other(whole: LatticeCounts) -> None:
    found = build_outcome(collect_numbers(whole, seed=0))
    assert all(verdict.holds for verdict in found.verdicts if verdict.binding)
    assert not next(verdict for verdict in found.verdicts if "S-CCD, the box" in verdict.claim).holds
    first, poses, exact, groups = found.tables
    assert [row[2] for row in first.rows] == [67.68, 1.25, 31.07, 4.27, 93.9, 1.83]
    assert len(poses.rows) == len(exact.rows) == len(METHODS) - 1
    assert len(groups.rows) == 7
    for table in found.tables:
        assert {len(row) for row in table.rows} == {len(table.headings)}
    assert set(found.numbers["ratios"]["exact"]["sector"]) == set(RATIOS)


def test_figures_have_rows_and_can_be_drawn(whole: LatticeCounts) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure as Sheet

    found = build_outcome(collect_numbers(whole, seed=0))
    groups, curves = ([f"figure-3-{k}" for k in span] for span in (range(1, 8), (8, 9)))
    assert [figure.name for figure in found.figures] == [*groups, "table-3-1", *curves]
    assert [len(figure.rows) for figure in found.figures[7:]] == [len(METHODS) - 1, 36, 20]
    for figure in found.figures:
        assert {len(row) for row in figure.rows} == {len(figure.columns)}
        sheet = Sheet()
        figure.draw(sheet)
        assert len(sheet.axes) == 1


def test_no_group_of_the_example_is_empty_and_clouds_match_the_counts() -> None:
    x, sets = find_members(build_example())
    assert np.array_equal(x, lattice_coordinates(100))
    clouds = [int(inside.sum()) for inside in split_into_groups(sets).values()]
    found = count_points(build_example())
    assert clouds == found.groups[0].tolist()
    assert min(clouds) > 0
    assert sets.sum(axis=(1, 2, 3)).tolist() == found.sets[0, :, 0].tolist()


def test_few_motions_leave_ranges_out_instead_of_failing() -> None:
    found = build_outcome(collect_numbers(count_all(3, seed=0), seed=0))
    assert all(verdict.holds for verdict in found.verdicts if verdict.binding)
    assert sum(verdict.binding for verdict in found.verdicts) == 3  # what is proved point by point
    assert len(found.figures[8].rows) <= 3
    assert len(found.figures[9].rows) == 3
