"""Game libraries as `ougi bench games` plays them: each once per frame, and with `ougi.adapters`."""

from __future__ import annotations

import importlib
import math
import os
from typing import Any, ClassVar

from ougi import games
from ougi.errors import MissingExtraError
from ougi_lab.bench.peers import MissingPeerError, Peer
from ougi_lab.scenes import strokes
from ougi_lab.scenes.strokes import Stroke


class Player:
    """Draws a stroke frame by frame with a library, and finds the targets that are hit."""

    library: ClassVar[str]
    method: ClassVar[str]
    is_exact: ClassVar[bool] = False  # no pixels, so that no target is excluded
    stroke: Stroke
    sprites: list[Any]  # the targets
    index: dict[Any, int]  # of a target
    hand: tuple[float, float]
    angle: float  # of the blade, as the library measures it

    def __init__(self, module: Any) -> None:
        self.module = module

    def start(self, stroke: Stroke) -> None:
        """Make the targets of a stroke."""
        self.stroke = stroke

    def draw(self, t: float) -> None:
        """Place everything at a time."""
        raise NotImplementedError

    def find_hits(self) -> list[int]:
        """Return the targets that are hit in this frame."""
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
        adapter = importlib.import_module(f"ougi.adapters.{module.__name__}")
        self.targets = getattr(adapter, "Sprites", None) or adapter.Shapes
        self.sword = adapter.Swing(strokes.make_blade("capsule")[1])

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        self.sword.begin()
        self.enemies = self.targets()
        self.index = {sprite: k for k, sprite in enumerate(self.sprites)}
        self.draw(0.0)
        self.enemies.update(self.sprites)  # the frame before the stroke

    def find_hits(self) -> list[int]:
        self.enemies.update(self.sprites)
        self.sword.move_to(self.hand, self.angle)
        return [self.index[hit.target] for hit in self.sword.hits(self.enemies)]


class PlainSwings(Player):
    """`ougi.games` without a library, with blades of all kinds."""

    library, method, is_exact = "none", "ougi, between frames", True

    def __init__(self) -> None:
        super().__init__(None)

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        self.take(strokes.make_blade(stroke.blade)[1])
        self.enemies = games.TargetSet()
        self.sprites = list(range(strokes.TARGETS))
        self.draw(0.0)
        hitboxes = [strokes.make_hitbox(figure) for figure in stroke.figures]
        self.enemies.update(self.sprites, self.places, self.turned, hitboxes=hitboxes)

    def draw(self, t: float) -> None:
        self.hand, self.angle = self.stroke.hand_at(t), self.stroke.angle_at(t)
        self.places, self.turned = self.stroke.centers_at(t), self.stroke.turned_at(t)

    def find_hits(self) -> list[int]:
        self.enemies.update(self.sprites, self.places, self.turned)
        self.move()
        return [hit.target for hit in self.body.hits(self.enemies)]

    def take(self, hitbox: games.Hitbox) -> None:
        """Make what hits."""
        self.body: Any = games.Swing(hitbox)

    def move(self) -> None:
        """Move it to where it is drawn."""
        self.body.move_to(self.hand, self.angle)


class PlainProjectiles(PlainSwings):
    """Projectiles of `ougi.games`, which fly by themselves."""

    method = "ougi, projectiles"

    def take(self, hitbox: games.Hitbox) -> None:
        flight = self.stroke
        self.body = games.Projectile(
            hitbox,
            flight.hand_at(0.0),
            (float(flight.hand[0]), float(flight.hand[1])),
            angle=flight.angle,
            spin=flight.speed,
            acceleration=(0.0, flight.gravity),
        )
        self.is_launched = False

    def move(self) -> None:
        if self.is_launched:
            self.body.move(1.0 / self.stroke.rate)
        self.is_launched = True


