"""Seeded queries of first contacts with sectors: random ones, and ones that begin or end at a contact."""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi._typing import Bools, Floats
from ougi.motion import Motion, Rotation2d, Rotation3d, Screw3d, Translation2d, Translation3d
from ougi.shapes import Circle, Cylinder, Sector2d, Sector3d, Shape, Sphere
from ougi_lab.scenes.motions import MovingPairs, draw_motion, shapes_at
from ougi_lab.scenes.pairs import translate
from ougi_lab.scenes.sectors import draw_sector_pairs

# Share of the targets that are put on the path of the body.
_AIMED = 0.5

# Shares of the size by which near cases are apart or overlap, as exponents.
_GAPS = (-12, -3)


def draw_moving_sectors(
    cls: type[Shape], other: type[Shape], kind: str, both: bool, n: int, rng: np.random.Generator
) -> MovingPairs:
    """n sectors that move by motions of a kind against shapes of a class; both may move."""
    a, b = draw_sector_pairs(other, cls.dimension, n, rng)
    away = rng.normal(size=(n, a.dimension))
    reach = a.bounding_sphere().radius + b.bounding_sphere().radius
    away *= (reach * rng.uniform(0.2, 2.0, n) / np.linalg.norm(away, axis=1))[:, None]
    b = translate(b, np.where(rng.random((n, 1)) < 0.7, away, 0.0))  # others are in the hole or beside it
    motion = _draw_motion(kind, a, b, rng)
    case = MovingPairs(a, motion, b, _draw_motion(kind, b, a, rng) if both else None)
    chosen = rng.random(n) < _AIMED
    return case._replace(target=_aim_targets(case, chosen, rng))


def _draw_motion(kind: str, body: Any, target: Any, rng: np.random.Generator) -> Motion:
    """As `draw_motion`; a fifth of the turns are about the axis of a sector or parallel to it."""
    drawn = draw_motion(kind, body.bounds(), target.bounds(), rng)
    if kind == "translation":
        return drawn
    motion: Any = drawn
    sector = body if type(body) in (Sector2d, Sector3d) else target
    own = rng.random(len(sector.half_angle)) < 0.2
    center = np.where(own[:, None], sector.center, motion.center)
    if sector.dimension == 2:
        return Rotation2d(center, motion.angle)
    axis = np.where(own[:, None], sector.axis, motion.axis)
    if kind == "rotation":
        return Rotation3d(center, axis, motion.angle)
    return Screw3d(center, axis, motion.angle, motion.advance)


def _aim_targets(case: MovingPairs, chosen: Any, rng: np.random.Generator) -> Any:
    """The targets, of which the chosen ones are moved to the path of the body."""
    n, d = case.body.count, case.body.dimension
    t = rng.uniform(0, 1, n)
    body, target = shapes_at(case, t)
    own, other = body.bounding_sphere(), target.bounding_sphere()
    beside = rng.normal(size=(n, d))
    beside *= ((own.radius + other.radius) * rng.uniform(0, 1, n) / np.linalg.norm(beside, axis=1))[:, None]
    shift = np.where(np.asarray(chosen)[:, None], own.center + beside - other.center, 0.0)
    return translate(case.target, _to_start(case, shift, t))


def _to_start(case: MovingPairs, shift: Floats, t: Floats) -> Floats:
    """The shift of the target's start that shifts it at times t."""
    if case.target_motion is None:
        return shift
    turn = case.target_motion.at(t).rotation
    return np.asarray((np.swapaxes(turn, -1, -2) @ shift[..., None])[..., 0])


def draw_near_sectors(
    cls: type[Shape], other: type[Shape], kind: str, both: bool, n: int, rng: np.random.Generator
) -> MovingPairs:
    """Up to n queries that pass a contact, or miss it by 1e-3 to 1e-12 of the size.

    Random queries are answered first. At a contact the target is shifted along the normal. From that pose on,
    up to it, or through it, the body then moves as before, straight along the common plane, about the normal,
    or about the axis of the sector. A fifth are discs and rings of nearly one radius about one axis.
    """
    from ougi import impact

    case = draw_moving_sectors(cls, other, kind, both, 4 * n + 16, rng)
    found = impact.time_of_impact(*case[:4])
    rows = np.flatnonzero((found.status == 1) & np.isfinite(found.normal).all(axis=1))[:n]
    case, t, normal = case.take(rows), found.t[rows], found.normal[rows]
    m = len(rows)
    size = case.body.bounding_sphere().radius + case.target.bounding_sphere().radius
    gap = size * 10 ** rng.uniform(*_GAPS, m) * rng.choice([1.0, 1.0, -1.0, 0.0], m)
    case = case._replace(target=translate(case.target, _to_start(case, gap[:, None] * normal, t)))
    if kind == "translation":
        return _move_along_plane(case, t, normal, size, rng)
    if both:  # the very end of the path
        return case._replace(motion=_scale(case.motion, t), target_motion=_scale(case.target_motion, t))
    body, _ = shapes_at(case, t)
    fitted = rng.random(m) < 0.2
    if other in (Circle, Sphere, Cylinder, Sector2d, Sector3d):
        case = case._replace(target=_fit_into_hole(body, case.target, fitted, rng))
    return _turn_about_contact(case, body, found.point[rows], normal, rng)


