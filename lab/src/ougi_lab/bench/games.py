"""`ougi bench games`: which share of the true hits of a blade do game libraries find, with ougi and without?

A blade turns among targets that move and turn, at 30 and at 60 frames per second. What a library tests once
per frame, where things are drawn, is compared with `ougi.adapters`, in the same run on the same strokes. Then
all kinds of blades, projectiles and targets are tested with `ougi.games`. The truth comes from shapely. At
last the time of a frame is measured with few and with many targets.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ougi.cli.tables import Table
from ougi_lab.bench import games_players, games_speed
from ougi_lab.bench.measurement import BenchReport, Measurement, Options, collect, select
from ougi_lab.bench.peers import read_peer_versions
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK
from ougi_lab.scenes import strokes
from ougi_lab.scenes.strokes import (
    BLADE_KINDS,
    NEAR,
    OUTER,
    PROJECTILE_KINDS,
    SAMPLES,
    SIDES,
    TARGET_KINDS,
    TARGETS,
    Stroke,
    Truth,
    draw_flight,
    draw_stroke,
    find_true_hits,
)

SEED = 10
RATES = (30, 60)  # frames per second
SPEEDS = (5.0, 10.0, 20.0, 40.0, 80.0)  # rad/s; a stroke of 170 degrees in a tenth of a second is 30
STROKES = 20  # for each speed, rate and kind of targets
KINDS = ("square", "convex")  # of targets that the libraries play with; convex ones spin


def measure(strokes: int = STROKES, speeds: tuple[float, ...] = SPEEDS) -> Iterator[list[Measurement]]:
    """For each speed, rate and kind of targets: what each method of each library finds."""
    players = games_players.build_players()
    for speed in speeds:
        for rate in RATES:
            for kind in KINDS:
                drawings, known = _draw_strokes(strokes, speed, rate, kind, "capsule")
                yield [_play_strokes(player, drawings, known) for player in players]


def measure_kinds(strokes: int = 1, speeds: tuple[float, ...] = SPEEDS) -> Iterator[list[Measurement]]:
    """For each kind of blade or projectile, and of targets: what `ougi.games` finds."""
    for blade in (*BLADE_KINDS, *PROJECTILE_KINDS):
        swings = blade in BLADE_KINDS
        player = games_players.PlainSwings() if swings else games_players.PlainProjectiles()
        for kind in TARGET_KINDS:
            made = []
            for speed in speeds:
                for rate in RATES:
                    drawings, known = _draw_strokes(strokes, speed, rate, kind, blade)
                    made.append(_play_strokes(player, drawings, known))
            yield made


def _draw_strokes(
    count: int, speed: float, rate: int, kind: str, blade: str
) -> tuple[list[Stroke], list[Truth]]:
    seed = [SEED, rate, int(speed), TARGET_KINDS.index(kind), (*BLADE_KINDS, *PROJECTILE_KINDS).index(blade)]
    rng = np.random.default_rng(seed)
    draw = draw_stroke if blade in BLADE_KINDS else draw_flight
    drawings = [draw(speed, rate, rng, kind, blade) for _ in range(count)]
    return drawings, [find_true_hits(stroke) for stroke in drawings]


def _play_strokes(player: games_players.Player, drawings: list[Stroke], known: list[Truth]) -> Measurement:
    hits = found = ghosts = frames = 0
    seconds = 0.0
    for stroke, truth in zip(drawings, known, strict=True):
        seen = np.zeros(TARGETS, np.bool_)
        player.start(stroke)
        for k in range(stroke.frames + 1):
            player.draw(k / stroke.rate)
            begun = CLOCK.now()
            hit = player.find_hits()
            seconds += CLOCK.now() - begun
            seen[hit] = True
        frames += stroke.frames + 1
        if player.is_exact:
            counts = strokes.score(stroke, truth, seen)
        else:
            clear = strokes.clear_of_pixels(truth)
            touched = truth.touched & clear
            counts = int(touched.sum()), int((seen & touched).sum()), int((seen & clear & ~touched).sum())
        hits, found, ghosts = hits + counts[0], found + counts[1], ghosts + counts[2]
    stroke = drawings[0]
    case = {"library": player.library, "targets": stroke.kind, "rate": stroke.rate}
    case["speed"] = float(abs(stroke.speed))
    if player.is_exact:
        case["blade"] = stroke.blade
    facts, wrong = {"hits": hits, "found": found, "ghosts": ghosts}, hits - found + ghosts
    us = 1e6 * seconds / frames
    return Measurement("games", case, player.method, us, "us", wrong=wrong, facts=facts)


def run(options: Options) -> BenchReport:
    """Measure all libraries, with `ougi.adapters` and without; all kinds with `ougi.games`; and frames."""
    count, speeds = (2, SPEEDS[3:]) if options.quick else (STROKES, SPEEDS)
    cells = len(speeds) * len(RATES) * len(KINDS)
    played = collect(measure(count, speeds), "strokes", cells)
    every, rows = 1 if options.quick else 2, len(BLADE_KINDS) + len(PROJECTILE_KINDS)
    kinds = collect(measure_kinds(every, speeds), "blades", rows * len(TARGET_KINDS))
    frames = collect(games_speed.measure_speed(40 if options.quick else games_speed.FRAMES), "frames", 3)
    parameters = {"strokes": count, "strokes_of_kinds": every, "targets": TARGETS, "seed": SEED}
    tables = [build_hit_table(played), build_kind_table(kinds), games_speed.build_speed_table(frames)]
    return BenchReport(
        parameters, [*played, *kinds, *frames], tables, read_peer_versions(games_players.PEERS)
    )


def build_hit_table(measurements: Sequence[Measurement]) -> Table:
    """One line for each method, kind of targets and rate, one column for each speed."""
    ordered = sorted(measurements, key=lambda each: (each["library"], each["targets"], each["rate"]))
    lines = []
    for each in ordered:
        same = select(
            ordered, method=each.method, library=each["library"], targets=each["targets"], rate=each["rate"]
        )
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
            f"{TARGETS} targets of {SIDES[0]:g} to {SIDES[1]:g} px walk about a blade of {OUTER:g} px. "
            f"Convex ones spin, and the hand moves. {hits:,} true hits, seed {SEED}. rate: frames/s.",
            f"Targets that come within {NEAR:g} px of just touching are excluded: there pixels decide.",
            f"us/frame: {CLOCK.name}, of the test alone, among all targets.",
        ),
    )


def build_kind_table(measurements: Sequence[Measurement]) -> Table:
    """One line for each blade or projectile, one column for each kind of targets."""
    sums = []
    for blade in (*BLADE_KINDS, *PROJECTILE_KINDS):
        for kind in TARGET_KINDS:
            same = select(measurements, blade=blade, targets=kind)
            if not same:
                continue
            facts = {name: sum(one[name] for one in same) for name in ("hits", "found", "ghosts")}
            case = {"blade": blade, "targets": kind}
            us = statistics.mean(one["value"] for one in same)
            sums.append(Measurement("games", case, same[0].method, us, "us", facts=facts))
    for k, each in enumerate(sums):
        same = select(sums, blade=each["blade"])
        total = {"all_ghosts": sum(one["ghosts"] for one in same)}
        total["mean_us"] = statistics.mean(one["value"] for one in same)
        sums[k] = replace(each, facts=each.facts | total)
    return build_table(
        "hits of `ougi.games` of all true ones, by the kind of targets",
        sums,
        columns="ghosts {all_ghosts} | us/frame {mean_us:.0f}",
        across="targets",
        cell=lambda each: f"{each['found']:,} of {each['hits']:,}",
        notes=(
            f"Over all speeds and rates; {SAMPLES:,} samples of each frame by shapely, nothing excluded. "
            "All targets move, and all but squares spin. The hand of a blade moves straight. "
            f"Projectiles ({', '.join(PROJECTILE_KINDS)}) fly along parabolas, and spin as blades do.",
        ),
    )
