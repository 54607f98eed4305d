"""``wfc worker``, ``wfc send`` and ``wfc runs follow`` with processes that are killed, over a store in a file."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.store.sql.tables import FORMAT

LOOP = """\
wfc: 1
workflow: loop
start: Begun
end: Over
key: inputs.name
receives: {Ended: {key: name}}
events:
  Begun: {name: string}
  Turn: {n: integer}
  Ended: {name: string, why: string}
  Waited: {}
  Over: {why: string}
steps:
  work:
    kind: tool
    accepts: [Begun, Turn]
    max_runs: 20
    on_limit: Waited
    tool: {python: "effects:work"}
    with: {name: "${{ inputs.name }}"}
    output: integer
    emit:
      - {event: Turn, when: result < 6, with: {n: "${{ result }}"}}
      - Waited
  hear:
    kind: wait
    accepts: Waited
    event: Ended
    within: 60d
    on_timeout: {event: Over, with: {why: time}}
    emit: {event: Over, with: {why: "${{ result.why }}"}}
"""

EFFECTS = """\
import os, time

def work(name: str) -> int:
    with open("effects.txt", "a") as file:
        file.write(name + "\\n")
    with open("effects.txt") as file:
        count = file.read().split().count(name)
    while count > 2 and os.path.exists("hold.txt"):
        time.sleep(0.02)
    return count
"""

WORKER = ("worker", "--format", "json")


@pytest.fixture
def start(
    wfc: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts ``wfc`` in a process of its own, in a folder with a spec and a store; all are killed in the end."""
    monkeypatch.setenv("WFC_STORE", "sqlite:///runs.db")
    (tmp_path / "loop.yaml").write_text(LOOP)
    (tmp_path / "effects.py").write_text(EFFECTS)
    begun: list[subprocess.Popen[str]] = []

    def call(*args: str) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-c",
            "import sys; from wfc.compiler.cli import main; sys.exit(main())",
            *args,
        ]
        begun.append(
            subprocess.Popen(
                command,
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=os.environ,
            )
        )
        return begun[-1]

    yield call
    for process in begun:
        process.kill()
        process.communicate()


