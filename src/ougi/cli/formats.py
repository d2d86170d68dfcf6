"""A report as text: tables, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

from ougi._typing import JsonObject
from ougi.checks.report import SCHEMA, STATUSES, VERDICTS, Report, list_notes
from ougi.cli.tables import Table, format_table, print_tables
from ougi.scene.problems import escape_controls

_NOTES = 10  # lines below a table

COLUMNS = (
    "kind", "time", "a", "b", "x", "y", "z", "normal_x", "normal_y", "normal_z",
    "status", "engine", "method", "method_time",
)  # fmt: skip


def build_document(report: Report, file: str, fps: float, sources: JsonObject | None = None) -> JsonObject:
    """The document of `--format json`, with the parameters, the versions, and how to read the scene again."""
    from ougi.cli.machine import describe_machine

    content = report.to_dict()
    content["scene"] = {"file": file, **({"sources": sources} if sources else {}), **content["scene"]}
    content["parameters"]["fps"] = fps
    return {"schema": SCHEMA, "machine": describe_machine(), **content}


def as_json(report: Report, file: str, fps: float, sources: JsonObject | None = None) -> str:
    """One document."""
    return json.dumps(build_document(report, file, fps, sources), indent=1, allow_nan=False) + "\n"


def as_jsonl(report: Report, file: str, fps: float, sources: JsonObject | None = None) -> str:
    """One row per line."""
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in report.to_records())


def as_csv(report: Report, file: str, fps: float, sources: JsonObject | None = None) -> str:
    """One row per line, with one column for every number; empty where there is none.

    Control characters of names are escaped, and a name that a spreadsheet would read as a formula gets an
    apostrophe in front; JSON has names as they are.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in report.to_records():
        writer.writerow(to_cells(row))
    return text.getvalue()


def to_cells(row: JsonObject) -> JsonObject:
    """A record as the cells of a CSV file."""
    cells = {**row, "a": escape_cell(row["a"]), "b": escape_cell(row["b"])}
    for names, vector in (("xyz", row.get("point")), (COLUMNS[7:10], row.get("normal"))):
        cells.update(zip(names, vector or (), strict=False))
    return cells


def as_text(report: Report, file: str, fps: float, sources: JsonObject | None = None) -> str:
    """Aligned lines, without drawing."""
    return "\n".join([*map(format_table, build_tables(report, fps)), _format_summary(report, file)]) + "\n"


def print_report(report: Report, file: str, fps: float) -> None:
    """The tables on a terminal."""
    import sys

    print_tables(build_tables(report, fps))
    sys.stdout.write(_format_summary(report, file) + "\n")


FORMATS: dict[str, Callable[[Report, str, float, JsonObject], str]] = {
    "table": as_text,
    "json": as_json,
    "jsonl": as_jsonl,
    "csv": as_csv,
}


def build_tables(report: Report, fps: float) -> list[Table]:
    """Contacts, near misses and the comparison, as far as there are any."""
    records = report.to_records()
    found = []
    for kind, title in (("contact", "contacts"), ("near miss", f"near misses, within {report.margin:g}")):
        lines = [_format_row(row) for row in records if row["kind"] == kind]
        headings = (">time s", "a", "b", "point", "normal a to b", "status", "engine")
        if lines:
            found.append(Table(title, headings, lines))
    if report.compared is not None:
        found.append(_build_comparison([row for row in records if row["kind"] == "comparison"], report, fps))
    return found


def _format_row(row: JsonObject) -> tuple[str, ...]:
    return (
        format_seconds(row["time"]),
        escape_controls(row["a"]),
        escape_controls(row["b"]),
        _format_vector(row["point"], 4),
        _format_vector(row["normal"], 3),
        row["status"],
        row["engine"],
    )


