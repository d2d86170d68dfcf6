"""How large a scene may be: a table of limits, and a counter of what a scene has used of them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ougi.errors import InvalidInputError
from ougi.scene.problems import suggest_name


@dataclass(frozen=True)
class Limits:
    """The largest scene that `load_scene` reads; each number is for the scene with all its files together.

    The defaults keep reading below 10 s and 1 GB. A scene that needs more can raise any of them.

    Attributes
    ----------
    toml_bytes
        Size of a TOML file, which is read slowly: about 2 MB per second.
    scene_bytes
        Size of all JSON, URDF, SRDF and CSV files.
    mesh_bytes
        Size of all glTF files, their buffers, and mesh files.
    elements
        XML elements of URDF and SRDF files, and of each Collada file.
    nodes
        Nodes of glTF files, and of each Collada file.
    bodies
        Bodies of the scene, and parts of compounds.
    faces
        Triangles of all meshes, counted once for each body; there may be three times as many vertices.
    corners
        Corners of hulls, and of polygons that are not convex, in scene files. Those of one shape count as
        n + n**2 / 2,000.
    keys
        Keys of all animations, and numbers of all rows of trajectories.
    motions
        Translations, rotations and screws of all bodies. A link below k moving joints has k of them per row.
        One that is written in a scene file counts as five.
    rule_matches
        Matches of a pattern of `[[check]]` with the name of a body.
    excluded_pairs
        Pairs of bodies that are neighbours at a joint, or that an SRDF disables.

    >>> from ougi.scene import Limits
    >>> Limits(faces=8_000_000).faces
    8000000
    """

    toml_bytes: int = 6 * 2**20
    scene_bytes: int = 32 * 2**20
    mesh_bytes: int = 128 * 2**20
    elements: int = 1_000_000
    nodes: int = 200_000
    bodies: int = 100_000
    faces: int = 2_000_000
    corners: int = 25_000
    keys: int = 2_000_000
    motions: int = 500_000
    rule_matches: int = 5_000_000
    excluded_pairs: int = 1_000_000

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidInputError(f"the limit {name} must be an integer of at least 1, got {value!r}")

    @classmethod
    def parse(cls, words: Iterable[str]) -> Limits:
        """Limits from words such as `faces=8000000`; the others keep their defaults.

        >>> from ougi.scene import Limits
        >>> Limits.parse(["faces=8000000"]) == Limits(faces=8_000_000)
        True
        """
        names = [field.name for field in dataclasses.fields(cls)]
        changed = {}
        for word in words:
            if not isinstance(word, str):
                raise TypeError(f"words must be texts such as faces=8000000, got {word!r}")
            name, equals, value = word.partition("=")
            if not equals:
                raise InvalidInputError(f"a limit is given as NAME=VALUE, got {word!r}")
            if name not in names:
                raise InvalidInputError(f"there is no limit {name!r}{suggest_name(name, names)}")
            try:
                changed[name] = int(value)
            except ValueError:
                raise InvalidInputError(
                    f"the limit {name} must be an integer of at least 1, got {value!r}"
                ) from None
        return cls(**changed)


class LimitError(ValueError):
    """A scene takes more than a limit allows."""


class Budget:
    """Counts what a scene takes, and refuses what is beyond its limits by a LimitError."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._used: Counter[str] = Counter()

    def take(self, name: str, count: int, what: str) -> None:
        """Add to what has been used of a limit; `what` describes the count in the message."""
        self._used[name] += count
        used, limit = self._used[name], getattr(self.limits, name)
        if used > limit:
            total = "" if used == count else f", {_amount(name, used)} in all"
            raise LimitError(
                f"{what} ({_amount(name, count)}{total}) exceeds the limit of {_amount(name, limit)}; "
                f"raise it by --limit {name}=N, or in Python by limits=Limits({name}=N)"
            )


def _amount(name: str, count: int) -> str:
    if name.endswith("_bytes"):
        return f"{count / 2**20:.3g} MiB" if count >= 2**20 else f"{count:,} bytes"
    return f"{count:,} {name.replace('_', ' ')}"
