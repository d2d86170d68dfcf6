"""The papers' own tests of sectors, called by `method=`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.query.published import PAIRS
from ougi_lab.scenes.sectors import draw_sector_pairs
from ougi_lab.verify.sector_oracle import bound_distance

ROWS = [(method, a, b) for method, pairs in PAIRS.items() for a, b in pairs if "Point" not in b.__name__]


@pytest.mark.parametrize(
    ("method", "fan", "other"), ROWS, ids=lambda value: getattr(value, "__name__", value)
)
def test_published_tests_agree_with_certified_distances(method: Any, fan: Any, other: Any) -> None:
    rng = np.random.default_rng(3)
    a, b = draw_sector_pairs(other, fan.dimension, 1500, rng)
    if method == "published-fan2d":
        keep = a.half_angle <= math.pi / 2
        a, b = a[keep], b[keep]
    hit = ougi.intersects(a, b, method=method)
    scale = 1 + np.abs(a.center).max(axis=1) + a.outer_radius
    proved = bound_distance(a, b, 1e-9 * scale, 1e-3 * scale)
    touching, free = proved.upper < -1e-9 * scale, proved.lower > 1e-9 * scale
    assert touching.sum() > 100
    assert hit[touching].all()
    if other is ougi.Capsule3d:  # FAN's capsule in space encloses the true one
        assert hit[free].mean() < 0.1
    else:
        assert not hit[free].any()
    np.testing.assert_array_equal(ougi.intersects(b, a, method=method), hit)
    each = np.arange(a.count)
    np.testing.assert_array_equal(ougi.intersects(a, b, pairs=np.stack([each, each], 1), method=method), hit)


@pytest.mark.parametrize("method", ["published", "published-fan2d"])
def test_points_are_tested_by_radius_and_angle(method: Any) -> None:
    rng = np.random.default_rng(4)
    fan = ougi.Sector2d([1, 2], [0, 1], 0.7, 1, 3)
    points = rng.uniform(-3, 6, (2000, 2))
    away = points - fan.center
    radius, angle = np.hypot(*away.T), np.abs(np.arctan2(away[:, 0], away[:, 1]))
    expected = (radius >= 1) & (radius <= 3) & (angle <= 0.7)
    assert 20 < expected.sum() < 1900
    np.testing.assert_array_equal(ougi.intersects(fan, points, method=method), expected)
    if method == "published":
        thick = ougi.Sector3d([1, 2, 0], [0, 0, 1], [0, 1, 0], 0.7, 1, 3, 0.5)
        height = rng.uniform(-1, 1, 2000)
        found = ougi.intersects(np.column_stack([points, height]), thick, method=method)
        np.testing.assert_array_equal(found, expected & (np.abs(height) <= 0.5))


def test_what_is_not_published_is_refused() -> None:
    fan = ougi.Sector2d([0, 0], [1, 0], 2.0, 1, 3)
    with pytest.raises(ougi.UnsupportedPairError, match=r"Triangle2d, method='published'\) is not published"):
        ougi.intersects(fan, ougi.Triangle2d([0, 0], [1, 0], [0, 1]), method="published")
    with pytest.raises(ValueError, match=r"half_angle must be at most 1\.5708 for published-fan2d, got 2"):
        ougi.intersects(fan, ougi.Circle([0, 0], 1), method="published-fan2d")
    with pytest.raises(ValueError, match="method must be one of exact, published"):
        ougi.intersects(fan, ougi.Circle([0, 0], 1), method="printed")  # type: ignore[arg-type]
