"""Scenes for broad phases: balls and boxes in the plane and in space, ordinary ones and extreme ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ougi._typing import Floats
from ougi.shapes import Aabb2d, Aabb3d, Circle, Sphere

# Centers (n, d) and half edges (n, d); the first of these is the radius of a ball.
Volumes: TypeAlias = tuple[Floats, Floats]
Family: TypeAlias = Callable[[int, int, np.random.Generator], Volumes]

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class VolumeScene:
    """One batch of bodies, or two."""

    family: str
    a: Any
    b: Any = None

    @property
    def count(self) -> int:
        """Number of bodies."""
        return int(self.a.count + (0 if self.b is None else self.b.count))


def _choose_side(n: int, d: int, rng: np.random.Generator) -> float:
    """The edge of a cube in which n bodies of size 1 have from few to many neighbours."""
    return float((max(n, 1) / rng.choice([0.05, 0.3, 2.0])) ** (1 / d))


def _draw_equal(n: int, d: int, rng: np.random.Generator) -> Volumes:
    side = _choose_side(n, d, rng)
    return rng.uniform(0, side, (n, d)), np.full((n, d), 0.5)


def _draw_sizes(n: int, d: int, rng: np.random.Generator) -> Volumes:
    """Up to 100 : 1."""
    size = 10 ** rng.uniform(-1, 1, (n, 1)) * rng.uniform(0.5, 1, (n, d))
    return rng.uniform(0, 3 * _choose_side(n, d, rng), (n, d)), size


def _draw_clusters(n: int, d: int, rng: np.random.Generator) -> Volumes:
    middles = rng.uniform(0, 50 * _choose_side(n, d, rng), (1 + n // 10, d))
    return middles[rng.integers(0, len(middles), n)] + rng.normal(size=(n, d)), rng.uniform(0.1, 0.5, (n, d))


def _draw_rods(n: int, d: int, rng: np.random.Generator) -> Volumes:
    half = np.full((n, d), 0.1)
    half[np.arange(n), rng.integers(0, d, n)] = 2.0
    return rng.uniform(0, _choose_side(n, d, rng), (n, d)), half


def _draw_line(n: int, d: int, rng: np.random.Generator) -> Volumes:
    """Along an axis, or across."""
    direction = np.eye(d)[rng.integers(0, d)] if rng.random() < 0.5 else rng.normal(size=d)
    return rng.uniform(0, n, (n, 1)) * direction, np.full((n, d), 0.5)


def _draw_plane(n: int, d: int, rng: np.random.Generator) -> Volumes:
    """On a face of the box: all have one coordinate in common."""
    centers, half = _draw_equal(n, d, rng)
    centers[:, rng.integers(0, d)] = 0.25
    return centers, half


def _draw_shell(n: int, d: int, rng: np.random.Generator) -> Volumes:
    """At one distance from the origin."""
    v = rng.normal(size=(n, d))
    v /= np.maximum(np.linalg.norm(v, axis=1, keepdims=True), 1e-9)
    return v * 0.3 * max(n, 1) ** (1 / (d - 1)), np.full((n, d), 0.5)


def _draw_duplicates(n: int, d: int, rng: np.random.Generator) -> Volumes:
    centers, half = _draw_sizes(1 + n // 4, d, rng)
    again = rng.integers(0, len(centers), n)
    return centers[again], half[again]


def _draw_lattice(n: int, d: int, rng: np.random.Generator) -> Volumes:
    """Whole and half numbers: many touch, and exactly so."""
    reach = max(2, int(_choose_side(n, d, rng)))
    center = rng.integers(-reach, reach + 1, (n, d)) / 1.0
    half: Floats = rng.choice(np.array([0.0, 0.5, 1.0, 1.5]), (n, d))
    return center, half


def _draw_giant(n: int, d: int, rng: np.random.Generator) -> Volumes:
    centers, half = _draw_equal(n, d, rng)
    if n:
        half[rng.integers(0, n)] = 1e3
    return centers, half


def _draw_point(n: int, d: int, rng: np.random.Generator) -> Volumes:
    """All at one place, some of no size."""
    center = np.tile(rng.normal(size=d), (n, 1))
    half: Floats = rng.choice(np.array([0.0, 0.5, 2.0]), (n, d))
    return center, half


def _draw_grazing(n: int, d: int, rng: np.random.Generator) -> Volumes:
    """Each touches the one before it, or misses it, by a few rounding errors."""
    half = np.repeat(rng.uniform(0.2, 2, (n, 1)), d, axis=1)
    along = rng.normal(size=(n, d))
    if rng.random() < 0.3:
        along = np.eye(d)[rng.integers(0, d, n)] * rng.choice([-1.0, 1.0], (n, 1))
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    centers = np.zeros((n, d))
    for k in range(1, n):
        reach = (half[k, 0] + half[k - 1, 0]) * (1 + EPS * rng.integers(-3, 4))
        centers[k] = centers[k - 1] + reach * along[k]
    return centers, half


def _draw_touching(n: int, d: int, rng: np.random.Generator) -> Volumes:
    """On a lattice, just touching or an ulp apart."""
    center = 0.2 * rng.integers(0, max(2, round(n ** (1 / d))), (n, d)).astype(np.float64)
    near: Floats = np.nextafter(0.1, rng.choice([0.0, 0.1, 1.0], (n, 1)))
    return center, np.repeat(near, d, axis=1)


def _draw_giants(n: int, d: int, rng: np.random.Generator) -> Volumes:
    """One body in fifty reaches over all others."""
    center, half = _draw_equal(n, d, rng)
    half[: n // 50 + 1] = max(n, 1)
    return center, half


def _draw_heap(n: int, d: int, rng: np.random.Generator) -> Volumes:
    """Some at one point, of any sizes."""
    center, half = _draw_sizes(n, d, rng)
    center[: min(n, 70)] = 3
    return center, half


def _draw_void(n: int, d: int, rng: np.random.Generator) -> Volumes:
    """A dense cluster and a few bodies very far away."""
    center, half = _draw_equal(n, d, rng)
    center[: n // 100 + 1] *= 1e9
    return center, half


def _draw_points(n: int, d: int, rng: np.random.Generator) -> Volumes:
    return 0.25 * rng.integers(0, 4, (n, d)).astype(np.float64), np.zeros((n, d))


def _draw_tiny(n: int, d: int, rng: np.random.Generator) -> Volumes:
    """So small that squares vanish."""
    half = rng.choice([0.0, 1e-162, 1e-200], (n, 1))
    return rng.uniform(0, 1e-160, (n, d)), np.repeat(half, d, axis=1)


def _draw_subnormal(n: int, d: int, rng: np.random.Generator) -> Volumes:
    steps, wide = rng.uniform(0, 40, (n, d)).round(), rng.uniform(0, 2, (n, d)).round()
    return steps * 5e-324, wide * 5e-324


def _transform_family(family: Family, *, scale: float = 1.0, offset: float = 0.0) -> Family:
    """Return a family on another scale, or elsewhere."""

    def draw(n: int, d: int, rng: np.random.Generator) -> Volumes:
        center, half = family(n, d, rng)
        return center * scale + offset, half * scale

    return draw


FAMILIES: dict[str, Family] = {
    "equal": _draw_equal,
    "sizes": _draw_sizes,
    "clusters": _draw_clusters,
    "rods": _draw_rods,
    "line": _draw_line,
    "plane": _draw_plane,
    "shell": _draw_shell,
    "duplicates": _draw_duplicates,
    "lattice": _draw_lattice,
    "giant": _draw_giant,
    "point": _draw_point,
    "grazing": _draw_grazing,
}
# Where rounding is large beside the bodies, or sizes differ most. Searches must be exact there, too.
EXTREME_FAMILIES: dict[str, Family] = {
    "touching": _draw_touching,
    "giants": _draw_giants,
    "heap": _draw_heap,
    "void": _draw_void,
    "no size": _draw_points,
    "tiny": _draw_tiny,
    "subnormal": _draw_subnormal,
    "far": _transform_family(_draw_touching, offset=1e6),
    "very far": _transform_family(_draw_equal, offset=1e15),  # one ulp is as wide as a body
    "huge": _transform_family(_draw_sizes, scale=1e36),
}

TOUCHING = ("lattice", "grazing", "duplicates", "point")
MANY = ("equal", "sizes", "clusters", "rods", "line")

# In these nearly all pairs touch, so that many bodies would have millions of pairs.
_DENSE = ("point", "giant", "duplicates", "lattice")

# Shares of scenes of 0 to 2, 3 to 60, 61 to 300 and 1000 to 2500 bodies.
_SHARES = (0.1, 0.8, 0.097, 0.003)
_RANGES = ((0, 3), (3, 61), (61, 301), (1000, 2501))
# Of a large scene: enough that methods share the work among threads.
_LARGE = (52_000, 80_000)


def draw_volumes(family: str, n: int, d: int, seed: int, *, balls: bool) -> Any:
    """Draw n balls or boxes of a family in d dimensions.

    >>> draw_volumes("rods", 4, 2, 0, balls=False)
    <Aabb2d batch of shape (4,)>
    """
    center, half = {**FAMILIES, **EXTREME_FAMILIES}[family](n, d, np.random.default_rng([seed, n, d]))
    return _build_bodies(center, half, balls)


def draw_scene(kind: str, rng: np.random.Generator) -> VolumeScene:
    """Draw a scene; in `near` ones many bodies touch exactly or nearly, `large` ones have many bodies."""
    families = {"near": TOUCHING, "large": MANY}.get(kind, tuple(FAMILIES))
    family = str(rng.choice(families))
    sizes = _LARGE if kind == "large" else _RANGES[rng.choice(len(_RANGES), p=_SHARES)]
    n, d = int(rng.integers(*sizes)), int(rng.integers(2, 4))
    if family in _DENSE:
        n = min(n, 300)
    centers, half = FAMILIES[family](n, d, rng)
    centers, half = _move_scene(centers, half, family == "lattice", rng)
    order = rng.permutation(n)
    centers, half = centers[order], half[order]
    if rng.random() < 0.6:
        return VolumeScene(family, _build_bodies(centers, half, balls=bool(rng.random() < 0.6)))
    cut = int(rng.integers(0, n + 1))
    first, second = rng.choice([True, False], 2, p=[0.6, 0.4])
    return VolumeScene(
        family,
        _build_bodies(centers[:cut], half[:cut], balls=bool(first)),
        _build_bodies(centers[cut:], half[cut:], balls=bool(second)),
    )


def _move_scene(centers: Floats, half: Floats, whole: bool, rng: np.random.Generator) -> Volumes:
    """Return volumes unchanged, on another scale, or a million away. Whole numbers stay exact."""
    where = rng.random()
    if where < 0.6:
        return centers, half
    if where < 0.8:
        return centers + np.float64(2**20 if whole else 1e6) * rng.choice([-1, 0, 1], centers.shape[1]), half
    scale = 2.0 ** int(rng.integers(-60, 60)) if whole else 10 ** rng.uniform(-20, 20)
    return centers * scale, half * scale


def _build_bodies(centers: Floats, half: Floats, balls: bool) -> Any:
    flat = centers.shape[1] == 2
    if balls:
        # Unchecked, as bounding spheres are: they may be smaller than bodies may be.
        fields = {"center": centers.copy(), "radius": half[:, 0].copy()}
        return (Circle if flat else Sphere)._from_fields((len(centers),), fields)
    return (Aabb2d if flat else Aabb3d)(centers - half, centers + half)


# The scenes of `ougi bench broad`. Lengths are those of SORT 4.2: spheres of radius 2 in a box of 100.
RADIUS = 2.0
SIDE = 100.0
# At this number the box of SORT has the density that grown boxes keep.
NUMBER = 5000

Bodies: TypeAlias = Sphere | Aabb3d


def scale_side(n: int, side: float = SIDE) -> float:
    """The side of a box for n bodies, as dense as NUMBER of them in one of the given side."""
    return side * float(np.cbrt(n / NUMBER))


def draw_box_scene(n: int, rng: np.random.Generator) -> Sphere:
    """Scene i: equal spheres within the box of SORT, the denser the more there are.

    >>> draw_box_scene(3, np.random.default_rng(0))
    <Sphere batch of shape (3,)>
    """
    return Sphere(rng.uniform(RADIUS, SIDE - RADIUS, (n, 3)), RADIUS)


def draw_even_scene(n: int, rng: np.random.Generator) -> Sphere:
    """Scene ii: equal spheres, always as dense as NUMBER of them in the box of SORT."""
    return Sphere(rng.uniform(RADIUS, scale_side(n) - RADIUS, (n, 3)), RADIUS)


def draw_cluster_scene(n: int, rng: np.random.Generator) -> Aabb3d:
    """Scene iii: boxes around spheres of sizes up to 100:1, half of them in clusters of about a hundred."""
    side, half = scale_side(n), n // 2
    center = rng.uniform(0, side, (n, 3))
    middles = rng.uniform(0, side, (max(1, half // 100), 3))
    center[:half] = middles[rng.integers(0, len(middles), half)] + rng.normal(0, 2.5, (half, 3))
    radius = np.clip(rng.lognormal(-0.3, 0.75, n), 0.1, 10)[:, None]
    return Aabb3d(center - radius, center + radius)


def draw_rod_scene(n: int, rng: np.random.Generator) -> Aabb3d:
    """Scene iv: boxes of 10 x 0.5 x 0.5, each along one of the axes."""
    center = rng.uniform(0, scale_side(n, 60.0), (n, 3))
    half = np.full((n, 3), 0.25)
    half[np.arange(n), rng.integers(0, 3, n)] = 5
    return Aabb3d(center - half, center + half)


BENCH_SCENES: dict[str, Callable[[int, np.random.Generator], Bodies]] = {
    "i box": draw_box_scene,
    "ii even": draw_even_scene,
    "iii clusters": draw_cluster_scene,
    "iv rods": draw_rod_scene,
}
