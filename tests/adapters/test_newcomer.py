"""A game that was written without ougi is mended by nine lines. The truth comes from shapely."""

from __future__ import annotations

import difflib
import importlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

FOLDER = Path(__file__).parent / "newcomer"
FRAMES, SAMPLES = 120, 1000
# Gaps within which a sample does not decide: how far a blade moves in one, and the pixels of its picture.
NEAR = 0.2


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SDL_VIDEODRIVER", "SDL_AUDIODRIVER"):
        monkeypatch.setenv(name, "dummy")
    monkeypatch.syspath_prepend(str(FOLDER))


def test_at_most_nine_lines_change() -> None:
    before, after = ((FOLDER / f"{name}.py").read_text().splitlines()[1:] for name in ("before", "after"))
    parts = difflib.SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes()
    changed = [line for tag, _, _, b, c in parts if tag != "equal" for line in after[b:c] if line.strip()]
    assert 100 <= len(before) <= 120
    assert 7 <= len(changed) <= 9


class _Recorder:
    """Where everything was in the frames of a game."""

    def __init__(self) -> None:
        self.swords: dict[int, tuple[Any, float]] = {}
        self.enemies: list[dict[Any, tuple[float, float, float]]] = []

    def __call__(self, frame: int, hand: Any, sword: Any, enemies: Any, bullets: Any) -> None:
        if (frame % 10) < 4:
            self.swords[frame] = hand, sword.angle
        self.enemies.append({enemy: (enemy.x, enemy.y, enemy.angle) for enemy in enemies})


def _place(points: Any, x: Any, y: Any, degrees: Any) -> Any:
    """Polygons as pygame turns pictures: counter-clockwise, with y down."""
    angle = -np.radians(degrees)[:, None]
    px, py = np.array(points, np.float64).T
    across = x[:, None] + np.cos(angle) * px - np.sin(angle) * py
    return shapely.polygons(np.stack([across, y[:, None] + np.sin(angle) * px + np.cos(angle) * py], axis=2))


BLADE = [(20, -3), (90, -3), (90, 3), (20, 3)]


def _find_gaps(record: _Recorder, frame: int) -> dict[Any, float]:
    """The smallest gap of each enemy from the sword between a frame and the next, over all samples."""
    share = np.linspace(0, 1, SAMPLES)
    (hand, start), (_, end) = record.swords[frame], record.swords[frame + 1]
    ones = np.ones(SAMPLES)
    blade = _place(BLADE, hand[0] * ones, hand[1] * ones, start + share * (end - start))
    gaps = {}
    for enemy, now in record.enemies[frame + 1].items():
        before = record.enemies[frame][enemy]
        if math.hypot(before[0] - hand[0], before[1] - hand[1]) > 140:
            continue
        x, y, turned = (a + share * (b - a) for a, b in zip(before, now, strict=True))
        gaps[enemy] = float(shapely.distance(blade, _place(enemy.points, x, y, turned)).min())
    return gaps


def test_the_mended_game_finds_all_true_hits_of_the_sword_and_no_other() -> None:
    game, record = importlib.import_module("after"), _Recorder()
    game.log.clear()
    game.main(FRAMES, record)
    true = missed = ghosts = 0
    for stroke in range(0, FRAMES, 10):
        hit = {enemy for frame, what, enemy in game.log if what == "sword" and stroke <= frame < stroke + 10}
        gaps = [_find_gaps(record, frame) for frame in range(stroke, stroke + 3)]
        for enemy in record.enemies[stroke]:
            gap = min(each.get(enemy, math.inf) for each in gaps)
            true += gap == 0
            missed += gap == 0 and enemy not in hit
            ghosts += gap > NEAR and enemy in hit
    assert true > 20
    assert (missed, ghosts) == (0, 0)


def _find_ends(game: Any, record: _Recorder) -> dict[int, tuple[int, Any]]:
    """Of each bullet, by when it was fired: the frame in which it first touches an enemy or the wall."""
    rows = [(x, y) for y, row in enumerate(game.MAP) for x in range(20) if row[x] == "#"]
    wall = shapely.unary_union([shapely.box(32 * x, 32 * y, 32 * x + 32, 32 * y + 32) for x, y in rows])
    ends: dict[int, tuple[int, Any]] = {}
    for fired in range(0, FRAMES, 4):
        angle = math.radians(7 * fired)
        for frame in range(fired, FRAMES):
            # It appears one step from the hand, and flies 40 pixels in each frame after that.
            share = np.ones(1) if frame == fired else np.linspace(0, 1, SAMPLES)
            flown = 40 * (frame - fired + share)
            x, y = 320 + flown * math.cos(angle), 208 + flown * math.sin(angle)
            bullet = shapely.box(x - 2, y - 2, x + 2, y + 2)
            first = [(_find_first(shapely.distance(bullet, wall)), "wall")]
            for enemy, now in record.enemies[frame].items():
                if math.hypot(now[0] - x[-1], now[1] - y[-1]) < 80:
                    before = record.enemies[frame - 1][enemy] if frame > fired else now
                    poses = (a + share * (b - a) for a, b in zip(before, now, strict=True))
                    first.append((_find_first(shapely.distance(bullet, _place(enemy.points, *poses))), enemy))
            sample, target = min(first, key=lambda each: each[0])
            if sample < SAMPLES:
                ends[fired] = frame, target
                break
    return ends


def _find_first(gaps: Any) -> int:
    touched = np.flatnonzero(gaps < 0.02)  # half of what a bullet flies between two samples
    return int(touched[0]) if len(touched) else SAMPLES


def test_the_mended_game_stops_every_bullet_where_it_first_hits() -> None:
    game, record = importlib.import_module("after"), _Recorder()
    game.log.clear()
    game.main(FRAMES, record)
    ends = {}
    for frame, bullet, target in game.log:
        if bullet != "sword":
            angle = math.degrees(math.atan2(bullet.vy, bullet.vx)) % 360
            fired = min(range(0, FRAMES, 4), key=lambda each: abs((7 * each - angle + 180) % 360 - 180))
            ends[fired] = frame, "wall" if isinstance(target, game.Tile) else target
    truth = _find_ends(game, record)
    assert len(truth) > 20
    assert ends == truth


def test_the_game_of_before_misses_hits_of_the_sword() -> None:
    strikes = {}
    for name in ("before", "after"):
        game = importlib.import_module(name)
        game.log.clear()
        game.main(FRAMES)
        strikes[name] = sum(what == "sword" for _, what, _ in game.log)
    assert 0 < strikes["before"] < strikes["after"] - 5
