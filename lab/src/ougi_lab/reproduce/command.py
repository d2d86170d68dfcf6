"""The command `ougi reproduce`."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ougi.errors import InvalidInputError, MissingExtraError
from ougi_lab.reproduce.catalog import EXPERIMENTS, Experiment

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ougi_lab.reproduce.experiment import Outcome

REFUTED, UNFINISHED = 1, 4


def reproduce(
    *names: str,
    quick: bool = False,
    output: Path = Path("out/reproduce"),
    force: bool = False,
    seed: int = 0,
    start: float | None = None,
    motions: int | None = None,
    data: int | None = None,
    one_pair: bool = False,
    draw: bool = False,
    jobs: int | None = None,
    device: Literal["cpu", "cuda"] | None = None,
) -> int:
    """Run the papers' experiments again; exit code 1 if a binding claim does not hold, 4 if one fails to run.

    Prints every table with the paper's numbers beside ours, and whether the paper's claims hold. Writes
    the figures (PNG, SVG, CSV) and `outcome.json` of each experiment, and one `report.md` for all.

    Parameters
    ----------
    names
        `fan-accuracy`, `fan2d`, `fan-filter`, `fan-width`, `fan-speed`, `sort`, `radar`, `corridor`; `all`,
        or no name, for all.
    quick
        Small sizes, to test the command.
    output
        Folder to write to.
    force
        Replace results of another version, seed or size in the folder. Without it nothing is replaced.
    seed
        Seed of everything that is random.
    start
        `fan2d`: degrees by which the rectangle is turned at the start.
    motions
        `fan-accuracy`: number of random motions, 2,000 by default, 100,000 in FAN.
    data
        `fan-speed`: number of timings of 100,000 tests, 200 by default, 10,000 in FAN.
    one_pair
        `fan-speed`: time one random pair 100,000 times instead of 100,000 pairs.
    draw
        `corridor`: draw every frame of figure 4 in a window without a screen (the extra `play`).
    jobs
        `fan-accuracy`: number of processes; threads on all cores by default.
    device
        `fan-accuracy`: where points are counted, `cpu` by default, or `cuda` for a GPU, with equal results.
    """
    from ougi.cli.warmup import announce_compilation
    from ougi_lab.reproduce import files, render

    chosen = select_experiments(names)
    if seed < 0:
        raise InvalidInputError(f"seed must not be negative, got {seed}")
    for name, number in (("motions", motions), ("data", data), ("jobs", jobs)):
        if number is not None and number < 1:
            raise InvalidInputError(f"{name} must be positive, got {number}")
    every = {
        "start": start,
        "motions": motions,
        "data": data,
        "one_pair": one_pair or None,
        "draw": draw or None,
        "jobs": jobs,
        "device": device,
    }
    given = {name: value for name, value in every.items() if value is not None}
    options = {name: _select_options(EXPERIMENTS[name], quick, seed, given) for name in chosen}
    _refuse_unused_options(chosen, given)
    require_extras(chosen)
    files.claim_folder(output, options, seed, force=force)
    announce_compilation()
    if quick:
        sys.stdout.write(f"{files.QUICK}: {', '.join(chosen)}\n")
    outcomes, failed = [], {}
    with _open_workers(jobs) as executor:
        for name in chosen:
            begun = time.monotonic(), time.process_time()
            try:
                outcome = _run_experiment(
                    name, options[name], output / name, executor, force, device or "cpu"
                )
            except Exception as error:  # the other experiments do not depend on it
                if len(chosen) == 1:
                    raise
                traceback.print_exc()
                failed[name] = f"{type(error).__name__}: {error}"
                continue
            except KeyboardInterrupt:
                files.write_report(output)  # of what is finished
                raise
            took = {"wall": time.monotonic() - begun[0], "cpu": time.process_time() - begun[1]}
            files.write_outcome(output / name, outcome, options[name], seed, took)
            render.print_outcome(outcome)
            outcomes.append(outcome)
    sys.stdout.write(f"\nreport: {files.write_report(output)}\n")
    for name, reason in failed.items():
        sys.stdout.write(f"{name} did not finish: {reason}\n")
    if failed:
        return UNFINISHED
    return REFUTED if any(v.is_refuted for outcome in outcomes for v in outcome.verdicts) else 0


def select_experiments(names: tuple[str, ...]) -> tuple[str, ...]:
    """The experiments that a user named, in the table's order."""
    import difflib

    if not names or "all" in names:
        return tuple(EXPERIMENTS)
    for name in names:
        if name not in EXPERIMENTS:
            nearest = difflib.get_close_matches(name, EXPERIMENTS, n=1, cutoff=0.4)
            hint = f"did you mean {nearest[0]}? " if nearest else ""
            raise InvalidInputError(
                f"there is no experiment {name!r}; {hint}known are {', '.join(EXPERIMENTS)} and all"
            )
    return tuple(name for name in EXPERIMENTS if name in names)


def require_extras(chosen: tuple[str, ...]) -> None:
    """Refuse to begin without the optional dependencies of the chosen experiments."""
    from importlib.util import find_spec

    for name in chosen:
        for module, extra in EXPERIMENTS[name].needs.items():
            if find_spec(module) is None:
                raise MissingExtraError(extra, f"the experiment {name}")


def _select_options(experiment: Experiment, quick: bool, seed: int, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `run` on which the numbers depend: not the device, the executor or the folder."""
    takes = experiment.parameters()
    options = {**(experiment.quick if quick else {}), **given, "seed": seed}
    return {name: value for name, value in options.items() if name in takes and name != "device"}


def _refuse_unused_options(chosen: tuple[str, ...], given: dict[str, Any]) -> None:
    """Refuse an option that no chosen experiment has."""
    for option in given:
        parameter = "executor" if option == "jobs" else option
        users = [name for name, e in EXPERIMENTS.items() if parameter in e.parameters()]
        if not set(users) & set(chosen):
            whose = f"only {', '.join(users)} has it" if users else "no experiment has it"
            flag = option.replace("_", "-")
            raise InvalidInputError(f"--{flag} has no effect on {', '.join(chosen)}; {whose}")


@contextmanager
def _open_workers(jobs: int | None) -> Iterator[Executor | None]:
    """A pool of processes for --jobs; without it each experiment chooses by itself."""
    from ougi.cli.processes import start_processes

    if jobs is None:
        yield None
        return
    with start_processes(jobs) as pool:
        yield pool


def _run_experiment(
    name: str, options: dict[str, Any], folder: Path, executor: Executor | None, force: bool, device: str
) -> Outcome:
    """Run one experiment and show its progress."""
    from ougi.cli.progress import show_progress

    with show_progress(name) as progress:
        experiment = EXPERIMENTS[name]
        around = {
            "executor": executor,
            "folder": folder / "chunks",
            "force": force,
            "progress": progress,
            "device": device,
        }
        takes = experiment.parameters()
        return experiment.run()(**options, **{key: value for key, value in around.items() if key in takes})
