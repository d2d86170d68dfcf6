"""What hands and fingers want to do in a frame, how far they can go, and who may go at once.

Every move is asked of radars before it is carried out. All radars of a frame, of all hands, are one call.
They look at bodies at rest, so two moves are carried out in the same frame only if it is proved that their
ways lie apart; otherwise one of them waits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.motion import Screw3d, Translation3d
from ougi.radar import Meshes, collide
from ougi.radar.collide import OVERLAPPING

# Pixels along a side: of a whole hand or four fingers, of a part.
_LARGE, _SMALL, _MANY_FACES = 24, 8, 400

# Radars look farther than a step, so that room can be left before what lies just behind it: radians, and a
# share of the hand's size.
SLACK = 2e-3


@dataclass(frozen=True, eq=False)
class Move:
    """A hand, or fingers of it, about to turn about an axis or to go along it.

    `step` is how far in this frame, an angle or a length, and `ahead` how far radars look at least.
    """

    hand: int
    parts: tuple[int, ...]
    radars: tuple[int, ...]
    ignored: tuple[tuple[int, ...], ...]  # bodies that each radar leaves out
    center: Floats
    axis: Floats
    turns: bool
    step: float
    ahead: float
    fingers: tuple[int, ...] = ()
    joint: int = 0


class Free(NamedTuple):
    """How far moves can go: `distance` to the first contact (inf: none), less `room` that must stay; what is
    touched, by which of the move's radars, with which of its faces.
    """

    distance: Floats
    room: Floats
    body: Ints
    radar: Ints
    face: Ints


Rule = Callable[[list[Move], Meshes, Meshes, float], Free]


def exact(moves: list[Move], sensors: Meshes, scene: Meshes, clearance: float) -> Free:
    """By the exact radar: first contacts, of which a clearance is kept.

    Surfaces that approach each other at an angle need more of the way for the same clearance: it is divided
    by the part of the velocity that goes along the normal.
    """
    owner, center, axis, turns = _for_radars(moves)
    ahead = np.array([move.ahead for move in moves])[owner]
    motion = Screw3d(center, axis, np.where(turns, ahead, 0.0), np.where(turns, 0.0, ahead))
    pixels = np.where(sensors.face_counts > _MANY_FACES, _LARGE, _SMALL)
    found = collide(sensors, scene, motion, pixels=np.stack([pixels, pixels], axis=1), ignore=_ignored(moves))
    first = _firsts(found.distance, owner, len(moves))
    point, normal, way = found.center[first], found.normal[first], axis[first]
    velocity = np.where(turns[first, None], np.cross(way, point - center[first]), way)
    closing = np.abs((normal * velocity).sum(axis=1))
    # At a graze there is no such speed; radars that overlap at the start have no normal.
    room = clearance / np.maximum(np.nan_to_num(closing), 1e-300)
    room = np.where(found.status[first] == OVERLAPPING, np.inf, room)
    which = first - _starts(moves)
    return Free(found.distance[first], room, found.body[first], which, found.faces[first, 0])


def tangent(moves: list[Move], sensors: Meshes, scene: Meshes, clearance: float) -> Free:
    """As published: parts look along the tangent, and the bending angle is the arctangent of the distance
    to the target over that of the nearest point from the axis (RADAR sec. 4.4). No clearance is kept.

    An arc leaves its tangent, so a part may meet what the radar did not see, and go too far.
    """
    owner, center, axis, turns = _for_radars(moves)
    reach, middle = _about(sensors, center, axis)
    across = np.cross(axis, middle - center)
    length = np.linalg.norm(across, axis=1, keepdims=True)
    way = np.where(turns[:, None], across / np.where(length > 0, length, 1.0), axis)
    ahead = np.array([move.ahead for move in moves])[owner] * np.where(turns, reach, 1.0)
    motion = Translation3d(way * ahead[:, None])
    found = collide(sensors, scene, motion, mode="published", pixels=_LARGE, ignore=_ignored(moves))
    radius = np.linalg.norm(np.cross(axis, found.center - center), axis=1)
    distance = np.where(turns, np.arctan2(found.distance, radius), found.distance)
    distance = np.where(found.hit, np.where(found.status == OVERLAPPING, 0.0, distance), np.inf)
    first = _firsts(distance, owner, len(moves))
    none = np.zeros(len(moves)), np.full(len(moves), -1)
    return Free(distance[first], none[0], found.body[first], first - _starts(moves), none[1])


RULES: dict[str, Rule] = {"exact": exact, "published": tangent}


def _for_radars(moves: list[Move]) -> tuple[Ints, Floats, Floats, Bools]:
    """Whose each radar is, and the move it asks about."""
    owner = np.repeat(np.arange(len(moves)), [len(move.radars) for move in moves])
    center, axis = np.stack([m.center for m in moves])[owner], np.stack([m.axis for m in moves])[owner]
    return owner, center, axis, np.array([move.turns for move in moves])[owner]


def _starts(moves: list[Move]) -> Ints:
    """The first radar of each move."""
    starts: Ints = np.cumsum([0, *(len(move.radars) for move in moves)])[:-1]
    return starts


def _ignored(moves: list[Move]) -> Ints:
    """Bodies that each radar leaves out; rows are filled up with -1, which is nobody."""
    rows = [row for move in moves for row in move.ignored]
    out = np.full((len(rows), max(len(row) for row in rows)), -1)
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out


def _firsts(distance: Floats, owner: Ints, count: int) -> Ints:
    """The radar of each move that is stopped first."""
    order = np.lexsort((distance, owner))
    first: Ints = order[np.searchsorted(owner, np.arange(count))]
    return first


def _about(sensors: Meshes, center: Floats, axis: Floats) -> tuple[Floats, Floats]:
    """How far from an axis each sensor reaches, and the middle of its corners."""
    counts = np.diff(sensors.vertex_parts)
    starts = sensors.vertex_parts[:-1]
    off = np.cross(np.repeat(axis, counts, axis=0), sensors.vertices - np.repeat(center, counts, axis=0))
    reach = np.maximum.reduceat(np.linalg.norm(off, axis=1), starts)
    return reach, np.add.reduceat(sensors.vertices, starts) / counts[:, None]


def at_once(
    moves: list[Move], boxes: Floats, frames: Floats, margin: float, turn: int
) -> tuple[list[Move], list[Move]]:
    """Moves whose ways lie apart from each other, and those that wait.

    A way lies in the hull of its boxes at both ends, grown by the height of the farthest arc over its chord.
    Hulls with a plane between them lie apart: planes across hinges and across the axes of hands are tried.

    Parameters
    ----------
    boxes
        (n, 16, 8, 3), corners around all parts.
    frames
        (n, 3, 3), the hands' turns.
    margin
        Ways must lie so far apart.
    turn
        Decides who is asked first: those who wait are not always the same.
    """
    if len(moves) < 2:
        return moves, []
    ways = [_way(move, boxes[move.hand, list(move.parts)].reshape(-1, 3)) for move in moves]
    axes = np.stack([move.axis for move in moves])
    middles = axes[1:] + axes[:-1] * np.sign((axes[1:] * axes[:-1]).sum(axis=1))[:, None]
    planes = np.concatenate([axes, middles, np.swapaxes(frames, 1, 2).reshape(-1, 3)])
    planes /= np.maximum(np.linalg.norm(planes, axis=1, keepdims=True), 1e-300)
    heights = np.concatenate([points for points, _ in ways]) @ planes.T
    starts = np.cumsum([0, *(len(points) for points, _ in ways)])[:-1]
    grown = np.array([arc for _, arc in ways])[:, None] + margin / 2
    low, high = np.minimum.reduceat(heights, starts) - grown, np.maximum.reduceat(heights, starts) + grown
    above = (low[:, None] > high[None]).any(axis=2)
    apart = above | above.T
    first = turn % len(moves)
    going: list[int] = []
    for k in [*range(first, len(moves)), *range(first)]:
        if apart[k, going].all():
            going.append(k)
    chosen = set(going)
    return [moves[k] for k in sorted(chosen)], [m for k, m in enumerate(moves) if k not in chosen]


def _way(move: Move, points: Floats) -> tuple[Floats, float]:
    """Corners at both ends of a move, and the height of arcs over their chords."""
    if not move.turns:
        return np.concatenate([points, points + move.step * move.axis]), 0.0
    x = points - move.center
    across = np.cross(move.axis, x)
    half = math.sin(move.step / 2)
    # x + sin a (axis x) + (1 - cos a) axis (axis x): what a turn adds to points.
    turned = points + math.sin(move.step) * across + 2 * half**2 * np.cross(move.axis, across)
    arc = float(np.sqrt((across * across).sum(axis=1).max())) * 2 * math.sin(move.step / 4) ** 2
    return np.concatenate([points, turned]), arc
