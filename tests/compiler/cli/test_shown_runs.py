"""``wfc runs list`` and ``wfc runs show``: what a stored run waits for, and what has happened to its steps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHIP = """\
wfc: 1
workflow: ship
start: Asked
end: [Done, Refused]
key: inputs.order
receives: {Paid: {key: order}}
state: {tries: {type: integer, default: 0}}
events:
  Asked: {order: string}
  Paid: {order: string, amount: integer}
  Go: {}
  Done: {note: string}
  Refused: {}
steps:
  prepare:
    kind: transform
    accepts: Asked
    save: {tries: "${{ state.tries + 1 }}"}
    emit: Go
  approve:
    kind: human
    accepts: Go
    title: Ship ${{ inputs.order }}?
    form: {ok: boolean, note: {type: string, default: ""}}
    within: 30d
    on_timeout: Refused
    emit:
      - {event: Done, when: result.ok, with: {note: "${{ result.note }}"}}
      - Refused
  pay:
    kind: wait
    accepts: Asked
    event: Paid
    within: 60d
    on_timeout: Refused
    emit: nothing
"""


@pytest.fixture
def store(wfc: Any, tmp_path: Path, store_address: str) -> str:
    """A store with a run that waits at a question, and for an event."""
    (tmp_path / "ship.yaml").write_text(SHIP)
    done = wfc("run", "ship.yaml", "-i", "order=tea", "--run-id", "one")
    assert done.status == 3, done.err
    return store_address


def shown(wfc: Any, *args: str) -> dict[str, Any]:
    done = wfc("runs", "show", "one", *args, "--format", "json")
    assert done.status == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_a_list_says_what_runs_wait_for_and_until_when(wfc: Any, store: str) -> None:
    row = json.loads(wfc("runs", "list", "--format", "json").out)
    assert (row["run"], row["key"], row["status"], row["tasks"], row["note"]) == (
        "one",
        "tea",
        "parked",
        1,
        "",
    )
    assert row["waits for"] == "approve: an answer: Ship tea?"
    assert row["until"] > row["started"]
    table = wfc("runs", "list").out.splitlines()
    assert table[0].split() == [
        "run",
        "workflow",
        "version",
        "key",
        "status",
        "started",
        "waits",
        "for",
        "until",
        "tasks",
    ]
    assert "approve: an answer: Ship tea?" in table[1]


def test_steps_questions_and_state_are_shown_now_and_at_a_tick(wfc: Any, store: str) -> None:
    now = shown(wfc)
    assert (now["status"], now["state"], now["outcome"]) == ("parked", {"tries": 1}, None)
    assert {line["step"]: (line["took"], line["status"], line["gave"]) for line in now["steps"]} == {
        "prepare": ("Asked", "done", "Go"),
        "approve": ("Go", "waits", ""),
        "pay": ("Asked", "waits", ""),
    }
    (question,) = now["questions"]
    assert question["title"] == "Ship tea?"
    assert len(now["waits"]) == 2
    begun = shown(wfc, "--at", "1")
    assert (begun["state"], begun["questions"], begun["waits"]) == ({"tries": 0}, [], [])
    assert {line["status"] for line in begun["steps"]} == {"running"}
    assert wfc("tasks", "answer", question["task"], '{"ok": true, "note": "fine"}').status == 0
    over = shown(wfc)
    assert over["outcome"] == {"event": "Done", "with": {"note": "fine"}}
    assert {line["step"]: line["status"] for line in over["steps"]} == {
        "prepare": "done",
        "approve": "done",
        "pay": "cut off",
    }
    assert over["steps"][1]["seconds"] >= 0
    text = wfc("runs", "show", "one").out
    assert 'state: {"tries": 1}' in text
    assert "attempts" in text


def test_the_flow_is_drawn_with_what_became_of_its_steps(wfc: Any, store: str) -> None:
    drawn = wfc("runs", "show", "one", "--draw", "mermaid")
    assert drawn.status == 0
    assert "prepare<br/>1 done" in drawn.out
    assert "approve<br/>1 waits" in drawn.out
    assert "1 running" in wfc("runs", "show", "one", "--draw", "dot", "--at", "1").out


def test_the_last_ticks_are_followed(wfc: Any, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = wfc("runs", "follow", "one", "--no-wait", "--format", "json").out.splitlines()
    last = json.loads(told[-1])["tick"]
    done = wfc("runs", "follow", "one", "--no-wait", "--last", "1", "--format", "json")
    assert done.out.splitlines() == [line for line in told if json.loads(line)["tick"] == last]
    assert done.err == ""
    assert shown(wfc)["told since tick"] is None
    monkeypatch.setattr("wfc.runtime.driver.engine.retold.MOST_TOLD", 0)
    first = shown(wfc)["told since tick"]
    assert first == last, "it rests, so its snapshot is of its last tick"
    done = wfc("runs", "follow", "one", "--no-wait", "--last", "3")
    assert done.err == f"told since tick {first}: the run is long, and its last snapshot is of then\n"
    refused = wfc("runs", "follow", "one", "--since", "1", "--last", "1")
    assert refused.status == 2
    assert "leave one out" in refused.err


def test_what_cannot_be_shown_is_said(wfc: Any, store: str) -> None:
    for args, told in (
        (["nope"], "there is no run `nope`"),
        (["one", "--at", "99"], "has no tick 99: its last is"),
        (["one", "--ticks", "--at", "1"], "leave the other option out"),
    ):
        done = wfc("runs", "show", *args)
        assert (done.status in {1, 2}, done.out) == (True, "")
        assert told in done.err
    for kept in Path().rglob("versions/ship/*.json"):
        kept.unlink()
    done = wfc("runs", "show", "one")
    assert (done.status, "its steps cannot be told" in done.err) == (0, True)
    assert "started" in done.out, "what is recorded is shown as it is"
    done = wfc("runs", "show", "one", "--at", "1")
    assert (done.status, done.out) == (1, "")


def test_a_run_that_was_in_memory_at_first_is_told_from_then_on(
    wfc: Any, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WFC_STORE")
    wfc("run", "ship.yaml", "-i", "order=tea", "--run-id", "one")
    now = shown(wfc)
    assert {line["step"]: line["status"] for line in now["steps"]} == {"approve": "waits", "pay": "waits"}
    assert wfc("tasks", "answer", now["questions"][0]["task"], '{"ok": false}').status == 0
    assert shown(wfc)["outcome"] == {"event": "Refused", "with": {}}


def test_an_answer_that_is_refused_changes_nothing_and_names_are_recorded_as_claimed(
    wfc: Any, store: str
) -> None:
    before = wfc("runs", "show", "one", "--ticks", "--format", "json").out
    (question,) = shown(wfc)["questions"]
    for args in (['{"ok": 5}'], ['{"ok": true}', "--by", "a,b"], ['{"ok": true}', "--by", " "]):
        assert wfc("tasks", "answer", question["task"], *args).status in {1, 2}
    assert wfc("runs", "show", "one", "--ticks", "--format", "json").out == before
    assert shown(wfc)["status"] == "parked"
    assert wfc("tasks", "answer", question["task"], '{"ok": true}', "--by", "ann").status == 0
    again = wfc("tasks", "answer", question["task"], '{"ok": true}', "--by", "ann")
    assert (again.status, again.err) == (0, "it is answered already\n")
    other = wfc("tasks", "answer", question["task"], '{"ok": true}', "--by", "bob")
    assert (other.status, "is closed: answered" in other.err) == (1, True)
    assert "ann (says user:" in wfc("tasks", "show", question["task"]).out
