"""The command `ougi figures`, and the page that shows all figures.

python -m ougi_lab.figures.command    # draws docs/experiments/figures/ and writes docs/experiments/figures.md
"""

from __future__ import annotations

import functools
import io
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from ougi.errors import InvalidInputError
from ougi_lab.figures.captions import CAPTIONS, FROM_RUNS
from ougi_lab.figures.drawing import Drawing

_COLORS = 64  # of a picture of the page


def figures(
    *names: str, output: Path = Path("out/figures"), format: Literal["png", "svg", "both", "gif"] = "png"
) -> int:
    """Draw the figures of the five papers and print where they are.

    Figures of measurements show the committed runs of `ougi reproduce`.

    Parameters
    ----------
    names
        Figures such as `fan-2.22`, `sort-7` or `radar-grasp`; all by default.
    output
        Folder to write to.
    format
        `png`, `svg` or `both`; `gif` for a film, of grasps only.
    """
    from ougi.cli.progress import show_progress
    from ougi_lab.figures import grasp

    every = list_drawings()
    known = grasp.FIGURES if format == "gif" else every
    unknown = [name for name in names if name not in known]
    if unknown:
        what = "film" if format == "gif" else "figure"
        raise InvalidInputError(f"there is no {what} {unknown[0]!r}; known are {', '.join(known)}")
    suffixes = ("png", "svg") if format == "both" else (format,)
    chosen = names or tuple(known)
    with show_progress("drawing") as progress:
        for k, name in enumerate(chosen):
            progress(k, len(chosen))
            picture = every[name]()
            for suffix in suffixes:
                sys.stdout.write(f"{picture.save(output / f'{name}.{suffix}')}\n")
    return 0


def list_drawings() -> dict[str, Callable[[], Any]]:
    """Name -> function that builds what has `save(path)`; in the order of the papers."""
    from ougi_lab.figures import corridor_diagrams, fan, fan_diagrams, grasp, radar_diagrams, sort_diagrams

    found: dict[str, Callable[[], Any]] = {**fan.FIGURES, **grasp.FIGURES}
    for module in (fan_diagrams, sort_diagrams, radar_diagrams, corridor_diagrams):
        found |= {name: functools.partial(_take_drawing, drawing) for name, drawing in module.FIGURES.items()}
    found |= {name: functools.partial(_draw_from_run, name) for name in FROM_RUNS}
    order = list(dict.fromkeys(figure.drawing for figure in CAPTIONS))
    return {name: found[name] for name in order}


def _take_drawing(drawing: Drawing) -> Drawing:
    return drawing


def _draw_from_run(name: str) -> Drawing:
    """The figure of a committed run."""
    from ougi_lab.reproduce.page import load_committed_runs, load_outcome

    experiment, figure_name = FROM_RUNS[name]
    outcome = load_outcome(experiment, load_committed_runs()[experiment])
    figure = next(each for each in outcome.figures if each.name == figure_name)
    return Drawing(figure.title, figure.draw, (6.8, 4.4))


# --- the page ---------------------------------------------------------------------------------------------


_GENERATED = re.compile(r"(<!-- made by `make docs`: figures -->\n\n).*?(<!-- end -->\n)", re.DOTALL)


def find_image(drawing: str) -> str:
    """The picture of a drawing, from docs/experiments."""
    if drawing in FROM_RUNS:
        experiment, name = FROM_RUNS[drawing]
        return f"images/{experiment}-{name}.png"
    return f"figures/{drawing}.png"


def render_figures() -> str:
    """Every drawing with the captions of the figures that it shows."""
    parts, paper = [], ""
    for drawing in dict.fromkeys(figure.drawing for figure in CAPTIONS):
        shown = [figure for figure in CAPTIONS if figure.drawing == drawing]
        if shown[0].paper != paper:
            paper = shown[0].paper
            parts.append(f"## {paper}\n\n")
        captions = "; ".join(f"{figure.number}: {figure.caption}" for figure in shown)
        parts.append(
            f"![{captions}]({find_image(drawing)})\n\n*{paper} {captions}.* `ougi figures {drawing}`\n\n"
        )
    return "".join(parts)


def update_figures(text: str) -> str:
    """The page with the list of figures in place of an older one."""
    return _GENERATED.sub(lambda found: found[1] + render_figures() + found[2], text)


def main() -> None:
    """Draw what no run draws, and write the page."""
    from PIL import Image

    docs = Path(__file__).parents[4] / "docs/experiments"
    for name, build in list_drawings().items():
        if name not in FROM_RUNS:
            path = docs / find_image(name)
            build().save(path)
            with io.BytesIO(path.read_bytes()) as content:
                small = Image.open(content).convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE)
            small.save(path, optimize=True)
    page = docs / "figures.md"
    page.write_text(update_figures(page.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write("written: docs/experiments/figures.md\n")


if __name__ == "__main__":
    main()
