"""Check motions of a real arm with its meshes: the Franka Panda of the distribution example-robot-data.

The arm reaches across a table with a thin pin. Samples along the motion miss the pin, the proof does not.
"""

from __future__ import annotations

import sys
import warnings
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np

import ougi

START = np.array([-1.2, 0.5, 0.0, -1.6, 0.0, 2.1, 0.8, 0.02])
GOAL = np.array([1.2, 0.5, 0.0, -1.6, 0.0, 2.1, 0.8, 0.02])
TABLE = ougi.Box([0.8, 0, -0.05], [0.8, 1.6, 0.1])


def main() -> int:
    try:
        found = [file for file in files("example-robot-data") or () if file.name == "panda.urdf"]
    except PackageNotFoundError:
        print("install the robots to run this example: pip install example-robot-data")
        return 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # links without shapes
        robot = ougi.Robot.load(Path(str(found[0].locate())))
    print(robot)
    print("free above the table:", bool(robot.is_free(START, GOAL, TABLE)))

    # A pin of 2 mm on the table, where a finger is between two samples, as high as the fingers reach down.
    between = robot.forward_kinematics(START + 16.5 / 32 * (GOAL - START))
    x, y, _ = between["panda_rightfinger"].position
    top = between["panda_hand_tcp"].position[2]
    pin = ougi.Capsule3d([x, y, 0], [x, y, top], 0.001)
    for n in (33, 257):
        samples = START + np.linspace(0, 1, n)[:, None] * (GOAL - START)
        print(f"{n} samples find the pin:", bool(robot.collides(samples, [TABLE, pin]).any()))
    first = robot.first_contact(START, GOAL, [TABLE, pin])
    print("certified free:", bool(first.status == ougi.Status.FREE))
    link = robot.shapes[int(first.shape)].link
    print(f"first contact: {link} at t = {float(first.t):.6f}, at {first.point.round(4).tolist()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
