"""`ougi verify moving-sector`: are first contacts of sectors right?

`sector_paths` proves that nothing touches before the reported time, or on the whole path: by planes between
pieces of sectors, each for a span of time. Where it finds that bodies touch earlier, a search over points of
both measures how deep they overlap there. At the reported time the reported point must lie on both bodies,
and the plane through it along the normal must have the convex ones behind it. Bodies that are reported to
overlap at the start must not be proved apart.

`random` cases have any pose and any motion. `near` ones pass a contact, or miss it by 1e-3 to 1e-12 of the
size: at the start, at the end or in between, along the common plane, about the normal or about the axis of
the sector; some are discs and rings of nearly one radius. `second` cases have a margin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ougi._typing import Floats, Ints
from ougi.shapes import (
    Cone,
    ConvexHull3d,
    ConvexPolygon2d,
    Cylinder,
    Ellipsoid,
    Sector2d,
    Sector3d,
    Shape,
)
from ougi_lab.scenes.motions import MOTIONS, MovingPairs, shapes_at
from ougi_lab.scenes.moving_sectors import draw_moving_sectors, draw_near_sectors
from ougi_lab.scenes.pairs import CLASSES
from ougi_lab.verify.ccd import Ccd, Share, compute_scale, distance_from_axis
from ougi_lab.verify.certificates import EPS, compute_distance
from ougi_lab.verify.narrow import HULL_FILES, parse_pair
from ougi_lab.verify.sector_oracle import signed_distance
from ougi_lab.verify.sector_paths import OPEN, TOUCHED, describe_bodies, prove_paths
from ougi_lab.verify.solid import CURVED, compute_support, get_origin, measure_outside, prepare
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally

# Share of (largest coordinate + size) within which distances of curved bodies are computed.
BAND = 1e-11

# By how much a normal may be off, and the band of 64 eps as a share of these.
_TILT, _ROUNDING = 1e-6, 64 * EPS / BAND

# The margin of `second` cases, as a share of the size.
_MARGIN = 0.1

# Points of a body that are tried where it overlaps a sector before the reported contact, and rounds.
_POINTS, _ROUNDS = 4000, 30

_OTHERS: dict[type[Shape], tuple[type[Shape], ...]] = {
    Sector2d: (*(cls for cls in CLASSES if cls.dimension == 2), ConvexPolygon2d, Sector2d),
    Sector3d: (
        *(cls for cls in CLASSES if cls.dimension == 3),
        *(ConvexHull3d, Cylinder, Cone, Ellipsoid, Sector3d),
    ),
}


@dataclass(frozen=True)
class MovingSectors(Ccd):
    """The subject `moving-sector` of the runner. Tests replace `query` to plant mistakes."""

    name: str = "moving-sector"
    folders: tuple[str, ...] = (
        *("impact/sectors.py", "kernels"),
        *(f"kernels/convex/{name}.py" for name in ("constants", "gjk", "gjk_solids", "polytope", "records")),
        *("kernels/convex/simplex.py", "kernels/impact", "kernels/impact/convex/hull3d_hull3d.py"),
        *("kernels/pieces", "shapes/sector.py", *HULL_FILES),
    )

    def pairs(self) -> tuple[str, ...]:
        """Names like `sector3d-box`."""
        names = ((sector, other) for sector, others in _OTHERS.items() for other in others)
        return tuple(f"{sector.__name__}-{other.__name__}".lower() for sector, other in names)

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n cases of a kind."""
        tally = Tally()
        for share, case in draw_cases(pair, kind, n, rng):
            self._judge(tally, share, case, near=kind == "near")
        return tally

    def _judge(self, tally: Tally, share: Share, case: MovingPairs, near: bool = False) -> None:
        result = self.query(case)
        status, n = result.status, case.body.count
        width, scale = measure_band(case), compute_scale(case)
        hit = status == 1
        at_start = hit & (result.t == 0)
        end = np.where(hit | (status == 3), result.t, np.where(status == 2, 0.0, 1.0))
        is_known = (status >= 0) & (status <= 3) & np.isfinite(end)
        end = np.where(is_known, end, 0.0)
        a, b = describe_bodies(case.body, case.motion), describe_bodies(case.target, case.target_motion)
        proofs = prove_paths(a, b, np.zeros(n), end, width, case.margin)
        early = (status != 2) & ~at_start & (proofs.state == TOUCHED)
        early &= (status != 3) | (proofs.time < end)  # of the time itself nothing is claimed
        # A contact at the start, or an overlap, must not be proved to be none.
        allowed = np.where(at_start, case.margin + case.tol * scale, 0.0) + 2 * width
        apart = prove_paths(a, b, np.zeros(n), np.zeros(n), case.margin - allowed, case.margin)
        errors = {
            "status": np.where(is_known, 0.0, NONFINITE_ERROR),
            "start": np.where(((status == 2) | at_start) & (apart.state == 0), NONFINITE_ERROR, 0.0),
            "before": np.zeros(n),
        }
        for i in np.flatnonzero(early):
            rng = np.random.default_rng(int(i))
            errors["before"][i] = measure_overlap(case.take([i]), proofs.time[[i]], rng) / width[i]
        errors |= find_contact_errors(case, result, np.flatnonzero(hit), scale, width)
        unproved = (status != 2) & ~at_start & ((proofs.state == OPEN) | (early & (errors["before"] <= 1)))
        marks = {"in_band": early & (errors["before"] <= 1), "unproved": unproved}
        self._count_cases(tally, share, case, result, errors, marks, near)


