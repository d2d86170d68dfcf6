"""What the experiment of CORRIDOR counts and times: numbers only."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ougi._check import frozen
from ougi._native import one_thread
from ougi._typing import Floats
from ougi.corridor import Corridor
from ougi.corridor.circle_loop import STEP
from ougi.corridor.columns import BOUNCES, FEATURE, POSITION, PX, TESTS, VELOCITY, VX
from ougi.corridor.published import (
    NONE,
    REPAIRED,
    TREE,
    VERBATIM,
    Frames,
    SegmentFinder,
    build_repaired_spaces,
    build_verbatim_spaces,
    contains_segment,
    follow_verbatim,
    locate_groups,
    run_frames,
)
from ougi.corridor.trees import build_kdtree, build_quadtree
from ougi_lab.measure import CLOCK
from ougi_lab.scenes import corridors
from ougi_lab.scenes.corridors import draw_circles

RADIUS = 0.05
FPS = 62
# The paper's four broad phases, and table 1 repaired.
METHODS = ("no partition", "quad-tree", "kd-tree", "groups, as printed", "groups, repaired")
# What replaces them.
EXACT = ("quadtree", "kdtree", "chain", "reach")


class Published:
    """A crowd in a strip that bounces by CORRIDOR's narrow phase."""

    def __init__(
        self, room: Corridor, method: str, k: int, state: Floats, approach: bool | None = None
    ) -> None:
        wall = room.wall
        self.wall = wall
        is_repaired = method == METHODS[4]
        spaces = (build_repaired_spaces if is_repaired else build_verbatim_spaces)(wall, k)
        tree = (build_kdtree if method == METHODS[2] else build_quadtree)(wall, k)
        name = (NONE, TREE, TREE, VERBATIM, REPAIRED)[METHODS.index(method)]
        self.finder = SegmentFinder(name, tree, spaces, is_repaired if approach is None else approach)
        self.state = state.copy()
        self.group = np.ascontiguousarray(locate_groups(spaces, state[:, PX]))
        self.tests, self.bounces = np.zeros((2, len(state)), np.int64)

    def run(self, count: int) -> None:
        """Make `count` frames of one second."""
        frames = Frames(self.state, self.group, self.tests, self.bounces)
        run_frames(self.wall, self.finder, 1.0, frames, count, 0, len(self.state))


def strip(segments: int) -> Corridor:
    """The strip that all methods are defined for."""
    return Corridor(corridors.make_strip(segments, np.random.default_rng([4, segments])))


def maze(cells: int, segments: int) -> Corridor:
    """A maze with rough walls."""
    return Corridor(corridors.make_maze(cells, np.random.default_rng([5, cells]), segments=segments))


def state_of(room: Corridor, count: int, speed: float, seed: int) -> Floats:
    """Characters (px, py, vx, vy, radius) that move by `speed` radii in a frame."""
    start, way = draw_circles(room, count, RADIUS, speed, np.random.default_rng([seed, count]))
    return np.concatenate([start, way, np.full((count, 1), RADIUS)], axis=1)


def _moved(out: Floats, state: Floats) -> Floats:
    """Circles with the positions and velocities of a result."""
    moved = state.copy()
    moved[:, POSITION], moved[:, VELOCITY] = out[:, POSITION], out[:, VELOCITY]
    return moved


# --- figure 4 -----------------------------------------------------------------------------------------------


def frames_per_second(crowd: Published, seconds: int) -> list[float]:
    """FPS of each second, at most 62: frames are made one after the other, without drawing."""
    crowd.run(1)
    found = []
    for _ in range(seconds):
        begun, done = time.perf_counter(), 0
        while done < FPS and time.perf_counter() - begun < 1.0:
            crowd.run(1)
            done += 1
        found.append(round(min(float(FPS), done / (time.perf_counter() - begun)), 2))
    return found


def published_cost(
    room: Corridor, method: str, k: int, speed: float, count: int, seed: int
) -> dict[str, Any]:
    """Nanoseconds and tests for each character and frame."""
    state = state_of(room, count, speed, seed)
    best, crowd = np.inf, Published(room, method, k, state)
    crowd.run(1)
    crowd.tests[:] = 0
    many = 5
    for _ in range(3):
        begun = CLOCK.now()
        crowd.run(many)
        best = min(best, CLOCK.now() - begun)
    per = 1e9 * best / many / count
    return {"ns": round(per, 1), "tests": round(float(crowd.tests.mean()) / (3 * many), 2)}


# --- what is missed -----------------------------------------------------------------------------------------


