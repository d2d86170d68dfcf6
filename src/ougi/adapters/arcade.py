"""Arcade: which sprites does a sword or a bullet hit between two frames?

Coordinates are those of Arcade 3, y up. Angles are degrees, clockwise as `Sprite.angle` is, with 0 to the
right: give the angle of a sword whose picture points to the right. They may wrap: from 359 to 1 a sword turns
by 2 degrees. Arcade itself is not imported.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from operator import is_not
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ougi import games
from ougi.games import Hit, Hitbox
from ougi.games.angles import DEGREES, AngleUnit
from ougi.games.hitbox import as_hitbox
from ougi.games.targets import Targets

__all__ = ["Hit", "Hitbox", "Projectile", "Sprites", "Swing"]

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


class Sprites(Targets):
    """The sprites that can be hit. A sprite is its hit box, convex or not, with its scale and angle.

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

    def __init__(self) -> None:
        super().__init__()
        self._boxes: list[Any] = []
        self._scales: list[Any] = []

    def update(self, sprites: Iterable[Any]) -> None:
        """Begin a frame: all sprites that can be hit, where they are now. See `ougi.games.TargetSet`."""
        given = list(sprites)
        n = len(given)
        try:
            boxes = [sprite.hit_box for sprite in given]
            scales = [box.scale for box in boxes]
            # A hit box without an angle does not turn with its sprite.
            poses = [(*box.position, getattr(box, "angle", 0.0)) for box in boxes]
            numbers = np.array(poses, np.float64).reshape(n, 3)
        except AttributeError as error:
            raise TypeError(f"sprites must be Arcade's sprites: {error}") from None
        if not np.isfinite(numbers).all():
            k = int(np.flatnonzero(~np.isfinite(numbers).all(axis=1))[0])
            raise ValueError(f"position and angle of sprites[{k}] must be finite, got {poses[k]}")
        made = None
        if len(boxes) != len(self._boxes) or any(map(is_not, boxes, self._boxes)) or scales != self._scales:
            self._boxes, self._scales = boxes, scales
            made = [_make_polygon(tuple(box.points), box.scale) for box in boxes]
        self._update(given, numbers[:, :2].T, numbers[:, 2], made)


@functools.lru_cache(maxsize=1024)
def _make_polygon(points: _Points, scale: tuple[float, float]) -> Hitbox:
    return as_hitbox("the hit box of a sprite", np.multiply(points, scale))
