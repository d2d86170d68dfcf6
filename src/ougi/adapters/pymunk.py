"""pymunk: which shapes does a blade hit between two steps?

Angles are radians, as `Body.angle` is, from x towards y, with 0 along x; they never wrap, so that a blade may
turn by any angle in one step.

Circles, segments and polygons are followed, with their radii. A body moves straight between two steps, in the
orientation that it has now. The space is not needed: a blade need not be a body.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ougi.adapters import _blade
from ougi.adapters._blade import CAPSULE, CIRCLE, TRIANGLE, Hit
from ougi.errors import MissingExtraError

if TYPE_CHECKING:
    import pymunk
else:
    try:
        import pymunk
    except ImportError as error:
        raise MissingExtraError("games", "following pymunk's shapes") from error

__all__ = ["Blade", "Hit", "swing_hits"]


class Blade(_blade.Blade):
    """A sword, bat or flipper that turns about a pivot. Make it while a level loads: it readies the kernels.

    Parameters and methods are those of `ougi.adapters.pygame.Blade`; lengths are in pymunk's units.

    >>> from ougi.adapters.pymunk import Blade
    >>> Blade(90, 20, thickness=6).outer_radius
    90.0
    """

    kinds = (CIRCLE, CAPSULE, TRIANGLE)


def swing_hits(
    blade: Blade, pivot: tuple[float, float], angle: float, shapes: Iterable[pymunk.Shape]
) -> list[Hit]:
    """Which shapes does the blade hit since the step before? Call it in every step of a swing.

    Parameters
    ----------
    blade
        Made once.
    pivot, angle
        Where the hand is now, and where the blade points; for a blade that is a body `body.position` and
        `body.angle`.
    shapes
        `space.shapes`, `body.shapes` or any others. A shape that is no longer given is forgotten.

    Returns
    -------
    list of Hit
        (target, t, x, y) of shapes that this swing has not hit before, in order of time. In the first step of
        a swing the blade is tested where it is.

    >>> import pymunk
    >>> from ougi.adapters.pymunk import Blade, swing_hits
    >>> body = pymunk.Body(1, 1)
    >>> body.position = 0, 80
    >>> ball = pymunk.Circle(body, 10)
    >>> blade = Blade(90, 20, thickness=6)
    >>> swing_hits(blade, (0, 0), 0.2, [ball])
    []
    >>> [(hit.target is ball, round(hit.t, 4)) for hit in swing_hits(blade, (0, 0), 3.0, [ball])]
    [(True, 0.4313)]
    """
    blade.move(pivot[0], pivot[1], angle)
    for shape in shapes:
        _add_shape(blade, shape)
    return blade.hits()


def _add_shape(blade: Blade, shape: Any) -> None:
    if isinstance(shape, pymunk.Circle):
        _add_round(blade, shape, (shape.offset,))
    elif isinstance(shape, pymunk.Segment):
        _add_round(blade, shape, (shape.a, shape.b))
    elif isinstance(shape, pymunk.Poly):
        _add_polygon(blade, shape)
    else:
        raise TypeError(f"shapes must be pymunk's circles, segments and polygons, got {type(shape).__name__}")


def _add_round(blade: Blade, shape: Any, ends: Any) -> None:
    """One end for a circle, two for a segment."""
    body, radius = shape.body, shape.radius
    x, y = body.position
    if blade.wants(shape, x, y, max(end.length for end in ends) + radius):
        (ax, ay), (bx, by) = (body.local_to_world(end) for end in (ends[0], ends[-1]))
        if len(ends) == 1:
            blade.circle(shape, ax, ay, radius)
        else:
            blade.capsule(shape, ax, ay, bx, by, radius)


def _add_polygon(blade: Blade, shape: Any) -> None:
    """A polygon of pymunk is convex: a fan of triangles."""
    body, radius = shape.body, shape.radius
    corners = shape.get_vertices()
    x, y = body.position
    if blade.wants(shape, x, y, max(math.hypot(*corner) for corner in corners) + radius):
        (ax, ay), *rest = (body.local_to_world(corner) for corner in corners)
        for (bx, by), (cx, cy) in itertools.pairwise(rest):
            blade.triangle(shape, ax, ay, bx, by, cx, cy, radius)
