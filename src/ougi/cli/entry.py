"""The entry point of the command `ougi`. It works without the extra `cli`, to report how to install it."""

from __future__ import annotations

import importlib.util
import sys

from ougi.errors import MissingExtraError

# What the commands need. Other extras are needed by single commands only.
REQUIRED = ("cyclopts", "rich", "msgspec")

MISSING_EXTRA = 3


def main() -> None:
    """Run the command line and exit with its code."""
    if any(importlib.util.find_spec(module) is None for module in REQUIRED):
        print(f"ougi: {MissingExtraError('cli', 'the command line')}", file=sys.stderr)  # noqa: T201
        sys.exit(MISSING_EXTRA)
    from ougi.cli.app import run_and_exit

    run_and_exit()
