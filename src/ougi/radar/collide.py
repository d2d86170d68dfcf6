"""Collision detection with radars (RADAR sec. 3): the first contact of a moving mesh with a scene."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ougi import _check
from ougi._typing import ArrayLike, Bools, Floats, Ints
from ougi.motion import Motion, Rotation3d, Screw3d, Translation3d
from ougi.radar.meshes import Meshes, as_meshes
from ougi.radar.published import Scopes, fitted, scoped
from ougi.radar.scopes import drawn, ignored, pixels_of
from ougi.results import Result
from ougi.shapes import Mesh

Mode: TypeAlias = Literal["exact", "bracket", "published"]

_MODES = get_args(Mode)

FREE, HIT, OVERLAPPING, UNDECIDED = 0, 1, 2, 3

# Pixels along a side where none are asked for. Few triangles are few pairs, which cost less than pixels.
_FEW_PIXELS, _MANY_PIXELS, _FEW_FACES = 6, 24, 64

# Lengths along the axis for each radian and length of the sensor: above this a screw is all but straight.
_STEEPEST = 1e3

# An arc of this part of coordinates and motion is none.
_ROUNDING = 1e-15

# What `kind` counts.
KINDS = ("", "corner-face", "face-corner", "edge-edge")


@dataclass(frozen=True, eq=False)
class Collision(Result):
    """First contacts of sensors with a scene.

    Attributes
    ----------
    status
        (...), 0 free, 1 hit, 2 overlapping or touching at the start, 3 undecided (bracket only: the images
        leave both open).
    hit
        (...), status 1 or 2.
    distance
        (...), how far the sensor can move: a length, or an angle in radians (a screw that turns by no more
        than rounding is straight, and has a length); inf without a contact.
    t
        (...), the same as a part of the motion, in [0, 1]; NaN without a contact.
    lower, upper
        (...), between which the true t lies; both are t for exact answers. inf: no contact.
    center, normal
        (..., 3), where they touch (of faces that meet flat, one such point, often a corner), and the unit
        normal from the sensor to the target. NaN without a contact, with status 2, and in brackets.
    body
        (...), the number of the body that is touched; -1 for none, and in brackets.
    faces
        (..., 2), the faces of the sensor's and the body's meshes that touch; -1 for none, and in all modes
        but `exact`.
    kind
        (...), what touches: 1 the sensor's corner a face, 2 its face a corner, 3 two edges; 0 nothing, and in
        all modes but `exact`.
    """

    status: Ints
    hit: Bools
    distance: Floats
    t: Floats
    lower: Floats
    upper: Floats
    center: Floats
    normal: Floats
    body: Ints
    faces: Ints
    kind: Ints


def collide(
    sensor: Mesh | Meshes,
    scene: Any,
    motion: Motion,
    *,
    mode: Mode = "exact",
    pixels: ArrayLike | None = None,
    ignore: ArrayLike = (),
    surface: bool = False,
) -> Collision:
    """When does a moving mesh first touch a scene? Through depth images, with nothing built beforehand.

    Parameters
    ----------
    sensor
        A Mesh, or Meshes: then each of them is a sensor of its own.
    scene
        Meshes, or what they are made of: a Mesh or several.
    motion
        Translation3d, Rotation3d or Screw3d: one, or one for each sensor.
    mode
        `exact` (pixels only tell where to look), `bracket` (`lower` and `upper` from images alone), or
        `published` (RADAR's listing, errata repaired; it moves straight, by a Translation3d, sees faces from
        the side to which they are wound, and no target that the sensor is inside of).
    pixels
        Columns and rows of the images, or one number for both; one or one pair for each sensor. Exact answers
        do not depend on it; by default few for few faces.
    ignore
        Numbers of bodies that are not looked at, such as the sensor's own; (n, k) for each of n sensors.
    surface
        Take a Mesh, of the sensor or the scene, as a surface that encloses nothing: open meshes are welcome.

    Returns
    -------
    Collision
        One entry for a Mesh and a single motion, else one for each sensor. A sensor that has moved by exactly
        `distance` touches the target, and so the next answer is status 2, wherever it goes: keep a margin. A
        straight motion that stops margin / (normal @ direction) before leaves that much room.

    >>> import ougi
    >>> from ougi.radar import collide
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> sensor = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> wall = ougi.Mesh([[4, -9, -9], [4, 9, -9], [4, 0, 9]], [[0, 1, 2]])
    >>> found = collide(sensor, wall, ougi.Translation3d([5, 0, 0]), surface=True)
    >>> float(found.distance), float(found.t), found.center.tolist()
    (3.0, 0.6, [4.0, 0.0, 0.0])
    """
    sensors, targets = as_meshes("sensor", sensor, surface), as_meshes("scene", scene, surface)
    if mode not in _MODES:
        raise ValueError(f"mode must be one of {', '.join(_MODES)}, got {mode!r}")
    batch = batch_of(sensor, motion, sensors)
    ways = ways_of(motion, sensors)
    sides, left_out = sides_of(pixels, sensors), ignored(ignore, len(ways))
    if mode == "exact":
        found = resolved(ways, sides, sensors, targets, left_out)
    elif mode == "bracket":
        found = _bracketed(ways, sides, sensors, targets, left_out)
    else:
        found = _published(require_straight(motion), sides, sensors, targets, left_out)
    return shaped(found, batch)


def batch_of(sensor: Mesh | Meshes, motion: Any, sensors: Meshes) -> tuple[int, ...]:
    """The shape of an answer: one entry for a Mesh and a single motion, else one for each sensor."""
    return () if isinstance(sensor, Mesh) and _motion(motion).shape == () else (len(sensors),)


def _motion(motion: Any) -> Translation3d | Rotation3d | Screw3d:
    if not isinstance(motion, Translation3d | Rotation3d | Screw3d):
        raise TypeError(
            f"motion must be Translation3d, Rotation3d or Screw3d, got {type(motion).__name__}; "
            "for a Chain ask ougi.time_of_impact"
        )
    return motion


def require_straight(motion: Any) -> Translation3d:
    """RADAR's listing, and a renderer, know straight motions only."""
    if not isinstance(motion, Translation3d):
        raise TypeError(
            f"RADAR's listing answers for Translation3d, got {type(motion).__name__}; collide answers it "
            "with mode exact or bracket"
        )
    return motion


