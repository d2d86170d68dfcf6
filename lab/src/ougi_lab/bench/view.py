"""`ougi bench view`: what moving the viewer's slider costs in Python."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import ougi
from ougi_lab.bench.measurement import BenchReport, Measurement, Options, collect, require_max
from ougi_lab.bench.table import build_table
from ougi_lab.measure import CLOCK
from ougi_lab.scenes.groups import draw_moving_scene

SEED = 10
NUMBERS = (100, 1000, 5000)
TARGET = 5.0  # milliseconds for a thousand bodies


def measure(numbers: tuple[int, ...] = NUMBERS, updates: int = 200) -> Iterator[Measurement]:
    """Move a slider back and forth, without a browser."""
    from ougi.viewer.events import list_report_events
    from ougi.viewer.server import start_server
    from ougi.viewer.stage import Stage

    for n in numbers:
        scene = draw_moving_scene(n, np.random.default_rng([SEED, n]))
        report = ougi.check(scene)
        with start_server(0) as server:
            stage = Stage(server.scene, scene)
            stage.set_events(list_report_events(report, 60.0))
            spent = []
            for t in np.abs(np.linspace(-2, 2, updates + 1)).tolist():
                begun = CLOCK.now()
                with server.atomic():
                    stage.show_time(t)
                spent.append(1e3 * (CLOCK.now() - begun))
        median, facts = float(np.median(spent)), {"contacts": len(report.contacts)}
        target = require_max(TARGET, median) if n == 1000 else None
        yield Measurement("view", {"bodies": n}, "ougi", median, worst=max(spent), target=target, facts=facts)


def run(options: Options) -> BenchReport:
    """Measure updates for several numbers of bodies, half of which turn and half of which move straight."""
    numbers, updates = (NUMBERS[:1], 20) if options.quick else (NUMBERS, 200)
    found = collect(measure(numbers, updates), "updates", len(numbers))
    table = build_table(
        "moving the viewer's slider, milliseconds per update in Python",
        found,
        columns="contacts {contacts:,} | median {value:.2f} | worst {worst:.2f}",
        notes=(f"{CLOCK.name}: poses, colours and marks of all bodies, handed to viser. Every body moves.",),
    )
    return BenchReport({"numbers": list(numbers), "updates": updates, "seed": SEED}, found, [table])
