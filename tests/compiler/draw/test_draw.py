"""Drawings of specs: golden files, and a shape for each kind of steps."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

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
    golden(FOLDER / f"{name}.{SUFFIX[form]}", without_program(drawn(name, form)))


def without_program(page: str) -> str:
    """Return a page without its script and the digest of that, which are the same on all."""
    page = re.sub(r"'sha256-[^']*'", "'sha256-…'", page)
    return re.sub(r'(<script type="module">).*?(</script>)', r"\1…\2", page, flags=re.DOTALL)


def test_a_graph_is_plain_data() -> None:
    data = flow_graph(workflow("tails"))
    assert json.loads(json.dumps(data)) == data


SORTING = """\
wfc: 1
workflow: sorting
start: Begun
end: [Good, Bad, Late]
tools: {look_at: {python: "tools:look_at"}}
events:
  Begun: {items: list of string}
  Part: {name: string}
  Looked: {name: string, score: integer}
  Good: {}
  Bad: {}
  Late: {}
steps:
  split:
    kind: transform
    accepts: Begun
    emit:
      - each: {in: event.items, as: item, event: Part, with: {name: "${{ item }}"}, max: 9}
  look:
    kind: tool
    accepts: Part
    tool: look_at
    with: {name: "${{ event.name }}"}
    output: {score: integer}
    emit: Looked
  judge:
    kind: tool
    accepts: {each: Looked}
    tool: look_at
    with: {name: all of them}
    output: {score: integer}
    concurrency: 2
    on_error:
      - {errors: [timeout], event: Late}
      - Bad
    emit:
      - {event: Good, when: result.score > 8}
      - {event: Bad, when: result.score < 2}
      - {event: Good, when: result.score == 2}
      - Late
"""


def sorting(text: str = SORTING) -> dict[str, Any]:
    found = check_text(text.encode(), "sorting.yaml")
    assert found.workflow is not None
    return flow_graph(found.workflow)


def labels(data: dict[str, Any]) -> dict[tuple[str, str, str], str]:
    titles = {box["id"]: box["title"] for box in data["boxes"]}
    return {
        (titles[arrow["source"]], arrow["label"], arrow["style"]): " / ".join((arrow["note"], arrow["when"]))
        for arrow in data["arrows"]
    }


def test_an_entry_without_a_condition_after_others_with_one_is_labelled_otherwise() -> None:
    found = labels(sorting())
    assert found["judge", "Late", "usual"] == "otherwise / "
    assert found["judge", "Good", "usual"] == " / result.score > 8 or result.score == 2"
    assert found["judge", "Bad", "error"] == "on error / "  # no condition comes before it
    assert found["look", "Looked", "usual"] == " / "
    also_good = labels(sorting(SORTING.replace("      - Late\n", "      - Good\n")))
    assert also_good["judge", "Good", "usual"] == " / result.score > 8 or result.score == 2 or otherwise"


@pytest.mark.parametrize("form", FORMATS)
def test_otherwise_and_what_runs_side_by_side_are_seen_in_every_format(form: str) -> None:
    drawn = render(graph_from_data(sorting()), form)
    for text in ("otherwise", "up to 4 side by side", "up to 2 side by side"):
        assert text in drawn


def test_boxes_say_how_many_executions_run_side_by_side() -> None:
    boxes = {box["title"]: box["notes"] for box in sorting()["boxes"]}
    assert boxes["look"] == ["tool", "up to 4 side by side"]  # it takes the events of a batch
    assert "up to 2 side by side" in boxes["judge"]
    assert boxes["split"] == ["transform"]


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


def test_a_page_loads_nothing_and_can_be_walked_by_keyboard() -> None:
    page = without_program(drawn("triage", "html"))
    found = read(page)
    assert not found.links
    assert found.tags.count("script") == 1
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) == {"http://www.w3.org/2000/svg"}
    boxes = page.count('class="box ')
    assert boxes == 10
    assert (
        page.count('tabindex="0"') == boxes + page.count('class="arrow ') + 1
    )  # the drawing, to be scrolled
    assert found.tags.count("title") == page.count('tabindex="0"')
    assert "look_up_order" in found.texts


def test_the_exits_of_a_run_lead_to_the_steps_that_take_their_events() -> None:
    data = flow_graph(workflow("leaving"))
    titles = {box["id"]: box["title"] for box in data["boxes"]}
    run = next(id for id, title in titles.items() if title == "at any moment")
    led = {(titles[each["target"]], each["label"]) for each in data["arrows"] if each["source"] == run}
    assert led == {("Dropped", "Dropped"), ("left", "Undo"), ("right", "Undo"), ("fails", "")}
