"""Compiling everything ahead of time: `ougi warmup`, `ougi cache`."""

from __future__ import annotations

import functools
import importlib.util
import logging
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from ougi._typing import Array
from ougi.cli.progress import ProgressCallback
from ougi.errors import InvalidInputError, MissingExtraError

Task = tuple[str, str]


def list_tasks() -> list[Task]:
    """Every loop that a query can need, as (question, kernel).

    For continuous detection (impact, kernel), and (moving, kernel) where both bodies move: the slowest first.
    (sweep, kernel) belongs to the shapes of `ougi.sweep`, (cylinder, layout) to advancement, (broad, part) to
    `ougi.candidate_pairs`, (radar, mode) to `ougi.radar`, (corridor, part) to a Corridor, (mesh, query) to
    queries of meshes, (timeline, dimension) to a World, (hull, dimension or solid3d) to moving hulls,
    polygons and curved solids, (plane, layout) to moving half-spaces, (body, moving, distance or depth) to
    sectors, (ray, layout) to `ougi.raycast`,
    (robot, all) to a Robot, (games, hits) to `ougi.games`, and (manifold, points) to `ougi.manifolds`.
    """
    from ougi.impact.tables import KERNELS
    from ougi.query.raycast import LAYOUTS
    from ougi.query.tables import TABLES, list_rows

    moves = [(question, kernel) for question in ("moving", "impact") for kernel in reversed(KERNELS)]
    found = {(question, row.kernel) for question in TABLES for row in list_rows(question)}
    cylinders = [("cylinder", kernel.removesuffix("_cylinder")) for kernel in KERNELS if "cylinder" in kernel]
    broad = [("broad", part) for part in _BROAD]
    radar = [("radar", mode) for mode in ("exact", "published")]
    corridors = [("corridor", part) for part in _CORRIDOR]
    return [
        *radar,
        ("hull", "3"),
        ("hull", "2"),
        ("hull", "solid3d"),
        ("plane", "hull3d"),
        ("plane", "sector3d"),
        ("body", "moving"),
        ("body", "distance"),
        ("body", "depth"),
        *(("ray", layout) for layout in sorted(set(LAYOUTS.values()))),
        *moves,
        *broad,
        *corridors,
        ("timeline", "2"),
        ("timeline", "3"),
        ("robot", "all"),
        *(("mesh", query) for query in _MESH),
        ("games", "hits"),
        ("manifold", "points"),
        ("sweep", "boxturn_point3d"),
        ("sweeps", "sector"),
        ("sweeps", "speculative-ideal"),
        ("sweeps", "swept-sphere"),
        *cylinders,
        *sorted(found, reverse=True),
    ]


# Parts of `ougi.broad`: its searches, and the loops that they share.
_BROAD = ("grid", "tree", "sweep", "brute", "tracker", "x", "best-axis")


# Parts of `ougi.corridor`: what all need comes with the first.
_CORRIDOR = ("reach", "quadtree", "chain", "groups", "brute", "mutual", "published")


def _compile_corridor(part: str) -> None:
    import numpy as np

    from ougi.corridor import Corridor

    square = np.array([[[0, 0], [1, 0]], [[1, 0], [1, 1]], [[1, 1], [0, 1]], [[0, 1], [0, 0]]])
    hole = 7 + square[: 0 if part == "published" else None]
    corridor = Corridor(np.concatenate([9 * square, hole]))
    method = "reach" if part == "mutual" else part
    corridor.step([1, 1], [9, 5], 0.5, 1.0, method=method, mutual=part == "mutual")


def _compile_sweeps(method: str) -> None:
    from ougi.motion import Rotation3d
    from ougi.shapes import Box
    from ougi.sweeps import sweep

    sweep(Box([2, 0, 0], [1, 1, 1]), Rotation3d([0, 0, 0], [0, 0, 1], 1.0), method)


def _compile_broad(part: str) -> None:
    import numpy as np

    from ougi.broad import METHODS
    from ougi.broad.choice import choose_search
    from ougi.broad.frame import survey_scene
    from ougi.broad.grid import grid
    from ougi.broad.keys import order_indices
    from ougi.broad.tracker import BroadPhase
    from ougi.broad.volumes import build_volumes
    from ougi.broad.workspace import Workspace
    from ougi.shapes import Sphere

    balls = Sphere(np.arange(300.0).reshape(100, 3), 3.0)  # there are pairs, so that they are sorted too
    bounding = build_volumes("balls", balls)
    if part == "tracker":
        BroadPhase().update(balls)
        return
    pairs = METHODS[part](bounding, None, Workspace())
    if part in ("brute", "x", "best-axis"):
        METHODS[part](bounding, bounding, Workspace())
        order_indices(pairs)
    if part == "grid":
        choose_search(bounding, survey_scene(bounding))
        grid(bounding, Workspace(), survey_scene(bounding), serial=0)


