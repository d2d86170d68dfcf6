"""`ougi bench corridor`: circles between walls, by our structures and by other libraries.

Casts: the first contact of circles that move straight on, the same for all. shapely's STRtree and SciPy's
cKDTree are timed for the broad phase alone, all segments near the motion, in one call for all; pymunk is
asked one by one, as it can only be. Simulations: whole frames of bouncing circles that do not see each
other, beside pymunk and Box2D, with who gets out and what becomes of the energy. Those engines do more than
this (stacks, friction, joints); the table says what they cost and lose here. Throughput: large crowds, all
threads.
"""

from __future__ import annotations

import functools
import importlib.util
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi._check import frozen
from ougi._jit import get_threads, one_thread
from ougi._typing import Floats
from ougi.cli.machine import version
from ougi.cli.tables import Table
from ougi.corridor import Corridor, Structure
from ougi.corridor.drive import CAST, STEP
from ougi_lab.measure import rounds
from ougi_lab.scenes import corridors
from ougi_lab.scenes.corridors import draw_circles, select_separate

SEED = 41
RADIUS = 0.05
SMALL = 0.02  # of those who bounce off each other
OURS = ("reach", "chain", "quadtree", "kdtree")
PEERS = ("shapely", "scipy", "pymunk", "Box2D")
# Scene -> cells of the maze and segments.
SCENES = {
    "rough 1e3": (4, 1_000),
    "rough 1e5": (4, 100_000),
    "rough 1e6": (4, 1_000_000),
    "maze 1e4": (18, 10_000),
    "maze 1e6": (182, 1_000_000),
}
SPEEDS = (1.0, 20.0)
# Engines get no larger walls than this, and trees no denser questions: they would take minutes.
_ENGINE = 20_000
_DENSE = 200_000
# Throughput that is asked for: characters, segments, frames per second.
WANTED = (100_000, 100_000, 62.0)


@dataclass(frozen=True)
class CastRow:
    """Nanoseconds for one cast; None where a library is missing or would take too long."""

    scene: str
    segments: int
    speed: float
    ns: dict[str, float | None]
    missed: int | None  # contacts that pymunk does not find, of so many:
    contacts: int
    late: int | None  # contacts that it finds later than 5 % of the radius
    build_s: dict[str, float]  # of our structures, by the wall clock
    nbytes: dict[str, int]
    kept: int  # edges and corners that reach keeps of 2 N


@dataclass(frozen=True)
class RunRow:
    """A simulation: for each engine ns for a character and frame, share outside, mean energy (1 is right)."""

    scene: str
    segments: int
    speed: float
    frames: int
    engines: dict[str, tuple[float, float, float] | None]


@dataclass(frozen=True)
class CrowdRow:
    """A large crowd on all threads, by the wall clock; and the CPU time of a character and frame.

    `per_core` is how many characters a core moves at 62 FPS. `among`: they also bounce off each other.
    """

    scene: str
    segments: int
    characters: int
    threads: int
    checked_fps: float
    fps: float
    cpu_ns: float
    per_core: int
    among: bool = False


def room_of(scene: str) -> Corridor:
    """A seeded corridor."""
    cells, segments = SCENES[scene]
    return Corridor(corridors.make_maze(cells, np.random.default_rng(SEED), segments=segments))


def casts(scenes: list[str], tests: int, repeats: int) -> Iterator[CastRow]:
    """Measure casts, scene after scene."""
    _structures(Corridor(corridors.make_strip(100, np.random.default_rng(SEED))))  # compiles
    for scene in scenes:
        room = room_of(scene)
        made = _structures(room)
        built = {name: round(each.build_seconds, 4) for name, each in made.items()}
        nbytes = {name: each.nbytes for name, each in made.items()}
        for speed in SPEEDS:
            start, motion = draw_circles(room, tests, RADIUS, speed, np.random.default_rng(SEED))
            state = frozen(np.concatenate([start, motion, np.full((tests, 1), RADIUS)], axis=1))
            tasks: dict[str, Callable[[], Any]] = {
                name: functools.partial(structure.ask, state, CAST) for name, structure in made.items()
            }
            tasks |= {k: task for k, task in _trees(room, start, motion, speed).items() if task is not None}
            few = _pymunk_casts(room, start[:200], motion[:200])
            if few is not None:
                tasks["pymunk"] = few
            with one_thread():
                seconds = rounds(tasks, repeats, clock=time.thread_time, seed=SEED)
            ns: dict[str, float | None] = dict.fromkeys([*OURS, *PEERS[:3]])
            for name, s in seconds.items():
                ns[name] = 1e9 * statistics.median(s) / (200 if name == "pymunk" else tests)
            truth = room.cast(start[:200], motion[:200], RADIUS, check=False)
            missed, late = (None, None) if few is None else _compared(few(), truth.t, motion[:200])
            contacts, kept = int(truth.hit.sum()), made["reach"].kept
            yield CastRow(scene, len(room.segments), speed, ns, missed, contacts, late, built, nbytes, kept)


