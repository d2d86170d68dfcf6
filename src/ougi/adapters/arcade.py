"""Arcade: which sprites does a sword or a bullet hit between two frames?

Coordinates are those of Arcade 3, y up. Angles are degrees, clockwise as `Sprite.angle` is, with 0 to the
right: give the angle of a sword whose picture points to the right. They may wrap: from 359 to 1 a sword turns
by 2 degrees. Arcade itself is not imported.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from itertools import chain
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ougi import games
from ougi._typing import Foreign
from ougi.games import Hit, Hitbox
from ougi.games.angles import DEGREES, AngleUnit
from ougi.games.hitbox import as_hitbox
from ougi.games.targets import Targets, list_targets
from ougi.shapes import ConvexPolygon2d

__all__ = ["Hit", "Hitbox", "Projectile", "Projectiles", "Sprites", "Swing"]

_Points: TypeAlias = tuple[tuple[float, float], ...]


class Swing(games.Swing):
    """A sword, bat or flipper. See `ougi.games.Swing`; angles are degrees, clockwise.

    >>> import ougi
    >>> from ougi.adapters.arcade import Swing
    >>> Swing(ougi.Capsule2d([20, 0], [86, 0], 3)).hitbox
    Hitbox(parts=1, reach=89)
    """

    _unit: ClassVar[AngleUnit] = DEGREES


class Projectile(games.Projectile):
    """A bullet, arrow or thrown axe. See `ougi.games.Projectile`; angles are degrees, clockwise.

    >>> import ougi
    >>> from ougi.adapters.arcade import Projectile
    >>> arrow = Projectile(ougi.Segment2d([-20, 0], [0, 0]), (0, 0), (600, 0), acceleration=(0, -900))
    >>> arrow.move(1 / 60)
    >>> [round(x, 3) for x in arrow.position]
    [10.0, -0.125]
    """

    _unit: ClassVar[AngleUnit] = DEGREES


class Projectiles(games.Projectiles):
    """Many bullets, arrows or sparks. See `ougi.games.Projectiles`; angles are degrees, clockwise.

    >>> import ougi
    >>> from ougi.adapters.arcade import Projectiles
    >>> sparks = Projectiles(ougi.Circle([0, 0], 1))
    >>> sparks.add((0, 0), [[60, 0], [0, 60]]).tolist()
    [0, 1]
    """

    _unit: ClassVar[AngleUnit] = DEGREES


class Sprites(Targets):
    """The sprites that can be hit. A sprite is its hit box, convex or not, with its scale and angle.

    Parameters
    ----------
    sprites
        Sprites whose forms are read now, so that the first frame is as fast as the others.

    >>> import arcade, ougi
    >>> from ougi.adapters.arcade import Sprites, Swing
    >>> wolf = arcade.SpriteSolidColor(20, 20, 0, 80)
    >>> wolves, sword = Sprites(), Swing(ougi.Capsule2d([20, 0], [86, 0], 3))
    >>> wolves.update([wolf])
    >>> sword.move_to((0, 0), -10)
    >>> sword.hits(wolves)
    []
    >>> wolves.update([wolf])
    >>> sword.move_to((0, 0), -170)
    >>> [(hit.target is wolf, round(hit.t, 4)) for hit in sword.hits(wolves)]
    [(True, 0.434)]
    """

    _unit: ClassVar[AngleUnit] = DEGREES

    def __init__(self, sprites: Iterable[Foreign] = ()) -> None:
        super().__init__()
        self._boxes: list[Any] = []
        self._scales: list[Any] = []
        self._read = _read_properties
        self._prepare(self.update, list_targets("sprites", sprites))

    def update(self, sprites: Iterable[Foreign]) -> None:
        """Begin a frame: all sprites that can be hit, where they are now. See `ougi.games.TargetSet`."""
        given = list_targets("sprites", sprites)
        n = len(given)
        try:
            boxes = [sprite.hit_box for sprite in given]
            has_new = boxes != self._boxes
            if has_new:
                self._read = _read_fields if _OWN.issuperset(map(_name_class, boxes)) else _read_properties
            positions, angles, scales = self._read(boxes)
        except AttributeError as error:
            raise TypeError(f"sprites must be Arcade's sprites: {error}") from None
        numbers = np.fromiter(chain(chain.from_iterable(positions), angles), np.float64, 3 * n)
        place, turned = numbers[: 2 * n].reshape(n, 2), numbers[2 * n :]
        if not np.isfinite(numbers).all():
            k = int(np.flatnonzero(~(np.isfinite(place).all(axis=1) & np.isfinite(turned)))[0])
            found = (*positions[k], angles[k])
            raise ValueError(f"position and angle of sprites[{k}] must be finite, got {found}")
        made = None
        if has_new or scales != self._scales:
            self._boxes, self._scales = boxes, scales
            made = [_make_polygon(tuple(box.points), box.scale) for box in boxes]
        self._update(given, place.T, turned, made)


_Poses: TypeAlias = tuple[list[Any], list[float], list[Any]]  # positions, angles and scales

# Of a thousand sprites, 36 us are read through fields and 150 us through properties.
_OWN = {("arcade.hitbox.base", "RotatableHitBox")}


def _name_class(box: Any) -> tuple[str, str]:
    return type(box).__module__, type(box).__name__


def _read_fields(boxes: list[Any]) -> _Poses:
    """What Arcade's own hit boxes store."""
    try:
        return [box._position for box in boxes], [box._angle for box in boxes], [box._scale for box in boxes]
    except AttributeError:
        return _read_properties(boxes)  # another version of Arcade


def _read_properties(boxes: list[Any]) -> _Poses:
    # A hit box without an angle does not turn with its sprite.
    angles = [getattr(box, "angle", 0.0) for box in boxes]
    return [box.position for box in boxes], angles, [box.scale for box in boxes]


@functools.lru_cache(maxsize=1024)
def _make_polygon(points: _Points, scale: tuple[float, float]) -> Hitbox:
    corners = np.multiply(points, scale)
    # A sprite that shrinks to nothing, or turns its edge to the viewer, has no area for a frame.
    flat = None if all(scale) else ConvexPolygon2d.from_points(corners)
    return as_hitbox("the hit box of a sprite", corners if flat is None else flat)
