"""A report as plain dictionaries: what JSON, CSV and the viewer are made of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ougi.checks.report import STATUSES, VERDICTS, Comparison, Report
from ougi.timeline import Contacts

SCHEMA = "ougi-check/2"


def to_records(report: Report) -> list[dict[str, Any]]:
    """The contacts, near misses and comparisons of a report, as plain dictionaries."""
    found = [
        *_list_contacts(report, report.contacts, "contact"),
        *_list_contacts(report, report.near, "near miss"),
    ]
    if report.compared is not None:
        found += _list_comparisons(report, report.compared)
    return found


def _list_contacts(report: Report, contacts: Contacts, kind: str) -> list[dict[str, Any]]:
    return [
        {
            "kind": kind,
            "time": _number(contacts.time[k]),
            "a": a,
            "b": b,
            "point": _vector(contacts.point[k]),
            "normal": _vector(contacts.normal[k]),
            "status": _name_status(int(contacts.status[k]), kind),
            "engine": str(contacts.engine[k]),
            "interval": int(interval),
        }
        for k, ((a, b), interval) in enumerate(
            zip(report.names(contacts), report.interval(contacts), strict=True)
        )
    ]


def _name_status(code: int, kind: str) -> str:
    return "within the margin" if kind == "near miss" and code == 1 else STATUSES[code]


def _list_comparisons(report: Report, compared: Comparison) -> list[dict[str, Any]]:
    return [
        {
            "kind": "comparison",
            "time": _number(compared.exact[k]),
            "a": a,
            "b": b,
            "status": VERDICTS[int(compared.verdict[k])],
            "method": report.method,
            "method_time": _number(compared.time[k]),
        }
        for k, (a, b) in enumerate(report.names(compared))
    ]


def list_notes(report: Report) -> list[dict[str, Any]]:
    """Bodies inside of closed meshes, as plain dictionaries."""
    return [
        {"kind": "inside a closed mesh", "body": body, "mesh": mesh, "time": float(time)}
        for (body, mesh), time in zip(report.names(report.enclosed), report.enclosed.time, strict=True)
    ]


def _number(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None


def _vector(value: Any) -> list[float] | None:
    return [float(x) for x in value] if np.isfinite(value).all() else None
