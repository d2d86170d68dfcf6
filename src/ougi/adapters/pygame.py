"""pygame and pygame-ce: which sprites does a sword or a bullet hit between two frames?

Coordinates are those of the screen, y down. Angles are degrees, counter-clockwise as seen on the screen, with
0 to the right: the angle that `pygame.transform.rotate` takes. They may wrap: from 359 to 1 a sword turns by
2 degrees. pygame itself is imported for pictures only.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from itertools import chain
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from ougi import _check, games
from ougi._typing import Foreign
from ougi.games import Hit, Hitbox
from ougi.games.angles import DEGREES, AngleUnit
from ougi.games.hitbox import as_hitbox
from ougi.games.targets import Targets, list_targets
from ougi.shapes import Circle, Rectangle

__all__ = ["Hit", "Hitbox", "Projectile", "Projectiles", "Rects", "Sprites", "Swing"]

# Attributes of a sprite that describe its shape: the first that it has counts.
_SOURCES = ("hitbox", "mask", "radius", "rect")


class Swing(games.Swing):
    """A sword, bat or flipper. See `ougi.games.Swing`; angles are degrees.

    Parameters
    ----------
    hitbox
        A shape, or the picture (a Surface or Mask) of a blade that points to the right, with the hand in its
        middle: what `pygame.transform.rotate` turns. Its pixels are the blade.

    >>> import ougi, pygame
    >>> from ougi.adapters.pygame import Swing
    >>> Swing(ougi.Capsule2d([20, 0], [86, 0], 3)).hitbox
    Hitbox(parts=1, reach=89)
    >>> picture = pygame.Surface((172, 172), pygame.SRCALPHA)
    >>> _ = picture.fill("gold", (106, 83, 66, 6))
    >>> Swing(picture).hitbox
    Hitbox(parts=1, reach=86.0523)
    """

    _unit: ClassVar[AngleUnit] = DEGREES

    def __init__(self, hitbox: Foreign) -> None:
        super().__init__(_read_mask(_make_mask(hitbox)) if hasattr(hitbox, "get_size") else hitbox)


class Projectile(games.Projectile):
    """A bullet, arrow or thrown axe. See `ougi.games.Projectile`; angles are degrees.

    >>> import ougi
    >>> from ougi.adapters.pygame import Projectile
    >>> axe = Projectile(ougi.Rectangle([0, 0], [30, 8]), (0, 0), (600, 0), spin=720, acceleration=(0, 900))
    >>> axe.move(1 / 60)
    >>> [round(x, 3) for x in axe.position], round(axe.angle, 6)
    ([10.0, 0.125], 12.0)
    """

    _unit: ClassVar[AngleUnit] = DEGREES


class Projectiles(games.Projectiles):
    """Many bullets, arrows or sparks. See `ougi.games.Projectiles`; angles are degrees.

    >>> import ougi
    >>> from ougi.adapters.pygame import Projectiles
    >>> sparks = Projectiles(ougi.Circle([0, 0], 1))
    >>> sparks.add((0, 0), [[60, 0], [0, 60]], spin=[0, 90]).tolist()
    [0, 1]
    >>> sparks.move(1.0)
    >>> sparks.position.tolist(), sparks.angle.round(6).tolist()
    ([[60.0, 0.0], [0.0, 60.0]], [0.0, 90.0])
    """

    _unit: ClassVar[AngleUnit] = DEGREES


class Sprites(Targets):
    """The sprites that can be hit, or bullets that hit others: `bullets.hits(enemies)`.

    A sprite is the first that it has of these: its `hitbox` (a shape about the center of its rect, turned by
    its `angle` in degrees, if it has one), its `mask` (pixel by pixel), a circle with its `radius`, or its
    `rect`. A mask is read once; give a sprite another Mask when its image changes.

    Parameters
    ----------
    sprites
        Sprites whose forms are read now, so that the first frame is as fast as the others.

    >>> import ougi
    >>> from ougi.adapters.pygame import Sprites, Swing
    >>> wolf = type("Wolf", (), {"rect": (-10, -90, 20, 20)})()  # or a pygame.sprite.Sprite
    >>> wolves, sword = Sprites(), Swing(ougi.Capsule2d([20, 0], [86, 0], 3))
    >>> wolves.update([wolf])
    >>> sword.move_to((0, 0), 10)
    >>> sword.hits(wolves)
    []
    >>> wolves.update([wolf])
    >>> sword.move_to((0, 0), 170)
    >>> [(hit.target is wolf, round(hit.t, 4)) for hit in sword.hits(wolves)]
    [(True, 0.434)]
    """

    _unit: ClassVar[AngleUnit] = DEGREES

    def __init__(self, sprites: Iterable[Foreign] = ()) -> None:
        super().__init__()
        self._sources: list[str] = []
        self._read = _read_properties
        self._described: list[tuple[str, list[Any]]] = []  # attributes, and the sprites that they describe
        self._values: list[list[Any]] = []  # of these attributes
        self._size = np.zeros((0, 2))
        self._half = np.zeros((0, 2))  # from the corner of the rect to the center of the shape
        self._turning: list[int] = []  # rows of sprites with an angle
        self._made: dict[int, tuple[Any, Hitbox]] = {}  # of shapes that are no hit boxes
        self._prepare(self.update, list_targets("sprites", sprites))

    def update(self, sprites: Iterable[Foreign]) -> None:
        """Begin a frame: all sprites that can be hit, where they are now. See `ougi.games.TargetSet`."""
        given = list_targets("sprites", sprites)
        n = len(given)
        is_new = given != self._targets
        if is_new:
            self._read = _read_fields if all(map(_has_own_rect, set(map(type, given)))) else _read_properties
        try:
            rects = self._read(given)
            numbers = np.fromiter(chain.from_iterable(rects), np.float64, 4 * n).reshape(n, 4)
        except (AttributeError, TypeError, ValueError):
            raise TypeError(_explain_rects(given)) from None
        if not np.isfinite(numbers).all():
            k = int(np.flatnonzero(~np.isfinite(numbers).all(axis=1))[0])
            raise ValueError(f"sprites[{k}].rect must be finite, got {rects[k]}")
        if is_new:
            self._describe(given)
        values = [list(map(attrgetter(source), owners)) for source, owners in self._described]
        boxes: list[Hitbox] | None = None
        size = numbers[:, 2:]
        if is_new or not _is_same(values, self._values) or (size != self._size).any():
            self._values, self._size, self._half = values, size.copy(), size / 2
            described = {
                source: iter(found) for (source, _), found in zip(self._described, values, strict=True)
            }
            boxes = []
            for k, source in enumerate(self._sources):
                value = size[k].tolist() if source == "rect" else next(described[source])
                boxes.append(self._make(k, source, value))
                if source == "mask":
                    self._half[k] = np.divide(value.get_size(), 2)
        angles: Any = 0.0
        if self._turning:
            turned = np.fromiter([given[k].angle for k in self._turning], np.float64, len(self._turning))
            angles = turned
            if len(turned) < n:
                angles = np.zeros(n)
                angles[self._turning] = turned
            if not np.isfinite(turned).all():
                k = int(np.flatnonzero(~np.isfinite(angles))[0])
                raise ValueError(f"sprites[{k}].angle must be finite, got {given[k].angle}")
        self._update(given, (numbers[:, :2] + self._half).T, angles, boxes)

    def _describe(self, sprites: list[Any]) -> None:
        """Note by which attributes new sprites are described."""
        self._sources = [
            next(name for name in _SOURCES if getattr(sprite, name, None) is not None) for sprite in sprites
        ]
        pairs = list(zip(sprites, self._sources, strict=True))
        self._turning = [
            k for k, (sprite, source) in enumerate(pairs) if source == "hitbox" and hasattr(sprite, "angle")
        ]
        self._described = [
            (name, [sprite for sprite, source in pairs if source == name])
            for name in _SOURCES[:-1]
            if name in self._sources
        ]

    def _make(self, k: int, source: str, value: Any) -> Hitbox:
        if source == "rect":
            return _make_box(*value)
        if source == "mask":
            if not value.count():
                raise ValueError(f"sprites[{k}].mask must have at least one pixel that is set, got none")
            return _read_mask(value)
        if source == "radius":
            return _make_circle(_check.number(f"sprites[{k}].radius", value, positive=False))
        if id(value) not in self._made:
            self._made[id(value)] = value, as_hitbox(f"sprites[{k}].hitbox", value)
        return self._made[id(value)][1]


class Rects(games.TargetSet):
    """Bare rects at rest, such as the tiles of a room. A target is an index, as in `Rect.collidelist`.

    Parameters
    ----------
    rects
        `pygame.Rect`, `FRect`, or left, top, width and height.

    >>> import ougi
    >>> from ougi.adapters.pygame import Projectile, Rects
    >>> arrow = Projectile(ougi.Circle([0, 0], 2), (0, 16), (2400, 0))
    >>> arrow.move(1 / 60)
    >>> [(hit.target, round(hit.t, 3)) for hit in arrow.hits(Rects([(0, 64, 32, 32), (32, 0, 32, 32)]))]
    [(1, 0.75)]
    """

    def __init__(self, rects: Iterable[Foreign]) -> None:
        super().__init__()
        try:
            given = [tuple(rect) for rect in list_targets("rects", rects)]
        except TypeError:
            raise TypeError("rects must be a list of Rects; use Sprites for sprites") from None
        numbers = _check.vectors("rects", given, 4)
        boxes = [_make_box(width, height) for width, height in numbers[:, 2:].tolist()]
        self.update(range(len(given)), numbers[:, :2] + numbers[:, 2:] / 2, hitboxes=boxes)


def _has_own_rect(cls: type) -> bool:
    """Does a class store its rect as pygame-ce's sprites do?"""
    getter = getattr(getattr(cls, "rect", None), "fget", None)
    return getattr(getter, "__module__", "") == "pygame.sprite"


