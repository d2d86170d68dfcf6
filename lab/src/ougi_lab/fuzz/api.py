"""Calls of public functions with mutated arguments.

A case is a valid call of which one or two arguments, or parts of them, are replaced: other types, NaN, huge
and tiny numbers, other shapes and layouts of arrays, other classes. It must return, or raise an error of an
expected class. Case k of a seed is always the same call.
"""

from __future__ import annotations

import itertools
import math
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ougi
from ougi import scene
from ougi.errors import DeviceError, MissingExtraError

# What a call may raise. Everything else is an internal error. IndexError and KeyError: of indices and ids.
EXPECTED = (ValueError, TypeError, OSError, MissingExtraError, DeviceError)
EXPECTED_OF_INDICES = (*EXPECTED, IndexError, KeyError)

# Public names that are not called: errors, results that functions return, base classes, and settings.
NOT_CALLED = {
    # Results, what opens files or servers, and what has no generator yet: raycast and robots.
    *("Robot", "RobotContacts", "RobotDistances", "RobotEnvelope", "RayHits", "View", "raycast", "view"),
    "Closest", "Contact", "DeviceError", "Events", "FirstContacts", "Hits", "InvalidInputError",
    "MissingExtraError", "Motion", "Prediction", "Report", "SceneError", "Shape", "Snapshot", "Status",
    "StepProfile", "Sweep", "UnsupportedPairError", "get_threads", "set_threads",
}  # fmt: skip

Rng = np.random.Generator
Arguments = dict[str, Any]


class Call(NamedTuple):
    """A function, and valid arguments of it."""

    name: str
    function: Callable[..., Any]
    arguments: Arguments
    expected: tuple[type[BaseException], ...] = EXPECTED


class CallFailure(NamedTuple):
    """A case that raised an unexpected error."""

    case: int
    call: str
    error: str
    where: str


# --- valid calls ----------------------------------------------------------------------------------------


def _list_shapes(rng: Rng, dimension: int) -> list[tuple[str, Callable[..., Any], Arguments]]:
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
        ("Aabb3d", ougi.Aabb3d, {"lower": at, "upper": at + size}),
        ("Box", ougi.Box, {"center": at, "size": size, "rotation": turn / np.linalg.norm(turn)}),
        ("Sector3d", ougi.Sector3d, sector),
        ("Mesh", ougi.Mesh, mesh),
    ]


def _list_motions(rng: Rng, dimension: int) -> list[tuple[str, Callable[..., Any], Arguments]]:
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


def _draw_shape(rng: Rng, dimension: int) -> Any:
    """One shape, or a batch of three."""
    one = _build_one(_list_shapes(rng, dimension), rng)
    return one if rng.random() < 0.6 or isinstance(one, ougi.Mesh) else one.reshape((1,))[[0, 0, 0]]


def _draw_motion(rng: Rng, dimension: int) -> Any:
    one = _build_one(_list_motions(rng, dimension), rng)
    return ougi.Chain(one, _build_one(_list_motions(rng, dimension), rng)) if rng.random() < 0.2 else one


def _draw_scene(rng: Rng, dimension: int) -> Any:
    bodies = []
    for k in range(4):
        pieces = (scene.Piece(0.0, 1.0, _draw_motion(rng, dimension)),) if k % 2 else ()
        bodies.append(scene.Body(f"body {k}", _build_one(_list_shapes(rng, dimension), rng), pieces))
    return ougi.Scene(tuple(bodies))


def _draw_world(rng: Rng, dimension: int) -> Any:
    world = ougi.World()
    for _ in range(2):
        world.add(
            _build_one(_list_shapes(rng, dimension)[:3], rng),
            _build_one(_list_motions(rng, dimension)[:2], rng),
        )
    return world


