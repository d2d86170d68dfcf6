"""Other libraries on the crowds of `ougi bench broad`.

Each builds its structure anew in every round, as ours does; objects and device arrays are there before the
clock starts. scipy and warp's HashGrid answer for equal spheres, the others for boxes around bodies, which is
less work than spheres where those are asked. Their answers are read and compared outside the clock, also
where that means to turn a list of objects into an array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Floats, Ints
from ougi.shapes import Sphere
from ougi_lab.bench.peers import load
from ougi_lab.scenes.volumes import RADIUS, Bodies

# Pairs of an answer, beyond which lists of objects fill the memory.
_MOST_PAIRS = 20_000_000


class Task(NamedTuple):
    """What is timed, and how its result is read: as pairs, or as their number."""

    run: Callable[[], Any]
    read: Callable[[Any], Ints | int]


class Peer(NamedTuple):
    """A library: its module, how its task is made of bodies and of how many pairs there are, its limits."""

    module: str
    build: Callable[[Any, Bodies, int], Task]
    spheres: bool = False  # answers for equal spheres, and for them only
    most: int = 5_000_000  # bodies, beyond which a round takes minutes or its objects fill the memory


def tasks(bodies: Bodies, expected: int) -> tuple[dict[str, Task], dict[str, str]]:
    """A task for each library that is installed and fits, and why others are missing."""
    made, missing = {}, {}
    for name, peer in PEERS.items():
        if peer.spheres and not isinstance(bodies, Sphere):
            missing[name] = "equal spheres only"
        elif len(bodies) > peer.most:
            missing[name] = f"at most {peer.most:,}"
        elif expected > _MOST_PAIRS and not peer.spheres:
            missing[name] = f"at most {_MOST_PAIRS:,} pairs"
        elif isinstance(module := load(peer.module), str):
            missing[name] = module
        else:
            made[name] = peer.build(module, bodies, expected)
    return made, missing


def versions() -> dict[str, str | None]:
    """Of the libraries; None for one that is missing."""
    return {name: getattr(load(peer.module), "__version__", None) for name, peer in PEERS.items()}


def _corners(bodies: Bodies) -> tuple[Floats, Floats]:
    boxes = bodies.bounds()
    return np.ascontiguousarray(boxes.lower), np.ascontiguousarray(boxes.upper)


def _scipy(spatial: Any, bodies: Bodies, expected: int) -> Task:
    points = np.ascontiguousarray(bodies.center)

    def run() -> Ints:
        pairs: Ints = spatial.cKDTree(points).query_pairs(2 * RADIUS, output_type="ndarray")
        return pairs

    return Task(run, np.asarray)


def _warp_grid(_: Any, bodies: Bodies, expected: int) -> Task:
    from ougi_lab.bench import broad_warp

    run = broad_warp.hash_grid(bodies.center, 2 * RADIUS, expected + expected // 8 + 64)
    return Task(run, lambda outlet: outlet.pairs())


def _warp_tree(_: Any, bodies: Bodies, expected: int) -> Task:
    from ougi_lab.bench import broad_warp

    run = broad_warp.bvh(*_corners(bodies), 3 * expected + 64)
    return Task(run, lambda outlet: outlet.pairs())


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

        def meet(a: Any, b: Any, _: Any) -> bool:
            nonlocal found
            found += 1  # a and b are new objects at each call: which bodies they are it does not tell
            return False

        tree.collide(None, meet)
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


PEERS: dict[str, Peer] = {
    "scipy cKDTree": Peer("scipy.spatial", _scipy, spheres=True),
    "warp HashGrid": Peer("warp", _warp_grid, spheres=True),
    "warp Bvh": Peer("warp", _warp_tree, most=500_000),
    "ipctk LBVH": Peer("ipctk", _ipctk),
    "coal DynamicAABBTree": Peer("coal", _coal, most=500_000),
    "python-fcl": Peer("fcl", _fcl, most=50_000),
    "shapely STRtree": Peer("shapely", _shapely, most=5_000),
}
