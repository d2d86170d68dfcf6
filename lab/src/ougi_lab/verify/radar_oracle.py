"""An oracle for radars: all corners against all faces and all edges against all edges, in plain NumPy.

It shares no code with `ougi.radar` and works in world coordinates. Straight contacts are solutions of linear
systems; those of turns and screws are changes of sign of heights and of distances of lines between many
poses, bisected. Every contact comes with its margin: how deep inside of faces and edges it lies, as a length.
Meshes are small: a few dozen faces.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Ints

_TINY = 1e-300


class MeshBody(NamedTuple):
    """A mesh as corners, faces and edges without repetition."""

    corners: Floats
    faces: Ints
    edges: Ints


def extract_body(mesh: Any) -> MeshBody:
    """Corners that are used, faces, and every edge once."""
    faces = np.asarray(mesh.faces)
    edges = np.unique(
        np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1), axis=0
    )
    return MeshBody(np.asarray(mesh.vertices), faces, edges)


class PossibleContacts(NamedTuple):
    """Possible contacts: at which distance or angle, and how deep inside of both features."""

    at: Floats
    margin: Floats

    def first(self, slack: float) -> float:
        """The first contact that is missed by no more than the slack; inf if there is none."""
        ok = (self.margin >= -slack) & (self.at >= -slack)
        return float(np.min(self.at[ok], initial=np.inf))


def _join(parts: list[PossibleContacts]) -> PossibleContacts:
    return PossibleContacts(
        *(
            np.concatenate([getattr(part, name).ravel() for part in parts])
            for name in PossibleContacts._fields
        )
    )


def _dot(a: Any, b: Any) -> Floats:
    out: Floats = np.einsum("...i,...i->...", a, b)
    return out


def _measure_inside(p: Floats, a: Floats, b: Floats, c: Floats, normal: Floats) -> Floats:
    """How deep points of triangles' planes lie inside of them: the least distance from an edge's line."""
    size = np.sqrt(_dot(normal, normal)) + _TINY
    smallest = np.full(np.broadcast_shapes(p.shape, a.shape)[:-1], np.inf)
    for q, r in ((a, b), (b, c), (c, a)):
        edge = r - q
        length = np.sqrt(_dot(edge, edge)) + _TINY
        smallest = np.minimum(smallest, _dot(np.cross(edge, p - q), normal) / size / length)
    return smallest


def find_straight_contacts(a: MeshBody, b: MeshBody, direction: Floats) -> PossibleContacts:
    """Contacts of a, moved along a unit direction, with b that rests."""
    parts = []
    for moving, resting, sense in ((a, b, 1.0), (b, a, -1.0)):
        w = sense * direction
        p = moving.corners[:, None]
        q, r, s = (resting.corners[resting.faces[:, k]][None] for k in range(3))
        normal = np.cross(r - q, s - q)
        slope = _dot(normal, w)
        steep = np.abs(slope) <= 1e-13 * np.sqrt(_dot(normal, normal))
        at = _dot(normal, q - p) / np.where(steep, 1.0, slope)
        margin = _measure_inside(p + at[..., None] * w, q, r, s, normal)
        parts.append(PossibleContacts(at, np.where(steep, -np.inf, margin)))
    p, d = a.corners[a.edges[:, 0]][:, None], (a.corners[a.edges[:, 1]] - a.corners[a.edges[:, 0]])[:, None]
    r, g = b.corners[b.edges[:, 0]][None], (b.corners[b.edges[:, 1]] - b.corners[b.edges[:, 0]])[None]
    parts.append(_cross_edges(p, d, r, g, direction))
    return _join(parts)


def _cross_edges(p: Floats, d: Floats, r: Floats, g: Floats, w: Floats) -> PossibleContacts:
    """p + s d + x w = r + t g, by Cramer's rule."""
    across = np.cross(d, g)
    det = _dot(across, w)
    one, two = np.sqrt(_dot(d, d)), np.sqrt(_dot(g, g))
    flat = np.abs(det) <= 1e-13 * one * two
    det = np.where(flat, 1.0, det)
    x = r - p
    at = _dot(across, x) / det
    s = _dot(np.cross(x, g), w) / det
    t = _dot(np.cross(x, d), w) / det
    # |w x d| ... : how far ends lie from the crossing, across the other edge.
    margin = np.minimum((0.5 - np.abs(s - 0.5)) * one, (0.5 - np.abs(t - 0.5)) * two)
    sine = np.abs(det) / np.maximum(one * two, _TINY)
    return PossibleContacts(
        at, np.where(flat, -np.inf, margin * np.where(margin < 0, np.minimum(sine, 1.0), 1.0))
    )


