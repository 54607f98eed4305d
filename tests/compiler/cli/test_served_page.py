"""The page of ``wfc serve`` in a real browser: a run is started, followed and answered."""

from __future__ import annotations

import http.server
import importlib.util
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.full

_FOUND = importlib.util.spec_from_file_location(
    "serving_process", Path(__file__).with_name("serving_process.py")
)
assert _FOUND is not None
assert _FOUND.loader is not None
sys.modules["serving_process"] = _process = importlib.util.module_from_spec(_FOUND)
_FOUND.loader.exec_module(_process)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HOSTILE = "<img src=x onerror=document.title='owned'>"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("page")
    (folder / "desk.yaml").write_text(_process.DESK)
    (folder / "count.yaml").write_text(_process.COUNT)
    found = _process.Serving(folder, ".", "--store", "sqlite:///runs.db")
    yield found
    found.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    driver = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    with driver.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


class Reader:
    """Somebody before a page, and what went wrong or elsewhere meanwhile."""

    def __init__(self, browser: Any, server: Any, width: int = 1000) -> None:
        self.at = f"http://127.0.0.1:{server.port}/"
        self.context = browser.new_context(viewport={"width": width, "height": 800})
        self.context.set_default_timeout(15_000)
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.page.on("console", lambda one: self.wrong.append(one.text) if one.type == "error" else None)
        self.page.on("pageerror", lambda one: self.wrong.append(str(one)))
        self.page.on("request", lambda one: self.look(one.url))

    def look(self, address: str) -> None:
        if not address.startswith(self.at):
            self.wrong.append(address)

    def close(self) -> None:
        self.context.close()
        assert self.wrong == []


@pytest.fixture
def reader(browser: Any, server: Any) -> Iterator[Reader]:
    found = Reader(browser, server)
    yield found
    found.close()


def test_a_run_is_started_answered_by_a_link_and_seen_to_end(
    reader: Reader, browser: Any, server: Any
) -> None:
    page = reader.page
    page.goto(f"{reader.at}#k={server.token}")
    page.get_by_text("There are no runs yet").wait_for()
    assert server.token not in page.url
    page.get_by_role("link", name="Workflows").click()
    page.get_by_role("link", name="desk").click()
    page.locator("figure svg").wait_for()
    page.get_by_label("What").fill(HOSTILE)
    page.get_by_role("button", name="Start").click()
    page.locator(".status.parked").wait_for()
    drawn = page.locator("figure svg")
    drawn.get_by_text("1 waits", exact=True).wait_for()
    run = page.url.rpartition("/")[2]

    page.get_by_role("link", name="Questions").first.click()
    page.get_by_role("link", name="May they have").click()
    page.get_by_text("user:eve is asked").wait_for()
    (task,) = server.call("GET", f"/v1/tasks?run={run}")[1]["tasks"]
    link = server.call("POST", f"/v1/tasks/{task['task']}/link", {"for": "user:eve"})[1]["link"]
    assert link.startswith(reader.at + "task#")
    page.goto(f"{reader.at}#/runs/{run}")
    page.locator(".status.parked").wait_for()

    eve = Reader(browser, server, width=360)
    eve.page.goto(link)
    eve.page.get_by_role("heading", name="May they have").wait_for()
    assert HOSTILE in eve.page.inner_text("h1")
    assert eve.page.evaluate("document.documentElement.scrollWidth") <= 360
    eve.page.get_by_label("Granted").check()
    eve.page.get_by_role("button", name="Answer").click()
    eve.page.get_by_role("alert").get_by_text("say why").wait_for()
    eve.page.get_by_label("Why").fill("it is four")
    eve.page.keyboard.press("Tab")
    eve.page.keyboard.press("Enter")
    eve.page.get_by_text("Your answer is recorded").wait_for()
    eve.page.reload()
    eve.page.get_by_role("alert").get_by_text("is answered").wait_for()
    assert [one for one in eve.wrong if "422" not in one and "410" not in one] == []
    eve.wrong.clear()
    eve.close()

    page.locator(".status.done").wait_for()  # without a reload
    page.get_by_text("it is four").first.wait_for()
    assert page.title() == "wfc"


def test_without_a_valid_token_nothing_is_shown(reader: Reader, server: Any) -> None:
    page = reader.page
    page.goto(reader.at)
    page.get_by_label("Your token").fill("guessed")
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("alert").get_by_text("a valid token is needed").wait_for()
    assert page.locator("table").count() == 0
    page.get_by_label("Your token").fill(server.token)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Runs").wait_for()
    assert [one for one in reader.wrong if "401" not in one] == []
    reader.wrong.clear()


TRIED = """async ([at, token]) => {
    const told = [], shown = {Authorization: `Bearer ${token}`};
    for (const headers of [{}, shown, {...shown, 'Content-Type': 'application/json'}]) {
        const options = {method: 'POST', headers, body: '{"inputs": {"what": "a"}}'};
        try { told.push((await fetch(`${at}v1/workflows/desk/runs`, options)).status); }
        catch { told.push('refused'); }
    }
    return told;
}"""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The address of a page of somebody else on this machine, which lets its scripts do anything."""
    with http.server.HTTPServer(("127.0.0.1", 0), Empty) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{other.server_port}/"
        other.shutdown()
        thread.join()


class Empty(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_page_of_another_site_can_do_nothing(
    reader: Reader, browser: Any, server: Any, elsewhere: str
) -> None:
    before = server.call("GET", "/v1/runs?most=500")[1]["runs"]
    context = browser.new_context()
    page = context.new_page()
    page.goto(elsewhere)
    tried = page.evaluate(
        TRIED,
        [reader.at, server.token],
    )
    context.close()
    assert tried == ["refused"] * 3
    assert server.call("GET", "/v1/runs?most=500")[1]["runs"] == before


def test_a_form_that_is_not_filled_says_what_is_missing_and_a_long_run_is_followed(
    reader: Reader, server: Any
) -> None:
    page = reader.page
    page.goto(f"{reader.at}#k={server.token}")
    page.get_by_role("heading", name="Runs").wait_for()
    page.goto(f"{reader.at}#/workflows/count")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("alert").get_by_text("inputs/to: field required").wait_for()
    page.get_by_label("To").fill("40")
    page.get_by_role("button", name="Start").click()
    page.locator(".status.done").wait_for()
    page.get_by_text("the end: done").wait_for()
    assert page.get_by_text("Turn", exact=True).count() >= 41
    reader.wrong[:] = [one for one in reader.wrong if "422" not in one]
