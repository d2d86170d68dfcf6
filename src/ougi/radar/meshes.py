"""Many meshes in flat arrays: what radars look at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Bools, Floats, Ints
from ougi.motion import Pose
from ougi.shapes import Mesh


class Meshes:
    """Meshes packed for radars, each of them belonging to a body.

    Nothing is built but flat arrays: no tree, nothing to update when vertices move.

    Parameters
    ----------
    meshes
        Meshes, or one of them.
    bodies
        (n,), a number for each mesh by which answers name it; meshes of one body share it. 0, 1, ... by
        default.
    surface
        True for meshes that enclose nothing: open ones, or shells into which one may look. Solid meshes, the
        default, must be closed and wound outward, and what is inside of them overlaps.

    >>> import ougi, numpy as np
    >>> from ougi import Mesh
    >>> from ougi.radar import Meshes
    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> tetrahedron = Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> Meshes([tetrahedron, tetrahedron.transformed(ougi.Pose([2, 0, 0]))], bodies=[7, 9])
    <Meshes: 2 meshes of 8 faces>
    >>> Meshes(Mesh(corners, [[0, 1, 2]]))
    Traceback (most recent call last):
    ...
    ValueError: meshes must be closed and wound outward, ...
    """

    vertices: Floats
    faces: Ints
    parts: Ints
    vertex_parts: Ints
    bodies: Ints
    solid: Bools
    lower: Floats
    upper: Floats
    _seeds: tuple[Ints, Ints] | None = None

    def __init__(
        self, meshes: Mesh | Iterable[Mesh], bodies: ArrayLike | None = None, *, surface: bool = False
    ) -> None:
        each = _meshes(meshes)
        self.parts = np.cumsum([0, *(len(mesh.faces) for mesh in each)])
        self.vertex_parts = np.cumsum([0, *(len(mesh.vertices) for mesh in each)])
        self.vertices = np.concatenate([mesh.vertices for mesh in each])
        shifted = [mesh.faces + start for mesh, start in zip(each, self.vertex_parts, strict=False)]
        self.faces = np.concatenate(shifted).astype(np.int64)
        self.bodies = _bodies(bodies, len(each))
        self.solid = np.full(len(each), not surface)
        if not surface:
            for i, mesh in enumerate(each):
                _require_solid(mesh, i)
        self._count()
        self._measure()

    def _count(self) -> None:
        """What does not depend on where the vertices are."""
        self.face_counts = np.diff(self.parts)
        self.most_faces = int(self.face_counts.max())
        self.most_corners = int(np.diff(self.vertex_parts).max())
        self.encloses = bool(self.solid.any())

    def _measure(self) -> None:
        """Boxes around the meshes, by which radars leave out whole ones: of these vertices and no others."""
        self.vertices = _check.frozen(self.vertices)
        starts = self.vertex_parts[:-1]
        self.lower = np.minimum.reduceat(self.vertices, starts)
        self.upper = np.maximum.reduceat(self.vertices, starts)
        self._packed: Any = None

    @property
    def packed(self) -> Any:
        """The arrays as the loops take them."""
        if self._packed is None:
            from ougi.radar._packed import Packed

            arrays = self.vertices, self.faces, self.parts, self.vertex_parts
            self._packed = Packed(*arrays, self.lower, self.upper, self.solid, self.bodies)
        return self._packed

    @property
    def seeds(self) -> tuple[Ints, Ints]:
        """One vertex of each piece that hangs together, mesh after mesh, and where those of each mesh begin.

        Where no triangles cross, it speaks for the whole piece.
        """
        if self._seeds is None:
            vertices = np.unique(_pieces(self.faces, len(self.vertices))[self.faces[:, 0]])
            self._seeds = vertices, np.searchsorted(vertices, self.vertex_parts)
        return self._seeds

    def deformed(self, vertices: ArrayLike) -> Meshes:
        """The same faces with other vertices, (n, 3) for all meshes together; costs one look at them.

        Vertices cannot be written in place, for boxes are kept around them. That solids are still closed
        follows from their faces; that they are not turned inside out is for the caller to see to.

        >>> import ougi, numpy as np
        >>> from ougi.radar import Meshes
        >>> sheet = Meshes(ougi.Mesh(np.eye(3), [[0, 1, 2]]), surface=True)
        >>> sheet.deformed(2 * sheet.vertices).upper.tolist()
        [[2.0, 2.0, 2.0]]
        """
        points = _check.vectors("vertices", vertices, 3)
        if points.shape != self.vertices.shape:
            raise ValueError(f"vertices must have shape {self.vertices.shape}, got {points.shape}")
        return self._with(points)

    def transformed(self, poses: Pose) -> Meshes:
        """Each mesh at its pose: one for all, or a batch of as many as there are meshes."""
        if isinstance(poses, Pose) and poses.shape == ():
            return self._with(poses.apply(self.vertices))
        if not isinstance(poses, Pose) or poses.shape != (len(self),):
            raise ValueError(f"poses must be a Pose, or a batch of {len(self)} of them, one for each mesh")
        which = np.repeat(np.arange(len(self)), np.diff(self.vertex_parts))
        return self._with(poses[which].apply(self.vertices))

    def _with(self, vertices: Floats) -> Meshes:
        new = Meshes.__new__(Meshes)
        new.__dict__.update(self.__dict__, vertices=vertices)
        new._measure()
        return new

    def __getitem__(self, which: int | slice) -> Meshes:
        """Mesh number `which` alone, or a run of them, with their numbers of bodies.

        >>> import ougi, numpy as np
        >>> from ougi.radar import Meshes
        >>> sheet = ougi.Mesh(np.eye(3), [[0, 1, 2]])
        >>> Meshes([sheet, sheet, sheet], bodies=[4, 5, 6], surface=True)[1:].bodies.tolist()
        [5, 6]
        """
        if isinstance(which, slice):
            i, end, step = which.indices(len(self))
            if step != 1 or end <= i:
                raise IndexError(f"meshes are taken in runs of one or more, got {which} of {len(self)}")
        else:
            i = which + len(self) if which < 0 else which
            end = i + 1
            if not 0 <= i < len(self):
                raise IndexError(f"there are {len(self)} meshes, got the index {which}")
        start, stop = self.vertex_parts[[i, end]]
        first, last = self.parts[[i, end]]
        new = Meshes.__new__(Meshes)
        new.vertices = self.vertices[start:stop]
        new.faces = self.faces[first:last] - start
        new.parts, new.vertex_parts = self.parts[i : end + 1] - first, self.vertex_parts[i : end + 1] - start
        new.bodies, new.solid = self.bodies[i:end], self.solid[i:end]
        new._count()
        new._measure()
        return new

    def __len__(self) -> int:
        return len(self.bodies)

    def __repr__(self) -> str:
        return f"<Meshes: {len(self)} meshes of {len(self.faces)} faces>"


def as_meshes(name: str, given: Any, surface: bool = False) -> Meshes:
    """Packed meshes as they are, and meshes packed."""
    if isinstance(given, Meshes):
        return given
    try:
        return Meshes(given, surface=surface)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("meshes", name, 1)) from None


def _meshes(meshes: Mesh | Iterable[Mesh]) -> list[Mesh]:
    try:
        each = [meshes] if isinstance(meshes, Mesh) else list(meshes)
    except TypeError:  # no iterable, or a single shape of another kind
        name = type(meshes).__name__
        raise TypeError(f"meshes must be a Mesh or several of them, got {name}") from None
    if not each:
        raise ValueError(f"meshes must be one Mesh or more, got {meshes!r}")
    for i, mesh in enumerate(each):
        if not isinstance(mesh, Mesh):
            raise TypeError(f"meshes must be Mesh, got {type(mesh).__name__} at index {i}")
        if not len(mesh.faces):
            raise ValueError(f"meshes must have faces, got none at index {i}")
    return each


def _bodies(bodies: ArrayLike | None, n: int) -> Ints:
    if bodies is None:
        return np.arange(n)
    _check.refuse_disguised("bodies", bodies)
    given = np.asarray(bodies)
    if given.shape != (n,) or given.dtype.kind not in "iu":
        raise ValueError(f"bodies must be {n} whole numbers, one for each mesh, got {bodies!r}")
    if (given < 0).any():
        raise ValueError(f"bodies must not be negative, got {int(given.min())}")
    return given.astype(np.int64)


def _require_solid(mesh: Mesh, index: int) -> None:
    """Every edge of a closed mesh is used once in each sense; what it encloses has a positive volume."""
    faces = mesh.faces
    n = len(mesh.vertices)
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    if np.array_equal(np.sort(start * n + end), np.sort(end * n + start)):
        a, b, c = (mesh.vertices[faces[:, k]] - mesh.vertices[faces[0, 0]] for k in range(3))
        if np.einsum("ij,ij->", a, np.cross(b, c)) >= 0:
            return
        fault = "is wound inward (give its faces as faces[:, ::-1])"
    else:
        fault = "has edges that are not used once in each sense: it is open, or some face is turned round"
    raise ValueError(
        f"meshes must be closed and wound outward, but the mesh at index {index} {fault}; "
        "surface=True takes it as a surface that encloses nothing"
    )


def _pieces(faces: Ints, n: int) -> Ints:
    """For each of n vertices the least vertex that it hangs together with."""
    least = np.arange(n)
    while True:
        new = least.copy()
        np.minimum.at(new, faces.ravel(), np.repeat(least[faces].min(axis=1), 3))
        new = new[new]
        if np.array_equal(new, least):
            return least
        least = new
