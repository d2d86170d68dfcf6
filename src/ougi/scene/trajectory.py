"""Trajectories of robots: CSV files with a column `time` and one column for each joint that moves."""

from __future__ import annotations

import csv
import io
import math
import warnings
from array import array
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._typing import Floats
from ougi.motion import Pose
from ougi.scene.file_access import read_bytes
from ougi.scene.limits import Budget, LimitError
from ougi.scene.problems import Findings, suggest_name

MOVING = ("revolute", "continuous", "prismatic")

# Radians or lengths: how far beyond a limit is rounding, as of digits in a file.
_ROUNDING = 1e-3


class Joint(NamedTuple):
    """A joint of a robot, from its parent link to its child link."""

    name: str
    type: str
    parent: str
    child: str
    origin: Pose
    axis: Floats
    limits: Floats  # lower and upper; infinite where there are none
    line: int


def read_trajectory(
    findings: Findings, path: Path, joints: list[Joint], budget: Budget
) -> tuple[list[float], Floats]:
    """Times, and a column for each joint; joints without a column stay at zero."""
    nothing = [0.0], np.zeros((1, len(joints)))
    notes = Findings(path.name)
    text = read_bytes(path, budget, "scene_bytes").decode("utf-8-sig", errors="replace")
    reader = csv.reader(io.StringIO(text, newline=None))  # whatever ends its lines
    try:
        header = [word.strip() for word in next(reader, [])]
        if len(header) == 1 and ";" in header[0]:
            raise csv.Error("the cells are separated by semicolons; separate them by commas")
        _check_header(notes, header, [joint.name for joint in joints if joint.type in MOVING])
        table, lines = _table(notes, reader, header, budget)
    except csv.Error as error:
        notes.add(reader.line_num, f"not valid CSV: {error}")
    except LimitError as error:
        notes.add(reader.line_num, str(error))
    findings.extend(notes.problems)
    if notes.problems:
        return nothing
    place = {name: k for k, name in enumerate(header)}
    times = table[:, place["time"]]
    late = np.flatnonzero(np.diff(times) <= 0)
    if len(late) or times[0] < 0:
        notes.add(lines[int(late[0]) + 1 if len(late) else 0], "times must increase, from 0 on")
        findings.extend(notes.problems)
    rows = np.zeros((len(table), len(joints)))
    for k, joint in enumerate(joints):
        if joint.name in place:
            rows[:, k] = table[:, place[joint.name]]
            _warn_beyond(path.name, joint, rows[:, k], lines)
    return times.tolist(), rows


def _check_header(notes: Findings, header: list[str], movable: list[str]) -> None:
    """The first row must name the time and joints that move, each once."""
    if "time" not in header:
        notes.add(1, "there must be a column 'time'")
    names = set(movable)
    for word, count in Counter(header).items():
        if word != "time" and word not in names:
            notes.add(1, f"there is no joint {word!r} that moves{suggest_name(word, movable)}")
        if count > 1:
            notes.add(1, f"the column {word!r} is there twice")


def _table(
    notes: Findings, reader: Iterator[list[str]], header: list[str], budget: Budget
) -> tuple[Floats, list[int]]:
    """The numbers of all rows, and the lines on which they stand. Rows are read one by one, for memory."""
    numbers, lines = array("d"), []
    for line, row in enumerate(reader, 2):
        if not row:
            continue
        budget.take("keys", len(header), "the number of cells")
        numbers.extend(_numbers(notes, row, line, header))
        lines.append(line)
    if not lines:
        notes.add(0, "there are no rows")
    return np.array(numbers).reshape((-1, max(len(header), 1))), lines


def _warn_beyond(file: str, joint: Joint, values: Floats, lines: list[int]) -> None:
    """Warn where a joint first leaves its limits. Angles in degrees are often found by this warning."""
    lower, upper = joint.limits
    beyond = np.flatnonzero((values < lower - _ROUNDING) | (values > upper + _ROUNDING))
    if len(beyond):
        k = int(beyond[0])
        unit = "" if joint.type == "prismatic" else " radians"
        text = f"joint {joint.name!r} is at {values[k]:g}, beyond its limits, {lower:g} to {upper:g}{unit}"
        warnings.warn(f"{file}:{lines[k]}: {text}", stacklevel=6)  # for the caller of load_scene


def _numbers(notes: Findings, row: list[str], line: int, header: list[str]) -> list[float]:
    """The numbers of a row of the trajectory."""
    if len(row) != len(header):
        notes.add(line, f"a row must have {len(header)} cells, got {len(row)}")
        return [0.0] * len(header)
    numbers = []
    for name, cell in zip(header, row, strict=True):
        try:
            number = float(cell)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            notes.add(line, f"{name} must be a finite number, got {cell!r}")
        elif abs(number) > _check.MAX_LENGTH:
            notes.add(line, f"{name} must not exceed {_check.MAX_LENGTH:g}, got {cell!r}")
        numbers.append(number)
    return numbers
