"""What hits: a sword that swings, and a projectile that flies."""

from __future__ import annotations

import math
import weakref
from collections.abc import Collection, Hashable
from typing import ClassVar, NamedTuple

import numpy as np

from ougi import _check
from ougi._check import MAX_ANGLE, MAX_LENGTH
from ougi._typing import Bools
from ougi.games.angles import RADIANS, AngleUnit
from ougi.games.hit import Hit, make_hit
from ougi.games.hitbox import Hitbox, HitboxLike, as_hitbox
from ougi.games.search import find_hits
from ougi.games.targets import REHEARSALS, Targets, TargetSet, check_targets, join_bodies


class _Wanted(NamedTuple):
    """Which targets of a set can be hit, as long as the set has the same targets."""

    revision: int
    rows: Bools


class Searcher:
    """Finds what one body hits among sets of targets. `motion` (8, 1) is set by its owner."""

    def __init__(self, hitbox: Hitbox) -> None:
        self.motion = np.zeros((8, 1))
        self._bodies = join_bodies(self.motion, [hitbox])
        self._wanted: weakref.WeakKeyDictionary[Targets, _Wanted] = weakref.WeakKeyDictionary()
        # Workspaces that grow with the sets.
        self._placed = np.empty((6, max(8, int(hitbox.corners[1].max()))))
        self._rows, self._out = np.empty(64, np.int64), np.empty((6, 64))
        self.find(Targets(), 0.0, appears=False)  # compiles or loads the loop before the game begins

    def find(
        self, targets: Targets, start: float, *, appears: bool, done: Collection[Hashable] = ()
    ) -> list[tuple[Bools, int, Hit]]:
        """The targets that are hit after `start`: which ones are wanted (writable), the row, and the hit.

        Those in `done` are not wanted if the set is new, or has other targets than before.
        """
        known = self._wanted.get(targets)
        if known is None or known.revision != targets.revision:
            can_hit = targets.all_rows.copy()
            if done:
                can_hit[:] = [target not in done for target in targets._targets]
            self._wanted[targets] = known = _Wanted(targets.revision, can_hit)
        if self._placed.shape[1] < targets.corner_count:
            self._placed = np.empty((6, targets.corner_count))
        if len(self._rows) < len(targets):
            self._rows, self._out = np.empty(len(targets), np.int64), np.empty((6, len(targets)))
        wanted, rows, out = known.rows, self._rows, self._out
        count = find_hits(
            self._bodies, targets.bodies, _check.frozen(wanted), start, appears, self._placed, rows, out
        )
        found = zip(rows[:count].tolist(), out[:, :count].T.tolist(), strict=True)
        return [(wanted, row, make_hit(targets._targets[row], values)) for row, values in found]

    def want_all(self) -> None:
        """Let every target be hit again."""
        for known in self._wanted.values():
            known.rows[:] = True


# Classes of movers of which one was made: the first frame of the others is fast.
_REHEARSED: set[type] = set()


class _Mover:
    """A body that moves among targets, and hits each of them once."""

    _unit: ClassVar[AngleUnit] = RADIANS

    def __init__(self, hitbox: HitboxLike) -> None:
        self.hitbox: Hitbox = as_hitbox("hitbox", hitbox)
        self._searcher = Searcher(self.hitbox)
        self._motion = self._searcher.motion
        self._done: set[Hashable] = set()
        self._pose: tuple[float, float, float] | None = None
        self._appears = False
        self._rehearse()

    def _rehearse(self) -> None:
        """Play frames with a target that is hit, so that the first one is as fast as the others."""
        if type(self) in _REHEARSED:
            return
        _REHEARSED.add(type(self))
        posts = TargetSet()
        for k in range(REHEARSALS):
            posts.update(["post"], [[k, 0.0]], k, hitboxes=None if k else self.hitbox)
            self.begin()
            self.move_to((k - 0.5, 0.0), k)
            self.hits(posts)
            self.move_to((k, 0.0), k + 1)
            self.hits(posts)
        self.begin()

    def __repr__(self) -> str:
        place = "not placed" if self._pose is None else "at ({:g}, {:g})".format(*self._pose)
        return f"<{type(self).__name__}: {self.hitbox}, {place}>"

    def begin(self, position: tuple[float, float] | None = None, angle: float = 0.0) -> None:
        """Begin a new stroke: every target can be hit once more.

        Parameters
        ----------
        position, angle
            Where the stroke begins: the pose in the frame before, as for `move_to`. Without a position the
            body appears in the next frame, so the stroke begins at the pose of its first `move_to`.
        """
        self._done.clear()
        self._searcher.want_all()
        self._pose = None
        if position is not None:
            self.move_to(position, angle)

    def move_to(
        self, position: tuple[float, float], angle: float = 0.0, *, turn: float | None = None
    ) -> None:
        """Go straight to a position, and turn to an angle. Call it once per frame.

        In the first frame after `begin` the body appears there, and hits what it overlaps.

        Parameters
        ----------
        position
            Where the center (the hand of a sword) is now.
        angle
            Where the x axis of the hit box points now, in radians from x towards y. Adapters take the angles
            of their libraries.
        turn
            By how much the body has turned since the frame before, however far. By default it is the
            difference of the angles. If these wrap, it is the smaller turn, so half a turn or more in one
            frame must be given.
        """
        scale = self._unit.radians
        max_angle = MAX_ANGLE / abs(scale)
        try:
            x, y = position
            is_valid = (
                abs(x) <= MAX_LENGTH
                and abs(y) <= MAX_LENGTH
                and abs(angle) <= max_angle
                and abs(turn or 0.0) <= max_angle
            )
        except (TypeError, ValueError):
            raise TypeError(
                "position must be two numbers, and angle and turn must be numbers, "
                f"got {position!r}, {angle!r} and {turn!r}"
            ) from None
        if not is_valid:
            raise ValueError(
                f"position must not exceed {MAX_LENGTH:g}, and angle and turn a million turns, "
                f"got {position}, {angle} and {turn}"
            )
        now = angle * scale
        self._appears = self._pose is None
        old_x, old_y, old = self._pose or (x, y, now)
        if turn is None or self._appears:
            by = now - old
            by = math.remainder(by, math.tau) if self._unit.wraps else by
        else:
            by, old = turn * scale, now - turn * scale
        self._motion[:, 0] = old_x, old_y, old, x - old_x, y - old_y, by, 0.0, 0.0
        self._pose = x, y, now

    def hits(self, targets: Targets) -> list[Hit]:
        """The targets that are hit since the frame before, the earliest first. None is hit twice."""
        check_targets("targets", targets)
        self._get_pose()
        found = []
        for wanted, row, hit in self._searcher.find(targets, 0.0, appears=self._appears, done=self._done):
            found.append(hit)
            self._done.add(hit.target)
            wanted[row] = False
        if len(found) > 1:
            found.sort(key=lambda hit: hit.t)
        return found

    def _get_pose(self) -> tuple[float, float, float]:
        if self._pose is None:
            raise RuntimeError("the body is nowhere yet; call move_to, once per frame, before hits")
        return self._pose


