"""Many meshes in flat arrays, as radars read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Bools, Floats, Ints
from ougi.motion import Pose
from ougi.radar.packed_meshes import PackedMeshes
from ougi.shapes import Mesh


class Meshes:
    """Meshes in flat arrays, each of them a part of a body.

    There is no tree, so nothing has to be updated when vertices move. A body inside of a solid mesh, see
    `ougi.Mesh`, overlaps it; other meshes are surfaces.

    Parameters
    ----------
    meshes
        One Mesh or several.
    bodies
        (n,), the number of each mesh's body, by which results name it; 0, 1, ... by default.

    >>> import ougi, numpy as np
    >>> from ougi import Mesh
    >>> from ougi.radar import Meshes
    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> tetrahedron = Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], solid=True)
    >>> Meshes([tetrahedron, tetrahedron.transformed(ougi.Pose([2, 0, 0]))], bodies=[7, 9])
    <Meshes: 2 meshes of 8 faces>
    """

    vertices: Floats
    faces: Ints
    face_starts: Ints
    vertex_starts: Ints
    bodies: Ints
    solid: Bools
    lower: Floats
    upper: Floats
    _seeds: tuple[Ints, Ints] | None = None

    def __init__(self, meshes: Mesh | Iterable[Mesh], bodies: ArrayLike | None = None) -> None:
        given = _check_meshes(meshes)
        self.face_starts = np.cumsum([0, *(len(mesh.faces) for mesh in given)])
        self.vertex_starts = np.cumsum([0, *(len(mesh.vertices) for mesh in given)])
        self.vertices = np.concatenate([mesh.vertices for mesh in given])
        shifted = [mesh.faces + start for mesh, start in zip(given, self.vertex_starts, strict=False)]
        self.faces = np.concatenate(shifted).astype(np.int64)
        self.bodies = _check_bodies(bodies, len(given))
        self.solid = np.array([mesh.solid for mesh in given])
        self._count()
        self._measure()

    def _count(self) -> None:
        """Compute what does not depend on the positions of the vertices."""
        self.face_counts = np.diff(self.face_starts)
        self.max_faces = int(self.face_counts.max())
        self.max_vertices = int(np.diff(self.vertex_starts).max())
        self.has_solids = bool(self.solid.any())

    def _measure(self) -> None:
        """Compute the boxes around the meshes. Vertices become read-only, so that the boxes stay right."""
        self.vertices = _check.frozen(self.vertices)
        starts = self.vertex_starts[:-1]
        self.lower = np.minimum.reduceat(self.vertices, starts)
        self.upper = np.maximum.reduceat(self.vertices, starts)
        self._packed: PackedMeshes | None = None

    @property
    def packed(self) -> PackedMeshes:
        """The arrays as the loops read them."""
        if self._packed is None:
            arrays = self.vertices, self.faces, self.face_starts, self.vertex_starts
            self._packed = PackedMeshes(*arrays, self.lower, self.upper, self.solid, self.bodies)
        return self._packed

    @property
    def seeds(self) -> tuple[Ints, Ints]:
        """One vertex of each connected part, mesh after mesh, and where those of each mesh begin.

        Where no triangles cross, it decides for the whole part.
        """
        if self._seeds is None:
            vertices = np.unique(_label_parts(self.faces, len(self.vertices))[self.faces[:, 0]])
            self._seeds = vertices, np.searchsorted(vertices, self.vertex_starts)
        return self._seeds

    def deformed(self, vertices: ArrayLike) -> Meshes:
        """The same faces with other vertices, (n, 3) for all meshes together.

        Solid meshes stay closed, because their faces stay. They must not be turned inside out.

        >>> import ougi, numpy as np
        >>> from ougi.radar import Meshes
        >>> sheet = Meshes(ougi.Mesh(np.eye(3), [[0, 1, 2]]))
        >>> sheet.deformed(2 * sheet.vertices).upper.tolist()
        [[2.0, 2.0, 2.0]]
        """
        points = _check.vectors("vertices", vertices, 3)
        if points.shape != self.vertices.shape:
            raise ValueError(f"vertices must have shape {self.vertices.shape}, got {points.shape}")
        return self._with_vertices(points)

    def transformed(self, poses: Pose) -> Meshes:
        """Each mesh at its pose: one for all, or a batch of as many as there are meshes."""
        if isinstance(poses, Pose) and poses.shape == ():
            return self._with_vertices(poses.apply(self.vertices))
        if not isinstance(poses, Pose) or poses.shape != (len(self),):
            raise ValueError(f"poses must be a Pose, or a batch of {len(self)} of them, one for each mesh")
        which = np.repeat(np.arange(len(self)), np.diff(self.vertex_starts))
        return self._with_vertices(poses[which].apply(self.vertices))

    def _with_vertices(self, vertices: Floats) -> Meshes:
        new = Meshes.__new__(Meshes)
        new.__dict__.update(self.__dict__, vertices=vertices)
        new._measure()
        return new

    def __getitem__(self, which: int | slice) -> Meshes:
        """One mesh, or a range of them, with their numbers of bodies.

        >>> import ougi, numpy as np
        >>> from ougi.radar import Meshes
        >>> sheet = ougi.Mesh(np.eye(3), [[0, 1, 2]])
        >>> Meshes([sheet, sheet, sheet], bodies=[4, 5, 6])[1:].bodies.tolist()
        [5, 6]
        """
        if isinstance(which, slice):
            i, end, step = which.indices(len(self))
            if step != 1 or end <= i:
                raise IndexError(f"meshes are taken in ranges of one or more, got {which} of {len(self)}")
        else:
            i = which + len(self) if which < 0 else which
            end = i + 1
            if not 0 <= i < len(self):
                raise IndexError(f"there are {len(self)} meshes, got the index {which}")
        start, stop = self.vertex_starts[[i, end]]
        first, last = self.face_starts[[i, end]]
        new = Meshes.__new__(Meshes)
        new.vertices = self.vertices[start:stop]
        new.faces = self.faces[first:last] - start
        new.face_starts = self.face_starts[i : end + 1] - first
        new.vertex_starts = self.vertex_starts[i : end + 1] - start
        new.bodies, new.solid = self.bodies[i:end], self.solid[i:end]
        new._count()
        new._measure()
        return new

    def __len__(self) -> int:
        return len(self.bodies)

    def __repr__(self) -> str:
        return f"<Meshes: {len(self)} meshes of {len(self.faces)} faces>"


MeshesLike: TypeAlias = Mesh | Meshes | Iterable[Mesh]


def as_meshes(name: str, given: MeshesLike) -> Meshes:
    """Meshes as they are, or made of one Mesh or several."""
    if isinstance(given, Meshes):
        return given
    try:
        return Meshes(given)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("meshes", name, 1)) from None


def _check_meshes(meshes: Mesh | Iterable[Mesh]) -> list[Mesh]:
    try:
        given = [meshes] if isinstance(meshes, Mesh) else list(meshes)
    except TypeError:  # no iterable, or a single shape of another class
        name = type(meshes).__name__
        raise TypeError(f"meshes must be a Mesh or several of them, got {name}") from None
    if not given:
        raise ValueError(f"meshes must be one Mesh or more, got {meshes!r}")
    for i, mesh in enumerate(given):
        if not isinstance(mesh, Mesh):
            raise TypeError(f"meshes must be Mesh, got {type(mesh).__name__} at index {i}")
        if not len(mesh.faces):
            raise ValueError(f"meshes must have faces, got none at index {i}")
    return given


def _check_bodies(bodies: ArrayLike | None, n: int) -> Ints:
    if bodies is None:
        return np.arange(n)
    _check.refuse_disguised("bodies", bodies)
    given = np.asarray(bodies)
    if given.shape != (n,) or given.dtype.kind not in "iu":
        raise ValueError(f"bodies must be {n} integers, one for each mesh, got {bodies!r}")
    if (given < 0).any():
        raise ValueError(f"bodies must not be negative, got {int(given.min())}")
    return given.astype(np.int64)


def _label_parts(faces: Ints, n: int) -> Ints:
    """For each of n vertices the lowest vertex to which faces connect it."""
    lowest = np.arange(n)
    while True:
        new = lowest.copy()
        np.minimum.at(new, faces.ravel(), np.repeat(lowest[faces].min(axis=1), 3))
        new = new[new]
        if np.array_equal(new, lowest):
            return lowest
        lowest = new
