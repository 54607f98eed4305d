"""Pictures of flows: golden files, texts that stay texts, and a layout that nothing falls out of."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfc.compiler.draw import FORMATS, draw
from wfc.compiler.draw.dot import as_dot
from wfc.compiler.draw.graph import Box, Edge, Graph
from wfc.compiler.draw.layers import arrange
from wfc.compiler.draw.mermaid import as_mermaid
from wfc.compiler.draw.page import as_page
from wfc.compiler.model import Workflow
from wfc.compiler.passes import check_text

FOLDER = Path(__file__).parent / "golden"
SPECS = Path(__file__).parents[1] / "codegen" / "golden"
SUFFIX = {"mermaid": "mmd", "dot": "dot", "html": "html"}


def workflow(name: str) -> Workflow:
    spec = SPECS / f"{name}.yaml"
    found = check_text(spec.read_bytes(), spec.name).workflow
    assert found is not None
    return found


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["tails", "triage", "names", "waiting", "runs"])
def test_pictures_are_golden(name: str, form: str, golden: Callable[[Path, str], None]) -> None:
    golden(FOLDER / f"{name}.{SUFFIX[form]}", draw(workflow(name), form))


def test_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="png"):
        draw(workflow("minimal"), "png")


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
    page = draw(workflow("triage"), "html")
    found = read(page)
    assert not found.links
    assert "script" not in found.tags
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) == {"http://www.w3.org/2000/svg"}
    boxes = page.count('class="box ')
    assert boxes == 10
    assert page.count('tabindex="0"') == boxes + page.count('class="arrow ')
    assert found.tags.count("title") == 1 + page.count('tabindex="0"')
    assert "look_up_order" in found.texts


HOSTILE = st.one_of(
    st.text(min_size=1, max_size=30),
    st.sampled_from(
        [
            '"]; end',
            "</svg><script>alert(1)</script>",
            "%%{init: {}}%%",
            "a\nb",
            'x" --> y["',
            "`md`",
            "&lt;",
            "\\",
            "\\N",
        ]
    ),
)


def graph(title: str, note: str, event: str, when: str) -> Graph:
    start = Box("n0", "start", title, (note,), description=when)
    step = Box("n1", "http", title, (note,))
    edges = (Edge(start, step, event), Edge(step, step, event, "error", note, when), Edge(step, start, event))
    return Graph(title, note, (start, step), edges)


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_texts_of_a_spec_stay_texts(title: str, note: str, event: str, when: str) -> None:
    drawn = graph(title, note, event, when)
    harmless = graph("a", "a", "a", "a")
    page = as_page(drawn)
    assert read(page).tags == read(as_page(harmless)).tags
    for form in (as_mermaid, as_dot):
        assert form(drawn).count("\n") == form(harmless).count("\n")
    unquoted = re.sub(r'"(\\.|[^"\\])*"', "text", as_dot(drawn))
    assert unquoted == re.sub(r'"(\\.|[^"\\])*"', "text", as_dot(harmless))
    labels = re.sub(r'"[^"]*"', "text", as_mermaid(drawn))
    assert labels.splitlines()[1:] == re.sub(r'"[^"]*"', "text", as_mermaid(harmless)).splitlines()[1:]


@st.composite
def pictures(draw_: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    count = draw_(st.integers(1, 12))
    box = st.integers(0, count - 1)
    return count, draw_(st.lists(st.tuples(box, box), max_size=25))


@given(pictures())
def test_boxes_do_not_overlap_and_arrows_end_where_they_should(
    picture: tuple[int, list[tuple[int, int]]],
) -> None:
    count, arrows = picture
    placed = arrange([(60 + 10 * (n % 3), 40) for n in range(count)], arrows, [(50, 20)] * len(arrows))
    for n, one in enumerate(placed.boxes):
        assert one.x - one.width / 2 > -1e-6
        assert one.x + one.width / 2 <= placed.width + 1e-6
        assert one.y + one.height / 2 <= placed.height + 1e-6
        for other in placed.boxes[n + 1 :]:
            apart_x = abs(one.x - other.x) >= (one.width + other.width) / 2 - 1e-6
            apart_y = abs(one.y - other.y) >= (one.height + other.height) / 2 - 1e-6
            assert apart_x or apart_y
    for (source, target), way in zip(arrows, placed.ways, strict=True):
        assert way[0] is placed.boxes[source]
        assert way[-1] is placed.boxes[target]


def test_a_large_flow_is_drawn_too() -> None:
    count = 400
    arrows = [(n, n + 1) for n in range(count - 1)] + [(n, (n * 7) % count) for n in range(0, count, 10)]
    placed = arrange([(100, 40)] * count, arrows, [(60, 20)] * len(arrows))
    assert len(placed.boxes) == count
