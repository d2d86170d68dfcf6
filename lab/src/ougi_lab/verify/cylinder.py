"""`ougi verify cylinder`: is every first contact with a cylinder right?

A cylinder is a thick fan of a whole turn and without a hole. The gap is measured by growing it, in radius and
half height alike, until `ougi.intersects` reports a touch. `ougi verify sector` proves these results.
Growth g and distance d satisfy d / sqrt(2) <= g <= d. At contacts the distance itself is the minimum of
a convex function over edges and faces, found by golden sections. Near cases are made by growing the cylinder,
too: by the smallest growth on the path, plus or minus a little.

Of two cylinders the distance at a contact is proved: the point lies on one and is so far from the other, and
planes square to the normal are so far apart. So is the distance at rest, on ten times as many cases; where it
is 0, `ougi.intersects` must find that they touch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats
from ougi.impact.advancement import _measure_gaps
from ougi.motion import Rotation3d, Screw3d
from ougi.shapes import Box, Sector3d, Shape
from ougi_lab.scenes.motions import MOTIONS, MovingPairs, draw_motion
from ougi_lab.scenes.pairs import CLASSES, translate
from ougi_lab.scenes.sectors import draw_sector_pairs, find_core_vertices
from ougi_lab.verify.ccd import distance_from_axis, run_ougi
from ougi_lab.verify.certificates import BAND, EPS
from ougi_lab.verify.sector_oracle import signed_distance
from ougi_lab.verify.tally import LISTED, NONFINITE_ERROR, Tally, describe_pair

# Poses on the path that measure the gap; rounds that each cut a growth to an eighth; thirds of a time;
# sections of an edge.
_SAMPLES = 40
_EIGHTHS = 18
_THIRDS = 25
_SECTIONS = 58

# Cases at rest of two cylinders for each that moves, and what the gap that planes prove may fall short of the
# distance, in units of the sizes: at a tiny one the direction of its normal is rounding.
_AT_REST = 10
_SHORT = 1e-11

# Contacts of a batch whose distance is measured by golden sections: a face takes thousands of evaluations.
_MEASURED = 8

_GOLDEN = (np.sqrt(5.0) - 1) / 2


@dataclass(frozen=True)
class CylinderSubject:
    """The subject `cylinder` of the runner. Tests replace `query` to plant mistakes."""

    query: Callable[[MovingPairs], Any] = field(default=run_ougi)
    name: str = "cylinder"
    kinds: tuple[str, ...] = ("random", "near", "second")
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("kernels", "kernels/impact")

    def pairs(self) -> tuple[str, ...]:
        """Names like `sector3d-box`; either of the two moves in half of the cases."""
        return tuple(f"sector3d-{name}" for name in _classes())

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n cases of a kind: `random`, `near`, or `second`: both bodies moving, and margins."""
        cls = _classes()[pair.removeprefix("sector3d-")]
        tally = _check_cases(self.query, cls, kind, n, rng)
        if cls is Sector3d and kind == "random":
            _judge_at_rest(tally, _AT_REST * n, rng)
        return tally


def _classes() -> dict[str, type[Shape]]:
    solids: list[type[Shape]] = [cls for cls in CLASSES if cls.dimension == 3]
    return {cls.__name__.lower(): cls for cls in (*solids, Sector3d)}


def make_cylinders(fan: Any) -> Any:
    """The cylinders of fans."""
    return grow(fan, np.zeros(fan.shape))


def grow(cylinder: Any, by: Floats) -> Any:
    """Cylinders whose radius and half height are changed by as much."""
    radius = np.maximum(cylinder.outer_radius + by, 0.0)
    height = np.maximum(cylinder.half_height + by, 0.0)
    return Sector3d(cylinder.center, cylinder.axis, cylinder.direction, np.pi, 0.0, radius, height)


def measure_growth(body: Any, cylinder: Any) -> Floats:
    """By how much a cylinder must grow to touch; negative for overlaps, at least minus its smaller extent."""
    from ougi import query

    x, y = body.bounding_sphere(), cylinder.bounding_sphere()
    low = -np.minimum(cylinder.outer_radius, cylinder.half_height)
    high: Floats = np.linalg.norm(x.center - y.center, axis=1) + x.radius + y.radius
    share = np.arange(1, 8)[:, None] / 8
    for _ in range(_EIGHTHS):
        step = high - low
        missed = (~query.intersects(grow(cylinder, low + share * step), body)).sum(axis=0)
        high = low + step * (missed + 1) / 8
        low = low + step * missed / 8
    return high


