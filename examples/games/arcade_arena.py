"""Arcade: a knight with a sword and a bow in a tiled room. V switches to hit boxes, once per frame.

python examples/games/arcade_arena.py            # opens a window
python examples/games/arcade_arena.py 120 [PNG]  # plays 120 frames by itself, and saves the last one
ARCADE_HEADLESS=1 python ...                     # draws without a screen
"""

from __future__ import annotations

import math
import sys

import arcade
from arena import FPS, HELP, INNER, KNIGHT, OUTER, SIZE, THICKNESS, Arena, Enemy

from ougi.adapters import arcade as library

COLORS = (arcade.color.LIGHT_STEEL_BLUE, arcade.color.CORNFLOWER_BLUE, arcade.color.STEEL_BLUE)  # by lives
KEYS = {arcade.key.RIGHT: (1, 0), arcade.key.LEFT: (-1, 0), arcade.key.UP: (0, 1), arcade.key.DOWN: (0, -1)}


class Game(Arena):
    """The arena with Arcade's sprites; y is up."""

    def __init__(self) -> None:
        super().__init__(library, library.Sprites(), y_up=True, degrees=True)
        for enemy in self.enemies:
            enemy.sprite = arcade.SpriteSolidColor(1, 1)
            corners = tuple(map(tuple, enemy.corners))
            enemy.sprite.hit_box = arcade.hitbox.RotatableHitBox(corners, position=(0.0, 0.0), angle=0.0)
        self.bar = arcade.SpriteSolidColor(OUTER - INNER, THICKNESS)

    def place(self, enemy: Enemy) -> None:
        enemy.sprite.position, enemy.sprite.angle = enemy.position, enemy.angle * self.unit

    def find_overlaps(self) -> list[Enemy]:
        middle, (x, y) = (INNER + OUTER) / 2, self.knight
        self.bar.position = x + middle * math.cos(self.blade), y + middle * math.sin(self.blade)
        self.bar.angle = self.blade * self.unit
        here = [enemy for enemy in self.enemies if not enemy.away]
        return [enemy for enemy in here if arcade.check_for_collision(self.bar, enemy.sprite)]


def draw(game: Game, line: arcade.Text) -> None:
    for row, column in zip(*game.solid.nonzero(), strict=True):
        x, y = int(column) * game.cell, int(row) * game.cell
        arcade.draw_lbwh_rectangle_filled(x, y, game.cell, game.cell, arcade.color.DIM_GRAY)
    for enemy in game.enemies:
        color = arcade.color.FIREBRICK if enemy.flash else COLORS[enemy.lives - 1]
        for piece in enemy.pieces if not enemy.away else ():
            arcade.draw_polygon_filled(enemy.to_world(piece), color)
    x, y = game.knight
    blink = arcade.color.GRAY if game.safe % 10 > 4 else arcade.color.BLACK
    arcade.draw_circle_filled(x, y, KNIGHT, blink)
    if game.frame_of_stroke <= 6:
        cos, sin = math.cos(game.blade), math.sin(game.blade)
        ends = x + INNER * cos, y + INNER * sin, x + OUTER * cos, y + OUTER * sin
        arcade.draw_line(*ends, arcade.color.GOLDENROD, THICKNESS)
    for arrow in game.arrows:
        (x, y), angle = arrow.position, arrow.angle / game.unit
        tail = x - 14 * math.cos(angle), y - 14 * math.sin(angle)
        arcade.draw_line(*tail, x, y, arcade.color.BROWN, 3)
    for x, y, left in game.sparks:
        arcade.draw_circle_filled(x, y, left / 2, arcade.color.ORANGE)
    for x, y, _ in game.misses:
        arcade.draw_circle_outline(x, y, 14, arcade.color.PURPLE, 3)
    for line.text, line.y in ((game.describe("hit boxes"), SIZE[1] - 20), (HELP, 10)):
        line.draw()


def show(game: Game, picture: str) -> None:
    """Play in a window; or save what it shows."""
    window = arcade.Window(*SIZE, "ougi and Arcade", update_rate=1 / FPS)
    line = arcade.Text("", 8, 8, arcade.color.WHITE, 10)
    held: set[int] = set()

    def on_key_press(key: int, modifiers: int) -> None:
        nonlocal game
        held.add(key)
        if key == arcade.key.SPACE:
            game.strike()
        if key == arcade.key.A:
            game.shoot()
        game.is_vanilla ^= key == arcade.key.V
        game = Game() if key == arcade.key.R else game

    def on_key_release(key: int, modifiers: int) -> None:
        held.discard(key)

    def on_update(delta_time: float) -> None:
        x, y = (sum(KEYS[key][axis] for key in held & KEYS.keys()) for axis in (0, 1))
        game.walk(x / (math.hypot(x, y) or 1), y / (math.hypot(x, y) or 1))
        game.update()

    def on_draw() -> None:
        window.clear(arcade.color.WHITE)
        draw(game, line)

    if picture:
        on_draw()
        arcade.get_image(0, 0, *SIZE).save(picture)
    else:
        window.push_handlers(on_key_press, on_key_release, on_update, on_draw)
        arcade.run()


def main(frames: int, picture: str = "") -> Game:
    """Play a number of frames alone; if it is 0, in a window and by hand."""
    game = Game()
    for _ in range(frames):
        game.play_alone()
        game.update()
    if picture or not frames:
        show(game, picture)
    print(f"{game.frames} frames, {game.found} sword hits by ougi, {game.seen} by hit boxes")
    return game


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0, *sys.argv[2:3])
