"""Moves of hands and fingers in a frame: how far each can go, and which can be executed together.

Radars test every move before it is executed. All radars of a frame, of all hands, are one call. They assume
that all other bodies are at rest. So two moves are executed in the same frame only if their swept volumes are
guaranteed to be separate. Otherwise one of them waits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.motion import Screw3d, Translation3d
from ougi.radar import MaskReuse, Meshes, Scopes, collide
from ougi.radar.windows import HEIGHT, WIDTH
from ougi.results import Status
from ougi_lab.grasp.hand import PARTS, Hand
from ougi_lab.grasp.sensors import Sensors

# Pixels along a side: of a hand or four fingers while they translate and while they turn, and of a part.
_STRAIGHT, _TURNING, _SMALL, _MANY_FACES = 8, 4, 1, 400
# Of the published rule, as in most of RADAR's experiments.
_PUBLISHED = 50
# Width and height of the published rule's first mask, in hand sizes: RADAR's 2000 of 400, as of the search.
_FIRST_MASK = 5.0

# Radars reach beyond a step, so that a reserve remains before an obstacle just behind it: radians, or a
# share of the hand's size.
SLACK = 2e-3


@dataclass(frozen=True, eq=False)
class Move:
    """A hand, or fingers of it, about to turn about an axis or to go along it.

    `step` is the angle or length in this frame, and `ahead` is how far radars reach at least. `ignored` lists
    the bodies that each radar excludes.
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


class MoveColumns(NamedTuple):
    """Moves as columns, with one row for each of their radars."""

    all: list[Move]
    starts: Ints  # of each move the first radar
    center: Floats
    axis: Floats
    turns: Bools
    ahead: Floats
    own: Ints  # bodies that a radar excludes because it belongs to them, -1 for others
    ignored: Ints  # the same, and bodies that it cannot reach


class FreeDistances(NamedTuple):
    """How far moves can go: `distance` to the first contact (inf: none), less a `reserve`. Also the body that
    is touched, and the radar of the move and its face that touch it.
    """

    distance: Floats
    reserve: Floats
    body: Ints
    radar: Ints
    face: Ints


Rule = Callable[[MoveColumns, Meshes, Meshes, float], FreeDistances]


def find_exact_distances(
    moves: MoveColumns, sensors: Meshes, scene: Meshes, clearance: float
) -> FreeDistances:
    """Find free distances by the exact radar: first contacts, less a clearance.

    Surfaces that approach each other at an angle need a longer reserve for the same clearance. It is divided
    by the component of the velocity along the normal.
    """
    angle, advance = np.where(moves.turns, moves.ahead, 0.0), np.where(moves.turns, 0.0, moves.ahead)
    motion = Screw3d(moves.center, moves.axis, angle, advance)
    pixels = np.where(moves.turns, _TURNING, _STRAIGHT)
    pixels = np.where(sensors.face_counts > _MANY_FACES, pixels, _SMALL)
    found = collide(sensors, motion, scene, pixels=np.stack([pixels, pixels], axis=1), ignore=moves.ignored)
    first = _find_first_radars(found.distance, moves.starts)
    point, normal, axis = found.point[first], found.normal[first], moves.axis[first]
    velocity = np.where(moves.turns[first, None], cross(axis, point - moves.center[first]), axis)
    closing = np.abs((normal * velocity).sum(axis=1))
    # At a graze there is no such speed; radars that overlap at the start have no normal.
    reserve = clearance / np.maximum(np.nan_to_num(closing), 1e-300)
    reserve = np.where(found.status[first] == Status.OVERLAPPING, np.inf, reserve)
    return FreeDistances(
        found.distance[first], reserve, found.body[first], first - moves.starts, found.face[first, 0]
    )


def find_tangent_distances(
    moves: MoveColumns, sensors: Meshes, scene: Meshes, clearance: float
) -> FreeDistances:
    """Find free distances as published: along the tangent, without a clearance (RADAR sec. 4.4).

    The bending angle is the arctangent of the distance to the target over that of the nearest point from the
    axis. An arc leaves its tangent, so a part may touch what the radar did not see and go too far.
    """
    center, axis, turns = moves.center, moves.axis, moves.turns
    reach, middle = _measure_reach(sensors, center, axis)
    across = cross(axis, middle - center)
    length = np.linalg.norm(across, axis=1, keepdims=True)
    direction = np.where(turns[:, None], across / np.where(length > 0, length, 1.0), axis)
    motion = Translation3d(direction * (moves.ahead * np.where(turns, reach, 1.0))[:, None])
    found = collide(sensors, motion, scene, method="published", pixels=_PUBLISHED, ignore=moves.own)
    radius = np.linalg.norm(cross(axis, found.point - center), axis=1)
    distance = np.where(turns, np.arctan2(found.distance, radius), found.distance)
    distance = np.where(found.hit, np.where(found.status == Status.OVERLAPPING, 0.0, distance), np.inf)
    first = _find_first_radars(distance, moves.starts)
    none = np.zeros(len(first)), np.full(len(first), -1)
    return FreeDistances(distance[first], none[0], found.body[first], first - moves.starts, none[1])


