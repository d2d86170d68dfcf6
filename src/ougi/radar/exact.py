"""Runs of the exact radar: workspaces, results, and the default resolution."""

from __future__ import annotations

import threading

import numpy as np

from ougi._typing import ArrayLike, Floats, Ints
from ougi.radar.collision_result import Collision
from ougi.radar.detection import read_pixels
from ougi.radar.fragments import TriangleBuffer
from ougi.radar.meshes import Meshes
from ougi.radar.pixel_search import FREE, RadarWorkspace
from ougi.radar.projection import VERTEX_COLUMNS
from ougi.radar.resolve import (
    BODY,
    FACES,
    FLOAT_COLUMNS,
    FRAGMENTS,
    GAP,
    KIND,
    NORMAL,
    NUMBER_COLUMNS,
    POINT,
    STATUS,
    TIME,
    TRIANGLES,
    SensorsAndScene,
    resolve,
)

# Default pixels along a side, for sensors of few and of many faces: few pairs of triangles cost less than
# pixels.
_COARSE, _FINE, _MAX_COARSE_FACES = 6, 24, 64

# Without solid meshes nothing is enclosed, so no seeds are needed.
_NO_SEEDS = np.zeros(0, np.int64), np.zeros(1, np.int64)

# Pairs of triangles for which the workspace notes that they have been tested.
_MAX_PAIRS = 1 << 16

_local = threading.local()


def choose_pixels(pixels: ArrayLike | None, sensors: Meshes) -> Ints:
    """Columns and rows (n, 2), as given or the default."""
    if pixels is not None:
        return read_pixels(pixels, len(sensors))
    sides = np.full((len(sensors), 2), _COARSE)
    if sensors.max_faces > _MAX_COARSE_FACES:
        sides[sensors.face_counts > _MAX_COARSE_FACES] = _FINE
    return sides


def _get_workspace(faces: int, fragments: int, pixels: int, vertices: int) -> RadarWorkspace:
    """The workspace of this thread, of at least this size."""
    have = getattr(_local, "sizes", (0, 0, 0, 0))
    want = (faces, fragments, pixels, vertices)
    if any(h < w for h, w in zip(have, want, strict=True)):
        sizes = tuple(max(h, int(1.25 * w) + 64) for h, w in zip(have, want, strict=True))
        buffers = _make_buffer(sizes), _make_buffer(sizes)
        heap, tested = np.empty(sizes[2], np.int64), np.empty(_MAX_PAIRS, np.bool_)
        vertex, images = np.empty((sizes[3], VERTEX_COLUMNS)), np.empty((3, sizes[2]))
        _local.workspace = RadarWorkspace(*buffers, vertex, images[0], images[1], images[2], heap, tested)
        _local.sizes = sizes
    workspace: RadarWorkspace = _local.workspace
    return workspace


def _make_buffer(sizes: tuple[int, ...]) -> TriangleBuffer:
    faces, fragments, pixels, _ = sizes
    return TriangleBuffer(
        np.empty((faces, 9)),
        np.empty((faces, 6)),
        np.empty(faces, np.int64),
        np.empty((fragments, 2), np.int64),
        np.empty((fragments, 2)),
        np.empty(fragments, np.int64),
        np.empty(pixels + 2, np.int64),
    )


def run_resolve(
    frames: Floats, pixels: Ints, sensors: Meshes, scene: Meshes, ignored: Ints, *, searches: bool
) -> tuple[Ints, Floats]:
    """The rows that `resolve` writes, one for each frame."""
    n = len(frames)
    numbers, floats = np.empty((n, NUMBER_COLUMNS), np.int64), np.empty((n, FLOAT_COLUMNS))
    workspace = _get_workspace(
        sensors.max_faces,
        4 * sensors.max_faces,
        int(pixels.max()) ** 2,
        max(sensors.max_vertices, scene.max_vertices),
    )
    has_solids = sensors.has_solids or scene.has_solids
    seeds = (sensors.seeds, scene.seeds) if has_solids else (_NO_SEEDS, _NO_SEEDS)
    bodies = SensorsAndScene(sensors.packed, scene.packed, *seeds)
    done = 0
    while done < n:
        done = resolve(frames, pixels, bodies, ignored, workspace, searches, numbers, floats, done)
        if done < n:
            workspace = _get_workspace(int(numbers[done, TRIANGLES]), int(numbers[done, FRAGMENTS]), 0, 0)
    return numbers, floats


def find_exact_contacts(
    frames: Floats, pixels: Ints, sensors: Meshes, scene: Meshes, ignored: Ints
) -> Collision:
    """Exact first contacts, one for each frame."""
    return read_contacts(*run_resolve(frames, pixels, sensors, scene, ignored, searches=True))


def read_contacts(numbers: Ints, floats: Floats) -> Collision:
    """A result from the rows that `resolve` writes."""
    status, t = numbers[:, STATUS], floats[:, TIME]
    hit = status != FREE
    bound = np.where(hit, t, np.inf)
    return Collision(
        status,
        hit,
        t,
        floats[:, POINT],
        floats[:, NORMAL],
        floats[:, GAP],
        bound,
        bound,
        numbers[:, BODY],
        numbers[:, FACES],
        numbers[:, KIND],
    )
