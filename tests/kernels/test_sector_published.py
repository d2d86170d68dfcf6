"""The papers' own procedures: equal to the exact ones where they claim to be, each erratum repaired."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi._native import loops
from ougi._typing import Bools
from ougi.kernels import load
from ougi.kernels.planar import segment_crossing
from ougi.kernels.published import fan, fan2d
from ougi.kernels.records import Vec2, Vec3
from ougi.shapes import Point2d
from ougi_lab.scenes.sectors import draw_sector_pairs
from ougi_lab.verify.sector_oracle import bound_distance, signed_distance

_made: dict[str, Any] = {}


def query(module: Any, kernel: str, a: Any, b: Any) -> Bools:
    """A published procedure over two batches, each a against its b."""
    first, second = kernel.split("_")
    name = f"published_{module.__name__.rsplit('.', 1)[-1]}_{kernel}"
    made = _made.get(name) or loops(
        name,
        getattr(module, f"intersects_{kernel}"),
        getattr(load, f"load_{first}"),
        getattr(load, f"load_{second}"),
        load.store_value,
    )
    _made[name] = made
    each = np.arange(a.count)
    pairs = np.stack([each, each], axis=1)
    pairs.flags.writeable = False
    out = np.zeros(a.count, np.bool_)
    made.listed(a.columns(first), b.columns(second), pairs, 0, out, 0, a.count)
    return out


def planar(half_angle: float = math.pi / 4, inner: float = 1.0, outer: float = 5.0) -> Any:
    return ougi.Sector2d([[0, 0]], [1, 0], half_angle, inner, outer)


def thick(
    half_angle: float = math.pi / 4, inner: float = 1.0, outer: float = 5.0, height: float = 1.0
) -> Any:
    return ougi.Sector3d([[0, 0, 0]], [0, 0, 1], [1, 0, 0], half_angle, inner, outer, height)


def get_single(result: Bools) -> bool:
    return bool(result[0])


EXACT = [
    (fan, "sector2d_circle", ougi.Circle, math.pi),
    (fan, "sector2d_capsule2d", ougi.Capsule2d, math.pi),
    (fan, "sector2d_rectangle", ougi.Rectangle, math.pi),
    (fan, "sector3d_sphere", ougi.Sphere, math.pi),
    (fan2d, "sector2d_circle", ougi.Circle, math.pi / 2),
    (fan2d, "sector2d_rectangle", ougi.Rectangle, math.pi / 2),
]


@pytest.mark.parametrize(("module", "kernel", "cls", "widest"), EXACT)
def test_repaired_procedures_agree_with_the_exact_ones(
    module: Any, kernel: str, cls: Any, widest: float
) -> None:
    rng = np.random.default_rng(1)
    for _ in range(4):
        a, b = draw_sector_pairs(cls, 3 if "3d" in kernel else 2, 5_000, rng)
        keep = a.half_angle <= widest
        a, b = a[keep], b[keep]
        result, hit = query(module, kernel, a, b), ougi.intersects(a, b)
        # Crossings are built and tested: rounding of 1e-9 of the size is more than they need.
        scale = 1 + np.abs(a.center).max(axis=1) + a.outer_radius
        width = 1e-9 * scale
        proved = bound_distance(a, b, width, 1e-3 * scale)
        clear = (proved.lower > width) | (proved.upper < -width)
        assert clear.mean() > 0.8
        assert np.array_equal(result[clear], hit[clear])


def test_the_published_capsule_in_space_never_misses_and_sometimes_says_too_much() -> None:
    rng = np.random.default_rng(2)
    result, hit, close = [], [], []
    for _ in range(6):
        a, b = draw_sector_pairs(ougi.Capsule3d, 3, 10_000, rng)
        result.append(query(fan, "sector3d_capsule3d", a, b))
        hit.append(ougi.intersects(a, b))
        scale = 1 + np.abs(a.center).max(axis=1) + a.outer_radius
        close.append(np.abs(ougi.distance(a, ougi.Segment3d(b.start, b.end)) - b.radius) < 1e-9 * scale)
    reported, true, unclear = np.concatenate(result), np.concatenate(hit), np.concatenate(close)
    assert not (true & ~reported & ~unclear).any()
    too_many = (reported & ~true).sum()
    assert 0 < too_many < 0.02 * true.sum()


def test_e1_disc_wider_than_the_hole() -> None:
    assert not (1 - 2) ** 2 <= 0.5**2  # (2.8) as printed
    assert get_single(query(fan, "sector2d_circle", planar(), ougi.Circle([[0.5, 0]], 2)))
    assert get_single(query(fan, "sector3d_sphere", thick(), ougi.Sphere([[0.5, 0, 0]], 2)))


def test_e2_capsule_wider_than_the_hole() -> None:
    assert get_single(query(fan, "sector2d_capsule2d", planar(), ougi.Capsule2d([[0.5, 0]], [[0.4, 0]], 2)))


def test_e3_disc_past_a_side_but_in_the_ring() -> None:
    p = 3 * np.array([[math.cos(math.radians(40)), math.sin(math.radians(40))]])
    assert get_single(query(fan, "sector2d_circle", planar(math.radians(30)), ougi.Circle(p, 1)))


@pytest.mark.parametrize(
    ("f", "g", "h", "s"),
    [((1, 1), (0, 1), (2, 0), 2 / 3), ((0, 1), (1, 3), (0, 2), None), ((1, 1), (1, 0), (0, 1), 0.5)],
)
def test_e4_denominator_of_s(f: Any, g: Any, h: Any, s: float | None) -> None:
    found = segment_crossing(Vec2(0.0, 0.0), *(Vec2(float(x), float(y)) for x, y in (f, g, h)))
    assert found.hit == (s is not None)
    assert s is None or found.s == pytest.approx(s)


def test_e5_the_solution_of_the_corrected_derivative() -> None:
    """(2.28) makes w - r_c s / sqrt(1 - s^2) vanish, the printed (2.27) with the inner radius it does not."""
    w, radius, inner = 1.5, 2.0, 1.0
    s = w / math.hypot(w, radius)
    assert w - radius * s / math.sqrt(1 - s * s) == pytest.approx(0)
    assert abs(w - inner * s / math.sqrt(1 - s * s)) > 0.1


def test_e6_two_spans_beyond_a_right_angle() -> None:
    wide = planar(math.radians(150), 1, 2.1)
    assert not get_single(query(fan, "sector2d_capsule2d", wide, ougi.Capsule2d([[-2, 3]], [[-2, -3]], 0.1)))


def test_e7_an_end_far_above_the_slab() -> None:
    assert get_single(query(fan, "sector3d_capsule3d", thick(), ougi.Capsule3d([[4, 0, 6]], [[3, 0, 2]], 2)))
    assert fan.slab_radius(6.0, 1.0, 2.0) == 0.0


def test_e8_parallel_to_the_slab() -> None:
    above = ougi.Capsule3d([[2, 0, 1.5]], [[4, 0, 1.5]], 1)
    assert get_single(query(fan, "sector3d_capsule3d", thick(), above))
    assert not get_single(
        query(fan, "sector3d_capsule3d", thick(), ougi.Capsule3d([[2, 0, 2.5]], [[4, 0, 2.5]], 1))
    )


def test_e9_the_ends_stay_on_the_segment() -> None:
    around = fan.enclosing_capsule(Vec3(4.0, 0.0, 2.9), Vec3(3.7, 0.0, 2.6), 2.0, 1.0)
    # Both discs lie within: centers 4 and 3.7, radii sqrt(4 - 1.9^2) and sqrt(4 - 1.6^2).
    low = min(around.start.x, around.end.x) - around.radius
    high = max(around.start.x, around.end.x) + around.radius
    assert around.radius == pytest.approx(1.2)
    assert low <= 3.7 - 1.2 + 1e-12
    assert high >= 4 + math.sqrt(4 - 1.9**2) - 1e-12
    # No more than the two discs need; with the printed (2.30) it would reach to 4.93.
    assert low == pytest.approx(2.5)
    assert high == pytest.approx(4.9)


def test_e10_a_hit_too_many() -> None:
    capsule = ougi.Capsule3d([[7, -7, 6]], [[-3, -7, 1.5]], 4)
    assert get_single(query(fan, "sector3d_capsule3d", thick(), capsule))
    assert not ougi.intersects(thick(), capsule)[0]


def test_e11_containment_both_ways() -> None:
    for module in (fan, fan2d):
        assert get_single(
            query(module, "sector2d_rectangle", planar(), ougi.Rectangle([[3, 0]], [0.5, 0.5], 0))
        )
        assert get_single(
            query(module, "sector2d_rectangle", planar(), ougi.Rectangle([[0, 0]], [12, 12], 0))
        )


def test_e12_crossings_with_the_rest_of_the_circle() -> None:
    box = ougi.Aabb2d([[0.5, -2]], [[3.5, 2]])
    assert get_single(query(fan, "sector2d_rectangle", planar(0.2, 1, 3), box))


def test_e13_crossings_on_the_border() -> None:
    box = ougi.Aabb2d([[1, -2]], [[4, 2]])
    assert get_single(query(fan, "sector2d_rectangle", planar(1.3, 0.5, 1.2), box))


def test_e15_the_apex() -> None:
    assert fan.contains_sector2d_point(_record(planar(inner=0)), Vec2(0.0, 0.0))
    assert fan.contains_sector3d_point(load.load_sector3d(thick(inner=0).columns(), 0), Vec3(0.0, 0.0, 0.5))
    assert not fan.contains_sector3d_point(load.load_sector3d(thick().columns(), 0), Vec3(0.0, 0.0, 0.5))


def test_e16_segment_parallel_to_a_side() -> None:
    side = planar(math.pi / 2)  # along y
    assert get_single(
        query(fan, "sector2d_capsule2d", side, ougi.Capsule2d([[-0.5, 1]], [[-0.5, 3]], 0.5 + 1e-12))
    )
    assert not get_single(
        query(fan, "sector2d_capsule2d", side, ougi.Capsule2d([[-0.5, 1]], [[-0.5, 3]], 0.49))
    )


def test_e17_no_length_and_along_a_side() -> None:
    for start, end, hit in (([3, 0], [3, 0], True), ([0, 0], [0, 0], False), ([1, 1], [2, 2], True)):
        assert (
            get_single(query(fan, "sector2d_capsule2d", planar(), ougi.Capsule2d([start], [end], 0.1))) == hit
        )


def test_e18_full_turn() -> None:
    ring = planar(math.pi)
    assert get_single(query(fan, "sector2d_circle", ring, ougi.Circle([[-3, 0]], 0.1)))
    assert not get_single(query(fan, "sector2d_circle", ring, ougi.Circle([[0, 0]], 0.9)))


def test_e20_containment_of_circles() -> None:
    assert get_single(query(fan2d, "sector2d_circle", planar(), ougi.Circle([[3, 0]], 0.25)))
    assert get_single(query(fan2d, "sector2d_circle", planar(), ougi.Circle([[0, 0]], 9)))


def test_e21_the_opposite_ray() -> None:
    assert not fan2d.contains_sector2d_point(_record(planar(0.0)), Vec2(-3.0, 0.0))
    assert fan2d.contains_sector2d_point(_record(planar(0.0)), Vec2(3.0, 0.0))


def _record(sector: Any) -> Any:
    return load.load_sector2d(sector.columns(), 0)


def test_the_oracle_and_the_published_point_test_agree() -> None:
    rng = np.random.default_rng(9)
    fans, points = draw_sector_pairs(Point2d, 2, 2_000, rng)
    signed = signed_distance(fans, points.position)
    columns = fans.columns()
    for i in np.flatnonzero(np.abs(signed) > 1e-9 * (1 + np.abs(fans.center).max(axis=1)))[:500]:
        record = load.load_sector2d(columns[:, i : i + 1].copy(), 0)
        assert fan.contains_sector2d_point(record, Vec2(*points.position[i].tolist())) == (signed[i] < 0)