def _structures(room: Corridor) -> dict[str, Structure]:
    return {name: room.compile(RADIUS) if name == "reach" else room.structure(name) for name in OURS}


def _trees(
    room: Corridor, start: Floats, motion: Floats, speed: float
) -> dict[str, Callable[[], Any] | None]:
    """Candidates of all casts at once, by other trees."""
    found: dict[str, Callable[[], Any] | None] = {}
    segments = room.segments
    if len(segments) * speed > _DENSE * 10:
        return found
    if importlib.util.find_spec("shapely"):
        import shapely

        tree = shapely.STRtree(shapely.linestrings(segments))
        ways = shapely.linestrings(np.stack([start, start + motion], axis=1))
        found["shapely"] = lambda: tree.query(ways, predicate="dwithin", distance=RADIUS)
    if importlib.util.find_spec("scipy"):
        from scipy.spatial import cKDTree

        middle = segments.mean(axis=1)
        half = float(np.hypot(*(segments[:, 1] - segments[:, 0]).T).max()) / 2
        points = cKDTree(middle)
        reach = RADIUS + half + np.hypot(*motion.T) / 2
        found["scipy"] = lambda: points.query_ball_point(start + motion / 2, reach)
    return found


def _pymunk_casts(room: Corridor, start: Floats, motion: Floats) -> Callable[[], list[float]] | None:
    """Fat segment queries, one by one; the share of the motion, NaN without a contact."""
    if not importlib.util.find_spec("pymunk") or len(room.segments) > _ENGINE * 10:
        return None
    import pymunk

    space = pymunk.Space()
    for a, b in room.segments.tolist():
        space.add(pymunk.Segment(space.static_body, a, b, 0))
    space.reindex_static()
    ends = [(tuple(p), tuple(q)) for p, q in zip(start.tolist(), (start + motion).tolist(), strict=True)]
    everything = pymunk.ShapeFilter()

    def ask() -> list[float]:
        hits = [space.segment_query_first(p, q, RADIUS, everything) for p, q in ends]
        return [float("nan") if hit is None else hit.alpha for hit in hits]

    return ask


def _compared(theirs: list[float], ours: Floats, motion: Floats) -> tuple[int, int]:
    """Contacts that they do not find, and those that they find later than 5 % of the radius."""
    found = np.array(theirs)
    hit = ~np.isnan(ours)
    late = (found - ours) * np.hypot(*motion.T) > 0.05 * RADIUS
    return int((hit & np.isnan(found)).sum()), int((hit & late).sum())


# --- simulations --------------------------------------------------------------------------------------


def simulations(scenes: list[str], count: int, frames: int) -> Iterator[RunRow]:
    """Measure whole frames, scene after scene."""
    for scene in scenes:
        room = room_of(scene)
        for speed in (1.0, 4.0):
            start, motion = draw_circles(room, count, RADIUS, speed, np.random.default_rng(SEED))
            engines: dict[str, tuple[float, float, float] | None] = {
                "reach": _ours(room, start, motion, frames)
            }
            engines |= dict.fromkeys(("pymunk", "Box2D"))
            if len(room.segments) <= _ENGINE:
                if importlib.util.find_spec("pymunk"):
                    engines["pymunk"] = _pymunk(room, start, motion, frames)
                if importlib.util.find_spec("Box2D"):
                    engines["Box2D"] = _box2d(room, start, motion, frames)
            yield RunRow(scene, len(room.segments), speed, frames, engines)


def _told(
    room: Corridor, seconds: float, frames: int, position: Floats, velocity: Floats, before: Floats
) -> tuple[float, float, float]:
    """ns for a character and frame, share outside, mean energy over that at the start."""
    energy = (velocity**2).sum(axis=1) / (before**2).sum(axis=1)
    outside = float((~room.inside(position)).mean())
    return 1e9 * seconds / frames / len(position), outside, float(energy.mean())


