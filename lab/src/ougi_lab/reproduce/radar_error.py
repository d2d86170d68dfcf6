"""How far RADAR's pixels are from the truth: distance, center and normal by resolution (RADAR sec. 3, ours).

The paper has no numbers on accuracy. Bodies of six kinds fly at others of any kind; what the published rule,
errata repaired, reports of a contact is compared with the exact first contact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.cli.tables import Table
from ougi.motion import Translation3d
from ougi.radar import Scopes, collide
from ougi.radar.motion_frames import Z_AXIS
from ougi_lab.reproduce import charts
from ougi_lab.reproduce.experiment import Claim, Figure, Section, evaluate
from ougi_lab.reproduce.radar_frames import RadarSizes
from ougi_lab.scenes.mesh_pairs import FAMILIES, MovingMeshes, draw_translating_meshes
from ougi_lab.scenes.meshes import make_solid

PIXELS = (8, 16, 25, 50, 100, 200)

# The normal under two readings of "colliding pixels", for a move of 0.5 to 4 sizes and for a step of a frame.
READINGS = (
    "long move, all that close", "long move, the nearest", "step, all that close", "step, the nearest",
)  # fmt: skip
# A step in sizes of the sensor.
FRAME_STEP = 0.05

# Early by less than this part of the view's depth is rounding.
_ROUNDING = 1e-9


def measure(sizes: RadarSizes, seed: int) -> dict[str, Any]:
    """Errors of all kinds of sensors."""
    cases = sizes.contacts
    return {"cases": cases, "kinds": {kind: measure_errors(kind, cases, seed) for kind in FAMILIES}}


def measure_errors(
    kind: str, cases: int, seed: int, resolutions: tuple[int, ...] = PIXELS
) -> list[dict[str, Any]]:
    """Of one kind, a row for each resolution."""
    rng = np.random.default_rng([seed, FAMILIES.index(kind)])
    errors_by_pixels: dict[int, list[tuple[float, ...]]] = {pixels: [] for pixels in resolutions}
    normals: dict[int, list[list[float]]] = {pixels: [] for pixels in resolutions}
    done = 0
    while done < cases:
        case = draw_translating_meshes(kind, rng, large=True)
        exact = collide(make_solid(case.sensor), case.motion, make_solid(case.target))
        if exact.status == 1:
            done += 1
            for pixels in resolutions:
                errors_by_pixels[pixels].append(_measure_error(case, exact, pixels))
                normals[pixels].append(_measure_normals(case, exact, pixels))
    return [
        {
            **_summarize_row(pixels, np.array(errors_by_pixels[pixels])),
            "normals": {
                name: _compute_quantiles(column[~np.isnan(column)])
                for name, column in zip(READINGS, np.array(normals[pixels]).T, strict=True)
            },
        }
        for pixels in resolutions
    ]


def _measure_normals(case: MovingMeshes, exact: Any, pixels: int) -> list[float]:
    """Degrees by which the normal is off, for each of READINGS; NaN if no contact is found."""
    motion: Any = case.motion
    offset = np.asarray(motion.offset)
    along = offset / np.linalg.norm(offset)
    long = Scopes.draw(case.sensor, Translation3d(offset), case.target, pixels=pixels)
    step = FRAME_STEP * float(long.window[2:4].max())
    # The last frame before the contact, which lies in the middle of its step.
    near = case.sensor.transformed(Translation3d((float(exact.distance) - 0.5 * step) * along))
    frame = Scopes.draw(near, Translation3d(step * along), case.target, pixels=pixels)
    found = []
    for seen in (long, frame):
        if not 0 <= seen.distance <= seen.movement:
            found += [np.nan, np.nan]
            continue
        for normal in (seen.normal(), compute_nearest_normal(seen)):
            found.append(float(np.degrees(np.arccos(np.clip(normal @ exact.normal, -1.0, 1.0)))))
    return found


def compute_nearest_normal(seen: Scopes) -> Floats:
    """The normal of the pixels at min(L): of the nearest one and of those around it, 3 x 3."""
    gaps = np.where(np.isnan(seen.look_at), np.inf, seen.look_at)
    row, column = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
    chosen = np.zeros(gaps.shape, np.bool_)
    chosen[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2] = True
    points = seen.points(chosen & np.isfinite(gaps))
    along: Floats = seen.frame[Z_AXIS].copy()
    if len(points) < 3:
        return along
    beside = np.cross(points[-1] - points[0], points - points[0])
    normal = beside[np.argmax((beside**2).sum(axis=1))]
    size = float(np.linalg.norm(normal))
    if size == 0:
        return along
    unit: Floats = normal / size
    return unit if unit @ along >= 0 else -unit


def _measure_error(case: MovingMeshes, exact: Any, pixels: int) -> tuple[float, ...]:
    """Late in pixels and in sizes of the sensor, center in pixels, normal in degrees, NaN if there is none;
    whether it is early; whether the bodies seem to overlap, which they do not."""
    motion: Any = case.motion
    seen = Scopes.draw(case.sensor, motion, case.target, pixels=pixels)
    size = float(seen.window[2:4].max())
    if not seen.distance <= seen.movement:
        return (np.nan, np.nan, np.nan, np.nan, 0.0, 0.0)
    if seen.distance < 0:
        return (np.nan, np.nan, np.nan, np.nan, 0.0, 1.0)
    late = seen.distance - float(exact.distance)
    away = float(np.linalg.norm(seen.center() - exact.point))
    angle = np.degrees(np.arccos(np.clip(seen.normal() @ exact.normal, -1.0, 1.0)))
    early = late < -_ROUNDING * seen.depth
    return late / size * pixels, late / size, away / size * pixels, float(angle), float(early), 0.0


def _summarize_row(pixels: int, found: Floats) -> dict[str, Any]:
    seen = found[~np.isnan(found[:, 0])]
    late, part, center, normal = (_compute_quantiles(seen[:, k]) for k in range(4))
    early, overlapping = (int(found[:, k].sum()) for k in (4, 5))
    return {
        "pixels": pixels, "missed": len(found) - len(seen) - overlapping, "overlapping": overlapping,
        "early": early, "late": late, "part": part, "center": center, "normal": normal,
    }  # fmt: skip


def _compute_quantiles(values: Floats) -> list[float]:
    """Median and 95 %, as far as they are of use."""
    return [float(f"{q:.3g}") for q in np.quantile(values, (0.5, 0.95))] if len(values) else [0.0, 0.0]


# --- summary ------------------------------------------------------------------------------------------------


def summarize(numbers: dict[str, Any], *, enough: bool = True) -> Section:
    """Table, figure and verdicts."""
    return Section(
        tables=(_build_table(numbers), _build_normal_table(numbers)),
        figures=(_build_figure(numbers),),
        verdicts=evaluate(_CLAIMS, numbers, paper="RADAR", enough=enough and numbers["cases"] >= 30),
        notes=(
            "Errors are those of the published rule: distance and center in pixels, the normal in degrees. "
            "The column `pixels` is the width of the sensor. Each cell has the median and the 95 % "
            "quantile of the contacts that are found.",
            "The center and the normal are those of all pixels whose gap closes within the movement, so "
            "they do not get better with more of them. The text speaks of pixels that collide, which can "
            "also mean those at min(L). The table of normals has both readings.",
            "L is negative where something lies beside the rear of the sensor or in its hollows. It seems "
            "to overlap the sensor, because RADAR's images keep the front of the sensor alone (R7, R10).",
        ),
        parameters={"contacts of each kind": numbers["cases"]},
    )


def _build_table(numbers: dict[str, Any]) -> Table:
    rows = tuple(
        (kind, row["pixels"], row["missed"], row["overlapping"],
         *(_format_pair(row[key]) for key in ("late", "center", "normal")))
        for kind, of in numbers["kinds"].items()
        for row in of
    )  # fmt: skip
    columns = (
        "sensor", "pixels", "missed", "L < 0", "late by, px", "center off by, px", "normal off by, °"
    )  # fmt: skip
    title = f"Errors by resolution, of {numbers['cases']} contacts of each kind"
    return Table(title, columns, rows)


def _build_normal_table(numbers: dict[str, Any]) -> Table:
    rows = tuple((pixels, *(_find_reading(numbers, name, pixels) for name in READINGS)) for pixels in PIXELS)
    note = (
        "Degrees: the median over the kinds of sensors of the median of each. A long move has 0.5 to 4 sizes "
        f"of the sensor, a step has {FRAME_STEP:g} of its size."
    )
    return Table("Normals under both readings of the text", ("pixels", *READINGS), rows, (note,))


def _find_reading(numbers: dict[str, Any], name: str, pixels: int) -> float:
    """Degrees, the median over all kinds of sensors."""
    rows = [row for of in numbers["kinds"].values() for row in of if row["pixels"] == pixels]
    return float(np.median([row["normals"][name][0] for row in rows]))


def _format_pair(pair: list[float]) -> str:
    return f"{pair[0]:.3g} / {pair[1]:.3g}"


def _build_figure(numbers: dict[str, Any]) -> Figure:
    kinds = numbers["kinds"]

    def draw(sheet: Any) -> None:
        sheet.set_size_inches(10.4, 4.2)
        panels = sheet.subplots(1, 3)
        shown = (
            ("part", "distance: late by, parts of the sensor"),
            ("center", "center: off by, parts of the sensor"),
            ("normal", "normal: off by, degrees"),
        )
        for axes, (key, label) in zip(panels, shown, strict=True):
            curves = {kind: [_select_value(row, key) for row in of] for kind, of in kinds.items()}
            charts.draw_lines(axes, PIXELS, curves, "pixels along a side", label)
            axes.set_xscale("log")
            axes.set_xticks(PIXELS, [str(p) for p in PIXELS])
            axes.minorticks_off()
            axes.get_legend().remove()
            if key == "part":
                axes.set_yscale("log")
            else:
                axes.set_ylim(bottom=0)
        entries = panels[0].get_legend_handles_labels()
        sheet.legend(*entries, loc="outside lower center", ncols=6, frameon=False, handlelength=3.2)

    rows = tuple(
        (kind, row["pixels"], row["missed"], row["part"][0], row["late"][0], row["center"][0],
         row["normal"][0])
        for kind, of in kinds.items()
        for row in of
    )  # fmt: skip
    columns = ("sensor", "pixels", "missed", "late, parts", "late, px", "center, px", "normal, degrees")
    return Figure("errors", "Errors of the published rule by resolution, medians", draw, columns, rows)


def _select_value(row: dict[str, Any], key: str) -> float:
    """A median; logarithms have no 0."""
    if key == "center":
        return float(row[key][0] / row["pixels"])
    return max(float(row[key][0]), 1e-6)


def _count_total(numbers: dict[str, Any], key: str, pixels: int | None = None) -> int:
    """Over all kinds of sensors, and over all resolutions or one."""
    rows = [row for of in numbers["kinds"].values() for row in of]
    return sum(row[key] for row in rows if pixels in (None, row["pixels"]))


def _find_medians(numbers: dict[str, Any], key: str, pixels: int) -> dict[str, float]:
    """Kind of sensor -> median error at a resolution."""
    return {
        kind: next(row[key][0] for row in of if row["pixels"] == pixels)
        for kind, of in numbers["kinds"].items()
    }


def _average_medians(numbers: dict[str, Any], pixels: int) -> float:
    """The median over all kinds of sensors of the error of the center, in pixels."""
    return float(np.median(list(_find_medians(numbers, "center", pixels).values())))


def _compute_gains(numbers: dict[str, Any]) -> dict[str, float]:
    """Kind of sensor -> error of the distance at 25² over that at 200²."""
    coarse, fine = (_find_medians(numbers, "part", pixels) for pixels in (25, 200))
    return {kind: coarse[kind] / fine[kind] for kind in coarse if fine[kind] > 0}


_CLAIMS: tuple[Claim[dict[str, Any]], ...] = (
    Claim(
        "a pixel is never early, if its gap is not negative (ours)",
        lambda n: _count_total(n, "early") == 0,
        lambda n: (
            f"{_count_total(n, 'early')} of {n['cases'] * len(n['kinds']) * len(PIXELS):,} distances are "
            "below the "
            f"exact one; {_count_total(n, 'overlapping')} are negative, where nothing overlaps"
        ),
    ),
    Claim(
        "resolution sets the accuracy: 8 times the pixels, the error falls below a third",
        lambda n: min(_compute_gains(n).values()) >= 3,
        lambda n: (
            ", ".join(f"{kind} {gain:.2g}" for kind, gain in _compute_gains(n).items())
            + " times, from 25² to 200²"
        ),
        "1",
        binding=False,
        change="flat faces seen at a right angle, whose depth is right at any resolution",
    ),
    Claim(
        "contacts are found whatever the bodies' shapes",
        lambda n: _count_total(n, "missed") == 0,
        lambda n: (
            ", ".join(f"{_count_total(n, 'missed', pixels)} missed at {pixels}²" for pixels in PIXELS)
            + f" of {n['cases'] * len(n['kinds'])}: thin bodies pass between pixels"
        ),
        "1",
        binding=False,
        change="conservative images, which exact radars use",
    ),
    *(
        Claim(
            f"any three colliding pixels give the normal: {name} (10° at most at 25²)",
            lambda n, name=name: _find_reading(n, name, 25) <= 10,  # type: ignore[misc]
            lambda n, name=name: (  # type: ignore[misc]
                f"median off by {_find_reading(n, name, 25):.0f}° at 25², "
                f"{_find_reading(n, name, 200):.0f}° at 200²"
            ),
            "3.2",
            binding=False,
            change="flat contacts, for which three pixels lie in the touching face",
        )
        for name in READINGS
    ),
    Claim(
        "the contact center can be estimated from the colliding pixels (within 5 pixels at 25²)",
        lambda n: _average_medians(n, 25) <= 5,
        lambda n: (
            f"median off by {_average_medians(n, 25):.1f} px at 25², {_average_medians(n, 200):.1f} at 200²"
        ),
        "3.2",
        binding=False,
        change="steps of a frame instead of long moves, which close fewer pixels",
    ),
)
