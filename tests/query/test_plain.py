"""The same source, compiled and as plain Python: the same bits for every pair."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np

CASES = 60


def digests() -> dict[str, str]:
    """A digest of every row's answers to a few seeded cases of all families."""
    import ougi
    from ougi.query.queries import separation
    from ougi.query.tables import SEPARATION
    from ougi_lab.scenes.pairs import draw_pairs

    found = {}
    for row in SEPARATION:
        a, b = draw_pairs(row.a, row.b, CASES, np.random.default_rng(11))
        parts: list[Any] = [ougi.intersects(a, b), ougi.distance(a, b), *separation("contacts", a, b, None)]
        content = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
        found[f"{row.a.__name__}-{row.b.__name__}"] = hashlib.sha256(content).hexdigest()
    return found


def test_plain_python_gives_the_same_bits() -> None:
    code = "import json, test_plain; print(json.dumps(test_plain.digests()))"
    env = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path]),
    }
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    plain = json.loads(done.stdout)
    assert len(plain) == 56
    assert plain == digests()
