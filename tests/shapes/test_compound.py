"""Compounds and polygons: queries, first contacts, rays, worlds and checks, beside shapely and the parts."""

from __future__ import annotations

import itertools
import math
import pickle
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import shapely

import ougi
from ougi.impact.engine import Engine, plan
from ougi.shapes.compound import split_parts
from ougi.shapes.decompose import split_polygon

SQUARE: list[Any] = [[0, 0], [4, 0], [4, 4], [0, 4]]
HOLE: list[Any] = [[1, 1], [3, 1], [3, 3], [1, 3]]
FRAME = ougi.Polygon2d(SQUARE, [HOLE])
ARROW = ougi.Polygon2d([[0, 0], [3, -2], [2, 0], [3, 2]])


def make_star(rng: np.random.Generator, n: int, center: Any, radius: float, lowest: float) -> Any:
    angle = np.sort(rng.uniform(0, 2 * math.pi, n))
    size = radius * rng.uniform(lowest, 1, n)
    return np.array(center) + size[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def make_polygons(rng: np.random.Generator, count: int) -> list[tuple[Any, list[Any], shapely.Polygon]]:
    found: list[tuple[Any, list[Any], shapely.Polygon]] = []
    while len(found) < count:
        border = make_star(rng, int(rng.integers(4, 18)), (0, 0), 1.0, 0.6)
        middles = [(-0.25, -0.2), (0.3, 0.05), (0, 0.35)][: int(rng.integers(0, 4))]
        holes = [make_star(rng, int(rng.integers(3, 8)), middle, 0.17, 0.3) for middle in middles]
        reference = shapely.Polygon(border, holes)
        if reference.is_valid:
            found.append((border, holes, reference))
    return found


POLYGONS = make_polygons(np.random.default_rng(3), 8)
TURN = ougi.Rotation2d([0.1, 0.2], 0.3)


def move(reference: shapely.Polygon) -> shapely.Polygon:
    return shapely.transform(reference, TURN.at(1.0).apply)


def test_pieces_are_convex_and_cover_the_polygon() -> None:
    for border, holes, reference in POLYGONS:
        pieces = [shapely.Polygon(piece) for piece in split_polygon(border, holes)]
        assert all(piece.convex_hull.equals_exact(piece, 1e-12, normalize=True) for piece in pieces)
        assert sum(piece.area for piece in pieces) == pytest.approx(reference.area, rel=1e-12)
        assert shapely.union_all(pieces).symmetric_difference(reference).area < 1e-12


def test_points_and_circles_have_the_distance_from_the_border() -> None:
    rng = np.random.default_rng(4)
    batch = ougi.Polygon2d([p[0] for p in POLYGONS], [p[1] for p in POLYGONS]).transformed(TURN)
    points = rng.uniform(-1.3, 1.3, (20, 2))
    sites = shapely.points(points)
    moved = [move(reference) for *_, reference in POLYGONS]
    sign = np.array([np.where(shapely.contains(p, sites), -1, 1) for p in moved])
    expected = sign * np.array([shapely.distance(p.boundary, sites) for p in moved])
    np.testing.assert_allclose(ougi.distance(batch[:, None], points), expected, atol=1e-13)
    np.testing.assert_array_equal(ougi.contains(batch[:, None], points), expected <= 0)
    circles = ougi.Circle(points, 0.1)
    near = ougi.closest_points(circles, batch[:, None])
    np.testing.assert_allclose(near.distance, expected - 0.1, atol=1e-13)
    np.testing.assert_allclose(
        np.linalg.norm(near.point_b - near.point_a, axis=-1), abs(expected - 0.1), atol=1e-13
    )
    np.testing.assert_array_equal(ougi.intersects(batch[:, None], circles), expected <= 0.1)


def test_other_bodies_touch_as_in_shapely() -> None:
    rng = np.random.default_rng(5)
    batch = ougi.Polygon2d([p[0] for p in POLYGONS], [p[1] for p in POLYGONS]).transformed(TURN)
    ends = rng.uniform(-1.3, 1.3, (2, 10, 2))
    lines = shapely.linestrings(np.moveaxis(ends, 0, 1))
    moved = [move(reference) for *_, reference in POLYGONS]
    expected = np.array([shapely.distance(p, lines) for p in moved])
    found = ougi.distance(ougi.Segment2d(*ends), batch[:, None])
    np.testing.assert_allclose(np.maximum(found, 0), expected, atol=1e-12)
    np.testing.assert_array_equal(ougi.intersects(ougi.Segment2d(*ends), batch[:, None]), expected == 0)
    other = batch[:3].translated([1.1, 0.3])
    shifted = [shapely.affinity.translate(p, 1.1, 0.3) for p in moved[:3]]
    wanted = np.array([[p.distance(q) for q in shifted] for p in moved])
    np.testing.assert_allclose(np.maximum(ougi.distance(batch[:, None], other), 0), wanted, atol=1e-12)


def test_bodies_in_the_seams_of_parts_are_inside() -> None:
    rng = np.random.default_rng(6)
    for border, holes, _ in POLYGONS[:2]:
        pose = ougi.Pose(rng.normal(size=2), rng.uniform(-3, 3))
        polygon = ougi.Polygon2d(border, holes).transformed(pose)
        edges = [
            (a, b)
            for piece in split_polygon(border, holes)
            for a, b in zip(piece, np.roll(piece, -1, axis=0), strict=True)
        ]
        rings = [border, *holes]
        middles = np.array([(a + b) / 2 for a, b in edges])
        seams = (
            shapely.distance(shapely.Polygon(rings[0], rings[1:]).boundary, shapely.points(middles)) > 1e-9
        )
        assert ougi.contains(polygon, pose.apply(middles[seams])).all()
        inner = [
            (0.9 * a + 0.1 * b, 0.1 * a + 0.9 * b) for (a, b), on in zip(edges, seams, strict=True) if on
        ]
        for a, b in inner:
            rod = ougi.Segment2d(pose.apply(a), pose.apply(b))
            assert ougi.intersects(polygon, rod)
            assert ougi.distance(polygon, rod) <= 0
            assert ougi.time_of_impact(rod, ougi.Translation2d([9, 0]), polygon).status == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ougi.Polygon2d([[0, 0], [2, 2], [2, 0], [0, 2]]), r"edges from \[.*\] cross"),
        (
            lambda: ougi.Polygon2d([SQUARE, [[0, 0], [2, 2], [2, 0], [0, 3]]]),
            r"cross; make several .* \(polygon 1\)",
        ),
        (lambda: ougi.Polygon2d([[0, 0], [1, 1]]), "at least three different corners"),
        (lambda: ougi.Polygon2d([[0, 0], [1, 1], [0, 0], [1, 1]]), "must have an area"),
        (lambda: ougi.Polygon2d([[0, 0], [1, 1], [2, 2]]), "must have an area"),
        (lambda: ougi.Polygon2d(np.array([[0, 0], [1, math.nan], [2, 0]])), "vertices must be finite"),
        (lambda: ougi.Polygon2d([[0, 0, 0]] * 3), "vertices must have 2 components"),
        (
            lambda: ougi.Polygon2d(SQUARE, [[[5, 5], [6, 5], [6, 6]]]),
            "hole 0 of a polygon must lie in its border",
        ),
        (lambda: ougi.Polygon2d(SQUARE, [HOLE, [[1.5, 1.5], [2, 1.5], [2, 2]]]), "hole 1|overlap"),
        (
            lambda: ougi.Polygon2d(SQUARE, [[[1, 1], [5, 1], [3, 3]]]),
            "its border and hole 0 of a polygon must not cross, but their edges from",
        ),
        (
            lambda: ougi.Polygon2d(SQUARE, [HOLE, [[1.5, 1.5], [3.5, 1.5], [3.5, 2]]]),
            "hole 0 and hole 1 of a polygon must not cross",
        ),
        (
            lambda: ougi.Polygon2d(SQUARE, [HOLE, [[0.2, 0.2], [0.4, 0.4], [0.4, 0.2], [0.2, 0.4]]]),
            "hole 1 of a polygon must not cross itself, .*; make several holes of it",
        ),
        (lambda: ougi.Polygon2d([SQUARE, [[0, 0], [1, math.nan], [2, 0]]]), r"vertices\[1\] must be finite"),
        (
            lambda: ougi.Polygon2d([SQUARE, SQUARE], [[], [[[1, 1], [2, math.inf], [1, 2]]]]),
            r"holes\[1\]\[0\] must be finite",
        ),
        (lambda: ougi.Polygon2d(SQUARE, [HOLE, HOLE]), "its holes must not cross, overlap or leave it"),
        (lambda: ougi.Polygon2d([[2, 0], [2, 2], [1, 1], [2, 2], [2, 4]]), "must not cross|an area"),
        (
            lambda: ougi.Polygon2d([[2, 4], [0, 2], [1, 1], [2, 2], [4, 2], [2, 4], [2, 3], [3, 2]]),
            "must not cross itself",
        ),
        (
            lambda: ougi.Polygon2d(SQUARE, [[[k, 0], [k + 2, 0], [k + 2, 1], [k, 1]] for k in (0, 1)]),
            "its holes must not cross, overlap or leave it",
        ),
        (
            lambda: ougi.Compound3d(cast(Any, None)),
            "shapes must be a shape or a list of shapes, got NoneType",
        ),
        (lambda: ougi.Polygon2d(SQUARE, [SQUARE]), "hole 0|overlap"),
        (lambda: ougi.Polygon2d(SQUARE, [[[1, 1], [2, 2]]]), "hole 0 must have at least three"),
        (lambda: ougi.Polygon2d([SQUARE, SQUARE], [[]]), "a sequence for each of 2 polygons, got 1"),
        (lambda: ougi.Compound2d([]), "at least one shape"),
        (
            lambda: ougi.Compound2d([ougi.Circle([0, 0], 1), ougi.HalfSpace2d([0, 1])]),
            "HalfSpace2d at index 1",
        ),
        (lambda: ougi.Compound2d(SQUARE), "got list at index 0"),
        (lambda: ougi.Compound3d([ougi.Circle([0, 0], 1)]), "must be 3-D, got a 2-D Circle at index 0"),
        (lambda: ougi.Compound2d([ougi.Circle([0, 0], 1)])[None].parts, "take one of its bodies"),
        (lambda: FRAME[None].rings, "take one of its polygons"),
    ],
)
def test_bad_input_is_named(make: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make()


@pytest.mark.parametrize(
    ("border", "holes"),
    [
        (SQUARE, [[[0, 1], [2, 1], [2, 3], [0, 3]]]),  # along a side
        (SQUARE, [[[0, 0], [2, 0], [2, 3], [0, 3]]]),  # along two sides
        (SQUARE, [[[1, 1], [2, 1], [2, 2], [1, 2]], [[2, 1], [3, 1], [3, 2], [2, 2]]]),  # along each other
        (SQUARE, [[[1, 1], [2, 1], [2, 3], [1, 3]], [[2, 1.5], [3, 1.5], [3, 2.5], [2, 2.5]]]),
        ([*SQUARE[:3], [4, 5], [4, 4], [0, 4]], []),  # a spike
        # A keyhole: the border goes to the hole and back.
        ([*SQUARE[:3], [2, 4], [2, 3], [3, 3], [3, 1], [1, 1], [1, 3], [2, 3], [2, 4], [0, 4]], []),
    ],
)
def test_where_edges_run_along_each_other_is_no_border(border: Any, holes: Any) -> None:
    """Points, circles, boxes and rays find the same region, which is that of shapely."""
    polygon = ougi.Polygon2d(border, holes)
    region = shapely.Polygon(border).buffer(0)
    for hole in holes:
        region = region.difference(shapely.Polygon(hole))
    points = np.stack(np.meshgrid(np.arange(-1, 5.1, 0.25), np.arange(-1, 5.1, 0.25)), axis=-1)
    where = shapely.points(points)
    gap = shapely.distance(region, where)
    signed = np.where(gap > 0, gap, -shapely.distance(region.boundary, where))
    np.testing.assert_allclose(ougi.distance(polygon, points), signed, atol=1e-12)
    np.testing.assert_allclose(ougi.distance(ougi.Circle(points, 0.1), polygon), signed - 0.1, atol=1e-12)
    np.testing.assert_array_equal(ougi.contains(polygon, points), gap == 0)
    np.testing.assert_array_equal(ougi.intersects(polygon, ougi.Circle(points, 0.01)), gap < 0.01)
    np.testing.assert_array_equal(
        ougi.intersects(polygon, ougi.Rectangle(points, [0.001, 0.001])), gap < 0.01
    )


@pytest.mark.parametrize("count", [1, 2, 3])
def test_holes_may_touch_each_other_and_the_border_in_any_way(count: int) -> None:
    """All choices of cells of a grid as holes."""
    border, cell = np.array(SQUARE) * 0.75, np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    points = np.stack(np.meshgrid(np.arange(0.25, 3, 0.5), np.arange(0.25, 3, 0.5)), axis=-1).reshape(-1, 2)
    for corners in itertools.combinations(itertools.product(range(3), repeat=2), count):
        polygon = ougi.Polygon2d(border, [cell + corner for corner in corners])
        free = (points[:, None].astype(int) != np.array(corners)).any(axis=2).all(axis=1)
        np.testing.assert_array_equal(ougi.contains(polygon, points), free)
        np.testing.assert_array_equal(ougi.intersects(polygon, ougi.Circle(points, 0.2)), free)
        np.testing.assert_array_equal(ougi.intersects(polygon, ougi.Rectangle(points, [0.4, 0.4])), free)


def test_a_hole_whose_bridge_lies_on_the_line_of_an_edge_is_no_problem() -> None:
    border = [[0, 0], [0, 4], [3, 4], [3, 3], [4, 3], [4, 0]]
    hole = [[1, 2], [2, 2], [2, 3], [1, 3]]
    polygon = ougi.Polygon2d(border, [hole])
    assert ougi.contains(polygon, [[0.5, 0.5], [1.5, 2.5], [2.5, 3.0], [3.5, 3.5]]).tolist() == [1, 0, 1, 0]


def test_polygons_may_touch_themselves() -> None:
    pinched = ougi.Polygon2d([[0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 1]])
    points = np.array([[1, 0.5], [1, 1.5], [0.5, 1], [1.5, 1]])
    assert ougi.contains(pinched, points).tolist() == [
        True,
        True,
        False,
        False,
    ]
    touching = ougi.Polygon2d(SQUARE, [[[0, 2], [1, 1], [1, 3]]])
    assert ougi.contains(touching, np.array([[0.8, 2], [0.5, 1], [2, 2]])).tolist() == [False, True, True]
    assert ougi.Polygon2d([*SQUARE, [0, 4]]) == ougi.Polygon2d(SQUARE)


# --- compounds ------------------------------------------------------------------------------------------


def make_compound(rng: np.random.Generator, count: int, spread: float = 1.0) -> ougi.Compound3d:
    at = rng.normal(size=(count, 3)) * spread
    makers: list[Any] = [
        lambda p: ougi.Sphere(p, 0.3),
        lambda p: ougi.Box(p, rng.uniform(0.2, 0.7, 3)).rotated(
            rng.uniform(-3, 3), rng.normal(size=3), center=p
        ),
        lambda p: ougi.Capsule3d(p, p + rng.normal(size=3) * 0.4, 0.1),
        lambda p: ougi.ConvexHull3d(p + rng.normal(size=(6, 3)) * 0.3),
        lambda p: ougi.Cylinder(p, rng.normal(size=3), 0.2, 0.3),
    ]
    return ougi.Compound3d([makers[k % 5](p) for k, p in enumerate(at)])


def make_bodies(seed: int) -> tuple[Any, list[Any]]:
    """A batch of compounds of different parts, and bodies to compare it with."""
    rng = np.random.default_rng(seed)
    batch = ougi.concatenate([make_compound(rng, n) for n in (2, 5, 6)])
    turn = rng.normal(size=(3, 4))
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    batch = batch.transformed(ougi.Pose(rng.normal(size=(3, 3)), turn))
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) + 0.5
    others = [
        ougi.Sphere(rng.normal(size=(4, 3)) * 2, 0.4),
        ougi.Box(rng.normal(size=(3, 3)) * 2, [0.5, 0.8, 1.1]),
        ougi.HalfSpace3d([0, 0, 1], -1),
        ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
        ougi.concatenate([make_compound(rng, 5), make_compound(rng, 1)]).translated([1, 1, 0]),
    ]
    return batch, others


