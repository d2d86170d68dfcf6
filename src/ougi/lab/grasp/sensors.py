"""The 17 radars of each hand, and the scene that they look at."""

from __future__ import annotations

import numpy as np

from ougi._typing import Floats, Ints
from ougi.lab.grasp.hand import FOUR, PARTS, Hand, part_of
from ougi.radar import Meshes
from ougi.shapes import Mesh

# Radars of one hand: the whole of it, its four fingers, and its 15 parts but the palm.
WHOLE, TOGETHER, RADARS = 0, 1, 17
TARGET = 0


def radar_of(finger: int, joint: int) -> int:
    """The radar of a finger's part behind a joint."""
    return 1 + part_of(finger, joint)


def body_of(hand: int, part: int) -> int:
    """The number of a part as a body of the scene, where the target is 0."""
    return 1 + PARTS * hand + part


def owner_of(body: int) -> tuple[int, int]:
    """The hand and the part that a body is; the target has hand -1."""
    return (-1, -1) if body == TARGET else divmod(body - 1, PARTS)


class Sensors:
    """Meshes of all radars of some hands; those that are at work are taken out, at the vertices of a frame.

    The parts of a hand lie one behind the other in the scene. The radar of a hand, of its fingers or of a
    part is a range of them, so its mesh is cut out of the scene's arrays, and nothing is checked again.
    """

    def __init__(self, hand: Hand, target: Mesh, count: int) -> None:
        parts = [mesh for _ in range(count) for mesh in hand.meshes]
        self.scene = Meshes([target, *parts])
        self._first = np.empty(RADARS * count, np.int64)
        self._last = np.empty(RADARS * count, np.int64)
        for one in range(count):
            start = RADARS * one
            self._first[start], self._last[start] = body_of(one, 0), body_of(one, PARTS - 1)
            four = part_of(FOUR[0], 0), part_of(FOUR[-1], 2)
            self._first[start + 1], self._last[start + 1] = (body_of(one, part) for part in four)
            self._first[start + 2 : start + RADARS] = body_of(one, 1) + np.arange(PARTS - 1)
            self._last[start + 2 : start + RADARS] = self._first[start + 2 : start + RADARS]
        self._chosen: tuple[int, ...] = ()
        self._form: Meshes | None = None
        self._vertices: Ints = np.zeros(0, np.int64)

    def at(self, vertices: Floats) -> Meshes:
        """The scene with all parts where they are now; (v, 3), the target's first."""
        self.scene = self.scene.deformed(vertices)
        return self.scene

    def chosen(self, radars: tuple[int, ...]) -> Meshes:
        """The meshes of some radars, as the scene stands; radar r of hand h has the number 17 h + r."""
        if radars != self._chosen or self._form is None:
            self._chosen, self._form = radars, self._cut(np.array(radars))
            return self._form
        self._form = self._form.deformed(self.scene.vertices[self._vertices])
        return self._form

    def _cut(self, radars: Ints) -> Meshes:
        """Ranges of the scene's meshes as meshes of their own."""
        scene, first, last = self.scene, self._first[radars], self._last[radars] + 1
        faces, face_parts = _ranges(scene.parts[first], scene.parts[last])
        self._vertices, vertex_parts = _ranges(scene.vertex_parts[first], scene.vertex_parts[last])
        moved = np.repeat(vertex_parts[:-1] - scene.vertex_parts[first], np.diff(face_parts))
        new = Meshes.__new__(Meshes)
        new.vertices = scene.vertices[self._vertices]
        new.faces = scene.faces[faces] + moved[:, None]
        new.parts, new.vertex_parts = face_parts, vertex_parts
        new.bodies, new.solid = radars, np.ones(len(radars), np.bool_)
        new._measure()
        return new


def _ranges(start: Ints, stop: Ints) -> tuple[Ints, Ints]:
    """All numbers of ranges, one behind the other, and where each of them begins."""
    sizes = stop - start
    ends = np.cumsum(sizes)
    begins: Ints = np.concatenate([[0], ends])
    return np.arange(begins[-1]) + np.repeat(start - begins[:-1], sizes), begins
