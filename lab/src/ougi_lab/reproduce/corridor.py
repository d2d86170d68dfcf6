"""CORRIDOR chapter 4: frames per second of four broad phases, and what a capped rate hides.

The paper lets one character move in a corridor for 30 s and plots frames per second, at most 62, without
partition, with a quad-tree, a kd-tree and its groups; N, k and the corridor are not in the text. We run its
narrow phase (sec. 3.1) behind all four in a strip, the only shape for which its groups are defined, with one
and with many characters, by CPU time. With `--draw` every frame is drawn in a window without a screen.
Beside it: nanoseconds for each character and frame, the contacts that its groups miss on exact trajectories,
the characters that leave the corridor, and the future work of the paper, longer and more complex walls and
faster characters, with exact structures.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ougi.cli.tables import Table
from ougi.errors import InvalidInputError
from ougi_lab.figures.corridor import draw_corridor
from ougi_lab.measure import CLOCK
from ougi_lab.reproduce import charts
from ougi_lab.reproduce import corridor_measure as measure
from ougi_lab.reproduce.corridor_measure import EXACT, METHODS, RADIUS
from ougi_lab.reproduce.experiment import Claim, Figure, Outcome, evaluate

K = 8
GROUPS = (4, 8, 16, 32)
SEGMENTS = (100, 1_000, 10_000)
CHARACTERS = (1, 100, 10_000, 30_000, 100_000)
# Seconds of figure 4 with more characters than MANY, of which a frame takes long.
MANY, MANY_SECONDS = 10_000, 3
# A method falls below the paper's rate if it makes fewer frames per second.
SMOOTH = 60
SPEEDS = (0.1, 1.0)
# Audited: segments, k, radii per frame.
AUDITED = (
    (200, 8, 0.03),
    (200, 8, 1.0),
    (2_000, 8, 0.3),
    (2_000, 32, 0.3),
    (20_000, 8, 0.03),
    (20_000, 32, 0.3),
)
ESCAPES = ((200, 0.03), (200, 0.3), (200, 3.0), (2_000, 0.03), (2_000, 0.3), (2_000, 3.0))
FAST = (0.1, 1.0, 20.0)
CHARACTER_COUNTS = (1, 100, 1_000, 100_000)
# Tests of all segments that one measurement may take.
_MAX_TESTS = 2e8


def run(
    *,
    seconds: int = 30,
    largest: int = 1_000_000,
    audit: int = 400,
    draw: bool = False,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Run figure 4, count what is missed, and measure exact structures.

    Parameters
    ----------
    seconds
        Of figure 4; 30 in the paper.
    largest
        Segments of the most complex wall.
    audit
        Frames of 100 characters with an audit of contacts; five times as many to count characters that leave.
    draw
        Draw every frame of figure 4 in a window without a screen, which the extra `pygame` makes.
    seed
        Decides the characters.
    progress
        Called with the parts done and all parts.
    """
    for name, value in (("seconds", seconds), ("largest", largest), ("audit", audit)):
        if value < 1:
            raise InvalidInputError(f"{name} must be positive, got {value}")
    sizes = [n for n in (100, 1_000, 10_000, 100_000, 1_000_000) if n <= max(largest, 100)]
    parts = [4, 1, len(AUDITED), len(ESCAPES), 2 * len(sizes), 1]
    done = 0

    def tick(k: int = 1) -> None:
        nonlocal done
        done += k
        if progress is not None:
            progress(done, sum(parts))

    numbers: dict[str, Any] = {
        "seconds": seconds, "largest": largest, "audit": audit, "seed": seed, "drawn": draw,
        "clock": CLOCK.name,
    }  # fmt: skip
    numbers["frames"] = _measure_frames(seconds, seed, draw)
    tick(4)
    numbers["cost"] = _measure_costs(seed)
    tick()
    numbers["missed"] = []
    for segments, k, speed in AUDITED:
        numbers["missed"].append(measure.count_missed(segments, k, speed, 100, audit, seed))
        tick()
    numbers["escaped"] = []
    for segments, speed in ESCAPES:
        numbers["escaped"].append(measure.measure_escaped(segments, speed, 100, 5 * audit, seed))
        tick()
    numbers["exact"] = {"rough": [], "mazes": []}
    for n in sizes:
        for family, cells in (("rough", 4), ("mazes", max(2, round((n / 30) ** 0.5)))):
            corridor = measure.build_maze(cells, n)
            costs = {
                str(speed): measure.measure_exact_cost(corridor, speed, 1000, seed, EXACT) for speed in FAST
            }
            numbers["exact"][family].append({"segments": len(corridor.segments), "costs": costs})
            tick()
    rough, large = (
        measure.build_maze(cells, sizes[-1]) for cells in (4, max(2, round((sizes[-1] / 30) ** 0.5)))
    )
    numbers["throughput"] = [
        {"corridor": name, "characters": count, "structure": structure,
         **measure.measure_frame_times(corridor, 1.0, count, 20, seed, structure)}
        for name, corridor in (("more complex wall", rough), ("larger maze", large))
        for count in CHARACTER_COUNTS
        for structure in ("quadtree", "reach")
        if structure == "reach" or count <= 1_000
    ]  # fmt: skip
    tick()
    return build_outcome(numbers)