def list_singles(shape: Any) -> list[list[Any]]:
    """The parts of each body."""
    bodies = [shape] if isinstance(shape, ougi.Mesh) or not shape.shape else list(shape)
    return [body.parts if hasattr(body, "parts") else [body] for body in bodies]


def test_queries_are_those_of_the_nearest_parts() -> None:
    batch, others = make_bodies(1)
    for other in others:
        mine, theirs = list_singles(batch), list_singles(other)
        gaps = [
            [min(float(ougi.distance(x, y)) for x, y in itertools.product(a, b)) for b in theirs]
            for a in mine
        ]
        expected = np.array(gaps)
        if not getattr(other, "shape", ()):
            expected = expected[:, 0]
            rows = batch
        else:
            rows = batch[:, None]
        np.testing.assert_allclose(ougi.distance(rows, other), expected, atol=1e-12)
        np.testing.assert_array_equal(ougi.intersects(other, rows), expected <= 0)
        near = ougi.closest_points(rows, other)
        apart = expected > 0
        length = np.linalg.norm(near.point_a - near.point_b, axis=-1)
        np.testing.assert_allclose(length[apart], expected[apart], atol=1e-9)
        assert ougi.distance(near.point_a.reshape((3, -1, 3)), batch[:, None]).max() < 1e-9
        if expected.ndim == 2:
            pairs = np.argwhere(np.ones(expected.shape))
            listed = ougi.distance(batch, other, pairs=pairs)
            np.testing.assert_array_equal(listed, ougi.distance(rows, other).ravel())


