"""What can be hit: bodies with hit boxes, where they are now and where they were in the frame before."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.games.angles import RADIANS, AngleUnit
from ougi.games.hit import Hit, PairSearch, make_hit
from ougi.games.hitbox import Hitbox, HitboxLike, as_hitbox
from ougi.games.search import FrameBodies
from ougi.shapes import Shape

# Frames that are played before the first. It takes 0.3 ms without them, and 0.04 with them: Python and NumPy
# prepare what they run for the first time, and repeat it faster.
REHEARSALS = 10


class Targets:
    """What a TargetSet and the sets of game libraries have in common."""

    _unit: ClassVar[AngleUnit] = RADIANS

    def __init__(self) -> None:
        self._targets: list[Any] = []
        self._hitboxes: list[Hitbox] = []
        self._rows: dict[Hashable, int] = {}
        self._jumped: set[Hashable] = set()
        self._appears = False  # none has moved in the next update
        self._new = np.zeros(0, np.bool_)  # those that appeared in the last update
        self._search = PairSearch()
        self._motion, self._now = np.zeros((8, 0)), np.zeros((3, 0))
        self.revision = 0  # counts changes of which targets there are
        self.corner_count = 1  # of the part with most corners
        self.all_rows = np.ones(0, np.bool_)  # True for each, made before the first frame
        self.bodies = join_bodies(self._motion, [])

    def __len__(self) -> int:
        return len(self._targets)

    def __contains__(self, target: Hashable) -> bool:
        return target in self._rows

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,} targets>"

    @property
    def targets(self) -> list[Any]:
        """The targets, in the order in which they were given."""
        return list(self._targets)

    def hits(self, *targets: Targets) -> list[tuple[Any, Hit]]:
        """Which of these hits which target of other sets since the frame before, the earliest first.

        For bodies that your game moves. Update all sets in every frame, except those that rest. A pair that
        touches for several frames is reported in each of them; `inside` is True if it touched before.

        >>> import ougi
        >>> from ougi.games import TargetSet
        >>> bullets, wolves = TargetSet(), TargetSet()
        >>> for x in (0, 40):
        ...     wolves.update(["gray"], [[30, x / 10]], hitboxes=ougi.Circle([0, 0], 5))
        ...     bullets.update(["bullet"], [[x, 0]], hitboxes=ougi.Circle([0, 0], 1))
        >>> [(bullet, hit.target, round(hit.t, 4)) for bullet, hit in bullets.hits(wolves)]
        [('bullet', 'gray', 0.6131)]
        """
        found = []
        for k, other in enumerate(targets):
            check_targets(f"targets[{k}]", other)
            rows = self._search.find(self.bodies, _check.frozen(self._new), other.bodies)
            found += [(self._targets[i], make_hit(other._targets[j], values)) for (i, j), values in rows]
        found.sort(key=lambda each: each[1].t)
        return found

    def first_hits(self, *targets: Targets) -> dict[Any, Hit]:
        """As `hits`, but only the first hit of each body: for bullets that stop at what they hit.

        >>> from ougi.games import TargetSet
        >>> TargetSet().first_hits(TargetSet(), TargetSet())
        {}
        """
        first: dict[Any, Hit] = {}
        for body, hit in self.hits(*targets):
            first.setdefault(body, hit)
        return first

    def forget(self, target: Hashable) -> None:
        """Note that a target jumps: in the next update it has not moved, it appears.

        >>> from ougi.games import TargetSet
        >>> TargetSet().forget("a target that is not there")
        """
        self._jumped.add(target)

    def _prepare(self, update: Callable[[Any], None], given: list[Any]) -> None:
        """Read the forms of targets before the first frame, in which they appear."""
        for _ in range(REHEARSALS):
            update(given)
            self._now += 0.25  # so that they have moved and turned
            self.hits(Targets())
        self._appears = True
        update(given)  # at rest, also if this is the last update
        self._appears = True

    def _update(self, targets: list[Any], place: Any, turned: Any, boxes: list[Hitbox] | None) -> None:
        """As `update`, after all checks. `place` is (2, n)."""
        if targets != self._targets:
            self._exchange(targets, boxes)
        elif boxes is not None and boxes != self._hitboxes:
            self._hitboxes = boxes
            self._build()
        motion, now = self._motion, self._now
        motion[:3] = now
        now[:2] = place
        now[2] = turned
        if self._unit.radians != 1.0:
            now[2] *= self._unit.radians
        step = motion[3:6]
        np.subtract(now, motion[:3], out=step)
        if self._unit.wraps and step[2].any():
            step[2] -= math.tau * np.round(step[2] / math.tau)
        self._new[:] = self._appears
        if self._appears:
            motion[:3], step[:], self._appears = now, 0.0, False
        if self._jumped:
            rows = [self._rows[target] for target in self._jumped if target in self._rows]
            motion[:3, rows], motion[3:6, rows] = now[:, rows], 0.0
            self._new[rows] = True
            self._jumped.clear()

    def _exchange(self, targets: list[Any], boxes: list[Hitbox] | None) -> None:
        """Other targets, or in another order. Those that are new appear."""
        try:
            rows = {target: row for row, target in enumerate(targets)}
        except TypeError as error:
            raise TypeError(f"targets must be hashable: {error}") from None
        if len(rows) < len(targets):
            twice = next(target for row, target in enumerate(targets) if rows[target] != row)
            raise ValueError(f"targets must be different, but {twice!r} is given twice")
        before = [self._rows.get(target, -1) for target in targets]
        if boxes is None:
            if -1 in before:
                new = targets[before.index(-1)]
                raise ValueError(f"hitboxes must be given for a new target, but {new!r} has none")
            boxes = [self._hitboxes[row] for row in before]
        self._jumped.update(target for target, row in zip(targets, before, strict=True) if row < 0)
        self._now = np.ascontiguousarray(np.append(self._now, np.zeros((3, 1)), axis=1)[:, before])
        self._motion, self._new = np.zeros((8, len(targets))), np.zeros(len(targets), np.bool_)
        self._targets, self._rows, self._hitboxes = targets, rows, boxes
        self.all_rows = np.ones(len(targets), np.bool_)
        self.revision += 1
        self._build()

    def _build(self) -> None:
        self.bodies = join_bodies(self._motion, self._hitboxes)
        self.corner_count = int(self.bodies.corners[1].max(initial=1))


def list_targets(name: str, targets: Iterable[Any]) -> list[Any]:
    """The targets of a list or group."""
    try:
        return list(targets)
    except TypeError:
        raise TypeError(f"{name} must be a list or group, got {type(targets).__name__}") from None


def check_targets(name: str, targets: Any) -> None:
    """Refuse what is no set of targets."""
    if not isinstance(targets, Targets):
        raise TypeError(f"{name} must be a TargetSet, or the set of an adapter, got {type(targets).__name__}")


class TargetSet(Targets):
    """Targets of swings and projectiles. Update it in every frame, with all targets that are there.

    A target that is new appears where it is. One that is no longer given is removed. All others have moved
    straight from where they were, and have turned at a constant rate about their centers.

    >>> import ougi
    >>> from ougi.games import Swing, TargetSet
    >>> wolves, sword = TargetSet(), Swing(ougi.Capsule2d([20, 0], [86, 0], 3))
    >>> wolves.update(["gray", "white"], [[0, 60], [0, -60]], hitboxes=ougi.Circle([0, 0], 10))
    >>> sword.move_to((0, 0), 0.2)  # a stroke begins
    >>> sword.hits(wolves)
    []
    >>> wolves.update(["gray", "white"], [[0, 60], [0, -50]])
    >>> sword.move_to((0, 0), 3.0)
    >>> [(hit.target, round(hit.t, 4)) for hit in sword.hits(wolves)]
    [('gray', 0.4116)]
    """

    def update(
        self,
        targets: Sequence[Hashable],
        position: ArrayLike,
        angle: ArrayLike = 0.0,
        *,
        hitboxes: HitboxLike | Sequence[HitboxLike] | None = None,
    ) -> None:
        """Begin a frame: all targets, and where they are now.

        Parameters
        ----------
        targets
            Any hashable objects, for example names or sprites. Hits refer to them.
        position
            (n, 2), the centers.
        angle
            (n,), or one for all; in radians from x towards y. They do not wrap.
        hitboxes
            A hit box, a shape or the corners of a polygon for all, or a list with one for each. None: as in
            the frame before.
        """
        given = list_targets("targets", targets)
        place = _check.vectors("position", np.reshape(position, (0, 2)) if not given else position, 2)
        turned = _check.angles("angle", angle)
        if place.shape != (len(given), 2):
            raise ValueError(f"position must have the shape ({len(given)}, 2), got {place.shape}")
        if turned.shape not in ((), (len(given),)):
            raise ValueError(f"angle must be one number or ({len(given)},), got shape {turned.shape}")
        boxes: list[Hitbox] | None = None
        if isinstance(hitboxes, list | tuple) and len(hitboxes) == len(given):
            if len(given) > 2 and _is_point(hitboxes[0]):
                n = len(given)
                raise ValueError(
                    f"hitboxes must be one for all targets or one for each, but {n} points for {n} targets "
                    "can mean both; give the corners of a polygon as ougi.games.Hitbox(corners)"
                )
            boxes = [as_hitbox(f"hitboxes[{k}]", box) for k, box in enumerate(hitboxes)]
        elif hitboxes is not None:
            boxes = [as_hitbox("hitboxes", hitboxes)] * len(given)
        self._update(given, place.T, turned, boxes)


def _is_point(value: object) -> bool:
    return not isinstance(value, Hitbox | Shape) and np.shape(value) == (2,)  # type: ignore[call-overload]


def join_bodies(motion: Floats, hitboxes: list[Hitbox]) -> FrameBodies:
    """Bodies with these hit boxes; a hit box that several share is stored once."""
    shapes = list(dict.fromkeys(hitboxes))
    starts = np.cumsum([0, *(shape.corners.shape[1] for shape in shapes)])
    first = {shape: int(start) for shape, start in zip(shapes, starts[:-1], strict=True)}
    widths = np.cumsum([0, *(shape.columns.shape[1] for shape in shapes)])
    shifts = [np.array([[shift], [0]]) for shift in widths[:-1]]
    corners = [shape.corners + shift for shape, shift in zip(shapes, shifts, strict=True)]
    arrays = (
        motion,
        np.array([box.reach for box in hitboxes], np.float64),
        np.array([(first[box], box.corners.shape[1]) for box in hitboxes], np.int64).reshape(-1, 2).T,
        np.concatenate([np.zeros((2, 0), np.int64), *corners], axis=1),
        np.concatenate([np.zeros((2, 0)), *(shape.radii for shape in shapes)], axis=1),
        np.concatenate([np.zeros((3, 0)), *(shape.columns for shape in shapes)], axis=1),
    )
    columns: Any = (_check.frozen(np.ascontiguousarray(array)) for array in arrays)
    return FrameBodies(*columns)
