"""docs/experiments/: the committed runs as pages with pictures. `make docs` writes them.

    python -m ougi_lab.reproduce.page            # anew from results/, after an edit of words or drawings
    python -m ougi_lab.reproduce.page OUTPUT     # first takes over the runs in a folder of `ougi reproduce`

A page is made of numbers alone (`outcome` of each experiment), so a test can tell whether it is what the
committed results say. Whether these are still what the kernels say is for the tests too: they count a part of
each run again. Times cannot be told so; the page names the sources that they were measured with.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ougi.errors import InvalidInputError
from ougi_lab.reproduce.command import EXPERIMENTS
from ougi_lab.reproduce.experiment import Figure, Outcome, Table, Verdict
from ougi_lab.reproduce.files import as_json, drawn
from ougi_lab.reproduce.report import BINDING
from ougi_lab.reproduce.show import judged, numeric, summary, text, took
from ougi_lab.results import result

ROOT = Path(__file__).parents[4]
PICTURES = Path("docs/experiments/images")

# Committed of a run: what decides it, where it ran, what it found.
KEPT = ("schema", "name", "ougi", "sources", "seed", "options", "machine", "seconds", "numbers")
LARGEST = 200_000  # bytes of a committed result

_DPI = 90
_COLORS = 64  # of a picture; its file is a third as large as with all of them

_FAN = """\
<!-- Made by `make docs` from results/reproduce-*.json; edits here are lost. -->

# The experiments of FAN and FAN2D, run again

Both theses ([papers](../papers.md)) were run again with their own protocol: their numbers beside ours, and
whether their claims hold. Where a text leaves something open the choice is ours and is said.

"""

_FAN_HOW = """\
## How to run them

```
ougi reproduce                                  # all of them, in sizes that take a few minutes
ougi reproduce --quick                          # to see that it works
ougi reproduce fan-accuracy --motions 100000    # the thesis's size
ougi reproduce fan-speed --data 10000           # the thesis's size
ougi reproduce fan-speed --one-pair             # a datum repeats one pair: the other reading of the text
ougi reproduce fan2d --start 30                 # the rectangle turned at the start
```

Tables and verdicts are printed; `out/reproduce` gets every figure (PNG, SVG, CSV) and one `report.html`. The
exit code is 1 if a binding claim does not hold. `fan-accuracy` keeps what is done: killed and called again it
goes on. It works on all cores; `--jobs 8` takes so many processes. From Python it works on any
`concurrent.futures.Executor`, a cluster's too (`pip install "ougi[distributed]"`). The numbers are the same:

```python
from distributed import Client, LocalCluster
from ougi_lab.reproduce import fan_accuracy

if __name__ == "__main__":  # the workers import this file
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster) as client:
        outcome = fan_accuracy.run(motions=500, executor=client.get_executor())
    assert outcome.numbers == fan_accuracy.run(motions=500).numbers
```

"""


_SORT = """\
<!-- Made by `make docs` from results/reproduce-*.json; edits here are lost. -->

# The experiments of SORT, run again

The thesis ([papers](../papers.md)) counts and times broad phases that sort. Its counts come out. Some of what
it concludes does not hold, and two passages, taken literally, lose contacts.

"""

_SORT_HOW = """\
## How to run it

```
ougi reproduce sort           # ten minutes or so; killed and called again it goes on
ougi reproduce sort --quick   # to see that it works
```

Tables and verdicts are printed; `out/reproduce` gets every figure (PNG, SVG, CSV) and one `report.html`. The
exit code is 1 if a binding claim does not hold. The methods are those of `ougi.candidate_pairs`: `brute`,
`origin`, `axes` (x, y, z), `xy`, `x`, `best-axis`; `ougi.broad.count_tests` counts their tests:

```python
import numpy as np
import ougi
from ougi.broad import count_tests

balls = ougi.Sphere(np.random.default_rng(0).uniform(-48, 48, (1000, 3)), 2)
tests = [count_tests(balls, method=method).tests for method in ("brute", "origin", "axes", "best-axis")]
assert tests == [499500, 85461, 40660, 35508]
```

"""


_RADAR = """\
<!-- Made by `make docs` from results/reproduce-*.json; edits here are lost. -->

# The experiments of RADAR, run again

The paper ([papers](../papers.md)) finds collisions in depth images. Its costs come out, as far as its text
tells them; its figures are pictures without numbers. Three of its errata decide what is measured here: the
bound of min(L) is the distance to move, not d (R1); pixels without a target are left out (R2); faces that the
motion leaves are not drawn (R10). What a pixel says is never early but late, and the centre and normal of all
pixels that close within the step (R8) are far off. Exact radars take the pixels only as a hint where to look.
Hands that grasp have [a page of their own](grasp.md), with pictures.

"""

_RADAR_HOW = """\
## How to run it

```
ougi reproduce radar           # some minutes
ougi reproduce radar --quick   # to see that it works
```

