"""`ougi verify range`: the queries of other subjects at both borders of the range of numbers.

Each case is scaled by a power of two, which is exact, until the smallest of its bodies, points and directions
is just large enough, or the largest number just small enough.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi._check import MAX_LENGTH, MIN_LENGTH
from ougi._typing import Floats
from ougi.shapes import ConvexHull3d, ConvexPolygon2d, HalfSpace, Shape
from ougi_lab.scenes.batches import measure_lengths, measure_templates, scale_lengths
from ougi_lab.verify.half_space import HalfSpaces
from ougi_lab.verify.narrow import Hulls, Narrow
from ougi_lab.verify.ray import RAY_REACH, Rays
from ougi_lab.verify.solid import Solids
from ougi_lab.verify.tally import Tally

_SUBJECTS: tuple[Any, ...] = (Narrow(), Hulls(), Solids(), HalfSpaces(), Rays())


def _list_subjects() -> dict[str, Any]:
    """Pair -> its subject.

    Two half-spaces have no size that could be at a border, and rays meet half-spaces at any distance.
    """
    subjects = {pair: subject for subject in _SUBJECTS for pair in subject.pairs()}
    return {
        pair: subject
        for pair, subject in subjects.items()
        if not pair.startswith(("halfspace", "ray-halfspace"))
    }


@dataclass(frozen=True)
class Borders:
    """The subject `range` of the runner."""

    subjects: dict[str, Any] = field(default_factory=_list_subjects)
    name: str = "range"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = False
    folders: tuple[str, ...] = tuple(dict.fromkeys(name for each in _SUBJECTS for name in each.folders))

    def pairs(self) -> tuple[str, ...]:
        """The pairs of all subjects."""
        return tuple(self.subjects)

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n cases, half of them at the lower border."""
        subject, tally = self.subjects[pair], Tally(cases=n)
        case = subject.draw(pair, n, rng)
        smallest, largest = _measure(case)
        largest = largest * (RAY_REACH if isinstance(subject, Rays) else 1.0)
        factors = (np.ceil(np.log2(MIN_LENGTH / smallest)), np.floor(np.log2(MAX_LENGTH / largest)))
        for power, part in zip(factors, (slice(0, n // 2), slice(n // 2, n)), strict=True):
            if power[part].size:
                subject.judge(tally, *(_scale(each[part], 2.0 ** power[part]) for each in case))
        return tally


def _measure(case: tuple[Any, ...]) -> tuple[Floats, Floats]:
    """The numbers (n,) that lie at the lower border and at the upper one; both positive."""
    sizes, largest = [], []
    for each in case:
        if not isinstance(each, Shape):
            largest.append(np.abs(each.reshape((len(each), -1))).max(axis=1))
            if each.ndim == 2:
                sizes.append(largest[-1])
            continue
        largest.append(measure_lengths(each))
        if isinstance(each, ConvexHull3d | ConvexPolygon2d):  # also those far away need templates in range
            sizes.append(np.where(measure_templates(each) > 0, measure_templates(each), each.radius))
        elif not isinstance(each, HalfSpace):  # these have no lower limit
            sizes.append(measure_lengths(each))
    top = np.max(largest, axis=0)
    top = np.where(top > 0, top, 1.0)
    smallest = np.min([np.where(size > 0, size, top) for size in sizes], axis=0)
    return smallest, top


def _scale(value: Any, factor: Floats) -> Any:
    """A batch of shapes, or numbers (n, ...), on another scale."""
    if isinstance(value, Shape):
        return scale_lengths(value, factor)
    return value * factor.reshape(factor.shape + (1,) * (value.ndim - 1))
