"""Single shapes as polygons and triangle meshes, for drawing only. Corners lie on the shapes' borders."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from ougi._typing import Floats, Ints
from ougi.shapes import (
    Aabb2d,
    Aabb3d,
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    Compound,
    Cone,
    ConvexHull3d,
    ConvexPolygon2d,
    Ellipsoid,
    HalfSpace,
    Mesh,
    Point2d,
    Polygon2d,
    Rectangle,
    Sector2d,
    Sector3d,
    Segment2d,
    Shape,
    Sphere,
    Triangle2d,
    Triangle3d,
)

# Pieces of a full circle: coarse enough for small files, round to the eye.
PIECES = 40

# Half-spaces are drawn as plates whose thickness is this share of the scene.
PLATE = 0.04


def iter_shapes(shape: Shape) -> Iterator[Shape]:
    """The single shapes of a batch of any shape; the parts of compounds, but polygons as a whole.

    >>> import ougi
    >>> len(list(iter_shapes(ougi.Sphere([[[0, 0, 0], [1, 0, 0]]], 1))))
    2
    """
    for one in [shape] if not shape.shape else shape.reshape((shape.count,)):
        if isinstance(one, Compound) and not isinstance(one, Polygon2d):
            for part in one.parts:
                yield from iter_shapes(part)
        else:
            yield one


def list_rings(shape: Shape) -> list[Floats]:
    """The outline of a single shape of the plane, and those of its holes.

    >>> import ougi
    >>> [len(ring) for ring in list_rings(ougi.Rectangle([0, 0], [2, 4]))]
    [4]
    """
    return shape.rings if isinstance(shape, Polygon2d) else [build_outline(shape)]


def build_outline(shape: Shape) -> Floats:
    """The corners (k, 2) of a single shape of the plane, in order; two for a segment, one for a point.

    >>> import ougi
    >>> build_outline(ougi.Rectangle([0, 0], [2, 4])).tolist()
    [[-1.0, -2.0], [1.0, -2.0], [1.0, 2.0], [-1.0, 2.0]]
    """
    match shape:
        case Circle():
            return np.asarray(shape.center + shape.radius * _build_arc(0, 2 * math.pi)[:-1])
        case Rectangle():
            c, s = math.cos(shape.angle), math.sin(shape.angle)
            return np.asarray(shape.center + _SQUARE * shape.size / 2 @ np.array([[c, s], [-s, c]]))
        case Aabb2d():
            return np.asarray((shape.lower + shape.upper) / 2 + _SQUARE * (shape.upper - shape.lower) / 2)
        case Capsule2d():
            return build_stadium(shape.start, shape.end, float(shape.radius))
        case Triangle2d():
            return np.stack([shape.a, shape.b, shape.c])
        case ConvexPolygon2d() if shape.radius == 0:
            return np.asarray(shape.vertices)
        case ConvexPolygon2d():
            around = shape.radius * _build_arc(0, 2 * math.pi)[:-1]
            return build_outline(
                ConvexPolygon2d.from_points((shape.vertices[:, None] + around).reshape((-1, 2)))
            )
        case Sector2d():
            return shape.outline(_count_pieces(shape))
        case Segment2d():
            return np.stack([shape.start, shape.end])
        case Point2d():
            return shape.position[None]
    raise TypeError(f"shape must be of the plane, got {type(shape).__name__}")


def cut_half_space(plane: HalfSpace, lower: Floats, upper: Floats) -> Rectangle | Box:
    """The part of a single half-space that is drawn: a plate below the box between two corners.

    >>> import ougi
    >>> cut_half_space(ougi.HalfSpace2d([0, 1]), np.array([-1.0, 0]), np.array([1.0, 2])).center[1] < 0
    np.True_
    """
    size = float(np.linalg.norm(upper - lower)) or 1.0
    middle, n = (lower + upper) / 2, plane.normal
    thickness = PLATE * size
    center = middle - (n @ middle - plane.offset + thickness / 2) * n
    if plane.dimension == 2:
        return Rectangle(center, [thickness, 1.2 * size], math.atan2(n[1], n[0]))
    x = np.cross(np.eye(3)[np.argmin(np.abs(n))], n)
    x /= np.linalg.norm(x)
    return Box(center, [size, size, thickness], np.stack([x, np.cross(n, x), n], axis=1))


def build_stadium(start: Floats, end: Floats, radius: float) -> Floats:
    """The corners (k, 2) of the outline of a planar capsule; half of them belong to each end."""
    along = end - start
    angle = math.atan2(along[1], along[0])
    right, left = angle - math.pi / 2, angle + math.pi / 2
    caps = [start + radius * _build_arc(left, right + 2 * math.pi), end + radius * _build_arc(right, left)]
    return np.concatenate(caps)


def build_mesh(shape: Shape, pieces: int = PIECES) -> Mesh:
    """A single shape of space as a mesh, wound outward where it is solid; balls have `pieces` around.

    >>> import ougi
    >>> build_mesh(ougi.Box([0, 0, 0], [1, 1, 1]))
    <Mesh of 8 vertices and 12 faces>
    """
    match shape:
        case Box():
            return _build_box(shape.center, shape.size, shape.rotation)
        case Aabb3d():
            return _build_box((shape.lower + shape.upper) / 2, shape.upper - shape.lower, np.eye(3))
        case Sphere():
            return _build_tube(shape.center, shape.center, float(shape.radius), pieces)
        case Capsule3d():
            return _build_tube(shape.start, shape.end, float(shape.radius), pieces)
        case Sector3d():
            return shape.mesh(_count_pieces(shape))
        case Cone():
            return shape.mesh(2 * pieces)
        case Ellipsoid():
            ball = _build_tube(np.zeros(3), np.zeros(3), 1.0, pieces)
            return Mesh._from_arrays(
                shape.center + ball.vertices * shape.radii @ shape.rotation.T, ball.faces
            )
        case ConvexHull3d():
            return _build_hull(shape, pieces)
        case Triangle3d():
            return Mesh._from_arrays(np.stack([shape.a, shape.b, shape.c]), np.array([[0, 1, 2]]))
        case Mesh():
            return shape
    raise TypeError(f"shape must be of space and have a surface, got {type(shape).__name__}")


_SQUARE = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])


def _build_arc(start: float, end: float, pieces: int = PIECES) -> Floats:
    """Unit vectors from one angle to another; a whole circle has `pieces`."""
    angle = np.linspace(start, end, max(2, round(pieces * abs(end - start) / (2 * math.pi))) + 1)
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


def _count_pieces(fan: Sector2d | Sector3d) -> int:
    return max(3, math.ceil(2 * PIECES * float(fan.half_angle) / math.pi))  # fans are large: twice as fine


def _build_box(center: Floats, size: Floats, rotation: Floats) -> Mesh:
    corners = np.array(list(itertools.product([-0.5, 0.5], repeat=3)))
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [half for a, b, c, d in quads for half in ((a, b, c), (a, c, d))]
    return Mesh._from_arrays(center + corners * size @ rotation.T, np.array(faces))


def _build_tube(start: Floats, end: Floats, radius: float, pieces: int) -> Mesh:
    """A ball or capsule: rings about the line from start to end, and a vertex at each pole."""
    along = end - start
    length = float(np.linalg.norm(along))
    w = along / length if length > 0 else np.array([0.0, 0.0, 1.0])
    u = np.cross(w, np.eye(3)[np.argmin(np.abs(w))])
    u /= np.linalg.norm(u)
    around = _build_arc(0, 2 * math.pi, pieces)[:-1] @ np.stack([u, np.cross(w, u)])
    cap = np.linspace(0, math.pi / 2, pieces // 4 + 1)[1:]
    heights = np.concatenate([-np.cos(cap), np.cos(cap)[::-1]])
    widths = np.concatenate([np.sin(cap), np.sin(cap)[::-1]])
    middle = np.concatenate([np.tile(start, (len(cap), 1)), np.tile(end, (len(cap), 1))])
    rings = middle[:, None] + radius * (heights[:, None, None] * w + widths[:, None, None] * around)
    vertices = np.concatenate([[start - radius * w], rings.reshape(-1, 3), [end + radius * w]])
    return Mesh._from_arrays(vertices, _build_ring_faces(len(heights), len(around)))


def _build_hull(shape: ConvexHull3d, pieces: int) -> Mesh:
    corners, radius, template = shape.vertices, float(shape.radius), shape.template.item()
    if radius > 0 and len(corners) < 3:
        return _build_tube(corners[0], corners[-1], radius, pieces)
    if len(corners) < 3:
        raise TypeError("shape must have a surface, got a ConvexHull3d that is a point or a segment")
    if radius == 0:
        return Mesh._from_arrays(corners, template.triangles)
    return _round_off(corners, template.edges, template.faces[:, :3] @ shape.rotation.T, radius, pieces)


def _round_off(corners: Floats, edges: Ints, normals: Floats, radius: float, pieces: int) -> Mesh:
    """A polytope with a radius, from its edges, as `Polytope` lists them, and the normals of its faces.

    Faces move outward by the radius. An edge becomes a strip whose rows turn by a piece of a circle at most,
    and a corner becomes rings about the middle of its normals.
    """
    step = 2.0 * math.pi / pieces
    points: list[Floats] = []
    faces: list[tuple[int, int, int]] = []

    def add(corner: int, normal: Floats) -> int:
        points.append(corners[corner] + radius * normal)
        return len(points) - 1

    loops = _trace_loops(edges, len(normals))
    at = {(f, v): add(v, normals[f]) for f, loop in enumerate(loops) for v in loop}
    for f, loop in enumerate(loops):
        faces += [(at[f, loop[0]], at[f, v], at[f, w]) for v, w in itertools.pairwise(loop[1:])]
    after: dict[tuple[int, int], tuple[int, list[int]]] = {}  # of a corner and a face: the next one around it
    for v, w, f, g in edges.tolist():
        along = (corners[w] - corners[v]) / np.linalg.norm(corners[w] - corners[v])
        aside = np.cross(along, normals[f])
        turn = math.atan2(max(float(normals[g] @ aside), 0.0), float(normals[g] @ normals[f]))
        between = np.linspace(0.0, turn, max(1, math.ceil(turn / step)) + 1)[1:-1]
        rows = [[add(k, math.cos(x) * normals[f] + math.sin(x) * aside) for x in between] for k in (v, w)]
        after[v, g], after[w, f] = (f, rows[0][::-1]), (g, rows[1])
        first, second = [at[f, v], *rows[0], at[g, v]], [at[f, w], *rows[1], at[g, w]]
        faces += _join_rows(second[::-1], first[::-1])
    for v, start in {v: f for f, loop in enumerate(loops) for v in loop}.items():
        ring: list[int] = []
        f = start
        while not ring or f != start:
            g, between_them = after[v, f]
            ring += [at[f, v], *between_them]
            f = g
        own = np.array([points[k] - corners[v] for k in ring]) / radius
        middle = own.mean(axis=0) / np.linalg.norm(own.mean(axis=0))
        widest = math.acos(min(1.0, max(-1.0, float((own @ middle).min()))))
        count = max(1, math.ceil(widest / step))
        for k in range(1, count):
            nearer = own + (middle - own) * (k / count)
            nearer /= np.linalg.norm(nearer, axis=1, keepdims=True)
            inner = [add(v, normal) for normal in nearer]
            faces += _join_rows([*ring, ring[0]], [*inner, inner[0]])
            ring = inner
        top = add(v, middle)
        faces += [(p, q, top) for p, q in itertools.pairwise([*ring, ring[0]])]
    return Mesh._from_arrays(np.array(points), np.array(faces))


def _trace_loops(edges: Ints, count: int) -> list[list[int]]:
    """The corners of each face, counterclockwise. An edge leads forward around its first face."""
    after: list[dict[int, int]] = [{} for _ in range(count)]
    for v, w, f, g in edges.tolist():
        after[f][v], after[g][w] = w, v
    loops = []
    for sides in after:
        loop = [next(iter(sides))]
        while len(loop) < len(sides):
            loop.append(sides[loop[-1]])
        loops.append(loop)
    return loops


def _join_rows(first: list[int], second: list[int]) -> list[tuple[int, int, int]]:
    """Triangles between two rows of points, of which the second lies to the left of the first."""
    joined = []
    for (a, b), (c, d) in zip(itertools.pairwise(first), itertools.pairwise(second), strict=True):
        joined += [(a, b, c), (b, d, c)]
    return joined


def _build_ring_faces(rings: int, n: int) -> Ints:
    p = np.arange(n)
    q = (p + 1) % n
    last, top = 1 + (rings - 1) * n, 1 + rings * n
    faces = [np.stack([np.zeros(n, np.int64), 1 + q, 1 + p], axis=1)]
    for k in range(rings - 1):
        a, b = 1 + k * n + p, 1 + k * n + q
        faces += [np.stack([a, b, b + n], axis=1), np.stack([a, b + n, a + n], axis=1)]
    faces.append(np.stack([last + p, last + q, np.full(n, top)], axis=1))
    return np.concatenate(faces)
