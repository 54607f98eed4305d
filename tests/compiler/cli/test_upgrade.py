"""``wfc runs upgrade``: runs at rest move to a changed spec, or are refused in the author's words and wait."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SPEC = """\
wfc: 1
workflow: refund
start: Asked
end: Over
state: {sum: {type: integer, default: 0}}
events:
  Asked: {amount: integer}
  Large: {amount: integer}
  Over: {said: string}
steps:
  look:
    kind: transform
    accepts: Asked
    save: {sum: "${{ event.amount }}"}
    emit: Large
  approve:
    kind: human
    accepts: Large
    title: Pay ${{ event.amount }}?
    form: {ok: boolean}
    within: 30d
    on_timeout: {event: Over, with: {said: late}}
    emit: {event: Over, with: {said: "${{ event.amount }} ${{ state.sum }} ${{ result.ok }}"}}
"""

RENAMED = (
    SPEC.replace("approve:", "ask_support:")
    .replace("Large", "Big")
    .replace("sum", "total")
    .replace("${{ event.amount }} ${{ state", "new ${{ event.amount }} ${{ state")
    + "moved: {approve: ask_support, Large: Big, state.sum: total}\n"
)


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WFC_STORE", "sqlite:///runs.db?synchronous=normal")
    path = tmp_path / "refund.yaml"
    path.write_text(SPEC)
    return path


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_renamed_spec_takes_over_its_runs(wfc: Any, spec: Path) -> None:
    assert wfc("run", str(spec), "-i", "amount=5", "--run-id", "one").status == 3
    spec.write_text(RENAMED)
    would = wfc("runs", "upgrade", "one", "--dry-run")
    assert (would.status, would.out.splitlines()) == (
        0,
        [
            "one: would go on with this version, and something in it is converted",
            "  the step `approve` is called `ask_support` now [step-renamed]",
            "  `Large` is called `Big` now [event-renamed]",
            "  `state.sum` is called `total` now [state-field-renamed]",
        ],
    )
    (before,) = lines(wfc("runs", "list", "--format", "json").out)
    (done,) = lines(wfc("runs", "upgrade", "--workflow", "refund", "--format", "json").out)
    assert (done["means"], done["moved"], done["from"][:12]) == ("migrated", True, before["version"])
    assert lines(wfc("runs", "upgrade", "one", "--format", "json").out)[0]["means"] == "same version"
    (after,) = lines(wfc("runs", "list", "--format", "json").out)
    assert after["version"] == done["to"][:12] != before["version"]
    shown = json.loads(wfc("runs", "show", "one", "--format", "json").out)
    assert (shown["version since tick"], shown["state"]) == (4, {"total": 5})
    assert [step["step"] for step in shown["steps"]] == ["ask_support"]
    (task,) = lines(wfc("tasks", "list", "--format", "json").out)
    assert task["task"] == "one/ask_support/2"
    answered = wfc("tasks", "answer", task["task"], '{"ok": true}')
    assert json.loads(answered.out) == {"event": "Over", "with": {"said": "new 5 5 true"}}


def test_a_run_that_cannot_go_on_waits_and_says_what_to_do(wfc: Any, spec: Path) -> None:
    wfc("run", str(spec), "-i", "amount=5", "--run-id", "one")
    (task,) = lines(wfc("tasks", "list", "--format", "json").out)
    spec.write_text(SPEC.replace("approve:", "ask_support:"))
    for more in (["--dry-run"], []):
        refused = wfc("runs", "upgrade", "one", *more)
        assert refused.status == 1
        assert refused.out.splitlines() == [
            "one: cannot go on with this version, and stays as it is",
            "  the step `approve` is gone, and the run waits in it [step-removed]; say what it is called now, "
            "`moved: {approve: …}`, or bring it back",
        ]
    assert wfc("tasks", "list", "--format", "json").out == json.dumps(task, ensure_ascii=False) + "\n"
    assert wfc("tasks", "answer", task["task"], '{"ok": true}').status == 0, "its own version is kept"
    over = wfc("runs", "upgrade", "one")
    assert over.status == 1
    assert "the run one is over" in over.err


def test_what_is_wrong_with_an_upgrade_is_said(wfc: Any, spec: Path) -> None:
    wfc("run", str(spec), "-i", "amount=5", "--run-id", "one")
    assert wfc("runs", "upgrade").status == 2
    assert wfc("runs", "upgrade", "one", "--workflow", "refund").status == 2
    assert "there is no run `two`" in wfc("runs", "upgrade", "two").err
    assert "no run of `shop` is under way" in wfc("runs", "upgrade", "--workflow", "shop").err
    spec.write_text(SPEC.replace("accepts: Large", "accepts: Lage"))
    wrong = wfc("runs", "upgrade", "one")
    assert (wrong.status, wrong.out) == (1, "")
    assert "unknown-event" in wrong.err
    spec.rename(spec.with_name("other.yaml"))
    assert "name the new version by `--with SPEC`" in wfc("runs", "upgrade", "one").err
    other = spec.with_name("shop.yaml")
    other.write_text(SPEC.replace("workflow: refund", "workflow: shop"))
    gone = wfc("runs", "upgrade", "one", "--with", str(other))
    assert gone.status == 1
    assert "there is no workflow `refund` in the new version [workflow-removed]" in gone.out


@pytest.mark.parametrize("way", ["upgrade", "resume", "retry"])
def test_a_workflow_gets_another_name_while_a_run_waits(wfc: Any, spec: Path, way: str) -> None:
    wfc("run", str(spec), "-i", "amount=5", "--run-id", "one")
    renamed = spec.with_name("shop.yaml")
    text = SPEC.replace("workflow: refund", "workflow: shop") + "moved: {workflow.refund: shop}\n"
    renamed.write_text(text)
    if way == "upgrade":
        (told,) = lines(wfc("runs", "upgrade", "one", "--with", str(renamed), "--format", "json").out)
        assert [one["rule"] for one in told["verdicts"]] == ["workflow-renamed"]
        assert (told["means"], told["moved"]) == ("migrated", True)
    elif way == "resume":
        assert wfc("runs", "resume", "one", str(renamed)).status == 3
    else:
        wfc("runs", "cancel", "one")
        retried = wfc("runs", "retry", "one", "--with", str(renamed), "--yes")
        assert retried.status == 3, retried.err
    (row,) = lines(wfc("runs", "list", "--format", "json").out)
    assert row["workflow"] == "shop"
    spec.unlink()
    (task,) = lines(wfc("tasks", "list", "--format", "json").out)
    answered = wfc("tasks", "answer", task["task"], '{"ok": true}')
    assert json.loads(answered.out)["with"] == {"said": "5 5 true"}


def test_versions_of_a_workflow_go_on_under_one_worker(wfc: Any, spec: Path) -> None:
    wfc("run", str(spec), "-i", "amount=5", "--run-id", "old")
    wfc("run", str(spec), "-i", "amount=6", "--run-id", "moved")
    spec.write_text(RENAMED)
    wfc("run", str(spec), "-i", "amount=7", "--run-id", "new")
    assert wfc("runs", "upgrade", "moved").status == 0
    for task in lines(wfc("tasks", "list", "--format", "json").out):
        wfc("tasks", "answer", task["task"], '{"ok": true}')
    assert wfc("worker", "--until-idle").status == 0
    ends = {
        row["run"]: json.loads(wfc("runs", "show", row["run"], "--format", "json").out)["outcome"]["with"][
            "said"
        ]
        for row in lines(wfc("runs", "list", "--format", "json").out)
    }
    assert ends == {"old": "5 5 true", "moved": "new 6 6 true", "new": "new 7 7 true"}


CONVERTED = (
    SPEC.replace("state: {sum: {type: integer, default: 0}}", 'state: {total: {type: decimal, default: "0"}}')
    .replace("state.sum", "state.total")
    .replace('save: {sum: "${{ event.amount }}"}', 'save: {total: "${{ event.amounts | sum }}"}')
    .replace("Asked: {amount: integer}", "Asked: {amounts: list of integer}")
    .replace("Large: {amount: integer}", "Large: {amounts: list of integer}")
    .replace("Pay ${{ event.amount }}", "Pay ${{ event.amounts | sum }}")
    .replace("${{ event.amount }} ${{", "${{ event.amounts | join(' + ') }} = ${{")
    + """
