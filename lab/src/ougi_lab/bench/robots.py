"""`ougi bench robots`: edges of a planner, proven by ougi and sampled by others.

The robot is an arm of seven joints with 59 spheres, or URDF files that are named. The source archive of
vamp-planner on the package index has spheres for the Panda, UR5, Fetch and Baxter. Edges are one unit long in
joint values, from random configurations, among seven boxes. A scan of 2,048 configurations per edge judges
the results: an edge that it finds to collide is wrong if it is called free.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ougi
from ougi._native import one_thread
from ougi._typing import Bools, Floats
from ougi_lab.bench.measurement import BenchReport, Measurement, Options, list_missing, require_max
from ougi_lab.bench.peers import Peer, build_tasks, read_peer_versions
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK, time_interleaved

SEED = 29

# Samples per unit of joint values, as planners use them, and of the scan.
_SAMPLES, _SCAN = 32, 2048

# Microseconds of a certified edge of a sphere model.
_BOUND = 20.0

# Joints of an arm: height of the next joint above, and its axis.
_LINKS = (
    (0.3, "0 0 1"), (0.0, "0 1 0"), (0.3, "0 0 1"), (0.0, "0 1 0"),
    (0.4, "0 0 1"), (0.0, "0 1 0"), (0.1, "0 0 1"),
)  # fmt: skip


class Edges(NamedTuple):
    """A robot among obstacles, and motions of it."""

    path: Path
    robot: ougi.Robot
    obstacles: list[ougi.Shape]
    q0: Floats
    q1: Floats

    def take(self, rows: Any) -> Edges:
        """A subset of the motions."""
        return self._replace(q0=self.q0[rows], q1=self.q1[rows])

    def sample(self, n: int) -> Floats:
        """Configurations (edges, n, dof)."""
        t = np.linspace(0, 1, n)[:, None]
        q: Floats = self.q0[:, None] * (1 - t) + self.q1[:, None] * t
        return q


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
            found += _measure(draw_edges(path, n), options.repeats, is_judged=not options.names)
    versions = read_peer_versions(PEERS)
    table = build_table(
        "edges of robots, one thread",
        found,
        columns="µs per edge {value:,.1f} | wrong {wrong}",
        notes=(
            f"Sampled: {_SAMPLES} configurations per edge. Wrong: called free although one of {_SCAN} "
            "configurations collides, or called colliding although none does.",
            f"Times are {CLOCK.name}.",
        ),
        versions=versions,
        load=options.load,
    )
    return BenchReport({"edges": n, "repeats": options.repeats}, found, [table], versions)


def _measure(edges: Edges, repeats: int, *, is_judged: bool) -> list[Measurement]:
    """Measure edges that are free, which cost most, and count wrong results of all."""
    robot, obstacles = edges.robot, edges.obstacles
    truth = ~np.array([robot.collides(q, obstacles).any() for q in edges.sample(_SCAN)])
    free = edges.take(robot.is_free(edges.q0, edges.q1, obstacles))
    case = {"robot": edges.path.stem, "shapes": len(robot.shapes), "free": len(free.q0)}
    methods: dict[str, Callable[[Edges], Callable[[], Any]]] = {
        "ougi, certified": lambda part: lambda: robot.is_free(part.q0, part.q1, obstacles),
        "ougi, sampled": lambda part: (
            lambda: ~np.asarray(robot.collides(part.sample(_SAMPLES), obstacles)).any(axis=1)
        ),
    }
    tasks: dict[str, Any] = {name: build(free) for name, build in methods.items()}
    answers = {name: build(edges)() for name, build in methods.items()}
    peers, missing = build_tasks(PEERS, free)
    tasks |= peers
    answers |= {name: task() for name, task in build_tasks(PEERS, edges)[0].items()}
    measured = []
    for name, timing in time_interleaved(tasks, max(repeats // 3, 1), clock=CLOCK.now).items():
        median, best, worst = (seconds / max(len(free.q0), 1) * 1e6 for seconds in timing)
        target = require_max(_BOUND, best, of="best") if is_judged and name == "ougi, certified" else None
        wrong = int((answers[name] != truth).sum())
        measured.append(
            Measurement("robots", case, name, median, "us", best, worst, wrong=wrong, target=target)
        )
    return measured + list_missing("robots", case, missing)


def _build_pinocchio(pinocchio: Any, edges: Edges) -> Callable[[], Bools]:
    """Sampled configurations by pinocchio, with coal, one by one; pairs are those that ougi checks."""
    model = pinocchio.buildModelFromUrdf(str(edges.path))
    folders = [str(edges.path.parent)]
    geometry = pinocchio.buildGeomFromUrdf(
        model, str(edges.path), pinocchio.GeometryType.COLLISION, package_dirs=folders
    )
    if len(geometry.geometryObjects) != len(edges.robot.shapes):
        raise RuntimeError("pinocchio reads another number of shapes")
    numbers = _match_shapes(model, geometry, edges.robot)
    for a, b in edges.robot.checked_pairs.tolist():
        geometry.addCollisionPair(pinocchio.CollisionPair(numbers[a], numbers[b]))
    _add_boxes(pinocchio, geometry, numbers, edges.obstacles)
    order = [edges.robot.joint_names.index(name) for name in list(model.names)[1:]]
    data, geometry_data = model.createData(), geometry.createData()
    samples = edges.sample(_SAMPLES)[:, :, order]

    def check() -> Bools:
        return np.array(
            [
                not any(
                    pinocchio.computeCollisions(model, data, geometry, geometry_data, q, True) for q in motion
                )
                for motion in samples
            ]
        )

    return check


def _build_ompl(ompl: Any, edges: Edges) -> Callable[[], Bools]:
    """OMPL's validator of samples, one by one, with ougi's test of a configuration."""
    from ompl import base

    from ougi.adapters.ompl import build_space

    robot, space = edges.robot, build_space(edges.robot)
    information = base.SpaceInformation(space)
    information.setStateValidityChecker(
        lambda state: not robot.collides(np.array([state[k] for k in range(robot.dof)]), edges.obstacles)
    )
    information.setStateValidityCheckingResolution(1 / _SAMPLES / space.getMaximumExtent())
    information.setup()
    validator = information.getMotionValidator()

    def build_state(q: Floats) -> Any:
        state = space.allocState()
        for k, value in enumerate(q.tolist()):
            state[k] = value
        return state

    motions = [(build_state(q0), build_state(q1)) for q0, q1 in zip(edges.q0, edges.q1, strict=True)]
    return lambda: np.array([validator.checkMotion(*motion) for motion in motions])


def _match_shapes(model: Any, geometry: Any, robot: ougi.Robot) -> list[int]:
    """The numbers of the robot's shapes in pinocchio, which orders links in its own manner."""
    by_link: dict[str, list[int]] = {}
    for k, thing in enumerate(geometry.geometryObjects):
        by_link.setdefault(model.frames[thing.parentFrame].name, []).append(k)
    return [by_link[shape.link].pop(0) for shape in robot.shapes]


def _add_boxes(pinocchio: Any, geometry: Any, numbers: list[int], boxes: list[Any]) -> None:
    import coal

    for k, box in enumerate(boxes):
        pose = pinocchio.SE3(np.eye(3), np.array(box.center))
        thing = pinocchio.GeometryObject(f"box{k}", 0, pose, coal.Box(*box.size))
        added = geometry.addGeometryObject(thing)
        for number in numbers:
            geometry.addCollisionPair(pinocchio.CollisionPair(number, added))


PEERS = (
    Peer("pinocchio with coal, sampled", "pinocchio", _build_pinocchio, distribution="pin"),
    Peer("OMPL with ougi, sampled", "ompl", _build_ompl),
)
