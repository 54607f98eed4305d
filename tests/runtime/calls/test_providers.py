"""The same calls in the protocol of every provider that is tried, over real HTTP; see the table in the reference."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from aimock_pytest import AIMockServer
from http_service import Reply, Request, Service
from pydantic_ai import providers

from wfc.compiler.resolve.declarations.models import PROVIDERS
from wfc.runtime.calls import model_connections
from wfc.runtime.calls.bindings import CallLimit, Secret
from wfc.runtime.calls.llm import Model, call_llm
from wfc.runtime.errors import MissingPackageError, SettingsError, StepError
from wfc.runtime.events import Number, Record
from wfc.runtime.records import File

KEY = "sk-not-for-anybodys-eyes-0123456789"
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)

pytestmark = pytest.mark.filterwarnings("ignore:The model:DeprecationWarning")

SHAPES = {
    "openai:gpt-4o-mini": "/v1",
    "openai:gpt-5-mini": "/v1",
    "openai-responses:gpt-5-mini": "/v1",
    "anthropic:claude-haiku-4-5": "",
    "anthropic:claude-3-haiku-20240307": "",
    "google:gemini-2.5-flash": "",
    "deepseek:deepseek-chat": "/v1",
    "deepseek:deepseek-reasoner": "/v1",
    "ollama:llama3.2": "/v1",
    "openrouter:meta-llama/llama-3.3-70b-instruct": "/api/v1",
    "litellm:gpt-4o-mini": "/v1",
}
"""Models, each with what comes after the server's address where its protocol is spoken."""
NO_CHAT = {"elevenlabs", "sentence_transformers", "voyageai", "__init__"}
THINKERS = ["anthropic:claude-haiku-4-5", "google:gemini-2.5-flash", "deepseek:deepseek-reasoner"]


class Sorted(Record):
    category: str
    confidence: Number


USAGE = {"input_tokens": 70, "output_tokens": 20}
GOOD = {"category": "bug", "confidence": 0.9}


class Shown:
    def __init__(self) -> None:
        self.text: list[str] = []
        self.thought: list[str] = []
        self.records: list[Any] = []

    def __call__(self, text: str) -> None:
        self.text.append(text)

    def thinking(self, text: str) -> None:
        self.thought.append(text)

    def partial(self, value: Any) -> None:
        self.records.append(value)


class Host:
    """A context that keeps what is shown, and what was used."""

    def __init__(self) -> None:
        self.shown = Shown()
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
    def answering(self) -> Iterator[Shown]:
        yield self.shown


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    for variables in model_connections.KEY_VARIABLES.values():
        for name in variables:
            monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DEEPSEEK_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=SHAPES)
