"""What the files `test_device*.py` ask: a GPU, or numba-cuda's simulator. Without either they are skipped.

`test_simulator.py` runs them on the simulator, in a process of their own; where there is a GPU they run by
themselves.
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any

import pytest

if importlib.util.find_spec("numba_cuda") is None:
    pytest.skip("the extra cuda is not installed", allow_module_level=True)

# The simulator is slow: what it is asked is smaller.
SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
if not SIMULATED:
    from numba import cuda

    if not cuda.is_available():
        pytest.skip(
            "there is no GPU; test_simulator.py runs these tests without one", allow_module_level=True
        )


def on_host(answer: Any) -> Any:
    """What lies on the device, as an array of NumPy."""
    return answer.copy_to_host()
