"""The parts of a frame of radars, each ready to be timed: two images and their analysis."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Floats, Ints
from ougi.errors import DeviceError, MissingExtraError
from ougi.radar import Meshes
from ougi.radar.detection import draw_images
from ougi.radar.gl import GlRadars, Views
from ougi.radar.published import compose_scopes
from ougi.radar.rasterizer import ENTERED, LEFT
from ougi_lab.measure import CLOCK


class RadarSizes(NamedTuple):
    """The amount of work; `radar.run` describes each field."""

    repeats: int
    polygons: int
    frames: int
    contacts: int


class RadarFrame:
    """Radars of sensors that are about to move, with windows that fit them or wider ones.

    Sensor i is mesh i of `sensors`; the bodies excluded[i] of the scene are ignored.
    """

    def __init__(
        self, paths: Floats, windows: Floats, sensors: Meshes, scene: Meshes, excluded: Ints
    ) -> None:
        self.paths, self.windows, self.sensors, self.scene = paths, windows, sensors, scene
        self.excluded = excluded
        n, every = len(paths), np.arange(len(sensors))
        # In one call, too, each radar sees its own sensor alone.
        others = [np.delete(every, i) for i in range(n)]
        self.alone = np.array(others, np.int64).reshape((n, -1)) if len(sensors) > 1 else np.full((n, 1), -1)
        self.numbered = Meshes.__new__(Meshes)
        self.numbered.__dict__.update(sensors.__dict__, bodies=every, _packed=None)
        self.draw_target()
        self.draw_sensor()

    def draw_target(self) -> None:
        """Draw the range scopes: RADAR's "Draw Target"."""
        self.near, self.face, self.starts = draw_images(
            self.paths, self.windows, self.scene, self.excluded, facing=ENTERED
        )

    def draw_sensor(self) -> None:
        """Draw the sensors: "Draw Sensor"."""
        from ougi.radar.rasterizer import FARTHEST

        self.far, _, _ = draw_images(
            self.paths, self.windows, self.numbered, self.alone, facing=LEFT, keeps=FARTHEST
        )

    def analyze(self) -> list[float]:
        """Return the minima of the look-at scopes; inf where no pixel sees both."""
        found = []
        for i, (start, stop) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            part = slice(start, stop)
            seen = compose_scopes(
                self.near[part], self.face[part], self.far[part], self.scene, self.paths[i], self.windows[i]
            )
            found.append(seen.distance)
        return found

    def build_views(self) -> list[Views]:
        """Both images as OpenGL draws them, of all radars at once."""
        seen = ~(self.scene.bodies[None, :, None] == self.excluded[:, None, :]).any(axis=2)
        own = np.eye(len(self.paths), len(self.sensors), dtype=bool)
        return [
            Views(self.paths, self.windows, self.scene, seen, ENTERED, False),
            Views(self.paths, self.windows, self.sensors, own, LEFT, True),
        ]


def open_radars() -> tuple[GlRadars | None, str]:
    """Return OpenGL's radars, or None and the reason.

    Mesa's software renderer stays on the calling thread, so that its CPU time can be measured.
    """
    os.environ.setdefault("LP_NUM_THREADS", "0")
    try:
        radars = GlRadars()
    except (DeviceError, MissingExtraError) as error:
        return None, str(error)
    return radars, radars.renderer


def choose_clock(renderer: str) -> Callable[[], float]:
    """Return the CPU clock of this thread if it draws itself, otherwise the wall clock."""
    return CLOCK.now if "llvmpipe" in renderer else time.perf_counter


def to_milliseconds(x: Any) -> float:
    """Convert seconds to milliseconds with three digits."""
    return float(f"{1e3 * x:.3g}")
