"""The result of a collision query by radars."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ougi._typing import Floats, Ints
from ougi.results import FirstContacts

# The names of `Collision.kind`.
KINDS = ("", "corner-face", "face-corner", "edge-edge")


@dataclass(frozen=True, eq=False, repr=False)
class Collision(FirstContacts):
    """First contacts of sensors with a scene: `FirstContacts`, and what touches.

    With the method `bracket`, status 3 means that the images leave both open, and point and normal are NaN.
    With status 2 they are NaN for all methods. Of faces that meet flat, `point` is one such point, often a
    corner.

    Attributes
    ----------
    distance
        (...), how far the sensor can move: a length, or an angle in radians (a screw that turns by no more
        than rounding is straight, and has a length); inf without a contact.
    lower, upper
        (...), bounds of the true t; both are t for exact results. inf: no contact.
    body
        (...), the number of the body that is touched; -1 for none, and for `bracket`.
    face
        (..., 2), the faces of the sensor's and the body's meshes that touch; -1 for none, and for all methods
        but `exact`.
    kind
        (...), what touches: 1 the sensor's corner a face, 2 its face a corner, 3 two edges; 0 nothing, and
        for all methods but `exact`.

    >>> import ougi
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> sensor = ougi.Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> wall = ougi.Mesh([[4, -9, -9], [4, 9, -9], [4, 0, 9]], [[0, 1, 2]])
    >>> ougi.radar.collide(sensor, ougi.Translation3d([5, 0, 0]), wall)
    <Collision: 1 hit of 1, t 0.6>
    """

    distance: Floats
    lower: Floats
    upper: Floats
    body: Ints
    face: Ints
    kind: Ints

    def __repr__(self) -> str:
        hits = np.count_nonzero(self.hit)
        times = np.atleast_1d(self.t)[np.atleast_1d(self.hit)]
        first = f", t {times.min():.6g}" if hits == 1 else f", t from {times.min():.6g}" if hits else ""
        return f"<Collision: {hits} hit of {np.size(self.hit)}{first}>"

    def squeeze(self, batch: tuple[int, ...]) -> Collision:
        """The same contacts, as a single one if the batch shape is ()."""
        if batch:
            return self
        return Collision(*(getattr(self, field.name)[0] for field in fields(self)))
