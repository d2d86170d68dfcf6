"""FAN2D sec. 3.1, 3.2: a rectangle turns 1° to 180° in one frame among 100 x 100 squares; which are hit?

FAN2D counts the squares hit by its sector, by speculative CCD (the box around both end poses) and by
RotatedBox, the rectangle itself at 0°, 1°, ..., k°, which is its reference. It prints curves without numbers
and gives no sizes; those below are ours, in pixels of a window of 1000. We count with FAN2D's test of
sec. 2.3 (errata repaired) and with exact tests, and add the exact sweep as a second reference.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.cli.tables import Table
from ougi.errors import InvalidInputError
from ougi.motion import Rotation2d
from ougi.query import intersects
from ougi.shapes import Rectangle
from ougi.sweeps import sweep
from ougi_lab.reproduce import charts
from ougi_lab.reproduce.experiment import Claim, Figure, Outcome, evaluate

WINDOW = 1000.0
SIZE = (300.0, 40.0)  # Wy along the radius, Wx across
LEVER = 250.0  # from the pivot to the rectangle's middle: r = 100, R = 400
FILLED = 0.8  # of the pitch of the grid is square, the rest is gap

METHODS = {"sector": "sector", "speculative": "S-CCD"}
REFERENCES = {"rotated_box": "RotatedBox", "exact": "exact sweep"}
_WORDS = {
    "simultaneous": "hit in common with RotatedBox",
    "excess": "in excess",
    "missed": "missed",
    "wrong": "wrong (excess + missed)",
}
COUNTS = tuple(_WORDS)
_SHOWN = (1, 10, 20, 45, 90, 120, 150, 180)  # degrees, in the table
_DIFFERENCE = 120  # degrees, in figure 3.2

# Smaller than this share of the other method's difference counts as "not much" beside "clearly" (fig 3.1).
_SMALL_SHARE = 0.25
# The sector keeps its accuracy if its wrong squares vary by no more than this share of their mean.
_STEADY = 0.25


def build_grid(side: int) -> Rectangle:
    """side x side squares that fill the window, with the pivot in the middle."""
    pitch = WINDOW / side
    places = (np.arange(side) - (side - 1) / 2) * pitch
    centers = np.stack(np.meshgrid(places, places), axis=-1).reshape((-1, 2))
    return Rectangle(centers, [FILLED * pitch] * 2)


def place_rectangle(start: float) -> Rectangle:
    """The rectangle at the start, turned by `start` degrees about the pivot."""
    return Rectangle([LEVER, 0], SIZE).transformed(Rotation2d([0, 0], np.radians(start)))


def find_hits(squares: Rectangle, start: float, degrees: Ints) -> dict[str, Bools]:
    """Method or reference -> which squares (columns) it hits at which angle (rows)."""
    body = place_rectangle(start)
    turns = Rotation2d([0, 0], np.radians(degrees))
    whole = Rotation2d([0, 0], np.radians(np.arange(degrees.max() + 1)))
    touched = np.logical_or.accumulate(intersects(body.transformed(whole)[:, None], squares))
    return {
        "sector": intersects(sweep(body, turns, "sector")[:, None], squares, method="published-fan2d"),
        "speculative": intersects(sweep(body, turns, "speculative-start-end")[:, None], squares),
        "rotated_box": touched[degrees],
        "exact": intersects(sweep(body, turns)[:, None], squares),
    }


def count_hits(found: dict[str, Bools]) -> dict[str, Ints]:
    """Column -> squares at each angle; `sector_wrong_exact` and the like are against a reference."""
    columns = {name: np.count_nonzero(hit, axis=1) for name, hit in found.items()}
    for reference in REFERENCES:
        truth = found[reference]
        for method in METHODS:
            hit = found[method]
            groups = (hit & truth, hit & ~truth, ~hit & truth, hit != truth)
            for name, group in zip(COUNTS, groups, strict=True):
                columns[f"{method}_{name}_{reference}"] = np.count_nonzero(group, axis=1)
    return columns


def run(
    *,
    side: int = 100,
    step: int = 1,
    start: float = 0.0,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Count the squares hit at every angle.

    Parameters
    ----------
    side
        Squares along an edge of the window.
    step
        Degrees between the angles that are counted; RotatedBox turns by 1° in any case.
    start
        Degrees by which the rectangle is turned at the start; the box of S-CCD depends on it.
    progress
        Called with the angles done and all angles.
    """
    if not (1 <= side <= 1000 and 1 <= step <= 60):
        raise InvalidInputError(f"side must lie in 1..1000 and step in 1..60, got {side} and {step}")
    if not np.isfinite(start):
        raise InvalidInputError(f"start must be finite, got {start}")
    squares = build_grid(side)
    degrees = np.unique(np.append(np.arange(step, 181, step), 180))
    parts: list[dict[str, Ints]] = []
    for k in range(0, len(degrees), 20):  # for progress, and to save memory
        parts.append(count_hits(find_hits(squares, start, degrees[k : k + 20])))
        if progress is not None:
            progress(min(k + 20, len(degrees)), len(degrees))
    columns = {name: np.concatenate([part[name] for part in parts]).tolist() for name in parts[0]}
    return build_outcome(
        {"side": side, "start": float(start), "step": step, "degrees": degrees.tolist(), "counts": columns}
    )


