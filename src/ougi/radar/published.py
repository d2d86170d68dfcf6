"""RADAR sec. 3 as published, errata repaired: range, mask and look-at distance scopes.

What is repaired, and why:

* Sec. 3.1 says that a collision occurs if min(L) <= d; L <= R <= d always holds. The listing is right: the
  bound is the distance to move.
* The listing leaves out pixels with M = d only. With R = d, L = M is the distance to move at the sensor's
  foremost point: a collision with nothing. Pixels without a target are left out as well, by their ids.
* Only faces that the motion enters are drawn. Otherwise a wall that the sensor leaves stops it.
* L < 0 is no distance: the status says that sensor and target overlap, or seem to (a cup open to the rear).
* The sensor is not drawn from the other end and mirrored: its farthest depths S, seen from the prove point,
  are d - M. So L = R - S, with one camera, and nothing can be mirrored the wrong way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Bools, Floats, Ints
from ougi.motion import Translation3d
from ougi.radar.meshes import Meshes, as_meshes
from ougi.radar.scopes import drawn, ignored, pixels_of
from ougi.shapes import Mesh

# Which faces are drawn, as `_draw` counts: all, those that the view enters, those that it leaves.
ALL, ENTERED, LEFT = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Scopes:
    """The three images of RADAR sec. 3, (rows, columns).

    Attributes
    ----------
    range, mask, look_at
        R, M and L = R + M - d; d where R sees no target and M no sensor, NaN in L where one of them sees
        nothing.
    ids
        Numbers of the bodies that R sees, -1 for none.
    movement, depth
        The distance to move, and d: that and the sensor's length.
    """

    range: Floats
    mask: Floats
    look_at: Floats
    ids: Ints
    movement: float
    depth: float
    frame: Floats
    window: Floats

    @classmethod
    def of(
        cls,
        sensor: Mesh | Meshes,
        scene: Any,
        motion: Translation3d,
        *,
        pixels: ArrayLike = 25,
        ignore: ArrayLike = (),
        surface: bool = False,
    ) -> Scopes:
        """Draw the images for one sensor that moves straight.

        Parameters
        ----------
        sensor
            A Mesh, or Meshes of one.
        scene, motion, ignore, surface
            As for `collide`.
        pixels
            Columns and rows, or one number for both.

        >>> import ougi
        >>> from ougi.radar import Scopes
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> sensor = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        >>> target = sensor.transformed(ougi.Pose([3, 0, 0]))
        >>> seen = Scopes.of(sensor, target, ougi.Translation3d([5, 0, 0]), pixels=8)
        >>> seen.look_at.shape, bool(seen.colliding.any())
        ((8, 8), True)
        """
        from ougi.radar.collide import require_straight

        own, targets = _single(sensor, surface), as_meshes("scene", scene, surface)
        return scoped(own, targets, require_straight(motion), pixels_of(pixels, 1), ignored(ignore, 1))

    @property
    def distance(self) -> float:
        """min(L); inf if no pixel sees both."""
        return float(np.min(self.look_at, where=~np.isnan(self.look_at), initial=np.inf))

    @property
    def colliding(self) -> Bools:
        """Pixels whose gap is closed by the movement: L <= distance to move."""
        both: Bools = ~np.isnan(self.look_at) & (self.look_at <= self.movement)
        return both

    def points(self, chosen: Bools) -> Floats:
        """Points of the target in the world, over the middles of chosen pixels."""
        rows, columns = np.nonzero(chosen)
        u = self.window[0] + (columns + 0.5) * self.window[2] / self.window[4]
        v = self.window[1] + (rows + 0.5) * self.window[3] / self.window[5]
        inside = np.column_stack([u, v, self.range[chosen]])
        world: Floats = self.frame[:3] + inside @ self.frame[3:12].reshape((3, 3))
        return world

    def center(self) -> Floats:
        """The contact centre, sec. 3.2: the centroid of the hull of the colliding pixels; of two, their
        middle."""
        points = self.points(self.colliding)
        if len(points) < 3:
            return points.mean(axis=0) if len(points) else np.full(3, np.nan)
        axes = self.frame[3:9].reshape((2, 3))
        flat = (points - points[0]) @ axes.T
        ends = flat[_row_ends(self.colliding)]
        middle = _centroid(ends[_hull(ends)])
        nearest = points[np.argmin(((flat - middle) ** 2).sum(axis=1))]
        along = self.frame[9:12]
        where = points[0] + middle @ axes
        center: Floats = where + along * ((nearest - where) @ along)
        return center

    def normal(self) -> Floats:
        """The normal, sec. 3.2: of three colliding pixels; with fewer, of the nearest ones around them.

        Any three, says the paper: here the outermost in reading order and that which is farthest from their
        line. It is tens of degrees off where contacts are not flat; the exact radar takes the touching
        feature.
        """
        chosen = self.colliding
        if chosen.sum() < 3:
            order = np.argsort(
                np.where(np.isnan(self.look_at), np.inf, self.look_at), axis=None, kind="stable"
            )
            chosen = np.zeros_like(chosen)
            chosen.ravel()[order[:3]] = True
            chosen &= ~np.isnan(self.look_at)
        points = self.points(chosen)
        if len(points) < 3:
            return self.frame[9:12].copy()
        beside = np.cross(points[-1] - points[0], points - points[0])
        normal = beside[np.argmax((beside**2).sum(axis=1))]
        size = float(np.linalg.norm(normal))
        if size == 0:
            return self.frame[9:12].copy()
        unit: Floats = normal / size
        return unit if unit @ self.frame[9:12] >= 0 else -unit


def _single(sensor: Mesh | Meshes, surface: bool = False) -> Meshes:
    own = as_meshes("sensor", sensor, surface)
    if len(own) != 1:
        raise ValueError(f"sensor must be one mesh, got {len(own)}")
    return own


def scoped(
    own: Meshes,
    scene: Meshes,
    motion: Translation3d,
    pixels: Ints,
    left_out: Ints,
    mask: tuple[Floats, Floats] | None = None,
) -> Scopes:
    """Draw the scopes of one sensor. A mask that is reused is given as (S, window), see `MaskReuse`."""
    from ougi.radar._draw import NEAREST
    from ougi.radar.collide import ways_of

    ways, window = fitted(ways_of(motion, own), own, pixels)
    far, window = mask if mask is not None else _mask(own, ways, window)
    near, face, _ = drawn(ways, window, scene, left_out, facing=ENTERED, keeps=NEAREST)
    return composed(near, face, far, scene, ways[0], window[0])


def _mask(own: Meshes, ways: Floats, window: Floats) -> tuple[Floats, Floats]:
    """The sensor's farthest depths."""
    from ougi.radar._draw import FARTHEST

    nobody = np.full((1, 1), -1)
    far, _, _ = drawn(ways, window, own, nobody, facing=LEFT, keeps=FARTHEST)
    return far, window


