"""Hulls, polygons and curved solids in `ougi bench narrow`, beside coal, python-fcl and shapely.

coal and python-fcl test one pair per call, shapely takes arrays. Hulls and polygons are those of points on a
ball or a circle, so all points are vertices. `apart` are pairs of which none overlaps, `overlapping` pairs of
which all do: there distances are depths, which python-fcl and shapely do not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import ougi
from ougi._native import one_thread
from ougi.cli.tables import Table
from ougi_lab.bench.measurement import Measurement, list_missing
from ougi_lab.bench.narrow_peers import build_fcl_object, describe_solids, format_with_gap
from ougi_lab.bench.peers import Peer, build_tasks
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK, time_interleaved
from ougi_lab.scenes.batches import draw_batch, draw_hulls, draw_polygons

SEED = 40


class HullCase(NamedTuple):
    """Two kinds of bodies, and whether they overlap. A number is the number of vertices of a hull."""

    a: int | str
    b: int | str
    overlap: bool = False

    @property
    def name(self) -> str:
        """Such as `hull of 12 - Box`."""
        return " - ".join(f"hull of {kind}" if isinstance(kind, int) else kind for kind in (self.a, self.b))


CASES = tuple(
    HullCase(a, b, overlap)
    for a, b in (
        (12, 12), (32, 32), (64, 64), (32, "Box"), ("Cylinder", "Box"), ("Cone", "Box"),
        ("Ellipsoid", "Ellipsoid"), ("Cone", 32),
    )
    for overlap in (False, True)
)  # fmt: skip

# Kinds of polygons by their numbers of vertices.
_POLYGONS = {f"polygon of {n}": n for n in (8, 32)}
CASES += tuple(HullCase(name, name) for name in _POLYGONS)


def draw_solids(kind: int | str, n: int, rng: np.random.Generator) -> Any:
    """Bodies of about one metre, in random poses."""
    if isinstance(kind, int):
        return draw_hulls(kind, n, rng)
    if kind in _POLYGONS:
        return draw_polygons(_POLYGONS[kind], n, rng)
    if kind == "Ellipsoid":
        box = draw_batch(ougi.Box, n, rng)
        return ougi.Ellipsoid(box.center, box.size / 2, box.rotation)
    return draw_batch(getattr(ougi, kind), n, rng)


def draw_case(case: HullCase, n: int) -> tuple[Any, Any]:
    """n pairs that all overlap, or none of them."""
    rng = np.random.default_rng(SEED)
    a, b = draw_solids(case.a, 30 * n, rng), draw_solids(case.b, 30 * n, rng)
    rows = np.flatnonzero(ougi.intersects(a, b) == case.overlap)[:n]
    return a[rows], b[rows]


@one_thread()
def measure_case(case: HullCase, tests: int, repeats: int) -> list[Measurement]:
    """Distances of one case, ours and theirs."""
    a, b = draw_case(case, tests)
    loops, missing = build_tasks(PEERS, a, b, case.overlap)
    timings = time_interleaved({"ougi": lambda: ougi.distance(a, b), **loops}, repeats, clock=CLOCK.now)
    ours = np.asarray(ougi.distance(a, b))
    named = {"pair": case.name, "bodies": "overlapping" if case.overlap else "apart", "tests": a.count}
    found = []
    for name, timing in timings.items():
        facts = {} if name == "ougi" else {"worst_gap": float(np.abs(ours - loops[name]()).max())}
        ratio = None if name == "ougi" else timing.median / timings["ougi"].median
        us = timing.median * 1e6 / a.count
        found.append(Measurement("narrow/hulls", named, name, us, "us", ratio=ratio, facts=facts))
    return found + list_missing("narrow/hulls", named, missing)


def measure(tests: int, repeats: int) -> Iterator[list[Measurement]]:
    """Measure all cases."""
    for case in CASES:
        yield measure_case(case, tests, repeats)


def _build_coal_loop(coal: Any, a: Any, b: Any, overlap: bool) -> Callable[[], list[float]]:
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = overlap
    objects = [(*build_coal_body(coal, a, i), *build_coal_body(coal, b, i)) for i in range(a.count)]

    def loop() -> list[float]:
        results = []
        for pair in objects:
            result.clear()
            results.append(coal.distance(*pair, request, result))
        return results

    return loop


def build_coal_body(coal: Any, shape: Any, i: int) -> tuple[Any, Any]:
    """A body of coal and its pose."""
    if isinstance(shape, ougi.ConvexHull3d):
        template = shape.template[i]
        points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        points.extend(list(template.vertices))
        faces.extend([coal.Triangle(*map(int, face)) for face in template.triangles])
        pose = coal.Transform3s(shape.rotation[i].copy(), shape.position[i].copy())
        return coal.Convex(points, faces), pose
    kind, sizes, turn = _describe_solid(shape, i)
    return getattr(coal, kind)(*sizes), coal.Transform3s(turn.copy(), shape.center[i].copy())


def _describe_solid(shape: Any, i: int) -> tuple[str, tuple[float, ...], Any]:
    """The class of both libraries, its sizes, and the rotation."""
    kind = type(shape).__name__
    if kind == "Box":
        return kind, tuple(shape.size[i]), shape.rotation[i]
    _, axes, size, _ = shape._solid()
    return kind, tuple(size[i]) if kind == "Ellipsoid" else (size[i, 0], 2 * size[i, 2]), axes[i]


def _build_fcl_loop(fcl: Any, a: Any, b: Any, overlap: bool) -> Callable[[], list[float]]:
    objects = [(_build_fcl_object(fcl, a, i), _build_fcl_object(fcl, b, i)) for i in range(a.count)]
    request = fcl.DistanceRequest()
    return lambda: [fcl.distance(x, y, request, fcl.DistanceResult()) for x, y in objects]


def _build_fcl_object(fcl: Any, shape: Any, i: int) -> Any:
    if isinstance(shape, ougi.ConvexHull3d):
        return build_fcl_object(fcl, *describe_solids(shape[i : i + 1]))
    kind, sizes, turn = _describe_solid(shape, i)
    return fcl.CollisionObject(getattr(fcl, kind)(*sizes), fcl.Transform(turn, shape.center[i]))


def _build_shapely_task(shapely: Any, a: Any, b: Any, overlap: bool) -> Callable[[], Any]:
    polygons = [np.array([shapely.Polygon(x) for x in side.vertices]) for side in (a, b)]
    return lambda: shapely.distance(*polygons)


def _refuse_plane(a: Any, b: Any, overlap: bool) -> str | None:
    return "is of space" if a.dimension == 2 else None


def _refuse_depths(a: Any, b: Any, overlap: bool) -> str | None:
    return "has no depths" if overlap else _refuse_plane(a, b, overlap)


def _refuse_space(a: Any, b: Any, overlap: bool) -> str | None:
    return "is of the plane" if a.dimension == 3 else None


PEERS = (
    Peer("coal", "coal", _build_coal_loop, refuses=_refuse_plane),
    Peer("python-fcl", "fcl", _build_fcl_loop, refuses=_refuse_depths, distribution="python-fcl"),
    Peer("shapely", "shapely", _build_shapely_task, refuses=_refuse_space),
)


def build_hull_table(measurements: Sequence[Measurement], peers: Mapping[str, str | None]) -> Table:
    """Microseconds per distance of ours and theirs."""
    return build_table(
        "distances of hulls and curved solids, us (and times ougi's, and the worst difference in m)",
        measurements,
        across="method",
        cell=format_with_gap,
        notes=(
            "ougi and shapely: all distances in one call. All objects are built before the clock starts.",
            f"Medians; {CLOCK.name}.",
        ),
        versions=peers,
    )
