"""Store finished chunks of long work in a folder, so that the next run does not repeat them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ougi.errors import InvalidInputError

Arrays = dict[str, npt.NDArray[Any]]


class ChunkStore:
    """Chunks of one run, as JSON lines behind a header line. A chunk is anything that JSON can hold.

    Parameters
    ----------
    folder
        Made if missing. Several runs may share it.
    name
        Name of the run. The file is `<name>.jsonl`.
    header
        Values that must not differ between the chunks of one run: seed, versions, sources.
    force
        Start over if the file belongs to another run, instead of refusing it.
    """

    def __init__(self, folder: Path, name: str, header: Mapping[str, Any], force: bool) -> None:
        self._path = folder / f"{name}.jsonl"
        self.chunks: dict[str, Any] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lines = self._read()
            if lines and lines[0] != header:
                if not force:
                    raise InvalidInputError(describe_difference(self._path, lines[0], header))
                lines = []
            self.chunks = {line["key"]: line["chunk"] for line in lines[1:]}
            # Written anew, because a run that was killed may have left half a line.
            fresh = self._path.with_suffix(".new")
            rows = [header, *({"key": key, "chunk": chunk} for key, chunk in self.chunks.items())]
            fresh.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            fresh.replace(self._path)
        except OSError as error:
            raise InvalidInputError(f"cannot store chunks in {folder}: {error.strerror}") from error

    def _read(self) -> list[dict[str, Any]]:
        """Read all complete lines. The text after the last line break is empty or cut off."""
        if not self._path.exists():
            return []
        *lines, rest = self._path.read_text(encoding="utf-8").split("\n")
        try:
            found = [json.loads(line) for line in lines]
        except ValueError:
            found = []
        return found or ([{"file": "unreadable"}] if rest or lines else [])

    def append(self, key: str, chunk: Any) -> None:
        """Store a finished chunk."""
        self.chunks[key] = chunk
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "chunk": chunk}) + "\n")


def encode_arrays(arrays: Arrays) -> dict[str, Any]:
    """Return arrays in a form that JSON can hold exactly.

    >>> decode_arrays(encode_arrays({"x": np.array([[0.1, np.nan]])}))["x"]
    array([[0.1, nan]])
    """
    return {name: {"dtype": str(array.dtype), "values": array.tolist()} for name, array in arrays.items()}


def decode_arrays(chunk: dict[str, Any]) -> Arrays:
    """Return the arrays that `encode_arrays` encoded."""
    return {name: np.array(stored["values"], stored["dtype"]) for name, stored in chunk.items()}


def describe_difference(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Return the message for a file whose header is not that of this run."""
    names = [name for name in wanted if found.get(name) != wanted[name]]
    parts = ", ".join(f"{name} {found.get(name)!r} instead of {wanted[name]!r}" for name in names)
    return f"{path} belongs to another run ({parts}); choose another folder, or --force to start over"
