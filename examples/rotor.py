"""A rotor turns five times within one frame while balls fall through its disc. Which get through?

The blade turns about its own middle by 1800 degrees while the balls move. Slow balls are always hit, fast
ones may pass between two passes of the blade. Substeps find a part of the hits, without their times.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

import ougi
from ougi.plot import BODY, FAN, GREY, RED, Camera, Picture

TURNS = 5
BLADE = ougi.Box(center=[0, 0, 0], size=[2.4, 0.14, 0.03])
SPIN = ougi.Rotation3d(center=[0, 0, 0], axis=[0, 0, 1], angle=2 * math.pi * TURNS)
# Twelve balls above the disc, on a circle; each falls faster than the one before it.
ANGLE = np.linspace(0, 2 * math.pi, 12, endpoint=False)
BALLS = ougi.Sphere(np.stack([0.95 * np.cos(ANGLE), 0.95 * np.sin(ANGLE), np.full(12, 0.45)], axis=-1), 0.06)
FALL = ougi.Translation3d(np.linspace(0.6, 6.0, 12)[:, None] * [0, 0, -1.0])


def main(path: Path) -> None:
    first = ougi.time_of_impact(BLADE, SPIN, BALLS, FALL)
    stepped = find_by_substeps(8)
    print(f"{first.hit.sum()} of {len(BALLS)} balls are hit; 8 substeps per frame find {stepped.sum()}")
    print("ball  falls    result")
    for i, (hit, t) in enumerate(zip(first.hit, first.t, strict=True)):
        result = "gets through, certified"
        if hit:
            result = f"hit at t = {t:.6f}, in turn {int(t * TURNS) + 1} at {t * TURNS % 1 * 360:5.1f}°"
            result += "" if stepped[i] else ", unseen by substeps"
        print(f"{i:4}  {-FALL.offset[i, 2]:.2f} m   {result}")
    print(f"picture: {draw(first, path)}")


def find_by_substeps(count: int) -> npt.NDArray[np.bool_]:
    """Find the balls that the blade overlaps at one of the given number of moments."""
    times = np.linspace(0, 1, count + 1)
    blades = BLADE.transformed(SPIN.at(times))
    balls = BALLS.transformed(FALL.at(times[:, None]))
    return np.asarray(ougi.intersects(blades[:, None], balls).any(axis=0))


def draw(first: ougi.FirstContacts, path: Path) -> Path:
    """Draw the disc of the rotor, the paths of the balls, and where each ball ends."""
    picture = Picture("Five turns in one frame: which balls get through?", size=(7.4, 4.6))
    panel = picture.space(camera=Camera(azimuth=-62, elevation=24))
    panel.draw(ougi.sweep(BLADE, SPIN, "sector-enclosing"), color=FAN, alpha=0.16, label="disc of the rotor")
    panel.draw(BLADE, color=BODY, label="blade at start and end")
    blades = BLADE.transformed(SPIN.at(first.t[first.hit]))
    panel.draw(blades, color=GREY, alpha=0.2, label="at the contacts")
    # The fast ones leave the picture: shown where they have just passed.
    shown = np.where(first.hit, first.t, np.minimum(1.0, -0.95 / FALL.offset[:, 2]))
    ends = BALLS.transformed(FALL.at(shown))
    panel.draw(ougi.Segment3d(BALLS.center, ends.center), hit=first.hit, label=("hit", "gets through"))
    panel.draw(ends, hit=first.hit, label=("hit", "gets through"))
    for end, t in zip(ends[first.hit], first.t[first.hit], strict=True):
        panel.note(end.center, f"{t:.2f}", color=RED, shift=(8, -8))
    return picture.save(path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/rotor.png"))