class Swing(_Mover):
    """A sword, bat or flipper in a hand that moves. Make it while a level loads: it prepares the search.

    Call `begin()` when a stroke begins, and in each of its frames `strike`: `move_to` and then `hits`.
    A target is hit at most once in a stroke.

    Parameters
    ----------
    hitbox
        A Hitbox, or anything that it can be made of: a capsule, box, sector, polygon or list of shapes. Its
        coordinates begin at the hand, and the blade points along x.

    >>> import ougi
    >>> from ougi.games import Swing, TargetSet
    >>> posts, bat = TargetSet(), Swing(ougi.Rectangle([50, 0], [60, 10]))
    >>> posts.update(["post"], [[0, 50]], hitboxes=ougi.Circle([0, 0], 5))
    >>> bat.strike((0, 0), 0.0, posts)
    []
    >>> hit = bat.strike((0, 0), 3.0, posts)[0]
    >>> round(hit.t, 4), [round(x, 2) for x in hit.point], hit.inside
    (0.4565, [4.9, 49.0], False)
    """

    def strike(self, position: tuple[float, float], angle: float, *targets: Targets) -> list[Hit]:
        """`move_to`, and then the `hits` of all these sets, the earliest first.

        Parameters
        ----------
        position, angle
            As for `move_to`, which also takes turns of half a turn or more.
        targets
            Sets that have been updated in this frame.
        """
        self.move_to(position, angle)
        found = [hit for each in targets for hit in self.hits(each)]
        return sorted(found, key=lambda hit: hit.t)


class Projectile(_Mover):
    """A bullet, arrow or thrown axe: it flies straight or along a parabola, and may spin.

    Call `move(dt)` in each frame and then `hits`, until it has hit. If your game moves it, call `move_to`.

    Parameters
    ----------
    hitbox
        As for a Swing; its coordinates begin at the center.
    position, velocity
        Where it starts, and its velocity per second.
    angle, spin
        Where its x axis points, and by how much it turns per second.
    acceleration
        Per second squared, for example gravity. The parabola is exact.

    >>> import ougi
    >>> from ougi.games import Projectile, TargetSet
    >>> walls, arrow = TargetSet(), Projectile(ougi.Segment2d([-20, 0], [0, 0]), (0, 0), (2400, 0))
    >>> walls.update(["door"], [[30, 0]], hitboxes=ougi.Rectangle([0, 0], [2, 40]))
    >>> arrow.move(1 / 60)
    >>> [(hit.target, round(hit.t, 4), hit.point) for hit in arrow.hits(walls)]
    [('door', 0.725, (29.0, 0.0))]
    >>> arrow.position
    (40.0, 0.0)
    """

    def __init__(
        self,
        hitbox: HitboxLike,
        position: tuple[float, float],
        velocity: tuple[float, float] = (0.0, 0.0),
        *,
        angle: float = 0.0,
        spin: float = 0.0,
        acceleration: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        super().__init__(hitbox)
        self.velocity, self.spin, self.acceleration = velocity, spin, acceleration
        self.move_to(position, angle)

    @property
    def position(self) -> tuple[float, float]:
        """Where its center is now."""
        return self._get_pose()[:2]

    @property
    def angle(self) -> float:
        """Where its x axis points now."""
        return self._get_pose()[2] / self._unit.radians

    def move(self, dt: float) -> None:
        """Fly for some seconds. The velocity changes by the acceleration."""
        dt = _check.number("dt", dt, positive=False)
        (x, y), (vx, vy), (gx, gy) = self.position, self.velocity, self.acceleration
        if not dt * (abs(vx) + abs(vy) + dt * (abs(gx) + abs(gy))) <= MAX_LENGTH:
            raise ValueError(
                f"velocity and acceleration must not move it further than {MAX_LENGTH:g} in {dt:g} s, "
                f"got {self.velocity} and {self.acceleration}"
            )
        angle, turn = self.angle, self.spin * dt
        self.move_to((x + dt * (vx + 0.5 * dt * gx), y + dt * (vy + 0.5 * dt * gy)), angle + turn, turn=turn)
        self._motion[3:5, 0] = dt * vx, dt * vy
        self._motion[6:8, 0] = dt * dt * gx, dt * dt * gy
        self.velocity = vx + dt * gx, vy + dt * gy
