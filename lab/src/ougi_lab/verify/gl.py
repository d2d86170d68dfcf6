"""`ougi verify gl`: are the images that OpenGL draws those of the embedded rasteriser?

A case is a view volume, or a moving sensor with its two images. `bodies` are closed bodies of all kinds,
`soup` triangles anywhere with slivers among them, `lattice` whole numbers, where centers of pixels lie on
edges, `many` many volumes of different sizes in one draw, and `scopes` RADAR's range and mask of sensors.

Where the two differ in the body they see, or in its depth by more than the Z-buffer's precision, all faces
are checked (`Pixels`, which shares no code with either): both must be right up to that precision and to a
center that lies on an edge, up to the part of a pixel to which a GPU snaps corners.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.radar import Meshes, Volume
from ougi.radar.gl import GlRadars, Image, Views
from ougi.radar.rasterizer import ALL, ENTERED, LEFT
from ougi.shapes import Mesh
from ougi_lab.scenes.mesh_pairs import FAMILIES, draw_placed_meshes
from ougi_lab.scenes.meshes import draw_triangles, make_box, make_sphere, move_mesh
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally

ROWS = ("bodies", "soup", "lattice", "many", "scopes")

# Parts of a pixel by which an edge may lie elsewhere: corners are snapped to 1/256, some renderers' clipped
# ones twice.
SNAPPED = 1 / 128

# Of the depth of view: two steps of 24 bits. Of the coordinates: a few roundings of float32.
Z_STEP = 2.0**-23
FLOAT32 = 8 * 2.0**-24

# Volumes that are drawn together in `many`.
_VOLUMES = 40

_per_thread = threading.local()


def get_radars() -> GlRadars:
    """One for each thread: a context works on one at a time."""
    if not hasattr(_per_thread, "radars"):
        _per_thread.radars = GlRadars()
    found: GlRadars = _per_thread.radars
    return found


def run_ougi(views: Sequence[Views]) -> list[Image]:
    """The images of OpenGL."""
    return get_radars().draw(views)


@dataclass(frozen=True)
class Gl:
    """The subject `gl` of the runner. Tests replace `query` to plant mistakes."""

    query: Callable[[Sequence[Views]], list[Image]] = field(default=run_ougi)
    name: str = "gl"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("radar",)

    def pairs(self) -> tuple[str, ...]:
        """Kinds of scenes."""
        return ROWS

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n volumes."""
        tally, done = Tally(), 0
        while done < n:
            views = draw_views(pair, rng, min(_VOLUMES, n - done))
            images = self.query(views)
            for view, image in zip(views, images, strict=True):
                self._judge(tally, view, image, pair)
            done += len(views[0].frames)
            tally.cases += len(views[0].frames)
        return tally

    def _judge(self, tally: Tally, view: Views, image: Image, pair: str) -> None:
        """Compare the images of some volumes with the embedded ones."""
        own = draw_embedded(view)
        for i in range(len(view.frames)):
            here = slice(image.starts[i], image.starts[i + 1])
            one, two = (Image(m.depth[here], m.face[here], m.starts) for m in (image, own))
            pixels = Pixels(view, i)
            doubtful = np.flatnonzero(pixels.find_differences(one, two))
            wrong = next(
                (
                    (renderer, int(k))
                    for renderer, m in (("OpenGL", one), ("embedded", two))
                    for k in doubtful
                    if not pixels.allows(int(k), float(m.depth[k]), int(m.face[k]))
                ),
                None,
            )
            counts = {
                "pixels": len(one.face), "pixels that see a body": int((one.face >= 0).sum()),
                "explained by an edge or the Z step": len(doubtful),
                "other faces of the same body": pixels.count_other_faces(one, two),
            }  # fmt: skip
            tally.add_counts(counts)
            tally.in_band += bool(len(doubtful)) and wrong is None
            errors = {"pixels": np.array([NONFINITE_ERROR if wrong else 0.0])}
            renderer, k = wrong or ("", 0)
            case = {
                "index": i, "signed": float(one.depth[k]),
                "a": f"{renderer} is wrong at pixel {k}: OpenGL {one.depth[k]} of face {one.face[k]}, "
                f"embedded {two.depth[k]} of face {two.face[k]}",
                "b": f"{pair}, window {view.windows[i].tolist()}, {view.meshes!r}",
            }  # fmt: skip
            tally.judge(errors, case)


def draw_embedded(view: Views) -> Image:
    """The images of the embedded rasteriser."""
    from ougi.radar.detection import draw_images
    from ougi.radar.rasterizer import FARTHEST, NEAREST

    excluded = np.where(view.visible, -1, np.arange(view.visible.shape[1]))
    keeps = FARTHEST if view.farthest else NEAREST
    alike = Meshes.__new__(Meshes)
    alike.__dict__.update(view.meshes.__dict__, bodies=np.arange(len(view.meshes)), _packed=None)
    return Image(*draw_images(view.frames, view.windows, alike, excluded, facing=view.facing, keeps=keeps))


