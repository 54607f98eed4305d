"""What is reached by keys, what by a link, and what by nobody."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from passing_on import pass_on

pytestmark = pytest.mark.full

FOUND = """() => {
    for (const one of document.querySelectorAll("main details")) one.open = true;
    const within = document.querySelector("dialog") || document;
    const roots = [within, ...[...within.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean)];
    const kinds = "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]";
    const all = roots.flatMap((root) => [...root.querySelectorAll(kinds)]);
    const isThere = (one) => one.checkVisibility() && !one.disabled && one.getAttribute("tabindex") !== "-1";
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    window.reached = (window.reached || new Set()).add(at);
    const name = (one) => (one.id || one.getAttribute("aria-label") || one.textContent).slice(0, 40);
    const controls = all.filter(isThere);
    return {all: controls.map(name), left: controls.filter((one) => !window.reached.has(one)).map(name)};
}"""
"""
All that somebody with a mouse may press or write in, whatever is folded unfolded, and what of it the keys have not gone
to yet, where they are now included: of what is there now, for what is shown anew meanwhile is other elements.
"""


def started(server: Any, workflow: str, **inputs: object) -> str:
    return str(server.start(workflow, 60, **inputs)["run"])


def task_of(server: Any, run: str) -> str:
    (task,) = server.call("GET", f"/v1/tasks?run={run}")[1]["tasks"]
    return str(task["task"])


def missed(page: Any) -> list[str]:
    """Return the controls that Tab does not lead to."""
    page.evaluate(FOUND)
    page.wait_for_timeout(1000)  # what was folded may ask for more
    assert len(page.evaluate(FOUND)["all"]) > 3
    return tabbed(page)


def tabbed(page: Any, each: Callable[[], None] = lambda: None) -> list[str]:
    """Press Tab until it has led to all controls, or long enough; return those that it has not led to."""
    found = page.evaluate(FOUND)
    pressed = 0
    while found["left"] and pressed < 4 * len(found["all"]) + 30:
        page.keyboard.press("Tab")
        each()
        pressed += 1
        found = page.evaluate(FOUND)
    return list(found["left"])


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


@pytest.mark.parametrize(
    ("screen", "opens"),
    [
        ("author", "#new"),
        ("author/desk.yaml", "#propose"),
        ("{failed}", "#go-on"),
        ("runs", "[id='resume-payment/pay/connection']"),
        ("runs", "header button"),
    ],
)
def test_tab_leads_to_all_in_a_window_and_not_out_of_it(
    reader: Any, server: Any, screen: str, opens: str
) -> None:
    failed = started(server, "payment", amount=1)
    page = reader.open(screen.format(failed=f"runs/{failed}"))
    page.locator(opens).focus()
    page.locator(f"{opens}:focus").wait_for()
    page.keyboard.press("Enter")
    page.locator("dialog").wait_for()

    def is_within() -> None:
        assert page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )

    assert tabbed(page, is_within) == []
    for _ in range(len(page.evaluate(FOUND)["all"]) + 3):  # once more around
        page.keyboard.press("Tab")
        is_within()
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="detached")
    page.locator(f"{opens}:focus").wait_for()  # which may just be shown anew
    reader.forgive(409)  # the folder is no repository, so that nothing can be proposed


@pytest.mark.parametrize(
    ("screen", "asked"), [("author", "**/v1/files"), ("author/desk.yaml", "**/v1/files/*")]
)
def test_a_screen_that_comes_late_takes_the_keys_from_nobody(reader: Any, screen: str, asked: str) -> None:
    page = reader.open("start")
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route(asked, hold)
    reader.open(screen, waits=False)
    page.locator("main h1").wait_for(state="detached")
    page.locator("header button").focus()
    for _ in range(1200):  # a route is met while the page is asked something
        if held:
            break
        page.wait_for_timeout(100)
    for route in held:
        route.continue_()
    reader.arrive()
    assert page.evaluate("document.activeElement.matches('header button')")


# --- links


def altered(link: str) -> str:
    return link[:-4] + ("AAAA" if not link.endswith("AAAA") else "BBBB")


def late(link: str) -> str:
    time.sleep(2.1)
    return link


def passed_on(path: str, server: Any) -> None:
    pass_on(server, path, "user:carol")


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
        (passed_on, 60, "was passed on"),
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
        assert server.call("GET", f"/v1/runs/{run}?wait=60")[1]["status"] == "cancelled"
    elif become is passed_on:
        passed_on(path, server)
    else:
        link = used(link, reader.page) if become is used else become(link)
        reader.page.goto("about:blank")
        if become is used:  # its answer is recorded, and the run takes it soon
            assert server.call("GET", f"/v1/runs/{run}?wait=60")[1]["status"] == "done"
    page = reader.page
    page.goto(link)
    page.get_by_role("alert").get_by_text(said).wait_for()
    assert "a secret wish" not in page.locator("html").inner_text() + page.title()
    assert page.locator("form, input, textarea, button").count() == 0
    closed = server.call("GET", path)[1]["closed"]
    assert (closed is None) == (become in (altered, late, passed_on))
    reader.forgive(401, 410)


def test_a_link_that_is_late_while_somebody_writes_loses_nothing(readers: Any, server: Any) -> None:
    path = f"/v1/tasks/{task_of(server, started(server, 'desk', what='a slow hand'))}"
    reader = readers(width=360)
    page = reader.page
    why = page.get_by_label("Why")
    for seconds in (4, 30, 120):  # on a busy machine it may be late before the page is there
        made = server.call("POST", f"{path}/link", {"for": "user:eve", "seconds": seconds})[1]
        page.goto("about:blank")
        page.goto(made["link"])
        why.or_(page.get_by_role("alert")).first.wait_for()
        if why.count():
            break
    why.fill("it took me long")
    sent = {"Authorization": f"Link {made['token']}"}
    while server.call("GET", "/v1/links/task", **sent)[0] == 200:
        time.sleep(0.2)
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
    if place in {
        "",
        "task",
    }:  # a page, which says what it lacks; what the browser tells of that has come then, too
        page.get_by_label("Your token").or_(page.get_by_role("alert")).wait_for()
    refused, left, controller = page.evaluate(REGISTERED, f"{reader.at}{script}")
    assert refused in {"SecurityError", "TypeError"}
    assert (left, controller) == (0, None)
    after = reader.context.new_page()
    wrong: list[str] = []
    after.on("console", lambda one: wrong.append(one.text) if one.type == "error" else None)
    after.goto(reader.at)
    after.get_by_label("Your token").wait_for()
    assert wrong == []
    page.close()
    reader.wrong.clear()  # the browser complains of what was tried, in its own time
