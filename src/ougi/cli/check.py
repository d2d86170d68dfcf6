"""The command `ougi check`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from ougi.checks import Method
from ougi.cli.progress import show_progress
from ougi.cli.scene_check import CheckSettings, check_loaded_scene
from ougi.cli.scene_options import SceneOptions
from ougi.errors import InvalidInputError

SUFFIXES = {".txt": "table", ".json": "json", ".jsonl": "jsonl", ".csv": "csv"}
PICTURES = (".png", ".svg", ".pdf")


def check(
    scene: Path,
    /,
    *more: Path,
    options: SceneOptions | None = None,
    margin: float = 0.0,
    method: Method = "exact",
    fps: float = 60.0,
    format: Literal["table", "json", "jsonl", "csv"] = "table",
    output: Path | None = None,
    plot: Path | None = None,
    view: bool = False,
    exit_zero: bool = False,
    max_pairs: int = 100_000_000,
    max_contacts: int = 500_000,
    timeout: float | None = None,
    jobs: int = 1,
    cluster: str | None = None,
) -> int:
    """Check scenes: what touches what, when and where?

    Exit code 0 if every pair that is not excluded is certified collision-free, 1 if there is a contact, an
    undecided pair, or no pair to check, 2 for a scene that cannot be used (all its problems are listed), 3
    for a missing extra. If one of many scenes cannot be used, the table names it, and the
    others are checked.

    Parameters
    ----------
    scene
        A scene file (.toml, .json), an animated glTF file (.glb, .gltf) or a robot (.urdf, .xacro).
    more
        More scenes, or trajectories (.csv, .npy, .npz) of the robot in front of them. They give one table
        with a line for each scene.
    margin
        Also report pairs that never touch but come as near as this.
    method
        Compare with another method of game engines: its missed contacts and its false contacts (ghosts).
    fps
        Frames per second of the other method.
    format
        `table` to read; `json`, `jsonl` or `csv` for programs.
    output
        Also write the result to this file: .txt, .json, .jsonl or .csv. With many scenes, those that have a
        result in an existing .json or .jsonl file, and have not changed, are not checked again.
    plot
        Draw the scene and its contacts to this file: .png, .svg or .pdf.
    view
        Also show the scene in the browser, as `ougi view` does. The command ends when the page is closed.
    exit_zero
        Exit with 0 also if the scene is not certified.
    max_pairs
        Refuse a scene with more candidate pairs than this. A million of them take seconds.
    max_contacts
        Refuse a scene with more contacts and near misses than this. A million of them take 2 GB.
    timeout
        Seconds after which a check stops. What was found is printed and written. Ctrl-C does the same.
    jobs
        Processes that check scenes side by side.
    cluster
        Address of a dask scheduler that checks the scenes; its workers must see the files at the same paths.
    """
    _check_paths(output, plot)
    settings = CheckSettings(options or SceneOptions(), margin, method, fps, max_pairs, max_contacts, timeout)
    if jobs < 1:
        raise InvalidInputError(f"jobs must be 1 or more, got {jobs}")
    from ougi.cli import formats
    from ougi.cli.warmup import announce_compilation

    announce_compilation()
    if more or cluster is not None:
        from ougi.cli.check_many import check_many

        if plot is not None or view:
            raise InvalidInputError("plot and view are for a single scene")
        code = check_many((scene, *more), settings, jobs=jobs, cluster=cluster, format=format, output=output)
        return 0 if code == 1 and exit_zero else code
    with show_progress("checking") as progress:
        loaded = settings.options.load(scene)
        report = check_loaded_scene(loaded, scene, settings, progress, keep_interrupted=True)
    if format == "table" and sys.stdout.isatty():
        formats.print_report(report, scene.name, fps)
    else:
        sources = settings.options.describe(scene, Path())
        sys.stdout.write(formats.FORMATS[format](report, scene.name, fps, sources))
    if output is not None:
        sources = settings.options.describe(scene, output.parent)
        text = formats.FORMATS[SUFFIXES[output.suffix]](report, scene.name, fps, sources)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    if plot is not None:
        from ougi.plot.report import draw

        sys.stderr.write(f"picture: {draw(report, scene.name, plot)}\n")
    if view:
        from ougi.cli.view import show_scene
        from ougi.viewer.events import list_report_events

        sys.stdout.flush()
        show_scene(loaded, list_report_events(report, fps), scene.name, record=None)
    return int(not report.certified and not exit_zero)


def _check_paths(output: Path | None, plot: Path | None) -> None:
    """Refuse wrong names before anything is read or written."""
    for name, path, known in (("output", output, tuple(SUFFIXES)), ("plot", plot, PICTURES)):
        if path is not None and path.suffix not in known:
            raise InvalidInputError(f"{name} must end in {', '.join(known)}; got {path.name!r}")
    if plot is not None:
        from ougi.plot import Picture

        Picture()  # a missing matplotlib is reported now, not after the check