class Pixels:
    """What the pixels of one image may show, from all faces and in float64."""

    def __init__(self, view: Views, i: int) -> None:
        path, self.window = view.frames[i], view.windows[i]
        u, v, width, height, columns, _ = self.window
        axes = path[3:12].reshape((3, 3))
        points = (view.meshes.vertices - path[:3]) @ axes.T
        self.columns, self.far = int(columns), float(path[12])
        per = self.window[4:] / (width, height)
        self.flat = (points[:, :2] - (u, v)) * per  # in pixels
        self.z, self.faces = points[:, 2], view.meshes.faces
        self.mesh = np.repeat(np.arange(len(view.meshes)), view.meshes.face_counts)
        self.shown = view.visible[i][self.mesh]
        self.facing, self.sign = view.facing, -1.0 if view.farthest else 1.0
        spread = float(np.ptp(view.meshes.vertices, axis=0).max())
        away = float(np.abs(view.meshes.vertices.mean(axis=0) - path[:3]).max())
        self.z_slack = Z_STEP * self.far + FLOAT32 * (spread + away)
        self.band = SNAPPED + FLOAT32 * (spread + away) * float(per.max())

    def find_differences(self, one: Image, two: Image) -> Bools:
        """Where the bodies differ, or the depths by more than the Z-buffer's precision."""
        body = [np.where(m.face < 0, -1, self.mesh[np.maximum(m.face, 0)]) for m in (one, two)]
        with np.errstate(invalid="ignore"):
            off = np.abs(one.depth - two.depth) > self.z_slack
        apart: Bools = (body[0] != body[1]) | (off & (one.face >= 0))
        return apart

    def count_other_faces(self, one: Image, two: Image) -> int:
        """Pixels that agree on the body and its depth, but not on the face."""
        return int(((one.face != two.face) & ~self.find_differences(one, two)).sum())

    def allows(self, pixel: int, depth: float, face: int) -> bool:
        """May the pixel show this face at this depth?"""
        x, y = pixel % self.columns + 0.5, pixel // self.columns + 0.5
        sure, maybe, z, slack = self._classify_faces(x, y)
        nearest = np.min(self.sign * z + slack, where=sure, initial=np.inf)
        if face < 0:
            return bool(np.isinf(nearest))
        fits = abs(depth - z[face]) <= slack[face] and self.sign * depth <= nearest + self.z_slack
        return bool(maybe[face] and fits)

    def _classify_faces(self, x: float, y: float) -> tuple[Bools, Bools, Floats, Floats]:
        """Return for all faces: is the center inside, may it be inside, its depth, and the error of that."""
        corners = self.flat[self.faces]
        deep = self.z[self.faces]
        ends = np.roll(corners, -1, axis=1)
        edge, at = ends - corners, np.array([x, y]) - corners
        area = edge[:, 0, 0] * edge[:, 1, 1] - edge[:, 0, 1] * edge[:, 1, 0]
        moment = (edge[..., 0] * at[..., 1] - edge[..., 1] * at[..., 0]) * np.where(area < 0, -1, 1)[:, None]
        length = np.linalg.norm(edge, axis=2)
        inside = (moment / np.maximum(length, 1e-300)).min(axis=1)
        low, high = corners.min(axis=1) - self.band, corners.max(axis=1) + self.band
        near = (low[:, 0] <= x) & (x <= high[:, 0]) & (low[:, 1] <= y) & (y <= high[:, 1])
        thin = np.abs(area) <= 2 * self.band * length.max(axis=1)
        maybe = self.shown & near & ((inside >= -self.band) | thin) & (length.max(axis=1) > 0)
        sure = self.shown & (inside > self.band) & ~thin
        wound = {ALL: np.ones(len(area), bool), ENTERED: area < 0, LEFT: area > 0}[self.facing]
        maybe, sure = maybe & (wound | thin), sure & wound
        z, slack = self._compute_depths(corners, deep, area, thin, x, y)
        maybe &= (z + slack >= 0) & (z - slack <= self.far)
        sure &= (z - slack > 0) & (z + slack < self.far)
        return sure, maybe, z, slack

    def _compute_depths(
        self, corners: Floats, deep: Floats, area: Floats, thin: Bools, x: float, y: float
    ) -> tuple[Floats, Floats]:
        """Depths of the faces' planes under a center; of thin ones the middle, give or take all, and as much
        again where snapped corners leave them."""
        whole = np.where(thin, 1.0, area)
        (a, b, c), (za, zb, zc) = np.moveaxis(corners, 1, 0), deep.T
        slope_x = ((zb - za) * (c - a)[:, 1] - (zc - za) * (b - a)[:, 1]) / whole
        slope_y = ((zc - za) * (b - a)[:, 0] - (zb - za) * (c - a)[:, 0]) / whole
        nearest, farthest = deep.min(axis=1), deep.max(axis=1)
        z = np.clip(za + slope_x * (x - a[:, 0]) + slope_y * (y - a[:, 1]), nearest, farthest)
        # A snapped triangle has other slopes, the more so the thinner it is.
        longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
        thickness = np.maximum(np.abs(area) / np.maximum(longest, 1e-300), self.band)
        slack = self.band * (2 * (np.abs(slope_x) + np.abs(slope_y)) + (farthest - nearest) / thickness)
        half = 0.5 * (farthest - nearest)
        z, slack = (
            np.where(thin, nearest + half, z),
            np.where(thin, 2 * half, np.minimum(slack, farthest - nearest)),
        )
        return z, slack + self.z_slack


