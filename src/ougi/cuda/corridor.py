"""A million characters between walls: `ougi.Corridor.step` on a GPU."""

from __future__ import annotations

from typing import Literal, get_args, overload

import numpy as np

from ougi import _check
from ougi._typing import DeviceArray, Record, Stream
from ougi.corridor.circle_loop import STEP
from ougi.corridor.contact import Wall
from ougi.corridor.corridor import OVERLAP_TOL
from ougi.corridor.grid import Grid
from ougi.corridor.results import MovedCircles
from ougi.corridor.structures import SearchStructure
from ougi.corridor.trees import SegmentTree
from ougi.cuda._circles import OUTSIDE, TOO_NEAR, UNPREPARED, check_circles, move_circles
from ougi.cuda.batches import OnDevice, require_same_device
from ougi.cuda.driver import (
    ARRAYS,
    as_device_array,
    as_stream,
    current_device,
    empty,
    is_device_array,
    launch,
    to_device,
    to_numpy,
)
from ougi.cuda.query import ResultPlace
from ougi.cuda.results import DeviceResult, require_result

__all__ = ["DeviceCorridor"]


class DeviceCorridor(OnDevice):
    """A wall on a GPU, compiled for a radius or a range of radii: made by `put(corridor.compile(radius))`.

    Attributes
    ----------
    device
        The number of the GPU.
    min_radius, max_radius
        The radii that it was compiled for.

    >>> import numpy as np, ougi.cuda
    >>> from numba import cuda
    >>> hall = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
    >>> wall = ougi.cuda.put(hall.compile(0.5))
    >>> position, velocity = (
    ...     cuda.to_device(np.array(rows)) for rows in ([[1.0, 1], [2, 2]], [[10.0, 0], [1, 0]])
    ... )
    >>> moved = wall.step(position, velocity, 0.5, dt=1, result="numpy")      # the first bounces three times
    >>> moved.position.tolist(), moved.bounce_count.tolist()
    ([[2.0, 1.0], [3.0, 2.0]], [3, 0])
    """

    def __init__(self, structure: SearchStructure, stream: Stream = 0) -> None:
        if structure.method != "reach" or structure.chain is None:
            raise ValueError(
                f"only compiled corridors are supported on the GPU, got the method {structure.method!r}: "
                "put(corridor.compile(radius))"
            )
        self.device = current_device()
        self.min_radius, self.max_radius = structure.min_radius, structure.max_radius
        self._grid = Grid(*_copy_parts(structure.tables, stream))
        self._wall = Wall(*_copy_parts(structure.wall, stream))
        self._tree = SegmentTree(*_copy_parts(structure.chain, stream))
        self._one: dict[float, DeviceArray] = {}  # the last radius that was one for all
        self._summary = f"{len(structure.wall.rows):,} segments"

    def __repr__(self) -> str:
        return (
            f"<Corridor of {self._summary}, compiled for {self._describe_radii()}, on device {self.device}>"
        )

    def _describe_radii(self) -> str:
        """The radii that it was compiled for, in words."""
        if self.min_radius == self.max_radius:
            return f"the radius {self.min_radius:g}"
        return f"radii from {self.min_radius:g} to {self.max_radius:g}"

    @overload
    def step(
        self,
        position: DeviceArray,
        velocity: DeviceArray,
        radius: float | DeviceArray,
        dt: float,
        *,
        restitution: float = ...,
        max_bounces: int = ...,
        check: bool = ...,
        out: DeviceResult[MovedCircles] | None = ...,
        stream: Stream = ...,
        result: Literal["device"] = ...,
    ) -> DeviceResult[MovedCircles]: ...
    @overload
    def step(
        self,
        position: DeviceArray,
        velocity: DeviceArray,
        radius: float | DeviceArray,
        dt: float,
        *,
        restitution: float = ...,
        max_bounces: int = ...,
        check: bool = ...,
        out: DeviceResult[MovedCircles] | None = ...,
        stream: Stream = ...,
        result: Literal["numpy"],
    ) -> MovedCircles: ...
    def step(
        self,
        position: DeviceArray,
        velocity: DeviceArray,
        radius: float | DeviceArray,
        dt: float,
        *,
        restitution: float = 1.0,
        max_bounces: int = 1000,
        check: bool = True,
        out: DeviceResult[MovedCircles] | None = None,
        stream: Stream = None,
        result: ResultPlace = "device",
    ) -> DeviceResult[MovedCircles] | MovedCircles:
        """Move characters for `dt` seconds; they bounce off the wall.

        Parameters
        ----------
        position, velocity
            (n, 2) float64 on the GPU, C-contiguous: arrays of CuPy, PyTorch, JAX or Numba.
        radius
            One for all, or (n,) float64 on the GPU; between `min_radius` and `max_radius`.
        dt, restitution
            As in `ougi.Corridor.step`.
        max_bounces
            A character that reaches it stands still for the rest of the frame; see `time_left` of the result.
        check
            Check that all circles fit where they start, which waits for the GPU. A loop over its own results
            can skip it.
        out
            An earlier result for as many characters, whose arrays are written instead of new ones; its
            position and velocity may be those that are given.
        stream, result
            As in `ougi.cuda.intersects`.
        """
        seconds = _check.number("dt", dt, positive=True)
        bounce = _check.number("restitution", restitution, positive=False)
        if bounce > 1:
            raise ValueError(f"restitution must lie between 0 and 1, got {restitution!r}")
        limit = _check.whole_number("max_bounces", max_bounces)
        _check.require_choice("result", result, get_args(ResultPlace))
        require_same_device(("the corridor", self))
        on = as_stream(stream)
        start, speed = _pairs("position", position, on), _pairs("velocity", velocity, on)
        n = int(start.shape[0])
        if speed.shape[0] != n:
            raise ValueError(f"velocity must have shape ({n}, 2) like position, got {speed.shape}")
        radii = self._radii(radius, n, on)
        if check and n:
            self._refuse_bad_circles(start, radii, on)
        moved = _allocate(n, on) if out is None else _require_size(out, n)
        how = STEP, seconds, bounce, limit
        launch(move_circles, n, self._grid, self._wall, start, speed, radii, *how, *moved.arrays, stream=on)
        return moved if result == "device" else moved.to_host(on)

    def _radii(self, radius: float | DeviceArray, n: int, stream: Stream) -> DeviceArray:
        if is_device_array(radius):
            given = as_device_array("radius", radius, stream)
            if given.shape != (n,) or given.dtype != np.float64:
                raise ValueError(
                    f"radius must be a number or ({n},) float64, got {given.dtype} of shape {given.shape}"
                )
            return given
        if np.ndim(radius):
            raise TypeError(
                f"radius must be a number or ({n},) float64 on the GPU, got host memory; {ARRAYS}"
            )
        size = _check.number("radius", radius, positive=True)
        if not self.min_radius <= size <= self.max_radius:
            raise ValueError(self._describe_unprepared(size))
        if size not in self._one:
            self._one = {size: to_device(np.array([size]), stream)}
        return self._one[size]

    def _describe_unprepared(self, size: float, where: str = "") -> str:
        return (
            f"the wall was compiled for {self._describe_radii()}, but radius is {size:g}{where}: "
            "put(corridor.compile(min_radius, max_radius))"
        )

    def _refuse_bad_circles(self, position: DeviceArray, radii: DeviceArray, stream: Stream) -> None:
        n = int(position.shape[0])
        first = to_device(np.full(UNPREPARED + 1, n, np.int64), stream)
        rules = self.min_radius, self.max_radius, OVERLAP_TOL
        launch(
            check_circles,
            n,
            self._grid,
            self._tree,
            self._wall,
            position,
            radii,
            *rules,
            first,
            stream=stream,
        )
        found = to_numpy(first, stream)
        for reason in (UNPREPARED, OUTSIDE, TOO_NEAR):
            k = int(found[reason])
            if k == n:
                continue
            (x, y), size = to_numpy(position, stream)[k], to_numpy(radii, stream)[k % radii.shape[0]]
            circle = f"character {k} at ({x:.6g}, {y:.6g})"
            if reason == UNPREPARED:
                raise ValueError(self._describe_unprepared(size, f" at index {k}"))
            if reason == OUTSIDE:
                raise ValueError(f"{circle} is outside of the corridor")
            raise ValueError(f"{circle} does not fit: a wall is nearer than its radius {size:.6g}")


