"""Counts and times of the experiment of CORRIDOR."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
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
from ougi.errors import MissingExtraError
from ougi_lab.measure import CLOCK
from ougi_lab.scenes import corridors
from ougi_lab.scenes.corridors import draw_circles

RADIUS = 0.05
FPS = 62
# The paper's four broad phases, and table 1 repaired.
METHODS = ("no partition", "quad-tree", "kd-tree", "groups, as printed", "groups, repaired")
# Our exact structures.
EXACT = ("quadtree", "kdtree", "chain", "reach")


class PublishedRun:
    """Characters in a strip that bounce by CORRIDOR's narrow phase."""

    def __init__(
        self, corridor: Corridor, method: str, k: int, state: Floats, approach: bool | None = None
    ) -> None:
        wall = corridor.wall
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


def build_strip(segments: int) -> Corridor:
    """The strip that all methods are defined for."""
    return Corridor(corridors.make_strip(segments, np.random.default_rng([4, segments])))


def build_maze(cells: int, segments: int) -> Corridor:
    """A maze with rough walls."""
    return Corridor(corridors.make_maze(cells, np.random.default_rng([5, cells]), segments=segments))


def draw_state(corridor: Corridor, count: int, speed: float, seed: int) -> Floats:
    """Characters (px, py, vx, vy, radius) that move by `speed` radii in a frame."""
    start, velocity = draw_circles(corridor, count, RADIUS, speed, np.random.default_rng([seed, count]))
    return np.concatenate([start, velocity, np.full((count, 1), RADIUS)], axis=1)


def _apply_result(out: Floats, state: Floats) -> Floats:
    """Circles with the positions and velocities of a result."""
    moved = state.copy()
    moved[:, POSITION], moved[:, VELOCITY] = out[:, POSITION], out[:, VELOCITY]
    return moved


# --- figure 4 -----------------------------------------------------------------------------------------------


def measure_frames(
    simulation: PublishedRun, seconds: int, draw: Callable[[Floats], None] | None = None
) -> dict[str, Any]:
    """CPU milliseconds of a frame, and frames per second in each second, at most 62.

    A second has 62 frames, or as many as one second of CPU time allows, and at least one. CPU time does not
    depend on other work of the machine. With `draw` every frame is drawn, too.
    """
    simulation.run(1)
    fps, frames, total = [], 0, 0.0
    for _ in range(seconds):
        start_time, done = CLOCK.now(), 0
        while done < FPS and (done == 0 or CLOCK.now() - start_time < 1.0):
            simulation.run(1)
            if draw is not None:
                draw(simulation.state)
            done += 1
        took = CLOCK.now() - start_time
        fps.append(round(min(float(FPS), done / took), 2))
        frames, total = frames + done, total + took
    return {"fps": fps, "ms": float(f"{1e3 * total / frames:.4g}")}


class GameWindow:
    """A window without a screen, in which a strip and its characters are drawn as a game does."""

    def __init__(self, corridor: Corridor, width: int = 1600) -> None:
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
        try:
            import pygame
        except ImportError as error:
            raise MissingExtraError("play", "drawing every frame", "ougi-lab") from error
        self.pygame = pygame
        segments = corridor.segments
        low, high = segments.min(axis=(0, 1)), segments.max(axis=(0, 1))
        self.scale, self.low = width / float(high[0] - low[0]), low
        self.surface = pygame.display.set_mode((width, int(self.scale * float(high[1] - low[1])) + 1))
        self.walls = self.surface.copy()
        self.walls.fill((250, 250, 250))
        for start, end in (segments - low) * self.scale:
            pygame.draw.aaline(self.walls, (40, 40, 40), start.tolist(), end.tolist())

    def draw(self, state: Floats) -> None:
        """Draw one frame and show it."""
        self.surface.blit(self.walls, (0, 0))
        radius = max(1, round(RADIUS * self.scale))
        for place in ((state[:, POSITION] - self.low) * self.scale).tolist():
            self.pygame.draw.circle(self.surface, (31, 78, 156), place, radius)
        self.pygame.display.flip()


def measure_published_cost(
    corridor: Corridor, method: str, k: int, speed: float, count: int, seed: int
) -> dict[str, Any]:
    """Nanoseconds and tests for each character and frame."""
    state = draw_state(corridor, count, speed, seed)
    best, simulation = np.inf, PublishedRun(corridor, method, k, state)
    simulation.run(1)
    simulation.tests[:] = 0
    many = 5
    for _ in range(3):
        start_time = CLOCK.now()
        simulation.run(many)
        best = min(best, CLOCK.now() - start_time)
    per = 1e9 * best / many / count
    return {"ns": round(per, 1), "tests": round(float(simulation.tests.mean()) / (3 * many), 2)}


# --- what is missed -----------------------------------------------------------------------------------------


