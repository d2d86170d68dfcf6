"""The scene of RADAR sec. 4.3: spheres in a cube. Part of them move and use radars.

The paper has 50 spheres of 128 polygons in a cube, 6,406 polygons in all; 10 to 50 of the spheres bounce off
each other, off those at rest and off the walls. Sizes and speeds are ours. Spheres move one after the other,
by the free distance of their radars less a margin. A bounce mirrors the velocity at the contact normal. The
rest of the frame is lost.

All radars of a frame are one call. A sphere whose path another sphere has approached since is tested again.
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
MAX_SPEED = 20.0  # per frame; the minimum is a quarter of it

# Distance that a sphere keeps from an obstacle. Far above rounding, far below a pixel.
MARGIN = 1e-6 * RADIUS


# Frames before rounding makes simulations diverge.
BEGINNING = 40


class Audit(NamedTuple):
    """The smallest gaps, negative if bodies overlap: of two spheres, and of a sphere and the cube."""

    spheres: float
    walls: float


class BouncingRadars:
    """Spheres of 128 faces in a cube about the origin. The first `movers` of them move.

    Parameters
    ----------
    movers
        Number of moving spheres, up to all 50.
    seed
        Decides centers and velocities.
    mode, pixels
        Settings of the radars, as for `ougi.radar.collide`.

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
        self.center: Floats = _draw_centers(rng)
        direction = rng.normal(size=(movers, 3))
        speed = rng.uniform(0.25 * MAX_SPEED, MAX_SPEED, (movers, 1))
        self.velocity: Floats = speed * direction / np.linalg.norm(direction, axis=1)[:, None]
        self.shape = make_sphere(8, 9, RADIUS)
        self.bounces = self.repeated = self.stuck = 0
        self.scene = Meshes([*[self.shape] * SPHERES, make_cube()])
        self._ball = len(self.shape.vertices)
        self._place_spheres()

    def _place_spheres(self) -> None:
        points = (self.center[:, None] + self.shape.vertices).reshape((-1, 3))
        self.scene = self.scene.deformed(np.concatenate([points, make_cube().vertices]))

    def sensors(self) -> Meshes:
        """Return the meshes of the moving spheres."""
        return self.scene[: self.movers]

    def detect_contacts(self) -> Collision:
        """Return the first contacts of all moving spheres in this frame."""
        own = np.arange(self.movers)[:, None]
        return collide(
            self.sensors(), Translation3d(self.velocity), self.scene, method=self.mode, pixels=self.pixels,
            ignore=own,
        )  # fmt: skip

    def step(self) -> None:
        """Advance one frame: find all contacts, then move one sphere after the other."""
        found = self.detect_contacts()
        free, normal, status = found.distance, found.normal, found.status
        moved: list[int] = []
        for i in range(self.movers):
            if self._is_path_changed(i, moved):
                self.repeated += 1
                self._place_spheres()
                again = self._detect_alone(i)
                self._move(i, float(again.distance[0]), again.normal[0], int(again.status[0]))
            else:
                self._move(i, float(free[i]), normal[i], int(status[i]))
            moved.append(i)
        self._place_spheres()

    def _detect_alone(self, i: int) -> Collision:
        return collide(
            self.scene[i], Translation3d(self.velocity[i]), self.scene, method=self.mode,
            pixels=self.pixels, ignore=[i],
        )  # fmt: skip

    def _is_path_changed(self, i: int, moved: list[int]) -> bool:
        """Test if a sphere that has already moved is near the path of sphere i."""
        if not moved:
            return False
        direction = self.velocity[i]
        to = self.center[moved] - self.center[i]
        along = np.clip(to @ direction / (direction @ direction), 0.0, 1.0)
        gap_sq = ((to - along[:, None] * direction) ** 2).sum(axis=1)
        return bool((gap_sq < (2 * RADIUS + 2 * MARGIN) ** 2).any())

    def _move(self, i: int, distance: float, normal: Floats, status: int) -> None:
        """Move by the free distance. At a contact stop before it and mirror the velocity."""
        velocity = self.velocity[i]
        if status == 0:
            self.center[i] += velocity
            return
        self.bounces += 1
        if status != 1 or not np.isfinite(normal).all():
            # It seems to overlap already, which exact radars never report. Reverse the velocity.
            self.stuck += 1
            self.velocity[i] = -velocity
            return
        speed = float(np.linalg.norm(velocity))
        direction = velocity / speed
        head_on = max(float(normal @ direction), 1e-9)
        self.center[i] += max(distance - MARGIN / head_on, 0.0) * direction
        self.velocity[i] = velocity - 2 * (velocity @ normal) * normal

    def audit(self) -> Audit:
        """Return the smallest gaps, by the Minkowski difference of two spheres and without radars."""
        first, second = np.triu_indices(SPHERES, 1)
        apart = self.center[second] - self.center[first]
        near = np.linalg.norm(apart, axis=1)
        close = near < 2 * RADIUS * 1.01
        normals, reach = difference_planes()
        gaps = (apart[close] @ normals.T - reach).max(axis=1)
        low, high = self.shape.vertices.min(axis=0), self.shape.vertices.max(axis=0)
        walls = min((self.center + low).min() + EDGE / 2, EDGE / 2 - (self.center + high).max())
        # The spheres lie in balls of their radius, so centers that are farther apart need no proof.
        others = float((near[~close] - 2 * RADIUS).min(initial=np.inf))
        return Audit(min(float(gaps.min(initial=np.inf)), others), float(walls))

    @property
    def energy(self) -> float:
        """Kinetic energy of spheres of mass 1, which bounces conserve."""
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
    """Return the cube with faces towards its inside."""
    cube = make_box((EDGE, EDGE, EDGE))
    return Mesh(cube.vertices, cube.faces[:, ::-1])


def _draw_centers(rng: np.random.Generator) -> Floats:
    """Draw centers of spheres within the cube that do not touch."""
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
    """Simulate a world and audit every frame.

    Returns
    -------
    dict
        Bounces, of all frames and of the beginning; how often a sphere was tested again or stuck; frames in
        which spheres overlapped or one was beyond a wall; the smallest gaps and the change of energy.
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
        "looked_again": world.repeated, "stuck": world.stuck, "overlaps": int((spheres < 0).sum()),
        "outside": int((walls < 0).sum()), "least_gap": float(spheres.min()),
        "least_wall": float(walls.min()), "energy": float(world.energy / before),
    }  # fmt: skip
