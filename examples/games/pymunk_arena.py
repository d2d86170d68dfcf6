"""pymunk: the arena with pymunk's shapes. V switches to pymunk's own test, once per step.

    python examples/games/pymunk_arena.py        # opens a window of pygame, because pymunk has none
    python examples/games/pymunk_arena.py 120    # plays 120 steps by itself, without a window

pymunk's polygons are convex, so an enemy is its hull.
"""

from __future__ import annotations

import sys

import pymunk
from arena import INNER, OUTER, THICKNESS, Arena, Enemy

from ougi.adapters import pymunk as library


class Game(Arena):
    """The arena with pymunk's shapes. Angles are radians, and y points down, as in pygame's window."""

    def __init__(self) -> None:
        super().__init__(library, library.Shapes(), y_up=False, degrees=False)
        self.space = pymunk.Space()
        for enemy in self.enemies:
            body = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
            enemy.sprite = pymunk.Poly(body, enemy.corners)
            self.space.add(body, enemy.sprite)
        self.hand = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
        self.bar = pymunk.Segment(self.hand, (INNER, 0), (OUTER, 0), THICKNESS / 2)
        self.bar.sensor = True
        self.space.add(self.hand, self.bar)

    def place(self, enemy: Enemy) -> None:
        enemy.sprite.body.position, enemy.sprite.body.angle = enemy.position, enemy.angle
        self.space.reindex_shapes_for_body(enemy.sprite.body)

    def find_overlaps(self) -> list[Enemy]:
        self.hand.position, self.hand.angle = self.knight, self.blade
        self.space.reindex_shapes_for_body(self.hand)
        touched = {found.shape for found in self.space.shape_query(self.bar)}
        return [enemy for enemy in self.enemies if enemy.sprite in touched and not enemy.away]


def main(steps: int) -> Arena:
    """Play a number of steps alone; if it is 0, in a window and by hand."""
    if not steps:
        from pygame_arena import play

        return play(Game, "pymunk", 0)
    game = Game()
    for _ in range(steps):
        game.play_alone()
        game.update()
    print(f"{game.frames} steps, {game.found} sword hits by ougi, {game.seen} by pymunk")
    return game


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