def _measure_frames(seconds: int, seed: int, draw: bool) -> dict[str, dict[str, Any]]:
    corridor = measure.build_strip(SEGMENTS[-1])
    window = measure.GameWindow(corridor) if draw else None
    found: dict[str, dict[str, Any]] = {}
    for count in CHARACTERS:
        state = measure.draw_state(corridor, count, 1.0, seed)
        length = seconds if count <= MANY else min(seconds, MANY_SECONDS)
        found[str(count)] = {
            method: measure.measure_frames(
                measure.PublishedRun(corridor, method, K, state),
                length,
                None if window is None else window.draw,
            )
            for method in METHODS
        }
    return found


def _measure_costs(seed: int) -> list[dict[str, Any]]:
    """Published methods by N, k and speed."""
    found = []
    for segments in SEGMENTS:
        corridor = measure.build_strip(segments)
        for k in GROUPS if segments == SEGMENTS[-1] else (K,):
            for speed in SPEEDS:
                count = int(max(10, min(1000, _MAX_TESTS / segments / 20)))
                row: dict[str, Any] = {"segments": segments, "k": k, "speed": speed}
                for method in METHODS:
                    row[method] = measure.measure_published_cost(corridor, method, k, speed, count, seed)
                found.append(row)
    return found


def build_outcome(numbers: dict[str, Any]) -> Outcome:
    """Tables, figures and verdicts."""
    return Outcome(
        name="corridor",
        title="Frames per second in a corridor, and what they hide (CORRIDOR 4)",
        parameters={
            "strip": "20 x 0.6, walls leave their line by up to 0.15",
            "radius": RADIUS,
            "k": K,
            "seconds": numbers["seconds"],
            "audited frames": numbers["audit"],
            "clock": numbers["clock"],
        },
        tables=(
            _build_fps_table(numbers),
            _build_load_table(numbers),
            _build_cost_table(numbers),
            _build_missed_table(numbers),
            _build_escaped_table(numbers),
            *(table for family in ("rough", "mazes") for table in _build_exact_tables(numbers, family)),
            _build_throughput_table(numbers),
        ),
        figures=(
            _build_scene_figure(),
            _build_fps_figure(numbers),
            _build_exact_figure(numbers),
            _build_speed_figure(numbers),
        ),
        verdicts=evaluate(
            _CLAIMS, numbers, paper="CORRIDOR", enough=numbers["seconds"] >= 3 and numbers["audit"] >= 100
        ),
        notes=(
            "The paper gives neither N nor k nor the corridor, and its curves exist only in a figure. So "
            "there are no numbers to compare with ours.",
            "All published methods use the narrow phase of section 3.1: one test in a frame and mirror "
            "reflection. An end point is tested with the segment that starts there. Repaired groups also "
            "require an approach.",
            "With this narrow phase characters leave the corridor. There is nothing to test outside, so "
            "rates rise with the seconds.",
            "More complex walls are one maze of 4 x 4 cells with ever more segments. Larger mazes have 30 "
            "segments for each cell. All circles have one radius. `reach` is compiled for it, the others "
            "serve any radius.",
            "Times are the best of five frames of 1,000 characters on one thread. All structures end in "
            "the same places, to the last bit.",
        ),
        numbers=numbers,
    )


