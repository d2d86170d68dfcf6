"""The compiled loops of first contacts, one for each kernel and number of movers."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np

from ougi import _check
from ougi._native import Loops, Parts, run
from ougi._typing import Floats, Ints


def run_loop(made: Loops, a: Any, b: Any, index: Ints | None) -> Floats:
    """Run a loop over all pairs; `index` says where in b each finds its body (None: as listed in b)."""
    n = len(a[2])
    out = np.empty((8, n))
    pairs = np.empty((n, 2), np.int64)
    pairs[:, 0] = np.arange(n)
    pairs[:, 1] = pairs[:, 0] if index is None else index
    if n:
        run(made.listed, a, b, _check.frozen(pairs), 0, out, size=n)
    return out


@functools.cache
def loops_of_one_mover(kernel: str) -> Loops:
    """The loops of a moving and a resting body."""

    def find_parts() -> Parts:
        from ougi.kernels import load
        from ougi.kernels.impact import movers

        module = importlib.import_module(f"ougi.kernels.impact.{kernel}")
        a, b = kernel.split("_")
        found = getattr(module, f"impact_{kernel}")
        return Parts(found, movers.LOADERS[a], getattr(load, f"load_{b}"), load.store_impact3d)

    return Loops(f"impact_{kernel}", find_parts)


@functools.cache
def loops_of_two_movers(kernel: str) -> Loops:
    """The loops of two moving bodies."""

    def find_parts() -> Parts:
        from ougi.kernels import load
        from ougi.kernels.impact import movers, two_movers_pairs

        a, b = (movers.LOADERS[each] for each in kernel.split("_"))
        return Parts(two_movers_pairs.KERNELS[kernel], a, b, load.store_impact3d)

    return Loops(f"moving_{kernel}", find_parts)


@functools.cache
def cylinder_loops(layout: str) -> Loops:
    """The loops of separations from cylinders."""
    name = f"separation_{layout}_cylinder"

    def find_parts() -> Parts:
        from ougi.kernels import cylinder, cylinder_cylinder, load

        module = cylinder_cylinder if layout == "cylinder" else cylinder
        kernel, load_a = getattr(module, name), getattr(load, f"load_{layout}")
        return Parts(kernel, load_a, load.load_cylinder, load.store_separation3d)

    return Loops(name, find_parts)
