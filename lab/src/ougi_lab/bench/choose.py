"""What of all that can be measured did a user name?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from ougi.errors import InvalidInputError

T = TypeVar("T")


def choose(
    every: Iterable[T], names: Sequence[str], called: Callable[[T], Collection[str]], what: str, advice: str
) -> list[T]:
    """All, or those that one of the names fits, in their order.

    Parameters
    ----------
    every
        All that there is.
    names
        As the user wrote them, in upper or lower case; none for all.
    called
        Gives the names of one of them, in lower case.
    what, advice
        For a name that fits nothing: what it is not, and what to write instead.

    >>> choose(["i box", "ii even"], ["Box"], str.split, "scene", "known are box and even")
    ['i box']
    """
    every = list(every)
    if not names:
        return every
    chosen: set[int] = set()
    for name in names:
        fitting = {k for k, one in enumerate(every) if name.lower() in called(one)}
        if not fitting:
            raise InvalidInputError(f"no {what} is called {name!r}; {advice}")
        chosen |= fitting
    return [one for k, one in enumerate(every) if k in chosen]
