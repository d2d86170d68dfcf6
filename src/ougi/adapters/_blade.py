"""A blade that turns from frame to frame, and targets near it, laid out for the loops of `ougi.impact`.

Everything is seen from the blade's pivot, which moves straight during a frame: then the blade turns about a
point at rest, and a target moves by its own way less the pivot's. Both are motions that the kernels of two
moving bodies take exactly.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ougi import _check
from ougi._typing import Floats, Ints
from ougi.impact.kernels import loops_of_two_movers
from ougi.impact.tables import find
from ougi.shapes import Capsule2d, Circle, Rectangle, Shape, Triangle2d

# Shares of the size up to which the gap at the reported time may be: far below a pixel.
_TOL = 1e-9

CIRCLE, CAPSULE, BOX, TRIANGLE = "circle", "capsule", "box", "triangle"
_CLASSES: dict[str, type[Shape]] = {
    CIRCLE: Circle,
    CAPSULE: Capsule2d,
    BOX: Rectangle,
    TRIANGLE: Triangle2d,
}
# Rows of the columns of each kind, as its record in space has them.
_ROWS = {CIRCLE: 4, CAPSULE: 7, BOX: 15, TRIANGLE: 9}


class Hit(NamedTuple):
    """A target that the blade hits in this frame, and when and where first.

    Where they overlap already in the frame before, t is 0 and the place is that of the target.

    >>> Hit("wolf", 0.5, 120.0, 80.0).target
    'wolf'
    """

    target: Any
    t: float  # 0 at the frame before, 1 now
    x: float
    y: float


class Blade:
    """A blade that turns about a pivot; see the modules of the game libraries."""

    kinds: ClassVar[tuple[str, ...]] = (CIRCLE, CAPSULE, BOX, TRIANGLE)

    def __init__(
        self, outer_radius: float, inner_radius: float = 0.0, *, thickness: float = 1.0, capacity: int = 64
    ) -> None:
        outer = _check.number("outer_radius", outer_radius, positive=True)
        inner = _check.number("inner_radius", inner_radius, positive=False)
        thick = _check.number("thickness", thickness, positive=True)
        if outer - inner < thick:
            raise ValueError(
                f"thickness must be at most outer_radius - inner_radius = {outer - inner:g}, got {thick:g}"
            )
        capacity = _check.whole_number("capacity", capacity)
        self.outer_radius, self.radius = outer, thick / 2
        self._near, self._far = inner + thick / 2, outer - thick / 2
        self._targets = {kind: _Targets(kind, capacity) for kind in self.kinds}
        for targets in self._targets.values():
            targets.find_contacts()  # of none: compiles or loads the loop before the game begins
        self._last: dict[Hashable, list[float]] = {}  # x, y and frame in which a target was last seen
        self._done: set[Hashable] = set()
        self.begin()

    def begin(self) -> None:
        """Begin a new swing: every target can be hit once more, and the blade appears where it is next."""
        self._done.clear()
        self._last.clear()
        self._frame = 0
        self._x = self._y = self._angle = 0.0

    def forget(self, target: Hashable) -> None:
        """Note that a target has jumped: it did not pass through the places between."""
        self._last.pop(target, None)

    # --- for the modules of the libraries -------------------------------------------------------------------

    def move(
        self, x: float, y: float, angle: float, *, is_wrapped: bool = False, turn: float | None = None
    ) -> None:
        """Begin a frame: the pivot and the angle now, in radians from x towards y.

        Since the frame before, the blade has turned by `turn`. If that is not known it is the difference of
        the angles, or the shorter way round where they may wrap.
        """
        if not math.isfinite(x + y + angle + (turn or 0.0)):
            raise ValueError(f"pivot, angle and turn must be finite, got {(x, y)}, {angle} and {turn}")
        if not self._frame:
            self._x, self._y, self._angle, turn = x, y, angle, 0.0
        elif turn is None:
            turn = angle - self._angle
            turn = math.remainder(turn, math.tau) if is_wrapped else turn
        else:
            self._angle = angle - turn
        self._shift_x, self._shift_y, self._turn = x - self._x, y - self._y, turn
        self._pose = self._x, self._y, self._angle  # where the frame begins
        self._x, self._y, self._angle = x, y, angle
        self._frame += 1
        for targets in self._targets.values():
            targets.count = 0

    def wants(self, target: Hashable, x: float, y: float, reach: float) -> bool:
        """Can a target about (x, y) that reaches so far be hit? Call it once per frame for each target.

        Where it was in the frame before is remembered here; one that was not there then has not moved.
        """
        seen = self._last.get(target)
        if seen is None:
            seen = self._last[target] = [x, y, 0.0]
        elif seen[2] != self._frame - 1:
            seen[0], seen[1] = x, y
        self._path_x, self._path_y = x - seen[0], y - seen[1]
        seen[0], seen[1], seen[2] = x, y, self._frame
        if target in self._done:
            return False
        # As the pivot sees it, it moves straight, along a path that lies in a ball about its middle.
        path_x, path_y = self._path_x - self._shift_x, self._path_y - self._shift_y
        middle = math.hypot(x - self._x - path_x / 2, y - self._y - path_y / 2)
        return middle - math.hypot(path_x, path_y) / 2 <= self.outer_radius + reach

    def circle(self, target: Hashable, x: float, y: float, radius: float) -> None:
        """Add a circle of the target that `wants` was called for last, where it is now."""
        targets, k, dx, dy = self._row(CIRCLE, target, 0.0)
        c = targets.body
        c[0, k], c[1, k], c[3, k] = x - dx, y - dy, radius

    def capsule(self, target: Hashable, ax: float, ay: float, bx: float, by: float, radius: float) -> None:
        """Add a segment with a radius, as `circle` does."""
        targets, k, dx, dy = self._row(CAPSULE, target, 0.0)
        c = targets.body
        c[0, k], c[1, k], c[3, k], c[4, k], c[6, k] = ax - dx, ay - dy, bx - dx, by - dy, radius

    def box(
        self, target: Hashable, x: float, y: float, half_x: float, half_y: float, angle: float = 0.0
    ) -> None:
        """Add a rectangle, as `circle` does."""
        targets, k, dx, dy = self._row(BOX, target, 0.0)
        c, cos, sin = targets.body, math.cos(angle), math.sin(angle)
        c[0, k], c[1, k], c[3, k], c[4, k] = x - dx, y - dy, half_x, half_y
        c[6, k], c[7, k], c[9, k], c[10, k] = cos, sin, -sin, cos

    def triangle(
        self,
        target: Hashable,
        ax: float,
        ay: float,
        bx: float,
        by: float,
        cx: float,
        cy: float,
        radius: float = 0.0,
    ) -> None:
        """Add a triangle, as `circle` does, or all that is as near to it as a radius."""
        # A blade thicker by the radius touches the triangle just when the blade touches the round one.
        targets, k, dx, dy = self._row(TRIANGLE, target, radius)
        c = targets.body
        c[0, k], c[1, k], c[3, k], c[4, k], c[6, k], c[7, k] = (
            ax - dx,
            ay - dy,
            bx - dx,
            by - dy,
            cx - dx,
            cy - dy,
        )

    def hits(self) -> list[Hit]:
        """The targets that the blade hits for the first time in this swing, in order of time."""
        found: dict[Hashable, Hit] = {}
        x, y, angle = self._pose
        for targets in self._targets.values():
            if not targets.count:
                continue
            targets.place(x, y, angle, self._turn, self._near, self._far)
            targets.find_contacts()
            for k in targets.hit_rows():
                self._keep(found, targets, k)
        self._done.update(found)
        return sorted(found.values(), key=lambda hit: hit.t)

    def _keep(self, found: dict[Hashable, Hit], targets: _Targets, k: int) -> None:
        """Of a target's parts the first counts."""
        t, x, y = (float(value) for value in targets.out[1:4, k])
        target = targets.target[k]
        if target in found and found[target].t <= t:
            return
        if math.isnan(x):  # the loops know no point of bodies that overlap at the start
            x, y, _ = self._last[target]
            found[target] = Hit(target, t, x, y)
        else:
            found[target] = Hit(target, t, x + t * self._shift_x, y + t * self._shift_y)

    def _row(self, kind: str, target: Hashable, radius: float) -> tuple[_Targets, int, float, float]:
        """A place for one more part; and the target's own displacement, because it begins where it was."""
        targets = self._targets[kind]
        if targets.count == len(targets.target):
            self._targets[kind] = targets = targets.doubled()
        k = targets.count
        targets.count = k + 1
        targets.target[k] = target
        path_x, path_y = self._path_x - self._shift_x, self._path_y - self._shift_y
        length = math.hypot(path_x, path_y)
        m = targets.motion
        m[3, k], m[4, k] = (path_x / length, path_y / length) if length else (1.0, 0.0)
        m[7, k] = length
        targets.blade[6, k] = self.radius + radius
        return targets, k, self._path_x, self._path_y