def _build_fps_table(numbers: dict[str, Any]) -> Table:
    rows = tuple(
        (
            int(count),
            method,
            each["ms"],
            min(each["fps"]),
            sum(each["fps"]) / len(each["fps"]),
            max(each["fps"]),
            f"{sum(x < SMOOTH for x in each['fps'])} of {len(each['fps'])}",
        )
        for count, methods in numbers["frames"].items()
        for method, each in methods.items()
    )
    columns = ("characters", "method", "ms of a frame", "min FPS", "mean", "max", f"seconds below {SMOOTH}")
    note = "By CPU time, at most 62. " + (
        "Every frame is drawn." if numbers["drawn"] else "Nothing is drawn; the paper counts drawings."
    )
    title = "Figure 4: frames per second, strip of 10,000 segments, 1 radius per frame"
    return Table(title, columns, rows, (note,))


def _find_load(numbers: dict[str, Any], method: str) -> int:
    """The number of characters at which a method falls below 60 FPS, by the cost of one among the most."""
    counts = [int(count) for count in numbers["frames"]]
    for low, high in itertools.pairwise(counts):
        first, second = (numbers["frames"][str(count)][method]["ms"] for count in (low, high))
        if second > 1e3 / SMOOTH:
            share = (1e3 / SMOOTH - first) / (second - first)
            return int(low + max(share, 0.0) * (high - low))
    return int(counts[-1] * 1e3 / SMOOTH / numbers["frames"][str(counts[-1])][method]["ms"])


def _build_load_table(numbers: dict[str, Any]) -> Table:
    rows = tuple((method, _find_load(numbers, method)) for method in METHODS)
    note = "Interpolated between the measured numbers of characters; beyond 100,000 in proportion."
    return Table(
        f"Characters at which a method falls below {SMOOTH} FPS", ("method", "characters"), rows, (note,)
    )


def _build_cost_table(numbers: dict[str, Any]) -> Table:
    rows = tuple(
        (row["segments"], row["k"], row["speed"], *(row[method][what] for method in METHODS))
        for what in ("ns", "tests")
        for row in numbers["cost"]
    )
    half = len(rows) // 2
    named = tuple((("ns" if i < half else "tests"), *row) for i, row in enumerate(rows))
    columns = ("what", "N", "k", "r/frame", *(method.replace("groups, ", "") for method in METHODS))
    note = "Nanoseconds, and segments tested. A frame of 62 FPS has 16 ms."
    return Table("Published methods, for each character and frame", columns, named, (note,))


def _build_missed_table(numbers: dict[str, Any]) -> Table:
    rows = tuple(
        (m["segments"], m["k"], m["speed"], m["contacts"],
         *(100 * m[variant] / max(m["contacts"], 1) for variant in ("printed", "repaired")))
        for m in numbers["missed"]
    )  # fmt: skip
    columns = ("N", "k", "r/frame", "contacts", "printed %", "repaired %")
    note = "Contacts of exact trajectories whose segment is not in the group that the index names."
    return Table("Contacts that the groups miss", columns, rows, (note,))


def _build_escaped_table(numbers: dict[str, Any]) -> Table:
    names = ("printed", "repaired", "narrow phase alone", "narrow phase with approach", "reach")
    rows = tuple((e["segments"], e["speed"], *(100 * e[name] for name in names)) for e in numbers["escaped"])
    columns = ("N", "r/frame", "printed %", "repaired %", "all segments %", "and approach %", "reach %")
    note = f"Of 100 characters, after {5 * numbers['audit']:,} frames; k = {K}."
    return Table("Characters outside of the corridor", columns, rows, (note,))


