"""First contacts on a GPU: the list of queries of every front end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contact_queries import make_queries
from devices import SIMULATED

import ougi
import ougi.cuda
from ougi.impact.engine import plan


def list_kernel_queries() -> list[Any]:
    """The queries that kernels answer; some of them on the simulator."""
    queries = [
        query for query in [*make_queries(2), *make_queries(3)] if plan(*query.values).engine.is_kernel
    ]
    return queries[:: 3 if SIMULATED else 1]


@pytest.mark.parametrize(("a", "motion", "b", "other"), list_kernel_queries())
def test_the_gpu_finds_the_same_first_contacts(a: Any, motion: Any, b: Any, other: Any) -> None:
    expected = ougi.time_of_impact(a, motion, b, other)
    put = ougi.cuda.put
    there = None if other is None else put(other)
    found = ougi.cuda.time_of_impact(put(a), put(motion), put(b), there, result="numpy")
    assert int(found.status) == int(expected.status)
    np.testing.assert_allclose(found.t, expected.t, atol=1e-7)
