"""FAN sec. 4.4: the sector as a filter before the exact test. FAN supposes that it pays; here it is measured.

Boxes that turn as in sec. 3.1 fly among many bodies at rest. A filter tests all pairs by a simple shape in
place of the sweep. The remaining pairs get the exact test, the first contact. We count the pairs left and
those lost although they touch, and take the time of all together, on one thread. FAN names speculative
CCD as the rival; the box around the whole sweep, which loses nothing, is measured too. AABBs are tested
against the bodies' own AABBs, as broad phases do, and against balls themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from ougi._native import one_thread
from ougi._typing import Bools, Ints
from ougi.cli.tables import Table
from ougi.errors import InvalidInputError
from ougi.impact import time_of_impact
from ougi.motion import Rotation3d
from ougi.query import intersects
from ougi.shapes import Box, Shape, Sphere
from ougi.sweeps import BoxMethod, Method, sweep
from ougi_lab.measure import CLOCK
from ougi_lab.reproduce import charts
from ougi_lab.reproduce.experiment import Claim, Figure, Outcome, evaluate
from ougi_lab.scenes.fan_motions import draw_fan_turns

SPREAD = 75.0  # half the edge of the cube in which pivots and bodies lie
RADIUS = (1.0, 5.0)  # of the balls; the boxes' edges are twice as long


@dataclass(frozen=True)
class Filter:
    """Shapes that a pair must touch, one after the other, to be left; as in `ougi.sweep`."""

    label: str
    stages: tuple[Method, ...] = ()


FILTERS = (
    Filter("no filter"),
    Filter("S-CCD: AABB of both ends", ("speculative-start-end",)),
    Filter("S-CCD: AABB as in PhysX", ("speculative-inflated",)),
    Filter("AABB of the whole sweep", ("speculative-ideal",)),
    Filter("sector as published", ("sector",)),
    Filter("sector, balanced", ("sector-balanced",)),
    Filter("sector, enclosing", ("sector-enclosing",)),
    Filter("AABB of the sweep, then enclosing", ("speculative-ideal", "sector-enclosing")),
)
# Two stages: what a broad phase would do.
_NONE, _SPECULATIVE, _, _WHOLE, _PUBLISHED, _, _ENCLOSING, _BOTH = range(len(FILTERS))


@dataclass(frozen=True)
class FilterRow:
    """The result of a filter; seconds are medians."""

    left: int
    lost: int
    build: float
    test: float
    exact: float

    @property
    def total(self) -> float:
        return self.build + self.test + self.exact


def draw_bodies(kind: type[Shape], n: int, rng: np.random.Generator) -> Shape:
    """Draw n balls or boxes in the cube."""
    middle = rng.uniform(-SPREAD, SPREAD, (n, 3))
    if kind is Sphere:
        return Sphere(middle, rng.uniform(*RADIUS, n))
    quaternion = rng.normal(size=(n, 4))
    quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
    return Box(middle, rng.uniform(2 * RADIUS[0], 2 * RADIUS[1], (n, 3)), quaternion)


def apply_filter(
    chosen: Filter, box: Box, turn: Rotation3d, targets: Shape, bounds: Shape
) -> tuple[Ints | None, float, float]:
    """Index pairs that a filter leaves (None: all), and the seconds to build its shapes and to test them."""
    build = test = 0.0
    index: Ints | None = None
    for method in chosen.stages:
        begun = CLOCK.now()
        around = sweep(box, turn, method)
        built = CLOCK.now()
        against = bounds if method in get_args(BoxMethod) else targets
        if index is None:
            index = np.argwhere(intersects(around[:, None], against))
        else:
            index = index[intersects(around, against, pairs=index)]
        build, test = build + built - begun, test + CLOCK.now() - built
    return index, build, test


def find_touching(box: Box, turn: Rotation3d, targets: Shape, index: Ints | None) -> Bools:
    """Which of the pairs touch, by their first contact; of all pairs, (movers, bodies), without an index."""
    if index is None:
        status = time_of_impact(box[:, None], turn[:, None], targets).status
    else:
        status = time_of_impact(box, turn, targets, pairs=index).status
    touch: Bools = status > 0  # an undecided pair counts, because it is not certified free
    return touch


def measure_filter(chosen: Filter, box: Box, turn: Rotation3d, targets: Shape, truth: Bools) -> FilterRow:
    """One pass of a filter and the exact test behind it."""
    bounds = targets if isinstance(targets, Sphere) else targets.bounds()  # at rest: not built anew
    index, build, test = apply_filter(chosen, box, turn, targets, bounds)
    begun = CLOCK.now()
    hit = find_touching(box, turn, targets, index)
    exact = CLOCK.now() - begun
    left = truth.size if index is None else len(index)
    return FilterRow(left, int(np.count_nonzero(truth) - np.count_nonzero(hit)), build, test, exact)


def run(
    *,
    movers: int = 200,
    count: int = 5_000,
    repeats: int = 9,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Filter and test all pairs of turning boxes and bodies, first balls, then boxes.

    Parameters
    ----------
    movers, count
        Turning boxes, and bodies at rest.
    repeats
        Passes of each filter, in turn; times are medians.
    seed
        Decides boxes and bodies.
    progress
        Called with the passes done and all passes.
    """
    for name, value in (("movers", movers), ("count", count), ("repeats", repeats)):
        if value < 1:
            raise InvalidInputError(f"{name} must be positive, got {value}")
    rng = np.random.default_rng(seed)
    box, turn = draw_fan_turns(movers, SPREAD, rng)
    kinds: dict[str, type[Shape]] = {"balls": Sphere, "boxes": Box}
    total, done = len(kinds) * (repeats + 1) * len(FILTERS), 0
    found: dict[str, list[dict[str, Any]]] = {}
    touch: dict[str, int] = {}
    with one_thread():
        for kind, cls in kinds.items():
            targets = draw_bodies(cls, count, rng)
            truth = find_touching(box, turn, targets, None)
            touch[kind] = int(np.count_nonzero(truth))
            rounds = []
            for _ in range(repeats + 1):  # the first compiles and is not counted
                rounds.append([measure_filter(chosen, box, turn, targets, truth) for chosen in FILTERS])
                done += len(FILTERS)
                if progress is not None:
                    progress(done, total)
            found[kind] = [vars(_take_medians(rows)) for rows in zip(*rounds[1:], strict=True)]
    counts = {"movers": movers, "count": count, "repeats": repeats}
    return build_outcome({**counts, "clock": CLOCK.name, "touch": touch, "rows": found})


