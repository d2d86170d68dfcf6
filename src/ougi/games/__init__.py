"""Games: what do a sword, a bullet or a thrown axe hit between two frames?

`Swing`, `Projectile` and `Projectiles` move among the targets of a `TargetSet`, or two sets move among each
other. A `Character` slides among them. All shapes are hit boxes. The modules of `ougi.adapters` read the
targets of pygame, Arcade and pymunk; these classes need none of them.

Between two frames a body's center moves straight (that of a projectile along its parabola), and the body
turns about its center at a constant rate. First contacts are certified for exactly this motion.
"""

from ougi.games.character import Character, Moved, OneSided
from ougi.games.hit import Hit
from ougi.games.hitbox import Hitbox
from ougi.games.movers import Projectile, Swing
from ougi.games.projectiles import Projectiles
from ougi.games.targets import TargetSet

__all__ = [
    "Character",
    "Hit",
    "Hitbox",
    "Moved",
    "OneSided",
    "Projectile",
    "Projectiles",
    "Swing",
    "TargetSet",
]
