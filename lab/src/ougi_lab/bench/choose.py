"""Select what a user named of all that can be measured."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from ougi.errors import InvalidInputError

T = TypeVar("T")


def choose_named(
    items: Iterable[T],
    names: Sequence[str],
    names_of: Callable[[T], Collection[str]],
    what: str,
    advice: str | None = None,
) -> list[T]:
    """Return all items, or those that one of the names fits, in their order.

    `names_of` returns the names of an item in lower case. The error for an unknown name contains `what` is
    chosen and an `advice`, or a list of all items.

    >>> choose_named(["i box", "ii even"], ["Box"], str.split, "scene")
    ['i box']
    """
    items = list(items)
    chosen: set[int] = set()
    for name in names:
        fitting = {k for k, item in enumerate(items) if name.lower() in names_of(item)}
        if not fitting:
            advice = advice or f"known are {', '.join(map(str, items))}"
            raise InvalidInputError(f"no {what} is called {name!r}; {advice}")
        chosen |= fitting
    return [item for k, item in enumerate(items) if k in chosen or not names]