def composed(near: Floats, face: Ints, far: Floats, scene: Meshes, way: Floats, window: Floats) -> Scopes:
    """The scopes of one sensor from its images: nearest depths of the scene and their faces, and the
    sensor's farthest depths."""
    columns, rows = (int(k) for k in window[4:])
    depth, movement = float(way[12]), float(way[15])
    empty, absent = face < 0, np.isinf(far)
    mesh = np.searchsorted(scene.parts, face, side="right") - 1
    shape = (rows, columns)
    range_scope, mask_scope = np.where(empty, depth, near), np.where(absent, depth, depth - far)
    look_at = np.where(empty | absent, np.nan, range_scope + mask_scope - depth)
    ids = np.where(empty, -1, scene.bodies[mesh])
    r, m, look, numbers = (image.reshape(shape) for image in (range_scope, mask_scope, look_at, ids))
    return Scopes(r, m, look, numbers, movement, depth, way, window)


def fitted(ways: Floats, sensors: Meshes, pixels: Ints) -> tuple[Floats, Floats]:
    """Ways that start at the sensors' rear and reach as far as they do, and windows that just hold them."""
    new, windows = ways.copy(), np.empty((len(ways), 6))
    for i, way in enumerate(ways):
        corners = sensors.vertices[sensors.vertex_parts[i] : sensors.vertex_parts[i + 1]] - way[:3]
        inside = corners @ way[3:12].reshape((3, 3)).T
        low, high = inside.min(axis=0), inside.max(axis=0)
        room = 1e-9 * max(float(np.abs(inside).max()), 1e-280)
        new[i, :3] = way[:3] + (low[2] - room) * way[9:12]
        new[i, 12] = way[12] + high[2] - low[2] + 2 * room
        windows[i] = [*(low[:2] - room), *(high[:2] - low[:2] + 2 * room), *pixels[i]]
    return new, windows


def _row_ends(chosen: Bools) -> Ints:
    """Of chosen pixels, counted in reading order, the first and last of every row: the hull is theirs."""
    row = np.nonzero(chosen)[0]
    first = np.searchsorted(row, np.unique(row))
    last = np.searchsorted(row, np.unique(row), side="right") - 1
    return np.unique(np.concatenate([first, last]))


def _hull(points: Floats) -> Ints:
    """The convex hull of points of a plane, counter-clockwise: Andrew's chains."""
    order = np.lexsort((points[:, 1], points[:, 0]))

    def chain(indices: Any) -> list[int]:
        out: list[int] = []
        for k in indices:
            while len(out) > 1:
                a, b = points[out[-1]] - points[out[-2]], points[k] - points[out[-2]]
                if a[0] * b[1] - a[1] * b[0] > 0:
                    break
                out.pop()
            out.append(int(k))
        return out[:-1]

    return np.array(chain(order) + chain(order[::-1]))


