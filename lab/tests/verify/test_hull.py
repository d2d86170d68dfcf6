"""A fast slice of `ougi verify hull`, and mistakes that it must catch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi
from ougi._typing import Floats
from ougi_lab.scenes.cores import extract_core
from ougi_lab.verify.ccd import MovingHulls
from ougi_lab.verify.certificates import _measure_distance_by_weights, certify
from ougi_lab.verify.narrow import Hulls, OugiNarrow


@pytest.mark.parametrize("pair", Hulls().pairs())
@pytest.mark.parametrize("kind", ["random", "near", "second"])
def test_results_are_proved(pair: str, kind: str) -> None:
    tally = Hulls().check(pair, kind, 60 if kind == "second" else 400, np.random.default_rng(1))
    assert tally.disagreements == 0, (tally.failed, tally.first)


@pytest.mark.parametrize("pair", ["box-convexhull3d", "circle-convexpolygon2d"])
@pytest.mark.parametrize("kind", ["random", "near", "second"])
def test_first_contacts_are_proved(pair: str, kind: str) -> None:
    tally = MovingHulls().check(pair, kind, 48, np.random.default_rng(4))
    assert tally.disagreements == 0, (tally.failed, tally.first)
    assert tally.undecided == 0


class Longer(OugiNarrow):
    """Distances that are too large by 1e-9."""

    def separation(self, a: Any, b: Any) -> tuple[Floats, Floats, Floats, Floats]:
        signed, normal, p, q = super().separation(a, b)
        more = np.where(np.abs(signed) > 0.1, 1e-9 * np.sign(signed), 0.0)
        return signed + more, normal, p, q + more[:, None] * normal


@pytest.mark.parametrize("pair", ["circle-convexpolygon2d", "box-convexhull3d"])
def test_a_planted_mistake_is_caught(pair: str) -> None:
    tally = Hulls(Longer()).check(pair, "random", 300, np.random.default_rng(2))
    assert tally.failed["distance"] > 100
    assert "Convex" in str(tally.first)


def test_weights_measure_the_distance_from_a_hull() -> None:
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert _measure_distance_by_weights(corners, np.array([0.1, 0.2, 0.3])) < 1e-15
    assert _measure_distance_by_weights(corners, np.array([0.25, 0.25, -2])) == pytest.approx(2)
    assert _measure_distance_by_weights(corners, np.array([1.0, 1, 1])) == pytest.approx(2 / np.sqrt(3))


# Bodies that are thinner than rounding times their length. The normals of the plate lean by 4e-13, and the
# segment crosses the parallelogram at an angle of 3e-10.
PLATE = [
    [-0.5312905464301634, 0.16069859094933212, 5.659672898012948e-15],
    [-0.40587092143106546, -1.054713704564454, -2.173220062655518e-13],
    [-0.09991798114014004, -0.3601293887756582, 2.6181451827413846e-13],
    [0.056868114948766126, -1.120768288764523, -7.773638052291377e-14],
    [0.06840437648065717, -1.0999037488295387, 1.0523350283990027e-13],
    [0.13757384456027325, 1.120768288764523, -2.303159087176895e-13],
    [0.15099416510974473, 0.524356900628595, 1.9299768427977832e-13],
    [0.21245523968064733, -0.5911026051623329, -1.1328010948760257e-13],
    [0.2834849331703254, 0.2741187738356249, -2.9704025776619764e-13],
    [0.3103498235583825, -0.18709400833708323, 2.896371472044578e-13],
    [0.3128809286876813, 0.8889881851238198, 1.5988209851111935e-13],
    [0.5312905464301634, -0.2585066366240565, 2.9704025776619764e-13],
]
AT_PLATE = ougi.Pose(
    [0.47727577323446807, 1.7241413237743317, 0.9192372714645973],
    [
        [0.9424911959992206, -0.2894426146646182, -0.16713263678907336],
        [0.3317769557186895, 0.7497158118146119, 0.5725820929519159],
        [-0.040427677623105174, -0.5951043390291042, 0.8026309416853648],
    ],
)
NEEDLE = [
    [-1.3218851295843488e-07, 0.951046796680165, 0],
    [-1.189920685289623e-07, -0.951046796680165, 0],
    [1.3218851295843488e-07, -0.7462221569302392, 0],
    [1.122903576895034e-07, 0.6422346145833484, 0],
    [-5.998746815354129e-08, 0.8697057757092206, 0],
]
AT_NEEDLE = ougi.Pose(
    [-0.14984605357058023, 2.2312361284694133, 0.6430200333976571],
    [
        [-0.16546490179901713, 0.5766999170186948, 0.8000241071263242],
        [0.37854795944195113, -0.711928475465686, 0.5914890431981299],
        [0.9106716250520693, 0.4007181697050121, -0.10050940151691573],
    ],
)
SEGMENT = ougi.Segment3d(
    [-0.06356218758577431, -0.2959843328555321, -0.32915406431719585],
    [0.33749750349879964, -0.26809455683200695, -0.10027303828335044],
)
PARALLELOGRAM = [
    [x * 1.4849079745022509, y * 0.7746084836274814, 0] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
]
TILTED = ougi.ConvexHull3d._from_fields(
    (),
    {
        "template": ougi.ConvexHull3d(PARALLELOGRAM).template,
        "position": np.array([0.13696765795651267, -0.2820394448437695, -0.21471355130027314]),
        "rotation": np.array(
            [
                [0.4250687299219883, -0.8669393074954983, -0.26025528229362366],
                [0.4289012969363181, -0.06028714316487408, 0.9013374162073615],
                [-0.7970948828896423, -0.4947541788486923, 0.34620521397417464],
            ]
        ),
        "radius": np.array(0.32885971402043623),
    },
)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (ougi.ConvexHull3d(PLATE).transformed(AT_PLATE), ougi.ConvexHull3d(NEEDLE).transformed(AT_NEEDLE)),
        (SEGMENT, TILTED),
    ],
    ids=["plate and needle", "segment through a parallelogram"],
)
def test_contacts_of_needles_lie_on_both_bodies(a: Any, b: Any) -> None:
    a, b = a.reshape((1,)), b.reshape((1,))
    signed, normal, p, q = OugiNarrow().separation(a, b)
    proof = certify(extract_core(a), extract_core(b), signed, normal.T, p.T, q.T)
    assert not proof.refuted.any(), proof.errors
