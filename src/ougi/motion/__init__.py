"""Poses and motions. A motion leads from rest at t = 0 to its full displacement at t = 1.

Motions are given in world coordinates: `Rotation3d(center, axis, angle)` turns a body about the line through
`center`, wherever the body is. Angles are radians, right-handed, of any sign and up to a million turns. All
but `Chain` go at constant rates.
"""

from ougi.motion.chain import Chain
from ougi.motion.displacement import between
from ougi.motion.pose import Pose
from ougi.motion.steady import (
    Displacement2d,
    Motion,
    Rotation2d,
    Rotation3d,
    Screw3d,
    Translation2d,
    Translation3d,
)

__all__ = [
    "Chain",
    "Displacement2d",
    "Motion",
    "Pose",
    "Rotation2d",
    "Rotation3d",
    "Screw3d",
    "Translation2d",
    "Translation3d",
    "between",
]
