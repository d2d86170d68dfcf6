"""A million characters between walls: `ougi.Corridor.step` on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi import _check
from ougi.corridor.circle_loop import STEP
from ougi.corridor.contact import Wall
from ougi.corridor.corridor import OVERLAP_TOL
from ougi.corridor.grid import Grid
from ougi.corridor.structures import SearchStructure
from ougi.corridor.trees import Tree
from ougi.cuda._drive import OUTSIDE, TOO_NEAR, UNPREPARED, move, refuse
from ougi.cuda._driver import (
    ARRAYS,
    as_stream,
    copied,
    current_device,
    empty,
    is_foreign,
    launch,
    taken,
    to_numpy,
)
from ougi.cuda.batches import OnDevice, together
from ougi.cuda.query import Where

__all__ = ["DeviceCorridor", "DeviceMoved"]


@dataclass(frozen=True, eq=False)
class DeviceMoved:
    """Characters after a frame, as in `ougi.corridor.MovedCircles`.

    Attributes
    ----------
    position, velocity
        (n, 2).
    bounce_count
        (n,), how often each of them met a wall.
    time_left
        (n,), seconds of the step that it could not use: above 0 only at the limit of bounces.
    test_count
        (n,), edges and corners that were tested.
    """

    position: Any
    velocity: Any
    bounce_count: Any
    time_left: Any
    test_count: Any


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
    >>> room = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
    >>> wall = ougi.cuda.put(room.compile(0.5))
    >>> place, way = (cuda.to_device(np.array(x)) for x in ([[1.0, 1], [2, 2]], [[10.0, 0], [1, 0]]))
    >>> moved = wall.step(place, way, 0.5, dt=1, result="numpy")      # the first bounces three times
    >>> moved.position.tolist(), moved.bounce_count.tolist()
    ([[2.0, 1.0], [3.0, 2.0]], [3, 0])
    """

    def __init__(self, structure: SearchStructure, stream: Any = 0) -> None:
        if structure.method != "reach" or structure.chain is None:
            raise ValueError(
                f"only compiled corridors are supported on the GPU, got the method {structure.method!r}: "
                "put(corridor.compile(radius))"
            )
        self.device = current_device()
        self.min_radius, self.max_radius = structure.min_radius, structure.max_radius
        self._grid = Grid(*_there(structure.tables, stream))
        self._wall = Wall(*_there(structure.wall, stream))
        self._tree = Tree(*_there(structure.chain, stream))
        self._one: dict[float, Any] = {}  # the last radius that was one for all
        self._told = f"{len(structure.wall.rows):,} segments"

    def __repr__(self) -> str:
        return f"<Corridor of {self._told}, compiled for {self._radii_told()}, on device {self.device}>"

    def _radii_told(self) -> str:
        """The radii that it was compiled for, in words."""
        if self.min_radius == self.max_radius:
            return f"the radius {self.min_radius:g}"
        return f"radii from {self.min_radius:g} to {self.max_radius:g}"

    def step(
        self,
        position: Any,
        velocity: Any,
        radius: Any,
        dt: float,
        *,
        restitution: float = 1.0,
        max_bounces: int = 1000,
        check: bool = True,
        out: DeviceMoved | None = None,
        stream: Any = None,
        result: Where = "device",
    ) -> DeviceMoved:
        """Move characters for some seconds; they bounce off the wall as often as they meet it.

        Parameters
        ----------
        position, velocity
            (n, 2) float64 on the GPU, C-contiguous: arrays of CuPy, PyTorch, JAX or Numba.
        radius
            One for all, or (n,) float64 on the GPU; between `min_radius` and `max_radius`.
        dt, restitution
            As in `ougi.Corridor.step`.
        max_bounces
            A character that reaches it stands still for the rest of the frame; see `DeviceMoved.time_left`.
        check
            Look whether all circles fit where they start; that waits for the GPU. A loop that hands back what
            it got need not ask again.
        out
            An earlier answer for as many characters, whose arrays are written instead of new ones; its
            position and velocity may be those that are given.
        stream, result
            As in `ougi.cuda.intersects`.
        """
        seconds = _check.number("dt", dt, positive=True)
        bounce = _check.number("restitution", restitution, positive=False)
        if bounce > 1:
            raise ValueError(f"restitution must lie between 0 and 1, got {restitution!r}")
        most = _check.whole_number("max_bounces", max_bounces)
        if result not in ("device", "numpy"):
            raise ValueError(f"result must be 'device' or 'numpy', got {result!r}")
        together(("the corridor", self))
        on = as_stream(stream)
        place, way = _pairs("position", position, on), _pairs("velocity", velocity, on)
        n = int(place.shape[0])
        if way.shape[0] != n:
            raise ValueError(f"velocity must have shape ({n}, 2) like position, got {way.shape}")
        radii = self._radii(radius, n, on)
        if check and n:
            self._refuse_misfits(place, radii, on)
        answer = _room(n, on) if out is None else _same_size(out, n)
        parts = answer.position, answer.velocity, answer.bounce_count, answer.time_left, answer.test_count
        how = STEP, seconds, bounce, most
        launch(move, n, self._grid, self._wall, place, way, radii, *how, *parts, stream=on)
        return answer if result == "device" else DeviceMoved(*(to_numpy(part, on) for part in parts))

    def _radii(self, radius: Any, n: int, stream: Any) -> Any:
        if is_foreign(radius):
            given = taken("radius", radius, stream)
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
            raise ValueError(self._unprepared(size))
        if size not in self._one:
            self._one = {size: copied(np.array([size]), stream)}
        return self._one[size]

    def _unprepared(self, size: float, where: str = "") -> str:
        return (
            f"the wall was compiled for {self._radii_told()}, but radius is {size:g}{where}: "
            "put(corridor.compile(min_radius, max_radius))"
        )

    def _refuse_misfits(self, place: Any, radii: Any, stream: Any) -> None:
        n = int(place.shape[0])
        first = copied(np.full(UNPREPARED + 1, n, np.int64), stream)
        rules = self.min_radius, self.max_radius, OVERLAP_TOL
        launch(refuse, n, self._grid, self._tree, self._wall, place, radii, *rules, first, stream=stream)
        found = to_numpy(first, stream)
        for reason in (UNPREPARED, OUTSIDE, TOO_NEAR):
            k = int(found[reason])
            if k == n:
                continue
            (x, y), size = to_numpy(place, stream)[k], to_numpy(radii, stream)[k % radii.shape[0]]
            who = f"character {k} at ({x:.6g}, {y:.6g})"
            if reason == UNPREPARED:
                raise ValueError(self._unprepared(size, f" at index {k}"))
            if reason == OUTSIDE:
                raise ValueError(f"{who} is outside of the corridor")
            raise ValueError(f"{who} does not fit: a wall is nearer than its radius {size:.6g}")