def build_outcome(numbers: dict[str, Any]) -> Outcome:
    """Table, figures and verdicts."""
    side, start = numbers["side"], numbers["start"]
    degrees = np.array(numbers["degrees"])
    columns = {name: np.array(counts) for name, counts in numbers["counts"].items()}
    max_missed = int(np.max(columns["exact"] - columns["rotated_box"]))
    return Outcome(
        name="fan2d",
        title="Squares hit by a turning rectangle (FAN2D 3.1, 3.2)",
        parameters={
            "squares": side * side,
            "edge of a square (px)": FILLED * WINDOW / side,
            "rectangle (px)": f"{SIZE[0]:g} x {SIZE[1]:g}, its middle {LEVER:g} from the pivot",
            "start (degrees)": start,
            "angles": f"{degrees[0]}° to 180°, every {numbers['step']}°",
        },
        tables=(_build_table(degrees, columns),),
        figures=_build_figures(degrees, columns, start),
        verdicts=evaluate(
            _CLAIMS,
            _Wrong(side, start, degrees, columns),
            paper="FAN2D",
            enough=side >= 100 and numbers["step"] <= 2,
        ),
        notes=(
            "FAN2D gives neither sizes nor numbers, so only the shapes of curves can be compared. Sizes are "
            "ours.",
            "The sector is part of the sweep, so all of its errors are missed squares. They lie at both "
            "ends and at the outer rim, where the width of the rectangle counts (figure 3.2).",
            f"RotatedBox turns in steps of 1°. It misses {max_missed or 'none'} of the squares of the exact "
            "sweep. Figures 3.3 to 3.6 compare with RotatedBox alone, the CSV files with both.",
        ),
        numbers=numbers,
    )


def _build_table(degrees: Ints, c: dict[str, Ints]) -> Table:
    shown = [i for i, degree in enumerate(degrees) if degree in _SHOWN]
    names = ("rotated_box", "exact", "sector", "speculative")
    wrong = [f"{method}_wrong_{reference}" for reference in REFERENCES for method in METHODS]
    rows = tuple((int(degrees[i]), *(int(c[name][i]) for name in (*names, *wrong))) for i in shown)
    headings = [f"{method} wrong{mark}" for mark in ("", "*") for method in METHODS.values()]
    return Table(
        "Figures 3.1 and 3.6 at some angles: squares hit, and wrong answers",
        ("degrees", "RotatedBox", "exact sweep", "sector", "S-CCD", *headings),
        rows,
        (
            "The paper prints no numbers for these. wrong: excess + missed against RotatedBox, FAN2D's "
            "reference; wrong*: against the exact sweep.",
        ),
    )


