"""``wfc runs edit``, and ``--set`` of ``wfc tasks answer``, ``wfc runs rewind`` and ``wfc runs fork``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ASK = """\
wfc: 1
workflow: ask
start: Asked
end: [Done, Late]
receives: {Paid: {}}
state: {sum: {type: integer, default: 1}, name: {type: string, default: ""}}
events:
  Asked: {order: string}
  Paid: {amount: integer}
  Go: {}
  Late: {}
  Done: {sum: integer, name: string}
steps:
  approve:
    kind: human
    accepts: Asked
    title: Ship ${{ inputs.order }}?
    form: {ok: boolean}
    within: 30d
    on_timeout: Late
    emit:
      - {event: Go, when: result.ok}
      - Late
  pay:
    kind: wait
    accepts: Go
    event: Paid
    within: 30d
    on_timeout: Late
    emit: {event: Done, with: {sum: "${{ state.sum + result.amount }}", name: "${{ state.name }}"}}
"""


@pytest.fixture(autouse=True)
def run(wfc: Any, tmp_path: Path, store_address: str) -> None:
    """A run that waits at its question."""
    (tmp_path / "ask.yaml").write_text(ASK)
    done = wfc("run", "ask.yaml", "-i", "order=tea", "--run-id", "one")
    assert done.status == 3, done.err


def shown(wfc: Any, run_id: str = "one") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(wfc("runs", "show", run_id, "--format", "json").out)
    return found


def test_state_and_pending_events_are_edited_while_a_question_is_open(wfc: Any) -> None:
    done = wfc("runs", "edit", "one", "--set", "state.sum=5", "--event", 'Paid={"amount": 2}')
    assert done.status == 0, done.err
    (pending,) = shown(wfc)["pending events"]
    assert (pending["event"], pending["with"], shown(wfc)["state"]) == (
        "Paid",
        {"amount": 2},
        {"sum": 5, "name": ""},
    )
    done = wfc("runs", "edit", "one", "--drop-event", str(pending["number"]), "--event", 'Paid={"amount": 3}')
    assert done.status == 0, done.err
    assert [one["with"] for one in shown(wfc)["pending events"]] == [{"amount": 3}]
    done = wfc("tasks", "answer", "one/approve/1", '{"ok": true}', "--set", "name=Ann")
    assert (done.status, json.loads(done.out)["with"]) == (0, {"sum": 8, "name": "Ann"}), done.err


def test_a_run_that_is_over_is_edited_as_it_goes_back(wfc: Any) -> None:
    wfc("runs", "edit", "one", "--event", 'Paid={"amount": 2}')
    assert wfc("tasks", "answer", "one/approve/1", '{"ok": true}').status == 0
    refused = wfc("runs", "edit", "one", "--set", "sum=3")
    assert (refused.status, "is over" in refused.err) == (1, True)
    done = wfc("runs", "fork", "one", "--step", "approve", "--set", "sum=10", "--run-id", "two", "--yes")
    assert done.status == 3, done.err
    assert shown(wfc, "two")["state"] == {"sum": 10, "name": ""}
    done = wfc("runs", "rewind", "one", "--step", "approve", "--set", "sum=20", "--yes")
    assert "Paid has come since" in done.err
    assert shown(wfc)["state"] == {"sum": 20, "name": ""}


def test_what_does_not_fit_is_refused_at_its_place_and_changes_nothing(wfc: Any) -> None:
    before = wfc("runs", "show", "one", "--ticks", "--format", "json").out
    for args, code, told in (
        (["runs", "edit", "one"], 2, "say what is changed"),
        (["runs", "edit", "one", "--set", "sum"], 2, "is not PATH=VALUE"),
        (["runs", "edit", "one", "--set", "sum=1", "--set", "sum=2"], 2, "`sum` is set twice"),
        (
            ["runs", "edit", "one", "--set", "sum=many"],
            1,
            "`sum`: input should be a valid integer, not 'many'",
        ),
        (["runs", "edit", "one", "--set", "name=5"], 1, "`name`: input should be a valid string"),
        (
            ["runs", "edit", "one", "--set", "total=1"],
            1,
            "the state has no field `total`; its fields: `sum`, `name`",
        ),
        (["runs", "edit", "one", "--set", "sum=2", "--event", "Nope={}"], 1, "no step accepts `Nope`"),
        (["runs", "edit", "one", "--event", "Paid={"], 2, "is not JSON"),
        (["runs", "edit", "one", "--event", 'Paid={"amount": "x"}'], 1, "Paid cannot be taken: `amount`"),
        (["runs", "edit", "one", "--drop-event", "7"], 1, "no event with the number 7 waits to be taken"),
        (["runs", "edit", "nope", "--set", "sum=2"], 1, "there is no run `nope`"),
        (["tasks", "answer", "one/approve/1", '{"ok": true}', "--set", "sum=x"], 1, "`sum`: input should be"),
        (["runs", "rewind", "one", "--at", "1", "--set", "sum=x", "--yes"], 1, "`sum`: input should be"),
        (
            ["runs", "fork", "one", "--at", "1", "--set", "nope=1", "--yes"],
            1,
            "the state has no field `nope`",
        ),
    ):
        done = wfc(*args)
        assert (done.status, told in done.err) == (code, True), (args, done.err)
    assert wfc("runs", "show", "one", "--ticks", "--format", "json").out == before
    assert shown(wfc)["status"] == "parked"


@pytest.mark.parametrize(
    "command",
    [
        ["runs", "edit", "bare"],
        ["runs", "fork", "bare", "--at", "1", "--yes"],
        ["runs", "fork", "bare", "--step", "approve", "--detach", "--yes"],
        ["runs", "rewind", "bare", "--at", "1", "--yes"],
        ["tasks", "answer", "bare/approve/1", '{"ok": true}'],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("path", "told"), [("sum", "sum"), ("state.order.name", "order"), ("lines[0]", "lines"), ("_x", "_x")]
)
def test_a_workflow_without_state_has_no_field_to_set(
    wfc: Any, tmp_path: Path, command: list[str], path: str, told: str
) -> None:
    spec = (
        ASK.replace("workflow: ask", "workflow: bare")
        .replace("state.sum + ", "")
        .replace("state.name", "run.id")
    )
    (tmp_path / "bare.yaml").write_text("\n".join(line for line in spec.splitlines() if "state:" not in line))
    started = wfc("run", "bare.yaml", "-i", "order=tea", "--run-id", "bare")
    assert started.status == 3, started.err
    before = wfc("runs", "show", "bare", "--ticks", "--format", "json").out
    done = wfc(*command, "--set", f"{path}=3")
    assert done.status == 1, done.err
    assert f"the state has no field `{told}`: the workflow declares none" in done.err
    assert wfc("runs", "show", "bare", "--ticks", "--format", "json").out == before
    runs = [json.loads(line)["run"] for line in wfc("runs", "list", "--format", "json").out.splitlines()]
    assert sorted(runs) == ["bare", "one"], "nothing was forked"