def measure_piercing(a: MeshBody, b: MeshBody) -> float:
    """How deep, at most, an edge of one goes through a face of the other; -inf if no edge comes near one."""
    deepest = -np.inf
    for one, other in ((a, b), (b, a)):
        p = one.corners[one.edges[:, 0]][:, None]
        d = one.corners[one.edges[:, 1]][:, None] - p
        q, r, s = (other.corners[other.faces[:, k]][None] for k in range(3))
        normal = np.cross(r - q, s - q)
        length = np.sqrt(_dot(d, d))
        slope = _dot(normal, d)
        flat = np.abs(slope) <= 1e-13 * length * np.sqrt(_dot(normal, normal))
        t = _dot(normal, q - p) / np.where(flat, 1.0, slope)
        margin = np.minimum(
            _measure_inside(p + t[..., None] * d, q, r, s, normal), (0.5 - np.abs(t - 0.5)) * length
        )
        deepest = max(deepest, float(np.max(np.where(flat, -np.inf, margin), initial=-np.inf)))
    return deepest


def encloses(a: MeshBody, p: Floats) -> bool:
    """Does a closed mesh enclose a point? The faces that rays meet are counted; most of three rays decide."""
    votes = 0
    for ray in np.array([[0.36, 0.48, 0.8], [-0.6, 0.64, 0.48], [0.48, -0.8, 0.36]]):
        q, r, s = (a.corners[a.faces[:, k]] for k in range(3))
        normal = np.cross(r - q, s - q)
        slope = _dot(normal, ray)
        t = _dot(normal, q - p) / np.where(slope == 0, 1.0, slope)
        met = (slope != 0) & (t > 0) & (_measure_inside(p + t[:, None] * ray, q, r, s, normal) > 0)
        votes += int(met.sum()) % 2
    return votes >= 2


class ScrewTurn(NamedTuple):
    """A screw: a point of the axis, its direction, the angle and the move along it."""

    center: Floats
    axis: Floats
    angle: float
    along: float

    def move_points(self, points: Floats, angles: Floats) -> Floats:
        """Points (n, 3) after angles (m,): (m, n, 3), by Rodrigues' formula."""
        x = points - self.center
        on = _dot(x, self.axis)[:, None] * self.axis
        across, beside = x - on, np.cross(self.axis, x)
        c, s = np.cos(angles)[:, None, None], np.sin(angles)[:, None, None]
        rise = (self.along / self.angle * angles)[:, None, None] * self.axis
        return self.center + on + c * across + s * beside + rise


# Poses between which changes of sign are searched, and halvings of what is found.
_POSES = 240
_HALVINGS = 52


def find_turning_contacts(a: MeshBody, b: MeshBody, turn: ScrewTurn, near: Floats) -> PossibleContacts:
    """Contacts of a, which turns, with b that rests; poses `near` are tested as well."""
    grid = np.unique(np.clip(np.concatenate([np.linspace(0, turn.angle, _POSES), near]), 0, turn.angle))
    back = ScrewTurn(turn.center, turn.axis, -turn.angle, -turn.along)
    parts = []
    for moving, resting, screw, sense in ((a, b, turn, 1.0), (b, a, back, -1.0)):
        parts.append(_find_corner_contacts(moving, resting, screw, sense, grid))
    parts.append(_find_edge_contacts(a, b, turn, grid))
    return _join(parts)


