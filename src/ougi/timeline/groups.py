"""Groups of bodies that are handled alike: one class of shape, one class of motion."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from ougi._batch import concatenate
from ougi._typing import Bools, DynamicBatch, FloatLike, Floats, Index, Ints
from ougi.impact.engine import has_kernel
from ougi.impact.hulls import has_hull
from ougi.motion import Chain, Motion, Pose
from ougi.shapes import Circle, HalfSpace, Mesh, Shape, Sphere


@dataclass(frozen=True, eq=False)
class BodyGroup:
    """Spans of bodies; every field has one entry for each. A mesh, which has no batches, is a single shape.

    Attributes
    ----------
    shape
        Where it stands when its span begins, or, with a `pose`, before that pose is applied.
    motion
        From the beginning of the span to its end; None for a rest. A world carries motions on beyond the end.
    start, length
        (n,), seconds; lengths are positive.
    body
        (n,), ids.
    group, mask
        (n,), sets of bits: which groups a body belongs to, and which ones it can touch.
    """

    shape: Shape
    motion: Motion | None
    start: Floats
    length: Floats
    body: Ints
    group: Ints
    mask: Ints
    pose: Pose | None = None

    def __len__(self) -> int:
        return len(self.body)

    @property
    def is_mesh(self) -> bool:
        """Is it spans of one mesh?"""
        return isinstance(self.shape, Mesh)

    @functools.cached_property
    def has_kernel(self) -> bool:
        """Do kernels know its shapes and motions?"""
        return has_kernel(self.shape, self.motion)

    @functools.cached_property
    def has_hull(self) -> bool:
        """Can its bodies be laid out as moving hulls?"""
        return has_hull(self.shape, self.motion)

    @functools.cached_property
    def key(self) -> tuple[object, ...]:
        """Orders groups by what they are; those with kernels come first. Equal keys can be joined."""
        motion = type(self.motion).__name__
        links = len(self.motion.factors) if isinstance(self.motion, Chain) else 0
        content = _digest(self) if self.is_mesh else ""
        own = int(self.body[0]) if self.is_mesh else -1
        return not self.has_kernel, type(self.shape).__name__, motion, links, content, own

    @functools.cached_property
    def hull(self) -> DynamicBatch:
        """(n,), shapes that kernels know and that hold the bodies when their spans begin."""
        hull: DynamicBatch = self.shape
        if isinstance(hull, HalfSpace):  # a point of its surface stands for it, and its boxes are infinite
            ball = Circle if hull.dimension == 2 else Sphere
            fields = {"center": hull._bounding_sphere()[0], "radius": np.zeros(hull.shape)}
            hull = ball._from_fields(hull.shape, fields)
        elif not has_kernel(self.shape, None):
            hull = self.shape.bounds()._turnable()
        if self.is_mesh:
            hull = hull._from_fields((len(self),), {name: getattr(hull, name) for name in hull._fields})
        return hull if self.pose is None else hull.transformed(self.pose)

    @functools.cached_property
    def speed(self) -> Floats:
        """(n,), bounds of the speeds of all points, per second."""
        if self.motion is None:
            return np.zeros(len(self))
        if isinstance(self.shape, HalfSpace) and np.any(getattr(self.motion, "angle", 0.0)):
            return np.full(len(self), np.inf)
        return np.asarray(self.motion.speed_bound(*self.hull._bounding_sphere()) / self.length)

    def during(self, rows: Index, start: FloatLike, seconds: FloatLike) -> tuple[Shape, Motion | None]:
        """Shapes of spans at `start`, and their motions in the seconds that follow.

        Rows and times are arrays, or single ones; for a mesh all rows are one span at one time.
        """
        if self.is_mesh and np.ndim(rows):
            rows, start, seconds = (np.ravel(x)[0] for x in (rows, start, seconds))
        shape: DynamicBatch = self.shape if self.is_mesh else self.shape[rows]
        pose = None if self.pose is None else self.pose[rows]
        if self.motion is None:
            return shape if pose is None else shape.transformed(pose), None
        motion: DynamicBatch = self.motion[rows]
        first, step = (start - self.start[rows]) / self.length[rows], seconds / self.length[rows]
        here = motion._at(np.asarray(first))
        shape = shape.transformed(here if pose is None else here @ pose)
        return shape, motion.part(first, first + step) if isinstance(motion, Chain) else motion.scaled(step)

    def path_bounds(self, start: FloatLike, seconds: FloatLike) -> tuple[Floats, Floats]:
        """Corners of boxes that bodies on chains do not leave."""
        assert self.motion is not None
        first, step = (start - self.start) / self.length, seconds / self.length
        return self.motion.path_bounds(*self.hull._bounding_sphere(), start=first, stop=first + step)

    def open_bounds(self, start: FloatLike, seconds: FloatLike) -> tuple[Floats, Floats]:
        """Corners of boxes around half-spaces on their paths. Finite sides need resting normals."""
        rows = np.arange(len(self))
        ends = [
            self.during(rows, np.broadcast_to(time, rows.shape), np.zeros(rows.shape))[0]._bounds()
            for time in (start, np.add(start, seconds))
        ]
        lower, upper = np.minimum(ends[0][0], ends[1][0]), np.maximum(ends[0][1], ends[1][1])
        # No engine knows a half-space on a chain, so its bounds need not be tight.
        angle = 1.0 if isinstance(self.motion, Chain) else getattr(self.motion, "angle", 0.0)
        turning = np.broadcast_to(np.asarray(angle) != 0, rows.shape)[:, None]
        return np.where(turning, -np.inf, lower), np.where(turning, np.inf, upper)

    def take(self, index: Index) -> BodyGroup:
        """A subset of the spans."""
        values: dict[str, DynamicBatch] = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, value in values.items():
            values[name] = value if value is None or isinstance(value, Mesh) else value[index]
        return BodyGroup(**values)

    def exclude(self, bodies: Ints) -> BodyGroup | None:
        """The spans of all other bodies; None if there are none."""
        others: Bools = ~np.isin(self.body, bodies)
        if others.all():
            return self
        return self.take(np.flatnonzero(others)) if others.any() else None


def _digest(group: BodyGroup) -> str:
    """Equal for equal meshes with equal motions, whenever they were added."""
    mesh: DynamicBatch = group.shape
    arrays = [mesh.vertices, mesh.faces, group.start]
    if group.motion is not None:
        arrays += [getattr(group.motion, name) for name in group.motion._fields]
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def join_groups(parts: Sequence[BodyGroup]) -> tuple[BodyGroup, ...]:
    """Groups with equal keys as one each, in an order that depends on what they are."""
    alike: dict[tuple[object, ...], list[BodyGroup]] = {}
    for part in parts:
        alike.setdefault(part.key, []).append(part)
    return tuple(_concatenate(alike[key]) for key in sorted(alike))


def _concatenate(parts: list[BodyGroup]) -> BodyGroup:
    if len(parts) == 1:
        return parts[0]
    columns: dict[str, list[DynamicBatch]] = {
        f.name: [getattr(part, f.name) for part in parts] for f in fields(parts[0])
    }
    joined: dict[str, DynamicBatch] = {}
    for name, values in columns.items():
        is_array = isinstance(values[0], np.ndarray)
        joined[name] = None if values[0] is None else (np.concatenate if is_array else concatenate)(values)
    return BodyGroup(**joined)
