"""Triangle meshes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats, Index, Ints, MeshLike
from ougi.motion import Pose
from ougi.shapes._shape import Spatial
from ougi.shapes._tree import TriangleTree, build_tree
from ougi.shapes.closed import refuse_open


class Mesh(Spatial):
    """One triangle mesh: a surface, or with `solid=True` the volume that it encloses.

    A body inside of a solid mesh touches it, and the distance of a point inside is negative. A body inside of
    a closed surface does not touch it.

    Parameters
    ----------
    vertices
        (n, 3), or an object with `vertices` and `faces` (a trimesh) and no second argument.
    faces
        (m, 3), indices into the vertices.
    solid
        True for the volume. The mesh must be closed and its faces wound outward, that is counter-clockwise
        as seen from outside. Points with a positive winding number are inside, so faces around a cavity are
        wound toward the cavity.

    >>> import ougi
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> mesh = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], solid=True)
    >>> mesh
    <solid Mesh of 4 vertices and 4 faces>
    >>> ougi.contains(mesh, [[0.1, 0.1, 0.1], [0.9, 0.9, 0.9]]).tolist()
    [True, False]
    >>> mesh.bounds()
    Aabb3d(lower=[0.0, 0.0, 0.0], upper=[1.0, 1.0, 1.0])
    """

    faces: Ints
    solid: bool
    _fields: ClassVar = {}
    layouts: ClassVar = ()

    # MeshLike is no union, because type checkers would refuse lists of whole and other numbers.
    def __init__(self, vertices: MeshLike, faces: ArrayLike | None = None, *, solid: bool = False) -> None:
        if faces is None:
            if not (hasattr(vertices, "vertices") and hasattr(vertices, "faces")):
                raise TypeError(
                    "faces must be given, unless vertices is an object with vertices and faces; "
                    "a file is read by trimesh.load_mesh(path)"
                )
            vertices, faces = vertices.vertices, vertices.faces
        points = _check.vectors("vertices", vertices, 3)
        if points.ndim != 2:
            raise ValueError(f"vertices must have shape (n, 3), got {points.shape}")
        if _check.are_tiny(points):
            _check.refuse_tiny(vertices=np.abs(points).max(initial=0.0)[None])
        indices = _check_faces(faces, len(points))
        if not isinstance(solid, bool):
            raise TypeError(f"solid must be True or False, got {_check.describe_value(solid)}")
        if solid:
            refuse_open(points, indices)
        self._put_mesh(points, indices, solid)

    @classmethod
    def from_heights(
        cls,
        heights: ArrayLike,
        *,
        cell: ArrayLike = 1.0,
        origin: ArrayLike = (0.0, 0.0),
        floor: float | None = None,
    ) -> Mesh:
        """Solid ground below a grid of heights (a height field), such as terrain.

        Every cell is two triangles, cut from its corner of the smallest x and y to the opposite one. The
        ground reaches down to a level floor, and its sides are vertical.

        Parameters
        ----------
        heights
            (rows, columns), at least 2 x 2; heights[i, j] is the z coordinate at the y of row i and the x of
            column j.
        cell
            The distance of neighbouring columns and rows: one number, or (width, depth).
        origin
            (2,), x and y of heights[0, 0].
        floor
            The level to which the ground reaches, below all heights; by default as far below the lowest
            height as the grid is wide.

        >>> import ougi
        >>> hill = ougi.Mesh.from_heights([[0, 0, 0], [0, 2, 0], [0, 0, 0]], cell=5)
        >>> hill
        <solid Mesh of 18 vertices and 32 faces>
        >>> ougi.contains(hill, [[5, 5, 1.9], [1, 1, 1]]).tolist()
        [True, False]
        >>> float(ougi.raycast([5, 5, 9], [0, 0, -1], hill).t)
        7.0
        """
        z = _check.array("heights", heights)
        if z.ndim != 2 or min(z.shape) < 2:
            raise ValueError(f"heights must have shape (rows, columns), both at least 2, got {z.shape}")
        given, start = _check.array("cell", cell), _check.vectors("origin", origin, 2)
        if given.shape not in ((), (2,)) or start.shape != (2,):
            raise ValueError(
                f"cell must be one number or two and origin (2,), got {given.shape}, {start.shape}"
            )
        _check.refuse(given <= 0, "cell", "be positive", given)
        size, low = np.broadcast_to(given, (2,)), float(z.min())
        rows, columns = z.shape
        bottom = low - float((size * (columns - 1, rows - 1)).max())
        bottom = bottom if floor is None else float(_check.array("floor", floor))
        if not bottom < low:
            raise ValueError(f"floor must be below the lowest height {low:g}, got {bottom:g}")
        y, x = np.mgrid[:rows, :columns]
        ground = np.stack([start[0] + size[0] * x, start[1] + size[1] * y, z], axis=-1).reshape((-1, 3))
        below = np.column_stack([ground[:, :2], np.full(len(ground), bottom)])
        return cls(np.concatenate([ground, below]), _list_ground(rows, columns), solid=True)

    def _put_mesh(self, vertices: Floats, faces: Ints, solid: bool) -> None:
        self._put((), {})
        vertices.flags.writeable = False
        faces.flags.writeable = False
        self.__dict__.update(_vertices=vertices, faces=faces, solid=solid)

    @property
    def vertices(self) -> Floats:
        """(n, 3); those of a moved mesh are computed on first use."""
        found: Floats | None = self.__dict__["_vertices"]
        if found is None:
            found = self.__dict__["_vertices"] = _place(self._source.vertices, self._pose)
        return found

    def _get_corners(self, faces: Index) -> Floats:
        """(..., 3, 3), the corners of these faces."""
        if self.__dict__["_vertices"] is not None:
            corners: Floats = self.vertices[self.faces[faces]]
            return corners
        return _place(self._source._get_corners(faces), self._pose)

    @property
    def _source(self) -> Mesh:
        """The mesh that this one is, moved by `_pose`: itself if it has not been moved."""
        source: Mesh = self.__dict__.get("_moved_from", self)
        return source

    @property
    def _pose(self) -> Pose:
        pose: Pose = self.__dict__.get("_moved_by", _NOT_MOVED)
        return pose

    @classmethod
    def _from_arrays(cls, vertices: Floats, faces: Ints, solid: bool = False) -> Mesh:
        new = cls.__new__(cls)
        new._put_mesh(vertices, faces, solid)
        return new

    def __getitem__(self, index: Index) -> Mesh:
        raise IndexError("a Mesh is a single mesh and has no parts to index")

    def reshape(self, shape: tuple[int, ...]) -> Mesh:
        """Meshes do not come in batches: a TypeError."""
        raise TypeError(f"a Mesh is one mesh and cannot have the batch shape {shape}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mesh):
            return NotImplemented
        same = self.solid == other.solid and np.array_equal(self.faces, other.faces)
        return same and np.array_equal(self.vertices, other.vertices)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return Mesh._from_arrays, (self.vertices, self.faces, self.solid)

    def __repr__(self) -> str:
        solid = "solid " if self.solid else ""
        return f"<{solid}Mesh of {len(self.vertices)} vertices and {len(self.faces)} faces>"

    def _bounds(self) -> tuple[Floats, Floats]:
        used = self._used()
        return used.min(axis=0), used.max(axis=0)

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        """Around the middle of the bounds; not the smallest."""
        lower, upper = self._bounds()
        center = (lower + upper) / 2
        return center, np.linalg.norm(self._used() - center, axis=-1).max(axis=-1)

    def _used(self) -> Floats:
        """The corners of the faces; vertices that no face uses are not part of the body."""
        if not len(self.faces):
            raise ValueError("a Mesh without faces has no bounds")
        used: Floats = self.vertices[np.unique(self.faces)]
        return used

    def _tree(self) -> TriangleTree:
        """The tree over the triangles, built on first use; robots query it."""
        found: TriangleTree | None = self.__dict__.get("_nodes")
        if found is None:
            if not len(self.faces):
                raise ValueError("a Mesh without faces touches nothing; give it faces")
            found = self.__dict__["_nodes"] = build_tree(self.vertices[self.faces])
        return found

    def _transformed(self, pose: Pose) -> Mesh:
        if pose.shape:
            raise ValueError(f"a mesh moves by a single pose, got a batch of shape {pose.shape}")
        moved = Mesh.__new__(Mesh)
        moved._put((), {})
        placed = pose if "_moved_by" not in self.__dict__ else pose @ self._pose
        moved.__dict__.update(
            _vertices=None, faces=self.faces, solid=self.solid, _moved_from=self._source, _moved_by=placed
        )
        return moved


_NOT_MOVED = Pose([0.0, 0.0, 0.0])


def _place(points: Floats, pose: Pose) -> Floats:
    """Points (..., 3) moved by a pose; loops over meshes compute the same numbers in the same order."""
    x, y, z = np.moveaxis(points, -1, 0)
    turn, shift = pose.rotation, pose.position
    placed = np.stack(
        [x * row[0] + y * row[1] + z * row[2] + at for row, at in zip(turn, shift, strict=True)], -1
    )
    placed.flags.writeable = False
    return placed


def _list_ground(rows: int, columns: int) -> Ints:
    """Triangles of a grid, of its floor n vertices later, and of the sides between them, wound outward."""
    grid = np.arange(rows * columns).reshape((rows, columns))
    corner, right, up, far = (x.ravel() for x in (grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]))
    top = np.concatenate([np.stack([corner, right, far], axis=1), np.stack([corner, far, up], axis=1)])
    # The border, counter-clockwise as seen from above.
    border = np.concatenate([grid[0, :-1], grid[:-1, -1], grid[-1, :0:-1], grid[:0:-1, 0]])
    ahead, n = np.roll(border, -1), grid.size
    sides = [np.stack([border, border + n, ahead + n], axis=1), np.stack([border, ahead + n, ahead], axis=1)]
    faces: Ints = np.concatenate([top, top[:, ::-1] + n, *sides])
    return faces


def _check_faces(value: ArrayLike, n: int) -> Ints:
    _check.refuse_disguised("faces", value)
    try:
        faces = np.array(value)
    except ValueError as error:
        raise ValueError(f"faces must have shape (m, 3): {error}") from None
    if faces.size == 0:
        return np.empty((0, 3), np.int64)
    if not np.issubdtype(faces.dtype, np.integer):
        raise TypeError(f"faces must be integers, got {faces.dtype}")
    if faces.ndim != 2 or faces.shape[1] != 3:
        raise ValueError(f"faces must have shape (m, 3), got {faces.shape}")
    bad = ((faces < 0) | (faces >= n)).any(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"faces must index {n} vertices, got {faces[row].tolist()} at index {row}")
    return faces.astype(np.int64)
