"""Collision detection with radars (RADAR sec. 3): the first contact of a moving mesh with a scene."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from ougi._typing import ArrayLike, Ints
from ougi.motion import Motion, Translation3d
from ougi.radar.bracket import find_brackets
from ougi.radar.collision_result import Collision
from ougi.radar.detection import read_ignored
from ougi.radar.exact import choose_pixels, find_exact_contacts
from ougi.radar.meshes import Meshes, MeshesLike, as_meshes
from ougi.radar.motions import batch_shape, check_translation, make_frames
from ougi.radar.published import collide_scopes, draw_scopes
from ougi.shapes import Mesh

CollideMethod: TypeAlias = Literal["exact", "bracket", "published"]

_METHODS = get_args(CollideMethod)


def collide(
    sensor: Mesh | Meshes,
    motion: Motion,
    scene: MeshesLike,
    *,
    method: CollideMethod = "exact",
    pixels: ArrayLike | None = None,
    ignore: ArrayLike = (),
) -> Collision:
    """Find the first contact of a moving mesh with a scene, through depth images, with nothing built before.

    Parameters
    ----------
    sensor
        A Mesh, or Meshes: then each of them is a sensor of its own. A body inside of a solid mesh overlaps
        it; other meshes are surfaces.
    motion
        Translation3d, Rotation3d or Screw3d: one, or one for each sensor.
    scene
        Meshes, or a Mesh or several of them.
    method
        `exact` (images only order the search), `bracket` (`lower` and `upper` from images alone), or
        `published` (RADAR's listing, errata repaired). `published` is for translations. It sees faces from
        the side to which they are wound, and no target that the sensor is inside of.
    pixels
        Columns and rows of the images, or one number for both; for all, or for each sensor. Exact results do
        not depend on it. Sensors of few faces have few pixels by default.
    ignore
        Numbers of bodies that are ignored, such as the sensor's own; (n, k) for each of n sensors.

    Returns
    -------
    Collision
        One entry for a Mesh and a single motion, else one for each sensor. A sensor that has moved by exactly
        `distance` touches the target, so the next result has status 2 for every motion. Stop a translation
        margin / (normal @ direction) before the contact to preserve a margin.

    >>> import ougi
    >>> from ougi.radar import collide
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> sensor = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> wall = ougi.Mesh([[4, -9, -9], [4, 9, -9], [4, 0, 9]], [[0, 1, 2]])
    >>> contact = collide(sensor, ougi.Translation3d([5, 0, 0]), wall)
    >>> float(contact.distance), float(contact.t), contact.point.tolist()
    (3.0, 0.6, [4.0, 0.0, 0.0])
    """
    sensors, targets = as_meshes("sensor", sensor), as_meshes("scene", scene)
    if method not in _METHODS:
        raise ValueError(f"method must be one of {', '.join(_METHODS)}, got {method!r}")
    batch = batch_shape(sensor, motion, sensors)
    frames = make_frames(motion, sensors)
    sides, ignored = choose_pixels(pixels, sensors), read_ignored(ignore, len(frames))
    if method == "exact":
        found = find_exact_contacts(frames, sides, sensors, targets, ignored)
    elif method == "bracket":
        found = find_brackets(frames, sides, sensors, targets, ignored)
    else:
        found = _collide_published(check_translation(motion), sides, sensors, targets, ignored)
    return found.squeeze(batch)


def _collide_published(
    motion: Translation3d, pixels: Ints, sensors: Meshes, scene: Meshes, ignored: Ints
) -> Collision:
    """RADAR's listing, one sensor after the other."""
    scopes = []
    for i in range(len(sensors)):
        own = motion[i] if motion.shape else motion
        scopes.append(draw_scopes(sensors[i], own, scene, pixels[i : i + 1], ignored[i : i + 1]))
    return collide_scopes(scopes)
