"""Batches whose columns lie on a GPU."""

from __future__ import annotations

import importlib
import math
from typing import TYPE_CHECKING, TypeAlias, get_type_hints, overload

import numpy as np

from ougi._batch import Batch
from ougi._typing import ArrayLike, DeviceArray, Floats, Foreign, Stream
from ougi.corridor import Corridor, SearchStructure
from ougi.cuda._arrays import HULL_ROWS, copy_rows, transpose_points, write_balls
from ougi.cuda.driver import (
    as_device_array,
    as_stream,
    current_device,
    empty,
    is_device_array,
    launch,
    to_device,
)
from ougi.cuda.hulls import POLYTOPES
from ougi.impact.embed import in_space, motion_in_space
from ougi.motion import Chain, Motion, Pose
from ougi.radar import Meshes, Volume
from ougi.shapes import Compound, Cone, Ellipsoid, HalfSpace, Mesh, Point2d, Point3d, Shape

if TYPE_CHECKING:
    from ougi.cuda.corridor import DeviceCorridor
    from ougi.cuda.radar import DeviceMeshes, DeviceVolume

__all__ = ["DeviceBatch", "from_columns", "put"]

# Layouts of balls.
_BALLS = ("point3d", "sphere", "circle")

# Points without a class of their own in `ougi`: arrays (n, d) are points.
_POINTS: dict[int, type[Shape]] = {2: Point2d, 3: Point3d}


class OnDevice:
    """What lies on a GPU: the current one at the time when it is made."""

    device: int


