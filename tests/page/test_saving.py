"""What is written is saved once, beside others who save it too, and is kept where it cannot be saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from held import Held
from playwright.sync_api import expect

pytestmark = pytest.mark.full

THEIRS = "# theirs\n"


@pytest.fixture
def path(server: Any) -> Any:
    """A file that is as it was before, for each test."""
    found = server.folder / "count.yaml"
    text = found.read_text()
    yield found
    found.write_text(text)


@pytest.fixture
def desk(reader: Any, path: Any) -> Any:
    """The page with the file open."""
    page = reader.open("author/count.yaml")
    page.get_by_text("No findings.").wait_for()
    return page


def write(page: Any, text: str) -> None:
    page.locator(".cm-content").click()
    page.keyboard.press("Control+Home")
    page.keyboard.insert_text(text)


@pytest.fixture
def conflict(reader: Any, desk: Any, path: Any) -> Callable[[int], None]:
    """Saves so often what somebody else has saved meanwhile."""

    def call(times: int) -> None:
        path.write_text(path.read_text() + THEIRS)
        write(desk, "# mine\n")
        held = Held(desk, "**/v1/files/*", "PUT")
        refused: list[int] = []
        desk.on("response", lambda reply: reply.request.method == "PUT" and refused.append(reply.status))
        for _ in range(times):
            desk.keyboard.press("Control+s")
        held.let_go()
        desk.locator("dialog").first.wait_for()
        for _ in range(1800):
            if len(refused) == times:
                break
            desk.wait_for_timeout(100)
        desk.wait_for_timeout(1000)  # for what the page makes of the last one
        reader.forgive(409, 412)

    return call


def test_who_takes_theirs_is_back_at_the_text_and_may_save_it(
    desk: Any, path: Any, conflict: Callable[[int], None]
) -> None:
    conflict(1)
    theirs = path.read_text()
    desk.get_by_role("button", name="Take theirs").click()
    desk.locator("dialog").wait_for(state="detached")
    expect(desk.locator(".cm-content")).to_contain_text(THEIRS.strip())
    expect(desk.locator(".cm-content")).to_be_focused()
    assert "# mine" not in desk.locator(".cm-content").inner_text()
    write(desk, "# more\n")
    desk.keyboard.press("Control+s")
    desk.get_by_text("Saved.").wait_for()
    assert path.read_text() == "# more\n" + theirs


def test_who_saves_twice_is_asked_once_about_a_conflict(
    desk: Any, path: Any, conflict: Callable[[int], None]
) -> None:
    conflict(2)
    assert desk.locator("dialog").count() == 1
    desk.get_by_role("button", name="save over it").click()
    desk.get_by_text("Saved.").wait_for()
    assert desk.locator("dialog").count() == 0
    assert path.read_text().startswith("# mine\n")
    assert THEIRS not in path.read_text()


def test_a_window_about_a_conflict_goes_with_its_screen(
    reader: Any, desk: Any, conflict: Callable[[int], None]
) -> None:
    conflict(1)
    reader.open("inbox")
    assert desk.locator("dialog").count() == 0
    reader.open("author/count.yaml")
    expect(desk.locator(".cm-content")).to_contain_text("# mine")


def test_who_comes_back_while_it_is_saved_has_no_conflict_with_oneself(
    reader: Any, desk: Any, path: Any
) -> None:
    before = path.read_text()
    held = Held(desk, "**/v1/files/*", "PUT")
    write(desk, "# A\n")
    desk.keyboard.press("Control+s")
    write(desk, "# B\n")
    expect(desk.get_by_text("not saved", exact=True)).to_be_visible()
    reader.open("inbox")
    reader.open("author/count.yaml", waits=False)
    desk.wait_for_timeout(1000)
    with desk.expect_response(lambda one: one.request.method == "PUT"):
        held.let_go()
    reader.arrive()
    expect(desk.locator(".cm-content")).to_contain_text("# B")
    write(desk, "# C\n")
    desk.reload()
    reader.arrive()
    expect(desk.locator(".cm-content")).to_contain_text("# C")
    desk.locator("#save").click()
    desk.get_by_text("Saved.").or_(desk.locator("dialog")).first.wait_for()
    assert desk.locator("dialog").count() == 0
    assert path.read_text() == "# C\n# B\n# A\n" + before


def test_where_nothing_can_be_kept_what_was_saved_is_told_as_saved(desk: Any, path: Any) -> None:
    before = path.read_text()
    desk.evaluate("""() => {
        Storage.prototype.setItem = () => {
            throw new DOMException("it is full", "QuotaExceededError");
        };
    }""")
    held = Held(desk, "**/v1/files/*", "PUT")
    write(desk, "# A\n")
    desk.get_by_text("This browser has no room to keep what is not saved.").wait_for()
    desk.keyboard.press("Control+s")
    write(desk, "# B\n")
    with desk.expect_response(lambda one: one.request.method == "PUT"):
        held.let_go()
    desk.wait_for_timeout(500)
    expect(desk.get_by_text("not saved", exact=True)).to_be_visible()
    assert path.read_text() == "# A\n" + before
    desk.keyboard.press("Control+s")
    desk.get_by_text("Saved.").wait_for()
    assert path.read_text() == "# B\n# A\n" + before


SOONER = """() => {
    window.kept = AbortSignal.timeout;
    AbortSignal.timeout = (time) => window.kept.call(AbortSignal, time / 60);
}"""
"""Makes a minute a second, for what is asked from now on."""


def test_a_button_whose_request_nobody_answers_says_so_and_can_be_pressed_again(
    reader: Any, server: Any
) -> None:
    run = server.start("payment", 60, amount=1)["run"]
    page = reader.open(f"runs/{run}")
    page.locator("#go-on").wait_for()
    hangs = Held(page, "**/resume?dry", "POST")
    page.evaluate(SOONER)
    page.locator("#go-on").click()
    page.get_by_text("The server has not answered for a minute.").wait_for()
    page.evaluate("AbortSignal.timeout = window.kept")
    assert len(hangs.held) == 1
    page.unroute("**/resume?dry")
    page.locator("#go-on").click()
    page.locator("dialog").wait_for()
