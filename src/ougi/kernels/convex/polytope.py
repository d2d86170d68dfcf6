"""Convex polytopes given by their vertices: frames, vertices and supports.

Both bodies of a pair are described in the frame of the first.
"""

from __future__ import annotations

from typing import NamedTuple

from ougi._native import device, find_furthest
from ougi.kernels.convex.records import Hull3d
from ougi.kernels.records import Frame, Vec3
from ougi.kernels.vec3 import dot, length, sub


class RelativePose(NamedTuple):
    """The pose of b in the frame of a: the offset of its center, and its axes."""

    offset: Vec3
    x: Vec3
    y: Vec3
    z: Vec3


@device
def to_axes(v: Vec3, f: Frame | RelativePose) -> Vec3:
    """Components of v along the axes of a frame."""
    return Vec3(dot(v, f.x), dot(v, f.y), dot(v, f.z))


@device
def from_axes(v: Vec3, f: Frame | RelativePose) -> Vec3:
    """The vector with these components along the axes of a frame."""
    return Vec3(
        f.x.x * v.x + f.y.x * v.y + f.z.x * v.z,
        f.x.y * v.x + f.y.y * v.y + f.z.y * v.z,
        f.x.z * v.x + f.y.z * v.y + f.z.z * v.z,
    )


@device
def relate(a: Frame, b: Frame) -> RelativePose:
    """Frame b in the frame of a."""
    return RelativePose(
        to_axes(sub(b.center, a.center), a), to_axes(b.x, a), to_axes(b.y, a), to_axes(b.z, a)
    )


@device
def get_template_vertex(h: Hull3d, i: int) -> Vec3:
    """Vertex i before it is scaled."""
    k = h.vertices + 24 * (i >> 3) + (i & 7)
    return Vec3(h.numbers[k], h.numbers[k + 8], h.numbers[k + 16])


@device
def get_vertex(h: Hull3d, i: int) -> Vec3:
    v = get_template_vertex(h, i)
    return Vec3(v.x * h.scale.x, v.y * h.scale.y, v.z * h.scale.z)


@device
def get_normal(h: Hull3d, i: int) -> Vec3:
    k = h.faces + 4 * i
    return Vec3(h.numbers[k], h.numbers[k + 1], h.numbers[k + 2])


@device
def find_support(h: Hull3d, d: Vec3) -> int:
    """The vertex that lies furthest along d; d in the polytope's own frame."""
    return find_furthest(
        h.numbers, h.vertices, h.vertex_count, d.x * h.scale.x, d.y * h.scale.y, d.z * h.scale.z
    )


@device
def measure_size(a: Hull3d, b: Hull3d, to: RelativePose) -> float:
    """The extent of both bodies together, by which rounding is measured."""
    return a.size + b.size + length(to.offset)