def draw_cases(pair: str, kind: str, n: int, rng: np.random.Generator) -> Iterator[tuple[Share, MovingPairs]]:
    """The shares of a chunk with their cases: all motions, one or both moving."""
    sector, other = parse_pair(pair)
    kinds = [(motion, both) for motion in MOTIONS[sector.dimension] for both in (False, True)]
    for k, (motion, both) in enumerate(kinds):
        count = n * (k + 1) // len(kinds) - n * k // len(kinds)
        if not count:
            continue
        make = draw_near_sectors if kind == "near" else draw_moving_sectors
        case = make(sector, other, motion, both, count, rng)
        if rng.random() < 0.5:
            case = swap(case)
        if kind == "second":
            reach = case.body.bounding_sphere().radius + case.target.bounding_sphere().radius
            case = case._replace(margin=_MARGIN * float(np.median(reach)))
        if case.body.count:
            yield Share(k, type(case.body), type(case.target), motion, both, count), case


def swap(case: MovingPairs) -> MovingPairs:
    """The same with the sector as the target, if that moves too; otherwise it moves back against the body."""
    if case.target_motion is None:
        return case._replace(body=case.target, motion=case.motion.scaled(-1.0), target=case.body)
    return case._replace(
        body=case.target, motion=case.target_motion, target=case.body, target_motion=case.motion
    )


def measure_band(case: MovingPairs) -> Floats:
    """The gaps that may be rounding; they grow with coordinates, also those of centers of motions."""
    total = compute_scale(case) + np.linalg.norm(case.body.bounding_sphere().center, axis=-1)
    for motion in (case.motion, case.target_motion):
        if hasattr(motion, "center"):
            total = total + np.linalg.norm(motion.center, axis=-1)
            for shape in (case.body, case.target):
                away = distance_from_axis(motion, shape.bounding_sphere().center)
                total = total + np.abs(motion.angle) * away
        if hasattr(motion, "offset"):
            total = total + np.linalg.norm(motion.offset, axis=-1)
    return np.asarray(BAND * total)


# --- points ---------------------------------------------------------------------------------------------


def measure_outside_of(shape: Any, p: Floats, normal: Floats) -> Floats:
    """By how much points (n, d) lie outside of bodies; `normal` points out of a convex body."""
    if type(shape) in (Sector2d, Sector3d):
        return np.maximum(signed_distance(shape, p), 0.0)
    if isinstance(shape, Ellipsoid):
        return measure_outside_ellipsoid(
            np.einsum("nk,nkj->nj", p - shape.center, shape.rotation), shape.radii
        )
    if isinstance(shape, CURVED):
        return measure_outside(shape, p - get_origin(shape), normal)
    core = prepare(shape)
    return np.asarray(np.maximum(compute_distance(core, p.T - core.origin) - core.radius, 0.0))


