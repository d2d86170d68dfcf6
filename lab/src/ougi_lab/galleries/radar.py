"""The gallery of RADAR: what a radar sees before a moving body, as images beside the scene; and a grasp.

A body flies towards others: range, mask and look-at distance scopes (RADAR sec. 3), and the free distance by
the images and exactly. In the grasp (sec. 4.4) a hand searches, approaches and closes until it touches.
"""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.motion import Translation3d
from ougi.plot.bodies import build_mesh
from ougi.plot.panel import BLUE, BODY, FAN, RED
from ougi.radar import Meshes, Scopes, collide
from ougi.shapes import Box, Capsule3d, Mesh, Sphere
from ougi.viewer.record import write_recording
from ougi.viewer.stage import parse_color
from ougi_lab.figures.grasp import list_bodies
from ougi_lab.galleries.pages import RedrawnPage
from ougi_lab.grasp import TARGETS as THINGS
from ougi_lab.grasp import Grasp, build_human_hand, place_one_hand, simulate_grasp

FLIGHT, GRASP = "a body flies", "a hand grasps"
_PIECES = 12  # around balls and capsules
# The grasp on the stage: its unit, and the thing's place. The hand comes along x, its fingers up.
_UNIT, _PLACE = 1 / 125, np.array([1.2, 0.0, 0.2])

# What the body flies towards.
TARGETS = (
    build_mesh(Box([3.0, 0.9, 0.1], [0.6, 0.9, 1.2], [0, 0, math.sin(0.3), math.cos(0.3)])),
    build_mesh(Sphere([3.4, -0.4, 0.2], 0.6), _PIECES),
    build_mesh(Capsule3d([2.6, -1.2, -0.8], [2.6, -1.2, 0.8], 0.2), _PIECES),
)


def build_sensor(degrees: float) -> Mesh:
    """The body that flies, turned about the vertical.

    >>> build_sensor(20.0)
    <Mesh of 8 vertices and 12 faces>
    """
    half = math.radians(degrees) / 2
    return build_mesh(Box([0, 0, 0], [0.5, 0.8, 0.6], [0, 0, math.sin(half), math.cos(half)]))


def build_motion(direction: float, distance: float) -> Translation3d:
    """Return its motion, by degrees from the x axis."""
    a = math.radians(direction)
    return Translation3d([distance * math.cos(a), distance * math.sin(a), 0.0])


def draw_scopes(body: Mesh, motion: Translation3d, pixels: int) -> Scopes:
    """RADAR's three images."""
    return Scopes.draw(body, motion, Meshes(TARGETS), pixels=pixels)


@functools.cache
def simulate_thing(thing: str) -> Grasp:
    """A hand grasps a thing.

    >>> simulate_thing("rod").ended
    'all hands have closed'
    """
    return simulate_grasp(build_human_hand(), THINGS[thing](), place_one_hand(distance=500.0))


def to_stage(points: Floats) -> Floats:
    """Convert points of the grasp to the stage."""
    return _PLACE + _UNIT * points[:, [2, 0, 1]]


