"""The check of one scene file, as `ougi check` runs it for one scene or for many."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ougi.cli.progress import ProgressCallback
from ougi.cli.scene_options import SceneOptions
from ougi.errors import InvalidInputError

if TYPE_CHECKING:
    from ougi.checks import Report
    from ougi.scene import Scene

# Scenes with at least this number of candidate pairs take seconds, so the number is reported first.
MANY_PAIRS = 1_000_000


@dataclass(frozen=True)
class CheckSettings:
    """How scenes are read and checked."""

    options: SceneOptions
    margin: float = 0.0
    method: str = "exact"
    fps: float = 60.0
    max_pairs: int = 100_000_000
    max_contacts: int = 500_000
    timeout: float | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.margin) and self.margin >= 0):
            raise InvalidInputError(f"margin must be 0 or more, got {self.margin}")
        if not (math.isfinite(self.fps) and self.fps > 0):
            raise InvalidInputError(f"fps must be positive, got {self.fps}")
        if self.timeout is not None and not (math.isfinite(self.timeout) and self.timeout > 0):
            raise InvalidInputError(f"timeout must be a positive number of seconds, got {self.timeout}")
        for name, limit in (("max-pairs", self.max_pairs), ("max-contacts", self.max_contacts)):
            if limit < 1:
                raise InvalidInputError(f"{name} must be 1 or more, got {limit}")


def check_loaded_scene(
    scene: Scene,
    path: Path,
    settings: CheckSettings,
    progress: ProgressCallback | None = None,
    *,
    keep_interrupted: bool = False,
) -> Report:
    """Check a scene that was read from this file; `keep_interrupted` returns what was found before Ctrl-C."""
    from ougi.checks.check_scene import PreparedCheck

    try:
        prepared = PreparedCheck(
            scene,
            settings.margin,
            1e-9,
            settings.method,
            settings.fps,
            progress,
            max_pairs=settings.max_pairs,
            max_contacts=settings.max_contacts,
            timeout=settings.timeout,
        )
        if prepared.pairs >= MANY_PAIRS:
            sys.stderr.write(f"{path.name}: checking {prepared.pairs:,} candidate pairs\n")
        report = prepared.run()
        if prepared.is_interrupted and not keep_interrupted:
            raise KeyboardInterrupt
        return report
    except ValueError as error:  # too many pairs or contacts, or a mesh without faces
        raise InvalidInputError(f"{path.name}: {error}") from error
