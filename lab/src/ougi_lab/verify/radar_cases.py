"""Cases for `ougi verify radar`: two bodies and a motion that brings one near the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ougi._typing import Floats, Ints
from ougi.motion import Motion, Rotation3d, Screw3d, Translation3d
from ougi.shapes import Mesh
from ougi_lab.bodies import angle_iron, box, moved, sphere, torus
from ougi_lab.verify.cases import turn_3d

KINDS = ("box", "needle", "plate", "torus", "l-shape", "bumpy")

# Of the turning ones, what the oracle can look at in some 10 ms.
SMALL = ("box", "needle", "plate", "l-shape")


@dataclass(frozen=True)
class Case:
    """A sensor, a target, how the sensor moves, and the pixels of the radar."""

    sensor: Mesh
    target: Mesh
    motion: Motion
    pixels: int

    @property
    def scale(self) -> float:
        """The largest coordinate and size."""
        points = np.concatenate([self.sensor.vertices, self.target.vertices])
        return float(np.abs(points).max() + np.ptp(points, axis=0).max())


def body(kind: str, rng: np.random.Generator, large: bool = False) -> Mesh:
    """One of `KINDS`, about the origin and about 1 in size."""
    a, b, c = rng.uniform(0.3, 1.2, 3)
    if kind == "box":
        return box((a, b, c))
    if kind == "needle":
        return box((0.01, 0.01, 2 * a))
    if kind == "plate":
        return box((a, b, 0.002))
    if kind == "l-shape":
        return angle_iron((a, b, c), rng.uniform(0.1, 0.6))
    fine = int(rng.integers(16, 40)) if large else int(rng.integers(4, 7))
    if kind == "torus":
        return torus(2 * fine, fine, 0.5, rng.uniform(0.05, 0.3))
    return sphere(2 * fine, fine, 0.5, 0.2)


def straight(kind: str, rng: np.random.Generator, large: bool = False) -> Case:
    """A sensor of one kind, flying towards any other: most come near, some overlap, some miss."""
    other = KINDS[int(rng.integers(len(KINDS)))]
    if kind == "lattice":
        return _lattice(rng)
    sensor = moved(body(kind, rng, large), turn_3d(rng.normal(size=4)), np.zeros(3))
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    beside = rng.normal(size=3) * rng.choice([0.05, 0.4])
    shift = direction * rng.choice([0.3, 1.5, 3.0]) + beside
    target = moved(body(other, rng, large), turn_3d(rng.normal(size=4)), shift)
    far = rng.choice([0.0, 0.0, 100.0]) * rng.normal(size=3)
    length = rng.uniform(0.5, 4.0)
    pixels = int(rng.choice([1, 3, 8, 16, 25, 50, 200], p=[0.1, 0.2, 0.2, 0.2, 0.2, 0.09, 0.01]))
    eye = np.eye(3)
    return Case(moved(sensor, eye, far), moved(target, eye, far), Translation3d(length * direction), pixels)


def _lattice(rng: np.random.Generator) -> Case:
    """Whole numbers and motions along the axes or diagonals: faces, edges and corners meet exactly."""
    bodies = []
    for _ in range(2):
        size = rng.integers(1, 4, 3).astype(float)
        mesh = box(tuple(size)) if rng.random() < 0.7 else angle_iron((2.0, 2.0, 2.0), 0.5)
        bodies.append(
            moved(mesh, np.eye(3)[rng.permutation(3)] if rng.random() < 0.2 else np.eye(3), np.zeros(3))
        )
    bodies = [Mesh(b.vertices, _outward(b)) for b in bodies]
    direction = rng.integers(-1, 2, 3).astype(float)
    if not direction.any():
        direction[int(rng.integers(3))] = 1.0
    shift = rng.integers(0, 6) * direction + rng.integers(-3, 4, 3) / 2
    return Case(
        bodies[0], moved(bodies[1], np.eye(3), shift), Translation3d(6 * direction), int(rng.integers(1, 12))
    )


def _outward(mesh: Mesh) -> Ints:
    """Faces wound outward again after a reflection."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->", a, np.cross(b, c)) < 0
    return mesh.faces[:, ::-1] if inward else mesh.faces


def turning(kind: str, rng: np.random.Generator) -> Case:
    """A body that turns about a random axis, or screws along it, and another somewhere near its way."""
    which = KINDS if rng.random() < 0.1 else SMALL
    names = (which[int(rng.integers(len(which)))] for _ in range(2))
    turns = turn_3d(rng.normal(size=(2, 4)))
    sensor, target = (
        moved(body(name, rng), turn, np.zeros(3)) for name, turn in zip(names, turns, strict=True)
    )
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    center = rng.normal(size=3) * rng.choice([0.2, 1.0, 3.0])
    angle = rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 6.2)
    along = rng.normal() if kind == "screw" else 0.0
    if kind == "screw" and rng.random() < 0.1:
        angle *= 3  # more than a turn
    motion: Rotation3d | Screw3d = Rotation3d(center, axis, angle)
    if kind == "screw":
        motion = Screw3d(center, axis, angle, along)
    place: Floats = motion.at(rng.uniform(0.1, 1.1)).apply(np.zeros(3)) + rng.normal(size=3) * rng.choice(
        [0.1, 0.6]
    )
    pixels = int(rng.choice([1, 3, 8, 24]))
    return Case(sensor, moved(target, np.eye(3), place), motion, pixels)