def use(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def asked(aimock: AIMockServer, service: Service) -> Service:
    """A service that keeps what it is asked, word for word, and lets aimock answer."""

    def answer(request: Request) -> Reply:
        query = "&".join(f"{name}={value}" for name, value in request.query)
        headers = {
            name: value for name, value in request.headers.items() if name not in {"host", "accept-encoding"}
        }
        url = f"{aimock.base_url}{request.path}?{query}"
        passed_on = urllib.request.Request(url, request.body, headers, method=request.method)  # noqa: S310
        try:
            with urllib.request.urlopen(passed_on, timeout=60) as reply:  # noqa: S310
                return Reply(reply.status, reply.read(), {"Content-Type": reply.headers["Content-Type"]})
        except urllib.error.HTTPError as error:
            kept = {
                name: value
                for name, value in error.headers.items()
                if name.lower() in {"content-type", "retry-after"}
            }
            return Reply(error.code, error.read(), kept)

    service.answer = answer
    return service


def ask(asked: Service, use: str, host: Host | None = None, **options: Any) -> Any:
    settings = options.pop("settings", {})
    model = Model(use, base_url=asked.url + SHAPES[use], api_key=Secret("MODEL_KEY"), settings=settings)
    return asyncio.run(call_llm(host or Host(), model, "Sort this", **options))


def body(asked: Service) -> dict[str, Any]:
    (request,) = asked.asked
    found: dict[str, Any] = json.loads(request.body)
    return found


def test_a_text(aimock: AIMockServer, asked: Service, use: str) -> None:
    aimock.add_fixture({}, {"content": "Dear customer", "usage": USAGE})
    host = Host()
    assert ask(asked, use, host, system="You are kind.") == "Dear customer"
    assert host.tokens == [(70, 20)]
    assert "You are kind." in json.dumps(body(asked))
    assert any(KEY in value for value in asked.last.headers.values())


def test_a_record(aimock: AIMockServer, asked: Service, use: str) -> None:
    answer = {"content": json.dumps(GOOD)}
    if use == "anthropic:claude-3-haiku-20240307":  # knows no schemas
        answer = {"toolCalls": [{"name": "final_result", "arguments": json.dumps(GOOD)}]}
    aimock.add_fixture({}, answer)
    assert ask(asked, use, output=Sorted) == Sorted(category="bug", confidence=0.9)
    assert "confidence" in json.dumps(body(asked))


def test_a_text_that_streams(aimock: AIMockServer, asked: Service, use: str) -> None:
    text = "It was the best of times, it was the worst of times. " * 4
    aimock.add_fixture({}, {"content": text, "usage": USAGE})
    host = Host()
    assert ask(asked, use, host, stream=True) == text
    assert "".join(host.shown.text) == text
    assert len(host.shown.text) > 3
    assert host.tokens == [(70, 20)]
    assert (host.shown.thought, host.shown.records) == ([], [])


def test_a_record_that_streams(aimock: AIMockServer, asked: Service, use: str) -> None:
    long = {"category": "a rather long name of a category " * 4, "confidence": 0.9}
    answer = {"content": json.dumps(long)}
    if use == "anthropic:claude-3-haiku-20240307":
        answer = {"toolCalls": [{"name": "final_result", "arguments": json.dumps(long)}]}
    aimock.add_fixture({}, answer)
    host = Host()
    assert ask(asked, use, host, output=Sorted, partial=True) == Sorted(**long)
    records = host.shown.records
    assert records[-1] == long
    assert all(long["category"].startswith(each.get("category", "")) for each in records)
    assert len(records) > 1
    assert host.shown.text == []


def test_an_image(aimock: AIMockServer, asked: Service, use: str) -> None:
    aimock.add_fixture({}, {"content": "a dot"})
    shown = File.of(DOT, name="dot.png", media_type="image/png")
    assert ask(asked, use, files=[shown]) == "a dot"
    sent = json.dumps(body(asked))
    assert shown.content in sent
    assert "image/png" in sent


def test_a_document(aimock: AIMockServer, asked: Service, use: str) -> None:
    aimock.add_fixture({}, {"content": "two lines"})
    shown = File.of(b"first line\nsecond line", name="lines.txt", media_type="text/plain")
    assert ask(asked, use, files=[shown]) == "two lines"
    sent = json.dumps(body(asked))
    assert "second line" in sent or shown.content in sent


def test_what_a_provider_cannot_be_shown(asked: Service) -> None:
    film = File.of(b"....", name="film.mp4", media_type="video/mp4")
    for use in ("openai:gpt-4o-mini", "anthropic:claude-haiku-4-5"):
        with pytest.raises(StepError, match=r"`film.mp4` \(video/mp4\)") as caught:
            ask(asked, use, files=[film])
        assert caught.value.name == "model.unsupported"
    assert asked.asked == []


@pytest.mark.parametrize(
    "status", [429, *(pytest.param(each, marks=pytest.mark.full) for each in (401, 500, 503))]
)
def test_errors(aimock: AIMockServer, asked: Service, use: str, status: int) -> None:
    aimock.add_fixture({}, {"error": {"message": f"Boom {KEY}", "type": "server_error"}, "status": status})
    with pytest.raises(StepError, match="Boom") as caught:
        ask(asked, use)
    assert caught.value.name == f"http.{status}"
    assert caught.value.matches("model")
    assert KEY not in f"{caught.value.message} {caught.value.body!r}"
    assert len(asked.asked) == 1


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_that_is_no_json(aimock: AIMockServer, asked: Service, use: str, stream: bool) -> None:
    aimock.add_fixture({}, {"content": "lost"}, chaos={"malformedRate": 1})
    with pytest.raises(StepError) as caught:
        ask(asked, use, stream=stream)
    assert caught.value.matches("model"), caught.value.name


@pytest.mark.parametrize("use", THINKERS)
def test_what_a_model_thinks_is_shown_apart(aimock: AIMockServer, asked: Service, use: str) -> None:
    thought = "The user wants a category, so I look at the words. " * 3
    aimock.add_fixture({}, {"content": "It is a bug.", "reasoning": thought})
    host = Host()
    settings = {"thinking": "low"} if use != "deepseek:deepseek-reasoner" else {}
    assert ask(asked, use, host, stream=True, thinking=True, settings=settings) == "It is a bug."
    assert "".join(host.shown.thought) == thought
    assert "".join(host.shown.text) == "It is a bug."


@pytest.mark.parametrize("use", THINKERS)
def test_what_a_model_thinks_is_no_part_of_its_answer(aimock: AIMockServer, asked: Service, use: str) -> None:
    aimock.add_fixture({}, {"content": "It is a bug.", "reasoning": "Hm."})
    assert ask(asked, use) == "It is a bug."


@pytest.mark.parametrize(
    ("use", "settings", "sent"),
    [
        ("openai-responses:gpt-5-mini", {"thinking": "high"}, {"reasoning": {"effort": "high"}}),
        ("openai:gpt-5-mini", {"thinking": "low"}, {"reasoning_effort": "low"}),
        ("openai:gpt-5-mini", {"openai_reasoning_effort": "high"}, {"reasoning_effort": "high"}),
        ("openai:gpt-5-mini", {"openai_prompt_cache_key": "desk"}, {"prompt_cache_key": "desk"}),
        (
            "google:gemini-2.5-flash",
            {"google_thinking_config": {"thinking_budget": 64}},
            {"generationConfig": {"responseModalities": ["TEXT"], "thinkingConfig": {"thinking_budget": 64}}},
        ),
    ],
)
def test_effort_and_caching_are_settings(
    aimock: AIMockServer, asked: Service, use: str, settings: dict[str, Any], sent: dict[str, Any]
) -> None:
    aimock.add_fixture({}, {"content": "ok"})
    ask(asked, use, settings=settings)
    found = body(asked)
    assert {name: found[name] for name in sent} == sent


@pytest.mark.parametrize("settings", [{"cache": True}, {"anthropic_cache_instructions": True}])
def test_a_system_text_is_marked_for_the_providers_cache(
    aimock: AIMockServer, asked: Service, settings: dict[str, Any]
) -> None:
    aimock.add_fixture({}, {"content": "ok"})
    ask(asked, "anthropic:claude-haiku-4-5", settings=settings, system="A long text.")
    assert "cache_control" in json.dumps(body(asked)["system"])


def test_every_variable_that_may_hold_a_key_is_known() -> None:
    """Else its value would not be taken out of what a service says."""
    folder = Path(providers.__file__).parent
    named = {
        name
        for path in folder.glob("[a-z]*.py")
        if path.stem not in NO_CHAT
        for name in re.findall(r"getenv\(\s*'([A-Z_]*)'|environ(?:\.get\(|\[)'([A-Z_]*)'", path.read_text())
        for name in name
        if re.search("KEY|TOKEN", name) and "VOICELIVE" not in name
    }
    usual = {f"{each.partition('-')[0].upper()}_API_KEY" for each in PROVIDERS}
    assert named <= usual | {name for names in model_connections.KEY_VARIABLES.values() for name in names}
    assert len(named) > 20


@pytest.mark.parametrize("use", ["azure:gpt", "cohere:command"])
def test_an_address_that_a_provider_does_not_take(use: str) -> None:
    model = Model(use, base_url="http://127.0.0.1:9", api_key=Secret("MODEL_KEY"))
    with pytest.raises((SettingsError, MissingPackageError)):
        asyncio.run(call_llm(Host(), model, "Hello"))
