"""Libraries of machine code that were built ahead of time: the same results as the JIT, and bad files."""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ougi
from ougi._native import library
from ougi._native.entry import read_signature
from ougi._native.folders import make_private
from ougi.cli import warmup

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
pytestmark = pytest.mark.skipif(
    not COMPILED or shutil.which("cc") is None, reason="needs Numba and a linker to build a library"
)
HERE = Path(__file__).parent
# A few loops of each kind: with tuples, with results, with arrays as results, with lanes.
SLICE = (
    r"intersects_(sphere_sphere|sphere_box)|impact_sphere_box|raycast_sphere"
    r"|broad\.(tree|frame|lanes|keys|workspace|choice)"
)
QUERIES = "intersects Sphere (Sphere|Box) |impact sphere_box 1|broad tree"


def run(
    *command: str, folder: Path | str, before: Callable[[], None] | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "OUGI_LIBRARY": str(folder), **environment},
        capture_output=True,
        text=True,
        timeout=900,
        preexec_fn=before,
    )


@pytest.fixture(scope="module")
def library_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of some loops for two levels of this processor."""
    folder = tmp_path_factory.mktemp("native")
    best = library.choose_level(["v2", "v3", "v4", "base"])
    levels = sorted({best, "base" if best == "base" else "v2"})
    out, objects = str(folder / "lib"), str(folder / "objects")
    options = ["--levels", *levels, "--out", out, "--objects", objects, "--only", SLICE]
    done = run("-m", "ougi.cli.native", *options, folder="off")
    assert done.returncode == 0, done.stderr
    return folder / "lib"


def query_results(folder: Path | str, pattern: str = QUERIES) -> dict[str, str]:
    done = run(str(HERE / "all_queries.py"), pattern, folder=folder)
    assert done.returncode == 0, done.stderr
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


@pytest.fixture(scope="module")
def jit_results() -> dict[str, str]:
    """What Numba's JIT computes."""
    return query_results("off")


def change_manifest(library_folder: Path, folder: Path, **changes: object) -> Path:
    shutil.copytree(library_folder, folder)
    path = folder / library.MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return folder


def test_results_are_those_of_the_jit_to_the_last_bit(
    library_folder: Path, jit_results: dict[str, str]
) -> None:
    found, wanted = query_results(library_folder), dict(jit_results)
    assert len(found) > 4
    assert (wanted.pop("loops of a library"), found.pop("loops of a library") != "") == ("", True)
    del found["numba"], wanted["numba"]
    assert found == wanted


def test_levels_of_a_processor_agree_to_the_last_bit(
    library_folder: Path, jit_results: dict[str, str], tmp_path: Path
) -> None:
    manifest = json.loads((library_folder / library.MANIFEST).read_text())
    (low,) = [level for level in manifest["libraries"] if level in ("v2", "base")]
    folder = change_manifest(library_folder, tmp_path / "low", libraries={low: manifest["libraries"][low]})
    found = query_results(folder)
    assert found["loops of a library"] != ""
    for name in found.keys() - {"numba", "loops of a library"}:
        assert found[name] == jit_results[name]


FIRST = """
import sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import ougi
    box, swing = ougi.Box([0.6, 0, 0], [0.8, 0.06, 0.06]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 3)
    print(bool(ougi.intersects(ougi.Sphere([0, 0, 0], 1), ougi.Sphere([2, 0, 0], 1))))
print("numba" in sys.modules)
print([str(each.message) for each in caught])
"""


