"""Building the libraries of machine code: `python -m ougi.cli.native`."""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ougi._native.build import LoopGroup, Row


def main() -> int:
    """Compile every loop that a query can need, and link the objects for each level of a processor."""
    from ougi._native import build, emit, library

    parser = argparse.ArgumentParser(prog="python -m ougi.cli.native", description=main.__doc__)
    parser.add_argument("--platform", choices=emit.platforms(), nargs="+", default=[library.name_platform()])
    parser.add_argument("--levels", nargs="*", help="levels of the processor; all by default")
    parser.add_argument("--this-processor", action="store_true", help="only the best level of this processor")
    parser.add_argument(
        "--out", default=str(library.FOLDER), help="folder of the libraries; PLATFORM in it is replaced"
    )
    parser.add_argument("--objects", type=Path, default=Path("out/native"), help="folder of compiled loops")
    parser.add_argument("--only", default="", help="a regular expression for the names of loops")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="processes that optimise; all cores by default"
    )
    parser.add_argument("--wide", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.this_processor:
        given.platform = [library.name_platform()]
        given.levels = [library.choose_level(emit.levels_of(given.platform[0]))]
    levels = {
        platform: [each for each in emit.levels_of(platform) if not given.levels or each in given.levels]
        for platform in given.platform
    }
    given.targets = [(platform, level) for platform, each in levels.items() for level in each]
    given.objects.mkdir(parents=True, exist_ok=True)
    groups = _record(given.only)
    if given.wide:
        json.dump(_compile(given, groups), sys.stdout)
        return 0
    # In a process of its own, which compiles the other form of the lanes.
    again = [sys.executable, "-m", "ougi.cli.native", *sys.argv[1:], "--wide"]
    needs_wide = any(build.split_targets(group, given.targets, is_wide=True) for group in groups)
    wide = subprocess.Popen(again, stdout=subprocess.PIPE) if needs_wide else None
    compiled = _compile(given, groups)
    if wide is not None:
        output, _ = wide.communicate()
        if wide.returncode != 0:
            return wide.returncode
        compiled |= json.loads(output)
    for platform, each in levels.items():
        folder = Path(given.out.replace("PLATFORM", platform))
        build.link(compiled, groups, platform, each, given.objects, folder)
    return 0


def _record(only: str) -> list[LoopGroup]:
    from ougi._native.build import group_loops
    from ougi._native.record import record
    from ougi.cli.warmup import compile_all

    return group_loops(each for each in record(compile_all) if re.search(only, each.name))


def _compile(given: argparse.Namespace, groups: list[LoopGroup]) -> dict[str, Row]:
    """This process lowers one group after the other. Others optimise what it has lowered."""
    from ougi._native import build, wide
    from ougi._native.lowering import lower_only
    from ougi.cli.processes import start_processes

    lower_only()
    gc.freeze()
    gc.set_threshold(500_000)  # the search for cycles, which are few, took a tenth of the time
    wide.target_is_wide = given.wide
    compiled: dict[str, Row] = {}
    with start_processes(given.jobs) as pool:
        emitted = []
        mine = [(group, build.split_targets(group, given.targets, is_wide=given.wide)) for group in groups]
        mine = [(group, targets) for group, targets in mine if targets]
        for done, (group, targets) in enumerate(mine, 1):
            rows, lowered = build.lower_group(group, targets, given.objects)
            # Described anew, because the module that chose a loop's parts may have another name since.
            signatures = {name: signature for name, (signature, _, _) in rows.items()}
            loops = {each.name: each.function for each in group.recordings}
            compiled |= {name: build._describe(loops[name], signatures[name]) for name in rows}
            if lowered is not None:
                emitted += [pool.submit(lowered.emit, *target) for target in lowered.objects]
            _report(given, f"lowered {done} of {len(mine)}: {group.name}, {len(rows)} loops", RUSAGE_SELF)
        for done, each in enumerate(emitted, 1):
            each.result()
            _report(given, f"optimised {done} of {len(emitted)}", RUSAGE_CHILDREN)
    return compiled


def _report(given: argparse.Namespace, what: str, processes: int) -> None:
    """Print how far the work is. `ougi warmup` reads these lines."""
    used = getrusage(processes)
    lanes = "with lanes: " if given.wide else ""
    sys.stderr.write(
        f"{lanes}{what}; {used.ru_utime + used.ru_stime:.0f} s of CPU time, "
        f"at most {used.ru_maxrss / 1e6:.2f} GB in a process\n"
    )


if __name__ == "__main__":
    sys.exit(main())