def missed(segments: int, k: int, speed: float, count: int, total: int, seed: int) -> dict[str, Any]:
    """Shares of the true contacts of exact trajectories whose segment the groups do not test."""
    room = strip(segments)
    wall = room.wall
    made = room.compile(RADIUS)
    state = state_of(room, count, speed, seed)
    verbatim, repaired = build_verbatim_spaces(wall, k), build_repaired_spaces(wall, k)
    index = locate_groups(verbatim, state[:, PX])[:, 0]
    contacts, lost = 0, {"printed": 0, "repaired": 0}
    for _ in range(total):
        out, counts = made.move(frozen(state), STEP, 1.0, 1.0, 1000)
        state = _moved(out, state)
        pairs = zip(index, state[:, PX], state[:, VX], strict=True)
        index = np.array([follow_verbatim(verbatim, int(i), float(x), float(vx)) for i, x, vx in pairs])
        hit = np.flatnonzero(counts[:, BOUNCES] > 0)
        segment = counts[hit, FEATURE] >> 1
        contacts += len(hit)
        here = {"printed": index[hit, None], "repaired": locate_groups(repaired, state[hit, PX])}
        for mode, spaces in (("printed", verbatim), ("repaired", repaired)):
            lost[mode] += int((~contains_segment(spaces, here[mode], segment, len(wall.rows))).sum())
    return {"segments": segments, "k": k, "speed": speed, "contacts": contacts, **lost}


def escaped(segments: int, speed: float, count: int, total: int, seed: int) -> dict[str, Any]:
    """Shares of characters that are outside after some frames of the published narrow phase."""
    room = strip(segments)
    state = state_of(room, count, speed, seed)
    found: dict[str, Any] = {"segments": segments, "speed": speed}
    cases = {
        "printed": (METHODS[3], False),
        "repaired": (METHODS[4], True),
        "narrow phase alone": (METHODS[0], False),
        "narrow phase with approach": (METHODS[0], True),
    }
    for name, (method, approach) in cases.items():
        crowd = Published(room, method, 8, state, approach)
        crowd.run(total)
        found[name] = round(float((~room.inside(crowd.state[:, POSITION])).mean()), 4)
    exact, _ = room.compile(RADIUS).move(frozen(state), STEP, float(total), 1.0, 1_000_000)
    found["reach"] = round(float((~room.inside(exact[:, POSITION])).mean()), 4)
    return found


# --- exact structures ---------------------------------------------------------------------------------------


def exact_cost(room: Corridor, speed: float, count: int, seed: int, names: tuple[str, ...]) -> dict[str, Any]:
    """For each structure: ns, mean and worst tests of a character in a frame; all must end alike."""
    start = state_of(room, count, speed, seed)
    found: dict[str, Any] = {}
    ends = []
    with one_thread():
        made, built = {}, {}
        for name in names:
            begun = CLOCK.now()
            made[name] = room.compile(RADIUS) if name == "reach" else room.structure(name)
            built[name] = CLOCK.now() - begun
        times = dict.fromkeys(names, np.inf)
        for name in names:
            made[name].move(frozen(start[:4].copy()), STEP, 1.0, 1.0, 1000)
        for name in names:
            state, tests = start, []
            for _ in range(5):
                begun = CLOCK.now()
                out, counts = made[name].move(frozen(state), STEP, 1.0, 1.0, 1000)
                times[name] = min(times[name], CLOCK.now() - begun)
                state = _moved(out, start)
                tests.append(counts[:, TESTS])
            ends.append(state)
            found[name] = {
                "ns": round(1e9 * times[name] / count, 1),
                "tests": round(float(np.mean(tests)), 2),
                "worst": int(np.max(tests)),
                "build_s": round(built[name], 4),
                "bytes": made[name].nbytes,
            }
    found["alike"] = all(np.array_equal(ends[0], end) for end in ends)
    found["kept"] = made["reach"].feature_count
    return found


def frame_times(
    room: Corridor, speed: float, count: int, frames: int, seed: int, name: str
) -> dict[str, float]:
    """Medians of ns for a character and frame, and the worst frame in microseconds."""
    state = state_of(room, count, speed, seed)
    made = room.compile(RADIUS) if name == "reach" else room.structure(name)
    took = []
    with one_thread():
        for _ in range(frames + 1):
            begun = CLOCK.now()
            out, _ = made.move(frozen(state), STEP, 1.0, 1.0, 1000)
            took.append(CLOCK.now() - begun)
            state = _moved(out, state)
    median = float(np.median(took[1:]))
    return {"ns": round(1e9 * median / count, 1), "worst_us": round(1e6 * max(took[1:]), 1)}
