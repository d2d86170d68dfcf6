"""What game engines cover instead of the sweep."""

from __future__ import annotations

import numpy as np

from ougi import _check
from ougi._native import run
from ougi._typing import DynamicBatch, Floats
from ougi.motion import Displacement2d, Motion, Rotation2d, Translation2d, Translation3d
from ougi.shapes import Aabb2d, Aabb3d, Capsule2d, Capsule3d, Compound, Shape
from ougi.shapes.compound import split_parts
from ougi.sweeps import _loops
from ougi.sweeps.turn_frame import (
    Operands,
    get_corners,
    get_middle,
    get_radius,
    lay_out,
    lay_out_path,
    rotate_left,
)

_KINDS = {
    "speculative-start-end": _loops.START_END,
    "speculative-inflated": _loops.INFLATED,
    "speculative-temporal": _loops.TEMPORAL,
    "speculative-ideal": _loops.IDEAL,
}


def cast_motion(shape: Shape, motion: Motion) -> Translation2d | Translation3d:
    """The straight move of the shape's middle: what remains of a motion without its rotation."""
    start = get_middle(shape)
    offset = _find_ends(start, motion) - start
    return Translation2d(offset) if shape.dimension == 2 else Translation3d(offset)


def _find_ends(points: Floats, motion: Motion) -> Floats:
    """Where a motion takes points (..., d) of its batch shape."""
    path = lay_out_path(motion)
    if path is None:
        return motion.at(1.0)._apply(points)
    batch = np.broadcast_shapes(points.shape[:-1], motion.shape)
    points = np.broadcast_to(points, (*batch, motion.dimension))
    flat = _check.frozen(np.ascontiguousarray(points).reshape((-1, motion.dimension)))
    ends = np.empty(flat.shape)
    run(_loops.find_ends, flat, path, ends, size=len(flat))
    return _check.in_range("position", ends, _check.MAX_COORDINATE).reshape(points.shape)


def build_speculative_box(shape: Shape, motion: Motion, method: str) -> Shape:
    """An axis-aligned box around the start, grown as the engine does."""
    made = Aabb2d if shape.dimension == 2 else Aabb3d
    operands = lay_out(shape, motion)
    if operands is not None:
        return made._from_fields(
            motion.shape, dict(zip(("lower", "upper"), _run(operands, method), strict=True))
        )
    start, end = shape.bounds(), shape.transformed(motion).bounds()
    if method == "speculative-start-end":
        lower, upper = np.minimum(start.lower, end.lower), np.maximum(start.upper, end.upper)
    elif method == "speculative-inflated":
        speed, spin = _compute_speeds(shape, motion)
        extent = np.linalg.norm(start.upper - start.lower, axis=-1) / 2
        reach = (np.linalg.norm(speed, axis=-1) + spin * extent)[..., None]
        lower, upper = start.lower - reach, start.upper + reach
    elif method == "speculative-temporal":
        speed, spin = _compute_speeds(shape, motion)
        reach = (spin * shape.bounding_sphere().radius)[..., None]
        lower = start.lower + np.minimum(speed, 0) - reach
        upper = start.upper + np.maximum(speed, 0) + reach
    else:
        lower, upper = sweep_bounds(shape, motion)
    return made(lower, upper)


def _run(operands: Operands, method: str) -> tuple[Floats, Floats]:
    """Lower and upper corners by the loop."""
    dimension = operands.solid[0].shape[1]
    lower, upper = (np.empty((operands.size, dimension)) for _ in range(2))
    arguments = operands.solid, operands.path, _KINDS[method], lower, upper
    run(_loops.build_boxes, *arguments, size=operands.size)
    for name, corner in (("lower", lower), ("upper", upper)):
        _check.in_range(name, corner, _check.MAX_COORDINATE)
    full = (*operands.batch, dimension)
    return lower.reshape(full), upper.reshape(full)


