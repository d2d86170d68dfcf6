"""Plain drawings of the papers' figures on matplotlib's axes, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ougi._typing import ArrayLike, Floats
from ougi.errors import MissingExtraError

# Red is a hit and blue is free, as in FAN sec. 2.8.
HIT, FREE, FAN, DARK, PALE = "#d73a2d", "#1f4e9c", "#f0c36a", "#222222", "#b9c4d6"
_DPI = 100


@dataclass(frozen=True)
class Drawing:
    """A title and what fills a matplotlib figure of a size in inches."""

    title: str
    draw: Callable[[Any], None]
    size: tuple[float, float] = (6.0, 3.6)

    def save(self, path: str | Path) -> Path:
        """Write FILE.png or FILE.svg; the path."""
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise MissingExtraError("plot", "drawing a picture") from error
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        sheet = Figure(figsize=self.size, layout="constrained")
        sheet.suptitle(self.title, fontsize=10)
        self.draw(sheet)
        sheet.savefig(path, dpi=_DPI, metadata={"Date": None} if path.suffix == ".svg" else None)
        return path


def add_panels(sheet: Any, titles: Sequence[str]) -> list[Any]:
    """Panels side by side, with equal scales and without axes."""
    panels = list(np.ravel(sheet.subplots(1, len(titles), squeeze=False)))
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(title, fontsize=9)
        axes.set_aspect("equal")
        axes.set_axis_off()
    return panels


def draw_line(axes: Any, points: ArrayLike, color: str = DARK, **style: Any) -> None:
    """Draw a line through points (n, 2)."""
    axes.plot(*np.asarray(points, np.float64).T, color=color, **{"lw": 1.4, **style})


def draw_disc(axes: Any, center: ArrayLike, radius: float, color: str = FREE, **style: Any) -> None:
    """Draw a disc."""
    from matplotlib.patches import Circle

    x, y = np.asarray(center, np.float64)
    axes.add_patch(Circle((float(x), float(y)), radius, **{"fc": color, "ec": DARK, "alpha": 0.6, **style}))
    axes.autoscale_view()


def draw_polygon(axes: Any, corners: ArrayLike, color: str = FREE, **style: Any) -> None:
    """Draw a polygon."""
    from matplotlib.patches import Polygon

    axes.add_patch(
        Polygon(np.asarray(corners, np.float64), **{"fc": color, "ec": DARK, "alpha": 0.5, **style})
    )
    axes.autoscale_view()


def draw_fan(axes: Any, inner: float, outer: float, low: float, high: float, **style: Any) -> None:
    """Draw a planar sector about the origin between two angles in degrees."""
    from matplotlib.patches import Wedge

    width = outer - inner if inner > 0 else None
    axes.add_patch(
        Wedge((0, 0), outer, low, high, width=width, **{"fc": FAN, "ec": DARK, "alpha": 0.7, **style})
    )
    axes.autoscale_view()


def draw_arrow(axes: Any, start: ArrayLike, end: ArrayLike, label: str = "", both: bool = False) -> None:
    """Draw an arrow, or a measure with two heads, and a label at its middle."""
    a, b = np.asarray(start, np.float64), np.asarray(end, np.float64)
    style = {"arrowstyle": "<->" if both else "->", "color": DARK, "lw": 1.1, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", b, a, arrowprops=style)
    axes.plot(*np.stack([a, b], axis=1), alpha=0.0)  # so that the limits include it
    if label:
        put_label(axes, (a + b) / 2, label)


def put_label(axes: Any, place: ArrayLike, text: str, dx: float = 4, dy: float = 4) -> None:
    """Write a short text beside a place."""
    x, y = np.asarray(place, np.float64)
    axes.annotate(text, (x, y), xytext=(dx, dy), textcoords="offset points", fontsize=10)
    axes.plot(x, y, alpha=0.0)  # so that the limits include it


def polar(radius: float, degrees: float) -> Floats:
    """A point by radius and angle."""
    return radius * np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def outline_rectangle(center: ArrayLike, size: ArrayLike, degrees: float = 0.0) -> Floats:
    """Corners of a turned rectangle."""
    x, y = polar(1.0, degrees), polar(1.0, degrees + 90)
    (w, h), c = np.asarray(size) / 2, np.asarray(center, np.float64)
    corners: Floats = np.array([c - w * x - h * y, c + w * x - h * y, c + w * x + h * y, c - w * x + h * y])
    return corners
