"""`ougi bench broad`: candidate pairs of many bodies, by all our searches and by other libraries.

Four scenes of a thousand to five million bodies. Tasks take turns, their CPU time is measured (of all
threads), and ratios are taken within a round. All return pairs in any order; every result is compared with
ours. With a few bodies only our own methods are measured, because `auto` selects one of them.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import statistics
import time
import tracemalloc
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import ougi
from ougi._typing import Ints
from ougi.broad.choice import SEARCHES
from ougi.cli.tables import Table
from ougi.errors import MissingExtraError
from ougi.shapes import Sphere
from ougi_lab.bench import broad_peers
from ougi_lab.bench.broad_growth import FROM, draw_growth, fit_growth
from ougi_lab.bench.choose import choose_named
from ougi_lab.bench.measurement import (
    BenchReport,
    Measurement,
    MeasurementTarget,
    Options,
    collect,
    require_max,
    require_min,
    select,
)
from ougi_lab.bench.peers import build_tasks, read_peer_versions
from ougi_lab.bench.table import build_table, format_value
from ougi_lab.measure import build_copy_task, compute_median_ratio, repeat_task, time_rounds
from ougi_lab.scenes.volumes import BENCH_SCENES, Bodies

SEED = 40
NUMBERS = (1_000, 5_000, 50_000, 500_000)
LARGE = 5_000_000
# With this number of bodies, SORT's box would have 3.6 thousand million pairs.
LARGE_SCENES = ("ii even", "iii clusters", "iv rods")
# Small numbers of bodies, and our methods that can be fastest there.
SMALL_NUMBERS = (2, 10, 50, 100, 200, 300, 500, 2_000)
SMALL_METHODS = ("brute", "x", *SEARCHES)
# Tasks are skipped for larger scenes if they probably take longer than this, in seconds. With _MANY or more
# bodies they are also skipped if they took SLOW_FACTOR times as long as the best of the others, or of ours.
# The fastest MIN_PEERS libraries are never skipped, so that every row has a comparison.
_SLOW = 5.0
_MANY, SLOW_FACTOR = 50_000, 4.0
MIN_PEERS = 2
# Bodies in all calls of a task in one round, so that short tasks are not measured one by one.
_IN_A_ROW = 10_000

# Targets: times as fast as the best peer in every row, and in half of the rows; auto against our best search;
# growth with the number at even density, from FROM bodies on; bytes for each body beside the answer.
EVERY, HALF = 4.0, 8.0
WITHIN = 1.5
GROWTH, GROWTH_SCENE = 1.05, "ii even"
BYTES = 120.0


def choose_scenes(names: Sequence[str]) -> list[str]:
    """Return all scenes, or those whose names contain one of the words."""
    return choose_named(BENCH_SCENES, names, str.split, "scene of bench broad")


def measure(scenes: Sequence[str], numbers: Sequence[int], repeats: int) -> Iterator[list[Measurement]]:
    """Measure scene after scene, from few bodies to many."""
    for scene in scenes:
        slow: set[str] = set()
        for n in list_numbers(scene, numbers):
            yield _measure_scene(scene, n, repeats, slow)


def list_numbers(scene: str, numbers: Sequence[int]) -> list[int]:
    """The numbers of bodies for which a scene is measured."""
    return [n for n in numbers if n < LARGE or scene in LARGE_SCENES]


def measure_small(scenes: Sequence[str], numbers: Sequence[int], repeats: int) -> Iterator[list[Measurement]]:
    """Measure all of our methods on a few bodies, three seeds of each scene."""
    for scene, n in itertools.product(scenes, numbers):
        calls = max(1, _IN_A_ROW // (20 * max(n, 20)))
        us: dict[str, list[float]] = {}
        for seed in range(3):
            bodies = BENCH_SCENES[scene](n, np.random.default_rng([SEED, seed, n]))
            tasks = {
                name: repeat_task(task, calls)
                for name, task in _build_own_tasks(bodies, SMALL_METHODS).items()
            }
            seconds = time_rounds(tasks, repeats, clock=time.process_time, seed=SEED)
            for name, each in seconds.items():
                us.setdefault(name, []).extend(s * 1e6 / calls for s in each)
        medians = {name: statistics.median(each) for name, each in us.items()}
        facts = {"to_best": medians["auto"] / min(medians[name] for name in SMALL_METHODS)}
        new = functools.partial(Measurement, "broad/few", {"scene": scene, "n": n}, unit="us")
        yield [new(name, m, facts=facts if name == "auto" else {}) for name, m in medians.items()]


def _measure_scene(scene: str, n: int, repeats: int, slow: set[str]) -> list[Measurement]:
    bodies = BENCH_SCENES[scene](n, np.random.default_rng([SEED, n]))
    pairs = ougi.candidate_pairs(bodies)
    theirs, missing = build_tasks(broad_peers.PEERS, bodies, len(pairs))
    wrong = _count_wrong(bodies, pairs, {name: task for name, task in theirs.items() if name not in slow})
    tasks = _build_own_tasks(bodies, tuple(SEARCHES)) | {name: task.run for name, task in theirs.items()}
    tasks["copy"] = build_copy_task((bodies.columns(), pairs))
    calls = max(1, _IN_A_ROW // n)
    repeats = repeats if n <= 50_000 else min(repeats, max(3, repeats // 3))
    seconds = time_rounds(
        {name: repeat_task(task, calls) for name, task in tasks.items() if name not in slow},
        repeats,
        clock=time.process_time,
        seed=SEED,
    )
    ms = {name: statistics.median(s) * 1e3 / calls for name, s in seconds.items()}
    missing |= {name: "too slow" for name in (*SEARCHES, *theirs) if name in slow}
    slow |= _find_slow(ms, theirs, many=n >= _MANY)
    ratios = {
        name: compute_median_ratio(seconds[name], seconds["auto"]) for name in theirs if name in seconds
    }
    facts: dict[str, Any] = {
        "pairs": len(pairs),
        "to_best": ms["auto"] / min(ms[name] for name in SEARCHES if name in ms),  # of our searches
        "to_copy": ms["auto"] / ms["copy"],  # of the input and the result
        "bytes": _measure_memory(bodies, pairs),  # for each body, beside the result
    }
    target = None
    if ratios:
        facts["best_peer"] = min(ratios, key=lambda name: ratios[name])
        facts["best_ratio"] = ratios[facts["best_peer"]]
        target = require_min(EVERY, facts["best_ratio"], of="best_ratio")
    new = functools.partial(Measurement, "broad", {"scene": scene, "n": n})
    found = [new("auto", ms["auto"], best=min(seconds["auto"]) * 1e3 / calls, target=target, facts=facts)]
    for name in (*SEARCHES, *(peer.name for peer in broad_peers.PEERS)):
        if name in missing:
            found.append(new(name, missing=missing[name]))
        else:
            found.append(new(name, ms[name], ratio=ratios.get(name), wrong=wrong.get(name)))
    return found


def _count_wrong(bodies: Bodies, pairs: Ints, tasks: Mapping[str, broad_peers.PairTask]) -> dict[str, int]:
    """Count the pairs of each library that differ from ours; those of boxes are compared with our boxes."""
    boxed = pairs
    if isinstance(bodies, Sphere) and any(name not in broad_peers.FOR_SPHERES for name in tasks):
        boxed = ougi.candidate_pairs(bodies.bounds())
    return {
        name: count_differences(task, pairs if name in broad_peers.FOR_SPHERES else boxed)
        for name, task in tasks.items()
    }


def _find_slow(ms: Mapping[str, float], theirs: Collection[str], many: bool) -> set[str]:
    """Return the tasks to skip with more bodies."""
    slow = {name for name, median in ms.items() if median > _SLOW * 1e3 / 10 and name != "auto"}
    for names in (theirs, SEARCHES):
        known = {name: ms[name] for name in names if name in ms}
        slow |= {name for name in known if many and known[name] > SLOW_FACTOR * min(known.values())}
    fastest = sorted((name for name in theirs if name in ms), key=lambda name: ms[name])[:MIN_PEERS]
    return slow - set(fastest)


def _build_own_tasks(bodies: Bodies, methods: Sequence[str]) -> dict[str, Callable[[], Any]]:
    search = functools.partial(ougi.candidate_pairs, bodies, sort=False)
    return {method: functools.partial(search, method=method) for method in ("auto", *methods)}


def count_differences(task: broad_peers.PairTask, ours: Ints) -> int:
    """Count the pairs that only one of both has (or the difference in number)."""
    found = task.read(task.run())
    if isinstance(found, int):
        return abs(found - len(ours))
    theirs, expected = ((p[:, 0] << 32) | p[:, 1] for p in (np.sort(found, axis=1), ours))
    return 0 if np.array_equal(np.sort(theirs), expected) else len(np.setxor1d(theirs, expected))


def _measure_memory(bodies: Bodies, result: Ints) -> float:
    """Return the peak memory of a call, in bytes for each body, beside its result."""
    tracemalloc.start()
    try:
        ougi.candidate_pairs(bodies, sort=False)
        return (tracemalloc.get_traced_memory()[1] - result.nbytes) / len(bodies)
    finally:
        tracemalloc.stop()


def judge_run(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Evaluate the targets of the whole run, as far as their numbers are known."""
    rows, small = (select(measurements, part, method="auto") for part in ("broad", "broad/few"))
    ratios = [row["best_ratio"] for row in rows if row["best_ratio"] is not None]
    to_best, to_best_small = ([row["to_best"] for row in part] for part in (rows, small))
    growth = [each["value"] for each in select(fit_growth(measurements), scene=GROWTH_SCENE, method="auto")]
    numbers: list[
        tuple[str, list[float], Callable[[list[float]], float], Callable[..., MeasurementTarget], float]
    ] = [
        ("times the best peer, least row", ratios, min, require_min, EVERY),
        ("times the best peer, median row", ratios, statistics.median, require_min, HALF),
        ("auto over our best search, worst row", to_best, max, require_max, WITHIN),
        ("auto over our best method, few bodies, worst row", to_best_small, max, require_max, WITHIN),
        ("bytes for each body, most", [row["bytes"] for row in rows], max, require_max, BYTES),
        (f"exponent of auto, scene {GROWTH_SCENE}", growth, max, require_max, GROWTH),
    ]
    found = []
    for name, known, reduce, target, bound in numbers:
        if known:
            value, case = reduce(known), {"number": name}
            found.append(Measurement("broad/targets", case, "auto", value, "", target=target(bound, value)))
    return found


