"""An ordinary pygame game: a sword, bullets, spinning polygons and a room of tiles. Nine lines of ougi."""

import math
import random

import pygame

from ougi.adapters.pygame import Sprites, Swing

MAP = (
    "####################",
    "#..................#",
    "#..................#",
    "#....##......##....#",
    "#....#........#....#",
    "#..................#",
    "#..................#",
    "#..................#",
    "#....#........#....#",
    "#....##......##....#",
    "#..................#",
    "#..................#",
    "####################",
)
TILE = 32
log = []  # what was hit, in which frame


class Tile(pygame.sprite.Sprite):
    def __init__(self, x, y):
        super().__init__()
        self.image = pygame.Surface((TILE, TILE))
        self.rect = self.image.get_rect(topleft=(x * TILE, y * TILE))


class Enemy(pygame.sprite.Sprite):
    def __init__(self, x, y, rng):
        super().__init__()
        self.points = [(14, 0), (4, 13), (-12, 8), (-12, -8), (4, -13)]
        self.picture = pygame.Surface((30, 30), pygame.SRCALPHA)
        pygame.draw.polygon(self.picture, "steelblue", [(a + 15, b + 15) for a, b in self.points])
        self.hitbox = self.points
        self.x, self.y, self.angle = x, y, 0.0
        self.vx, self.vy, self.spin = rng.uniform(-3, 3), rng.uniform(-3, 3), rng.uniform(-9, 9)
        self.update()

    def update(self):
        self.x, self.y, self.angle = self.x + self.vx, self.y + self.vy, self.angle + self.spin
        if not 50 < self.x < 590:
            self.vx = -self.vx
        if not 50 < self.y < 366:
            self.vy = -self.vy
        self.image = pygame.transform.rotate(self.picture, self.angle)
        self.rect = pygame.FRect(self.image.get_rect())
        self.rect.center = self.x, self.y
        self.mask = pygame.mask.from_surface(self.image)


class Bullet(pygame.sprite.Sprite):
    def __init__(self, x, y, angle):
        super().__init__()
        self.rect = pygame.FRect(0, 0, 4, 4)
        self.rect.center = x, y
        self.vx, self.vy = 40 * math.cos(angle), 40 * math.sin(angle)

    def update(self):
        self.rect.x += self.vx
        self.rect.y += self.vy


class Sword(pygame.sprite.Sprite):
    def __init__(self):
        super().__init__()
        self.picture = pygame.Surface((180, 180), pygame.SRCALPHA)
        self.picture.fill("gold", (110, 87, 70, 6))
        self.frame = 99

    def start(self):
        self.frame, self.struck = 0, set()

    def update(self, hand, heading):
        self.frame += 1
        self.angle = heading + 100 - 50 * self.frame
        self.image = pygame.transform.rotate(self.picture, self.angle)
        self.rect = self.image.get_rect(center=hand)
        self.mask = pygame.mask.from_surface(self.image)


def main(frames, record=None):
    pygame.init()
    screen, rng, hand = pygame.display.set_mode((640, 416)), random.Random(7), (320, 208)
    tiles = pygame.sprite.Group(Tile(x, y) for y, row in enumerate(MAP) for x in range(20) if row[x] == "#")
    enemies = pygame.sprite.Group(Enemy(rng.uniform(60, 580), rng.uniform(60, 350), rng) for _ in range(24))
    bullets, sword = pygame.sprite.Group(), Sword()
    blade, targets, shots, walls = Swing(sword.picture), Sprites(enemies), Sprites(), Sprites(tiles)
    for frame in range(frames):
        heading = frame * 7
        if frame % 10 == 0:
            sword.start()
            blade.begin()
        if frame % 4 == 0:
            bullets.add(Bullet(*hand, math.radians(heading)))
        enemies.update()
        bullets.update()
        targets.update(enemies)
        shots.update(bullets)
        if sword.frame < 4:
            sword.update(hand, heading)
            for enemy, *_ in blade.strike(hand, sword.angle, targets):
                if enemy not in sword.struck:
                    sword.struck.add(enemy)
                    log.append((frame, "sword", enemy))
        for bullet, hit in shots.first_hits(targets, walls).items():
            bullet.kill()
            log.append((frame, bullet, hit[0]))
        for bullet in pygame.sprite.groupcollide(bullets, tiles, True, False):
            log.append((frame, bullet, "wall"))
        if record:
            record(frame, hand, sword, enemies, bullets)
        screen.fill("white")
        for group in (tiles, enemies):
            group.draw(screen)
        pygame.display.flip()
