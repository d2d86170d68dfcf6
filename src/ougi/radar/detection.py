"""Oriented view volumes and the images that radars make of them (RADAR sec. 2): `Volume`, `detect`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Bools, Floats, Ints
from ougi.radar.meshes import Meshes, MeshesLike, as_meshes
from ougi.radar.motion_frames import AXES, FRAME_COLUMNS, FULL, LENGTH, ORIGIN
from ougi.radar.rasterizer import NEAREST, NOT_BELOW, draw
from ougi.radar.windows import COLUMNS, ROWS
from ougi.results import Result

DetectMethod: TypeAlias = Literal["point", "conservative"]

# Along a side of an image: four times what screens have, and 2 GB for one image.
MAX_PIXELS = 16_384


class Volume:
    """One box or many that radars look into, each with an image of its own size: orthographic views.

    Row 0 of an image is its lowest. Columns run along up x direction, to the left of a viewer who looks along
    the direction. Matplotlib shows it so with `imshow(image, origin="lower")` and an inverted x axis.

    Parameters
    ----------
    origin
        (..., 3), RADAR's prove point: the middle of the near side.
    direction
        (..., 3), the direction of view; any length but zero.
    size
        (..., 3), width, height and depth.
    pixels
        Columns and rows, or one number for both; for all, or (n,) or (n, 2) for n volumes. Two numbers are
        columns and rows, also for two volumes.
    up
        (..., 3), the direction that is up in the image; by default the axis of the world that is most
        perpendicular to the direction.

    >>> from ougi.radar import Volume
    >>> Volume([0, 0, 0], [0, 0, 5], size=[2, 2, 8], pixels=50)
    <Volume: 1 of 50 x 50 pixels>
    """

    def __init__(
        self,
        origin: ArrayLike,
        direction: ArrayLike,
        size: ArrayLike,
        pixels: ArrayLike = 25,
        up: ArrayLike | None = None,
    ) -> None:
        start, view = _check.vectors("origin", origin, 3), _check.unit_vectors("direction", direction, 3)
        extent = _check.vectors("size", size, 3)
        _check.refuse((extent <= 0).any(axis=-1), "size", "be positive", extent)
        shapes = {"origin": start.shape[:-1], "direction": view.shape[:-1], "size": extent.shape[:-1]}
        if up is not None:
            above = _check.unit_vectors("up", up, 3)
            shapes["up"] = above.shape[:-1]
        batch = _check.broadcast_shape(**shapes)
        if len(batch) > 1:
            raise ValueError(f"volumes must be one or a batch of shape (n,), got the batch shape {batch}")
        n = batch[0] if batch else 1
        self.shape = batch
        self.size = np.array(np.broadcast_to(extent, (n, 3)), order="C")
        self.pixels = read_pixels(pixels, n)
        z = np.broadcast_to(view, (n, 3))
        if up is None:
            above = np.eye(3)[np.argmin(np.abs(z), axis=1)]
        above = np.broadcast_to(above, (n, 3))
        across = np.cross(above, z)
        _check.refuse(np.linalg.norm(across, axis=1) < 1e-9, "up", "not be parallel to direction", above)
        x = across / np.linalg.norm(across, axis=1)[:, None]
        self.frames = np.zeros((n, FRAME_COLUMNS))
        self.frames[:, ORIGIN] = start
        self.frames[:, AXES] = np.hstack([x, np.cross(z, x), z])
        self.frames[:, LENGTH] = self.frames[:, FULL] = self.size[:, 2]

    @property
    def windows(self) -> Floats:
        """The window of each image, (n, 6): lowest u and v, width, height, columns and rows."""
        across = self.size[:, :2]
        return np.column_stack([-across / 2, across, self.pixels])

    def __len__(self) -> int:
        return len(self.frames)

    def __repr__(self) -> str:
        sides = {f"{c} x {r}" for c, r in self.pixels.tolist()}
        return f"<Volume: {len(self)} of {' and '.join(sorted(sides))} pixels>"


def read_pixels(pixels: ArrayLike, n: int) -> Ints:
    """Columns and rows (n, 2) of n radars."""
    _check.refuse_disguised("pixels", pixels)
    given = np.asarray(pixels)
    if given.dtype.kind not in "iu" or not (given > 0).all():
        raise ValueError(f"pixels must be positive integers, got {pixels!r}")
    if (given > MAX_PIXELS).any():
        raise ValueError(f"pixels must be at most {MAX_PIXELS:,} along a side, got {pixels!r}")
    if given.shape not in ((), (2,), (n,), (n, 2)):
        raise ValueError(f"pixels must be a number or two, for all or each of {n} radars, got {pixels!r}")
    if given.shape == (n,) and n != 2:
        given = given[:, None]
    return np.array(np.broadcast_to(given, (n, 2)), np.int64, order="C")


@dataclass(frozen=True, eq=False, repr=False)
class Detection(Result):
    """The bodies that radars see.

    Attributes
    ----------
    count
        (...), how many bodies are seen: RADAR (1), (2), by the faces seen and not by comparing depths with d.
    body
        (..., k), the numbers of these bodies, the nearest first; -1 where there are fewer than k.
    depth
        (..., k), the smallest depth of each of them, as far as it is seen; inf where there are fewer.
    point
        (..., 3), a point of the nearest body (conservative: at the center of its pixel); NaN if there is
        none.
    depth_image
        (..., rows, columns), the range distance scope: depths, the volume's depth where nothing is.
    body_image
        (..., rows, columns), numbers of bodies (RADAR's colour codes), -1 where nothing is.

    If the images of the volumes have different sizes, the arrays have the size of the largest. Pixels that an
    image does not have are NaN and -1.

    >>> import ougi
    >>> wall = ougi.Mesh([[-9, -9, 4], [9, -9, 4], [0, 9, 6]], [[0, 1, 2]])
    >>> ougi.radar.detect(ougi.radar.Volume([0, 0, 0], [0, 0, 1], [2, 2, 8]), wall)
    <Detection: 1 volume, 1 with bodies>
    """

    count: Ints
    body: Ints
    depth: Floats
    point: Floats
    depth_image: Floats
    body_image: Ints

    @property
    def hit(self) -> Bools:
        """(...), is any body seen?"""
        return np.asarray(self.count > 0)[()]

    def __repr__(self) -> str:
        n = np.size(self.count)
        return f"<Detection: {n} volume{'s' * (n != 1)}, {np.count_nonzero(self.count)} with bodies>"


def detect(
    volume: Volume, scene: MeshesLike, *, method: DetectMethod = "point", ignore: ArrayLike = ()
) -> Detection:
    """Find the bodies in view volumes. RADAR sec. 2.

    Parameters
    ----------
    volume
        One volume, or many of any sizes.
    scene
        Meshes, or a Mesh or several of them.
    method
        `point` samples the center of each pixel, as a renderer does, so bodies smaller than a pixel may be
        missed. `conservative` tests whole pixels: every pixel that a body reaches into is filled, and depths
        are lower bounds. In both a pixel shows one body, the nearest. Other bodies of the same pixel are not
        reported, nor are bodies behind one that `conservative` sees beside the center of a pixel.
    ignore
        Numbers of bodies that are ignored; (n, k) for each of n volumes.

    Returns
    -------
    Detection
        One entry for one volume, else one for each of them.

    >>> import ougi
    >>> from ougi.radar import Volume, detect
    >>> wall = ougi.Mesh([[-9, -9, 4], [9, -9, 4], [0, 9, 6]], [[0, 1, 2]])
    >>> seen = detect(Volume([0, 0, 0], [0, 0, 1], [2, 2, 8], pixels=4), wall)
    >>> seen.body.tolist(), round(float(seen.depth[0]), 3), seen.depth_image.shape
    ([0], 4.917, (4, 4))
    """
    if not isinstance(volume, Volume):
        raise TypeError(f"volume must be a Volume, got {type(volume).__name__}")
    if method not in get_args(DetectMethod):
        raise ValueError(f"method must be point or conservative, got {method!r}")
    targets, ignored = as_meshes("scene", scene), read_ignored(ignore, len(volume))
    keeps = NEAREST if method == "point" else NOT_BELOW
    return make_detection(
        volume, targets, *draw_images(volume.frames, volume.windows, targets, ignored, keeps=keeps)
    )


def make_detection(volume: Volume, scene: Meshes, depth: Floats, face: Ints, starts: Ints) -> Detection:
    """The result of images, one after the other in `depth` and `face`."""
    n, (columns, rows) = len(volume), volume.pixels.max(axis=0, initial=1).tolist()
    mesh = np.searchsorted(scene.face_starts, face, side="right") - 1
    ids = np.where(face >= 0, scene.bodies[mesh], -1)
    found = []
    point = np.full((n, 3), np.nan)
    depths, bodies = np.full((n, rows, columns), np.nan), np.full((n, rows, columns), -1)
    for i in range(n):
        part = slice(starts[i], starts[i + 1])
        own, z = ids[part], depth[part]
        found.append(_list_nearest(own[own >= 0], z[own >= 0]))
        width, height = volume.pixels[i].tolist()
        if len(found[-1][0]):
            point[i] = _locate_pixel(volume, i, int(np.argmin(z)), float(z.min()))
        depths[i, :height, :width] = np.where(own >= 0, z, volume.size[i, 2]).reshape((height, width))
        bodies[i, :height, :width] = own.reshape((height, width))
    count = np.array([len(body) for body, _ in found], np.int64)
    k = int(count.max(initial=0))
    body, near = np.full((n, k), -1), np.full((n, k), np.inf)
    for i, (own, z) in enumerate(found):
        body[i, : len(own)], near[i, : len(own)] = own, z
    detection = Detection(count, body, near, point, depths, bodies)
    if volume.shape:
        return detection
    single: Detection = detection[0]
    return single


def _locate_pixel(volume: Volume, i: int, pixel: int, depth: float) -> Floats:
    """The point at a depth behind the center of a pixel."""
    columns, rows = volume.pixels[i].tolist()
    width, height, _ = volume.size[i]
    u, v = ((pixel % columns + 0.5) / columns - 0.5) * width, ((pixel // columns + 0.5) / rows - 0.5) * height
    frame = volume.frames[i]
    point: Floats = frame[ORIGIN] + np.array([u, v, depth]) @ frame[AXES].reshape((3, 3))
    return point


def _list_nearest(ids: Ints, depth: Floats) -> tuple[Ints, Floats]:
    """Each number of a body once and the smallest of its depths, the nearest body first."""
    by_body = np.argsort(ids, kind="stable")
    bodies, starts = np.unique(ids[by_body], return_index=True)
    depths = np.minimum.reduceat(depth[by_body], starts) if len(starts) else np.empty(0)
    order = np.argsort(depths, kind="stable")
    return bodies[order], depths[order]


def read_ignored(ignore: ArrayLike, n: int) -> Ints:
    """Numbers of bodies that each of n radars ignores, (n, k)."""
    if isinstance(ignore, tuple) and not ignore:
        return np.empty((n, 0), np.int64)
    _check.refuse_disguised("ignore", ignore)
    given = np.asarray(ignore)
    if given.size and given.dtype.kind not in "iu":
        raise ValueError(f"ignore must be numbers of bodies, got {ignore!r}")
    if given.ndim > 2 or (given.ndim == 2 and len(given) != n):
        raise ValueError(f"ignore must have shape (k,) or ({n}, k), got {given.shape}")
    shape = n, given.shape[-1] if given.ndim else 1
    # In rows, whatever strides a broadcast has, because loops are compiled for one layout.
    return np.array(np.broadcast_to(np.atleast_1d(given), shape), np.int64, order="C")


def draw_images(
    frames: Floats,
    windows: Floats,
    scene: Meshes,
    ignored: Ints,
    *,
    facing: int = 0,
    keeps: int = 0,
    behind: Floats | None = None,
) -> tuple[Floats, Ints, Ints]:
    """Depths and faces of many images, one after the other, and where each starts."""
    starts = np.concatenate([[0], np.cumsum(windows[:, COLUMNS] * windows[:, ROWS])]).astype(np.int64)
    depth, face = np.empty(starts[-1]), np.empty(starts[-1], np.int64)
    floor = np.zeros(0) if behind is None else behind
    draw(frames, windows, starts, scene.packed, ignored, facing, keeps, floor, depth, face)
    return depth, face, starts
