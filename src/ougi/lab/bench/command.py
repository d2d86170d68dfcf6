"""The command `ougi bench`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ougi.errors import InvalidInputError

if TYPE_CHECKING:
    from ougi.lab.bench.show import Table

# (count, listed, tests with peers, repeats) that --quick does not exceed.
_QUICK = (2_000, 5_000, 100, 3)
_PEER_TESTS = 2_000


def bench(
    subject: Literal["narrow", "start"],
    *pairs: str,
    count: int = 100_000,
    listed: int = 1_000_000,
    repeats: int = 15,
    quick: bool = False,
    format: Literal["table", "json"] = "table",
    output: Path | None = None,
) -> int:
    """Measure ougi on this machine, beside a memory copy and beside other libraries.

    `narrow` asks every pair of shapes whether and how far they touch, on one thread, and states each cost as
    a multiple of copying the shapes' numbers. `start` measures imports and first answers in fresh processes.

    Parameters
    ----------
    subject
        `narrow` or `start`.
    pairs
        Only these, for `narrow`: classes (Box), pairs (Sphere-Box), kernels (sphere_box), 2d or 3d.
    count
        Shapes in a batch: one shape is tested against so many.
    listed
        Listed pairs, drawn at random from two batches.
    repeats
        Rounds of which the median is taken; listed pairs take a third of them.
    quick
        Small sizes and few rounds: to see that it works, not how fast.
    format
        `table`, or `json` for machines.
    output
        Also write the result to this file: FILE.json, or FILE.txt for the table.
    """
    for name, value in (("count", count), ("listed", listed), ("repeats", repeats)):
        if value < 1:
            raise InvalidInputError(f"{name} must be positive, got {value}")
    if output is not None and output.suffix not in (".json", ".txt"):
        raise InvalidInputError(f"output must end in .json or .txt, got {output.name!r}")
    if subject == "start" and pairs:
        raise InvalidInputError(f"bench start takes no pairs, got {' '.join(pairs)}")
    limits = (count, listed, _PEER_TESTS, repeats)
    sizes = tuple(map(min, limits, _QUICK)) if quick else limits
    result, tables = _narrow(pairs, *sizes) if subject == "narrow" else _start(sizes[-1])
    _write(result, tables, format, output)
    return 0


def _narrow(
    names: tuple[str, ...], count: int, listed: int, peer_tests: int, repeats: int
) -> tuple[dict[str, Any], list[Table]]:
    from dataclasses import asdict

    from ougi.lab.bench import narrow, peers, show
    from ougi.lab.compile import announce

    announce()
    chosen = narrow.cases(names)
    rows = list(_tracked(narrow.rows(chosen, count, listed, repeats), "pairs", len(chosen)))
    others = list(_tracked(peers.rows(chosen, peer_tests, repeats), "other libraries", None))
    parameters = {
        "pairs": list(names),
        "count": count,
        "listed": listed,
        "peer_tests": peer_tests,
        "repeats": repeats,
        "seed": narrow.SEED,
        "threads": 1,
    }
    result = _result("narrow", parameters, [asdict(row) for row in rows])
    result["peers"] = [asdict(row) for row in others]
    tables = [show.narrow_table(rows), *([show.peers_table(others)] if others else [])]
    return result, tables


def _start(repeats: int) -> tuple[dict[str, Any], list[Table]]:
    from dataclasses import asdict

    from ougi.lab.bench import show, start

    sys.stderr.write(f"starting {6 * (repeats + 1)} processes\n")
    rows, loads_numba = start.rows(repeats), start.loads_numba()
    result = _result("start", {"repeats": repeats}, [asdict(row) for row in rows])
    result["import_ougi_loads_numba"] = loads_numba
    return result, [show.start_table(rows, loads_numba)]


def _result(subject: str, parameters: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    from ougi.lab.machine import machine

    return {"schema": f"ougi-bench-{subject}/1", "machine": machine(), "parameters": parameters, "rows": rows}


def _tracked(rows: Any, what: str, total: int | None) -> Any:
    """Show progress on the standard error stream."""
    from rich.console import Console
    from rich.progress import track

    return track(rows, f"measuring {what} (compiles what is new)", total, console=Console(stderr=True))


def _write(result: dict[str, Any], tables: list[Table], format: str, output: Path | None) -> None:
    from ougi.lab.bench import show

    as_json = json.dumps(result, indent=1, allow_nan=False) + "\n"
    if format == "json":
        sys.stdout.write(as_json)
    else:
        show.show(tables)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        as_text = "\n".join(map(show.plain, tables))
        output.write_text(as_json if output.suffix == ".json" else as_text, encoding="utf-8")
