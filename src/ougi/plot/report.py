"""A report as a picture: where the bodies start, how they move, and where they touch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ougi._typing import DynamicBatch, Floats
from ougi.checks.report import Report
from ougi.plot import ABOVE, BLUE, BODY, RED, Camera, Panel, Picture
from ougi.scene import Body, Scene
from ougi.shapes import Aabb2d, Aabb3d, HalfSpace, Mesh, Shape

_MAX_BODIES = 300  # bodies drawn; those that touch come first
_GHOSTS = 7  # poses between start and end
_NOTES = 12  # contacts whose time is written beside them
_FACES = 4_000  # meshes beyond this are drawn by their bounds: painting is slow

# A scene whose height is a smaller share of its width is seen from above.
_FLAT = 0.2

_MOVING = "moves: start, contacts and end"


def draw(report: Report, title: str, path: Path) -> Path:
    """Save a picture of the scene; the path."""
    return build_picture(report, title).save(path)


def build_picture(report: Report, title: str) -> Picture:
    """A picture of the scene, in space from two sides."""
    scene = report.scene
    shown = _choose_bodies(report)
    picture = Picture(title, size=(7.0, 5.6))
    if scene.dimension == 2:
        panels: list[Panel] = [picture.plane()]
    else:
        panels = [picture.space(camera=camera) for camera in _choose_cameras(scene, shown)]
    for panel in panels:
        _draw_scene(panel, report, shown)
    if len(shown) < len(scene.bodies):
        panels[0].axes.set_title(f"{len(shown)} of {len(scene.bodies):,} bodies", fontsize=9)
    return picture


def _draw_scene(panel: Panel, report: Report, shown: list[int]) -> None:
    scene, contacts = report.scene, report.contacts
    touched = set(contacts.pair.ravel().tolist())
    for i in shown:
        times = contacts.time[(contacts.pair == i).any(axis=1)]
        _draw_body(panel, scene.bodies[i], i in touched, np.unique(times), scene.duration)
    panel.contacts(contacts)
    _draw_notes(panel, report)


def _choose_bodies(report: Report) -> list[int]:
    """Which bodies to draw: those that touch, that nearly do, that move, then the others."""
    bodies = report.scene.bodies
    first = [*report.contacts.pair.ravel().tolist(), *report.near.pair.ravel().tolist()]
    moving = [i for i, body in enumerate(bodies) if body.moves]
    return sorted(list(dict.fromkeys([*first, *moving, *range(len(bodies))]))[:_MAX_BODIES])


def _choose_cameras(scene: Scene, shown: list[int]) -> list[Camera]:
    """From where a scene is seen: a flat one from above alone, for what is near may hide what matters."""
    above = replace(ABOVE, up=scene.up)
    shapes = [scene.bodies[i].shape for i in shown]
    boxes = [shape.bounds() for shape in shapes if not isinstance(shape, HalfSpace)]
    if not boxes:
        return [above]
    size: Floats = np.max([box.upper for box in boxes], axis=0) - np.min([box.lower for box in boxes], axis=0)
    height = "xyz".index(scene.up)
    return [above] if size[height] <= _FLAT * np.delete(size, height).max() else [Camera(up=scene.up), above]


def _draw_body(panel: Panel, body: Body, hit: bool, times: Floats, duration: float) -> None:
    """A body at rest in full; a moving one at its start, its contacts and its end, with ghosts between."""
    shape = _simplify_shape(body.shape)
    if not body.moves:
        panel.draw(shape, color=RED if hit else BLUE, alpha=_alpha(panel), label="touched" if hit else "free")
        return
    for t in np.linspace(0, duration, _GHOSTS + 2)[1:-1]:
        panel.draw(shape.transformed(body.at(float(t))), color=BODY, alpha=0.08, edges=panel.dimension == 2)
    for t in (duration, *times[:_NOTES].tolist(), 0.0):
        panel.draw(shape.transformed(body.at(t)), color=BODY, alpha=_alpha(panel), label=_MOVING)
    middle = shape.bounding_sphere().center
    path = [body.at(float(t)).apply(middle) for t in np.linspace(0, duration, 120)]
    panel.path(path, color=BODY, width=0.7, dashed=True)


def _alpha(panel: Panel) -> float:
    return 0.55 if panel.dimension == 2 else 1.0


def _simplify_shape(shape: DynamicBatch) -> Shape:
    """A shape that can be turned and drawn in a moment."""
    if isinstance(shape, Mesh) and len(shape.faces) > _FACES:
        shape = shape.bounds()
    return shape._turnable() if isinstance(shape, Aabb2d | Aabb3d) else shape


def _draw_notes(panel: Panel, report: Report) -> None:
    """Times beside the first contacts; near misses as open rings in words."""
    for contacts, color, word in ((report.contacts, RED, ""), (report.near, BLUE, "near, ")):
        known = np.flatnonzero(np.isfinite(contacts.point).all(axis=1))
        for k in known[:_NOTES]:
            panel.note(contacts.point[k], f"{word}{contacts.time[k]:.4g} s", color=color, shift=(9, 9))
