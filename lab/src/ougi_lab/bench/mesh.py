"""`ougi bench mesh`: rays, distances and intersection tests of detailed meshes, beside other libraries.

A bumpy ball of 82,000 faces meets rays. Two bumpy balls of 10,000 faces are near each other, far apart, or
overlap; both are turned, or neither. All trees are built before. `bench radar` has first contacts of meshes.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

import ougi
from ougi._native import one_thread
from ougi._typing import Floats
from ougi.shapes import Mesh
from ougi_lab.bench.choose import choose_named
from ougi_lab.bench.measurement import BenchReport, Measurement, Options, collect, list_missing, require_max
from ougi_lab.bench.peers import MissingPeerError, Peer, build_tasks, read_peer_versions
from ougi_lab.bench.radar import build_fcl_object
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK, repeat_task, time_interleaved
from ougi_lab.scenes.meshes import build_coal_model, make_sphere, move_mesh
from ougi_lab.scenes.pairs import rotation_3d

SEED = 26

Query: TypeAlias = Callable[[], "float | Floats"]  # a distance, hits (0 or 1), or depths along rays

# Rays of a batch, and calls that are timed together.
_RAYS, _CALLS = 1000, 20

# Maximum microseconds per ray, and times of coal's distance.
_RAY_TARGET, _COAL_TARGET = 5.0, 3.0


class MeshQuery(NamedTuple):
    """A query of two meshes, or of a mesh and rays: their origins and directions."""

    name: str
    query: str
    a: Mesh
    b: Mesh | None = None
    rays: tuple[Floats, Floats] | None = None

    @property
    def result_count(self) -> int:
        """How many results it has."""
        return 1 if self.rays is None else max(self.rays[0].size // 3, 1)


def build_cases() -> dict[str, MeshQuery]:
    """All cases by name."""
    rng = np.random.default_rng(SEED)
    detailed = make_sphere(203, 203, 1.0, 0.1)
    origin = rng.normal(size=(_RAYS, 3))
    origin *= 3 / np.linalg.norm(origin, axis=1, keepdims=True)
    direction = rng.uniform(-0.8, 0.8, (_RAYS, 3)) - origin
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    ball = make_sphere(72, 71, 1.0, 0.1)
    cases = [
        MeshQuery("ray, one per call", "raycast", detailed, rays=(origin[0], direction[0])),
        MeshQuery(f"ray, {_RAYS} per call", "raycast", detailed, rays=(origin, direction)),
    ]
    for query, places in {
        "distance": {"near": 2.25, "far": 8.0},
        "intersects": {"near": 2.25, "overlapping": 1.9},
    }.items():
        for place, apart in places.items():
            other = move_mesh(ball, rotation_3d(rng.normal(size=4)), apart * np.array([0.6, 0.48, 0.64]))
            cases.append(MeshQuery(f"{query}, {place}", query, ball, other))
    # A copy that is not turned: the axes of both trees are parallel, and the boxes of other trees are tight.
    beside = move_mesh(ball, np.eye(3), 2.25 * np.array([0.6, 0.48, 0.64]))
    cases.append(MeshQuery("distance, not turned", "distance", ball, beside))
    return {case.name: case for case in cases}


def build_query(case: MeshQuery) -> Query:
    """Our own query of a case."""
    if case.rays is not None:
        origin, direction = case.rays
        return lambda: np.asarray(ougi.raycast(origin, direction, case.a).t, float)
    assert case.b is not None
    other = case.b
    query = ougi.distance if case.query == "distance" else ougi.intersects
    return lambda: float(query(case.a, other))


def _build_coal(coal: Any, case: MeshQuery) -> Query:
    if case.rays is not None:
        raise MissingPeerError("no rays")
    models, still = (build_coal_model(case.a), build_coal_model(case.b)), coal.Transform3s.Identity()
    if case.query == "distance":
        request = coal.DistanceRequest()
        return lambda: float(
            coal.distance(models[0], still, models[1], still, request, coal.DistanceResult())
        )
    test = coal.CollisionRequest()
    return lambda: float(coal.collide(models[0], still, models[1], still, test, coal.CollisionResult()) > 0)


def _build_fcl(fcl: Any, case: MeshQuery) -> Query:
    if case.b is None:
        raise MissingPeerError("no rays")
    a, b = build_fcl_object(fcl, case.a), build_fcl_object(fcl, case.b)
    if case.query == "distance":
        return lambda: float(fcl.distance(a, b, fcl.DistanceRequest(), fcl.DistanceResult()))
    return lambda: float(fcl.collide(a, b, fcl.CollisionRequest(), fcl.CollisionResult()) > 0)


def _build_trimesh(trimesh: Any, case: MeshQuery, *, embree: bool) -> Query:
    """Rays by trimesh's own trees, or by Embree, which trimesh calls through embreex."""
    if case.rays is None:
        raise MissingPeerError("trimesh hands pairs of meshes to python-fcl")
    if case.result_count > 1 and not embree:
        raise MissingPeerError("1,000 rays take minutes")
    mesh = trimesh.Trimesh(case.a.vertices, case.a.faces, process=False)
    try:
        if embree:
            caster = trimesh.ray.ray_pyembree.RayMeshIntersector(mesh)
        else:
            caster = trimesh.ray.ray_triangle.RayMeshIntersector(mesh)
            mesh.triangles_tree  # noqa: B018, a cached property that needs rtree
    except (AttributeError, ImportError) as error:
        raise MissingPeerError(f"needs rtree and embreex: {error}") from None
    origin, direction = (np.atleast_2d(part) for part in case.rays)

    def cast() -> Floats:
        places, rays, _ = caster.intersects_location(origin, direction, multiple_hits=False)
        t: Floats = np.full(len(origin), np.nan)
        t[rays] = ((places - origin[rays]) * direction[rays]).sum(axis=1)
        return t

    return cast


