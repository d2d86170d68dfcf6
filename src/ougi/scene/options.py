"""What the user allows and chooses when a scene is read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class LoadOptions(NamedTuple):
    """Options of `load_scene` that readers of formats need."""

    trajectory: Path | None = None
    animation: str | None = None
    srdf: Path | None = None
    packages: Mapping[str, str | os.PathLike[str]] = {}
    run_xacro: bool = False
    skip_unsupported: bool = False
