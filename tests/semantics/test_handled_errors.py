"""`ErrorHandled`: what whoever watches a run is told of the errors, limits and time-outs that its steps take."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from wfc.runtime import Engine, StepFailedError
from wfc.runtime.errors import RunFailedError
from wfc.runtime.events import ErrorHandled
from wfc.runtime.testing import run_virtually

CALL = """\
  call:
    kind: tool
    accepts: Asked
    tool: {python: "stage:fail", args: {error: string, times: integer}}
    with: {error: http.503, times: TIMES}
"""
ALWAYS, TWICE = CALL.replace("TIMES", "99"), CALL.replace("TIMES", "2")
THRICE = "    retry: {max_attempts: 3}\n"
ITEMS = """\
  call:
    kind: map
    accepts: Asked
    in: "[1, 2, 4]"
    as: n
    max: 3
    do: {kind: tool, tool: {python: "stage:odd", output: integer}, with: {value: "${{ n }}"}}
    emit: Told
"""
PAUSES = """\
  left: {kind: wait, accepts: Asked, for: 1 s, emit: Left}
  right: {kind: wait, accepts: Asked, for: 9 s, emit: Right}
"""
CASES = {
    "an error that `on_error` takes": (
        "GivenUp",
        f"{ALWAYS}    on_error: GivenUp\n    emit: Told\n",
        [("call", "http.503", 1, ["GivenUp"])],
    ),
    "after the last attempt only": (
        "GivenUp",
        f"{ALWAYS}{THRICE}    on_error: GivenUp\n    emit: Told\n",
        [("call", "http.503", 3, ["GivenUp"])],
    ),
    "nothing if an attempt succeeds": (
        "GivenUp",
        f"{TWICE}{THRICE}    on_error: GivenUp\n    emit: Told\n",
        [],
    ),
    "nothing if no entry takes it": (
        "GivenUp",
        f"{ALWAYS}    on_error: [{{errors: [timeout], event: GivenUp}}]\n    emit: Told\n",
        [],
    ),
    "several events": (
        "Left Right",
        f"{ALWAYS}    on_error: {{all: [Left, Right]}}\n    emit: {{all: [Left, Right]}}\n"
        "  end: {kind: transform, accepts: {all: [Left, Right]}, emit: Told}\n",
        [("call", "http.503", 1, ["Left", "Right"])],
    ),
    "one event for each item": (
        "Left",
        f"{ALWAYS}    on_error: {{each: {{in: '[1, 2]', as: n, event: Left, max: 2}}}}\n    emit: Told\n"
        "  end: {kind: transform, accepts: {each: Left}, emit: Told}\n",
        [("call", "http.503", 1, ["Left"])],
    ),
    "several events, one of them for each item": (
        "Left Right Both",
        f"{ALWAYS}    on_error: {{all: [Right, {{each: {{in: '[1, 2]', as: n, event: Left, max: 2}}}}]}}\n"
        "    emit: Told\n"
        "  each: {kind: transform, accepts: {each: Left}, emit: Both}\n"
        "  end: {kind: transform, accepts: {all: [Right, Both]}, emit: Told}\n",
        [("call", "http.503", 1, ["Right", "Left"])],
    ),
    "the run's end": (
        "",
        f"{ALWAYS}    on_error: {{fail: no}}\n    emit: Told\n",
        [("call", "http.503", 1, [])],
    ),
    "a limit": (
        "Again GivenUp Last",
        "  go:\n    kind: transform\n    accepts: [Asked, Again]\n    max_runs: 3\n    on_limit: GivenUp\n"
        "    emit: [{event: Last, when: run.round > 5}, Again]\n"
        "  end: {kind: transform, accepts: Last, emit: Told}\n",
        [("go", "limit", 1, ["GivenUp"])],
    ),
    "an attempt that takes too long": (
        "GivenUp",
        ALWAYS.replace("stage:fail", "stage:after")
        .replace("error: string, times", "seconds")
        .replace("error: http.503, times: 99", "seconds: 9")
        + "    timeout: 2 s\n    on_error: [{errors: [timeout], event: GivenUp}]\n    emit: Told\n",
        [("call", "timeout", 1, ["GivenUp"])],
    ),
    "a person who does not answer": (
        "GivenUp",
        "  ask: {kind: human, accepts: Asked, title: Well?, within: 1 h, on_timeout: GivenUp, emit: Told}\n",
        [("ask", "timeout", 1, ["GivenUp"])],
    ),
    "an event that does not come": (
        "GivenUp Came",
        "  wait: {kind: wait, accepts: Asked, event: Came, within: 1 h, on_timeout: GivenUp, emit: Told}\n",
        [("wait", "timeout", 1, ["GivenUp"])],
    ),
    "a join that waits too long": (
        "Left Right GivenUp",
        f"{PAUSES}  join:\n    kind: transform\n    accepts: {{all: [Left, Right], within: 2 s, on_timeout: GivenUp}}\n"
        "    emit: Told\n",
        [("join", "timeout", 1, ["GivenUp"])],
    ),
    "nothing if the join goes on with what is there": (
        "Left Right",
        f"{PAUSES}  join:\n    kind: transform\n    accepts: {{all: [Left, Right], within: 2 s, on_timeout: proceed}}\n"
        "    emit: Told\n",
        [],
    ),
    "an item of a map that is left out": (
        "",
        f"{ITEMS}{THRICE}    on_item_error: skip\n",
        [("call", "python.ValueError", 3, [])] * 2,
    ),
    "an item of a map for which something is given": (
        "",
        f"{ITEMS}    on_item_error: {{give: 0}}\n",
        [("call", "python.ValueError", 1, [])] * 2,
    ),
    "nothing of an item that fails its step": (
        "GivenUp",
        f"{ITEMS}    on_error: GivenUp\n",
        [("call", "python.ValueError", 1, ["GivenUp"])],
    ),
}


def written(events: str, steps: str) -> str:
    names = ["Asked", "Told", *events.split()]
    ends = [name for name in ("Told", "GivenUp") if name in names]
    receives = "receives: {Came: {}}\n" if "Came" in names else ""
    declared = ", ".join(f"{name}: {{}}" for name in names)
    return f"start: Asked\nend: [{', '.join(ends)}]\n{receives}events: {{{declared}}}\nsteps:\n{steps}"


async def watched(workflow: type[Any]) -> list[ErrorHandled]:
    handler = workflow(engine=Engine()).run()
    told = [event async for event in handler.stream_events() if isinstance(event, ErrorHandled)]
    with suppress(RunFailedError, StepFailedError):
        await handler
    return told


@pytest.mark.parametrize("case", list(CASES))
def test_what_a_step_takes_is_told_once(shown: Any, case: str) -> None:
    events, steps, expected = CASES[case]
    told = run_virtually(lambda: watched(shown.workflow(written(events, steps))))
    assert [(each.step, each.name, each.attempts, each.goes_to) for each in told] == expected
    assert all(each.message for each in told)
