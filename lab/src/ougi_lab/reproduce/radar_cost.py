"""RADAR sec. 4.2, figure 7: the cost of a detection by polygons, size of the view volume and pixels.

The paper times four machines, each with a scene that it drew in some 100 ms. We draw the four scenes on one,
by the embedded rasteriser and by OpenGL, beside a normal draw by OpenGL. View volumes are cubes about the
middle of the scene, the sensor stands at their near side. Places and sizes of the spheres are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.cli.tables import Cell, Table
from ougi.motion import Translation3d
from ougi.radar import Meshes, collide
from ougi.shapes import Mesh
from ougi_lab.measure import CLOCK, time_interleaved
from ougi_lab.reproduce import charts
from ougi_lab.reproduce.experiment import Claim, Figure, Section, evaluate
from ougi_lab.reproduce.radar_frames import RadarFrame, RadarSizes, choose_clock, open_radars, to_milliseconds
from ougi_lab.scenes.mesh_pairs import FIGURE_7_GROUPS, make_figure_7
from ougi_lab.scenes.meshes import make_solid, move_mesh

POLYGONS = tuple(FIGURE_7_GROUPS)
SIDES = (2000, 1000, 500, 200, 100)
PIXELS = (200, 100, 50, 25)
PARTS = ("target", "sensor", "analysis")
LENGTH = 40.0  # of the sensor

# The center of a body, 80 across, that even the smallest view volume sees, 5 before its sensor.
OBSTACLE = np.array([5.0, 3.0, 35.0])

# Other bodies whose centers are this near to the start of a sensor are moved.
CLEAR, ASIDE = 65.0, np.array([300.0, 0.0, 0.0])

# Percent of a normal draw that the paper's two draws cost, in the smallest and the largest volumes.
PAPER = (10, 60)


def build_scene(polygons: int) -> tuple[Mesh, list[Mesh]]:
    """The sensor and the bodies of one machine's scene; one of them is near the middle, on its path."""
    sensor, scene = make_figure_7(polygons)
    first = scene[0]
    bodies = [move_mesh(first, np.eye(3), OBSTACLE - first.vertices.mean(axis=0))]
    for body in scene[1:]:
        center = body.vertices.mean(axis=0)
        too_near = any(np.linalg.norm(center - _find_start(side)) < CLEAR for side in SIDES)
        bodies.append(move_mesh(body, np.eye(3), ASIDE * too_near))
    center = sensor.vertices.mean(axis=0)
    return move_mesh(sensor, np.eye(3), -center), bodies


def build_frame(sensor: Mesh, bodies: Meshes, side: int, pixels: int) -> RadarFrame:
    """One radar: its view volume is a cube about the middle, the sensor stands inside of its near side."""
    paths = np.zeros((1, 16))
    paths[0, :3] = 0, 0, -side / 2
    paths[0, 3:12] = np.eye(3).ravel()
    paths[0, 12], paths[0, 15] = side, side - LENGTH
    windows = np.array([[-side / 2, -side / 2, side, side, pixels, pixels]], float)
    return RadarFrame(paths, windows, Meshes(_place_sensor(sensor, side)), bodies, np.full((1, 1), -1))


def _place_sensor(sensor: Mesh, side: int) -> Mesh:
    return move_mesh(sensor, np.eye(3), _find_start(side))


def _find_start(side: int) -> Floats:
    return np.array([0.0, 0.0, (LENGTH - side) / 2])


def measure(sizes: RadarSizes, seed: int) -> dict[str, Any]:
    """Milliseconds of the parts of a detection and of a normal draw, and what is found."""
    repeats = sizes.repeats
    radars, renderer = open_radars()
    found: list[dict[str, Any]] = []
    for polygons in POLYGONS:
        if polygons > max(sizes.polygons, POLYGONS[0]):
            continue
        sensor, bodies = build_scene(polygons)
        meshes = Meshes(map(make_solid, bodies))
        rows = []
        for side in SIDES:
            solid = Meshes(make_solid(_place_sensor(sensor, side)))
            exact = collide(solid, Translation3d([0, 0, side - LENGTH]), meshes)
            for pixels in PIXELS:
                frame = build_frame(sensor, meshes, side, pixels)
                rows.append({"side": side, "pixels": pixels, **_time_parts(frame, radars, repeats)})
                rows[-1]["exact"] = _round_number(float(exact.distance[0]))
        normal = None if radars is None else _time_normal_draw(radars, [sensor, *bodies], repeats)
        found.append({"polygons": polygons, "rows": rows, "normal": normal})
    if radars is not None:
        radars.close()
    return {"renderer": renderer, "gl": radars is not None, "scenes": found}


