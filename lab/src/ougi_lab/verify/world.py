"""`ougi verify world`: does a world tell the contacts that all pairs of its bodies have?

Scenes of up to some dozens of bodies of all classes, whole cylinders among them, at rest, moving, turning and
screwing, sparse and dense, large among small, on a lattice (where many touch exactly) and far from the
origin, some of them masked; in one of twenty scenes also a mesh or two, and bodies whose motions are chains.
Every scene makes three steps. Beside it, every body is asked about every other with `time_of_impact` and
`intersects`, in both orders: where the orders differ, which only rounding makes them do, or where bodies
touch no more than rounding at the end of a step, either will serve.

A case is a pair of bodies in one step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats
from ougi.motion import Chain, Motion, Pose, Rotation2d, Rotation3d, Screw3d, Translation2d, Translation3d
from ougi.shapes import Mesh, Sector3d, Shape
from ougi_lab.scenes.pairs import CLASSES, rotation_3d
from ougi_lab.verify.certificates import BAND, EPS
from ougi_lab.verify.cylinder import grown
from ougi_lab.verify.mesh import small_mesh
from ougi_lab.verify.tally import HOPELESS, Tally

# Bodies of one kind, kinds of bodies in a scene, and steps that a scene makes.
_MOST = 6
_KINDS = 5
_STEPS = 3

# Share of the scenes that have chains and meshes, which take a hundred times longer to ask about; how many
# other kinds of bodies are in these; and sections of the meshes.
_ADVANCED = 0.05
_OTHERS = 3
_SECTIONS = 6

# Seconds by which times may differ: the tolerance of first contacts over a slow approach.
_TIME = 1e-5


@dataclass(frozen=True)
class Herd:
    """Bodies of one class whose motions, per second, are of one class, too."""

    shape: Shape
    motion: Motion | None
    group: int
    mask: int

    @property
    def count(self) -> int:
        """How many; a mesh is one."""
        return self.shape.count

    def body(self, k: int) -> tuple[Any, Any]:
        """One of them, and its motion."""
        if isinstance(self.shape, Mesh):
            return self.shape, self.motion
        return self.shape[k], None if self.motion is None else self.motion[k]

    def posed(self, time: float) -> Any:
        """Their shapes at a time."""
        return self.shape if self.motion is None else self.shape.transformed(self.motion.at(time))

    def way(self, start: float, seconds: float) -> Motion | None:
        """What they do in a step."""
        return None if self.motion is None else self.motion.part(start, start + seconds)


def told(herds: list[Herd], seconds: list[float]) -> list[Any]:
    """The events of a world; ids count through the herds."""
    from ougi.world import World

    world = World()
    for herd in herds:
        world.add(herd.shape, herd.motion, group=herd.group, mask=herd.mask)
    return [world.step(dt) for dt in seconds]


@dataclass(frozen=True)
class Worlds:
    """The subject `world` for the runner. `answer` is what is examined; tests plant mistakes there."""

    answer: Callable[[list[Herd], list[float]], list[Any]] = field(default=told)
    name: str = "world"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("broad", "impact", "kernels", "sweeps", "world")

    def pairs(self) -> tuple[str, ...]:
        """Scenes of the plane and of space."""
        return "plane", "space"

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check scenes until n pairs have been looked at."""
        tally = Tally()
        while tally.cases < n:
            herds = random_herds(2 if pair == "plane" else 3, rng)
            seconds = rng.uniform(0.1, 1.0, _STEPS).tolist()
            self._scene(tally, herds, seconds)
        tally.cases = n
        return tally

    def _scene(self, tally: Tally, herds: list[Herd], seconds: list[float]) -> None:
        before, start = None, 0.0
        for step, events in zip(seconds, self.answer(herds, seconds), strict=True):
            truth = AllPairs(herds, start, step, before)
            first = tally.judge(truth.errors(events))
            if first is not None and tally.first is None:
                tally.first = truth.described(first)
            tally.cases += truth.count
            for name, value in truth.counts.items():
                tally.counts[name] = tally.counts.get(name, 0) + value
            before, start = truth.touching, start + step
        advanced = any(isinstance(h.motion, Chain) or isinstance(h.shape, Mesh) for h in herds)
        for name, value in (("scenes", 1), ("with chains or meshes", int(advanced))):
            tally.counts[name] = tally.counts.get(name, 0) + value


