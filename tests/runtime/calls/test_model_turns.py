"""Turns of agents over real HTTP, in the protocols of four providers: calls of tools, their results, the answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from typing import Any

import pytest
from aimock_pytest import AIMockServer

from wfc.runtime import Model, Record, Secret, StepError
from wfc.runtime.calls.bindings import CallLimit
from wfc.runtime.calls.transcripts import (
    ANSWER_TOOL,
    CallAnswer,
    CallRequest,
    OfferedTool,
    Said,
    TurnReply,
    TurnRequest,
    request_without_calls,
)
from wfc.runtime.records import File

KEY = "sk-not-for-anybodys-eyes-0123456789"

pytestmark = [
    pytest.mark.filterwarnings("ignore:The model:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:FUNCTION_CALL is not a valid FinishReason"),  # as aimock's Gemini says
]

SHAPES = {
    "openai:gpt-4o-mini": "/v1",
    "openai-responses:gpt-5-mini": "/v1",
    "anthropic:claude-haiku-4-5": "",
    "google:gemini-2.5-flash": "",
}

SCHEMA = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
PIXEL = b"\x89PNG\r\n\x1a\n" + bytes(range(64))
FIND = OfferedTool("find", "Finds an order.", SCHEMA)


class Found(Record):
    item: str


class Host:
    """A context that lets everything pass."""

    def __init__(self) -> None:
        self.tokens: list[tuple[int, int]] = []

    def unmet(self, result: object) -> list[str]:
        return []

    def in_turn(self, limit: CallLimit | None, url: str | None = None) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    def afford(self, model: str, *, own_server: bool = False) -> None:
        pass

    def spent(self, model: str, tokens_in: int, tokens_out: int, **more: object) -> None:
        self.tokens.append((tokens_in, tokens_out))

    def choose_model(self, count: int) -> int:
        return 0

    @contextmanager
    def answering(self) -> Iterator[Any]:
        yield lambda _text: None


@pytest.fixture(params=SHAPES)
def model(request: pytest.FixtureRequest, aimock: AIMockServer, monkeypatch: pytest.MonkeyPatch) -> Model:
    monkeypatch.setenv("MODEL_KEY", KEY)
    use = str(request.param)
    return Model(use, base_url=aimock.base_url + SHAPES[use], api_key=Secret("MODEL_KEY"))


def turn(model: Model, said: list[Said], **options: Any) -> TurnReply:
    request = TurnRequest(said=said, system="Be kind.", **{"tools": [FIND], **options})
    return asyncio.run(model.take_turn(Host(), request))


ASKED = Said(role="user", text="Where is A?")


def test_calls_are_asked_for_told_and_answered(model: Model, aimock: AIMockServer) -> None:
    wanted = [{"name": "find", "arguments": json.dumps({"order_id": each})} for each in "AB"]
    aimock.add_fixture({"hasToolResult": False}, {"toolCalls": wanted})
    aimock.add_fixture({"hasToolResult": True}, {"content": "A is in Oslo."})
    first = turn(model, [ASKED])
    assert [(each.tool, json.loads(each.args)) for each in first.calls] == [
        ("find", {"order_id": "A"}),
        ("find", {"order_id": "B"}),
    ]
    assert len({each.id for each in first.calls}) == 2
    told = [CallAnswer(id=each.id, tool=each.tool, text=f"{each.args} is in Oslo") for each in first.calls]
    said = [ASKED, Said(role="model", calls=first.calls, raw=first.raw), Said(role="tools", answers=told)]
    assert turn(model, said).text == "A is in Oslo."
    (_, second) = aimock.get_journal()
    results = [each for each in second["body"]["messages"] if each["role"] == "tool"]
    wrapped = [
        json.dumps({"return_value": each.text}, separators=(",", ":")) for each in told
    ]  # as Gemini has it
    assert [each["content"] for each in results] in ([each.text for each in told], wrapped)


def test_where_no_tool_is_offered_calls_are_told_in_words(model: Model, aimock: AIMockServer) -> None:
    """A model has invented a call, or `when` hides all tools now: providers refuse calls that belong to no tool."""
    aimock.add_fixture({}, {"content": "It is in Oslo."})
    said = [
        ASKED,
        Said(
            role="model", text="I look.", calls=[CallRequest(id="a", tool="find", args='{"order_id": "A"}')]
        ),
        Said(role="tools", answers=[CallAnswer(id="a", tool="find", text="A is in Oslo")]),
    ]
    assert turn(model, said, tools=[]).text == "It is in Oslo."
    (asked,) = aimock.get_journal()
    body = json.dumps(asked["body"])
    assert "tool_calls" not in body and '"tool"' not in body
    assert "(calls find with {" in body and "(find gave: A is in Oslo)" in body


LOOKED = [
    Said(role="user", text="Earlier"),
    Said(role="model", calls=[CallRequest(id="a", tool="find", args="{}")]),
    Said(role="tools", answers=[CallAnswer(id="a", tool="find", text="nothing")]),
]
GO_ON = Said(role="user", text="Go on.")


@pytest.mark.parametrize(
    ("said", "since", "place"),
    [
        ([ASKED], 0, 0),
        ([*LOOKED, ASKED], 0, 2),
        ([*LOOKED, ASKED, *LOOKED[1:]], 2, 2),
        ([*LOOKED, ASKED, *LOOKED[1:], *LOOKED[1:]], 4, 2),
        ([*LOOKED, Said(role="model", text="So."), ASKED, *LOOKED[1:]], 2, 4),
        ([*LOOKED[:1], ASKED], 0, 1),
        ([ASKED, *LOOKED[1:], GO_ON], 3, 0),
        ([*LOOKED, ASKED, *LOOKED[1:], GO_ON, *LOOKED[1:], GO_ON], 6, 2),
    ],
)
def test_files_stay_with_their_prompt_where_messages_are_merged(
    said: list[Said], since: int, place: int
) -> None:
    """What tools said becomes one message with what the user says next, where no tool is offered."""
    request = TurnRequest(said=said, since=since)
    told = request_without_calls(request)
    assert len(told.said) - 1 - told.since == place
    assert told.said[place].text.endswith("Where is A?") or "Where is A?\n\n" in told.said[place].text
    assert not any(one.calls or one.answers for one in told.said)


@pytest.mark.parametrize(
    "model", ["openai:gpt-4o-mini"], indirect=True
)  # whose requests the mock shows whole
def test_files_are_shown_where_the_user_speaks_after_tools(model: Model, aimock: AIMockServer) -> None:
    aimock.add_fixture({}, {"content": "A receipt."})
    pixel = File.of(PIXEL, name="r.png", media_type="image/png")
    said = [ASKED, *LOOKED[1:], GO_ON]
    assert turn(model, said, tools=[], files=[pixel], since=3).text == "A receipt."
    (asked,) = aimock.get_journal()
    assert pixel.content in json.dumps(asked["body"]["messages"][1])


def test_ids_that_repeat_are_made_unique(model: Model, aimock: AIMockServer) -> None:
    calls = [{"name": "find", "arguments": '{"order_id": "A"}', "id": "same"} for _ in range(2)]
    aimock.add_fixture({}, {"toolCalls": calls})
    before = Said(role="model", calls=[CallRequest(id="same", tool="find", args="{}")])
    told = Said(role="tools", answers=[CallAnswer(id="same", tool="find", text="x")])
    found = turn(model, [ASKED, before, told])
    assert len({"same", *(each.id for each in found.calls)}) == 3


def test_an_answer_that_is_a_record_comes_as_a_call(model: Model, aimock: AIMockServer) -> None:
    aimock.add_fixture({}, {"toolCalls": [{"name": ANSWER_TOOL, "arguments": '{"item": "pen"}'}]})
    found = turn(model, [ASKED], output=Found)
    assert [(each.tool, json.loads(each.args)) for each in found.calls] == [(ANSWER_TOOL, {"item": "pen"})]


def test_a_tool_that_comes_first_is_asked_for(model: Model, aimock: AIMockServer) -> None:
    aimock.add_fixture({}, {"toolCalls": [{"name": "find", "arguments": '{"order_id": "A"}'}]})
    assert [each.tool for each in turn(model, [ASKED], must_call="find").calls] == ["find"]
    (request,) = aimock.get_journal()
    if request["path"] in {"/v1/chat/completions", "/v1/responses"}:  # of others the journal does not tell
        assert request["body"]["tool_choice"] == "required"


def test_a_model_that_thinks_is_not_forced_to_call_anything(
    aimock: AIMockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    aimock.add_fixture({}, {"content": "hm"})
    thinking = {"anthropic_thinking": {"type": "enabled", "budget_tokens": 1024}}
    model = Model(
        "anthropic:claude-haiku-4-5",
        base_url=aimock.base_url,
        api_key=Secret("MODEL_KEY"),
        settings=thinking,
        max_tokens=4000,
    )
    assert turn(model, [ASKED], must_call="find").text == "hm"


def test_the_last_turn_offers_no_tool(model: Model, aimock: AIMockServer) -> None:
    aimock.add_fixture({}, {"content": "done"})
    assert turn(model, [ASKED], is_last=True).text == "done"


def test_one_call_after_the_other_is_asked_for_where_that_is_known(
    model: Model, aimock: AIMockServer
) -> None:
    """A provider that does not know it is asked without, and nobody is warned of it: warnings are errors here."""
    aimock.add_fixture({}, {"content": "done"})
    assert turn(model, [ASKED], in_parallel=False).text == "done"
    (request,) = aimock.get_journal()
    if request["path"] == "/v1/chat/completions":  # of others the journal does not tell
        assert request["body"]["parallel_tool_calls"] is False


def test_a_secret_that_a_model_repeats_is_taken_out(model: Model, aimock: AIMockServer) -> None:
    calls = [{"name": "find", "arguments": json.dumps({"order_id": KEY})}]
    aimock.add_fixture({}, {"content": f"the key is {KEY}", "toolCalls": calls})
    found = turn(model, [ASKED])
    assert KEY not in found.model_dump_json()


def test_an_error_of_the_service_is_one_of_the_model(model: Model, aimock: AIMockServer) -> None:
    aimock.next_error(503)
    with pytest.raises(StepError) as caught:
        turn(model, [ASKED])
    assert caught.value.matches("model")
    assert caught.value.matches("http.503")
    assert KEY not in str(caught.value)
