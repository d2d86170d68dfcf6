"""The command `ougi pairs`: which question is answered for which pair, and on what evidence."""

from __future__ import annotations

import json
import sys
from typing import Any, Literal

QUESTIONS = ("intersects", "distance", "closest_points", "contacts")


def pairs(*, format: Literal["table", "json"] = "table") -> int:
    """Print which questions are answered for which pairs, with the evidence behind each.

    `all` stands for intersects, distance, closest_points and contacts, `gap` for intersects and distance,
    `hit` for intersects alone. Behind it:
    the number of cases that `ougi verify` has proved for these very kernels, without a disagreement; `old`
    if the kernels have changed since; `unverified` if there is no committed run.

    Parameters
    ----------
    format
        Print a `table` per dimension, or one list as `json`.
    """
    found = rows()
    if format == "json":
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
        return 0
    for dimension in (2, 3):
        _print_matrix(dimension, [row for row in found if row["dimension"] == dimension])
    sys.stdout.write(
        "all = intersects, distance, closest_points, contacts; gap = intersects, distance; hit = intersects\n"
        "behind it: cases proved by `ougi verify` for these kernels, without a disagreement\n"
    )
    return 0


def rows() -> list[dict[str, Any]]:
    """One row per pair: classes, dimension, questions, evidence."""
    from ougi.lab.results import result
    from ougi.query._tables import TABLES

    proved: dict[str, Any] = {}
    for name in ("verify-narrow", "verify-sector"):
        proved |= (result(name) or {"pairs": {}})["pairs"]
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in TABLES["intersects"]:
        a, b = row.a.__name__, row.b.__name__
        found[a, b] = {"a": a, "b": b, "dimension": row.a.dimension, "questions": ["intersects"]}
    for row in TABLES["distance"]:
        found[row.a.__name__, row.b.__name__]["questions"] = ["intersects", "distance"]
    for row in TABLES["separation"]:
        found[row.a.__name__, row.b.__name__]["questions"] = list(QUESTIONS)
    for row_found in found.values():
        row_found["evidence"] = _evidence(row_found, {"pairs": proved})
    return list(found.values())


def _evidence(row: dict[str, Any], report: dict[str, Any]) -> dict[str, Any]:
    from ougi.lab.verify.digest import pair_digest

    name = f"{row['a']}-{row['b']}".lower()
    known = report["pairs"].get(name)
    if known is None:
        return {"state": "unverified"}
    state = "proved" if known["digest"] == pair_digest(name) else "old"
    if known["disagreements"]:
        state = "wrong"
    return {
        "state": state,
        "cases": known["cases"],
        "near": known["near"],
        "disagreements": known["disagreements"],
    }


def _cell(row: dict[str, Any]) -> str:
    questions = {1: "hit", 2: "gap"}.get(len(row["questions"]), "all")
    evidence = row["evidence"]
    if evidence["state"] == "proved":
        return f"{questions} {_short(evidence['cases'] + evidence['near'])}"
    return f"{questions} {evidence['state']}"


def _short(n: int) -> str:
    """1100000 -> 1.1M."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if n >= size:
            return f"{n / size:.3g}{unit}"
    return str(n)


def _print_matrix(dimension: int, found: list[dict[str, Any]]) -> None:
    names = list(dict.fromkeys(name for row in found for name in (row["a"], row["b"])))
    cells = {}
    for row in found:
        cells[row["a"], row["b"]] = cells[row["b"], row["a"]] = _cell(row)
    lines = [[f"{dimension}-D", *names]]
    lines += [[a, *(cells.get((a, b), "-") for b in names)] for a in names]
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    for line in lines:
        text = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        sys.stdout.write(text.rstrip() + "\n")
    sys.stdout.write("\n")
