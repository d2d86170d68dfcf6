"""First contact of a box that moves by a screw with a resting ball: plane-step advancement.

Seen from the box, the ball's center runs on a helix with the sense reversed. At each pose the nearest point
of the box gives a separating plane; the center cannot cross that plane, grown by the radius, before a
closed-form angle (`advance.py`). The plane touches the distance function, so the steps converge like
Newton's, from the safe side: never past the contact, and a miss is a proof.
"""

from __future__ import annotations

import math

from ougi._jit import device, procedure
from ougi.kernels.advance import NEVER, safe_angle, safe_shift
from ougi.kernels.closest3d import clamp_box, to_box, turn_from_box
from ougi.kernels.records import Box, Impact3d, MovingBox, Screw3d, Sphere, Vec3
from ougi.kernels.vec3 import add, along, cross, dot, length, scale, sub

# Status of an answer, as in `ougi.Impact`.
FREE, HIT, OVERLAPPING, UNDECIDED = 0.0, 1.0, 2.0, 3.0

# The worst case seen takes 133 steps; a loop that reaches this answers "undecided", never hit or miss.
MAX_STEPS = 10_000

# From this pass on the plane carried by the ball is tried too: it helps where the gap stays tiny along an arc
# and costs eight corners.
_BOTH_PLANES = 3

# Turning by less than this is moving straight, beyond any rounding.
_NO_TURN = 1e-150

_NAN = Vec3(math.nan, math.nan, math.nan)


@procedure
def impact_box_sphere(moving: MovingBox, ball: Sphere) -> Impact3d:
    """The first time in [0, 1] at which the gap is at most the margin, within tol * scale above it."""
    box, motion = moving.box, moving.motion
    turns = abs(motion.angle) > _NO_TURN
    total = abs(motion.angle) if turns else 1.0
    sense = 1.0 if motion.angle >= 0.0 else -1.0
    # The motion of the ball's center seen from the box, in the box's coordinates: axis and shift reversed.
    u = scale(_turn_to_box(box, motion.axis), -sense)
    pitch = sense * motion.advance / total
    o = to_box(box, motion.center) if turns else Vec3(0.0, 0.0, 0.0)
    c = to_box(box, ball.center)
    w = sub(c, o)
    rest_part = add(o, scale(u, dot(w, u)))
    radial = sub(w, scale(u, dot(w, u)))
    tangent = cross(u, w)
    # With pure rotation nothing new happens after one turn.
    end = min(total, 2.0 * math.pi) if turns and motion.advance == 0.0 else total

    size = length(box.half) + ball.radius + length(radial)
    slack = 0.5 * moving.tol * size
    reach = ball.radius + moving.margin
    s = 0.0
    for step in range(MAX_STEPS):
        cos, sin = (math.cos(s), math.sin(s)) if turns else (1.0, 0.0)
        across = add(scale(radial, cos), scale(tangent, sin))
        forward = sub(scale(tangent, cos), scale(radial, sin))
        x = along(add(rest_part, across), u, pitch * s)
        d = sub(x, clamp_box(box.half, x))
        distance = length(d)
        if distance - reach <= 2.0 * slack:
            t = s / total
            status = OVERLAPPING if step == 0 and distance - ball.radius <= 0.0 else HIT
            return _answer(status, t, box, motion, ball, x, d, distance)
        n = scale(d, 1.0 / distance)
        top = box.half.x * abs(n.x) + box.half.y * abs(n.y) + box.half.z * abs(n.z)
        g = dot(n, x) - top - reach - slack
        k = pitch * dot(n, u)
        if turns:
            ahead = safe_angle(g, dot(n, across), dot(n, forward), k, end - s)
            if step >= _BOTH_PLANES:
                ahead = max(ahead, _carried_step(box.half, o, u, n, x, reach + slack, pitch, s, end - s, k))
        else:
            ahead = safe_shift(g, k)
        if ahead >= end - s:
            return Impact3d(FREE, math.nan, _NAN, _NAN)
        if not ahead > 0.0:
            return _answer(HIT, s / total, box, motion, ball, x, d, distance)
        s += ahead
    return Impact3d(UNDECIDED, s / total, _NAN, _NAN)


@device
def _carried_step(
    half: Vec3,
    o: Vec3,
    u: Vec3,
    n: Vec3,
    x: Vec3,
    reach: float,
    pitch: float,
    s: float,
    rest: float,
    k: float,
) -> float:
    """The same for the plane that moves with the ball: seen from it the box's corners turn."""
    height = dot(n, x) - reach
    at = along(o, u, pitch * s)
    ahead = NEVER
    for i in range(8):
        corner = Vec3(
            half.x if i & 1 else -half.x, half.y if i & 2 else -half.y, half.z if i & 4 else -half.z
        )
        w = sub(corner, at)
        a = dot(n, sub(w, scale(u, dot(w, u))))
        b = dot(n, cross(u, w))
        ahead = min(ahead, safe_angle(height - dot(n, corner), -a, b, k, rest))
    return ahead


@device
def _turn_to_box(b: Box, v: Vec3) -> Vec3:
    return Vec3(dot(v, b.x), dot(v, b.y), dot(v, b.z))


@device
def _answer(
    status: float, t: float, box: Box, motion: Screw3d, ball: Sphere, x: Vec3, d: Vec3, distance: float
) -> Impact3d:
    """Contact point on the ball and normal from the box to the ball, at the pose of time t, in the world.

    Where the ball's center lies in the box at the start there is no such normal: NaN.
    """
    if not distance > 0.0:
        return Impact3d(status, t, _NAN, _NAN)
    n = _turned(motion, t, turn_from_box(box, scale(d, 1.0 / distance)))
    return Impact3d(status, t, along(ball.center, n, -ball.radius), n)


@device
def _turned(motion: Screw3d, t: float, v: Vec3) -> Vec3:
    """A direction carried along by the motion until time t (FAN (2.2))."""
    u = motion.axis
    c, s = math.cos(motion.angle * t), math.sin(motion.angle * t)
    along_axis = scale(u, dot(u, v))
    return add(along_axis, add(scale(sub(v, along_axis), c), scale(cross(u, v), s)))
