"""Every figure of the papers that can be drawn: its caption in English, and our drawing of it."""

from __future__ import annotations

from typing import NamedTuple


class PaperFigure(NamedTuple):
    """A figure of a paper, its caption, and the name of the drawing of `ougi figures`."""

    paper: str
    number: str
    caption: str
    drawing: str


def _build(paper: str, rows: tuple[tuple[str, str, str], ...]) -> tuple[PaperFigure, ...]:
    return tuple(PaperFigure(paper, number, caption, drawing) for number, caption, drawing in rows)


CAPTIONS = (
    *_build("FAN", (
        ("2.1", "An example of the assumed rotation", "fan-2.1"),
        ("2.2", "The piece-of-cake type", "fan-2.2"),
        ("2.3", "The Baumkuchen type", "fan-2.2"),
        ("2.4", "Definition of the points of the sector", "fan-2.4"),
        ("2.5", "When Pz is outside of the slab", "fan-2.5"),
        ("2.6", "When Pz is inside of the slab", "fan-2.5"),
        ("2.7", "The three cases that the discriminants show", "fan-2.7"),
        ("2.8", "An example in which no t satisfies (2.14), (2.15) and (2.20), but sector and capsule "
                "interfere", "fan-2.8"),
        ("2.9", "The shape of the pseudo-capsule from the position of slab and capsule", "fan-2.9"),
        ("2.10", "The pseudo-capsule enclosed by a capsule in the plane", "fan-2.10"),
        ("2.11", "Diagram of the variable w", "fan-2.11"),
        ("2.12", "A sector in a cloud of points", "fan-2.13"),
        ("2.13", "The points in the sector change their color", "fan-2.13"),
        ("2.14", "Sector and rectangle without interference", "fan-2.15"),
        ("2.15", "Sector and rectangle that interfere", "fan-2.15"),
        ("2.16", "Sector and sphere without interference", "fan-2.17"),
        ("2.17", "Sector and sphere that interfere", "fan-2.17"),
        ("2.18", "Sector and planar capsule without interference", "fan-2.19"),
        ("2.19", "Sector and planar capsule that interfere", "fan-2.19"),
        ("2.20", "Sector and capsule in space without interference", "fan-2.21"),
        ("2.21", "Sector and capsule in space that interfere", "fan-2.21"),
        ("2.22", "A case in which the result for sector and capsule in space is wrong", "fan-2.22"),
        *((f"3.{k}", f"The points of group {group}", f"fan-3.{k}") for k, group in enumerate("ABCDEFG", 1)),
        ("3.8", "Accuracy of collision detection for each range of angles", "fan-3.8"),
        ("3.9", "Accuracy of collision detection by height minus width of the box", "fan-3.9"),
        ("3.10", "Box plot of the execution times (ms) of DCD methods in the plane", "fan-3.10"),
        ("3.11", "Box plot of the execution times (ms) of DCD methods in space", "fan-3.11"),
        ("3.12", "Box plot of the execution times (ms) of CCD methods, the test alone", "fan-3.12"),
        ("3.13", "Box plot of the execution times (ms) of CCD methods, the shape alone", "fan-3.13"),
        ("3.14", "Box plot of the execution times (ms) of CCD methods", "fan-3.14"),
        ("4.1", "The sector of a small angle of rotation", "fan-4.1"),
    )),
    *_build("FAN2D", (
        ("2.1", "An example of the rotation in this study", "fan2d-2.1"),
        ("2.2", "The shortcake type", "fan2d-2.2"),
        ("2.3", "The Baumkuchen type", "fan2d-2.2"),
        ("2.4", "Definition of the points of the sector", "fan2d-2.4"),
        ("3.1", "Rotation speed and number of collisions of each method", "fan2d-3.1"),
        ("3.2", "Where the collisions of the sector and of the turning rectangle R differ", "fan2d-3.2"),
        ("3.3", "Rotation speed and number of common hits of each method", "fan2d-3.3"),
        ("3.4", "Rotation speed and number of excess hits of each method", "fan2d-3.4"),
        ("3.5", "Rotation speed and number of missed hits of each method", "fan2d-3.5"),
        ("3.6", "Rotation speed and number of wrong results of each method", "fan2d-3.6"),
    )),
    *_build("SORT", (
        ("1", "Bounding sphere", "sort-1"),
        ("2", "Bounding box", "sort-1"),
        ("3", "Detection by brute force", "sort-3"),
        ("4", "Sorted by the distance from the origin", "sort-4"),
        ("5", "Only those with near distances are tested", "sort-5"),
        ("6", "Bounding box", "sort-6"),
        ("7", "Bodies that may collide overlap", "sort-7"),
        ("8", "The axis with the fewest candidates is chosen (here y)", "sort-8"),
        ("9", "The running program", "sort-9"),
        ("10", "Times of collision detection by the three methods", "sort-10"),
        ("11", "Times relative to those of brute force", "sort-11"),
        ("12", "Times if the axis with the fewest candidates is chosen", "sort-12"),
    )),
    *_build("RADAR", (
        ("1", "Definition of viewing volume for object detection", "radar-1"),
        ("2", "Definition of viewing volume for collision detection", "radar-2"),
        ("3", "Generation of the range distance scope for collision detection", "radar-3"),
        ("4", "Generation of the mask distance scope", "radar-3"),
        ("5", "Generation of the look-at distance scope", "radar-3"),
        ("6", "Estimation of center of collision and normal vector", "radar-6"),
        ("7", "Cost of collision detection", "radar-7"),
        ("8", "Detection cost for number of Cyber Radars", "radar-8"),
        ("9", "Viewing volume for object detection", "radar-9"),
        ("10", "Reset of the target area by the mask distance scope", "radar-10"),
        ("11", "Collision detection", "radar-11"),
        ("12", "Cyber Radars of the hand", "radar-12"),
        ("13", "Grasp simulation", "radar-grasp"),
        ("14", "Simulation with various models", "radar-grasp"),
        ("15", "Simulation of five hands", "radar-five-hands"),
        ("16", "Number of detections and frame rate of the grasp simulation", "radar-16"),
    )),
    *_build("CORRIDOR", (
        ("1", "A character that moves in a corridor made of segments", "corridor-1"),
        ("2", "Collision of ball and segment", "corridor-2"),
        ("3", "Groups of segments", "corridor-3"),
        ("4", "FPS in every second", "corridor-4"),
    )),
)  # fmt: skip

# A drawing -> the experiment and the figure of it that show it.
FROM_RUNS = {
    **{f"fan-3.{k}": ("fan-accuracy", f"figure-3-{k}") for k in range(1, 10)},
    **{f"fan-3.{k}": ("fan-speed", f"figure-3-{k}") for k in range(10, 15)},
    **{f"fan2d-3.{k}": ("fan2d", f"figure-3-{k}") for k in range(1, 7)},
    **{f"sort-{k}": ("sort", f"figure-{k}") for k in range(9, 13)},
    "radar-7": ("radar", "figure-7-embedded"),
    "radar-8": ("radar", "figure-8"),
    "radar-16": ("radar", "figure-16"),
    "corridor-4": ("corridor", "figure-4"),
}
