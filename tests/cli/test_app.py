"""The command line: exit codes, messages, and what it does not import."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import ougi
from ougi.cli import app as cli
from ougi.cli import evidence, pairs, warmup
from ougi.cli.check import check
from ougi.cli.processes import start_processes
from ougi.query.raycast import LAYOUTS as RAY_LAYOUTS
from ougi.query.tables import TABLES, list_rows


def code_of(*arguments: str) -> int:
    return cli.run(list(arguments))


def test_version_and_help_load_neither_numba_nor_numpy() -> None:
    program = (
        "import sys; from ougi.cli.app import run; codes = run(['--version']), run(['--help']);"
        "print(codes, [m for m in ('numba', 'numpy', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"ougi {ougi.__version__}\n")
    assert done.stdout.splitlines()[-1] == "(0, 0) []"


def test_the_package_is_a_command_too() -> None:
    command = [sys.executable, "-m", "ougi", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"ougi {ougi.__version__}"


@pytest.mark.parametrize("name", [name for name in cli.app if not name.startswith("-")])
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(name, "--help") == 0
    assert f"ougi {name}" in capsys.readouterr().out


def test_help_has_the_docstring_and_all_options_in_even_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of("check", "--help") == 0
    text = capsys.readouterr().out
    summary = " ".join(inspect.getdoc(check).split("Parameters\n")[0].split())  # type: ignore[union-attr]
    assert summary in " ".join(text.split())
    own = inspect.signature(check).parameters.values()
    options = [each.name for each in own if each.kind is each.KEYWORD_ONLY and each.name != "options"]
    assert not [name for name in options if f"  --{name.replace('_', '-')}" not in text]
    lines = text.splitlines()
    assert all(line == line.rstrip() and len(line) <= 80 for line in lines)
    assert {len(line) - len(line.lstrip()) for line in lines if line} == {0, 2, 4}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nonsense"], 'Unknown command "nonsense"'),
        (["warmup", "--jobs", "0"], "jobs"),
        (["cache", "burn"], 'Invalid value "burn"'),
        (["pairs", "--format", "yaml"], 'Invalid value "yaml"'),
        (["pairs", "Box"], "pairs has no argument 'Box'; see --help"),
        (["check"], "parameter SCENE requires an argument"),
    ],
)
def test_bad_arguments_exit_with_2_and_say_why(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(*arguments) == 2
    output = capsys.readouterr()
    assert output.err.startswith("ougi: ")
    assert reason in output.err
    assert len(output.err.splitlines()) == 1
    assert output.out == ""


@pytest.mark.parametrize("command", list(cli.LAB_COMMANDS))
def test_without_the_lab_its_commands_say_how_to_install_it(command: str) -> None:
    program = (
        "import sys\n"
        "from importlib import metadata\n"
        "metadata.entry_points = lambda **group: []\n"
        "from ougi.cli.app import run\n"
        "sys.exit(run(sys.argv[1:]))"
    )
    arguments = [sys.executable, "-c", program, command, "narrow", "--cases", "3"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stdout == ""
    how = "pip install ougi-lab, or ./lab in a clone"
    assert done.stderr == f"ougi: the command {command!r} needs the distribution ougi-lab: {how}\n"


def test_without_the_extra_the_command_says_how_to_install_it() -> None:
    program = (
        "import sys; sys.modules['cyclopts'] = None\n"
        "from importlib import util; find = util.find_spec\n"
        "util.find_spec = lambda name: None if name == 'cyclopts' else find(name)\n"
        "from ougi.cli.entry import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "ougi: the command line needs the extra 'cli': pip install \"ougi[cli]\"\n"


def test_a_missing_extra_exits_with_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def needs_more(*, format: str = "table") -> int:
        raise ougi.MissingExtraError("plot", "drawing")

    monkeypatch.setattr(cli, "app", lambda arguments: needs_more())
    assert cli.run([]) == 3
    assert 'pip install "ougi[plot]"' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("coal", "ougi-lab[peers]"),
        ("fcl", "ougi-lab[peers]"),
        ("matplotlib", "ougi[plot]"),
        ("numba", "ougi[jit]"),  # also in the larger extra cuda
        ("msgspec", "ougi[scene]"),
    ],
)
def test_a_package_that_is_not_there_is_named_with_its_extra(
    module: str, extra: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def imports(arguments: list[str]) -> int:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    monkeypatch.setattr(cli, "app", imports)
    assert cli.run([]) == 3
    assert f"the module {module} needs the extra" in (output := capsys.readouterr().err)
    assert f'pip install "{extra}"' in output


def test_a_module_of_ours_that_is_not_there_is_an_internal_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def imports(arguments: list[str]) -> int:
        raise ModuleNotFoundError("No module named 'ougi.nowhere'", name="ougi.nowhere")

    monkeypatch.setattr(cli, "app", imports)
    assert cli.run([]) == 4
    assert "internal error" in capsys.readouterr().err


def test_an_internal_error_exits_with_4(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks(arguments: list[str]) -> int:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(cli, "app", breaks)
    assert cli.run([]) == 4
    assert "internal error" in capsys.readouterr().err


def test_pairs_lists_every_row_of_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of("pairs", "--format", "json") == 0
    listed = json.loads(capsys.readouterr().out)
    meshes = {row["b"]: row["questions"] for row in listed if row["a"] == "Mesh"}
    queried = {(row["a"], row["b"]) for row in listed if row["questions"] and row["a"] not in ("Mesh", "Ray")}
    assert queried == {
        (row.a.__name__, row.b.__name__) for row in list_rows("intersects") if row.a.__name__ != "Mesh"
    }
    alone = {(row["a"], row["b"]) for row in listed if not row["questions"]}
    hulls = {("Sector3d", name) for name in ("ConvexHull3d", "Cone", "Ellipsoid")}
    assert alone == hulls | {("Sector2d", "ConvexPolygon2d")}  # first contacts only
    assert [name for name, questions in meshes.items() if len(questions) == 1] == ["Sector3d"]
    assert len(meshes) == 14
    full = {(row["a"], row["b"]) for row in listed if "contacts" in row["questions"]}
    assert full == {(row.a.__name__, row.b.__name__) for row in list_rows("separation")}


def test_pairs_prints_a_symmetric_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of("pairs") == 0
    out = capsys.readouterr().out
    # One of each for questions about two shapes, one for time_of_impact.
    assert out.count("\n2-D ") + out.startswith("2-D ") == 2
    assert out.count("\n3-D ") == 2
    row = next(line for line in out.splitlines() if line.startswith("Sector3d"))
    assert row.split().count("gap") == 4
    assert row.split().count("all") == 1  # a half-space
    assert row.split().count("hit") == 7  # with a ray
    assert row.split().count("-") == 3  # a hull, a cone and an ellipsoid


def cell_of(**changes: object) -> str:
    """The cell of sphere-box if the committed evidence were this."""
    known = {
        "folders": ["kernels"],
        "definitions": " ".join(evidence.hash_definitions("kernels")),
        "pairs": {},
        **changes,
    }
    found = evidence.find_evidence(
        {"narrow": {"pairs": {}}, "sector": known}, ("narrow", "sector"), "sphere-box"
    )
    return pairs._format_cell(
        {"a": "Sphere", "b": "Box", "questions": list(pairs.QUESTIONS), "evidence": found}
    )


def test_evidence_is_about_these_sources_or_is_marked_as_old() -> None:
    counts = {"sphere-box": [1_000_000, 100_000, 0]}
    assert cell_of(pairs=counts) == "all 1.1M"
    assert cell_of(pairs=counts, definitions="of other sources") == "all 1.1M old"
    assert cell_of(pairs=counts, folders=["query"]) == "all 1.1M old"
    assert cell_of(pairs={"sphere-box": [1_000_000, 100_000, 3]}) == "all wrong"
    assert cell_of() == "all unverified"


def test_only_changes_of_code_make_evidence_old() -> None:
    source = '''from ougi.kernels.vec3 import add
ROWS = {"a": 1}
def f(x: int) -> int:
    """Double."""
    y: int = 2 * x
    return y
'''
    before = set(evidence.list_definitions(source))

    def is_current(old: str, new: str) -> bool:
        assert old in source
        return before <= set(evidence.list_definitions(source.replace(old, new)))

    assert is_current("Double.", "Twice.")
    assert is_current("x: int", "x: float")
    assert is_current("y: int =", "y =")
    assert is_current("1}", '1, "b": 2}')
    assert is_current("def f", "def g(x): return x\n\ndef f")
    assert is_current("import add", "import add, sub")
    assert not is_current("2 * x", "x * 2")
    assert not is_current('"a": 1', '"a": 2')
    assert not is_current("vec3", "vec2")
    assert not is_current("(x:", "(z:")


def test_how_a_function_is_compiled_does_not_make_evidence_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "PACKAGE", tmp_path)
    source = """from ougi._native import device
