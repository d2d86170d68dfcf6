"""Templates of convex polytopes, and how a batch of them is laid out for kernels.

Many bodies share one template. A body adds a frame, a scale and a radius.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Array, Floats, Ints
from ougi.kernels.convex.constants import VERTEX_BLOCK
from ougi.shapes.exact import find_exact_sign

# Rows of the record `Hull3d` before its templates.
_ROWS = 25

# Normals that differ by less belong to one face. Every normal gives a valid bound of a depth, so the cost of
# a larger value is a depth that is too large by this share.
_SAME_NORMAL = 1e-13

# Points within this share of their extent of a plane, or of a line, are flat: their height is all rounding.
FLAT = 4e-15

# Rounding of a determinant of three differences, relative to the sum of the magnitudes of its six products.
_ROUNDING = 1e-15


class Polytope:
    """Vertices (n, 3), faces (m, 4: outward normal and support), edges (k, 4: two vertices, two faces).

    `triangles` (t, 3) of vertices cover its surface, counterclockwise from outside. `rank` is its dimension.
    """

    __slots__ = ("_key", "edges", "faces", "rank", "triangles", "vertices")

    def __init__(self, vertices: Floats, faces: Floats, edges: Ints, triangles: Ints, rank: int) -> None:
        self.vertices, self.faces, self.edges, self.triangles = vertices, faces, edges, triangles
        self.rank = rank
        for array in (vertices, faces, edges, triangles):
            array.flags.writeable = False
        self._key = vertices.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polytope) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[object, ...]:
        return Polytope, tuple(
            np.array(x) if isinstance(x, np.ndarray) else x
            for x in (self.vertices, self.faces, self.edges, self.triangles, self.rank)
        )

    def __repr__(self) -> str:
        return f"<Polytope of {len(self.vertices)} vertices>"

    @property
    def radius(self) -> float:
        """Of the ball about the origin that holds all vertices."""
        return float(np.linalg.norm(self.vertices, axis=1).max())


class Templates(NamedTuple):
    """Packed templates: all numbers in a row, and for each where its parts start, its rank and extent."""

    numbers: Floats
    starts: Ints  # (m, 3): of vertices, faces, edges
    counts: Ints  # (m, 3)
    rank: Ints  # (m,)
    reach: Floats  # (m, 3), the largest absolute coordinates
    radius: Floats  # (m,), of the ball about the origin


class PlacedTemplates(NamedTuple):
    """What a batch of n bodies adds to templates."""

    center: Floats  # (n, 3)
    axes: Floats  # (n, 3, 3), columns
    scale: Floats  # (n, 3)
    radius: Floats  # (n,)
    templates: Templates
    template: Ints  # (n,), index into the templates


def pack_templates(templates: Sequence[Polytope]) -> Templates:
    """Templates one behind the other."""
    parts = [part for t in templates for part in (_pack_vertices(t.vertices), t.faces, t.edges)]
    return Templates(
        np.concatenate([*(part.ravel() for part in parts), np.empty(0)]),
        np.cumsum([0, *(part.size for part in parts)])[:-1].reshape((-1, 3)),
        np.array([len(part) for t in templates for part in (t.vertices, t.faces, t.edges)]).reshape((-1, 3)),
        np.array([t.rank for t in templates], np.int64),
        np.array([np.abs(t.vertices).max(axis=0) for t in templates]).reshape((-1, 3)),
        np.array([t.radius for t in templates]),
    )


def _pack_vertices(vertices: Floats) -> Floats:
    """Blocks (m, 3, 8) of eight vertices each, as `find_furthest` reads them. The last repeats the first."""
    n = len(vertices)
    filled = np.concatenate([vertices, np.broadcast_to(vertices[:1], (-n % VERTEX_BLOCK, 3))])
    return filled.reshape((-1, VERTEX_BLOCK, 3)).transpose((0, 2, 1))


def join_bodies(parts: Sequence[PlacedTemplates]) -> PlacedTemplates:
    """The bodies of all parts as one batch."""
    if len(parts) == 1:
        return parts[0]
    templates = [part.templates for part in parts]
    columns = {name: np.concatenate([getattr(t, name) for t in templates]) for name in Templates._fields}
    sizes, counts = [len(t.numbers) for t in templates], [len(t.rank) for t in templates]
    columns["starts"] += np.repeat(np.cumsum([0, *sizes[:-1]]), counts)[:, None]
    joined: dict[str, Array] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in PlacedTemplates._fields
        if name != "templates"
    }
    joined["template"] += np.repeat(np.cumsum([0, *counts[:-1]]), [len(part.radius) for part in parts])
    return PlacedTemplates(**joined, templates=Templates(**columns))


def lay_out(bodies: PlacedTemplates) -> Floats:
    """The columns of a batch: one record for each body, then all templates in the same memory."""
    n, shared, own = len(bodies.radius), bodies.templates, bodies.template
    if not n:
        return np.zeros((_ROWS, 0))
    size = len(shared.numbers)
    out = np.zeros((_ROWS - (-size // n), n))
    out[0:3] = bodies.center.T
    out[3:12] = np.moveaxis(bodies.axes, -1, 1).reshape((n, 9)).T
    out[12:15] = bodies.scale.T
    out[15] = bodies.radius
    out[16] = (shared.reach[own] * bodies.scale).sum(axis=1)
    out[17] = np.where(
        (bodies.scale == 1.0).all(axis=1),
        shared.radius[own],
        np.linalg.norm(shared.reach[own] * bodies.scale, axis=1),
    )
    out[18] = shared.rank[own]
    out[19:25:2] = _ROWS * n + shared.starts[own].T
    out[20:25:2] = shared.counts[own].T
    out.reshape(-1)[_ROWS * n : _ROWS * n + size] = shared.numbers
    return out


def group_templates(templates: Array) -> list[tuple[Any, Array]]:
    """The different templates of an array, each with its rows in the flattened array."""
    rows: dict[int, list[int]] = {}
    flat = templates.ravel().tolist()
    for i, template in enumerate(flat):
        rows.setdefault(id(template), []).append(i)
    return [(flat[own[0]], np.array(own)) for own in rows.values()]


# --- templates that many classes share ------------------------------------------------------------------


def make_point() -> Polytope:
    """The origin."""
    return make_polygon(np.zeros((1, 3)))


def make_segment() -> Polytope:
    """From (-1, 0, 0) to (1, 0, 0)."""
    return make_polygon(np.array([[-1.0, 0, 0], [1.0, 0, 0]]))


def find_normals(triangles: Floats) -> Floats:
    """Unit normals of triangles (n, 3, 3), square to their longest sides up to rounding; 0 without an area.

    The product of two sides of a sliver would be tilted along it, by rounding times length over width.
    """
    sides = np.roll(triangles, -1, axis=1) - triangles
    longest = np.argmax((sides**2).sum(axis=2), axis=1)
    rows = np.arange(len(triangles))
    x = _normalize(sides[rows, longest])
    y = sides[rows, (longest + 1) % 3]
    for _ in range(2):
        y = _normalize(y - (y * x).sum(axis=1)[:, None] * x)
    return _normalize(np.cross(x, y))


def _normalize(v: Floats) -> Floats:
    """Unit vectors; 0 stays 0."""
    length = np.linalg.norm(v, axis=1)[:, None]
    return np.asarray(v / np.where(length > 0, length, 1.0))


def make_polygon(vertices: Floats) -> Polytope:
    """A flat convex polygon (n, 3), counterclockwise about its normal; also a point or a segment."""
    n = len(vertices)
    if n < 3:
        edges = np.array([[0, 1, 0, 0]][: n - 1], np.int64).reshape((-1, 4))
        return Polytope(vertices, np.empty((0, 4)), edges, np.empty((0, 3), np.int64), n - 1)
    front = np.array([[0, i, i + 1] for i in range(1, n - 1)])
    fans = np.cross(vertices[1:-1] - vertices[0], vertices[2:] - vertices[0])
    widest = int(np.argmax((fans**2).sum(axis=1)))
    normal = find_normals(vertices[front[widest]][None])[0]
    faces = np.array([[*normal, (vertices @ normal).max()], [*-normal, -(vertices @ normal).min()]])
    edges = np.array([[i, (i + 1) % n, 0, 1] for i in range(n)])
    return Polytope(vertices, faces, edges, np.concatenate([front, front[:, ::-1]]), 2)


def make_cube() -> Polytope:
    """From (-1, -1, -1) to (1, 1, 1)."""
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    return find_hull(corners)


def make_square() -> Polytope:
    """From (-1, -1) to (1, 1), at z = 0."""
    return make_polygon(np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]))


# --- convex hulls ---------------------------------------------------------------------------------------


def find_hull(points: Floats) -> Polytope:
    """The convex hull of points (n, 3). Signs of volumes are exact, so every extreme point is a vertex.

    Points are added one by one; faces that see a new point are replaced by those between their border and it.
    """
    points = np.unique(points, axis=0)
    base = _find_base(points)
    if len(base) < 4:
        return make_polygon(_find_flat_hull(points, base))
    faces = _orient_tetrahedron(points, base)
    seeds = set(base)
    for i in range(len(points)):
        if i not in seeds:
            faces = _add_point(points, faces, i)
    return _make_solid(points, faces)


def _find_base(points: Floats) -> list[int]:
    """Up to four points that span as many dimensions as all of them; far apart."""
    base = [0]
    far = np.abs(points - points[0]).max(axis=1)
    if not far.max() > 0:
        return base
    base.append(int(np.argmax(far)))
    extent = np.linalg.norm(points[base[1]] - points[0])
    along = (points[base[1]] - points[0]) / extent
    beside = np.linalg.norm(np.cross(points - points[0], along), axis=1)
    if not beside.max() > FLAT * extent:
        return base
    base.append(int(np.argmax(beside)))
    n = np.cross(along, points[base[2]] - points[0])
    heights = np.abs((points - points[0]) @ (n / np.linalg.norm(n)))
    if not heights.max() > FLAT * extent:
        return base
    return [*base, int(np.argmax(heights))]


def _orient(points: Floats, faces: Ints, indices: Ints) -> Ints:
    """Signs (faces, indices): 1 where a point lies outside of the plane of a face."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    p = points[indices]
    u, v = b - a, c - a
    w = p[None] - a[:, None]
    n = np.cross(u, v)
    size = np.abs(np.stack([u[:, 1] * v[:, 2], u[:, 2] * v[:, 0], u[:, 0] * v[:, 1]], axis=1)) + np.abs(
        np.stack([u[:, 2] * v[:, 1], u[:, 0] * v[:, 2], u[:, 1] * v[:, 0]], axis=1)
    )
    volume = (n[:, None] * w).sum(axis=-1)
    error = _ROUNDING * (size[:, None] * np.abs(w)).sum(axis=-1)
    # Differences of coordinates are rounded, too: by half a unit of the last digit each.
    signs = np.where(np.abs(volume) > 8 * error, np.sign(volume), 0).astype(np.int64)
    for f, i in np.argwhere(np.abs(volume) <= 8 * error).tolist():
        signs[f, i] = -find_exact_sign([*points[faces[f]].tolist(), p[i].tolist()])
    return signs


