"""What discs and balls share."""

from __future__ import annotations

from typing import ClassVar, Self

from ougi import _check
from ougi._typing import ArrayLike, Floats
from ougi.motion import Pose
from ougi.shapes._shape import Shape


class Ball(Shape):
    """All points within a radius of a center."""

    center: Floats
    radius: Floats
    _lengths: ClassVar = ("center", "radius")

    def __init__(self, center: ArrayLike, radius: ArrayLike) -> None:
        if self._put_single(
            center=_check.read_point(center, self.dimension),
            radius=_check.read_number(radius, _check.MIN_LENGTH, _check.MAX_LENGTH),
        ):
            return
        self._set(
            center=_check.vectors("center", center, self.dimension),
            radius=_check.not_negative("radius", radius),
        )

    def _rows(self, layout: str) -> list[Floats]:
        return [self.center, self.radius]

    def _bounds(self) -> tuple[Floats, Floats]:
        reach = self.radius[..., None]
        return self.center - reach, self.center + reach

    def _bounding_sphere(self) -> tuple[Floats, Floats]:
        return self.center, self.radius

    def _transformed(self, pose: Pose) -> Self:
        return self._moved(pose, "center")  # type: ignore[no-any-return]
