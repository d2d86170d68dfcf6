"""`ougi bench games`: which share of the true hits of a blade do game libraries find, with ougi and without?

A blade turns among sprites that move, at 30 and at 60 frames per second. What a library tests once per frame,
where things are drawn, is compared with `swing_hits` of `ougi.adapters`, in the same run on the same strokes.
The truth comes from 400 samples in each frame, and shares no code with either.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ougi._typing import Bools
from ougi.cli.tables import Table
from ougi_lab.bench import games_players
from ougi_lab.bench.measurement import Measurement, Options, Report, collect, select
from ougi_lab.bench.peers import read_peer_versions
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK
from ougi_lab.scenes.strokes import NEAR, OUTER, SIDES, TARGETS, Stroke, draw_stroke, find_true_hits

SEED = 10
RATES = (30, 60)  # frames per second
SPEEDS = (5.0, 10.0, 20.0, 40.0, 80.0)  # rad/s; a stroke of 170 degrees in a tenth of a second is 30
STROKES = 40  # for each speed and rate


def measure(strokes: int = STROKES, speeds: tuple[float, ...] = SPEEDS) -> Iterator[list[Measurement]]:
    """For each speed and rate: what each method of each library finds."""
    players = games_players.build_players()
    for speed in speeds:
        for rate in RATES:
            rng = np.random.default_rng([SEED, rate, int(speed)])
            drawings = [draw_stroke(speed, rate, rng) for _ in range(strokes)]
            known = [find_true_hits(stroke) for stroke in drawings]
            yield [_play_strokes(player, drawings, known) for player in players]


def _play_strokes(
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
            hit = player.find_hits()
            seconds += CLOCK.now() - begun
            seen[hit] = True
        frames += stroke.frames + 1
        hits += int((touched & clear).sum())
        found += int((seen & touched & clear).sum())
        ghosts += int((seen & ~touched & clear).sum())
    case = {"library": player.library, "rate": strokes[0].rate, "speed": abs(strokes[0].speed)}
    facts, wrong = {"hits": hits, "found": found, "ghosts": ghosts}, hits - found + ghosts
    us = 1e6 * seconds / frames
    return Measurement("games", case, player.method, us, "us", wrong=wrong, facts=facts)


def run(options: Options) -> Report:
    """Measure all libraries, each once per frame and with `ougi.adapters`."""
    strokes, speeds = (2, SPEEDS[3:]) if options.quick else (STROKES, SPEEDS)
    found = collect(measure(strokes, speeds), "strokes", len(speeds) * len(RATES))
    parameters = {"strokes": strokes, "targets": TARGETS, "seed": SEED}
    return Report(parameters, found, [build_hit_table(found)], read_peer_versions(games_players.PEERS))


def build_hit_table(measurements: Sequence[Measurement]) -> Table:
    """One line for each method and rate, one column for each speed."""
    ordered = sorted(measurements, key=lambda each: (each.case["library"], each.case["rate"]))
    lines = []
    for each in ordered:
        same = select(ordered, method=each.method, library=each["library"], rate=each["rate"])
        facts = {"all_ghosts": sum(one["ghosts"] for one in same)}
        facts["mean_us"] = statistics.mean(one["value"] for one in same)
        lines.append(replace(each, facts=each.facts | facts))
    hits = sum(each["hits"] for each in measurements) // len({e.method + str(e["library"]) for e in ordered})
    return build_table(
        "share of a blade's true hits that are found, by its speed in rad/s",
        lines,
        columns="ghosts {all_ghosts} | us/frame {mean_us:.0f}",
        across="speed",
        cell=lambda each: f"{each['found'] / each['hits']:.1%}" if each["hits"] else "",
        notes=(
            f"{TARGETS} squares of {SIDES[0]:g} to {SIDES[1]:g} px walk about a blade of {OUTER:g} px; "
            f"{hits:,} true hits, seed {SEED}. rate: frames per second.",
            f"Squares that come within {NEAR:g} px of just touching are excluded: there pixels decide.",
            f"us/frame: {CLOCK.name}, of the test alone, among all squares.",
        ),
    )
