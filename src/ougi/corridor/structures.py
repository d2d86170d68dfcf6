"""What finds the wall near a moving circle: several structures, the same answers."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi._native import run
from ougi._typing import Floats, Ints
from ougi.corridor import published, trees
from ougi.corridor.contact import Wall
from ougi.corridor.drive import CAST, COUNTS, OUT, drive, first_of_all
from ougi.corridor.groups import first_in_groups, groups
from ougi.corridor.reach import Grid, first_in_reach, grid, touchable
from ougi.corridor.trees import GROUP, Tree, first_in_tree


@dataclass(frozen=True)
class Structure:
    """A wall prepared for questions; how long that took, and how much memory it needs beside the wall."""

    name: str
    wall: Wall = field(repr=False)
    tables: Any = field(repr=False)
    build_seconds: float
    nbytes: int
    smallest: float = 0.0  # radii that it was compiled for
    largest: float = float("inf")
    chain: Tree | None = field(default=None, repr=False)  # of the whole wall, with one compiled for radii

    def ask(
        self, state: Floats, mode: int = CAST, seconds: float = 1.0, restitution: float = 1.0, most: int = 1
    ) -> tuple[Floats, Ints]:
        """Drive circles (px, py, vx, vy, radius); rows of `OUT` and `COUNTS` for each."""
        n = len(state)
        out, counts = np.empty((n, len(OUT))), np.empty((n, len(COUNTS)), np.int64)
        how = (mode, seconds, restitution, most)
        run(_loop(self.name), self.tables, self.wall, state, *how, out, counts, size=n)
        return out, counts

    @property
    def kept(self) -> int:
        """How many features, edges and corners, can be touched at all; for `reach`."""
        return len(self.tables.records) if isinstance(self.tables, Grid) else 2 * len(self.wall.rows)


# Which search a structure uses; trees share one.
_SEARCHES: dict[str, tuple[str, Any]] = {
    "brute": ("brute", first_of_all),
    "chain": ("tree", first_in_tree),
    "quadtree": ("tree", first_in_tree),
    "kdtree": ("tree", first_in_tree),
    "groups": ("groups", first_in_groups),
    "reach": ("reach", first_in_reach),
}
BUILDERS: dict[str, Callable[[Wall, int], Any]] = {
    "brute": lambda wall, k: 0,
    "chain": lambda wall, k: trees.chain(wall),
    "quadtree": lambda wall, k: trees.quadtree(wall),
    "kdtree": lambda wall, k: trees.kdtree(wall),
    "groups": groups,
    "groups-printed": lambda wall, k: published.spaces(wall, k, "printed"),
    "groups-repaired": lambda wall, k: published.spaces(wall, k, "repaired"),
}
# Those that give the same contacts, those that CORRIDOR gives, and those that have groups of k segments.
NAMES = tuple(_SEARCHES)
PUBLISHED = ("groups-printed", "groups-repaired")
GROUPS = ("groups", *PUBLISHED)


def _loop(name: str) -> Callable[..., None]:
    return _made(*_SEARCHES[name])


@functools.cache
def _made(name: str, first: Any) -> Callable[..., None]:
    return drive(name, first)


def build(name: str, wall: Wall, k: int = GROUP) -> Structure:
    """A structure that serves every radius; k is for those with groups."""
    begun = time.perf_counter()
    tables = BUILDERS[name](wall, k)
    return Structure(name, wall, tables, time.perf_counter() - begun, _nbytes(tables))


def compiled(wall: Wall, tree: Tree, smallest: float, largest: float, begun: float) -> Structure:
    """The wall compiled for radii from smallest to largest; it took from `begun` until now."""
    tables = grid(tree, wall, touchable(tree, wall, smallest), smallest, largest)
    seconds = time.perf_counter() - begun
    return Structure("reach", wall, tables, seconds, _nbytes(tables), smallest, largest, tree)


def _nbytes(tables: Any) -> int:
    parts = tables if isinstance(tables, tuple) else ()
    return sum(part.nbytes for part in parts if isinstance(part, np.ndarray))
