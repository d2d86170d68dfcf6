"""Game libraries: `ougi.adapters.pygame`, `.arcade` and `.pymunk` read their targets for `ougi.games`.

Each of them has `Sprites` (or `Shapes`), `Swing` and `Projectile`, which count angles as the library does.
`ougi.adapters.tiled` reads maps.

`ougi.adapters.ompl` is for planners of robots: it accepts motions that are certified free.
"""