def _build_exact_tables(numbers: dict[str, Any], family: str) -> tuple[Table, Table]:
    times, tests = [], []
    for size in numbers["exact"][family]:
        built = max(cost["reach"]["build_s"] for cost in size["costs"].values())  # later ones find it built
        for speed, cost in size["costs"].items():
            reach, quad = cost["reach"], cost["quadtree"]
            at = (size["segments"], float(speed))
            times.append((*at, *(cost[name]["ns"] for name in EXACT), quad["ns"] / reach["ns"]))
            reaches = (reach["tests"], reach["worst"], cost["kept"], built, reach["bytes"] / 1e6)
            tests.append((*at, quad["tests"], quad["worst"], *reaches))
    what = "ever more complex walls" if family == "rough" else "ever larger mazes"
    columns = ("N", "r/frame", "quad tests", "worst", "reach tests", "worst", "kept", "build", "MB")
    note = (
        "Tests are those of a character in a frame. `kept` are the edges and corners, of 2 N, that reach "
        "uses. Builds are in CPU seconds."
    )
    return (
        Table(
            f"ns for each character and frame, {what}", ("N", "r/frame", *EXACT, "quad/reach"), tuple(times)
        ),
        Table(f"Tests, build and memory, {what}", columns, tuple(tests), (note,)),
    )


def _build_throughput_table(numbers: dict[str, Any]) -> Table:
    rows = tuple(
        (c["corridor"], c["characters"], c["structure"], c["ns"], c["worst_us"])
        for c in numbers["throughput"]
    )
    columns = ("corridor", "characters", "structure", "ns", "worst frame us")
    n = numbers["exact"]["rough"][-1]["segments"]
    note = (
        f"About {n:,} segments, 1 radius per frame, one thread. A frame of 62 FPS has 16,129 us. With one "
        "character almost all of the time is that of the call itself."
    )
    return Table(
        "More characters: ns for each of them and frame, and the worst of 20 frames", columns, rows, (note,)
    )


# --- claims -----------------------------------------------------------------------------------------------


def _find_min_fps(numbers: dict[str, Any], count: int, *methods: str) -> float:
    """In any second, with this many characters."""
    return float(min(min(numbers["frames"][str(count)][method]["fps"]) for method in methods))


def _list_pictures(numbers: dict[str, Any], groups: str) -> list[int]:
    """The numbers of characters at which both trees fall below 62 FPS and the groups do not."""
    bound = 0.99 * measure.FPS
    return [
        count
        for count in CHARACTERS
        if max(_find_min_fps(numbers, count, tree) for tree in _TREES) < bound
        and _find_min_fps(numbers, count, groups) >= bound
    ]


def _format_pictures(numbers: dict[str, Any], groups: str) -> str:
    return ", ".join(f"{count:,}" for count in _list_pictures(numbers, groups)) or "no measured number"


def _format_loads(numbers: dict[str, Any]) -> str:
    return ", ".join(f"{method} {_find_load(numbers, method):,}" for method in METHODS)


def _compute_tree_growth(numbers: dict[str, Any], what: str, *methods: str) -> list[float]:
    """How a number of the cost table grows from 100 to 10,000 segments, at k = 8, for each speed."""
    rows = {(row["segments"], row["speed"]): row for row in numbers["cost"] if row["k"] == K}
    return [
        rows[SEGMENTS[-1], speed][method][what] / max(rows[SEGMENTS[0], speed][method][what], 1e-9)
        for speed in SPEEDS
        for method in methods
    ]


def _compute_speedups(numbers: dict[str, Any], groups: str) -> list[float]:
    """How many times as fast as the faster tree, in all rows of the cost table."""
    return [min(row[tree]["ns"] for tree in _TREES) / row[groups]["ns"] for row in numbers["cost"]]


def _format_range(values: list[float]) -> str:
    return f"{min(values):.2g} to {max(values):.2g}"


def _find_missed_share(numbers: dict[str, Any], variant: str) -> float:
    return float(max(m[variant] / max(m["contacts"], 1) for m in numbers["missed"]))


