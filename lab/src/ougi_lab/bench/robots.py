"""`ougi bench robots`: edges of a planner, proven by ougi and sampled by others.

The robot is an arm of seven joints with 59 spheres, or URDF files that are named. The source archive of
vamp-planner on the package index has spheres for the Panda, UR5, Fetch and Baxter, and `example-robot-data`
has meshes. Edges are one unit long in joint values, from random configurations, among seven boxes.

A scan of each edge judges the results. Spheres are scanned at 2,048 configurations by plain NumPy, and other
shapes at 512 by pinocchio with coal. An edge is wrong if it is called free and the scan finds a collision, or
if it is called colliding and the scan finds none. Contacts between two configurations of the scan count as
wrong, too.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ougi
from ougi._native import one_thread
from ougi._typing import Bools
from ougi_lab.bench.measurement import BenchReport, Measurement, Options, list_missing, require_max
from ougi_lab.bench.peers import build_tasks, read_peer_versions
from ougi_lab.bench.robot_peers import PEERS, SAMPLES, Edges, PinocchioScene
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK, time_interleaved
from ougi_lab.scenes.sphere_model import SphereModel

SEED = 29

# Configurations of the scan for each edge: of sphere models, and of others, which coal checks.
_SCAN, _MESH_SCAN = 2048, 512

# Edges of a robot of other shapes than spheres, at most: scans of coal are slow.
_MAX_MESH_EDGES = 200

# Microseconds of a certified edge: of a sphere model, and of other shapes.
_BOUND, _MESH_BOUND = 20.0, 500.0

# Joints of an arm: height of the next joint above, and its axis.
_LINKS = (
    (0.3, "0 0 1"), (0.0, "0 1 0"), (0.3, "0 0 1"), (0.0, "0 1 0"),
    (0.4, "0 0 1"), (0.0, "0 1 0"), (0.1, "0 0 1"),
)  # fmt: skip


def write_arm(folder: Path) -> Path:
    """An arm of seven joints and 59 spheres."""
    parts = ['<link name="l0"/>']
    for k, (height, axis) in enumerate(_LINKS):
        spheres = 9 if k < 3 else 8
        places = np.linspace(0.02, 0.28, spheres) if k % 2 else np.linspace(-0.06, 0.06, spheres)
        shapes = "".join(
            f'<collision><origin xyz="{0.03 * (i % 2)} 0 {z}"/>'
            f'<geometry><sphere radius="{0.07 - 0.005 * k}"/></geometry></collision>'
            for i, z in enumerate(places)
        )
        parts.append(
            f'<link name="l{k + 1}">{shapes}</link><joint name="j{k}" type="revolute"><parent link="l{k}"/>'
            f'<child link="l{k + 1}"/><origin xyz="0 0 {height}"/><axis xyz="{axis}"/>'
            '<limit lower="-2.8" upper="2.8" effort="1" velocity="1"/></joint>'
        )
    path = folder / "arm.urdf"
    path.write_text(f'<robot name="arm">{"".join(parts)}</robot>', encoding="utf-8")
    return path


def draw_edges(path: Path, n: int) -> Edges:
    """Random motions of a robot that has been written to a file."""
    rng = np.random.default_rng(SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # links without shapes, and the like
        robot = ougi.Robot.load(path)
    always, _ = robot.find_constant_pairs(200)
    robot = robot.ignore(always)  # sphere models overlap at the joints
    lower, upper = robot.get_sampling_bounds()
    step = rng.normal(size=(n, robot.dof))
    q0 = rng.uniform(lower, upper, (n, robot.dof))
    angle, distance, height = rng.uniform(0.0, 1.0, (3, 7)) * [[6.3], [0.4], [1.2]]
    centers = np.stack([(distance + 0.5) * np.cos(angle), (distance + 0.5) * np.sin(angle), height], axis=1)
    boxes: list[ougi.Shape] = [ougi.Box(center, rng.uniform(0.05, 0.3, 3)) for center in centers]
    return Edges(path, robot, boxes, q0, q0 + step / np.linalg.norm(step, axis=1)[:, None])


def run(options: Options) -> BenchReport:
    """Measure the robots that are named, or an arm."""
    n = min(options.tests, 2_000)
    found: list[Measurement] = []
    with tempfile.TemporaryDirectory() as folder, one_thread():
        for path in map(Path, options.names) if options.names else [write_arm(Path(folder))]:
            edges = draw_edges(path, n)
            if not _is_spheres(edges.robot):
                edges = edges.take(slice(_MAX_MESH_EDGES))
            found += _measure(edges, options.repeats)
    versions = read_peer_versions(PEERS)
    table = build_table(
        "edges of robots, one thread",
        found,
        columns="µs per edge {value:,.1f} | wrong {wrong}",
        notes=(
            f"Sampled: {SAMPLES} configurations per edge. Wrong: called free although a scan finds a "
            f"collision, or called colliding although it finds none. The scan has {_SCAN} configurations of "
            f"spheres by NumPy, or {_MESH_SCAN} of other shapes by pinocchio with coal.",
            f"Times are {CLOCK.name}, of free edges.",
        ),
        versions=versions,
        load=options.load,
    )
    return BenchReport({"edges": n, "repeats": options.repeats}, found, [table], versions)


def _is_spheres(robot: ougi.Robot) -> bool:
    return all(isinstance(each.shape, ougi.Sphere) for each in robot.shapes)


def _scan(edges: Edges) -> Bools | None:
    """Which edges are free, by a dense scan that uses nothing of the library; None without pinocchio."""
    if _is_spheres(edges.robot):
        model = SphereModel(edges.path, edges.robot.joint_names, edges.list_links()[1])
        return ~model.scan(edges.q0, edges.q1, edges.obstacles, _SCAN)
    try:
        import pinocchio
    except ImportError:
        return None
    return PinocchioScene(pinocchio, edges).check(edges.sample(_MESH_SCAN))


def _measure(edges: Edges, repeats: int) -> list[Measurement]:
    """Measure edges that are free, which cost most, and count wrong results of all."""
    robot, obstacles = edges.robot, edges.obstacles
    truth = _scan(edges)
    free = edges.take(robot.is_free(edges.q0, edges.q1, obstacles))
    case = {
        "robot": edges.path.stem,
        "shapes": len(robot.shapes),
        "edges": len(edges.q0),
        "free": len(free.q0),
    }
    methods: dict[str, Callable[[Edges], Callable[[], Any]]] = {
        "ougi, certified": lambda part: lambda: robot.is_free(part.q0, part.q1, obstacles),
        "ougi, sampled": lambda part: (
            lambda: ~np.asarray(robot.collides(part.sample(SAMPLES), obstacles)).any(axis=1)
        ),
    }
    tasks: dict[str, Any] = {name: build(free) for name, build in methods.items()}
    results = {name: build(edges)() for name, build in methods.items()}
    peers, missing = build_tasks(PEERS, free)
    tasks |= peers
    results |= {name: task() for name, task in build_tasks(PEERS, edges)[0].items()}
    bound = _BOUND if _is_spheres(robot) else _MESH_BOUND
    measured = []
    for name, timing in time_interleaved(tasks, max(repeats // 3, 1), clock=CLOCK.now).items():
        median, best, worst = (seconds / max(len(free.q0), 1) * 1e6 for seconds in timing)
        target = require_max(bound, best, of="best") if name == "ougi, certified" else None
        wrong = None if truth is None else int((results[name] != truth).sum())
        measured.append(
            Measurement("robots", case, name, median, "us", best, worst, wrong=wrong, target=target)
        )
    return measured + list_missing("robots", case, missing)
