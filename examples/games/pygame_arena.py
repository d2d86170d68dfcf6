"""pygame-ce: a knight with a sword and a bow in a tiled room. V switches to masks, once per frame.

python examples/games/pygame_arena.py            # opens a window
python examples/games/pygame_arena.py 120 [PNG]  # plays 120 frames by itself, and saves the last one
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import pygame
from arena import FPS, HELP, INNER, KNIGHT, OUTER, SIZE, THICKNESS, Arena, Enemy

from ougi.adapters import pygame as library
from ougi.games import Hitbox

COLORS = ("lightsteelblue", "cornflowerblue", "steelblue")  # of enemies with one life, two, three


class Game(Arena):
    """The arena with pygame's sprites."""

    def __init__(self) -> None:
        super().__init__(library, library.Sprites(), y_up=False, degrees=True)
        for enemy in self.enemies:
            enemy.sprite = pygame.sprite.Sprite()
            enemy.sprite.hitbox = Hitbox(enemy.corners)
            enemy.sprite.rect = pygame.FRect(0, 0, 48, 48)

    def place(self, enemy: Enemy) -> None:
        enemy.sprite.rect.center, enemy.sprite.angle = enemy.position, enemy.angle * self.unit

    def find_overlaps(self) -> list[Enemy]:
        sword, here = draw_sword(self), [enemy for enemy in self.enemies if not enemy.away]
        return [enemy for enemy in here if pygame.sprite.collide_mask(sword, draw(enemy))]


def draw_sword(game: Arena) -> Any:
    """A picture of the sword as it is now."""
    picture = pygame.Surface((2 * OUTER + 8, 2 * OUTER + 8), pygame.SRCALPHA)
    pygame.draw.rect(picture, "goldenrod", (OUTER + 4 + INNER, OUTER + 1, OUTER - INNER, THICKNESS))
    sprite: Any = pygame.sprite.Sprite()
    sprite.image = pygame.transform.rotate(picture, -math.degrees(game.blade))
    sprite.rect = sprite.image.get_rect(center=game.knight)
    sprite.mask = pygame.mask.from_surface(sprite.image)
    return sprite


def draw(enemy: Enemy) -> Any:
    """A picture of an enemy as it is now."""
    sprite: Any = pygame.sprite.Sprite()
    sprite.image = pygame.Surface((48, 48), pygame.SRCALPHA)
    x, y = enemy.position
    corners = [(a - x + 24, b - y + 24) for a, b in enemy.to_world(enemy.corners)]
    pygame.draw.polygon(sprite.image, "firebrick" if enemy.flash else COLORS[enemy.lives - 1], corners)
    sprite.rect, sprite.mask = sprite.image.get_rect(center=(x, y)), pygame.mask.from_surface(sprite.image)
    return sprite


def show(game: Arena, screen: pygame.Surface, test: str) -> None:
    screen.fill("white")
    for row, column in zip(*game.solid.nonzero(), strict=True):
        cell = game.cell
        pygame.draw.rect(screen, "gray40", (int(column) * cell, int(row) * cell, cell, cell))
    sprites = [draw(enemy) for enemy in game.enemies if not enemy.away]
    for sprite in sprites + [draw_sword(game)] * (game.frame_of_stroke <= 6):
        screen.blit(sprite.image, sprite.rect)
    pygame.draw.circle(screen, "gray60" if game.safe % 10 > 4 else "black", game.knight, KNIGHT)
    for arrow in game.arrows:
        tail = pygame.Vector2(-14, 0).rotate_rad(arrow.angle / game.unit) + arrow.position
        pygame.draw.line(screen, "saddlebrown", tail, arrow.position, 3)
    for x, y, left in game.sparks:
        pygame.draw.circle(screen, "orange", (x, y), left / 2)
    for x, y, _ in game.misses:
        pygame.draw.circle(screen, "purple", (x, y), 14, 3)
    font = pygame.font.Font(None, 22)
    for text, y in ((game.describe(test), 8), (HELP, SIZE[1] - 24)):
        screen.blit(font.render(text, True, "white"), (8, y))
    pygame.display.flip()


def play(make_game: Callable[[], Arena], test: str, frames: int, picture: str = "") -> Arena:
    """Play a number of frames alone; if it is 0, in a window and by hand. `test` is the library's own."""
    pygame.init()
    screen, clock, game = pygame.display.set_mode(SIZE), pygame.time.Clock(), make_game()
    while not any(event.type == pygame.QUIT for event in pygame.event.get(pygame.QUIT)):
        pressed = [event.key for event in pygame.event.get(pygame.KEYDOWN)]
        keys = pygame.key.get_pressed()
        if frames:
            game.play_alone()
        else:
            x, y = keys[pygame.K_RIGHT] - keys[pygame.K_LEFT], keys[pygame.K_DOWN] - keys[pygame.K_UP]
            game.walk(x / (math.hypot(x, y) or 1), y / (math.hypot(x, y) or 1))
        for key, act in ((pygame.K_SPACE, game.strike), (pygame.K_a, game.shoot)):
            if key in pressed:
                act()
        game.is_vanilla ^= pygame.K_v in pressed
        game = make_game() if pygame.K_r in pressed else game
        game.update()
        show(game, screen, test)
        if game.frames == frames:
            break
        clock.tick(0 if frames else FPS)
    if picture:
        pygame.image.save(screen, picture)
    pygame.quit()
    print(f"{game.frames} frames, {game.found} sword hits by ougi, {game.seen} by {test}")
    return game


def main(frames: int, picture: str = "") -> Arena:
    return play(Game, "masks", frames, picture)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0, *sys.argv[2:3])
