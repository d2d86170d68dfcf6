"""Several motions at once: a joint upon a joint, a turning part on a moving parent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion.pose import Pose
from ougi.motion.screws import Screws, compose_poses, embed_points
from ougi.motion.steady import Displacement2d, Motion, Rotation2d, Screw3d, Translation2d, _scale_rate


class Chain(Motion):
    """Motions at the same time, each in the frame that those before it move (parents first).

    The pose at t is the product of the factors' poses at t. Every factor is given in world coordinates, where
    its axis lies at t = 0: so the joints of an arm are written down as the arm stands at the start (the
    product of exponentials of Brockett, 1984). A chain is no screw and has no constant rates, but
    `speed_bound` holds for every point; `ougi.time_of_impact` needs nothing else.

    Parameters
    ----------
    motions
        One or more motions of one dimension, parent first; batches broadcast. Chains among them are opened.

    Attributes
    ----------
    factors
        The motions as Screw3d; in the plane as Rotation2d or Translation2d, or as Displacement2d where a
        factor turns some bodies of a batch and moves others.

    >>> import math, ougi
    >>> shoulder = ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi / 2)
    >>> elbow = ougi.Rotation3d([1, 0, 0], [0, 0, 1], math.pi / 2)
    >>> arm = ougi.Chain(shoulder, elbow)
    >>> arm.at([0, 1]).apply([2, 0, 0]).round(12).tolist()
    [[2.0, 0.0, 0.0], [-1.0, 1.0, 0.0]]
    """

    layouts: ClassVar[tuple[str, ...]] = ()
    _fields: ClassVar[dict[str, tuple[int, ...]]] = {"center": (-1, -1), "angle": (-1,)}

    def __init__(self, *motions: Motion) -> None:
        if not motions:
            raise ValueError("a Chain needs at least one motion")
        for i, motion in enumerate(motions):
            if not isinstance(motion, Motion):
                raise TypeError(f"a Chain is made of motions, got {type(motion).__name__} at index {i}")
            if motion.dimension != motions[0].dimension:
                raise ValueError(
                    f"the motions of a Chain must be of one dimension, got a {motions[0].dimension}-D "
                    f"{type(motions[0]).__name__} and, at index {i}, a {motion.dimension}-D "
                    f"{type(motion).__name__}"
                )
        batch = _check.broadcast_shape(**{f"motion {i}": m.shape for i, m in enumerate(motions)})
        parts = [motion._screws() for motion in motions]
        values = {
            name: np.concatenate(
                [_broadcast_field(getattr(part, name), part, batch) for part in parts], len(batch)
            )
            for name in Screws._fields
        }
        self._put(batch, values if motions[0].dimension == 3 else _to_planar(values))

    @property
    def dimension(self) -> int:  # type: ignore[override]
        """2 or 3."""
        return 3 if "axis" in self._fields else 2

    @property
    def factors(self) -> tuple[Motion, ...]:
        """The motions that the chain is made of, parent first."""
        return tuple(self._factors())

    center: Floats
    angle: Floats

    def _factors(self) -> Iterator[Motion]:
        for i in range(self.angle.shape[-1]):
            center, angle = self.center[..., i, :], self.angle[..., i]
            if self.dimension == 3:
                axis, advance = self.__dict__["axis"][..., i, :], self.__dict__["advance"][..., i]
                values = {"center": center, "axis": axis, "angle": angle, "advance": advance}
                yield Screw3d._from_fields(self.shape, values)
                continue
            offset = self.__dict__["offset"][..., i, :]
            if offset.any() and angle.any():
                yield Displacement2d(center, angle, offset)
                continue
            yield Translation2d(offset) if offset.any() else Rotation2d(center, angle)

    def _put(self, shape: tuple[int, ...], values: dict[str, Floats]) -> None:
        # The fields' component shapes depend on dimension and number of factors, hence per object.
        self.__dict__["_fields"] = {name: value.shape[len(shape) :] for name, value in values.items()}
        super()._put(shape, values)

    def inverse(self) -> Chain:
        """The motion that undoes this one: the factors' inverses, in the opposite order."""
        values = {
            name: getattr(self, name)[(..., *_reverse_index(tail))] for name, tail in self._fields.items()
        }
        return self._from_fields(self.shape, values)._times(np.array(-1.0))

    def scaled(self, factor: ArrayLike) -> Chain:
        """The same motion continued to t = `factor`; factors broadcast against the batch.

        >>> import ougi
        >>> turn, move = ougi.Rotation2d([1, 0], 0.5), ougi.Translation2d([4, 0])
        >>> half = ougi.Chain(move, turn).scaled(0.5)
        >>> half.at(1) == ougi.Chain(move, turn).at(0.5)
        True
        """
        return self._times(_check.array("factor", factor))

    def part(self, start: ArrayLike, stop: ArrayLike) -> Chain:
        """See `Motion.part`: every axis lies where the motions before it have moved it at `start`."""
        first, last = _check.array("start", start), _check.array("stop", stop)
        _check.broadcast_shape(motion=self.shape, start=first.shape, stop=last.shape)
        factors = self._factors()
        held: list[Motion] = []
        pose = Pose(np.zeros(self.dimension))
        for factor in factors:
            held.append(factor._placed(pose))
            pose = pose @ factor._at(first)
        return Chain(*held)._times(last - first)

    def _placed(self, pose: Pose) -> Chain:
        return Chain(*(factor._placed(pose) for factor in self._factors()))

    def _times(self, by: Floats) -> Chain:
        batch = _check.broadcast_shape(motion=self.shape, factor=by.shape)
        values = {
            name: np.broadcast_to(getattr(self, name), batch + self._fields[name]) for name in self._fields
        }
        for name in {"offset", "angle", "advance"} & values.keys():
            factor = by.reshape(by.shape + (1,) * len(self._fields[name]))
            values[name] = _scale_rate(name, values[name], factor)
        return self._from_fields(batch, values)

    def _at(self, t: Floats) -> Pose:
        position, rotation = compose_poses(self._screws(), t)
        d = self.dimension
        return Pose._of(position[..., :d], rotation[..., :d, :d])

    def _screws(self) -> Screws:
        if self.dimension == 3:
            return Screws(*(getattr(self, name) for name in Screws._fields))
        offset = embed_points(self.__dict__["offset"])
        length = np.linalg.norm(offset, axis=-1)
        straight = (length > 0)[..., None]
        axis = np.where(straight, offset / np.where(straight, length[..., None], 1.0), [0.0, 0.0, 1.0])
        return Screws(embed_points(self.center), axis, self.angle, length)

    def __repr__(self) -> str:
        if self.shape:
            return f"<Chain of {len(self.factors)} motions, batch of shape {self.shape}>"
        return f"Chain({', '.join(map(repr, self.factors))})"


def _broadcast_field(field: Floats, part: Screws, batch: tuple[int, ...]) -> Floats:
    """A field of screws in the chain's batch shape."""
    tail = field.shape[part.angle.ndim - 1 :]
    return np.broadcast_to(field, batch + tail)


def _to_planar(values: dict[str, Floats]) -> dict[str, Floats]:
    """Screws of flat bodies as turns and offsets in the plane."""
    offset = (values["advance"][..., None] * values["axis"])[..., :2]
    sense = np.where(values["axis"][..., 2] < 0, -1.0, 1.0)
    return {"center": values["center"][..., :2], "angle": sense * values["angle"], "offset": offset}


def _reverse_index(tail: tuple[int, ...]) -> tuple[slice, ...]:
    """An index of a field's component axes that turns the order of the factors round."""
    return (slice(None, None, -1), *(slice(None),) * (len(tail) - 1))
