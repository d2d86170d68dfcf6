"""Cases that once got a wrong answer, each with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi

pytestmark = pytest.mark.plain


def overlap_left(a: Any, b: Any) -> float:
    """How deep a and b still overlap once b has been moved out by its contact."""
    contact = ougi.contacts(a, b)
    out = b.transformed(ougi.Translation3d(contact.normal * contact.depth))
    return float(np.nan_to_num(ougi.contacts(a, out).depth))


def test_a_segment_in_the_plane_of_a_triangle_does_not_pierce_it() -> None:
    """Heights over the plane are rounding, and so are the signs of volumes."""
    capsule = ougi.Capsule3d(
        [-0.76882784477894, -0.33574673244649916, 1.561304541798889],
        [-0.7828532138165488, 0.32392247120369594, 0.9352440862730902],
        0.7664474078956341,
    )
    triangle = ougi.Triangle3d(
        [-0.5454331613489317, 1.7141634487897566, 1.2162056282198965],
        [-0.7385436125880908, -0.09880589982076637, 1.5481685919986041],
        [-0.6586572104833848, 1.3289524212646122, 0.8539870970621286],
    )
    assert overlap_left(capsule, triangle) < 1e-13


def test_a_segment_through_a_flat_box_touches_it() -> None:
    """The distance of the crossing point from the box is rounding, not zero."""
    turn = [0.1, 0.2, 0.3, np.sqrt(1 - 0.14)]
    flat = ougi.Box([0.1, 0.2, 0.3], [2, 1, 0], turn)
    through = flat.rotation @ [0.3, 0.2, 0.7]
    needle = ougi.Segment3d(flat.center - through, flat.center + 1.3 * through)
    assert ougi.intersects(flat, needle)
    assert ougi.distance(flat, needle) < 0
    sheet = ougi.Triangle3d(needle.start, needle.end, needle.end + 0.01)
    assert ougi.intersects(flat, sheet)


def test_a_segment_almost_along_a_face_is_nearest_where_it_is_lowest() -> None:
    """At a kink of the slope, the rounding of its own axis decided."""
    turn = [
        [-0.5410215544892145, -0.537711994202841, -0.6466540720265185],
        [-0.705814191240589, -0.12778662142539465, 0.6967760808380811],
        [-0.45729859503552706, 0.8333884992457519, -0.3103894397421508],
    ]
    box = ougi.Box(
        [2.4778788779247294, 1.065554985788981, 0.6908790495464858],
        [1.6445790037542787, 0.1995616499313138, 0.0],
        turn,
    )
    capsule = ougi.Capsule3d(
        [1.2885692384763747, 0.935526852426334, 2.876750602439463],
        [2.6745664876668256, 1.2649074789799661, 0.7286226019323154],
        0.35685881933185265,
    )
    assert overlap_left(capsule, box) < 1e-13


def test_a_kink_at_the_end_of_a_segment_is_seen() -> None:
    """It hides behind the rounding of t = 1; the slope between the ends is not straight then."""
    turn = [
        [0.2935487112873813, 0.503390332013411, -0.8126667999475218],
        [-0.9407564308925503, 0.30305977490589225, -0.15209244086508694],
        [0.16972475316178154, 0.8091680582359995, 0.562530498457421],
    ]
    box = ougi.Box(
        [0.05557308087360621, 0.5530437729095071, -0.7248340579575372],
        [0.3592850018051429, 1.1497219444030085, 0.0],
        turn,
    )
    segment = ougi.Segment3d(
        [-0.040776188647118, 0.8618211288522547, -0.7805415278152844],
        [0.10830690550695847, 0.384043934923889, -0.694344278835607],
    )
    point = ougi.closest_points(segment, box).point_b
    local = (point - box.center) @ box.rotation
    assert abs(local[2]) < 1e-14


@pytest.mark.parametrize("corner", [[0.5, -1, 1.5], [2.5, -1, 1.5]])
def test_a_triangle_with_two_equal_corners_is_a_segment(corner: list[float]) -> None:
    """Its first edge has no direction, so nothing is perpendicular to it."""
    other = [3.0 - corner[0], -1, 1.5]
    triangle = ougi.Triangle3d(corner, corner, other)
    assert ougi.contacts([1.5, -1, 1.5], triangle).depth == 0
    assert ougi.contacts(ougi.Sphere([1.5, -1, 1.5], 0.5), triangle).depth == pytest.approx(0.5)


def test_a_ball_centered_on_the_end_of_a_segment_leaves_by_its_radius() -> None:
    """The difference of the nearest points is rounding and no direction."""
    ball = ougi.Sphere([1.5642543549350845, 0.8127530213400673, -0.47757256649322777], 1.4727564308744514)
    segment = ougi.Segment3d(
        [0.3645368858581326, 1.6023134050794203, 0.03487523905430179],
        [1.5642543549350845, 0.8127530213400672, -0.47757256649322777],
    )
    assert overlap_left(ball, segment) < 1e-13


NEARLY_PARALLEL = [
    (
        [0.17430499605886302, 2.1413199487544725, 0.0],
        [0.48529061538810514, 0.6324760222834557, 0.0],
        [
            [2.29588197e-09, -3.76837144e-09, 1.0],
            [2.09687192e-09, 1.0, 3.76837131e-09],
            [-1.0, 2.09687190e-09, 2.29588184e-09],
        ],
        [0.0871525, 0.75442196, 0.24264531],
    ),
    (
        [1.7758312402850243, 2.017856856905661, 1.1189261092780332],
        [0.8361045089379231, 2.0254736721634194, 0.9791895802852763],
        [
            [-1.0, 7.74069630e-08, 7.19959977e-08],
            [7.19959997e-08, 2.72762350e-08, 1.0],
            [7.74069611e-08, 1.0, -2.72762408e-08],
        ],
        [-1.30596787, 1.49852322, -0.22663689],
    ),
]


@pytest.mark.parametrize(("size_a", "size_b", "turn", "center"), NEARLY_PARALLEL)
def test_nearly_parallel_boxes_do_not_depend_on_their_orientation(
    size_a: Any, size_b: Any, turn: Any, center: Any
) -> None:
    """The cross product of nearly parallel edges was not perpendicular to them."""
    a, b = ougi.Box([0, 0, 0], size_a), ougi.Box(center, size_b, turn)
    expected = ougi.distance(a, b)
    rng = np.random.default_rng(1)
    for _ in range(20):
        motion = ougi.Rotation3d(rng.normal(size=3), rng.normal(size=3), rng.uniform(-3, 3))
        assert ougi.distance(a.transformed(motion), b.transformed(motion)) == pytest.approx(
            expected, abs=2e-14
        )


def test_far_beside_a_thin_triangle_is_not_over_it() -> None:
    """The three signs are rounding there; so may be the normal itself."""
    rng = np.random.default_rng(2)
    line, across = np.array([1.0, 2.0, 3.0]) / np.sqrt(14), np.array([3.0, 0.0, -1.0]) / np.sqrt(10)
    for height in (0.0, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13):
        for _ in range(200):
            s = rng.uniform(0, 1)
            triangle = ougi.Triangle3d([0, 0, 0], line, line * s + height * across)
            far = rng.uniform(2, 1000)
            assert ougi.distance(line * far, triangle) == pytest.approx(far - 1, rel=1e-13)


@pytest.mark.parametrize("lean", [1e-8, -1e-8, 3e-9])
def test_the_foot_of_an_end_is_not_where_the_lines_cross(lean: float) -> None:
    """Nearly at right angles the two are as near, up to rounding, but the one lies beside the other."""
    level = ougi.Segment3d([-1, 0.3, 0.2], [1, 0.3, 0.2])
    upright = ougi.Segment3d([0.1, 0.3, 0.3], [0.1 + lean, 0.3, 1.3])
    for a, b in ((level, upright), (upright, level)):
        near = ougi.closest_points(a, b)
        assert abs(near.point_a[0] - near.point_b[0]) < 1e-15
