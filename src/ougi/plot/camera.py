"""From space to the sheet: a parallel projection, what of a mesh is seen, and in which order to paint."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.shapes import Mesh

# Edges whose faces meet at less than this angle belong to a round wall and are not drawn.
_SHARP = math.cos(math.radians(30))
# Where the light comes from: over the viewer's left shoulder.
_LIGHT = np.array([-0.4, 0.6, 0.7]) / np.linalg.norm([-0.4, 0.6, 0.7])


@dataclass(frozen=True)
class Camera:
    """A parallel projection, so that equal lengths stay comparable and a ball is a disc.

    Parameters
    ----------
    azimuth, elevation
        From where one looks, in degrees: 0, 0 looks along -x; 0, 90 straight down.
    up
        The axis that points up, `z` or `y` (as in glTF; then -z takes the place of y).

    >>> Camera(azimuth=-90, elevation=90).project([[1.0, 2.0, 3.0]]).round(12).tolist()
    [[1.0, 2.0, 3.0]]
    """

    azimuth: float = -60.0
    elevation: float = 30.0
    up: Literal["y", "z"] = "z"

    @property
    def is_plan(self) -> bool:
        """Is it a view straight down, with x to the right?"""
        return self.azimuth == -90.0 and self.elevation == 90.0

    def project(self, points: Floats | list[list[float]]) -> Floats:
        """Project points (..., 3): how far right, up and toward the viewer they lie."""
        a, e = math.radians(self.azimuth), math.radians(self.elevation)
        right = [-math.sin(a), math.cos(a), 0.0]
        up = [-math.sin(e) * math.cos(a), -math.sin(e) * math.sin(a), math.cos(e)]
        toward = [math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)]
        upright = np.asarray(points)
        if self.up == "y":
            upright = upright[..., [0, 2, 1]] * [1.0, -1.0, 1.0]
        seen: Floats = upright @ np.array([right, up, toward]).T
        return seen


# A plan: x to the right, y up.
ABOVE = Camera(azimuth=-90.0, elevation=90.0)


def compute_normals(vertices: Floats, faces: Ints) -> Floats:
    """Unit normals (m, 3) of faces; zero for faces without area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=-1, keepdims=True)
    unit: Floats = normal / np.where(length > 0, length, 1.0)
    return unit


def compute_brightness(normal: Floats, solid: bool) -> Floats:
    """How light a face looks, 0.62 to 1; both sides of what is not solid are lit."""
    lit = normal @ _LIGHT
    share: Floats = 0.62 + 0.38 * (np.maximum(lit, 0.0) if solid else np.abs(lit))
    return share


def find_visible_edges(seen: Mesh, solid: bool) -> Floats:
    """The edges (k, 2, 3) of a mesh in the viewer's frame that a drawing needs: borders, folds, contours.

    Edges behind a solid body are not drawn.
    """
    faces = seen.faces
    sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    owner = np.tile(np.arange(len(faces)), 3)
    edges, where, count = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(where.ravel(), kind="stable")
    first = owner[order[np.cumsum(count) - count]]
    last = owner[order[np.cumsum(count) - 1]]
    normal = compute_normals(seen.vertices, faces)
    front: Bools = normal[:, 2] > 1e-9
    fold = (normal[first] * normal[last]).sum(-1) < _SHARP
    contour = front[first] != front[last]
    visible = (front[first] | front[last]) if solid else np.ones(len(edges), np.bool_)
    keep = (count == 1) | (visible & (fold | contour))
    corners: Floats = seen.vertices[edges[keep]]
    return corners


def cut_polygons(polygons: Floats, longest: float) -> tuple[Floats, Ints]:
    """Polygons (m, k, 3) cut until no side is longer, and which one each piece comes from.

    Segments and triangles are halved at the middle of their longest side; other polygons are left as they
    are. Painting from back to front by the middles of pieces is right only for pieces of like size.
    """
    pieces, owner = polygons, np.arange(len(polygons))
    if polygons.shape[1] > 3 or not len(polygons):
        return pieces, owner
    done: list[tuple[Floats, Ints]] = []
    while len(pieces):
        sides = np.linalg.norm(np.roll(pieces, -1, axis=1) - pieces, axis=-1)
        long = sides.max(axis=1) > longest
        done.append((pieces[~long], owner[~long]))
        pieces, owner, at = pieces[long], owner[long], sides[long].argmax(axis=1)
        k = pieces.shape[1]
        turned = pieces[np.arange(len(pieces))[:, None], (at[:, None] + np.arange(k)) % k]
        one, other = turned.copy(), turned.copy()
        one[:, 1] = other[:, 0] = (turned[:, 0] + turned[:, 1]) / 2
        pieces, owner = np.concatenate([one, other]), np.concatenate([owner, owner])
    return np.concatenate([part for part, _ in done]), np.concatenate([whose for _, whose in done])
