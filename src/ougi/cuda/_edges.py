"""First contacts of edges of a robot on a GPU: a block of threads for each edge.

The loop of `ougi.kernels.robot.edges`, with the threads of a block side by side over shapes and pairs. What
they share of the workspace lies in one row for each block, so that few edges are in the caches at a time.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numba import cuda

from ougi._native import device
from ougi._typing import Bools, Floats, Ints, Stream
from ougi.cuda.driver import SIMULATED, count_free_bytes, empty, kernel
from ougi.kernels.constants import FREE, HIT, OVERLAPPING, UNDECIDED
from ougi.kernels.robot.constants import (
    FINEST_TOLERANCE,
    MAX_DEPTH,
    PROVEN,
    TOUCHING,
)
from ougi.kernels.robot.edges import (
    bound_edge_rounding,
    find_next_interval,
    locate_interval,
    place_during,
    store_edge,
)
from ougi.kernels.robot.gaps import check_pair
from ougi.kernels.robot.kinematics import place_shape
from ougi.kernels.robot.records import Joints, LinkShapes, Pairs, RobotWorkspace

# Threads of a block: one warp, whose barriers cost next to nothing. Most intervals have fewer than 100 pairs,
# so more threads would idle.
EDGE_THREADS = 2 if SIMULATED else 32

# Blocks at most: 64 for each of the 132 multiprocessors of an H200. With 96 registers for each thread 20 run
# at a time. With 255 only 8 do, and `bench cuda robots` takes 1.12 (is_free) to 1.27 times as long
# (first_contact).
_MAX_BLOCKS = 2 if SIMULATED else 8448
_REGISTERS = 96

# Share of the free memory of the GPU for workspaces.
_SHARE = 0.25

# What the threads of a block count together: the end of the next list, and the first pairs that touch.
_TOP, _TOUCHING, _FOUND = 0, 1, 2
_NO_PAIR = 2**31 - 1


def count_blocks(one: RobotWorkspace) -> int:
    """How many blocks of threads run at most: as many as a part of the GPU's memory holds."""
    size = sum(field.nbytes for field in one) + EDGE_THREADS * (one.stack.nbytes + one.simplex.nbytes)
    return max(1, min(_MAX_BLOCKS, int(_SHARE * count_free_bytes()) // size))


def allocate_memory(one: RobotWorkspace, blocks: int, stream: Stream) -> RobotWorkspace:
    """Workspaces that hold nothing yet: a row for each block, of `stack` and `simplex` for each thread."""
    fields = []
    for name, field in one._asdict().items():
        rows = blocks * (EDGE_THREADS if name in ("stack", "simplex") else 1)
        # Lists of pairs need no more than 32 bits.
        dtype = np.int32 if name in ("open", "stack") else field.dtype
        fields.append(empty((rows, *(max(size, 1) for size in field.shape)), dtype, stream))
    return RobotWorkspace(*fields)


@device
def _select_workspace(memory: RobotWorkspace, block: int, thread: int) -> RobotWorkspace:
    """The memory of one block and one of its threads."""
    return RobotWorkspace(
        memory.value[block],
        memory.change[block],
        memory.rate[block],
        memory.pose[block],
        memory.axis[block],
        memory.place[block],
        memory.motion[block],
        memory.stamp[block],
        memory.open[block],
        memory.bounds[block],
        memory.stack[thread],
        memory.simplex[thread],
        memory.guess[block],
    )


@device
def _clear_workspace(joints: Joints, pairs: Pairs, work: RobotWorkspace, me: int, threads: int) -> None:
    """Begin as the CPU does, so that results do not depend on earlier calls."""
    world = len(joints.parent)
    for i in range(me, 12, threads):
        work.pose[world, i] = 1.0 if i < 9 and i % 4 == 0 else 0.0
    for s in range(me, len(work.stamp), threads):
        work.stamp[s] = 0
    for k in range(me, len(work.guess), threads):
        work.guess[k, 0] = work.guess[k, 1] = work.guess[k, 2] = 0.0
    for k in range(me, pairs.n_groups, threads):
        work.open[k] = k
    if me == 0:
        work.bounds[0], work.bounds[1] = 0, pairs.n_groups


@device
def _filter_pairs(
    joints: Joints,
    shapes: LinkShapes,
    pairs: Pairs,
    work: RobotWorkspace,
    list_index: int,
    margin: float,
    rounding: float,
    tol: float,
    any_contact: bool,
    shared: Ints,
) -> None:
    """As on the CPU; `shared` gets the end of the next list and the first pairs that touch."""
    me, bounds, listed = cuda.threadIdx.x, work.bounds, work.open
    begin, end = bounds[list_index], bounds[list_index + 1]
    if me == 0:
        shared[_TOP], shared[_TOUCHING], shared[_FOUND] = end, _NO_PAIR, _NO_PAIR
    cuda.syncthreads()
    for i in range(begin + me, end, cuda.blockDim.x):
        k = listed[i]
        a, b, level = pairs.row[k, 0], pairs.row[k, 1], pairs.row[k, 2]
        code, bound, _ = check_pair(joints, shapes, work, a, b, level, margin, rounding, tol, any_contact, k)
        if code != PROVEN:
            if k < pairs.n_groups:
                first, last = pairs.row[k, 3], pairs.row[k, 4]
                top = cuda.atomic.add(shared, _TOP, np.int32(last - first))
                for member in range(first, last):
                    listed[top + member - first] = member
            else:
                listed[cuda.atomic.add(shared, _TOP, np.int32(1))] = k
                if code == TOUCHING:
                    cuda.atomic.min(shared, _TOUCHING, np.int32(k))
                    if bound <= 0.5 * tol:
                        cuda.atomic.min(shared, _FOUND, np.int32(k))
    cuda.syncthreads()
    if me == 0:
        bounds[list_index + 2] = shared[_TOP]
    cuda.syncthreads()


@functools.partial(kernel, registers=_REGISTERS)
def find_edge_contacts(
    joints: Joints,
    shapes: LinkShapes,
    pairs: Pairs,
    terms: Floats,
    margin: float,
    extent: float,
    min_gap: float,
    any_contact: bool,
    max_intervals: int,
    memory: RobotWorkspace,
    out: Floats,
) -> None:
    """The loop of the CPU of the same name; all threads of a block take the same decisions."""
    me, block, threads = cuda.threadIdx.x, cuda.blockIdx.x, cuda.blockDim.x
    shared = cuda.shared.array(3, np.int32)
    work = _select_workspace(memory, block, block * threads + me)
    _clear_workspace(joints, pairs, work, me, threads)
    for e in range(block, terms.shape[0], cuda.gridDim.x):
        cuda.syncthreads()
        rounding = bound_edge_rounding(joints, terms, e, work, extent)  # all write the same
        tol = max(min_gap, FINEST_TOLERANCE * rounding)
        depth, index, count = 0, 0, 0
        status, t, pair = FREE, math.nan, -1
        while depth >= 0:
            middle, half = locate_interval(depth, index)
            cuda.syncthreads()
            if me == 0:
                place_during(joints, terms, e, middle, half, work)
            cuda.syncthreads()
            for s in range(me, len(shapes.code), threads):
                place_shape(joints, shapes, s, work)
            cuda.syncthreads()
            count += 1
            if depth == 0:
                _filter_pairs(joints, shapes, pairs, work, 0, margin, rounding, tol, any_contact, shared)
            _filter_pairs(joints, shapes, pairs, work, depth + 1, margin, rounding, tol, any_contact, shared)
            is_open = work.bounds[depth + 3] > work.bounds[depth + 2]
            touching, found = shared[_TOUCHING], shared[_FOUND]
            if found != _NO_PAIR or (any_contact and touching != _NO_PAIR):
                status, t, pair = HIT, middle - half, touching if any_contact else found
                break
            if is_open and (depth == MAX_DEPTH or count >= max_intervals):
                status, t = UNDECIDED, middle - half
                break
            depth, index = find_next_interval(depth, index, is_open)
        cuda.syncthreads()
        if me == 0:
            max_gap = math.nan if any_contact else margin + tol
            store_edge(joints, shapes, pairs, terms, work, out, e, status, t, pair, count, max_gap)


@kernel
def build_edges(q0: Floats, q1: Floats, terms: Floats) -> None:
    """Straight motions as polynomials: start and difference; one of both may have one row for all."""
    for e in range(cuda.grid(1), terms.shape[0], cuda.gridsize(1)):
        for c in range(q0.shape[1]):
            start, end = q0[e % q0.shape[0], c], q1[e % q1.shape[0], c]
            terms[e, 0, c], terms[e, 1, c] = start, end - start


@kernel
def split_edges(
    rows: Floats,
    row: Ints,
    n_shapes: int,
    status: Ints,
    hit: Bools,
    t: Floats,
    point: Floats,
    normal: Floats,
    shape: Ints,
    other: Ints,
    obstacle: Ints,
) -> None:
    """Results as the search writes them, (n, 10), become the arrays of `RobotContacts`."""
    for e in range(cuda.grid(1), rows.shape[0], cuda.gridsize(1)):
        code, k = rows[e, 0], np.int64(rows[e, 2])
        status[e], hit[e], t[e] = np.int64(code), code in (HIT, OVERLAPPING), rows[e, 1]
        for axis in range(3):
            point[e, axis], normal[e, axis] = rows[e, 3 + axis], rows[e, 6 + axis] + 0.0  # no -0.0
        shape[e] = other[e] = obstacle[e] = -1
        if k >= 0:
            shape[e] = row[k, 0]
            if row[k, 1] < n_shapes:
                other[e] = row[k, 1]
            else:
                obstacle[e] = row[k, 1] - n_shapes


@kernel
def mark_free(rows: Floats, free: Bools) -> None:
    """Which edges are certified free."""
    for e in range(cuda.grid(1), rows.shape[0], cuda.gridsize(1)):
        free[e] = rows[e, 0] == FREE
