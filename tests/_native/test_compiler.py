"""Names of compiled functions."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil
from collections.abc import Callable
from pathlib import Path

import pytest
from run_python import run_python

import ougi.kernels
from ougi._native import Deferred
from ougi._native.compiler import name_closure

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
needs_compiler = pytest.mark.skipif(not COMPILED, reason="about compiled code; this run is plain Python")


def make_sum(*terms: object) -> Callable[[float], float]:
    def compute(x: float) -> float:
        return x + sum(term(x) if callable(term) else float(str(term)) for term in terms)

    return compute


def test_a_function_that_closes_over_nothing_keeps_its_name() -> None:
    assert name_closure(make_sum) == "make_sum"


@pytest.mark.parametrize("other", [(2.0,), (True,), (1.0, 1.0), (make_sum(1.0),), (int,), ("1.0",), ()])
def test_closures_over_different_things_have_different_names(other: tuple[object, ...]) -> None:
    assert name_closure(make_sum(*other)) != name_closure(make_sum(1.0))


def test_closures_of_closures_have_names_of_their_own() -> None:
    assert name_closure(make_sum(make_sum(1.0))) != name_closure(make_sum(make_sum(2.0)))
    assert name_closure(make_sum(make_sum(1.0))) == name_closure(make_sum(make_sum(1.0)))


def test_a_closure_over_an_object_without_a_name_is_refused() -> None:
    with pytest.raises(TypeError, match=r"closes over \[1\.0\]"):
        name_closure(make_sum([1.0]))


@needs_compiler
def test_no_two_functions_of_kernels_share_a_name() -> None:
    for module in pkgutil.walk_packages(ougi.kernels.__path__, "ougi.kernels."):
        importlib.import_module(module.name)
    named: dict[str, object] = {}
    for deferred in (each for each in gc.get_objects() if isinstance(each, Deferred)):
        function = deferred.py_func
        if not getattr(function, "__module__", "").startswith("ougi.kernels"):
            continue
        parts = [cell.cell_contents for cell in function.__closure__ or ()]
        own = function.__code__, [getattr(part, "py_func", part) for part in parts]
        assert named.setdefault(f"{function.__module__}.{name_closure(function)}", own) == own
    assert len(named) > 500


# Too long to be inlined, so that a call of it is linked by its name.
_CLOSURES = """
import math
from ougi._native import loop, procedure

def make_sum(term):
    @procedure
    def compute(x):
        total = 0.0
        for i in range(40):
            total += math.sin(x + i) * math.cos(term * i)
            if total > 1e3 * term:
                total -= math.sqrt(abs(total)) + math.log1p(abs(x))
            elif total < -10.0:
                total += math.atan2(total, x + term)
            for j in range(i):
                total += math.tanh(x * j + term)
                if total > 5.0:
                    total *= 0.1
        return total + 1000.0 * term
    return compute

one, two = make_sum(1.0), make_sum(2.0)

@loop
def run_one(x):
    return one(x) + one(x + 1.0)

@loop
def run_two(x):
    return two(x) + two(x + 1.0)
"""


@needs_compiler
def test_closures_that_two_processes_compiled_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / "closures.py").write_text(_CLOSURES)
    where = {"OUGI_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(
        [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    )}  # fmt: skip
    one = run_python("import closures; print(closures.run_one(0.3))", **where)
    two = run_python("import closures; print(closures.run_two(0.3))", **where)
    assert one != two
    both = run_python("import closures as c; print(c.run_one(0.3), c.run_two(0.3))", **where)
    assert both.split() == [one, two]
