"""Model calls with a history, and replies that are shown while they come, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from aimock_pytest import AIMockServer

from wfc.runtime.calls.bindings import CallLimit, Secret
from wfc.runtime.calls.llm import Model, call_llm
from wfc.runtime.errors import StepError
from wfc.runtime.records import Message

KEY = "sk-not-for-anybodys-eyes-0123456789"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "AIMOCK_CLI_PATH"):
        monkeypatch.delenv(name, raising=False)


class Host:
    """A context that keeps what is shown, each reply by itself."""

    def __init__(self, unmet: Callable[[Any], Sequence[str]] = lambda _: []) -> None:
        self.unmet = unmet
        self.shown: list[list[str]] = []
        self.tokens: list[tuple[int, int]] = []

    def in_turn(self, limit: CallLimit | None, url: str | None = None) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    def afford(self, model: str, *, own_server: bool = False) -> None:
        pass

    def spent(self, model: str, tokens_in: int, tokens_out: int, **more: object) -> None:
        self.tokens.append((tokens_in, tokens_out))

    def choose_model(self, count: int) -> int:
        return 0

    @contextmanager
    def answering(self) -> Iterator[Callable[[str], None]]:
        self.shown.append([])
        yield self.shown[-1].append


def model(url: str, use: str = "openai:gpt-4o-mini") -> Model:
    return Model(use, base_url=url, api_key=Secret("MODEL_KEY"))


def ask(asked: Model, host: Host, **options: Any) -> Any:
    return asyncio.run(call_llm(host, asked, "Go on", stream=True, **options))


def answers(aimock: AIMockServer, *replies: dict[str, Any]) -> None:
    for index, reply in enumerate(replies):
        aimock.add_fixture({"sequenceIndex": index}, reply)


HISTORY = [
    Message(role="system", content="Speak French."),
    Message(role="user", content="Hello"),
    Message(role="assistant", content="Bonjour"),
    Message(role="user", content="And in German?"),
    Message(role="assistant", content="Guten Tag"),
]


@pytest.mark.parametrize("stream", [False, True])
def test_a_history_stands_between_system_and_prompt(aimock: AIMockServer, stream: bool) -> None:
    answers(aimock, {"content": "Buongiorno"})
    asked = model(f"{aimock.base_url}/v1")
    said = asyncio.run(
        call_llm(Host(), asked, "In Italian?", system="Be kind.", history=HISTORY, stream=stream)
    )
    (request,) = [entry["body"] for entry in aimock.get_journal()]
    assert said == "Buongiorno"
    assert [(each["role"], each["content"]) for each in request["messages"]] == [
        ("system", "Be kind."),
        *((each.role, each.content) for each in HISTORY),
        ("user", "In Italian?"),
    ]


def test_a_reply_is_shown_while_it_comes(aimock: AIMockServer) -> None:
    text = "It was the best of times, it was the worst of times. " * 4
    answers(aimock, {"content": text})
    host = Host()
    assert ask(model(f"{aimock.base_url}/v1"), host) == text
    (pieces,) = host.shown
    assert "".join(pieces) == text
    assert len([piece for piece in pieces if piece]) > 3
    (request,) = [entry["body"] for entry in aimock.get_journal()]
    assert request["stream"] is True


def test_a_reply_that_is_asked_for_again_is_another_one(aimock: AIMockServer) -> None:
    answers(aimock, {"content": "Never!"}, {"content": "With pleasure."})
    host = Host(lambda text: ["Be kind."] if "!" in text else [])
    assert ask(model(f"{aimock.base_url}/v1"), host) == "With pleasure."
    assert ["".join(pieces) for pieces in host.shown] == ["Never!", "With pleasure."]


def test_another_provider_streams_too(aimock: AIMockServer) -> None:
    answers(aimock, {"content": "From elsewhere"})
    host = Host()
    assert ask(model(aimock.base_url, "anthropic:claude-haiku-4-5"), host) == "From elsewhere"
    assert "".join(host.shown[0]) == "From elsewhere"


def test_a_secret_is_not_shown_however_it_is_cut(aimock: AIMockServer) -> None:
    answers(aimock, {"content": f"The key is {KEY}, and sk-not-mine is none.", "chunkSize": 5})
    host = Host()
    said = ask(model(f"{aimock.base_url}/v1"), host)
    assert said == "The key is [secret MODEL_KEY], and sk-not-mine is none."
    assert "".join(host.shown[0]) == said


# --- streams that go wrong


def chunk(text: str | None = None, finish: str | None = None) -> bytes:
    delta = {"role": "assistant", "content": text} if text is not None else {}
    data = {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return f"data: {json.dumps(data)}\n\n".encode()


DONE = b"data: [DONE]\n\n"
USAGE = (
    b'data: {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [], '
    b'"usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}}\n\n'
)


class Service(ThreadingHTTPServer):
    """Streams its parts; ``whole`` says whether it ends as HTTP wants it."""

    def __init__(self, parts: Sequence[bytes], *, whole: bool = True, status: int = 200) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.parts, self.whole, self.status = parts, whole, status

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, Service)
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(self.server.status)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for part in self.server.parts:
            self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
            self.wfile.flush()
        if self.server.whole:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(service: Service) -> Iterator[str]:
    thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service.url
    finally:
        service.shutdown()
        service.server_close()
        thread.join()


def test_tokens_are_counted() -> None:
    host = Host()
    with serving(Service([chunk("Hel"), chunk("lo"), chunk(finish="stop"), USAGE, DONE])) as url:
        assert ask(model(url), host) == "Hello"
    assert (host.tokens, host.shown) == ([(7, 2)], [["Hel", "lo", ""]])


@pytest.mark.parametrize(
    ("parts", "options", "name"),
    [
        ([chunk("Hel")], {"whole": False}, "connection"),
        ([chunk("Hel")], {}, "model"),
        ([chunk("Hel"), DONE], {}, "model"),
        ([chunk("Hel"), chunk(finish="length"), DONE], {}, "model.cut_off"),
        ([chunk("Hel"), chunk(finish="content_filter"), DONE], {}, "model.refused"),
        ([chunk("Hel"), b'data: {"error": {"message": "overloaded"}}\n\n'], {}, "model"),
        ([chunk("Hel"), b"data: {nonsense\n\n"], {}, "model"),
        ([b'{"error": {"message": "busy"}}'], {"status": 503}, "http.503"),
    ],
    ids=["broken off", "ended early", "no end", "cut off", "refused", "error", "nonsense", "status"],
)
def test_what_goes_wrong_in_the_middle_is_an_error_like_others(
    parts: list[bytes], options: dict[str, Any], name: str
) -> None:
    host = Host()
    with serving(Service(parts, **options)) as url, pytest.raises(StepError) as caught:
        ask(model(url), host)
    assert caught.value.matches(name), caught.value.name
    assert caught.value.name == name
    assert [piece for piece in host.shown[0] if piece] == ([] if name == "http.503" else ["Hel"])
