"""The pages for people without tokens, and talks: what is said comes as it is said, once, and is there again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect
from talking import HELPER, OPENED, Sayings, model_server

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def sayings() -> Iterator[Sayings]:
    with model_server() as found:
        yield found


@pytest.fixture(scope="module")
def server(served: Any, sayings: Sayings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("talks")
    (folder / "helper.yaml").write_text(HELPER.format(address=sayings.address))
    (folder / "who.toml").write_text(OPENED)
    yield from served(folder, "--tokens", "who.toml")


def begun(page: Any, server: Any, name: str, text: str) -> None:
    page.goto(f"http://127.0.0.1:{server.port}/chat#/helper")
    page.get_by_label("Who").fill(name)
    page.get_by_label("Text").fill(text)
    page.get_by_role("button", name="Begin to talk").click()


def test_a_stranger_talks_and_sees_the_answer_come(readers: Any, server: Any, sayings: Sayings) -> None:
    reader = readers(width=360)
    page = reader.page
    sayings.goes_on.clear()
    begun(page, server, "ada", "is it open?")
    page.get_by_role("heading", name="Ask us").wait_for()
    page.locator(".said.person", has_text="is it open?").wait_for()
    page.locator(".coming", has_text="yes,").wait_for()
    assert page.locator(".said.workflow:not(.coming)").count() == 0  # nothing of it is recorded yet
    sayings.goes_on.set()
    page.locator("li.said.workflow", has_text="yes, is it open?").wait_for()
    page.locator(".coming").wait_for(state="hidden")

    page.get_by_label("Your message").fill("<b>and tomorrow?</b>")
    page.keyboard.press("Enter")
    page.locator("li.said.workflow:not(.coming)", has_text="yes, <b>and tomorrow?</b>").wait_for()
    page.locator(".coming").wait_for(state="hidden")
    expect(page.locator("li.said")).to_have_count(4)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360

    page.reload()  # the address holds a link of one's own
    page.locator("li.said").nth(3).wait_for()
    page.get_by_label("Your message").fill("bye")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("This talk is over.").wait_for()
    assert page.locator("#say").count() == 0


def test_a_talk_goes_on_when_the_connection_comes_back(readers: Any, server: Any) -> None:
    reader = readers()
    page = reader.page
    begun(page, server, "bea", "one")
    page.locator("li.said.workflow", has_text="yes, one").wait_for()
    reader.context.set_offline(True)
    page.get_by_label("Your message").fill("two")
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_text("cannot be reached").wait_for()
    reader.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    page.locator("li.said.workflow:not(.coming)", has_text="yes, two").wait_for()
    page.locator(".coming").wait_for(state="hidden")
    expect(page.locator("li.said")).to_have_count(4)
    reader.forgiven.append("net::ERR")  # the browser tells each failure


def test_a_link_is_good_for_so_many_messages_an_hour(readers: Any, server: Any) -> None:
    reader = readers()
    page = reader.page
    made = server.call("POST", "/v1/chats/helper/link", {"for": "user:eve"})[1]["link"]
    page.goto(made)
    page.get_by_label("Who").fill("eve")
    page.get_by_label("Text").fill("a")
    page.get_by_role("button", name="Begin to talk").click()
    for number in range(5):
        page.locator("li.said.workflow").nth(number).wait_for()
        page.get_by_label("Your message").fill(f"m{number}")
        page.keyboard.press("Enter")
    page.locator("li.said.workflow").nth(5).wait_for()
    page.get_by_label("Your message").fill("too much")
    page.keyboard.press("Enter")
    page.get_by_role("alert").get_by_text("too much was said by this link").wait_for()
    reader.forgive(429)


def test_who_has_a_token_talks_and_makes_links(reader: Any, server: Any) -> None:
    page = reader.open("start")
    page.get_by_role("heading", name="Talks").wait_for()
    page.get_by_role("link", name="Ask us").click()
    page.get_by_label("Who").fill("me")
    page.get_by_label("Text").fill("hello")
    page.get_by_role("button", name="Begin to talk").click()
    page.locator("li.said.workflow", has_text="yes, hello").wait_for()
    talk = page.url
    assert page.locator("nav a[aria-current]").inner_text() == "Start"
    reader.open("start")
    page.get_by_role("table", name="Forms for others").get_by_role("button").last.click()
    page.locator("dialog").get_by_label("For").fill("user:eve")
    page.locator("dialog").get_by_role("button", name="Make a link").click()
    link = page.get_by_label("The link").input_value()
    assert "/form#" in link
    page.keyboard.press("Escape")
    page.goto(talk)
    page.locator("li.said").nth(1).wait_for()
    page.goto(link)
    page.get_by_text("user:eve").wait_for()
    page.get_by_label("What").fill("a chair")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("It was received. Thank you.").wait_for()
    page.reload()
    page.get_by_role("alert").get_by_text("was filled in by this link").wait_for()
    reader.forgive(410)


def test_a_stranger_fills_in_a_form(readers: Any, server: Any) -> None:
    reader = readers(locale="zh-CN")
    page = reader.page
    page.goto(f"http://127.0.0.1:{server.port}/form#/wishes")
    page.get_by_role("heading", name="What do you wish for?").wait_for()
    for number in range(2):
        page.get_by_label("What").fill(f"wish {number}")
        page.get_by_role("button", name="发送").click()
        page.get_by_text("已收到").wait_for()
        page.get_by_role("button", name="再填一份").click()
    for run in server.call("GET", "/v1/runs?workflow=desk")[1]["runs"]:
        server.call("GET", f"/v1/runs/{run['run']}?wait=60")  # until it asks
    titles = [one["title"] for one in server.call("GET", "/v1/tasks")[1]["tasks"]]
    assert {"May they have wish 0?", "May they have wish 1?"} <= set(titles)
    page.goto(f"http://127.0.0.1:{server.port}/form#/invited")
    page.get_by_role("alert").get_by_text("there is no form").wait_for()
    reader.forgive(404)


RULES = json.dumps({"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]})


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
def test_the_pages_are_accessible(readers: Any, server: Any, axe: str, scheme: str, locale: str) -> None:
    reader = readers(320, color_scheme=scheme, locale=locale)
    page = reader.page
    at = f"http://127.0.0.1:{server.port}"
    run = server.call(
        "POST", "/v1/chats/helper", {"inputs": {"who": f"{scheme}-{locale}", "text": "long " * 60}}
    )[1]["chat"]
    made = server.call("POST", "/v1/chats/helper/link", {"for": "user:eve"})[1]["link"]
    for where in (f"talk/{run}", f"{at}/form#/wishes", f"{at}/form#/none", made, f"{at}/chat#/helper"):
        if where.startswith("http"):
            page.goto("about:blank")
            page.goto(where)
        else:
            reader.open(where)
            page.locator("li.said.workflow").wait_for()
        page.locator("main h1").wait_for()
        page.wait_for_function("document.title !== ''")
        page.evaluate(axe)
        found = page.evaluate(f"axe.run(document, {RULES})")
        told = [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found["violations"]]
        assert told == [], where
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, where
    reader.forgive(404)
