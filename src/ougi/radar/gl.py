"""Radars that OpenGL draws: the images of the embedded rasteriser from a real Z-buffer, as RADAR made them.

The images of a frame are tiles of one atlas, and one draw call makes them all, however many radars there are:
a command for each mesh, an instance of it for each tile that may see it, `gl_ClipDistance` at the tiles'
borders. Depths are written as floats beside the numbers of the faces, so that one read brings everything.
Sensors (RADAR sec. 3) are drawn in tiles of their own with depths turned round: the farthest becomes the
nearest.

Where it differs from the embedded rasteriser: numbers are float32, and what lies before what is decided with
24 bits, parts of 6e-8 of the depth of view. Corners are snapped to parts of a pixel (1/256, mostly), so a
pixel whose center lies nearer than that to an edge may go to either face; a center exactly on an edge belongs
to one of both faces here, and to the nearer one there. `ougi verify gl` counts such pixels.

This module needs the extra `gl` and OpenGL 4.3: a driver of the GPU, or Mesa's software renderer.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import ArrayLike, Bools, Floats, Ints
from ougi.errors import DeviceError, MissingExtraError
from ougi.motion import Translation3d
from ougi.radar.collide import Collision, batch_of, listed, require_straight, shaped, sides_of, ways_of
from ougi.radar.meshes import Meshes, as_meshes
from ougi.radar.published import ALL, ENTERED, LEFT, Scopes, composed, fitted
from ougi.radar.scopes import Volume, detections, ignored
from ougi.shapes import Mesh

# Which faces are drawn, as in `_draw`, which compiles: all, those that the view enters, those that it leaves.

# OpenGL 4.3 has draws of many commands; numbers of faces travel as float32.
_VERSION = 430
_MOST_FACES = 1 << 24

# Pixels by which the atlas grows, so that one radar more does not make a new one.
_STEP = 64

_GET_GL = (
    "OpenGL 4.3 comes with the driver of the GPU; without one, on Debian: "
    '"apt-get install libegl1 libgl1 libgl1-mesa-dri"'
)

_VERTEX = """
#version 430
in vec3 corner;
// Of each instance: the way into its tile and its depths, 0 to 1; where that lies; its face 0, which side.
in vec4 across;
in vec4 upward;
in vec4 along;
in vec4 tile;
in vec2 part;
out float gl_ClipDistance[4];
out float depth;
flat out vec2 whose;
void main() {
    vec4 p = vec4(corner, 1.0);
    vec3 at = vec3(dot(across, p), dot(upward, p), dot(along, p));
    gl_ClipDistance[0] = at.x;
    gl_ClipDistance[1] = 1.0 - at.x;
    gl_ClipDistance[2] = at.y;
    gl_ClipDistance[3] = 1.0 - at.y;
    gl_Position = vec4(tile.xy + tile.zw * at.xy, 2.0 * at.z - 1.0, 1.0);
    depth = at.z;
    whose = part;
}
"""

_FRAGMENT = """
#version 430
in float depth;
flat in vec2 whose;
out vec2 seen;
void main() {
    if ((whose.y == 1.0 && gl_FrontFacing) || (whose.y == 2.0 && !gl_FrontFacing)) discard;
    // A corner that is snapped lets slivers reach a little beyond their ends.
    seen = vec2(clamp(depth, 0.0, 1.0), whose.x + float(gl_PrimitiveID));
}
"""

# glEnable(GL_CLIP_DISTANCE0 + k)
_CLIP_DISTANCE = 0x3000

# Columns of an instance: across, upward, along, tile, part.
_INSTANCE = 18


class Views(NamedTuple):
    """Images to be drawn of meshes: along z of ways[i], over windows[i], of the meshes in seen[i]."""

    ways: Floats
    windows: Floats
    meshes: Meshes
    seen: Bools
    facing: int
    farthest: bool


class Image(NamedTuple):
    """Depths and faces of the images, one behind the other, and where each starts; empty pixels are inf (-inf
    for the farthest) and -1."""

    depth: Floats
    face: Ints
    starts: Ints


class GlRadars:
    """All radars of a frame, drawn by OpenGL.

    Parameters
    ----------
    context
        A moderngl context of yours, current on this thread: its framebuffer and flags are restored after each
        frame, its depth function is not. By default one of our own, without a window.

    Attributes
    ----------
    renderer
        What draws, in the driver's words.
    draws
        Draw calls so far.

    Raises
    ------
    MissingExtraError
        moderngl is not installed.
    DeviceError
        There is no OpenGL 4.3, or the context is gone. The embedded rasteriser, `ougi.radar.detect`, needs
        neither.

    >>> from ougi.radar import Volume
    >>> from ougi.radar.gl import GlRadars
    >>> import ougi
    >>> wall = ougi.Mesh([[-9, -9, 4], [9, -9, 4], [0, 9, 6]], [[0, 1, 2]])
    >>> with GlRadars() as radars:  # doctest: +SKIP
    ...     seen = radars.detect(Volume([0, 0, 0], [0, 0, 1], [2, 2, 8], pixels=4), wall, surface=True)
    >>> seen.bodies.tolist(), round(float(seen.depths[0]), 3), seen.range.shape  # doctest: +SKIP
    ([0], 4.917, (4, 4))
    """

    def __init__(self, context: Any = None) -> None:
        self._own = context is None
        self.context = _context() if context is None else _usable(context)
        self.draws = 0
        self._closed = False
        with self._current():
            self.renderer = str(self.context.info["GL_RENDERER"])
            self._largest = int(self.context.info["GL_MAX_TEXTURE_SIZE"])
            self._program = self.context.program(vertex_shader=_VERTEX, fragment_shader=_FRAGMENT)
        self._atlas: Any = None
        self._corners: Any = None
        self._faces: Any = None
        self._drawn: tuple[Meshes, ...] = ()
        self._middle = np.zeros(3)

    # --- questions ------------------------------------------------------------------------------------------

    def detect(self, volume: Volume, scene: Any, *, ignore: ArrayLike = (), surface: bool = False) -> Any:
        """What lies in view volumes? `ougi.radar.detect` with `coverage="point"`, all volumes in one draw."""
        if not isinstance(volume, Volume):
            raise TypeError(f"volume must be a Volume, got {type(volume).__name__}")
        targets = as_meshes("scene", scene, surface)
        seen = _all_but(targets, ignored(ignore, len(volume)))
        image = self.draw([Views(volume.ways, volume.windows, targets, seen, ALL, False)])[0]
        return detections(volume, targets, image.depth, image.face, image.starts)

    def scopes(
        self,
        sensor: Mesh | Meshes,
        scene: Any,
        motion: Translation3d,
        *,
        pixels: ArrayLike | None = None,
        ignore: ArrayLike = (),
        surface: bool = False,
    ) -> list[Scopes]:
        """Range, mask and look-at scopes of each sensor, all of them in one draw. RADAR sec. 3."""
        sensors, targets = as_meshes("sensor", sensor, surface), as_meshes("scene", scene, surface)
        straight = require_straight(motion)
        ways, windows = fitted(ways_of(straight, sensors), sensors, sides_of(pixels, sensors))
        others = _all_but(targets, ignored(ignore, len(ways)))
        near, far = self.draw(
            [
                Views(ways, windows, targets, others, ENTERED, False),
                Views(ways, windows, sensors, np.eye(len(ways), dtype=bool), LEFT, True),
            ]
        )
        slices = [slice(start, stop) for start, stop in zip(near.starts[:-1], near.starts[1:], strict=True)]
        return [
            composed(near.depth[part], near.face[part], far.depth[part], targets, ways[i], windows[i])
            for i, part in enumerate(slices)
        ]

    def collide(
        self,
        sensor: Mesh | Meshes,
        scene: Any,
        motion: Translation3d,
        *,
        pixels: ArrayLike | None = None,
        ignore: ArrayLike = (),
        surface: bool = False,
    ) -> Collision:
        """When do moving meshes first touch a scene? `ougi.radar.collide` with `mode="published"`: the least
        gap over the pixels' centers, late by a part of a pixel."""
        seen = self.scopes(sensor, scene, motion, pixels=pixels, ignore=ignore, surface=surface)
        own = as_meshes("sensor", sensor, surface)
        return shaped(listed(seen), batch_of(sensor, motion, own))

    # --- drawing --------------------------------------------------------------------------------------------

    def draw(self, views: Sequence[Views]) -> list[Image]:
        """Make all images by one draw call."""
        columns_rows = np.concatenate([v.windows[:, 4:] for v in views]).astype(np.int64)
        places, size = packed(columns_rows, self._largest)
        with self._current():
            self._load(_each_once([v.meshes for v in views]))
            commands, instances = self._orders(views, places, columns_rows, size)
            pixels = self._rendered(size, commands, instances)
        return _cut(pixels, views, places, columns_rows)

    def _load(self, meshes: tuple[Meshes, ...]) -> None:
        """Put corners and faces where the GPU finds them; those that it has already stay."""
        most = max(len(m.faces) for m in meshes)
        if most > _MOST_FACES:
            raise ValueError(f"scene must have at most {_MOST_FACES:,} faces, got {most:,}")
        same_faces = len(meshes) == len(self._drawn) and all(
            a.faces is b.faces for a, b in zip(meshes, self._drawn, strict=True)
        )
        if same_faces and all(a is b for a, b in zip(meshes, self._drawn, strict=True)):
            return
        # Seen from their middle: float32 has no digits for what lies far from the origin.
        self._middle = 0.5 * (
            np.min([m.lower.min(axis=0) for m in meshes], axis=0)
            + np.max([m.upper.max(axis=0) for m in meshes], axis=0)
        )
        corners = np.concatenate([(m.vertices - self._middle).astype(np.float32) for m in meshes])
        if same_faces and self._corners is not None and self._corners.size == corners.nbytes:
            self._corners.write(corners)
        else:
            faces = np.concatenate([m.faces.astype(np.uint32) for m in meshes])
            for old in (self._corners, self._faces):
                if old is not None:
                    old.release()
            self._corners, self._faces = self.context.buffer(corners), self.context.buffer(faces)
        self._drawn = meshes

    def _orders(
        self, views: Sequence[Views], places: Ints, sides: Ints, size: tuple[int, int]
    ) -> tuple[Ints, Floats]:
        """Commands (count, instances, first index, first corner, first instance), and the instances."""
        tiles = np.column_stack([2.0 * places / size - 1.0, 2.0 * sides / size])
        face_starts = np.cumsum([0, *(len(m.faces) for m in self._drawn)])
        corner_starts = np.cumsum([0, *(len(m.vertices) for m in self._drawn)])
        commands, instances = [], []
        done = first_tile = 0
        for view in views:
            meshes, n = view.meshes, len(view.ways)
            place = next(k for k, m in enumerate(self._drawn) if m is meshes)
            mesh, which = np.nonzero((view.seen & ~beside(view)).T)
            begin, count = np.unique(mesh, return_index=True, return_counts=True)[1:]
            shown = mesh[begin]
            each = np.empty((len(mesh), _INSTANCE), np.float32)
            each[:, :12] = _ways_into(view, self._middle)[which]
            each[:, 12:16] = tiles[first_tile : first_tile + n][which]
            each[:, 16] = meshes.parts[mesh]
            each[:, 17] = view.facing
            instances.append(each)
            command = np.empty((len(shown), 5), np.uint32)
            command[:, 0] = 3 * meshes.face_counts[shown]
            command[:, 1] = count
            command[:, 2] = 3 * (face_starts[place] + meshes.parts[shown])
            command[:, 3] = corner_starts[place]
            command[:, 4] = done + begin
            commands.append(command)
            done += len(mesh)
            first_tile += n
        return np.concatenate(commands), np.concatenate(instances)

    def _rendered(self, size: tuple[int, int], commands: Any, instances: Any) -> Any:
        """The atlas, (rows, columns, 2), float32."""
        _ = self.context.error  # asking forgets it: what went wrong before is not ours
        frame = self._room(size)
        with self.context.scope(frame, self.context.DEPTH_TEST):
            frame.viewport = (0, 0, *size)
            frame.clear(1.0, -1.0, depth=1.0, viewport=(0, 0, *size))
            if len(commands):
                rows, orders = self.context.buffer(instances), self.context.buffer(commands)
                layout = "4f 4f 4f 4f 2f/i", "across", "upward", "along", "tile", "part"
                array = self.context.vertex_array(
                    self._program, [(self._corners, "3f", "corner"), (rows, *layout)], self._faces
                )
                self.context.depth_func = "<"
                for k in range(4):
                    self.context.enable_direct(_CLIP_DISTANCE + k)
                array.render_indirect(orders, count=len(commands))
                self.draws += 1
                for k in range(4):
                    self.context.disable_direct(_CLIP_DISTANCE + k)
            told = frame.read(viewport=(0, 0, *size), components=2, dtype="f4")
            if len(commands):
                for each in (array, rows, orders):
                    each.release()
        error = self.context.error
        if error != "GL_NO_ERROR":
            raise DeviceError(
                f"OpenGL ({self.renderer}) failed: {error}; if the context is lost, make another GlRadars"
            )
        return np.frombuffer(told, np.float32).reshape((size[1], size[0], 2))

    def _room(self, size: tuple[int, int]) -> Any:
        """A framebuffer of at least this size; one much too large would be cleared and kept for nothing."""
        if self._atlas is not None:
            have = self._atlas.size
            fits = have[0] >= size[0] and have[1] >= size[1]
            if fits and have[0] * have[1] <= 4 * size[0] * size[1] + 256**2:
                return self._atlas
            for each in (self._atlas.depth_attachment, *self._atlas.color_attachments, self._atlas):
                each.release()
        rounded = tuple(min(_STEP * math.ceil(side / _STEP), self._largest) for side in size)
        color, depth = self.context.texture(rounded, 2, dtype="f4"), self.context.depth_renderbuffer(rounded)
        self._atlas = self.context.framebuffer([color], depth)
        return self._atlas

    @contextmanager
    def _current(self) -> Iterator[None]:
        """Draw in this context; one of our own may be used by any thread, one at a time."""
        if self._closed or _is_gone(self.context):
            raise DeviceError("the OpenGL context of these radars is gone or closed: make another GlRadars")
        if not self._own:
            yield
            return
        with self.context:
            yield

    def close(self) -> None:
        """Give the memory back; a context of our own ends, one of yours stays."""
        if self._closed or _is_gone(self.context):
            return
        with self._current():
            kept = (self._corners, self._faces, self._program, self._atlas)
            for each in kept:
                if each is not None:
                    each.release()
        self._drawn, self._closed = (), True
        if self._own:
            self.context.release()

    def __enter__(self) -> GlRadars:
        return self

    def __exit__(self, *stop: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<GlRadars: {self.renderer}>"


def _context() -> Any:
    """A context without a window: by EGL, or as the system has it."""
    try:
        import moderngl
    except ImportError as error:
        raise MissingExtraError("gl", "drawing radars by OpenGL") from error
    reasons = []
    ways: list[dict[str, Any]] = [{"backend": "egl"}, {}] if sys.platform == "linux" else [{}]
    for way in ways:
        try:
            return moderngl.create_standalone_context(require=_VERSION, **way)
        except Exception as error:  # a plain Exception is what it raises
            reasons.append(f"{way.get('backend', 'default')}: {error}")
    raise DeviceError(
        f"there is no OpenGL 4.3 without a window ({'; '.join(reasons)}). {_GET_GL}. "
        "ougi.radar.detect and collide need none."
    )


def _usable(context: Any) -> Any:
    try:
        import moderngl
    except ImportError as error:
        raise MissingExtraError("gl", "drawing radars by OpenGL") from error
    if not isinstance(context, moderngl.Context):
        raise TypeError(f"context must be a moderngl.Context, got {type(context).__name__}")
    if _is_gone(context):
        raise DeviceError("context has been released: make another one")
    if context.version_code < _VERSION:
        raise DeviceError(f"context must have OpenGL 4.3, got {context.version_code / 100:.1f}. {_GET_GL}")
    return context


def _is_gone(context: Any) -> bool:
    """Has it been released? moderngl leaves an object of this kind."""
    return type(context.mglo).__name__ == "InvalidObject"


def _each_once(meshes: Sequence[Meshes]) -> tuple[Meshes, ...]:
    """Scenes whose bodies are sensors, too, are loaded once."""
    return tuple({id(m): m for m in meshes}.values())


def _all_but(meshes: Meshes, left_out: Ints) -> Bools:
    """Which meshes each radar looks at, (n, meshes)."""
    seen: Bools = ~(meshes.bodies[None, :, None] == left_out[:, None, :]).any(axis=2)
    return seen


def beside(view: Views) -> Bools:
    """Which meshes lie, by their boxes, wholly outside of which images, (n, meshes)."""
    axes = view.ways[:, 3:12].reshape((-1, 3, 3))
    lower, upper = view.meshes.lower, view.meshes.upper
    middle = np.einsum("nij,nmj->nmi", axes, 0.5 * (lower + upper) - view.ways[:, None, :3])
    reach = np.einsum("nij,mj->nmi", np.abs(axes), 0.5 * (upper - lower))
    reach *= 1.0 + 1e-6  # float32 must not see what was left out
    low = np.column_stack([view.windows[:, :2], np.zeros(len(axes))])[:, None]
    high = low + np.column_stack([view.windows[:, 2:4], view.ways[:, 12]])[:, None]
    out: Bools = ((middle + reach < low) | (middle - reach > high)).any(axis=2)
    return out


def _ways_into(view: Views, middle: Floats) -> Floats:
    """Rows across, upward and along of each image: from corners, seen from the middle, to 0...1, (n, 12)."""
    axes = view.ways[:, 3:12].reshape((-1, 3, 3))
    size = np.column_stack([view.windows[:, 2:4], view.ways[:, 12]])
    low = np.column_stack([view.windows[:, :2], np.zeros(len(axes))])
    rows = np.empty((len(axes), 3, 4))
    rows[:, :, :3] = axes / size[:, :, None]
    rows[:, :, 3] = (np.einsum("nij,nj->ni", axes, middle - view.ways[:, :3]) - low) / size
    if view.farthest:
        rows[:, 2] *= -1.0
        rows[:, 2, 3] += 1.0
    return rows.reshape((-1, 12))


def packed(sides: Ints, largest: int) -> tuple[Ints, tuple[int, int]]:
    """Where tiles of (columns, rows) lie in an atlas that is about as wide as high, and its size.

    In shelves, the highest tiles first.

    >>> import numpy as np
    >>> from ougi.radar.gl import packed
    >>> places, size = packed(np.array([[4, 4], [2, 8], [4, 4], [4, 4]]), 1024)
    >>> places.tolist(), size
    ([[2, 0], [0, 0], [0, 8], [4, 8]], (8, 12))
    """
    wide = int(max(sides[:, 0].max(initial=1), math.ceil(math.sqrt(float(np.prod(sides, axis=1).sum())))))
    places = np.zeros_like(sides)
    x = y = shelf = right = 0
    for k in np.argsort(-sides[:, 1], kind="stable"):
        columns, rows = (int(side) for side in sides[k])
        if x and x + columns > wide:
            x, y, shelf = 0, y + shelf, 0
        places[k] = x, y
        x, shelf = x + columns, max(shelf, rows)
        right = max(right, x)
    size = max(right, 1), max(y + shelf, 1)
    if max(size) > largest:
        raise ValueError(
            f"pixels of all radars together must fit into {largest} x {largest}, got {size[0]} x {size[1]}; "
            "draw them in several frames"
        )
    return places, size


def _cut(pixels: Any, views: Sequence[Views], places: Ints, sides: Ints) -> list[Image]:
    """The images of each group of views."""
    images, tile = [], 0
    for view in views:
        n = len(view.ways)
        area = np.prod(sides[tile : tile + n], axis=1)
        starts = np.concatenate([[0], np.cumsum(area)])
        depth, face = np.empty(starts[-1]), np.empty(starts[-1], np.int64)
        for i in range(n):
            (x, y), (columns, rows) = places[tile + i], sides[tile + i]
            part = pixels[y : y + rows, x : x + columns]
            here = slice(starts[i], starts[i + 1])
            face[here] = part[..., 1].ravel()
            share = part[..., 0].ravel().astype(np.float64)
            depth[here] = view.ways[i, 12] * (1.0 - share if view.farthest else share)
        depth[face < 0] = -np.inf if view.farthest else np.inf
        images.append(Image(depth, face, starts))
        tile += n
    return images
