"""First contacts of sectors that are no cylinders, against points of the sector and plain trigonometry."""

from __future__ import annotations

import numpy as np
import pytest

import ougi

STEPS = 2000


def test_a_turning_sector_meets_discs_where_its_points_do() -> None:
    """Points on a fine grid of the sector, turned by NumPy alone; nothing here is ougi's but the answer."""
    rng = np.random.default_rng(5)
    n = 60
    half, inner = rng.uniform(0.1, 2.5, n), rng.uniform(0, 1, n)
    outer, turn = inner + rng.uniform(0.2, 1.5, n), rng.uniform(-7, 7, n)
    center, pivot = rng.uniform(-1, 1, (n, 2)), rng.uniform(-1, 1, (n, 2))
    disc, radius = rng.uniform(-4, 4, (n, 2)), rng.uniform(0.1, 0.4, n)
    facing = rng.uniform(-np.pi, np.pi, n)
    sector = ougi.Sector2d(center, np.stack([np.cos(facing), np.sin(facing)], axis=1), half, inner, outer)
    found = ougi.time_of_impact(sector, ougi.Rotation2d(pivot, turn), ougi.Circle(disc, radius))
    grid, t = np.linspace(0, 1, 60), np.linspace(0, 1, STEPS + 1)
    hits = 0
    for k in range(n):
        r, a = np.meshgrid(inner[k] + (outer[k] - inner[k]) * grid, facing[k] + half[k] * (2 * grid - 1))
        points = center[k] + np.stack([r * np.cos(a), r * np.sin(a)], axis=-1).reshape((-1, 2)) - pivot[k]
        # The disc turns the other way about the pivot, seen from the sector.
        c, s = np.cos(-turn[k] * t), np.sin(-turn[k] * t)
        away = disc[k] - pivot[k]
        seen = np.stack([c * away[0] - s * away[1], s * away[0] + c * away[1]], axis=-1)
        gap = np.sqrt(((seen[:, None] - points) ** 2).sum(axis=-1)).min(axis=1) - radius[k]
        mesh = (outer[k] - inner[k] + 2 * half[k] * outer[k]) / 59  # gaps are overestimated by no more
        step = abs(turn[k]) * np.linalg.norm(away) / STEPS
        if found.hit[k]:
            hits += 1
            before = t < found.t[k] - 1e-9
            assert gap[before].min(initial=1.0) > -1e-9, k
            assert gap[t >= found.t[k] - 1 / STEPS].min() <= mesh + step, k
        else:
            assert found.status[k] == ougi.Status.FREE
            assert gap.min() > 0, k
    assert 15 < hits < 50


def test_a_sector_without_a_distance_is_refused_by_name() -> None:
    fan = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], 1.0, 0, 1, 0.1)
    with pytest.raises(ougi.UnsupportedPairError, match=r"time_of_impact\(Sector3d, Box\)"):
        ougi.time_of_impact(fan, ougi.Translation3d([5, 0, 0]), ougi.Box([3, 0, 0], [1, 1, 1]))