def _list_methods(rng: Rng, d: int) -> list[Call]:
    """Methods of shapes, motions, worlds, broad phases and corridors."""
    shape, motion, world = _draw_shape(rng, d), _draw_motion(rng, d), _draw_world(rng, d)
    corridor = ougi.Corridor([[0, 0], [9, 0], [9, 5], [0, 5]])
    tracker, points = ougi.BroadPhase(), rng.uniform(0, 5, (3, 2))
    drive = {"position": points, "motion": points / 9, "radius": 0.2, "method": "chain"}
    wheels = {"position": points, "radius": 0.1, "max_bounces": 5}
    ids, indices = np.array([0, 1]), EXPECTED_OF_INDICES
    return [
        Call("Shape.transformed", shape.transformed, {"to": ougi.Pose(rng.normal(size=d))}),
        Call("Shape.bounds", shape.bounds, {}),
        Call("Shape.reshape", shape.reshape, {"shape": (1, -1)}),
        Call("Shape[]", shape.__getitem__, {"index": 0}, indices),
        Call("Motion.at", motion.at, {"t": np.array([0.0, 0.5])}),
        Call("Motion.part", motion.part, {"start": 0.2, "stop": 0.7}),
        Call("Motion.scaled", motion.scaled, {"factor": 0.5}),
        Call("Motion[]", motion.__getitem__, {"index": 0}, indices),
        Call("Pose.apply", ougi.Pose(rng.normal(size=d)).apply, {"points": rng.normal(size=(3, d))}),
        Call("World.add", world.add, {"shape": shape, "motion": motion, "group": 1, "mask": 3, "name": None}),
        Call("World.remove", world.remove, {"ids": ids}, indices),
        Call("World.step", world.step, {"dt": 0.1}),
        Call("World.query", world.query, {"shape": shape, "motion": motion, "mask": 1}),
        Call("World.shape", world.shape, {"body": 0}, indices),
        Call("World.name", world.name, {"body": 0}, indices),
        Call("World.restore", world.restore, {"snapshot": world.snapshot()}),
        Call("BroadPhase.update", tracker.update, {"shapes": _draw_shape(rng, d)}),
        Call("Corridor.nearest", corridor.nearest, {"points": points}),
        Call("Corridor.inside", corridor.inside, {"points": points}),
        Call("Corridor.cast", corridor.cast, drive),
        Call("Corridor.step", corridor.step, {**wheels, "velocity": points, "dt": 0.1, "restitution": 0.5}),
        Call("Corridor.slide", corridor.slide, {**wheels, "motions": points / 9}),
        Call("Corridor.structure", corridor.structure, {"method": "kdtree"}),
        Call("Corridor.compile", corridor.compile, {"radius": 0.2}),
    ]


def _list_functions(rng: Rng, d: int) -> list[Call]:
    a, b, motion, other = _draw_shape(rng, d), _draw_shape(rng, d), _draw_motion(rng, d), _draw_motion(rng, d)
    pairs, indices = np.array([[0, 0]]), EXPECTED_OF_INDICES
    two = {"a": a, "b": b, "pairs": pairs if rng.random() < 0.5 else None}
    one = _build_one(_list_shapes(rng, d), rng)
    bodies = ougi.Circle(rng.normal(size=(9, 2)), 1) if d == 2 else ougi.Sphere(rng.normal(size=(9, 3)), 1)
    search = {"a": bodies, "b": None, "method": "auto", "sort": True, "max_pairs": 1000}
    pose, last = ougi.Pose(rng.normal(size=d)), ougi.Pose(rng.normal(size=d))
    toi = {"shape": a, "motion": motion, "target": b, "target_motion": other, "tol": 1e-9, "margin": 0.1}
    piece = scene.Piece(0.0, 1.0, motion)
    constructed = _draw_scene(rng, d)
    corners = np.array([[0, 0], [9, 0], [9, 5], [0, 5]], float)
    ahead = {"shape": a, "motion": motion, "target": b, "frames": 4, "dt": 0.5}
    contents = {"shape": a, "points": rng.normal(size=(3, d)), "pairs": None}
    return [
        Call("intersects", ougi.intersects, two, indices),
        Call("distance", ougi.distance, two, indices),
        Call("closest_points", ougi.closest_points, two, indices),
        Call("contacts", ougi.contacts, two, indices),
        Call("contains", ougi.contains, contents, indices),
        Call("candidate_pairs", ougi.candidate_pairs, search),
        Call("contact_pairs", ougi.contact_pairs, search),
        Call("time_of_impact", ougi.time_of_impact, {**toi, "pairs": None, "method": "auto"}, indices),
        Call("predict", ougi.predict, ahead),
        Call("sweep", ougi.sweep, {"shape": a, "motion": motion, "method": "exact"}),
        Call("between", ougi.between, {"start": pose, "end": last}),
        Call("concatenate", ougi.concatenate, {"batches": [one, one]}),
        Call("Pose", ougi.Pose, {"position": rng.normal(size=d), "rotation": None}),
        Call("Chain", lambda first, second: ougi.Chain(first, second), {"first": motion, "second": other}),
        Call("Body", scene.Body, {"name": "x", "shape": one, "pieces": (piece,), "group": 1, "mask": 1}),
        Call("Scene", ougi.Scene, {"bodies": constructed.bodies, "checks": (("*", "*"),), "duration": 1.0}),
        Call(
            "check",
            ougi.check,
            {"scene": constructed, "margin": 0.1, "tol": 1e-9, "method": "exact", "fps": 20.0},
        ),
        Call("load_scene", ougi.load_scene, {"path": Path("no-such.toml")}),
        Call("Corridor", ougi.Corridor, {"points": corners, "holes": [corners / 9 + 1], "tol": 0.0}),
        Call("BroadPhase", ougi.BroadPhase, {"method": "auto", "max_pairs": 100}),
        Call("World", ougi.World, {"tol": 1e-9}),
    ]