def render_scope(depth: Floats, max_depth: float) -> Any:
    """A scope as an image (rows, columns, 3): near is bright, nothing is blue; rows go up."""
    share = np.nan_to_num(np.clip(depth / max_depth, 0, 1))
    grey = (255 * (1 - 0.85 * share)).astype(np.uint8)
    image = np.repeat(grey[..., None], 3, axis=2)
    image[np.isnan(depth) | (depth >= max_depth)] = (60, 90, 150)
    factor = max(1, 160 // len(depth))
    return image[::-1].repeat(factor, axis=0).repeat(factor, axis=1)


class Gallery(RedrawnPage):
    """The page. Every control requests a new picture from one worker, which skips outdated values."""

    def __init__(self, server: Any) -> None:
        self._server, gui = server, server.gui
        gui.set_panel_label("ougi: RADAR")
        self._text = gui.add_html("")
        self._what = gui.add_dropdown("show", (FLIGHT, GRASP), initial_value=FLIGHT)
        self._sliders = {
            "share": gui.add_slider("moved", 0.0, 1.0, 0.01, 0.0),
            "direction": gui.add_slider("direction °", -60.0, 60.0, 1.0, 0.0),
            "turned": gui.add_slider("turned °", -90.0, 90.0, 1.0, 20.0),
            "distance": gui.add_slider("distance", 0.5, 6.0, 0.1, 4.0),
            "pixels": gui.add_slider("pixels", 4.0, 80.0, 1.0, 25.0),
        }
        self._thing = gui.add_dropdown("thing", tuple(THINGS), initial_value="ball", visible=False)
        blank = np.zeros((160, 160, 3), np.uint8)
        self._images = [
            gui.add_image(blank, label=label, format="png")
            for label in ("range R", "mask M", "look-at L = R + M - d")
        ]
        server.initial_camera.position, server.initial_camera.look_at = (-1.0, -3.6, 2.6), (1.2, 0.0, 0.4)
        self._shown, self._handles = "", dict[str, Any]()
        self._start((self._what, self._thing, *self._sliders.values()))

    def record(self, path: Path) -> Path:
        """Write a recording of the grasp."""
        self._work.wait_idle()
        self._what.value, self._thing.value = GRASP, "ball"

        def show(share: float) -> None:
            self._sliders["share"].value = share
            self.draw()

        return write_recording(
            self._server, np.linspace(0, 1, 61), 5.0, show, "<b>ougi: RADAR, a grasp</b>", path
        )

    def draw(self) -> None:
        """Draw the scene and the images as they are set."""
        with self._lock, self._server.atomic():
            what = self._what.value
            value = {name: float(slider.value) for name, slider in self._sliders.items()}
            if self._shown != what:
                for handle in self._handles.values():
                    handle.remove()
                self._handles, self._shown = {}, what
            self._text.content = (
                self._show_flight(**value) if what == FLIGHT else self._show_grasp(value["share"])
            )
            for flying in (*self._images, *list(self._sliders.values())[1:]):
                flying.visible = what == FLIGHT
            self._thing.visible = what == GRASP

    def _show_flight(
        self, share: float, direction: float, turned: float, distance: float, pixels: float
    ) -> str:
        body, motion = build_sensor(turned), build_motion(direction, distance)
        found, images = collide(body, motion, TARGETS), draw_scopes(body, motion, int(pixels))
        for k, target in enumerate(TARGETS):
            self._add_mesh(f"target {k}", target, RED if found.hit and found.body == k else BLUE)
        # As far as it can go.
        there = min(share, float(found.t)) if found.hit else share
        self._add_mesh("sensor", body.transformed(motion.at(there)), BODY)
        at = found.point if found.hit else np.zeros(3)
        self._handles["contact"] = self._server.scene.add_icosphere(
            "/contact", 0.05, parse_color(FAN), position=at, visible=bool(found.hit)
        )
        for handle, scope in zip(self._images, (images.range, images.mask, images.look_at), strict=True):
            handle.image = render_scope(scope, images.depth)
        exact = f"{float(found.distance):.6f}" if found.hit else "no contact"
        by_images = f"{images.distance:.4f}" if images.distance <= distance else "no contact"
        return (
            f'<div id="ougi-radar" data-exact="{float(found.distance)!r}" style="padding:0.4em 0.8em">'
            f"free distance: <b>{exact}</b><br>"
            f"as published, by {pixels:g} × {pixels:g} pixels: {by_images}</div>"
        )

    def _show_grasp(self, share: float) -> str:
        run = simulate_thing(str(self._thing.value))
        frame = round(share * (len(run.frames) - 1))
        for k, (body, color) in enumerate(list_bodies(run, frame)):
            self._add_mesh(f"body {k}", Mesh._from_arrays(to_stage(body.vertices), body.faces), color)
        lines = [event.text for event in run.events if event.frame <= frame][-4:]
        stopped = {event.finger for event in run.events if event.what == "stopped" and event.frame <= frame}
        return (
            f'<div id="ougi-radar" data-touching="{len(stopped)}" style="padding:0.4em 0.8em">'
            f"frame {frame}, {run.frames[frame].phases[0]}, {run.frames[frame].detections} radars; drag "
            f"<i>moved</i><br><small>{'<br>'.join(lines)}</small></div>"
        )

    def _add_mesh(self, name: str, body: Mesh, color: str) -> None:
        self._handles[name] = self._server.scene.add_mesh_simple(
            f"/{name}",
            body.vertices,
            body.faces,
            color=parse_color(color),
            flat_shading=True,
            side="double",
            cast_shadow=False,
            receive_shadow=False,
        )
