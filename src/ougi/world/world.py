"""Many bodies and time: what touches what, when and where, step after step."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Bools, Ints
from ougi.broad import candidate_pairs
from ougi.impact.tables import find, require_cylinder
from ougi.motion import Motion
from ougi.shapes import Aabb2d, Aabb3d, Mesh, Sector3d, Shape, as_shape
from ougi.sweeps._about import broadcast
from ougi.world.ask import hits
from ougi.world.bodies import Bodies, Kind, Roster, Scene
from ougi.world.events import BEGAN, ENDED, ONGOING, Events, Hits, Resting, StepProfile
from ougi.world.narrow import Firsts, first_contacts, touching

_ALL_GROUPS = -1


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state of a world at one moment; `World.restore` goes back to it.

    >>> import ougi
    >>> ougi.World().snapshot().time
    0.0
    """

    time: float
    kinds: tuple[Kind, ...]
    names: dict[int, str]
    touching: Ints
    resting: Resting
    next_id: int
    dimension: int | None


class World:
    """Bodies that move at constant rates. It detects contacts; it pushes nothing.

    Parameters
    ----------
    tol
        Of first contacts, as in `time_of_impact`.

    >>> import math, ougi
    >>> world = ougi.World()
    >>> blade = ougi.Box([1.2, 0, 0], [2.4, 0.1, 0.3])
    >>> rotor = world.add(blade, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 20 * math.pi), name="rotor")
    >>> birds = world.add(ougi.Sphere([[0, 2, 0], [9, 9, 0]], 0.2), ougi.Translation3d([1, 0, 0]))
    >>> events = world.step(1 / 60)
    >>> len(events), round(world.time, 6)
    (0, 0.016667)
    >>> events = world.step(1 / 60)
    >>> [(world.name(a), world.name(b)) for a, b in events.began.pair]
    [('rotor', 'body 1')]
    """

    def __init__(self, *, tol: float = 1e-9) -> None:
        self._tol = _check.number("tol", tol, positive=True)
        self._bodies = Bodies()
        self._names: dict[int, str] = {}
        self._touching: Ints = np.empty((0, 2), np.int64)  # ids, sorted; without bodies that both rest
        self._resting = Resting.none()
        self._next_id = 0
        self._dimension: int | None = None
        self._time = 0.0
        self._now: Scene | None = None

    @property
    def time(self) -> float:
        """Seconds since the world began."""
        return self._time

    def __len__(self) -> int:
        return sum(len(kind.ids) for kind in self._bodies.kinds())

    def add(
        self,
        shape: Any,
        motion: Motion | None = None,
        *,
        name: str | Sequence[str] | None = None,
        group: ArrayLike = 1,
        mask: ArrayLike = _ALL_GROUPS,
    ) -> Any:
        """Add one body or many.

        Parameters
        ----------
        shape
            A shape, or a batch of them, at their poses now; all that `time_of_impact` takes. A Mesh is one
            body, its triangles.
        motion
            Displacement per second, in the coordinates of the world, kept up until the body is removed; None
            for bodies at rest. Batches of shapes and motions broadcast. Of a Chain every factor is kept up.
        name
            For one body a name, for many a sequence of names.
        group, mask
            Whole numbers read as sets of bits: which groups a body belongs to, and which ones it can touch.
            Two bodies are tested if each is in a group of the other's mask. Two bodies at rest are tested
            once, in the first step after both have been added; if they touch, the contact began with that
            step and is ongoing in all later ones. Masks keep walls that touch each other out of the events.

        Returns
        -------
        The body's id, or an array (n,) of ids.

        >>> import ougi
        >>> world = ougi.World()
        >>> world.add(ougi.Sphere([0, 0, 0], 1), name="moon"), world.add(ougi.Sphere([[9, 0, 0]], 1)).tolist()
        (0, [1])
        """
        body = as_shape("shape", shape)
        if motion is not None and not isinstance(motion, Motion):
            raise TypeError(f"motion must be a motion or None, got {type(motion).__name__}")
        if self._dimension not in (None, body.dimension):
            raise ValueError(f"shape must be {self._dimension}-D as the world's bodies, got {body!r}")
        moves = {} if motion is None else {"motion": motion.shape}
        batch = _check.broadcast_shape(shape=body.shape, **moves)
        if isinstance(body, Mesh):
            if batch:
                raise ValueError(f"motion must be a single one for a Mesh, got a batch of shape {batch}")
            body._tree()  # refuses a mesh without faces; made once, it moves along
        part = self._part(body, motion, batch, group, mask)
        _require_answers(body)
        self._name(part.ids, batch, name)
        if not len(part.ids):
            return part.ids
        self._bodies.add(part)
        self._next_id += len(part.ids)
        self._dimension = body.dimension
        return part.ids.copy() if batch else int(part.ids[0])

    def remove(self, ids: ArrayLike) -> None:
        """Remove bodies by their ids, which are not given again. Their contacts are forgotten.

        >>> import ougi
        >>> world = ougi.World()
        >>> ids = world.add(ougi.Sphere([[0, 0, 0], [9, 0, 0]], 1))
        >>> world.remove(ids[0])
        >>> len(world)
        1
        """
        gone = np.atleast_1d(np.asarray(ids))
        if not gone.size:
            return
        if not np.issubdtype(gone.dtype, np.integer):
            raise TypeError(f"ids must be integers, got {gone.dtype}")
        known = np.concatenate([np.empty(0, np.int64), *(kind.ids for kind in self._bodies.kinds())])
        unknown = gone[~np.isin(gone, known)]
        if len(unknown):
            raise KeyError(f"no body has the id {unknown[0]}")
        self._bodies.remove(gone)
        self._touching = self._touching[~np.isin(self._touching, gone).any(axis=1)]
        self._resting = self._resting.taken(~np.atleast_1d(np.isin(self._resting.pair, gone).any(axis=1)))
        for each in gone.tolist():
            self._names.pop(each, None)

    def name(self, body: int) -> str:
        """The name of a body, or `body` and its id."""
        if isinstance(body, bool | np.bool_) or not hasattr(body, "__index__"):
            raise TypeError(f"body must be an id, a whole number; got {_check.describe_class(body)}")
        return self._names.get(operator.index(body), f"body {body}")

    def step(self, dt: float) -> Events:
        """Let time pass, and tell which bodies touch meanwhile.

        Every first contact is exact as that of `time_of_impact`, whatever the speed; what has ended is known
        at the end of the step only. `Events.profile` has the seconds of each stage.

        >>> import ougi
        >>> world = ougi.World()
        >>> ids = world.add(ougi.Circle([[0, 0], [5, 0]], 1), ougi.Translation2d([[300, 0], [0, 0]]))
        >>> events = world.step(1 / 60)
        >>> events.state.tolist(), events.time.round(4).tolist()
        ([0], [0.01])
        """
        dt = _check.number("dt", dt, positive=True)
        marks = [perf_counter()]
        scene = self._scene()
        end = Scene(scene.roster, self._time + dt)
        marks.append(perf_counter())
        boxes = self._swept_boxes(scene, end)
        marks.append(perf_counter())
        near = candidate_pairs(boxes, sort=False)
        marks.append(perf_counter())
        pairs = self._meetable(scene.roster, near)
        marks.append(perf_counter())
        found = first_contacts(scene, pairs, dt, self._tol, self._dimension or 3)
        marks.append(perf_counter())
        events, self._touching = self._reported(scene, found, end)
        self._time, self._now = end.time, end
        marks.append(perf_counter())
        seconds = [stop - start for start, stop in pairwise(marks)]
        return replace(events, profile=StepProfile._make([*seconds, len(near), len(pairs)]))

    def query(self, shape: Any, motion: Motion | None = None, *, mask: int = _ALL_GROUPS) -> Hits:
        """What a shape touches as the bodies are now, at once or on its way; they are held still.

        Parameters
        ----------
        shape
            A single shape.
        motion
            The whole way it goes; None asks what it overlaps where it is.
        mask
            Bits of the groups that count.

        Returns
        -------
        Hits
            Every body that is touched, the first one first.

        >>> import ougi
        >>> world = ougi.World()
        >>> ids = world.add(ougi.Sphere([[0, 0, 0], [9, 0, 0]], 1))
        >>> world.query(ougi.Box([1, 0, 0], [1, 1, 1])).body.tolist()
        [0]
        """
        probe = as_shape("shape", shape)
        if motion is not None and not isinstance(motion, Motion):
            raise TypeError(f"motion must be a motion or None, got {type(motion).__name__}")
        if probe.shape != () or (motion is not None and motion.shape != ()):
            raise ValueError("shape and motion must be single ones, got a batch")
        if probe.dimension != (self._dimension or probe.dimension):
            raise ValueError(f"shape must be {self._dimension}-D as the world's bodies, got {probe!r}")
        return hits(self._scene(), probe, motion, int(_bits("mask", mask, ())[0]), self._tol)

    def snapshot(self) -> Snapshot:
        """The state of the world, to which `restore` can go back; it costs next to nothing.

        >>> import ougi
        >>> world = ougi.World()
        >>> ball = world.add(ougi.Sphere([0, 0, 0], 1), ougi.Translation3d([1, 0, 0]))
        >>> before = world.snapshot()
        >>> events = world.step(1.0)
        >>> world.restore(before)
        >>> world.time
        0.0
        """
        kinds = self._bodies.kinds()
        return Snapshot(
            self._time,
            kinds,
            dict(self._names),
            self._touching.copy(),
            self._resting,
            self._next_id,
            self._dimension,
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this world or of another."""
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"snapshot must be what World.snapshot gave, got {type(snapshot).__name__}")
        self._time = snapshot.time
        self._bodies = Bodies(snapshot.kinds)
        self._names = dict(snapshot.names)
        self._touching = snapshot.touching.copy()
        self._resting = snapshot.resting
        self._next_id = snapshot.next_id
        self._dimension = snapshot.dimension

    def shape(self, body: int) -> Shape:
        """The shape of a body where it is now.

        >>> import ougi
        >>> world = ougi.World()
        >>> ball = world.add(ougi.Sphere([0, 0, 0], 1), ougi.Translation3d([6, 0, 0]))
        >>> events = world.step(0.5)
        >>> world.shape(ball)
        Sphere(center=[3.0, 0.0, 0.0], radius=1.0)
        """
        for kind in self._bodies.kinds():
            where = np.flatnonzero(kind.ids == body)
            if len(where):
                if isinstance(kind.shape, Mesh):
                    return kind.at(self._time)
                one: Shape = kind.taken(where).at(self._time)[0]
                return one
        raise KeyError(f"no body has the id {body}")

    def _part(
        self, body: Shape, motion: Motion | None, batch: tuple[int, ...], group: ArrayLike, mask: ArrayLike
    ) -> Kind:
        """What is added, flattened."""
        count = math.prod(batch)
        single = isinstance(body, Mesh)
        return Kind(
            shape=body if single else broadcast(body, batch).reshape((count,)),
            motion=motion if single or motion is None else broadcast(motion, batch).reshape((count,)),
            since=np.full(count, self._time),
            ids=np.arange(self._next_id, self._next_id + count),
            group=_bits("group", group, batch),
            mask=_bits("mask", mask, batch),
        )

    def _name(self, ids: Ints, batch: tuple[int, ...], name: str | Sequence[str] | None) -> None:
        if name is None:
            return
        if not isinstance(name, Sequence):
            raise TypeError(f"name must be a name, or a sequence of names, got {type(name).__name__}")
        names = [name] if isinstance(name, str) else list(name)
        if isinstance(name, str) and batch:
            raise ValueError(f"name must be a sequence of {len(ids)} names, one for each body, got {name!r}")
        if len(names) != len(ids):
            raise ValueError(f"name must hold {len(ids)} names, one for each body, got {len(names)}")
        self._names.update(zip(ids.tolist(), names, strict=True))

    def _swept_boxes(self, scene: Scene, end: Scene) -> Aabb2d | Aabb3d:
        """Boxes around all that the bodies sweep over in a step, one for each body."""
        if not len(scene.roster.ids):
            return Aabb3d(np.empty((0, 3)), np.empty((0, 3)))
        lower, upper = scene.covered(end, self._tol)
        cls = Aabb2d if lower.shape[1] == 2 else Aabb3d
        return cls._from_fields((len(lower),), {"lower": lower, "upper": upper})

    def _meetable(self, roster: Roster, pairs: Ints) -> Ints:
        """Pairs that groups and masks allow, and that move or are new; in the order of their ids."""
        i, j = pairs.T
        if not roster.all_meet:
            meet = roster.moves[i] | roster.moves[j]
            meet |= np.maximum(roster.ids[i], roster.ids[j]) >= self._resting.next_id
            meet &= (roster.group[i] & roster.mask[j] != 0) & (roster.group[j] & roster.mask[i] != 0)
            i, j = pairs[meet].T
        swap = roster.ids[i] > roster.ids[j]
        return np.stack([np.where(swap, j, i), np.where(swap, i, j)], axis=-1)

    def _scene(self) -> Scene:
        """The bodies now; those of the end of the last step, unless some have come or gone."""
        kinds = self._bodies.kinds()
        if self._now is None or self._now.roster.kinds is not kinds:
            self._now = Scene(Roster(kinds), self._time)
        elif self._now.time != self._time:
            self._now = Scene(self._now.roster, self._time)
        return self._now

    def _reported(self, scene: Scene, found: Firsts, end: Scene) -> tuple[Events, Ints]:
        """The events of a step, and which pairs of ids touch at its end."""
        pair = scene.roster.ids[found.pairs]
        rests: Bools = ~(scene.roster.moves[found.pairs[:, 0]] | scene.roster.moves[found.pairs[:, 1]])
        known = _is_in(pair, self._touching)
        state = np.where(known, ONGOING, BEGAN)
        time = scene.time + np.where(known, 0.0, found.t) * (end.time - scene.time)
        stay = rests.copy()
        stay[~rests] = touching(end, found.pairs[~rests])
        over = np.concatenate([pair[~stay], self._touching[~_is_in(self._touching, pair)]])
        nothing = np.full((len(over), found.point.shape[1]), np.nan)
        events = Events(
            np.concatenate([pair, over]),
            np.concatenate([state, np.full(len(over), ENDED)]),
            np.concatenate([time, np.full(len(over), end.time)]),
            np.concatenate([found.point, nothing]),
            np.concatenate([found.normal, nothing]),
            np.concatenate([found.status == 3, np.zeros(len(over), np.bool_)]),
        )
        if len(self._resting.pair):
            events = self._resting.ongoing(scene.time).joined(events)
        undecided = found.status[rests] == 3
        self._resting = self._resting.extended(
            pair[rests], found.point[rests], found.normal[rests], undecided, self._next_id
        )
        left = pair[stay & ~rests]
        return (
            events[_in_order(events)],
            left[np.argsort(_codes(left))],
        )


def _require_answers(shape: Shape) -> None:
    """Refuse a shape whose contacts are not answered; of a mesh its triangles are asked."""
    if not isinstance(shape, Mesh):
        find(type(shape), type(shape))
    if isinstance(shape, Sector3d):
        require_cylinder("shape", shape)


def _bits(name: str, value: ArrayLike, batch: tuple[int, ...]) -> Ints:
    given = np.asarray(value)
    if not np.issubdtype(given.dtype, np.integer):
        raise TypeError(f"{name} must be whole numbers, read as sets of bits, got {given.dtype}")
    _check.broadcast_shape(**{"shape": batch, name: given.shape})
    return np.broadcast_to(given, batch).astype(np.int64).reshape(-1)


def _codes(pairs: Ints) -> Ints:
    """Pairs of ids as single numbers of the same order."""
    codes: Ints = (pairs[:, 0] << 32) | pairs[:, 1]
    return codes


def _in_order(events: Events) -> Ints:
    """By time, state and pair: `np.lexsort` of the three, which takes twice as long."""
    order = np.argsort(_codes(events.pair))
    order = order[np.argsort(events.state[order].astype(np.int8), kind="stable")]
    by_time: Ints = order[np.argsort(events.time[order], kind="stable")]
    return by_time


def _is_in(pairs: Ints, others: Ints) -> Bools:
    """Which rows of pairs are among the others?"""
    mine, theirs = _codes(pairs), np.sort(_codes(others))
    if not len(theirs):
        return np.zeros(len(mine), np.bool_)
    there: Bools = theirs[np.minimum(np.searchsorted(theirs, mine), len(theirs) - 1)] == mine
    return there
