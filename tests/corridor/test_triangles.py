"""Triangles between walls: all of the plane around them, no overlaps, every wall an edge; and walks there."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ougi._typing import Bools, Floats, Ints
from ougi.corridor import Corridor
from ougi.corridor.triangles import Triangles, exact_side, triangles
from ougi.corridor.walk import edge_entry
from ougi.corridor.wall import orientations
from ougi_lab.scenes import corridors
from ougi_lab.scenes.corridors import draw_circles, make_adversarial_strip

SQUARE = Corridor([[0, 0], [4, 0], [4, 3], [0, 3]], holes=[[[1, 1], [2, 1], [2, 2], [1, 2]]])


def teeth(count: int, depth: float) -> Floats:
    """A long wall across from many teeth: forced through all the triangles between them."""
    x = np.arange(2 * count + 1) / (2 * count)
    comb = np.stack([x, np.where(np.arange(len(x)) % 2, depth, 0.0)], axis=1)
    return np.concatenate([comb, [[1, 2 * depth], [0, 2 * depth]]])


def spiral(turns: int) -> Floats:
    """Level and upright walls around each other."""
    out = [(0.0, 0.0)]
    for k in range(4 * turns):
        x, y = out[-1]
        reach = 4 * turns + 1 - k
        out.append((x + (reach, 0, -reach, 0)[k % 4], y + (0, reach, 0, -reach)[k % 4]))
    inner = [(x + dx, y + dy) for (x, y), (dx, dy) in zip(out[1:-1], _offsets(len(out) - 2), strict=True)]
    return np.array([(0.0, 0.0), *out[1:], *inner[::-1], (0.0, 0.5)])


def _offsets(count: int) -> list[tuple[float, float]]:
    turn = ((-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5), (0.5, 0.5))
    return [turn[k % 4] for k in range(count)]


def scenes() -> dict[str, Corridor]:
    rng = np.random.default_rng(3)
    return {
        "square with a hole": SQUARE,
        "triangle": Corridor([[0, 0], [1, 0], [0, 1]]),
        "teeth": Corridor(teeth(100, 1e-3)),
        "spiral": Corridor(spiral(4)),
        "strip": Corridor(corridors.make_strip(300, rng)),
        "maze": Corridor(corridors.make_maze(4, rng, openings=4)),
        "rough": Corridor(corridors.make_maze(3, rng, segments=2000, openings=3)),
        "adversarial": Corridor(make_adversarial_strip(rng)),
        "far away": Corridor(corridors.make_maze(3, rng, segments=300).reshape(-1, 2, 2) + 1e6),
        "tiny": Corridor(corridors.make_strip(100, rng) * 1e-30),
        "flat": Corridor(corridors.make_strip(100, rng) * [1e6, 1e-6]),
    }


SCENES = scenes()


def others(made: Triangles) -> tuple[Ints, Bools]:
    """The triangles across edges, and which edges are walls."""
    return np.where(made.beside >= 0, made.beside, -1 - made.beside).astype(np.int64), made.beside < 0


@pytest.mark.parametrize("scene", SCENES)
def test_triangles_tile_the_box_and_walls_are_edges(scene: str) -> None:
    wall = SCENES[scene]._wall
    made = triangles(wall)
    n = len(wall.rows)
    a, b, c = (made.points[made.corners[:, k]] for k in range(3))
    assert (orientations(a, b, c) > 0).all()
    # As many as Euler's formula wants, each turned left, and neighbours agree: so they tile the box once.
    assert len(made.corners) == 2 * n + 2
    beside, is_wall = others(made)
    own = np.arange(len(beside))[:, None]
    u, v = made.corners[:, [1, 2, 0]], made.corners[:, [2, 0, 1]]
    for k in range(3):
        s = beside[:, k]
        back = (u[s] == v[:, k, None]) & (v[s] == u[:, k, None])
        inner = s != own[:, 0]
        assert (back.sum(axis=1)[inner] == 1).all()
        assert (beside[s][back] == own[inner, 0]).all()
        assert (is_wall[s][back] == is_wall[inner, k]).all()
    assert (beside == own).sum() == 4
    assert sorted(u[is_wall & (wall.after[np.minimum(u, n - 1)] == v)].tolist()) == list(range(n))


def test_hints_hold_the_middles_of_their_cells() -> None:
    made = triangles(SCENES["rough"]._wall)
    height, width = made.hints.shape
    y, x = np.divmod(np.arange(made.hints.size), width)
    middle = np.stack([(x + 0.5) / made.scale_x + made.low_x, (y + 0.5) / made.scale_y + made.low_y], axis=1)
    corners = made.points[made.corners[made.hints.ravel()]]
    for k in range(3):
        assert (orientations(corners[:, k], corners[:, (k + 1) % 3], middle) >= 0).all()
    assert height * width >= len(SCENES["rough"].segments)


def test_the_exact_side_is_that_of_fractions() -> None:
    rng = np.random.default_rng(0)
    found = {-1: 0, 0: 0, 1: 0}
    for _ in range(300):
        a, way = rng.uniform(-1, 1, (2, 2))
        share = float(rng.choice([0.25, 0.5, 3.0, 1 / 3]))
        b, c = a + way, a + share * way
        c[0] = np.nextafter(c[0], c[0] + rng.integers(-1, 2))
        ax, ay, bx, by, cx, cy = (Fraction(float(x)) for x in (*a, *b, *c))
        exact = (ax - cx) * (by - cy) - (ay - cy) * (bx - cx)
        sign = (exact > 0) - (exact < 0)
        assert np.sign(exact_side(*a, *b, *c)) == sign
        found[sign] += 1
    assert exact_side(0.0, 0.0, 0.5, 0.25, 1.0, 0.5) == 0.0
    assert min(found[-1], found[1]) > 50


def test_edges_are_reached_when_they_are_as_near_as_the_radius() -> None:
    rng = np.random.default_rng(1)
    reached = 0
    for _ in range(400):
        a, b, p, d = rng.uniform(-1, 1, (4, 2))
        r = float(rng.uniform(0.01, 0.3))
        t = edge_entry(a[0], a[1], b[0], b[1], p[0], p[1], 2 * d[0], 2 * d[1], r)
        share = np.linspace(0, 1, 2001)
        way = p + share[:, None] * 2 * d
        along = np.clip(((way - a) @ (b - a)) / ((b - a) @ (b - a)), 0, 1)
        near = np.hypot(*(way - a - along[:, None] * (b - a)).T) <= r
        if not near.any():
            assert t > 1 or _apart(p + t * 2 * d, a, b) == pytest.approx(r)  # between two samples
            continue
        first = share[np.argmax(near)]
        assert first - 1 / 2000 <= t + 1e-12 <= first + 1e-9
        reached += 1
    assert reached > 50


def _apart(p: Floats, a: Floats, b: Floats) -> float:
    along = np.clip(((p - a) @ (b - a)) / ((b - a) @ (b - a)), 0, 1)
    return float(np.hypot(*(p - a - along * (b - a))))


# How wide the corridors are.
WIDTHS = {"square with a hole": 1.0, "teeth": 1e-3, "spiral": 0.5, "maze": 0.6, "adversarial": 0.6}


@pytest.mark.parametrize("scene", WIDTHS)
@pytest.mark.parametrize("share", [1e-6, 1e-3, 0.2])
def test_walks_give_the_contacts_of_brute_force(scene: str, share: float) -> None:
    room, radius = SCENES[scene], share * WIDTHS[scene]
    start, motion = draw_circles(room, 60, radius, 3 / share, np.random.default_rng(2))
    found, truth = (room.cast(start, motion, radius, structure=name) for name in ("walk", "brute"))
    assert np.array_equal(found.t, truth.t, equal_nan=True)
    assert np.array_equal(found.segment, truth.segment)
    assert np.array_equal(found.corner, truth.corner)
    assert truth.hit.sum() > 20
    assert found.tests.sum() < truth.tests.sum()


def test_walks_start_anywhere_without_a_check() -> None:
    """Who starts outside, or in a hole, gets an answer that means nothing, but gets one."""
    places = np.array([[-9.0, 1.0], [-1.0, -1.0], [1.5, 1.5], [0.0, 0.0], [4.0, 3.0], [2.0, 0.0]])
    cast = SQUARE.cast(places, [5.0, 3.0], 0.1, structure="walk", check=False)
    assert cast.t.shape == (6,)
