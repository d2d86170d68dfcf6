"""The folder in which an experiment keeps its finished chunks, arrays by name, one file for each chunk."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ougi.errors import InvalidInputError
from ougi.lab.chunks import difference

Arrays = dict[str, npt.NDArray[Any]]


def _read(path: Path) -> Any:
    """The header of a run, None if there is none; what is no header is some other run's."""
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"header": "unreadable"}


class Kept:
    """Chunks of one experiment, one seed and one version; those of another are refused.

    Parameters
    ----------
    folder
        Made if missing.
    experiment
        Its name: several may share the folder.
    header
        What must not differ between the chunks of one run: seed, versions, sources.
    force
        Drop chunks of another run, instead of refusing them.
    """

    def __init__(self, folder: Path, experiment: str, header: dict[str, Any], force: bool) -> None:
        self._folder, self._experiment = folder, experiment
        path = folder / f"{experiment}.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            found = _read(path)
            chunks = list(folder.glob(f"{experiment}-*.npz"))
            if found != header and (chunks or found is not None):
                if not force:
                    raise InvalidInputError(difference(path, found or {}, header))
                for chunk in chunks:
                    chunk.unlink()
            path.write_text(json.dumps(header, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise InvalidInputError(f"cannot keep chunks in {folder}: {error.strerror}") from error

    def _path(self, chunk: int) -> Path:
        return self._folder / f"{self._experiment}-{chunk:05}.npz"

    def load(self, chunk: int) -> Arrays | None:
        """A finished chunk, None if there is none, or none that can be read."""
        path = self._path(chunk)
        if not path.exists():
            return None
        try:
            with path.open("rb") as file, np.load(file) as arrays:
                return dict(arrays)
        except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error):  # cut off by a power failure
            return None

    def save(self, chunk: int, arrays: Arrays) -> None:
        """Keep a chunk; a run that is killed meanwhile leaves no half of it under its name."""
        path = self._path(chunk)
        fresh = path.with_suffix(".new")
        with fresh.open("wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # NumPy's stub has a bool among them
        os.replace(fresh, path)