def measure_outside_ellipsoid(p: Floats, radii: Floats) -> Floats:
    """A bound of the distance of points from ellipsoids: to points on three sections through them."""
    found = np.full(len(p), np.inf)
    for k in range(3):
        own = np.clip(p[:, k], -radii[:, k], radii[:, k])
        left = 1.0 - (own / np.where(radii[:, k] > 0, radii[:, k], 1.0)) ** 2
        rest, sizes = np.delete(p, k, axis=1), np.delete(radii, k, axis=1)
        sizes = sizes * np.sqrt(np.maximum(left, 0.0))[:, None]
        share = np.linalg.norm(rest / np.where(sizes > 0, sizes, 1.0), axis=1)
        near = np.where(sizes > 0, rest / np.maximum(share, 1.0)[:, None], 0.0)
        for j in range(2):  # or at the same place along one axis, as far as the body goes there
            other = near.copy()
            other[:, j] = np.clip(rest[:, j], -sizes[:, j], sizes[:, j])
            across = 1.0 - (other[:, j] / np.where(sizes[:, j] > 0, sizes[:, j], 1.0)) ** 2
            reach = sizes[:, 1 - j] * np.sqrt(np.maximum(across, 0.0))
            other[:, 1 - j] = np.clip(rest[:, 1 - j], -reach, reach)
            found = np.minimum(found, np.hypot(p[:, k] - own, np.linalg.norm(rest - other, axis=1)))
        found = np.minimum(found, np.hypot(p[:, k] - own, np.linalg.norm(rest - near, axis=1)))
    return found


def find_contact_errors(
    case: MovingPairs, result: Any, index: Ints, scale: Floats, width: Floats
) -> dict[str, Floats]:
    """The point must lie on the target and as near to the body as the margin; normals lead to the target."""
    errors = {name: np.zeros(len(width)) for name in ("point", "gap", "normal", "unit")}
    if not len(index):
        return errors
    body, target = shapes_at(case.take(index), result.t[index])
    point, normal = result.point[index], result.normal[index]
    allowed = case.tol * scale[index] + 2 * width[index]
    errors["point"][index] = measure_outside_of(target, point, -normal) / allowed
    at_start = result.t[index] == 0
    off = measure_outside_of(body, point - case.margin * normal, normal) / allowed
    errors["gap"][index] = np.where(at_start & (case.margin > 0), 0.0, off)
    errors["unit"][index] = np.abs(np.linalg.norm(normal, axis=-1) - 1.0) / 1e-12
    # The difference of two points has a direction up to rounding / gap.
    rounding = _ROUNDING * width[index]
    turn = _TILT + rounding / np.maximum(case.tol * scale[index], rounding)
    for shape, n, at in ((target, -normal, point), (body, normal, point - case.margin * normal)):
        if type(shape) not in (Sector2d, Sector3d):
            own = prepare(shape)
            over = compute_support(own, n) - ((at - get_origin(own)) * n).sum(axis=-1)
            over = np.where(at_start & (case.margin > 0), 0.0, over)
            worst = over / (allowed + turn * scale[index])
            errors["normal"][index] = np.maximum(errors["normal"][index], worst)
    return errors


def measure_overlap(case: MovingPairs, t: Floats, rng: np.random.Generator) -> float:
    """How deep a point of one body lies in the sector at a time, by a search over points of both."""
    from ougi import query

    body, target = shapes_at(case, t)
    sector, other = (body, target) if type(body) in (Sector2d, Sector3d) else (target, body)
    box, d = other.bounds(), sector.dimension
    own = sector.bounds()
    lower, upper = np.maximum(box.lower, own.lower)[0], np.minimum(box.upper, own.upper)[0]
    middle, half = (lower + upper) / 2, np.maximum(upper - lower, 0.0) / 2 + 1e-300
    best, at = -np.inf, middle
    for _ in range(_ROUNDS):
        points = at + half * rng.uniform(-1, 1, (_POINTS, d))
        inside = -signed_distance(_repeat(sector, _POINTS), points)
        if type(other) in (Sector2d, Sector3d):
            depth = np.minimum(inside, -signed_distance(_repeat(other, _POINTS), points))
        else:
            apart = query.queries.separation("closest_points", other, _as_points(points), None)[0]
            depth = np.minimum(inside, -np.asarray(apart))
        k = int(np.argmax(depth))
        if depth[k] > best:
            best, at = float(depth[k]), points[k]
        half = half * 0.6
    return max(best, 0.0)


def _as_points(points: Floats) -> Any:
    from ougi.shapes import Point2d, Point3d

    return (Point2d if points.shape[1] == 2 else Point3d)(points)


def _repeat(shape: Any, n: int) -> Any:
    return shape[np.zeros(n, np.int64)]
