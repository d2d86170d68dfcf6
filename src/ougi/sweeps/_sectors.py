"""Sectors around or inside of a sweep: as published, enclosing, balanced."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

import numpy as np

from ougi import _check
from ougi._native import run
from ougi._typing import DynamicBatch, Floats, Ints
from ougi.motion import Motion
from ougi.shapes import Aabb2d, Aabb3d, Box, Compound, Mesh, Rectangle, Sector2d, Sector3d, Shape
from ougi.shapes.compound import split_parts
from ougi.sweeps._loops import BALANCED, ENCLOSING, PARALLEL, PUBLISHED, ROUNDING, build_sectors
from ougi.sweeps.turn_frame import (
    Operands,
    Pieces,
    TurnFrame,
    class_name,
    get_pieces,
    get_radius,
    lay_out,
    require_turn,
)

_OTHERS = "; methods that can: exact, sector-enclosing, speculative-ideal, swept-sphere, substeps"
_OTHERS_OF_MESHES = "; methods that can: sector-enclosing, speculative-ideal, swept-sphere"


class _Extents(NamedTuple):
    """A shape at rest, seen from an axis: radii, angles from `About.out`, heights."""

    inner: Floats
    outer: Floats
    low: Floats
    high: Floats
    bottom: Floats
    top: Floats


def build_enclosing_sector(shape: Shape, motion: Motion) -> Shape:
    """Ring, angles and heights of the shape about the axis, turned and lifted through the motion."""
    require_turn(motion, "sector-enclosing")
    if isinstance(shape, Compound):
        return _enclose_parts(shape, motion)
    operands = lay_out(shape, motion)
    if operands is not None:
        return _run(operands, motion, ENCLOSING)
    about = TurnFrame(shape, motion, "sector-enclosing")
    at = _measure_pieces(about, get_pieces(shape), get_radius(shape))
    turn, lift = about.angle, about.advance
    far = np.abs(at.bottom) + np.abs(at.top) + np.abs(lift) + np.abs(about.center).max(axis=-1)
    slack = ROUNDING * (at.outer + far)
    around = at.inner <= slack  # the axis meets the shape: it covers all angles
    lean = slack / np.where(around, 1.0, at.inner)
    low = np.where(around, -np.pi, at.low + np.minimum(turn, 0) - lean)
    high = np.where(around, np.pi, at.high + np.maximum(turn, 0) + lean)
    heights = (at.bottom + np.minimum(lift, 0) - slack, at.top + np.maximum(lift, 0) + slack)
    return about.sector(low, high, np.maximum(at.inner - slack, 0.0), at.outer + slack, heights)


def _enclose_parts(shape: DynamicBatch, motion: DynamicBatch) -> Shape:
    """The smallest sectors around those of all parts, which have one axis."""
    flat, moves = shape.reshape((shape.count,)), motion.reshape((shape.count,))
    about = TurnFrame(flat, moves, "sector-enclosing")
    rows = []
    for parts in split_parts(flat):
        own = parts.owner
        fan: DynamicBatch = build_enclosing_sector(parts.shape, moves[own])
        angle = np.arctan2(
            (fan.direction * about.side[own]).sum(-1), (fan.direction * about.out[own]).sum(-1)
        )
        z, half = np.zeros((2, len(own)))
        if not about.flat:
            z, half = ((fan.center - moves.center[own]) * moves.axis[own]).sum(-1), fan.half_height
        low, high = angle - fan.half_angle, angle + fan.half_angle
        rows.append(np.stack([own, fan.inner_radius, fan.outer_radius, low, high, z - half, z + half]))
    owner, *numbers = np.concatenate(rows, axis=1)
    order = np.argsort(owner, kind="stable")
    first = np.searchsorted(owner[order], np.arange(shape.count + 1))
    count = np.diff(first)
    # Bodies of fewer parts repeat their last one.
    index = order[first[:-1] + np.minimum(np.arange(count.max(initial=0))[:, None], count - 1)]
    inner, outer, low, high, bottom, top = (values[index] for values in numbers)
    start, end = _find_smallest_arc(low, high)
    near, far = inner.min(axis=0), outer.max(axis=0)
    low, high = bottom.min(axis=0), top.max(axis=0)
    slack = ROUNDING * (far + np.maximum(-low, high) + np.abs(moves.center).max(axis=-1))
    sides = np.maximum(near - slack, 0.0), far + slack, (low - slack, high + slack)
    return about.sector(start - ROUNDING, end + ROUNDING, *sides).reshape(shape.shape)


def _measure_pieces(about: TurnFrame, pieces: Pieces, radius: Floats) -> _Extents:
    """Of the union of convex pieces, with a radius around all.

    Seen along the axis a piece is a convex polygon. If the axis does not go through it, its corners are less
    than half a turn apart; if it does, at least half a turn. The inside of a closed surface needs no test,
    because no line gets there without crossing it. A rounded polygon is the hull of the circles around its
    corners, so it lies between the tangents of these.
    """
    seen = about.to_cylinder(pieces.corners)
    x, y = seen.x, seen.y
    nearest = np.min(
        [_compute_origin_distances(x[i], y[i], x[j], y[j]) for i, j in pieces.edges], axis=(0, 1)
    )
    first = np.arctan2(y[0], x[0])
    apart = np.arctan2(x[0] * y - y[0] * x, x[0] * x + y[0] * y)  # of each corner from the first
    far = np.hypot(x, y)
    crossed = (apart.max(axis=0) - apart.min(axis=0) >= np.pi).any(axis=0)
    lean = np.arcsin(radius / np.maximum(far, np.where(radius > 0, radius, 1.0)))
    low, high = (apart - lean).min(axis=0), (apart + lean).max(axis=0)
    start, end = _find_smallest_arc(first + low, first + high)
    return _Extents(
        np.where(crossed, 0.0, np.maximum(nearest - radius, 0.0)), far.max(axis=(0, 1)) + radius, start, end,
        seen.z.min(axis=(0, 1)) - radius, seen.z.max(axis=(0, 1)) + radius,
    )  # fmt: skip


def _compute_origin_distances(ax: Floats, ay: Floats, bx: Floats, by: Floats) -> Floats:
    """Distances of segments from the origin of the plane."""
    ux, uy = bx - ax, by - ay
    length_sq = ux * ux + uy * uy
    share = np.clip(-(ax * ux + ay * uy) / np.where(length_sq > 0, length_sq, 1.0), 0.0, 1.0)
    return np.hypot(ax + share * ux, ay + share * uy)


def _find_smallest_arc(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The smallest arc that holds the arcs (m, ...), each less than a turn: all but the largest gap."""
    turn = 2 * np.pi
    wide = high - low
    low = np.mod(low, turn)
    order = np.argsort(low, axis=0)
    low, wide = (np.take_along_axis(v, order, axis=0) for v in (low, wide))
    reached = np.maximum.accumulate(low + wide, axis=0)
    covered = np.maximum(reached, reached[-1] - turn)  # by those that began before
    following = np.concatenate([low[1:], low[:1] + turn])
    gap = following - covered
    largest = np.argmax(gap, axis=0)[None]
    start = np.take_along_axis(following, largest, axis=0)[0]
    free = np.maximum(np.take_along_axis(gap, largest, axis=0)[0], 0.0)
    return start, start + turn - free


