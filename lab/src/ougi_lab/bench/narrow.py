"""`ougi bench narrow`: every pair of the tables, one against many and listed pairs, on one thread.

The unit is the machine's own: copying the columns of the shapes into a warm buffer. A ratio of 1 says that a
test costs as much as copying the numbers that it reads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

import ougi
from ougi._check import frozen
from ougi._jit import one_thread
from ougi._typing import Ints
from ougi.query._dispatch import pair_loops
from ougi.query._tables import TABLES, Pair
from ougi.shapes import Shape
from ougi_lab.bench.choose import choose
from ougi_lab.measure import interleaved
from ougi_lab.scenes.batches import draw_batch, draw_central, draw_index_pairs

Question: TypeAlias = Literal["intersects", "distance"]
Form: TypeAlias = Literal["one", "listed"]

QUESTIONS: tuple[Question, ...] = ("intersects", "distance")
FORMS: tuple[Form, ...] = ("one", "listed")
SEED = 20

# Ratios to the copy that `intersects` shall not exceed, one against TARGET_COUNT.
TARGET_COUNT = 100_000
TARGETS = {
    "Circle-Circle": 1.0,
    "Sphere-Sphere": 1.0,
    "Aabb2d-Aabb2d": 1.0,
    "Aabb3d-Aabb3d": 1.0,
    "Capsule2d-Capsule2d": 6.0,
    "Capsule3d-Capsule3d": 6.0,
    "Box-Box": 5.0,
    "Sector3d-Sphere": 1.5,
}
# Nanoseconds instead, where so much is computed that a copy is no measure.
TARGETS_NS = {"Sector3d-Capsule3d": 200.0}


class Case(NamedTuple):
    """What one row measures."""

    question: Question
    pair: Pair
    form: Form


@dataclass(frozen=True)
class Row:
    """What was measured: medians, in nanoseconds per test."""

    pair: str
    kernel: str
    question: Question
    form: Form
    tests: int
    hits: float  # share of the tests that touch
    kernel_ns: float  # the compiled loop alone, into an array that exists
    kernel_best_ns: float
    kernel_worst_ns: float
    public_ns: float  # ougi.intersects, ougi.distance: with checks and a new array
    copy_ns: float  # the columns of the shape(s) that one test reads afresh
    copy_best_ns: float
    ratio: float  # of the medians
    best_ratio: float  # of the best times: less at the mercy of other programs, which slow a copy most
    public_ratio: float
    target: float | None  # of `ratio`
    target_ns: float | None  # of `kernel_ns`
    met: bool | None


def pair_name(pair: Pair) -> str:
    """Such as Sphere-Box."""
    return f"{pair.a.__name__}-{pair.b.__name__}"


def cases(names: Sequence[str] = ()) -> list[Case]:
    """All cases, or those that one of the names fits: a class (Box), a pair in either order (Box-Sphere), a
    kernel (sphere_box) or a dimension (2d, 3d)."""
    every = [Case(q, pair, form) for q in QUESTIONS for pair in TABLES[q] for form in FORMS]
    advice = "give a class (Box), a pair (Sphere-Box), a kernel (sphere_box) or a dimension (2d, 3d)"
    return choose(every, names, lambda case: _names(case.pair), "pair", advice)


def _names(pair: Pair) -> set[str]:
    a, b = pair.a.__name__.lower(), pair.b.__name__.lower()
    return {a, b, f"{a}-{b}", f"{b}-{a}", pair.kernel, f"{pair.a.dimension}d"}


class Batches:
    """The seeded shapes of one run, each batch made once."""

    def __init__(self, count: int, listed: int) -> None:
        self._count = count
        self._made: dict[tuple[type[Shape], int], Shape] = {}
        self.pairs: Ints = frozen(draw_index_pairs(count, count, listed, SEED))

    def one(self, cls: type[Shape]) -> Shape:
        return draw_central(cls, SEED)

    def many(self, cls: type[Shape], side: int) -> Shape:
        """The a (side 0) or b (side 1) of listed pairs."""
        if (cls, side) not in self._made:
            self._made[cls, side] = draw_batch(cls, self._count, SEED + 1 + side)
        return self._made[cls, side]


def rows(chosen: Sequence[Case], count: int, listed: int, repeats: int) -> Iterator[Row]:
    """Measure the cases, one after the other; each interleaves the copy, the kernel and the public call.

    Listed pairs take longer, so that a third of the rounds must do for them.
    """
    batches = Batches(count, listed)
    for case in chosen:
        with one_thread():
            row = _measured(case, batches, repeats if case.form == "one" else -(-repeats // 3))
        yield row


def _measured(case: Case, batches: Batches, repeats: int) -> Row:
    layout_a, layout_b = case.pair.layouts
    loops = pair_loops(case.question, case.pair.kernel)
    ask = getattr(ougi, case.question)
    b = batches.many(case.pair.b, 1)
    columns_b = b.columns(layout_b)
    kernel: Callable[[], object]
    if case.form == "one":
        a = batches.one(case.pair.a)
        out = _answers(case.question, b.count)
        kernel = functools.partial(loops.cross, a.columns(layout_a), columns_b, out, 0, len(out))
        public, copied = functools.partial(ask, a, b), [columns_b]
    else:
        a = batches.many(case.pair.a, 0)
        pairs, columns_a = batches.pairs, a.columns(layout_a)
        out = _answers(case.question, len(pairs))
        kernel = functools.partial(loops.listed, columns_a, columns_b, pairs, 0, out, 0, len(out))
        public, copied = functools.partial(ask, a, b, pairs=pairs), [columns_a, columns_b]
    buffers = [np.empty_like(columns) for columns in copied]

    def copy() -> None:
        for buffer, columns in zip(buffers, copied, strict=True):
            np.copyto(buffer, columns)

    timings = interleaved({"copy": copy, "kernel": kernel, "public": public}, repeats)
    per_test = 1e9 / len(out)
    copy_ns, copy_best, _ = (seconds * 1e9 / b.count for seconds in timings["copy"])
    kernel_ns, best, worst = (seconds * per_test for seconds in timings["kernel"])
    public_ns = timings["public"].median * per_test
    ratio = kernel_ns / copy_ns
    target, target_ns = _target(case, b.count, TARGETS), _target(case, b.count, TARGETS_NS)
    return Row(
        pair=pair_name(case.pair),
        kernel=case.pair.kernel,
        question=case.question,
        form=case.form,
        tests=len(out),
        hits=float(np.mean(out if out.dtype == np.bool_ else out <= 0)),
        kernel_ns=kernel_ns,
        kernel_best_ns=best,
        kernel_worst_ns=worst,
        public_ns=public_ns,
        copy_ns=copy_ns,
        copy_best_ns=copy_best,
        ratio=ratio,
        best_ratio=best / copy_best,
        public_ratio=public_ns / copy_ns,
        target=target,
        target_ns=target_ns,
        met=_met(ratio, target) if target_ns is None else _met(kernel_ns, target_ns),
    )


def _answers(question: Question, n: int) -> Any:
    return np.empty(n, np.bool_ if question == "intersects" else np.float64)


def _target(case: Case, count: int, targets: dict[str, float]) -> float | None:
    if case.question == "intersects" and case.form == "one" and count == TARGET_COUNT:
        return targets.get(pair_name(case.pair))
    return None


def _met(measured: float, target: float | None) -> bool | None:
    return None if target is None else measured <= target
