"""An outcome as text: Markdown for docs/experiments and for `report.md`, aligned lines for a terminal."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from ougi.cli.tables import Table, format_cell, list_headings, print_tables
from ougi_lab.reproduce.experiment import Outcome, Verdict

_MAX_WIDTH = 118  # columns of a paragraph on a terminal

_BINDING = (
    "A binding claim that does not hold sets the exit code. Times are not binding, and neither are claims "
    "that rest on what the text leaves open. On a machine with other work, CPU time is more reliable than "
    "wall time."
)


def name_verdict(verdict: Verdict) -> str:
    """Return the verdict in words. A claim that is not binding cannot fail."""
    if verdict.holds is None:
        return "too few data"
    if verdict.holds:
        return "holds"
    return "FAILS" if verdict.binding else "does not hold"


def count_verdicts(verdicts: Sequence[Verdict]) -> str:
    """How many claims hold, in words; empty without claims.

    >>> count_verdicts([Verdict("a", True, ""), Verdict("b", False, "", binding=False)])
    '2 claims: 1 holds, 1 does not (not binding)'
    """
    held = sum(verdict.holds is True for verdict in verdicts)
    failed = sum(verdict.is_refuted for verdict in verdicts)
    open_count = sum(verdict.holds is None for verdict in verdicts)
    loose = len(verdicts) - held - failed - open_count
    parts = [f"{held} hold{'s' if held == 1 else ''}"]
    if failed:
        parts.append(f"{failed} FAIL{'S' if failed == 1 else ''}")
    if loose:
        parts.append(f"{loose} do{'es' if loose == 1 else ''} not (not binding)")
    if open_count:
        parts.append(f"{open_count} of too few data")
    return f"{len(verdicts)} claims: {', '.join(parts)}" if verdicts else ""


def format_seconds(seconds: Mapping[str, float]) -> str:
    """How long a run took by the clock, and its CPU time.

    >>> format_seconds({"wall": 250.0, "cpu": 190.0}), format_seconds({"wall": 3.0, "cpu": 2.94})
    ('4.2 min (3.2 min of CPU time)', '3 s (3 s of CPU time)')
    """
    wall, cpu = (f"{s:.0f} s" if s < 120 else f"{s / 60:.1f} min" for s in (seconds["wall"], seconds["cpu"]))
    return f"{wall} ({cpu} of CPU time)"


# --- Markdown ---------------------------------------------------------------------------------------------


def escape(text: str) -> str:
    """Text whose signs Markdown does not interpret.

    >>> print(escape("|v| * 2"))
    \\|v\\| \\* 2
    """
    return text.replace("|", "\\|").replace("*", "\\*")


def render_table(table: Table) -> str:
    """The headings and rows as a Markdown table."""
    headings, right = list_headings(table)
    lines = [headings, *(tuple(map(format_cell, row)) for row in table.rows)]
    rows = [f"| {' | '.join(map(escape, line))} |\n" for line in lines]
    sides = "|".join("---:" if to_right else "---" for to_right in right)
    return "".join([rows[0], f"|{sides}|\n", *rows[1:]])


def render_overview(outcomes: Mapping[str, Outcome], runs: Mapping[str, dict[str, Any]]) -> str:
    """A table of experiments with links to their sections; both arguments are keyed by experiment."""
    rows = [
        (
            f"[{name}](#{name})",
            outcome.title,
            count_verdicts(outcome.verdicts),
            format_seconds(runs[name]["seconds"]),
        )
        for name, outcome in outcomes.items()
    ]
    return f"{render_table(Table('', ('experiment', 'what', 'claims', 'took'), rows))}\n{_BINDING}\n\n"


# The papers by their keys, as docs/papers.md has them.
PAPERS = {
    "FAN": "continuous detection of turning boxes by sectors",
    "FAN2D": "its predecessor in the plane",
    "SORT": "broad phases that sort",
    "RADAR": "collisions from depth images",
    "CORRIDOR": "a broad phase for corridors",
}


def list_claims(outcomes: Mapping[str, Outcome], paper: str) -> list[tuple[str, Verdict]]:
    """The claims of a paper with the experiments that judge them, in the order of the paper's sections."""
    found = [(name, v) for name, outcome in outcomes.items() for v in outcome.verdicts if v.paper == paper]
    return sorted(found, key=lambda each: _order_section(each[1].section))


def _order_section(section: str) -> list[int]:
    """
    >>> _order_section("4.5 (3)") > _order_section("4.5"), _order_section("Tables 2, 3")
    (True, [4])
    """
    if section.startswith("Table"):
        return [4]  # all tables of SORT stand in chapter 4
    return [int(number) for number in re.findall(r"\d+", section.split(",")[0])]


