"""Trajectories of robots: a column `time` and one column for each joint that moves.

They are CSV, JSON or NumPy files; see `ougi.scene.trajectory_formats` for the latter two.
"""

from __future__ import annotations

import csv
import io
import math
from array import array
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._typing import Floats
from ougi.scene.file_access import read_bytes
from ougi.scene.limits import Budget, LimitError
from ougi.scene.problems import Findings, suggest_name, warn_user
from ougi.scene.trajectory_formats import read_json, read_npy, read_npz

# Radians or lengths: how far beyond a limit is rounding, as of digits in a file.
_ROUNDING = 1e-3


class Mimic(NamedTuple):
    """The value of a joint that follows another one: `multiplier * value of joint + offset`."""

    joint: str
    multiplier: float
    offset: float


class Freedom(NamedTuple):
    """A degree of freedom of a joint: a rotation about an axis of its frame, or a translation along it."""

    name: str  # of its column in a trajectory
    is_rotation: bool
    axis: Floats
    limits: Floats  # lower and upper; infinite where there are none
    mimic: Mimic | None = None


def read_trajectory(
    findings: Findings, path: Path, freedoms: Sequence[Freedom], budget: Budget
) -> tuple[list[float], Floats]:
    """Times, and a column for each degree of freedom.

    Without a column a degree of freedom stays at zero, or follows the joint that it mimics.
    """
    nothing = [0.0], np.zeros((1, len(freedoms)))
    notes = Findings(path.name)
    content = read_bytes(path, budget, "scene_bytes")
    names = [freedom.name for freedom in freedoms]
    suffix = path.suffix.lower()
    if suffix in (".json", ".npy", ".npz"):
        own = [freedom.name for freedom in freedoms if freedom.mimic is None]
        read = read_json if suffix == ".json" else read_npy if suffix == ".npy" else read_npz
        try:
            header, table = read(content, own, budget)
            _check_header(notes, header, names, 0)
            _check_numbers(notes, header, table)
        except ValueError as error:  # also what exceeds a limit
            notes.add(0, str(error))
        lines = [0] * (0 if notes.problems else len(table))
    else:
        header, table, lines = _read_csv(notes, content, names, budget)
    findings.extend(notes.problems)
    if notes.problems:
        return nothing
    column = {name: k for k, name in enumerate(header)}
    times = table[:, column["time"]]
    late = np.flatnonzero(np.diff(times) <= 0)
    if len(late) or times[0] < 0:
        notes.add(lines[int(late[0]) + 1 if len(late) else 0], "times must increase, from 0 on")
        findings.extend(notes.problems)
    rows = np.zeros((len(table), len(freedoms)))
    for k, freedom in enumerate(freedoms):
        if freedom.name in column:
            rows[:, k] = table[:, column[freedom.name]]
            _warn_beyond(path.name, freedom, rows[:, k], lines)
    fill_mimics(rows, freedoms, given=column)
    return times.tolist(), rows


def _read_csv(
    notes: Findings, content: bytes, names: list[str], budget: Budget
) -> tuple[list[str], Floats, list[int]]:
    """The columns of a CSV file, their names, and the lines of rows."""
    text = content.decode("utf-8-sig", errors="replace")
    reader = csv.reader(io.StringIO(text, newline=None))  # whatever ends its lines
    header: list[str] = []
    try:
        header = [word.strip() for word in next(reader, [])]
        if len(header) == 1 and ";" in header[0]:
            raise csv.Error("the cells are separated by semicolons; separate them by commas")
        _check_header(notes, header, names, 1)
        return header, *_read_table(notes, reader, header, budget)
    except csv.Error as error:
        notes.add(reader.line_num, f"not valid CSV: {error}")
    except LimitError as error:
        notes.add(reader.line_num, str(error))
    return header, np.zeros((0, max(len(header), 1))), []


def fill_mimics(rows: Floats, freedoms: Sequence[Freedom], given: Container[str] = ()) -> None:
    """Compute the columns of degrees of freedom that follow others, except for columns that are given.

    Chains of mimics must end. A joint that is followed and has no column has the value zero.

    >>> import numpy as np
    >>> from ougi.scene.trajectory import Freedom, Mimic, fill_mimics
    >>> x, free = np.array([1.0, 0, 0]), np.array([-np.inf, np.inf])
    >>> left, mimic = Freedom("left", False, x, free), Mimic("left", -2.0, 1.0)
    >>> fingers = [left, Freedom("right", False, x, free, mimic)]
    >>> rows = np.array([[0.0, 0.0], [0.5, 0.0]])
    >>> fill_mimics(rows, fingers)
    >>> rows.tolist()
    [[0.0, 1.0], [0.5, 0.0]]
    """
    column = {freedom.name: k for k, freedom in enumerate(freedoms)}
    follows = {
        k: freedom.mimic
        for k, freedom in enumerate(freedoms)
        if freedom.mimic is not None and freedom.name not in given
    }
    while follows:
        k = next(iter(follows))
        path = [k]  # from a follower to the first column that is known
        while (source := column.get(follows[path[-1]].joint, -1)) in follows:
            path.append(source)
        for k in reversed(path):
            mimic = follows.pop(k)
            value = rows[:, column[mimic.joint]] if mimic.joint in column else 0.0
            rows[:, k] = mimic.multiplier * value + mimic.offset


def _check_header(notes: Findings, header: list[str], movable: list[str], line: int) -> None:
    """The columns must be the time and joints that move, each once."""
    if "time" not in header:
        notes.add(line, "there must be a column 'time'")
    names = set(movable)
    for word, count in Counter(header).items():
        if word != "time" and word not in names:
            notes.add(line, f"there is no joint {word!r} that moves{suggest_name(word, movable)}")
        if count > 1:
            notes.add(line, f"the column {word!r} is there twice")


def _check_numbers(notes: Findings, header: list[str], table: Floats) -> None:
    """All numbers must be finite and within the range of lengths."""
    if not len(table):
        notes.add(0, "there are no rows")
    for k, name in enumerate(header):
        bad = np.flatnonzero(~(np.abs(table[:, k]) <= _check.MAX_LENGTH))
        if len(bad):
            text = f"must be finite numbers up to {_check.MAX_LENGTH:g}"
            notes.add(0, f"{name} {text}, got {table[bad[0], k]} in row {bad[0]}")


def _read_table(
    notes: Findings, reader: Iterator[list[str]], header: list[str], budget: Budget
) -> tuple[Floats, list[int]]:
    """The numbers of all rows, and the lines on which they stand. Rows are read one by one, for memory."""
    numbers, lines = array("d"), []
    for line, row in enumerate(reader, 2):
        if not row:
            continue
        budget.take("keys", len(header), "the number of cells")
        numbers.extend(_read_numbers(notes, row, line, header))
        lines.append(line)
    if not lines:
        notes.add(0, "there are no rows")
    return np.array(numbers).reshape((-1, max(len(header), 1))), lines


def _warn_beyond(file: str, freedom: Freedom, values: Floats, lines: list[int]) -> None:
    """Warn where a joint first leaves its limits. Angles in degrees are often found by this warning."""
    lower, upper = freedom.limits
    beyond = np.flatnonzero((values < lower - _ROUNDING) | (values > upper + _ROUNDING))
    if len(beyond):
        k = int(beyond[0])
        unit = " radians" if freedom.is_rotation else ""
        text = f"joint {freedom.name!r} is at {values[k]:g}, beyond its limits, {lower:g} to {upper:g}{unit}"
        warn_user(file, text, lines[k])


def _read_numbers(notes: Findings, row: list[str], line: int, header: list[str]) -> list[float]:
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
