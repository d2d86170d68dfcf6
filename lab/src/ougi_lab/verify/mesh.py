"""`ougi verify mesh`: is the nearest triangle of a mesh found, and every touch?

MeshSubject of up to some hundred triangles: bumpy and thin tori, plates on a lattice (where many bodies touch
exactly), hills, and soups of triangles with slivers and points among them; where they were built, or moved,
also far away. All triangles are queried one by one, with the kernels that `ougi verify narrow` examines. The
nearest of them must be the result of `distance`, `closest_points` and `intersects` of the mesh.

A case is a body, or another mesh, and a mesh.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.motion import Pose
from ougi.shapes import Aabb3d, Box, Capsule3d, Mesh, Point3d, Segment3d, Shape, Sphere, Triangle3d
from ougi_lab.scenes.meshes import draw_placed_mesh, place_mesh
from ougi_lab.scenes.pairs import draw_shapes
from ougi_lab.verify.certificates import BAND, EPS
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally, to_finite

CLASSES: tuple[type[Shape], ...] = (Point3d, Sphere, Segment3d, Capsule3d, Triangle3d, Box, Aabb3d)

# Bodies queried with one mesh.
_BODIES = 40

# Sections of meshes: of those against bodies, and of two meshes.
_LARGE = 18
_SMALL = 8


@dataclass(frozen=True)
class MeshResults:
    """Results for a mesh and some bodies, (n,) each; points are the nearest ones, (n, 3)."""

    distance: Floats
    touching: Any
    mesh_point: Floats
    body_point: Floats


def run_ougi(mesh: Mesh, bodies: Any) -> MeshResults:
    """The results of the library."""
    from ougi import query

    near = query.closest_points(mesh, bodies)
    touching = query.intersects(bodies, mesh)
    return MeshResults(query.distance(mesh, bodies), touching, near.point_a, near.point_b)


@dataclass(frozen=True)
class MeshSubject:
    """The subject `mesh` of the runner. Tests replace `query` to plant mistakes."""

    query: Callable[[Mesh, Any], MeshResults] = field(default=run_ougi)
    name: str = "mesh"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("kernels", "kernels/mesh", "query")

    def pairs(self) -> tuple[str, ...]:
        """Meshes and every class that has queries with them."""
        return (*(f"mesh-{cls.__name__.lower()}" for cls in CLASSES), "mesh-mesh")

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n bodies."""
        tally = Tally(cases=n)
        done = 0
        while done < n:
            if pair == "mesh-mesh":
                mesh, other = draw_placed_mesh(rng, _SMALL), draw_placed_mesh(rng, _SMALL)
                # About a point of the first: some of them touch.
                other = place_mesh(other, mesh.vertices[rng.integers(len(mesh.vertices))], rng)
                done += self._judge(tally, mesh, other)
                continue
            mesh = draw_placed_mesh(rng, _LARGE)
            cls = next(cls for cls in CLASSES if pair == f"mesh-{cls.__name__.lower()}")
            bodies = draw_shapes(cls, min(_BODIES, n - done), rng, "ordinary")
            spread = mesh.vertices[rng.integers(len(mesh.vertices), size=len(bodies))]
            bodies = bodies.transformed(Pose(spread - bodies.bounding_sphere().center))
            away = rng.normal(size=spread.shape) * 10 ** rng.uniform(-3, 0.3, (len(bodies), 1))
            done += self._judge(tally, mesh, bodies.transformed(Pose(away)))
        return tally

    def _judge(self, tally: Tally, mesh: Mesh, bodies: Any) -> int:
        """Compare the answers with those of all triangles; the number of cases."""
        gap, touching, in_doubt = query_triangles(mesh, bodies)
        results = self.query(mesh, bodies)
        size = np.abs(mesh.vertices).max() + np.abs(bodies._bounds()).max()
        band = BAND * EPS * size
        found_gap, apart = np.atleast_1d(results.distance), results.mesh_point - results.body_point
        free = np.atleast_1d(found_gap) > 0
        length = np.atleast_1d(np.linalg.norm(apart, axis=-1))
        on_mesh = np.atleast_1d(query_triangles(mesh, Point3d(results.mesh_point))[0])
        wrong = np.atleast_1d(results.touching) != touching
        errors = {
            "distance": np.abs(found_gap - np.maximum(gap, 0.0)) / band,
            "touching": np.where(wrong & ~in_doubt, NONFINITE_ERROR, 0.0),
            "points": np.where(free, np.abs(length - found_gap) / band, 0.0),
            "on the mesh": on_mesh / band,
        }
        tally.judge(
            errors,
            lambda i: {
                "signed": to_finite(found_gap[i]),
                "a": f"{mesh!r}: {mesh.vertices.tolist()}, {mesh.faces.tolist()}",
                "b": repr(bodies[i]) if bodies.shape else f"{bodies!r}: {bodies.vertices.tolist()}",
            },
        )
        tally.add_counts({"touching": int(touching.sum()), "in doubt": int(in_doubt.sum())})
        tally.add_counts({"triangles": len(mesh.faces)})
        return len(gap)


def query_triangles(mesh: Mesh, bodies: Any) -> tuple[Floats, Any, Any]:
    """Return the smallest distance of all triangles, whether any touches, and whether rounding decides that.

    Two triangles that meet in a point may have another result in the other order.
    """
    from ougi import query

    mine = list_triangles(mesh)[:, None]
    others = list_triangles(bodies) if isinstance(bodies, Mesh) else bodies.reshape((bodies.count,))
    every = None if isinstance(bodies, Mesh) else 0
    gap = np.maximum(np.atleast_1d(query.distance(mine, others).min(axis=every)), 0.0)
    touch, turned = (
        np.atleast_1d(table.any(axis=every))
        for table in (query.intersects(mine, others), query.intersects(others, mine))
    )
    return gap, touch, touch != turned


def list_triangles(mesh: Mesh) -> Triangle3d:
    """All of them."""
    return Triangle3d(*np.moveaxis(mesh.vertices[mesh.faces], 1, 0))
