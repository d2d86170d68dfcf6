"""`ougi bench ccd`: first contacts of turning bodies, how often tools miss them, and what they cost.

The first part has swings, half of which hit, by ranges of angles: ours beside python-fcl and rapier3d, and
beside what engines and FAN cover instead of the path. An independent walk is the reference
(`scenes.swings.find_true_contacts`). The second part has large arrays on one thread, beside targets.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

import ougi
from ougi._native import one_thread
from ougi._typing import Bools, Floats
from ougi.cli.tables import Table
from ougi.shapes import Box, Capsule3d, ConvexHull3d, Shape, Sphere
from ougi_lab.bench import ccd_peers
from ougi_lab.bench.choose import choose_named
from ougi_lab.bench.measurement import (
    BenchReport,
    Measurement,
    Options,
    collect,
    list_missing,
    require_max,
    select,
)
from ougi_lab.bench.peers import build_tasks, read_peer_versions
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK, repeat_task, time_interleaved
from ougi_lab.scenes.motions import ANGLE_RANGES, MovingPairs
from ougi_lab.scenes.swings import (
    NEAR,
    Degrees,
    Form,
    SwingTruth,
    draw_clear_swings,
    draw_fan_swings,
    draw_swings,
    draw_timed_swings,
)

Bodies: TypeAlias = tuple[type[Shape], type[Shape]]  # the first moves
Setting: TypeAlias = Literal["any", "fan"]

SEED = 30

_FAN: Bodies = (Box, Sphere)

# Calls of an array task in each round: one takes about a millisecond and another program's slice several, so
# that the median of single calls would be the scheduler's.
_IN_A_ROW = 10

# Of large arrays.
DEGREES: Degrees = (10.0, 179.0)
TARGET_COUNT = 100_000


_FORMS: dict[Form, str] = {
    "pairs": "each its own target",
    "one body": "one body, many targets",
    "one target": "many bodies, one target",
    "both move": "both move",
}
_FAN_NOTE = (
    "(FAN): an upright box about a vertical axis outside of it, in line with its middle. FAN's sector and "
    "sector-balanced cover at most one turn."
)

# One swing per Python call, as other libraries do it.
SINGLE = "ougi, one by one"


class Throughput(NamedTuple):
    """A large array to time, and the microseconds per swing that it shall not exceed at TARGET_COUNT."""

    pair: Bodies
    form: Form
    target: float | None = None
    goal: float | None = None


THROUGHPUT = (
    Throughput((Box, Sphere), "one body", 0.4, 0.15),
    Throughput((Box, Sphere), "one target", 0.4, 0.15),
    Throughput((Box, Sphere), "pairs", 0.4, 0.15),
    Throughput((Capsule3d, Sphere), "pairs"),
    Throughput((Capsule3d, Capsule3d), "pairs", 0.8),
    Throughput((Capsule3d, Box), "pairs", 1.0),
    Throughput((Box, Box), "pairs", 1.5, 0.6),
    Throughput((ConvexHull3d, ConvexHull3d), "pairs"),
    Throughput((Box, Sphere), "both move", 4.0),
    Throughput((Capsule3d, Capsule3d), "both move", 4.0),
    Throughput((Capsule3d, Box), "both move", 4.0, 1.5),
    Throughput((Box, Box), "both move", 4.0, 2.0),
)
PAIRS = tuple(dict.fromkeys(kind.pair for kind in THROUGHPUT))


def name_pair(pair: Bodies) -> str:
    """Such as Box-Sphere: the box moves."""
    return "-".join(cls.__name__ for cls in pair)


def choose_pairs(names: Sequence[str]) -> tuple[Bodies, ...]:
    """All pairs, or those that one of the names fits: a class (Box) or a pair in either order."""
    advice = f"give a class (Box) or one of {', '.join(map(name_pair, PAIRS))}"
    return tuple(choose_named(PAIRS, names, _list_names, "pair of bench ccd", advice))


def _list_names(pair: Bodies) -> set[str]:
    """Also without `3d`: all of them are of space."""
    a, b = (cls.__name__.lower() for cls in pair)
    full = {a, b, f"{a}-{b}", f"{b}-{a}"}
    return full | {name.replace("3d", "") for name in full}


def measure_arrays(pairs: Sequence[Bodies], count: int, repeats: int) -> Iterator[Measurement]:
    """Time large arrays of swings, one kind after the other."""
    for kind in THROUGHPUT:
        if kind.pair in pairs:
            yield _measure_array(kind, count, repeats)


@one_thread()
def _measure_array(kind: Throughput, count: int, repeats: int) -> Measurement:
    rng = np.random.default_rng(SEED)
    case = draw_timed_swings(lambda n: draw_swings(*kind.pair, DEGREES, n, rng, kind.form), count)
    call = functools.partial(ougi.time_of_impact, case.body, case.motion, case.target, case.target_motion)
    median, best, worst = (
        seconds * 1e6 / count
        for seconds in time_interleaved({"ougi": call}, repeats, clock=CLOCK.now)["ougi"]
    )
    status = call().status
    facts = {"hits": float(np.mean(status == 1)), "undecided": int((status == 3).sum())}
    target = None
    if kind.target is not None and count == TARGET_COUNT:
        target = require_max(kind.target, median)
        facts |= {} if kind.goal is None else {"goal": kind.goal}
    named = {"pair": name_pair(kind.pair), "form": _FORMS[kind.form], "swings": count}
    return Measurement("ccd/arrays", named, "ougi", median, "us", best, worst, target=target, facts=facts)


def list_cells(pairs: Sequence[Bodies]) -> list[tuple[Bodies, Setting, Degrees]]:
    """All pairs and ranges of angles, and those as FAN assumes them."""
    settings: list[tuple[Bodies, Setting]] = [(pair, "any") for pair in pairs]
    settings += [(_FAN, "fan")] if _FAN in pairs else []
    return [(*each, degrees) for each in settings for degrees in ANGLE_RANGES]


@one_thread()
def measure_cell(
    pair: Bodies, setting: Setting, degrees: Degrees, tests: int, repeats: int
) -> list[Measurement]:
    """All tools on the swings of one pair, setting and range of angles, interleaved."""
    rng = np.random.default_rng(SEED)

    def draw(n: int) -> MovingPairs:
        return draw_swings(*pair, degrees, n, rng) if setting == "any" else draw_fan_swings(degrees, n, rng)

    case, truth = draw_clear_swings(draw, tests)
    singles = list(zip(case.body, case.motion, case.target, strict=True))
    covers, refused = _build_covers(case, degrees) if setting == "fan" else ({}, {})
    ours = functools.partial(ougi.time_of_impact, case.body, case.motion, case.target)
    arrays = {"ougi": ours, **covers}
    loops, missing = build_tasks(ccd_peers.PEERS, case)
    tasks = {name: repeat_task(task, _IN_A_ROW) for name, task in arrays.items()} | loops
    tasks[SINGLE] = lambda: [ougi.time_of_impact(*swing) for swing in singles]
    timings, impact = time_interleaved(tasks, repeats, clock=CLOCK.now), ours()
    facts = {"ougi": judge_hits(truth, impact.hit, impact.t) | {"undecided": int((impact.status == 3).sum())}}
    facts |= {name: judge_times(truth, loop()) for name, loop in loops.items()}
    facts |= {name: judge_hits(truth, cover()) for name, cover in covers.items()}
    label = name_pair(pair) + (" (FAN)" if setting == "fan" else "")
    named = {"pair": label, "degrees": f"{degrees[0]:g}-{degrees[1]:g}", "swings": tests}
    found = []
    for name in ("ougi", SINGLE, *loops, *covers):
        scale = 1e6 / tests / (_IN_A_ROW if name in arrays else 1)
        us, best = (seconds * scale for seconds in timings[name][:2])
        ratio = us / (timings["ougi"].median * 1e6 / tests / _IN_A_ROW) if name in loops else None
        found.append(Measurement("ccd", named, name, us, "us", best, ratio=ratio, facts=facts.get(name, {})))
    return found + list_missing("ccd", named, missing | refused)


# Substitutes of the path: a name -> the arguments of `ougi.sweep`.
COVERS: dict[str, dict[str, Any]] = {
    "AABB of start and end": {"method": "speculative-start-end"},
    "velocity-inflated AABB": {"method": "speculative-inflated"},
    "temporal AABB": {"method": "speculative-temporal"},
    "ideal AABB": {"method": "speculative-ideal"},
    "cast without the turn": {"method": "cast"},
    "swept sphere": {"method": "swept-sphere"},
    "100 substeps": {"method": "substeps"},
    "start and end alone": {"method": "substeps", "steps": 1},
    "FAN's sector": {"method": "sector"},
    "sector-balanced": {"method": "sector-balanced"},
    "sector-enclosing": {"method": "sector-enclosing"},
}
_UP_TO_ONE_TURN = ("FAN's sector", "sector-balanced")


def _build_covers(case: MovingPairs, degrees: Degrees) -> tuple[dict[str, Any], dict[str, str]]:
    """Build tests of targets against substitutes of the path, and list what cannot cover it."""

    def test_cover(arguments: dict[str, Any]) -> Bools:
        touched: Bools = ougi.intersects(ougi.sweep(case.body, case.motion, **arguments), case.target)
        return np.asarray(touched.any(axis=0)) if arguments["method"] == "substeps" else touched

    refused = dict.fromkeys(_UP_TO_ONE_TURN if degrees[1] > 360 else (), "at most one turn")
    made = {name: functools.partial(test_cover, COVERS[name]) for name in COVERS if name not in refused}
    return made, refused


def judge_hits(truth: SwingTruth, hit: Bools, t: Floats | None = None) -> dict[str, Any]:
    """Shares of the true hits that are `missed` and of the true misses that are `false`.

    With times also their errors, as shares of the swing, where both find a hit.
    """
    missed, false = (~hit)[truth.hit], hit[~truth.hit]
    facts = {name: float(each.mean()) for name, each in (("missed", missed), ("false", false)) if len(each)}
    if t is not None and (both := hit & truth.hit).any():
        error = np.abs(t - truth.t)[both]
        facts |= {"median_error": float(np.median(error)), "largest_error": float(error.max())}
    return facts


def judge_times(truth: SwingTruth, times: list[float]) -> dict[str, Any]:
    """The same for times of first contact, NaN for none."""
    t = np.array(times)
    return judge_hits(truth, ~np.isnan(t), t)


def run(options: Options) -> BenchReport:
    """Measure large arrays, and tools on swings."""
    pairs = choose_pairs(options.names)
    count, tests, repeats = options.count, options.tests, options.repeats
    kinds = sum(kind.pair in pairs for kind in THROUGHPUT)
    found = collect(measure_arrays(pairs, count, repeats), "large arrays", kinds)
    cells = list_cells(pairs)
    swings = (measure_cell(*cell, tests, -(-repeats // 3)) for cell in cells)
    found += collect(swings, "swings", len(cells))
    parameters = {"pairs": list(options.names), "count": count, "tests": tests, "repeats": repeats}
    parameters |= {"seed": SEED, "threads": 1, "skipped_within_m": NEAR, "large_arrays_degrees": DEGREES}
    parameters["load_before"] = options.load
    peers = read_peer_versions(ccd_peers.PEERS)
    tables = [build_array_table(select(found, "ccd/arrays"), options.load)]
    return BenchReport(parameters, found, tables + build_tool_tables(select(found, "ccd"), peers), peers)


def build_array_table(measurements: Sequence[Measurement], load: float | None = None) -> Table:
    """Microseconds per swing of large arrays; `load` is the machine's average before the run."""
    return build_table(
        "time of impact in large arrays, one thread",
        measurements,
        columns="hits {hits:.0%} | undecided {undecided} | us/swing {value:.2f} | best {best:.2f} | "
        "worst {worst:.2f} | goal {goal:g}",
        notes=(
            f"Random swings of {DEGREES[0]:g} to {DEGREES[1]:g} degrees about any pivot and axis (seed "
            f"{SEED}); half of them hit, none overlaps at the start, by ougi's own results. The first body "
            "swings.",
            "us/swing: ougi.time_of_impact with its checks and new arrays; shapes and motions are built and "
            "laid out before the clock starts. Median, best and worst round of the "
            f"{CLOCK.name}; goal and target: of the median.",
        ),
        load=load,
    )


