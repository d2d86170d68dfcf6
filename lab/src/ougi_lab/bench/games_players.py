"""Game libraries as `ougi bench games` plays them: each once per frame, and with `ougi.adapters`."""

from __future__ import annotations

import importlib
import math
import os
from typing import Any, ClassVar

from ougi.errors import MissingExtraError
from ougi_lab.bench.peers import MissingPeerError, Peer
from ougi_lab.scenes import strokes
from ougi_lab.scenes.strokes import Stroke


class Player:
    """Draws a stroke frame by frame with a library, and finds the squares that are hit."""

    library: ClassVar[str]
    method: ClassVar[str]
    stroke: Stroke
    sprites: list[Any]  # the squares
    index: dict[Any, int]  # of a square
    angle: float  # of the blade, as the library measures it

    def __init__(self, module: Any) -> None:
        self.module = module

    def start(self, stroke: Stroke) -> None:
        """Make the squares of a stroke."""
        self.stroke = stroke

    def draw(self, t: float) -> None:
        """Place everything at a time."""
        raise NotImplementedError

    def find_hits(self) -> list[int]:
        """Return the squares that are hit in this frame."""
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
    """A blade of `ougi.adapters`; a base before the class of a library."""

    method = "ougi, between frames"

    def __init__(self, module: Any) -> None:
        super().__init__(module)
        self.adapter = importlib.import_module(f"ougi.adapters.{module.__name__}")
        self.blade = self.adapter.Blade(strokes.OUTER, strokes.INNER, thickness=strokes.THICKNESS)

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        self.blade.begin()
        self.index = {sprite: k for k, sprite in enumerate(self.sprites)}

    def find_hits(self) -> list[int]:
        found = self.adapter.swing_hits(self.blade, strokes.CENTER, self.angle, self.sprites)
        return [self.index[hit.target] for hit in found]


class _Pygame(Player):
    library = "pygame-ce"

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        self.sprites = [self.module.sprite.Sprite() for _ in stroke.side]
        for sprite, side in zip(self.sprites, stroke.side, strict=True):
            sprite.rect = self.module.FRect(0, 0, side, side)
            sprite.mask = self.module.Mask((math.ceil(side), math.ceil(side)), fill=True)

    def draw(self, t: float) -> None:
        self.angle = -math.degrees(self.stroke.angle_at(t)) % 360  # y is down
        for sprite, center in zip(self.sprites, self.stroke.centers_at(t), strict=True):
            sprite.rect.center = center


class PygameMasks(_Pygame):
    """`pygame.sprite.collide_mask` with the picture of the blade as it is drawn."""

    method = "masks, once per frame"

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        pygame = self.module
        self.picture = pygame.Surface((2 * strokes.OUTER, 2 * strokes.OUTER), pygame.SRCALPHA)
        bar = pygame.Rect(0, 0, strokes.OUTER - strokes.INNER, strokes.THICKNESS)
        bar.midleft = (int(strokes.OUTER + strokes.INNER), int(strokes.OUTER))
        pygame.draw.rect(self.picture, "white", bar, border_radius=int(strokes.THICKNESS / 2))
        self.blade = pygame.sprite.Sprite()

    def find_hits(self) -> list[int]:
        pygame = self.module
        image = pygame.transform.rotate(self.picture, self.angle)
        self.blade.rect = pygame.FRect(image.get_rect(center=strokes.CENTER))
        self.blade.mask = pygame.mask.from_surface(image)
        return [k for k, s in enumerate(self.sprites) if pygame.sprite.collide_mask(self.blade, s)]


class PygameSwings(_Swings, _Pygame):
    """`ougi.adapters.pygame`."""


class _Arcade(Player):
    library = "arcade"

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        self.sprites = [self.module.SpriteSolidColor(1, 1) for _ in stroke.side]
        for sprite, side in zip(self.sprites, stroke.side, strict=True):
            sprite.width = sprite.height = float(side)

    def draw(self, t: float) -> None:
        self.angle = -math.degrees(self.stroke.angle_at(t)) % 360  # clockwise, y is up
        for sprite, center in zip(self.sprites, self.stroke.centers_at(t), strict=True):
            sprite.position = tuple(center.tolist())


class ArcadeShapes(_Arcade):
    """`arcade.check_for_collision` with the blade's sprite as it is drawn."""

    method = "hit boxes, once per frame"

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        self.blade = self.module.SpriteSolidColor(int(strokes.OUTER - strokes.INNER), int(strokes.THICKNESS))

    def find_hits(self) -> list[int]:
        angle, middle = -math.radians(self.angle), (strokes.OUTER + strokes.INNER) / 2
        self.blade.angle = self.angle
        x, y = strokes.CENTER
        self.blade.position = x + middle * math.cos(angle), y + middle * math.sin(angle)
        return [k for k, s in enumerate(self.sprites) if self.module.check_for_collision(self.blade, s)]


class ArcadeSwings(_Swings, _Arcade):
    """`ougi.adapters.arcade`."""


class _Pymunk(Player):
    library = "pymunk"

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        pymunk, radius = self.module, strokes.THICKNESS / 2
        self.space = pymunk.Space()
        self.hand, *bodies = (
            pymunk.Body(body_type=pymunk.Body.KINEMATIC) for _ in range(1 + len(stroke.side))
        )
        self.hand.position = strokes.CENTER
        self.bar = pymunk.Segment(self.hand, (strokes.INNER + radius, 0), (strokes.OUTER - radius, 0), radius)
        self.bar.sensor = True
        sides = stroke.side.tolist()
        self.sprites = [pymunk.Poly.create_box(body, (s, s)) for body, s in zip(bodies, sides, strict=True)]
        self.space.add(self.hand, self.bar, *bodies, *self.sprites)
        self.index = {shape: k for k, shape in enumerate(self.sprites)}

    def draw(self, t: float) -> None:
        self.angle = self.hand.angle = self.stroke.angle_at(t)
        for shape, center in zip(self.sprites, self.stroke.centers_at(t), strict=True):
            shape.body.position = tuple(center.tolist())
            self.space.reindex_shapes_for_body(shape.body)
        self.space.reindex_shapes_for_body(self.hand)


class PymunkShapes(_Pymunk):
    """`Space.shape_query` of the blade after each step, as its collision callbacks see it."""

    method = "shapes, once per frame"

    def find_hits(self) -> list[int]:
        return [self.index[found.shape] for found in self.space.shape_query(self.bar) if found.shape]


class PymunkSwings(_Swings, _Pymunk):
    """`ougi.adapters.pymunk`."""


PEERS = (
    Peer("pygame-ce", "pygame", lambda lib: [PygameMasks(lib), PygameSwings(lib)], distribution="pygame-ce"),
    Peer("arcade", "arcade", lambda lib: [ArcadeShapes(lib), ArcadeSwings(lib)]),
    Peer("pymunk", "pymunk", lambda lib: [PymunkShapes(lib), PymunkSwings(lib)]),
)
