"""Units of length: conversion of files that are in metres, and the search for files in wrong units."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ougi.motion import Pose
from ougi.scene.model import Body
from ougi.scene.problems import warn_user
from ougi.shapes import HalfSpace

# How many of a unit are one metre; pixels have no length.
PER_METRE = {"mm": 1000.0, "cm": 100.0, "m": 1.0, "km": 0.001, "in": 1 / 0.0254, "ft": 1 / 0.3048}

# Ratios of sizes that suggest a confusion of metres and millimetres.
_MIN_RATIO, _MAX_RATIO = 500.0, 5000.0

# How many bodies of one file are measured.
_SAMPLED = 1000


def per_metre(units: str) -> float:
    """The factor from metres to a scene's units; a ValueError for pixels.

    >>> from ougi.scene.units import per_metre
    >>> per_metre("mm")
    1000.0
    """
    if units not in PER_METRE:
        raise ValueError(
            f"the file is in metres, which cannot be converted to units = {units!r}; "
            f"use one of {', '.join(PER_METRE)}"
        )
    return PER_METRE[units]


class Placement(NamedTuple):
    """Where a file in metres is put into a scene: its lengths are multiplied, then its frame is moved."""

    scale: float = 1.0
    frame: Pose = Pose(np.zeros(3))


class _Sizes(NamedTuple):
    """Diagonals of bounds: of the smallest and of the largest body of a source, and of all together."""

    source: str
    smallest: float
    largest: float
    whole: float
    largest_name: str  # the name of the largest body


def warn_about_sizes(file: str, sources: Mapping[str, Sequence[Body]], units: str) -> None:
    """Warn if one source is about a thousand times as large as another, and so are all its bodies larger.

    A source is a file, or the shapes that the scene file describes itself. A large floor below a small robot
    is no mistake, so whole sources are compared, not bodies.
    """
    if len(sources) < 2:
        return
    found = [sizes for source, bodies in sources.items() if (sizes := _measure(source, bodies)) is not None]
    found.sort(key=lambda sizes: sizes.whole)
    for small, large in itertools.pairwise(found):
        ratio = large.whole / small.whole
        if large.smallest > small.largest and _MIN_RATIO <= ratio <= _MAX_RATIO:
            text = (
                f"{large.source} ({large.whole:.3g} {units}, with the body {large.largest_name!r}) "
                f"is {ratio:,.0f} times as large as {small.source} ({small.whole:.3g} {units}, with the body "
                f"{small.largest_name!r}); if one of them is in other units, give it scale = 0.001 or 1000"
            )
            warn_user(file, text)


def _measure(source: str, bodies: Sequence[Body]) -> _Sizes | None:
    """The sizes of a sample of the bodies, without points; None if all are points."""
    sample = bodies[:: -(-len(bodies) // _SAMPLED) or 1]
    sample = [body for body in sample if not isinstance(body.shape, HalfSpace)]
    bounds = [body.shape.bounds() for body in sample]
    lower, upper = (np.array([getattr(each, end) for each in bounds]) for end in ("lower", "upper"))
    sizes = np.linalg.norm(upper - lower, axis=-1)
    if not sizes.any():
        return None
    whole = float(np.linalg.norm(upper.max(axis=0) - lower.min(axis=0)))
    smallest, largest = float(sizes[sizes > 0].min()), int(sizes.argmax())
    return _Sizes(source, smallest, float(sizes[largest]), whole, sample[largest].name)
