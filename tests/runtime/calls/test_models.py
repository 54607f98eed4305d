"""Model calls over real HTTP, against a model service that others wrote."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, Literal, cast

import pytest
from aimock_pytest import AIMockServer
from http_service import Reply, Service
from pydantic import Field

from wfc.runtime.calls import model_connections
from wfc.runtime.calls.bindings import CallLimit, Secret
from wfc.runtime.calls.llm import Model, call_llm
from wfc.runtime.errors import MissingPackageError, SettingsError, StepError
from wfc.runtime.events import Number, Record
from wfc.runtime.values.outputs import Output

KEY = "sk-not-for-anybodys-eyes-0123456789"


class Sorted(Record):
    category: Literal["billing", "bug", "spam"]
    confidence: Number = Field(ge=0, le=1)


class Host:
    """A context whose step requires what ``unmet`` says."""

    def __init__(self, unmet: Callable[[Any], Sequence[str]] = lambda _: []) -> None:
        self.unmet = unmet
        self.chosen = 0

    def in_turn(self, limit: CallLimit | None, url: str | None = None) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    def afford(self, model: str, *, own_server: bool = False) -> None:
        pass

    def spent(self, model: str, tokens_in: int, tokens_out: int, **more: object) -> None:
        pass

    def choose_model(self, count: int) -> int:
        return self.chosen


REPLY = json.dumps(
    {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
    }
).encode()
GOOD = {"category": "bug", "confidence": 0.9}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "AIMOCK_CLI_PATH"):
        monkeypatch.delenv(name, raising=False)


def model(aimock: AIMockServer, **settings: Any) -> Model:
    return Model(
        "openai:gpt-4o-mini", base_url=f"{aimock.base_url}/v1", api_key=Secret("MODEL_KEY"), **settings
    )


def ask(asked: Model, prompt: str = "Sort this", host: Host | None = None, **options: Any) -> Any:
    return asyncio.run(call_llm(host or Host(), asked, prompt, **options))


def answers(aimock: AIMockServer, *replies: dict[str, Any]) -> None:
    """What successive requests get."""
    for index, reply in enumerate(replies):
        aimock.add_fixture({"sequenceIndex": index}, reply)


def sent(aimock: AIMockServer) -> list[dict[str, Any]]:
    return [entry["body"] for entry in aimock.get_journal()]


def test_a_reply_is_text_where_no_output_is_declared(aimock: AIMockServer) -> None:
    answers(aimock, {"content": "Dear customer"})
    assert ask(model(aimock), "Write", system="You are kind.") == "Dear customer"
    (request,) = sent(aimock)
    assert [message["content"] for message in request["messages"]] == ["You are kind.", "Write"]


def test_a_structured_reply_is_a_value_of_the_declared_type(aimock: AIMockServer) -> None:
    answers(aimock, {"content": json.dumps(GOOD)})
    assert ask(model(aimock), output=Sorted) == Sorted(category="bug", confidence=0.9)
    (request,) = sent(aimock)
    assert request["response_format"]["json_schema"]["schema"]["required"] == ["category", "confidence"]


@pytest.mark.parametrize(
    ("output", "said", "value"),
    [
        (list[str], ["a", "b"], ["a", "b"]),
        (Output(Literal["good", "bad"]), "good", "good"),
        (Output(Sorted | None), None, None),
        (Output(Sorted | None), GOOD, Sorted(category="bug", confidence=0.9)),
        (bool, True, True),
        (Decimal, "1.10", Decimal("1.10")),
        (dict[str, int], {"a": 1}, {"a": 1}),
    ],
    ids=str,
)
def test_types_that_are_no_object_are_wrapped_in_one(
    aimock: AIMockServer, output: Any, said: object, value: object
) -> None:
    answers(aimock, {"content": json.dumps({"answer": said})})
    assert ask(model(aimock), output=output) == value


def test_settings_reach_the_service(aimock: AIMockServer) -> None:
    answers(aimock, {"content": "ok"})
    chosen = model(aimock, temperature=0, max_tokens=50, top_p=0.5, seed=7, settings={"openai_user": "u1"})
    ask(chosen)
    (request,) = sent(aimock)
    named = {"temperature", "top_p", "seed", "user"}
    assert {name: request[name] for name in named} == {
        "temperature": 0,
        "top_p": 0.5,
        "seed": 7,
        "user": "u1",
    }
    assert 50 in (request.get("max_tokens"), request.get("max_completion_tokens"))


def test_too_many_requests_say_how_long_to_wait(aimock: AIMockServer) -> None:
    limited = {
        "error": {"message": "Rate limited", "type": "rate_limit_error"},
        "status": 429,
        "retryAfter": 2,
    }
    answers(aimock, limited)
    with pytest.raises(StepError) as caught:
        ask(model(aimock))
    error = caught.value
    assert (error.name, error.status, error.retry_after) == ("http.429", 429, 2)
    assert "Rate limited" in error.message
    assert error.matches("model")
    assert error.matches("http.4xx")
    assert len(sent(aimock)) == 1  # the client does not retry by itself


def test_a_broken_service_is_an_http_error(aimock: AIMockServer) -> None:
    answers(aimock, {"error": {"message": "Boom", "type": "server_error"}, "status": 500})
    with pytest.raises(StepError) as caught:
        ask(model(aimock))
    assert caught.value.matches("http.5xx")
    assert len(sent(aimock)) == 1


@pytest.mark.parametrize(
    "bad",
    [
        "not JSON",
        json.dumps({"category": "poem", "confidence": 0.5}),
        json.dumps({"category": "bug", "confidence": "high"}),
        json.dumps({"category": "bug"}),
        json.dumps({**GOOD, "more": 1}),
        "[]",
    ],
)
def test_a_reply_outside_the_schema_is_sent_back_and_mended(aimock: AIMockServer, bad: str) -> None:
    answers(aimock, {"content": bad}, {"content": json.dumps(GOOD)})
    assert ask(model(aimock), output=Sorted).category == "bug"
    told = sent(aimock)[1]["messages"][-1]
    assert told["role"] == "user"
    assert "cannot be used" in told["content"]


def test_a_reply_that_stays_outside_the_schema_is_an_invalid_output(aimock: AIMockServer) -> None:
    answers(aimock, *[{"content": '{"category": "poem", "confidence": 0.5}'}] * 4)
    with pytest.raises(StepError, match="category") as caught:
        ask(model(aimock), output=Sorted)
    assert caught.value.name == "model.invalid_output"
    assert len(sent(aimock)) == 3


def test_a_requirement_that_does_not_hold_is_told_and_mended(aimock: AIMockServer) -> None:
    answers(aimock, {"content": '{"category": "bug", "confidence": 0.1}'}, {"content": json.dumps(GOOD)})
    host = Host(lambda result: [] if result.confidence >= 0.5 else ["be surer"])
    assert ask(model(aimock), host=host, output=Sorted).confidence == 0.9
    assert "be surer" in sent(aimock)[1]["messages"][-1]["content"]


def test_a_requirement_that_never_holds_fails(aimock: AIMockServer) -> None:
    answers(aimock, *[{"content": json.dumps(GOOD)}] * 4)
    with pytest.raises(StepError, match="be surer") as caught:
        ask(model(aimock), host=Host(lambda _: ["be surer"]), output=Sorted)
    assert caught.value.name == "requirement"
    assert len(sent(aimock)) == 3


def test_a_cut_connection_is_a_connection_error(aimock: AIMockServer) -> None:
    aimock.add_fixture({}, {"content": "never seen"}, chaos={"disconnectRate": 1})
    with pytest.raises(StepError) as caught:
        ask(model(aimock))
    assert caught.value.name == "connection"


def test_a_service_that_is_not_there_is_a_connection_error(nobody: str) -> None:
    absent = Model("openai:gpt-4o-mini", base_url=f"{nobody}/v1", api_key=Secret("MODEL_KEY"))
    with pytest.raises(StepError) as caught:
        ask(absent)
    assert caught.value.name == "connection"


def test_a_slow_service_is_a_timeout(aimock: AIMockServer) -> None:
    aimock.add_fixture({}, {"content": "late"}, chaos={"latencyMs": 3000})
    with pytest.raises(StepError) as caught:
        ask(model(aimock, timeout=0.2))
    assert caught.value.name == "timeout"


@pytest.mark.parametrize("finish", ["content_filter"])
def test_a_refusal_is_not_asked_again(aimock: AIMockServer, finish: str) -> None:
    answers(aimock, {"content": "I cannot do that.", "finishReason": finish})
    with pytest.raises(StepError, match="cannot do that") as caught:
        ask(model(aimock), output=Sorted)
    assert caught.value.name == "model.refused"
    assert len(sent(aimock)) == 1


def test_a_text_cut_off_at_its_limit_is_an_error(aimock: AIMockServer) -> None:
    answers(aimock, {"content": "Once upon", "finishReason": "length"})
    with pytest.raises(StepError, match="50 tokens") as caught:
        ask(model(aimock, max_tokens=50))
    assert caught.value.name == "model.cut_off"


def test_a_missing_key_is_named(aimock: AIMockServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MODEL_KEY")
    with pytest.raises(SettingsError, match="MODEL_KEY"):
        ask(model(aimock))
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        ask(Model("openai:gpt-4o-mini"))
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY"):
        ask(Model("anthropic:claude-sonnet-4-5"))


def test_a_key_of_the_environment_is_not_sent_to_a_service_that_was_given_none(
    aimock: AIMockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    answers(aimock, {"content": "ok"})
    ask(Model("openai:gpt-4o-mini", base_url=f"{aimock.base_url}/v1"))
    assert KEY not in json.dumps(aimock.get_journal())


@pytest.mark.parametrize("use", ["gpt-4o-mini", "nobody:gpt", "openai:", ":gpt", ""])
def test_a_model_that_nobody_knows_is_named(use: str) -> None:
    with pytest.raises(SettingsError, match=f"`{use}`"):
        ask(Model(use, api_key=Secret("MODEL_KEY")))


def test_a_provider_whose_package_is_missing_says_what_to_install() -> None:
    with pytest.raises(MissingPackageError, match=r"pip install 'pydantic-ai-slim\[groq\]'"):
        ask(Model("groq:llama", api_key=Secret("MODEL_KEY")))


@pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")
def test_another_provider_answers_in_its_own_protocol(aimock: AIMockServer) -> None:
    answers(aimock, {"content": json.dumps(GOOD)})
    claude = Model("anthropic:claude-sonnet-4-5", base_url=aimock.base_url, api_key=Secret("MODEL_KEY"))
    assert ask(claude, output=Sorted).category == "bug"


@pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")
def test_a_model_without_schemas_answers_through_a_tool(aimock: AIMockServer) -> None:
    bad = {"toolCalls": [{"name": "final_result", "arguments": {"category": "poem", "confidence": 1}}]}
    good = {"toolCalls": [{"name": "final_result", "arguments": GOOD}]}
    answers(aimock, bad, good)
    claude = Model("anthropic:claude-3-haiku-20240307", base_url=aimock.base_url, api_key=Secret("MODEL_KEY"))
    assert ask(claude, output=Sorted).category == "bug"


def test_fallbacks_are_asked_when_the_run_says_so(aimock: AIMockServer) -> None:
    aimock.add_fixture({"model": "second"}, {"content": "from the second"})
    second = Model("openai:second", base_url=f"{aimock.base_url}/v1", api_key=Secret("MODEL_KEY"))
    host = Host()
    host.chosen = 1
    assert ask(model(aimock, fallback=[second]), host=host) == "from the second"


def test_a_circle_of_fallbacks_is_asked_once_around() -> None:
    third = Model("a:third")
    second = Model("a:second", fallback=[third])
    first = Model("a:first", fallback=[second, third])
    object.__setattr__(third, "fallback", (first,))
    assert first.chain() == (first, second, third)


def used_now() -> list[Any]:
    here = model_connections._SHARED[asyncio.get_running_loop()]
    return [each for each in here.values() if each.users]


def test_calls_at_the_same_time_share_a_connection(aimock: AIMockServer) -> None:
    aimock.add_fixture({}, {"content": "ok"})

    async def main() -> list[Any]:
        asked = model(aimock)
        every = [
            await asyncio.gather(*(call_llm(Host(), asked, str(n)) for n in range(20))) for _ in range(2)
        ]
        assert used_now() == []
        return [reply for replies in every for reply in replies]

    assert asyncio.run(main()) == ["ok"] * 40


def test_a_call_that_is_cut_off_leaves_nothing_behind(aimock: AIMockServer) -> None:
    aimock.add_fixture({}, {"content": "late"}, chaos={"latencyMs": 5000})

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await call_llm(Host(), model(aimock), "Hello")
        assert used_now() == []

    asyncio.run(main())


def test_the_providers_usual_key_stays_hidden_too(
    aimock: AIMockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{aimock.base_url}/v1")
    answers(aimock, {"error": {"message": f"Incorrect key: {KEY}", "type": "t"}, "status": 401})
    with pytest.raises(StepError, match="Incorrect key") as caught:
        ask(Model("openai:gpt-4o-mini"))
    assert KEY not in caught.value.message + repr(caught.value.body)


def test_calls_one_after_the_other_share_a_connection_until_the_loop_ends(service: Service) -> None:
    service.answer = lambda _: Reply(body=REPLY)

    async def main() -> list[Any]:
        asked = Model("openai:gpt-4o-mini", base_url=f"{service.url}/v1")
        assert [await call_llm(Host(), asked, "Hello") for _ in range(3)] == ["Hi"] * 3
        (shared,) = model_connections._SHARED[asyncio.get_running_loop()].values()
        clients.append(shared.connection.provider.client._client)
        return [shared.is_open, clients[0].is_closed]

    clients: list[Any] = []
    assert asyncio.run(main()) == [True, False]
    assert clients[0].is_closed
    assert len({request.headers["x-port"] for request in service.asked}) == 1


class _Opened:
    """A provider that counts how often it was opened and closed, and whose first opening ends otherwise."""

    def __init__(self, first: str) -> None:
        self.acts: list[str] = []
        self._first = first

    async def __aenter__(self) -> None:
        self.acts.append("opening")
        await asyncio.sleep(0.01)
        if self._first == "fails" and self.acts.count("opening") == 1:
            raise OSError("no way there")
        if self._first == "is cut off" and self.acts.count("opening") == 1:
            raise asyncio.CancelledError
        self.acts.append("open")

    async def __aexit__(self, *_: object) -> None:
        self.acts.append("closed")


@pytest.mark.parametrize(
    ("first", "acts", "failed"),
    [
        ("goes well", ["opening", "open", "closed"], []),
        ("fails", ["opening", "opening", "open", "closed"], [OSError]),
        ("is cut off", ["opening", "opening", "open", "closed"], [asyncio.CancelledError]),
    ],
)
def test_a_connection_is_open_for_all_once_that_has_gone_well(
    first: str, acts: list[str], failed: list[type[BaseException]]
) -> None:
    async def main() -> list[str]:
        provider = _Opened(first)
        shared = model_connections._Shared(cast(Any, SimpleNamespace(provider=provider)), None)

        async def use() -> None:
            await shared.open()
            assert "open" in provider.acts, "used before it was open"

        told = await asyncio.gather(use(), use(), use(), return_exceptions=True)
        assert [type(each) for each in told if each is not None] == failed
        await shared.close()
        return provider.acts

    assert asyncio.run(main()) == acts


def test_what_could_not_be_opened_is_not_closed() -> None:
    async def main() -> list[str]:
        provider = _Opened("fails")
        shared = model_connections._Shared(cast(Any, SimpleNamespace(provider=provider)), None)
        with pytest.raises(OSError, match="no way there"):
            await shared.open()
        await shared.close()
        return provider.acts

    assert asyncio.run(main()) == ["opening"]


def test_few_connections_are_kept(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_connections, "_MOST_IDLE", 2)
    service.answer = lambda _: Reply(body=REPLY)

    async def main() -> list[str]:
        for name in "abcab":
            await call_llm(Host(), Model(f"openai:{name}", base_url=f"{service.url}/v1"), "Hello")
        return [place[0] for place in model_connections._SHARED[asyncio.get_running_loop()]]

    assert asyncio.run(main()) == ["openai:a", "openai:b"]


def test_a_service_that_has_closed_the_connection_is_asked_by_another_one(service: Service) -> None:
    closing = Reply(body=REPLY, headers={"Content-Type": "application/json", "Connection": "close"})
    service.answer = lambda _: closing

    async def main() -> list[Any]:
        asked = Model("openai:gpt-4o-mini", base_url=f"{service.url}/v1")
        return [await call_llm(Host(), asked, "Hello") for _ in range(3)]

    assert asyncio.run(main()) == ["Hi"] * 3