def build_tool_tables(measurements: Sequence[Measurement], peers: Mapping[str, str | None]) -> list[Table]:
    """Build tables of missed and false hits, errors of times, and costs; a column for each range."""
    judged_ones = [each for each in measurements if each.facts or each.missing]
    undecided = sum(each["undecided"] or 0 for each in measurements)
    fan = "(FAN)" in "".join(str(each.case["pair"]) for each in measurements)
    return [
        build_table(
            "turning bodies and targets at rest, missed % / false %, by degrees",
            judged_ones,
            across="degrees",
            cell=lambda each: " / ".join(format_percent(each[name]) for name in ("missed", "false")),
            notes=(
                f"Random swings (seed {SEED}), half of which hit; none overlaps at the start. missed: of the "
                "true hits; false: of the true misses.",
                "The truth comes from ougi.distance, not from time_of_impact: the gap is measured along the "
                f"path, in steps that no contact can hide between. Swings within {NEAR:g} m of just touching "
                "are excluded.",
                "python-fcl (CCDM_SCREW, conservative advancement) is given two poses and takes the shorter "
                "rotation: above 180 degrees its figures show a limit of its interface.",
                "rapier3d (cast_shape_nonlinear) may step over a contact and report a later one, or none: "
                "hence its largest errors of t.",
                *([_FAN_NOTE] if fan else []),
                *([f"ougi left {undecided} swings undecided; they count as not hit."] if undecided else []),
            ),
            versions=peers,
        ),
        build_table(
            "error of t, as a share of the swing: median / largest",
            [each for each in judged_ones if each["median_error"] is not None],
            across="degrees",
            cell="{median_error:.0e} / {largest_error:.0e}",
            notes=(
                "Of the true hits that the tool finds. ougi stops within tol = 1e-9 of the bodies' size; "
                "rapier3d computes in single precision.",
            ),
        ),
        build_table(
            "microseconds per swing, one thread (in brackets: times ougi's in an array)",
            [each for each in measurements if not each.missing],
            across="degrees",
            notes=(
                f"ougi and what covers the path: all swings in one call; {SINGLE!r} and libraries: a Python "
                "call for each. Objects are built before the clock starts; tools take turns, medians of the "
                f"{CLOCK.name}.",
            ),
        ),
    ]


def format_percent(share: float | None) -> str:
    """Such as 0, 0.4 or 12; `-` if it is unknown."""
    if not share:
        return "-" if share is None else "0"
    return f"{share:.1%}"[:-1] if share < 0.0995 else f"{share:.0%}"[:-1]
