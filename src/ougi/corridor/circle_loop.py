"""Circles that move: first contacts, bounces and slides. One loop text serves every search.

A search is a function that finds the first contact of one moving circle (`search_tree`, ...). The loop calls
it again and again until the time of the step is used up.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ougi._native import device, execute, loop
from ougi._native.borrow import borrow
from ougi._typing import Floats, Loop, Record
from ougi.corridor.contact import ROUNDING, Wall, contact_normal, is_touching, update_first_contact
from ougi.corridor.trees import STACK

# The action of the loop at a contact.
CAST, STEP, SLIDE = 0, 1, 2

# The columns that it writes are those of `columns.py`.
_TEXT = '''
def move_{name}(tables, wall, circles, action, seconds, restitution, max_bounces, out, counts, start, stop):
    """Move circles start..stop, rows (px, py, vx, vy, radius), for a number of seconds."""
    tables, wall = borrow(tables), borrow(wall)
    stack = empty((2, {stack}))
    for k in range(start, stop):
        px, py, vx, vy, r = circles[k, 0], circles[k, 1], circles[k, 2], circles[k, 3], circles[k, 4]
        left, t, feature, last = seconds, 1.0, -1, -1
        nx, ny, lastx, lasty = 0.0, 0.0, 0.0, 0.0
        bounces, tests, casts = 0, 0, 0
        while True:
            dx, dy = vx * left, vy * left
            t, touched, tested = search(tables, wall, px, py, dx, dy, r, stack)
            tests += tested
            casts += 1
            if touched < 0:
                px, py, left = px + dx, py + dy, 0.0
                if action == 0:
                    t, nx, ny = nan, nan, nan
                break
            feature = touched
            qx, qy = px + t * dx, py + t * dy
            nx, ny = contact_normal(wall, feature, qx, qy)
            px, py, left = qx, qy, left * (1.0 - t)
            if action == 0:
                break
            bounces += 1
            back = (1.0 + restitution) * (vx * nx + vy * ny)
            vx, vy = vx - back * nx, vy - back * ny
            if action == 2:
                is_wedge = bounces > 1 and nx * lastx + ny * lasty < 0.0 and vx * lastx + vy * lasty < 0.0
                speed = sqrt(vx * vx + vy * vy)
                if speed <= ROUNDING * abs(back) or (is_wedge and is_touching(wall, last, px, py, r)):
                    vx, vy, left = 0.0, 0.0, 0.0  # straight against a wall, or between two
                    break
                if nx * ny != 0.0:  # else rounding has no part in it
                    # Off the wall, so that the same contact is not found again.
                    vx, vy = vx + ROUNDING * speed * nx, vy + ROUNDING * speed * ny
                last, lastx, lasty = feature, nx, ny
            if bounces >= max_bounces or left <= 0.0:
                break
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = px, py, vx, vy
        out[k, 4], out[k, 5], out[k, 6], out[k, 7] = t, nx, ny, left
        counts[k, 0], counts[k, 1], counts[k, 2], counts[k, 3] = feature, bounces, tests, casts
'''


def make_circle_loop(name: str, search: Loop, compiled: Loop = loop, **others: object) -> Callable[..., None]:
    """The loop for a search; `name` must be unique to it, because it is the key on disk.

    For a GPU it is compiled by another function, and with other parts.
    """
    parts = {"search": search, "contact_normal": contact_normal, "is_touching": is_touching}
    numbers = {"nan": np.nan, "sqrt": math.sqrt, "ROUNDING": ROUNDING, "empty": np.empty, "borrow": borrow}
    namespace: dict[str, Record] = {"__name__": __name__, **parts, **numbers, **others}
    execute(_TEXT.format(name=name, stack=STACK), namespace)
    made: Record = namespace[f"move_{name}"]
    made.parts = (search,)
    finished: Callable[..., None] = compiled(made)
    return finished


@device
def search_all(
    tables: int, wall: Wall, px: float, py: float, dx: float, dy: float, r: float, stack: Floats
) -> tuple[float, int, int]:
    """The first contact of a moving circle by a test of every segment: the oracle of the other searches."""
    best, first = 1.0, -1
    for i in range(len(wall.rows)):
        best, first = update_first_contact(wall, i, px, py, dx, dy, r, best, first)
    return best, first, len(wall.rows)
