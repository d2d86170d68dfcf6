"""RADAR chapter 4: figures 7 and 8, and how accurate pixels are.

The paper times Cyber Radar on four machines of 2002: a detection by polygons, view volume and pixels (sec.
4.2), and many radars at once (4.3). Its values exist only as pictures; what the text says of them is what can
be held against ours. Each part stands in a module of its own, with what it does and what differs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ougi.errors import InvalidInputError
from ougi.lab.measure import CLOCK
from ougi.lab.reproduce import radar_cost, radar_error, radar_many
from ougi.lab.reproduce.experiment import Outcome, Section

# Part -> what tells of its numbers; `run` measures them under the same names.
TOLD: dict[str, Callable[[dict[str, Any]], Section]] = {
    "cost": radar_cost.told,
    "many": radar_many.told,
    "error": radar_error.told,
}


def run(
    *,
    repeats: int = 9,
    polygons: int = 100_626,
    frames: int = 10_000,
    contacts: int = 100,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Measure costs, let spheres bounce, and compare pixels with exact contacts.

    Parameters
    ----------
    repeats
        Rounds of which medians are taken.
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
    for name, value in (
        ("repeats", repeats), ("polygons", polygons), ("frames", frames), ("contacts", contacts)
    ):  # fmt: skip
        if value < 1:
            raise InvalidInputError(f"{name} must be positive, got {value}")
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "cost": lambda: radar_cost.measure(repeats, polygons, seed),
        "many": lambda: radar_many.measure(repeats, frames, seed),
        "error": lambda: radar_error.measure(contacts, seed),
    }
    numbers: dict[str, Any] = {"repeats": repeats, "seed": seed, "clock": CLOCK.name}
    for done, (name, measure) in enumerate(parts.items()):
        if progress is not None:
            progress(done, len(parts))
        numbers[name] = measure()
    return outcome(numbers)


def outcome(numbers: dict[str, Any]) -> Outcome:
    """Tables, figures and verdicts of all parts."""
    sections = [told(numbers[name]) for name, told in TOLD.items() if name in numbers]
    return Outcome(
        name="radar",
        title="Cyber Radar: cost, many radars, accuracy (RADAR 4)",
        parameters={
            "rounds": numbers["repeats"],
            "clock": numbers["clock"],
            **{name: value for section in sections for name, value in section.parameters.items()},
        },
        tables=tuple(table for section in sections for table in section.tables),
        figures=tuple(figure for section in sections for figure in section.figures),
        verdicts=tuple(verdict for section in sections for verdict in section.verdicts),
        notes=tuple(note for section in sections for note in section.notes),
        numbers=numbers,
    )
