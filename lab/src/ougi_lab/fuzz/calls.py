"""Valid calls of all public functions, constructors and methods, with random arguments.

The calls come in groups, so that a case builds only what one group needs. Methods of a base class are named
by it: `Shape.bounds` is a call of any shape's.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import ougi
from ougi import broad, corridor, games, radar, scene
from ougi.errors import DeviceError, MissingExtraError
from ougi_lab.fuzz.samples import SMALL_ROBOT

# What a call may raise. Everything else is an internal error. IndexError and KeyError: of indices and ids.
EXPECTED = (ValueError, TypeError, OSError, MissingExtraError, DeviceError)
EXPECTED_OF_INDICES = (*EXPECTED, IndexError, KeyError)

# Modules whose public names are called. Not `cuda`, which needs a GPU, and `plot`, whose arguments
# matplotlib judges.
MODULES = (ougi, broad, corridor, games, radar, scene)

# Classes that functions return and users do not make, base classes and errors: their methods are called, but
# not their constructors.
RESULTS = {
    "Closest", "Collision", "Contact", "Detection", "DeviceError", "Events", "FirstContacts", "Hit", "Hits",
    "InvalidInputError", "Manifold", "MissingExtraError", "Motion", "Moved", "MovedCircles", "NearestWall",
    "PairCounts", "PairTests", "Prediction", "Problem", "RayHits", "Report", "Robot", "RobotContacts",
    "RobotDistances", "RobotEnvelope", "SceneError", "Scopes", "SearchStructure", "Shape", "Snapshot", "Span",
    "Status", "StepProfile", "Sweep", "UnsupportedPairError", "View", "WallContacts", "WallError",
    "WallProblem", "WallReport",
}  # fmt: skip

# Functions and methods that are not called: settings of the process, what opens a browser, and what the
# library itself calls with checked arrays.
NOT_CALLED = {
    "get_threads", "set_threads", "View.save", "View.show", "Collision.squeeze", "Events.join",
    "FirstContacts.write", "SearchStructure.move",
}  # fmt: skip

Rng = np.random.Generator
Arguments = dict[str, Any]


class Call(NamedTuple):
    """A function, and valid arguments of it."""

    name: str
    function: Callable[..., Any]
    arguments: Arguments
    expected: tuple[type[BaseException], ...] = EXPECTED


def list_shapes(rng: Rng, dimension: int) -> list[tuple[str, Callable[..., Any], Arguments]]:
    """Constructors of all shapes of one dimension with valid arguments."""
    at, other, third = rng.normal(size=(3, dimension)) * 2
    radius = rng.uniform(0.1, 2)
    size = rng.uniform(0.1, 2, dimension)
    if dimension == 2:
        return [
            ("Circle", ougi.Circle, {"center": at, "radius": radius}),
            ("Segment2d", ougi.Segment2d, {"start": at, "end": other}),
            ("Capsule2d", ougi.Capsule2d, {"start": at, "end": other, "radius": radius}),
            ("Triangle2d", ougi.Triangle2d, {"a": at, "b": other, "c": third}),
            ("HalfSpace2d", ougi.HalfSpace2d, {"normal": at, "offset": radius}),
            ("ConvexPolygon2d", ougi.ConvexPolygon2d, {"vertices": [at, other, third], "radius": radius}),
            ("Polygon2d", ougi.Polygon2d, {"vertices": [at, other, third, at + 0.4 * (third - other)]}),
            ("Compound2d", ougi.Compound2d, {"shapes": [ougi.Circle(at, radius), ougi.Segment2d(at, other)]}),
            ("Aabb2d", ougi.Aabb2d, {"lower": at, "upper": at + size}),
            ("Rectangle", ougi.Rectangle, {"center": at, "size": size, "angle": rng.uniform(-3, 3)}),
            (
                "Sector2d",
                ougi.Sector2d,
                {
                    "center": at,
                    "direction": other,
                    "half_angle": 1.0,
                    "inner_radius": 0.1,
                    "outer_radius": 2.0,
                },
            ),
        ]
    turn = rng.normal(size=4)
    sector = {
        "center": at, "axis": other, "direction": np.cross(other, third), "half_angle": math.pi,
        "inner_radius": 0.0, "outer_radius": radius, "half_height": 0.4,
    }  # fmt: skip
    mesh = {"vertices": rng.normal(size=(4, 3)), "faces": np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1]])}
    return [
        ("Sphere", ougi.Sphere, {"center": at, "radius": radius}),
        ("Segment3d", ougi.Segment3d, {"start": at, "end": other}),
        ("Capsule3d", ougi.Capsule3d, {"start": at, "end": other, "radius": radius}),
        ("Triangle3d", ougi.Triangle3d, {"a": at, "b": other, "c": third}),
        ("HalfSpace3d", ougi.HalfSpace3d, {"normal": at, "offset": radius}),
        ("ConvexHull3d", ougi.ConvexHull3d, {"points": rng.normal(size=(7, 3)), "radius": radius}),
        ("Cylinder", ougi.Cylinder, {"center": at, "axis": other, "radius": radius, "half_height": 0.4}),
        ("Cone", ougi.Cone, {"center": at, "axis": other, "radius": radius, "half_height": 0.4}),
        ("Ellipsoid", ougi.Ellipsoid, {"center": at, "radii": size, "rotation": turn / np.linalg.norm(turn)}),
        ("Aabb3d", ougi.Aabb3d, {"lower": at, "upper": at + size}),
        ("Box", ougi.Box, {"center": at, "size": size, "rotation": turn / np.linalg.norm(turn)}),
        ("Sector3d", ougi.Sector3d, sector),
        ("Mesh", ougi.Mesh, mesh),
        ("Compound3d", ougi.Compound3d, {"shapes": [ougi.Sphere(at, radius), ougi.Segment3d(at, other)]}),
    ]


def list_motions(rng: Rng, dimension: int) -> list[tuple[str, Callable[..., Any], Arguments]]:
    at, offset = rng.normal(size=(2, dimension))
    angle = rng.uniform(-4, 4)
    if dimension == 2:
        return [
            ("Translation2d", ougi.Translation2d, {"offset": offset}),
            ("Rotation2d", ougi.Rotation2d, {"center": at, "angle": angle}),
            ("Displacement2d", ougi.Displacement2d, {"center": at, "angle": angle, "offset": 0 * offset}),
        ]
    turn = {"center": at, "axis": offset, "angle": angle}
    return [
        ("Translation3d", ougi.Translation3d, {"offset": offset}),
        ("Rotation3d", ougi.Rotation3d, turn),
        ("Screw3d", ougi.Screw3d, {**turn, "advance": rng.normal()}),
    ]


def _build_one(entries: list[Any], rng: Rng) -> Any:
    _, make, arguments = entries[rng.integers(len(entries))]
    return make(**arguments)


def draw_shape(rng: Rng, dimension: int) -> Any:
    """One shape, or a batch of three."""
    one = _build_one(list_shapes(rng, dimension), rng)
    return one if rng.random() < 0.6 or isinstance(one, ougi.Mesh) else one.reshape((1,))[[0, 0, 0]]


def draw_motion(rng: Rng, dimension: int) -> Any:
    one = _build_one(list_motions(rng, dimension), rng)
    return ougi.Chain(one, _build_one(list_motions(rng, dimension), rng)) if rng.random() < 0.2 else one


def draw_scene(rng: Rng, dimension: int) -> Any:
    bodies = []
    for k in range(4):
        pieces = (scene.Piece(0.0, 1.0, draw_motion(rng, dimension)),) if k % 2 else ()
        bodies.append(scene.Body(f"body {k}", _build_one(list_shapes(rng, dimension), rng), pieces))
    return ougi.Scene(tuple(bodies))


def _draw_world(rng: Rng, dimension: int) -> Any:
    world = ougi.World()
    for name in ("body", "other"):
        shape = _build_one(list_shapes(rng, dimension)[:3], rng)
        world.add(shape, _build_one(list_motions(rng, dimension)[:2], rng), name=name)
    return world


def _list_shape_calls(rng: Rng, d: int) -> list[Call]:
    """Constructors and methods of shapes."""
    shape, at, other = draw_shape(rng, d), rng.normal(size=d), rng.normal(size=3)
    turn = {"angle": 0.5, "axis": other if d == 3 else None, "center": at, "degrees": False}
    points = {"points": rng.normal(size=(7, 2)), "radius": 0.1}
    return [
        *(Call(name, make, arguments) for name, make, arguments in list_shapes(rng, d)),
        Call("Shape.transformed", shape.transformed, {"to": ougi.Pose(at)}),
        Call("Shape.translated", shape.translated, {"offset": at}),
        Call("Shape.rotated", shape.rotated, turn),
        Call("Shape.bounds", shape.bounds, {}),
        Call("Shape.bounding_sphere", shape.bounding_sphere, {}),
        Call("Shape.columns", shape.columns, {"layout": None}),
        Call("Shape.reshape", shape.reshape, {"shape": (1, -1)}),
        Call("Shape[]", shape.__getitem__, {"index": 0}, EXPECTED_OF_INDICES),
        Call("ConvexPolygon2d.from_points", ougi.ConvexPolygon2d.from_points, points),
        Call(
            "Cylinder.from_ends", ougi.Cylinder.from_ends, {"start": other, "end": 2 * other, "radius": 0.3}
        ),
        Call("Cone.from_ends", ougi.Cone.from_ends, {"start": other, "end": 2 * other, "radius": 0.3}),
        Call("Mesh.from_heights", ougi.Mesh.from_heights, {"heights": rng.normal(size=(3, 4)), "cell": 0.5}),
        Call("HalfSpace2d.from_point", ougi.HalfSpace2d.from_point, {"point": at[:2], "normal": other[:2]}),
        Call("HalfSpace3d.from_point", ougi.HalfSpace3d.from_point, {"point": other, "normal": other}),
        Call("Sector2d.outline", ougi.Sector2d([0, 0], [1, 0], 1, 0, 2).outline, {"n": 16}),
        Call("Cone.mesh", ougi.Cone(other, [0, 0, 1], 1, 2).mesh, {"n": 16}),
        Call("Sector3d.mesh", ougi.Sector3d(other, [0, 0, 1], [1, 0, 0], 1, 0, 2, 1).mesh, {"n": 16}),
        Call("concatenate", ougi.concatenate, {"batches": [shape, shape]}),
    ]


def _list_motion_calls(rng: Rng, d: int) -> list[Call]:
    """Constructors and methods of motions and poses."""
    motion, other, at = draw_motion(rng, d), draw_motion(rng, d), rng.normal(size=d)
    pose, last = ougi.Pose(at), ougi.Pose(rng.normal(size=d))
    ball = {"center": at, "radius": 0.5, "start": 0.1, "stop": 0.9}
    return [
        *(Call(name, make, arguments) for name, make, arguments in list_motions(rng, d)),
        Call("Chain", lambda first, second: ougi.Chain(first, second), {"first": motion, "second": other}),
        Call("Motion.at", motion.at, {"t": np.array([0.0, 0.5])}),
        Call("Motion.part", motion.part, {"start": 0.2, "stop": 0.7}),
        Call("Motion.scaled", motion.scaled, {"factor": 0.5}),
        Call("Motion.placed", motion.placed, {"pose": pose}),
        Call("Motion.inverse", motion.inverse, {}),
        Call("Motion.columns", motion.columns, {"layout": None}),
        Call("Motion.reshape", motion.reshape, {"shape": (1, -1)}),
        Call("Motion.path_bounds", motion.path_bounds, ball),
        Call("Motion.speed_bound", motion.speed_bound, ball),
        Call("Motion[]", motion.__getitem__, {"index": 0}, EXPECTED_OF_INDICES),
        Call("Rotation3d.from_scipy", ougi.Rotation3d.from_scipy, {"rotation": _Turn(), "center": [0, 0, 0]}),
        Call("between", ougi.between, {"start": pose, "end": last}),
        Call("Pose", ougi.Pose, {"position": at, "rotation": None}),
        Call("Pose.apply", pose.apply, {"points": rng.normal(size=(3, d))}),
        Call("Pose.from_matrix", ougi.Pose.from_matrix, {"matrix": np.eye(d + 1)}),
        Call("Pose.from_scipy", ougi.Pose.from_scipy, {"transform": _Turn()}),
        Call("Pose.inverse", pose.inverse, {}),
        Call("Pose.matrix", pose.matrix, {}),
        Call("Pose.columns", pose.columns, {"layout": None}),
        Call("Pose.reshape", pose.reshape, {"shape": (1, -1)}),
    ]


class _Turn:
    """A turn as SciPy's classes return it."""

    def as_matrix(self) -> Any:
        return np.eye(4)

    def as_rotvec(self) -> Any:
        return np.array([0.1, 0.2, 0.3])


