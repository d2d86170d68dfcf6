"""Seeded random batches of shapes, motions and poses of ordinary sizes.

What is drawn follows from the names of a class's fields, so that a new class needs no code here.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ougi._typing import ArrayLike, Floats, Ints
from ougi.motion import Pose
from ougi.shapes import Box, ConvexHull3d, ConvexPolygon2d, Shape

Random: TypeAlias = np.random.Generator
Range: TypeAlias = tuple[float, float]
_Shape = TypeVar("_Shape", bound=Shape)


class Ranges(NamedTuple):
    """Values are uniform between (low, high); lengths in metres, angles in radians."""

    radius: Range = (0.3, 0.7)  # of balls and discs
    edge: Range = (0.4, 1.4)  # of boxes and rectangles
    length: Range = (0.6, 2.0)  # of segments and of capsules without their caps
    tube_radius: Range = (0.15, 0.45)  # of capsules
    corner_distance: Range = (0.4, 1.0)  # of triangles' corners from their middle
    inner_radius: Range = (0.1, 0.5)  # of sectors
    width: Range = (0.5, 1.0)  # of sectors: outer minus inner radius
    half_angle: Range = (0.3, 1.5)
    half_height: Range = (0.2, 0.6)
    angle: Range = (-np.pi, np.pi)  # of rectangles and rotations
    # Half the edge of the square and of the cube in which the middles lie. A tenth to a third of the solid
    # shapes touch a central one. With far fewer hits, kernels that leave early would look too fast.
    spread: tuple[float, float] = (2.0, 1.5)


ORDINARY = Ranges()
# Sectors up to a full turn and without a hole, angles of more than a turn, small shapes beside large ones.
WIDE = Ranges(
    radius=(0.2, 2.0), edge=(0.2, 3.0), length=(0.1, 5.0), tube_radius=(0.2, 2.0), corner_distance=(0.1, 4.0),
    inner_radius=(0.0, 1.0), width=(0.05, 2.0), half_angle=(0.05, np.pi), half_height=(0.1, 1.0),
    angle=(-9.0, 9.0), spread=(3.0, 3.0),
)  # fmt: skip


def draw_batch(cls: type[Any], n: int, rng: Random | int, ranges: Ranges = ORDINARY) -> Any:
    """Draw a batch of n shapes or motions of a class, with middles about the origin.

    Parameters
    ----------
    cls
        A class of shapes or motions; not `Mesh`, and not `Chain`. Hulls have 32 vertices.
    n
        How many.
    rng
        Generator or seed.
    ranges
        Sizes and places.

    >>> import ougi
    >>> draw_batch(ougi.Sphere, 3, 0)
    <Sphere batch of shape (3,)>
    """
    if cls is ConvexHull3d:
        return draw_hulls(32, n, rng)
    return cls(**draw_arguments(cls, cls.dimension, (n,), np.random.default_rng(rng), ranges))


# The number of templates that hulls share.
_TEMPLATES = 32


def draw_hulls(vertices: int, n: int, rng: Random | int) -> ConvexHull3d:
    """Draw hulls of points on balls, in random poses. All points are vertices.

    >>> draw_hulls(12, 3, 0)
    <ConvexHull3d batch of shape (3,)>
    """
    rng = np.random.default_rng(rng)
    clouds = rng.normal(size=(_TEMPLATES, vertices, 3))
    low, high = ORDINARY.radius
    clouds *= rng.uniform(low, high, (_TEMPLATES, 1, 1)) / np.linalg.norm(clouds, axis=2, keepdims=True)
    hulls = ConvexHull3d(list(clouds))[rng.integers(0, _TEMPLATES, n)]
    box = draw_batch(Box, n, rng)
    moved: ConvexHull3d = hulls.transformed(Pose(box.center, box.rotation))
    return moved


def draw_polygons(vertices: int, n: int, rng: Random | int) -> ConvexPolygon2d:
    """Draw polygons of points on circles, in random poses. All points are vertices.

    >>> draw_polygons(8, 3, 0)
    <ConvexPolygon2d batch of shape (3,)>
    """
    rng = np.random.default_rng(rng)
    angle = np.sort(rng.uniform(-np.pi, np.pi, (n, vertices)), axis=1)
    corners = rng.uniform(*ORDINARY.radius, (n, 1, 1)) * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    low, high = -ORDINARY.spread[0], ORDINARY.spread[0]
    return ConvexPolygon2d(list(corners + rng.uniform(low, high, (n, 1, 2))))


def draw_central(cls: type[_Shape], rng: Random | int) -> _Shape:
    """Draw a single shape as `draw_batch` does, with its middle at the origin.

    >>> import ougi
    >>> draw_central(ougi.Sphere, 0).center.tolist()
    [0.0, 0.0, 0.0]
    """
    ranges = ORDINARY._replace(spread=(0.0, 0.0))
    return cls(**draw_arguments(cls, cls.dimension, (), np.random.default_rng(rng), ranges))


def draw_index_pairs(n_a: int, n_b: int, m: int, rng: Random | int) -> Ints:
    """Draw index pairs (m, 2) into batches of n_a and n_b shapes, in no order.

    >>> draw_index_pairs(5, 5, 3, 0).shape
    (3, 2)
    """
    return np.random.default_rng(rng).integers(0, [n_a, n_b], (m, 2))


def draw_arguments(
    cls: type[Any], dimension: int, shape: tuple[int, ...], rng: Random, ranges: Ranges = ORDINARY
) -> dict[str, Floats]:
    """Draw the constructor's arguments for a batch of any shape.

    >>> import numpy as np, ougi
    >>> sorted(draw_arguments(ougi.Circle, 2, (4,), np.random.default_rng(0)))
    ['center', 'radius']
    """
    spread = ranges.spread[dimension - 2]
    middle = rng.uniform(-spread, spread, (*shape, dimension))

    def number(between: Range) -> Floats:
        return rng.uniform(*between, shape)

    def unit(components: int = dimension) -> Floats:
        v = rng.normal(size=(*shape, components))
        return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))

    half_edge = rng.uniform(*ranges.edge, middle.shape) / 2
    half_length = unit() * number(ranges.length)[..., None] / 2
    corners = [middle + number(ranges.corner_distance)[..., None] * unit() for _ in range(3)]
    inner = number(ranges.inner_radius)
    drawn = {
        **dict.fromkeys(("position", "center", "offset"), middle),
        "radius": number(ranges.tube_radius if "start" in cls._fields else ranges.radius),
        "size": 2 * half_edge,
        "lower": middle - half_edge,
        "upper": middle + half_edge,
        "start": middle - half_length,
        "end": middle + half_length,
        **dict(zip("abc", corners, strict=True)),
        "axis": unit(),
        "direction": unit(),
        "half_angle": number(ranges.half_angle),
        "inner_radius": inner,
        "outer_radius": inner + number(ranges.width),
        "half_height": number(ranges.half_height),
        "angle": number(ranges.angle),
        "advance": number((-spread, spread)),
        "rotation": unit(4) if dimension == 3 else number(ranges.angle),
    }
    if not cls._fields or not drawn.keys() >= cls._fields.keys():
        raise TypeError(f"no random {cls.__name__} is made here: its fields are {list(cls._fields)}")
    return {name: drawn[name] for name in cls._fields}


# Fields that are coordinates or sizes.
_LENGTHS = {
    *("position", "center", "start", "end", "a", "b", "c", "lower", "upper", "offset", "advance"),
    *("radius", "radii", "size", "inner_radius", "outer_radius", "half_height"),
}


def scale_lengths(batch: Any, factor: ArrayLike) -> Any:
    """A batch with all its lengths times a factor, or one for each body, made by its constructor.

    None stays None. Hulls keep sharing templates, each made by the constructor on every scale.
    """
    if batch is None:
        return None
    factor = np.asarray(factor)
    if isinstance(batch, ConvexHull3d | ConvexPolygon2d):
        return _scale_hulls(batch, np.broadcast_to(factor, batch.shape))
    fields = {}
    for name in batch._fields:
        value = getattr(batch, name)
        if name in _LENGTHS:
            own = np.ndim(value) - len(batch.shape)
            value = value * factor.reshape(factor.shape + (1,) * own if factor.ndim else ())
        fields[name] = value
    return type(batch)(**fields)


def _scale_hulls(hulls: Any, factor: Floats) -> Any:
    """Hulls of shape (n,)."""
    made: dict[tuple[int, float], Any] = {}
    template = np.empty(len(hulls), object)
    position = hulls.position * factor[:, None]
    for i, (old, own) in enumerate(zip(hulls.template, factor.tolist(), strict=True)):
        if (id(old), own) not in made:
            made[id(old), own] = type(hulls)(old.vertices[:, : hulls.dimension] * own)
        new = made[id(old), own]
        template[i] = new.template.item()
        position[i] += hulls.rotation[i] @ new.position
    fields = {
        "template": template,
        "position": position,
        "rotation": hulls.rotation,
        "radius": hulls.radius * factor,
    }
    return type(hulls)._from_fields(hulls.shape, fields)


def measure_lengths(batch: Any) -> Floats:
    """(n,), the largest number of each body of a batch that is a coordinate or a size."""
    n = len(batch)
    columns = [np.abs(getattr(batch, k).reshape((n, -1))) for k in batch._fields if k in _LENGTHS]
    if isinstance(batch, ConvexHull3d | ConvexPolygon2d):
        columns.append(measure_templates(batch)[:, None])
    largest: Floats = np.concatenate(columns, axis=1).max(axis=1)
    return largest


def measure_templates(hulls: Any) -> Floats:
    """(n,), the largest coordinate of the vertices of hulls in their own frames."""
    return np.array([np.abs(template.vertices).max() for template in hulls.template])
