"""`ougi bench world`: one step of ten thousand bodies, stage by stage, beside physics engines.

A third each of balls, boxes and capsules (in the plane circles, rectangles and capsules), spread so that each
has about one candidate pair; all move, and one in ten turns by up to 30 degrees in a step. Our step finds
every first contact along the motions, with point and normal, and reports what began, continues and ended.
Points and normals of bodies that overlap when a step begins are computed when they are read, which `ougi,
all read` does. The scene `hulls` has convex hulls of 8 to 32 points instead. A world of 20 bodies takes 20
steps in a row, again and again from its start, because one is too short for a clock.

Engines take the same bodies as sensors, which nothing pushes, and test once per step: pymunk (C, in the
plane) at the poses at its end, rapier3d (Rust, in space) at those at its beginning. Their results stay
inside; ours are arrays. All worlds step in turn on one thread each, and their CPU time is measured. The
stages of our step are wall times, from `Events.profile`.

The scene `sectors` shows where enclosing sectors pay as a mid phase (FAN sec. 4.4): long boxes turn about one
end among balls at rest, by different angles in a step, in worlds with and without the option.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import process_time
from typing import TypeAlias

import numpy as np

import ougi
from ougi._native import one_thread
from ougi.cli.tables import Table
from ougi.world import Events, StepProfile, World
from ougi_lab.bench import world_peers
from ougi_lab.bench.choose import choose_named
from ougi_lab.bench.measurement import (
    BenchReport,
    Measurement,
    Options,
    collect,
    list_missing,
    require_max,
    select,
)
from ougi_lab.bench.peers import build_tasks, read_peer_versions
from ougi_lab.bench.table import build_table
from ougi_lab.measure import compute_median_ratio, time_rounds
from ougi_lab.scenes.groups import DEGREES, TURNING, RandomGroup, draw_steady_groups, draw_steady_hulls

SEED = 60
NUMBER = 10_000
DT = 1 / 60
# Milliseconds of the fastest of all steps, because other programs of the machine only add to it: for hulls a
# frame at 60 Hz.
GOALS = {"plane": 4.0, "space": 6.0, "hulls": 1000 / 60}
SMALL_GOAL = 0.06

# Bodies of a small world, and its steps in a row.
SMALL, IN_A_ROW = 20, 20
ALL_READ = "ougi, all read"

# For each step its profile and the number of events.
Steps: TypeAlias = list[tuple[StepProfile, int]]

SCENES = ("plane", "space", "sectors", "hulls")

# Radians in a step, boxes that turn, and balls for each box.
ANGLES = (0.5, 1.0, 2.0, 4.0)
BLADES, BALLS_PER_BLADE = 1_000, 20


def build_world(groups: Sequence[RandomGroup]) -> World:
    """A world with these bodies."""
    world = World()
    for group in groups:
        world.add(group.shape, group.motion)
    return world


def _draw_scene(scene: str, n: int) -> list[RandomGroup]:
    rng = np.random.default_rng([SEED, n])
    if scene == "hulls":
        return draw_steady_hulls(n, DT, rng)
    return draw_steady_groups(2 if scene == "plane" else 3, n, DT, rng)


def build_steps(groups: Sequence[RandomGroup], count: int, *, read: bool = False) -> Callable[[], Steps]:
    """Steps of a world on one thread: so many in a row, always the same, or the next one.

    Only profiles and numbers of events are stored, because memory that is never freed costs time.
    """
    world = build_world(groups)
    world.step(DT)  # builds its tables
    start = world.snapshot()

    def step() -> Steps:
        if count > 1:
            world.restore(start)
        found = []
        with one_thread():
            for _ in range(count):
                events = world.step(DT)
                assert not read or events.normal.ndim == 2
                found.append((events.profile, len(events)))
        return found

    return step


def measure_scene(scene: str, n: int, repeats: int) -> list[Measurement]:
    """Our step, and the same with all columns read, beside those of the engines of the scene's dimension."""
    in_a_row = IN_A_ROW if n == SMALL else 1
    groups = _draw_scene(scene, n)
    take_steps, read = build_steps(groups, in_a_row), build_steps(groups, in_a_row, read=True)
    results: list[Steps] = []

    def step() -> None:
        results.append(take_steps())

    engines = [
        peer
        for peer in world_peers.PEERS
        if world_peers.DIMENSION[peer.name] == (2 if scene == "plane" else 3)
        and scene != "hulls"
        and n != SMALL
    ]
    tasks, missing = build_tasks(engines, groups, DT)
    ours = {"ougi": step, ALL_READ: read}
    seconds = time_rounds({**ours, **tasks}, repeats, warm=2, clock=process_time, seed=SEED)
    ms = {name: statistics.median(each) / in_a_row * 1e3 for name, each in seconds.items()}
    best = {name: min(each) / in_a_row * 1e3 for name, each in seconds.items()}
    fastest = min(results[-repeats:], key=lambda steps: sum(profile.total for profile, _ in steps))
    profiles = [profile for profile, _ in fastest]
    facts = {
        "candidates": sum(profile.candidate_count for profile in profiles) / in_a_row / n,  # for each body
        "events": sum(count for _, count in fastest) / in_a_row,
        "stage_wall_ms": {
            stage: sum(profile.seconds[stage] for profile in profiles) / in_a_row * 1e3
            for stage in profiles[0].seconds
        },
    }
    case = {"scene": scene, "n": n}
    target = require_max(SMALL_GOAL if n == SMALL else GOALS[scene], best["ougi"], "best")
    found = [Measurement("world", case, "ougi", ms["ougi"], best=best["ougi"], target=target, facts=facts)]
    for name in (ALL_READ, *tasks):
        ratio = compute_median_ratio(seconds[name], seconds["ougi"])
        found.append(Measurement("world", case, name, ms[name], best=best[name], ratio=ratio))
    return found + list_missing("world", case, missing)


