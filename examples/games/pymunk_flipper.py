"""pymunk: balls roll down towards a flipper that snaps up by 70 degrees in one step.

    python examples/games/pymunk_flipper.py [STEPS]

pymunk moves the balls. ougi finds which of them the flipper hits between two steps. pymunk's own test, once
per step, is counted for comparison (balls in a stroke). The lines with `swing_hits` are all that ougi needs.
"""

from __future__ import annotations

import math
import sys

import pymunk

from ougi.adapters.pymunk import Blade, swing_hits

DT = 1 / 60
PIVOT = (0.0, 0.0)
LENGTH, THICKNESS = 80.0, 8.0
DOWN, UP = -0.5, 0.7  # radians
PERIOD = 30  # steps from one stroke to the next


class Game:
    """Balls that fall past a flipper."""

    def __init__(self) -> None:
        self.space = pymunk.Space()
        self.space.gravity = 0, -600
        self.balls = [self._ball(x, 60 + 37 * k) for k, x in enumerate(range(20, 80, 6))]
        self.blade = Blade(LENGTH, thickness=THICKNESS)  # readies the kernels
        self.flipper = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
        ends = (THICKNESS / 2, 0), (LENGTH - THICKNESS / 2, 0)
        self.bar = pymunk.Segment(self.flipper, *ends, THICKNESS / 2)
        self.bar.sensor = True
        self.space.add(self.flipper, self.bar)
        self.hits = self.seen = self.steps = 0
        self.touching: set[pymunk.Shape | None] = set()

    def _ball(self, x: float, y: float) -> pymunk.Shape:
        body = pymunk.Body(1, 10)
        body.position = x, y
        ball = pymunk.Circle(body, 5)
        ball.filter = pymunk.ShapeFilter(group=1)  # balls pass each other
        self.space.add(body, ball)
        return ball

    def update(self) -> None:
        phase = self.steps % PERIOD
        if phase == 0:
            self.blade.begin()  # a new stroke
            self.touching.clear()
        self.flipper.angle = UP if phase else DOWN
        self.space.reindex_shapes_for_body(self.flipper)
        if phase <= 1:
            now = {found.shape for found in self.space.shape_query(self.bar)}
            self.seen += len(now - self.touching)
            self.touching |= now
            for hit in swing_hits(self.blade, PIVOT, self.flipper.angle, self.balls):
                away = math.hypot(hit.x, hit.y)
                hit.target.body.velocity = -hit.y / away * 500, hit.x / away * 500
                self.hits += 1
        for ball in self.balls:
            if ball.body.position.y < -100:
                ball.body.position, ball.body.velocity = (ball.body.position.x % 80, 200), (0, 0)
                self.blade.forget(ball)  # it has jumped
        self.space.step(DT)
        self.steps += 1


def main(steps: int) -> Game:
    """Play so many steps."""
    game = Game()
    for _ in range(steps):
        game.update()
    print(f"{steps} steps: {game.hits} hits between steps, {game.seen} seen at the steps")
    return game


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
