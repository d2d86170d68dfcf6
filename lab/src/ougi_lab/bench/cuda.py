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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import cuda

import ougi
from ougi._check import frozen
from ougi._jit import run
from ougi.cli.tables import Table
from ougi.cuda import PairFinder, put
from ougi.cuda._driver import SIMULATED, copied, empty, launch, to_numpy
from ougi.cuda._driver import kernel as compiled
from ougi.cuda._loops import device_loops, run_cross, run_listed
from ougi.impact.kernels import loops_of_one_mover, loops_of_two_movers
from ougi.impact.tables import KERNELS
from ougi.query._dispatch import pair_loops
from ougi.query._tables import TABLES
from ougi_lab.bench import cuda_peers
from ougi_lab.bench.choose import choose
from ougi_lab.scenes.device import draw_columns, make_equal_pairs
from ougi_lab.scenes.volumes import BENCH_SCENES

SEED = 20
# Bytes of the copy that is the unit.
_COPY = 1 << 16 if SIMULATED else 1 << 31
# Shares of the copy that shall be reached, and that count for the exit of the bench's table.
TARGETS = {("intersects", "sector3d_sphere"): 0.8}
# Milliseconds for so many equal balls at SORT's density, and seconds for the motions of fan-accuracy.
SEARCH_TARGETS = {1_000_000: 0.6, 10_000_000: 6.0}
FAN_TARGET = 1.0
# Launches of a kernel one after the other that are timed together.
IN_ROW = 5
# Tests of the CPU, at most: it is slower.
_CPU_TESTS = 1_000_000
_REACH, _SIZE, _TOL = 4.0, 0.8, 1e-9


@dataclass(frozen=True)
class Row:
    """What was measured."""

    question: str  # intersects and distance: one against many; impact, moving: pair by pair
    kernel: str
    tests: int
    seconds: float
    bytes: int  # that the test must read and write, per test
    copy_share: float
    per_second: float
    cpu_per_second: float  # on all threads
    ratio: float  # to that
    target: float | None  # of `copy_share`
    met: bool | None


def cases(names: Sequence[str] = ()) -> list[tuple[str, str]]:
    """All kernels, or those that are named: a kernel (sphere_box), a layout (box) or a question (impact)."""
    every = [(q, row.kernel) for q in ("intersects", "distance") for row in TABLES[q]]
    every += [(q, kernel) for q in ("impact", "moving") for kernel in KERNELS]
    advice = "give a kernel (sphere_box), a layout (box) or a question"
    return choose(dict.fromkeys(every), names, lambda case: (*case, *case[1].split("_")), "kernel", advice)


def on_gpu(work: Callable[[], object], repeats: int, in_row: int = 1) -> float:
    """Median seconds of a piece of work on the default stream.

    A launch from Python takes up to 0.1 ms. Work that is started `in_row` times hides it, if it takes longer.
    """
    work()
    if SIMULATED:
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun
    took = []
    for _ in range(repeats):
        start, stop = cuda.event(), cuda.event()
        start.record()
        for _ in range(in_row):
            work()
        stop.record()
        stop.synchronize()
        took.append(cuda.event_elapsed_time(start, stop) / 1e3 / in_row)
    return float(statistics.median(took))


