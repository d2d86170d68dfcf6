"""What PyInstaller cannot find by itself; it reads this through the entry point `pyinstaller40`."""

from __future__ import annotations

from pathlib import Path


def get_hook_dirs() -> list[str]:
    """The folder of `hook-ougi.py`."""
    return [str(Path(__file__).parent)]