class PublishedRule:
    """Find free distances as published: tangents for fingers, reused masks for hands (RADAR sec. 3.3, 4.4).

    A hand that moves straight keeps its shape and attitude. So its mask is drawn twice: in an image as large
    as the search volume, and in one as large as the hand is in the first (RADAR figures 9 to 11).

    Attributes
    ----------
    views
        Width and height of each new view volume of a hand, in the order of their use.
    drawn
        How many times a hand was detected with a mask.
    """

    def __init__(self, hand: Hand) -> None:
        self.max_size = np.full(2, _FIRST_MASK * hand.size)
        self.views: list[tuple[float, float]] = []
        self.drawn = 0
        self._masks: dict[int, MaskReuse] = {}

    def __call__(self, moves: MoveColumns, sensors: Meshes, scene: Meshes, clearance: float) -> FreeDistances:
        """Find how far each move can go."""
        free = find_tangent_distances(moves, sensors, scene, clearance)
        distance, body = free.distance.copy(), free.body.copy()
        for k, move in enumerate(moves.all):
            if not move.turns:
                row = int(moves.starts[k])
                scopes = self._draw_hand(move, sensors[row], scene, moves.own[row])
                distance[k], body[k] = np.inf, -1
                if scopes.colliding.any():
                    distance[k] = max(scopes.distance, 0.0)
                    body[k] = scopes.ids.ravel()[np.nanargmin(scopes.look_at)]
        return free._replace(distance=distance, body=body)

    def _draw_hand(self, move: Move, sensor: Meshes, scene: Meshes, own: Ints) -> Scopes:
        """Draw the images of a hand that moves straight."""
        mask = self._masks.get(move.hand)
        if mask is None:
            mask = self._masks[move.hand] = MaskReuse(sensor, self.max_size, _PUBLISHED)
        before = mask.mask_count
        mask.move_sensor(sensor)
        scopes = mask.draw(Translation3d(move.ahead * move.axis), scene, ignore=own[own >= 0])
        self.drawn += 1
        if mask.mask_count > before:
            self.views.append((float(scopes.window[WIDTH]), float(scopes.window[HEIGHT])))
        return scopes


# Each makes the rule of one simulation.
RULES: dict[str, Callable[[Hand], Rule]] = {
    "exact": lambda hand: find_exact_distances,
    "published": PublishedRule,
}


def cross(a: Floats, b: Floats) -> Floats:
    """Cross products of vectors; NumPy's own takes ten times as long for a few."""
    product: Floats = a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]
    return product


def _find_first_radars(distance: Floats, starts: Ints) -> Ints:
    """Return the radar of each move with the smallest distance."""
    owner = np.repeat(np.arange(len(starts)), np.diff([*starts, len(distance)]))
    first: Ints = np.lexsort((distance, owner))[starts]
    return first


def _measure_reach(sensors: Meshes, center: Floats, axis: Floats) -> tuple[Floats, Floats]:
    """Return how far each sensor reaches from an axis, and the mean of its vertices."""
    counts = np.diff(sensors.vertex_starts)
    starts = sensors.vertex_starts[:-1]
    off = cross(np.repeat(axis, counts, axis=0), sensors.vertices - np.repeat(center, counts, axis=0))
    reach = np.maximum.reduceat(np.linalg.norm(off, axis=1), starts)
    return reach, np.add.reduceat(sensors.vertices, starts) / counts[:, None]


