"""First contacts of moving batches on a GPU."""

from __future__ import annotations

import math
from typing import Literal, get_args, overload

import numpy as np

from ougi import _check
from ougi._typing import DeviceArray, Stream
from ougi.cuda._arrays import broadcast_index, broadcast_listed, broadcast_steps, split_contacts
from ougi.cuda.batches import DeviceBatch, DeviceOperand, as_device_batch, put, require_same_device
from ougi.cuda.driver import as_stream, empty, launch, reshape_array
from ougi.cuda.hulls import as_operand
from ougi.cuda.loops import device_loops, run_listed
from ougi.cuda.query import PairsLike, ResultPlace, device_pairs
from ougi.cuda.results import DeviceResult
from ougi.impact.hulls import hull_loops
from ougi.impact.kernels import loops_of_one_mover, loops_of_two_movers
from ougi.impact.tables import HULLS, LAYOUTS, SHARP, Found, find, require_cylinder
from ougi.kernels.constants import FINEST_TOL
from ougi.motion import Motion, Translation3d
from ougi.results import FirstContacts
from ougi.shapes import ConvexHull3d, ConvexPolygon2d, Sector3d, Shape

__all__ = ["time_of_impact"]


@overload
def time_of_impact(
    shape: DeviceOperand,
    motion: DeviceBatch,
    target: DeviceOperand,
    target_motion: DeviceBatch | None = ...,
    *,
    tol: float = ...,
    margin: float = ...,
    pairs: PairsLike = ...,
    stream: Stream = ...,
    result: Literal["device"] = ...,
) -> DeviceResult[FirstContacts]: ...
@overload
def time_of_impact(
    shape: DeviceOperand,
    motion: DeviceBatch,
    target: DeviceOperand,
    target_motion: DeviceBatch | None = ...,
    *,
    tol: float = ...,
    margin: float = ...,
    pairs: PairsLike = ...,
    stream: Stream = ...,
    result: Literal["numpy"],
) -> FirstContacts: ...
def time_of_impact(
    shape: DeviceOperand,
    motion: DeviceBatch,
    target: DeviceOperand,
    target_motion: DeviceBatch | None = None,
    *,
    tol: float = 1e-9,
    margin: float = 0.0,
    pairs: PairsLike = None,
    stream: Stream = None,
    result: ResultPlace = "device",
) -> DeviceResult[FirstContacts] | FirstContacts:
    """When does a moving shape first touch a target? As `ougi.time_of_impact`, on the GPU.

    Parameters
    ----------
    shape, motion, target, target_motion
        Batches on the GPU; motions are put there as shapes are. Meshes and chains are
        supported by `ougi.time_of_impact` only.
    tol, margin, pairs
        As in `ougi.time_of_impact`.
    stream, result
        As in `ougi.cuda.intersects`.

    Returns
    -------
    DeviceResult or FirstContacts
        On the device the arrays of an `ougi.FirstContacts`, on the host the class itself. Points and normals
        are NaN for shapes that overlap at the start; `ougi.closest_points` has them.

    >>> import math, ougi, ougi.cuda
    >>> bat = ougi.cuda.put(ougi.Box(center=[0.6, 0, 0], size=[0.8, 0.06, 0.06]))
    >>> swing = ougi.cuda.put(ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(170)))
    >>> balls = ougi.cuda.put(ougi.Sphere([[0, 0.7, 0], [0, -0.7, 0]], 0.04))
    >>> ougi.cuda.time_of_impact(bat, swing, balls, result="numpy").t.round(6).tolist()
    [0.495652, nan]
    """
    tol = _check.number("tol", tol, positive=True)
    margin = _check.number("margin", margin, positive=False)
    _check.require_choice("result", result, get_args(ResultPlace))
    on = as_stream(stream)
    given = {"shape": as_device_batch("shape", shape), "target": as_device_batch("target", target)}
    given["motion"] = _motion("motion", motion, given["target"])
    if target_motion is not None:
        given["target_motion"] = _motion("target_motion", target_motion, given["target"])
    for name in ("shape", "target"):
        _require_whole(name, given[name])
    require_same_device(*given.items())
    hulls = _find_hull_layout(given["shape"], given["target"])
    found = None if hulls else find(given["shape"].kind, given["target"].kind)  # type: ignore[arg-type]
    if target_motion is None and (found is None or (margin > 0 and found.kernel in SHARP)):
        given["target_motion"] = put(Translation3d([0.0, 0.0, 0.0]), stream=on)
    query = _IndexedQuery(given, pairs, on, hulls)
    out = empty((8, query.size), np.float64, on)
    if found is None:
        _fill_hulls(query, tol, margin, out)
    else:
        fill = _fill_one if "target_motion" not in given else _fill_both
        fill(found, query, tol, margin, out)
    dimension: int = given["target"].kind.dimension  # type: ignore[attr-defined]
    contacts = _split_rows(out, query.batch, dimension, on)
    return contacts if result == "device" else contacts.to_host(on)


