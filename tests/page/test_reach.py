"""What is reached by keys, what by a link, and what by nobody."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import TimeoutError as NotShown

pytestmark = pytest.mark.full

FOUND = """() => {
    for (const one of document.querySelectorAll("main details")) one.open = true;
    const within = document.querySelector("dialog") || document;
    const roots = [within, ...[...within.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean)];
    const kinds = "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]";
    const all = roots.flatMap((root) => [...root.querySelectorAll(kinds)]);
    const isThere = (one) => one.checkVisibility() && !one.disabled && one.getAttribute("tabindex") !== "-1";
    const controls = all.filter(isThere);
    window.controls = controls;
    window.reached = new Set();
    return controls.map((one) => (one.id || one.getAttribute("aria-label") || one.textContent).slice(0, 40));
}"""
"""All that somebody with a mouse may press or write in, whatever is folded unfolded; it is known to what follows."""

REACHED = """() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    window.reached.add(at);
    return window.controls.map((one, number) => (window.reached.has(one) ? -1 : number)).filter((one) => one >= 0);
}"""
"""Notes where the keys go, and gives the numbers of the controls that they have not gone to yet."""


def started(server: Any, workflow: str, **inputs: object) -> str:
    return str(server.start(workflow, 60, **inputs)["run"])


def task_of(server: Any, run: str) -> str:
    (task,) = server.call("GET", f"/v1/tasks?run={run}")[1]["tasks"]
    return str(task["task"])


def missed(page: Any) -> list[str]:
    """Return the controls that Tab does not lead to."""
    page.evaluate(FOUND)
    page.wait_for_timeout(1000)  # what was folded may ask for more, and be shown anew
    found = page.evaluate(FOUND)
    assert len(found) > 3
    left = list(range(len(found)))
    for _ in range(3 * len(found) + 30):
        if not left:
            break
        page.keyboard.press("Tab")
        left = page.evaluate(REACHED)
    return [found[number] for number in left]


@pytest.mark.parametrize(
    "screen",
    [
        "runs",
        "inbox?view=open",
        "start",
        "start/desk",
        "author",
        "author/desk.yaml",
        "{run}",
        "{failed}",
        "{task}",
    ],
)
@pytest.mark.parametrize("width", [1200, 320])
def test_tab_leads_to_all_that_can_be_pressed(readers: Any, server: Any, screen: str, width: int) -> None:
    failed = started(server, "payment", amount=1)
    run = started(server, "desk", what="a way by keys")
    task = task_of(server, run)
    server.call("POST", f"/v1/tasks/{task}/delegate", {"to": server.call("GET", "/v1/me")[1]["name"]})
    address = screen.format(
        run=f"runs/{run}", failed=f"runs/{failed}", task=f"inbox/{task.replace('/', '%2F')}"
    )
    page = readers(width).open(address)
    page.locator("main h1").wait_for()
    if screen == "author/desk.yaml":
        page.get_by_text("No findings.").wait_for()
        page.locator("g.box.leads").first.wait_for()
    assert missed(page) == []


def press(page: Any, what: str) -> None:
    """Press what opens a window by a key, again if the screen came only then: one is at its beginning with it."""
    for _ in range(10):
        page.locator(what).focus()
        page.keyboard.press("Enter")
        try:
            page.locator("dialog").wait_for(timeout=6000)
        except NotShown:
            continue
        return
    pytest.fail(f"{what} opens no window")


@pytest.mark.parametrize(
    ("screen", "opens"),
    [
        ("author", "#new"),
        ("author/desk.yaml", "#propose"),
        ("{failed}", "#go-on"),
        ("runs", "#resume-0"),
        ("runs", "header button"),
    ],
)
def test_tab_leads_to_all_in_a_window_and_not_out_of_it(
    reader: Any, server: Any, screen: str, opens: str
) -> None:
    failed = started(server, "payment", amount=1)
    page = reader.open(screen.format(failed=f"runs/{failed}"))
    press(page, opens)
    page.wait_for_timeout(300)
    names = page.evaluate(FOUND)
    for _ in range(2 * len(names) + 6):
        page.keyboard.press("Tab")
        left = page.evaluate(REACHED)
        assert page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )
    assert [names[number] for number in left] == []
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    assert page.locator(opens).evaluate("one => one === document.activeElement")
    reader.forgive(409)  # the folder is no repository, so that nothing can be proposed


def test_a_screen_that_comes_late_takes_the_keys_from_nobody(reader: Any) -> None:
    page = reader.open("author")
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/v1/files", hold)
    page.goto(page.url.replace("author", "start"))
    page.locator("main h1", has_text="Start").wait_for()
    page.goto(page.url.replace("start", "author"))
    page.locator("main h1").wait_for(state="detached")
    page.locator("header button").focus()
    for _ in range(100):  # a route is met while the page is asked something
        if held:
            break
        page.wait_for_timeout(100)
    for route in held:
        route.continue_()
    page.locator("main #new").wait_for()
    page.wait_for_timeout(300)
    assert page.locator("header button").evaluate("one => one === document.activeElement")


# --- links


def altered(link: str) -> str:
    return link[:-4] + ("AAAA" if not link.endswith("AAAA") else "BBBB")


def late(link: str) -> str:
    time.sleep(2.1)
    return link


def used(link: str, page: Any) -> str:
    page.goto(link)
    page.get_by_label("Why").fill("why not")
    page.get_by_role("button", name="Answer").click()
    page.get_by_text("Your answer is recorded").wait_for()
    return link


@pytest.mark.parametrize(
    ("become", "seconds", "said"),
    [
        (altered, 60, "not valid"),
        (late, 1, "not valid"),
        (used, 60, "is answered"),
        (None, 60, "is answered"),
    ],
)
def test_a_link_that_is_none_any_more_shows_nothing_of_its_question(
    readers: Any, server: Any, become: Callable[..., str] | None, seconds: int, said: str
) -> None:
    run = started(server, "desk", what="a secret wish")
    path = f"/v1/tasks/{task_of(server, run)}"
    link = server.call("POST", f"{path}/link", {"for": "user:eve", "seconds": seconds})[1]["link"]
    reader = readers(width=360)
    if become is None:
        assert server.call("POST", f"/v1/runs/{run}/cancel", {})[0] in {200, 202}  # nobody is asked any more
        assert server.call("GET", f"/v1/runs/{run}?wait=20")[1]["status"] == "cancelled"
    else:
        link = used(link, reader.page) if become is used else become(link)
        reader.page.goto("about:blank")
    page = reader.page
    page.goto(link)
    page.get_by_role("alert").get_by_text(said).wait_for()
    assert "a secret wish" not in page.locator("html").inner_text() + page.title()
    assert page.locator("form, input, textarea, button").count() == 0
    closed = server.call("GET", path)[1]["closed"]
    assert (closed is None) == (become in (altered, late))
    reader.forgive(401, 410)


def test_a_link_that_is_late_while_somebody_writes_loses_nothing(readers: Any, server: Any) -> None:
    path = f"/v1/tasks/{task_of(server, started(server, 'desk', what='a slow hand'))}"
    link = server.call("POST", f"{path}/link", {"for": "user:eve", "seconds": 3})[1]["link"]
    reader = readers(width=360)
    page = reader.page
    page.goto(link)
    page.get_by_label("Why").fill("it took me long")
    time.sleep(4)
    page.get_by_role("button", name="Answer").click()
    page.get_by_role("alert").get_by_text("not valid").wait_for()
    assert page.get_by_label("Why").input_value() == "it took me long"
    assert server.call("GET", path)[1]["closed"] is None
    reader.forgive(401)


# --- what stays behind


REGISTERED = """async (script) => {
    const refused = await navigator.serviceWorker.register(script).then(() => "", (error) => error.name);
    const left = await navigator.serviceWorker.getRegistrations();
    return [refused, left.length, navigator.serviceWorker.controller];
}"""


@pytest.mark.parametrize("place", ["", "task", "v1/openapi.json", "page/icon.svg"])
@pytest.mark.parametrize("script", ["page/app.js", "page/viewer.js", "v1/openapi.json", ""])
def test_nothing_of_the_server_becomes_a_service_worker(
    readers: Any, server: Any, place: str, script: str
) -> None:
    reader = readers()
    page = reader.page
    page.goto(f"{reader.at}{place}")
    refused, left, controller = page.evaluate(REGISTERED, f"{reader.at}{script}")
    assert refused in {"SecurityError", "TypeError"}
    assert (left, controller) == (0, None)
    reader.wrong.clear()  # the browser complains of what was tried
    page.goto(reader.at)
    page.get_by_label("Your token").wait_for()
    assert reader.wrong == []
