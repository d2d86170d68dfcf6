"""The 17 radars of each hand, and the scene that they look at."""

from __future__ import annotations

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.radar import Meshes
from ougi.shapes import Mesh
from ougi_lab.grasp.hand import FOUR, PARTS, Hand, box_along, part_of

# Radars of one hand: the whole of it, its four fingers, and its 15 parts but the palm.
WHOLE, TOGETHER, RADARS = 0, 1, 17
TARGET = 0

# Faces of a patch: what a radar cannot reach in a step is left out by patches.
_PATCH = 32


def radar_of(finger: int, joint: int) -> int:
    """The radar of a finger's part behind a joint."""
    return 1 + part_of(finger, joint)


def body_of(hand: int, part: int) -> int:
    """The number of a part as a body, where the target is 0."""
    return 1 + PARTS * hand + part


def owner_of(body: int) -> tuple[int, int]:
    """The hand and the part that a body is; the target has hand -1."""
    return (-1, -1) if body == TARGET else divmod(body - 1, PARTS)


class Sensors:
    """The scene, and the meshes of all radars; those at work are taken out of it, at a frame's vertices.

    The parts of a hand lie one behind the other in the scene. The radar of a hand, of its fingers or of a
    part is a range of them, so its mesh is cut out of the scene's arrays, and nothing is checked again.
    The target lies behind the parts, cut to patches, whose numbers are those behind the last part. As nothing
    overlaps at the start and radars are exact, all are taken as surfaces.
    """

    def __init__(self, hand: Hand, target: Mesh, count: int) -> None:
        parts = [mesh for _ in range(count) for mesh in hand.meshes]
        patches = patched(target)
        self.last = PARTS * count  # the number of the last part
        self.scene = Meshes([*parts, *patches], bodies=1 + np.arange(len(parts) + len(patches)), surface=True)
        self._patch_boxes = np.stack([box_around(patch) for patch in patches])
        self.rest = np.concatenate([patch.vertices for patch in patches])
        hands = PARTS * np.arange(count)
        first, last = np.empty((count, RADARS), np.int64), np.empty((count, RADARS), np.int64)
        first[:, WHOLE], last[:, WHOLE] = hands, hands + PARTS - 1
        first[:, TOGETHER], last[:, TOGETHER] = hands + part_of(FOUR[0], 0), hands + part_of(FOUR[-1], 2)
        first[:, TOGETHER + 1 :] = last[:, TOGETHER + 1 :] = hands[:, None] + np.arange(1, PARTS)
        self._first, self._last = first.ravel(), last.ravel() + 1
        self._chosen: tuple[int, ...] = ()
        self._form: Meshes | None = None
        self._vertices: Ints = np.zeros(0, np.int64)

    def at(self, corners: Floats) -> None:
        """Put the parts of all hands where they are now: (v, 3)."""
        self.scene = self.scene.deformed(np.concatenate([corners, self.rest]))

    def told(self, body: Ints) -> Ints:
        """Numbers of bodies, the target's patches as the target."""
        return np.where(body > self.last, TARGET, body)

    def covers(self, radars: tuple[int, ...]) -> tuple[Ints, Ints]:
        """The parts of radars one behind the other, counted over all hands, and where each radar's begin."""
        which = np.array(radars)
        return _ranges(self._first[which], self._last[which])

    def ignored(
        self, rows: Ints, starts: Ints, swept: Floats, arc: Floats, own: Bools, boxes: Floats, fine: Bools
    ) -> Ints:
        """Bodies (n, m) that radars need not look at, -1 for those they must.

        Two boxes with a plane between them lie apart; planes along the sides of both are tried.

        Parameters
        ----------
        rows, starts
            Parts of the radars, as `covers` tells.
        swept
            (16 hands, 16, 3), for each part the corners of its box before and behind a move.
        arc
            (16 hands,), how far its way may lie outside of their hull.
        own
            (n, 1 + 16 hands), bodies by number that a radar leaves out in any case.
        boxes
            (16 hands, 8, 3), around all parts, where they are now.
        fine
            (n,), radars for which this pays; others go by boxes along the world's axes.
        """
        scene, points, room = self.scene, swept[rows], arc[rows, None]
        low, high = points.min(axis=1) - room, points.max(axis=1) + room
        near = np.ones((len(rows), len(scene)), np.bool_)
        for k in range(3):  # axis by axis: three times as fast as `all` of three
            near &= (scene.lower[:, k] <= high[:, k, None]) & (scene.upper[:, k] >= low[:, k, None])
        radar = np.repeat(np.arange(len(starts)), np.diff([*starts, len(rows)]))
        near[:, : self.last] &= ~own[radar, 1:]
        i, j = np.nonzero(near & fine[radar, None])
        others = np.concatenate([boxes, self._patch_boxes])
        near[i, j] = _meet(points[i], others[j], room[i])
        return np.where(np.logical_or.reduceat(near, starts), -1, scene.bodies)

    def chosen(self, radars: tuple[int, ...]) -> Meshes:
        """The meshes of some radars, as the scene stands; radar r of hand h has the number 17 h + r."""
        if radars != self._chosen or self._form is None:
            self._chosen, self._form = radars, self._cut(np.array(radars))
        else:
            self._form = self._form.deformed(self.scene.vertices[self._vertices])
        return self._form

    def _cut(self, radars: Ints) -> Meshes:
        """Ranges of the scene's meshes as meshes of their own."""
        scene, first, last = self.scene, self._first[radars], self._last[radars]
        faces, face_parts = _ranges(scene.parts[first], scene.parts[last])
        self._vertices, vertex_parts = _ranges(scene.vertex_parts[first], scene.vertex_parts[last])
        moved = np.repeat(vertex_parts[:-1] - scene.vertex_parts[first], np.diff(face_parts))
        new = Meshes.__new__(Meshes)
        new.vertices = scene.vertices[self._vertices]
        new.faces = scene.faces[faces] + moved[:, None]
        new.parts, new.vertex_parts = face_parts, vertex_parts
        new.bodies, new.solid = radars, np.zeros(len(radars), np.bool_)
        new._count()
        new._measure()
        return new


