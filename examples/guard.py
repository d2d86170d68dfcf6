"""A guard has a field of view and a halberd. Which characters are seen, which are hit, and when?

Games use sectors for sight and for attacks (FAN sec. 4.4). In the plane a `Sector2d` is the field of view. In
space a `Sector3d` is the arc of the attack; it has a height, so a character that flies above it is safe.
`predict` then returns the frames in which the turning halberd arrives.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

import ougi
from ougi.plot import BODY, FAN, RED, Camera, Picture

FPS = 60
# Name -> where the feet are; Goro flies.
WHERE = {
    "Aiko": [4.3, 1.7, 0],
    "Boris": [1.2, -1, 0],
    "Chloe": [5.5, -2.2, 0],
    "Dana": [-1.5, 1, 0],
    "Emil": [1.9, 1, 0],
    "Fatma": [4.5, 4.2, 0],
    "Goro": [2.1, -0.2, 2],
    "Hana": [0.9, 1.75, 0],
}
NAMES, FEET = list(WHERE), np.array(list(WHERE.values()))
DISCS = ougi.Circle(FEET[:, :2], radius=0.25)
UP = np.array([0.0, 0.0, 1.0])
BODIES = ougi.Capsule3d(FEET + 0.25 * UP, FEET + 1.5 * UP, radius=0.25)

SIGHT = ougi.Sector2d([0, 0], direction=[1, 0.1], half_angle=math.radians(40), inner_radius=0, outer_radius=6)
# The halberd: 0.5 to 2.2 m from the guard, at chest height. It turns by 240 degrees per second.
HALBERD = ougi.Capsule3d([0.27, -0.43, 1.1], [1.17, -1.87, 1.1], radius=0.04)
TURN = ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(240))
FRAMES = 30


def main(path: Path) -> None:
    seen = ougi.intersects(SIGHT, DISCS)
    arc = build_attack_arc()
    reached = ougi.intersects(arc, BODIES)
    first = ougi.predict(HALBERD, TURN, BODIES, frames=FRAMES, dt=1 / FPS)
    print("name   seen  in the arc  halberd arrives")
    for i, name in enumerate(NAMES):
        arrives = "never"
        if first.hit[i]:
            ms = 1000 * (first.frame[i] + first.t[i]) / FPS
            arrives = f"in frame {first.frame[i]:2}, after {ms:.1f} ms"
        print(f"{name:<6} {format_bool(seen[i]):<5} {format_bool(reached[i]):<11} {arrives}")
    print(f"picture: {draw(seen, arc, first, path)}")


def build_attack_arc() -> ougi.Shape:
    """Build the sector that encloses the sweep of the halberd during the coming frames."""
    return ougi.sweep(HALBERD, TURN.scaled(FRAMES / FPS), "sector-enclosing")


def format_bool(value: bool) -> str:
    return "yes" if value else "no"


def draw(seen: npt.NDArray[np.bool_], arc: ougi.Shape, first: ougi.Prediction, path: Path) -> Path:
    """Draw the field of view from above, and the attack in space."""
    picture = Picture("A guard's field of view and the arc of the attack", size=(5.6, 5.0))
    sight = picture.plane("seen: Sector2d and discs")
    sight.draw(SIGHT, color=FAN, alpha=0.3, label="field of view, arc of the attack")
    sight.draw(DISCS, hit=seen, label=("seen, hit", "neither"))
    sight.draw(ougi.Circle([0, 0], 0.25), color=BODY, label="guard, halberd")
    for name, disc in zip(NAMES, DISCS, strict=True):
        sight.note(disc.center, name, shift=(8, -8))
    attack = picture.space("hit: Sector3d, predict", camera=Camera(azimuth=-82, elevation=36))
    near = np.linalg.norm(FEET[:, :2], axis=1) < 5
    attack.draw(arc, color=FAN, alpha=0.45)
    attack.draw(HALBERD, color=BODY)
    attack.draw(ougi.Capsule3d([0, 0, 0.25], [0, 0, 1.5], 0.25), color=BODY)
    attack.draw(BODIES[near], hit=first.hit[near], label=("seen, hit", "neither"))
    for i in np.flatnonzero(near):
        when = f", frame {first.frame[i]}" if first.hit[i] else ""
        attack.note(BODIES.end[i], NAMES[i] + when, color=RED if first.hit[i] else "black", shift=(13, 3))
    return picture.save(path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/guard.png"))
