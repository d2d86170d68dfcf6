"""Radars and circles for `ougi verify cuda`: results of the GPU for whole scenes, beside those of the CPU."""

from __future__ import annotations

import functools
from typing import Any, Literal

import numpy as np

from ougi._typing import Floats
from ougi.corridor import Corridor, MovedCircles
from ougi.cuda import DeviceResult, detect, put
from ougi.cuda.driver import to_device, to_numpy
from ougi.radar import Detection, Meshes, Volume
from ougi.radar import detect as detect_on_cpu
from ougi.shapes import Mesh
from ougi_lab.scenes.corridors import draw_circles, make_strip
from ougi_lab.scenes.mesh_pairs import FAMILIES, draw_placed_meshes
from ougi_lab.scenes.meshes import make_box, move_mesh
from ougi_lab.verify.corridor import SPEEDS, draw_corridor
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally

# Cases below which scenes are small: those of tests.
_SMALL = 1_000
# Bodies and radars of a scene, at most; circles of a corridor, frames that they move.
_BODIES, _RADARS, _CIRCLES, _FRAMES = 40, 48, 20_000, 3
# Maximum of bounces of a circle in a frame. A few circles reach it.
_BOUNCES = 1_000
# Bodies that a radar reports. A few radars see more.
_MAX_BODIES = 4


def compare_radars(coverage: Literal["point", "conservative"], n: int, rng: np.random.Generator) -> Tally:
    """Random scenes, until there were n pixels: depths, ids and the reported bodies are the same."""
    tally = Tally(counts={"scenes": 0, "radars": 0, "pixels with a body": 0})
    while tally.cases < n:
        scene, volume = _draw_scene(rng, n < _SMALL), _draw_volume(rng, n < _SMALL)
        ignore = np.unique(scene.bodies)[: int(rng.integers(2))]
        seen = detect(
            put(volume), put(scene), method=coverage, ignore=ignore, max_bodies=_MAX_BODIES, result="numpy"
        )
        truth = detect_on_cpu(volume, scene, method=coverage, ignore=ignore)
        errors = _find_differences(seen, truth)
        tally.judge(errors, functools.partial(_describe, tally, volume, scene, seen.depth_image[0].size))
        tally.cases += seen.depth_image.size
        counts = {"scenes": 1, "radars": len(volume), "pixels with a body": int((seen.body_image >= 0).sum())}
        tally.add_counts(counts)
    return tally


def _describe(tally: Tally, volume: Volume, scene: Any, pixels: int, i: int) -> dict[str, Any]:
    """The radar of a pixel."""
    radar = i // pixels
    origin = volume.frames[radar, :3].tolist()
    return {"index": tally.counts["radars"] + radar, "a": f"{volume!r}, origin {origin}", "b": repr(scene)}


def _find_differences(seen: Any, truth: Detection) -> dict[str, Floats]:
    """For each pixel 0 or NONFINITE_ERROR; what a radar reports stands at its first pixel."""
    k = min(truth.body.shape[1], _MAX_BODIES)
    is_near = np.isclose(truth.point, seen.point, rtol=0, atol=1e-11, equal_nan=True).all(axis=1)
    other = (truth.count != seen.count) | ~is_near
    other |= (truth.body[:, :k] != seen.body[:, :k]).any(axis=1)
    other |= (truth.depth[:, :k] != seen.depth[:, :k]).any(axis=1)
    first = np.zeros((len(other), seen.depth_image[0].size))
    first[:, 0] = np.where(other, NONFINITE_ERROR, 0.0)
    return {
        "depth": np.where(truth.depth_image != seen.depth_image, NONFINITE_ERROR, 0.0).ravel(),
        "id": np.where(truth.body_image != seen.body_image, NONFINITE_ERROR, 0.0).ravel(),
        "bodies": first.ravel(),
    }


