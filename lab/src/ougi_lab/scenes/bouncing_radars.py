"""The scene of RADAR sec. 4.3: spheres in a cube, some of which fly about and steer by radars.

The paper has 50 spheres of 128 polygons in a cube, 6,406 polygons in all; 10 to 50 of the spheres bounce off
each other, off those at rest and off the walls. Sizes and speeds are ours. One sphere moves after the other,
as far as its radar says it may, less a margin, and is mirrored at the contact's normal; what is left of the
frame after a bounce is lost.

All radars of a frame look at once. Who has come near a sphere's way since then makes it look again.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Floats
from ougi.errors import InvalidInputError
from ougi.motion import Translation3d
from ougi.radar import Collision, Meshes, collide
from ougi.shapes import Mesh
from ougi_lab.scenes.meshes import make_box, make_sphere

SPHERES = 50
EDGE = 1000.0
RADIUS = 40.0
FASTEST = 20.0  # of the speeds, per frame; the slowest has a quarter of it

# How far a sphere stays from what it would touch. Far above rounding, far below a pixel.
MARGIN = 1e-6 * RADIUS


# Frames after which chance, by rounding, has not yet made another world of it.
BEGINNING = 40


class Audit(NamedTuple):
    """The least gaps, negative if bodies overlap: of two spheres, and of a sphere and the cube."""

    spheres: float
    walls: float


class BouncingRadars:
    """Spheres of 128 faces in a cube about the origin; the first `movers` of them fly.

    Parameters
    ----------
    movers
        How many fly, up to all 50.
    seed
        Decides places and velocities.
    mode, pixels
        Of the radars, as for `ougi.radar.collide`.

    >>> from ougi_lab.scenes.bouncing_radars import BouncingRadars
    >>> world = BouncingRadars(movers=10, seed=1)
    >>> world.step()
    >>> min(world.audit()) > 0
    True
    """

    def __init__(self, movers: int, seed: Any, *, mode: Any = "exact", pixels: int | None = None) -> None:
        if not 1 <= movers <= SPHERES:
            raise InvalidInputError(f"movers must be 1 to {SPHERES}, got {movers}")
        rng = np.random.default_rng(seed)
        self.movers, self.mode, self.pixels = movers, mode, pixels
        self.center: Floats = _strewn(rng)
        way = rng.normal(size=(movers, 3))
        speed = rng.uniform(0.25 * FASTEST, FASTEST, (movers, 1))
        self.velocity: Floats = speed * way / np.linalg.norm(way, axis=1)[:, None]
        self.shape = make_sphere(8, 9, RADIUS)
        self.bounces = self.looked_again = self.stuck = 0
        self.scene = Meshes([*[self.shape] * SPHERES, make_cube()], surface=True)
        self._ball = len(self.shape.vertices)
        self._place()

    def _place(self) -> None:
        points = (self.center[:, None] + self.shape.vertices).reshape((-1, 3))
        self.scene = self.scene.deformed(np.concatenate([points, make_cube().vertices]))

    def sensors(self) -> Meshes:
        """The meshes of those who fly."""
        return self.scene[: self.movers]

    def look(self) -> Collision:
        """What the radars of all who fly say of this frame."""
        own = np.arange(self.movers)[:, None]
        return collide(
            self.sensors(), self.scene, Translation3d(self.velocity), mode=self.mode, pixels=self.pixels,
            ignore=own,
        )  # fmt: skip

    def step(self) -> None:
        """One frame: all look, then one after the other moves and perhaps bounces."""
        found = self.look()
        free, normal, status = found.distance, found.normal, found.status
        moved: list[int] = []
        for i in range(self.movers):
            if self._is_in_the_way(i, moved):
                self.looked_again += 1
                self._place()
                again = self._look_alone(i)
                self._move(i, float(again.distance[0]), again.normal[0], int(again.status[0]))
            else:
                self._move(i, float(free[i]), normal[i], int(status[i]))
            moved.append(i)
        self._place()

    def _look_alone(self, i: int) -> Collision:
        return collide(
            self.scene[i], self.scene, Translation3d(self.velocity[i]), mode=self.mode,
            pixels=self.pixels, ignore=[i],
        )  # fmt: skip

    def _is_in_the_way(self, i: int, moved: list[int]) -> bool:
        """Does one who has moved since the radars looked come near the way of sphere i?"""
        if not moved:
            return False
        way = self.velocity[i]
        to = self.center[moved] - self.center[i]
        along = np.clip(to @ way / (way @ way), 0.0, 1.0)
        gap_sq = ((to - along[:, None] * way) ** 2).sum(axis=1)
        return bool((gap_sq < (2 * RADIUS + 2 * MARGIN) ** 2).any())

    def _move(self, i: int, distance: float, normal: Floats, status: int) -> None:
        """Move by what is free; at a contact stop short of it and fly on as mirrored there."""
        velocity = self.velocity[i]
        if status == 0:
            self.center[i] += velocity
            return
        self.bounces += 1
        if status != 1 or not np.isfinite(normal).all():
            # It seems to overlap already (exact radars never say so): back to where it came from.
            self.stuck += 1
            self.velocity[i] = -velocity
            return
        speed = float(np.linalg.norm(velocity))
        way = velocity / speed
        head_on = max(float(normal @ way), 1e-9)
        self.center[i] += max(distance - MARGIN / head_on, 0.0) * way
        self.velocity[i] = velocity - 2 * (velocity @ normal) * normal

    def audit(self) -> Audit:
        """How near bodies are to each other, by the shape that the spheres' difference is: no radar."""
        first, second = np.triu_indices(SPHERES, 1)
        apart = self.center[second] - self.center[first]
        near = np.linalg.norm(apart, axis=1)
        close = near < 2 * RADIUS * 1.01
        normals, reach = difference_planes()
        gaps = (apart[close] @ normals.T - reach).max(axis=1)
        low, high = self.shape.vertices.min(axis=0), self.shape.vertices.max(axis=0)
        walls = min((self.center + low).min() + EDGE / 2, EDGE / 2 - (self.center + high).max())
        # The spheres lie in balls of their radius: centers that are further apart need no proof.
        others = float((near[~close] - 2 * RADIUS).min(initial=np.inf))
        return Audit(min(float(gaps.min(initial=np.inf)), others), float(walls))

    @property
    def energy(self) -> float:
        """Kinetic, for spheres of mass 1: mirrored ones keep it."""
        return float((self.velocity**2).sum()) / 2


