"""The evidence behind the pair matrix: what `ougi verify` has proved, and for which sources.

`ougi/evidence.json` is a summary of the committed runs, written by the laboratory. For each subject it holds
the package folders that the runs depend on, a digest of their sources, and the numbers of cases per pair.
"""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # it imports NumPy, which help does not need
    from ougi._typing import JsonObject


PACKAGE = Path(__file__).parents[1]
FILE = PACKAGE / "evidence.json"


@functools.cache
def digest_sources(*folders: str) -> str:
    """Digest of the Python files in folders of the package; folders inside of them are named separately.

    >>> from ougi.cli.evidence import digest_sources
    >>> digest_sources("kernels") == digest_sources("kernels", "kernels/impact")
    False
    """
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((PACKAGE / folder).glob("*.py")):
            digest.update(path.relative_to(PACKAGE).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def load_evidence() -> JsonObject:
    """Subject -> {"folders", "digest", "commit", "pairs": {pair: [cases, near cases, disagreements]}}."""
    evidence: JsonObject = json.loads(FILE.read_text(encoding="utf-8"))
    return evidence


def find_evidence(evidence: JsonObject, subjects: tuple[str, ...], pair: str) -> JsonObject:
    """What is known of a pair: its state (`proved`, `old`, `wrong` or `unverified`) and the counts.

    Evidence is old if a source of its folders has changed since.
    """
    for subject in subjects:
        known = evidence.get(subject)
        if known is not None and pair in known["pairs"]:
            cases, near, disagreements = known["pairs"][pair]
            is_current = digest_sources(*known["folders"]) == known["digest"]
            state = "wrong" if disagreements else "proved" if is_current else "old"
            return {"state": state, "cases": cases, "near": near, "disagreements": disagreements}
    return {"state": "unverified"}
