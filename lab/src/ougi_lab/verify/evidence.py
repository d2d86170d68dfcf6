"""Write `ougi/evidence.json`, the summary of the committed runs that `ougi pairs` reads.

python -m ougi_lab.verify.evidence
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from ougi.cli.evidence import FILE
from ougi_lab.results import load_result

# Those of the committed reports `verify-<subject>`.
SUBJECTS = (
    *("narrow", "hull", "hull-others", "solid", "half-space", "sector", "ray", "mesh"),
    *("ccd", "cylinder", "two-cylinders", "moving-hull", "moving-hull-others", "moving-solid"),
    "moving-sector",
    *("moving-half-space", "radar", "robot"),
)


def summarize_reports() -> dict[str, Any]:
    """The folders, digest and commit of each report, and its counts: cases, near cases, disagreements."""
    summary = {}
    for subject in SUBJECTS:
        report = load_result(f"verify-{subject}")
        if report is None:
            raise FileNotFoundError(f"there is no committed report verify-{subject}")
        pairs = {
            key: [row[x] for x in ("cases", "near", "disagreements")] for key, row in report["pairs"].items()
        }
        if subject == "radar":  # its rows are kinds of meshes
            pairs = {"mesh-mesh": np.sum(list(pairs.values()), axis=0).tolist()}
        summary[subject] = {**report["sources"], "commit": report["commit"], "pairs": pairs}
    return summary


def format_summary(summary: dict[str, Any]) -> str:
    """One line per subject's head and pair, so that changes can be read in a diff."""
    lines = json.dumps(summary, indent=1).replace("[\n    ", "[").replace(",\n    ", ", ")
    return lines.replace("\n   ]", "]") + "\n"


def main() -> None:
    """Write the file."""
    FILE.write_text(format_summary(summarize_reports()), encoding="utf-8")
    sys.stderr.write(f"wrote {FILE}\n")


if __name__ == "__main__":
    main()
