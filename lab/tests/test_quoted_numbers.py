"""Numbers that pages quote of committed runs are those of the runs.

Pages under docs/experiments are held to their runs by tests of their own; these are pages that people write.
"""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path
from typing import Any

from ougi_lab.bench.ccd import format_percent
from ougi_lab.bench.measurement import Measurement, read_measurements, select
from ougi_lab.scenes.strokes import TARGET_KINDS

ROOT = Path(__file__).parents[2]


def result(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((ROOT / "lab/results" / f"{name}.json").read_text(encoding="utf-8"))
    return read


def measurements(name: str) -> list[Measurement]:
    return read_measurements(result(name))


def page(name: str) -> str:
    """A page as one line, so that a quotation may go over the end of one."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def test_what_is_left_open_of_first_contacts() -> None:
    pairs = result("verify-ccd")["pairs"].values()
    queries = sum(pair["cases"] + pair["near"] for pair in pairs)
    undecided, unproved = (sum(pair.get(key, 0) for pair in pairs) for key in ("undecided", "unproved"))
    listed = sum(len(pair.get("undecided_cases", ())) for pair in pairs)
    share = f"{undecided} of {queries // 100_000 / 10} million queries stay"
    for name in ("README.md", "docs/evidence.md", "docs/methods.md"):
        assert f"In the committed run of `ougi verify ccd`, {share} undecided" in page(name), name
    evidence = page("docs/evidence.md")
    assert f"{listed} of them are listed in `lab/results/verify-ccd.json`" in evidence
    assert f"For {unproved:,} queries the oracle has samples instead of a proof" in evidence


def test_shares_of_methods() -> None:
    ratios = result("reproduce-fan-accuracy")["numbers"]["ratios"]["exact"]
    named = {
        "`sector`": "sector",
        "`sector-balanced`": "sector-balanced",
        "`sector-enclosing`": "sector-enclosing",
        "`speculative-start-end`": "start and end",
        "`speculative-ideal`": "ideal: around the sweep",
        "`substeps`, 100 poses": "100 poses",
    }
    for row, name in named.items():
        shares = (ratios[name][key][0] for key in ("accuracy", "over", "under"))
        cells = " | ".join("0" if share == 0 else f"{share:.1f} %" for share in shares)
        assert f"| {row} | {cells} |" in page("docs/methods.md"), row


def test_costs_of_corridors() -> None:
    numbers = result("reproduce-corridor")["numbers"]
    grown = {}
    for family in ("rough", "mazes"):
        first, last = (numbers["exact"][family][k]["costs"] for k in (0, -1))
        for name in ("reach", "quadtree"):
            grown[family, name] = [last[speed][name]["ns"] / first[speed][name]["ns"] for speed in first]
    papers = page("docs/papers.md")
    rough, mazes = (
        f"{min(grown[family, 'reach']):.1f} to {max(grown[family, 'reach']):.1f} times"
        for family in ("rough", "mazes")
    )
    quad = grown["rough", "quadtree"]
    tree = f"A step of the quad-tree takes {min(quad):.0f} to {max(quad):.0f} times as long."
    assert f"segments a step takes {rough} as long, which depends on the speed. {tree}" in papers
    assert f"segments, a step takes {mazes} as long, and that of the quad-tree" in papers
    architecture = page("docs/derivations/corridor.md")
    assert f"a step costs {rough} what it costs with 200." in architecture
    assert f"a step costs {mazes} what it costs with 99." in architecture
    ahead = {
        key: [min(row["quad-tree"]["ns"], row["kd-tree"]["ns"]) / row[key]["ns"] for row in numbers["cost"]]
        for key in ("groups, as printed", "groups, repaired")
    }
    output, repaired = (f"{min(times):.1f} to {max(times):.0f} times" for times in ahead.values())
    less = f"take {output} less time than the faster tree, and the repaired ones {repaired} less"
    assert less in papers


def test_distances_of_hulls() -> None:
    found = select(measurements("bench-narrow-hulls"), "narrow/hulls")
    text = page("docs/comparison.md")
    for ours in (each for each in found if each.method == "ougi"):
        same = select(found, pair=ours["pair"], bodies=ours["bodies"])
        cells = ("" if each.missing else f"{each.value:.3g}" for each in sorted(same, key=_order))
        row = f"| {ours['pair']} | {ours['bodies']} | {' | '.join(cells)} |"
        assert " ".join(row.split()) in text
    (coal,) = (
        each
        for each in found
        if each.method == "coal"
        and each["pair"] == "Ellipsoid - Ellipsoid"
        and each["bodies"] == "overlapping"
    )
    assert f"Coal's depths of two ellipsoids are off by up to {coal['worst_gap']:.0e} m here" in text


def _order(each: Measurement) -> int:
    return ("ougi", "coal", "python-fcl", "shapely").index(each.method)


def test_first_contacts_of_hulls() -> None:
    swings = select(measurements("bench-ccd-hulls"), "ccd")
    text = page("docs/comparison.md")
    for method in ("ougi", "python-fcl", "rapier3d"):
        cells = [each for each in swings if each.method == method]
        shares = (" / ".join(format_percent(each[name]) for name in ("missed", "false")) for each in cells)
        assert f"| {method} | missed / false | {' | '.join(shares)} |" in text
        assert f"| {method} | µs | {' | '.join(f'{each.value:.3g}' for each in cells)} |" in text
    ours, theirs = (
        max(each["largest_error"] for each in swings if each.method == method and each["degrees"] in degrees)
        for method, degrees in (
            ("ougi", ("0-10", "10-90", "90-180", "180-360", "360-1080")),
            ("python-fcl", ("0-10", "10-90", "90-180")),
        )
    )
    assert f"time is {ours:.0e} of a swing, python-fcl's {theirs:.0e} where it follows" in text


def test_steps_of_worlds() -> None:
    steps = measurements("bench-world")
    (plane, plane_read, pymunk), (space, space_read, rapier) = (
        select(steps, scene=scene, n=10_000) for scene in ("plane", "space")
    )
    hulls, hulls_read = select(steps, scene="hulls")
    assert (
        f"took {plane.best:.1f} ms of CPU time in the plane, where pymunk's took {pymunk.best:.1f}, and "
        f"{space.best:.1f} ms in space, where rapier3d's took {rapier.best:.1f}."
    ) in page("docs/comparison.md")
    assert (
        f"Steps with all columns read took {plane_read.best:.1f} and {space_read.best:.1f} ms. A step of "
        f"10,000 convex hulls of 8 to 32 points took {hulls.best:.0f} ms, or {hulls_read.best:.0f} with all "
        "columns read."
    ) in page("docs/comparison.md")
    small = [f"{(each.best or 0.0) * 1e3:.0f}" for each in select(steps, n=20, method="ougi")]
    assert f"A step of 20 bodies took {small[0]} µs in the plane and {small[1]} in space." in page(
        "docs/comparison.md"
    )


def test_enclosing_sectors_of_worlds() -> None:
    text = page("docs/comparison.md")
    for each in measurements("bench-world-sectors"):
        row = f"| {each['radians']:g} rad | {each['before']:,} | {each['after']:,} | {each.ratio:.2f} |"
        assert row in text


def test_frames_of_games() -> None:
    played = [each for each in measurements("bench-games") if each.subject == "games"]
    frames = [each for each in played if each["library"] != "none"]
    kinds = [each for each in played if each["library"] == "none"]

    def mean_ms(library: str, ours: bool) -> str:
        same = [each for each in select(frames, library=library) if ("ougi" in each.method) == ours]
        return f"{statistics.mean(each['value'] for each in same) / 1e3:.2f}"

    (pygame, masks), (arcade, boxes), (pymunk, shapes) = (
        (mean_ms(library, True), mean_ms(library, False)) for library in ("pygame-ce", "arcade", "pymunk")
    )
    quoted = page("docs/tasks/sword.md")
    assert (
        f"took {pygame} ms on average in pygame (masks: {masks}), {arcade} in Arcade (hit boxes: {boxes}) "
        f"and {pymunk} in pymunk (shapes: {shapes})"
    ) in quoted
    ours = [each for each in frames if "ougi" in each.method]
    hits = sum(each["hits"] for each in select(ours, library="pymunk"))
    assert f"Of {hits:,} true hits each library finds all with ougi" in quoted
    assert all(each["found"] == each["hits"] and not each["ghosts"] for each in [*ours, *kinds])
    found, total, ghosts = (sum(each[key] for each in kinds) for key in ("found", "hits", "ghosts"))
    assert f"ougi finds {found:,} of {total:,} hits, and {ghosts} ghosts" in quoted
    for blade in {each["blade"] for each in kinds}:
        cells = [select(kinds, blade=blade, targets=target) for target in TARGET_KINDS]
        sums = [(sum(e["found"] for e in cell), sum(e["hits"] for e in cell)) for cell in cells]
        assert f"| {blade} | {' | '.join(f'{hit} of {true}' for hit, true in sums)} |" in quoted
    for each in select(measurements("bench-games"), "games/speed", projectiles=0):
        times = f"{each.best:.3f} | {each['first']:.2f} | {each['tenth']:.2f}"
        assert f"| {each['library']} | {each['targets']:,} | {times} |" in quoted
    names = {"pygame-ce": "pygame-ce", "arcade": "Arcade", "pymunk": "pymunk"}
    kinds_of_targets = {"squares": "square", "polygons": "convex"}
    lines = (ROOT / "docs/tasks/sword.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("|") and "once per frame" in line]
    assert len(rows) == 8
    for row in rows:
        library, method, targets, rate, *shares = (cell.strip() for cell in row.strip("|").split("|"))
        case = {"library": next(key for key, name in names.items() if name == library), "rate": int(rate)}
        same = select(frames, method=method, targets=kinds_of_targets[targets], **case)
        ordered = sorted(same, key=lambda each: each["speed"])
        assert shares == [f"{100 * each['found'] / each['hits']:.1f} %" for each in ordered]


def test_first_contacts_of_meshes() -> None:
    rows = select(measurements("bench-radar"), "radar", scene="figure 7")
    ms = {row.method: row.value for row in rows if row.value is not None}
    text = " ".join(page("docs/methods.md").split())
    assert f"excluded by their boxes) took {ms['exact']:.2f} ms." in text
    single, deforming = ms["exact, one mesh (no culling)"], ms["exact, deforming"]
    assert (
        f"As a single mesh they took {single:.1f} ms, with all vertices replaced {deforming:.2f} ms" in text
    )
    built, trees = ms["coal, trees built"] / 1e3, ms["coal, trees kept"]
    assert f"Coal's trees took {built:.2f} s to build and {trees:.0f} ms to advance." in text


def test_pairs_that_other_libraries_find_otherwise() -> None:
    rows = select(measurements("bench-broad"), "broad")
    known = [row for row in rows if row.wrong is not None]
    largest = {row.method: max(one.wrong or 0 for one in select(known, method=row.method)) for row in known}
    warp, others = (
        max(count for name, count in largest.items() if name.startswith("warp")),
        max(count for name, count in largest.items() if not name.startswith("warp")),
    )
    assert f"in up to {warp} pairs, those of IPC Toolkit in up to {others:,}" in page("docs/comparison.md")
    assert f"{max(row['bytes'] for row in select(rows, method='auto')):.0f}, with half a million" in page(
        "docs/derivations/broad_phases.md"
    )


def test_queries_of_meshes() -> None:
    rows = {(each["query"], each.method): each.value or 0.0 for each in measurements("bench-mesh")}
    text = page("docs/comparison.md")
    for case, label in (
        ("ray, 1000 per call", "ray, 1,000 per call"),
        ("intersects, near", "intersects, near"),
    ):
        assert f"| {label} | {rows[case, 'ougi']:.2g} |" in text
    for method in ("ougi", "coal", "python-fcl"):
        for case in ("distance, near", "distance, far"):
            assert f" {float(f'{rows[case, method]:.3g}'):,.0f} |" in text


def test_tables_of_the_papers() -> None:
    ratios = result("reproduce-fan-accuracy")["numbers"]["ratios"]["100 poses"]
    for name in ("sector", "start and end", "search: start and end, doubled"):
        shares = " / ".join(f"{ratios[name][key][0]:.2f}" for key in ("accuracy", "over", "under"))
        assert shares in page("docs/papers.md"), name
    tests = result("reproduce-sort")["numbers"]["tests"]["5000"]
    for method in ("origin", "axes"):
        assert f" | {tests[method]:,.0f} | " in page("docs/methods.md"), method


def test_costs_of_radars() -> None:
    run, papers = page("docs/experiments/radar.md"), page("docs/papers.md")
    ((low, high),) = set(re.findall(r"\| ([\d.]+) to ([\d.]+) % by OpenGL", run))
    assert f"both draws cost {low} to {float(high):.0f} % of a normal draw" in papers
    ((_, longest),) = set(re.findall(r"\| ([\d.]+) to ([\d.]+) ms \| no \|", run))
    assert f"the analysis takes at most {longest} ms" in papers


def test_grasps() -> None:
    text, runs = page("docs/experiments/grasp.md"), result("verify-grasp")["pairs"]
    for name, run in runs.items():
        counts = (run["counts"].get(key) for key in ("at target", "at own hand", "at other hand", "limit"))
        cells = " | ".join("" if count is None else f"{count:,}" for count in counts)
        label = "any, five hands" if name == "five" else name
        row = f"| {label} | {run['cases']:,} | {run['counts']['grasps']} | {cells} |"
        assert " ".join(row.split()) in text
        assert list(run["groups"]) == ["closed"]
    frames, grasps = sum(r["cases"] for r in runs.values()), sum(r["counts"]["grasps"] for r in runs.values())
    gap = max(run["largest"]["gap at a stop / size"] for run in runs.values())
    assert f"In these {frames:,} frames of {grasps} grasps" in text
    assert f"at most {gap:.2g} of the hand's size" in text
    hands = result("reproduce-radar")["numbers"]["grasp"]
    assert max(max(hands[f"five hands, {target}"]["cpu_ms"]) for target in ("box", "ball")) < 5
    too_far = max(run["published"]["deepest"] for run in hands.values())
    assert f"up to {too_far:.0f} units" in text


def test_growth_of_costs() -> None:
    (power,) = re.findall(r"time as n to the power of ([\d.]+);", page("docs/experiments/sort.md"))
    text = page("docs/derivations/broad_phases.md")
    assert f"as n^{power} from 5,000 to 100,000 in that of `ougi reproduce sort`" in text
    (broad,) = re.findall(r"exponent of auto, scene ii even: ([\d.]+) ", page("docs/comparison.md"))
    assert f"The time at constant density grows as n^{broad} from 5,000 to 5,000,000 bodies" in text
    corridors, text = result("reproduce-corridor")["numbers"]["exact"], page("docs/derivations/corridor.md")
    for family, quoted in (("rough", "with 200."), ("mazes", "with 99.")):
        first, last = corridors[family][0], corridors[family][-1]
        growth = [
            last["costs"][speed]["reach"]["ns"] / cost["reach"]["ns"]
            for speed, cost in first["costs"].items()
        ]
        assert f"a step costs {min(growth):.1f} to {max(growth):.1f} times what it costs {quoted}" in text


def test_times_of_sectors() -> None:
    spent = result("reproduce-fan-speed")["numbers"]["milliseconds"]
    plane, space = (
        ", ".join(
            f"{kind} {table[f'{kind} (published)'][1]:.2f} and {table[f'{kind} (ougi, any frame)'][1]:.2f}"
            for kind in kinds
        )
        for table, kinds in (
            (spent["3.2"], ("sector–circle", "sector–rectangle")),
            (spent["3.3"], ("sector–point", "sector–sphere", "sector–capsule")),
        )
    )
    assert f"In space they take: {space}. In the plane: {plane}." in page("docs/methods.md")


def test_times_on_a_gpu() -> None:
    run, methods = measurements("bench-cuda"), page("docs/methods.md")
    searches = select(run, "cuda/searches")
    for bodies in {each["bodies"] for each in searches}:
        if bodies >= 1_000_000:
            ms = {each.method: each.value for each in select(searches, bodies=bodies)}
            assert f"| {ms['grid']:.2g} (`grid`), {ms['tree']:.2g} (`tree`) |" in methods
            assert f"| warp's HashGrid {ms['warp HashGrid']:.2g}, its Bvh {ms['warp Bvh']:.2g}" in methods
            assert f"| {ms['CPU']:.0f} |" in methods
    for subject in ("cuda/radars", "cuda/characters"):
        on_gpu, on_cpu = ([m.value for m in select(run, subject, method=key)] for key in ("GPU", "CPU"))
        assert f"| {on_gpu[0]:.2g} and {on_gpu[1]:.2g} |" in methods
        assert f"| {on_cpu[0]:.0f} and {on_cpu[1]:.0f}" in methods


def test_swings() -> None:
    run, comparison, methods = measurements("bench-ccd"), page("docs/comparison.md"), page("docs/methods.md")
    cells = select(run, "ccd")
    known = {"Bullet's temporal AABB": "temporal AABB", "the smallest AABB of the sweep": "ideal AABB"}
    rows = re.findall(r"\| (Box–[^|]+) \| ([^|]+) \| ((?:[^|]+ \| ){4}[^|]+) \|", comparison)
    assert len(rows) == 17
    for pair, tool, shares in rows:
        method = known.get(tool, tool.strip("`"))
        named = pair.replace("–", "-").replace(", FAN's motions", " (FAN)")
        for cell, share in zip(select(cells, method=method, pair=named), shares.split(" | "), strict=True):
            if share != "-":
                assert share == " / ".join(_format_share(cell[key]) for key in ("missed", "false")), cell.case

    def list_best(method: str) -> list[float]:
        pairs = ("Box-Sphere", "Box-Box")
        return [each.best for pair in pairs for each in select(cells, method=method, pair=pair) if each.best]

    ours, single, fcl, rapier = (
        f"{min(best):.2g} to {max(best):.2g} µs"
        for best in map(list_best, ("ougi", "ougi, one by one", "python-fcl", "rapier3d"))
    )
    assert f"took {ours} in an array and {single} as a single call" in comparison
    assert f"python-fcl took {fcl} per call and rapier3d {rapier} (" in comparison
    arrays = {(each["pair"], each["form"]): each.value for each in select(run, "ccd/arrays")}
    rest, both = (
        [f"{arrays[pair, form]:.1f}" for pair in ("Box-Sphere", "Box-Box")]
        for form in ("each its own target", "both move")
    )
    assert f"took {rest[0]} µs (median), two boxes {rest[1]} µs." in methods
    assert f"both bodies move, they took {both[0]} and {both[1]} µs." in methods
    fan = select(cells, pair="Box-Sphere (FAN)", degrees="10-90")
    for row, method in (
        ("exact", "ougi"),
        ("sector", "FAN's sector"),
        ("sector-balanced", "sector-balanced"),
        ("sector-enclosing", "sector-enclosing"),
        ("speculative-start-end", "AABB of start and end"),
        ("speculative-inflated", "velocity-inflated AABB"),
        ("speculative-temporal", "temporal AABB"),
        ("speculative-ideal", "ideal AABB"),
        ("cast", "cast without the turn"),
        ("swept-sphere", "swept sphere"),
        ("discrete", "start and end alone"),
    ):
        (cell,) = select(fan, method=method)
        (cost,) = re.findall(rf"\| `{row}` \|(?: [^|]*\|){{4}} ([\d.]+) \|", methods)
        assert cell.best is not None
        assert float(cost) == float(f"{cell.best:.2g}"), row


def _format_share(share: float) -> str:
    return "0" if share == 0 else f"{100 * share:.1f}" if share < 0.1 else f"{100 * share:.0f}"


def test_edges_of_robots_on_a_gpu() -> None:
    run, methods = measurements("bench-cuda-robots"), page("docs/methods.md")
    for method, digits in (("GPU", 1), ("CPU", 2)):
        rates = []
        for query in ("is_free", "first_contact"):
            rate = select(run, edges="all", query=query, method=method)[0].value
            assert rate is not None
            rates.append(f"{rate / 1e6:.{digits}f}")
        assert f"| {' and '.join(rates)} |" in methods


def test_edges_of_robots() -> None:
    comparison = page("docs/comparison.md")
    for each in measurements("bench-robots"):
        if each.value is not None:
            assert f"{each.value:,.0f} | {each.wrong} |" in comparison, each.method
            assert each.target is None or each.target.met


def test_costs_of_detailed_files() -> None:
    plant, watch = measurements("bench-gltf")
    text = page("docs/gltf_files.md")
    numbers = f"{plant['faces']:,} faces, 501 keys, {plant['contacts']} contacts) takes {plant.value:.1f} s"
    assert f"A plant ({plant['bodies']} bodies, {numbers}" in text
    numbers = f"{watch['faces']:,} faces, {watch['contacts']} contacts) takes {watch.value:.1f} s"
    assert f"A watch ({watch['bodies']} bodies, {numbers}" in text
