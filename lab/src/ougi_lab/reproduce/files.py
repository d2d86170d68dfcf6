"""The output folder of `ougi reproduce`: figures, numbers and a report, and to which run they belong."""

from __future__ import annotations

import csv
import json
import re
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ougi import __version__
from ougi.cli.machine import describe_machine
from ougi.errors import InvalidInputError, MissingExtraError
from ougi_lab.machine import digest_sources
from ougi_lab.reproduce.catalog import EXPERIMENTS
from ougi_lab.reproduce.experiment import Figure, Outcome
from ougi_lab.reproduce.render import render_overview, render_section
from ougi_lab.store import describe_difference

SCHEMA = "ougi-reproduce/1"
_DPI = 130

# Stands above the results of --quick.
QUICK = "A quick run with small sizes, to test the command; its numbers are no evidence"


def claim_folder(output: Path, options: dict[str, dict[str, Any]], seed: int, *, force: bool) -> None:
    """Make the folder, or raise with the reason why it cannot be used; no file in it is changed.

    Parameters
    ----------
    output
        The folder of all experiments.
    options
        Experiment -> its options.
    seed
        Of this run.
    force
        Results of other runs may be replaced.
    """
    if output.exists() and not output.is_dir():
        raise InvalidInputError(f"output {output} is not a folder")
    try:
        output.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=output).close()
    except OSError as error:
        raise InvalidInputError(f"output {output} cannot be written to: {error.strerror}") from None
    for name in options:
        if (output / name).exists() and not (output / name).is_dir():
            raise InvalidInputError(f"output holds {output / name}, which is not a folder")
    if (output / "report.md").is_dir():
        raise InvalidInputError(f"output holds {output / 'report.md'}, which is a folder")
    _import_matplotlib()  # before the long work, not after it
    if not force:
        _refuse_foreign_files(output, options)
        _refuse_other_runs(output, options, seed)
    (output / _MARKER).touch()


def _refuse_other_runs(output: Path, options: dict[str, dict[str, Any]], seed: int) -> None:
    """Refuse to mix outcomes of other seeds, sources or options with those to come."""
    for path in sorted(output.glob("*/outcome.json")):
        found = _read_outcome(path)
        wanted = {"ougi": __version__, "seed": seed, "sources": digest_sources()}
        if path.parent.name in options:
            wanted["options"] = options[path.parent.name]
        if any(found.get(name) != wanted[name] for name in wanted):
            raise InvalidInputError(describe_difference(path, found, wanted))


# Written before anything else: it marks a folder as ours.
_MARKER = ".ougi-reproduce"


def _refuse_foreign_files(output: Path, names: Iterable[str]) -> None:
    """Refuse to replace files that we have not written."""
    ours = (output / _MARKER).exists() or any(output.glob("*/outcome.json"))
    folders = [output / name for name in names]
    found = [path for folder in folders if folder.is_dir() for path in folder.iterdir() if path.is_file()]
    found += [path for path in [output / "report.md"] if path.exists()]
    if found and not ours:
        raise InvalidInputError(
            f"output holds {found[0]}, which is no file of `ougi reproduce`; choose another folder, "
            "or --force to replace"
        )


def _read_outcome(path: Path) -> dict[str, Any]:
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


def write_outcome(
    folder: Path, outcome: Outcome, options: dict[str, Any], seed: int, took: dict[str, float]
) -> None:
    """Write an experiment's tables (CSV), its figures and, last, `outcome.json`.

    Parameters
    ----------
    folder, outcome
        The experiment's own folder, and what it found.
    options, seed
        What it ran with.
    took
        Seconds, `wall` and `cpu`; the latter of this process alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for table in outcome.tables:
        _write_csv(folder / f"{_make_file_name(table.title)}.csv", table.headings, table.rows)
    for figure in outcome.figures:
        _write_figure(folder, figure)
    content = {
        "schema": SCHEMA,
        "name": outcome.name,
        "ougi": __version__,
        "sources": digest_sources(),
        "seed": seed,
        "options": options,
        "machine": describe_machine(),
        "seconds": {clock: round(seconds, 1) for clock, seconds in took.items()},
        "title": outcome.title,
        "parameters": outcome.parameters,
        "tables": [table._asdict() for table in outcome.tables],
        "verdicts": [asdict(verdict) for verdict in outcome.verdicts],
        "notes": outcome.notes,
        "figures": [{"name": figure.name, "title": figure.title} for figure in outcome.figures],
        "numbers": outcome.numbers,
    }
    (folder / "outcome.json").write_text(format_json(content), encoding="utf-8")


def format_json(content: Any) -> str:
    """Indented, but a list of plain values is one line.

    >>> print(format_json({"x": [1, 2], "y": "a, [b]"}), end="")
    {
     "x": [ 1, 2 ],
     "y": "a, [b]"
    }
    """
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    # Strings hold no line breaks, so brackets that do and hold no others are lists of plain values.
    return re.sub(r"\[\n[^][{}]*\n\s*\]", lambda found: re.sub(r"\n\s*", " ", found[0]), text) + "\n"


def _write_figure(folder: Path, figure: Figure) -> None:
    """FILE.csv, FILE.png and FILE.svg; the same numbers make the same files."""
    if figure.columns:
        _write_csv(folder / f"{figure.name}.csv", figure.columns, figure.rows)
    sheet = draw_figure(figure)
    with _import_matplotlib().rc_context({"svg.hashsalt": "ougi"}):
        sheet.savefig(folder / f"{figure.name}.svg", metadata={"Date": None})
    sheet.savefig(folder / f"{figure.name}.png", dpi=_DPI)


def _write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def _make_file_name(title: str) -> str:
    """A table's title as a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def draw_figure(figure: Figure) -> Any:
    """A matplotlib figure with the drawing."""
    sheet = _import_matplotlib().figure.Figure(figsize=(6.8, 4.4), layout="constrained")
    figure.draw(sheet)
    return sheet


def _import_matplotlib() -> Any:
    try:
        import matplotlib.figure
    except ImportError as error:
        raise MissingExtraError("plot", "drawing the figures") from error
    return matplotlib


def is_quick(name: str, options: dict[str, Any]) -> bool:
    """Do these options hold the sizes of --quick?"""
    quick = EXPERIMENTS[name].quick
    shared = quick.keys() & options.keys()
    return bool(shared) and all(quick[key] == options[key] for key in shared)


def write_report(output: Path) -> Path:
    """Write `report.md` about all experiments in the folder, earlier runs included; returns its path.

    Runs of other sources, which --force leaves beside what it replaces, are not in the report.
    """
    runs = {}
    for name in EXPERIMENTS:
        with suppress(InvalidInputError, FileNotFoundError):
            run = _read_outcome(output / name / "outcome.json")
            if run["sources"] == digest_sources():
                runs[name] = run
    outcomes = {name: EXPERIMENTS[name].build_outcome(run["numbers"]) for name, run in runs.items()}
    sections = [
        render_section(outcome, runs[name], f"{name}/", f"{name}/outcome.json")
        for name, outcome in outcomes.items()
    ]
    quick = [name for name, run in runs.items() if is_quick(name, run["options"])]
    banner = f"**{QUICK}: {', '.join(quick)}**\n\n" if quick else ""
    overview = render_overview(outcomes, runs)
    text = f"# The papers' experiments, run again\n\n{banner}{overview}{''.join(sections)}"
    report = output / "report.md"
    report.write_text(text, encoding="utf-8")
    return report
