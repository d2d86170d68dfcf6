"""Many circles in a corridor of the plane, at any speed: CORRIDOR, made exact."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence

import numpy as np

from ougi import _check
from ougi._native import run
from ougi._typing import ArrayLike, Bools, Floats, Ints
from ougi.corridor import mutual as _mutual
from ougi.corridor import published
from ougi.corridor.circle_loop import CAST, SLIDE, STEP
from ougi.corridor.columns import (
    BOUNCES,
    CIRCLE_COLUMNS,
    FEATURE,
    NORMAL,
    POSITION,
    PX,
    PY,
    RADIUS,
    TESTS,
    TIME_LEFT,
    VELOCITY,
    T,
)
from ougi.corridor.contact import START, Wall
from ougi.corridor.grid_search import IS_FREE, classify_circles
from ougi.corridor.results import MovedCircles, NearestWall, WallContacts
from ougi.corridor.structures import (
    BUILDERS,
    EXACT,
    GROUPED,
    PUBLISHED,
    SearchStructure,
    build_structure,
    compile_wall,
)
from ougi.corridor.trees import DISTANCE, GROUP, IS_INSIDE, NEAREST_X, NEAREST_Y, find_nearest_points
from ougi.corridor.wall import (
    BuiltWall,
    WallReport,
    build_from_grid,
    build_from_points,
    build_from_segments,
    signed_areas,
)
from ougi.results import Status

# A circle fits if it overlaps the wall by no more than this part of its radius and rounding.
OVERLAP_TOL = 1e-9
# Compiled walls that are cached.
_MAX_CACHED = 4
# Bounces of a circle in a step, if no limit is given: between walls that leave no space they never end.
# A million take some tenths of a second. With `mutual`, the average.
_DEFAULT_BOUNCES, _DEFAULT_MUTUAL_BOUNCES = 1_000_000, 1_000
# More bounces than this are as good as no limit. Kernels count them in 64 bits.
_MAX_BOUNCES = 2**40


class Corridor:
    """The space between walls of line segments, with holes or without.

    Positions, velocities and motions of circles are (n, 2) or (2,), radii one for all or (n,). Segments in
    results are numbered as they were given.

    Parameters
    ----------
    points
        Corners (n, 2) of the wall in order, clockwise or counter-clockwise. Or segments (n, 2, 2) in any
        order and direction, which are chained into closed loops. Loops may touch at corners, if all angles of
        the corridor there are below 180 degrees.
    holes
        With corners: the corners of each hole. Segments make holes by themselves.
    tol
        With segments: ends that are no farther apart are joined. 0 joins only equal ends. `report` lists what
        was changed.

    >>> import ougi
    >>> corridor = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
    >>> corridor.area, corridor.report.segments
    (12.0, 4)
    >>> float(corridor.cast([1, 1], [10, 0], 0.5).t)
    0.25
    >>> moved = corridor.step([1, 1], [10, 0], 0.5, dt=1)       # three bounces within one step
    >>> moved.position.tolist(), moved.velocity.tolist(), int(moved.bounce_count)
    ([2.0, 1.0], [-10.0, 0.0], 3)
    """

    def __init__(self, points: ArrayLike, *, holes: Sequence[ArrayLike] = (), tol: float = 0.0) -> None:
        distance = _check.number("tol", tol, positive=False)
        if np.ndim(points) == 3:
            if len(holes):
                raise ValueError("holes go with corners (n, 2); segments (n, 2, 2) make holes by themselves")
            built = build_from_segments(points, distance)
        elif distance:
            raise ValueError(
                f"tol must be 0 for corners (n, 2), got {tol!r}; give segments (n, 2, 2) to join ends"
            )
        else:
            built = build_from_points(points, holes)
        self._set_wall(built)

    @classmethod
    def from_grid(
        cls, solid: ArrayLike, *, cell: ArrayLike = 1.0, origin: ArrayLike = (0.0, 0.0)
    ) -> Corridor:
        """The space of the free cells of a tile map. All around the map is solid.

        Parameters
        ----------
        solid
            (rows, columns) of booleans: the cell in row j and column i covers [i, i + 1] x [j, j + 1] cells.
            Outlines of neighbouring cells are merged. Free cells that touch at a corner are not connected.
        cell
            The size of a cell, or its width and height.
        origin
            The corner of cell (0, 0).

        >>> import ougi
        >>> room = ougi.Corridor.from_grid([[1, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]], cell=16)
        >>> room.area, room.report.segments
        (512.0, 4)
        >>> float(room.cast([24, 24], [40, 0], 4).t)
        0.5
        """
        made = cls.__new__(cls)
        made._set_wall(build_from_grid(solid, cell, origin))
        return made

    def _set_wall(self, built: BuiltWall) -> None:
        self.wall, self._edges, self._source = built.wall, built.starts, built.source
        self._report = built.report
        self._structures: dict[tuple[str, int], SearchStructure] = {}
        self._compiled: list[SearchStructure] = []

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_structures": {}, "_compiled": []}  # built again when they are needed

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        rows, before, after, band = self.wall
        self.wall = Wall(_check.frozen(rows), _check.frozen(before), _check.frozen(after), band)

    def __repr__(self) -> str:
        return f"<Corridor: {self._report}>"

    @property
    def report(self) -> WallReport:
        """How the wall was built: loops, holes, duplicates, joined ends, reversed segments."""
        return self._report

    @property
    def segments(self) -> Floats:
        """The wall (n, 2, 2), loop after loop, with the inside on the left; see `source`."""
        start = self.wall.rows[:, START]
        return np.stack([start, start[self.wall.after]], axis=1)

    @property
    def source(self) -> Ints:
        """The number of the input segment that each of `segments` was."""
        return _check.frozen(self._source)

    @property
    def loops(self) -> list[Floats]:
        """The corners of each loop: outer walls counter-clockwise, holes clockwise."""
        start = self.wall.rows[:, START]
        return [start[a:b].copy() for a, b in zip(self._edges[:-1], self._edges[1:], strict=True)]

    @property
    def area(self) -> float:
        """The area of the corridor, without holes."""
        return float(signed_areas(self.wall.rows[:, START], self._edges).sum())

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper corner of the box around the corridor."""
        start = self.wall.rows[:, START]
        return start.min(axis=0), start.max(axis=0)

    # --- points --------------------------------------------------------------------------------------------

    def nearest(self, points: ArrayLike) -> NearestWall:
        """Find the nearest wall point of each point.

        >>> import ougi
        >>> corridor = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
        >>> near = corridor.nearest([[1, 0.25], [-2, 1]])
        >>> near.distance.tolist(), near.segment.tolist(), near.inside.tolist()
        ([0.25, 2.0], [0, 3], [True, False])
        """
        given = _check.vectors("points", points, 2)
        flat = _check.frozen(np.ascontiguousarray(given.reshape(-1, 2)))
        out, segments = np.empty((len(flat), 4)), np.empty(len(flat), np.int64)
        tree = self.structure("chain").tables
        run(find_nearest_points, tree, self.wall, flat, out, segments, size=len(flat))
        shape = given.shape[:-1]
        return NearestWall(
            out[:, DISTANCE].reshape(shape)[()],
            self._source[segments].reshape(shape)[()],
            out[:, NEAREST_X : NEAREST_Y + 1].reshape((*shape, 2)),
            (out[:, IS_INSIDE] > 0).reshape(shape)[()],
        )

    def inside(self, points: ArrayLike) -> Bools:
        """Test whether each point is in the corridor. Points on the wall are.

        >>> import ougi
        >>> hole = [[1, 1], [2, 1], [2, 2], [1, 2]]
        >>> corridor = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]], holes=[hole])
        >>> corridor.inside([[0.5, 0.5], [1.5, 1.5], [5, 5]]).tolist()
        [True, False, False]
        """
        return self.nearest(points).inside

    # --- search structures ---------------------------------------------------------------------------------

    def structure(self, method: str, *, group_size: int | None = None) -> SearchStructure:
        """Build a search structure, or return the one that was built before.

        All methods but the published ones give the same contacts.

        Parameters
        ----------
        method
            `brute` tests every segment. `chain` has boxes around groups of consecutive segments. `groups`
            finds such groups by their x-ranges. `quadtree` and `kdtree` are those that CORRIDOR compares
            with. (`reach` is built by `compile`.)
            `published` and `published-verbatim` are CORRIDOR's own, which miss contacts. An index follows
            the circle by its table 1, with its errata repaired, or as it stands; see `step`. They are
            defined for strips: one loop, whose lower and upper walls are functions of x.
        group_size
            Segments of a group, for `groups` and the published methods; 8 by default.

        >>> import ougi
        >>> corridor = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
        >>> corridor.structure("quadtree").nbytes > 0
        True
        """
        if method not in BUILDERS:
            known = ", ".join(BUILDERS)
            raise ValueError(f"method must be one of {known}, got {method!r}; for reach call compile")
        if group_size is not None and method not in GROUPED:
            raise ValueError(f"group_size is for {', '.join(GROUPED)}, got it with {method!r}")
        size = GROUP if group_size is None else _check.whole_number("group_size", group_size)
        if (method, size) not in self._structures:
            self._structures[method, size] = build_structure(method, self.wall, size)
        return self._structures[method, size]

    def compile(self, radius: float, max_radius: float | None = None) -> SearchStructure:
        """Compile the wall for a radius, or for all radii up to `max_radius`.

        Only the features that a circle of this size can touch remain. The last few results are cached.

        >>> import ougi
        >>> notched = ougi.Corridor([[0, 0], [2, 0], [2, -1], [2.1, -1], [2.1, 0], [4, 0], [4, 3], [0, 3]])
        >>> compiled = notched.compile(0.5)
        >>> compiled.feature_count, 2 * notched.report.segments          # no circle enters the notch
        (7, 16)
        """
        low = _check.number("radius", radius, positive=True)
        high = low if max_radius is None else _check.number("max_radius", max_radius, positive=True)
        if high < low:
            raise ValueError(f"max_radius must be at least radius, {low:g}, got {high:g}")
        for k, made in enumerate(self._compiled):
            if made.min_radius == low and made.max_radius == high:
                self._compiled.append(self._compiled.pop(k))
                return made
        begun = time.perf_counter()
        made = compile_wall(self.wall, self.structure("chain").tables, low, high, begun)
        self._compiled = [*self._compiled[1 - _MAX_CACHED :], made]
        return made

    def _choose(self, method: str | SearchStructure, radius: Floats) -> SearchStructure:
        low, high = float(radius.min(initial=math.inf)), float(radius.max(initial=0.0))
        if isinstance(method, SearchStructure):
            if method.wall is not self.wall:
                raise ValueError(f"method must be of this corridor, got {method.method!r} of another one")
            if low < method.min_radius or method.max_radius < high:
                raise ValueError(
                    f"radius must lie in [{method.min_radius:g}, {method.max_radius:g}], for which "
                    f"{method.method!r} was compiled, got {low:g} to {high:g}; compile it for these"
                )
            return method
        if method not in (*EXACT, *PUBLISHED):
            raise ValueError(f"method must be one of {', '.join((*EXACT, *PUBLISHED))}, got {method!r}")
        if method != "reach":
            return self.structure(method)
        for made in reversed(self._compiled):
            if made.min_radius <= low and high <= made.max_radius:
                return made
        return self.compile(low, high) if len(radius) else self.structure("chain")

    def _choose_exact(self, method: str | SearchStructure, radius: Floats) -> SearchStructure:
        """A structure that finds contacts during a motion; the published ones do not."""
        made = self._choose(method, radius)
        if made.method in PUBLISHED:
            raise ValueError(
                f"method {made.method!r} tests circles only where a step ends, so it is for step alone; use "
                f"one of {', '.join(EXACT)}"
            )
        return made

    # --- motion --------------------------------------------------------------------------------------------

    def cast(
        self,
        position: ArrayLike,
        motion: ArrayLike,
        radius: ArrayLike,
        *,
        method: str | SearchStructure = "chain",
        check: bool = True,
    ) -> WallContacts:
        """Find the first contacts of circles that move along straight lines.

        Parameters
        ----------
        position, motion
            Centers (n, 2), and the displacements.
        radius
            One for all, or (n,).
        method
            The name of a method, or what `structure` or `compile` returned. `chain` needs no preparation for
            a radius.
        check
            Test that all circles fit where they start. Without it, circles that do not fit, or are outside,
            get results without a meaning.

        >>> import ougi
        >>> corridor = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
        >>> cast = corridor.cast([[1, 1], [2, 2]], [[0, -1], [0, -1]], 0.5)
        >>> cast.t.tolist(), cast.segment.tolist(), cast.point[0].tolist(), cast.normal[0].tolist()
        ([0.5, nan], [0, -1], [1.0, 0.0], [0.0, -1.0])
        """
        circles, shape = self._read_circles(position=position, motion=motion, radius=radius)
        made = self._choose_exact(method, circles[:, RADIUS])
        if check:
            self._refuse_overlaps(circles, made)
        out, counts = made.move(circles, CAST)
        feature = counts[:, FEATURE]
        hit = feature >= 0
        normal = 0.0 - out[:, NORMAL]  # no -0.0
        point = out[:, POSITION] + circles[:, RADIUS, None] * normal
        return WallContacts(
            np.where(hit, Status.HIT.value, Status.FREE.value).reshape(shape)[()],
            hit.reshape(shape)[()],
            out[:, T].reshape(shape)[()],
            point.reshape((*shape, 2)),
            normal.reshape((*shape, 2)),
            np.where(hit, self._source[feature >> 1], -1).reshape(shape)[()],
            (hit & (feature & 1 == 1)).reshape(shape)[()],
            counts[:, TESTS].reshape(shape)[()],
        )

    def step(
        self,
        position: ArrayLike,
        velocity: ArrayLike,
        radius: ArrayLike,
        dt: float,
        *,
        restitution: float = 1.0,
        max_bounces: int | None = None,
        mutual: bool = False,
        method: str | SearchStructure = "reach",
        group: ArrayLike | None = None,
        check: bool = True,
    ) -> MovedCircles:
        """Move circles for a time step. They bounce off the wall as often as they meet it.

        Parameters
        ----------
        position, velocity
            (n, 2).
        radius
            One for all, or (n,). `reach` compiles the wall for the smallest on first use.
        dt
            Seconds.
        restitution
            How much of the speed along the normal a bounce preserves: 1 all of it, 0 nothing.
        max_bounces
            A circle that reaches it stands still for the rest of the step; see `MovedCircles.stopped`.
            Without a limit there is a warning about circles that have bounced a million times.
        mutual
            Circles also bounce off each other, in the order in which they meet. This needs `reach`. If all
            have `max_bounces` on average (1,000 if none is given), all stand still.
        method
            The name of a method, or what `structure` or `compile` returned. All give the same trajectories,
            except `published` and `published-verbatim`, which are CORRIDOR as published: at the end of the
            step the segments of its groups are tested, and circles that overlap one are reflected. Nothing is
            found in between, and no circle is moved out of the wall.
        group
            For the published methods: `MovedCircles.group` of the step before. Without it they begin with the
            groups that circles are over.
        check
            Test that all circles fit. A loop that passes back the results of the last step needs no check.

        >>> import ougi
        >>> corridor = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
        >>> corridor.step([[1, 1], [2, 2]], [[0, -1], [1, 0]], 0.5, dt=1).position.tolist()
        [[1.0, 1.0], [3.0, 2.0]]
        """
        seconds = _check.number("dt", dt, positive=True)
        bounce = _check.number("restitution", restitution, positive=False)
        if bounce > 1:
            raise ValueError(f"restitution must lie between 0 and 1, got {restitution!r}")
        limit = _read_max_bounces(max_bounces)
        circles, shape = self._read_circles(position=position, velocity=velocity, radius=radius)
        made = self._choose(method, circles[:, RADIUS])
        if mutual and made.method != "reach" and len(circles):
            raise ValueError(f"mutual=True needs the method 'reach', got {made.method!r}")
        if group is not None and made.method not in PUBLISHED:
            raise ValueError(f"group is for {' and '.join(PUBLISHED)}, got it with {made.method!r}")
        if check:
            self._refuse_overlaps(circles, made)
        if made.method in PUBLISHED:
            if bounce != 1:
                raise ValueError(f"restitution must be 1 with {made.method!r}, got {restitution!r}")
            return self._step_published(made, circles, shape, seconds, group)
        if not mutual:
            moved = made.move(circles, STEP, seconds, bounce, limit or _DEFAULT_BOUNCES)
            return _make_moved(moved, shape, limit)
        if check:
            _mutual.refuse_overlaps(circles, OVERLAP_TOL)
        moved = _mutual.step_mutual(made, circles, seconds, bounce, limit or _DEFAULT_MUTUAL_BOUNCES)
        return _make_moved(moved, shape, limit)

    def slide(
        self,
        position: ArrayLike,
        motion: ArrayLike,
        radius: ArrayLike,
        *,
        max_bounces: int | None = None,
        method: str | SearchStructure = "reach",
        check: bool = True,
    ) -> MovedCircles:
        """Move circles that slide along the wall where they meet it, like the characters of a game.

        Parameters are those of `cast` and `step`. `velocity` of the result is what remains of the motion.

        >>> import ougi
        >>> corridor = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
        >>> corridor.slide([1, 1], [2, -2], 0.5).position.tolist()
        [3.0, 0.5]
        """
        limit = _read_max_bounces(max_bounces)
        circles, shape = self._read_circles(position=position, motion=motion, radius=radius)
        made = self._choose_exact(method, circles[:, RADIUS])
        if check:
            self._refuse_overlaps(circles, made)
        return _make_moved(made.move(circles, SLIDE, 1.0, 0.0, limit or _DEFAULT_BOUNCES), shape, limit)

    def _step_published(
        self,
        made: SearchStructure,
        circles: Floats,
        shape: tuple[int, ...],
        seconds: float,
        group: ArrayLike | None,
    ) -> MovedCircles:
        frame = published.run_frame(made.tables, self.wall, circles, seconds, group)
        return MovedCircles(
            frame.circles[:, POSITION].reshape((*shape, 2)),
            frame.circles[:, VELOCITY].reshape((*shape, 2)),
            frame.bounces.reshape(shape)[()],
            np.zeros(shape)[()],
            frame.tests.reshape(shape)[()],
            frame.group,
        )

    def _read_circles(self, **given: ArrayLike) -> tuple[Floats, tuple[int, ...]]:
        """Checked position, velocity or motion, and radius: rows of circles, and the shape of the batch."""
        (where, position), (name, motion), (_, radius) = given.items()
        center, displacement = _check.vectors(where, position, 2), _check.vectors(name, motion, 2)
        size = _check.array("radius", radius)
        _check.refuse(size <= 0, "radius", "be positive", size)
        shapes = {where: center.shape[:-1], name: displacement.shape[:-1], "radius": size.shape}
        shape = _check.broadcast_shape(**shapes)
        n = math.prod(shape)
        circles = np.empty((n, CIRCLE_COLUMNS))
        circles[:, POSITION] = np.broadcast_to(center, (*shape, 2)).reshape(n, 2)
        circles[:, VELOCITY] = np.broadcast_to(displacement, (*shape, 2)).reshape(n, 2)
        circles[:, RADIUS] = np.broadcast_to(size, shape).reshape(n)
        return _check.frozen(circles), shape

    def _refuse_overlaps(self, circles: Floats, made: SearchStructure) -> None:
        """Raise for the first circle that is outside or nearer to the wall than its radius."""
        doubtful = np.arange(len(circles))
        if made.method == "reach":
            known = np.empty(len(circles), np.int64)
            run(classify_circles, made.tables, circles, known, size=len(circles))
            doubtful = np.flatnonzero(known != IS_FREE)
        near = self.nearest(circles[doubtful, POSITION])
        min_distance = circles[doubtful, RADIUS] * (1 - OVERLAP_TOL) - 8 * self.wall.band
        bad: Bools = ~near.inside | (near.distance < min_distance)
        if bad.any():
            k = int(np.argmax(bad))
            x, y = circles[doubtful[k], POSITION]
            circle = f"circle {doubtful[k]} at ({x:.6g}, {y:.6g})"
            if not near.inside[k]:
                raise ValueError(
                    f"{circle} must be inside of the corridor, but is outside; the nearest segment is "
                    f"{near.segment[k]}"
                )
            raise ValueError(
                f"{circle} must not overlap the wall: its radius is {circles[doubtful[k], RADIUS]:.6g}, but "
                f"segment {near.segment[k]} is {near.distance[k]:.6g} away"
            )


