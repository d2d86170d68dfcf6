"""Which face or edge of a polytope a contact lies on.

Everything is described in the frame of the contact: its origin is the point between both surfaces, and its z
axis the normal from a to b. So a looks up and b looks down.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ougi._native import device, procedure
from ougi._typing import Floats
from ougi.kernels.constants import LARGEST
from ougi.kernels.convex.polytope import (
    RelativePose,
    find_support,
    from_axes,
    get_normal,
    get_vertex,
    to_axes,
)
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.manifold.constants import ALIGNED_SINE, SAME_COSINE, STEEP_COSINE
from ougi.kernels.records import Vec3
from ougi.kernels.vec3 import ZERO, add, along, cross, dot, length, length_sq, sub, unit_or

_UP = Vec3(0.0, 0.0, 1.0)


class Face(NamedTuple):
    """A face by its number (-1: none), the cosine of its angle to the normal, and its height.

    The height at x, y is `height` + `slope_x` x + `slope_y` y.
    """

    number: int
    cosine: float
    height: float
    slope_x: float
    slope_y: float


NO_FACE = Face(-1, 0.0, 0.0, 0.0, 0.0)


class Edge(NamedTuple):
    """The ends of an edge, and the sine of its angle to the plane of contact; a point has no edge."""

    exists: bool
    start: Vec3
    end: Vec3
    rise: float


NO_EDGE = Edge(False, ZERO, ZERO, 2.0)


@device
def place_vertex(h: Hull3d, to: RelativePose, i: int) -> Vec3:
    """Vertex i in the frame of the contact."""
    return add(from_axes(get_vertex(h, i), to), to.offset)


@device
def _find_direction(to: RelativePose, sense: float) -> Vec3:
    """The direction in which a body looks at the other one, along its own axes."""
    return Vec3(sense * to.x.z, sense * to.y.z, sense * to.z.z)


@procedure
def _holds_furthest(h: Hull3d, n: Vec3, toward: Vec3, slack: float) -> bool:
    """Does the face with the normal n hold all vertices that lie furthest along a direction?

    A face that holds only one end of the furthest edge would leave the other end out.
    """
    height = dot(n, get_vertex(h, find_support(h, n)))
    top = dot(toward, get_vertex(h, find_support(h, toward)))
    for i in range(h.vertex_count):
        v = get_vertex(h, i)
        if dot(toward, v) >= top - slack and dot(n, v) < height - slack:
            return False
    return True


@procedure
def find_face(h: Hull3d, to: RelativePose, sense: float, slack: float, after: Face) -> Face:
    """The face at the contact that is turned most towards the other body, but less than an earlier one."""
    toward = _find_direction(to, sense)
    best, cosine = -1, STEEP_COSINE
    for i in range(h.face_count):
        n = get_normal(h, i)
        c = dot(n, toward)
        is_later = c < after.cosine - SAME_COSINE or (c <= after.cosine + SAME_COSINE and i > after.number)
        if c > cosine + SAME_COSINE and is_later and _holds_furthest(h, n, toward, slack):
            best, cosine = i, c
    if best < 0:
        return NO_FACE
    n = get_normal(h, best)
    q, m = place_vertex(h, to, find_support(h, n)), from_axes(n, to)
    slope_x, slope_y = -m.x / m.z, -m.y / m.z
    return Face(best, cosine, q.z - slope_x * q.x - slope_y * q.y, slope_x, slope_y)


@procedure
def find_edge(
    h: Hull3d, to: RelativePose, sense: float, point: Vec3, slack: float, other: Edge, is_planar: bool
) -> Edge:
    """The edge through a point that is flattest; of flat ones that along the other body's, if that is known.

    Of a polygon of the plane it faces the other body.
    """
    toward, p = _find_direction(to, sense), to_axes(sub(point, to.offset), to)
    along_other = unit_or(to_axes(sub(other.end, other.start), to), ZERO)
    best, score = NO_EDGE, LARGEST
    for i in range(h.edge_count):
        k = h.edges + 4 * i
        s, e = get_vertex(h, int(h.numbers[k])), get_vertex(h, int(h.numbers[k + 1]))
        v, w = sub(e, s), sub(p, s)
        size = length(v)
        if not size > slack:
            continue
        t = min(max(dot(w, v) / (size * size), 0.0), 1.0)
        rise = abs(dot(v, toward)) / size
        worth = rise + (length(cross(v, along_other)) / size if rise <= ALIGNED_SINE else 1.0)
        faces_away = is_planar and h.rank == 2 and dot(cross(v, _UP), toward) < 0.0
        if worth < score and not faces_away and length_sq(along(w, v, -t)) <= slack * slack:
            start, end = add(from_axes(s, to), to.offset), add(from_axes(e, to), to.offset)
            best, score = Edge(True, start, end, rise), worth
    return best


@device
def write_segment(border: Floats, k: int, s: Vec3, e: Vec3) -> None:
    border[k, 0], border[k, 1], border[k, 2] = s.x, s.y, s.z
    border[k, 3], border[k, 4], border[k, 5] = e.x, e.y, e.z


@procedure
def write_border(h: Hull3d, to: RelativePose, face: int, sense: float, border: Floats) -> int:
    """The edges of a face, counterclockwise as seen from above, and how many they are.

    The edge between two faces runs along the product of their normals.
    """
    count = 0
    for i in range(h.edge_count):
        k = h.edges + 4 * i
        is_first = int(h.numbers[k + 2]) == face
        if is_first or int(h.numbers[k + 3]) == face:
            s, e = place_vertex(h, to, int(h.numbers[k])), place_vertex(h, to, int(h.numbers[k + 1]))
            if is_first == (sense > 0.0):
                write_segment(border, count, s, e)
            else:
                write_segment(border, count, e, s)
            count += 1
    return count


@device
def height_at(face: Face, x: float, y: float) -> float:
    return face.height + face.slope_x * x + face.slope_y * y


@device
def measure_flat(x: float, y: float) -> float:
    return math.sqrt(x * x + y * y)
