"""A bat turns 170 degrees in one frame. Which balls does it hit, when and where?

The bat's start and end pose touch none of them: a test once per frame lets every ball pass through. Run this
file to see the exact answer, and out/bat_and_ball.png for a picture of it.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import ougi

BAT = ougi.Box(center=[0.6, 0, 0], size=[0.8, 0.06, 0.06])
SWING = ougi.Rotation3d(center=[0, 0, 0], axis=[0, 0, 1], angle=math.radians(170))
BALLS = ougi.Sphere([[0, 0.7, 0], [-0.7, 0.4, 0], [0, -0.7, 0], [0.1, 0.05, 0], [0.75, 0.8, 0]], 0.04)


def main() -> None:
    start = ougi.intersects(BAT, BALLS)
    end = ougi.intersects(BAT.transformed(SWING), BALLS)
    impact = ougi.time_of_impact(BAT, SWING, BALLS)
    print("ball            once per frame   ougi")
    for i, ball in enumerate(BALLS):
        x, y, _ = ball.center
        seen = "hit" if start[i] or end[i] else "passes through" if impact.hit[i] else "free"
        if impact.hit[i]:
            px, py, _ = impact.point[i]
            exact = f"hit at t = {impact.t[i]:.6f}, at ({px:+.4f}, {py:+.4f})"
        else:
            exact = "free, for certain"
        print(f"({x:+.2f}, {y:+.2f})  {seen:<15}  {exact}")
    picture = Path("out/bat_and_ball.png")
    draw(impact, picture)
    print(f"picture: {picture}")


def draw(impact: ougi.Impact, path: Path) -> None:
    """The swing from above: the bat at the start, at each contact and at the end, and the balls."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.patches import Circle, Polygon

    figure, axes = plt.subplots(figsize=(7, 5.5), layout="constrained")
    corners = np.array([[0.2, -0.03, 0], [1.0, -0.03, 0], [1.0, 0.03, 0], [0.2, 0.03, 0]])
    for t in np.linspace(0, 1, 60):
        axes.add_patch(Polygon(SWING.at(t).apply(corners)[:, :2], color="#d9d9d9", lw=0))
    hits = impact.t[impact.hit]
    for t in (0.0, *hits, 1.0):
        axes.add_patch(Polygon(SWING.at(t).apply(corners)[:, :2], fill=False, ec="black", lw=1.2))
    for ball, hit, t, point, normal in zip(
        BALLS, impact.hit, impact.t, impact.point, impact.normal, strict=True
    ):
        center = (float(ball.center[0]), float(ball.center[1]))
        color = "#c1272d" if hit else "#0072b2"
        axes.add_patch(Circle(center, float(ball.radius), fc=color, ec="black" if hit else color, lw=1.5))
        text = f"t = {t:.3f}" if hit else "free"
        axes.annotate(text, center, xytext=(10, 10), textcoords="offset points", color=color, fontsize=10)
        if hit:
            axes.annotate(
                "",
                xy=tuple(point[:2] + 0.18 * normal[:2]),
                xytext=tuple(point[:2]),
                arrowprops={"arrowstyle": "->", "color": "black"},
            )
    axes.plot(0, 0, "k+", ms=10)
    axes.set(xlim=(-1.15, 1.25), ylim=(-0.85, 1.1), aspect="equal", xlabel="x (m)", ylabel="y (m)")
    axes.set_title("A bat turns 170° in one frame: what it hits (red), and what not (blue)")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    plt.close(figure)


if __name__ == "__main__":
    main()
