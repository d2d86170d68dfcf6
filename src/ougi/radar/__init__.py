"""Cyber Radar: images of what lies before a moving mesh, and exact first contacts through them (RADAR)."""

from __future__ import annotations

from ougi.radar.collide import Collision, collide
from ougi.radar.meshes import Meshes
from ougi.radar.published import MaskReuse, Scopes
from ougi.radar.scopes import Detection, Volume, detect

__all__ = ["Collision", "Detection", "MaskReuse", "Meshes", "Scopes", "Volume", "collide", "detect"]
