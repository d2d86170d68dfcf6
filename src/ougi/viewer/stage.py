"""A scene in the browser: its bodies at a time, what has touched so far, and the sectors that they sweep."""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi._typing import Bools, Floats
from ougi.checks.frame_methods import SECTORS
from ougi.motion import Rotation2d, Rotation3d, Screw3d
from ougi.plot.panel import BLUE, BODY, FAN, RED
from ougi.scene import Scene
from ougi.shapes import Mesh, Shape
from ougi.sweeps import sweep
from ougi.viewer.events import GHOST, HIT, MISSED, Event, EventList
from ougi.viewer.poses import Poses, compute_quaternions
from ougi.viewer.server import set_up_axis
from ougi.viewer.solids import Group, build_solid, group_solids

# Events that are marked in the scene, and sweeps that are shown: browsers draw each as an object of its own.
_MARKS = 100
_SWEEPS = 64

_WORDS = {MISSED: "missed: ", GHOST: "ghost: "}


def parse_color(color: str) -> tuple[int, int, int]:
    """A colour of the figures as three numbers.

    >>> parse_color("#ff8000")
    (255, 128, 0)
    """
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


_FREE, _MOVING, _HIT, _FAN = (np.array(parse_color(color), np.uint8) for color in (BLUE, BODY, RED, FAN))


class Stage:
    """Puts a scene onto viser's scene API and keeps it up to date; poses and colours are all that changes."""

    def __init__(self, api: Any, scene: Scene) -> None:
        self._api, self.scene = api, scene
        set_up_axis(api, scene.up)
        self.poses = Poses(scene)
        self._number = {body.name: k for k, body in enumerate(scene.bodies)}
        self._moves = np.array([body.moves for body in scene.bodies], bool)
        self.lower, self.upper = self._compute_bounds()
        self.extent = float(np.linalg.norm(self.upper - self.lower)) or 1.0
        self._drawn: list[tuple[Group, Any, Bools]] = []
        rotation, position = self.poses.at(0.0)
        for k, group in enumerate(
            group_solids([_simplify(body.shape) for body in scene.bodies], self.extent)
        ):
            wxyz, spot = _place_members(group, rotation, position)
            handle = api.add_batched_meshes_simple(
                f"/bodies/{k}",
                group.vertices,
                group.faces,
                wxyz,
                spot,
                batched_scales=group.scale,
                batched_colors=np.where(self._moves[group.members, None], _MOVING, _FREE),
                lod="off",
                flat_shading=len(group.faces) < 100,
                side="double",
                cast_shadow=False,
                receive_shadow=False,
            )
            self._drawn.append((group, handle, self._moves[group.members]))
        self._hit = np.zeros(len(scene.bodies), bool)
        self._marks: list[tuple[Event, Any]] = []
        self._events: list[tuple[float, int, int]] = []
        self._sweep_handles: list[Any] = []

    def _compute_bounds(self) -> tuple[Floats, Floats]:
        """Around all bodies at nine times."""
        boxes = [body.shape.bounds() for body in self.scene.bodies]
        corners = [np.zeros((2, 3))] if not boxes else []
        corners_in_space = np.zeros((len(boxes), 2, 3))
        if boxes:
            d = self.scene.dimension
            corners_in_space[..., :d] = [[box.lower, box.upper] for box in boxes]
        for t in np.linspace(0, self.scene.duration, 9 if self._moves.any() else 1):
            rotation, position = self.poses.at(float(t))
            corners.append(
                (rotation[:, None] @ corners_in_space[..., None])[..., 0].reshape(-1, 3)
                + position.repeat(2, 0)
            )
        every = np.concatenate(corners)
        return every.min(axis=0), every.max(axis=0)

    def aim_camera(self, camera: Any) -> None:
        """Point a camera at the scene: from above if it is flat, else from the front, aside and above."""
        middle = (self.lower + self.upper) / 2
        height = (self.upper - self.lower)["xyz".index(self.scene.up)]
        flat = self.scene.dimension == 2 or height <= 0.2 * self.extent
        away = np.array([0.0, -0.01, 1.0]) if flat else np.array([0.5, -0.7, 0.7])
        if self.scene.up == "y":  # what lies in front along -y with z up lies along +z with y up
            away = np.array([away[0], away[2], -away[1]])
        camera.position = middle + 0.85 * self.extent * away / np.linalg.norm(away)
        camera.look_at = middle
        camera.near, camera.far = 1e-3 * self.extent, 20 * self.extent

    def set_events(self, events: EventList) -> None:
        """Mark these events, in place of others."""
        for _, dot in self._marks:
            dot.remove()
        marked = [event for event in events.events if event.point is not None][:_MARKS]
        self._marks = [(event, self._add_mark(k, event)) for k, event in enumerate(marked)]
        self._events = [
            (event.time, self._number[event.a], self._number[event.b])
            for event in events.events
            if event.what in (HIT, GHOST) and event.a in self._number and event.b in self._number
        ]

    def _add_mark(self, k: int, event: Event) -> Any:
        """A dot where it happens, with its time beside it; colour and word show what it is."""
        assert event.point is not None
        where = np.append(event.point, np.zeros(3 - len(event.point)))
        color = {HIT: (0, 0, 0), MISSED: parse_color(BLUE), GHOST: (123, 63, 160)}.get(
            event.what, parse_color(BODY)
        )
        dot = self._api.add_icosphere(
            f"/events/{k}", 0.008 * self.extent, color, position=where, visible=False, cast_shadow=False
        )
        text = f"{_WORDS.get(event.what, '')}{event.time:.6g} s"
        self._api.add_label(f"/events/{k}/time", text, anchor="bottom-left")
        return dot

    def show_time(self, t: float) -> None:
        """Everything as it is at t seconds: what has touched until then is red."""
        rotation, position = self.poses.at(t)
        hit = np.zeros(len(self._hit), bool)
        for time, i, j in self._events:
            if time <= t:
                hit[i] = hit[j] = True
        changed, self._hit = hit != self._hit, hit
        for group, handle, moves in self._drawn:
            if moves.any():
                handle.batched_wxyzs, handle.batched_positions = _place_members(group, rotation, position)
            if changed[group.members].any():
                free = np.where(moves[:, None], _MOVING, _FREE)
                handle.batched_colors = np.where(hit[group.members, None], _HIT, free)
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


def _place_members(group: Group, rotation: Floats, position: Floats) -> tuple[Floats, Floats]:
    """Quaternions and places of a group's members, of bodies that are here."""
    turn = rotation[group.members]
    spot = (turn @ group.center[..., None])[..., 0] + position[group.members]
    return compute_quaternions(turn @ group.rotation), spot


def _simplify(shape: Shape) -> Shape:
    """Meshes of too many faces are drawn by their bounds: they would be sent again to every browser."""
    return shape.bounds() if isinstance(shape, Mesh) and len(shape.faces) > 200_000 else shape
