"""Seeded pairs of a fan and another shape: random ones, and ones whose gap is known by construction."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ougi._batch import concatenate
from ougi._typing import Bools, Floats
from ougi.shapes import Sector2d, Sector3d, Shape
from ougi_lab.scenes.cores import extract_core, perpendicular
from ougi_lab.scenes.pairs import draw_shapes, rotation_3d, translate

# Half angles, as shares of pi, and other numbers that matter more often than chance would have it.
_ANGLES = np.array([0.0, 1e-12, 1e-6, 1e-3, 0.25, 0.5, 0.5 + 1e-12, 0.75, 1 - 1e-6, 1 - 1e-12, 1.0])
_FAMILIES = {"ordinary": 0.44, "flat": 0.14, "aligned": 0.14, "integer": 0.14, "uneven": 0.14}
_THIN = np.array([0.0, 0.0, 1e-12, 1e-6, 1e-3])


class SectorFields(NamedTuple):
    """n fans as plain arrays: half angle, radii and, in space, half height (0 in the plane)."""

    half_angle: Floats
    inner: Floats
    outer: Floats
    half_height: Floats


class PlacedSectors(NamedTuple):
    """Fans and where they are: `axes` (n, d, d) are rows x, y(, z) of the fan's frame."""

    fan: SectorFields
    center: Floats
    axes: Floats

    def shape(self, d: int) -> Any:
        """As a batch of ougi's."""
        f = self.fan
        if d == 2:
            return Sector2d(self.center, self.axes[:, 0], f.half_angle, f.inner, f.outer)
        x, z = self.axes[:, 0], self.axes[:, 2]
        return Sector3d(self.center, z, x, f.half_angle, f.inner, f.outer, f.half_height)


def draw_sector_fields(d: int, n: int, rng: np.random.Generator) -> SectorFields:
    """Fans of all kinds: half of them ordinary, half with a special angle, no hole, no width or no height."""

    def thin(values: Floats) -> Floats:
        return np.where(rng.random(n) < 0.85, values, values * rng.choice(_THIN, n))

    special = rng.random(n) < 0.4
    angle = np.pi * np.where(special, rng.choice(_ANGLES, n), rng.random(n))
    inner = np.where(rng.random(n) < 0.25, 0.0, thin(rng.uniform(0, 2, n)))
    outer = inner + thin(rng.uniform(0.05, 2, n))
    height = thin(rng.uniform(0.05, 1, n)) if d == 3 else np.zeros(n)
    return SectorFields(np.minimum(angle, np.pi), inner, outer, height)


def draw_frames(d: int, n: int, rng: np.random.Generator) -> Floats:
    """Random frames (n, d, d), a fifth of them along the coordinate axes."""
    if d == 3:
        quaternion = rng.normal(size=(n, 4))
        plain = rng.random(n) < 0.2
        quaternion[plain] = np.eye(4)[rng.integers(0, 4, n)][plain]
        return np.swapaxes(rotation_3d(quaternion), 1, 2)
    angle = np.where(rng.random(n) < 0.2, rng.integers(0, 4, n) * (np.pi / 2), rng.uniform(-4, 4, n))
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c, s, -s, c], axis=-1).reshape((n, 2, 2))


