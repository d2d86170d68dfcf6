"""Contacts at t = 0 at a gap of rounding, of all pairs of polytopes: the normal separates the two bodies."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest

import ougi
from ougi._typing import Floats
from ougi.kernels.impact.hulls import Hull, hull_box, hull_capsule3d, hull_sphere, hull_triangle3d
from ougi.kernels.impact.start_normal import find_separating_normal
from ougi.kernels.records import Box, Capsule3d, Sphere, Triangle3d, Vec3
from ougi.kernels.vec3 import UNITS, ZERO

# Bodies may overlap along a good normal by this much, in units of their largest coordinate plus their size.
BAND = 64 * 2.0**-52

KINDS = ("point", "segment", "triangle", "flat triangle", "box", "flat box")


class Body(NamedTuple):
    """A batch of bodies: their corners (n, k, 3), normals (n, m, 3), and fields of the constructor."""

    kind: str
    corners: Floats
    normals: Floats
    size: Floats
    rotation: Floats
    angle: Floats


def unit(v: Floats) -> Floats:
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(v / np.where(length > 0, length, 1))


def draw_directions(rng: np.random.Generator, n: int, dimension: int) -> Floats:
    v = rng.normal(size=(n, 3))
    v[:, dimension:] = 0
    return unit(v)


def draw_body(rng: np.random.Generator, kind: str, n: int, dimension: int) -> Body:
    """Bodies about the origin, of sizes 1e-3 to 1."""
    angle = rng.uniform(-np.pi, np.pi, n)
    x = draw_directions(rng, n, dimension)
    if dimension == 2:
        x = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    z = unit(np.cross(x, rng.normal(size=(n, 3)))) if dimension == 3 else np.tile([0.0, 0.0, 1.0], (n, 1))
    rotation = np.stack([x, np.cross(z, x), z], axis=-1)
    scale = 10.0 ** rng.uniform(-3, 0, (n, 1, 1))
    size = rng.uniform(0.1, 1, (n, 3)) * scale[:, 0]
    if "triangle" in kind:
        corners = draw_directions(rng, 3 * n, dimension).reshape(n, 3, 3) * scale
        if kind == "flat triangle":
            side = corners[:, 1] - corners[:, 0]
            corners[:, 2] = corners[:, 0] + side * rng.choice([-0.3, 0.4, 1], (n, 1))
        sides = corners - np.roll(corners, 1, axis=1)
        face = np.cross(sides[:, :1], sides[:, 1:2])
        normals = unit(np.concatenate([np.cross(sides, z[:, None]), face], axis=1))
    else:
        if kind == "flat box":
            size[np.arange(n), rng.integers(dimension, size=n)] = 0
            size[rng.random(n) < 0.3, 1] = 0
        axes = {"point": 0, "segment": 1}.get(kind, dimension)
        size[:, axes:] = 0
        signs = np.array([*itertools.product([-0.5, 0.5], repeat=axes)]).reshape(2**axes, axes)
        corners = np.einsum("nij,nkj->nki", rotation[..., :axes], signs * size[:, None, :axes])
        normals = np.moveaxis(rotation, 2, 1)
    return Body(kind, corners, normals[:, :dimension], size, rotation, angle)


def place_body(body: Body, at: Floats, dimension: int) -> tuple[Any, Floats]:
    """The shapes of the library, and their corners."""
    corners, d = body.corners + at[:, None], dimension
    ends = [corners[:, k, :d] for k in range(corners.shape[1])]
    if body.kind == "point":
        return (ougi.Circle if d == 2 else ougi.Sphere)(ends[0], 0), corners
    if body.kind == "segment":
        return (ougi.Segment2d if d == 2 else ougi.Segment3d)(*ends), corners
    if "triangle" in body.kind:
        return (ougi.Triangle2d if d == 2 else ougi.Triangle3d)(*ends), corners
    if d == 2:
        return ougi.Rectangle(at[:, :2], body.size[:, :2], body.angle), corners
    return ougi.Box(at, body.size, body.rotation), corners


def draw_support(rng: np.random.Generator, corners: Floats, n: Floats) -> Floats:
    """A random point of those that reach furthest along n: a corner, or inside of an edge or a face."""
    height = np.einsum("nki,ni->nk", corners, n)
    weight = rng.random(height.shape) * (height >= height.max(1, keepdims=True) - 1e-9 * np.abs(height).max())
    corner = weight == weight.max(1, keepdims=True)
    weight = np.where(rng.random((len(n), 1)) < 0.5, weight, corner)
    return np.asarray(np.einsum("nki,nk->ni", corners, weight / weight.sum(1, keepdims=True)))


def draw_motion(rng: np.random.Generator, n: int, dimension: int) -> Any:
    angle = rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-16, -3, n)
    if dimension == 2:
        return ougi.Rotation2d(rng.normal(size=(n, 2)), angle)
    return ougi.Rotation3d(rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), angle)


def overlap(corners_a: Floats, corners_b: Floats, normal: Floats) -> Floats:
    """How far bodies overlap along a normal from a to b, beyond rounding."""
    origin = corners_a[:, :1]
    top = np.einsum("nki,ni->nk", corners_a - origin, normal).max(1)
    bottom = np.einsum("nki,ni->nk", corners_b - origin, normal).min(1)
    both = np.concatenate([corners_a, corners_b], axis=1)
    return np.asarray(top - bottom - BAND * (np.abs(both).max((1, 2)) + np.ptp(both, axis=1).max(1)))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("a", KINDS)
@pytest.mark.parametrize("b", KINDS)
@pytest.mark.parametrize("both_move", [False, True])
def test_normals_of_contacts_at_the_start_separate(dimension: int, a: str, b: str, both_move: bool) -> None:
    rng, n = np.random.default_rng([KINDS.index(a), KINDS.index(b), dimension]), 3000
    first, second = draw_body(rng, a, n, dimension), draw_body(rng, b, n, dimension)
    normals = np.concatenate([first.normals, second.normals], axis=1)
    across = np.cross(normals[:, 0], normals[:, -1]) * (dimension == 3)
    choice = [draw_directions(rng, n, dimension), unit(across), *np.moveaxis(normals, 1, 0)]
    normal = np.stack(choice, axis=1)[np.arange(n), rng.integers(len(choice), size=n)]
    normal[np.linalg.norm(normal, axis=1) < 0.5] = np.eye(3)[0]
    offset = np.where(rng.random((n, 1)) < 0.5, normal, draw_directions(rng, n, dimension))
    offset *= np.where((offset * normal).sum(1, keepdims=True) < 0, -1, 1)
    extent = np.maximum(np.abs(first.corners).max((1, 2)), np.abs(second.corners).max((1, 2)))
    gap = 10.0 ** rng.uniform(-16, -11, n) * np.where(extent > 0, extent, 1)
    at = draw_support(rng, first.corners, normal) - draw_support(rng, second.corners, -normal)
    where = draw_directions(rng, n, dimension) * rng.choice([0, 1], (n, 1))
    shape, corners_a = place_body(first, where, dimension)
    target, corners_b = place_body(second, where + at + gap[:, None] * offset, dimension)
    target_motion = draw_motion(rng, n, dimension) if both_move else None
    found = ougi.time_of_impact(shape, draw_motion(rng, n, dimension), target, target_motion)
    at_start = (found.status == 1) & (found.t == 0)
    assert at_start.sum() > 500
    normal = np.concatenate([found.normal, np.zeros((n, 3 - dimension))], axis=1)[at_start]
    assert np.abs(np.linalg.norm(normal, axis=1) - 1).max() < 1e-14
    assert overlap(corners_a[at_start], corners_b[at_start], normal).max() <= 0


# --- the function that replaces a normal ------------------------------------------------------------------

TRIANGLE = Triangle3d(ZERO, UNITS[0], UNITS[1])
POINT = hull_sphere(Sphere(ZERO, 0.0), ZERO)
CUBE = Box(Vec3(0.0, 0.0, -0.5), Vec3(0.5, 0.5, 0.5), *UNITS)
WRONG = [Vec3(1.0, 0.0, 0.0), Vec3(-1.0, 0.0, 0.0), Vec3(0.8, 0.6, 0.0)]


def rod(start: tuple[float, float, float], end: tuple[float, float, float]) -> Hull:
    return hull_capsule3d(Capsule3d(Vec3(*start), Vec3(*end), 0.0), ZERO)


@pytest.mark.plain
def test_a_normal_that_separates_is_kept() -> None:
    n = Vec3(0.6, 0.0, 0.8)
    assert find_separating_normal(rod((0.0, 0.0, 1e-15), (0.0, 0.0, 1.0)), POINT, n) == n


@pytest.mark.plain
@pytest.mark.parametrize("wrong", WRONG)
def test_a_corner_over_a_face_gets_the_normal_of_the_face(wrong: Vec3) -> None:
    tip = rod((0.1, 0.2, 1e-15), (0.3, 0.3, 1.0))
    assert find_separating_normal(tip, hull_box(CUBE, ZERO), wrong) == (0, 0, 1)


@pytest.mark.plain
@pytest.mark.parametrize("wrong", WRONG)
def test_crossing_segments_get_their_product(wrong: Vec3) -> None:
    over, under = rod((-1.0, 0.0, 1e-15), (1.0, 0.0, 1e-15)), rod((0.0, -1.0, 0.0), (0.0, 1.0, 0.0))
    assert find_separating_normal(over, under, wrong) == (0, 0, 1)


@pytest.mark.plain
@pytest.mark.parametrize("wrong", WRONG)
def test_flat_bodies_get_a_normal_of_their_plane(wrong: Vec3) -> None:
    """That across their plane separates them too, but in the plane it is zero."""
    beside = rod((0.2, -1e-14, 0.0), (0.8, -1e-14, 0.0))
    assert find_separating_normal(beside, hull_triangle3d(TRIANGLE, ZERO), wrong) == (0, -1, 0)
    assert find_separating_normal(POINT, rod((-1.0, 1e-14, 0.0), (1.0, 1e-14, 0.0)), wrong) == (0, -1, 0)
