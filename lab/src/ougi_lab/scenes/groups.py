"""Groups of moving bodies: random ones of all classes, and the steady ones of `ougi bench world`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.motion import Chain, Motion, Pose, Rotation2d, Rotation3d, Screw3d, Translation2d, Translation3d
from ougi.scene import Body, Piece, Scene
from ougi.shapes import (
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    ConvexHull3d,
    Mesh,
    Rectangle,
    Sector3d,
    Shape,
    Sphere,
)
from ougi_lab.scenes.batches import Ranges, draw_batch
from ougi_lab.scenes.meshes import draw_small_mesh
from ougi_lab.scenes.pairs import CLASSES, rotation_3d

# Bodies of one group, and groups of a scene, at most.
_MAX_BODIES = 6
_MAX_GROUPS = 5

# Share of the scenes that have chains and meshes, whose queries take a hundred times longer; how many other
# groups are in these, at most; and sections of the meshes.
_ADVANCED = 0.05
_MAX_OTHERS = 3
_SECTIONS = 6

# Bodies that are about a unit large.
_STEADY = Ranges(radius=(0.3, 0.5), edge=(0.4, 0.8), length=(0.6, 0.6), tube_radius=(0.2, 0.3))
# Degrees that a turning body turns in a step, at most; the share of bodies that turn.
DEGREES = 30.0
TURNING = 0.1
# Area or volume for each body at which there is about one candidate for each.
_SPACE = {2: 1.4, 3: 2.5}


@dataclass(frozen=True)
class RandomGroup:
    """Bodies of one class whose motions, per second, are of one class, too."""

    shape: Any
    motion: Any  # None if they rest
    group: int = 1
    mask: int = -1

    @property
    def count(self) -> int:
        """Number of bodies; a mesh is one."""
        return int(self.shape.count)

    def body(self, k: int) -> tuple[Any, Any]:
        """Return one of them, and its motion."""
        if isinstance(self.shape, Mesh):
            return self.shape, self.motion
        return self.shape[k], None if self.motion is None else self.motion[k]

    def poses_at(self, time: float) -> Any:
        """Return their shapes at a time."""
        return self.shape if self.motion is None else self.shape.transformed(self.motion.at(time))

    def motion_during(self, start: float, seconds: float) -> Motion | None:
        """Return their motions in a step."""
        return None if self.motion is None else self.motion.part(start, start + seconds)


def draw_groups(dimension: int, rng: np.random.Generator) -> list[RandomGroup]:
    """Draw groups of bodies of all classes, in a space that makes the scene sparse or dense."""
    spread = 10 ** rng.uniform(0, 2.4 / dimension)
    far = rng.choice([0.0, 0.0, 0.0, 1e6])
    lattice = rng.random() < 0.2
    classes = [
        *(cls for cls in CLASSES if cls.dimension == dimension),
        *([Sector3d] if dimension == 3 else []),
    ]
    drawn = []
    for _ in range(int(rng.integers(1, _MAX_GROUPS + 1))):
        cls, n = classes[int(rng.integers(len(classes)))], int(rng.integers(1, _MAX_BODIES + 1))
        at = rng.uniform(-spread, spread, (n, dimension))
        size = 10 ** rng.uniform(-1.5, 0.3, (n, dimension))
        if lattice:
            at, size = np.round(at), np.maximum(np.round(size), 0.5)
        at = at + far
        shape = _draw_shape(cls, at, size, rng)
        groups = (1, -1) if rng.random() < 0.8 else (int(rng.integers(1, 4)), int(rng.integers(1, 4)))
        drawn.append(RandomGroup(shape, _draw_motion(at, spread, lattice, rng), *groups))
    if far or rng.random() >= _ADVANCED:
        return drawn
    drawn = [*drawn[:_MAX_OTHERS], _draw_linked_group(dimension, spread, rng)]
    if dimension == 3:
        drawn.extend(_draw_mesh_group(spread, rng) for _ in range(int(rng.integers(1, 3))))
    return drawn


def _draw_linked_group(dimension: int, spread: float, rng: np.random.Generator) -> RandomGroup:
    """Draw bodies whose motions are chains of two or three."""
    classes = [cls for cls in CLASSES if cls.dimension == dimension]
    n = int(rng.integers(1, _MAX_BODIES))
    at = rng.uniform(-spread, spread, (n, dimension))
    shape = _draw_shape(classes[int(rng.integers(len(classes)))], at, 10 ** rng.uniform(-1, 0, at.shape), rng)
    return RandomGroup(shape, _draw_chain(at, spread, rng), 1, -1)


def _draw_chain(at: Floats, spread: float, rng: np.random.Generator) -> Chain:
    n, dimension = at.shape
    factors: list[Motion] = []
    for _ in range(int(rng.integers(2, 4))):
        center = at + rng.normal(size=at.shape)
        angle, shift = rng.uniform(-2, 2, n), rng.uniform(-spread, spread, at.shape) / 2
        if rng.random() < 0.3:
            factors.append(Translation2d(shift) if dimension == 2 else Translation3d(shift))
        elif dimension == 2:
            factors.append(Rotation2d(center, angle))
        else:
            factors.append(Screw3d(center, rng.normal(size=(n, 3)), angle, shift[:, 0]))
    return Chain(*factors)


def _draw_mesh_group(spread: float, rng: np.random.Generator) -> RandomGroup:
    """Draw a mesh at rest, with a motion, or with a chain."""
    at = rng.uniform(-spread, spread, (1, 3))
    shape = draw_small_mesh(rng, _SECTIONS).transformed(Pose(at[0]))
    motion: Any = _draw_chain(at, spread, rng) if rng.random() < 0.3 else _draw_motion(at, spread, False, rng)
    return RandomGroup(shape, None if motion is None else motion.reshape(()), 1, -1)


def _draw_shape(cls: type[Shape], at: Floats, size: Floats, rng: np.random.Generator) -> Any:
    """Draw bodies of a class with given centers and sizes."""
    n = len(at)
    built: dict[str, Any] = {
        "position": at, "center": at, "size": size, "radius": size[:, 0] / 2, "start": at, "end": at + size,
        "a": at, "b": at + size, "c": at - size[:, ::-1] / 2, "lower": at, "upper": at + size,
        "angle": rng.uniform(-4, 4, n), "rotation": rotation_3d(rng.normal(size=(n, 4))),
        "axis": rng.normal(size=(n, 3)), "direction": rng.normal(size=(n, 3)), "half_angle": np.pi,
        "inner_radius": 0.0, "outer_radius": size[:, 0] / 2, "half_height": size[:, -1] / 2,
    }  # fmt: skip
    return cls(**{name: built[name] for name in cls._fields})


def _draw_motion(at: Floats, spread: float, lattice: bool, rng: np.random.Generator) -> Motion | None:
    """Draw rest, translations, rotations about near or far points, or screws."""
    n, dimension = at.shape
    shift = rng.uniform(-spread, spread, at.shape)
    if lattice:
        shift = np.round(shift)
    angle = rng.choice([0.5, 4.0, 20.0]) * rng.uniform(-1, 1, n)
    center = at + rng.choice([0.0, 1.0, spread]) * rng.normal(size=at.shape)
    axis = rng.normal(size=(n, 3))
    kind = rng.integers(0, 3 if dimension == 2 else 4)
    if kind == 0:
        return None
    if dimension == 2:
        return Translation2d(shift) if kind == 1 else Rotation2d(center, angle)
    if kind == 1:
        return Translation3d(shift)
    return Rotation3d(center, axis, angle) if kind == 2 else Screw3d(center, axis, angle, shift[:, 0])


def draw_steady_groups(dimension: int, n: int, dt: float, rng: np.random.Generator) -> list[RandomGroup]:
    """Draw n balls, boxes and capsules, a third each; those that turn are in groups of their own."""
    half_side = (_SPACE[dimension] * n) ** (1 / dimension) / 2
    ranges = _STEADY._replace(spread=(half_side, half_side))
    classes: tuple[Any, ...] = (Circle, Rectangle, Capsule2d) if dimension == 2 else (Sphere, Box, Capsule3d)
    shapes = (draw_batch(cls, (n + k) // 3, rng, ranges) for k, cls in enumerate(classes))
    return _set_in_motion(shapes, dt, rng)


# Different hulls of a scene, and how many points they have.
_HULLS, _POINTS = 30, (8, 33)


def draw_steady_hulls(n: int, dt: float, rng: np.random.Generator) -> list[RandomGroup]:
    """Draw n hulls of 8 to 32 points on balls, as `draw_steady_groups` draws other bodies."""
    half_side = (_SPACE[3] * n) ** (1 / 3) / 2
    clouds = [rng.normal(size=(int(rng.integers(*_POINTS)), 3)) for _ in range(_HULLS)]
    radius = rng.uniform(*_STEADY.radius, _HULLS)
    hulls = ConvexHull3d(
        [r * cloud / np.linalg.norm(cloud, axis=1)[:, None] for r, cloud in zip(radius, clouds, strict=True)]
    )
    poses = Pose(rng.uniform(-half_side, half_side, (n, 3)), rotation_3d(rng.normal(size=(n, 4))))
    return _set_in_motion([hulls[rng.integers(0, _HULLS, n)].transformed(poses)], dt, rng)


def _set_in_motion(shapes: Iterable[Any], dt: float, rng: np.random.Generator) -> list[RandomGroup]:
    drawn = []
    for shape in shapes:
        count, dimension = shape.count, shape.dimension
        at = shape.bounding_sphere().center
        turning = rng.random(count) < TURNING
        speed = 2.0 * rng.normal(size=at.shape)
        spin = rng.uniform(-1, 1, count) * math.radians(DEGREES) / dt
        if dimension == 2:
            motions: Any = Translation2d(speed), Rotation2d(at, spin)
        else:
            motions = Translation3d(speed), Screw3d(at, speed, spin, np.linalg.norm(speed, axis=-1))
        for which, motion in ((~turning, motions[0]), (turning, motions[1])):
            if which.any():
                drawn.append(RandomGroup(shape[which], motion[which]))
    return drawn


def draw_moving_scene(n: int, rng: np.random.Generator) -> Scene:
    """Draw a scene of n balls and boxes in a cube that move for two seconds: every other one turns."""
    edge = 10 * float(np.cbrt(n / 1000))
    bodies = []
    for k, center in enumerate(rng.uniform(0, edge, (n, 3))):
        shape = Sphere(center, 0.2) if k % 3 else Box(center, [0.2, 0.3, 0.4])
        shift, axis = rng.normal(size=(2, 3))
        motion = Rotation3d(center + shift, axis, 2.0) if k % 2 else Translation3d(shift)
        bodies.append(Body(f"body {k}", shape, (Piece(0.0, 2.0, motion),)))
    return Scene(tuple(bodies), duration=2.0)
