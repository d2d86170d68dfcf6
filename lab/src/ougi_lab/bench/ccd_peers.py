"""python-fcl and rapier3d on the swings of `ougi bench ccd`: loops in Python over objects built before.

Both get their best settings. python-fcl: `CCDM_SCREW` with conservative advancement; `num_max_iterations` and
`toc_err` change none of its results here. It is given two poses, so that above 180 degrees it takes the
shorter rotation. rapier3d: `cast_shape_nonlinear` in a world that holds the target alone, in single
precision; it may step over a contact and report a later one, or none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ougi_lab.bench.narrow_peers import PosedSolid, build_fcl_object, describe_solids
from ougi_lab.bench.peers import Peer
from ougi_lab.scenes.motions import MovingPairs

Loop = Callable[[], list[float]]  # the times of first contact, NaN for none


def _build_fcl_loop(fcl: Any, case: MovingPairs) -> Loop:
    bodies, targets, end = describe_solids(case.body), describe_solids(case.target), case.motion.at(1.0)
    swings = [
        (
            build_fcl_object(fcl, body),
            fcl.Transform(turn @ body.rotation, turn @ body.center + shift),
            build_fcl_object(fcl, target),
            fcl.Transform(target.rotation, target.center),
        )
        for body, target, turn, shift in zip(bodies, targets, end.rotation, end.position, strict=True)
    ]
    request = fcl.ContinuousCollisionRequest(
        ccd_motion_type=fcl.CCDMotionType.CCDM_SCREW,
        ccd_solver_type=fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT,
    )

    def loop() -> list[float]:
        times = []
        for swing in swings:
            result = fcl.ContinuousCollisionResult()
            fcl.continuousCollide(*swing, request, result)
            times.append(result.time_of_contact if result.is_collide else math.nan)
        return times

    return loop


def _build_rapier_loop(rapier: Any, case: MovingPairs) -> Loop:
    def build_world(p: PosedSolid) -> Any:
        """A world with this shape alone."""
        alone = rapier.PhysicsWorld()
        alone.add_collider(build_rapier_shape(rapier.Collider, p).position(build_rapier_pose(rapier, p)))
        alone.detect_collisions()
        alone.update_query_pipeline()
        return alone

    def build_motion(p: PosedSolid, pivot: Any, spin: Any) -> Any:
        pivot_in_body = (p.rotation.T @ (pivot - p.center)).tolist()
        return rapier.NonlinearRigidMotion(
            build_rapier_pose(rapier, p), pivot_in_body, (0.0, 0.0, 0.0), spin.tolist()
        )

    bodies, worlds = (
        describe_solids(case.body),
        [build_world(target) for target in describe_solids(case.target)],
    )
    spins = case.motion.axis * case.motion.angle[:, None]
    swings = [
        (alone.query_pipeline, build_motion(body, pivot, spin), build_rapier_shape(rapier.SharedShape, body))
        for alone, body, pivot, spin in zip(worlds, bodies, case.motion.center, spins, strict=True)
    ]
    options = rapier.ShapeCastOptions(max_time_of_impact=1.0)

    def loop() -> list[float]:
        found = [
            queries.cast_shape_nonlinear(motion, shape, options, 0.0, 1.0)
            for queries, motion, shape in swings
        ]
        return [math.nan if hit is None else hit[1].time_of_impact for hit in found]

    return loop


def build_rapier_pose(rapier: Any, p: PosedSolid) -> Any:
    """Build the pose of a shape."""
    turn = rapier.Rotation3.face_toward(p.rotation[:, 2].tolist(), p.rotation[:, 1].tolist())
    return rapier.Isometry3(p.center.tolist(), turn)


def build_rapier_shape(makers: Any, p: PosedSolid) -> Any:
    """Build a shape, or the builder of a collider. Both classes have makers of the same names."""
    if p.solid == "Sphere":
        return makers.ball(*p.sizes)
    if p.solid == "Convex":
        return makers.convex_hull(p.sizes[0].tolist())
    if p.solid == "Box":
        return makers.cuboid(*(np.array(p.sizes) / 2).tolist())
    radius, length = p.sizes
    return makers.capsule_z(length / 2, radius)


PEERS = (
    Peer("python-fcl", "fcl", _build_fcl_loop, distribution="python-fcl"),
    Peer("rapier3d", "rapier3d", _build_rapier_loop),
)
