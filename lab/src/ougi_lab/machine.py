"""Describe what a result is about: the sources, the commit and the GPU."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import re
import subprocess
from pathlib import Path
from typing import Any

from ougi.cli.evidence import PACKAGE

LAB = Path(__file__).parent

# Folders of the library that no result depends on.
_PRESENTATION = ("cli", "viewer", "plot")


@functools.cache
def digest_sources(*own: str) -> str:
    """Return a digest of the library (without its presentation) and of the named files of the laboratory.

    >>> digest_sources() == digest_sources("machine.py")
    False
    """
    digest = hashlib.sha256()
    library = [
        path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in _PRESENTATION
    ]
    for root, paths in ((PACKAGE, sorted(library)), (LAB, [LAB / name for name in sorted(own)])):
        for path in paths:
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def describe_commit() -> str | None:
    """Return the commit of the checkout that the library is imported from, or None outside of one.

    A `+` means that files differ from the commit.
    """
    command = ["git", "-C", str(PACKAGE), "describe", "--always", "--dirty=+", "--abbrev=7", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None


def describe_gpu() -> dict[str, Any]:
    """Return name, compute capability, memory and the versions of driver, CUDA and numba-cuda."""
    from numba import cuda

    from ougi.cuda.driver import SIMULATED, current_device

    current_device()  # raises an error with advice if there is none
    facts: dict[str, Any] = {"numba-cuda": importlib.metadata.version("numba-cuda")}
    if SIMULATED:
        return {"gpu": "none (numba-cuda's simulator)", **facts}
    device, (_, total) = cuda.get_current_device(), cuda.current_context().get_memory_info()
    name = device.name.decode() if isinstance(device.name, bytes) else str(device.name)
    major, minor = cuda.cudadrv.driver.driver.get_version()
    return {
        "gpu": name,
        "compute_capability": ".".join(map(str, device.compute_capability)),
        "memory_gib": round(total / 2**30, 1),
        "driver": _read_driver_version(),
        "cuda_of_driver": f"{major}.{minor}",
        **facts,
    }


def _read_driver_version() -> str | None:
    """Return the version of the driver, if the kernel reports it."""
    file = Path("/proc/driver/nvidia/version")
    if not file.is_file():
        return None
    found = re.search(r"Module.*?(\d+\.\d+(?:\.\d+)?)", file.read_text(encoding="utf-8"))
    return found.group(1) if found else None
