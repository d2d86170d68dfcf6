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
    """A hull; one with a radius is the hull of balls around its vertices."""
    corners = shape.vertices
    if shape.radius > 0:
        balls = [_build_tube(corner, corner, float(shape.radius), pieces // 2).vertices for corner in corners]
        return _build_hull(ConvexHull3d(np.concatenate(balls)), pieces)
    if len(corners) < 3:
        raise TypeError("shape must have a surface, got a ConvexHull3d that is a point or a segment")
    return Mesh._from_arrays(corners, shape.template.item().triangles)


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