class _Pygame(Player):
    library = "pygame-ce"

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        pygame = self.module
        self.sprites = [pygame.sprite.Sprite() for _ in stroke.figures]
        self.pictures = []
        for sprite, figure in zip(self.sprites, stroke.figures, strict=True):
            side = 2 * math.ceil(figure.reach)
            sprite.hitbox = strokes.make_hitbox(figure)
            sprite.rect = pygame.FRect(0, 0, side, side)
            picture = pygame.Surface((side, side), pygame.SRCALPHA)
            if stroke.kind == "square":
                extent = figure.points[2, 0] * 2
                picture = pygame.Surface((math.ceil(extent), math.ceil(extent)), pygame.SRCALPHA)
                picture.fill("white")
                sprite.rect = pygame.FRect(0, 0, extent, extent)
            else:
                pygame.draw.polygon(picture, "white", (figure.points + side / 2).tolist())
            self.pictures.append(picture)
            sprite.picture_mask = pygame.mask.from_surface(picture)

    def draw(self, t: float) -> None:
        self.angle = strokes.count_degrees(self.stroke.angle_at(t))  # y is down
        self.hand = self.stroke.hand_at(t)
        turned = self.stroke.turned_at(t)
        for k, (sprite, center) in enumerate(zip(self.sprites, self.stroke.centers_at(t), strict=True)):
            sprite.rect.center = center
            sprite.angle = strokes.count_degrees(turned[k])


class PygameMasks(_Pygame):
    """`pygame.sprite.collide_mask` with pictures as they are drawn."""

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
        self.blade.rect = pygame.FRect(image.get_rect(center=self.hand))
        self.blade.mask = pygame.mask.from_surface(image)
        if self.stroke.kind == "square":
            for sprite in self.sprites:
                sprite.mask = sprite.picture_mask
            return [k for k, s in enumerate(self.sprites) if pygame.sprite.collide_mask(self.blade, s)]
        hits = []
        for k, (sprite, picture) in enumerate(zip(self.sprites, self.pictures, strict=True)):
            turned = pygame.sprite.Sprite()
            image = pygame.transform.rotate(picture, sprite.angle)
            turned.rect, turned.mask = (
                image.get_rect(center=sprite.rect.center),
                pygame.mask.from_surface(image),
            )
            if pygame.sprite.collide_mask(self.blade, turned):
                hits.append(k)
        return hits


class PygameSwings(_Swings, _Pygame):
    """`ougi.adapters.pygame`."""


class _Arcade(Player):
    library = "arcade"

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        arcade = self.module
        self.sprites = [arcade.SpriteSolidColor(1, 1) for _ in stroke.figures]
        for sprite, figure in zip(self.sprites, stroke.figures, strict=True):
            points = tuple(map(tuple, figure.points.tolist()))
            sprite.hit_box = arcade.hitbox.RotatableHitBox(points, position=(0.0, 0.0), angle=0.0)

    def draw(self, t: float) -> None:
        self.angle = strokes.count_degrees(self.stroke.angle_at(t))  # clockwise, y is up
        self.hand = self.stroke.hand_at(t)
        turned = self.stroke.turned_at(t)
        for k, (sprite, center) in enumerate(zip(self.sprites, self.stroke.centers_at(t), strict=True)):
            sprite.position = tuple(center.tolist())
            sprite.angle = strokes.count_degrees(turned[k])


class ArcadeShapes(_Arcade):
    """`arcade.check_for_collision` with the blade's sprite as it is drawn."""

    method = "hit boxes, once per frame"

    def start(self, stroke: Stroke) -> None:
        super().start(stroke)
        self.blade = self.module.SpriteSolidColor(int(strokes.OUTER - strokes.INNER), int(strokes.THICKNESS))

    def find_hits(self) -> list[int]:
        angle, middle = -math.radians(self.angle), (strokes.OUTER + strokes.INNER) / 2
        self.blade.angle = self.angle
        x, y = self.hand
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
        self.body, *bodies = (
            pymunk.Body(body_type=pymunk.Body.KINEMATIC) for _ in range(1 + len(stroke.figures))
        )
        self.bar = pymunk.Segment(self.body, (strokes.INNER + radius, 0), (strokes.OUTER - radius, 0), radius)
        self.bar.sensor = True
        outlines = [figure.points.tolist() for figure in stroke.figures]
        self.sprites = [pymunk.Poly(body, points) for body, points in zip(bodies, outlines, strict=True)]
        self.space.add(self.body, self.bar, *bodies, *self.sprites)
        self.index = {shape: k for k, shape in enumerate(self.sprites)}

    def draw(self, t: float) -> None:
        self.angle = self.body.angle = self.stroke.angle_at(t)
        self.hand = self.body.position = self.stroke.hand_at(t)
        turned = self.stroke.turned_at(t)
        for k, (shape, center) in enumerate(zip(self.sprites, self.stroke.centers_at(t), strict=True)):
            shape.body.position, shape.body.angle = tuple(center.tolist()), float(turned[k])
            self.space.reindex_shapes_for_body(shape.body)
        self.space.reindex_shapes_for_body(self.body)


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
