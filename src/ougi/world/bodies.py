"""The bodies of a world: kinds of one class and one sort of motion, and where they are at a moment."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np

from ougi._batch import Batch, concatenate
from ougi._typing import Bools, Floats, Ints
from ougi.impact.kernels import Motions, MovingBatch
from ougi.motion import Chain, Displacement2d, Motion, Rotation2d, Rotation3d, Screw3d
from ougi.shapes import Aabb2d, Aabb3d, Box, Mesh, Rectangle, Shape
from ougi.sweeps._engines import sweep_bounds

Key: TypeAlias = tuple[Any, ...]

# Motions about a center, at a constant rate.
_TURNING = (Displacement2d, Rotation2d, Rotation3d, Screw3d)

# Rounding of a pose, in units of the way that has been gone.
_ROUNDING = 4e-16

# What a turn covers is cheaply bounded up to this angle.
_WIDE = np.pi / 2


@dataclass(frozen=True, eq=False)
class Kind:
    """Bodies of one class whose motions are of one class, too; every field has one entry for each.

    A mesh is a kind by itself, with a single motion.
    """

    shape: Shape  # at its pose at the time `since`
    motion: Motion | None  # displacement per second; None: at rest
    since: Floats
    ids: Ints
    group: Ints
    mask: Ints

    @functools.cached_property
    def key(self) -> Key:
        """Orders kinds, however and whenever they were added; those that kernels know come first."""
        way = "" if self.motion is None else type(self.motion).__name__
        links = self.motion.angle.shape[-1] if isinstance(self.motion, Chain) else 0
        own = _content(self) if isinstance(self.shape, Mesh) else ""
        return not self.has_kernels, self.posed.__name__, not self.moves, way, links, own

    @property
    def moves(self) -> bool:
        """Do they move?"""
        return self.motion is not None

    @property
    def has_kernels(self) -> bool:
        """Do kernels answer for them? Chains and meshes are advanced."""
        return not isinstance(self.motion, Chain) and not isinstance(self.shape, Mesh)

    @property
    def posed(self) -> type[Shape]:
        """The class that they are of wherever they are: what moves is not aligned with the axes for ever."""
        turned: dict[type[Shape], type[Shape]] = {Aabb2d: Rectangle, Aabb3d: Box} if self.moves else {}
        return turned.get(type(self.shape), type(self.shape))

    def at(self, time: float) -> Shape:
        """The bodies' shapes at a time of the world's clock."""
        if self.motion is None:
            return self.shape
        return self.shape.transformed(self.motion._at(self._age(time)))

    def way(self, time: float, seconds: float) -> Motion | None:
        """What they do from a time on, for so many seconds."""
        if isinstance(self.motion, Chain):
            return self.motion.part(self._age(time), self._age(time) + seconds)
        return None if self.motion is None else self.motion.scaled(seconds)

    def _age(self, time: float) -> Floats:
        age: Floats = time - self.since
        return age[0] if isinstance(self.shape, Mesh) else age

    def covered(
        self, now: tuple[Floats, Floats], end: tuple[Floats, Floats], time: float, seconds: float
    ) -> tuple[Floats, Floats]:
        """Corners of boxes around what they cover, made of the bounds at both ends of the time.

        On a turn by an angle up to a half, a point strays from the straight way between the ends by no more
        than the height of its arc, r (1 - cos angle / 2); and by the shift along the axis, if there is any.
        """
        if isinstance(self.motion, Chain):
            start = self._age(time)
            return self.motion.path_bounds(*self.shape._bounding_sphere(), start=start, stop=start + seconds)
        lower, upper = np.minimum(now[0], end[0]), np.maximum(now[1], end[1])
        if not isinstance(self.motion, _TURNING):
            return lower, upper
        angle = np.abs(self.motion.angle) * seconds
        grow = (self._radius * (1 - np.cos(np.minimum(angle, np.pi) / 2)))[..., None]
        if isinstance(self.motion, Screw3d):
            grow = grow + np.abs(self.motion.axis * (self.motion.advance * seconds)[..., None])
        lower, upper = lower - grow, upper + grow
        wide = np.flatnonzero(angle > _WIDE)
        if len(wide):
            whole = isinstance(self.shape, Mesh)
            some = self if whole else self.taken(wide)
            path = sweep_bounds(some.at(time), some.way(time, seconds))
            where: Any = ... if whole else wide
            lower[where], upper[where] = path
        return lower, upper

    @functools.cached_property
    def reach(self) -> Any:
        """How far from the origin the points lie that their motions turn about."""
        if not isinstance(self.motion, (Chain, *_TURNING)):
            return 0.0
        centers = np.abs(self.motion.center)
        return centers.max(axis=tuple(range(self.motion.ndim, centers.ndim)))

    def gone(self, time: float) -> Any:
        """The way that their points have gone up to a time, at the pace of the first second."""
        if self.motion is None:
            return 0.0
        return self._speed * np.abs(self._age(time))

    @functools.cached_property
    def _speed(self) -> Floats:
        assert self.motion is not None
        return self.motion.speed_bound(*self.shape._bounding_sphere())

    @functools.cached_property
    def _radius(self) -> Floats:
        """The largest distance of their points from the axes about which they turn."""
        center, radius = self.shape._bounding_sphere()
        assert isinstance(self.motion, _TURNING)
        w = center - self.motion.center
        if isinstance(self.motion, Rotation3d | Screw3d):
            w = w - (w * self.motion.axis).sum(-1, keepdims=True) * self.motion.axis
        far: Floats = np.linalg.norm(w, axis=-1) + radius
        return far

    def taken(self, chosen: Bools | Ints) -> Kind:
        """Some of them."""
        rows: list[Any] = [getattr(self, field.name) for field in fields(self)]
        some: list[Any] = [None if row is None else row[chosen] for row in rows]
        return Kind(*some)

    def without(self, ids: Ints) -> Kind | None:
        """Those that have other ids; None if there are none."""
        kept = ~np.isin(self.ids, ids)
        if kept.all():
            return self
        return self.taken(kept) if kept.any() else None

    @functools.cached_property
    def rank(self) -> Ints:
        """A number for each body that depends on what it is and does, not on when it was added."""
        if isinstance(self.shape, Mesh):
            return np.zeros(1, np.int64)
        batches: list[Batch] = [self.shape] if self.motion is None else [self.shape, self.motion]
        rows = [
            getattr(batch, name).reshape((len(self.ids), -1)).T for batch in batches for name in batch._fields
        ]
        out = np.empty(len(self.ids), np.int64)
        out[np.lexsort(np.concatenate([*rows, self.since[None]]))] = np.arange(len(self.ids))
        return out


def _content(kind: Kind) -> str:
    """Tells meshes apart by what they are and do, not by when they were added."""
    mesh: Any = kind.shape
    arrays = [mesh.vertices, mesh.faces, kind.since]
    if kind.motion is not None:
        arrays += [getattr(kind.motion, name) for name in kind.motion._fields]
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def joined(kinds: list[Kind]) -> Kind:
    """One kind of several with the same key."""
    if len(kinds) == 1:
        return kinds[0]
    moves = kinds[0].motion is not None
    shape = concatenate([kind.shape for kind in kinds])
    motion = concatenate([kind.motion for kind in kinds if kind.motion is not None]) if moves else None
    rest = (
        np.concatenate([getattr(kind, name) for kind in kinds]) for name in ("since", "ids", "group", "mask")
    )
    return Kind(shape, motion, *rest)


class Bodies:
    """All bodies of a world. They are added in parts, which are joined when they are next looked at."""

    def __init__(self, kinds: tuple[Kind, ...] = ()) -> None:
        self._parts: list[Kind] = list(kinds)
        self._kinds: tuple[Kind, ...] | None = kinds

    def add(self, part: Kind) -> None:
        self._parts.append(part)
        self._kinds = None

    def remove(self, ids: Ints) -> None:
        kept = (kind.without(ids) for kind in self.kinds())
        self._parts = [kind for kind in kept if kind is not None]
        self._kinds = None

    def kinds(self) -> tuple[Kind, ...]:
        """The bodies, in an order that does not depend on when they were added."""
        if self._kinds is None:
            alike: dict[Any, list[Kind]] = {}
            for part in self._parts:
                # Each mesh stays by itself; of equal ones, the first comes first.
                own = int(part.ids[0]) if isinstance(part.shape, Mesh) else -1
                alike.setdefault((*part.key, type(part.shape).__name__, own), []).append(part)
            self._kinds = tuple(joined(alike[key]) for key in sorted(alike))
            self._parts = list(self._kinds)
        return self._kinds


class Roster:
    """What does not change while nobody comes or goes: a row for each body, kind after kind.

    `place` is a body's place in its kind. `crowd` numbers the classes that kernels know, `with_kernels` of
    them, and behind these every other kind by itself; `local` is a body's place in there.
    """

    def __init__(self, kinds: tuple[Kind, ...]) -> None:
        self.kinds = kinds
        counts = [len(kind.ids) for kind in kinds]
        none: Ints = np.empty(0, np.int64)
        self.kind = np.repeat(np.arange(len(kinds)), counts)
        self.place = np.concatenate([none, *(np.arange(count) for count in counts)])
        self.ids = np.concatenate([none, *(kind.ids for kind in kinds)])
        self.group = np.concatenate([none, *(kind.group for kind in kinds)])
        self.mask = np.concatenate([none, *(kind.mask for kind in kinds)])
        self.moves = np.repeat([kind.moves for kind in kinds], counts).astype(np.bool_)
        rank = np.concatenate([none, *(kind.rank for kind in kinds)])
        self.order = self.kind * np.int64(len(self.ids)) + rank
        self.all_meet = bool((self.group == 1).all() and (self.mask == -1).all() and self.moves.all())
        self.crowds: list[list[Kind]] = []
        for kind in kinds:
            if not (kind.has_kernels and self.crowds and self.crowds[-1][0].posed is kind.posed):
                self.crowds.append([])
            self.crowds[-1].append(kind)
        self.with_kernels = sum(crowd[0].has_kernels for crowd in self.crowds)
        sizes = [sum(len(kind.ids) for kind in crowd) for crowd in self.crowds]
        self.crowd = np.repeat(np.arange(len(sizes)), sizes)
        self.local = np.concatenate([none, *(np.arange(size) for size in sizes)])
        self.rates: list[Motions | None] = [
            Motions.join([(len(kind.ids), kind.motion) for kind in crowd]) if crowd[0].has_kernels else None
            for crowd in self.crowds
        ]


class Scene:
    """The bodies at one moment."""

    def __init__(self, roster: Roster, time: float) -> None:
        self.roster = roster
        self.time = time
        self.shapes = [kind.at(time) for kind in roster.kinds]  # of each kind
        rest = iter(self.shapes)
        self.crowds: list[Shape] = [_together([next(rest) for _ in crowd]) for crowd in roster.crowds]

    @functools.cached_property
    def bounds(self) -> list[tuple[Floats, Floats]]:
        """The bounds of each kind's bodies."""
        return [shape._bounds() for shape in self.shapes]

    def movers(self, crowd: int, seconds: float) -> MovingBatch:
        """A crowd that kernels know, and what it does in so many seconds."""
        rates = self.roster.rates[crowd]
        assert rates is not None
        return MovingBatch(self.crowds[crowd], rates.scaled(seconds))

    def covered(self, end: Scene, tol: float) -> tuple[Floats, Floats]:
        """Boxes (n, d) around all that the bodies cover until the end, and around rounding.

        A first contact is reported within `tol` of the bodies' size and distance from the axis, so the boxes
        grow by more than that, and poses are rounded by a share of the way since the bodies were added.
        """
        corners = []
        for kind, now, then in zip(self.roster.kinds, self.bounds, end.bounds, strict=True):
            lower, upper = kind.covered(now, then, self.time, end.time - self.time)
            reach = kind.reach + _largest(np.maximum(np.abs(lower), np.abs(upper)))
            grow = (8 * tol * reach + _ROUNDING * kind.gone(end.time))[..., None]
            d = lower.shape[-1]
            corners.append([(lower - grow).reshape((-1, d)), (upper + grow).reshape((-1, d))])
        low, high = zip(*corners, strict=True)
        return np.concatenate(low), np.concatenate(high)


def _largest(vectors: Floats) -> Floats:
    """The largest component of each; ten times faster than a maximum along so short an axis."""
    largest: Floats = functools.reduce(np.maximum, np.moveaxis(vectors, -1, 0))
    return largest


def _together(shapes: list[Shape]) -> Shape:
    return shapes[0] if len(shapes) == 1 else concatenate(shapes)
