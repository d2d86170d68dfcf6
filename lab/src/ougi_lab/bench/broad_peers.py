"""Other libraries on the scenes of `ougi bench broad`.

Each builds its structure anew in every round, as ours does; objects and device arrays exist before the clock
starts. scipy and warp's HashGrid test equal spheres, the others boxes around bodies, which is less work where
the bodies are spheres. Their results are read and compared outside the clock, also where that means to turn a
list of objects into an array.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Floats, Ints
from ougi.shapes import Sphere
from ougi_lab.bench.peers import Peer
from ougi_lab.scenes.volumes import RADIUS, Bodies

# Pairs of an answer, beyond which lists of objects fill the memory.
_MOST_PAIRS = 20_000_000


class Task(NamedTuple):
    """What is timed, and how its result is read: as pairs, or as their number."""

    run: Callable[[], Any]
    read: Callable[[Any], Ints | int]


def _limit(most: int, bodies: Bodies, expected: int) -> str | None:
    """Why boxes are too much for a library: a round takes minutes, or its objects fill the memory."""
    if len(bodies) > most:
        return f"at most {most:,}"
    return f"at most {_MOST_PAIRS:,} pairs" if expected > _MOST_PAIRS else None


def _refuse_boxes(bodies: Bodies, expected: int) -> str | None:
    return None if isinstance(bodies, Sphere) else "equal spheres only"


def _corners(bodies: Bodies) -> tuple[Floats, Floats]:
    boxes = bodies.bounds()
    return np.ascontiguousarray(boxes.lower), np.ascontiguousarray(boxes.upper)


def _scipy(spatial: Any, bodies: Bodies, expected: int) -> Task:
    points = np.ascontiguousarray(bodies.center)
    return Task(lambda: spatial.cKDTree(points).query_pairs(2 * RADIUS, output_type="ndarray"), np.asarray)


def _warp_grid(_: Any, bodies: Bodies, expected: int) -> Task:
    from ougi_lab.bench import broad_warp

    run = broad_warp.hash_grid(bodies.center, 2 * RADIUS, expected + expected // 8 + 64)
    return Task(run, broad_warp.Outlet.pairs)


def _warp_tree(_: Any, bodies: Bodies, expected: int) -> Task:
    from ougi_lab.bench import broad_warp

    return Task(broad_warp.bvh(*_corners(bodies), 3 * expected + 64), broad_warp.Outlet.pairs)


def _ipctk(ipctk: Any, bodies: Bodies, expected: int) -> Task:
    # Points that move from the lower to the upper corner have these boxes.
    lower, upper = (np.asfortranarray(corner) for corner in _corners(bodies))
    edges, faces = np.empty((0, 2), np.int32, order="F"), np.empty((0, 3), np.int32, order="F")
    tree = ipctk.LBVH()

    def run() -> Any:
        tree.clear()
        tree.build(lower, upper, edges, faces, 0)
        return tree.detect_vertex_vertex_candidates()

    def read(found: Any) -> Ints:
        return np.array([(pair.vertex0_id, pair.vertex1_id) for pair in found], np.int64).reshape(-1, 2)

    return Task(run, read)


def _coal(coal: Any, bodies: Bodies, expected: int) -> Task:
    lower, upper = _corners(bodies)
    centers = (lower + upper) / 2
    objects = [
        coal.CollisionObject(coal.Box(*size), np.eye(3), center)
        for size, center in zip((upper - lower).tolist(), centers, strict=True)
    ]
    tree = coal.DynamicAABBTreeCollisionManager()
    for one in objects:
        tree.registerObject(one)
    tree.setup()
    found = coal.CollisionCallBackCollect(3 * expected + 64)

    def run() -> Any:
        for one, center in zip(objects, centers, strict=True):
            one.setTranslation(center)
            one.computeAABB()
        tree.update()
        found.init()
        tree.collide(found)
        return found

    return Task(run, lambda found: int(found.numCollisionPairs()))  # the pairs themselves stay in C++


def _fcl(fcl: Any, bodies: Bodies, expected: int) -> Task:
    lower, upper = _corners(bodies)
    centers = (lower + upper) / 2
    objects = [
        fcl.CollisionObject(fcl.Box(*size), fcl.Transform(center))
        for size, center in zip((upper - lower).tolist(), centers, strict=True)
    ]
    tree = fcl.DynamicAABBTreeCollisionManager()
    tree.registerObjects(objects)
    tree.setup()

    def run() -> int:
        for one, center in zip(objects, centers, strict=True):
            one.setTranslation(center)
        tree.update()
        found = 0

        def count_pair(a: Any, b: Any, _: Any) -> bool:
            nonlocal found
            found += 1  # a and b are new objects at each call, so the bodies are unknown
            return False

        tree.collide(None, count_pair)
        return found

    return Task(run, int)


def _shapely(shapely: Any, bodies: Bodies, expected: int) -> Task:
    lower, upper = _corners(bodies)
    boxes = shapely.box(lower[:, 0], lower[:, 1], upper[:, 0], upper[:, 1])

    def run() -> Ints:
        i, j = shapely.STRtree(boxes).query(boxes)
        above = (i < j) & (lower[i, 2] <= upper[j, 2]) & (lower[j, 2] <= upper[i, 2])
        return np.stack([i[above], j[above]], axis=1)

    return Task(run, np.asarray)


def _for_boxes(name: str, module: str, build: Any, most: int, distribution: str | None = None) -> Peer:
    return Peer(name, module, build, functools.partial(_limit, most), distribution)


# Those in FOR_SPHERES find pairs of equal spheres and of nothing else.
PEERS = (
    Peer("scipy cKDTree", "scipy.spatial", _scipy, _refuse_boxes, "scipy"),
    Peer("warp HashGrid", "warp", _warp_grid, _refuse_boxes, "warp-lang"),
    _for_boxes("warp Bvh", "warp", _warp_tree, 500_000, "warp-lang"),
    _for_boxes("ipctk LBVH", "ipctk", _ipctk, 5_000_000),
    _for_boxes("coal DynamicAABBTree", "coal", _coal, 500_000),
    _for_boxes("python-fcl", "fcl", _fcl, 50_000, "python-fcl"),
    _for_boxes("shapely STRtree", "shapely", _shapely, 5_000),
)
FOR_SPHERES = ("scipy cKDTree", "warp HashGrid")
