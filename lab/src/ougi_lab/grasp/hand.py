"""A hand of closed meshes, joined by hinges: a palm and five fingers of three parts each (RADAR sec. 4.4).

In the hand's own frame the flat hand lies in the plane z = 0: fingers along y, the palm faces z, and
the origin is the middle of the palm. RADAR's hand has 400 x 400 x 30 units. Only its figures are known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats, Ints
from ougi.shapes import Mesh
from ougi_lab.scenes.meshes import loft_rings

FINGERS = ("thumb", "index finger", "middle finger", "ring finger", "little finger")
SECTIONS = ("root", "middle", "tip")
# A palm and three parts of each finger, from the root to the tip.
PARTS = 16
# The four fingers that bend together.
FOUR = (1, 2, 3, 4)


def part_index(finger: int, joint: int) -> int:
    """Return the index of the part beyond a finger's joint; 0 is the palm."""
    return 1 + 3 * finger + joint


def part_name(part: int) -> str:
    """Return the name of a part.

    >>> part_name(0), part_name(4)
    ('palm', 'index finger (root)')
    """
    if part == 0:
        return "palm"
    return f"{FINGERS[(part - 1) // 3]} ({SECTIONS[(part - 1) % 3]})"


class Hand:
    """A palm and five fingers with three hinges each.

    Parameters
    ----------
    meshes
        16 closed meshes, as the hand lies flat: the palm, then each finger's parts from the root to the tip,
        the thumb first. Parts that a hinge joins may overlap, others must not.
    pivots, axes
        (5, 3, 3), a point and the direction of each hinge of the flat hand. Bending is a positive turn. The
        four fingers bend together about the index finger's root, so their root hinges must be one line.
    lower, upper
        (5, 3), between which angles, in radians, the joints turn.
    angles
        (5, 3), at the start; the flat hand by default.

    >>> from ougi_lab.grasp import build_human_hand
    >>> build_human_hand()
    <Hand of 16 meshes and 15 joints, 362 x 422 x 30>
    """

    def __init__(
        self,
        meshes: Sequence[Mesh],
        pivots: ArrayLike,
        axes: ArrayLike,
        lower: ArrayLike,
        upper: ArrayLike,
        angles: ArrayLike | None = None,
    ) -> None:
        self.meshes = tuple(meshes)
        if len(self.meshes) != PARTS:
            raise ValueError(f"meshes must be {PARTS}, the palm and 5 x 3 parts, got {len(self.meshes)}")
        self.pivots, self.axes = _check_hinges("pivots", pivots), _check_hinges("axes", axes)
        length = np.linalg.norm(self.axes, axis=-1, keepdims=True)
        _check.refuse(length[..., 0] == 0, "axes", "not have length 0", self.axes)
        self.axes = self.axes / length
        self.lower, self.upper = _check_angles("lower", lower), _check_angles("upper", upper)
        self.angles = _check_angles("angles", np.zeros((5, 3)) if angles is None else angles)
        self._check_limits()
        self._check_knuckles()
        self.vertices = np.concatenate([mesh.vertices for mesh in self.meshes])
        self.vertex_parts: Ints = np.cumsum([0, *(len(mesh.vertices) for mesh in self.meshes)])
        self._which = np.repeat(np.arange(PARTS), np.diff(self.vertex_parts))
        self.boxes = np.stack([self._build_box(part) for part in range(PARTS)])
        # Rodrigues' formula: a turn is 1 + sin(angle) cross + (1 - cos(angle)) cross^2.
        self._cross = np.cross(np.eye(3), self.axes[..., None, :])
        self._cross_sq = self._cross @ self._cross

    @property
    def size(self) -> float:
        """The longest side of the flat hand."""
        return float(np.max(self.vertices.max(axis=0) - self.vertices.min(axis=0)))

    def place_parts(self, rotation: Floats, position: Floats, angles: Floats) -> tuple[Floats, Floats]:
        """Return rotations (n, 16, 3, 3) and positions (n, 16, 3) of the parts.

        Parameters
        ----------
        rotation, position
            (n, 3, 3) and (n, 3), of n hands.
        angles
            (n, 5, 3), of their joints.
        """
        turn = np.empty((len(angles), PARTS, 3, 3))
        shift = np.empty((len(angles), PARTS, 3))
        turn[:, 0], shift[:, 0] = rotation, position
        s, v = np.sin(angles)[..., None, None], 2 * np.sin(angles / 2)[..., None, None] ** 2
        bent = np.eye(3) + s * self._cross + v * self._cross_sq
        held = self.pivots - (bent @ self.pivots[..., None])[..., 0]
        before = np.repeat(rotation[:, None], 5, axis=1), np.repeat(position[:, None], 5, axis=1)
        for joint in range(3):
            shift[:, 1 + joint :: 3] = (before[0] @ held[:, :, joint, :, None])[..., 0] + before[1]
            turn[:, 1 + joint :: 3] = before[0] @ bent[:, :, joint]
            before = turn[:, 1 + joint :: 3], shift[:, 1 + joint :: 3]
        return turn, shift

    def place_vertices(self, turn: Floats, shift: Floats) -> Floats:
        """Return the vertices of all parts in the world, (n, v, 3)."""
        which, own = self._which, self.vertices
        where: Floats = shift[:, which]
        for k in range(3):
            where += turn[..., k][:, which] * own[:, k, None]
        return where

    def place_meshes(self, turn: Floats, shift: Floats) -> list[list[Mesh]]:
        """Return the meshes of all parts in the world, hand by hand."""
        where = self.place_vertices(turn, shift)
        return [
            [
                Mesh._from_arrays(where[k, self.vertex_parts[p] : self.vertex_parts[p + 1]], mesh.faces)
                for p, mesh in enumerate(self.meshes)
            ]
            for k in range(len(turn))
        ]

    def place_hinge(self, turn: Floats, shift: Floats, finger: int, joint: int) -> tuple[Floats, Floats]:
        """A hinge's point and direction in the world; turns and shifts are those of one hand, (16, ...)."""
        holder = part_index(finger, joint - 1) if joint else 0
        center: Floats = turn[holder] @ self.pivots[finger, joint] + shift[holder]
        axis: Floats = turn[holder] @ self.axes[finger, joint]
        return center, axis

    def _build_box(self, part: int) -> Floats:
        """Return eight corners around a part of the flat hand. A finger's box is aligned with its hinge."""
        own = self.meshes[part].vertices
        frame = np.eye(3)
        if part:
            finger, joint = divmod(part - 1, 3)
            x = self.axes[finger, joint]
            along = own.mean(axis=0) - self.pivots[finger, joint]
            along = along - (along @ x) * x
            y = along / max(float(np.linalg.norm(along)), 1e-300)
            frame = np.stack([x, y, np.cross(x, y)])
        return enclose_points(own, frame)

    def _check_limits(self) -> None:
        for finger, name in enumerate(FINGERS):
            for joint in range(3):
                low, high, at = (float(a[finger, joint]) for a in (self.lower, self.upper, self.angles))
                where = f"joint {joint} ({SECTIONS[joint]}) of the {name}"
                if low > high:
                    raise ValueError(f"upper must not lie below lower, got {high} < {low} at {where}")
                if not low <= at <= high:
                    raise ValueError(
                        f"angles must lie within the limits {low} to {high}, got {at} at {where}"
                    )

    def _check_knuckles(self) -> None:
        axis, pivot = self.axes[1, 0], self.pivots[1, 0]
        away = np.linalg.norm(np.cross(self.pivots[list(FOUR), 0] - pivot, axis), axis=-1)
        tilted = np.linalg.norm(self.axes[list(FOUR), 0] - axis, axis=-1)
        off = (away > 1e-9 * max(float(np.abs(self.pivots).max()), 1.0)) | (tilted > 1e-9)
        if off.any():
            raise ValueError(
                f"the root hinges of the four fingers must be one line, that of the {FINGERS[FOUR[0]]}; "
                f"the {FINGERS[FOUR[int(np.argmax(off))]]} has another"
            )

    def __repr__(self) -> str:
        x, y, z = np.ptp(self.vertices, axis=0)
        return f"<Hand of {PARTS} meshes and 15 joints, {x:.0f} x {y:.0f} x {z:.0f}>"


