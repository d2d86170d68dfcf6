"""Candidate pairs in blocks: the same report as all at once, and limits that are checked before the work."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_scenes import TETRAHEDRON, random_scene

import ougi
from ougi.checks.check_scene import PreparedCheck
from ougi.scene import Body, Piece
from ougi.timeline.candidates import Candidates
from ougi.timeline.spans import SceneSpans


def assert_equal_reports(one: ougi.Report, other: ougi.Report) -> None:
    for name in ("contacts", "near", "compared", "enclosed"):
        first, second = getattr(one, name), getattr(other, name)
        if first is None:
            assert second is None
            continue
        for column in vars(first):
            np.testing.assert_array_equal(getattr(first, column), getattr(second, column), f"{name}.{column}")
    np.testing.assert_array_equal(one.unfinished, other.unfinished)
    assert one.pairs == other.pairs


@pytest.mark.parametrize("block_size", [1, 60])
@pytest.mark.parametrize(("seed", "method"), [(0, "exact"), (1, "exact"), (3, "discrete")])
def test_blocks_change_nothing(
    monkeypatch: pytest.MonkeyPatch, seed: int, method: str, block_size: int
) -> None:
    scene = random_scene(seed, n=16)
    inside = Body("inside", ougi.Sphere([20.2, 0.2, 0.2], 0.01))
    shell = Body("shell", TETRAHEDRON.transformed(ougi.Pose([20, 0, 0])))
    scene = ougi.Scene((*scene.bodies, inside, shell), duration=scene.duration)
    whole = ougi.check(scene, margin=0.3, method=method)
    assert len(whole.contacts) > 10
    assert len(whole.near) > 3
    assert len(whole.enclosed) == 1
    monkeypatch.setattr("ougi.checks.check_scene.BLOCK_SIZE", block_size)
    monkeypatch.setattr("ougi.checks.check_scene.FOLLOW_SIZE", block_size)
    assert_equal_reports(ougi.check(scene, margin=0.3, method=method), whole)


def test_blocks_are_bounded_and_hold_every_pair_once() -> None:
    spans = SceneSpans(random_scene(5, n=40, meshes=False))
    everything = spans.find_candidates(spans.make_boxes(1e-9))
    blocks = Candidates(spans, 1e-9, 0.0, None, 200, 10**9, lambda count: None)
    parts = list(blocks)
    assert len(parts) > 3
    assert blocks.span_pairs == sum(len(part.a) for part in parts) == len(everything.a)
    codes = [set(spans.get_codes(part).tolist()) for part in parts]
    assert not any(a & b for a, b in itertools.combinations(codes, 2))
    for part, pairs in zip(parts, codes, strict=True):
        one_body = len(np.unique(spans.body[part.a])) == 1
        assert len(part.a) <= 200 or one_body, len(pairs)
    assert blocks.pairs == len(set(spans.get_codes(everything).tolist()))


def make_scene(n: int) -> ougi.Scene:
    """Balls in one place that overlap and move apart."""
    rng = np.random.default_rng(n)
    return ougi.Scene(
        tuple(
            Body(
                f"ball {k}",
                ougi.Sphere(rng.normal(size=3) * 0.01, 1.0),
                (Piece(0.0, 1.0, ougi.Translation3d(rng.normal(size=3))),),
            )
            for k in range(n)
        )
    )


@pytest.mark.parametrize("block_size", [10, 1000])
def test_limits_are_refused_and_can_be_raised(monkeypatch: pytest.MonkeyPatch, block_size: int) -> None:
    monkeypatch.setattr("ougi.checks.check_scene.BLOCK_SIZE", block_size)
    scene = make_scene(12)
    with pytest.raises(ValueError, match=r"max_pairs is 65, but the scene has 66 candidate pairs or more"):
        ougi.check(scene, max_pairs=65)
    with pytest.raises(ValueError, match=r"max_contacts is 65, but the scene has 66 contacts"):
        ougi.check(scene, max_contacts=65)
    assert len(ougi.check(scene, max_pairs=66, max_contacts=66).contacts) == 66


def test_near_misses_count_for_the_limit() -> None:
    posts = tuple(Body(f"post {k}", ougi.Circle([3 * k, 0], 1)) for k in range(4))
    with pytest.raises(ValueError, match="max_contacts is 2"):
        ougi.check(ougi.Scene(posts), margin=1.5, max_contacts=2)


def test_pairs_are_counted_before_the_first_query() -> None:
    calls: list[tuple[int, int]] = []
    prepared = PreparedCheck(make_scene(20), 0.0, 1e-9, "exact", 60.0, lambda *counts: calls.append(counts))
    assert prepared.pairs == 190
    assert calls == [(0, 0), (0, 0), (0, 190)]
    assert prepared.run().pairs == 190


def write_scene(path: Path, n: int) -> Path:
    bodies = [
        f'[[body]]\nname = "b{k}"\nshape = {{ type = "sphere", radius = 1.0 }}\n'
        f'motion = {{ type = "translate", by = [1, {k}, 0], seconds = 1 }}\n'
        for k in range(n)
    ]
    path.write_text("ougi = 1\n" + "".join(bodies))
    return path


def test_the_command_prints_the_number_of_pairs_and_has_both_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ougi.cli.app import run

    file = str(write_scene(tmp_path / "many.toml", 8))
    monkeypatch.setattr("ougi.cli.scene_check.MANY_PAIRS", 28)
    assert run(["check", file]) == 1
    assert "many.toml: checking 28 candidate pairs" in capsys.readouterr().err
    limits: list[Any] = [("--max-pairs", 20), ("--max-contacts", 20)]
    for option, limit in limits:
        assert run(["check", file, option, str(limit)]) == 2
        assert f"{option[2:].replace('-', '_')} is 20, but the scene has" in capsys.readouterr().err
        assert run(["check", file, option, "0"]) == 2
        assert f"{option[2:]} must be 1 or more" in capsys.readouterr().err