def _draw_scene(rng: np.random.Generator, small: bool) -> Meshes:
    """Bodies of all kinds, boxes on whole numbers (edges under pixels, equal depths), or loose triangles."""
    count = int(rng.integers(1, 3 if small else _BODIES))
    family, numbers = rng.random(), rng.integers(0, 2 * count, count)
    if family < 0.25:
        corners = rng.uniform(-3, 3, (count, 1, 3)) + rng.normal(size=(count, 3, 3)) * rng.choice([0.01, 1.0])
        corners[::3, 2] = 0.5 * (corners[::3, 0] + corners[::3, 1])  # seen edge-on from everywhere
        return Meshes([Mesh(each, [[0, 1, 2]]) for each in corners], numbers)
    if family < 0.5:
        sizes, places = rng.integers(1, 4, (count, 3)).astype(float), rng.integers(-3, 4, (count, 3))
        boxes = [move_mesh(make_box(tuple(s)), np.eye(3), p / 2) for s, p in zip(sizes, places, strict=True)]
        return Meshes(boxes, numbers)
    families = ["box"] * count if small else rng.choice(FAMILIES, count)
    return Meshes(draw_placed_meshes(families, rng, 3.0), numbers)


def _draw_volume(rng: np.random.Generator, small: bool) -> Volume:
    """Draw volumes in any direction, or along the axes from whole numbers."""
    n = int(rng.integers(1, 3 if small else _RADARS))
    pixels = rng.integers(1, 4, 2) if small else rng.choice([[16, 16], [1, 1], [3, 7], [25, 25], [40, 9]])
    if rng.random() < 0.4:
        directions = np.eye(3)[rng.integers(3, size=n)] * rng.choice([-1.0, 1.0], (n, 1))
        return Volume(
            rng.integers(-4, 5, (n, 3)) / 2, directions, rng.integers(1, 9, (n, 3)).astype(float), pixels
        )
    return Volume(rng.uniform(-4, 4, (n, 3)), rng.normal(size=(n, 3)), rng.uniform(0.5, 8, (n, 3)), pixels)


def compare_steps(n: int, rng: np.random.Generator) -> Tally:
    """Move circles in random corridors until there were n of them: results must be equal to the last bit."""
    tally = Tally(counts={"corridors": 0, "bounces": 0})
    while tally.cases < n:
        family, corridor = (
            ("strip", Corridor(make_strip(12, rng, length=2.0))) if n < _SMALL else draw_corridor(rng)
        )
        radius = 0.08 if n < _SMALL else float(rng.choice([0.005, 0.02, 0.05]))
        speed = float(rng.choice(SPEEDS[: 2 if n < _SMALL else 4]))
        restitution = float(rng.choice([1.0, 1.0, 0.5, 0.0]))
        count = 6 if n < _SMALL else _CIRCLES
        position, velocity = draw_circles(corridor, count, radius, speed, rng)
        radii = rng.uniform(0.5 * radius, radius, count) if rng.random() < 0.5 else np.full(count, radius)
        wall = put(corridor.compile(float(radii.min()), float(radii.max())))
        theirs: Any = DeviceResult(MovedCircles, position=to_device(position), velocity=to_device(velocity))
        for _ in range(_FRAMES):
            theirs = run_step(wall, theirs, to_device(radii), restitution)
            ours = corridor.step(
                position, velocity, radii, 1.0, restitution=restitution, max_bounces=_BOUNCES, check=False
            )
            bad = tally.judge(_find_unequal(ours, theirs))
            if bad is not None and tally.first is None:
                tally.first = {
                    "index": bad,
                    "check": "step",
                    "error": NONFINITE_ERROR,
                    "a": f"{family}, {corridor!r}, radius {radii[bad]}, restitution {restitution}",
                    "b": f"from {position[bad].tolist()} by {velocity[bad].tolist()}",
                }
            position, velocity = ours.position, ours.velocity
            tally.cases += count
            tally.add_counts({"bounces": int(ours.bounce_count.sum())})
        tally.add_counts({"corridors": 1})
    return tally


def run_step(wall: Any, moved: Any, radii: Any, restitution: float) -> Any:
    """A frame of one second on the GPU."""
    return wall.step(
        moved.position, moved.velocity, radii, 1.0, restitution=restitution, max_bounces=_BOUNCES
    )


def _find_unequal(ours: Any, theirs: Any) -> dict[str, Floats]:
    """For each circle 0 or NONFINITE_ERROR."""
    errors = {}
    for name in ("position", "velocity", "bounce_count", "time_left", "test_count"):
        other = getattr(ours, name) != to_numpy(getattr(theirs, name))
        errors[name] = np.where(other.reshape((len(other), -1)).any(axis=1), NONFINITE_ERROR, 0.0)
    return errors