def test_a_library_needs_no_numba_and_writes_nothing(library_folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    done = run("-c", FIRST, folder=library_folder, OUGI_CACHE_DIR=str(cache))
    assert done.stdout.splitlines() == ["True", "False", "[]"], done.stderr
    assert not cache.exists()


def test_rays_of_a_library_load_no_kernels(library_folder: Path) -> None:
    cast = "ougi.raycast([0, 0, 9], [0, 0, -1], ougi.Sphere([0, 0, 0], 1)).t"
    loaded = "[name for name in sys.modules if name == 'numba' or name.startswith('ougi.kernels.rays')]"
    done = run("-c", f"import sys, ougi; print(float({cast})); print({loaded})", folder=library_folder)
    assert done.stdout.splitlines() == ["8.0", "[]"], done.stderr


def test_without_numba_a_missing_loop_is_a_clear_error(library_folder: Path) -> None:
    program = "import sys, ougi; sys.modules['numba'] = None; ougi.distance([0, 0], ougi.Circle([3, 0], 1))"
    done = run("-c", program, folder=library_folder)
    assert done.returncode == 1
    assert 'pip install "ougi[jit]"' in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"generators": [["_native/generate.py", "0"]]}, "it was built by another version of ougi"),
        ({"platform": "plan9-mips"}, "it is for plan9-mips and not for"),
        ({"libraries": {"v9": {}}}, "this processor has none of the levels v9"),
        ({"libraries": {}}, "this processor has none of the levels"),
    ],
)
def test_a_library_for_something_else_is_named_and_replaced_by_the_jit(
    library_folder: Path, tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    done = run("-c", FIRST, folder=change_manifest(library_folder, tmp_path / "bad", **changes))
    answer, numba, caught = done.stdout.splitlines()
    assert (answer, numba) == ("True", "True")
    assert reason in caught
    assert "OUGI_LIBRARY=off" in caught


def test_a_named_folder_without_a_library_is_reported(tmp_path: Path) -> None:
    answer, numba, caught = run("-c", FIRST, folder=tmp_path / "misspelt").stdout.splitlines()
    assert (answer, numba) == ("True", "True")
    assert "misspelt is not used, because" in caught
    assert "No such file" in caught


@pytest.mark.parametrize("keep", [0, 100, 4096, -1])
def test_a_library_that_was_cut_off_does_no_harm(library_folder: Path, tmp_path: Path, keep: int) -> None:
    shutil.copytree(library_folder, tmp_path / "bad")
    for path in (tmp_path / "bad").glob("ougi-*"):
        path.write_bytes(path.read_bytes()[:keep])
    done = run("-c", FIRST, folder=tmp_path / "bad")
    assert done.returncode == 0, done.stderr
    answer, numba, caught = done.stdout.splitlines()
    assert (answer, numba) == ("True", "True")
    assert "bytes instead of" in caught


def test_a_damaged_list_of_loops_does_no_harm(library_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(library_folder, tmp_path / "bad")
    (tmp_path / "bad" / library.MANIFEST).write_text('{"platform":')
    done = run("-c", FIRST, folder=tmp_path / "bad")
    assert done.stdout.splitlines()[0] == "True"
    assert "is not used, because" in done.stdout


def give_up_rights() -> None:
    """Root may read every file, unless it gives up CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""
    drop = 24  # PR_CAPBSET_DROP
    for capability in (1, 2):
        ctypes.CDLL(None).prctl(drop, capability, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other rights")
def test_a_library_that_may_not_be_read_does_no_harm(library_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(library_folder, tmp_path / "bad")
    paths = list((tmp_path / "bad").glob("ougi-*"))
    for path in paths:
        path.chmod(0)
    done = run("-c", f"open({str(paths[0])!r})", folder="off", before=give_up_rights)
    assert "Permission denied" in done.stderr
    done = run("-c", FIRST, folder=tmp_path / "bad", before=give_up_rights)
    assert done.stdout.splitlines()[0] == "True"
    assert "is not used, because" in done.stdout


def test_a_loop_of_other_sources_is_compiled(library_folder: Path, tmp_path: Path) -> None:
    files = json.loads((library_folder / library.MANIFEST).read_text())["files"]
    changed = [[file, "0"] for file, _ in files]
    done = run("-c", FIRST, folder=change_manifest(library_folder, tmp_path / "old", files=changed))
    answer, numba, caught = done.stdout.splitlines()
    assert (answer, numba) == ("True", "True")
    assert caught.count("built from other sources") == 1


@pytest.fixture
def warmed_up(library_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The library of `ougi warmup`, in a cache folder of its own."""
    monkeypatch.setenv("OUGI_CACHE_DIR", str(tmp_path / "cache"))
    folder = library.users_folder()
    assert folder is not None
    make_private(folder.parent, folder)
    return Path(shutil.copytree(library_folder, folder, dirs_exist_ok=True, copy_function=shutil.copyfile))


def test_the_library_of_warmup_is_found_and_needs_no_numba(warmed_up: Path) -> None:
    done = run("-c", FIRST, folder="")
    assert done.stdout.splitlines() == ["True", "False", "[]"], done.stderr


@pytest.mark.parametrize("part", ["files", "generators"])
def test_edited_sources_are_compiled_instead_of_the_library_of_warmup(warmed_up: Path, part: str) -> None:
    """Without a warning, because who edits sources expects it."""
    path = warmed_up / library.MANIFEST
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, part: [[file, "0"] for file, _ in manifest[part]]}))
    done = run("-c", FIRST, folder="")
    assert done.stdout.splitlines() == ["True", "True", "[]"], done.stderr


