"""Which meshes enclose a volume, and which of their vertices hang together."""

from __future__ import annotations

import numpy as np

from ougi._typing import Floats, Ints


def refuse_open(vertices: Floats, faces: Ints) -> None:
    """Raise ValueError unless a mesh is closed and its faces are wound outward.

    A mesh is closed if faces use every edge as often in one direction as in the other. Vertices at the same
    position are one vertex.
    """
    if not len(faces):
        raise ValueError("a solid mesh must have faces, got none")
    if (edge := _find_open_edge(faces)) and (edge := _find_open_edge(_merge_vertices(vertices, faces))):
        face, k, forward, backward = edge
        start, end = int(faces[face, k]), int(faces[face, (k + 1) % 3])
        raise ValueError(
            f"a solid mesh must be closed, but its edge from vertex {start} to vertex {end} (of face {face}) "
            f"is used {forward} times in this direction and {backward} times in the other; "
            "solid=False makes a surface of it"
        )
    a, b, c = np.moveaxis(vertices[faces] - vertices[faces[0, 0]], 1, 0)
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c))
    if volumes.sum() < -_ROUNDING * np.abs(volumes).sum():
        raise ValueError("the faces of a solid mesh must be wound outward; give faces[:, ::-1]")


# The volume of a flat mesh is 0 up to this share of the sum of its terms.
_ROUNDING = 1e-12


def _find_open_edge(faces: Ints) -> tuple[int, int, int, int] | None:
    """The first edge that is not used alike in both directions: face, corner, and the two counts."""
    n = int(faces.max()) + 1
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    forward, backward = start * n + end, end * n + start
    if np.array_equal(np.sort(forward), np.sort(backward)):
        return None
    keys, counts = np.unique(forward, return_counts=True)
    place = np.minimum(np.searchsorted(keys, backward), len(keys) - 1)
    reverse = np.where(keys[place] == backward, counts[place], 0)
    own = counts[np.searchsorted(keys, forward)]
    edge = int(np.argmax(own != reverse))
    return edge // 3, edge % 3, int(own[edge]), int(reverse[edge])


def _merge_vertices(vertices: Floats, faces: Ints) -> Ints:
    """The faces, with one index for all vertices at the same position."""
    _, merged = np.unique(vertices, axis=0, return_inverse=True)
    same: Ints = merged.ravel()[faces]
    return same


def label_parts(faces: Ints, n: int) -> Ints:
    """For each of n vertices the smallest vertex to which faces connect it."""
    label = np.arange(n)
    a, b = np.concatenate([faces[:, :2], faces[:, 1:]]).T
    while len(a):
        low, high = np.minimum(label[a], label[b]), np.maximum(label[a], label[b])
        if (low == high).all():
            break
        np.minimum.at(label, high, low)
        while (label != label[label]).any():
            label = label[label]
    return label
