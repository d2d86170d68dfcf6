"""The files `test_device*.py` need a GPU or numba-cuda's simulator. Without either they are skipped.

`test_simulator.py` runs them on the simulator, in a process of their own; where there is a GPU they run by
themselves.
"""

from __future__ import annotations

import importlib.util
import os
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

if importlib.util.find_spec("numba_cuda") is None:
    pytest.skip("the extra cuda is not installed", allow_module_level=True)

# The simulator is slow, so its cases are smaller.
SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
if not SIMULATED:
    from numba import cuda

    if not cuda.is_available():
        pytest.skip(
            "there is no GPU; test_simulator.py runs these tests without one", allow_module_level=True
        )


def on_host(answer: Any) -> Any:
    """Copy an array of the device to NumPy."""
    return answer.copy_to_host()


def assert_same_form(got: Any, want: Any) -> None:
    """The same class, and fields of the same shapes and dtypes."""
    assert type(got) is type(want)
    for field in fields(want):
        if not field.compare:
            continue
        ours, theirs = (np.asarray(getattr(found, field.name)) for found in (got, want))
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), field.name