def test_a_library_of_warmup_that_was_cut_off_says_what_to_do(warmed_up: Path) -> None:
    for path in warmed_up.glob("ougi-*"):
        path.write_bytes(path.read_bytes()[:4096])
    answer, numba, caught = run("-c", FIRST, folder="").stdout.splitlines()
    assert (answer, numba) == ("True", "True")
    assert "Run `ougi warmup` again" in caught


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_a_library_that_others_can_write_is_not_loaded(warmed_up: Path) -> None:
    warmed_up.chmod(0o777)
    answer, numba, caught = run("-c", FIRST, folder="").stdout.splitlines()
    assert (answer, numba) == ("True", "True")
    assert "other users can write it" in caught


def test_a_compiler_that_cannot_link_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert warmup._can_link()
    (tmp_path / "cc").write_text("#!/bin/sh\necho 'fatal error: math.h' >&2\nexit 1\n")
    (tmp_path / "cc").chmod(0o755)
    monkeypatch.setattr("ougi._native.build.find_linker", lambda platform: [str(tmp_path / "cc")])
    assert not warmup._can_link()


ARGUMENTS = """
import numpy as np
from ougi.query.dispatch import pair_loops
cross = pair_loops("intersects", "sphere_sphere").cross
ball = np.ones((4, 1))
out = np.zeros(1, bool)
cross(ball, ball, out, np.int64(0), np.int32(1))
print(out[0])
print(cross.__name__)
bad = [ball.tolist(), None, ball[0], ball.astype(np.float32), np.ones((4, 2))[:, ::2], ball.view(np.int64), 7]
for each in bad:
    try:
        cross(ball, each, out, 0, 1)
    except TypeError as error:
        print(str(error).partition(", got")[0])
for arguments in [(ball, ball, out, 0), (ball, ball, out, 0, "1"), (ball, ball, out, 0, 1.5)]:
    try:
        cross(*arguments)
    except TypeError as error:
        print(error)
"""


def test_wrong_arguments_of_a_loop_raise_and_do_not_crash(library_folder: Path) -> None:
    done = run("-c", ARGUMENTS, folder=library_folder)
    assert done.returncode == 0, done.stderr
    first, name, *errors = done.stdout.splitlines()
    assert (first, name) == ("True", "cross_intersects_sphere_sphere")
    assert errors[:7] == [f"argument 2 of {name} must be a C-contiguous array of its signature"] * 7
    assert errors[7] == f"{name} takes 5 arguments, got 4"
    assert len(errors) == 10


EMPTY = """
import numpy as np
from ougi.broad.keys import sort_rows
from ougi.broad.radix import DIGIT
pairs = np.empty((0, 2), np.int64)
sort_rows(pairs, np.zeros((6, 1 << DIGIT), np.uint32))
print(type(sort_rows).__name__, pairs.shape)
"""


def test_an_empty_array_is_reshaped_like_any_other(library_folder: Path) -> None:
    """NumPy gives it strides of 0."""
    done = run("-c", EMPTY, folder=library_folder)
    assert done.stdout.splitlines() == ["builtin_function_or_method (0, 2)"], done.stderr


def test_signatures_are_read_as_they_are_written() -> None:
    text = "f8:2 ( f8:2 ( i8 ) ) b1 -> ( i8 f8 )"
    assert read_signature(text) == (["f8:2", ["f8:2", ["i8"]], "b1"], [["i8", "f8"]])
    assert read_signature("i8 -> ()") == (["i8"], [[]])


ENTRY = """
import ctypes, sys
import numpy as np
from ougi._native import entry
from ougi._native.library import open_library

handle = open_library().handle
pointer, words = ctypes.POINTER(ctypes.c_int64), ctypes.c_int64

def call(results, arguments):
    seen.append(arguments[:5])
    results[0], results[1], results[2] = arguments[1] + 1, np.array([2.5]).view(np.int64)[0], 1
    return arguments[4]

seen = []
written = ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer)(call)
address = ctypes.cast(written, ctypes.c_void_p)
made = entry.bind("made", address, "f8:1 ( i8 ( f8 ) ) b1 i8 -> ( i8 ( f8 b1 ) )", handle)
array = np.ones(3)
print(made(array, (np.int64(4), (0.5,)), True, 0))
print(seen == [[id(array), 4, int(np.array([0.5]).view(np.int64)[0]), 1, 0]])
for bad, error in (((array, (4, (1,)), 1, 1), TypeError), ((array, (4, (1,)), 1, -1), RuntimeError)):
    try:
        made(*bad)
    except error as raised:
        print(raised)
before = sys.getrefcount(array)
for _ in range(1000):
    made(array, (4, (0.5,)), True, 0)
print(sys.getrefcount(array) == before)
"""


