"""Circles between walls of the plane, at any speed: CORRIDOR, made exact."""

from ougi.corridor.corridor import Corridor
from ougi.corridor.results import MovedCircles, NearestWall, WallContacts
from ougi.corridor.structures import SearchStructure
from ougi.corridor.wall import WallError, WallProblem, WallReport

__all__ = [
    "Corridor",
    "MovedCircles",
    "NearestWall",
    "SearchStructure",
    "WallContacts",
    "WallError",
    "WallProblem",
    "WallReport",
]
