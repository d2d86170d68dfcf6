"""`ougi verify world`: does a world report the contacts that all pairs of its bodies have?

Scenes of up to some dozens of bodies of all classes, whole cylinders among them, at rest, moving, turning and
screwing, sparse and dense, large among small, on a lattice (where many touch exactly) and far from the
origin, some of them masked; in one of twenty scenes also a mesh or two, and bodies whose motions are chains.
Every scene makes three steps. Beside it, every body is tested against every other with `time_of_impact` and
`intersects`, in both orders: where the orders differ, which only rounding makes them do, or where bodies
touch no more than rounding at the end of a step, either result is right. Where they touch no more than that
from the start of a step on, every moment up to then is right.

A case is a pair of bodies in one step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats
from ougi.motion import Chain
from ougi.shapes import Mesh, Sector3d
from ougi_lab.scenes.groups import RandomGroup, draw_groups
from ougi_lab.verify.certificates import BAND, EPS
from ougi_lab.verify.cylinder import grow
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally

# Steps that a scene makes.
_STEPS = 3

# Seconds by which times may differ: the tolerance of first contacts over a slow approach.
_TIME = 1e-5

# Moments at which bodies are compared that may touch, up to rounding, from the start of a step on.
_MOMENTS = 65


def run_ougi(groups: list[RandomGroup], seconds: list[float]) -> list[Any]:
    """The events of a world; ids count through the groups."""
    from ougi.world import World

    world = World()
    for group in groups:
        world.add(group.shape, group.motion, group=group.group, mask=group.mask)
    return [world.step(dt) for dt in seconds]


@dataclass(frozen=True)
class Worlds:
    """The subject `world` of the runner. Tests replace `query` to plant mistakes."""

    query: Callable[[list[RandomGroup], list[float]], list[Any]] = field(default=run_ougi)
    name: str = "world"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("broad", "impact", "kernels", "kernels/impact", "sweeps", "timeline", "world")

    def pairs(self) -> tuple[str, ...]:
        """Scenes of the plane and of space."""
        return "plane", "space"

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check scenes until n pairs have been tested."""
        tally = Tally()
        while tally.cases < n:
            groups = draw_groups(2 if pair == "plane" else 3, rng)
            seconds = rng.uniform(0.1, 1.0, _STEPS).tolist()
            self._scene(tally, groups, seconds)
        tally.cases = n
        return tally

    def _scene(self, tally: Tally, groups: list[RandomGroup], seconds: list[float]) -> None:
        before, start = None, 0.0
        for step, events in zip(seconds, self.query(groups, seconds), strict=True):
            truth = AllPairs(groups, start, step, before)
            tally.judge(truth.find_errors(events), truth.describe)
            tally.cases += truth.count
            tally.add_counts(truth.counts)
            before, start = truth.touching, start + step
        advanced = any(isinstance(h.motion, Chain) or isinstance(h.shape, Mesh) for h in groups)
        tally.add_counts({"scenes": 1, "with chains or meshes": int(advanced)})


@dataclass(frozen=True)
class Either:
    """A claim about all pairs (n, n), i < j: true in both orders, and true in at least one."""

    both: Bools
    one: Bools


