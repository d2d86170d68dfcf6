"""The compiled loop that finds which targets a moving body hits during a frame."""

from __future__ import annotations

from typing import NamedTuple

from ougi._native import device, loop, procedure
from ougi._typing import Bools, Floats, Ints
from ougi.kernels.closest2d import foot
from ougi.kernels.constants import FREE, OVERLAPPING
from ougi.kernels.frames.polygons import (
    Corners,
    Flight,
    find_first_contact,
    locate_contact,
    offset_at,
)
from ougi.kernels.records import Vec2
from ougi.kernels.vec2 import along, dot, length, sub

# A contact is reported when the gap is this share of the reach of both bodies: far below a pixel.
_TOL = 1e-9

# Steps of a search. A pair that needs more is reported as a hit, because it is not proven free.
_MAX_STEPS = 1000

# Bounding circles are searched first, in a few steps, and up to a gap of this share of their radii.
_ROUGH_STEPS, _ROUGH_TOL = 8, 0.1


class Bodies(NamedTuple):
    """Bodies of convex parts, and their motions during a frame.

    Attributes
    ----------
    motion
        (8, n): center (x, y) and angle before the frame, velocity, turn, and acceleration, per frame.
    reach
        (n,), the largest distance of a body's points from its center.
    parts
        (2, n), the first part and the number of parts.
    corners
        (2, p), where the corners of each part begin, and how many they are. The column before the first is
        the center of the part's bounding circle.
    radii
        (2, p), the radius of each part, and that of its bounding circle.
    columns
        (3, c), x, y and distance from the center, of all corners.
    """

    motion: Floats
    reach: Floats
    parts: Ints
    corners: Ints
    radii: Floats
    columns: Floats


@device
def _load_part(bodies: Bodies, k: int) -> Corners:
    return Corners(bodies.columns, bodies.corners[0, k], bodies.corners[1, k], bodies.radii[0, k])


@device
def _load_bounding_circle(bodies: Bodies, k: int) -> Corners:
    return Corners(bodies.columns, bodies.corners[0, k] - 1, 1, bodies.radii[1, k])


@procedure
def _load_flight(mover: Bodies, targets: Bodies, j: int, appears: bool) -> Flight:
    """Target j as the mover sees it; if that appears, both rest where they are after the frame."""
    a, b = mover.motion, targets.motion
    offset = Vec2(b[0, j] - a[0, 0], b[1, j] - a[1, 0])
    velocity = Vec2(b[3, j] - a[3, 0], b[4, j] - a[4, 0])
    acceleration = Vec2(b[6, j] - a[6, 0], b[7, j] - a[7, 0])
    flight = Flight(offset, velocity, acceleration, a[2, 0], a[5, 0], b[2, j], b[5, j])
    if appears:
        rest = Vec2(0.0, 0.0)
        return Flight(offset_at(flight, 1.0), rest, rest, a[2, 0] + a[5, 0], 0.0, b[2, j] + b[5, j], 0.0)
    return flight


@procedure
def _may_touch(flight: Flight, reach: float) -> bool:
    """Does the path of b's center pass a's center within a reach? A parabola leaves its chord by |g| / 8."""
    chord = sub(offset_at(flight, 1.0), flight.offset)
    t = foot(Vec2(0.0, 0.0), flight.offset, chord, dot(chord, chord))
    near = along(flight.offset, chord, t)
    return length(near) <= reach + 0.125 * length(flight.acceleration)


@loop
def find_hits(
    mover: Bodies, targets: Bodies, wanted: Bools, appears: bool, placed: Floats, rows: Ints, out: Floats
) -> int:
    """Write the targets that are hit to `rows`, and status, time, point and normal to `out` (6, n).

    Returns how many there are. The first contact of a target is the earliest of its parts.
    """
    count = 0
    for j in range(len(wanted)):
        if not wanted[j]:
            continue
        flight = _load_flight(mover, targets, j, appears)
        size = mover.reach[0] + targets.reach[j]
        tol = _TOL * size
        if not _may_touch(flight, size + tol):
            continue
        end, status = 1.0, FREE
        for p in range(mover.parts[0, 0], mover.parts[0, 0] + mover.parts[1, 0]):
            a, circle_a = _load_part(mover, p), _load_bounding_circle(mover, p)
            for q in range(targets.parts[0, j], targets.parts[0, j] + targets.parts[1, j]):
                if status == OVERLAPPING:
                    continue
                b, circle_b = _load_part(targets, q), _load_bounding_circle(targets, q)
                rough = _ROUGH_TOL * (circle_a.radius + circle_b.radius)
                bound = find_first_contact(circle_a, circle_b, flight, 0.0, end, rough, _ROUGH_STEPS, placed)
                if bound.status == FREE:
                    continue
                found = find_first_contact(a, b, flight, bound.t, end, tol, _MAX_STEPS, placed)
                if found.status == FREE:
                    continue
                offset = offset_at(flight, found.t)
                point = locate_contact(
                    placed, a.corner_count, b.corner_count, b.radius, offset, found.normal, size
                )
                end, status = found.t, found.status
                t = 1.0 if appears else end
                out[0, count], out[1, count] = status, end
                out[2, count] = (
                    point.x + mover.motion[0, 0] + t * (mover.motion[3, 0] + 0.5 * t * mover.motion[6, 0])
                )
                out[3, count] = (
                    point.y + mover.motion[1, 0] + t * (mover.motion[4, 0] + 0.5 * t * mover.motion[7, 0])
                )
                out[4, count], out[5, count] = found.normal.x, found.normal.y
        if status != FREE:
            rows[count] = j
            count += 1
    return count
