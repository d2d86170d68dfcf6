"""`ougi verify mesh` finds nothing in meshes as they are, and mistakes that are planted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ougi_lab.verify.mesh import MeshResults, MeshSubject, run_ougi
from ougi_lab.verify.tally import Tally


def run_check(answer: Any, pair: str, n: int = 400) -> Tally:
    return MeshSubject(answer).check(pair, "random", n, np.random.default_rng(11))


@pytest.mark.parametrize("pair", MeshSubject().pairs())
def test_meshes_are_their_triangles(pair: str) -> None:
    tally = run_check(run_ougi, pair, 40 if pair == "mesh-mesh" else 400)
    assert tally.disagreements == 0
    assert tally.counts["touching"] > 0 or pair == "mesh-point3d"


def farther(answers: MeshResults) -> MeshResults:
    return replace(answers, distance=answers.distance * (1 + 1e-9))


def never(answers: MeshResults) -> MeshResults:
    return replace(answers, touching=np.zeros_like(answers.touching))


def elsewhere(answers: MeshResults) -> MeshResults:
    return replace(answers, mesh_point=answers.mesh_point + 1e-6)


@pytest.mark.parametrize(
    ("mistake", "check"), [(farther, "distance"), (never, "touching"), (elsewhere, "on the mesh")]
)
def test_planted_mistakes_are_found(mistake: Any, check: str) -> None:
    tally = run_check(lambda mesh, bodies: mistake(run_ougi(mesh, bodies)), "mesh-sphere")
    assert tally.failed[check] > 0
    assert tally.first is not None
