"""RADAR sec. 4.4, figure 16: radars at work and time of a frame while one hand and five hands grasp a target.

The paper shows one curve each, for five hands on its Professional model (2 Xeons of 1.8 GHz, drawing
included): at most 52 radars at once, at most 203 ms per frame. `ougi_lab.grasp` simulates the paper's
target, 300 x 500 x 800, and with a ball for five hands to close around; nothing is drawn. The hand,
the step sizes and the poses at the start are ours. Times are of one thread, the minimum of equal runs for
each frame, because other work on the machine only adds to it.

Beside it the paper's rule for bending angles, the tangent: how often it lets parts enter something, and by
how much the exact radar would have stopped them earlier.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ougi.cli.tables import Cell, Table
from ougi.motion import Pose
from ougi.shapes import Mesh
from ougi_lab.grasp import (
    TARGETS,
    Grasp,
    build_human_hand,
    place_around_box,
    place_five_hands,
    place_one_hand,
    simulate_grasp,
    turn_box,
)
from ougi_lab.grasp.hand import FOUR
from ougi_lab.grasp.moves import PublishedRule, find_exact_distances
from ougi_lab.reproduce import charts
from ougi_lab.reproduce.experiment import Claim, Figure, Section, evaluate
from ougi_lab.reproduce.radar_frames import RadarSizes
from ougi_lab.scenes.meshes import make_sphere

# What RADAR prints for five hands.
PUBLISHED_RADARS, PUBLISHED_MS = 52, 203.0
# Our goal: ms per frame, five hands.
GOAL_MS = 5.0

PHASES = ("search", "approach", "close", "grasp", "done", "lost")
_SHADES = {"search": "#e9eef7", "approach": "#f7f0e2", "close": "#f5e3df", "grasp": "#eef5ea"}

# A name -> target and poses.
SCENES: dict[str, Callable[[], tuple[Mesh, Pose]]] = {
    "one hand, box": lambda: (turn_box(), place_one_hand()),
    "one hand, ball": lambda: (TARGETS["ball"](), place_one_hand()),
    "five hands, box": lambda: (turn_box(), place_around_box()),
    "five hands, ball": lambda: (make_sphere(36, 20, 210.0), place_five_hands()),
}


def measure(sizes: RadarSizes, seed: int, names: Sequence[str] = tuple(SCENES)) -> dict[str, Any]:
    """Measure for each scene the frames of a grasp, and the same grasp by tangents.

    Of `sizes.repeats` runs the shortest time of each frame is taken. Nothing depends on the seed.
    """
    return {name: _measure_scene(*SCENES[name](), sizes.repeats) for name in names}


def _measure_scene(target: Mesh, poses: Pose, repeats: int) -> dict[str, Any]:
    runs = [simulate_grasp(build_human_hand(), target, poses) for _ in range(1 + repeats)]
    run, times = runs[0], [[(f.ms, f.cpu_ms) for f in run.frames[1:]] for run in runs[1:]]
    ms, cpu = np.min(times, axis=0).T
    phases = [[PHASES.index(phase) for phase in frame.phases] for frame in run.frames[1:]]
    return {
        "detections": [frame.detections for frame in run.frames[1:]],
        "waiting": [frame.waiting for frame in run.frames[1:]],
        "ms": [round(float(x), 4) for x in ms],
        "cpu_ms": [round(float(x), 4) for x in cpu],
        "phases": phases,
        "stops": _count_stops(run),
        "bent": _measure_bends(run),
        "ended": run.ended,
        "published": _compare_tangents(target, poses),
    }


def _measure_bends(run: Grasp) -> list[float]:
    """Degrees by which the middle joints of four fingers are bent at the end, the median of each hand."""
    angles = np.degrees(run.frames[-1].angles[:, FOUR, 1])
    return [round(float(np.median(each)), 1) for each in angles]


def _count_stops(run: Grasp) -> dict[str, int]:
    """Count what stopped the joints."""
    counts = {"target": 0, "hands": 0, "limits": 0}
    for event in run.events:
        if event.what == "stopped":
            counts["target" if event.body == 0 else "hands"] += 1
        counts["limits"] += event.what == "limit" and event.finger >= 0
    return counts


def _compare_tangents(target: Mesh, poses: Pose) -> dict[str, Any]:
    """Run the same grasp as published: count moves that went too far, by how much, and masks."""
    hand, counts = build_human_hand(), {"moves": 0, "too_far": 0, "deepest": 0.0}
    published = PublishedRule(hand)

    def compare_rules(moves: Any, sensors: Any, scene: Any, clearance: float) -> Any:
        free, truth = (
            published(moves, sensors, scene, clearance),
            find_exact_distances(moves, sensors, scene, clearance),
        )
        for k, move in enumerate(moves.all):
            over = float(min(free.distance[k], move.step) - min(truth.distance[k], move.step))
            far = over * (hand.size if move.turns else 1.0)  # no point is farther from its axis
            counts["moves"] += 1
            counts["too_far"] += over > 1e-9
            counts["deepest"] = max(counts["deepest"], far)
        return free

    run = simulate_grasp(hand, target, poses, method="published", rule=compare_rules)
    masks = {"views": np.round(published.views, 3).tolist(), "drawn": published.drawn}
    return {**counts, "masks": masks, "frames": len(run.frames) - 1, "ended": run.ended}


def summarize(numbers: dict[str, Any], *, enough: bool = True) -> Section:
    """Tables, figures and verdicts of what was measured."""
    tables = _build_table(numbers), _build_stop_table(numbers), _build_tangent_table(numbers)
    verdicts = evaluate(_CLAIMS, numbers, paper="RADAR", enough=enough)
    note = (
        "The box is turned by 90° about the view, so that fingers lie along its side of 300 and can close "
        "around it. Of five hands around the box three find that side. The others meet faces of 500 x 800."
    )
    return Section(tables, (_build_figure(numbers),), verdicts, (note,))


def _build_table(numbers: dict[str, Any]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, each in numbers.items():
        cpu, ms = each["cpu_ms"], each["ms"]
        radars, longest = (PUBLISHED_RADARS, PUBLISHED_MS) if name.startswith("five") else (None, None)
        counts = len(cpu), radars, max(each["detections"])
        rows.append((name, *counts, longest, max(cpu), _compute_mean(cpu), max(ms), _compute_mean(ms)))
    columns = (
        "scene", "frames", "radars, paper", "ours", "longest ms, paper", "ours", "mean", "clock", "mean",
    )  # fmt: skip
    note = "Maximum of radars at once; ms of CPU time of a frame, and of wall time."
    return Table("Figure 16: radars and times of a frame", columns, tuple(rows), (note,))


def _build_stop_table(numbers: dict[str, Any]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            *(each["stops"][at] for at in ("target", "hands", "limits")),
            ", ".join(f"{angle:.0f}" for angle in each["bent"]),
        )
        for name, each in numbers.items()
    ]
    columns = ("scene", "at the target", "at hands", "at limits", "middle joints of each hand, °")
    return Table("Where joints stopped, and how far fingers are bent", columns, tuple(rows))


def _compute_mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _build_tangent_table(numbers: dict[str, Any]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (name, each["published"]["moves"], each["published"]["too_far"], each["published"]["deepest"])
        for name, each in numbers.items()
    ]
    note = "The exact radar never goes too far: `ougi verify grasp`."
    return Table(
        "Bending angles by tangents, as published",
        ("scene", "moves", "went too far", "by at most, units"),
        tuple(rows),
        (note,),
    )


def _format_masks(masks: dict[str, Any]) -> str:
    first, last = (" x ".join(f"{side:.0f}" for side in masks["views"][k]) for k in (0, -1))
    return f"{first}, then {last}; {len(masks['views'])} masks for {masks['drawn']} detections"


def _select_five_hands(numbers: dict[str, Any], key: str) -> dict[str, list[float]]:
    """Scene -> a number of each frame, for scenes with five hands."""
    return {name: each[key] for name, each in numbers.items() if name.startswith("five")}


_CLAIMS: tuple[Claim[dict[str, Any]], ...] = (
    Claim(
        "all hands close around the target",
        lambda n: all(each["ended"] == "all hands have closed" for each in n.values()),
        lambda n: ", ".join(f"{name}: {each['ended']}" for name, each in n.items()),
        section="4.4",
        change="a target out of reach",
        always=True,
    ),
    Claim(
        "the hand closes around the paper's target, the box of 300 x 500 x 800",
        lambda n: n["one hand, box"]["bent"][0] >= 45 if "one hand, box" in n else True,
        lambda n: ", ".join(f"{name}: middle joints at {each['bent']}°" for name, each in n.items()),
        section="4.4 (3)",
        change="a start with the fingers along the sides of 500 or 800: then the hand lies flat on the box",
        always=True,
    ),
    Claim(
        "the hand's size is read from its mask: of 2000 x 2000 the view shrinks to 440 x 440 (ours: 1 / 4)",
        lambda n: all(
            4 * max(each["published"]["masks"]["views"][-1]) <= max(each["published"]["masks"]["views"][0])
            for each in n.values()
        ),
        lambda n: ", ".join(
            f"{name}: {_format_masks(each['published']['masks'])}" for name, each in n.items()
        ),
        section="4.4 (2)",
        change="fewer pixels: the hand is rounded to whole pixels of the first mask",
        always=True,
    ),
    Claim(
        f"of five hands up to {PUBLISHED_RADARS} radars work at once",
        lambda n: max(max(c) for c in _select_five_hands(n, "detections").values()) >= PUBLISHED_RADARS,
        lambda n: (
            f"{PUBLISHED_RADARS} printed, ours "
            + " and ".join(f"{max(c)} ({name})" for name, c in _select_five_hands(n, "detections").items())
        ),
        section="4.4",
        binding=False,
        change="another hand, other poses at the start, or steps at which more fingers bend at once",
        always=True,
    ),
    Claim(
        f"the longest frame of five hands takes {PUBLISHED_MS:g} ms, which is real time (ours: at most that)",
        lambda n: all(max(ms) <= PUBLISHED_MS for ms in _select_five_hands(n, "cpu_ms").values()),
        lambda n: ", ".join(
            f"{name}: {max(ms):.2g} ms" for name, ms in _select_five_hands(n, "cpu_ms").items()
        ),
        section="4.4",
        binding=False,
        change="a machine of 2002, on which the frame is drawn, too",
    ),
    Claim(
        "implied: bending angles by the tangent stop fingers at the target",
        lambda n: not any(each["published"]["too_far"] for each in n.values()),
        lambda n: ", ".join(
            f"{name}: {each['published']['too_far']} of {each['published']['moves']} moves go too far"
            for name, each in n.items()
        ),
        section="4.4",
        binding=False,
        change="first contacts of the rotation itself, as the exact radar finds them",
        always=True,
    ),
    Claim(
        "radars are switched by what moves: that of the whole hand, then those of the bending parts",
        lambda n: all(
            each["detections"][0] <= 2 * len(each["phases"][0]) < max(each["detections"])
            for each in n.values()
        ),
        lambda n: ", ".join(
            f"{name}: {each['detections'][0]} at first, up to {max(each['detections'])}"
            for name, each in n.items()
        ),
        section="4.4 (3)",
        change="a design that keeps all 17 radars of a hand at work",
        always=True,
    ),
    Claim(
        f"five hands take {GOAL_MS:g} ms of CPU time per frame at most (ours)",
        lambda n: all(max(ms) <= GOAL_MS for ms in _select_five_hands(n, "cpu_ms").values()),
        lambda n: ", ".join(
            f"{name}: mean {_compute_mean(ms):.2f}, longest {max(ms):.2f}"
            for name, ms in _select_five_hands(n, "cpu_ms").items()
        ),
        binding=False,
    ),
)


def _build_figure(numbers: dict[str, Any]) -> Figure:
    def draw(sheet: Any) -> None:
        sheet.set_size_inches(10.4, 6.4)
        rows = -(-len(numbers) // 2)
        panels = sheet.subplots(rows, 2, squeeze=False).ravel()
        for axes, (name, each) in zip(panels, numbers.items(), strict=False):
            _draw_panel(axes, name, each)

    columns = ("scene", "frame", "radars", "waiting", "ms", "cpu_ms", *(f"hand_{k}" for k in range(5)))
    rows: list[tuple[Cell, ...]] = []
    for name, each in numbers.items():
        for k, phases in enumerate(each["phases"]):
            names = [PHASES[phase] for phase in phases] + [""] * (5 - len(phases))
            counts = each["detections"][k], each["waiting"][k]
            rows.append((name, k + 1, *counts, each["ms"][k], each["cpu_ms"][k], *names))
    title = "Figure 16: radars at work and time of a frame; shades are the first hand's phases"
    return Figure("figure-16", title, draw, columns, tuple(rows))


def _draw_panel(axes: Any, name: str, each: dict[str, Any]) -> None:
    frames = np.arange(1, len(each["ms"]) + 1)
    first = [PHASES[phases[0]] for phases in each["phases"]]
    for phase, color in _SHADES.items():
        inside = [k for k, one in enumerate(first) if one == phase]
        if inside:
            axes.axvspan(inside[0] + 0.5, inside[-1] + 1.5, color=color, lw=0)
            place = (inside[0] + inside[-1] + 2) / 2
            axes.annotate(
                phase, (place, 1), xycoords=("data", "axes fraction"), xytext=(0, -9),
                textcoords="offset points", ha="center", fontsize=7.5, color="#555555",
            )  # fmt: skip
    charts.style_axes(axes, "frame", "radars")
    axes.step(frames, each["detections"], where="mid", color="#1f4e9c", lw=1.4, label="radars")
    axes.set_ylim(0, 1.18 * max(each["detections"]))
    beside = axes.twinx()
    beside.plot(frames, each["cpu_ms"], color="#d73a2d", ls="--", lw=1.1, label="ms")
    beside.set_ylim(0, 1.18 * max(each["cpu_ms"]))
    beside.set_ylabel("ms of CPU time (dashed)", color="#d73a2d")
    beside.spines[["top"]].set_visible(False)
    axes.set_title(name, fontsize=9.5)
