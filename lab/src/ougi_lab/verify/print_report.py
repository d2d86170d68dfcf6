"""A report of `ougi verify` for people: tables on a terminal, plain lines into a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from ougi.cli import tables

_HEADINGS = (
    "pair",
    "cases",
    "near",
    "in band",
    "disagreements",
    ">worst error",
    "peers and figures",
)
_NOTE = "Errors in units of the rounding band, 64 eps x (largest coordinate + size)."


def print_report(report: dict[str, Any]) -> None:
    """Print the pairs, the groups if there are any, and how to repeat what went wrong."""
    rows = [_build_row(name, pair) for name, pair in report["pairs"].items()]
    shown = [tables.Table(f"verify {report['subject']}", _HEADINGS, rows, (_NOTE,))]
    if "groups" in report:
        columns = [f">{name.replace('_', ' ')}" for name in report["group_columns"]]
        groups = [(name, *(f"{x:,.6g}" for x in row)) for name, row in report["groups"].items()]
        shown.append(tables.Table("all pairs", ("group", *columns), groups))
    tables.print_tables(shown)
    for name, pair in report["pairs"].items():
        if pair["disagreements"]:
            sys.stdout.write(_describe_first(name, pair))
        for case in pair.get("undecided_cases", ()):
            sys.stdout.write(f"{name}: undecided, {case}\n")
    count, pairs = report["disagreements"], len(report["pairs"])
    sys.stdout.write(f"{count} disagreements in {pairs} pairs, seed {report['seed']}\n")


def _build_row(name: str, pair: dict[str, Any]) -> tuple[tables.Cell, ...]:
    counts = (pair["cases"], pair["near"], pair["in_band"], pair["disagreements"])
    return name, *counts, f"{pair['worst_error']:.3g}", ", ".join(_list_figures(pair)) or "none"


def _list_figures(pair: dict[str, Any]) -> Iterator[str]:
    for library, peer in pair["peers"].items():
        wrong = f" ({peer['disagreements']} wrong)" if peer["disagreements"] else ""
        yield f"{library} {peer['cases']}{wrong}"
    for name in ("undecided", "unproved"):
        if pair.get(name):
            yield f"{name} {pair[name]}"
    for name, count in pair.get("counts", {}).items():
        yield f"{name} {count:,}"
    for name, figure in pair.get("largest", {}).items():
        yield f"{name} <= {figure:.2g}"
    for name, mean in pair.get("means", {}).items():
        yield f"{name} {mean['mean']:.4f} +- {mean['error']:.4f}"


def _describe_first(name: str, pair: dict[str, Any]) -> str:
    failed = ", ".join(f"{check} {count}" for check, count in pair["failed"].items())
    first = pair["first"]
    if first is None:  # a mean is below its target
        return f"{name}: {failed}\n"
    question = f"  {first['question']}\n" if "question" in first else ""
    if "signed" in first:
        wrong = f"{first['check']} off by {first['error']:.3g} bands, signed distance {first['signed']!r}"
    else:  # a count, not a length
        wrong = f"{first['check']} {first['error']:g}"
    return (
        f"{name}: {failed}; first in {first['kind']} chunk {first['chunk']}, index {first['index']}: "
        f"{wrong}\n  a = {first['a']}\n  b = {first['b']}\n{question}"
    )
