"""Shapes rigidly joined to one body, and polygons that need not be convex."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ougi import _check
from ougi._batch import concatenate
from ougi._typing import ArrayLike, Bools, DynamicBatch, Floats, Ints
from ougi.motion import Pose
from ougi.shapes._shape import Planar, Shape, Spatial
from ougi.shapes.aabb import Aabb2d, Aabb3d
from ougi.shapes.decompose import compute_winding, list_border, orient_ring, split_polygon
from ougi.shapes.half_space import HalfSpace
from ougi.shapes.hull import ConvexPolygon2d
from ougi.shapes.mesh import Mesh
from ougi.shapes.polytope import group_templates
from ougi.shapes.segment import Segment2d


class BodyParts(NamedTuple):
    """BodyParts of one class, of all bodies of a batch.

    Attributes
    ----------
    shape
        (m,), the parts, those of one body together.
    first
        (n + 1,), the parts of body i are those from first[i] to first[i + 1].
    """

    shape: Shape
    first: Ints

    @property
    def owner(self) -> Ints:
        """(m,), the body of each part."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def pair(self, other: BodyParts, index: Ints) -> tuple[Ints, Ints]:
        """All pairs of parts of pairs of bodies (n, 2): the row of `index`, and two parts (m, 2)."""
        i, j = index.T
        count, other_count = self.first[i + 1] - self.first[i], other.first[j + 1] - other.first[j]
        total = count * other_count
        case = np.repeat(np.arange(len(index)), total)
        number = np.arange(len(case)) - np.repeat(np.cumsum(total) - total, total)
        mine, theirs = divmod(number, np.maximum(other_count, 1)[case])
        return case, np.stack([self.first[i[case]] + mine, other.first[j[case]] + theirs], axis=-1)


def split_parts(shape: DynamicBatch) -> list[BodyParts]:
    """The parts of a batch by their classes; other shapes are the only part of themselves."""
    if isinstance(shape, Compound):
        return shape._split()
    flat = shape if isinstance(shape, Mesh) else shape.reshape((shape.count,))
    return [BodyParts(flat, np.arange(shape.count + 1))]


class PartTemplate:
    """Single shapes in the frame of a body; `batches` are the same by their classes.

    A polygon has `rings`, its border counter-clockwise and its holes clockwise.
    """

    def __init__(self, shapes: list[Any], rings: Sequence[Floats] = ()) -> None:
        self.shapes, self.rings = shapes, tuple(rings)
        alike: dict[type, list[Any]] = {}
        for shape in shapes:
            alike.setdefault(type(shape), []).append(shape)
        self.batches: list[Any] = [concatenate(group) for group in alike.values()]
        bounds = [batch._bounds() for batch in self.batches]
        lower = np.min([low.min(axis=0) for low, _ in bounds], axis=0)
        upper = np.max([high.max(axis=0) for _, high in bounds], axis=0)
        self.middle = (lower + upper) / 2
        balls = [batch._bounding_sphere() for batch in self.batches]
        self.radius = max(
            float((np.linalg.norm(center - self.middle, axis=-1) + radius).max()) for center, radius in balls
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartTemplate) and self.batches == other.batches

    __hash__ = None  # type: ignore[assignment]


