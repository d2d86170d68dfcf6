"""FAN sec. 4.2: do wide boxes pass through bodies less often than long ones? A conjecture without a number.

FAN supposes that a box wider than long, which turns fast, passes through other bodies with a lower
probability than one that is longer than wide, so that its sector serves where it is needed. We draw FAN's
random motions (sec. 3.1) and points evenly in the exact sweep of each. A discrete test of the two end poses
misses a small body at a point that neither pose covers. The share of such points is the probability that a
small body is passed through.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.cli.tables import Table
from ougi.errors import InvalidInputError
from ougi.query import contains
from ougi.sweeps import sweep
from ougi_lab.reproduce import charts
from ougi_lab.reproduce.experiment import Claim, Figure, Outcome, evaluate
from ougi_lab.scenes.fan_motions import draw_fan_turns

GROUPS = 20
# Motions from which on the groups are judged.
ENOUGH = 1_000
_CHUNK = 100


def run(
    *,
    motions: int = 4_000,
    points: int = 2_000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Count the points of sweeps that no end pose covers.

    Parameters
    ----------
    motions
        Random motions.
    points
        Points that are drawn around each sweep.
    seed
        Decides motions and points.
    progress
        Called with the motions done and all motions.
    """
    for name, value in (("motions", motions), ("points", points)):
        if value < GROUPS:
            raise InvalidInputError(f"{name} must be at least {GROUPS}, got {value}")
    stretch, passed = [], []
    for first in range(0, motions, _CHUNK):
        size = min(_CHUNK, motions - first)
        found = measure_passed(size, points, np.random.default_rng([seed, first]))
        stretch.append(found[0])
        passed.append(found[1])
        if progress is not None:
            progress(first + size, motions)
    return build_outcome(
        {
            "motions": motions,
            "points": points,
            **group_shares(np.concatenate(stretch), np.concatenate(passed)),
        }
    )


def measure_passed(count: int, points: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Wy - Wx of random motions, and the share of their sweeps that no end pose covers, or NaN."""
    box, turn = draw_fan_turns(count, 0.0, rng)
    axis, out = turn.axis, box.center - turn.center
    lever = np.linalg.norm(out, axis=1)
    out, half = out / lever[:, None], box.size / 2
    # Evenly in a cylinder around the axis that holds the sweep.
    reach = np.hypot(lever + half[:, 1], half[:, 0])
    radius = reach * np.sqrt(rng.random((points, count)))
    angle, height = (
        rng.uniform(0, 2 * np.pi, (points, count)),
        half[:, 2] * rng.uniform(-1, 1, (points, count)),
    )
    around = np.cos(angle)[..., None] * out + np.sin(angle)[..., None] * np.cross(axis, out)
    places = turn.center + radius[..., None] * around + height[..., None] * axis
    swept = contains(sweep(box, turn), places)
    covered = contains(box, places) | contains(box.transformed(turn), places)
    total = np.count_nonzero(swept, axis=0)
    missed = np.count_nonzero(swept & ~covered, axis=0)
    return box.size[:, 1] - box.size[:, 0], np.where(total > 0, missed / np.maximum(total, 1), np.nan)


def group_shares(stretch: Floats, passed: Floats) -> dict[str, Any]:
    """Means in groups of equal size by Wy - Wx, and of wide, middle and long boxes."""
    order = np.argsort(stretch)

    def average(parts: int) -> list[list[float]]:
        return [
            [round(float(stretch[part].mean()), 3), round(float(np.nanmean(passed[part])), 5)]
            for part in np.array_split(order, parts)
        ]

    return {"groups": average(GROUPS), "thirds": average(3)}


def build_outcome(numbers: dict[str, Any]) -> Outcome:
    """Table, figure and verdict."""
    names = ("wide", "middle", "long")
    rows = tuple((name, x, 100 * share) for name, (x, share) in zip(names, numbers["thirds"], strict=True))
    x, shares = np.array(numbers["groups"]).T

    def draw(sheet: Any) -> None:
        axes = sheet.add_subplot()
        curves = {"covered by neither end pose": 100 * shares}
        charts.draw_lines(axes, x, curves, "Wy − Wx, mean of the group", "share of the sweep (%)")
        axes.set_ylim(0, 100)

    return Outcome(
        name="fan-width",
        title="How much of a sweep the end poses leave out, by the shape of the box (FAN 4.2)",
        parameters={"motions": numbers["motions"], "points around each sweep": numbers["points"]},
        tables=(
            Table("What a discrete test passes through", ("boxes", "mean Wy − Wx", "% of the sweep"), rows),
        ),
        figures=(
            Figure(
                "passed", "Points of the sweep that neither end pose covers", draw, ("Wy - Wx", "share"),
                tuple((float(a), float(b)) for a, b in zip(x, shares, strict=True)),
            ),
        ),
        verdicts=evaluate(_CLAIMS, numbers, paper="FAN", enough=numbers["motions"] >= ENOUGH),
        notes=("FAN states this as a supposition and has no number for it.",),
        numbers=numbers,
    )  # fmt: skip


def _list_thirds(numbers: dict[str, Any]) -> list[float]:
    return [share for _, share in numbers["thirds"]]


_CLAIMS: tuple[Claim[dict[str, Any]], ...] = (
    Claim(
        "a fast box that is wider than long passes through bodies less often than a long one",
        lambda n: _list_thirds(n)[0] < _list_thirds(n)[2],
        lambda n: (
            "{:.0%} of the sweep of wide boxes, {:.0%} of middle ones and {:.0%} of long ones lie in neither "
            "end pose".format(*_list_thirds(n))
        ),
        section="4.2",
        change="small turns alone, where both end poses overlap",
    ),
    Claim(
        "the sector gains most for boxes that are longer than wide",
        lambda n: _list_thirds(n)[2] > 0.5,
        lambda n: f"of long boxes {_list_thirds(n)[2]:.0%} of the sweep is left to it",
        section="4.2",
        binding=False,
        change="other random motions",
    ),
)