def test_words_lead_to_an_entry_point_and_back(library_folder: Path) -> None:
    """An entry point that is written in Python: it stores three words, and fails with a status."""
    done = run("-c", ENTRY, folder=library_folder)
    assert done.stdout.splitlines() == [
        "(5, (2.5, True))",
        "True",
        "argument 1 of made must be a C-contiguous array of its signature, got array([1., 1., 1.])",
        "made failed: a loop ran out of memory or raised an error",
        "True",
    ], done.stderr


def test_named_tuples_of_equal_types_keep_their_names() -> None:
    """Numba has a type of its own for them. Loops read their fields by name."""
    import numba
    import numpy as np

    from ougi._native.build import describe_type, writable
    from ougi.impact.pairing import PairIndex

    rows = np.zeros(3, np.int64)
    rows.flags.writeable = False
    kind = writable(numba.typeof(PairIndex(rows, rows, rows, rows)))
    assert kind.fields == PairIndex._fields
    assert all(part.mutable for part in kind)
    assert describe_type(kind) == "( i8:1 i8:1 i8:1 i8:1 )"


def test_the_hash_of_a_source_is_the_same_in_every_version_of_python() -> None:
    """One library serves all of them."""
    assert library.hash_content(b"ougi\n") == "5-98d3a37a"


def test_the_layout_of_arrays_is_that_of_this_numpy() -> None:
    library._require_layout()


def test_every_loop_has_one_signature_and_is_recorded() -> None:
    """The list of all loops comes from one run of all tasks as plain Python."""
    program = """
import json, sys
from ougi._native import compiler
from ougi._native.build import describe_type, writable
from ougi._native.record import record
from ougi.cli.warmup import compile_all
import numba
record(compile_all)
json.dump({
    name: sorted({" ".join(describe_type(writable(numba.typeof(x))) for x in call) for _, call in calls})
    for name, calls in compiler.recorded.items()
}, sys.stdout)
"""
    done = run("-c", program, folder="off")
    assert done.returncode == 0, done.stderr
    loops = json.loads(done.stdout)
    assert len(loops) > 200
    assert {name: found for name, found in loops.items() if len(found) > 1} == {}
    names = {name.rpartition(".")[2] for name in loops}
    package = Path(ougi.__file__).parent
    marked = {
        line.removeprefix("def ").partition("(")[0]
        for path in package.rglob("*.py")
        for mark, line in itertools.pairwise(path.read_text(encoding="utf-8").splitlines())
        if mark == "@loop"
    }
    assert marked - names == set()


def list_levels(folder: Path) -> dict[str, object]:
    """The libraries in a folder for levels that this processor has."""
    found: dict[str, object] = json.loads((folder / library.MANIFEST).read_text())["libraries"]
    best = library.choose_level(found)
    order = list(library.LEVELS[library.name_platform().split("-")[1]])
    return {level: found[level] for level in order[order.index(best) :] if level in found}


@pytest.mark.slow
def test_all_queries_of_a_whole_library_are_those_of_the_jit_on_all_levels(tmp_path: Path) -> None:
    folder = library.FOLDER
    if not (folder / library.MANIFEST).exists():
        folder = tmp_path / "lib"
        options = ["--out", str(folder), "--objects", str(tmp_path / "objects")]
        assert run("-m", "ougi.cli.native", *options, folder="off").returncode == 0
    loops = json.loads((folder / library.MANIFEST).read_text())["loops"]
    names = {name.rpartition(".")[2] for name in loops}
    found = {}
    for level, entry in list_levels(folder).items():
        part = change_manifest(folder, tmp_path / level, libraries={level: entry})
        found[level] = query_results(part, "")
        assert found[level].pop("numba") == "False"
        assert set(found[level].pop("loops of a library").split()) == names
    expected = query_results("off", "")
    for name in ("numba", "loops of a library"):
        del expected[name]
    assert found == dict.fromkeys(found, expected)
