"""Images of thousands of radars in one launch on a GPU: depths, bodies, and the nearest of them."""

from __future__ import annotations

from typing import Literal, get_args, overload

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, DeviceArray, Stream
from ougi.cuda._arrays import grow_bounds, reset_bounds
from ougi.cuda._images import THREADS, draw_images
from ougi.cuda.batches import OnDevice, require_same_device
from ougi.cuda.driver import (
    ARRAYS,
    SIMULATED,
    as_device_array,
    as_stream,
    current_device,
    empty,
    is_device_array,
    launch,
    to_device,
)
from ougi.cuda.query import ResultPlace
from ougi.cuda.results import DeviceResult, require_result
from ougi.radar.detection import Detection, DetectMethod, Volume, read_ignored
from ougi.radar.meshes import Meshes
from ougi.radar.packed_meshes import PackedMeshes
from ougi.radar.rasterizer import NEAREST, NOT_BELOW

__all__ = ["DeviceMeshes", "DeviceVolume", "detect"]

# Numba warns of fewer blocks; those without a radar end at once.
_MIN_BLOCKS = 1 if SIMULATED else 128


class DeviceMeshes(OnDevice):
    """Meshes on a GPU: made by `put` of `ougi.radar.Meshes`, the scene of radars.

    Attributes
    ----------
    device
        The number of the GPU.

    >>> import ougi.cuda
    >>> wall = ougi.Mesh([[-9, -9, 4], [9, -9, 4], [0, 9, 6]], [[0, 1, 2]])
    >>> ougi.cuda.put(ougi.radar.Meshes(wall))
    <Meshes: 1 meshes of 1 faces, on device 0>
    """

    def __init__(self, meshes: Meshes, stream: Stream = 0) -> None:
        self.device = current_device()
        self.packed = PackedMeshes(*(to_device(part, stream) for part in meshes.packed))
        owners = np.repeat(np.arange(len(meshes)), np.diff(meshes.vertex_starts))
        self._owners = to_device(owners, stream)
        self._summary = repr(meshes)

    def deformed(self, vertices: DeviceArray, *, stream: Stream = None) -> DeviceMeshes:
        """The same faces with other vertices, which are taken as they lie on the GPU.

        Parameters
        ----------
        vertices
            (n, 3) float64 for all meshes together, C-contiguous: an array of CuPy, PyTorch, JAX or Numba.
        stream
            As in `ougi.cuda.intersects`.
        """
        on, old = as_stream(stream), self.packed.vertices
        given = as_device_array("vertices", vertices, on, ARRAYS)
        if given.shape != old.shape or given.dtype != np.float64 or not given.is_c_contiguous():
            raise ValueError(
                f"vertices must be float64 of shape {old.shape}, C-contiguous, got {given.dtype} of shape "
                f"{given.shape}"
            )
        require_same_device(("the scene", self))
        boxes = [empty((len(self), 3), np.float64, on) for _ in range(2)]
        launch(reset_bounds, len(self), *boxes, stream=on)
        launch(grow_bounds, given.shape[0], given, self._owners, *boxes, stream=on)
        new = DeviceMeshes.__new__(DeviceMeshes)
        new.__dict__.update(self.__dict__)
        new.packed = self.packed._replace(vertices=given, lower=boxes[0], upper=boxes[1])
        return new

    def __len__(self) -> int:
        return int(self.packed.bodies.shape[0])

    def __repr__(self) -> str:
        return f"{self._summary[:-1]}, on device {self.device}>"


class DeviceVolume(OnDevice):
    """View volumes on a GPU: made by `put` of `ougi.radar.Volume`; all have images of one size.

    Attributes
    ----------
    device
        The number of the GPU.
    shape
        The batch's shape: () for a single volume.
    columns, rows
        Pixels of each image.

    >>> import ougi.cuda
    >>> ougi.cuda.put(ougi.radar.Volume([[0, 0, 0], [0, 0, 9]], [0, 0, 1], [2, 2, 8], pixels=4))
    <Volume: 2 of 4 x 4 pixels, on device 0>
    """

    def __init__(self, volume: Volume, stream: Stream = 0) -> None:
        sides = [f"{c} x {r}" for c, r in np.unique(volume.pixels, axis=0)]
        if len(sides) > 1:
            raise ValueError(
                f"volumes on the GPU have images of one size, got {' and '.join(sides)} pixels: "
                "put those of each size by themselves"
            )
        self.device = current_device()
        self.shape = volume.shape
        self.columns, self.rows = (int(side) for side in volume.pixels[0]) if len(volume) else (1, 1)
        self.frames, self.windows = to_device(volume.frames, stream), to_device(volume.windows, stream)

    def __len__(self) -> int:
        return int(self.frames.shape[0])

    def __repr__(self) -> str:
        return f"<Volume: {len(self)} of {self.columns} x {self.rows} pixels, on device {self.device}>"


