"""Load the committed reports of full runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parent


def load_result(name: str) -> dict[str, Any] | None:
    """Load the committed report `name` (such as `verify-narrow`) from the wheel or the repository."""
    for folder in (_PACKAGE / "results", _PACKAGE.parents[1] / "results"):
        path = folder / f"{name}.json"
        if path.is_file():
            report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return report
    return None
