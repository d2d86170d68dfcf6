"""Walk paths from their start to the reported contact, and record where they are not free.

Most of a path is proved by the planes of `ccd_oracle`. While bodies touch within rounding no plane is between
them, so the walk continues in growing strides and measures the gap. The rest, one case in many thousands, is
walked in steps of gap over speed, which skip no overlap deeper than a stride.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi_lab.scenes.cores import dot, extract_core
from ougi_lab.scenes.motions import MovingPairs, separation_at
from ougi_lab.verify.ccd_oracle import build_bodies, cross_all, find_free_time
from ougi_lab.verify.certificates import BAND

# Maximum number of planes before the slower walk, and of the cheap ones among them.
_LINKS = 400
_CHEAP = 5

# Gaps, in bands, that are too small for a plane. The walk continues by this share of the bodies' scale,
# twice as far each time that does not lead away, and no farther than the larger share.
_TOUCHING = 2.0
_STRIDE = 1e-7
_LONGEST = 1e-3
# Bands added to a stride: points have no size.
_CLEAR = 16.0

# Steps of the slower walk.
_MAX_STRIDES = 4_000

# The last part of the path, as a share of the scale, where a touch is the reported contact itself.
_ARRIVED = 1e-6

# Two bodies without inside pass through each other in an instant: a gap of this share of the band is none.
_INSTANT = 0.1

# Distance from there, as a share of the scale, at which the sides are compared.
_ASIDE = 1e-4

# Within this distance, in bands, bodies that pass through each other are a band apart again: at 1 : 16.
_SOON = 16.0


@dataclass
class Walk:
    """Results of n paths: the smallest gap and its time, and whether planes cover the rest of the path."""

    smallest: Floats
    at: Floats
    proved: Bools

    def record(self, index: Any, gap: Floats, t: Floats) -> None:
        """Record the smallest gaps."""
        lower = gap < self.smallest[index]
        self.smallest[index[lower]] = gap[lower]
        self.at[index[lower]] = t[lower]


def walk_paths(case: MovingPairs, end: Floats, width: Floats, scale: Floats) -> Walk:
    """Walk from 0 to `end`; the band's `width` is the gap that may be rounding, `scale` the bodies' size."""
    n = len(end)
    scene = build_bodies(*case[:4], case.margin)
    per_length = 1 / np.where(scene.speed > 0, scene.speed, 1.0)
    walk = Walk(np.full(n, np.inf), np.zeros(n), np.zeros(n, np.bool_))
    t = np.zeros(n)
    stride, longest = ((share * scale + _CLEAR * width) * per_length for share in (_STRIDE, _LONGEST))
    todo = np.arange(n)
    for link in range(_LINKS):
        if not len(todo):
            return walk
        gap, normal = separation_at(case.take(todo), t[todo])
        walk.record(todo, gap, t[todo])
        rest = end[todo] - t[todo]
        _, free = find_free_time(scene.take(todo), t[todo], normal, rest, link >= _CHEAP)
        touching = gap <= _TOUCHING * width[todo]
        step = np.where(touching, np.maximum(free, stride[todo]), free)
        stride[todo] = np.minimum(np.where(touching, 2, 1) * stride[todo], longest[todo])
        there = step >= rest
        walk.proved[todo] = there
        t[todo] = np.minimum(t[todo] + step, end[todo])
        overlap = gap < -width[todo]
        todo = todo[~there & ~overlap]
    if len(todo):
        _walk_by_strides(walk, case, todo, t, end, longest, per_length)
    return walk


def _walk_by_strides(
    walk: Walk, case: MovingPairs, todo: Any, t: Floats, end: Floats, smallest: Floats, per_length: Floats
) -> None:
    """Go on by gap over speed, by `smallest` at least, from where the planes ended."""
    for _ in range(_MAX_STRIDES):
        gap, _ = separation_at(case.take(todo), t[todo])
        walk.record(todo, gap, t[todo])
        t[todo] += np.maximum(gap * per_length[todo], smallest[todo])
        todo = todo[t[todo] < end[todo]]
        if not len(todo):
            return


def find_early_overlap(walk: Walk, case: MovingPairs, end: Floats, width: Floats, scale: Floats) -> Floats:
    """How deep the bodies overlapped before the reported contact, in bands; 2 for a passage in an instant."""
    deep = np.maximum(-walk.smallest, 0.0) / width
    if case.body.solid or case.target.solid:
        return deep
    speed = build_bodies(*case[:4], case.margin).speed
    before = (end - walk.at) * speed > _ARRIVED * scale + BAND * width
    index = np.flatnonzero((walk.smallest <= _INSTANT * width) & before & (deep <= 1))
    positive_speed = np.where(speed[index] > 0, speed[index], 1.0)
    about, soon = _ASIDE * scale[index] / positive_speed, _SOON * width[index] / positive_speed
    surely = _is_certain_passage(case.take(index), walk.at[index], about, soon, width[index])
    deep[index] = np.where(surely, 2.0, deep[index])
    return deep


def _is_certain_passage(case: MovingPairs, t: Floats, about: Floats, soon: Floats, width: Floats) -> Bools:
    """Do thin bodies pass through each other at times t whatever rounding did to them?

    They must touch even if both are a little smaller: a point that runs into a point, or into the very end of
    a segment, may as well pass it. And they must change sides, apart again soon: those that only graze may as
    well not, nor a triangle that comes edge first, as thin as rounding.
    """
    body, remains_a = _shrink(case.body, 4 * width)
    target, remains_b = _shrink(case.target, 4 * width)
    case = case._replace(body=body, target=target)
    gap, _ = separation_at(case, t)
    (_, before), (_, after) = (separation_at(case, np.clip(t + d, 0, 1)) for d in (-about, about))
    apart = np.min([separation_at(case, np.clip(t + d, 0, 1))[0] for d in (-soon, soon)], axis=0) > width
    stable = (remains_a + remains_b + 1 >= case.body.dimension) & apart
    return np.asarray(stable & (gap <= _INSTANT * width) & (dot(before, after) < 0))


def _shrink(shape: Any, by: Floats) -> tuple[Any, Ints]:
    """Points, segments or triangles whose border is moved in, and the dimension of what remains of them."""
    core = extract_core(shape)
    names = [name for name in ("start", "end", "a", "b", "c") if name in shape._fields]
    if not names:
        return shape, np.zeros(shape.count, np.int64)
    corners = np.stack([getattr(shape, name) for name in names])
    middle = corners.mean(axis=0)
    sides = np.sqrt(dot(core.edges, core.edges))
    if len(names) == 2:
        inner, dimension = sides[0] / 2, 1
    else:  # from the centroid to the nearest side
        area = np.sqrt(dot(*[cross_all(core.edges[0], core.edges[1:2])[0]] * 2)) / 2
        inner, dimension = 2 * area / (3 * np.maximum(sides.max(axis=0), np.finfo(np.float64).tiny)), 2
    thick = inner > 2 * by
    factor = np.where(thick, 1 - by / np.where(thick, inner, 1.0), 0.0)[:, None]
    fields = {name: middle + factor * (corner - middle) for name, corner in zip(names, corners, strict=True)}
    return shape._from_fields(shape.shape, fields), np.where(thick, dimension, 0)
