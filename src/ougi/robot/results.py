"""What queries of robots return: records of arrays."""

from __future__ import annotations

from dataclasses import dataclass

from ougi._typing import Floats, Ints
from ougi.results import FirstContacts, Result


@dataclass(frozen=True, eq=False, repr=False)
class RobotContacts(FirstContacts):
    """First contacts of motions of a robot: `FirstContacts` with the shapes that touch.

    Attributes
    ----------
    shape
        (...), the index of the robot's shape in `Robot.shapes`; -1 where there is no contact.
    other
        (...), for a contact of the robot with itself the index of the other shape, else -1.
    obstacle
        (...), the index of the obstacle, counted over all batches in their order; else -1. Of a `World` this
        is a place in `list(world)`. Point and normal are those of the obstacle or of the other shape.

    >>> import ougi, pathlib
    >>> _ = pathlib.Path("lift.urdf").write_text('''<robot name="lift"><link name="rail"/><link name="cab">
    ...   <collision><geometry><box size="1 1 2"/></geometry></collision></link>
    ...   <joint name="up" type="prismatic"><parent link="rail"/><child link="cab"/><axis xyz="0 0 1"/>
    ...   <limit lower="0" upper="9" effort="1" velocity="1"/></joint></robot>''')
    >>> lift = ougi.Robot.load("lift.urdf")
    >>> found = lift.first_contact([[0], [0]], [[9], [2]], ougi.Sphere([0, 0, 6], 0.5))
    >>> found.status.tolist(), found.obstacle.tolist(), found.t.round(6).tolist()
    ([1, 0], [0, -1], [0.5, nan])
    """

    shape: Ints
    other: Ints
    obstacle: Ints


@dataclass(frozen=True, eq=False, repr=False)
class RobotDistances(Result):
    """The smallest gap of a robot at each configuration, and where it is.

    Attributes
    ----------
    distance
        (...), to the nearest obstacle or between two shapes of the robot. At most 0 where they overlap; then
        it is not a depth. Infinite if there are no pairs.
    shape, other, obstacle
        (...), indices as in `RobotContacts`.
    point
        (..., 3), the nearest point of the obstacle or of the other shape.
    normal
        (..., 3), unit vector from the shape to that point; NaN where they overlap deeply.

    >>> import ougi, pathlib
    >>> _ = pathlib.Path("cart.urdf").write_text('''<robot name="cart"><link name="rail"/><link name="cart">
    ...   <collision><geometry><sphere radius="1"/></geometry></collision></link>
    ...   <joint name="x" type="prismatic"><parent link="rail"/><child link="cart"/></joint></robot>''')
    >>> ougi.Robot.load("cart.urdf").distance([[0], [2]], ougi.Sphere([9, 0, 0], 1)).distance.tolist()
    [7.0, 5.0]
    """

    distance: Floats
    shape: Ints
    other: Ints
    obstacle: Ints
    point: Floats
    normal: Floats
