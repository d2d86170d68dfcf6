"""Arcade: which sprites does a blade hit between two frames?

Coordinates are those of Arcade 3, y up. Angles are degrees, clockwise as `Sprite.angle` is, with 0 to the
right: give the angle of a blade whose picture points to the right. They may wrap: from 359 to 1 the blade
turns by 2 degrees. In one frame it turns the shorter way round, unless `turn` says otherwise.

A sprite is its hit box, convex or not. It moves straight between two frames, in the orientation that it has
now. Arcade itself is not imported.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import Any, TypeAlias

from ougi.adapters import _blade
from ougi.adapters._blade import TRIANGLE, Hit

__all__ = ["Blade", "Hit", "swing_hits"]

Corners: TypeAlias = tuple[tuple[float, float], ...]


class Blade(_blade.Blade):
    """A sword, bat or flipper that turns about a pivot. Make it while a level loads: it readies the kernels.

    Parameters and methods are those of `ougi.adapters.pygame.Blade`; lengths are in Arcade's units.

    >>> from ougi.adapters.arcade import Blade
    >>> Blade(90, 20, thickness=6).outer_radius
    90.0
    """

    kinds = (TRIANGLE,)


def swing_hits(
    blade: Blade,
    pivot: tuple[float, float],
    degrees: float,
    sprites: Iterable[Any],
    *,
    turn: float | None = None,
) -> list[Hit]:
    """Which sprites does the blade hit since the frame before? Call it in every frame of a swing.

    Parameters
    ----------
    blade
        Made once.
    pivot
        Where the hand is now.
    degrees
        Where the blade points now; see the module.
    sprites
        A SpriteList, or anything else to go through. A sprite that is no longer given is forgotten.
    turn
        By how many degrees the blade has turned since the frame before, in the sense of `degrees`, however
        far. If nothing is said, it has turned the shorter way round: then half a turn or more in one frame
        is taken for a turn to the other side. In the first frame of a swing it is not looked at.

    Returns
    -------
    list of Hit
        (target, t, x, y) of sprites that this swing has not hit before, in order of time. In the first frame
        of a swing the blade is tested where it is.

    >>> import arcade
    >>> from ougi.adapters.arcade import Blade, swing_hits
    >>> wolf = arcade.SpriteSolidColor(20, 20, 0, 80)
    >>> blade = Blade(90, 20, thickness=6)
    >>> swing_hits(blade, (0, 0), -10, [wolf])
    []
    >>> [(hit.target is wolf, round(hit.t, 4)) for hit in swing_hits(blade, (0, 0), -170, [wolf])]
    [(True, 0.434)]
    """
    radians = None if turn is None else -math.radians(turn)
    blade.move(pivot[0], pivot[1], -math.radians(degrees), is_wrapped=True, turn=radians)
    for sprite in sprites:
        corners = sprite.hit_box.get_adjusted_points()
        x, y = sprite.position
        reach = 0.0
        for corner in corners:
            reach = max(reach, math.hypot(corner[0] - x, corner[1] - y))
        if blade.wants(sprite, x, y, reach):
            for i, j, k in _triangles(tuple(sprite.hit_box.points)):
                blade.triangle(sprite, *corners[i], *corners[j], *corners[k])
    return blade.hits()


@functools.lru_cache(maxsize=1024)
def _triangles(points: Corners) -> tuple[tuple[int, int, int], ...]:
    """A hit box cut into triangles, ear by ear, as indices of corners; kept for sprites of one picture."""
    left = list(range(len(points)))
    if sum(_cross(points[0], points[k - 1], points[k]) for k in left) < 0:
        left.reverse()
    found = []
    while len(left) > 2:
        k = next((k for k in range(len(left)) if _is_ear(points, left, k)), None)
        if k is None:
            raise ValueError(f"a hit box must not cross itself, got the corners {points}")
        i, j = left[k - 1], left.pop(k)
        found.append((i, j, left[k % len(left)]))
    return tuple(found)


def _is_ear(points: Corners, left: list[int], k: int) -> bool:
    """Can the corner be cut off? Yes if it is straight, or convex with no other one in the cut."""
    i, j, m = left[k - 1], left[k], left[(k + 1) % len(left)]
    a, b, c = points[i], points[j], points[m]
    turn = _cross(a, b, c)
    if turn == 0.0:
        return True
    others = (points[n] for n in left if n not in (i, j, m) and points[n] not in (a, b, c))
    return turn > 0.0 and not any(
        _cross(a, b, p) >= 0 and _cross(b, c, p) >= 0 and _cross(c, a, p) >= 0 for p in others
    )


def _cross(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