def build_blades(angle: float, n: int, *, enclosing_sectors: bool) -> World:
    """n boxes of length 1 that turn about one end by an angle in a step, among balls at rest."""
    rng = np.random.default_rng([SEED, n])
    side = (n * BALLS_PER_BLADE / 15) ** (1 / 3)
    hub, turn = rng.uniform(0, side, (n, 3)), rng.normal(size=(n, 3, 3))
    axes, _ = np.linalg.qr(turn)
    axes[:, :, 2] *= np.linalg.det(axes)[:, None]
    world = World(enclosing_sectors=enclosing_sectors)
    blades = ougi.Box(hub + 0.6 * axes[:, :, 0], [1.0, 0.05, 0.05], axes)
    world.add(blades, ougi.Rotation3d(hub, axes[:, :, 2], angle / DT), group=1, mask=2)
    world.add(ougi.Sphere(rng.uniform(0, side, (n * BALLS_PER_BLADE, 3)), 0.05), group=2, mask=1)
    return world


def measure_sectors(angle: float, n: int, repeats: int) -> Measurement:
    """A step with enclosing sectors beside one without."""
    worlds = {name: build_blades(angle, n, enclosing_sectors=name == "with") for name in ("with", "without")}
    steps: dict[str, Events] = {}

    def make_step(name: str) -> Callable[[], None]:
        def step() -> None:
            steps[name] = worlds[name].step(DT)

        return step

    tasks = {name: make_step(name) for name in worlds}
    seconds = time_rounds(tasks, repeats, clock=process_time, seed=SEED)
    profile = steps["with"].profile
    facts = {
        "before": profile.tested_count,
        "after": profile.queried_count,
        "without_ms": statistics.median(seconds["without"]) * 1e3,
    }
    wrong = int(len(steps["with"]) != len(steps["without"]))
    return Measurement(
        "world/sectors",
        {"radians": angle, "boxes": n, "balls": n * BALLS_PER_BLADE},
        "enclosing sectors",
        statistics.median(seconds["with"]) * 1e3,
        ratio=compute_median_ratio(seconds["with"], seconds["without"]),
        wrong=wrong,
        facts=facts,
    )


def run(options: Options) -> BenchReport:
    """Measure both scenes or the one that is named."""
    scenes = choose_named(SCENES, options.names, lambda scene: (scene,), "scene of bench world")
    n = options.count if options.quick else NUMBER
    repeats = options.repeats
    parts: list[Callable[[], Measurement | list[Measurement]]] = [
        functools.partial(measure_scene, scene, count, repeats)
        for scene in scenes
        if scene != "sectors"
        for count in ((n,) if scene == "hulls" else (n, SMALL))
    ]
    if "sectors" in scenes:
        blades = BLADES // 10 if options.quick else BLADES
        parts += [functools.partial(measure_sectors, angle, blades, repeats) for angle in ANGLES]
    found = collect((part() for part in parts), "steps", len(parts))
    parameters = {"scenes": scenes, "n": n, "repeats": options.repeats, "seed": SEED}
    parameters |= {"threads": 1, "load_before": options.load}
    peers = read_peer_versions(world_peers.PEERS)
    return BenchReport(parameters, found, build_tables(found, peers, options.load), peers)


def build_tables(
    measurements: Sequence[Measurement], peers: Mapping[str, str | None], load: float | None = None
) -> list[Table]:
    """The stages of a step, the step beside those of engines, and enclosing sectors."""
    sectors = [each for each in measurements if each.subject == "world/sectors"]
    tables = [_build_sector_table(sectors, load)] if sectors else []
    measurements = [each for each in measurements if each.subject == "world"]
    if not measurements:
        return tables
    ours = select(measurements, method="ougi")
    names = ours[0]["stage_wall_ms"]
    stages = " | ".join(f"{name.replace('_', ' ')} {{stage_wall_ms[{name}]:.3g}}" for name in names)
    steps = build_table(
        "one step of a world: CPU ms of one thread, and wall ms of the stages of its fastest step",
        ours,
        columns="candidates/body {candidates:.2f} | events {events:,.0f} | "
        + stages
        + " | step, median {value:.3g} | least {best:.3g}",
        notes=(f"{TURNING:.0%} of the bodies turn by up to {DEGREES:g} degrees. Targets are of the least.",),
        load=load,
    )
    engines = build_table(
        "least CPU ms of a step; with all columns read; and of physics engines, the bodies being sensors",
        [replace(each, target=None) for each in measurements],
        across="method",
        cell=lambda each: "-" if each.best is None else f"{each.best:.3g} (median {each.value:.3g})",
        notes=(
            f"`{ALL_READ}`: with points and normals of bodies that overlap when the step begins.",
            "Engines test one pose per step and keep their results inside; ougi finds first contacts along "
            "the motions, with points and normals.",
        ),
        versions=peers,
    )
    return [steps, engines, *tables]


def _build_sector_table(measurements: Sequence[Measurement], load: float | None) -> Table:
    return build_table(
        "a step of turning boxes with enclosing sectors as mid phase and without, CPU ms",
        measurements,
        columns="pairs tested {before:,} | left by sectors {after:,} | with {value:.1f} | "
        "without {without_ms:.1f} | ratio {ratio:.2f} | different events {wrong}",
        notes=("Medians. `pairs tested` and `left by sectors` are those of `Events.profile`.",),
        load=load,
    )