def _compute_speeds(shape: Shape, motion: DynamicBatch) -> tuple[Floats, Floats]:
    """Velocity of the shape's middle at the start, and angular speed, per step."""
    if isinstance(motion, Translation2d | Translation3d):
        return motion.offset, np.zeros(motion.shape)
    w = get_middle(shape) - motion.center
    if isinstance(motion, Rotation2d):
        return motion.angle[..., None] * rotate_left(w), np.abs(motion.angle)
    if isinstance(motion, Displacement2d):
        return motion.angle[..., None] * rotate_left(w) + motion.offset, np.abs(motion.angle)
    around = motion.angle[..., None] * np.cross(motion.axis, w)
    return around + motion._along()[..., None] * motion.axis, np.abs(motion.angle)


def sweep_bounds(shape: Shape, motion: DynamicBatch) -> tuple[Floats, Floats]:
    """The tight bounds of the whole path; of what is round those of tangents to it (`get_corners`).

    After an angle p a corner's coordinate is c + a cos p + b sin p + k p. Its extremes lie at the ends or
    where the derivative vanishes, sin(p - peak) = k / hypot(a, b); of those that repeat every turn, the first
    and the last count.
    """
    operands = lay_out(shape, motion)
    if operands is not None:
        return _run(operands, "speculative-ideal")
    if isinstance(motion, Translation2d | Translation3d):
        start, end = shape.bounds(), shape.transformed(motion).bounds()
        return np.minimum(start.lower, end.lower), np.maximum(start.upper, end.upper)
    if isinstance(shape, Compound):
        return _bound_parts(shape, motion)
    points = get_corners(shape)
    w = points - motion.center
    angle = np.abs(motion.angle)[..., None]
    sense = np.where(motion.angle < 0, -1.0, 1.0)[..., None]
    if isinstance(motion, Rotation2d | Displacement2d):
        rise = motion.offset if isinstance(motion, Displacement2d) else np.zeros(2)
        fixed, a, b = np.zeros_like(w), w, rotate_left(w) * sense
    else:
        fixed = (w * motion.axis).sum(-1, keepdims=True) * motion.axis
        a, b = w - fixed, np.cross(motion.axis, w) * sense
        rise = motion._along()[..., None] * motion.axis  # over the whole motion
    k = rise / np.where(angle > 0, angle, 1.0)
    reach, peak = np.hypot(a, b), np.arctan2(b, a)
    lean = np.arcsin(np.clip(k / np.where(reach > 0, reach, 1.0), -1.0, 1.0))
    values = [a + 0 * rise, a * np.cos(angle) + b * np.sin(angle) + rise]
    for turn in (np.mod(peak + lean, 2 * np.pi), np.mod(peak + np.pi - lean, 2 * np.pi)):
        laps = np.floor((angle - turn) / (2 * np.pi))
        for at in (turn, turn + 2 * np.pi * np.maximum(laps, 0)):
            extreme = a * np.cos(at) + b * np.sin(at) + k * at
            values.append(np.where((at <= angle) & (np.abs(k) <= reach), extreme, values[0]))
    path = motion.center + fixed + np.stack(np.broadcast_arrays(*values))
    reach = get_radius(shape)[..., None]
    return path.min(axis=(0, 1)) - reach, path.max(axis=(0, 1)) + reach


def _bound_parts(shape: DynamicBatch, motion: DynamicBatch) -> tuple[Floats, Floats]:
    """Bounds of the paths of all parts."""
    motions = motion.reshape((shape.count,))
    lower = np.full((shape.count, shape.dimension), np.inf)
    upper = -lower
    for parts in split_parts(shape):
        low, high = sweep_bounds(parts.shape, motions[parts.owner])
        np.minimum.at(lower, parts.owner, low)
        np.maximum.at(upper, parts.owner, high)
    return lower.reshape((*shape.shape, shape.dimension)), upper.reshape((*shape.shape, shape.dimension))


def build_swept_sphere(shape: Shape, motion: Motion) -> Shape:
    start = shape.bounding_sphere()
    ends = _find_ends(start.center, motion)
    return (Capsule2d if shape.dimension == 2 else Capsule3d)(start.center, ends, start.radius)


def build_substeps(shape: Shape, motion: Motion, steps: int) -> Shape:
    """The poses along a leading axis; shape and motion are batches of one shape."""
    times = np.linspace(0, 1, steps + 1).reshape((-1, *(1,) * motion.ndim))
    moved: Shape = shape.transformed(motion.at(times))
    return moved
