"""The command `ougi reproduce`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ougi.errors import InvalidInputError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ougi_lab.reproduce.experiment import Outcome

REFUTED = 1


@dataclass(frozen=True)
class Experiment:
    """Which module of this folder holds `run` and `outcome`, and what --quick hands to `run`."""

    module: str
    quick: dict[str, Any] = field(default_factory=dict)

    def run(self) -> Callable[..., Outcome]:
        """The function `run` of the module; its parameters say which options it takes."""
        found: Callable[..., Outcome] = self._module().run
        return found

    def retold(self, numbers: dict[str, Any]) -> Outcome:
        """The outcome of a run whose numbers were kept."""
        found: Outcome = self._module().outcome(numbers)
        return found

    def _module(self) -> Any:
        import importlib

        return importlib.import_module(f"ougi_lab.reproduce.{self.module}")

    def parameters(self) -> frozenset[str]:
        """What `run` takes."""
        import inspect

        return frozenset(inspect.signature(self.run()).parameters)


# A name -> its experiment, in the order in which they run.
EXPERIMENTS = {
    "fan-accuracy": Experiment("fan_accuracy", quick={"motions": 200}),
    "fan2d": Experiment("fan2d", quick={"side": 50, "step": 10}),
    "fan-filter": Experiment("fan_filter", quick={"movers": 20, "count": 200, "repeats": 1}),
    "fan-speed": Experiment("fan_speed", quick={"data": 3, "tests": 2_000}),
    "sort": Experiment("sort", quick={"worlds": 20, "frames": 5, "largest": 1_000, "densest": 10_000}),
    "radar": Experiment("radar", quick={"repeats": 1, "polygons": 13_074, "frames": 40, "contacts": 4}),
    "corridor": Experiment("corridor", quick={"seconds": 1, "largest": 1_000, "audit": 40}),
}


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
    jobs: int | None = None,
    device: Literal["cpu", "cuda"] | None = None,
) -> int:
    """Run the papers' experiments again; exit code 1 if a number or claim is not borne out.

    Prints every table with the paper's numbers beside ours, and whether the paper's claims hold. Writes
    the figures (PNG, SVG, CSV) and `outcome.json` of each experiment, and one `report.html` for all.

    Parameters
    ----------
    names
        `fan-accuracy`, `fan2d`, `fan-filter`, `fan-speed`, `sort`, `radar`, `corridor`; `all`, or no name,
        for all.
    quick
        Small sizes: to see that it works.
    output
        Folder to write to.
    force
        Replace results of another version, seed or size in the folder. Without it nothing is replaced.
    seed
        Decides all that is random.
    start
        `fan2d`: degrees by which the rectangle is turned at the start.
    motions
        `fan-accuracy`: number of random motions, 2,000 by default, 100,000 in the thesis.
    data
        `fan-speed`: how often 100,000 tests are timed, 200 by default, 10,000 in the thesis.
    one_pair
        `fan-speed`: time one random pair 100,000 times instead of 100,000 pairs.
    jobs
        `fan-accuracy`: processes that work side by side; threads on all cores by default. Same numbers.
    device
        `fan-accuracy`: where points are counted, `cpu` by default; `cuda` asks a GPU. Same numbers.
    """
    from ougi.cli.warmup import announce
    from ougi_lab.reproduce import files, show

    chosen = named(names)
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
        "jobs": jobs,
        "device": device,
    }
    given = {name: value for name, value in every.items() if value is not None}
    options = {name: _options(EXPERIMENTS[name], quick, seed, given) for name in chosen}
    _refuse_idle(chosen, given)
    files.claim(output, options, seed, force=force)
    announce()
    outcomes = []
    with _workers(jobs) as executor:
        for name in chosen:
            begun = time.monotonic(), time.process_time()
            outcome = _run(name, options[name], output / name, executor, force, device or "cpu")
            took = {"wall": time.monotonic() - begun[0], "cpu": time.process_time() - begun[1]}
            files.write(output / name, outcome, options[name], seed, took)
            show.show(outcome)
            outcomes.append(outcome)
    sys.stdout.write(f"\nreport: {files.write_report(output)}\n")
    return REFUTED if any(v.binding and not v.holds for o in outcomes for v in o.verdicts) else 0


def named(names: tuple[str, ...]) -> tuple[str, ...]:
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


def _options(experiment: Experiment, quick: bool, seed: int, given: dict[str, Any]) -> dict[str, Any]:
    """What decides the numbers of a run: all that `run` gets but where and with whom it works."""
    takes = experiment.parameters()
    options = {**(experiment.quick if quick else {}), **given, "seed": seed}
    return {name: value for name, value in options.items() if name in takes and name != "device"}


def _refuse_idle(chosen: tuple[str, ...], given: dict[str, Any]) -> None:
    """An option that no chosen experiment takes is a mistake."""
    for option in given:
        parameter = "executor" if option == "jobs" else option
        users = [name for name, e in EXPERIMENTS.items() if parameter in e.parameters()]
        if not set(users) & set(chosen):
            whose = f"only {', '.join(users)} has it" if users else "no experiment has it"
            flag = option.replace("_", "-")
            raise InvalidInputError(f"--{flag} says nothing to {', '.join(chosen)}; {whose}")


@contextmanager
def _workers(jobs: int | None) -> Iterator[Executor | None]:
    """Processes, if a number of them was asked for; else experiments choose by themselves."""
    from ougi.cli.processes import processes

    if jobs is None:
        yield None
        return
    with processes(jobs) as pool:
        yield pool


def _run(
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