@overload
def detect(
    volume: DeviceVolume,
    scene: DeviceMeshes,
    *,
    method: DetectMethod = ...,
    ignore: ArrayLike | DeviceArray = ...,
    max_bodies: int = ...,
    out: DeviceResult[Detection] | None = ...,
    stream: Stream = ...,
    result: Literal["device"] = ...,
) -> DeviceResult[Detection]: ...
@overload
def detect(
    volume: DeviceVolume,
    scene: DeviceMeshes,
    *,
    method: DetectMethod = ...,
    ignore: ArrayLike | DeviceArray = ...,
    max_bodies: int = ...,
    out: DeviceResult[Detection] | None = ...,
    stream: Stream = ...,
    result: Literal["numpy"],
) -> Detection: ...
def detect(
    volume: DeviceVolume,
    scene: DeviceMeshes,
    *,
    method: DetectMethod = "point",
    ignore: ArrayLike | DeviceArray = (),
    max_bodies: int = 8,
    out: DeviceResult[Detection] | None = None,
    stream: Stream = None,
    result: ResultPlace = "device",
) -> DeviceResult[Detection] | Detection:
    """Find what lies in view volumes: `ougi.radar.detect` for all of them in one launch.

    Parameters
    ----------
    volume, scene
        `ougi.radar.Volume` and `ougi.radar.Meshes` that were put on the GPU.
    method
        As in `ougi.radar.detect`.
    ignore
        Numbers of bodies that are skipped: (k,), or (n, k) for each of n radars, on the host or, as
        int64 (n, k), on the GPU.
    max_bodies
        How many bodies are listed for each radar; `count` counts them all. Entries of `body` and `depth`
        beyond them are -1 and inf.
    out
        An earlier result for as many radars, whose arrays are written instead of new ones. It decides
        `max_bodies`.
    stream, result
        As in `ougi.cuda.intersects`.

    Returns
    -------
    DeviceResult or Detection
        On the device the arrays of a `Detection` of n radars; on the host an `ougi.radar.Detection`.

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
    require_same_device(("volume", volume), ("scene", scene))
    _check.require_choice("method", method, get_args(DetectMethod))
    _check.require_choice("result", result, get_args(ResultPlace))
    on, image = as_stream(stream), (len(volume), volume.rows, volume.columns)
    listed = _check.whole_number("max_bodies", max_bodies)
    excluded = _read_ignored(ignore, len(volume), on)
    seen = _allocate(volume, listed, on) if out is None else _require_size(out, image)
    if len(volume):
        keeps = NEAREST if method == "point" else NOT_BELOW
        blocks = max(len(volume), _MIN_BLOCKS)
        draw_images[blocks, THREADS, on](
            volume.frames, volume.windows, scene.packed, excluded, keeps, *seen.arrays
        )
    return seen if result == "device" else seen.to_host(on)


def _allocate(volume: DeviceVolume, max_bodies: int, stream: Stream) -> DeviceResult[Detection]:
    n, image = len(volume), (len(volume), volume.rows, volume.columns)
    return DeviceResult(
        Detection,
        volume.shape,
        count=empty((n,), np.int64, stream),
        body=empty((n, max_bodies), np.int64, stream),
        depth=empty((n, max_bodies), np.float64, stream),
        point=empty((n, 3), np.float64, stream),
        depth_image=empty(image, np.float64, stream),
        body_image=empty(image, np.int64, stream),
    )


def _require_size(out: DeviceResult[Detection], image: tuple[int, int, int]) -> DeviceResult[Detection]:
    earlier = require_result(out, Detection, "detect")
    if tuple(earlier.depth_image.shape) != image:
        raise ValueError(f"out must hold images of shape {image}, got {tuple(earlier.depth_image.shape)}")
    return earlier


def _require_put(name: str, value: object, kind: type, made_of: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(
            f"{name} must be an ougi.radar.{made_of} on the GPU, got a {type(value).__name__}: use "
            f"ougi.cuda.put({name}), or ougi.radar.detect for the CPU"
        )


def _read_ignored(ignore: ArrayLike | DeviceArray, n: int, stream: Stream) -> DeviceArray:
    """Numbers of bodies that each of n radars leaves out, (n, k); at least one that no body has."""
    if is_device_array(ignore):
        given = as_device_array("ignore", ignore, stream)
        if given.ndim != 2 or given.shape[0] != n or given.dtype != np.int64:
            raise ValueError(
                f"ignore must be int64 of shape ({n}, k) on the GPU, got {given.dtype} of shape {given.shape}"
            )
        return given
    numbers = read_ignored(ignore, n)
    return to_device(numbers if numbers.shape[1] else np.full((n, 1), -1, np.int64), stream)
