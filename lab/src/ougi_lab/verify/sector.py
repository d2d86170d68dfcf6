"""`ougi verify sector`: are the queries of sectors right?

Three kinds of chunks: `random` pairs, whose signed distance is enclosed by subdivision (proved, but for
pairs too near to contact, which are counted as in the band); `near` pairs, whose gap of 1e-3 to 1e-12 of
their size is known because parallel planes or a cylinder separate them, or whose radius is chosen 1e-3 to
1e-9 above or below a distance that is enclosed to 1e-7; and, in the plane, `second` pairs, where shapely
tests polygons inside and around the fan.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi import query
from ougi._typing import Bools, Floats
from ougi.errors import UnsupportedPairError
from ougi.shapes import Sector2d, Sector3d
from ougi_lab.scenes.sectors import draw_known_pairs, draw_sector_pairs, find_core_vertices
from ougi_lab.verify.certificates import BAND, EPS
from ougi_lab.verify.narrow import parse_pair
from ougi_lab.verify.sector_oracle import bound_distance, signed_distance
from ougi_lab.verify.tally import NONFINITE_ERROR, PeerCount, Tally, describe_pair, to_finite

# Share of the sizes up to which bounds are driven together, by the dimension of what is cut to pieces. The
# last costs half a millisecond per pair. So would segments; of these one in ten gets the finer precision.
_PRECISION = {0: 1e-6, 1: 1e-4, 2: 2e-3, 3: 3e-2}
_FINE = {0: 1e-6, 1: 1e-6, 2: 2e-3, 3: 3e-2}
_FINE_SHARE = 0.1

# The same for balls and capsules whose radius is then set to the distance, plus or minus a little.
_GROWN_PRECISION = 1e-7

# The turn and the shift that build a case are rounded, and then the kernel rounds.
_TWO_BANDS = 2.0

# Corners of the polygons that are shown to shapely.
_CORNERS = 256


class OugiSector:
    """The queries of `ougi.query`. Tests override them to plant wrong results."""

    def intersects(self, a: Any, b: Any) -> Bools:
        return query.intersects(a, b)

    def distance(self, a: Any, b: Any) -> Floats | None:
        """As `ougi.distance`; None where the pair has none."""
        try:
            return query.distance(a, b)
        except UnsupportedPairError:
            return None


@dataclass(frozen=True)
class Sector:
    """The subject `sector` of the runner."""

    queries: OugiSector = field(default_factory=OugiSector)
    name: str = "sector"
    kinds: tuple[str, ...] = ("random", "near", "second")
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("kernels",)

    def pairs(self) -> tuple[str, ...]:
        """Names like `sector3d-box`, in the order of the table."""
        from ougi.query.tables import TABLES

        rows = [row for row in TABLES["intersects"] if row.a in (Sector2d, Sector3d)]
        return tuple(f"{row.a.__name__}-{row.b.__name__}".lower() for row in rows)

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n cases of a kind."""
        fan, other = parse_pair(pair)
        if kind == "random":
            return self._check_random(fan, other, n, rng)
        if kind == "near":
            return self._check_near(fan, other, n, rng)
        return self._check_peers(fan, other, n, rng)

    def _check_random(self, cls: Any, other: Any, n: int, rng: np.random.Generator) -> Tally:
        a, b = draw_sector_pairs(other, cls.dimension, n, rng)
        width = band(a, b)
        cut = _find_piece_dimension(other)
        precision = np.where(rng.random(n) < _FINE_SHARE, _FINE[cut], _PRECISION[cut])
        proved = bound_distance(a, b, width, precision * _find_size(a, b))
        hit, found = self.queries.intersects(a, b), self.queries.distance(a, b)
        errors = {
            "hit": _measure_false_hits(hit, proved.lower, width),
            "miss": _measure_misses(hit, proved.upper, width),
        }
        errors["swapped"] = _check_swapped(self.queries, a, b, hit, proved.lower, proved.upper, width)
        if found is not None:
            low, high = np.maximum(proved.lower, 0.0), np.maximum(proved.upper, 0.0)
            off = np.maximum(np.maximum(low - found, found - high), 0.0)
            errors["distance"] = np.where(np.isfinite(found) & (found >= 0), off / width, NONFINITE_ERROR)
            # Both questions have kernels of their own.
            errors["verbs"] = np.where(hit == (found <= width), 0.0, np.where(hit, found / width, 0.0))
        tally = Tally(cases=n)
        tally.in_band = int(((proved.lower <= width) & (proved.upper >= -width)).sum())
        tally.judge(errors, describe_pair(proved.upper, a, b))
        return tally

    def _check_near(self, cls: Any, other: Any, n: int, rng: np.random.Generator) -> Tally:
        tally = Tally()
        if other.__name__ in _ROUND:
            self._check_grown(tally, cls, other, n // 2, rng)
        self._check_constructed(tally, cls, other, n - tally.near, rng)
        return tally

    def _check_grown(self, tally: Tally, cls: Any, other: Any, n: int, rng: np.random.Generator) -> None:
        """The radius is set just above or below the distance of the core."""
        a, b = draw_sector_pairs(other, cls.dimension, n, rng)
        core = _replace_radius(b, np.zeros(n))
        proved = bound_distance(a, core, band(a, b), _GROWN_PRECISION * _find_size(a, b))
        delta = _find_size(a, b) * 10 ** rng.uniform(-9, -3, n)
        more = rng.random(n) < 0.5
        radius = np.where(more, proved.upper + delta, proved.lower - delta)
        index = np.flatnonzero((radius > 0) & (proved.lower > 0))
        a, b = a[index], _replace_radius(b, np.maximum(radius, 0.0))[index]
        width = band(a, b)
        lower, upper = (x[index] - b.radius for x in (proved.lower, proved.upper))
        hit, found = self.queries.intersects(a, b), self.queries.distance(a, b)
        errors = {
            "grown hit": _measure_false_hits(hit, lower, width),
            "grown miss": _measure_misses(hit, upper, width),
        }
        if found is not None:
            low, high = np.maximum(lower, 0.0), np.maximum(upper, 0.0)
            errors["grown distance"] = np.maximum(np.maximum(low - found, found - high), 0.0) / width
        tally.near += len(index)
        tally.in_band += int(((lower <= width) & (upper >= -width)).sum())
        tally.judge(errors, describe_pair(upper, a, b))

    def _check_constructed(
        self, tally: Tally, cls: Any, other: Any, n: int, rng: np.random.Generator
    ) -> None:
        """The gap is known from planes or a cylinder between the two."""
        known = draw_known_pairs(other, cls.dimension, n, rng)
        a, b, gap = known.fan, known.other, known.gap
        width = _TWO_BANDS * band(a, b)
        hit, found = self.queries.intersects(a, b), self.queries.distance(a, b)
        # An overlap is proved by the point that lies in both: where the fan is thick enough there.
        deepest = signed_distance(a, known.witness)
        lower = np.where(gap > 0, gap, -np.inf)
        upper = np.where(gap > 0, gap, deepest)
        errors = {"hit": _measure_false_hits(hit, lower, width), "miss": _measure_misses(hit, upper, width)}
        errors["swapped"] = _check_swapped(self.queries, a, b, hit, lower, upper, width)
        if found is not None:
            apart = np.abs(found - gap) / width
            over = np.maximum(found - np.maximum(deepest, 0.0), 0.0) / width  # no farther than that point
            errors["distance"] = np.where(np.isfinite(found), np.where(gap > 0, apart, over), NONFINITE_ERROR)
        tally.near += n
        tally.in_band += int((np.abs(np.where(gap > 0, gap, deepest)) <= width).sum())
        tally.judge(errors, describe_pair(upper, a, b))

    def _check_peers(self, cls: Any, other: Any, n: int, rng: np.random.Generator) -> Tally:
        tally = Tally()
        if cls.dimension != 2:
            return tally
        try:
            import shapely
        except ImportError:
            return tally
        a, b = draw_sector_pairs(other, 2, n, rng)
        hit, width = self.queries.intersects(a, b), band(a, b)
        outer, inner = _build_polygons(a, around=True), _build_polygons(a, around=False)
        body, radius = _build_geometry(b)
        apart = shapely.distance(outer, body) - radius
        close = shapely.distance(inner, body) - radius
        inside = _build_polygons(b, around=False) if isinstance(b, Sector2d) else body
        valid = shapely.is_valid(outer) & shapely.is_valid(inner) & shapely.is_valid(inside)
        # A miss is disproved by a radius that reaches the inner polygon, or by a common area.
        shared = np.sqrt(shapely.area(shapely.intersection(inner[valid], inside[valid])))
        missed = np.where(close < 0, -close, 0.0) / width
        missed[valid] = np.maximum(missed[valid], shared / np.sqrt(width[valid]))
        missed[~_has_inner_polygon(a) | ~_has_inner_polygon(b)] = 0.0
        error = np.where(hit, np.maximum(apart, 0.0) / width, missed)
        error = np.where(valid, error, 0.0)
        tally.judge({"shapely": error}, describe_pair(apart, a, b))
        tally.peers["shapely"] = PeerCount(
            int(valid.sum()), int((~(error <= 1)).sum()), to_finite(error.max())
        )
        return tally


def _find_size(a: Any, b: Any) -> Floats:
    boxes = (a.bounds(), b.bounds())
    size: Floats = np.maximum(*((box.upper - box.lower).max(axis=1) for box in boxes))
    return size


def band(a: Any, b: Any) -> Floats:
    """64 eps x (largest coordinate + size), over the bounds of both and the circles of fans."""
    largest = [
        np.maximum(np.abs(box.lower), np.abs(box.upper)).max(axis=1) for box in (a.bounds(), b.bounds())
    ]
    for fan in (a, b):
        if isinstance(fan, Sector2d | Sector3d):
            largest.append(np.abs(fan.center).max(axis=1) + fan.outer_radius)
    width = BAND * EPS * (np.max(largest, axis=0) + _find_size(a, b))
    band: Floats = np.maximum(width, np.finfo(np.float64).tiny)
    return band


_ROUND = ("Circle", "Sphere", "Capsule2d", "Capsule3d")


def _replace_radius(b: Any, radius: Floats) -> Any:
    values = {name: getattr(b, name) for name in b._fields}
    return b._from_fields(b.shape, values | {"radius": radius})


def _find_piece_dimension(other: Any) -> int:
    """The dimension of the pieces into which a class is cut."""
    name = other.__name__
    if name.startswith(("Point", "Circle", "Sphere")):
        return 0
    if name.startswith(("Segment", "Capsule")):
        return 1
    return 3 if name in ("Box", "Aabb3d", "Sector3d") else 2


def _measure_false_hits(hit: Bools, lower: Floats, width: Floats) -> Floats:
    """How far apart those are, in bands, that are reported to touch."""
    return np.where(hit, np.maximum(lower, 0.0) / width, 0.0)


def _measure_misses(hit: Bools, upper: Floats, width: Floats) -> Floats:
    """How deep those are, in bands, that are reported not to touch."""
    return np.where(hit, 0.0, np.maximum(-upper, 0.0) / width)


def _check_swapped(
    queries: OugiSector, a: Any, b: Any, hit: Bools, lower: Floats, upper: Floats, width: Floats
) -> Floats:
    clear = (lower > width) | (upper < -width)
    return np.where(clear & (queries.intersects(b, a) != hit), NONFINITE_ERROR, 0.0)


def _build_polygons(fan: Any, around: bool) -> Any:
    """shapely polygons inside the fans, or around them."""
    import shapely

    n, k = fan.count, _CORNERS
    angle = np.linspace(-1, 1, k + 1) * fan.half_angle[:, None]
    stretch = 1 / np.cos(fan.half_angle / k)[:, None]
    x = fan.direction
    y = np.stack([-x[:, 1], x[:, 0]], axis=1)

    def arc(radius: Floats, outside: bool) -> Floats:
        grown = np.where(outside, radius[:, None] * stretch, radius[:, None] * np.ones_like(angle))
        u, v = grown * np.cos(angle), grown * np.sin(angle)
        points: Floats = fan.center[:, None] + u[..., None] * x[:, None] + v[..., None] * y[:, None]
        return points

    outer, inner = arc(fan.outer_radius, around), arc(fan.inner_radius, not around)
    return shapely.polygons(np.concatenate([outer, inner[:, ::-1]], axis=1).reshape((n, -1, 2)))


def _has_inner_polygon(shape: Any) -> Bools:
    """Is a fan thicker than chords and tangents of its arcs differ? Other shapes are polygons themselves."""
    if not isinstance(shape, Sector2d):
        return np.full(shape.count, True)
    thick: Bools = shape.outer_radius * np.cos(shape.half_angle / _CORNERS) ** 2 > shape.inner_radius
    return thick


def _build_geometry(b: Any) -> tuple[Any, Floats]:
    """Other shapes for shapely, and their radii."""
    import shapely

    if isinstance(b, Sector2d):
        return _build_polygons(b, around=True), np.zeros(b.count)
    corners, radius = find_core_vertices(b)
    m = corners.shape[1]
    if m == 1:
        return shapely.points(corners[:, 0]), radius
    if m == 2:
        return shapely.linestrings(corners), radius
    return shapely.polygons(corners if m == 3 else corners[:, [0, 1, 3, 2]]), radius
