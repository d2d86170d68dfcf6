"""Trajectories as JSON and NumPy files: the names of their columns and a table (rows, columns).

Everything that is wrong is a ValueError, because the files have no lines that a message could name.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.scene.limits import Budget, LimitError


def read_json(content: bytes, joints: list[str], budget: Budget) -> tuple[list[str], Floats]:
    """Columns by name, or a JointTrajectory of ROS: `joint_names`, and `points` with positions and times.

    >>> from ougi.scene.limits import Budget
    >>> text = b'{"joint_names": ["turn"], "points": [{"positions": [0.5], "time_from_start": 2}]}'
    >>> read_json(text, ["turn"], Budget(None))
    (['time', 'turn'], array([[2. , 0.5]]))
    """
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not valid JSON: {error}") from None
    if not isinstance(document, dict):
        raise ValueError('a trajectory is an object of columns: {"time": [...], "joint": [...]}')
    if "points" not in document:
        return _join_columns(document, budget)
    names, points = document.get("joint_names"), document["points"]
    if not isinstance(names, list) or not isinstance(points, list):
        raise ValueError("joint_names and points must be lists")
    budget.take("keys", len(points) * (len(names) + 1), "the number of cells")
    rows = []
    for k, point in enumerate(points):
        values = point.get("positions") if isinstance(point, dict) else None
        if not isinstance(values, list) or len(values) != len(names):
            raise ValueError(f"points[{k}] must have positions, a list of {len(names)} numbers")
        rows.append([_read_seconds(point.get("time_from_start"), k), *values])
    return ["time", *map(str, names)], _to_table(rows, len(names) + 1)


def _read_seconds(value: Any, k: int) -> float:
    """A time in seconds, or as ROS stores it."""
    try:
        if isinstance(value, dict):
            seconds, rest = value.get("sec", value.get("secs")), value.get("nanosec", value.get("nsecs", 0))
            if isinstance(seconds, int) and isinstance(rest, int):
                return seconds + 1e-9 * rest
        elif isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    except OverflowError:
        return math.inf  # refused with other values that are not finite
    raise ValueError(f"points[{k}] must have time_from_start, a number of seconds or {{sec, nanosec}}")


def read_npy(content: bytes, joints: list[str], budget: Budget) -> tuple[list[str], Floats]:
    """An array (rows, 1 + joints): times, and the joints that follow no other in the order of the robot."""
    table = _read_array(content, budget)
    if table.ndim != 2 or table.shape[1] != len(joints) + 1:
        raise ValueError(
            f"the array must have shape (rows, {len(joints) + 1}), a column for each of time, "
            f"{', '.join(joints)}; got {table.shape}"
        )
    return ["time", *joints], table


def read_npz(content: bytes, joints: list[str], budget: Budget) -> tuple[list[str], Floats]:
    """Arrays of one length by name: `time` and joints."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            sizes = sum(info.file_size for info in archive.infolist())
            budget.take("scene_bytes", sizes, "the size of the arrays")
            arrays = {info.filename: archive.read(info) for info in archive.infolist()}
    except LimitError:
        raise
    except Exception as error:  # whatever a damaged file makes zipfile and its decompressors raise
        raise ValueError(f"not a valid .npz file: {error}") from error
    return _join_columns({n.removesuffix(".npy"): _read_array(x, budget) for n, x in arrays.items()}, budget)


def _read_array(content: bytes, budget: Budget) -> Floats:
    """Numbers of a .npy file. Its header is compared with its size before anything is allocated."""
    file = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(file)
        header = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = header(file)
        if dtype.kind not in "fiu" or dtype.itemsize * math.prod(shape) > len(content):
            raise ValueError(f"it must hold numbers, got {dtype} of shape {shape} in {len(content)} bytes")
        budget.take("keys", math.prod(shape), "the number of cells")
        file.seek(0)
        return np.asarray(np.lib.format.read_array(file, allow_pickle=False), np.float64)
    except LimitError:
        raise
    except Exception as error:  # whatever a damaged header makes NumPy raise
        raise ValueError(f"not a valid array of numbers: {error}") from error


def _join_columns(columns: dict[str, Any], budget: Budget) -> tuple[list[str], Floats]:
    """A table of columns of one length."""
    lengths = {}
    for name, column in columns.items():
        if not isinstance(column, list | np.ndarray) or np.ndim(column[:1]) != 1:
            raise ValueError(f"{name} must be a list of numbers")
        lengths[name] = len(column)
    if len(set(lengths.values())) > 1:
        raise ValueError(f"all columns must be of one length, got {lengths}")
    count = max(lengths.values(), default=0)
    budget.take("keys", count * len(columns), "the number of cells")
    return list(columns), _to_table(list(zip(*columns.values(), strict=True)), len(columns))


def _to_table(rows: list[Any], width: int) -> Floats:
    for k, row in enumerate(rows):
        for value in row:
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise ValueError(f"row {k} must have numbers, got {value!r}")
    try:
        return np.array(rows, np.float64).reshape((-1, width))
    except OverflowError as error:
        raise ValueError(f"a number is too large: {error}") from None
