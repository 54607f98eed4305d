"""The viewer of drawings, in a browser: a flow of a hundred steps, searched, enlarged, clicked."""

from __future__ import annotations

import itertools
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.drawing.graph import Arrow, Box, Graph
from wfc.runtime.drawing.page import COLOURS, DRAWN, as_picture

pytestmark = pytest.mark.full

STEPS = 100


def flow() -> Graph:
    """Ten branches of ten steps."""
    names = [f"step_{number}" for number in range(STEPS)]
    boxes = [
        Box("start", "start", "Asked"),
        *(Box(name, "hexagon", name, ("llm",)) for name in names),
        Box("end", "end", "Done"),
    ]
    arrows = []
    for number, name in enumerate(names):
        before = "start" if number % 10 == 0 else names[number - 1]
        arrows.append(Arrow(before, name, f"Event{number}"))
        if number % 10 == 9:
            arrows.append(Arrow(name, "end", "Done"))
    return Graph("many", tuple(boxes), tuple(arrows))


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Any:
    """A page that shows the flow, with the names of what was clicked in `window.chosen`."""
    drawing = files("wfc.runtime.drawing")
    style = COLOURS + DRAWN + drawing.joinpath("viewer.css").read_text()
    script = "\n".join(
        re.sub(r"^import .*\n", "", drawing.joinpath(name).read_text(), flags=re.MULTILINE)
        for name in ("opening.js", "viewer.js")
    ).replace('import("./opening.js");', "{ Picture };")
    (tmp_path / "index.html").write_text(
        f"<!doctype html><meta charset=utf-8><style>{style} figure {{ overflow: auto; height: 500px; margin: 0 }}"
        f"</style><div id=place></div><script type=module>{script}\n"
        "window.chosen = []; window.drawing = drawing;\n"
        "window.viewer = new Viewer(document.getElementById('place'), (name, box) => {\n"
        "  const within = viewer.within(box); chosen.push(within ? `${within}.${name}` : name); return true; });\n"
        "</script>"
    )
    page = browser.new_page(viewport={"width": 1000, "height": 600})
    page.set_default_timeout(180_000)  # a machine may have much else to do
    page.goto((tmp_path / "index.html").as_uri())
    page.evaluate("text => viewer.show(drawing(text))", as_picture(flow()))
    yield page
    page.close()


def height_of_letters(page: Any) -> float:
    return float(page.locator("svg .box text.title").first.bounding_box()["height"])


def test_a_hundred_steps_can_be_read_and_found(page: Any) -> None:
    assert page.locator("svg g.box").count() == STEPS + 2
    assert height_of_letters(page) >= 8  # fitted, but no smaller than can be read
    page.get_by_role("searchbox").fill("step_77")
    assert page.locator("svg g:not(.aside) > text.title", has_text="step_77").count() == 1
    found = page.locator("svg g.box:not(.aside)")
    assert found.count() == 1 and "step_77" in found.text_content()
    figure, box = page.locator("figure").bounding_box(), found.bounding_box()
    assert figure["x"] <= box["x"] and box["x"] + box["width"] <= figure["x"] + figure["width"]
    assert figure["y"] <= box["y"] and box["y"] + box["height"] <= figure["y"] + figure["height"]
    found.click()
    assert page.evaluate("chosen") == ["step_77"]
    page.get_by_role("searchbox").fill("Event4")
    assert page.get_by_role("status").inner_text() == "1 of 11"
    page.get_by_role("searchbox").press("Enter")
    assert page.get_by_role("status").inner_text() == "2 of 11"
    page.get_by_role("searchbox").press("Escape")
    assert page.locator("svg .aside").count() == 0


def test_larger_and_what_is_shown_stays(page: Any) -> None:
    before = height_of_letters(page)
    for _ in range(3):
        page.get_by_role("button", name="Larger").click()
    assert height_of_letters(page) > 2 * before
    page.get_by_role("searchbox").fill("step_5")
    page.evaluate("text => viewer.show(drawing(text))", as_picture(flow()))
    assert height_of_letters(page) > 2 * before
    assert page.locator("svg g.box:not(.aside)").count() == 11
    page.get_by_role("button", name="Fit").click()
    assert height_of_letters(page) == pytest.approx(before, abs=1)


def test_a_hostile_drawing_is_only_a_drawing(page: Any) -> None:
    hostile = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="100" onload="chosen.push(1)"><script>chosen.push(2)</script>'
        '<g class="box" onclick="chosen.push(3)"><a href="javascript:chosen.push(4)"><text>a</text></a>'
        '<image href="https://example.com/x.png"/><foreignObject><b>x</b></foreignObject><text>name</text></g></svg>'
    )
    page.evaluate("text => viewer.show(drawing(text))", hostile)
    page.locator("svg g.box > text").dispatch_event("click")
    assert page.evaluate("chosen") == ["name"]
    assert page.locator("svg script, svg image, svg a, svg foreignObject").count() == 0
    for text in ("", "<p/>", "<svg/>", "{}", "<svg"):
        assert page.evaluate("text => drawing(text) === null", text), text


def calling(*more: Box) -> Graph:
    """A workflow of which a step runs `called`, which runs `inner`, in which a step has the same name."""

    def one(name: str, *boxes: Box, **inside: Graph) -> Graph:
        there = (Box("start", "start", f"{name} begins"), *boxes, Box("end", "end", f"{name} ends"))
        arrows = [Arrow(before.id, after.id, "Next") for before, after in itertools.pairwise(there)]
        return Graph(name, there, tuple(arrows), inside=inside)

    inner = one("inner", Box("same", "box", "same"))
    called = one("called", Box("calls", "framed", "calls", opens=("inner",)))
    same = Box("same", "framed", "same", opens=("called",))
    return one("outer", same, *more, called=called, inner=inner)


def test_called_workflows_open_in_place_and_stay_open(page: Any) -> None:
    page.evaluate("text => viewer.show(drawing(text))", as_picture(calling()))
    assert page.locator("svg g.box").count() == 3 and page.locator("defs.inside").count() == 0
    page.get_by_role("button", name="Open called").click()
    page.get_by_role("button", name="Open inner").click()
    assert page.locator("svg g.box").count() == 9
    page.locator("[data-name=inner] g.box", has_text="same").click()
    page.locator("figure > svg > g.box", has_text="same").click(position={"x": 5, "y": 5})
    assert page.evaluate("chosen") == ["inner.same", "same"]
    assert page.evaluate("viewer.boxes().map((box) => viewer.name(box))") == [
        "outer begins",
        "same",
        "outer ends",
    ]
    # written on: another step, before the others
    page.evaluate("text => viewer.show(drawing(text))", as_picture(calling(Box("new", "box", "new"))))
    assert page.locator("svg g.box").count() == 10
    assert page.get_by_role("button", name="Close inner").count() == 1
    page.get_by_role("searchbox").fill("inner ends")
    assert page.locator("svg g.box:not(.aside)").count() == 1
    page.get_by_role("button", name="Close called").click()
    found = page.locator("svg g.box:not(.aside)")  # what would open it
    assert found.count() == 1 and "same" in found.text_content()
    # what calls nothing any more is a drawing as before
    page.evaluate("text => viewer.show(drawing(text))", as_picture(flow()))
    assert page.locator("svg g.box").count() == STEPS + 2 and page.locator(".opens").count() == 0
