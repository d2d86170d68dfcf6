"""RADAR sec. 3 as published, errata repaired: range, mask and look-at distance scopes.

The repairs, and their reasons:

* Sec. 3.1 says that a collision occurs if min(L) <= d, but L <= R <= d always holds. The listing is right:
  the bound is the distance to move.
* The listing ignores pixels with M = d only. With R = d, L = M is the distance to move at the sensor's
  foremost point: a collision with nothing. Pixels without a target are ignored as well, by their ids.
* Only faces that the motion enters are drawn. Otherwise a wall that the sensor leaves stops it.
* L < 0 is no distance. The status then says that sensor and target overlap, or seem to (a cup open to the
  rear).
* The sensor is not drawn from the other end and mirrored. Its farthest depths S, seen from the prove point,
  are d - M. So L = R - S, with one camera, and nothing can be mirrored wrongly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Bools, Floats, Ints
from ougi.motion import Translation3d
from ougi.radar.collision_result import Collision
from ougi.radar.detection import draw_images, read_ignored, read_pixels
from ougi.radar.meshes import Meshes, MeshesLike, as_meshes
from ougi.radar.motion_frames import AXES, FULL, LENGTH, ORIGIN, Z_AXIS
from ougi.radar.motions import check_translation, make_frames
from ougi.radar.rasterizer import ENTERED, FARTHEST, LEFT, NEAREST
from ougi.radar.windows import COLUMNS, HEIGHT, LOW, LOW_U, LOW_V, PIXELS, ROWS, SIZE, WIDTH
from ougi.results import Status
from ougi.shapes import Mesh


@dataclass(frozen=True, eq=False, repr=False)
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

    >>> import ougi
    >>> from ougi.radar import Scopes
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> sensor = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> Scopes.draw(sensor, ougi.Translation3d([5, 0, 0]), sensor.transformed(ougi.Pose([3, 0, 0])), pixels=8)
    <Scopes: 8 x 8 pixels, distance 2.125 of 5>
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
    def draw(
        cls,
        sensor: Mesh | Meshes,
        motion: Translation3d,
        scene: MeshesLike,
        *,
        pixels: ArrayLike = 25,
        ignore: ArrayLike = (),
    ) -> Scopes:
        """Draw the images for one sensor that moves straight.

        Parameters
        ----------
        sensor
            A Mesh, or Meshes of one.
        motion, scene, ignore
            As for `collide`.
        pixels
            Columns and rows, or one number for both.

        >>> import ougi
        >>> from ougi.radar import Scopes
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> sensor = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        >>> target = sensor.transformed(ougi.Pose([3, 0, 0]))
        >>> scopes = Scopes.draw(sensor, ougi.Translation3d([5, 0, 0]), target, pixels=8)
        >>> scopes.look_at.shape, bool(scopes.colliding.any())
        ((8, 8), True)
        """
        own, targets = _check_single(sensor), as_meshes("scene", scene)
        return draw_scopes(
            own, check_translation(motion), targets, read_pixels(pixels, 1), read_ignored(ignore, 1)
        )

    def __repr__(self) -> str:
        rows, columns = self.range.shape
        return f"<Scopes: {columns} x {rows} pixels, distance {self.distance:.6g} of {self.movement:.6g}>"

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
        """Points of the target in the world, behind the centers of chosen pixels."""
        rows, columns = np.nonzero(chosen)
        u = self.window[LOW_U] + (columns + 0.5) * self.window[WIDTH] / self.window[COLUMNS]
        v = self.window[LOW_V] + (rows + 0.5) * self.window[HEIGHT] / self.window[ROWS]
        local = np.column_stack([u, v, self.range[chosen]])
        world: Floats = self.frame[ORIGIN] + local @ self.frame[AXES].reshape((3, 3))
        return world

    def center(self) -> Floats:
        """The contact centre, sec. 3.2: the centroid of the hull of the colliding pixels."""
        points = self.points(self.colliding)
        if len(points) < 3:
            return points.mean(axis=0) if len(points) else np.full(3, np.nan)
        axes = self.frame[AXES].reshape((3, 3))[:2]
        flat = (points - points[0]) @ axes.T
        ends = flat[_find_row_ends(self.colliding)]
        middle = _centroid(ends[_find_hull(ends)])
        nearest = points[np.argmin(((flat - middle) ** 2).sum(axis=1))]
        along = self.frame[Z_AXIS]
        where = points[0] + middle @ axes
        center: Floats = where + along * ((nearest - where) @ along)
        return center

    def normal(self) -> Floats:
        """The normal, sec. 3.2: of three colliding pixels; with fewer, of the nearest ones around them.

        The paper allows any three. Here they are the first and the last in reading order and the one that is
        farthest from their line. Where contacts are not flat the normal is wrong by tens of degrees. The
        exact radar uses the feature that touches.
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
            return self.frame[Z_AXIS].copy()
        beside = np.cross(points[-1] - points[0], points - points[0])
        normal = beside[np.argmax((beside**2).sum(axis=1))]
        size = float(np.linalg.norm(normal))
        if size == 0:
            return self.frame[Z_AXIS].copy()
        unit: Floats = normal / size
        return unit if unit @ self.frame[Z_AXIS] >= 0 else -unit