def render_claims(outcomes: Mapping[str, Outcome]) -> str:
    """A table for each paper: every claim, our measurement, the verdict and what would change it."""
    parts = []
    for paper, what in PAPERS.items():
        claims = list_claims(outcomes, paper)
        held = sum(verdict.holds is True for _, verdict in claims)
        parts.append(
            f"## {paper}: {what}\n\n{len(claims)} claims: {held} hold, {len(claims) - held} do not.\n\n"
        )
        rows = [
            (
                v.section,
                v.claim.removeprefix(f"{v.section}: "),
                name_verdict(v).lower().replace("fails", "does not hold"),
                v.detail,
                v.change,
                f"`{name}`",
            )
            for name, v in claims
        ]
        headings = ("section", "claim", "verdict", "our measurement", "what would change it", "run")
        parts.append(render_table(Table("", headings, rows)) + "\n")
    return "".join(parts)


def render_section(outcome: Outcome, run: Mapping[str, Any], image_prefix: str, numbers_path: str) -> str:
    """One experiment: verdicts, tables, notes, figures, and the origin of the numbers.

    Parameters
    ----------
    outcome
        What is rendered.
    run
        The content of its `outcome.json`.
    image_prefix
        What stands before the name of a figure in the path of its picture, such as `images/fan2d-`.
    numbers_path
        The file that holds the numbers.
    """
    parts = [f"## {outcome.name}\n\n{outcome.title}.\n\n"]
    if outcome.verdicts:
        rows = [(name_verdict(v), v.claim, v.detail, "yes" if v.binding else "no") for v in outcome.verdicts]
        parts.append(render_table(Table("", ("verdict", "claim", "found", "binding"), rows)) + "\n")
    for table in outcome.tables:
        notes = "".join(f"\n{escape(note)}\n" for note in table.notes)
        parts.append(f"**{escape(table.title)}**\n\n{render_table(table)}{notes}\n")
    parts += [f"* {escape(note)}\n" for note in outcome.notes]
    parts += ["\n", _render_figures(outcome, image_prefix), _render_origin(outcome, run)]
    parts.append(f" Numbers: `{numbers_path}`.\n\n")
    return "".join(parts)


def _render_figures(outcome: Outcome, image_prefix: str) -> str:
    """One below the other; small ones two by two."""
    images = [(f, f"![{f.title}]({image_prefix}{f.name}.png)") for f in outcome.figures]
    small = [f"{image}<br>{escape(f.title)}" for f, image in images if f.small]
    small += [""] * (len(small) % 2)
    parts = ["| | |\n|---|---|\n"] if small else []
    parts += [f"| {a} | {b} |\n" for a, b in zip(small[::2], small[1::2], strict=True)]
    parts += ["\n"] if small else []
    parts += [f"{image}\n\n*{escape(f.title)}*\n\n" for f, image in images if not f.small]
    return "".join(parts)


def _render_origin(outcome: Outcome, run: Mapping[str, Any]) -> str:
    """Parameters, machine, versions and date."""
    parameters = "; ".join(f"{key} {format_cell(value)}" for key, value in outcome.parameters.items())
    m = run["machine"]
    versions = ", ".join(f"{name} {m[name]}" for name in ("ougi", "numpy", "numba"))
    return (
        f"Parameters: {escape(parameters)}; seed {run['seed']}.\n\n"
        f"Run on {m['date'][:10]}: {m['cpu']}, {m['cores']} cores, {m['platform']}; {versions}, Python "
        f"{m['python']}; sources `{run['sources']}`; took {format_seconds(run['seconds'])}."
    )


# --- terminal ---------------------------------------------------------------------------------------------


def print_outcome(outcome: Outcome) -> None:
    """Write the tables, verdicts and notes of an experiment to the standard output."""
    width = min(_MAX_WIDTH, max(40, shutil.get_terminal_size((_MAX_WIDTH + 2, 24)).columns - 2))

    def write(head: str, words: str) -> None:
        lines = textwrap.wrap(words, width, initial_indent=head, subsequent_indent=" " * len(head))
        sys.stdout.write("\n".join(lines) + "\n")

    sys.stdout.write(f"\n{outcome.name}: {outcome.title}\n\n")
    print_tables([t._replace(notes=tuple(textwrap.wrap(" ".join(t.notes), width))) for t in outcome.tables])
    sys.stdout.write("\n")
    for verdict in outcome.verdicts:
        write(f"{name_verdict(verdict):>13}  ", f"{verdict.claim} ({verdict.detail})")
    for note in outcome.notes:
        write("note: ", note)
    sys.stdout.write(f"{count_verdicts(outcome.verdicts)}\n")
