"""First contacts of moving hulls, polygons and curved solids, by their support points.

Nothing outside of this folder depends on it but the table of hulls in `ougi.impact`, so a change here leaves
the evidence about other first contacts valid.
"""
