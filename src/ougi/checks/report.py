"""The results of a check."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from ougi import _check
from ougi._render import render_html, render_text, to_plain
from ougi._typing import Floats, Foreign, Ints, JsonObject
from ougi.impact import Status
from ougi.results import Result, build_dataframe
from ougi.scene import PairCounts, Scene
from ougi.scene.problems import escape_controls
from ougi.timeline import Contacts

# The format of `ougi check --format json`, which is `Report.to_dict` and where it was computed.
SCHEMA = "ougi-check/2"
# Words of `Contacts.status` and of `Comparison.verdict`.
STATUSES: dict[int, str] = {
    Status.HIT: "hit",
    Status.OVERLAPPING: "overlapping at the start",
    Status.UNDECIDED: "undecided",
    Status.UNSUPPORTED: "unsupported",
}
# Contacts that the text of a report shows.
_SHOWN = 10

FOUND, MISSED, GHOST, LATE, OPEN = range(5)
VERDICTS = {FOUND: "found", MISSED: "missed", GHOST: "ghost", LATE: "late", OPEN: "unsupported"}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """The contacts of another method, beside the exact ones; by pairs and times.

    Attributes
    ----------
    pair
        (m, 2), bodies, a row for each of their contacts; one row if they do not touch and the method reports
        a contact, or has no result.
    verdict
        (m,), 0 found in the frame in which the contact begins; 1 missed; 2 a ghost: reported in a frame
        before the contact and after the one before it, or without any; 3 late: found in a later frame only;
        4 the method has no result.
    time
        (m,), when the frame begins in which the method first reports the contact; NaN for none. Reports
        after the last contact of a pair are ignored.
    exact
        (m,), when the contact begins; NaN for none.
    """

    pair: Ints
    verdict: Ints
    time: Floats
    exact: Floats

    def __len__(self) -> int:
        return len(self.pair)


@dataclass(frozen=True, eq=False, repr=False)
class Enclosed(Result):
    """Bodies that are inside of a closed mesh and do not touch it, by time.

    Attributes
    ----------
    pair
        (m, 2), indices of a body and of the mesh.
    time
        (m,), seconds: 0 for the start, else when one of them arrives by a jump.
    """

    pair: Ints
    time: Floats

    def __len__(self) -> int:
        return len(self.pair)


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """The contacts of a scene, as `ougi.check` finds them.

    Attributes
    ----------
    scene
        What was checked.
    contacts
        `Contacts`, all of them by time. `pair` (m, 2) are indices of two bodies of the scene: one that moves
        first, else the first in the scene. `time` (m,) is when the contact begins; where it is undecided,
        the time up to which there is certainly none. `status` (m,) is 1 hit; 2 overlapping at the start, or
        after a jump; 3 undecided, which counts as a contact; 4 no method knows these shapes, and their bounds
        meet. `point` and `normal` (m, d), from the first body to the second, are NaN where none is known,
        as for sectors and for cylinders that overlap. `engine` (m,) is what computed the contact: `kernel`,
        `radar`, `advancement`, `parts` (of a compound) or `robot`; empty for status 4.
    near
        `Contacts`, near misses within the margin of pairs that never touch: when they first come within it.
        The point is that of the body that rests, or of the second if none does, nearest to the other.
    compared
        The result of another method; None for `exact`.
    method, margin
        The options of the check.
    pairs
        How many candidate pairs the broad phase found. Bounds prove that all other covered pairs are free, of
        robots bounds of the motions of their joints.
    unfinished
        (k, 2), pairs that meet so often within one span that their last contacts are missing.
    enclosed
        Bodies inside of a closed mesh that do not touch it. A mesh is a surface, so this is no contact, and
        such a pair may be certified as free.
    unchecked
        How many candidate pairs are not finished, because the check was stopped. Of those that touch, the
        first contact is in `contacts`.

    >>> import ougi
    >>> from ougi.scene import Body, Piece
    >>> ball = Body("ball", ougi.Circle([0, 0], 1), (Piece(0.0, 2.0, ougi.Translation2d([9, 0])),))
    >>> report = ougi.check(ougi.Scene((ball, Body("wall", ougi.Aabb2d([6, -1], [7, 1]))), duration=2.0))
    >>> report.hit, report.names(report.contacts), report.contacts.time.round(4).tolist()
    (True, [('ball', 'wall')], [1.1111])
    >>> report.coverage
    PairCounts(total=1, covered=1, excluded={})
    """

    scene: Scene
    contacts: Contacts
    near: Contacts
    compared: Comparison | None
    method: str
    margin: float
    pairs: int
    unfinished: Ints
    enclosed: Enclosed
    unchecked: int = 0

    def __repr__(self) -> str:
        """Counts in one line, then the first contacts."""
        covered = self.coverage
        verdict = "certified collision-free" if self.certified else "not certified"
        lines = [
            f"<Report: contacts {len(self.contacts)}, near misses {len(self.near)}; pairs covered "
            f"{covered.covered}, excluded {sum(covered.excluded.values())}; {verdict}"
        ]
        names = self.names(self.contacts)
        for k in range(min(len(names), _SHOWN)):
            status = STATUSES[int(self.contacts.status[k])]
            lines.append(f"  {self.contacts.time[k]:.6f} s  {' and '.join(names[k])}: {status}")
        if len(names) > _SHOWN:
            lines.append("  ...")
        return "\n".join(lines) + ">"

    def __str__(self) -> str:
        """Contacts and near misses as a table, then the counts, for `print`."""
        columns = ("kind", "time", "a", "b", "point", "normal", "status", "engine")
        records = [
            {
                key: escape_controls(value) if key in "ab" else value
                for key, value in row.items()
                if key in columns
            }
            for row in self.to_records()
        ]
        counts = repr(self).partition("\n")[0].removeprefix("<Report: ").removesuffix(">")
        return f"{render_text(records)}\n{counts}" if records else counts

    @property
    def hit(self) -> bool:
        """Is there a contact, or a pair that is not proven to be free?"""
        return len(self.contacts) > 0

    @property
    def coverage(self) -> PairCounts:
        """How many pairs were covered, and how many were excluded for which reason."""
        return self.scene.pair_counts

    @property
    def certified(self) -> bool:
        """Is every covered pair proven to be free over all times? False if no pair was covered.

        Excluded pairs are not part of it; `coverage` counts them.

        >>> import ougi
        >>> from ougi.scene import Body
        >>> posts = [Body(f"post {x}", ougi.Circle([x, 0], 1)) for x in (0, 5)]
        >>> ougi.check(ougi.Scene(tuple(posts))).certified
        True
        >>> ougi.check(ougi.Scene(tuple(posts), ignore=(("*", "*"),))).certified
        False
        """
        return self.coverage.covered > 0 and not self.hit and not self.unchecked

    def names(self, rows: Contacts | Comparison | Enclosed | Ints) -> list[tuple[str, str]]:
        """The bodies' names, of rows or of pairs."""
        names = [body.name for body in self.scene.bodies]
        pairs = _check.pairs(getattr(rows, "pair", rows), len(names), len(names))
        return [(names[i], names[j]) for i, j in pairs.tolist()]

    def interval(self, rows: Contacts) -> Ints:
        """In which interval between `scene.times` each begins."""
        if not isinstance(rows, Contacts):
            raise TypeError(f"rows must be Contacts of this report, got {type(rows).__name__}")
        last = max(len(self.scene.times) - 2, 0)
        number: Ints = (self.scene.times.searchsorted(rows.time, side="right") - 1).clip(0, last)
        return number

    def to_records(self) -> list[JsonObject]:
        """Contacts, near misses and comparisons, one dictionary each; None stands for what is not known.

        >>> import ougi
        >>> from ougi.scene import Body
        >>> discs = [Body(name, ougi.Circle([x, 0], 1)) for name, x in (("left", 0), ("right", 1.5))]
        >>> record = ougi.check(ougi.Scene(tuple(discs))).to_records()[0]
        >>> record["a"], record["b"], record["time"], record["status"]
        ('left', 'right', 0.0, 'overlapping at the start')
        """
        found = _list_contacts(self, self.contacts, "contact") + _list_contacts(self, self.near, "near miss")
        return found if self.compared is None else found + _list_comparisons(self, self.compared)

    def to_dict(self) -> JsonObject:
        """The whole report as plain numbers, texts, lists and dictionaries."""
        records = self.to_records()
        return {
            "scene": {
                "bodies": len(self.scene.bodies),
                "seconds": float(self.scene.duration),
                "units": self.scene.units,
                "times": [float(t) for t in self.scene.times],
                "skipped": list(self.scene.skipped),
            },
            "parameters": {"method": self.method, "margin": self.margin},
            "coverage": {
                "pairs": self.coverage.total,
                "covered": self.coverage.covered,
                "candidates": self.pairs,
                "excluded": self.coverage.excluded,
                "unchecked": self.unchecked,
            },
            "certified": self.certified,
            "hit": self.hit,
            "unfinished": [list(pair) for pair in self.names(self.unfinished)],
            "notes": list_notes(self),
            "contacts": [row for row in records if row["kind"] == "contact"],
            "near_misses": [row for row in records if row["kind"] == "near miss"],
            "comparison": [row for row in records if row["kind"] == "comparison"],
        }

    def to_json(self) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_dataframe(self) -> Foreign:
        """`to_records` as a `pandas.DataFrame`; vectors have a column for each component: `point_x`, ..."""
        return build_dataframe(self.to_records())

    def _repr_html_(self) -> str:
        """A table of the first records, for notebooks."""
        return render_html(self.to_records(), repr(self).partition("\n")[0].strip("<>"))


