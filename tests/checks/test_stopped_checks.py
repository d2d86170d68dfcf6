"""A check that is stopped keeps what was found, is never certified, and counts what is left."""

from __future__ import annotations

import pytest

import ougi
from ougi.checks import check_scene
from ougi.scene import Body, Piece


@pytest.fixture
def scene() -> ougi.Scene:
    """A ball that meets ten posts one after the other."""
    move = Piece(0.0, 1.0, ougi.Translation2d([20, 0]))
    posts = [Body(f"post {k}", ougi.Circle([2 * k + 1.5, 0], 0.1)) for k in range(10)]
    return ougi.Scene((Body("ball", ougi.Circle([0, 0], 0.2), (move,)), *posts), duration=1.0)


# The first three calls come before anything is checked.
@pytest.mark.parametrize("stop_after", range(3, 14))
def test_contacts_found_before_a_stop_are_kept(
    scene: ougi.Scene, stop_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ougi.check(scene)
    monkeypatch.setattr(check_scene, "PART_SIZE", 1)
    calls = 0

    def interrupt(done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if calls > stop_after:
            raise KeyboardInterrupt

    report = ougi.check(scene, progress=interrupt)
    found = set(report.names(report.contacts))
    assert found <= set(whole.names(whole.contacts))
    assert report.unchecked > 0
    assert not report.certified
    assert len(found) + report.unchecked >= whole.pairs
    assert report.to_dict()["coverage"]["unchecked"] == report.unchecked


def test_a_timeout_stops_a_check(scene: ougi.Scene) -> None:
    report = ougi.check(scene, timeout=1e-9)
    assert report.unchecked == report.pairs
    assert not report.certified
    assert ougi.check(scene, timeout=1000.0).unchecked == 0
    with pytest.raises(ValueError, match="timeout must be positive"):
        ougi.check(scene, timeout=0.0)


def test_progress_begins_before_candidate_pairs_are_counted(
    scene: ougi.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    monkeypatch.setattr(check_scene, "Candidates", lambda *args: args[-1])  # ends the check
    with pytest.raises(AttributeError, match="pairs"):
        ougi.check(scene, progress=lambda done, total: counts.append(total))
    assert counts == [0, 0]


def test_progress_never_goes_back(scene: ougi.Scene) -> None:
    shown: list[tuple[int, int]] = []
    ougi.check(scene, margin=0.5, progress=lambda done, total: shown.append((done, total)))
    ratios = [done / max(total, 1) for done, total in shown]
    assert len(shown) > 3
    assert all(
        b >= a - 0.5 / max(total, 1) for a, b, (_, total) in zip(ratios, ratios[1:], shown, strict=False)
    )
    assert [done for done, _ in shown] == sorted(done for done, _ in shown)