def _build_embreex(embreex: Any, case: MeshQuery) -> Query:
    """The nearest triangles alone, from single precision."""
    if case.rays is None:
        raise MissingPeerError("rays alone")
    scene = importlib.import_module("embreex.rtcore_scene").EmbreeScene()
    build = importlib.import_module("embreex.mesh_construction").TriangleMesh
    build(scene, case.a.vertices[case.a.faces].astype(np.float32))
    origin, direction = (np.atleast_2d(part).astype(np.float32) for part in case.rays)

    def cast() -> Floats:
        t: Floats = scene.run(origin, direction, query="DISTANCE").astype(float)
        return np.where(t < 1e30, t, np.nan)

    return cast


PEERS = (
    Peer("coal", "coal", _build_coal),
    Peer("python-fcl", "fcl", _build_fcl, distribution="python-fcl"),
    Peer("trimesh", "trimesh", functools.partial(_build_trimesh, embree=False)),
    Peer("trimesh with embreex", "trimesh", functools.partial(_build_trimesh, embree=True)),
    Peer("embreex", "embreex", _build_embreex),
)


def measure(repeats: int, names: tuple[str, ...] = ()) -> Iterator[list[Measurement]]:
    """Time every library on every case, or on those whose names hold one of the words, in turn."""
    every = build_cases()
    for name in choose_named(every, names, str, "case of bench mesh"):
        yield _measure_case(every[name], repeats)


def _measure_case(query: MeshQuery, repeats: int) -> list[Measurement]:
    peers, missing = build_tasks(PEERS, query)
    tasks: dict[str, Query] = {"ougi": build_query(query)} | peers
    results = {name: np.asarray(task(), float) for name, task in tasks.items()}
    timed = {name: repeat_task(task, _CALLS) for name, task in tasks.items()}
    times = time_interleaved(timed, repeats, clock=CLOCK.now)
    us = {name: 1e6 * times[name].median / _CALLS / query.result_count for name in tasks}
    case, found = {"query": query.name}, []
    for name, value in us.items():
        target = None
        if name == "ougi" and query.result_count > 1:
            target = require_max(_RAY_TARGET, value)
        elif name == "ougi" and query.query == "distance" and "coal" in us:
            target = require_max(_COAL_TARGET * us["coal"], value)
        error = _compare(results[name], results["ougi"])
        ratio = value / us["ougi"]
        found.append(
            Measurement("mesh", case, name, value, "us", ratio=ratio, target=target, facts={"error": error})
        )
    return found + list_missing("mesh", case, missing)


def _compare(theirs: Floats, ours: Floats) -> float:
    """The largest difference; misses of both are equal, a miss of one is infinitely wrong."""
    theirs, ours = np.atleast_1d(theirs), np.atleast_1d(ours)
    if (np.isfinite(theirs) != np.isfinite(ours)).any():
        return float("inf")
    both = np.isfinite(ours)
    return float(np.abs(theirs[both] - ours[both]).max(initial=0.0))


def run(options: Options) -> BenchReport:
    """Measure all cases or those that are named, on one thread."""
    with one_thread():
        found = collect(measure(options.repeats, options.names), "queries of meshes")
    parameters = {"cases": list(options.names), "repeats": options.repeats, "seed": SEED}
    parameters["load_before"] = options.load
    table = build_table(
        "queries of meshes, CPU us per result",
        found,
        columns="us {value:.2f} | / ougi {ratio:.2f} | off by {error:.1e}",
        notes=(
            "One thread, medians of twenty calls in a row. Off by: the largest difference from our results; "
            "embreex has single precision.",
        ),
        load=options.load,
    )
    return BenchReport(parameters, found, [table], read_peer_versions(PEERS))
