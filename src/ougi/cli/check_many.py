"""The check of many scenes: `ougi check scenes/*.toml --jobs 4`."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import pickle
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import ougi
from ougi._typing import Foreign, JsonObject
from ougi.cli import formats
from ougi.cli.progress import show_progress
from ougi.cli.scene_check import CheckSettings, check_loaded_scene
from ougi.cli.tables import Table, format_table, print_tables
from ougi.cli.task_runners import run_tasks
from ougi.errors import DeviceError, InvalidInputError, MissingExtraError
from ougi.scene.problems import escape_controls

if TYPE_CHECKING:
    from ougi.scene import Scene

SCHEMA = "ougi-check-many/1"

# Trajectories among scenes. A JSON file may be a scene.
_TRAJECTORIES = (".csv", ".npy", ".npz")

# Warnings belong to a process, so its threads read scenes one after the other.
_loading = threading.Lock()


class SceneJob(NamedTuple):
    """A scene to check. `fingerprint` is that of an earlier result, or '' if there is none."""

    label: str
    path: Path
    settings: CheckSettings
    fingerprint: str = ""


def list_jobs(paths: Sequence[Path], settings: CheckSettings) -> list[SceneJob]:
    """One job for each scene. CSV and NumPy files are trajectories of the robot in front of them.

    Paths become absolute, because workers may run in another folder.
    """
    for name in ("trajectory", "srdf"):
        if (given := getattr(settings.options, name)) is not None:
            settings = replace(settings, options=replace(settings.options, **{name: given.absolute()}))
    jobs: dict[str, SceneJob] = {}
    robot = None
    for k, path in enumerate(paths):
        if path.suffix.lower() not in _TRAJECTORIES:
            robot = path
            has_trajectories = k + 1 < len(paths) and paths[k + 1].suffix.lower() in _TRAJECTORIES
            if not has_trajectories:
                jobs[str(path)] = SceneJob(str(path), path.absolute(), settings)
        elif robot is None:
            raise InvalidInputError(f"{path} is a trajectory; put it behind its robot: arm.urdf {path.name}")
        else:
            options = replace(settings.options, trajectory=path.absolute())
            label = f"{robot} {path}"
            jobs[label] = SceneJob(label, robot.absolute(), replace(settings, options=options))
    return list(jobs.values())


def check_job(job: SceneJob) -> JsonObject | None:
    """The result of a scene, or its error; None if the scene is that of the earlier result."""
    scene_entry: JsonObject = {"file": job.label}
    try:
        with _loading, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scene = job.settings.options.load(job.path)
        fingerprint = compute_fingerprint(scene, job.settings)
        if fingerprint == job.fingerprint:
            return None
        report = check_loaded_scene(scene, job.path, job.settings)
    except (InvalidInputError, DeviceError, MissingExtraError, OSError) as error:
        return {"scene": scene_entry, "error": str(error)}
    except Exception as error:
        return {"scene": scene_entry, "error": f"internal error: {error!r}"}
    document = formats.build_document(report, job.label, job.settings.fps)
    texts = [str(warning.message) for warning in caught]
    # A check that was stopped has no fingerprint, so that it is repeated when a run is resumed.
    return {**document, "fingerprint": "" if report.unchecked else fingerprint, "warnings": texts}


def compute_fingerprint(scene: Scene, settings: CheckSettings) -> str:
    """A digest of all that a result depends on: the scene as it was read, the settings and the version."""
    digest = hashlib.sha256()

    class Sink(io.RawIOBase):
        def write(self, data: Foreign) -> int:
            digest.update(data)
            return memoryview(data).nbytes

    numbers = (settings.margin, settings.method, settings.fps, settings.max_pairs, settings.max_contacts)
    rules = (scene.checks, scene.ignore, sorted(scene.neighbours), sorted(scene.disabled), scene.skipped)
    pickler = pickle.Pickler(Sink(), protocol=5)
    pickler.dump((ougi.__version__, numbers, rules, scene.duration, scene.units))
    for body in scene.bodies:
        pickler.clear_memo()  # equal values give equal bytes, whether they are one object or several
        pickler.dump((body.name, body.shape, body.pieces, body.group, body.mask, body.carrier))
    return digest.hexdigest()


class ResultFile:
    """Where results go. Files that end in .json and .jsonl are read again, so that a run can be resumed.

    A .jsonl file grows by a line for every scene, so a run that is killed loses nothing that was found.
    """

    def __init__(self, path: Path | None, labels: Sequence[str]) -> None:
        self._path, self._labels = path, labels
        self.entries: dict[str, JsonObject] = {}
        if path is not None and path.exists() and path.suffix in (".json", ".jsonl"):
            self.entries = {name: entry for name, entry in _read_entries(path).items() if name in set(labels)}

    def add(self, label: str, entry: JsonObject) -> None:
        """Add the result of a scene, in place of an earlier one."""
        self.entries[label] = entry
        if self._path is not None and self._path.suffix == ".jsonl":
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry, allow_nan=False) + "\n")

    def list_entries(self) -> list[JsonObject]:
        """The results that there are, in the order of the scenes."""
        return [self.entries[label] for label in self._labels if label in self.entries]

    def write(self) -> None:
        """Write all results, in place of the file; a reader never sees half of it."""
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        beside = self._path.with_name(f".{self._path.name}.new")
        beside.write_text(FORMATS[self._path.suffix](self.list_entries()), encoding="utf-8")
        os.replace(beside, self._path)


def _read_entries(path: Path) -> dict[str, JsonObject]:
    """Results by scene; of two for one scene the later. The last line may be incomplete."""
    text = path.read_text(encoding="utf-8")
    try:
        if path.suffix == ".json":
            document = json.loads(text)
            if document["schema"] != SCHEMA:
                raise ValueError(f"schema is {document['schema']!r}")
            entries = document["scenes"]
        else:
            entries = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return {entry["scene"]["file"]: entry for entry in entries}
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInputError(
            f"output exists and is no result of many scenes, so it is not overwritten: {path} ({error!r})"
        ) from error


def check_many(
    paths: Sequence[Path],
    settings: CheckSettings,
    *,
    jobs: int,
    cluster: str | None,
    format: str,
    output: Path | None,
) -> int:
    """Check many scenes and print one table; the exit code: 0 all certified, 1 not all, 2 one has failed."""
    todo = list_jobs(paths, settings)
    results = ResultFile(output, [job.label for job in todo])
    todo = [
        job._replace(fingerprint=results.entries.get(job.label, {}).get("fingerprint", "")) for job in todo
    ]
    states: dict[str, str] = {}
    try:
        with show_progress("checking scenes") as progress:
            for k, result in run_tasks(check_job, todo, jobs, cluster):
                label = todo[k].label
                states[label] = "unchanged" if result is None else ""
                if result is not None:
                    entry = result if isinstance(result, dict) else _build_failure(label, result)
                    results.add(label, entry)
                    _print_warnings(entry)
                progress(len(states), len(todo))
    finally:  # Ctrl-C keeps what was found
        done = [entry for entry in results.list_entries() if entry["scene"]["file"] in states]
        if done:
            results.write()
            _print_results(done, states, len(todo), format)
    if any("error" in entry for entry in done):
        return 2
    return int(not all(entry["certified"] for entry in done))


def _build_failure(label: str, error: Exception) -> JsonObject:
    return {"scene": {"file": label}, "error": str(error) or repr(error)}


def _print_warnings(entry: JsonObject) -> None:
    for text in entry.get("warnings", ()):
        sys.stderr.write(
            f"ougi: warning: {escape_controls(entry['scene']['file'])}: {escape_controls(text)}\n"
        )


def _print_results(entries: list[JsonObject], states: dict[str, str], total: int, format: str) -> None:
    if format != "table":
        sys.stdout.write(FORMATS[f".{format}"](entries))
        return
    table = build_table(entries, states, total)
    if sys.stdout.isatty():
        print_tables([table._replace(notes=())])
        sys.stdout.write("\n".join(table.notes) + "\n")
    else:
        sys.stdout.write(format_table(table).rstrip("\n") + "\n")


def build_table(
    entries: Sequence[JsonObject], states: dict[str, str] | None = None, total: int | None = None
) -> Table:
    """One line for each scene, and a summary."""
    rows = [_format_row(entry, (states or {}).get(entry["scene"]["file"], "")) for entry in entries]
    failed = sum("error" in entry for entry in entries)
    free = sum(entry.get("certified", False) for entry in entries)
    counts = {
        "certified collision-free": free,
        "not certified": len(entries) - free - failed,
        "FAILED": failed,
        "not checked": (total or len(entries)) - len(entries),
    }
    words = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
    summary = f"{total or len(entries):,} scenes: {words}"
    unchanged = sum(state == "unchanged" for state in (states or {}).values())
    if unchanged:
        summary += f"; {unchanged:,} unchanged since an earlier result"
    headings = ("scene", "result", ">contacts", ">first s", "first contact", ">bodies", ">seconds", "note")
    return Table("", headings, rows, (summary,))


def _format_row(entry: JsonObject, state: str) -> tuple[str, ...]:
    label = escape_controls(entry["scene"]["file"])
    if "error" in entry:
        first = entry["error"].splitlines()[0]
        return (label, "FAILED", "", "", "", "", "", escape_controls(first))
    contacts, scene = entry["contacts"], entry["scene"]
    first = contacts[0] if contacts else None
    return (
        label,
        describe_result(entry),
        f"{len(contacts):,}",
        formats.format_seconds(first["time"]) if first else "",
        f"{escape_controls(first['a'])}, {escape_controls(first['b'])}" if first else "",
        f"{scene['bodies']:,}",
        f"{scene['seconds']:g}",
        state,
    )


def describe_result(entry: JsonObject) -> str:
    """One word or two for the result of a scene."""
    if "error" in entry:
        return "FAILED"
    if not entry["coverage"]["covered"]:
        return "no pair"
    return "certified" if entry["certified"] else "contact" if entry["hit"] else "undecided"


def _as_json(entries: Sequence[JsonObject]) -> str:
    return json.dumps({"schema": SCHEMA, "scenes": list(entries)}, indent=1, allow_nan=False) + "\n"


def _as_jsonl(entries: Sequence[JsonObject]) -> str:
    return "".join(json.dumps(entry, allow_nan=False) + "\n" for entry in entries)


def _as_csv(entries: Sequence[JsonObject]) -> str:
    """A row for each scene, of the kind `scene`, and a row for each of its contacts, near misses, ..."""
    text = io.StringIO()
    writer = csv.DictWriter(text, ("scene", *formats.COLUMNS), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for entry in entries:
        cell = formats.escape_cell(entry["scene"]["file"])
        writer.writerow({"scene": cell, "kind": "scene", "status": describe_result(entry)})
        for name in ("contacts", "near_misses", "comparison"):
            for row in entry.get(name, ()):
                writer.writerow({"scene": cell, **formats.to_cells(row)})
    return text.getvalue()


FORMATS: dict[str, Callable[[Sequence[JsonObject]], str]] = {
    ".json": _as_json,
    ".jsonl": _as_jsonl,
    ".csv": _as_csv,
    ".txt": lambda entries: format_table(build_table(entries)),
}
