"""`ougi bench cuda`: what a GPU does in a second, beside its own copy and beside our CPU.

The unit is the GPU's: a copy from its memory to its memory. One test reads the numbers of the shapes that it
has not read before and writes its answer; these bytes over the time are a share of what the copy moves. Times
are medians of events on the GPU, after a first call that compiles.
"""

from __future__ import annotations

import functools
import importlib.util
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numba import cuda

import ougi
from ougi._check import frozen
from ougi._native import run as run_threads
from ougi.cli.tables import Table
from ougi.cuda import PairFinder, put
from ougi.cuda.driver import SIMULATED, empty, launch, to_device, to_numpy
from ougi.cuda.driver import kernel as compiled
from ougi.cuda.hulls import as_operand
from ougi.cuda.loops import device_loops, run_cross, run_listed
from ougi.impact.embed import screws_in_space
from ougi.impact.hulls import hull_loops
from ougi.impact.kernels import loops_of_one_mover, loops_of_two_movers
from ougi.impact.tables import KERNELS
from ougi.kernels.constants import FINEST_TOL
from ougi.query.dispatch import pair_loops
from ougi.query.tables import TABLES
from ougi_lab.bench import cuda_peers, cuda_scenes
from ougi_lab.bench.choose import choose_named
from ougi_lab.bench.measurement import (
    BenchReport,
    Measurement,
    Options,
    collect,
    list_missing,
    require_max,
    require_min,
    select,
)
from ougi_lab.bench.narrow_hulls import draw_solids
from ougi_lab.bench.peers import build_tasks, read_peer_versions
from ougi_lab.bench.table import build_table
from ougi_lab.machine import describe_gpu
from ougi_lab.measure import time_interleaved
from ougi_lab.scenes.device import draw_columns, make_equal_pairs
from ougi_lab.scenes.volumes import BENCH_SCENES

SEED = 20
# Bytes of the copy that is the unit.
_COPY = 1 << 16 if SIMULATED else 1 << 31
# Minimum shares of the copy.
TARGETS = {("intersects", "sector3d_sphere"): 0.8}
# Number of equal balls at SORT's density -> milliseconds; seconds for the motions of fan-accuracy.
SEARCH_TARGETS = {1_000_000: 0.6, 10_000_000: 6.0}
FAN_TARGET = 1.0
# Those of hulls and polygons, whose vertices lie behind the records.
_HULL_KERNELS = ("hull3d_hull3d", "polygon2d_polygon2d")
# A name for motions of a robot.
ROBOTS = "robots"
# Launches of a kernel one after the other that are timed together.
LAUNCHES = 5
# Tests of the CPU, at most: it is slower.
_CPU_TESTS = 1_000_000
_REACH, _SIZE, _TOL = 4.0, 0.8, 1e-9


def choose_cases(names: Sequence[str] = ()) -> list[tuple[str, str]]:
    """All kernels, or those that are named: a kernel (sphere_box), a layout (box) or a query (impact)."""
    every = [(q, row.kernel) for q in ("intersects", "distance") for row in TABLES[q]]
    every += [(q, kernel) for q in ("impact", "moving") for kernel in KERNELS]
    every += [(q, kernel) for q in ("intersects", "distance", "moving") for kernel in _HULL_KERNELS]
    advice = "give a kernel (sphere_box), a layout (box) or a query"
    return choose_named(
        dict.fromkeys(every), names, lambda case: (*case, *case[1].split("_")), "kernel", advice
    )


def time_on_gpu(task: Callable[[], object], repeats: int, in_row: int = 1) -> float:
    """Median seconds of a piece of work on the default stream.

    A launch from Python takes up to 0.1 ms. Work that is started `in_row` times hides it, if it takes longer.
    """
    task()
    if SIMULATED:
        begun = time.perf_counter()
        task()
        return time.perf_counter() - begun
    took = []
    for _ in range(repeats):
        start, stop = cuda.event(), cuda.event()
        start.record()
        for _ in range(in_row):
            task()
        stop.record()
        stop.synchronize()
        took.append(cuda.event_elapsed_time(start, stop) / 1e3 / in_row)
    return float(statistics.median(took))