def ways_of(motion: Any, sensors: Meshes) -> Floats:
    """The frames of motions in which they are simple, (n, 16) as `load_way` reads them."""
    from ougi.radar._ways import lay_out

    way, n = _motion(motion), len(sensors)
    if way.shape not in ((), (n,)):
        raise ValueError(
            f"motion must be one, or {n} for as many sensors, got a batch of shape {way.shape}; "
            "several motions of one mesh need it as often: Meshes([mesh] * n)"
        )
    ways = np.empty((n, 16))
    lay_out(_plain_screws(way, sensors), sensors.lower, sensors.upper, ways)
    full = ways[:, 15]
    if not full.all():
        _check.refuse(full == 0, "motion", "go somewhere: its offset, or angle and advance, not be 0", full)
    return ways


def _plain_screws(motion: Translation3d | Rotation3d | Screw3d, sensors: Meshes) -> Floats:
    """Columns of a motion, where screws that turn by less than rounding are straight; steep ones refused."""
    columns = motion.columns()
    if not isinstance(motion, Screw3d):
        return columns
    steep = is_steep(columns, sensors)
    if not steep.any():
        return columns
    angle, rise = np.abs(columns[6:8])
    reach, far = _reach(columns, sensors)
    straight = steep & (angle * reach <= _ROUNDING * (far + rise))
    _check.refuse(
        steep & ~straight,
        "motion",
        f"rise by at most {_STEEPEST:g} times the sensor's size for each radian, for images across a steeper "
        "screw would be useless (ask ougi.time_of_impact)",
        np.broadcast_to(rise / np.where(straight | (angle == 0), 1.0, angle), steep.shape),
    )
    plain = np.array(np.broadcast_to(columns, (8, max(columns.shape[1], len(steep)))))
    plain[6, straight] = 0.0
    return _check.frozen(plain)


def is_steep(columns: Floats, sensors: Meshes) -> Bools:
    """Which screws are all but straight, so that images across them would be useless?"""
    angle, rise = np.abs(columns[6:8])
    size = np.linalg.norm(sensors.upper - sensors.lower, axis=1)
    steep: Bools = (angle > 0) & (rise > _STEEPEST * size * angle)
    return steep