def measure_distance(body: Any, cylinder: Any) -> Floats:
    """The distance, for bodies that do not overlap: the least over edges and faces, by golden sections."""
    vertices, radius = find_core_vertices(body)
    count = vertices.shape[1]
    sides = {1: ((0, 0, 0),), 2: ((0, 1, 0),), 3: ((0, 1, 2),), 8: _FACES}[count]
    origin, b, c = (np.concatenate([vertices[:, side[k]] for side in sides]) for k in range(3))
    each = cylinder[np.tile(np.arange(len(vertices)), len(sides))]
    smallest = _minimize_over(origin, b - origin, c - origin, count == 3, count > 2, each)
    nearest: Floats = smallest.reshape((len(sides), -1)).min(axis=0) - radius
    return nearest


# A corner of a box and its two neighbours in a face; corners are numbered by bits.
_FACES = ((0, 1, 2), (0, 2, 4), (0, 4, 1), (7, 6, 5), (7, 5, 3), (7, 3, 6))


def _minimize_over(origin: Floats, u: Floats, v: Floats, half: bool, flat: bool, cylinder: Any) -> Floats:
    """The least distance over origin + s u + t v with s, t in [0, 1], with s + t <= 1 for `half`."""

    def on_line(s: Floats) -> Floats:
        start = origin + s[:, None] * u
        if not flat:
            return np.maximum(signed_distance(cylinder, start), 0.0)
        end = 1 - s if half else np.ones_like(s)
        return _minimize(
            lambda t: np.maximum(signed_distance(cylinder, start + t[:, None] * v), 0.0),
            np.zeros_like(s),
            end,
        )

    return _minimize(on_line, np.zeros(len(origin)), np.ones(len(origin)))


