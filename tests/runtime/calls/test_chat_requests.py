"""Requests of chats that are sent as they are written are those that the library of OpenAI would send."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import model_wire
import pytest
from idle_host import Host

from wfc.runtime import Model, Record, Secret, StepError
from wfc.runtime.calls import model_connections
from wfc.runtime.calls.llm import call_llm
from wfc.runtime.calls.transcripts import CallAnswer, CallRequest, OfferedTool, Said, TurnRequest
from wfc.runtime.records import File, Message

SCHEMA = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
FIND = OfferedTool("find", "Finds an order.", SCHEMA)
CALL = CallRequest(id="call_1", tool="find", args='{"order_id": "A"}')
ASKED = Said(role="user", text="Where is A?")
TALK = [
    ASKED,
    Said(role="model", text="One moment.", calls=[CALL]),
    Said(role="tools", answers=[CallAnswer(id="call_1", tool="find", text="In Oslo.")]),
]
HISTORY = [Message(role="user", content="Hello"), Message(role="assistant", content="Good day")]
DOT = File(
    name="dot.png",
    media_type="image/png",
    content="iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
)


class Sorted(Record):
    category: str


def asks(**options: Any) -> Callable[[Model], Any]:
    return lambda model: call_llm(Host(), model, "Sort this", **options)


def turn(**options: Any) -> Callable[[Model], Any]:
    request = TurnRequest(**{"said": TALK, "system": "Be kind.", "tools": [FIND], **options})
    return lambda model: model.take_turn(Host(), request)


REQUESTS: dict[str, tuple[Callable[[Model], Any], dict[str, Any]]] = {
    "a text": (asks(system="Be kind."), {}),
    "history": (asks(history=HISTORY), {}),
    "an image": (asks(files=[DOT]), {}),
    "a record": (asks(output=Sorted), {}),
    "a stream": (asks(stream=True), {}),
    "first turn": (turn(said=[ASKED]), {}),
    "a turn after calls": (turn(), {}),
    "a turn that streams": (turn(shown=("text",)), {}),
    "the last turn": (turn(is_last=True), {}),
    "a tool that must be called": (turn(must_call="find", in_parallel=False), {}),
    "an answer that is a record": (turn(output=Sorted), {}),
    "settings": (
        asks(),
        {
            "temperature": 0.5,
            "seed": 7,
            "stop_sequences": ["x"],
            "logit_bias": {"7": 1},
            "timeout": 7.5,
            "extra_headers": {"X-Desk": "1"},
            "extra_body": {"more": {"deep": [1]}},
        },
    ),
}


@pytest.mark.filterwarnings("ignore:Sampling parameters:UserWarning")  # of a model that reasons
@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("use", ["openai:m", "openai:gpt-5-mini", "deepseek:deepseek-chat"])
def test_a_request_is_the_one_of_the_library(name: str, use: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-of-a-test")
    act, settings = REQUESTS[name]

    def answer(asked: model_wire.Asked) -> model_wire.Reply:
        return model_wire.Reply(record={"category": "bug"}) if name == "a record" else model_wire.Reply("ok")

    def sent() -> tuple[Any, dict[str, str], object]:
        with model_wire.serving(answer) as service:
            model = Model(use, base_url=f"{service.url}/v1", api_key=Secret("MODEL_KEY"), settings=settings)
            said = asyncio.run(act(model))
            (asked,) = service.asked
            known = {
                name: value
                for name, value in asked.headers.items()
                if name.lower() not in ("host", "content-length")
            }
            return asked.body, known, said

    ours = sent()
    monkeypatch.setattr(model_connections, "_send_chats_as_written", lambda connection: None)
    assert ours == sent()


@pytest.mark.parametrize("shape", model_wire.SHAPES.values(), ids=list(model_wire.SHAPES))
@pytest.mark.parametrize("since", [0, 2])
def test_files_stand_with_the_prompt_of_a_turn(
    shape: model_wire.Shape, since: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-of-a-test")
    before = [Said(role="user", text="Hello"), Said(role="model", text="Good day")]
    said = [*before, ASKED, *[Said(role="model", text="Hm"), Said(role="user", text="Say more.")][:since]]
    with model_wire.serving(lambda asked: model_wire.Reply("ok")) as service:
        model = Model(shape.use, base_url=service.url + shape.root, api_key=Secret("MODEL_KEY"))
        asyncio.run(turn(said=said, tools=[], files=[DOT], since=since)(model))
        (asked,) = service.asked
    messages = asked.body.get("messages") or asked.body["contents"]
    with_image = [one for one in messages if DOT.content[:40] in json.dumps(one)]
    assert len(with_image) == 1
    assert ASKED.text in json.dumps(with_image)


def test_its_errors_are_those_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-of-a-test")
    with model_wire.serving(lambda asked: model_wire.Reply(status=503, raw=b"{}")) as service:
        model = Model("openai:m", base_url=f"{service.url}/v1", api_key=Secret("MODEL_KEY"))
        with pytest.raises(StepError, match="503") as raised:
            asyncio.run(asks()(model))
        assert raised.value.name == "http.503"
        assert len(service.asked) == 1  # who retries is the step
