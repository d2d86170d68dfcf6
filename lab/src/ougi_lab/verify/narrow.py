"""`ougi verify narrow`: is every answer of intersects, distance, closest_points and contacts right?

Three kinds of chunks: `random` pairs of all families, each result proved by its certificate and compared
with other calls for the same pair; `near` pairs, moved along a certified normal to a gap of 1e-3 to 1e-12
of their size, or to touch; and `second` pairs, on which other libraries are valid.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi import query
from ougi._typing import Bools, Floats
from ougi.query.tables import HULLS, TABLES, Pair
from ougi.shapes import Sector2d, Sector3d
from ougi_lab.scenes.cores import ConvexCore, extract_core
from ougi_lab.scenes.pairs import CLASSES, SOLIDS, draw_pairs, translate
from ougi_lab.scenes.pairs import HULLS as HULL_CLASSES
from ougi_lab.verify.certificates import Certificate, band, certify, gap, size
from ougi_lab.verify.peers import find_peers
from ougi_lab.verify.tally import NONFINITE_ERROR, PeerCount, Tally, describe_pair, to_finite

# Cases of a chunk on which less usual calls are tried: all against all, and the public records.
_SAMPLE = 48

# Two rounded queries, where the result of the first is the premise of the second.
_TWO_BANDS = 2.0

# What makes the templates of hulls, and lays out other shapes as hulls.
HULL_FILES = ("shapes/as_polytope.py", "shapes/exact.py", "shapes/polytope.py", "shapes/hull.py")


class OugiNarrow:
    """The queries of `ougi.query`. Tests override them to plant wrong results."""

    def intersects(self, a: Any, b: Any, pairs: Any = None) -> Bools:
        return query.intersects(a, b, pairs=pairs)

    def distance(self, a: Any, b: Any) -> Floats:
        return query.distance(a, b)

    def closest_points(self, a: Any, b: Any) -> Any:
        return query.closest_points(a, b)

    def contacts(self, a: Any, b: Any) -> Any:
        return query.contacts(a, b)

    def separation(self, a: Any, b: Any) -> tuple[Floats, Floats, Floats, Floats]:
        """Signed distance, normal and points, from which closest_points and contacts are made."""
        return query.queries.separation("closest_points", a, b, None)


@dataclass(frozen=True)
class Narrow:
    """The subject `narrow` for the runner: its pairs, and how one chunk of a pair is checked."""

    queries: OugiNarrow = field(default_factory=OugiNarrow)
    name: str = "narrow"
    kinds: tuple[str, ...] = ("random", "near", "second")
    many_small_arrays: bool = False
    folders: tuple[str, ...] = ("kernels",)
    rows: tuple[Pair, ...] = TABLES["separation"]

    def pairs(self) -> tuple[str, ...]:
        """Names like `sphere-box`, in the order of the table."""
        return tuple(f"{row.a.__name__}-{row.b.__name__}".lower() for row in self.rows)

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n cases of a kind."""
        if kind == "random":
            tally = Tally(cases=n)
            self.judge(tally, *self.draw(pair, n, rng))
            return tally
        a, b = parse_pair(pair)
        return self._check_near(a, b, n, rng) if kind == "near" else self._check_peers(a, b, n, rng)

    def draw(self, pair: str, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        """Draw n random cases of a pair."""
        return draw_pairs(*parse_pair(pair), n, rng)

    def judge(self, tally: Tally, a: Any, b: Any) -> None:
        """Count what is wrong with the results of one batch."""
        self._judge(tally, a, b, {})

    def _check_near(self, a: Any, b: Any, n: int, rng: np.random.Generator) -> Tally:
        x, y = draw_pairs(a, b, n + n // 4 + 8, rng)
        chosen, offset, known = move_near(self.queries, x, y, n, rng)
        tally = Tally(near=len(chosen))
        if len(chosen):
            before = band(extract_core(x[chosen]), extract_core(y[chosen]))  # what moving has rounded away
            self._judge(tally, x[chosen], translate(y[chosen], offset), {"known": known, "before": before})
        return tally

    def _judge(self, tally: Tally, a: Any, b: Any, given: dict[str, Floats]) -> None:
        """Count what is wrong with the answers to one batch; `given` may hold the known gaps."""
        signed, normal, point_a, point_b = self.queries.separation(a, b)
        proof = certify(extract_core(a), extract_core(b), signed, normal.T, point_a.T, point_b.T)
        hit = self.queries.intersects(a, b)
        errors = dict(proof.errors)
        errors["intersects"] = _measure_sign_error(hit, signed, proof.band)
        errors |= self._errors_of_other_calls(a, b, hit, (signed, normal, point_a, point_b), proof.band)
        if "known" in given:
            known, width = given["known"], _TWO_BANDS * np.maximum(proof.band, given["before"])
            errors["known gap"] = np.abs(signed - known) / width
            errors["known side"] = _measure_sign_error(hit, known, width)
        tally.in_band += int((np.abs(signed) <= proof.band).sum())
        tally.judge(errors, describe_pair(signed, a, b))

    def _errors_of_other_calls(
        self, a: Any, b: Any, hit: Bools, separation: tuple[Floats, ...], width: Floats
    ) -> dict[str, Floats]:
        """Other calls for the same pairs must agree: listed, swapped, all against all, by other verbs."""
        queries, n = self.queries, a.count
        signed, normal, point_a, point_b = separation
        each = np.arange(n)
        errors = {
            "pairs": _mark_differences(queries.intersects(a, b, pairs=np.stack([each, each], axis=1)), hit)
        }
        errors["swapped hit"] = np.where(queries.intersects(b, a) == hit, 0.0, np.abs(signed) / width)
        back, back_normal, back_b, back_a = queries.separation(b, a)
        errors["swapped"] = np.abs(back - signed) / width
        if type(a) is not type(b):  # one kernel serves both orders
            same = (back_normal == -normal) & (back_a == point_a) & (back_b == point_b)
            errors["swapped"] = np.maximum(errors["swapped"], _mark_differences(same.all(axis=1), True))
        errors["verbs"] = np.abs(queries.distance(a, b) - signed) / width  # it may have a shorter kernel
        sample = slice(0, min(n, _SAMPLE))
        indices = np.arange(n)[sample]
        listed = np.stack(np.meshgrid(indices, indices, indexing="ij"), axis=-1)
        crossed = queries.intersects(a[sample][:, None], b[sample])
        by_list = queries.intersects(a, b, pairs=listed.reshape((-1, 2))).reshape(crossed.shape)
        errors["crossed"] = np.zeros(n)
        errors["crossed"][sample] = _mark_differences((crossed == by_list).all(axis=1), True)
        near, contact = queries.closest_points(a[sample], b[sample]), queries.contacts(a[sample], b[sample])
        same = (near.distance == signed[sample]) & (near.point_a == point_a[sample]).all(axis=1)
        same &= (near.point_b == point_b[sample]).all(axis=1)
        same &= contact.hit == (signed[sample] <= 0)
        middle = (point_a + point_b)[sample] / 2
        equal = (contact.depth == -signed[sample]) & (contact.normal == normal[sample]).all(axis=1)
        equal &= (contact.point == middle).all(axis=1)
        same &= np.where(contact.hit, equal, np.isnan(contact.depth))
        errors["verbs"][sample] = np.maximum(errors["verbs"][sample], _mark_differences(same, True))
        return errors

    def _check_peers(self, a: Any, b: Any, n: int, rng: np.random.Generator) -> Tally:
        x, y = draw_pairs(a, b, n, rng, "ordinary")
        signed = self.queries.separation(x, y)[0]
        tally = Tally()
        for name, compare in find_peers().items():
            error = compare(x, y, signed)
            valid = ~np.isnan(error) | np.isnan(signed)
            if not valid.any():
                continue
            error = np.where(valid, error, 0.0)
            tally.judge({name: error}, describe_pair(signed, x, y))
            wrong, worst = int((~(error <= 1.0)).sum()), to_finite(np.max(error))
            tally.peers[name] = PeerCount(int(valid.sum()), wrong, worst)
        return tally


@dataclass(frozen=True)
class Hulls(Narrow):
    """The subject `hull`: the same for pairs with hulls and polygons, which have kernels of their own."""

    name: str = "hull"
    folders: tuple[str, ...] = ("kernels", "kernels/convex", *HULL_FILES)
    rows: tuple[Pair, ...] = HULLS


def parse_pair(pair: str) -> tuple[Any, Any]:
    """The two classes of a pair's name."""
    by_name = {cls.__name__.lower(): cls for cls in (*CLASSES, *HULL_CLASSES, *SOLIDS, Sector2d, Sector3d)}
    a, b = pair.split("-")
    return by_name[a], by_name[b]


def move_near(
    queries: OugiNarrow, a: Any, b: Any, n: int, rng: np.random.Generator
) -> tuple[Any, Floats, Floats]:
    """Up to n of the pairs, offsets (n, d) that bring their b to a known gap, and these gaps.

    With a certified signed distance s along a proved normal, b moved by g - s along it has the signed
    distance g: exactly so for every g >= s if they overlap (no other direction can open faster), and for
    every g >= 0 if they are apart (the nearest points stay so). Pairs whose normal is not proved on its own,
    or not good enough for the small gap, are excluded.
    """
    signed, normal, point_a, point_b = queries.separation(a, b)
    x, y = extract_core(a), extract_core(b)
    proof: Certificate = certify(x, y, signed, normal.T, point_a.T, point_b.T)
    straight = np.abs(gap(x, y, normal.T) - x.radius - y.radius - signed) <= proof.band
    known = _draw_gaps(x, y, signed, rng)
    # Nearest points that lie beside each other, by the little that the normal is off, stay so when moved.
    beside = np.linalg.norm(point_b - point_a - signed[:, None] * normal, axis=1)
    upright = np.abs(known + x.radius + y.radius)
    straight &= np.hypot(upright, beside) - upright <= proof.band
    chosen = np.flatnonzero(straight & ~proof.refuted)[:n]
    return chosen, ((known - signed)[:, None] * normal)[chosen], known[chosen]


def _draw_gaps(a: ConvexCore, b: ConvexCore, signed: Floats, rng: np.random.Generator) -> Floats:
    """Gaps of 1e-3 to 1e-12 of the sizes, and zeros, for pairs that are apart; shallow depths for others.

    A pair that overlaps is never moved out altogether: along an axis that is best only up to rounding, its
    contact points may lie beside each other by the root of that rounding, and the gap would be larger.
    """
    n = len(signed)
    reach = np.maximum(size(a), size(b)) * 10 ** rng.uniform(-12, -3, n)
    gaps = reach * rng.choice([1.0, 1.0, 1.0, 1.0, 0.0], n)
    known: Floats = np.where(signed < 0, np.maximum(signed, -reach), gaps)
    return known


def _measure_sign_error(hit: Bools, signed: Floats, width: Floats) -> Floats:
    """How far a wrong yes or no is from being right."""
    return np.where(hit == (signed <= 0), 0.0, np.abs(signed) / width)


def _mark_differences(x: Any, y: Any) -> Floats:
    """Two answers that must be equal to the last bit."""
    return np.where(x == y, 0.0, NONFINITE_ERROR)