def _ours(room: Corridor, start: Floats, motion: Floats, frames: int) -> tuple[float, float, float]:
    made = room.compile(RADIUS)
    state = np.concatenate([start, motion, np.full((len(start), 1), RADIUS)], axis=1)
    made.ask(frozen(state), STEP, 1.0, 1.0, 1000)
    with one_thread():
        begun = time.thread_time()
        for _ in range(frames):
            out, _ = made.ask(frozen(state), STEP, 1.0, 1.0, 1000)
            state = np.concatenate([out[:, :4], state[:, 4:]], axis=1)
        seconds = time.thread_time() - begun
    return _told(room, seconds, frames, state[:, :2], state[:, 2:4], motion)


def _pymunk(room: Corridor, start: Floats, motion: Floats, frames: int) -> tuple[float, float, float]:
    import pymunk

    space = pymunk.Space()
    for a, b in room.segments.tolist():
        wall = pymunk.Segment(space.static_body, a, b, 0)
        wall.elasticity, wall.friction = 1.0, 0.0
        space.add(wall)
    bodies = []
    for p, v in zip(start.tolist(), motion.tolist(), strict=True):
        body = pymunk.Body(1.0, float("inf"))
        body.position, body.velocity = p, v
        ball = pymunk.Circle(body, RADIUS)
        ball.elasticity, ball.friction = 1.0, 0.0
        ball.filter = pymunk.ShapeFilter(group=1)  # balls do not see each other
        space.add(body, ball)
        bodies.append(body)
    begun = time.thread_time()
    for _ in range(frames):
        space.step(1.0)
    seconds = time.thread_time() - begun
    position, velocity = np.array([b.position for b in bodies]), np.array([b.velocity for b in bodies])
    return _told(room, seconds, frames, position, velocity, motion)


