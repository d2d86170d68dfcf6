"""The viewer's web server: for this machine alone, on a free port, ended when the last page is closed."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from collections.abc import Iterator

from ougi._typing import Foreign
from ougi.errors import InvalidInputError, MissingExtraError

HOST = "127.0.0.1"
PORT = 8080

# Seconds without any page after which the viewer ends: reloading one takes less.
_PATIENCE = 4.0


@contextlib.contextmanager
def start_server(port: int = PORT) -> Iterator[Foreign]:
    """A viser server that only this machine can reach; the next free port if this one is in use."""
    if not 0 <= port <= 65535:
        raise InvalidInputError(f"port must be 0 (any) to 65535, got {port}")
    try:
        import viser
    except ImportError as error:
        raise MissingExtraError("viewer", "showing a scene in a browser") from error
    with contextlib.redirect_stdout(io.StringIO()):  # viser prints its address; stdout is for results
        server = viser.ViserServer(host=HOST, port=port, verbose=False)
    try:
        server.gui.configure_theme(show_share_button=False, show_logo=False)
        server.gui.main_panel.dock_right()
        server.scene.world_axes.visible = False
        _set_lights(server.scene)
        set_up_axis(server.scene, "z")
        yield server
    finally:
        with contextlib.redirect_stdout(io.StringIO()):
            server.stop()


def _set_lights(scene: Foreign) -> None:
    """Plain light, without reflections and shadows: red must look red, and a page must be cheap to draw."""
    scene.configure_environment_map(None)
    scene.configure_default_lights(enabled=False)
    scene.add_light_hemisphere("/light/sky", ground_color=(120, 120, 120), intensity=2.0)


def set_up_axis(scene: Foreign, up: str) -> None:
    """Set the axis that points up, `y` or `z`: cameras keep to it, and the light comes from above."""
    scene.set_up_direction(f"+{up}")
    position = (0.5, -0.7, 1.0) if up == "z" else (0.5, 1.0, 0.7)
    scene.add_light_directional("/light/sun", intensity=1.2, position=position)


class Visitors:
    """Knows when the last page has been closed."""

    def __init__(self, server: Foreign, patience: float = _PATIENCE) -> None:
        self._here: set[int] = set()
        self._condition = threading.Condition()
        self._patience = patience
        self._came = False
        server.on_client_connect(lambda client: self._update(client.client_id, True))
        server.on_client_disconnect(lambda client: self._update(client.client_id, False))

    def _update(self, visitor: int, comes: bool) -> None:
        with self._condition:
            self._came = self._came or comes
            (self._here.add if comes else self._here.discard)(visitor)
            self._condition.notify_all()

    def wait(self) -> None:
        """Wait until a page has been open, and then none for a while."""
        with self._condition:
            while True:
                # In pieces, so that Ctrl-C is heard on every system.
                if not self._came or self._here:
                    self._condition.wait(0.5)
                elif not self._condition.wait_for(lambda: bool(self._here), self._patience):
                    return


def serve(server: Foreign, *, browser: bool) -> None:
    """Print the address of the page, open it, and wait until it is closed or Ctrl-C comes."""
    visitors = Visitors(server)
    url = f"http://{HOST}:{server.get_port()}"
    sys.stderr.write(f"viewer: {url} (for this machine alone; ends with the page, or by Ctrl-C)\n")
    sys.stderr.flush()
    if browser:
        import webbrowser

        webbrowser.open(url)
    try:
        visitors.wait()
    except KeyboardInterrupt:
        sys.stderr.write("viewer: closed\n")
