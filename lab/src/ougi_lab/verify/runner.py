"""Run any subject of `ougi verify` in parallel chunks, and sum up.

Each chunk has its own seed, made of the run's seed, the pair, the kind and its number: results depend neither
on how many workers there are nor on where an earlier run was stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from ougi.cli.evidence import hash_definitions
from ougi.cli.machine import describe_machine
from ougi.cli.processes import start_processes
from ougi_lab.chunks import count_cores, read_versions, run_chunks
from ougi_lab.machine import describe_commit
from ougi_lab.store import ChunkStore
from ougi_lab.verify.tally import GROUP_COLUMNS, Tally, sum_tallies

SCHEMA = "ougi-verify-1"

# Cases of one chunk: large enough that NumPy's overhead is small, small enough to stay in the caches.
CHUNK = 10_000

# Chunks below which the start of processes, a second or two, does not pay.
_WORTH_PROCESSES = 12


class Task(NamedTuple):
    """One chunk of work: n cases of a kind for a pair."""

    pair: str
    kind: str
    chunk: int
    size: int

    @property
    def key(self) -> str:
        """Its name in a `ChunkStore`."""
        return f"{self.pair} {self.kind} {self.chunk} {self.size}"


class Subject(Protocol):
    """What can be verified. `folders` are folders or files of the library on which its results depend.

    Two more names are optional: `chunk`, how many cases a chunk has, and `facts()`, further facts about the
    machine.
    """

    @property
    def name(self) -> str: ...
    @property
    def kinds(self) -> tuple[str, ...]: ...
    @property
    def many_small_arrays(self) -> bool: ...
    @property
    def folders(self) -> tuple[str, ...]: ...
    def pairs(self) -> tuple[str, ...]: ...
    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally: ...


def plan_tasks(pairs: tuple[str, ...], counts: dict[str, int], chunk: int = CHUNK) -> list[Task]:
    """The chunks of a run; `counts` says how many cases of each kind a pair gets."""
    return [
        Task(pair, kind, i, min(chunk, count - i * chunk))
        for pair in pairs
        for kind, count in counts.items()
        for i in range(-(-count // chunk))
    ]


def _find_chunk_size(subject: Subject) -> int:
    """Cases of a chunk; subjects whose work is not done in the caches have larger ones."""
    return int(getattr(subject, "chunk", CHUNK))


def _read_facts(subject: Subject) -> dict[str, Any]:
    """The facts of a subject about the machine, beside those of `describe_machine()`."""
    return dict(subject.facts()) if hasattr(subject, "facts") else {}


def derive_seed(subject: str, task: Task, seed: int) -> np.random.SeedSequence:
    """The seed of one chunk."""
    words = hashlib.sha256(f"{subject} {task.pair} {task.kind} {task.chunk}".encode()).digest()
    return np.random.SeedSequence([seed, *np.frombuffer(words, np.uint32).tolist()])


def run_task(subject: Subject, task: Task, seed: int) -> Tally:
    """Check one chunk; a function of its arguments alone."""
    from ougi._native import one_thread

    rng = np.random.default_rng(derive_seed(subject.name, task, seed))
    try:
        with one_thread():
            tally = subject.check(task.pair, task.kind, task.size, rng)
    except Exception as error:
        error.add_note(
            f"while checking {subject.name} {task.pair}, {task.kind} chunk {task.chunk}, seed {seed}"
        )
        raise
    place = {"seed": seed, "kind": task.kind, "chunk": task.chunk, "size": task.size}
    if tally.first is not None:
        tally.first = {**place, **tally.first}
    tally.undecided_cases = [{**place, **case} for case in tally.undecided_cases]
    return tally


def run(
    subject: Subject,
    pairs: tuple[str, ...],
    counts: dict[str, int],
    *,
    seed: int = 0,
    executor: Executor | None = None,
    jobs: int | None = None,
    folder: Path | None = None,
    force: bool = False,
    quiet: bool = False,
) -> dict[str, Any]:
    """Check pairs and report.

    Parameters
    ----------
    subject
        What to verify.
    pairs
        Names of `subject.pairs()`.
    counts
        Kind -> cases per pair.
    seed
        Decides every case.
    executor
        Runs the chunks; threads by default, as many as `jobs` (None: all cores).
    folder
        Stores finished chunks and reuses those that are there; None stores nothing.
    force
        Start over where the folder holds another run.
    quiet
        Show no progress.

    Returns
    -------
    The report, ready for JSON; see `build_report`.
    """
    header = {
        "schema": SCHEMA,
        "subject": subject.name,
        "seed": seed,
        "versions": read_versions(),
        "sources": {
            "folders": list(subject.folders),
            "definitions": " ".join(sorted(hash_definitions(*subject.folders))),
        },
    }
    store = None if folder is None else ChunkStore(folder, subject.name, header, force)
    tasks = plan_tasks(pairs, counts, _find_chunk_size(subject))
    if _find_chunk_size(subject) != CHUNK:
        # Kernels that compile for long do so in parallel, once for each pair.
        tasks.sort(key=lambda task: task.chunk)
    found = {} if store is None else store.chunks
    done = {task: Tally.from_json(found[task.key]) for task in tasks if task.key in found}

    def store_tally(task: Task, tally: Tally) -> None:
        done[task] = tally
        if store is not None:
            store.append(task.key, tally.to_json())

    calls = {task: (subject, task, seed) for task in tasks if task not in done}
    run_chunks(run_task, calls, store_tally, label="verifying", executor=executor, jobs=jobs, quiet=quiet)
    head = {**header, "commit": describe_commit()}
    return build_report(
        head,
        {**describe_machine(), **_read_facts(subject)},
        {task: done[task] for task in tasks},
        pairs,
        counts,
    )


def build_report(
    header: dict[str, Any],
    facts: dict[str, Any],
    done: dict[Task, Tally],
    names: tuple[str, ...],
    counts: dict[str, int],
) -> dict[str, Any]:
    """Sum up.

    For each pair: cases, near cases, cases inside the rounding band, disagreements, the largest error of each
    check in bands, the first disagreement with all it takes to repeat it, peers, and what else the
    subject measures. Groups are parts of the cases; over all pairs they are summed up as well.
    """
    pairs = {}
    for pair in names:
        sums = sum_tallies(tally for task, tally in done.items() if task.pair == pair)
        for name, mean in sums.means.items():
            if not mean.is_met:
                sums.disagreements += 1
                sums.failed[name] = 1
        pairs[pair] = {"worst_error": sums.worst_error, **sums.to_report()}
    everything = sum_tallies(done.values())
    groups = {name: group.to_row() for name, group in everything.groups.items()}
    return {
        **header,
        "machine": facts,
        "counts": counts,
        "disagreements": sum(pair["disagreements"] for pair in pairs.values()),
        **({"group_columns": list(GROUP_COLUMNS), "groups": groups} if groups else {}),
        "pairs": pairs,
    }


def format_report(report: dict[str, Any]) -> str:
    """A report as JSON, one line per pair and group: it is committed, and read by people in diffs."""
    rows = []
    for name, value in report.items():
        if isinstance(value, dict) and name in ("pairs", "groups"):
            inner = ",\n".join(f"  {json.dumps(key)}: {json.dumps(part)}" for key, part in value.items())
            rows.append(f" {json.dumps(name)}: {{\n{inner}\n }}")
        else:
            rows.append(f" {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(rows) + "\n}\n"


@contextmanager
def open_processes(
    subject: Subject, pairs: tuple[str, ...], counts: dict[str, int], jobs: int | None
) -> Iterator[Executor | None]:
    """Open processes for subjects with many small arrays, where threads would wait for each other.

    None, which means threads, for other subjects and for work that is done before processes have started.
    """
    workers = jobs or count_cores()
    if (
        not subject.many_small_arrays
        or workers == 1
        or len(plan_tasks(pairs, counts, _find_chunk_size(subject))) < _WORTH_PROCESSES
    ):
        yield None
        return
    with start_processes(workers) as executor:
        yield executor
