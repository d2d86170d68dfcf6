"""Closed meshes as code, without a mesh library: shared by verification, benchmarks, examples and tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi._typing import Floats, Ints
from ougi.motion import Pose
from ougi.shapes import Mesh
from ougi_lab.scenes.pairs import rotation_3d

# The faces of a box whose corners count in binary: x is the lowest bit.
_BOX = np.array(
    [
        [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
        [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5],
    ]
)  # fmt: skip


def make_box(size: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Mesh:
    """A box about the origin: 12 faces.

    >>> from ougi_lab.scenes.meshes import make_box
    >>> make_box((1, 2, 3)).bounds()
    Aabb3d(lower=[-0.5, -1.0, -1.5], upper=[0.5, 1.0, 1.5])
    """
    bits = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)])
    return Mesh((bits - 0.5) * np.asarray(size, np.float64), _BOX)


def make_angle_iron(size: tuple[float, float, float] = (1.0, 1.0, 1.0), thick: float = 0.3) -> Mesh:
    """An L pulled out along z: 20 faces."""
    x, y, z = size
    outline = np.array([[0, 0], [1, 0], [1, thick], [thick, thick], [thick, 1], [0, 1]]) - 0.5
    low = np.column_stack([outline * (x, y), np.full(6, -z / 2)])
    high = np.column_stack([outline * (x, y), np.full(6, z / 2)])
    top = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]])
    sides = [[k, (k + 1) % 6, (k + 1) % 6 + 6] for k in range(6)]
    sides += [[k, (k + 1) % 6 + 6, k + 6] for k in range(6)]
    return Mesh(np.concatenate([low, high]), np.concatenate([top[:, ::-1], top + 6, sides]))


def make_torus(around: int, across: int, radius: float = 1.0, thick: Any = 0.35) -> Mesh:
    """A ring about z: 2 around x across faces; `thick` may be an array (around, across), for bumps."""
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = 2 * np.pi * u / around, 2 * np.pi * v / across
    r = radius + thick * np.cos(b)
    points = np.stack([r * np.cos(a), r * np.sin(a), thick * np.sin(b)], axis=-1).reshape((-1, 3))
    return Mesh(points, _build_grid_faces(around, across, closed=(True, True)))


def make_sphere(around: int, rings: int, radius: float = 1.0, bumps: float = 0.0) -> Mesh:
    """A ball about the origin of 2 around (rings - 1) faces; with `bumps`, waves of this height on it."""
    a = 2 * np.pi * np.arange(around) / around
    b = np.pi * np.arange(1, rings) / rings
    theta, phi = np.meshgrid(b, a, indexing="ij")
    unit = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], axis=-1)
    points = np.concatenate([unit.reshape((-1, 3)), [[0, 0, 1], [0, 0, -1]]])
    waves = 1 + bumps * np.sin(5 * points[:, 0]) * np.sin(4 * points[:, 1] + 1) * np.cos(6 * points[:, 2])
    n = (rings - 1) * around
    k = np.arange(around)
    after = (k + 1) % around
    last = n - around
    caps = [
        np.stack([np.full(around, n), k, after], axis=1),
        np.stack([np.full(around, n + 1), last + after, last + k], axis=1),
    ]
    return Mesh(
        radius * points * waves[:, None],
        np.concatenate([_build_grid_faces(rings - 1, around, closed=(False, True)), *caps]),
    )


def _build_grid_faces(rows: int, columns: int, *, closed: tuple[bool, bool]) -> Ints:
    """Two faces for each cell of a grid of points; rows and columns may close."""
    ends = rows - (not closed[0]), columns - (not closed[1])
    i, j = (part.ravel() for part in np.meshgrid(*map(np.arange, ends), indexing="ij"))
    below, right = (i + 1) % rows, (j + 1) % columns
    a, b, c, d = i * columns + j, below * columns + j, below * columns + right, i * columns + right
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def loft_rings(rings: Floats) -> Mesh:
    """A body between rings (k, n, 3), stacked along an axis about which their points go counter-clockwise.

    >>> import numpy as np
    >>> from ougi_lab.scenes.meshes import loft_rings
    >>> square = np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]])
    >>> loft_rings(np.stack([square, 0.5 * square + [0, 0, 1]]))
    <Mesh of 8 vertices and 12 faces>
    """
    k, n, _ = rings.shape
    wall = _build_grid_faces(k, n, closed=(False, True))[:, ::-1]
    fan = np.stack([np.zeros(n - 2, np.int64), np.arange(1, n - 1), np.arange(2, n)], axis=1)
    return Mesh(rings.reshape((-1, 3)), np.concatenate([wall, fan[:, ::-1], fan + (k - 1) * n]))


def make_cylinder(around: int, radius: float = 1.0, height: float = 2.0) -> Mesh:
    """A cylinder about z: 4 around - 4 faces."""
    a = 2 * np.pi * np.arange(around) / around
    ring = np.stack([radius * np.cos(a), radius * np.sin(a), np.full(around, -height / 2)], axis=1)
    return loft_rings(np.stack([ring, ring + np.array([0.0, 0.0, height])]))


def move_mesh(mesh: Mesh, turn: Floats, shift: Floats) -> Mesh:
    """A mesh turned by a matrix and shifted."""
    return Mesh(mesh.vertices @ np.asarray(turn).T + shift, mesh.faces, solid=mesh.solid)


def make_solid(mesh: Mesh) -> Mesh:
    """Return the volume that a closed mesh encloses."""
    return Mesh(mesh.vertices, mesh.faces, solid=True)


def draw_placed_mesh(rng: np.random.Generator, max_sections: int) -> Mesh:
    """Draw a mesh as `draw_small_mesh` does; half of them are moved, some far away."""
    made = draw_small_mesh(rng, max_sections)
    if rng.random() < 0.5:
        return made
    return place_mesh(made, rng.choice([1.0, 1.0, 1e5]) * rng.normal(size=3), rng)


def place_mesh(mesh: Mesh, position: Floats, rng: np.random.Generator) -> Mesh:
    """Turn a mesh at random and move it."""
    return mesh.transformed(Pose(position, rotation_3d(rng.normal(size=4))))


def draw_small_mesh(rng: np.random.Generator, max_sections: int) -> Mesh:
    """Draw a torus, a plate or loose triangles about the origin: fewer than 2 max_sections**2 triangles."""
    family = int(rng.integers(3))
    n, m = (int(k) for k in rng.integers(3 - (family == 1), max_sections, 2))
    if family == 0:  # with bumps; its sections may be very thin
        tube = rng.choice([0.5, 0.3, 1e-3]) * (1 + rng.choice([0.0, 0.4]) * rng.random((n, m)))
        return make_torus(n, m, 1.0, tube)
    if family == 1:  # a flat lattice of whole numbers, or hills over it
        x, y = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
        z = rng.choice([0.0, 1.0]) * rng.random((n, m))
        points = np.stack([x - n // 2, y - m // 2, z], axis=-1).reshape((-1, 3))
        return Mesh(points * rng.choice([1.0, 0.25]), _build_grid_faces(n, m, closed=(False, False)))
    mesh = draw_triangles(int(rng.integers(1, 4 * max_sections)), rng)
    return Mesh(mesh.vertices, np.concatenate([mesh.faces, mesh.faces[: len(mesh.faces) // 8]]))


def draw_triangles(n: int, rng: np.random.Generator) -> Mesh:
    """Draw loose triangles of all sizes: some thin, some flat as a line or a point."""
    a, b, c = rng.uniform(-1, 1, (3, n, 3))
    size = 10 ** rng.uniform(-3, rng.choice([0.0, 0.7]), (n, 1))
    corners = np.stack([a, a + size * b, a + size * c], axis=1)
    thin = rng.random(n) < 0.2
    corners[thin, 2] = corners[thin, 1] + rng.choice([1e-2, 1e-4, 1e-9]) * c[thin]
    corners[rng.random(n) < 0.05, 1:] = corners[0, :1]
    return Mesh(corners.reshape((-1, 3)), np.arange(3 * n).reshape((n, 3)))


def build_coal_model(mesh: Any) -> Any:
    """Build coal's model of a mesh."""
    import coal

    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(mesh.vertices))
    faces.extend([coal.Triangle(*map(int, face)) for face in mesh.faces])
    model.addSubModel(points, faces)
    model.endModel()
    return model
