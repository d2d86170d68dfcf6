"""What do thousands of radars see? Depth images, ids and what is nearest, in one launch on a GPU."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, get_args

import numpy as np

from ougi import _check
from ougi.cuda._arrays import forget_bounds, grow_bounds
from ougi.cuda._driver import (
    ARRAYS,
    SIMULATED,
    as_stream,
    copied,
    current_device,
    empty,
    is_foreign,
    launch,
    taken,
    to_numpy,
)
from ougi.cuda._scopes import THREADS, look
from ougi.cuda.batches import OnDevice, together
from ougi.cuda.query import Where
from ougi.radar.detection import DetectMethod, Volume, read_ignored
from ougi.radar.meshes import Meshes
from ougi.radar.packed_meshes import PackedMeshes
from ougi.radar.rasterizer import NEAREST, NOT_BELOW

__all__ = ["DeviceDetection", "DeviceMeshes", "DeviceVolume", "detect"]

# Numba warns of fewer blocks; those without a radar end at once.
_LEAST_BLOCKS = 1 if SIMULATED else 128


class DeviceMeshes(OnDevice):
    """Meshes on a GPU: made by `put` of `ougi.radar.Meshes`, what radars there look at.

    Attributes
    ----------
    device
        The number of the GPU.
    """

    def __init__(self, meshes: Meshes, stream: Any = 0) -> None:
        self.device = current_device()
        self.packed = PackedMeshes(*(copied(part, stream) for part in meshes.packed))
        owners = np.repeat(np.arange(len(meshes)), np.diff(meshes.vertex_starts))
        self._owners = copied(owners, stream)
        self._told = repr(meshes)

    def deformed(self, vertices: Any, *, stream: Any = None) -> DeviceMeshes:
        """The same faces with other vertices, which are taken as they lie on the GPU.

        Parameters
        ----------
        vertices
            (n, 3) float64 for all meshes together, C-contiguous: an array of CuPy, PyTorch, JAX or Numba.
        stream
            As in `ougi.cuda.intersects`.
        """
        on, old = as_stream(stream), self.packed.vertices
        given = taken("vertices", vertices, on, ARRAYS)
        if given.shape != old.shape or given.dtype != np.float64 or not given.is_c_contiguous():
            raise ValueError(
                f"vertices must be float64 of shape {old.shape}, C-contiguous, got {given.dtype} of shape "
                f"{given.shape}"
            )
        together(("the scene", self))
        boxes = [empty((len(self), 3), np.float64, on) for _ in range(2)]
        launch(forget_bounds, len(self), *boxes, stream=on)
        launch(grow_bounds, given.shape[0], given, self._owners, *boxes, stream=on)
        new = DeviceMeshes.__new__(DeviceMeshes)
        new.__dict__.update(self.__dict__)
        new.packed = self.packed._replace(vertices=given, lower=boxes[0], upper=boxes[1])
        return new

    def __len__(self) -> int:
        return int(self.packed.bodies.shape[0])

    def __repr__(self) -> str:
        return f"{self._told[:-1]}, on device {self.device}>"


class DeviceVolume(OnDevice):
    """View volumes on a GPU: made by `put` of `ougi.radar.Volume`; all have images of one size.

    Attributes
    ----------
    device
        The number of the GPU.
    columns, rows
        Pixels of each image.
    """

    def __init__(self, volume: Volume, stream: Any = 0) -> None:
        sides = [f"{c} x {r}" for c, r in np.unique(volume.pixels, axis=0)]
        if len(sides) > 1:
            raise ValueError(
                f"volumes on the GPU have images of one size, got {' and '.join(sides)} pixels: "
                "put those of each size by themselves"
            )
        self.device = current_device()
        self.columns, self.rows = (int(side) for side in volume.pixels[0]) if len(volume) else (1, 1)
        self.frames, self.windows = copied(volume.frames, stream), copied(volume.windows, stream)

    def __len__(self) -> int:
        return int(self.frames.shape[0])

    def __repr__(self) -> str:
        return f"<Volume: {len(self)} of {self.columns} x {self.rows} pixels, on device {self.device}>"


@dataclass(frozen=True, eq=False)
class DeviceDetection:
    """What n radars see, as in `ougi.radar.Detection`.

    Attributes
    ----------
    count
        (n,), how many bodies each of them sees; 0 if nothing is there.
    body, depth
        (n, k), the numbers of these bodies, the nearest first, and how near each of them comes, as far as it
        is seen; -1 and inf where there are fewer. Of more than k the farthest are left out.
    point
        (n, 3), a point of what is nearest; NaN if nothing is there.
    depth_image
        (n, rows, columns), depths; the volume's depth where nothing is.
    body_image
        (n, rows, columns), numbers of bodies, -1 where nothing is.
    """

    count: Any
    body: Any
    depth: Any
    point: Any
    depth_image: Any
    body_image: Any


def detect(
    volume: Any,
    scene: Any,
    *,
    method: DetectMethod = "point",
    ignore: Any = (),
    max_bodies: int = 8,
    out: DeviceDetection | None = None,
    stream: Any = None,
    result: Where = "device",
) -> DeviceDetection:
    """What lies in view volumes? As `ougi.radar.detect`, for all of them in one launch.

    Parameters
    ----------
    volume, scene
        `ougi.radar.Volume` and `ougi.radar.Meshes` that were put on the GPU.
    method
        As in `ougi.radar.detect`.
    ignore
        Numbers of bodies that are not looked at: (k,), or (n, k) for each of n radars, on the host or, as
        int64 (n, k), on the GPU.
    max_bodies
        How many bodies are listed for each radar; `count` counts them all.
    out
        An earlier result for as many radars, whose arrays are written instead of new ones. It decides
        `max_bodies`.
    stream, result
        As in `ougi.cuda.intersects`.

    >>> import ougi.cuda
    >>> from ougi.radar import Meshes, Volume
    >>> wall = ougi.Mesh([[-9, -9, 4], [9, -9, 4], [0, 9, 6]], [[0, 1, 2]])
    >>> scene = ougi.cuda.put(Meshes(wall))
    >>> eyes = ougi.cuda.put(Volume([[0, 0, 0], [0, 0, 9]], [0, 0, 1], [2, 2, 8], pixels=4))
    >>> seen = ougi.cuda.detect(eyes, scene, result="numpy")
    >>> seen.count.tolist(), seen.body[:, 0].tolist(), round(float(seen.depth[0, 0]), 3)
    ([1, 0], [0, -1], 4.917)
    """
    _require_put("volume", volume, DeviceVolume, "Volume")
    _require_put("scene", scene, DeviceMeshes, "Meshes")
    together(("volume", volume), ("scene", scene))
    if method not in get_args(DetectMethod):
        raise ValueError(f"method must be point or conservative, got {method!r}")
    if result not in ("device", "numpy"):
        raise ValueError(f"result must be 'device' or 'numpy', got {result!r}")
    on, image = as_stream(stream), (len(volume), volume.rows, volume.columns)
    listed = _check.whole_number("max_bodies", max_bodies)
    left_out = _ignored(ignore, len(volume), on)
    answer = _room(image, listed, on) if out is None else _same_size(out, image)
    parts = [getattr(answer, field.name) for field in fields(DeviceDetection)]
    if len(volume):
        keeps = NEAREST if method == "point" else NOT_BELOW
        blocks = max(len(volume), _LEAST_BLOCKS)
        look[blocks, THREADS, on](volume.frames, volume.windows, scene.packed, left_out, keeps, *parts)
    return answer if result == "device" else DeviceDetection(*(to_numpy(part, on) for part in parts))


def _room(image: tuple[int, int, int], max_bodies: int, stream: Any) -> DeviceDetection:
    n = image[0]
    bodies, depths = empty((n, max_bodies), np.int64, stream), empty((n, max_bodies), np.float64, stream)
    count, point = empty((n,), np.int64, stream), empty((n, 3), np.float64, stream)
    seen, ids = empty(image, np.float64, stream), empty(image, np.int64, stream)
    return DeviceDetection(count, bodies, depths, point, seen, ids)


def _same_size(out: DeviceDetection, image: tuple[int, int, int]) -> DeviceDetection:
    if not isinstance(out, DeviceDetection) or not is_foreign(out.depth_image):
        raise TypeError("out must be an earlier answer of detect with result='device'")
    if tuple(out.depth_image.shape) != image:
        raise ValueError(f"out must hold images of shape {image}, got {tuple(out.depth_image.shape)}")
    return out


def _require_put(name: str, value: Any, kind: type, made_of: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(
            f"{name} must be an ougi.radar.{made_of} on the GPU, got a {type(value).__name__}: use "
            f"ougi.cuda.put({name}), or ougi.radar.detect for the CPU"
        )


def _ignored(ignore: Any, n: int, stream: Any) -> Any:
    """Numbers of bodies that each of n radars leaves out, (n, k); at least one that no body has."""
    if is_foreign(ignore):
        given = taken("ignore", ignore, stream)
        if given.ndim != 2 or given.shape[0] != n or given.dtype != np.int64:
            raise ValueError(
                f"ignore must be int64 of shape ({n}, k) on the GPU, got {given.dtype} of shape {given.shape}"
            )
        return given
    numbers = read_ignored(ignore, n)
    return copied(numbers if numbers.shape[1] else np.full((n, 1), -1, np.int64), stream)