def _list_query_calls(rng: Rng, d: int) -> list[Call]:
    """Queries of shapes at rest, and of many."""
    a, b = draw_shape(rng, d), draw_shape(rng, d)
    pairs, indices = np.array([[0, 0]]), EXPECTED_OF_INDICES
    two = {"a": a, "b": b, "pairs": pairs if rng.random() < 0.5 else None}
    bodies = ougi.Circle(rng.normal(size=(9, 2)), 1) if d == 2 else ougi.Sphere(rng.normal(size=(9, 3)), 1)
    search = {"a": bodies, "b": None, "method": "auto", "sort": True, "max_pairs": 1000}
    tests = {"a": bodies, "b": None, "method": "brute"}
    contents = {"shape": a, "points": rng.normal(size=(3, d)), "pairs": None}
    meshes = [_draw_mesh(rng), _draw_mesh(rng)]
    rays: Arguments = {
        "origin": rng.normal(size=(3, 3)),
        "direction": rng.normal(size=3),
        "target": meshes,
        "max_t": 9.0,
    }
    tracker = ougi.BroadPhase()
    return [
        Call("intersects", ougi.intersects, {**two, "method": "exact"}, indices),
        Call("distance", ougi.distance, two, indices),
        Call("closest_points", ougi.closest_points, two, indices),
        Call("contacts", ougi.contacts, two, indices),
        Call("manifolds", ougi.manifolds, two, indices),
        Call("contains", ougi.contains, contents, indices),
        Call("raycast", ougi.raycast, rays),
        Call("candidate_pairs", ougi.candidate_pairs, search),
        Call("contact_pairs", ougi.contact_pairs, search),
        Call("count_tests", broad.count_tests, tests),
        Call("BroadPhase", ougi.BroadPhase, {"method": "auto", "max_pairs": 100}),
        Call("BroadPhase.update", tracker.update, {"shapes": draw_shape(rng, d)}),
        Call("BroadPhase.reset", tracker.reset, {}),
        *_list_exports(ougi.raycast(**rays)),
    ]


