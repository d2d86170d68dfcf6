"""Select what a user named of all that can be measured."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from ougi.errors import InvalidInputError

T = TypeVar("T")


def choose(
    every: Iterable[T],
    names: Sequence[str],
    called: Callable[[T], Collection[str]],
    what: str,
    advice: str | None = None,
) -> list[T]:
    """All, or those that one of the names fits, in their order.

    `called` returns the names of one of them, in lower case. For a name that fits nothing the message says
    `what` it is not and gives an `advice`, or lists all.

    >>> choose(["i box", "ii even"], ["Box"], str.split, "scene")
    ['i box']
    """
    every = list(every)
    chosen: set[int] = set()
    for name in names:
        fitting = {k for k, one in enumerate(every) if name.lower() in called(one)}
        if not fitting:
            advice = advice or f"known are {', '.join(map(str, every))}"
            raise InvalidInputError(f"no {what} is called {name!r}; {advice}")
        chosen |= fitting
    return [one for k, one in enumerate(every) if k in chosen or not names]
