"""A recording: one HTML file that plays a scene, without Python and without a network."""

from __future__ import annotations

import html
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ougi.viewer.events import EventList, format_html
from ougi.viewer.stage import Stage

_FRAMES = 120  # besides the times of events
_SECONDS = (4.0, 12.0)  # shortest and longest recording
_LISTED = 100  # events that get a frame of their own

# To the right: notices of viser come from the left.
_BOX = (
    "position:fixed;right:0.8em;top:0.8em;max-width:26em;max-height:60%;overflow:auto;z-index:9;"
    "background:rgba(255,255,255,0.85);padding:0.4em 0.8em;border-radius:0.4em;font-family:sans-serif"
)


def record_scene(server: Any, stage: Stage, events: EventList, title: str, path: Path) -> Path:
    """Write the scene over all its time to a file; the path. Every event has a frame at its very time."""
    duration = stage.scene.duration
    lasts = float(np.clip(duration, *_SECONDS)) if duration else 0.0
    times = np.unique([*np.linspace(0, duration, _FRAMES + 1), *events.times[:_LISTED]])
    stage.aim_camera(server.initial_camera)
    stage.set_events(events)
    corner = stage.lower.copy()
    up = "xyz".index(stage.scene.up)
    corner[up] = stage.upper[up]
    clock = server.scene.add_label("/clock", "", position=tuple(corner), anchor="bottom-left")

    def show(t: float) -> None:
        stage.show_time(t)
        clock.text = f"{t:.4g} s"

    return write_recording(
        server, times, lasts, show, f"{_format_heading(title, duration, lasts)}{format_html(events)}", path
    )


def _format_heading(title: str, duration: float, lasts: float) -> str:
    """The title, and how fast time runs."""
    slower = lasts / duration if duration else 1.0
    speed = f", played {slower:.3g} times slower" if slower > 1 else f", played {1 / slower:.3g} times faster"
    return f"<b>{html.escape(title)}</b><br><small>{duration:.4g} s{speed if slower != 1 else ''}</small>"


def write_recording(
    server: Any, times: Any, lasts: float, show: Callable[[float], None], beside: str, path: Path
) -> Path:
    """Record what `show` shows at these times, in `lasts` seconds, with a text beside it."""
    show(float(times[0]))
    film = server.get_scene_serializer()
    whole = float(times[-1] - times[0]) or 1.0
    for before, t in pairwise(times):
        film.insert_sleep(lasts * float(t - before) / whole)
        show(float(t))
    page = film.as_html()
    at = page.rindex("</body>")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'{page[:at]}<aside id="ougi" style="{_BOX}">{beside}</aside>{page[at:]}', encoding="utf-8"
    )
    return path