@dataclass(frozen=True)
class _Wrong:
    """Wrong squares by FAN2D's reference, and what the claims are about."""

    side: int
    start: float
    degrees: Ints
    counts: dict[str, Ints]

    def count_wrong(self, method: str) -> Ints:
        """Wrong squares of a method at each angle."""
        return self.counts[f"{method}_wrong_rotated_box"]

    def max_difference(self, method: str) -> int:
        """Of the number of squares hit, over all angles."""
        return int(np.abs(self.counts[method] - self.counts["rotated_box"]).max())

    def thirds(self) -> list[float]:
        """Mean wrong squares of S-CCD up to 60°, 120° and 180°."""
        wrong, third = self.count_wrong("speculative"), (self.degrees - 1) // 60
        return [float(wrong[third == k].mean()) for k in range(3)]

    def lost_angles(self) -> Ints:
        """Angles at which the sector is not better than S-CCD."""
        return self.degrees[self.count_wrong("sector") >= self.count_wrong("speculative")]

    def excess(self) -> int:
        """Squares that the sector hits and the exact sweep does not."""
        return int(self.counts["sector_excess_exact"].sum())


_CLAIMS: tuple[Claim[_Wrong], ...] = (
    Claim(
        "the hits of sector and RotatedBox differ little, those of S-CCD clearly (fig 3.1)",
        lambda w: w.max_difference("sector") <= _SMALL_SHARE * w.max_difference("speculative"),
        lambda w: (
            f"by at most {w.max_difference('sector'):,} and {w.max_difference('speculative'):,} of "
            f"{w.side**2:,} squares"
        ),
        section="3.2",
        change="a rectangle wider than long",
    ),
    Claim(
        "S-CCD gets worse with the angle (figs 3.3-3.6)",
        lambda w: all(a < b for a, b in pairwise(w.thirds())),
        lambda w: (
            "wrong squares on average, up to 60°, 120°, 180°: " + ", ".join(f"{x:.0f}" for x in w.thirds())
        ),
        section="3.2",
        change="the box of the whole sweep instead of that of both ends",
    ),
    Claim(
        "the sector stays as accurate at every angle (figs 3.3-3.6)",
        lambda w: bool(np.ptp(w.count_wrong("sector")) / w.count_wrong("sector").mean() <= _STEADY),
        lambda w: (
            f"{w.count_wrong('sector').min()} to {w.count_wrong('sector').max()} wrong squares of the sector"
        ),
        section="3.2",
        change="a share of the sweep instead of a number of squares: then small angles are worse, as in FAN",
    ),
    Claim(
        "the sector is more accurate than S-CCD",
        lambda w: bool(w.count_wrong("sector").mean() < w.count_wrong("speculative").mean()),
        lambda w: (
            f"{w.count_wrong('sector').mean():.0f} against {w.count_wrong('speculative').mean():.0f} wrong "
            "squares, mean over "
            "all angles"
        ),
        section="4",
        change="small angles alone",
    ),
    Claim(
        "the sector is more accurate than S-CCD at every single angle (not claimed by FAN2D)",
        lambda w: not len(w.lost_angles()),
        lambda w: (
            (
                f"S-CCD is as good or better up to {w.lost_angles().max()}°"
                if len(w.lost_angles())
                else "at all angles"
            )
            + f", for a start at {w.start:g}°"
        ),
        binding=False,
        paper="ours",
    ),
    Claim(
        "what the sector misses lies at both ends and the outer rim (fig 3.2): it reports nothing in excess",
        lambda w: int(w.counts["sector_excess_rotated_box"].max()) <= 2,
        lambda w: f"at most {int(w.counts['sector_excess_rotated_box'].max())} squares in excess at an angle",
        section="3.2",
        change="steps of RotatedBox larger than 1°",
    ),
    Claim(
        "excess of S-CCD grows with the angle, the sector has hardly any (fig 3.4)",
        lambda w: (
            w.counts["speculative_excess_rotated_box"][-1] > w.counts["speculative_excess_rotated_box"][0]
            and int(w.counts["sector_excess_rotated_box"].max()) <= 2
        ),
        lambda w: (
            f"S-CCD {int(w.counts['speculative_excess_rotated_box'][0])} to "
            f"{int(w.counts['speculative_excess_rotated_box'].max())} squares"
        ),
        paper="ours",
        change="a start at which the box of both ends happens to be tight",
    ),
    Claim(
        "S-CCD misses squares too (fig 3.5)",
        lambda w: int(w.counts["speculative_missed_rotated_box"].max()) > 0,
        lambda w: (
            f"up to {int(w.counts['speculative_missed_rotated_box'].max()):,} squares, the sector up to "
            f"{int(w.counts['sector_missed_rotated_box'].max()):,}"
        ),
        paper="ours",
        binding=False,
        change="turns below 90°, in which the box of both ends holds the whole sweep",
    ),
    Claim(
        "the sector hits nothing that the sweep does not (ours)",
        lambda w: w.excess() == 0,
        lambda w: f"{w.excess()} squares in excess",
    ),
)


