"""`ougi verify corridor`: are contacts of circles with walls right, and do all structures agree?

A case is a circle in one frame. Corridors are strips, mazes with and without holes, rough walls and ones
made to be difficult (`scenes.corridors`); circles move by 0.1, 1, 20 and 1,000 radii per frame.

`random` cases start anew. The oracle is a distance field of its own, every segment in NumPy from end points
alone: at the contact the wall must be one radius away, to 1e-10 of it; on the path to it (256 samples) and,
where no contact is reported, on the whole path no nearer than that. The normal must point from the nearest
wall point to the center. Bounces of a whole frame are done again by brute force and must be equal to the last
bit.

`near` cases run for many frames in difficult corridors: no circle may get outside or nearer than the radius,
and no speed may change by more than 1e-9.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats
from ougi.corridor import Corridor
from ougi_lab.scenes import corridors
from ougi_lab.scenes.corridors import draw_circles, draw_rough_maze, make_adversarial_strip
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally, TallyGroup

SPEEDS = (0.1, 1.0, 20.0, 1000.0)
# Largest share of the radius by which a contact may be off, and by which a speed may change.
GAP, ENERGY = 1e-10, 1e-9

# Circles of one corridor, samples on their paths.
_CIRCLES, _SAMPLES = 64, 256
# Frames of a long run, circles in it, frames after which their positions are checked.
FRAMES, LONG_CIRCLES, _EVERY = 10_000, 20, 100


def run_step(corridor: Corridor, position: Floats, velocity: Floats, radius: float, structure: str) -> Any:
    """A frame of one second."""
    return corridor.step(position, velocity, radius, 1.0, method=structure, check=False, max_bounces=100_000)


@dataclass(frozen=True)
class Corridors:
    """The subject `corridor` of the runner. Tests replace `step` to plant mistakes."""

    step: Callable[[Corridor, Floats, Floats, float, str], Any] = field(default=run_step)
    frames: int = FRAMES
    name: str = "corridor"
    kinds: tuple[str, ...] = ("random", "near")
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("corridor",)

    def pairs(self) -> tuple[str, ...]:
        """The structures."""
        from ougi.corridor.structures import EXACT

        return EXACT

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check circles until there were n of them; a long run counts its frames."""
        tally = Tally()
        while tally.cases < n:
            if kind == "random":
                self._check_contacts(tally, pair, rng)
            else:
                self._check_long_run(tally, pair, min(self.frames, -(-n // LONG_CIRCLES)), rng)
        tally.cases, tally.near = n, n if kind == "near" else 0
        return tally

    def _check_contacts(self, tally: Tally, structure: str, rng: np.random.Generator) -> None:
        family, corridor = draw_corridor(rng)
        radius = float(rng.choice([0.005, 0.02, 0.05, 0.1]))
        speed = float(rng.choice(SPEEDS))
        start, motion = draw_circles(corridor, _CIRCLES, radius, speed, rng)
        cast = corridor.cast(start, motion, radius, method=structure, check=False)
        errors = find_contact_errors(corridor, start, motion, radius, cast)
        frame = self.step(corridor, start, motion, radius, structure)
        truth = run_step(corridor, start, motion, radius, "brute")
        other = (frame.position != truth.position) | (frame.velocity != truth.velocity)
        errors["trajectory"] = np.where(other.any(axis=1), NONFINITE_ERROR, 0.0)
        errors["end"] = measure_intrusion(corridor, frame.position, radius)
        scene = f"{family}, {len(corridor.segments)} segments, radius {radius}"
        tally.judge(errors, lambda i: {"a": scene, "b": f"from {start[i].tolist()} by {motion[i].tolist()}"})
        bad = np.logical_or.reduce([~(error <= 1) for error in errors.values()])
        group = TallyGroup(cases=_CIRCLES, disagreements=int(bad.sum()))
        tally.groups.setdefault(f"{family}, {speed:g} r", TallyGroup()).add(group)
        tally.cases += _CIRCLES
        tally.add_counts(
            {"contacts": int(cast.hit.sum()), "bounces": int(frame.bounce_count.sum()), "corridors": 1}
        )

    def _check_long_run(self, tally: Tally, structure: str, frames: int, rng: np.random.Generator) -> None:
        """Many frames in one difficult corridor."""
        corridor = Corridor(make_adversarial_strip(rng)) if rng.random() < 0.7 else draw_rough_maze(rng)
        radius, speed = float(rng.choice([0.02, 0.05])), float(rng.choice(SPEEDS))
        frames = max(1, frames // (100 if speed > 100 else 1))
        position, velocity = draw_circles(corridor, LONG_CIRCLES, radius, speed, rng)
        before = np.hypot(*velocity.T)
        errors = {"outside": np.zeros(LONG_CIRCLES), "speed": np.zeros(LONG_CIRCLES)}
        bounces = 0
        for frame in range(1, frames + 1):
            moved = self.step(corridor, position, velocity, radius, structure)
            position, velocity = moved.position, moved.velocity
            bounces += int(moved.bounce_count.sum())
            if frame % _EVERY == 0 or frame == frames:
                errors["outside"] = np.maximum(
                    errors["outside"], measure_intrusion(corridor, position, radius)
                )
                drift = np.abs(np.hypot(*velocity.T) / before - 1)
                errors["speed"] = np.maximum(errors["speed"], drift / ENERGY)
                if (moved.time_left > 0).any():
                    errors["speed"][:] = NONFINITE_ERROR  # the limit of bounces was reached
        tally.judge(errors, lambda _: {"a": repr(corridor), "b": f"long run, {speed} r per frame"})
        tally.cases += frames * LONG_CIRCLES
        group = TallyGroup(cases=frames * LONG_CIRCLES, near=frames * LONG_CIRCLES)
        tally.groups.setdefault(f"long run, {speed:g} r", TallyGroup()).add(group)
        tally.add_counts({"frames": frames, "bounces": bounces, "runs": 1})


def draw_corridor(rng: np.random.Generator) -> tuple[str, Corridor]:
    """A random corridor and its family."""
    family = str(rng.choice(["strip", "maze", "rough", "difficult"]))
    if family == "strip":
        return family, Corridor(corridors.make_strip(int(10 ** rng.uniform(0.7, 2.7)), rng))
    if family == "difficult":
        return family, Corridor(make_adversarial_strip(rng))
    if family == "maze":
        cells, openings = int(rng.integers(1, 6)), int(rng.integers(0, 5))
        return family, Corridor(corridors.make_maze(cells, rng, openings=openings))
    return family, draw_rough_maze(rng)


# --- the oracle ----------------------------------------------------------------------------------------


def compute_distances(segments: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Distances of points from the wall, and the nearest wall points, by all segments."""
    a, along = segments[:, 0], segments[:, 1] - segments[:, 0]
    w = points[:, None] - a
    share = np.clip((w * along).sum(-1) / (along * along).sum(-1), 0, 1)
    off = w - share[..., None] * along
    apart = np.hypot(off[..., 0], off[..., 1])
    k = apart.argmin(axis=1)
    rows = np.arange(len(points))
    return apart[rows, k], points - off[rows, k]


def is_inside(segments: Floats, points: Floats) -> Bools:
    """By the crossings of a level ray."""
    (ax, ay), (bx, by) = segments[:, 0].T, segments[:, 1].T
    x, y = points[:, :1], points[:, 1:]
    crosses = (ay > y) != (by > y)
    rise = np.where(by == ay, 1.0, by - ay)
    left = x < ax + (y - ay) / rise * (bx - ax)
    inside: Bools = (crosses & left).sum(axis=1) % 2 == 1
    return inside


def measure_intrusion(corridor: Corridor, positions: Floats, radius: float) -> Floats:
    """Measure how much a circle is too near to the wall, in GAP radii; a large number if it is outside."""
    segments = corridor.segments
    apart, _ = compute_distances(segments, positions)
    lack = np.maximum(1 - apart / radius, 0.0)
    return np.where(is_inside(segments, positions), lack / GAP, NONFINITE_ERROR)


def find_contact_errors(
    corridor: Corridor, start: Floats, motion: Floats, radius: float, cast: Any
) -> dict[str, Floats]:
    """By check, above 1 where a contact is wrong."""
    hit = cast.hit
    t = np.where(hit, cast.t, 1.0)
    segments = corridor.segments
    position = start + t[:, None] * motion
    apart, wall = compute_distances(segments, position)
    gap = np.where(hit, np.abs(apart / radius - 1), 0.0)
    off = position - wall
    normal = off / np.hypot(*off.T)[:, None]
    # A circle that touches two features at a time may name either.
    inward = np.where(hit[:, None], -cast.normal, 0.0)
    tilted = np.hypot(*(normal - inward).T)
    second = np.abs(position - radius * inward - wall).max(axis=1) / radius
    away = (inward * motion).sum(axis=1) >= 0
    too_near = np.zeros(len(start))
    for share in np.linspace(0, 1, _SAMPLES // 8):
        apart, _ = compute_distances(segments, start + (share * t)[:, None] * motion)
        too_near = np.maximum(too_near, 1 - apart / radius)
    on_wall, _ = compute_distances(segments, position - radius * inward)
    return {
        "gap": gap / GAP,
        "on the way": too_near / GAP,
        "normal": np.where(hit & (np.minimum(tilted, second) > 1e-6), on_wall / (GAP * radius), 0.0),
        "moving away": np.where(hit & away, NONFINITE_ERROR, 0.0),
    }
