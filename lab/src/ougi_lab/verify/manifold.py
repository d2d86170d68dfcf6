"""`ougi verify manifold`: do contact manifolds lie on both bodies, and do they span the overlap of the faces?

`random` and `near` cases check laws: the normal and the largest depth are those of `contacts`; all points lie
on the surfaces of both bodies, whose corners and faces are listed in plain NumPy; the result is the same if
bodies are swapped or both are moved. `near` cases are flush faces at shallow depths. `second` cases compare
with shapely: faces are listed by trying all triples of corners, and their projections are intersected.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ougi
from ougi._typing import Bools, Floats
from ougi.kernels.manifold.constants import ALIGNED_SINE, CLIP_ROUNDING, STEEP_COSINE
from ougi.query.tables import HULLS, SEPARATION
from ougi.shapes import Aabb2d, Aabb3d
from ougi_lab.scenes.cores import ConvexCore, dot, extract_core
from ougi_lab.scenes.pairs import draw_pairs, translate
from ougi_lab.verify.certificates import band, compute_distance, size
from ougi_lab.verify.half_space import HALF_SPACE_FILES, draw_bodies, list_corners
from ougi_lab.verify.narrow import OugiNarrow, move_near, parse_pair
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally, describe_pair

# Families of pairs with flush faces.
_FLUSH = ("parallel", "aligned", "integer")

# Roundings of a point of a manifold, in units of what a kernel allows for, and a difference of two results
# that are computed in different poses, as a share of the size.
_ROUNDINGS, _MOVED = 1.0, 1e-7

# Share of its length below which a body is thin.
_THIN = 1e-5

# By how much a face is grown before it is intersected, as a share of the size.
_GROWN = 1e-10

# By how much an overlap may change if a face grows by `_MOVED`, as a share of the size.
_STABLE = 1e-3

# How often a body is moved by rounding to see whether its manifold may change.
_SHAKES = 24

# Distances from faces between which it is open whether a contact lies on them, as shares of the size.
_OPEN = (1e-11, 1e-7)


class OugiManifolds:
    """The function under test. Tests override it to plant mistakes."""

    def manifolds(self, a: Any, b: Any) -> ougi.Manifold:
        return ougi.manifolds(a, b)


@dataclass(frozen=True)
class Manifolds:
    """The subject `manifold` for the runner."""

    answers: OugiManifolds = field(default_factory=OugiManifolds)
    name: str = "manifold"
    kinds: tuple[str, ...] = ("random", "near", "second")
    many_small_arrays: bool = True
    folders: tuple[str, ...] = (
        "kernels", "kernels/convex", "kernels/half_space", "kernels/manifold", "query/manifolds.py",
        *HALF_SPACE_FILES,
    )  # fmt: skip

    def pairs(self) -> tuple[str, ...]:
        """Names like `box-box`, and `box-halfspace3d`."""
        rows = [f"{row.a.__name__}-{row.b.__name__}".lower() for row in (*SEPARATION, *HULLS)]
        bodies = (
            "capsule2d",
            "rectangle",
            "convexpolygon2d",
            "capsule3d",
            "triangle3d",
            "box",
            "convexhull3d",
        )
        return (*rows, *(f"{name}-halfspace{2 if name in bodies[:3] else 3}d" for name in bodies))

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n cases of a kind."""
        tally = Tally(near=n) if kind == "near" else Tally(cases=0 if kind == "second" else n)
        a, b = _draw(pair, kind, n, rng)
        if kind != "second":
            _check_laws(tally, self.answers, a, b, rng)
            return tally
        found = self.answers.manifolds(a, b)
        contact = ougi.closest_points(a, b)
        middle = (contact.point_a + contact.point_b) / 2
        for i in np.flatnonzero(found.count > 0).tolist():
            error = _compare_with_reference(a[i], b[i], found[i], middle[i])
            if error is None:
                tally.unproved += 1
            else:
                tally.judge(
                    {"overlap": np.array([error])},
                    describe_pair(found.depth[i, :1], a[i : i + 1], b[i : i + 1]),
                )
        return tally


