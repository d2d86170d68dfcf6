"""Which functions are copied into their callers, and which are called: a matter of the time of compilation.

A loop that vectorises needs all its functions copied into it. A long kernel does not vectorise, and as many
copies as callers would take most of the time of the compiler.
"""

from __future__ import annotations

import collections
import functools
import itertools
import re

import llvmlite.binding as llvm

from ougi._native import generate
from ougi._typing import Foreign, Loop

_CONVEX = ("ougi.kernels.convex", "ougi.kernels.impact.convex")


def name_group(function: Loop) -> str:
    """What a loop has in common with others: the query of a pair, or the package.

    All queries of convex bodies share the same long functions.
    """
    if any(part.__module__.startswith(_CONVEX) for part in getattr(function, "parts", ())[:1]):
        return "convex"
    module: str = function.__module__
    return function.__name__.split("_")[1] if module == generate.__name__ else module.rpartition(".")[0]


# Groups of loops in which long functions with several callers are called instead of copied, because nothing
# vectorises there. Lines of intermediate code above which a function is long; about a seventh of them remain
# as instructions. Times of two movers do not change. Distances of hulls take 0.88 of the time, those of
# ellipsoids 1.05 (1.2 with 2,800 lines). Elsewhere that costs too much, even of long functions that do
# not vectorise: with 2,800 lines, contacts take 1.02 to 4.8 times as long, first contacts of one mover 1.06;
# with 16,000 lines, loops of robots take 1.05 to 2 times as long, and a quarter of the time to compile.
_MAX_COPIED = {"moving": 2800, "convex": 8000}
_FUNCTION = re.compile(
    r"^define .*?@(\"[^\"]+\"|[\w.$]+)\(.*?(?: (#\d+))?(?: personality .*)? \{\n(.*?)^\}", re.M | re.S
)
_ATTRIBUTES = re.compile(r"^attributes (#\d+) = \{ (.*) \}$", re.M)
_CALLED = re.compile(r"(?:call|invoke) [^@\n]*@(\"[^\"]+\"|[\w.$]+)\(")


def limit_inlining(module: Foreign, group: str) -> Foreign:
    """A module in which long functions with several callers are no longer forced into all of them.

    Loops of long kernels take less than half of the time to compile.
    """
    if group not in _MAX_COPIED:
        return module
    return llvm.parse_assembly(_release_long(str(module), _MAX_COPIED[group]))


def _release_long(text: str, max_copied: int) -> str:
    groups = dict(_ATTRIBUTES.findall(text))
    bodies = {name: (group, body) for name, group, body in _FUNCTION.findall(text)}
    calls = {name: _CALLED.findall(body) for name, (_, body) in bodies.items()}
    sites = collections.Counter(itertools.chain.from_iterable(calls.values()))
    is_forced = {name: "alwaysinline" in groups.get(group, "").split() for name, (group, _) in bodies.items()}

    @functools.cache
    def count_lines(name: str) -> int:
        """Lines of a function and of what is copied into it."""
        inner = [each for each in calls[name] if is_forced.get(each) and not is_shared(each)]
        return int(bodies[name][1].count("\n") + sum(map(count_lines, inner)))

    @functools.cache
    def is_shared(name: str) -> bool:
        return is_forced[name] and sites[name] > 1 and count_lines(name) > max_copied

    def replace(match: re.Match[str]) -> str:
        name, group, body = match.groups()
        if not is_shared(name):
            return match[0]
        start = match.start(3) - match.start()
        left = " ".join(word for word in groups[group].split() if word != "alwaysinline")
        return match[0][:start].replace(f" {group} ", f" {left} ") + body + "}"

    return _FUNCTION.sub(replace, text)
