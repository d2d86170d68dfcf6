"""Cases for `ougi verify radar`: two bodies and a motion that brings one near the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ougi._typing import Floats, Ints
from ougi.motion import Motion, Rotation3d, Screw3d, Translation3d
from ougi.shapes import Mesh
from ougi_lab.scenes.meshes import make_angle_iron, make_box, make_sphere, make_torus, move_mesh
from ougi_lab.scenes.pairs import rotation_3d

FAMILIES = ("box", "needle", "plate", "torus", "l-shape", "bumpy")

# Families of turning bodies that the oracle can check in about 10 ms.
SMALL_FAMILIES = ("box", "needle", "plate", "l-shape")


@dataclass(frozen=True)
class MovingMeshes:
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


def draw_mesh(kind: str, rng: np.random.Generator, large: bool = False) -> Mesh:
    """One of `FAMILIES`, about the origin and about 1 in size."""
    a, b, c = rng.uniform(0.3, 1.2, 3)
    if kind == "box":
        return make_box((a, b, c))
    if kind == "needle":
        return make_box((0.01, 0.01, 2 * a))
    if kind == "plate":
        return make_box((a, b, 0.002))
    if kind == "l-shape":
        return make_angle_iron((a, b, c), rng.uniform(0.1, 0.6))
    fine = int(rng.integers(16, 40)) if large else int(rng.integers(4, 7))
    if kind == "torus":
        return make_torus(2 * fine, fine, 0.5, rng.uniform(0.05, 0.3))
    return make_sphere(2 * fine, fine, 0.5, 0.2)


def draw_placed_meshes(families: Iterable[str], rng: np.random.Generator, spread: float = 1.5) -> list[Mesh]:
    """Draw a mesh of each family, turned at random and placed within a cube of half the edge `spread`."""
    return [
        move_mesh(
            draw_mesh(str(family), rng), rotation_3d(rng.normal(size=4)), rng.uniform(-spread, spread, 3)
        )
        for family in families
    ]


def draw_translating_meshes(kind: str, rng: np.random.Generator, large: bool = False) -> MovingMeshes:
    """Draw a sensor of one family that flies towards any other. Most come near, few overlap or miss."""
    other = FAMILIES[int(rng.integers(len(FAMILIES)))]
    if kind == "lattice":
        return _draw_lattice(rng)
    sensor = move_mesh(draw_mesh(kind, rng, large), rotation_3d(rng.normal(size=4)), np.zeros(3))
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    beside = rng.normal(size=3) * rng.choice([0.05, 0.4])
    shift = direction * rng.choice([0.3, 1.5, 3.0]) + beside
    target = move_mesh(draw_mesh(other, rng, large), rotation_3d(rng.normal(size=4)), shift)
    far = rng.choice([0.0, 0.0, 100.0]) * rng.normal(size=3)
    length = rng.uniform(0.5, 4.0)
    pixels = int(rng.choice([1, 3, 8, 16, 25, 50, 200], p=[0.1, 0.2, 0.2, 0.2, 0.2, 0.09, 0.01]))
    eye = np.eye(3)
    return MovingMeshes(
        move_mesh(sensor, eye, far), move_mesh(target, eye, far), Translation3d(length * direction), pixels
    )


def _draw_lattice(rng: np.random.Generator) -> MovingMeshes:
    """Whole numbers and motions along the axes or diagonals: faces, edges and corners meet exactly."""
    bodies = []
    for _ in range(2):
        size = rng.integers(1, 4, 3).astype(float)
        mesh = make_box(tuple(size)) if rng.random() < 0.7 else make_angle_iron((2.0, 2.0, 2.0), 0.5)
        bodies.append(
            move_mesh(mesh, np.eye(3)[rng.permutation(3)] if rng.random() < 0.2 else np.eye(3), np.zeros(3))
        )
    bodies = [Mesh(b.vertices, _wind_outward(b)) for b in bodies]
    direction = rng.integers(-1, 2, 3).astype(float)
    if not direction.any():
        direction[int(rng.integers(3))] = 1.0
    shift = rng.integers(0, 6) * direction + rng.integers(-3, 4, 3) / 2
    return MovingMeshes(
        bodies[0],
        move_mesh(bodies[1], np.eye(3), shift),
        Translation3d(6 * direction),
        int(rng.integers(1, 12)),
    )


def _wind_outward(mesh: Mesh) -> Ints:
    """Faces wound outward again after a reflection."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->", a, np.cross(b, c)) < 0
    return mesh.faces[:, ::-1] if inward else mesh.faces


def draw_turning_meshes(kind: str, rng: np.random.Generator) -> MovingMeshes:
    """A body that turns about a random axis, or screws along it, and another near its path."""
    which = FAMILIES if rng.random() < 0.1 else SMALL_FAMILIES
    names = (which[int(rng.integers(len(which)))] for _ in range(2))
    turns = rotation_3d(rng.normal(size=(2, 4)))
    sensor, target = (
        move_mesh(draw_mesh(name, rng), turn, np.zeros(3)) for name, turn in zip(names, turns, strict=True)
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
    return MovingMeshes(sensor, move_mesh(target, np.eye(3), place), motion, pixels)


# Groups of four spheres of 72 polygons in the four scenes of figure 7; 1,266 polygons are the same in all.
FIGURE_7_GROUPS = {13_074: 41, 26_898: 89, 46_194: 156, 100_626: 345}
_FIGURE_7_SEED = 7


def make_figure_7(polygons: int = 100_626) -> tuple[Mesh, list[Mesh]]:
    """A sensor and one of the four scenes of RADAR's figure 7: spheres in a cube of side 2000.

    The sensor starts at a face of the cube, and nothing is near it there.
    """
    rng = np.random.default_rng(_FIGURE_7_SEED)
    ball = make_sphere(6, 7, 40.0)
    places = rng.uniform(-1000, 1000, (4 * FIGURE_7_GROUPS[polygons], 3))
    clear = np.array([0.0, 0.0, -1000.0])
    places[np.linalg.norm(places - clear, axis=1) < 120] += [0, 0, 300]
    scene = [move_mesh(ball, np.eye(3), place) for place in places]
    rest = make_sphere(4, 3, 40.0)  # 16
    scene.append(move_mesh(rest, np.eye(3), np.array([900.0, 900.0, 900.0])))
    sensor = move_mesh(make_sphere(25, 26, 20.0), np.eye(3), clear)
    return sensor, scene
