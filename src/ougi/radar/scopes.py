"""Oriented view volumes and the images that radars make of them (RADAR sec. 2): `Volume`, `detect`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats, Ints
from ougi.radar.meshes import Meshes, as_meshes

Coverage: TypeAlias = Literal["point", "conservative"]

# Along a side of an image: four times what screens have, and 2 GB for one image.
MOST_PIXELS = 16_384


class Volume:
    """One box or many that radars look into, each with an image of its own size: orthographic views.

    Row 0 of an image is its lowest. Columns run along up x direction, which is to the left if you look along
    the direction. So matplotlib shows it with `imshow(image, origin="lower")` and an inverted x axis.

    Parameters
    ----------
    origin
        (..., 3), RADAR's prove point: the middle of the near side.
    direction
        (..., 3), where the radar looks; any length but zero.
    size
        (..., 3), width, height and depth.
    pixels
        Columns and rows, or one number for both; for all, or (n,) or (n, 2) for n volumes. Two numbers are
        columns and rows, also of two volumes.
    up
        (..., 3), what is up in the image; by default the axis of the world that is most across the direction.

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
        start, look = _check.vectors("origin", origin, 3), _check.unit_vectors("direction", direction, 3)
        extent = _check.vectors("size", size, 3)
        _check.refuse((extent <= 0).any(axis=-1), "size", "be positive", extent)
        shapes = {"origin": start.shape[:-1], "direction": look.shape[:-1], "size": extent.shape[:-1]}
        if up is not None:
            above = _check.unit_vectors("up", up, 3)
            shapes["up"] = above.shape[:-1]
        batch = _check.broadcast_shape(**shapes)
        if len(batch) > 1:
            raise ValueError(f"volumes come one or in a row, got the batch shape {batch}")
        n = batch[0] if batch else 1
        self.shape = batch
        self.size = np.array(np.broadcast_to(extent, (n, 3)), order="C")
        self.pixels = pixels_of(pixels, n)
        z = np.broadcast_to(look, (n, 3))
        if up is None:
            above = np.eye(3)[np.argmin(np.abs(z), axis=1)]
        above = np.broadcast_to(above, (n, 3))
        across = np.cross(above, z)
        _check.refuse(np.linalg.norm(across, axis=1) < 1e-9, "up", "not be parallel to direction", above)
        x = across / np.linalg.norm(across, axis=1)[:, None]
        self.ways = np.zeros((n, 16))
        parts = (np.broadcast_to(start, (n, 3)), x, np.cross(z, x), z)
        for k, part in enumerate(parts):
            self.ways[:, 3 * k : 3 * k + 3] = part
        self.ways[:, 12] = self.ways[:, 15] = self.size[:, 2]

    @property
    def windows(self) -> Floats:
        """What each image covers, (n, 6): least u and v, width, height, columns and rows."""
        across = self.size[:, :2]
        return np.column_stack([-across / 2, across, self.pixels])

    def __len__(self) -> int:
        return len(self.ways)

    def __repr__(self) -> str:
        sides = {f"{c} x {r}" for c, r in self.pixels.tolist()}
        return f"<Volume: {len(self)} of {' and '.join(sorted(sides))} pixels>"


def pixels_of(pixels: ArrayLike, n: int) -> Ints:
    """Columns and rows of n radars."""
    _check.refuse_disguised("pixels", pixels)
    given = np.asarray(pixels)
    if given.dtype.kind not in "iu" or not (given > 0).all():
        raise ValueError(f"pixels must be positive whole numbers, got {pixels!r}")
    if (given > MOST_PIXELS).any():
        raise ValueError(f"pixels must be at most {MOST_PIXELS:,} along a side, got {pixels!r}")
    if given.shape not in ((), (2,), (n,), (n, 2)):
        raise ValueError(f"pixels must be a number or two, for all or each of {n} radars, got {pixels!r}")
    if given.shape == (n,) and n != 2:
        given = given[:, None]
    return np.array(np.broadcast_to(given, (n, 2)), np.int64, order="C")


@dataclass(frozen=True, eq=False)
class Detection:
    """What one radar sees.

    Attributes
    ----------
    found
        Is anything there? RADAR (1), (2), by the faces seen and not by comparing depths with d.
    bodies
        (k,), the numbers of the bodies seen, the nearest first.
    depths
        (k,), how near each of them comes, as far as it is seen.
    point
        (3,), a point of what is nearest (conservative: of the middle of its pixel); NaN if nothing is there.
    range
        (rows, columns), the range distance scope: depths, the volume's depth where nothing is.
    ids
        (rows, columns), numbers of bodies (RADAR's colour codes), -1 where nothing is.
    """

    found: bool
    bodies: Ints
    depths: Floats
    point: Floats
    range: Floats
    ids: Ints

    @property
    def count(self) -> int:
        """How many bodies are seen."""
        return len(self.bodies)