def test_the_depth_is_that_of_the_deepest_parts() -> None:
    cross = ougi.Compound2d([ougi.Rectangle([0, 0], [6, 2]), ougi.Rectangle([0, 0], [2, 6])])
    found = ougi.contacts(cross, ougi.Rectangle([3, 0], [1, 1]))
    assert found.depth == pytest.approx(0.5)
    np.testing.assert_allclose(found.normal, [1, 0], atol=1e-12)
    swapped = ougi.contacts(ougi.Rectangle([3, 0], [1, 1]), cross)
    np.testing.assert_allclose(swapped.normal, [-1, 0], atol=1e-12)


@pytest.mark.parametrize(
    "motion",
    [
        ougi.Translation3d([2, -1, 0.5]),
        ougi.Rotation3d([0, 0, 0], [1, 2, 3], 4.0),
        ougi.Chain(ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0), ougi.Translation3d([1, 0, -2])),
    ],
    ids=lambda motion: type(motion).__name__,
)
def test_first_contacts_are_the_earliest_of_the_parts(motion: Any) -> None:
    batch, others = make_bodies(2)
    batch = batch.translated([0, 0, 4])
    for other in others[:3]:
        rows = batch[:, None] if other.shape else batch
        found = ougi.time_of_impact(rows, motion, other)
        expected = []
        for a, b in itertools.product(list_singles(batch), list_singles(other)):
            times = [ougi.time_of_impact(x, motion, y) for x, y in itertools.product(a, b)]
            expected.append(min((float(one.t) for one in times if one.hit), default=math.nan))
        np.testing.assert_allclose(found.t.ravel(), expected, atol=1e-7)
        assert not (found.status == 3).any()
        still = found.hit & (found.t > 0)
        if still.any() and not isinstance(motion, ougi.Chain):
            gaps = ougi.distance(rows.transformed(motion.at(np.nan_to_num(found.t))), other)
            assert np.abs(gaps[still]).max() < 1e-7


