"""Drawings of specs: golden files, and a shape for each kind of steps."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from wfc.compiler.draw import flow_graph
from wfc.compiler.model import Workflow
from wfc.compiler.passes import check_text
from wfc.runtime.drawing.graph import graph_from_data
from wfc.runtime.drawing.rendering import FORMATS, render

FOLDER = Path(__file__).parent / "golden"
SPECS = Path(__file__).parents[1] / "codegen" / "golden"
SUFFIX = {"mermaid": "mmd", "dot": "dot", "html": "html"}


def workflow(name: str) -> Workflow:
    spec = SPECS / f"{name}.yaml"
    found = check_text(spec.read_bytes(), spec.name).workflow
    assert found is not None
    return found


def drawn(name: str, form: str) -> str:
    return render(graph_from_data(flow_graph(workflow(name))), form)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["tails", "triage", "names", "waiting", "runs"])
def test_pictures_are_golden(name: str, form: str, golden: Callable[[Path, str], None]) -> None:
    golden(FOLDER / f"{name}.{SUFFIX[form]}", drawn(name, form))


def test_a_graph_is_plain_data() -> None:
    data = flow_graph(workflow("tails"))
    assert json.loads(json.dumps(data)) == data


class Page(HTMLParser):
    """Tags and texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [name for name, _ in attrs if name in {"href", "src", "onclick", "onload", "style"}]
        if tag not in {"meta", "path", "rect"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in {"meta", "path", "rect"}:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.append(data)


def read(page: str) -> Page:
    found = Page()
    found.feed(page)
    found.close()
    assert not found.open
    return found


def test_a_page_loads_nothing_and_can_be_walked_by_keyboard() -> None:
    page = drawn("triage", "html")
    found = read(page)
    assert not found.links
    assert "script" not in found.tags
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) == {"http://www.w3.org/2000/svg"}
    boxes = page.count('class="box ')
    assert boxes == 10
    assert page.count('tabindex="0"') == boxes + page.count('class="arrow ')
    assert found.tags.count("title") == 1 + page.count('tabindex="0"')
    assert "look_up_order" in found.texts