migrate:
  state:
    from: {sum: integer}
    to: {total: "${{ old.sum }}"}
  Asked:
    from: {amount: integer}
    to: {amounts: ["${{ old.amount - 1 }}", 1]}
  Large:
    from: {amount: integer}
    to: {amounts: ["${{ old.amount - 1 }}", 1]}
"""
)


def test_values_of_a_waiting_run_are_converted_as_the_spec_says(wfc: Any, spec: Path) -> None:
    wfc("run", str(spec), "-i", "amount=5", "--run-id", "one")
    spec.write_text(CONVERTED)
    assert wfc("check", str(spec)).status == 0, wfc("check", str(spec)).out
    would = wfc("runs", "upgrade", "one", "--dry-run")
    assert (would.status, would.out.splitlines()[1:]) == (
        0,
        [
            "  `Asked.amounts` is made of what the run has [start-event-field-converted]",
            "  `Large.amounts` is made of what the run has [event-field-converted]",
            "  `state.total` is made of what the run has [state-field-converted]",
        ],
    )
    assert wfc("runs", "upgrade", "one").status == 0
    shown = json.loads(wfc("runs", "show", "one", "--format", "json").out)
    assert shown["state"] == {"total": "5"}
    again = lines(wfc("runs", "upgrade", "one", "--format", "json").out)
    assert again[0]["means"] == "same version", "nothing is converted twice"
    (task,) = lines(wfc("tasks", "list", "--format", "json").out)
    answered = wfc("tasks", "answer", task["task"], '{"ok": true}')
    assert json.loads(answered.out)["with"] == {"said": "4 + 1 = 5 true"}
