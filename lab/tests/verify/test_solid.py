"""A fast slice of `ougi verify solid`, and mistakes that it must catch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ougi import Box, Capsule3d, Cone, ConvexHull3d, Cylinder, Ellipsoid, Triangle3d
from ougi._typing import Floats
from ougi_lab.verify.narrow import Hulls, Narrow, OugiNarrow
from ougi_lab.verify.solid import Solids
from ougi_lab.verify.tally import Tally

CASES = [(pair, kind) for kind in ("random", "near", "second") for pair in Solids().pairs()]


@pytest.mark.parametrize(("pair", "kind"), CASES)
def test_results_are_proved(pair: str, kind: str) -> None:
    tally = Solids().check(pair, kind, 20 if kind == "second" else 150, np.random.default_rng(1))
    assert tally.disagreements == 0, (tally.failed, tally.first)


HARD = {
    "a tiny disc above a thin box": (
        Solids(),
        Cylinder(
            [-1.3870187703483419, 0.2006596298791794, 0.1425946161465097],
            [-0.8332492599736383, -0.503771950933547, -0.2278365471253287],
            1.2336095696760706e-06,
            2.543113378114861e-13,
        ),
        Box(
            [-0.9796449998646158, 0.3358493799201332, 0.1789123419515006],
            [2.014365466943657e-12, 2.856473319522253, 1.782575602116825e-09],
            [
                [-0.0032292213779489204, -0.9457243921436544, -0.32495376014720534],
                [0.2685084019062436, -0.31384212040612175, 0.9107174982203562],
                [-0.9632719295375772, -0.08431190641602557, 0.25494841086276254],
            ],
        ),
    ),
    "a shallow overlap with two directions that are almost as good": (
        Solids(),
        Cone(
            [-0.7277669801356228, 0.8273431490256726, 0.9269032074999082],
            [-0.46298108091103857, -0.649006537864981, -0.6036878601785507],
            0.6472955447307132,
            1.116784447751193,
        ),
        Triangle3d(
            [-0.345196487081187, -0.06423409595696628, -0.39425590439093294],
            [-0.7043026450538201, -0.20242937525568738, 0.2185275535933644],
            [-2.0042557890135315, 0.5310609171024292, 0.30077195021895303],
        ),
    ),
    "a deep overlap whose best direction is approached slowly": (
        Solids(),
        Cone(
            [-0.3444996036550796, -0.6500398640569185, 0.4303851459012056],
            [0.3845702464238688, 0.8409193085619843, -0.3807367096211229],
            0.6754323789429505,
            0.8180021144160775,
        ),
        Cone(
            [-0.4976007842482558, -0.8253067912431333, 0.6546186235527347],
            [0.8749998624758512, -0.20068252436905232, 0.4405698186214144],
            0.14595941285305436,
            0.0,
        ),
    ),
    "a disc in a cone, almost coaxial, with many directions that are almost as good": (
        Solids(),
        Cone(
            [-1.8177683522307713, -0.34866520456503425, 1.647247695529419],
            [0.5291625446711585, 0.6038487014332099, 0.5961155484422213],
            0.15997672705941193,
            0.0,
        ),
        Cone(
            [-1.8177683522307713, -0.34866520456503425, 1.647247695529419],
            [-0.5291803314582262, -0.6038760958857421, -0.5960720070725986],
            0.2827900604766341,
            0.7680690299801318,
        ),
    ),
    "a deep overlap with a better direction near the best one found": (
        Solids(),
        Cylinder(
            [0.13969139313372825, 0.5432601327886464, 0.7684279490312349],
            [0.2203985963872092, 0.7599761532099235, 0.611441497825258],
            0.26186581923260893,
            0.6544012753365201,
        ),
        Cylinder(
            [0.01002426561172115, -0.017976053075129395, 0.34814781402330464],
            [-0.04618556680300844, 0.940313911243546, 0.33715966802236236],
            0.6043954107066528,
            1.419123197818591,
        ),
    ),
    "a disc that a capsule touches, with nearest points that lie beside the normal": (
        Solids(),
        Ellipsoid(
            [0.7483685242685891, -0.951263091953451, 0.9065221757141364],
            [1.2337869250750326, 0.482809790035755, 0.0],
            [
                [-0.6735553312182785, 0.7234466987546652, -0.15148626950457197],
                [-0.545185127612641, -0.6246571234922119, -0.5590855522193573],
                [-0.49909557443181496, -0.2939869931330504, 0.8151535164931599],
            ],
        ),
        Capsule3d(
            [1.6255528662025303, -0.10825741607950665, 1.27390787823629],
            [2.8921439156956494, 0.9169391296992424, 2.212435058514109],
            0.30471792924458396,
        ),
    ),
    "a vertex and a segment, between which GJK gains less than rounding": (
        Hulls(),
        Box(
            center=[-0.5007291314483799, -0.09597809555664716, -0.7518041083286757],
            size=[0.5153484927167493, 2.849898768657417, 2.9094293204606316],
            rotation=[
                [-0.9723016623991593, -0.23042416372803146, 0.03916863625490005],
                [0.05837921186528318, -0.4016893908089991, -0.913913289614219],
                [0.22632133111534075, -0.8863127766661905, 0.40401524352485485],
            ],
        ),
        ConvexHull3d(
            [
                [0.589878789825131, 1.2977618344719883, -0.059293497771314485],
                [0.6840296463012765, -0.9010677093137988, 0.9128043116845943],
            ],
            0.3793709133404309,
        ),
    ),
}


@pytest.mark.parametrize("case", HARD)
def test_pairs_that_were_wrong_are_proved(case: str) -> None:
    subject, a, b = HARD[case]
    tally = judge(subject, a, b)
    assert tally.disagreements == 0, tally.failed


def judge(subject: Narrow, a: Any, b: Any) -> Tally:
    tally = Tally()
    subject._judge(tally, a[None], b[None], {})
    return tally


class Longer(OugiNarrow):
    """Distances that are too large by 1e-6."""

    def separation(self, a: Any, b: Any) -> tuple[Floats, Floats, Floats, Floats]:
        signed, normal, p, q = super().separation(a, b)
        return np.where(signed > 0.1, signed + 1e-6, signed), normal, p, q


def test_a_planted_mistake_is_caught() -> None:
    tally = Solids(Longer()).check("cone-box", "random", 300, np.random.default_rng(2))
    assert tally.failed["gap"] > 50
    assert tally.failed["link"] > 50


class Sideways(OugiNarrow):
    """Contacts along a direction that is not the best one."""

    def separation(self, a: Any, b: Any) -> tuple[Floats, Floats, Floats, Floats]:
        from ougi_lab.verify.solid import compute_gap

        signed, normal, p, q = super().separation(a, b)
        other = normal[:, [1, 2, 0]]
        gap = compute_gap(a, b, other)
        return np.where(signed < 0, gap, signed), np.where(signed[:, None] < 0, other, normal), p, q


def test_a_depth_that_is_not_the_smallest_is_caught() -> None:
    tally = Solids(Sideways()).check("ellipsoid-box", "random", 300, np.random.default_rng(3))
    assert tally.failed["depth"] > 20
