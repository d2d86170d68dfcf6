"""The two array loops of a kernel, from one text."""

from __future__ import annotations

import functools
import linecache
from collections.abc import Callable
from importlib.util import source_hash
from typing import NamedTuple

import numpy as np

from ougi._native.compiler import find_generated_loop, loop
from ougi._typing import Foreign, Loop

# Unsigned counters spare Numba its test for negative indices, which halves the cost of a sphere test.
_TEXT = '''
def cross_{name}(a, b, out, start, stop):
    """Every a against every b: entries start..stop of the flattened (n_a, n_b) answer."""
    n = b.shape[1]
    if n == 1:
        one = load_b(b, 0)
        for i in range(uint64(start), uint64(stop)):
            store(out, i, kernel(load_a(a, i), one))
    else:
        k = start
        while k < stop:
            i = k // n
            first = k - i * n
            last = min(n, first + stop - k)
            row = uint64(i * n)
            one = load_a(a, uint64(i))
            for j in range(uint64(first), uint64(last)):
                store(out, row + uint64(j), kernel(one, load_b(b, j)))
            k += last - first


def listed_{name}(a, b, pairs, column, out, start, stop):
    """Rows start..stop of `pairs`; `column` says which of the two indices belongs to a."""
    for k in range(uint64(start), uint64(stop)):
        i = uint64(pairs[k, column])
        j = uint64(pairs[k, 1 - column])
        store(out, k, kernel(load_a(a, i), load_b(b, j)))
'''


class Parts(NamedTuple):
    """What loops are made of."""

    kernel: Loop
    load_a: Loop
    load_b: Loop
    store: Loop


class Loops:
    """The two array forms of a kernel. Its parts are found when something is compiled, not for a library.

    `name` must be unique to this combination: it is the key on disk.
    """

    def __init__(self, name: str, find_parts: Callable[[], Parts]) -> None:
        self.name, self._find_parts = name, find_parts

    @functools.cached_property
    def parts(self) -> Parts:
        """What the loops are made of."""
        return self._find_parts()

    @functools.cached_property
    def cross(self) -> Callable[..., None]:
        """Every a against every b."""
        return self._make("cross")

    @functools.cached_property
    def listed(self) -> Callable[..., None]:
        """Listed pairs."""
        return self._make("listed")

    def _make(self, form: str) -> Callable[..., None]:
        name, origin = f"{form}_{self.name}", self._find_parts.__module__
        return find_generated_loop(f"{__name__}.{name}", origin) or loop(self._functions[form])

    @functools.cached_property
    def _functions(self) -> dict[str, Foreign]:
        parts = self.parts
        namespace: dict[str, Foreign] = {"__name__": __name__, "uint64": np.uint64, **parts._asdict()}
        execute(_TEXT.format(name=self.name), namespace)
        found = {form: namespace[f"{form}_{self.name}"] for form in ("cross", "listed")}
        for function in found.values():
            function.parts, function.origin = tuple(parts), self._find_parts.__module__
        return found


def execute(text: str, namespace: dict[str, Foreign]) -> None:
    """Execute generated source in `namespace`, so that `inspect`, tracebacks and debuggers can read it.

    Numba reads the source of what it compiles. From Python 3.13 on `inspect` believes the line number of a
    function, so the text must not pass for that of a real file. Without a time of modification `linecache`
    never compares an entry with a file, so `linecache.checkcache` keeps it.
    """
    name = f"<ougi-loops-{source_hash(text.encode()).hex()}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), namespace)


def loops(name: str, kernel: Loop, load_a: Loop, load_b: Loop, store: Loop) -> Loops:
    """The loops of parts that are at hand, for tests and experiments. The package itself defers its parts."""
    return Loops(name, lambda: Parts(kernel, load_a, load_b, store))
