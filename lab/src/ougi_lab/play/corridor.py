"""A ball to steer through a maze, among a thousand others; all bounce off the wall and off each other.

`Game` knows neither screen nor keys: a frame takes the direction that the player wants. `Screen` draws it.
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
# Lengths per second: how fast others are, how fast the player becomes in a second, and how fast at most.
_OTHERS, _PUSH, _FASTEST = 0.5, 6.0, 2.0
# The share of its speed that the player's ball loses in a second.
_DRAG = 0.6


class Game:
    """A maze, the player's ball (character 0) and others. The goal is the last cell, up and to the right."""

    def __init__(self, cells: int, segments: int, others: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.cells = cells
        self.room = Corridor(corridors.make_maze(cells, rng, segments=segments, openings=cells))
        start, way = draw_circles(self.room, 4 * others + 1, OTHER, _OTHERS / OTHER, rng)
        free = np.flatnonzero(select_separate(start, OTHER) & (np.hypot(*start.T) > 2 * PLAYER))[:others]
        start, way = start[free], way[free]
        self.position = np.concatenate([[[0.0, 0.0]], start])
        self.velocity = np.concatenate([[[0.0, 0.0]], way])
        self.radius = np.concatenate([[PLAYER], np.full(len(start), OTHER)])
        self.frames = 0
        self.bounces = 0

    def frame(self, wanted: Floats) -> None:
        """One frame; `wanted` is the direction in which the player pushes, (0, 0) for none."""
        dt = 1 / FPS
        mine = (self.velocity[0] + _PUSH * dt * wanted) * (1 - _DRAG * dt)
        speed = float(np.hypot(*mine))
        self.velocity[0] = mine * min(1.0, _FASTEST / speed) if speed else mine
        moved = self.room.step(self.position, self.velocity, self.radius, dt, among=True, check=False)
        self.position, self.velocity = moved.position, moved.velocity
        self.bounces += int(moved.bounces[0])
        self.frames += 1

    @property
    def won(self) -> bool:
        """Is the player in the last cell?"""
        return bool(np.abs(self.position[0] - (self.cells - 1)).max() < corridors.HALF_WIDTH)


class Screen:
    """A window, or a picture without one."""

    def __init__(self, game: Game, pixels: int) -> None:
        import pygame

        pygame.display.init()  # no sound
        pygame.font.init()
        self.game, self.pixels = game, pixels
        low, high = game.room.bounds
        self.scale = (pixels - 20) / float((high - low).max())
        self.low = low - 10 / self.scale
        self.surface = pygame.display.set_mode((pixels, pixels + 28))
        pygame.display.set_caption("ougi: corridor")
        self.font = pygame.font.Font(None, 24)
        self.wall = self._wall()

    def _at(self, places: Floats) -> Floats:
        """Pixels; y grows downward on screens."""
        out = (places - self.low) * self.scale
        out[..., 1] = self.pixels - out[..., 1]
        return out

    def _wall(self) -> Any:
        """The corridor, drawn once."""
        import pygame

        surface = pygame.Surface(self.surface.get_size())
        surface.fill("#39424e")
        for k, loop in enumerate(self.game.room.loops):
            corners = self._at(loop)
            x, y = loop.T
            is_hole = float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) < 0
            pygame.draw.polygon(surface, "#39424e" if is_hole and k else "#f4efe6", corners)
            pygame.draw.lines(surface, "#10151c", True, corners)
        goal = self._at(np.full(2, self.game.cells - 1.0))
        pygame.draw.circle(surface, "#9fd3a8", goal, 0.2 * self.scale)
        return surface

    def draw(self) -> None:
        """One picture."""
        import pygame

        game = self.game
        self.surface.blit(self.wall, (0, 0))
        places = self._at(game.position.copy())
        for place in places[1:]:
            pygame.draw.aacircle(self.surface, "#3b6fb6", place, OTHER * self.scale)
        pygame.draw.aacircle(self.surface, "#d73a2d", places[0], PLAYER * self.scale)
        state = "you are there!" if game.won else f"{game.bounces} bounces, {game.frames / FPS:.0f} s"
        words = f"{len(game.room.segments):,} segments, {len(places) - 1:,} others; arrows steer; {state}"
        self.surface.blit(self.font.render(words, True, "white"), (8, self.pixels + 5))
        pygame.display.flip()

    def save(self, path: Path) -> None:
        """Write the picture to a file."""
        import pygame

        path.parent.mkdir(parents=True, exist_ok=True)
        pygame.image.save(self.surface, path)


def wanted_by_keys(pressed: Any) -> Floats:
    """The direction of the arrow keys that are down."""
    import pygame

    x = int(pressed[pygame.K_RIGHT]) - int(pressed[pygame.K_LEFT])
    y = int(pressed[pygame.K_UP]) - int(pressed[pygame.K_DOWN])
    length = np.hypot(x, y)
    return np.array([x, y]) / length if length else np.zeros(2)
