"""The page of a drawing in a browser, opened from a file: searched, opened two levels deep, led to the source."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.drawing.graph import Arrow, Box, Graph
from wfc.runtime.drawing.page import as_page

pytestmark = pytest.mark.full

TEXT = "wfc: 1\nsteps:\n  ask:\n  pay:\n</pre><script>document.title = 'owned'</script>\nevents:\n"


def flow(name: str, runs: dict[str, tuple[str, ...]], **more: Any) -> Graph:
    """Three steps in a row beside a third one, of which one leads back and one to itself; some run workflows."""
    steps = [
        Box(step, "framed", step, ("workflow",), line=3, opens=runs.get(step, ()))
        for step in ("ask", "pay", "tell")
    ]
    boxes = (Box("start", "start", f"{name}_asked"), *steps, Box("end", "end", f"{name}_done", line=6))
    arrows = (
        Arrow("start", "ask", "Asked", line=6),
        Arrow("ask", "pay", "Paid"),
        Arrow("ask", "tell", "Told"),
        Arrow("pay", "pay", "Again", "error", "on error"),
        Arrow("tell", "ask", "Back"),
        Arrow("pay", "end", "Done"),
        Arrow("tell", "end", "Done"),
    )
    return Graph(name, boxes, arrows, path=f"{name}.yaml", text=TEXT, **more)


def nested() -> Graph:
    """`outer` runs `middle` and `other`, `middle` runs `inner`, which runs `outer` again: a circle."""
    inside = {
        "middle": flow("middle", {"pay": ("inner",)}),
        "other": flow("other", {}),
        "inner": flow("inner", {"ask": ("outer", "middle")}),
    }
    return flow(
        "outer", {"ask": ("middle",), "tell": ("middle", "other"), "pay": ("unknown",)}, inside=inside
    )


@pytest.fixture
def shown(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Shows a page from a file; what goes wrong, or is asked of elsewhere, fails the test."""
    wrong: list[str] = []
    pages = []

    def show(graph: Graph, **kinds: Any) -> Any:
        (tmp_path / "page.html").write_text(as_page(graph), encoding="ascii")
        page = browser.new_page(viewport={"width": 1300, "height": 900}, **kinds)
        page.set_default_timeout(180_000)  # a machine may have much else to do
        pages.append(page)
        page.on("console", lambda one: wrong.append(one.text) if one.type == "error" else None)
        page.on("pageerror", lambda one: wrong.append(str(one)))
        page.on("request", lambda one: wrong.append(one.url) if not one.url.startswith("file:") else None)
        page.goto((tmp_path / "page.html").as_uri())
        return page

    yield show
    for page in pages:
        page.close()
    assert wrong == []


def rectangle(found: Any) -> tuple[float, float, float, float]:
    box = found.bounding_box()
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


BOXES = """() => [...document.querySelectorAll("#drawing svg g.box")].map(box => {
    const rect = box.querySelector("rect, path").getBoundingClientRect();
    const frame = box.closest(".frame")?.getBoundingClientRect();
    return [rect.left, rect.top, rect.right, rect.bottom, box.closest(".frame")?.getAttribute("data-of") ?? ""];
})"""

ENDS = """() => [...document.querySelectorAll("#drawing svg g.arrow[data-ends]")].map(arrow => {
    const path = arrow.querySelector("path"), matrix = path.getScreenCTM();
    const root = arrow.parentElement;
    const ids = arrow.getAttribute("data-ends").split(" ");
    const ends = [0, path.getTotalLength()].map(at => path.getPointAtLength(at).matrixTransform(matrix));
    return ends.map((end, number) => {
        const box = [...root.children].find(one => one.getAttribute("data-id") === ids[number]);
        const shape = box.previousElementSibling?.classList.contains("frame") ? box.previousElementSibling : box;
        const rect = shape.querySelector("rect, path").getBoundingClientRect();
        const beside = Math.max(rect.left - end.x, end.x - rect.right, rect.top - end.y, end.y - rect.bottom, 0);
        const inside = Math.min(end.x - rect.left, rect.right - end.x, end.y - rect.top, rect.bottom - end.y);
        return [beside, inside];
    });
})"""


