"""Contact manifolds in `ougi bench narrow`, beside Coal and pymunk, which find those of one pair per call.

All pairs overlap. Coal's contact patch is a polygon of any number of corners; pymunk has two points, as ougi
has in the plane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import ougi
from ougi._native import one_thread
from ougi.cli.tables import Table
from ougi_lab.bench.measurement import Measurement, list_missing
from ougi_lab.bench.narrow_hulls import HullCase, build_coal_body, draw_case
from ougi_lab.bench.peers import Peer, build_tasks
from ougi_lab.bench.table import build_table
from ougi_lab.measure import time_interleaved

CASES = (
    HullCase("Rectangle", "Rectangle", True),
    HullCase("Box", "Box", True),
    HullCase(12, 12, True),
    HullCase(32, "Box", True),
)


@one_thread()
def measure_case(case: HullCase, tests: int, repeats: int) -> list[Measurement]:
    """Manifolds of one case, ours and theirs."""
    a, b = draw_case(case, tests)
    loops, missing = build_tasks(PEERS, a, b)
    timings = time_interleaved({"ougi": lambda: ougi.manifolds(a, b), **loops}, repeats)
    named = {"pair": case.name, "tests": a.count}
    counts = {"ougi": float(ougi.manifolds(a, b).count.mean())}
    counts |= {name: float(np.mean(loop())) for name, loop in loops.items()}
    found = []
    for name, timing in timings.items():
        ratio = None if name == "ougi" else timing.median / timings["ougi"].median
        us = timing.median * 1e6 / a.count
        facts = {"points": counts[name]}
        found.append(Measurement("narrow/manifolds", named, name, us, "us", ratio=ratio, facts=facts))
    return found + list_missing("narrow/manifolds", named, missing)


def measure(tests: int, repeats: int) -> Iterator[list[Measurement]]:
    """Measure all cases."""
    for case in CASES:
        yield measure_case(case, tests, repeats)


def _build_coal_loop(coal: Any, a: Any, b: Any) -> Callable[[], list[int]]:
    contact, patch = coal.CollisionRequest(), coal.ContactPatchRequest()
    found, patches = coal.CollisionResult(), coal.ContactPatchResult()
    objects = [(*build_coal_body(coal, a, i), *build_coal_body(coal, b, i)) for i in range(a.count)]

    def loop() -> list[int]:
        sizes = []
        for pair in objects:
            found.clear()
            patches.clear()
            coal.collide(*pair, contact, found)
            coal.computeContactPatch(*pair, found, patch, patches)
            sizes.append(patches.getContactPatch(0).size() if patches.numContactPatches() else 0)
        return sizes

    return loop


def _build_pymunk_loop(pymunk: Any, a: Any, b: Any) -> Callable[[], list[int]]:
    pairs = [tuple(_build_pymunk_body(pymunk, shape, i) for shape in (a, b)) for i in range(a.count)]

    def loop() -> list[int]:
        return [len(one.shapes_collide(other).points) for one, other in pairs]

    return loop


def _build_pymunk_body(pymunk: Any, shape: Any, i: int) -> Any:
    body = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
    body.position, body.angle = tuple(shape.center[i].tolist()), float(shape.angle[i])
    box = pymunk.Poly.create_box(body, tuple(shape.size[i].tolist()))
    box.cache_bb()
    return box


def _refuse_space(a: Any, b: Any) -> str | None:
    return "is of the plane" if a.dimension == 3 else None


def _refuse_plane(a: Any, b: Any) -> str | None:
    return "is of space" if a.dimension == 2 else None


PEERS = (
    Peer("coal", "coal", _build_coal_loop, refuses=_refuse_plane),
    Peer("pymunk", "pymunk", _build_pymunk_loop, refuses=_refuse_space),
)


def build_manifold_table(measurements: Sequence[Measurement], peers: Mapping[str, str | None]) -> Table:
    """Microseconds per manifold of ours and theirs."""
    return build_table(
        "contact manifolds of overlapping bodies, us (and times ougi's)",
        measurements,
        across="method",
        columns="points {points:.2f}",
        notes=(
            "points: mean number of ours. ougi: all manifolds in one call. All objects are built before the "
            "clock starts. coal: collide and computeContactPatch; patches have any number of corners.",
        ),
        versions=peers,
    )
