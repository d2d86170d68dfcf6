"""`ougi bench radar`: what first contacts of meshes cost, with and without anything prepared.

RADAR's scene of figure 7 has 100,626 polygons: a sensor of 1,250, 345 groups of four spheres of 72, and 16
more, in a cube of side 2000 (the places are ours). Beside it two bumpy balls of some 5,000 faces that move
and turn against each other, and two boxes. coal is advanced by its distances, with its trees built before
and each time; python-fcl is asked for its continuous collision.
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
from ougi_lab.bench.choose import choose
from ougi_lab.bench.measurement import Measurement, Options, Report, at_most, collect, list_missing
from ougi_lab.bench.peers import MissingPeerError, Peer, build_tasks, versions
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK, repeat_task, time_interleaved
from ougi_lab.scenes.bouncing_radars import SPHERES, BouncingRadars
from ougi_lab.scenes.mesh_pairs import make_figure_7
from ougi_lab.scenes.meshes import build_coal_model, make_box, make_sphere, move_mesh
from ougi_lab.scenes.pairs import rotation_3d

SEED = 7

Task: TypeAlias = Callable[[], float | None]  # the distance or angle of the first contact; None for none

# Milliseconds on one thread that are promised.
TARGETS = {"figure 7, exact": 2.0, "5k x 5k turning, exact": 5.0, "two boxes, exact": 0.05}

# Calls that are timed together, and of bodies with few faces, of whose calls ten are less than a millisecond.
_OFTEN, _FEW_OFTEN, _FEW_FACES = 10, 100, 100

# coal's advancement stops at this gap, in parts of the size, or after so many steps.
_GAP, _STEPS = 1e-9, 300
_PIXELS = 25  # of the radars of methods that have images, on a side


class Question(NamedTuple):
    """A sensor, a scene and a motion: first contacts are distances along it, or angles."""

    name: str
    sensor: Mesh
    scene: list[Mesh]
    motion: Motion


def _bumpy(place: Floats, seed: int) -> Mesh:
    turn = rotation_3d(np.random.default_rng(seed).normal(size=4))
    return move_mesh(make_sphere(52, 50, 1.0, 0.1), turn, place)


def questions() -> list[Question]:
    """All that is measured."""
    near, far = _bumpy(np.zeros(3), 1), _bumpy(np.array([0.4, 0.3, 3.0]), 2)
    rotation, place = rotation_3d(np.array([0.1, 0.2, 0.3, 0.9])), np.array([0.3, 0.2, 3.0])
    boxes = make_box(), [move_mesh(make_box(), rotation, place)]
    turn = Rotation3d([0, -5, 1.5], [1, 0, 0.1], 2.0)
    return [
        Question("figure 7", *make_figure_7(), Translation3d([30.0, 20.0, 1900.0])),
        Question("5k x 5k straight", near, [far], Translation3d([0, 0, 5.0])),
        Question("5k x 5k turning", near, [far], turn),
        Question("two boxes", *boxes, Translation3d([0, 0, 5.0])),
        Question("two boxes turning", *boxes, turn),
    ]


def measure(repeats: int, names: tuple[str, ...] = ()) -> Iterator[list[Measurement]]:
    """Time every method on every scene, or on those whose names hold one of the words, in turn."""
    every = {question.name: question for question in questions()}
    for name in choose(every, names, str, "scene of bench radar"):
        yield _measure_question(every[name], repeats)


def _measure_question(question: Question, repeats: int) -> list[Measurement]:
    peers, missing = build_tasks(PEERS, question)
    tasks = methods(question) | peers
    results = {name: task() for name, task in tasks.items()}
    faces = len(question.sensor.faces) + sum(len(mesh.faces) for mesh in question.scene)
    often = _FEW_OFTEN if faces <= _FEW_FACES else _OFTEN
    quick = {name: repeat_task(task, often) for name, task in tasks.items() if name not in peers}
    times = time_interleaved(quick, repeats, clock=CLOCK.now)
    times |= time_interleaved(peers, max(1, min(3, repeats)), warm=0, clock=CLOCK.now)
    exact, case = results["exact"], {"scene": question.name}
    found = []
    for name, result in results.items():
        ms = 1e3 * times[name].median / (1 if name in peers else often)
        bound = TARGETS.get(f"{question.name}, {name}")
        target = None if bound is None else at_most(bound, ms)
        facts = {} if result is None else {"result": result}
        if result is not None and exact is not None:
            facts["error"] = abs(result - exact)
        found.append(Measurement("radar", case, name, ms, target=target, facts=facts))
    return found + list_missing("radar", case, missing)


def methods(question: Question) -> dict[str, Task]:
    """Our methods, each a function that returns the distance or angle; None for no contact."""
    sensor, scene = Meshes(question.sensor), Meshes(question.scene)
    one = Meshes([_joined(question.scene)])
    motion = question.motion
    wave = 1e-9 * np.sin(np.arange(scene.vertices.size)).reshape(scene.vertices.shape)

    def first(scene: Meshes = scene, **how: Any) -> float | None:
        distance = float(collide(sensor, scene, motion, **how).distance[0])
        return distance if math.isfinite(distance) else None

    made: dict[str, Task] = {
        "exact": first,
        "exact, 25 x 25": lambda: first(pixels=_PIXELS),
        "exact, deforming": lambda: first(scene.deformed(scene.vertices + wave)),
        "exact, one mesh (no culling)": lambda: first(one),
        "bracket": lambda: first(mode="bracket", pixels=_PIXELS),
    }
    if isinstance(motion, Translation3d):
        largest = 2.0 * float((sensor.upper - sensor.lower).max())
        reuse = MaskReuse(sensor, (largest, largest), (_PIXELS, _PIXELS))
        made["published"] = lambda: first(mode="published", pixels=_PIXELS)
        made["published, images alone"] = lambda: _read(Scopes.of(sensor, scene, motion, pixels=_PIXELS))
        made["the same, mask reused"] = lambda: _read(reuse.look(scene, motion))
    return made


def _read(seen: Any) -> float | None:
    return float(seen.distance) if seen.distance <= seen.movement else None


def _joined(meshes: list[Mesh]) -> Mesh:
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [mesh.faces + start for mesh, start in zip(meshes, starts, strict=False)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(faces))


def _coal(coal: Any, question: Question, keeps: bool) -> Task:
    scene, motion = _joined(question.scene), question.motion
    bodies = build_coal_model(question.sensor), build_coal_model(scene)
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-12
    still = coal.Transform3s.Identity()
    size = float(np.ptp(question.sensor.vertices, axis=0).max())
    full, speed = _speed(motion, question.sensor)

    def advanced(pair: tuple[Any, Any]) -> float | None:
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

    if keeps:
        return lambda: advanced(bodies)
    return lambda: advanced((build_coal_model(question.sensor), build_coal_model(scene)))


def _speed(motion: Any, mesh: Mesh) -> tuple[float, float]:
    """The distance or angle of a motion, and how far its fastest point goes for each unit of it."""
    if isinstance(motion, Translation3d):
        return float(np.linalg.norm(motion.offset)), 1.0
    across = np.linalg.norm(np.cross(motion.axis, mesh.vertices - motion.center), axis=1)
    return float(abs(motion.angle)), float(across.max())


def _fcl(fcl: Any, question: Question) -> Task:
    if len(question.scene) > 1:
        raise MissingPeerError("two bodies only")

    def built(mesh: Mesh) -> Any:
        model = fcl.BVHModel()
        model.beginModel(len(mesh.vertices), len(mesh.faces))
        model.addSubModel(mesh.vertices, mesh.faces)
        model.endModel()
        return fcl.CollisionObject(model, fcl.Transform())

    straight = isinstance(question.motion, Translation3d)
    objects = built(question.sensor), built(_joined(question.scene))
    end = question.motion.at(1.0)
    pose = fcl.Transform(end.rotation, end.position)
    full, _ = _speed(question.motion, question.sensor)
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
    Peer("coal, trees kept", "coal", functools.partial(_coal, keeps=True)),
    Peer("coal, trees built", "coal", functools.partial(_coal, keeps=False)),
    Peer("python-fcl, trees kept", "fcl", _fcl, distribution="python-fcl"),
)


def many_radars(repeats: int) -> list[Measurement]:
    """RADAR's figure 8: 50 spheres of 128 faces in a cube, each with a radar of its own.

    Exact ones without the cube, too: its walls, large triangles across every image, cost more than the
    spheres.
    """
    world = BouncingRadars(SPHERES, SEED)
    for _ in range(5):
        world.step()
    balls, motions, own = world.sensors(), Translation3d(world.velocity), np.arange(SPHERES)[:, None]

    def detect_contacts(scene: Meshes, side: int) -> Callable[[], object]:
        return lambda: collide(balls, scene, motions, pixels=side, ignore=own)

    tasks = {f"{SPHERES} radars of {side} x {side}": detect_contacts(balls, side) for side in (16, 50)}
    tasks |= {
        f"{name}, in a cube": detect_contacts(world.scene, int(name.split()[-1])) for name in list(tasks)
    }
    times = time_interleaved(tasks, repeats, clock=CLOCK.now)
    found = []
    for name, timing in times.items():
        target = at_most(3.0 if "of 50 x" in name else SPHERES * 1000 / 60 / 500, 1e3 * timing.median)
        case = {"scene": "figure 8"}
        found.append(Measurement("radar", case, f"exact, {name}", 1e3 * timing.median, target=target))
    return found


def run(options: Options) -> Report:
    """Measure all scenes or those that are named, on one thread."""
    with one_thread():
        found = collect(measure(options.repeats, options.names), "first contacts")
        found += [] if options.names else many_radars(options.repeats)
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
    return Report(parameters, found, [table], versions(PEERS))
