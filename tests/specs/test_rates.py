"""Rates of models, tools and hosts in specs: real requests to a real service, which notes when they come."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wfc.compiler.cli import main
from wfc.compiler.cli.programs import execute
from wfc.runtime import Engine

SPEC = """\
wfc: 1
workflow: rated
start: Asked
end: Done
config: {{url: {{type: string, format: uri, default: "{url}"}}}}
models: {{fast: {{use: "openai:x", base_url: "${{{{ config.url }}}}/v1"{model}}}}}
tools:
  look:
    http: {{method: GET, url: "${{{{ config.url }}}}/${{{{ args.n }}}}"}}
    args: {{n: integer}}
    output: integer
    {look}
  start: {{command: [{python}, -c, "print(1)"], output: integer{start}}}
events:
  {{Asked: {{numbers: list of integer}}, Wanted: {{n: integer}}, Got: {{n: integer}}, Done: {{all: list of integer}}}}
steps:
  split:
    kind: transform
    accepts: Asked
    emit: {{each: {{in: event.numbers, as: n, event: Wanted, max: 50, with: {{n: "${{{{ n }}}}"}}}}}}
  get:
    accepts: Wanted
    concurrency: 8
    {action}
    timeout: 20s
    emit: {{event: Got, with: {{n: "${{{{ event.n }}}}"}}}}
  gather:
    kind: transform
    accepts: {{each: Got}}
    emit: {{event: Done, with: {{all: "${{{{ events | pluck('n') }}}}"}}}}
"""

MODEL_REPLY = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "x",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}

TOOL = 'kind: tool\n    tool: look\n    with: {n: "${{ event.n }}"}'
REQUEST = 'kind: http\n    method: GET\n    url: "${{ config.url }}/${{ event.n }}"'
ASK = "kind: llm\n    model: fast\n    prompt: Is it so?"
BEGIN = "kind: tool\n    tool: start"


@pytest.fixture
def rated(tmp_path: Path, service: Any) -> Callable[..., Any]:
    """Compiles and runs the spec; returns how many requests were under way at once at most, and their moments.

    These are seconds since the run began, in order.
    """
    moments: list[float] = []
    under_way, most, lock = 0, 0, threading.Lock()

    def answer(asked: Any) -> Any:
        nonlocal under_way, most
        with lock:
            moments.append(time.monotonic())
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.02)
        with lock:
            under_way -= 1
        return 200, MODEL_REPLY if asked.path.endswith("completions") else 1

    service.answer = answer
    service.turn = contextlib.nullcontext()  # it answers several at once

    def run(action: str, count: int, settings: str = "", **limits: str) -> tuple[int, list[float]]:
        (tmp_path / "wfc.toml").write_text(f'commands = ["{sys.executable}"]\n{settings}', encoding="utf-8")
        given = {"model": "", "look": "", "start": ""} | {key: f", {text}" for key, text in limits.items()}
        given["look"] = limits.get("look", "")
        spec = SPEC.format(url=service.url, action=action, python=sys.executable, **given)
        (tmp_path / "rated.yaml").write_text(spec, encoding="utf-8")
        assert main(["compile", str(tmp_path / "rated.yaml")]) == 0
        path = tmp_path / "rated_workflow.py"
        made = execute(path.stem, str(path), path.read_text(encoding="utf-8")).Rated

        async def play() -> Any:
            return await made(engine=Engine()).run(numbers=list(range(count)))

        began = time.monotonic()
        done = asyncio.run(play())
        assert done.all == list(range(count))
        return most, sorted(moment - began for moment in moments)

    return run


def keep(moments: list[float], calls: int) -> bool:
    """Return whether so many calls have begun in each second at the most; one that comes late does no harm."""
    return all(moment > number // calls - 0.1 for number, moment in enumerate(moments))


@pytest.mark.full
def test_the_requests_of_a_tool_keep_its_rate(rated: Callable[..., Any]) -> None:
    _, moments = rated(TOOL, 7, look="rate: 3 per s")
    assert len(moments) == 7
    assert keep(moments, 3)


@pytest.mark.parametrize(
    ("action", "key"), [(TOOL, "look"), pytest.param(ASK, "model", marks=pytest.mark.full)]
)
def test_no_more_are_under_way_than_may_be(rated: Callable[..., Any], action: str, key: str) -> None:
    most, moments = rated(action, 12, **{key: "at_once: 2"})
    assert (most, len(moments)) == (2, 12)


@pytest.mark.full
def test_the_requests_of_a_model_keep_its_rate(rated: Callable[..., Any]) -> None:
    _, moments = rated(ASK, 5, model="rate: 2 per s")
    assert keep(moments, 2)


@pytest.mark.full
@pytest.mark.parametrize("action", [TOOL, REQUEST, ASK])
def test_the_settings_bound_the_requests_to_a_host(rated: Callable[..., Any], action: str) -> None:
    most, moments = rated(action, 5, '[hosts]\n"127.0.0.1" = {rate = "2 per s", at_once = 1}')
    assert (most, len(moments)) == (1, 5)
    assert keep(moments, 2)


def test_another_host_or_port_is_bounded_by_nothing(rated: Callable[..., Any]) -> None:
    began = time.monotonic()
    rated(TOOL, 5, '[hosts]\n"127.0.0.1:1" = {rate = "1 per h"}\nlocalhost = {rate = "1 per h"}')
    assert time.monotonic() - began < 60


@pytest.mark.full
def test_programs_are_started_by_their_rate(rated: Callable[..., Any]) -> None:
    began = time.monotonic()
    rated(BEGIN, 5, start="rate: 2 per s")
    assert time.monotonic() - began > 1.9
