"""Boxes of configurations: how much of them is certified free, and how much collides."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ougi._typing import ArrayLike, Floats, Ints
from ougi.kernels.robot.constants import OPEN, PROVEN, TOUCHING

# Boxes that are checked together.
BATCH = 4096


@dataclass(frozen=True)
class RobotEnvelope:
    """What is known of a box of configurations.

    Attributes
    ----------
    lower, upper
        (dof,), the box.
    free, colliding, unknown
        Shares of its volume, which add up to 1: certified free, certified colliding everywhere, and not
        decided. Joints whose range is zero do not count.
    boxes
        How many boxes were checked.
    open_lower, open_upper
        (n, dof), the boxes that are not decided, the largest first. Give the result to `Robot.certify` to go
        on with them.
    witness
        (dof,), a configuration that collides, or None if none was met.
    digest
        A digest of the robot, the obstacles and the margin.

    >>> import ougi, pathlib
    >>> _ = pathlib.Path("hoist.urdf").write_text('''<robot name="hoist">
    ...   <link name="rail"/><link name="hook"><collision>
    ...     <geometry><sphere radius="1"/></geometry></collision></link>
    ...   <joint name="x" type="prismatic"><parent link="rail"/><child link="hook"/></joint></robot>''')
    >>> hoist = ougi.Robot.load("hoist.urdf")
    >>> found = hoist.certify([-4], [4], ougi.Sphere([5, 0, 0], 1), max_boxes=100)
    >>> found.is_free, round(found.free, 3), round(found.colliding, 3)
    (False, 0.875, 0.125)
    """

    lower: Floats
    upper: Floats
    free: float
    colliding: float
    unknown: float
    boxes: int
    open_lower: Floats = field(repr=False)
    open_upper: Floats = field(repr=False)
    witness: Floats | None = field(repr=False, default=None)
    digest: str = field(repr=False, default="")

    @property
    def is_free(self) -> bool:
        """Is every configuration of the box certified free?"""
        return not len(self.open_lower) and self.colliding == 0.0 and self.witness is None


class Subdivision:
    """A queue of boxes: the open ones are halved, the largest first, along the joint that moves most."""

    def __init__(self, before: RobotEnvelope, reach: Floats) -> None:
        self._box = before
        self._reach = reach  # (dof,), how far a joint moves a point per unit, roughly
        self._open = np.stack([before.open_lower, before.open_upper], axis=1)
        self._free, self._colliding = before.free, before.colliding
        self._boxes, self._witness = before.boxes, before.witness
        self._ranges = before.upper - before.lower

    def run(
        self,
        check: Callable[[Floats, Floats], Ints],
        collides: Callable[[Floats], ArrayLike],
        max_boxes: int,
        progress: Callable[[float, float, float], None] | None,
    ) -> RobotEnvelope:
        """Halve boxes until all are decided or `max_boxes` were checked."""
        left = max_boxes
        while len(self._open) and left > 0:
            take = min(BATCH, left, len(self._open))
            batch, self._open = self._open[:take], self._open[take:]
            left -= take
            self._boxes += take
            center, half = batch.mean(axis=1), (batch[:, 1] - batch[:, 0]) / 2
            # Rounding of the middle must not leave a part of the box out.
            half += 4e-16 * (np.abs(center) + half)
            verdict = check(center, half)
            share = self._measure(batch)
            self._free += math.fsum(share[verdict == PROVEN])
            self._colliding += math.fsum(share[verdict == TOUCHING])
            if self._witness is None and (verdict != PROVEN).any():
                rows = center[verdict != PROVEN]
                touching = np.flatnonzero(collides(rows))
                self._witness = rows[touching[0]].copy() if len(touching) else None
            self._open = np.concatenate([self._open, self._halve(batch[verdict == OPEN])])
            if progress is not None:
                progress(self._free, self._colliding, self._unknown())
        return self.result()

    def result(self) -> RobotEnvelope:
        """What is known now."""
        lower, upper = self._open[:, 0], self._open[:, 1]
        box = self._box
        return RobotEnvelope(
            box.lower, box.upper, self._free, self._colliding, self._unknown(), self._boxes, lower, upper,
            self._witness, box.digest,
        )  # fmt: skip

    def _unknown(self) -> float:
        return math.fsum(self._measure(self._open))

    def _measure(self, boxes: Floats) -> Floats:
        """Shares of the volume."""
        wide = self._ranges > 0
        shares: Floats = ((boxes[:, 1] - boxes[:, 0])[:, wide] / self._ranges[wide]).prod(axis=1)
        return shares

    def _halve(self, boxes: Floats) -> Floats:
        """Both halves of boxes."""
        size = (boxes[:, 1] - boxes[:, 0]) * self._reach
        axis = size.argmax(axis=1)
        rows = np.arange(len(boxes))
        middle = boxes[rows, :, axis].mean(axis=1)
        low, high = boxes.copy(), boxes.copy()
        low[rows, 1, axis] = middle
        high[rows, 0, axis] = middle
        halves: Floats = np.stack([low, high], axis=1).reshape((-1, *boxes.shape[1:]))
        return halves
