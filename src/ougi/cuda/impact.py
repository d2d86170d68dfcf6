"""First contacts of moving batches on a GPU."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi import _check
from ougi.cuda._arrays import broadcast_index, broadcast_listed, broadcasting
from ougi.cuda._driver import as_stream, empty, launch, reshaped, to_numpy
from ougi.cuda._loops import device_loops, run_listed
from ougi.cuda.batches import DeviceBatch, operand, put, together
from ougi.cuda.query import Where, device_pairs
from ougi.impact.kernels import loops_of_one_mover, loops_of_two_movers
from ougi.impact.tables import LAYOUTS, SHARP, Found, find, require_cylinder
from ougi.kernels.constants import FINEST_TOL
from ougi.motion import Motion, Translation3d
from ougi.shapes import Sector3d, Shape

__all__ = ["DeviceImpact", "time_of_impact"]


@dataclass(frozen=True, eq=False)
class DeviceImpact:
    """First contacts, as in `ougi.FirstContacts`, component-major.

    Attributes
    ----------
    status
        (...), 0 free, 1 hit, 2 overlapping at the start, 3 undecided, as floats.
    t
        (...), time of the first contact; NaN where there is none.
    point, normal
        (3, ...), also for shapes of the plane, whose third row is 0. NaN where there is no contact, and for
        shapes that overlap at the start (`ougi.closest_points` tells the way out).
    """

    status: Any
    t: Any
    point: Any
    normal: Any


def time_of_impact(
    shape: Any,
    motion: Any,
    target: Any,
    target_motion: Any = None,
    *,
    tol: float = 1e-9,
    margin: float = 0.0,
    pairs: Any = None,
    stream: Any = None,
    result: Where = "device",
) -> DeviceImpact:
    """When does a moving shape first touch a target? As `ougi.time_of_impact`, on the GPU.

    Parameters
    ----------
    shape, motion, target, target_motion
        Batches on the GPU; motions are put there as shapes are. No meshes and no chains, for which
        `ougi.time_of_impact` answers.
    tol, margin, pairs
        As in `ougi.time_of_impact`.
    stream, result
        As in `ougi.cuda.intersects`.

    >>> import math, ougi, ougi.cuda
    >>> bat = ougi.cuda.put(ougi.Box(center=[0.6, 0, 0], size=[0.8, 0.06, 0.06]))
    >>> swing = ougi.cuda.put(ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(170)))
    >>> balls = ougi.cuda.put(ougi.Sphere([[0, 0.7, 0], [0, -0.7, 0]], 0.04))
    >>> ougi.cuda.time_of_impact(bat, swing, balls, result="numpy").t.round(6).tolist()
    [0.495652, nan]
    """
    tol = _check.number("tol", tol, positive=True)
    margin = _check.number("margin", margin, positive=False)
    if result not in ("device", "numpy"):
        raise ValueError(f"result must be 'device' or 'numpy', got {result!r}")
    on = as_stream(stream)
    given = {"shape": operand("shape", shape), "target": operand("target", target)}
    given["motion"] = _motion("motion", motion, given["target"])
    if target_motion is not None:
        given["target_motion"] = _motion("target_motion", target_motion, given["target"])
    for name in ("shape", "target"):
        _require_whole(name, given[name])
    together(*given.items())
    found = find(given["shape"].kind, given["target"].kind)  # type: ignore[arg-type]
    if margin > 0 and found.kernel in SHARP and target_motion is None:
        given["target_motion"] = put(Translation3d([0.0, 0.0, 0.0]), stream=on)
    asked = _Asked(given, pairs, on)
    out = empty((8, asked.size), np.float64, on)
    fill = _fill_one if "target_motion" not in given else _fill_both
    fill(found, asked, tol, margin, out)
    return _answer(out, asked.batch, result, on)


def _fill_one(found: Found, asked: _Asked, tol: float, margin: float, out: Any) -> None:
    """One body moves. The kernel may want to move the other: then by the inverse motion."""
    moving, resting = ("target", "shape") if found.swapped else ("shape", "target")
    a = (*asked.mover(moving, "motion"), tol, margin, -1.0 if found.swapped else 1.0)
    made = device_loops(loops_of_one_mover(found.kernel))
    run_listed(made, a, asked.columns(resting), asked.pairs(resting), 0, out, asked.stream)


def _fill_both(found: Found, asked: _Asked, tol: float, margin: float, out: Any) -> None:
    """Both move; the sense tells the kernel which is the target."""
    rest = max(tol, FINEST_TOL), margin, -1.0 if found.swapped else 1.0
    bodies = [asked.mover("shape", "motion"), asked.mover("target", "target_motion")]
    a, b = ((*body, *rest) for body in (reversed(bodies) if found.swapped else bodies))
    run_listed(device_loops(loops_of_two_movers(found.kernel)), a, b, asked.pairs(None), 0, out, asked.stream)


class _Asked:
    """Which entries of shapes, motions and targets each answer is about, as arrays on the GPU."""

    def __init__(self, given: dict[str, DeviceBatch], pairs: Any, stream: Any) -> None:
        self.stream = stream
        self._given = given
        self._listed: Any = None
        shapes = {name: batch.shape for name, batch in given.items()}
        if pairs is None:
            self.batch = _check.broadcast_shape(**shapes)
            self._sides = dict.fromkeys(shapes, self.batch)
        else:
            sides = [("shape", "motion"), ("target", "target_motion")]
            both = [_check.broadcast_shape(**{n: shapes[n] for n in side if n in shapes}) for side in sides]
            self._sides = {name: both[k] for k in (0, 1) for name in sides[k]}
            self._listed = device_pairs(pairs, math.prod(both[0]), math.prod(both[1]), stream)
            self.batch = (int(self._listed.shape[0]),)
        self.size = math.prod(self.batch)

    def columns(self, name: str) -> Any:
        """The columns of a shape, as the kernels of first contacts read them."""
        batch = self._given[name]
        return batch.columns(LAYOUTS[batch.kind], self.stream)  # type: ignore[index]

    def mover(self, body: str, motion: str) -> tuple[Any, Any, Any, Any]:
        """A moving body: columns of shapes and motions, and the entry of each for every answer."""
        way = self._given[motion].columns("screw3d", self.stream)
        return self.columns(body), way, self._index(body), self._index(motion)

    def _index(self, name: str) -> Any:
        """(size,): the entry of a batch for each answer."""
        out = empty((self.size, 1), np.int64, self.stream)
        self._fill(out, 0, name)
        return out.reshape((self.size,)) if self.size else empty((0,), np.int64, self.stream)

    def pairs(self, name: str | None) -> Any:
        """(size, 2): the number of each answer, and the entry of a batch; None: the number again."""
        out = empty((self.size, 2), np.int32, self.stream)
        straight = broadcasting((self.size,), (self.size,))
        launch(broadcast_index, self.size, out, 0, *straight, stream=self.stream)
        if name is None:
            launch(broadcast_index, self.size, out, 1, *straight, stream=self.stream)
        else:
            self._fill(out, 1, name)
        return out

    def _fill(self, out: Any, column: int, name: str) -> None:
        ways = broadcasting(self._given[name].shape, self._sides[name])
        if self._listed is None:
            launch(broadcast_index, self.size, out, column, *ways, stream=self.stream)
        else:
            side = 0 if name in ("shape", "motion") else 1
            launch(broadcast_listed, self.size, out, column, self._listed, side, *ways, stream=self.stream)


def _motion(name: str, value: Any, aim: DeviceBatch) -> DeviceBatch:
    if not isinstance(value, DeviceBatch):
        raise TypeError(
            f"{name} must lie on the GPU, got a {type(value).__name__} on the host: use ougi.cuda.put({name})"
        )
    if not issubclass(value.kind, Motion):
        raise TypeError(f"{name} must be a motion, got a {value.kind.__name__}")
    d = aim.kind.dimension  # type: ignore[attr-defined]
    if value.kind.dimension != d:
        raise ValueError(f"{name} must be {d}-D like the shapes, got a {value.kind.__name__}")
    return value


def _require_whole(name: str, batch: DeviceBatch) -> None:
    if not issubclass(batch.kind, Shape):
        raise TypeError(f"{name} must be a shape, got a {batch.kind.__name__}")
    if isinstance(batch._host, Sector3d):
        require_cylinder(name, batch._host)


def _answer(out: Any, batch: tuple[int, ...], result: Where, stream: Any) -> DeviceImpact:
    if result == "numpy":
        rows = to_numpy(out, stream).reshape((8, *batch))
        return DeviceImpact(rows[0], rows[1], rows[2:5], rows[5:8])
    parts = [out[0], out[1], out[2:5], out[5:8]]
    return DeviceImpact(*(reshaped(part, (*part.shape[:-1], *batch)) for part in parts))
