"""A robot's arm turns about its joint from one pose to another. Which way round is safe?

Both ways lead to the same pose. For each: does the arm touch anything, how far could it go, and does it keep
a clearance of 5 cm? A miss is certified for the whole way, so no sampling of joint angles is needed.
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
WAYS = {
    "left (+150°)": ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(150)),
    "right (-210°)": ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(-210)),
}
OBSTACLES: dict[str, ougi.Shape] = {
    "post": ougi.Capsule3d([0.35, 0.62, 0], [0.35, 0.62, 0.8], 0.06),
    "crate": ougi.Box([-0.45, -0.8, 0.06], [0.4, 0.3, 0.12], [0, 0, math.sin(0.2), math.cos(0.2)]),
    "ball": ougi.Sphere([0.68, -0.9, 0.3], 0.12),
}


def main(path: Path) -> None:
    for name, way in WAYS.items():
        print(f"{name}:")
        touch, near = first(way, margin=0.0), first(way, margin=CLEARANCE)
        if touch:
            angle, part, what = touch
            print(f"  first contact after {angle:.4f}°: the {part} touches the {what}")
        else:
            print("  touches nothing on the whole way, for certain")
        if near:
            angle, part, what = near
            print(f"  keeps 5 cm for {angle:.4f}°, then the {part} comes too near to the {what}")
        else:
            print("  keeps 5 cm on the whole way, for certain")
    for what, obstacle in OBSTACLES.items():
        gap = min(ougi.distance(ARM, obstacle), ougi.distance(TOOL, obstacle))
        print(f"at the start the {what} is {gap:.4f} m away")
    print(f"picture: {draw(path)}")


def first(way: ougi.Rotation3d, margin: float) -> tuple[float, str, str] | None:
    """The first contact, or approach to the margin: after how many degrees, which part, which obstacle."""
    found = []
    for part, body in (("arm", ARM), ("tool", TOOL)):
        for what, obstacle in OBSTACLES.items():
            impact = ougi.time_of_impact(body, way, obstacle, margin=margin)
            if impact.status != 0:  # undecided stops the arm too: up to t it is certainly free
                found.append((float(impact.t) * abs(math.degrees(way.angle)), part, what))
    return min(found, default=None)


def draw(path: Path) -> Path:
    """Each way as far as the arm gets, and what stops it."""
    picture = Picture("An arm turns to the far side: which way round?", size=(5.4, 4.8))
    for name, way in WAYS.items():
        touch = first(way, margin=0.0)
        answer = f"stops after {touch[0]:.1f}°" if touch else "free, and 5 cm to spare"
        panel = picture.space(f"{name}: {answer}", camera=Camera(azimuth=-115, elevation=42))
        angle = math.copysign(math.radians(touch[0]), way.angle) if touch else way.angle
        done = ougi.Rotation3d(way.center, way.axis, angle)
        for part in (ARM, TOOL):
            panel.motion(part, done, poses=7, label="arm and tool", shade=part is TOOL)
        for what, obstacle in OBSTACLES.items():
            panel.draw(obstacle, hit=touch is not None and touch[2] == what, label=("touched", "free"))
    return picture.save(path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/robot_link.png"))
