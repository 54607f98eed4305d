"""Two versions of a flow in one drawing: both can be read off it, and what differs is marked."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.draw import flow_graph
from wfc.compiler.draw.comparison import compared
from wfc.compiler.passes import check_text
from wfc.runtime.drawing.graph import graph_from_data
from wfc.runtime.drawing.rendering import FORMATS, render

ROOT = Path(__file__).parents[3]
SPEC = Path(__file__).with_name("refund.yaml").read_text(encoding="utf-8")
SPECS = sorted((ROOT / "specs").glob("*.yaml"))


def flow(text: str) -> dict[str, Any]:
    found = check_text(text.encode(), "spec.yaml")
    assert found.workflow is not None
    return flow_graph(found.workflow)


def said(graph: dict[str, Any], leaving_out: str = "") -> set[tuple[str, ...]]:
    """Return all arrows of a graph in words, without those that only one version has."""
    boxes = {box["id"]: box for box in graph["boxes"] if box.get("change") != leaving_out or not leaving_out}
    names = {
        id: box["title"] if box["shape"] not in ("start", "fail") else box["shape"]
        for id, box in boxes.items()
    }
    return {
        (
            names[arrow["source"]],
            names[arrow["target"]],
            "" if names[arrow["source"]] == "start" else arrow["label"],
        )
        for arrow in graph["arrows"]
        if not leaving_out or arrow.get("change") != leaving_out
    }


def test_the_same_version_twice_has_no_change() -> None:
    for path in SPECS[::5]:
        graph = flow(path.read_text(encoding="utf-8"))
        again = compared(graph, graph)
        assert not any(each.get("change") for each in (*again["boxes"], *again["arrows"]))
        for form in FORMATS:
            assert render(graph_from_data(again), form) == render(graph_from_data(graph), form)


def test_both_versions_can_be_read_off_their_drawing() -> None:
    dice = random.Random(7)  # noqa: S311  no secret
    graphs = [flow(path.read_text(encoding="utf-8")) for path in SPECS]
    pairs = [dice.sample(graphs, 2) for _ in range(30)]
    pairs += [[graph, less(graph, dice)] for graph in graphs[::2]]
    for old, new in pairs:
        both = json.loads(json.dumps(compared(old, new)))
        assert said(both, "added") == said(old)
        assert said(both, "removed") == said(new)
        boxes = [(box["shape"], box["title"]) for box in both["boxes"] if box["change"] != "removed"]
        assert boxes == [(box["shape"], box["title"]) for box in new["boxes"]]
        for graph in (old, new):
            # what only one version has is marked, and nothing else is
            other = new if graph is old else old
            mark = "removed" if graph is old else "added"
            marked = {each["title"] for each in both["boxes"] if each["change"] == mark}
            only = {each["title"] for each in graph["boxes"]} - {each["title"] for each in other["boxes"]}
            assert marked - {"fails"} <= {each["title"] for each in graph["boxes"]}
            assert only - {graph["boxes"][0]["title"]} <= marked


def less(graph: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """Return a graph without one of its steps."""
    gone = dice.choice(graph["boxes"][1:])["id"]
    arrows = [each for each in graph["arrows"] if gone not in (each["source"], each["target"])]
    return {**graph, "boxes": [each for each in graph["boxes"] if each["id"] != gone], "arrows": arrows}


def marks(old: str, new: str, **more: Any) -> tuple[dict[str, Any], dict[tuple[str, str, str], Any]]:
    graph = compared(flow(old), flow(new), **more)
    titles = {box["id"]: box["title"] for box in graph["boxes"]}
    arrows = {
        (titles[each["source"]], each["label"], titles[each["target"]]): (each["change"], each["note"])
        for each in graph["arrows"]
        if each.get("change")
    }
    return {box["title"]: (box["change"], box["notes"]) for box in graph["boxes"] if box["change"]}, arrows


def test_what_a_step_says_otherwise_stands_in_its_box() -> None:
    boxes, arrows = marks(SPEC, SPEC.replace("20 s", "30 s").replace("2 days", "3 days"))
    assert boxes == {
        "ask": ("changed", ["human", "asks group:support", "+ within 3 days", "- within 2 days"]),
        "pay": ("changed", ["tool", "+ time-out 30 s", "- time-out 20 s"]),
    }
    assert not arrows


def test_a_condition_that_is_another_stands_at_its_arrow() -> None:
    boxes, arrows = marks(SPEC, SPEC.replace("> 100", "> 50"))
    assert not boxes
    assert arrows == {("look", "Large", "ask"): ("changed", "+ when event.sum > 50 · - when event.sum > 100")}


def test_a_way_that_goes_elsewhere_is_one_that_is_gone_and_one_that_is_new() -> None:
    _, arrows = marks(SPEC, SPEC.replace("on_timeout: Refused", "on_timeout: Granted"))
    assert {key: change for key, (change, _) in arrows.items()} == {
        ("ask", "Refused", "Refused"): "removed",
        ("ask", "Granted", "pay"): "added",
    }


def test_a_step_with_another_name_is_another_one_unless_it_was_moved() -> None:
    renamed = SPEC.replace("  pay:", "  pay_out:")
    boxes, _ = marks(SPEC, renamed)
    assert {title: change for title, (change, _) in boxes.items()} == {"pay": "removed", "pay_out": "added"}
    boxes, arrows = marks(SPEC, renamed, renamed={"pay": "pay_out"})
    assert boxes == {"pay_out": ("changed", ["tool", "time-out 20 s", "- pay"])}
    assert not arrows


def test_a_start_with_another_name_is_the_same_start() -> None:
    boxes, arrows = marks(SPEC, SPEC.replace("Asked", "Begun"))
    assert boxes == {"Begun": ("changed", ["- Asked"])}
    assert arrows == {("Begun", "Begun", "look"): ("changed", "- Asked")}


def test_what_no_drawing_shows_is_told_by_its_key() -> None:
    boxes, _ = marks(SPEC, SPEC, inside={"pay": ["with"]})
    assert boxes == {"pay": ("changed", ["tool", "time-out 20 s", "changed: with"])}


@pytest.mark.parametrize("form", FORMATS)
def test_what_differs_is_told_without_colours_too(form: str) -> None:
    new = SPEC.replace("  pay:", "  pay_out:").replace("2 days", "3 days")
    drawn = render(graph_from_data(compared(flow(SPEC), flow(new))), form)
    for sign, name in (("+", "pay_out"), ("-", "pay"), ("+", "within 3 days")):
        assert f"{sign} {name}" in drawn, (form, name)
    for colour in ("#1a7f37", "#cf222e", "#b35900"):
        assert colour in drawn


def test_marks_are_escaped_as_all_else() -> None:
    boxes = [{"id": "a", "shape": "box", "title": '"<b>', "change": "added", "notes": ["<i>"]}]
    graph = {"title": "t", "boxes": boxes, "arrows": []}
    for form in ("mermaid", "html"):
        assert "<b>" not in render(graph_from_data(graph), form)
    assert '"+ \\"<b>\\n<i>"' in render(graph_from_data(graph), "dot")


def test_a_graph_of_a_file_and_an_earlier_one(wfc: Any, tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "new.yaml").write_text(SPEC.replace("20 s", "30 s"), encoding="utf-8")
    done = wfc("graph", "new.yaml", "--diff", "old.yaml")
    assert done.status == 0
    assert "#126; pay<br/>tool<br/>+ time-out 30 s<br/>- time-out 20 s" in done.out
    moved = SPEC.replace("  pay:", "  pay_out:") + "moved: {pay: pay_out}\n"
    (tmp_path / "new.yaml").write_text(moved, encoding="utf-8")
    done = wfc("graph", "new.yaml", "--diff", "old.yaml")
    assert "#126; pay_out<br/>tool<br/>time-out 20 s<br/>- pay" in done.out
    (tmp_path / "old.yaml").write_text(SPEC.replace("Asked\n", "Askd\n"), encoding="utf-8")
    done = wfc("graph", "new.yaml", "--diff", "old.yaml")
    assert (done.status, done.out) == (1, "")
    assert "old.yaml" in done.err


def test_a_graph_of_a_file_and_a_revision_of_it(wfc: Any, tmp_path: Path) -> None:
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = {f"GIT_{who}_{what}": "somebody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=tmp_path, env={**os.environ, **own, **who}, check=True)

    (tmp_path / "specs").mkdir()
    spec = tmp_path / "specs/refund.yaml"
    spec.write_text(SPEC, encoding="utf-8")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    spec.write_text(re.sub("title: .*", "title: Really?", SPEC), encoding="utf-8")
    done = wfc("graph", "specs/refund.yaml", "--diff", "HEAD")
    assert (done.status, done.out.count("changed: title")) == (0, 1), done.err
    spec.write_text(SPEC, encoding="utf-8")
    assert "changed" not in wfc("graph", "specs/refund.yaml", "--diff", "HEAD").out
    for wrong in ("nowhere", "HEAD~7", ""):
        assert wfc("graph", "specs/refund.yaml", "--diff", wrong).status == 2
    (tmp_path / "specs/other.yaml").write_text(SPEC, encoding="utf-8")
    done = wfc("graph", "specs/other.yaml", "--diff", "HEAD")
    assert (done.status, "`HEAD` has no spec other.yaml here" in done.err) == (2, True)
    spec.write_text("wfc: 1\n", encoding="utf-8")
    git("commit", "-qam", "broken")
    spec.write_text(SPEC, encoding="utf-8")
    done = wfc("graph", "specs/refund.yaml", "--diff", "HEAD")
    assert (done.status, "HEAD is not drawn" in done.err) == (1, True)
