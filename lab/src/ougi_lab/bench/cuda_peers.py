"""Candidate pairs of equal balls by other libraries on the GPU: warp where it is installed, and PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ougi.cuda.driver import SIMULATED
from ougi_lab.bench.peers import Peer


def _refuse(*case: Any) -> str | None:
    return "no GPU" if SIMULATED else None


def _count_results(search: Callable[[], Any]) -> Callable[[], int]:
    """The number on the host, as ougi's search gives it: then all is done."""
    return lambda: len(search())


def _find_reach(balls: Any) -> float:
    return 2.0 * float(balls.radius.flat[0])


def _build_warp_grid(_: Any, balls: Any, pairs: int) -> Callable[[], int]:
    from ougi_lab.bench import broad_warp

    center = balls.center.astype(np.float32)
    return _count_results(
        broad_warp.build_grid_search(center, _find_reach(balls), 4 * pairs + 64, device="cuda")
    )


def _build_warp_tree(_: Any, balls: Any, pairs: int) -> Callable[[], int]:
    """Pairs of boxes around the balls."""
    from ougi_lab.bench import broad_warp

    center, half = balls.center.astype(np.float32), np.float32(_find_reach(balls) / 2)
    return _count_results(
        broad_warp.build_tree_search(center - half, center + half, 4 * pairs + 64, device="cuda")
    )


# The 13 cells before a cell, of the 26 around it.
_BEFORE = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) < (0, 0, 0)]


def _build_torch_grid(torch: Any, balls: Any, pairs: int) -> Callable[[], int]:
    """Cells sorted by their number; each ball against those of its own and of 13 other cells."""
    points, reach = torch.tensor(balls.center, device="cuda"), _find_reach(balls)

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
            own = torch.repeat_interleave(each, count)
            before = torch.cumsum(count, 0) - count
            others = torch.arange(len(own), device="cuda") - before[own] + first[own]
            near = ((placed[own] - placed[others]) ** 2).sum(dim=1) <= reach * reach
            parts.append(torch.stack([order[own[near]], order[others[near]]], dim=1))
        return torch.cat(parts)

    return _count_results(run)


# From centers that lie on the GPU already to the number of pairs on the host. Warp's numbers have 32 bits.
PEERS = (
    Peer("warp HashGrid", "warp", _build_warp_grid, _refuse, "warp-lang"),
    Peer("warp Bvh", "warp", _build_warp_tree, _refuse, "warp-lang"),
    Peer("torch", "torch", _build_torch_grid, _refuse),
)
