"""OMPL: motions of a planner are valid only if they are certified free.

OMPL's own validator tests samples of a motion. This one proves the whole motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ougi._typing import Floats, Foreign
from ougi.errors import MissingExtraError
from ougi.robot.obstacles import Obstacles
from ougi.robot.robot import Robot

if TYPE_CHECKING:
    from typing import TypeAlias

    Base: TypeAlias = Foreign
else:
    try:
        from ompl import base as _ompl
    except ImportError as error:
        raise MissingExtraError("planning", "validating motions for OMPL") from error
    Base = _ompl.MotionValidator

__all__ = ["MotionValidator", "build_space"]


def build_space(robot: Robot) -> Foreign:
    """A state space of OMPL with the joints and limits of a robot; a full turn where there are none."""
    from ompl import base

    lower, upper = robot.get_sampling_bounds()
    space, bounds = base.RealVectorStateSpace(robot.dof), base.RealVectorBounds(robot.dof)
    for k in range(robot.dof):
        bounds.setLow(k, float(lower[k]))
        bounds.setHigh(k, float(upper[k]))
    space.setBounds(bounds)
    return space


class MotionValidator(Base):  # type: ignore[misc]
    """Accepts motions that are certified free, of the robot among obstacles and against itself.

    Parameters
    ----------
    space_information
        OMPL's `SpaceInformation` of a `RealVectorStateSpace` whose dimensions are the robot's joints.
    robot
        Its joints in the order of `Robot.joint_names`.
    obstacles
        As in `Robot.is_free`.
    margin
        Gaps up to this count as contacts.

    Attributes
    ----------
    count
        How many motions were checked.

    `examples/plan_robot_motion.py` plans with it. The first one of a process readies the kernels.
    """

    def __init__(
        self, space_information: Foreign, robot: Robot, obstacles: Obstacles = None, *, margin: float = 0.0
    ) -> None:
        super().__init__(space_information)
        self.count = 0
        self._robot, self._obstacles, self._margin = robot, obstacles, margin
        rest = np.zeros(robot.dof)
        robot.is_free(rest, rest, obstacles)
        robot.collides(rest, obstacles)

    def checkMotion(self, start: Foreign, end: Foreign, *_: Foreign) -> bool:
        """Is the straight motion between two states certified free?"""
        self.count += 1
        q0, q1 = self.read_state(start), self.read_state(end)
        return bool(self._robot.is_free(q0, q1, self._obstacles, margin=self._margin))

    def is_valid(self, state: Foreign) -> bool:
        """Is a state free of contacts? For `setStateValidityChecker`."""
        return not self._robot.collides(self.read_state(state), self._obstacles, margin=self._margin)

    def read_state(self, state: Foreign) -> Floats:
        """The joint values of a state."""
        return np.array([state[k] for k in range(self._robot.dof)])