def list_calls(rng: Rng, dimension: int) -> list[Call]:
    """Valid calls of all public functions, constructors and methods; random arguments of one dimension."""
    constructors = [*_list_shapes(rng, dimension), *_list_motions(rng, dimension)]
    constructed = [Call(name, make, arguments) for name, make, arguments in constructors]
    return [*constructed, *_list_functions(rng, dimension), *_list_methods(rng, dimension)]


# --- mutations ------------------------------------------------------------------------------------------

_NUMBERS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    math.nan,
    math.inf,
    -math.inf,
    1e308,
    -1e308,
    1e-308,
    5e-324,
    1e200,
    1e-200,
    2**70,
)
_DTYPES = (
    "float32",
    ">f8",
    "float16",
    "int8",
    ">i4",
    "uint64",
    "bool",
    "complex128",
    "object",
    "U8",
    "S8",
    "M8[s]",
)


def _draw_junk(rng: Rng) -> Any:
    """A value of a type that is rarely meant."""
    values: list[Callable[[], Any]] = [
        lambda: None, lambda: "text", lambda: "", lambda: b"bytes", lambda: True, lambda: 1j, dict, list,
        tuple, object, lambda: int, lambda: len, lambda: np.array([]), lambda: np.array(None),
        lambda: np.float32(2), lambda: np.datetime64("2020-01-01"),
        lambda: np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False]),
        lambda: np.array(["a", 1, None], object), lambda: [1.0, [2.0, 3.0]], lambda: {1, 2}, lambda: range(3),
        lambda: iter([1.0, 2.0]), lambda: [[]], lambda: np.zeros((0, 3)), lambda: np.zeros((2, 0)),
        lambda: ougi, lambda: slice(None), lambda: Ellipsis, lambda: 10**400, lambda: "nan",
        lambda: _draw_shape(rng, int(rng.integers(2, 4))), lambda: _draw_motion(rng, int(rng.integers(2, 4))),
        lambda: _draw_scene(rng, 3), lambda: ougi.Pose([0.0, 0.0, 0.0]),
        lambda: _NUMBERS[rng.integers(len(_NUMBERS))],
    ]  # fmt: skip
    return values[rng.integers(len(values))]()


