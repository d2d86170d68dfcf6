"""A scene in memory: bodies, how they move over time, and which pairs to check. All formats lead here."""

from __future__ import annotations

import bisect
import functools
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ougi import _check
from ougi._render import render_html
from ougi._typing import Bools, Floats, Ints
from ougi.motion import Motion, Pose
from ougi.scene.colors import is_color
from ougi.scene.name_rules import NameIndex
from ougi.scene.pair_filter import COVERED, PairCounts, PairFilter
from ougi.shapes import HalfSpace, Shape

if TYPE_CHECKING:
    from ougi.scene.robot import RobotMotion

# The mask of a body that is checked against every group.
EVERYTHING = 0xFFFFFFFF


class Piece(NamedTuple):
    """A motion from one time to another, in seconds, of a body that stands where the piece before left it.

    A piece that takes no time is a jump: nothing lies between its two poses.

    >>> import ougi
    >>> from ougi.scene import Piece
    >>> Piece(0.0, 2.0, ougi.Translation2d([8, 0])).stop
    2.0
    """

    start: float
    stop: float
    motion: Motion


class Span(NamedTuple):
    """What a body does from one time to another, standing at `pose`, which leads there from t = 0.

    `motion` is None for a rest; `jumped` is True if the body came here by a jump.

    >>> import ougi
    >>> from ougi.scene import Body, Piece
    >>> cart = Body("cart", ougi.Circle([0, 0], 1), (Piece(1.0, 3.0, ougi.Translation2d([8, 0])),))
    >>> [(span.start, span.stop, span.motion is None) for span in cart.spans(4.0)]
    [(0.0, 1.0, True), (1.0, 3.0, False), (3.0, 4.0, True)]
    """

    start: float
    stop: float
    pose: Pose
    motion: Motion | None
    jumped: bool


class Check(NamedTuple):
    """A pair of patterns. It names each pair of a body that matches `a` and a body that matches `b`.

    >>> from ougi.scene import Check
    >>> Check("sword*", "wolf ?").b
    'wolf ?'
    """

    a: str
    b: str


