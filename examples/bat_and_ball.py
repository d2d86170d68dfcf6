"""A bat turns 170 degrees in one frame. Which balls does it hit, when and where?

The bat's start and end pose touch none of them, so a test once per frame finds no hit. This file prints the
exact result and draws it to out/bat_and_ball.png.
"""

from __future__ import annotations

import sys
from pathlib import Path

import ougi
from ougi.plot import ABOVE, BLUE, RED, Picture

BAT = ougi.Box(center=[0.6, 0, 0], size=[0.8, 0.06, 0.06])
SWING = ougi.Rotation3d(center=[0, 0, 0], axis=[0, 0, 1], angle=170, degrees=True)
BALLS = ougi.Sphere([[0, 0.7, 0], [-0.7, 0.4, 0], [0, -0.7, 0], [0.1, 0.05, 0], [0.75, 0.8, 0]], 0.04)


def main(path: Path) -> None:
    # A test once per frame: two poses.
    seen = ougi.intersects(BAT, BALLS) | ougi.intersects(BAT.transformed(SWING), BALLS)
    # The first contact during the whole swing.
    first = ougi.time_of_impact(BAT, SWING, BALLS)

    print("ball            once per frame   ougi")
    for i, ball in enumerate(BALLS):
        x, y, _ = ball.center
        poses = "hit" if seen[i] else "passes through" if first.hit[i] else "free"
        exact = "free, certified"
        if first.hit[i]:
            px, py, _ = first.point[i]
            exact = f"hit at t = {first.t[i]:.6f}, at ({px:+.4f}, {py:+.4f})"
        print(f"({x:+.2f}, {y:+.2f})  {poses:<15}  {exact}")
    print(f"picture: {draw(first, path)}")


def draw(first: ougi.FirstContacts, path: Path) -> Path:
    """Draw the swing from above: the bat at the start, at each contact and at the end, and the balls."""
    picture = Picture("A bat turns 170° in one frame: what does it hit?", size=(7, 5.2))
    panel = picture.space(camera=ABOVE)
    panel.motion(BAT, SWING, poses=0, times=first.t, label="bat at start, contacts and end")
    panel.draw(BALLS, hit=first.hit)
    panel.contacts(first)
    for ball, hit, t in zip(BALLS, first.hit, first.t, strict=True):
        text = f"t = {t:.3f}" if hit else "free"
        panel.note(ball.center, text, color=RED if hit else BLUE, shift=(9, 9))
    return picture.save(path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/bat_and_ball.png"))
