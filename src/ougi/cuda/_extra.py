"""Names the extra if Numba is missing; the package imports this module first."""

from __future__ import annotations

from ougi.errors import MissingExtraError

try:
    import numba.cuda  # noqa: F401
except ImportError as error:
    raise MissingExtraError("cuda", "ougi.cuda") from error
