"""Kernels are imported by name, when a query first needs them; PyInstaller sees no import statement."""

from PyInstaller.utils.hooks import collect_submodules

hiddenimports = collect_submodules("ougi.kernels")
