"""`ougi bench corridor`: circles between walls, by our structures and by other libraries.

Casts: the first contact of circles that move straight on. shapely's STRtree and SciPy's cKDTree are timed for
the broad phase alone, in one call for all; pymunk takes one query at a time. Simulations: whole frames of
circles that bounce off walls, beside pymunk and Box2D, with their energy and the share that leaves the
corridor. Those engines do more than this (stacks, friction, joints). Throughput: many circles, all threads.
"""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ougi._check import frozen
from ougi._native import get_threads, one_thread
from ougi._typing import Floats
from ougi.cli.tables import Table
from ougi.corridor import Corridor, SearchStructure
from ougi.corridor.circle_loop import CAST, STEP
from ougi.corridor.columns import POSITION, VELOCITY
from ougi_lab.bench.measurement import BenchReport, Case, Measurement, Options, collect, list_missing, select
from ougi_lab.bench.peers import Peer, build_tasks, read_peer_versions
from ougi_lab.bench.table import build_table, fill_cell
from ougi_lab.measure import time_rounds
from ougi_lab.scenes import corridors
from ougi_lab.scenes.corridors import draw_circles, select_separate

SEED = 41
RADIUS = 0.05
SMALL = 0.02  # of circles that bounce off each other
OURS = ("reach", "chain", "quadtree", "kdtree")
# Scene -> cells of the maze and segments.
SCENES = {
    "rough 1e3": (4, 1_000),
    "rough 1e5": (4, 100_000),
    "rough 1e6": (4, 1_000_000),
    "maze 1e4": (18, 10_000),
    "maze 1e6": (182, 1_000_000),
}
SPEEDS = (1.0, 20.0)
# Maximum segments of engines, and density of queries of trees, which would take minutes.
_MAX_ENGINE, _MAX_DENSE = 20_000, 200_000
_TOO_SLOW = "too slow in some of these scenes"
# Casts of a library that takes one at a time.
_ONE_BY_ONE = 200
# Target of the throughput: characters, segments, frames per second.
TARGET = (100_000, 100_000, 62.0)


def build_corridor(scene: str) -> Corridor:
    """A seeded corridor."""
    cells, segments = SCENES[scene]
    return Corridor(corridors.make_maze(cells, np.random.default_rng(SEED), segments=segments))


def measure_casts(scenes: Sequence[str], tests: int, repeats: int) -> Iterator[list[Measurement]]:
    """Measure casts, scene after scene: nanoseconds for one."""
    _build_structures(Corridor(corridors.make_strip(100, np.random.default_rng(SEED))))  # compiles
    for scene in scenes:
        corridor = build_corridor(scene)
        structures = _build_structures(corridor)
        for speed in SPEEDS:
            case = {"scene": scene, "N": len(corridor.segments), "speed": speed}
            yield _measure_cast(case, corridor, structures, tests, repeats)


def _measure_cast(
    case: Case, corridor: Corridor, structures: dict[str, SearchStructure], tests: int, repeats: int
) -> list[Measurement]:
    start, motion = draw_circles(corridor, tests, RADIUS, case["speed"], np.random.default_rng(SEED))
    state = frozen(np.concatenate([start, motion, np.full((tests, 1), RADIUS)], axis=1))
    tasks: dict[str, Callable[[], Any]] = {
        name: functools.partial(structure.move, state, CAST) for name, structure in structures.items()
    }
    peers, missing = build_tasks(CAST_PEERS, corridor, start, motion)
    with one_thread():
        seconds = time_rounds(tasks | peers, repeats, clock=time.thread_time, seed=SEED)
    found = []
    for name, each in seconds.items():
        ns, wrong, facts = 1e9 * statistics.median(each) / tests, None, dict[str, Any]()
        if name in structures:  # builds are timed by the wall clock
            facts = {"build_s": round(structures[name].build_seconds, 4), "nbytes": structures[name].nbytes}
        if name == "reach":
            facts["kept"] = structures[name].feature_count  # edges and corners, of 2 N
            facts["quadtree_ratio"] = statistics.median(seconds["quadtree"]) / statistics.median(each)
        if name == "pymunk":
            truth = corridor.cast(start[:_ONE_BY_ONE], motion[:_ONE_BY_ONE], RADIUS, check=False)
            wrong, late = count_wrong_casts(peers[name](), truth.t, motion[:_ONE_BY_ONE])
            ns, facts = ns * tests / len(truth.t), {"late": late, "contacts": int(truth.hit.sum())}
        found.append(Measurement("corridor/casts", case, name, ns, "ns", wrong=wrong, facts=facts))
    return found + list_missing("corridor/casts", case, missing)


