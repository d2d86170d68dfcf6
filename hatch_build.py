"""Wheels with machine code: OUGI_LIBRARY_FOLDER names a built library (`python -m ougi.cli.native --out`).

Without it the wheel is pure Python, and the extra `jit` compiles.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The library's platform -> the tag of its wheel. Linux: glibc 2.17, as `build.py` links.
TAGS = {
    "linux-x86_64": "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "linux-aarch64": "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "windows-x86_64": "win_amd64",
    "macos-aarch64": "macosx_11_0_arm64",
}


class LibraryHook(BuildHookInterface[Any]):
    """Adds a library to a wheel and names the wheel's platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = os.environ.get("OUGI_LIBRARY_FOLDER")
        if folder and version != "editable":
            manifest = json.loads((Path(folder) / "loops.json").read_text(encoding="utf-8"))
            build_data["tag"] = f"py3-none-{TAGS[manifest['platform']]}"
            build_data["pure_python"] = False
            build_data["force_include"][folder] = "ougi/_native/lib"
