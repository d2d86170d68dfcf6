"""Robots: configurations and motions, checked against obstacles and for self-collisions, with proofs."""

from ougi.robot.certify import RobotEnvelope
from ougi.robot.results import RobotContacts, RobotDistances
from ougi.robot.robot import LinkShape, Robot

__all__ = ["LinkShape", "Robot", "RobotContacts", "RobotDistances", "RobotEnvelope"]