def _meet(points: Floats, box: Floats, room: Floats) -> Bools:
    """May hulls of points (k, 16, 3), two boxes each, meet boxes (k, 8, 3)? Planes along sides tell."""
    sides = np.concatenate([points[:, [1, 2, 4]] - points[:, :1], box[:, [1, 2, 4]] - box[:, :1]], axis=1)
    sides /= np.maximum(np.sqrt((sides * sides).sum(axis=2))[..., None], 1e-300)
    a, b = points @ np.swapaxes(sides, 1, 2), box @ np.swapaxes(sides, 1, 2)
    apart = (a.min(axis=1) > b.max(axis=1) + room) | (b.min(axis=1) > a.max(axis=1) + room)
    meets: Bools = ~apart.any(axis=1)
    return meets


def box_around(mesh: Mesh) -> Floats:
    """Eight corners of a box that holds a mesh: across its mean normal, so that a nearly flat one has a flat
    box.
    """
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    normal = np.cross(b - a, c - a).sum(axis=0)
    length = float(np.linalg.norm(normal))
    z = normal / length if length > 0 else np.array([0.0, 0.0, 1.0])
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return box_along(mesh.vertices, np.stack([x, np.cross(z, x), z]))


def _ranges(start: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """All numbers of ranges, one behind the other, and where each of them begins."""
    sizes = stop - start
    begins: Ints = np.concatenate([[0], np.cumsum(sizes)])
    return np.arange(begins[-1]) + np.repeat(start - begins[:-1], sizes), begins


def patched(mesh: Mesh, most: int = _PATCH) -> list[Mesh]:
    """A mesh cut to patches of faces that lie together, each with so many faces at most.

    >>> from ougi_lab.scenes.meshes import make_sphere
    >>> [len(patch.faces) for patch in patched(make_sphere(8, 6), 24)]
    [20, 20, 20, 20]
    """
    middles = mesh.vertices[mesh.faces].mean(axis=1)
    groups, done = [np.arange(len(mesh.faces))], []
    while groups:
        group = groups.pop()
        if len(group) <= most:
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
