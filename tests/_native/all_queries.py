"""Every query on random input, as digests of the bytes of its results: `python all_queries.py PATTERN`.

The last lines list the loops of a library that ran, and whether Numba was imported.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ougi._native import entry, library

called: set[str] = set()
_bind = entry.bind


def _observe(name: str, *rest: Any) -> Callable[..., Any]:
    """A loop of a library that notes its name when it is called."""
    made = _bind(name, *rest)

    def call(*arguments: Any) -> Any:
        called.add(name)
        return made(*arguments)

    return call


library.bind = _observe  # type: ignore[assignment,attr-defined]

import ougi  # noqa: E402
from ougi.broad import METHODS  # noqa: E402
from ougi.cli.warmup import compile_task, list_tasks  # noqa: E402
from ougi.impact.tables import KERNELS  # noqa: E402
from ougi.query.tables import COMPLETE, TABLES  # noqa: E402
from ougi.radar import collide  # noqa: E402
from ougi_lab.scenes.batches import draw_batch  # noqa: E402
from ougi_lab.scenes.pairs import draw_shapes  # noqa: E402

N = 200
TETRAHEDRON = ougi.Mesh(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
)
PAIRS = np.stack([np.arange(N), np.arange(N)[::-1]], axis=1)


def run_queries(pattern: str) -> Iterator[tuple[str, list[Any]]]:
    """The name and the results of each query whose name matches."""
    for name, query in _queries():
        if re.search(pattern, name):
            yield name, query()


def _queries() -> Iterator[tuple[str, Any]]:
    public = {"intersects": ougi.intersects, "distance": ougi.distance, "separation": ougi.contacts}
    for query, rows in TABLES.items():
        for row in (*rows, *(row for row in COMPLETE if ougi.Mesh not in (row.a, row.b))):
            yield (
                f"{query} {row.a.__name__} {row.b.__name__} {row.kernel}",
                lambda row=row, run=public[query]: _compare(run, row.a, row.b),
            )
    for kernel in KERNELS:
        for movers in (1, 2):
            yield f"impact {kernel} {movers}", lambda kernel=kernel, movers=movers: _meet(kernel, movers)
    for method in METHODS:
        for balls in (True, False):
            yield f"broad {method} {balls}", lambda method=method, balls=balls: _search(method, balls)
    for structure in ("reach", "quadtree", "chain", "groups", "brute", "published"):
        yield f"corridor {structure}", lambda structure=structure: _bounce(structure)
    for method in ("exact", "published"):
        yield f"radar {method}", lambda method=method: _approach(method)
    for dimension in (2, 3):
        yield f"hull {dimension}", lambda dimension=dimension: _move_hulls(dimension)
        yield f"world {dimension}", lambda dimension=dimension: _step_world(dimension)
    yield "manifolds", _find_manifolds
    yield "mesh", _query_meshes
    yield "robot", _move_robot
    for method in ("exact", "sector", "speculative-ideal", "swept-sphere"):
        yield f"sweep {method}", lambda method=method: _sweep(method)
    yield "swing", _swing
    yield "advancement", _advance
    # What is left runs on the small input of the tasks.
    yield "tasks", lambda: [compile_task(task) * 0 for task in list_tasks()]


def _compare(query: Any, a: Any, b: Any) -> list[Any]:
    x, y = _draw(a, 1), _draw(b, 2)
    return [query(x, y[0]), query(x, y, pairs=PAIRS)]


def _draw(cls: Any, seed: int) -> Any:
    if cls.__name__.startswith("Point"):
        return np.random.default_rng(seed).uniform(-2, 2, (N, cls.dimension))
    if cls.__name__.startswith(("Convex", "Ellipsoid")):
        return draw_shapes(cls, N, np.random.default_rng(seed))
    if cls.__name__.startswith("Half"):
        return cls(np.random.default_rng(seed).normal(size=(N, cls.dimension)), 0.1)
    return draw_batch(cls, N, seed)


SOLIDS = {"sphere": ougi.Sphere, "capsule3d": ougi.Capsule3d, "triangle3d": ougi.Triangle3d, "box": ougi.Box}


def _draw_solid(layout: str, seed: int) -> Any:
    if layout in SOLIDS:
        return draw_batch(SOLIDS[layout], N, seed)
    sector = draw_batch(ougi.Sector3d, N, seed)
    fields = sector.center, sector.axis, sector.direction, np.pi, 0.0, sector.outer_radius, sector.half_height
    return ougi.Sector3d(*fields)


def _meet(kernel: str, movers: int) -> list[Any]:
    a, b = (_draw_solid(layout, seed) for seed, layout in enumerate(kernel.split("_")))
    motion, other = draw_batch(ougi.Screw3d, N, 3), draw_batch(ougi.Screw3d, N, 4)
    return [ougi.time_of_impact(a, motion, b, other if movers == 2 else None)]


def _search(method: str, balls: bool) -> list[Any]:
    volumes = draw_batch(ougi.Sphere if balls else ougi.Aabb3d, 20 * N, 5)
    return [ougi.candidate_pairs(volumes, method=method)]


def _bounce(structure: str) -> list[Any]:
    rng = np.random.default_rng(6)
    corridor = ougi.Corridor([[0, 0], [9, 0], [9, 4], [5, 6], [0, 6]])
    start, velocity = rng.uniform(1, 3, (N, 2)), rng.uniform(-5, 5, (N, 2))
    return [corridor.step(start, velocity, 0.25, 1.0, method=structure)]


def _approach(method: Any) -> list[Any]:
    target = TETRAHEDRON.transformed(ougi.Pose([0.1, 0.2, 3]))
    return [collide(TETRAHEDRON, ougi.Translation3d([0, 0.1, 9]), target, method=method)]


def _move_hulls(dimension: int) -> list[Any]:
    cls, motion = (
        (ougi.ConvexPolygon2d, ougi.Rotation2d) if dimension == 2 else (ougi.ConvexHull3d, ougi.Screw3d)
    )
    a, b = _draw(cls, 7), _draw(cls, 8)
    x, y = draw_batch(motion, N, 9), draw_batch(motion, N, 10)
    return [ougi.time_of_impact(a, x, b), ougi.time_of_impact(a, x, b, y)]


def _step_world(dimension: int) -> list[Any]:
    world = ougi.World()
    ball, solid, motion = (
        (ougi.Circle, ougi.Rectangle, ougi.Rotation2d)
        if dimension == 2
        else (ougi.Sphere, ougi.Box, ougi.Screw3d)
    )
    world.add(draw_batch(ball, N, 11), draw_batch(motion, N, 12))
    world.add(draw_batch(solid, N, 13), draw_batch(motion, N, 14))
    steps = [world.step(0.25) for _ in range(2)]
    return [field for each in steps for field in (each.pair, each.state, each.t, each.point, each.normal)]


def _find_manifolds() -> list[Any]:
    boxes, rods, flat = _draw(ougi.Box, 26), _draw(ougi.Capsule3d, 27), _draw(ougi.Rectangle, 28)
    floor, ground = ougi.HalfSpace3d([0, 0, 1], 0.1), ougi.HalfSpace2d([0, 1], 0.1)
    pairs = [(boxes, boxes[0]), (boxes, rods), (boxes, floor), (flat, flat[0]), (flat, ground)]
    return [ougi.manifolds(a, b) for a, b in pairs]


def _query_meshes() -> list[Any]:
    rng = np.random.default_rng(15)
    vertices = rng.normal(size=(60, 3))
    mesh = ougi.Mesh(vertices, rng.permutation(60).reshape(20, 3))
    solid = ougi.Mesh(TETRAHEDRON.vertices, TETRAHEDRON.faces, solid=True)
    balls, fans = draw_batch(ougi.Sphere, N, 16), draw_batch(ougi.Sector3d, N, 17)
    points, turn = rng.uniform(-1, 1, (N, 3)), draw_batch(ougi.Rotation3d, N, 18)
    results: list[Any] = [
        query(solid, each) for query in (ougi.intersects, ougi.distance) for each in (points, balls)
    ]
    plane = ougi.HalfSpace3d([0, 0, 1], 0.1)
    results += [query(mesh, plane) for query in (ougi.intersects, ougi.distance)]
    results += [ougi.intersects(mesh, fans), ougi.distance(mesh, solid), ougi.distance(mesh, balls)]
    results += [ougi.raycast(points, rng.normal(size=(N, 3)), mesh), ougi.time_of_impact(solid, turn, balls)]
    return results


def _move_robot() -> list[Any]:
    robot, rng = build_arm(), np.random.default_rng(19)
    q, obstacles = rng.uniform(-2, 2, (2, N, 2)), ougi.Sphere(rng.uniform(-2, 2, (5, 3)), 0.2)
    found = [robot.collides(q[0], obstacles), robot.distance(q[0], obstacles)]
    found += [robot.first_contact(q[0], q[1], obstacles), robot.certify([-1, -1], [1, 1], obstacles)]
    return found


def build_arm() -> Any:
    """A robot with two joints and three kinds of shapes."""
    from ougi.robot import LinkShape, Robot
    from ougi.robot.kinematics import build_kinematics
    from ougi.scene.robot import Joint
    from ougi.scene.trajectory import Freedom

    axis, limits = np.array([0.0, 0.0, 1.0]), np.array([-3.0, 3.0])
    joints = [
        Joint(child, "revolute", parent, child, ougi.Pose(offset), (Freedom(child, True, axis, limits),), k)
        for k, (parent, child, offset) in enumerate(
            [("base", "upper", [0.0, 0.0, 0.0]), ("upper", "lower", [1.0, 0.0, 0.0])]
        )
    ]
    shapes = [
        LinkShape("upper", ougi.Capsule3d([0, 0, 0], [1, 0, 0], 0.1)),
        LinkShape("lower", ougi.Box([0.5, 0, 0], [1, 0.1, 0.1])),
        LinkShape("lower", ougi.Sphere([1, 0, 0], 0.2)),
    ]
    return Robot("", build_kinematics(["base", "upper", "lower"], joints), shapes)


def _sweep(method: Any) -> list[Any]:
    made = ougi.sweep(ougi.Box([2, 0, 0], [1, 1, 1]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0), method)
    points = np.random.default_rng(20).uniform(-3, 3, (N, 3))
    return [ougi.intersects(made, points)]


def _swing() -> list[Any]:
    from ougi.games import Swing, TargetSet

    posts, bat = TargetSet(), Swing(ougi.Rectangle([0.5, 0], [0.6, 0.1]))
    centers = np.random.default_rng(25).uniform(-1, 1, (N, 2))
    posts.update(list(range(N)), centers, hitboxes=ougi.Circle(np.zeros((N, 2)), 0.05))
    bat.move_to((0, 0), 0.0)
    bat.hits(posts)
    bat.move_to((0, 0), 3.0)
    return [np.array([(hit.target, hit.t, *hit.point) for hit in bat.hits(posts)])]


def _advance() -> list[Any]:
    chain = ougi.Chain(draw_batch(ougi.Translation3d, N, 21), draw_batch(ougi.Rotation3d, N, 22))
    cylinders = _draw_solid("cylinder", 23)
    return [
        ougi.time_of_impact(_draw_solid(layout, 24), chain, cylinders) for layout in (*SOLIDS, "cylinder")
    ]


def digest(results: list[Any]) -> str:
    """A digest of all numbers of some results."""
    found = hashlib.sha256()
    for result in results:
        fields = _fields(result)
        for field in fields:
            found.update(np.ascontiguousarray(field).tobytes() if field is not None else b"none")
    return found.hexdigest()[:16]


def _fields(result: Any) -> list[Any]:
    if hasattr(result, "_asdict"):
        return list(result._asdict().values())
    names = getattr(result, "__dataclass_fields__", None)
    return [result] if names is None else [getattr(result, name) for name in names]


if __name__ == "__main__":
    for name, results in run_queries(sys.argv[1]):
        sys.stdout.write(f"{name}: {digest(results)}\n")
    sys.stdout.write(f"numba: {'numba' in sys.modules}\n")
    sys.stdout.write(f"loops of a library: {' '.join(sorted(called))}\n")