@dataclass(frozen=True)
class Either:
    """A claim about all pairs (n, n), i < j: what both orders say, and what at least one says."""

    both: Bools
    one: Bools


class AllPairs:
    """What all pairs of bodies do in one step, asked one kind against another."""

    def __init__(self, herds: list[Herd], start: float, seconds: float, before: Either | None) -> None:
        self.herds = herds
        self.seconds = seconds
        self.start = start
        self.edges = np.cumsum([0, *(herd.count for herd in herds)])
        n = int(self.edges[-1])
        self.before = before if before is not None else Either(*np.zeros((2, n, n), np.bool_))
        self.hit = Either(np.zeros((n, n), np.bool_), np.zeros((n, n), np.bool_))
        self.touching = Either(np.zeros((n, n), np.bool_), np.zeros((n, n), np.bool_))
        self.times = np.full((2, n, n), np.nan)
        self.tested = np.zeros((n, n), np.bool_)
        for i, a in enumerate(herds):
            for j, b in list(enumerate(herds))[i:]:
                moves = a.motion is not None or b.motion is not None
                several = i < j or a.count > 1
                if moves and several and a.group & b.mask and b.group & a.mask:
                    self._ask(i, j)
        for claim in (self.hit.both, self.hit.one, self.touching.both, self.touching.one, self.tested):
            claim &= np.triu(np.ones((n, n), np.bool_), 1)
        self.count = int(self.tested.sum())
        self.counts = {
            "hits": int(self.hit.both.sum()),
            "in doubt": int((self.hit.one & ~self.hit.both).sum()),
        }

    def _ask(self, i: int, j: int) -> None:
        """First contacts, and contacts at the end, of two herds: in both orders if both move."""
        from ougi import query
        from ougi.impact import time_of_impact

        herds = [self.herds[k] for k in (i, j)]
        start, end = ([herd.posed(t) for herd in herds] for t in (self.start, self.start + self.seconds))
        ways = [herd.way(self.start, self.seconds) for herd in herds]
        answers: list[Any] = []
        touches: list[Any] = []
        for one, other in ((0, 1), (1, 0)):
            table = herds[one].count, herds[other].count
            way, aim = ways[one], ways[other]
            if way is not None:
                impact = time_of_impact(_upright(start[one]), _upright(way), start[other], aim)
                told = [np.reshape(x, table) for x in (impact.status > 0, impact.t)]
                answers.append([x if one == 0 else x.T for x in told])
            touch = np.reshape(query.intersects(_upright(end[one]), end[other]), table)
            touches.append(touch if one == 0 else touch.T)
        # Poses are rounded, differently in batches of other lengths: bodies that touch up to that may part.
        doubtful = np.reshape(_just_touch(_upright(end[0]), end[1], _rounding(*end)), touches[0].shape)
        where = np.ix_(*(range(self.edges[k], self.edges[k + 1]) for k in (i, j)))
        self.tested[where] = True
        for claim, found in ((self.hit, [a[0] for a in answers]), (self.touching, touches)):
            claim.both[where] = np.logical_and.reduce(found)
            claim.one[where] = np.logical_or.reduce(found)
        self.touching.both[where] &= ~doubtful
        self.touching.one[where] |= doubtful
        self.times[0][where] = np.fmin.reduce([a[1] for a in answers])
        self.times[1][where] = np.fmax.reduce([a[1] for a in answers])

    def errors(self, events: Any) -> dict[str, Floats]:
        """By check, above 1 where a world that tells these events is wrong; one entry for each pair."""
        n = len(self.tested)
        told = np.zeros((3, n, n), np.bool_)
        told[events.state, events.pair[:, 0], events.pair[:, 1]] = True
        time = np.full((n, n), np.nan)
        began = events.began
        time[began.pair[:, 0], began.pair[:, 1]] = (began.time - self.start) / self.seconds
        hit = told[0] | told[1]
        room = _TIME / self.seconds
        late = ~((time >= self.times[0] - room) & (time <= self.times[1] + room)) & told[0]
        wrong = {
            "missed": self.hit.both & ~hit,
            "false": hit & ~self.hit.one,
            "state": (told[0] & self.before.both) | (told[1] & ~self.before.one) | (told[0] & told[1]),
            "ended": told[2] & ~((hit | self.before.one) & ~self.touching.both),
            "not ended": ~told[2] & (hit | self.before.both) & ~self.touching.one & self.tested,
            "time": late,
            "twice": np.full((n, n), len(events.pair) != told.sum()),
        }
        upper = np.triu_indices(n, 1)
        return {name: np.where(bad[upper], HOPELESS, 0.0) for name, bad in wrong.items()}

    def described(self, case: int) -> dict[str, Any]:
        """Where to look: a pair of the scene."""
        i, j = (int(k[case]) for k in np.triu_indices(len(self.tested), 1))
        bodies = []
        for k in (i, j):
            kind = int(np.searchsorted(self.edges, k, side="right")) - 1
            bodies.append(self.herds[kind].body(k - int(self.edges[kind])))
        return {
            "index": case,
            "check": "world",
            "error": HOPELESS,
            "signed": 0.0,
            "a": repr(bodies[0][0]),
            "b": repr(bodies[1][0]),
            "question": f"motions {bodies[0][1]!r}, {bodies[1][1]!r} from {self.start} for {self.seconds}",
        }