def _list_costs(numbers: dict[str, Any]) -> list[tuple[int, str, dict[str, Any]]]:
    """Segments, speed and costs of everything that was measured with exact structures."""
    sizes = [size for family in numbers["exact"].values() for size in family]
    return [(size["segments"], speed, cost) for size in sizes for speed, cost in size["costs"].items()]


def _are_all_equal(numbers: dict[str, Any]) -> bool:
    return all(cost["alike"] for _, _, cost in _list_costs(numbers))


def _compute_growth(numbers: dict[str, Any]) -> dict[float, float]:
    """Speed -> cost of reach with the most segments over that with the fewest."""
    first, last = (numbers["exact"]["rough"][k]["costs"] for k in (0, -1))
    return {speed: last[str(speed)]["reach"]["ns"] / first[str(speed)]["reach"]["ns"] for speed in FAST}


def _compute_gains(numbers: dict[str, Any], family: str) -> dict[float, float]:
    """Speed -> how many times as fast as the quad-tree reach is, with the most segments."""
    costs = numbers["exact"][family][-1]["costs"]
    return {speed: costs[str(speed)]["quadtree"]["ns"] / costs[str(speed)]["reach"]["ns"] for speed in FAST}


def _format_times(times: dict[float, float], digits: int) -> str:
    return ", ".join(f"{x:.{digits}f} times at {speed:g} r" for speed, x in times.items())


def _list_quadtree_wins(numbers: dict[str, Any]) -> str:
    wins = [
        f"N = {segments:,} at {speed} r"
        for segments, speed, cost in _list_costs(numbers)
        if cost["quadtree"]["ns"] < cost["reach"]["ns"]
    ]
    return ": " + ", ".join(wins) if wins else " nowhere"


