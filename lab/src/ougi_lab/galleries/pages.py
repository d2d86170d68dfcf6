"""What the galleries share: a page that a thread moves, a page that is drawn again, bodies, and a table."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.viewer.latest_only_worker import LatestOnlyWorker

_PAUSE = 1 / 15  # seconds between frames


class MovedPage:
    """A page whose thread steps and draws frame after frame. Changed settings restart the scene."""

    frame: int
    _going: Any

    def _start(self, name: str) -> None:
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run_frames, name=name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._closed.set()
        self._thread.join()

    def _run_frames(self) -> None:
        while not self._closed.wait(_PAUSE):
            if self._restart_if_changed():
                self.draw()
            elif self._going.value or self.frame == 0:
                self._step()
                self.frame += 1
                self.draw()

    def _restart_if_changed(self) -> bool:
        raise NotImplementedError

    def _step(self) -> None:
        raise NotImplementedError

    def draw(self) -> None:
        """Show this frame."""
        raise NotImplementedError


class RedrawnPage:
    """A page whose controls request a new picture from one worker, which skips outdated values."""

    def _start(self, controls: Iterable[Any]) -> None:
        self._lock = threading.Lock()  # a recording draws beside the worker
        self._work: LatestOnlyWorker[None] = LatestOnlyWorker(lambda _: self.draw())
        for control in controls:
            control.on_update(lambda event: self._work.submit(None))
        self._work.submit(None)

    def close(self) -> None:
        """End the worker."""
        self._work.close()

    def draw(self) -> None:
        """Draw what is set."""
        raise NotImplementedError


def add_bodies(server: Any, name: str, group: Any, positions: Floats, scales: Floats, color: Any) -> Any:
    """Add bodies of one shape, which can be moved and colored."""
    n = len(positions)
    return server.scene.add_batched_meshes_simple(
        name,
        group.vertices,
        group.faces,
        np.tile([1.0, 0, 0, 0], (n, 1)),
        positions,
        batched_scales=scales,
        batched_colors=np.tile(color, (n, 1)),
        lod="off",
        cast_shadow=False,
        receive_shadow=False,
    )


def render_table(frame: int, text: str, titles: tuple[str, ...], rows: str) -> str:
    """A line on the frame, and a table below it, as HTML."""
    head = f'<div id="ougi-frame" data-frame="{frame}">frame {frame}; {text}</div>'
    titles_row = "".join(f"<th>{title}</th>" for title in titles)
    table = f'<table style="font-size:0.8em;width:100%"><tr>{titles_row}</tr>{rows}</table>'
    return f'<div style="padding:0.4em 0.8em">{head}{table}</div>'
