"""What a run has taken of errors, limits and time-outs, as `wfc run` tells it: when it happens, and at the end."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

SPEC = """\
wfc: 1
workflow: taking
start: Begun
end: [Done, Over]
key: inputs.id
receives: {Paid: {key: id}, Word: {key: id}}
config: {base: {type: string, format: uri, default: "BASE"}}
events:
  Begun: {id: string, parts: list of string}
  Paid: {id: string, n: integer}
  Word: {id: string}
  Down: {}
  Again: {}
  Items: {ns: list of integer}
  Slow: {}
  Fast: {}
  Slept: {}
  Awake: {}
  Parted: {}
  More: {n: integer}
  Done: {n: integer}
  Over: {why: string}
steps:
  call:
    kind: http
    accepts: Begun
    method: GET
    url: ${{ config.base }}/down
    retry: {max_attempts: 2, delay: 10 ms}
    on_error: Down
    emit: Down
  read:
    kind: map
    accepts: Down
    in: inputs.parts
    as: part
    max: 10
    do: {kind: http, method: GET, url: "${{ config.base }}/${{ part }}", output: {n: integer}}
    give: ${{ result.n }}
    on_item_error: skip
    emit: {event: Items, with: {ns: "${{ result }}"}}
  loop:
    kind: transform
    accepts: [Items, Again]
    max_runs: 2
    on_limit: {all: [Slow, Fast]}
    emit: Again
  sleep: {kind: wait, accepts: Slow, for: 1 min, emit: Slept}
  hurry: {kind: transform, accepts: Fast, emit: Awake}
  meet:
    kind: transform
    accepts: {all: [Slept, Awake], within: 50 ms, on_timeout: Parted}
    emit: Parted
  ask:
    kind: human
    accepts: Parted
    title: How many?
    form: {n: integer}
    require: [{that: result.n > 1, say: Too few.}]
    within: 1 h
    on_timeout: {event: Over, with: {why: nobody}}
    emit: {event: More, with: {n: "${{ result.n }}"}}
  pay:
    kind: wait
    accepts: More
    event: [Paid, Word]
    that: result is Word or result.n >= event.n
    within: 50 ms
    on_timeout: {event: Over, with: {why: not paid}}
    emit: {event: Done, with: {n: "${{ event.n }}"}}
"""
TAKEN = [
    "call took http.503 -> Down",
    "read took http.503 -> the item is left out, 2 times",
    "loop took limit -> Slow, Fast",
    "meet took timeout -> Parted",
]


class Service(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b'{"n": 1}'
        self.send_response(503 if "down" in self.path else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def spec(tmp_path: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    path = tmp_path / "taking.yaml"
    path.write_text(SPEC.replace("BASE", f"http://127.0.0.1:{server.server_port}"))
    yield str(path)
    server.shutdown()
    server.server_close()


def lines(told: str) -> list[str]:
    """Lines of progress without their times."""
    return [re.sub(r"^ *[\d.]+s  ", "", line) for line in told.splitlines()]


def summary(told: str) -> list[str]:
    return [line[len("on the way ") :] for line in lines(told) if line.startswith("on the way ")]


INPUTS = ["-i", "id=a", "-i", 'parts=["down", "up", "down"]']
ANSWERS = ["--answer", 'ask={"n": 1}', "--answer", 'ask={"n": 3}']


def test_what_is_taken_is_told_when_it_happens_and_summed_up_at_the_end(wfc: Any, spec: str) -> None:
    done = wfc("run", spec, *INPUTS, *ANSWERS)
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Over", "with": {"why": "not paid"}}
    told = lines(done.err)
    for step, name, goes_to in (
        ("call", "http.503", "Down"),
        ("read, item 1", "http.503", "the item is left out"),
        ("read, item 3", "http.503", "the item is left out"),
        ("loop", "limit", "Slow, Fast"),
        ("meet", "timeout", "Parted"),
        ("pay", "timeout", "Over"),
    ):
        assert [line for line in told if line.startswith(f"{step}: {name} is taken -> {goes_to}: ")], step
    assert summary(done.err) == [*TAKEN, "pay took timeout -> Over"]
    assert told[-len(TAKEN) - 1 :] == [line for line in told if line.startswith("on the way ")]
    assert [line for line in told if line.startswith("pay: waits for Paid or Word until 20")]
    assert "read -> Items" in told  # the event's own name, whatever Python makes of it


def test_answers_and_events_may_be_brought_as_often_as_wanted(wfc: Any, spec: str) -> None:
    paid = [option for n in (1, 2, 3) for option in ("--deliver", f'Paid={{"id": "a", "n": {n}}}')]
    done = wfc("run", spec, *INPUTS, *ANSWERS, *paid)
    assert done.status == 0, done.err
    assert json.loads(done.out) == {"event": "Done", "with": {"n": 3}}
    assert "`--answer ask=…`: the answer is not as required: Too few." in done.err
    assert summary(done.err) == TAKEN


def test_a_run_that_stops_for_a_question_sums_up_too(wfc: Any, spec: str) -> None:
    done = wfc("run", spec, *INPUTS)
    assert (done.status, done.out) == (3, "")
    assert summary(done.err) == TAKEN
    assert [line for line in lines(done.err) if line.startswith("ask: asks: How many? until 20")]
    assert "the run stopped: `ask` asks, and nobody is here to answer: How many?" in done.err