def run(options: Options) -> BenchReport:
    """Measure all scenes, or the named ones."""
    scenes, quick, repeats = choose_scenes(options.names), options.quick, options.repeats
    if options.plot is not None and importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("plot", "drawing the times")
    numbers = NUMBERS[:1] if quick else (*NUMBERS, *((LARGE,) if options.large else ()))
    small_numbers = SMALL_NUMBERS[:2] if quick else SMALL_NUMBERS
    small = collect(
        measure_small(scenes, small_numbers, repeats), "a few bodies", len(scenes) * len(small_numbers)
    )
    total = sum(len(list_numbers(scene, numbers)) for scene in scenes)
    found = collect(measure(scenes, numbers, repeats), "scenes", total) + small
    found += fit_growth(found) + judge_run(found)
    parameters = {"scenes": scenes, "numbers": list(numbers), "repeats": repeats, "seed": SEED}
    parameters |= {"threads": ougi.get_threads(), "load_before": options.load}
    if options.plot is not None:
        draw_growth(found, options.plot)
    peers = read_peer_versions(broad_peers.PEERS)
    return BenchReport(parameters, found, build_tables(found, peers), peers)


def build_tables(measurements: Sequence[Measurement], peers: Mapping[str, str | None]) -> list[Table]:
    """Times and ratios, growth, and the targets of the whole run."""
    names = [peer.name for peer in broad_peers.PEERS]
    rows, small = select(measurements, "broad"), select(measurements, "broad/few")
    ours = [replace(each, target=None, missing=None) for each in rows if each.method not in names]
    searches = build_table(
        "candidate pairs, our searches, CPU ms",
        ours,
        columns="pairs {pairs:,} | auto / best {to_best:.2f} | copies {to_copy:.0f} | bytes/body {bytes:.0f}",
        across="method",
        notes=(
            "copies: auto over copying its input and its result. bytes/body: memory beside the result. "
            "-: skipped, slow.",
            "Shapes are built and laid out before the clock starts; pairs come unsorted, in new arrays.",
        ),
    )
    small_numbers = build_table(
        "a few bodies, our methods, CPU us", small, columns="auto / best {to_best:.2f}", across="method"
    )
    others = build_table(
        "times auto's CPU time that other libraries take (pairs that differ)",
        [each for each in rows if each.method in ("auto", *names)],
        columns="best peer {best_ratio:.1f}",
        across="method",
        cell=lambda each: format_value(each) if each.method == "auto" else _format_ratio(each),
        notes=(
            "auto: CPU ms. Medians of ratios within rounds. scipy and warp HashGrid test spheres, others "
            "boxes around them, which is less work; turning their results into arrays is not counted.",
            f"too slow: with fewer bodies it took {SLOW_FACTOR:g} times as long as the best of the others, "
            f"or half a second, and {MIN_PEERS} others were faster.",
            "warp computes in single precision, ipctk rounds outwards: they may differ in pairs that touch.",
        ),
        versions=peers,
    )
    growth = build_table(
        "growth",
        select(measurements, "broad/growth"),
        columns="exponent {value:.2f}",
        notes=(f"Of the time as a power of the number, fitted from {FROM:,} bodies on.",),
    )
    targets = build_table("targets", judge_run(measurements), columns="value {value:.2f}")
    return [table for table in (searches, small_numbers, others, growth, targets) if table.rows]


def _format_ratio(each: Measurement) -> str:
    return "-" if each.ratio is None else f"{each.ratio:.1f}" + (f" ({each.wrong})" if each.wrong else "")