@dataclass(frozen=True, eq=False)
class Body:
    """A named shape and how it moves.

    Attributes
    ----------
    name
        Unique in its scene.
    shape
        A single shape, in world coordinates, where it is at t = 0.
    pieces
        Motions one after the other, in order of time; between them, before and after the body rests.
    group, mask
        Bits: two bodies are checked if the group of each has a bit in common with the mask of the other.
    carrier
        The rigid assembly that the body belongs to, such as a link of a robot. Bodies of one assembly never
        move relative to each other and are not checked against each other. '' for a body that belongs to
        none; if it moves, its own name takes that place.
    line
        Where in its file it stands, for messages; 0 if unknown.
    color
        What it looks like in the viewer: `#rrggbb`, or '' for a colour by what it does.
    link, link_shape
        Of a robot: the name of the link in its file, and which of its collision shapes this is, from 0 on.
    robot
        The joints and the trajectory that `pieces` were built from; None for a body that is no link.

    >>> import math, ougi
    >>> from ougi.scene import Body, Piece
    >>> turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi)
    >>> door = Body("door", ougi.Box([0.5, 0, 0], [1, 0.05, 2]), (Piece(1.0, 3.0, turn),))
    >>> door.at(2.0).apply([1, 0, 0]).round(9).tolist()
    [0.0, 1.0, 0.0]
    """

    name: str
    shape: Shape
    pieces: tuple[Piece, ...] = ()
    group: int = 1
    mask: int = EVERYTHING
    carrier: str = ""
    line: int = field(default=0, repr=False)
    color: str = field(default="", repr=False)
    link: str = field(default="", repr=False)
    link_shape: int = field(default=0, repr=False)
    robot: RobotMotion | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._require_types()
        if self.color and not is_color(self.color):
            raise ValueError(f"color of {self.name!r} must be '#rrggbb' or '', got {self.color!r}")
        if self.shape.shape != ():
            raise ValueError(f"body {self.name!r} must have a single shape, got {self.shape!r}")
        end = 0.0
        for k, piece in enumerate(self.pieces):
            if not isinstance(piece, Piece) or not isinstance(piece.motion, Motion):
                raise TypeError(
                    f"pieces of {self.name!r} must be Piece(start, stop, motion), got {piece!r} at index {k}"
                )
            if piece.motion.dimension != self.shape.dimension:
                raise ValueError(
                    f"pieces of {self.name!r} must be {self.shape.dimension}-D like its shape, got a "
                    f"{type(piece.motion).__name__} at index {k}"
                )
            for edge, time in (("start", piece.start), ("stop", piece.stop)):
                if type(time) is not float:  # of 500,000 pieces nearly all are floats
                    _check.number(f"{edge} of piece {k} of {self.name!r}", time, positive=False)
            if not end <= piece.start <= piece.stop < math.inf:
                raise ValueError(
                    f"pieces of {self.name!r} must follow each other from t = 0 on, got one from "
                    f"{piece.start:g} to {piece.stop:g} s after {end:g} s, at index {k}"
                )
            end = piece.stop
        if self.pieces and not self.carrier:
            object.__setattr__(self, "carrier", self.name)

    def _require_types(self) -> None:
        """Refuse values of classes that cannot be meant."""
        for name in ("name", "carrier", "color", "link"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise TypeError(f"{name} must be a string, got {_check.describe_class(value)}")
        if not isinstance(self.shape, Shape):
            raise TypeError(
                f"shape of {self.name!r} must be a shape, got {_check.describe_class(self.shape)}"
            )
        if not isinstance(self.pieces, tuple):
            raise TypeError(
                f"pieces of {self.name!r} must be a tuple, got {_check.describe_class(self.pieces)}"
            )
        for name in ("group", "mask", "line", "link_shape"):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or isinstance(value, bool):
                raise TypeError(
                    f"{name} of {self.name!r} must be a whole number, got {_check.describe_class(value)}"
                )
            if not 0 <= value <= EVERYTHING:
                given = _check.describe_value(value)
                raise ValueError(f"{name} of {self.name!r} must lie in [0, 2**32 - 1], got {given}")

    @property
    def moves(self) -> bool:
        """Does it ever leave its place?"""
        return bool(self.pieces)

    @functools.cached_property
    def times(self) -> tuple[float, ...]:
        """The times at which its motion changes, in seconds."""
        return tuple(sorted({t for piece in self.pieces for t in (piece.start, piece.stop)}))

    @functools.cached_property
    def _poses(self) -> list[Pose]:
        """What has become of the body before each piece, and after the last."""
        poses = [_identity(self.shape.dimension)]
        for end in self._ends:
            poses.append(end @ poses[-1])
        return poses

    @functools.cached_property
    def _ends(self) -> list[Pose]:
        """What each piece by itself leads to, computed at once for motions that make one batch."""
        alike: dict[object, list[int]] = {}
        motions = [piece.motion for piece in self.pieces]
        for k, motion in enumerate(motions):
            alike.setdefault((type(motion), str(motion._fields)), []).append(k)
        ends: dict[int, Pose] = {}
        for members in alike.values():
            first = motions[members[0]]
            values = {name: np.stack([getattr(motions[k], name) for k in members]) for name in first._fields}
            ends |= zip(members, first._from_fields((len(members),), values).at(1.0), strict=True)
        return [ends[k] for k in range(len(motions))]

    def _last(self, t: float) -> int:
        """The last piece that has begun at t; -1 if none has."""
        return bisect.bisect_right(self.pieces, t, key=lambda piece: piece.start) - 1

    def at(self, t: float) -> Pose:
        """The pose that leads the body from t = 0 to where it is at t seconds; after a jump at t."""
        k = self._last(t)
        if k < 0:
            return self._poses[0]
        piece = self.pieces[k]
        if t >= piece.stop:
            return self._poses[k + 1]
        return piece.motion.at((t - piece.start) / (piece.stop - piece.start)) @ self._poses[k]

    def spans(self, duration: float) -> list[Span]:
        """Motions and the rests between them, without gaps, from 0 to the end of a scene.

        The last motion may go on longer than the scene. A jump at its end leads to a span without length.

        >>> import ougi
        >>> from ougi.scene import Body, Piece
        >>> cart = Body("cart", ougi.Circle([0, 0], 1), (Piece(1.0, 4.0, ougi.Translation2d([8, 0])),))
        >>> [(span.start, span.stop, span.motion is None) for span in cart.spans(5.0)]
        [(0.0, 1.0, True), (1.0, 4.0, False), (4.0, 5.0, True)]
        """
        found: list[Span] = []
        t, jumped, done = 0.0, False, 0
        for k, piece in enumerate(self.pieces):
            is_jump = piece.stop == piece.start
            if piece.start > duration or (piece.start == duration and not is_jump):
                break
            if piece.start > t:
                found.append(Span(t, piece.start, self._get_pose_before(k), None, jumped))
                jumped = False
            if not is_jump:
                found.append(Span(piece.start, piece.stop, self._get_pose_before(k), piece.motion, jumped))
            t, jumped, done = piece.stop, is_jump, k + 1
        if t < duration or not found or jumped:
            found.append(Span(t, max(t, duration), self._get_pose_before(done), None, jumped))
        return found

    def _get_pose_before(self, k: int) -> Pose:
        """The pose before piece k. That before the first, usually the only one, needs no other."""
        return self._poses[k] if k else _identity(self.shape.dimension)

    def during(self, start: float, stop: float) -> tuple[Shape, Motion | None]:
        """The shape where it is at `start`, and its motion until `stop`; None if it rests.

        The body's motion must not change in between; see `Scene.times`.

        >>> import ougi
        >>> from ougi.scene import Body, Piece
        >>> cart = Body("cart", ougi.Circle([0, 0], 1), (Piece(0.0, 4.0, ougi.Translation2d([8, 0])),))
        >>> cart.during(1.0, 2.0)
        (Circle(center=[2.0, 0.0], radius=1.0), Translation2d(offset=[2.0, 0.0]))
        """
        if bisect.bisect_right(self.times, start) < bisect.bisect_left(self.times, stop):
            raise ValueError(f"the motion of {self.name!r} changes between {start} and {stop} s")
        shape = self.shape.transformed(self.at(start)) if self.pieces else self.shape
        k = self._last(start)
        if k < 0 or start >= self.pieces[k].stop:
            return shape, None
        piece = self.pieces[k]
        length = piece.stop - piece.start
        first, last = (start - piece.start) / length, (stop - piece.start) / length
        return shape, piece.motion.part(first, last)


def make_unique_name(name: str, names: dict[str, int]) -> str:
    """This name, or with a number behind it if a body has it already; it is added to the names.

    `names` has the last number that each name got, so that equal names need no search from the start.

    >>> from ougi.scene.model import make_unique_name
    >>> names = {"wheel": 1}
    >>> [make_unique_name(name, names) for name in ("wheel", "wheel", "door (left)")]
    ['wheel (2)', 'wheel (3)', 'door (left)']
    """
    free, number = name, names.get(name, 1)
    while free in names:
        number += 1
        free = f"{name} ({number})"
    names[name] = number
    names.setdefault(free, 1)
    return free


@functools.cache
def _identity(dimension: int) -> Pose:
    """The pose that leads nowhere else."""
    return Pose(np.zeros(dimension))


@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """Bodies, their motions over time, and the pairs to check; read by `ougi.load_scene`, or made by hand.

    Attributes
    ----------
    bodies
        All of one dimension, with different names.
    checks
        Which pairs to check. Without any rule all pairs are checked, also two bodies at rest, except
        for pairs of one carrier and of two half-spaces that never move.
    neighbours
        Pairs of indices that are never checked, because a joint connects them.
    duration
        Seconds from the start, t = 0, to the end; by default until the last motion is over.
    units
        What lengths are measured in; a word for reports. Included files in metres have been converted.
    up
        The axis that points up in pictures: `z`, or `y` as in glTF.
    ignore
        Which pairs not to check. These rules win over `checks`.
    disabled
        Pairs of indices that are never checked, because the SRDF of a robot disables them.
    skipped
        What the file holds and the scene does not have, because it is not supported and the user chose to
        skip it. A certificate does not cover it.

    >>> import ougi
    >>> from ougi.scene import Body, Piece
    >>> ball = Body("ball", ougi.Circle([0, 0], 1), (Piece(0.0, 1.0, ougi.Translation2d([9, 0])),))
    >>> walls = [Body(f"wall {x}", ougi.Aabb2d([x, -1], [x + 1, 1])) for x in (5, 6)]
    >>> scene = ougi.Scene((ball, *walls))
    >>> scene.duration
    1.0
    >>> scene.covers([[0, 1], [0, 2], [1, 2]]).tolist()
    [True, True, True]
    >>> ougi.Scene((ball, *walls), ignore=(("wall *", "wall *"),)).pair_counts
    PairCounts(total=3, covered=2, excluded={'[[ignore]]': 1})
    """

    bodies: tuple[Body, ...]
    checks: tuple[Check, ...] = ()
    neighbours: frozenset[tuple[int, int]] = frozenset()
    duration: float = None  # type: ignore[assignment]
    units: str = "m"
    up: Literal["y", "z"] = "z"
    ignore: tuple[tuple[str, str], ...] = ()
    disabled: frozenset[tuple[int, int]] = frozenset()
    skipped: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("checks", "ignore"):
            object.__setattr__(self, name, _parse_rules(name, getattr(self, name)))
        if not isinstance(self.bodies, tuple):
            raise TypeError(f"bodies must be a tuple, got {_check.describe_class(self.bodies)}")
        for k, body in enumerate(self.bodies):
            if not isinstance(body, Body):
                raise TypeError(f"bodies must hold Body, got {_check.describe_class(body)} at index {k}")
        names = Counter(body.name for body in self.bodies)
        name, count = next(iter(names.most_common(1)), ("", 0))
        if count > 1:
            raise ValueError(f"bodies must have different names, got {name!r} {count} times")
        dimensions = {body.shape.dimension for body in self.bodies}
        if len(dimensions) > 1:
            raise ValueError("bodies must be of one dimension, got shapes of the plane and of space")
        end = max((piece.stop for body in self.bodies for piece in body.pieces), default=0.0)
        duration = end if self.duration is None else _check.number("duration", self.duration, positive=False)
        object.__setattr__(self, "duration", duration)

    def __repr__(self) -> str:
        moving = sum(body.moves for body in self.bodies)
        return f"<Scene of {len(self.bodies)} bodies, {moving} of them moving, {self.duration:g} s>"

    def _repr_html_(self) -> str:
        """A table of the bodies, for notebooks; `ougi.view` shows them."""
        records = [
            {
                "name": body.name,
                "shape": type(body.shape).__name__,
                "moves from s": body.pieces[0].start if body.pieces else None,
                "to s": body.pieces[-1].stop if body.pieces else None,
            }
            for body in self.bodies
        ]
        return render_html(records, repr(self).strip("<>"))

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self.bodies[0].shape.dimension if self.bodies else 3

    @functools.cached_property
    def times(self) -> Floats:
        """The times, from 0 to the end, between which every body has one motion."""
        inner = {t for body in self.bodies for t in body.times if 0 < t < self.duration}
        return np.array(sorted({0.0, *inner, self.duration}))

    def covers(self, pairs: Ints | list[list[int]]) -> Bools:
        """Which of these index pairs (m, 2) are to be checked, in either order."""
        i, j = _check.pairs(pairs, len(self.bodies), len(self.bodies)).T
        covered: Bools = (self._filter.reasons(i, j) == COVERED) & (i != j)
        return covered

    @property
    def pair_counts(self) -> PairCounts:
        """How many pairs of bodies are checked, and how many are excluded for which reason."""
        return self._filter.counts

    @functools.cached_property
    def _filter(self) -> PairFilter:
        carriers = {name: k for k, name in enumerate(dict.fromkeys(body.carrier for body in self.bodies))}
        carriers[""] = -1
        floors = len(carriers)  # half-spaces at rest are one assembly, because floors and walls meet
        rows = [
            (body.group, body.mask, floors if _is_floor(body) else carriers[body.carrier])
            for body in self.bodies
        ]
        group, mask, carrier = np.array(rows, np.int64).reshape((-1, 3)).T
        return PairFilter(
            self._names, group, mask, carrier, self.checks, self.ignore, self.neighbours, self.disabled
        )

    @functools.cached_property
    def _names(self) -> NameIndex:
        return NameIndex([body.name for body in self.bodies])

    def match_names(self, pattern: str) -> Bools:
        """Which bodies have a name that matches a pattern with `*` and `?`."""
        matches = np.zeros(len(self.bodies), bool)
        matches[self._names.find(pattern)] = True
        return matches


def _is_floor(body: Body) -> bool:
    """Is it a half-space that never moves and belongs to no assembly?"""
    return isinstance(body.shape, HalfSpace) and not body.moves and not body.carrier


def _parse_rules(name: str, given: tuple[tuple[str, str], ...]) -> tuple[Check, ...]:
    """Pairs of patterns, checked."""
    for k, rule in enumerate(given):
        if not (isinstance(rule, tuple) and len(rule) == 2 and all(isinstance(x, str) for x in rule)):
            raise TypeError(f"{name} must hold pairs of patterns, got {rule!r} at index {k}")
    return tuple(Check(*rule) for rule in given)
