"""The command `ougi schema`."""

from __future__ import annotations

import sys


def schema() -> int:
    """Print the JSON schema of scene files, with which editors complete and check scene files."""
    import json

    from ougi.scene.schema import schema

    sys.stdout.write(json.dumps(schema(), indent=2) + "\n")
    return 0