def _reach(columns: Floats, sensors: Meshes) -> tuple[Floats, Floats]:
    """How far from the screws' axes sensors come, at most, and the largest of their coordinates."""
    middle, half = (sensors.lower + sensors.upper) / 2, (sensors.upper - sensors.lower) / 2
    off = np.cross(middle - columns[:3].T, columns[3:6].T)
    far = np.maximum(np.abs(sensors.lower), np.abs(sensors.upper)).max(axis=1)
    return np.linalg.norm(off, axis=1) + np.linalg.norm(half, axis=1), far


def sides_of(pixels: ArrayLike | None, sensors: Meshes) -> Ints:
    """Columns and rows, those asked for or a choice."""
    if pixels is not None:
        return pixels_of(pixels, len(sensors))
    if sensors.most_faces <= _FEW_FACES:
        return np.full((len(sensors), 2), _FEW_PIXELS)
    sides = np.full((len(sensors), 2), _MANY_PIXELS)
    sides[sensors.face_counts <= _FEW_FACES] = _FEW_PIXELS
    return sides


# --- the exact radar ------------------------------------------------------------------------------------

_kept = threading.local()

# Surfaces enclose nothing: nobody asks which of their pieces are inside.
_NO_SEEDS = np.zeros(0, np.int64), np.zeros(1, np.int64)

# Pairs of triangles of which it is remembered that they have been looked at.
_SEEN = 1 << 16


def _room(faces: int, fragments: int, pixels: int, corners: int) -> Any:
    """Room for the loops, of this thread; made larger when more is asked for."""
    from ougi.radar._fragments import Side
    from ougi.radar._resolve import Room

    have = getattr(_kept, "sizes", (0, 0, 0, 0))
    if have[0] < faces or have[1] < fragments or have[2] < pixels or have[3] < corners:
        want = (faces, fragments, pixels, corners)
        sizes = tuple(max(h, int(1.25 * w) + 64) for h, w in zip(have, want, strict=True))
        sides = [
            Side(
                np.empty((sizes[0], 9)), np.empty((sizes[0], 6)), np.empty(sizes[0], np.int64),
                np.empty((sizes[1], 2), np.int64), np.empty((sizes[1], 2)), np.empty(sizes[1], np.int64),
                np.empty(sizes[2] + 2, np.int64),
            )
            for _ in range(2)
        ]  # fmt: skip
        heap, seen = np.empty(sizes[2], np.int64), np.empty(_SEEN, np.bool_)
        front, back, bounds = np.empty((3, sizes[2]))
        _kept.room = Room(sides[0], sides[1], np.empty((sizes[3], 5)), front, back, bounds, heap, seen)
        _kept.sizes = sizes
    return _kept.room


def resolved(ways: Floats, pixels: Ints, sensors: Meshes, scene: Meshes, left_out: Ints) -> Collision:
    """Exact first contacts, one for each way."""
    return _collision(*looked(ways, pixels, sensors, scene, left_out, searches=True))


def looked(
    ways: Floats, pixels: Ints, sensors: Meshes, scene: Meshes, left_out: Ints, *, searches: bool
) -> tuple[Ints, Floats]:
    """What `resolve` writes."""
    from ougi.radar._resolve import resolve

    n = len(ways)
    numbers, places = np.empty((n, 8), np.int64), np.empty((n, 10))
    room = _room(
        sensors.most_faces,
        4 * sensors.most_faces,
        int(pixels.max()) ** 2,
        max(sensors.most_corners, scene.most_corners),
    )
    encloses = sensors.encloses or scene.encloses
    own, others = (sensors.seeds, scene.seeds) if encloses else (_NO_SEEDS, _NO_SEEDS)
    done = 0
    while done < n:
        done = resolve(
            ways, pixels, sensors.packed, scene.packed, own, others, left_out, room, searches,
            numbers, places, done,
        )  # fmt: skip
        if done < n:
            room = _room(int(numbers[done, 6]), int(numbers[done, 7]), 0, 0)
    return numbers, places


def _collision(numbers: Ints, places: Floats) -> Collision:
    status, t = numbers[:, 0], places[:, 1]
    hit = status != FREE
    bound = np.where(hit, t, np.inf)
    return Collision(
        status, hit, places[:, 0], t, bound, bound, places[:, 3:6], places[:, 6:9], numbers[:, 2],
        numbers[:, 3:5], numbers[:, 1],
    )  # fmt: skip