def _box2d(room: Corridor, start: Floats, motion: Floats, frames: int) -> tuple[float, float, float]:
    """Its lengths are meters and its frames 1/60 s; velocities are scaled to fit, and balls are bullets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SWIG's own; made an error, it ends the interpreter
        import Box2D

    scale, rate = 10.0, 60.0  # radius 0.5 m; b2_maxTranslation is 2 m per step
    world = Box2D.b2World(gravity=(0, 0), doSleep=False)
    walls = world.CreateStaticBody()
    for a, b in (scale * room.segments).tolist():
        walls.CreateEdgeFixture(vertices=[a, b], friction=0, restitution=1)
    bodies = []
    for p, v in zip((scale * start).tolist(), (scale * rate * motion).tolist(), strict=True):
        body = world.CreateDynamicBody(position=p, linearVelocity=v, bullet=True, fixedRotation=True)
        body.CreateCircleFixture(radius=scale * RADIUS, density=1, friction=0, restitution=1, groupIndex=-1)
        bodies.append(body)
    begun = time.thread_time()
    for _ in range(frames):
        world.Step(1 / rate, 8, 3)
    seconds = time.thread_time() - begun
    position = np.array([tuple(b.position) for b in bodies]) / scale
    velocity = np.array([tuple(b.linearVelocity) for b in bodies]) / (scale * rate)
    return _told(room, seconds, frames, position, velocity, motion)


# --- throughput ---------------------------------------------------------------------------------------


def crowds(scenes: list[str], characters: int, frames: int) -> Iterator[CrowdRow]:
    """Whole calls of `step` on all threads, with and without the check of the start."""
    for scene in scenes:
        room = room_of(scene)
        start, motion = draw_circles(room, characters, RADIUS, 1.0, np.random.default_rng(SEED))
        yield _crowd(scene, room, start, motion, RADIUS, frames, among=False)


def crowds_among(scene: str, characters: int, frames: int) -> CrowdRow:
    """Smaller circles that see each other."""
    room = room_of(scene)
    start, motion = draw_circles(room, 2 * characters, SMALL, 1.0, np.random.default_rng(SEED))
    free = np.flatnonzero(select_separate(start, SMALL))[:characters]
    return _crowd(scene, room, start[free], motion[free], SMALL, frames, among=True)


def _crowd(
    scene: str, room: Corridor, start: Floats, motion: Floats, radius: float, frames: int, among: bool
) -> CrowdRow:
    fps = {}
    cpu = np.inf
    for check in (True, False):
        position, velocity = start, motion
        took = []
        for _ in range(frames + 1):
            begun, busy = time.perf_counter(), time.process_time()
            moved = room.step(position, velocity, radius, 1.0, check=check, among=among)
            took.append(time.perf_counter() - begun)
            cpu = min(cpu, time.process_time() - busy)
            position, velocity = moved.position, moved.velocity
        fps[check] = 1 / statistics.median(took[1:])
    n = len(start)
    cost = (1e9 * cpu / n, int(n / (62 * cpu)))
    return CrowdRow(scene, len(room.segments), n, get_threads(), fps[True], fps[False], *cost, among)


# --- tables -------------------------------------------------------------------------------------------


def versions() -> dict[str, str | None]:
    """Of the other libraries."""
    return {name: version(name) for name in PEERS}


def tables(
    cast_rows: list[CastRow], run_rows: list[RunRow], crowd_rows: list[CrowdRow], load: float | None = None
) -> list[Table]:
    """Casts, builds, simulations, throughput."""
    names = (*OURS, *PEERS[:3])
    casts = Table(
        "casts of circles, ns each (one thread)",
        ("scene", ">N", ">r", *(f">{name}" for name in names), ">quad/reach", "pymunk: missed, late"),
        [
            (row.scene, f"{row.segments:,}", f"{row.speed:g}", *(_ns(row.ns[name]) for name in names),
             f"{_ratio(row):.1f}",
             "-" if row.missed is None else f"{row.missed}, {row.late} of {row.contacts}")
            for row in cast_rows
        ],
        ("r: radii of motion. shapely, scipy: candidates only, in bulk. -: not installed, or too slow here.",
         "reach is compiled for the radius, all others serve any."),
    )  # fmt: skip
    builds = Table(
        "builds: seconds by the clock / MB beside the wall",
        ("scene", ">N", *(f">{name}" for name in OURS), ">reach keeps"),
        [
            (row.scene, f"{row.segments:,}",
             *(f"{row.build_s[name]:.2f} / {row.nbytes[name] / 1e6:.1f}" for name in OURS), f"{row.kept:,}")
            for row in cast_rows if row.speed == SPEEDS[0]
        ],
        ("reach: for the radius, with the chain that it takes; it keeps so many of 2 N edges and corners.",),
    )  # fmt: skip
    runs = Table(
        "frames of bouncing circles: ns for each, share outside, energy (1 is right)",
        ("scene", ">N", ">r/frame", ">frames", ">reach", ">pymunk", ">Box2D"),
        [
            (row.scene, f"{row.segments:,}", f"{row.speed:g}", str(row.frames),
             *(_engine(row.engines[name]) for name in ("reach", "pymunk", "Box2D")))
            for row in run_rows
        ],
    )  # fmt: skip
    crowd = Table(
        f"crowds, 1 radius per frame; wanted: {WANTED[0]:,} at {WANTED[2]:g} FPS, N = {WANTED[1]:,}",
        ("scene", ">N", ">characters", ">threads", ">FPS, checked", ">FPS", ">CPU ns", ">62 FPS on a core"),
        [
            (row.scene + (", among" if row.among else ""), f"{row.segments:,}", f"{row.characters:,}",
             str(row.threads), f"{row.checked_fps:.0f}", f"{row.fps:.0f}", f"{row.cpu_ns:.0f}",
             f"{row.per_core:,}")
            for row in crowd_rows
        ],
        ("FPS by the wall clock, medians; checked: every character is looked at where it starts.",
         "CPU ns: of a character in the best frame, whole calls; on a core: how many it moves by that.",
         "Among: circles of radius 0.02 that bounce off each other as well, on one thread."
         + ("" if load is None else f" Load of the machine before: {load:.1f}.")),
    )  # fmt: skip
    return [casts, builds, runs, crowd]


def _ratio(row: CastRow) -> float:
    quad, reach = row.ns["quadtree"], row.ns["reach"]
    assert quad is not None
    assert reach is not None
    return quad / reach


def _ns(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _engine(values: tuple[float, float, float] | None) -> str:
    return "-" if values is None else f"{values[0]:,.0f} / {values[1]:.3f} / {values[2]:.3f}"
