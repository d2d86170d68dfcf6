"""The compiled loops of first contacts, one for each kernel and number of movers."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np

from ougi import _check
from ougi._native import Loops, loops, run
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
    from ougi.kernels import load
    from ougi.kernels.impact import movers

    module = importlib.import_module(f"ougi.kernels.impact.{kernel}")
    a, b = kernel.split("_")
    return loops(
        f"impact_{kernel}",
        getattr(module, f"impact_{kernel}"),
        movers.LOADERS[a],
        getattr(load, f"load_{b}"),
        load.store_impact3d,
    )


@functools.cache
def loops_of_two_movers(kernel: str) -> Loops:
    """The loops of two moving bodies."""
    from ougi.kernels import load
    from ougi.kernels.impact import movers, two_movers_pairs

    a, b = kernel.split("_")
    return loops(
        f"moving_{kernel}",
        two_movers_pairs.KERNELS[kernel],
        movers.LOADERS[a],
        movers.LOADERS[b],
        load.store_impact3d,
    )


@functools.cache
def cylinder_loops(layout: str) -> Loops:
    """The loops of separations from cylinders."""
    from ougi.kernels import cylinder, cylinder_cylinder, load

    name = f"separation_{layout}_cylinder"
    module = cylinder_cylinder if layout == "cylinder" else cylinder
    kernel, load_a = getattr(module, name), getattr(load, f"load_{layout}")
    return loops(name, kernel, load_a, load.load_cylinder, load.store_separation3d)