def check_picture(page: Any) -> None:
    """No box is upon another of its picture, and each arrow ends at the outlines of its boxes, or of their frames."""
    for (*one, around), (*other, too) in itertools.combinations(page.evaluate(BOXES), 2):
        if around == too:
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            assert apart, (one, other)
    for ends in page.evaluate(ENDS):
        for beside, inside in ends:
            assert beside < 4 and inside < 4, ends


def test_called_workflows_open_in_place_as_deep_as_they_go(shown: Callable[..., Any]) -> None:
    page = shown(nested())
    assert page.locator("section.inside").first.is_hidden()
    check_picture(page)
    buttons = page.get_by_role("button", name="Open")
    assert [each.get_attribute("aria-label") for each in buttons.all()] == [
        "Open middle",
        "Open middle, other",
    ]
    small = float(page.locator("#drawing svg").get_attribute("width"))

    page.get_by_role("button", name="Open middle", exact=True).click()
    check_picture(page)
    frame = page.locator(".frame").first
    assert frame.locator("g.box").count() == 5
    assert float(page.locator("#drawing svg").get_attribute("width")) > small

    frame.get_by_role("button", name="Open inner").focus()  # by the keyboard, too
    page.keyboard.press("Enter")
    check_picture(page)
    inmost = page.locator('.frame .opened[data-name="inner"]')
    assert inmost.locator("g.box", has_text="inner_asked").count() == 1
    assert inmost.get_by_role("button").count() == 0  # both are open around it already: a circle ends there
    left, top, right, bottom = rectangle(inmost)
    outer = rectangle(page.locator(".frame > rect").first)
    assert outer[0] <= left and outer[1] <= top and right <= outer[2] and bottom <= outer[3]
    page.keyboard.press("Enter")  # what has opened it has the focus still, and closes it
    assert inmost.count() == 0
    check_picture(page)

    page.get_by_role("button", name="Open middle, other").click()
    check_picture(page)
    assert page.locator(".opened").count() == 3
    for name in ("Close middle, other", "Close middle"):
        page.get_by_role("button", name=name, exact=True).click()
    assert page.locator(".frame").count() == 0
    assert float(page.locator("#drawing svg").get_attribute("width")) == small
    check_picture(page)


def test_what_is_searched_is_found_in_what_is_closed_too(shown: Callable[..., Any]) -> None:
    page = shown(nested())
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "search":
            break
    page.keyboard.type("tell")
    assert page.get_by_role("status").inner_text().startswith("1 of ")
    page.get_by_role("searchbox").fill("inner_done")
    assert page.get_by_role("status").inner_text() == "1 of 2"  # two levels deep, below the two steps
    page.get_by_role("searchbox").fill("middle_done")
    assert page.get_by_role("status").inner_text() == "1 of 2"  # the two steps that run it
    page.get_by_role("button", name="Open middle", exact=True).click()
    assert page.get_by_role("status").inner_text() == "4 found"  # the end, its arrows, the other step
    page.get_by_role("searchbox").press("Escape")
    assert page.locator(".aside").count() == 0


def test_a_click_leads_to_the_line(shown: Callable[..., Any]) -> None:
    page = shown(nested())
    page.locator("g.box text.title").get_by_text("ask", exact=True).first.click()
    marked = page.locator(".source .marked")
    assert marked.inner_text() == "  ask:"
    assert marked.evaluate("line => line.closest('details').dataset.name") == "outer"
    assert marked.evaluate("line => line === document.activeElement")
    page.get_by_role("button", name="Open middle", exact=True).click()
    page.locator(".opened g.box", has_text="middle_done").focus()
    page.keyboard.press("Enter")
    assert (marked.count(), marked.inner_text()) == (1, "events:")
    assert marked.evaluate("line => line.closest('details').dataset.name") == "middle"
    assert page.title() == "outer"
    assert page.locator(".source script").count() == 0


def test_without_a_script_the_page_shows_everything(shown: Callable[..., Any]) -> None:
    page = shown(nested(), java_script_enabled=False)
    assert page.get_by_role("heading", name="inner").is_visible()
    assert page.locator("svg text.title", has_text="inner_done").is_visible()
    assert page.get_by_label("fit, readable").is_visible()
    assert page.get_by_role("searchbox").count() == 0