def _centroid(hull: Floats) -> Floats:
    """The centroid of a convex polygon; of a flat one, the middle of its corners."""
    a, b = hull, np.roll(hull, -1, axis=0)
    area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    if abs(area.sum()) <= 1e-12 * float(np.abs(hull).max(initial=0.0)) ** 2:
        middle: Floats = hull.mean(axis=0)
        return middle
    whole: Floats = ((a + b) * area[:, None]).sum(axis=0) / (3 * area.sum())
    return whole


class MaskReuse:
    """RADAR sec. 3.3: the mask is drawn once for a shape and a direction, and the view volume shrunk to it.

    The paper's reset logic, errata repaired: after a change the mask is drawn at the largest size; the next
    detection reads the sensor's width and height from it, rounded outward to whole pixels, and draws it
    again at that size, which the listing forgets. A change that comes while a reset is under way starts it
    again.

    Parameters
    ----------
    sensor
        A Mesh or Meshes of one.
    largest
        Width and height of an image that holds every shape of the sensor.
    pixels
        Columns and rows, or one number for both.

    >>> import ougi
    >>> from ougi.radar import MaskReuse
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> sensor = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> target = sensor.transformed(ougi.Pose([3, 0, 0]))
    >>> reuse, step = MaskReuse(sensor, largest=(4, 4), pixels=16), ougi.Translation3d([5, 0, 0])
    >>> distances = [reuse.look(target, step).distance for _ in range(5)]
    >>> reuse.drawings  # at the largest size, and at the sensor's own
    2
    """

    def __init__(self, sensor: Mesh | Meshes, largest: ArrayLike, pixels: ArrayLike = 25) -> None:
        size = _check.vectors("largest", largest, 2)
        if size.shape != (2,) or not (size > 0).all():
            raise ValueError(f"largest must be a positive width and height, got {largest!r}")
        self.sensor = _single(sensor)
        self.largest = size
        self.pixels = pixels_of(pixels, 1)
        self.drawings = 0
        self._mask: tuple[Floats, Floats] | None = None
        self._reset, self._at_largest = True, False
        self._direction: Floats | None = None

    def changed(self, sensor: Mesh | Meshes) -> None:
        """The sensor has another shape or attitude now: its mask is drawn again."""
        self.sensor, self._reset, self._at_largest = _single(sensor), True, False

    def moved(self, sensor: Mesh | Meshes) -> None:
        """The sensor stands elsewhere, in the same shape and attitude: the mask stays."""
        self.sensor = _single(sensor)

    def look(self, scene: Any, motion: Translation3d, ignore: ArrayLike = ()) -> Scopes:
        """The scopes of one detection: the scene is drawn, and the mask if it has to be."""
        from ougi.radar.collide import require_straight, ways_of

        targets = as_meshes("scene", scene)
        ways_of(require_straight(motion), self.sensor)  # refuses one that goes nowhere
        direction = motion.offset / np.linalg.norm(motion.offset)
        if self._direction is None or not np.allclose(direction, self._direction, rtol=0, atol=1e-12):
            self._reset, self._at_largest, self._direction = True, False, direction
        if self._reset and not self._at_largest:
            self._mask = self._drawn(motion, self._whole(motion))
            self._at_largest = True
        elif self._reset:
            self._mask = self._drawn(motion, self._shrunk())
            self._reset = False
        return scoped(self.sensor, targets, motion, self.pixels, ignored(ignore, 1), self._mask)

    def _whole(self, motion: Translation3d) -> Floats:
        from ougi.radar.collide import ways_of

        _, window = fitted(ways_of(motion, self.sensor), self.sensor, self.pixels)
        size = window[0, 2:4]
        if (size > self.largest).any():
            raise ValueError(f"largest must hold the sensor, {size.tolist()}, got {self.largest.tolist()}")
        middle = window[0, :2] + size / 2
        return np.array([[*(middle - self.largest / 2), *self.largest, *self.pixels[0]]])

    def _shrunk(self) -> Floats:
        """The pixels that see the sensor, and one more on each side: half of it may lie beyond their
        middles."""
        assert self._mask is not None
        far, window = self._mask
        u, v, width, height, columns, rows = window[0]
        seen = ~np.isinf(far.reshape((int(rows), int(columns))))
        if not seen.any():
            return window
        j, i = np.nonzero(seen)
        low = np.array([max(i.min() - 1, 0), max(j.min() - 1, 0)])
        high = np.array([min(i.max() + 2, columns), min(j.max() + 2, rows)])
        pixel = np.array([width / columns, height / rows])
        return np.array([[*(np.array([u, v]) + low * pixel), *((high - low) * pixel), columns, rows]])

    def _drawn(self, motion: Translation3d, window: Floats) -> tuple[Floats, Floats]:
        from ougi.radar.collide import ways_of

        ways, _ = fitted(ways_of(motion, self.sensor), self.sensor, self.pixels)
        self.drawings += 1
        return _mask(self.sensor, ways, window)