def _build_structures(corridor: Corridor) -> dict[str, SearchStructure]:
    return {name: corridor.compile(RADIUS) if name == "reach" else corridor.structure(name) for name in OURS}


def _build_shapely(shapely: Any, corridor: Corridor, start: Floats, motion: Floats) -> Callable[[], Any]:
    """Build a search for candidates of all casts at once."""
    tree = shapely.STRtree(shapely.linestrings(corridor.segments))
    paths = shapely.linestrings(np.stack([start, start + motion], axis=1))
    return lambda: tree.query(paths, predicate="dwithin", distance=RADIUS)


def _build_scipy(spatial: Any, corridor: Corridor, start: Floats, motion: Floats) -> Callable[[], Any]:
    """Candidates of all casts at once: segments whose middles are near."""
    middle = corridor.segments.mean(axis=1)
    half = float(np.hypot(*(corridor.segments[:, 1] - corridor.segments[:, 0]).T).max()) / 2
    points = spatial.cKDTree(middle)
    reach = RADIUS + half + np.hypot(*motion.T) / 2
    return lambda: points.query_ball_point(start + motion / 2, reach)


def _build_pymunk_casts(
    pymunk: Any, corridor: Corridor, start: Floats, motion: Floats
) -> Callable[[], list[float]]:
    """Fat segment queries, one by one; the share of the motion, NaN without a contact."""
    start, motion = start[:_ONE_BY_ONE], motion[:_ONE_BY_ONE]
    space = pymunk.Space()
    for a, b in corridor.segments.tolist():
        space.add(pymunk.Segment(space.static_body, a, b, 0))
    space.reindex_static()
    ends = [(tuple(p), tuple(q)) for p, q in zip(start.tolist(), (start + motion).tolist(), strict=True)]
    everything = pymunk.ShapeFilter()

    def cast_all() -> list[float]:
        hits = [space.segment_query_first(p, q, RADIUS, everything) for p, q in ends]
        return [float("nan") if hit is None else hit.alpha for hit in hits]

    return cast_all


def _refuse_dense(corridor: Corridor, start: Floats, motion: Floats) -> str | None:
    speed = float(np.hypot(*motion.T).max()) / RADIUS
    return _TOO_SLOW if len(corridor.segments) * speed > _MAX_DENSE * 10 else None


def _refuse_walls(max_segments: int, corridor: Corridor, *_: Any) -> str | None:
    return _TOO_SLOW if len(corridor.segments) > max_segments else None


CAST_PEERS = (
    Peer("shapely", "shapely", _build_shapely, _refuse_dense),
    Peer("scipy", "scipy.spatial", _build_scipy, _refuse_dense, "scipy"),
    Peer("pymunk", "pymunk", _build_pymunk_casts, functools.partial(_refuse_walls, 10 * _MAX_ENGINE)),
)


def count_wrong_casts(theirs: list[float], ours: Floats, motion: Floats) -> tuple[int, int]:
    """Count contacts that they miss, and those that they find later than 5 % of the radius."""
    found = np.array(theirs)
    hit = ~np.isnan(ours)
    late = (found - ours) * np.hypot(*motion.T) > 0.05 * RADIUS
    return int((hit & np.isnan(found)).sum()), int((hit & late).sum())


def measure_simulations(scenes: Sequence[str], count: int, frames: int) -> Iterator[list[Measurement]]:
    """Measure whole frames, scene after scene: ns for a character, the share outside, and the energy."""
    for scene in scenes:
        corridor = build_corridor(scene)
        for speed in (1.0, 4.0):
            start, motion = draw_circles(corridor, count, RADIUS, speed, np.random.default_rng(SEED))
            case = {"scene": scene, "N": len(corridor.segments), "speed": speed, "frames": frames}
            peers, missing = build_tasks(ENGINE_PEERS, corridor, start, motion)
            found = []
            for name, engine in {"reach": _build_reach(corridor, start, motion), **peers}.items():
                with one_thread():
                    begun = time.thread_time()
                    for _ in range(frames):
                        engine.step()
                    ns = 1e9 * (time.thread_time() - begun) / frames / count
                position, velocity = (np.array(each) for each in engine.read())
                energy = (velocity**2).sum(axis=1) / (motion**2).sum(axis=1)
                facts = {
                    "outside": float((~corridor.inside(position)).mean()),
                    "energy": float(energy.mean()),
                }
                found.append(Measurement("corridor/simulations", case, name, ns, "ns", facts=facts))
            yield found + list_missing("corridor/simulations", case, missing)


