"""The diagrams of RADAR: view volumes, the three images, the contact, and the radars of a hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi.motion import Translation3d
from ougi.radar import MaskReuse, Scopes
from ougi.shapes import Mesh
from ougi_lab.figures.drawing import (
    DARK,
    FAN,
    FREE,
    HIT,
    PALE,
    Drawing,
    add_panels,
    draw_arrow,
    draw_disc,
    draw_line,
    draw_polygon,
    put_label,
)
from ougi_lab.grasp import build_human_hand
from ougi_lab.grasp.hand import part_name
from ougi_lab.scenes.meshes import make_sphere, make_torus, move_mesh

# RADAR's own numbers, figures 9 and 11.
SEARCH, TARGET, HAND, APPROACH = (2000, 2000, 8000), (300, 500, 800), (400, 400, 30), (440, 440, 1000)


def _draw_volume(axes: Any, width: float, height: float, deep: float) -> None:
    """A view volume in oblique projection: the near face at the left, the depth to the right."""
    near = np.array(
        [(0, 0), (0.35 * width, 0.35 * width), (0.35 * width, 0.35 * width + height), (0, height)]
    )
    far = near + np.array([deep, 0])
    draw_polygon(axes, near, FREE, alpha=0.15)
    draw_polygon(axes, far, FREE, alpha=0.15)
    for a, b in zip(near, far, strict=True):
        draw_line(axes, [a, b], PALE)


def _draw_detection_volume(sheet: Any) -> None:
    (axes,) = add_panels(sheet, ("ws x hs x d, seen in parallel from the prove point",))
    _draw_volume(axes, 2.0, 1.6, 4.2)
    eye = np.array([0.35, 1.15])
    draw_disc(axes, eye, 0.07, HIT)
    put_label(axes, eye, "prove point", -70, 6)
    draw_arrow(axes, eye, eye + np.array([1.3, 0]))
    draw_disc(axes, (3.4, 1.1), 0.45, FREE)
    put_label(axes, (3.4, 1.1), "R < d here", -20, 26)
    draw_arrow(axes, (0, -0.3), (4.2, -0.3), "d", both=True)
    draw_arrow(axes, (-0.3, 0), (-0.3, 1.6), "hs", both=True)
    draw_arrow(axes, (4.3, -0.05), (5.0, 0.65), "ws", both=True)


def _draw_collision_volume(sheet: Any) -> None:
    (axes,) = add_panels(sheet, ("as wide as the sensor, as deep as its length and its move together",))
    _draw_volume(axes, 1.2, 1.2, 4.6)
    draw_polygon(axes, [(0.1, 0.3), (1.0, 0.2), (1.2, 0.9), (0.3, 1.3)], FAN)
    put_label(axes, (0.3, 0.6), "sensor")
    draw_disc(axes, (3.6, 0.8), 0.5, FREE)
    put_label(axes, (3.6, 0.8), "target", -14, -4)
    draw_arrow(axes, (1.2, 0.75), (2.6, 0.75), "move")
    draw_arrow(axes, (0, -0.3), (4.6, -0.3), "d", both=True)


def _build_scopes() -> Scopes:
    """A ring that flies at a ball."""
    ring = move_mesh(make_torus(40, 18, 1.0, 0.4), np.eye(3), np.zeros(3))
    ball = move_mesh(make_sphere(36, 22, 0.9), np.eye(3), np.array([0.5, 0.3, 4.0]))
    return Scopes.draw(ring, Translation3d([0.0, 0.0, 5.0]), ball, pixels=60)


def _draw_scopes(sheet: Any) -> None:
    seen = _build_scopes()
    images = {
        "3: range R (the scene)": seen.range,
        "4: mask M (the sensor)": seen.mask,
        "5: look-at L": seen.look_at,
    }
    for axes, (title, image) in zip(sheet.subplots(1, 3), images.items(), strict=True):
        shown = np.where(np.isfinite(image) & (image < seen.depth), image, np.nan)
        drawn = axes.imshow(shown, origin="lower", cmap="viridis_r")
        sheet.colorbar(drawn, ax=axes, shrink=0.7)
        axes.set_title(title, fontsize=9)
        axes.set_axis_off()


def _draw_contact(sheet: Any) -> None:
    """Pixels that close within the move, the centroid of their hull, and the pixels around a single one."""
    titles = (
        "three or more: the centroid of their hull",
        "two: their middle",
        "one: itself, and its neighbours",
    )
    cases = ([(1, 1), (2, 1), (3, 2), (2, 3), (1, 2), (2, 2)], [(1, 2), (3, 2)], [(2, 2)])
    for axes, title, pixels in zip(add_panels(sheet, titles), titles, cases, strict=True):
        for x in range(5):
            for y in range(5):
                is_near = len(pixels) == 1 and max(abs(x - 2), abs(y - 2)) == 1
                color = HIT if (x, y) in pixels else FAN if is_near else "none"
                draw_polygon(axes, [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)], color, lw=0.6)
        middle = np.mean(pixels, axis=0) + 0.5
        draw_disc(axes, middle, 0.12, DARK, alpha=1.0)
        draw_arrow(axes, middle, middle + np.array([0.9, 1.2]), "n")
        axes.set_title(title, fontsize=9)


def _draw_search(sheet: Any) -> None:
    (axes,) = add_panels(sheet, ("volume 2000 x 2000 x 8000, target 300 x 500 x 800, hand 400 x 400 x 30",))
    _draw_volume(axes, *SEARCH)
    _draw_block(axes, (5200, 1100), TARGET, FREE)
    _draw_block(axes, (150, 900), HAND, HIT)


def _draw_block(axes: Any, place: tuple[float, float], size: tuple[float, float, float], color: str) -> None:
    width, height, deep = size
    x, y = place
    shift = 0.35 * width
    draw_polygon(axes, [(x, y), (x + deep, y), (x + deep, y + height), (x, y + height)], color)
    top = np.array([(x, y), (x + shift, y + shift), (x + deep + shift, y + shift), (x + deep, y)])
    draw_polygon(axes, top + np.array([0, height]), color, alpha=0.3)


def _build_hand_mesh() -> Mesh:
    """All parts of a hand as one mesh, its palm towards z."""
    hand = build_human_hand()
    turn, shift = hand.place_parts(np.eye(3)[None], np.zeros((1, 3)), hand.angles[None])
    parts = hand.place_meshes(turn, shift)[0]
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    faces = np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=False)])
    return Mesh(np.concatenate([part.vertices for part in parts]), faces)


def measure_masks(pixels: int = 100) -> list[tuple[float, float, Any]]:
    """Width and height of the view volume before and after the mask was read (RADAR 3.3), and the masks.

    The first image is as large as the search volume. The second is as large as the hand in the first.
    """
    hand = _build_hand_mesh()
    far = move_mesh(make_sphere(12, 8, 50.0), np.eye(3), np.array([0.0, 0.0, 900.0]))
    reuse = MaskReuse(hand, max_size=SEARCH[:2], pixels=pixels)
    found = []
    for _ in range(2):
        seen = reuse.draw(Translation3d([0.0, 0.0, 1000.0]), far)
        found.append((float(seen.window[2]), float(seen.window[3]), seen.mask))
    return found


def _draw_masks(sheet: Any) -> None:
    for axes, (width, height, mask) in zip(sheet.subplots(1, 2), measure_masks(), strict=True):
        is_hand = np.isfinite(mask) & (mask < np.nanmax(np.where(np.isfinite(mask), mask, np.nan)))
        axes.imshow(is_hand, origin="lower", cmap="Greys")
        axes.set_title(f"view volume {width:.0f} x {height:.0f}", fontsize=9)
        axes.set_xticks([])
        axes.set_yticks([])


def _draw_approach(sheet: Any) -> None:
    width, height, _ = measure_masks()[1]
    (axes,) = add_panels(
        sheet, (f"as large as the mask: {width:.0f} x {height:.0f} x 1000 (RADAR: 440 x 440 x 1000)",)
    )
    _draw_volume(axes, width, height, APPROACH[2])
    _draw_block(axes, (20, 20), (0.9 * width, 0.9 * height, HAND[2]), HIT)
    _draw_block(axes, (760, -20), TARGET, FREE)


def _draw_hand_radars(sheet: Any) -> None:
    """What the 17 radars of a hand cover: all of it, the four fingers, and the 15 parts of fingers."""
    hand = build_human_hand()
    turn, shift = hand.place_parts(np.eye(3)[None], np.zeros((1, 3)), hand.angles[None])
    parts = hand.place_meshes(turn, shift)[0]
    groups = {
        "the whole hand: 1": range(16),
        "four fingers: 1": [k for k in range(1, 16) if "thumb" not in part_name(k)],
        "whole fingers: 5 x 3": range(1, 16),
        "without their first parts": [k for k in range(1, 16) if (k - 1) % 3 > 0],
        "tips": [k for k in range(1, 16) if (k - 1) % 3 == 2],
    }
    for axes, (title, chosen) in zip(add_panels(sheet, list(groups)), groups.items(), strict=True):
        for k, part in enumerate(parts):
            hull = part.vertices[:, :2]
            draw_disc(axes, hull.mean(axis=0), 0.0)
            _fill_hull(axes, hull, HIT if k in set(chosen) else PALE)
        axes.set_title(title, fontsize=8)


def _fill_hull(axes: Any, points: Any, color: str) -> None:
    from scipy.spatial import ConvexHull

    draw_polygon(axes, points[ConvexHull(points).vertices], color, lw=0.6)


FIGURES = {
    "radar-1": Drawing("RADAR figure 1: the view volume of object detection", _draw_detection_volume),
    "radar-2": Drawing("RADAR figure 2: the view volume of collision detection", _draw_collision_volume),
    "radar-3": Drawing("RADAR figures 3 to 5: range, mask and look-at images", _draw_scopes, (8.4, 3.0)),
    "radar-6": Drawing("RADAR figure 6: centre and normal of a contact", _draw_contact, (8.0, 3.4)),
    "radar-9": Drawing("RADAR figure 9: the view volume of the search", _draw_search, (7.4, 3.0)),
    "radar-10": Drawing("RADAR figure 10: the view volume is sized by the mask", _draw_masks, (6.4, 3.4)),
    "radar-11": Drawing("RADAR figure 11: the view volume of the approach", _draw_approach, (6.4, 3.4)),
    "radar-12": Drawing(
        "RADAR figure 12: the 17 radars of a hand, red where they are", _draw_hand_radars, (9.6, 2.8)
    ),
}
