"""The experiments of `ougi reproduce` by their names; a module is imported when it is used."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ougi_lab.reproduce.experiment import Outcome


@dataclass(frozen=True)
class Experiment:
    """The module of this folder with `run` and `build_outcome`, and what it needs.

    Attributes
    ----------
    quick
        The arguments of `run` for --quick.
    needs
        Module of an optional dependency -> the extra that installs it.
    """

    module: str
    quick: dict[str, Any] = field(default_factory=dict)
    needs: dict[str, str] = field(default_factory=dict)

    def run(self) -> Callable[..., Outcome]:
        """The function `run` of the module; its parameters are the options that the experiment has."""
        function: Callable[..., Outcome] = self._module().run
        return function

    def build_outcome(self, numbers: dict[str, Any]) -> Outcome:
        """The outcome of a run, from the numbers in its file."""
        outcome: Outcome = self._module().build_outcome(numbers)
        return outcome

    def _module(self) -> Any:
        return importlib.import_module(f"ougi_lab.reproduce.{self.module}")

    def parameters(self) -> frozenset[str]:
        """The names of the parameters of `run`."""
        return frozenset(inspect.signature(self.run()).parameters)


# A name -> its experiment, in the order in which they run.
EXPERIMENTS = {
    "fan-accuracy": Experiment("fan_accuracy", quick={"motions": 200}),
    "fan2d": Experiment("fan2d", quick={"side": 50, "step": 10}),
    "fan-filter": Experiment("fan_filter", quick={"movers": 20, "count": 200, "repeats": 1}),
    "fan-width": Experiment("fan_width", quick={"motions": 200, "points": 300}),
    "fan-speed": Experiment("fan_speed", quick={"data": 3, "tests": 2_000}),
    "sort": Experiment("sort", quick={"worlds": 20, "frames": 5, "largest": 1_000, "densest": 10_000}),
    "radar": Experiment(
        "radar",
        quick={"repeats": 1, "polygons": 13_074, "frames": 40, "contacts": 4},
        needs={"scipy": "mesh"},
    ),
    "corridor": Experiment("corridor", quick={"seconds": 1, "largest": 1_000, "audit": 40}),
}
