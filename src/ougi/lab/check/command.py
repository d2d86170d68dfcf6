"""The command `ougi check`."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from ougi.checks import Method
from ougi.errors import InvalidInputError

SUFFIXES = {".txt": "table", ".json": "json", ".jsonl": "jsonl", ".csv": "csv"}
PICTURES = (".png", ".svg", ".pdf")

# Seconds between lines of progress where no bar can be drawn.
_PATIENCE = 5.0


def check(
    scene: Path,
    /,
    *,
    trajectory: Path | None = None,
    animation: str | None = None,
    margin: float = 0.0,
    method: Method = "exact",
    fps: float = 60.0,
    format: Literal["table", "json", "jsonl", "csv"] = "table",
    output: Path | None = None,
    plot: Path | None = None,
    view: bool = False,
    exit_zero: bool = False,
) -> int:
    """Check a scene: what touches what, when and where?

    Exit code 1 if anything touches or is not certainly free, 0 if nothing does, 2 for a scene that cannot be
    used (everything wrong with it is listed), 3 for a missing extra.

    Parameters
    ----------
    scene
        A scene file (.toml, .json), an animated glTF file (.glb, .gltf) or a robot (.urdf).
    trajectory
        For a robot: a CSV file with a column `time` and one column for each joint that moves.
    animation
        For glTF: the name or number of one animation; all play together by default.
    margin
        Also tell of pairs that never touch but come as near as this.
    method
        Compare with another method, as engines use them: what it would have missed, and its ghosts.
    fps
        Frames per second of the other method.
    format
        `table` for people; `json`, `jsonl` or `csv` for machines.
    output
        Also write the result to this file: .txt, .json, .jsonl or .csv.
    plot
        Draw the scene and its contacts to this file: .png, .svg or .pdf.
    view
        Also show the scene in the browser, as `ougi view` does; the exit code comes when the page is closed.
    exit_zero
        Exit with 0 also where something touches.
    """
    _require(margin, fps, output, plot)
    import ougi
    from ougi.lab.check import show
    from ougi.lab.compile import announce

    loaded = ougi.load_scene(scene, trajectory=trajectory, animation=animation)
    announce()
    with _progress() as tell:
        try:
            report = ougi.check(loaded, margin=margin, method=method, fps=fps, progress=tell)
        except ValueError as error:  # too many pairs, or a mesh without faces
            raise InvalidInputError(f"{scene.name}: {error}") from error
    if format == "table" and sys.stdout.isatty():
        show.drawn(report, scene.name, fps)
    else:
        sys.stdout.write(show.FORMATS[format](report, scene.name, fps))
    if output is not None:
        text = show.FORMATS[SUFFIXES[output.suffix]](report, scene.name, fps)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    if plot is not None:
        from ougi.lab.check.draw import draw

        sys.stderr.write(f"picture: {draw(report, scene.name, plot)}\n")
    if view:
        from ougi.lab.viewer.command import show_scene
        from ougi.lab.viewer.told import of_report

        sys.stdout.flush()
        show_scene(loaded, of_report(report, fps), scene.name, record=None)
    return int(report.hit and not exit_zero)


def _require(margin: float, fps: float, output: Path | None, plot: Path | None) -> None:
    """Refuse what cannot be meant, before anything is read or written."""
    if not (math.isfinite(margin) and margin >= 0):
        raise InvalidInputError(f"margin must be 0 or more, got {margin}")
    if not (math.isfinite(fps) and fps > 0):
        raise InvalidInputError(f"fps must be positive, got {fps}")
    for name, path, known in (("output", output, tuple(SUFFIXES)), ("plot", plot, PICTURES)):
        if path is not None and path.suffix not in known:
            raise InvalidInputError(f"{name} must end in {', '.join(known)}; got {path.name!r}")
    if plot is not None:
        from ougi.lab.figures import Picture

        Picture()  # without matplotlib it says so now, not after the work


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """Show progress on stderr: a bar on a terminal, a line now and then elsewhere."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

    columns = (*Progress.get_default_columns(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("checking", total=None)
        yield lambda done, every: bar.update(task, completed=done, total=every)


class _Lines:
    """Progress as plain lines, not more often than `_PATIENCE`."""

    def __init__(self) -> None:
        self.last = time.monotonic()

    def __call__(self, done: int, every: int) -> None:
        if time.monotonic() - self.last > _PATIENCE:
            self.last = time.monotonic()
            sys.stderr.write(f"checked {done:,} of {every:,}\n")
