"""What `ougi reproduce` leaves behind: figures, numbers and a report, and whose they are."""

from __future__ import annotations

import csv
import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ougi import __version__
from ougi.errors import InvalidInputError, MissingExtraError
from ougi.lab.machine import machine
from ougi.lab.reproduce.experiment import Figure, Outcome
from ougi.lab.reproduce.report import page

SCHEMA = "ougi-reproduce/1"
_DPI = 130


def claim(output: Path, options: dict[str, dict[str, Any]], seed: int, *, force: bool) -> None:
    """Make the folder, or say why it cannot be used; nothing in it is touched.

    Parameters
    ----------
    output
        The folder of all experiments.
    options
        Experiment -> what it is about to run with.
    seed
        As of this run.
    force
        Results of other runs may be replaced.
    """
    try:
        output.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=output).close()
    except OSError as error:
        raise InvalidInputError(f"output {output} cannot be written to: {error.strerror}") from None
    _matplotlib()  # before hours of work, not after
    if force:
        return
    for path in sorted(output.glob("*/outcome.json")):
        found = _read(path)
        wanted = {"ougi": __version__, "seed": seed}
        if path.parent.name in options:
            wanted["options"] = options[path.parent.name]
        differing = [name for name in wanted if found.get(name) != wanted[name]]
        if differing:
            parts = ", ".join(f"{name} {found.get(name)!r} instead of {wanted[name]!r}" for name in differing)
            raise InvalidInputError(
                f"output holds {path} of another run ({parts}); choose another folder, or --force to replace"
            )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise InvalidInputError(
            f"output holds {path}, which is no outcome of ougi {__version__}; choose another folder, "
            "or --force to replace"
        )
    return found


def write(folder: Path, outcome: Outcome, options: dict[str, Any], seed: int) -> None:
    """Write an experiment's figures and, last, `outcome.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    for figure in outcome.figures:
        _write_figure(folder, figure)
    told = {
        "schema": SCHEMA,
        "ougi": __version__,
        "seed": seed,
        "options": options,
        "machine": machine(),
        "name": outcome.name,
        "title": outcome.title,
        "parameters": outcome.parameters,
        "tables": [asdict(table) for table in outcome.tables],
        "verdicts": [asdict(verdict) for verdict in outcome.verdicts],
        "notes": outcome.notes,
        "figures": [{"name": figure.name, "title": figure.title} for figure in outcome.figures],
        "numbers": outcome.numbers,
    }
    path = folder / "outcome.json"
    path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _write_figure(folder: Path, figure: Figure) -> None:
    """FILE.csv, FILE.png and FILE.svg; the same numbers make the same files."""
    if figure.columns:
        with (folder / f"{figure.name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(figure.columns)
            writer.writerows(figure.rows)
    matplotlib = _matplotlib()
    sheet = matplotlib.figure.Figure(figsize=(6.8, 4.4), layout="constrained")
    figure.draw(sheet)
    with matplotlib.rc_context({"svg.hashsalt": "ougi"}):
        sheet.savefig(folder / f"{figure.name}.svg", metadata={"Date": None})
    sheet.savefig(folder / f"{figure.name}.png", dpi=_DPI)


def _matplotlib() -> Any:
    try:
        import matplotlib.figure
    except ImportError as error:
        raise MissingExtraError("plot", "drawing the figures") from error
    return matplotlib


def write_report(output: Path) -> Path:
    """One page about all experiments in the folder, those of earlier runs too; its path."""
    sections = []
    for path in sorted(output.glob("*/outcome.json")):
        try:
            sections.append((path.parent, _read(path)))
        except InvalidInputError:  # of another version, which --force left beside what it replaced
            continue
    report = output / "report.html"
    report.write_text(page(sections), encoding="utf-8")
    return report
