"""Peer libraries: results of shapely, coal and Qhull for the same pairs, on smaller samples.

They use other methods, so they would reveal a mistake in the certificates themselves. Each comparison is an
array of errors in units of the accuracy of the peer, NaN where it has no result.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi_lab.scenes.cores import ConvexCore, extract_core
from ougi_lab.verify.certificates import band, largest_coordinate, size

# Share of (largest coordinate + size). coal iterates to a tolerance of 1e-12 (with its defaults it is wrong
# by 1e-3) and usually ends at rounding, but next to flat bodies only at 3e-11.
COAL_TOLERANCE = 1e-10


def find_peers() -> dict[str, Callable[[Any, Any, Floats], Floats]]:
    """Return the comparisons whose libraries are installed."""
    peers = {"shapely": compare_with_shapely, "coal": compare_with_coal, "qhull": compare_with_qhull}
    packages = {"qhull": "scipy"}
    return {
        name: compare
        for name, compare in peers.items()
        if importlib.util.find_spec(packages.get(name, name)) is not None
    }


def compare_with_shapely(a: Any, b: Any, signed: Floats) -> Floats:
    """Distances of the cores in the plane; of overlapping ones only that they overlap."""
    if a.dimension != 2:
        return np.full(len(signed), np.nan)
    import shapely

    x, y = extract_core(a), extract_core(b)
    other = shapely.distance(_build_geometry(x), _build_geometry(y))
    core_signed = signed + x.radius + y.radius
    error: Floats = np.abs(np.maximum(core_signed, 0.0) - other) / band(x, y)
    return error


def _build_geometry(core: ConvexCore) -> Any:
    import shapely

    corners = np.moveaxis(core.origin + core.corners, 2, 0)  # (n, k, 2)
    if core.kind == "point":
        return shapely.points(corners[:, 0])
    if core.kind == "segment":
        return shapely.linestrings(corners)
    if core.kind == "hull":
        return shapely.convex_hull(shapely.multipoints([shapely.points(c) for c in corners]))
    order = [0, 1, 2] if core.kind == "triangle" else [0, 1, 3, 2]
    return shapely.polygons(corners[:, order])


def compare_with_coal(a: Any, b: Any, signed: Floats) -> Floats:
    """Signed distances in space."""
    n = len(signed)
    if a.dimension != 3:
        return np.full(n, np.nan)
    import coal

    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = 1e-12
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    x, y = extract_core(a), extract_core(b)
    other = np.empty(n)
    for i in range(n):
        result = coal.DistanceResult()
        other[i] = coal.distance(*_build_body(x, i), *_build_body(y, i), request, result)
    scale = np.maximum(largest_coordinate(x), largest_coordinate(y)) + np.maximum(size(x), size(y))
    error: Floats = np.abs(signed - other) / (COAL_TOLERANCE * scale)
    return error


def compare_solids_with_coal(a: Any, b: Any, signed: Floats) -> Floats:
    """How far signed distances of pairs with curved solids are from those of coal."""
    import coal

    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = 1e-8
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    other = np.empty(len(signed))
    for i in range(len(signed)):
        result = coal.DistanceResult()
        other[i] = coal.distance(*_build_solid(a, i), *_build_solid(b, i), request, result)
    return np.abs(signed - other)


def _build_solid(shape: Any, i: int) -> tuple[Any, Any]:
    """A body of coal, which may be curved, and its pose."""
    import coal

    name = type(shape).__name__
    if name == "Ellipsoid":
        return coal.Ellipsoid(*shape.radii[i]), coal.Transform3s(
            shape.rotation[i].copy(), shape.center[i].copy()
        )
    if name in ("Cylinder", "Cone"):
        x, y, z = _build_frame(shape.axis[i])
        pose = coal.Transform3s(np.stack([y, z, x], axis=1), shape.center[i].copy())
        return getattr(coal, name)(float(shape.radius[i]), 2 * float(shape.half_height[i])), pose
    return _build_body(extract_core(shape[i : i + 1]), 0)


def _build_body(core: ConvexCore, i: int) -> tuple[Any, Any]:
    """A body of coal and its pose."""
    import coal

    origin, corners, radius = core.origin[:, i], core.corners[:, :, i], core.radius[i]
    if core.kind == "point":
        return coal.Sphere(radius), coal.Transform3s(np.eye(3), origin)
    if core.kind == "segment":
        length = np.linalg.norm(corners[1])
        x, y, z = _build_frame(corners[1])
        pose = coal.Transform3s(np.stack([y, z, x], axis=1), origin + corners[1] / 2)
        return coal.Capsule(radius, length), pose
    if core.triangles is not None:
        return _build_convex(core, i), coal.Transform3s(np.eye(3), origin)
    if core.kind == "triangle":
        # coal has no distance from a TriangleP to most bodies; a convex body of two faces is one, too.
        points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        points.extend(list(corners))
        faces.extend([coal.Triangle(0, 1, 2), coal.Triangle(0, 2, 1)])
        return coal.Convex(points, faces), coal.Transform3s(np.eye(3), origin)
    middle = origin + (corners[0] + corners[-1]) / 2
    axes = core.edges[:, :, i].T
    return coal.Box(*(2 * core.half[:, i])), coal.Transform3s(np.ascontiguousarray(axes), middle)


def _build_convex(core: ConvexCore, i: int) -> Any:
    """A hull of coal."""
    import coal

    assert core.triangles is not None
    corners = core.corners[:, :, i]
    vertices = np.unique(corners, axis=0)
    number = {tuple(vertex): k for k, vertex in enumerate(vertices.tolist())}
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(vertices))
    triangles = np.unique(core.triangles[..., i], axis=0).tolist()
    indices = [[number[tuple(corner)] for corner in triangle] for triangle in triangles]
    faces.extend([coal.Triangle(*order) for p, q, r in indices for order in ((p, q, r), (p, r, q))])
    body = coal.Convex(points, faces)
    if core.radius[i] > 0:
        body.setSweptSphereRadius(float(core.radius[i]))
    return body


def _build_frame(direction: Floats) -> tuple[Floats, Floats, Floats]:
    x = direction / max(float(np.linalg.norm(direction)), 1e-300)
    y = np.cross(x, np.eye(3)[np.argmin(np.abs(x))])
    y /= np.linalg.norm(y)
    return x, y, np.cross(x, y)


def compare_with_qhull(a: Any, b: Any, signed: Floats) -> Floats:
    """Depths of overlapping cores: how far the origin lies inside the hull of all corner differences."""
    from scipy.spatial import ConvexHull, QhullError

    x, y = extract_core(a), extract_core(b)
    error = np.full(len(signed), np.nan)
    d, width = x.dimension, band(x, y)
    core_signed = signed + x.radius + y.radius
    for i in np.flatnonzero(core_signed < 0)[: len(signed) // 10]:
        apart = y.origin[:, i] - x.origin[:, i]
        differences = (apart + y.corners[:, None, :, i] - x.corners[None, :, :, i]).reshape((-1, d))
        try:
            other = ConvexHull(differences).equations[:, -1].max()
        except QhullError:  # flat: no inside, hence no depth to compare
            continue
        error[i] = abs(core_signed[i] - other) / width[i]
    return error