def copy_bandwidth(repeats: int) -> float:
    """Bytes per second, read and written, of a copy within the GPU's memory: the best of three ways."""
    a, b = (copied(np.ones(_COPY // 8)) for _ in range(2))
    ways = [lambda: b.copy_to_device(a), lambda: launch(_copy, a.shape[0], a, b)]
    if not SIMULATED and importlib.util.find_spec("torch"):
        import torch

        x, y = torch.as_tensor(a, device="cuda"), torch.as_tensor(b, device="cuda")
        ways.append(lambda: y.copy_(x))
    return 2 * _COPY / min(on_gpu(way, repeats, IN_ROW) for way in ways)


@compiled
def _copy(a: Any, b: Any) -> None:
    for i in range(cuda.grid(1), a.shape[0], cuda.gridsize(1)):
        b[i] = a[i]


def rows(chosen: Sequence[tuple[str, str]], count: int, repeats: int, copy: float) -> Iterator[Row]:
    """Measure kernels, one after the other; `copy` is the copy's bandwidth."""
    for question, name in chosen:
        measure = _narrow if question in ("intersects", "distance") else _impact
        yield measure(question, name, count, repeats, copy)


def _narrow(question: str, kernel: str, count: int, repeats: int, copy: float) -> Row:
    """One against many."""
    made = pair_loops(question, kernel)
    first, second = kernel.split("_")
    a, b = draw_columns(first, 0, SEED, 0, 1, 0.5, 1.5), draw_columns(second, 1, SEED, 0, count, 2.0, 1.5)
    dtype = np.dtype(np.bool_ if question == "intersects" else np.float64)
    out = empty((count,), dtype)
    seconds = on_gpu(
        lambda: run_cross(device_loops(made), a, b, 1, count, out, (count, 1), 0), repeats, IN_ROW
    )
    few = min(count, _CPU_TESTS)
    x, y = frozen(to_numpy(a)), frozen(to_numpy(draw_columns(second, 1, SEED, 0, few, 2.0, 1.5)))
    answer = np.empty(few, dtype)
    cpu = _on_cpu(lambda: run(made.cross, x, y, answer, size=few))
    return _row(question, kernel, count, seconds, 8 * b.shape[0] + dtype.itemsize, copy, few / cpu)


def _impact(question: str, kernel: str, count: int, repeats: int, copy: float) -> Row:
    """First contacts, pair by pair; a tenth of the tests."""
    count = max(count // 10, 1)
    two = question == "moving"
    made = (loops_of_two_movers if two else loops_of_one_mover)(kernel)
    bodies = [
        draw_columns(each, k, SEED, 0, count, _REACH, _SIZE) for k, each in enumerate(kernel.split("_"))
    ]
    ways = [draw_columns("screw3d", 2 + k, SEED, 0, count, _REACH, _SIZE) for k in range(1 + two)]
    index, pairs, out = copied(np.arange(count)), make_equal_pairs(count), empty((8, count), np.float64)
    a, b = _operands(bodies, ways, index)
    seconds = on_gpu(lambda: run_listed(device_loops(made), a, b, pairs, 0, out, 0), max(repeats // 3, 1))
    few = min(count, _CPU_TESTS // 20)
    host = [frozen(np.ascontiguousarray(to_numpy(c)[:, :few])) for c in (*bodies, *ways)]
    x, y = _operands(host[:2], host[2:], frozen(np.arange(few)))
    both = frozen(np.repeat(np.arange(few)[:, None], 2, axis=1))
    answer = np.empty((8, few))
    cpu = _on_cpu(lambda: run(made.listed, x, y, both, 0, answer, size=few))
    size = 8 * (sum(c.shape[0] for c in (*bodies, *ways)) + 8) + 8 + 16 * (1 + two)
    return _row(question, kernel, count, seconds, size, copy, few / cpu)


def _operands(bodies: Sequence[Any], ways: Sequence[Any], index: Any) -> tuple[Any, Any]:
    movers = [(body, way, index, index, _TOL, 0.0, 1.0) for body, way in zip(bodies, ways, strict=False)]
    return movers[0], movers[1] if len(ways) == 2 else bodies[1]


def _on_cpu(work: Callable[[], object]) -> float:
    """Best of three, after a call that compiles."""
    work()
    took = []
    for _ in range(3):
        begun = time.perf_counter()
        work()
        took.append(time.perf_counter() - begun)
    return min(took)


def _row(question: str, kernel: str, tests: int, seconds: float, size: int, copy: float, cpu: float) -> Row:
    share, target = tests * size / seconds / copy, TARGETS.get((question, kernel))
    return Row(
        question=question,
        kernel=kernel,
        tests=tests,
        seconds=seconds,
        bytes=size,
        copy_share=share,
        per_second=tests / seconds,
        cpu_per_second=cpu,
        ratio=tests / seconds / cpu,
        target=target,
        met=None if target is None else share >= target,
    )


@dataclass(frozen=True)
class Search:
    """A search for candidate pairs of equal balls, as dense as those of SORT, or a crowd of another kind."""

    scene: str
    bodies: int
    pairs: int
    ms: dict[str, float]  # ougi on the GPU by method, other libraries there by name
    found: dict[str, int]  # pairs by other libraries; warp's are of 32-bit numbers
    cpu_ms: float  # ougi on all threads, pairs in any order
    equal: bool  # to the CPU's pairs
    target_ms: float | None
    met: bool | None


def searches(numbers: Sequence[int], repeats: int) -> Iterator[Search]:
    """Measure searches: from columns on the GPU to pairs there, and their number on the host."""
    for scene, n in [("ii even", n) for n in numbers] + [("iii clusters", min(numbers))]:
        bodies = BENCH_SCENES[scene](n, np.random.default_rng([SEED, n]))
        there, want = put(bodies), ougi.candidate_pairs(bodies)
        cpu = _on_cpu(functools.partial(ougi.candidate_pairs, bodies, sort=False))
        took, found, equal = {}, dict[str, int](), True
        for method in ("grid", "tree"):
            finder = PairFinder(method)
            equal &= np.array_equal(finder.pairs(there, result="numpy"), want)
            took[method] = 1e3 * on_gpu(functools.partial(finder.pairs, there), repeats)
        if scene == "ii even":
            for name, task in cuda_peers.tasks(bodies, len(want)).items():
                took[name] = 1e3 * on_gpu(task, max(repeats // 3, 1))
                found[name] = task()
        target = SEARCH_TARGETS.get(n) if scene == "ii even" else None
        met = None if target is None else took["grid"] <= target
        yield Search(scene, n, len(want), took, found, 1e3 * cpu, equal, target, met)


def search_table(rows: Sequence[Search]) -> Table:
    """For people."""
    names = list(dict.fromkeys(name for row in rows for name in row.ms))
    return Table(
        "Candidate pairs on the GPU, milliseconds",
        ("scene", ">bodies", ">pairs", *(f">{name}" for name in names), ">CPU", "equal", "target of grid"),
        [
            (
                row.scene,
                f"{row.bodies:,}",
                f"{row.pairs:,}",
                *(f"{row.ms[name]:.3g}" if name in row.ms else "" for name in names),
                f"{row.cpu_ms:.3g}",
                "yes" if row.equal else "NO",
                "" if row.met is None else f"{row.target_ms} ms: {'met' if row.met else 'MISSED'}",
            )
            for row in rows
        ],
    )


@dataclass(frozen=True)
class Fan:
    """The whole of fan-accuracy: seconds, after compilation."""

    motions: int
    count: float  # on the GPU, until the sums are back
    prepare: float  # the host lays the motions out and copies them
    draw: float  # the host draws them, each from a seed of its own
    target: float  # of `count`
    met: bool


def fan(motions: int) -> Fan:
    """Count the lattice points of so many motions."""
    from ougi_lab.lattice import count, count_cuda
    from ougi_lab.scenes.fan_motions import draw_fan_motions

    cells = 5 if SIMULATED else count.CELLS
    count_cuda.count(draw_fan_motions(0, range(2), [0] * 2), cells)
    begun = time.perf_counter()
    drawn_motions = draw_fan_motions(0, range(motions), [0] * motions)
    after = time.perf_counter()
    count_cuda.count(drawn_motions, cells)
    whole, counted = time.perf_counter() - after, count_cuda.seconds[-1]
    return Fan(motions, counted, whole - counted, after - begun, FAN_TARGET, counted <= FAN_TARGET)


def fan_table(row: Fan) -> Table:
    """For people."""
    return Table(
        "fan-accuracy on the GPU, seconds",
        (">motions", ">counting", ">laying out", ">drawing", "target of counting"),
        [
            (
                f"{row.motions:,}",
                f"{row.count:.3g}",
                f"{row.prepare:.3g}",
                f"{row.draw:.3g}",
                f"{row.target} s: {'met' if row.met else 'MISSED'}",
            )
        ],
        ("A motion: a million lattice points, 100 poses, the exact sweep and three sectors.",),
    )


def kernel_table(rows: Sequence[Row], copy: float, gpu: str) -> Table:
    """For people."""
    return Table(
        f"Kernels on {gpu}; its copy moves {copy / 1e12:.2f} TB/s",
        ("question", "kernel", ">tests", ">10^9 tests/s", ">share of copy", ">times the CPU", "target"),
        [
            (
                row.question,
                row.kernel,
                f"{row.tests:,}",
                f"{row.per_second / 1e9:.3g}",
                f"{row.copy_share:.1%}",
                f"{row.ratio:.3g}",
                "" if row.met is None else f"{row.target:.0%}: {'met' if row.met else 'MISSED'}",
            )
            for row in rows
        ],
        (f"CPU: the same kernels on {ougi.get_threads()} threads.",),
    )
