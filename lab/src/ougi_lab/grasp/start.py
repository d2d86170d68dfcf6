"""Whether a grasp can start: what overlaps cannot be asked how far it may go."""

from __future__ import annotations

from itertools import chain

import numpy as np

from ougi._typing import Floats
from ougi.motion import Translation3d
from ougi.radar import Meshes, collide
from ougi.radar.collide import OVERLAPPING
from ougi.radar.meshes import as_meshes
from ougi.shapes import Mesh
from ougi_lab.grasp.hand import PARTS, Hand, part_name
from ougi_lab.grasp.sensors import body_of, owner_of

# As a share of the hand's size: a way so short that it ends where it began.
_HARDLY = 1e-9


def refuse_overlaps(hand: Hand, target: Mesh, turn: Floats, shift: Floats) -> None:
    """Raise ValueError if the target is not closed, or a part overlaps it, another hand or its own hand."""
    as_meshes("target", target)
    parts = list(chain.from_iterable(hand.posed(turn, shift)))
    hands = [owner_of(1 + k) for k in range(len(parts))]
    ignored = [[body_of(k, other) for other in _joined(part)] for k, part in hands]
    rows = [row + [-1] * (PARTS - len(row)) for row in ignored]
    way = Translation3d([0.0, 0.0, _HARDLY * hand.size])
    found = collide(Meshes(parts), Meshes([target, *parts]), way, ignore=np.array(rows))
    overlapping = found.status == OVERLAPPING
    if overlapping.any():
        first = int(np.argmax(overlapping))
        k, part = hands[first]
        thing = thing_of(int(found.body[first]), k)
        raise ValueError(
            f"at the start the {part_name(part)} of hand {k} overlaps {thing}: place or bend it otherwise"
        )


def _joined(part: int) -> list[int]:
    """A part itself and those that hinges join to it."""
    return [other for other in range(PARTS) if other == part or are_joined(part, other)]


def are_joined(one: int, other: int) -> bool:
    """Does a hinge join two parts of a hand?

    >>> are_joined(0, 4), are_joined(4, 5), are_joined(3, 4)
    (True, True, False)
    """
    low, high = sorted((one, other))
    return high % 3 == 1 if low == 0 else high == low + 1 and high % 3 != 1


def thing_of(body: int, k: int) -> str:
    """What a body is to hand k.

    >>> thing_of(0, 0), thing_of(1, 0), thing_of(17, 0)
    ('the target', 'its palm', 'the palm of hand 1')
    """
    hand, part = owner_of(body)
    if hand < 0:
        return "the target"
    return f"its {part_name(part)}" if hand == k else f"the {part_name(part)} of hand {hand}"