@device
def f(x): return x
def make(g):
    @device
    def h(x): return g(x)
    return h
"""

    (tmp_path / "kernel.py").write_text(source)
    before = evidence.hash_definitions.__wrapped__("kernel.py")
    for changed in (source.replace("device", "procedure"), source.replace("    @device", "    @procedure")):
        (tmp_path / "kernel.py").write_text(changed)
        assert before == evidence.hash_definitions.__wrapped__("kernel.py")
    (tmp_path / "kernel.py").write_text(source.replace("@device\ndef f", "def f"))
    assert not before <= evidence.hash_definitions.__wrapped__("kernel.py")


def test_pairs_shows_the_evidence_for_time_of_impact() -> None:
    by_name = {(row["a"], row["b"]): row for row in pairs.list_rows()}
    assert by_name["Sphere", "Box"]["time_of_impact"]["cases"] >= 1_000_000
    assert by_name["Mesh", "Mesh"]["time_of_impact"]["cases"] >= 100_000
    assert by_name["Cylinder", "Box"]["time_of_impact"]["cases"] >= 20_000  # as a sector
    assert by_name["Sector2d", "Circle"]["time_of_impact"]["cases"] >= 20_000
    assert by_name["Sector3d", "Cone"]["time_of_impact"]["cases"] >= 20_000
    assert by_name["Mesh", "Sector3d"]["time_of_impact"]["state"] == "unverified"


def test_rays_have_evidence_for_every_shape() -> None:
    rows = [row for row in pairs.list_rows() if row["a"] == "Ray"]
    assert {row["b"] for row in rows} == {cls.__name__ for cls in (*RAY_LAYOUTS, ougi.Mesh)}
    assert all(row["evidence"].get("cases", 0) >= 20_000 for row in rows if row["b"] != "Mesh")


def test_the_committed_evidence_covers_every_pair() -> None:
    """Cones, ellipsoids and the less common pairs of hulls and half-spaces have smaller runs."""
    new = {"ConvexHull3d", "ConvexPolygon2d", "HalfSpace2d", "HalfSpace3d", "Cylinder", "Cone", "Ellipsoid"}
    common = {
        *((name, "ConvexHull3d") for name in ("Capsule3d", "Triangle3d", "Box", "ConvexHull3d")),
        *((name, "ConvexPolygon2d") for name in ("Circle", "ConvexPolygon2d")),
    }
    for row in pairs.list_rows():
        is_new = bool({row["a"], row["b"]} & new) and (row["a"], row["b"]) not in common
        if row["evidence"]["state"] == "unverified" and is_new:
            continue
        if "contacts" in row["questions"]:
            assert row["evidence"]["disagreements"] == 0
            assert row["evidence"]["cases"] >= (10_000 if is_new else 1_000_000)
            assert row["evidence"]["near"] >= (1_000 if is_new else 100_000)


def test_cache_shows_and_clears_only_what_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OUGI_CACHE_DIR", str(tmp_path))
    ours, theirs = tmp_path / "0123456789abcdef", tmp_path / "photos"
    ours.mkdir()
    (ours / "loop.1.nbc").write_bytes(b"x" * 500_000)
    (ours / "loop.nbi").write_bytes(b"x")
    theirs.mkdir()
    (theirs / "cat.png").write_bytes(b"meow")
    (theirs / "their_own_loop.nbi").write_bytes(b"x")
    assert code_of("cache") == 0
    assert "2 files, 0.5 MB" in capsys.readouterr().out
    assert code_of("cache", "clear") == 0
    assert not ours.exists()
    assert len(list(theirs.iterdir())) == 2
    assert code_of("cache", "clear") == 0
    assert "0 files" in capsys.readouterr().out


def test_warming_up_without_a_writable_folder_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ougi._native.cache.cache_folder", lambda: None)
    assert code_of("warmup") == 2
    assert "OUGI_CACHE_DIR" in capsys.readouterr().err


def test_warmup_knows_every_kernel() -> None:
    tasks = warmup.list_tasks()
    for question, rows in TABLES.items():
        assert {(question, row.kernel) for row in rows} <= set(tasks)
    assert len(tasks) == len(set(tasks))


def test_compiling_is_announced_once_and_only_if_it_happens(tmp_path: Path) -> None:
    program = """
from ougi.cli.warmup import announce_compilation
announce_compilation()
import ougi
ougi.intersects(ougi.Circle([0, 0], 1), ougi.Circle([1, 0], 1))
ougi.intersects(ougi.Sphere([0, 0, 0], 1), ougi.Sphere([1, 0, 0], 1))
"""
    environment = {**os.environ, "OUGI_CACHE_DIR": str(tmp_path / "cache"), "OUGI_LIBRARY": "off"}
    errors = [
        subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        ).stderr
        for _ in range(2)
    ]
    assert errors == ["compiling kernels, once for this machine (`ougi warmup` compiles all)\n", ""]


def test_processes_end_by_ctrl_c_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    """A signal ends them by its own doing (-2); Python's handler would write a traceback."""
    from concurrent.futures.process import BrokenProcessPool

    with start_processes(1) as pool:
        end = pool.submit(signal.raise_signal, signal.SIGINT)
        with pytest.raises(BrokenProcessPool):
            end.result(timeout=60)
    assert capfd.readouterr().err == ""
