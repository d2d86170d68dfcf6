"""RADAR sec. 4.4: a hand searches for an object, approaches it and closes around it, guided by radars."""

from __future__ import annotations

from ougi_lab.grasp.hand import FINGERS, Hand, build_human_hand
from ougi_lab.grasp.simulate import Grasp, GraspEvent, GraspFrame, StepSizes, simulate_grasp
from ougi_lab.grasp.targets import TARGETS, place_around_box, place_five_hands, place_one_hand, turn_box

__all__ = [
    "FINGERS",
    "TARGETS",
    "Grasp",
    "GraspEvent",
    "GraspFrame",
    "Hand",
    "StepSizes",
    "build_human_hand",
    "place_around_box",
    "place_five_hands",
    "place_one_hand",
    "simulate_grasp",
    "turn_box",
]
