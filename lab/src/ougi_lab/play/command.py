"""The command `ougi play`."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Literal

from ougi.errors import InvalidInputError, MissingExtraError


def play(
    game: Literal["corridor"],
    /,
    *,
    cells: int = 6,
    segments: int = 20_000,
    others: int = 1_000,
    seed: int = 0,
    frames: int = 0,
    screenshot: Path | None = None,
    headless: bool = False,
) -> int:
    """Steer a ball through a maze with the arrow keys, among many others; Escape ends.

    Parameters
    ----------
    game
        `corridor`.
    cells
        Cells along each side of the maze.
    segments
        Approximate number of wall segments.
    others
        Maximum number of other balls.
    seed
        Decides the maze and the other balls.
    frames
        End after this number; 0 plays until the window is closed.
    screenshot
        Write the last picture to this file (.png).
    headless
        Run without a window and push the ball up and to the right. Requires --frames.
    """
    for name, value in (("cells", cells), ("others", others)):
        if value < 1:
            raise InvalidInputError(f"{name} must be positive, got {value}")
    for name, value in (("segments", segments), ("seed", seed), ("frames", frames)):
        if value < 0:
            raise InvalidInputError(f"{name} must not be negative, got {value}")
    if headless and not frames:
        raise InvalidInputError("headless requires --frames, or it would never end")
    if screenshot is not None and screenshot.suffix != ".png":
        raise InvalidInputError(f"screenshot must end in .png, got {screenshot.name!r}")
    if importlib.util.find_spec("pygame") is None:
        raise MissingExtraError("play", f"the game {game}", "ougi-lab")
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    if headless:
        os.environ["SDL_VIDEODRIVER"] = "dummy"
    from ougi.cli.warmup import announce_compilation
    from ougi_lab.play.corridor import FPS, Game, Screen, read_direction

    announce_compilation()
    import numpy as np
    import pygame

    world = Game(cells, segments, others, seed)
    screen = Screen(world, 760)
    clock = pygame.time.Clock()
    try:
        while not frames or world.frames < frames:
            events = pygame.event.get()
            keys = [event.key for event in events if event.type == pygame.KEYDOWN]
            if pygame.K_ESCAPE in keys or any(event.type == pygame.QUIT for event in events):
                break
            world.step(np.array([0.8, 0.6]) if headless else read_direction(pygame.key.get_pressed()))
            screen.draw()
            if not headless:
                clock.tick(FPS)
        if screenshot is not None:
            screen.save(screenshot)
    finally:
        pygame.quit()
    return 0
