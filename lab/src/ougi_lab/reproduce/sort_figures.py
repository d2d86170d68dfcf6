"""Figures 10 to 12 of SORT, and ours: tests, other distributions, constant density."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ougi.broad import candidate_pairs
from ougi.plot.space import Space
from ougi.shapes import Segment3d
from ougi_lab.reproduce import charts
from ougi_lab.reproduce import sort_published as published
from ougi_lab.reproduce.experiment import Figure
from ougi_lab.reproduce.sort_measure import USUAL
from ougi_lab.reproduce.sort_published import MILLISECONDS, NAMES, TESTS
from ougi_lab.reproduce.sort_results import SortResults
from ougi_lab.scenes.bouncing import EDGE, BouncingBalls

_MARK = {"mfc": "none", "mec": "#8a2be2", "mew": 1.5, "ms": 10, "ls": "none", "zorder": 5}
_PUBLISHED_MARKS = "large open marks: SORT"


def build_figures(results: SortResults) -> tuple[Figure, ...]:
    """All of them."""
    return (
        Figure("figure-9", "Figure 9: ten balls of radius 10", _draw_world),
        _build_times_figure(
            "figure-10", "Figure 10: times of the three methods", results, ("brute", "origin", "axes")
        ),
        _build_shares_figure(results),
        _build_times_figure(
            "figure-12", "Figure 12: x, y, z and the best axis", results, ("axes", "best-axis")
        ),
        _build_tests_figure(results),
        _build_distributions_figure(results),
        _build_dense_figure(results),
    )


def _draw_world(sheet: Any) -> None:
    """What SORT's program shows, with fewer and larger balls; those that touch another are red."""
    balls = BouncingBalls(10, 9, radius=10.0).balls
    panel = Space(sheet.add_subplot())
    hit = np.isin(np.arange(balls.count), candidate_pairs(balls))
    panel.draw(balls, hit=hit, label=("touches another", "free"))
    corners = EDGE / 2 * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    sides = [(a, b) for a in corners for b in corners if (a != b).sum() == 1 and a.sum() < b.sum()]
    panel.draw(Segment3d(*np.array(sides).transpose((1, 0, 2))), color="#999999")
    panel.finish()
    sheet.legend(panel.entries.values(), panel.entries, loc="outside lower center", ncols=2, frameon=False)


def _list_curve(results: SortResults) -> list[int]:
    """Every 500 balls."""
    return [n for n in results.ms if n % 500 == 0]


def _list_column(results: SortResults, method: str) -> list[float]:
    return [results.ms[n][method] for n in _list_curve(results)]