def build_outcome(numbers: dict[str, Any]) -> Outcome:
    """Tables, figures and verdicts."""
    touch, pairs = numbers["touch"], numbers["movers"] * numbers["count"]
    found = {kind: [FilterRow(**row) for row in rows] for kind, rows in numbers["rows"].items()}
    return Outcome(
        name="fan-filter",
        title="The sector as a filter before the exact test (FAN 4.4)",
        parameters={
            "turning boxes": numbers["movers"],
            "bodies": numbers["count"],
            "pairs": pairs,
            "passes": numbers["repeats"],
            "clock": numbers["clock"],
            "edge of the cube": 2 * SPREAD,
            "radius of balls": f"{RADIUS[0]:g} to {RADIUS[1]:g}",
            "edges of boxes": f"{2 * RADIUS[0]:g} to {2 * RADIUS[1]:g}",
        },
        tables=tuple(_build_table(kind, rows, touch[kind], pairs) for kind, rows in found.items()),
        figures=tuple(_build_figure(kind, rows, touch[kind]) for kind, rows in found.items()),
        verdicts=tuple(
            verdict
            for kind, rows in found.items()
            for verdict in evaluate(
                [replace(claim, text=f"{claim.text}, among {kind}") for claim in _CLAIMS],
                rows,
                paper="FAN",
                enough=numbers["repeats"] >= 3,
            )
        ),
        notes=(
            "FAN proposes this use without a number, so there is none to compare with ours.",
            "LOSES marks methods that drop pairs that touch, so they are approximations and no filters. "
            "S-CCD's box of both end poses, as FAN defines it, is one of them.",
            "Times are medians of the passes on one thread. `exact` is the time of the first contacts of the "
            "pairs that are left. A listed pair costs more than a pair of all against all. So a filter that "
            "leaves most pairs is worse than none.",
        ),
        numbers=numbers,
    )


def _take_medians(rows: Sequence[FilterRow]) -> FilterRow:
    """Medians of the times; the counts are the same in all."""
    first = rows[0]
    seconds = (float(np.median([getattr(row, part) for row in rows])) for part in ("build", "test", "exact"))
    return FilterRow(first.left, first.lost, *seconds)