def _run(operands: Operands, motion: DynamicBatch, kind: int) -> Shape:
    """Sectors by the loop; NaN where a motion is refused."""
    d = operands.solid[0].shape[1]
    center, direction = (np.empty((operands.size, d)) for _ in range(2))
    numbers = np.empty((4, operands.size))
    arguments = operands.solid, operands.path, kind, (center, direction, numbers)
    run(build_sectors, *arguments, size=operands.size)
    half, inner, outer, height = numbers.reshape((4, *operands.batch))
    fields = {"center": center.reshape((*operands.batch, d))}
    if d == 3:
        fields["axis"] = motion.axis
    fields |= {"direction": direction.reshape((*operands.batch, d)), "half_angle": half}
    fields |= {"inner_radius": inner, "outer_radius": outer}
    if d == 3:
        fields["half_height"] = height
    made = Sector2d if d == 2 else Sector3d
    largest = max(float(np.max(outer, initial=0.0)), float(np.abs(center).max(initial=0.0)))
    if largest > _check.MAX_LENGTH or _check.are_tiny(outer):
        return made(**fields)  # which refuses what is out of range
    return made._from_fields(operands.batch, fields)


def _build_fan(shape: Shape, motion: Motion, method: str) -> Shape:
    """The sector of a motion as FAN sec. 2.1 assumes it; an error names methods for other motions."""
    if not isinstance(shape, Rectangle | Box | Aabb2d | Aabb3d):
        others = _OTHERS_OF_MESHES if isinstance(shape, Mesh) else _OTHERS
        raise ValueError(f"{method} turns a Box or a Rectangle, got {class_name(shape)}{others}")
    require_turn(motion, method)
    operands = lay_out(shape, motion)
    assert operands is not None
    fan: DynamicBatch = _run(operands, motion, PUBLISHED if method == "sector" else BALANCED)
    if np.isnan(fan.half_angle).any():
        _explain_refusal(shape._turnable() if isinstance(shape, Aabb2d | Aabb3d) else shape, motion, method)
    return fan  # type: ignore[no-any-return]


