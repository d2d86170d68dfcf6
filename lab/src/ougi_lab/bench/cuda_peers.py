"""Candidate pairs of equal balls by other libraries on the GPU: warp where it is installed, and PyTorch."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from ougi.cli.machine import version
from ougi.cuda._driver import SIMULATED


def tasks(balls: Any, pairs: int) -> dict[str, Callable[[], int]]:
    """Library -> a function that finds all pairs, from centers that lie on the GPU already, and their number.

    Warp's numbers have 32 bits; its tree finds the pairs of boxes around the balls.
    """
    if SIMULATED:
        return {}
    reach, found = 2.0 * float(balls.radius.flat[0]), dict[str, Callable[[], int]]()
    if importlib.util.find_spec("warp"):
        from ougi_lab.bench import broad_warp

        center, room = balls.center.astype(np.float32), 4 * pairs + 64
        low, high = center - np.float32(reach / 2), center + np.float32(reach / 2)
        found["warp HashGrid"] = _counted(broad_warp.hash_grid(center, reach, room, device="cuda"))
        found["warp Bvh"] = _counted(broad_warp.bvh(low, high, room, device="cuda"))
    if importlib.util.find_spec("torch"):
        found["torch"] = _counted(_torch_grid(balls.center, reach))
    return found


def versions() -> dict[str, str | None]:
    """Of the other libraries; None where one is not installed."""
    return {name: version(name) for name in ("warp-lang", "torch")}


def _counted(search: Callable[[], Any]) -> Callable[[], int]:
    """The number on the host, as ougi's search gives it: then all is done."""
    return lambda: len(search())


# The 13 cells before a cell, of the 26 around it.
_BEFORE = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) < (0, 0, 0)]


def _torch_grid(center: Any, reach: float) -> Callable[[], Any]:
    """Cells sorted by their number; each ball against those of its own and of 13 other cells."""
    import torch

    points = torch.tensor(center, device="cuda")

    def run() -> Any:
        low = points.min(dim=0).values
        cell = ((points - low) / reach).to(torch.int64) + 1
        size = cell.max(dim=0).values + 2
        number = (cell[:, 0] * size[1] + cell[:, 1]) * size[2] + cell[:, 2]
        number, order = torch.sort(number)
        placed, each = points[order], torch.arange(len(points), device="cuda")
        parts = []
        for step in [(0, 0, 0), *_BEFORE]:
            other = number + (step[0] * size[1] + step[1]) * size[2] + step[2]
            first = torch.searchsorted(number, other)
            last = each if step == (0, 0, 0) else torch.searchsorted(number, other, right=True)
            count = last - first
            mine = torch.repeat_interleave(each, count)
            before = torch.cumsum(count, 0) - count
            theirs = torch.arange(len(mine), device="cuda") - before[mine] + first[mine]
            near = ((placed[mine] - placed[theirs]) ** 2).sum(dim=1) <= reach * reach
            parts.append(torch.stack([order[mine[near]], order[theirs[near]]], dim=1))
        return torch.cat(parts)

    return run
