"""Every query on random input, as digests of the bytes of its results: `python all_queries.py PATTERN`."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import ougi
from ougi._native import compiled_loops
from ougi.broad import METHODS
from ougi.impact.tables import KERNELS
from ougi.query._tables import TABLES
from ougi.radar import collide
from ougi_lab.scenes.batches import draw_batch

N = 200
TETRAHEDRON = ougi.Mesh(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
)
PAIRS = np.stack([np.arange(N), np.arange(N)[::-1]], axis=1)


def run_queries(pattern: str) -> Iterator[tuple[str, list[Any]]]:
    """The name and the results of each query whose name matches."""
    for name, query in _queries():
        if re.search(pattern, name):
            yield name, query()


def _queries() -> Iterator[tuple[str, Any]]:
    public = {"intersects": ougi.intersects, "distance": ougi.distance, "separation": ougi.contacts}
    for query, rows in TABLES.items():
        for row in rows:
            yield f"{query} {row.kernel}", lambda row=row, run=public[query]: _compare(run, row.a, row.b)
    for kernel in KERNELS:
        for movers in (1, 2):
            yield f"impact {kernel} {movers}", lambda kernel=kernel, movers=movers: _meet(kernel, movers)
    for method in METHODS:
        for balls in (True, False):
            yield f"broad {method} {balls}", lambda method=method, balls=balls: _search(method, balls)
    for structure in ("reach", "quadtree", "chain", "groups", "brute", "published"):
        yield f"corridor {structure}", lambda structure=structure: _bounce(structure)
    for method in ("exact", "published"):
        yield f"radar {method}", lambda method=method: _approach(method)


def _compare(query: Any, a: Any, b: Any) -> list[Any]:
    x, y = _draw(a, 1), _draw(b, 2)
    return [query(x, y[0]), query(x, y, pairs=PAIRS)]


def _draw(cls: Any, seed: int) -> Any:
    if cls.__name__.startswith("Point"):
        return np.random.default_rng(seed).uniform(-2, 2, (N, cls.dimension))
    return draw_batch(cls, N, seed)


SOLIDS = {"sphere": ougi.Sphere, "capsule3d": ougi.Capsule3d, "triangle3d": ougi.Triangle3d, "box": ougi.Box}


def _draw_solid(layout: str, seed: int) -> Any:
    if layout in SOLIDS:
        return draw_batch(SOLIDS[layout], N, seed)
    sector = draw_batch(ougi.Sector3d, N, seed)
    fields = sector.center, sector.axis, sector.direction, np.pi, 0.0, sector.outer_radius, sector.half_height
    return ougi.Sector3d(*fields)


def _meet(kernel: str, movers: int) -> list[Any]:
    a, b = (_draw_solid(layout, seed) for seed, layout in enumerate(kernel.split("_")))
    motion, other = draw_batch(ougi.Screw3d, N, 3), draw_batch(ougi.Screw3d, N, 4)
    return [ougi.time_of_impact(a, motion, b, other if movers == 2 else None)]


def _search(method: str, balls: bool) -> list[Any]:
    volumes = draw_batch(ougi.Sphere if balls else ougi.Aabb3d, 20 * N, 5)
    return [ougi.candidate_pairs(volumes, method=method)]


def _bounce(structure: str) -> list[Any]:
    rng = np.random.default_rng(6)
    corridor = ougi.Corridor([[0, 0], [9, 0], [9, 4], [5, 6], [0, 6]])
    start, velocity = rng.uniform(1, 3, (N, 2)), rng.uniform(-5, 5, (N, 2))
    return [corridor.step(start, velocity, 0.25, 1.0, method=structure)]


def _approach(method: Any) -> list[Any]:
    target = TETRAHEDRON.transformed(ougi.Pose([0.1, 0.2, 3]))
    return [collide(TETRAHEDRON, ougi.Translation3d([0, 0.1, 9]), target, method=method)]


def digest(results: list[Any]) -> str:
    """A digest of all numbers of some results."""
    found = hashlib.sha256()
    for result in results:
        fields = [result] if isinstance(result, np.ndarray) else list(_fields(result).values())
        for field in fields:
            found.update(np.ascontiguousarray(field).tobytes() if field is not None else b"none")
    return found.hexdigest()[:16]


def _fields(result: Any) -> dict[str, Any]:
    if hasattr(result, "_asdict"):
        return dict(result._asdict())
    return {name: getattr(result, name) for name in getattr(result, "__dataclass_fields__", {})}


if __name__ == "__main__":
    for name, results in run_queries(sys.argv[1]):
        sys.stdout.write(f"{name}: {digest(results)}\n")
    sys.stdout.write(f"numba: {'numba' in sys.modules}\n")
    bound = [loop for loop in compiled_loops.values() if hasattr(loop, "signature")]
    sys.stdout.write(f"loops of a library: {len(bound)}\n")
