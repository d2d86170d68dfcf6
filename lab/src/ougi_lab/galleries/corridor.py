"""The gallery of CORRIDOR: characters run and bounce in a maze; how many walls does each structure test?

Characters that bounce in a frame are red; so are the pieces of wall that lie within the reach of the first
one. In the strip, the only shape for which the paper's groups are defined, walls have the colors of its
groups of k pieces, and the group whose X space holds the first character is red.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.corridor import Corridor
from ougi.corridor.structures import EXACT
from ougi.motion.screws import embed_points
from ougi.plot.panel import BLUE, BODY, RED
from ougi.shapes import Circle
from ougi.viewer.record import write_recording
from ougi.viewer.solids import group_solids
from ougi.viewer.stage import parse_color
from ougi_lab.galleries.pages import MovedPage, add_bodies, render_table
from ougi_lab.scenes import corridors

RADIUS = 0.06
_CELLS = 8
_SEED = 9
_FRAME = 1 / 30  # seconds that pass in a frame
# The corridors, and the number of segments of a group in a strip.
SHAPES, K = ("maze", "strip with the paper's groups"), 8
_GROUPS = np.array([parse_color(color) for color in ("#1f4e9c", "#e3a02b", "#2e8b57", "#8e6bb5")], np.uint8)
_RED, _BLUE, _GREY = (np.array(parse_color(color), np.uint8) for color in (RED, BLUE, BODY))


class MazeRun:
    """Characters in a maze.

    >>> run = MazeRun(number=20, segments=400, speed=2.0)
    >>> run.step("reach")
    >>> bool(run.corridor.inside(run.position).all())
    True
    """

    def __init__(self, number: int, segments: int, speed: float, shape: str = "maze") -> None:
        rng = np.random.default_rng(_SEED)
        if shape == "maze":
            walls = corridors.make_maze(_CELLS, rng, segments=segments, openings=4)
        else:
            walls = corridors.make_strip(segments, rng)
        self.corridor, self.shape = Corridor(walls), shape
        self.position = self._draw_positions(number, rng)
        angle = rng.uniform(0, 2 * np.pi, number)
        self.direction: Floats = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        self.speed, self.seconds = speed, 0.0
        self.bounced = np.zeros(number, np.bool_)
        self.tests = np.zeros(number, np.int64)

    def _draw_positions(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw random positions where characters fit."""
        lower, upper = self.corridor.bounds
        found = np.empty((0, 2))
        while len(found) < number:
            tried = rng.uniform(lower, upper, (4 * number, 2))
            near = self.corridor.nearest(tried)
            found = np.concatenate([found, tried[near.inside & (near.distance > 1.01 * RADIUS)]])
        return found[:number]

    def step(self, structure: str) -> None:
        """Advance one frame. All structures lead to the same positions."""
        begun = time.perf_counter()
        moved = self.corridor.step(
            self.position, self.speed * self.direction, RADIUS, _FRAME, method=structure, check=False
        )
        self.seconds = time.perf_counter() - begun
        self.position, self.direction = moved.position, moved.velocity / self.speed
        self.bounced, self.tests = moved.bounce_count > 0, moved.test_count

    def count_tested_segments(self) -> dict[str, float]:
        """Count the segments that each structure tests for a character's next frame, on average."""
        motion = self.speed * self.direction * _FRAME
        return {
            name: float(
                self.corridor.cast(self.position, motion, RADIUS, method=name, check=False).test_count.mean()
            )
            for name in EXACT
        }

    def list_groups(self) -> Ints:
        """The group of each segment along the chain (CORRIDOR sec. 3.2); neighbours share a segment."""
        return np.arange(len(self.corridor.segments)) // (K - 1)

    def find_group_of_first(self) -> Bools:
        """Mark the segments of the groups whose X space (1) holds the first character."""
        groups, x = self.list_groups(), self.corridor.segments[..., 0]
        held = [
            k
            for k in range(int(groups[-1]) + 1)
            if x[groups == k].min() <= self.position[0, 0] < x[groups == k].max()
        ]
        return np.isin(groups, held)

    def find_near_first(self) -> Bools:
        """Mark the segments that the first character could reach in its next frame."""
        start, end = self.corridor.segments.transpose(1, 0, 2)
        along = end - start
        share = ((self.position[0] - start) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-300)
        nearest = start + np.clip(share, 0, 1)[:, None] * along
        reach = RADIUS + self.speed * _FRAME
        return np.asarray(np.linalg.norm(nearest - self.position[0], axis=1) <= reach)


