"""Game libraries as `ougi bench games` plays them: each once per frame, and with `ougi.adapters`."""

from __future__ import annotations

import importlib
import math
import os
from typing import TYPE_CHECKING, Any, ClassVar

from ougi.errors import MissingExtraError
from ougi_lab.bench import games
from ougi_lab.bench.peers import MissingPeerError, Peer

if TYPE_CHECKING:
    from ougi_lab.bench.games import Stroke


class Player:
    """Draws a stroke frame by frame, and finds the squares that are hit."""

    library: ClassVar[str]
    method: ClassVar[str]
    stroke: Stroke

    def start(self, stroke: Stroke) -> None:
        """Make the squares of a stroke."""
        raise NotImplementedError

    def draw(self, t: float) -> None:
        """Put everything where it is at a time."""
        raise NotImplementedError

    def hits(self) -> list[int]:
        """The squares that it finds hit in this frame."""
        raise NotImplementedError


def build_players() -> list[Player]:
    """Two for each library; every one of them must be installed."""
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # no window
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        return [player for peer in PEERS for player in peer.build_task()]
    except MissingPeerError as error:
        raise MissingExtraError("games", "playing with pygame, Arcade and pymunk") from error


class _Swings(Player):
    """Sprites and a blade of `ougi.adapters`; before the class of a library that has them."""

    method = "ougi, between frames"
    adapter: ClassVar[str]
    sprites: list[Any]
    degrees: float

    def __init__(self) -> None:
        self.ougi = importlib.import_module(f"ougi.adapters.{self.adapter}")
        self.blade = self.ougi.Blade(games.OUTER, games.INNER, thickness=games.THICKNESS)

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        self.blade.begin()
        self.number = {sprite: k for k, sprite in enumerate(self.sprites)}

    def hits(self) -> list[int]:
        found = self.ougi.swing_hits(self.blade, games.CENTER, self.degrees % 360, self.sprites)
        return [self.number[hit.target] for hit in found]


class _Pygame(Player):
    library = "pygame-ce"

    def start(self, stroke: Stroke) -> None:
        import pygame

        self.stroke = stroke
        self.sprites: list[Any] = [pygame.sprite.Sprite() for _ in stroke.side]
        for sprite, side in zip(self.sprites, stroke.side, strict=True):
            sprite.rect = pygame.FRect(0, 0, side, side)
            sprite.mask = pygame.Mask((math.ceil(side), math.ceil(side)), fill=True)

    def draw(self, t: float) -> None:
        self.degrees = -math.degrees(self.stroke.angle_at(t))  # y is down
        for sprite, center in zip(self.sprites, self.stroke.centers_at(t), strict=True):
            sprite.rect.center = center


class PygameMasks(_Pygame):
    """`pygame.sprite.collide_mask` with the picture of the blade as it is drawn."""

    method = "masks, once per frame"

    def start(self, stroke: Stroke) -> None:
        import pygame

        super().start(stroke)
        radius = games.THICKNESS / 2
        self.picture = pygame.Surface((2 * games.OUTER, 2 * games.OUTER), pygame.SRCALPHA)
        bar = pygame.Rect(0, 0, games.OUTER - games.INNER, games.THICKNESS)
        bar.midleft = (int(games.OUTER + games.INNER), int(games.OUTER))
        pygame.draw.rect(self.picture, "white", bar, border_radius=int(radius))
        self.blade: Any = pygame.sprite.Sprite()

    def hits(self) -> list[int]:
        import pygame

        image = pygame.transform.rotate(self.picture, self.degrees)
        self.blade.rect = pygame.FRect(image.get_rect(center=games.CENTER))
        self.blade.mask = pygame.mask.from_surface(image)
        return [k for k, s in enumerate(self.sprites) if pygame.sprite.collide_mask(self.blade, s)]


class PygameSwings(_Swings, _Pygame):
    """`ougi.adapters.pygame`."""

    adapter = "pygame"


