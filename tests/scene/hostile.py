"""Files that are small on disk and would be large in time or memory, each written by one function.

`python tests/scene/hostile.py [NAME ...]` loads each in a process of its own and prints CPU seconds, the peak
of the resident memory, and how it ended.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from make_gltf import Maker

TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def gltf_zeros(folder: Path) -> Path:
    """An accessor of 15 million elements without a buffer."""
    document = {
        "asset": {"version": "2.0"},
        "accessors": [{"componentType": 5126, "count": 15_000_000, "type": "VEC3"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0}],
    }
    return _write_text(folder / "zeros.gltf", json.dumps(document))


def gltf_shared_mesh(folder: Path) -> Path:
    """A hundred thousand nodes with one mesh."""
    maker = Maker()
    mesh = maker.mesh(TRIANGLE, [[0, 1, 2]])
    maker.document["nodes"] = [{"mesh": mesh, "translation": [2.0 * k, 0, 0]} for k in range(100_000)]
    return maker.glb(folder / "shared.glb")


def gltf_shared_large_mesh(folder: Path) -> Path:
    """A thousand nodes with one mesh of a million triangles."""
    maker = Maker()
    side = 708
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    vertices = np.stack([x, y, 0 * x], axis=-1).reshape((-1, 3))
    at = np.arange(side * side).reshape((side, side))
    a, b, c, d = (each.ravel() for each in (at[:-1, :-1], at[:-1, 1:], at[1:, :-1], at[1:, 1:]))
    indices = maker.accessor(np.stack([a, b, c, b, d, c], axis=1).ravel(), "u4")
    primitive = {"attributes": {"POSITION": maker.accessor(vertices)}, "indices": indices}
    maker.document["meshes"].append({"primitives": [primitive]})
    maker.document["nodes"] = [{"mesh": 0, "translation": [0, 0, k]} for k in range(1000)]
    return maker.glb(folder / "shared_large.glb")


def gltf_chain(folder: Path) -> Path:
    """Five thousand nodes, each the child of the one before, all with a mesh."""
    return _chain(5000).glb(folder / "chain.glb")


def gltf_moving_chain(folder: Path) -> Path:
    """Two thousand nodes, each the child of the one before, all moving."""
    maker = _chain(2000)
    times, values = maker.accessor([0.0, 1.0]), maker.accessor([[0.0, 0, 0], [0.1, 0, 0]])
    channels = [{"sampler": 0, "target": {"node": k, "path": "translation"}} for k in range(2000)]
    maker.document["animations"] = [
        {"channels": channels, "samplers": [{"input": times, "output": values}], "name": "all"}
    ]
    return maker.glb(folder / "moving_chain.glb")


def _chain(count: int) -> Maker:
    maker = Maker()
    mesh = maker.mesh(TRIANGLE, [[0, 1, 2]])
    for k in range(count):
        children = {"children": [k + 1]} if k + 1 < count else {}
        maker.node(mesh=mesh, translation=[2.0, 0, 0], **children)
    return maker


def gltf_equal_names(folder: Path) -> Path:
    """Fifty thousand nodes of one name."""
    maker = Maker()
    mesh = maker.mesh(TRIANGLE, [[0, 1, 2]])
    maker.document["nodes"] = [
        {"mesh": mesh, "name": "same", "translation": [2.0 * k, 0, 0]} for k in range(50_000)
    ]
    return maker.glb(folder / "names.glb")


def gltf_keyframes(folder: Path) -> Path:
    """One node with a hundred thousand keys, places and turns."""
    return _keyframes(1).glb(folder / "keys.glb")


def gltf_step_keyframes(folder: Path) -> Path:
    """A hundred thousand jumps."""
    return _keyframes(1, step=True).glb(folder / "steps.glb")


def gltf_keyframes_of_many(folder: Path) -> Path:
    """A hundred thousand keys that move the parent of a hundred bodies."""
    return _keyframes(100).glb(folder / "keys_of_many.glb")


def _keyframes(bodies: int, *, step: bool = False) -> Maker:
    maker, count = Maker(), 100_000
    mesh = maker.mesh(TRIANGLE, [[0, 1, 2]])
    parent = maker.node(children=list(range(1, bodies + 1)))
    for k in range(bodies):
        maker.node(mesh=mesh, translation=[2.0 * k, 0, 0])
    angle = np.linspace(0, 300, count)
    turns = np.stack([0 * angle, 0 * angle, np.sin(angle), np.cos(angle)], axis=1)
    places = np.stack([angle, np.sin(angle), 0 * angle], axis=1)
    times = np.arange(count) / 8
    maker.animate((parent, "rotation", times, turns), (parent, "translation", times, places), step=step)
    return maker


def urdf_chain(folder: Path) -> Path:
    """Five thousand links in a chain."""
    return _robot(folder / "chain.urdf", 5000, lambda k: k - 1)


def urdf_star(folder: Path) -> Path:
    """Twenty thousand links around one."""
    return _robot(folder / "star.urdf", 20_000, lambda k: 0)


def urdf_loose(folder: Path) -> Path:
    """A hundred thousand links without joints."""
    return _robot(folder / "loose.urdf", 100_000, None)


def _robot(path: Path, count: int, parent: Callable[[int], int] | None) -> Path:
    link = '<link name="l{}"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>\n'
    joint = (
        '<joint name="j{0}" type="continuous"><parent link="l{1}"/><child link="l{0}"/>'
        '<origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>\n'
    )
    parts = [link.format(k) for k in range(count)]
    if parent is not None:
        parts += [joint.format(k, parent(k)) for k in range(1, count)]
    return _write_text(path, f'<robot name="r">\n{"".join(parts)}</robot>')


def urdf_mimic_chain(folder: Path) -> Path:
    """Twenty thousand joints, each following the one before."""
    path = _robot(folder / "mimic.urdf", 20_000, lambda k: 0)
    lines = path.read_text(encoding="utf-8").split("\n")
    for k in range(2, 20_000):
        lines[20_000 + k] = lines[20_000 + k].replace('">', f'"><mimic joint="j{k - 1}"/>', 1)
    return _write_text(path, "\n".join(lines))


def srdf_all_links(folder: Path) -> Path:
    """Ten thousand links that are disabled against all others."""
    names = "".join(f'<disable_default_collisions link="l{k}"/>' for k in range(10_000))
    _write_text(folder / "all.srdf", f'<robot name="r">{names}</robot>')
    return _robot(folder / "all.urdf", 10_000, lambda k: 0)


def dae_instances(folder: Path) -> Path:
    """Forty nodes, each with two instances of the one before: a million million nodes."""
    nodes = "".join(
        f'<node id="n{k + 1}">' + f'<instance_node url="#n{k}"/>' * 2 + "</node>" for k in range(40)
    )
    return _collada(folder, f'<node id="n0"/>{nodes}', '<instance_node url="#n40"/>')


def dae_elements(folder: Path) -> Path:
    """Two million XML elements."""
    return _collada(folder, '<node id="n0"/>' + "<extra/>" * 2_000_000, '<instance_node url="#n0"/>')


def _collada(folder: Path, library: str, scene: str) -> Path:
    text = (
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/>'
        f"<library_nodes>{library}</library_nodes>"
        f'<library_visual_scenes><visual_scene id="s"><node>{scene}</node></visual_scene>'
        '</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>'
    )
    _write_text(folder / "m.dae", text)
    return _mesh_scene(folder, "m.dae")


def csv_rows(folder: Path) -> Path:
    """A robot of six joints with a trajectory of a hundred thousand rows."""
    rows = np.arange(100_000)[:, None] * np.array([0.01, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3])
    header = ",".join(["time", *(f"j{k}" for k in range(1, 7))])
    np.savetxt(folder / "rows.csv", rows, "%.6g", ",", header=header, comments="")
    return _robot(folder / "rows.urdf", 7, lambda k: k - 1)


def csv_wide(folder: Path) -> Path:
    """A trajectory with a hundred thousand unknown columns."""
    names = ",".join(f"x{k}" for k in range(100_000))
    _write_text(folder / "wide.csv", f"time,{names}\n{'0,' * 100_000}0\n")
    return _robot(folder / "wide.urdf", 3, lambda k: k - 1)


def csv_bad_cells(folder: Path) -> Path:
    """Three million cells that are no numbers."""
    _write_text(folder / "bad.csv", "time,j1,j2\n" + "x,y,z\n" * 1_000_000)
    return _robot(folder / "bad.urdf", 3, lambda k: k - 1)


def toml_unknown_keys(folder: Path) -> Path:
    """About 30 MB of unknown keys."""
    lines = [f"key_{k:07d} = 1\n" for k in range(1_800_000)]
    return _write_text(folder / "keys.toml", f"ougi = 1\n{''.join(lines)}")


def toml_unknown_keys_within_the_limit(folder: Path) -> Path:
    """As large as a TOML file may be."""
    lines = [f"key_{k:07d} = 1\n" for k in range(370_000)]
    return _write_text(folder / "some_keys.toml", f"ougi = 1\n{''.join(lines)}")


def toml_long_list(folder: Path) -> Path:
    """A list of 3 million numbers under an unknown key."""
    return _write_text(folder / "list.toml", f"ougi = 1\nx = [{'1,' * 3_000_000}]\n")


def toml_list_of_lines(folder: Path) -> Path:
    """A list of 2 million numbers, each on a line of its own."""
    return _write_text(folder / "lines.toml", "ougi = 1\nx = [\n" + "1,\n" * 2_000_000 + "]\n")


def toml_list_of_lists(folder: Path) -> Path:
    """A list of 1.5 million lists."""
    return _write_text(folder / "lists.toml", f"ougi = 1\nx = [{'[1],' * 1_500_000}]\n")


def toml_unknown_keys_of_bodies(folder: Path) -> Path:
    """Seventy-two thousand bodies with unknown keys."""
    body = '[[body]]\nname = "b{0}"\nshape = {{ type = "sphere", radius = 1 }}\nx{0} = 1\ny{0} = 2\n'
    return _write_text(folder / "bodies.toml", "ougi = 1\n" + "".join(map(body.format, range(72_000))))


def json_unknown_keys(folder: Path) -> Path:
    """About 30 MB of unknown keys."""
    return _write_text(
        folder / "keys.json", json.dumps({"ougi": 1} | {f"key_{k}": 1 for k in range(1_800_000)})
    )


def json_unknown_lists(folder: Path) -> Path:
    """Thirty million characters of nested lists under an unknown key."""
    return _write_text(folder / "lists.json", '{"ougi": 1, "x": [' + "[],[[]],1," * 3_000_000 + "1]}")


def json_deep(folder: Path) -> Path:
    """Ten million open brackets."""
    return _write_text(folder / "deep.json", '{"ougi": 1, "x": ' + "[" * 10_000_000)


def json_long_name(folder: Path) -> Path:
    """A key of 30 million characters."""
    return _write_text(folder / "long.json", json.dumps({"ougi": 1, "k" * 30_000_000: 1}))


def toml_dotted_keys(folder: Path) -> Path:
    """Keys of many parts: tables in tables."""
    return _write_text(folder / "dotted.toml", "ougi = 1\n" + ".".join("a" * 3_000_000) + " = 1\n")


def toml_checks(folder: Path) -> Path:
    """Twenty thousand checks of twenty thousand bodies."""
    return _write_checks(folder / "checks.toml", lambda k: (f"b{k}", f"b{k // 2}"))


def toml_wildcard_checks(folder: Path) -> Path:
    """Twenty thousand checks with a pattern that fits a tenth of twenty thousand bodies."""
    return _write_checks(folder / "wild.toml", lambda k: (f"*{k % 10}*{k}*", f"?{k}*"))


def toml_unmatched_checks(folder: Path) -> Path:
    """Twenty thousand checks with patterns that match nothing."""
    return _write_checks(folder / "unmatched.toml", lambda k: (f"c{k}", f"*x*y*{k}*"))


def _write_checks(path: Path, patterns: Callable[[int], tuple[str, str]]) -> Path:
    body = '[[body]]\nname = "b{0}"\nshape = {{ type = "sphere", radius = 0.1 }}\nat = [{0}, 0, 0]\n'
    check = '[[check]]\na = "{}"\nb = "{}"\n'
    parts = [*map(body.format, range(20_000)), *(check.format(*patterns(k)) for k in range(20_000))]
    return _write_text(path, "ougi = 1\n" + "".join(parts))


def toml_keyframes(folder: Path) -> Path:
    """A body with a hundred thousand keys."""
    count = 100_000
    places = [[k % 7, k % 11, 0] for k in range(count)]
    turns = ",".join(f"{{axis=[0,0,1],degrees={k % 100}}}" for k in range(count))
    motion = (
        f'{{ type = "keyframes", times = {list(range(count))}, positions = {places}, rotations = [{turns}] }}'
    )
    text = f'ougi = 1\n[[body]]\nname = "b"\nshape = {{ type = "sphere", radius = 1 }}\nmotion = {motion}\n'
    return _write_text(folder / "frames.toml", text)


def json_polygons(folder: Path) -> Path:
    """Twenty stars of two thousand corners."""
    angle = np.linspace(0, 6.28, 2000)
    corners = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (1 + 0.5 * (np.arange(2000) % 2))[:, None]
    return _write_shapes(folder, {"type": "polygon", "vertices": corners.round(4).tolist()}, 20)


def json_hulls(folder: Path) -> Path:
    """Three hundred hulls of a thousand points on a ball."""
    points = np.random.default_rng(0).normal(size=(1000, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return _write_shapes(folder, {"type": "hull", "points": points.round(6).tolist()}, 300)


def json_heights(folder: Path) -> Path:
    """Nine million heights."""
    rows = ",".join(["[" + "0," * 2999 + "0]"] * 3000)
    shape = f'{{"type": "heights", "heights": [{rows}]}}'
    return _write_text(folder / "heights.json", f'{{"ougi": 1, "body": [{{"name": "b", "shape": {shape}}}]}}')


def json_parts(folder: Path) -> Path:
    """A compound of three hundred thousand balls."""
    part = {"shape": {"type": "sphere", "radius": 1}}
    return _write_shapes(folder, {"type": "compound", "parts": [part] * 300_000}, 1)


def json_motions(folder: Path) -> Path:
    """Three hundred thousand turns of one body."""
    turn = {"type": "rotate", "axis": [0, 0, 1], "degrees": 1, "seconds": 1}
    return _write_shapes(folder, {"type": "sphere", "radius": 1}, 1, motion=[turn] * 300_000)


def _write_shapes(folder: Path, shape: Any, count: int, **others: Any) -> Path:
    bodies = [{"name": f"b{k}", "shape": shape, **others} for k in range(count)]
    return _write_text(folder / "shapes.json", json.dumps({"ougi": 1, "body": bodies}))


def obj_polygon(folder: Path) -> Path:
    """A polygon of a hundred thousand corners."""
    count = 100_000
    angle = np.arange(count) * (2 * np.pi / count)
    corners = "".join(f"v {x:.9f} {y:.9f} 0\n" for x, y in zip(np.cos(angle), np.sin(angle), strict=True))
    face = "f " + " ".join(str(k) for k in range(1, count + 1))
    _write_text(folder / "polygon.obj", f"{corners}{face}\n")
    return _mesh_scene(folder, "polygon.obj")


def obj_polygons(folder: Path) -> Path:
    """Polygons of every size up to three thousand corners."""
    corners = "".join(f"v {k} {k * k} 0\n" for k in range(3000))
    faces = "".join("f " + " ".join(map(str, range(1, k))) + "\n" for k in range(4, 3000))
    _write_text(folder / "polygons.obj", f"{corners}{faces}")
    return _mesh_scene(folder, "polygons.obj")


def _mesh_scene(folder: Path, name: str) -> Path:
    text = f'ougi = 1\n[[body]]\nname = "m"\nshape = {{ type = "mesh", file = "{name}" }}\n'
    return _write_text(folder / "mesh.toml", text)


def _write_text(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


# What each file must end in: that many bodies, or words of the message that refuses it.
ENDS: dict[Callable[[Path], Path], str] = {
    gltf_zeros: "accessor 0 has 15,000,000 elements, more than 6,000,000",
    gltf_shared_mesh: "100000 bodies",
    gltf_shared_large_mesh: "exceeds the limit of 2,000,000 faces; raise it by --limit faces=N",
    gltf_chain: "5000 bodies",
    gltf_moving_chain: "exceeds the limit of 500,000 motions; raise it by --limit motions=N",
    gltf_equal_names: "50000 bodies",
    gltf_keyframes: "1 bodies",
    gltf_step_keyframes: "1 bodies",
    gltf_keyframes_of_many: "exceeds the limit of 500,000 motions; raise it by --limit motions=N",
    urdf_chain: "5000 bodies",
    urdf_star: "20000 bodies",
    urdf_loose: "100000 bodies",
    urdf_mimic_chain: "20000 bodies",
    srdf_all_links: "exceeds the limit of 1,000,000 excluded pairs; raise it by --limit excluded_pairs=N",
    dae_instances: "exceeds the limit of 200,000 nodes; raise it by --limit nodes=N",
    dae_elements: "exceeds the limit of 1,000,000 elements; raise it by --limit elements=N",
    csv_rows: "exceeds the limit of 500,000 motions; raise it by --limit motions=N",
    csv_wide: "there is no joint 'x0' that moves",
    csv_bad_cells: "the rest of the file was not checked",
    toml_unknown_keys: "exceeds the limit of 6 MiB; raise it by --limit toml_bytes=N",
    toml_unknown_keys_within_the_limit: "unknown key 'key_0000000'",
    toml_long_list: "unknown key 'x'",
    toml_list_of_lines: "unknown key 'x'",
    toml_list_of_lists: "unknown key 'x'",
    toml_unknown_keys_of_bodies: "bodies.toml:5: body 'b0': unknown key 'x0'",
    toml_dotted_keys: "a key has more than 32 parts",
    json_unknown_keys: "keys.json:1: unknown key 'key_0'",
    json_unknown_lists: "unknown key 'x'",
    json_deep: "nested too deeply",
    json_long_name: "unknown key 'kkk",
    toml_checks: "20000 bodies",
    toml_wildcard_checks: "exceeds the limit of 5,000,000 rule matches; raise it by --limit rule_matches=N",
    toml_unmatched_checks: "check 1: a = 'c0' matches no body",
    toml_keyframes: "1 bodies",
    json_polygons: "exceeds the limit of 25,000 corners; raise it by --limit corners=N",
    json_hulls: "exceeds the limit of 25,000 corners; raise it by --limit corners=N",
    json_heights: "exceeds the limit of 2,000,000 faces; raise it by --limit faces=N",
    json_parts: "shape.parts: expected a list of length <= 1000, got 300000",
    json_motions: "exceeds the limit of 500,000 motions; raise it by --limit motions=N",
    obj_polygon: "1 bodies",
    obj_polygons: "exceeds the limit of 2,000,000 faces; raise it by --limit faces=N",
}
FILES = {make.__name__: make for make in ENDS}


def load(path: Path, memory: int) -> dict[str, Any]:
    """Load a scene in this process, which may have this many bytes above what Python and NumPy take."""
    import collada  # noqa: F401
    import trimesh  # noqa: F401

    import ougi.scene
    import ougi.scene.animation
    import ougi.scene.scene_file
    import ougi.scene.urdf

    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + memory, mapped + memory))
    trajectory = path.with_suffix(".csv")
    warnings.simplefilter("ignore")
    start = time.process_time()
    try:
        scene = ougi.scene.load_scene(path, trajectory=trajectory if trajectory.exists() else None)
        end = f"{len(scene.bodies)} bodies"
    except ougi.scene.SceneError as error:
        end = f"refused: {error}"
    seconds = time.process_time() - start
    status = Path("/proc/self/status").read_text()
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    return {"end": end, "seconds": round(seconds, 2), "peak": round(peak)}


def load_in_child(path: Path, *, memory: int = 2**30, seconds: float = 60) -> dict[str, Any]:
    """What became of a file in a process with limits; `end` says so too if it was killed or failed."""
    command = [sys.executable, __file__, "--load", str(path), str(memory)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return {"end": f"killed after {seconds:g} s", "seconds": seconds, "peak": None}
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return {"end": f"failed ({done.returncode}): {last}", "seconds": None, "peak": None}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--load"]:
        sys.stdout.write(json.dumps(load(Path(arguments[1]), int(arguments[2]))))
        return
    memory = 6 * 2**30
    for name in arguments or FILES:
        with tempfile.TemporaryDirectory() as folder:
            path = FILES[name](Path(folder))
            found = load_in_child(path, memory=memory, seconds=600)  # of a machine that may be busy
        end = found["end"].splitlines()[0][:110]
        sys.stdout.write(f"{name:30} {found['seconds'] or 0:>7} s {found['peak'] or 0:>6} MB  {end}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