Without OpenGL (`pip install "ougi[gl]"`) the columns of OpenGL and of the normal draw are empty. Tables and
verdicts are printed; `out/reproduce` gets every figure (PNG, SVG, CSV) and one `report.html`. In Python:

```python
from ougi_lab.scenes.bouncing_radars import BouncingRadars

world = BouncingRadars(movers=50, seed=1)
for _ in range(5):
    world.step()
assert min(world.audit()) > 0  # nobody in a wall or in another
```

"""


_CORRIDOR = """\
<!-- Made by `make docs` from results/reproduce-*.json; edits here are lost. -->

# The experiment of CORRIDOR, run again

The paper ([papers](../papers.md)) follows an index along the wall in place of a tree. A rate capped at 62
frames per second hides what that saves; as printed the index runs away, and repaired it misses contacts. Its
idea, that the complexity of the wall should not matter, comes true for a wall compiled for the radius.

"""

_CORRIDOR_HOW = """\
## How to run it

```
ougi reproduce corridor           # some minutes
ougi reproduce corridor --quick   # to see that it works
```

Tables and verdicts are printed; `out/reproduce` gets every figure (PNG, SVG, CSV) and one `report.html`. In
Python:

```python
import numpy as np
import ougi
from ougi_lab.scenes.corridors import make_maze

room = ougi.Corridor(make_maze(4, np.random.default_rng(0), segments=10_000))
moved = room.step([0.0, 0.0], [3.0, 1.0], 0.05, dt=1.0)
assert bool(room.inside(moved.position)) and moved.bounces > 0
```

"""


@dataclass(frozen=True)
class Page:
    """Which experiments a page tells of, and what it says before."""

    path: Path
    experiments: tuple[str, ...]
    head: str
    how: str


PAGES = (
    Page(
        Path("docs/experiments/fan.md"),
        ("fan-accuracy", "fan2d", "fan-filter", "fan-speed"),
        _FAN,
        _FAN_HOW,
    ),
    Page(Path("docs/experiments/sort.md"), ("sort",), _SORT, _SORT_HOW),
    Page(Path("docs/experiments/radar.md"), ("radar",), _RADAR, _RADAR_HOW),
    Page(Path("docs/experiments/corridor.md"), ("corridor",), _CORRIDOR, _CORRIDOR_HOW),
)


def committed() -> dict[str, dict[str, Any]]:
    """Experiment -> its committed run, for those that have one."""
    found = {name: result(f"reproduce-{name}") for name in EXPERIMENTS}
    return {name: told for name, told in found.items() if told is not None}


def page(which: Page, runs: Mapping[str, dict[str, Any]]) -> str:
    """A whole page, of its committed runs by their experiments' names."""
    told = {name: runs[name] for name in which.experiments if name in runs}
    outcomes = {name: EXPERIMENTS[name].retold(run["numbers"]) for name, run in told.items()}
    sections = [_section(outcome, told[name]) for name, outcome in outcomes.items()]
    return "".join([which.head, _overview(outcomes, told), which.how, *sections])


def _overview(outcomes: Mapping[str, Outcome], runs: Mapping[str, dict[str, Any]]) -> str:
    rows = tuple(
        (f"[{name}](#{name})", outcome.title, summary(outcome.verdicts), took(runs[name]["seconds"]))
        for name, outcome in outcomes.items()
    )
    remark = "Where the machine was shared with other work, the CPU time says more than the clock."
    return _lines(Table("", ("experiment", "what", "claims", "took"), rows)) + f"\n{BINDING} {remark}\n\n"


def _section(outcome: Outcome, told: dict[str, Any]) -> str:
    parts = [f"## {outcome.name}\n\n{outcome.title}.\n\n", _verdicts(outcome.verdicts)]
    for table in outcome.tables:
        note = f"\n{_escaped(table.note)}\n" if table.note else ""
        parts.append(f"**{_escaped(table.title)}**\n\n{_lines(table)}{note}\n")
    parts += [f"* {_escaped(note)}\n" for note in outcome.notes]
    parts += ["\n", _figures(outcome), _origin(outcome, told)]
    return "".join(parts)


def _verdicts(verdicts: Sequence[Verdict]) -> str:
    rows = tuple((judged(v), v.claim, v.detail, "yes" if v.binding else "no") for v in verdicts)
    return _lines(Table("", ("verdict", "claim", "found", "binding"), rows)) + "\n" if rows else ""


def _lines(table: Table) -> str:
    """A table as Markdown has it."""
    sides = ["---:" if numeric(table, k) else "---" for k in range(len(table.columns))]
    rows = [table.columns, *(tuple(map(text, row)) for row in table.rows)]
    lines = [f"| {' | '.join(map(_escaped, row))} |" for row in rows]
    lines.insert(1, f"|{'|'.join(sides)}|")
    return "\n".join(lines) + "\n"


