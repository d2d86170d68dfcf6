"""A robot's arm turns about its joint from one pose to another. Which direction is safe?

Both directions lead to the same pose. For each: does the arm touch anything, how far can it turn, and does it
keep a clearance of 5 cm? A miss is certified for the whole turn, so no joint angles are sampled.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import ougi
from ougi.plot import Camera, Picture

CLEARANCE = 0.05  # m
# The joint is at the origin, its axis vertical. The arm is a box, the tool at its end a capsule that hangs.
ARM = ougi.Box(center=[0.45, 0, 0.5], size=[0.9, 0.12, 0.1])
TOOL = ougi.Capsule3d(start=[0.9, 0, 0.5], end=[0.9, 0, 0.25], radius=0.05)
TURNS = {
    "left (+150°)": ougi.Rotation3d([0, 0, 0], [0, 0, 1], 150, degrees=True),
    "right (-210°)": ougi.Rotation3d([0, 0, 0], [0, 0, 1], -210, degrees=True),
}
OBSTACLES: dict[str, ougi.Shape] = {
    "post": ougi.Capsule3d([0.35, 0.62, 0], [0.35, 0.62, 0.8], 0.06),
    "crate": ougi.Box([-0.45, -0.8, 0.06], [0.4, 0.3, 0.12], [0, 0, math.sin(0.2), math.cos(0.2)]),
    "ball": ougi.Sphere([0.68, -0.9, 0.3], 0.12),
}


def main(path: Path) -> None:
    for name, turn in TURNS.items():
        print(f"{name}:")
        touch, near = find_first(turn, 0.0), find_first(turn, CLEARANCE)
        if touch:
            angle, part, what = touch
            print(f"  first contact after {angle:.4f}°: the {part} touches the {what}")
        else:
            print("  certified: touches nothing")
        if near:
            angle, part, what = near
            print(f"  keeps 5 cm for {angle:.4f}°, then the {part} comes too near to the {what}")
        else:
            print("  certified: keeps 5 cm")
    for what, obstacle in OBSTACLES.items():
        gap = min(ougi.distance(ARM, obstacle), ougi.distance(TOOL, obstacle))
        print(f"at the start the {what} is {gap:.4f} m away")
    print(f"picture: {draw(path)}")


def find_first(turn: ougi.Rotation3d, margin: float) -> tuple[float, str, str] | None:
    """Find the first contact, or the first gap below the margin: degrees, part and obstacle."""
    found = []
    for part, body in (("arm", ARM), ("tool", TOOL)):
        for what, obstacle in OBSTACLES.items():
            contact = ougi.time_of_impact(body, turn, obstacle, margin=margin)
            if contact.status != ougi.Status.FREE:  # undecided stops the arm too: it is free up to t
                found.append((float(contact.t) * abs(math.degrees(turn.angle)), part, what))
    return min(found, default=None)


def draw(path: Path) -> Path:
    """Draw each turn as far as the arm gets, and what stops it."""
    picture = Picture("An arm turns to the far side: in which direction?", size=(5.4, 4.8))
    for name, turn in TURNS.items():
        touch = find_first(turn, margin=0.0)
        result = f"stops after {touch[0]:.1f}°" if touch else "free, and 5 cm to spare"
        panel = picture.space(f"{name}: {result}", camera=Camera(azimuth=-115, elevation=42))
        angle = math.copysign(math.radians(touch[0]), turn.angle) if touch else turn.angle
        done = ougi.Rotation3d(turn.center, turn.axis, angle)
        for part in (ARM, TOOL):
            panel.motion(part, done, poses=7, label="arm and tool", shade=part is TOOL)
        for what, obstacle in OBSTACLES.items():
            panel.draw(obstacle, hit=touch is not None and touch[2] == what, label=("touched", "free"))
    return picture.save(path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/robot_link.png"))
