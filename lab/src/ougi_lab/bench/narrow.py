"""`ougi bench narrow`: every pair of the tables, one against many and listed pairs, on one thread.

The unit is the machine's own: copying the columns of the shapes into a warm buffer. A ratio of 1 says that a
test costs as much as copying the numbers that it reads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

import ougi
from ougi._check import frozen
from ougi._native import one_thread
from ougi._typing import Ints
from ougi.cli.tables import Table
from ougi.query.dispatch import pair_loops
from ougi.query.tables import TABLES, Pair
from ougi.shapes import Shape
from ougi_lab.bench import narrow_hulls, narrow_manifolds, narrow_peers
from ougi_lab.bench.choose import choose_named
from ougi_lab.bench.measurement import (
    BenchReport,
    Measurement,
    MeasurementTarget,
    Options,
    collect,
    require_max,
    select,
)
from ougi_lab.bench.peers import read_peer_versions
from ougi_lab.bench.table import build_table
from ougi_lab.measure import build_copy_task, time_interleaved
from ougi_lab.scenes.batches import draw_batch, draw_central, draw_index_pairs

Query: TypeAlias = Literal["intersects", "distance"]
Form: TypeAlias = Literal["one", "listed"]
Draw: TypeAlias = Callable[..., Shape]  # the batch of a class for side 0 (a) or 1 (b)

QUERIES: tuple[Query, ...] = ("intersects", "distance")
FORMS: tuple[Form, ...] = ("one", "listed")
SEED = narrow_peers.SEED

# Ratios to the copy that `intersects` shall not exceed, one against TARGET_COUNT.
TARGET_COUNT = 100_000
TARGETS = {
    "Circle-Circle": 1.0,
    "Sphere-Sphere": 1.0,
    "Aabb2d-Aabb2d": 1.0,
    "Aabb3d-Aabb3d": 1.0,
    "Capsule2d-Capsule2d": 6.0,
    "Capsule3d-Capsule3d": 6.0,
    "Box-Box": 5.0,
    "Sector3d-Sphere": 1.5,
}
# Nanoseconds instead, where so much is computed that a copy is no measure.
TARGETS_NS = {"Sector3d-Capsule3d": 200.0}


class PairCase(NamedTuple):
    """What one line of the table measures."""

    query: Query
    pair: Pair
    form: Form


def name_pair(pair: Pair) -> str:
    """Such as Sphere-Box."""
    return f"{pair.a.__name__}-{pair.b.__name__}"


def choose_cases(names: Sequence[str] = ()) -> list[PairCase]:
    """All cases, or those that one of the names fits: a class (Box), a pair in either order (Box-Sphere), a
    kernel (sphere_box) or a dimension (2d, 3d)."""
    every = [PairCase(q, pair, form) for q in QUERIES for pair in TABLES[q] for form in FORMS]
    advice = "give a class (Box), a pair (Sphere-Box), a kernel (sphere_box) or a dimension (2d, 3d)"
    return choose_named(every, names, lambda case: _list_names(case.pair), "pair", advice)


def _list_names(pair: Pair) -> set[str]:
    a, b = pair.a.__name__.lower(), pair.b.__name__.lower()
    return {a, b, f"{a}-{b}", f"{b}-{a}", pair.kernel, f"{pair.a.dimension}d"}


def measure(chosen: Sequence[PairCase], count: int, listed: int, repeats: int) -> Iterator[list[Measurement]]:
    """Measure the cases, one after the other; each interleaves the copy, the kernel and the public call.

    Listed pairs take longer, so that a third of the rounds must do for them.
    """
    pairs = frozen(draw_index_pairs(count, count, listed, SEED))
    draw = functools.cache(lambda cls, side: draw_batch(cls, count, SEED + 1 + side))
    for case in chosen:
        yield _measure_case(case, draw, pairs, repeats if case.form == "one" else -(-repeats // 3))


@one_thread()
def _measure_case(case: PairCase, draw: Draw, pairs: Ints, repeats: int) -> list[Measurement]:
    tasks, out, copied = _build_tasks(case, draw, pairs)
    timings = time_interleaved(tasks, repeats)
    count = copied[-1].shape[-1]
    copy, best_copy, _ = (seconds * 1e9 / count for seconds in timings["copy"])
    kernel, best, worst = (seconds * 1e9 / len(out) for seconds in timings["kernel"])
    public = timings["public"].median * 1e9 / len(out)
    facts = {
        "kernel": case.pair.kernel,
        "tests": len(out),
        "hits": float(np.mean(out if out.dtype == np.bool_ else out <= 0)),
        "best_ratio": best / best_copy,  # less at the mercy of other programs, which slow a copy most
    }
    target = _choose_target(case, count, kernel, kernel / copy)
    named = {"pair": name_pair(case.pair), "query": case.query, "form": case.form}
    new = functools.partial(Measurement, "narrow", named, unit="ns")
    return [
        new("kernel", kernel, best=best, worst=worst, ratio=kernel / copy, target=target, facts=facts),
        new("public", public, ratio=public / copy),
        new("copy", copy, best=best_copy),
    ]


def _build_tasks(
    case: PairCase, draw: Draw, pairs: Ints
) -> tuple[dict[str, Callable[[], object]], Any, list[Any]]:
    """What is timed, the array that the kernel fills, and the columns that are copied."""
    loops = pair_loops(case.query, case.pair.kernel)
    call = getattr(ougi, case.query)
    b = draw(case.pair.b, 1)
    layout_a, columns_b = case.pair.layouts[0], b.columns(case.pair.layouts[1])
    n = b.count if case.form == "one" else len(pairs)
    out: Any = np.empty(n, np.bool_ if case.query == "intersects" else np.float64)
    kernel: Callable[[], object]
    if case.form == "one":
        a: Shape = draw_central(case.pair.a, SEED)
        kernel = functools.partial(loops.cross, a.columns(layout_a), columns_b, out, 0, n)
        public, copied = functools.partial(call, a, b), [columns_b]
    else:
        a = draw(case.pair.a, 0)
        copied = [a.columns(layout_a), columns_b]
        kernel = functools.partial(loops.listed, *copied, pairs, 0, out, 0, n)
        public = functools.partial(call, a, b, pairs=pairs)
    return {"copy": build_copy_task(copied), "kernel": kernel, "public": public}, out, copied


def _choose_target(case: PairCase, count: int, ns: float, ratio: float) -> MeasurementTarget | None:
    name = name_pair(case.pair)
    if case.query != "intersects" or case.form != "one" or count != TARGET_COUNT:
        return None
    if name in TARGETS_NS:
        return require_max(TARGETS_NS[name], ns)
    return require_max(TARGETS[name], ratio, of="ratio") if name in TARGETS else None


def run(options: Options) -> BenchReport:
    """Measure all pairs or those that are named, alone and beside other libraries; `hulls` names hulls."""
    names = [name for name in options.names if name.lower() != "hulls"]
    has_hulls = not options.names or len(names) < len(options.names)
    chosen = choose_cases(names) if names or not options.names else []
    count, listed, tests, repeats = options.count, options.listed, options.tests, options.repeats
    found = collect(measure(chosen, count, listed, repeats), "pairs", len(chosen))
    shared = [
        (query, pair)
        for query in QUERIES
        for pair in narrow_peers.PAIRS
        if any((case.query, case.pair.a, case.pair.b) == (query, pair.a, pair.b) for case in chosen)
    ]
    found += collect(narrow_peers.measure(shared, tests, repeats), "other libraries", len(shared))
    hulls = narrow_hulls.measure(min(tests, 2000), repeats) if has_hulls else ()
    found += collect(hulls, "hulls", len(narrow_hulls.CASES) if has_hulls else 0)
    manifolds = narrow_manifolds.measure(min(tests, 2000), repeats) if has_hulls else ()
    found += collect(manifolds, "manifolds", len(narrow_manifolds.CASES) if has_hulls else 0)
    parameters = {"pairs": list(options.names), "count": count, "listed": listed, "tests": tests}
    parameters |= {"repeats": repeats, "seed": SEED, "threads": 1}
    peers = read_peer_versions((*narrow_peers.PEERS, *(narrow_manifolds.PEERS if has_hulls else ())))
    tables = [build_pair_table(select(found, "narrow"))] if chosen else []
    if shared:
        tables.append(build_peer_table(select(found, "narrow/peers"), peers))
    if has_hulls:
        tables.append(narrow_hulls.build_hull_table(select(found, "narrow/hulls"), peers))
        tables.append(narrow_manifolds.build_manifold_table(select(found, "narrow/manifolds"), peers))
    return BenchReport(parameters, found, tables, peers)


def build_pair_table(measurements: Sequence[Measurement]) -> Table:
    """Nanoseconds per test and ratios to the copy."""
    return build_table(
        "narrow phase, one thread, ns per test (in brackets: times the copy)",
        measurements,
        columns="tests {tests:,} | hits {hits:.0%} | at best {best_ratio:.2f}x",
        across="method",
        notes=(
            "copy: copying the columns of a test into a warm buffer, those of one shape (one) or of both "
            "(listed); medians. at best: kernel over copy, best rounds. If this differs much from the ratio "
            "of the medians, other programs were running: they slow the copy most.",
            "kernel: the compiled loop alone; public: ougi.intersects or ougi.distance, with its checks and "
            "a new array.",
        ),
    )


def build_peer_table(measurements: Sequence[Measurement], peers: Mapping[str, str | None]) -> Table:
    """Microseconds per test of ours and theirs, and how many results differ."""
    return build_table(
        "other libraries, called in a Python loop, us per test (and the worst gap in m)",
        measurements,
        across="method",
        cell=narrow_peers.format_with_gap,
        notes=(
            "ougi: all tests in one call; single: one test per call, as the others. "
            "All objects are built before the clock starts.",
            "wrong: tests in which only one of us finds a contact; worst gap: largest difference of two "
            "positive distances.",
        ),
        versions=peers,
    )