_ALL, *_TREES, _PUBLISHED, _REPAIRED = METHODS
_CLAIMS: tuple[Claim[dict[str, Any]], ...] = (
    Claim(
        "with one character quad-tree and kd-tree often drop below 62 FPS",
        lambda n: _find_min_fps(n, 1, *_TREES) < 0.99 * measure.FPS,
        lambda n: f"min FPS {_find_min_fps(n, 1, *_TREES):.1f}; the broad phase takes microseconds of 16 ms",
        "5",
        binding=False,
        change="the paper's program, whose trees cost more than a broad phase does",
    ),
    Claim(
        "there is a load at which both trees drop below 62 FPS and the groups do not, as in figure 4",
        lambda n: bool(_list_pictures(n, _PUBLISHED)),
        lambda n: (
            f"characters: {_format_pictures(n, _PUBLISHED)} as printed, "
            f"{_format_pictures(n, _REPAIRED)} repaired; at 60 FPS: {_format_loads(n)}"
        ),
        "5",
        binding=False,
        change="a faster or slower machine moves the load, not the order of the methods",
    ),
    Claim(
        "the groups are always at 62 FPS, with one character",
        lambda n: _find_min_fps(n, 1, _PUBLISHED) >= 0.99 * measure.FPS,
        lambda n: (
            f"min FPS {_find_min_fps(n, 1, _PUBLISHED):.1f} as printed, "
            f"{_find_min_fps(n, 1, _REPAIRED):.1f} repaired; "
            f"no partition {_find_min_fps(n, 1, _ALL):.1f} as well"
        ),
        "5",
        binding=False,
        change="a machine a thousand times slower",
    ),
    Claim(
        "the groups are faster than quad-tree and kd-tree",
        lambda n: min(_compute_speedups(n, _REPAIRED)) > 1,
        lambda n: (
            f"nanoseconds of the faster tree over theirs: "
            f"{_format_range(_compute_speedups(n, _PUBLISHED))} times as printed, "
            f"{_format_range(_compute_speedups(n, _REPAIRED))} times repaired"
        ),
        "1",
        binding=False,
        change="larger groups in a corridor of few segments",
    ),
    Claim(
        "the time of trees grows with the complexity of the wall, because they get deeper",
        lambda n: min(_compute_tree_growth(n, "ns", *_TREES)) > 1,
        lambda n: (
            f"nanoseconds grow {_format_range(_compute_tree_growth(n, 'ns', *_TREES))} times "
            f"from N = 100 to 10,000"
        ),
        "2",
        binding=False,
        change="characters that meet so few segments that the depth decides nothing",
    ),
    Claim(
        "the speed of the groups does not drop with the complexity of the wall (twice at most)",
        lambda n: max(_compute_tree_growth(n, "ns", _PUBLISHED)) <= 2,
        lambda n: (
            f"nanoseconds change {_format_range(_compute_tree_growth(n, 'ns', _PUBLISHED))} times "
            f"as printed, "
            f"{_format_range(_compute_tree_growth(n, 'ns', _REPAIRED))} times repaired, N = 100 to 10,000"
        ),
        "2",
        binding=False,
        change="repaired groups, which test as many groups as a step crosses",
    ),
    Claim(
        "dense and sparse parts take the same small number of tests",
        lambda n: max(_compute_tree_growth(n, "tests", _PUBLISHED)) <= 1.5,
        lambda n: (
            f"tests change {_format_range(_compute_tree_growth(n, 'tests', _PUBLISHED))} times as printed, "
            f"{_format_range(_compute_tree_growth(n, 'tests', _REPAIRED))} times repaired, N = 100 to 10,000"
        ),
        "5",
        binding=False,
        change="an index that follows characters across several groups: one group alone is a constant",
    ),
    Claim(
        "the accuracy of the test is kept (as printed)",
        lambda n: _find_missed_share(n, "printed") == 0,
        lambda n: (
            f"up to {100 * _find_missed_share(n, 'printed'):.0f} % of the contacts are missed as printed, "
            f"{100 * _find_missed_share(n, 'repaired'):.0f} % repaired"
        ),
        "2",
        binding=False,
        change="the repaired index, and groups as wide as a step",
    ),
    Claim(
        "as printed, the index of table 1 follows the characters",
        lambda n: all(e["printed"] <= e["narrow phase alone"] for e in n["escaped"]),
        lambda n: (
            f"up to {100 * max(e['printed'] for e in n['escaped']):.0f} % of the characters leave, "
            f"{100 * max(e['narrow phase alone'] for e in n['escaped']):.0f} % if all segments are tested"
        ),
        "3.3",
        binding=False,
        change="both inequalities of table 1 turned round",
    ),
    Claim(
        "no exact structure loses a character, all give the same trajectories (ours)",
        lambda n: _are_all_equal(n) and all(e["reach"] == 0 for e in n["escaped"]),
        lambda n: "to the last bit" if _are_all_equal(n) else "they differ",
    ),
    Claim(
        "the cost of reach grows 3 times at most with the complexity of the wall (ours)",
        lambda n: max(_compute_growth(n).values()) <= 3,
        lambda n: (
            f"{_format_times(_compute_growth(n), 1)}, up to N = {n['exact']['rough'][-1]['segments']:,}"
        ),
        binding=False,
    ),
    Claim(
        "reach is 30 times as fast as the quad-tree in the most complex wall, at 1 r (ours)",
        lambda n: _compute_gains(n, "rough")[1.0] >= 30,
        lambda n: _format_times(_compute_gains(n, "rough"), 0),
        binding=False,
    ),
    Claim(
        "reach is 3 times as fast as the quad-tree in the largest maze, at any speed (ours)",
        lambda n: min(_compute_gains(n, "mazes").values()) >= 3,
        lambda n: (
            f"{_format_times(_compute_gains(n, 'mazes'), 1)}; the quad-tree wins{_list_quadtree_wins(n)}"
        ),
        binding=False,
    ),
)


# --- figures ------------------------------------------------------------------------------------------------


def _build_scene_figure() -> Figure:
    def draw(sheet: Any) -> None:
        sheet.set_size_inches(8.4, 6.6)
        above, below = sheet.subplots(2, 1, height_ratios=(1, 4))
        for axes, corridor in ((above, measure.build_strip(200)), (below, measure.build_maze(4, 1_000))):
            state = measure.draw_state(corridor, 20, 1.0, 0)
            draw_corridor(axes, corridor, state[:, :2], RADIUS)
            axes.set_axis_off()
        above.set_xlim(0, 8)  # a part of it: 20 x 0.6 would be a line

    return Figure(
        "corridors", "A part of a strip of 200 segments, and a maze of 1,000; circles of the radius", draw
    )


