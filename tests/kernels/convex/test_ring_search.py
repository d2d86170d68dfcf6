"""Depths of round bodies that are almost coaxial, and of ellipsoids that are nearly round, by dense searches.

The best directions of such a pair are nearly a circle around the axis. A search with cells of plain points
once ended there without a proof: depths were off by up to 1e-9 of the size and took up to 0.2 s.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

import ougi
from ougi._typing import Floats
from ougi_lab.verify.solid import compute_gap, measure_scale, prepare, search_gap

CLASSES = (ougi.Cylinder, ougi.Cone, ougi.Ellipsoid)
PROVED = 6e-11  # 3e-11 of the kernel's size, which is at most twice that of `measure_scale`


def draw_small(n: int, rng: np.random.Generator) -> Floats:
    """Numbers from 1e-16 to 0.03, and zeros."""
    return np.where(rng.random(n) < 0.15, 0.0, 10 ** rng.uniform(-16, -1.5, n))


def find_axes(u: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors across each of some unit vectors."""
    x = normalize(np.cross(np.eye(3)[np.abs(u).argmin(axis=1)], u))
    return x, np.cross(u, x)


def normalize(v: Floats) -> Floats:
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))


def make_solids(cls: Any, center: Floats, axis: Floats, rng: np.random.Generator) -> Any:
    """Ellipsoids are nearly round about the axis; some are nearly balls."""
    n = len(center)
    radius, height = rng.choice([0.5, 1.0, 2.0, 0.01, 0.0], (2, n), p=[0.3, 0.3, 0.2, 0.1, 0.1])
    height = np.where((radius == 0) & (height == 0), 1.0, height)
    if cls is not ougi.Ellipsoid:
        return cls(center, axis, radius, height)
    x, y = find_axes(axis)
    radii = np.c_[radius, radius * (1 + draw_small(n, rng)), height]
    return ougi.Ellipsoid(center, radii, np.stack([x, y, axis], axis=-1))


def draw_nearly_coaxial(a: Any, b: Any, n: int, seed: int) -> tuple[Any, Any, Floats, Floats]:
    """Pairs whose axes differ by a small angle and offset, or are nearly opposite, and both axes."""
    rng = np.random.default_rng(seed)
    u = normalize(rng.normal(size=(n, 3)))
    x, y = find_axes(u)
    turn, side = rng.uniform(0, 2 * np.pi, (2, n, 1))
    v = normalize(u + draw_small(n, rng)[:, None] * (np.cos(turn) * x + np.sin(turn) * y))
    apart = rng.uniform(-1, 1, (n, 1)) * u + draw_small(n, rng)[:, None] * (
        np.cos(side) * x + np.sin(side) * y
    )
    opposite = rng.choice([-1.0, 1.0], (n, 1))
    center = rng.uniform(-1, 1, (n, 3))
    return make_solids(a, center, u, rng), make_solids(b, center + apart, opposite * v, rng), u, v


def minimize(measure: Callable[[Floats], Floats], start: Floats, step: float, rounds: int) -> Floats:
    """The least values (n,) from the best three of some places (m, n) on, by smaller and smaller steps."""
    value = measure(start)
    order = np.argpartition(value, 3, axis=0)[:3]
    place, best = np.take_along_axis(start, order, 0), np.take_along_axis(value, order, 0)
    tries = np.array([-1.0, -0.6, -0.3, -0.1, 0.1, 0.3, 0.6, 1.0])[:, None, None]
    for _ in range(rounds):
        new = place + step * tries
        value = measure(new.reshape(-1, new.shape[-1])).reshape(new.shape)
        chosen = value.argmin(axis=0)[None]
        value = np.take_along_axis(value, chosen, 0)[0]
        place = np.where(value < best, np.take_along_axis(new, chosen, 0)[0], place)
        best = np.minimum(value, best)
        step *= 0.4
    return np.asarray(best.min(axis=0))


def find_bends(shape: Any) -> Floats:
    """The angle from the axis at which the furthest point of a cylinder or cone jumps."""
    if isinstance(shape, ougi.Cone):
        return np.asarray(np.arctan2(2 * shape.half_height, shape.radius))
    return np.full(shape.count, np.pi / 2)


