"""The range of numbers: what is outside is refused, and within it no answer depends on the scale."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ougi
from ougi import _check
from ougi.impact import Status
from ougi.query.tables import TABLES
from ougi_lab.scenes.batches import WIDE, draw_batch, scale_lengths
from ougi_lab.scenes.motions import MOTIONS, draw_moving_pairs
from ougi_lab.scenes.pairs import CLASSES, draw_pairs

Z = [0, 0, 0]
UP = [0, 0, 1]
# Powers of two near the borders: scaling by them is exact, so answers must be the same. Draws reach from
# 1e-15 to 1e7, and sizes below 1e-4 lie beside larger ones.
SCALES = [2.0**-120, 2.0**110]


def draw(a: Any, b: Any, n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng([19, *f"{a.__name__} {b.__name__}".encode()])
    if "Sector" in a.__name__ + b.__name__:
        return draw_batch(a, n, rng, WIDE), draw_batch(b, n, rng, WIDE)
    return draw_pairs(a, b, n, rng)


# --- answers do not depend on the scale -----------------------------------------------------------------


@pytest.mark.parametrize("scale", SCALES)
def test_contacts_and_distances_are_the_same_on_every_scale(scale: float) -> None:
    for row in TABLES["intersects"]:
        a, b = draw(row.a, row.b, 60)
        found = ougi.intersects(scale_lengths(a, scale), scale_lengths(b, scale))
        assert np.array_equal(found, ougi.intersects(a, b)), row
    for row in TABLES["distance"]:
        a, b = draw(row.a, row.b, 60)
        gap = ougi.distance(scale_lengths(a, scale), scale_lengths(b, scale)) / scale
        np.testing.assert_allclose(gap, ougi.distance(a, b), rtol=1e-12, atol=1e-15, err_msg=str(row))


@pytest.mark.parametrize("scale", SCALES)
def test_depths_of_hulls_are_the_same_on_every_scale(scale: float) -> None:
    """Above 2**53 a depth less 1 is the depth itself. Axes were ignored, so depths were too large."""
    rng = np.random.default_rng(1)
    a, b = (rng.normal(size=(40, 12, 3)) / 2 for _ in range(2))
    found = ougi.distance(ougi.ConvexHull3d(scale * a), ougi.ConvexHull3d(scale * b)) / scale
    expected = ougi.distance(ougi.ConvexHull3d(a), ougi.ConvexHull3d(b))
    assert (expected < 0).sum() > 20
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("both", [False, True], ids=["one moves", "both move"])
def test_first_contacts_are_the_same_on_every_scale(scale: float, both: bool) -> None:
    for i, a in enumerate(CLASSES):
        for b in (other for other in CLASSES[i:] if other.dimension == a.dimension):
            for kind in MOTIONS[a.dimension]:
                rng = np.random.default_rng([19, *f"{a.__name__} {b.__name__}".encode()])
                case = draw_moving_pairs(a, b, kind, both, 6, rng)
                expected = ougi.time_of_impact(*case[:4])
                found = ougi.time_of_impact(*(scale_lengths(given, scale) for given in case[:4]))
                assert found.status.tolist() == expected.status.tolist(), (a, b, kind)
                np.testing.assert_allclose(found.t, expected.t, rtol=0, atol=1e-9, err_msg=f"{a} {b} {kind}")


@pytest.mark.parametrize("scale", SCALES)
def test_first_contacts_of_meshes_are_the_same_on_every_scale(scale: float) -> None:
    drum = ougi.Sector3d(Z, UP, [1, 0, 0], np.pi, 0, 1, 1).mesh(8)
    large = ougi.Mesh(drum.vertices * scale, drum.faces)
    assert ougi.distance(large, [0, 0, 3 * scale]) / scale == pytest.approx(2)
    for body in (ougi.Box([4, 0, -3], [1, 1, 1]), ougi.Sphere([4, 0, -3], 0.5)):
        screw = ougi.Screw3d([1.5, 0, 0], UP, 7.0, 4.0)
        expected = ougi.time_of_impact(body, screw, drum)
        found = ougi.time_of_impact(scale_lengths(body, scale), scale_lengths(screw, scale), large)
        assert found.status == expected.status == Status.HIT
        assert found.t == pytest.approx(float(expected.t))


@pytest.mark.parametrize("tiny", [1e-45, 1e-90, 1e-155, 1e-161, 1e-200, 1e-300, 5e-324])
def test_a_tiny_number_beside_ordinary_ones_changes_nothing(tiny: float) -> None:
    """An edge of 1e-200 is not 0, but its square is: distances in the plane were wrong by a tenth."""
    rod = ougi.Segment2d([0.7, -tiny], [0.7, tiny])
    corner = ougi.Triangle2d([0.7, -tiny], [0.7, tiny], [0.7, 0])
    plate = ougi.Rectangle([0.7, tiny], [tiny, tiny], 1.4)
    for body in (rod, corner, plate, ougi.Capsule2d([0.7, 0], [0.7, tiny], tiny)):
        for other in (ougi.Segment2d([0.95, 0.5], [0.95, 0.5]), ougi.Rectangle([0.95, 0.5], [0, 0], 0.3)):
            assert ougi.distance(body, other) == pytest.approx(np.hypot(0.25, 0.5)), (body, other)
        assert not ougi.intersects(body, [0.8, 0])
    drop = ougi.Capsule2d([-0.9, -tiny], [-0.9, tiny], 0.4)
    contact = ougi.time_of_impact([0, 0.3], ougi.Translation2d([-1, 0]), drop)
    assert contact.t == pytest.approx(0.9 - np.sqrt(0.4**2 - 0.3**2))
    needle = ougi.Triangle3d([1, 0, 0], [1, tiny, 0], [1, 0, tiny])
    assert ougi.distance(needle, [0, tiny, 0]) == pytest.approx(1)
    assert not ougi.time_of_impact(ougi.Sphere([3, 0, 0], tiny), ougi.Translation3d([tiny, 0, 0]), needle).hit
    assert ougi.time_of_impact(needle, ougi.Translation3d([2, tiny, 0]), ougi.Sphere([2, 0, 0], 0.5)).hit
    assert ougi.distance([tiny, 0, 0], ougi.Box([2, 0, 0], [2, 2, 2])) == pytest.approx(1)


# --- what is refused ------------------------------------------------------------------------------------

RESCALE = "; scale the whole scene by a power of two, which is exact"
TOO_LARGE: dict[str, tuple[Callable[[], Any], str]] = {
    "coordinate": (
        lambda: ougi.Sphere([[0.0, 0.0, 0.0], [0.0, 1e41, 0.0]], 1),
        f"center must not exceed 1e+40, got 1e+41 at index (1, 1){RESCALE}",
    ),
    "size": (lambda: ougi.Box(Z, [1, 1, 2e40]), "size must not exceed 1e+40, got 2e+40 at index 2"),
    "corner of bounds": (lambda: ougi.Aabb3d(Z, [1, 1, 2e41]), "upper must not exceed 1e+41, got 2e+41"),
    "point": (lambda: ougi.distance([1e42, 0, 0], Z), "a must not exceed 1e+41, got 1e+42 at index 0"),
    "offset": (lambda: ougi.Translation3d([0, -2e40, 0]), "offset must not exceed 1e+40, got -2e+40"),
    "scaled offset": (lambda: ougi.Translation2d([3, 0]).scaled(1e40), "offset must not exceed 1e+40"),
    "pose of a late time": (lambda: ougi.Translation2d([1e9, 0]).at(1e35), "position must not exceed 1e+41"),
    "margin": (
        lambda: ougi.time_of_impact(ougi.Sphere(Z, 1), ougi.Translation3d(UP), Z, margin=1e50),
        "margin must not exceed 1e+40, got 1e+50",
    ),
    "angle of a turn": (
        lambda: ougi.Rotation3d(Z, UP, [1, -7e17]),
        "angle must not exceed 6.28319e+06, got -7e+17 at index 1; cut the motion into several",
    ),
    "angle of a screw": (lambda: ougi.Screw3d(Z, UP, 1e59, 1), "angle must not exceed 6.28319e+06"),
    "angle of a rectangle": (lambda: ougi.Rectangle([0, 0], [1, 1], 1e9), "angle must not exceed"),
    "scaled angle": (lambda: ougi.Rotation2d([0, 0], 1).scaled(1e7), "angle must not exceed"),
    "scaled chain": (
        lambda: ougi.Chain(ougi.Rotation2d([0, 0], 1)).scaled(1e7),
        "angle must not exceed 6.28319e+06, got 10000000.0",
    ),
}


@pytest.mark.parametrize("what", TOO_LARGE)
def test_what_is_too_large_is_refused_with_the_limit(what: str) -> None:
    call, message = TOO_LARGE[what]
    with pytest.raises(ValueError, match="exceed") as caught:
        call()
    assert str(caught.value).startswith(message)


TOO_SMALL: dict[str, tuple[Callable[[], Any], str]] = {
    "ball": (
        lambda: ougi.Sphere([[1.0, 0.0, 0.0], [0.0, 1e-200, 0.0]], [0, 1e-150]),
        "center and radius must have a number of at least 1e-40 in size, or be 0, "
        f"got 1e-150 at index 1{RESCALE}",
    ),
    "segment": (lambda: ougi.Segment2d([0, 1e-61], [0, 0]), "start and end must have"),
    "capsule": (lambda: ougi.Capsule3d(Z, [1e-61, 0, 0], 0), "start, end and radius must have"),
    "triangle": (lambda: ougi.Triangle3d(Z, [1e-61, 0, 0], Z), "a, b and c must have"),
    "box": (lambda: ougi.Box(Z, [0, 1e-61, 0]), "center and size must have"),
    "mesh": (lambda: ougi.Mesh(1e-61 * np.eye(3), [[0, 1, 2]]), "vertices must have"),
    "sector": (
        lambda: ougi.Sector2d([0, 0], [1, 0], 1, 0, 1e-61),
        "center, inner_radius and outer_radius must have",
    ),
}


@pytest.mark.parametrize("what", TOO_SMALL)
def test_a_body_all_of_whose_numbers_are_tiny_is_refused(what: str) -> None:
    call, message = TOO_SMALL[what]
    with pytest.raises(ValueError, match="at least 1e-40") as caught:
        call()
    assert str(caught.value).startswith(message)


def test_the_borders_of_the_range_are_in_range() -> None:
    for length in (_check.MIN_LENGTH, _check.MAX_LENGTH, -_check.MAX_LENGTH):
        body = ougi.Box([0, 0, length], np.abs([length, length, length]))
        assert ougi.intersects(body, body)
        bounds = body.bounds()
        assert ougi.Aabb3d(bounds.lower, bounds.upper) == bounds
        assert ougi.intersects(bounds, body)
        turn = ougi.Rotation3d([length, length, length], UP, _check.MAX_ANGLE)
        assert ougi.time_of_impact(bounds, turn, body).status == Status.OVERLAPPING
        assert np.isfinite(body.transformed(turn.at(0.3)).bounds().upper).all()
    assert ougi.Sphere(Z, 0).radius == 0
    assert ougi.Sphere(np.empty((0, 3)), 1e-200).count == 0


def test_bounds_of_small_bodies_are_never_refused() -> None:
    """Half the edges of a box are smaller than what a body may have."""
    bounds = ougi.Box(Z, [1e-40, 0, 0]).bounds()
    assert bounds.upper.max() < _check.MIN_LENGTH
    assert ougi.Aabb3d(bounds.lower, bounds.upper) == bounds
    assert ougi.candidate_pairs(bounds[None], bounds[None]).tolist() == [[0, 0]]


def test_arcs_have_at_most_a_million_pieces() -> None:
    draw = [
        ougi.Sector2d([0, 0], [1, 0], 1, 0, 1).outline,
        ougi.Sector3d(Z, [0, 0, 1], [1, 0, 0], 1, 0, 1, 1).mesh,
        ougi.Cylinder(Z, [0, 0, 1], 1, 1).mesh,
        ougi.Cone(Z, [0, 0, 1], 1, 1).mesh,
    ]
    for function, n in itertools.product(draw, (2**31, 2**63)):
        with pytest.raises(ValueError, match="n must not exceed 1000000"):
            function(n)


def test_a_wall_for_very_different_radii_takes_little_memory() -> None:
    """Cells as narrow as the smallest radius were all listed beside the largest one: 2 GB and more."""
    hall = ougi.Corridor([[0, 0], [9, 0], [9, 5], [0, 5]])
    compiled = hall.compile(1e-300, 0.3)
    at, motion = np.array([[1.0, 1.0], [4.0, 4.0]]), np.array([[0.0, -3.0], [3.0, 3.0]])
    found = hall.cast(at, motion, [1e-300, 0.3], method=compiled)
    assert found.t.tolist() == hall.cast(at, motion, [1e-300, 0.3], method="chain").t.tolist()


def test_a_screw_of_many_turns_past_a_mesh_ends() -> None:
    """The radar and advancement take time for each turn; 7e17 radians were endless."""
    plate = ougi.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    turn = ougi.Screw3d([3, 0, 0], UP, _check.MAX_ANGLE, 5.0)
    ball = ougi.time_of_impact(ougi.Sphere([5.5, 0, -4], 0.2), turn, plate)
    box = ougi.time_of_impact(ougi.Box([5.5, 0, -4], [0.4, 0.4, 0.4]), turn, plate)
    assert {int(ball.status), int(box.status)} <= {Status.HIT, Status.UNDECIDED}
    assert ball.t < 0.8
    assert box.t < 0.8