class Compound(Shape):
    """Shapes rigidly joined to one body: a template of parts, placed by a rotation and a position."""

    template: Any  # an array of PartTemplate
    position: Floats
    rotation: Floats

    def __init__(self, shapes: Sequence[Shape]) -> None:
        if not isinstance(shapes, Iterable):
            raise TypeError(
                f"shapes must be a shape or a list of shapes, got {_check.describe_class(shapes)}"
            )
        parts: list[Any] = []
        for k, shape in enumerate([shapes] if isinstance(shapes, Shape) else shapes):
            parts += _list_singles(shape, k, self.dimension)
        if not parts:
            raise ValueError(
                f"shapes must hold at least one shape, because a {type(self).__name__} has parts"
            )
        self._set_template(PartTemplate(parts))

    def _set_template(self, *templates: PartTemplate, shape: tuple[int, ...] = ()) -> None:
        array = np.empty(len(templates), object)
        array[:] = templates
        d = self.dimension
        self._set(template=array.reshape(shape), position=np.zeros(d), rotation=np.eye(d))

    @property
    def parts(self) -> list[Any]:
        """The parts of a single body, as single shapes in the order in which they were given.

        >>> import ougi
        >>> mug = ougi.Compound3d([ougi.Sphere([0, 0, 0], 1), ougi.Box([2, 0, 0], [2, 1, 1])])
        >>> [type(part).__name__ for part in mug.translated([0, 0, 5]).parts]
        ['Sphere', 'Box']
        """
        if self.shape:
            raise TypeError(
                f"a batch of {type(self).__name__} has no parts; take one of its bodies, as in batch[0]"
            )
        pose = self._pose
        return [part._transformed(pose) for part in self.template.item().shapes]

    @property
    def _pose(self) -> Pose:
        return Pose._of(self.position, self.rotation)

    def _split(self) -> list[BodyParts]:
        """The parts by their classes, computed once."""
        found: list[BodyParts] | None = self.__dict__.get("_parts")
        if found is None:
            found = self.__dict__["_parts"] = _place_parts(
                group_templates(self.template), self.reshape((self.count,))._pose, self.count
            )
        return found

    def _bounds(self) -> tuple[Floats, Floats]:
        lower = np.full((self.count, self.dimension), np.inf)
        upper = -lower
        for parts in self._split():
            low, high = parts.shape._bounds()
            np.minimum.at(lower, parts.owner, low)
            np.maximum.at(upper, parts.owner, high)
        shape = (*self.shape, self.dimension)
        return lower.reshape(shape), upper.reshape(shape)

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        """About the middle of the bounds at the time of building; not the smallest."""
        middle, radius = np.empty((self.count, self.dimension)), np.empty(self.count)
        for template, rows in group_templates(self.template):
            middle[rows], radius[rows] = template.middle, template.radius
        return self._pose._apply(middle.reshape(self.position.shape)), radius.reshape(self.shape)

    def _transformed(self, pose: Pose) -> DynamicBatch:
        return self._moved(pose, "position", rotation=pose.rotation @ self.rotation)

    def __repr__(self) -> str:
        if self.shape:
            return super().__repr__()
        return f"<{type(self).__name__} of {len(self.template.item().shapes)} parts>"


def _list_singles(shape: Any, k: int, dimension: int) -> list[Any]:
    """The single shapes of a batch; those of a compound instead of it."""
    if not isinstance(shape, Shape) or isinstance(shape, HalfSpace | Mesh) or hasattr(shape, "_intersects"):
        name = _check.describe_class(shape)
        raise TypeError(
            f"shapes must be shapes with an end that come in batches, got {name} at index {k}; "
            "a HalfSpace or a Mesh is a body of its own"
        )
    if shape.dimension != dimension:
        name = type(shape).__name__
        raise ValueError(f"shapes must be {dimension}-D, got a {shape.dimension}-D {name} at index {k}")
    turnable: Any = shape._turnable() if isinstance(shape, Aabb2d | Aabb3d) else shape
    singles = turnable.reshape((shape.count,)) if shape.shape else [turnable]
    return [part for one in singles for part in (one.parts if isinstance(one, Compound) else [one])]


def _place_parts(templates: list[tuple[Any, Ints]], poses: Any, n: int) -> list[BodyParts]:
    """The parts of n bodies: templates with their rows, and the pose of each body."""
    alike: dict[type, list[tuple[Any, Ints]]] = {}
    for template, rows in templates:
        for batch in template.batches:
            placed = batch._transformed(poses[rows[:, None]])
            owner = np.repeat(rows, batch.count)
            alike.setdefault(type(batch), []).append((placed.reshape((len(owner),)), owner))
    found = []
    for group in alike.values():
        shape, owner = concatenate([placed for placed, _ in group]), np.concatenate([own for _, own in group])
        if len(group) > 1:
            order = np.argsort(owner, kind="stable")
            shape, owner = shape[order], owner[order]
        found.append(BodyParts(shape, np.searchsorted(owner, np.arange(n + 1))))
    return found


