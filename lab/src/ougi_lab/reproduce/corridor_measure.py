"""What the experiment of CORRIDOR counts and times: numbers only."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ougi._check import frozen
from ougi._native import one_thread
from ougi._typing import Floats
from ougi.corridor import Corridor
from ougi.corridor.drive import STEP
from ougi.corridor.published import (
    NONE,
    PRINTED,
    REPAIRED,
    TREE,
    Spaces,
    follow_printed,
    frames,
    holds,
    located,
    spaces,
)
from ougi.corridor.trees import Tree, kdtree, quadtree
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
        wall = room._wall
        self.wall = wall
        mode = "repaired" if method == METHODS[4] else "printed"
        self.groups: Spaces = spaces(wall, k, mode)
        grown: Tree = kdtree(wall, k) if method == METHODS[2] else quadtree(wall, k)
        self.tree = grown
        self.code = (NONE, TREE, TREE, PRINTED, REPAIRED)[METHODS.index(method)]
        self.approach = method == METHODS[4] if approach is None else approach
        self.state = state.copy()
        self.cursor = np.ascontiguousarray(located(self.groups, state[:, 0]))
        self.tests, self.bounces = np.zeros((2, len(state)), np.int64)

    def run(self, count: int) -> None:
        """Make `count` frames of one second."""
        frames(
            self.wall,
            self.tree,
            self.groups,
            self.code,
            self.approach,
            1.0,
            self.state,
            self.cursor,
            self.tests,
            self.bounces,
            count,
            0,
            len(self.state),
        )


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
    wall = room._wall
    made = room.compile(RADIUS)
    state = state_of(room, count, speed, seed)
    printed, repaired = (spaces(wall, k, mode) for mode in ("printed", "repaired"))
    index = located(printed, state[:, 0])[:, 0]
    contacts, lost = 0, {"printed": 0, "repaired": 0}
    for _ in range(total):
        out, counts = made.ask(frozen(state), STEP, 1.0, 1.0, 1000)
        state = np.concatenate([out[:, :4], state[:, 4:]], axis=1)
        pairs = zip(index, state[:, 0], state[:, 2], strict=True)
        index = np.array([follow_printed(printed, int(i), float(x), float(vx)) for i, x, vx in pairs])
        hit = np.flatnonzero(counts[:, 1] > 0)
        segment = counts[hit, 0] >> 1
        contacts += len(hit)
        here = {"printed": index[hit, None], "repaired": located(repaired, state[hit, 0])}
        for mode, groups in (("printed", printed), ("repaired", repaired)):
            lost[mode] += int((~holds(groups, here[mode], segment, len(wall.rows))).sum())
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
        found[name] = round(float((~room.inside(crowd.state[:, :2])).mean()), 4)
    exact, _ = room.compile(RADIUS).ask(frozen(state), STEP, float(total), 1.0, 1_000_000)
    found["reach"] = round(float((~room.inside(exact[:, :2])).mean()), 4)
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
            made[name].ask(frozen(start[:4].copy()), STEP, 1.0, 1.0, 1000)
        for name in names:
            state, tests = start, []
            for _ in range(5):
                begun = CLOCK.now()
                out, counts = made[name].ask(frozen(state), STEP, 1.0, 1.0, 1000)
                times[name] = min(times[name], CLOCK.now() - begun)
                state = np.concatenate([out[:, :4], start[:, 4:]], axis=1)
                tests.append(counts[:, 2])
            ends.append(state)
            found[name] = {
                "ns": round(1e9 * times[name] / count, 1),
                "tests": round(float(np.mean(tests)), 2),
                "worst": int(np.max(tests)),
                "build_s": round(built[name], 4),
                "bytes": made[name].nbytes,
            }
    found["alike"] = all(np.array_equal(ends[0], end) for end in ends)
    found["kept"] = made["reach"].kept
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
            out, _ = made.ask(frozen(state), STEP, 1.0, 1.0, 1000)
            took.append(CLOCK.now() - begun)
            state = np.concatenate([out[:, :4], state[:, 4:]], axis=1)
    median = float(np.median(took[1:]))
    return {"ns": round(1e9 * median / count, 1), "worst_us": round(1e6 * max(took[1:]), 1)}
