"""`ougi verify broad`: does every method of `candidate_pairs` find the pairs that touch, and no others?

A case is a scene, one batch or two, in the plane or in space, of 0 to 2,500 balls or boxes. The oracle is the
whole table of pairs in NumPy, by the definition: centers no farther apart than the sum of the radii, boxes
that overlap on every axis. As the test of two balls is a formula, the same in both, results must be equal to
the last pair, also where bodies touch up to rounding. Scenes of thousands are searched on one, two and three
threads. `large` ones have 52,000 bodies and more, which methods share among threads; for them the oracle
sorts along one axis and compares every body with the next, the one behind that and so on, as far as any
reaches.

Peers: SciPy's k-d tree on equal balls, shapely's STR-tree on boxes of the plane. They round differently, so
pairs within a rounding band are excluded.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi_lab.scenes.volumes import EPS, VolumeScene, draw_scene
from ougi_lab.verify.certificates import BAND
from ougi_lab.verify.tally import PeerCount, Tally, TallyGroup

# Number of bodies from which on a scene is also searched on several threads.
_LARGE = 1000
_THREADS = (1, 2, 3)


def run_ougi(method: str, a: Any, b: Any, sort: bool) -> Ints:
    """Return the result of `ougi.candidate_pairs`."""
    from ougi.broad import candidate_pairs

    return candidate_pairs(a, b, method=method, sort=sort)


@dataclass(frozen=True)
class Broad:
    """The subject `broad` of the runner. Tests replace `query` to plant mistakes."""

    query: Callable[[str, Any, Any, bool], Ints] = field(default=run_ougi)
    name: str = "broad"
    kinds: tuple[str, ...] = ("random", "near", "second", "large")
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("broad", "kernels")

    def pairs(self) -> tuple[str, ...]:
        """The methods."""
        from ougi.broad import METHODS

        return tuple(METHODS)

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n scenes."""
        if (pair, kind) == ("brute", "large"):  # minutes of all pairs, which no threads share
            return Tally()
        tally = Tally(cases=n, near=n if kind == "near" else 0)
        errors: dict[str, Floats] = {check: np.zeros(n) for check in ("missed", "extra", "twice", "unsorted")}
        bodies = found = 0
        for k in range(n):
            scene = draw_scene("random" if kind == "second" else kind, rng)
            sort = bool(rng.random() < 0.8)
            expected = find_pairs_along_axis(scene) if kind == "large" else find_pairs(scene)
            for pairs in self._collect_results(pair, scene, sort):
                for check, count in count_mistakes(pairs, expected, sort).items():
                    errors[check][k] = max(errors[check][k], 2.0 * count)
            if tally.first is None and any(error[k] for error in errors.values()):
                tally.first = _describe_first(k, errors, scene)
            if kind == "second":
                _compare_with_peers(tally, scene, expected)
            bodies, found = bodies + scene.count, found + len(expected)
            wrong = int(any(error[k] for error in errors.values()))
            tally.groups.setdefault(scene.family, TallyGroup()).add(TallyGroup(cases=1, disagreements=wrong))
        tally.counts = {"bodies": bodies, "touching": found}
        tally.judge(errors)
        return tally

    def _collect_results(self, method: str, scene: VolumeScene, sort: bool) -> list[Ints]:
        if scene.count < _LARGE:
            return [self.query(method, scene.a, scene.b, sort)]
        return [_on_threads(k, lambda: self.query(method, scene.a, scene.b, sort)) for k in _THREADS]


def _on_threads(threads: int, query: Callable[[], Ints]) -> Ints:
    """Return the result of a query on a number of threads, which the runner does not allow otherwise."""
    from ougi._native import threads as pool

    before = pool._threads
    try:
        pool.set_threads(threads)
        with ThreadPoolExecutor(1) as executor:
            return executor.submit(query).result()
    finally:
        pool.set_threads(before)


def find_pairs(scene: VolumeScene) -> Ints:
    """The pairs that touch, in order, by the whole table."""
    a, b = scene.a, scene.a if scene.b is None else scene.b
    table = are_touching(a, np.arange(a.count)[:, None], b, np.arange(b.count))
    return np.argwhere(np.triu(table, 1) if scene.b is None else table)


def find_pairs_along_axis(scene: VolumeScene) -> Ints:
    """The same, for scenes whose table would not fit: neighbours along an axis, ever farther ones."""
    a, b = scene.a, scene.a if scene.b is None else scene.b
    batches = (a,) if scene.b is None else (a, b)
    axes = [np.concatenate(ends, axis=1) for ends in zip(*map(_find_ends, batches), strict=True)]
    lower, upper = max(axes, key=lambda ends: float(np.std(ends[0])) if ends.size else 0.0)  # far apart
    spare = 1e-9 * np.maximum(np.abs(lower), np.abs(upper))  # far more than rounding
    order = np.argsort(lower - spare)
    starts, ends = (lower - spare)[order], (upper + spare)[order]
    found, left = [np.empty((0, 2), np.int64)], np.arange(len(order))
    for step in range(1, len(order)):
        left = left[: np.searchsorted(left, len(order) - step)]
        left = left[starts[left + step] <= ends[left]]
        if not len(left):
            break
        pairs = np.sort(np.stack([order[left], order[left + step]], axis=1), axis=1)
        if scene.b is not None:
            pairs = pairs[(pairs[:, 0] < a.count) & (pairs[:, 1] >= a.count)] - [0, a.count]
        found.append(pairs[are_touching(a, pairs[:, 0], b, pairs[:, 1])])
    every = np.concatenate(found)
    return np.asarray(every[np.lexsort((every[:, 1], every[:, 0]))])


