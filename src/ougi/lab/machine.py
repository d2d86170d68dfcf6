"""Which machine and which versions a number was measured with."""

from __future__ import annotations

import datetime
import functools
import hashlib
import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


@functools.cache
def sources(*own: str) -> str:
    """Digest of the library, all but the lab, and of some of the lab's files: what a kept result is about.

    >>> from ougi.lab.machine import sources
    >>> sources() == sources("machine.py")
    False
    """
    digest = hashlib.sha256()
    library = (path for path in _PACKAGE.rglob("*.py") if path.relative_to(_PACKAGE).parts[0] != "lab")
    for path in sorted([*library, *(_PACKAGE / "lab" / name for name in own)]):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def machine() -> dict[str, str | int | None]:
    """CPU, cores this process may use, versions, platform and date (UTC); numba is not imported for it."""
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "platform": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "ougi": version("ougi"),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def version(package: str) -> str | None:
    """Of a package; None if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpu() -> str:
    """The model as the vendor writes it; where the system does not tell, its architecture."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    if sys.platform == "darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        if told.stdout.strip():
            return told.stdout.strip()
    return platform.processor() or platform.machine()
