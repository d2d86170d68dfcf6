"""Cyber Radar: depth images along the path of a mesh, and exact first contacts through them (RADAR)."""

from ougi.radar.collision import collide
from ougi.radar.collision_result import Collision
from ougi.radar.detection import Detection, Volume, detect
from ougi.radar.meshes import Meshes
from ougi.radar.published import MaskReuse, Scopes

__all__ = ["Collision", "Detection", "MaskReuse", "Meshes", "Scopes", "Volume", "collide", "detect"]
