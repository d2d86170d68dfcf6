"""A tree of boxes over the triangles of a mesh, in the mesh's own coordinates.

Each node's triangles are halved along the longest extent of their middles, down to one triangle. Nodes are
stored parent first: the first child of node k is k + 1, and `links[k]` is the second one. A leaf has the link
-1 - k, where k is the row of its triangle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._native import device, loop
from ougi._typing import Floats, Ints
from ougi.kernels.mesh.constants import STACK_SIZE
from ougi.kernels.records import Triangle3d, Vec3


class BoxTree(NamedTuple):
    """The nodes of a mesh of n triangles."""

    boxes: Floats  # (2 n - 1, 6), lower and upper corners
    links: Ints  # (2 n - 1,)
    corners: Floats  # (n, 9), triangles in the order of the leaves
    faces: Ints  # (n,), which face of the mesh each of them is


@loop
def build_tree(corners: Floats, middles: Floats, tree: BoxTree, stack: Ints) -> None:
    """Fill a tree from triangles (n, 9); `middles` (n, 3) and `stack` are workspaces."""
    n = len(corners)
    order = tree.faces
    for k in range(n):
        order[k] = k
        for j in range(3):
            a, b, c = corners[k, j], corners[k, j + 3], corners[k, j + 6]
            middles[k, j] = min(a, min(b, c)) + max(a, max(b, c))
    _split_nodes(middles, order, tree.links, stack)
    for k in range(n):
        for j in range(9):
            tree.corners[k, j] = corners[order[k], j]
    for node in range(2 * n - 2, -1, -1):
        if tree.links[node] < 0:
            _enclose_triangle(tree.corners, -1 - tree.links[node], tree.boxes, node)
        else:
            first, second = node + 1, tree.links[node]
            for j in range(3):
                tree.boxes[node, j] = min(tree.boxes[first, j], tree.boxes[second, j])
                tree.boxes[node, j + 3] = max(tree.boxes[first, j + 3], tree.boxes[second, j + 3])


@device
def _split_nodes(middles: Floats, order: Ints, links: Ints, stack: Ints) -> None:
    """Order the triangles and link the nodes, from the root down."""
    top = 1
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, len(order)
    while top > 0:
        top -= 1
        node, start, stop = stack[top, 0], stack[top, 1], stack[top, 2]
        if stop - start == 1:
            links[node] = -1 - start
            continue
        half = (start + stop) // 2
        _partition(middles, _find_longest_axis(middles, order, start, stop), order, start, stop, half)
        links[node] = node + 2 * (half - start)
        stack[top, 0], stack[top, 1], stack[top, 2] = links[node], half, stop
        stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = node + 1, start, half
        top += 2


@device
def _find_longest_axis(middles: Floats, order: Ints, start: int, stop: int) -> int:
    """The axis along which these middles extend furthest."""
    longest, axis = -1.0, 0
    for j in range(3):
        low = high = middles[order[start], j]
        for k in range(start + 1, stop):
            x = middles[order[k], j]
            low, high = min(low, x), max(high, x)
        if high - low > longest:
            longest, axis = high - low, j
    return axis


@device
def _partition(middles: Floats, axis: int, order: Ints, start: int, stop: int, half: int) -> None:
    """Order start..stop so that none before `half` lies beyond one from there on (Hoare's selection)."""
    low, high = start, stop - 1
    while low < high:
        pivot = middles[order[(low + high) // 2], axis]
        i, j = low, high
        while i <= j:
            while middles[order[i], axis] < pivot:
                i += 1
            while pivot < middles[order[j], axis]:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i, j = i + 1, j - 1
        if half <= j:
            high = j
        elif half >= i:
            low = i
        else:
            return


@device
def _enclose_triangle(corners: Floats, k: int, boxes: Floats, node: int) -> None:
    for j in range(3):
        a, b, c = corners[k, j], corners[k, j + 3], corners[k, j + 6]
        boxes[node, j], boxes[node, j + 3] = min(a, min(b, c)), max(a, max(b, c))


@device
def load_corner(corners: Floats, k: int, j: int, pose: Floats, m: int) -> Vec3:
    """Corner j of triangle k where row m of `pose` puts it.

    The order of the operations is that of `Mesh.vertices`, so that both are the same numbers.
    """
    x, y, z = corners[k, 3 * j], corners[k, 3 * j + 1], corners[k, 3 * j + 2]
    return Vec3(
        x * pose[m, 0] + y * pose[m, 1] + z * pose[m, 2] + pose[m, 9],
        x * pose[m, 3] + y * pose[m, 4] + z * pose[m, 5] + pose[m, 10],
        x * pose[m, 6] + y * pose[m, 7] + z * pose[m, 8] + pose[m, 11],
    )


@device
def load_triangle(corners: Floats, k: int, pose: Floats, m: int) -> Triangle3d:
    """Triangle k where row m of `pose` (rotation by rows, position) puts it."""
    return Triangle3d(
        load_corner(corners, k, 0, pose, m),
        load_corner(corners, k, 1, pose, m),
        load_corner(corners, k, 2, pose, m),
    )


def make_tree(corners: Floats) -> BoxTree:
    """The tree of triangles (n, 3, 3), n > 0."""
    n = len(corners)
    tree = BoxTree(
        np.empty((2 * n - 1, 6)), np.empty(2 * n - 1, np.int64), np.empty((n, 9)), np.empty(n, np.int64)
    )
    flat = np.ascontiguousarray(corners.reshape((n, 9)))
    build_tree(flat, np.empty((n, 3)), tree, np.empty((STACK_SIZE, 3), np.int64))
    return tree
