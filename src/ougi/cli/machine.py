"""Which machine and which versions a number was measured with."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path


def describe_machine() -> dict[str, str | int | None]:
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
    """The model as the vendor writes it; if the system does not have it, the architecture."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    if sys.platform == "darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        if found.stdout.strip():
            return found.stdout.strip()
    return platform.processor() or platform.machine()
