"""Many projectiles of one form: all move and are tested at once."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats, Ints
from ougi.games.angles import RADIANS, AngleUnit
from ougi.games.hit import Hit, PairSearch, make_hit
from ougi.games.hitbox import Hitbox, HitboxLike, as_hitbox
from ougi.games.targets import Targets, check_targets, join_bodies


class Projectiles:
    """Bullets, arrows or sparks of one form. Thousands cost little more than one.

    They fly as a `Projectile` does. Call `move(dt)` in each frame and then `hits`, and remove those that have
    hit or have left the screen.

    Parameters
    ----------
    hitbox
        As for a Swing; its coordinates begin at the center.

    >>> import ougi
    >>> from ougi.games import Projectiles, TargetSet
    >>> walls, rain = TargetSet(), Projectiles(ougi.Circle([0, 0], 2))
    >>> walls.update(["door"], [[30, 0]], hitboxes=ougi.Rectangle([0, 0], [2, 40]))
    >>> rain.add([[0, 0], [0, 10], [0, 90]], (2400, 0)).tolist()
    [0, 1, 2]
    >>> rain.move(1 / 60)
    >>> hits = rain.hits(walls)
    >>> [(shot, hit.target, round(hit.t, 4)) for shot, hit in hits]
    [(0, 'door', 0.675), (1, 'door', 0.675)]
    >>> rain.remove([shot for shot, hit in hits])
    >>> rain.ids.tolist(), rain.position.tolist()
    ([2], [[40.0, 90.0]])
    """

    _unit: ClassVar[AngleUnit] = RADIANS

    def __init__(self, hitbox: HitboxLike) -> None:
        self.hitbox: Hitbox = as_hitbox("hitbox", hitbox)
        self._form = join_bodies(np.zeros((8, 1)), [self.hitbox])
        self._next_id = 0
        self._ids: Ints = np.empty(0, np.int64)
        self._motion = np.zeros((8, 0))  # of the last frame, see `ougi.games.search.FrameBodies`
        self._state = np.zeros((8, 0))  # now: center, angle, velocity, spin and acceleration per second
        self._new = np.zeros(0, np.bool_)  # not moved yet
        self._search = PairSearch()
        self._done: set[tuple[int, Hashable]] = set()
        self.hits(Targets())  # compiles or loads the loop before the game begins

    def __len__(self) -> int:
        return len(self._ids)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,} of {self.hitbox}>"

    @property
    def ids(self) -> Ints:
        """(n,), in the order in which they were added."""
        return _check.frozen(self._ids)

    @property
    def position(self) -> Floats:
        """(n, 2), the centers now."""
        return self._state[:2].T.copy()

    @property
    def angle(self) -> Floats:
        """(n,), where their x axes point now."""
        angle: Floats = self._state[2] / self._unit.radians
        return angle

    @property
    def velocity(self) -> Floats:
        """(n, 2), per second."""
        return self._state[3:5].T.copy()

    def add(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        *,
        angle: ArrayLike = 0.0,
        spin: ArrayLike = 0.0,
        acceleration: ArrayLike = (0.0, 0.0),
    ) -> Ints:
        """Fire one or many, and return their ids (n,).

        Parameters
        ----------
        position, velocity
            (2,) or (n, 2): where they start, and their velocities per second.
        angle, spin
            Where their x axes point, and by how much they turn per second; one number or (n,).
        acceleration
            (2,) or (n, 2), per second squared, for example gravity.
        """
        vectors = {"position": position, "velocity": velocity, "acceleration": acceleration}
        place, speed, pull = (_check.vectors(name, value, 2) for name, value in vectors.items())
        turned, rate = (_check.angles(name, value) for name, value in (("angle", angle), ("spin", spin)))
        batch = _check.broadcast_shape(
            position=place.shape[:-1],
            velocity=speed.shape[:-1],
            angle=turned.shape,
            spin=rate.shape,
            acceleration=pull.shape[:-1],
        )
        n = math.prod(batch)
        fields = np.empty((8, n))
        for rows, value in ((slice(0, 2), place), (slice(3, 5), speed), (slice(6, 8), pull)):
            fields[rows] = np.broadcast_to(value, (*batch, 2)).reshape(n, 2).T
        for row, number in ((2, turned), (5, rate)):
            fields[row] = np.broadcast_to(number * self._unit.radians, batch).reshape(n)
        ids: Ints = np.arange(self._next_id, self._next_id + n)
        self._next_id += n
        appearing = fields * np.array([[1], [1], [1], [0], [0], [0], [0], [0]])
        self._ids = np.append(self._ids, ids)
        self._state = np.append(self._state, fields, axis=1)
        self._motion = np.append(self._motion, appearing, axis=1)
        self._new = np.append(self._new, np.ones(n, np.bool_))
        return ids

    def remove(self, ids: ArrayLike) -> None:
        """Remove projectiles by their ids. Those that are no longer there are ignored."""
        given = np.asarray(ids)
        if given.size and given.dtype.kind not in "iu":
            raise TypeError(f"ids must be integers, got {given.dtype}")
        gone = np.isin(self._ids, given)
        lost = set(self._ids[gone].tolist())
        self._done = {(shot, target) for shot, target in self._done if shot not in lost}
        self._ids, self._new = self._ids[~gone], self._new[~gone]
        self._state = np.ascontiguousarray(self._state[:, ~gone])
        self._motion = np.ascontiguousarray(self._motion[:, ~gone])

    def move(self, dt: float) -> None:
        """Fly for some seconds. Velocities change by the accelerations."""
        step = _check.number("dt", dt, positive=False)
        now, motion = self._state, self._motion
        motion[:3], motion[3:6], motion[6:] = now[:3], step * now[3:6], step * step * now[6:]
        now[:3] += motion[3:6]
        now[:2] += 0.5 * motion[6:]
        now[3:5] += step * now[6:]
        self._new[:] = False

    def hits(self, targets: Targets) -> list[tuple[int, Hit]]:
        """Which projectile hits which target since the frame before, the earliest first. No pair hits twice.

        A projectile that is not removed flies on, and may hit several targets in one frame.
        """
        check_targets("targets", targets)
        n = len(self._ids)
        reach = np.full(n, self.hitbox.reach)
        parts = np.repeat(self._form.parts, n, axis=1)
        movers = self._form._replace(
            motion=_check.frozen(self._motion), reach=_check.frozen(reach), parts=_check.frozen(parts)
        )
        found = []
        for (row, column), values in self._search.find(movers, _check.frozen(self._new), targets.bodies):
            shot, hit = int(self._ids[row]), make_hit(targets._targets[column], values)
            if (shot, hit.target) not in self._done:
                self._done.add((shot, hit.target))
                found.append((shot, hit))
        found.sort(key=lambda each: each[1].t)
        return found