def _time_parts(frame: RadarFrame, radars: Any, repeats: int) -> dict[str, Any]:
    tasks = {"target": frame.draw_target, "sensor": frame.draw_sensor, "analysis": frame.analyze}
    times = time_interleaved(tasks, repeats, clock=CLOCK.now)
    timings: dict[str, Any] = {name: to_milliseconds(times[name].best) for name in tasks}
    timings["found"] = _round_number(frame.analyze()[0])
    if radars is not None:
        target, sensor = frame.build_views()
        draws = {"gl_target": lambda: radars.draw([target]), "gl_sensor": lambda: radars.draw([sensor])}
        for name, draw in draws.items():  # each keeps what it has loaded, as a frame after another would
            timing = time_interleaved({name: draw}, max(1, repeats // 2), clock=choose_clock(radars.renderer))
            timings[name] = to_milliseconds(timing[name].best)
    return timings


def _round_number(x: float) -> float | None:
    return float(f"{x:.9g}") if np.isfinite(x) else None


def _time_normal_draw(radars: Any, meshes: list[Mesh], repeats: int) -> float:
    from ougi_lab.reproduce.radar_normal import PLAIN, TEXTURED, TRANSPARENT, NormalDraw

    with radars.context:
        # The paper has textured, transparent and plain spheres 2 : 1 : 1.
        order = (TEXTURED, TRANSPARENT, TEXTURED, PLAIN)
        kinds = [order[k % 4] for k in range(len(meshes))]
        normal = NormalDraw(radars.context, meshes, kinds, np.array([600.0, 900.0, -3000.0]))
        times = time_interleaved({"normal": normal.draw}, repeats, clock=choose_clock(radars.renderer))
    return to_milliseconds(times["normal"].best)


# --- summary ------------------------------------------------------------------------------------------------


def _sum_parts(row: dict[str, Any], prefix: str = "") -> float:
    drawn = row[f"{prefix}target"] + row[f"{prefix}sensor"]
    return float(drawn + row["analysis"])


def summarize(numbers: dict[str, Any], *, enough: bool = True) -> Section:
    """Table, figures and verdicts."""
    return Section(
        tables=(_build_cost_table(numbers), _build_found_table(numbers)),
        figures=(
            *(_build_figure(numbers, "gl_") if numbers["gl"] else ()),
            *_build_figure(numbers, ""),
        ),
        verdicts=evaluate(
            (_DRAW_CLAIM, *_CLAIMS) if numbers["gl"] else _CLAIMS, numbers, paper="RADAR", enough=enough
        ),
        notes=(
            "`target` is the range scope of all bodies, `sensor` the mask of 1,250 polygons, and `analysis` "
            "the look-at scope with its minimum. Bodies whose bounds lie outside of the view volume are not "
            "drawn. Times of OpenGL include reading the images back.",
            "A normal draw has all polygons by OpenGL in 640 x 480 pixels. Half of the spheres are "
            "textured, a quarter are transparent, and all are lit for each pixel. Renderer: "
            + (numbers["renderer"] if numbers["gl"] else "none here")
            + (", on one thread." if "llvmpipe" in numbers["renderer"] else "."),
        ),
        parameters={"sensor": f"{LENGTH:g} across", "OpenGL": numbers["renderer"] if numbers["gl"] else None},
    )  # fmt: skip


def _build_cost_table(numbers: dict[str, Any]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in numbers["scenes"]:
        for side in SIDES:
            by = {row["pixels"]: row for row in each["rows"] if row["side"] == side}
            gl = [_sum_parts(by[p], "gl_") for p in PIXELS] if numbers["gl"] else [None] * len(PIXELS)
            rows.append((each["polygons"], side, *(_sum_parts(by[p]) for p in PIXELS), *gl, each["normal"]))
    columns = (
        "polygons", "side", *(f"{p}²" for p in PIXELS), *(f"OpenGL {p}²" for p in PIXELS), "normal draw"
    )  # fmt: skip
    return Table("Figure 7: ms of a detection, all three parts", columns, tuple(rows))


def _build_found_table(numbers: dict[str, Any]) -> Table:
    last = numbers["scenes"][-1]
    rows = []
    for side in SIDES:
        by = {row["pixels"]: row for row in last["rows"] if row["side"] == side}
        rows.append((side, by[PIXELS[0]]["exact"], *(by[p]["found"] for p in PIXELS)))
    note = (
        "The free distance as published, min(L), and exactly; empty: no pixel sees both. A sensor of 40 "
        "in a volume of 2000 is narrower than a pixel at 25² and as wide as one at 50², so it may lie "
        "between the centers of pixels."
    )
    columns = ("side", "exact", *(f"{p}²" for p in PIXELS))
    return Table(f"What is found, {last['polygons']:,} polygons", columns, tuple(rows), (note,))


def _build_figure(numbers: dict[str, Any], prefix: str) -> tuple[Figure, ...]:
    by_gl = prefix == "gl_"
    rows = tuple(
        (each["polygons"], row["side"], row["pixels"], row[f"{prefix}target"], row[f"{prefix}sensor"],
         row["analysis"], each["normal"])
        for each in numbers["scenes"]
        for row in each["rows"]
    )  # fmt: skip

    def draw(sheet: Any) -> None:
        sheet.set_size_inches(10.4, 7.4)
        panels = sheet.subplots(2, 2).ravel()
        for axes, each in zip(panels, numbers["scenes"], strict=False):
            groups = {str(side): [row for row in each["rows"] if row["side"] == side] for side in SIDES}
            keys = (f"{prefix}target", f"{prefix}sensor", "analysis")
            names = ("draw target", "draw sensor", "analysis")
            stacks = {group: [tuple(row[key] for key in keys) for row in of] for group, of in groups.items()}
            last = ("N", each["normal"]) if by_gl and each["normal"] is not None else None
            charts.draw_stacks(axes, stacks, names, "side of the view volume", "ms", last)
            axes.set_title(f"{each['polygons']:,} polygons", fontsize=10)
        for axes in panels[len(numbers["scenes"]) :]:
            axes.set_axis_off()
        entries = panels[0].get_legend_handles_labels()
        sheet.legend(*entries, loc="outside lower center", ncols=4, frameon=False)

    columns = ("polygons", "side", "pixels", *PARTS, "normal draw")
    renderer_text = "by OpenGL, beside a normal draw (N)" if by_gl else "by the embedded rasteriser"
    title = f"Figure 7, {renderer_text}: in each group 200², 100², 50² and 25² pixels"
    name = "figure-7-opengl" if by_gl else "figure-7-embedded"
    return (Figure(name, title, draw, columns, rows),)


def _list_rows(numbers: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"normal": each["normal"], **row} for each in numbers["scenes"] for row in each["rows"]]


def _compute_shares(numbers: dict[str, Any], prefix: str) -> list[float]:
    """Percent of a normal draw that both draws cost, in all rows."""
    return [100 * (r[f"{prefix}target"] + r[f"{prefix}sensor"]) / r["normal"] for r in _list_rows(numbers)]


def _list_analysis(numbers: dict[str, Any]) -> list[float]:
    return [row["analysis"] for row in _list_rows(numbers)]


def _average_analysis(numbers: dict[str, Any], pixels: int) -> float:
    rows = [row["analysis"] for row in _list_rows(numbers) if row["pixels"] == pixels]
    return float(np.mean(rows))


def _average_draw(numbers: dict[str, Any], choose: Callable[[Iterable[float]], float]) -> float:
    """Milliseconds of both draws by the embedded rasteriser, in the smallest or the largest volumes."""
    side = choose(row["side"] for row in _list_rows(numbers))
    rows = [row["target"] + row["sensor"] for row in _list_rows(numbers) if row["side"] == side]
    return float(np.mean(rows))


def _select_contacts(numbers: dict[str, Any], *, found: bool) -> list[dict[str, Any]]:
    """The rows with a contact that the pixels find, or miss."""
    rows = _list_rows(numbers)
    return [row for row in rows if row["exact"] is not None and (row["found"] is not None) == found]


def _count_early(numbers: dict[str, Any]) -> int:
    contacts = _select_contacts(numbers, found=True)
    return sum(max(row["found"], 0.0) < row["exact"] - 1e-6 * row["side"] for row in contacts)


# Only with OpenGL, which makes the normal draw.
_DRAW_CLAIM: Claim[dict[str, Any]] = Claim(
    "both draws cost 60 % of a normal draw at most, and down to 10 % in small volumes",
    lambda n: min(_compute_shares(n, "gl_")) <= PAPER[0] and max(_compute_shares(n, "gl_")) <= PAPER[1],
    lambda n: (
        f"{min(_compute_shares(n, 'gl_')):.1f} to {max(_compute_shares(n, 'gl_')):.1f} % by OpenGL, "
        f"{min(_compute_shares(n, '')):.2f} to {max(_compute_shares(n, '')):.0f} % by the embedded rasteriser"
    ),
    "4.2, 4.5 (1)",
    binding=False,
    change="a GPU: ours is drawn by software, in which small images are cheap",
)
_CLAIMS: tuple[Claim[dict[str, Any]], ...] = (
    Claim(
        "the analysis takes 10 ms at most (a few ms, says the paper)",
        lambda n: max(_list_analysis(n)) <= 10,
        lambda n: f"{min(_list_analysis(n)):.2g} to {max(_list_analysis(n)):.2g} ms",
        "4.5 (2)",
        binding=False,
        change="a processor of 2002",
    ),
    Claim(
        "the analysis costs more with more pixels",
        lambda n: _average_analysis(n, 200) > _average_analysis(n, 25),
        lambda n: f"{_average_analysis(n, 25):.2g} ms at 25², {_average_analysis(n, 200):.2g} ms at 200²",
        "4.2",
        binding=False,
        change="nothing: every pixel is read once",
    ),
    Claim(
        "smaller view volumes are drawn faster, by clipping",
        lambda n: _average_draw(n, min) < _average_draw(n, max),
        lambda n: (
            f"{_average_draw(n, min):.2g} ms in the smallest, {_average_draw(n, max):.2g} in the largest"
        ),
        "4.2",
        binding=False,
        change="a scene that lies in the smallest volume altogether",
    ),
    Claim(
        "pixels are never early: min(L) is not below the exact distance (ours)",
        lambda n: _count_early(n) == 0,
        lambda n: (
            f"{len(_list_rows(n))} detections, {_count_early(n)} early; "
            f"{len(_select_contacts(n, found=False))} times no pixel "
            "sees both, though there is a contact"
        ),
    ),
)
