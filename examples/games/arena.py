"""The game without a library: a knight with a sword and a bow among enemies, in a room made with Tiled.

A round takes a minute. An enemy falls at the third wound, and soon comes back faster. What touches the knight
takes one of five hearts. In vanilla mode only what the library finds once per frame wounds, and rings show
where the sword went through an enemy without a hit.

`pygame_arena.py`, `arcade_arena.py` and `pymunk_arena.py` play it, each with the targets of its library. The
lines with `targets`, `sword` and `Projectile` are all that ougi needs to find the hits between two frames.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import ougi
from ougi.adapters.tiled import TileMap
from ougi.games import Hitbox

FPS = 60
SIZE = (640, 480)
INNER, OUTER, THICKNESS = 18, 76, 6  # of the sword, in pixels from the hand
SWORD = ougi.Capsule2d([INNER, 0], [OUTER, 0], THICKNESS / 2)
ARROW = ougi.Segment2d([-14, 0], [0, 0])
STROKE = math.radians(44)  # the sword turns by so much in each of five frames
ARROW_SPEED = 2400.0  # pixels per second: 40 in a frame
KNIGHT, HEARTS, SECONDS, LIVES = 12, 5, 60, 3  # radius, and the rules of a round
HELP = "arrows: walk   space: strike   A: shoot   V: vanilla   R: again"


class Enemy:
    """A polygon that walks, turns and bounces off the walls."""

    def __init__(self, corners: Any, position: tuple[float, float], k: int) -> None:
        self.corners = corners.tolist()
        self.pieces = [piece.tolist() for piece, _ in Hitbox(corners).parts]  # convex, for drawing
        self.radius = max(math.hypot(x, y) for x, y in self.corners)
        self.position = self.home = position
        self.velocity = 150 * math.cos(2.4 * k + 1), 150 * math.sin(2.4 * k + 1)  # pixels per second
        self.lives, self.away = LIVES, 0  # frames until it comes back
        self.angle, self.spin = 0.0, 4.0 * (-1) ** k  # radians
        self.flash = 0  # frames for which it shows that it is hit
        self.sprite: Any = None

    def to_world(self, corners: list[Any]) -> list[tuple[float, float]]:
        """Corners of its own where they are now."""
        cos, sin, (cx, cy) = math.cos(self.angle), math.sin(self.angle), self.position
        return [(cx + cos * x - sin * y, cy + sin * x + cos * y) for x, y in corners]


class Arena:
    """What happens, without any window. A game of a library makes the sprites and draws."""

    def __init__(self, library: Any, targets: Any, *, y_up: bool, degrees: bool) -> None:
        tiles = TileMap(Path(__file__).parent / "room.tmx", y_up=y_up)
        self.walls, self.solid, self.cell = tiles.corridor("walls"), tiles.solid("walls"), tiles.cell[0]
        self.enemies = [
            Enemy(each.corners, each.position, k) for k, each in enumerate(tiles.objects("enemies"))
        ]
        self.library, self.targets, self.sword = library, targets, library.Swing(SWORD)
        self.body = library.Swing(ougi.Circle([0, 0], KNIGHT))
        self.unit = -180 / math.pi if degrees else 1.0  # the library's angle of a radian
        self.knight = (SIZE[0] / 2, SIZE[1] / 2)
        self.heading, self.blade = 0.0, 0.0  # radians
        self.frame_of_stroke = 6
        self.arrows: list[Any] = []
        self.sparks: list[tuple[float, float, int]] = []  # where, and for how many frames
        self.misses: list[tuple[float, float, int]] = []  # of the library, shown in vanilla mode
        self.score, self.hearts, self.safe = 0, HEARTS, FPS  # frames in which no heart is lost
        self.is_vanilla = False
        self.found = self.seen = self.frames = 0  # sword hits by ougi, and by the library once per frame

    def strike(self) -> None:
        """Begin a stroke, unless one is on."""
        if self.frame_of_stroke > 5:
            self.frame_of_stroke = 0
            self.sword.begin()
            self.struck: set[Enemy] = set()
            self.points: dict[Enemy, tuple[float, float]] = {}  # where the sword hit, by ougi

    def shoot(self) -> None:
        """Let an arrow fly where the knight faces."""
        speed = ARROW_SPEED * math.cos(self.heading), ARROW_SPEED * math.sin(self.heading)
        self.arrows.append(self.library.Projectile(ARROW, self.knight, speed, angle=self.heading * self.unit))

    def walk(self, x: float, y: float) -> None:
        """Move the knight, who slides along the walls."""
        if x or y:
            self.heading = math.atan2(y, x)
            self.knight = tuple(self.walls.slide(self.knight, (4 * x, 4 * y), 12).position.tolist())

    def play_alone(self) -> None:
        """A player for tests: turn, strike and shoot."""
        angle = self.frames / 20
        self.walk(math.cos(angle), math.sin(angle))
        if self.frames % 15 == 0:
            self.strike()
        if self.frames % 20 == 7:
            self.shoot()

    @property
    def seconds(self) -> float:
        """What is left of the round."""
        return max(0.0, SECONDS - self.frames / FPS)

    def describe(self, test: str) -> str:
        """The line above the room. `test` is what the library calls its own test."""
        if not (self.hearts and self.seconds):
            return f"The round is over. Score: {self.score}. R plays again."
        mode = f"{test}, once per frame" if self.is_vanilla else "ougi"
        counts = f"sword hits: ougi {self.found}, {test} {self.seen}"
        return f"{self.seconds:.0f} s   score {self.score}   hearts {self.hearts}   {mode}   {counts}"

    def update(self) -> None:
        """Go on by one frame."""
        self.frames += 1
        if not (self.hearts and self.seconds):
            return
        self.move_enemies()
        self.targets.update([enemy.sprite for enemy in self.enemies if not enemy.away])
        self.safe = max(self.safe - 1, 0)
        self.body.begin()
        self.body.move_to(self.knight)
        if not self.safe and self.body.hits(self.targets):
            self.hearts, self.safe = self.hearts - 1, FPS
        if self.frame_of_stroke <= 5:
            self.blade = self.heading + STROKE * (self.frame_of_stroke - 2.5)
            hits = self.sword.strike(self.knight, self.blade * self.unit, self.targets)
            self.points.update({self.find_enemy(hit): hit.point for hit in hits})
            overlaps = [enemy for enemy in self.find_overlaps() if enemy not in self.struck]
            self.struck.update(overlaps)
            self.found, self.seen = self.found + len(hits), self.seen + len(overlaps)
            if self.is_vanilla:
                self.wound(overlaps)
            else:
                self.wound([self.find_enemy(hit) for hit in hits], [hit.point for hit in hits])
            self.frame_of_stroke += 1
            if self.is_vanilla and self.frame_of_stroke > 5:
                self.misses += [(*self.points[enemy], 40) for enemy in self.points.keys() - self.struck]
        for arrow in list(self.arrows):
            x, y = arrow.position
            arrow.move(1 / FPS)
            path = arrow.position[0] - x, arrow.position[1] - y
            wall = self.walls.cast((x, y), path, 1)
            hits = [hit for hit in arrow.hits(self.targets) if not hit.t > wall.t][:1]
            self.wound([self.find_enemy(hit) for hit in hits], [hit.point for hit in hits])
            if hits or wall.hit:
                self.arrows.remove(arrow)

    def move_enemies(self) -> None:
        for enemy in self.enemies:
            enemy.away = max(enemy.away - 1, 0)
        here = [enemy for enemy in self.enemies if not enemy.away]
        places, velocities = [enemy.position for enemy in here], [enemy.velocity for enemy in here]
        moved = self.walls.step(places, velocities, [enemy.radius for enemy in here], 1 / FPS)
        for k, enemy in enumerate(here):
            enemy.position = tuple(moved.position[k].tolist())
            enemy.velocity = tuple(moved.velocity[k].tolist())
            enemy.angle += enemy.spin / FPS
            enemy.flash = max(enemy.flash - 1, 0)
            self.place(enemy)
        self.sparks, self.misses = (
            [(x, y, left - 1) for x, y, left in marks if left > 1] for marks in (self.sparks, self.misses)
        )

    def find_enemy(self, hit: Any) -> Enemy:
        return next(enemy for enemy in self.enemies if enemy.sprite is hit.target)

    def wound(self, enemies: list[Enemy], points: list[tuple[float, float]] | None = None) -> None:
        for enemy in enemies:
            enemy.flash, enemy.lives = 12, enemy.lives - 1
            if not enemy.lives:
                self.score += 1
                self.sparks += [(x, y, 20) for x, y in enemy.to_world(enemy.corners)]
                (vx, vy), enemy.lives, enemy.away = enemy.velocity, LIVES, 2 * FPS
                enemy.position, enemy.velocity = enemy.home, (1.2 * vx, 1.2 * vy)
        self.sparks += [(x, y, 12) for x, y in points or ()]

    # --- what a library does --------------------------------------------------------------------------------

    def place(self, enemy: Enemy) -> None:
        """Move an enemy's sprite to where the enemy is."""
        raise NotImplementedError

    def find_overlaps(self) -> list[Enemy]:
        """The enemies that the sword overlaps in this frame, by the library's own test."""
        raise NotImplementedError
