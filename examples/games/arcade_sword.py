"""Arcade: a spinning guard turns once in a third of a second, bats fly by.

    python examples/games/arcade_sword.py        # opens a window
    python examples/games/arcade_sword.py 120    # plays 120 frames without one

Bats that the blade passes between two frames are hit, once in each turn. The lines with `swing_hits` are all
that ougi needs.
"""

from __future__ import annotations

import math
import sys

import arcade

from ougi.adapters.arcade import Blade, swing_hits

FPS = 60
GUARD = (320.0, 240.0)
BLUE, RED = arcade.color.STEEL_BLUE, arcade.color.FIREBRICK
TURN = 360 / 20  # degrees per frame: a whole turn in 20 frames


class Game:
    """What happens, without any window."""

    def __init__(self) -> None:
        self.blade = Blade(130, 20, thickness=6)  # readies the kernels
        self.bats = [arcade.SpriteSolidColor(20, 12, 640, 120 + 40 * k, color=BLUE) for k in range(7)]
        self.wounds = dict.fromkeys(self.bats, 0)
        self.angle = 0.0  # degrees, clockwise, as Sprite.angle

    def update(self) -> None:
        for k, bat in enumerate(self.bats):
            bat.center_x -= (150 + 90 * k) / FPS
            if bat.center_x < 0:
                bat.center_x = 640
                self.blade.forget(bat)  # it has jumped
        self.angle = (self.angle + TURN) % 360
        if self.angle < TURN:
            self.blade.begin()  # a new turn: every bat can be hit again
        for hit in swing_hits(self.blade, GUARD, self.angle, self.bats):
            self.wounds[hit.target] += 1
            hit.target.color = RED


def show(game: Game) -> None:
    """Play in a window."""
    window = arcade.Window(640, 480, "ougi and Arcade", update_rate=1 / FPS)

    def on_update(delta_time: float) -> None:
        game.update()

    def on_draw() -> None:
        window.clear(arcade.color.WHITE)
        for bat in game.bats:
            arcade.draw_polygon_filled(bat.hit_box.get_adjusted_points(), bat.color)
        angle, (x, y) = -math.radians(game.angle), GUARD
        tip = x + 130 * math.cos(angle), y + 130 * math.sin(angle)
        arcade.draw_line(x, y, *tip, arcade.color.GOLDENROD, 6)

    window.push_handlers(on_update=on_update, on_draw=on_draw)
    arcade.run()


def main(frames: int) -> Game:
    """Play so many frames without a window; in a window if 0."""
    game = Game()
    if frames:
        for _ in range(frames):
            game.update()
    else:
        show(game)
    print(f"{sum(game.wounds.values())} hits")
    return game


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
