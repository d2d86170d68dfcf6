"""The tables of `ougi bench world`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ougi.cli.tables import Table
from ougi_lab.bench import world
from ougi_lab.bench.show import verdict
from ougi_lab.scenes.groups import DEGREES, TURNING


def tables(rows: Sequence[world.Row], versions: Mapping[str, str | None], load: float | None) -> list[Table]:
    """The stages of a step, and the step beside those of engines."""
    return [_stages(rows, load), _engines(rows, versions)]


def _stages(rows: Sequence[world.Row], load: float | None) -> Table:
    lines = [
        (
            row.scene,
            f"{row.n:,}",
            f"{row.candidates:.2f}",
            f"{row.events:,}",
            *(f"{row.stages[name]:.2f}" for name in world.STAGES),
            f"{row.step_ms:.1f}",
            f"{row.best_ms:.1f}",
            f"{row.wall_ms:.1f}",
            verdict(f"<= {world.GOAL:.1f}", row.met),
        )
        for row in rows
    ]
    headings = ("scene", ">n", ">candidates/body", ">events", *(f">{name}" for name in world.STAGES))
    busy = "" if load is None else f" When it began, {load:.1f} other programs were busy."
    return Table(
        "one step of a world, CPU ms of all threads",
        (*headings, ">step", ">best", ">wall, best", "60 Hz"),
        lines,
        (f"Medians; {TURNING:.0%} of the bodies turn by up to {DEGREES:g} degrees.{busy}",),
    )


def _engines(rows: Sequence[world.Row], versions: Mapping[str, str | None]) -> Table:
    lines = [
        (
            row.scene,
            f"{row.n:,}",
            name,
            f"{row.step_ms:.1f}",
            "-" if peer.ms is None else f"{peer.ms:.1f}",
            "-" if peer.ratio is None else f"{peer.ratio:.2f}",
        )
        for row in rows
        for name, peer in row.peers.items()
    ]
    missing = {f"{name}: {p.missing}" for row in rows for name, p in row.peers.items() if p.missing}
    installed = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    return Table(
        "a step of physics engines with the same bodies as sensors, CPU ms",
        ("scene", ">n", "engine", ">ougi", ">engine", ">engine / ougi"),
        lines,
        (
            "Engines test one pose per step and keep their answers inside; ougi finds first contacts on the "
            "way, with points and normals.",
            *sorted(missing),
            *((f"Measured with {installed}.",) if installed else ()),
        ),
    )
