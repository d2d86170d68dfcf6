"""Which pairs are checked and which are excluded: counts beside a count of every pair, one by one."""

from __future__ import annotations

import fnmatch
import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import ougi
from ougi.scene import Body, Check, PairCounts

NAMES = ["arm", "arm (2)", "wall 1", "wall 2", "wall 3", "ball", "cup", "[odd]", "table", "post"]
PATTERNS = ["*", "wall ?", "wall 1", "ball", "arm*", "[[]odd]", "cup", "no match", "t*", "*t"]


def random_scene(seed: int) -> ougi.Scene:
    rng = np.random.default_rng(seed)

    def rules(max_count: int) -> tuple[Check, ...]:
        count = int(rng.integers(0, max_count + 1)) if rng.random() < 0.7 else 0
        return tuple(Check(*(str(x) for x in rng.choice(PATTERNS, 2))) for _ in range(count))

    bodies = [
        Body(
            name,
            ougi.Circle([9.0 * k, 0], 1),
            group=int(rng.choice([1, 1, 1, 2, 4])),
            mask=int(rng.choice([0xFFFFFFFF, 0xFFFFFFFF, 1, 3])),
            carrier=str(rng.choice(["", "", "link", "hinge"])),
        )
        for k, name in enumerate(NAMES)
    ]
    apart = frozenset(
        tuple(int(x) for x in rng.integers(0, len(NAMES), 2)) for _ in range(rng.integers(0, 6))
    )
    return ougi.Scene(tuple(bodies), rules(4), apart, ignore=rules(2))  # type: ignore[arg-type]


def reason(scene: ougi.Scene, i: int, j: int) -> str:
    """By the definition, for one pair."""
    a, b = scene.bodies[i], scene.bodies[j]

    def matches_rule(rule: tuple[str, str]) -> bool:
        return any(
            fnmatch.fnmatchcase(x.name, rule[0]) and fnmatch.fnmatchcase(y.name, rule[1])
            for x, y in ((a, b), (b, a))
        )

    if not (a.group & b.mask and b.group & a.mask):
        return "groups and masks"
    if scene.checks and not any(map(matches_rule, scene.checks)):
        return "not in a [[check]]"
    if any(map(matches_rule, scene.ignore)):
        return "[[ignore]]"
    if not scene.checks and a.carrier and a.carrier == b.carrier:
        return "rigidly connected"
    if (i, j) in scene.neighbours or (j, i) in scene.neighbours:
        return "neighbours at a joint"
    return ""


@pytest.mark.parametrize("seed", range(200))
def test_counts_and_filter_as_one_pair_at_a_time(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ougi.scene.pair_filter._TABLE", 7 if seed % 2 else 1 << 22)
    scene = random_scene(seed)
    pairs = list(itertools.combinations(range(len(NAMES)), 2))
    reasons = [reason(scene, i, j) for i, j in pairs]
    assert scene.covers(np.array(pairs)).tolist() == [not word for word in reasons]
    assert scene.covers(np.array(pairs)[:, ::-1]).tolist() == [not word for word in reasons]
    count = Counter(reasons)
    covered = count.pop("", 0)
    assert scene.pair_counts == PairCounts(len(pairs), covered, dict(count))


def test_counts_of_many_bodies_need_no_table_of_pairs() -> None:
    n = 50_000
    balls = tuple(Body(f"ball {k}", ougi.Circle([3.0 * k, 0], 1), group=1 + k % 3) for k in range(n))
    rules = tuple(Check(f"ball {k}", "*") for k in range(0, n, 10))
    scene = ougi.Scene(balls, rules, ignore=(("ball 1*", "ball 2*"),))
    counts = scene.pair_counts
    assert counts.total == n * (n - 1) // 2
    assert counts.covered + sum(counts.excluded.values()) == counts.total
    small = ougi.Scene(balls[:90], rules[:9], ignore=scene.ignore)
    pairs = np.stack(np.triu_indices(90, 1), axis=1)
    assert small.pair_counts.covered == small.covers(pairs).sum()


def test_no_bodies_no_pairs() -> None:
    assert ougi.Scene(()).pair_counts == PairCounts(0, 0, {})


def test_rules_that_are_no_pairs_of_patterns_are_refused() -> None:
    scene = random_scene(0)
    with pytest.raises(TypeError, match="ignore must hold pairs of patterns, got 'ab' at index 0"):
        replace(scene, ignore=("ab", "cd"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="checks must hold pairs of patterns"):
        replace(scene, checks=(("a", 3),))  # type: ignore[arg-type]
