"""`ougi verify broad`: methods that lose pairs, or give some twice, are caught."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import ougi
from ougi._typing import Ints
from ougi.broad import METHODS
from ougi_lab.scenes.volumes import FAMILIES, VolumeScene, draw_scene
from ougi_lab.verify.broad import Broad, count_mistakes, find_pairs, find_pairs_along_axis, run_ougi
from ougi_lab.verify.command import verify


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["random", "near", "second"])
def test_every_method_finds_the_pairs_that_touch(method: str, kind: str) -> None:
    tally = Broad().check(method, kind, 150, np.random.default_rng(1))
    assert tally.cases == 150
    assert tally.disagreements == 0, tally.first
    assert sum(peer.disagreements for peer in tally.peers.values()) == 0
    assert tally.counts["touching"] > 1000


def caught(query: Callable[[str, Any, Any, bool], Ints], kind: str = "random") -> dict[str, int]:
    tally = Broad(query=query).check("x", kind, 400, np.random.default_rng(2))
    assert tally.first is not None
    assert tally.disagreements == sum(group.disagreements for group in tally.groups.values())
    return tally.failed


def forward_only(method: str, a: Any, b: Any, sort: bool) -> Ints:
    """The other reading of SORT 3.3.2: each body tests those that begin behind it on its best axis."""
    pairs = run_ougi(method, a, b, sort)
    if b is not None or len(a) < 2:
        return pairs
    lower, upper = a.bounds().lower, a.bounds().upper
    both = (lower[:, None] <= upper) & (lower <= upper[:, None])
    best = both.sum(axis=1).argmin(axis=1)
    i, j = pairs.T
    ahead = (lower[i, best[i]] <= lower[j, best[i]]) | (lower[j, best[j]] <= lower[i, best[j]])
    left: Ints = pairs[ahead]
    return left


def cell_too_small(method: str, a: Any, b: Any, sort: bool) -> Ints:
    """A grid of cells half as large as the largest body, of which only the next neighbours are tested."""
    pairs = run_ougi(method, a, b, sort)
    other = (a if b is None else b).bounds()
    if not len(pairs):
        return pairs
    edge = max((box.upper - box.lower).max() for box in (a.bounds(), other)) / 2 or 1.0
    cells = [np.floor((box.lower + box.upper) / 2 / edge) for box in (a.bounds(), other)]
    near = np.abs(cells[0][pairs[:, 0]] - cells[1][pairs[:, 1]]).max(axis=1) <= 1
    left: Ints = pairs[near]
    return left


def without_slack(method: str, a: Any, b: Any, sort: bool) -> Ints:
    """Pairs of balls are dropped if their rounded bounds do not overlap."""
    pairs = run_ougi(method, a, b, sort)
    one, other = a.bounds(), (a if b is None else b).bounds()
    i, j = pairs.T
    overlap = (one.lower[i] <= other.upper[j]) & (other.lower[j] <= one.upper[i])
    left: Ints = pairs[overlap.all(axis=1)]
    return left


def test_a_best_axis_that_looks_only_forward_is_caught() -> None:
    assert caught(forward_only)["missed"] > 20


def test_a_cell_too_small_is_caught() -> None:
    assert caught(cell_too_small)["missed"] > 20


def test_ends_without_slack_are_caught() -> None:
    assert caught(without_slack, "near")["missed"] > 5


def test_skipping_the_last_body_is_caught() -> None:
    assert caught(lambda m, a, b, sort: run_ougi(m, a[:-1] if a.count else a, b, sort))["missed"] > 20


def test_pairs_twice_or_in_disorder_are_caught() -> None:
    assert caught(lambda *arguments: np.repeat(run_ougi(*arguments), 2, axis=0))["twice"] > 20
    assert caught(lambda *arguments: run_ougi(*arguments)[::-1])["unsorted"] > 20
    assert (
        caught(lambda m, a, b, sort: np.concatenate([run_ougi(m, a, b, sort), [[9999, 9999]]]))["extra"]
        == 400
    )


def test_a_mistake_on_two_threads_alone_is_caught() -> None:
    def query(method: str, a: Any, b: Any, sort: bool) -> Ints:
        pairs = run_ougi(method, a, b, sort)
        return pairs[:-1] if ougi.get_threads() == 2 else pairs

    def large(rng: np.random.Generator) -> VolumeScene:
        return VolumeScene("equal", ougi.Sphere(rng.uniform(0, 20, (1200, 3)), 0.5))

    here = large(np.random.default_rng(3))
    found = Broad(query=query)._collect_results("x", here, True)
    assert [count_mistakes(pairs, find_pairs(here), True).get("missed", 0) for pairs in found] == [0, 1, 0]


def test_the_table_is_that_of_intersects() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        here = draw_scene("random", rng)
        if here.b is None and here.count > 1:
            assert np.array_equal(
                find_pairs(here), np.argwhere(np.triu(ougi.intersects(here.a[:, None], here.a), 1))
            )


def test_both_oracles_agree() -> None:
    rng = np.random.default_rng(6)
    for kind in ("random", "near"):
        for _ in range(150):
            here = draw_scene(kind, rng)
            assert np.array_equal(find_pairs_along_axis(here), find_pairs(here)), here.family


def test_large_scenes_are_large_and_checked() -> None:
    assert draw_scene("large", np.random.default_rng(7)).count >= 52_000
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ougi_lab.scenes.volumes._LARGE", (3000, 4000))
        tally = Broad().check("x", "large", 3, np.random.default_rng(8))
    assert tally.counts["bodies"] >= 9_000
    assert tally.counts["touching"] > 500
    assert tally.disagreements == 0


def test_scenes_are_of_all_kinds() -> None:
    rng = np.random.default_rng(5)
    scenes = [draw_scene("random", rng) for _ in range(1500)]
    assert {here.family for here in scenes} == set(FAMILIES)
    counts = np.array([here.count for here in scenes])
    assert all((counts == n).any() for n in (0, 1, 2))
    assert (counts > 1000).any()
    seen = {(type(here.a).__name__, type(here.b).__name__) for here in scenes}
    flat, solid = ("Circle", "Aabb2d"), ("Sphere", "Aabb3d")
    for classes in (flat, solid):
        assert seen >= set(product(classes, (*classes, "NoneType")))


def test_a_disagreement_is_shown_and_exits_with_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ougi_lab.verify.broad.find_pairs", lambda here: np.zeros((1, 2), np.int64))
    assert verify("broad", "x", cases=10, near=0) == 1
    out = capsys.readouterr().out
    assert "x: missed 1" in out
    assert "first in random chunk 0, index 0: " in out
