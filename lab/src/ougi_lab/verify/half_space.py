"""`ougi verify half-space` and `moving-half-space`: distances from half-spaces, and first contacts with them.

The height of a body over a plane is that of its lowest corner, less the radius. Corners are listed in plain
NumPy and compared in extended precision; of sectors all corners and the ends of both arcs' diameters are. For
motions the heights are sampled at many times, and the smallest one is refined by golden sections, before the
reported contact and over the whole motion if there is none. In half of the moving cases both bodies move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.motion import Pose, Translation2d, Translation3d
from ougi.query.tables import HALF_SPACES
from ougi.shapes import Circle, HalfSpace2d, HalfSpace3d, Mesh, Sector2d, Sector3d, Shape, Sphere
from ougi_lab.scenes.cores import extract_core
from ougi_lab.scenes.motions import MOTIONS, MovingPairs, draw_motion, shapes_at
from ougi_lab.scenes.pairs import draw_shapes
from ougi_lab.scenes.sectors import PlacedSectors, draw_frames, draw_sector_fields
from ougi_lab.verify.ccd import distance_from_axis, run_ougi
from ougi_lab.verify.certificates import BAND, EPS
from ougi_lab.verify.narrow import HULL_FILES
from ougi_lab.verify.solid import CURVED, compute_support, get_origin, measure_outside
from ougi_lab.verify.tally import LISTED, NONFINITE_ERROR, Tally, describe_pair

# Samples of a motion, more for long turns, and golden sections around the lowest one.
_SAMPLES, _SECTIONS = 48, 60
_GOLDEN = (np.sqrt(5) - 1) / 2

# Shares of the size by which near cases miss or overlap.
_MISS_EXPONENTS = (-10, -5)

# What lays out half-spaces and the bodies before them.
HALF_SPACE_FILES = (*HULL_FILES, "shapes/half_space.py")

# Meshes have no batches; `verify mesh` is about them.
_CLASSES: dict[str, type[Shape]] = {row.a.__name__.lower(): row.a for row in HALF_SPACES if row.a is not Mesh}


def list_corners(shape: Any, n: Floats) -> tuple[Floats, Floats]:
    """Points (k, m, d) of m bodies, among which is the lowest along -n (m, d), and their radii (m,)."""
    if isinstance(shape, Sector2d | Sector3d):
        return _list_fan_corners(shape, n), np.zeros(shape.count)
    core = extract_core(shape)
    return np.moveaxis(core.origin + core.corners, 1, -1), core.radius


def _list_fan_corners(fan: Any, n: Floats) -> Floats:
    """All corners, and where the circles are highest and lowest along n, if the fan reaches there."""
    x = fan.direction
    flat = fan.dimension == 2
    y = np.stack([-x[:, 1], x[:, 0]], axis=1) if flat else np.cross(fan.axis, x)
    toward = np.arctan2((n * y).sum(axis=1), (n * x).sum(axis=1))
    angles = [fan.half_angle, -fan.half_angle]
    for angle in (toward, toward + np.pi):
        turned = np.remainder(angle + np.pi, 2 * np.pi) - np.pi
        angles.append(np.clip(turned, -fan.half_angle, fan.half_angle))
    points = []
    for angle in angles:
        for radius in (fan.inner_radius, fan.outer_radius):
            c, s = (radius * np.cos(angle))[:, None], (radius * np.sin(angle))[:, None]
            middle = fan.center + c * x + s * y
            heights = (0.0,) if flat else (fan.half_height[:, None], -fan.half_height[:, None])
            points += [middle if flat else middle + height * fan.axis for height in heights]
    return np.stack(points)


def measure_height(shape: Any, plane: Any) -> Floats:
    """The signed distances of m bodies from m half-spaces, in extended precision."""
    if isinstance(shape, CURVED):
        middle = (get_origin(shape).astype(np.longdouble) * plane.normal).sum(axis=-1) - plane.offset
        bottom: Floats = (middle - compute_support(shape, -plane.normal)).astype(np.float64)
        return bottom
    corners, radius = list_corners(shape, plane.normal)
    exact = corners.astype(np.longdouble)
    heights = (exact * plane.normal).sum(axis=-1) - plane.offset
    lowest: Floats = (heights.min(axis=0) - radius).astype(np.float64)
    return lowest


def compute_width(shape: Any, plane: Any) -> Floats:
    """64 eps times the largest coordinate, the size and the offset."""
    sphere = shape.bounding_sphere()
    far = np.abs(sphere.center).max(axis=-1) + 2 * sphere.radius + np.abs(plane.offset)
    return np.asarray(np.maximum(BAND * EPS * far, np.finfo(np.float64).tiny))


def draw_bodies(name: str, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """n bodies of a class and half-spaces about as far away as they are large."""
    cls = _CLASSES[name]
    d = cls.dimension
    if cls in (Sector2d, Sector3d):
        fan, frames = draw_sector_fields(d, n, rng), draw_frames(d, n, rng)
        shape = PlacedSectors(fan, rng.normal(size=(n, d)) * 3, frames).shape(d)
    else:
        shape = draw_shapes(cls, n, rng)
    normal = rng.normal(size=(n, d))
    straight = rng.random(n) < 0.3
    normal[straight] = np.eye(d)[rng.integers(0, d, n)][straight] * rng.choice([-1.0, 1.0], (n, 1))[straight]
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    sphere = shape.bounding_sphere()
    away = (sphere.radius + 1e-3) * rng.uniform(-1.3, 2.5, n)
    offset = (normal * sphere.center).sum(axis=1) - away
    offset = np.where(rng.random(n) < 0.15, np.round(2 * offset) / 2, offset)
    plane = (HalfSpace2d if d == 2 else HalfSpace3d)(normal, offset)
    return shape, plane


@dataclass(frozen=True)
class HalfSpaces:
    """The subject `half-space`: all queries."""

    name: str = "half-space"
    kinds: tuple[str, ...] = ("random", "near")
    many_small_arrays: bool = False
    folders: tuple[str, ...] = ("kernels", "kernels/convex", "kernels/half_space", *HALF_SPACE_FILES)

    def pairs(self) -> tuple[str, ...]:
        """Names like `box-halfspace3d`."""
        return tuple(f"{name}-halfspace{cls.dimension}d" for name, cls in _CLASSES.items())

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n cases; near ones are moved to a gap of 1e-5 to 1e-10 of their size, or to touch."""
        tally = Tally(near=n) if kind == "near" else Tally(cases=n)
        if pair.startswith("halfspace"):
            _judge_planes(tally, *_draw_planes(pair, kind, n, rng))
            return tally
        shape, plane = self.draw(pair, n, rng)
        if kind == "near":
            plane = _shift(plane, measure_height(shape, plane) - _draw_misses(shape, rng))
        self.judge(tally, shape, plane)
        return tally

    def draw(self, pair: str, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        """Draw n bodies and half-spaces."""
        return draw_bodies(pair.split("-")[0], n, rng)

    def judge(self, tally: Tally, shape: Any, plane: Any) -> None:
        """Count what is wrong with the results of one batch."""
        from ougi import query

        height, width = measure_height(shape, plane), compute_width(shape, plane)
        signed, normal, point_a, point_b = query.queries.separation("closest_points", shape, plane, None)
        contact, back = query.contacts(shape, plane), query.closest_points(plane, shape)
        hit = query.intersects(shape, plane)
        on_plane = (point_b * plane.normal).sum(axis=-1) - plane.offset
        errors = {
            "distance": np.abs(signed - height) / width,
            "swapped": np.where(query.distance(plane, shape) == signed, 0.0, NONFINITE_ERROR),
            "hit": np.where(hit == (height <= 0), 0.0, np.abs(height) / width),
            "contact": np.where(contact.hit == (height <= 0), 0.0, np.abs(height) / width),
            "normal": np.abs(normal + plane.normal).max(axis=-1) / (BAND * EPS),
            "point_b": np.abs(on_plane) / width,
            "point_a": _measure_from_surface(shape, point_a, plane) / width,
            "link": np.abs(point_b - point_a - signed[:, None] * normal).max(axis=-1) / width,
            "order": np.abs(back.point_a - point_b).max(axis=-1) / width,
        }
        tally.in_band += int((np.abs(height) <= width).sum())
        tally.judge(errors, describe_pair(signed, shape, plane, lambda i: ""))


def _draw_planes(pair: str, kind: str, n: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Two half-spaces, and which have opposite normals: half of them, some turned together afterwards."""
    cls: Any = _CLASSES[pair.split("-")[0]]
    d = cls.dimension
    normal = rng.normal(size=(n, d))
    straight = rng.random(n) < 0.3
    normal[straight] = np.eye(d)[rng.integers(0, d, n)][straight]
    opposite = (rng.random(n) < 0.5) | (kind == "near")
    other = np.where(opposite[:, None], -normal, rng.normal(size=(n, d)))
    other[~opposite & (rng.random(n) < 0.2)] *= 0.0
    same = ~other.any(axis=1)
    other[same] = normal[same]
    scale = 10 ** rng.uniform(-2, 3, n)
    a: Any = cls(normal, rng.normal(size=n) * scale * np.linalg.norm(normal, axis=1))
    gap = rng.normal(size=n) * scale
    if kind == "near":
        gap = scale * 10 ** rng.uniform(*_MISS_EXPONENTS, n) * rng.choice([-1.0, 1.0, 1.0, 0.0], n)
    b: Any = cls(other, np.linalg.norm(other, axis=1) * -(a.offset + gap))
    turn = draw_frames(d, n, rng)
    pose = Pose(np.zeros((n, d)), turn)
    turned = rng.random(n) < 0.5
    both = [np.where(turned[:, None], x.transformed(pose).normal, x.normal) for x in (a, b)]
    return cls(both[0], a.offset), cls(both[1], b.offset), opposite


def _measure_planes(a: Any, b: Any, opposite: Any) -> tuple[Floats, Floats]:
    """Signed distances in extended precision, and what rounding may add."""
    gap = -(a.offset.astype(np.longdouble) + b.offset).astype(np.float64)
    width = BAND * EPS * (np.abs(a.offset) + np.abs(b.offset)) + np.finfo(np.float64).tiny
    return np.where(opposite, gap, -np.inf), width


def _judge_planes(tally: Tally, a: Any, b: Any, opposite: Any) -> None:
    """Two half-spaces: opposite ones have a gap, all others a common point far out between their normals."""
    from ougi import query

    height, width = _measure_planes(a, b, opposite)
    signed, normal, point_a, point_b = query.queries.separation("closest_points", a, b, None)
    contact, hit = query.contacts(a, b), query.intersects(a, b)
    size = np.where(opposite, height, 0.0)
    away = np.linalg.norm(a.normal + b.normal, axis=1)
    deep = 1e3 * (np.abs(a.offset) + np.abs(b.offset) + 1.0) / np.where(opposite, 1.0, away**2)
    common = -deep[:, None] * (a.normal + b.normal)
    inside = query.contains(a, common) & query.contains(b, common)
    finite = [np.nan_to_num(x) for x in (normal, point_a, point_b)]
    link = np.abs(finite[2] - finite[1] - size[:, None] * finite[0]).max(axis=-1)
    on_planes = [np.abs((p * x.normal).sum(-1) - x.offset) for p, x in zip(finite[1:], (a, b), strict=True)]
    errors = {
        "distance": np.where(
            opposite, np.abs(np.where(np.isfinite(signed), signed, np.inf) - size) / width,
            np.where(signed == -np.inf, 0.0, NONFINITE_ERROR),
        ),
        "common": np.where(opposite | inside, 0.0, NONFINITE_ERROR),
        "swapped": np.where(query.distance(b, a) == signed, 0.0, NONFINITE_ERROR),
        "hit": np.where(hit == (height <= 0), 0.0, np.abs(size) / width),
        "contact": np.where(contact.hit == (height <= 0), 0.0, np.abs(size) / width),
        "nowhere": np.where(np.isnan(normal).any(axis=1) == ~opposite, 0.0, NONFINITE_ERROR),
        "normal": np.where(opposite, np.abs(finite[0] - a.normal).max(axis=-1) / (BAND * EPS), 0.0),
        "link": np.where(opposite, link / width, 0.0),
        "points": np.where(opposite, np.maximum(*on_planes) / width, 0.0),
    }  # fmt: skip
    tally.in_band += int((np.abs(height) <= width).sum())
    tally.judge(errors, describe_pair(signed, a, b, lambda i: ""))


def _measure_from_surface(shape: Any, point: Floats, plane: Any) -> Floats:
    """How far lowest points are from their bodies."""
    if isinstance(shape, Sector2d | Sector3d):
        return np.zeros(shape.count)
    if isinstance(shape, CURVED):
        return measure_outside(shape, point - get_origin(shape), -plane.normal)
    from ougi import query

    return np.abs(query.distance(shape, point))


@dataclass(frozen=True)
class MovingHalfSpaces:
    """The subject `moving-half-space`: first contacts. Tests replace `query` to plant mistakes."""

    query: Callable[[MovingPairs], Any] = field(default=run_ougi)
    name: str = "moving-half-space"
    kinds: tuple[str, ...] = ("random", "near")
    many_small_arrays: bool = True
    folders: tuple[str, ...] = (
        "impact/half_spaces.py", "kernels", "kernels/convex", "kernels/half_space", "kernels/impact",
        *HALF_SPACE_FILES,
    )  # fmt: skip

    def pairs(self) -> tuple[str, ...]:
        """Names like `box-halfspace3d`; either of the two moves, or both."""
        return HalfSpaces().pairs()

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n cases: all kinds of motion, one or both moving."""
        if pair.startswith("halfspace"):
            tally = Tally(near=n) if kind == "near" else Tally(cases=n)
            self._judge_moving_planes(tally, pair, kind, n, rng)
            return tally
        tally = Tally()
        name = pair.split("-")[0]
        motions = [(motion, m) for motion in MOTIONS[_CLASSES[name].dimension] for m in range(3)]
        for k, (motion, movers) in enumerate(motions):
            count = n * (k + 1) // len(motions) - n * k // len(motions)
            if count:
                case = _draw_case(name, motion, movers, count, rng)
                if kind == "near":
                    _, smallest = find_lowest(case, np.ones(count))
                    miss = _draw_misses(case[0] if movers != 1 else case[2], rng)
                    case = _shift_case(case, smallest - miss)
                self._judge(tally, case, kind == "near")
        return tally

    def _judge(self, tally: Tally, case: MovingPairs, near: bool) -> None:
        result, n = self.query(case), case.body.count
        width, scale = _compute_band(case), _compute_scale(case)
        hit, start = result.status == 1, measure_at(case, np.zeros(n))
        end = np.where(hit | (result.status == 3), result.t, 1.0)
        here = measure_at(case, np.where(np.isfinite(end), end, 0.0))
        _, smallest = find_lowest(case, end)
        allowed = width + case.tol * scale
        errors = {
            "status": np.where((result.status <= 3) & np.isfinite(end), 0.0, NONFINITE_ERROR),
            "start": np.where((result.status == 2) != (start <= 0), np.abs(start) / width, 0.0),
            "late": np.where(hit, np.maximum(-here, 0.0) / width, 0.0),
            "early": np.where(hit, np.maximum(here, 0.0) / allowed, 0.0),
            "before": np.where(result.status != 2, np.maximum(-smallest, 0.0) / width, 0.0),
            **_find_contact_errors(case, result, hit, allowed),
        }
        tally.undecided += int((result.status == 3).sum())
        tally.undecided_cases += [
            {"body": repr(case.body[i]), "target": repr(case.target[i]), "motion": repr(case.motion[i])}
            for i in np.flatnonzero(result.status == 3)
        ][: LISTED - len(tally.undecided_cases)]
        tally.in_band += int(((result.status == 0) & (np.abs(smallest) <= width)).sum())
        tally.cases, tally.near = tally.cases + n * (not near), tally.near + n * near
        tally.add_counts({"hits": int(hit.sum())})

        def query(i: int) -> str:
            other = None if case.target_motion is None else case.target_motion[i]
            return f"motion={case.motion[i]!r}, target_motion={other!r}: status {int(result.status[i])}"

        tally.judge(errors, describe_pair(result.t, case.body, case.target, query))

    def _judge_moving_planes(
        self, tally: Tally, pair: str, kind: str, n: int, rng: np.random.Generator
    ) -> None:
        """Shifted half-spaces: their gap changes evenly, so its two ends decide."""
        a, b, opposite = _draw_planes(pair, "random", n, rng)
        d = a.dimension
        make = Translation2d if d == 2 else Translation3d
        offset = rng.normal(size=(n, d)) * np.abs(a.offset)[:, None]
        other = make(rng.normal(size=(n, d)) * np.abs(b.offset)[:, None])
        if kind == "near":  # they nearly touch at the end
            rest = _measure_planes(
                a.transformed(make(offset).at(1.0)), b.transformed(other.at(1.0)), opposite
            )
            miss = np.abs(a.offset) * 10 ** rng.uniform(*_MISS_EXPONENTS, n) * rng.choice([-1.0, 1.0, 0.0], n)
            offset += np.where(opposite, rest[0] - miss, 0.0)[:, None] * a.normal
        case = MovingPairs(a, make(offset), b, other)
        result = self.query(case)
        (start, width), (end, more) = (
            _measure_planes(*shapes_at(case, np.full(n, t)), opposite) for t in (0.0, 1.0)
        )
        width += more
        hit = result.status == 1
        here = _measure_planes(*shapes_at(case, np.where(hit, result.t, 0.0)), opposite)[0]
        expected = np.where(start <= 0, 2, np.where(end <= 0, 1, 0))
        nearest = np.minimum(np.abs(start), np.abs(end))
        errors = {
            "status": np.where(result.status == expected, 0.0, nearest / width),
            "time": np.where(hit & opposite, np.abs(np.where(opposite, here, 0.0)) / width, 0.0),
            **_find_contact_errors(case, result, hit, width),
        }
        tally.in_band += int((nearest <= width).sum())
        tally.add_counts({"hits": int(hit.sum())})
        tally.judge(errors, describe_pair(result.t, a, b, lambda i: repr(case.motion[i])))


def _find_contact_errors(case: MovingPairs, result: Any, hit: Any, allowed: Floats) -> dict[str, Floats]:
    """The point lies on the plane, and the normal is the plane's."""
    t = np.where(hit, result.t, 0.0)
    body, target = shapes_at(case, t)
    is_plane = isinstance(target, HalfSpace2d | HalfSpace3d)
    plane = target if is_plane else body
    over = np.abs((result.point * plane.normal).sum(axis=-1) - plane.offset)
    lean = np.abs(result.normal + (plane.normal if is_plane else -plane.normal)).max(axis=-1)
    return {
        "point": np.where(hit, over / allowed, 0.0),
        "normal": np.where(hit, lean / (BAND * EPS * (1 + _count_turns(case))), 0.0),
    }


def _draw_case(name: str, motion: str, movers: int, n: int, rng: np.random.Generator) -> MovingPairs:
    """Queries in which the body moves (0), the half-space (1), or both (2)."""
    shape, plane = draw_bodies(name, n, rng)
    foot = shape.bounding_sphere().center
    foot = foot - ((foot * plane.normal).sum(axis=1) - plane.offset)[:, None] * plane.normal
    spot = (Circle if shape.dimension == 2 else Sphere)(foot, shape.bounding_sphere().radius)
    mover = shape.bounding_sphere() if isinstance(shape, Sector2d | Sector3d) else shape
    moves = draw_motion(motion, mover, spot, rng)
    if movers == 1:
        return MovingPairs(plane, moves, shape)
    return MovingPairs(shape, moves, plane, draw_motion(motion, spot, mover, rng) if movers == 2 else None)


def _order(shape: Any, other: Any) -> tuple[Any, Any]:
    """The body, then the half-space."""
    return (other, shape) if isinstance(shape, HalfSpace2d | HalfSpace3d) else (shape, other)


def measure_at(case: MovingPairs, t: Floats) -> Floats:
    """Heights at times t."""
    return measure_height(*_order(*shapes_at(case, t)))


def find_lowest(case: MovingPairs, end: Floats) -> tuple[Floats, Floats]:
    """The time of the smallest height until `end`, among samples and golden sections around it."""
    turns = float(np.max(_count_turns(case), initial=0.0))
    count = int(_SAMPLES * (1 + turns))
    end = np.where(np.isfinite(end), end, 0.0)
    best, at = np.full(len(end), np.inf), np.zeros(len(end))
    for share in np.linspace(0, 1, count + 1):
        height = measure_at(case, share * end)
        lower = height < best
        best, at = np.where(lower, height, best), np.where(lower, share * end, at)
    lo, hi = np.maximum(at - end / count, 0.0), np.minimum(at + end / count, end)
    for _ in range(_SECTIONS):
        p, q = hi - _GOLDEN * (hi - lo), lo + _GOLDEN * (hi - lo)
        left = measure_at(case, p) <= measure_at(case, q)
        lo, hi = np.where(left, lo, p), np.where(left, q, hi)
    middle = (lo + hi) / 2
    height = measure_at(case, middle)
    lower = height < best
    return np.where(lower, middle, at), np.where(lower, height, best)


def _count_turns(case: MovingPairs) -> Floats:
    """Full turns of both bodies."""
    motions = [m for m in (case.motion, case.target_motion) if m is not None]
    each = [np.abs(getattr(m, "angle", np.zeros(m.shape))) / (2 * np.pi) for m in motions]
    return np.asarray(sum(each))


def _draw_misses(shape: Any, rng: np.random.Generator) -> Floats:
    """Signed gaps of 1e-5 to 1e-10 of the sizes, and zeros."""
    n, radius = shape.count, shape.bounding_sphere().radius
    exponent = rng.uniform(*_MISS_EXPONENTS, n)
    gaps: Floats = (radius + 1e-3) * 10**exponent * rng.choice([-1.0, 1.0, 1.0, 0.0], n)
    return gaps


def _shift(plane: Any, by: Floats) -> Any:
    return type(plane)(plane.normal, plane.offset + by)


def _shift_case(case: MovingPairs, by: Floats) -> MovingPairs:
    """The half-space moved outward, wherever it turns."""
    if isinstance(case.body, HalfSpace2d | HalfSpace3d):
        return case._replace(body=_shift(case.body, by))
    return case._replace(target=_shift(case.target, by))


def _compute_scale(case: MovingPairs) -> Floats:
    """The scale of tol: the size of the body and its distance from the axes."""
    body, _ = _order(case.body, case.target)
    sphere = body.bounding_sphere()
    center, radius = sphere.center, sphere.radius
    if isinstance(body, Sector2d | Sector3d):  # the kernel measures them from the middle of the circles
        center, radius = body.center, body.outer_radius + getattr(body, "half_height", 0.0)
    away = sum(distance_from_axis(m, center) for m in (case.motion, case.target_motion))
    return np.asarray(3 * radius + away)


def _compute_band(case: MovingPairs) -> Floats:
    """64 eps times coordinates, sizes and paths."""
    body, plane = _order(case.body, case.target)
    width = compute_width(body, plane) / (BAND * EPS)
    sphere = body.bounding_sphere()
    for motion in (case.motion, case.target_motion):
        if motion is None:
            continue
        if hasattr(motion, "offset"):
            width = width + np.linalg.norm(motion.offset, axis=-1)
            continue
        far = np.linalg.norm(motion.center, axis=-1) + distance_from_axis(motion, sphere.center)
        width = width + (1 + np.abs(motion.angle)) * (far + np.abs(getattr(motion, "advance", 0.0)))
    return np.maximum(BAND * EPS * width, np.finfo(np.float64).tiny)