def _draw(pair: str, kind: str, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Pairs of all families; near ones, and half of the second ones, are flush and hardly overlap."""
    first, second = pair.split("-")
    if second.startswith("halfspace"):
        shape, plane = draw_bodies(first, n, rng)
        if kind != "random":  # a corner, or what lies flat on the plane, hardly below it
            corners, radius = list_corners(shape, plane.normal)
            lowest = (corners * plane.normal).sum(axis=-1).min(axis=0) - radius
            depth = shape.bounding_sphere().radius * 10 ** rng.uniform(-9, -1, n)
            plane = type(plane)(plane.normal, lowest + depth)
        return shape, plane
    a, b = parse_pair(pair)
    if kind == "random":
        return draw_pairs(a, b, n, rng)
    parts = [draw_pairs(a, b, -(-n // 2), rng, family) for family in (*_FLUSH, None)]
    x, y = (ougi.concatenate([part[k] for part in parts]) for k in (0, 1))
    chosen, offset, _ = move_near(OugiNarrow(), x, y, n, rng)
    flush = x[chosen], translate(y[chosen], offset)
    if kind == "near":
        return flush
    return tuple(ougi.concatenate([u[: n // 2], v[: n // 2]]) for u, v in zip(flush, parts[3], strict=True))


def _measure_width(a: Any, b: Any) -> tuple[Floats, Floats]:
    """By how much points may be off, and the size of both bodies together."""
    if isinstance(b, ougi.HalfSpace2d | ougi.HalfSpace3d):
        ball = a.bounding_sphere()
        total = 2 * ball.radius
        far = np.abs(ball.center).max(axis=-1) + np.abs(b.offset)
        width = _ROUNDINGS * (CLIP_ROUNDING * total + 1e-13 * (far + total))
        return np.maximum(width, np.finfo(np.float64).tiny), np.asarray(total)  # 0 of a point at the origin
    x, y = extract_core(a), extract_core(b)
    total = size(x) + size(y)
    return _ROUNDINGS * (CLIP_ROUNDING * total + 4 * band(x, y)), total


def _check_laws(tally: Tally, answers: OugiManifolds, a: Any, b: Any, rng: np.random.Generator) -> None:
    """Judge one batch by what holds for all manifolds."""
    found, contact = answers.manifolds(a, b), ougi.contacts(a, b)
    width, total = _measure_width(a, b)
    limit = found.depth.shape[-1]
    there = np.arange(limit) < found.count[:, None]
    form = (found.count > 0) == contact.hit
    form &= (np.isfinite(found.depth) == there).all(axis=1)
    form &= (np.isfinite(found.point).all(axis=-1) == there).all(axis=1)
    form &= np.where(contact.hit, (found.normal == contact.normal).all(axis=1), True)
    deepest = np.where(there, found.depth, -np.inf).max(axis=1, initial=-np.inf)
    errors = {
        "form": np.where(form & (np.where(there, found.depth, 0.0) >= 0).all(axis=1), 0.0, NONFINITE_ERROR),
        "deepest": np.where(contact.hit, np.abs(deepest - contact.depth), 0.0) / width,
    }
    near = ougi.closest_points(a, b)
    # The middle between two points that lie beside each other is beside both.
    link = near.point_b - near.point_a - near.distance[:, None] * found.normal
    beside = np.where(contact.hit, np.abs(link).max(axis=1), 0.0)
    for name, shape, sense in (("on a", a, 0.5), ("on b", b, -0.5)):
        away = np.zeros(len(width))
        for k in range(limit):
            rows = np.flatnonzero(there[:, k])
            if len(rows):
                at = found.point[rows, k] + sense * found.depth[rows, k, None] * found.normal[rows]
                toward = found.normal[rows] * np.sign(sense)
                away[rows] = np.maximum(away[rows], measure_from_surface(shape[rows], at, toward))
        errors[name] = away / (width + beside)
    back = answers.manifolds(b, a)
    thin = _are_thin(a) | _are_thin(b)
    same = contact.hit & _are_near(found.normal, -back.normal) & ~thin
    errors["swapped"] = _compare_sets(found, back, same, total, width)
    pose = _draw_poses(a.dimension, len(width), total, rng)
    turned = answers.manifolds(_move(a, pose), _move(b, pose))
    undone = pose.inverse()
    normal = (undone.rotation @ turned.normal[..., None])[..., 0]
    points = (undone.rotation[:, None] @ turned.point[..., None])[..., 0] + undone.position[:, None]
    moved = ougi.Manifold(turned.count, normal, points, turned.depth)
    same = contact.hit & (turned.count > 0) & _are_near(found.normal, normal) & ~thin
    errors["moved"] = _compare_sets(found, moved, same, total, width)
    for name in ("swapped", "moved"):
        for i in np.flatnonzero(~(errors[name] <= 1)).tolist():
            if errors[name][i] <= 2 * _measure_sensitivity(answers, a[i], b[i], width[i], total[i], rng):
                errors[name][i] = 0.0
                tally.unproved += 1
    tally.add_counts({f"of {k} points": int((found.count == k).sum()) for k in range(limit + 1)})
    tally.in_band += int((contact.hit & (np.abs(contact.depth) <= width)).sum())
    tally.judge(errors, describe_pair(np.nan_to_num(-contact.depth), a, b))


def _measure_sensitivity(
    answers: OugiManifolds, a: Any, b: Any, width: float, total: float, rng: np.random.Generator
) -> float:
    """By how much a manifold changes, in the same units, if a body is moved and turned by rounding."""
    n, d = _SHAKES, a.dimension
    offset = rng.normal(size=(n, d)) * width
    small = rng.normal(size=(n, 3)) * width / max(total, width)
    center = a.bounding_sphere().center
    angle = np.linalg.norm(small, axis=1)
    turn: Any = (
        ougi.Rotation2d(center, small[:, 0])
        if d == 2
        else ougi.Rotation3d(center, small / angle[:, None], angle)
    )
    still = answers.manifolds(a.reshape((1,))[np.zeros(n, int)], b.reshape((1,))[np.zeros(n, int)])
    shaken = answers.manifolds(_move(_move(a, turn), ougi.Pose(offset)), b.reshape((1,))[np.zeros(n, int)])
    both = (still.count > 0) & (shaken.count > 0)
    errors = _compare_sets(still, shaken, both, np.full(n, total), np.full(n, width))
    return float(errors.max(initial=0.0))


def _are_thin(shape: Any) -> Bools:
    """Bodies so thin that it is rounding which of their sides lies at a contact."""
    if isinstance(shape, ougi.HalfSpace2d | ougi.HalfSpace3d):
        return np.zeros(shape.count, np.bool_)
    core = extract_core(shape)
    corners = np.moveaxis(core.corners, -1, 0)
    extents = np.linalg.svd(corners - corners.mean(axis=1, keepdims=True), compute_uv=False)
    far = np.abs(core.origin).max(axis=0)[:, None]
    scale = np.maximum(np.maximum(extents[:, :1], 1e-3 * far), np.finfo(np.float64).tiny)
    thin: Bools = ((extents > 1e-15 * scale) & (extents < _THIN * scale)).any(axis=1)
    if core.kind in ("triangle", "hull") and extents.shape[1] > 1:
        thin |= (extents[:, 1] < _THIN * scale[:, 0]) & (extents[:, 1] > 0)
    return thin


def _move(shape: Any, pose: Any) -> Any:
    """The same body elsewhere; boxes along the axes become turned ones."""
    if isinstance(shape, Aabb2d | Aabb3d):
        make = ougi.Rectangle if shape.dimension == 2 else ougi.Box
        shape = make((shape.lower + shape.upper) / 2, shape.upper - shape.lower)
    return shape.transformed(pose)


def _draw_poses(d: int, n: int, total: Floats, rng: np.random.Generator) -> Any:
    """Turns by any angle and offsets of about the sizes of the bodies."""
    offset = rng.normal(size=(n, d)) * total[:, None]
    if d == 2:
        return ougi.Pose(offset, rng.uniform(-np.pi, np.pi, n))
    turns, _ = np.linalg.qr(rng.normal(size=(n, 3, 3)))
    turns *= np.linalg.det(turns)[:, None, None]
    return ougi.Pose(offset, turns)


def _are_near(u: Floats, v: Floats) -> Bools:
    """Equal up to rounding of an axis; of several that are as good, any one may be found."""
    near: Bools = np.abs(u - v).max(axis=1) <= 1e-9
    return near


def measure_from_surface(shape: Any, at: Floats, toward: Floats) -> Floats:
    """How far points (n, d) lie from the surfaces of n bodies; `toward` the other body.

    A point outside of a rounded body counts, and one whose core's point lies inside of the core.
    """
    if isinstance(shape, ougi.HalfSpace2d | ougi.HalfSpace3d):
        return np.asarray(np.abs((at * shape.normal).sum(axis=1) - shape.offset))
    core = extract_core(shape)
    outside = np.maximum(compute_distance(core, at.T - core.origin) - core.radius, 0.0)
    inner = at.T - core.origin - core.radius * toward.T
    return np.maximum(outside, measure_inside(core, inner))


def measure_inside(core: ConvexCore, p: Floats) -> Floats:
    """How far points (d, n), relative to the origin, lie inside of all faces; 0 for flat bodies."""
    if core.kind in ("point", "segment") or (core.dimension == 3 and not len(core.faces)):
        return np.zeros(p.shape[1])
    normals = core.faces if core.dimension == 3 else np.stack([-core.edges[:, 1], core.edges[:, 0]], axis=1)
    nearest = np.full(p.shape[1], np.inf)
    for n in (*normals, *(-normals)):
        length = np.sqrt(dot(n, n))
        depth = (dot(core.corners, n).max(axis=0) - dot(p, n)) / np.where(length > 0, length, 1.0)
        nearest = np.minimum(nearest, np.where(length > 0, depth, np.inf))
    return np.where(np.isfinite(nearest), np.maximum(nearest, 0.0), 0.0)


def _compare_sets(one: Any, other: Any, valid: Bools, total: Floats, width: Floats) -> Floats:
    """Errors of manifolds that should span the same, but for points that hardly overlap.

    Where edges cross at the angle of rounding, corners move along them, so each point is compared with the
    hull of the others.
    """
    errors = np.zeros(len(total))
    for i in np.flatnonzero(valid).tolist():
        p, q = (each.point[i, : each.count[i]] for each in (one, other))
        allowed = max(_MOVED * total[i], 1e3 * width[i])
        deep = [each.depth[i, : each.count[i]] > allowed for each in (one, other)]
        error = max(_measure_beyond(p[deep[0]], q), _measure_beyond(q[deep[1]], p)) / allowed
        if error > 1 and len(p) == len(q) == 4:  # of more than four corners, others may be as good
            areas = measure_area(p), measure_area(q)
            error = min(error, abs(areas[0] - areas[1]) / (allowed * total[i]))
        errors[i] = error
    return errors


def _measure_beyond(points: Floats, corners: Floats) -> float:
    """How far points lie from a flat polygon at most."""
    from shapely import MultiPoint

    if not len(points):
        return 0.0
    middle = corners.mean(axis=0)
    axes = np.linalg.svd(corners - middle)[2]
    p, q = (points - middle) @ axes.T, (corners - middle) @ axes.T
    if p.shape[1] == 2:
        over = np.maximum(p[:, 0] - q[:, 0].max(), q[:, 0].min() - p[:, 0])
        return float(np.hypot(np.maximum(over, 0.0), np.abs(p[:, 1])).max())
    hull = MultiPoint(q[:, :2]).convex_hull
    beside = [hull.distance(point) for point in MultiPoint(p[:, :2]).geoms]
    return float(np.hypot(beside, np.abs(p[:, 2])).max())


def measure_area(points: Floats) -> float:
    """Of a quadrilateral in space, in cyclic order."""
    return float(np.linalg.norm(np.cross(points[2] - points[0], points[3] - points[1])) / 2)


# --- slow overlaps of faces -----------------------------------------------------------------------------


def list_faces(corners: Floats, slack: float) -> list[Floats]:
    """Outward normals of the faces of a convex body: planes through triples of corners that hold all others.

    In the plane, pairs.
    """
    d = corners.shape[1]
    normals: list[Floats] = []
    for chosen in itertools.combinations(range(len(corners)), d):
        p = corners[list(chosen)]
        n = np.array([p[1][1] - p[0][1], p[0][0] - p[1][0]]) if d == 2 else np.cross(p[1] - p[0], p[2] - p[0])
        length = np.linalg.norm(n)
        if not length > (slack if d == 2 else slack * slack):
            continue
        for m in (n / length, -n / length):
            if ((corners - p[0]) @ m).max() <= slack and not any(m @ k > 1 - 1e-12 for k in normals):
                normals.append(m)
    return normals


@dataclass(frozen=True)
class _Side:
    """A face or a segment in the frame of contact: its corners, and the normal, None of a segment."""

    corners: Floats
    normal: Floats | None

    def find_height(self, at: Floats) -> float:
        """The height at a point of the plane of contact."""
        if self.normal is not None:
            p, m = self.corners[0], self.normal
            return float(p[-1] - (at - p[:-1]) @ m[:-1] / m[-1])
        p, q = self.corners
        along = q[:-1] - p[:-1]
        return float(p[-1] + (at - p[:-1]) @ along / (along @ along) * (q[-1] - p[-1]))


def _list_sides(corners: Floats, sense: float, total: float) -> list[_Side] | None:
    """The faces of the furthest corners that are turned most towards the other body: several if alike.

    None if that is open, or if an edge or a corner of a solid counts.
    """
    near = [
        p for i, p in enumerate(corners) if not any(np.abs(p - q).max() <= 1e-13 * total for q in corners[:i])
    ]
    corners = np.array(near)
    if len(corners) == 1:
        return []
    if len(corners) == 2 and corners.shape[1] == 3:
        along = np.linalg.norm(corners[1, :2] - corners[0, :2])
        return [_Side(corners, None)] if along > 1e-6 * total else None
    below = (sense * corners[:, -1]).max() - sense * corners[:, -1]
    if ((below > _OPEN[0] * total) & (below < _OPEN[1] * total)).any():
        return None
    furthest = corners[below <= _OPEN[0] * total]
    found = []
    for m in list_faces(corners, 1e-11 * total):
        gap = ((corners @ m).max() - (furthest @ m).min()) / total
        if abs(gap) > _OPEN[1]:
            continue
        if abs(gap) > _OPEN[0]:
            return None
        found.append((float(sense * m[-1]), m))
    best = max((c for c, _ in found), default=-1.0)
    if best <= STEEP_COSINE + 1e-9:
        return None
    sides = []
    for c, m in found:
        if c >= best - 1e-9:
            on = corners[(corners @ m).max() - corners @ m <= 10 * _OPEN[0] * total]
            sides.append(_Side(on, m))
    return sides


def _compare_with_reference(a: Any, b: Any, found: Any, middle: Floats) -> float | None:
    """The error of a manifold in bands, or None if the reference does not know this case."""
    if any(_are_thin(each.reshape((1,)))[0] for each in (a, b)):
        return None
    n = found.normal
    frame = np.array([[n[1], -n[0]], n]) if len(n) == 2 else _build_frame(n)
    is_plane = isinstance(b, ougi.HalfSpace2d | ougi.HalfSpace3d)
    x = extract_core(a.reshape((1,)))
    total = float(size(x)[0]) + (0.0 if is_plane else float(size(extract_core(b.reshape((1,))))[0]))
    depth, d = float(found.depth[0 : found.count].max()), len(n)
    up = np.eye(d)[-1]
    p = (x.origin[:, 0] + x.corners[:, :, 0] - middle) @ frame.T
    sides_a = _list_sides(p, 1.0, total)
    if is_plane:
        far = 1e3 * total
        square = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])[:: 3 - d or 1][: 4 if d == 3 else 2]
        flat = far * (square if d == 3 else np.array([[-1.0], [1.0]]))
        sides_b: list[_Side] | None = [_Side(np.column_stack([flat, np.full(len(flat), -depth / 2)]), -up)]
        radius_b = 0.0
    else:
        y = extract_core(b.reshape((1,)))
        q = (y.origin[:, 0] + y.corners[:, :, 0] - middle) @ frame.T
        radius_b = float(y.radius[0])
        sides_b = _list_sides(q, -1.0, total)
    if sides_a is None or sides_b is None:
        return None
    points = (found.point[: found.count] - middle) @ frame.T
    if not sides_a or not sides_b:  # a ball
        return 0.0 if found.count == 1 else NONFINITE_ERROR
    radius = float(x.radius[0]) + radius_b
    tolerance = max(_MOVED * total, 1e3 * float(_measure_width(a.reshape((1,)), b.reshape((1,)))[0][0]))
    errors = [
        _compare_with_overlap(points, found.depth[: found.count], s, t, radius, depth, total, tolerance)
        for s in sides_a
        for t in sides_b
    ]
    known = [error for error in errors if error is not None]
    if len(known) < len(errors) and min(known, default=2.0) > 1:
        return None  # of faces that are turned alike, the one that is used may be one that is not compared
    return min(known)


def _build_frame(n: Floats) -> Floats:
    """A right-handed frame whose third axis is n."""
    x = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(n, x), n])


def _is_aligned(side: _Side) -> bool:
    return side.normal is not None and side.normal[-1] ** 2 >= 1 - ALIGNED_SINE**2


def _compare_with_overlap(
    points: Floats,
    depths: Floats,
    a: _Side,
    b: _Side,
    radius: float,
    depth: float,
    total: float,
    tolerance: float,
) -> float | None:
    """The error of points against the overlap of two faces above each other."""
    if not (_is_aligned(a) or _is_aligned(b)):
        both_flat = a.normal is not None and b.normal is not None
        # Edges that cross have one point; those that are parallel are not compared.
        return (0.0 if len(points) == 1 else None) if both_flat else None
    flat = a.corners[:, :-1], b.corners[:, :-1]
    if _is_flush(*flat, total):
        return None
    errors = []
    for grown in (0.0, _GROWN * total):  # a corner that lies on a border may be outside of it by rounding
        corners = _intersect(*flat, grown)
        error = (
            None if corners is None else _judge_corners(points, depths, corners, a, b, radius, depth, total)
        )
        if error is not None:
            errors.append(error / tolerance)
    return min(errors) if errors else None


def _judge_corners(
    points: Floats,
    depths: Floats,
    corners: Floats,
    a: _Side,
    b: _Side,
    radius: float,
    depth: float,
    total: float,
) -> float | None:
    """By how much points differ from the corners of an overlap at which the bodies overlap."""
    heights = np.array([a.find_height(c) - b.find_height(c) + radius for c in corners])
    if ((heights > -1e-9 * total) & (heights < -1e-13 * total)).any():
        return None
    expected = corners[heights >= -1e-13 * total]
    if not len(expected) or heights.max() < depth - 1e-9 * total:
        return None
    wrong = max(
        abs(a.find_height(p[:-1]) - b.find_height(p[:-1]) + radius - h)
        for p, h in zip(points, depths, strict=True)
    )
    return max(float(wrong), _compare_hulls(points[:, :-1], expected, total))


def _intersect(a: Floats, b: Floats, grown: float) -> Floats | None:
    """Corners of the intersection of two convex polygons, or intervals, by shapely; the second one grown."""
    if a.shape[1] == 1:
        low, high = max(a.min(), b.min() - grown), min(a.max(), b.max() + grown)
        return np.array([[low], [high]]) if low <= high else None
    from shapely import MultiPoint, get_coordinates

    other = MultiPoint(b).convex_hull
    other = other.buffer(grown, join_style="mitre") if grown else other
    found: Floats = get_coordinates(MultiPoint(a).convex_hull.intersection(other).convex_hull)
    return found if len(found) else None


def _is_flush(a: Floats, b: Floats, total: float) -> bool:
    """Does the overlap of two faces depend on rounding, because borders lie along each other?"""
    from shapely import MultiPoint

    more, less = (_intersect(a, b, grown * total) for grown in (_MOVED, -_MOVED))
    if more is None or less is None:
        return more is not None
    if a.shape[1] == 1:
        return False
    hulls = [MultiPoint(corners).convex_hull for corners in (more, less)]
    return bool(hulls[0].hausdorff_distance(hulls[1]) > _STABLE * total)


def _compare_hulls(points: Floats, expected: Floats, total: float) -> float:
    """Do points span what is expected? Of more than four corners, as much as four of them can."""
    from shapely import MultiPoint

    if points.shape[1] == 1:
        low, high = points.min() - expected.min(), points.max() - expected.max()
        return float(max(abs(low), abs(high)))
    hull, whole = MultiPoint(points).convex_hull, MultiPoint(expected).convex_hull
    beside = max(whole.distance(point) for point in MultiPoint(points).geoms)
    corners = np.array(whole.simplify(_MOVED * total).exterior.coords[:-1]) if whole.area > 0 else expected
    if len(corners) <= 4:
        return float(max(beside, whole.hausdorff_distance(hull)))
    best = max(
        MultiPoint(np.vstack([points[:1], corners[list(chosen)]])).convex_hull.area
        for chosen in itertools.combinations(range(len(corners)), 3)
    )
    return float(max(beside, (best - hull.area) / total))
