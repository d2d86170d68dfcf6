"""The command `ougi figures`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from ougi.errors import InvalidInputError


def figures(
    *names: str, output: Path = Path("out/figures"), format: Literal["png", "svg", "both"] = "png"
) -> int:
    """Draw the figures of FAN anew and print where they are.

    Parameters
    ----------
    names
        Which, such as `fan-2.22`; all without a name.
    output
        Folder to write to.
    format
        `png`, `svg` or `both`.
    """
    from rich.console import Console
    from rich.progress import track

    from ougi.lab.figures.fan import FIGURES

    unknown = [name for name in names if name not in FIGURES]
    if unknown:
        raise InvalidInputError(f"names must be of {', '.join(FIGURES)}; got {unknown[0]!r}")
    suffixes = ("png", "svg") if format == "both" else (format,)
    chosen = names or tuple(FIGURES)
    for name in track(chosen, "drawing", console=Console(stderr=True), transient=True):
        picture = FIGURES[name]()
        for suffix in suffixes:
            sys.stdout.write(f"{picture.save(output / f'{name}.{suffix}')}\n")
    return 0
