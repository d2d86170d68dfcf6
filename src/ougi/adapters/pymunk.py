"""pymunk: which shapes does a sword or a bullet hit between two steps?

Angles are radians, as `Body.angle` is, from x towards y, with 0 along x. They never wrap, so a sword may turn
by any angle in one step. The sword need not be a body.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ougi._typing import Floats, Foreign
from ougi.errors import MissingExtraError
from ougi.games import Hit, Hitbox, Projectile, Projectiles, Swing
from ougi.games.targets import Targets, list_targets
from ougi.shapes import Capsule2d, Circle

if TYPE_CHECKING:
    import pymunk
    from pymunk import batch
else:
    try:
        import pymunk
        from pymunk import batch
    except ImportError as error:
        raise MissingExtraError("games", "following pymunk's shapes") from error

__all__ = ["Hit", "Hitbox", "Projectile", "Projectiles", "Shapes", "Swing"]

_POSES = batch.BodyFields.BODY_ID | batch.BodyFields.POSITION | batch.BodyFields.ANGLE


class Shapes(Targets):
    """The shapes that can be hit: circles, segments and polygons, with their radii, where their bodies are.

    The form of a shape is read when it is first given. Bodies of a space are read in one call.

    Parameters
    ----------
    shapes
        Shapes, or a space, whose forms are read now, so that the first step is as fast as the others.

    >>> import pymunk, ougi
    >>> from ougi.adapters.pymunk import Shapes, Swing
    >>> body = pymunk.Body(1, 1)
    >>> body.position = 0, 80
    >>> ball = pymunk.Circle(body, 10)
    >>> balls, sword = Shapes(), Swing(ougi.Capsule2d([20, 0], [86, 0], 3))
    >>> balls.update([ball])
    >>> sword.move_to((0, 0), 0.2)
    >>> sword.hits(balls)
    []
    >>> balls.update([ball])
    >>> sword.move_to((0, 0), 3.0)
    >>> [(hit.target is ball, round(hit.t, 4)) for hit in sword.hits(balls)]
    [(True, 0.4313)]
    """

    def __init__(self, shapes: Iterable[pymunk.Shape] | pymunk.Space = ()) -> None:
        super().__init__()
        self._reader: _PoseReader | None = None
        self._prepare(self.update, _list_shapes(shapes))

    def update(self, shapes: Iterable[pymunk.Shape] | pymunk.Space) -> None:
        """Begin a frame: all shapes that can be hit, or a space with all of its shapes.

        See `ougi.games.TargetSet`.
        """
        given = _list_shapes(shapes)
        boxes = None
        if given != self._targets or self._reader is None:
            made = dict(zip(self._targets, self._hitboxes, strict=True))
            boxes = [made.get(shape) or _make_hitbox(k, shape) for k, shape in enumerate(given)]
            bodies = [shape.body for shape in given]
            if None in bodies:
                raise ValueError(f"shapes must belong to bodies, but shapes[{bodies.index(None)}] has none")
            self._reader = _PoseReader(bodies)
        poses = self._reader.read()
        if not np.isfinite(poses).all():
            k = int(np.flatnonzero(~np.isfinite(poses).all(axis=1))[0])
            raise ValueError(f"the body of shapes[{k}] must be finite, got {poses[k].tolist()}")
        self._update(given, poses[:, :2].T, poses[:, 2], boxes)


def _list_shapes(shapes: Iterable[pymunk.Shape] | pymunk.Space) -> list[pymunk.Shape]:
    return list_targets("shapes", shapes.shapes if isinstance(shapes, pymunk.Space) else shapes)


class _PoseReader:
    """Positions and angles of bodies, one for each shape. Those of one space are read in one call."""

    def __init__(self, bodies: list[Foreign]) -> None:
        self._bodies = bodies
        self._buffer = batch.Buffer()
        self._ids: list[int] = []  # of the bodies of the space, as the last call listed them
        self._source = np.zeros(0, np.int64)  # which of them belongs to each shape; -1 if none does
        self._alone: list[int] = []  # shapes whose bodies are not in the space

    def read(self) -> Floats:
        """(n, 3)."""
        space = self._bodies[0].space if self._bodies else None
        if space is None or len(self._bodies) < 8:
            alone = [(*body.position, body.angle) for body in self._bodies]
            return np.array(alone, np.float64).reshape(-1, 3)
        self._buffer.clear()
        batch.get_space_bodies(space, _POSES, self._buffer)
        ids = memoryview(self._buffer.int_buf()).cast("P").tolist()
        values = np.frombuffer(self._buffer.float_buf(), np.float64).reshape(-1, 3)
        if ids != self._ids:
            place = {each: k for k, each in enumerate(ids)}
            self._ids = ids
            self._source = np.array([place.get(body.id, -1) for body in self._bodies], np.int64)
            self._alone = np.flatnonzero(self._source < 0).tolist()
        poses: Floats = values[self._source]
        for k in self._alone:
            poses[k] = *self._bodies[k].position, self._bodies[k].angle
        return poses


def _make_hitbox(k: int, shape: Foreign) -> Hitbox:
    """The form of a shape in the coordinates of its body."""
    if isinstance(shape, pymunk.Circle):
        return _make_form((tuple(shape.offset),), shape.radius)
    if isinstance(shape, pymunk.Segment):
        return _make_form((tuple(shape.a), tuple(shape.b)), shape.radius)
    if isinstance(shape, pymunk.Poly):
        return _make_form(tuple(map(tuple, shape.get_vertices())), shape.radius)
    raise TypeError(
        f"shapes must be pymunk's circles, segments and polygons, but shapes[{k}] is a {type(shape).__name__}"
    )


@functools.lru_cache(maxsize=1024)
def _make_form(points: tuple[Foreign, ...], radius: float) -> Hitbox:
    """A circle has one point, a segment two."""
    if len(points) == 1:
        return Hitbox(Circle(points[0], radius))
    return Hitbox(Capsule2d(*points, radius)) if len(points) == 2 else Hitbox(points, radius=radius)
