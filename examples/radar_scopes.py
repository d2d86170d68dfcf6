"""A probe drifts towards an asteroid with a ring around it. How far can it go, and what will it touch?

RADAR computes this from depth images: one of the scene ahead, one of the probe's front, and their sum less
the depth of the volume, the free distance in each pixel. Its result depends on the number of pixels. The
exact radar uses the images only to find the few triangles that matter, so its result does not.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import ougi
from ougi.plot import RED, Camera, Picture
from ougi.radar import Meshes, Scopes, collide
from ougi_lab.scenes.meshes import make_angle_iron, make_sphere, make_torus, move_mesh

TILT = np.array([[0.8, 0.0, 0.6], [0.0, 1.0, 0.0], [-0.6, 0.0, 0.8]])
LEAN = np.array([[0.96, 0.0, 0.28], [0.0, 1.0, 0.0], [-0.28, 0.0, 0.96]])
PROBE = move_mesh(make_angle_iron((2.4, 2.4, 1.0), 0.35), LEAN, np.zeros(3))
ASTEROID = move_mesh(make_sphere(48, 24, 1.0, bumps=0.25), np.eye(3), np.array([0.3, 0.2, 5.0]))
RING = move_mesh(make_torus(48, 12, 1.7, 0.12), TILT, np.array([0.3, 0.2, 5.0]))
SCENE = Meshes([ASTEROID, RING], bodies=[1, 2])
NAMES = {1: "the asteroid", 2: "the ring"}
DRIFT = ougi.Translation3d([0.0, 0.0, 6.0])
PIXELS = 40
KINDS = ("", "its corner meets a face", "its face meets a corner", "edge meets edge")


def main(path: Path) -> None:
    exact = collide(PROBE, DRIFT, SCENE)
    print(f"the probe drifts {exact.distance:.6f} m, then touches {NAMES[int(exact.body)]}")
    x, y, z = exact.point
    print(f"at ({x:+.4f}, {y:+.4f}, {z:+.4f}): {KINDS[exact.kind]}")
    for pixels in (8, 16, 32, 64):
        bracket = collide(PROBE, DRIFT, SCENE, method="bracket", pixels=pixels)
        published = collide(PROBE, DRIFT, SCENE, method="published", pixels=pixels)
        low, high = 6.0 * bracket.lower, 6.0 * bracket.upper
        print(f"{pixels:2} pixels: between {low:.4f} and {high:.4f}; RADAR finds {published.distance:.4f}")
    print(f"picture: {draw(exact, path)}")


def draw(exact: Any, path: Path) -> Path:
    """Draw the probe at both ends of its drift, and the three images."""
    seen = Scopes.draw(PROBE, DRIFT, SCENE, pixels=PIXELS)
    picture = Picture("A probe drifts towards an asteroid: what its radar sees", size=(3.5, 4.0))
    panel = picture.space("start and first contact", camera=Camera(azimuth=-25, elevation=20))
    panel.draw(ASTEROID, color="tan")
    panel.draw(RING, color="steelblue")
    panel.draw(PROBE, color="gray", alpha=0.5)
    panel.draw(PROBE.transformed(DRIFT.at(float(exact.t))), color=RED, alpha=0.6)
    shown = {
        "range R: what lies ahead": np.where(seen.ids >= 0, seen.range, np.nan),
        "mask M: the probe's front": np.where(seen.mask < seen.depth, seen.mask, np.nan),
        "look-at L = R + M − d: free distance": seen.look_at,
    }
    for caption, image in shown.items():
        _draw_image(picture, caption, image, seen, exact)
    return picture.save(path)


def _draw_image(picture: Picture, caption: str, image: Any, seen: Scopes, exact: Any) -> None:
    """Draw one image; near is dark, nothing is white, and a cross marks the exact contact."""
    panel = picture.plane(caption)
    u, v, width, height = seen.window[:4]
    drawn = panel.axes.imshow(
        image,
        origin="lower",
        extent=(u, u + width, v, v + height),
        cmap="viridis",
        interpolation="nearest",
        zorder=2,
    )
    bar = panel.axes.figure.colorbar(drawn, ax=panel.axes, shrink=0.6, label="m", pad=0.02)
    bar.ax.tick_params(labelsize=7)
    across, up = (exact.point - seen.frame[:3]) @ seen.frame[3:9].reshape((2, 3)).T
    panel.axes.plot(across, up, "x", color=RED, markersize=9, markeredgewidth=2, zorder=3)
    panel.include(ougi.Aabb2d([u, v], [u + width, v + height]))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/radar_scopes.png"))
