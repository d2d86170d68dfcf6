"""The results in docs/experiments/: tables, verdicts and figures of the committed runs, for `make docs`.

    python -m ougi_lab.reproduce.page            # again from lab/results/, after an edit of words or drawings
    python -m ougi_lab.reproduce.page OUTPUT     # first copies the runs in a folder of `ougi reproduce`

People write the pages; the results between two comments follow from the committed numbers (`outcome` of each
experiment). Tests compare them, and compute a part of each run again. Times cannot be tested in this way, so
the page names the sources with which they were measured.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ougi.errors import InvalidInputError
from ougi_lab.reproduce.catalog import EXPERIMENTS
from ougi_lab.reproduce.experiment import Outcome
from ougi_lab.reproduce.files import draw_figure, format_json
from ougi_lab.reproduce.render import render_claims, render_overview, render_section
from ougi_lab.results import load_result

ROOT = Path(__file__).parents[4]
RESULTS = ROOT / "lab/results"
IMAGES = ROOT / "docs/experiments/images"

# A page -> the experiments on it.
PAGES = {
    ROOT / "docs/experiments/fan.md": ("fan-accuracy", "fan2d", "fan-filter", "fan-width", "fan-speed"),
    ROOT / "docs/experiments/sort.md": ("sort",),
    ROOT / "docs/experiments/radar.md": ("radar",),
    ROOT / "docs/experiments/corridor.md": ("corridor",),
}
# The page with every claim of the papers.
CLAIMS = ROOT / "docs/experiments/claims.md"

# What is committed of a run: its options, where it ran and its numbers.
COMMITTED_KEYS = ("schema", "name", "ougi", "sources", "seed", "options", "machine", "seconds", "numbers")
MAX_BYTES = 200_000  # of a committed result

_DPI = 90
_COLORS = 64  # of a picture; its file is a third as large as with all of them

# A part of a page that is written by `make docs`: from one comment to the next.
_GENERATED = re.compile(r"(<!-- made by `make docs`: (\w+) -->\n\n).*?(<!-- end -->\n)", re.DOTALL)


def load_committed_runs() -> dict[str, dict[str, Any]]:
    """Experiment -> its committed run, for those that have one."""
    runs = {name: load_result(f"reproduce-{name}") for name in EXPERIMENTS}
    return {name: run for name, run in runs.items() if run is not None}


def load_outcome(name: str, run: Mapping[str, Any]) -> Outcome:
    """The outcome of a committed run."""
    return EXPERIMENTS[name].build_outcome(run["numbers"])


def update_page(text: str, names: Sequence[str], runs: Mapping[str, dict[str, Any]]) -> str:
    """A page with the results of its experiments in place of older ones."""
    outcomes = {name: load_outcome(name, runs[name]) for name in names if name in runs}
    sections = [
        render_section(outcome, runs[name], f"images/{name}-", f"lab/results/reproduce-{name}.json")
        for name, outcome in outcomes.items()
    ]
    parts = {
        "overview": render_overview(outcomes, runs),
        "sections": "".join(sections),
        "claims": render_claims(outcomes),
    }
    return _GENERATED.sub(lambda found: found[1] + parts[found[2]] + found[3], text)


# --- pictures ---------------------------------------------------------------------------------------------


def digest_numbers(run: Mapping[str, Any]) -> str:
    """A digest of a run's numbers, which its pictures carry."""
    return hashlib.sha256(json.dumps(run["numbers"], sort_keys=True).encode()).hexdigest()[:16]


def list_image_digests(runs: Mapping[str, dict[str, Any]]) -> dict[str, str]:
    """File name of a picture -> digest of the numbers that it shows."""
    return {
        f"{name}-{figure.name}.png": digest_numbers(run)
        for name, run in runs.items()
        for figure in load_outcome(name, run).figures
    }


def _write_images(folder: Path, runs: Mapping[str, dict[str, Any]]) -> None:
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.png"):
        path.unlink()
    for name, run in runs.items():
        metadata = PngInfo()
        metadata.add_text("numbers", digest_numbers(run))
        for figure in load_outcome(name, run).figures:
            with io.BytesIO() as buffer:
                draw_figure(figure).savefig(buffer, format="png", dpi=_DPI)
                small = Image.open(buffer).convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE)
            small.save(folder / f"{name}-{figure.name}.png", optimize=True, pnginfo=metadata)


# --- the command ------------------------------------------------------------------------------------------


def copy_runs(output: Path, results: Path) -> list[str]:
    """Copy what is committed of the runs in a folder of `ougi reproduce`; returns their names."""
    copied = []
    for name in EXPERIMENTS:
        path = output / name / "outcome.json"
        if path.is_file():
            run = json.loads(path.read_text(encoding="utf-8"))
            text = format_json({key: run[key] for key in COMMITTED_KEYS})
            if len(text.encode()) > MAX_BYTES:
                raise InvalidInputError(f"{path} is too large to commit: {len(text)} > {MAX_BYTES} bytes")
            (results / f"reproduce-{name}.json").write_text(text, encoding="utf-8")
            copied.append(name)
    if not copied:
        raise InvalidInputError(f"{output} holds no run: run `ougi reproduce --output {output}` first")
    return copied


def main(arguments: Sequence[str]) -> None:
    """Write results and pictures into the repository."""
    from ougi_lab.machine import digest_sources

    if not (ROOT / "pyproject.toml").is_file():
        raise InvalidInputError("the pages are part of the repository; run this in a checkout of it")
    for output in arguments:
        copied = copy_runs(Path(output), RESULTS)
        sys.stdout.write(f"results: {', '.join(copied)} of {output}\n")
    runs = load_committed_runs()
    _write_images(IMAGES, runs)
    for path, names in (*PAGES.items(), (CLAIMS, tuple(EXPERIMENTS))):
        path.write_text(update_page(path.read_text(encoding="utf-8"), names, runs), encoding="utf-8")
        sys.stdout.write(f"written: {path.relative_to(ROOT)}\n")
    for name, run in runs.items():
        if run["sources"] != digest_sources():
            sys.stdout.write(
                f"note: {name} was run with other sources ({run['sources']}, now {digest_sources()}); "
                "the tests check whether its counts are the same\n"
            )


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except InvalidInputError as error:
        sys.exit(f"ougi: {error}")