class Simulation(NamedTuple):
    """A simulation: a step of one frame, and positions and velocities after the last one."""

    step: Callable[[], Any]
    read: Callable[[], tuple[Any, Any]]


def _build_reach(corridor: Corridor, start: Floats, motion: Floats) -> Simulation:
    structures = corridor.compile(RADIUS)
    state = np.concatenate([start, motion, np.full((len(start), 1), RADIUS)], axis=1)
    structures.move(frozen(state), STEP, 1.0, 1.0, 1000)

    def step() -> None:
        out, _ = structures.move(frozen(state.copy()), STEP, 1.0, 1.0, 1000)
        state[:, POSITION], state[:, VELOCITY] = out[:, POSITION], out[:, VELOCITY]

    return Simulation(step, lambda: (state[:, POSITION], state[:, VELOCITY]))


def _build_pymunk(pymunk: Any, corridor: Corridor, start: Floats, motion: Floats) -> Simulation:
    space = pymunk.Space()
    for a, b in corridor.segments.tolist():
        wall = pymunk.Segment(space.static_body, a, b, 0)
        wall.elasticity, wall.friction = 1.0, 0.0
        space.add(wall)
    bodies = []
    for p, v in zip(start.tolist(), motion.tolist(), strict=True):
        body = pymunk.Body(1.0, float("inf"))
        body.position, body.velocity = p, v
        ball = pymunk.Circle(body, RADIUS)
        ball.elasticity, ball.friction = 1.0, 0.0
        ball.filter = pymunk.ShapeFilter(group=1)  # balls pass through each other
        space.add(body, ball)
        bodies.append(body)
    return Simulation(
        lambda: space.step(1.0), lambda: ([b.position for b in bodies], [b.velocity for b in bodies])
    )


def _build_box2d(engine: Any, corridor: Corridor, start: Floats, motion: Floats) -> Simulation:
    """Its lengths are meters and its frames 1/60 s; velocities are scaled to fit, and balls are bullets."""
    scale, rate = 10.0, 60.0  # radius 0.5 m; b2_maxTranslation is 2 m per step
    world = engine.b2World(gravity=(0, 0), doSleep=False)
    walls = world.CreateStaticBody()
    for a, b in (scale * corridor.segments).tolist():
        walls.CreateEdgeFixture(vertices=[a, b], friction=0, restitution=1)
    bodies = []
    for p, v in zip((scale * start).tolist(), (scale * rate * motion).tolist(), strict=True):
        body = world.CreateDynamicBody(position=p, linearVelocity=v, bullet=True, fixedRotation=True)
        body.CreateCircleFixture(radius=scale * RADIUS, density=1, friction=0, restitution=1, groupIndex=-1)
        bodies.append(body)

    def read() -> tuple[Floats, Floats]:
        state = np.array([(*b.position, *b.linearVelocity) for b in bodies]) / scale
        return state[:, :2], state[:, 2:] / rate

    return Simulation(lambda: world.Step(1 / rate, 8, 3), read)


ENGINE_PEERS = (
    Peer("pymunk", "pymunk", _build_pymunk, functools.partial(_refuse_walls, _MAX_ENGINE)),
    Peer("Box2D", "Box2D", _build_box2d, functools.partial(_refuse_walls, _MAX_ENGINE)),
)


def measure_characters(scenes: Sequence[str], characters: int, frames: int) -> Iterator[Measurement]:
    """Whole calls of `step` on all threads, with and without the check of the start."""
    for scene in scenes:
        corridor = build_corridor(scene)
        start, motion = draw_circles(corridor, characters, RADIUS, 1.0, np.random.default_rng(SEED))
        yield _measure_frames(scene, corridor, start, motion, RADIUS, frames)


def measure_interacting(scene: str, characters: int, frames: int) -> Measurement:
    """Smaller circles that bounce off each other too."""
    corridor = build_corridor(scene)
    start, motion = draw_circles(corridor, 2 * characters, SMALL, 1.0, np.random.default_rng(SEED))
    free = np.flatnonzero(select_separate(start, SMALL))[:characters]
    return _measure_frames(scene, corridor, start[free], motion[free], SMALL, frames, mutual=True)