@functools.cache
def difference_planes() -> tuple[Floats, Floats]:
    """Normals and distances of the planes around all differences of two points of a sphere's mesh.

    The meshes are convex and do not turn, so that two of them overlap exactly if the vector between their
    centers lies inside; their distance is at least the largest height over a plane.
    """
    from scipy.spatial import ConvexHull

    points = make_sphere(8, 9, RADIUS).vertices
    hull = ConvexHull((points[:, None] - points).reshape((-1, 3)))
    return hull.equations[:, :3], -hull.equations[:, 3]


@functools.cache
def make_cube() -> Mesh:
    """The cube, seen from inside."""
    cube = make_box((EDGE, EDGE, EDGE))
    return Mesh(cube.vertices, cube.faces[:, ::-1])


def _strewn(rng: np.random.Generator) -> Floats:
    """Places of spheres within the cube that do not touch."""
    limit = EDGE / 2 - 1.05 * RADIUS
    found = np.empty((0, 3))
    while len(found) < SPHERES:
        one = rng.uniform(-limit, limit, 3)
        if (np.linalg.norm(found - one, axis=1) > 2.1 * RADIUS).all():
            found = np.concatenate([found, one[None]])
    return found


def simulate_radars(
    movers: int, frames: int, seed: Any, *, mode: Any = "exact", pixels: int | None = None
) -> dict[str, Any]:
    """Let a world run and audit every frame.

    Returns
    -------
    dict
        Bounces, of all frames and of the beginning; how often a radar looked again and a sphere was stuck;
        frames in which spheres overlapped and in which one was beyond a wall; the least gaps and the change
        of energy.
    """
    world = BouncingRadars(movers, seed, mode=mode, pixels=pixels)
    before = world.energy
    gaps, first = [], 0
    for frame in range(frames):
        world.step()
        gaps.append(world.audit())
        first = world.bounces if frame < BEGINNING else first
    spheres, walls = np.array(gaps).T
    return {
        "movers": movers, "frames": frames, "mode": mode, "pixels": pixels, "bounces": world.bounces,
        "first_bounces": first,
        "looked_again": world.looked_again, "stuck": world.stuck, "overlaps": int((spheres < 0).sum()),
        "outside": int((walls < 0).sum()), "least_gap": float(spheres.min()),
        "least_wall": float(walls.min()), "energy": float(world.energy / before),
    }  # fmt: skip
