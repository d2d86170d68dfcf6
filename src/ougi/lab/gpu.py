"""Which GPU a number was measured on."""

from __future__ import annotations

import importlib.metadata
from typing import Any


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
        "driver": _driver(),
        "cuda_of_driver": f"{major}.{minor}",
        **facts,
    }


def _driver() -> str | None:
    """The driver's own version, where the kernel tells it."""
    import re
    from pathlib import Path

    told = Path("/proc/driver/nvidia/version")
    if not told.is_file():
        return None
    found = re.search(r"Module.*?(\d+\.\d+(?:\.\d+)?)", told.read_text(encoding="utf-8"))
    return found.group(1) if found else None