def detect(
    volume: Volume, scene: Any, *, coverage: Coverage = "point", ignore: ArrayLike = (), surface: bool = False
) -> Any:
    """What lies in a view volume? RADAR sec. 2.

    Parameters
    ----------
    volume
        One volume, or many of any sizes.
    scene
        Meshes, or what they are made of.
    coverage
        `point` looks through the middle of each pixel, as a renderer does: things smaller than a pixel may be
        missed. `conservative` looks at whole pixels: none into which something reaches stays empty, and
        depths are lower bounds. In both a pixel tells one body, the nearest: of two in one pixel the other
        is not told, nor is what a body hides that `conservative` sees beside a pixel's middle.
    ignore
        Numbers of bodies that are not looked at.
    surface
        Take a Mesh as a surface that may be open.

    Returns
    -------
    A Detection, or a list of them for many volumes.

    >>> import ougi
    >>> from ougi.radar import Volume, detect
    >>> wall = ougi.Mesh([[-9, -9, 4], [9, -9, 4], [0, 9, 6]], [[0, 1, 2]])
    >>> seen = detect(Volume([0, 0, 0], [0, 0, 1], [2, 2, 8], pixels=4), wall, surface=True)
    >>> seen.bodies.tolist(), round(float(seen.depths[0]), 3), seen.range.shape
    ([0], 4.917, (4, 4))
    """
    if not isinstance(volume, Volume):
        raise TypeError(f"volume must be a Volume, got {type(volume).__name__}")
    if coverage not in get_args(Coverage):
        raise ValueError(f"coverage must be point or conservative, got {coverage!r}")
    targets = as_meshes("scene", scene, surface)
    from ougi.radar._draw import NEAREST, NOT_BELOW

    keeps = NEAREST if coverage == "point" else NOT_BELOW
    depth, face, starts = drawn(
        volume.ways, volume.windows, targets, ignored(ignore, len(volume)), keeps=keeps
    )
    return detections(volume, targets, depth, face, starts)


def detections(volume: Volume, scene: Meshes, depth: Floats, face: Ints, starts: Ints) -> Any:
    """What images say, one behind the other: a Detection for one volume, a list for many."""
    seen = [
        _detection(volume, scene, i, depth[starts[i] : starts[i + 1]], face[starts[i] : starts[i + 1]])
        for i in range(len(volume))
    ]
    return seen if volume.shape else seen[0]


def _detection(volume: Volume, scene: Meshes, i: int, depth: Floats, face: Ints) -> Detection:
    columns, rows = volume.pixels[i].tolist()
    mesh = np.searchsorted(scene.parts, face, side="right") - 1
    ids = np.where(face >= 0, scene.bodies[mesh], -1)
    bodies, depths = _nearest(ids[face >= 0], depth[face >= 0])
    point = np.full(3, np.nan)
    if len(bodies):
        pixel = int(np.argmin(depth))
        size = volume.size[i]
        u = ((pixel % columns + 0.5) / columns - 0.5) * size[0]
        v = ((pixel // columns + 0.5) / rows - 0.5) * size[1]
        point = volume.ways[i, :3] + np.array([u, v, depth[pixel]]) @ volume.ways[i, 3:12].reshape((3, 3))
    filled = np.where(face >= 0, depth, volume.size[i, 2]).reshape((rows, columns))
    return Detection(bool(len(bodies)), bodies, depths, point, filled, ids.reshape((rows, columns)))


def _nearest(ids: Ints, depth: Floats) -> tuple[Ints, Floats]:
    """Each number of a body once and the least of its depths, the nearest body first."""
    by_body = np.argsort(ids, kind="stable")
    bodies, starts = np.unique(ids[by_body], return_index=True)
    depths = np.minimum.reduceat(depth[by_body], starts) if len(starts) else np.empty(0)
    order = np.argsort(depths, kind="stable")
    return bodies[order], depths[order]


def ignored(ignore: ArrayLike, n: int) -> Ints:
    """Numbers of bodies that each of n radars leaves out, (n, k)."""
    if isinstance(ignore, tuple) and not ignore:
        return np.empty((n, 0), np.int64)
    _check.refuse_disguised("ignore", ignore)
    given = np.asarray(ignore)
    if given.size and given.dtype.kind not in "iu":
        raise ValueError(f"ignore must be numbers of bodies, got {ignore!r}")
    if given.ndim > 2 or (given.ndim == 2 and len(given) != n):
        raise ValueError(f"ignore must have shape (k,) or ({n}, k), got {given.shape}")
    shape = n, given.shape[-1] if given.ndim else 1
    # In rows, whatever strides a broadcast has: loops are compiled for one layout.
    return np.array(np.broadcast_to(np.atleast_1d(given), shape), np.int64, order="C")


def drawn(
    ways: Floats,
    windows: Floats,
    scene: Meshes,
    left_out: Ints,
    *,
    facing: int = 0,
    keeps: int = 0,
    behind: Floats | None = None,
) -> tuple[Floats, Ints, Ints]:
    """Depths and faces of many images, one behind the other, and where each starts."""
    from ougi.radar._draw import draw

    starts = np.concatenate([[0], np.cumsum(windows[:, 4] * windows[:, 5])]).astype(np.int64)
    depth, face = np.empty(starts[-1]), np.empty(starts[-1], np.int64)
    floor = np.zeros(0) if behind is None else behind
    draw(ways, windows, starts, scene.packed, left_out, facing, keeps, floor, depth, face)
    return depth, face, starts
