"""Physics engines on the crowds of `ougi bench world`: sensors at constant velocities, one test per step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ougi.motion import Rotation2d, Screw3d
from ougi_lab.bench.peers import Peer


def _pymunk(pymunk: Any, groups: Sequence[Any], dt: float) -> Callable[[], Any]:
    space = pymunk_space(pymunk, groups)
    return lambda: space.step(dt)


def pymunk_space(pymunk: Any, groups: Sequence[Any]) -> Any:
    """Sensors in the plane on dynamic bodies, because others are not tested against each other."""
    space = pymunk.Space()
    for group in groups:
        turns = isinstance(group.motion, Rotation2d)
        for one, way in zip(group.shape, group.motion, strict=True):
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


def _rapier(rapier: Any, groups: Sequence[Any], dt: float) -> Callable[[], Any]:
    world = rapier_world(rapier, groups)
    world.integration_parameters.dt = dt
    return world.step  # type: ignore[no-any-return]


def rapier_world(rapier: Any, groups: Sequence[Any]) -> Any:
    """Sensors in space on kinematic bodies, which are tested against each other here."""
    world = rapier.PhysicsWorld()
    for collider, center, turn, speed, spin in _rapier_bodies(rapier, groups):
        body = rapier.RigidBody.kinematic_velocity_based()
        body = body.position(rapier.Isometry3(center.tolist(), turn))
        body = body.linvel(speed.tolist()).angvel(spin.tolist())
        sensor = collider.sensor(True).active_collision_types(rapier.ActiveCollisionTypes.all())
        world.add_body(body, colliders=[sensor])
    return world


def _rapier_bodies(rapier: Any, groups: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Collider, center, rotation, velocity and spin of each body."""
    for group in groups:
        for one, way in zip(group.shape, group.motion, strict=True):
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
            if isinstance(group.motion, Screw3d):
                yield collider, center, turn, way.axis * way.advance, way.axis * way.angle
            else:
                yield collider, center, turn, way.offset, np.zeros(3)


def _frame(along: Any) -> Any:
    """A frame whose third axis is this direction."""
    z = along / np.linalg.norm(along)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=-1)


PEERS = (Peer("pymunk", "pymunk", _pymunk), Peer("rapier3d", "rapier3d", _rapier))
DIMENSION = {"pymunk": 2, "rapier3d": 3}
