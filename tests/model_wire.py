"""A service of models in the protocols of three providers: who tests says what it replies, and it is written as each of
them writes it, whole or as a stream.

It is served by threads, so that it outlives processes that are killed, and answers whatever the clock of a test says.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, NamedTuple

__all__ = ["SHAPES", "Asked", "Call", "Reply", "Shape", "answering_at", "serving", "written"]

OUTPUT_TOOL: Final = "final_result"
"""The tool by which a model gives a record that is no agent's answer, where it knows no schemas."""


class Call(NamedTuple):
    """A call of a tool that a model asks for; its arguments as data, or as the text that it has written."""

    tool: str
    args: Any
    id: str = ""

    @property
    def written(self) -> str:
        return self.args if isinstance(self.args, str) else json.dumps(self.args)


@dataclass(frozen=True)
class Reply:
    """What a service replies.

    Args:
        record: JSON data that is the whole answer, in the way that the model was asked for it.
        raw: The body, word for word, in place of all that.
        pieces: Into how many pieces a text is cut where it streams.
        cut_after: After how many bytes the connection breaks off.
        reason: Why the model has stopped: ``stop``, ``length`` or ``refused``.
    """

    text: str = ""
    calls: Sequence[Call] = ()
    record: Any = None
    status: int = 200
    raw: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    pieces: int = 4
    cut_after: int | None = None
    reason: str = "stop"
    tokens: tuple[int, int] = (3, 2)


@dataclass(frozen=True)
class Asked:
    """A request as the service got it."""

    shape: Shape
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    streams: bool

    @property
    def text(self) -> str:
        """All that was sent."""
        return json.dumps(self.body, ensure_ascii=False)

    @property
    def tools(self) -> list[str]:
        """The names of the tools that are offered."""
        return self.shape.tools(self.body)

    @property
    def turns(self) -> int:
        """How many messages of a model are told."""
        return self.shape.turns(self.body)


class Shape(NamedTuple):
    """A provider's protocol.

    Args:
        use: A model that is asked in it.
        root: What comes behind the address of a service.
        place: A part of the path by which its requests are known.
    """

    name: str
    use: str
    root: str
    place: str
    tools: Callable[[dict[str, Any]], list[str]]
    turns: Callable[[dict[str, Any]], int]
    whole: Callable[[Reply], dict[str, Any]]
    events: Callable[[Reply], Iterator[tuple[str, Any]]]


# --- the protocol of OpenAI's chat


def _openai_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": each.id or f"call_{number}",
            "type": "function",
            "function": {"name": each.tool, "arguments": each.written},
        }
        for number, each in enumerate(reply.calls)
    ]


def _openai_reason(reply: Reply) -> str:
    named = {"stop": "tool_calls" if reply.calls else "stop", "length": "length", "refused": "content_filter"}
    return named[reply.reason]


def _openai_usage(reply: Reply) -> dict[str, int]:
    said, got = reply.tokens
    return {"prompt_tokens": said, "completion_tokens": got, "total_tokens": said + got}


def _openai_whole(reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = _openai_calls(reply)
    choice = {"index": 0, "message": message, "finish_reason": _openai_reason(reply)}
    about = {"id": "1", "object": "chat.completion", "created": 0, "model": "m"}
    return {**about, "choices": [choice], "usage": _openai_usage(reply)}


def _openai_events(reply: Reply) -> Iterator[tuple[str, Any]]:
    about = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}

    def chunk(delta: dict[str, Any], reason: str | None = None) -> tuple[str, Any]:
        return "", {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield chunk({"role": "assistant"})
    for piece in _pieces(reply):
        yield chunk({"content": piece})
    for number, call in enumerate(_openai_calls(reply)):
        yield chunk({"tool_calls": [{"index": number, **call}]})
    yield chunk({}, _openai_reason(reply))
    yield "", {**about, "choices": [], "usage": _openai_usage(reply)}
    yield "", "[DONE]"


# --- the protocol of Anthropic


def _anthropic_blocks(reply: Reply) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    for number, each in enumerate(reply.calls):
        args = each.args if isinstance(each.args, dict) else json.loads(each.args or "{}")
        blocks.append(
            {"type": "tool_use", "id": each.id or f"toolu_{number}", "name": each.tool, "input": args}
        )
    return blocks


def _anthropic_reason(reply: Reply) -> str:
    named = {"stop": "tool_use" if reply.calls else "end_turn", "length": "max_tokens", "refused": "refusal"}
    return named[reply.reason]


def _anthropic_whole(reply: Reply) -> dict[str, Any]:
    said, got = reply.tokens
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": _anthropic_blocks(reply),
        "stop_reason": _anthropic_reason(reply),
        "stop_sequence": None,
        "usage": {"input_tokens": said, "output_tokens": got},
    }


