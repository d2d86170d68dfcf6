"""Contact manifolds: how many points there are, where they lie, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi

pytestmark = pytest.mark.plain

CUBE = ougi.Box([0, 0, 0], [1, 1, 1])
TABLE = ougi.Box([0, 0, -1], [9, 9, 2])
FLOOR = ougi.HalfSpace3d([0, 0, 1])
HALF = np.sqrt(0.5)


def turn_cube(angle: float, axis: Any, z: float) -> Any:
    return CUBE.rotated(angle, axis, degrees=True).translated([0, 0, z])


def list_points(found: Any, of: int = 4) -> list[list[float]]:
    """The points in lexicographic order; the other rows must be NaN."""
    n = int(found.count)
    assert found.point.shape == (of, found.normal.shape[-1])
    assert np.isnan(found.point[n:]).all()
    assert np.isnan(found.depth[n:]).all()
    rows: list[list[float]] = sorted((found.point[:n].round(9) + 0.0).tolist())
    return rows


@pytest.mark.parametrize(
    "below", [TABLE, FLOOR, ougi.Aabb3d([-9, -9, -1], [9, 9, 0])], ids=lambda x: type(x).__name__
)
def test_a_box_rests_on_four_points(below: Any) -> None:
    crate = CUBE.translated([2, 1, 0.49])
    for found in (ougi.manifolds(below, crate), ougi.manifolds(crate, below)):
        assert list_points(found) == [[x, y, -0.005] for x in (1.5, 2.5) for y in (0.5, 1.5)]
        assert found.depth.round(12).tolist() == [0.01] * 4
        assert abs(found.normal).round(12).tolist() == [0, 0, 1]


def test_a_box_over_the_border_of_another_is_clipped() -> None:
    found = ougi.manifolds(TABLE, CUBE.translated([4.5, 0, 0.5]))
    assert list_points(found) == [[x, y, 0.0] for x in (4.0, 4.5) for y in (-0.5, 0.5)]


@pytest.mark.parametrize("below", [TABLE, FLOOR], ids=["box", "half-space"])
def test_an_edge_on_a_face_has_two_points_and_a_corner_one(below: Any) -> None:
    edge = ougi.manifolds(below, turn_cube(45, [1, 0, 0], HALF - 0.01))
    assert list_points(edge) == [[-0.5, 0.0, -0.005], [0.5, 0.0, -0.005]]
    assert edge.depth[:2].round(12).tolist() == [0.01, 0.01]
    corner = turn_cube(45, [1, 0, 0], 0).rotated(np.arctan(HALF), [0, 1, 0])
    lowest = float(corner.bounds().lower[2])
    found = ougi.manifolds(below, corner.translated([0, 0, -lowest - 0.01]))
    assert int(found.count) == 1
    assert float(found.depth[0]) == pytest.approx(0.01)


def test_crossing_edges_have_one_point_and_parallel_ones_two() -> None:
    lower = turn_cube(45, [1, 0, 0], 0)
    crossing = ougi.manifolds(lower, turn_cube(45, [0, 1, 0], 2 * HALF - 0.01))
    assert list_points(crossing) == [[0.0, 0.0, round(HALF - 0.005, 9)]]
    # A box and a capsule along its edge, over the outer side of it.
    rod = ougi.Capsule3d([0, 1, 1], [3, 1, 1], 0.75)
    found = ougi.manifolds(CUBE, rod)
    assert int(found.count) == 2
    assert found.point[:2, 0].round(9).tolist() in ([0.0, 0.5], [0.5, 0.0])
    assert found.normal.round(9).tolist() == [0.0, round(HALF, 9), round(HALF, 9)]


def test_a_capsule_that_lies_has_two_points_and_one_that_stands_one() -> None:
    lying, standing = (
        ougi.Capsule3d([0, 0, 0.29], [2, 0, 0.29], 0.3),
        ougi.Capsule3d([0, 0, 5], [0, 0, 0.29], 0.3),
    )
    for below in (TABLE, FLOOR):
        assert list_points(ougi.manifolds(lying, below)) == [[0.0, 0.0, -0.005], [2.0, 0.0, -0.005]]
        found = ougi.manifolds(standing, below)
        assert list_points(found) == [[0.0, 0.0, -0.005]]
        assert float(found.depth[0]) == pytest.approx(0.01)
    side_by_side = ougi.manifolds(lying, lying.translated([1, 0.5, 0]))
    assert list_points(side_by_side) == [[1.0, 0.25, 0.29], [2.0, 0.25, 0.29]]


def test_a_tilted_box_keeps_the_points_that_are_below() -> None:
    tilted = turn_cube(1, [0, 1, 0], 0)
    lowest = float(tilted.bounds().lower[2])
    found = ougi.manifolds(TABLE, tilted.translated([0, 0, -lowest - 0.001]))
    assert int(found.count) == 2
    deep = ougi.manifolds(TABLE, tilted.translated([0, 0, -lowest - 0.1]))
    assert int(deep.count) == 4
    rise = np.sin(np.radians(1))
    assert sorted(deep.depth.round(9)) == pytest.approx([0.1 - rise, 0.1 - rise, 0.1, 0.1])


def test_eight_corners_become_the_largest_four() -> None:
    octagon = [[np.cos(k * np.pi / 4), np.sin(k * np.pi / 4), z] for k in range(8) for z in (0, 1)]
    found = ougi.manifolds(TABLE, ougi.ConvexHull3d(octagon).translated([0, 0, -0.1]))
    assert found.count == 4
    u, v = found.point[2] - found.point[0], found.point[3] - found.point[1]
    assert np.linalg.norm(np.cross(u, v)) / 2 == pytest.approx(2.0)  # a square among its corners


def test_polygons_of_the_plane_have_up_to_two_points() -> None:
    lower, upper = ougi.Rectangle([0, 0], [4, 1]), ougi.Rectangle([1.5, 0.95], [4, 1])
    assert list_points(ougi.manifolds(lower, upper), 2) == [[-0.5, 0.475], [2.0, 0.475]]
    tip = ougi.ConvexPolygon2d([[0.0, 0.45], [1.0, 2.0], [-1.0, 2.0]])
    assert list_points(ougi.manifolds(lower, tip), 2) == [[0.0, 0.475]]
    ground = ougi.HalfSpace2d([0, 1], -0.4)
    assert list_points(ougi.manifolds(lower, ground), 2) == [[-2.0, -0.45], [2.0, -0.45]]
    rods = ougi.Capsule2d([0, 0], [2, 0], 0.5), ougi.Capsule2d([1, 0.9], [3, 0.9], 0.5)
    assert list_points(ougi.manifolds(*rods), 2) == [[1.0, 0.45], [2.0, 0.45]]


def test_flat_boxes_are_plates() -> None:
    plate = ougi.Box([0, 0, 0], [2, 1, 0])
    assert ougi.manifolds(TABLE, plate).count == 4
    on_edge = plate.rotated(90, [1, 0, 0], degrees=True).translated([0, 0, 0.5])
    assert list_points(ougi.manifolds(TABLE, on_edge)) == [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]


def test_batches_broadcast_and_pairs_are_listed() -> None:
    crates = CUBE.translated([[0.0, 0.0, 0.4], [0.0, 0.0, 9.0], [3.0, 0.0, 0.5]])
    tables = TABLE.reshape((1,))[[0, 0]]
    found = ougi.manifolds(tables[:, None], crates)
    assert (found.count.shape, found.normal.shape) == ((2, 3), (2, 3, 3))
    assert (found.point.shape, found.depth.shape) == ((2, 3, 4, 3), (2, 3, 4))
    assert found.count.tolist() == [[4, 0, 4]] * 2
    assert np.isnan(found.normal[:, 1]).all()
    assert ougi.manifolds(tables, crates, pairs=[[1, 2], [0, 1]]) == found[[1, 0], [2, 1]]
    assert ougi.manifolds(TABLE, crates[:0]).point.shape == (0, 4, 3)
    assert ougi.manifolds(TABLE, [0, 0, -0.5]).count == 1
    assert ougi.manifolds(TABLE, crates[0]) == found[0, 0]


def test_the_normal_and_the_deepest_point_are_those_of_contacts() -> None:
    rng = np.random.default_rng(3)
    a = CUBE.rotated(rng.uniform(0, 6, 50), rng.normal(size=(50, 3)))
    b = ougi.ConvexHull3d(rng.normal(size=(9, 3))).translated(rng.normal(size=(50, 3)))
    found, contact = ougi.manifolds(a, b), ougi.contacts(a, b)
    assert 10 < contact.hit.sum() < 50
    assert np.array_equal(found.count > 0, contact.hit)
    np.testing.assert_array_equal(found.normal, contact.normal)
    hit = contact.hit
    np.testing.assert_allclose(np.nanmax(found.depth[hit], axis=1), contact.depth[hit], rtol=0, atol=1e-12)


def test_shapes_without_flat_faces_are_refused() -> None:
    cone = ougi.Cone([0, 0, 0], [0, 0, 1], 1, 1)
    with pytest.raises(
        ougi.UnsupportedPairError, match=r"manifolds\(Cone, Box\) is not supported: a Cone is no"
    ):
        ougi.manifolds(cone, CUBE)
    with pytest.raises(ougi.UnsupportedPairError, match="a Compound3d is no polytope"):
        ougi.manifolds(ougi.Compound3d([CUBE]), CUBE)
    with pytest.raises(
        ougi.UnsupportedPairError, match=r"manifolds\(Box, Rectangle\) is not supported: Box is 3-D"
    ):
        ougi.manifolds(CUBE, ougi.Rectangle([0, 0], [1, 1]))


def test_a_segment_on_a_rounded_plate_has_two_points_up_to_rounding() -> None:
    """Its contact point lies 3e-10 beside it, because nearest points of parallel bodies are less precise."""
    segment = ougi.Segment3d(
        [-0.24377852129047495, 0.21958619301805038, -1.6778845301352747],
        [-0.15757914919876426, 0.314287771751396, -1.7072046621960306],
    )
    plate = ougi.ConvexHull3d(
        [
            [-0.5739657073167002, 0.5517349778177976, -2.1644206946306515],
            [-1.4150334158736706, -0.9216776781831678, -1.8545716921343824],
            [-1.1516931819081102, -1.181749988070215, -1.9203795664061811],
            [-0.5994892106468448, -0.5750798150132558, -2.1082080047902148],
            [-0.31062547335113977, 0.29166266793075046, -2.23022857890245],
        ],
        0.5456266950103243,
    )
    for found in (ougi.manifolds(segment, plate), ougi.manifolds(plate, segment)):
        assert found.count == 2
        np.testing.assert_allclose(found.depth[:2], 2.011e-4, rtol=1e-4)
        ends = found.point[:2][np.argsort(found.point[:2, 0])]
        np.testing.assert_allclose(ends, [segment.start, segment.end], atol=2.1e-4)
