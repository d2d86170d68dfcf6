"""EXT_meshopt_compression: `meshopt_samples.json` has data of the encoder of meshoptimizer 0.22 (npm)."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from make_gltf import Maker

from ougi.scene import Limits, SceneError, load_scene
from ougi.scene.meshopt import decode_meshopt

SAMPLES = [
    {**sample, "packed": base64.b64decode(sample["packed"]), "bytes": base64.b64decode(sample["bytes"])}
    for sample in json.loads((Path(__file__).parent / "meshopt_samples.json").read_text())
]


def decode(sample: dict[str, Any], **changed: Any) -> bytes:
    used = sample | changed
    return decode_meshopt(
        used["packed"], used["count"], used["stride"], used["mode"], used["filter"]
    ).tobytes()


def sort_corners(content: bytes) -> Any:
    """Triangles with their corners in order: the encoder may turn a triangle."""
    return np.sort(np.frombuffer(content, "<u4").reshape((-1, 3)), axis=1).tolist()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: f"{s['mode']}-{s['count']}-{s['filter']}")
def test_data_of_the_encoder_is_decoded(sample: dict[str, Any]) -> None:
    got = decode(sample)
    if sample["mode"] == "TRIANGLES":
        assert sort_corners(got) == sort_corners(sample["bytes"])
    else:
        assert got == sample["bytes"]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: f"{s['mode']}-{s['count']}-{s['filter']}")
def test_damaged_data_is_decoded_or_refused(sample: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"ends too early|unknown version"):
        decode(sample, packed=sample["packed"][:3])
    with pytest.raises(ValueError, match="unknown version"):
        decode(sample, packed=b"\x00" + sample["packed"][1:])
    rng = np.random.default_rng(1)
    for _ in range(20):
        damaged = bytearray(sample["packed"])
        damaged[rng.integers(1, len(damaged))] ^= int(rng.integers(1, 256))
        try:
            assert len(decode(sample, packed=bytes(damaged))) == len(sample["bytes"])
        except ValueError:
            continue


def test_indices_of_two_bytes() -> None:
    sample = next(sample for sample in SAMPLES if sample["mode"] == "TRIANGLES" and sample["count"] == 54)
    short = np.frombuffer(decode(sample, stride=2), "<u2")
    np.testing.assert_array_equal(short, np.frombuffer(decode(sample), "<u4"))


def make_file() -> tuple[Maker, Any]:
    """A file whose vertices and faces are compressed, and its vertices."""
    faces = next(s for s in SAMPLES if s["mode"] == "TRIANGLES" and s["count"] == 54)
    points = next(s for s in SAMPLES if s["mode"] == "ATTRIBUTES" and s["stride"] == 12 and s["count"] == 17)
    maker = Maker()
    maker.node(name="sheet", mesh=maker.mesh(np.zeros((17, 3)), np.zeros((18, 3))))
    for view, sample in enumerate((faces, points)):
        place = len(maker.binary)
        maker.binary += sample["packed"] + b"\0" * (-len(sample["packed"]) % 4)
        packed = {"buffer": 0, "byteOffset": place, "byteLength": len(sample["packed"])}
        packed |= {"byteStride": sample["stride"], "mode": sample["mode"], "count": sample["count"]}
        size = sample["count"] * sample["stride"]
        extensions = {"EXT_meshopt_compression": packed}
        maker.document["bufferViews"][view] |= {"buffer": 7, "byteLength": size, "extensions": extensions}
    maker.document["accessors"][0]["componentType"] = 5125
    maker.document["extensionsRequired"] = ["EXT_meshopt_compression"]
    return maker, np.frombuffer(points["bytes"], "<f4").reshape((17, 3))


def test_compressed_files_load(tmp_path: Path) -> None:
    maker, points = make_file()
    (body,) = load_scene(maker.glb(tmp_path / "a.glb")).bodies
    shape: Any = body.shape
    np.testing.assert_array_equal(shape.vertices, points.astype(float))
    assert len(shape.faces) == 18


BROKEN: dict[str, tuple[Any, str]] = {
    "long": ({"byteLength": 10**6}, "compressed data that reaches behind its buffer"),
    "negative": ({"byteOffset": -1}, "compressed data that reaches behind its buffer"),
    "mode": ({"mode": "POINTS"}, "the mode 'POINTS' with a stride of 12 bytes"),
    "filter": ({"filter": "COLOR"}, "the filter 'COLOR' with a stride of 12 bytes"),
    "stride": ({"byteStride": 10}, "a stride of 10 bytes"),
    "few": ({"count": 3}, "reaches behind its buffer"),
    "many": ({"count": 10**9}, "exceeds the limit of"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_compression_is_refused_by_name(what: str, tmp_path: Path) -> None:
    maker, _ = make_file()
    change, words = BROKEN[what]
    maker.document["bufferViews"][1]["extensions"]["EXT_meshopt_compression"] |= change
    with pytest.raises(SceneError, match=words):
        load_scene(maker.glb(tmp_path / "bad.glb"), limits=Limits(mesh_bytes=10_000_000))
