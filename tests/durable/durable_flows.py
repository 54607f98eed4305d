"""The workflows that are killed, as specs, with their tools, and what they end with if nobody kills them."""

from __future__ import annotations

from typing import Any, NamedTuple

TOOLS = '''\
"""Tools that write down each call, outside of what is killed."""
import json, os, time


def note(run, call, number):
    line = json.dumps({"at": time.time_ns(), "run": run, "call": call, "n": number}) + "\\n"
    handle = os.open(os.environ["WFC_EFFECTS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, line.encode())
    os.close(handle)


def calls(run, call, number):
    with open(os.environ["WFC_EFFECTS"]) as file:
        return sum(1 for one in map(json.loads, file) if (one["run"], one["call"], one["n"]) == (run, call, number))


def work(run: str, n: int) -> int:
    note(run, "work", n)
    time.sleep(0.002)
    return n + 1


def flaky(run: str, n: int) -> int:
    note(run, "flaky", n)
    if n % 3 == 0 and calls(run, "flaky", n) < 2:
        raise ConnectionError("not now")
    return n * n
'''

LOOP = """\
wfc: 1
workflow: loop
start: Go
end: Done
state: {seen: {type: list of integer, default: []}}
events:
  Go: {n: integer}
  Turn: {n: integer}
  Done: {n: integer, seen: list of integer}
steps:
  begin:
    kind: transform
    accepts: Go
    emit: {event: Turn, with: {n: 0}}
  work:
    kind: tool
    accepts: Turn
    tool: {python: "effects:work"}
    with: {run: "${{ run.id }}", n: "${{ event.n }}"}
    output: integer
    max_runs: 100
    on_limit: {event: Done, with: {n: 0, seen: []}}
    save: {seen: "${{ state.seen + [result] }}"}
    emit:
      - {event: Done, when: result >= 20, with: {n: "${{ result }}", seen: "${{ state.seen }}"}}
      - {event: Turn, with: {n: "${{ result }}"}}
"""

BATCH = """\
wfc: 1
workflow: batch
start: Go
end: Done
events:
  Go: {n: integer}
  Left: {}
  Right: {}
  Rested: {}
  Found: {squares: list of integer}
  Done: {squares: list of integer, n: integer}
steps:
  split:
    kind: transform
    accepts: Go
    emit: {all: [Left, Right]}
  squares:
    kind: map
    accepts: Left
    in: "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
    as: number
    do:
      kind: tool
      tool: {python: "effects:flaky"}
      with: {run: "${{ run.id }}", n: "${{ number }}"}
      output: integer
    max: 20
    concurrency: 3
    retry: {max_attempts: 3, delay: 20 ms}
    emit: {event: Found, with: {squares: "${{ result }}"}}
  rest:
    kind: wait
    accepts: Right
    for: 50 ms
    emit: Rested
  meet:
    kind: transform
    accepts: {all: [Found, Rested]}
    emit: {event: Done, with: {squares: "${{ events.Found.squares }}", n: "${{ inputs.n }}"}}
"""

ASK = """\
wfc: 1
workflow: ask
start: Go
end: [Done, Late]
events:
  Go: {n: integer}
  Ready: {n: integer}
  Told: {n: integer}
  Done: {n: integer, note: string}
  Late: {}
state: {note: {type: string, default: ""}}
steps:
  before:
    kind: tool
    accepts: Go
    tool: {python: "effects:work"}
    with: {run: "${{ run.id }}", n: "${{ event.n }}"}
    output: integer
    emit: {event: Ready, with: {n: "${{ result }}"}}
  ask:
    kind: human
    accepts: Ready
    title: "${{ event.n }}?"
    form: {n: integer, note: string}
    within: 1h
    on_timeout: Late
    save: {note: "${{ result.note }}"}
    emit: {event: Told, with: {n: "${{ result.n }}"}}
  after:
    kind: tool
    accepts: Told
    tool: {python: "effects:work"}
    with: {run: "${{ run.id }}", n: "${{ event.n }}"}
    output: integer
    emit: {event: Done, with: {n: "${{ result }}", note: "${{ state.note }}"}}
"""


class Flow(NamedTuple):
    """A workflow, and what is true of each of its runs.

    Args:
        end: The fields of its end event.
        expected: How often each call is made if nobody is killed: by call and number.
        at_once: How many calls may be under way at the moment of a kill.
    """

    name: str
    spec: str
    end: dict[str, Any]
    expected: dict[tuple[str, int], int]
    at_once: int


FLOWS = {
    flow.name: flow
    for flow in (
        Flow(
            "loop",
            LOOP,
            {"n": 20, "seen": list(range(1, 21))},
            {("work", n): 1 for n in range(20)},
            1,
        ),
        Flow(
            "batch",
            BATCH,
            {"squares": [n * n for n in range(10)], "n": 0},
            {("flaky", n): 2 if n % 3 == 0 else 1 for n in range(10)},
            3,
        ),
        Flow("ask", ASK, {"n": 42, "note": "yes"}, {("work", 0): 1, ("work", 41): 1}, 1),
    )
}
