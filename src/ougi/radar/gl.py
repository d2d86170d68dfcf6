"""Radars drawn by OpenGL: the images of the embedded rasterizer from a real Z-buffer, as RADAR made them.

The images of a frame are tiles of one atlas. One draw call makes them all, for any number of radars: a
command for each mesh, an instance of it for each tile that may show it, `gl_ClipDistance` at the tiles'
borders. Depths are written as floats beside the numbers of the faces, so one read returns everything. Sensors
(RADAR sec. 3) are drawn in tiles of their own with inverted depths: the farthest becomes the nearest.

Differences from the embedded rasterizer: numbers are float32, and the order of depths is decided with 24
bits, parts of 6e-8 of the depth of view. Corners are snapped to parts of a pixel (mostly 1/256), so a pixel
whose center is nearer than that to an edge may show either face. A center exactly on an edge belongs to one
of both faces here, and to the nearer one there. `ougi verify gl` counts such pixels.

This module needs the extra `gl` and OpenGL 4.3: a driver of the GPU, or Mesa's software renderer.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ougi._typing import Array, ArrayLike, Bools, Floats, Foreign, Ints
from ougi.errors import DeviceError, MissingExtraError
from ougi.motion import Translation3d
from ougi.radar.collision_result import Collision
from ougi.radar.detection import Detection, Volume, make_detection, read_ignored
from ougi.radar.exact import choose_pixels
from ougi.radar.meshes import Meshes, MeshesLike, as_meshes
from ougi.radar.motion_frames import AXES, LENGTH, ORIGIN
from ougi.radar.motions import batch_shape, check_translation, make_frames
from ougi.radar.published import Scopes, collide_scopes, compose_scopes, fit_windows
from ougi.radar.rasterizer import ALL, ENTERED, LEFT
from ougi.radar.windows import LOW, PIXELS, SIZE
from ougi.shapes import Mesh

# OpenGL 4.3 has draws of many commands. Numbers of faces are float32.
_VERSION = 430
_MAX_FACES = 1 << 24

# Pixels by which the atlas grows, so that one radar more does not need a new one.
_STEP = 64

_GET_GL = (
    "OpenGL 4.3 comes with the driver of the GPU; without one, on Debian: "
    '"apt-get install libegl1 libgl1 libgl1-mesa-dri"'
)

_VERTEX = """
#version 430
in vec3 corner;
// Of each instance: the transformation into its tile and depths, 0 to 1; the tile; its face 0, which side.
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
    // Snapped corners let slivers reach a little beyond their ends.
    seen = vec2(clamp(depth, 0.0, 1.0), whose.x + float(gl_PrimitiveID));
}
"""

# glEnable(GL_CLIP_DISTANCE0 + k)
_CLIP_DISTANCE = 0x3000

# Columns of an instance: across, upward, along, tile, part.
_INSTANCE = 18


class Views(NamedTuple):
    """Images to be drawn: along z of frames[i], over windows[i], of the meshes in visible[i]."""

    frames: Floats
    windows: Floats
    meshes: Meshes
    visible: Bools
    facing: int
    farthest: bool


class Image(NamedTuple):
    """Depths and faces of images, one after the other, and where each starts.

    Empty pixels are inf (-inf for the farthest) and -1.
    """

    depth: Floats
    face: Ints
    starts: Ints


class GlRadars:
    """All radars of a frame, drawn by OpenGL.

    Parameters
    ----------
    context
        A moderngl context, current on this thread. Its framebuffer and flags are restored after each frame,
        its depth function is not. By default a new one, without a window.

    Attributes
    ----------
    renderer
        The name of the renderer.
    draws
        Draw calls so far.

    Raises
    ------
    MissingExtraError
        moderngl is not installed.
    DeviceError
        There is no OpenGL 4.3, or the context is gone. `ougi.radar.detect` needs neither.

    >>> from ougi.radar import Volume
    >>> from ougi.radar.gl import GlRadars
    >>> import ougi
    >>> wall = ougi.Mesh([[-9, -9, 4], [9, -9, 4], [0, 9, 6]], [[0, 1, 2]])
    >>> with GlRadars() as radars:  # doctest: +SKIP
    ...     seen = radars.detect(Volume([0, 0, 0], [0, 0, 1], [2, 2, 8], pixels=4), wall)
    >>> seen.body.tolist(), round(float(seen.depth[0]), 3), seen.depth_image.shape  # doctest: +SKIP
    ([0], 4.917, (4, 4))
    """

    def __init__(self, context: Foreign = None) -> None:
        self._own = context is None
        self.context = _create_context() if context is None else _check_context(context)
        self.draws = 0
        self._closed = False
        with self._current():
            self.renderer = str(self.context.info["GL_RENDERER"])
            self._max_side = int(self.context.info["GL_MAX_TEXTURE_SIZE"])
            self._program = self.context.program(vertex_shader=_VERTEX, fragment_shader=_FRAGMENT)
        self._atlas: Foreign = None
        self._corners: Foreign = None
        self._faces: Foreign = None
        self._drawn: tuple[Meshes, ...] = ()
        self._middle: Array = np.zeros(3)

    # --- queries --------------------------------------------------------------------------------------------

    def detect(self, volume: Volume, scene: MeshesLike, *, ignore: ArrayLike = ()) -> Detection:
        """Find the bodies in view volumes: `ougi.radar.detect` with `method="point"`, in one draw."""
        if not isinstance(volume, Volume):
            raise TypeError(f"volume must be a Volume, got {type(volume).__name__}")
        targets = as_meshes("scene", scene)
        visible = _find_visible(targets, read_ignored(ignore, len(volume)))
        image = self.draw([Views(volume.frames, volume.windows, targets, visible, ALL, False)])[0]
        return make_detection(volume, targets, *image)

    def draw_scopes(
        self,
        sensor: Mesh | Meshes,
        motion: Translation3d,
        scene: MeshesLike,
        *,
        pixels: ArrayLike | None = None,
        ignore: ArrayLike = (),
    ) -> list[Scopes]:
        """Draw the range, mask and look-at scopes of each sensor, all of them in one draw. RADAR sec. 3."""
        sensors, targets = as_meshes("sensor", sensor), as_meshes("scene", scene)
        frames = make_frames(check_translation(motion), sensors)
        frames, windows = fit_windows(frames, sensors, choose_pixels(pixels, sensors))
        others = _find_visible(targets, read_ignored(ignore, len(frames)))
        near, far = self.draw(
            [
                Views(frames, windows, targets, others, ENTERED, False),
                Views(frames, windows, sensors, np.eye(len(frames), dtype=bool), LEFT, True),
            ]
        )
        slices = [slice(start, stop) for start, stop in zip(near.starts[:-1], near.starts[1:], strict=True)]
        return [
            compose_scopes(near.depth[part], near.face[part], far.depth[part], targets, frames[i], windows[i])
            for i, part in enumerate(slices)
        ]

    def collide(
        self,
        sensor: Mesh | Meshes,
        motion: Translation3d,
        scene: MeshesLike,
        *,
        pixels: ArrayLike | None = None,
        ignore: ArrayLike = (),
    ) -> Collision:
        """Find the first contacts of moving meshes: `ougi.radar.collide` with `method="published"`.

        The result is the smallest gap at the centers of pixels, late by a part of a pixel.
        """
        sensors = as_meshes("sensor", sensor)
        scopes = self.draw_scopes(sensors, motion, scene, pixels=pixels, ignore=ignore)
        return collide_scopes(scopes).squeeze(batch_shape(sensor, motion, sensors))

    # --- drawing --------------------------------------------------------------------------------------------

    def draw(self, views: Sequence[Views]) -> list[Image]:
        """Make all images by one draw call."""
        columns_rows = np.concatenate([v.windows[:, PIXELS] for v in views]).astype(np.int64)
        places, size = pack_tiles(columns_rows, self._max_side)
        with self._current():
            self._load(_list_unique([v.meshes for v in views]))
            commands, instances = self._list_commands(views, places, columns_rows, size)
            pixels = self._render(size, commands, instances)
        return _cut_images(pixels, views, places, columns_rows)

    def _load(self, meshes: tuple[Meshes, ...]) -> None:
        """Copy vertices and faces to the GPU; those that are there already stay."""
        count = max(len(m.faces) for m in meshes)
        if count > _MAX_FACES:
            raise ValueError(f"scene must have at most {_MAX_FACES:,} faces, got {count:,}")
        same_faces = len(meshes) == len(self._drawn) and all(
            a.faces is b.faces for a, b in zip(meshes, self._drawn, strict=True)
        )
        if same_faces and all(a is b for a, b in zip(meshes, self._drawn, strict=True)):
            return
        # Relative to their middle, because float32 has no digits for large coordinates.
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

    def _list_commands(
        self, views: Sequence[Views], places: Ints, sides: Ints, size: tuple[int, int]
    ) -> tuple[Ints, Floats]:
        """Commands (count, instances, first index, first corner, first instance), and the instances."""
        tiles = np.column_stack([2.0 * places / size - 1.0, 2.0 * sides / size])
        face_starts = np.cumsum([0, *(len(m.faces) for m in self._drawn)])
        corner_starts = np.cumsum([0, *(len(m.vertices) for m in self._drawn)])
        commands, instances = [], []
        done = first_tile = 0
        for view in views:
            meshes, n = view.meshes, len(view.frames)
            place = next(k for k, m in enumerate(self._drawn) if m is meshes)
            mesh, which = np.nonzero((view.visible & ~is_outside(view)).T)
            begin, count = np.unique(mesh, return_index=True, return_counts=True)[1:]
            shown = mesh[begin]
            each = np.empty((len(mesh), _INSTANCE), np.float32)
            each[:, :12] = _make_transformations(view, self._middle)[which]
            each[:, 12:16] = tiles[first_tile : first_tile + n][which]
            each[:, 16] = meshes.face_starts[mesh]
            each[:, 17] = view.facing
            instances.append(each)
            command = np.empty((len(shown), 5), np.uint32)
            command[:, 0] = 3 * meshes.face_counts[shown]
            command[:, 1] = count
            command[:, 2] = 3 * (face_starts[place] + meshes.face_starts[shown])
            command[:, 3] = corner_starts[place]
            command[:, 4] = done + begin
            commands.append(command)
            done += len(mesh)
            first_tile += n
        return np.concatenate(commands), np.concatenate(instances)

    def _render(self, size: tuple[int, int], commands: Foreign, instances: Foreign) -> Foreign:
        """The atlas, (rows, columns, 2), float32."""
        _ = self.context.error  # reading it clears earlier errors
        frame = self._get_framebuffer(size)
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
            data = frame.read(viewport=(0, 0, *size), components=2, dtype="f4")
            if len(commands):
                for each in (array, rows, orders):
                    each.release()
        error = self.context.error
        if error != "GL_NO_ERROR":
            raise DeviceError(
                f"OpenGL ({self.renderer}) failed: {error}; if the context is lost, make a new GlRadars"
            )
        return np.frombuffer(data, np.float32).reshape((size[1], size[0], 2))

    def _get_framebuffer(self, size: tuple[int, int]) -> Foreign:
        """A framebuffer of at least this size, and not of more than four times the pixels."""
        if self._atlas is not None:
            have = self._atlas.size
            fits = have[0] >= size[0] and have[1] >= size[1]
            if fits and have[0] * have[1] <= 4 * size[0] * size[1] + 256**2:
                return self._atlas
            for each in (self._atlas.depth_attachment, *self._atlas.color_attachments, self._atlas):
                each.release()
        rounded = tuple(min(_STEP * math.ceil(side / _STEP), self._max_side) for side in size)
        color, depth = self.context.texture(rounded, 2, dtype="f4"), self.context.depth_renderbuffer(rounded)
        self._atlas = self.context.framebuffer([color], depth)
        return self._atlas

    @contextmanager
    def _current(self) -> Iterator[None]:
        """Draw in this context. An own one may be used by any thread, one at a time."""
        if self._closed or _is_gone(self.context):
            raise DeviceError("the OpenGL context of these radars is gone or closed: make a new GlRadars")
        if not self._own:
            yield
            return
        with self.context:
            yield

    def close(self) -> None:
        """Free the memory. An own context ends, a given one stays."""
        if self._closed or _is_gone(self.context):
            return
        with self._current():
            for each in (self._corners, self._faces, self._program, self._atlas):
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


def _create_context() -> Foreign:
    """A context without a window: by EGL, or by the default of the system."""
    try:
        import moderngl
    except ImportError as error:
        raise MissingExtraError("gl", "drawing radars by OpenGL") from error
    reasons = []
    backends: list[dict[str, Foreign]] = [{"backend": "egl"}, {}] if sys.platform == "linux" else [{}]
    for options in backends:
        try:
            return moderngl.create_standalone_context(require=_VERSION, **options)
        except Exception as error:  # a plain Exception is what it raises
            reasons.append(f"{options.get('backend', 'default')}: {error}")
    raise DeviceError(
        f"there is no OpenGL 4.3 without a window ({'; '.join(reasons)}). {_GET_GL}. "
        "ougi.radar.detect and collide need none."
    )


def _check_context(context: Foreign) -> Foreign:
    try:
        import moderngl
    except ImportError as error:
        raise MissingExtraError("gl", "drawing radars by OpenGL") from error
    if not isinstance(context, moderngl.Context):
        raise TypeError(f"context must be a moderngl.Context, got {type(context).__name__}")
    if _is_gone(context):
        raise DeviceError("context must not be released; make a new one")
    if context.version_code < _VERSION:
        raise DeviceError(f"context must have OpenGL 4.3, got {context.version_code / 100:.1f}. {_GET_GL}")
    return context


def _is_gone(context: Foreign) -> bool:
    """Has it been released? moderngl leaves an object of this class."""
    return type(context.mglo).__name__ == "InvalidObject"


def _list_unique(meshes: Sequence[Meshes]) -> tuple[Meshes, ...]:
    """Each object once: scenes whose bodies are sensors, too, are loaded once."""
    return tuple({id(m): m for m in meshes}.values())


def _find_visible(meshes: Meshes, ignored: Ints) -> Bools:
    """Which meshes each radar does not ignore, (n, meshes)."""
    visible: Bools = ~(meshes.bodies[None, :, None] == ignored[:, None, :]).any(axis=2)
    return visible


def is_outside(view: Views) -> Bools:
    """Which meshes are, by their boxes, wholly outside of which images, (n, meshes)."""
    axes = view.frames[:, AXES].reshape((-1, 3, 3))
    lower, upper = view.meshes.lower, view.meshes.upper
    middle = np.einsum("nij,nmj->nmi", axes, 0.5 * (lower + upper) - view.frames[:, None, ORIGIN])
    reach = np.einsum("nij,mj->nmi", np.abs(axes), 0.5 * (upper - lower))
    reach *= 1.0 + 1e-6  # more than the rounding of float32
    low = np.column_stack([view.windows[:, LOW], np.zeros(len(axes))])[:, None]
    high = low + np.column_stack([view.windows[:, SIZE], view.frames[:, LENGTH]])[:, None]
    out: Bools = ((middle + reach < low) | (middle - reach > high)).any(axis=2)
    return out


def _make_transformations(view: Views, middle: Floats) -> Floats:
    """Rows across, upward and along of each image: from corners, relative to the middle, to 0...1."""
    axes = view.frames[:, AXES].reshape((-1, 3, 3))
    size = np.column_stack([view.windows[:, SIZE], view.frames[:, LENGTH]])
    low = np.column_stack([view.windows[:, LOW], np.zeros(len(axes))])
    rows = np.empty((len(axes), 3, 4))
    rows[:, :, :3] = axes / size[:, :, None]
    rows[:, :, 3] = (np.einsum("nij,nj->ni", axes, middle - view.frames[:, ORIGIN]) - low) / size
    if view.farthest:
        rows[:, 2] *= -1.0
        rows[:, 2, 3] += 1.0
    return rows.reshape((-1, 12))


def pack_tiles(sides: Ints, largest: int) -> tuple[Ints, tuple[int, int]]:
    """Pack tiles of (columns, rows) into an atlas that is about as wide as high: their places, and its size.

    In shelves, the highest tiles first.

    >>> import numpy as np
    >>> from ougi.radar.gl import pack_tiles
    >>> places, size = pack_tiles(np.array([[4, 4], [2, 8], [4, 4], [4, 4]]), 1024)
    >>> places.tolist(), size
    ([[2, 0], [0, 0], [0, 8], [4, 8]], (8, 12))
    """
    wide = int(max(sides[:, 0].max(initial=1), math.ceil(math.sqrt(float(np.prod(sides, axis=1).sum())))))  # type: ignore[call-overload, unused-ignore]
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


def _cut_images(pixels: Foreign, views: Sequence[Views], places: Ints, sides: Ints) -> list[Image]:
    """The images of each group of views."""
    images, tile = [], 0
    for view in views:
        n = len(view.frames)
        area = np.prod(sides[tile : tile + n], axis=1)
        starts = np.concatenate([[0], np.cumsum(area)])
        depth, face = np.empty(starts[-1]), np.empty(starts[-1], np.int64)
        for i in range(n):
            (x, y), (columns, rows) = places[tile + i], sides[tile + i]
            part = pixels[y : y + rows, x : x + columns]
            here = slice(starts[i], starts[i + 1])
            face[here] = part[..., 1].ravel()
            share = part[..., 0].ravel().astype(np.float64)
            depth[here] = view.frames[i, LENGTH] * (1.0 - share if view.farthest else share)
        depth[face < 0] = -np.inf if view.farthest else np.inf
        images.append(Image(depth, face, starts))
        tile += n
    return images
