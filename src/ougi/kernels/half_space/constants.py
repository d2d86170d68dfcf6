"""Every number that decides in a kernel of half-spaces; see `ougi.kernels.constants`."""

from __future__ import annotations

# Components of the sum of two unit normals up to which these are opposite. Unit: 1, 8 eps: half-spaces that
# were turned together stay parallel. Larger: half-spaces that meet far away count as parallel.
# Smaller: a floor and a ceiling that were turned together touch.
OPPOSITE = 2.0**-49
