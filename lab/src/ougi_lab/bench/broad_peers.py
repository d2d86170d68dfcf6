"""Other libraries on the scenes of `ougi bench broad`.

Each builds its structure anew in every round, as ours does; objects and device arrays exist before the clock
starts. scipy and warp's HashGrid test equal spheres, the others boxes around bodies, which is less work where
the bodies are spheres. Their results are read and compared outside the clock, even if a list of
objects has to become an array.
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

# Number of pairs beyond which lists of objects fill the memory.
_MAX_PAIRS = 20_000_000


class PairTask(NamedTuple):
    """What is timed, and how its result is read: as pairs, or as their number."""

    run: Callable[[], Any]
    read: Callable[[Any], Ints | int]


def _refuse_many(max_bodies: int, bodies: Bodies, expected: int) -> str | None:
    """Return why a case is too large for a library: its time or its memory."""
    if len(bodies) > max_bodies:
        return f"at most {max_bodies:,}"
    return f"at most {_MAX_PAIRS:,} pairs" if expected > _MAX_PAIRS else None


def _refuse_boxes(bodies: Bodies, expected: int) -> str | None:
    return None if isinstance(bodies, Sphere) else "equal spheres only"


def _find_corners(bodies: Bodies) -> tuple[Floats, Floats]:
    boxes = bodies.bounds()
    return np.ascontiguousarray(boxes.lower), np.ascontiguousarray(boxes.upper)


def _build_scipy(spatial: Any, bodies: Bodies, expected: int) -> PairTask:
    points = np.ascontiguousarray(bodies.center)
    return PairTask(
        lambda: spatial.cKDTree(points).query_pairs(2 * RADIUS, output_type="ndarray"), np.asarray
    )


def _build_warp_grid(_: Any, bodies: Bodies, expected: int) -> PairTask:
    from ougi_lab.bench import broad_warp

    run = broad_warp.build_grid_search(bodies.center, 2 * RADIUS, expected + expected // 8 + 64)
    return PairTask(run, broad_warp.PairBuffer.read_pairs)


def _build_warp_tree(_: Any, bodies: Bodies, expected: int) -> PairTask:
    from ougi_lab.bench import broad_warp

    return PairTask(
        broad_warp.build_tree_search(*_find_corners(bodies), 3 * expected + 64),
        broad_warp.PairBuffer.read_pairs,
    )


def _build_ipctk(ipctk: Any, bodies: Bodies, expected: int) -> PairTask:
    # Points that move from the lower to the upper corner have these boxes.
    lower, upper = (np.asfortranarray(corner) for corner in _find_corners(bodies))
    edges, faces = np.empty((0, 2), np.int32, order="F"), np.empty((0, 3), np.int32, order="F")
    tree = ipctk.LBVH()

    def run() -> Any:
        tree.clear()
        tree.build(lower, upper, edges, faces, 0)
        return tree.detect_vertex_vertex_candidates()

    def read(found: Any) -> Ints:
        return np.array([(pair.vertex0_id, pair.vertex1_id) for pair in found], np.int64).reshape(-1, 2)

    return PairTask(run, read)


def _build_coal(coal: Any, bodies: Bodies, expected: int) -> PairTask:
    lower, upper = _find_corners(bodies)
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

    return PairTask(run, lambda found: int(found.numCollisionPairs()))  # the pairs themselves stay in C++


def _build_fcl(fcl: Any, bodies: Bodies, expected: int) -> PairTask:
    lower, upper = _find_corners(bodies)
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

    return PairTask(run, int)


def _build_shapely(shapely: Any, bodies: Bodies, expected: int) -> PairTask:
    lower, upper = _find_corners(bodies)
    boxes = shapely.box(lower[:, 0], lower[:, 1], upper[:, 0], upper[:, 1])

    def run() -> Ints:
        i, j = shapely.STRtree(boxes).query(boxes)
        above = (i < j) & (lower[i, 2] <= upper[j, 2]) & (lower[j, 2] <= upper[i, 2])
        return np.stack([i[above], j[above]], axis=1)

    return PairTask(run, np.asarray)


def _build_box_peer(
    name: str, module: str, build: Any, max_bodies: int, distribution: str | None = None
) -> Peer:
    return Peer(name, module, build, functools.partial(_refuse_many, max_bodies), distribution)


# Those in FOR_SPHERES find pairs of equal spheres and of nothing else.
PEERS = (
    Peer("scipy cKDTree", "scipy.spatial", _build_scipy, _refuse_boxes, "scipy"),
    Peer("warp HashGrid", "warp", _build_warp_grid, _refuse_boxes, "warp-lang"),
    _build_box_peer("warp Bvh", "warp", _build_warp_tree, 500_000, "warp-lang"),
    _build_box_peer("ipctk LBVH", "ipctk", _build_ipctk, 5_000_000),
    _build_box_peer("coal DynamicAABBTree", "coal", _build_coal, 500_000),
    _build_box_peer("python-fcl", "fcl", _build_fcl, 50_000, "python-fcl"),
    _build_box_peer("shapely STRtree", "shapely", _build_shapely, 5_000),
)
FOR_SPHERES = ("scipy cKDTree", "warp HashGrid")