def _build_figures(degrees: Ints, c: dict[str, Ints], start: float) -> tuple[Figure, ...]:
    def figure(name: str, title: str, curves: dict[str, str], columns: tuple[str, ...]) -> Figure:
        table = zip(degrees.tolist(), *(c[column].tolist() for column in columns), strict=True)

        def draw(sheet: Any) -> None:
            axes = sheet.add_subplot()
            shown = {label: c[column] for column, label in curves.items()}
            charts.draw_lines(axes, degrees, shown, "rotation in one frame (degrees)", title.split(": ")[1])
            axes.set_xlim(0, 182)
            axes.set_xticks(range(0, 181, 30))
            axes.set_ylim(bottom=-0.02 * axes.get_ylim()[1])  # so that a curve at 0 is visible

        return Figure(name, title, draw, ("degrees", *columns), tuple(table))

    hit = {"sector": "sector", "speculative": "S-CCD", "rotated_box": "RotatedBox", "exact": "exact sweep"}
    difference = Figure(
        "figure-3-2",
        f"Figure 3.2: what the sector misses of a turn by {_DIFFERENCE}°",
        functools.partial(_draw_difference, start=start),
    )
    drawn = [figure("figure-3-1", "Figure 3.1: squares hit", hit, tuple(c)), difference]
    for number, count in enumerate(COUNTS, 3):
        # FAN2D's reference alone is drawn: the curves by the exact sweep would hide behind these.
        curves = {f"{method}_{count}_rotated_box": label for method, label in METHODS.items()}
        columns = (*curves, *(f"{method}_{count}_exact" for method in METHODS))
        title = f"Figure 3.{number}: squares {_WORDS[count]}"
        drawn.append(figure(f"figure-3-{number}", title, curves, columns))
    return tuple(drawn)


def _draw_difference(sheet: Any, start: float) -> None:
    """The sweep, and the sector upon it: what remains in sight is the difference."""
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch, Polygon, Wedge

    sheet.set_size_inches(6.4, 5.2)
    axes = sheet.add_subplot()
    body = place_rectangle(start)
    poses = body.transformed(Rotation2d([0, 0], np.radians(np.linspace(0, _DIFFERENCE, 481))))
    corners = _find_corners(poses)
    axes.add_collection(PolyCollection(list(corners), facecolor="#9cc9ec", edgecolor="#9cc9ec", lw=0.3))
    inner, outer = LEVER - SIZE[0] / 2, LEVER + SIZE[0] / 2
    fan = Wedge(
        (0, 0), outer, start, start + _DIFFERENCE, width=outer - inner, fc="#f4dba9", ec="#8a5a00", lw=1.2
    )
    axes.add_patch(fan)
    for end in (corners[0], corners[-1]):
        axes.add_patch(Polygon(end, fc="none", ec="#222222", lw=1.2, ls="--"))
    axes.plot(0, 0, "k+", ms=9)
    axes.annotate("pivot", (0, 0), xytext=(6, -12), textcoords="offset points")
    axes.set_aspect("equal")
    axes.set_xlabel("x (px)")
    axes.set_ylabel("y (px)")
    axes.margins(0.05)
    axes.autoscale_view()
    legend = [
        Patch(fc="#9cc9ec", label="swept, but not in the sector"),
        Patch(fc="#f4dba9", ec="#8a5a00", label="sector"),
        Patch(fc="none", ec="#222222", ls="--", label="rectangle at start and end"),
    ]
    sheet.legend(handles=legend, loc="outside lower center", ncols=3, frameon=False)


def _find_corners(rectangles: Rectangle) -> Floats:
    """Corners (n, 4, 2), in order around each rectangle."""
    x, y = rectangles._axes()
    half = rectangles.size / 2
    a, b = x * half[:, :1], y * half[:, 1:]
    middle = rectangles.center
    corners: Floats = np.stack([middle - a - b, middle + a - b, middle + a + b, middle - a + b], axis=1)
    return corners
