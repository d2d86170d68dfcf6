"""docs/experiments: made of the committed runs, which are still what the kernels say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ougi.cli.tables import format_table
from ougi.errors import InvalidInputError
from ougi.shapes import Sphere
from ougi_lab.lattice.count import count_points
from ougi_lab.reproduce import fan2d, fan_accuracy, fan_filter, files, page, render
from ougi_lab.reproduce.catalog import EXPERIMENTS
from ougi_lab.reproduce.sort_measure import SortSizes, run_task
from ougi_lab.scenes.fan_motions import draw_fan_motions, draw_fan_turns

RUNS = page.load_committed_runs()
TOOK = {"wall": 1.25, "cpu": 1.0}


def numbers(name: str) -> dict[str, Any]:
    found: dict[str, Any] = RUNS[name]["numbers"]
    return found


# --- the page is what the results say ---------------------------------------------------------------------


def test_every_experiment_has_a_committed_run() -> None:
    assert list(RUNS) == list(EXPERIMENTS)
    for name in RUNS:
        assert (page.RESULTS / f"reproduce-{name}.json").stat().st_size <= page.MAX_BYTES


def test_every_experiment_is_on_a_page() -> None:
    assert [name for names in page.PAGES.values() for name in names] == list(EXPERIMENTS)


@pytest.mark.parametrize("path", page.PAGES, ids=lambda path: path.stem)
def test_results_on_the_page_are_those_of_the_committed_runs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == page.update_page(text, page.PAGES[path], RUNS), "run `make docs`"
    assert all(f"\n## {name}\n" in text for name in page.PAGES[path])


def test_every_claim_is_judged_and_says_what_would_change_it() -> None:
    text = page.CLAIMS.read_text(encoding="utf-8")
    assert text == page.update_page(text, tuple(EXPERIMENTS), RUNS), "run `make docs`"
    outcomes = {name: page.load_outcome(name, run) for name, run in RUNS.items()}
    claims = [verdict for paper in render.PAPERS for _, verdict in render.list_claims(outcomes, paper)]
    assert len(claims) >= 80
    assert all(verdict.holds is not None and verdict.section and verdict.change for verdict in claims)
    assert len({verdict.claim for verdict in claims}) == len(claims)
    assert all(verdict.paper in ("", *render.PAPERS) for o in outcomes.values() for verdict in o.verdicts)


def test_the_pictures_are_of_the_committed_runs() -> None:
    image = pytest.importorskip("PIL.Image")
    found = {}
    for path in page.IMAGES.iterdir():
        with image.open(path) as picture:
            found[path.name] = picture.text["numbers"]
    assert found == page.list_image_digests(RUNS), "run `make docs`"
    text = "".join(path.read_text(encoding="utf-8") for path in page.PAGES)
    assert all(f"images/{name})" in text for name in found)


def test_full_sizes_are_committed() -> None:
    assert numbers("fan-accuracy")["motions"] == 100_000
    assert (numbers("fan2d")["side"], len(numbers("fan2d")["degrees"])) == (100, 180)
    assert numbers("fan-speed")["tests"] == 100_000  # and 2,000 or more of FAN's 10,000 data
    assert numbers("fan-speed")["data"] >= 500
    run = numbers("sort")
    assert (run["frames"], run["largest"], run["densest"]) == (100, 5_000, 100_000)
    assert run["worlds"] >= 20


def test_tables_fit_a_terminal() -> None:
    for name in RUNS:
        for table in page.load_outcome(name, RUNS[name]).tables:
            assert max(map(len, format_table(table._replace(notes=())).split("\n"))) <= 120, table.title


# --- the results are what the kernels say: a part of each is counted again ---------------------------------


def test_counts_of_the_first_motions_are_those_of_the_committed_run() -> None:
    first = numbers("fan-accuracy")["first motions"]
    found = count_points(
        draw_fan_motions(numbers("fan-accuracy")["seed"], range(len(first)), [0] * len(first))
    )
    assert found.sets.tolist() == first, "run `ougi reproduce fan-accuracy --motions 100000` and `make docs`"


def test_squares_hit_are_those_of_the_committed_run() -> None:
    run = numbers("fan2d")
    shown = np.array([1, 16, 17, 90, 133, 180])
    found = fan2d.count_hits(fan2d.find_hits(fan2d.build_grid(run["side"]), run["start"], shown))
    for name, counts in run["counts"].items():
        assert found[name].tolist() == [counts[k - 1] for k in shown], "run `ougi reproduce fan2d`"


def test_pairs_left_are_those_of_the_committed_run() -> None:
    run = numbers("fan-filter")
    rng = np.random.default_rng(RUNS["fan-filter"]["seed"])
    box, turn = draw_fan_turns(run["movers"], fan_filter.SPREAD, rng)
    balls = fan_filter.draw_bodies(Sphere, run["count"], rng)
    truth = fan_filter.find_touching(box, turn, balls, None)
    assert int(truth.sum()) == run["touch"]["balls"], "run `ougi reproduce fan-filter`"
    for chosen, row in zip(fan_filter.FILTERS, run["rows"]["balls"], strict=True):
        index, _, _ = fan_filter.apply_filter(chosen, box, turn, balls, balls)
        left = truth if index is None else truth[tuple(index.T)]
        assert (left.size, int(truth.sum() - left.sum())) == (row["left"], row["lost"]), chosen.label


@pytest.mark.parametrize("n", [10, 50, 500, 1000])
def test_counts_of_the_first_world_are_those_of_the_committed_run(n: int) -> None:
    run = numbers("sort")
    sizes = SortSizes(1, run["frames"], run["largest"], run["densest"])
    found = run_task(("counts", n, 0), sizes, run["seed"])["tests"]
    assert found[0].tolist() == run["first world"][str(n)], "run `ougi reproduce sort` and `make docs`"


# --- copying a run ------------------------------------------------------------------------------------


def test_a_run_is_copied_without_what_follows_from_its_numbers(tmp_path: Path) -> None:
    output, results = tmp_path / "run", tmp_path / "results"
    results.mkdir()
    outcome = fan_accuracy.run(motions=20, seed=3)
    files.write_outcome(output / "fan-accuracy", replace(outcome, figures=()), {"motions": 20}, 3, TOOK)
    assert page.copy_runs(output, results) == ["fan-accuracy"]
    run = json.loads((results / "reproduce-fan-accuracy.json").read_text(encoding="utf-8"))
    assert tuple(run) == page.COMMITTED_KEYS
    again = page.load_outcome("fan-accuracy", run)
    assert (again.tables, again.verdicts) == (outcome.tables, outcome.verdicts)
    empty = "<!-- made by `make docs`: sections -->\n\n<!-- end -->\n"
    text = page.update_page(empty, ("fan-accuracy", "fan2d"), {"fan-accuracy": run})
    assert "(images/fan-accuracy-figure-3-8.png)" in text


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="holds no run"):
        page.copy_runs(tmp_path, tmp_path)