class _Targets:
    """Parts of targets of one kind, in the columns that the loop reads, without a new array in any frame.

    The loop knows read-only arrays alone, so it gets views of those that are written here.
    """

    def __init__(self, kind: str, capacity: int) -> None:
        self.kind, self.count = kind, 0
        self.target: list[Any] = [None] * capacity
        self.body = np.zeros((_ROWS[kind], capacity))
        if kind == BOX:
            self.body[14] = 1.0  # the third axis of flat boxes
        self.blade = np.zeros((7, capacity))
        self.motion = np.zeros((8, capacity))  # a straight one for each target
        self.turning = np.zeros((8, 1))
        self.turning[5] = 1.0  # about z
        self.out = np.zeros((8, capacity))
        found = find(Capsule2d, _CLASSES[kind])
        sense = -1.0 if found.swapped else 1.0
        each, first = np.arange(capacity), np.zeros(capacity, np.int64)
        blade = _operand(self.blade, self.turning, each, first, sense)
        body = _operand(self.body, self.motion, each, each, sense)
        self._operands = (body, blade) if found.swapped else (blade, body)
        self._pairs = _make_read_only(np.stack([each, each], axis=1))
        self._loop = loops_of_two_movers(found.kernel).listed

    def doubled(self) -> _Targets:
        """As many places again; what stands here is taken over."""
        more = _Targets(self.kind, 2 * len(self.target))
        more.count, n = self.count, self.count
        more.target[:n] = self.target[:n]
        for name in ("body", "blade", "motion"):
            getattr(more, name)[:, :n] = getattr(self, name)[:, :n]
        return more

    def place(self, x: float, y: float, angle: float, turn: float, near: float, far: float) -> None:
        """Put the blade where it is at the start of the frame, beside every target."""
        cos, sin, b, n = math.cos(angle), math.sin(angle), self.blade, self.count
        b[0, :n], b[1, :n], b[3, :n], b[4, :n] = x + near * cos, y + near * sin, x + far * cos, y + far * sin
        self.turning[0, 0], self.turning[1, 0], self.turning[6, 0] = x, y, turn

    def find_contacts(self) -> None:
        """Fill `out`: status, time, point and normal of each part."""
        self._loop(*self._operands, self._pairs, 0, self.out, 0, self.count)

    def hit_rows(self) -> list[int]:
        """Which parts are touched; undecided ones (status 3) count, because they are not certified free."""
        status = self.out[0, : self.count]
        return np.flatnonzero(status).tolist() if status.any() else []


def _operand(columns: Floats, motion: Floats, shape: Ints, own_motion: Ints, sense: float) -> Any:
    """One side of a loop of moving bodies, as `ougi.kernels.impact.movers` describes it."""
    return (
        _make_read_only(columns),
        _make_read_only(motion),
        _make_read_only(shape),
        _make_read_only(own_motion),
        _TOL,
        0.0,
        sense,
    )


def _make_read_only(array: Any) -> Any:
    view = array.view()
    view.flags.writeable = False
    return view
