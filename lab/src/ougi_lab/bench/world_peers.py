"""Physics engines on the scenes of `ougi bench world`: sensors at constant velocities, one test per step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ougi.motion import Rotation2d, Screw3d
from ougi_lab.bench.ccd_peers import build_rapier_pose, build_rapier_shape
from ougi_lab.bench.narrow_peers import describe_solids
from ougi_lab.bench.peers import Peer


def _build_pymunk(pymunk: Any, groups: Sequence[Any], dt: float) -> Callable[[], Any]:
    space = build_pymunk_space(pymunk, groups)
    return lambda: space.step(dt)


def build_pymunk_space(pymunk: Any, groups: Sequence[Any]) -> Any:
    """Sensors in the plane on dynamic bodies, because others are not tested against each other."""
    space = pymunk.Space()
    for group in groups:
        turns = isinstance(group.motion, Rotation2d)
        for one, motion in zip(group.shape, group.motion, strict=True):
            body = pymunk.Body(1.0, 1.0)
            shape = _build_pymunk_shape(pymunk, one, body)
            shape.sensor = True
            if turns:
                body.angular_velocity = float(motion.angle)
            else:
                body.velocity = tuple(motion.offset.tolist())
            space.add(body, shape)
    return space


def _build_pymunk_shape(pymunk: Any, one: Any, body: Any) -> Any:
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


def _build_rapier(rapier: Any, groups: Sequence[Any], dt: float) -> Callable[[], Any]:
    world = build_rapier_world(rapier, groups)
    world.integration_parameters.dt = dt
    return world.step  # type: ignore[no-any-return]


def build_rapier_world(rapier: Any, groups: Sequence[Any]) -> Any:
    """Sensors in space on kinematic bodies, which are tested against each other here."""
    world = rapier.PhysicsWorld()
    for group in groups:
        turns = isinstance(group.motion, Screw3d)
        for one, motion in zip(describe_solids(group.shape), group.motion, strict=True):
            speed = motion.axis * motion.advance if turns else motion.offset
            spin = motion.axis * motion.angle if turns else np.zeros(3)
            body = rapier.RigidBody.kinematic_velocity_based().position(build_rapier_pose(rapier, one))
            sensor = build_rapier_shape(rapier.Collider, one).sensor(True)
            sensor = sensor.active_collision_types(rapier.ActiveCollisionTypes.all())
            world.add_body(body.linvel(speed.tolist()).angvel(spin.tolist()), colliders=[sensor])
    return world


PEERS = (Peer("pymunk", "pymunk", _build_pymunk), Peer("rapier3d", "rapier3d", _build_rapier))
DIMENSION = {"pymunk": 2, "rapier3d": 3}