def _rounding(a: Any, b: Any) -> float:
    """By how much the poses of these bodies may be off: some ulp of their largest coordinate."""
    corners = [np.abs(x).max() for shape in (a, b) for x in shape._bounds()]
    return float(BAND * EPS * max(corners))


def _just_touch(a: Any, b: Any, rounding: float) -> Bools:
    """Where the surfaces are as near as that. Cylinders have no distance from most others, but they grow."""
    from ougi import query

    for cylinder, other in ((a, b), (b, a)):
        if isinstance(cylinder, Sector3d):
            by = np.full(cylinder.shape, rounding)
            more, less = (query.intersects(grown(cylinder, x), other) for x in (by, -by))
            return more & ~less
    near: Bools = np.abs(query.distance(a, b)) <= rounding
    return near


def _upright(batch: Any) -> Any:
    """A batch against all of another one; a mesh and its motion are single."""
    return batch[:, None] if batch.shape else batch


def random_herds(dimension: int, rng: np.random.Generator) -> list[Herd]:
    """A scene: several kinds of bodies, in a space that makes it sparse or dense."""
    room = 10 ** rng.uniform(0, 2.4 / dimension)
    far = rng.choice([0.0, 0.0, 0.0, 1e6])
    lattice = rng.random() < 0.2
    classes = [
        *(cls for cls in CLASSES if cls.dimension == dimension),
        *([Sector3d] if dimension == 3 else []),
    ]
    herds = []
    for _ in range(int(rng.integers(1, _KINDS + 1))):
        cls, n = classes[int(rng.integers(len(classes)))], int(rng.integers(1, _MOST + 1))
        at = rng.uniform(-room, room, (n, dimension))
        size = 10 ** rng.uniform(-1.5, 0.3, (n, dimension))
        if lattice:
            at, size = np.round(at), np.maximum(np.round(size), 0.5)
        at = at + far
        shape = _shape(cls, at, size, rng)
        groups = (1, -1) if rng.random() < 0.8 else (int(rng.integers(1, 4)), int(rng.integers(1, 4)))
        herds.append(Herd(shape, _motion(at, room, lattice, rng), *groups))
    if far or rng.random() >= _ADVANCED:
        return herds
    herds = [*herds[:_OTHERS], _linked(dimension, room, rng)]
    if dimension == 3:
        herds.extend(_mesh(room, rng) for _ in range(int(rng.integers(1, 3))))
    return herds


