"""`ougi bench library`: loops of the library of machine code beside those that Numba compiles, on arrays.

Two processes compute the same queries, in turn: one has the library of the installed wheel, or of the folder
OUGI_LIBRARY, and the other ignores it. Times are CPU time of one thread.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import ougi
from ougi._native.library import open_library
from ougi.errors import InvalidInputError
from ougi.radar import collide
from ougi_lab.bench.corridor import RADIUS, build_corridor
from ougi_lab.bench.measurement import BenchReport, Measurement, Options, require_max
from ougi_lab.bench.table import build_table
from ougi_lab.bench.world import build_world
from ougi_lab.measure import compute_median_ratio
from ougi_lab.scenes.batches import draw_batch
from ougi_lab.scenes.corridors import draw_circles
from ougi_lab.scenes.groups import draw_steady_groups
from ougi_lab.scenes.meshes import make_sphere

# The library may take this much of the time of the JIT.
BOUND = 1.03
SEED = 31
_PAIRS = (
    (ougi.Sphere, ougi.Sphere),
    (ougi.Sphere, ougi.Box),
    (ougi.Capsule3d, ougi.Box),
    (ougi.Box, ougi.Box),
    (ougi.Circle, ougi.Rectangle),
    (ougi.Sector3d, ougi.Sphere),
)
_METHODS = ("sweep", "tree", "brute", "x", "best-axis")
_MOVING = ((ougi.Sphere, ougi.Box), (ougi.Capsule3d, ougi.Box), (ougi.Box, ougi.Box))


def build_queries(count: int) -> dict[str, tuple[int, Callable[[], object]]]:
    """Name -> (how many tests, the call)."""
    queries: dict[str, tuple[int, Callable[[], object]]] = {}

    def add(name: str, n: int, function: Callable[..., object], *arguments: Any) -> None:
        queries[name] = n, lambda: function(*arguments)

    for a, b in _PAIRS:
        one, many = draw_batch(a, 1, SEED)[0], draw_batch(b, count, SEED)
        add(f"intersects {a.__name__}-{b.__name__}", count, ougi.intersects, one, many)
        if a is not ougi.Sector3d:
            add(f"contacts {a.__name__}-{b.__name__}", count, ougi.contacts, one, many)
    n = max(1, count // 20)
    motion, other = draw_batch(ougi.Rotation3d, n, SEED), draw_batch(ougi.Screw3d, n, SEED + 1)
    for a, b in _MOVING:
        body, target = draw_batch(a, n, SEED), draw_batch(b, n, SEED + 2)
        name = f"{a.__name__}-{b.__name__}"
        add(f"time_of_impact {name}", n, ougi.time_of_impact, body, motion, target)
        add(f"time_of_impact {name}, both move", n, ougi.time_of_impact, body, motion, target, other)
    rng = np.random.default_rng(SEED)
    balls = ougi.Sphere(rng.uniform(0, count ** (1 / 3), (count, 3)), 0.3)
    add("candidate_pairs Sphere", count, ougi.candidate_pairs, balls)
    fewer = balls[: max(1, count // 50)]
    for method in _METHODS:
        search = functools.partial(ougi.candidate_pairs, method=method)
        add(f"candidate_pairs Sphere, {method}", fewer.count, search, fewer)
    hulls, boxes = (draw_batch(cls, n, SEED) for cls in (ougi.ConvexHull3d, ougi.Box))
    others, targets = (draw_batch(cls, n, SEED + 2) for cls in (ougi.ConvexHull3d, ougi.Box))
    add("distance ConvexHull3d-ConvexHull3d", n, ougi.distance, hulls, others)
    add("time_of_impact ConvexHull3d-ConvexHull3d", n, ougi.time_of_impact, hulls, motion, others)
    add("manifolds Box-Box", n, ougi.manifolds, boxes, targets)
    origin, direction = rng.uniform(-4, 4, (n, 3)), rng.normal(size=(n, 3))
    add("raycast Box", n, ougi.raycast, origin, direction, boxes)
    corridor = build_corridor("maze 1e4")
    start, velocity = draw_circles(corridor, n, RADIUS, 4.0, rng)
    reach = corridor.compile(RADIUS)
    for name, structure in (("reach", reach), ("quadtree", "quadtree"), ("chain", "chain")):
        cast = functools.partial(corridor.cast, method=structure)
        add(f"Corridor.cast {name}", n, cast, start, velocity, RADIUS)
    ball = make_sphere(52, 50, 1.0, 0.1)
    other_ball = ball.transformed(ougi.Pose([0.4, 0.3, 3.0]))
    add("radar.collide Mesh", len(ball.faces), collide, ball, ougi.Translation3d([0, 0, 2.0]), other_ball)
    world = build_world(draw_steady_groups(3, n, 1 / 60, rng))
    add("World.step", n, world.step, 1 / 60)
    return queries


def run(options: Options) -> BenchReport:
    """Measure all queries in both processes."""
    if open_library() is None:
        raise InvalidInputError(
            "there is no library of machine code: install a wheel that has one, or name its folder by "
            "OUGI_LIBRARY (`python -m ougi.cli.native` builds one)"
        )
    processes = {name: _start(options.count, **env) for name, env in (("library", {}), ("jit", _WITHOUT))}
    try:
        found = [
            each
            for name, (n, _) in build_queries(options.count).items()
            for each in _measure(name, n, processes, options.repeats)
        ]
    finally:
        for process in processes.values():
            process.kill()
            process.wait()
    table = build_table(
        "library beside JIT, ns per test",
        found,
        columns="ns {value:,.2f} | best {best:,.2f} | of the JIT {ratio:,.3f}",
        notes=("Times are CPU time. The ratio is the median of the ratios within rounds.",),
        load=options.load,
    )
    return BenchReport({"count": options.count, "repeats": options.repeats}, found, [table])


_WITHOUT = {"OUGI_LIBRARY": "off"}


def _start(count: int, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ougi_lab.bench.library", str(count)]
    env = {**os.environ, "OUGI_THREADS": "1", **environment}
    return subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _measure(
    case: str, n: int, processes: dict[str, subprocess.Popen[str]], repeats: int
) -> list[Measurement]:
    seconds: dict[str, list[float]] = {name: [] for name in processes}
    for _ in range(repeats + 1):
        for name, process in processes.items():
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(case + "\n")
            process.stdin.flush()
            seconds[name].append(float(process.stdout.readline()))
    rounds = {name: [1e9 * each / n for each in times[1:]] for name, times in seconds.items()}  # [0] compiles
    ratio = compute_median_ratio(rounds["library"], rounds["jit"])
    found = []
    for name, times in rounds.items():
        own = {"ratio": ratio, "target": require_max(BOUND, ratio, of="ratio")} if name == "library" else {}
        middle, best, worst = float(np.median(times)), min(times), max(times)
        found.append(Measurement("library", {"query": case}, name, middle, "ns", best, worst, **own))  # type: ignore[arg-type]
    return found


def serve(count: int) -> None:
    """Read names of queries from stdin, and write the CPU seconds of each."""
    queries = build_queries(count)
    for line in sys.stdin:
        call = queries[line.strip()][1]
        start = time.process_time()
        call()
        sys.stdout.write(f"{time.process_time() - start}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