class AllPairs:
    """What all pairs of bodies do in one step, computed one kind against another."""

    def __init__(
        self, groups: list[RandomGroup], start: float, seconds: float, before: Either | None
    ) -> None:
        self.groups = groups
        self.seconds = seconds
        self.start = start
        self.edges = np.cumsum([0, *(group.count for group in groups)])
        n = int(self.edges[-1])
        self.before = before if before is not None else Either(*np.zeros((2, n, n), np.bool_))
        self.hit = Either(np.zeros((n, n), np.bool_), np.zeros((n, n), np.bool_))
        self.touching = Either(np.zeros((n, n), np.bool_), np.zeros((n, n), np.bool_))
        self.times = np.full((2, n, n), np.nan)
        self.tested, self.at_once = np.zeros((2, n, n), np.bool_)
        for i, a in enumerate(groups):
            for j, b in list(enumerate(groups))[i:]:
                several = i < j or a.count > 1
                if several and a.group & b.mask and b.group & a.mask:
                    self._compare_groups(i, j)
        for claim in (self.hit.both, self.hit.one, self.touching.both, self.touching.one, self.tested):
            claim &= np.triu(np.ones((n, n), np.bool_), 1)
        self.count = int(self.tested.sum())
        self.counts = {
            "hits": int(self.hit.both.sum()),
            "in doubt": int((self.hit.one & ~self.hit.both).sum()),
        }

    def _compare_groups(self, i: int, j: int) -> None:
        """First contacts, and contacts at the end, of two groups: in both orders if both move."""
        from ougi import query
        from ougi.impact import time_of_impact

        groups = [self.groups[k] for k in (i, j)]
        start, end = (
            [group.poses_at(t) for group in groups] for t in (self.start, self.start + self.seconds)
        )
        motions = [group.motion_during(self.start, self.seconds) for group in groups]
        results: list[Any] = []
        touches: list[Any] = []
        for one, other in ((0, 1), (1, 0)):
            table = groups[one].count, groups[other].count
            motion, target_motion = motions[one], motions[other]
            if motion is not None:
                impact = time_of_impact(
                    _to_column(start[one]), _to_column(motion), start[other], target_motion
                )
                tables = [np.reshape(x, table) for x in (impact.status > 0, impact.t)]
                results.append([x if one == 0 else x.T for x in tables])
            elif target_motion is None:
                overlap = np.reshape(query.intersects(_to_column(start[one]), start[other]), table)
                tables = [overlap, np.where(overlap, 0.0, np.nan)]
                results.append([x if one == 0 else x.T for x in tables])
            touch = np.reshape(query.intersects(_to_column(end[one]), end[other]), table)
            touches.append(touch if one == 0 else touch.T)
        # Poses are rounded, differently in batches of other lengths: bodies that touch up to that may part.
        doubtful = np.reshape(
            _is_just_touching(_to_column(end[0]), end[1], _bound_rounding(*end)), touches[0].shape
        )
        where = np.ix_(*(range(self.edges[k], self.edges[k + 1]) for k in (i, j)))
        self.tested[where] = True
        for claim, found in ((self.hit, [a[0] for a in results]), (self.touching, touches)):
            claim.both[where] = np.logical_and.reduce(found)
            claim.one[where] = np.logical_or.reduce(found)
        for claim in (self.touching, self.hit) if motions == [None, None] else (self.touching,):
            claim.both[where] &= ~doubtful
            claim.one[where] |= doubtful
        # The same holds when the step begins: a contact at once is right there, and none as well.
        at_once = np.reshape(
            _is_just_touching(_to_column(start[0]), start[1], _bound_rounding(*start)), touches[0].shape
        )
        self.at_once[where] = at_once
        self.hit.both[where] &= ~at_once
        self.hit.one[where] |= at_once
        times = [np.where(at_once, np.nan_to_num(a[1]), a[1]) for a in results]
        self.times[0][where] = np.where(at_once, 0.0, np.fmin.reduce(times))
        self.times[1][where] = np.fmax.reduce(times)

    def find_errors(self, events: Any) -> dict[str, Floats]:
        """By check, above 1 where a world with these events is wrong; one entry for each pair."""
        n = len(self.tested)
        reported = np.zeros((3, n, n), np.bool_)
        reported[events.state, events.pair[:, 0], events.pair[:, 1]] = True
        time = np.full((n, n), np.nan)
        new = events.began
        time[new.pair[:, 0], new.pair[:, 1]] = (new.time - self.start) / self.seconds
        began, lasts, ended = reported
        hit = began | lasts
        allowed = _TIME / self.seconds
        late = ~((time >= self.times[0] - allowed) & (time <= self.times[1] + allowed)) & began
        # A contact of thin bodies that pass through each other may be lost by the rounding of another pose.
        false = hit & ~self.hit.one
        for i, j in np.argwhere(false & began).tolist():
            if self._is_touching_at(i, j, time[i, j]):
                false[i, j] = late[i, j] = False
        for i, j in np.argwhere(late & self.at_once).tolist():
            late[i, j] = not self._keeps_touching(i, j, time[i, j])
        wrong = {
            "missed": self.hit.both & ~hit,
            "false": false,
            "state": (began & self.before.both) | (lasts & ~self.before.one) | (began & lasts),
            "ended": ended & ~((hit | self.before.one) & ~self.touching.both),
            "not ended": ~ended & (hit | self.before.both) & ~self.touching.one & self.tested,
            "time": late,
            "twice": np.full((n, n), len(events.pair) != reported.sum()),
        }
        upper = np.triu_indices(n, 1)
        return {name: np.where(bad[upper], NONFINITE_ERROR, 0.0) for name, bad in wrong.items()}

    def _keeps_touching(self, i: int, j: int, share: float) -> bool:
        """Do two bodies touch, up to rounding, from the start of the step up to a share of it?

        If they turn about a corner that they share, rounding decides at which moment they begin to touch.
        """
        moments = np.linspace(0.0, share, _MOMENTS)
        return all(self._is_touching_at(i, j, moment) for moment in moments)

    def _is_touching_at(self, i: int, j: int, share: float) -> bool:
        """Do two bodies touch, up to rounding, at a share of the step?"""
        time = self.start + share * self.seconds
        a, b = (
            shape if motion is None else shape.transformed(motion.at(time))
            for shape, motion in (self._get_body(i), self._get_body(j))
        )
        return bool(np.all(_is_just_touching(a, b, _bound_rounding(a, b))))

    def _get_body(self, k: int) -> tuple[Any, Any]:
        """A body and its motion."""
        kind = int(np.searchsorted(self.edges, k, side="right")) - 1
        return self.groups[kind].body(k - int(self.edges[kind]))

    def describe(self, case: int) -> dict[str, Any]:
        """A pair of the scene."""
        i, j = (int(k[case]) for k in np.triu_indices(len(self.tested), 1))
        bodies = self._get_body(i), self._get_body(j)
        return {
            "a": repr(bodies[0][0]),
            "b": repr(bodies[1][0]),
            "question": f"motions {bodies[0][1]!r}, {bodies[1][1]!r} from {self.start} for {self.seconds}",
        }


def _bound_rounding(a: Any, b: Any) -> float:
    """By how much the poses of these bodies may be off: some ulp of their largest coordinate."""
    corners = [np.abs(x).max() for shape in (a, b) for x in shape._bounds()]
    return float(BAND * EPS * max(corners))


def _is_just_touching(a: Any, b: Any, rounding: float) -> Bools:
    """Where the surfaces are as near as that. Cylinders have no distance from most others, but they grow."""
    from ougi import query

    for cylinder, other in ((a, b), (b, a)):
        if isinstance(cylinder, Sector3d):
            by = np.full(cylinder.shape, rounding)
            more, less = (query.intersects(grow(cylinder, x), other) for x in (by, -by))
            return more & ~less
    near: Bools = np.abs(query.distance(a, b)) <= rounding
    return near


def _to_column(batch: Any) -> Any:
    """A batch against all of another one; a mesh and its motion are single."""
    return batch[:, None] if batch.shape else batch
