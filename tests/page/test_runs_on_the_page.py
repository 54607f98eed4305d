"""The page of ``wfc serve`` in a real browser: a run is started, followed and answered."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.full

HOSTILE = "<img src=x onerror=document.title='owned'>"


def test_a_run_is_started_answered_by_a_link_and_seen_to_end(readers: Any, server: Any) -> None:
    reader = readers()
    page = reader.page
    page.goto(f"{reader.at}#k={server.token}")
    page.get_by_text("There are no runs yet").wait_for()
    assert server.token not in page.url
    page.get_by_role("link", name="Start", exact=True).first.click()
    page.get_by_role("link", name="desk").click()
    page.locator("figure svg").wait_for()
    page.get_by_label("What").fill(HOSTILE)
    page.get_by_role("button", name="Start").click()
    page.locator(".status.parked").wait_for()
    drawn = page.locator("figure svg")
    drawn.locator(".lit.waits").wait_for()  # the picture comes after the status; of two it would complain
    drawn.get_by_text("1 waits", exact=True).wait_for()
    run = page.url.rpartition("/")[2]

    page.get_by_role("link", name="Questions: 1").click()
    page.get_by_role("link", name="May they have").click()
    page.get_by_text("user:eve is asked").wait_for()
    (task,) = server.call("GET", f"/v1/tasks?run={run}")[1]["tasks"]
    link = server.call("POST", f"/v1/tasks/{task['task']}/link", {"for": "user:eve"})[1]["link"]
    assert link.startswith(reader.at + "task#")
    page.goto(f"{reader.at}#/runs/{run}")
    page.locator(".status.parked").wait_for()

    eve = readers(width=360)
    eve.page.goto(link)
    eve.page.get_by_role("heading", name="May they have").wait_for()
    assert HOSTILE in eve.page.inner_text("h1")
    assert eve.page.evaluate("document.documentElement.scrollWidth") <= 360
    eve.page.get_by_label("Granted").check()
    eve.page.get_by_role("button", name="Answer").click()
    eve.page.locator("[aria-invalid]").wait_for()
    assert eve.page.get_by_label("Why").get_attribute("aria-invalid") == "true"
    assert eve.page.locator(".field", has=eve.page.get_by_label("Why")).inner_text().endswith("say why")
    eve.page.keyboard.type("it is four")  # it is there that the cursor stands
    eve.page.keyboard.press("Tab")
    eve.page.keyboard.press("Enter")
    eve.page.get_by_text("Your answer is recorded").wait_for()
    eve.page.reload()
    eve.page.get_by_role("alert").get_by_text("is answered").wait_for()
    eve.forgive(422, 410)

    page.locator(".status.done").first.wait_for()  # without a reload
    page.get_by_text("it is four").first.wait_for()
    assert page.title() == f"Run {run} · wfc"


def test_without_a_valid_token_nothing_is_shown(reader: Any, server: Any) -> None:
    page = reader.page
    page.goto(reader.at)
    page.get_by_label("Your token").fill("guessed")
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("alert").get_by_text("a valid token is needed").wait_for()
    assert page.locator("table").count() == 0
    page.get_by_label("Your token").fill(server.token)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Runs").wait_for()
    reader.forgive(401)


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
    reader: Any, browser: Any, server: Any, elsewhere: str
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
    reader: Any, server: Any
) -> None:
    page = reader.page
    page.goto(f"{reader.at}#k={server.token}")
    page.get_by_role("heading", name="Runs").wait_for()
    page.goto(f"{reader.at}#/workflows/count")
    page.get_by_role("button", name="Start").click()
    page.locator("[aria-invalid]").wait_for()
    assert page.locator(".field", has=page.get_by_label("To")).inner_text().endswith("field required")
    page.get_by_label("To").fill("40")
    page.get_by_role("button", name="Start").click()
    page.locator(".status.done").first.wait_for()
    page.get_by_text("the end: done").wait_for()
    assert page.get_by_text("Turn", exact=True).count() >= 41
    reader.forgive(422)
