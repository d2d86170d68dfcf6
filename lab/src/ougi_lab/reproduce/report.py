"""`report.html`: one file with tables, verdicts and pictures inside, that can be mailed or kept."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from ougi_lab.reproduce.experiment import Table, Verdict
from ougi_lab.reproduce.show import judged, numeric, summary, text, took

# A drawing with more bytes than this is embedded as pixels.
_LARGE = 300_000

BINDING = (
    "A binding claim that does not hold sets the exit code. Times, and claims that rest on what the text "
    "leaves open, are not binding."
)

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 68rem }
body { margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { margin-top: 3rem; border-bottom: 2px solid #ddd } h3 { margin: 2rem 0 .5rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0 }
th, td { padding: .2rem .7rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top }
th { border-bottom: 2px solid #888 } .number { text-align: right }
.note { color: #555; max-width: 50rem } figure { margin: 2rem 0 } img { max-width: 100% }
figcaption { color: #555 } .holds { color: #176b2c } .fails { color: #b00020; font-weight: bold }
.loose { color: #8a5a00 } td.holds, td.fails, td.loose { white-space: nowrap }
dl { display: grid; grid-template-columns: max-content auto; gap: 0 1rem; color: #555 } dd { margin: 0 }
"""


def page(sections: Sequence[tuple[Path, dict[str, Any]]]) -> str:
    """The whole page; a section is a folder with pictures and what its `outcome.json` holds."""
    body = "".join(_section(folder, told) for folder, told in sections)
    links = "".join(f'<li><a href="#{told["name"]}">{escape(told["title"])}</a></li>' for _, told in sections)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>ougi: the papers' experiments</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>ougi: the papers' experiments, run again</h1><ul>{links}</ul>\n{body}</body></html>\n"
    )


def _section(folder: Path, told: dict[str, Any]) -> str:
    verdicts = [Verdict(**verdict) for verdict in told["verdicts"]]
    tables = [Table(**table) for table in told["tables"]]
    parts = [
        f'<h2 id="{told["name"]}">{escape(told["name"])}: {escape(told["title"])}</h2>\n',
        _verdicts(verdicts),
        *map(_table, tables),
        *(f'<p class="note">{escape(note)}</p>\n' for note in told["notes"]),
        *(_figure(folder, **figure) for figure in told["figures"]),
        _facts("Parameters", {**told["parameters"], "seed": told["seed"]}),
        _facts("Machine and versions", {**told["machine"], "took": took(told["seconds"])}),
    ]
    return "".join(parts)


def _verdicts(verdicts: Sequence[Verdict]) -> str:
    lines = []
    for verdict in verdicts:
        kind = "holds" if verdict.holds else "fails" if verdict.binding else "loose"
        lines.append(
            f'<tr><td class="{kind}">{judged(verdict)}</td><td>{escape(verdict.claim)}</td>'
            f"<td>{escape(verdict.detail)}</td><td>{'yes' if verdict.binding else 'no'}</td></tr>\n"
        )
    head = "<tr><th>verdict</th><th>claim</th><th>found</th><th>binding</th></tr>\n"
    table = f'<div class="wide"><table>{head}{"".join(lines)}</table></div>\n'
    return f"<p>{summary(verdicts)}. {BINDING}</p>\n{table}" if lines else ""


def _table(table: Table) -> str:
    sides = [' class="number"' if numeric(table, k) else "" for k in range(len(table.columns))]
    head = "".join(f"<th{s}>{escape(name)}</th>" for s, name in zip(sides, table.columns, strict=True))
    rows = "".join(
        "<tr>"
        + "".join(f"<td{s}>{escape(text(c))}</td>" for s, c in zip(sides, row, strict=True))
        + "</tr>\n"
        for row in table.rows
    )
    note = f'<p class="note">{escape(table.note)}</p>\n' if table.note else ""
    inside = f"<table><tr>{head}</tr>\n{rows}</table>"
    return f'<h3>{escape(table.title)}</h3>\n<div class="wide">{inside}</div>\n{note}'


def _figure(folder: Path, name: str, title: str) -> str:
    path, kind = folder / f"{name}.svg", "svg+xml"
    if path.stat().st_size > _LARGE:
        path, kind = folder / f"{name}.png", "png"
    inside = base64.b64encode(path.read_bytes()).decode()
    words = escape(title, quote=True)
    return (
        f'<figure><img alt="{words}" src="data:image/{kind};base64,{inside}">'
        f"<figcaption>{words}</figcaption></figure>\n"
    )


def _facts(title: str, facts: dict[str, Any]) -> str:
    lines = "".join(f"<dt>{escape(str(k))}</dt><dd>{escape(text(v))}</dd>" for k, v in facts.items())
    return f"<h3>{title}</h3><dl>{lines}</dl>\n"
