"""What hands and fingers want to do in a frame, how far they can go, and who may go at once.

Every move is asked of radars before it is carried out. All radars of a frame, of all hands, are one call.
They look at bodies at rest, so two moves are carried out in the same frame only if it is proved that their
ways lie apart; otherwise one of them waits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.motion import Screw3d, Translation3d
from ougi.radar import Meshes, collide
from ougi.radar.collide import OVERLAPPING
from ougi_lab.grasp.hand import PARTS
from ougi_lab.grasp.sensors import Sensors

# Pixels along a side: of a whole hand or four fingers, on a straight way and while they turn, and of a part.
_STRAIGHT, _TURNING, _SMALL, _MANY_FACES = 8, 4, 1, 400
# Of the published rule, as in most of RADAR's experiments.
_PUBLISHED = 50

# Radars look farther than a step, so that room can be left before what lies just behind it: radians, and a
# share of the hand's size.
SLACK = 2e-3


@dataclass(frozen=True, eq=False)
class Move:
    """A hand, or fingers of it, about to turn about an axis or to go along it.

    `step` is how far in this frame, an angle or a length, and `ahead` how far radars look at least. `ignored`
    are the bodies that each radar leaves out.
    """

    hand: int
    parts: tuple[int, ...]
    radars: tuple[int, ...]
    ignored: tuple[tuple[int, ...], ...]
    center: Floats
    axis: Floats
    turns: bool
    step: float
    ahead: float
    fingers: tuple[int, ...] = ()
    joint: int = 0


class Moves(NamedTuple):
    """Moves as columns, one row for each of the radars that ask about them."""

    all: list[Move]
    starts: Ints  # of each move the first radar
    center: Floats
    axis: Floats
    turns: Bools
    ahead: Floats
    own: Ints  # bodies that a radar leaves out, -1 for others: what it belongs to
    ignored: Ints  # and those that it cannot reach


class Free(NamedTuple):
    """How far moves can go: `distance` to the first contact (inf: none), less `room` that must stay; what is
    touched, by which of the move's radars, with which of its faces.
    """

    distance: Floats
    room: Floats
    body: Ints
    radar: Ints
    face: Ints


Rule = Callable[[Moves, Meshes, Meshes, float], Free]


def exact(moves: Moves, sensors: Meshes, scene: Meshes, clearance: float) -> Free:
    """By the exact radar: first contacts, of which a clearance is kept.

    Surfaces that approach each other at an angle need more of the way for the same clearance: it is divided
    by the part of the velocity that goes along the normal.
    """
    angle, advance = np.where(moves.turns, moves.ahead, 0.0), np.where(moves.turns, 0.0, moves.ahead)
    motion = Screw3d(moves.center, moves.axis, angle, advance)
    pixels = np.where(moves.turns, _TURNING, _STRAIGHT)
    pixels = np.where(sensors.face_counts > _MANY_FACES, pixels, _SMALL)
    found = collide(sensors, scene, motion, pixels=np.stack([pixels, pixels], axis=1), ignore=moves.ignored)
    first = _firsts(found.distance, moves.starts)
    point, normal, axis = found.center[first], found.normal[first], moves.axis[first]
    velocity = np.where(moves.turns[first, None], cross(axis, point - moves.center[first]), axis)
    closing = np.abs((normal * velocity).sum(axis=1))
    # At a graze there is no such speed; radars that overlap at the start have no normal.
    room = clearance / np.maximum(np.nan_to_num(closing), 1e-300)
    room = np.where(found.status[first] == OVERLAPPING, np.inf, room)
    return Free(found.distance[first], room, found.body[first], first - moves.starts, found.faces[first, 0])


def tangent(moves: Moves, sensors: Meshes, scene: Meshes, clearance: float) -> Free:
    """As published: parts look along the tangent, and the bending angle is the arctangent of the distance
    to the target over that of the nearest point from the axis (RADAR sec. 4.4). No clearance is kept.

    An arc leaves its tangent, so a part may meet what the radar did not see, and go too far.
    """
    center, axis, turns = moves.center, moves.axis, moves.turns
    reach, middle = _about(sensors, center, axis)
    across = cross(axis, middle - center)
    length = np.linalg.norm(across, axis=1, keepdims=True)
    way = np.where(turns[:, None], across / np.where(length > 0, length, 1.0), axis)
    motion = Translation3d(way * (moves.ahead * np.where(turns, reach, 1.0))[:, None])
    found = collide(sensors, scene, motion, mode="published", pixels=_PUBLISHED, ignore=moves.own)
    radius = np.linalg.norm(cross(axis, found.center - center), axis=1)
    distance = np.where(turns, np.arctan2(found.distance, radius), found.distance)
    distance = np.where(found.hit, np.where(found.status == OVERLAPPING, 0.0, distance), np.inf)
    first = _firsts(distance, moves.starts)
    none = np.zeros(len(first)), np.full(len(first), -1)
    return Free(distance[first], none[0], found.body[first], first - moves.starts, none[1])


RULES: dict[str, Rule] = {"exact": exact, "published": tangent}


def cross(a: Floats, b: Floats) -> Floats:
    """Cross products of vectors; NumPy's own takes ten times as long for a few."""
    product: Floats = a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]
    return product


def _firsts(distance: Floats, starts: Ints) -> Ints:
    """The radar of each move that is stopped first."""
    owner = np.repeat(np.arange(len(starts)), np.diff([*starts, len(distance)]))
    first: Ints = np.lexsort((distance, owner))[starts]
    return first


