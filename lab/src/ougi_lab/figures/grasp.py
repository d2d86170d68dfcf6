"""RADAR figures 13 to 15 anew: grasps as rows of pictures, and as films. Parts that touch are red."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.errors import MissingExtraError
from ougi.plot.camera import Camera
from ougi.plot.panel import TEXT
from ougi.shapes import Mesh
from ougi_lab.figures.shading import fit_window, render_meshes
from ougi_lab.grasp import (
    TARGETS,
    Grasp,
    build_human_hand,
    place_around_box,
    place_five_hands,
    place_one_hand,
    simulate_grasp,
    turn_box,
)

# One skin colour for each hand.
_SKINS = ("#e2b08e", "#c98f6b", "#efc7a4", "#a9714f", "#d8a27e")
_TARGET, _STOPPED = "#839dc8", "#d9523f"
# From the thumb's side, a little from before: one sees the palm, and what is in it.
SIDE = Camera(azimuth=212.0, elevation=24.0, up="y")
# What is larger than the hand would hide it: from behind.
BEHIND = Camera(azimuth=126.0, elevation=26.0, up="y")
# Five hands: from the open side, where their fingers point to.
OPEN = Camera(azimuth=-28.0, elevation=52.0)
_PIXELS = (300, 260)
_FILM = (360, 320)
_DPI = 100
_COLORS = 96


class Sheet:
    """Rows of pictures with captions; a film of the grasps, one after the other."""

    def __init__(self, title: str, runs: dict[str, Grasp], cameras: dict[str, Camera]) -> None:
        self.title, self.runs, self.cameras = title, runs, cameras

    def save(self, path: str | Path) -> Path:
        """Write the pictures to FILE.png or FILE.svg, or the film to FILE.gif; the path."""
        path = Path(path)
        try:
            from PIL import Image  # comes with matplotlib
        except ImportError as error:
            raise MissingExtraError("plot", "drawing a picture") from error
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".gif":
            return self._write_film(path)
        figure = self._draw_figure()
        if path.suffix != ".png":
            figure.savefig(path, dpi=_DPI, metadata={"Date": None} if path.suffix == ".svg" else None)
            return path
        page = io.BytesIO()
        figure.savefig(page, dpi=_DPI)
        # A palette makes the file four times smaller, with hardly a visible change.
        Image.open(page).convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
        return path

    def _draw_figure(self) -> Any:
        """A row for each grasp."""
        from matplotlib.figure import Figure

        rows = {name: select_frames(run) for name, run in self.runs.items()}
        wide = max(len(shots) for shots in rows.values())
        inches = (wide * _PIXELS[0] / _DPI, len(rows) * (_PIXELS[1] / _DPI + 0.32) + 0.4)
        figure = Figure(figsize=inches, layout="constrained")
        figure.suptitle(self.title, fontsize=TEXT + 2)
        grid = figure.subplots(len(rows), wide, squeeze=False)
        for axes in grid.ravel():
            axes.set_axis_off()
        for line, (name, shots) in zip(grid, rows.items(), strict=True):
            run, camera = self.runs[name], self.cameras[name]
            for axes, (caption, frame) in zip(line, shots.items(), strict=False):
                window = fit_window(collect_corners(run, frame), camera, _PIXELS)
                axes.imshow(
                    render_meshes(list_bodies(run, frame), camera, window, _PIXELS), interpolation="none"
                )
                axes.set_title(f"{name}: {caption}", fontsize=TEXT - 1.5, pad=3)
        return figure

    def _write_film(self, path: Path) -> Path:
        from PIL import Image

        shots = []
        for name, run in self.runs.items():
            camera = self.cameras[name]
            for frame, window in plan_zooms(run, camera):
                shots.append(Image.fromarray(render_meshes(list_bodies(run, frame), camera, window, _FILM)))
        # One palette for all frames: the film neither flickers nor grows.
        palette = shots[-1].quantize(_COLORS)
        small = [shot.quantize(palette=palette, dither=Image.Dither.NONE) for shot in shots]
        lasts = [70] * (len(small) - 1) + [1500]
        small[0].save(path, save_all=True, append_images=small[1:], duration=lasts, loop=0, optimize=True)
        return path


def select_frames(run: Grasp) -> dict[str, int]:
    """Frames worth a picture: the search, the first contact, the four fingers together, and on to the end."""
    phases: list[tuple[str, ...]] = [frame.phases for frame in run.frames]
    last = len(phases) - 1
    shots = {"search": 0}
    for caption, phase in (("contact", "close"), ("four fingers", "grasp")):
        if len(phases[0]) == 1 and (phase,) in phases:
            shots[caption] = phases.index((phase,))
    if len(phases[0]) > 1:
        arrived = [all(phase not in ("search", "approach") for phase in each) for each in phases]
        shots["all have arrived"] = arrived.index(True) if any(arrived) else last // 2
    begun = max(shots.values())
    shots["each finger"] = begun + (last - begun) // 3
    return {**shots, "end": last}


def list_bodies(run: Grasp, frame: int) -> list[tuple[Mesh, str]]:
    """The target and all parts with their colours; parts that have stopped at something by then are red."""
    stopped = {(e.hand, e.part) for e in run.events if e.frame <= frame and e.what == "stopped"}
    painted = [(run.target, _TARGET)]
    for k, parts in enumerate(run.meshes(frame)):
        skin = _SKINS[k % len(_SKINS)]
        for part, mesh in enumerate(parts):
            painted.append((mesh, _STOPPED if (k, part) in stopped else skin))
    return painted


def collect_corners(run: Grasp, frame: int) -> Floats:
    """All corners of the target and the hands."""
    return np.concatenate([mesh.vertices for mesh, _ in list_bodies(run, frame)])


def plan_zooms(run: Grasp, camera: Camera, every: int = 2) -> list[tuple[int, tuple[Floats, Floats]]]:
    """Frames of a film and what of the world each shows: the view closes in on the hands, smoothly."""
    frames = [*range(0, len(run.frames) - 1, every), len(run.frames) - 1]
    windows = [fit_window(collect_corners(run, frame), camera, _FILM) for frame in frames]
    middles, sizes = (np.stack([window[k] for window in windows]) for k in (0, 1))
    return [
        (frame, (middle, size))
        for frame, middle, size in zip(frames, _smooth_values(middles), _smooth_values(sizes), strict=True)
    ]


def _smooth_values(values: Floats, over: int = 9) -> Floats:
    """Means over neighbouring frames."""
    ends = np.pad(values, ((over // 2, over // 2), (0, 0)), mode="edge")
    kernel = np.full(over, 1 / over)
    calm: Floats = np.stack([np.convolve(column, kernel, mode="valid") for column in ends.T], axis=1)
    return calm


def draw_one_hand(names: Sequence[str] = tuple(TARGETS)) -> Sheet:
    """One hand and targets of several shapes (RADAR figures 13, 14)."""
    targets = {name: turn_box() if name == "box" else TARGETS[name]() for name in names}
    runs = {
        name: simulate_grasp(build_human_hand(), target, place_one_hand()) for name, target in targets.items()
    }
    cameras = {name: BEHIND if name == "box" else SIDE for name in names}
    return Sheet("A hand closes around what it finds", runs, cameras)


def draw_five_hands() -> Sheet:
    """Five hands at one target (RADAR figure 15)."""
    from ougi_lab.scenes.meshes import make_sphere

    runs = {
        "at a ball": simulate_grasp(build_human_hand(), make_sphere(36, 20, 210.0), place_five_hands()),
        "at the box": simulate_grasp(build_human_hand(), turn_box(), place_around_box()),
    }
    return Sheet("Five hands at one target", runs, dict.fromkeys(runs, OPEN))


FIGURES: dict[str, Callable[[], Sheet]] = {"radar-grasp": draw_one_hand, "radar-five-hands": draw_five_hands}
