"""`ougi bench gltf`: reading and checking animated glTF files of detailed meshes.

The files have as many faces and keys as two of Khronos' samples; see `ougi_lab.scenes.detailed_gltf`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import ougi
from ougi.cli.scene_options import ignore_initial_contacts
from ougi_lab.bench.measurement import BenchReport, Measurement, Options, collect, require_max
from ougi_lab.bench.table import build_table
from ougi_lab.scenes.detailed_gltf import FILES

# Seconds of CPU time to read and check a file.
TARGETS = {"plant": 20.0, "watch": 3.0}

# Faces and keys of a quick run.
_QUICK = {"faces": 900, "keys": 11}


def measure(folder: Path, *, quick: bool) -> Iterator[Measurement]:
    """Read each file, and check it with pairs that overlap at the start ignored."""
    for name, make in FILES.items():
        path = folder / f"{name}.glb"
        (make(**_QUICK) if quick else make()).write(path)
        _compile(folder)
        begun = process_time()
        scene = ougi.load_scene(path)
        read = process_time()
        report = ougi.check(ignore_initial_contacts(scene))
        seconds = process_time() - begun
        faces = sum(len(body.shape.faces) for body in scene.bodies if isinstance(body.shape, ougi.Mesh))
        case = {"scene": name, "bodies": len(scene.bodies), "faces": faces}
        facts = {"read": read - begun, "contacts": len(report.contacts), "duration": scene.duration}
        target = None if quick else require_max(TARGETS[name], seconds)
        yield Measurement("gltf", case, "ougi", seconds, "s", target=target, facts=facts)


def _compile(folder: Path) -> None:
    """Check a small file, so that nothing is compiled while a large one is measured."""
    path = folder / "small.glb"
    FILES["watch"](**_QUICK).write(path)
    ougi.check(ignore_initial_contacts(ougi.load_scene(path)))


def run(options: Options) -> BenchReport:
    """Measure all files."""
    with tempfile.TemporaryDirectory() as folder:
        found = collect(measure(Path(folder), quick=options.quick), "files", len(FILES))
    table = build_table(
        "reading and checking glTF files, seconds",
        found,
        columns="contacts {contacts:,} | reading {read:.2f} | all {value:.2f}",
        notes=("CPU time of all threads. Pairs that overlap at the start are ignored.",),
    )
    return BenchReport({"quick": options.quick}, found, [table])
