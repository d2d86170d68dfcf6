"""First contacts on a GPU: the list of queries of every front end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contact_queries import make_queries
from devices import SIMULATED

import ougi
import ougi.cuda
from ougi.impact.engine import Engine, plan
from ougi.impact.tables import SOLIDS


def list_kernel_queries() -> list[Any]:
    """The queries that have kernels, but for those of hulls and curved solids; some on the simulator."""
    queries = [query for query in [*make_queries(2), *make_queries(3)] if has_device_kernel(*query.values)]
    return queries[:: 3 if SIMULATED else 1]


def has_device_kernel(a: Any, motion: Any, b: Any, other: Any) -> bool:
    """Do GPUs have the kernel that is chosen on the CPU?"""
    engine = plan(a, motion, b, other).engine
    return engine.is_kernel or (
        engine is Engine.HULLS and not isinstance(a, SOLIDS) and not isinstance(b, SOLIDS)
    )


@pytest.mark.parametrize(("a", "motion", "b", "other"), list_kernel_queries())
def test_the_gpu_finds_the_same_first_contacts(a: Any, motion: Any, b: Any, other: Any) -> None:
    expected = ougi.time_of_impact(a, motion, b, other)
    put = ougi.cuda.put
    there = None if other is None else put(other)
    found = ougi.cuda.time_of_impact(put(a), put(motion), put(b), there, result="numpy")
    assert int(found.status) == int(expected.status)
    assert found.hit == expected.hit
    np.testing.assert_allclose(found.t, expected.t, atol=1e-7)
