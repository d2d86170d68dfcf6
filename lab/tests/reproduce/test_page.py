"""docs/experiments: made of the committed runs, which are still what the kernels say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ougi.cli.tables import plain
from ougi.errors import InvalidInputError
from ougi.shapes import Sphere
from ougi_lab.lattice.count import count
from ougi_lab.reproduce import fan2d, fan_accuracy, fan_filter, files, page, show
from ougi_lab.reproduce.command import EXPERIMENTS
from ougi_lab.reproduce.sort_measure import Sizes, run_task
from ougi_lab.scenes.fan_motions import draw_fan_motions, draw_fan_turns

RUNS = page.committed()
TOOK = {"wall": 1.25, "cpu": 1.0}


def numbers(name: str) -> dict[str, Any]:
    found: dict[str, Any] = RUNS[name]["numbers"]
    return found


# --- the page is what the results say ---------------------------------------------------------------------


def test_every_experiment_has_a_committed_run() -> None:
    assert list(RUNS) == list(EXPERIMENTS)
    for name in RUNS:
        assert (page.ROOT / "lab" / "results" / f"reproduce-{name}.json").stat().st_size <= page.LARGEST


def test_every_experiment_is_on_a_page() -> None:
    assert [name for which in page.PAGES for name in which.experiments] == list(EXPERIMENTS)


@pytest.mark.parametrize("which", page.PAGES, ids=lambda which: which.path.stem)
def test_the_page_is_made_of_the_committed_runs(which: page.Page) -> None:
    text = (page.ROOT / which.path).read_text(encoding="utf-8")
    assert text == page.page(which, RUNS), "run `make docs`"


def test_the_pictures_are_of_the_committed_runs() -> None:
    image = pytest.importorskip("PIL.Image")
    found = {}
    for path in (page.ROOT / page.PICTURES).iterdir():
        with image.open(path) as picture:
            found[path.name] = picture.text["numbers"]
    assert found == page.pictures(RUNS), "run `make docs`"
    text = "".join(page.page(which, RUNS) for which in page.PAGES)
    assert all(f"images/{name})" in text for name in found)


def test_full_sizes_are_committed() -> None:
    assert numbers("fan-accuracy")["motions"] == 100_000
    assert (numbers("fan2d")["side"], len(numbers("fan2d")["degrees"])) == (100, 180)
    assert numbers("fan-speed")["tests"] == 100_000  # and 500 data of the thesis's 10,000, as the page says
    assert numbers("fan-speed")["data"] >= 500
    told = numbers("sort")
    assert (told["frames"], told["largest"], told["densest"]) == (100, 5_000, 100_000)
    assert told["worlds"] >= 20


def test_tables_fit_a_terminal() -> None:
    for name in RUNS:
        for table in EXPERIMENTS[name].retold(numbers(name)).tables:
            assert max(map(len, plain(show._drawable(table)).split("\n"))) <= 120, table.title


# --- the results are what the kernels say: a part of each is counted again ---------------------------------


def test_counts_of_the_first_motions_are_those_of_the_committed_run() -> None:
    first = numbers("fan-accuracy")["first motions"]
    found = count(draw_fan_motions(numbers("fan-accuracy")["seed"], range(len(first)), [0] * len(first)))
    assert found.sets.tolist() == first, "run `ougi reproduce fan-accuracy --motions 100000` and `make docs`"


def test_squares_hit_are_those_of_the_committed_run() -> None:
    told = numbers("fan2d")
    shown = np.array([1, 16, 17, 90, 133, 180])
    found = fan2d.counted(fan2d.hits(fan2d.grid(told["side"]), told["start"], shown))
    for name, counts in told["counts"].items():
        assert found[name].tolist() == [counts[k - 1] for k in shown], "run `ougi reproduce fan2d`"


def test_pairs_left_are_those_of_the_committed_run() -> None:
    told = numbers("fan-filter")
    rng = np.random.default_rng(RUNS["fan-filter"]["seed"])
    box, turn = draw_fan_turns(told["movers"], fan_filter.SPREAD, rng)
    balls = fan_filter.bodies(Sphere, told["count"], rng)
    truth = fan_filter.touching(box, turn, balls, None)
    assert int(truth.sum()) == told["touch"]["balls"], "run `ougi reproduce fan-filter`"
    for chosen, row in zip(fan_filter.FILTERS, told["rows"]["balls"], strict=True):
        index, _, _ = fan_filter.filtered(chosen, box, turn, balls, balls)
        left = truth if index is None else truth[tuple(index.T)]
        assert (left.size, int(truth.sum() - left.sum())) == (row["left"], row["lost"]), chosen.label


@pytest.mark.parametrize("n", [10, 50, 500, 1000])
def test_counts_of_the_first_world_are_those_of_the_committed_run(n: int) -> None:
    told = numbers("sort")
    sizes = Sizes(1, told["frames"], told["largest"], told["densest"])
    found = run_task(("counts", n, 0), sizes, told["seed"])["tests"]
    assert found[0].tolist() == told["first world"][str(n)], "run `ougi reproduce sort` and `make docs`"


# --- taking over a run ------------------------------------------------------------------------------------


def test_a_run_is_taken_over_without_what_follows_from_its_numbers(tmp_path: Path) -> None:
    output, results = tmp_path / "run", tmp_path / "results"
    results.mkdir()
    outcome = fan_accuracy.run(motions=20, seed=3)
    files.write(output / "fan-accuracy", replace(outcome, figures=()), {"motions": 20}, 3, TOOK)
    assert page.take_over(output, results) == ["fan-accuracy"]
    told = json.loads((results / "reproduce-fan-accuracy.json").read_text(encoding="utf-8"))
    assert tuple(told) == page.KEPT
    again = EXPERIMENTS["fan-accuracy"].retold(told["numbers"])
    assert (again.tables, again.verdicts) == (outcome.tables, outcome.verdicts)
    assert "fan-accuracy-figure-3-8.png" in page.page(page.PAGES[0], {"fan-accuracy": told})


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="holds no run"):
        page.take_over(tmp_path, tmp_path)


def test_signs_that_markdown_knows_are_escaped() -> None:
    assert page._escaped("|v| * 2") == "\\|v\\| \\* 2"
