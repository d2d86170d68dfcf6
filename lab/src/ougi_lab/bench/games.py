"""`ougi bench games`: which share of the true hits of a blade do game libraries find, with ougi and without?

A blade turns among sprites that move, at 30 and at 60 frames per second. What a library tests once per frame,
where things are drawn, stands beside `swing_hits` of `ougi.adapters`, in the same run on the same strokes.
The truth comes from looking 400 times in each frame, and shares nothing with either.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ougi._typing import Bools, Floats
from ougi.cli.tables import Table
from ougi_lab.bench import games_players
from ougi_lab.bench.measurement import Measurement, Options, Report, collect, select
from ougi_lab.bench.peers import versions
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK

SEED = 10
RATES = (30, 60)  # frames per second
SPEEDS = (5.0, 10.0, 20.0, 40.0, 80.0)  # rad/s; a stroke of 170 degrees in a tenth of a second is 30
TARGETS = 24
STROKES = 40  # for each speed and rate

# Pixels. The blade is the one in `games_players`; sprites stand and walk about it.
CENTER = (400.0, 300.0)
OUTER, INNER, THICKNESS = 120.0, 20.0, 8.0
_SIDES = (10.0, 24.0)
_WALK = 150.0  # pixels per second
_ARC = np.radians(170)

# Targets whose least gap is nearer to 0 than this are left out: there pixels decide.
NEAR = 1.5
_LOOKS = 400  # of the truth in each frame


class Stroke(NamedTuple):
    """A blade that turns at one speed from `angle`, and squares that move straight, for whole frames."""

    angle: float  # radians, from x towards y
    speed: float  # rad/s
    rate: int  # frames per second
    frames: int
    center: Floats  # (n, 2), of the squares at the start
    velocity: Floats  # (n, 2)
    side: Floats  # (n,)

    def angle_at(self, t: float) -> float:
        return self.angle + self.speed * t

    def centers_at(self, t: float) -> Floats:
        return np.asarray(self.center + self.velocity * t)


def drawn(speed: float, rate: int, rng: np.random.Generator) -> Stroke:
    """A stroke of about 170 degrees, either way round, among squares at random places about the hand."""
    away = rng.uniform(0.3 * OUTER, 1.25 * OUTER, TARGETS)
    turn = rng.uniform(-np.pi, np.pi, TARGETS)
    center = CENTER + away[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    walk = rng.uniform(-_WALK, _WALK, (TARGETS, 2))
    frames = max(1, round(_ARC / speed * rate))
    signed = speed * rng.choice([-1.0, 1.0])
    return Stroke(
        rng.uniform(-np.pi, np.pi), signed, rate, frames, center, walk, rng.uniform(*_SIDES, TARGETS)
    )


def gaps(stroke: Stroke, t: float) -> Floats:
    """Distances (n,) of the blade from the squares at one time; 0 where they overlap more than its radius."""
    out = np.array([np.cos(stroke.angle_at(t)), np.sin(stroke.angle_at(t))])
    radius = THICKNESS / 2
    start, end = CENTER + (INNER + radius) * out, CENTER + (OUTER - radius) * out
    half = stroke.side[:, None] / 2
    center = stroke.centers_at(t)
    ends = np.minimum(_from_square(start - center, half), _from_square(end - center, half))
    corners = center[:, None] + half[:, None] * np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    along = end - start
    s = np.clip((corners - start) @ along / (along @ along), 0, 1)
    beside = np.linalg.norm(corners - start - s[..., None] * along, axis=-1).min(axis=1)
    apart = np.where(_crosses(start - center, along, half[:, 0]), 0.0, np.minimum(ends, beside))
    return np.asarray(apart - radius)


def _from_square(point: Floats, half: Floats) -> Floats:
    return np.asarray(np.linalg.norm(np.maximum(np.abs(point) - half, 0), axis=1))


def _crosses(start: Floats, along: Floats, half: Floats) -> Bools:
    """Do segments enter squares about the origin? By slabs."""
    way = np.where(np.abs(along) < 1e-12, 1e-12, along)
    ends = np.sort(np.stack([(-half[:, None] - start) / way, (half[:, None] - start) / way]), axis=0)
    return np.asarray(np.maximum(ends[0].max(axis=1), 0) <= np.minimum(ends[1].min(axis=1), 1))


def truth(stroke: Stroke) -> tuple[Bools, Bools]:
    """Which squares the blade touches, and of which that is clear."""
    times = np.linspace(0, stroke.frames / stroke.rate, stroke.frames * _LOOKS + 1)
    least = np.min([gaps(stroke, t) for t in times], axis=0)
    # Between two looks the gap shrinks by less than NEAR: a hit that none of them sees is not clear.
    return least <= 0, np.abs(least) > NEAR


def measure(strokes: int = STROKES, speeds: tuple[float, ...] = SPEEDS) -> Iterator[list[Measurement]]:
    """For each speed and rate: what each method of each library finds."""
    players = games_players.build_players()
    for speed in speeds:
        for rate in RATES:
            rng = np.random.default_rng([SEED, rate, int(speed)])
            drawings = [drawn(speed, rate, rng) for _ in range(strokes)]
            known = [truth(stroke) for stroke in drawings]
            yield [_play(player, drawings, known) for player in players]


def _play(
    player: games_players.Player, strokes: list[Stroke], known: list[tuple[Bools, Bools]]
) -> Measurement:
    hits = found = ghosts = frames = 0
    seconds = 0.0
    for stroke, (touched, clear) in zip(strokes, known, strict=True):
        seen = np.zeros(TARGETS, np.bool_)
        player.start(stroke)
        for k in range(stroke.frames + 1):
            player.draw(k / stroke.rate)
            begun = CLOCK.now()
            hit = player.hits()
            seconds += CLOCK.now() - begun
            seen[hit] = True
        frames += stroke.frames + 1
        hits += int((touched & clear).sum())
        found += int((seen & touched & clear).sum())
        ghosts += int((seen & ~touched & clear).sum())
    return Measurement(
        "games",
        {"library": player.library, "rate": strokes[0].rate, "speed": abs(strokes[0].speed)},
        player.method,
        1e6 * seconds / frames,
        "us",
        wrong=hits - found + ghosts,
        facts={"hits": hits, "found": found, "ghosts": ghosts},
    )


def run(options: Options) -> Report:
    """Measure all libraries, each once per frame and with `ougi.adapters`."""
    strokes, speeds = (2, SPEEDS[3:]) if options.quick else (STROKES, SPEEDS)
    found = collect(measure(strokes, speeds), "strokes", len(speeds) * len(RATES))
    parameters = {"strokes": strokes, "targets": TARGETS, "seed": SEED}
    return Report(parameters, found, [build_hit_table(found)], versions(games_players.PEERS))


def build_hit_table(measurements: Sequence[Measurement]) -> Table:
    """One line for each method and rate, one column for each speed."""
    ordered = sorted(measurements, key=lambda each: (each.case["library"], each.case["rate"]))

    def same(each: Measurement) -> list[Measurement]:
        case = {name: each.case[name] for name in ("library", "rate")}
        return select(measurements, method=each.method, **case)

    hits = sum(each["hits"] for each in measurements) // len({e.method + str(e["library"]) for e in ordered})
    return build_table(
        "share of a blade's true hits that are found, by its speed in rad/s",
        ordered,
        columns={
            ">ghosts": lambda each: str(sum(one["ghosts"] for one in same(each))),
            ">us/frame": lambda each: f"{statistics.mean(one['value'] for one in same(each)):.0f}",
        },
        across="speed",
        cell=lambda each: f"{each['found'] / each['hits']:.1%}" if each["hits"] else "",
        notes=(
            f"{TARGETS} squares of {_SIDES[0]:g} to {_SIDES[1]:g} px walk about a blade of {OUTER:g} px; "
            f"{hits:,} true hits, seed {SEED}. rate: frames per second.",
            f"Squares that come within {NEAR:g} px of just touching are excluded: there pixels decide.",
            f"us/frame: {CLOCK.name}, of the test alone, among all squares.",
        ),
    )