def test_a_ball_leaves_the_hole_of_a_frame_only_through_the_frame() -> None:
    ball = ougi.Circle([2, 2], 0.25)
    found = ougi.time_of_impact(ball, ougi.Translation2d([3, 0]), FRAME)
    assert found.t == pytest.approx(0.75 / 3)
    np.testing.assert_allclose(found.normal, [1, 0], atol=1e-9)
    np.testing.assert_allclose(found.point, [3, 2], atol=1e-8)
    both = ougi.time_of_impact(ball, ougi.Translation2d([3, 0]), FRAME, ougi.Translation2d([3, 0]))
    assert not both.hit
    assert plan(ball, ougi.Translation2d([3, 0]), FRAME, None).engine is Engine.PARTS


def test_rays_hit_the_nearest_part() -> None:
    batch, _ = make_bodies(3)
    rng = np.random.default_rng(8)
    start, along = rng.normal(size=(50, 3)) * 3, rng.normal(size=(50, 3))
    parts = list_singles(batch)
    one_by_one = [ougi.raycast(start, along, [part]).t for body in parts for part in body]
    owner = np.repeat(np.arange(3), [len(body) for body in parts])
    found = ougi.raycast(start, along, [ougi.Sphere([99, 0, 0], 1), batch])
    hit = np.isfinite(one_by_one).any(axis=0)
    np.testing.assert_array_equal(found.t[hit], np.min(one_by_one, axis=0)[hit])
    np.testing.assert_array_equal(found.body[hit], 1 + owner[np.argmin(one_by_one, axis=0)[hit]])
    assert ougi.raycast([2, 2], [0, -1], FRAME).t == 1.0
    egg = ougi.Compound3d([ougi.Ellipsoid([0, 0, 0], [1, 2, 3])])
    assert ougi.raycast([0, 0, -5], [0, 0, 1], egg).t == pytest.approx(2.0, rel=1e-15)