def _mutate_array(array: Any, rng: Rng) -> Any:
    """An array with other numbers, another layout, type or shape."""
    out = np.array(array)
    action = rng.integers(14)
    if action <= 3 and out.size:
        out = out.astype(np.float64) if rng.random() < 0.9 else out
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = _NUMBERS[rng.integers(len(_NUMBERS))]
            out.reshape(-1)[rng.integers(out.size) if action < 3 else slice(None)] = min(value, 2**62)
        return out
    if action == 4:
        with np.errstate(all="ignore"):
            return out * 10.0 ** rng.uniform(-320, 308)
    if action == 5:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            dtype = _DTYPES[rng.integers(len(_DTYPES))]
            return out.astype("i8").astype(dtype) if dtype.startswith("M8") else out.astype(dtype)
    if action == 6:
        out.flags.writeable = False
        return out
    if action == 7:
        return np.repeat(out[None], 4, axis=0)[::-1][::2]
    shapes = [out[None], out[..., None], out.reshape(-1), out.T, out[..., :-1] if out.ndim else out]
    shapes += [
        np.concatenate([out, out], axis=-1) if out.ndim else out,
        out[:0] if out.ndim else out[None][:0],
    ]
    if action <= 11:
        return shapes[rng.integers(len(shapes))]
    if action == 12:
        return np.repeat(out[None], 1000, axis=0)
    return out.tolist()


def mutate(value: Any, rng: Rng) -> Any:
    """A value in place of a valid one."""
    try:
        return _mutate(value, rng)
    except (ValueError, TypeError, OverflowError):  # there is no such array
        return _draw_junk(rng)


def _mutate(value: Any, rng: Rng) -> Any:
    if rng.random() < 0.4:
        return _draw_junk(rng)
    if isinstance(value, np.ndarray | float) and not isinstance(value, bool):
        return _mutate_array(value, rng)
    if isinstance(value, int):
        others: list[Any] = [value - 1, -value, 2**31, 2**63, 2**70, str(value), np.uint64(value % 2**64)]
        return others[rng.integers(len(others))]
    if isinstance(value, tuple | list) and len(value) and rng.random() < 0.7:
        changed: list[Any] = list(value)
        changed[rng.integers(len(changed))] = mutate(changed[rng.integers(len(changed))], rng)
        return type(value)(changed) if type(value) in (tuple, list) else changed
    if isinstance(value, ougi.Shape | ougi.Motion) and rng.random() < 0.6 and value.shape:
        return value[:0] if rng.random() < 0.5 else value.reshape((-1, 1))
    return _draw_junk(rng)


def make_case(seed: int, case: int) -> tuple[Call, Arguments]:
    """A call, and its mutated arguments."""
    rng = np.random.default_rng([seed, case])
    listed = list_calls(rng, int(rng.integers(2, 4)))
    call = listed[rng.integers(len(listed))]
    arguments = dict(call.arguments)
    names = list(arguments)
    for _ in range(min(int(rng.integers(1, 3)), len(names))):
        name = names[rng.integers(len(names))]
        arguments[name] = mutate(arguments[name], rng)
    return call, arguments


# --- judgement ------------------------------------------------------------------------------------------


def run_case(seed: int, case: int) -> CallFailure | None:
    """Run one case; a failure if it raises what is not expected."""
    call, arguments = make_case(seed, case)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if call.name.endswith("[]"):
                call.function(*arguments.values())
            else:
                call.function(**arguments)
    except call.expected:
        return None
    except Exception as error:
        return build_failure(case, describe_call(call, arguments), error)
    return None


def build_failure(case: int, call: str, error: Exception) -> CallFailure:
    """A case that raised, with the last place in our own sources."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/ougi/" in frame.filename.replace("\\", "/")]
    where = own[-1] if own else frames[-1]
    message = f"{type(error).__name__}: {str(error)[:200]}"
    return CallFailure(case, call, message, f"{Path(where.filename).name}:{where.lineno}")


def describe_call(call: Call, arguments: Arguments) -> str:
    """The call as a line."""
    changed = {name: value for name, value in arguments.items() if value is not call.arguments[name]}
    text = ", ".join(f"{name}={_shorten(value)}" for name, value in changed.items())
    return f"{call.name}({text}{', ...' if len(changed) < len(arguments) else ''})"


def _shorten(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception as error:  # a repr must not end the run
        text = f"<repr raised {type(error).__name__}>"
    layout = f"{value.dtype}{value.shape} " if isinstance(value, np.ndarray) else ""
    return layout + (text if len(text) <= 80 else text[:77] + "...")


def iterate_cases(first: int, count: int | None) -> Any:
    """Numbers of cases."""
    return itertools.count(first) if count is None else range(first, count)