def _minimize(f: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """The least value of convex functions between two bounds."""
    p, q = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_p, at_q = f(p), f(q)
    for _ in range(_SECTIONS):
        left = at_p <= at_q
        low, high = np.where(left, low, p), np.where(left, q, high)
        p_new, q_new = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        fresh = f(np.where(left, p_new, q_new))
        at_p, at_q = np.where(left, fresh, at_q), np.where(left, at_p, fresh)
        p, q = p_new, q_new
    return np.minimum(np.minimum(at_p, at_q), np.minimum(f(low), f(high)))


class CylinderCase:
    """Bodies, cylinders and their motions; `cylinder_moves` if the cylinder is the moving shape."""

    def __init__(self, body: Any, cylinder: Any, motion: Any, other: Any, cylinder_moves: bool) -> None:
        self.body, self.cylinder = body, cylinder
        self.motion, self.other, self.cylinder_moves = motion, other, cylinder_moves
        self.margin = 0.0

    def build_arguments(self, tol: float) -> tuple[Any, ...]:
        """Return the arguments of a query."""
        first, second = (self.cylinder, self.body) if self.cylinder_moves else (self.body, self.cylinder)
        return first, self.motion, second, self.other, tol, self.margin

    def place(self, t: Floats) -> tuple[Any, Any]:
        """Body and cylinder at times t."""
        own, others = (self.other, self.motion) if self.cylinder_moves else (self.motion, self.other)
        body = self.body if own is None else self.body.transformed(own.at(t))
        return body, self.cylinder if others is None else self.cylinder.transformed(others.at(t))

    def measure_growth(self, t: Floats) -> Floats:
        """At times t."""
        return measure_growth(*self.place(t))

    def is_near(self, t: Floats, by: Floats) -> Bools:
        """Test if a grown cylinder touches at times t. This is much cheaper than the growth itself."""
        from ougi import query

        body, cylinder = self.place(t)
        return query.intersects(grow(cylinder, by), body)


def _check_cases(
    query: Callable[[MovingPairs], Any], cls: Any, kind: str, n: int, rng: np.random.Generator
) -> Tally:
    tally = Tally()
    shares = [(moves, motion) for motion in MOTIONS[3] for moves in (False, True)]
    for k, (moves, motion) in enumerate(shares):
        count = n * (k + 1) // len(shares) - n * k // len(shares)
        if not count:
            continue
        scene, at = _draw_case(cls, motion, moves, count, rng), None
        if kind == "near":
            at = _graze(scene, rng)
            tally.near += count
        elif kind == "random":
            tally.cases += count
        else:
            first, second = scene.build_arguments(0.0)[0], scene.build_arguments(0.0)[2]
            if k % 2:
                scene.other = draw_motion("screw", _enclose(second), _enclose(first), rng)
            else:
                reach = first.bounding_sphere().radius + second.bounding_sphere().radius
                scene.margin = float(0.1 * np.median(reach))
        _judge_case(tally, scene, lambda s, tol: query(MovingPairs(*s.build_arguments(tol))), rng, at)
    return tally


def _draw_case(cls: Any, motion: str, cylinder_moves: bool, n: int, rng: np.random.Generator) -> CylinderCase:
    """Cylinders in place of random fans, most of them drawn apart; a fifth turns about a parallel axis."""
    fan, body = draw_sector_pairs(cls, 3, n, rng)
    cylinder = make_cylinders(fan)
    body = make_cylinders(body) if isinstance(body, Sector3d) else body
    x, y = body.bounding_sphere(), cylinder.bounding_sphere()
    offset = rng.normal(size=(n, 3))
    offset *= ((x.radius + y.radius) * rng.uniform(0.2, 2.0, n) / np.linalg.norm(offset, axis=1))[:, None]
    body = translate(body, np.where(rng.random((n, 1)) < 0.85, offset, 0.0))
    first, second = (cylinder, body) if cylinder_moves else (body, cylinder)
    given = draw_motion(motion, _enclose(first), _enclose(second), rng)
    if isinstance(given, Rotation3d | Screw3d):
        axis = np.where(rng.random((n, 1)) < 0.2, cylinder.axis, given.axis)
        rest = (given.advance,) if isinstance(given, Screw3d) else ()
        given = type(given)(given.center, axis, given.angle, *rest)
    return CylinderCase(body, cylinder, given, None, cylinder_moves)


def _enclose(body: Any) -> Any:
    """A box around a cylinder: it has corners and edges to turn about."""
    if not isinstance(body, Sector3d):
        return body
    size = 2 * np.stack([body.outer_radius, body.outer_radius, body.half_height], axis=-1)
    turn = np.stack([body.direction, np.cross(body.axis, body.direction), body.axis], axis=-1)
    return Box(body.center, size, turn)


def _graze(scene: CylinderCase, rng: np.random.Generator) -> Floats:
    """Grow the cylinder by the smallest growth on the path, plus or minus a little; return its time."""
    n = scene.body.count
    grid = np.linspace(0, 1, _SAMPLES + 1)
    best = grid[np.argmin([scene.measure_growth(np.full(n, t)) for t in grid], axis=0)]
    low, high = np.maximum(best - 1 / _SAMPLES, 0), np.minimum(best + 1 / _SAMPLES, 1)
    for _ in range(_THIRDS):
        p, q = low + (high - low) / 3, high - (high - low) / 3
        left = scene.measure_growth(p) <= scene.measure_growth(q)
        low, high = np.where(left, low, p), np.where(left, q, high)
    at: Floats = (low + high) / 2
    reach = scene.body.bounding_sphere().radius + scene.cylinder.bounding_sphere().radius
    miss = reach * 10 ** rng.uniform(-9, -3, n) * rng.choice([-1.0, 1.0], n)
    smallest = scene.measure_growth(at)
    free = scene.measure_growth(np.zeros(n)) > 0  # an overlap at the start has no first contact
    scene.cylinder = grow(scene.cylinder, np.where(free, smallest - miss, 0.0))
    return at


def _compute_band_and_scale(scene: CylinderCase) -> tuple[Floats, Floats]:
    """The rounding band, 64 eps x (largest coordinate + size), over the whole path; and the scale of tol."""
    x, y = scene.body.bounding_sphere(), scene.cylinder.bounding_sphere()
    boxes = (scene.body.bounds(), scene.cylinder.bounds())
    far = [np.maximum(np.abs(box.lower), np.abs(box.upper)).max(axis=1) for box in boxes]
    width = np.max(far, axis=0) + 2 * np.maximum(x.radius, y.radius)
    scale = 3 * (x.radius + y.radius)
    for motion in (scene.motion, scene.other):
        away = np.maximum(distance_from_axis(motion, x.center), distance_from_axis(motion, y.center))
        scale = scale + away
        if motion is None:
            continue
        if hasattr(motion, "offset"):
            width = width + np.linalg.norm(motion.offset, axis=-1)
        else:
            turns = 1 + np.abs(motion.angle)
            width = width + turns * (np.linalg.norm(motion.center, axis=-1) + away)
            width = width + np.abs(getattr(motion, "advance", 0.0))
    return np.maximum(BAND * EPS * width, np.finfo(np.float64).tiny), scale


def _judge_case(
    tally: Tally,
    scene: CylinderCase,
    run: Callable[[CylinderCase, float], Any],
    rng: np.random.Generator,
    at: Floats | None,
) -> None:
    """Count what is wrong with the results; `at` are further times to check."""
    tol, n = 1e-9, scene.body.count
    result = run(scene, tol)
    status, hit = result.status, result.status == 1
    width, scale = _compute_band_and_scale(scene)
    start = scene.measure_growth(np.zeros(n))
    errors = {"start": np.where((status == 2) == (start <= 0), 0.0, np.abs(start) / width)}
    end = np.where(hit, result.t, 1.0)
    last = scene.measure_growth(end)
    later = hit & (result.t > 0)
    enough = scene.margin / np.sqrt(2.0)  # what the growth must be at least
    errors["late"] = np.where(later, np.maximum(enough - last, 0.0) / width, 0.0)
    allowed = tol * scale + width
    errors["early"] = np.where(hit, np.maximum(last - scene.margin, 0.0) / allowed, 0.0)
    smallest = np.where(status == 0, np.minimum(start, last), np.inf)
    times = [end * (k + rng.random(n)) / _SAMPLES for k in range(_SAMPLES)]
    for t in [*times, *([] if at is None else [np.where(at < end, at, 0.0)])]:
        if scene.is_near(t, enough - width)[status < 2].any():
            smallest = np.minimum(smallest, scene.measure_growth(t))
    errors["before"] = np.where((status == 0) | later, np.maximum(enough - smallest, 0.0) / width, 0.0)
    errors |= _find_contact_errors(scene, result, later, width, allowed)
    tally.in_band += int((np.abs(start) <= width).sum())
    tally.undecided += int((status == 3).sum())
    tally.undecided_cases += [
        {"body": repr(scene.body[i]), "cylinder": repr(scene.cylinder[i]), "motion": repr(scene.motion[i])}
        for i in np.flatnonzero(status == 3)[:LISTED]
    ]

    def question(i: int) -> str:
        other = None if scene.other is None else scene.other[i]
        moving = "cylinder" if scene.cylinder_moves else "other"
        return (
            f"motion={scene.motion[i]!r}, target_motion={other!r}, margin={scene.margin}, "
            f"the {moving} is the moving shape: status {int(status[i])}"
        )

    tally.judge(errors, describe_pair(result.t, scene.body, scene.cylinder, question))


def _find_contact_errors(
    scene: CylinderCase, result: Any, hit: Bools, width: Floats, allowed: Floats
) -> dict[str, Floats]:
    """The distance at a contact, for some; its point lies on the target, and its plane parts the bodies."""
    n = len(hit)
    body, cylinder = scene.place(np.where(hit, result.t, 0.0))
    off = np.zeros(n)
    if isinstance(body, Sector3d):
        mover = cylinder if scene.cylinder_moves else body
        away = signed_distance(mover, np.where(hit[:, None], result.point, 0.0))
        off = np.where(hit, np.abs(away - scene.margin) / allowed, 0.0)
    elif len(chosen := np.flatnonzero(hit)[:_MEASURED]):
        off[chosen] = (
            np.abs(measure_distance(body[chosen], cylinder[chosen]) - scene.margin) / allowed[chosen]
        )
    given = np.isfinite(result.point).all(axis=1) & np.isfinite(result.normal).all(axis=1)
    sound = (hit & given)[:, None]
    point, normal = np.where(sound, result.point, 0.0), np.where(sound, result.normal, 0.0)
    toward = -normal if scene.cylinder_moves else normal  # from the body to the cylinder
    between = -_find_extent(cylinder, -toward) - _find_extent(body, toward)
    away = _distance_from(body if scene.cylinder_moves else cylinder, point)
    # The difference of two near points has a direction up to rounding / gap.
    size = width / EPS / BAND
    turn = width * allowed / np.maximum(np.abs(between - scene.margin), width) * size
    doubtful = np.flatnonzero(hit & given & (scene.margin - between > allowed + turn))
    if len(doubtful) and not isinstance(body, Sector3d):
        # Then the plane cuts into a body by up to that angle times its size.
        gap = measure_distance(body[doubtful], cylinder[doubtful])
        turn[doubtful] = 4 * EPS * size[doubtful] ** 2 / np.maximum(gap, width[doubtful])
    return {
        "distance": off,
        "contact": np.where(hit & ~given, NONFINITE_ERROR, 0.0),
        "point": np.where(hit, away / allowed, 0.0),
        "normal": np.where(hit, np.maximum(scene.margin - between, 0.0) / (allowed + turn), 0.0),
        "unit": np.where(hit, np.abs(np.linalg.norm(normal, axis=1) - 1) / (BAND * EPS), 0.0),
    }


def _find_extent(body: Any, n: Floats) -> Floats:
    """The greatest n . x over the points of a body."""
    if not isinstance(body, Sector3d):
        vertices, radius = find_core_vertices(body)
        top: Floats = np.einsum("nmd,nd->nm", vertices, n).max(axis=1) + radius
        return top
    up = (n * body.axis).sum(1)
    out = np.linalg.norm(n - up[:, None] * body.axis, axis=1)
    end: Floats = (n * body.center).sum(1) + body.outer_radius * out + body.half_height * np.abs(up)
    return end


def _judge_at_rest(tally: Tally, n: int, rng: np.random.Generator) -> None:
    """The distance of two cylinders by advancement, in every third case at a tiny gap or overlap."""
    from ougi import query

    a, b = map(make_cylinders, draw_sector_pairs(Sector3d, 3, n, rng))
    width, _ = _compute_band_and_scale(CylinderCase(a, b, None, None, cylinder_moves=False))
    size = a.bounding_sphere().radius + b.bounding_sphere().radius
    gap, normal, _ = _measure_gaps("cylinder", a, b)
    shift = np.where(gap > 0, gap, 0.0) - size * 10 ** rng.uniform(-12, -2, n) * rng.choice([-1, 1], n)
    nearly = (rng.random(n) < 1 / 3) & (gap > 0)
    b = translate(b, np.where(nearly[:, None], -shift[:, None] * np.nan_to_num(normal), 0.0))
    gap, normal, point = _measure_gaps("cylinder", a, b)
    apart = gap > 0
    n_or_none, point = (np.where(apart[:, None], x, 0.0) for x in (normal, point))
    planes = -_find_extent(b, -n_or_none) - _find_extent(a, n_or_none)
    short = np.abs(signed_distance(a, point) - gap) / (_SHORT * size + width)
    errors = {
        "rest: point": np.where(apart, np.abs(signed_distance(b, point)) / width, 0.0),
        "rest: distance": np.where(apart, short, 0.0),
        "rest: planes": np.where(apart, np.maximum(gap - planes, 0.0) / width, 0.0),
        "rest: touching": np.where(apart | query.intersects(grow(a, width), b), 0.0, NONFINITE_ERROR),
        "rest: overlap": np.where((gap > 2 * width) & query.intersects(a, b), NONFINITE_ERROR, 0.0),
    }
    tally.add_counts({"at rest": n})
    tally.judge(errors, describe_pair(gap, a, b))


def _distance_from(target: Any, point: Floats) -> Floats:
    from ougi import query

    if isinstance(target, Sector3d):
        return np.abs(signed_distance(target, point))
    return np.abs(query.distance(target, point))
