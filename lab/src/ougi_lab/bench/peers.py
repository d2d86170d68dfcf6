"""Other libraries beside ours: coal and python-fcl, called in a Python loop, for five pairs that they have.

Their objects are built before the clock starts, and so are ours. They answer one pair per call; ours is asked
both ways, all pairs in one call and one pair per call. coal gets a tight tolerance for distances; everything
else is left at the defaults, with which python-fcl's capsule-box distances are off by up to 2e-3 m in 50,000
tests (coal and ours agree there to 5e-15 m).
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import ougi
from ougi._jit import one_thread
from ougi._typing import Floats
from ougi.query._tables import SEPARATION, Pair
from ougi.shapes import Box, Capsule3d, Shape, Sphere
from ougi_lab.bench.narrow import QUESTIONS, SEED, Case, Question, pair_name
from ougi_lab.measure import interleaved
from ougi_lab.scenes.batches import draw_batch

_SHARED = {(Sphere, Sphere), (Sphere, Box), (Capsule3d, Capsule3d), (Capsule3d, Box), (Box, Box)}
PAIRS = tuple(pair for pair in SEPARATION if (pair.a, pair.b) in _SHARED)

NOT_INSTALLED = 'not installed (pip install "ougi[peers]")'

# Where coal's iterations stop. Box-box distances of coal 3.0.3 lie up to 1e-6 m from ours and python-fcl's at
# its default 1e-6, 2e-10 m at this, 1.9 m at 1e-15. The 2e-10 become 4e-15 if a process asks capsule-box
# before its first box-box: this gap depends on which pairs are measured, and in which order.
_COAL_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Peer:
    """What another library said, or why it said nothing."""

    missing: str | None = None
    us: float | None = None  # microseconds per test, median
    differ: int | None = None  # tests whose answer to "do they touch?" is not ours
    worst: float | None = None  # largest difference of two distances, in metres, where both are positive


@dataclass(frozen=True)
class Row:
    """One pair and question: microseconds per test."""

    pair: str
    question: Question
    tests: int
    ougi_us: float  # all tests in one call
    ougi_single_us: float  # one test per call, as the others
    peers: dict[str, Peer]


class Placed(NamedTuple):
    """A shape in the words of coal and fcl: a solid about the origin, and where it goes."""

    solid: str
    sizes: tuple[float, ...]
    rotation: Floats
    center: Floats


def rows(chosen: Sequence[Case], tests: int, repeats: int) -> Iterator[Row]:
    """Measure the shared pairs among the chosen cases."""
    wanted = {(case.question, case.pair.a, case.pair.b) for case in chosen}
    for question in QUESTIONS:
        for pair in PAIRS:
            if (question, pair.a, pair.b) in wanted:
                with one_thread():
                    row = _measured(question, pair, tests, repeats)
                yield row


def _measured(question: Question, pair: Pair, tests: int, repeats: int) -> Row:
    a, b = draw_batch(pair.a, tests, SEED + 1), draw_batch(pair.b, tests, SEED + 2)
    ask = getattr(ougi, question)
    singles = list(zip(a, b, strict=True))
    tasks: dict[str, Callable[[], Any]] = {
        "ougi": lambda: ask(a, b),
        "ougi, single": lambda: [ask(x, y) for x, y in singles],
    }
    missing: dict[str, str] = {}
    for name, module in (("coal", "coal"), ("python-fcl", "fcl")):
        loaded = load(module)
        if isinstance(loaded, str):
            missing[name] = loaded
        else:
            tasks[name] = _LOOPS[module](loaded, question, placed(a), placed(b))
    timings = interleaved(tasks, repeats)
    us = {name: timing.median * 1e6 / tests for name, timing in timings.items()}
    peers = {name: Peer(missing=why) for name, why in missing.items()}
    for name in tasks:
        if not name.startswith("ougi"):
            peers[name] = _compared(us[name], np.asarray(ask(a, b)), np.asarray(tasks[name]()))
    return Row(pair_name(pair), question, tests, us["ougi"], us["ougi, single"], peers)


def _compared(us: float, ours: Any, theirs: Any) -> Peer:
    if ours.dtype == np.bool_:
        return Peer(us=us, differ=int(np.sum(ours != theirs)))
    apart = (ours > 0) & (theirs > 0)
    worst = np.abs(ours - theirs).max(where=apart, initial=0.0)
    return Peer(us=us, differ=int(np.sum((ours > 0) != (theirs > 0))), worst=float(worst))


def load(module: str) -> Any | str:
    """The library, or why there is none."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module:
            return NOT_INSTALLED
        return f"cannot be imported: {error}"


