"""The command `ougi figures`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ougi.errors import InvalidInputError

if TYPE_CHECKING:
    from ougi.plot.picture import Picture
    from ougi_lab.figures.grasp import Sheet


def figures(
    *names: str, output: Path = Path("out/figures"), format: Literal["png", "svg", "both", "gif"] = "png"
) -> int:
    """Draw the figures of FAN and of RADAR's grasp anew and print where they are.

    Parameters
    ----------
    names
        Which, such as `fan-2.22` or `radar-grasp`; all without a name.
    output
        Folder to write to.
    format
        `png`, `svg` or `both`; `gif` for a film, of grasps only.
    """
    from rich.console import Console
    from rich.progress import track

    from ougi_lab.figures import fan, grasp

    every: dict[str, Callable[[], Picture | Sheet]] = {**fan.FIGURES, **grasp.FIGURES}
    known = grasp.FIGURES if format == "gif" else every
    unknown = [name for name in names if name not in known]
    if unknown:
        what = "names that move" if format == "gif" else "names"
        raise InvalidInputError(f"{what} must be of {', '.join(known)}; got {unknown[0]!r}")
    suffixes = ("png", "svg") if format == "both" else (format,)
    chosen = names or tuple(known)
    for name in track(chosen, "drawing", console=Console(stderr=True), transient=True):
        picture = every[name]()
        for suffix in suffixes:
            sys.stdout.write(f"{picture.save(output / f'{name}.{suffix}')}\n")
    return 0
