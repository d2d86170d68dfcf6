"""A game: steer a ball through a maze, among a thousand others. All bounce off the wall and each other.

`Game` knows neither screen nor keys. A step takes the direction in which the player pushes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.corridor import Corridor
from ougi_lab.scenes import corridors
from ougi_lab.scenes.corridors import draw_circles, select_separate

FPS = 60
PLAYER, OTHER = 0.08, 0.03  # radii; passages are 0.6 wide
# Lengths per second: the speed of the others, what the player gains in a second, and its maximum.
_OTHER_SPEED, _PUSH, _MAX_SPEED = 0.5, 6.0, 2.0
# The share of its speed that the player's ball loses in a second.
_DRAG = 0.6


class Game:
    """A maze, the player's ball (character 0) and others. The goal is the last cell, up and to the right."""

    def __init__(self, cells: int, segments: int, others: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.cells = cells
        self.corridor = Corridor(corridors.make_maze(cells, rng, segments=segments, openings=cells))
        start, velocity = draw_circles(self.corridor, 4 * others + 1, OTHER, _OTHER_SPEED / OTHER, rng)
        free = np.flatnonzero(select_separate(start, OTHER) & (np.hypot(*start.T) > 2 * PLAYER))[:others]
        start, velocity = start[free], velocity[free]
        self.position = np.concatenate([[[0.0, 0.0]], start])
        self.velocity = np.concatenate([[[0.0, 0.0]], velocity])
        self.radius = np.concatenate([[PLAYER], np.full(len(start), OTHER)])
        self.frames = 0
        self.bounces = 0

    def step(self, direction: Floats) -> None:
        """Advance one frame; `direction` is where the player pushes, (0, 0) for nowhere."""
        dt = 1 / FPS
        velocity = (self.velocity[0] + _PUSH * dt * direction) * (1 - _DRAG * dt)
        speed = float(np.hypot(*velocity))
        self.velocity[0] = velocity * min(1.0, _MAX_SPEED / speed) if speed else velocity
        moved = self.corridor.step(self.position, self.velocity, self.radius, dt, mutual=True, check=False)
        self.position, self.velocity = moved.position, moved.velocity
        self.bounces += int(moved.bounce_count[0])
        self.frames += 1

    @property
    def is_won(self) -> bool:
        """Is the player in the last cell?"""
        return bool(np.abs(self.position[0] - (self.cells - 1)).max() < corridors.HALF_WIDTH)


class Screen:
    """A window, or a picture without one."""

    def __init__(self, game: Game, pixels: int) -> None:
        import pygame

        pygame.display.init()  # no sound
        pygame.font.init()
        self.game, self.pixels = game, pixels
        low, high = game.corridor.bounds
        self.scale = (pixels - 20) / float((high - low).max())
        self.low = low - 10 / self.scale
        self.surface = pygame.display.set_mode((pixels, pixels + 28))
        pygame.display.set_caption("ougi: corridor")
        self.font = pygame.font.Font(None, 24)
        self.wall = self._draw_wall()

    def _to_pixels(self, pixels: Floats) -> Floats:
        """Convert coordinates to pixels. On screens y grows downward."""
        out = (pixels - self.low) * self.scale
        out[..., 1] = self.pixels - out[..., 1]
        return out

    def _draw_wall(self) -> Any:
        """Draw the corridor, once."""
        import pygame

        surface = pygame.Surface(self.surface.get_size())
        surface.fill("#39424e")
        for k, loop in enumerate(self.game.corridor.loops):
            corners = self._to_pixels(loop)
            x, y = loop.T
            is_hole = float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) < 0
            pygame.draw.polygon(surface, "#39424e" if is_hole and k else "#f4efe6", corners)
            pygame.draw.lines(surface, "#10151c", True, corners)
        goal = self._to_pixels(np.full(2, self.game.cells - 1.0))
        pygame.draw.circle(surface, "#9fd3a8", goal, 0.2 * self.scale)
        return surface

    def draw(self) -> None:
        """Draw the current frame."""
        import pygame

        game = self.game
        self.surface.blit(self.wall, (0, 0))
        pixels = self._to_pixels(game.position.copy())
        for pixel in pixels[1:]:
            pygame.draw.aacircle(self.surface, "#3b6fb6", pixel, OTHER * self.scale)
        pygame.draw.aacircle(self.surface, "#d73a2d", pixels[0], PLAYER * self.scale)
        state = "you are there!" if game.is_won else f"{game.bounces} bounces, {game.frames / FPS:.0f} s"
        line = f"{len(game.corridor.segments):,} segments, {len(pixels) - 1:,} others; arrows steer; {state}"
        self.surface.blit(self.font.render(line, True, "white"), (8, self.pixels + 5))
        pygame.display.flip()

    def save(self, path: Path) -> None:
        """Write the picture to a file."""
        import pygame

        path.parent.mkdir(parents=True, exist_ok=True)
        pygame.image.save(self.surface, path)


def read_direction(pressed: Any) -> Floats:
    """Return the direction of the arrow keys that are pressed."""
    import pygame

    x = int(pressed[pygame.K_RIGHT]) - int(pressed[pygame.K_LEFT])
    y = int(pressed[pygame.K_UP]) - int(pressed[pygame.K_DOWN])
    length = np.hypot(x, y)
    return np.array([x, y]) / length if length else np.zeros(2)
