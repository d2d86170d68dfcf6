"""Laws over the whole table: what must hold for every pair, whatever the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ougi
from ougi.query.tables import SEPARATION, TABLES, Pair
from ougi_lab.scenes.batches import draw_batch
from ougi_lab.scenes.cores import extract_core
from ougi_lab.scenes.pairs import draw_pairs
from ougi_lab.verify.certificates import band

N = 1_500
ROWS = pytest.mark.parametrize("row", SEPARATION, ids=lambda row: f"{row.a.__name__}-{row.b.__name__}")


def cases(row: Pair) -> tuple[Any, Any, NDArray[np.float64]]:
    """Random pairs of all families, and the rounding band of each."""
    seed = [ord(c) for c in row.kernel + row.a.__name__ + row.b.__name__]
    a, b = draw_pairs(row.a, row.b, N, np.random.default_rng(seed))
    return a, b, band(extract_core(a), extract_core(b))


def operand(shape: Any) -> Any:
    """Users have no class for points."""
    return getattr(shape, "position", shape)


@ROWS
def test_swapping_the_operands_changes_nothing(row: Pair) -> None:
    a, b, width = cases(row)
    there, back = ougi.distance(operand(a), operand(b)), ougi.distance(operand(b), operand(a))
    assert (np.abs(there - back) <= width).all()
    clear = np.abs(there) > width
    hit, tih = ougi.intersects(operand(a), operand(b)), ougi.intersects(operand(b), operand(a))
    assert np.array_equal(hit[clear], tih[clear])


@ROWS
def test_positive_distance_means_no_hit(row: Pair) -> None:
    a, b, width = cases(row)
    contact = ougi.contacts(operand(a), operand(b))
    signed = np.where(contact.hit, -contact.depth, ougi.distance(operand(a), operand(b)))
    clear = np.abs(signed) > width
    assert np.array_equal(ougi.intersects(operand(a), operand(b))[clear], (signed <= 0)[clear])


@ROWS
def test_the_distance_is_minus_the_depth_of_the_contact(row: Pair) -> None:
    a, b, width = cases(row)
    signed, contact = ougi.distance(operand(a), operand(b)), ougi.contacts(operand(a), operand(b))
    assert (np.abs(signed + contact.depth)[contact.hit] <= width[contact.hit]).all()
    assert (signed[~contact.hit] > -width[~contact.hit]).all()
    near = ougi.closest_points(operand(a), operand(b))
    assert (np.abs(near.distance - signed) <= width).all()


# Shapes without volume, as the shapes of which they are the limit.
THICKER: dict[str, Any] = {
    "Point2d": lambda s: ougi.Circle(s.position, 0),
    "Point3d": lambda s: ougi.Sphere(s.position, 0),
    "Segment2d": lambda s: ougi.Capsule2d(s.start, s.end, 0),
    "Segment3d": lambda s: ougi.Capsule3d(s.start, s.end, 0),
}


@pytest.mark.parametrize(
    "row",
    [row for row in TABLES["distance"] if {row.a.__name__, row.b.__name__} & THICKER.keys()],
    ids=lambda row: f"{row.a.__name__}-{row.b.__name__}",
)
def test_points_and_segments_are_balls_and_capsules_of_radius_0(row: Pair) -> None:
    rng = np.random.default_rng(7)
    a, b = (draw_batch(side, N, rng) for side in (row.a, row.b))
    thick = [THICKER.get(type(side).__name__, lambda s: s)(side) for side in (a, b)]
    thin = ougi.distance(operand(a), operand(b))
    np.testing.assert_array_equal(thin, ougi.distance(*thick))
    assert (thin < 0).any() or "Sector" in row.a.__name__ or not (row.a.solid or row.b.solid)


@ROWS
def test_moving_both_rigidly_changes_nothing(row: Pair) -> None:
    a, b, _ = cases(row)
    rng = np.random.default_rng(0)
    motion: Any
    if a.dimension == 3:
        motion = ougi.Screw3d(rng.normal(size=3), rng.normal(size=3), 2.1, 0.7)
    else:
        motion = ougi.Rotation2d(rng.normal(size=2), 2.1)
    before = ougi.distance(operand(a), operand(b))
    c, d = a.transformed(motion), b.transformed(motion)  # an Aabb becomes a Box: another kernel
    after = ougi.distance(operand(c), operand(d))
    slack = band(extract_core(c), extract_core(d)) + band(extract_core(a), extract_core(b))
    assert (np.abs(before - after) <= slack).all()


@ROWS
def test_disjoint_bounds_mean_no_hit(row: Pair) -> None:
    a, b, width = cases(row)
    x, y = a.bounds(), b.bounds()
    gap = np.maximum(x.lower - y.upper, y.lower - x.upper).max(axis=-1)
    apart = gap > width
    assert apart.any()
    assert not ougi.intersects(operand(a), operand(b))[apart].any()
    assert (ougi.distance(operand(a), operand(b))[apart] >= (gap - width)[apart]).all()


GROWN: dict[str, Any] = {
    "Circle": lambda s: ougi.Circle(s.center, s.radius * 1.1 + 0.01),
    "Sphere": lambda s: ougi.Sphere(s.center, s.radius * 1.1 + 0.01),
    "Capsule2d": lambda s: ougi.Capsule2d(s.start, s.end, s.radius * 1.1 + 0.01),
    "Capsule3d": lambda s: ougi.Capsule3d(s.start, s.end, s.radius * 1.1 + 0.01),
    "Segment2d": lambda s: ougi.Capsule2d(s.start, s.end, 0.01),
    "Segment3d": lambda s: ougi.Capsule3d(s.start, s.end, 0.01),
    "Point2d": lambda s: ougi.Circle(s.position, 0.01),
    "Point3d": lambda s: ougi.Sphere(s.position, 0.01),
    "Rectangle": lambda s: ougi.Rectangle(s.center, s.size * 1.1 + 0.01, s.angle),
    "Box": lambda s: ougi.Box(s.center, s.size * 1.1 + 0.01, s.rotation),
    "Aabb2d": lambda s: ougi.Aabb2d(s.lower - 0.01, s.upper + 0.01),
    "Aabb3d": lambda s: ougi.Aabb3d(s.lower - 0.01, s.upper + 0.01),
}


@ROWS
def test_growing_a_shape_never_loses_a_hit(row: Pair) -> None:
    a, b, width = cases(row)
    hit = ougi.intersects(operand(a), operand(b)) & (width < 0.001)
    assert hit.any()
    grown = 0
    for x, y in ((a, b), (b, a)):
        if grow := GROWN.get(type(x).__name__):
            assert ougi.intersects(grow(x), operand(y))[hit].all()
            grown += 1
    assert grown or row.a.__name__.startswith("Triangle")


@ROWS
def test_contact_separates(row: Pair) -> None:
    """Moving b along the normal by the depth leaves no overlap; by less, some remains."""
    a, b, width = cases(row)
    contact = ougi.contacts(operand(a), operand(b))
    keep = contact.hit & (contact.depth > 1e3 * width)
    if not keep.any():  # thin against thin overlaps only by rounding
        assert not row.a.solid
        assert not row.b.solid
        return
    a, b, push = a[keep], b[keep], contact.normal[keep] * contact.depth[keep][:, None]
    shift: Any = ougi.Translation3d if a.dimension == 3 else ougi.Translation2d
    out = ougi.contacts(operand(a), operand(b.transformed(shift(push))))
    assert (np.nan_to_num(out.depth) <= 2 * width[keep]).all()
    assert ougi.intersects(operand(a), operand(b.transformed(shift(push * 0.99)))).all()
