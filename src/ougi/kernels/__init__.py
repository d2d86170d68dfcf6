"""Scalar geometry: records in, a value out. Compiled by Numba, for the CPU and for CUDA, from this source.

A kernel knows only numbers. It allocates nothing, raises nothing, and every path returns. File and function
names can be guessed: `ougi.intersects(Sphere, Box)` runs `intersects_sphere_box` in `sphere_box.py`.
"""
