"""Many bodies and time: what touches what, when and where, step after step."""

from __future__ import annotations

import difflib
import functools
import math
import operator
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, DynamicBatch, Ints, Record
from ougi.broad.candidates import find_near_boxes
from ougi.impact import FirstContacts, mixed
from ougi.impact.mixed import SortedHits
from ougi.impact.table import BodyTable
from ougi.impact.tables import HULLS, find
from ougi.motion import Motion
from ougi.motion.steady import require_motion
from ougi.query.answers import RayHits
from ougi.query.raycast import raycast
from ougi.query.trees import get_tree
from ougi.shapes import Compound, HalfSpace, Mesh, Sector2d, Shape, ShapeLike, as_shape
from ougi.sweeps.turn_frame import broadcast
from ougi.timeline import BodyGroup, Contacts, Timeline, join_groups
from ougi.timeline.contacts import make_contacts
from ougi.timeline.events import encode_pairs, filter_pairs, sort_events
from ougi.timeline.mid_phase import find_apart, is_worthwhile
from ougi.timeline.timeline import make_boxes
from ougi.world.events import Events, Hits, StepProfile
from ougi.world.overlaps import Overlaps, list_overlaps
from ougi.world.query import find_hits

BodyIds: TypeAlias = Any  # the id of one body as an int, or those of many as an array
_ALL_GROUPS = -1
# The engine of contacts by kernels.
_KERNEL = np.array(["kernel"])


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state of a world at one moment; `World.restore` goes back to it.

    >>> import ougi
    >>> ougi.World().snapshot().time
    0.0
    """

    time: float
    groups: tuple[BodyGroup, ...]
    names: dict[int, str]
    touching: Ints
    resting: Contacts | None
    new: Ints
    next_id: int
    dimension: int | None


class World:
    """Bodies that move at constant rates. It detects contacts and does not respond to them.

    Parameters
    ----------
    tol
        Of first contacts, as in `time_of_impact`.
    enclosing_sectors
        Exclude candidate pairs by the enclosing sectors of turning bodies (FAN sec. 4.4) before first
        contacts are computed: always, never, or (None) where turning bodies have so many candidates that it
        saves time. The events are the same.

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

    def __init__(self, *, tol: float = 1e-9, enclosing_sectors: bool | None = None) -> None:
        self._tol = _check.number("tol", tol, positive=True)
        self._enclosing_sectors = enclosing_sectors
        self._parts: list[BodyGroup] = []
        self._cached: _Bodies | None = None
        self._names: dict[int, str] = {}
        self._named: dict[str, int] = {}
        self._touching: Ints = np.empty(0, np.int64)  # pairs of ids as single numbers, sorted
        # Contacts of two bodies that both rest. Such pairs are tested if one of the ids is new.
        self._resting: Contacts | None = None
        self._new: Ints = np.empty(0, np.int64)
        self._next_id = 0
        self._dimension: int | None = None
        self._time = 0.0

    @property
    def time(self) -> float:
        """Seconds since the world began."""
        return self._time

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __repr__(self) -> str:
        bodies = "1 body" if len(self) == 1 else f"{len(self):,} bodies"
        return f"<World of {bodies} at {self.time:g} s>"

    def add(
        self,
        shape: ShapeLike,
        motion: Motion | None = None,
        *,
        name: str | Sequence[str] | None = None,
        group: ArrayLike = 1,
        mask: ArrayLike = _ALL_GROUPS,
    ) -> BodyIds:
        """Add one body or many.

        Parameters
        ----------
        shape
            A shape, or a batch of them, at their poses now; any that `time_of_impact` takes. A Mesh is one
            body, its triangles.
        motion
            Displacement per second, in the coordinates of the world, at a constant rate until `set_motion`
            changes it; None for bodies at rest. Batches of shapes and motions broadcast. Every factor of a
            Chain continues at its own rate.
        name
            For one body a name, for many a sequence of names.
        group, mask
            Whole numbers read as sets of bits: which groups a body belongs to, and which ones it can touch.
            Two bodies are tested if each is in a group of the other's mask. Two bodies at rest are tested
            once, in the first step after both have been added; if they touch, the contact began with that
            step and is ongoing in all later ones. Masks can exclude walls that touch each other.
            Half-spaces at rest are not tested with each other.

        Returns
        -------
        The body's id, or an array (n,) of ids.

        >>> import ougi
        >>> world = ougi.World()
        >>> world.add(ougi.Sphere([0, 0, 0], 1), name="moon"), world.add(ougi.Sphere([[9, 0, 0]], 1)).tolist()
        (0, [1])
        """
        body = as_shape("shape", shape)
        require_motion("motion", motion, optional=True)
        if self._dimension not in (None, body.dimension):
            raise ValueError(f"shape must be {self._dimension}-D as the world's bodies, got {body!r}")
        moves = {} if motion is None else {"motion": motion.shape}
        batch = _check.broadcast_shape(shape=body.shape, **moves)
        if isinstance(body, Mesh):
            if batch:
                raise ValueError(f"motion must be one motion for a Mesh, got a batch of shape {batch}")
            get_tree(body)  # refuses a mesh without faces; moved meshes share it
        part = self._make_group(body, motion, batch, group, mask)
        _require_supported(body)
        self._name(part.body, batch, name)
        if not len(part):
            return part.body
        self._parts.append(part)
        self._cached, self._new = None, np.append(self._new, part.body)
        self._next_id += len(part)
        self._dimension = body.dimension
        return part.body.copy() if batch else int(part.body[0])

    def remove(self, ids: ArrayLike) -> None:
        """Remove bodies by their ids, which are not used again. Their contacts are dropped.

        >>> import ougi
        >>> world = ougi.World()
        >>> ids = world.add(ougi.Sphere([[0, 0, 0], [9, 0, 0]], 1))
        >>> world.remove(ids[0])
        >>> len(world)
        1
        """
        removed = self._check_ids(ids).ravel()
        if not removed.size:
            return
        self._exclude(removed)
        pairs = np.stack([self._touching >> 32, self._touching & 0xFFFFFFFF], axis=1)
        self._touching = self._touching[~np.isin(pairs, removed).any(axis=1)]
        for each in removed.tolist():
            name = self._names.pop(each, None)
            if name is not None:
                del self._named[name]

    def set_motion(self, ids: ArrayLike, motion: Motion | None) -> None:
        """Let bodies move differently from now on. Contacts that are ongoing continue.

        Parameters
        ----------
        ids
            One id, or an array of them.
        motion
            Displacement per second, as in `add`; None stops the bodies. A batch has one motion for each id.

        >>> import ougi
        >>> world = ougi.World()
        >>> ball = world.add(ougi.Circle([0, 0], 1), ougi.Translation2d([6, 0]))
        >>> events = world.step(0.5)
        >>> world.set_motion(ball, ougi.Translation2d([0, 2]))
        >>> events = world.step(0.5)
        >>> world.shape(ball)
        Circle(center=[3.0, 1.0], radius=1.0)
        """
        require_motion("motion", motion, optional=True)
        changed = self._check_ids(ids, unique=True)
        if motion is not None:
            _require_count("motion", motion, changed)
            motion = broadcast(motion, changed.shape).reshape((changed.size,))
        self._replace(changed.ravel(), None, motion, keeps_motion=False)

    def set_shape(self, ids: ArrayLike, shape: ShapeLike) -> None:
        """Put bodies elsewhere, or change their shapes, at once. They keep their motions, which are in the
        coordinates of the world.

        Contacts that are ongoing continue if the bodies still touch in the next step, and end there if not.
        What lies between the two places is not tested: that is what `set_motion` is for.

        Parameters
        ----------
        ids
            One id, or an array of them.
        shape
            A shape, or a batch with one entry for each id.

        >>> import ougi
        >>> world = ougi.World()
        >>> ball = world.add(ougi.Circle([0, 0], 1), ougi.Translation2d([6, 0]))
        >>> world.set_shape(ball, ougi.Circle([0, 9], 2))
        >>> events = world.step(0.5)
        >>> world.shape(ball)
        Circle(center=[3.0, 9.0], radius=2.0)
        """
        body = as_shape("shape", shape)
        changed = self._check_ids(ids, unique=True)
        if body.dimension != self._dimension:
            raise ValueError(f"shape must be {self._dimension}-D as the world's bodies, got {body!r}")
        _require_count("shape", body, changed)
        _require_supported(body)
        if isinstance(body, Mesh):
            if changed.ndim:
                raise ValueError(f"ids must be one id for a Mesh, got {changed.size} ids")
            get_tree(body)
        else:
            body = broadcast(body, changed.shape).reshape((changed.size,))
        self._replace(changed.ravel(), body, None, keeps_motion=True)

    @property
    def ids(self) -> Ints:
        """(n,), the ids of all bodies, sorted.

        >>> import ougi
        >>> world = ougi.World()
        >>> moon = world.add(ougi.Sphere([0, 0, 0], 1), name="moon")
        >>> world.ids, list(world), world.find("moon"), moon in world
        (array([0]), [0], 0, True)
        """
        return np.sort(np.concatenate([np.empty(0, np.int64), *(part.body for part in self._parts)]))

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids.tolist())

    def __contains__(self, body: object) -> bool:
        return any((part.body == body).any() for part in self._parts)

    def find(self, name: str) -> int:
        """The id of the body with this name."""
        if name not in self._named:
            near = difflib.get_close_matches(str(name), self._named, n=1)
            raise KeyError(f"no body is named {name!r}" + (f", did you mean {near[0]!r}?" if near else ""))
        return self._named[name]

    def name(self, body: int) -> str:
        """The name of a body, or `body` and its id, also of a body that was removed."""
        if isinstance(body, bool | np.bool_) or not hasattr(body, "__index__"):
            raise TypeError(f"body must be an id, a whole number; got {_check.describe_class(body)}")
        if not 0 <= operator.index(body) < self._next_id:
            raise KeyError(f"no body has the id {body}")
        return self._names.get(operator.index(body), f"body {body}")

    def step(self, dt: float) -> Events:
        """Advance the time by dt seconds, and report which bodies touch in between.

        Every first contact is exact as that of `time_of_impact`, whatever the speed. The end of a contact is
        only known up to the end of its step. `Events.profile` has the seconds of each stage.

        >>> import ougi
        >>> world = ougi.World()
        >>> ids = world.add(ougi.Circle([[0, 0], [5, 0]], 1), ougi.Translation2d([[300, 0], [0, 0]]))
        >>> events = world.step(1 / 60)
        >>> events.state.tolist(), events.time.round(4).tolist()
        ([0], [0.01])
        """
        dt = _check.number("dt", dt, positive=True)
        marks = [perf_counter()]
        bodies, start = self._bodies(), self._time
        now, end = bodies.place(start, dt), bodies.place(start + dt, dt)
        marks.append(perf_counter())
        timeline = bodies.timeline
        corners = timeline.sweep_boxes(now, end, start, dt, self._tol)
        marks.append(perf_counter())
        near = find_near_boxes(_check.frozen(corners), is_bounded=timeline.is_bounded)
        near = timeline.exclude_floors(near)
        marks.append(perf_counter())
        pairs, others = bodies.filter_pairs(near, self._new)
        tested = len(pairs) + len(others)
        chosen = self._enclosing_sectors
        if is_worthwhile(timeline, pairs) if chosen is None else chosen:
            boxes = make_boxes(corners)
            pairs, others = (part[~find_apart(timeline, part, boxes, start, dt)] for part in (pairs, others))
        marks.append(perf_counter())
        found, hits, overlapping = mixed.find_first_contacts(now, pairs, self._tol, 0.0, timeline.dimension)
        advanced = None
        if len(others):
            first, second = others[:, 0], others[:, 1]
            advanced = timeline.find_first_contacts(first, second, start, dt, self._tol, complete=False)
        place = functools.partial(bodies.place, start, dt)
        overlaps = list_overlaps(timeline, place, start, overlapping, len(pairs), others, advanced)
        marks.append(perf_counter())
        contacts, state, left = self._report(bodies, pairs, found, hits, others, advanced, overlaps, end, dt)
        self._time = start + dt
        marks.append(perf_counter())
        seconds = [after - before for before, after in pairwise(marks)]
        profile = StepProfile._make([*seconds, len(near), tested, len(pairs) + len(others)])
        columns: Record = vars(contacts)
        return Events(**columns, state=state, profile=profile, _overlaps=left)

    def query(self, shape: ShapeLike, motion: Motion | None = None, *, mask: int = _ALL_GROUPS) -> Hits:
        """Find the bodies that shapes touch, at once or on their paths, while they rest where they are now.

        Parameters
        ----------
        shape
            A shape, or a batch of them, which are handled apart.
        motion
            The whole path of a shape; None finds what it overlaps where it is. Batches broadcast.
        mask
            Bits of the groups to search.

        Returns
        -------
        Hits
            Every body that is touched, the earliest first; `Hits.index` says by which shape of a batch.

        >>> import ougi
        >>> world = ougi.World()
        >>> ids = world.add(ougi.Sphere([[0, 0, 0], [9, 0, 0]], 1))
        >>> world.query(ougi.Box([1, 0, 0], [1, 1, 1])).body.tolist()
        [0]
        >>> world.query(ougi.Sphere([[9, 2, 0], [0, 1, 0]], 1.5)).index.tolist()
        [0, 1]
        """
        probe = as_shape("shape", shape)
        require_motion("motion", motion, optional=True)
        moves = {} if motion is None else {"motion": motion.shape}
        batch = _check.broadcast_shape(shape=probe.shape, **moves)
        if isinstance(probe, Mesh) and batch:
            raise ValueError(f"motion must be one motion for a Mesh, got a batch of shape {batch}")
        if batch:
            probe = broadcast(probe, batch).reshape((math.prod(batch),))
            motion = None if motion is None else broadcast(motion, batch).reshape((math.prod(batch),))
        if probe.dimension != (self._dimension or probe.dimension):
            raise ValueError(f"shape must be {self._dimension}-D as the world's bodies, got {probe!r}")
        bits = int(_bits("mask", mask, ())[0])
        return find_hits(self._bodies().timeline.groups, self._time, probe, motion, bits, self._tol)

    def raycast(
        self, origin: ArrayLike, direction: ArrayLike, *, mask: int = _ALL_GROUPS, max_t: float = math.inf
    ) -> RayHits:
        """Find the first body that each ray hits, where the bodies are now.

        Parameters
        ----------
        origin, direction, max_t
            As in `ougi.raycast`.
        mask
            Bits of the groups to search.

        Returns
        -------
        RayHits
            As of `ougi.raycast`; `body` are ids.

        >>> import ougi
        >>> world = ougi.World()
        >>> guard = world.add(ougi.Circle([0, 0], 0.5), name="guard")
        >>> crate = world.add(ougi.Rectangle([4, 0], [2, 2]), name="crate")
        >>> world.name(world.raycast([1, 0], [1, 0]).body)
        'crate'
        """
        bits = int(_bits("mask", mask, ())[0])
        shapes, ids = [], [np.empty(0, np.int64)]
        for group in self._bodies().timeline.groups:
            rows = np.flatnonzero(group.group & bits)
            if len(rows):
                shapes.append(group.during(rows, np.full(len(rows), self._time), np.zeros(len(rows)))[0])
                ids.append(group.body[rows])
        hits = raycast(origin, direction, shapes, max_t=max_t)
        known = np.append(np.concatenate(ids), -1)  # the last stands for none
        return replace(hits, body=known[hits.body])

    def snapshot(self) -> Snapshot:
        """The state of the world, for `restore`; it copies no bodies.

        >>> import ougi
        >>> world = ougi.World()
        >>> ball = world.add(ougi.Sphere([0, 0, 0], 1), ougi.Translation3d([1, 0, 0]))
        >>> before = world.snapshot()
        >>> events = world.step(1.0)
        >>> world.restore(before)
        >>> world.time
        0.0
        """
        return Snapshot(
            self._time,
            tuple(self._parts),
            dict(self._names),
            self._touching,
            self._resting,
            self._new,
            self._next_id,
            self._dimension,
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this world or of another."""
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"snapshot must be what World.snapshot gave, got {type(snapshot).__name__}")
        if tuple(self._parts) != snapshot.groups:
            self._parts, self._cached = list(snapshot.groups), None
        self._time, self._names = snapshot.time, dict(snapshot.names)
        self._named = {name: body for body, name in snapshot.names.items()}
        self._touching, self._resting = snapshot.touching, snapshot.resting
        self._new, self._next_id = snapshot.new, snapshot.next_id
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
        for group in self._parts:
            rows = np.flatnonzero(group.body == body)
            if len(rows):
                return group.during(rows[0], self._time, 0.0)[0]
        raise KeyError(f"no body has the id {body}")

    def _make_group(
        self, body: Shape, motion: Motion | None, batch: tuple[int, ...], group: ArrayLike, mask: ArrayLike
    ) -> BodyGroup:
        """Bodies that are added, as a flat batch. A motion per second is a span of one second."""
        count = math.prod(batch)
        return BodyGroup(
            shape=body if isinstance(body, Mesh) else broadcast(body, batch).reshape((count,)),
            motion=None if motion is None else broadcast(motion, batch).reshape((count,)),
            start=np.full(count, self._time),
            length=np.ones(count),
            body=np.arange(self._next_id, self._next_id + count),
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
        counts = Counter(names)
        for each in names:
            if not isinstance(each, str):
                raise TypeError(f"name must hold strings, got {_check.describe_class(each)}")
            if each in self._named or counts[each] > 1:
                raise ValueError(f"name must be unique, but {each!r} is used already")
        self._names.update(zip(ids.tolist(), names, strict=True))
        self._named.update(zip(names, ids.tolist(), strict=True))

    def _check_ids(self, ids: ArrayLike, *, unique: bool = False) -> Ints:
        """Ids of bodies of this world."""
        given = np.asarray(ids)
        if not given.size:
            return np.empty(0, np.int64)
        if not np.issubdtype(given.dtype, np.integer):
            raise TypeError(f"ids must be integers, got {given.dtype}")
        unknown = given[~np.isin(given, self.ids)]
        if len(unknown):
            raise KeyError(f"no body has the id {unknown[0]}")
        if unique and len(np.unique(given)) < given.size:
            raise ValueError("ids must be different from each other")
        return given.astype(np.int64)

    def _exclude(self, ids: Ints) -> None:
        """Take bodies out of their groups, and out of the contacts at rest."""
        self._parts = [part for group in self._parts if (part := group.exclude(ids)) is not None]
        self._cached, self._new = None, np.setdiff1d(self._new, ids)
        if self._resting is not None:
            self._resting = self._resting[~np.isin(self._resting.pair, ids).any(axis=1)]

    def _replace(self, ids: Ints, shape: DynamicBatch, motion: DynamicBatch, *, keeps_motion: bool) -> None:
        """Give bodies other shapes or other motions from now on. None: the shapes where they are."""
        if not len(ids):
            return
        order = np.argsort(ids)
        made = []
        for group in self._parts:
            rows = np.flatnonzero(np.isin(group.body, ids))
            if not len(rows):
                continue
            chosen = order[np.searchsorted(ids[order], group.body[rows])]
            count = len(rows)
            times = np.full(count, self._time)
            here, moves = group.during(rows, times, np.ones(count))
            if isinstance(moves, Motion):
                moves = broadcast(moves, (count,))
            made.append(
                BodyGroup(
                    shape=here if shape is None else shape if isinstance(shape, Mesh) else shape[chosen],
                    motion=moves if keeps_motion else None if motion is None else motion[chosen],
                    start=times,
                    length=np.ones(count),
                    body=group.body[rows],
                    group=group.group[rows],
                    mask=group.mask[rows],
                )
            )
        self._exclude(ids)
        self._parts += made
        self._new = np.append(self._new, ids)

    def _bodies(self) -> _Bodies:
        """All bodies, in an order that does not depend on when they were added."""
        if self._cached is None:
            self._parts = list(join_groups(self._parts))
            self._cached = _Bodies(self._parts, self._dimension or 3)
        return self._cached

    def _report(
        self,
        bodies: _Bodies,
        pairs: Ints,
        found: FirstContacts,
        hits: SortedHits,
        others: Ints,
        advanced: Contacts | None,
        overlaps: Overlaps,
        end: BodyTable,
        dt: float,
    ) -> tuple[Contacts, Ints, Overlaps | None]:
        """The events of a step, their states, and what is left to compute of them.

        What still touches goes into the next step.
        """
        timeline, rows = bodies.timeline, hits.rows
        stays = mixed.find_overlaps(end, hits, timeline.dimension)
        listed = pairs
        engine = np.ndarray(len(pairs), _KERNEL.dtype, _KERNEL, strides=(0,))
        contacts = make_contacts(found, pairs, found.t, engine)
        if advanced is not None:
            more = np.flatnonzero(advanced.status)
            first, second = others[more, 0], others[more, 1]
            touching = timeline.find_overlaps(first, second, self._time + dt, self._tol)
            stays = np.append(stays, touching)
            rows, listed = np.append(rows, len(pairs) + more), np.concatenate([pairs, others])
            contacts = Contacts.join([contacts, advanced])
        stored = len(self._new) > 0  # contacts of bodies at rest are
        if stored:
            overlaps.write(contacts.point, contacts.normal)
        code = np.empty(len(rows), np.int64)
        encode_pairs(listed, rows, bodies.ids, timeline.moves, stays, contacts.normal, code)
        if self._resting is not None or len(self._new):
            i, j = listed[rows].T
            at_rest = rows[~(timeline.moves[i] | timeline.moves[j])]
            new = replace(contacts[at_rest], pair=np.sort(bodies.ids[listed[at_rest]], axis=1))
            before = [] if self._resting is None else [self._resting]
            if before:
                rows = np.append(rows, len(contacts) + np.arange(len(before[0])))
                code = np.append(code, (before[0].pair[:, 0] << 32) | before[0].pair[:, 1])
                stays = np.append(stays, np.ones(len(before[0]), np.bool_))
                contacts = Contacts.join([contacts, *before])
            self._resting = Contacts.join([*before, new]) if before or len(new) else None
            self._new = self._new[:0]
        events, state, source, self._touching = sort_events(
            contacts, rows, code, stays, self._touching, self._time, dt
        )
        return events, state, None if stored or overlaps.is_empty else overlaps._replace(source=source)


class _Bodies:
    """All bodies of a world, and where they were placed last."""

    def __init__(self, groups: list[BodyGroup], dimension: int) -> None:
        self.timeline = Timeline(groups, dimension)
        none: Ints = np.empty(0, np.int64)
        ordered = self.timeline.groups
        self.ids = self.timeline.body
        self.group = np.concatenate([none, *(group.group for group in ordered)])
        self.mask = np.concatenate([none, *(group.mask for group in ordered)])
        self._placed: dict[tuple[float, float], BodyTable] = {}

    def place(self, time: float, dt: float) -> BodyTable:
        """The bodies at a time, with their motions in dt seconds. The last two tables are stored."""
        table = self._placed.get((time, dt))
        if table is None:
            if dt > 1:  # in one second motions are in range
                screws = self.timeline.table.screws
                _check.turns_in_range("angle", screws[6] * dt)
                _check.in_range("offset or advance", screws[7] * dt)
            table = self.timeline.place(time, dt)
            # A new dictionary, because events that are read in another thread place bodies too.
            self._placed = dict([*list(self._placed.items())[-1:], ((time, dt), table)])
        return table

    def filter_pairs(self, pairs: Ints, new: Ints) -> tuple[Ints, Ints]:
        """Pairs that groups and masks allow, and that move or are new: with kernels, and all others."""
        out = np.empty((len(pairs), 2), np.int64)
        timeline = self.timeline
        first, last = filter_pairs(
            pairs,
            self.group,
            self.mask,
            timeline.moves,
            np.isin(self.ids, new) if len(new) else np.zeros(len(self.ids), np.bool_),
            timeline.table,
            timeline.start,
            timeline.kernel_count,
            out,
        )
        return out[:first], out[last:]


def _require_count(name: str, batch: Shape | Motion, ids: Ints) -> None:
    """Refuse a batch that has neither a single entry nor one for each id."""
    if batch.shape not in ((), ids.shape):
        raise ValueError(
            f"{name} must be one {name} or a batch of shape {ids.shape}, as ids; "
            f"got a batch of shape {batch.shape}"
        )


def _require_supported(shape: Shape) -> None:
    """Refuse a shape without first contacts, which is a `Sweep`."""
    if not isinstance(shape, Mesh | HalfSpace | Compound | Sector2d) and type(shape) not in HULLS:
        find(type(shape), type(shape))


def _bits(name: str, value: ArrayLike, batch: tuple[int, ...]) -> Ints:
    given = np.asarray(value)
    if not np.issubdtype(given.dtype, np.integer):
        raise TypeError(f"{name} must be whole numbers, read as sets of bits, got {given.dtype}")
    _check.broadcast_shape(**{"shape": batch, name: given.shape})
    return np.broadcast_to(given, batch).astype(np.int64).reshape(-1)
