"""coal and python-fcl in `ougi bench narrow`: called in a Python loop, for five pairs that they have.

Their objects are built before the clock starts, and so are ours. They test one pair per call. Ours runs
twice, with all pairs in one call and with one pair per call. coal gets a tight tolerance for distances. All
else has defaults, with which python-fcl's capsule-box distances are off by up to 2e-3 m in 50,000 tests (coal
and ours agree there to 5e-15 m).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import ougi
from ougi._native import one_thread
from ougi._typing import Floats, Ints
from ougi.query.tables import SEPARATION, Pair
from ougi.shapes import Box, Capsule3d, ConvexHull3d, Shape, Sphere
from ougi_lab.bench.measurement import Measurement, list_missing
from ougi_lab.bench.peers import Peer, build_tasks
from ougi_lab.bench.table import fill_cell, format_value
from ougi_lab.measure import time_interleaved
from ougi_lab.scenes.batches import draw_batch

_SHARED = {(Sphere, Sphere), (Sphere, Box), (Capsule3d, Capsule3d), (Capsule3d, Box), (Box, Box)}
PAIRS = tuple(pair for pair in SEPARATION if (pair.a, pair.b) in _SHARED)

SEED = 20

# Where coal's iterations stop. Box-box distances of coal 3.0.3 lie up to 1e-6 m from ours and python-fcl's at
# its default 1e-6, 2e-10 m at this, 1.9 m at 1e-15. The 2e-10 become 4e-15 if a process tests capsule-box
# before its first box-box. So this gap depends on the pairs that are measured, and on their order.
_COAL_TOLERANCE = 1e-12


class PosedSolid(NamedTuple):
    """A shape as coal and fcl describe it: a solid about the origin, and its pose."""

    solid: str
    sizes: tuple[Any, ...]
    rotation: Floats
    center: Floats


def measure(chosen: Sequence[tuple[str, Pair]], tests: int, repeats: int) -> Iterator[list[Measurement]]:
    """Measure the chosen queries and pairs, beside the libraries."""
    for query, pair in chosen:
        yield _measure_pair(query, pair, tests, repeats)


@one_thread()
def _measure_pair(query: str, pair: Pair, tests: int, repeats: int) -> list[Measurement]:
    a, b = draw_batch(pair.a, tests, SEED + 1), draw_batch(pair.b, tests, SEED + 2)
    call = getattr(ougi, query)
    singles = list(zip(a, b, strict=True))
    loops, missing = build_tasks(PEERS, query, a, b)
    timings = time_interleaved(
        {"ougi": lambda: call(a, b), "ougi, single": lambda: [call(x, y) for x, y in singles], **loops},
        repeats,
    )
    differences = {
        name: compare_results(np.asarray(call(a, b)), np.asarray(loop())) for name, loop in loops.items()
    }
    case = {"pair": f"{pair.a.__name__}-{pair.b.__name__}", "query": query, "tests": tests}
    found = []
    for name, timing in timings.items():
        wrong, gap = differences.get(name, (None, None))
        us, facts = timing.median * 1e6 / tests, {} if gap is None else {"worst_gap": gap}
        found.append(Measurement("narrow/peers", case, name, us, "us", wrong=wrong, facts=facts))
    return found + list_missing("narrow/peers", case, missing)


def compare_results(ours: Any, theirs: Any) -> tuple[int, float | None]:
    """Count pairs that touch in only one of both; find the largest difference of positive distances, in m.

    Instead of distances ours may be booleans, and theirs the numbers of contacts.
    """
    if ours.dtype == np.bool_:
        return int(np.sum(ours != (theirs > 0))), None
    apart = (ours > 0) & (theirs > 0)
    gap = np.abs(ours - theirs).max(where=apart, initial=0.0)
    return int(np.sum((ours > 0) != (theirs > 0))), float(gap)


def _build_coal_loop(coal: Any, query: str, a: Shape, b: Shape) -> Callable[[], list[Any]]:
    def build_object(p: PosedSolid) -> Any:
        return coal.CollisionObject(getattr(coal, p.solid)(*p.sizes), p.rotation, p.center)

    objects = [
        (build_object(x), build_object(y))
        for x, y in zip(describe_solids(a), describe_solids(b), strict=True)
    ]
    if query == "intersects":
        call, request, result = coal.collide, coal.CollisionRequest(), coal.CollisionResult()
        request.enable_contact = False
    else:
        call, request, result = coal.distance, coal.DistanceRequest(), coal.DistanceResult()
        request.gjk_tolerance = request.epa_tolerance = _COAL_TOLERANCE

    def loop() -> list[Any]:
        results = []
        for x, y in objects:
            result.clear()
            results.append(call(x, y, request, result))
        return results

    return loop


def _build_fcl_loop(fcl: Any, query: str, a: Shape, b: Shape) -> Callable[[], list[Any]]:
    sides = ([build_fcl_object(fcl, p) for p in describe_solids(side)] for side in (a, b))
    objects = list(zip(*sides, strict=True))
    if query == "intersects":
        call, request, result = fcl.collide, fcl.CollisionRequest(), fcl.CollisionResult
    else:
        call, request, result = fcl.distance, fcl.DistanceRequest(), fcl.DistanceResult

    return lambda: [call(x, y, request, result()) for x, y in objects]  # its results cannot be cleared


def build_fcl_object(fcl: Any, p: PosedSolid) -> Any:
    """An object of python-fcl in its pose."""
    return fcl.CollisionObject(getattr(fcl, p.solid)(*p.sizes), fcl.Transform(p.rotation, p.center))


PEERS = (
    Peer("coal", "coal", _build_coal_loop),
    Peer("python-fcl", "fcl", _build_fcl_loop, distribution="python-fcl"),
)


def describe_solids(shapes: Any) -> list[PosedSolid]:
    """Spheres, boxes, hulls or capsules as other libraries describe them; capsules lie along z.

    The sizes of a hull are those that python-fcl takes: its vertices, and its faces with their lengths.
    """
    if isinstance(shapes, ConvexHull3d):
        fields = zip(shapes.template, shapes.rotation, shapes.position, strict=True)
        return [PosedSolid("Convex", _list_faces(each), turn, center) for each, turn, center in fields]
    if isinstance(shapes, Sphere):
        pairs = zip(shapes.radius.tolist(), shapes.center, strict=True)
        return [PosedSolid("Sphere", (radius,), np.eye(3), center) for radius, center in pairs]
    if isinstance(shapes, Box):
        fields = zip(shapes.size.tolist(), shapes.rotation, shapes.center, strict=True)
        return [PosedSolid("Box", tuple(size), rotation, center) for size, rotation, center in fields]
    along = shapes.end - shapes.start
    length = np.linalg.norm(along, axis=-1)
    z = along / length[:, None]
    axis = np.eye(3)[np.argmin(np.abs(z), axis=-1)]  # the coordinate axis most across z
    x = np.cross(axis, z)
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    rotation = np.stack([x, np.cross(z, x), z], axis=-1)
    sizes = np.stack([shapes.radius, length], axis=-1).tolist()
    fields = zip(sizes, rotation, (shapes.start + shapes.end) / 2, strict=True)
    return [PosedSolid("Capsule", tuple(size), turned, center) for size, turned, center in fields]


def _list_faces(template: Any) -> tuple[Floats, int, Ints]:
    """The vertices of a hull, how many triangles it has, and these, each behind its number of corners."""
    count = len(template.triangles)
    return template.vertices, count, np.insert(template.triangles, 0, 3, axis=1).ravel()


def format_with_gap(each: Measurement) -> str:
    """The value, and the worst difference from ours where there is one."""
    return f"{format_value(each)} / {fill_cell(each, '{worst_gap:.0e}')}".removesuffix(" / -")