class Compound3d(Compound, Spatial):
    """Shapes of space rigidly joined to one body, such as a mug with its handle.

    Parts may overlap. `transformed` by a batch of poses and `concatenate` make batches of bodies. Queries and
    first contacts are those of the parts: a body touches where one of its parts does. Where two bodies
    overlap, the distance is minus the largest depth of two parts. The depth of the whole bodies, the least
    translation that separates them, can be larger.

    Parameters
    ----------
    shapes
        Shapes or batches of shapes; every single one is a part. Parts of a Compound3d are parts themselves.
        A HalfSpace3d or a Mesh cannot be a part.

    >>> import ougi
    >>> cup = ougi.Cylinder([0, 0, 0], [0, 0, 1], 4, 5)
    >>> handle = ougi.Capsule3d([[4, 0, 3], [7, 0, 3], [7, 0, -3]], [[7, 0, 3], [7, 0, -3], [4, 0, -3]], 0.5)
    >>> mug = ougi.Compound3d([cup, handle])
    >>> mug
    <Compound3d of 4 parts>
    >>> ougi.distance(mug, [[6, 0, 0], [9, 0, 0]]).round(6).tolist()
    [0.5, 1.5]
    >>> mugs = mug.transformed(ougi.Pose([[0, 0, 5], [20, 0, 5]]))
    >>> fall = ougi.time_of_impact(mugs, ougi.Translation3d([0, 0, -10]), ougi.Box([20, 0, -4], [9, 9, 2]))
    >>> fall.hit.tolist(), round(float(fall.t[1]), 6)
    ([False, True], 0.3)
    """

    _fields: ClassVar = {"template": (), "position": (3,), "rotation": (3, 3)}


class Compound2d(Compound, Planar):
    """Shapes of the plane rigidly joined to one body.

    Queries and depths are those of a `Compound3d`.

    Parameters
    ----------
    shapes
        Shapes or batches of shapes; every single one is a part. Parts of a Compound2d are parts themselves.
        A HalfSpace2d cannot be a part.

    >>> import ougi
    >>> hammer = ougi.Compound2d([ougi.Rectangle([0, 3], [3, 1]), ougi.Capsule2d([0, 0], [0, 3], 0.25)])
    >>> hammer.bounds()
    Aabb2d(lower=[-1.5, -0.25], upper=[1.5, 3.5])
    >>> ougi.intersects(hammer, ougi.Circle([[1, 2], [1, 1]], 0.6)).tolist()
    [True, False]
    """

    _fields: ClassVar = {"template": (), "position": (2,), "rotation": (2, 2)}


