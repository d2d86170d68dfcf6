"""First hits of rays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ougi import _check
from ougi._native import each
from ougi._typing import ArrayLike, Floats, Ints, Record
from ougi.errors import UnsupportedPairError
from ougi.kernels.mesh.constants import STACK_SIZE
from ougi.kernels.mesh.rays import cast_rays
from ougi.query._inside import find_inside
from ougi.query._trees import get_tree, to_local_rays
from ougi.query.answers import RayHits
from ougi.shapes import Mesh

# Rays that one thread casts at a time.
_CHUNK = 2048


def raycast(
    origin: ArrayLike, direction: ArrayLike, target: Mesh | Sequence[Mesh], *, max_t: float = np.inf
) -> RayHits:
    """Find the first hit of each ray with the faces of meshes. Borders of faces count.

    Neighbouring faces leave no gap: a ray at a common edge or vertex hits one of them. A face that is seen
    edge-on is not hit.

    Parameters
    ----------
    origin, direction
        (..., 3); they broadcast. A direction need not have length 1, and must not be zero.
    target
        A mesh, or a list of meshes.
    max_t
        Hits with a larger t are ignored. If the direction has length 1, t is a distance.

    Returns
    -------
    RayHits
        hit, t, point, normal, body, face.

    >>> import ougi
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> mesh = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> hits = ougi.raycast([0.25, 0.25, -1], [0, 0, 1], [mesh, mesh.transformed(ougi.Pose([0, 0, -0.5]))])
    >>> float(hits.t), int(hits.body), hits.point.tolist()
    (0.5, 1, [0.25, 0.25, -0.5])
    """
    start = _check.vectors("origin", origin, 3)
    along = _check.vectors("direction", direction, 3)
    meshes = [target] if isinstance(target, Mesh) else list(target)
    for k, mesh in enumerate(meshes):
        if not isinstance(mesh, Mesh):
            name = _check.describe_class(mesh)
            raise UnsupportedPairError(f"raycast is supported for meshes, got {name} at target[{k}]")
    if np.isnan(max_t) or max_t < 0:
        raise ValueError(f"max_t must not be negative, got {max_t!r}")
    _check.refuse((along == 0).all(axis=-1), "direction", "not be zero", along)
    batch = _check.broadcast_shape(origin=start.shape[:-1], direction=along.shape[:-1])
    flat = [np.broadcast_to(x, (*batch, 3)).reshape((-1, 3)) for x in (start, along)]
    t, body, face = _find_first(flat[0], flat[1], meshes, float(max_t))
    normal = _compute_normals(flat[1], meshes, t, body, face)
    hit = body >= 0
    point = np.where(hit[:, None], flat[0] + np.where(hit, t, 0.0)[:, None] * flat[1], np.nan)
    columns: list[Record] = [x.reshape(batch)[()] for x in (hit, t, body, face)]
    point, normal = (x.reshape((*batch, 3)) for x in (point, normal))
    return RayHits(columns[0], columns[1], point, normal, columns[2], columns[3])


def _find_first(
    origin: Floats, direction: Floats, meshes: list[Mesh], max_t: float
) -> tuple[Floats, Ints, Ints]:
    """For each ray (n, 3): t, mesh and face of the first hit; of equal ones that with the first mesh."""
    n = len(origin)
    best, body, face = np.full(n, np.inf), np.full(n, -1), np.full(n, -1)
    for number, mesh in enumerate(meshes):
        tree, rays = get_tree(mesh), to_local_rays(mesh, origin, direction)
        t, row = np.empty(n), np.empty(n, np.int64)

        def cast(first: int, tree=tree, rays=rays, t=t, row=row) -> None:  # type: ignore[no-untyped-def]
            stack, enters = np.empty(STACK_SIZE, np.int64), np.empty(STACK_SIZE)
            cast_rays(tree, rays, max_t, t, row, stack, enters, first, min(first + _CHUNK, n))

        each(cast, range(0, n, _CHUNK))
        found = np.where(row >= 0, tree.faces[row], -1)
        if mesh.solid:
            inside = find_inside(mesh, origin)
            t[inside], found[inside] = 0.0, -1
        first = t < best
        best[first], body[first], face[first] = t[first], number, found[first]
    return best, body, face


def _compute_normals(direction: Floats, meshes: list[Mesh], t: Floats, body: Ints, face: Ints) -> Floats:
    """Unit normals of the faces, against the rays; NaN where there is no face."""
    normal = np.full((len(t), 3), np.nan)
    for number, mesh in enumerate(meshes):
        rows = np.flatnonzero((body == number) & (face >= 0))
        corners = mesh._get_corners(face[rows])
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        across *= -np.sign((across * direction[rows]).sum(axis=-1, keepdims=True))
        length = np.linalg.norm(across, axis=-1, keepdims=True)
        normal[rows] = across / np.where(length > 0, length, np.nan) + 0.0
    return normal
