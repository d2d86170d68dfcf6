"""Bodies inside of closed surfaces.

A mesh that is not solid is a surface, so a body inside of it touches nothing. A report names such bodies,
because a certificate does not cover what fills the mesh. A body that starts outside can only get in through a
contact or by a jump, so only the start and the arrivals of jumps are tested.
"""

from __future__ import annotations

import numpy as np

from ougi._typing import Bools, DynamicBatch, Floats, Ints
from ougi.checks.report import Enclosed
from ougi.impact import Status
from ougi.motion import Pose
from ougi.query.inside import compute_windings, get_points
from ougi.shapes import Mesh, Shape
from ougi.shapes.closed import label_parts
from ougi.timeline import Contacts
from ougi.timeline.repeat_contacts import is_at_once
from ougi.timeline.spans import PairSpans, SceneSpans

# Vertices nearer than this share of a mesh's extent are one, if a mesh is not closed without that.
_MERGE = 1e-7


def find_enclosed(spans: SceneSpans, pairs: PairSpans, contacts: Contacts) -> Enclosed:
    """Bodies that are inside of a closed mesh without touching it, at the start or after a jump."""
    is_mesh = np.array([group.is_mesh for group in spans.groups], np.bool_)[spans.group]
    begins = (pairs.start == 0) | spans.get_jumps(pairs)
    rows = np.flatnonzero(
        begins
        & (is_mesh[pairs.a] | is_mesh[pairs.b])
        & ~is_at_once(contacts)
        & (contacts.status != Status.UNSUPPORTED)
    )
    now = pairs.take(rows)
    found: list[tuple[float, int, int]] = []
    parts: dict[int, ClosedPart] = {}
    for query in spans.iter_queries(now.a, now.b, now.start, 0.0):
        sides = [spans.body[column[query.rows]] for column in (now.a, now.b)]
        sides = sides[::-1] if query.swapped else sides
        for inner, outer, (own, mesh) in ((query.a, query.b, sides), (query.b, query.a, sides[::-1])):
            if isinstance(outer, Mesh):
                number = int(mesh[0])  # all rows are of one mesh
                if number not in parts:
                    parts[number] = ClosedPart(outer)
                inside = _is_inside(inner, outer, parts[number], len(own))
                times = now.start[query.rows]
                found += [(float(times[k]), int(own[k]), number) for k in np.flatnonzero(inside)]
    found.sort()
    time = np.array([row[0] for row in found], np.float64)
    return Enclosed(np.array([row[1:] for row in found], np.int64).reshape((-1, 2)), time)


def _is_inside(inner: Shape, outer: Mesh, closed: ClosedPart, n: int) -> Bools:
    """Which of n bodies lie inside of a mesh that they do not touch? One point of each is enough."""
    (low, high), (lower, upper) = inner._bounds(), outer._bounds()
    fits = ((lower <= low) & (high <= upper)).all(axis=-1)
    rows = np.flatnonzero(np.broadcast_to(fits, (n,)))
    inside = np.zeros(n, np.bool_)
    if len(rows):
        points = get_points(inner)
        if isinstance(inner, Mesh):  # of one body, a point of each part
            inside[:] = closed.encloses(points, outer._pose).any()
        else:
            inside[rows] = closed.encloses(np.broadcast_to(points, (n, 3))[rows], outer._pose)
    return inside


class ClosedPart:
    """What a mesh encloses: those of its connected parts that are closed."""

    def __init__(self, mesh: Mesh) -> None:
        source: DynamicBatch = mesh._source
        extent = float(np.ptp(source._used(), axis=0).max())
        for step in (0.0, _MERGE * extent):
            faces, self._is_oriented = find_closed_faces(source.vertices, source.faces, step)
            if len(faces):
                break
        self._mesh = Mesh(source.vertices, faces) if len(faces) else None

    def encloses(self, points: Floats, pose: Pose) -> Bools:
        """Which points (n, 3) lie inside, if the mesh is moved to a pose?

        Where faces are not wound alike, the parity of the winding number decides.
        """
        if self._mesh is None:
            return np.zeros(len(points), np.bool_)
        winding = compute_windings(self._mesh.transformed(pose), points)
        return np.asarray(winding != 0 if self._is_oriented else winding % 2 == 1, np.bool_)


def find_closed_faces(vertices: Floats, faces: Ints, step: float = 0.0) -> tuple[Ints, bool]:
    """The faces of a mesh's closed parts, and are they wound alike?

    A part is closed if an even number of faces meets at each edge, and wound alike if as many pass an edge in
    one direction as in the other. Vertices at one place, up to a grid of this step, become one.

    >>> import numpy as np
    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> closed, oriented = find_closed_faces(corners, faces)
    >>> len(closed), oriented, len(find_closed_faces(corners, faces[1:])[0])
    (4, True, 0)
    """
    places = vertices if step == 0 else np.round(vertices / step)
    _, first, same = np.unique(places, axis=0, return_index=True, return_inverse=True)
    corners = same.ravel()[faces]
    faces = first[corners]
    proper = (corners != np.roll(corners, 1, axis=1)).all(axis=1)
    corners, faces = corners[proper], faces[proper]
    n = int(corners.max()) + 1 if len(corners) else 0
    part = label_parts(corners, n)
    start, end = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
    edge, which = np.unique(
        np.minimum(start, end) * np.int64(max(n, 1)) + np.maximum(start, end), return_inverse=True
    )
    which = which.ravel()
    odd = np.bincount(which, minlength=len(edge)) % 2 == 1
    is_open = np.zeros(n, np.bool_)
    is_open[part[start[odd[which]]]] = True
    chosen = ~is_open[part[corners[:, 0]]]
    sense = np.bincount(which, np.where(start < end, 1, -1) * np.repeat(chosen, 3), minlength=len(edge))
    return faces[chosen], not sense.any()


__all__ = ["ClosedPart", "find_closed_faces", "find_enclosed"]
