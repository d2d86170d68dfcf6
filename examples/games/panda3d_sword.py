"""Panda3D: a sword in space. What does it hit between two frames?

    python examples/games/panda3d_sword.py          # opens a window; the space bar strikes
    python examples/games/panda3d_sword.py 60 [PNG] # plays 60 frames by itself, and saves the last one

Panda3D moves the nodes. ougi gets the sword's pose of the frame before and of this one, and the capsules of
the enemies with their displacements. In ursina, an Entity is such a node, so the same lines work there.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from direct.showbase.ShowBase import ShowBase
from panda3d.core import CardMaker, WindowProperties, load_prc_file_data

import ougi

FPS = 30
BLADE = ougi.Box([0, 0.9, 0], [0.08, 1.2, 0.02])  # in the frame of the hand; the blade points along y
PLACES = [(1.0, 0.6), (0.5, 1.2), (-0.7, 1.0), (-1.1, 0.2), (2.6, 0.0)]  # of enemies
HEIGHT, RADIUS = 1.6, 0.2


def read_pose(node: Any) -> ougi.Pose:
    """Where a node is, in the coordinates of the world. Panda3D has w first in quaternions, ougi last."""
    root = node.get_top()
    w, x, y, z = node.get_quat(root)
    return ougi.Pose(list(node.get_pos(root)), [x, y, z, w])


def make_bodies(places: Any) -> ougi.Capsule3d:
    """The enemies (n, 3) as capsules."""
    up = np.array([0.0, 0.0, 1.0])
    return ougi.Capsule3d(places + RADIUS * up, places + HEIGHT * up, RADIUS)


class Game:
    """A hero whose sword turns by 40 degrees per frame, among enemies that walk about."""

    def __init__(self, render: Any) -> None:
        self.hero = render.attach_new_node("hero")
        self.hand = self.hero.attach_new_node("hand")
        self.hand.set_pos(0, 0, 1.1)
        self.enemies = [render.attach_new_node(f"enemy {k}") for k in range(len(PLACES))]
        for enemy, (x, y) in zip(self.enemies, PLACES, strict=True):
            enemy.set_pos(x, y, 0)
        self.frame, self.stroke = 0, 99  # the frame, and that of the stroke
        self.hits: list[tuple[int, str, float]] = []  # frame, enemy, and share of the frame
        self.struck: set[int] = set()
        self.before, self.stood = read_pose(self.hand), self.read_places()

    def read_places(self) -> Any:
        return np.array([list(enemy.get_pos()) for enemy in self.enemies])

    def strike(self) -> None:
        """Begin a stroke from the right to the left, which takes five frames."""
        self.stroke, self.struck = 0, set()
        self.hand.set_h(-100)
        self.before = read_pose(self.hand)

    def update(self) -> None:
        """Move everything by a frame, and find what the sword has hit in between."""
        self.hero.set_y(0.3 * np.sin(self.frame / 10))
        for k, enemy in enumerate(self.enemies):
            enemy.set_x(enemy.get_x() + 0.02 * (-1) ** k)
        if self.stroke < 5:
            self.hand.set_h(-100 + 40 * (self.stroke + 1))
            self.stroke += 1
            self.find_hits()
        self.before, self.stood = read_pose(self.hand), self.read_places()
        self.frame += 1

    def find_hits(self) -> None:
        """The lines that ougi needs."""
        now, places = read_pose(self.hand), self.read_places()
        bodies = make_bodies(self.stood)
        steps = ougi.Translation3d(places - self.stood)
        first = ougi.time_of_impact(
            BLADE.transformed(self.before), ougi.between(self.before, now), bodies, steps
        )
        for k in np.flatnonzero(first.hit).tolist():
            if k not in self.struck:
                self.struck.add(k)
                self.hits.append((self.frame, self.enemies[k].get_name(), float(first.t[k])))

    def count_overlaps(self) -> int:
        """What a test once per frame finds: enemies in the blade where it is drawn."""
        blade = BLADE.transformed(read_pose(self.hand))
        return int(ougi.intersects(blade, make_bodies(self.read_places())).sum())


def add_cards(game: Game, render: Any) -> None:
    """Something to look at: a card for each enemy, and one for the blade."""
    for enemy in game.enemies:
        card = CardMaker("body")
        card.set_frame(-RADIUS, RADIUS, 0, HEIGHT)
        for turn in (0, 60, 120):
            path = enemy.attach_new_node(card.generate())
            path.set_h(turn)
            path.set_two_sided(True)
            path.set_color(0.3, 0.5, 0.7, 1)
    card = CardMaker("blade")
    card.set_frame(-0.04, 0.04, 0.3, 1.5)
    blade = game.hand.attach_new_node(card.generate())
    blade.set_p(-90)
    blade.set_two_sided(True)
    blade.set_color(0.9, 0.7, 0.2, 1)


def main(frames: int, picture: str = "") -> Game:
    """Play a number of frames alone; if it is 0, in a window and by hand."""
    kind = "offscreen" if picture else "none"
    load_prc_file_data("", "audio-library-name null")
    base: Any = ShowBase(windowType=kind if frames else None)
    game = Game(base.render)
    if not frames or picture:
        add_cards(game, base.render)
        base.disable_mouse()
        base.camera.set_pos(0, -7, 5)
        base.camera.look_at(0, 0.5, 0.5)
    if not frames:
        base.win.request_properties(WindowProperties(title="ougi and Panda3D"))
        base.accept("space", game.strike)

        def update(task: Any) -> Any:
            game.update()
            return task.again

        base.task_mgr.do_method_later(1 / FPS, update, "update")
        base.run()
    for frame in range(frames):
        if frame % 10 == 0:
            game.strike()
        game.update()
    if picture:
        game.hand.set_h(20)
        base.graphicsEngine.render_frame()
        base.win.save_screenshot(picture)
    base.destroy()
    print(f"{game.frame} frames, {len(game.hits)} hits")
    return game


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0, *sys.argv[2:3])
