"""A scene in the browser: its bodies at a time, what has touched so far, and the sectors that they sweep."""

from __future__ import annotations

import math
import threading
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ougi._typing import Bools, Floats, Foreign, Ints
from ougi.checks.frame_methods import SECTORS
from ougi.motion import Rotation2d, Rotation3d, Screw3d
from ougi.plot.bodies import cut_half_space
from ougi.plot.panel import BLUE, BODY, FAN, RED
from ougi.scene import Scene
from ougi.shapes import HalfSpace, Mesh, Shape
from ougi.sweeps import sweep
from ougi.viewer.events import GHOST, HIT, MISSED, Event, EventList
from ougi.viewer.labels import CHARACTER, LINE, stack_labels
from ougi.viewer.poses import ScenePoses, compute_quaternions
from ougi.viewer.server import set_up_axis
from ougi.viewer.solids import SolidGroup, build_solid, group_solids

Colors: TypeAlias = npt.NDArray[np.uint8]

# Events that are marked in the scene, and sweeps that are shown: browsers draw each as an object of its own.
_MARKS = 100
_SWEEPS = 64

# Bodies at most that have their names from the start.
_NAMED = 12
# The height of labels, as a part of the scene's extent, and how much of a body's tint is red.
_FONT = 0.025
_TINT = 0.75

_WORDS = {MISSED: "missed: ", GHOST: "ghost: "}


def parse_color(color: str) -> tuple[int, int, int]:
    """A colour of the figures as three numbers.

    >>> parse_color("#ff8000")
    (255, 128, 0)
    """
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def tint(colors: Colors) -> Colors:
    """Colours of bodies that have touched: reddish, and still different where they were different."""
    mixed = (1 - _TINT) * colors + _TINT * np.asarray(_HIT, float)
    return np.asarray(np.round(mixed), np.uint8)


def compute_cell_size(extent: float) -> float:
    """The size of a cell of the ground: 1, 2 or 5 times a power of ten, about a twentieth of the scene.

    >>> [compute_cell_size(extent) for extent in (1.0, 17.0, 90.0)]
    [0.05, 1.0, 5.0]
    """
    power = 10.0 ** math.floor(math.log10(extent / 20))
    return power * next(step for step in (1.0, 2.0, 5.0, 10.0) if step * power >= extent / 20 * (1 - 1e-9))


_FREE, _MOVING, _HIT, _FAN = (np.array(parse_color(color), np.uint8) for color in (BLUE, BODY, RED, FAN))