def _build_fps_figure(numbers: dict[str, Any]) -> Figure:
    frames = numbers["frames"]
    rows = tuple(
        (int(count), second, *fps)
        for count, methods in frames.items()
        for second, fps in enumerate(zip(*(each["fps"] for each in methods.values()), strict=True), 1)
    )

    def draw(sheet: Any) -> None:
        sheet.set_size_inches(11.6, 4.2)
        panels = sheet.subplots(1, len(frames), sharey=True)
        for axes, (count, methods) in zip(panels, frames.items(), strict=True):
            # Lines that coincide are drawn side by side: each method a little lower than the one before.
            curves = {
                name: [x - 0.9 * k for x in each["fps"]] for k, (name, each) in enumerate(methods.items())
            }
            seconds = range(1, len(next(iter(curves.values()))) + 1)
            charts.draw_lines(
                axes, seconds, curves, "second", "frames per second" if axes is panels[0] else ""
            )
            axes.set_title(f"{int(count):,} character{'s' if count != '1' else ''}", fontsize=10)
            axes.set_ylim(0, 68)
            axes.get_legend().remove()
        entries = panels[0].get_legend_handles_labels()
        sheet.legend(*entries, loc="outside lower center", ncols=5, frameon=False, handlelength=3.2)

    columns = ("characters", "second", *METHODS)
    title = "Figure 4: frames per second by CPU time, capped at 62; equal lines are drawn 0.9 apart"
    return Figure("figure-4", title, draw, columns, rows)


def _build_exact_figure(numbers: dict[str, Any]) -> Figure:
    families = {"rough": "more complex walls", "mazes": "larger mazes"}
    rows = tuple(
        (family, size["segments"], float(speed), *(cost[name]["ns"] for name in EXACT))
        for family in families
        for size in numbers["exact"][family]
        for speed, cost in size["costs"].items()
    )

    def draw(sheet: Any) -> None:
        sheet.set_size_inches(9.2, 4.2)
        panels = sheet.subplots(1, 2, sharey=True)
        for axes, (family, title) in zip(panels, families.items(), strict=True):
            sizes = numbers["exact"][family]
            curves = {name: [size["costs"]["1.0"][name]["ns"] for size in sizes] for name in EXACT}
            label = "ns per character and frame" if axes is panels[0] else ""
            charts.draw_lines(axes, [size["segments"] for size in sizes], curves, "segments", label)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_title(f"{title}, 1 radius per frame", fontsize=10)

    title = "The cost of a character by the number of segments: that of reach does not depend on the wall"
    return Figure("cost-by-segments", title, draw, ("family", "segments", "r/frame", *EXACT), rows)


def _build_speed_figure(numbers: dict[str, Any]) -> Figure:
    last = numbers["exact"]["rough"][-1]
    curves = {name: [last["costs"][str(s)][name]["ns"] for s in FAST] for name in EXACT}
    worst = {name: [last["costs"][str(s)][name]["worst"] for s in FAST] for name in EXACT}

    def draw(sheet: Any) -> None:
        sheet.set_size_inches(9.2, 4.2)
        left, right = sheet.subplots(1, 2)
        charts.draw_lines(left, FAST, curves, "radii per frame", "ns per character and frame")
        charts.draw_lines(right, FAST, worst, "radii per frame", "max segments tested for one character")
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_title(f"{last['segments']:,} segments", fontsize=10)

    rows = tuple(
        (s, *(curves[n][i] for n in EXACT), *(worst[n][i] for n in EXACT)) for i, s in enumerate(FAST)
    )
    columns = ("r/frame", *(f"{n} ns" for n in EXACT), *(f"{n} worst" for n in EXACT))
    return Figure("cost-by-speed", "Faster characters in the most complex corridor", draw, columns, rows)
