"""Games: what do a sword, a bullet or a thrown axe hit between two frames?

`Swing` and `Projectile` move among the targets of a `TargetSet`. All shapes are hit boxes. The modules of
`ougi.adapters` read the targets of pygame, Arcade and pymunk; these classes need none of them.

Between two frames a body's center moves straight (that of a projectile along its parabola), and the body
turns about its center at a constant rate. First contacts are certified for exactly this motion.
"""

from ougi.games.hitbox import Hitbox
from ougi.games.movers import Hit, Projectile, Swing
from ougi.games.targets import TargetSet

__all__ = ["Hit", "Hitbox", "Projectile", "Swing", "TargetSet"]
