"""Continuous detection: a moving shape against targets."""

from __future__ import annotations

import functools
import importlib
import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ougi import _check
from ougi._jit import Loops, loops, run
from ougi._typing import Bools, Floats, Ints
from ougi.impact._embed import Spatial, in_space, motion_in_space
from ougi.impact._relative import are_one, relative
from ougi.impact._tables import LAYOUTS, SHARP, Found, find
from ougi.motion import Chain, Motion, Translation3d
from ougi.query import _separation
from ougi.query.answers import _Answer
from ougi.shapes import Mesh, Sector3d, Shape, as_shape

__all__ = ["Impact", "time_of_impact"]

Batch: TypeAlias = tuple[int, ...]

# Poses of two moving bodies are rounded by more than smaller shares of their size and distance from the axes.
_FINEST = 1e-14

_AT_REST: Spatial = Translation3d([0.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Impact(_Answer):
    """First contacts of moving shapes with targets.

    Attributes
    ----------
    status
        (...), 0 free (a certified miss), 1 hit, 2 overlapping at the start (t = 0), 3 undecided after the
        iteration limit (t is the last certified free time).
    hit
        (...), status 1 or 2. Where safety counts ask for status 0: of status 3 nobody knows.
    t
        (...), time of the first contact in [0, 1]; NaN where there is none. For status 3 the time up to which
        there is certainly none.
    point
        (..., d), where they touch, on the target.
    normal
        (..., d), unit vector from the moving shape to the target. Point and normal are NaN where there is no
        contact. For shapes that overlap at the start they are those of `closest_points`: the way out (NaN for
        cylinders).

    >>> import math, ougi
    >>> door = ougi.Box([0.5, 0, 0], [1, 0.05, 2])
    >>> impact = ougi.time_of_impact(
    ...     door, ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.pi / 2), ougi.Sphere([0, 0.8, 0], 0.1)
    ... )
    >>> bool(impact.hit), round(float(impact.t), 4)
    (True, 0.9001)
    """

    status: Ints
    hit: Bools
    t: Floats
    point: Floats
    normal: Floats


def time_of_impact(
    shape: Any,
    motion: Motion,
    target: Any,
    target_motion: Motion | None = None,
    *,
    tol: float = 1e-9,
    margin: float = 0.0,
    pairs: Any = None,
) -> Impact:
    """When does a moving shape first touch a target?

    Parameters
    ----------
    shape
        A shape or points (..., d), at its pose at t = 0: any but planar fans. A Sector3d must be a whole
        cylinder (half_angle pi, inner_radius 0). A Mesh is its triangles: what is inside of a closed one
        touches nothing.
    motion
        How it moves, by any angle: Rotation3d, Translation3d or Screw3d; in the plane Rotation2d,
        Translation2d or Displacement2d; or a Chain of them. Batches of shapes, motions and targets broadcast.
        Screws that advance are followed for 1,000 steps, 500 turns at most, and are undecided (status 3) from
        there on.
    target
        A shape or points (..., d).
    target_motion
        How the target moves at the same time; None if it rests.
    tol
        At the reported t the gap lies in [0, tol * scale], where scale is the size of the two bodies plus
        their distance from the axis of the motion. Of two moving bodies, rounding decides below 1e-14,
        and 1e-14 is taken. A reported miss is certified: no contact on all the way.
    margin
        Report the first time the gap is at most this: then it is the gap beyond the margin that lies in
        [0, tol * scale]. A smaller gap at the start is a hit at t = 0.
    pairs
        (m, 2) integers: ask only about shape i and target j for each row (i, j). Indices count in the
        flattened batches of shape and motion, and of target and target_motion.

    Returns
    -------
    Impact
        status, hit, t, point, normal. Meshes against meshes, boxes and triangles are answered by the exact
        radar (`ougi.radar`) where one body moves, seen from the other, by one screw and without a margin;
        other meshes and chains by `ougi.advance`, all else by kernels.

    >>> import math, ougi
    >>> bat = ougi.Box(center=[0.6, 0, 0], size=[0.8, 0.06, 0.06])
    >>> swing = ougi.Rotation3d(center=[0, 0, 0], axis=[0, 0, 1], angle=math.radians(170))
    >>> balls = ougi.Sphere([[0, 0.7, 0], [-0.7, 0.4, 0], [0, -0.7, 0]], 0.04)
    >>> impact = ougi.time_of_impact(bat, swing, balls)
    >>> impact.hit.tolist(), impact.t.round(6).tolist()
    ([True, True, False], [0.495652, 0.854554, nan])
    >>> ougi.time_of_impact(bat, swing, balls, pairs=[[0, 2], [0, 1]]).hit.tolist()
    [False, True]
    >>> step = ougi.Chain(ougi.Translation3d([0, 0.1, 0]), swing)  # the batter moves too
    >>> ougi.time_of_impact(bat, step, balls).t.round(6).tolist()
    [0.493084, 0.886951, nan]
    """
    for name, given in (("motion", motion), ("target_motion", target_motion)):
        if isinstance(given, list | tuple):
            raise TypeError(f"{name} must be a motion, got {_check.named(given)}")
    if not has_kernels(shape, motion, target, target_motion):
        from ougi.impact._images import can_look, look
        from ougi.impact.advance import advance

        if can_look(shape, motion, target, target_motion, margin):
            return look(shape, motion, target, target_motion, _check.number("tol", tol, positive=True), pairs)
        return advance(shape, motion, target, target_motion, tol=tol, margin=margin, pairs=pairs)
    tol = _check.number("tol", tol, positive=True)
    margin = _check.number("margin", margin, positive=False)
    body, other = as_shape("shape", shape, target), as_shape("target", target, shape)
    return screw_impact(body, motion, other, target_motion, tol, margin, pairs)


def has_kernels(shape: Any, motion: Any, target: Any, target_motion: Any = None) -> bool:
    """Is this a question for kernels? Meshes and chains are advanced instead.

    >>> import ougi
    >>> from ougi.impact import has_kernels
    >>> ball, move = ougi.Sphere([0, 0, 0], 1), ougi.Translation3d([1, 0, 0])
    >>> has_kernels(ball, move, ball), has_kernels(ball, ougi.Chain(move, move), ball)
    (True, False)
    """
    chains = isinstance(motion, Chain) or isinstance(target_motion, Chain)
    return not (chains or isinstance(shape, Mesh) or isinstance(target, Mesh))


def screw_impact(
    shape: Shape,
    motion: Motion,
    aim: Shape,
    target_motion: Motion | None,
    tol: float,
    margin: float,
    pairs: Any = None,
) -> Impact:
    """`time_of_impact` of convex shapes whose motions are screws; turns and straight moves are such."""
    asked, motion, target_motion = _asked(shape, motion, aim, target_motion, pairs)
    impact = _contacts(shape, motion, aim, target_motion, asked, tol, margin)
    if not isinstance(shape, Sector3d) and not isinstance(aim, Sector3d):
        _complete(impact, impact.status == 2, shape, None, aim, None, asked)
    if aim.dimension == 2:
        # Flat bodies that meet may leave their plane along its normal, which is none in the plane.
        lost = (impact.status == 1) & (np.abs(impact.normal).max(axis=-1) < 0.5)
        _complete(impact, lost, shape, motion, aim, target_motion, asked)
    return impact


def first_contact(
    shape: Shape, motion: Motion, aim: Shape, target_motion: Motion | None, tol: float, margin: float
) -> Impact:
    """`time_of_impact` without all points and normals: where shapes overlap at the start, they are NaN."""
    asked, motion, target_motion = _asked(shape, motion, aim, target_motion, None)
    return _contacts(shape, motion, aim, target_motion, asked, tol, margin)


class _Asked(NamedTuple):
    """Which entries of shapes and targets are asked about: all that broadcast to `batch`, or listed ones."""

    batch: Batch
    shape: Ints
    target: Ints


def _asked(
    shape: Shape, motion: Motion, aim: Shape, target_motion: Motion | None, pairs: Any
) -> tuple[_Asked, Motion, Motion | None]:
    """Check all that is given. Motions of listed pairs come back one for each row; shapes are looked up."""
    find(type(shape), type(aim))
    for name, body in (("shape", shape), ("target", aim)):
        if isinstance(body, Sector3d):
            _require_cylinder(name, body)
    ways = {"motion": motion} if target_motion is None else {"motion": motion, "target_motion": target_motion}
    for name, given in ways.items():
        if not isinstance(given, Motion):
            raise TypeError(f"{name} must be a motion, got {type(given).__name__}")
        if given.dimension != aim.dimension:
            raise ValueError(
                f"{name} must be {aim.dimension}-D like the shapes, got a {type(given).__name__}"
            )
    shapes = {"shape": shape.shape, "target": aim.shape}
    if pairs is None:
        batch = _check.broadcast_shape(**shapes, **{name: given.shape for name, given in ways.items()})
        return _Asked(batch, _index(shape.shape, batch), _index(aim.shape, batch)), motion, target_motion
    first = _check.broadcast_shape(shape=shape.shape, motion=motion.shape)
    second = (
        aim.shape
        if target_motion is None
        else _check.broadcast_shape(target=aim.shape, target_motion=target_motion.shape)
    )
    i, j = _check.pairs(pairs, math.prod(first), math.prod(second)).T
    rows = _index(shape.shape, first)[i], _index(aim.shape, second)[j]
    asked = _Asked((len(i),), *(_check.frozen(index) for index in rows))
    motion = _entries(motion, _index(motion.shape, first)[i])
    if target_motion is not None:
        target_motion = _entries(target_motion, _index(target_motion.shape, second)[j])
    return asked, motion, target_motion


def _contacts(
    shape: Shape,
    motion: Motion,
    aim: Shape,
    target_motion: Motion | None,
    asked: _Asked,
    tol: float,
    margin: float,
) -> Impact:
    """First contacts of all that is asked; one of the motions that amount to one, or both."""
    found = find(type(shape), type(aim))
    if target_motion is None:
        return _impact(_one(found, shape, motion_in_space(motion), aim, asked, tol, margin), asked, aim)
    one = np.broadcast_to(are_one(motion, target_motion), asked.batch)
    if one.size and one.all():
        way = relative(motion, target_motion)
        return _carried(_impact(_one(found, shape, way, aim, asked, tol, margin), asked, aim), target_motion)
    if not one.any():
        ways = motion_in_space(motion), motion_in_space(target_motion)
        return _impact(_both(found, shape, aim, *ways, asked, tol, margin), asked, aim)
    impact = _impact(np.zeros((8, one.size)), asked, aim)
    for where in (one, ~one):
        flat = where.ravel()
        some = _Asked((int(flat.sum()),), *(_check.frozen(index[flat]) for index in asked[1:]))
        first, second = (
            _entries(way, _index(way.shape, asked.batch)[flat]) for way in (motion, target_motion)
        )
        part = _contacts(shape, first, aim, second, some, tol, margin)
        for field in fields(Impact):
            getattr(impact, field.name)[where] = getattr(part, field.name)
    return impact


def _require_cylinder(name: str, fan: Sector3d) -> None:
    whole = "for first contacts: only whole cylinders have them, half_angle=math.pi and inner_radius=0"
    _check.refuse(fan.half_angle < np.pi, f"{name}.half_angle", f"be math.pi {whole}", fan.half_angle)
    _check.refuse(fan.inner_radius > 0, f"{name}.inner_radius", f"be 0 {whole}", fan.inner_radius)


def _one(
    found: Found, shape: Shape, motion: Spatial, aim: Shape, asked: _Asked, tol: float, margin: float
) -> Floats:
    """A moving shape and a resting target. The kernel may want to move the other: then the inverse motion."""
    if margin > 0 and found.kernel in SHARP:
        return _both(found, shape, aim, motion, _AT_REST, asked, tol, margin)
    way = _index(motion.shape, asked.batch)
    bodies = [(_columns(shape), asked.shape), (_columns(aim), asked.target)]
    (a, i), (b, j) = bodies[::-1] if found.swapped else bodies
    moving = a, motion.columns(), i, way, tol, margin, -1.0 if found.swapped else 1.0
    return _filled(_loops(found.kernel), moving, b, j)


def _both(
    found: Found,
    shape: Shape,
    aim: Shape,
    motion: Spatial,
    target_motion: Spatial,
    asked: _Asked,
    tol: float,
    margin: float,
) -> Floats:
    """Two moving bodies; the sense tells the kernel which is the target."""
    rest = max(tol, _FINEST), margin, -1.0 if found.swapped else 1.0
    ways = (_index(way.shape, asked.batch) for way in (motion, target_motion))
    first = (_columns(shape), motion.columns(), asked.shape, next(ways), *rest)
    second = (_columns(aim), target_motion.columns(), asked.target, next(ways), *rest)
    a, b = (second, first) if found.swapped else (first, second)
    return _filled(_moving_loops(found.kernel), a, b, np.arange(len(asked.shape)))


def _filled(made: Loops, a: Any, b: Any, index: Ints) -> Floats:
    """Run a loop over all entries of the answer; `index` says where in b each finds its body."""
    out = np.empty((8, len(index)))
    pairs = np.empty((len(index), 2), np.int64)
    pairs[:, 0], pairs[:, 1] = np.arange(len(index)), index
    if len(index):
        run(made.listed, a, b, _check.frozen(pairs), 0, out, size=len(index))
    return out


def _columns(shape: Shape) -> Floats:
    return in_space(shape).columns(LAYOUTS[type(shape)])


def _index(shape: Batch, batch: Batch) -> Ints:
    """Which entry of a batch of this shape belongs to each entry of the answer."""
    return _few(shape, batch) if math.prod(batch) <= _FEW else _counted(shape, batch)


def _counted(shape: Batch, batch: Batch) -> Ints:
    numbers = np.arange(math.prod(shape)).reshape(shape)
    return _check.frozen(np.ascontiguousarray(np.broadcast_to(numbers, batch)).ravel())


# A game asks about a few bodies, of the same shapes, every frame.
_FEW = 256
_few = functools.lru_cache(maxsize=256)(_counted)


def _entries(given: Any, index: Ints) -> Any:
    """These of a flattened batch, one for each index; a single one stays single."""
    return given.reshape(()) if given.count == 1 else given.reshape((given.count,))[index]


def _impact(out: Floats, asked: _Asked, aim: Shape) -> Impact:
    out, dimension = out.reshape((8, *asked.batch)), aim.dimension
    status = out[0].astype(np.int64)
    hit = (status == 1) | (status == 2)
    rows_last = (*range(1, out.ndim), 0)
    out[5:] += 0.0  # no -0.0 in normals
    point, normal = (out[row : row + dimension].transpose(rows_last) for row in (2, 5))
    return Impact(status[()], hit[()], out[1][()], point, normal)


def _complete(
    impact: Impact,
    where: Bools,
    shape: Shape,
    motion: Motion | None,
    aim: Shape,
    aim_motion: Motion | None,
    asked: _Asked,
) -> None:
    """Fill in points and normals that the loops do not know: those of the poses at the time of contact."""
    if not np.any(where):
        return
    where = np.asarray(where)
    flat, t = where.ravel(), np.asarray(impact.t)[where]
    bodies: list[Any] = []
    for body, index, way in ((shape, asked.shape, motion), (aim, asked.target, aim_motion)):
        some = _entries(body, index[flat])
        if way is not None:
            some = some.transformed(_entries(way, _index(way.shape, asked.batch)[flat]).at(t))
        bodies.append(some)
    _, normal, _, point = _separation("closest_points", bodies[0], bodies[1], None)
    impact.point[where], impact.normal[where] = point, normal


def _carried(impact: Impact, motion: Motion) -> Impact:
    """A contact seen from a moving target, in the world."""
    pose = motion.at(np.where(np.isnan(impact.t), 0.0, impact.t))
    point = pose._apply(impact.point)
    normal = (pose.rotation @ impact.normal[..., None])[..., 0]
    return Impact(impact.status, impact.hit, impact.t, point, normal)


@functools.cache
def _loops(kernel: str) -> Loops:
    """The loops of a moving and a resting body."""
    from ougi.kernels import load, moving

    module = importlib.import_module(f"ougi.kernels.impact_{kernel}")
    a, b = kernel.split("_")
    return loops(
        f"impact_{kernel}",
        getattr(module, f"impact_{kernel}"),
        getattr(moving, f"load_moving_{a}"),
        getattr(load, f"load_{b}"),
        load.store_impact3d,
    )


@functools.cache
def _moving_loops(kernel: str) -> Loops:
    """The loops of two moving bodies."""
    from ougi.kernels import impact_moving_pairs, load, moving

    a, b = kernel.split("_")
    return loops(
        f"moving_{kernel}",
        getattr(impact_moving_pairs, f"moving_{kernel}"),
        getattr(moving, f"load_moving_{a}"),
        getattr(moving, f"load_moving_{b}"),
        load.store_impact3d,
    )
