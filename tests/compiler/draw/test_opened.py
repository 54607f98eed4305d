"""The flow of a spec with what its page opens and leads to, and with what has become of a stored run of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime import Engine

OUTER = """\
wfc: 1
workflow: outer
start: Asked
end: [Done, NotDone]
events:
  Asked: {word: string}
  Done: {word: string}
  NotDone: {}
steps:
  ask:
    kind: workflow
    accepts: Asked
    workflow: middle
    with: {word: "${{ event.word }}"}
    on_error: NotDone
    emit: {event: Done, with: {word: "${{ result.word }}"}}
"""
MIDDLE = """\
wfc: 1
workflow: middle
start: Begun
end: Ended
events:
  Begun: {word: string}
  Ended: {word: string}
steps:
  low:
    kind: workflow
    accepts: Begun
    workflow: inner
    with: {word: "${{ event.word }}"}
    emit: {event: Ended, with: {word: "${{ result.word }}"}}
"""
INNER = """\
wfc: 1
workflow: inner
start: Come
end: Gone
events:
  Come: {word: string}
  Gone: {word: string}
  Long: {word: string}
steps:
  short:
    kind: transform
    accepts: Come
    emit:
      - {event: Long, when: event.word == 'deep', with: {word: "${{ event.word }}"}}
      - {event: Gone, with: {word: "${{ event.word }}"}}
  further:
    kind: transform
    accepts: Long
    emit: {event: Gone, with: {word: "${{ event.word }}"}}
"""


@pytest.fixture
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three specs of which one runs the next, in a process that knows none of another folder."""
    monkeypatch.setattr("wfc.runtime.driver.engine._default", Engine())
    for name, text in (("outer", OUTER), ("middle", MIDDLE), ("inner", INNER)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


def boxes_of(page: str) -> dict[str, str]:
    """The attributes of each box by its title, a box of another picture after those before it."""
    found = re.findall(r'<g class="(box [^>]*)><title>([^,<]*)', page)
    return {title: attributes for attributes, title in found}


def test_a_page_has_each_workflow_that_may_run_once_and_the_lines(wfc: Any, specs: Path) -> None:
    page = wfc("graph", "outer.yaml", "--format", "html").out
    assert re.findall(r'<section class="inside" data-name="(\w+)">', page) == ["middle", "inner"]
    boxes = boxes_of(page)
    opens = {title: re.findall(r'data-opens="([^"]*)"', each) for title, each in boxes.items()}
    assert {title: each for title, each in opens.items() if each} == {
        "ask": ["middle"],
        "low": ["inner"],
    }
    for text in (OUTER, MIDDLE, INNER):
        for number, line in enumerate(text.splitlines(), 1):
            if (name := line.strip().partition(":")[0]) in boxes and line.startswith("  ") and line[2] != " ":
                assert f'data-line="{number}"' in boxes[name], name
    assert page.count('<details class="source"') == 3
    assert page.isascii()


def test_what_cannot_be_drawn_does_not_open(wfc: Any, specs: Path) -> None:
    (specs / "inner.yaml").write_text(INNER.replace("accepts: Come", "accepts: Comes"))
    done = wfc("graph", "outer.yaml", "--format", "html")
    assert (done.status, re.findall(r'class="inside" data-name="(\w+)"', done.out)) == (0, ["middle"])


def test_a_run_is_marked_in_the_flow_and_in_what_it_has_run(
    wfc: Any, specs: Path, store_address: str
) -> None:
    assert wfc("run", "outer.yaml", "-i", "word=deep", "--run-id", "one").status == 0
    assert wfc("run", "inner.yaml", "-i", "word=flat", "--run-id", "two").status == 0
    boxes = boxes_of(wfc("graph", "outer.yaml", "--format", "html", "--run", "one").out)
    status = {title: each.partition(" lit ")[2].partition('"')[0] for title, each in boxes.items()}
    assert {title: each for title, each in status.items() if each} == {
        "ask": "done",
        "low": "done",
        "short": "done",
        "further": "done",
    }
    text = wfc("graph", "inner.yaml", "--run", "two").out
    assert '"short<br/>transform<br/>1 done"' in text
    assert '"further<br/>transform"' in text
    page = wfc("graph", "inner.yaml", "--run", "two", "--format", "html").out
    assert " lit idle" in boxes_of(page)["further"]
    for args, told in (
        (("outer.yaml", "--run", "two"), "the run two is of `inner`, not of `outer`"),
        (("outer.yaml", "--run", "three"), "there is no run `three`"),
        (("outer.yaml", "--run", "one", "--diff", "HEAD"), "leave one out"),
    ):
        done = wfc("graph", *args)
        assert (done.status in {1, 2}, done.out, told in done.err) == (True, "", True), done.err