class _Arcade(Player):
    library = "arcade"

    def start(self, stroke: Stroke) -> None:
        import arcade

        self.stroke = stroke
        self.sprites = [arcade.SpriteSolidColor(1, 1) for _ in stroke.side]
        for sprite, side in zip(self.sprites, stroke.side, strict=True):
            sprite.width = sprite.height = float(side)

    def draw(self, t: float) -> None:
        self.degrees = -math.degrees(self.stroke.angle_at(t))  # clockwise, y is up
        for sprite, center in zip(self.sprites, self.stroke.centers_at(t), strict=True):
            sprite.position = tuple(center.tolist())


class ArcadeShapes(_Arcade):
    """`arcade.check_for_collision` with the blade's sprite as it is drawn."""

    method = "hit boxes, once per frame"

    def start(self, stroke: Stroke) -> None:
        import arcade

        super().start(stroke)
        self.blade = arcade.SpriteSolidColor(int(games.OUTER - games.INNER), int(games.THICKNESS))

    def hits(self) -> list[int]:
        import arcade

        angle, middle = -math.radians(self.degrees), (games.OUTER + games.INNER) / 2
        self.blade.angle = self.degrees
        x, y = games.CENTER
        self.blade.position = x + middle * math.cos(angle), y + middle * math.sin(angle)
        return [k for k, s in enumerate(self.sprites) if arcade.check_for_collision(self.blade, s)]


class ArcadeSwings(_Swings, _Arcade):
    """`ougi.adapters.arcade`."""

    adapter = "arcade"


class _Pymunk(Player):
    library = "pymunk"

    def start(self, stroke: Stroke) -> None:
        import pymunk

        self.stroke = stroke
        self.space = pymunk.Space()
        self.hand = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
        self.hand.position = games.CENTER
        radius = games.THICKNESS / 2
        ends = (games.INNER + radius, 0), (games.OUTER - radius, 0)
        self.bar = pymunk.Segment(self.hand, *ends, radius)
        self.bar.sensor = True
        bodies = [pymunk.Body(body_type=pymunk.Body.KINEMATIC) for _ in stroke.side]
        self.shapes = [
            pymunk.Poly.create_box(body, (side, side))
            for body, side in zip(bodies, stroke.side.tolist(), strict=True)
        ]
        self.space.add(self.hand, self.bar, *bodies, *self.shapes)
        self.number: dict[Any, int] = {shape: k for k, shape in enumerate(self.shapes)}

    def draw(self, t: float) -> None:
        self.hand.angle = self.stroke.angle_at(t)
        for shape, center in zip(self.shapes, self.stroke.centers_at(t), strict=True):
            shape.body.position = tuple(center.tolist())
            self.space.reindex_shapes_for_body(shape.body)
        self.space.reindex_shapes_for_body(self.hand)


class PymunkShapes(_Pymunk):
    """`Space.shape_query` of the blade after each step, as its collision callbacks see it."""

    method = "shapes, once per frame"

    def hits(self) -> list[int]:
        return [self.number[found.shape] for found in self.space.shape_query(self.bar) if found.shape]


class PymunkSwings(_Pymunk):
    """`ougi.adapters.pymunk`."""

    method = "ougi, between frames"

    def __init__(self) -> None:
        from ougi.adapters.pymunk import Blade

        self.blade = Blade(games.OUTER, games.INNER, thickness=games.THICKNESS)

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        self.blade.begin()

    def hits(self) -> list[int]:
        from ougi.adapters.pymunk import swing_hits

        found = swing_hits(self.blade, self.hand.position, self.hand.angle, self.shapes)
        return [self.number[hit.target] for hit in found]


PEERS = (
    Peer("pygame-ce", "pygame", lambda _: [PygameMasks(), PygameSwings()], distribution="pygame-ce"),
    Peer("arcade", "arcade", lambda _: [ArcadeShapes(), ArcadeSwings()]),
    Peer("pymunk", "pymunk", lambda _: [PymunkShapes(), PymunkSwings()]),
)