def test_bounds_hold_the_parts() -> None:
    batch, _ = make_bodies(4)
    bounds, ball = batch.bounds(), batch.bounding_sphere()
    for k, parts in enumerate(list_singles(batch)):
        boxes = [part.bounds() for part in parts]
        np.testing.assert_array_equal(bounds.lower[k], np.min([box.lower for box in boxes], axis=0))
        np.testing.assert_array_equal(bounds.upper[k], np.max([box.upper for box in boxes], axis=0))
        for box in boxes:
            for corner in itertools.product(*zip(box.lower, box.upper, strict=True)):
                assert np.linalg.norm(corner - ball.center[k]) <= ball.radius[k] * 2


def test_batches_are_indexed_joined_compared_and_pickled() -> None:
    batch, _ = make_bodies(5)
    assert pickle.loads(pickle.dumps(batch)) == batch
    assert ougi.concatenate([batch[2:], batch[:2]])[1:] == batch[:2]
    assert batch[0] != batch[1]
    assert batch[:0].bounds().shape == (0,)
    assert ougi.intersects(batch[:0], ougi.Sphere([0, 0, 0], 1)).shape == (0,)
    assert [len(parts.shape) for parts in split_parts(batch)] == [4, 3, 2, 2, 2]
    nested = ougi.Compound3d([batch, ougi.Aabb3d([0, 0, 0], [1, 1, 1])])
    assert repr(nested) == "<Compound3d of 14 parts>"
    assert ougi.Polygon2d([SQUARE, [[0, 0], [1, 0], [0, 1]]])[1].vertices.tolist() == [[0, 0], [1, 0], [0, 1]]


