"""What draws graphs: golden languages, texts that stay texts, and a layout that nothing falls out of."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfc.runtime.drawing.dot import as_dot
from wfc.runtime.drawing.graph import Arrow, Box, Graph, graph_from_data
from wfc.runtime.drawing.layout import arrange
from wfc.runtime.drawing.mermaid import as_mermaid
from wfc.runtime.drawing.page import STYLE, as_page
from wfc.runtime.drawing.rendering import FORMATS, render
from wfc.runtime.drawing.shapes import SHAPES, STYLES


def test_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="png"):
        render(Graph("empty", (), ()), "png")


def test_a_graph_comes_from_plain_data_of_which_much_may_be_left_out() -> None:
    boxes = [
        {"id": "a", "shape": "box", "title": "A"},
        {"id": "b", "shape": "end", "title": "B", "notes": ["x"]},
    ]
    graph = graph_from_data({"title": "t", "boxes": boxes, "arrows": [{"source": "a", "target": "b"}]})
    assert graph == Graph("t", (Box("a", "box", "A"), Box("b", "end", "B", ("x",))), (Arrow("a", "b"),))


@pytest.mark.parametrize("shape", [*SHAPES, "unheard-of"])
def test_every_shape_is_drawn_in_every_language_and_filled_on_the_page(shape: str) -> None:
    graph = Graph("t", (Box("a", shape, "A"),), ())
    for form in FORMATS:
        assert "A" in render(graph, form)
    page = render(graph, "html")
    assert len(re.findall(r'<g class="box [^"]*".*?><title>A</title>\n<(?:rect|path) ', page)) == 1
    # a plain fill for all, and one of its own for those that are no plain box
    assert (
        "svg .box > rect { stroke: var(--line); stroke-width: 1.2; fill: var(--fill, var(--grey)); }" in STYLE
    )
    if shape not in {"box", "unheard-of"}:
        assert re.search(rf"svg \.{shape.rsplit(maxsplit=1)[-1]}(?:, svg \.[a-z-]+)* {{ --fill: ", STYLE)


@pytest.mark.parametrize("style", [*STYLES, "unheard-of"])
def test_every_style_of_arrows_is_drawn_in_every_language(style: str) -> None:
    graph = Graph("t", (Box("a", "box", "A"),), (Arrow("a", "a", "goes", style, "twice", "x > 1"),))
    for form in FORMATS:
        assert "goes" in render(graph, form)


def test_what_draws_loads_nothing_else_of_the_runtime() -> None:
    program = "import sys, wfc.runtime.drawing.rendering, wfc.runtime.drawing.page\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith(("wfc.", "pydantic", "asyncio"))}
    assert {name for name in loaded if not name.startswith("wfc.runtime.drawing")} == {"wfc.runtime"}


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
    boxes = (
        Box("a", "start", title, (note,), description=when),
        Box("b", "parallelogram", title, (note,)),
    )
    arrows = (
        Arrow("a", "b", event),
        Arrow("b", "b", event, "error", note, when),
        Arrow("b", "a", event),
    )
    return Graph(title, boxes, arrows, note)


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_texts_stay_texts(title: str, note: str, event: str, when: str) -> None:
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


HOSTILE_LINE = '"><script>alert(1)</script>\\"]; x -->|"y"| z\n%%{init}%% #quot; &amp;'


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@settings(max_examples=60)
@given(st.text(max_size=30) | st.just(HOSTILE_LINE))
def test_texts_are_only_texts(text: str) -> None:
    box = Box("a", "box", text, description=text)
    graph = Graph(text, (box, Box("b", "ellipse", "b")), (Arrow("a", "b", text),), text)
    tags = Tags()
    tags.feed(as_page(graph))
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in tags.found}
    assert not any(
        name.startswith("on") or name in {"href", "src"} for _, attrs in tags.found for name in attrs
    )
    assert {tag for tag, _ in tags.found} == {
        *"html head meta title style body h1 figure svg defs marker path g rect text".split(),
        *"table caption thead tr th tbody td".split(),
        *(["p", "desc"] if text else []),
    }
    plain = re.compile(r"[\w .,_\-+=:!?'/()…·≤#;<>&|\[\]\"{}%]*")
    for line in as_mermaid(graph).splitlines()[2:-2]:
        assert line.count('"') % 2 == 0 and plain.fullmatch(line) and "<script" not in line
    assert len(as_dot(graph).splitlines()) == 7
    for line in as_dot(graph).splitlines():
        assert len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0


def test_a_page_may_load_nothing() -> None:
    tags = Tags()
    tags.feed(as_page(Graph("empty", (Box("a", "box", "A"),), ())))
    policies = [attrs["content"] for tag, attrs in tags.found if attrs.get("http-equiv")]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20))
def test_without_circles_everything_leads_down(pairs: list[tuple[int, int]]) -> None:
    arrows = [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]
    boxes = arrange([(50.0, 20.0)] * 10, arrows, [(10.0, 10.0)] * len(arrows)).boxes
    assert all(boxes[source].y < boxes[target].y for source, target in arrows)


def test_thousands_of_boxes_are_placed_at_once() -> None:
    count = 5_000
    arrows = [(at, at + 1) for at in range(count - 1)] + [(0, at) for at in range(2, count)]
    layout = arrange([(50.0, 20.0)] * count, arrows, [(40.0, 17.0)] * len(arrows))
    assert len(layout.boxes) == count
