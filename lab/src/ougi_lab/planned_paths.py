"""Do planned paths collide between samples? `python -m ougi_lab.planned_paths PANDA [OUTPUT.json]`.

PANDA is the folder `resources/panda` of the unpacked source archive of `vamp-planner`. It has the Panda with
59 spheres, its SRDF, and the 700 problems of MotionBenchMaker. Nothing of it is part of this project.

OMPL's RRT-Connect plans a path for each problem, and its path simplifier shortens it. Both accept a motion if
none of 32 configurations per radian collides, as sampling planners do. (VAMP itself is not used, because it
has no wheel.) The planner is random. Then every edge is checked by `Robot.first_contact`, and scanned at
16,384 configurations per radian by `SphereModel`, which shares no code with `Robot`. A path is missed if the
scan finds a contact and every edge is certified free. All paths that collide are named. A run that was
stopped goes on where OUTPUT ends.
"""

from __future__ import annotations

import json
import math
import sys
import tarfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import ougi
from ougi._typing import Floats
from ougi.cli.tables import Table, print_tables
from ougi_lab.scenes.sphere_model import SphereModel

# Configurations per radian of the planner's validator, and of the scan.
SAMPLES, SCAN = 32, 16_384

# Motions that the planner may check, which does not depend on the machine, and seconds to simplify a path.
_MAX_MOTIONS, _MAX_SECONDS = 20_000, 2.0


class PlanningProblem(NamedTuple):
    """A start and a goal (dof,) among obstacles."""

    family: str
    name: str
    obstacles: list[ougi.Shape]
    start: Floats
    goal: Floats


def read_problems(archive: Path, joints: tuple[str, ...]) -> Iterator[PlanningProblem]:
    """The problems of an archive, by family and number."""
    import yaml  # type: ignore[import-untyped]

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with tarfile.open(archive) as files:
        members = {member.name: member for member in files.getmembers() if member.isfile()}
        for name in sorted(each for each in members if "/request" in each):
            texts = (files.extractfile(members[each]) for each in (name, name.replace("request", "scene")))
            request, scene = (yaml.load(text.read(), loader) for text in texts if text is not None)
            state = request["start_state"]["joint_state"]
            start = dict(zip(state["name"], state["position"], strict=True))
            wanted = request["goal_constraints"][0]["joint_constraints"]
            goal = {each["joint_name"]: each["position"] for each in wanted}
            yield PlanningProblem(
                Path(name).parent.name,
                Path(name).stem,
                [_build_shape(each) for each in scene["world"]["collision_objects"]],
                np.array([start[joint] for joint in joints], np.float64),
                np.array([goal[joint] for joint in joints], np.float64),
            )


def _build_shape(thing: dict[str, Any]) -> ougi.Shape:
    (primitive,), (pose,) = thing["primitives"], thing["primitive_poses"]
    sizes, kind = primitive["dimensions"], primitive["type"]
    place = ougi.Pose(pose["position"], Rotation.from_quat(pose["orientation"]).as_matrix())
    if kind == "box":
        return ougi.Box([0, 0, 0], sizes).transformed(place)
    if kind == "sphere":
        return ougi.Sphere([0, 0, 0], sizes[0]).transformed(place)
    if kind == "cylinder":
        height, radius = sizes
        cylinder = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], math.pi, 0, radius, height / 2)
        return cylinder.transformed(place)
    raise ValueError(f"{thing['id']}: there is no shape for {kind!r}")


def plan_path(robot: ougi.Robot, problem: PlanningProblem) -> Floats | None:
    """A short path (n, dof) that a validator with samples accepts; None if none was found."""
    from ompl import base, geometric, util

    from ougi.adapters.ompl import build_space

    if robot.collides([problem.start, problem.goal], problem.obstacles).any():
        return None
    util.setLogLevel(util.LogLevel.LOG_ERROR)
    dof = robot.dof

    def read(state: Any) -> Floats:
        return np.array([state[k] for k in range(dof)])

    class SampledValidator(base.MotionValidator):  # type: ignore[misc]
        count = 0

        def checkMotion(self, start: Any, end: Any, *_: Any) -> bool:
            self.count += 1
            q0, q1 = read(start), read(end)
            n = max(math.ceil(SAMPLES * float(np.linalg.norm(q1 - q0))), 1)
            t = np.arange(1, n + 1)[:, None] / n
            return not robot.collides(q0 + t * (q1 - q0), problem.obstacles).any()

    setup = geometric.SimpleSetup(build_space(robot))
    information = setup.getSpaceInformation()
    validator = SampledValidator(information)
    information.setMotionValidator(validator)
    setup.setStateValidityChecker(lambda state: not robot.collides(read(state), problem.obstacles))
    states = [setup.getStateSpace().allocState() for _ in range(2)]
    for state, values in zip(states, (problem.start, problem.goal), strict=True):
        for k, value in enumerate(values):
            state[k] = float(value)
    setup.setStartAndGoalStates(*states)
    setup.setPlanner(geometric.RRTConnect(information))
    limit = base.PlannerTerminationCondition(lambda: validator.count >= _MAX_MOTIONS)
    status = setup.solve(limit)
    if not status or not setup.haveExactSolutionPath():
        return None
    setup.simplifySolution(_MAX_SECONDS)
    path = setup.getSolutionPath()
    return np.array([read(path.getState(k)) for k in range(path.getStateCount())])