def _escaped(words: str) -> str:
    for sign in ("|", "*"):
        words = words.replace(sign, f"\\{sign}")
    return words


def _figures(outcome: Outcome) -> str:
    """One below the other; small ones two by two."""
    large = [figure for figure in outcome.figures if not figure.small]
    small = [figure for figure in outcome.figures if figure.small]
    parts = []
    if small:
        cells = [f"{_image(outcome.name, figure)}<br>{_escaped(figure.title)}" for figure in small]
        cells += [""] * (len(cells) % 2)
        rows = [f"| {a} | {b} |\n" for a, b in zip(cells[::2], cells[1::2], strict=True)]
        parts += ["| | |\n|---|---|\n", *rows, "\n"]
    parts += [f"{_image(outcome.name, figure)}\n\n*{_escaped(figure.title)}*\n\n" for figure in large]
    return "".join(parts)


def _image(experiment: str, figure: Figure) -> str:
    return f"![{figure.title}](images/{_picture(experiment, figure)})"


def _picture(experiment: str, figure: Figure) -> str:
    return f"{experiment}-{figure.name}.png"


def _origin(outcome: Outcome, told: dict[str, Any]) -> str:
    """Parameters, machine, versions and date."""
    parameters = "; ".join(f"{key} {text(value)}" for key, value in outcome.parameters.items())
    m = told["machine"]
    versions = (
        ", ".join(f"{name} {m[name]}" for name in ("ougi", "numpy", "numba")) + f", Python {m['python']}"
    )
    return (
        f"Parameters: {_escaped(parameters)}; seed {told['seed']}.\n\n"
        f"Run on {m['date'][:10]}: {m['cpu']}, {m['cores']} cores, {m['platform']}; {versions}; sources "
        f"`{told['sources']}`; took {took(told['seconds'])}. Numbers: "
        f"`results/reproduce-{outcome.name}.json`.\n\n"
    )


# --- pictures ---------------------------------------------------------------------------------------------


def mark(told: dict[str, Any]) -> str:
    """A digest of a run's numbers, which its pictures carry."""
    return hashlib.sha256(json.dumps(told["numbers"], sort_keys=True).encode()).hexdigest()[:16]


def pictures(runs: Mapping[str, dict[str, Any]]) -> dict[str, str]:
    """File name -> digest of the numbers that the picture is of."""
    return {
        _picture(name, figure): mark(told)
        for name, told in runs.items()
        for figure in EXPERIMENTS[name].retold(told["numbers"]).figures
    }


def _write_pictures(folder: Path, runs: Mapping[str, dict[str, Any]]) -> None:
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.png"):
        path.unlink()
    for name, told in runs.items():
        facts = PngInfo()
        facts.add_text("numbers", mark(told))
        for figure in EXPERIMENTS[name].retold(told["numbers"]).figures:
            with io.BytesIO() as buffer:
                drawn(figure).savefig(buffer, format="png", dpi=_DPI)
                small = Image.open(buffer).convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE)
            small.save(folder / _picture(name, figure), optimize=True, pnginfo=facts)


# --- the command ------------------------------------------------------------------------------------------


def take_over(output: Path, results: Path) -> list[str]:
    """Copy what is kept of the runs in a folder of `ougi reproduce`; their names."""
    taken = []
    for name in EXPERIMENTS:
        path = output / name / "outcome.json"
        if path.is_file():
            told = json.loads(path.read_text(encoding="utf-8"))
            kept = as_json({key: told[key] for key in KEPT})
            if len(kept.encode()) > LARGEST:
                raise InvalidInputError(f"{path} is too large to be committed: {len(kept)} > {LARGEST} bytes")
            (results / f"reproduce-{name}.json").write_text(kept, encoding="utf-8")
            taken.append(name)
    if not taken:
        raise InvalidInputError(f"{output} holds no run: run `ougi reproduce --output {output}` first")
    return taken


def main(arguments: Sequence[str]) -> None:
    """Write pages and pictures into the repository."""
    from ougi_lab.machine import sources

    if not (ROOT / "pyproject.toml").is_file():
        raise InvalidInputError("the pages are part of the repository; run this in a checkout of it")
    for output in arguments:
        taken = take_over(Path(output), ROOT / "lab" / "results")
        sys.stdout.write(f"results: {', '.join(taken)} of {output}\n")
    runs = committed()
    _write_pictures(ROOT / PICTURES, runs)
    for which in PAGES:
        (ROOT / which.path).write_text(page(which, runs), encoding="utf-8")
    sys.stdout.write(f"written: {', '.join(str(which.path) for which in PAGES)} and {PICTURES}\n")
    for name, told in runs.items():
        if told["sources"] != sources():
            sys.stdout.write(
                f"note: {name} was run with other sources ({told['sources']}, now {sources()}); "
                "the tests tell whether its counts still hold\n"
            )


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except InvalidInputError as error:
        sys.exit(f"ougi: {error}")