class Polygon2d(Compound2d):
    """Polygons of the plane, convex or not, with or without holes.

    A polygon is a body of convex parts, found exactly when it is built; the time grows with the square of its
    number of corners. Points and circles have their depth from the border. For all others the depth is the
    largest depth of two parts, as for a `Compound2d`.

    Parameters
    ----------
    vertices
        (n, 2) for one polygon, n at least 3, in either sense of rotation; a sequence of such arrays for a
        batch. A polygon may touch itself, but not cross.
    holes
        For one polygon, its holes: a sequence of arrays (m, 2) that do not cross or overlap. For a batch, a
        sequence of such sequences.

    >>> import ougi
    >>> arrow = ougi.Polygon2d([[0, 0], [3, -2], [2, 0], [3, 2]])
    >>> arrow
    <Polygon2d of 4 vertices>
    >>> ougi.contains(arrow, [[1, 0], [2.5, 0]]).tolist()
    [True, False]
    >>> frame = ougi.Polygon2d([[0, 0], [4, 0], [4, 4], [0, 4]], holes=[[[1, 1], [3, 1], [3, 3], [1, 3]]])
    >>> ougi.distance(frame, [[2, 2], [0.5, 2]]).tolist()
    [1.0, -0.5]
    """

    def __init__(
        self,
        vertices: ArrayLike | Sequence[ArrayLike],
        holes: Sequence[ArrayLike | Sequence[object]] | None = None,
    ) -> None:
        several = (
            np.ndim(vertices[0]) == 2
            if isinstance(vertices, Sequence) and len(vertices)
            else (isinstance(vertices, np.ndarray) and vertices.ndim == 3)
        )
        rings: Any = list(vertices) if several else [vertices]  # type: ignore[arg-type]
        inner: Any = ([[]] * len(rings) if holes is None else holes) if several else [holes or []]
        if len(inner) != len(rings):
            raise ValueError(
                f"holes must hold a sequence for each of {len(rings)} polygons, got {len(inner)}"
            )
        made = [
            _make_template(ring, own, k if several else None)
            for k, (ring, own) in enumerate(zip(rings, inner, strict=True))
        ]
        self._set_template(*made, shape=(len(made),) if several else ())

    @property
    def vertices(self) -> Floats:
        """The corners (n, 2) of the border of a single polygon, counter-clockwise."""
        return self.rings[0]

    @property
    def rings(self) -> list[Floats]:
        """The border of a single polygon, counter-clockwise, and its holes, clockwise, as arrays (n, 2)."""
        if self.shape:
            raise TypeError("a batch of Polygon2d has no rings; take one of its polygons, as in batch[0]")
        pose = self._pose
        return [pose._apply(ring) for ring in self.template.item().rings]

    def _outline(self) -> Compound2d:
        """The border as bodies of segments: the edges of all rings, where none runs along another one."""
        found: Compound2d | None = self.__dict__.get("_edges")
        if found is None:
            array = np.empty(self.count, object)
            for template, rows in group_templates(self.template):
                array[rows] = PartTemplate(list(Segment2d(*list_border(template.rings))))
            fields = {"position": self.position, "rotation": self.rotation}
            found = self.__dict__["_edges"] = Compound2d._from_fields(
                self.shape, {"template": array.reshape(self.shape), **fields}
            )
        return found

    def _encloses(self, points: Floats, which: Ints) -> Bools:
        """Does polygon which[k] hold points[k]? Points on the border may be inside or outside."""
        pose = self.reshape((self.count,))._pose[which]
        local = pose.inverse()._apply(points)
        inside = np.zeros(len(points), np.bool_)
        for template, rows in group_templates(self.template):
            own = np.flatnonzero(np.isin(which, rows))
            inside[own] = compute_winding(template.rings, local[own]) > 0
        return inside

    def __repr__(self) -> str:
        if self.shape:
            return super().__repr__()
        border, *holes = self.template.item().rings
        count = f" and {len(holes)} holes" if holes else ""
        return f"<Polygon2d of {len(border)} vertices{count}>"


def _make_template(vertices: ArrayLike, holes: Sequence[ArrayLike], index: int | None) -> PartTemplate:
    where = "" if index is None else f"[{index}]"
    border = _read_ring(f"vertices{where}", vertices)
    inner = [_read_ring(f"holes{where}[{k}]", hole) for k, hole in enumerate(holes)]
    try:
        pieces = split_polygon(border, inner)
        rings = [orient_ring(border), *(orient_ring(hole)[::-1] for hole in inner)]
    except ValueError as error:
        raise ValueError(str(error) if index is None else f"{error} (polygon {index})") from None
    parts = ConvexPolygon2d(pieces)
    return PartTemplate(list(parts), rings)


def _read_ring(name: str, corners: ArrayLike) -> Floats:
    ring = _check.vectors(name, corners, 2)
    if ring.ndim != 2:
        raise ValueError(f"{name} must have shape (n, 2), got {ring.shape}")
    return ring
