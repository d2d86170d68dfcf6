"""Columns of the arrays that loops read and write: circles, results, counts."""

from __future__ import annotations

# Columns of a circle. VX and VY are its velocity, or the displacement of a cast.
PX, PY, VX, VY, RADIUS = range(5)
POSITION, VELOCITY = slice(PX, PY + 1), slice(VX, VY + 1)
CIRCLE_COLUMNS = 5

# Columns of the result of a circle: its position and velocity as above, the time of the last contact as a
# part of the motion, the normal there, and the seconds that are left of the step.
T, NX, NY, TIME_LEFT = range(4, 8)
NORMAL = slice(NX, NY + 1)
RESULT_COLUMNS = 8

# Columns of the counts of a circle. FEATURE is that of the last contact, -1 without one.
FEATURE, BOUNCES, TESTS, CASTS = range(4)
COUNT_COLUMNS = 4