def count_missed(segments: int, k: int, speed: float, count: int, total: int, seed: int) -> dict[str, Any]:
    """Shares of the true contacts of exact trajectories whose segment the groups do not test."""
    corridor = build_strip(segments)
    wall = corridor.wall
    structure = corridor.compile(RADIUS)
    state = draw_state(corridor, count, speed, seed)
    verbatim, repaired = build_verbatim_spaces(wall, k), build_repaired_spaces(wall, k)
    index = locate_groups(verbatim, state[:, PX])[:, 0]
    contacts, lost = 0, {"printed": 0, "repaired": 0}
    for _ in range(total):
        out, counts = structure.move(frozen(state), STEP, 1.0, 1.0, 1000)
        state = _apply_result(out, state)
        pairs = zip(index, state[:, PX], state[:, VX], strict=True)
        index = np.array([follow_verbatim(verbatim, int(i), float(x), float(vx)) for i, x, vx in pairs])
        hit = np.flatnonzero(counts[:, BOUNCES] > 0)
        segment = counts[hit, FEATURE] >> 1
        contacts += len(hit)
        here = {"printed": index[hit, None], "repaired": locate_groups(repaired, state[hit, PX])}
        for variant, spaces in (("printed", verbatim), ("repaired", repaired)):
            lost[variant] += int((~contains_segment(spaces, here[variant], segment, len(wall.rows))).sum())
    return {"segments": segments, "k": k, "speed": speed, "contacts": contacts, **lost}


def measure_escaped(segments: int, speed: float, count: int, total: int, seed: int) -> dict[str, Any]:
    """Measure the shares of characters outside after frames of the published narrow phase."""
    corridor = build_strip(segments)
    state = draw_state(corridor, count, speed, seed)
    found: dict[str, Any] = {"segments": segments, "speed": speed}
    cases = {
        "printed": (METHODS[3], False),
        "repaired": (METHODS[4], True),
        "narrow phase alone": (METHODS[0], False),
        "narrow phase with approach": (METHODS[0], True),
    }
    for name, (method, approach) in cases.items():
        simulation = PublishedRun(corridor, method, 8, state, approach)
        simulation.run(total)
        found[name] = round(float((~corridor.inside(simulation.state[:, POSITION])).mean()), 4)
    exact, _ = corridor.compile(RADIUS).move(frozen(state), STEP, float(total), 1.0, 1_000_000)
    found["reach"] = round(float((~corridor.inside(exact[:, POSITION])).mean()), 4)
    return found


# --- exact structures ---------------------------------------------------------------------------------------


@functools.cache
def compile_structures(names: tuple[str, ...]) -> None:
    """Build and use every structure once, so that compilation is in no measured time."""
    corridor = build_maze(2, 100)
    state = draw_state(corridor, 2, 1.0, 0)
    for name in names:
        structure = corridor.compile(RADIUS) if name == "reach" else corridor.structure(name)
        structure.move(frozen(state), STEP, 1.0, 1.0, 1000)


def measure_exact_cost(
    corridor: Corridor, speed: float, count: int, seed: int, names: tuple[str, ...]
) -> dict[str, Any]:
    """For each structure: ns, mean and worst tests of a character in a frame; all must end alike."""
    start = draw_state(corridor, count, speed, seed)
    found: dict[str, Any] = {}
    ends = []
    with one_thread():
        structure, built = {}, {}
        compile_structures(names)
        for name in names:
            start_time = CLOCK.now()
            structure[name] = corridor.compile(RADIUS) if name == "reach" else corridor.structure(name)
            built[name] = CLOCK.now() - start_time
        times = dict.fromkeys(names, np.inf)
        for name in names:
            structure[name].move(frozen(start[:4].copy()), STEP, 1.0, 1.0, 1000)
        for name in names:
            state, tests = start, []
            for _ in range(5):
                start_time = CLOCK.now()
                out, counts = structure[name].move(frozen(state), STEP, 1.0, 1.0, 1000)
                times[name] = min(times[name], CLOCK.now() - start_time)
                state = _apply_result(out, start)
                tests.append(counts[:, TESTS])
            ends.append(state)
            found[name] = {
                "ns": round(1e9 * times[name] / count, 1),
                "tests": round(float(np.mean(tests)), 2),
                "worst": int(np.max(tests)),
                "build_s": round(built[name], 4),
                "bytes": structure[name].nbytes,
            }
    found["alike"] = all(np.array_equal(ends[0], end) for end in ends)
    found["kept"] = structure["reach"].feature_count
    return found


def measure_frame_times(
    corridor: Corridor, speed: float, count: int, frames: int, seed: int, name: str
) -> dict[str, float]:
    """Medians of ns for a character and frame, and the worst frame in microseconds."""
    state = draw_state(corridor, count, speed, seed)
    structure = corridor.compile(RADIUS) if name == "reach" else corridor.structure(name)
    took = []
    with one_thread():
        for _ in range(frames + 1):
            start_time = CLOCK.now()
            out, _ = structure.move(frozen(state), STEP, 1.0, 1.0, 1000)
            took.append(CLOCK.now() - start_time)
            state = _apply_result(out, state)
    median = float(np.median(took[1:]))
    return {"ns": round(1e9 * median / count, 1), "worst_us": round(1e6 * max(took[1:]), 1)}