def test_a_world_reports_compounds_as_bodies() -> None:
    world = ougi.World()
    mug = ougi.Compound3d([ougi.Cylinder([0, 0, 5], [0, 0, 1], 1, 1), ougi.Box([2, 0, 4.5], [1, 1, 1])])
    ids = world.add(mug.transformed(ougi.Pose([[0, 0, 0], [20, 0, 0]])), ougi.Translation3d([0, 0, -2]))
    tray = world.add(ougi.Box([2.2, 0, 0.5], [1, 1, 1]))
    floor = world.add(ougi.HalfSpace3d([0, 0, 1], -1))
    times: dict[Any, float] = {}
    for _ in range(6):
        began = world.step(0.5).began
        times |= {
            tuple(sorted(pair)): time for pair, time in zip(began.pair.tolist(), began.time, strict=True)
        }
    assert times == {
        (ids[0], tray): pytest.approx(1.5),
        (ids[0], floor): pytest.approx(2.5),
        (ids[1], floor): pytest.approx(2.5),
    }
    assert world.query(ougi.Sphere([22, 0, -1.5], 0.2)).body.tolist() == [ids[1], floor]
    hits = world.query(mug, ougi.Rotation3d([0, 0, 0], [0, 1, 0], math.pi))
    assert hits.body.tolist() == [floor]


