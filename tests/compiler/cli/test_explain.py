"""``wfc explain`` and ``wfc schema``."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

from wfc.compiler.review.comparing import all_rules
from wfc.compiler.rules import PROBLEMS
from wfc.compiler.rules.catalogue import load

load()


@pytest.mark.parametrize("code", ["unknown-event", "UNKNOWN_EVENT", "[unknown-event]"])
def test_a_code_is_explained_however_it_is_copied(wfc, code: str) -> None:
    done = wfc("explain", code)
    assert done.status == 0
    assert done.out.startswith(f"unknown-event\n\n{inspect.getdoc(PROBLEMS['unknown-event'])}\n")


def test_an_explanation_shows_an_example_and_what_mends_it(wfc) -> None:
    shown = wfc("explain", "unknown-event").out.partition("An example")[2].splitlines()
    assert [line[2:] for line in shown if line.startswith(("  - ", "  + "))] == [
        '-     emit: {event: Greted, with: {text: "Hello ${{ event.name }}"}}',
        '+     emit: {event: Greeted, with: {text: "Hello ${{ event.name }}"}}',
    ]


def test_an_example_that_cannot_be_shown_is_left_out(wfc) -> None:
    assert "An example" not in wfc("explain", "file-too-large").out


def test_without_a_code_all_are_listed(wfc) -> None:
    lines = wfc("explain").out.splitlines()
    listed = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(listed) == sorted([*PROBLEMS, *all_rules()])
    place = listed.index("join-starves")
    assert "join-overfills" in listed[place - 4 : place]  # beside what is about the same
    assert "Joins: events that never come together, and batches that are not collected" in lines


def test_a_rule_about_changes_is_explained_with_its_mirror(wfc) -> None:
    done = wfc("explain", "quorum-lowered")
    assert done.out.startswith("quorum-lowered (security, break)\n\nFewer people have to answer")
    assert done.out.endswith("The opposite change is `quorum-raised`.\n")


def test_a_misspelt_code_gets_a_suggestion(wfc) -> None:
    done = wfc("explain", "unknown-evnet")
    assert (done.status, done.out) == (2, "")
    assert "did you mean `unknown-event`?" in done.err


def test_the_schema_is_printed_with_all_keys_of_each_kind(wfc, root: Path) -> None:
    told = json.loads(wfc("schema").out)
    published = json.loads((root / "schemas/workflow.schema.json").read_text(encoding="utf-8"))
    assert told["$schema"] == published["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    for kind in published["$defs"]["step"]["properties"]["kind"]["enum"]:
        closed = told["$defs"][f"{kind}_step"]
        assert closed["additionalProperties"] is False
        assert closed["properties"].keys() == (
            published["$defs"]["step"]["properties"].keys()
            | published["$defs"][f"{kind}_keys"]["properties"].keys()
        )


@pytest.mark.parametrize("form", ["mermaid", "dot", "html"])
def test_a_flow_is_drawn(wfc, greet: Path, form: str) -> None:
    done = wfc("graph", "greet.yaml", "--format", form)
    assert (done.status, done.err) == (0, "")
    assert all(name in done.out for name in ("greet", "Asked", "Greeted"))
    assert done.out.endswith("\n")


def test_a_broken_flow_is_not_drawn(wfc, greet: Path) -> None:
    greet.write_text(greet.read_text().replace("accepts: Asked", "accepts: Aksed"))
    done = wfc("graph", "greet.yaml")
    assert (done.status, done.out) == (1, "")
    assert "greet.yaml:13:14: error:" in done.err
