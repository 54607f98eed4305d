"""What spans say of calls of models and services, against a service over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from aimock_pytest import AIMockServer
from pydantic import BaseModel

from wfc.runtime import Context, Model, Secret, StartEvent, StepFailedError, StopEvent, Workflow, step
from wfc.runtime.tracing import Span, SpanHandler, get_dispatcher

KEY = "sk-12345678-of-nobody"


class Kept(SpanHandler):
    def __init__(self) -> None:
        self.spans: list[Span] = []

    def exit(self, span: Span) -> None:
        self.spans.append(span)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kept]:
    monkeypatch.setenv("MODEL_KEY", KEY)
    monkeypatch.delenv("AIMOCK_CLI_PATH", raising=False)
    handler = Kept()
    get_dispatcher().add_span_handler(handler)
    yield handler
    get_dispatcher().remove_handler(handler)


class Sorted(BaseModel):
    category: str


class Asked(StartEvent):
    base_url: str
    path: str = ""


class Flow(Workflow):
    @step
    async def sort(self, ctx: Context, ev: Asked) -> StopEvent:
        if ev.path:
            return StopEvent(result=await ctx.http("GET", f"{ev.base_url}{ev.path}"))
        model = Model(
            "openai:gpt-4o-mini", base_url=f"{ev.base_url}/v1", api_key=Secret("MODEL_KEY"), temperature=0.5
        )
        return StopEvent(result=await ctx.llm(model, "Sort this", system="Be brief", output=Sorted))


def everything(kept: Kept) -> str:
    return repr([(one.attributes, one.content, one.error, one.__repr__()) for one in kept.spans])


def test_a_model_call_tells_its_tokens_and_keeps_its_words_apart(
    aimock: AIMockServer, kept: Kept, play: Any
) -> None:
    aimock.add_fixture({"sequenceIndex": 0}, {"content": "nonsense"})
    aimock.add_fixture({"sequenceIndex": 1}, {"content": '{"category": "bug"}'})
    assert play(Flow, base_url=aimock.base_url) == Sorted(category="bug")
    first, second = (span for span in kept.spans if span.kind == "model")
    assert (first.name, first.parent.kind) == ("gpt-4o-mini", "attempt") if first.parent else False
    wanted = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.output.type": "json",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.response.finish_reasons": ["stop"],
    }
    for span in (first, second):
        assert wanted.items() <= span.attributes.items()
        assert span.attributes["gen_ai.usage.output_tokens"] > 0
        assert "nonsense" not in repr(span.attributes) and "Sort this" not in repr(span.attributes)
    assert first.content["gen_ai.system_instructions"] == [{"type": "text", "content": "Be brief"}]
    asked = second.content["gen_ai.input.messages"]
    assert [message["role"] for message in asked] == ["user", "assistant", "user"]
    assert asked[0]["parts"] == [{"type": "text", "content": "Sort this"}]
    assert second.content["gen_ai.output.messages"][0]["parts"][0]["content"] == '{"category": "bug"}'


def test_a_failed_model_call_has_our_error_and_no_key(aimock: AIMockServer, kept: Kept, play: Any) -> None:
    aimock.add_fixture({}, {"error": {"message": f"bad key {KEY}", "type": "auth"}, "status": 401})
    with pytest.raises(StepFailedError):
        play(Flow, base_url=aimock.base_url)
    (span,) = (span for span in kept.spans if span.kind == "model")
    assert getattr(span.error, "name", None) == "http.401"
    assert KEY not in everything(kept)


def test_a_request_tells_method_place_and_status_alone(aimock: AIMockServer, kept: Kept, play: Any) -> None:
    play(Flow, base_url=aimock.base_url, path="/v1/models?token=abc")
    (span,) = (span for span in kept.spans if span.kind == "http")
    host, _, port = aimock.base_url.removeprefix("http://").partition(":")
    assert span.attributes == {
        "http.request.method": "GET",
        "server.address": host,
        "server.port": int(port),
        "http.response.status_code": 200,
    }
