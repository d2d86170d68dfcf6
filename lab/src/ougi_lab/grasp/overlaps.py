"""Refuse a grasp that starts with an overlap, because overlapping bodies have no free distance."""

from __future__ import annotations

from itertools import chain

import numpy as np

from ougi._typing import Floats
from ougi.motion import Translation3d
from ougi.radar import Meshes, collide
from ougi.results import Status
from ougi.shapes import Mesh
from ougi_lab.grasp.hand import PARTS, Hand, part_name
from ougi_lab.grasp.sensors import body_index, find_owner
from ougi_lab.scenes.meshes import make_solid

# Share of the hand's size: a negligible motion.
_TINY = 1e-9


def refuse_overlaps(hand: Hand, target: Mesh, turn: Floats, shift: Floats) -> None:
    """Raise ValueError if the target is not closed, or a part overlaps it, another hand or its own hand."""
    solid = make_solid(target)
    parts = list(chain.from_iterable(hand.place_meshes(turn, shift)))
    hands = [find_owner(1 + k) for k in range(len(parts))]
    ignored = [[body_index(k, other) for other in _list_joined(part)] for k, part in hands]
    rows = [row + [-1] * (PARTS - len(row)) for row in ignored]
    motion = Translation3d([0.0, 0.0, _TINY * hand.size])
    bodies = [make_solid(part) for part in parts]
    found = collide(Meshes(bodies), motion, Meshes([solid, *bodies]), ignore=np.array(rows))
    overlapping = found.status == Status.OVERLAPPING
    if overlapping.any():
        first = int(np.argmax(overlapping))
        k, part = hands[first]
        thing = describe_body(int(found.body[first]), k)
        raise ValueError(
            f"at the start the {part_name(part)} of hand {k} overlaps {thing}; place or bend it differently"
        )


def _list_joined(part: int) -> list[int]:
    """Return a part and those that hinges join to it."""
    return [other for other in range(PARTS) if other == part or is_joined(part, other)]


def is_joined(one: int, other: int) -> bool:
    """Does a hinge join two parts of a hand?

    >>> is_joined(0, 4), is_joined(4, 5), is_joined(3, 4)
    (True, True, False)
    """
    low, high = sorted((one, other))
    return high % 3 == 1 if low == 0 else high == low + 1 and high % 3 != 1


def describe_body(body: int, k: int) -> str:
    """Describe a body from the point of view of hand k.

    >>> describe_body(0, 0), describe_body(1, 0), describe_body(17, 0)
    ('the target', 'its palm', 'the palm of hand 1')
    """
    hand, part = find_owner(body)
    if hand < 0:
        return "the target"
    return f"its {part_name(part)}" if hand == k else f"the {part_name(part)} of hand {hand}"
