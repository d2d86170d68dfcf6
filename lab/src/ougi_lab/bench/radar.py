"""`ougi bench radar`: the cost of first contacts of meshes, with and without preparation.

RADAR's scene of figure 7 has 100,626 polygons: a sensor of 1,250, 345 groups of four spheres of 72, and 16
more, in a cube of side 2000 (the places are ours). Beside it two bumpy balls of some 5,000 faces that move
and turn against each other, and two boxes. coal is advanced by its distances, with its trees built before
and each time. python-fcl runs its continuous collision.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ougi._native import one_thread
from ougi._typing import Floats
from ougi.motion import Motion, Rotation3d, Translation3d
from ougi.radar import MaskReuse, Meshes, Scopes, collide
from ougi.shapes import Mesh
from ougi_lab.bench.choose import choose_named
from ougi_lab.bench.measurement import BenchReport, Measurement, Options, collect, list_missing, require_max
from ougi_lab.bench.peers import MissingPeerError, Peer, build_tasks, read_peer_versions
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK, repeat_task, time_interleaved
from ougi_lab.scenes.bouncing_radars import SPHERES, BouncingRadars
from ougi_lab.scenes.mesh_pairs import make_figure_7
from ougi_lab.scenes.meshes import build_coal_model, make_box, make_solid, make_sphere, move_mesh
from ougi_lab.scenes.pairs import rotation_3d

SEED = 7

ContactTask: TypeAlias = Callable[
    [], float | None
]  # the distance or angle of the first contact; None for none

# Maximum milliseconds on one thread.
TARGETS = {"figure 7, exact": 2.0, "5k x 5k turning, exact": 5.0, "two boxes, exact": 0.05}

# Calls that are timed together; calls of small meshes, of which ten take less than 1 ms; their faces.
_CALLS, _SMALL_CALLS, _SMALL_FACES = 10, 100, 100

# coal's advancement stops at this gap, in parts of the size, or after this number of steps.
_GAP, _STEPS = 1e-9, 300
_PIXELS = 25  # of the radars of methods that have images, on a side


class MeshCase(NamedTuple):
    """A sensor, a scene and a motion: first contacts are distances along it, or angles."""

    name: str
    sensor: Mesh
    scene: list[Mesh]
    motion: Motion


def _build_bumpy_ball(place: Floats, seed: int) -> Mesh:
    turn = rotation_3d(np.random.default_rng(seed).normal(size=4))
    return move_mesh(make_sphere(52, 50, 1.0, 0.1), turn, place)


def build_cases() -> list[MeshCase]:
    """Build all cases."""
    near, far = _build_bumpy_ball(np.zeros(3), 1), _build_bumpy_ball(np.array([0.4, 0.3, 3.0]), 2)
    rotation, place = rotation_3d(np.array([0.1, 0.2, 0.3, 0.9])), np.array([0.3, 0.2, 3.0])
    boxes = make_box(), [move_mesh(make_box(), rotation, place)]
    turn = Rotation3d([0, -5, 1.5], [1, 0, 0.1], 2.0)
    return [
        MeshCase("figure 7", *make_figure_7(), Translation3d([30.0, 20.0, 1900.0])),
        MeshCase("5k x 5k straight", near, [far], Translation3d([0, 0, 5.0])),
        MeshCase("5k x 5k turning", near, [far], turn),
        MeshCase("two boxes", *boxes, Translation3d([0, 0, 5.0])),
        MeshCase("two boxes turning", *boxes, turn),
    ]


def measure(repeats: int, names: tuple[str, ...] = ()) -> Iterator[list[Measurement]]:
    """Time every method on every scene, or on those whose names hold one of the words, in turn."""
    every = {mesh_case.name: mesh_case for mesh_case in build_cases()}
    for name in choose_named(every, names, str, "scene of bench radar"):
        yield _measure_mesh_case(every[name], repeats)


def _measure_mesh_case(mesh_case: MeshCase, repeats: int) -> list[Measurement]:
    peers, missing = build_tasks(PEERS, mesh_case)
    tasks = build_methods(mesh_case) | peers
    results = {name: task() for name, task in tasks.items()}
    faces = len(mesh_case.sensor.faces) + sum(len(mesh.faces) for mesh in mesh_case.scene)
    calls = _SMALL_CALLS if faces <= _SMALL_FACES else _CALLS
    quick = {name: repeat_task(task, calls) for name, task in tasks.items() if name not in peers}
    times = time_interleaved(quick, repeats, clock=CLOCK.now)
    times |= time_interleaved(peers, max(1, min(3, repeats)), warm=0, clock=CLOCK.now)
    exact, case = results["exact"], {"scene": mesh_case.name}
    found = []
    for name, result in results.items():
        ms = 1e3 * times[name].median / (1 if name in peers else calls)
        bound = TARGETS.get(f"{mesh_case.name}, {name}")
        target = None if bound is None else require_max(bound, ms)
        facts = {} if result is None else {"result": result}
        if result is not None and exact is not None:
            facts["error"] = abs(result - exact)
        found.append(Measurement("radar", case, name, ms, target=target, facts=facts))
    return found + list_missing("radar", case, missing)


def build_methods(mesh_case: MeshCase) -> dict[str, ContactTask]:
    """Our methods, each a function that returns the distance or angle; None for no contact."""
    sensor, scene = Meshes(make_solid(mesh_case.sensor)), Meshes(map(make_solid, mesh_case.scene))
    one = Meshes(make_solid(_join_meshes(mesh_case.scene)))
    motion = mesh_case.motion
    wave = 1e-9 * np.sin(np.arange(scene.vertices.size)).reshape(scene.vertices.shape)

    def first(scene: Meshes = scene, **how: Any) -> float | None:
        distance = float(collide(sensor, motion, scene, **how).distance[0])
        return distance if math.isfinite(distance) else None

    made: dict[str, ContactTask] = {
        "exact": first,
        "exact, 25 x 25": lambda: first(pixels=_PIXELS),
        "exact, deforming": lambda: first(scene.deformed(scene.vertices + wave)),
        "exact, one mesh (no culling)": lambda: first(one),
        "bracket": lambda: first(method="bracket", pixels=_PIXELS),
    }
    if isinstance(motion, Translation3d):
        largest = 2.0 * float((sensor.upper - sensor.lower).max())
        reuse = MaskReuse(sensor, (largest, largest), (_PIXELS, _PIXELS))
        for _ in range(2):  # the mask is drawn at the largest size, and at the sensor's own
            reuse.draw(motion, scene)
        made["published"] = lambda: first(method="published", pixels=_PIXELS)
        made["published, images alone"] = lambda: _read_distance(
            Scopes.draw(sensor, motion, scene, pixels=_PIXELS)
        )
        made["the same, mask reused"] = lambda: _read_distance(reuse.draw(motion, scene))
    return made


def _read_distance(seen: Any) -> float | None:
    return float(seen.distance) if seen.distance <= seen.movement else None


def _join_meshes(meshes: list[Mesh]) -> Mesh:
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [mesh.faces + start for mesh, start in zip(meshes, starts, strict=False)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(faces))


def _build_coal(coal: Any, mesh_case: MeshCase, reuse_trees: bool) -> ContactTask:
    scene, motion = _join_meshes(mesh_case.scene), mesh_case.motion
    bodies = build_coal_model(mesh_case.sensor), build_coal_model(scene)
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-12
    still = coal.Transform3s.Identity()
    size = float(np.ptp(mesh_case.sensor.vertices, axis=0).max())
    full, speed = _find_speed(motion, mesh_case.sensor)

    def advance_pair(pair: tuple[Any, Any]) -> float | None:
        at = 0.0
        for _ in range(_STEPS):
            if at > full:
                return None
            pose = motion.at(at / full)
            there = coal.Transform3s(np.ascontiguousarray(pose.rotation), pose.position)
            gap = coal.distance(pair[0], there, pair[1], still, request, coal.DistanceResult())
            if gap <= _GAP * size:
                return at
            at += gap / speed
        return at

    if reuse_trees:
        return lambda: advance_pair(bodies)
    return lambda: advance_pair((build_coal_model(mesh_case.sensor), build_coal_model(scene)))


def _find_speed(motion: Any, mesh: Mesh) -> tuple[float, float]:
    """Return the distance or angle of a motion, and the speed of its fastest point per unit of it."""
    if isinstance(motion, Translation3d):
        return float(np.linalg.norm(motion.offset)), 1.0
    across = np.linalg.norm(np.cross(motion.axis, mesh.vertices - motion.center), axis=1)
    return float(abs(motion.angle)), float(across.max())


def build_fcl_object(fcl: Any, mesh: Mesh) -> Any:
    """A mesh as python-fcl has it, with its tree."""
    model = fcl.BVHModel()
    model.beginModel(len(mesh.vertices), len(mesh.faces))
    model.addSubModel(mesh.vertices, mesh.faces)
    model.endModel()
    return fcl.CollisionObject(model, fcl.Transform())


def _build_fcl(fcl: Any, mesh_case: MeshCase) -> ContactTask:
    if len(mesh_case.scene) > 1:
        raise MissingPeerError("two bodies only")

    straight = isinstance(mesh_case.motion, Translation3d)
    objects = build_fcl_object(fcl, mesh_case.sensor), build_fcl_object(fcl, _join_meshes(mesh_case.scene))
    end = mesh_case.motion.at(1.0)
    pose = fcl.Transform(end.rotation, end.position)
    full, _ = _find_speed(mesh_case.motion, mesh_case.sensor)
    request = fcl.ContinuousCollisionRequest(
        ccd_motion_type=fcl.CCDMotionType.CCDM_TRANS if straight else fcl.CCDMotionType.CCDM_SCREW,
        ccd_solver_type=fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT,
    )

    def collide_continuously() -> float | None:
        result = fcl.ContinuousCollisionResult()
        fcl.continuousCollide(objects[0], pose, objects[1], fcl.Transform(), request, result)
        return full * result.time_of_contact if result.is_collide and math.isfinite(full) else None

    return collide_continuously


PEERS = (
    Peer("coal, trees kept", "coal", functools.partial(_build_coal, reuse_trees=True)),
    Peer("coal, trees built", "coal", functools.partial(_build_coal, reuse_trees=False)),
    Peer("python-fcl, trees kept", "fcl", _build_fcl, distribution="python-fcl"),
)


def measure_many_radars(repeats: int) -> list[Measurement]:
    """RADAR's figure 8: 50 spheres of 128 faces in a cube, each with a radar of its own.

    Exact ones without the cube, too: its walls, large triangles across every image, cost more than the
    spheres.
    """
    world = BouncingRadars(SPHERES, SEED)
    for _ in range(5):
        world.step()
    balls, motions, own = world.sensors(), Translation3d(world.velocity), np.arange(SPHERES)[:, None]

    def build_task(scene: Meshes, side: int) -> Callable[[], object]:
        return lambda: collide(balls, motions, scene, pixels=side, ignore=own)

    tasks = {f"{SPHERES} radars of {side} x {side}": build_task(balls, side) for side in (16, 50)}
    tasks |= {f"{name}, in a cube": build_task(world.scene, int(name.split()[-1])) for name in list(tasks)}
    times = time_interleaved(tasks, repeats, clock=CLOCK.now)
    found = []
    for name, timing in times.items():
        target = require_max(3.0 if "of 50 x" in name else SPHERES * 1000 / 60 / 500, 1e3 * timing.median)
        case = {"scene": "figure 8"}
        found.append(Measurement("radar", case, f"exact, {name}", 1e3 * timing.median, target=target))
    return found


def run(options: Options) -> BenchReport:
    """Measure all scenes or those that are named, on one thread."""
    with one_thread():
        found = collect(measure(options.repeats, options.names), "first contacts")
        found += [] if options.names else measure_many_radars(options.repeats)
    parameters = {"scenes": list(options.names), "repeats": options.repeats, "seed": SEED}
    parameters["load_before"] = options.load
    table = build_table(
        "first contacts of meshes, CPU ms",
        found,
        columns="ms {value:.3f} | distance {result:.9g} | off by {error:.1e}",
        notes=(
            "One thread, medians; ten calls in a row, a hundred of boxes. Distance: a length, or radians; "
            "-: no contact found.",
            "Deforming: all vertices are given anew each time. coal is advanced by its distances to a gap "
            "of 1e-9 of the size.",
        ),
        load=options.load,
    )
    return BenchReport(parameters, found, [table], read_peer_versions(PEERS))
