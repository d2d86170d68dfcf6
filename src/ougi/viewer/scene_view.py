"""`ougi.view`: a scene in a notebook, in a file, or in the browser."""

from __future__ import annotations

import contextlib
import html
import importlib.util
import os
import tempfile
from pathlib import Path

import numpy as np

from ougi import _check
from ougi.checks import Report, check
from ougi.plot.report import build_picture
from ougi.scene import Body, Scene, load_scene
from ougi.shapes import Shape
from ougi.viewer.events import EventList, list_report_events
from ougi.viewer.page import Page
from ougi.viewer.record import record_scene
from ougi.viewer.server import PORT, serve, start_server
from ougi.viewer.stage import Stage

_FPS = 60.0
_HEIGHT = 480  # pixels in a notebook


def view(scene: Scene | Report | Shape | str | os.PathLike[str]) -> View:
    """Show a scene and its contacts: in a notebook, in a file, or in the browser.

    Parameters
    ----------
    scene
        A `Scene`, the path of a scene file, a `Report`, whose contacts are shown as they are, or shapes.
        Scenes and shapes are checked first.

    Returns
    -------
    View
        The last line of a notebook cell shows it. `save` writes one HTML file, `show` opens a page.

    >>> import ougi
    >>> from ougi.scene import Body, Piece
    >>> ball = Body("ball", ougi.Circle([0, 0], 1), (Piece(0.0, 1.0, ougi.Translation2d([9, 0])),))
    >>> ougi.view(ougi.Scene((ball, Body("wall", ougi.Aabb2d([6, -1], [7, 1])))))
    <View of 2 bodies, 1 event>
    """
    title = "scene"
    if isinstance(scene, str | os.PathLike):
        title = Path(scene).name
        scene = load_scene(scene)
    elif isinstance(scene, Shape):
        title, scene = type(scene).__name__, _build_scene(scene)
    if not isinstance(scene, Scene | Report):
        given = _check.describe_class(scene)
        raise TypeError(f"scene must be a Scene, a Report, a shape or a path, got {given}")
    return View(scene if isinstance(scene, Report) else check(scene), title)


def _build_scene(shapes: Shape) -> Scene:
    """Shapes at rest, with their indices as names."""
    rows = [(index, shapes[index]) for index in np.ndindex(shapes.shape)] if shapes.shape else [((), shapes)]
    return Scene(tuple(Body(str(list(index))[1:-1] or "shape", shape) for index, shape in rows))


class View:
    """What `ougi.view` returns: a checked scene that can be shown.

    In a notebook it is a recording in a frame, which needs no server and stays in the saved notebook (about
    1 MB). Without the extra `viewer` it is a picture.

    >>> import ougi
    >>> shown = ougi.view(ougi.Sphere([[0, 0, 0], [1, 0, 0], [9, 0, 0]], 1))
    >>> shown.report.names(shown.report.contacts)
    [('0', '1')]
    """

    def __init__(self, report: Report, title: str) -> None:
        self.report = report
        self._title = title

    def __repr__(self) -> str:
        bodies, events = len(self.report.scene.bodies), len(self.report.contacts)
        return (
            f"<View of {bodies} {'body' if bodies == 1 else 'bodies'}, "
            f"{events} event{'' if events == 1 else 's'}>"
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a recording to FILE.html, which plays in any browser without a network; the path."""
        with start_server(0) as server:
            return record_scene(
                server, Stage(server.scene, self.report.scene), self._list_events(), self._title, Path(path)
            )

    def show(self) -> None:
        """Open the page of the scene in the default browser, and wait until it is closed."""
        show_scene(self.report.scene, self._list_events())

    def _list_events(self) -> EventList:
        return list_report_events(self.report, _FPS)

    def _repr_html_(self) -> str:
        if importlib.util.find_spec("viser") is None:
            return build_picture(self.report, self._title).to_html()
        with tempfile.TemporaryDirectory() as folder:
            page = self.save(Path(folder) / "view.html").read_text(encoding="utf-8")
        return (
            f'<iframe srcdoc="{html.escape(page)}" width="100%" height="{_HEIGHT}" '
            'style="border:1px solid #ddd"></iframe>'
        )


def show_scene(scene: Scene, events: EventList, *, port: int = PORT, browser: bool = True) -> None:
    """Show a scene and what happens in it until the page is closed."""

    def check_method(method: str, fps: float) -> EventList:
        return list_report_events(check(scene, method=method, fps=fps), fps)

    with start_server(port) as server:
        stage = Stage(server.scene, scene)
        with contextlib.closing(Page(server, stage, events, check_method)):
            serve(server, browser=browser)
