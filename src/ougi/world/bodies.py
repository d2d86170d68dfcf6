"""The bodies of a world, in batches of one class and one kind of motion."""

from __future__ import annotations

import functools
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ougi._batch import Batch, concatenate
from ougi._typing import Bools, Floats, Ints
from ougi.motion import Motion, Rotation2d, Rotation3d, Screw3d, Translation2d, Translation3d
from ougi.shapes import Shape
from ougi.sweeps._engines import sweep_bounds


@dataclass(frozen=True, eq=False)
class Kind:
    """Bodies of one class whose motions are of one class, too; every field has one entry for each."""

    shape: Shape  # at its pose at the time `since`
    motion: Motion | None  # displacement per second; None: at rest
    since: Floats
    ids: Ints
    group: Ints
    mask: Ints

    @property
    def key(self) -> tuple[bool, str, str]:
        """Orders kinds, the moving ones first, however and whenever they were added."""
        moves = self.motion is not None
        return not moves, type(self.shape).__name__, type(self.motion).__name__ if moves else ""

    def at(self, time: float) -> Shape:
        """The bodies' shapes at a time of the world's clock."""
        if self.motion is None:
            return self.shape
        return self.shape.transformed(self.motion._at(time - self.since))

    def taken(self, chosen: Bools | Ints) -> Kind:
        """Some of them."""
        rows: list[Any] = [getattr(self, field.name) for field in fields(self)]
        some: list[Any] = [None if row is None else row[chosen] for row in rows]
        return Kind(*some)

    @functools.cached_property
    def rank(self) -> Ints:
        """A number for each body that depends on what it is and does, not on when it was added."""
        batches: list[Batch] = [self.shape] if self.motion is None else [self.shape, self.motion]
        rows = [
            getattr(batch, name).reshape((len(self.ids), -1)).T for batch in batches for name in batch._fields
        ]
        out = np.empty(len(self.ids), np.int64)
        out[np.lexsort(np.concatenate([*rows, self.since[None]]))] = np.arange(len(self.ids))
        return out


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
        self._parts: dict[tuple[bool, str, str], list[Kind]] = {kind.key: [kind] for kind in kinds}

    def add(self, part: Kind) -> None:
        self._parts.setdefault(part.key, []).append(part)

    def remove(self, ids: Ints) -> None:
        kept = (kind.taken(~np.isin(kind.ids, ids)) for kind in self.kinds())
        self._parts = {kind.key: [kind] for kind in kept if len(kind.ids)}

    def kinds(self) -> tuple[Kind, ...]:
        """The bodies, moving kinds first, in an order that does not depend on when they were added."""
        for key, parts in self._parts.items():
            self._parts[key] = [joined(parts)]
        return tuple(self._parts[key][0] for key in sorted(self._parts))


class Scene:
    """The bodies at one moment: a row for each, kind after kind."""

    def __init__(self, kinds: tuple[Kind, ...], time: float) -> None:
        self.kinds = kinds
        self.time = time
        self.shapes = [kind.at(time) for kind in kinds]
        counts = [len(kind.ids) for kind in kinds]
        none: Ints = np.empty(0, np.int64)
        self.kind = np.repeat(np.arange(len(kinds)), counts)
        self.local = np.concatenate([none, *(np.arange(count) for count in counts)])
        self.ids = np.concatenate([none, *(kind.ids for kind in kinds)])
        self.group = np.concatenate([none, *(kind.group for kind in kinds)])
        self.mask = np.concatenate([none, *(kind.mask for kind in kinds)])
        self.rank = np.concatenate([none, *(kind.rank for kind in kinds)])
        self.moves = np.repeat([kind.motion is not None for kind in kinds], counts).astype(np.bool_)

    def motions(self, seconds: float) -> list[Motion | None]:
        """What each kind does in so many seconds."""
        return [None if kind.motion is None else kind.motion.scaled(seconds) for kind in self.kinds]

    def bounds(self, seconds: float, tol: float) -> tuple[Floats, Floats]:
        """Boxes (n, d) around all that the bodies cover in so many seconds, and around rounding.

        A first contact is reported within `tol` of the bodies' size and distance from the axis, so the boxes
        grow by more than that.
        """
        corners = []
        for shape, motion in zip(self.shapes, self.motions(seconds), strict=True):
            lower, upper = _covered(shape, motion)
            reach = np.maximum(np.abs(lower), np.abs(upper)).max(axis=-1)
            if isinstance(motion, Rotation2d | Rotation3d | Screw3d):
                reach = reach + np.abs(motion.center).max(axis=-1)
            grow = 8 * tol * reach[..., None]
            corners.append((lower - grow, upper + grow))
        low, high = zip(*corners, strict=True)
        return np.concatenate(low), np.concatenate(high)


def _covered(shape: Shape, motion: Motion | None) -> tuple[Floats, Floats]:
    """Corners of the boxes around what shapes cover, up to rounding."""
    if isinstance(motion, Translation2d | Translation3d):
        lower, upper = shape._bounds()
        return lower + np.minimum(motion.offset, 0.0), upper + np.maximum(motion.offset, 0.0)
    return shape._bounds() if motion is None else sweep_bounds(shape, motion)