def until(holds: Callable[[], object], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it does not come to be"
        time.sleep(0.02)


def effects() -> Counter[str]:
    path = Path("effects.txt")
    return Counter(path.read_text().split()) if path.exists() else Counter()


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


@pytest.mark.full
def test_a_killed_worker_s_runs_go_on_elsewhere_and_who_follows_misses_nothing(wfc: Any, start: Any) -> None:
    for name in ("a", "b"):
        assert wfc("run", "loop.yaml", "-i", f"name={name}", "--detach", "--run-id", name).status == 0
    follower = start("runs", "follow", "a", "--format", "json")
    Path("hold.txt").touch()  # so that it is killed in the middle of both, however long that takes
    worker = start(*WORKER)
    until(lambda: effects() == {"a": 3, "b": 3})
    worker.kill()
    worker.wait()
    Path("hold.txt").unlink()
    (left,) = (row for row in rows(wfc("runs", "list", "--format", "json").out) if row["run"] == "a")
    assert (left["status"], left["note"]) == ("live", "nobody works on it")
    second = start(*WORKER)
    until(
        lambda: (
            Counter(row["status"] for row in rows(wfc("runs", "list", "--format", "json").out))["parked"] == 2
        )
    )
    assert effects() == {"a": 6, "b": 6}, "what was cut off is done once more, and counts"
    sent = wfc("send", 'Ended={"name": "a", "why": "enough"}', "--run", "a", "--id", "m")
    assert (sent.status, "worker takes the run up" in sent.err) == (0, True), sent.err
    assert follower.wait(300) == 0
    told = rows(follower.communicate()[0])
    numbers = list(dict.fromkeys(row["tick"] for row in told))
    assert numbers == list(range(1, len(numbers) + 1)), "no gap"
    assert len({(row["tick"], row.get("part")) for row in told}) == len(told), "no repeat"
    assert told[-1]["event"] == "Over"
    assert told[-1]["with"] == {"why": "enough"}
    rest = rows(wfc("runs", "follow", "a", "--since", "5", "--format", "json").out)
    assert rest == [row for row in told if row["tick"] > 5]
    second.send_signal(signal.SIGTERM)
    assert second.wait(300) == 0
    notes = rows(second.communicate()[1])
    assert {(note["run_id"], note["what"]) for note in notes} >= {
        ("a", "begins"),
        ("a", "rests"),
        ("b", "rests"),
        ("a", "done"),
    }
    assert wfc("store", "check").status == 0


def test_what_is_sent_is_held_against_what_the_run_receives(wfc: Any, start: Any) -> None:
    Path("effects.txt").write_text("a " * 9)
    assert wfc("run", "loop.yaml", "-i", "name=a", "--detach", "--run-id", "one").status == 0
    assert wfc("worker", "--until-idle").status == 0
    for args, status, told in (
        (['Ended={"name": "a"}', "--run", "one"], 1, "why"),
        (['Ended={"name": "b", "why": "x"}', "--run", "one"], 1, "with another key"),
        (["Other={}", "--run", "one"], 1, "receives `Ended`"),
        (["Ended={", "--run", "one"], 2, "not JSON"),
        (["Ended=[]", "--run", "one"], 2, "is not `EVENT=JSON`"),
        (["Ended={}", "--run", "two"], 1, "there is no run `two`"),
        (["Ended={}", "--workflow", "loop", "--key", "z"], 1, "no run of `loop` with the key 'z'"),
        (["Ended={}"], 2, "name the run"),
    ):
        refused = wfc("send", *args)
        assert (refused.status, refused.out) == (status, ""), args
        assert told in refused.err, refused.err
    for why in ("first", "second"):  # the second has the id of the first
        text = json.dumps({"name": "a", "why": why})
        sent = wfc("send", f"Ended={text}", "--workflow", "loop", "--key", "a", "--id", "m")
        assert (sent.status, "nobody works on it: wfc runs resume one" in sent.err) == (0, True)
    (row,) = rows(wfc("runs", "list", "--format", "json").out)
    assert row["waits for"] == "hear: an event"
    (posted, _) = json.loads(wfc("runs", "show", "one", "--format", "json").out)["posted"]
    assert posted["fields"] == {"name": "a", "why": "first"}
    assert wfc("worker", "--until-idle").status == 0
    assert json.loads(wfc("runs", "show", "one", "--format", "json").out)["outcome"]["with"] == {
        "why": "first"
    }
    refused = wfc("send", 'Ended={"name": "a", "why": "x"}', "--run", "one")
    assert (refused.status, "the run one is over" in refused.err) == (1, True), refused.err


def test_a_worker_leaves_what_it_has_no_code_for(wfc: Any, start: Any) -> None:
    assert wfc("run", "loop.yaml", "-i", "name=a", "--detach", "--run-id", "one").status == 0
    Path("other.yaml").write_text(LOOP.replace("workflow: loop", "workflow: other"))
    done = wfc("worker", "other.yaml", "--until-idle")
    assert (done.status, effects()) == (0, Counter())
    assert "`loop` is not among the workflows of this worker" in done.err
    for kept in Path().rglob("versions/loop/*.json"):
        kept.unlink()
    done = wfc("worker", "--until-idle")
    assert (done.status, effects()) == (0, Counter())
    assert "is not there" in done.err


def test_a_store_is_copied_and_damage_is_found(wfc: Any, start: Any) -> None:
    assert wfc("run", "loop.yaml", "-i", "name=a", "--detach", "--run-id", "one").status == 0
    assert wfc("store", "backup", "copy.db").status == 0
    assert "is there already" in wfc("store", "backup", "copy.db").err
    (row,) = rows(wfc("runs", "list", "--store", "sqlite:///copy.db", "--format", "json").out)
    assert row["run"] == "one"
    assert wfc("store", "migrate").err.endswith(f"has the format {FORMAT}\n")
    import sqlite3

    with closing(sqlite3.connect("copy.db")) as connection, connection:
        connection.execute("INSERT INTO ticks (run, seq, body) VALUES (1, 1, '[]'), (1, 3, '[]')")
    found = wfc("store", "check", "--store", "sqlite:///copy.db")
    assert (found.status, found.out) == (1, "the journal of the run one has a gap\n")
    with closing(sqlite3.connect("copy.db")) as connection, connection:
        connection.execute("UPDATE meta SET format = 99")
    refused = wfc("runs", "list", "--store", "sqlite:///copy.db")
    assert (refused.status, "has the format 99" in refused.err) == (1, True)


def test_what_is_over_is_forgotten_and_what_is_not_needed_is_pruned(wfc: Any, start: Any) -> None:
    Path("effects.txt").write_text("a b " * 9)
    for name in ("a", "b"):
        assert wfc("run", "loop.yaml", "-i", f"name={name}", "--detach", "--run-id", name).status == 0
    assert wfc("worker", "--until-idle").status == 0
    refused = wfc("runs", "forget", "a")
    assert (refused.status, "is not over" in refused.err) == (1, True)
    told = wfc("runs", "prune", "b").err
    assert int(told.removeprefix("b: ").split()[0]) > 0
    assert [
        line["status"] for line in json.loads(wfc("runs", "show", "b", "--format", "json").out)["steps"]
    ] == ["waits"]
    gone = wfc("runs", "follow", "b", "--no-wait")
    assert (gone.status, "is pruned" in gone.err) == (1, True)
    assert wfc("runs", "cancel", "a").status == 0
    exported = json.loads(wfc("runs", "export", "a").out)
    assert (exported["status"], exported["ticks"][0]["kind"]) == ("cancelled", "started")
    assert wfc("runs", "follow", "a").status == 1
    assert wfc("runs", "forget", "--key", "a", "--dry-run").out == "a\n"
    assert wfc("runs", "forget", "--older-than", "1").out == ""
    assert wfc("runs", "forget", "--key", "a").out == "a\n"
    assert [row["run"] for row in rows(wfc("runs", "list", "--format", "json").out)] == ["b"]
    assert wfc("runs", "show", "a").status == 1
    assert wfc("runs", "forget").status == 2
    assert wfc("store", "check").status == 0


def fetch(port: int, path: str) -> tuple[int, str, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, reply.headers["Content-Type"], reply.read().decode()
    finally:
        connection.close()


@pytest.mark.full
def test_a_worker_serves_its_figures_to_this_machine_and_logs_with_run_ids(wfc: Any, start: Any) -> None:
    assert wfc("run", "loop.yaml", "-i", "name=a", "--detach", "--run-id", "a").status == 0
    worker = start(*WORKER, "--metrics", "0")
    match = None
    while match is None:
        match = re.search(r"http://127\.0\.0\.1:(\d+)/metrics", worker.stderr.readline())
    port = int(match[1])

    def figures() -> list[str]:
        status, kind, body = fetch(port, "/metrics")
        assert (status, kind.startswith("text/plain; version=0.0.4")) == (200, True)
        return body.splitlines()

    until(lambda: 'wfc_store_runs{workflow="loop",status="parked"} 1' in figures())
    until(lambda: 'wfc_worker_runs_total{workflow="loop",what="rests"} 1' in figures())
    until(lambda: "wfc_worker_runs_under_way 0" in figures())
    found = figures()
    assert 'wfc_store_tasks{overdue="false"} 0' in found
    assert "# TYPE wfc_worker_runs_total counter" in found
    assert fetch(port, "/other")[0] == 404
    worker.send_signal(signal.SIGTERM)
    _, told = worker.communicate(timeout=300)
    assert worker.returncode == 0
    logged = rows(told)
    assert [(one["run_id"], one["what"]) for one in logged] == [("a", "begins"), ("a", "rests")]
    assert all(one["at"].startswith("20") for one in logged)


def test_a_port_that_is_taken_is_said(wfc: Any, start: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = wfc("worker", "--until-idle", "--metrics", str(port))
    assert (done.status, f"nothing can be served at the port {port}" in done.err) == (1, True)
