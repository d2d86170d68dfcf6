"""What a frame of radars consists of, each part ready to be timed: two images and what is made of them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Floats, Ints
from ougi.errors import DeviceError, MissingExtraError
from ougi.radar import Meshes
from ougi.radar.gl import GlRadars, Views
from ougi.radar.published import ENTERED, LEFT, composed
from ougi.radar.scopes import drawn
from ougi_lab.measure import CLOCK


class Sizes(NamedTuple):
    """How much is measured; `radar.run` says what each means."""

    repeats: int
    polygons: int
    frames: int
    contacts: int


class Frame:
    """Radars of sensors that are about to move: ways and windows as `fitted` gives them, or wider ones.

    Sensor i is mesh i of `sensors`; bodies left_out[i] of the scene are not looked at.
    """

    def __init__(self, ways: Floats, windows: Floats, sensors: Meshes, scene: Meshes, left_out: Ints) -> None:
        self.ways, self.windows, self.sensors, self.scene = ways, windows, sensors, scene
        self.left_out = left_out
        n, every = len(ways), np.arange(len(sensors))
        # In one call, too, each looks at its own sensor alone.
        others = [np.delete(every, i) for i in range(n)]
        self.alone = np.array(others, np.int64).reshape((n, -1)) if len(sensors) > 1 else np.full((n, 1), -1)
        self.numbered = Meshes.__new__(Meshes)
        self.numbered.__dict__.update(sensors.__dict__, bodies=every, _packed=None)
        self.target()
        self.sensor()

    def target(self) -> None:
        """Draw the range scopes: RADAR's "Draw Target"."""
        self.near, self.face, self.starts = drawn(
            self.ways, self.windows, self.scene, self.left_out, facing=ENTERED
        )

    def sensor(self) -> None:
        """Draw the sensors: "Draw Sensor"."""
        from ougi.radar._draw import FARTHEST

        self.far, _, _ = drawn(
            self.ways, self.windows, self.numbered, self.alone, facing=LEFT, keeps=FARTHEST
        )

    def analysis(self) -> list[float]:
        """Look-at scopes and their least values; inf where no pixel sees both."""
        found = []
        for i, (start, stop) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            part = slice(start, stop)
            seen = composed(
                self.near[part], self.face[part], self.far[part], self.scene, self.ways[i], self.windows[i]
            )
            found.append(seen.distance)
        return found

    def views(self) -> list[Views]:
        """Both images as OpenGL draws them, of all radars at once."""
        seen = ~(self.scene.bodies[None, :, None] == self.left_out[:, None, :]).any(axis=2)
        own = np.eye(len(self.ways), len(self.sensors), dtype=bool)
        return [
            Views(self.ways, self.windows, self.scene, seen, ENTERED, False),
            Views(self.ways, self.windows, self.sensors, own, LEFT, True),
        ]


def opened() -> tuple[GlRadars | None, str]:
    """OpenGL's radars, or None and why there are none.

    Mesa's software renderer stays on the calling thread, so that its CPU time can be measured.
    """
    os.environ.setdefault("LP_NUM_THREADS", "0")
    try:
        radars = GlRadars()
    except (DeviceError, MissingExtraError) as error:
        return None, str(error)
    return radars, radars.renderer


def clock_of(renderer: str) -> Callable[[], float]:
    """CPU time of this thread if it draws itself; else the wall clock."""
    return CLOCK.now if "llvmpipe" in renderer else time.perf_counter


def rounded(x: Any) -> float:
    """Milliseconds of seconds, to what can be repeated."""
    return float(f"{1e3 * x:.3g}")
