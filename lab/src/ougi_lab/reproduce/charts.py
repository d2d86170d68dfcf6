"""Curves, boxes and bars that differ in grey too: by dashes, markers and hatches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ougi._typing import ArrayLike

# Color, dashes, marker: dark and light in turn.
_LINES = (
    ("#1f4e9c", "-", "o"),
    ("#e3a02b", "--", "s"),
    ("#222222", ":", "^"),
    ("#d73a2d", "-.", "D"),
    ("#2e8b57", (0, (7, 2)), "v"),
    ("#8e6bb5", (0, (1, 1)), "P"),
)
_HATCHES = ("", "//", "..", "xx")
_FILLS = ("#1f4e9c", "#e3a02b", "#b9b9b9", "#d73a2d")


def draw_lines(axes: Any, x: ArrayLike, curves: Mapping[str, ArrayLike], xlabel: str, ylabel: str) -> None:
    """Draw curves over one x, with about ten markers on each."""
    every = max(1, len(x) // 10)  # type: ignore[arg-type]
    for k, (name, y) in enumerate(curves.items()):
        color, dashes, marker = _LINES[k % len(_LINES)]
        # Markers of different curves start at different places, so that equal curves show both.
        place = ((k * every) // max(1, len(curves)), every)
        axes.plot(x, y, color=color, ls=dashes, marker=marker, markevery=place, ms=4.5, lw=1.6, label=name)
    style_axes(axes, xlabel, ylabel)
    axes.legend(frameon=False, handlelength=3.2)


def draw_boxes(axes: Any, quartiles: Mapping[str, Sequence[float]], xlabel: str) -> None:
    """Draw horizontal box plots on a logarithmic scale, with whiskers from the best to the worst.

    Drawn by hand, because the arguments for horizontal boxes differ between versions of matplotlib.

    Parameters
    ----------
    quartiles
        Name -> best, first quartile, median, third quartile, worst.
    """
    from matplotlib.ticker import FuncFormatter

    for row, (low, first, middle, third, high) in enumerate(quartiles.values()):
        axes.plot([low, high], [row, row], "|-", color="#555555", ms=9, lw=1)
        axes.barh(row, third - first, left=first, height=0.5, color="#d5e0f0", edgecolor="#1f4e9c", zorder=3)
        axes.plot([middle, middle], [row - 0.25, row + 0.25], color="black", lw=1.8, zorder=4)
    axes.use_sticky_edges = False  # a margin after the last box
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.set_yticks(range(len(quartiles)), list(quartiles))
    axes.invert_yaxis()
    style_axes(axes, xlabel, "")
    axes.grid(axis="y", visible=False)


def draw_ranges(axes: Any, published: Mapping[int, tuple[float, float, float]], label: str) -> None:
    """Draw published means, bests and worsts in the rows of the boxes."""
    style = {"mfc": "white", "mec": "#d73a2d", "ms": 5.5, "mew": 1.3, "zorder": 5}
    for k, (row, (mean, best, worst)) in enumerate(published.items()):
        axes.plot([best, worst], [row, row], ":", color="#d73a2d", lw=1.3, zorder=2)
        axes.plot(mean, row, "D:", color="#d73a2d", label=label if k == 0 else None, **style)


def draw_bars(
    axes: Any, names: Sequence[str], parts: Mapping[str, Sequence[float]], xlabel: str, notes: Sequence[str]
) -> None:
    """Horizontal bars of stacked parts, the first name on top, with a note behind each."""
    left = [0.0] * len(names)
    for k, (name, values) in enumerate(parts.items()):
        axes.barh(
            range(len(names)),
            values,
            left=left,
            height=0.65,
            color=_FILLS[k],
            hatch=_HATCHES[k],
            edgecolor="white",
            label=name,
        )
        left = [a + b for a, b in zip(left, values, strict=True)]
    for row, (end, note) in enumerate(zip(left, notes, strict=True)):
        place = {"xytext": (5, 0), "textcoords": "offset points", "va": "center", "fontsize": 8.5}
        axes.annotate(note, (end, row), bbox={"fc": "white", "ec": "none", "pad": 1}, **place)
    axes.set_yticks(range(len(names)), list(names))
    axes.invert_yaxis()
    axes.set_xlim(0, 1.28 * max([*left, 1e-9]))
    style_axes(axes, xlabel, "")
    axes.grid(axis="y", visible=False)


def draw_stacks(
    axes: Any,
    groups: Mapping[str, Sequence[Sequence[float]]],
    parts: Sequence[str],
    xlabel: str,
    ylabel: str,
    last: tuple[str, float] | None = None,
) -> None:
    """Groups of upright bars, each of stacked parts, and perhaps one bar more at the right.

    Parameters
    ----------
    groups
        Name -> bars, each the heights of its parts.
    parts
        Names of the parts, from below.
    last
        Name and height of the bar at the right.
    """
    max_bars = max(len(bars) for bars in groups.values())
    width = 0.8 / max_bars
    for k, part in enumerate(parts):
        x, heights, below = [], [], []
        for g, bars in enumerate(groups.values()):
            x += [g + (b - (len(bars) - 1) / 2) * width for b in range(len(bars))]
            heights += [bar[k] for bar in bars]
            below += [sum(bar[:k]) for bar in bars]
        axes.bar(
            x, heights, 0.9 * width, bottom=below, color=_FILLS[k], hatch=_HATCHES[k], edgecolor="white",
            lw=0.4, label=part,
        )  # fmt: skip
    names = list(groups)
    if last is not None:
        axes.bar(len(names), last[1], 0.5, color=_FILLS[3], label="normal draw")
        names.append(last[0])
    axes.set_xticks(range(len(names)), names)
    style_axes(axes, xlabel, ylabel)
    axes.grid(axis="x", visible=False)


def style_axes(axes: Any, xlabel: str, ylabel: str) -> None:
    """Set labels and a faint grid, and hide the frame above and to the right."""
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.grid(color="#e4e4e4", lw=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
