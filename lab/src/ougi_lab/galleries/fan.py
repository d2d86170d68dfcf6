"""The gallery of FAN: what a sector touches turns red, while you turn it, tilt it and make it larger.

After the figures of FAN sec. 2.8: a cloud of points, rectangles and circles of the plane, balls, capsules and
boxes of space. The sector is set by hand, or made of a box that turns, by each of the constructions.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Bools
from ougi.motion import Rotation3d
from ougi.plot.bodies import iter_shapes
from ougi.plot.panel import BLUE, FAN, RED
from ougi.query import contains, intersects
from ougi.shapes import Box, Capsule2d, Capsule3d, Circle, Rectangle, Sector2d, Sector3d, Shape, Sphere
from ougi.sweeps import sweep
from ougi.viewer.poses import compute_quaternions
from ougi.viewer.record import write_recording
from ougi.viewer.solids import build_solid, group_solids
from ougi.viewer.stage import parse_color
from ougi_lab.galleries.pages import RedrawnPage
from ougi_lab.scenes.batches import Ranges, draw_batch
from ougi_lab.scenes.pairs import translate

_SEED = 28
_WIDE = 4.0  # half the edge of the square or cube in which all lie
_EXTENT = 10.0  # what the thickness of plates and points is measured by

BY_HAND = "by hand"
# Of a box that turns: what `ougi.sweep` makes of it.
CONSTRUCTIONS = ("sector", "sector-enclosing", "sector-balanced", "exact")
_RED, _BLUE = (np.array(parse_color(color), np.uint8) for color in (RED, BLUE))


class Setting(NamedTuple):
    """How the sector is set: degrees and lengths."""

    construction: str = BY_HAND
    half_angle: float = 50.0
    inner_radius: float = 1.0
    outer_radius: float = 3.0
    half_height: float = 0.5
    turn: float = 0.0
    tilt: float = 0.0


# What the sector is tested against: classes, None for plain points, and how many there are.
_BODIES: dict[str, tuple[Any, int]] = {
    "points": (None, 4000),
    "points of the plane": (None, 3000),
    "rectangles": (Rectangle, 50),
    "circles": (Circle, 60),
    "flat capsules": (Capsule2d, 40),
    "balls": (Sphere, 60),
    "capsules": (Capsule3d, 40),
    "boxes": (Box, 40),
}
FAMILIES = tuple(_BODIES)
_FLAT = FAMILIES[1:5]
_RANGES = Ranges(
    radius=(0.15, 0.5), edge=(0.3, 1.1), length=(0.3, 2.0), tube_radius=(0.2, 0.2), spread=(_WIDE, _WIDE)
)


def draw_bodies(family: str) -> Any:
    """Draw points or shapes about the origin, near the plane z = 0; the same every time.

    >>> draw_bodies("balls")
    <Sphere batch of shape (60,)>
    """
    cls, n = _BODIES[family]
    if cls is None:
        d = 2 if family in _FLAT else 3
        return np.random.default_rng(_SEED).uniform(-_WIDE, _WIDE, (n, d)) * [1, 1, 0.3][:d]
    bodies = draw_batch(cls, n, _SEED, _RANGES)
    return bodies if cls.dimension == 2 else translate(bodies, bodies.bounding_sphere().center * [0, 0, -0.7])


def build_sector(setting: Setting, flat: bool) -> Shape:
    """The sector of a setting, in the plane or in space; of a turning box it may be the exact sweep.

    >>> build_sector(Setting(turn=90.0), flat=True).direction.round(9).tolist()
    [0.0, 1.0]
    """
    turn, tilt, half = (math.radians(x) for x in (setting.turn, setting.tilt, setting.half_angle))
    out = np.array([math.cos(turn), math.sin(turn), 0.0])
    across = np.array([-out[1], out[0], 0.0])
    axis = math.cos(tilt) * np.array([0.0, 0.0, 1.0]) + math.sin(tilt) * across  # tilted about `out`
    inner, outer = sorted((setting.inner_radius, setting.outer_radius))
    if setting.construction != BY_HAND:
        return _sweep_turning_box(setting, half, flat)
    if flat:
        return Sector2d([0, 0], out[:2], half, inner, outer)
    return Sector3d([0, 0, 0], axis, out, half, inner, outer, setting.half_height)


def _sweep_turning_box(setting: Setting, half: float, flat: bool) -> Shape:
    from ougi.motion import Rotation2d

    inner, outer = sorted((setting.inner_radius, setting.outer_radius))
    length, middle = outer - inner, (inner + outer) / 2
    start = math.radians(setting.turn) - half
    if flat:
        bar = Rectangle([middle, 0], [length, 0.5]).transformed(Rotation2d([0, 0], start))
        return sweep(bar, Rotation2d([0, 0], 2 * half), setting.construction)
    box = Box([middle, 0, 0], [length, 0.5, 2 * setting.half_height])
    placed = box.transformed(Rotation3d([0, 0, 0], [0, 0, 1], start))
    return sweep(placed, Rotation3d([0, 0, 0], [0, 0, 1], 2 * half), setting.construction)


def find_hits(fan: Shape, targets: Any) -> Bools:
    """Mark the points in the sector, or the shapes that touch it."""
    return np.asarray(contains(fan, targets) if isinstance(targets, np.ndarray) else intersects(fan, targets))


class Gallery(RedrawnPage):
    """The page. Every control requests a new picture from one worker, which skips outdated values."""

    def __init__(self, server: Any) -> None:
        self._server, gui = server, server.gui
        gui.set_panel_label("ougi: FAN")
        self._count = gui.add_html("")
        self._family = gui.add_dropdown("against", FAMILIES, initial_value="balls")
        self._construction = gui.add_dropdown("sector", (BY_HAND, *CONSTRUCTIONS), initial_value=BY_HAND)
        known = Setting._field_defaults
        self._sliders = {
            name: gui.add_slider(label, low, high, step, known[name])
            for name, label, low, high, step in (
                ("turn", "turn °", -180.0, 180.0, 1.0),
                ("half_angle", "half angle °", 1.0, 180.0, 1.0),
                ("inner_radius", "inner radius", 0.0, 4.0, 0.05),
                ("outer_radius", "outer radius", 0.1, 4.0, 0.05),
                ("half_height", "half height", 0.05, 2.0, 0.05),
                ("tilt", "tilt °", -90.0, 90.0, 1.0),
            )
        }
        # As in FAN sec. 2.8: the plane as a grid, x red, y green and z blue.
        server.scene.add_grid("/grid", width=2 * _WIDE, height=2 * _WIDE, plane="xy", cell_size=0.5)
        server.scene.add_frame("/axes", axes_length=_WIDE, axes_radius=0.02, origin_radius=0.05)
        server.initial_camera.position, server.initial_camera.look_at = (4.0, -6.5, 6.0), (0.0, 0.0, 0.0)
        self._drawn: list[tuple[Any, Any]] = []  # handles of meshes and their members
        self._shown = ""
        self._start((self._family, self._construction, *self._sliders.values()))

    def record(self, path: Path) -> Path:
        """Write a recording of the sector turning once round."""
        self._work.wait_idle()

        def show(turn: float) -> None:
            self._sliders["turn"].value = turn
            self.draw()

        return write_recording(
            self._server,
            np.arange(-180.0, 181.0, 5.0),
            8.0,
            show,
            "<b>ougi: FAN, a sector among balls</b>",
            path,
        )

    def draw(self) -> None:
        """Draw the sector and its targets as they are set."""
        with self._lock:
            self._draw()

    def _draw(self) -> None:
        values = {name: float(slider.value) for name, slider in self._sliders.items()}
        setting = Setting(construction=self._construction.value, **values)
        family = self._family.value
        fan = build_sector(setting, family in _FLAT)
        self._sliders["half_height"].disabled = family in _FLAT
        self._sliders["tilt"].disabled = family in _FLAT or setting.construction != BY_HAND
        with self._server.atomic():
            if family != self._shown:
                self._show_targets(family)
            hit = find_hits(fan, self._targets)
            self._color_targets(hit)
            self._draw_sector(fan, setting)
            self._count.content = (
                f'<div id="ougi-count" data-hits="{int(hit.sum())}" data-all="{len(hit)}" '
                f'style="padding:0.4em 0.8em"><b>{int(hit.sum())}</b> of {len(hit)} touched</div>'
            )

    def _show_targets(self, family: str) -> None:
        for handle, _ in self._drawn:
            handle.remove()
        self._drawn, self._shown = [], family
        self._targets = targets = draw_bodies(family)
        api = self._server.scene
        if isinstance(targets, np.ndarray):
            points = np.concatenate([targets, np.zeros((len(targets), 3 - targets.shape[1]))], axis=1)
            cloud = api.add_point_cloud("/targets", points, np.tile(_BLUE, (len(points), 1)), point_size=0.05)
            self._drawn = [(cloud, np.arange(len(points)))]
            return
        for k, group in enumerate(group_solids(list(iter_shapes(targets)), _EXTENT)):
            handle = api.add_batched_meshes_simple(
                f"/targets/{k}",
                group.vertices,
                group.faces,
                compute_quaternions(group.rotation),
                group.center,
                batched_scales=group.scale,
                batched_colors=np.tile(_BLUE, (len(group.members), 1)),
                lod="off",
                side="double",
                cast_shadow=False,
                receive_shadow=False,
            )
            self._drawn.append((handle, group.members))

    def _color_targets(self, hit: Bools) -> None:
        for handle, members in self._drawn:
            colors = np.where(hit[members, None], _RED, _BLUE)
            if hasattr(handle, "batched_colors"):
                handle.batched_colors = colors
            else:
                handle.colors = colors

    def _draw_sector(self, fan: Any, setting: Setting) -> None:
        """The sector; of an exact sweep the box at many poses."""
        bodies = [fan]
        if setting.construction == "exact":
            bodies = [fan.body.transformed(fan.motion.at(t)) for t in np.linspace(0, 1, 24)]
        parts = [(one, one.make()) for one in (build_solid(body, _EXTENT) for body in bodies)]
        counts = np.cumsum([0, *(len(made.vertices) for _, made in parts)])
        vertices = [(made.vertices * one.scale) @ one.rotation.T + one.center for one, made in parts]
        faces = [made.faces + first for (_, made), first in zip(parts, counts, strict=False)]
        self._server.scene.add_mesh_simple(
            "/sector",
            np.concatenate(vertices),
            np.concatenate(faces),
            color=parse_color(FAN),
            opacity=0.5 if len(bodies) == 1 else 0.15,
            side="double",
            flat_shading=True,
            cast_shadow=False,
            receive_shadow=False,
        )
