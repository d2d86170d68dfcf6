"""Circles between walls on a GPU: one thread for each, with the loop text of `ougi.corridor.circle_loop`."""

from __future__ import annotations

import numpy as np
from numba import cuda

from ougi._native import device, procedure
from ougi._typing import Floats, Ints, Record
from ougi.corridor import columns
from ougi.corridor.circle_loop import make_circle_loop
from ougi.corridor.contact import Wall, is_inside
from ougi.corridor.grid import Grid
from ougi.corridor.grid_search import IS_FREE, classify_circles, search_grid
from ougi.corridor.trees import STACK, SegmentTree, find_nearest
from ougi.cuda.driver import kernel


@device
def _no_stack(shape: tuple[int, int]) -> float:
    """The search in cells needs no stack."""
    return 0.0


@device
def _as_it_is(value: Record) -> Record:
    """A GPU counts no references."""
    return value


_move_circle = make_circle_loop("reach", search_grid, compiled=procedure, empty=_no_stack, borrow=_as_it_is)
_OUT, _COUNTS = columns.RESULT_COLUMNS, columns.COUNT_COLUMNS


@kernel
def move_circles(
    grid: Grid,
    wall: Wall,
    position_in: Floats,
    velocity_in: Floats,
    radii: Floats,
    mode: int,
    seconds: float,
    restitution: float,
    max_bounces: int,
    position: Floats,
    velocity: Floats,
    bounces: Ints,
    left: Floats,
    tests: Ints,
) -> None:
    """Move circles at (n, 2) positions for `seconds`; one radius for all, or (n,)."""
    state = cuda.local.array((1, 5), np.float64)
    out = cuda.local.array((1, _OUT), np.float64)
    counts = cuda.local.array((1, _COUNTS), np.int64)
    for k in range(cuda.grid(1), position_in.shape[0], cuda.gridsize(1)):
        state[0, 0], state[0, 1] = position_in[k, 0], position_in[k, 1]
        state[0, 2], state[0, 3] = velocity_in[k, 0], velocity_in[k, 1]
        state[0, 4] = radii[k if radii.shape[0] > 1 else 0]
        _move_circle(grid, wall, state, mode, seconds, restitution, max_bounces, out, counts, 0, 1)
        position[k, 0], position[k, 1] = out[0, columns.PX], out[0, columns.PY]
        velocity[k, 0], velocity[k, 1] = out[0, columns.VX], out[0, columns.VY]
        left[k] = out[0, columns.TIME_LEFT]
        bounces[k], tests[k] = counts[0, columns.BOUNCES], counts[0, columns.TESTS]


# Why a circle is refused; the highest reason is reported.
FITS, TOO_NEAR, OUTSIDE, UNPREPARED = 0, 1, 2, 3


@kernel
def check_circles(
    grid: Grid,
    tree: SegmentTree,
    wall: Wall,
    position_in: Floats,
    radii: Floats,
    smallest: float,
    largest: float,
    slack: float,
    first: Ints,
) -> None:
    """first[reason] becomes the number of the first circle that is refused for it.

    The radius must be one that the wall was compiled for, and the circle must fit: by its cell or, near a
    wall, by the distance from it.
    """
    state = cuda.local.array((1, 5), np.float64)
    known = cuda.local.array(1, np.int64)
    stack = cuda.local.array((2, STACK), np.float64)
    for k in range(cuda.grid(1), position_in.shape[0], cuda.gridsize(1)):
        radius = radii[k if radii.shape[0] > 1 else 0]
        state[0, 0], state[0, 1], state[0, 4] = position_in[k, 0], position_in[k, 1], radius
        reason = FITS
        if not smallest <= radius <= largest:
            reason = UNPREPARED
        else:
            classify_circles(grid, state, known, 0, 1)
            if known[0] != IS_FREE:
                x, y = state[0, 0], state[0, 1]
                apart_sq, i, along = find_nearest(tree, wall, x, y, np.inf, -1.0, stack)
                min_distance = radius * (1.0 - slack) - 8.0 * wall.band
                if not is_inside(wall, i, along, x, y):
                    reason = OUTSIDE
                elif apart_sq < min_distance * min_distance:
                    reason = TOO_NEAR
        if reason != FITS:
            cuda.atomic.min(first, reason, np.int64(k))