def draw_sector_pairs(cls: type[Shape], d: int, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """n fans and n shapes of a class, as batches; about half of them overlap."""
    fan = draw_sector_fields(d, n, rng)
    whole = rng.random(n) < 0.3  # whole and half numbers: many touch exactly
    inner, height, width = (np.round(2 * x) / 2 for x in (fan.inner, fan.half_height, fan.outer - fan.inner))
    rounded = SectorFields(fan.half_angle, inner, inner + width, height)
    fan = SectorFields(*(np.where(whole, new, old) for new, old in zip(rounded, fan, strict=True)))
    center = np.round(rng.uniform(-2, 2, (n, d)) * 2) / 2
    if cls is Sector3d:
        fan = _stretch_heights(fan, rng)
    placed = PlacedSectors(fan, center, draw_frames(d, n, rng))
    other = _draw_others(cls, d, n, rng)
    if cls is Sector3d:
        other = _align_axes(other, placed, rng)
    middle = _find_middle(other)
    # Somewhere near the fan's outer circle, in its hole or around it.
    away = rng.normal(size=(n, d))
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    reach = (fan.outer + fan.half_height + _find_extent(other)) * rng.uniform(0, 1.2, n)
    target = center + away * reach[:, None]
    snapped = rng.random(n) < 0.15
    target[snapped] = np.round(2 * target[snapped]) / 2
    if cls is Sector3d:
        target = _place_coaxial(target, other, placed, rng)
    far = np.where(rng.random(n) < 0.04, 10 ** rng.uniform(2, 5, n), 0.0)[:, None] * rng.normal(size=(n, d))
    other = translate(other, target - middle + far)
    return translate(placed.shape(d), far), other


def _draw_others(cls: type[Shape], d: int, n: int, rng: np.random.Generator) -> Any:
    if cls in (Sector2d, Sector3d):
        fans = draw_sector_fields(d, n, rng)
        fans = _stretch_heights(fans, rng) if d == 3 else fans
        return PlacedSectors(fans, np.zeros((n, d)), draw_frames(d, n, rng)).shape(d)
    shares = rng.multinomial(n, list(_FAMILIES.values()))
    parts = [draw_shapes(cls, k, rng, name) for k, name in zip(shares, _FAMILIES, strict=True)]
    return concatenate(parts)[rng.permutation(n)]


def _stretch_heights(fan: SectorFields, rng: np.random.Generator) -> SectorFields:
    """Every fifth is so high that walls meet walls, far from all edges."""
    n = len(fan.outer)
    return fan._replace(
        half_height=fan.half_height * np.where(rng.random(n) < 0.2, rng.uniform(2, 9, n), 1.0)
    )


def _align_axes(other: Any, placed: PlacedSectors, rng: np.random.Generator) -> Any:
    """Four in ten get an axis parallel to the fan's, in either sense, or nearly so."""
    n = other.count
    tilt = rng.choice([0.0, 0.0, 0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3], n)[:, None] * rng.normal(size=(n, 3))
    axis = rng.choice([-1.0, 1.0], (n, 1)) * placed.axes[:, 2] + tilt
    toward = np.where((rng.random(n) < 0.3)[:, None], placed.axes[:, 0], rng.normal(size=(n, 3)))
    chosen = (rng.random(n) < 0.4)[:, None]
    values = (other.half_angle, other.inner_radius, other.outer_radius, other.half_height)
    return Sector3d(
        other.center,
        np.where(chosen, axis, other.axis),
        np.where(chosen, toward, other.direction),
        *values,
    )


def _place_coaxial(target: Floats, other: Any, placed: PlacedSectors, rng: np.random.Generator) -> Floats:
    """Where the middle of its bounds is put: for every eighth so that its center lies on the fan's axis."""
    n = other.count
    height = rng.uniform(-1.2, 1.2, n) * (placed.fan.half_height + other.half_height)
    center = placed.center + height[:, None] * placed.axes[:, 2]
    on_axis = center + _find_middle(other) - other.center
    return np.where((rng.random(n) < 0.125)[:, None], on_axis, target)


def _find_middle(shape: Any) -> Floats:
    box = shape.bounds()
    middle: Floats = (box.lower + box.upper) / 2
    return middle


def _find_extent(shape: Any) -> Floats:
    box = shape.bounds()
    extent: Floats = (box.upper - box.lower).max(axis=1) / 2
    return extent


def find_core_vertices(shape: Any) -> tuple[Floats, Floats]:
    """The corners (n, m, d) of a convex shape's core, and its radius."""
    core = extract_core(shape)
    return np.moveaxis(core.origin + core.corners, 2, 0), core.radius


class KnownPairs(NamedTuple):
    """Fans and shapes with known gaps; for overlaps, a point that lies in both."""

    fan: Any
    other: Any
    gap: Floats
    witness: Floats
    kind: Any


def draw_known_pairs(cls: type[Shape], d: int, n: int, rng: np.random.Generator) -> KnownPairs:
    """Pairs that a supporting plane of the fan separates, and shapes in the hole or in the notch of a fan.

    The shape comes first. A direction m of it is chosen for which a corner, an edge or a face is outermost,
    and a point x there. The fan is turned so that its own supporting direction is -m, and put so that its
    supporting point lies beyond x by the gap. Both lie on their sides of two parallel planes, so that the gap
    is exact whatever the shapes; along a hole the cylinder takes the part of the planes, and in the notch of
    a fan beyond half a turn the fan is so large that only one side counts.
    """
    other = _draw_others(cls, d, n, rng)
    fan = draw_sector_fields(d, n, rng)
    m, x, size = _find_outermost(other, d, n, rng)
    gap = np.maximum(size, fan.outer) * 10 ** rng.uniform(-12, -3, n) * rng.choice([1.0, 1.0, -1.0], n)
    kind = rng.choice(["support", "hole", "notch"], n, p=[0.6, 0.2, 0.2])
    if cls in (Sector2d, Sector3d):
        kind[kind == "notch"] = "support"
    if cls is Sector2d:
        kind[:] = "support"
    support = _draw_supports(fan, d, n, rng)
    notch = _draw_notches(fan, size, gap, d, n, rng)
    chosen = kind == "notch"
    fan = SectorFields(*(np.where(chosen, new, old) for new, old in zip(notch[0], fan, strict=True)))
    normal, at = (np.where(chosen[:, None], new, old) for new, old in zip(notch[1:], support, strict=True))
    axes = _turn_frames(normal, -m, d, rng)
    center = x + gap[:, None] * m - np.einsum("ni,nij->nj", at, axes)
    placed = PlacedSectors(fan, center, axes)
    if cls is Sector3d:
        placed, x = _place_ring(placed, other, gap, x, kind == "hole", rng)
    elif (kind == "hole").any():
        placed, gap, x = _place_in_hole(placed, other, gap, x, kind == "hole", d, rng)
    return KnownPairs(placed.shape(d), other, gap, x, kind)


def _find_outermost(other: Any, d: int, n: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """A unit direction of each shape, a point of its surface that is outermost there, and its size."""
    size = 2 * _find_extent(other)
    if isinstance(other, Sector2d | Sector3d):
        f = SectorFields(
            other.half_angle, other.inner_radius, other.outer_radius, getattr(other, "half_height", size * 0)
        )
        normal, at = _draw_supports(f, d, n, rng)
        axes = _find_frame(other)
        m, x = (np.einsum("ni,nij->nj", v, axes) for v in (normal, at))
        return m, other.center + x, size
    vertices, radius = find_core_vertices(other)
    core = extract_core(other)
    rough = rng.normal(size=(n, d))
    if core.kind in ("box", "corner box"):
        weights = rng.exponential(size=(n, d)) * rng.choice([-1.0, 1.0], (n, d))
        used = rng.random((n, d)) < 0.6
        used[~used.any(axis=1), 0] = True
        rough = np.einsum("ni,idn->nd", weights * used, core.edges)
    elif len(core.edges):
        edge = core.edges[rng.integers(len(core.edges))]
        flush = perpendicular(
            rough.T, _normalize(edge.T).T
        ).T  # perpendicular to an edge; across may be flipped below
        if len(core.edges) == 3 and d == 3:
            face = np.cross(core.edges[0].T, core.edges[1].T)
            length = np.linalg.norm(face, axis=1, keepdims=True)
            whole = (rng.random(n) < 0.3)[:, None] & (length > 0)
            flush = np.where(whole, face / np.where(length > 0, length, 1.0), flush)
        rough = np.where((rng.random(n) < 0.6)[:, None], flush, rough)
    m = _normalize(rough)
    height = np.einsum("nmd,nd->nm", vertices - vertices[:, :1], m)
    top = height.max(axis=1, keepdims=True)
    outermost = height >= top - 1e-15 * size[:, None]
    weight = np.where(outermost, rng.exponential(size=height.shape), 0.0)
    weight /= weight.sum(axis=1, keepdims=True)
    x = np.einsum("nm,nmd->nd", weight, vertices) + radius[:, None] * m
    return m, x, size


def _find_frame(fan: Any) -> Floats:
    x = fan.direction
    if fan.dimension == 2:
        return np.stack([x, np.stack([-x[:, 1], x[:, 0]], axis=1)], axis=1)
    return np.stack([x, np.cross(fan.axis, x), fan.axis], axis=1)


def _normalize(v: Floats) -> Floats:
    length = np.linalg.norm(v, axis=1, keepdims=True)
    return np.where(length > 0, v / np.where(length > 0, length, 1.0), np.eye(v.shape[1])[0])


def _draw_supports(fan: SectorFields, d: int, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A direction in the fan's frame and a point of the fan that no other exceeds there."""
    angle, half = rng.uniform(-np.pi, np.pi, n), fan.half_angle
    side = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    flush = (rng.random(n) < 0.25) & (half <= np.pi / 2)  # along a side
    angle = np.where(flush, side * (half + np.pi / 2), angle)
    at_angle = np.where(flush, side * half, np.clip(angle, -half, half))
    reach = np.cos(angle - at_angle)
    radius = np.where(reach > 0, fan.outer, fan.inner)
    radius = np.where(flush, fan.inner + (fan.outer - fan.inner) * rng.random(n), radius)
    normal = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    at = radius[:, None] * np.stack([np.cos(at_angle), np.sin(at_angle)], axis=1)
    if d == 2:
        return normal, at
    tilt = rng.choice([0.0, 1.0, 2.0], n)  # beside, obliquely, above
    up = rng.choice([-1.0, 1.0], n)
    share = rng.uniform(-1, 1, n)
    z = fan.half_height * np.where(tilt == 0, share, up)
    lean = np.where(tilt == 0, 0.0, np.where(tilt == 2, np.pi / 2, rng.uniform(0.05, 1.5, n))) * up
    inside = (share * half, fan.inner + (fan.outer - fan.inner) * rng.random(n))
    over = inside[1][:, None] * np.stack([np.cos(inside[0]), np.sin(inside[0])], axis=1)
    at = np.where((tilt == 2)[:, None], over, at)
    cos, sin = np.where(tilt == 2, 0.0, np.cos(lean)), np.where(tilt == 2, up, np.sin(lean))
    return np.column_stack([cos[:, None] * normal, sin]), np.column_stack([at, z])


def _draw_notches(
    fan: SectorFields, size: Floats, gap: Floats, d: int, n: int, rng: np.random.Generator
) -> tuple[SectorFields, Floats, Floats]:
    """Fans beyond half a turn whose notch holds the shape, next to one side."""
    half = rng.uniform(0.55, 0.95, n) * np.pi
    notch = 2 * np.pi - 2 * half
    width_share = np.where(notch < np.pi / 2, np.sin(notch), 1.0)
    rho = (2 * size + 2 * np.abs(gap) + 0.1) / width_share
    side = rng.choice([-1.0, 1.0], n)
    e = np.stack([np.cos(side * half), np.sin(side * half)], axis=1)
    normal = side[:, None] * np.stack([-e[:, 1], e[:, 0]], axis=1)
    at = rho[:, None] * e
    inner, outer = rho * rng.choice([0.0, 0.5], n), rho * rng.uniform(1.0, 1.5, n)
    if d == 3:
        z = fan.half_height * rng.uniform(-1, 1, n)
        normal, at = np.column_stack([normal, np.zeros(n)]), np.column_stack([at, z])
    return SectorFields(half, inner, outer, fan.half_height), normal, at


def _turn_frames(normal: Floats, wanted: Floats, d: int, rng: np.random.Generator) -> Floats:
    """Frames (rows) in which the local direction `normal` is the world's `wanted`; spun about it in space."""
    n = len(normal)
    if d == 2:
        c = normal[:, 0] * wanted[:, 0] + normal[:, 1] * wanted[:, 1]
        s = normal[:, 0] * wanted[:, 1] - normal[:, 1] * wanted[:, 0]
        return np.stack([c, s, -s, c], axis=-1).reshape((n, 2, 2))
    local, world = (_complete_frame(v, rng) for v in (normal, wanted))
    turned: Floats = np.einsum("nki,nkj->nij", local, world)
    return turned


def _complete_frame(z: Floats, rng: np.random.Generator) -> Floats:
    """A right-handed orthonormal frame, as rows, whose last is z."""
    x = perpendicular(rng.normal(size=z.shape).T, z.T).T
    return np.stack([x, np.cross(z, x), z], axis=1)


def _place_in_hole(
    placed: PlacedSectors, other: Any, gap: Floats, x: Floats, chosen: Bools, d: int, rng: np.random.Generator
) -> tuple[PlacedSectors, Floats, Floats]:
    """Where chosen, the fan is laid around the shape: its hole is as wide as the shape, plus the gap."""
    vertices, radius = find_core_vertices(other)
    n = len(gap)
    fan, center, axes = placed
    size = 2 * _find_extent(other) + 0.1
    around = vertices.mean(axis=1) + 0.6 * size[:, None] * rng.normal(size=(n, d))
    local = np.einsum("nmd,nkd->nmk", vertices - around[:, None], axes)
    rho = np.hypot(local[..., 0], local[..., 1])
    far = np.argmax(rho, axis=1)
    each = np.arange(n)
    tip, reach = local[each, far], rho[each, far]
    good = chosen & (reach > 0.01 * size) & (reach + radius + gap > 0)
    # The tip's direction shall lie within the angle: turn the fan about its own axis.
    turn = np.arctan2(tip[:, 1], tip[:, 0]) - rng.uniform(-1, 1, n) * fan.half_angle
    c, s = np.cos(turn)[:, None], np.sin(turn)[:, None]
    spun = axes.copy()
    spun[:, 0], spun[:, 1] = c * axes[:, 0] + s * axes[:, 1], c * axes[:, 1] - s * axes[:, 0]
    if d == 3:  # and its height within the slab
        shift = tip[:, 2] - rng.uniform(-1, 1, n) * fan.half_height
        around = around + shift[:, None] * axes[:, 2]
    inner = np.where(good, reach + radius + gap, fan.inner)
    outer = np.where(good, inner + (fan.outer - fan.inner), fan.outer)
    out = (tip[:, 0] / np.where(reach > 0, reach, 1.0))[:, None] * axes[:, 0]
    out = out + (tip[:, 1] / np.where(reach > 0, reach, 1.0))[:, None] * axes[:, 1]
    at = vertices[each, far] + radius[:, None] * out
    fits = good[:, None]
    placed = PlacedSectors(
        SectorFields(fan.half_angle, inner, outer, fan.half_height),
        np.where(fits, around, center),
        np.where(fits[:, None], spun, axes),
    )
    # What was chosen but does not fit stays as it was built before: by a supporting plane.
    return placed, gap, np.where(fits, at, x)


def _place_ring(
    placed: PlacedSectors, other: Any, gap: Floats, x: Floats, chosen: Bools, rng: np.random.Generator
) -> tuple[PlacedSectors, Floats]:
    """Where chosen, the fan is laid around the other fan, with parallel axes: a cylinder parts them.

    The center lies beside the other's, opposite to a direction within its angle: there it reaches farthest.
    """
    n = len(gap)
    frame = _find_frame(other)
    angle = rng.uniform(-1, 1, n) * other.half_angle
    out = np.cos(angle)[:, None] * frame[:, 0] + np.sin(angle)[:, None] * frame[:, 1]
    axis = rng.choice([-1.0, 1.0], (n, 1)) * frame[:, 2]
    aside = other.outer_radius * rng.choice([0.0, 0.1, 1.0, 10.0], n) * rng.random(n)
    tip = other.center + other.outer_radius[:, None] * out
    tip = tip + (rng.uniform(-1, 1, n) * other.half_height)[:, None] * frame[:, 2]
    fan = placed.fan
    center = tip - (other.outer_radius + aside)[:, None] * out
    center = center + (rng.uniform(-1, 1, n) * fan.half_height)[:, None] * axis
    turn = rng.uniform(-1, 1, n) * fan.half_angle
    third = np.cross(axis, out)
    first = np.cos(turn)[:, None] * out + np.sin(turn)[:, None] * third
    axes = np.stack([first, np.cross(axis, first), axis], axis=1)
    inner = other.outer_radius + aside + gap
    fits = chosen & (inner > 0)
    around = SectorFields(
        fan.half_angle,
        np.where(fits, inner, fan.inner),
        np.where(fits, inner + (fan.outer - fan.inner), fan.outer),
        fan.half_height,
    )
    center = np.where(fits[:, None], center, placed.center)
    axes = np.where(fits[:, None, None], axes, placed.axes)
    return PlacedSectors(around, center, axes), np.where(fits[:, None], tip, x)
