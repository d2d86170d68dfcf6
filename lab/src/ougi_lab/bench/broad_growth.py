"""How the times of `ougi bench broad` grow with the number of bodies: exponents, a plot and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ougi.broad.choice import SEARCHES
from ougi_lab.bench.measurement import Measurement, select
from ougi_lab.bench.table import fill_cell, format_number

# The smallest number of bodies to which exponents are fitted.
FROM = 5_000


def fit_growth(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Exponents of the time, fitted from FROM bodies on, where two numbers are known."""
    found = []
    for scene in dict.fromkeys(each["scene"] for each in select(measurements, "broad")):
        for name, (numbers, ms) in collect_series(measurements, scene).items():
            fit = [(n, t) for n, t in zip(numbers, ms, strict=True) if n >= FROM]
            if len(fit) > 1:
                n, t = np.log(np.array(fit)).T
                exponent = float(np.polyfit(n, t, 1)[0])
                found.append(Measurement("broad/growth", {"scene": scene}, name, exponent, "exponent"))
    return found


def collect_series(
    measurements: Sequence[Measurement], scene: str
) -> dict[str, tuple[list[int], list[float]]]:
    """Method -> numbers of bodies and milliseconds."""
    found: dict[str, tuple[list[int], list[float]]] = {}
    for each in select(measurements, "broad", scene=scene):
        if each.value is not None:
            numbers, times = found.setdefault(each.method, ([], []))
            numbers.append(int(each.case["n"]))
            times.append(each.value)
    return found


def render_comparison(measurements: Sequence[Measurement]) -> str:
    """A run as the table of docs/comparison.md."""
    lines = [
        "| scene | bodies | pairs | ougi, ms | best of the others | times as long |",
        "|---|---:|---:|---:|---|---:|",
    ]
    for row in select(measurements, "broad", method="auto"):
        assert row.value is not None
        cells = fill_cell(row, "{scene} | {n:,} | {pairs:,}"), format_number(row.value)
        lines.append(
            f"| {' | '.join(cells)} | {row['best_peer'] or 'none'} | {fill_cell(row, '{best_ratio:.1f}')} |"
        )
    return "\n".join(lines)


def draw_growth(measurements: Sequence[Measurement], path: Path) -> None:
    """Draw the times over the number, a panel for each scene, with fitted exponents in the legend below."""
    from matplotlib.figure import Figure

    rows = select(measurements, "broad")
    scenes = list(dict.fromkeys(str(row.case["scene"]) for row in rows))
    across = min(2, len(scenes))
    down = -(-len(scenes) // across)
    figure = Figure(figsize=(6 * across, 6 * down), layout="constrained")
    exponents = {(each.case["scene"], each.method): each.value for each in fit_growth(rows)}
    names = list(dict.fromkeys(row.method for row in rows))
    for k, scene in enumerate(scenes):
        axes = figure.add_subplot(down, across, k + 1)
        for name, (numbers, ms) in collect_series(rows, scene).items():
            fitted = exponents.get((scene, name))
            label = name if fitted is None else f"{name}, n^{fitted:.2f}"
            ours = name == "auto" or name in SEARCHES
            axes.loglog(
                numbers, ms, "o-" if ours else "s--", color=f"C{names.index(name)}",
                linewidth=2.5 if name == "auto" else 1, label=label,
            )  # fmt: skip
        axes.set(title=f"scene {scene}", xlabel="bodies", ylabel="CPU ms")
        axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2)
        axes.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