class DeviceBatch(OnDevice):
    """Shapes or motions on a GPU: made by `put` or `from_columns`, accepted by the queries of `ougi.cuda`.

    Attributes
    ----------
    kind
        The class of the shapes or motions.
    shape
        The batch's shape.
    device
        The number of the GPU.

    >>> import ougi, ougi.cuda
    >>> balls = ougi.cuda.put(ougi.Sphere([[0, 0, 0], [3, 0, 0]], 1))
    >>> balls.kind.__name__, balls.shape, balls.reshape((2, 1)).shape
    ('Sphere', (2,), (2, 1))
    """

    def __init__(
        self, kind: type[Batch], shape: tuple[int, ...], columns: dict[str, DeviceArray], host: Batch | None
    ) -> None:
        self.kind = kind
        self.shape = shape
        self.device = current_device()
        self._columns = columns
        self._host = host

    @property
    def ndim(self) -> int:
        """The number of the batch's axes."""
        return len(self.shape)

    @property
    def count(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    @property
    def layouts(self) -> tuple[str, ...]:
        """The layouts that lie on the GPU by now."""
        return tuple(self._columns)

    def reshape(self, shape: tuple[int, ...]) -> DeviceBatch:
        """The same in another batch shape; `balls.reshape((-1, 1))` against others tests all against all."""
        shape = np.broadcast_to(np.zeros((), np.bool_), self.shape).reshape(shape).shape
        new = DeviceBatch(self.kind, shape, self._columns, self._host)
        new.device = self.device
        return new

    def columns(self, layout: str | None = None, stream: Stream = 0) -> DeviceArray:
        """The (k, n) array that kernels read; a layout is copied to the GPU when it is first needed."""
        if layout is None:
            layout = next(iter(self._columns))
        if layout not in self._columns:
            self._columns[layout] = self._lay_out(layout, stream)
        return self._columns[layout]

    def _lay_out(self, layout: str, stream: Stream) -> DeviceArray:
        if self._host is not None:
            return to_device(_host_columns(self._host, layout), stream)
        own = next(iter(self._columns))
        if (own, layout) == ("point3d", "sphere"):
            return _append_zero_row(self._columns[own], stream)
        if own in _BALLS and layout in POLYTOPES:
            return _lay_out_balls(self._columns[own], 2 if own == "circle" else 3, stream)
        if layout in POLYTOPES:
            raise ValueError(
                f"a {self.kind.__name__} from columns cannot be read as a hull; put the batch from the host"
            )
        if layout == "bounds":
            raise ValueError(
                f"the bounds of a {self.kind.__name__} are computed on the host: put it from there, "
                "or give from_columns the boxes as Aabb3d"
            )
        raise ValueError(
            f"a {self.kind.__name__} from columns of the layout {own!r} cannot be read as {layout!r}; "
            f"give from_columns the {_count_rows(layout)} rows of that layout, or put the batch from the host"
        )

    def __repr__(self) -> str:
        return f"<{self.kind.__name__} batch of shape {self.shape} on device {self.device}>"


# Operands of queries: batches, or arrays of points on the GPU.
DeviceOperand: TypeAlias = DeviceBatch | DeviceArray


@overload
def put(batch: Meshes, *, stream: Stream = ...) -> DeviceMeshes: ...
@overload
def put(batch: Volume, *, stream: Stream = ...) -> DeviceVolume: ...
@overload
def put(batch: SearchStructure, *, stream: Stream = ...) -> DeviceCorridor: ...
@overload
def put(batch: Batch | ArrayLike | DeviceBatch, *, stream: Stream = ...) -> DeviceBatch: ...
def put(batch: Foreign, *, stream: Stream = None) -> OnDevice:
    """Copy shapes, motions, points, meshes and volumes of radars, or compiled walls to the current GPU.

    Parameters
    ----------
    batch
        Any shape but a Mesh, a Compound, a half-space or a Sweep, any motion but a Chain, or points (..., d);
        for radars `ougi.radar.Meshes` and `ougi.radar.Volume`; and `corridor.compile(radius)` of an
        `ougi.Corridor`.
    stream
        Of Numba, CuPy or PyTorch: the copy goes through it.

    >>> import ougi.cuda
    >>> ougi.cuda.put(ougi.Sphere([[0, 0, 0], [3, 0, 0]], 1))
    <Sphere batch of shape (2,) on device 0>
    """
    from ougi.shapes import as_shape

    if isinstance(batch, OnDevice):
        return batch
    if is_device_array(batch):
        raise TypeError("batch lies on the GPU already; give arrays there to from_columns")
    if isinstance(batch, Meshes | Volume | SearchStructure | Corridor):
        return _put_scene(batch, as_stream(stream))
    given = batch if isinstance(batch, Batch) else as_shape("batch", batch)
    if isinstance(given, Mesh | Chain | Pose) or not isinstance(given, Shape | Motion):
        advice = "; for radars put ougi.radar.Meshes of it" if isinstance(given, Mesh) else ""
        raise TypeError(
            f"batch must be a shape or a motion of one piece, got a {type(given).__name__}{advice}"
        )
    if hasattr(given, "_intersects"):  # a Sweep is no record
        raise TypeError(f"batch must be a shape of one piece, got a {type(given).__name__}; put its sectors")
    _refuse_unknown(type(given))
    layout = given.layouts[0] if given.layouts else "screw3d"
    columns = {layout: to_device(_host_columns(given, layout), as_stream(stream))}
    return DeviceBatch(type(given), given.shape, columns, given)


def _put_scene(given: Meshes | Volume | SearchStructure | Corridor, stream: Stream) -> OnDevice:
    """Scenes and radars, and walls that were compiled."""
    from ougi.cuda.corridor import DeviceCorridor
    from ougi.cuda.radar import DeviceMeshes, DeviceVolume

    if isinstance(given, Meshes):
        return DeviceMeshes(given, stream)
    if isinstance(given, Volume):
        return DeviceVolume(given, stream)
    if isinstance(given, Corridor):
        raise TypeError("a Corridor goes to the GPU compiled for a radius: put(corridor.compile(radius))")
    return DeviceCorridor(given, stream)


def from_columns(kind: type[Batch], columns: DeviceArray, *, layout: str | None = None) -> DeviceBatch:
    """Shapes or motions whose columns lie on the GPU already; nothing is copied, nothing is checked there.

    Parameters
    ----------
    kind
        The class, such as `ougi.Sphere`.
    columns
        (k, n) float64, C-contiguous: an array of CuPy, PyTorch, JAX or Numba, by `__cuda_array_interface__`
        or DLPack. Its rows are the fields of the class's record, as `ougi.kernels.records` lists them: of a
        sphere x, y, z, radius. `kind(...).columns()` has the same rows on the host.
    layout
        Which record, where the class has several (`kind.layouts`); the first of them by default.

    >>> import ougi, ougi.cuda
    >>> from numba import cuda
    >>> columns = cuda.to_device(ougi.Sphere([[0, 0, 0], [3, 0, 0]], 1).columns().copy())
    >>> ougi.cuda.from_columns(ougi.Sphere, columns)
    <Sphere batch of shape (2,) on device 0>
    """
    if not (isinstance(kind, type) and issubclass(kind, Shape | Motion)):
        raise TypeError(f"kind must be a class of shapes or motions, got {kind!r}")
    known = kind.layouts
    if not known:
        raise TypeError(f"a {kind.__name__} has no columns of its own; put it from the host")
    _refuse_unknown(kind)
    if known[0] in POLYTOPES:
        raise TypeError(f"the columns of a {kind.__name__} hold its vertices, too; put it from the host")
    chosen = known[0] if layout is None else layout
    if chosen not in known:
        raise ValueError(f"layout must be one of {', '.join(known)} for a {kind.__name__}, got {layout!r}")
    array = as_device_array("columns", columns)
    rows = _count_rows(chosen)
    if array.ndim != 2 or array.shape[0] != rows:
        raise ValueError(f"columns must have shape ({rows}, n) for the layout {chosen!r}, got {array.shape}")
    if array.dtype != np.float64:
        raise TypeError(f"columns must be float64, got {array.dtype}; convert them on the GPU first")
    if not array.is_c_contiguous():
        raise ValueError("columns must be C-contiguous: each of the k rows in one piece")
    return DeviceBatch(kind, (array.shape[1],), {chosen: array}, None)


def _refuse_unknown(kind: type[Batch]) -> None:
    """Raise an error for classes whose kernels run on the CPU only."""
    if issubclass(kind, Compound | Cone | Ellipsoid | HalfSpace):
        raise TypeError(f"a {kind.__name__} is not supported on the GPU; query it on the CPU, by ougi")


def as_device_batch(name: str, value: DeviceOperand) -> DeviceBatch:
    """Return a batch on the GPU; an array (n, d) there is points."""
    if isinstance(value, DeviceBatch):
        return value
    if is_device_array(value):
        return _as_points(name, as_device_array(name, value))
    raise TypeError(
        f"{name} must lie on the GPU, got a {type(value).__name__} on the host: "
        f"use ougi.cuda.put({name}), or the function of ougi for the CPU"
    )


def require_same_device(*batches: tuple[str, OnDevice]) -> None:
    """Raise an error unless all lie on the current GPU."""
    now = current_device()
    for name, batch in batches:
        if batch.device != now:
            raise ValueError(
                f"{name} lies on device {batch.device}, but device {now} is current; "
                f"put {name} again, or call numba.cuda.select_device({batch.device}) first"
            )


def _host_columns(batch: Batch, layout: str) -> Floats:
    """Columns on the host; those of shapes and motions of the plane also as flat ones in space.

    The layout `bounds` is that of the boxes around shapes.
    """
    if layout == "bounds":
        assert isinstance(batch, Shape)
        return in_space(batch.bounds()).columns("aabb3d")
    if layout in (*batch.layouts, *POLYTOPES):
        return batch.columns(layout)
    if isinstance(batch, Motion):
        return motion_in_space(batch).columns(layout)
    assert isinstance(batch, Shape)
    return in_space(batch).columns(layout)


def _count_rows(layout: str) -> int:
    """Count the numbers of a record."""
    records = importlib.import_module("ougi.kernels.records")
    by_name = {name.lower(): record for name, record in vars(records).items() if isinstance(record, type)}
    return _count_numbers(by_name["vec3" if layout == "point3d" else layout])


def _count_numbers(kind: type) -> int:
    return 1 if kind is float else sum(_count_numbers(field) for field in get_type_hints(kind).values())


def _as_points(name: str, array: DeviceArray) -> DeviceBatch:
    """Points (..., d) of a device array, as columns."""
    shape = tuple(array.shape)
    if not shape or shape[-1] not in _POINTS or array.dtype != np.float64:
        raise ValueError(
            f"{name} must be float64 points (..., 2) or (..., 3), got {array.dtype} of shape {shape}; "
            "columns of shapes are given by from_columns"
        )
    if not array.is_c_contiguous():
        raise ValueError(f"{name} must be C-contiguous points (..., d)")
    kind = _POINTS[shape[-1]]
    n, d = math.prod(shape[:-1]), shape[-1]
    out = empty((3, n), np.float64)  # of the plane: circles, whose third row is the radius
    launch(transpose_points, n, array.reshape((n, d)), out)
    return DeviceBatch(kind, shape[:-1], {kind.layouts[0]: out}, None)


def _lay_out_balls(columns: DeviceArray, dimension: int, stream: Stream) -> DeviceArray:
    """Points, circles and spheres as hulls of one vertex."""
    n = columns.shape[1]
    out = empty((HULL_ROWS - (-24 // n) if n else HULL_ROWS, n), np.float64, stream)
    launch(write_balls, n, columns, dimension, out, stream=stream)
    return out


def _append_zero_row(columns: DeviceArray, stream: Stream) -> DeviceArray:
    out = empty((columns.shape[0] + 1, columns.shape[1]), np.float64, stream)
    launch(copy_rows, columns.shape[1], columns, out, stream=stream)
    return out
