"""Game libraries: whom does a swinging blade hit between two frames?

One module for each library, with the same two names: `Blade`, made once, and `swing_hits`, called every
frame. `ougi.adapters.pygame` and `ougi.adapters.arcade` take sprites and degrees, `ougi.adapters.pymunk`
takes shapes and radians.
"""
