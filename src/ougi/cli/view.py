"""The command `ougi view`."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from ougi.checks import Method
from ougi.cli.scene_options import SceneOptions, find_recorded
from ougi.errors import InvalidInputError, MissingLabError
from ougi.viewer.server import PORT

if TYPE_CHECKING:  # it imports NumPy, which help does not need
    from ougi._typing import Foreign

if TYPE_CHECKING:
    from ougi.scene import Scene
    from ougi.viewer.events import EventList

# Galleries of the distribution ougi-lab. Each is an entry point of the group `ougi.galleries`: a class
# `Gallery(server)` with `close()` and `record(path)`.
GALLERIES = ("fan", "sort", "radar", "corridor")


def view(
    what: str,
    /,
    *,
    options: SceneOptions | None = None,
    method: Method | None = None,
    fps: float | None = None,
    record: Path | None = None,
    port: int = PORT,
    browser: bool = True,
) -> int:
    """Show a scene, a result or a gallery in the browser.

    The page listens on 127.0.0.1 and ends when it is closed. Blue is free, red has touched, grey moves, amber
    is swept. A result (JSON of `ougi check`) is shown as it is. Its scene and trajectory are found by their
    paths relative to it, beside it, or here.

    Parameters
    ----------
    what
        A scene file, a result of `ougi check --format json`, or a gallery: `fan`, `sort`, `radar`,
        `corridor`.
    method
        The method that is shown first, with its hits, misses and ghosts; by default `exact`, or that of the
        result.
    fps
        Frames per second of methods that test once per frame; 60, or that of the result, by default.
    record
        Write a recording to this .html file instead: it plays in any browser, without a network.
    port
        The port of the page. If it is busy, the next free one is used.
    browser
        Open the page in the default browser.
    """
    if record is not None and record.suffix != ".html":
        raise InvalidInputError(f"record must end in .html, got {record.name!r}")
    if fps is not None and not 0 < fps < float("inf"):
        raise InvalidInputError(f"fps must be positive, got {fps}")
    if what in GALLERIES and not Path(what).exists():
        given = {**asdict(options or SceneOptions()), "method": method, "fps": fps}
        for name, value in given.items():
            if value not in (None, False):
                raise InvalidInputError(f"{name} is for scenes and results; the gallery {what} takes none")
        return _show_gallery(what, record, port, browser)
    scene, events = _load(Path(what), options or SceneOptions(), method, fps)
    show_scene(scene, events, Path(what).name, record=record, port=port, browser=browser)
    return 0


def show_scene(
    scene: Scene,
    events: EventList,
    title: str,
    *,
    record: Path | None,
    port: int = PORT,
    browser: bool = True,
) -> None:
    """Show a scene and what happens in it until the page is closed, or record it."""
    from ougi.viewer import scene_view
    from ougi.viewer.record import record_scene
    from ougi.viewer.server import start_server
    from ougi.viewer.stage import Stage

    if record is None:
        scene_view.show_scene(scene, events, port=port, browser=browser)
        return
    with start_server(0) as server:
        _report_recording(record_scene(server, Stage(server.scene, scene), events, title, record))


def _load(
    path: Path, options: SceneOptions, method: str | None, fps: float | None
) -> tuple[Scene, EventList]:
    """A scene and its events: of a result as it stands, or of a check that runs now."""
    from ougi.viewer.events import is_result, read_result, require_same_scene

    if not path.is_file():
        names = ", ".join(GALLERIES)
        raise InvalidInputError(f"there is no file {str(path)!r}, and no gallery of this name: {names}")
    if not is_result(path):
        scene = options.load(path)
        return scene, _check(scene, method or "exact", fps or 60.0)
    events, sources = read_result(path)
    scene = options.complete(path, sources).load(find_recorded(path, str(sources["path"])))
    require_same_scene(path, scene)
    if (method or events.method, fps or events.fps) != (events.method, events.fps):
        events = _check(scene, method or events.method, fps or events.fps)
    return scene, events


def _check(scene: Scene, method: str, fps: float) -> EventList:
    import ougi
    from ougi.cli.warmup import announce_compilation
    from ougi.viewer.events import list_report_events

    announce_compilation()
    return list_report_events(ougi.check(scene, method=method, fps=fps), fps)


def _show_gallery(name: str, record: Path | None, port: int, browser: bool) -> int:
    from ougi.cli.warmup import announce_compilation
    from ougi.viewer.server import serve, start_server

    announce_compilation()
    gallery_class = _find_gallery(name)
    with start_server(0 if record else port) as server, contextlib.closing(gallery_class(server)) as gallery:
        if record is not None:
            _report_recording(gallery.record(record))
        else:
            serve(server, browser=browser)
    return 0


def _find_gallery(name: str) -> Foreign:
    found = list(metadata.entry_points(group="ougi.galleries", name=name))
    if not found:
        raise MissingLabError(f"the gallery {name!r}")
    return found[0].load()


def _report_recording(path: Path) -> None:
    sys.stderr.write(f"recording: {path} (open it in any browser, no network needed)\n")
