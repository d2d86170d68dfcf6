"""Boxes that are turned as the triangles of a tree lie, and bounds of their distances."""

from __future__ import annotations

import numpy as np
import pytest

import ougi
from ougi._typing import Floats, Ints
from ougi.kernels.mesh.oriented import OrientedBox, bound_boxes
from ougi.kernels.records import Vec3
from ougi.query.trees import get_tree, get_turned_boxes
from ougi_lab.scenes.meshes import draw_triangles, make_cylinder, make_sphere, make_torus, move_mesh
from ougi_lab.scenes.pairs import rotation_3d


def list_rows(links: Ints, node: int) -> list[int]:
    """The triangles below a node."""
    link = int(links[node])
    return [-1 - link] if link < 0 else list_rows(links, node + 1) + list_rows(links, link)


def make_flat(n: int) -> ougi.Mesh:
    """Triangles of one plane, of one line and of one point, far from the origin."""
    corners = np.random.default_rng(n).normal(size=(n, 3, 3)) @ np.array([[1, 2, 3], [2, -1, 0], [0, 0, 0]])
    corners[: n // 3] = corners[: n // 3, :, :1] * np.array([1, 2, 3])
    corners[0] = corners[0, 0]
    return ougi.Mesh(corners.reshape((-1, 3)) + 1e3, np.arange(3 * n).reshape((n, 3)))


MESHES = (draw_triangles(60, np.random.default_rng(1)), make_flat(30), make_torus(12, 8), make_cylinder(40))


@pytest.mark.parametrize("mesh", MESHES)
def test_every_turned_box_holds_its_triangles_and_is_tight(mesh: ougi.Mesh) -> None:
    tree, boxes = get_tree(mesh), get_turned_boxes(mesh)
    for node, row in enumerate(boxes):
        center, axes, half = row[:3], row[3:12].reshape((3, 3)), row[12:]
        assert np.abs(axes @ axes.T - np.eye(3)).max() < 1e-14
        corners = tree.corners[list_rows(tree.links, node)].reshape((-1, 3))
        beyond = np.abs((corners - center) @ axes.T).max(axis=0) - half
        assert np.abs(beyond).max() < 1e-14 * (1.0 + np.abs(corners).max())


def test_boxes_of_a_plane_are_flat_however_it_is_turned() -> None:
    boxes = get_turned_boxes(make_flat(30))
    assert boxes[:, 12:].min(axis=1).max() < 1e-6
    assert boxes[0, 12:].max() > 1.0


def draw_boxes(n: int, rng: np.random.Generator) -> tuple[list[OrientedBox], ougi.Box]:
    """Boxes, plates and needles, for the kernel and for the oracle."""
    center, half = rng.normal(size=(n, 3)), 10.0 ** rng.uniform(-2, 0.5, (n, 3))
    half[::5, 0] = 0.0
    turn = np.array([rotation_3d(rng.normal(size=4)) for _ in range(n)])
    made = [
        OrientedBox(Vec3(*c), Vec3(*axes[:, 0]), Vec3(*axes[:, 1]), Vec3(*axes[:, 2]), Vec3(*h))
        for c, axes, h in zip(center, turn, half, strict=True)
    ]
    return made, ougi.Box(center, 2 * half, rotation=turn)


def test_bounds_never_exceed_the_distance_and_are_near_it() -> None:
    rng = np.random.default_rng(7)
    (a, one), (b, two) = draw_boxes(600, rng), draw_boxes(600, rng)
    truth = ougi.distance(one, two)
    bounds = np.array([bound_boxes(x, y, np.inf) for x, y in zip(a, b, strict=True)])
    apart = truth > 0.0
    assert 100 < apart.sum() < 590
    assert (bounds <= np.maximum(truth, 0.0) + 1e-13).all()
    assert np.median(bounds[apart] / truth[apart]) > 0.97
    early = np.array([bound_boxes(x, y, 0.5) for x, y in zip(a, b, strict=True)])
    assert (early <= np.maximum(truth, 0.0) + 1e-13).all()
    assert ((early >= 0.5) == (bounds >= 0.5)).all()


def test_equal_boxes_overlap() -> None:
    (box, *_), _ = draw_boxes(1, np.random.default_rng(2))
    assert bound_boxes(box, box, np.inf) <= 0.0


def measure_all(a: ougi.Mesh, b: ougi.Mesh) -> Floats:
    """Distances of all pairs of triangles; those that overlap have 0."""
    one, two = (ougi.Triangle3d(*np.moveaxis(x.vertices[x.faces], 1, 0)) for x in (a, b))
    return np.maximum(ougi.distance(one[:, None], two), 0.0)


@pytest.mark.parametrize("mesh", [*MESHES, make_sphere(9, 8, 1.0, 0.2)])
@pytest.mark.parametrize("apart", [0.0, 0.5, 2.5, 100.0])
def test_two_meshes_are_as_far_apart_as_their_nearest_triangles(mesh: ougi.Mesh, apart: float) -> None:
    rng = np.random.default_rng(int(10 * apart))
    for turned in (False, True):
        turn = rotation_3d(rng.normal(size=4)) if turned else np.eye(3)
        middle = mesh.vertices.mean(axis=0)
        other = move_mesh(mesh, turn, middle - turn @ middle + apart * np.array([0.6, 0.48, 0.64]))
        truth = measure_all(mesh, other).min()
        assert abs(float(ougi.distance(mesh, other)) - truth) <= 1e-13 * (1.0 + np.abs(middle).max())