def build_model(path: Path, robot: ougi.Robot) -> SphereModel:
    """The oracle of a robot of spheres."""
    links = [shape.link for shape in robot.shapes]
    checked = {frozenset((links[a], links[b])) for a, b in robot.checked_pairs.tolist()}
    return SphereModel(path, robot.joint_names, checked)


def scan_path(model: SphereModel, q: Floats, obstacles: list[ougi.Shape]) -> int:
    """How many edges of a path collide at one of `SCAN` configurations per radian."""
    count = 0
    for q0, q1 in zip(q[:-1, None], q[1:, None], strict=True):
        n = max(math.ceil(SCAN * float(np.linalg.norm(q1 - q0))), 1)
        count += int(model.scan(q0, q1, obstacles, n).sum())
    return count


def check_problem(robot: ougi.Robot, model: SphereModel, problem: PlanningProblem) -> dict[str, Any]:
    """Plan, check and scan."""
    row: dict[str, Any] = {"family": problem.family, "name": problem.name, "solved": False}
    q = plan_path(robot, problem)
    if q is None or len(q) < 2:
        return row
    found = robot.first_contact(q[:-1], q[1:], problem.obstacles)
    depth = 0.0
    for k in np.flatnonzero(found.hit).tolist():
        t = np.linspace(float(found.t[k]), min(float(found.t[k]) + 1 / SAMPLES, 1.0), 2000)[:, None]
        gaps = robot.distance(q[k] + t * (q[k + 1] - q[k]), problem.obstacles).distance
        depth = max(depth, -float(gaps.min()))
    return row | {
        "solved": True,
        "edges": len(q) - 1,
        "colliding": int(found.hit.sum()),
        "undecided": int((found.status == ougi.Status.UNDECIDED).sum()),
        "scanned": scan_path(model, q, problem.obstacles),
        "depth": depth,
    }


def build_table(rows: list[dict[str, Any]]) -> Table:
    """Counts by family, and of all."""
    lines = []
    for family in [*dict.fromkeys(row["family"] for row in rows), "all"]:
        own = [row for row in rows if family in ("all", row["family"])]
        solved = [row for row in own if row["solved"]]
        hit = [row for row in solved if row["colliding"]]
        missed = sum(row["scanned"] > 0 and not row["colliding"] + row["undecided"] for row in solved)
        deepest = 1e3 * float(np.median([row["depth"] for row in hit])) if hit else 0.0
        cells = (len(own), len(solved), sum(row["edges"] for row in solved), len(hit))
        scanned = sum(row["scanned"] > 0 for row in solved)
        undecided = sum(row["undecided"] for row in solved)
        numbers = map(str, (*cells, scanned, missed, undecided))
        lines.append((family, *numbers, f"{deepest:.2f}"))
    headings = ("family", ">problems", ">solved", ">edges", ">paths that collide", ">found by the scan",
                ">missed", ">undecided edges", ">median depth mm")  # fmt: skip
    return Table(f"paths accepted at {SAMPLES} configurations per radian", headings, lines)


def name_colliding(rows: list[dict[str, Any]]) -> Table:
    """All paths that collide, with their edges."""
    lines = [
        (row["family"], row["name"], str(row["colliding"]), str(row["scanned"]), f"{1e3 * row['depth']:.3f}")
        for row in rows
        if row["solved"] and row["colliding"] + row["scanned"] > 0
    ]
    headings = ("family", "path", ">edges that collide", ">found by the scan", ">depth mm")
    return Table("paths that collide", headings, lines)


def main(arguments: list[str]) -> int:
    """Check all problems; exit code 1 if a path was missed."""
    if not arguments:
        sys.stderr.write("usage: python -m ougi_lab.planned_paths PANDA [OUTPUT.json]\n")
        return 2
    folder, output = Path(arguments[0]), Path(arguments[1]) if len(arguments) > 1 else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # links without shapes
        robot = ougi.Robot.load(folder / "panda_spherized.urdf", srdf=folder / "panda.srdf")
    model = build_model(folder / "panda_spherized.urdf", robot)
    rows: list[dict[str, Any]] = []
    if output is not None and output.exists():
        rows = json.loads(output.read_text(encoding="utf-8"))
    done = {(row["family"], row["name"]) for row in rows}
    for problem in read_problems(folder / "problems.tar.bz2", robot.joint_names):
        if (problem.family, problem.name) in done:
            continue
        rows.append(check_problem(robot, model, problem))
        if output is not None:
            output.write_text(json.dumps(rows, indent=0), encoding="utf-8")
    table = build_table(rows)
    print_tables([table, name_colliding(rows)])
    return int(table.rows[-1][6] != "0")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
