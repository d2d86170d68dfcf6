"""Building the libraries of machine code: `python -m ougi.cli.native`."""

from __future__ import annotations

import argparse
import gc
import json
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ougi._native.build import LoopGroup, Row


def main() -> int:
    """Compile every loop that a query can need, and link the objects for each level of a processor."""
    from ougi._native import build, library

    parser = argparse.ArgumentParser(prog="python -m ougi.cli.native", description=main.__doc__)
    parser.add_argument("--platform", choices=build.platforms(), nargs="+", default=[library.name_platform()])
    parser.add_argument("--levels", nargs="*", help="levels of the processor; all by default")
    parser.add_argument(
        "--out", default=str(library.FOLDER), help="folder of the libraries; PLATFORM in it is replaced"
    )
    parser.add_argument("--objects", type=Path, default=Path("out/native"), help="folder of compiled loops")
    parser.add_argument("--only", default="", help="a regular expression for the names of loops")
    parser.add_argument("--wide", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    levels = {
        platform: [each for each in build.levels_of(platform) if not given.levels or each in given.levels]
        for platform in given.platform
    }
    given.targets = [(platform, level) for platform, each in levels.items() for level in each]
    given.objects.mkdir(parents=True, exist_ok=True)
    groups = _record(given.only)
    compiled = _compile(given, groups)
    if given.wide:
        json.dump(compiled, sys.stdout)
        return 0
    if any(level == build.WIDE_LEVEL for _, level in given.targets):
        # In a process of its own, which compiles the other form of the lanes.
        again = [sys.executable, "-m", "ougi.cli.native", *sys.argv[1:], "--wide"]
        compiled |= json.loads(subprocess.run(again, check=True, stdout=subprocess.PIPE).stdout)
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
    from ougi._native import build, wide

    build.lower_only()
    gc.freeze()
    gc.set_threshold(
        100_000
    )  # the compiler makes few cycles, and searching for them takes a tenth of its time
    wide.target_is_wide = given.wide
    compiled: dict[str, Row] = {}
    for group in groups:
        if targets := build.split_targets(group, given.targets, is_wide=given.wide):
            compiled |= build.compile_group(group, targets, given.objects)
            used = resource.getrusage(resource.RUSAGE_SELF)
            sys.stderr.write(
                f"{group.name}: {len(group.recordings)} loops for {len(targets)} processors; "
                f"{used.ru_utime + used.ru_stime:.0f} s of CPU time, {used.ru_maxrss / 1e6:.2f} GB in all\n"
            )
    return compiled


if __name__ == "__main__":
    sys.exit(main())
