"""Random scenes in space: bodies of all classes that rest, or that move and turn in several pieces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ougi
from ougi.scene import Body, Piece

MOVE, TURN = ougi.Translation3d, ougi.Rotation3d

TETRAHEDRON = ougi.Mesh(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
)


def cylinder(center: Any, axis: Any, radius: float, height: float) -> ougi.Sector3d:
    side = np.cross(axis, [0.3, 0.5, 0.81])
    return ougi.Sector3d(center, axis, side, math.pi, 0, radius, height / 2)


def random_body(k: int, rng: np.random.Generator, size: float, meshes: bool) -> Body:
    where, q = rng.uniform(0, size, 3), rng.normal(size=4)
    shapes: list[Any] = [
        ougi.Sphere(where, rng.uniform(0.2, 0.6)),
        ougi.Box(where, rng.uniform(0.2, 1.2, 3), q / np.linalg.norm(q)),
        ougi.Capsule3d(where, where + rng.normal(size=3) * 0.5, rng.uniform(0.05, 0.3)),
        ougi.Triangle3d(where, where + rng.normal(size=3), where + rng.normal(size=3)),
        cylinder(where, q[:3], rng.uniform(0.1, 0.4), rng.uniform(0.2, 1.0)),
    ]
    if meshes:
        shapes.append(TETRAHEDRON.transformed(ougi.Pose(where, q / np.linalg.norm(q))))
    clock, pieces = 0.0, []
    for _ in range(rng.integers(0, 4)):
        start = clock + rng.choice([0.0, rng.uniform(0, 0.3)])
        clock = start + rng.uniform(0.2, 0.8)
        turn = TURN(where + rng.normal(size=3) * 0.4, rng.normal(size=3), rng.uniform(-2, 2))
        move = MOVE(rng.normal(size=3) * 0.6)
        screw = ougi.Screw3d(where, rng.normal(size=3), rng.uniform(-2, 2), rng.uniform(-1, 1))
        motions: list[Any] = [turn, move, screw, ougi.Chain(move, turn)]
        pieces.append(Piece(start, clock, motions[rng.integers(4)]))
    shape = shapes[int(rng.integers(len(shapes)))]
    return Body(f"body {k}", shape, tuple(pieces))


def random_scene(seed: int, n: int = 12, meshes: bool = True) -> ougi.Scene:
    rng = np.random.default_rng(seed)
    return ougi.Scene(tuple(random_body(k, rng, 3.0, meshes) for k in range(n)), duration=2.0)
