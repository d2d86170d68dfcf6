"""Hulls and polygons for `ougi verify cuda`: results of the public functions on the GPU and on the CPU.

Bodies are drawn on the host, as for `ougi verify hull` and `moving-hull`, because vertices of hulls are found
there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import ougi
from ougi._typing import Floats
from ougi.kernels.constants import FINEST_TOL
from ougi.shapes import (
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    ConvexHull3d,
    ConvexPolygon2d,
    Rectangle,
    Shape,
    Sphere,
    Triangle2d,
    Triangle3d,
)
from ougi_lab.scenes.motions import MOTIONS, MovingPairs, draw_moving_pairs
from ougi_lab.scenes.pairs import draw_pairs
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally, describe_pair

# Kernel -> what is tested against its hulls or polygons.
_OTHERS: dict[str, tuple[type[Shape], ...]] = {
    "hull3d_hull3d": (ConvexHull3d, Box, Capsule3d, Triangle3d, Sphere),
    "polygon2d_polygon2d": (ConvexPolygon2d, Rectangle, Capsule2d, Triangle2d, Circle),
}

PAIRS = tuple(f"{q}/{kernel}" for kernel in _OTHERS for q in ("closest_points", "intersects", "moving"))

# Cases of one class that are on the GPU at a time, and the tolerance of first contacts.
_SLICE, _TOL = 1 << 17, 1e-9


def compare(pair: str, n: int, rng: np.random.Generator) -> Tally:
    """Compare n cases, of all classes alike; of first contacts a fifth, because these are drawn slowly."""
    question, kernel = pair.split("/")
    n = -(-n // 5) if question == "moving" else n
    tally = Tally()
    others = _OTHERS[kernel]
    shares = [len(part) for part in np.array_split(np.arange(n), len(others))]
    for other, share in zip(others, shares, strict=True):
        for first in range(0, share, _SLICE):
            count = min(_SLICE, share - first)
            if question == "moving":
                tally.add(_compare_contacts(other, others[0], count, rng))
            else:
                tally.add(_compare_queries(question, other, others[0], count, rng))
    return tally


def run_on_gpu(question: str, *operands: Any, **options: Any) -> Any:
    """A query of `ougi.cuda`, with operands of the host and a result there. Tests replace it."""
    from ougi import cuda

    there = [None if each is None else cuda.put(each) for each in operands]
    return getattr(cuda, question)(*there, **options, result="numpy")


def _compare_queries(question: str, a: Any, b: Any, n: int, rng: np.random.Generator) -> Tally:
    """Distances and points to the last bit, or by the rounding of the case; tests where these are apart."""
    x, y = draw_pairs(a, b, n, rng)
    theirs, ours = run_on_gpu(question, x, y), getattr(ougi, question)(x, y)
    tally = Tally(cases=n, counts={"bits that differ": 0})
    width = _measure_width(x, y)
    if question == "intersects":
        unlike = np.flatnonzero(theirs != ours)
        error = np.zeros(n)
        error[unlike] = np.abs(ougi.distance(x[unlike], y[unlike])) / width[unlike]
        tally.counts["bits that differ"] = len(unlike)
        tally.judge({"intersects": error}, describe_pair(error, x, y))
        return tally
    errors = {}
    for name in ("distance", "point_a", "point_b"):
        p, q = (np.asarray(getattr(found, name)).reshape((n, -1)) for found in (theirs, ours))
        errors[name] = np.abs(p - q).max(axis=1) / width
    tally.counts["bits that differ"] = int((np.max(list(errors.values()), axis=0) > 0).sum())
    tally.judge(errors, describe_pair(ours.distance, x, y))
    return tally


def _measure_width(a: Any, b: Any) -> Floats:
    """64 eps times coordinates and sizes."""
    balls = [each.bounding_sphere() for each in (a, b)]
    far = np.max([np.abs(ball.center).max(axis=1) + 2 * ball.radius for ball in balls], axis=0)
    return np.asarray(np.maximum(64 * np.finfo(np.float64).eps * far, np.finfo(np.float64).tiny))


def _compare_contacts(a: Any, b: Any, n: int, rng: np.random.Generator) -> Tally:
    """First contacts, in half of the cases of two moving bodies."""
    tally = Tally(counts={"bits that differ": 0, "hits": 0})
    kinds = MOTIONS[a.dimension]
    for part, share in enumerate(np.array_split(np.arange(n), 2 * len(kinds))):
        if len(share):
            both = part % 2 == 1
            case = draw_moving_pairs(a, b, kinds[part // 2], both, len(share), rng)
            _judge_contacts(tally, case)
    return tally


def _judge_contacts(tally: Tally, case: MovingPairs) -> None:
    operands = (case.body, case.motion, case.target, case.target_motion)
    theirs, ours = run_on_gpu("time_of_impact", *operands, tol=_TOL), ougi.time_of_impact(*operands, tol=_TOL)
    n = case.body.count
    decided = (ours.status != 3) & (theirs.status != 3)
    unlike = np.flatnonzero(
        (ours.status != theirs.status) | (np.nan_to_num(ours.t) != np.nan_to_num(theirs.t))
    )
    error = np.zeros(n)
    judged = unlike[decided[unlike]]
    if len(judged):
        error[judged] = _measure_error(case.take(judged), ours[judged], theirs[judged])
    tally.cases += n
    tally.undecided += int((~decided).sum())
    tally.add_counts({"bits that differ": len(unlike), "hits": int((ours.status == 1).sum())})
    tally.judge({"first contact": error}, describe_pair(np.nan_to_num(ours.t), case.body, case.target))


def _measure_error(case: MovingPairs, ours: Any, theirs: Any) -> Floats:
    """Difference in time over what the tolerance allows, as in `cuda._measure_contact_error`."""
    operands = (case.body, case.motion, case.target, case.target_motion)
    balls = [each.bounding_sphere() for each in (case.body, case.target)]
    scale = float(max(1.0, *(np.abs(ball.center).max() + 2 * ball.radius.max() for ball in balls)))
    early = ougi.time_of_impact(*operands, margin=8 * _TOL * scale)
    late = ougi.time_of_impact(*operands, tol=FINEST_TOL)
    opens = np.where(early.hit, early.t, np.nan)
    closes = np.where(late.hit, late.t, ours.t)
    allowed = np.nan_to_num(np.fmax(closes - opens, 0.0) + _TOL, nan=_TOL)
    apart = np.nan_to_num(np.abs(ours.t - theirs.t)) / allowed
    grazing = np.where(np.isnan(opens), NONFINITE_ERROR, 1.0)
    return np.where(ours.status == theirs.status, apart, grazing)