def _there(parts: tuple[Any, ...], stream: Any) -> list[Any]:
    """Arrays on the GPU, numbers as they are."""
    return [copied(part, stream) if isinstance(part, np.ndarray) else part for part in parts]


def _pairs(name: str, value: Any, stream: Any) -> Any:
    array = taken(name, value, stream, ARRAYS)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype != np.float64:
        raise ValueError(f"{name} must be float64 of shape (n, 2), got {array.dtype} of shape {array.shape}")
    if not array.is_c_contiguous():
        raise ValueError(f"{name} must be C-contiguous: x and y of each character side by side")
    return array


def _room(n: int, stream: Any) -> DeviceMoved:
    position, velocity = (empty((n, 2), np.float64, stream) for _ in range(2))
    left = empty((n,), np.float64, stream)
    bounces, tests = (empty((n,), np.int64, stream) for _ in range(2))
    return DeviceMoved(position, velocity, bounces, left, tests)


def _same_size(out: DeviceMoved, n: int) -> DeviceMoved:
    if not isinstance(out, DeviceMoved) or not is_foreign(out.position):
        raise TypeError("out must be an earlier answer of step with result='device'")
    if out.position.shape != (n, 2):
        raise ValueError(f"out must hold {n} characters, got {out.position.shape[0]}")
    return out
