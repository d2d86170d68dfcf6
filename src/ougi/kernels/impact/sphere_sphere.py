"""First contact of a moving ball with a ball."""

from __future__ import annotations

from ougi._native import procedure
from ougi.kernels.impact.ball import make_ball_finder
from ougi.kernels.impact.cores import corner_point, offset_point, top_point
from ougi.kernels.impact.movers import Mover, make_impact, path_from, to_world
from ougi.kernels.records import Impact3d, Sphere
from ougi.kernels.vec3 import ZERO, sub

_find = make_ball_finder(offset_point, top_point, corner_point)


@procedure
def impact_sphere_sphere(mover: Mover, ball: Sphere) -> Impact3d:
    o, r = ball.center, mover.body.radius
    x, path = sub(mover.body.center, o), path_from(mover, o)
    contact = _find(ZERO, ball.radius, x, r, x, r + ball.radius, path, mover.tol, mover.margin)
    return make_impact(to_world(contact, o), mover)
