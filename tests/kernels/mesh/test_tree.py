"""The tree of boxes over the triangles of a mesh."""

from __future__ import annotations

import numpy as np
import pytest

from ougi.kernels.mesh.tree import make_tree
from ougi_lab.scenes.meshes import draw_triangles, make_sphere, make_torus


@pytest.mark.parametrize("n", [1, 2, 3, 7, 64, 500])
def test_every_triangle_is_in_one_leaf_and_every_box_holds_its_children(n: int) -> None:
    mesh = draw_triangles(n, np.random.default_rng(n))
    corners = mesh.vertices[mesh.faces]
    tree = make_tree(corners)
    assert sorted(tree.faces.tolist()) == list(range(n))
    assert np.array_equal(tree.corners.reshape((n, 3, 3)), corners[tree.faces])
    leaves, depth = [], 0
    waiting = [(0, 0)]
    while waiting:
        node, level = waiting.pop()
        depth = max(depth, level)
        link = int(tree.links[node])
        if link < 0:
            leaves.append(-1 - link)
            own = corners[tree.faces[-1 - link]]
            assert np.array_equal(tree.boxes[node], np.concatenate([own.min(axis=0), own.max(axis=0)]))
            continue
        for child in (node + 1, link):
            assert (tree.boxes[child, :3] >= tree.boxes[node, :3]).all()
            assert (tree.boxes[child, 3:] <= tree.boxes[node, 3:]).all()
            waiting.append((child, level + 1))
    assert sorted(leaves) == list(range(n))
    assert depth <= np.ceil(np.log2(n))  # so a stack of fixed size is enough


def test_equal_triangles_make_a_balanced_tree_too() -> None:
    tree = make_tree(np.ones((100, 3, 3)))
    assert sorted(tree.faces.tolist()) == list(range(100))
    assert (tree.boxes == 1.0).all()


def test_children_share_little_space() -> None:
    """A tree of random halves would have boxes as large as their parents."""
    for mesh in (make_sphere(30, 20), make_torus(40, 20)):
        tree = make_tree(mesh.vertices[mesh.faces])
        inner = np.flatnonzero(tree.links >= 0)
        size = (tree.boxes[:, 3:] - tree.boxes[:, :3]).sum(axis=1)
        share = (size[inner + 1] + size[tree.links[inner]]) / size[inner]
        assert share.mean() < 1.6
