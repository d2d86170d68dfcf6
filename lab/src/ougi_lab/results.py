"""Committed reports of full runs: where they are, and how to read one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parent


def result(name: str) -> dict[str, Any] | None:
    """The committed report `name` (such as `verify-narrow`), from the wheel or from the repository."""
    for folder in (_PACKAGE / "results", _PACKAGE.parents[1] / "results"):
        path = folder / f"{name}.json"
        if path.is_file():
            report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return report
    return None
