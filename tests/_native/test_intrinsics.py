"""What is written for Numba's inside does the same as its form in plain Python."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from ougi._native import borrow, find_furthest, loop, procedure, reserve
from ougi._typing import Floats, Ints

BLOCK = 8


@loop
def find_all_furthest(numbers: Floats, spans: Ints, directions: Floats, found: Ints) -> None:
    for i in range(len(spans)):
        first, count = spans[i]
        x, y, z = directions[i]
        found[i] = find_furthest(numbers, first, count, x, y, z)


@loop
def double_borrowed(numbers: Floats, doubled: Floats) -> None:
    read, (write, factor) = borrow(numbers), borrow((doubled, 2.0))
    for i in range(len(read)):
        write[i] = factor * read[i]


COUNT = 5


@procedure
def reverse_sum(number: float) -> float:
    """Memory that a function reserves is its own, and is written before it is read."""
    numbers = reserve(COUNT)
    for k in range(COUNT):
        numbers[k] = number + k
    total = 0.0
    for k in range(COUNT):
        total = 10.0 * total + numbers[COUNT - 1 - k]
    return total + len(numbers)


@loop
def reverse_all(numbers: Floats, sums: Floats) -> None:
    for i in range(len(numbers)):
        sums[i] = reverse_sum(numbers[i])


def lay_out_blocks(points: Floats) -> Floats:
    """Blocks of the x, the y and the z of eight points; the last one repeats the first point."""
    missing = -len(points) % BLOCK
    padded = np.concatenate([points, np.broadcast_to(points[0], (missing, 3))])
    return padded.reshape(-1, BLOCK, 3).transpose(0, 2, 1).ravel()


def test_the_first_of_the_furthest_points_is_found() -> None:
    rng = np.random.default_rng(8)
    # On a lattice many points are equally far, and products are exact.
    clouds = [rng.integers(-3, 4, (count, 3)).astype(float) for count in range(1, 70) for _ in range(20)]
    directions = rng.integers(-2, 3, (len(clouds), 3)).astype(float)
    blocks = [lay_out_blocks(cloud) for cloud in clouds]
    starts = np.cumsum([0, *map(len, blocks)])[:-1]
    spans = np.column_stack([starts, [len(cloud) for cloud in clouds]])
    found = np.full(len(clouds), -1)
    find_all_furthest(np.concatenate(blocks), spans, directions, found)
    heights = [cloud @ direction for cloud, direction in zip(clouds, directions, strict=True)]
    assert found.tolist() == [int(np.argmax(each)) for each in heights]
    assert sum((each == each.max()).sum() > 1 for each in heights) > 100


@pytest.mark.parametrize("direction", [[np.nan, 0.0, 0.0], [0.0, 0.0, 0.0]])
def test_without_a_furthest_point_the_first_is_found(direction: list[float]) -> None:
    points = np.random.default_rng(1).normal(size=(20, 3))
    found = np.array([-1])
    find_all_furthest(lay_out_blocks(points), np.array([[0, 20]]), np.array([direction]), found)
    assert found[0] == 0


def test_borrowed_arrays_are_read_and_written_and_keep_their_owners() -> None:
    numbers, doubled = np.arange(5.0), np.zeros(5)
    double_borrowed(numbers, doubled)
    owners = sys.getrefcount(numbers), sys.getrefcount(doubled)
    for _ in range(100):
        double_borrowed(numbers, doubled)
    assert doubled.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert (sys.getrefcount(numbers), sys.getrefcount(doubled)) == owners


def test_reserved_memory_holds_what_is_written() -> None:
    sums = np.zeros(3)
    reverse_all(np.array([0.0, 1.0, 2.0]), sums)
    assert sums.tolist() == [43215.0, 54326.0, 65437.0]