def _compile_radar(mode: Any) -> None:
    from ougi.motion import Pose, Translation3d
    from ougi.radar import collide
    from ougi.shapes import Mesh

    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    solid = Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    collide(solid, Translation3d([0, 0, 9]), solid.transformed(Pose([0, 0, 3])), method=mode)


# Queries of meshes.
_MESH = ("intersects", "distance", "raycast", "first-contacts")


def _compile_mesh(query: str) -> None:
    """Tetrahedra against each other, against points and fans, and rays."""
    from ougi.impact.near_parts import follow_contact, list_near_parts, make_moving_parts
    from ougi.motion import Pose, Translation3d
    from ougi.query import distance, intersects
    from ougi.query.raycast import raycast
    from ougi.shapes import Mesh, Sector3d

    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    solid = Mesh(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], solid=True)
    moved = solid.transformed(Pose([0, 0, 3]))
    if query == "raycast":
        raycast([0, 0, 9], [0, 0, -1], solid)
    elif query == "first-contacts":
        sides = make_moving_parts(solid, 0, Translation3d([0, 0, 9]), 0), make_moving_parts(moved, 0, None, 0)
        list_near_parts(*sides, 1e-9, 0.0, exact=True)
        follow_contact(sides[0], sides[0], 1e-9, 1)
    elif query == "distance":
        distance(solid, moved), distance(solid, [0, 0, 3])
    else:
        fan = Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], 1, 0, 1, 1)
        intersects(solid, moved), intersects(solid, [[0, 0, 3]]), intersects(solid, fan)


def _compile_timeline(part: str) -> None:
    """Two steps of a world of the plane or of space, with bodies that turn, move, rest and touch."""
    from ougi.motion import Chain, Rotation2d, Rotation3d, Translation2d, Translation3d
    from ougi.shapes import Box, Circle, ConvexHull3d, Rectangle, Sphere
    from ougi.world import World

    world = World(enclosing_sectors=True)
    if part == "2":
        world.add(Circle([[0, 0], [1, 0], [9, 0]], 1), Translation2d([[1, 0], [0, 1], [-99, 0]]))
        world.add(Rectangle([[1, 1], [2, 1]], [3, 1]), Rotation2d([0, 0], 2.0))
        world.add(Rectangle([[2, 0], [2, 2]], [2, 2]))
        world.add(Circle([2, 1], 1), Chain(Translation2d([1, 0]), Rotation2d([0, 0], 1.0)))
    else:
        world.add(
            Sphere([[0, 0, 0], [1, 0, 0], [9, 0, 0]], 1), Translation3d([[1, 0, 0], [0, 1, 0], [-99, 0, 0]])
        )
        world.add(Box([[1, 1, 0], [2, 1, 0]], [3, 1, 1]), Rotation3d([0, 0, 0], [0, 0, 1], 2.0))
        world.add(Box([[2, 0, 0], [2, 2, 0]], [2, 2, 2]))
        corners = [[5, 5, 0], [6, 5, 0], [5, 6, 0], [5, 5, 1]]
        world.add(ConvexHull3d([corners, corners]), Translation3d([[1, 0, 0], [0, 0, 0]]))
    for _ in range(2):
        world.step(0.5)


def _compile_robot(_: str) -> None:
    """All queries of a robot with one joint and one ball."""
    import numpy as np

    from ougi.motion import Pose
    from ougi.robot import LinkShape, Robot
    from ougi.robot.kinematics import build_kinematics
    from ougi.scene.robot import Joint
    from ougi.scene.trajectory import Freedom
    from ougi.shapes import Sphere

    freedom = Freedom("turn", True, np.array([0.0, 0.0, 1.0]), np.array([-3.0, 3.0]))
    joint = Joint("turn", "revolute", "base", "arm", Pose(np.zeros(3)), (freedom,), 0)
    arm = LinkShape("arm", Sphere([1, 0, 0], 0.1))
    robot, ball = Robot("", build_kinematics(["base", "arm"], [joint]), [arm]), Sphere([0, 1, 0], 0.1)
    robot.forward_kinematics([0])
    robot.collides([0], ball)
    robot.distance([0], ball)
    robot.first_contact([0], [3], ball)
    robot.certify([-1], [2], ball, max_boxes=8)


