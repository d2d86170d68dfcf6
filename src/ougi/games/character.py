"""A character that slides along solids: walls, tiles, moving platforms and one-way ledges."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from ougi import _check
from ougi._typing import Bools
from ougi.games.hit import Hit
from ougi.games.hitbox import Hitbox, HitboxLike, as_hitbox
from ougi.games.movers import Searcher
from ougi.games.targets import Targets, check_targets

Vector: TypeAlias = tuple[float, float]

# A character stops this share of its reach before a contact, so that it does not start the next frame in
# contact. It must exceed the tolerance of contacts, 1e-9 of the reach of both.
_SKIN = 1e-3

# The largest number of contacts in one frame. After it the character stops.
_MAX_SLIDES = 16

# The cosine of the steepest floor, 53 degrees. A one-way wall stops what meets it within the same angle.
_FLOOR = 0.6

# Rounding of velocities that contacts restrict.
_EPS = 1e-12


class OneSided(NamedTuple):
    """Solids that stop only what comes against a direction, such as ledges that one can jump on from below.

    A character that overlaps them passes, until it is free of them.

    Attributes
    ----------
    targets
        A TargetSet, or the set of an adapter.
    direction
        Unit vector out of the side that stops: up for a ledge.

    >>> from ougi.games import OneSided, TargetSet
    >>> OneSided(TargetSet(), (0.0, 1.0)).direction
    (0.0, 1.0)
    """

    targets: Targets
    direction: Vector


class Moved(NamedTuple):
    """Where a character is after a frame, and what it met.

    Attributes
    ----------
    position
        Its center now.
    path
        Times from 0 to 1 and centers. Between two of them it moved straight.
    hits
        The contacts, earliest first. A target may occur twice.
    floor
        The target that it stands on; None in the air.
    inside
        Targets that it overlapped when the frame began. They do not hold it.
    squeezed
        True if targets that move left it no place, or met it too often in one frame. Then it stopped, and may
        overlap them.

    >>> from ougi.games import Moved
    >>> Moved((3.0, 4.0), [(0.0, (0.0, 0.0)), (1.0, (3.0, 4.0))], [], None, [], False).position
    (3.0, 4.0)
    """

    position: Vector
    path: list[tuple[float, Vector]]
    hits: list[Hit]
    floor: Any
    inside: list[Any]
    squeezed: bool


class Character:
    """A body that slides along solids at any speed, and passes through none.

    Solids are sets of targets, updated in every frame. Where they move and turn, they push the character, and
    a floor takes along what stands on it. The character does not turn. A thousandth of its reach remains
    between it and what it touches.

    Parameters
    ----------
    hitbox
        A circle, capsule, box or anything that a Hitbox can be made of; its coordinates begin at the center.
    position
        Where its center is.
    up
        Unit vector against gravity; (0, -1) where y points down.

    >>> import ougi
    >>> from ougi.games import Character, OneSided, TargetSet
    >>> walls, ledges = TargetSet(), TargetSet()
    >>> walls.update(["floor"], [[0, -5]], hitboxes=ougi.Rectangle([0, 0], [400, 10]))
    >>> ledges.update(["ledge"], [[50, 60]], hitboxes=ougi.Rectangle([0, 0], [40, 4]))
    >>> hero = Character(ougi.Capsule2d([0, -10], [0, 10], 8), (0, 30))
    >>> moved = hero.move((50, -40), walls, OneSided(ledges, (0, 1)))  # falls, and slides on the floor
    >>> moved.floor, [round(x, 1) for x in moved.position]
    ('floor', [50.0, 18.0])
    >>> moved = hero.move((0, 80), walls, OneSided(ledges, (0, 1)))  # jumps through the ledge
    >>> moved = hero.move((0, -80), walls, OneSided(ledges, (0, 1)))
    >>> moved.floor, [round(x, 1) for x in moved.position]
    ('ledge', [50.0, 80.0])
    """

    def __init__(self, hitbox: HitboxLike, position: Vector, *, up: Vector = (0.0, 1.0)) -> None:
        self.hitbox: Hitbox = as_hitbox("hitbox", hitbox)
        self.position: Vector = _check_vector("position", position)
        x, y = _check_vector("up", up)
        if abs(math.hypot(x, y) - 1.0) > 1e-9:
            raise ValueError(f"up must be a unit vector, got {up}")
        self.up: Vector = (x, y)
        self._searcher = Searcher(self.hitbox)
        # The set, target and place of what it stood on when the last frame ended.
        self._floor: tuple[weakref.ref[Targets], Any, Vector] | None = None

    def __repr__(self) -> str:
        return "<Character: {}, at ({:g}, {:g})>".format(self.hitbox, *self.position)

    def move(self, step: Vector, *solids: Targets | OneSided) -> Moved:
        """Move by a step, which includes the fall, and slide along what is in the way. Once per frame.

        Parameters
        ----------
        step
            Displacement in this frame.
        solids
            Sets of targets, after their updates in this frame.
        """
        frame = _Frame(self, _check_vector("step", step), solids)
        moved = frame.run()
        self.position = moved.position
        self._floor = frame.floor
        return moved


def _check_vector(name: str, value: Any) -> Vector:
    x, y = _check.vectors(name, value, 2).tolist()
    return x, y


class _Solid(NamedTuple):
    """A set of solids, and the side from which they stop; None if from all."""

    targets: Targets
    direction: Vector | None


class _Contact(NamedTuple):
    """A hit, its row in a set of solids, and which rows of the set are wanted (writable)."""

    solid: _Solid
    row: int
    hit: Hit
    wanted: Bools


class _Plane(NamedTuple):
    """Velocities v with normal . v <= speed do not enter a solid. `owner` is one that moves."""

    normal: Vector
    speed: float
    owner: tuple[int, int] | None


class _Frame:
    """One frame of a character."""

    def __init__(self, character: Character, step: Vector, solids: tuple[Any, ...]) -> None:
        self.character, self.searcher = character, character._searcher
        self.solids = [_check_solid(k, each) for k, each in enumerate(solids)]
        self.skin = _SKIN * character.hitbox.reach
        self.position, self.time = character.position, 0.0
        self.velocity = _add(step, self.find_carry())
        self.floor: tuple[weakref.ref[Targets], Any, Vector] | None = None
        self.stands_on: Any = None
        self.planes: list[_Plane] = []
        self.inside: list[Any] = []
        self.hits: list[Hit] = []

    def find_carry(self) -> Vector:
        """The displacement of the floor in this frame where the character stands."""
        if self.character._floor is None:
            return 0.0, 0.0
        reference, target, place = self.character._floor
        targets = reference()
        row = None if targets is None else targets._rows.get(target)
        if targets is None or row is None or all(each.targets is not targets for each in self.solids):
            return 0.0, 0.0
        x, y, _, vx, vy, turn = targets.bodies.motion[:6, row].tolist()
        cos, sin, rx, ry = math.cos(turn) - 1.0, math.sin(turn), place[0] - x, place[1] - y
        return vx + cos * rx - sin * ry, vy + sin * rx + cos * ry

    def run(self) -> Moved:
        """Go from contact to contact until the frame ends."""
        self.searcher.want_all()
        stopped = not self.leave_contacts()
        path = [(0.0, self.position)]
        for _ in range(0 if stopped else _MAX_SLIDES):
            contact = self.find_first()
            if contact is None:
                self.advance(1.0)
                break
            stopped = contact.hit.inside or not self.slide_along(contact)
            path.append((self.time, self.position))
            if stopped:
                break
        else:
            stopped = True
        path.append((1.0, self.position))
        squeezed = stopped and any(each.targets.bodies.motion[3:6].any() for each in self.solids)
        return Moved(self.position, path, self.hits, self.stands_on, self.inside, squeezed)

    def advance(self, t: float) -> None:
        self.position = _along(self.position, self.velocity, t - self.time)
        if self.floor is not None:
            reference, target, place = self.floor
            self.floor = reference, target, _along(place, self.velocity, t - self.time)
        self.time = t

    def find_contacts(self) -> Iterator[_Contact]:
        """The contacts from now on, in any order. What does not stop the character passes for this frame."""
        x, y = _along(self.position, self.velocity, -self.time)
        self.searcher.motion[:, 0] = x, y, 0.0, *self.velocity, 0.0, 0.0, 0.0
        for solid in self.solids:
            for wanted, row, hit in self.searcher.find(solid.targets, self.time, appears=False):
                if solid.direction is not None and _dot(hit.normal, solid.direction) > -_FLOOR:
                    wanted[row] = False
                else:
                    yield _Contact(solid, row, hit, wanted)

    def find_first(self) -> _Contact | None:
        return min(self.find_contacts(), key=lambda contact: contact.hit.t, default=None)

    def leave_contacts(self) -> bool:
        """Move off solids that are touched when the frame begins; False if there is no place."""
        start, touched = self.position, [each for each in self.find_contacts() if each.hit.inside]
        if not touched:
            return True
        x, y = start
        for solid, row, hit, wanted in touched:
            self.position = _along(start, hit.normal, -2.0 * self.skin)
            others = self.find_contacts()
            if any(each.hit.inside and (each.solid, each.row) == (solid, row) for each in others):
                wanted[row] = False
                self.inside.append(hit.target)
            else:
                x, y = _along((x, y), hit.normal, -self.skin)
        self.position = x, y
        if any(each.hit.inside for each in self.find_contacts()):
            self.position = start
            return False
        return True

    def slide_along(self, contact: _Contact) -> bool:
        """Go almost to a contact, and on along its surface; False if other contacts do not allow it."""
        hit, targets = contact.hit, contact.solid.targets
        self.hits.append(hit)
        owner = None
        if targets.bodies.motion[3:6, contact.row].any():
            owner = (id(targets), contact.row)
            self.planes = [plane for plane in self.planes if plane.owner != owner]
        plane = _Plane(hit.normal, _dot(hit.normal, _find_velocity(targets, contact.row, hit)), owner)
        approach = _dot(plane.normal, self.velocity) - plane.speed
        early = self.skin / approach if approach > 0.0 else math.inf
        self.advance(max(self.time, hit.t - early))
        self.planes.append(plane)
        if -_dot(hit.normal, self.character.up) >= _FLOOR:
            self.floor, self.stands_on = (weakref.ref(targets), hit.target, hit.point), hit.target
        allowed = _restrict(self.velocity, self.planes)
        self.velocity = allowed or self.velocity
        return allowed is not None


def _check_solid(k: int, given: Any) -> _Solid:
    if isinstance(given, OneSided):
        check_targets(f"solids[{k}].targets", given.targets)
        return _Solid(given.targets, _check_vector(f"solids[{k}].direction", given.direction))
    check_targets(f"solids[{k}]", given)
    return _Solid(given, None)


def _find_velocity(targets: Targets, row: int, hit: Hit) -> Vector:
    """How fast the surface moves at a contact, per frame."""
    x, y, _, vx, vy, turn = targets.bodies.motion[:6, row].tolist()
    rx, ry = hit.point[0] - x - hit.t * vx, hit.point[1] - y - hit.t * vy
    return vx - turn * ry, vy + turn * rx


def _restrict(velocity: Vector, planes: list[_Plane]) -> Vector | None:
    """The velocity without its part into the last plane; along two planes if need be. None if stuck."""
    newest = planes[-1]
    size = 1.0 + math.hypot(*velocity) + max(abs(plane.speed) for plane in planes)
    excess = max(_dot(newest.normal, velocity) - newest.speed, 0.0)
    candidates = [_along(velocity, newest.normal, -excess)]
    for plane in planes[:-1]:
        (a, b), (c, d) = newest.normal, plane.normal
        det = a * d - b * c
        if abs(det) > _EPS:
            x, y = newest.speed * d - plane.speed * b, plane.speed * a - newest.speed * c
            candidates.append((x / det, y / det))
    for candidate in [*candidates, (0.0, 0.0)]:
        if all(_dot(plane.normal, candidate) <= plane.speed + _EPS * size for plane in planes):
            return candidate
    return None


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1]


def _add(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1]


def _along(a: Vector, b: Vector, t: float) -> Vector:
    return a[0] + t * b[0], a[1] + t * b[1]
