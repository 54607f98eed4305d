"""The view beside the text, in a browser: what it is told it draws, and what is clicked it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.drawing.graph import Arrow, Box, Graph
from wfc.runtime.drawing.page import as_picture

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[3]
FILES = (
    *(ROOT / "runtime/drawing" / name for name in ("opening.js", "viewer.js")),
    ROOT / "editors/vscode/media/editor.js",
)
STYLE = ROOT / "editors/vscode/media/editor.css"


def flow(**more: Any) -> Graph:
    boxes = (Box("a", "start", "Asked", line=3), Box("b", "framed", "ask", line=7, opens=("inner", "lost")))
    return Graph("outer", boxes, (Arrow("a", "b", "Asked", line=3),), **more)


def test_what_is_clicked_is_said_with_its_workflow(browser: Any, tmp_path: Path) -> None:
    script = "\n".join(re.sub(r"^import .*\n", "", file.read_text(), flags=re.MULTILINE) for file in FILES)
    script = script.replace('import("./opening.js");', "{ Picture };")
    given = "window.said = []; window.acquireVsCodeApi = () => ({ postMessage: (one) => said.push(one) });"
    (tmp_path / "index.html").write_text(
        f"<!doctype html><meta charset=utf-8><style>{STYLE.read_text()}</style><div id=viewer></div>"
        "<p class=nothing>There is nothing to draw yet</p>"
        f"<script>{given}</script><script type=module>{script}</script>"
    )
    inner = Graph("inner", (Box("c", "box", "ask", line=2), Box("d", "box", "bare")), ())
    lost = Graph("lost", (Box("e", "box", "away", line=5),), ())
    told = {
        "svg": as_picture(flow(inside={"inner": inner, "lost": lost})),
        "files": {"outer": "file:///a", "inner": "file:///b"},
    }
    page = browser.new_page(viewport={"width": 1000, "height": 600})
    page.set_default_timeout(180_000)  # a machine may have much else to do
    page.goto((tmp_path / "index.html").as_uri())
    page.evaluate("window.postMessage({ broken: true }, '*')")
    page.get_by_text("nothing to draw yet").wait_for()
    page.evaluate("told => window.postMessage(told, '*')", told)
    page.get_by_text("nothing to draw yet").wait_for(state="hidden")
    page.get_by_role("button", name="Open inner, lost").click()
    for place in (
        "figure > svg > g.box.framed",
        "[data-name=inner] g.box:has-text('ask')",
        "[data-name=inner] g.box:has-text('bare')",
        "[data-name=lost] g.box",
    ):
        page.locator(place).click(position={"x": 5, "y": 10})
    assert page.evaluate("said") == [
        {"ready": True},
        {"line": 6, "workflow": ""},
        {"line": 1, "workflow": "inner"},
    ]
    page.evaluate("window.postMessage({ broken: true }, '*')")
    page.wait_for_selector("body.broken")
    assert page.locator("svg g.box").count() == 5  # the last good one
    page.close()
