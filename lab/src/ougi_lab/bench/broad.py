"""`ougi bench broad`: candidate pairs of crowds, by all our searches and by other libraries.

Four scenes (`scenes.volumes`) of a thousand to five million bodies. Tasks take turns, their CPU time (of all
threads) is measured, and ratios are taken within a round. All give pairs in any order; every answer is
compared with ours. Of a few bodies only our own methods are asked: which one does `auto` take?
"""

from __future__ import annotations

import itertools
import statistics
import time
import tracemalloc
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import ougi
from ougi._typing import Ints
from ougi.broad.choice import SEARCHES
from ougi.broad.room import let_go
from ougi.shapes import Sphere
from ougi_lab.bench import broad_peers
from ougi_lab.bench.choose import choose
from ougi_lab.measure import rounds
from ougi_lab.scenes.volumes import BENCH_SCENES, Bodies

SEED = 40
NUMBERS = (1_000, 5_000, 50_000, 500_000)
LARGE = 5_000_000
# The box of SORT would have 3.6 thousand million pairs of so many.
LARGE_SCENES = ("ii even", "iii clusters", "iv rods")
# Numbers of a few bodies, and our methods that have a chance there.
FEW = (2, 10, 50, 100, 200, 300, 500, 2_000)
FEW_METHODS = ("brute", "x", *SEARCHES)
# Tasks are left out of larger crowds of the scene if they will likely take longer than this, in seconds, or
# if, in a crowd of _LATE or more, they took so many times as long as the best of their kind: others, or ours.
# So many of the fastest others stay however long they take, so that every row has somebody to compare with.
_SLOW = 5.0
_LATE, BEHIND = 50_000, 4.0
STAY = 2
# Bodies in all calls of a task in one round, so that short tasks are not measured one by one.
_IN_A_ROW = 10_000

# Targets: times as fast as the best peer in every row, and in half of the rows; auto against our best search;
# growth with the number at even density, from FROM bodies on; bytes for each body beside the answer.
EVERY, HALF = 4.0, 8.0
WITHIN = 1.5
GROWTH, GROWTH_SCENE, FROM = 1.05, "ii even", 5_000
BYTES = 120.0


@dataclass(frozen=True)
class Peer:
    """What another library did, or why it did nothing."""

    missing: str | None = None
    ms: float | None = None
    ratio: float | None = None  # to auto, median of the rounds
    differ: int | None = None  # pairs that only one of us has (or the difference in number)


@dataclass(frozen=True)
class Row:
    """One scene and number: CPU milliseconds, medians."""

    scene: str
    n: int
    pairs: int
    auto_ms: float
    best_ms: float  # of auto's rounds
    searches: dict[str, float | None]  # None: left out as too slow
    to_best: float  # auto over the fastest of our searches, by medians
    to_copy: float  # auto over a copy of the input and the answer
    bytes: float  # for each body, beside the answer
    peers: dict[str, Peer]
    best_peer: str | None
    ratio: float | None  # of the best peer to auto

    @property
    def met(self) -> bool | None:
        """Do the targets of a row hold?"""
        if self.ratio is None:
            return None
        return self.ratio >= EVERY and self.to_best <= WITHIN and self.bytes <= BYTES


@dataclass(frozen=True)
class FewRow:
    """A few bodies: CPU microseconds, medians over seeds and rounds."""

    scene: str
    n: int
    auto_us: float
    methods: dict[str, float]
    to_best: float  # auto over the fastest of them


def chosen(names: Sequence[str]) -> list[str]:
    """All scenes, or those whose names hold one of the words."""
    return choose(
        BENCH_SCENES, names, str.split, "scene of bench broad", f"known are {', '.join(BENCH_SCENES)}"
    )


def rows(scenes: Sequence[str], numbers: Sequence[int], repeats: int) -> Iterator[Row]:
    """Measure scene after scene, from small crowds to large ones."""
    for scene in scenes:
        slow: set[str] = set()
        for n in numbers_of(scene, numbers):
            yield _measured(scene, n, repeats, slow)


def numbers_of(scene: str, numbers: Sequence[int]) -> list[int]:
    """The numbers for which a scene is asked."""
    return [n for n in numbers if n < LARGE or scene in LARGE_SCENES]


