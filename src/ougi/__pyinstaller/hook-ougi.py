"""What PyInstaller sees no import statement for: kernels, which are imported by name, and machine code.

A frozen program has no source files, so machine code is compared with the sources here.
"""

from PyInstaller.utils.hooks import collect_submodules

from ougi._native.library import FOLDER, is_current

hiddenimports = collect_submodules("ougi.kernels")
datas = [(str(FOLDER / "*"), "ougi/_native/lib")] if is_current(FOLDER) else []