# --- cases ------------------------------------------------------------------------------------------------


def draw_views(pair: str, rng: np.random.Generator, farthest: int) -> list[Views]:
    """The views of one frame; `farthest` bounds the volumes."""
    if pair == "scopes":
        return _draw_scopes(rng)
    if pair == "lattice":
        scene, volume = _draw_lattice(rng)
    elif pair == "many":
        scene, volume = _draw_many(rng, farthest)
    else:
        scene = _draw_soup(rng) if pair == "soup" else Meshes(_draw_bodies(rng))
        far = rng.choice([0.0, 0.0, 1e4]) * rng.normal(size=3)
        scene = scene.deformed(scene.vertices + far)
        volume = _draw_volume(rng, far)
    seen = rng.random((len(volume), len(scene))) < 0.95
    facing = int(rng.integers(3)) if pair != "soup" else ALL
    return [Views(volume.frames, volume.windows, scene, seen, facing, bool(rng.random() < 0.3))]


def _draw_volume(rng: np.random.Generator, far: Floats, n: int = 1) -> Volume:
    direction = rng.normal(size=(n, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    pixels = rng.integers(1, rng.choice([8, 33, 65]), (n, 2))
    size = 10 ** rng.uniform([-0.7, -0.7, 0], [0.7, 0.7, 0.9], (n, 3))
    return Volume(far - rng.uniform(0.2, 3, (n, 1)) * direction, direction, size, pixels)


def _draw_bodies(rng: np.random.Generator) -> list[Mesh]:
    return draw_placed_meshes(rng.choice(FAMILIES, rng.integers(1, 7)), rng)


def _draw_soup(rng: np.random.Generator) -> Meshes:
    count = int(rng.integers(1, 5))
    return Meshes([draw_triangles(int(rng.integers(1, 30)), rng) for _ in range(count)])


def _draw_lattice(rng: np.random.Generator) -> tuple[Meshes, Volume]:
    """Boxes of whole numbers seen along an axis, with edges through the middles of pixels, or beside them."""
    places = rng.integers(-4, 5, (int(rng.integers(1, 6)), 3)).astype(float)
    sizes = rng.integers(1, 5, places.shape).astype(float)
    boxes = [move_mesh(make_box(tuple(s)), np.eye(3), p) for s, p in zip(sizes, places, strict=True)]
    axis = np.eye(3)[int(rng.integers(3))] * rng.choice([-1.0, 1.0])
    pixels = int(rng.choice([8, 16, 32]))
    origin = -6.25 * axis + rng.choice([0.0, 0.25]) * (1 - np.abs(axis))
    return Meshes(boxes), Volume(origin, axis, [8.0, 8.0, 12.0], pixels)


def _draw_many(rng: np.random.Generator, n: int) -> tuple[Meshes, Volume]:
    """Many volumes of all sizes in one scene."""
    balls = [move_mesh(make_sphere(8, 9, 0.7), np.eye(3), place) for place in rng.uniform(-4, 4, (60, 3))]
    scene = Meshes(balls + [move_mesh(m, np.eye(3), rng.uniform(-4, 4, 3)) for m in _draw_bodies(rng)])
    return scene, _draw_volume(rng, rng.uniform(-4, 4, (n, 3)), n)


def _draw_scopes(rng: np.random.Generator) -> list[Views]:
    """The range and mask of two to five sensors, as `GlRadars.scopes` draws them."""
    from ougi.motion import Translation3d
    from ougi.radar.motions import make_frames
    from ougi.radar.published import fit_windows

    sensors = Meshes(_draw_bodies(rng))
    scene = Meshes([move_mesh(m, np.eye(3), 2 * rng.normal(size=3)) for m in _draw_bodies(rng)])
    n = len(sensors)
    motion = Translation3d(rng.normal(size=(n, 3)) * rng.uniform(0.5, 4, (n, 1)))
    pixels: Ints = np.repeat(rng.integers(1, 50, (n, 1)), 2, axis=1)
    paths, windows = fit_windows(make_frames(motion, sensors), sensors, pixels)
    every, own = np.ones((n, len(scene)), bool), np.eye(n, dtype=bool)
    return [
        Views(paths, windows, scene, every, ENTERED, False),
        Views(paths, windows, sensors, own, LEFT, True),
    ]
