"""The setting ``tell``: a program, an address or a workflow is told of what waits for people, by real processes."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

ASK = """\
wfc: 1
workflow: ask
start: Asked
end: Done
events:
  Asked: {name: string}
  Done: {ok: boolean}
steps:
  approve:
    kind: human
    accepts: Asked
    assign: ["user:ann"]
    title: Ship ${{ inputs.name }}?
    form: {ok: boolean}
    within: 30d
    on_timeout: {event: Done, with: {ok: false}}
    emit: {event: Done, with: {ok: "${{ result.ok }}"}}
"""

NOTIFY = """\
wfc: 1
workflow: notify
start: Told
end: Over
events:
  Told: {title: string, command: string, to: list of string, task: optional string}
  Over: {}
steps:
  write:
    kind: command
    accepts: Told
    command: [./note, "${{ event.title }}"]
    stdin: ${{ event.command }}
    emit: Over
"""

NOTE = f"""#!{sys.executable}
import os, sys
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "notes.txt"), "a") as file:
    file.write(" ".join(sys.argv[1:]) + "|" + sys.stdin.read().replace("\\n", " ") + "\\n")
sys.exit(int(os.path.exists(os.path.join(os.path.dirname(os.path.abspath(__file__)), "fails"))))
"""


@pytest.fixture
def project(wfc: Any, tmp_path: Path) -> Path:
    (tmp_path / "ask.yaml").write_text(ASK)
    (tmp_path / "notify.yaml").write_text(NOTIFY)
    note = tmp_path / "note"
    note.write_text(NOTE)
    note.chmod(note.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def settings(folder: Path, tell: str) -> None:
    (folder / "wfc.toml").write_text(f'commands = ["./note"]\nstore = "sqlite:///runs.db"\n[tell]\n{tell}\n')


def notes(folder: Path) -> list[str]:
    path = folder / "notes.txt"
    return path.read_text().splitlines() if path.exists() else []


def test_a_program_reads_of_a_question_with_the_command_that_answers(wfc: Any, project: Path) -> None:
    settings(project, 'program = ["./note", "told"]\npeople = {"user:ann" = "ann@example.com"}')
    done = wfc("run", "ask.yaml", "-i", "name=tea", "--run-id", "one")
    assert done.status == 3 and "nobody is told" not in done.err
    (line,) = notes(project)
    head, _, body = line.partition("|")
    message = json.loads(body)
    assert head == "told"
    assert (message["what"], message["title"], message["to"]) == ("task", "Ship tea?", ["ann@example.com"])
    assert message["command"] == "wfc tasks answer one/approve/1 '{\"ok\": …}'"
    assert message["link"] == ""  # for there is no page
    done = wfc("tasks", "answer", "one/approve/1", "-i", "ok=yes")
    assert done.status == 0
    assert len(notes(project)) == 1, "told once"


def test_a_message_leads_to_the_page_that_the_settings_name(wfc: Any, project: Path) -> None:
    settings(project, 'program = ["./note", "told"]\npage = "https://desk.example/wfc/"')
    assert wfc("run", "ask.yaml", "-i", "name=tea", "--run-id", "one").status == 3
    (line,) = notes(project)
    assert json.loads(line.partition("|")[2])["link"] == "https://desk.example/wfc/#/inbox/one%2Fapprove%2F1"


def test_a_workflow_is_started_with_each_message_and_nobody_is_told_of_it(wfc: Any, project: Path) -> None:
    settings(project, 'workflow = "notify.yaml"')
    (project / "fails").touch()  # so that its own run fails, which would be told without end
    assert wfc("run", "ask.yaml", "-i", "name=tea", "--run-id", "one").status == 3
    assert [note.partition("|")[0] for note in notes(project)] == ["Ship tea?"]
    for _ in range(2):
        assert wfc("worker", "--until-idle").status == 0
    (run,) = (
        row
        for row in map(json.loads, wfc("runs", "list", "--format", "json").out.splitlines())
        if row["workflow"] == "notify"
    )
    assert run["status"] == "failed"
    assert len(notes(project)) == 1


def test_a_run_put_aside_is_told_by_the_worker(wfc: Any, project: Path) -> None:
    settings(project, 'program = ["./note"]')
    assert wfc("run", "ask.yaml", "-i", "name=tea", "--run-id", "one", "--detach").status == 0
    assert notes(project) == []
    assert wfc("worker", "--until-idle").status == 0
    assert len(notes(project)) == 1


def test_who_starts_a_run_is_told_once_that_nobody_hears_of_its_questions(wfc: Any, project: Path) -> None:
    said = "nobody is told when `approve` asks"
    done = wfc("run", "ask.yaml", "-i", "name=tea", "--store", "sqlite:///runs.db")
    assert done.err.count(said) == 1
    settings(project, 'program = ["./note"]\nof = ["failed"]')
    assert said in wfc("run", "ask.yaml", "-i", "name=tea").err
    settings(project, 'program = ["./note"]')
    assert said not in wfc("run", "ask.yaml", "-i", "name=tea").err


def test_a_told_workflow_that_does_not_take_the_message_is_said_in_the_run(wfc: Any, project: Path) -> None:
    (project / "notify.yaml").write_text(NOTIFY.replace("title: string,", "title: string, floor: integer,"))
    settings(project, 'workflow = "notify.yaml"')
    assert wfc("run", "ask.yaml", "-i", "name=tea", "--run-id", "one").status == 3
    shown = json.loads(wfc("runs", "show", "one", "--format", "json").out)
    (message,) = shown["messages"]
    assert "floor" in message["became"] and message["ended"] is None
    assert "\nmessages:\n" in wfc("runs", "show", "one").out


@pytest.mark.parametrize(
    ("tell", "said", "at"),
    [
        ("", "`tell` says nothing of how to tell", "3:2"),
        ('program = ["other"]', "`other` is not allowed: name it under `commands` too", "4:1"),
        ('program = "./note"', "must be a list", "4:1"),
        (
            'program = ["./note"]\naddress = "https://x.example"',
            "has `program`, `address`, and needs one",
            "5:1",
        ),
        ('address = "ftp://x"', "must be an address", "4:1"),
        ('address = "https://user:secret@x.example"', "must be an address", "4:1"),
        ('address = {secret = "no name"}', "must be an address", "4:1"),
        ('workflow = "notify"', "must be the path of a spec", "4:1"),
        ('program = ["./note"]\nof = ["tasks"]', "there is no `tasks` to tell", "5:1"),
        ('program = ["./note"]\nof = []', "must be a list of", "5:1"),
        ('program = ["./note"]\npeople = {ann = 1}', "must be a table of addresses", "5:1"),
        ('program = ["./note"]\npage = "desk"', "must be the address of the server's page", "5:1"),
        ('program = ["./note"]\npage = "https://x.example/#/runs"', "must be the address of the", "5:1"),
        ('program = ["./note"]\nwho = 1', "`tell.who` is no setting", "5:1"),
    ],
)
def test_wrong_settings_are_found_where_they_are_and_stop_a_run(
    wfc: Any, project: Path, tell: str, said: str, at: str
) -> None:
    settings(project, tell)
    checked = wfc("check", "ask.yaml")
    assert (checked.status, checked.out.count("[wrong-tell]")) == (1, 1)
    assert f"wfc.toml:{at}: error: " in checked.out and said in checked.out
    done = wfc("run", "ask.yaml", "-i", "name=tea")
    assert (done.status, said in done.err) == (2, True)
    assert not os.path.exists("runs.db")
