"""``wfc run --store``, ``wfc runs`` and ``wfc tasks``: a run outlives its process, and is answered another day."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

ASK = """\
wfc: 1
workflow: ask
start: Asked
end: [Done, Refused]
events:
  Asked: {name: string}
  Go: {}
  Done: {note: string, by: string}
  Refused: {}
steps:
  prepare:
    kind: transform
    accepts: Asked
    emit: Go
  approve:
    kind: human
    accepts: Go
    title: Ship ${{ inputs.name }}?
    form: {ok: boolean, note: {type: string, default: ""}}
    require: [{that: result.note != "bad", say: That is bad.}]
    within: 30d
    on_timeout: Refused
    emit:
      - {event: Done, when: result.ok, with: {note: "${{ result.note }}", by: first}}
      - Refused
"""

OUTER = """\
wfc: 1
workflow: outer
start: Begun
end: Over
events:
  Begun: {name: string}
  Over: {note: string}
steps:
  inner:
    kind: workflow
    accepts: Begun
    workflow: ask
    with: {name: "${{ event.name }}"}
    emit:
      - {event: Over, when: 'result is Done', with: {note: "${{ result.note }}"}}
      - {event: Over, with: {note: refused}}
"""


@pytest.fixture
def spec(tmp_path: Path) -> str:
    path = tmp_path / "ask.yaml"
    path.write_text(ASK)
    return str(path)


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_question_is_answered_another_day_by_the_version_that_asked(wfc: Any, spec: str) -> None:
    done = wfc("run", spec, "-i", "name=tea")
    assert (done.status, done.out) == (3, "")
    (task,) = rows(wfc("tasks", "list", "--format", "json").out)
    assert (task["title"], task["status"], task["workflow"]) == ("Ship tea?", "open", "ask")
    (run,) = rows(wfc("runs", "list", "--format", "json").out)
    assert (run["status"], run["tasks"], run["note"]) == ("parked", 1, "")
    shown = wfc("tasks", "show", task["task"]).out
    assert "Ship tea?\n  ok: yes or no\n" in shown
    assert f"""wfc tasks answer {task["task"]} '{{"ok": …}}'""" in shown
    Path(spec).write_text(ASK.replace("by: first", "by: second"))
    for wrong, told in (
        (["{"], "is not JSON"),
        (['{"ok": 5}'], "does not fit"),
        (['{"ok": true, "note": "bad"}'], "That is bad."),
        (["-i", "okay=yes"], "no such field; it has `ok`, `note`"),
        (["-i", "note=x"], "lacks `ok`"),
        (["{}", "-i", "ok=yes"], "given twice"),
    ):
        refused = wfc("tasks", "answer", task["task"], *wrong)
        assert refused.status in {1, 2}
        assert told in refused.err
        assert not refused.out
    done = wfc("tasks", "answer", task["task"], "-i", "ok=yes", "-i", "note=fine")
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Done", "with": {"note": "fine", "by": "first"}}
    again = wfc("tasks", "answer", task["task"], '{"ok": false}')
    assert (again.status, again.err) == (0, "it is answered already\n")
    assert wfc("tasks", "list", "--format", "json").out == ""
    (closed,) = rows(wfc("tasks", "list", "--all", "--format", "json").out)
    assert closed["status"] == "answered"
    ended = wfc("runs", "resume", run["run"])
    assert (ended.status, ended.err) == (1, f"Error: the run {run['run']} is over\n")


def test_a_run_with_a_store_is_kept_from_its_start(
    wfc: Any, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WFC_STORE", "sqlite:///kept/x.db?synchronous=normal")
    done = wfc("run", spec, "-i", "name=tea", "--run-id", "one", "--answer", 'approve={"ok": true}')
    assert done.status == 0
    assert done.err.startswith("run one\n")
    assert "status: done" in wfc("runs", "show", "one").out
    shown = wfc("runs", "show", "one", "--ticks").out
    assert [line.split()[3] for line in shown.splitlines() if re.match(r"\d+ +2", line)] == [
        "started",
        "completed",
        "paused",
        "answered",
        "completed",
    ]
    (first, *_) = rows(wfc("runs", "show", "one", "--ticks", "--format", "json").out)
    assert first["kind"] == "started"
    again = wfc("run", spec, "-i", "name=tea", "--run-id", "one", "--answer", 'approve={"ok": true}')
    assert again.status == 1
    assert "a run with the id 'one' already" in again.err
    assert not (Path(spec).parent / ".wfc").exists()


@pytest.mark.parametrize("is_seen", [True, False], ids=["before it begins", "as it comes to rest"])
def test_an_id_that_the_store_has_is_refused_to_a_run_that_comes_there_later(
    wfc: Any, spec: str, monkeypatch: pytest.MonkeyPatch, is_seen: bool
) -> None:
    assert wfc("run", spec, "-i", "name=tea", "--run-id", "one").status == 3
    if not is_seen:  # as where somebody else takes the id meanwhile
        monkeypatch.setattr("wfc.compiler.cli.run.refuse_known_id", lambda keeping, run_id: None)
    done = wfc("run", spec, "-i", "name=coffee", "--run-id", "one")
    assert (done.status, done.out) == (1, "")
    assert "the store has a run with the id 'one'" in done.err
    assert "answer with" not in done.err
    (task,) = rows(wfc("tasks", "list", "--format", "json").out)
    assert task["title"] == "Ship tea?"


def test_a_run_that_is_put_aside_begins_when_it_is_resumed(wfc: Any, spec: str) -> None:
    put = wfc("run", spec, "-i", "name=tea", "--detach", "--run-id", "one")
    assert (put.status, put.out) == (0, "one\n"), put.err
    (run,) = rows(wfc("runs", "list", "--format", "json").out)
    assert (run["status"], run["note"]) == ("queued", "nobody works on it")
    refused = wfc("run", spec, "-i", "name=tea", "--detach", "--run-id", "one")
    assert (refused.status, refused.err) == (1, "Error: the store has a run with the id 'one'\n")
    resumed = wfc("runs", "resume", "one")
    assert resumed.status == 3
    assert "the run one rests in" in resumed.err
    cancelled = wfc("runs", "cancel", "one")
    assert (cancelled.status, cancelled.err) == (0, "one: cancelled\n")
    assert wfc("tasks", "list", "--format", "json").out == ""
    refused = wfc("tasks", "answer", "one/approve/2", '{"ok": true}')
    assert refused.status == 1
    assert "is closed: cancelled" in refused.err


def test_a_question_of_a_part_is_answered_too(wfc: Any, spec: str) -> None:
    path = Path(spec).parent / "outer.yaml"
    path.write_text(OUTER)
    done = wfc("run", str(path), "-i", "name=tea")
    assert done.status == 3, done.err
    (task,) = rows(wfc("tasks", "list", "--format", "json").out)
    assert re.fullmatch(r"\w+/inner/1/approve/2", task["task"])
    path.unlink()
    Path(spec).unlink()  # the code of both is kept
    done = wfc("tasks", "answer", task["task"], '{"ok": true, "note": "fine"}')
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Over", "with": {"note": "fine"}}
    assert {row["status"] for row in rows(wfc("runs", "list", "--format", "json").out)} == {"done"}


def test_what_is_wrong_with_a_store_is_said(wfc: Any, spec: str) -> None:
    for args in (["runs", "list"], ["tasks", "list"], ["runs", "resume", "x"], ["tasks", "answer", "x", "1"]):
        none = wfc(*args)
        assert (none.status, none.out) == (1, "")
        assert "there is no store at" in none.err
    assert not Path(spec).with_name(".wfc").exists()
    for address in ("mysql://x/y", "sqlite://", "sqlite:///x.db?synchronous=off", "sqlite://host/x.db"):
        wrong = wfc("run", spec, "-i", "name=tea", "--store", address)
        assert wrong.status == 2, address
        assert address in wrong.err
    Path("other.db").write_text("no database, but a text that is long enough to be taken for one" * 99)
    wrong = wfc("run", spec, "-i", "name=tea", "--store", "sqlite:///other.db")
    assert wrong.status == 1
    assert "cannot be opened" in wrong.err
    wfc("run", spec, "-i", "name=tea")
    assert "there is no run `x`" in wfc("runs", "show", "x").err
    assert "there is no task `x`" in wfc("tasks", "show", "x").err
    mocked = wfc("run", spec, "--mock", "x", "--store", "sqlite:///x.db")
    assert mocked.status == 2


def test_code_that_was_changed_after_it_was_kept_does_not_run(wfc: Any, spec: str) -> None:
    wfc("run", spec, "-i", "name=tea")
    (task,) = rows(wfc("tasks", "list", "--format", "json").out)
    (kept,) = (Path(".wfc") / "versions" / "ask").glob("*.json")
    kept.write_text(kept.read_text().replace("first", "third"))
    refused = wfc("tasks", "answer", task["task"], '{"ok": true}')
    assert refused.status == 1
    assert "is not what the run was started with" in refused.err
    kept.unlink()
    assert "is not there" in wfc("tasks", "answer", task["task"], '{"ok": true}').err
    # who names a spec wants that one
    run = task["task"].partition("/")[0]
    assert wfc("runs", "resume", run, spec).status == 3
    other = Path(spec).with_name("more.yaml")
    other.write_text(
        ASK.replace("kind: transform", "max_runs: 2\n    on_limit: Refused\n    kind: transform")
    )
    assert wfc("runs", "resume", run, str(other)).status == 3, (
        "it goes on with a limit on a step that has run"
    )
    other.write_text(ASK.replace("  approve:", "  allow:"))
    refused = wfc("runs", "resume", run, str(other))
    assert refused.status == 1
    assert "the step `approve` is gone, and the run waits in it [step-removed]" in refused.err
    assert wfc("tasks", "answer", task["task"], '{"ok": true}').status == 0, "it is where it was"


def test_settings_may_name_the_store(wfc: Any, spec: str) -> None:
    Path("wfc.toml").write_text('store = "sqlite:///there.db"\n')
    os.mkdir("below")
    assert "\nrun one\n" in wfc("run", spec, "-i", "name=tea", "--run-id", "one").err
    os.chdir("below")
    (task,) = rows(wfc("tasks", "list", "--format", "json").out)
    assert task["task"] == "one/approve/2"
    os.chdir("..")
    Path("wfc.toml").write_text("store = 1\n")
    assert "must be the address of a store" in wfc("tasks", "list").err


def test_a_question_is_passed_on_and_found_by_whom_it_asks(
    wfc: Any, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "ann")
    assert wfc("run", spec, "-i", "name=tea").status == 3
    (task,) = rows(wfc("tasks", "list", "--mine", "--format", "json").out)
    assert task["assigned"] == "", "anybody may answer"
    done = wfc("tasks", "delegate", task["task"], "--to", "user:bob", "--because", "he knows")
    assert (done.status, done.out, done.err) == (0, "", "user:bob is asked\n")
    assert wfc("tasks", "list", "--mine", "--format", "json").out == ""
    for whom in ("bob", "user:bob"):
        (task,) = rows(wfc("tasks", "list", "--for", whom, "--format", "json").out)
        assert task["assigned"] == "user:bob (from user:ann)"
    assert wfc("tasks", "list", "--for", "user:ann").out.splitlines()[1:] == []
    shown = wfc("tasks", "show", task["task"]).out
    assert "for user:bob\npassed on to user:bob by user:ann, " in shown
    assert ": he knows\n" in shown
    found = json.loads(wfc("tasks", "show", task["task"], "--format", "json").out)
    assert [one["because"] for one in found["passed_on"]] == ["he knows"]
    assert wfc("tasks", "list", "--overdue", "--format", "json").out == ""
    assert wfc("tasks", "answer", task["task"], "-i", "ok=yes").status == 0
    done = wfc("tasks", "delegate", task["task"], "--to", "user:cleo")
    assert (done.status, "closed: answered" in done.err) == (1, True)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--to", "user:bob"), "there is no task `nothing`"),
        (("--to", " "), "` ` is no name of a person or a group"),
        (("--to", "a,b"), "`a,b` is no name"),
        (("--to", "x", "--by", "a,b"), "`--by a,b` is no name"),
        (("--to", "x", "--because", "y" * 1001), "longer than 1000"),
        ((), "--to"),
    ],
)
def test_a_question_that_cannot_be_passed_on_is_said_to_be_so(
    wfc: Any, spec: str, args: tuple[str, ...], said: str
) -> None:
    assert wfc("run", spec, "-i", "name=tea", "--detach").status == 0
    done = wfc("tasks", "delegate", "nothing", *args)
    assert done.status in (1, 2)
    assert said in done.err


def test_mine_and_somebody_else_s_is_too_much(wfc: Any, spec: str) -> None:
    assert wfc("run", spec, "-i", "name=tea", "--detach").status == 0
    done = wfc("tasks", "list", "--mine", "--for", "bob")
    assert (done.status, "leave one out" in done.err) == (2, True)


def test_a_project_that_lies_elsewhere_has_the_same_versions(
    wfc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each machine has a folder of its own, and a folder may be moved while its runs rest."""
    files: dict[str, set[str]] = {}
    for machine in ("one", "two"):
        project = tmp_path / machine
        (project / "flows").mkdir(parents=True)
        (project / "flows" / "ask.yaml").write_text(ASK)
        (project / "wfc.toml").write_text('store = "sqlite:///.wfc/runs.db"\n')
        monkeypatch.chdir(project)
        assert wfc("run", "flows/ask.yaml", "-i", "name=tea", "--run-id", "r").status == 3
        files[machine] = {file.name for file in (project / ".wfc" / "versions").rglob("*.json")}
    assert files["one"] == files["two"] and len(files["one"]) == 1
    (tmp_path / "one").rename(tmp_path / "three")
    monkeypatch.chdir(tmp_path / "three")
    (task,) = rows(wfc("tasks", "list", "--format", "json").out)
    assert json.loads(wfc("tasks", "answer", task["task"], '{"ok": true}').out)["event"] == "Done"
