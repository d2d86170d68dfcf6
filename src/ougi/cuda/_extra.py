"""Names the extra if one of its packages is missing; `ougi.cuda` imports this module first."""

from __future__ import annotations

import importlib.util

from ougi.errors import MissingExtraError

if not all(map(importlib.util.find_spec, ("numba", "numba_cuda"))):
    raise MissingExtraError("cuda", "ougi.cuda")
