"""First contact of a moving ball with a ball."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.impact.ball import first_touch
from ougi.kernels.impact.cores import corner_point, offset_point, top_point
from ougi.kernels.impact.movers import Mover, answer, put_back, seen_from
from ougi.kernels.impact.screw_steps import course_of
from ougi.kernels.records import Impact3d, Sphere, Vec3
from ougi.kernels.vec3 import sub


@procedure
def impact_sphere_sphere(mover: Mover, ball: Sphere) -> Impact3d:
    o, r = ball.center, mover.body.radius
    touch = first_touch(
        offset_point,
        top_point,
        corner_point,
        Vec3(0.0, 0.0, 0.0),
        ball.radius,
        r + ball.radius,
        sub(mover.body.center, o),
        r,
        seen_from(course_of(mover.motion, mover.sense), o),
        mover.tol,
        mover.margin,
    )
    return answer(put_back(touch, o), mover.motion, mover.sense)