def _explain_refusal(shape: DynamicBatch, motion: Motion, method: str) -> NoReturn:
    """Raise for the first assumption of FAN sec. 2.1 that does not hold."""
    about = TurnFrame(shape, motion, method)
    if np.any(about.advance != 0):
        raise ValueError(f"{method} needs a turn without advance{_OTHERS}")
    turn = np.abs(about.angle)
    _check.refuse(turn > 2 * np.pi, "angle", f"be at most one turn for {method}", turn, _OTHERS)
    axes = np.stack(shape._axes(), axis=-1) if isinstance(shape, Rectangle) else shape.rotation
    axes = np.broadcast_to(axes, (*about.batch, *axes.shape[-2:]))
    size = np.broadcast_to(shape.size, (*about.batch, shape.dimension))
    radial = np.abs((about.out[..., None] * axes).sum(-2))  # |out . axis|, per axis of the box
    pick = np.argmax(radial, axis=-1)[..., None]
    off = _measure_angle(about.out, axes, pick)
    rule = f"have its middle line from the pivot along one of its axes for {method} (radians off it)"
    _check.refuse((off > PARALLEL) & (about.lever > 0), "shape", rule, off, _OTHERS)
    along = np.take_along_axis(size, pick, -1)[..., 0]
    if not about.flat:
        top = np.argmax(np.abs((about.axis[..., None] * axes).sum(-2)), axis=-1)[..., None]
        tilt = _measure_angle(about.axis, axes, top)
        rule = f"be parallel to an axis of the box for {method}"
        _check.refuse(tilt > PARALLEL, "axis", rule, about.axis, _OTHERS)
    inside = about.lever - along / 2
    rule = f"not lie inside the shape for {method} (distance from its face)"
    _check.refuse(inside < -PARALLEL * along, "pivot", rule, inside, _OTHERS)
    raise ValueError(f"{method} does not fit this motion, because of rounding{_OTHERS}")


def _measure_angle(direction: Floats, axes: Floats, pick: Ints) -> Floats:
    """The angle, if it is small, between directions and the lines along one of the axes each."""
    chosen = np.take_along_axis(axes, pick[..., None], -1)[..., 0]
    sign = np.where((chosen * direction).sum(-1) < 0, -1.0, 1.0)[..., None]
    off: Floats = np.linalg.norm(direction - chosen * sign, axis=-1)
    return off


def build_published_sector(shape: Shape, motion: Motion) -> Shape:
    """FAN (2.1), (2.2): radii from the box's length, the turn's angle, nothing from its width."""
    return _build_fan(shape, motion, "sector")


def build_balanced_sector(shape: Shape, motion: Motion) -> Shape:
    """The fan widened to the box's corners at a mean radius."""
    return _build_fan(shape, motion, "sector-balanced")
