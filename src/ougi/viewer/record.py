"""A recording: one HTML file that plays a scene, without Python and without a network."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from ougi._typing import Floats, Foreign
from ougi.viewer.events import EventList, format_html
from ougi.viewer.hover import show_names_on_hover
from ougi.viewer.stage import Stage

_FRAMES = 120  # besides the times of events
_SECONDS = (4.0, 12.0)  # shortest and longest recording
_LISTED = 100  # events that get a frame of their own

# To the right: notices of viser come from the left.
_BOX = (
    "position:fixed;right:0.8em;top:0.8em;max-width:30em;max-height:60%;overflow-y:auto;scrollbar-width:thin;z-index:9;"
    "background:rgba(255,255,255,0.85);padding:0.4em 0.8em;border-radius:0.4em;font-family:sans-serif"
)

# Moves the player of viser to a time of the scene: by the slider, and by a click at an event. While it plays
# the slider follows. The film runs evenly, so both times are proportional.
_SCRIPT = """<script>(() => {
  const slider = document.getElementById("ougi-time"), seconds = document.getElementById("ougi-seconds");
  const scale = slider.dataset.film / slider.max;
  const player = () => document.querySelector(".mantine-NumberInput-input");
  const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  let last = null, target = null;  // what the player showed last; a time that was chosen
  const show = t => { slider.value = t; seconds.textContent = Number(t.toPrecision(6)) + " s"; };
  const seek = t => {
    const input = player();
    if (!input) return;
    target = t;
    setter.call(input, String(t * scale + 1e-6));
    input.dispatchEvent(new Event("input", {bubbles: true}));
    show(t);
  };
  slider.addEventListener("input", () => seek(Number(slider.value)));
  for (const row of document.querySelectorAll("#ougi .ougi-event")) {
    row.style.cursor = "pointer";
    row.addEventListener("click", () => seek(Number(row.dataset.time)));
  }
  setInterval(() => {
    const value = player()?.value;
    if (value === undefined || value === last) return;
    last = value;
    // The player shows tenths of a second: a chosen time is shown as it is.
    const chosen = target !== null && Math.abs(value - target * scale) < 0.06;
    show(chosen ? target : Math.min(value / scale, slider.max));
  }, 100);
})();</script>"""


def record_scene(server: Foreign, stage: Stage, events: EventList, title: str, path: Path) -> Path:
    """Write the scene over all its time to a file; the path. Every event has a frame at its very time."""
    duration = stage.scene.duration
    lasts = float(np.clip(duration, *_SECONDS)) if duration else 0.0
    times = np.unique([*np.linspace(0, duration, _FRAMES + 1), *events.times[:_LISTED]])
    stage.aim_camera(server.initial_camera)
    stage.set_events(events)
    show_names_on_hover(server, stage.group_names)
    beside = f"{_format_heading(title, duration, lasts)}{format_html(events)}{_SCRIPT if duration else ''}"
    return write_recording(server, times, lasts, stage.show_time, beside, path)


def _format_heading(title: str, duration: float, lasts: float) -> str:
    """The title, a slider in seconds of the scene, and how fast time runs."""
    heading = f"<b>{html.escape(title)}</b>"
    if not duration:
        return heading
    return (
        f'{heading}<div style="white-space:nowrap"><input id="ougi-time" type="range" min="0" step="any" '
        f'max="{duration!r}" value="0" data-film="{lasts!r}" style="vertical-align:middle"> '
        '<b id="ougi-seconds">0 s</b> '
        f"<small>of {duration:.4g} s, speed × {duration / lasts:.3g}</small></div>"
    )


def write_recording(
    server: Foreign,
    times: Sequence[float] | Floats,
    lasts: float,
    show: Callable[[float], None],
    beside: str,
    path: Path,
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