def few(scenes: Sequence[str], numbers: Sequence[int], repeats: int) -> Iterator[FewRow]:
    """Measure all of our methods on a few bodies, three scenes of each kind."""
    for scene, n in itertools.product(scenes, numbers):
        calls = max(1, _IN_A_ROW // (20 * max(n, 20)))
        us: dict[str, list[float]] = {}
        for seed in range(3):
            bodies = BENCH_SCENES[scene](n, np.random.default_rng([SEED, seed, n]))
            tasks = {name: _repeated(task, calls) for name, task in _ours(bodies, FEW_METHODS).items()}
            seconds = rounds(tasks, repeats, clock=time.process_time, seed=SEED)
            for name, each in seconds.items():
                us.setdefault(name, []).extend(s * 1e6 / calls for s in each)
        medians = {name: statistics.median(each) for name, each in us.items()}
        auto = medians.pop("auto")
        yield FewRow(scene, n, auto, medians, auto / min(medians.values()))


def _measured(scene: str, n: int, repeats: int, slow: set[str]) -> Row:
    bodies = BENCH_SCENES[scene](n, np.random.default_rng([SEED, n]))
    answer = ougi.candidate_pairs(bodies)
    tasks = _ours(bodies, tuple(SEARCHES))
    theirs, missing = broad_peers.tasks(bodies, len(answer))
    boxed = answer
    if isinstance(bodies, Sphere) and any(not broad_peers.PEERS[name].spheres for name in theirs):
        boxed = ougi.candidate_pairs(bodies.bounds())
    differ = {
        name: _differ(task, answer if broad_peers.PEERS[name].spheres else boxed)
        for name, task in theirs.items()
        if name not in slow
    }
    tasks |= {name: task.run for name, task in theirs.items()}
    tasks["copy"] = _copy(bodies, answer)
    tasks = {name: task for name, task in tasks.items() if name not in slow}
    calls = max(1, _IN_A_ROW // n)
    repeats = repeats if n <= 50_000 else min(repeats, max(3, repeats // 3))
    seconds = rounds(
        {name: _repeated(task, calls) for name, task in tasks.items()},
        repeats,
        clock=time.process_time,
        seed=SEED,
    )
    ms = {name: statistics.median(s) * 1e3 / calls for name, s in seconds.items()}
    slow |= _slow(ms, theirs, late=n >= _LATE)
    peers = {name: Peer(missing=why) for name, why in missing.items()}
    for name in theirs:
        if name not in ms:
            peers[name] = Peer(missing="too slow")
        else:
            ratio = statistics.median(t / o for t, o in zip(seconds[name], seconds["auto"], strict=True))
            peers[name] = Peer(ms=ms[name], ratio=ratio, differ=differ[name])
    ratios = {name: peer.ratio for name, peer in peers.items() if peer.ratio is not None}
    best = min(ratios, key=lambda name: ratios[name]) if ratios else None
    searches = {name: ms.get(name) for name in SEARCHES}
    return Row(
        scene=scene,
        n=n,
        pairs=len(answer),
        auto_ms=ms["auto"],
        best_ms=min(seconds["auto"]) * 1e3 / calls,
        searches=searches,
        to_best=ms["auto"] / min(known for known in searches.values() if known is not None),
        to_copy=ms["auto"] / ms["copy"],
        bytes=_bytes(bodies, answer),
        peers={name: peers[name] for name in broad_peers.PEERS},
        best_peer=best,
        ratio=None if best is None else ratios[best],
    )


def _slow(ms: Mapping[str, float], theirs: Collection[str], late: bool) -> set[str]:
    """What is not asked about larger crowds."""
    slow = {name for name, median in ms.items() if median > _SLOW * 1e3 / 10 and name != "auto"}
    if late:
        slow |= _behind({name: ms[name] for name in theirs if name in ms})
        slow |= _behind({name: ms[name] for name in SEARCHES if name in ms})
    stay = sorted((name for name in theirs if name in ms), key=lambda name: ms[name])[:STAY]
    return slow - set(stay)


def _behind(ms: Mapping[str, float]) -> set[str]:
    return {name for name, median in ms.items() if median > BEHIND * min(ms.values())}


def _ours(bodies: Bodies, methods: Sequence[str]) -> dict[str, Callable[[], Any]]:
    def ask(method: str) -> Callable[[], Ints]:
        return lambda: ougi.candidate_pairs(bodies, method=method, sort=False)

    return {method: ask(method) for method in ("auto", *methods)}


def _differ(task: broad_peers.Task, ours: Ints) -> int:
    """How many pairs only one of us has."""
    found = task.read(task.run())
    if isinstance(found, int):
        return abs(found - len(ours))
    theirs = np.sort(_numbers(np.sort(found, axis=1)))
    expected = _numbers(ours)
    return 0 if np.array_equal(theirs, expected) else len(np.setxor1d(theirs, expected))


def _numbers(pairs: Ints) -> Ints:
    numbers: Ints = (pairs[:, 0] << 32) | pairs[:, 1]
    return numbers


def _copy(bodies: Bodies, answer: Ints) -> Callable[[], None]:
    """Copy what goes in and what comes out, into memory that is there."""
    both = (bodies.columns(), answer)
    places = [np.empty_like(array) for array in both]

    def copy() -> None:
        for place, array in zip(places, both, strict=True):
            np.copyto(place, array)

    return copy


def _repeated(task: Callable[[], Any], calls: int) -> Callable[[], None]:
    def in_a_row() -> None:
        for _ in range(calls):
            task()

    return in_a_row


def _bytes(bodies: Bodies, answer: Ints) -> float:
    """The most memory that a call holds at a time, for each body, beside its answer."""
    let_go()  # else what the last call left would not be counted
    tracemalloc.start()
    try:
        ougi.candidate_pairs(bodies, sort=False)
        return (tracemalloc.get_traced_memory()[1] - answer.nbytes) / len(bodies)
    finally:
        tracemalloc.stop()


def growth(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Scene -> name -> exponent of the time, fitted from FROM bodies on, where two numbers are known."""
    found: dict[str, dict[str, float]] = {}
    for scene in dict.fromkeys(row.scene for row in rows):
        for name, (numbers, ms) in series(rows, scene).items():
            fit = [(n, t) for n, t in zip(numbers, ms, strict=True) if n >= FROM]
            if len(fit) > 1:
                n, t = np.log(np.array(fit)).T
                found.setdefault(scene, {})[name] = float(np.polyfit(n, t, 1)[0])
    return found


def series(rows: Sequence[Row], scene: str) -> Mapping[str, tuple[list[int], list[float]]]:
    """Name -> numbers and milliseconds, of auto, our searches and other libraries."""
    found: dict[str, tuple[list[int], list[float]]] = {}
    for row in rows:
        if row.scene == scene:
            known = {"auto": row.auto_ms, **row.searches, **{name: p.ms for name, p in row.peers.items()}}
            for name, ms in known.items():
                if ms is not None:
                    numbers, times = found.setdefault(name, ([], []))
                    numbers.append(row.n)
                    times.append(ms)
    return found


@dataclass(frozen=True)
class Verdict:
    """A target of the whole run."""

    what: str
    value: float
    target: str
    met: bool


def verdicts(rows: Sequence[Row], few: Sequence[FewRow] = ()) -> list[Verdict]:
    """The targets that are known from these rows."""
    found = []
    ratios = [row.ratio for row in rows if row.ratio is not None]
    if ratios:
        least, middle = min(ratios), statistics.median(ratios)
        found += [
            Verdict("times the best peer, least row", least, f">= {EVERY:g}", least >= EVERY),
            Verdict("times the best peer, median row", middle, f">= {HALF:g}", middle >= HALF),
        ]
    worst = max(row.to_best for row in rows)
    found.append(Verdict("auto over our best search, worst row", worst, f"<= {WITHIN:g}", worst <= WITHIN))
    if few:
        worst = max(row.to_best for row in few)
        what = "auto over our best method, few bodies, worst row"
        found.append(Verdict(what, worst, f"<= {WITHIN:g}", worst <= WITHIN))
    most = max(row.bytes for row in rows)
    found.append(Verdict("bytes for each body, most", most, f"<= {BYTES:g}", most <= BYTES))
    if exponent := growth(rows).get(GROWTH_SCENE, {}).get("auto"):
        met = exponent <= GROWTH
        found.append(Verdict(f"exponent of auto, scene {GROWTH_SCENE}", exponent, f"<= {GROWTH:g}", met))
    return found