def _find_corner_contacts(
    moving: MeshBody, resting: MeshBody, turn: ScrewTurn, sense: float, grid: Floats
) -> PossibleContacts:
    q, r, s = (resting.corners[resting.faces[:, k]] for k in range(3))
    normal = np.cross(r - q, s - q)
    normal = normal / (np.sqrt(_dot(normal, normal))[:, None] + _TINY)
    heights = np.einsum("tni,fi->tnf", turn.move_points(moving.corners, sense * grid), normal) - _dot(
        normal, q
    )
    k, i, f = _find_sign_changes(heights)

    def height(angles: Floats) -> Floats:
        return _dot(_move_each(turn, moving.corners[i], sense * angles) - q[f], normal[f])

    at = _bisect(height, grid[k], grid[k + 1])
    place = _move_each(turn, moving.corners[i], sense * at)
    return PossibleContacts(at, _measure_inside(place, q[f], r[f], s[f], normal[f]))


def _find_edge_contacts(a: MeshBody, b: MeshBody, turn: ScrewTurn, grid: Floats) -> PossibleContacts:
    ends = turn.move_points(a.corners, grid)
    p, d = ends[:, a.edges[:, 0]], ends[:, a.edges[:, 1]] - ends[:, a.edges[:, 0]]
    r = b.corners[b.edges[:, 0]]
    g = b.corners[b.edges[:, 1]] - r
    # (p - r) . (d x g) = p x d . g + d . g x r ...
    volume = np.einsum("tni,mi->tnm", np.cross(p, d), g) + np.einsum("tni,mi->tnm", d, np.cross(r, g))
    k, i, j = _find_sign_changes(volume)
    first, second = a.corners[a.edges[i, 0]], a.corners[a.edges[i, 1]]

    def product(angles: Floats) -> Floats:
        x = _move_each(turn, first, angles)
        return _dot(x - r[j], np.cross(_move_each(turn, second, angles) - x, g[j]))

    at = _bisect(product, grid[k], grid[k + 1])
    x = _move_each(turn, first, at)
    e = _move_each(turn, second, at) - x
    n = np.cross(e, g[j])
    n_sq = _dot(n, n)
    one, two = np.sqrt(_dot(e, e)), np.sqrt(_dot(g[j], g[j]))
    flat = n_sq <= 1e-20 * (one * two) ** 2
    n_sq = np.where(flat, 1.0, n_sq)
    s, t = _dot(np.cross(r[j] - x, g[j]), n) / n_sq, _dot(np.cross(r[j] - x, e), n) / n_sq
    margin = np.minimum((0.5 - np.abs(s - 0.5)) * one, (0.5 - np.abs(t - 0.5)) * two)
    sine = np.sqrt(n_sq) / np.maximum(one * two, _TINY)
    return PossibleContacts(
        at, np.where(flat, -np.inf, margin * np.where(margin < 0, np.minimum(sine, 1.0), 1.0))
    )


def _move_each(turn: ScrewTurn, points: Floats, angles: Floats) -> Floats:
    """Point i after angle i."""
    x = points - turn.center
    on = _dot(x, turn.axis)[:, None] * turn.axis
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    rise = (turn.along / turn.angle * angles)[:, None] * turn.axis
    return turn.center + on + c * (x - on) + s * np.cross(turn.axis, x) + rise


def _find_sign_changes(values: Floats) -> tuple[Ints, Ints, Ints]:
    """Where values change their sign from one pose to the next."""
    sign: Bools = values > 0
    k, i, j = np.nonzero(sign[1:] != sign[:-1])
    return k, i, j


def _bisect(f: Any, low: Floats, high: Floats) -> Floats:
    """Zeros between pairs of angles."""
    rising = f(high) > 0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = (f(middle) > 0) == rising
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return (low + high) / 2
