"""RADAR chapter 4: figures 7, 8 and 16, and how accurate pixels are.

The paper times Cyber Radar on four machines of 2002: a detection by polygons, view volume and pixels (sec.
4.2), many radars at once (4.3), and grasping hands (4.4). Its values exist only as pictures; what the text
says of them is what can be held against ours. Each part stands in a module of its own, with what it does and
what differs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ougi.errors import InvalidInputError
from ougi_lab.measure import CLOCK
from ougi_lab.reproduce import radar_cost, radar_error, radar_grasp, radar_many
from ougi_lab.reproduce.experiment import Outcome, Section
from ougi_lab.reproduce.radar_frames import RadarSizes

# Parts in the order of the report: modules with `measure(sizes, seed)`, which returns numbers that a file can
# hold, and `summarize(numbers, enough=...)`, which makes a Section of them.
PARTS: dict[str, Any] = {
    "cost": radar_cost,
    "many": radar_many,
    "error": radar_error,
    "grasp": radar_grasp,
}


# Rounds from which on times are judged.
ENOUGH = 3


def run(
    *,
    repeats: int = 15,
    polygons: int = 100_626,
    frames: int = 10_000,
    contacts: int = 100,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Measure costs, let spheres bounce and hands grasp, and compare pixels with exact contacts.

    Parameters
    ----------
    repeats
        Rounds of which the best counts: other work on the machine only adds to them.
    polygons
        Of the largest scene of figure 7.
    frames
        In which spheres bounce, every one audited.
    contacts
        Of each kind of sensor, whose errors are counted.
    seed
        Decides worlds and contacts.
    progress
        Called with the parts done and all parts.
    """
    sizes = RadarSizes(repeats, polygons, frames, contacts)
    for name, value in sizes._asdict().items():
        if value < 1:
            raise InvalidInputError(f"{name} must be positive, got {value}")
    numbers: dict[str, Any] = {"sizes": sizes._asdict(), "seed": seed, "clock": CLOCK.name}
    for done, (name, part) in enumerate(PARTS.items()):
        if progress is not None:
            progress(done, len(PARTS))
        numbers[name] = part.measure(sizes, seed)
    return build_outcome(numbers)


def build_outcome(numbers: dict[str, Any]) -> Outcome:
    """Tables, figures and verdicts of all parts."""
    sections: list[Section] = [
        part.summarize(numbers[name], enough=numbers["sizes"]["repeats"] >= ENOUGH)
        for name, part in PARTS.items()
        if name in numbers
    ]
    return Outcome(
        name="radar",
        title="Cyber Radar: cost, many radars, accuracy, grasping hands (RADAR 4)",
        parameters={
            "rounds": numbers["sizes"]["repeats"],
            "clock": numbers["clock"],
            "the paper's machines": (
                "Low-end: Pentium 3 450 MHz, 3Dlabs Oxygen VX1. Middle-class: Pentium 3 1 GHz, GeForce2 MX. "
                "High-class: Pentium 4 1.8 GHz, GeForce3. Professional: 2 Xeon 1.8 GHz, 3Dlabs Wildcat 5110"
            ),
            **{name: value for section in sections for name, value in section.parameters.items()},
        },
        tables=tuple(table for section in sections for table in section.tables),
        figures=tuple(figure for section in sections for figure in section.figures),
        verdicts=tuple(verdict for section in sections for verdict in section.verdicts),
        notes=tuple(note for section in sections for note in section.notes),
        numbers=numbers,
    )
