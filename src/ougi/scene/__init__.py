"""Scenes: files (TOML, JSON, glTF, URDF) become bodies, motions over time and pairs to check.

Every format leads to one `Scene`. Files are read, never executed, and stay inside the scene's folder. A
`SceneError` reports all problems of a file together, each with file and line.
"""

from ougi.scene.limits import Limits
from ougi.scene.load import load_scene
from ougi.scene.model import Body, Check, Piece, Scene, Span
from ougi.scene.pair_filter import PairCounts
from ougi.scene.problems import Problem, SceneError

__all__ = [
    "Body",
    "Check",
    "Limits",
    "PairCounts",
    "Piece",
    "Problem",
    "Scene",
    "SceneError",
    "Span",
    "load_scene",
]