def _check_single(sensor: Mesh | Meshes) -> Meshes:
    own = as_meshes("sensor", sensor)
    if len(own) != 1:
        raise ValueError(f"sensor must be one mesh, got {len(own)}")
    return own


def draw_scopes(own: Meshes, motion: Translation3d, scene: Meshes, pixels: Ints, ignored: Ints) -> Scopes:
    """Draw the scopes of one sensor."""
    frames, window = fit_windows(make_frames(motion, own), own, pixels)
    return _draw_scene(frames, scene, ignored, *_draw_mask(own, frames, window))


def _draw_scene(frames: Floats, scene: Meshes, ignored: Ints, far: Floats, window: Floats) -> Scopes:
    """Draw the scene behind a mask, which is given by the sensor's depths and its window."""
    near, face, _ = draw_images(frames, window, scene, ignored, facing=ENTERED, keeps=NEAREST)
    return compose_scopes(near, face, far, scene, frames[0], window[0])


def _draw_mask(own: Meshes, frames: Floats, window: Floats) -> tuple[Floats, Floats]:
    """The sensor's farthest depths."""
    nothing_ignored = np.full((1, 1), -1)
    far, _, _ = draw_images(frames, window, own, nothing_ignored, facing=LEFT, keeps=FARTHEST)
    return far, window


def compose_scopes(
    near: Floats, face: Ints, far: Floats, scene: Meshes, frame: Floats, window: Floats
) -> Scopes:
    """The scopes of one sensor: nearest depths and faces of the scene, farthest depths of the sensor."""
    columns, rows = (int(k) for k in window[PIXELS])
    depth, movement = float(frame[LENGTH]), float(frame[FULL])
    empty, absent = face < 0, np.isinf(far)
    mesh = np.searchsorted(scene.face_starts, face, side="right") - 1
    range_scope, mask_scope = np.where(empty, depth, near), np.where(absent, depth, depth - far)
    look_at = np.where(empty | absent, np.nan, range_scope + mask_scope - depth)
    ids = np.where(empty, -1, scene.bodies[mesh])
    shape = (rows, columns)
    r, m, gaps, numbers = (image.reshape(shape) for image in (range_scope, mask_scope, look_at, ids))
    return Scopes(r, m, gaps, numbers, movement, depth, frame, window)


def fit_windows(frames: Floats, sensors: Meshes, pixels: Ints) -> tuple[Floats, Floats]:
    """Frames that start at the sensors' rear and reach as far as they do, and windows that just hold them."""
    fitted, windows = frames.copy(), np.empty((len(frames), 6))
    for i, frame in enumerate(frames):
        vertices = sensors.vertices[sensors.vertex_starts[i] : sensors.vertex_starts[i + 1]] - frame[ORIGIN]
        local = vertices @ frame[AXES].reshape((3, 3)).T
        low, high = local.min(axis=0), local.max(axis=0)
        margin = 1e-9 * max(float(np.abs(local).max()), 1e-280)
        fitted[i, ORIGIN] = frame[ORIGIN] + (low[2] - margin) * frame[Z_AXIS]
        fitted[i, LENGTH] = frame[LENGTH] + high[2] - low[2] + 2 * margin
        windows[i] = [*(low[:2] - margin), *(high[:2] - low[:2] + 2 * margin), *pixels[i]]
    return fitted, windows


def collide_scopes(scopes: Iterable[Scopes]) -> Collision:
    """The first contacts by RADAR's listing, one for each set of scopes."""
    rows = []
    for scope in scopes:
        distance = scope.distance
        hit = distance <= scope.movement
        status = (Status.OVERLAPPING if distance < 0 else Status.HIT) if hit else Status.FREE
        is_touching, nowhere = status == Status.HIT, np.full(3, np.nan)
        nearest = scope.ids.ravel()[np.argmin(np.where(np.isnan(scope.look_at), np.inf, scope.look_at))]
        distance = max(distance, 0.0) if hit else np.inf
        t = distance / scope.movement if hit else np.nan
        bound = t if hit else np.inf
        point, normal = (scope.center(), scope.normal()) if is_touching else (nowhere, nowhere)
        body = nearest if hit else -1
        rows.append((status.value, hit, t, point, normal, distance, bound, bound, body, [-1, -1], 0))
    return Collision(*(np.array(column) for column in zip(*rows, strict=True)))


