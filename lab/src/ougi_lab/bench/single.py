"""`ougi bench single`: one query per call, as games and planners make them, beside libraries that do so too.

Objects are built before the clock starts, in all libraries. Targets are for the best round, because they hold
for a machine without other work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import ougi
from ougi._native.library import open_library
from ougi_lab.bench import ccd_peers, narrow_peers
from ougi_lab.bench.measurement import BenchReport, Measurement, Options, list_missing, require_max
from ougi_lab.bench.peers import Peer, build_tasks, read_peer_versions
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK, Timing, time_interleaved
from ougi_lab.scenes.batches import draw_batch
from ougi_lab.scenes.meshes import build_coal_model, make_sphere
from ougi_lab.scenes.swings import draw_swings

Task = Callable[[], object]

# Calls of one round.
CALLS = 100
SEED = 23


def run(options: Options) -> BenchReport:
    """Measure single calls."""
    found = [
        *_measure_own(options.repeats),
        *_measure_pairs(options.repeats),
        *_measure_meshes(options.repeats),
    ]
    peers = {peer.name: peer for peer in (*narrow_peers.PEERS, *ccd_peers.PEERS, *PLANAR_PEERS, *RAY_PEERS)}
    versions = read_peer_versions(peers.values())
    has_library = open_library() is not None
    table = build_table(
        "single calls, µs",
        found,
        columns="µs {value:,.2f} | best {best:,.2f} | of the fastest peer {ratio:,.2f}",
        notes=(
            "Kernels come from the library of machine code."
            if has_library
            else "Numba compiled the kernels.",
            f"Times are {CLOCK.name}. Targets and ratios are for the best round.",
        ),
        versions=versions,
        load=options.load,
    )
    parameters = {"repeats": options.repeats, "calls": CALLS, "library": has_library}
    return BenchReport(parameters, found, [table], versions)


def _measure(case: str, tasks: dict[str, Task], repeats: int, bound: float | None) -> list[Measurement]:
    """Measure rounds of CALLS calls; the bound, in microseconds, is for ougi."""
    timings = {
        name: Timing(*(seconds * 1e6 / CALLS for seconds in timing))
        for name, timing in time_interleaved(tasks, repeats, clock=CLOCK.now).items()
    }
    fastest = min((timing.best for name, timing in timings.items() if name != "ougi"), default=None)
    found = []
    for name, (median, best, worst) in timings.items():
        target = None if bound is None or name != "ougi" else require_max(bound, best, of="best")
        ratio = None if fastest is None else best / fastest
        row = Measurement("single", {"call": case}, name, median, "us", best, worst, ratio, target=target)
        found.append(row)
    return found


def _call_each(function: Callable[..., object], rows: list[Any]) -> Task:
    return lambda: [function(*row) for row in rows]


def _call_repeatedly(function: Callable[..., object], *arguments: Any, **options: Any) -> Task:
    return lambda: [function(*arguments, **options) for _ in range(CALLS)]


def _measure_own(repeats: int) -> list[Measurement]:
    """Constructors, and calls that have no counterpart elsewhere."""
    rng = np.random.default_rng(SEED)
    balls = ougi.Sphere(rng.uniform(0, 10, (100, 3)), 0.5)
    world, rows = ougi.World(), np.arange(20)
    discs = ougi.Circle(np.stack([rows % 5, rows // 5], axis=1) * 1.0, 0.4)
    world.add(discs, ougi.Translation2d(rng.uniform(-1, 1, (20, 2))))
    calls: list[tuple[str, float, Task]] = [
        ("Circle(...)", 4.0, _call_repeatedly(ougi.Circle, [0.5, 1.0], 1.0)),
        ("Sphere(...)", 4.0, _call_repeatedly(ougi.Sphere, [0.5, 1.0, 2.0], 1.0)),
        ("Box(...)", 4.0, _call_repeatedly(ougi.Box, [0.5, 1.0, 2.0], [1.0, 2.0, 3.0])),
        ("Rotation3d(...)", 4.0, _call_repeatedly(ougi.Rotation3d, [0.5, 1.0, 2.0], [1.0, 2.0, 3.0], 0.5)),
        ("candidate_pairs, 100 balls", 12.0, _call_repeatedly(ougi.candidate_pairs, balls)),
        ("World.step, 20 discs apart", 60.0, _call_repeatedly(world.step, 1e-6)),
    ]
    return [each for name, bound, task in calls for each in _measure(name, {"ougi": task}, repeats, bound)]


def _measure_pairs(repeats: int) -> list[Measurement]:
    """Tests, distances and first contacts of two bodies."""
    found = []
    for query, classes, bound, peers in (
        ("intersects", (ougi.Sphere, ougi.Box), 3.0, narrow_peers.PEERS),
        ("intersects", (ougi.Box, ougi.Box), None, narrow_peers.PEERS),
        ("distance", (ougi.Sphere, ougi.Box), None, narrow_peers.PEERS),
        ("intersects", (ougi.Circle, ougi.Circle), 3.0, PLANAR_PEERS),
        ("intersects", (ougi.Circle, ougi.Rectangle), None, PLANAR_PEERS),
    ):
        a, b = (draw_batch(cls, CALLS, SEED + k) for k, cls in enumerate(classes))
        own = _call_each(getattr(ougi, query), list(zip(a, b, strict=True)))
        tasks, missing = build_tasks(peers, query, a, b)
        case = f"{query} {classes[0].__name__}-{classes[1].__name__}"
        found += _measure(case, {"ougi": own, **tasks}, repeats, bound)
        found += list_missing("single", {"call": case}, missing)
    for target, bound in ((ougi.Sphere, 7.0), (ougi.Box, None)):
        swings = draw_swings(ougi.Box, target, (10, 90), 4 * CALLS, np.random.default_rng(SEED))
        is_apart = ~ougi.intersects(swings.body, swings.target)  # the others end before they begin
        swings = swings.take(np.flatnonzero(is_apart)[:CALLS])
        tasks, missing = build_tasks(ccd_peers.PEERS, swings)
        rows = list(zip(swings.body, swings.motion, swings.target, strict=True))
        own, case = _call_each(ougi.time_of_impact, rows), f"time_of_impact Box-{target.__name__}"
        found += _measure(case, {"ougi": own, **tasks}, repeats, bound)
        found += list_missing("single", {"call": case}, missing)
    return found


def _measure_meshes(repeats: int) -> list[Measurement]:
    """The distance of two meshes of 10,000 faces, and a ray of a batch of them against 81,796 faces."""
    ball, place = make_sphere(100, 51, 1.0, 0.2), np.array([2.3, 0.4, 0.2])
    moved = ball.transformed(ougi.Pose(place))
    tasks, missing = build_tasks((Peer("coal", "coal", _build_coal_loop),), ball, place)
    case = "distance Mesh-Mesh, 10,000 faces each"
    found = _measure(case, {"ougi": _call_repeatedly(ougi.distance, ball, moved), **tasks}, repeats, None)
    found += list_missing("single", {"call": case}, missing)
    rng, target = np.random.default_rng(SEED), make_sphere(286, 144, 1.0, 0.2)
    origins = rng.normal(size=(CALLS, 3))
    origins *= 3 / np.linalg.norm(origins, axis=1, keepdims=True)
    aims = rng.uniform(-0.9, 0.9, (CALLS, 3)) - origins
    tasks, missing = build_tasks(RAY_PEERS, target, origins, aims)
    case = "raycast Mesh, 81,796 faces"
    found += _measure(case, {"ougi": lambda: ougi.raycast(origins, aims, target), **tasks}, repeats, 5.0)
    return found + list_missing("single", {"call": case}, missing)


def _build_coal_loop(coal: Any, mesh: ougi.Mesh, place: Any) -> Task:
    model, request, result = build_coal_model(mesh), coal.DistanceRequest(), coal.DistanceResult()
    poses = coal.Transform3s.Identity(), coal.Transform3s(np.eye(3), place)

    def measure() -> float:
        result.clear()
        return float(coal.distance(model, poses[0], model, poses[1], request, result))

    return _call_repeatedly(measure)


def _build_embree_loop(embreex: Any, mesh: ougi.Mesh, origins: Any, directions: Any) -> Task:
    import trimesh
    from trimesh.ray.ray_pyembree import RayMeshIntersector

    rays = RayMeshIntersector(trimesh.Trimesh(mesh.vertices, mesh.faces, process=False))
    return lambda: rays.intersects_first(origins, directions)


RAY_PEERS = (Peer("embreex", "embreex", _build_embree_loop),)


# --- libraries of the plane -----------------------------------------------------------------------------


def _build_shapely_loop(shapely: Any, query: str, a: Any, b: Any) -> Task:
    def build(shape: Any) -> Any:
        if isinstance(shape, ougi.Circle):
            return shapely.Point(shape.center).buffer(float(shape.radius))  # a polygon of 64 corners
        return shapely.Polygon(_list_corners(shape))

    pairs = [(build(x), build(y)) for x, y in zip(a, b, strict=True)]
    return lambda: [x.intersects(y) for x, y in pairs]


def _build_pymunk_loop(pymunk: Any, query: str, a: Any, b: Any) -> Task:
    def build(shape: Any) -> Any:
        body = pymunk.Body()
        if isinstance(shape, ougi.Circle):
            made = pymunk.Circle(body, float(shape.radius), tuple(shape.center.tolist()))
        else:
            made = pymunk.Poly(body, _list_corners(shape))
        made.cache_bb()
        return made

    pairs = [(build(x), build(y)) for x, y in zip(a, b, strict=True)]
    return lambda: [x.shapes_collide(y) for x, y in pairs]


def _list_corners(rectangle: Any) -> Sequence[tuple[float, float]]:
    """The corners of a single rectangle, around it."""
    half, (c, s) = rectangle.size / 2, (np.cos(rectangle.angle), np.sin(rectangle.angle))
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    corners = rectangle.center + (signs * half) @ np.array([[c, s], [-s, c]])
    return [(x, y) for x, y in corners.tolist()]


PLANAR_PEERS = (
    Peer("shapely", "shapely", _build_shapely_loop),
    Peer("pymunk", "pymunk", _build_pymunk_loop),
)