def _compile_games(part: str) -> None:
    from ougi.games import Projectiles, Swing
    from ougi.shapes import Circle

    Swing(Circle([0, 0], 1))
    Projectiles(Circle([0, 0], 1))


def _compile_manifold(part: str) -> None:
    from ougi.query.manifolds import manifolds
    from ougi.shapes import Box

    manifolds(Box([0, 0, 0], [1, 1, 1]), Box([0, 0, 1], [1, 1, 1]))


# Packages with loops that are compiled by a call.
_PACKAGES: dict[str, Callable[[str], None]] = {
    "games": _compile_games,
    "manifold": _compile_manifold,
    "broad": _compile_broad,
    "radar": _compile_radar,
    "corridor": _compile_corridor,
    "sweeps": _compile_sweeps,
    "timeline": _compile_timeline,
    "robot": _compile_robot,
    "mesh": _compile_mesh,
}


def compile_task(task: Task) -> float:
    """Compile the loops of one kernel, or load them from disk; the seconds it took."""
    import numpy as np

    from ougi._check import frozen
    from ougi.impact.half_spaces import plane_loops
    from ougi.impact.hulls import hull_loops
    from ougi.impact.kernels import cylinder_loops, loops_of_one_mover, loops_of_two_movers
    from ougi.impact.sectors import body_loops
    from ougi.kernels.pieces.constants import STACK_SIZE
    from ougi.query.dispatch import pair_loops
    from ougi.query.raycast import ray_loops
    from ougi.sweeps.exact import turning_loops

    start = time.perf_counter()
    question, kernel = task
    out: Array
    columns = frozen(np.zeros((32, 1)))  # more rows than any record
    none = frozen(np.zeros((0, 2), np.int64))
    if question in _PACKAGES:
        _PACKAGES[question](kernel)
        return time.perf_counter() - start
    if question in ("impact", "moving", "hull", "plane"):
        index = frozen(np.zeros(0, np.int64))
        body = (columns, columns, index, index, 1.0, 0.0, 1.0)
        if question == "hull":
            made = hull_loops({"2": "polygon2d", "3": "hull3d"}.get(kernel, kernel))
        elif question == "plane":
            made = plane_loops(kernel)
        else:
            made = loops_of_one_mover(kernel) if question == "impact" else loops_of_two_movers(kernel)
        made.listed(body, columns if question == "impact" else body, none, 0, np.zeros((8, 0)), 0, 0)
        return time.perf_counter() - start
    if question == "body":
        index, stacks = frozen(np.zeros(0, np.int64)), np.zeros((0, STACK_SIZE, 5))
        sector = (columns, columns, index, index, 1.0, 0.0, stacks)
        out = np.zeros((8, 0) if kernel == "moving" else 0)
        body_loops(kernel).listed(sector, sector, none, 0, out, 0, 0)
        return time.perf_counter() - start
    if question == "sweep":
        loops = turning_loops()
    else:
        makers = {"cylinder": cylinder_loops, "ray": ray_loops}
        loops = makers[question](kernel) if question in makers else pair_loops(question, kernel)
    rows = (16, 0) if question in ("separation", "cylinder", "ray") else (0,)
    out = np.zeros(rows, np.bool_ if question in ("intersects", "sweep") else np.float64)
    loops.cross(columns, columns, out, 0, 0)
    loops.listed(columns, columns, none, 0, out, 0, 0)
    return time.perf_counter() - start


def compile_all() -> None:
    """Compile all loops in this process."""
    for task in list_tasks():
        compile_task(task)