def _orient_tetrahedron(points: Floats, base: list[int]) -> Ints:
    a, b, c, d = base
    if find_exact_sign(points[base].tolist()) < 0:
        b, c = c, b
    return np.array([[a, b, c], [a, d, b], [b, d, c], [c, d, a]])


def _add_point(points: Floats, faces: Ints, i: int) -> Ints:
    sees = _orient(points, faces, np.array([i]))[:, 0] > 0
    if not sees.any():
        return faces
    seen = faces[sees]
    edges = np.concatenate([seen[:, [0, 1]], seen[:, [1, 2]], seen[:, [2, 0]]])
    n = len(points)
    code, back = edges[:, 0] * n + edges[:, 1], edges[:, 1] * n + edges[:, 0]
    border = edges[~np.isin(back, code)]
    new = np.column_stack([border, np.full(len(border), i)])
    return np.concatenate([faces[~sees], new])


def _find_flat_hull(points: Floats, base: list[int]) -> Floats:
    """The vertices of points that lie in a plane, on a line or in one place; counterclockwise."""
    if len(base) < 3:
        return points[base]
    # Projected along the axis on which the normal is longest, points keep their order exactly.
    n = np.cross(points[base[1]] - points[0], points[base[2]] - points[0])
    axis = int(np.argmax(np.abs(n)))
    flat = np.delete(points, axis, axis=1)
    order = np.lexsort((flat[:, 1], flat[:, 0]))
    chains = []
    for sequence in (order, order[::-1]):
        chain: list[int] = []
        for i in sequence.tolist():
            while len(chain) > 1 and turn_exactly(flat[chain[-2]], flat[chain[-1]], flat[i]) <= 0:
                chain.pop()
            chain.append(i)
        chains.append(chain[:-1])
    return points[chains[0] + chains[1]]