def enclose_points(points: Floats, frame: Floats) -> Floats:
    """Return the corners (8, 3) of the box around points whose sides are the rows of a frame.

    >>> enclose_points(np.array([[0, 0, 0], [1, 2, 3]]), np.eye(3))[[0, 1, 7]].tolist()
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 3.0]]
    """
    seen = points @ frame.T
    bits = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)])
    low, high = seen.min(axis=0), seen.max(axis=0)
    corners: Floats = (low + bits * (high - low)) @ frame
    return corners


def _check_hinges(name: str, given: ArrayLike) -> Floats:
    values = _check.vectors(name, given, 3)
    if values.shape != (5, 3, 3):
        raise ValueError(f"{name} must have shape (5, 3, 3): fingers, joints, x y z; got {values.shape}")
    return values


def _check_angles(name: str, given: ArrayLike) -> Floats:
    values = _check.array(name, given)
    if values.shape != (5, 3):
        raise ValueError(f"{name} must have shape (5, 3): fingers, joints; got {values.shape}")
    return values


# --- a human hand -----------------------------------------------------------------------------------------

# The four fingers: where the knuckle is along x, degrees by which they spread, width, thickness, lengths.
_FOUR: tuple[tuple[float, float, float, float, tuple[float, float, float]], ...] = (
    (-78.0, -4.0, 42.0, 28.0, (82.0, 52.0, 40.0)),
    (-26.0, -1.0, 44.0, 29.0, (92.0, 58.0, 42.0)),
    (26.0, 2.0, 42.0, 28.0, (84.0, 54.0, 41.0)),
    (78.0, 5.0, 36.0, 25.0, (62.0, 40.0, 35.0)),
)
_KNUCKLES = 104.0  # along y
_BEND = (90.0, 105.0, 75.0)  # how far joints turn, in degrees

