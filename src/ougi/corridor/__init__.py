"""Circles between walls of the plane, at any speed: CORRIDOR, made exact."""

from ougi.corridor.answers import Cast, Moved, Nearest
from ougi.corridor.corridor import Corridor
from ougi.corridor.structures import Structure
from ougi.corridor.wall import Problem, Report, WallError

__all__ = ["Cast", "Corridor", "Moved", "Nearest", "Problem", "Report", "Structure", "WallError"]
