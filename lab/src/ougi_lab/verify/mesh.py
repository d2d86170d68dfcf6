"""`ougi verify mesh`: is the nearest triangle of a mesh found, and every touch?

Meshes of up to some hundred triangles: bumpy and thin tori, plates on a lattice (where many bodies touch
exactly), hills, and soups of triangles with slivers and points among them; where they were built, or moved,
also far away. All triangles are asked one by one, with the kernels that `ougi verify narrow` examines, and
the nearest of them must be what `distance`, `closest_points` and `intersects` say of the mesh.

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
from ougi_lab.scenes.pairs import draw_shapes, rotation_3d
from ougi_lab.verify.certificates import BAND, EPS
from ougi_lab.verify.tally import HOPELESS, Tally, finite

CLASSES: tuple[type[Shape], ...] = (Point3d, Sphere, Segment3d, Capsule3d, Triangle3d, Box, Aabb3d)

# Bodies asked about one mesh.
_BODIES = 40

# Sections of meshes: of those that bodies are asked about, and of two meshes.
_LARGE = 18
_SMALL = 8


@dataclass(frozen=True)
class Answers:
    """What is said about a mesh and some bodies, (n,) each; points are the nearest ones, (n, 3)."""

    distance: Floats
    touching: Any
    mesh_point: Floats
    body_point: Floats


def told(mesh: Mesh, bodies: Any) -> Answers:
    """The answers of the library."""
    from ougi import query

    near = query.closest_points(mesh, bodies)
    touching = query.intersects(bodies, mesh)
    return Answers(query.distance(mesh, bodies), touching, near.point_a, near.point_b)


@dataclass(frozen=True)
class Meshes:
    """The subject `mesh` for the runner. `answer` is what is examined; tests plant mistakes there."""

    answer: Callable[[Mesh, Any], Answers] = field(default=told)
    name: str = "mesh"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("kernels", "query", "shapes")

    def pairs(self) -> tuple[str, ...]:
        """Meshes and every class that answers for them."""
        return (*(f"mesh-{cls.__name__.lower()}" for cls in CLASSES), "mesh-mesh")

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n bodies."""
        tally = Tally(cases=n)
        done = 0
        while done < n:
            if pair == "mesh-mesh":
                mesh, other = random_mesh(rng, _SMALL), random_mesh(rng, _SMALL)
                # About a point of the first: some of them touch.
                other = _moved(other, mesh.vertices[rng.integers(len(mesh.vertices))], rng)
                done += self._judge(tally, mesh, other)
                continue
            mesh = random_mesh(rng, _LARGE)
            cls = next(cls for cls in CLASSES if pair == f"mesh-{cls.__name__.lower()}")
            bodies = draw_shapes(cls, min(_BODIES, n - done), rng, "ordinary")
            spread = mesh.vertices[rng.integers(len(mesh.vertices), size=len(bodies))]
            bodies = bodies.transformed(Pose(spread - bodies.bounding_sphere().center))
            away = rng.normal(size=spread.shape) * 10 ** rng.uniform(-3, 0.3, (len(bodies), 1))
            done += self._judge(tally, mesh, bodies.transformed(Pose(away)))
        return tally

    def _judge(self, tally: Tally, mesh: Mesh, bodies: Any) -> int:
        """Compare the answers with those of all triangles; the number of cases."""
        gap, touching, in_doubt = one_by_one(mesh, bodies)
        answers = self.answer(mesh, bodies)
        size = np.abs(mesh.vertices).max() + np.abs(bodies._bounds()).max()
        band = BAND * EPS * size
        told_gap, apart = np.atleast_1d(answers.distance), answers.mesh_point - answers.body_point
        free = np.atleast_1d(told_gap) > 0
        length = np.atleast_1d(np.linalg.norm(apart, axis=-1))
        on_mesh = np.atleast_1d(one_by_one(mesh, Point3d(answers.mesh_point))[0])
        errors = {
            "distance": np.abs(told_gap - np.maximum(gap, 0.0)) / band,
            "touching": np.where((np.atleast_1d(answers.touching) != touching) & ~in_doubt, HOPELESS, 0.0),
            "points": np.where(free, np.abs(length - told_gap) / band, 0.0),
            "on the mesh": on_mesh / band,
        }
        first = tally.judge(errors)
        if first is not None and tally.first is None:
            check = max(errors, key=lambda name: finite(errors[name][first]))
            tally.first = {
                "index": first,
                "check": check,
                "error": finite(errors[check][first]),
                "signed": finite(told_gap[first]),
                "a": f"{mesh!r}: {mesh.vertices.tolist()}, {mesh.faces.tolist()}",
                "b": repr(bodies[first]) if bodies.shape else f"{bodies!r}: {bodies.vertices.tolist()}",
            }
        counts = {
            "touching": int(touching.sum()),
            "in doubt": int(in_doubt.sum()),
            "triangles": len(mesh.faces),
        }
        for name, value in counts.items():
            tally.counts[name] = tally.counts.get(name, 0) + value
        return len(gap)


