"""Edges of a robot by the million: `ougi.Robot.first_contact` on a GPU."""

from __future__ import annotations

from typing import Literal, get_args, overload

import numpy as np

from ougi import _check
from ougi._typing import Array, DeviceArray, Stream
from ougi.cuda._edges import (
    EDGE_THREADS,
    allocate_memory,
    build_edges,
    count_blocks,
    find_edge_contacts,
    mark_free,
    split_edges,
)
from ougi.cuda.batches import OnDevice, require_same_device
from ougi.cuda.driver import (
    ARRAYS,
    as_device_array,
    as_stream,
    current_device,
    empty,
    get_stream_number,
    launch,
    to_device,
    to_numpy,
)
from ougi.cuda.query import QueryResult, ResultPlace
from ougi.cuda.results import DeviceResult
from ougi.kernels.robot.records import Joints, LinkShapes, Pairs, RobotWorkspace
from ougi.robot import Robot, RobotContacts
from ougi.robot.obstacles import Obstacles, require_plain
from ougi.robot.pair_table import build_workspace
from ougi.robot.robot import MAX_INTERVALS

__all__ = ["DeviceRobot"]


class DeviceRobot(OnDevice):
    """A robot among obstacles on a GPU, for a million motions at once.

    Attributes
    ----------
    device
        The number of the GPU.
    dof
        How many values a configuration has.

    >>> import pathlib, numpy as np, ougi, ougi.cuda
    >>> from numba import cuda
    >>> _ = pathlib.Path("swing.urdf").write_text('''<robot name="swing">
    ...   <link name="base"/><link name="bar"><collision><origin xyz="0.5 0 0"/>
    ...     <geometry><box size="1 0.1 0.1"/></geometry></collision></link>
    ...   <joint name="turn" type="continuous"><parent link="base"/><child link="bar"/>
    ...     <axis xyz="0 0 1"/></joint></robot>''')
    >>> swing = ougi.cuda.DeviceRobot(ougi.Robot.load("swing.urdf"), ougi.Sphere([0, 0.8, 0], 0.1))
    >>> q0, q1 = cuda.to_device(np.zeros((2, 1))), cuda.to_device(np.array([[1.0], [2.0]]))
    >>> swing.is_free(q0, q1, result="numpy").tolist()
    [True, False]
    >>> swing.first_contact(q0, q1, result="numpy").t.round(4).tolist()
    [nan, 0.6911]
    """

    def __init__(self, robot: Robot, obstacles: Obstacles = None, *, stream: Stream = None) -> None:
        """Copy a robot and its obstacles to the current GPU.

        Parameters
        ----------
        robot
            With one joint or more.
        obstacles
            As in `ougi.Robot.collides`, without compounds and solid meshes. They rest.
        stream
            Of Numba, CuPy or PyTorch: the copy goes through it.
        """
        if not robot.dof:
            raise ValueError("a robot on the GPU must have a joint, got one without")
        self.device = current_device()
        self.dof = robot.dof
        on = as_stream(stream)
        joints = robot._kinematics.joints
        prepared = robot._prepare(obstacles)
        require_plain(prepared.obstacles)
        tables = prepared.tables
        self._joints = Joints(*(_copy(column, on) for column in joints))
        self._shapes = LinkShapes(*(_copy(column, on) for column in tables.shapes))
        self._pairs = Pairs(_copy(tables.pairs.row, on), tables.pairs.n_groups)
        self._extent, self._n_shapes = tables.extent, tables.n_shapes
        self._workspace = build_workspace(joints, tables)
        self._blocks = count_blocks(self._workspace)
        self._memory: dict[int, RobotWorkspace] = {}
        self._summary = repr(robot)[1:-1]

    def __repr__(self) -> str:
        return f"<{self._summary}, on device {self.device}>"

    @overload
    def first_contact(
        self,
        q0: DeviceArray,
        q1: DeviceArray,
        *,
        tol: float = ...,
        margin: float = ...,
        max_intervals: int = ...,
        stream: Stream = ...,
        result: Literal["device"] = ...,
    ) -> DeviceResult[RobotContacts]: ...
    @overload
    def first_contact(
        self,
        q0: DeviceArray,
        q1: DeviceArray,
        *,
        tol: float = ...,
        margin: float = ...,
        max_intervals: int = ...,
        stream: Stream = ...,
        result: Literal["numpy"],
    ) -> RobotContacts: ...
    def first_contact(
        self,
        q0: DeviceArray,
        q1: DeviceArray,
        *,
        tol: float = 1e-9,
        margin: float = 0.0,
        max_intervals: int = MAX_INTERVALS,
        stream: Stream = None,
        result: ResultPlace = "device",
    ) -> DeviceResult[RobotContacts] | RobotContacts:
        """The first contact of each straight motion, as `ougi.Robot.first_contact`.

        Parameters
        ----------
        q0, q1
            (n, dof) float64 on the GPU, or (1, dof) for all; of CuPy, PyTorch, JAX or Numba. Motions with NaN
            are undecided.
        tol, margin, max_intervals
            As in `ougi.Robot.first_contact`.
        stream, result
            As in `ougi.cuda.intersects`.
        """
        rows, on = self._search(q0, q1, tol, margin, max_intervals, stream, result, any_contact=False)
        n = int(rows.shape[0])
        numbers = {name: empty((n,), np.int64, on) for name in ("status", "shape", "other", "obstacle")}
        found: DeviceResult[RobotContacts] = DeviceResult(
            RobotContacts,
            status=numbers["status"],
            hit=empty((n,), np.bool_, on),
            t=empty((n,), np.float64, on),
            point=empty((n, 3), np.float64, on),
            normal=empty((n, 3), np.float64, on),
            shape=numbers["shape"],
            other=numbers["other"],
            obstacle=numbers["obstacle"],
        )
        launch(split_edges, n, rows, self._pairs.row, self._n_shapes, *found.arrays, stream=on)
        return found if result == "device" else found.to_host(on)

    def is_free(
        self,
        q0: DeviceArray,
        q1: DeviceArray,
        *,
        tol: float = 1e-9,
        margin: float = 0.0,
        max_intervals: int = MAX_INTERVALS,
        stream: Stream = None,
        result: ResultPlace = "device",
    ) -> QueryResult:
        """Is each straight motion certified free? As `ougi.Robot.is_free`; parameters as in `first_contact`.

        Returns
        -------
        array
            (n,) bool.
        """
        rows, on = self._search(q0, q1, tol, margin, max_intervals, stream, result, any_contact=True)
        free = empty((int(rows.shape[0]),), np.bool_, on)
        launch(mark_free, rows.shape[0], rows, free, stream=on)
        return free if result == "device" else to_numpy(free, on)

    def _search(
        self,
        q0: DeviceArray,
        q1: DeviceArray,
        tol: float,
        margin: float,
        max_intervals: int,
        stream: Stream,
        result: str,
        *,
        any_contact: bool,
    ) -> tuple[DeviceArray, Stream]:
        """Rows (n, 10) of results, and the stream."""
        tol = _check.number("tol", tol, positive=True)
        margin = _check.number("margin", margin, positive=False)
        max_intervals = _check.whole_number("max_intervals", max_intervals)
        _check.require_choice("result", result, get_args(ResultPlace))
        require_same_device(("the robot", self))
        on = as_stream(stream)
        start, end = self._read_configurations("q0", q0, on), self._read_configurations("q1", q1, on)
        sizes = {int(start.shape[0]), int(end.shape[0])}
        n = 0 if 0 in sizes else max(sizes)
        if not sizes <= {1, n}:
            raise ValueError(f"q0 and q1 must have as many rows, or one, got {start.shape} and {end.shape}")
        rows = empty((n, 10), np.float64, on)
        if not n:
            return rows, on
        terms = empty((n, 2, self.dof), np.float64, on)
        launch(build_edges, n, start, end, terms, stream=on)
        memory = self._get_memory(n, on)
        inputs = (self._joints, self._shapes, self._pairs, terms)
        options = (margin, self._extent, tol, any_contact, max_intervals)
        find_edge_contacts[memory.value.shape[0], EDGE_THREADS, on](*inputs, *options, memory, rows)
        return rows, on

    def _get_memory(self, n: int, stream: Stream) -> RobotWorkspace:
        """Workspaces for n motions, kept for each stream."""
        key = get_stream_number(stream)
        if key not in self._memory or self._memory[key].value.shape[0] < min(n, self._blocks):
            self._memory[key] = allocate_memory(self._workspace, min(n, self._blocks), stream)
        return self._memory[key]

    def _read_configurations(self, name: str, value: DeviceArray, stream: Stream) -> DeviceArray:
        array = as_device_array(name, value, stream, ARRAYS)
        if array.ndim != 2 or array.shape[1] != self.dof or array.dtype != np.float64:
            raise ValueError(
                f"{name} must be float64 of shape (n, {self.dof}), got {array.dtype} of shape {array.shape}"
            )
        if not array.is_c_contiguous():
            raise ValueError(f"{name} must be C-contiguous: the values of a configuration side by side")
        return array


def _copy(column: Array, stream: Stream) -> DeviceArray:
    """A column of a table on the GPU, with a row that nothing refers to if it has none."""
    return to_device(column if len(column) else np.zeros((1, *column.shape[1:]), column.dtype), stream)
