"""ougi (扇): real-time collision detection on NumPy arrays.

Everything public is a name of this module and is imported when it is first used: `import ougi` loads neither
Numba nor any plotting or mesh library.

>>> import ougi
>>> bat = ougi.Box(center=[0.6, 0, 0], size=[0.8, 0.06, 0.06])
>>> ball = ougi.Sphere([0, 0.7, 0], 0.04)
>>> bool(ougi.intersects(bat, ball))
False
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.2.0"

if TYPE_CHECKING:
    from ougi import adapters as adapters
    from ougi import broad as broad
    from ougi import corridor as corridor
    from ougi import cuda as cuda
    from ougi import games as games
    from ougi import plot as plot
    from ougi import radar as radar
    from ougi import scene as scene
    from ougi._batch import concatenate as concatenate
    from ougi._native import get_threads as get_threads
    from ougi._native import set_threads as set_threads
    from ougi.broad import candidate_pairs as candidate_pairs
    from ougi.broad.tracker import BroadPhase as BroadPhase
    from ougi.checks import Report as Report
    from ougi.checks import check as check
    from ougi.corridor import Corridor as Corridor
    from ougi.errors import DeviceError as DeviceError
    from ougi.errors import InvalidInputError as InvalidInputError
    from ougi.errors import MissingExtraError as MissingExtraError
    from ougi.errors import UnsupportedPairError as UnsupportedPairError
    from ougi.impact import FirstContacts as FirstContacts
    from ougi.impact import Prediction as Prediction
    from ougi.impact import Status as Status
    from ougi.impact import predict as predict
    from ougi.impact import time_of_impact as time_of_impact
    from ougi.motion import Chain as Chain
    from ougi.motion import Displacement2d as Displacement2d
    from ougi.motion import Motion as Motion
    from ougi.motion import Pose as Pose
    from ougi.motion import Rotation2d as Rotation2d
    from ougi.motion import Rotation3d as Rotation3d
    from ougi.motion import Screw3d as Screw3d
    from ougi.motion import Translation2d as Translation2d
    from ougi.motion import Translation3d as Translation3d
    from ougi.motion import between as between
    from ougi.query import Closest as Closest
    from ougi.query import Contact as Contact
    from ougi.query import Manifold as Manifold
    from ougi.query import RayHits as RayHits
    from ougi.query import closest_points as closest_points
    from ougi.query import contacts as contacts
    from ougi.query import contains as contains
    from ougi.query import distance as distance
    from ougi.query import intersects as intersects
    from ougi.query.manifolds import manifolds as manifolds
    from ougi.query.many import contact_pairs as contact_pairs
    from ougi.query.raycast import raycast as raycast
    from ougi.robot import Robot as Robot
    from ougi.robot import RobotContacts as RobotContacts
    from ougi.robot import RobotDistances as RobotDistances
    from ougi.robot import RobotEnvelope as RobotEnvelope
    from ougi.scene import Scene as Scene
    from ougi.scene import SceneError as SceneError
    from ougi.scene import load_scene as load_scene
    from ougi.shapes import Aabb2d as Aabb2d
    from ougi.shapes import Aabb3d as Aabb3d
    from ougi.shapes import Box as Box
    from ougi.shapes import Capsule2d as Capsule2d
    from ougi.shapes import Capsule3d as Capsule3d
    from ougi.shapes import Circle as Circle
    from ougi.shapes import Compound2d as Compound2d
    from ougi.shapes import Compound3d as Compound3d
    from ougi.shapes import Cone as Cone
    from ougi.shapes import ConvexHull3d as ConvexHull3d
    from ougi.shapes import ConvexPolygon2d as ConvexPolygon2d
    from ougi.shapes import Cylinder as Cylinder
    from ougi.shapes import Ellipsoid as Ellipsoid
    from ougi.shapes import HalfSpace2d as HalfSpace2d
    from ougi.shapes import HalfSpace3d as HalfSpace3d
    from ougi.shapes import Mesh as Mesh
    from ougi.shapes import Polygon2d as Polygon2d
    from ougi.shapes import Rectangle as Rectangle
    from ougi.shapes import Sector2d as Sector2d
    from ougi.shapes import Sector3d as Sector3d
    from ougi.shapes import Segment2d as Segment2d
    from ougi.shapes import Segment3d as Segment3d
    from ougi.shapes import Shape as Shape
    from ougi.shapes import Sphere as Sphere
    from ougi.shapes import Triangle2d as Triangle2d
    from ougi.shapes import Triangle3d as Triangle3d
    from ougi.sweeps import Sweep as Sweep
    from ougi.sweeps import sweep as sweep
    from ougi.viewer.scene_view import View as View
    from ougi.viewer.scene_view import view as view
    from ougi.world import Events as Events
    from ougi.world import Hits as Hits
    from ougi.world import Snapshot as Snapshot
    from ougi.world import StepProfile as StepProfile
    from ougi.world import World as World
else:
    import importlib as _importlib

    # Name -> module that defines it. A frozen program has no source to read, so this is the second list of
    # the same names; a test compares it with the imports above.
    _MODULES = {
        "Aabb2d": "ougi.shapes",
        "Aabb3d": "ougi.shapes",
        "Box": "ougi.shapes",
        "BroadPhase": "ougi.broad.tracker",
        "Capsule2d": "ougi.shapes",
        "Capsule3d": "ougi.shapes",
        "Chain": "ougi.motion",
        "Circle": "ougi.shapes",
        "Closest": "ougi.query",
        "Compound2d": "ougi.shapes",
        "Compound3d": "ougi.shapes",
        "Cone": "ougi.shapes",
        "Contact": "ougi.query",
        "ConvexHull3d": "ougi.shapes",
        "ConvexPolygon2d": "ougi.shapes",
        "Corridor": "ougi.corridor",
        "Cylinder": "ougi.shapes",
        "DeviceError": "ougi.errors",
        "Displacement2d": "ougi.motion",
        "Ellipsoid": "ougi.shapes",
        "Events": "ougi.world",
        "FirstContacts": "ougi.impact",
        "HalfSpace2d": "ougi.shapes",
        "HalfSpace3d": "ougi.shapes",
        "Hits": "ougi.world",
        "InvalidInputError": "ougi.errors",
        "Manifold": "ougi.query",
        "Mesh": "ougi.shapes",
        "MissingExtraError": "ougi.errors",
        "Motion": "ougi.motion",
        "Polygon2d": "ougi.shapes",
        "Pose": "ougi.motion",
        "Prediction": "ougi.impact",
        "RayHits": "ougi.query",
        "Rectangle": "ougi.shapes",
        "Report": "ougi.checks",
        "Robot": "ougi.robot",
        "RobotContacts": "ougi.robot",
        "RobotDistances": "ougi.robot",
        "RobotEnvelope": "ougi.robot",
        "Rotation2d": "ougi.motion",
        "Rotation3d": "ougi.motion",
        "Scene": "ougi.scene",
        "SceneError": "ougi.scene",
        "Screw3d": "ougi.motion",
        "Sector2d": "ougi.shapes",
        "Sector3d": "ougi.shapes",
        "Segment2d": "ougi.shapes",
        "Segment3d": "ougi.shapes",
        "Shape": "ougi.shapes",
        "Snapshot": "ougi.world",
        "Sphere": "ougi.shapes",
        "Status": "ougi.impact",
        "StepProfile": "ougi.world",
        "Sweep": "ougi.sweeps",
        "Translation2d": "ougi.motion",
        "Translation3d": "ougi.motion",
        "Triangle2d": "ougi.shapes",
        "Triangle3d": "ougi.shapes",
        "UnsupportedPairError": "ougi.errors",
        "View": "ougi.viewer.scene_view",
        "World": "ougi.world",
        "between": "ougi.motion",
        "candidate_pairs": "ougi.broad",
        "check": "ougi.checks",
        "closest_points": "ougi.query",
        "concatenate": "ougi._batch",
        "contact_pairs": "ougi.query.many",
        "contacts": "ougi.query",
        "contains": "ougi.query",
        "distance": "ougi.query",
        "get_threads": "ougi._native",
        "intersects": "ougi.query",
        "load_scene": "ougi.scene",
        "manifolds": "ougi.query.manifolds",
        "predict": "ougi.impact",
        "raycast": "ougi.query.raycast",
        "set_threads": "ougi._native",
        "sweep": "ougi.sweeps",
        "time_of_impact": "ougi.impact",
        "view": "ougi.viewer.scene_view",
    }

    # Packages with names of their own.
    _PACKAGES = ("adapters", "broad", "corridor", "cuda", "games", "plot", "radar", "scene")

    __all__ = list(_MODULES)

    def __getattr__(name: str) -> object:
        if name in _PACKAGES:
            return _importlib.import_module(f"ougi.{name}")
        if name not in _MODULES:
            from ougi._hints import find_hint

            hint = find_hint(name, [*_MODULES, *_PACKAGES])
            raise AttributeError(f"module 'ougi' has no attribute {name!r}{hint}")
        value = getattr(_importlib.import_module(_MODULES[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted([*_MODULES, *_PACKAGES, "__version__"])
