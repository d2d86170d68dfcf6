"""RADAR sec. 4.3, figure 8: many radars at once, in spheres that bounce about in a cube.

The paper times a frame with 10 to 50 radars of 50 x 50 and 100 x 100 pixels, 6,406 polygons, without reuse of
masks. We time the two images and their analysis, by the embedded rasteriser and by OpenGL, and exact radars.
Beyond the paper, an audit of every frame checks that no sphere passes a wall or another. It does not use
radars.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi._native import one_thread
from ougi.cli.tables import Cell, Table
from ougi.motion import Translation3d
from ougi.radar.motions import make_frames
from ougi.radar.published import fit_windows
from ougi_lab.measure import CLOCK, time_interleaved
from ougi_lab.reproduce import charts
from ougi_lab.reproduce.experiment import Claim, Figure, Section, evaluate
from ougi_lab.reproduce.radar_frames import RadarFrame, RadarSizes, choose_clock, open_radars, to_milliseconds
from ougi_lab.scenes.bouncing_radars import (
    EDGE,
    MAX_SPEED,
    RADIUS,
    BouncingRadars,
    make_cube,
    simulate_radars,
)

RADARS = (10, 20, 30, 40, 50)
PIXELS = (50, 100)
SMALL = 16  # pixels of many radars
HERTZ = 60

# Milliseconds for 50 exact radars of 50 x 50, and radars of 16 x 16 in a frame of 60 Hz, on one thread.
TARGET_MS, TARGET_RADARS = 3.0, 500

# Share of the frames that the published rule runs, only to show that it fails.
_PUBLISHED_SHARE = 20


def build_frame(world: BouncingRadars, pixels: int) -> RadarFrame:
    """The radars of one frame of a world."""
    sensors = world.sensors()
    sides = np.full((world.movers, 2), pixels)
    paths, windows = fit_windows(make_frames(Translation3d(world.velocity), sensors), sensors, sides)
    return RadarFrame(paths, windows, sensors, world.scene, np.arange(world.movers)[:, None])


def measure(sizes: RadarSizes, seed: int) -> dict[str, Any]:
    """Milliseconds of a frame by number and pixels of radars, and audits of long runs."""
    with one_thread():
        return {**_measure_times(sizes.repeats, seed), "audits": run_audits(sizes.frames, seed)}


def run_audits(frames: int, seed: int) -> list[dict[str, Any]]:
    """Long runs of worlds with 10 and 50 radars: exact ones, and shorter ones as published."""
    exact = [simulate_radars(movers, frames, seed) for movers in (RADARS[0], RADARS[-1])]
    short = max(1, frames // _PUBLISHED_SHARE)
    return exact + [
        simulate_radars(RADARS[-1], short, seed, mode="published", pixels=pixels) for pixels in PIXELS
    ]


def _measure_times(repeats: int, seed: int) -> dict[str, Any]:
    radars, renderer = open_radars()
    tasks: dict[str, Any] = {}
    drawn: dict[str, Any] = {}
    for movers in RADARS:
        world = BouncingRadars(movers, seed)
        for _ in range(5):
            world.step()
        for pixels in PIXELS:
            frame, name = build_frame(world, pixels), f"{movers} {pixels}"
            tasks[f"target {name}"], tasks[f"sensor {name}"] = frame.draw_target, frame.draw_sensor
            tasks[f"analysis {name}"] = frame.analyze
            if radars is not None:
                views = frame.build_views()
                drawn[f"gl {name}"] = lambda views=views: radars.draw(views)
        for pixels in (SMALL, *PIXELS):
            exact_world = BouncingRadars(movers, seed, pixels=pixels)
            exact_world.center, exact_world.velocity, exact_world.scene = (
                world.center,
                world.velocity,
                world.scene,
            )
            tasks[f"exact {movers} {pixels}"] = exact_world.detect_contacts
    times = time_interleaved(tasks, repeats, clock=CLOCK.now)
    normal = None
    if radars is not None:
        for name, draw in drawn.items():  # what is loaded stays loaded
            times |= time_interleaved({name: draw}, 2 * repeats, clock=choose_clock(renderer))
        normal = _time_normal_draw(radars, world, repeats)
        radars.close()
    ms = {name: to_milliseconds(timing.best) for name, timing in times.items()}
    parts = ("target", "sensor", "analysis", "gl", "exact")
    rows = [
        {"radars": n, "pixels": side, **{part: ms.get(f"{part} {n} {side}") for part in parts}}
        for side in (SMALL, *PIXELS)
        for n in RADARS
    ]
    return {"renderer": renderer, "gl": radars is not None, "rows": rows, "normal": normal}


def _time_normal_draw(radars: Any, world: BouncingRadars, repeats: int) -> float:
    from ougi_lab.reproduce.radar_normal import PLAIN, NormalDraw
    from ougi_lab.scenes.meshes import move_mesh

    meshes = [move_mesh(world.shape, np.eye(3), center) for center in world.center]
    with radars.context:
        eye = np.array([400.0, 600.0, -2000.0])
        normal = NormalDraw(radars.context, [*meshes, make_cube()], [PLAIN] * (len(meshes) + 1), eye)
        times = time_interleaved({"normal": normal.draw}, repeats, clock=choose_clock(radars.renderer))
    return to_milliseconds(times["normal"].best)


# --- summary ------------------------------------------------------------------------------------------------


def _sum_published(row: dict[str, Any]) -> float:
    """All parts of a frame by the embedded rasteriser."""
    return float(row["target"] + row["sensor"] + row["analysis"])


def _sum_gl(row: dict[str, Any]) -> float | None:
    return None if row["gl"] is None else float(row["gl"] + row["analysis"])


def fit_line(x: Any, y: Any) -> tuple[float, float, float]:
    """Slope and height of the straight line through points, and R².

    >>> fit_line([1, 2, 3], [3, 5, 7])
    (2.0, 1.0, 1.0)
    """
    slope, height = np.polyfit(x, y, 1)
    left = np.asarray(y) - (slope * np.asarray(x) + height)
    whole = np.asarray(y) - np.mean(y)
    fitted_share = 1.0 - float(left @ left) / max(float(whole @ whole), 1e-300)
    return round(float(slope), 9), round(float(height), 9), round(fitted_share, 9)


def _build_curves(numbers: dict[str, Any]) -> dict[str, list[float]]:
    """Return method and pixels -> ms by number of radars."""
    curves: dict[str, list[float]] = {}
    for pixels in PIXELS:
        rows = [row for row in numbers["rows"] if row["pixels"] == pixels]
        if numbers["gl"]:
            curves[f"OpenGL, {pixels}²"] = [_sum_gl(row) or 0.0 for row in rows]
        curves[f"embedded, {pixels}²"] = [_sum_published(row) for row in rows]
        curves[f"exact, {pixels}²"] = [row["exact"] for row in rows]
    return curves


def summarize(numbers: dict[str, Any], *, enough: bool = True) -> Section:
    """Tables, figure and verdicts."""
    return Section(
        tables=(_build_times_table(numbers), _build_fit_table(numbers), _build_audit_table(numbers)),
        figures=(_build_figure(numbers),),
        verdicts=evaluate(_CLAIMS, numbers, paper="RADAR", enough=enough),
        notes=(
            "In figure 8 target, sensor and analysis are those of figure 7, for all radars, each in one "
            "call. OpenGL draws both images of all radars in one draw; its time includes the analysis. "
            "`exact` is all of `collide`. All times are those of one thread.",
            "Spheres at rest are not moved. A sphere that flies is mirrored at the normal of its contact "
            "and loses the rest of its frame. For the audit, two meshes overlap exactly if the vector "
            "between them lies in the difference of their shapes, a polyhedron that is computed once.",
        ),
        parameters={"cube": f"{EDGE:g}", "radius": RADIUS, "speed": f"up to {MAX_SPEED:g} in a frame"},
    )


def _build_times_table(numbers: dict[str, Any]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (row["pixels"], row["radars"], row["target"], row["sensor"], row["analysis"], row["gl"], row["exact"])
        for row in numbers["rows"]
    ]
    columns = ("pixels", "radars", "target", "sensor", "analysis", "OpenGL, both images", "exact")
    normal = numbers["normal"]
    note = (
        f"A normal draw of the scene took {normal or 0.0:g} ms ({numbers['renderer']}); the paper's machines "
        "took 28.1, 19.6, 10.0 and 8.0 ms."
    )
    title = "Figure 8: ms of a frame, 50 spheres of 128 polygons and a cube"
    return Table(title, columns, tuple(rows), () if normal is None else (note,))


def _build_fit_table(numbers: dict[str, Any]) -> Table:
    rows = []
    for name, curve in _build_curves(numbers).items():
        slope, height, share = fit_line(RADARS, curve)
        rows.append((name, 1e3 * slope, height, round(share, 4), int((1e3 / HERTZ - height) / slope)))
    columns = ("method", "us for each radar", "ms for none", "R²", "radars in 1/60 s")
    return Table("Straight lines through figure 8", columns, tuple(rows))


def _build_audit_table(numbers: dict[str, Any]) -> Table:
    rows = tuple(
        (a["mode"] if a["pixels"] is None else f"{a['mode']}, {a['pixels']}²", a["movers"], a["frames"],
         a["bounces"], a["overlaps"], a["outside"],
         *(_format_short(a[key]) for key in ("least_gap", "least_wall")))
        for a in numbers["audits"]
    )  # fmt: skip
    columns = (
        "radars", "flying", "frames", "bounces", "frames with overlaps", "beyond a wall", "min gap",
        "from a wall",
    )  # fmt: skip
    note = (
        f"Gaps of spheres that are {2 * RADIUS:g} wide. A negative gap is the depth of an overlap, or how "
        "far a sphere is beyond the wall. Exact radars stop 4e-5 before a contact. As published, a contact "
        "between pixels comes late, and its normal may point in the wrong direction."
    )
    return Table("Spheres that steer by radars", columns, rows, (note,))


def _format_short(x: float) -> str:
    return f"{x:.3g}"


def _build_figure(numbers: dict[str, Any]) -> Figure:
    curves = _build_curves(numbers)

    def draw(sheet: Any) -> None:
        sheet.set_size_inches(9.6, 4.4)
        panels = sheet.subplots(1, len(PIXELS))
        for axes, pixels in zip(panels, PIXELS, strict=True):
            shown = {name.split(",")[0]: c for name, c in curves.items() if name.endswith(f" {pixels}²")}
            charts.draw_lines(axes, RADARS, shown, "radars", "ms per frame")
            for curve in shown.values():
                slope, height, _ = fit_line(RADARS, curve)
                axes.plot(RADARS, [slope * n + height for n in RADARS], color="#aaaaaa", lw=0.8, zorder=1)
            if numbers["normal"] is not None:
                axes.axhline(numbers["normal"], color="#d73a2d", lw=0.9, ls="--")
                # Between the curves: below OpenGL's, above the exact radars'.
                axes.annotate("normal draw", (0.6, numbers["normal"]), (0, 3), ("axes fraction", "data"),
                              "offset points", color="#d73a2d", fontsize=8.5)  # fmt: skip
            axes.set_ylim(bottom=0)
            axes.set_title(f"{pixels} x {pixels} pixels", fontsize=10)

    rows = tuple((n, *(curve[k] for curve in curves.values())) for k, n in enumerate(RADARS))
    title = "Figure 8: ms of a frame by the number of radars, and straight lines"
    return Figure("figure-8", title, draw, ("radars", *curves), rows)


def _fit_published(numbers: dict[str, Any]) -> dict[str, float]:
    """R² of the curves of the published rule."""
    curves = _build_curves(numbers).items()
    return {name: fit_line(RADARS, curve)[2] for name, curve in curves if not name.startswith("exact")}


def _find_exact_ms(numbers: dict[str, Any], pixels: int) -> float:
    """Milliseconds of the largest number of exact radars."""
    rows = (row for row in numbers["rows"] if (row["radars"], row["pixels"]) == (RADARS[-1], pixels))
    return float(next(rows)["exact"])


def _find_published_ms(numbers: dict[str, Any]) -> float:
    """Milliseconds of the largest number of published radars of 50², by the embedded rasteriser."""
    return float(_build_curves(numbers)[f"embedded, {PIXELS[0]}²"][-1])


def _count_radars_in_frame(numbers: dict[str, Any]) -> int:
    return int(RADARS[-1] * 1e3 / HERTZ / _find_exact_ms(numbers, SMALL))


def _select_audits(numbers: dict[str, Any], mode: str) -> list[dict[str, Any]]:
    return [audit for audit in numbers["audits"] if audit["mode"] == mode]


_CLAIMS: tuple[Claim[dict[str, Any]], ...] = (
    Claim(
        "the cost is nearly linear in the number of radars",
        lambda n: min(_fit_published(n).values()) >= 0.95,
        lambda n: ", ".join(f"R² {share:.3f} {name}" for name, share in _fit_published(n).items()),
        "4.3",
        binding=False,
        change="radars that share images",
    ),
    Claim(
        "with few pixels 50 radars can work at once in real time (the paper's fastest model; ours: 16 ms)",
        lambda n: _find_published_ms(n) <= 1e3 / HERTZ,
        lambda n: f"50 radars of 50² take {_find_published_ms(n):.2g} ms by the embedded rasteriser",
        "4.5 (3)",
        binding=False,
        change="more pixels: the paper adds that their number must be kept low",
    ),
    Claim(
        f"50 exact radars of 50² take at most {TARGET_MS:g} ms on one thread (ours)",
        lambda n: _find_exact_ms(n, PIXELS[0]) <= TARGET_MS,
        lambda n: f"{_find_exact_ms(n, PIXELS[0]):.2g} ms",
        binding=False,
    ),
    Claim(
        f"at 16² a frame of {HERTZ} Hz has time for {TARGET_RADARS} exact radars on one thread (ours)",
        lambda n: _count_radars_in_frame(n) >= TARGET_RADARS,
        lambda n: (
            f"{1e3 * _find_exact_ms(n, SMALL) / RADARS[-1]:.0f} µs each, {RADARS[-1]} at a time: "
            f"{_count_radars_in_frame(n):,} of them"
        ),
        binding=False,
    ),
    Claim(
        "no sphere passes a wall or another (exact radars) (ours)",
        lambda n: not any(a["overlaps"] + a["outside"] + a["stuck"] for a in _select_audits(n, "exact")),
        lambda n: (
            f"{min(a['frames'] for a in _select_audits(n, 'exact')):,} frames with 10 and with 50 flying, "
            f"{sum(a['bounces'] for a in _select_audits(n, 'exact')):,} bounces; min gap "
            f"{min(a['least_gap'] for a in _select_audits(n, 'exact')):.2g}"
        ),
    ),
    Claim(
        "implied: spheres that bounce by the published rule pass neither a wall nor each other",
        lambda n: not any(a["overlaps"] or a["outside"] for a in _select_audits(n, "published")),
        lambda n: "; ".join(
            f"{a['pixels']}²: overlaps in {a['overlaps']} of {a['frames']} frames, beyond a wall in "
            f"{a['outside']}"
            for a in _select_audits(n, "published")
        ),
        "4.3",
        binding=False,
        change="exact radars, or more pixels and shorter steps",
    ),
)
