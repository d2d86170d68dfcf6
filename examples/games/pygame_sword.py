"""pygame-ce: a knight swings a sword among wolves; a stroke of 200 degrees takes a tenth of a second.

    python examples/games/pygame_sword.py        # space strikes, Esc ends

Wolves that the sword passes between two frames are hit, each once per stroke. The lines with `swing_hits` are
all that ougi needs.
"""

from __future__ import annotations

import sys
from typing import Any

import pygame

from ougi.adapters.pygame import Blade, swing_hits

FPS = 60
KNIGHT = (320, 240)
STROKE = [-100 + 200 * k / 6 for k in range(7)]  # degrees of the sword in the seven frames of a stroke


class Wolf(pygame.sprite.Sprite):
    """Runs past the knight."""

    image: Any
    rect: Any

    def __init__(self, y: float, speed: float) -> None:
        super().__init__()
        self.image = pygame.Surface((24, 14))
        self.image.fill("steelblue")
        self.rect = pygame.FRect(self.image.get_rect(center=(640, y)))
        self.speed = speed
        self.wounds = 0

    def update(self, *args: Any, **kwargs: Any) -> None:
        self.rect.x = self.rect.x - self.speed / FPS if self.rect.right > 0 else 640


class Game:
    """What happens, without any window."""

    def __init__(self) -> None:
        self.blade = Blade(130, 20, thickness=6)  # readies the kernels
        self.wolves = pygame.sprite.Group(*(Wolf(140 + 40 * k, 150 + 60 * k) for k in range(6)))
        self.frame_of_stroke = len(STROKE)

    def strike(self) -> None:
        if self.frame_of_stroke >= len(STROKE):
            self.frame_of_stroke = 0
            self.blade.begin()

    def update(self) -> None:
        self.wolves.update()
        if self.frame_of_stroke < len(STROKE):
            degrees = STROKE[self.frame_of_stroke]
            for hit in swing_hits(self.blade, KNIGHT, degrees, self.wolves):
                hit.target.wounds += 1
                hit.target.image.fill("firebrick")
            self.frame_of_stroke += 1


def draw(game: Game, screen: pygame.Surface) -> None:
    screen.fill("white")
    game.wolves.draw(screen)
    pygame.draw.circle(screen, "black", KNIGHT, 12)
    if game.frame_of_stroke < len(STROKE):
        tip = pygame.Vector2(130, 0).rotate(-STROKE[game.frame_of_stroke])
        pygame.draw.line(screen, "goldenrod", KNIGHT, tip + KNIGHT, 6)
    pygame.display.flip()


def main(frames: int) -> Game:
    """Play so many frames, striking once a second; for ever and by hand if 0."""
    pygame.init()
    screen, clock, game = pygame.display.set_mode((640, 480)), pygame.time.Clock(), Game()
    k, going = 0, True
    while going and (k < frames or not frames):
        for event in pygame.event.get():
            pressed = event.key if event.type == pygame.KEYDOWN else None
            going = going and event.type != pygame.QUIT and pressed != pygame.K_ESCAPE
            if pressed == pygame.K_SPACE:
                game.strike()
        if frames and k % FPS == 0:
            game.strike()
        game.update()
        draw(game, screen)
        if not frames:
            clock.tick(FPS)
        k += 1
    pygame.quit()
    print(f"{k} frames, {sum(wolf.wounds for wolf in game.wolves)} hits")
    return game


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
