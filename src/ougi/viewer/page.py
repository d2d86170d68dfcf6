"""The page of a scene: its timeline, its events, and which method is asked."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any, get_args

from ougi.checks import Method
from ougi.viewer.latest import Latest
from ougi.viewer.stage import Stage, sector_method
from ougi.viewer.told import Told, as_html

_STEPS = 1000  # of the slider
_MARKS = 12  # contacts that are marked on it
_RATE = 30.0  # frames per second of playing
_SPEEDS = ("1/100", "1/30", "1/10", "1/3", "1", "3")


class Page:
    """Controls beside a stage. Callbacks come on viser's threads: all they do is ask the one that works.

    Parameters
    ----------
    server
        Of viser.
    stage
        What is shown.
    told
        What happens in it.
    again
        Asks another method, at so many frames per second.
    """

    def __init__(self, server: Any, stage: Stage, told: Told, again: Callable[[str, float], Told]) -> None:
        self._server, self._stage, self._again = server, stage, again
        self._t, self.duration = 0.0, stage.scene.duration
        self._told, self._marked = told, told.times
        self._playing = threading.Event()
        self._closed = threading.Event()
        self._lock = threading.Lock()  # of the stage, which both workers change
        self._drawing: Latest[float] = Latest(self._draw)
        self._asking: Latest[None] = Latest(lambda _: self._ask())
        self._build(server.gui)
        self._tell(told)
        stage.look(server.initial_camera)
        self._player = threading.Thread(target=self._play, name="ougi player", daemon=True)
        self._player.start()

    def close(self) -> None:
        """End the threads."""
        self._closed.set()
        self._playing.set()
        self._player.join()
        self._asking.close()
        self._drawing.close()

    # --- controls -------------------------------------------------------------------------------------------

    def _build(self, gui: Any) -> None:
        gui.set_panel_label("ougi")
        length = self.duration or 1.0
        self._clock = gui.add_html("")
        self._order: float | None = None
        self._slider = self._slider_with(self._told.times)
        self._order = self._slider.order  # those that come later stand in the same place
        self._buttons = gui.add_button_group("go", ("play", "-1", "+1", "first", "next"))
        slow = next((s for s in reversed(_SPEEDS) if length / _speed(s) >= 2.0), _SPEEDS[0])
        self._speed = gui.add_dropdown("speed", _SPEEDS, initial_value=slow)
        self._method = gui.add_dropdown("method", get_args(Method), initial_value=self._told.method)
        self._fps = gui.add_number("frames/s", self._told.fps, min=1.0, max=1000.0, step=1.0)
        self._sectors = gui.add_checkbox("swept sectors", False)
        self._list = gui.add_html("")
        self._buttons.on_click(lambda event: self._pressed(self._buttons.value))
        for control in (self._method, self._fps, self._sectors):
            control.on_update(lambda event: self._asking.ask(None))

    def _slider_with(self, times: list[float]) -> Any:
        """A slider with marks at these times; viser cannot change those of one that is there."""
        length = self.duration or 1.0
        marks = tuple(times[:_MARKS])
        slider = self._server.gui.add_slider(
            "time", 0.0, length, length / _STEPS, self._t, marks=marks, order=self._order
        )
        slider.on_update(lambda event: self._dragged(event, event.target.value))
        return slider

    def _dragged(self, event: Any, value: float) -> None:
        if event.client is not None:  # else it is we who have set it
            self._playing.clear()
            self.go(value)

    def _pressed(self, button: str) -> None:
        times, frame = self._told.times, 1 / self._fps.value
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
            self.go(times[0] if times else 0.0)
        elif button == "next":
            self.go(next((t for t in times if t > self._t), times[0] if times else 0.0))
        else:
            number = self._t / frame
            self.go(
                frame * (math.floor(number + 1e-9) + 1 if button == "+1" else math.ceil(number - 1e-9) - 1)
            )

    # --- time -----------------------------------------------------------------------------------------------

    def go(self, t: float) -> None:
        """To another time, as soon as what is being drawn is done."""
        self._t = min(max(t, 0.0), self.duration)
        self._drawing.ask(self._t)

    def rest(self) -> None:
        """Wait until all that was asked is shown."""
        self._asking.rest()
        self._drawing.rest()

    def _draw(self, t: float) -> None:
        with self._lock, self._server.atomic():
            self._stage.show(t)
            self._clock.content = _clock(t, self._told)
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
                self.go(self._t + passed * _speed(self._speed.value))
                if self._t >= self.duration:
                    self._playing.clear()
                self._closed.wait(1 / _RATE)

    # --- methods --------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Ask the chosen method, if it is another one, and show the chosen sectors."""
        method, fps = self._method.value, float(self._fps.value)
        if (method, fps) != (self._told.method, self._told.fps):
            self._list.content = "<p>asking ...</p>"
            self._tell(self._again(method, fps))
        with self._lock:
            self._stage.sweeps(sector_method(method) if self._sectors.value else None)

    def _tell(self, told: Told) -> None:
        self._told = told
        with self._lock, self._server.atomic():
            self._stage.tell(told)
            self._list.content = as_html(told)
            if told.times != self._marked:
                self._slider.remove()
                self._slider, self._marked = self._slider_with(told.times), told.times
        self._drawing.ask(self._t)


def _speed(text: str) -> float:
    """1/30 as a number."""
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


def _clock(t: float, told: Told) -> str:
    """The time, and how many events have been."""
    been = sum(event.time <= t for event in told.events)
    return (
        f'<div id="ougi-clock" data-time="{t!r}" data-been="{been}" style="padding:0.4em 0.8em">'
        f"<b>{t:.6f} s</b>, {been} of {len(told.events)} events</div>"
    )
