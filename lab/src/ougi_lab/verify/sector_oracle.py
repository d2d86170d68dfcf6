"""How far bodies are from a fan, with proofs: bounds by subdivision of the body.

The signed distance of a point from a fan is computed by polar angles. It changes by at most the length of a
step, so a piece of the body with center c and radius w is nowhere nearer than signed(c) - w. BodyPieces that
cannot matter are dropped, the others are halved. No code is shared with the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.shapes import Sector2d, Sector3d
from ougi_lab.scenes.sectors import find_core_vertices

# How often pieces are halved at most, and how many may be open for one pair: ten times as many decide only
# one box in two hundred more, and take twice as long.
_LEVELS = 60
_OPEN = 700

# Pairs whose pieces are cut together: more of them do not stay in the caches.
_BLOCK = 200


def signed_distance(fan: Any, p: Floats, owner: Ints | None = None) -> Floats:
    """Of points (n, d) from the fans of their index: positive outside, minus the depth inside."""
    index = np.arange(len(p)) if owner is None else owner
    local = p - fan.center[index]
    x = fan.direction[index]
    if fan.dimension == 3:
        axis = fan.axis[index]
        third = np.cross(axis, x)
        b, z = _dot(local, third), _dot(local, axis)
        slab = np.abs(z) - fan.half_height[index]
    else:
        b = x[:, 0] * local[:, 1] - x[:, 1] * local[:, 0]
        slab = None
    a = _dot(local, x)
    rho, phi = np.hypot(a, b), np.abs(np.arctan2(b, a))
    half, inner, outer = fan.half_angle[index], fan.inner_radius[index], fan.outer_radius[index]
    ring = np.maximum(inner - rho, rho - outer)
    ring = np.where((inner == 0) & (rho <= outer), rho - outer, ring)
    # Outside the angle: the nearest point of the side, `off` away from it by angle.
    off = np.abs(phi - half)
    t = np.clip(rho * np.cos(off), inner, outer)
    side = np.hypot(rho * np.cos(off) - t, rho * np.sin(off))
    depth = np.where(off < np.pi / 2, rho * np.sin(off), rho)  # of a point within the angle, below its side
    inside = np.maximum(ring, np.where(half == np.pi, -np.inf, -depth))
    planar: Floats = np.where(phi <= half, np.where(ring <= 0, inside, ring), side)
    if slab is None:
        return planar
    outside = np.hypot(np.maximum(planar, 0), np.maximum(slab, 0))
    signed: Floats = np.where((planar <= 0) & (slab <= 0), np.maximum(planar, slab), outside)
    return signed


def _dot(u: Floats, v: Floats) -> Floats:
    """Inner products of (n, d) vectors; several times faster than a sum over a short axis."""
    products: Floats = np.einsum("nd,nd->n", u, v)
    return products


class BodyPieces(Protocol):
    """Pieces of bodies, each of the pair `owner`."""

    owner: Ints

    def enclose(self) -> tuple[Floats, Floats]: ...
    def split(self, keep: Bools) -> BodyPieces: ...


@dataclass
class Simplices:
    """Segments, triangles or tetrahedra: (n, m, d) corners, halved at their longest edge."""

    corners: Floats
    owner: Ints

    def enclose(self) -> tuple[Floats, Floats]:
        """Centers and radii of balls around the pieces."""
        corners = [self.corners[:, i] for i in range(self.corners.shape[1])]
        center = sum(corners[1:], start=corners[0]) / len(corners)
        away = [corner - center for corner in corners]
        return center, np.sqrt(np.maximum.reduce([_dot(v, v) for v in away]))

    def split(self, keep: Bools) -> Simplices:
        """Two for each that is kept."""
        corners, owner = self.corners[keep], self.owner[keep]
        n, m, _ = corners.shape
        pairs = [(i, j) for i in range(m) for j in range(i)]
        edges = [corners[:, i] - corners[:, j] for i, j in pairs]
        lengths = np.stack([_dot(edge, edge) for edge in edges])
        longest = np.array(pairs)[np.argmax(lengths, axis=0)] if n else np.zeros((0, 2), np.int64)
        each = np.arange(n)
        middle = (corners[each, longest[:, 0]] + corners[each, longest[:, 1]]) / 2
        one, other = corners.copy(), corners.copy()
        one[each, longest[:, 0]] = middle
        other[each, longest[:, 1]] = middle
        return Simplices(np.concatenate([one, other]), np.concatenate([owner, owner]))


@dataclass
class PolarPieces:
    """Pieces of fans: (n, 6) bounds of angle, radius and height."""

    bounds: Floats
    owner: Ints
    fan: Any

    def enclose(self) -> tuple[Floats, Floats]:
        """Centers and radii of balls around the pieces."""
        low, high = self.bounds[:, ::2], self.bounds[:, 1::2]
        angle, rho, z = ((low + high) / 2).T
        x = self.fan.direction[self.owner]
        half = (high - low) / 2
        # Along the arc the chord is shorter than the arc itself.
        radius = np.sqrt((high[:, 1] * half[:, 0]) ** 2 + half[:, 1] ** 2 + half[:, 2] ** 2)
        if self.fan.dimension == 2:
            y = np.stack([-x[:, 1], x[:, 0]], axis=1)
            up = 0.0
        else:
            axis = self.fan.axis[self.owner]
            y, up = np.cross(axis, x), z[:, None] * axis
        flat = np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y
        return self.fan.center[self.owner] + rho[:, None] * flat + up, radius

    def split(self, keep: Bools) -> PolarPieces:
        """Two for each that is kept."""
        bounds, owner = self.bounds[keep], self.owner[keep]
        width = bounds[:, 1::2] - bounds[:, ::2]
        width[:, 0] *= bounds[:, 3]
        k = np.argmax(width, axis=1)
        each = np.arange(len(k))
        middle = (bounds[each, 2 * k] + bounds[each, 2 * k + 1]) / 2
        one, other = bounds.copy(), bounds.copy()
        one[each, 2 * k + 1] = middle
        other[each, 2 * k] = middle
        return PolarPieces(np.concatenate([one, other]), np.concatenate([owner, owner]), self.fan)


# The corners of a box, as the bits of their numbers, in six tetrahedra around a diagonal.
_TETRAHEDRA = ((0, 1, 3, 7), (0, 1, 5, 7), (0, 2, 3, 7), (0, 2, 6, 7), (0, 4, 5, 7), (0, 4, 6, 7))


def cut_pieces(shape: Any) -> tuple[BodyPieces, Floats]:
    """A batch as pieces, and the radius to be subtracted."""
    n = shape.count
    if isinstance(shape, Sector2d | Sector3d):
        height = getattr(shape, "half_height", np.zeros(n))
        half = shape.half_angle
        bounds = [-half, half, shape.inner_radius, shape.outer_radius, -height, height]
        return PolarPieces(np.stack(bounds, axis=1), np.arange(n), shape), np.zeros(n)
    vertices, radius = find_core_vertices(shape)
    m = vertices.shape[1]
    groups: tuple[tuple[int, ...], ...] = (tuple(range(m)),)
    if m == 4:
        groups = ((0, 1, 3), (0, 2, 3))
    elif m == 8:
        groups = _TETRAHEDRA
    corners = np.concatenate([vertices[:, list(group)] for group in groups])
    return Simplices(corners, np.tile(np.arange(n), len(groups))), radius


@dataclass(frozen=True)
class SignedBounds:
    """What is proved about each pair: lower <= signed distance <= upper."""

    lower: Floats
    upper: Floats


def bound_distance(fan: Any, shape: Any, width: Floats, precision: Floats) -> SignedBounds:
    """Bounds of the least signed distance over the shape; `width` is the rounding band.

    For pairs that are apart they meet up to `precision`, or as far as the number of pieces allows; pairs are
    left alone once a point deeper than the band is found.
    """
    slices = [slice(i, i + _BLOCK) for i in range(0, shape.count, _BLOCK)]
    parts = [_bound_block(fan[block], shape[block], width[block], precision[block]) for block in slices]
    none = SignedBounds(np.zeros(0), np.zeros(0))
    return SignedBounds(
        *(np.concatenate([getattr(part, k) for part in (none, *parts)]) for k in ("lower", "upper"))
    )


def _bound_block(fan: Any, shape: Any, width: Floats, precision: Floats) -> SignedBounds:
    pieces, radius = cut_pieces(shape)
    n = shape.count
    lower, upper = np.full(n, np.inf), np.full(n, np.inf)
    for _ in range(_LEVELS):
        center, reach = pieces.enclose()
        owner = pieces.owner
        signed = signed_distance(fan, center, owner) - radius[owner]
        np.minimum.at(upper, owner, signed)
        lowest = signed - reach
        counts = np.bincount(owner, minlength=n)
        given_up = counts > _OPEN
        keep = (upper[owner] >= -width[owner]) & (lowest < upper[owner] - precision[owner]) & ~given_up[owner]
        np.minimum.at(lower, owner[~keep], lowest[~keep])
        if not keep.any():
            break
        pieces = pieces.split(keep)
    else:
        center, reach = pieces.enclose()
        signed = signed_distance(fan, center, pieces.owner) - radius[pieces.owner]
        np.minimum.at(lower, pieces.owner, signed - reach)
    return SignedBounds(np.minimum(lower, upper), upper)