def measure_copy_bandwidth(repeats: int) -> float:
    """Bytes per second, read and written, of a copy within the GPU's memory: the best of three methods."""
    a, b = (to_device(np.ones(_COPY // 8)) for _ in range(2))
    copies = [lambda: b.copy_to_device(a), lambda: launch(_copy, a.shape[0], a, b)]
    if not SIMULATED and importlib.util.find_spec("torch"):
        import torch

        x, y = torch.as_tensor(a, device="cuda"), torch.as_tensor(b, device="cuda")
        copies.append(lambda: y.copy_(x))
    return 2 * _COPY / min(time_on_gpu(copy, repeats, LAUNCHES) for copy in copies)


@compiled
def _copy(a: Any, b: Any) -> None:
    for i in range(cuda.grid(1), a.shape[0], cuda.gridsize(1)):
        b[i] = a[i]


def measure_kernel(query: str, kernel: str, count: int, repeats: int, copy: float) -> Measurement:
    """Tests per second; `copy` is the copy's bandwidth."""
    if kernel in _HULL_KERNELS:
        return _measure_hulls(query, kernel, count, repeats, copy)
    measure = _measure_narrow if query in ("intersects", "distance") else _measure_impact
    return measure(query, kernel, count, repeats, copy)


def _measure_narrow(query: str, kernel: str, count: int, repeats: int, copy: float) -> Measurement:
    """One against many."""
    made = pair_loops(query, kernel)
    first, second = kernel.split("_")
    a, b = draw_columns(first, 0, SEED, 0, 1, 0.5, 1.5), draw_columns(second, 1, SEED, 0, count, 2.0, 1.5)
    dtype = np.dtype(np.bool_ if query == "intersects" else np.float64)
    out = empty((count,), dtype)
    seconds = time_on_gpu(
        lambda: run_cross(device_loops(made), a, b, 1, count, out, (count, 1), 0), repeats, LAUNCHES
    )
    sample = min(count, _CPU_TESTS)
    x, y = frozen(to_numpy(a)), frozen(to_numpy(draw_columns(second, 1, SEED, 0, sample, 2.0, 1.5)))
    result = np.empty(sample, dtype)
    cpu = _time_on_cpu(lambda: run_threads(made.cross, x, y, result, size=sample))
    return _build_measurement(
        query, kernel, count, seconds, 8 * b.shape[0] + dtype.itemsize, copy, sample / cpu
    )


def _measure_impact(query: str, kernel: str, count: int, repeats: int, copy: float) -> Measurement:
    """First contacts, pair by pair; a tenth of the tests."""
    count = max(count // 10, 1)
    two = query == "moving"
    made = (loops_of_two_movers if two else loops_of_one_mover)(kernel)
    bodies = [
        draw_columns(each, k, SEED, 0, count, _REACH, _SIZE) for k, each in enumerate(kernel.split("_"))
    ]
    screws = [draw_columns("screw3d", 2 + k, SEED, 0, count, _REACH, _SIZE) for k in range(1 + two)]
    index, pairs, out = to_device(np.arange(count)), make_equal_pairs(count), empty((8, count), np.float64)
    a, b = _build_operands(bodies, screws, index)
    seconds = time_on_gpu(
        lambda: run_listed(device_loops(made), a, b, pairs, 0, out, 0), max(repeats // 3, 1)
    )
    sample = min(count, _CPU_TESTS // 20)
    host = [frozen(np.ascontiguousarray(to_numpy(c)[:, :sample])) for c in (*bodies, *screws)]
    x, y = _build_operands(host[:2], host[2:], frozen(np.arange(sample)))
    both = frozen(np.repeat(np.arange(sample)[:, None], 2, axis=1))
    result = np.empty((8, sample))
    cpu = _time_on_cpu(lambda: run_threads(made.listed, x, y, both, 0, result, size=sample))
    size = 8 * (sum(c.shape[0] for c in (*bodies, *screws)) + 8) + 8 + 16 * (1 + two)
    return _build_measurement(query, kernel, count, seconds, size, copy, sample / cpu)


def _draw_hulls(kernel: str, n: int, rng: np.random.Generator) -> Any:
    """Hulls of 32 vertices or polygons of 8, in random poses of a cube that is about full of them."""
    if kernel.startswith("hull"):
        return draw_solids(32, n, rng)
    angle = np.sort(rng.uniform(0, 2 * np.pi, (32, 8)), axis=1)
    corners = rng.uniform(0.3, 0.7, (32, 1, 1)) * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    polygons = ougi.ConvexPolygon2d(list(corners))[rng.integers(0, 32, n)]
    return polygons.transformed(ougi.Pose(rng.uniform(-1, 1, (n, 2)), rng.uniform(-np.pi, np.pi, n)))


def _measure_hulls(query: str, kernel: str, count: int, repeats: int, copy: float) -> Measurement:
    """Hull by hull, a tenth of the tests, of first contacts a hundredth: vertices are drawn on the host."""
    count = max(count // (100 if query == "moving" else 10), 1)
    rng, layout = np.random.default_rng([SEED, count]), kernel.split("_")[0]
    bodies = [_draw_hulls(kernel, count, rng) for _ in range(2)]
    rows = [np.ascontiguousarray(body.columns(layout)) for body in bodies]
    pairs, host = make_equal_pairs(count), frozen(np.repeat(np.arange(count)[:, None], 2, axis=1))
    size, dtype = 8 * 2 * 25 + 8, np.dtype(np.bool_ if query == "intersects" else np.float64)
    shape: tuple[int, ...] = (count,)
    a, b = (as_operand(to_device(each), layout) for each in rows)
    x: Any = frozen(rows[0])
    y: Any = frozen(rows[1])
    made = hull_loops(layout) if query == "moving" else pair_loops(query, kernel)
    if query == "moving":
        turn = [screws_in_space(_draw_turns(body, rng)) for body in bodies]
        index, own = to_device(np.arange(count)), frozen(np.arange(count))
        rest = max(_TOL, FINEST_TOL), 0.0, 1.0
        a, b = (
            (body, to_device(np.array(t)), index, index, *rest) for body, t in zip((a, b), turn, strict=True)
        )
        x, y = ((body, frozen(t), own, own, *rest) for body, t in zip((x, y), turn, strict=True))
        shape, size = (8, count), size + 8 * (2 * 8 + 8) + 32
    out, answer = empty(shape, dtype), np.empty(shape, dtype)
    seconds = time_on_gpu(
        lambda: run_listed(device_loops(made), a, b, pairs, 0, out, 0), max(repeats // 3, 1)
    )
    sample = min(count, _CPU_TESTS // 20)
    cpu = _time_on_cpu(lambda: run_threads(made.listed, x, y, host, 0, answer, size=sample))
    return _build_measurement(query, kernel, count, seconds, size, copy, sample / cpu)


def _draw_turns(body: Any, rng: np.random.Generator) -> Any:
    """Turns by up to half a circle about points beside the bodies."""
    center, angle = body.position + rng.normal(size=body.position.shape), rng.uniform(0.5, np.pi, body.count)
    if body.dimension == 2:
        return ougi.Rotation2d(center, angle)
    return ougi.Rotation3d(center, rng.normal(size=(body.count, 3)), angle)


def _build_operands(bodies: Sequence[Any], screws: Sequence[Any], index: Any) -> tuple[Any, Any]:
    movers = [
        (body, screw, index, index, _TOL, 0.0, 1.0) for body, screw in zip(bodies, screws, strict=False)
    ]
    return movers[0], movers[1] if len(screws) == 2 else bodies[1]


def _time_on_cpu(task: Callable[[], object]) -> float:
    """Best of three, after a call that compiles."""
    return time_interleaved({"work": task}, 3)["work"].best


def _build_measurement(
    query: str, kernel: str, tests: int, seconds: float, size: int, copy: float, cpu: float
) -> Measurement:
    """`size`: bytes that a test must read and write; `cpu`: tests per second on all threads."""
    per_second = tests / seconds
    share, bound = tests * size / seconds / copy, TARGETS.get((query, kernel))
    facts = {"bytes": size, "copy_share": share, "per_second": per_second, "cpu_per_second": cpu}
    target = None if bound is None else require_min(bound, share, of="copy_share")
    case = {"query": query, "kernel": kernel, "tests": tests}
    return Measurement("cuda", case, "GPU", seconds, "s", ratio=per_second / cpu, target=target, facts=facts)


def measure_searches(numbers: Sequence[int], repeats: int) -> Iterator[list[Measurement]]:
    """Measure searches: from columns on the GPU to pairs there, and their number on the host.

    Equal balls as dense as those of SORT, and another scene. `equal`: our pairs are those of the CPU.
    """
    for scene, n in [("ii even", n) for n in numbers] + [("iii clusters", min(numbers))]:
        bodies = BENCH_SCENES[scene](n, np.random.default_rng([SEED, n]))
        there, expected = put(bodies), ougi.candidate_pairs(bodies)
        case = {"scene": scene, "bodies": n, "pairs": len(expected)}
        new = functools.partial(Measurement, "cuda/searches", case)
        cpu = _time_on_cpu(functools.partial(ougi.candidate_pairs, bodies, sort=False))
        found = []
        for method in ("grid", "tree"):
            finder = PairFinder(method)
            equal = np.array_equal(finder.pairs(there, result="numpy"), expected)
            ms = 1e3 * time_on_gpu(functools.partial(finder.pairs, there), repeats)
            bound = SEARCH_TARGETS.get(n) if (scene, method) == ("ii even", "grid") else None
            target = None if bound is None else require_max(bound, ms)
            found.append(new(method, ms, target=target, facts={"equal": equal}))
        if scene == "ii even":
            peers, missing = build_tasks(cuda_peers.PEERS, bodies, len(expected))
            for name, task in peers.items():
                ms = 1e3 * time_on_gpu(task, max(repeats // 3, 1))
                found.append(new(name, ms, facts={"found": task()}))
            found += list_missing("cuda/searches", case, missing)
        yield [*found, new("CPU", 1e3 * cpu)]


def measure_fan(motions: int) -> Measurement:
    """Count the lattice points of the motions of fan-accuracy: seconds, after compilation."""
    from ougi_lab.lattice import count, count_cuda
    from ougi_lab.scenes.fan_motions import draw_fan_motions

    cells = 5 if SIMULATED else count.CELLS
    count_cuda.count_points(draw_fan_motions(0, range(2), [0] * 2), cells)
    begun = time.perf_counter()
    drawn_motions = draw_fan_motions(0, range(motions), [0] * motions)
    after = time.perf_counter()
    count_cuda.count_points(drawn_motions, cells)
    whole, counted = time.perf_counter() - after, count_cuda.seconds[-1]
    facts = {"prepare": whole - counted, "draw": after - begun}  # on the host
    target = require_max(FAN_TARGET, counted)
    case = {"motions": motions}
    return Measurement("cuda/fan-accuracy", case, "GPU", counted, "s", target=target, facts=facts)


def run(options: Options) -> BenchReport:
    """Measure kernels, and whole scenes unless kernels are named; the name `robots` is no kernel."""
    names, count, repeats = options.names, options.count, options.repeats
    kernel_names = [name for name in names if name != ROBOTS]
    device, chosen = describe_gpu(), choose_cases(kernel_names) if kernel_names or not names else []
    copy = measure_copy_bandwidth(repeats)
    kernels = (measure_kernel(*case, count, repeats, copy) for case in chosen)
    found = collect(kernels, "kernels", len(chosen))
    if not names or ROBOTS in names:
        found += collect(cuda_scenes.measure_robots(count, repeats, time_on_gpu), "robots", 4)
    if not names:
        numbers = [n for n in (100_000, 1_000_000, 10_000_000) if n <= 10 * count] or [100]
        found += collect(measure_searches(numbers, repeats), "searches", len(numbers) + 1)
        found.append(measure_fan(min(100_000, count)))
        found += collect(cuda_scenes.measure_radars(count, repeats, time_on_gpu), "radars", 3)
        walls = ("rough 1e5", "maze 1e6") if count >= 1_000_000 else ("rough 1e3",)
        frames = cuda_scenes.measure_characters(walls, min(1_000_000, count), repeats, time_on_gpu)
        found += collect(frames, "characters", 2 * len(walls))
    parameters: dict[str, Any] = {"kernels": list(names), "count": count, "repeats": repeats, "seed": SEED}
    parameters |= {
        "threads": ougi.get_threads(),
        "launches_in_a_row": LAUNCHES,
        "copy_bytes_per_second": copy,
    }
    peers = read_peer_versions(cuda_peers.PEERS)
    return BenchReport(parameters, found, build_tables(found, copy, device["gpu"], peers), peers, device)


def build_tables(
    measurements: Sequence[Measurement], copy: float, device: str, peers: Mapping[str, str | None]
) -> list[Table]:
    """Kernels, searches, fan-accuracy, radars and circles, as far as they were measured."""
    tables = {
        "cuda": build_table(
            f"kernels on {device}; its copy moves {copy / 1e12:.2f} TB/s",
            select(measurements, "cuda"),
            columns="tests/s {per_second:.3g} | share of copy {copy_share:.1%} | times the CPU {ratio:.3g}",
            notes=(f"CPU: the same kernels on {ougi.get_threads()} threads. Target: of the share.",),
        ),
        "cuda/searches": build_table(
            "candidate pairs on the GPU, ms",
            select(measurements, "cuda/searches"),
            columns="equal {equal}",
            across="method",
            versions=peers,
        ),
        "cuda/fan-accuracy": build_table(
            "fan-accuracy on the GPU, seconds",
            select(measurements, "cuda/fan-accuracy"),
            columns="counting {value:.3g} | laying out {prepare:.3g} | drawing {draw:.3g}",
            notes=("A motion: a million lattice points, 100 poses, the exact sweep and three sectors.",),
        ),
        "cuda/radars": build_table(
            "radars among 50 spheres of 128 faces on the GPU, ms",
            select(measurements, "cuda/radars"),
            columns="bodies seen {seen:.2f} | equal {equal}",
            across="method",
            notes=("CPU: one thread, as many radars.",),
        ),
        "cuda/characters": build_table(
            "frames of circles in corridors on the GPU, ms",
            select(measurements, "cuda/characters"),
            columns="equal {equal}",
            across="method",
            notes=(f"CPU: {ougi.get_threads()} threads. speed: radii in a frame.",),
        ),
        "cuda/robots": build_table(
            "certified edges of an arm of 59 spheres among 7 boxes on the GPU, per second",
            select(measurements, "cuda/robots"),
            columns="edges/s {value:.3g} | times the CPU {ratio:.3g} | differ {differ}",
            notes=(
                f"CPU: {ougi.get_threads()} threads. Edges are one unit long in joint values.",
                "differ: results of a sample that are not those of the CPU.",
            ),
        ),
    }
    return [table for subject, table in tables.items() if select(measurements, subject)]
