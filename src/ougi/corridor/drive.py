"""Circles that move: first contacts, bounces and slides, one loop text for every structure.

A structure is a function that finds the first contact of one moving circle (`first_in_tree`, ...). The loop
asks it again and again until the time of the frame is used up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ougi._native import device, execute, loop
from ougi._typing import Floats
from ougi.corridor.contact import Wall, normal_at, touch_segment
from ougi.corridor.lend import lent

# What the loop does with a contact.
CAST, STEP, SLIDE = 0, 1, 2

# Columns of the numbers that come back.
OUT = ("px", "py", "vx", "vy", "t", "nx", "ny", "left")
COUNTS = ("feature", "bounces", "tests", "casts")

_TEXT = '''
def drive_{name}(structure, wall, state, mode, seconds, restitution, most, out, counts, start, stop):
    """Circles start..stop of `state` (px, py, vx, vy, radius) for some seconds."""
    structure, wall = lent(structure), lent(wall)
    stack = empty((2, {stack}))
    for k in range(start, stop):
        px, py, vx, vy, r = state[k, 0], state[k, 1], state[k, 2], state[k, 3], state[k, 4]
        left, t, feature = seconds, 1.0, -1
        nx, ny, lastx, lasty = 0.0, 0.0, 0.0, 0.0
        bounces, tests, casts = 0, 0, 0
        while True:
            dx, dy = vx * left, vy * left
            t, found, asked = first(structure, wall, px, py, dx, dy, r, stack)
            tests += asked
            casts += 1
            if found < 0:
                px, py, left = px + dx, py + dy, 0.0
                break
            feature = found
            qx, qy = px + t * dx, py + t * dy
            nx, ny = normal_at(wall, feature, qx, qy)
            if mode == 0:
                break
            px, py, left = qx, qy, left * (1.0 - t)
            bounces += 1
            back = (1.0 + restitution) * (vx * nx + vy * ny)
            vx, vy = vx - back * nx, vy - back * ny
            if mode == 2:
                if bounces > 1 and vx * lastx + vy * lasty < 0.0:
                    vx, vy, left = 0.0, 0.0, 0.0  # wedged between two walls
                    break
                lastx, lasty = nx, ny
            if bounces >= most or left <= 0.0:
                break
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = px, py, vx, vy
        out[k, 4], out[k, 5], out[k, 6], out[k, 7] = t, nx, ny, left
        counts[k, 0], counts[k, 1], counts[k, 2], counts[k, 3] = feature, bounces, tests, casts
'''

# Nodes that may wait in a structure's search.
STACK = 256


def drive(name: str, first: Any, compiled: Any = loop, **others: Any) -> Callable[..., None]:
    """The loop for a structure; `name` must be unique to it, it is the key on disk.

    For a GPU it is compiled otherwise, of other parts.
    """
    parts = {"first": first, "normal_at": normal_at, "empty": np.empty, "lent": lent}
    namespace: dict[str, Any] = {"__name__": __name__, **parts, **others}
    execute(_TEXT.format(name=name, stack=STACK), namespace)
    made: Any = namespace[f"drive_{name}"]
    made.parts = (first,)
    finished: Callable[..., None] = compiled(made)
    return finished


@device
def first_of_all(
    nothing: int, wall: Wall, px: float, py: float, dx: float, dy: float, r: float, stack: Floats
) -> tuple[float, int, int]:
    """The first contact of a moving circle, by every segment: the oracle of the other structures."""
    best, first = 1.0, -1
    for i in range(len(wall.rows)):
        best, first = touch_segment(wall, i, px, py, dx, dy, r, best, first)
    return best, first, len(wall.rows)
