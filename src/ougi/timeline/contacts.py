"""The record of contacts between bodies of a timeline."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from ougi._typing import Array, Floats, Ints, Strings
from ougi.impact import FirstContacts


@dataclass(frozen=True, eq=False, repr=False)
class Contacts(FirstContacts):
    """Contacts of pairs of bodies, one row each; status, hit, point and normal as in `FirstContacts`.

    Attributes
    ----------
    pair
        (m, 2), two bodies; the normal leads from the first to the second.
    time
        (m,), seconds, where `t` counts within one motion or one step.
    engine
        (m,), what computed the contact: `kernel`, `radar`, `advancement`, `parts` (of a compound) or
        `robot`; empty where nothing did.
    """

    pair: Ints
    time: Floats
    engine: Strings

    def __len__(self) -> int:
        return len(self.pair)

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        """The rows of all parts, in their order."""
        if len(parts) == 1:
            return parts[0]
        names = [field.name for field in fields(cls) if field.compare]
        columns: dict[str, Array] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in names
        }
        return cls(**columns)


def make_contacts(first: FirstContacts, pair: Ints, time: Floats, engine: Strings) -> Contacts:
    """First contacts with their pairs, times and engines."""
    return Contacts(first.status, first.hit, first.t, first.point, first.normal, pair, time, engine)