def _build_table(kind: str, rows: Sequence[FilterRow], touch: int, pairs: int) -> Table:
    base = rows[_NONE].total
    lines = tuple(
        (
            chosen.label,
            row.left,
            100 * row.left / pairs,
            row.lost,
            "LOSES" if row.lost else "",
            1e3 * row.build,
            1e3 * row.test,
            1e3 * row.exact,
            1e3 * row.total,
            base / row.total,
        )
        for chosen, row in zip(FILTERS, rows, strict=True)
    )
    columns = (
        "filter",
        "pairs left",
        "% of all",
        "lost",
        "",
        "build ms",
        "test ms",
        "exact ms",
        "total ms",
        "speed-up",
    )
    note = f"{touch:,} of {pairs:,} pairs touch. Speed-up: over no filter."
    return Table(f"Turning boxes among {kind}", columns, lines, (note,))


_CLAIMS: tuple[Claim[Sequence[FilterRow]], ...] = (
    Claim(
        "the sector leaves fewer pairs for the exact test than S-CCD",
        lambda rows: max(rows[_PUBLISHED].left, rows[_ENCLOSING].left) < rows[_SPECULATIVE].left,
        lambda rows: (
            f"published {rows[_PUBLISHED].left:,}, enclosing {rows[_ENCLOSING].left:,}, S-CCD "
            f"{rows[_SPECULATIVE].left:,}"
        ),
        section="4.4",
        change="boxes so wide that their sweep fills its box",
    ),
    Claim(
        "with the sector as a filter many bodies are tested faster than with S-CCD",
        lambda rows: rows[_ENCLOSING].total < rows[_SPECULATIVE].total,
        lambda rows: (
            f"enclosing {1e3 * rows[_ENCLOSING].total:.1f} ms, S-CCD {1e3 * rows[_SPECULATIVE].total:.1f} ms"
        ),
        section="4.4",
        binding=False,
        change="an exact test that costs as little as the filter's",
    ),
    Claim(
        "behind the AABB of the sweep the enclosing sector still pays (ours)",
        lambda rows: rows[_BOTH].total < rows[_WHOLE].total,
        lambda rows: f"with it {1e3 * rows[_BOTH].total:.1f} ms, without {1e3 * rows[_WHOLE].total:.1f} ms",
        binding=False,
    ),
    Claim(
        "the enclosing sector and the AABB of the sweep lose no pair (ours)",
        lambda rows: not any(rows[k].lost for k in (_ENCLOSING, _WHOLE, _BOTH)),
        lambda rows: (
            f"lost {rows[_ENCLOSING].lost}, {rows[_WHOLE].lost}, together {rows[_BOTH].lost}; S-CCD of both "
            f"ends {rows[_SPECULATIVE].lost}"
        ),
    ),
)


def _build_figure(kind: str, rows: Sequence[FilterRow], touch: int) -> Figure:
    names = [chosen.label for chosen in FILTERS]
    columns = ("filter", "left", "lost", "build_ms", "test_ms", "exact_ms")
    lines = [
        (name, row.left, row.lost, 1e3 * row.build, 1e3 * row.test, 1e3 * row.exact)
        for name, row in zip(names, rows, strict=True)
    ]

    def draw(sheet: Any) -> None:
        sheet.set_size_inches(9.2, 6.4)
        sheet.get_layout_engine().set(hspace=0.08)  # the lower title keeps off the upper axis
        above, below = sheet.subplots(2, 1)
        left = [float(row.left) for row in rows]
        notes = [f"{row.left:,}" + (f", LOSES {row.lost:,} that touch" if row.lost else "") for row in rows]
        charts.draw_bars(above, names, {"left": left}, "pairs left for the exact test", notes)
        above.set_xscale("log")
        above.set_xlim(max(touch, 1) / 3, 30 * left[_NONE])
        above.axvline(touch, color="black", ls="--", lw=1)
        above.set_title(f"dashed: the {touch:,} pairs that touch", fontsize=10)
        short = [k for k, row in enumerate(rows) if row.total < rows[_NONE].total / 2]
        parts = {
            "build the shapes": [1e3 * rows[k].build for k in short],
            "test all pairs": [1e3 * rows[k].test for k in short],
            "exact test of those left": [1e3 * rows[k].exact for k in short],
        }
        totals = [f"{1e3 * rows[k].total:.1f} ms" for k in short]
        charts.draw_bars(below, [names[k] for k in short], parts, "time (ms)", totals)
        long = [f"{names[k]} {1e3 * rows[k].total:.0f} ms" for k in range(len(rows)) if k not in short]
        sheet.legend(*below.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
        below.set_title(f"not drawn: {'; '.join(long)}", fontsize=10)

    return Figure(
        f"filter-{kind}", f"Filters before the exact test, among {kind}", draw, columns, tuple(lines)
    )