def _scale(motion: Any, factor: Floats) -> Motion:
    scaled: Motion = motion.scaled(factor)
    return scaled


def _move_along_plane(
    case: MovingPairs, t: Floats, normal: Floats, size: Floats, rng: np.random.Generator
) -> MovingPairs:
    """Straight along the common plane, through the contact, from it on or up to it; some tilted a little."""
    body, target = shapes_at(case, t)
    m, d = normal.shape
    v = rng.normal(size=(m, d))
    v -= (v * normal).sum(axis=1, keepdims=True) * normal
    v *= (size / np.maximum(np.linalg.norm(v, axis=1), 1e-300) * rng.uniform(0.01, 3, m))[:, None]
    v += normal * (size * rng.choice([0.0, 0.0, 1e-9, 1e-6, -1e-6], m))[:, None]
    share = rng.choice([0.0, 0.5, 1.0], (m, 1))
    make = Translation2d if d == 2 else Translation3d
    body = translate(body, -share * v)
    if case.target_motion is None:
        return case._replace(body=body, motion=make(v))
    u = rng.normal(size=(m, d)) * size[:, None]  # both by the same, as far as the contact is concerned
    return case._replace(
        body=translate(body, -share * u), motion=make(v + u), target=translate(target, -share * u),
        target_motion=make(u),
    )  # fmt: skip


def _fit_into_hole(sector: Any, target: Any, chosen: Any, rng: np.random.Generator) -> Any:
    """Where chosen, a target about the axis of a sector with a radius that just fits into its hole."""
    m = target.count
    radius = sector.inner_radius * (1 - 10 ** rng.uniform(-6, -1, m) * rng.choice([1.0, 1.0, -1.0], m))
    chosen = chosen & (sector.inner_radius > 0)
    names = {"center": sector.center}
    if isinstance(target, Cylinder | Sector3d):
        names["axis"] = sector.axis
    values = {name: getattr(target, name) for name in target._fields}
    for name, value in names.items():
        values[name] = np.where(chosen[:, None], value, values[name])
    size = "outer_radius" if "outer_radius" in values else "radius"
    values[size] = np.where(chosen, radius, values[size])
    if "inner_radius" in values:
        values["inner_radius"] = np.minimum(values["inner_radius"], values["outer_radius"])
    if "direction" in values:
        values["direction"] = np.where(chosen[:, None], sector.direction, values["direction"])
    return target._from_fields(target.shape, values)


def _turn_about_contact(
    case: MovingPairs, body: Any, point: Floats, normal: Floats, rng: np.random.Generator
) -> MovingPairs:
    """Turns through the contact, from it on or up to it: about the normal, the sector's axis, or any axis."""
    m, d = normal.shape
    sector = body if type(body) in (Sector2d, Sector3d) else case.target
    own: Bools = rng.random((m, 1)) < 0.4
    center = np.where(own, sector.center, point + rng.normal(size=(m, d)) * rng.choice([0.0, 1.0], (m, 1)))
    angle = rng.uniform(-4, 4, m) * rng.choice([1.0, 1e-3], m)
    share = rng.choice([0.0, 0.5, 1.0], m)
    if d == 2:
        back = Rotation2d(center, -share * angle).at(1.0)
        return case._replace(body=body.transformed(back), motion=Rotation2d(center, angle))
    axis = np.where(own, sector.axis, np.where(rng.random((m, 1)) < 0.5, normal, rng.normal(size=(m, d))))
    advance = np.zeros(m)
    if isinstance(case.motion, Screw3d):
        advance = rng.uniform(-1, 1, m) * rng.choice([1.0, 1e-3], m)
    back = Screw3d(center, axis, -share * angle, -share * advance).at(1.0)
    motion = Screw3d(center, axis, angle, advance) if advance.any() else Rotation3d(center, axis, angle)
    return case._replace(body=body.transformed(back), motion=motion)