def are_touching(a: Any, i: Ints, b: Any, j: Ints) -> Bools:
    """Do balls or boxes a[i] and b[j] touch? Indices broadcast. A ball and a box are compared as boxes."""
    if hasattr(a, "radius") and hasattr(b, "radius"):
        reach = a.radius[i] + b.radius[j]
        sq = np.zeros(reach.shape)
        for x, y in zip(a.center.T, b.center.T, strict=True):
            apart = x[i] - y[j]
            sq = sq + apart * apart
        return np.asarray(sq <= reach * reach)
    result = np.ones(np.broadcast_shapes(i.shape, j.shape), np.bool_)
    for (lower_a, upper_a), (lower_b, upper_b) in zip(_find_ends(a), _find_ends(b), strict=True):
        result &= (lower_a[i] <= upper_b[j]) & (lower_b[j] <= upper_a[i])
    return result


def _find_ends(shape: Any) -> list[tuple[Floats, Floats]]:
    """Lower and upper ends on every axis."""
    if hasattr(shape, "radius"):
        return [(x - shape.radius, x + shape.radius) for x in shape.center.T]
    return list(zip(shape.lower.T, shape.upper.T, strict=True))


def count_mistakes(pairs: Ints, expected: Ints, sort: bool) -> dict[str, int]:
    """How many pairs were missed, are too many or come twice, and whether they are out of order."""
    if sort and np.array_equal(pairs, expected):
        return {}
    listed = [tuple(pair) for pair in pairs.tolist()]
    right, given = {tuple(pair) for pair in expected.tolist()}, set(listed)
    return {
        "missed": len(right - given),
        "extra": len(given - right),
        "twice": len(listed) - len(given),
        "unsorted": int(sort and listed != sorted(listed)),
    }


def _describe_first(k: int, errors: dict[str, Floats], scene: VolumeScene) -> dict[str, Any]:
    check = max(errors, key=lambda name: float(errors[name][k]))
    return {
        "index": k,
        "check": check,
        "error": float(errors[check][k]) / 2,
        "a": f"{scene.family}: {scene.a!r}",
        "b": repr(scene.b),
    }


def _compare_with_peers(tally: Tally, scene: VolumeScene, expected: Ints) -> None:
    """Compare with peer libraries that can handle the scene."""
    b = scene.a if scene.b is None else scene.b
    if not scene.a.count or not b.count:
        return
    for package, search in (("scipy", _query_kd_tree), ("shapely", _query_str_tree)):
        if importlib.util.find_spec(package) is None:
            continue
        pairs = search(scene.a, b)
        if pairs is None:
            continue
        if scene.b is None:
            pairs = pairs[pairs[:, 0] < pairs[:, 1]]
        differing = {*map(tuple, pairs.tolist())} ^ {*map(tuple, expected.tolist())}
        wrong = sum(not _is_in_band(scene.a, b, i, j) for i, j in differing)
        tally.peers.setdefault(package, PeerCount()).add(PeerCount(1, wrong))


def _query_kd_tree(a: Any, b: Any) -> Ints | None:
    """Balls of one radius whose centers are near enough."""
    from scipy.spatial import KDTree

    if not (hasattr(a, "radius") and hasattr(b, "radius")):
        return None
    radii = np.unique(np.concatenate([a.radius, b.radius]))
    if len(radii) != 1:
        return None
    near = KDTree(a.center).sparse_distance_matrix(KDTree(b.center), 2 * radii[0], output_type="coo_matrix")
    return np.stack([near.row, near.col], axis=1).astype(np.int64)


def _query_str_tree(a: Any, b: Any) -> Ints | None:
    """Boxes of the plane."""
    import shapely

    if a.dimension != 2 or (hasattr(a, "radius") and hasattr(b, "radius")):
        return None
    first, second = (
        shapely.box(*(np.asarray(x) for end in zip(*_find_ends(shape), strict=True) for x in end))
        for shape in (a, b)
    )
    return np.asarray(shapely.STRtree(second).query(first, predicate="intersects").T)


def _is_in_band(a: Any, b: Any, i: int, j: int) -> bool:
    """Is the gap of a pair no larger than rounding?"""
    ends = [(x[0][i], x[1][i], y[0][j], y[1][j]) for x, y in zip(_find_ends(a), _find_ends(b), strict=True)]
    width = BAND * EPS * float(np.abs(ends).max())
    if hasattr(a, "radius") and hasattr(b, "radius"):
        gap = float(np.linalg.norm(a.center[i] - b.center[j])) - float(a.radius[i] + b.radius[j])
    else:
        gap = max(max(q - v, p - u) for q, u, p, v in ends)
    return abs(gap) <= width