def _about(sensors: Meshes, center: Floats, axis: Floats) -> tuple[Floats, Floats]:
    """How far from an axis each sensor reaches, and the middle of its corners."""
    counts = np.diff(sensors.vertex_parts)
    starts = sensors.vertex_parts[:-1]
    off = cross(np.repeat(axis, counts, axis=0), sensors.vertices - np.repeat(center, counts, axis=0))
    reach = np.maximum.reduceat(np.linalg.norm(off, axis=1), starts)
    return reach, np.add.reduceat(sensors.vertices, starts) / counts[:, None]


def at_once(
    moves: list[Move], sensors: Sensors, boxes: Floats, frames: Floats, margin: float, turn: int
) -> tuple[Moves | None, list[Move]]:
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
    if not moves:
        return None, []
    counts = [len(move.parts) for move in moves]
    owner = np.repeat(np.arange(len(moves)), counts)
    hands, parts = np.repeat([m.hand for m in moves], counts), np.array([p for m in moves for p in m.parts])
    before = boxes[hands, parts]
    ahead, step = (np.array([getattr(move, name) for move in moves]) for name in ("ahead", "step"))
    turns = np.array([move.turns for move in moves])
    center, axis = np.stack([move.center for move in moves]), np.stack([move.axis for move in moves])
    after, arc = _moved(before, center[owner], axis[owner], turns[owner], ahead[owner])
    # A turn is looked at as far as radars look, hardly farther than it goes; a way only as far as it goes.
    ends = np.where(turns[owner, None, None], after, before + (step[:, None] * axis)[owner, None])
    apart = _apart(np.concatenate([before, ends], axis=1), arc, owner, axis, frames, margin)
    going = _without_conflicts(apart, turn % len(moves))
    waiting = [move for k, move in enumerate(moves) if k not in going]
    chosen = [moves[k] for k in going]
    swept, room = np.empty((sensors.last, 16, 3)), np.empty(sensors.last)
    where = PARTS * hands + parts
    swept[where], room[where] = np.concatenate([before, after], axis=1), arc + margin
    return _columns(chosen, sensors, swept, room, boxes.reshape((-1, 8, 3))), waiting


def _without_conflicts(apart: Bools, first: int) -> list[int]:
    """As many moves as come, counted from the first on, that all lie apart."""
    count = len(apart)
    if np.count_nonzero(apart) == count * (count - 1):
        return list(range(count))
    going: list[int] = []
    for k in [*range(first, count), *range(first)]:
        if apart[k, going].all():
            going.append(k)
    return sorted(going)


def _columns(moves: list[Move], sensors: Sensors, swept: Floats, arc: Floats, boxes: Floats) -> Moves:
    """Moves for their radars; `swept` and the like are for `Sensors.ignored`."""
    radars = [len(move.radars) for move in moves]
    owner = np.repeat(np.arange(len(moves)), radars)
    rows, starts = sensors.covers(tuple(radar for move in moves for radar in move.radars))
    own = np.zeros((len(owner), sensors.last + 1), np.bool_)
    left_out = [row for move in moves for row in move.ignored]
    own[np.repeat(np.arange(len(left_out)), [len(row) for row in left_out]), list(chain(*left_out))] = True
    turns = np.array([move.turns for move in moves])[owner]
    return Moves(
        moves,
        np.cumsum([0, *radars])[:-1],
        np.stack([move.center for move in moves])[owner],
        np.stack([move.axis for move in moves])[owner],
        turns,
        np.array([move.ahead for move in moves])[owner],
        np.where(own, np.arange(sensors.last + 1), -1),
        sensors.ignored(rows, starts[:-1], swept, arc, own, boxes, fine=turns),
    )


def _moved(points: Floats, center: Floats, axis: Floats, turns: Bools, by: Floats) -> tuple[Floats, Floats]:
    """Points (q, 8, 3) after moves, and the height of the highest arc of each row over its chord."""
    x, y, z = axis.T
    zero = np.zeros(len(axis))
    cross = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    angle = np.where(turns, by, 0.0)
    s, v = np.sin(angle)[:, None, None], 2 * np.sin(angle / 2)[:, None, None] ** 2
    seen = points - center[:, None]
    across = seen @ np.swapaxes(cross, 1, 2)
    turned = s * across + v * (across @ np.swapaxes(cross, 1, 2))
    straight = np.where(turns, 0.0, by)[:, None] * axis
    arc = np.sqrt((across * across).sum(axis=2).max(axis=1)) * 2 * np.sin(angle / 4) ** 2
    return points + turned + straight[:, None], arc


def _apart(points: Floats, arc: Floats, owner: Ints, axes: Floats, frames: Floats, margin: float) -> Bools:
    """Which moves (m, m) have a plane between their ways; nobody is in his own way."""
    near = axes[1:] * np.sign((axes[1:] * axes[:-1]).sum(axis=1))[:, None]
    planes = np.concatenate([axes, axes[:-1] + near, np.swapaxes(frames, 1, 2).reshape(-1, 3)])
    planes /= np.maximum(np.sqrt((planes * planes).sum(axis=1))[:, None], 1e-300)
    heights = points @ planes.T
    starts = np.searchsorted(owner, np.arange(len(axes)))
    grown = arc[:, None] + margin / 2
    low = np.minimum.reduceat(heights.min(axis=1) - grown, starts)
    high = np.maximum.reduceat(heights.max(axis=1) + grown, starts)
    above = np.any(low[:, None] > high[None], axis=2)
    apart: Bools = above | above.T
    return apart
