"""Pictures of shapes, motions and contacts, in the plane and in space, as in FAN sec. 2.8.

Targets that are hit are red, free ones blue; the x, y and z axes red, green and blue, the xy plane a grid.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path

from ougi._typing import Foreign
from ougi.errors import MissingExtraError
from ougi.plot.camera import Camera
from ougi.plot.panel import TEXT, Panel
from ougi.plot.plane import Plane
from ougi.plot.space import Space

_DPI = 130
_SCREEN_DPI = 80  # in notebooks, where files should be small


class Picture:
    """A sheet with one or several panels side by side, in the plane or in space.

    Parameters
    ----------
    title
        Stands above the panels.
    size
        Width and height of a panel in inches.

    >>> import math, ougi
    >>> from ougi.plot import Picture
    >>> fan = ougi.Sector2d([0, 0], [1, 1], math.pi / 4, 1, 3)
    >>> discs = ougi.Circle([[2, 1], [-1, 2]], 0.5)
    >>> picture = Picture("A fan and two discs")
    >>> panel = picture.plane()
    >>> panel.draw(fan, color="orange", alpha=0.3, label="fan")
    >>> panel.draw(discs, hit=ougi.intersects(fan, discs))
    >>> picture.save("fan.png").name
    'fan.png'
    """

    def __init__(self, title: str = "", *, size: tuple[float, float] = (6.4, 5.2)) -> None:
        try:
            from matplotlib.figure import Figure
            from matplotlib.layout_engine import ConstrainedLayoutEngine
        except ImportError as error:
            raise MissingExtraError("plot", "drawing a picture") from error
        self.figure: Foreign = Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
        self.panels: list[Panel] = []
        self._size = size
        self._finished = False
        if title:
            self.figure.suptitle(title, fontsize=TEXT + 2.5)

    def plane(self, caption: str = "") -> Plane:
        """A further panel for shapes of the plane."""
        panel = Plane(self._axes(), caption)
        self.panels.append(panel)
        return panel

    def space(self, caption: str = "", *, camera: Camera | None = None) -> Space:
        """A further panel for shapes of space, seen by a camera; `ABOVE` makes it a plan."""
        panel = Space(self._axes(), caption, camera or Camera())
        self.panels.append(panel)
        return panel

    def save(self, path: str | Path) -> Path:
        """Write the picture to FILE.png, FILE.svg or what else matplotlib writes; the path.

        What is drawn after the first call is not shown.
        """
        from matplotlib import rc_context

        path = Path(path)
        if not self._finished:
            self._finish()
        path.parent.mkdir(parents=True, exist_ok=True)
        # Without a date and random names in it the same picture is the same file.
        dated = {"Date": None} if path.suffix == ".svg" else None
        with rc_context({"svg.hashsalt": "ougi"}):
            self.figure.savefig(path, dpi=_DPI, metadata=dated)
        return path

    def _repr_png_(self) -> bytes:
        """The picture in a notebook."""
        return self.to_png()

    def to_png(self) -> bytes:
        """The bytes of a PNG file. What is drawn after the first call is not shown."""
        if not self._finished:
            self._finish()
        file = io.BytesIO()
        self.figure.savefig(file, format="png", dpi=_SCREEN_DPI)
        return file.getvalue()

    def to_html(self) -> str:
        """The picture as an image in HTML, without any file."""
        return f'<img src="data:image/png;base64,{base64.b64encode(self.to_png()).decode()}">'

    def _finish(self) -> None:
        self._finished = True
        entries: dict[str, Foreign] = {}
        for panel in self.panels:
            panel.finish()
            entries |= panel.entries
        if entries:
            self.figure.legend(
                handles=list(entries.values()),
                labels=list(entries),
                loc="outside lower center",
                ncols=min(len(entries), 3 + 2 * len(self.panels)),
                fontsize=TEXT,
                frameon=False,
                columnspacing=1.4,
                handletextpad=0.5,
            )
        self.figure.draw_without_rendering()  # texts have places now
        for panel in self.panels:
            panel.spread_notes()

    def _axes(self) -> Foreign:
        """New axes to the right of the others, which make room."""
        count = len(self.panels) + 1
        grid = self.figure.add_gridspec(1, count)
        for k, panel in enumerate(self.panels):
            panel.axes.set_subplotspec(grid[0, k])
        self.figure.set_size_inches(self._size[0] * count, self._size[1])
        return self.figure.add_subplot(grid[0, count - 1])
