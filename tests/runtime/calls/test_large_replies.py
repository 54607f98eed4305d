"""Replies of models are bounded, whole ones and streams, in the protocols of three providers."""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import replace
from typing import Any

import pytest
from idle_host import Host
from model_wire import SHAPES, Asked, Reply, Shape, serving, written

from wfc.runtime import Model, Secret, StepError
from wfc.runtime.calls.http import bounded
from wfc.runtime.calls.llm import call_llm
from wfc.runtime.calls.transcripts import OfferedTool, Said, TurnRequest

MB = 2**20


@pytest.fixture(params=SHAPES.values(), ids=SHAPES)
def shape(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Shape:
    monkeypatch.setenv("MODEL_KEY", "sk-for-nobody")
    found: Shape = request.param
    return found


def ask(shape: Shape, reply: Reply, *, stream: bool = False, is_agent: bool = False) -> Any:
    with serving(lambda asked: packed(reply, asked)) as service:
        model = Model(shape.use, base_url=service.url + shape.root, api_key=Secret("MODEL_KEY"))
        if not is_agent:
            return asyncio.run(call_llm(Host(), model, "Say much", stream=stream))
        tools = [OfferedTool("find", "Finds.", {"type": "object", "properties": {}})]
        request = TurnRequest(said=[Said(role="user", text="Say much")], tools=tools)
        return asyncio.run(model.take_turn(Host(), request)).text


def packed(reply: Reply, asked: Asked) -> Reply:
    """A reply that is sent in a small form, if it says so."""
    if reply.headers.get("Content-Encoding") != "gzip":
        return reply
    return replace(reply, raw=gzip.compress(written(reply, asked)))


@pytest.mark.parametrize("is_agent", [False, True], ids=["llm", "agent"])
@pytest.mark.parametrize("headers", [{}, {"Content-Encoding": "gzip"}], ids=["plain", "gzip"])
def test_a_reply_that_is_too_large_is_refused(shape: Shape, headers: dict[str, str], is_agent: bool) -> None:
    with pytest.raises(StepError, match="more than 16 MB") as caught:
        ask(shape, Reply(text="x" * (17 * MB), headers=headers), is_agent=is_agent)
    assert caught.value.name == "model.too_large"


@pytest.mark.parametrize("headers", [{}, {"Content-Encoding": "gzip"}], ids=["plain", "gzip"])
def test_one_that_is_large_is_taken(shape: Shape, headers: dict[str, str]) -> None:
    assert ask(shape, Reply(text="x" * (10 * MB), headers=headers)) == "x" * (10 * MB)


def test_a_stream_of_too_much_text_is_refused(shape: Shape) -> None:
    with pytest.raises(StepError, match="more than 16 MB") as caught:
        ask(shape, Reply(text="x" * (17 * MB), pieces=34), stream=True)
    assert caught.value.name == "model.too_large"


def test_a_stream_of_too_many_bytes_is_refused(shape: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "_LARGEST_STREAM", 100_000)
    with pytest.raises(StepError, match="more than") as caught:
        ask(shape, Reply(text="x" * 4_000, pieces=4_000), stream=True)
    assert caught.value.name == "model.too_large"


def test_an_error_that_is_too_large_is_refused(shape: Shape) -> None:
    with pytest.raises(StepError) as caught:
        ask(shape, Reply(status=500, text="x" * (17 * MB)))
    assert caught.value.name in {"model.too_large", "http.500"}
    assert len(str(caught.value)) < 1_000
