"""What a result is about: the sources, and the GPU it was measured on."""

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
_SHOWING = ("cli", "viewer", "plot")


@functools.cache
def sources(*own: str) -> str:
    """Digest of the library, without what prints and draws, and of some files of the laboratory.

    >>> sources() == sources("machine.py")
    False
    """
    digest = hashlib.sha256()
    library = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in _SHOWING]
    for root, paths in ((PACKAGE, sorted(library)), (LAB, [LAB / name for name in sorted(own)])):
        for path in paths:
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def commit() -> str | None:
    """The commit of the checkout that the library is imported from, None outside of one.

    A `+` means that sources were changed since.
    """
    command = ["git", "-C", str(PACKAGE), "describe", "--always", "--dirty=+", "--abbrev=7", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None


def gpu() -> dict[str, Any]:
    """Name, compute capability, memory, the driver's CUDA version and that of numba-cuda."""
    from numba import cuda

    from ougi.cuda._driver import SIMULATED, current_device

    current_device()  # says what to do if there is none
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
        "driver": _driver_version(),
        "cuda_of_driver": f"{major}.{minor}",
        **facts,
    }


def _driver_version() -> str | None:
    """The driver's own version, where the kernel reports it."""
    file = Path("/proc/driver/nvidia/version")
    if not file.is_file():
        return None
    found = re.search(r"Module.*?(\d+\.\d+(?:\.\d+)?)", file.read_text(encoding="utf-8"))
    return found.group(1) if found else None
