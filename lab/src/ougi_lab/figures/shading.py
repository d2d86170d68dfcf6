"""Pictures of meshes drawn by a radar: its range and face images, with light.

A depth buffer draws any number of triangles and hides exactly what is hidden. `Space` draws lines and text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ougi._typing import Floats, Ints
from ougi.plot.camera import Camera, compute_normals
from ougi.plot.panel import Color, mix_colors
from ougi.radar import Meshes, Volume
from ougi.radar.detection import draw_images
from ougi.shapes import Mesh

# Over the viewer's left shoulder.
_LIGHT = np.array([-0.45, 0.65, 0.62]) / np.linalg.norm([-0.45, 0.65, 0.62])
# Faces that meet at less than this angle are shaded as one round surface.
_SHARP = math.cos(math.radians(40))
# Pixels of the radar for one of the picture, along a side.
_FINE = 2


def render_meshes(
    bodies: Sequence[tuple[Mesh, Color]],
    camera: Camera,
    window: tuple[Floats, Floats],
    pixels: tuple[int, int],
) -> Any:
    """An image (rows, columns, 3) of meshes and their colours, on white.

    Parameters
    ----------
    window
        The middle (3,) of what is shown, in the world, and its width and height (2,).
    pixels
        Columns and rows.

    >>> from ougi_lab.scenes.meshes import make_box
    >>> from ougi.plot import Camera
    >>> image = render_meshes([(make_box(), "red")], Camera(), ([0, 0, 0], [2, 2]), (40, 40))
    >>> image.shape, image[0, 0].tolist(), bool(image[20, 20, 0] > image[20, 20, 1])
    ((40, 40, 3), [255, 255, 255], True)
    """
    meshes = [mesh for mesh, _ in bodies]
    scene = Meshes(meshes)
    columns, rows = _FINE * pixels[0], _FINE * pixels[1]
    right, up, toward = camera.project(np.eye(3)).T
    every = np.concatenate([mesh.vertices for mesh in meshes]) - window[0]
    deep = float(np.abs(every @ toward).max()) + 1.0
    origin = window[0] + deep * toward
    volume = Volume(origin, -toward, [*window[1], 2 * deep], [columns, rows], up)
    depth, face, _ = draw_images(volume.frames, volume.windows, scene, np.full((1, 1), -1))
    # The radar looks along its z axis with x to the left: rows go up, columns from right to left.
    face, depth = face.reshape((rows, columns))[::-1, ::-1], depth.reshape((rows, columns))[::-1, ::-1]
    image = np.ones((rows, columns, 3))
    hit = face >= 0
    j, i = np.nonzero(hit)
    u = ((i + 0.5) / columns - 0.5) * window[1][0]
    v = (0.5 - (j + 0.5) / rows) * window[1][1]
    points = origin + u[:, None] * right + v[:, None] * up - depth[hit][:, None] * toward
    normal = _blend_normals(scene, face[hit], points)
    lit = normal @ np.stack([right, up, toward]).T
    owner = np.where(hit, np.searchsorted(scene.face_starts, face, side="right") - 1, -1)
    colors = np.array([mix_colors(color) for _, color in bodies])[owner[hit]]
    image[hit] = _shade(lit, colors)
    image[_find_edges(owner, depth, float(window[1][0]) / columns)] *= 0.45
    fine = image.reshape((pixels[1], _FINE, pixels[0], _FINE, 3)).mean(axis=(1, 3))
    return (255 * np.clip(fine, 0, 1) + 0.5).astype(np.uint8)


def fit_window(points: Floats, camera: Camera, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """Return the smallest window of an image's proportions that shows points (k, 3)."""
    frame = camera.project(np.eye(3))
    seen = points @ frame
    low, high = seen.min(axis=0), seen.max(axis=0)
    middle = frame @ ((low + high) / 2)
    width, height = 1.12 * (high - low)[:2]
    scale = max(width / shape[0], height / shape[1])
    return middle, scale * np.array(shape, np.float64)


def _shade(normal: Floats, colors: Floats) -> Floats:
    """Colours under a light, a little of it from everywhere, and a dull gloss."""
    toward_light = np.maximum(normal @ _LIGHT, 0.0)[:, None]
    half = _LIGHT + np.array([0.0, 0.0, 1.0])
    gloss = np.maximum(normal @ (half / np.linalg.norm(half)), 0.0)[:, None] ** 24
    lit: Floats = colors * (0.42 + 0.16 * np.abs(normal[:, 2:]) + 0.48 * toward_light) + 0.12 * gloss
    return lit


def _find_edges(owner: Ints, depth: Floats, pixel: float) -> Any:
    """Pixels before which something ends: a body before the background, or much nearer than what is behind.

    Joined parts, which pass into each other, get no line; at the rim of a round body it falls off steeply.
    """
    line = np.zeros(owner.shape, np.bool_)
    for other, there in ((owner[1:], depth[1:]), (owner[:, 1:], depth[:, 1:])):
        here = (slice(0, other.shape[0]), slice(0, other.shape[1]))
        ends = (owner[here] < 0) != (other < 0)
        both = (owner[here] >= 0) & (other >= 0)
        jump = np.abs(np.subtract(depth[here], there, out=np.zeros(other.shape), where=both))
        line[here] |= ends | (jump > np.where(owner[here] != other, 16, 60) * pixel)
    return line


def _blend_normals(scene: Meshes, face: Ints, points: Floats) -> Floats:
    """Normals at points of faces, blended between their corners' normals."""
    corners = scene.vertices[scene.faces[face]]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    across = np.cross(b - a, c - a)
    area = np.maximum((across * across).sum(axis=1), 1e-300)
    v = (np.cross(points - a, c - a) * across).sum(axis=1) / area
    w = (np.cross(b - a, points - a) * across).sum(axis=1) / area
    shares = np.clip(np.stack([1 - v - w, v, w], axis=1), 0, 1)
    blended = (shares[..., None] * _compute_corner_normals(scene)[face]).sum(axis=1)
    smooth: Floats = blended / np.maximum(np.linalg.norm(blended, axis=1, keepdims=True), 1e-300)
    return smooth


def _compute_corner_normals(scene: Meshes) -> Floats:
    """For each face and corner (m, 3, 3) the mean normal of the faces there that do not make an edge."""
    flat = compute_normals(scene.vertices, scene.faces)
    vertex = scene.faces.ravel()
    owner = np.repeat(np.arange(len(scene.faces)), 3)
    order = np.argsort(vertex, kind="stable")
    count = np.bincount(vertex, minlength=len(scene.vertices))
    start = np.concatenate([[0], np.cumsum(count)])[:-1]
    ranked = np.arange(len(vertex)) - start[vertex[order]]
    own = flat[owner[order]]
    total = own.copy()
    for k in range(1, int(count.max())):
        size = count[vertex[order]]
        other = flat[owner[order[start[vertex[order]] + (ranked + k) % size]]]
        total += np.where(((k < size) & ((own * other).sum(axis=1) > _SHARP))[:, None], other, 0.0)
    out = np.empty_like(total)
    out[order] = total
    return out.reshape((-1, 3, 3))