def _build_comparison(records: list[JsonObject], report: Report, fps: float) -> Table:
    words = {"missed": "MISSED", "ghost": "ghost, never touches", "late": "late"}
    lines = []
    for row in records:
        if row["status"] == "unsupported" and row["time"] is None:
            continue  # there may be thousands, and they do not touch; they are counted below
        verdict = words.get(row["status"], row["status"])
        if row["status"] == "ghost" and row["time"] is not None:
            verdict = "ghost, touches later"
        lines.append(
            (
                escape_controls(row["a"]),
                escape_controls(row["b"]),
                format_seconds(row["time"]),
                format_seconds(row["method_time"]),
                verdict,
            )
        )
    count = [sum(row["status"] == word for row in records) for word in VERDICTS.values()]
    summary = ", ".join(f"{n} {word}" for n, word in zip(count, VERDICTS.values(), strict=True) if n)
    return Table(
        f"{report.method} at {fps:g} frames per second, beside the exact answer",
        ("a", "b", ">contact s", f">{report.method}: frame from s", "verdict"),
        lines,
        (f"{report.method}: {summary or 'nothing to report'}",),
    )


def _format_summary(report: Report, file: str) -> str:
    """How many pairs were covered, notes, and the result, last."""
    count, scene = len(report.scene.bodies), report.scene
    body = "1 body" if count == 1 else f"{count:,} bodies"
    result = f"{escape_controls(file)}: {_format_result(report)}; {body}, {scene.duration:g} s"
    return "\n".join([_format_coverage(report), *_format_notes(report), result])


def _format_notes(report: Report) -> list[str]:
    """What a certificate does not cover: skipped parts, and bodies inside of a mesh, which touch nothing."""
    skipped = [f"skipped: {escape_controls(text)}" for text in report.scene.skipped]
    lines = []
    for note in list_notes(report)[:_NOTES]:
        when = "starts" if note["time"] == 0 else f"arrives at {note['time']:g} s"
        body, mesh = escape_controls(note["body"]), escape_controls(note["mesh"])
        lines.append(f"note: the mesh {mesh} is a surface, and {body} {when} inside of it without a contact")
    more = len(report.enclosed) - len(lines)
    rest = [f"note: {more:,} more bodies inside of meshes"] if more else []
    return [*skipped[:_NOTES], *_count_more(skipped), *lines, *rest]


def _count_more(skipped: list[str]) -> list[str]:
    more = len(skipped) - _NOTES
    return [f"skipped: {more:,} more parts"] if more > 0 else []


def _format_coverage(report: Report) -> str:
    """How many pairs were covered, how many were excluded, and why."""
    coverage = report.coverage
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in coverage.excluded.items())
    excluded = sum(coverage.excluded.values())
    return (
        f"{_format_count(coverage.covered)} covered, {_format_count(report.pairs, 'candidate ')}; "
        f"{excluded:,} excluded{f': {reasons}' if reasons else ''}"
    )


def _format_result(report: Report) -> str:
    """Contacts and near misses; the certificate, if there is one."""
    contacts = report.contacts
    what = f"{len(contacts):,} contact{'s' if len(contacts) != 1 else ''}"
    if not report.coverage.covered:
        what = "no pair was checked"
    elif report.certified:
        what = "certified collision-free"
    for code in (3, 4):
        if count := int((contacts.status == code).sum()):
            what += f" ({count} {STATUSES[code]})"
    if report.unchecked:
        what += f", stopped with {_format_count(report.unchecked, 'candidate ')} not finished"
    if len(report.unfinished):
        pairs = "; ".join(
            f"{escape_controls(a)}, {escape_controls(b)}" for a, b in report.names(report.unfinished)[:3]
        )
        unfinished = _format_count(len(report.unfinished))
        what += f" and more, not listed, of {unfinished} with too many contacts ({pairs})"
    if report.margin > 0:
        what += f", {len(report.near)} within {report.margin:g} {report.scene.units}"
    return what


def _format_count(count: int, what: str = "") -> str:
    return f"{count:,} {what}pair{'s' if count != 1 else ''}"


def escape_cell(name: str) -> str:
    """A name as a cell that is text to every reader: spreadsheets compute what begins with one of `=+-@`."""
    text = escape_controls(name)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def format_seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.6f}"


def _format_vector(vector: list[float] | None, digits: int) -> str:
    return "-" if vector is None else "(" + ", ".join(f"{x + 0.0:+.{digits}f}" for x in vector) + ")"
