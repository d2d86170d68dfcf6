"""Search structures over a wall. They differ in cost and give the same first contacts."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ougi._native import run
from ougi._typing import Floats, Ints, Loop, Record
from ougi.corridor import published, trees
from ougi.corridor.circle_loop import CAST, make_circle_loop, search_all
from ougi.corridor.columns import COUNT_COLUMNS, RESULT_COLUMNS
from ougi.corridor.contact import Wall
from ougi.corridor.grid import Grid, build_grid
from ougi.corridor.grid_search import search_grid
from ougi.corridor.groups import build_groups, search_groups
from ougi.corridor.touchable import find_touchable
from ougi.corridor.trees import GROUP, SegmentTree, search_tree


@dataclass(frozen=True)
class SearchStructure:
    """A wall prepared for queries by one method.

    Attributes
    ----------
    method
        The name of the method.
    build_seconds, nbytes
        How long the build took, and how much memory the structure needs beside the wall.
    min_radius, max_radius
        The radii that it serves.

    >>> import ougi
    >>> corridor = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
    >>> compiled = corridor.compile(0.5)
    >>> compiled.method, compiled.feature_count
    ('reach', 4)
    """

    method: str
    wall: Wall = field(repr=False)
    tables: Record = field(repr=False)
    build_seconds: float
    nbytes: int
    min_radius: float = 0.0
    max_radius: float = float("inf")
    chain: SegmentTree | None = field(
        default=None, repr=False
    )  # of the whole wall, if it is compiled for radii

    def move(
        self,
        circles: Floats,
        action: int = CAST,
        seconds: float = 1.0,
        restitution: float = 1.0,
        max_bounces: int = 1,
    ) -> tuple[Floats, Ints]:
        """Move circles (px, py, vx, vy, radius): rows of results and of counts, see `columns.py`."""
        n = len(circles)
        out, counts = np.empty((n, RESULT_COLUMNS)), np.empty((n, COUNT_COLUMNS), np.int64)
        options = (action, seconds, restitution, max_bounces)
        loop = _circle_loop(*_SEARCHES[self.method])
        run(loop, self.tables, self.wall, circles, *options, out, counts, size=n)
        return out, counts

    @property
    def feature_count(self) -> int:
        """The number of features, edges and corners, that circles of these radii can touch."""
        return len(self.tables.records) if isinstance(self.tables, Grid) else 2 * len(self.wall.rows)


# The search of each method; trees share one.
_SEARCHES: dict[str, tuple[str, Loop]] = {
    "brute": ("brute", search_all),
    "chain": ("tree", search_tree),
    "quadtree": ("tree", search_tree),
    "kdtree": ("tree", search_tree),
    "groups": ("groups", search_groups),
    "reach": ("reach", search_grid),
}
BUILDERS: dict[str, Callable[[Wall, int], Record]] = {
    "brute": lambda wall, size: 0,
    "chain": lambda wall, size: trees.build_chain(wall),
    "quadtree": lambda wall, size: trees.build_quadtree(wall),
    "kdtree": lambda wall, size: trees.build_kdtree(wall),
    "groups": build_groups,
    "published": published.build_repaired_spaces,
    "published-verbatim": published.build_verbatim_spaces,
}
# Methods that give the exact contacts, those that CORRIDOR has, and those that have groups of segments.
EXACT = tuple(_SEARCHES)
PUBLISHED = ("published", "published-verbatim")
GROUPED = ("groups", *PUBLISHED)


@functools.cache
def _circle_loop(name: str, search: Loop) -> Callable[..., None]:
    return make_circle_loop(name, search)


def build_structure(method: str, wall: Wall, group_size: int = GROUP) -> SearchStructure:
    """A structure that serves every radius; `group_size` is for methods with groups."""
    begun = time.perf_counter()
    tables = BUILDERS[method](wall, group_size)
    return SearchStructure(method, wall, tables, time.perf_counter() - begun, _count_bytes(tables))


def compile_wall(
    wall: Wall, tree: SegmentTree, min_radius: float, max_radius: float, begun: float
) -> SearchStructure:
    """The wall compiled for radii from min_radius to max_radius; the build began at `begun`."""
    touchable = find_touchable(tree, wall, min_radius)
    tables = build_grid(tree, wall, touchable, min_radius, max_radius)
    seconds = time.perf_counter() - begun
    return SearchStructure("reach", wall, tables, seconds, _count_bytes(tables), min_radius, max_radius, tree)


def _count_bytes(tables: Record) -> int:
    parts = tables if isinstance(tables, tuple) else ()
    return sum(part.nbytes for part in parts if isinstance(part, np.ndarray))
