"""RADAR sec. 4.4: a hand that looks for a thing, goes there and closes around it, steered by radars."""

from __future__ import annotations

from ougi_lab.grasp.hand import FINGERS, Hand, human
from ougi_lab.grasp.simulate import Event, Frame, Grasp, Pace, grasp
from ougi_lab.grasp.targets import TARGETS, five_hands, one_hand

__all__ = [
    "FINGERS",
    "TARGETS",
    "Event",
    "Frame",
    "Grasp",
    "Hand",
    "Pace",
    "five_hands",
    "grasp",
    "human",
    "one_hand",
]
