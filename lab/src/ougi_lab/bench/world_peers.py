"""Physics engines on the crowds of `ougi bench world`: sensors at constant velocities, one test per step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ougi.motion import Rotation2d, Screw3d
from ougi_lab.bench.peers import load


class Engine(NamedTuple):
    """A library: its module, the dimension it knows, and how its step is made."""

    module: str
    dimension: int
    build: Callable[[Any, Sequence[Any], float], Callable[[], Any]]


def steps(
    dimension: int, herds: Sequence[Any], dt: float
) -> tuple[dict[str, Callable[[], Any]], dict[str, str]]:
    """A step for each engine that is installed and knows the dimension, and why others are missing."""
    made, missing = {}, {}
    for name, engine in ENGINES.items():
        if engine.dimension != dimension:
            continue
        module = load(engine.module)
        if isinstance(module, str):
            missing[name] = module
        else:
            made[name] = engine.build(module, herds, dt)
    return made, missing


def versions() -> dict[str, str | None]:
    """Of the engines; None for one that is missing."""
    found = {}
    for name, engine in ENGINES.items():
        module = load(engine.module)
        found[name] = None if isinstance(module, str) else _version(module)
    return found


def _version(module: Any) -> str | None:
    text = getattr(module, "__version__", None) or getattr(module, "version", None)
    return None if text is None else str(text)


def _pymunk(pymunk: Any, herds: Sequence[Any], dt: float) -> Callable[[], Any]:
    space = pymunk_space(pymunk, herds)
    return lambda: space.step(dt)


def pymunk_space(pymunk: Any, herds: Sequence[Any]) -> Any:
    """Sensors in the plane; dynamic bodies, for others do not meet each other."""
    space = pymunk.Space()
    for herd in herds:
        turns = isinstance(herd.motion, Rotation2d)
        for one, way in zip(herd.shape, herd.motion, strict=True):
            body = pymunk.Body(1.0, 1.0)
            shape = _pymunk_shape(pymunk, one, body)
            shape.sensor = True
            if turns:
                body.angular_velocity = float(way.angle)
            else:
                body.velocity = tuple(way.offset.tolist())
            space.add(body, shape)
    return space


def _pymunk_shape(pymunk: Any, one: Any, body: Any) -> Any:
    """The shape in its body's frame, and the body where it is."""
    if hasattr(one, "start"):
        middle = (one.start + one.end) / 2
        body.position = tuple(middle.tolist())
        ends = ((end - middle).tolist() for end in (one.start, one.end))
        return pymunk.Segment(body, *map(tuple, ends), float(one.radius))
    body.position = tuple(one.center.tolist())
    if hasattr(one, "radius"):
        return pymunk.Circle(body, float(one.radius))
    body.angle = float(one.angle)
    return pymunk.Poly.create_box(body, tuple(one.size.tolist()))


def _rapier(rapier: Any, herds: Sequence[Any], dt: float) -> Callable[[], Any]:
    world = rapier_world(rapier, herds)
    world.integration_parameters.dt = dt
    return world.step  # type: ignore[no-any-return]


def rapier_world(rapier: Any, herds: Sequence[Any]) -> Any:
    """Sensors in space on kinematic bodies, which may meet each other here."""
    world = rapier.PhysicsWorld()
    for collider, center, turn, speed, spin in _rapier_bodies(rapier, herds):
        body = rapier.RigidBody.kinematic_velocity_based()
        body = body.position(rapier.Isometry3(center.tolist(), turn))
        body = body.linvel(speed.tolist()).angvel(spin.tolist())
        sensor = collider.sensor(True).active_collision_types(rapier.ActiveCollisionTypes.all())
        world.add_body(body, colliders=[sensor])
    return world


def _rapier_bodies(rapier: Any, herds: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Collider, center, rotation, velocity and spin of each body."""
    for herd in herds:
        for one, way in zip(herd.shape, herd.motion, strict=True):
            frame = np.eye(3)
            if hasattr(one, "start"):
                center, along = (one.start + one.end) / 2, one.end - one.start
                frame = _frame(along)
                collider = rapier.Collider.capsule_z(float(np.linalg.norm(along)) / 2, float(one.radius))
            elif hasattr(one, "radius"):
                center, collider = one.center, rapier.Collider.ball(float(one.radius))
            else:
                center, frame = one.center, one.rotation
                collider = rapier.Collider.cuboid(*(one.size / 2).tolist())
            turn = rapier.Rotation3.face_toward(frame[:, 2].tolist(), frame[:, 1].tolist())
            if isinstance(herd.motion, Screw3d):
                yield collider, center, turn, way.axis * way.advance, way.axis * way.angle
            else:
                yield collider, center, turn, way.offset, np.zeros(3)


def _frame(along: Any) -> Any:
    """A frame whose third axis is this direction."""
    z = along / np.linalg.norm(along)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=-1)


ENGINES: dict[str, Engine] = {
    "pymunk": Engine("pymunk", 2, _pymunk),
    "rapier3d": Engine("rapier3d", 3, _rapier),
}