def one_by_one(mesh: Mesh, bodies: Any) -> tuple[Floats, Any, Any]:
    """The least distance of any triangle, whether any touches, and whether rounding decides that.

    Two triangles that meet in a point may get another answer in the other order.
    """
    from ougi import query

    mine = triangles(mesh)[:, None]
    others = triangles(bodies) if isinstance(bodies, Mesh) else bodies.reshape((bodies.count,))
    every = None if isinstance(bodies, Mesh) else 0
    gap = np.atleast_1d(query.distance(mine, others).min(axis=every))
    touch, turned = (
        np.atleast_1d(table.any(axis=every))
        for table in (query.intersects(mine, others), query.intersects(others, mine))
    )
    return gap, touch, touch != turned


def triangles(mesh: Mesh) -> Triangle3d:
    """All of them."""
    return Triangle3d(*np.moveaxis(mesh.vertices[mesh.faces], 1, 0))


def random_mesh(rng: np.random.Generator, most: int) -> Mesh:
    """A mesh of some sort, perhaps moved, and perhaps far away."""
    made = small_mesh(rng, most)
    if rng.random() < 0.5:
        return made
    made._tree()  # moves along
    return _moved(made, rng.choice([1.0, 1.0, 1e5]) * rng.normal(size=3), rng)


def small_mesh(rng: np.random.Generator, most: int) -> Mesh:
    """A mesh of some sort about the origin; of less than 2 * most**2 triangles."""
    return (_torus, _plate, _soup)[int(rng.integers(3))](rng, most)


def _moved(mesh: Mesh, to: Floats, rng: np.random.Generator) -> Mesh:
    return mesh.transformed(Pose(to, rotation_3d(rng.normal(size=4))))


def _torus(rng: np.random.Generator, most: int) -> Mesh:
    """Closed, with bumps; its sections may be very thin."""
    n, m = (int(k) for k in rng.integers(3, most, 2))
    u, v = np.meshgrid(2 * np.pi * np.arange(n) / n, 2 * np.pi * np.arange(m) / m, indexing="ij")
    tube = rng.choice([0.5, 0.3, 1e-3]) * (1 + rng.choice([0.0, 0.4]) * rng.random((n, m)))
    radius = 1 + tube * np.cos(v)
    points = np.stack([radius * np.cos(u), radius * np.sin(u), tube * np.sin(v)], axis=-1)
    return Mesh(points.reshape((-1, 3)), _grid(n, m, closed=True))


def _plate(rng: np.random.Generator, most: int) -> Mesh:
    """A flat lattice of whole numbers, or hills over it."""
    n, m = (int(k) for k in rng.integers(2, most, 2))
    x, y = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    z = rng.choice([0.0, 1.0]) * rng.random((n, m))
    points = np.stack([x - n // 2, y - m // 2, z], axis=-1).astype(float)
    return Mesh(points.reshape((-1, 3)) * rng.choice([1.0, 0.25]), _grid(n, m, closed=False))


def _soup(rng: np.random.Generator, most: int) -> Mesh:
    """Triangles anywhere: some slivers, some points, some twice."""
    n = int(rng.integers(1, 4 * most))
    a, b, c = rng.uniform(-1, 1, (3, n, 3))
    size = 10 ** rng.uniform(-3, 0, (n, 1))
    corners = np.stack([a, a + size * b, a + size * c], axis=1)
    thin = rng.random(n) < 0.2
    corners[thin, 2] = corners[thin, 1] + 1e-9 * c[thin]
    corners[rng.random(n) < 0.05, 1:] = corners[0, :1]
    faces = np.arange(3 * n).reshape((n, 3))
    return Mesh(corners.reshape((-1, 3)), np.concatenate([faces, faces[: n // 8]]))


def _grid(n: int, m: int, *, closed: bool) -> Any:
    """Two triangles for each cell of n x m points, round both ways if closed."""
    i, j = np.meshgrid(np.arange(n - (not closed)), np.arange(m - (not closed)), indexing="ij")
    a, b, c, d = (((i + k) % n) * m + (j + h) % m for k, h in ((0, 0), (1, 0), (1, 1), (0, 1)))
    return np.concatenate([np.stack(f, axis=-1).reshape((-1, 3)) for f in ((a, b, c), (a, c, d))])