def _bracketed(ways: Floats, pixels: Ints, sensors: Meshes, scene: Meshes, left_out: Ints) -> Collision:
    """Bounds from images alone: conservative ones from below, point samples from above.

    Every pixel's middle through which sensor and target are seen, the target behind the sensor, has a true
    gap: no contact can come later.
    """
    numbers, places = looked(ways, pixels, sensors, scene, left_out, searches=False)
    found, full = _collision(numbers, places), ways[:, 15]
    overlapping = found.status == OVERLAPPING
    room = _rounding(ways, sensors, scene)
    low = np.maximum(places[:, 2] - room, 0.0)
    high = np.minimum(places[:, 9], _samples(ways, pixels, sensors, scene, left_out)) + room
    lower, upper = (np.where(overlapping, 0.0, bound / full) for bound in (low, high))
    lower, upper = np.where(lower > 1, np.inf, lower), np.where(upper > 1, np.inf, upper)
    upper = np.where(np.isinf(lower), np.inf, upper)
    status = np.where(overlapping, OVERLAPPING, np.where(np.isinf(lower), FREE, UNDECIDED))
    status = np.where((status == UNDECIDED) & (upper <= 1), HIT, status)
    hit = (status == HIT) | overlapping
    distance = np.where(hit, upper * full, np.inf)
    return replace(
        found,
        status=status,
        hit=hit,
        distance=distance,
        t=np.where(hit, upper, np.nan),
        lower=lower,
        upper=upper,
    )


def _rounding(ways: Floats, sensors: Meshes, scene: Meshes) -> Floats:
    """By how much rounding may move the bounds of lengths or angles."""
    from ougi.radar._ways import BAND

    turns = ways[:, 14] > 0
    far = max(float(np.abs(meshes.vertices).max()) for meshes in (sensors, scene))
    size = np.linalg.norm(sensors.upper - sensors.lower, axis=1)
    room = BAND * (far + np.where(turns, size, ways[:, 15]))
    return np.where(turns, room / np.maximum(size, 1e-280), room)


def _samples(ways: Floats, pixels: Ints, sensors: Meshes, scene: Meshes, left_out: Ints) -> Floats:
    """The least gap behind the sensor's farthest depth in the middle of a pixel; inf for ways that turn."""
    from ougi.radar._draw import FARTHEST

    behind, windows = fitted(ways, sensors, pixels)
    least = np.full(len(ways), np.inf)
    nobody = np.full((1, 1), -1)
    for i in np.flatnonzero(ways[:, 14] == 0).tolist():
        one = sensors[i]
        far, _, _ = drawn(behind[i : i + 1], windows[i : i + 1], one, nobody, keeps=FARTHEST)
        blind = np.where(np.isinf(far), np.inf, far)
        near, _, _ = drawn(behind[i : i + 1], windows[i : i + 1], scene, left_out[i : i + 1], behind=blind)
        gaps = near - far
        least[i] = np.min(gaps, where=np.isfinite(gaps), initial=np.inf)
    return least


def _published(
    motion: Translation3d, pixels: Ints, sensors: Meshes, scene: Meshes, left_out: Ints
) -> Collision:
    """RADAR's listing, one sensor after the other."""
    each = range(len(sensors))
    ways = [motion[i] if motion.shape else motion for i in each]
    return listed(scoped(sensors[i], scene, ways[i], pixels[i : i + 1], left_out[i : i + 1]) for i in each)


def listed(seen: Iterable[Scopes]) -> Collision:
    """What RADAR's listing says of scopes."""
    rows = []
    for each in seen:
        distance = each.distance
        hit = distance <= each.movement
        status = (OVERLAPPING if distance < 0 else HIT) if hit else FREE
        nothing = np.full(3, np.nan)
        nearest = each.ids.ravel()[np.argmin(np.where(np.isnan(each.look_at), np.inf, each.look_at))]
        distance = max(distance, 0.0) if hit else np.inf
        t = distance / each.movement if hit else np.nan
        bound = t if hit else np.inf
        touching = status == HIT
        rows.append(
            (status, hit, distance, t, bound, bound, each.center() if touching else nothing,
             each.normal() if touching else nothing, nearest if hit else -1, [-1, -1], 0)
        )  # fmt: skip
    return Collision(*(np.array(column) for column in zip(*rows, strict=True)))


def shaped(found: Collision, batch: tuple[int, ...]) -> Collision:
    """One entry as such where no batch was asked."""
    if batch:
        return found
    values = {name: value[0] for name, value in found.__dict__.items()}
    return Collision(**values)