def select_simultaneous(
    moves: list[Move], sensors: Sensors, boxes: Floats, frames: Floats, margin: float, first: int
) -> tuple[MoveColumns | None, list[Move]]:
    """Return moves whose swept volumes are separate, and the moves that wait.

    It lies in the hull of its boxes at both ends, grown by the height of the farthest arc over its chord.
    Hulls with a plane between them are separate. Planes across hinges and axes of hands are tried.

    Parameters
    ----------
    boxes
        (n, 16, 8, 3), corners around all parts.
    frames
        (n, 3, 3), the rotations of the hands.
    margin
        Minimum distance of swept volumes.
    first
        The move that is considered first, so that not always the same moves wait.
    """
    if not moves:
        return None, []
    counts = [len(move.parts) for move in moves]
    owner = np.repeat(np.arange(len(moves)), counts)
    hands, parts = (
        np.repeat([m.hand for m in moves], counts),
        np.array([p for m in moves for p in m.parts]),
    )
    before = boxes[hands, parts]
    ahead, step = (np.array([getattr(move, name) for move in moves]) for name in ("ahead", "step"))
    turns = np.array([move.turns for move in moves])
    center, axis = np.stack([move.center for move in moves]), np.stack([move.axis for move in moves])
    after, arc = _move_points(before, center[owner], axis[owner], turns[owner], ahead[owner])
    # A rotation is checked as far as radars reach, a translation only as far as its step.
    ends = np.where(turns[owner, None, None], after, before + (step[:, None] * axis)[owner, None])
    apart = _find_separated(np.concatenate([before, ends], axis=1), arc, owner, axis, frames, margin)
    selected = _select_compatible(apart, first % len(moves))
    waiting = [move for k, move in enumerate(moves) if k not in selected]
    chosen = [moves[k] for k in selected]
    swept, reserve = np.empty((sensors.last, 16, 3)), np.empty(sensors.last)
    where = PARTS * hands + parts
    swept[where], reserve[where] = np.concatenate([before, after], axis=1), arc + margin
    return _lay_out_moves(chosen, sensors, swept, reserve, boxes.reshape((-1, 8, 3))), waiting


def _select_compatible(apart: Bools, first: int) -> list[int]:
    """Select moves that are all separate, greedily from the first on."""
    count = len(apart)
    if np.count_nonzero(apart) == count * (count - 1):
        return list(range(count))
    selected: list[int] = []
    for k in [*range(first, count), *range(first)]:
        if apart[k, selected].all():
            selected.append(k)
    return sorted(selected)


def _lay_out_moves(
    moves: list[Move], sensors: Sensors, swept: Floats, arc: Floats, boxes: Floats
) -> MoveColumns:
    """Lay out moves for their radars; `swept`, `arc` and `boxes` are for `Sensors.find_ignored`."""
    radars = [len(move.radars) for move in moves]
    owner = np.repeat(np.arange(len(moves)), radars)
    rows, starts = sensors.list_parts(tuple(radar for move in moves for radar in move.radars))
    own = np.zeros((len(owner), sensors.last + 1), np.bool_)
    excluded = [row for move in moves for row in move.ignored]
    own[np.repeat(np.arange(len(excluded)), [len(row) for row in excluded]), list(chain(*excluded))] = True
    turns = np.array([move.turns for move in moves])[owner]
    return MoveColumns(
        moves,
        np.cumsum([0, *radars])[:-1],
        np.stack([move.center for move in moves])[owner],
        np.stack([move.axis for move in moves])[owner],
        turns,
        np.array([move.ahead for move in moves])[owner],
        np.where(own, np.arange(sensors.last + 1), -1),
        sensors.find_ignored(rows, starts[:-1], swept, arc, own, boxes, fine=turns),
    )


def _move_points(
    points: Floats, center: Floats, axis: Floats, turns: Bools, by: Floats
) -> tuple[Floats, Floats]:
    """Points (q, 8, 3) after moves, and the height of the highest arc of each row over its chord."""
    x, y, z = axis.T
    zero = np.zeros(len(axis))
    cross = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    angle = np.where(turns, by, 0.0)
    s, v = np.sin(angle)[:, None, None], 2 * np.sin(angle / 2)[:, None, None] ** 2
    local = points - center[:, None]
    across = local @ np.swapaxes(cross, 1, 2)
    turned = s * across + v * (across @ np.swapaxes(cross, 1, 2))
    straight = np.where(turns, 0.0, by)[:, None] * axis
    arc = np.sqrt((across * across).sum(axis=2).max(axis=1)) * 2 * np.sin(angle / 4) ** 2
    return points + turned + straight[:, None], arc


def _find_separated(
    points: Floats, arc: Floats, owner: Ints, axes: Floats, frames: Floats, margin: float
) -> Bools:
    """Return which pairs of moves (m, m) have a plane between their swept volumes."""
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