def search_depth(a: Any, b: Any, u: Floats, v: Floats) -> Floats:
    """The least reach of a - b over all directions: first over those of an azimuth around u."""
    x, y = find_axes(u)
    p, q = prepare(a), prepare(b)
    of_a, of_b = find_bends(a), find_bends(b)
    of_a = np.where((getattr(a, "axis", u) * u).sum(axis=1) > 0, of_a, np.pi - of_a)
    of_b = np.where((getattr(b, "axis", v) * v).sum(axis=1) < 0, of_b, np.pi - of_b)

    def search_azimuth(around: Floats) -> Floats:
        across = np.cos(around)[..., None] * x + np.sin(around)[..., None] * y

        def measure(angle: Floats) -> Floats:
            rows = angle.reshape(-1, *around.shape)[..., None]
            n = np.cos(rows) * u + np.sin(rows) * across
            return -compute_gap(p, q, n.reshape(-1, len(u), 3)).reshape(angle.shape)

        # The directions of one angle from v have these angles from u.
        far, near = (v * u).sum(axis=-1), (v * across).sum(axis=-1)
        middle, spread = np.arctan2(near, far), np.arccos(np.clip(np.cos(of_b) / np.hypot(near, far), -1, 1))
        angles = [np.full(around.shape, k) for k in np.linspace(0, np.pi, 41)]
        angles += [np.broadcast_to(of_a, around.shape), middle + spread, middle - spread]
        start = np.stack(angles).reshape(len(angles), -1)
        return minimize(measure, start, np.pi / 40, 18).reshape(around.shape)

    tilt, between = v - u, b.center - a.center
    special = [np.arctan2((w * y).sum(axis=1), (w * x).sum(axis=1)) for w in (tilt, between)]
    around = [w + k * np.pi / 2 for w in special for k in range(4)]
    around += [special[0] + k * np.pi / 8 for k in range(16)]
    poles = np.stack([u, -u, v, -v])
    best = minimize(search_azimuth, np.stack(around), np.pi / 8, 10)
    lowest: Floats = np.minimum(best, -compute_gap(p, q, poles).max(axis=0))
    return lowest


@pytest.mark.parametrize(("a", "b"), list(combinations_with_replacement(CLASSES, 2)))
def test_no_direction_of_nearly_coaxial_bodies_is_better(a: Any, b: Any) -> None:
    x, y, u, v = draw_nearly_coaxial(a, b, 120, 1)
    depth = -np.asarray(ougi.distance(x, y))
    over = depth > 1e-9
    assert over.sum() > 40
    x, y, depth = x[over], y[over], depth[over]
    scale = measure_scale(x, y)
    assert (depth - search_depth(x, y, u[over], v[over]) <= PROVED * scale).all()
    assert (np.abs(depth + np.asarray(ougi.distance(y, x))) <= PROVED * scale).all()
    normal = np.asarray(ougi.contacts(x, y).normal)
    assert np.allclose(-compute_gap(prepare(x), prepare(y), normal), depth, atol=1e-13)


def test_two_cones_have_one_depth_in_both_orders() -> None:
    """The axes differ by 5e-7. Without proof, the depths in both orders once differed by 1e-9 of the size."""
    a = ougi.Cone(
        [0.6123311998133127, 0.10464935500229178, 1.8114086951143005],
        [-0.8198470454069748, 0.010364044168515607, 0.5724887848036212],
        0.19615031593906956,
        0.9325644887712613,
    )
    b = ougi.Cone(
        [1.4918082927022494, 0.09353150138927552, 1.1972810050880782],
        [-0.8198473318880507, 0.010364224407730114, 0.572488371277942],
        1.1084005548000024,
        1.2129017852515014,
    )
    size = float(measure_scale(a[None], b[None])[0])
    assert abs(float(ougi.distance(a, b)) - float(ougi.distance(b, a))) < PROVED * size


@pytest.mark.parametrize("excess", [1e-9, 1e-7, 1e-5, 1e-3, 1e-2])
@pytest.mark.parametrize(
    "other",
    [
        ougi.Sphere([0, 0, 0], 0),
        ougi.Ellipsoid([1e-6, 0, 0], [1, 1.000001, 1.000003]),
        ougi.Ellipsoid([0, 1e-4, 0], [0.5, 1, 0.5]),
        ougi.Cylinder([0, 0, 0], [0.6, 0, 0.8], 1, 1),
        ougi.Box([0.5, 0.5, 0.5], [1, 1, 1]),  # a corner at the center
    ],
)
def test_no_direction_of_nearly_a_ball_is_better(other: Any, excess: float) -> None:
    ball = ougi.Ellipsoid([0, 0, 0], [1, 1 + excess, 1 - 0.5 * excess])
    depth = -float(ougi.distance(ball, other))
    assert depth == pytest.approx(-float(ougi.distance(other, ball)), abs=1.5e-10)
    found = -search_gap(ball[None], other[None], np.random.default_rng(1))[0]
    assert depth <= found + 1e-10


@pytest.mark.parametrize("shift", [0.0, 1e-14, 1e-10, 1e-7, 1e-4])
def test_a_corner_or_edge_near_the_axis_has_a_proved_depth(shift: float) -> None:
    cylinder = ougi.Cylinder([0, 0, 0], [0, 0, 1], 1, 2)
    edge = ougi.Box([1 + shift, 1 - 0.5 * shift, 0], [2, 2, 2])
    # The side of the cylinder, of all directions into the quarter of the edge.
    assert float(ougi.distance(cylinder, edge)) == pytest.approx(shift - 1, abs=1.5e-10)
    assert float(ougi.distance(edge, cylinder)) == pytest.approx(shift - 1, abs=1.5e-10)
