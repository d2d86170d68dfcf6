"""First contacts of a turning rectangle and a circle against the closed form: lines and arcs, no steps.

Seen from the rectangle the circle's center runs on a circle about the pivot. The rectangle grown by the
radius is bounded by four lines and four arcs; its crossings with the path are angles in closed form.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import ougi


def first_angle(
    half: tuple[float, float], pivot: complex, center: complex, radius: float, angle: float
) -> float | None:
    """How far the rectangle |x| <= half[0], |y| <= half[1] turns until it touches; None if it never does."""
    w = center - pivot
    rho, start, sense = abs(w), math.atan2(w.imag, w.real), math.copysign(1.0, -angle)

    def inside(z: complex) -> float:
        """The signed distance from the rectangle."""
        x, y = abs(z.real) - half[0], abs(z.imag) - half[1]
        return math.hypot(max(x, 0.0), max(y, 0.0)) + min(max(x, y), 0.0)

    if inside(center) <= radius:
        return 0.0
    found: list[float] = []
    for line, pick, across in ((half[0], pivot.real, 0.0), (half[1], pivot.imag, math.pi / 2)):
        for side in (-line - radius, line + radius):
            if rho > 0 and abs(side - pick) <= rho:
                bend = math.acos((side - pick) / rho)
                found += [across + bend, across - bend]
    for x in (-half[0], half[0]):
        for y in (-half[1], half[1]):
            arm = complex(x, y) - pivot
            far = abs(arm)
            if rho > 0 and far > 0:
                cosine = (rho * rho + far * far - radius * radius) / (2 * rho * far)
                if abs(cosine) <= 1:
                    bend, middle = math.acos(cosine), math.atan2(arm.imag, arm.real)
                    found += [middle + bend, middle - bend]
    turns = [math.fmod(math.fmod(sense * (at - start), math.tau) + math.tau, math.tau) for at in found]
    on_border = [
        turn
        for turn in sorted(turns)
        if turn <= abs(angle)
        and abs(inside(pivot + rho * np.exp(1j * (start + sense * turn))) - radius) <= 1e-9
    ]
    return on_border[0] if on_border else None


@pytest.mark.parametrize("seed", range(4))
def test_turning_rectangles_meet_circles_where_lines_and_arcs_say(seed: int) -> None:
    """Any pivot, inside too; several turns, both senses; the same as boxes and balls in space."""
    rng = np.random.default_rng(seed)
    n = 1_500
    size = rng.uniform(0.05, 2.0, (n, 2))
    pivot = rng.uniform(-1.5, 1.5, (n, 2))
    center, radius = rng.uniform(-2.5, 2.5, (n, 2)), rng.uniform(0.02, 0.8, n)
    angle = rng.uniform(-12.0, 12.0, n)
    result = ougi.time_of_impact(
        ougi.Rectangle([0, 0], size), ougi.Rotation2d(pivot, angle), ougi.Circle(center, radius), tol=1e-14
    )
    flat = np.zeros((n, 1))
    space = ougi.time_of_impact(
        ougi.Box([0, 0, 0], np.concatenate([size, flat + 1.0], axis=1)),
        ougi.Rotation3d(np.concatenate([pivot, flat], axis=1), [0, 0, 1], angle),
        ougi.Sphere(np.concatenate([center, flat + 0.3], axis=1), radius),
        tol=1e-14,
    )
    np.testing.assert_array_equal(result.status, space.status)
    hits = 0
    for i in range(n):
        half = (size[i, 0] / 2, size[i, 1] / 2)
        turn = first_angle(half, complex(*pivot[i]), complex(*center[i]), radius[i], angle[i])
        assert bool(result.hit[i]) == (turn is not None), i
        if turn is not None:
            hits += 1
            # At a graze the acos is as ill-conditioned as the time itself.
            assert result.t[i] * abs(angle[i]) == pytest.approx(turn, abs=2e-6), i
            assert space.t[i] * abs(angle[i]) == pytest.approx(turn, abs=2e-6), i
    assert n / 4 < hits < n