class Stage:
    """Puts a scene onto viser's scene API and keeps it up to date; poses and colours are all that changes."""

    def __init__(self, api: Foreign, scene: Scene) -> None:
        self._api, self.scene = api, scene
        set_up_axis(api, scene.up)
        self.poses = ScenePoses(scene)
        self._number = {body.name: k for k, body in enumerate(scene.bodies)}
        self._moves = np.array([body.moves for body in scene.bodies], bool)
        self.lower, self.upper = self._compute_bounds()
        self.extent = float(np.linalg.norm(self.upper - self.lower)) or 1.0
        self._colors = np.array(
            [
                parse_color(body.color) if body.color else tuple(_MOVING if body.moves else _FREE)
                for body in scene.bodies
            ],
            np.uint8,
        ).reshape(-1, 3)
        self._add_ground()
        self._drawn: list[tuple[SolidGroup, Foreign, Bools]] = []
        rotation, position = self.poses.at(0.0)
        for k, group in enumerate(
            group_solids([_simplify(body.shape, self.extent) for body in scene.bodies], self.extent)
        ):
            wxyz, spot = _place_members(group, rotation, position)
            handle = api.add_batched_meshes_simple(
                f"/bodies/{k}",
                group.vertices,
                group.faces,
                wxyz,
                spot,
                batched_scales=group.scale,
                batched_colors=self._colors[group.members],
                lod="off",
                flat_shading=len(group.faces) < 100,
                side="double",
                cast_shadow=False,
                receive_shadow=False,
            )
            self._drawn.append((group, handle, self._moves[group.members]))
            handle.on_click(lambda event, members=group.members: self._select(event, members))
        self._t = 0.0
        self._hit = np.zeros(len(scene.bodies), bool)
        self._marks: list[tuple[Event, Foreign]] = []
        self._events: list[tuple[float, int, int]] = []
        self._sweep_handles: list[Foreign] = []
        self._name_labels: dict[int, Foreign] = {}
        self._selected: set[int] = set()
        self._names_lock = threading.Lock()  # clicks come on threads of viser
        self.all_named = False
        self.show_names(len(scene.bodies) <= _NAMED)

    @property
    def group_names(self) -> list[list[str]]:
        """The names of the bodies of each object `/bodies/k`."""
        return [[self.scene.bodies[member].name for member in group.members] for group, _, _ in self._drawn]

    def _add_ground(self) -> None:
        """A grid below all bodies, in cells of a round size."""
        up = "xyz".index(self.scene.up)
        middle = (self.lower + self.upper) / 2
        middle[up] = self.lower[up] - 2e-3 * self.extent
        cell = compute_cell_size(self.extent)
        across = [k for k in range(3) if k != up]
        middle[across] = np.round(middle[across] / (5 * cell)) * 5 * cell  # lines at multiples of a cell
        size = math.ceil(1.5 * self.extent / (10 * cell)) * 10 * cell
        self._api.add_grid(
            "/ground",
            size,
            size,
            plane="xy" if self.scene.up == "z" else "xz",
            cell_size=cell,
            section_size=5 * cell,
            cell_color=(225, 225, 225),
            section_color=(190, 190, 190),
            fade_distance=100 * self.extent,
            shadow_opacity=0.0,
            position=middle,
        )

    def _compute_bounds(self) -> tuple[Floats, Floats]:
        """Around all bodies at nine times."""
        boxes = [_find_box(body.shape) for body in self.scene.bodies]
        corners = [np.zeros((2, 3))] if not boxes else []
        corners_in_space = np.zeros((len(boxes), 2, 3))
        if boxes:
            d = self.scene.dimension
            corners_in_space[..., :d] = boxes
        self._anchors = corners_in_space.mean(axis=1)  # of names, at t = 0
        for t in np.linspace(0, self.scene.duration, 9 if self._moves.any() else 1):
            rotation, position = self.poses.at(float(t))
            corners.append(
                (rotation[:, None] @ corners_in_space[..., None])[..., 0].reshape(-1, 3)
                + position.repeat(2, 0)
            )
        every = np.concatenate(corners)
        return every.min(axis=0), every.max(axis=0)

    def _compute_view(self) -> Floats:
        """The direction to the first camera: from above if the scene is flat, else from the front, aside."""
        height = (self.upper - self.lower)["xyz".index(self.scene.up)]
        flat = self.scene.dimension == 2 or height <= 0.2 * self.extent
        away = np.array([0.0, -0.01, 1.0]) if flat else np.array([0.5, -0.7, 0.7])
        if self.scene.up == "y":  # what lies in front along -y with z up lies along +z with y up
            away = np.array([away[0], away[2], -away[1]])
        unit: Floats = away / np.linalg.norm(away)
        return unit

    def aim_camera(self, camera: Foreign) -> None:
        """Point a camera at the scene."""
        middle = (self.lower + self.upper) / 2
        camera.position = middle + 0.85 * self.extent * self._compute_view()
        camera.look_at = middle
        camera.near, camera.far = 1e-3 * self.extent, 20 * self.extent

    def set_events(self, events: EventList) -> None:
        """Mark these events, in place of others."""
        for _, dot in self._marks:
            dot.remove()
        marked = [event for event in events.events if event.point is not None][:_MARKS]
        self._marks = self._add_marks(marked)
        self._events = [
            (event.time, self._number[event.a], self._number[event.b])
            for event in events.events
            if event.what in (HIT, GHOST) and event.a in self._number and event.b in self._number
        ]

    def _add_marks(self, events: list[Event]) -> list[tuple[Event, Foreign]]:
        """A dot for each event, with its time above it. Labels are raised so that none covers another."""
        if not events:
            return []
        points = np.zeros((len(events), 3))
        points[:, : self.scene.dimension] = [event.point for event in events]
        texts = [f"{_WORDS.get(event.what, '')}{event.time:.6g} s" for event in events]
        font = _FONT * self.extent
        away = self._compute_view()
        right = np.cross(np.eye(3)["xyz".index(self.scene.up)], away)
        right /= np.linalg.norm(right)
        above = np.cross(away, right)
        levels = stack_labels(
            np.stack([points @ right, points @ above], axis=1),
            [CHARACTER * font * len(text) for text in texts],
            LINE * font,
        )
        marks = []
        for k, event in enumerate(events):
            dot = self._add_mark(k, event, points[k])
            if levels[k] >= 0:
                offset = (0.3 + levels[k]) * LINE * font * above
                self._api.add_label(
                    f"/events/{k}/time",
                    texts[k],
                    position=offset,
                    anchor="bottom-left",
                    font_size_mode="scene",
                    font_scene_height=font,
                )
                line = np.array([[np.zeros(3), offset]])
                self._api.add_line_segments(
                    f"/events/{k}/line", line, (0, 0, 0), thickness=1.0, thickness_units="screen"
                )
            marks.append((event, dot))
        return marks

    def _add_mark(self, k: int, event: Event, where: Floats) -> Foreign:
        """A dot where it happens; its colour shows what it is."""
        color = {HIT: (0, 0, 0), MISSED: parse_color(BLUE), GHOST: (123, 63, 160)}.get(
            event.what, parse_color(BODY)
        )
        return self._api.add_icosphere(
            f"/events/{k}", 0.008 * self.extent, color, position=where, visible=False, cast_shadow=False
        )

    def show_names(self, every: bool) -> None:
        """Label every body, up to a number that browsers can draw, or only those that were clicked."""
        self.all_named = every
        self._update_names()

    def _select(self, event: Foreign, members: Ints) -> None:
        """Show or hide the name of a body that was clicked."""
        if event.instance_index is not None:
            self._selected ^= {int(members[event.instance_index])}
            self._update_names()

    def _update_names(self) -> None:
        wanted = set(range(min(len(self.scene.bodies), _MARKS))) if self.all_named else set(self._selected)
        with self._names_lock:
            for k in self._name_labels.keys() - wanted:
                self._name_labels.pop(k).remove()
            for k in sorted(wanted - self._name_labels.keys()):
                self._name_labels[k] = self._api.add_label(
                    f"/names/{k}",
                    self.scene.bodies[k].name,
                    anchor="top-center",  # times of contacts stand above their points
                    font_size_mode="scene",
                    font_scene_height=_FONT * self.extent,
                )
        self._place_names(*self.poses.at(self._t))

    def _place_names(self, rotation: Floats, position: Floats) -> None:
        with self._names_lock:
            for k, label in self._name_labels.items():
                label.position = rotation[k] @ self._anchors[k] + position[k]

    def show_time(self, t: float) -> None:
        """Everything as it is at t seconds: what has touched until then is reddish."""
        rotation, position = self.poses.at(t)
        self._t = t
        self._place_names(rotation, position)
        hit = np.zeros(len(self._hit), bool)
        for time, i, j in self._events:
            if time <= t:
                hit[i] = hit[j] = True
        changed, self._hit = hit != self._hit, hit
        for group, handle, moves in self._drawn:
            if moves.any():
                handle.batched_wxyzs, handle.batched_positions = _place_members(group, rotation, position)
            if changed[group.members].any():
                free = self._colors[group.members]
                handle.batched_colors = np.where(hit[group.members, None], tint(free), free)
        for event, dot in self._marks:
            if dot.visible != (event.time <= t):
                dot.visible = event.time <= t

    def show_sweeps(self, method: str | None) -> int:
        """Show the sectors of turning bodies, by a method of `ougi.sweep`; None: none. How many there are."""
        for handle in self._sweep_handles:
            handle.remove()
        self._sweep_handles = []
        for shape in self._build_sectors(method) if method else []:
            one = build_solid(shape, self.extent)
            made = one.make()
            handle = self._api.add_mesh_simple(
                f"/sweeps/{len(self._sweep_handles)}",
                (made.vertices * one.scale) @ one.rotation.T + one.center,
                made.faces,
                color=tuple(_FAN.tolist()),
                opacity=0.3,
                side="double",
                cast_shadow=False,
                receive_shadow=False,
            )
            self._sweep_handles.append(handle)
        return len(self._sweep_handles)

    def _build_sectors(self, method: str) -> list[Shape]:
        found: list[Shape] = []
        for body in self.scene.bodies:
            for span in body.spans(self.scene.duration):
                if isinstance(span.motion, Rotation2d | Rotation3d | Screw3d) and len(found) < _SWEEPS:
                    shape = body.shape.transformed(span.pose)
                    try:
                        found.append(sweep(shape, span.motion, method))
                    except (TypeError, ValueError):
                        continue  # the method cannot express this motion; then none is shown
        return found


def choose_sector_method(method: str) -> str:
    """The sectors of a method: its own, or enclosing ones."""
    return method if method in SECTORS else "sector-enclosing"


def _place_members(group: SolidGroup, rotation: Floats, position: Floats) -> tuple[Floats, Floats]:
    """Quaternions and places of a group's members, of bodies that are here."""
    turn = rotation[group.members]
    spot = (turn @ group.center[..., None])[..., 0] + position[group.members]
    return compute_quaternions(turn @ group.rotation), spot


def _find_box(shape: Shape) -> tuple[Floats, Floats]:
    """The bounds of a shape; of a half-space, the point of its surface that is nearest to its origin."""
    if isinstance(shape, HalfSpace):
        return (shape._bounding_sphere()[0],) * 2
    return shape._bounds()


def _simplify(shape: Shape, extent: float) -> Shape:
    """A shape that can be drawn: half-spaces are plates as wide as the scene.

    Meshes of too many faces are drawn by their bounds, because they would be sent again to every browser.
    """
    if isinstance(shape, HalfSpace):
        corner = np.full(shape.dimension, extent)
        return cut_half_space(shape, -corner, corner)
    return shape.bounds() if isinstance(shape, Mesh) and len(shape.faces) > 200_000 else shape