def turn_exactly(a: Floats, b: Floats, c: Floats) -> int:
    """1 where the path a b c of the plane turns left, -1 where it turns right, 0 where it is straight."""
    u, v = b - a, c - b
    left, right = u[0] * v[1], u[1] * v[0]
    if abs(left - right) > 8 * _ROUNDING * (abs(left) + abs(right)):
        return 1 if left > right else -1
    return find_exact_sign([a.tolist(), b.tolist(), c.tolist()])


def _make_solid(points: Floats, faces: Ints) -> Polytope:
    """Renumber the vertices, unite triangles of one plane to a face, and list the edges between faces."""
    used, inverse = np.unique(faces, return_inverse=True)
    vertices, triangles = points[used], inverse.reshape(faces.shape)
    n = find_normals(vertices[triangles])
    owner: dict[tuple[int, int], int] = {}
    for k in range(3):
        sides = zip(triangles[:, k].tolist(), triangles[:, (k + 1) % 3].tolist(), strict=True)
        owner |= {side: f for f, side in enumerate(sides)}
    face = np.arange(len(triangles))
    for (a, b), f in owner.items():
        g = owner[b, a]
        if np.abs(n[f] - n[g]).max() <= _SAME_NORMAL:
            face[face == face[g]] = face[f]
    own, face = np.unique(face, return_inverse=True)
    edges = []
    for (a, b), f in owner.items():
        g = owner[b, a]
        if a < b and face[f] != face[g]:
            u = np.cross(n[own[face[f]]], n[own[face[g]]])
            forward = (vertices[b] - vertices[a]) @ u >= 0
            edges.append([a, b, face[f], face[g]] if forward else [b, a, face[f], face[g]])
    normals = n[own]
    planes = np.column_stack([normals, (vertices @ normals.T).max(axis=0)])
    return Polytope(vertices, planes, np.array(edges, np.int64).reshape((-1, 4)), triangles, 3)