def _list_contacts(report: Report, contacts: Contacts, kind: str) -> list[JsonObject]:
    return [
        {
            "kind": kind,
            "time": to_plain(contacts.time[k]),
            "a": a,
            "b": b,
            **_name_links(report, contacts.pair[k]),
            "point": _plain_vector(contacts.point[k]),
            "normal": _plain_vector(contacts.normal[k]),
            "status": _name_status(int(contacts.status[k]), kind),
            "engine": str(contacts.engine[k]),
            "interval": int(interval),
        }
        for k, ((a, b), interval) in enumerate(
            zip(report.names(contacts), report.interval(contacts), strict=True)
        )
    ]


def _name_links(report: Report, pair: Ints) -> JsonObject:
    """Links and their shapes, of bodies that are parts of robots."""
    bodies = zip("ab", (report.scene.bodies[k] for k in pair), strict=True)
    links = [(key, body) for key, body in bodies if body.link]
    return {f"link_{key}": body.link for key, body in links} | {
        f"shape_{key}": body.link_shape for key, body in links
    }


def _name_status(code: int, kind: str) -> str:
    return "within the margin" if kind == "near miss" and code == 1 else STATUSES[code]


def _list_comparisons(report: Report, compared: Comparison) -> list[JsonObject]:
    return [
        {
            "kind": "comparison",
            "time": to_plain(compared.exact[k]),
            "a": a,
            "b": b,
            "status": VERDICTS[int(compared.verdict[k])],
            "method": report.method,
            "method_time": to_plain(compared.time[k]),
        }
        for k, (a, b) in enumerate(report.names(compared))
    ]


def list_notes(report: Report) -> list[JsonObject]:
    """Bodies inside of closed meshes, as plain dictionaries."""
    return [
        {"kind": "inside a closed mesh", "body": body, "mesh": mesh, "time": float(time)}
        for (body, mesh), time in zip(report.names(report.enclosed), report.enclosed.time, strict=True)
    ]


def _plain_vector(value: Floats) -> list[float] | None:
    """A vector as a list; None if it is not known."""
    return list(map(float, value)) if np.isfinite(value).all() else None


__all__ = ["Comparison", "Enclosed", "Report"]
