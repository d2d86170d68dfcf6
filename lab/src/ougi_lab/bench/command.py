"""The command `ougi bench`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from ougi.errors import InvalidInputError

if TYPE_CHECKING:
    from ougi.cli.tables import Table

# (count, listed, tests, repeats) that --quick does not exceed.
_QUICK = (2_000, 5_000, 100, 3)


def bench(
    subject: Literal[
        "narrow", "ccd", "broad", "world", "radar", "cuda", "games", "view", "corridor", "start"
    ],
    /,
    *pairs: str,
    count: int = 100_000,
    listed: int = 1_000_000,
    tests: int = 2_000,
    repeats: int = 15,
    quick: bool = False,
    large: bool = False,
    plot: Path | None = None,
    format: Literal["table", "json"] = "table",
    output: Path | None = None,
) -> int:
    """Measure ougi on this machine, beside a memory copy and beside other libraries.

    `narrow` asks every pair of shapes whether and how far they touch, on one thread, and states each cost as
    a multiple of copying the shapes' numbers. `ccd` asks when turning bodies first touch: what tools miss,
    how far their times are off and what they cost, by ranges of angles; and large arrays, beside targets.
    `broad` finds candidate pairs in crowds of a thousand to half a million bodies. `world` lets ten thousand
    bodies step, beside physics engines. `radar` asks for first contacts of meshes, beside coal and
    python-fcl. `cuda` measures a GPU beside its own copy and beside the CPU. `games` counts the hits of a
    blade that game libraries find, with ougi and without. `view` moves the viewer's slider. `corridor`
    moves circles between walls of up to a million segments. `start` measures imports and first answers in
    fresh processes.

    Parameters
    ----------
    subject
        `narrow`, `ccd`, `broad`, `world`, `radar`, `cuda`, `games`, `view`, `corridor` or `start`.
    pairs
        Only these: classes (Box) and pairs (Sphere-Box); for `narrow` also kernels (sphere_box), 2d or 3d;
        for `broad` scenes (i, ii, iii, iv, or box, even, clusters, rods); for `world` plane or space; for
        `radar` words of questions (boxes); for `cuda` kernels, layouts and questions.
    count
        Shapes in a batch: one shape is tested against so many; swings in a large array.
    listed
        Listed pairs, drawn at random from two batches, for `narrow`.
    tests
        Tests with other libraries, for each pair and question, or pair and range of angles.
    repeats
        Rounds of which the median is taken; listed pairs and other libraries' swings take a third of them.
    quick
        Small sizes and few rounds: to see that it works, not how fast.
    large
        For `broad`: five million bodies too, but in the box, where they would have too many pairs (some
        minutes more, and 5 GB of memory).
    plot
        For `broad`: draw times and fitted exponents to this file (.png, .svg or .pdf).
    format
        `table`, or `json` for machines.
    output
        Also write the result to this file: FILE.json, or FILE.txt for the table.
    """
    for name, value in (("count", count), ("listed", listed), ("tests", tests), ("repeats", repeats)):
        if value < 1:
            raise InvalidInputError(f"{name} must be positive, got {value}")
    if output is not None and output.suffix not in (".json", ".txt"):
        raise InvalidInputError(f"output must end in .json or .txt, got {output.name!r}")
    if (large or plot is not None) and subject != "broad":
        raise InvalidInputError(f"bench {subject} takes neither --large nor --plot; they are for bench broad")
    if plot is not None and plot.suffix not in (".png", ".svg", ".pdf"):
        raise InvalidInputError(f"plot must end in .png, .svg or .pdf, got {plot.name!r}")
    if subject in ("games", "view", "corridor", "start") and pairs:
        raise InvalidInputError(f"bench {subject} takes no pairs, got {' '.join(pairs)}")
    limits = (count, listed, tests, repeats)
    count, listed, tests, repeats = map(min, limits, _QUICK) if quick else limits
    asked = _Asked(pairs, count, listed, tests, repeats, quick, large, plot)
    result, tables = _SUBJECTS[subject](asked)
    _write(result, tables, format, output)
    return 0


class _Asked(NamedTuple):
    """What was asked of a subject, as `bench` has it."""

    names: tuple[str, ...]
    each: int
    listed: int
    tests: int
    repeats: int
    quick: bool
    large: bool
    plot: Path | None


_Measured: TypeAlias = "tuple[dict[str, Any], list[Table]]"


def _narrow(asked: _Asked) -> _Measured:
    from ougi.cli.warmup import announce
    from ougi_lab.bench import narrow, peers, show

    announce()
    names, count, listed, tests, repeats = asked[:5]
    chosen = narrow.cases(names)
    rows = list(_tracked(narrow.rows(chosen, count, listed, repeats), "pairs", len(chosen)))
    others = list(_tracked(peers.rows(chosen, tests, repeats), "other libraries", None))
    parameters = {
        "pairs": list(names),
        "count": count,
        "listed": listed,
        "tests": tests,
        "repeats": repeats,
        "seed": narrow.SEED,
        "threads": 1,
    }
    result = _result("narrow", parameters, [asdict(row) for row in rows])
    result["peers"] = [asdict(row) for row in others]
    tables = [show.narrow_table(rows), *([show.peers_table(others)] if others else [])]
    return result, tables


def _ccd(asked: _Asked) -> _Measured:
    from ougi.cli.warmup import announce
    from ougi_lab.bench import ccd, ccd_peers, ccd_show
    from ougi_lab.scenes import swings

    names, count, _, tests, repeats = asked[:5]
    pairs = ccd.chosen(names)
    load = _load()
    announce()
    kinds = sum(kind.pair in pairs for kind in ccd.THROUGHPUT)
    speeds = list(_tracked(ccd.speeds(pairs, count, repeats), "large arrays", kinds))
    cells = _tracked(ccd.rows(pairs, tests, -(-repeats // 3)), "swings", ccd.cells(pairs))
    rows = [row for cell in cells for row in cell]
    parameters = {
        "pairs": list(names),
        "count": count,
        "tests": tests,
        "repeats": repeats,
        "seed": ccd.SEED,
        "threads": 1,
        "left_out_within_m": swings.NEAR,
        "large_arrays_degrees": ccd.DEGREES,
        "load_before": load,
    }
    result = _result("ccd", parameters, [asdict(row) for row in rows])
    result["versions"] = ccd_peers.versions()
    result["large_arrays"] = [asdict(row) for row in speeds]
    tables = [ccd_show.speeds_table(speeds, load), *ccd_show.tool_tables(rows, result["versions"])]
    return result, tables


def _broad(asked: _Asked) -> _Measured:
    import ougi
    from ougi.cli.warmup import announce
    from ougi_lab.bench import broad, broad_peers, broad_show

    scenes, quick, repeats, plot = broad.chosen(asked.names), asked.quick, asked.repeats, asked.plot
    if plot is not None:
        broad_show.require_plotting()
    load = _load()
    announce()
    numbers = broad.NUMBERS[:1] if quick else (*broad.NUMBERS, *((broad.LARGE,) if asked.large else ()))
    of_few = broad.FEW[:2] if quick else broad.FEW
    few = list(_tracked(broad.few(scenes, of_few, repeats), "a few bodies", len(scenes) * len(of_few)))
    total = sum(len(broad.numbers_of(scene, numbers)) for scene in scenes)
    rows = list(_tracked(broad.rows(scenes, numbers, repeats), "crowds", total))
    parameters = {
        "scenes": scenes,
        "numbers": list(numbers),
        "repeats": repeats,
        "seed": broad.SEED,
        "threads": ougi.get_threads(),
        "load_before": load,
    }
    result = _result("broad", parameters, [asdict(row) for row in rows])
    result["versions"] = broad_peers.versions()
    result["few"] = [asdict(row) for row in few]
    result["growth"] = broad.growth(rows)
    result["targets"] = [asdict(v) for v in broad.verdicts(rows, few)]
    if plot is not None:
        broad_show.plot(rows, plot)
    return result, broad_show.tables(rows, result["versions"], few)


def _games(asked: _Asked) -> _Measured:
    from ougi.cli.warmup import announce
    from ougi_lab.bench import games, games_players

    announce()
    strokes, speeds = (2, games.SPEEDS[3:]) if asked.quick else (games.STROKES, games.SPEEDS)
    rows = list(_tracked(games.rows(strokes, speeds), "strokes", len(speeds) * len(games.RATES)))
    parameters = {"strokes": strokes, "targets": games.TARGETS, "seed": games.SEED}
    result = _result("games", parameters, [asdict(row) for cell in rows for row in cell])
    result["versions"] = games_players.versions()
    return result, [games.table(rows)]


def _view(asked: _Asked) -> _Measured:
    from ougi.cli.warmup import announce
    from ougi_lab.bench import view

    announce()
    numbers, updates = (view.NUMBERS[:1], 20) if asked.quick else (view.NUMBERS, 200)
    rows = list(_tracked(view.rows(numbers, updates), "updates", len(numbers)))
    parameters = {"numbers": list(numbers), "updates": updates, "seed": view.SEED}
    return _result("view", parameters, [asdict(row) for row in rows]), [view.table(rows)]


def _radar(asked: _Asked) -> _Measured:
    from ougi._jit import one_thread
    from ougi.cli.warmup import announce
    from ougi_lab.bench import radar, radar_show

    load = _load()
    announce()
    names, repeats = asked.names, asked.repeats
    with one_thread():
        rows = list(_tracked(radar.rows(repeats, names), "first contacts", None))
        rows += [] if names else radar.many_radars(repeats)
    parameters = {"questions": list(names), "repeats": repeats, "seed": radar.SEED, "load_before": load}
    return _result("radar", parameters, [asdict(row) for row in rows]), [radar_show.table(rows, load)]


def _world(asked: _Asked) -> _Measured:
    import ougi
    from ougi.cli.warmup import announce
    from ougi_lab.bench import world, world_peers, world_show

    scenes, repeats = world.chosen(asked.names), asked.repeats
    load = _load()
    announce()
    n = _QUICK[0] if asked.quick else world.NUMBER
    rows = list(_tracked(world.rows(scenes, n, repeats), "steps", len(scenes)))
    parameters = {
        "scenes": scenes,
        "n": n,
        "repeats": repeats,
        "seed": world.SEED,
        "threads": ougi.get_threads(),
        "load_before": load,
    }
    result = _result("world", parameters, [asdict(row) for row in rows])
    result["versions"] = world_peers.versions()
    return result, world_show.tables(rows, result["versions"], load)


def _cuda(asked: _Asked) -> _Measured:
    import ougi
    from ougi_lab.bench import cuda, cuda_peers, cuda_scenes
    from ougi_lab.machine import gpu

    names, count, repeats = asked.names, asked.each, asked.repeats
    facts, chosen = gpu(), cuda.cases(names)
    copy = cuda.copy_bandwidth(repeats)
    rows = list(_tracked(cuda.rows(chosen, count, repeats, copy), "kernels", len(chosen)))
    parameters = {
        "kernels": list(names),
        "count": count,
        "repeats": repeats,
        "seed": cuda.SEED,
        "threads": ougi.get_threads(),
        "launches_in_a_row": cuda.IN_ROW,
    }
    result = _result("cuda", parameters, [asdict(row) for row in rows])
    result["machine"] |= facts
    result["copy_bytes_per_second"] = copy
    result["versions"] = cuda_peers.versions()
    tables = [cuda.kernel_table(rows, copy, facts["gpu"])]
    if not names:
        numbers = [n for n in (100_000, 1_000_000, 10_000_000) if n <= 10 * count] or [100]
        searches = list(_tracked(cuda.searches(numbers, repeats), "searches", len(numbers) + 1))
        fan = cuda.fan(min(100_000, count))
        looks = list(_tracked(cuda_scenes.radars(count, repeats, cuda.on_gpu), "radars", 3))
        walls = ("rough 1e5", "maze 1e6") if count >= 1_000_000 else ("rough 1e3",)
        crowds = cuda_scenes.crowds(walls, min(1_000_000, count), repeats, cuda.on_gpu)
        steps = list(_tracked(crowds, "crowds", 2 * len(walls)))
        result |= {"searches": [asdict(row) for row in searches], "fan_accuracy": asdict(fan)}
        result |= {"radars": [asdict(row) for row in looks], "crowds": [asdict(row) for row in steps]}
        tables += [cuda.search_table(searches), cuda.fan_table(fan)]
        tables += [cuda_scenes.radar_table(looks), cuda_scenes.crowd_table(steps)]
    return result, tables


def _corridor(asked: _Asked) -> _Measured:
    import ougi
    from ougi.cli.warmup import announce
    from ougi_lab.bench import corridor

    load = _load()
    announce()
    tests, repeats, quick = asked.tests, asked.repeats, asked.quick
    scenes = list(corridor.SCENES)[: 1 if quick else None]
    small = [name for name in scenes if corridor.SCENES[name][1] <= 10_000]
    casts = list(_tracked(corridor.casts(scenes, tests, repeats), "casts", 2 * len(scenes)))
    frames, characters = (10, 2_000) if quick else (120, corridor.WANTED[0])
    runs = list(_tracked(corridor.simulations(small, 200, frames), "simulations", 2 * len(small)))
    large = scenes if quick else ["rough 1e5", "rough 1e6", "maze 1e6"]
    crowds = list(_tracked(corridor.crowds(large, characters, 12), "crowds", len(large)))
    crowds.append(corridor.crowds_among(small[-1], characters // 10, 12))
    parameters = {"tests": tests, "repeats": repeats, "seed": corridor.SEED, "threads": ougi.get_threads()}
    result = _result("corridor", {**parameters, "load_before": load}, [asdict(row) for row in casts])
    result["simulations"] = [asdict(row) for row in runs]
    result["crowds"] = [asdict(row) for row in crowds]
    result["versions"] = corridor.versions()
    return result, corridor.tables(casts, runs, crowds, load)


def _start(asked: _Asked) -> _Measured:
    from ougi_lab.bench import show, start

    repeats = asked.repeats
    sys.stderr.write(f"starting {6 * (repeats + 1)} processes\n")
    rows, loads_numba = start.rows(repeats), start.loads_numba()
    result = _result("start", {"repeats": repeats}, [asdict(row) for row in rows])
    result["import_ougi_loads_numba"] = loads_numba
    return result, [show.start_table(rows, loads_numba)]


_SUBJECTS: dict[str, Callable[[_Asked], _Measured]] = {
    "narrow": _narrow,
    "ccd": _ccd,
    "broad": _broad,
    "world": _world,
    "radar": _radar,
    "cuda": _cuda,
    "games": _games,
    "view": _view,
    "corridor": _corridor,
    "start": _start,
}


def _load() -> float | None:
    """What else the machine does; to be asked before our own work adds to it."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def _result(subject: str, parameters: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    from ougi.cli.machine import machine

    return {"schema": f"ougi-bench-{subject}/1", "machine": machine(), "parameters": parameters, "rows": rows}


def _tracked(rows: Iterable[Any], what: str, total: int | None) -> Iterator[Any]:
    """The rows as they are measured, with progress."""
    from ougi.cli.progress import show_progress

    with show_progress(f"measuring {what}") as update:
        for k, row in enumerate(rows, 1):
            update(k, total)
            yield row


def _write(result: dict[str, Any], tables: list[Table], format: str, output: Path | None) -> None:
    from ougi.cli.tables import plain, show

    as_json = json.dumps(result, indent=1, allow_nan=False) + "\n"
    if format == "json":
        sys.stdout.write(as_json)
    else:
        show(tables)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        as_text = "\n".join(map(plain, tables))
        output.write_text(as_json if output.suffix == ".json" else as_text, encoding="utf-8")