def _read_max_bounces(max_bounces: int | None) -> int | None:
    return None if max_bounces is None else min(_check.whole_number("max_bounces", max_bounces), _MAX_BOUNCES)


def _make_moved(rows: tuple[Floats, Ints], shape: tuple[int, ...], limit: int | None) -> MovedCircles:
    """The result; a warning if a circle was stopped by the default limit."""
    out, counts = rows
    if limit is None and (out[:, TIME_LEFT] > 0).any():
        k = int(np.argmax(np.where(out[:, TIME_LEFT] > 0, counts[:, BOUNCES], -1)))
        warnings.warn(
            f"circle {k} at ({out[k, PX]:.6g}, {out[k, PY]:.6g}) stands still for the last "
            f"{out[k, TIME_LEFT]:.3g} s, after {counts[k, BOUNCES]:,} bounces; MovedCircles.stopped lists "
            "such circles, max_bounces sets the limit",
            RuntimeWarning,
            stacklevel=3,
        )
    return MovedCircles(
        out[:, POSITION].reshape((*shape, 2)),
        out[:, VELOCITY].reshape((*shape, 2)),
        counts[:, BOUNCES].reshape(shape)[()],
        out[:, TIME_LEFT].reshape(shape)[()],
        counts[:, TESTS].reshape(shape)[()],
    )