def _build_rows(results: SortResults, columns: Sequence[Sequence[float]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(zip(_list_curve(results), *columns, strict=True))


def _build_times_figure(name: str, title: str, results: SortResults, methods: Sequence[str]) -> Figure:
    columns = [_list_column(results, method) for method in methods]

    def draw(sheet: Any) -> None:
        axes = sheet.add_subplot()
        curves = {NAMES[m]: column for m, column in zip(methods, columns, strict=True)}
        charts.draw_lines(axes, _list_curve(results), curves, "n", "ms per 100 frames")
        axes.set_ylim(bottom=0)

    return Figure(name, title, draw, ("n", *methods), _build_rows(results, columns))


def _build_shares_figure(results: SortResults) -> Figure:
    methods = ("brute", "origin", "axes")
    base = _list_column(results, "brute")
    columns = [[100 * x / y for x, y in zip(_list_column(results, m), base, strict=True)] for m in methods]

    def draw(sheet: Any) -> None:
        axes = sheet.add_subplot()
        curves = {NAMES[m]: column for m, column in zip(methods, columns, strict=True)}
        charts.draw_lines(axes, _list_curve(results), curves, "n", "% of brute force's time")
        for method, marker in zip(methods[1:], "s^", strict=True):
            shown = [(n, k) for k, n in enumerate(published.N) if n in _list_curve(results)]
            share = [100 * MILLISECONDS[method][k] / MILLISECONDS["brute"][k] for _, k in shown]
            axes.plot([n for n, _ in shown], share, marker=marker, **_MARK)
        axes.set_ylim(0, 108)
        axes.set_title(_PUBLISHED_MARKS, fontsize=10)

    title = "Figure 11: times as a share of brute force's"
    return Figure("figure-11", title, draw, ("n", *methods), _build_rows(results, columns))


def _build_tests_figure(results: SortResults) -> Figure:
    sizes = list(results.tests)
    methods = ("brute", "origin", "axes", "best-axis")
    columns = [[n * (n - 1) / 2 for n in sizes] if m == "brute" else _list_means(results, m) for m in methods]

    def draw(sheet: Any) -> None:
        axes = sheet.add_subplot()
        curves = {NAMES[m]: column for m, column in zip(methods, columns, strict=True)}
        charts.draw_lines(axes, sizes, curves, "n", "tests of pairs in a frame")
        shown = [k for k, n in enumerate(published.N) if n in sizes]
        for method, marker in (("origin", "s"), ("axes", "^"), ("best-axis", "D")):
            axes.plot(
                [published.N[k] for k in shown], [TESTS[method][k] for k in shown], marker=marker, **_MARK
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title(_PUBLISHED_MARKS, fontsize=10)

    return Figure(
        "tests", "Tables 2 and 6: tests", draw, ("n", *methods), tuple(zip(sizes, *columns, strict=True))
    )


def _list_means(results: SortResults, method: str) -> list[float]:
    return [tests[method] for tests in results.tests.values()]


def _build_distributions_figure(results: SortResults) -> Figure:
    shown = ("origin", "axes", "best-axis")
    columns = {m: [tests[m] / USUAL**2 for tests in results.distributions.values()] for m in shown}

    def draw(sheet: Any) -> None:
        sheet.set_size_inches(8.6, 6.0)
        names = list(results.distributions)
        axes = sheet.add_subplot()
        height = 0.26
        for row, (method, values) in enumerate(columns.items()):
            color, hatch = (("#1f4e9c", ""), ("#e3a02b", "//"), ("#b9b9b9", ".."))[row]
            places = np.arange(len(names)) + (row - 1) * height
            style = {"color": color, "hatch": hatch, "edgecolor": "white", "label": NAMES[method]}
            axes.barh(places, values, height, **style)
            for place, value in zip(places, values, strict=True):
                axes.annotate(
                    f"{value:.3f}", (value, place), xytext=(3, -3), textcoords="offset points", fontsize=8
                )
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlim(0, 0.56)
        axes.axvline((USUAL - 1) / 2 / USUAL, color="black", ls="--", lw=1)
        axes.set_xlabel(f"tests per object / n, n = {USUAL:,} (dashed: brute force)")
        axes.spines[["top", "right"]].set_visible(False)
        sheet.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)

    rows = tuple(zip(results.distributions, *columns.values(), strict=True))
    title = f"Other distributions: tests per object, as a share of n = {USUAL:,}"
    return Figure("distributions", title, draw, ("distribution", *shown), rows)


def _build_dense_figure(results: SortResults) -> Figure:
    sizes = list(results.dense)
    counted, timed = ("origin", "x", "best-axis"), ("brute", "x", "best-axis", "auto")
    k = {m: [results.dense[n][m] / n for n in sizes] for m in counted}
    ms = {m: [results.dense_ms[n].get(m, np.nan) for n in sizes] for m in timed}

    def draw(sheet: Any) -> None:
        sheet.set_size_inches(10.4, 4.4)
        left, right = sheet.subplots(1, 2)
        for axes, curves, label, power, below in (
            (left, k, "tests per object, k", 2 / 3, 0.6 * k["x"][-1]),
            (right, ms, "ms per frame", 5 / 3, 0.4 * ms["x"][-1]),
        ):
            charts.draw_lines(axes, sizes, {NAMES.get(m, m): y for m, y in curves.items()}, "n", label)
            slope = below * (np.array(sizes) / sizes[-1]) ** power
            axes.plot(sizes, slope, color="#777777", lw=1, label=f"slope {power * 3:.0f}/3")
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.legend(frameon=False, handlelength=3.2)

    columns = ("n", *(f"k_{m}" for m in counted), *(f"ms_{m}" for m in timed))
    brute = [results.dense_ms[n].get("brute") for n in sizes]  # an empty cell where it was not timed
    rows = tuple(zip(sizes, *k.values(), brute, *(ms[m] for m in timed[1:]), strict=True))
    title = "Constant density: tests per object, and times"
    return Figure("constant-density", title, draw, columns, rows)
