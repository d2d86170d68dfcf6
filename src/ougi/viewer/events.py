"""The events of a check, as the viewer shows them: from a report, or from the JSON of `ougi check`."""

from __future__ import annotations

import html
import json
import math
from dataclasses import dataclass
from pathlib import Path

from ougi._typing import JsonObject, JsonValue
from ougi.checks.report import SCHEMA, Report
from ougi.errors import InvalidInputError
from ougi.scene import Scene

# What a method makes of a contact, and how the page and the scene show it: colour, and a word beside it.
HIT, MISSED, GHOST, UNKNOWN = "hit", "missed", "ghost", "unsupported"
_EVENT_TYPES = {"found": HIT, "late": HIT, "missed": MISSED, "ghost": GHOST, "unsupported": UNKNOWN}


@dataclass(frozen=True)
class Event:
    """Something that happens at a time: a contact, one that a method misses, or a ghost."""

    time: float
    a: str
    b: str
    what: str  # hit, missed, ghost or unsupported
    note: str  # the words of the check
    point: tuple[float, ...] | None  # where, if that is known


@dataclass(frozen=True)
class EventList:
    """All events of one method, by time."""

    method: str
    fps: float
    events: tuple[Event, ...]

    @property
    def times(self) -> list[float]:
        """When something happens, each time once."""
        return sorted({event.time for event in self.events})


def build_events(rows: list[JsonObject], method: str, fps: float) -> EventList:
    """From the records of a check (`ougi.checks.records`), with the same times to the last bit.

    For another method than `exact` the events are the contacts that it reports, at its times, and its misses.
    """
    contacts = [row for row in rows if row["kind"] == "contact"]
    if method == "exact":
        events = [_build_contact_event(row) for row in contacts]
    else:
        points = {(row["a"], row["b"], row["time"]): row["point"] for row in contacts}
        compared = [row for row in rows if row["kind"] == "comparison"]
        events = [_build_method_event(row, points.get((row["a"], row["b"], row["time"]))) for row in compared]
    return EventList(method, fps, tuple(sorted(events, key=lambda event: event.time)))


def _build_contact_event(row: JsonObject) -> Event:
    what = UNKNOWN if row["status"] == "unsupported" else HIT
    return Event(_read_time(row["time"]), row["a"], row["b"], what, row["status"], _read_point(row["point"]))


def _build_method_event(row: JsonObject, point: JsonValue) -> Event:
    what = _EVENT_TYPES[row["status"]]
    seen = row["method_time"] if what in (HIT, GHOST) else row["time"]
    return Event(_read_time(seen), row["a"], row["b"], what, row["status"], _read_point(point))


def _read_time(value: JsonValue) -> float:
    return 0.0 if value is None else float(value)


def _read_point(value: JsonValue) -> tuple[float, ...] | None:
    known = value is not None and all(x is not None and math.isfinite(x) for x in value)
    return tuple(float(x) for x in value) if known else None


def list_report_events(report: Report, fps: float) -> EventList:
    """The events of a report."""
    return build_events(report.to_records(), report.method, fps)


def read_result(path: Path) -> tuple[EventList, JsonObject]:
    """What `ougi check --format json` wrote, and how to read its scene: `path` and options.

    `require_same_scene` tests whether it is still the scene that was checked.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        parameters, scene = document["parameters"], document["scene"]
        sources = {"path": scene["file"], **scene.get("sources", {})}
        rows = [*document["contacts"], *document["near_misses"], *document["comparison"]]
        result = build_events(rows, parameters["method"], float(parameters["fps"]))
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInputError(
            f"{path.name} must be a scene or a result of `ougi check --format json`: {error!r}"
        ) from error
    return result, sources


def require_same_scene(path: Path, scene: Scene) -> None:
    """Refuse a scene of other length or with another number of bodies than a result has."""
    recorded = json.loads(path.read_text(encoding="utf-8"))["scene"]
    if (recorded["bodies"], recorded["seconds"]) != (len(scene.bodies), scene.duration):
        raise InvalidInputError(
            f"{path.name} is about {recorded['bodies']} bodies in {recorded['seconds']:g} s, but "
            f"{recorded['file']} has {len(scene.bodies)} in {scene.duration:g} s: give "
            "the trajectory or animation that was checked, or check anew"
        )


def is_result(path: Path) -> bool:
    """Is this the JSON of a check, not of a scene?"""
    if path.suffix.lower() != ".json":
        return False
    with path.open("rb") as file:
        return f'"{SCHEMA}"'.encode() in file.read(200)


_COLORS = {HIT: "#d73a2d", MISSED: "#1f4e9c", GHOST: "#7b3fa0", UNKNOWN: "#5c5c5c"}


def format_html(result: EventList) -> str:
    """A list of events. Names are texts of the scene: they are escaped, so that they are no HTML."""
    if not result.events:
        return '<p class="ougi-none">no contacts</p>'
    lines = [
        f'<tr class="ougi-event" data-time="{event.time!r}" data-what="{event.what}">'
        f'<td style="text-align:right;white-space:nowrap">{event.time:.6f} s</td>'
        f"<td>{html.escape(event.a)}, {html.escape(event.b)}</td>"
        f'<td style="color:{_COLORS[event.what]};font-weight:bold">{html.escape(event.note)}</td></tr>'
        for event in result.events[:200]
    ]
    more = len(result.events) - len(lines)
    rest = f"<p>and {more:,} more</p>" if more > 0 else ""
    style = "font-size:0.8em;width:100%;border-spacing:0.5em 0"
    return f'<table style="{style}">{"".join(lines)}</table>{rest}'
