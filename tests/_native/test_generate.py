"""Loops that are made from a text."""

from __future__ import annotations

import inspect
import linecache
import os
import traceback
from typing import Any

import pytest
from run_python import run_python

from ougi._native import execute, loops
from ougi.kernels import load, sphere_sphere

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
needs_compiler = pytest.mark.skipif(not COMPILED, reason="about compiled code; this run is plain Python")


@needs_compiler
def test_the_source_of_a_generated_loop_can_be_read() -> None:
    """Numba reads it; from Python 3.13 on a wrong line number was an error."""
    made = loops(
        "test", sphere_sphere.intersects_sphere_sphere, load.load_sphere, load.load_sphere, load.store_value
    )
    for form, loop in (("cross", made.cross), ("listed", made.listed)):
        linecache.checkcache()
        source = inspect.getsource(loop)
        assert source.startswith(f"def {form}_test(")
        assert "store(out" in source


def test_tracebacks_show_generated_code() -> None:
    namespace: dict[str, Any] = {"__name__": __name__}
    execute("def fails():\n    return 1 / 0  # the line\n", namespace)
    with pytest.raises(ZeroDivisionError) as caught:
        namespace["fails"]()
    assert "1 / 0  # the line" in "".join(traceback.format_exception(caught.value))


@needs_compiler
def test_every_loop_has_one_signature_whatever_the_slice() -> None:
    """A second signature would mean a second compilation behind the user's back."""
    program = """
        import numpy as np, ougi
        from ougi.query.dispatch import pair_loops
        a = ougi.Sphere(np.zeros((4, 3)), 1)
        pairs = np.array([[0, 1], [2, 3]], dtype=np.int32)
        frozen = pairs.astype(np.int64)
        frozen.flags.writeable = False
        ougi.intersects(a, a[0])
        ougi.intersects(a[::2], a[:, None][::2, 0])
        ougi.intersects(a[1:], a[1:])
        ougi.intersects(a, a, pairs=pairs)
        ougi.intersects(a, a, pairs=pairs[:, ::-1])
        ougi.intersects(a, a, pairs=frozen)
        made = pair_loops("intersects", "sphere_sphere")
        print(len(made.cross.signatures), len(made.listed.signatures))
    """
    assert run_python(program, OUGI_LIBRARY="off") == "1 1"