def _anthropic_events(reply: Reply) -> Iterator[tuple[str, Any]]:
    begun = {**_anthropic_whole(reply), "content": [], "stop_reason": None}
    yield "message_start", {"type": "message_start", "message": begun}
    for index, block in enumerate(_anthropic_blocks(reply)):
        is_text = block["type"] == "text"
        empty = {**block, "text": ""} if is_text else {**block, "input": {}}
        about = {"index": index}
        yield "content_block_start", {"type": "content_block_start", **about, "content_block": empty}
        deltas = (
            [{"type": "text_delta", "text": piece} for piece in _pieces(reply)]
            if is_text
            else [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
        )
        for delta in deltas:
            yield "content_block_delta", {"type": "content_block_delta", **about, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", **about}
    ended = {"stop_reason": _anthropic_reason(reply), "stop_sequence": None}
    yield (
        "message_delta",
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": reply.tokens[1]}},
    )
    yield "message_stop", {"type": "message_stop"}


# --- the protocol of Gemini


def _gemini_calls(reply: Reply) -> list[dict[str, Any]]:
    found = []
    for each in reply.calls:
        args = each.args if isinstance(each.args, dict) else json.loads(each.args or "{}")
        called = {"name": each.tool, "args": args, **({"id": each.id} if each.id else {})}
        found.append({"functionCall": called})
    return found


def _gemini_chunk(reply: Reply, parts: list[dict[str, Any]], *, is_last: bool) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
    said, got = reply.tokens
    if is_last:
        named = {"stop": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}
        candidate["finishReason"] = named[reply.reason]
    used = {"promptTokenCount": said, "candidatesTokenCount": got, "totalTokenCount": said + got}
    return {"candidates": [candidate], "modelVersion": "m", "responseId": "1", "usageMetadata": used}


def _gemini_whole(reply: Reply) -> dict[str, Any]:
    parts = [{"text": reply.text}] if reply.text else []
    return _gemini_chunk(reply, parts + _gemini_calls(reply), is_last=True)


def _gemini_events(reply: Reply) -> Iterator[tuple[str, Any]]:
    for piece in _pieces(reply):
        yield "", _gemini_chunk(reply, [{"text": piece}], is_last=False)
    yield "", _gemini_chunk(reply, _gemini_calls(reply), is_last=True)


SHAPES: Final = {
    shape.name: shape
    for shape in (
        Shape(
            "openai",
            "openai:gpt-4o-mini",
            "/v1",
            "/chat/completions",
            lambda body: [each["function"]["name"] for each in body.get("tools", ())],
            lambda body: sum(each["role"] == "assistant" for each in body["messages"]),
            _openai_whole,
            _openai_events,
        ),
        Shape(
            "anthropic",
            "anthropic:claude-haiku-4-5",
            "",
            "/v1/messages",
            lambda body: [each["name"] for each in body.get("tools", ())],
            lambda body: sum(each["role"] == "assistant" for each in body["messages"]),
            _anthropic_whole,
            _anthropic_events,
        ),
        Shape(
            "gemini",
            "google:gemini-2.5-flash",
            "",
            "enerateContent",
            lambda body: [
                each["name"] for one in body.get("tools", ()) for each in one.get("functionDeclarations", ())
            ],
            lambda body: sum(each["role"] == "model" for each in body["contents"]),
            _gemini_whole,
            _gemini_events,
        ),
    )
}


def _pieces(reply: Reply) -> list[str]:
    size = max(1, -(-len(reply.text) // reply.pieces))
    return [reply.text[at : at + size] for at in range(0, len(reply.text), size)]


# --- the service


class Service(ThreadingHTTPServer):
    """Answers as it is told; ``asked`` has what it was asked so far. What it answers to a GET is JSON data."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, answer: Callable[[Asked], Reply], *, keep: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.keep = keep
        self.asked: list[Asked] = []
        self.get: Callable[[str], Any] = lambda path: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # whoever has asked has gone


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        service = self.server
        assert isinstance(service, Service)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        shape = next(each for each in SHAPES.values() if each.place in self.path)
        streams = bool(body.get("stream")) or "streamGenerateContent" in self.path
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(shape, self.path, headers, body, streams)
        service.asked.append(asked)
        reply = service.answer(asked)
        if reply.record is not None:
            reply = _as_asked(reply, asked)
        content = reply.raw if reply.raw is not None else written(reply, asked)
        self._send(reply, content, streams=streams, keep=service.keep)

    def do_GET(self) -> None:
        service = self.server
        assert isinstance(service, Service)
        content = json.dumps(service.get(self.path)).encode()
        self._send(Reply(), content, streams=False, keep=service.keep)

    def _send(self, reply: Reply, content: bytes, *, streams: bool, keep: bool) -> None:
        is_stream = streams and reply.status == 200
        self.send_response(reply.status)
        self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        if not keep:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content if reply.cut_after is None else content[: reply.cut_after])
        self.close_connection = self.close_connection or not keep or reply.cut_after is not None

    def log_message(self, format: str, *args: object) -> None:
        pass


def _as_asked(reply: Reply, asked: Asked) -> Reply:
    """Return a record as the model was asked for it: as a call, or as JSON in a text."""
    if OUTPUT_TOOL in asked.tools:
        return replace(reply, calls=[Call(OUTPUT_TOOL, reply.record)])
    return replace(reply, text=json.dumps(reply.record))


def written(reply: Reply, asked: Asked) -> bytes:
    if reply.status != 200:
        return json.dumps({"type": "error", "error": {"type": "t", "message": reply.text}}).encode()
    if not asked.streams:
        return json.dumps(asked.shape.whole(reply)).encode()
    events = [
        (f"event: {name}\n" if name else "") + f"data: {data if isinstance(data, str) else json.dumps(data)}"
        for name, data in asked.shape.events(reply)
    ]
    return "".join(f"{each}\n\n" for each in events).encode()


@contextlib.contextmanager
def serving(answer: Callable[[Asked], Reply], *, keep: bool = False) -> Iterator[Service]:
    """Serve models as long as the block.

    Args:
        keep: Whether connections stay open between requests; a clock that jumps waits for those that are.
    """
    with Service(answer, keep=keep) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def answering_at(url: str, shape: Shape, prepare: Callable[[Any], str] | None = None) -> Iterator[None]:
    """Let all models be asked at an address, in a protocol, whatever a spec says of them; their keys go there, too.

    Args:
        prepare: Is called with the type of the answer before each request, and gives a text that goes along in the
            header ``X-Reply``.
    """
    from wfc.runtime.calls.llm import Model

    ask, take_turn = Model.ask, Model.take_turn

    def elsewhere(model: Model, output: Any) -> Model:
        settings = dict(model.settings)
        if prepare is not None:
            settings["extra_headers"] = {"X-Reply": prepare(output)}
        return replace(model, use=shape.use, base_url=url + shape.root, settings=settings)

    async def ask_there(model: Model, *args: Any, **options: Any) -> Any:
        return await ask(elsewhere(model, options.get("output")), *args, **options)

    async def take_turn_there(model: Model, host: Any, request: Any) -> Any:
        return await take_turn(elsewhere(model, request.output), host, request)

    doors: Any = Model
    doors.ask, doors.take_turn = ask_there, take_turn_there
    try:
        yield
    finally:
        doors.ask, doors.take_turn = ask, take_turn
