"""A tree of balls over the triangles of a mesh. Balls stay balls however the mesh moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Ints


class Tree(NamedTuple):
    """Nodes of a binary tree, the root first; `first` and `second` are its children.

    `leaf` is the triangle of a node that holds only one, -1 for the others, which have two children.
    """

    center: Floats
    radius: Floats
    first: Ints
    second: Ints
    leaf: Ints

    @property
    def is_leaf(self) -> Bools:
        """Which nodes hold one triangle."""
        one: Bools = self.leaf >= 0
        return one

    def moved(self, center: Floats) -> Tree:
        """The tree of a moved mesh, its balls now at these centers."""
        rounding = _ROUNDING * (np.abs(center).max() + np.abs(self.center).max() + self.radius[0])
        return self._replace(center=center, radius=self.radius + rounding)


# Rounding of a center and of the distances from it, in units of the largest coordinate.
_ROUNDING = 1e-15


def build(triangles: Floats) -> Tree:
    """The tree of (n, 3, 3) corners, n > 0: each node's triangles are halved along their longest extent.

    Level by level, with one sort each. A level's nodes are equal shares of the ordered triangles.
    """
    n = len(triangles)
    middle = triangles.mean(axis=1)
    order = np.arange(n)
    levels = [_Level(np.array([0, n]), _balls(triangles, np.array([0, n])))]
    while np.diff(levels[-1].edges).max() > 1:
        edges = levels[-1].edges
        order = order[_sorted_within(middle[order], edges)]
        halves = np.unique(np.concatenate([edges, (edges[:-1] + edges[1:]) // 2]))
        levels.append(_Level(halves, _balls(triangles[order], halves)))
    return _joined(levels, order)


class _Level(NamedTuple):
    """Where a level's nodes begin and end among the ordered triangles, and their balls."""

    edges: Ints
    balls: tuple[Floats, Floats]


def _sorted_within(points: Floats, edges: Ints) -> Ints:
    """An order of points that sorts each node's share along the axis in which it is longest."""
    starts = edges[:-1]
    extent = np.maximum.reduceat(points, starts) - np.minimum.reduceat(points, starts)
    node = np.repeat(np.arange(len(starts)), np.diff(edges))
    key = np.take_along_axis(points, np.argmax(extent, axis=1)[node][:, None], axis=1)[:, 0]
    return np.lexsort((key, node))


def _balls(triangles: Floats, edges: Ints) -> tuple[Floats, Floats]:
    """A ball around each node's triangles, about the middle of their bounds."""
    starts = edges[:-1]
    lower = np.minimum.reduceat(triangles.min(axis=1), starts)
    upper = np.maximum.reduceat(triangles.max(axis=1), starts)
    center = (lower + upper) / 2
    node = np.repeat(np.arange(len(starts)), np.diff(edges))
    far = np.linalg.norm(triangles - center[node][:, None, :], axis=2).max(axis=1)
    return center, np.maximum.reduceat(far, starts) + _ROUNDING * np.abs(triangles).max()


def _joined(levels: list[_Level], order: Ints) -> Tree:
    """All levels in one list. A node that held one triangle already is repeated below and left out there."""
    centers, radii, leaf = [], [], []
    first: list[Ints] = []
    second: list[Ints] = []
    count = 0
    for k, level in enumerate(levels):
        sizes = np.diff(level.edges)
        is_new = np.ones(len(sizes), bool) if k == 0 else ~_is_repeated(levels[k - 1].edges, level.edges)
        count += int(is_new.sum())
        centers.append(level.balls[0][is_new])
        radii.append(level.balls[1][is_new])
        own = sizes[is_new]
        leaf.append(np.where(own == 1, order[level.edges[:-1][is_new]], -1))
        below = count + np.arange(int((own > 1).sum())) * 2
        for children, shift in ((first, 0), (second, 1)):
            children.append(np.full(len(own), -1))
            children[-1][own > 1] = below + shift
    return Tree(*(np.concatenate(parts) for parts in (centers, radii, first, second, leaf)))


def _is_repeated(above: Ints, edges: Ints) -> Bools:
    """Which nodes of a level are single triangles that the level above has as nodes too."""
    return np.isin(edges[:-1], above[:-1][np.diff(above) == 1])
