"""The folder in which a run keeps its finished chunks, so that the next one need not repeat them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from ougi.errors import InvalidInputError
from ougi.lab.chunks import difference
from ougi.lab.verify.tally import Tally


class Task(NamedTuple):
    """One chunk of work: n cases of a kind for a pair."""

    pair: str
    kind: str
    chunk: int
    size: int


class Journal:
    """Finished chunks as JSON lines behind a header line; only chunks of one seed and one set of sources.

    Parameters
    ----------
    folder
        Made if missing.
    header
        What must not differ between chunks of one run: subject, seed, versions.
    digests
        Pair -> digest of its sources.
    force
        Start over where the folder holds something else, instead of refusing it.
    """

    def __init__(self, folder: Path, header: dict[str, Any], digests: dict[str, str], force: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{header['subject']}.jsonl"
        self._digests = digests
        self.done: dict[Task, Tally] = {}
        lines = self._read()
        if lines and lines[0] != header:
            if not force:
                raise InvalidInputError(difference(self._path, lines[0], header))
            lines = []
        kept = []
        for line in lines[1:]:
            pair = line["pair"]
            if digests.get(pair, line["digest"]) != line["digest"]:
                if not force:
                    raise InvalidInputError(
                        f"{self._path} holds chunks of other kernels for {pair}; "
                        "choose another folder, or --force to drop them"
                    )
                continue
            kept.append(line)
            self.done[Task(pair, line["kind"], line["chunk"], line["size"])] = Tally.from_json(line["tally"])
        # Written anew: a run that was killed may have left half a line.
        fresh = self._path.with_suffix(".new")
        fresh.write_text("".join(json.dumps(line) + "\n" for line in (header, *kept)), encoding="utf-8")
        fresh.replace(self._path)

    def _read(self) -> list[dict[str, Any]]:
        if not self._path.exists():
            return []
        lines = self._path.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines[:-1]]  # the last has no end: it is empty, or cut off

    def append(self, task: Task, tally: Tally) -> None:
        """Keep a finished chunk."""
        line = {**task._asdict(), "digest": self._digests[task.pair], "tally": tally.to_json()}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