SCENE = """
ougi = 1
duration = 4
[[body]]
name = "spinner"
at = [0, 0]
shape = { type = "compound", parts = [
  { shape = { type = "capsule2d", start = [-2, 0], end = [2, 0], radius = 0.25 } },
  { shape = { type = "polygon", vertices = [[0, 0], [3, -2], [2, 0], [3, 2]] }, at = [2, 0] } ] }
motion = { type = "rotate", degrees = 720, seconds = 4 }
[[body]]
name = "post"
at = [0, 2]
shape = { type = "circle", radius = 0.25 }
"""


def test_a_check_finds_every_contact_of_a_turning_compound(tmp_path: Path) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(SCENE, encoding="utf-8")
    report = ougi.check(ougi.load_scene(path))
    # The capsule passes the post with both ends in each turn, 90 degrees less its half width before.
    half = math.degrees(math.asin(0.5 / 2))
    expected = [(90 - half) / 180, (270 - half) / 180, (450 - half) / 180, (630 - half) / 180]
    np.testing.assert_allclose(sorted(report.contacts.time), expected, atol=1e-6)
    assert set(report.contacts.engine.tolist()) == {"parts"}


def test_hulls_and_polygons_inside_of_others_are_found() -> None:
    corners = [[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]]
    mesh = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], solid=True)
    hull = ougi.ConvexHull3d([[1, 1, 1], [2, 1, 1], [1, 2, 1], [1, 1, 2]])
    assert ougi.intersects(mesh, hull)
    assert ougi.intersects(mesh, ougi.Compound3d([hull, ougi.Sphere([99, 0, 0], 1)]))
    assert ougi.intersects(ARROW, ougi.Rectangle([0.8, 0.1], [0.1, 0.1]))
    world = ougi.World()
    world.add(ougi.Sphere([0, 3, 1], 1))
    assert world.query(hull, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0)).body.tolist() == [0]


def test_compounds_can_be_drawn() -> None:
    from ougi.plot import Picture
    from ougi.viewer.solids import group_solids

    picture = Picture("Bodies of parts")
    panel = picture.plane()
    hammer = ougi.Compound2d([ougi.Rectangle([0, 3], [3, 1]), ougi.Segment2d([0, 0], [0, 3]), ARROW])
    panel.draw(FRAME)
    panel.draw(hammer)
    panel.motion(ARROW, ougi.Rotation2d([0, 0], 1.0))
    assert len(panel.axes.patches[0].get_path().vertices) == 10  # two closed rings
    batch, _ = make_bodies(6)
    bodies = [*batch, batch[0].translated([1, 2, 3])]
    groups = group_solids(bodies, 10.0)
    assert sorted(len(group.members) for group in groups) == [1, 1, 2]
    for group in groups:
        for k, member in enumerate(group.members):
            corners = group.vertices @ group.rotation[k].T + group.center[k]
            bounds = bodies[member].bounds()
            np.testing.assert_allclose(corners.min(axis=0), bounds.lower, atol=0.02)
            np.testing.assert_allclose(corners.max(axis=0), bounds.upper, atol=0.02)
