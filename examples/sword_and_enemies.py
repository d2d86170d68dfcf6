"""A sword fight at 30 frames per second: in each of three the blade turns by 170 degrees.

Which enemies are hit? An animation gives the sword's pose once per frame. A test of the drawn poses finds
almost no hit. The motion between two poses finds all of them, with frame, time and point, each enemy once.
"""

from __future__ import annotations

import math
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

import ougi
from ougi.plot import ABOVE, FAN, Picture

FPS = 30
# The blade in the hand's frame, 1.1 m long; the hand is at shoulder height.
BLADE = ougi.Box(center=[0.85, 0, 0], size=[1.1, 0.05, 0.012])
HAND = [0.0, 0.0, 1.3]


def build_pose(yaw: float, pitch: float) -> ougi.Pose:
    """Build the pose of the hand, turned by yaw about the vertical and by pitch upward, in degrees."""
    c, s = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
    k, m = math.cos(math.radians(pitch)), math.sin(math.radians(pitch))
    return ougi.Pose(HAND, [[c * k, -s, -c * m], [s * k, c, -s * m], [m, 0, k]])


# High from right to left, a slash back downward, and half round behind the hero.
POSES = [build_pose(-116, 18), build_pose(54, 18), build_pose(-116, -20), build_pose(-281, -5)]
MOTIONS = [ougi.between(a, b) for a, b in pairwise(POSES)]


def build_enemies() -> ougi.Capsule3d:
    """Build twenty-four enemies around the hero, 1.4 to 1.9 m tall and 0.4 m thick."""
    rng = np.random.default_rng(7)
    angle = np.linspace(0, 2 * math.pi, 24, endpoint=False)
    away = np.tile([0.9, 1.85, 1.3], 8)
    feet = np.stack([away * np.cos(angle), away * np.sin(angle), np.full(24, 0.2)], axis=-1)
    heads = feet + rng.uniform(1.0, 1.5, 24)[:, None] * [0, 0, 1]
    return ougi.Capsule3d(feet, heads, 0.2)


def main(path: Path) -> None:
    enemies = build_enemies()
    drawn = [BLADE.transformed(p) for p in POSES]
    naive = np.any([ougi.intersects(blade, enemies) for blade in drawn], axis=0)
    first = ougi.predict(drawn[0], MOTIONS, enemies)

    print(f"{len(enemies)} enemies; the blade as drawn hits {naive.sum()}, its motion {first.hit.sum()}")
    for frame, motion in enumerate(MOTIONS):
        assert isinstance(motion, ougi.Screw3d)  # in space every motion between two poses is a screw
        print(f"frame {frame}: the blade turns by {math.degrees(motion.angle):.0f} degrees")
        hit = np.flatnonzero(first.frame == frame)
        for i in hit[np.argsort(first.t[hit])]:
            ms = 1000 * (frame + first.t[i]) / FPS
            height = first.point[i, 2]
            print(f"  enemy {i:2}  t = {first.t[i]:.4f} ({ms:5.1f} ms)  at a height of {height:.2f} m")
    print(f"picture: {draw(enemies, first, path)}")


def draw(enemies: ougi.Capsule3d, first: ougi.Prediction, path: Path) -> Path:
    """Draw one panel per frame: the enemies that this frame hits, and those that still stand."""
    picture = Picture("A sword at 30 fps, seen from above: about 170° in each frame", size=(4.4, 4.7))
    blade, standing = BLADE.transformed(POSES[0]), np.ones(len(enemies), np.bool_)
    for frame, motion in enumerate(MOTIONS):
        now = first.frame == frame
        panel = picture.space(f"frame {frame}: {now.sum()} hit, with times", camera=ABOVE)
        panel.include(enemies)
        panel.motion(blade, motion, poses=0, color=FAN, label="blade at start and end")
        panel.draw(enemies[standing], hit=now[standing], label=("hit in this frame", "still standing"))
        for i in np.flatnonzero(now):
            panel.note(enemies[i].end, f"{first.t[i]:.2f}", color="white", shift=(0, 0))
        blade, standing = blade.transformed(motion), standing & ~now
    return picture.save(path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/sword_and_enemies.png"))
