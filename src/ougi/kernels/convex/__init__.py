"""Convex polytopes of any number of vertices: records, nearest points, depths, first contacts.

Nothing outside of this folder depends on it but the tables of pairs with hulls, so a change here leaves the
evidence about all other pairs valid.
"""
