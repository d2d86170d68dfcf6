"""Both bodies move, and contacts up to a margin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.impact.relative import are_one
from ougi_lab.scenes.motions import draw_motion, draw_separate_pairs

PAIRS = [
    (ougi.Sphere, ougi.Box),
    (ougi.Capsule3d, ougi.Capsule3d),
    (ougi.Box, ougi.Box),
    (ougi.Triangle3d, ougi.Box),
    (ougi.Circle, ougi.Rectangle),
    (ougi.Rectangle, ougi.Triangle2d),
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_two_motions_have_one_first_contact(a: Any, b: Any) -> None:
    rng = np.random.default_rng(7)
    x, y = draw_separate_pairs(a, b, 400, rng, "ordinary")
    motion, other = draw_motion("rotation", x, y, rng), draw_motion("rotation", y, x, rng)
    impact = ougi.time_of_impact(x, motion, y, other)
    assert set(np.unique(impact.status)) <= {0, 1, 2}

    def gap(t: Any) -> Any:
        return ougi.distance(x.transformed(motion.at(t)), y.transformed(other.at(t)))

    hit = impact.status == 1
    assert hit.sum() > 40
    end = np.where(hit, impact.t, 1.0)
    at_hit = gap(end)[hit]
    assert (at_hit >= -1e-13).all()
    assert (at_hit < 1e-6).all()
    for share in np.linspace(0, 1, 200, endpoint=False):
        assert (gap(share * end)[impact.status != 2] > -1e-13).all()
    on_target = ougi.distance(y[hit].transformed(other[hit].at(impact.t[hit])), impact.point[hit])
    assert np.abs(on_target).max() < 1e-7
    swapped = ougi.time_of_impact(y, other, x, motion)
    assert np.array_equal(swapped.status, impact.status)
    assert np.allclose(swapped.normal[hit], -impact.normal[hit], atol=1e-4)


@pytest.mark.plain
def test_bodies_that_run_towards_each_other_meet_in_half_the_time() -> None:
    a, b = ougi.Sphere([0, 0, 0], 1), ougi.Box([6, 0, 0], [2, 2, 2])
    there, back = ougi.Translation3d([4, 0, 0]), ougi.Translation3d([-4, 0, 0])
    assert ougi.time_of_impact(a, there, b).t == pytest.approx(1, abs=1e-8)
    impact = ougi.time_of_impact(a, there, b, back)
    assert impact.t == pytest.approx(0.5, abs=1e-8)
    assert impact.point == pytest.approx([3, 0, 0], abs=1e-7)
    assert ougi.time_of_impact(a, there, b, there).status == 0


@pytest.mark.plain
def test_turns_about_one_axis_are_one_turn() -> None:
    a, b = ougi.Box([1, 0, 0], [1, 0.1, 0.1]), ougi.Sphere([0, 1, 0], 0.1)
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0)
    other = ougi.Rotation3d([0, 0, 5], [0, 0, -1], 1.0)
    alone = ougi.time_of_impact(a, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 2.0), b)
    impact = ougi.time_of_impact(a, turn, b, other)
    assert impact.t == pytest.approx(float(alone.t), abs=1e-12)
    assert impact.normal == pytest.approx(other.at(impact.t).rotation @ alone.normal, abs=1e-12)
    assert are_one(turn, other)
    assert not are_one(turn, ougi.Rotation3d([1, 0, 0], [0, 0, 1], 1.0))
    assert not are_one(turn, ougi.Translation3d([1, 0, 0]))


def test_an_answer_does_not_depend_on_the_rest_of_the_batch() -> None:
    """Motions about one line and about two: each entry has the result of a single call."""
    a, b = (
        ougi.Box([1, 0, 0], [1, 0.1, 0.1]),
        ougi.Sphere([[0.0, 1.0, 0.0], [0.0, 0.9, 0.1], [0.0, -1.0, 0.0]], 0.1),
    )
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1.0)
    others = ougi.Rotation3d([[0, 0, 5], [1, 0, 0], [0, 0, 0]], [0, 0, -1], 1.0)
    grid = ougi.time_of_impact(a, turn, b[:, None], others)
    assert set(np.ravel(grid.status)) == {0, 1}
    for i, j in np.ndindex(3, 3):
        assert grid[i, j] == ougi.time_of_impact(a, turn, b[i], others[j])


def test_the_general_kernel_agrees_with_the_one_for_a_single_turn() -> None:
    rng = np.random.default_rng(9)
    x, y = draw_separate_pairs(ougi.Capsule3d, ougi.Box, 300, rng, "ordinary")
    motion = draw_motion("screw", x, y, rng)
    still = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 0.0)
    one, two = ougi.time_of_impact(x, motion, y), ougi.time_of_impact(x, motion, y, still)
    assert not are_one(motion, still).any()
    assert np.array_equal(one.status, two.status)
    hit = one.status == 1
    gap = ougi.distance(x[hit].transformed(motion[hit].at(two.t[hit])), y[hit])
    assert (np.abs(gap) < 1e-6).all()  # pivots are up to 100 away


@pytest.mark.plain
@pytest.mark.parametrize("margin", [0.01, 0.5])
def test_a_margin_is_measured_from_corner_to_corner(margin: float) -> None:
    """Two cubes pass along their diagonals: no face or edge direction sees the distance of the corners."""
    a, b = ougi.Box([0, 0, 0], [2, 2, 2]), ougi.Box([6, 6, 6], [2, 2, 2])
    impact = ougi.time_of_impact(a, ougi.Translation3d([8, 8, 8]), b, margin=margin)
    assert impact.t * 8 == pytest.approx(4 - margin / math.sqrt(3), abs=1e-6)
    assert ougi.time_of_impact(a, ougi.Translation3d([8, 8, 8]), b).t == pytest.approx(0.5, abs=1e-9)


def test_batches_of_target_motions_broadcast() -> None:
    ball, wall = ougi.Sphere([0, 0, 0], 1), ougi.Box([[6, 0, 0], [9, 0, 0]], [2, 2, 2])
    paths = ougi.Rotation3d([6, 50, 0], [0, 0, 1], [0.0, 0.05, 0.1])
    grid = ougi.time_of_impact(ball, ougi.Translation3d([10, 0, 0]), wall[:, None], paths)
    assert grid.t.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        single = ougi.time_of_impact(ball, ougi.Translation3d([10, 0, 0]), wall[i], paths[j])
        assert single == grid[i, j]


def test_a_normal_separates_edges_that_are_nearly_parallel() -> None:
    """By 1.8e-8 radians: the nearest points of one edge are as near as those of the other."""
    a = ougi.Rectangle([0.3762375437317931, 0.9457846882226528], [2.096294694412029, 0], -0.812969227192958)
    b = ougi.Rectangle(
        [3.347650838579204, 2.8304169599321156], [2.3857262297416457, 2.0926786176539753], 2.3286234443203044
    )
    motion, margin = ougi.Translation2d([1.7044918602991403, 3.357939012777929]), 0.22365855158259637
    hit = ougi.time_of_impact(a, motion, b, margin=margin)
    assert hit.status == 1

    def reach(r: Any) -> Any:
        x = np.array([np.cos(r.angle), np.sin(r.angle)])
        return 0.5 * (r.size[0] * abs(hit.normal @ x) + r.size[1] * abs(hit.normal @ [-x[1], x[0]]))

    between = (b.center - a.center - hit.t * motion.offset) @ hit.normal - reach(a) - reach(b)
    assert between == pytest.approx(margin, abs=4e-9)


def test_a_search_that_ends_too_early_is_undecided() -> None:
    """A fast body far from its pivot: the last step that time can resolve leaves too large a gap."""
    a = ougi.Aabb3d([-2.5, 0, -3.5], [0.5, 2, -0.5])
    x, z = -2.828801799885921, -3.4375007268607205
    b = ougi.Segment3d([x, 1.4416196526266634, z], [x, -0.5583803473733367, z])
    far = [-86.06762091071786, 48.37855322607534, 129.72956677032067]
    axis = [-0.43162589732434825, 0.8970024312093026, 0.09531905981256662]
    motion = ougi.Rotation3d(far, axis, 12.566370614359172)
    other = ougi.Rotation3d([-1, 1, -2], [0, 0, 1], 2.852006553745683)
    found = ougi.time_of_impact(a, motion, b, other, tol=1e-12)
    gap = ougi.distance(a.transformed(motion.at(found.t)), b.transformed(other.at(found.t)))
    assert found.status == 3
    assert 0 < gap < 1e-9
