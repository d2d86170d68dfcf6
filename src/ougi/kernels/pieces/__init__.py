"""Kernels of sectors and all convex bodies, by convex pieces of the sectors."""
