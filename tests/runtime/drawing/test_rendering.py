"""What draws graphs: golden languages, texts that stay texts, and a layout that nothing falls out of."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
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


def test_no_word_of_mermaids_is_the_name_of_a_class() -> None:
    boxes = tuple(Box(f"b{n}", shape, "B") for n, shape in enumerate(SHAPES))
    drawn = as_mermaid(Graph("t", boxes, ()))
    used = set(re.findall(r":::(\w+)", drawn))
    defined = {name for names in re.findall(r"classDef ([\w,]+)", drawn) for name in names.split(",")}
    assert used == defined
    # each of these makes `:::word` a syntax error
    assert not used & {
        "end",
        "graph",
        "flowchart",
        "subgraph",
        "style",
        "linkStyle",
        "classDef",
        "class",
        "click",
    }


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
        if tag not in {"meta", "path", "rect", "input"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in {"meta", "path", "rect", "input"}:
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


def line_of(page: str, title: str) -> str:
    found = re.search(rf'<title>{re.escape(title)}</title>\n<path d="([^"]+)"', page)
    assert found is not None
    return found[1]


def points_of(line: str) -> list[tuple[float, float]]:
    """Return points of a line, close to each other."""
    points: list[tuple[float, float]] = []
    for command, text in re.findall(r"([MHVQC])([^MHVQC]*)", line):
        numbers = [float(number) for number in text.split()]
        x, y = points[-1] if points else (0.0, 0.0)
        match command:
            case "M":
                points.append((numbers[0], numbers[1]))
                continue
            case "H":
                controls = [(x, y), (numbers[0], y)]
            case "V":
                controls = [(x, y), (x, numbers[0])]
            case _:
                controls = [(x, y), *zip(numbers[::2], numbers[1::2], strict=True)]
        for part in range(1, 41):
            points.append(on_curve(controls, part / 40))
    return points


def on_curve(controls: list[tuple[float, float]], share: float) -> tuple[float, float]:
    while len(controls) > 1:
        controls = [
            (a + (c - a) * share, b + (d - b) * share) for (a, b), (c, d) in itertools.pairwise(controls)
        ]
    return controls[0]


def test_an_arrow_back_leaves_and_arrives_at_the_sides_of_its_boxes() -> None:
    boxes = tuple(Box(each, "box", each) for each in "abc")
    arrows = (Arrow("a", "b", "on"), Arrow("b", "c", "on"), Arrow("c", "a", "again"))
    placed = arrange([(90.0, 37.0)] * 3, [(0, 1), (1, 2), (2, 0)], [(30.0, 19.0)] * 3)
    assert [way is not None for way in placed.side_ways] == [False, False, True]
    points = points_of(line_of(as_page(Graph("t", boxes, arrows)), "again from c to a"))
    (x1, y1), (x2, y2) = points[0], points[-1]
    assert x1 > placed.boxes[2].x and x2 > placed.boxes[0].x and y1 > y2
    assert points[1][0] > x1 and points[-2][0] > x2  # it leaves to the right and arrives from there
    assert abs(y2 - placed.boxes[0].y) < placed.boxes[0].height / 2


def test_an_arrow_back_takes_the_left_side_where_a_loop_has_the_right_one() -> None:
    placed = arrange([(90.0, 37.0)] * 2, [(0, 0), (0, 1), (1, 0)], [(30.0, 19.0)] * 3)
    assert [way.side if way else 0 for way in placed.side_ways] == [0, 0, -1]


@given(pictures(), st.sampled_from(["box", "hexagon", "parallelogram", "trapezium", "signal", "end"]))
def test_no_arrow_runs_across_a_box(picture: tuple[int, list[tuple[int, int]]], shape: str) -> None:
    count, arrows = picture
    drawn = Graph(
        "t",
        tuple(Box(f"b{n}", shape, f"b{n}", ("note",) * (n % 4)) for n in range(count)),
        tuple(Arrow(f"b{a}", f"b{b}", f"e{n}") for n, (a, b) in enumerate(arrows) if a != b),
    )
    page = as_page(drawn)
    placed = {
        box.id: tuple(float(number) for number in numbers)
        for box, numbers in zip(drawn.boxes, rectangles(page), strict=True)
    }
    for arrow in drawn.arrows:
        points = points_of(line_of(page, f"{arrow.label} from {arrow.source} to {arrow.target}"))
        for left, top, right, bottom in placed.values():
            inside = [(x, y) for x, y in points if left + 17 < x < right - 17 and top + 1 < y < bottom - 1]
            assert not inside


def rectangles(page: str) -> list[tuple[float, float, float, float]]:
    """Return the rectangle around each box, from its outline."""
    found = []
    for outline in re.findall(r'<g class="box .*\n(<(?:rect|path) [^>]*>)', page):
        if outline.startswith("<rect"):
            x, y, width, height = (
                float(number) for number in re.findall(r' (?:x|y|width|height)="([-\d.]+)"', outline)
            )
            found.append((x, y, x + width, y + height))
            continue
        xs = [float(x) for x in re.findall(r"[MHL]([-\d.]+)", outline)]
        ys = [float(y) for y in re.findall(r"[ML][-\d.]+ ([-\d.]+)", outline)]
        found.append((min(xs), min(ys), max(xs), max(ys)))
    return found


def test_arrows_back_have_a_side_of_the_boxes_in_dot() -> None:
    boxes = (Box("a", "box", "a"), Box("b", "box", "b"))
    drawn = as_dot(Graph("t", boxes, (Arrow("a", "b"), Arrow("b", "a"), Arrow("a", "a"))))
    sides = [line for line in drawn.splitlines() if "tailport=e, headport=e" in line]
    assert len(sides) == 1 and sides[0].strip().startswith("n1 -> n0 ")


def test_a_page_opens_with_the_drawing_fitted_and_has_other_sizes() -> None:
    page = as_page(Graph("t", (Box("a", "box", "A"),), ()))
    sizes = re.findall(r'<input type="radio" name="size" id="(\w+)"( checked)?>', page)
    assert sizes == [("fit", " checked"), ("whole", ""), ("half", ""), ("full", ""), ("double", "")]
    for name, _ in sizes[1:]:
        assert f"body:has(#{name}:checked) svg {{ width: " in page
    assert "--fit: max(var(--whole), var(--least))" in page
    assert '<figure tabindex="0"' in page  # so that arrow keys scroll it


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
    assert not {"link", "img", "iframe"} & {tag for tag, _ in tags.found}
    assert [tag for tag, _ in tags.found].count("script") == 1  # the page's own
    assert not any(
        name.startswith("on") or name in {"href", "src"} for _, attrs in tags.found for name in attrs
    )
    assert {tag for tag, _ in tags.found} == {
        *"html head meta title style body h1 figure svg defs marker path g rect text".split(),
        *"fieldset legend label input div script".split(),
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
    page = as_page(Graph("empty", (Box("a", "box", "A"),), ()))
    tags.feed(page)
    policies = [attrs["content"] for tag, attrs in tags.found if attrs.get("http-equiv")]
    program = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    digest = b64encode(sha256(program[0].encode("ascii")).digest()).decode()
    assert len(program) == 1
    assert policies == [f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"]


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
