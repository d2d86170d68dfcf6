"""One text for all kernels: what `ougi._native.loops` is for the CPU, as grids of threads."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numba import cuda

from ougi._native import Loops, Parts, execute
from ougi._typing import DeviceArray, Loop, Record, Stream
from ougi.cuda.driver import kernel, launch
from ougi.cuda.hulls import LOADERS

# Threads go through the longer batch, rows of blocks through the other, whose records are loaded once.
# Counters are unsigned and loops are written out: a range of Numba's tests the sign of its step, and a ball
# against a fan took a third longer.
_TEXT = '''
def cross_{name}(a, b, out, n_a, n_b, step_a, step_b):
    """Every a against every b; the answer of a[i] and b[j] stands at i * step_a + j * step_b."""
    stride = uint64(cuda.gridsize(1))
    i = uint64(cuda.blockIdx.y)
    while i < uint64(n_a):
        one = load_a(a, i)
        row = i * uint64(step_a)
        j = uint64(cuda.grid(1))
        while j < uint64(n_b):
            store(out, row + j * uint64(step_b), kernel(one, load_b(b, j)))
            j += stride
        i += uint64(cuda.gridDim.y)


def along_a_{name}(a, b, out, n_a, n_b, step_a, step_b):
    """The same, with the threads along a."""
    stride = uint64(cuda.gridsize(1))
    j = uint64(cuda.blockIdx.y)
    while j < uint64(n_b):
        one = load_b(b, j)
        row = j * uint64(step_b)
        i = uint64(cuda.grid(1))
        while i < uint64(n_a):
            store(out, row + i * uint64(step_a), kernel(load_a(a, i), one))
            i += stride
        j += uint64(cuda.gridDim.y)


def listed_{name}(a, b, pairs, column, out, size):
    """The first `size` rows of `pairs`; `column` says which of the two indices belongs to a."""
    stride = uint64(cuda.gridsize(1))
    k = uint64(cuda.grid(1))
    while k < uint64(size):
        i = uint64(pairs[k, column])
        j = uint64(pairs[k, 1 - column])
        store(out, k, kernel(load_a(a, i), load_b(b, j)))
        k += stride
'''


# Tests of balls wait for memory: a thread that reads two of them at once waits half as often.
_TWO_AT_ONCE = '''
def cross_{name}(a, b, out, n_a, n_b, step_a, step_b):
    """As above; the threads take two of b at a time."""
    stride = uint64(cuda.gridsize(1))
    i = uint64(cuda.blockIdx.y)
    while i < uint64(n_a):
        one = load_a(a, i)
        row = i * uint64(step_a)
        j = uint64(cuda.grid(1))
        while j + stride < uint64(n_b):
            x, y = load_b(b, j), load_b(b, j + stride)
            store(out, row + j * uint64(step_b), kernel(one, x))
            store(out, row + (j + stride) * uint64(step_b), kernel(one, y))
            j += stride + stride
        if j < uint64(n_b):
            store(out, row + j * uint64(step_b), kernel(one, load_b(b, j)))
        i += uint64(cuda.gridDim.y)
'''


class DeviceLoops(NamedTuple):
    """The array forms of a kernel on the GPU."""

    cross: Loop
    along_a: Loop
    listed: Loop


@functools.cache
def device_loops(loops: Loops) -> DeviceLoops:
    """The loops on the GPU over the same kernel, the same loaders and the same store as those on the CPU."""
    parts = Parts(*(LOADERS.get(part, part) for part in loops.parts))
    namespace = {"__name__": __name__, "cuda": cuda, "uint64": np.uint64, **parts._asdict()}
    text = _TEXT + (_TWO_AT_ONCE if loops.name.endswith(("_circle", "_sphere")) else "")
    execute(text.format(name=loops.name), namespace)
    functions = [namespace[f"{form}_{loops.name}"] for form in DeviceLoops._fields]
    for function in functions:
        function.parts = tuple(parts)
    return DeviceLoops(*map(kernel, functions))


# Where b is shorter than this, threads go through a: short rows would leave most of a block idle.
_SHORT = 32


def run_cross(
    made: DeviceLoops,
    a: Record,
    b: Record,
    n_a: int,
    n_b: int,
    out: DeviceArray,
    steps: tuple[int, int],
    stream: Stream,
) -> None:
    """Every a against every b."""
    along_a = n_b < min(_SHORT, n_a)
    inner, outer = (n_a, n_b) if along_a else (n_b, n_a)
    kernel = made.along_a if along_a else made.cross
    launch(kernel, inner, a, b, out, n_a, n_b, *steps, stream=stream, rows=outer)


def run_listed(
    made: DeviceLoops, a: Record, b: Record, pairs: DeviceArray, column: int, out: DeviceArray, stream: Stream
) -> None:
    """Listed pairs."""
    size = int(pairs.shape[0])
    launch(made.listed, size, a, b, pairs, column, out, size, stream=stream)
