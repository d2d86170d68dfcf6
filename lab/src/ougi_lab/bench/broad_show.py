"""The tables and the plot of `ougi bench broad`."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ougi.cli.tables import Table
from ougi.errors import MissingExtraError
from ougi_lab.bench import broad
from ougi_lab.bench.show import verdict


def tables(
    rows: Sequence[broad.Row], versions: Mapping[str, str | None], few: Sequence[broad.FewRow] = ()
) -> list[Table]:
    """Times and ratios, growth, and the targets of the whole run."""
    of_few = [_few(few)] if few else []
    return [_ours(rows), *of_few, _peers(rows, versions), _growth(rows), _targets(rows, few)]


def _ours(rows: Sequence[broad.Row]) -> Table:
    names = list(rows[0].searches) if rows else []
    headings = ("scene", ">n", ">pairs", ">auto", *(f">{name}" for name in names), ">auto / best")
    lines = [
        (
            row.scene,
            f"{row.n:,}",
            f"{row.pairs:,}",
            _ms(row.auto_ms),
            *(_ms(row.searches[name]) for name in names),
            f"{row.to_best:.2f}",
            f"{row.to_copy:.0f}",
            f"{row.bytes:.0f}",
        )
        for row in rows
    ]
    return Table(
        "candidate pairs, our searches, CPU ms",
        (*headings, ">copies", ">bytes/body"),
        lines,
        (
            "copies: auto over copying its input and its answer. bytes/body: memory beside the answer. "
            "-: left out, slow.",
            "Shapes are built and laid out before the clock starts; pairs come unsorted, in new arrays.",
        ),
    )


def _few(rows: Sequence[broad.FewRow]) -> Table:
    names = list(rows[0].methods)
    lines = [
        (
            row.scene,
            f"{row.n:,}",
            f"{row.auto_us:.1f}",
            *(f"{row.methods[name]:.1f}" for name in names),
            f"{row.to_best:.2f}",
        )
        for row in rows
    ]
    headings = ("scene", ">n", ">auto", *(f">{name}" for name in names), ">auto / best")
    return Table("a few bodies, our methods, CPU us", headings, lines)


def _peers(rows: Sequence[broad.Row], versions: Mapping[str, str | None]) -> Table:
    names = list(rows[0].peers) if rows else []
    lines = [
        (
            row.scene,
            f"{row.n:,}",
            _ms(row.auto_ms),
            *(_cell(row.peers[name]) for name in names),
            "-" if row.ratio is None else f"{row.ratio:.1f}",
            "-" if row.ratio is None else verdict(f">= {broad.EVERY:g}", row.ratio >= broad.EVERY),
        )
        for row in rows
    ]
    missing = {f"{name}: {p.missing}" for row in rows for name, p in row.peers.items() if p.missing}
    installed = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    return Table(
        "times auto's CPU time that other libraries take (pairs that differ)",
        ("scene", ">n", ">auto ms", *(f">{name}" for name in names), ">best peer", "target"),
        lines,
        (
            "Medians of ratios within rounds. scipy and warp HashGrid answer for spheres, others for boxes "
            "around them, which is less work; the time to turn their answers into arrays is not counted.",
            f"too slow: in a smaller crowd it took {broad.BEHIND:g} times as long as the best of the others, "
            f"or half a second, and {broad.STAY} others were faster.",
            "warp computes in single precision, ipctk rounds outwards: they may differ in pairs that touch.",
            *sorted(missing),
            *((f"Measured with {installed}.",) if installed else ()),
        ),
    )


def _growth(rows: Sequence[broad.Row]) -> Table:
    lines = [
        (scene, name, f"{exponent:.2f}")
        for scene, exponents in broad.growth(rows).items()
        for name, exponent in exponents.items()
    ]
    note = f"Of the time as a power of the number, fitted from {broad.FROM:,} bodies on."
    return Table("growth", ("scene", "what", ">exponent"), lines, (note,))


def _targets(rows: Sequence[broad.Row], few: Sequence[broad.FewRow]) -> Table:
    lines = [(v.what, f"{v.value:.2f}", verdict(v.target, v.met)) for v in broad.verdicts(rows, few)]
    return Table("targets", ("what", ">value", "target"), lines)


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if value < 100 else f"{value:,.0f}"


def _cell(peer: broad.Peer) -> str:
    if peer.ratio is None:
        return "-"
    return f"{peer.ratio:.1f}" + (f" ({peer.differ})" if peer.differ else "")


def compared(result: Mapping[str, Any]) -> str:
    """A run that was written as JSON, as the table of docs/comparison.md."""
    lines = [
        "| scene | bodies | pairs | ougi, ms | best of the others | times as long |",
        "|---|---:|---:|---:|---|---:|",
    ]
    for row in result["rows"]:
        best = "none" if row["ratio"] is None else row["best_peer"]
        times = "-" if row["ratio"] is None else f"{row['ratio']:.1f}"
        lines.append(
            f"| {row['scene']} | {row['n']:,} | {row['pairs']:,} | {_ms(row['auto_ms'])} | {best} | {times} |"
        )
    return "\n".join(lines)


def require_plotting() -> None:
    """Tell before the work that nothing could be drawn after it."""
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("plot", "drawing the times")


def plot(rows: Sequence[broad.Row], path: Path) -> None:
    """Draw the times over the number, a panel for each scene, with fitted exponents in the legend below."""
    from matplotlib.figure import Figure

    scenes = list(dict.fromkeys(row.scene for row in rows))
    across = min(2, len(scenes))
    down = -(-len(scenes) // across)
    figure = Figure(figsize=(6 * across, 6 * down), layout="constrained")
    exponents = broad.growth(rows)
    names = ["auto", *rows[0].searches, *rows[0].peers]
    for k, scene in enumerate(scenes):
        axes = figure.add_subplot(down, across, k + 1)
        for name, (numbers, ms) in broad.series(rows, scene).items():
            fitted = exponents.get(scene, {}).get(name)
            label = name if fitted is None else f"{name}, n^{fitted:.2f}"
            ours = name == "auto" or name in rows[0].searches
            axes.loglog(
                numbers, ms, "o-" if ours else "s--", color=f"C{names.index(name)}",
                linewidth=2.5 if name == "auto" else 1, label=label,
            )  # fmt: skip
        axes.set(title=f"scene {scene}", xlabel="bodies", ylabel="CPU ms")
        axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2)
        axes.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
