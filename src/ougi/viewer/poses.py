"""Where all bodies of a scene are at a time, as arrays: a slider moves a thousand of them at once."""

from __future__ import annotations

import numpy as np

from ougi import concatenate
from ougi._typing import DynamicBatch, Floats, Ints
from ougi.motion import Chain, Motion, Pose
from ougi.scene import Scene


class ScenePoses:
    """The poses that lead a scene's bodies from t = 0 to where they are, in space.

    Motions of one class are stored as one batch, so a time costs few calls for any number of bodies.

    >>> import ougi
    >>> from ougi.scene import Body, Piece
    >>> cart = Body("cart", ougi.Circle([0, 0], 1), (Piece(1.0, 3.0, ougi.Translation2d([8, 0])),))
    >>> rotation, position = ScenePoses(ougi.Scene((cart,), duration=3.0)).at(2.0)
    >>> position.tolist()
    [[4.0, 0.0, 0.0]]
    """

    def __init__(self, scene: Scene) -> None:
        self.duration = scene.duration
        spans = [(i, span) for i, body in enumerate(scene.bodies) for span in body.spans(scene.duration)]
        self._count = len(scene.bodies)
        self._apart = self.duration + 1.0  # between the keys of two bodies
        self._key = np.array([i * self._apart + span.start for i, span in spans])
        self._start = np.array([span.start for _, span in spans])
        self._length = np.array([max(span.stop - span.start, 1e-300) for _, span in spans])
        self._base = _in_space([span.pose for _, span in spans])
        self._group = np.full(len(spans), -1)
        self._place = np.zeros(len(spans), np.int64)  # in the batch of its group
        self._motions: list[Motion] = []
        groups: dict[object, list[int]] = {}
        for row, (_, span) in enumerate(spans):
            if span.motion is not None:
                groups.setdefault(_motion_classes(span.motion), []).append(row)
        for number, rows in enumerate(groups.values()):
            self._group[rows], self._place[rows] = number, np.arange(len(rows))
            motions: DynamicBatch = [spans[row][1].motion for row in rows]
            self._motions.append(concatenate([motion.reshape((1,)) for motion in motions]))

    def at(self, t: float) -> tuple[Floats, Floats]:
        """Rotations (n, 3, 3) and positions (n, 3) at t seconds; after a jump at t."""
        t = min(max(t, 0.0), self.duration)
        row = self._key.searchsorted(np.arange(self._count) * self._apart + t, side="right") - 1
        rotation, position = self._base[0][row], self._base[1][row]
        share = np.clip((t - self._start[row]) / self._length[row], 0.0, 1.0)
        for number, motion in enumerate(self._motions):
            rows = np.flatnonzero(self._group[row] == number)
            if len(rows):
                pose = motion[self._place[row[rows]]].at(share[rows])
                turn, shift = _to_space(pose)
                position[rows] = (turn @ position[rows, :, None])[..., 0] + shift
                rotation[rows] = turn @ rotation[rows]
        return rotation, position


def _motion_classes(motion: Motion) -> object:
    """Motions with equal classes make one batch."""
    return tuple(map(type, motion.factors)) if isinstance(motion, Chain) else type(motion)


def _in_space(poses: list[Pose]) -> tuple[Floats, Floats]:
    in_space = [_to_space(pose) for pose in poses]
    return (
        np.array([turn for turn, _ in in_space]).reshape((-1, 3, 3)),
        np.array([shift for _, shift in in_space]).reshape((-1, 3)),
    )


def _to_space(pose: Pose) -> tuple[Floats, Floats]:
    """Rotation and position of a pose; one of the plane about and at z = 0."""
    if pose.dimension == 3:
        return pose.rotation, pose.position
    turn = np.zeros((*pose.shape, 3, 3))
    turn[..., :2, :2], turn[..., 2, 2] = pose.rotation, 1.0
    return turn, np.concatenate([pose.position, np.zeros((*pose.shape, 1))], axis=-1)


def compute_quaternions(rotation: Floats) -> Floats:
    """Unit quaternions (n, 4) of rotation matrices (n, 3, 3), in viser's order w, x, y, z.

    Four times the products of the quaternion's parts are sums of the matrix's entries; the row of the largest
    part is divided by it (Shepperd 1978).

    >>> compute_quaternions(np.array([[[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]])).round(6).tolist()
    [[0.707107, 0.0, 0.0, 0.707107]]
    """
    m = rotation
    x, y, z = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    squares = np.stack([1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z], axis=1)
    wx, wy, wz = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    xy, xz, yz = m[:, 0, 1] + m[:, 1, 0], m[:, 0, 2] + m[:, 2, 0], m[:, 1, 2] + m[:, 2, 1]
    ww, xx, yy, zz = squares.T
    rows = np.stack([ww, wx, wy, wz, wx, xx, xy, xz, wy, xy, yy, yz, wz, xz, yz, zz], axis=1).reshape(
        (-1, 4, 4)
    )
    best: Ints = squares.argmax(axis=1)
    chosen = rows[np.arange(len(m)), best]
    return np.asarray(chosen / np.linalg.norm(chosen, axis=1, keepdims=True))
