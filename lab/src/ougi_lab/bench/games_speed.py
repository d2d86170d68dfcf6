"""How long a frame of a game takes, with many targets and many projectiles; a part of `ougi bench games`."""

from __future__ import annotations

import importlib
import math
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ougi
from ougi.cli.tables import Table
from ougi.games import Hitbox, Projectiles, TargetSet
from ougi_lab.bench.measurement import Measurement, require_max
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK

LIBRARIES = ("pygame", "arcade", "pymunk")
BOUNDS = {24: 0.05, 1000: 0.3}  # ms per frame, by the number of targets
FRAMES = 200
_STROKE = 9  # frames of a stroke, so that both the first and the tenth frame begin one
_GAMES = 41  # whose first and tenth frames are compared, with the pauses of a game between frames
_CORNERS = ((12, 0), (4, 11), (-10, 7), (-10, -7), (4, -11))
_DT = 1 / 60


def measure_speed(frames: int = FRAMES) -> Iterator[list[Measurement]]:
    """Each library with few and many spinning polygons, and many projectiles among many targets."""
    for count in BOUNDS:
        yield [_measure_frames(library, count, frames) for library in LIBRARIES]
    yield [_measure_projectiles(count, frames // 4) for count in (100, 1000)]


def _measure_frames(library: str, count: int, frames: int) -> Measurement:
    times = _play_frames(library, count, frames)
    games = [_play_frames(library, count, 10, pause=_DT) for _ in range(_GAMES)]
    first, tenth = (statistics.median(game[k] for game in games) for k in (0, 9))
    case = {"library": library, "targets": count, "projectiles": 0}
    target = require_max(BOUNDS[count], min(times), of="best")  # other processes disturb the others
    return Measurement(
        "games/speed",
        case,
        "ougi",
        statistics.median(times),
        best=min(times),
        worst=max(times),
        facts={"first": first, "tenth": tenth},
        target=target,
    )


def _play_frames(library: str, count: int, frames: int, pause: float = 0.0) -> list[float]:
    """The ms that each frame of a new game takes."""
    adapter = importlib.import_module(f"ougi.adapters.{library}")
    sprites, move = _MAKERS[library](count)
    enemies = (getattr(adapter, "Sprites", None) or adapter.Shapes)(sprites)
    sword = adapter.Swing(ougi.Capsule2d([20, 0], [120, 0], 3))
    turn = 0.5 if library == "pymunk" else math.degrees(0.5)
    times = []
    for frame in range(frames):
        time.sleep(pause)
        move()
        if frame % _STROKE == 0:
            sword.begin()
        begun = CLOCK.now()
        enemies.update(sprites)
        sword.move_to((0.0, 0.0), turn * (frame % _STROKE))
        sword.hits(enemies)
        times.append(1e3 * (CLOCK.now() - begun))
    return times


def _measure_projectiles(count: int, frames: int) -> Measurement:
    """As many targets as bullets; those that hit are replaced."""
    rng = np.random.default_rng(count)
    targets, shots = TargetSet(), Projectiles(ougi.Circle([0, 0], 2))
    names, extent = list(range(count)), 50 * math.sqrt(count)
    places, hitbox = rng.uniform(-extent, extent, (count, 2)), Hitbox(_CORNERS)
    times = []
    for frame in range(frames):
        missing = count - len(shots)
        shots.add(rng.uniform(-extent, extent, (missing, 2)), rng.uniform(-2400, 2400, (missing, 2)))
        begun = CLOCK.now()
        targets.update(names, places + frame, 0.05 * frame, hitboxes=None if frame else hitbox)
        shots.move(_DT)
        hits = shots.hits(targets)
        times.append(1e3 * (CLOCK.now() - begun))
        shots.remove([shot for shot, _ in hits])
    case = {"library": "none", "targets": count, "projectiles": count}
    median = statistics.median(times)
    return Measurement("games/speed", case, "ougi", median, best=min(times), worst=max(times))


def build_speed_table(measurements: list[Measurement]) -> Table:
    """One line for each library and number of targets."""
    return build_table(
        "ms per frame: update of all targets, and the hits of a sword or of projectiles",
        measurements,
        columns="median {value:.3f} | best {best:.3f} | first {first:.3f} | tenth {tenth:.3f}",
        notes=(
            f"Spinning pentagons (Arcade: squares) that walk; {CLOCK.name}.",
            f"first, tenth: frame of a game at {1 / _DT:.0f} Hz, median of {_GAMES} games. Both begin a "
            "stroke. Pauses empty the caches of the processor.",
        ),
    )


def _draw_places(count: int) -> Any:
    extent = 60 * math.sqrt(count)
    return np.random.default_rng(count).uniform(-extent, extent, (count, 2)).tolist()


def _make_pygame(count: int) -> tuple[list[Any], Callable[[], None]]:
    import pygame

    sprites, hitbox = [], Hitbox(_CORNERS)
    for place in _draw_places(count):
        sprite: Any = pygame.sprite.Sprite()
        sprite.rect, sprite.hitbox, sprite.angle = pygame.FRect(0, 0, 24, 24), hitbox, 0.0
        sprite.rect.center = place
        sprites.append(sprite)

    def move() -> None:
        for sprite in sprites:
            sprite.rect.x += 1
            sprite.angle += 3

    return sprites, move


def _make_arcade(count: int) -> tuple[list[Any], Callable[[], None]]:
    import arcade

    sprites = [arcade.SpriteSolidColor(20, 20, x, y) for x, y in _draw_places(count)]

    def move() -> None:
        for sprite in sprites:
            sprite.center_x += 1
            sprite.angle += 3

    return sprites, move


def _make_pymunk(count: int) -> tuple[list[Any], Callable[[], None]]:
    import pymunk

    space, shapes = pymunk.Space(), []
    for place in _draw_places(count):
        body = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
        body.position, body.velocity, body.angular_velocity = tuple(place), (60, 0), 3
        shapes.append(pymunk.Poly(body, _CORNERS))
        space.add(body, shapes[-1])

    def move() -> None:
        space.step(_DT)

    return shapes, move


_MAKERS = {"pygame": _make_pygame, "arcade": _make_arcade, "pymunk": _make_pymunk}