def _measure_frames(
    scene: str,
    corridor: Corridor,
    start: Floats,
    motion: Floats,
    radius: float,
    frames: int,
    mutual: bool = False,
) -> Measurement:
    """The CPU time of a character and frame; frames per second by the wall clock."""
    fps, cpu = {}, np.inf
    for check in (True, False):
        position, velocity, took = start, motion, []
        for _ in range(frames + 1):
            begun, busy = time.perf_counter(), time.process_time()
            moved = corridor.step(position, velocity, radius, 1.0, check=check, mutual=mutual)
            took.append(time.perf_counter() - begun)
            cpu = min(cpu, time.process_time() - busy)
            position, velocity = moved.position, moved.velocity
        fps[check] = 1 / statistics.median(took[1:])
    n = len(start)
    case = {"scene": scene, "N": len(corridor.segments), "characters": n, "threads": get_threads()}
    facts = {"checked_fps": fps[True], "fps": fps[False], "per_core": int(n / (62 * cpu)), "mutual": mutual}
    return Measurement("corridor/characters", case, "reach", 1e9 * cpu / n, "ns", facts=facts)


def run(options: Options) -> BenchReport:
    """Measure casts, simulations and throughput."""
    quick = options.quick
    scenes = list(SCENES)[: 1 if quick else None]
    small = [name for name in scenes if SCENES[name][1] <= 10_000]
    found = collect(measure_casts(scenes, options.tests, options.repeats), "casts", 2 * len(scenes))
    frames, characters = (10, 2_000) if quick else (120, TARGET[0])
    found += collect(measure_simulations(small, 200, frames), "simulations", 2 * len(small))
    large = scenes if quick else ["rough 1e5", "rough 1e6", "maze 1e6"]
    found += collect(measure_characters(large, characters, 12), "characters", len(large))
    found.append(measure_interacting(small[-1], characters // 10, 12))
    parameters: dict[str, Any] = {"tests": options.tests, "repeats": options.repeats, "seed": SEED}
    parameters |= {"threads": get_threads(), "load_before": options.load}
    peers = read_peer_versions((*CAST_PEERS, ENGINE_PEERS[1]))
    return BenchReport(parameters, found, build_tables(found, peers, options.load), peers)


def build_tables(
    measurements: Sequence[Measurement], peers: Mapping[str, str | None], load: float | None = None
) -> list[Table]:
    """Casts, builds, simulations, throughput."""
    casts = select(measurements, "corridor/casts")
    return [
        build_table(
            "casts of circles, ns each (one thread)",
            casts,
            columns="quad/reach {quadtree_ratio:.1f}",
            across="method",
            cell=lambda each: fill_cell(
                each, "{value:,.0f}" + ("" if each.wrong is None else " ({wrong}, {late} of {contacts})")
            ),
            notes=(
                "speed: radii of motion. shapely, scipy: candidates only, in bulk.",
                "pymunk, in brackets: contacts that it misses and that it finds late, of all.",
                "reach is compiled for the radius, all others serve any.",
            ),
            versions=peers,
        ),
        build_table(
            "builds: seconds by the clock / MB beside the wall",
            [each for each in select(casts, speed=SPEEDS[0]) if each.method in OURS],
            columns="reach, obstacles {kept:,}",
            across="method",
            cell=lambda each: f"{each['build_s']:.2f} / {each['nbytes'] / 1e6:.1f}",
            notes=(
                "reach: for the radius, with its chain; obstacles: edges and corners that remain, of 2 N.",
            ),
        ),
        build_table(
            "frames of bouncing circles: ns for each, share outside, energy (1 is right)",
            select(measurements, "corridor/simulations"),
            across="method",
            cell="{value:,.0f} / {outside:.3f} / {energy:.3f}",
        ),
        build_table(
            f"circles, 1 radius per frame; target: {TARGET[0]:,} at {TARGET[2]:g} FPS, N = {TARGET[1]:,}",
            select(measurements, "corridor/characters"),
            columns="mutual {mutual} | FPS, checked {checked_fps:.0f} | FPS {fps:.0f} | CPU ns {value:.0f} | "
            "62 FPS on a core {per_core:,}",
            notes=(
                "FPS by the wall clock, medians; checked: every character is tested where it starts.",
                "CPU ns: of a character in the best frame, whole calls; on a core: how many it moves so.",
                "mutual: circles of radius 0.02 that bounce off each other as well, on one thread.",
            ),
            load=load,
        ),
    ]