def _copy_parts(parts: Record, stream: Stream) -> list[Record]:
    """Arrays on the GPU, numbers as they are."""
    return [to_device(part, stream) if isinstance(part, np.ndarray) else part for part in parts]


def _pairs(name: str, value: DeviceArray, stream: Stream) -> DeviceArray:
    array = as_device_array(name, value, stream, ARRAYS)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype != np.float64:
        raise ValueError(f"{name} must be float64 of shape (n, 2), got {array.dtype} of shape {array.shape}")
    if not array.is_c_contiguous():
        raise ValueError(f"{name} must be C-contiguous: x and y of each character side by side")
    return array


def _allocate(n: int, stream: Stream) -> DeviceResult[MovedCircles]:
    return DeviceResult(
        MovedCircles,
        position=empty((n, 2), np.float64, stream),
        velocity=empty((n, 2), np.float64, stream),
        bounce_count=empty((n,), np.int64, stream),
        time_left=empty((n,), np.float64, stream),
        test_count=empty((n,), np.int64, stream),
    )


def _require_size(out: DeviceResult[MovedCircles], n: int) -> DeviceResult[MovedCircles]:
    earlier = require_result(out, MovedCircles, "step")
    if earlier.position.shape != (n, 2):
        raise ValueError(f"out must hold {n} characters, got {earlier.position.shape[0]}")
    return earlier