def _linked(dimension: int, room: float, rng: np.random.Generator) -> Herd:
    """Bodies whose motions are chains of two or three."""
    classes = [cls for cls in CLASSES if cls.dimension == dimension]
    n = int(rng.integers(1, _MOST))
    at = rng.uniform(-room, room, (n, dimension))
    shape = _shape(classes[int(rng.integers(len(classes)))], at, 10 ** rng.uniform(-1, 0, at.shape), rng)
    return Herd(shape, _chain(at, room, rng), 1, -1)


def _chain(at: Floats, room: float, rng: np.random.Generator) -> Chain:
    n, dimension = at.shape
    factors: list[Motion] = []
    for _ in range(int(rng.integers(2, 4))):
        center = at + rng.normal(size=at.shape)
        angle, shift = rng.uniform(-2, 2, n), rng.uniform(-room, room, at.shape) / 2
        if rng.random() < 0.3:
            factors.append(Translation2d(shift) if dimension == 2 else Translation3d(shift))
        elif dimension == 2:
            factors.append(Rotation2d(center, angle))
        else:
            factors.append(Screw3d(center, rng.normal(size=(n, 3)), angle, shift[:, 0]))
    return Chain(*factors)


def _mesh(room: float, rng: np.random.Generator) -> Herd:
    """A mesh, at rest, moving as other bodies do, or by a chain."""
    at = rng.uniform(-room, room, (1, 3))
    shape = small_mesh(rng, _SECTIONS).transformed(Pose(at[0]))
    motion: Any = _chain(at, room, rng) if rng.random() < 0.3 else _motion(at, room, False, rng)
    return Herd(shape, None if motion is None else motion.reshape(()), 1, -1)


def _shape(cls: type[Shape], at: Floats, size: Floats, rng: np.random.Generator) -> Any:
    """Bodies of a class: centers and sizes are what its fields are made of."""
    n = len(at)
    built: dict[str, Any] = {
        "position": at, "center": at, "size": size, "radius": size[:, 0] / 2, "start": at, "end": at + size,
        "a": at, "b": at + size, "c": at - size[:, ::-1] / 2, "lower": at, "upper": at + size,
        "angle": rng.uniform(-4, 4, n), "rotation": rotation_3d(rng.normal(size=(n, 4))),
        "axis": rng.normal(size=(n, 3)), "direction": rng.normal(size=(n, 3)), "half_angle": np.pi,
        "inner_radius": 0.0, "outer_radius": size[:, 0] / 2, "half_height": size[:, -1] / 2,
    }  # fmt: skip
    return cls(**{name: built[name] for name in cls._fields})


def _motion(at: Floats, room: float, lattice: bool, rng: np.random.Generator) -> Motion | None:
    """At rest, straight, turning about near or far points, or a screw."""
    n, dimension = at.shape
    shift = rng.uniform(-room, room, at.shape)
    if lattice:
        shift = np.round(shift)
    angle = rng.choice([0.5, 4.0, 20.0]) * rng.uniform(-1, 1, n)
    center = at + rng.choice([0.0, 1.0, room]) * rng.normal(size=at.shape)
    axis = rng.normal(size=(n, 3))
    kind = rng.integers(0, 3 if dimension == 2 else 4)
    if kind == 0:
        return None
    if dimension == 2:
        return Translation2d(shift) if kind == 1 else Rotation2d(center, angle)
    if kind == 1:
        return Translation3d(shift)
    return Rotation3d(center, axis, angle) if kind == 2 else Screw3d(center, axis, angle, shift[:, 0])
