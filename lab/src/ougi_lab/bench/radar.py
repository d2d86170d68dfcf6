"""`ougi bench radar`: what first contacts of meshes cost, with and without anything prepared.

RADAR's scene of figure 7 has 100,626 polygons: a sensor of 1,250, 345 groups of four spheres of 72, and 16
more, in a cube of side 2000 (the places are ours). Beside it two bumpy balls of some 5,000 faces that move
and turn against each other, and two boxes. coal is advanced by its distances, with its trees built before
and each time; python-fcl is asked for its continuous collision.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Floats
from ougi.motion import Motion, Rotation3d, Translation3d
from ougi.radar import MaskReuse, Meshes, Scopes, collide
from ougi.shapes import Mesh
from ougi_lab.bench.choose import choose
from ougi_lab.bench.peers import load
from ougi_lab.measure import CLOCK, interleaved
from ougi_lab.scenes.bouncing_radars import SPHERES, BouncingRadars
from ougi_lab.scenes.mesh_pairs import make_figure_7
from ougi_lab.scenes.meshes import coal_model, make_box, make_sphere, move_mesh
from ougi_lab.scenes.pairs import rotation_3d

SEED = 7

# Milliseconds on one thread that are promised.
TARGETS = {"figure 7, exact": 2.0, "5k x 5k turning, exact": 5.0, "two boxes, exact": 0.05}

# Calls that are timed together, and of bodies with few faces, of whose calls ten are less than a millisecond.
_OFTEN, _FEW_OFTEN, _FEW_FACES = 10, 100, 100

# coal's advancement stops at this gap, in parts of the size, or after so many steps.
_GAP, _STEPS = 1e-9, 300


@dataclass(frozen=True)
class Row:
    """One way to answer one question: CPU milliseconds, the answer, and how far it is from the exact one."""

    question: str
    way: str
    ms: float
    answer: float | None
    error: float | None
    target: float | None
    kept: bool | None


class Question(NamedTuple):
    """A sensor, a scene and a motion; `moving` asks for distances along it, else for angles."""

    name: str
    sensor: Mesh
    scene: list[Mesh]
    motion: Motion


def _bumpy(place: Floats, seed: int) -> Mesh:
    turn = rotation_3d(np.random.default_rng(seed).normal(size=4))
    return move_mesh(make_sphere(52, 50, 1.0, 0.1), turn, place)


def questions() -> list[Question]:
    """All that is asked."""
    near, far = _bumpy(np.zeros(3), 1), _bumpy(np.array([0.4, 0.3, 3.0]), 2)
    boxes = (
        make_box(),
        [move_mesh(make_box(), rotation_3d(np.array([0.1, 0.2, 0.3, 0.9])), np.array([0.3, 0.2, 3.0]))],
    )
    turn = Rotation3d([0, -5, 1.5], [1, 0, 0.1], 2.0)
    return [
        Question("figure 7", *make_figure_7(), Translation3d([30.0, 20.0, 1900.0])),
        Question("5k x 5k straight", near, [far], Translation3d([0, 0, 5.0])),
        Question("5k x 5k turning", near, [far], turn),
        Question("two boxes", boxes[0], boxes[1], Translation3d([0, 0, 5.0])),
        Question("two boxes turning", boxes[0], boxes[1], turn),
    ]


def rows(repeats: int, chosen: tuple[str, ...] = ()) -> Iterator[Row]:
    """Time every way to answer every question, or those whose names hold one of the words, in turn."""
    every = questions()
    known = f"known are {', '.join(question.name for question in every)}"
    for question in choose(every, chosen, lambda asked: asked.name, "question of bench radar", known):
        yield from _timed(question, repeats)


def _timed(question: Question, repeats: int) -> Iterator[Row]:
    tasks = ways(question)
    answers = {name: task() for name, task in tasks.items()}
    costly = {name for name in tasks if name.startswith(("coal", "python-fcl"))}
    faces = len(question.sensor.faces) + sum(len(mesh.faces) for mesh in question.scene)
    often = _FEW_OFTEN if faces <= _FEW_FACES else _OFTEN
    quick = {k: _often(v, often) for k, v in tasks.items() if k not in costly}
    times = interleaved(quick, repeats, clock=CLOCK.now)
    times |= interleaved({k: tasks[k] for k in costly}, max(1, min(3, repeats)), warm=0, clock=CLOCK.now)
    exact = answers["exact"]
    for name in tasks:
        count = 1 if name in costly else often
        ms, answer = 1e3 * times[name].median / count, answers[name]
        target = TARGETS.get(f"{question.name}, {name}")
        kept = None if target is None else ms <= target
        off = None if answer is None or exact is None else abs(answer - exact)
        yield Row(question.name, name, ms, answer, off, target, kept)


def _often(task: Callable[[], object], times: int) -> Callable[[], object]:
    """A task that is done several times at once, as a game would, so that the first does not warm caches
    alone."""

    def many() -> None:
        for _ in range(times):
            task()

    return many


def ways(question: Question) -> dict[str, Callable[[], float | None]]:
    """Ways to answer, each a function that gives the distance or angle; None for no contact."""
    sensor, scene = Meshes(question.sensor), Meshes(question.scene)
    one = Meshes([_joined(question.scene)])
    motion = question.motion
    straight = isinstance(motion, Translation3d)
    wave = 1e-9 * np.sin(np.arange(scene.vertices.size)).reshape(scene.vertices.shape)

    def told(found: Any) -> float | None:
        return float(found.distance[0]) if np.isfinite(found.distance[0]) else None

    pixels = 25
    made: dict[str, Callable[[], float | None]] = {
        "exact": lambda: told(collide(sensor, scene, motion)),
        "exact, 25 x 25": lambda: told(collide(sensor, scene, motion, pixels=pixels)),
        "exact, deforming": lambda: told(collide(sensor, scene.deformed(scene.vertices + wave), motion)),
        "exact, one mesh (no culling)": lambda: told(collide(sensor, one, motion)),
        "bracket": lambda: told(collide(sensor, scene, motion, mode="bracket", pixels=pixels)),
    }
    if straight:
        made["published"] = lambda: told(collide(sensor, scene, motion, mode="published", pixels=pixels))
        made["published, images alone"] = lambda: _images(sensor, scene, motion, pixels)
        made["the same, mask reused"] = _reused(sensor, scene, motion, pixels)
    made |= _coal(question) | _fcl(question)
    return made


def _joined(meshes: list[Mesh]) -> Mesh:
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    faces = [mesh.faces + start for mesh, start in zip(meshes, starts, strict=False)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(faces))


def _images(sensor: Meshes, scene: Meshes, motion: Any, pixels: int) -> float | None:
    seen = Scopes.of(sensor, scene, motion, pixels=pixels)
    return seen.distance if seen.distance <= seen.movement else None


def _reused(sensor: Meshes, scene: Meshes, motion: Any, pixels: int) -> Callable[[], float | None]:
    largest = 2.0 * float((sensor.upper - sensor.lower).max())
    reuse = MaskReuse(sensor, (largest, largest), (pixels, pixels))
    for _ in range(2):
        reuse.look(scene, motion)

    def look() -> float | None:
        seen = reuse.look(scene, motion)
        return seen.distance if seen.distance <= seen.movement else None

    return look


def _coal(question: Question) -> dict[str, Callable[[], float | None]]:
    coal = load("coal")
    if isinstance(coal, str):
        return {}
    scene, motion = _joined(question.scene), question.motion
    bodies = coal_model(question.sensor), coal_model(scene)
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

    return {
        "coal, trees kept": lambda: advanced(bodies),
        "coal, trees built": lambda: advanced((coal_model(question.sensor), coal_model(scene))),
    }


def _speed(motion: Any, mesh: Mesh) -> tuple[float, float]:
    """The distance or angle of a motion, and how far its fastest point goes for each unit of it."""
    if isinstance(motion, Translation3d):
        return float(np.linalg.norm(motion.offset)), 1.0
    across = np.linalg.norm(np.cross(motion.axis, mesh.vertices - motion.center), axis=1)
    return float(abs(motion.angle)), float(across.max())


def _fcl(question: Question) -> dict[str, Callable[[], float | None]]:
    fcl = load("fcl")
    if isinstance(fcl, str) or len(question.scene) > 1:
        return {}

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

    def asked() -> float | None:
        result = fcl.ContinuousCollisionResult()
        fcl.continuousCollide(objects[0], pose, objects[1], fcl.Transform(), request, result)
        return full * result.time_of_contact if result.is_collide and math.isfinite(full) else None

    return {"python-fcl, trees kept": asked}


def many_radars(repeats: int) -> list[Row]:
    """RADAR's figure 8: 50 spheres of 128 faces in a cube, each with a radar of its own.

    Exact ones without the cube, too: its walls, large triangles across every image, cost more than the
    spheres.
    """
    world = BouncingRadars(SPHERES, SEED)
    for _ in range(5):
        world.step()
    balls, motions, own = world.sensors(), Translation3d(world.velocity), np.arange(SPHERES)[:, None]

    def look(scene: Meshes, side: int) -> Callable[[], object]:
        return lambda: collide(balls, scene, motions, pixels=side, ignore=own)

    tasks = {f"{SPHERES} radars of {side} x {side}": look(balls, side) for side in (16, 50)}
    tasks |= {f"{name}, in a cube": look(world.scene, int(name.split()[-1])) for name in list(tasks)}
    times = interleaved(tasks, repeats, clock=CLOCK.now)
    targets = [3.0 if "of 50 x" in name else SPHERES * 1000 / 60 / 500 for name in tasks]
    return [
        Row("figure 8", f"exact, {name}", ms, None, None, target, ms <= target)
        for name, target in zip(tasks, targets, strict=True)
        for ms in (1e3 * times[name].median,)
    ]