def _coal_loop(coal: Any, question: Question, a: list[Placed], b: list[Placed]) -> Callable[[], list[Any]]:
    def built(p: Placed) -> Any:
        return coal.CollisionObject(getattr(coal, p.solid)(*p.sizes), p.rotation, p.center)

    objects = [(built(x), built(y)) for x, y in zip(a, b, strict=True)]
    if question == "intersects":
        ask, request, result = coal.collide, coal.CollisionRequest(), coal.CollisionResult()
        request.enable_contact = False
    else:
        ask, request, result = coal.distance, coal.DistanceRequest(), coal.DistanceResult()
        request.gjk_tolerance = request.epa_tolerance = _COAL_TOLERANCE

    def loop() -> list[Any]:
        answers = []
        for x, y in objects:
            result.clear()
            answers.append(ask(x, y, request, result))
        return answers

    return _as_bools(loop) if question == "intersects" else loop


def _fcl_loop(fcl: Any, question: Question, a: list[Placed], b: list[Placed]) -> Callable[[], list[Any]]:
    def built(p: Placed) -> Any:
        return fcl.CollisionObject(getattr(fcl, p.solid)(*p.sizes), fcl.Transform(p.rotation, p.center))

    objects = [(built(x), built(y)) for x, y in zip(a, b, strict=True)]
    if question == "intersects":
        ask, request, result = fcl.collide, fcl.CollisionRequest(), fcl.CollisionResult
    else:
        ask, request, result = fcl.distance, fcl.DistanceRequest(), fcl.DistanceResult

    def loop() -> list[Any]:
        return [ask(x, y, request, result()) for x, y in objects]  # its results cannot be cleared

    return _as_bools(loop) if question == "intersects" else loop


_LOOPS = {"coal": _coal_loop, "fcl": _fcl_loop}


def _as_bools(loop: Callable[[], list[Any]]) -> Callable[[], list[Any]]:
    """`collide` returns how many contacts it found."""
    return lambda: [contacts > 0 for contacts in loop()]


@functools.singledispatch
def placed(shapes: Shape) -> list[Placed]:
    """A batch in the words of other libraries."""
    raise TypeError(f"{type(shapes).__name__} is not compared with other libraries")


@placed.register
def _(shapes: Sphere) -> list[Placed]:
    pairs = zip(shapes.radius.tolist(), shapes.center, strict=True)
    return [Placed("Sphere", (radius,), np.eye(3), center) for radius, center in pairs]


@placed.register
def _(shapes: Box) -> list[Placed]:
    fields = zip(shapes.size.tolist(), shapes.rotation, shapes.center, strict=True)
    return [Placed("Box", tuple(size), rotation, center) for size, rotation, center in fields]


@placed.register
def _(shapes: Capsule3d) -> list[Placed]:
    """Their capsules lie along z."""
    along = shapes.end - shapes.start
    length = np.linalg.norm(along, axis=-1)
    z = along / length[:, None]
    least = np.eye(3)[np.argmin(np.abs(z), axis=-1)]  # the coordinate axis most across z
    x = np.cross(least, z)
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    rotation = np.stack([x, np.cross(z, x), z], axis=-1)
    sizes = np.stack([shapes.radius, length], axis=-1).tolist()
    fields = zip(sizes, rotation, (shapes.start + shapes.end) / 2, strict=True)
    return [Placed("Capsule", tuple(size), turned, center) for size, turned, center in fields]