def render_html(run: MazeRun, frame: int) -> str:
    """Return a table of the segments that each structure tests."""
    rows = "".join(
        f'<tr data-structure="{name}" data-tests="{n!r}"><td>{name}</td>'
        f'<td style="text-align:right">{n:,.1f}</td></tr>'
        for name, n in run.count_tested_segments().items()
    )
    took = f"; {1e3 * run.seconds:.2f} ms" if run.seconds else ""  # nothing has been stepped yet
    text = f"{int(run.bounced.sum())} bounce; {len(run.corridor.segments):,} pieces of wall{took}"
    return render_table(frame, text, ("structure", "segments tested per character"), rows)


class Gallery(MovedPage):
    """The page. A thread moves the characters. Other settings restart it."""

    def __init__(self, server: Any, number: int = 200) -> None:
        self._server, gui = server, server.gui
        gui.set_panel_label("ougi: CORRIDOR")
        self._number = gui.add_slider("characters", 10, 2000, 10, number)
        self._segments = gui.add_slider("pieces of wall", 400, 20_000, 100, 2000)
        self._speed = gui.add_slider("speed", 0.5, 50.0, 0.5, 2.0)
        self._shape = gui.add_dropdown("corridor", SHAPES, initial_value=SHAPES[0])
        self._structure = gui.add_dropdown("structure", EXACT, initial_value="reach")
        self._going = gui.add_checkbox("go on", True)
        self._list = gui.add_html("")
        middle = _CELLS / 2
        server.initial_camera.look_at = (middle, middle, 0.0)
        server.initial_camera.position = (middle, middle - 0.1, 0.85 * _CELLS)
        self._restart()
        self._start("ougi corridor")

    def record(self, path: Path) -> Path:
        """Write a recording of 120 frames."""
        self.close()
        self._restart()

        def show(k: float) -> None:
            if k:
                self.run.step("reach")
            self._move()

        beside = f"<b>ougi: CORRIDOR</b>{render_html(self.run, 0)}"
        return write_recording(self._server, np.arange(0.0, 121.0), 8.0, show, beside, path)

    def _read_settings(self) -> tuple[int, int, float, str]:
        number, segments = int(self._number.value), int(self._segments.value)
        return number, segments, float(self._speed.value), str(self._shape.value)

    def _restart(self) -> None:
        self._set, self.frame = self._read_settings(), 0
        self.run = MazeRun(*self._set)
        n = len(self.run.position)
        (group,) = group_solids([Circle([0, 0], RADIUS)], _CELLS / 2)
        at, scales = embed_points(self.run.position), np.tile(group.scale, (n, 1))
        self._characters = add_bodies(self._server, "/characters", group, at, scales, _BLUE)
        walls = embed_points(self.run.corridor.segments)
        self._walls = self._server.scene.add_line_segments(
            "/walls", walls, self._color_walls(), thickness=0.05
        )

    def _color_walls(self) -> Any:
        near = self.run.find_near_first()
        plain: Any = np.broadcast_to(_GREY, (len(near), 2, 3))
        if self.run.shape != SHAPES[0]:
            near = self.run.find_group_of_first()
            plain = np.repeat(_GROUPS[self.run.list_groups() % len(_GROUPS)][:, None], 2, axis=1)
        return np.where(near[:, None, None], _RED, plain)

    def _move(self) -> None:
        colors = np.where(self.run.bounced[:, None], _RED, _BLUE)
        self._characters.batched_positions = embed_points(self.run.position)
        self._characters.batched_colors = colors
        self._walls.colors = self._color_walls()

    def draw(self) -> None:
        """Show positions, colours and counts of this frame."""
        with self._server.atomic():
            self._move()
            self._list.content = render_html(self.run, self.frame)

    def _restart_if_changed(self) -> bool:
        changed = self._read_settings() != self._set
        if changed:
            self._restart()
        return changed

    def _step(self) -> None:
        self.run.step(self._structure.value)