def _find_row_ends(chosen: Bools) -> Ints:
    """The first and last chosen pixel of every row, in reading order. They have the same hull."""
    row = np.nonzero(chosen)[0]
    first = np.searchsorted(row, np.unique(row))
    last = np.searchsorted(row, np.unique(row), side="right") - 1
    return np.unique(np.concatenate([first, last]))


def _find_hull(points: Floats) -> Ints:
    """The convex hull of points of a plane, counter-clockwise: Andrew's chains."""
    order = np.lexsort((points[:, 1], points[:, 0]))

    def chain(indices: Ints) -> list[int]:
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
    """RADAR sec. 3.3: the mask is drawn once for a shape and a direction, and the view volume shrinks to it.

    This is the paper's dynamic view volume, errata repaired. After a change the mask is drawn at the largest
    size. The next detection reads the sensor's width and height from it, rounded outward to whole pixels, and
    draws it again at that size, which the listing omits. A change during a reset starts the reset again.

    Parameters
    ----------
    sensor
        A Mesh or Meshes of one.
    max_size
        Width and height of an image that holds every shape of the sensor.
    pixels
        Columns and rows, or one number for both.

    >>> import ougi
    >>> from ougi.radar import MaskReuse
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> sensor = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> target = sensor.transformed(ougi.Pose([3, 0, 0]))
    >>> reuse, step = MaskReuse(sensor, max_size=(4, 4), pixels=16), ougi.Translation3d([5, 0, 0])
    >>> distances = [reuse.draw(step, target).distance for _ in range(5)]
    >>> reuse.mask_count  # at the largest size, and at the sensor's own
    2
    """

    def __init__(self, sensor: Mesh | Meshes, max_size: ArrayLike, pixels: ArrayLike = 25) -> None:
        size = _check.vectors("max_size", max_size, 2)
        if size.shape != (2,) or not (size > 0).all():
            raise ValueError(f"max_size must be a positive width and height, got {max_size!r}")
        self.sensor = _check_single(sensor)
        self.max_size = size
        self.pixels = read_pixels(pixels, 1)
        self.mask_count = 0
        self._mask: tuple[Floats, Floats] | None = None
        self._resets, self._is_full_size = True, False
        self._direction: Floats | None = None

    def replace_sensor(self, sensor: Mesh | Meshes) -> None:
        """Set a sensor of another shape or attitude. Its mask is drawn again."""
        self.sensor, self._resets, self._is_full_size = _check_single(sensor), True, False

    def move_sensor(self, sensor: Mesh | Meshes) -> None:
        """Set a sensor of the same shape and attitude at another position. The mask stays."""
        self.sensor = _check_single(sensor)

    def draw(self, motion: Translation3d, scene: MeshesLike, *, ignore: ArrayLike = ()) -> Scopes:
        """Draw the scopes of one detection: the scene, and the mask if it has to be."""
        targets = as_meshes("scene", scene)
        frames, window = fit_windows(
            make_frames(check_translation(motion), self.sensor), self.sensor, self.pixels
        )
        direction = motion.offset / np.linalg.norm(motion.offset)
        if self._direction is None or not np.allclose(direction, self._direction, rtol=0, atol=1e-12):
            self._resets, self._is_full_size, self._direction = True, False, direction
        if self._resets:
            size = self._shrink_window() if self._is_full_size else self._enlarge_window(window)
            self._mask = _draw_mask(self.sensor, frames, size)
            self.mask_count += 1
            self._resets, self._is_full_size = not self._is_full_size, True
        assert self._mask is not None
        return _draw_scene(frames, targets, read_ignored(ignore, 1), *self._mask)

    def _enlarge_window(self, window: Floats) -> Floats:
        """The window of the largest size around the sensor."""
        size = window[0, SIZE]
        if (size > self.max_size).any():
            raise ValueError(f"max_size must hold the sensor, {size.tolist()}, got {self.max_size.tolist()}")
        middle = window[0, LOW] + size / 2
        return np.array([[*(middle - self.max_size / 2), *self.max_size, *self.pixels[0]]])

    def _shrink_window(self) -> Floats:
        """The pixels that show the sensor, and one more on each side, for what is beyond their centers."""
        assert self._mask is not None
        far, window = self._mask
        columns, rows = (int(k) for k in window[0, PIXELS])
        is_seen = ~np.isinf(far.reshape((rows, columns)))
        if not is_seen.any():
            return window
        j, i = np.nonzero(is_seen)
        low = np.array([max(i.min() - 1, 0), max(j.min() - 1, 0)])
        high = np.array([min(i.max() + 2, columns), min(j.max() + 2, rows)])
        pixel = window[0, SIZE] / window[0, PIXELS]
        return np.array([[*(window[0, LOW] + low * pixel), *((high - low) * pixel), columns, rows]])
