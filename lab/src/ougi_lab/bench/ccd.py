"""`ougi bench ccd`: first contacts of turning bodies, how often tools miss them, and what they cost.

Two parts. Swings, half of which hit, by ranges of angles: ours beside python-fcl and rapier3d, and beside
what engines and FAN cover instead of the path, all judged by an independent walk (`swings.walked`). And large
arrays on one thread, beside targets.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

import ougi
from ougi._jit import one_thread
from ougi._typing import Bools, Floats
from ougi.shapes import Box, Capsule3d, Shape, Sphere
from ougi_lab.bench import ccd_peers
from ougi_lab.bench.choose import choose
from ougi_lab.measure import interleaved
from ougi_lab.scenes.motions import ANGLE_RANGES, MovingPairs
from ougi_lab.scenes.swings import (
    Degrees,
    Form,
    Truth,
    draw_clear_swings,
    draw_fan_swings,
    draw_swings,
    draw_timed_swings,
)

Bodies: TypeAlias = tuple[type[Shape], type[Shape]]  # the first moves
Setting: TypeAlias = Literal["any", "fan"]

SEED = 30

PAIRS: tuple[Bodies, ...] = (
    (Box, Sphere),
    (Capsule3d, Sphere),
    (Capsule3d, Capsule3d),
    (Capsule3d, Box),
    (Box, Box),
)
_FAN: Bodies = (Box, Sphere)

# Calls of an array task in each round: one takes about a millisecond and another program's slice several, so
# that the median of single calls would be the scheduler's.
_IN_A_ROW = 10

# Of large arrays.
DEGREES: Degrees = (10.0, 179.0)
TARGET_COUNT = 100_000


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
    Throughput((Box, Sphere), "both move", 4.0),
    Throughput((Capsule3d, Capsule3d), "both move", 4.0),
    Throughput((Capsule3d, Box), "both move", 4.0),
    Throughput((Box, Box), "both move", 4.0),
)


@dataclass(frozen=True)
class Speed:
    """What a large array costs: microseconds per swing."""

    pair: str
    form: Form
    count: int
    hits: float  # share
    undecided: int
    us: float  # median
    best_us: float
    worst_us: float
    target: float | None
    goal: float | None
    met: bool | None


@dataclass(frozen=True)
class Row:
    """One tool on the swings of one pair and range of angles, or why it has no answers."""

    pair: str
    setting: Setting  # `any` pivot and axis, or `fan`: FAN's motion
    degrees: Degrees
    tool: str
    swings: int
    missing: str | None = None
    missed: float | None = None  # share of the true hits
    false: float | None = None  # share of the true misses
    undecided: int | None = None
    median_error: float | None = None  # of t, as a share of the swing, where both see a hit
    largest_error: float | None = None
    us: float | None = None  # one swing per Python call; microseconds, median
    best_us: float | None = None
    array_us: float | None = None  # all swings in one call
    best_array_us: float | None = None
    ratio: float | None = None  # of `us` to ougi's `array_us`


def name_of(pair: Bodies) -> str:
    """Such as Box-Sphere: the box moves."""
    return "-".join(cls.__name__ for cls in pair)


def chosen(names: Sequence[str]) -> tuple[Bodies, ...]:
    """All pairs, or those that one of the names fits: a class (Box) or a pair in either order."""
    advice = f"give a class (Box) or one of {', '.join(map(name_of, PAIRS))}"
    return tuple(choose(PAIRS, names, _names, "pair of bench ccd", advice))


def _names(pair: Bodies) -> set[str]:
    """Also without `3d`: all of them are of space."""
    a, b = (cls.__name__.lower() for cls in pair)
    full = {a, b, f"{a}-{b}", f"{b}-{a}"}
    return full | {name.replace("3d", "") for name in full}


def speeds(pairs: Sequence[Bodies], count: int, repeats: int) -> Iterator[Speed]:
    """Time large arrays of swings, one kind after the other."""
    for kind in THROUGHPUT:
        if kind.pair in pairs:
            with one_thread():
                row = _timed(kind, count, repeats)
            yield row


def _timed(kind: Throughput, count: int, repeats: int) -> Speed:
    rng = np.random.default_rng(SEED)
    case = draw_timed_swings(lambda n: draw_swings(*kind.pair, DEGREES, n, rng, kind.form), count)
    ask = functools.partial(ougi.time_of_impact, case.body, case.motion, case.target, case.target_motion)
    median, best, worst = (seconds * 1e6 / count for seconds in interleaved({"ougi": ask}, repeats)["ougi"])
    status = ask().status
    judge = kind.target is not None and count == TARGET_COUNT
    return Speed(
        pair=name_of(kind.pair),
        form=kind.form,
        count=count,
        hits=float(np.mean(status == 1)),
        undecided=int((status == 3).sum()),
        us=median,
        best_us=best,
        worst_us=worst,
        target=kind.target if judge else None,
        goal=kind.goal if judge else None,
        met=median <= kind.target if judge and kind.target is not None else None,
    )


def rows(pairs: Sequence[Bodies], tests: int, repeats: int) -> Iterator[list[Row]]:
    """The tools on the same swings, interleaved: a list for each pair, setting and range of angles."""
    settings: list[tuple[Bodies, Setting]] = [(pair, "any") for pair in pairs]
    if _FAN in pairs:
        settings.append((_FAN, "fan"))
    for pair, setting in settings:
        for degrees in ANGLE_RANGES:
            with one_thread():
                found = _compared(pair, setting, degrees, tests, repeats)
            yield found


def cells(pairs: Sequence[Bodies]) -> int:
    """How many lists `rows` yields."""
    return len(ANGLE_RANGES) * (len(pairs) + (_FAN in pairs))


def _compared(pair: Bodies, setting: Setting, degrees: Degrees, tests: int, repeats: int) -> list[Row]:
    rng = np.random.default_rng(SEED)

    def draw(n: int) -> MovingPairs:
        return draw_swings(*pair, degrees, n, rng) if setting == "any" else draw_fan_swings(degrees, n, rng)

    case, truth = draw_clear_swings(draw, tests)
    singles = list(zip(case.body, case.motion, case.target, strict=True))
    arrays: dict[str, Callable[[], Any]] = {
        "ougi": lambda: ougi.time_of_impact(case.body, case.motion, case.target)
    }
    loops, missing = ccd_peers.loops(case)
    if setting == "fan":
        covers, refused = _covers(case, degrees)
        arrays |= covers
        missing |= refused
    timings = interleaved(
        {
            **{name: _repeated(task) for name, task in arrays.items()},
            "ougi, single": lambda: [ougi.time_of_impact(*swing) for swing in singles],
            **loops,
        },
        repeats,
    )
    calls = {name: tests * (_IN_A_ROW if name in arrays else 1) for name in timings}
    us = {name: timing.median * 1e6 / calls[name] for name, timing in timings.items()}
    best = {name: timing.best * 1e6 / calls[name] for name, timing in timings.items()}
    row = functools.partial(Row, name_of(pair), setting, degrees)
    single: dict[str, Any] = {"us": us["ougi, single"], "best_us": best["ougi, single"]}
    in_array: dict[str, Any] = {"array_us": us["ougi"], "best_array_us": best["ougi"]}
    found = [row("ougi", tests, **_ours(arrays["ougi"](), truth), **single, **in_array)]
    for name, loop in loops.items():
        told: dict[str, Any] = {"us": us[name], "best_us": best[name], "ratio": us[name] / us["ougi"]}
        found.append(row(name, tests, **_theirs(loop(), truth), **told))
    for name in [name for name in arrays if name in COVERS]:
        told = {"array_us": us[name], "best_array_us": best[name]}
        found.append(row(name, tests, **_rates(arrays[name](), truth), **told))
    return found + [row(name, tests, missing=why) for name, why in missing.items()]


def _repeated(task: Callable[[], Any]) -> Callable[[], None]:
    def in_a_row() -> None:
        for _ in range(_IN_A_ROW):
            task()

    return in_a_row


# What stands for the path instead: a name -> the arguments of `ougi.sweep`.
COVERS: dict[str, dict[str, Any]] = {
    "AABB of start and end": {"method": "speculative", "reading": "start-end"},
    "velocity-inflated AABB": {"method": "speculative", "reading": "inflated"},
    "temporal AABB": {"method": "speculative", "reading": "temporal"},
    "ideal AABB": {"method": "speculative", "reading": "ideal"},
    "cast without the turn": {"method": "cast"},
    "swept sphere": {"method": "swept-sphere"},
    "100 substeps": {"method": "substeps"},
    "start and end alone": {"method": "substeps", "steps": 1},
    "FAN's sector": {"method": "sector"},
    "sector-balanced": {"method": "sector-balanced"},
    "sector-enclosing": {"method": "sector-enclosing"},
}
_UP_TO_ONE_TURN = ("FAN's sector", "sector-balanced")


def _covers(case: MovingPairs, degrees: Degrees) -> tuple[dict[str, Callable[[], Bools]], dict[str, str]]:
    """Ways to cover the path and to ask whether targets touch the cover; and what cannot cover it."""

    def ask(arguments: dict[str, Any]) -> Bools:
        touched: Bools = ougi.intersects(ougi.sweep(case.body, case.motion, **arguments), case.target)
        return np.asarray(touched.any(axis=0)) if arguments["method"] == "substeps" else touched

    refused = dict.fromkeys(_UP_TO_ONE_TURN if degrees[1] > 360 else (), "at most one turn")
    made: dict[str, Callable[[], Bools]] = {
        name: functools.partial(ask, how) for name, how in COVERS.items() if name not in refused
    }
    return made, refused


def _ours(impact: Any, truth: Truth) -> dict[str, Any]:
    undecided = int((impact.status == 3).sum())
    return {**_rates(impact.hit, truth), **_errors(impact.t, impact.hit, truth), "undecided": undecided}


def _theirs(times: list[float], truth: Truth) -> dict[str, Any]:
    t = np.array(times)
    hit = ~np.isnan(t)
    return {**_rates(hit, truth), **_errors(t, hit, truth)}


def _rates(hit: Bools, truth: Truth) -> dict[str, Any]:
    missed, false = (~hit)[truth.hit], hit[~truth.hit]
    return {
        "missed": float(missed.mean()) if len(missed) else None,
        "false": float(false.mean()) if len(false) else None,
    }


def _errors(t: Floats, hit: Bools, truth: Truth) -> dict[str, Any]:
    error = np.abs(t - truth.t)[hit & truth.hit]
    if not len(error):
        return {"median_error": None, "largest_error": None}
    return {"median_error": float(np.median(error)), "largest_error": float(error.max())}
