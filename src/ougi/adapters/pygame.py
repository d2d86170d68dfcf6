"""pygame and pygame-ce: which sprites does a blade hit between two frames?

Coordinates are those of the screen, y down. Angles are degrees, counter-clockwise as seen on the screen, with
0 to the right: the angle that `pygame.transform.rotate` takes. They may wrap: from 359 to 1 the blade turns
by 2 degrees. In one frame it turns the shorter way round, unless `turn` says otherwise.

A sprite with a `radius` is a circle about the center of its `rect`, as `pygame.sprite.collide_circle` has it;
any other sprite is its `rect`. Sprites move straight between two frames, and so does the pivot. pygame itself
is not imported.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ougi.adapters import _blade
from ougi.adapters._blade import BOX, CIRCLE, Hit

__all__ = ["Blade", "Hit", "swing_hits"]


class Blade(_blade.Blade):
    """A sword, bat or flipper that turns about a pivot. Make it while a level loads: it readies the kernels.

    Call `begin()` when a swing begins: every sprite is then hit at most once until the next. After a sprite
    has jumped to another place, call `forget(sprite)`.

    Parameters
    ----------
    outer_radius
        From the pivot to the tip, in pixels.
    inner_radius
        From the pivot to where the blade begins.
    thickness
        Its ends are round.
    capacity
        For so many sprites within reach memory is made at once; for more it is doubled when they come.

    >>> from ougi.adapters.pygame import Blade
    >>> Blade(90, 20, thickness=6).outer_radius
    90.0
    """

    kinds = (CIRCLE, BOX)


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
        A group, or anything else to go through. A sprite that is no longer given is forgotten.
    turn
        By how many degrees the blade has turned since the frame before, in the sense of `degrees`, however
        far. If nothing is said, it has turned the shorter way round: then half a turn or more in one frame
        is taken for a turn to the other side. In the first frame of a swing it is not looked at.

    Returns
    -------
    list of Hit
        (target, t, x, y) of sprites that this swing has not hit before, in order of time. In the first frame
        of a swing the blade is tested where it is.

    >>> from types import SimpleNamespace
    >>> from ougi.adapters.pygame import Blade, swing_hits
    >>> wolf = type("Wolf", (), {"rect": SimpleNamespace(left=-10, top=-90, width=20, height=20)})()
    >>> blade = Blade(90, 20, thickness=6)
    >>> swing_hits(blade, (0, 0), 10, [wolf])
    []
    >>> [(hit.target is wolf, round(hit.t, 4)) for hit in swing_hits(blade, (0, 0), 170, [wolf])]
    [(True, 0.434)]
    >>> swing_hits(blade, (0, 0), 90, [wolf])  # once in a swing
    []
    >>> blade.begin()
    >>> swing_hits(blade, (0, 0), -10, [wolf])
    []
    >>> [round(hit.t, 4) for hit in swing_hits(blade, (0, 0), 190, [wolf], turn=200)]  # not the shorter way
    [0.4472]
    """
    radians = None if turn is None else -math.radians(turn)
    blade.move(pivot[0], pivot[1], -math.radians(degrees), is_wrapped=True, turn=radians)
    for sprite in sprites:
        rect, radius = sprite.rect, getattr(sprite, "radius", None)
        half_x, half_y = rect.width / 2, rect.height / 2
        x, y = rect.left + half_x, rect.top + half_y  # `rect.center` may be rounded
        if radius is None:
            if blade.wants(sprite, x, y, math.hypot(half_x, half_y)):
                blade.box(sprite, x, y, half_x, half_y)
        elif blade.wants(sprite, x, y, radius):
            blade.circle(sprite, x, y, radius)
    return blade.hits()
