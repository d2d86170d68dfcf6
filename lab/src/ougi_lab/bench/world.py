"""`ougi bench world`: one step of ten thousand bodies, stage by stage, beside physics engines.

A third each of balls, boxes and capsules (in the plane circles, rectangles and capsules), spread so that each
has about one candidate pair; all move, and one in ten turns by up to 30 degrees in a step. Our step finds
every first contact along the motions, with point and normal, and reports what began, continues and ended.
Points and normals of bodies that overlap when a step begins are computed when they are read, which is
measured by itself. The scene `hulls` has convex hulls of 8 to 32 points instead.

Engines take the same bodies as sensors, which nothing pushes, and test once per step: pymunk (C, in the
plane) at the poses at its end, rapier3d (Rust, in space) at those at its beginning. Their results stay
inside; ours are arrays. All worlds step in turn, and their CPU time is measured, of all threads. The stages
of our step are wall times, from `Events.profile`.

The scene `sectors` shows where enclosing sectors pay as a mid phase (FAN sec. 4.4): long boxes turn about one
end among balls at rest, by different angles in a step, in worlds with and without the option.
"""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

import ougi
from ougi.cli.tables import Table
from ougi.world import Events, World
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
# Milliseconds of a frame at 60 Hz.
GOAL = 1000 / 60

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


def measure_scene(scene: str, n: int, repeats: int) -> list[Measurement]:
    """Our step beside those of the engines of the scene's dimension."""
    dimension = 2 if scene == "plane" else 3
    rng = np.random.default_rng([SEED, n])
    groups = draw_steady_hulls(n, DT, rng) if scene == "hulls" else draw_steady_groups(dimension, n, DT, rng)
    world = build_world(groups)
    steps: list[Events] = []
    walls: list[float] = []

    def step() -> None:
        start = time.perf_counter()
        steps.append(world.step(DT))
        walls.append(time.perf_counter() - start)

    engines = [
        peer
        for peer in world_peers.PEERS
        if world_peers.DIMENSION[peer.name] == dimension and scene != "hulls"
    ]
    tasks, missing = build_tasks(engines, groups, DT)
    seconds = time_rounds({"ougi": step, **tasks}, repeats, warm=2, clock=time.process_time, seed=SEED)
    profiles = [events.profile for events in steps[-repeats:]]
    ms = {name: statistics.median(each) * 1e3 for name, each in seconds.items()}
    facts = {
        "overlaps_ms": statistics.median(measure_overlaps(world) for _ in range(repeats)) * 1e3,
        "candidates": profiles[-1].candidate_count / n,  # for each body
        "events": len(steps[-1]),
        "wall_ms": min(walls[-repeats:]) * 1e3,
        "stage_wall_ms": {
            stage: statistics.median(profile.seconds[stage] for profile in profiles) * 1e3
            for stage in profiles[0].seconds
        },
    }
    case, best = {"scene": scene, "n": n}, min(seconds["ougi"]) * 1e3
    target = require_max(GOAL, ms["ougi"])
    found = [Measurement("world", case, "ougi", ms["ougi"], best=best, target=target, facts=facts)]
    for name in tasks:
        ratio = compute_median_ratio(seconds[name], seconds["ougi"])
        found.append(Measurement("world", case, name, ms[name], ratio=ratio))
    return found + list_missing("world", case, missing)


def measure_overlaps(world: World) -> float:
    """Seconds of CPU time to read the points and normals of one more step."""
    events = world.step(DT)
    start = time.process_time()
    read = events.normal
    seconds = time.process_time() - start
    assert len(read) == len(events)
    return seconds


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
    seconds = time_rounds(tasks, repeats, clock=time.process_time, seed=SEED)
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
        functools.partial(measure_scene, scene, n, repeats) for scene in scenes if scene != "sectors"
    ]
    if "sectors" in scenes:
        blades = BLADES // 10 if options.quick else BLADES
        parts += [functools.partial(measure_sectors, angle, blades, repeats) for angle in ANGLES]
    found = collect((part() for part in parts), "steps", len(parts))
    parameters = {"scenes": scenes, "n": n, "repeats": options.repeats, "seed": SEED}
    parameters |= {"threads": ougi.get_threads(), "load_before": options.load}
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
    stages = " | ".join(f"{name.replace('_', ' ')} {{stage_wall_ms[{name}]:.2f}}" for name in names)
    steps = build_table(
        "one step of a world: CPU ms of all threads, and wall ms of its stages",
        ours,
        columns="candidates/body {candidates:.2f} | events {events:,} | "
        + stages
        + " | step {value:.1f} | best {best:.1f} | wall, best {wall_ms:.1f} | overlaps {overlaps_ms:.1f}",
        notes=(
            f"Medians; {TURNING:.0%} of the bodies turn by up to {DEGREES:g} degrees. Target: 60 Hz.",
            "`overlaps` reads points and normals of bodies that overlap when the step begins.",
        ),
        load=load,
    )
    engines = build_table(
        "a step of physics engines with the same bodies as sensors, CPU ms (in brackets: times ougi's)",
        [replace(each, target=None) for each in measurements],
        across="method",
        notes=(
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
