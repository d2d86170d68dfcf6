"""`ougi verify mesh` finds nothing in meshes as they are, and mistakes that are planted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ougi_lab.verify.mesh import MeshResults, MeshSubject, run_ougi
from ougi_lab.verify.tally import Tally


def run_check(query: Any, pair: str, n: int = 400) -> Tally:
    return MeshSubject(query).check(pair, "random", n, np.random.default_rng(11))


@pytest.mark.parametrize("pair", MeshSubject().pairs())
def test_meshes_are_their_triangles(pair: str) -> None:
    tally = run_check(run_ougi, pair, 40 if pair == "mesh-mesh" else 400)
    assert tally.disagreements == 0
    assert tally.counts["touching"] > 0 or pair == "mesh-point3d"


def farther(results: MeshResults) -> MeshResults:
    return replace(results, distance=results.distance * (1 + 1e-9))


def never(results: MeshResults) -> MeshResults:
    return replace(results, touching=np.zeros_like(results.touching))


def elsewhere(results: MeshResults) -> MeshResults:
    return replace(results, mesh_point=results.mesh_point + 1e-6)


@pytest.mark.parametrize(
    ("mistake", "check"), [(farther, "distance"), (never, "touching"), (elsewhere, "on the mesh")]
)
def test_planted_mistakes_are_found(mistake: Any, check: str) -> None:
    tally = run_check(lambda mesh, bodies: mistake(run_ougi(mesh, bodies)), "mesh-sphere")
    assert tally.failed[check] > 0
    assert tally.first is not None
