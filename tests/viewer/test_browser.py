"""The viewer in a real browser: Debian's chromium, driven by playwright. Skipped where there is none.

Software rendering is slow, so there are few tests, on a small page; they read what the page says.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.cli import formats
from ougi.cli.view import view
from ougi.viewer.events import list_report_events
from ougi.viewer.page import Page
from ougi.viewer.server import start_server
from ougi.viewer.stage import Stage
from ougi_lab.galleries import corridor, fan, radar, sort

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no browser: apt install chromium")
playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")

SCENE = Path(__file__).parents[2] / "examples" / "scenes" / "bat_and_ball.toml"
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--mute-audio",
]  # fmt: skip
PATIENCE = 90_000  # milliseconds: machines are slow, and nothing here measures time


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page, and in `page.requests` the addresses that it loads."""
    made = browser.new_page(viewport={"width": 720, "height": 400})
    made.set_default_timeout(PATIENCE)
    made.requests = []
    made.on("request", lambda request: made.requests.append(request.url))
    yield made
    made.close()


def keep(page: Any, name: str) -> None:
    """Save a screenshot in the folder OUGI_SCREENSHOTS, to be inspected."""
    if folder := os.environ.get("OUGI_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        for notice in page.locator(".mantine-Notification-closeButton:visible").all():
            notice.click()
            page.wait_for_timeout(1000)
        page.screenshot(path=str(Path(folder) / f"{name}.png"), timeout=PATIENCE)


def reds(page: Any) -> int:
    """How many pixels of the scene are red, below notices and texts; amber is greener than it is blue."""
    from PIL import Image

    clip = {"x": 0, "y": 190, "width": 390, "height": 160}
    picture = Image.open(io.BytesIO(page.screenshot(clip=clip, timeout=PATIENCE)))
    r, g, b = np.asarray(picture.convert("RGB"), int).transpose(2, 0, 1)
    return int(((r > 1.5 * g) & (r > 1.5 * b) & (g - b < 40)).sum())


def until_red(page: Any) -> int:
    """Wait until something is red, more than a few pixels; drawing may lag behind the texts."""
    for _ in range(40):
        if (count := reds(page)) > 20:
            return count
        page.wait_for_timeout(250)
    return 0


def find_named(page: Any) -> str:
    """Move the pointer over the scene until the name of a body stands beside it; '' if none does."""
    page.wait_for_selector("#ougi-hover", state="attached")
    move = """async () => {
        const label = document.querySelector("#ougi-hover");
        for (let y = 60; y < 380; y += 16)
            for (let x = 20; x < 420; x += 20) {
                const at = {clientX: x, clientY: y, bubbles: true};
                document.elementFromPoint(x, y).dispatchEvent(new PointerEvent("pointermove", at));
                await new Promise(done => setTimeout(done, 60));
                if (label.style.display === "block") return label.textContent;
            }
        return "";
    }"""
    return str(page.evaluate(move))


def document(method: str = "exact") -> dict[str, Any]:
    """What `ougi check --format json` says."""
    report = ougi.check(ougi.load_scene(SCENE), method=method)
    return json.loads(formats.as_json(report, SCENE.name, 60.0))  # type: ignore[no-any-return]


def local(urls: list[str], start: str) -> bool:
    return all(url.startswith((start, "data:", "blob:")) for url in urls)


def test_the_page_of_a_scene(page: Any) -> None:
    scene = ougi.load_scene(SCENE)

    def again(method: str, fps: float) -> Any:
        return list_report_events(ougi.check(scene, method=method, fps=fps), fps)

    with start_server(0) as server:
        made = Page(server, Stage(server.scene, scene), again("exact", 60.0), again)
        try:
            url = f"http://127.0.0.1:{server.get_port()}"
            page.goto(url)
            page.wait_for_selector('#ougi-clock[data-time="0.0"]')
            times = [float(row.get_attribute("data-time")) for row in page.query_selector_all(".ougi-event")]
            contacts = [row["time"] for row in document()["contacts"]]
            assert times == contacts
            assert page.get_by_text("Share").count() == 0
            assert reds(page) == 0
            assert find_named(page) in {body.name for body in scene.bodies}
            page.get_by_role("button", name="first").click()
            page.wait_for_selector(f'#ougi-clock[data-time="{contacts[0]!r}"]')
            assert until_red(page)
            page.get_by_label("swept sectors").check(force=True)
            keep(page, "bat_and_ball")
            page.get_by_role("button", name="+1").click()
            page.wait_for_selector(f'#ougi-clock[data-time="{scene.duration!r}"]')
            thumb = page.locator(".mantine-Slider-thumb:visible").first
            thumb.focus()
            thumb.press("Home")
            page.wait_for_selector('#ougi-clock[data-time="0.0"]')
            page.locator('input[value="exact"]:visible').click()
            page.get_by_role("option", name="discrete").click()
            page.wait_for_selector('.ougi-event[data-what="missed"]')
            missed = [row for row in document("discrete")["comparison"] if row["status"] == "missed"]
            assert page.locator('.ougi-event[data-what="missed"]').count() == len(missed) == 2
            assert local(page.requests, url)
        finally:
            made.close()


def test_a_recording_plays_from_its_file_without_a_network(page: Any, tmp_path: Path) -> None:
    assert view(str(SCENE), record=tmp_path / "film.html") == 0
    page.context.set_offline(True)
    page.goto((tmp_path / "film.html").as_uri())
    times = [float(row.get_attribute("data-time")) for row in page.query_selector_all("#ougi .ougi-event")]
    assert times == [row["time"] for row in document()["contacts"]]
    page.wait_for_selector("canvas")
    assert until_red(page)  # after a while a ball has been hit
    page.locator("#ougi .ougi-event").nth(1).click()  # to the second contact, in seconds of the scene
    page.wait_for_function(
        "t => Math.abs(document.querySelector('#ougi-time').value - t) < 1e-12", arg=times[1]
    )
    film_time = float(page.input_value(".mantine-NumberInput-input"))
    length = float(page.get_attribute("#ougi-time", "data-film"))
    assert film_time == pytest.approx(times[1] / 0.016 * length, abs=0.06)
    keep(page, "recording")
    assert local(page.requests, "file://")


def test_sliders_of_the_fan_recompute_and_balls_turn_red(page: Any) -> None:
    with start_server(0) as server:
        gallery = fan.Gallery(server)
        try:
            page.goto(f"http://127.0.0.1:{server.get_port()}")
            balls = fan.draw_bodies("balls")
            expected = int(fan.find_hits(fan.build_sector(fan.Setting(), flat=False), balls).sum())
            page.wait_for_selector(f'#ougi-count[data-hits="{expected}"]')
            small = until_red(page)
            thumb = page.locator(".mantine-Slider-thumb:visible").nth(1)
            thumb.focus()
            thumb.press("End")  # the half angle, to 180 degrees
            whole = int(
                fan.find_hits(fan.build_sector(fan.Setting(half_angle=180.0), flat=False), balls).sum()
            )
            page.wait_for_selector(f'#ougi-count[data-hits="{whole}"]')
            assert whole > expected
            page.wait_for_timeout(500)
            assert reds(page) > small > 0
            keep(page, "fan")
        finally:
            gallery.close()


@pytest.mark.slow
def test_the_balls_of_sort_go_on(page: Any) -> None:
    with start_server(0) as server:
        gallery = sort.Gallery(server, number=50)
        try:
            page.goto(f"http://127.0.0.1:{server.get_port()}")
            page.wait_for_selector("#ougi-frame")
            first = int(page.get_attribute("#ougi-frame", "data-frame"))
            page.wait_for_function(
                "k => Number(document.querySelector('#ougi-frame').dataset.frame) > k", arg=first
            )
            assert page.get_attribute("tr[data-method=brute]", "data-tests") == str(50 * 49 // 2)
            keep(page, "sort")
        finally:
            gallery.close()


@pytest.mark.slow
def test_the_characters_of_the_corridor_go_on(page: Any) -> None:
    with start_server(0) as server:
        gallery = corridor.Gallery(server, number=20)
        try:
            page.goto(f"http://127.0.0.1:{server.get_port()}")
            page.wait_for_selector("#ougi-frame")
            first = int(page.get_attribute("#ougi-frame", "data-frame"))
            page.wait_for_function(
                "k => Number(document.querySelector('#ougi-frame').dataset.frame) > k", arg=first
            )
            assert page.locator("tr[data-structure]").count() == 6
            keep(page, "corridor")
        finally:
            gallery.close()


@pytest.mark.slow
def test_the_scopes_of_radar_are_images_and_a_slider_recomputes(page: Any) -> None:
    with start_server(0) as server:
        gallery = radar.Gallery(server)
        try:
            page.goto(f"http://127.0.0.1:{server.get_port()}")
            page.wait_for_selector("#ougi-radar")
            before = page.get_attribute("#ougi-radar", "data-exact")
            assert page.locator("img:visible").count() == 3
            thumb = page.locator(".mantine-Slider-thumb:visible").nth(1)
            thumb.focus()
            thumb.press("End")  # the direction, to 60 degrees: nothing is there
            page.wait_for_selector('#ougi-radar[data-exact="inf"]')
            assert before != "inf"
            keep(page, "radar")
        finally:
            gallery.close()


@pytest.mark.slow
def test_a_grasp_is_shown_to_its_end(page: Any) -> None:
    with start_server(0) as server:
        gallery = radar.Gallery(server)
        try:
            gallery._what.value, gallery._sliders["share"].value = radar.GRASP, 1.0
            page.goto(f"http://127.0.0.1:{server.get_port()}")
            page.wait_for_selector('#ougi-radar[data-touching="5"]')
            assert page.locator("img:visible").count() == 0
            page.wait_for_timeout(2000)
            assert reds(page) > 50
            keep(page, "grasp")
        finally:
            gallery.close()


def test_closing_the_page_ends_the_command(page: Any) -> None:
    code = "import sys; from ougi.cli.app import run; sys.exit(run(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "view", str(SCENE), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        url = next(found[0] for line in running.stderr if (found := re.search(r"http://127[.\d:]+", line)))
        page.goto(url)
        page.wait_for_selector("#ougi-clock")
        page.close()
        for _ in range(600):
            if running.poll() is not None:
                break
            time.sleep(0.1)
        else:
            running.kill()
        assert running.returncode == 0
