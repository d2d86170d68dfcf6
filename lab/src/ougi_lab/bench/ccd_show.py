"""The tables of `ougi bench ccd`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ougi.cli.tables import Table
from ougi_lab.bench import ccd
from ougi_lab.bench.show import summary, verdict
from ougi_lab.scenes.swings import NEAR, Degrees, Form

_FORMS: dict[Form, str] = {
    "pairs": "each its own target",
    "one body": "one body, many targets",
    "one target": "many bodies, one target",
    "both move": "both move",
}
_LOAD_NOTE = (
    "The machine's load before the run was {:.1f}; other programs can slow everything here two- or threefold."
)
_FAN_NOTE = (
    "(FAN): an upright box about a vertical axis outside of it, in line with its middle. FAN's sector and "
    "sector-balanced cover at most one turn."
)


def speeds_table(rows: Sequence[ccd.Speed], load: float | None = None) -> Table:
    """Microseconds per swing of large arrays; `load` is the machine's average before the run."""
    lines = [
        (
            row.pair,
            _FORMS[row.form],
            f"{row.count:,}",
            f"{row.hits:.0%}",
            str(row.undecided),
            f"{row.us:.2f}",
            f"{row.best_us:.2f}",
            f"{row.worst_us:.2f}",
            "" if row.goal is None else f"{row.goal:g}",
            verdict(None if row.target is None else f"<= {row.target:g}", row.met),
        )
        for row in rows
    ]
    low, high = ccd.DEGREES
    return Table(
        "time of impact in large arrays, one thread",
        ("pair", "form", ">swings", ">hits", ">undecided", ">us/swing", ">best", ">worst", ">goal", "target"),
        lines,
        (
            f"Random swings of {low:g} to {high:g} degrees about any pivot and axis (seed {ccd.SEED}); "
            "half of them hit, none overlaps at the start, by ougi's own answers. The first body swings.",
            "us/swing: ougi.time_of_impact with its checks and new arrays; shapes and motions are built and "
            "laid out before the clock starts. Median, best and worst round; goal and target: of the median.",
            *(() if load is None else (_LOAD_NOTE.format(load),)),
            *summary(row.met for row in rows),
        ),
    )


def tool_tables(rows: Sequence[ccd.Row], versions: Mapping[str, str | None]) -> list[Table]:
    """What tools miss and invent, how far their times are off, what they cost; a column for each range."""
    return [
        _by_degrees(
            "turning bodies and targets at rest, missed % / false %",
            rows,
            {"": lambda row: f"{_percent(row.missed)} / {_percent(row.false)}"},
            _notes(rows, versions),
        ),
        _by_degrees(
            "error of t, as a share of the swing: median / largest",
            rows,
            {"": lambda row: _two(row.median_error, row.largest_error)},
            (
                "Of the true hits that the tool sees. ougi stops within tol = 1e-9 of the bodies' size; "
                "rapier3d computes in single precision.",
            ),
        ),
        _by_degrees(
            "microseconds per swing, one thread (in brackets: times ougi's in an array)",
            rows,
            {
                ", array": lambda row: None if row.array_us is None else f"{row.array_us:.2f}",
                ", one by one": lambda row: None if row.us is None else f"{row.us:.1f}{_times(row.ratio)}",
            },
            (
                "array: all swings in one call; one by one: a Python call for each. "
                "Objects are built before the clock starts; tools take turns, medians.",
            ),
        ),
    ]


def _notes(rows: Sequence[ccd.Row], versions: Mapping[str, str | None]) -> tuple[str, ...]:
    installed = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    swings = max(row.swings for row in rows)
    undecided = sum(row.undecided or 0 for row in rows)
    return (
        f"Each cell: {swings:,} random swings (seed {ccd.SEED}), half of which hit; none overlaps at the "
        "start. missed: of the true hits; false: of the true misses.",
        "The truth comes from ougi.distance, not from time_of_impact: the gap is measured along the way, in "
        f"steps that no contact can hide between. Swings within {NEAR:g} m of just touching are left out.",
        "python-fcl (CCDM_SCREW, conservative advancement) is told two poses and looks at the shorter way "
        "round: above 180 degrees its figures show a limit of its interface.",
        "rapier3d (cast_shape_nonlinear) may step over a contact and report a later one, or none: hence its "
        "largest errors of t.",
        *((_FAN_NOTE,) if any(row.setting == "fan" for row in rows) else ()),
        *((f"ougi left {undecided} swings undecided; they count as not hit.",) if undecided else ()),
        *((f"Measured with {installed}.",) if installed else ()),
    )


def _by_degrees(
    title: str,
    rows: Sequence[ccd.Row],
    quantities: Mapping[str, Callable[[ccd.Row], str | None]],
    notes: tuple[str, ...],
) -> Table:
    """A line for each pair, tool and quantity that has any cell, a column for each range of angles."""
    ranges = list(dict.fromkeys(row.degrees for row in rows))
    groups: dict[tuple[str, str], dict[Degrees, ccd.Row]] = {}
    for row in rows:
        label = row.pair if row.setting == "any" else f"{row.pair} (FAN)"
        groups.setdefault((label, row.tool), {})[row.degrees] = row
    lines: list[tuple[str, ...]] = []
    for (label, tool), by_range in groups.items():
        reasons = [by_range[degrees].missing for degrees in ranges]
        if all(reasons):
            lines.append((label, tool, str(reasons[0]), *["-"] * (len(ranges) - 1)))
            continue
        for suffix, quantity in quantities.items():
            cells = [None if by_range[degrees].missing else quantity(by_range[degrees]) for degrees in ranges]
            if any(cells):
                lines.append((label, tool + suffix, *(cell or "-" for cell in cells)))
    headings = ("pair", "tool", *(f">{low:g}-{high:g} deg" for low, high in ranges))
    return Table(title, headings, lines, notes)


def _percent(share: float | None) -> str:
    if share is None:
        return "-"
    return "0" if share == 0 else f"{share:.1%}"[:-1] if share < 0.0995 else f"{share:.0%}"[:-1]


def _two(median: float | None, largest: float | None) -> str | None:
    return None if median is None else f"{median:.0e} / {largest:.0e}"


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f" ({ratio:.0f}x)"
