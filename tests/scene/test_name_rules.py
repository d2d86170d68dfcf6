"""Rules of patterns: the same answer as comparing every pattern with every name, and no product of sizes."""

from __future__ import annotations

import fnmatch
import itertools

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from ougi.scene import Body, Check, Scene
from ougi.scene.name_rules import NameIndex, PairRules
from ougi.shapes import Circle

names = st.lists(st.text("ab1[]!\n", max_size=4), max_size=6, unique=True)
patterns = st.text("ab1*?[]!-", max_size=5)


@hypothesis.settings(max_examples=400)
@hypothesis.given(names, patterns)
def test_the_names_that_match_are_those_of_fnmatch(names: list[str], pattern: str) -> None:
    expected = [k for k, name in enumerate(names) if fnmatch.fnmatchcase(name, pattern)]
    assert NameIndex(names).find(pattern).tolist() == expected


@hypothesis.settings(max_examples=400)
@hypothesis.given(names, st.lists(st.tuples(patterns, patterns), max_size=4))
def test_a_pair_is_selected_if_a_rule_matches_it_in_either_order(
    names: list[str], rules: list[tuple[str, str]]
) -> None:
    pairs = list(itertools.product(range(len(names)), repeat=2))
    expected = [
        any(
            fnmatch.fnmatchcase(first, a) and fnmatch.fnmatchcase(second, b)
            for a, b in rules
            for first, second in ((names[i], names[j]), (names[j], names[i]))
        )
        for i, j in pairs
    ]
    i, j = np.array(pairs, np.int64).reshape((-1, 2)).T
    assert PairRules(rules, NameIndex(names)).selects(i, j).tolist() == expected


@pytest.mark.parametrize("partner", ["ball {next}", "*all {next}", "*"])
def test_as_many_rules_as_bodies_need_no_product_of_both(partner: str) -> None:
    """With 20,000 of each a table of rules and bodies would have 400 million entries."""
    count = 20_000
    bodies = tuple(Body(f"ball {k}", Circle([k, 0], 0.1)) for k in range(count))
    checks = tuple(Check(f"ball {k}", partner.format(next=k + 1)) for k in range(0, count, 2))
    index = NameIndex([body.name for body in bodies])
    assert PairRules(checks, index).matches + index.comparisons <= 2 * count
    pairs = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    selected = Scene(bodies, checks, duration=1).covers(pairs)
    assert selected[::2].all()
    assert selected[1::2].all() == (partner == "*")
