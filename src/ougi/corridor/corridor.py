"""Many characters in a corridor of the plane, at any speed: CORRIDOR, made exact."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ougi import _check
from ougi._native import run
from ougi._typing import ArrayLike, Bools, Floats, Ints
from ougi.corridor import among as _among
from ougi.corridor import published, structures
from ougi.corridor.answers import Cast, Moved, Nearest
from ougi.corridor.contact import Wall
from ougi.corridor.drive import CAST, SLIDE, STEP
from ougi.corridor.reach import settled
from ougi.corridor.structures import GROUPS, NAMES, PUBLISHED, Structure
from ougi.corridor.trees import GROUP, nearest_of
from ougi.corridor.wall import Report, from_points, from_segments, signed_areas

# A character fits if it lacks no more than this share of its radius and rounding, as after a bounce.
_FITS = 1e-9
# Compiled walls that are kept.
_KEPT = 4
# Bounces of a character in a frame, if no limit is given: between walls that leave it no room there is no end
# of them. A million take some tenths of a second. Among others, so many on average.
_BOUNCES, _BOUNCES_AMONG = 1_000_000, 1_000


# More bounces than this are as good as no limit; kernels count them in 64 bits.
_MAX_BOUNCES = 2**40


class Corridor:
    """A corridor: what lies between walls of segments, with holes or without.

    Characters are circles; positions, velocities and motions are (n, 2) or (2,), radii one for all or (n,).
    Segments in answers are numbered as they were given.

    Parameters
    ----------
    points
        Corners (n, 2) of the wall in order, either way round; or segments (n, 2, 2) in any order and
        direction, which are chained into closed loops.
    holes
        With corners: those of each hole. Segments make holes by themselves.
    tolerance
        With segments: ends that are no farther apart are joined. 0 joins only equal ends; nothing is moved
        silently, see `report`.

    >>> import ougi
    >>> room = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
    >>> room.area, room.report.segments
    (12.0, 4)
    >>> room.cast([1, 1], [10, 0], 0.5).t
    np.float64(0.25)
    >>> moved = room.step([1, 1], [10, 0], 0.5, dt=1)       # three bounces within one frame
    >>> moved.position.tolist(), moved.velocity.tolist(), int(moved.bounces)
    ([2.0, 1.0], [-10.0, 0.0], 3)
    """

    def __init__(self, points: ArrayLike, *, holes: Sequence[ArrayLike] = (), tolerance: float = 0.0) -> None:
        room = _check.number("tolerance", tolerance, positive=False)
        if np.ndim(points) == 3:
            if len(holes):
                raise ValueError("holes go with corners (n, 2); segments (n, 2, 2) make holes by themselves")
            built = from_segments(points, room)
        elif room:
            raise ValueError(
                "tolerance goes with segments (n, 2, 2); corners (n, 2) follow each other as they are"
            )
        else:
            built = from_points(points, holes)
        self._wall, self._edges, self._source = built.wall, built.starts, built.source
        self._report = built.report
        self._structures: dict[tuple[str, int], Structure] = {}
        self._compiled: list[Structure] = []

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_structures": {}, "_compiled": []}  # built again when they are asked for

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        rows, before, after, band = self._wall
        self._wall = Wall(_check.frozen(rows), _check.frozen(before), _check.frozen(after), band)

    def __repr__(self) -> str:
        return f"<Corridor of {len(self._source):,} segments, {self._report.holes} holes>"

    @property
    def report(self) -> Report:
        """What was made of the input: loops, holes, duplicates, joined ends, segments turned round."""
        return self._report

    @property
    def segments(self) -> Floats:
        """The wall (n, 2, 2), loop after loop, with the inside on the left; see `source`."""
        start = self._wall.rows[:, :2]
        return np.stack([start, start[self._wall.after]], axis=1)

    @property
    def source(self) -> Ints:
        """Which input segment each of `segments` is."""
        return _check.frozen(self._source)

    @property
    def loops(self) -> list[Floats]:
        """The corners of each loop: outer walls counter-clockwise, holes clockwise."""
        start = self._wall.rows[:, :2]
        return [start[a:b].copy() for a, b in zip(self._edges[:-1], self._edges[1:], strict=True)]

    @property
    def area(self) -> float:
        """Of the corridor, without holes."""
        return float(signed_areas(self._wall.rows[:, :2], self._edges).sum())

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper corners of the box around it."""
        start = self._wall.rows[:, :2]
        return start.min(axis=0), start.max(axis=0)

    # --- places --------------------------------------------------------------------------------------------

    def nearest(self, points: ArrayLike) -> Nearest:
        """The nearest wall point of each point.

        >>> import ougi
        >>> room = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
        >>> near = room.nearest([[1, 0.25], [-2, 1]])
        >>> near.distance.tolist(), near.segment.tolist(), near.inside.tolist()
        ([0.25, 2.0], [0, 3], [True, False])
        """
        places = _check.vectors("points", points, 2)
        flat = _check.frozen(np.ascontiguousarray(places.reshape(-1, 2)))
        out, segments = np.empty((len(flat), 4)), np.empty(len(flat), np.int64)
        run(nearest_of, self.structure("chain").tables, self._wall, flat, out, segments, size=len(flat))
        shape = places.shape[:-1]
        return Nearest(
            out[:, 0].reshape(shape)[()],
            self._source[segments].reshape(shape)[()],
            out[:, 1:3].reshape((*shape, 2)),
            (out[:, 3] > 0).reshape(shape)[()],
        )

    def inside(self, points: ArrayLike) -> Any:
        """Is each point in the corridor? On the wall counts.

        >>> import ougi
        >>> room = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]], holes=[[[1, 1], [2, 1], [2, 2], [1, 2]]])
        >>> room.inside([[0.5, 0.5], [1.5, 1.5], [5, 5]]).tolist()
        [True, False, False]
        """
        return self.nearest(points).inside

    # --- structures ----------------------------------------------------------------------------------------

    def structure(self, name: str, *, k: int | None = None) -> Structure:
        """Build a structure, or take the one that is there; all but the published give the same contacts.

        Parameters
        ----------
        name
            `brute` asks every segment; `chain` has boxes around groups of consecutive segments; `groups`
            looks such groups up by their x-ranges; `quadtree` and `kdtree` are those that CORRIDOR compares
            with. (`reach` is made by `compile`.)
            `groups-printed` and `groups-repaired` are CORRIDOR's own, which miss contacts: an index follows
            the character by its table 1, as printed, or with what is wrong in it mended; see `step`. They
            are defined for strips: one loop, whose lower and upper walls are functions of x.
        k
            Segments of a group, for `groups` and the published ones; 8 if it is not given.

        >>> import ougi
        >>> room = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
        >>> room.structure("quadtree").nbytes > 0
        True
        """
        if name not in structures.BUILDERS:
            known = ", ".join(structures.BUILDERS)
            raise ValueError(f"structure must be one of {known} (reach: call compile); got {name!r}")
        if k is not None and name not in GROUPS:
            raise ValueError(f"k is for {', '.join(GROUPS)}; {name} has no groups of k segments")
        size = GROUP if k is None else _check.whole("k", k)
        if (name, size) not in self._structures:
            self._structures[name, size] = structures.build(name, self._wall, size)
        return self._structures[name, size]

    def compile(self, radius: float, largest: float | None = None) -> Structure:
        """Compile the wall for a radius, or for all radii up to the largest.

        Only what a circle of this size can touch is left of the wall. The last few are kept.

        >>> import ougi
        >>> notched = ougi.Corridor([[0, 0], [2, 0], [2, -1], [2.1, -1], [2.1, 0], [4, 0], [4, 3], [0, 3]])
        >>> reach = notched.compile(0.5)
        >>> reach.kept, 2 * notched.report.segments          # a notch that no circle enters is gone
        (7, 16)
        """
        low = _check.number("radius", radius, positive=True)
        high = low if largest is None else _check.number("largest", largest, positive=True)
        if high < low:
            raise ValueError(f"largest must not be below the radius {low:g}, got {high:g}")
        for k, made in enumerate(self._compiled):
            if made.smallest == low and made.largest == high:
                self._compiled.append(self._compiled.pop(k))
                return made
        begun = time.perf_counter()
        tree = self.structure("chain").tables
        made = structures.compiled(self._wall, tree, low, high, begun)
        self._compiled = [*self._compiled[1 - _KEPT :], made]
        return made

    def _chosen(self, wanted: str | Structure, radius: Floats) -> Structure:
        low, high = float(radius.min(initial=math.inf)), float(radius.max(initial=0.0))
        if isinstance(wanted, Structure):
            if wanted.wall is not self._wall:
                raise ValueError(f"structure {wanted.name} was made by another corridor")
            if low < wanted.smallest or wanted.largest < high:
                raise ValueError(
                    f"structure {wanted.name} was compiled for radii from {wanted.smallest:g} to "
                    f"{wanted.largest:g}, got radii from {low:g} to {high:g}"
                )
            return wanted
        if wanted not in (*NAMES, *PUBLISHED):
            known = ", ".join((*NAMES, *PUBLISHED))
            raise ValueError(f"structure must be one of {known}; got {wanted!r}")
        if wanted != "reach":
            return self.structure(wanted)
        for made in reversed(self._compiled):
            if made.smallest <= low and high <= made.largest:
                return made
        return self.compile(low, high) if len(radius) else self.structure("chain")

    def _swept(self, wanted: str | Structure, radius: Floats) -> Structure:
        """One that finds contacts on the way; the published ones do not."""
        made = self._chosen(wanted, radius)
        if made.name in PUBLISHED:
            raise ValueError(
                f"{made.name} tests once in a frame, where characters are then, and finds no contacts on the "
                "way: it serves step alone"
            )
        return made

    # --- motion --------------------------------------------------------------------------------------------

    def cast(
        self,
        position: ArrayLike,
        motion: ArrayLike,
        radius: ArrayLike,
        *,
        structure: str | Structure = "chain",
        check: bool = True,
    ) -> Cast:
        """When do circles that move along straight lines first touch the wall?

        Parameters
        ----------
        position, motion
            Centers (n, 2), and by how much they move.
        radius
            One for all, or (n,).
        structure
            Its name, or one that `structure` or `compile` made; `chain` needs no preparation for a radius.
        check
            Look whether all circles fit where they start. Without it, those that do not fit, or are outside,
            get answers that mean nothing.

        >>> import ougi
        >>> room = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
        >>> cast = room.cast([[1, 1], [2, 2]], [[0, -1], [0, -1]], 0.5)
        >>> cast.t.tolist(), cast.segment.tolist(), cast.normal[0].tolist()
        ([0.5, nan], [0, -1], [0.0, 1.0])
        """
        state, shape = self._state("position", position, "motion", motion, radius)
        made = self._swept(structure, state[:, 4])
        if check:
            self._refuse_misfits(state, made)
        out, counts = made.ask(state, CAST)
        feature = counts[:, 0]
        hit = feature >= 0
        return Cast(
            np.where(hit, out[:, 4], np.nan).reshape(shape)[()],
            (np.where(hit[:, None], out[:, 5:7], 0.0) + 0.0).reshape((*shape, 2)),
            np.where(hit, self._source[feature >> 1], -1).reshape(shape)[()],
            (hit & (feature & 1 == 1)).reshape(shape)[()],
            counts[:, 2].reshape(shape)[()],
        )

    def step(
        self,
        positions: ArrayLike,
        velocities: ArrayLike,
        radius: ArrayLike,
        dt: float,
        restitution: float = 1.0,
        *,
        max_bounces: int | None = None,
        among: bool = False,
        structure: str | Structure = "reach",
        index: ArrayLike | None = None,
        check: bool = True,
    ) -> Moved:
        """Move characters for some seconds; they bounce off the wall as often as they meet it.

        Parameters
        ----------
        positions, velocities
            (n, 2).
        radius
            One for all, or (n,). `reach` compiles the wall for the smallest on first use.
        dt
            Seconds.
        restitution
            How much of the speed along the normal a bounce leaves: 1 all of it, 0 nothing.
        max_bounces
            A character that reaches it stands still for the rest of the frame: `Moved.left` and `stopped`
            tell. Without a limit a warning names who has bounced a million times.
        among
            Characters also bounce off each other, in the order in which they meet; that takes `reach`. If all
            have `max_bounces` on average (1,000 if none is given), all stand still.
        structure
            What finds the wall, its name or one that `structure` or `compile` made; all give the same
            trajectories. `groups-printed` and `groups-repaired` do not: they are CORRIDOR as published. At
            the end of the frame the segments that its index names are tested, and a center within the
            radius is reflected; nothing is found on the way, and nobody is moved out of the wall.
        index
            For the published ones: `Moved.index` of the frame before. Without it they begin with the groups
            that characters are over.
        check
            Look whether all circles fit. A loop that hands back what it got need not ask again.

        >>> import ougi
        >>> room = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
        >>> room.step([[1, 1], [2, 2]], [[0, -1], [1, 0]], 0.5, dt=1).position.tolist()
        [[1.0, 1.0], [3.0, 2.0]]
        """
        seconds = _check.number("dt", dt, positive=True)
        bounce = _check.number("restitution", restitution, positive=False)
        if bounce > 1:
            raise ValueError(f"restitution must lie between 0 and 1, got {restitution!r}")
        most = None if max_bounces is None else min(_check.whole("max_bounces", max_bounces), _MAX_BOUNCES)
        state, shape = self._state("positions", positions, "velocities", velocities, radius)
        made = self._chosen(structure, state[:, 4])
        if among and made.name != "reach" and len(state):
            raise ValueError(f"among takes the structure reach, got {made.name!r}")
        if index is not None and made.name not in PUBLISHED:
            raise ValueError(f"index is for {' and '.join(PUBLISHED)}; {made.name} follows none")
        if check:
            self._refuse_misfits(state, made)
        if made.name in PUBLISHED:
            if bounce != 1:
                raise ValueError(
                    f"{made.name} mirrors velocities: restitution must be 1, got {restitution!r}"
                )
            return self._published(made, state, shape, seconds, index)
        if not among:
            return _moved(made.ask(state, STEP, seconds, bounce, most or _BOUNCES), shape, most)
        if check:
            _among.refuse_overlaps(state, _FITS)
        return _moved(_among.stepped(made, state, seconds, bounce, most or _BOUNCES_AMONG), shape, most)

    def slide(
        self,
        positions: ArrayLike,
        motions: ArrayLike,
        radius: ArrayLike,
        *,
        max_bounces: int | None = None,
        structure: str | Structure = "reach",
        check: bool = True,
    ) -> Moved:
        """Move characters that slide along the wall where they meet it, as a player's figure does.

        Parameters are those of `step`; `velocity` of the answer is what is left of the motion's direction.

        >>> import ougi
        >>> room = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
        >>> room.slide([1, 1], [2, -2], 0.5).position.tolist()
        [3.0, 0.5]
        """
        most = None if max_bounces is None else min(_check.whole("max_bounces", max_bounces), _MAX_BOUNCES)
        state, shape = self._state("positions", positions, "motions", motions, radius)
        made = self._swept(structure, state[:, 4])
        if check:
            self._refuse_misfits(state, made)
        return _moved(made.ask(state, SLIDE, 1.0, 0.0, most or _BOUNCES), shape, most)

    def _published(
        self,
        made: Structure,
        state: Floats,
        shape: tuple[int, ...],
        seconds: float,
        index: ArrayLike | None,
    ) -> Moved:
        frame = published.stepped(made.tables, self._wall, state, seconds, index)
        return Moved(
            frame.state[:, :2].reshape((*shape, 2)),
            frame.state[:, 2:4].reshape((*shape, 2)),
            frame.bounces.reshape(shape)[()],
            np.zeros(shape)[()],
            frame.tests.reshape(shape)[()],
            frame.cursor,
        )

    def _state(
        self, where: str, position: ArrayLike, name: str, motion: ArrayLike, radius: ArrayLike
    ) -> tuple[Floats, tuple[int, ...]]:
        """Checked input as rows (px, py, vx, vy, radius), and the shape of the batch."""
        place = _check.vectors(where, position, 2)
        way = _check.vectors(name, motion, 2)
        size = _check.array("radius", radius)
        _check.refuse(size <= 0, "radius", "be positive", size)
        shapes = {where: place.shape[:-1], name: way.shape[:-1], "radius": size.shape}
        shape = _check.broadcast_shape(**shapes)
        n = math.prod(shape)
        state = np.empty((n, 5))
        state[:, :2] = np.broadcast_to(place, (*shape, 2)).reshape(n, 2)
        state[:, 2:4] = np.broadcast_to(way, (*shape, 2)).reshape(n, 2)
        state[:, 4] = np.broadcast_to(size, shape).reshape(n)
        return _check.frozen(state), shape

    def _refuse_misfits(self, state: Floats, made: Structure) -> None:
        """Raise for the first character that is outside or nearer to the wall than its radius."""
        doubtful = np.arange(len(state))
        if made.name == "reach":
            known = np.empty(len(state), np.int64)
            run(settled, made.tables, state, known, size=len(state))
            doubtful = np.flatnonzero(known <= 0)
        near = self.nearest(state[doubtful, :2])
        room = state[doubtful, 4] * (1 - _FITS) - 8 * self._wall.band
        bad: Bools = ~near.inside | (near.distance < room)
        if bad.any():
            k = int(np.argmax(bad))
            x, y = state[doubtful[k], :2]
            who = f"character {doubtful[k]} at ({x:.6g}, {y:.6g})"
            if not near.inside[k]:
                raise ValueError(
                    f"{who} is outside of the corridor; segment {near.segment[k]} is the nearest"
                )
            raise ValueError(
                f"{who} does not fit: its radius is {state[doubtful[k], 4]:.6g}, "
                f"but segment {near.segment[k]} is {near.distance[k]:.6g} away"
            )


def _moved(answer: tuple[Floats, Ints], shape: tuple[int, ...], most: int | None) -> Moved:
    """The answer; a warning if somebody was stopped by a limit that nobody set."""
    out, counts = answer
    if most is None and (out[:, 7] > 0).any():
        k = int(np.argmax(np.where(out[:, 7] > 0, counts[:, 1], -1)))
        warnings.warn(
            f"character {k} at ({out[k, 0]:.6g}, {out[k, 1]:.6g}) stands still for the last {out[k, 7]:.3g} "
            f"s, after {counts[k, 1]:,} bounces; Moved.stopped lists all who do, max_bounces sets the limit",
            RuntimeWarning,
            stacklevel=3,
        )
    return Moved(
        out[:, :2].reshape((*shape, 2)),
        out[:, 2:4].reshape((*shape, 2)),
        counts[:, 1].reshape(shape)[()],
        out[:, 7].reshape(shape)[()],
        counts[:, 2].reshape(shape)[()],
    )
