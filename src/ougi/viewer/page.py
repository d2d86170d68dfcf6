"""The page of a scene: its time slider, its events, and the method that is shown."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import get_args

from ougi._typing import Foreign
from ougi.checks import Method
from ougi.viewer.events import EventList, format_html
from ougi.viewer.hover import show_names_on_hover
from ougi.viewer.latest_only_worker import LatestOnlyWorker
from ougi.viewer.stage import Stage, choose_sector_method

_STEPS = 1000  # of the slider
_MARKS = 12  # contacts that are marked on it
_RATE = 30.0  # frames per second of playing
_SPEEDS = ("1/100", "1/30", "1/10", "1/3", "1", "3")


class Page:
    """Controls beside a stage. Callbacks run on viser's threads, so they only submit work to workers.

    Parameters
    ----------
    server
        Of viser.
    stage
        What is shown.
    events
        What happens in it.
    check_method
        Computes the events of a method at a number of frames per second.
    """

    def __init__(
        self,
        server: Foreign,
        stage: Stage,
        events: EventList,
        check_method: Callable[[str, float], EventList],
    ) -> None:
        self._server, self._stage, self._check_method = server, stage, check_method
        self._t, self.duration = 0.0, stage.scene.duration
        self._events, self._marked_times = events, events.times
        self._playing = threading.Event()
        self._closed = threading.Event()
        self._lock = threading.Lock()  # of the stage, which both workers change
        self._draw_worker: LatestOnlyWorker[float] = LatestOnlyWorker(self._draw)
        self._method_worker: LatestOnlyWorker[None] = LatestOnlyWorker(lambda _: self._update_method())
        self._build(server.gui)
        self._show_events(events)
        stage.aim_camera(server.initial_camera)
        show_names_on_hover(server, stage.group_names)
        self._player = threading.Thread(target=self._play, name="ougi player", daemon=True)
        self._player.start()

    def close(self) -> None:
        """End the threads."""
        self._closed.set()
        self._playing.set()
        self._player.join()
        self._method_worker.close()
        self._draw_worker.close()

    # --- controls -------------------------------------------------------------------------------------------

    def _build(self, gui: Foreign) -> None:
        gui.set_panel_label("ougi")
        length = self.duration or 1.0
        self._clock = gui.add_html("")
        self._order: float | None = None
        self._slider = self._add_slider(self._events.times)
        self._order = self._slider.order  # later sliders take the same place
        self._buttons = gui.add_button_group("go", ("play", "-1", "+1", "first", "next"))
        slow = next((s for s in reversed(_SPEEDS) if length / _parse_speed(s) >= 2.0), _SPEEDS[0])
        self._speed = gui.add_dropdown("speed", _SPEEDS, initial_value=slow)
        self._method = gui.add_dropdown("method", get_args(Method), initial_value=self._events.method)
        self._fps = gui.add_number("frames/s", self._events.fps, min=1.0, max=1000.0, step=1.0)
        self._sectors = gui.add_checkbox("swept sectors", False)
        self._names = gui.add_checkbox("names", self._stage.all_named)
        self._list = gui.add_html("")
        self._names.on_update(lambda event: self._toggle_names())
        self._buttons.on_click(lambda event: self._press_button(self._buttons.value))
        for control in (self._method, self._fps, self._sectors):
            control.on_update(lambda event: self._method_worker.submit(None))

    def _add_slider(self, times: list[float]) -> Foreign:
        """A slider with marks at these times; viser cannot change the marks of an existing slider."""
        length = self.duration or 1.0
        marks = tuple(times[:_MARKS])
        slider = self._server.gui.add_slider(
            "time", 0.0, length, length / _STEPS, self._t, marks=marks, order=self._order
        )
        slider.on_update(lambda event: self._drag_slider(event, event.target.value))
        return slider

    def _toggle_names(self) -> None:
        with self._lock, self._server.atomic():
            self._stage.show_names(self._names.value)

    def _drag_slider(self, event: Foreign, value: float) -> None:
        if event.client is not None:  # otherwise this program moved it
            self._playing.clear()
            self.seek(value)

    def _press_button(self, button: str) -> None:
        times, frame = self._events.times, 1 / self._fps.value
        if button == "play":
            if self._playing.is_set():
                self._playing.clear()
            else:
                if self._t >= self.duration:
                    self._t = 0.0
                self._playing.set()
            return
        self._playing.clear()
        if button == "first":
            self.seek(times[0] if times else 0.0)
        elif button == "next":
            self.seek(next((t for t in times if t > self._t), times[0] if times else 0.0))
        else:
            number = self._t / frame
            self.seek(
                frame * (math.floor(number + 1e-9) + 1 if button == "+1" else math.ceil(number - 1e-9) - 1)
            )

    # --- time -----------------------------------------------------------------------------------------------

    def seek(self, t: float) -> None:
        """To another time, as soon as what is being drawn is done."""
        self._t = min(max(t, 0.0), self.duration)
        self._draw_worker.submit(self._t)

    def wait_idle(self) -> None:
        """Wait until all submitted work is shown."""
        self._method_worker.wait_idle()
        self._draw_worker.wait_idle()

    def _draw(self, t: float) -> None:
        with self._lock, self._server.atomic():
            self._stage.show_time(t)
            self._clock.content = _format_clock(t, self._events)
            if abs(self._slider.value - t) > self._slider.step / 2:
                self._slider.value = t

    def _play(self) -> None:
        last = time.monotonic()
        while not self._closed.is_set():
            self._playing.wait()
            now = time.monotonic()
            passed = min(now - last, 2 / _RATE)  # after a pause only a frame has passed
            last = now
            if self._playing.is_set() and not self._closed.is_set():
                self.seek(self._t + passed * _parse_speed(self._speed.value))
                if self._t >= self.duration:
                    self._playing.clear()
                self._closed.wait(1 / _RATE)

    # --- methods --------------------------------------------------------------------------------------------

    def _update_method(self) -> None:
        """Compute the events of the selected method, if it has changed, and show the selected sectors."""
        method, fps = self._method.value, float(self._fps.value)
        if (method, fps) != (self._events.method, self._events.fps):
            self._list.content = "<p>computing ...</p>"
            self._show_events(self._check_method(method, fps))
        with self._lock:
            self._stage.show_sweeps(choose_sector_method(method) if self._sectors.value else None)

    def _show_events(self, events: EventList) -> None:
        self._events = events
        with self._lock, self._server.atomic():
            self._stage.set_events(events)
            self._list.content = format_html(events)
            if events.times != self._marked_times:
                self._slider.remove()
                self._slider, self._marked_times = self._add_slider(events.times), events.times
        self._draw_worker.submit(self._t)


def _parse_speed(text: str) -> float:
    """1/30 as a number."""
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


def _format_clock(t: float, events: EventList) -> str:
    """The time, and how many events have past."""
    past = sum(event.time <= t for event in events.events)
    return (
        f'<div id="ougi-clock" data-time="{t!r}" data-been="{past}" style="padding:0.4em 0.8em">'
        f"<b>{t:.6f} s</b>, {past} of {len(events.events)} events</div>"
    )
