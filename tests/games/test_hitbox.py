"""Hit boxes: exact unions of convex parts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import shapely

import ougi
from ougi.games import Hitbox

ARROW = ((0.0, 0.0), (4.0, 2.0), (0.0, 4.0), (1.0, 2.0))
COMB = ((0.0, 0.0), (5.0, 0.0), (5.0, 3.0), (4.0, 3.0), (4.0, 1.0), (3.0, 1.0), (3.0, 3.0), (0.0, 3.0))
STRAIGHT = ((0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))


def unite(hitbox: Hitbox) -> Any:
    """The parts of a hit box without radii, for shapely."""
    assert not hitbox.radii[0].any()
    return shapely.unary_union([shapely.Polygon(corners) for corners, _ in hitbox.parts])


@pytest.mark.parametrize("corners", [ARROW, COMB, STRAIGHT, ARROW[::-1], COMB[::-1]])
def test_convex_parts_fill_a_polygon(corners: Any) -> None:
    box, whole = Hitbox(corners), shapely.Polygon(corners)
    areas = [shapely.Polygon(part).area for part, _ in box.parts]
    assert sum(areas) == pytest.approx(whole.area)
    assert unite(box).symmetric_difference(whole).area < 1e-12
    for part, _ in box.parts:
        ring = shapely.LinearRing(part)
        assert ring.is_ccw
        assert shapely.Polygon(part).convex_hull.area == pytest.approx(shapely.Polygon(part).area)


def test_random_polygons_are_filled() -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        n = int(rng.integers(4, 25))
        angles = np.sort(rng.uniform(0, 2 * np.pi, n))
        if np.diff(angles).max() > 3 or 2 * np.pi - angles[-1] + angles[0] > 3:
            continue
        star = rng.uniform(1, 9, (n, 1)) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        box = Hitbox(star)
        assert unite(box).symmetric_difference(shapely.Polygon(star)).area < 1e-9
        assert len(box.parts) <= n - 2
        assert box.reach == pytest.approx(np.linalg.norm(star, axis=1).max())


def test_convex_polygons_are_one_part() -> None:
    for n in (3, 4, 9):
        angles = np.arange(n) * 2 * np.pi / n
        assert len(Hitbox(np.stack([np.cos(angles), np.sin(angles)], axis=1)).parts) == 1


def test_a_polygon_may_touch_itself_in_a_corner() -> None:
    tie = [[0, 0], [2, -1], [2, 1], [0, 0], [-2, 1], [-2, -1]]
    assert unite(Hitbox(tie)).area == pytest.approx(4)


def test_a_sector_is_enclosed_up_to_its_error() -> None:
    for half in (0.0, 0.3, 1.5, 3.0, math.pi):
        for inner in (0.0, 60.0):
            for error in (None, 2.0):
                fan = ougi.Sector2d([3, 4], [1, 1], half, inner, 100)
                box = Hitbox(fan, arc_error=error)
                allowed = 0.1 if error is None else error
                assert box.error <= allowed * (1 + 1e-9)
                points = fan.center + _draw_in_ring(inner, 100)
                probe = shapely.unary_union(
                    [_core(corners).buffer(r + 1e-9, quad_segs=500) for corners, r in box.parts]
                )
                inside = ougi.contains(fan, points)
                assert shapely.contains_xy(probe, points[inside]).all()
                gap = ougi.distance(points, fan)
                assert (gap[shapely.contains_xy(probe, points)] <= box.error + 1e-6).all()


def _core(corners: Any) -> Any:
    if len(corners) == 1:
        return shapely.Point(corners[0])
    return shapely.LineString(corners) if len(corners) == 2 else shapely.Polygon(corners)


def _draw_in_ring(inner: float, outer: float) -> Any:
    rng = np.random.default_rng(0)
    angles, radii = rng.uniform(-4, 4, 2000), rng.uniform(inner - 1, outer + 1, 2000)
    return radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_cells_of_a_grid_are_filled() -> None:
    rng = np.random.default_rng(1)
    for shape in ((1, 1), (4, 7), (12, 9)):
        solid = rng.random(shape) < 0.6
        solid[0, 0] = True
        box = Hitbox.from_grid(solid, cell=(2, 3), origin=(-5, 1))
        cells = [shapely.box(2 * x - 5, 3 * y + 1, 2 * x - 3, 3 * y + 4) for y, x in np.argwhere(solid)]
        assert unite(box).symmetric_difference(shapely.unary_union(cells)).area == 0
        assert len(box.parts) <= len(cells)
    assert len(Hitbox.from_grid(np.ones((20, 30), np.bool_)).parts) == 1


def test_a_list_of_shapes_and_a_batch_are_unions() -> None:
    batch = ougi.Circle([[0, 0], [9, 0]], [1, 2])
    hulls = ougi.ConvexPolygon2d([[[0, 0], [1, 0], [0, 1]], [[3, 3], [4, 4]]], [2, 3])
    assert [(len(corners), radius) for corners, radius in Hitbox(hulls).parts] == [(3, 2.0), (2, 3.0)]
    box = Hitbox([batch, ougi.Aabb2d([-3, -3], [-2, -2]), Hitbox(ARROW)], radius=0.5)
    assert box.radii[0].tolist() == [1.5, 2.5, 0.5, *[0.5] * len(Hitbox(ARROW).parts)]
    assert box.reach == 11.5
    assert repr(box) == "Hitbox(parts=5, reach=11.5)"


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (((0, 0), (4, 4), (4, 0), (0, 3), (-3, 5)), "must not cross itself, but its edges"),
        (((0, 0), (1, 1), (2, 2)), "a polygon must have an area"),
        (((0, 0), (1, 1), (1, 1)), "at least three different corners"),
        ([[0, 0, 0]], r"corners \(n, 2\) of a polygon, got an array of shape \(1, 3\)"),
        ([[math.nan, 0], [1, 0], [0, 1]], "must be finite"),
        (ougi.Sphere([0, 0, 0], 1), "shape of the plane, got Sphere"),
        ("round", r"corners \(n, 2\) of a polygon, got str; load the picture"),
    ],
)
def test_what_is_no_shape_is_refused(shape: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Hitbox(shape)


def test_arcs_of_more_than_a_thousand_chords_are_refused() -> None:
    with pytest.raises(ValueError, match="arc_error must be at least 1e-06 of the outer radius 2, got 1e-30"):
        Hitbox(ougi.Sector2d([0, 0], [1, 0], 1, 0, 2), arc_error=1e-30)


def test_a_grid_without_solid_cells_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one solid cell"):
        Hitbox.from_grid([[0, 0]])
