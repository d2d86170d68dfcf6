"""The gallery of SORT: balls fly about in a cube; how many pairs does each method test?

The scene of SORT sec. 4.2 (`ougi_lab.scenes.bouncing`). Balls that touch another are red.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from ougi._typing import Bools
from ougi.broad import candidate_pairs, count_tests
from ougi.plot.panel import BLUE, FAN, RED
from ougi.viewer.record import write_recording
from ougi.viewer.solids import group_solids
from ougi.viewer.stage import parse_color
from ougi_lab.galleries.pages import MovedPage, add_bodies, render_table
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
    return render_table(frame, f"{red} balls touch another", ("method", "tests", "(root scale)"), rows)


class Gallery(MovedPage):
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
        self._restart(number)
        self._start("ougi sort")

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
        self._balls = add_bodies(self._server, "/balls", group, self.world.center, np.full(n, RADIUS), _BLUE)

    def draw(self) -> None:
        """Show positions, colours and counts of this frame."""
        red = mark_touching(self.world)
        with self._server.atomic():
            self._move(red)
            self._list.content = render_html(count_all_methods(self.world), self.frame, int(red.sum()))

    def _move(self, red: Bools) -> None:
        self._balls.batched_positions = self.world.center
        self._balls.batched_colors = np.where(red[:, None], _RED, _BLUE)

    def _restart_if_changed(self) -> bool:
        changed = int(self._number.value) != len(self.world.center)
        if changed:
            self._restart(int(self._number.value))
        return changed

    def _step(self) -> None:
        self.world.step()