def _draw_mesh(rng: Rng) -> Any:
    """A tetrahedron, with or without its inside."""
    vertices = rng.normal(size=(4, 3))
    faces = np.array([[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])
    outward = np.linalg.det(vertices[1:] - vertices[0]) > 0
    return ougi.Mesh(vertices, faces if outward else faces[:, ::-1], solid=bool(rng.random() < 0.5))


def _list_impact_calls(rng: Rng, d: int) -> list[Call]:
    """First contacts and sweeps, and methods of their results."""
    a, b, motion, other = draw_shape(rng, d), draw_shape(rng, d), draw_motion(rng, d), draw_motion(rng, d)
    toi = {"shape": a, "motion": motion, "target": b, "target_motion": other, "tol": 1e-9, "margin": 0.1}
    ahead = {"shape": a, "motion": motion, "target": b, "frames": 4, "dt": 0.5, "tol": 1e-9, "margin": 0.0}
    sphere = ougi.Sphere([[3, 0, 0], [0, 3, 0]], 1)
    found = ougi.time_of_impact(sphere, ougi.Translation3d([-3, 0, 0]), ougi.Sphere([0, 0, 0], 1))
    near = ougi.closest_points(sphere, ougi.Sphere([0, 0, 0], 1))
    return [
        Call(
            "time_of_impact",
            ougi.time_of_impact,
            {**toi, "pairs": None, "method": "auto"},
            EXPECTED_OF_INDICES,
        ),
        Call("predict", ougi.predict, ahead),
        Call("sweep", ougi.sweep, {"shape": a, "motion": motion, "method": "exact", "steps": 10}),
        Call("FirstContacts.reshape", found.reshape, {"batch": (1, 2)}),
        Call("FirstContacts[]", found.__getitem__, {"index": 0}, EXPECTED_OF_INDICES),
        *_list_exports(found),
        *_list_exports(near),
        *_list_exports(ougi.contacts(sphere, ougi.Sphere([0, 0, 0], 1))),
        *_list_exports(ougi.manifolds(sphere, ougi.Sphere([0, 0, 0], 1))),
    ]


def _list_exports(result: Any) -> list[Call]:
    """Methods that export a result; they have no arguments."""
    names = ("to_dict", "to_json", "to_records", "to_dataframe")
    return [Call(f"{type(result).__name__}.{name}", getattr(result, name), {}) for name in names]


def _list_scene_calls(rng: Rng, d: int) -> list[Call]:
    """Scenes, their parts, checks and files."""
    constructed, motion = draw_scene(rng, d), draw_motion(rng, d)
    body, piece = constructed.bodies[1], scene.Piece(0.0, 1.0, motion)
    own = {"name": "x", "shape": body.shape, "pieces": (piece,), "group": 1, "mask": 1, "color": "#ff0000"}
    whole = {
        "bodies": constructed.bodies, "checks": (("*", "*"),), "duration": 1.0, "units": "m", "up": "y",
        "ignore": (("body 0", "body 1"),), "neighbours": frozenset({(0, 1)}),
        "disabled": frozenset({(1, 2)}), "skipped": ("a node",),
    }  # fmt: skip
    check = {
        "scene": constructed, "margin": 0.1, "tol": 1e-9, "method": "exact", "fps": 20.0, "max_pairs": 1000,
        "max_contacts": 1000, "progress": None,
    }  # fmt: skip
    file: Arguments = {
        "path": Path("no-such.toml"), "trajectory": None, "animation": None, "srdf": None, "packages": {},
        "run_xacro": False, "skip_unsupported": False, "limits": scene.Limits(),
    }  # fmt: skip
    balls = (scene.Body("a", ougi.Sphere([0, 0, 0], 1)), scene.Body("b", ougi.Sphere([1, 0, 0], 1)))
    report = ougi.check(ougi.Scene(balls))
    return [
        Call("Body", scene.Body, own),
        Call("Body.at", body.at, {"t": 0.5}),
        Call("Body.during", body.during, {"start": 0.2, "stop": 0.4}),
        Call("Body.spans", body.spans, {"duration": 1.0}),
        Call("Piece", scene.Piece, {"start": 0.0, "stop": 1.0, "motion": motion}),
        Call("Check", scene.Check, {"a": "*", "b": "body*"}),
        Call("Scene", ougi.Scene, whole),
        Call("Scene.covers", constructed.covers, {"pairs": np.array([[0, 1], [1, 2]])}, EXPECTED_OF_INDICES),
        Call("Scene.match_names", constructed.match_names, {"pattern": "body*"}),
        Call("Limits", scene.Limits, {"bodies": 10, "faces": 10}),
        Call("Limits.parse", scene.Limits.parse, {"words": ["bodies=10", "faces=2000000"]}),
        Call("check", ougi.check, check),
        Call("load_scene", ougi.load_scene, file),
        Call("view", ougi.view, {"scene": constructed}),
        Call("Report.names", report.names, {"rows": report.contacts}),
        Call("Report.interval", report.interval, {"rows": report.contacts}),
        *_list_exports(report),
    ]


def _list_world_calls(rng: Rng, d: int) -> list[Call]:
    """Worlds, one method at a time and a step after it."""
    world, shape, motion = _draw_world(rng, d), draw_shape(rng, d), draw_motion(rng, d)
    ids, indices = np.array([0, 1]), EXPECTED_OF_INDICES
    added = {"shape": shape, "motion": motion, "group": 1, "mask": 3, "name": None}

    def step_after(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(**arguments: Any) -> None:
            method(**arguments)
            world.step(0.1)

        return call

    return [
        Call("World", ougi.World, {"tol": 1e-9, "enclosing_sectors": False}),
        Call("World.add", step_after(world.add), added),
        Call("World.remove", step_after(world.remove), {"ids": ids}, indices),
        Call("World.set_motion", step_after(world.set_motion), {"ids": ids, "motion": motion}, indices),
        Call("World.set_shape", step_after(world.set_shape), {"ids": ids[:1], "shape": shape}, indices),
        Call("World.step", world.step, {"dt": 0.1}),
        Call("World.query", world.query, {"shape": shape, "motion": motion, "mask": 1}),
        Call("World.raycast", world.raycast, {"origin": np.zeros(d), "direction": np.ones(d), "mask": 1}),
        Call("World.shape", world.shape, {"body": 0}, indices),
        Call("World.name", world.name, {"body": 0}, indices),
        Call("World.find", world.find, {"name": "body"}, indices),
        Call("World.snapshot", world.snapshot, {}),
        Call("World.restore", step_after(world.restore), {"snapshot": world.snapshot()}),
    ]


def _list_corridor_calls(rng: Rng, d: int) -> list[Call]:
    """Walls, and circles between them."""
    corners = np.array([[0, 0], [9, 0], [9, 5], [0, 5]], float)
    walls, points = ougi.Corridor(corners), rng.uniform(1, 4, (3, 2))
    drive = {"position": points, "motion": points / 9, "radius": 0.2, "method": "chain", "check": True}
    wheels = {"position": points, "radius": 0.1, "max_bounces": 5, "method": "reach", "check": True}
    bounce = {"velocity": points, "dt": 0.1, "restitution": 0.5, "mutual": False, "group": None}
    grid = {"solid": rng.random((4, 5)) < 0.4, "cell": 1.0, "origin": [0.0, 0.0]}
    return [
        Call("Corridor", ougi.Corridor, {"points": corners, "holes": [corners / 9 + 1], "tol": 0.0}),
        Call("Corridor.from_grid", ougi.Corridor.from_grid, grid),
        Call("Corridor.nearest", walls.nearest, {"points": points}),
        Call("Corridor.inside", walls.inside, {"points": points}),
        Call("Corridor.cast", walls.cast, drive),
        Call("Corridor.step", walls.step, {**wheels, **bounce}),
        Call("Corridor.slide", walls.slide, {**wheels, "motion": points / 9}),
        Call("Corridor.structure", walls.structure, {"method": "kdtree", "group_size": None}),
        Call("Corridor.compile", walls.compile, {"radius": 0.2, "max_radius": 0.3}),
        *_list_exports(walls.nearest(points)),
        *_list_exports(walls.cast(points, points / 9, 0.2)),
        *_list_exports(walls.slide(points, points / 9, 0.1)),
    ]


def _list_robot_calls(rng: Rng, d: int) -> list[Call]:
    """Robots; their constructor takes parts of a file, so it is called by `load`."""
    robot, q = load_robot(), rng.uniform(-2, 2, (3, 1))
    obstacles = {"obstacles": [draw_shape(rng, 3), ougi.Box([4, 0, 0], [1, 1, 1])], "margin": 0.0}
    edges = {"q0": q, "q1": -q, **obstacles, "tol": 1e-9, "max_intervals": 1000}
    spheres = {"links": ["arm", "arm"], "centers": rng.normal(size=(2, 3)), "radii": 0.1}
    file: Arguments = {
        "path": "no-such.urdf", "srdf": None, "packages": {}, "run_xacro": False, "skip_unsupported": True,
        "limits": scene.Limits(),
    }  # fmt: skip
    return [
        Call("Robot.load", ougi.Robot.load, file),
        Call("Robot.attach", robot.attach, {"link": "arm", "shape": _build_one(list_shapes(rng, 3), rng)}),
        Call(
            "Robot.certify", robot.certify, {"lower": [-0.1], "upper": [0.2], **obstacles, "max_boxes": 100}
        ),
        Call("Robot.collides", robot.collides, {"q": q, **obstacles}),
        Call("Robot.distance", robot.distance, {"q": q, "obstacles": obstacles["obstacles"]}),
        Call("Robot.find_constant_pairs", robot.find_constant_pairs, {"samples": 50, "seed": 0}),
        Call("Robot.first_contact", robot.first_contact, edges),
        Call(
            "Robot.first_contact_of_polynomials",
            robot.first_contact_of_polynomials,
            {"coefficients": rng.normal(size=(2, 3, 1)), **obstacles, "tol": 1e-9, "max_intervals": 1000},
        ),
        Call("Robot.forward_kinematics", robot.forward_kinematics, {"q": q}),
        Call(
            "Robot.from_mujoco",
            ougi.Robot.from_mujoco,
            {"model": load_mujoco_model(), "skip_unsupported": True},
        ),
        Call("Robot.get_sampling_bounds", robot.get_sampling_bounds, {}),
        Call("Robot.ignore", robot.ignore, {"pairs": [("base", "arm")]}),
        Call("Robot.is_free", robot.is_free, edges),
        Call("Robot.with_spheres", robot.with_spheres, spheres),
        *_list_exports(robot.distance(q)),
    ]


@cache
def load_robot() -> Any:
    """A robot with one joint."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(SMALL_ROBOT, encoding="utf-8")
        return ougi.Robot.load(path)


@cache
def load_mujoco_model() -> Any:
    """A model of MuJoCo with one joint. Without MuJoCo None, which is refused."""
    if importlib.util.find_spec("mujoco") is None:
        return None
    model = importlib.import_module("mujoco").MjModel
    return model.from_xml_string(
        '<mujoco><worldbody><body><joint/><geom size="0.1"/></body></worldbody></mujoco>'
    )


def _list_radar_calls(rng: Rng, d: int) -> list[Call]:
    """Depth images of meshes."""
    one, other, motion = _draw_mesh(rng), _draw_mesh(rng), ougi.Translation3d(rng.normal(size=3))
    meshes = radar.Meshes([other, one], [0, 1])
    volume: Arguments = {
        "origin": rng.normal(size=3),
        "direction": [0, 0, 1.0],
        "size": [2.0, 2.0, 4.0],
        "pixels": 8,
    }
    drawing = {"sensor": one, "motion": motion, "scene": meshes, "pixels": 8, "ignore": [0]}
    scopes = radar.Scopes.draw(one, motion, meshes, pixels=8)
    reuse = radar.MaskReuse(one, [9.0, 9.0], 8)
    return [
        Call("Volume", radar.Volume, {**volume, "up": [1.0, 0.0, 0.0]}),
        Call("Meshes", radar.Meshes, {"meshes": [one, other], "bodies": [0, 0]}),
        Call("Meshes.deformed", meshes.deformed, {"vertices": rng.normal(size=(8, 3))}),
        Call("Meshes.transformed", meshes.transformed, {"poses": ougi.Pose(rng.normal(size=(2, 3)))}),
        Call(
            "detect",
            radar.detect,
            {"volume": radar.Volume(**volume), "scene": meshes, "method": "point", "ignore": [1]},
        ),
        Call("collide", radar.collide, {**drawing, "method": "exact"}),
        Call("Scopes.draw", radar.Scopes.draw, drawing),
        Call("Scopes.center", scopes.center, {}),
        Call("Scopes.normal", scopes.normal, {}),
        Call("Scopes.points", scopes.points, {"chosen": np.ones((8, 8), bool)}, EXPECTED_OF_INDICES),
        Call("MaskReuse", radar.MaskReuse, {"sensor": one, "max_size": [9.0, 9.0], "pixels": 8}),
        Call("MaskReuse.draw", reuse.draw, {"motion": motion, "scene": meshes, "ignore": []}),
        Call("MaskReuse.move_sensor", reuse.move_sensor, {"sensor": one}),
        Call("MaskReuse.replace_sensor", reuse.replace_sensor, {"sensor": other}),
        *_list_exports(radar.detect(radar.Volume(**volume), meshes)),
    ]


def _list_game_calls(rng: Rng, d: int) -> list[Call]:
    """Swings and projectiles, and what they can hit."""
    shape = _build_one(list_shapes(rng, 2)[:4], rng)
    targets, at = games.TargetSet(), rng.normal(size=(2, 2))
    targets.update(["wolf", "bear"], at, hitboxes=ougi.Circle([0, 0], 1))
    swing, arrow = (
        games.Swing(ougi.Capsule2d([0, 0], [3, 0], 0.1)),
        games.Projectile(shape, (0.0, 0.0), (9.0, 0.0)),
    )
    rain, hero = games.Projectiles(shape), games.Character(shape, (0.0, 9.0))
    rain.add(at, (9.0, 0.0))
    swing.move_to((0.0, 0.0))
    fly = {
        "position": (0.0, 0.0),
        "velocity": (9.0, 1.0),
        "angle": 0.5,
        "spin": 2.0,
        "acceleration": (0.0, -9.8),
    }

    def hit_after(method: Callable[..., Any], mover: Any) -> Callable[..., Any]:
        def call(**arguments: Any) -> None:
            method(**arguments)
            mover.hits(targets)

        return call

    move = {"position": (1.0, 2.0), "angle": 1.0, "turn": None}
    placed = {"targets": ["wolf", "bear"], "position": at + 1, "angle": 0.1, "hitboxes": shape}
    return [
        Call("Hitbox", games.Hitbox, {"shape": shape, "radius": 0.1, "arc_error": 0.01}),
        Call(
            "Hitbox.from_grid",
            games.Hitbox.from_grid,
            {"solid": rng.random((4, 5)) < 0.5, "cell": 1.0, "origin": [0.0, 0.0]},
        ),
        Call("TargetSet.hits", lambda other: targets.hits(other), {"other": targets}),
        Call("TargetSet.first_hits", lambda other: targets.first_hits(other), {"other": targets}),
        Call("Swing", games.Swing, {"hitbox": shape}),
        Call("Swing.begin", swing.begin, {}),
        Call("Swing.hits", swing.hits, {"targets": targets}),
        Call("Swing.move_to", hit_after(swing.move_to, swing), move),
        Call(
            "Swing.strike",
            lambda position, angle, other: swing.strike(position, angle, targets, other),
            {"position": (1.0, 2.0), "angle": 1.0, "other": targets},
        ),
        Call("Projectile", games.Projectile, {"hitbox": shape, **fly}),
        Call("Projectile.begin", arrow.begin, {}),
        Call("Projectile.hits", arrow.hits, {"targets": targets}),
        Call("Projectile.move", hit_after(arrow.move, arrow), {"dt": 0.1}),
        Call("Projectile.move_to", hit_after(arrow.move_to, arrow), move),
        Call("Projectiles", games.Projectiles, {"hitbox": shape}),
        Call("Projectiles.add", hit_after(rain.add, rain), {**fly, "position": at}),
        Call("Projectiles.hits", rain.hits, {"targets": targets}),
        Call("Projectiles.move", hit_after(rain.move, rain), {"dt": 0.1}),
        Call("Projectiles.remove", rain.remove, {"ids": [0]}, EXPECTED_OF_INDICES),
        Call("Character", games.Character, {"hitbox": shape, "position": (0.0, 9.0), "up": (0.0, 1.0)}),
        Call(
            "Character.move",
            lambda step, solid: hero.move(step, solid),
            {"step": (1.0, -3.0), "solid": games.OneSided(targets, (0.0, 1.0))},
        ),
        Call("OneSided", games.OneSided, {"targets": targets, "direction": (0.0, 1.0)}),
        Call("TargetSet", games.TargetSet, {}),
        Call("TargetSet.update", hit_after(targets.update, swing), placed),
        Call("TargetSet.forget", targets.forget, {"target": "wolf"}),
    ]


# Each makes the calls of a group; a case takes one group, and one call of it.
GROUPS: tuple[Callable[[Rng, int], list[Call]], ...] = (
    _list_shape_calls,
    _list_motion_calls,
    _list_query_calls,
    _list_impact_calls,
    _list_scene_calls,
    _list_world_calls,
    _list_corridor_calls,
    _list_robot_calls,
    _list_radar_calls,
    _list_game_calls,
)


def list_calls(rng: Rng, dimension: int) -> list[Call]:
    """All calls, with random arguments of one dimension."""
    return [call for group in GROUPS for call in group(rng, dimension)]


def draw_call(rng: Rng) -> Call:
    """One of the calls, with random arguments."""
    listed = GROUPS[rng.integers(len(GROUPS))](rng, int(rng.integers(2, 4)))
    return listed[rng.integers(len(listed))]