_THUMB_ROOT = (-66.0, -92.0, 0.0)
_THUMB_ANGLE = 3.0  # degrees above -x
_THUMB = (46.0, 30.0, (78.0, 55.0, 43.0))
_THUMB_BEND = (80.0, 65.0, 75.0)
# A thumb's outer hinges lean, so that it closes towards the fingers and not only across the palm.
_THUMB_LEAN = 60.0

# The palm's outline; the wrist is below.
_PALM = (
    (-60, -105), (60, -105), (88, -85), (100, -20), (107, 60), (104, 92), (85, 104),
    (-85, 104), (-104, 92), (-107, 60), (-103, -20), (-90, -85),
)  # fmt: skip
_AROUND = 8  # corners of a finger's cross section
_TAPER = 0.92  # width at a part's far end, as a share of that at its hinge
# Rings of a part's round ends: how far beyond the hinge, as a share of the thickness, and how wide. Ends in
# joints are hidden by the next part; few faces make fast radars.
_Rings: TypeAlias = tuple[tuple[float, float], ...]
_JOINT: _Rings = ((0.42, 0.55), (0.05, 1.0))
_TIP: _Rings = ((0.55, 0.3), (0.36, 0.74), (0.0, 1.0))


def build_human_hand(size: float = 400.0) -> Hand:
    """A right hand of about RADAR's size, 400 x 400 x 30 units; `size` scales it.

    >>> from ougi_lab.grasp import build_human_hand
    >>> round(build_human_hand(200.0).size)
    211
    """
    if not (size > 0 and math.isfinite(size)):
        raise ValueError(f"size must be positive, got {size}")
    unit = size / 400.0
    outline = np.array([[x, y, 0.0] for x, y in _PALM])
    layers = [(-15.0, 0.93), (-9.0, 1.0), (9.0, 1.0), (15.0, 0.93)]
    palm = np.stack([outline * (wide, wide, 1.0) + [0.0, 0.0, z] for z, wide in layers])
    meshes, pivots, axes = [loft_rings(unit * palm)], [], []
    up = np.array([0.0, 0.0, 1.0])
    for root, along, wide, thick, lengths, hinges in (_list_thumb(up), *_list_four_fingers(up)):
        joints = root + np.concatenate([[0.0], np.cumsum(lengths)])[:, None] * along
        for k in range(3):
            shrunk = _TAPER**k
            end = _TIP if k == 2 else _JOINT
            part = _build_section(joints[k], along, lengths[k], wide * shrunk, thick * shrunk, end)
            meshes.append(loft_rings(unit * part))
        pivots.append(unit * joints[:3])
        axes.append(hinges)
    limits = np.radians([_THUMB_BEND, *(_BEND for _ in FOUR)])
    return Hand(meshes, np.stack(pivots), np.stack(axes), np.zeros((5, 3)), limits)


def _list_four_fingers(up: Floats) -> list[tuple[Any, ...]]:
    fingers = []
    for x, spread, wide, thick, lengths in _FOUR:
        a = math.radians(spread)
        along = np.array([math.sin(a), math.cos(a), 0.0])
        side = np.cross(along, up)
        hinges = np.stack([[1.0, 0.0, 0.0], side, side])
        fingers.append((np.array([x, _KNUCKLES, 0.0]), along, wide, thick, lengths, hinges))
    return fingers


def _list_thumb(up: Floats) -> tuple[Any, ...]:
    a, lean = math.radians(_THUMB_ANGLE), math.radians(_THUMB_LEAN)
    along = np.array([-math.cos(a), math.sin(a), 0.0])
    side = np.cross(along, up)
    leaning = math.cos(lean) * side - math.sin(lean) * up
    return np.array(_THUMB_ROOT), along, *_THUMB, np.stack([side, leaning, leaning])


def _build_section(
    joint: Floats,
    along: Floats,
    length: float,
    wide: float,
    thick: float,
    end: tuple[tuple[float, float], ...],
) -> Floats:
    """A finger's part: rounded cross sections, wide at the hinges and round beyond them."""
    up = np.array([0.0, 0.0, 1.0])
    side = np.cross(along, up)
    a = 2 * np.pi * (np.arange(_AROUND) + 0.5) / _AROUND
    # A superellipse, between an ellipse and a rectangle.
    c, s = (np.sign(f) * np.abs(f) ** 0.8 for f in (np.cos(a), np.sin(a)))
    section = (wide / 2) * s[:, None] * side + (thick / 2) * c[:, None] * up
    near = [(-beyond * thick, share) for beyond, share in _JOINT]
    far = [(length + beyond * thick * _TAPER, share * _TAPER) for beyond, share in reversed(end)]
    return np.stack([joint + at * along + share * section for at, share in near + far])
