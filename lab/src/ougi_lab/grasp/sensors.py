"""The 17 radars of each hand, and the scene that they see."""

from __future__ import annotations

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.radar import Meshes
from ougi.shapes import Mesh
from ougi_lab.grasp.hand import FOUR, PARTS, Hand, enclose_points, part_index

# Radars of one hand: the whole of it, its four fingers, and its 15 parts but the palm.
WHOLE, TOGETHER, RADARS = 0, 1, 17
TARGET = 0

# Faces of a patch. Patches that a radar cannot reach in a step are excluded.
_PATCH = 32


def radar_index(finger: int, joint: int) -> int:
    """Return the radar of a finger's part beyond a joint."""
    return 1 + part_index(finger, joint)


def body_index(hand: int, part: int) -> int:
    """Return the number of a part as a body; the target is 0."""
    return 1 + PARTS * hand + part


def find_owner(body: int) -> tuple[int, int]:
    """Return the hand and the part of a body; the target has hand -1."""
    return (-1, -1) if body == TARGET else divmod(body - 1, PARTS)


class Sensors:
    """The scene, and the meshes of all radars. Active radars are slices of the scene at a frame's vertices.

    The parts of a hand are consecutive in the scene. The radar of a hand, of its fingers or of a part is a
    range of them, so its mesh is a slice of the scene's arrays and needs no checks. The target follows the
    parts, split into patches with the numbers after the last part. Nothing overlaps at the start and radars
    are exact, so all meshes are surfaces.
    """

    def __init__(self, hand: Hand, target: Mesh, count: int) -> None:
        parts = [mesh for _ in range(count) for mesh in hand.meshes]
        patches = split_into_patches(target)
        self.last = PARTS * count  # the number of the last part
        self.scene = Meshes([*parts, *patches], bodies=1 + np.arange(len(parts) + len(patches)))
        self._patch_boxes = np.stack([enclose_mesh(patch) for patch in patches])
        self.rest = np.concatenate([patch.vertices for patch in patches])
        hands = PARTS * np.arange(count)
        first, last = np.empty((count, RADARS), np.int64), np.empty((count, RADARS), np.int64)
        first[:, WHOLE], last[:, WHOLE] = hands, hands + PARTS - 1
        first[:, TOGETHER], last[:, TOGETHER] = (
            hands + part_index(FOUR[0], 0),
            hands + part_index(FOUR[-1], 2),
        )
        first[:, TOGETHER + 1 :] = last[:, TOGETHER + 1 :] = hands[:, None] + np.arange(1, PARTS)
        self._first, self._last = first.ravel(), last.ravel() + 1
        self._chosen: tuple[int, ...] = ()
        self._form: Meshes | None = None
        self._vertices: Ints = np.zeros(0, np.int64)

    def update(self, corners: Floats) -> None:
        """Set the vertices (v, 3) of all hands."""
        self.scene = self.scene.deformed(np.concatenate([corners, self.rest]))

    def merge_patches(self, body: Ints) -> Ints:
        """Replace the numbers of the target's patches by that of the target."""
        return np.where(body > self.last, TARGET, body)

    def list_parts(self, radars: tuple[int, ...]) -> tuple[Ints, Ints]:
        """Return the parts of radars, counted over all hands, and the start of each radar's parts."""
        which = np.array(radars)
        return _concatenate_ranges(self._first[which], self._last[which])

    def find_ignored(
        self, rows: Ints, starts: Ints, swept: Floats, arc: Floats, own: Bools, boxes: Floats, fine: Bools
    ) -> Ints:
        """Return the bodies (n, m) that radars can ignore, and -1 for the others.

        Two boxes with a plane between them are separate. Planes along the sides of both are tried.

        Parameters
        ----------
        rows, starts
            Parts of the radars, as `list_parts` returns them.
        swept
            (16 hands, 16, 3), for each part the corners of its box before and after a move.
        arc
            (16 hands,), how far its path may leave their hull.
        own
            (n, 1 + 16 hands), bodies by number that a radar always excludes.
        boxes
            (16 hands, 8, 3), around all parts, where they are now.
        fine
            (n,), radars for which this pays. The others use axis-aligned boxes.
        """
        scene, points, slack = self.scene, swept[rows], arc[rows, None]
        low, high = points.min(axis=1) - slack, points.max(axis=1) + slack
        near = np.ones((len(rows), len(scene)), np.bool_)
        for k in range(3):  # axis by axis: three times as fast as `all` of three
            near &= (scene.lower[:, k] <= high[:, k, None]) & (scene.upper[:, k] >= low[:, k, None])
        radar = np.repeat(np.arange(len(starts)), np.diff([*starts, len(rows)]))
        near[:, : self.last] &= ~own[radar, 1:]
        i, j = np.nonzero(near & fine[radar, None])
        others = np.concatenate([boxes, self._patch_boxes])
        near[i, j] = _may_overlap(points[i], others[j], slack[i])
        return np.where(np.logical_or.reduceat(near, starts), -1, scene.bodies)

    def select_radars(self, radars: tuple[int, ...]) -> Meshes:
        """Return the meshes of radars in the current scene; radar r of hand h has the number 17 h + r."""
        if radars != self._chosen or self._form is None:
            self._chosen, self._form = radars, self._cut_meshes(np.array(radars))
        else:
            self._form = self._form.deformed(self.scene.vertices[self._vertices])
        return self._form

    def _cut_meshes(self, radars: Ints) -> Meshes:
        """Return ranges of the scene's meshes as separate meshes."""
        scene, first, last = self.scene, self._first[radars], self._last[radars]
        faces, face_parts = _concatenate_ranges(scene.face_starts[first], scene.face_starts[last])
        self._vertices, vertex_parts = _concatenate_ranges(
            scene.vertex_starts[first], scene.vertex_starts[last]
        )
        moved = np.repeat(vertex_parts[:-1] - scene.vertex_starts[first], np.diff(face_parts))
        new = Meshes.__new__(Meshes)
        new.vertices = scene.vertices[self._vertices]
        new.faces = scene.faces[faces] + moved[:, None]
        new.face_starts, new.vertex_starts = face_parts, vertex_parts
        new.bodies, new.solid = radars, np.zeros(len(radars), np.bool_)
        new._count()
        new._measure()
        return new


