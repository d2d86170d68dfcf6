"""`ougi verify ray`: are the first hits of rays those of segments, and do the points lie on the surfaces?

The oracle are distances and tests of segments and points, which `ougi verify narrow`, `hull`, `sector` and
`half-space` prove; for points of cones, whose distances are less precise than hits, it is the profile of the
cone. A hit lies on the surface, the segment before it is free, and the whole ray is free if it
has none. A ray that starts in a body hits it at t = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.query.raycast import LAYOUTS
from ougi.shapes import Cone, HalfSpace, Sector2d, Sector3d, Segment2d, Segment3d, Shape
from ougi_lab.scenes.pairs import draw_shapes
from ougi_lab.verify.certificates import BAND, EPS
from ougi_lab.verify.half_space import HALF_SPACE_FILES, draw_bodies
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally, describe_pair

_CLASSES: dict[str, type[Shape]] = {cls.__name__.lower(): cls for cls in LAYOUTS}

# Rays leave half-spaces after this number of sizes, and others after their balls.
_FAR = 100.0

# The segments of the oracle are at most so many times as long as the largest number of a case.
RAY_REACH = 8.0

# A hit may be too early by this number of bands where a ray grazes, and by this share of its length.
_BANDS, _SHARE = 30.0, 1e-6


def run_ougi(origin: Floats, direction: Floats, shape: Any) -> tuple[Floats, Floats]:
    """The t (n,) and normals (n, d) of rays, each cast at one body."""
    from ougi.query.raycast import raycast

    hits = [raycast(origin[i], direction[i], shape[i]) for i in range(len(origin))]
    return np.array([float(hit.t) for hit in hits]), np.array([hit.normal for hit in hits])


@dataclass(frozen=True)
class Rays:
    """The subject `ray` of the runner. Tests replace `query` to plant mistakes."""

    query: Callable[[Floats, Floats, Any], tuple[Floats, Floats]] = field(default=run_ougi)
    name: str = "ray"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True
    folders: tuple[str, ...] = (
        "kernels", "kernels/convex", "kernels/rays", "query/raycast.py", *HALF_SPACE_FILES
    )  # fmt: skip

    def pairs(self) -> tuple[str, ...]:
        """Names like `ray-box`."""
        return tuple(f"ray-{name}" for name in _CLASSES)

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n rays, each with a body of its own."""
        tally = Tally(cases=n)
        self.judge(tally, *self.draw(pair, n, rng))
        return tally

    def draw(self, pair: str, n: int, rng: np.random.Generator) -> tuple[Any, Floats, Floats, Floats, Floats]:
        """Draw n bodies, the centers and radii of balls in which most rays aim, and rays."""
        shape, center, radius = _draw(pair.removeprefix("ray-"), n, rng)
        return shape, center, radius, *draw_rays(center, radius, rng)

    def judge(
        self, tally: Tally, shape: Any, center: Floats, radius: Floats, origin: Floats, direction: Floats
    ) -> None:
        """Count what is wrong with the first hits of rays."""
        from ougi import query

        t, normal = self.query(origin, direction, shape)
        hit, length = np.isfinite(t), np.linalg.norm(direction, axis=1)
        size = np.abs(center).max(axis=1) + np.abs(origin).max(axis=1) + 4 * radius
        end = np.where(hit, t, (np.linalg.norm(origin - center, axis=1) + 2 * radius) / length * 1.5)
        if isinstance(shape, HalfSpace):
            end = np.where(hit, t, _FAR * radius / length)
        band = BAND * EPS * (size + end * length)
        inside = t == 0
        point = origin + end[:, None] * direction
        away = np.abs(
            _measure_cones(shape, point) if isinstance(shape, Cone) else query.distance(shape, point)
        )
        before = np.where(hit, np.maximum(end * (1 - _SHARE) - _BANDS * band / length, 0.0), end)
        make = Segment2d if shape.dimension == 2 else Segment3d
        segment = make(origin, origin + before[:, None] * direction)
        gap = query.distance(segment, shape)
        crossing = np.maximum(-gap, 0.0) / (_BANDS * band)
        if isinstance(shape, Sector2d | Sector3d):  # they have no depths
            crossing = np.where((gap <= 0) & query.intersects(segment, shape), NONFINITE_ERROR, 0.0)
        leaning = np.abs(np.linalg.norm(normal, axis=1) - 1) / (BAND * EPS)
        leaning = np.maximum(leaning, (normal * direction).sum(axis=1) / length / (_BANDS * BAND * EPS))
        errors = {
            "surface": np.where(hit & ~inside, away / (_BANDS * band), 0.0),
            "inside": np.where(inside & ~query.contains(shape, origin), NONFINITE_ERROR, 0.0),
            "before": np.where(inside | (before <= 0), 0.0, crossing),
            "normal": np.where(hit & ~inside, leaning, 0.0),
        }
        tally.add_counts({"hits": int(hit.sum()), "inside": int(inside.sum())})
        tally.judge(errors, describe_pair(t, make(origin, origin + direction), shape, lambda i: ""))


def _measure_cones(cone: Cone, point: Floats) -> Floats:
    """The signed distances of points from cones: in the plane of the axis, from the lines of a triangle."""
    over = point - cone.center
    height = (over * cone.axis).sum(axis=-1) + cone.half_height
    across = np.linalg.norm(over - ((over * cone.axis).sum(axis=-1))[:, None] * cone.axis, axis=-1)
    rise = 2 * cone.half_height
    slant = np.hypot(rise, cone.radius)
    side = (rise * (across - cone.radius) + cone.radius * height) / np.where(slant > 0, slant, 1.0)
    distance: Floats = np.maximum(np.where(slant > 0, side, np.hypot(across, height)), -height)
    return distance


def _draw(name: str, n: int, rng: np.random.Generator) -> tuple[Any, Floats, Floats]:
    """n bodies, and balls in which most rays aim."""
    cls = _CLASSES[name]
    if issubclass(cls, HalfSpace):
        other, shape = draw_bodies("circle" if cls.dimension == 2 else "sphere", n, rng)
        ball = other.bounding_sphere()
    else:
        is_fan = cls in (Sector2d, Sector3d)
        shape = draw_bodies(name, n, rng)[0] if is_fan else draw_shapes(cls, n, rng)
        ball = shape.bounding_sphere()
    return shape, ball.center, ball.radius + 1e-3


def draw_rays(center: Floats, radius: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Rays from around balls to points near their centers, of any length; some along an axis."""
    n, d = center.shape
    origin = center + rng.normal(size=(n, d)) * radius[:, None] * rng.uniform(0, 4, (n, 1))
    direction = center + rng.normal(size=(n, d)) * radius[:, None] / 2 - origin
    direction *= 10 ** rng.uniform(-2, 2, (n, 1))
    straight = rng.random(n) < 0.15
    direction[straight] = (np.eye(d)[rng.integers(0, d, n)] * radius[:, None])[straight]
    return origin, direction
