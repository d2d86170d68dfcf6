"""Plan a motion of a robot with OMPL, such that every edge of the path is certified collision-free.

OMPL's own validator tests samples along an edge. Here it is replaced by a proof.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import ougi

SCENES = Path(__file__).parent / "scenes"
POSTS = ougi.Capsule3d([[0.3, 0.6, 0], [0.6, -0.3, 0]], [[0.3, 0.6, 1], [0.6, -0.3, 1]], 0.03)
START, GOAL = [-1.2, 0.2, 0.2, 0.0], [1.6, 0.2, 0.2, 0.0]


def main() -> int:
    try:
        from ompl import geometric, util

        from ougi.adapters.ompl import MotionValidator, build_space
    except (ImportError, ougi.MissingExtraError):
        print("install OMPL to run this example: pip install ompl")
        return 0
    util.setLogLevel(util.LogLevel.LOG_WARN)
    robot = ougi.Robot.load(SCENES / "robot_arm.urdf")
    print("the straight motion is free:", bool(robot.is_free(START, GOAL, POSTS)))
    setup = geometric.SimpleSetup(build_space(robot))
    information = setup.getSpaceInformation()
    validator = MotionValidator(information, robot, POSTS)
    information.setMotionValidator(validator)
    setup.setStateValidityChecker(validator.is_valid)
    states = [setup.getStateSpace().allocState() for _ in range(2)]
    for state, values in zip(states, (START, GOAL), strict=True):
        for k, value in enumerate(values):
            state[k] = value
    setup.setStartAndGoalStates(*states)
    setup.setPlanner(geometric.RRTConnect(information))
    if not setup.solve(10.0):
        print("no path was found")
        return 1
    path = setup.getSolutionPath()
    q = np.array([validator.read_state(path.getState(k)) for k in range(path.getStateCount())])
    print(f"{len(q) - 1} edges, {validator.count} motions checked")
    print("every edge is certified free:", bool(robot.is_free(q[:-1], q[1:], POSTS).all()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
