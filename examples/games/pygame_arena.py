"""pygame-ce: a knight with a sword and a bow in a tiled room. V switches to masks, once per frame.

python examples/games/pygame_arena.py            # opens a window
python examples/games/pygame_arena.py 120 [PNG]  # plays 120 frames by itself, and saves the last one
"""

from __future__ import annotations

import math
import sys
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
        self.picture = pygame.Surface((2 * OUTER + 8, 2 * OUTER + 8), pygame.SRCALPHA)
        bar = pygame.Rect(OUTER + 4 + INNER, OUTER + 1, OUTER - INNER, THICKNESS)
        pygame.draw.rect(self.picture, "goldenrod", bar, border_radius=3)

    def place(self, enemy: Enemy) -> None:
        enemy.sprite.rect.center, enemy.sprite.angle = enemy.position, enemy.angle * self.unit

    def find_overlaps(self) -> list[Enemy]:
        sword, here = self.draw_sword(), [enemy for enemy in self.enemies if not enemy.away]
        return [enemy for enemy in here if pygame.sprite.collide_mask(sword, draw(enemy))]

    def draw_sword(self) -> Any:
        sprite: Any = pygame.sprite.Sprite()
        sprite.image = pygame.transform.rotate(self.picture, self.blade * self.unit)
        sprite.rect = sprite.image.get_rect(center=self.knight)
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


def show(game: Game, screen: pygame.Surface) -> None:
    screen.fill("white")
    for row, column in zip(*game.solid.nonzero(), strict=True):
        cell = game.cell
        pygame.draw.rect(screen, "gray40", (int(column) * cell, int(row) * cell, cell, cell))
    for enemy in game.enemies:
        if not enemy.away:
            sprite = draw(enemy)
            screen.blit(sprite.image, sprite.rect)
    pygame.draw.circle(screen, "gray60" if game.safe % 10 > 4 else "black", game.knight, KNIGHT)
    if game.frame_of_stroke <= 6:
        sword = game.draw_sword()
        screen.blit(sword.image, sword.rect)
    for arrow in game.arrows:
        tail = pygame.Vector2(-14, 0).rotate(-arrow.angle) + arrow.position
        pygame.draw.line(screen, "saddlebrown", tail, arrow.position, 3)
    for x, y, left in game.sparks:
        pygame.draw.circle(screen, "orange", (x, y), left / 2)
    for x, y, _ in game.misses:
        pygame.draw.circle(screen, "purple", (x, y), 14, 3)
    font = pygame.font.Font(None, 22)
    for text, y in ((game.describe("masks"), 8), (HELP, SIZE[1] - 24)):
        screen.blit(font.render(text, True, "white"), (8, y))
    pygame.display.flip()


def main(frames: int, picture: str = "") -> Game:
    """Play so many frames alone; in a window and by hand if 0."""
    pygame.init()
    screen, clock, game = pygame.display.set_mode(SIZE), pygame.time.Clock(), Game()
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
        game = Game() if pygame.K_r in pressed else game
        game.update()
        show(game, screen)
        if game.frames == frames:
            break
        clock.tick(0 if frames else FPS)
    if picture:
        pygame.image.save(screen, picture)
    pygame.quit()
    print(f"{game.frames} frames, {game.found} sword hits by ougi, {game.seen} by masks")
    return game


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0, *sys.argv[2:3])
