"""The gallery of SORT: balls fly about in a cube; how many pairs does each method test?

The scene of SORT sec. 4.2 (`ougi_lab.scenes.bouncing`). Balls that touch another are red.
"""

from __future__ import annotations

import itertools
import threading
from pathlib import Path
from typing import Any

import numpy as np

from ougi._typing import Bools
from ougi.broad import candidate_pairs, count_tests
from ougi.plot.panel import BLUE, FAN, RED
from ougi.viewer.record import write_recording
from ougi.viewer.solids import group_solids
from ougi.viewer.stage import parse_color
from ougi_lab.scenes.bouncing import EDGE, RADIUS, BouncingBalls

METHODS = ("brute", "origin", "x", "xy", "axes", "best-axis")
_WORDS = {
    "brute": "every pair",
    "origin": "sorted by distance from the origin",
    "x": "sorted along x",
    "xy": "along x, then y",
    "axes": "along x, y, then z",
    "best-axis": "each body's best axis",
}
_PAUSE = 1 / 15  # seconds between frames
_SEED = 4
_RED, _BLUE = (np.array(parse_color(color), np.uint8) for color in (RED, BLUE))


def count_all_methods(world: BouncingBalls) -> dict[str, int]:
    """Count the pairs that each method tests now.

    >>> count_all_methods(BouncingBalls(20, seed=1))["brute"]
    190
    """
    return {method: count_tests(world.balls, method=method).tests for method in METHODS}


def mark_touching(world: BouncingBalls) -> Bools:
    """Mark the balls that touch another. Candidate pairs of balls are exactly the touching ones."""
    marked = np.zeros(len(world.center), np.bool_)
    marked[candidate_pairs(world.balls).ravel()] = True
    return marked


def render_html(tests: dict[str, int], frame: int, red: int) -> str:
    """A table of the counts, with bars."""
    largest = max(tests.values(), default=1) or 1
    rows = "".join(
        f'<tr data-method="{method}" data-tests="{n}"><td>{_WORDS[method]}</td>'
        f'<td style="text-align:right">{n:,}</td><td style="width:6em">'
        f'<div style="background:{FAN};height:0.7em;width:{100 * (n / largest) ** 0.5:.1f}%"></div></td></tr>'
        for method, n in tests.items()
    )
    head = f'<div id="ougi-frame" data-frame="{frame}">frame {frame}; {red} balls touch another</div>'
    titles = "<tr><th>method</th><th>tests</th><th>(root scale)</th></tr>"
    table = f'<table style="font-size:0.8em;width:100%">{titles}{rows}</table>'
    return f'<div style="padding:0.4em 0.8em">{head}{table}</div>'


class Gallery:
    """The page. A thread moves the world. Another number of balls restarts it."""

    def __init__(self, server: Any, number: int = 500) -> None:
        self._server, gui = server, server.gui
        gui.set_panel_label("ougi: SORT")
        self._number = gui.add_slider("balls", 50, 5000, 50, number)
        self._going = gui.add_checkbox("go on", True)
        self._list = gui.add_html("")
        server.initial_camera.position, server.initial_camera.look_at = (90.0, -150.0, 100.0), (0.0, 0.0, 0.0)
        server.initial_camera.near, server.initial_camera.far = 1.0, 2000.0
        corners = EDGE / 2 * np.array(list(itertools.product([-1.0, 1.0], repeat=3)))
        edges = [(i, j) for i, j in itertools.combinations(range(8), 2) if (i ^ j).bit_count() == 1]
        server.scene.add_line_segments("/cube", corners[np.array(edges)], (150, 150, 150), thickness=0.3)
        self._closed = threading.Event()
        self._restart(number)
        self._thread = threading.Thread(target=self._run_frames, name="ougi sort", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._closed.set()
        self._thread.join()

    def record(self, path: Path) -> Path:
        """Write a recording of 120 frames."""
        self.close()
        self._restart(500)
        table = render_html(count_all_methods(self.world), 0, int(mark_touching(self.world).sum()))
        beside = f"<b>ougi: SORT, 500 balls</b>{table}"

        def show(k: float) -> None:
            if k:
                self.world.step()
            self._move(mark_touching(self.world))

        return write_recording(self._server, np.arange(0.0, 121.0), 8.0, show, beside, path)

    def _restart(self, n: int) -> None:
        self.world, self.frame = BouncingBalls(n, seed=_SEED), 0
        (group,) = group_solids(list(self.world.balls[:1]), EDGE)
        self._balls = self._server.scene.add_batched_meshes_simple(
            "/balls",
            group.vertices,
            group.faces,
            np.tile([1.0, 0, 0, 0], (n, 1)),
            self.world.center,
            batched_scales=np.full(n, RADIUS),
            batched_colors=np.tile(_BLUE, (n, 1)),
            lod="off",
            cast_shadow=False,
            receive_shadow=False,
        )

    def draw(self) -> None:
        """Show positions, colours and counts of this frame."""
        red = mark_touching(self.world)
        with self._server.atomic():
            self._move(red)
            self._list.content = render_html(count_all_methods(self.world), self.frame, int(red.sum()))

    def _move(self, red: Bools) -> None:
        self._balls.batched_positions = self.world.center
        self._balls.batched_colors = np.where(red[:, None], _RED, _BLUE)

    def _run_frames(self) -> None:
        while not self._closed.wait(_PAUSE):
            if int(self._number.value) != len(self.world.center):
                self._restart(int(self._number.value))
                self.draw()
            elif self._going.value or self.frame == 0:
                self.world.step()
                self.frame += 1
                self.draw()