def warmup(*, jobs: int | None = None, quiet: bool = False) -> int:
    """Compile all kernels now, so that no later call waits for the compiler.

    The machine code is stored on disk and loaded by every later process, until the sources of ougi change.
    With a C compiler or `ziglang` it is one library, which needs no Numba to run. Otherwise each kernel is
    compiled by itself, which takes longer, again after an update of Numba or Python.

    Parameters
    ----------
    jobs
        How many processes compile side by side; all cores by default.
    quiet
        Print nothing unless there is an error.
    """
    from ougi._native.cache import cache_folder
    from ougi._native.library import FOLDER, is_current
    from ougi.cli.progress import show_progress

    if jobs is not None and jobs < 1:
        raise InvalidInputError(f"jobs must be positive, got {jobs}")
    if is_current(FOLDER):
        sys.stderr.write("nothing to compile: the kernels are in the library of this wheel\n")
        return 0
    if importlib.util.find_spec("numba") is None:
        raise MissingExtraError("jit", "compiling kernels")
    folder = cache_folder()
    if folder is None:
        raise OSError("no writable folder for compiled kernels; set OUGI_CACHE_DIR to one")
    start = time.perf_counter()
    with show_progress("compiling kernels", quiet=quiet) as update:
        if _can_link():
            folder = _build_library(jobs, update)
        else:
            _compile_each(jobs, update)
    if not quiet:
        seconds = time.perf_counter() - start
        sys.stderr.write(f"all kernels compiled in {seconds:.0f} s, stored in {folder}\n")
    return 0


def _can_link() -> bool:
    """Try the compiler that would link a library: it may be there without its headers."""
    if os.name != "posix":
        return False
    from ougi._native.build import link_objects
    from ougi._native.library import name_platform

    with tempfile.TemporaryDirectory() as folder:
        try:
            link_objects(name_platform(), [], Path(folder), Path(folder) / "empty")
        except OSError:
            return False
    return True


def _build_library(jobs: int | None, update: ProgressCallback) -> Path:
    """Build the library of this processor in a process of its own, because it changes how Numba compiles."""
    from ougi._native.folders import cache_root, make_private
    from ougi._native.library import users_folder

    root, folder = cache_root(), users_folder()
    assert root is not None  # or there would be no folder of compiled kernels
    assert folder is not None
    objects = root / "objects"
    make_private(root, folder, objects)
    command = [sys.executable, "-m", "ougi.cli.native", "--this-processor"]
    command += ["--out", str(folder), "--objects", str(objects), *(["--jobs", str(jobs)] if jobs else [])]
    environment = {**os.environ, "OUGI_LIBRARY": "off"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if found := re.match(r"(lowered|optimised) (\d+) of (\d+)", line):
                done, total = int(found[2]), int(found[3])
                update(done + total * (found[1] == "optimised"), 2 * total)
    if process.returncode != 0:
        raise OSError(f"compiling failed with exit code {process.returncode}:\n{''.join(lines[-20:])}")
    return folder


def _compile_each(jobs: int | None, update: ProgressCallback) -> None:
    from ougi.cli.processes import start_processes

    todo = list_tasks()
    with start_processes(min(jobs or os.cpu_count() or 1, len(todo))) as pool:
        for done, _ in enumerate(pool.map(compile_task, todo), 1):
            update(done, len(todo))


@functools.cache
def announce_compilation() -> None:
    """From now on, write to stderr what ougi logs: that kernels are compiled, because the first call waits.

    Nothing is written if all kernels are on disk. Other processes are not observed.
    """
    logger = logging.getLogger("ougi")
    logger.addHandler(logging.StreamHandler())
    logger.setLevel(logging.INFO)


def cache(action: Literal["show", "clear"] = "show", /) -> int:
    """Show where compiled kernels are stored and how large they are, or delete them all.

    Parameters
    ----------
    action
        `show` or `clear`. Clearing removes the kernels of every version of ougi.
    """
    from ougi._native.folders import cache_root

    root = cache_root()
    if root is None:
        print("there is no folder for compiled kernels", file=sys.stderr)  # noqa: T201
        return 0
    # Only what `_native` writes: Numba's files in folders named by a digest, libraries and their objects.
    ours = r"[0-9a-f]{16}/.*\.nb[ic]|library-[0-9a-f-]+/.*|objects/.*"
    files = [path for path in root.glob("*/*") if re.fullmatch(ours, path.relative_to(root).as_posix())]
    size = sum(path.stat().st_size for path in files)
    print(f"{root}: {len(files)} files, {size / 1e6:.1f} MB")  # noqa: T201
    if action == "clear":
        for path in files:
            path.unlink()
        for folder in {path.parent for path in files}:
            if not any(folder.iterdir()):
                folder.rmdir()
        print("cleared")  # noqa: T201
    return 0
