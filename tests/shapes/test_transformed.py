"""Moving shapes is moving their points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sampling import outside, points_of
from scipy.spatial.transform import Rotation

import ougi
from ougi._typing import Floats

ROUNDING = 1e-12  # of coordinates below 30


def turn(dimension: int, seed: int) -> Floats:
    """A random rotation matrix, made by SciPy."""
    if dimension == 3:
        return np.asarray(Rotation.random(random_state=seed).as_matrix())
    return np.asarray(Rotation.from_euler("z", 1.0 + seed).as_matrix()[:2, :2])


def pose(dimension: int, seed: int) -> tuple[ougi.Pose, Floats, Floats]:
    """A pose with its matrix and position."""
    matrix, position = turn(dimension, seed), np.random.default_rng(seed).uniform(-5, 5, dimension)
    return ougi.Pose(position, matrix), matrix, position


def assert_moved(before: Any, after: Any, matrix: Floats, position: Floats) -> None:
    """The points of `after` are those of `before`, moved: none is missing and none is new."""
    there = np.array([matrix @ p + position for p in points_of(before, 200)])
    assert outside(after, there).max() < ROUNDING
    back = np.array([matrix.T @ (p - position) for p in points_of(after, 200)])
    assert outside(before, back).max() < ROUNDING


@pytest.mark.parametrize("seed", range(4))
def test_a_pose_moves_every_point(shapes: Any, seed: int) -> None:
    shape = shapes.build((), seed)
    to, matrix, position = pose(shape.dimension, seed)
    assert_moved(shape, shape.transformed(to), matrix, position)


def test_many_shapes_move_by_one_pose(shapes: Any) -> None:
    batch = shapes.build((2, 3))
    to, matrix, position = pose(batch.dimension, 1)
    moved = batch.transformed(to)
    assert moved.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            assert_moved(batch[i, j], moved[i, j], matrix, position)


def test_one_shape_moves_by_many_poses(shapes: Any) -> None:
    shape = shapes.build(())
    poses = [pose(shape.dimension, seed) for seed in range(4)]
    moved = shape.transformed(ougi.concatenate([p for p, _, _ in poses]))
    assert moved.shape == (4,)
    for i, (_, matrix, position) in enumerate(poses):
        assert_moved(shape, moved[i], matrix, position)


def test_shapes_and_poses_broadcast(shapes: Any) -> None:
    batch = shapes.build((3,))
    poses = [pose(batch.dimension, seed) for seed in range(2)]
    moved = batch.transformed(ougi.concatenate([p for p, _, _ in poses])[:, None])
    assert moved.shape == (2, 3)
    for i, (_, matrix, position) in enumerate(poses):
        for j in range(3):
            assert_moved(batch[j], moved[i, j], matrix, position)


def test_a_row_of_shapes_takes_a_row_of_poses_one_by_one(shapes: Any) -> None:
    batch = shapes.build((3,))
    poses = [pose(batch.dimension, seed) for seed in range(3)]
    moved = batch.transformed(ougi.concatenate([p for p, _, _ in poses]))
    assert moved.shape == (3,)
    for i, (_, matrix, position) in enumerate(poses):
        assert_moved(batch[i], moved[i], matrix, position)


def test_moved_shapes_are_whole_shapes(shapes: Any) -> None:
    batch = shapes.build((3,))
    moved = batch.transformed(pose(batch.dimension, 0)[0])
    for name, tail in moved._fields.items():
        assert getattr(moved, name).shape == (3, *tail), name
        assert not getattr(moved, name).flags.writeable, name
    assert moved.columns().shape[1] == 3
    assert batch == shapes.build((3,))


def test_a_pose_and_its_inverse_lead_back(shapes: Any) -> None:
    batch = shapes.build((5,))
    to, _, _ = pose(batch.dimension, 3)
    back = batch.transformed(to).transformed(to.inverse())
    for shape, again in zip(batch, back, strict=True):
        identity = np.eye(batch.dimension)
        assert_moved(shape, again, identity, np.zeros(batch.dimension))


PIVOT = np.array([1.0, 2.0, 3.0])
MOTIONS: dict[int, list[Any]] = {
    2: [
        (ougi.Translation2d([3, -4]), lambda p: np.add(p, [3, -4])),
        (ougi.Rotation2d(PIVOT[:2], 0.7), lambda p: PIVOT[:2] + turn_point_2d(p - PIVOT[:2], 0.7)),
        (ougi.Rotation2d(PIVOT[:2], -20), lambda p: PIVOT[:2] + turn_point_2d(p - PIVOT[:2], -20)),
    ],
    3: [
        (ougi.Translation3d([3, -4, 5]), lambda p: np.add(p, [3, -4, 5])),
        (ougi.Rotation3d(PIVOT, [1, 2, 2], 0.7), lambda p: PIVOT + turn_point(p - PIVOT, 0.7)),
        (ougi.Rotation3d(PIVOT, [1, 2, 2], -20), lambda p: PIVOT + turn_point(p - PIVOT, -20)),
        (
            ougi.Screw3d(PIVOT, [1, 2, 2], 0.7, advance=6),
            lambda p: np.add(PIVOT + turn_point(p - PIVOT, 0.7), [2, 4, 4]),
        ),
    ],
}


def turn_point_2d(p: Floats, angle: float) -> Floats:
    return np.asarray(Rotation.from_euler("z", angle).apply([*p, 0])[:2])


def turn_point(p: Floats, angle: float) -> Floats:
    """About the direction (1, 2, 2) / 3."""
    return np.asarray(Rotation.from_rotvec(np.array([1, 2, 2]) / 3 * angle).apply(p))


@pytest.mark.parametrize("which", range(4))
def test_a_motion_moves_every_point_by_its_whole_way(shapes: Any, which: int) -> None:
    cases = MOTIONS[shapes.cls.dimension]
    motion, move = cases[which % len(cases)]
    shape = shapes.build(())
    after = shape.transformed(motion)
    there = np.array([move(p) for p in points_of(shape, 200)])
    assert outside(after, there).max() < ROUNDING
    back = after.transformed(motion.inverse())
    assert outside(shape, points_of(back, 200)).max() < ROUNDING


def test_one_shape_moves_by_many_motions(shapes: Any) -> None:
    d = shapes.cls.dimension
    shape = shapes.build(())
    cls: Any = ougi.Translation2d if d == 2 else ougi.Translation3d
    offsets = np.random.default_rng(0).uniform(-5, 5, (3, d))
    moved = shape.transformed(cls(offsets))
    assert moved.shape == (3,)
    for i in range(3):
        assert_moved(shape, moved[i], np.eye(d), offsets[i])


def test_nothing_moves_to_nothing(shapes: Any) -> None:
    nothing = shapes.build((0,))
    to, _, _ = pose(nothing.dimension, 0)
    assert nothing.transformed(to).shape == (0,)
    assert nothing.transformed(to[None]).shape == (0,)
    assert shapes.build(()).transformed(to[None][:0]).shape == (0,)


@pytest.mark.parametrize("dimension", [2, 3])
def test_an_aabb_stays_one_only_under_a_translation(dimension: int) -> None:
    kinds: dict[int, tuple[Any, Any, Any, Any]] = {
        2: (ougi.Aabb2d, ougi.Rectangle, ougi.Translation2d, ougi.Rotation2d([0, 0], 0.0)),
        3: (ougi.Aabb3d, ougi.Box, ougi.Translation3d, ougi.Rotation3d([0, 0, 0], [0, 0, 1], 0.0)),
    }
    aabb, turned_box, translation, rotation = kinds[dimension]
    box = aabb(np.zeros(dimension), np.ones(dimension))
    assert box.transformed(translation(np.full(dimension, 2.0))) == aabb(
        np.full(dimension, 2.0), np.full(dimension, 3.0)
    )
    assert type(box.transformed(rotation)) is turned_box
    # A pose may turn, so even one that does not gives the general class: the class never depends on values.
    moved = box.transformed(ougi.Pose(np.full(dimension, 2.0)))
    assert type(moved) is turned_box
    assert moved.center.tolist() == [2.5] * dimension
    assert moved.size.tolist() == [1.0] * dimension


def test_a_motion_of_the_other_dimension_is_refused(shapes: Any) -> None:
    flat = shapes.cls.dimension == 2
    wrong: list[Any] = (
        [ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1), ougi.Translation3d([0, 0, 0]), ougi.Pose([0, 0, 0])]
        if flat
        else [ougi.Rotation2d([0, 0], 1), ougi.Translation2d([0, 0]), ougi.Pose([0, 0])]
    )
    mine, theirs = ("2-D", "3-D") if flat else ("3-D", "2-D")
    for to in wrong:
        with pytest.raises(ValueError, match=f"{mine} {shapes.name} by a {theirs} {type(to).__name__}"):
            shapes.build().transformed(to)


def test_what_is_neither_pose_nor_motion_is_refused(shapes: Any) -> None:
    for wrong in ([0.0, 0.0, 0.0], np.eye(4), None, ougi.Sphere([0, 0, 0], 1)):
        with pytest.raises(TypeError, match=f"Pose or a motion, got {type(wrong).__name__}"):
            shapes.build().transformed(wrong)


def test_batches_that_do_not_broadcast_are_refused_with_both_shapes(shapes: Any) -> None:
    d = shapes.cls.dimension
    with pytest.raises(ValueError, match=r"\(2,\)") as caught:
        shapes.build((2,)).transformed(ougi.Pose(np.zeros((3, d))))
    assert "(3,)" in str(caught.value)