def _fill_one(found: Found, query: _IndexedQuery, tol: float, margin: float, out: DeviceArray) -> None:
    """One body moves. If the kernel moves the other one, it moves by the inverse motion."""
    moving, resting = ("target", "shape") if found.swapped else ("shape", "target")
    a = (*query.mover(moving, "motion"), tol, margin, -1.0 if found.swapped else 1.0)
    made = device_loops(loops_of_one_mover(found.kernel))
    run_listed(made, a, query.columns(resting), query.pairs(resting), 0, out, query.stream)


def _fill_both(found: Found, query: _IndexedQuery, tol: float, margin: float, out: DeviceArray) -> None:
    """Both move; the sign marks the target."""
    rest = max(tol, FINEST_TOL), margin, -1.0 if found.swapped else 1.0
    bodies = [query.mover("shape", "motion"), query.mover("target", "target_motion")]
    a, b = ((*body, *rest) for body in (reversed(bodies) if found.swapped else bodies))
    run_listed(device_loops(loops_of_two_movers(found.kernel)), a, b, query.pairs(None), 0, out, query.stream)


def _find_hull_layout(a: DeviceBatch, b: DeviceBatch) -> str | None:
    """How both bodies are read, if one is a hull or a polygon; None for other pairs."""
    kinds = (a.kind, b.kind)
    if not {ConvexHull3d, ConvexPolygon2d} & set(kinds):
        return None
    if a.kind.dimension != b.kind.dimension or not all(  # type: ignore[attr-defined]
        kind in HULLS or (kind in LAYOUTS and LAYOUTS[kind] != "cylinder") for kind in kinds
    ):
        return None  # `find` explains why
    return "hull3d" if a.kind.dimension == 3 else "polygon2d"  # type: ignore[attr-defined]


def _fill_hulls(query: _IndexedQuery, tol: float, margin: float, out: DeviceArray) -> None:
    """Hulls and polygons: both move, and neither needs to come first."""
    rest = max(tol, FINEST_TOL), margin, 1.0
    bodies = [query.mover("shape", "motion"), query.mover("target", "target_motion")]
    a, b = ((*body, *rest) for body in bodies)
    assert query.layout is not None
    run_listed(device_loops(hull_loops(query.layout)), a, b, query.pairs(None), 0, out, query.stream)


class _IndexedQuery:
    """The entries of shapes, motions and targets that belong to each result, as arrays on the GPU.

    `layout` is that of both bodies, or None if each has the one of its class.
    """

    def __init__(
        self, given: dict[str, DeviceBatch], pairs: PairsLike, stream: Stream, layout: str | None
    ) -> None:
        self.stream, self.layout = stream, layout
        self._given = given
        self._listed: DeviceArray = None
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

    def columns(self, name: str) -> DeviceArray:
        """The columns of a shape, as the kernels of first contacts read them."""
        batch = self._given[name]
        layout = self.layout or LAYOUTS[batch.kind]  # type: ignore[index]
        return as_operand(batch.columns(layout, self.stream), layout)

    def mover(self, body: str, motion: str) -> tuple[DeviceArray, ...]:
        """A moving body: columns of shapes and motions, and the entry of each for every result."""
        screws = self._given[motion].columns("screw3d", self.stream)
        return self.columns(body), screws, self._index(body), self._index(motion)

    def _index(self, name: str) -> DeviceArray:
        """(size,): the entry of a batch for each result."""
        out = empty((self.size, 1), np.int64, self.stream)
        self._fill(out, 0, name)
        return out.reshape((self.size,)) if self.size else empty((0,), np.int64, self.stream)

    def pairs(self, name: str | None) -> DeviceArray:
        """(size, 2): the number of each result, and the entry of a batch; None: the number again."""
        out = empty((self.size, 2), np.int32, self.stream)
        straight = broadcast_steps((self.size,), (self.size,))
        launch(broadcast_index, self.size, out, 0, *straight, stream=self.stream)
        if name is None:
            launch(broadcast_index, self.size, out, 1, *straight, stream=self.stream)
        else:
            self._fill(out, 1, name)
        return out

    def _fill(self, out: DeviceArray, column: int, name: str) -> None:
        steps = broadcast_steps(self._given[name].shape, self._sides[name])
        if self._listed is None:
            launch(broadcast_index, self.size, out, column, *steps, stream=self.stream)
        else:
            side = 0 if name in ("shape", "motion") else 1
            launch(broadcast_listed, self.size, out, column, self._listed, side, *steps, stream=self.stream)


def _motion(name: str, value: DeviceBatch, aim: DeviceBatch) -> DeviceBatch:
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


def _split_rows(
    rows: DeviceArray, batch: tuple[int, ...], dimension: int, stream: Stream
) -> DeviceResult[FirstContacts]:
    """The rows that kernels write, as the arrays of `FirstContacts`."""
    n = rows.shape[1]
    flat = {
        "status": empty((n,), np.int64, stream),
        "hit": empty((n,), np.bool_, stream),
        "t": empty((n,), np.float64, stream),
        "point": empty((n, dimension), np.float64, stream),
        "normal": empty((n, dimension), np.float64, stream),
    }
    launch(split_contacts, n, rows, *flat.values(), stream=stream)
    arrays = {name: reshape_array(array, (*batch, *array.shape[1:])) for name, array in flat.items()}
    return DeviceResult(FirstContacts, **arrays)
