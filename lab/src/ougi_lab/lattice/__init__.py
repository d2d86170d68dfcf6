"""Counts of lattice points in swept volumes (FAN sec. 3.1): on the CPU and on a GPU."""
