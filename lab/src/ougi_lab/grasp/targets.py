"""Targets of grasps about the origin, and poses of hands around them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes import Mesh
from ougi_lab.scenes.meshes import (
    make_angle_iron,
    make_box,
    make_cylinder,
    make_sphere,
    make_torus,
    move_mesh,
)

# Turns that lay the z axis along x, and along y.
_ALONG_X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
_ALONG_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def _build_angle_iron() -> Mesh:
    """Build an angle iron whose corner faces a hand that comes along z."""
    c = np.sqrt(0.5)
    turn = np.array([[0.0, 0.0, 1.0], [c, -c, 0.0], [c, c, 0.0]])
    return move_mesh(make_angle_iron((170.0, 170.0, 340.0), 0.35), turn, np.zeros(3))


# RADAR's own target first; hands come along z, with the fingers along y.
TARGETS: dict[str, Callable[[], Mesh]] = {
    "box": lambda: make_box((300.0, 500.0, 800.0)),
    "ball": lambda: make_sphere(20, 12, 105.0),
    "cylinder": lambda: move_mesh(make_cylinder(24, 56.0, 420.0), _ALONG_X, np.zeros(3)),
    "ring": lambda: move_mesh(make_torus(28, 12, 170.0, 40.0), _ALONG_Y, np.zeros(3)),
    "angle": _build_angle_iron,
    "stone": lambda: make_sphere(22, 14, 120.0, bumps=0.16),
    "rod": lambda: move_mesh(make_cylinder(16, 16.0, 500.0), _ALONG_X, np.zeros(3)),
}


def turn_box() -> Mesh:
    """RADAR's own target, turned about the view so that fingers along y can close around its side of 300."""
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return move_mesh(TARGETS["box"](), quarter, np.zeros(3))


def aim_hand(position: ArrayLike, at: ArrayLike, fingers: ArrayLike) -> Pose:
    """Return the pose of a hand whose palm faces a point, with fingers as near to a direction as possible.

    >>> aim_hand([0, 0, -9], [0, 0, 0], [0, 1, 0]).rotation.tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    origin = np.asarray(position, np.float64)
    z = np.asarray(at, np.float64) - origin
    z /= np.linalg.norm(z)
    x = np.cross(np.asarray(fingers, np.float64), z)
    if not np.linalg.norm(x) > 1e-9:
        raise ValueError(f"fingers must not be parallel to the line of sight, got {fingers!r}")
    x /= np.linalg.norm(x)
    return Pose(origin, np.stack([x, np.cross(z, x), z], axis=1))


def place_one_hand(distance: float = 1200.0, beside: float = 25.0) -> Pose:
    """Place a hand before the target that faces past it by an angle in degrees, so it has to turn."""
    a = np.radians(beside)
    pose = aim_hand([0.0, 0.0, -distance], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    turn = np.array([[np.cos(a), 0.0, np.sin(a)], [0.0, 1.0, 0.0], [-np.sin(a), 0.0, np.cos(a)]])
    return Pose(pose.position, pose.rotation @ turn)


def place_five_hands(distance: float = 1200.0) -> Pose:
    """Place hands on five sides of the target, one behind and four around, with fingers towards +z."""
    sides = np.array([[0, 0, -1], [1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]], np.float64)
    directions = [[0, 1, 0], *([0, 0, 1] for _ in range(4))]
    poses = [
        aim_hand(distance * side, [0, 0, 0], direction)
        for side, direction in zip(sides, directions, strict=True)
    ]
    return stack_poses(poses)


def place_around_box(distance: float = 1200.0) -> Pose:
    """Place hands on five sides of the turned box, with fingers along the shorter edge of what they face."""
    sides = np.array([[0, 0, -1], [1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]], np.float64)
    directions = [[0, 1, 0], [0, 1, 0], [1, 0, 0], [0, -1, 0], [-1, 0, 0]]
    poses = [
        aim_hand(distance * side, [0, 0, 0], direction)
        for side, direction in zip(sides, directions, strict=True)
    ]
    return stack_poses(poses)


def stack_poses(poses: list[Pose]) -> Pose:
    """Return poses as one batch."""
    return Pose(np.stack([pose.position for pose in poses]), np.stack([pose.rotation for pose in poses]))


def draw_pose(rng: np.random.Generator, target: Mesh, distance: tuple[float, float], astray: float) -> Pose:
    """Draw a pose of a hand around a target that misses its middle by up to `astray` radians."""
    direction = _draw_direction(rng)
    middle = (target.vertices.min(axis=0) + target.vertices.max(axis=0)) / 2
    position = middle + rng.uniform(*distance) * direction
    pose = aim_hand(position, middle, _draw_direction(rng))
    turned = astray * _draw_direction(rng) * rng.uniform()
    # The rotation vector is not perpendicular to the line of sight, so the hand rolls, too.
    return Pose(position, _rotation_matrix(turned) @ pose.rotation)


def _draw_direction(rng: np.random.Generator) -> Floats:
    vector = rng.normal(size=3)
    return np.asarray(vector / np.linalg.norm(vector))


def _rotation_matrix(vector: Floats) -> Floats:
    """Return the rotation about a vector by its length."""
    angle = float(np.linalg.norm(vector))
    cross = np.cross(np.eye(3), vector / max(angle, 1e-300))
    turn: Floats = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return turn
