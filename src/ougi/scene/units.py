"""Units of length: conversion of files that are in metres, and the search for files in wrong units."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ougi.motion import Pose
from ougi.scene.model import Body
from ougi.scene.problems import printable

# How many of a unit are one metre; pixels have no length.
PER_METRE = {"mm": 1000.0, "cm": 100.0, "m": 1.0, "km": 0.001, "in": 1 / 0.0254, "ft": 1 / 0.3048}

# A ratio of sizes that looks like metres taken for millimetres, or the reverse.
_LEAST, _MOST = 500.0, 5000.0

# Bodies of one file whose sizes are computed.
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
    least: float
    most: float
    whole: float
    largest: str  # the name of the largest body


def warn_of_sizes(file: str, sources: Mapping[str, Sequence[Body]], units: str) -> None:
    """Warn if one source is about a thousand times as large as another, and so are all its bodies larger.

    A source is a file, or the shapes that the scene file describes itself. A large floor below a small robot
    is no mistake, so whole sources are compared, not bodies.
    """
    if len(sources) < 2:
        return
    found = [sizes for source, bodies in sources.items() if (sizes := _sizes(source, bodies)) is not None]
    found.sort(key=lambda sizes: sizes.whole)
    for small, large in itertools.pairwise(found):
        ratio = large.whole / small.whole
        if large.least > small.most and _LEAST <= ratio <= _MOST:
            text = (
                f"{file}: {large.source} ({large.whole:.3g} {units}, with the body {large.largest!r}) is "
                f"{ratio:,.0f} times as large as {small.source} ({small.whole:.3g} {units}, with the body "
                f"{small.largest!r}); if one of them is in other units, give it scale = 0.001 or 1000"
            )
            warnings.warn(printable(text), stacklevel=6)  # for the caller of load_scene


def _sizes(source: str, bodies: Sequence[Body]) -> _Sizes | None:
    """The sizes of some of the bodies, without points; None if all are points."""
    some = bodies[:: -(-len(bodies) // _SAMPLED) or 1]
    bounds = [body.shape.bounds() for body in some]
    lower, upper = (np.array([getattr(each, end) for each in bounds]) for end in ("lower", "upper"))
    sizes = np.linalg.norm(upper - lower, axis=-1)
    if not sizes.any():
        return None
    whole = float(np.linalg.norm(upper.max(axis=0) - lower.min(axis=0)))
    least, largest = float(sizes[sizes > 0].min()), int(sizes.argmax())
    return _Sizes(source, least, float(sizes[largest]), whole, some[largest].name)