def _read_fields(sprites: list[Any]) -> list[Any]:
    """The rects of pygame-ce's sprites: of a thousand in 12 us, and in 50 through properties."""
    try:
        return [sprite._Sprite__rect for sprite in sprites]
    except AttributeError:
        return _read_properties(sprites)  # another version of pygame


def _read_properties(sprites: list[Any]) -> list[Any]:
    return [sprite.rect for sprite in sprites]


def _is_same(values: list[list[Any]], before: list[list[Any]]) -> bool:
    try:
        return values == before  # quick for the same objects
    except ValueError:  # another array of corners
        return False


def _explain_rects(sprites: list[Any]) -> str:
    for k, sprite in enumerate(sprites):
        if not hasattr(sprite, "rect"):
            hint = ""
            if hasattr(sprite, "topleft"):
                hint = "; use Rects for bare rects"
            return f"sprites must have a rect, but sprites[{k}] is a {type(sprite).__name__}{hint}"
        try:
            _, _, _, _ = map(float, sprite.rect)
        except (TypeError, ValueError):
            return f"sprites[{k}].rect must be a Rect or FRect, got {sprite.rect!r}"
    return "sprites must have rects"


@functools.lru_cache(maxsize=1024)
def _make_box(width: float, height: float) -> Hitbox:
    return Hitbox(Rectangle([0, 0], [abs(width), abs(height)]))


@functools.lru_cache(maxsize=1024)
def _make_circle(radius: float) -> Hitbox:
    return Hitbox(Circle([0, 0], radius))


def _make_mask(picture: Foreign) -> Foreign:
    if not hasattr(picture, "get_flags"):
        return picture  # a mask already
    import pygame

    return pygame.mask.from_surface(picture)


@functools.lru_cache(maxsize=1024)
def _read_mask(mask: Foreign) -> Hitbox:
    """The pixels of a mask, about its middle."""
    width, height = mask.get_size()
    solid = [[mask.get_at((x, y)) for x in range(width)] for y in range(height)]
    if not mask.count():
        raise ValueError("a mask must have at least one pixel that is set, got none")
    return Hitbox.from_grid(solid, origin=(-width / 2, -height / 2))