def _may_overlap(points: Floats, box: Floats, slack: Floats) -> Bools:
    """Test if hulls of points (k, 16, 3), two boxes each, may overlap boxes (k, 8, 3)."""
    sides = np.concatenate([points[:, [1, 2, 4]] - points[:, :1], box[:, [1, 2, 4]] - box[:, :1]], axis=1)
    sides /= np.maximum(np.sqrt((sides * sides).sum(axis=2))[..., None], 1e-300)
    a, b = points @ np.swapaxes(sides, 1, 2), box @ np.swapaxes(sides, 1, 2)
    apart = (a.min(axis=1) > b.max(axis=1) + slack) | (b.min(axis=1) > a.max(axis=1) + slack)
    meets: Bools = ~apart.any(axis=1)
    return meets


def enclose_mesh(mesh: Mesh) -> Floats:
    """Return the corners of a box around a mesh, across its mean normal. A flat mesh has a flat box."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    normal = np.cross(b - a, c - a).sum(axis=0)
    length = float(np.linalg.norm(normal))
    z = normal / length if length > 0 else np.array([0.0, 0.0, 1.0])
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return enclose_points(mesh.vertices, np.stack([x, np.cross(z, x), z]))


def _concatenate_ranges(start: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """Return the concatenated ranges, and where each of them begins."""
    sizes = stop - start
    begins: Ints = np.concatenate([[0], np.cumsum(sizes)])
    return np.arange(begins[-1]) + np.repeat(start - begins[:-1], sizes), begins


def split_into_patches(mesh: Mesh, max_faces: int = _PATCH) -> list[Mesh]:
    """Split a mesh into patches of neighbouring faces.

    >>> from ougi_lab.scenes.meshes import make_sphere
    >>> [len(patch.faces) for patch in split_into_patches(make_sphere(8, 6), 24)]
    [20, 20, 20, 20]
    """
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    groups, done = [np.arange(len(mesh.faces))], []
    while groups:
        group = groups.pop()
        if len(group) <= max_faces:
            done.append(group)
            continue
        axis = int(np.argmax(np.ptp(middles[group], axis=0)))
        order = group[np.argsort(middles[group, axis], kind="stable")]
        groups += [order[len(order) // 2 :], order[: len(order) // 2]]
    patches = []
    for group in done:
        used, faces = np.unique(mesh.faces[group], return_inverse=True)
        patches.append(Mesh(mesh.vertices[used], faces.reshape((-1, 3))))
    return patches
